"""A fairer printing of the life preservers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzer.statistics.tables import Lifesavers, Suggestion


def suggest_halves(worth_flat: Sequence[float], gift: float, total: int) -> tuple[int, ...]:
    """Half-counts for cards 1..60 with the given total."""
    raise NotImplementedError


def to_bands(halves: Sequence[int], bands: int = 5) -> tuple[int, ...]:
    """The nearest printing that has one count in each of the bands of equal width."""
    raise NotImplementedError


def settle(
    printing: Sequence[int],
    evaluate: Callable[[tuple[int, ...]], Lifesavers],
    limit: int = 6,
) -> Suggestion:
    """Suggest, simulate, estimate again, until the printing stands.

    ``evaluate(halves)`` simulates a printing (main and flat run) and returns its figures; it is
    called at most once for each printing.
    """
    raise NotImplementedError
