"""How far an answer moves when the assumptions behind it are varied, one at a time."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.marks import (
    PHONE,
    dots,
    dots_frame,
    ends_of,
    interval_columns,
    percent_axis,
    plain_axis,
    width_of,
)
from analyzer_reports.words import number, percent


def data(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows label, value, low, high, said; in attrs ``base``, ``what``, ``share``, ``title``.

    ``low`` and ``high`` are ``base`` plus the ends of the change's interval.
    """
    return rows


def words(rows: pd.DataFrame) -> Words:
    """What the comparison found."""
    base, what = rows.attrs["base"], rows.attrs["what"]
    title = rows.attrs["title"]
    caption = (
        f"{what[:1].upper()}{what[1:]} with one assumption changed at a time. Dashed: with all "
        f"assumptions as they are, {_text(rows, base)}. Each range is that of the change, "
        "counted from there; all of them hold together with 95% confidence."
    )
    alt = f"{title}. " + "; ".join(
        f"{label}: {said}" for label, said in zip(rows["label"], rows["said"], strict=True)
    )
    return Words(title, caption, f"{alt}.")


def _text(rows: pd.DataFrame, value: float) -> str:
    return percent(value, 2) if rows.attrs["share"] else number(value, 2)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A dot and an interval each, against the figure as things are."""
    base = rows.attrs["base"]
    low, high = ends_of(rows, base)
    pad = max(0.12 * (high - low), 1e-3)
    ax.set_xlim(low - pad, high + pad)
    dots(ax, rows, base, "as assumed")
    plain_axis(ax.xaxis, 3 if width_of(ax) < PHONE else 6)
    if rows.attrs["share"]:
        ax.xaxis.set_major_formatter(percent_axis(1))
    ax.set_xlim(low - pad, high + pad)
    ax.set_xlabel(rows.attrs["what"])


CHART = Chart(
    name="sensitivity",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("label", "Assumption", "text"),
        *interval_columns("Figure", "number", 4),
    ),
    frame=dots_frame,
)
