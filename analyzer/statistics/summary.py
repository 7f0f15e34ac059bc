"""The figures that every game has: who wins how often, and what it scores."""

from __future__ import annotations

from analyzer.contracts import Game
from analyzer.results import ResultSet
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.tables import Summary


def summarize(
    result: ResultSet, game: Game, sequence: WinShareSequence | None = None
) -> Summary:
    """Every figure of `analyzer simulate`."""
    raise NotImplementedError
