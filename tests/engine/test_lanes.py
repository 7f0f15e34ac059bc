"""How many lanes suit a batch, and moving games to fewer."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.engine.lanes import fewer_lanes, fitting_lanes, half_of, move_lanes


@pytest.mark.parametrize("games", [1, 10, 1_000, 100_000, 10**7])
def test_lanes_grow_with_the_root_of_the_games(games: int) -> None:
    lanes = fitting_lanes(games, 5_952, least=256, squared_per_game=1000)
    assert lanes % 64 == 0 and (256 <= lanes <= 5_952)
    wanted = min(max((1000 * games) ** 0.5, 256), 5_952)
    assert wanted / 2 <= lanes <= 2 * wanted


def test_there_may_be_room_for_a_few_only() -> None:
    assert fitting_lanes(10**6, 64, least=256, squared_per_game=1000) == 64


def test_games_move_when_they_fit_in_a_quarter() -> None:
    assert fewer_lanes(4_096, 1_025, least=256) == 4_096
    assert fewer_lanes(4_096, 1_024, least=256) == 1_024
    assert fewer_lanes(4_096, 3, least=256) == 256
    assert fewer_lanes(4_096, 0, least=256) == 4_096
    assert fewer_lanes(512, 3, least=256) == 512
    assert half_of(192) == 128 and half_of(256) == 128


def test_what_is_moved_are_the_columns_of_living_games() -> None:
    source = np.arange(8, dtype=np.uint8), np.arange(16, dtype=np.uint64).reshape(2, 8)
    target = np.zeros(4, np.uint8), np.zeros((2, 4), np.uint64)
    move_lanes(source, target, np.array([1, 4, 6]))
    assert target[0].tolist() == [1, 4, 6, 1]
    assert target[1].tolist() == [[1, 4, 6, 1], [9, 12, 14, 9]]
