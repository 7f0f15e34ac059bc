"""What charts and story of Switch 16 ask of an answer."""

from __future__ import annotations

from analyzer.games.switch16.figures import ExactChecks, ExactFigure, Greed, Risks
from analyzer.statistics.tables import Columns
from analyzer_reports.answers import Answer, figure_of


def greed_of(answer: Answer) -> Greed | None:
    """Whether throwing again pays and how games go, if that was played."""
    return figure_of(answer, "greed", Greed)


def risks_of(answer: Answer) -> Columns | None:
    """A row for every situation in which a risk can be taken, if it is known."""
    found = figure_of(answer, "risks", Risks)
    return None if found is None else found.table


def exact_of(answer: Answer) -> tuple[ExactFigure, ...]:
    """Figures with their exact values, where there are such."""
    found = figure_of(answer, "exact", ExactChecks)
    return () if found is None else found.checks
