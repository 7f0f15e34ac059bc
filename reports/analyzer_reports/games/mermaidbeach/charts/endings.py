"""Mermaid Beach: how games end."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer.games.mermaidbeach.figures import Endings
from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.dots import listed, rows_of
from analyzer_reports.marks import (
    PHONE,
    interval_columns,
    percent_axis,
    plain_axis,
    width_of,
    write,
)
from analyzer_reports.style import ACCENT, SOFT

LABELS = ("A player runs out of cards", "A player holds the monster alone", "Stopped unfinished")


def data(answer: Answer) -> pd.DataFrame:
    """A row per way to end; games without an end only if there are any."""
    found = figure_of(answer, "endings", Endings)
    if found is None:
        return rows_of([])
    shares = [found.out_of_cards, found.monster_alone]
    if found.unfinished.value:
        shares.append(found.unfinished)
    return rows_of(list(zip(LABELS, shares, strict=False)))


def words(rows: pd.DataFrame) -> Words:
    """Which way is the usual one."""
    usual = rows.sort_values("value").iloc[-1]
    said = {
        LABELS[0]: "end because a player runs out of cards",
        LABELS[1]: "end because a player is left with the monster alone",
        LABELS[2]: "are stopped before they end",
    }
    title = f"{usual['said']} of games {said[str(usual['label'])]}"
    caption = "Share of games by what ended them."
    return Words(title, caption, f"{title}. {listed(rows)}.")


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A bar each, named above it, its figure at its end."""
    places = np.arange(len(rows))
    usual = rows["value"].to_numpy() == rows["value"].max()
    ax.barh(places, rows["value"], height=0.42, color=np.where(usual, ACCENT, SOFT))
    ax.set_ylim(len(rows) - 0.5, -0.75)
    ax.set_yticks([])
    ax.grid(False)
    ax.set_xlim(0, 1)
    bars = zip(rows["label"], rows["value"], rows["said"], strict=True)
    for place, (label, value, said) in enumerate(bars):
        write(ax, label, (0, place - 0.27), (0, 3), va="bottom")
        write(ax, said, (value, place), (7, 0), va="center_baseline", weight="bold")
    plain_axis(ax.xaxis, 3 if width_of(ax) < PHONE else 6)
    ax.xaxis.set_major_formatter(percent_axis())
    ax.set_xlabel("share of games")


CHART = Chart(
    name="endings",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("label", "What ended it", "text"),
        *interval_columns("Games", "percent", 2),
    ),
    frame=lambda rows, width: Frame(
        height=76 + 56 * len(rows), left=12, right=76, top=12, bottom=50
    ),
)
