"""Distribution of final scores, one small picture a player; seats that are alike are one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer.statistics.tables import Summary
from analyzer_reports.answers import Answer, equal_players, numbered, people, summary_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.marks import (
    PHONE,
    estimates,
    percent_axis,
    plain_axis,
    player_columns,
    width_of,
    write,
)
from analyzer_reports.style import ACCENT, LINE, SOFT
from analyzer_reports.words import capital, known, number, percent, shorten

COLUMNS = ("player", "score", "games", "share")
MANY = 1 / 3
"""Share of all final scores from which a single one is told of."""
SMALL = 118
"""Height of one small picture with its label, in pixels."""


def data(answer: Answer) -> pd.DataFrame:
    """A row per player and score that occurred; ``labels`` and ``means`` stand in ``attrs``."""
    summary = summary_of(answer)
    counts = numbered(pd.DataFrame(summary.scores))
    frame = counts[counts["games"] > 0][["player", "score", "games"]].copy()
    if frame.empty:
        return estimates([], COLUMNS)
    labels = dict(enumerate((label for label, _ in people(summary)), start=1))
    if equal_players(summary):
        frame = frame.groupby("score")[["games"]].sum().reset_index()
        frame.insert(0, "player", 1)
        labels = {1: f"Each of {summary.players} equal players"}
    totals = frame.groupby("player")["games"].transform("sum")
    frame["share"] = frame["games"] / totals
    frame.attrs.update(
        labels=labels,
        apart=_apart(summary),
        one=summary.whole,
        means={
            player: float(np.average(part["score"], weights=part["games"]))
            for player, part in frame.groupby("player")
        },
    )
    return frame.reset_index(drop=True)


def _hollow(rows: pd.DataFrame) -> bool:
    """Whether scores are mostly low or high: their middle third is the rarest by a fifth or more.

    Thirds of the scores between the 5th and the 95th percentile.
    """
    totals = rows.groupby("score")["games"].sum().sort_index()
    reached = totals.cumsum() / totals.sum()
    low, high = (int(reached.index[reached >= part][0]) for part in (0.05, 0.95))
    if high - low < 5:
        return False
    ends = np.linspace(low - 0.5, high + 0.5, 4)
    lower, middle, upper = (
        float(totals[(totals.index > a) & (totals.index < b)].sum()) for a, b in pairwise(ends)
    )
    return middle < 0.8 * min(lower, upper)


def _apart(summary: Summary) -> bool:
    """Whether the best and the worst mean score differ for sure, and by a point or more."""
    scores = [player.mean_score for _, player in people(summary)]
    if not all(known(score) for score in scores):
        return False
    best, worst = max(s.low or 0.0 for s in scores), min(s.high or 0.0 for s in scores)
    return best - worst >= 1


def _middle(rows: pd.DataFrame) -> tuple[int, int, float]:
    """The first and third quartile of all scores, and the share of them from one to the other."""
    totals = rows.groupby("score")["games"].sum().sort_index()
    reached = totals.cumsum() / totals.sum()
    low, high = (int(reached.index[reached >= part][0]) for part in (0.25, 0.75))
    return low, high, float(totals.loc[low:high].sum() / totals.sum())


def _usual(rows: pd.DataFrame) -> tuple[int, float]:
    """The score that most players end with, and the share of them that does."""
    totals = rows.groupby("score")["games"].sum()
    scores, games = totals.index.to_numpy(), totals.to_numpy()
    return int(scores[games.argmax()]), float(games.max() / games.sum())


def words(rows: pd.DataFrame) -> Words:
    """How far scores spread, or who scores most where that differs clearly."""
    means, labels = rows.attrs["means"], rows.attrs["labels"]
    low, high, within = _middle(rows)
    least, most = int(rows["score"].min()), int(rows["score"].max())
    usual = _usual(rows)
    best, worst = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
    if rows.attrs["apart"]:
        title = (
            f"{shorten(labels[best], 30)} averages {number(means[best], 1)} points a "
            f"{rows.attrs['one']}, {shorten(labels[worst], 30)} only {number(means[worst], 1)}"
        )
    elif usual[1] >= MANY:
        title = f"{percent(usual[1], 0)} of players end with {number(usual[0], 0)}"
    elif _hollow(rows):
        title = "Final scores are mostly low or high, and less often in between"
    elif low == high:
        title = f"{percent(within, 0)} of all final scores are {number(low, 0)}"
    else:
        title = (
            f"{percent(within, 0)} of all final scores are from {number(low, 0)} to "
            f"{number(high, 0)} points"
        )
    title = capital(title)
    caption = "How often each final score occurs. The line marks the average."
    if usual[1] >= MANY and rows.attrs["apart"]:
        caption += f" {percent(usual[1], 0)} of players end with {number(usual[0], 0)}."
    alt = (
        f"{title}. Scores run from {number(least, 0)} to {number(most, 0)}. Averages: "
        + "; ".join(
            f"{shorten(labels[player], 40)} {number(mean, 2)}" for player, mean in means.items()
        )
    )
    return Words(title, caption, f"{alt}.")


def _grid(players: int, width: float) -> tuple[int, int]:
    """Rows and columns of small pictures."""
    columns = 1 if width < PHONE else 2 if players in (2, 4) else min(3, players)
    return -(-players // columns), columns


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """Small multiples on shared axes, so that they compare at a glance."""
    labels, means = rows.attrs["labels"], rows.attrs["means"]
    lines, columns = _grid(len(labels), width_of(ax))
    ax.set_axis_off()
    least, most = int(rows["score"].min()), int(rows["score"].max())
    top = float(rows["share"].max()) * 1.12
    gap = 0.06 if columns > 1 else 0.0
    wide = (1 - gap * (columns - 1)) / columns
    for place, (player, part) in enumerate(rows.groupby("player")):
        line, column = divmod(place, columns)
        tall = 1 / lines
        small = ax.inset_axes(
            (column * (wide + gap), 1 - (line + 1) * tall, wide, tall * 0.7), zorder=2
        )
        heights = np.zeros(most - least + 1)
        heights[part["score"].to_numpy() - least] = part["share"]
        small.stairs(heights, np.arange(least, most + 2) - 0.5, fill=True, color=SOFT, lw=0)
        small.axvline(means[player], color=ACCENT, lw=2)
        small.set_ylim(0, top)
        small.set_xlim(least - 0.7, most + 0.7)
        small.spines["bottom"].set_color(LINE)
        small.set_yticks([])
        small.grid(False)
        plain_axis(small.xaxis, 6, whole=True)
        small.yaxis.set_major_formatter(percent_axis())
        label = shorten(labels[player], (24, 28, 14)[columns - 1])
        average = f"average {number(means[player], 1)}"
        looks = {"ha": "right", "color": ACCENT, "weight": "bold", "size": 12}
        write(small, label, (0, 1), (0, 5), "axes fraction")
        write(small, average, (1, 1), (0, 5), "axes fraction", **looks)
        if line < lines - 1 and place + columns < len(labels):
            small.set_xticklabels([])
    scores = f"points at the end of the {rows.attrs['one']}"
    write(ax, scores, (0.5, 0), (0, -38), "axes fraction", ha="center", alpha=0.75)


def _table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per score, a column per player."""
    return rows.pivot(index="score", columns="player", values="share").fillna(0.0).reset_index()


def _columns(rows: pd.DataFrame) -> tuple[Column, ...]:
    return (Column("score", "Score", "count"), *player_columns(rows)[0])


def frame(rows: pd.DataFrame, width: int) -> Frame:
    """As many lines of small pictures as the players need."""
    lines, _ = _grid(len(rows.attrs["labels"]), width)
    return Frame(height=60 + SMALL * lines, top=4, bottom=48)


CHART = Chart(
    name="final-scores",
    data=data,
    draw=draw,
    words=words,
    columns=_columns,
    frame=frame,
    table=_table,
)
