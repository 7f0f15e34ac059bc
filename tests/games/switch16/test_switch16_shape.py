"""How games and matches go, against plain counting of the twin's.

A few games of each line-up; ``ANALYZER_TWIN_GAMES=5000`` is the full comparison.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.games.switch16.game import GAME
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.specs import bind
from analyzer.statistics.shape import shape_of
from tests.games.switch16.players import settings
from tests.reference import chance, shape
from tests.reference import switch16 as twin

GAMES = int(os.environ.get("ANALYZER_TWIN_GAMES", "3" if JIT_DISABLED else "150"))


class Watched(twin.Deal):
    """Writes down the top cards where a turn has ended and another one begins."""

    def disc_between_turns(self) -> None:
        """What begins a turn."""
        if self.turn == 0:
            self.course: list[tuple[int, ...]] = []
        else:
            self.course.append(tuple(deck.top for deck in self.table.decks))
        super().disc_between_turns()


def played(rules: twin.Rules, players: list[twin.Baseline], seed: int, game: int) -> shape.Played:
    """A game of the twin, or a match."""
    record = twin.play(rules, players, seed, game)
    if rules.match_points:
        course, points = [], [0] * rules.players
        for one in record.deals[:-1]:
            points = [sum(pair) for pair in zip(points, one.points, strict=True)]
            course.append(points)
        return shape.Played(course, record.scores, record.wins)
    deal = Watched(rules, players, chance.game_key(seed, game), 0)
    deal.play()
    return shape.Played(deal.course, record.scores, record.wins)


@pytest.mark.parametrize(
    "changes", [{}, {"match_points": 40}, {"max_turns": 9}, {"max_turns": 1}], ids=str
)
@pytest.mark.parametrize(
    "lineup",
    [
        ("greedy/leader/hold", "threshold:0.5/random/deny:12"),
        ("always/never/deny:16", "never/leader/hold", "to-milestone/random/deny:12"),
    ],
    ids="+".join,
)
def test_the_shape_is_that_of_plain_counting(
    lineup: tuple[str, ...], changes: dict[str, Any]
) -> None:
    rules = twin.Rules(len(lineup), **changes)
    values = settings(rules)
    specs = tuple(bind("switch16", spec, values, len(lineup)).spec for spec in lineup)
    result = run(Experiment("switch16", specs, values, GAMES, 5))
    players = [twin.Baseline(spec) for spec in lineup]
    games = [played(rules, players, 5, game) for game in range(GAMES)]
    unit = "deals" if rules.match_points else "turns"
    found = shape_of(result, GAME).document()
    assert shape.counted_part(found) == shape.shape(games, unit)
