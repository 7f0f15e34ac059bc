"""How figures differ between two sets of rules."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes

from analyzer.statistics.compare_rules import FigureDifference, RulesComparison, said_difference
from analyzer.statistics.wording import label
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.dots import listed
from analyzer_reports.marks import (
    PHONE,
    dots,
    dots_frame,
    ends_of,
    estimates,
    interval_columns,
    percent_axis,
    plain_axis,
    width_of,
)

COLUMNS = ("label", "value", "low", "high", "said")


def _rows(share: bool) -> Callable[[RulesComparison], pd.DataFrame]:
    """Differences of all figures that are shares, or of all others."""

    def data(found: RulesComparison) -> pd.DataFrame:
        rows = [_row(f) for f in found.figures if f.share == share]
        known = [row for row in rows if row["value"] is not None]
        return estimates(known, COLUMNS, a=found.a, b=found.b, share=share)

    return data


def _row(found: FigureDifference) -> dict[str, float | str | None]:
    gap = found.difference
    said = "exactly 0" if found.exact else said_difference(gap, found.share, sign=True)
    return {
        "label": label(found.metric),
        "value": gap.value,
        "low": gap.low,
        "high": gap.high,
        "said": said.split(" (")[0].replace(" percentage points", ""),
    }


def _words(rows: pd.DataFrame) -> Words:
    a, b = rows.attrs["a"], rows.attrs["b"]
    sure = rows[(rows["low"] > 0) | (rows["high"] < 0)]
    kind = "share" if rows.attrs["share"] else "figure"
    if len(rows) == 1:
        name = rows["label"].iloc[0]
        rises = "differs" if len(sure) else "is not shown to differ"
        title = f"The {name} {rises} between {a} and {b}"
    elif len(sure):
        title = f"{len(sure)} of {len(rows)} {kind}s are shown to differ between {a} and {b}"
    else:
        title = f"No {kind} is shown to differ between {a} and {b}"
    unit = ", in percentage points" if rows.attrs["share"] else ""
    caption = f"Each figure with {a} less the same with {b}{unit}, both on the same chance."
    return Words(title, caption, f"{title}. {listed(rows)}.")


def _draw(rows: pd.DataFrame, ax: Axes) -> None:
    low, high = ends_of(rows, 0.0)
    pad = max(0.12 * (high - low), 1e-3)
    ax.set_xlim(low - pad, high + pad)
    dots(ax, rows, 0.0, "no difference")
    plain_axis(ax.xaxis, 3 if width_of(ax) < PHONE else 6)
    if rows.attrs["share"]:
        ax.xaxis.set_major_formatter(percent_axis(1))
    ax.set_xlim(low - pad, high + pad)
    ax.set_xlabel("difference")


def _chart(name: str, *, share: bool) -> Chart:
    return Chart(
        name=name,
        data=_rows(share),
        draw=_draw,
        words=_words,
        columns=lambda rows: (
            Column("label", "Figure", "text"),
            *interval_columns("Difference", "percent" if share else "number", 4),
        ),
        frame=dots_frame,
    )


SHARES = _chart("shares", share=True)
OTHERS = _chart("figures", share=False)
