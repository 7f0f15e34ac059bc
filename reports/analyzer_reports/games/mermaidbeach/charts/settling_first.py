"""Mermaid Beach: how often the first player wins, as games accumulate."""

from __future__ import annotations

import itertools

import pandas as pd
from matplotlib.axes import Axes

from analyzer.games.mermaidbeach.figures import TurnOrder
from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.games.mermaidbeach.answers import order_confounded
from analyzer_reports.marks import (
    DASHES,
    PHONE,
    games_axis,
    history_rows,
    interval_columns,
    over_games,
    over_games_frame,
    percent_axis,
    plain_axis,
    width_of,
    y_title,
)
from analyzer_reports.style import INK
from analyzer_reports.words import percent, plural


def data(answer: Answer) -> pd.DataFrame:
    """A row per game count at which the first player's share was estimated."""
    found = figure_of(answer, "turn_order", TurnOrder)
    # Where places differ in strategy, too, the first one's share says nothing of going first.
    if found is None or order_confounded(answer):
        return pd.DataFrame()
    rows = history_rows(found.history, "win_share")
    rows.attrs["equal"] = found.equal
    return rows


def words(rows: pd.DataFrame) -> Words:
    """On which side of the equal share its range lies, and since when."""
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
            f"From game {int(rows['games'].iloc[-stood]):,} on, the range of the first player's "
            f"share lies {side} an equal one"
        )
    caption = (
        "Share of games won by whoever goes first, as games are added, with the range the true "
        f"share lies in. Dashed: the equal share, {percent(equal)}."
    )
    alt = f"{title}. The estimate ends at {percent(last['value'], 2)}."
    return Words(title, caption, alt)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """The estimate and its interval, against the equal share."""
    over_games(ax, rows)
    ax.axhline(rows.attrs["equal"], color=INK, lw=1.1, ls=DASHES, zorder=1)
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
        *interval_columns("Wins", "percent", 2),
    ),
    frame=over_games_frame,
)
