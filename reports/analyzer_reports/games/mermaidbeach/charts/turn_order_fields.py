"""Mermaid Beach: whether going first matters however people play."""

from __future__ import annotations

import pandas as pd

from analyzer.statistics.tables import Fairness
from analyzer_reports.answers import Answer, by_table, summary_of
from analyzer_reports.chart import Words
from analyzer_reports.dots import dot_chart, equal_line, listed, rows_of


def data(answer: Answer) -> pd.DataFrame:
    """A row per table of strategies, the run itself first; none without further tables."""
    tables = by_table(answer, "turn_order")
    verdicts = [table.verdict for table in answer.tables] if isinstance(answer, Fairness) else []
    return rows_of(
        [(label, order.positions[0].win_share) for label, order in tables],
        **equal_line(1 / summary_of(answer).players),
        verdicts=verdicts,
    )


def words(rows: pd.DataFrame) -> Words:
    """Whether all tables agree on the first player."""
    verdicts = set(rows.attrs["verdicts"])
    if verdicts == {"first-player-favored"}:
        title = "Whichever of these ways people play, going first helps"
    elif verdicts == {"first-player-handicapped"}:
        title = "Whichever of these ways people play, going first hurts"
    elif verdicts <= {"no-difference-shown", "undecided"}:
        title = "At none of these tables is going first shown to matter"
    elif len(verdicts - {"undecided"}) == 1:
        title = "At some of these tables going first is shown to matter, at none the other way"
    else:
        title = "Whether going first matters depends on how people play"
    caption = (
        "Share of games won by whoever goes first, for each table of strategies, with the range "
        "that holds the true share in 95 of 100 runs."
    )
    return Words(title, caption, f"{title}. {listed(rows)}.")


CHART = dot_chart(
    "turn-order-by-table",
    data,
    words,
    axis="share of games won by the first player",
    headings=("Table", "Wins"),
)
