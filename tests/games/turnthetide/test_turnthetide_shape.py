"""How games go, against plain counting of the twin's games.

A few games of each line-up; ``ANALYZER_TWIN_GAMES=5000`` is the full comparison.
"""

from __future__ import annotations

import os
from itertools import accumulate
from typing import Any

import pytest

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.games.turnthetide.game import GAME
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.statistics.shape import shape_of
from tests.games.turnthetide.told import settings
from tests.reference import shape
from tests.reference import turnthetide as twin

GAMES = int(os.environ.get("ANALYZER_TWIN_GAMES", "3" if JIT_DISABLED else "150"))


def counted(rules: twin.Rules, lineup: tuple[str, ...], seed: int) -> dict[str, Any]:
    """The shape of the twin's games."""
    players = [twin.BASELINES[name] for name in lineup]
    games = []
    for number in range(GAMES):
        record = twin.play(rules, players, seed, number)
        totals = [
            list(accumulate(one.scores[seat] for one in record.rounds))
            for seat in range(len(lineup))
        ]
        course = list(zip(*totals, strict=True))[:-1]
        games.append(shape.Played(course, record.scores, record.wins))
    return shape.shape(games, "rounds")


@pytest.mark.parametrize("changes", [{}, {"rounds": 1}, {"rounds": 9}], ids=str)
@pytest.mark.parametrize(
    "lineup", [("lowest", "reactive", "random", "highest"), ("random",) * 3], ids="+".join
)
def test_the_shape_is_that_of_plain_counting(
    lineup: tuple[str, ...], changes: dict[str, Any]
) -> None:
    rules = twin.standard(len(lineup), **changes)
    result = run(Experiment("turnthetide", lineup, settings(rules), GAMES, 5))
    found = shape_of(result, GAME).document()
    assert shape.counted_part(found) == counted(rules, lineup, 5)
