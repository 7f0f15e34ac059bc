"""What charts and story of Switch 16 ask of an answer."""

from __future__ import annotations

from analyzer.games.switch16.figures import Greed
from analyzer_reports.answers import Answer, figure_of


def greed_of(answer: Answer) -> Greed | None:
    """Whether throwing again pays and how games go, if that was played."""
    return figure_of(answer, "greed", Greed)
