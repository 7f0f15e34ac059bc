"""Turn the Tide: is the distribution of life preservers fair?"""

from __future__ import annotations

from analyzer.contracts import Game
from analyzer.results import ResultSet
from analyzer.statistics.tables import Lifesavers, Measures


def flat_count(main: ResultSet) -> int:
    """N of the run ``allocation = flat:N`` that belongs to ``main``: the mean count, rounded."""
    raise NotImplementedError


def analyze(main: ResultSet, flat: ResultSet | None, game: Game) -> Lifesavers:
    """Every preserver figure; those that need the flat run are null without it."""
    raise NotImplementedError


def measures(lifesavers: Lifesavers) -> Measures:
    """The four measures a suggestion is judged by."""
    raise NotImplementedError
