"""Where the differences in the result come from: what is played for it, at which tables."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from analyzer.contracts import Game
from analyzer.errors import ResultsError, UsageError
from analyzer.experiment import Replays
from analyzer.plain import item
from analyzer.statistics.luck import Luck, LuckTable, analyze, kept_sets, over_tables
from analyzer.study.base import study_of
from analyzer.study.finding import Finding, Plan
from analyzer.study.request import Request, make_request
from analyzer.study.stage import NotPlayed, Play

if TYPE_CHECKING:
    pass

IDENTITY = "luck"
"""Where the identity of a run says that it is such a run, and which chance was kept in replays."""


@dataclass(frozen=True)
class LuckPlan(Plan):
    """What is played.

    Attributes
    ----------
    base
        The main table and, as ``fields``, the others; strategies change seats.
    sources
        The game's sources of chance, in order.
    most_games
        Games of each table at most, where its players are slow.
    """

    base: Request
    sources: tuple[str, ...]
    most_games: tuple[int | None, ...]

    @property
    def tables(self) -> tuple[tuple[str, ...], ...]:
        """Who plays at each table."""
        return self.base.strategies, *self.base.fields

    def identity(self) -> dict[str, Any]:
        """What two runs have in common exactly if they are the same, as plain data."""
        told = {"sources": list(self.sources), "most_games": list(self.most_games)}
        return {**self.base.identity(), IDENTITY: told}

    def replays(self, number: int) -> Replays:
        """What is played of a table."""
        usual = self.base.experiment(strategies=self.tables[number])
        most = self.most_games[number]
        games = usual.games if most is None else min(usual.games, most)
        return Replays(
            game=usual.game,
            strategies=usual.strategies,
            rules=usual.rules,
            games=games,
            seed=usual.seed,
            rotate=True,
            kept=kept_sets(self.sources),
        )


def plan(
    game: Game,
    *,
    strategies: tuple[str, ...],
    rules: Mapping[str, Any],
    games: int,
    seed: int,
    own_tables: bool,
    precision: float | None = None,
) -> LuckPlan:
    """Check every choice.

    Parameters
    ----------
    strategies
        One spec a seat.
    own_tables
        Whether the tables are the game's own ways of playing, each by itself and all of them
        mixed, instead of these strategies.

    Raises
    ------
    UsageError
        If anything is unknown or in contradiction, or if the game does not tell its chance apart.
    """
    sources = sources_of(game)
    if precision is not None:
        raise UsageError(
            "a precision is of win shares; where differences come from is told after the number "
            "of games that is given. Leave --precision out."
        )
    request = make_request(
        "simulate", game, strategies=strategies, rules=rules, games=games, seed=seed, rotate=True
    )
    players = request.players
    ways = study_of(game.name).ways(request.rules, players) if own_tables else ()
    if not ways:
        return LuckPlan(request, sources, (None,))
    tables: dict[tuple[str, ...], int | None] = {}
    for way in ways:
        tables[(way.spec,) * players] = way.most_games
    mixed = tuple(islice(cycle(way.spec for way in ways), players))
    tables.setdefault(mixed, min(way.most_games for way in ways))
    first, *others = tables
    request = make_request(
        "simulate",
        game,
        strategies=first,
        rules=rules,
        games=games,
        seed=seed,
        rotate=True,
        fields=others,
    )
    most = tuple(None if cap is None or cap >= games else cap for cap in tables.values())
    return LuckPlan(request, sources, most)


def sources_of(game: Game) -> tuple[str, ...]:
    """The sources of chance that a game declares.

    Raises
    ------
    UsageError
        If it declares none, or cannot draw them anew.
    """
    chance, replica = getattr(game, "chance", {}), getattr(game, "replica", None)
    if not chance or replica is None:
        missing = "method `replica`" if chance else "sources of chance"
        raise UsageError(
            f"{game.name} declares no {missing}, so no part of its chance can "
            "be drawn anew while the rest is kept. Its author adds that to the game: see 'Sources "
            "of chance' in docs/writing-a-game.md."
        )
    return tuple(chance)


def saved_plan(base: Request, identity: Mapping[str, Any]) -> LuckPlan:
    """The plan of a saved run; strategies are not loaded, as in `Request.from_json`.

    Raises
    ------
    ResultsError
        If it does not describe one, or one of other sources of chance than there are now.
    """
    try:
        told = item(identity, IDENTITY, dict)
        sources = tuple(item(told, "sources", list))
        most = tuple(item(told, "most_games", list))
        if sources != sources_of(base.find_game()) or len(most) != 1 + len(base.fields):
            raise ValueError(f"it has the sources {sources}")
        if not all(cap is None or (type(cap) is int and cap > 0) for cap in most):
            raise ValueError(f"it has {most} games")
    except (KeyError, TypeError, ValueError) as reason:
        raise ResultsError(
            "the description of the saved run is damaged, or of another version "
            f"({type(reason).__name__}: {reason})."
        ) from None
    return LuckPlan(base, sources, most)


Dissected = Finding[LuckPlan, Luck]
"""Where the differences come from, and what was played to know it."""


def conclude(plan: LuckPlan, play: Play) -> Dissected:
    """Play every table and its replays, and take the differences apart.

    Raises
    ------
    NotPlayed
        If a saved run has nothing of the main table.
    """
    game, among = plan.base.find_game(), plan.base.specs()
    found: list[LuckTable] = [analyze(play("main", plan.replays(0)), game, among)]
    for number in range(1, len(plan.tables)):
        with contextlib.suppress(NotPlayed):
            result = play(f"table-{number + 1}", plan.replays(number))
            found.append(analyze(result, game, among))
    parts = tuple(play.parts)
    times = 1 + len(kept_sets(plan.sources))
    games = times * sum(part.games for part in parts)
    return Dissected(plan, over_tables(game, plan.base.seed, found), parts, games)
