"""Mermaid Beach: whether going first matters however people play."""

from __future__ import annotations

import pandas as pd

from analyzer_reports.answers import Answer, by_table, summary_of
from analyzer_reports.chart import Words
from analyzer_reports.dots import dot_chart, equal_line, listed, rows_of


def data(answer: Answer) -> pd.DataFrame:
    """A row per table of strategies, the run itself first; none without further tables."""
    tables = by_table(answer, "turn_order")
    return rows_of(
        [(label, order.positions[0].win_share) for label, order in tables],
        **equal_line(1 / summary_of(answer).players),
    )


def words(rows: pd.DataFrame) -> Words:
    """Whether all tables agree on the first player."""
    line = rows.attrs["line"]
    sides = set((rows["low"] > line).astype(int) - (rows["high"] < line).astype(int))
    if sides == {1}:
        title = "Whichever of these ways people play, going first helps"
    elif sides == {-1}:
        title = "Whichever of these ways people play, going first hurts"
    elif sides == {0}:
        title = "At none of these tables is an effect of going first certain"
    else:
        title = "Whether going first matters depends on how people play"
    caption = (
        "Share of games won by whoever goes first, for each table of strategies, with the range "
        "the true share lies in."
    )
    return Words(title, caption, f"{title}. {listed(rows)}.")


CHART = dot_chart(
    "turn-order-by-table",
    data,
    words,
    axis="share of games won by the first player",
    headings=("Table", "Wins"),
)
