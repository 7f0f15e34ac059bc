"""Every distinct seating comes equally often, in every block, whatever order is typed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, pairwise, permutations
from math import factorial, prod

import pytest

from analyzer.contracts import BLOCKS
from analyzer.experiment import Experiment
from analyzer.seating import blocks_offset, distinct_seatings, seating_number


def tables() -> list[tuple[str, ...]]:
    """One table for each way in which two to six players may be copies of each other."""
    found = {}
    for players in range(2, 7):
        for table in combinations_with_replacement("abcdef"[:players], players):
            found.setdefault(tuple(sorted(Counter(table).values())), table)
    return list(found.values())


TABLES = tables()


def many(table: tuple[str, ...]) -> int:
    """How many seatings a table has: the multinomial coefficient."""
    return factorial(len(table)) // prod(factorial(n) for n in Counter(table).values())


def experiment(table: tuple[str, ...], rotate: bool = True) -> Experiment:
    return Experiment("turnthetide", table, {}, 1000, 1, "simulate", rotate)


def test_all_kinds_of_tables_are_looked_at() -> None:
    assert len(TABLES) == 2 + 3 + 5 + 7 + 11  # partitions of 2 to 6
    assert {1, 2, 3, 4, 6, 12, 24, 30, 60, 90, 120, 180, 360, 720} <= {many(t) for t in TABLES}


@pytest.mark.parametrize("table", TABLES, ids="".join)
def test_every_arrangement_comes_once(table: tuple[str, ...]) -> None:
    seatings = distinct_seatings(table)
    assert len(seatings) == len(set(seatings)) == many(table)
    assert set(seatings) == set(permutations(table))


@pytest.mark.parametrize("players", range(2, 7))
def test_every_run_of_seatings_is_a_latin_square(players: int) -> None:
    seatings = distinct_seatings(tuple("abcdef"[:players]))
    for start in range(0, len(seatings), players):
        run = seatings[start : start + players]
        for seat in range(players):
            assert {seating[seat] for seating in run} == set("abcdef"[:players])
        # One circular order: from each, the next has everybody one seat on.
        assert all(after == (*before[-1:], *before[:-1]) for before, after in pairwise(run))


def test_copies_too_have_sat_everywhere_after_one_round() -> None:
    for table in (("a", "b", "b", "b"), ("a", "b", "b"), ("a", "b", "b", "c")):
        run = distinct_seatings(table)[: len(table)]
        assert all(sum(seating[seat] == "a" for seating in run) == 1 for seat in range(len(table)))


@pytest.mark.parametrize("table", TABLES, ids="".join)
def test_the_order_that_is_typed_means_nothing(table: tuple[str, ...]) -> None:
    for other in list(permutations(table))[:: max(1, many(table) // 7)]:
        assert distinct_seatings(other) == distinct_seatings(table)
        assert experiment(other).holders == experiment(table).holders
        assert experiment(other).seating_of(4711) == experiment(table).seating_of(4711)


@pytest.mark.parametrize("seatings", sorted({many(table) for table in TABLES}))
def test_every_block_meets_every_seating_once_a_period(seatings: int) -> None:
    period = BLOCKS * seatings
    met = {(game % BLOCKS, seating_number(game, seatings)) for game in range(period)}
    assert len(met) == period
    # And the next period is like the first.
    assert all(
        seating_number(game + period, seatings) == seating_number(game, seatings)
        for game in range(period)
    )
    # Games in a row take seatings in a row, but for one that is passed over every 256 games.
    steps = [
        (seating_number(game + 1, seatings) - seating_number(game, seatings)) % seatings
        for game in range(2 * BLOCKS)
    ]
    beyond = [game for game, step in enumerate(steps) if step != 1 % seatings]
    assert beyond == ([255, 511] if seatings > 1 else [])


@pytest.mark.parametrize("seatings", sorted({many(table) for table in TABLES}))
def test_the_games_of_a_seating_are_found_by_block(seatings: int) -> None:
    every: list[list[int]] = [[-1] * BLOCKS for _ in range(seatings)]
    for game in range(BLOCKS * seatings):
        number, block = seating_number(game, seatings), game % BLOCKS
        assert every[number][block] == -1
        every[number][block] = game
    for number in {*range(min(seatings, 30)), seatings // 2, seatings - 1}:
        assert blocks_offset(number, seatings) == every[number]


def test_without_moving_there_is_one_seating() -> None:
    fixed = experiment(("c", "a", "b"), rotate=False)
    assert fixed.seatings == (("c", "a", "b"),)
    assert {fixed.seating_of(game) for game in (0, 1, 255, 256, 10_000)} == {("c", "a", "b")}
    assert fixed.period == BLOCKS
    moved = experiment(("c", "a", "b"))
    assert moved.period == 6 * BLOCKS
    assert moved.seating_of(0) == ("a", "b", "c") != moved.seating_of(1)
