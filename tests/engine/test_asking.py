"""Who is asked together, and which illegal answer is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.engine.asking import (
    AskedGames,
    IllegalAnswer,
    failure,
    policy_groups,
    question,
    wants_chance,
)
from analyzer.errors import StrategyFailed
from tests.games.turnthetide.told import seated


class View(NamedTuple):
    active: NDArray[np.uint8]


def one(view: Any, params: Any, words: Any, out: Any) -> None:
    out[:] = 1


def two(view: Any, params: Any, words: Any, out: Any) -> None:
    raise ValueError("two")


def table(**changes: Any) -> list[Any]:
    """Four seats of different strategies that answer alike; fields of the last one are changed."""
    seats = [seated(one) for _ in range(4)]
    for number, seat in enumerate(seats):
        seat.strategy = replace(
            seat.strategy, spec=f"strategy-{number}", params={"card": (0, np.zeros(3))}
        )
    seats[3].strategy = replace(seats[3].strategy, **changes)
    return seats


def members(*arguments: Any) -> list[tuple[int, ...]]:
    return [group.members for group in policy_groups(*arguments)]


def test_seats_with_the_same_function_and_parameters_are_asked_together() -> None:
    assert members(table(), "card") == [(0, 1, 2, 3)]
    group = policy_groups(table(), "card")[0]
    assert group.mask == 15 and group.marks(5).tolist() == [1, 1, 1, 1, 0]


@pytest.mark.parametrize(
    "changes",
    [
        {"hooks": {"card": two}},
        {"params": {"card": (1, np.zeros(3))}},
        {"params": {"card": (0, np.ones(3))}},
        {"params": {"card": (0, np.zeros(3), 1)}},
        {"sees": frozenset({"time"})},
        {"stochastic": frozenset({"card"})},
        {"expensive": True},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_whatever_may_make_another_answer_makes_another_group(changes: dict[str, Any]) -> None:
    assert members(table(**changes), "card") == [(0, 1, 2), (3,)]


def test_whole_strategies_are_alike_if_they_are_the_same() -> None:
    seats = table()
    seats[3].strategy = seats[1].strategy
    assert members(seats) == [(0,), (1, 3), (2,)]


def test_those_who_are_not_asked_are_left_out() -> None:
    seats = table(hooks={})
    assert members(seats, "card") == [(0, 1, 2)]
    assert members(seats, "card", [two]) == [(0, 1, 2)]
    assert members(seats, "card", [two, one]) == []


def test_a_failure_is_told_of_the_games_in_the_columns() -> None:
    games = AskedGames(
        lambda: 2, lambda column: 90 - column, lambda column, decision: f"turn {column + 1}"
    )
    words = np.zeros(2, np.uint64)
    seat = seated(two)
    ask = question(seat, "card", View(np.ones(2, np.uint8)), words, np.zeros(2, np.uint8), games)
    seat.games = np.zeros(2, np.uint64)
    with pytest.raises(StrategyFailed, match=r"game 89 .*turn 2, decision 'card'"):
        ask()
    assert games.size == 2


def test_chance_is_for_those_who_declare_it_and_cannot_be_written() -> None:
    given = []

    def look(view: Any, params: Any, words: Any, out: Any) -> None:
        given.append(words)

    seat = seated(look)
    words, out = np.arange(2, dtype=np.uint64), np.zeros(2, np.uint8)
    games = AskedGames(lambda: 2, int, lambda column, decision: "")
    for stochastic in (frozenset[str](), frozenset({"card"})):
        seat.strategy = replace(seat.strategy, stochastic=stochastic)
        question(seat, "card", View(np.ones(2, np.uint8)), words, out, games)()
    assert wants_chance(seat, "card") and not wants_chance(seat, "other")
    assert given[0] is None
    assert given[1].tolist() == [0, 1] and not given[1].flags.writeable and words.flags.writeable


def test_the_lowest_game_is_told() -> None:
    seat = seated(one)
    illegal = [IllegalAnswer(seat, game, f"turn {game}", "card", "no") for game in (7, 5, 6)]
    assert "game 5 " in str(failure(illegal)) and "turn 5, decision 'card'" in str(failure(illegal))
    with pytest.raises(RuntimeError, match="nobody"):
        failure([])
