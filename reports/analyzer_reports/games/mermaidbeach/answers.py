"""What charts and story of Mermaid Beach ask of an answer."""

from __future__ import annotations

from analyzer.games.mermaidbeach.figures import TurnOrder
from analyzer.statistics.tables import Fairness
from analyzer_reports.answers import Answer, figure_of


def order_confounded(answer: Answer) -> bool:
    """Whether strategies differ by seat, so that places say nothing of going first."""
    found = figure_of(answer, "turn_order", TurnOrder)
    seats = isinstance(answer, Fairness) and answer.seats_test.confounded
    return seats or (found is not None and found.confounded)
