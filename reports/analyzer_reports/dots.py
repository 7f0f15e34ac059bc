"""Charts that are rows of dots with intervals, for shares and differences of shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer.statistics.tables import Estimate
from analyzer_reports.answers import Answer
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.marks import (
    PHONE,
    dots,
    dots_frame,
    estimates,
    percent_axis,
    plain_axis,
    width_of,
)
from analyzer_reports.words import figure, percent, shorten

__all__ = ["COLUMNS", "dot_chart", "equal_line", "listed", "rows_of"]

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
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "said": _points(one) if sign else figure(one, share=True),
            }
            for label, one in found
            if one.value is not None
        ],
        COLUMNS,
        **facts,
    )


def _points(one: Estimate) -> str:
    """A difference of shares in percentage points: ``+3.4``."""
    value, low, high = (None if x is None else 100 * x for x in (one.value, one.low, one.high))
    return figure(Estimate(value, low, high), sign=True)


def listed(rows: pd.DataFrame) -> str:
    """The rows in words, for those who cannot see them."""
    return "; ".join(
        f"{shorten(str(label), 50)} {said}"
        for label, said in zip(rows["label"], rows["said"], strict=True)
    )


def dot_chart(
    name: str,
    data: Callable[[Answer], pd.DataFrame],
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
        line = float(rows.attrs["line"])
        seen = rows[["value", "low", "high"]].to_numpy()
        low = min(float(np.nanmin(seen)), line)
        high = max(float(np.nanmax(seen)), line)
        pad = max(0.12 * (high - low), 0.005)
        floor = -np.inf if low < 0 else 0.0
        ax.set_xlim(max(floor, low - pad), min(1.0, high + pad))
        dots(ax, rows, line, str(rows.attrs["line_name"]))
        plain_axis(ax.xaxis, 3 if width_of(ax) < PHONE else 6)
        left, right = ax.get_xlim()
        ax.xaxis.set_major_formatter(percent_axis(1 if right - left < 0.05 else 0))
        ax.set_xlim(left, right)
        ax.set_xlabel(axis)

    return Chart(
        name=name,
        data=data,
        draw=draw,
        words=words,
        columns=lambda rows: (
            Column("label", headings[0], "text"),
            Column("value", headings[1], "percent", places),
            Column("low", "from", "percent", places),
            Column("high", "to", "percent", places),
        ),
        frame=dots_frame,
    )


def equal_line(equal: float) -> dict[str, Any]:
    """Facts of the equal share that win shares are compared with."""
    return {"line": equal, "line_name": f"equal share {percent(equal)}"}
