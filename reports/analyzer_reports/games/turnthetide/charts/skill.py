"""Turn the Tide: what a preserver pays for, and what a hand decides, by how well people play."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer.statistics.tables import Fairness
from analyzer_reports.answers import Answer
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.games.turnthetide.answers import by_strength, lifesavers_of
from analyzer_reports.marks import (
    PHONE,
    estimates,
    interval,
    interval_columns,
    percent_axis,
    plain_axis,
    width_of,
    write,
)
from analyzer_reports.style import ACCENT
from analyzer_reports.words import number, percent, shorten

COLUMNS = ("measure", "label", "strength", "value", "low", "high", "share")
PAID, MOVED = "Part of a preserver that pays for its cards", "Points by which a hand moves a round"


def data(answer: Answer) -> pd.DataFrame:
    """A row per measure and way of playing whose strength is known, the weakest first."""
    if not isinstance(answer, Fairness) or lifesavers_of(answer) is None:
        return estimates([], COLUMNS)
    ways = [
        (table.summary.lineup[0], table.figures["lifesavers"])
        for table in by_strength(answer)
        if len(set(table.summary.lineup)) == 1 and table.summary.lineup[0] in answer.strengths
    ]
    if len(ways) < 2:
        return estimates([], COLUMNS)
    return estimates(
        [
            {
                "measure": measure,
                "label": spec,
                "strength": answer.strengths[spec].value,
                **interval(figure),
                "share": share,
            }
            for measure, share, name in ((PAID, True, "compensation"), (MOVED, False, "hand_sd"))
            for spec, found in ways
            if (figure := getattr(found, name)).value is not None
        ],
        COLUMNS,
    )


def words(rows: pd.DataFrame) -> Words:
    """What the strongest and the weakest way of playing make of a preserver."""
    paid = rows[rows["measure"] == PAID]
    title = "What a preserver pays for, by how well people play"
    if paid.empty:
        title = "How far a hand moves a round, by how well people play"
    if len(paid) > 1:
        weak, strong = paid.iloc[0], paid.iloc[-1]
        ends = paid[["low", "high"]].to_numpy()[[0, -1]]
        if np.isnan(ends).any() or not (
            weak["high"] < strong["low"] or strong["high"] < weak["low"]
        ):
            title = "The weakest and the strongest are not shown to differ in what a preserver pays"
        else:
            title = (
                f"Among {shorten(weak['label'], 20)} players {percent(weak['value'], 0)} of a "
                f"preserver pays for its cards, among {shorten(strong['label'], 20)} players "
                f"{percent(strong['value'], 0)}"
            )
    caption = (
        "Each dot is a table of equal players; the further right, the more they win against the "
        "others at mixed tables. Bars: the range the true figure lies in."
    )
    alt = f"{title}. " + " ".join(
        f"{measure}: "
        + ", ".join(
            f"{shorten(str(label), 40)} {percent(value) if share else number(value)}"
            for label, value, share in zip(part["label"], part["value"], part["share"], strict=True)
        )
        + "."
        for measure, part in rows.groupby("measure", sort=False)
    )
    return Words(title, caption, alt)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """One picture a measure, side by side, above each other on a phone."""
    phone = width_of(ax) < PHONE
    ax.set_axis_off()
    parts = list(rows.groupby("measure", sort=False))
    for place, (measure, part) in enumerate(parts):
        many = len(parts)
        where = (
            (0.1, 1 - (place + 0.78) / many, 0.86, 0.58 / many)
            if phone
            else (place / many + 0.06, 0.16, 0.92 / many - 0.08, 0.66)
        )
        small = ax.inset_axes(where)
        x, y = part["strength"].to_numpy(), part["value"].to_numpy()
        for at, value, low, high in zip(x, y, part["low"], part["high"], strict=True):
            if np.isfinite(low) and np.isfinite(high):
                small.plot([at, at], [low, high], color=ACCENT, lw=3, alpha=0.5, zorder=3)
            small.plot([at], [value], "o", ms=8, color=ACCENT, zorder=4)
        wide = max(float(x.max() - x.min()), 0.02)
        left, right = x.min() - 0.25 * wide, x.max() + 0.25 * wide
        top = float(np.nanmax(part[["value", "high"]].to_numpy()))
        least = min(0.0, float(np.nanmin(part[["value", "low"]].to_numpy())))
        small.set_ylim(least, 1.2 * top if 1.2 * top > least else least + 1.0)
        for at, value, label in zip(x, y, part["label"], strict=True):
            name = shorten(str(label), 14)
            write(small, name, (at, value), (0, 9), ha="center", size=11.5)
        small.set_xlim(left, right)
        plain_axis(small.xaxis, 4)
        small.set_xticks(
            [at for at in small.get_xticks() if max(0.0, left) <= at <= min(1.0, right)]
        )
        plain_axis(small.yaxis, 5)
        small.xaxis.set_major_formatter(percent_axis())
        if part["share"].iloc[0]:
            small.yaxis.set_major_formatter(percent_axis())
        small.set_xlabel("share won at mixed tables")
        size = 11 if phone else 11.5
        write(small, str(measure), (0, 1), (-26, 8), "axes fraction", size=size, weight="bold")


CHART = Chart(
    name="skill",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("measure", "Measure", "text"),
        Column("label", "Players", "text"),
        Column("strength", "Won against the others", "percent", 1),
        *interval_columns("Figure"),
    ),
    frame=lambda rows, width: Frame(
        height=300 if width >= PHONE else 290 * max(1, rows["measure"].nunique()), top=4, bottom=2
    ),
)
