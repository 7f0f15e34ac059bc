"""Which way of playing is best: every table of some strategies, or a balanced part of them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING, Any

from analyzer.contracts import Game
from analyzer.errors import PluginError, ResultsError, UnknownName, UsageError
from analyzer.experiment import Contest
from analyzer.kernels.random import stream_seed
from analyzer.plain import item, items
from analyzer.plugins import strategies
from analyzer.rules import settle, shown
from analyzer.specs import bind
from analyzer.statistics.margins import WIN_SHARE_MARGIN
from analyzer.statistics.tournament import PrecisionRule, Tournament, rank
from analyzer.study.base import study_of
from analyzer.study.finding import Finding, Plan
from analyzer.study.request import DEFAULT_GAMES, Request, make_request
from analyzer.study.stage import Play

if TYPE_CHECKING:
    pass

IDENTITY = "tournament"
"""Where the identity of a run says who took part."""

GAMES = 12_288
"""Games of each table: whole periods of the seatings for up to four players."""
MOST_TABLES = 1000
"""Tables that are all played. Beyond that a part of them says as much: what a strategy wins at one
table more is then a thousandth of what is known of it, while the time goes on growing with the
power of the players."""
DESIGN = 7
"""Stream of the seed that chooses tables."""


@dataclass(frozen=True)
class TournamentPlan(Plan):
    """Who plays whom.

    Attributes
    ----------
    base
        The game, its rules, games a table, seed; ``strategies`` are those of the first table.
    strategies
        All that take part, canonical, in order.
    """

    base: Request
    strategies: tuple[str, ...]

    @property
    def margin(self) -> float:
        """What counts as no difference."""
        return WIN_SHARE_MARGIN if self.base.margin is None else self.base.margin

    def identity(self) -> dict[str, Any]:
        """What two tournaments have in common exactly if they are the same, as plain data."""
        found = self.base.identity()
        found["sources"] = {
            spec: bind(self.base.game, spec, self.base.rules, self.base.players).source_hash
            for spec in self.strategies
        }
        return {**found, IDENTITY: {"strategies": list(self.strategies)}}

    def contest(self) -> Contest:
        """What is played."""
        base = self.base
        tables = tables_of(self.strategies, base.players, base.seed)
        return Contest(
            game=base.game,
            strategies=tables[0],
            rules=base.rules,
            games=base.games,
            seed=base.seed,
            tables=tables,
        )


def tables_of(
    specs: Sequence[str], players: int, seed: int, most: int = MOST_TABLES
) -> tuple[tuple[str, ...], ...]:
    """Every table of some strategies or, where that are too many, a balanced part of them.

    The part has all tables of one strategy alone and of one strategy among others that are all
    alike, which best responses and circles are made of. The others are drawn so that each strategy,
    and each two of them, are at a table about equally often: one strategy after the other takes a
    seat, always one that has been seated least, among those one that has least met who sits there
    already, and among those one by lot.

    Parameters
    ----------
    specs
        Strategies, different ones.
    players
        Seats of a table.
    seed
        Of the lots.
    most
        Tables that are all played.

    Returns
    -------
    tuple of tuple of str
        Who sits at each table, in order.
    """
    every = math.comb(len(specs) + players - 1, players)
    if every <= most:
        return tuple(combinations_with_replacement(sorted(specs), players))
    alike = [(spec,) * players for spec in specs]
    alike += [(a, *(b,) * (players - 1)) for a in specs for b in specs if a != b]
    found = {tuple(sorted(table)): None for table in alike}
    _draw(found, most, sorted(specs), random.Random(stream_seed(seed, DESIGN)))
    return tuple(sorted(found))


def _draw(
    found: dict[tuple[str, ...], None], most: int, specs: Sequence[str], lots: random.Random
) -> None:
    """Add tables of several strategies up to a number, balanced as `tables_of` says."""
    players = len(next(iter(found)))
    seated = dict.fromkeys(specs, 0)
    met = {frozenset(pair): 0 for pair in combinations(specs, 2)}
    again = 0
    while len(found) < most:
        # Like the tables that they stand for, some have two copies of a strategy and some more.
        copies = _copies(len(specs), players, lots)
        kinds: list[str] = []
        for place in range(len(copies)):
            # A table that is there already is drawn again, more and more of it by lot.
            by_lot = place >= len(copies) - again
            order = {
                spec: (
                    0 if by_lot else seated[spec],
                    0 if by_lot else sum(met[frozenset((spec, one))] for one in kinds),
                    lots.random(),
                )
                for spec in specs
                if spec not in kinds
            }
            kinds.append(min(order, key=order.__getitem__))
        seats = [spec for spec, many in zip(kinds, copies, strict=True) for _ in range(many)]
        table = tuple(sorted(seats))
        again = again + 1 if table in found else 0
        if again:
            continue
        found[table] = None
        for spec in kinds:
            seated[spec] += 1
        for pair in combinations(kinds, 2):
            met[frozenset(pair)] += 1


def _copies(many: int, players: int, lots: random.Random) -> tuple[int, ...]:
    """How many copies of each strategy sit at a table, as frequent as among all tables."""
    kinds = [parts for parts in _partitions(players, players) if max(parts) < players - 1]
    frequencies = [_tables_with(parts, many) for parts in kinds]
    return lots.choices(kinds, frequencies)[0]


def _partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """A whole number as sums of others, largest first."""
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in _partitions(total - first, first):
            yield (first, *rest)


def _tables_with(parts: tuple[int, ...], many: int) -> int:
    """How many tables have so many copies of one strategy, so many of another, and so on."""
    same = math.prod(math.factorial(parts.count(copies)) for copies in set(parts))
    return math.perm(many, len(parts)) // same


def most_strategies(players: int) -> int:
    """How many strategies a tournament takes: half of its tables stand for fields of equals."""
    if players == 2:  # all tables are such
        return max(k for k in range(2, MOST_TABLES) if math.comb(k + 1, 2) <= MOST_TABLES)
    return max(k for k in range(2, MOST_TABLES) if 2 * k * (k - 1) <= MOST_TABLES)


def quick_strategies(game: Game, rules: Mapping[str, Any], players: int) -> tuple[str, ...]:
    """Who takes part where nobody is named: whoever the game's study suggests and can play."""
    known = [s for s in strategies(game.name).values() if not s.expensive]
    if game.families:
        rest = game.default_strategy.split("/")[1:]
        firsts = [str(s.name) for s in known if s.family == game.families[0]]
        quick = ["/".join((name, *rest)) for name in firsts]
    else:
        quick = [str(s.name) for s in known]
    found = []
    for spec in study_of(game.name).contestants(rules, players, quick):
        try:
            found.append(bind(game.name, spec, rules, players).spec)
        except (PluginError, UnknownName):
            raise
        except UsageError:
            continue  # it cannot play by these rules, or with so many
    return tuple(found)


