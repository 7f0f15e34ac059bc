"""How long games are: the turn in which they are won."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer_reports.answers import Answer, summary_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.games.switch16.answers import greed_of
from analyzer_reports.marks import (
    BY_COLUMN,
    PHONE,
    percent_axis,
    plain_axis,
    width_of,
    write,
    y_title,
)
from analyzer_reports.style import ACCENT, INK, SOFT
from analyzer_reports.words import number, percent, several

MOST = 0.995
"""Charts over turns end when so many games are decided."""


def shown(answer: Answer) -> pd.DataFrame:
    """The turns in which games are still won to speak of; without greed's figures none."""
    found = greed_of(answer)
    if found is None:
        return pd.DataFrame()
    rows = pd.DataFrame(found.turns)
    if rows.empty:  # nobody has won
        return rows
    late = rows["decided"].shift(fill_value=0.0) >= MOST
    frame = rows[~late].reset_index(drop=True)
    summary = summary_of(answer)
    frame.attrs.update(players=summary.players, one=summary.part, many=several(summary.part))
    return frame


def _turn(rows: pd.DataFrame, share: float) -> int:
    """The turn by whose end a share of games is decided."""
    return int(rows["turn"][rows["decided"] >= share].iloc[0])


def words(rows: pd.DataFrame) -> Words:
    """Half of all games are over by then."""
    half, early, late = (_turn(rows, share) for share in (0.5, 0.1, 0.9))
    many = rows.attrs["many"]
    title = f"Half of all {many} are won within {half} turns, one in ten takes more than {late}"
    caption = (
        f"Share of {many} won in each turn, all players' turns counted. The line marks where half "
        "of them are over."
    )
    alt = (
        f"{title}. One in ten is over within {early} turns; "
        f"{percent(float(rows['won'].iloc[0]))} in the very first."
    )
    return Words(title, caption, alt)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """Bars, and the median."""
    turns = rows["turn"].to_numpy()
    ax.stairs(rows["won"], np.append(turns, turns[-1] + 1) - 0.5, fill=True, color=SOFT, lw=0)
    half = _turn(rows, 0.5)
    ax.axvline(half, color=ACCENT, lw=2)
    right = half > turns[-1] / 2
    text = f"half are over after {number(half, 0)} turns"
    side, x = ("right", -6) if right else ("left", 6)
    write(ax, text, (half, 1), (x, -4), BY_COLUMN, ha=side, va="top", color=ACCENT, weight="bold")
    ax.set_xlim(turns[0] - 0.5, turns[-1] + 0.5)
    ax.set_ylim(0, float(rows["won"].max()) * 1.16)
    plain_axis(ax.yaxis, 4)
    plain_axis(ax.xaxis, 5 if width_of(ax) < PHONE else 9, whole=True)
    ax.yaxis.set_major_formatter(percent_axis(1 if rows["won"].max() < 0.03 else 0))
    ax.set_xlabel(f"turn in which the {rows.attrs['one']} is won", color=INK, alpha=0.75)
    y_title(ax, f"share of {rows.attrs['many']}")


CHART = Chart(
    name="turns",
    data=shown,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("turn", "Turn", "count"),
        Column("won", "Won in it", "percent", 2),
        Column("decided", "Won so far", "percent", 1),
    ),
    frame=lambda rows, width: Frame(height=280 if width >= PHONE else 250, left=48, bottom=50),
)
