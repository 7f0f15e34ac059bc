"""Mermaid Beach: how often players win who hold the sea monster at the end."""

from __future__ import annotations

import pandas as pd

from analyzer.games.mermaidbeach.figures import Monster, TurnOrder
from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Words
from analyzer_reports.dots import dot_chart, equal_line, listed, rows_of
from analyzer_reports.words import figure


def data(answer: Answer) -> pd.DataFrame:
    """Two rows: players who hold a monster when the game ends, and all others."""
    found = figure_of(answer, "monster", Monster)
    order = figure_of(answer, "turn_order", TurnOrder)
    if found is None or order is None or found.win_share_with.value is None:
        return rows_of([])
    return rows_of(
        [("With the monster", found.win_share_with), ("Without it", found.win_share_without)],
        points=figure(found.points),
        **equal_line(order.equal),
    )


def words(rows: pd.DataFrame) -> Words:
    """Whether the two ranges are apart."""
    with_it, without = rows.iloc[0], rows.iloc[-1]
    if len(rows) == 2 and with_it["high"] < without["low"]:
        title = (
            f"A player who holds the monster at the end wins {with_it['said']} of games, one who "
            f"does not {without['said']}"
        )
    elif len(rows) == 2 and with_it["low"] > without["high"]:
        title = (
            "Whoever holds the monster at the end wins more often all the same: "
            f"{with_it['said']} of games, one who does not {without['said']}"
        )
    else:
        title = "Holding the monster at the end is not shown to go with winning more or less"
    caption = (
        "Share of games won by players who hold a sea monster when the game ends, and by all "
        f"others. It eats the holder's best shells, {rows.attrs['points']} points on average."
    )
    return Words(title, caption, f"{title}. {listed(rows)}.")


CHART = dot_chart("monster", data, words, axis="share of games won", headings=("Player", "Wins"))
