"""A frozen description of one run: what is played, by whom, under which rules, how often."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from analyzer.contracts import BLOCKS, WHOLE_WIN
from analyzer.errors import UsageError
from analyzer.kernels.random import MAX_SEED
from analyzer.plain import item, items, typed
from analyzer.seating import distinct_seatings, seating_number

__all__ = [
    "BLOCKS",
    "MAX_GAMES",
    "Contest",
    "Contrast",
    "Entry",
    "Experiment",
    "Opponents",
    "Replays",
    "Task",
    "Weights",
]

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
    def specs(self) -> tuple[str, ...]:
        """Every strategy that plays anywhere, once."""
        return tuple(dict.fromkeys(self.strategies))

    @property
    def watched(self) -> int:
        """How many means a stopping rule watches: of strategies that change seats, or of seats."""
        return len(self.holders) if self.rotate and len(self.holders) > 1 else self.players

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
        """The experiment, contrast, contest or replays that `to_json` described.

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
        plain = {**data, "strategies": items(data, "strategies", str)}
        several: dict[str, type[Experiment]] = {
            "fields": Contrast,
            "tables": Contest,
            "kept": Replays,
        }
        for name, played in several.items():
            if name in data:
                plain[name] = tuple(
                    tuple(typed(name_, "a name", str) for name_ in one)
                    for one in items(data, name, list)
                )
                return played(**plain)
        return Experiment(**plain)

    def tasks(
        self, start: int, size: int | Callable[[], int], stops: tuple[int, ...] = ()
    ) -> Iterator[Task]:
        """Split the games from ``start`` on into tasks of at most ``size`` games.

        A size that can be called is asked for anew for each task, which then ends where a period or
        a round of the blocks does, if one does within that size. ``stops`` are game counts at which
        a task must end, in rising order: history points and checkpoints.
        """
        ends = sorted({s for s in stops if start < s < self.games} | {self.games})
        first = start
        for end in ends:
            while first < end:
                last = min(end, first + (size() if callable(size) else size))
                if callable(size) and last < end:
                    wholes = (last // unit * unit for unit in (self.period, BLOCKS))
                    last = next((whole for whole in wholes if whole > first), last)
                yield Task(first, last - first)
                first = last


class Opponents(NamedTuple):
    """Those at the table with the one seat that A and B are compared in.

    Attributes
    ----------
    others
        Their specs, P - 1 of them: to the left of the seat, and on.
    a, b
        Who sits where when A, or B, has each of the P seats. Empty where nothing has to be played:
        among its equals a strategy wins 1 / P in the mean over the seats.
    """

    others: tuple[str, ...]
    a: tuple[tuple[str, ...], ...]
    b: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Contrast(Experiment):
    """Two strategies in the same seat, among the same opponents, on the same chance.

    Every game number is played with A and with B in each seat: among Bs, among As, and among each
    of the further fields. ``strategies`` are A, then B in every other seat.

    Attributes
    ----------
    fields
        Specs of P - 1 further opponents each; they keep their order round the table.
    """

    fields: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        if self.players < 2 or any(len(field) != self.players - 1 for field in self.fields):
            raise UsageError("a comparison needs A, B, and fields of all other players.")

    @property
    def pair(self) -> tuple[str, str]:
        """A and B."""
        return self.strategies[0], self.strategies[1]

    @property
    def opponents(self) -> tuple[Opponents, ...]:
        """Every table at which they are compared; with two players A against B is B against A."""
        (a, b), many = self.pair, self.players - 1
        found = {(b,) * many: Opponents((b,) * many, self._in_each_seat(a, (b,) * many), ())}
        if many > 1:
            found[(a,) * many] = Opponents((a,) * many, (), self._in_each_seat(b, (a,) * many))
        for others in self.fields:
            if others not in ((a,) * many, (b,) * many):
                sides = self._in_each_seat(a, others), self._in_each_seat(b, others)
                found[others] = Opponents(others, *sides)
        return tuple(found.values())

    def _in_each_seat(self, spec: str, others: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        around = (spec, *others)
        return tuple(
            tuple(around[(seat - first) % self.players] for seat in range(self.players))
            for first in range(self.players)
        )

    @property
    def specs(self) -> tuple[str, ...]:
        """Every strategy that plays anywhere, once."""
        return tuple(
            dict.fromkeys([*self.strategies, *(s for field in self.fields for s in field)])
        )

    @property
    def watched(self) -> int:
        """The difference over all fields, that in each, and both shares where both are played."""
        fields = self.opponents
        return 1 + len(fields) + 2 * sum(bool(field.a and field.b) for field in fields)

    @property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        """Every line-up that each game number is played with, once."""
        return tuple(
            dict.fromkeys(lineup for field in self.opponents for lineup in (*field.a, *field.b))
        )

    @property
    def period(self) -> int:
        """Whole blocks: every game number is played with every line-up."""
        return BLOCKS

    def to_json(self) -> dict[str, Any]:
        """The whole description as plain data."""
        return {**super().to_json(), "fields": [list(field) for field in self.fields]}


class Entry(NamedTuple):
    """A strategy at a table of a contest: number of the table, and how many copies sit there."""

    table: int
    spec: str
    copies: int


class Weights(NamedTuple):
    """How the mean share of a strategy is made of what it wins at each table.

    Attributes
    ----------
    entries
        Numbers of its entries.
    factors
        By what the wins there, in 1/60 and of all copies, are multiplied: whole numbers.
    unit
        Their sum, divided by this and by the games of a table, is the mean win share of one copy.
    """

    entries: tuple[int, ...]
    factors: tuple[int, ...]
    unit: int


@dataclass(frozen=True)
class Contest(Experiment):
    """Many tables of strategies, each with all its seatings, on the same chance.

    Every game number is played at every table, in the seating that it has there
    (`analyzer.seating`): as if each table were an experiment with ``rotate``. ``strategies`` are
    those of the first table.

    Attributes
    ----------
    tables
        Who sits at each: P specs in order, no two tables alike. All tables of one strategy alone,
        and of one strategy among others that are all alike, and all other tables of these
        strategies or some of them; see `weights`.
    """

    tables: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        if not self.tables or any(len(table) != self.players for table in self.tables):
            raise UsageError("a contest needs tables, each of as many strategies as players.")

    @property
    def specs(self) -> tuple[str, ...]:
        """Every strategy that plays anywhere, in order."""
        return tuple(sorted({spec for table in self.tables for spec in table}))

    @property
    def watched(self) -> int:
        """A mean share for each strategy."""
        return len(self.specs)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Each strategy at each table, table after table."""
        return _entries(self.tables)

    @property
    def seatings(self) -> tuple[tuple[str, ...], ...]:
        """Every line-up, table after table."""
        return tuple(seating for table in self.tables for seating in distinct_seatings(table))

    @property
    def period(self) -> int:
        """Games in which every seating of every table comes once in every block."""
        return BLOCKS * math.lcm(*(len(distinct_seatings(table)) for table in self.tables))

    @property
    def weights(self) -> tuple[Weights, ...]:
        """How the mean share of each strategy is made, in the order of ``specs``.

        The mean is over all fields of P - 1 opponents from the strategies, each of which makes one
        table with the strategy. Where only some of the tables are played, those stand for the
        others of their kind.
        """
        return _weights(self.tables)

    def to_json(self) -> dict[str, Any]:
        """The whole description as plain data."""
        return {**super().to_json(), "tables": [list(table) for table in self.tables]}

    def tasks(
        self, start: int, size: int | Callable[[], int], stops: tuple[int, ...] = ()
    ) -> Iterator[Task]:
        """Split the games as `Experiment.tasks` does, but where a multiple of ``size`` is reached.

        The first task is small: what it takes tells whether workers are worth starting.
        """
        ends = {*stops, BLOCKS}
        if not callable(size):
            ends.update(range(size, self.games, size))
        return super().tasks(start, size, tuple(sorted(ends)))


@lru_cache(maxsize=4)
def _entries(tables: tuple[tuple[str, ...], ...]) -> tuple[Entry, ...]:
    return tuple(
        Entry(number, spec, table.count(spec))
        for number, table in enumerate(tables)
        for spec in dict.fromkeys(table)
    )


@lru_cache(maxsize=4)
def _weights(tables: tuple[tuple[str, ...], ...]) -> tuple[Weights, ...]:
    players, entries = len(tables[0]), _entries(tables)
    specs = sorted({entry.spec for entry in entries})
    whole = math.lcm(*range(1, players + 1))
    fields = math.comb(len(specs) + players - 2, players - 1)
    found = []
    for spec in specs:
        own = [number for number, entry in enumerate(entries) if entry.spec == spec]
        # Of tables that are all played every one counts alike; the others stand for their kind.
        kinds = [_all_alike(tables[entries[number].table]) for number in own]
        sampled = kinds.count(False)
        others = fields - kinds.count(True)
        common = math.gcd(sampled, others) or 1
        alone, standing = (sampled // common, others // common) if sampled else (1, 0)
        factors = tuple(
            (alone if alike else standing) * (whole // entries[number].copies)
            for number, alike in zip(own, kinds, strict=True)
        )
        found.append(Weights(tuple(own), factors, WHOLE_WIN * whole * alone * fields))
    return tuple(found)


def _all_alike(table: tuple[str, ...]) -> bool:
    """Whether all at a table are alike, or all but one."""
    return max(map(table.count, table)) >= len(table) - 1


@dataclass(frozen=True)
class Replays(Experiment):
    """Every game played again, several times, each time with some of its chance kept.

    Whatever else is drawn in a game is drawn anew, and anew for each time; who sits where is always
    kept.

    Attributes
    ----------
    kept
        For each time, the names of the game's sources of chance (`Game.chance`) that are kept.
    """

    kept: tuple[tuple[str, ...], ...] = ()

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Each two of a game, which is number 0, and its replays, from 1 on."""
        return tuple(combinations(range(1 + len(self.kept)), 2))

    def to_json(self) -> dict[str, Any]:
        """The whole description as plain data."""
        return {**super().to_json(), "kept": [list(sources) for sources in self.kept]}
