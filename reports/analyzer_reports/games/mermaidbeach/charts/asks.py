"""Mermaid Beach: how often a question is met, by who asks."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analyzer.games.mermaidbeach.figures import Asking
from analyzer_reports.answers import Answer, equal_players, figure_of, summary_of
from analyzer_reports.chart import Words
from analyzer_reports.dots import dot_chart, ends_apart, listed, rows_of
from analyzer_reports.games.mermaidbeach.charts.caught import label_of
from analyzer_reports.words import capital, figure, percent, shorten


def data(answer: Answer) -> pd.DataFrame:
    """A row per seat or, under rotation, strategy; a single one where all are equal."""
    found = figure_of(answer, "asking", Asking)
    if found is None or found.success.value is None:
        return rows_of([])
    facts: dict[str, Any] = {
        "line": found.success.value,
        "line_name": f"all questions {percent(found.success.value)}",
        "met": figure(found.success, share=True),
    }
    known = [player.asks.value for player in found.players if player.asks.value is not None]
    often = sum(known) / len(known) if known else 0.0
    if equal_players(summary_of(answer)):
        label = f"Each of {len(found.players)} equal players"
        return rows_of([(label, found.success)], often=often, **facts)
    alike = len({player.strategy for player in found.players}) == 1
    return rows_of(
        [
            (f"Seat {player.seat}" if alike and player.seat else label_of(player), player.success)
            for player in found.players
        ],
        often=often,
        **facts,
    )


def words(rows: pd.DataFrame) -> Words:
    """Whether some ask better than others."""
    ranked = rows.sort_values("value")
    worst, best = ranked.iloc[0], ranked.iloc[-1]
    if ends_apart(rows):
        title = (
            f"{shorten(str(best['label']), 32)} gets what it asks for in {best['said']} of "
            f"questions, {shorten(str(worst['label']), 32)} in {worst['said']}"
        )
    else:
        title = f"{rows.attrs['met']} of questions are met"
        if len(rows) > 1:
            title += "; nobody is shown to ask better than another"
    often = rows.attrs["often"]
    caption = (
        "Share of questions that are met: the opponent who is asked has the card. A player asks "
        f"{often:.1f} times a game on average."
    )
    title = capital(title)
    return Words(title, caption, f"{title}. {listed(rows)}.")


CHART = dot_chart("questions", data, words, axis="share of questions met", headings=("Who", "Met"))