def plan_tournament(
    game: Game,
    specs: Sequence[str],
    *,
    players: int,
    rules: Mapping[str, Any],
    games: int | None,
    seed: int,
    margin: float | None = None,
    precision: float | None = None,
) -> TournamentPlan:
    """Check every choice of a tournament.

    Parameters
    ----------
    specs
        At least two different ones, or none for all quick ones of the game.
    games
        Of each table; with a precision the most. None takes the usual number.

    Raises
    ------
    UsageError
        If anything is unknown, out of range or in contradiction.
    """
    if players < 2:
        raise UsageError("a tournament is of tables with at least 2 players.")
    settled = settle(game, players, rules)
    for spec in specs:
        if not isinstance(spec, str):
            raise UsageError(f"a strategy is named by a string; given {shown(spec)}.")
    given = specs or quick_strategies(game, settled, players)
    bound = [bind(game.name, spec, settled, players).spec for spec in given]
    for number, spec in enumerate(bound):
        if spec in bound[:number]:
            raise UsageError(f"the strategy {spec!r} is named twice; leave one out.")
    if len(bound) < 2:
        named = f"only {bound[0]!r} is given" if bound else "none can play here"
        raise UsageError(
            f"a tournament needs at least two strategies, and {named}; name some with --strategy. "
            f"`analyzer strategies {game.name}` lists them."
        )
    most = most_strategies(players)
    if len(bound) > most:
        raise UsageError(
            f"{len(bound)} strategies are given; a tournament of {players} players takes at most "
            f"{most}. Leave the weaker ones out."
        )
    usual = GAMES if precision is None else DEFAULT_GAMES
    base = make_request(
        "simulate",
        game,
        strategies=(min(bound),) * players,
        rules=rules,
        games=usual if games is None else games,
        seed=seed,
        margin=margin,
        precision=precision,
    )
    return TournamentPlan(base, tuple(sorted(bound)))


def saved_plan(base: Request, identity: Mapping[str, Any]) -> TournamentPlan:
    """The plan of a saved tournament; strategies are not loaded, as in `Request.from_json`.

    Raises
    ------
    ResultsError
        If it does not describe a tournament.
    """
    try:
        named = items(item(identity, IDENTITY, dict), "strategies", str)
        if len(set(named)) != len(named) or not 2 <= len(named) <= most_strategies(base.players):
            raise ValueError(f"it is of {len(named)} strategies")
    except (KeyError, TypeError, ValueError) as reason:
        raise ResultsError(
            "the description of the saved tournament is damaged "
            f"({type(reason).__name__}: {reason})."
        ) from None
    return TournamentPlan(base, named)


Ranked = Finding[TournamentPlan, Tournament]
"""The answer of a tournament, and what was played for it."""


def conclude(plan: TournamentPlan, play: Play) -> Ranked:
    """Play every table, and rank the strategies.

    Raises
    ------
    NotPlayed
        If a saved run has nothing of it.
    """
    contest, precision = plan.contest(), plan.base.precision
    rule = None if precision is None else PrecisionRule(contest, precision)
    result = play("main", contest, rule)
    ranking = rank(result, rule, plan.margin)
    return Ranked(plan, ranking, tuple(play.parts), games=ranking.lineups)
