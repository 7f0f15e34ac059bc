"""Scores that do not fit the range their game has promised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analyzer.contracts import Outcome
from analyzer.engine.tally import add_outcome, new_tally
from analyzer.errors import PluginError
from analyzer.experiment import Experiment


class Ranged:
    """As much of a game as has a range of scores."""

    name = "ranged"

    def __init__(self, low: int, high: int) -> None:
        self.range = low, high

    def score_range(self, rules: Any, players: int) -> tuple[int, int]:
        return self.range

    def sums(self, rules: Any, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        return {}


def tally(low: int, high: int) -> Any:
    played = Experiment("ranged", ("a", "b"), {}, 256, 1)
    game: Any = Ranged(low, high)
    return new_tally(game, played)


def outcome(*scores: int) -> Outcome:
    games = np.arange(len(scores), dtype=np.uint64)
    wins = np.full((2, len(scores)), 30, np.uint8)
    return Outcome(games, wins, np.array([scores, scores], np.int16))


@pytest.mark.parametrize("score", [-3, 6, 32767])
def test_a_score_outside_the_range_is_refused_and_not_counted(score: int) -> None:
    sums = tally(-2, 5)
    add_outcome(outcome(-2, 5), -2, sums, "ranged")
    assert sums["score_hist"].sum() == 4
    with pytest.raises(PluginError, match=rf"ranged has the score_range \(-2, 5\).*{score}"):
        add_outcome(outcome(0, score), -2, sums, "ranged")


def test_the_widest_range_is_that_of_int16() -> None:
    sums = tally(-32768, 32767)
    add_outcome(outcome(-32768, 32767), -32768, sums)
    assert sums["score_sq"].sum() == 2 * (32768**2 + 32767**2)
    for low, high in ((-32769, 0), (0, 32768), (1, 0)):
        with pytest.raises(PluginError, match=rf"ranged has the score_range \({low}, {high}\)"):
            tally(low, high)
