"""Mermaid Beach: whom the sea monster catches."""

from __future__ import annotations

import pandas as pd

from analyzer.games.mermaidbeach.figures import Asker, Caught, Monster
from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Words
from analyzer_reports.dots import dot_chart, ends_apart, listed, rows_of
from analyzer_reports.words import capital, percent, shorten


def data(answer: Answer) -> pd.DataFrame:
    """A row per seat or, under rotation, strategy; none where all play alike."""
    found = figure_of(answer, "monster", Monster)
    players = () if found is None else found.players
    if len({player.strategy for player in players}) < 2:
        return rows_of([])
    known = [player.held.value for player in players if player.held.value is not None]
    mean = sum(known) / len(known) if known else 0.0
    return rows_of(
        [(label_of(player), player.held) for player in players],
        line=mean,
        line_name=f"mean {percent(mean)}",
    )


def label_of(player: Asker | Caught) -> str:
    """A strategy, with its seat where seats are compared."""
    if player.seat is None:
        return player.strategy
    return f"{player.strategy} (seat\N{NO-BREAK SPACE}{player.seat})"


def words(rows: pd.DataFrame) -> Words:
    """Who is caught least, as far as the intervals tell."""
    ranked = rows.sort_values("value")
    least, most = ranked.iloc[0], ranked.iloc[-1]
    if ends_apart(rows):
        title = (
            f"The monster catches {shorten(str(most['label']), 32)} in {most['said']} of games, "
            f"{shorten(str(least['label']), 32)} in {least['said']}"
        )
    else:
        title = "The monster is not shown to catch one way of playing more than another"
    caption = (
        "Share of games at whose end a player holds a sea monster, with the range the true share "
        "lies in."
    )
    title = capital(title)
    return Words(title, caption, f"{title}. {listed(rows)}.")


CHART = dot_chart(
    "caught", data, words, axis="share of games with a monster in hand", headings=("Who", "Caught")
)
