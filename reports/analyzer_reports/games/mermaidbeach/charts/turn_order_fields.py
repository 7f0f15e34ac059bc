"""Mermaid Beach: whether going first matters however people play."""

from __future__ import annotations

import pandas as pd

from analyzer.statistics.tables import Fairness
from analyzer_reports.answers import Answer, by_table, summary_of
from analyzer_reports.chart import Words
from analyzer_reports.dots import dot_chart, equal_line, listed, rows_of

FIRST = "first_player_win_share"


def data(answer: Answer) -> pd.DataFrame:
    """A row per table of strategies, the run itself first; none without further tables."""
    tables = by_table(answer, "turn_order")
    every = answer.tables if isinstance(answer, Fairness) and tables else ()
    # What another place wins says nothing of the first one.
    verdicts = [t.verdict if t.verdict != "turn-order-matters" else "undecided" for t in every]
    # Of one player, so with the interval that its share has everywhere else.
    return rows_of(
        [
            (label, table.summary.metrics[FIRST])
            for (label, _), table in zip(tables, every, strict=True)
        ],
        **equal_line(tables[0][1].equal if tables else summary_of(answer).equal_share),
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
        (shown,) = verdicts - {"undecided"}
        how = "helps" if shown == "first-player-favored" else "hurts"
        title = f"At some of these tables going first {how}, at the others that is undecided"
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
