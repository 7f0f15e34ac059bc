"""What a game is asked, unless it brings a study of its own: whether the seat matters."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, cycle, islice
from typing import Any, TypeVar

import numpy as np

from analyzer.contracts import Game, Rules
from analyzer.errors import UsageError
from analyzer.experiment import Experiment
from analyzer.plugins import brought, find_game
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.statistics import fairness
from analyzer.statistics.intervals import Floats, estimate, leave_one_out
from analyzer.statistics.margins import WIN_SHARE_MARGIN
from analyzer.statistics.seats import strategy_shares
from analyzer.statistics.tables import Estimate, Fairness, FieldFairness, Summary
from analyzer.study import naming
from analyzer.study.request import Request, check_fields, one_a_seat
from analyzer.study.stage import NotPlayed, Play, length
from analyzer.study.telling import Telling

LADDER_GAMES = 20_000
"""Games of a mixed table that tell which way of playing wins more."""
MAIN_ALONE = ("none",)
"""Stands for no further tables."""

Found = TypeVar("Found", Fairness, FieldFairness)
"""An answer, for the main table of strategies or for another one."""


@dataclass(frozen=True)
class Way:
    """One way of playing, as a table that is judged where the user names none.

    Attributes
    ----------
    spec
        Of the strategy that everybody at the table plays.
    most_games
        Games after which its figures are known well enough; fewer for slow players.
    """

    spec: str
    most_games: int = 10**9


class Study:
    """The questions that every game can be asked; a game's own overrides what it knows better.

    A study asks ``play`` for the runs it needs, by name, and returns statistics. Where the results
    come from is the business of ``play``; an interrupted study is continued by concluding again.
    """

    def ways(self, rules: Rules, players: int) -> tuple[Way, ...]:
        """Ways of playing, from careless to thoughtful, that a verdict shall hold for.

        What `fairness` judges where no strategies are named. The first is the main table, the
        others become ``fields``; none by default: the game's own strategy alone is judged.
        """
        return ()

    def contestants(self, rules: Rules, players: int, quick: Sequence[str]) -> Sequence[str]:
        """Who plays a tournament where nobody is named.

        Parameters
        ----------
        quick
            All that are not declared expensive; of a game with families, whose combinations are too
            many, those of the first family with the usual rest.
        """
        return quick

    def about(self, name: str, experiment: Experiment, main: Experiment) -> str:
        """What a part is, in words, for those who wait for it: ``four random players``.

        Parameters
        ----------
        name
            What files call it.
        experiment
            What it plays.
        main
            What the first part plays.
        """
        return naming.said(experiment, main)

    def check(self, request: Request) -> None:
        """Refuse what cannot be answered, before the first game.

        Raises
        ------
        UsageError
            With the way out.
        """
        if request.suggest:
            raise UsageError(f"--suggest has nothing to suggest for {request.game}; leave it out.")

    def decisive(self, run: ResultSet) -> Sequence[tuple[str, Floats]]:
        """Figures that the verdict goes by, if they are none that every run has.

        Parameters
        ----------
        run
            With detail ``"fairness"``.

        Returns
        -------
        sequence of pairs
            Each figure's name and its value with all leave-one-out replicates, (1 + B,).
        """
        return ()

    def conclude(self, request: Request, play: Play) -> Fairness:
        """What `fairness` answers: play the main table and the others, and judge each.

        Raises
        ------
        NotPlayed
            If a saved run has nothing of the main table.
        """
        game = request.find_game()
        margin = WIN_SHARE_MARGIN if request.margin is None else request.margin
        sequence = request.sequence()
        main = play("main", request.experiment(), sequence)
        found = fairness.judge(main, game, sequence, margin)
        found = self.judge(request, found, main, "main", play)
        ways = self._ways(request)
        fields = []
        for number, specs in enumerate(request.fields, start=1):
            name = f"field-{number}"
            games = min(length(main), ways[number].most_games if ways else length(main))
            with contextlib.suppress(NotPlayed):
                run = play(name, request.experiment(strategies=specs, games=games))
                field = fairness.judge_field("+".join(specs), run, game, margin)
                fields.append(self.judge(request, field, run, name, play))
        if not fields:
            return found
        found = replace(found, fields=tuple(fields), own=(found.verdict, found.answer))
        verdict, answer = self.over_tables(request, found)
        return replace(
            found, verdict=verdict, answer=answer, strengths=self._strengths(request, ways, play)
        )

    def over_tables(self, request: Request, found: Fairness) -> tuple[str, str]:
        """The verdict and the answer about all tables of strategies, each of which has its own."""
        margin = WIN_SHARE_MARGIN if request.margin is None else request.margin
        return fairness.over_tables(found, margin)

    def _ways(self, request: Request) -> tuple[Way, ...]:
        """The game's own ways of playing, if they are what is judged."""
        ways = self.ways(request.rules, request.players)
        tables = tuple((way.spec,) * request.players for way in ways)
        return ways if tables == (request.strategies, *request.fields) else ()

    def _strengths(
        self, request: Request, ways: tuple[Way, ...], play: Play
    ) -> dict[str, Estimate]:
        """What each way of playing wins against the others: its mean share over mixed tables.

        One table with all ways if there are seats enough, otherwise every two of them.
        """
        specs, players = [way.spec for way in ways], request.players
        if len(specs) < 2:
            return {}
        mixed = [specs] if len(specs) <= players else list(combinations(specs, 2))
        games = min(request.games, LADDER_GAMES, *(way.most_games for way in ways))
        shares: dict[str, list[Floats]] = {spec: [] for spec in specs}
        for number, some in enumerate(mixed, start=1):
            lineup = tuple(islice(cycle(some), players))
            experiment = replace(
                request.experiment(strategies=lineup, games=games), detail="simulate", rotate=True
            )
            with contextlib.suppress(NotPlayed):
                run = play(f"ladder-{number}", experiment)
                totals = leave_one_out(run.sums, ("games", "wins"))
                found = strategy_shares(totals, experiment)
                for holder, spec in enumerate(experiment.holders):
                    shares[spec].append(found[:, holder])
        return {
            spec: estimate(np.mean(some, axis=0), bounds=(0.0, 1.0))
            for spec, some in shares.items()
            if some
        }

    def judge(self, request: Request, found: Found, run: ResultSet, name: str, play: Play) -> Found:
        """Add to the answer for one table of strategies what only this game is asked.

        Parameters
        ----------
        request
            What is asked.
        found
            Whether the seat matters.
        run
            What was played.
        name
            The name of that part, for the names of others that belong to it.
        play
            Gets further parts.
        """
        return found

    def replicates(self, run: ResultSet) -> Mapping[str, Floats]:
        """Figures of the game's own that two runs can be compared by, block by block.

        Parameters
        ----------
        run
            With detail ``"fairness"``.

        Returns
        -------
        Mapping of str to Floats
            By name, (1 + B,) each: the figure and its leave-one-out replicates.
        """
        return {}

    @property
    def further(self) -> tuple[str, ...]:
        """Names of figures that two runs can be compared by if more is played for them."""
        return ()

    def play_further(self, figure: str, run: ResultSet, name: str, play: Play) -> Floats:
        """One of the `further` figures, with its replicates: (1 + B,).

        Parameters
        ----------
        figure
            Its name.
        run
            With detail ``"fairness"``.
        name
            The name of that part, for the names of others that belong to it.
        play
            Gets further parts.

        Raises
        ------
        NotPlayed
            If a saved run has nothing of them.
        """
        raise KeyError(figure)

    def margins(self) -> Mapping[str, float]:
        """What counts as no difference of such figures, where it is not 0."""
        return {}

    def enrich(self, request: Request, summary: Summary, play: Play) -> Summary:
        """Add to what `simulate` answers; further games only where ``play.thorough``."""
        return summary

    def tell(self, request: Request, result: Summary | Fairness) -> Telling:
        """How a terminal tells what was added."""
        return Telling()


