"""What charts and story of Turn the Tide ask of an answer."""

from __future__ import annotations

from analyzer.games.turnthetide.figures import Lifesavers, Suggestion
from analyzer_reports.answers import Answer, figure_of


def lifesavers_of(answer: Answer) -> Lifesavers | None:
    """The figures on life preservers, if there are any."""
    return figure_of(answer, "lifesavers", Lifesavers)


def suggestion_of(answer: Answer) -> Suggestion | None:
    """A fairer printing, if there is one."""
    found = lifesavers_of(answer)
    return None if found is None else found.suggestion
