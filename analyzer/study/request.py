"""What a command asks for: everything that determines its figures, and nothing else."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import numbers
import operator
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from analyzer.contracts import Game
from analyzer.errors import ResultsError, UsageError
from analyzer.experiment import Experiment
from analyzer.plain import choice, item, items, typed
from analyzer.plugins import find_game, program_hash
from analyzer.rules import check_players, settle, shown
from analyzer.specs import bind, split
from analyzer.version import __version__

if TYPE_CHECKING:
    from analyzer.statistics.sequential import WinShareSequence

DEFAULT_GAMES = 100_000
LEAST_PRECISION = 1e-6
MOST_PRECISION = 0.5
MOST_MARGIN = 10.0
MOST_FIELDS = 1000
"""Tables of strategies that are asked about beside the main one."""

Command = Literal["simulate", "fairness"]


MOST_STEP = 256 * 24
"""Most games between the first looks of a stopping rule: all seatings of four strategies."""


@dataclass(frozen=True)
class Request:
    """A command with every choice made; two equal requests have the same figures.

    Attributes
    ----------
    command
        ``"simulate"`` or ``"fairness"``.
    game
        Name of the game.
    strategies
        Canonical specs, one a seat.
    rules
        Every setting in force.
    games
        Games to play; with a precision, the most.
    seed
        0 to 2^63-1.
    rotate
        Whether strategies move round the seats.
    precision
        Half-width of every seat's win share at which to stop, or None.
    fields
        Further tables of strategies, canonical specs by seat (``fairness``).
    suggest
        Whether to look for fairer rules (``fairness``, where the game's study offers it).
    margin
        What counts as no difference, in the unit of the verdict's figure; None = the usual.
    """

    command: Command
    game: str
    strategies: tuple[str, ...]
    rules: Mapping[str, Any]
    games: int
    seed: int
    rotate: bool = False
    precision: float | None = None
    fields: tuple[tuple[str, ...], ...] = ()
    suggest: bool = False
    margin: float | None = None

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.strategies)

    def find_game(self) -> Game:
        """The game that is asked about."""
        return find_game(self.game)

    def experiment(
        self,
        *,
        strategies: tuple[str, ...] | None = None,
        rules: Mapping[str, Any] | None = None,
        games: int | None = None,
    ) -> Experiment:
        """The experiment that is asked for, or a variation of it on the same chance."""
        return Experiment(
            game=self.game,
            strategies=strategies or self.strategies,
            rules={**self.rules, **(rules or {})},
            games=games or self.games,
            seed=self.seed,
            detail=self.command,
            rotate=self.rotate,
        )

    def sequence(self) -> WinShareSequence | None:
        """The stopping rule that is asked for, fresh, or None."""
        if self.precision is None:
            return None
        from analyzer.statistics.sequential import FIRST_LOOK, WinShareSequence

        holders = self.experiment().holders
        if not self.rotate or len(holders) == 1:
            return WinShareSequence((1,) * self.players, self.precision)
        copies = [self.strategies.count(name) for name in holders]
        # Whole periods of the seatings are played fastest, unless they are longer than a look.
        period = min(self.experiment().period, MOST_STEP)
        return WinShareSequence(copies, self.precision, -(-FIRST_LOOK // period) * period)

    def specs(self) -> tuple[str, ...]:
        """Every strategy that plays anywhere, once."""
        return tuple(dict.fromkeys(itertools.chain(self.strategies, *self.fields)))

    def sources(self) -> dict[str, str]:
        """SHA-256 of the source files of every strategy that plays."""
        return {
            spec: bind(self.game, spec, self.rules, self.players).source_hash
            for spec in self.specs()
        }

    def identity(self) -> dict[str, Any]:
        """What two runs have in common exactly if they are the same run, as plain data."""
        return {
            "version": __version__,
            "program": program_hash(self.game),
            "sources": self.sources(),
            "request": self.to_json(),
        }

    def digest(self) -> str:
        """Hash of the identity, the seed apart, 12 hex digits."""
        return digest_of(self.identity())

    def to_json(self) -> dict[str, Any]:
        """The whole request as plain data."""
        fields = [list(field) for field in self.fields]
        plain = {"strategies": list(self.strategies), "rules": dict(self.rules), "fields": fields}
        return {**vars(self), **plain}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Request:
        """The request that `to_json` described.

        Strategies are taken by their names and not loaded: a saved run may name files that only
        its owner trusts.

        Raises
        ------
        ResultsError
            If the data do not describe one.
        UsageError
            If the game or a setting in it is no longer known.
        """
        try:
            game = find_game(item(data, "game", str))
            strategies = items(data, "strategies", str)
            fields = items(data, "fields", list)
            _check_number_of_fields(len(fields))
            request = Request(
                command=choice(data, "command", ("simulate", "fairness")),
                game=game.name,
                strategies=strategies,
                rules=settle(game, len(strategies), item(data, "rules", dict)),
                games=item(data, "games", int),
                seed=item(data, "seed", int),
                rotate=item(data, "rotate", bool),
                precision=_half_width(item(data, "precision", float, type(None))),
                fields=tuple(
                    tuple(typed(spec, "a strategy", str) for spec in field) for field in fields
                ),
                suggest=item(data, "suggest", bool),
                margin=_margin(item(data, "margin", float, type(None))),
            )
            request.experiment()  # checks the numbers
        except (AttributeError, KeyError, TypeError, ValueError) as reason:
            raise ResultsError(
                f"the description of the saved run is damaged ({type(reason).__name__}: {reason})."
            ) from None
        return request


def digest_of(identity: Mapping[str, Any]) -> str:
    """Hash of a run's identity, the seed apart, which names its directory: 12 hex digits."""
    request = {key: value for key, value in identity["request"].items() if key != "seed"}
    text = json.dumps({**identity, "request": request}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def fresh_seed() -> int:
    """A seed that nobody chose, 0 to 2^63-1."""
    return secrets.randbits(63)


def whole(name: str, value: Any) -> int:
    """A whole number as a Python int, NumPy's taken as well.

    Raises
    ------
    UsageError
        If it is something else, True and 1.0 included.
    """
    if not isinstance(value, bool):
        with contextlib.suppress(TypeError):
            return operator.index(value)
    raise UsageError(f"{name} must be a whole number; given {shown(value)}.")


def _half_width(value: Any) -> float | None:
    """A precision in range, or None."""
    if value is None:
        return None
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (number and LEAST_PRECISION <= value <= MOST_PRECISION):
        raise UsageError(
            f"precision must be a number from {LEAST_PRECISION} to {MOST_PRECISION}; "
            f"given {shown(value)}."
        )
    return float(value)


def _margin(value: Any) -> float | None:
    """A margin in range, or None."""
    if value is None:
        return None
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (number and 0 <= value <= MOST_MARGIN):
        raise UsageError(
            f"margin must be a number from 0 to {MOST_MARGIN:g}; given {shown(value)}."
        )
    return float(value)


def one_a_seat(game: Game, specs: Sequence[str], players: int | None) -> tuple[str, ...]:
    """Specs by seat, from one for all seats or one a seat; without any, the game's own.

    Raises
    ------
    UsageError
        If there are several, and not as many as players, or if the game is not for so many.
    """
    if players is not None:
        players = whole("players", players)
    if len(specs) > 1:
        if players not in (None, len(specs)):
            raise UsageError(
                f"{len(specs)} strategies are given for {players} players; give one for all "
                "seats, or one a seat and leave out the number of players."
            )
        return tuple(specs)
    seats = game.default_players if players is None else players
    check_players(game, seats)
    return (*(specs or [game.default_strategy]),) * seats


def combined(game: Game, policies: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Specs put together from their parts, each given once for all seats or once a seat.

    Parameters
    ----------
    game
        A game with families.
    policies
        Family -> specs; families that are missing have what the game's own strategy has.

    Raises
    ------
    UsageError
        If two families are given for different numbers of seats, or several parts as one.
    """
    for family, specs in policies.items():
        for spec in specs:
            if (number := len(split(spec))) > 1:
                raise UsageError(
                    f"{spec!r} is given as a {family} policy, but has {number} parts; give the "
                    f"{family} policy alone, or all parts with --strategy."
                )
    own = dict(zip(game.families, game.default_strategy.split("/"), strict=True))
    parts = {family: policies.get(family) or [own[family]] for family in game.families}
    several = {family: len(specs) for family, specs in parts.items() if len(specs) > 1}
    if len(set(several.values())) > 1:
        told = ", ".join(f"{count} {family} policies" for family, count in several.items())
        raise UsageError(
            f"{told} are given; give each part once for all seats, or once a seat for as many "
            "seats as the others."
        )
    seats = max(several.values(), default=1)
    columns = [specs * seats if len(specs) == 1 else specs for specs in map(list, parts.values())]
    return tuple("/".join(seat) for seat in zip(*columns, strict=True))


def _is_list(value: Any) -> bool:
    """Whether a value is several in order; a string, which is so too, is only one here."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def check_fields(fields: Any) -> None:
    """Refuse what is no list of tables.

    Raises
    ------
    UsageError
        Saying what it must be.
    """
    if not _is_list(fields) or not all(_is_list(field) for field in fields):
        raise UsageError(
            "fields must be a list of tables, each a list of one strategy or one a seat; "
            f"given {shown(fields)}."
        )
    _check_number_of_fields(len(fields))


def _check_number_of_fields(many: int) -> None:
    if many > MOST_FIELDS:
        raise UsageError(f"{many:,} fields are given; give at most {MOST_FIELDS:,}.")


def make_request(
    command: Command,
    game: Game,
    *,
    strategies: Sequence[str],
    rules: Mapping[str, Any],
    games: int,
    seed: int,
    rotate: bool = False,
    precision: float | None = None,
    fields: Sequence[Sequence[str]] = (),
    suggest: bool = False,
    margin: float | None = None,
) -> Request:
    """Check every choice and spell it canonically.

    Parameters
    ----------
    strategies
        One spec a seat.
    rules
        Settings that differ from the defaults; values as in a rules file.

    Raises
    ------
    UsageError
        If anything is unknown, out of range or in contradiction.
    """
    players = len(strategies)
    if not isinstance(rules, Mapping):
        raise UsageError(f"rules must be a dictionary; given {shown(rules)}.")
    for name, value in (("rotate", rotate), ("suggest", suggest)):
        if not isinstance(value, bool):
            raise UsageError(f"{name} must be True or False; given {shown(value)}.")
    check_fields(fields)
    settled = settle(game, players, rules)

    def seated(specs: Sequence[str]) -> tuple[str, ...]:
        for spec in specs:
            if not isinstance(spec, str):
                raise UsageError(f"a strategy is named by a string; given {shown(spec)}.")
        if len(specs) not in (1, players):
            raise UsageError(
                f"the table {'+'.join(specs)!r} has {len(specs)} strategies for {players} players; "
                f"give {players} joined by '+', or one for all seats."
            )
        bound = tuple(bind(game.name, spec, settled, players).spec for spec in specs)
        return bound if len(bound) == players else bound * players

    request = Request(
        command=command,
        game=game.name,
        strategies=seated(strategies),
        rules=settled,
        games=whole("games", games),
        seed=whole("seed", seed),
        rotate=rotate,
        precision=_half_width(precision),
        fields=tuple(seated(field) for field in fields),
        suggest=suggest,
        margin=_margin(margin),
    )
    request.experiment()  # checks the numbers
    return request
