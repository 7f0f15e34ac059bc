"""A frozen description of one run: what is played, by whom, under which rules, how often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.contracts import BLOCKS
from analyzer.errors import UsageError
from analyzer.kernels.random import MAX_SEED
from analyzer.plain import item, items
from analyzer.seating import distinct_seatings, seating_number

__all__ = ["BLOCKS", "MAX_GAMES", "Experiment", "Task"]

MAX_GAMES = 2**48


@dataclass(frozen=True)
class Task:
    """A run of consecutive games, played by one worker."""

    first: int
    count: int


@dataclass(frozen=True)
class Experiment:
    """What is played; two equal experiments give the same bytes.

    Attributes
    ----------
    game
        Name of the game.
    strategies
        Canonical specs, one a seat; with ``rotate`` their order means nothing.
    rules
        Every setting in force.
    games
        How many games, 1 to 2^48.
    seed
        0 to 2^63-1.
    detail
        Which of the game's sums are kept: ``"simulate"``, ``"fairness"``, or what else the game's
        own study asks for.
    rotate
        Whether all distinct seatings of the strategies are played equally often.
    """

    game: str
    strategies: tuple[str, ...]
    rules: Mapping[str, Any]
    games: int
    seed: int
    detail: str = "simulate"
    rotate: bool = False

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 1 <= self.games <= MAX_GAMES:
            raise UsageError(f"games must be from 1 to {MAX_GAMES}; given {self.games}.")
        if not 0 <= self.seed <= MAX_SEED:
            raise UsageError(f"seed must be from 0 to {MAX_SEED}; given {self.seed}.")

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.strategies)

    @property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        """Every arrangement that is played: the spec in each seat."""
        return distinct_seatings(self.strategies) if self.rotate else (self.strategies,)

    def seating_of(self, game: int) -> tuple[str, ...]:
        """Spec in each seat in a game."""
        seatings = self.seatings
        return seatings[seating_number(game, len(seatings))]

    @property
    def holders(self) -> tuple[str, ...]:
        """Whose figures are kept apart where strategies change seats: each strategy once."""
        return tuple(sorted(set(self.strategies)))

    @property
    def period(self) -> int:
        """Games in which every seating comes once in every block; 256 where nobody moves."""
        return BLOCKS * len(self.seatings)

    def to_json(self) -> dict[str, Any]:
        """The whole description as plain data."""
        return {**vars(self), "strategies": list(self.strategies), "rules": dict(self.rules)}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Experiment:
        """The experiment that `to_json` described.

        Raises
        ------
        KeyError, TypeError
            If the data are not of the keys and types that it wrote.
        UsageError
            If a number is out of range.
        """
        kinds: dict[str, type] = {"game": str, "games": int, "seed": int, "detail": str}
        kinds |= {"rotate": bool, "rules": dict}
        for name, kind in kinds.items():
            item(data, name, kind)
        return Experiment(**{**data, "strategies": items(data, "strategies", str)})

    def tasks(self, start: int, size: int, stops: tuple[int, ...] = ()) -> Iterator[Task]:
        """Split the games from ``start`` on into tasks of at most ``size`` games.

        ``stops`` are game counts at which a task must end, in rising order: history points and
        checkpoints.
        """
        ends = sorted({s for s in stops if start < s < self.games} | {self.games})
        first = start
        for end in ends:
            while first < end:
                count = min(size, end - first)
                yield Task(first, count)
                first += count
