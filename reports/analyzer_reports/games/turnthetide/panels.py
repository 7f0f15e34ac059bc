"""Several measures, each on a scale of its own, with a row for each table of strategies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer.statistics.tables import Estimate
from analyzer_reports.chart import Column, Frame
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
from analyzer_reports.words import number, percent, shorten

COLUMNS = ("measure", "label", "printing", "value", "low", "high", "share", "target")
TODAY, SUGGESTED, BANDS = "today", "suggested", "in five bands"
MEASURES = (
    ("hand_sd", "Points by which the hand dealt moves a round", False, np.nan),
    ("slope", "Points a round for one more preserver", False, 0.0),
    ("round_win_gap", "Rounds won: best twentieth of hands minus worst", True, 0.0),
    ("hand_share", "Part of a round that stays with the deal", True, np.nan),
    ("compensation", "Part of a preserver that pays for its cards", True, 1.0),
)
"""Name of each, what it says, whether it is a share, and what it would be if preservers just made
up for the cards they are printed on; NaN where that does not settle it."""
TITLE, ROW, TICKS = 32, 30, 34
"""Pixels that the parts of a panel take."""
LETTERS = 24


def lineup_name(lineup: Sequence[str]) -> str:
    """Who plays, as briefly as a row needs it."""
    return lineup[0] if len(set(lineup)) == 1 else ", ".join(lineup)


def cells(label: str, printing: str, figures: Mapping[str, Estimate]) -> list[dict[str, Any]]:
    """A row a measure that is known."""
    return [
        {
            "measure": title,
            "label": label,
            "printing": printing,
            **interval(figures[name]),
            "share": share,
            "target": target,
        }
        for name, title, share, target in MEASURES
        if name in figures and figures[name].value is not None
    ]


def arranged(rows: Iterable[dict[str, Any]], **facts: Any) -> pd.DataFrame:
    """The rows of all tables, measure by measure."""
    order = [title for _, title, _, _ in MEASURES]
    found = sorted(rows, key=lambda row: order.index(row["measure"]))
    return estimates(found, COLUMNS, **facts)


def text(value: float, share: bool) -> str:
    """A figure as it stands beside its dot."""
    return percent(value) if share else number(value, 2)


def in_words(rows: pd.DataFrame) -> str:
    """All figures, for those who cannot see them."""
    told = []
    for measure, part in rows.groupby("measure", sort=False):
        each = ", ".join(
            f"{shorten(str(label), 50)} {f'{printing} ' if printing else ''}{text(value, share)}"
            for label, printing, value, share in zip(
                part["label"], part["printing"], part["value"], part["share"], strict=True
            )
        )
        told.append(f"{measure}: {each}.")
    return " ".join(told)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A panel a measure, a row a table, and in it a mark a printing with its interval."""
    phone = width_of(ax) < PHONE
    ax.set_axis_off()
    labels, printings = list(rows["label"].unique()), list(rows["printing"].unique())
    panels = list(rows.groupby("measure", sort=False))
    letters = 12 if phone else LETTERS
    names = [shorten(str(label), letters) for label in labels]
    left = (14 + 7.4 * max(map(len, names))) / width_of(ax)
    right = 14 / width_of(ax) if len(printings) > 1 else 64 / width_of(ax)
    pixels = TITLE + ROW * len(labels) + TICKS
    for place, (measure, part) in enumerate(panels):
        tall = 1 / len(panels)
        bottom = 1 - (place + 1) * tall + tall * TICKS / pixels
        height = tall * ROW * len(labels) / pixels
        line = ax.inset_axes((left, bottom, 1 - left - right, height))
        _scale(line, part, len(labels), phone)
        for row, name in enumerate(names):
            line.axhline(row, color=LINE, lw=0.8, zorder=0.5)
            write(
                line, name, (-0.02, row), coords=("axes fraction", "data"), ha="right", va="center"
            )
        for label, printing, value, low, high, share in zip(
            part["label"], part["printing"], part["value"], part["low"], part["high"],
            part["share"], strict=True,
        ):  # fmt: skip
            row = labels.index(label)
            kind = (TODAY, SUGGESTED, BANDS).index(printing) if len(printings) > 1 else 1
            y = row + (0.24 * (kind - 1) if len(printings) > 1 else 0.0)
            color = MUTED if kind == 0 else ACCENT
            known = bool(np.isfinite(low) and np.isfinite(high))
            if known:
                line.plot([low, high], [y, y], color=color, lw=2.6, alpha=0.5, zorder=2)
            line.plot(
                [value],
                [y],
                "D" if kind == 2 else "o",
                ms=5 if kind == 2 else 7,
                color=color,
                mfc=ACCENT if kind == 1 and known else PAPER,
                mew=1.6,
                zorder=4,
                clip_on=False,
            )
            if len(printings) == 1:
                said = text(value, share)
                at = (1.02, row)
                write(line, said, at, coords=("axes fraction", "data"), va="center", weight="bold")
        size = 11 if phone else 12.5
        head = bottom + height
        write(ax, str(measure), (0, head), (2, 8), "axes fraction", size=size, weight="bold")


def _scale(line: Axes, part: pd.DataFrame, rows: int, phone: bool) -> None:
    """Limits, ticks and the line where a measure would stand, if that is known."""
    target = float(part["target"].iloc[0])
    known = bool(np.isfinite(target))
    low, high = ends_of(part, target if known else float(part["value"].iloc[0]))
    pad = 0.08 * max(high - low, 0.02)
    line.set_xlim(low - pad, high + pad)
    line.set_ylim(rows - 0.5, -0.5)
    line.set_yticks([])
    line.grid(False)
    line.grid(True, axis="x")
    if known:
        line.axvline(target, color=INK, lw=1.1, ls=DASHES, zorder=1.5)
    line.spines["bottom"].set_visible(False)
    plain_axis(line.xaxis, 4 if phone else 7)
    if part["share"].iloc[0]:
        line.xaxis.set_major_formatter(percent_axis())


def frame(rows: pd.DataFrame, width: int) -> Frame:
    """Height for all panels."""
    panel = TITLE + ROW * rows["label"].nunique() + TICKS
    return Frame(height=6 + panel * rows["measure"].nunique(), top=4, bottom=2)


def columns(rows: pd.DataFrame) -> tuple[Column, ...]:
    """Of the table under the chart."""
    several = rows["printing"].nunique() > 1
    return (
        Column("measure", "Measure", "text"),
        Column("label", "Table", "text"),
        *([Column("printing", "Printing", "text")] if several else []),
        *interval_columns("Figure"),
    )
