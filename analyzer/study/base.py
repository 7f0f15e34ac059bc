"""What a game is asked, unless it brings a study of its own: whether the seat matters."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TypeVar

from analyzer.errors import UsageError
from analyzer.plugins import brought, find_game
from analyzer.results import ResultSet
from analyzer.statistics import fairness
from analyzer.statistics.tables import Fairness, FieldFairness, Summary
from analyzer.study.request import Request
from analyzer.study.stage import NotPlayed, Play, length
from analyzer.study.telling import Telling

Found = TypeVar("Found", Fairness, FieldFairness)
"""An answer, for the main table of strategies or for another one."""


class Study:
    """The questions that every game can be asked; a game's own overrides what it knows better.

    A study asks ``play`` for the runs it needs, by name, and returns statistics. Where the results
    come from is the business of ``play``; an interrupted study is continued by concluding again.
    """

    def check(self, request: Request) -> None:
        """Refuse what cannot be answered, before the first game.

        Raises
        ------
        UsageError
            With the way out.
        """
        if request.suggest:
            raise UsageError(f"--suggest has nothing to suggest for {request.game}; leave it out.")

    def conclude(self, request: Request, play: Play) -> Fairness:
        """What `fairness` answers: play the main table and the others, and judge each.

        Raises
        ------
        NotPlayed
            If a saved run has nothing of the main table.
        """
        game = request.find_game()
        sequence = request.sequence()
        main = play("main", request.experiment(), sequence)
        found = self.judge(fairness.judge(main, game, sequence), main, "main", play)
        fields = []
        for number, specs in enumerate(request.fields, start=1):
            name = f"field-{number}"
            with contextlib.suppress(NotPlayed):
                run = play(name, request.experiment(strategies=specs, games=length(main)))
                field = fairness.judge_field("+".join(specs), run, game)
                fields.append(self.judge(field, run, name, play))
        return replace(found, fields=tuple(fields))

    def judge(self, found: Found, run: ResultSet, name: str, play: Play) -> Found:
        """Add to the answer for one table of strategies what only this game is asked.

        Parameters
        ----------
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
