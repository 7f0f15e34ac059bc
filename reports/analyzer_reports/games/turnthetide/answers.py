"""What charts and story of Turn the Tide ask of an answer."""

from __future__ import annotations

from analyzer.games.turnthetide.figures import Lifesavers, Suggestion
from analyzer.statistics.tables import Fairness, FieldFairness
from analyzer_reports.answers import Answer, figure_of


def lifesavers_of(answer: Answer) -> Lifesavers | None:
    """The figures on life preservers, if there are any."""
    return figure_of(answer, "lifesavers", Lifesavers)


def suggestion_of(answer: Answer) -> Suggestion | None:
    """A fairer printing, if there is one."""
    found = lifesavers_of(answer)
    return None if found is None else found.suggestion


def by_strength(answer: Answer) -> list[FieldFairness]:
    """All judged tables, the weakest players first where it is known how they do against others."""
    if not isinstance(answer, Fairness):
        return []
    tables = list(answer.tables)
    shares = [
        answer.strengths[table.summary.lineup[0]].value
        if len(set(table.summary.lineup)) == 1 and table.summary.lineup[0] in answer.strengths
        else None
        for table in tables
    ]
    if None in shares:
        return tables
    order = sorted(range(len(tables)), key=lambda i: shares[i] or 0.0)
    return [tables[i] for i in order]
