"""Who led after each unit of a game's length, however many units there turn out to be."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.kernels.trail import Trail
from analyzer.plugins import find_game
from analyzer.results import RECORD
from analyzer.study import make_request


def noted(units: int) -> Trail:
    """One game in which two players take turns at leading."""
    trail = Trail(1)
    for unit in range(1, units + 1):
        values = np.array([[unit % 2], [1 - unit % 2]])
        trail.note(np.zeros(1, np.int64), np.array([unit]), values)
    return trail


@pytest.mark.parametrize("units", [1, 63, 64, 65, 300])
def test_room_is_made_for_long_games(units: int) -> None:
    course = noted(units).course(np.array([[60], [0]], np.uint8))
    assert course.length.tolist() == [units + 1]
    # The winner leads at the end and after every odd unit.
    assert course.lead_changes.tolist() == [units - units % 2]


def test_several_units_at_once_need_room_only_once() -> None:
    trail = Trail(2)
    trail.note(np.arange(2), np.array([1000, 3]), np.array([[5, 5], [5, 4]]))
    assert trail.room >= 1000
    assert trail.rows.lengths.tolist() == [1001, 4]
    assert trail.rows.leaders[0, 999] == 0b11
    assert trail.rows.leaders[1, 2] == 0b01
    assert trail.rows.last[1, 2] == 0b10


@pytest.mark.parametrize("rules", [{}, {"match_points": 20}])
def test_games_go_on_where_room_was_made(
    rules: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = make_request(
        "simulate",
        find_game("switch16"),
        strategies=["greedy/leader/deny:16", "never/never/hold"],
        rules=rules,
        games=700,
        seed=5,
    ).experiment()
    whole = run(experiment).sums
    monkeypatch.setattr("analyzer.kernels.trail.ROOM", 1)
    grown = run(experiment).sums
    assert all(np.array_equal(whole[name], grown[name]) for name in whole)
    assert whole[RECORD].any()
