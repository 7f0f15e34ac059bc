"""Mermaid Beach: how often the first player wins, as games accumulate."""

from __future__ import annotations

import itertools

import pandas as pd
from matplotlib.axes import Axes

from analyzer.games.mermaidbeach.figures import TurnOrder
from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.marks import (
    DASHES,
    PHONE,
    estimates,
    games_axis,
    over_games_frame,
    percent_axis,
    plain_axis,
    width_of,
    y_title,
)
from analyzer_reports.style import ACCENT, INK
from analyzer_reports.words import percent, plural

COLUMNS = ("games", "value", "low", "high")


def data(answer: Answer) -> pd.DataFrame:
    """A row per game count at which the first player's share was estimated."""
    found = figure_of(answer, "turn_order", TurnOrder)
    if found is None or len(found.history["games"]) < 2:
        return estimates([], COLUMNS)
    rows = pd.DataFrame(found.history).rename(columns={"win_share": "value"})[list(COLUMNS)]
    rows = rows.astype({"value": float, "low": float, "high": float}).dropna(subset=["value"])
    rows.attrs["equal"] = found.equal
    return rows.sort_values("games").reset_index(drop=True)


def words(rows: pd.DataFrame) -> Words:
    """On which side of the equal share it has stayed, and since when."""
    last, equal = rows.iloc[-1], rows.attrs["equal"]
    above, below = rows["low"] > equal, rows["high"] < equal
    stays = list(above if above.iloc[-1] else below)
    if not stays[-1]:
        title = (
            f"After {plural(int(last['games']), 'game')} the first player's share may still be an "
            "equal one"
        )
    else:
        stood = len(list(itertools.takewhile(bool, reversed(stays))))
        side = "above" if above.iloc[-1] else "below"
        title = (
            f"The first player's share has stayed {side} an equal one since game "
            f"{int(rows['games'].iloc[-stood]):,}"
        )
    caption = (
        "Share of games won by whoever goes first, as games are added, with the range the true "
        f"share lies in. Dashed: the equal share, {percent(equal)}."
    )
    alt = f"{title}. The estimate ends at {percent(last['value'], 2)}."
    return Words(title, caption, alt)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """The estimate and its interval, against the equal share."""
    equal = rows.attrs["equal"]
    ax.set_xscale("log")
    ax.fill_between(rows["games"], rows["low"], rows["high"], color=ACCENT, alpha=0.22, lw=0)
    ax.plot(rows["games"], rows["value"], "o-", color=ACCENT, ms=4.5, zorder=4)
    ax.axhline(equal, color=INK, lw=1.1, ls=DASHES, zorder=1)
    ax.margins(y=0.1)
    games_axis(ax, rows, width_of(ax) < PHONE)
    plain_axis(ax.yaxis, 5)
    low, high = ax.get_ylim()
    ax.yaxis.set_major_formatter(percent_axis(1 if high - low < 0.05 else 0))
    y_title(ax, "share of games won")


CHART = Chart(
    name="settling-first-player",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("games", "Games", "count"),
        Column("value", "Wins", "percent", 2),
        Column("low", "from", "percent", 2),
        Column("high", "to", "percent", 2),
    ),
    frame=over_games_frame,
)
