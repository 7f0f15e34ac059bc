"""What `fairness` plays for Turn the Tide: whether life preservers are distributed fairly.

Besides the run that is asked for, one with the same deals in which every hand gets the same number
of preservers tells how much worse the cards are that preservers are printed on. The same pair is
played for every further table of strategies, and for every printing that is tried.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

from analyzer.contracts import Game
from analyzer.errors import UsageError
from analyzer.games.turnthetide import lifesavers, suggest
from analyzer.games.turnthetide.suggest import MOST_HALVES, NothingToSuggest
from analyzer.results import ResultSet
from analyzer.statistics import fairness
from analyzer.statistics.tables import Fairness, Lifesavers, Suggestion
from analyzer.study.request import Request
from analyzer.study.stage import NotPlayed, Play, length

__all__ = ["check", "conclude"]


def check(request: Request) -> None:
    """Refuse to suggest a printing where the print does not matter.

    Raises
    ------
    UsageError
        With the way out.
    """
    allocation = request.rules["allocation"]
    if request.suggest and allocation != "printed":
        raise UsageError(
            f"--suggest looks for a fairer printing, but allocation = {allocation} gives every "
            "hand the same number; leave out one of the two."
        )
    halves = sum(request.rules["preservers"])
    most = MOST_HALVES * len(request.rules["preservers"])
    if request.suggest and halves > most:
        raise UsageError(
            f"--suggest hands out the {halves} half preservers of these rules anew, at most "
            f"{MOST_HALVES} to a card, which makes {most}; print fewer or leave it out."
        )


def conclude(request: Request, play: Play) -> Fairness:
    """Play what is needed, and answer."""
    game = request.find_game()
    sequence = request.sequence()
    main = play("main", request.experiment(), sequence)
    flat = _flat("flat", main, play)
    fields = []
    for number, specs in enumerate(request.fields, start=1):
        name = f"field-{number}"
        with contextlib.suppress(NotPlayed):
            field = play(name, request.experiment(strategies=specs, games=length(main)))
            pair = field, _flat(f"{name}-flat", field, play)
            fields.append(fairness.judge_field("+".join(specs), *pair, game))
    suggestion = None
    if request.suggest and flat is not None:
        # Too few games to know what cards are worth: the answer stands without a suggestion.
        with contextlib.suppress(NotPlayed, NothingToSuggest):
            suggestion = _suggest(request, main, flat, game, play)
    return fairness.judge(main, flat, game, sequence, suggestion, tuple(fields))


def _flat(name: str, printed: ResultSet, play: Play) -> ResultSet | None:
    """The same games with the same number of preservers for every hand."""
    if printed.experiment.rules["allocation"] != "printed":
        return None
    allocation = f"flat:{lifesavers.flat_count(printed)}"
    rules: dict[str, Any] = {**printed.experiment.rules, "allocation": allocation}
    with contextlib.suppress(NotPlayed):
        return play(name, replace(printed.experiment, rules=rules, games=length(printed)))
    return None


def _suggest(
    request: Request, main: ResultSet, flat: ResultSet, game: Game, play: Play
) -> Suggestion:
    """Try printings on the same chance until one stands."""
    printing = tuple(request.rules["preservers"])
    tried = 0

    def evaluate(halves: tuple[int, ...]) -> Lifesavers:
        nonlocal tried
        if halves == printing:
            return lifesavers.analyze(main, flat, game)
        tried += 1
        name = f"suggested-{tried}"
        rules = {"preservers": halves}
        result = play(name, request.experiment(rules=rules, games=length(main)))
        return lifesavers.analyze(result, _flat(f"{name}-flat", result, play), game)

    return suggest.settle(printing, evaluate)
