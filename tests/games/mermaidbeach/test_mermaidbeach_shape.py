"""How games go, against plain counting of the twin's games.

A few games of each line-up; ``ANALYZER_TWIN_GAMES=5000`` is the full comparison.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import pytest

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.games.mermaidbeach.game import GAME
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.statistics.shape import shape_of
from tests.games.mermaidbeach.told import settings, standard
from tests.reference import chance, shape
from tests.reference import mermaidbeach as twin

GAMES = int(os.environ.get("ANALYZER_TWIN_GAMES", "3" if JIT_DISABLED else "150"))
PLAYERS: dict[str, twin.Player] = {"random": twin.Random(), "greedy": twin.Greedy()}


class Watched(twin.Game):
    """Writes down points and shell cards on the table after each turn."""

    def take_turn(self) -> None:
        """A turn."""
        super().take_turn()
        standing = [(pile.points(), len(pile)) for pile in self.table.shells]
        self.course = [*getattr(self, "course", []), standing]


@pytest.mark.parametrize("changes", [{}, {"max_turns": 9}, {"max_turns": 1}], ids=str)
@pytest.mark.parametrize(
    "lineup", [("greedy", "random", "random"), ("random", "greedy")], ids="+".join
)
def test_the_shape_is_that_of_plain_counting(
    lineup: tuple[str, ...], changes: dict[str, Any]
) -> None:
    rules = standard(len(lineup), **changes)
    result = run(Experiment("mermaidbeach", lineup, settings(rules), GAMES, 5))
    games = []
    for number in range(GAMES):
        word = partial(chance.word, chance.game_key(5, number))
        game = Watched(rules, [PLAYERS[name] for name in lineup], word)
        record = game.play()
        games.append(shape.Played(game.course[:-1], record.points, record.wins))
    found = shape_of(result, GAME).document()
    assert shape.counted_part(found) == shape.shape(games, "turns")
