"""Intervals that hold while one looks."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.results import Checkpoint
from analyzer.statistics.tables import Estimate


class WinShareSequence:
    """Stops a run when every seat's 95% half-width of win share is at most ``precision``."""

    def __init__(self, players: int, precision: float) -> None:
        raise NotImplementedError

    @property
    def reached(self) -> bool:
        """Whether the precision is reached at the last checkpoint seen."""
        raise NotImplementedError

    def checkpoints(self, games: int) -> tuple[int, ...]:
        """Game counts at which to look, fixed in advance; the last one is ``games``."""
        raise NotImplementedError

    def observe(self, point: Checkpoint) -> bool:
        """Take in the next checkpoint; True when the precision is reached."""
        raise NotImplementedError

    def replay(self, points: Sequence[Checkpoint]) -> WinShareSequence:
        """Take in the checkpoints of a saved run, from the first; returns itself."""
        raise NotImplementedError

    def intervals(self, latest: Checkpoint | None = None) -> tuple[Estimate, ...]:
        """Each seat's win share and interval, at the last checkpoint or at ``latest``, later."""
        raise NotImplementedError
