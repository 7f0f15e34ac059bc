"""Turn the Tide: what a suggested printing would repair."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer.games.turnthetide.figures import Measures
from analyzer.statistics.tables import Estimate
from analyzer_reports.answers import Answer
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.games.turnthetide.answers import suggestion_of
from analyzer_reports.marks import (
    DASHES,
    PHONE,
    ends_of,
    estimates,
    interval,
    interval_columns,
    percent_axis,
    plain_axis,
    width_of,
    write,
)
from analyzer_reports.style import ACCENT, INK, LINE, MUTED, PAPER
from analyzer_reports.words import number, percent

COLUMNS = ("measure", "printing", "value", "low", "high", "share", "target")
PRINTINGS = ("today", "suggested", "in five bands")
LUCK = "Part of a round the dealt hand decides"
ROOM = 104
"""Height of one measure in pixels."""


def _parts(measures: Measures) -> tuple[tuple[str, Estimate, bool, float], ...]:
    """Measure, estimate, whether it is a share, and its value for a fair printing."""
    return (
        ("Points a round for one more preserver", measures.slope, False, 0.0),
        ("Rounds won: best tenth of hands minus worst", measures.round_win_gap, True, 0.0),
        (LUCK, measures.hand_share, True, 0.0),
        ("Part of a preserver that pays for hard cards", measures.compensation, True, 1.0),
    )


def data(answer: Answer) -> pd.DataFrame:
    """A row per measure and printing; none without a suggestion."""
    suggestion = suggestion_of(answer)
    if suggestion is None:
        return estimates([], COLUMNS)
    printings = zip(PRINTINGS, (suggestion.before, suggestion.after, suggestion.bands), strict=True)
    return estimates(
        [
            {
                "measure": name,
                "printing": printing,
                **interval(part),
                "share": share,
                "target": target,
            }
            for printing, measures in printings
            for name, part, share, target in _parts(measures)
            if part.value is not None
        ],
        COLUMNS,
    )


def words(rows: pd.DataFrame) -> Words:
    """How much less the dealt hand would decide."""
    luck = rows[rows["measure"] == LUCK].set_index("printing")
    title = "What the suggested printing would change"
    if {"today", "suggested"} <= set(luck.index):
        columns = luck.loc[list(PRINTINGS[:2]), ["value", "low", "high"]].to_numpy()
        (before, lowest_before, _), (after, _, highest_after) = columns
        if np.isnan(columns).any():
            title = "Too few games to tell what the suggested printing changes"
        elif highest_after < lowest_before:
            title = (
                f"With the suggested printing the dealt hand decides {percent(after)} of a round, "
                f"instead of {percent(before)}"
            )
        else:
            title = "The suggested printing is not seen to leave less to the dealt hand"
    caption = (
        "Hollow: today. Filled: suggested; diamond: suggested in five bands. Dashed: where a "
        "printing that only makes up for hard cards would stand."
    )
    alt = f"{title}. " + " ".join(
        f"{name}: "
        + ", ".join(
            f"{printing} {_text(value, share)}"
            for printing, value, share in zip(
                part["printing"], part["value"], part["share"], strict=True
            )
        )
        + "."
        for name, part in rows.groupby("measure", sort=False)
    )
    return Words(title, caption, alt)


def _text(value: float, share: bool) -> str:
    return percent(value) if share else number(value, 2, True)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A line a measure, each on its own scale, today's dot and the suggestion's."""
    phone = width_of(ax) < PHONE
    ax.set_axis_off()
    measures = list(rows.groupby("measure", sort=False))
    for place, (name, part) in enumerate(measures):
        tall = 1 / len(measures)
        line = ax.inset_axes((0.01, 1 - (place + 1) * tall + 0.42 * tall, 0.98, 0.3 * tall))
        share, target = bool(part["share"].iloc[0]), float(part["target"].iloc[0])
        low, high = ends_of(part, target)
        pad = 0.08 * max(high - low, 0.02)
        line.set_xlim(low - pad, high + pad)
        line.set_ylim(-1, 1)
        line.set_yticks([])
        line.grid(False)
        line.grid(True, axis="x")
        line.axhline(0, color=LINE, lw=1, zorder=1)
        line.axvline(target, color=INK, lw=1.1, ls=DASHES, zorder=1.5)
        line.spines["bottom"].set_visible(False)
        plain_axis(line.xaxis, 4 if phone else 7)
        if share:
            line.xaxis.set_major_formatter(percent_axis())
        for printing, value, lower, upper in zip(
            part["printing"], part["value"], part["low"], part["high"], strict=True
        ):
            kind = PRINTINGS.index(printing)
            color = MUTED if kind == 0 else ACCENT
            if np.isfinite(lower) and np.isfinite(upper):
                line.plot([lower, upper], [0, 0], color=color, lw=3, alpha=0.5, zorder=2)
            line.plot(
                [value],
                [0],
                "D" if kind == 2 else "o",
                ms=6.5 if kind == 2 else 9,
                color=color,
                mfc=ACCENT if kind == 1 else PAPER,
                mew=1.8,
                zorder=4 + kind,
                clip_on=False,
            )
        write(line, str(name), (0, 1), (0, 6), "axes fraction", size=12 if phone else 12.5)
        by_printing = part.set_index("printing")["value"]
        if not phone and {"today", "suggested"} <= set(by_printing.index):
            change = (
                f"{_text(by_printing['today'], share)}  \N{RIGHTWARDS ARROW}  "
                f"{_text(by_printing['suggested'], share)}"
            )
            write(line, change, (1, 1), (0, 6), "axes fraction", ha="right", weight="bold")


CHART = Chart(
    name="before-and-after",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("measure", "Measure", "text"),
        Column("printing", "Printing", "text"),
        *interval_columns("Figure"),
    ),
    frame=lambda rows, width: Frame(height=10 + ROOM * rows["measure"].nunique(), top=4, bottom=2),
)
