"""Mermaid Beach: how often a question is met, by who asks."""

from __future__ import annotations

import pandas as pd

from analyzer.games.mermaidbeach.figures import Asking
from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Words
from analyzer_reports.dots import dot_chart, listed, rows_of
from analyzer_reports.games.mermaidbeach.charts.caught import label_of
from analyzer_reports.words import figure, percent, shorten


def data(answer: Answer) -> pd.DataFrame:
    """A row per seat or, under rotation, strategy."""
    found = figure_of(answer, "asking", Asking)
    if found is None or found.success.value is None:
        return rows_of([])
    alike = len({player.strategy for player in found.players}) == 1
    rows = rows_of(
        [
            (f"Seat {player.seat}" if alike and player.seat else label_of(player), player.success)
            for player in found.players
        ],
        line=found.success.value,
        line_name=f"all questions {percent(found.success.value)}",
        met=figure(found.success, share=True),
    )
    asks = [player.asks.value for player in found.players if player.success.value is not None]
    rows["asks"] = pd.Series(asks, dtype=float)
    return rows


def words(rows: pd.DataFrame) -> Words:
    """Whether some ask better than others."""
    ranked = rows.sort_values("value")
    worst, best = ranked.iloc[0], ranked.iloc[-1]
    if worst["high"] < best["low"]:
        title = (
            f"{shorten(str(best['label']), 32)} gets what it asks for in {best['said']} of "
            f"questions, {shorten(str(worst['label']), 32)} in {worst['said']}"
        )
    else:
        title = f"{rows.attrs['met']} of questions are met, whoever asks"
    often = rows["asks"].mean()
    caption = (
        "Share of questions that are met: the opponent who is asked has the card. A player asks "
        f"{often:.1f} times a game on average."
    )
    return Words(title, caption, f"{title}. {listed(rows)}.")


CHART = dot_chart("questions", data, words, axis="share of questions met", headings=("Who", "Met"))
