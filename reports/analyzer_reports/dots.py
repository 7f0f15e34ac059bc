"""Charts that are rows of dots with intervals, for shares and differences of shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from analyzer.statistics.intervals import MIN_GAMES, quantile
from analyzer.statistics.tables import Estimate
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.marks import dots_frame, estimates, interval, interval_columns, share_dots
from analyzer_reports.words import figure, in_points, percent, shorten

__all__ = [
    "COLUMNS",
    "against_equal",
    "dot_chart",
    "ends_apart",
    "equal_line",
    "listed",
    "listed_shares",
    "rows_of",
]

COLUMNS = ("label", "value", "low", "high", "said")


def rows_of(
    found: Sequence[tuple[str, Estimate]], *, sign: bool = False, **facts: object
) -> pd.DataFrame:
    """A row a figure that could be computed, a share in percent; facts go to ``attrs``.

    ``sign`` marks differences of shares, which are said in percentage points.
    """
    return estimates(
        [
            {
                "label": label,
                **interval(one),
                "said": figure(in_points(one), sign=True) if sign else figure(one, share=True),
            }
            for label, one in found
            if one.value is not None
        ],
        COLUMNS,
        **facts,
    )


def ends_apart(rows: pd.DataFrame) -> bool:
    """Whether the lowest and the highest of the figures are shown to differ.

    They were not chosen beforehand, so their intervals are widened to hold for all rows together.
    """
    if len(rows) < 2 or rows[["low", "high"]].isna().to_numpy().any():
        return False
    wider = quantile(MIN_GAMES - 1, len(rows)) / quantile(MIN_GAMES - 1)
    ranked = rows.sort_values("value")
    least, most = ranked.iloc[0], ranked.iloc[-1]
    high = least["value"] + wider * (least["high"] - least["value"])
    return bool(high < most["value"] - wider * (most["value"] - most["low"]))


def listed(rows: pd.DataFrame) -> str:
    """The rows in words, for those who cannot see them."""
    return "; ".join(
        f"{shorten(str(label), 50)} {said}"
        for label, said in zip(rows["label"], rows["said"], strict=True)
    )


def listed_shares(rows: pd.DataFrame) -> str:
    """The same with every share to the tenth of a percent."""
    return "; ".join(
        f"{shorten(str(label), 40)} {percent(value)}"
        for label, value in zip(rows["label"], rows["value"], strict=True)
    )


def dot_chart(
    name: str,
    data: Callable[[Any], pd.DataFrame],
    words: Callable[[pd.DataFrame], Words],
    *,
    axis: str,
    headings: tuple[str, str],
    places: int = 2,
) -> Chart:
    """A chart of such rows, against the line at ``attrs["line"]`` named ``attrs["line_name"]``.

    Parameters
    ----------
    axis
        What the horizontal axis shows.
    headings
        Of the label and of the figure in the table.
    places
        Decimals of the percentages in the table.
    """

    def draw(rows: pd.DataFrame, ax: Axes) -> None:
        share_dots(ax, rows, float(rows.attrs["line"]), str(rows.attrs["line_name"]), axis=axis)

    return Chart(
        name=name,
        data=data,
        draw=draw,
        words=words,
        columns=lambda rows: (
            Column("label", headings[0], "text"),
            *interval_columns(headings[1], "percent", places),
        ),
        frame=dots_frame,
    )


def against_equal(rows: pd.DataFrame, ax: Axes, room: float = 0.12) -> None:
    """Draw a dot and an interval each, against the equal share ``attrs["equal"]``."""
    equal = rows.attrs["equal"]
    share_dots(ax, rows, equal, f"equal share {percent(equal)}", room)


def equal_line(equal: float) -> dict[str, Any]:
    """Facts of the equal share that win shares are compared with."""
    return {"line": equal, "line_name": f"equal share {percent(equal)}"}
