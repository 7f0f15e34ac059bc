"""Which game is named when a strategy fails, whatever else is asked at the same time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.errors import StrategyFailed
from tests.games.turnthetide.told import seated


class View(NamedTuple):
    active: NDArray[np.uint8]
    number: NDArray[np.int64]


def asked(hook: Any, numbers: NDArray[np.int64], games: NDArray[np.uint64]) -> str:
    """What is said when a hook is asked about these numbers."""
    seat = seated(hook)
    seat.games = games
    active = np.ones(numbers.size, np.uint8)
    with pytest.raises(StrategyFailed) as failure:
        seat.decide("card", View(active, numbers), None, np.zeros(numbers.size, np.uint8))
    return str(failure.value)


@pytest.mark.parametrize("place", [0, 1, 4_095, 4_096, 7_000, 9_999])
def test_the_game_that_makes_a_hook_raise_is_named(place: int) -> None:
    def hook(view: Any, params: Any, words: Any, out: Any) -> None:
        if (view.number == 13).any():
            raise ValueError("thirteen")

    numbers = np.zeros(10_000, np.int64)
    numbers[place:] = 13
    told = asked(hook, numbers, np.arange(500, 10_500, dtype=np.uint64))
    assert f"game {500 + place} " in told and "thirteen" in told


def test_it_is_the_lowest_game_in_whatever_order_they_are_asked() -> None:
    def hook(view: Any, params: Any, words: Any, out: Any) -> None:
        if (view.number > 0).any():
            raise ValueError("above")

    numbers = np.array([0, 1, 0, 2, 3, 0])
    told = asked(hook, numbers, np.array([10, 90, 30, 20, 40, 15], np.uint64))
    assert "game 20 " in told


def test_a_hook_that_raises_for_no_game_in_particular_is_said_to() -> None:
    times: list[int] = []

    def hook(view: Any, params: Any, words: Any, out: Any) -> None:
        times.append(out.size)
        if len(times) == 1:
            raise ValueError("the first time")

    told = asked(hook, np.zeros(8, np.int64), np.arange(8, dtype=np.uint64))
    assert "the first time" in told and "all games at once but not for some" in told