def study_of(game: str) -> Study:
    """The study that a game brings, or the one for any game."""
    found: Study | None = brought(find_game(game), "study")
    return Study() if found is None else found


def asked_tables(
    game: Game,
    specs: Sequence[str],
    players: int | None,
    rules: Mapping[str, Any],
    fields: Sequence[Sequence[str]] | None,
) -> tuple[tuple[str, ...], tuple[Sequence[str], ...]]:
    """The main table of strategies of `fairness`, and the further ones.

    Parameters
    ----------
    specs
        One for all seats, one a seat, or none.
    players
        Number of players, or None.
    rules
        Settings that differ from the usual ones.
    fields
        Further tables; None for the game's own ways of playing, if no strategies are named either,
        and ``(("none",),)`` for the main table alone.

    Raises
    ------
    UsageError
        If something contradicts something else.
    """
    seats = one_a_seat(game, specs, players)
    if fields is not None:
        check_fields(fields)
    if fields is None or not fields:
        if specs or fields is not None:
            return seats, ()
        ways = study_of(game.name).ways(settle(game, len(seats), rules), len(seats))
        tables = tuple((way.spec,) * len(seats) for way in ways)
        return (tables[0], tables[1:]) if tables else (seats, ())
    tables_given = [tuple(field) for field in fields]
    if MAIN_ALONE not in tables_given:
        return seats, tuple(fields)
    if len(tables_given) > 1:
        raise UsageError("--field none judges the main table alone; leave out the other fields.")
    return seats, ()
