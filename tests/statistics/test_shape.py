"""Percentiles with honest intervals, and what equal luck would bring."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from analyzer.results import LAST, MARGIN, RECORD, RECORDED, WINNERS
from analyzer.statistics.shape import _leading, by_block, equal_luck, percentile
from tests.statistics import samples


@pytest.mark.parametrize("part", [0.1, 0.25, 0.5, 0.75, 0.9])
def test_of_two_the_leader_wins_as_the_arcsine_says(part: float) -> None:
    wins = 0.5 + math.asin(math.sqrt(part)) / math.pi
    assert equal_luck(2, part) == pytest.approx(wins, abs=3e-4)
    assert equal_luck(2, part, first=False) == pytest.approx(1 - wins, abs=3e-4)


@pytest.mark.parametrize("players", [3, 4, 6])
@pytest.mark.parametrize("steps", [(1, 4), (2, 4), (9, 12)])
def test_of_more_it_is_what_random_walks_do(players: int, steps: tuple[int, int]) -> None:
    taken, whole = steps
    games = 200_000
    gains = np.random.default_rng(players).normal(size=(whole, players, games)).astype(np.float32)
    before, end = gains[:taken].sum(axis=0), gains.sum(axis=0)
    won = end.argmax(axis=0)
    for then, first in ((before.argmax(axis=0), True), (before.argmin(axis=0), False)):
        error = 5 * math.sqrt(0.25 / games)
        found = equal_luck(players, taken / whole, first=first)
        assert found == pytest.approx((then == won).mean(), abs=error)


def test_at_the_start_all_are_alike_and_at_the_end_all_is_settled() -> None:
    assert equal_luck(5, 0.0) == equal_luck(5, 0.0, first=False) == 0.2
    assert (equal_luck(5, 1.0), equal_luck(5, 1.0, first=False)) == (1.0, 0.0)


def test_intervals_of_percentiles_cover() -> None:
    """Of lengths that many games have in common, the true percentile is inside often enough."""
    chance = np.random.default_rng(1)
    known = np.ones((8, 256), bool)
    for share, true in ((0.05, 1), (0.5, 7), (0.95, 29)):  # of the geometric distribution of 0.1
        found = [percentile(chance.geometric(0.1, (8, 256)), known, share) for _ in range(100)]
        covered = sum(one.low <= true <= one.high for one in found)  # type: ignore[operator]
        assert covered >= 92
        assert all(one.low <= one.value <= one.high for one in found)  # type: ignore[operator]
        assert np.mean([one.high - one.low for one in found]) < 0.2 * true + 2  # type: ignore


def test_few_games_have_no_interval_and_equal_ones_a_short_one() -> None:
    values = np.full((1, 256), 4)
    few = np.arange(256)[None] < 20
    assert percentile(values, few, 0.5).low is None
    found = percentile(values, few | True, 0.5)
    assert (found.value, found.low, found.high) == (4, 4, 4)


def test_lot_and_luck_share_the_games_that_somebody_wins() -> None:
    entries, lengths = np.full((1, 256), 2), np.full((1, 256), 8)
    winners = np.ones((1, 256), np.int64)
    winners[:, ::2] = 0
    found = _leading(entries, lengths, winners, 1.0, 2, first=True)
    assert found.chance == pytest.approx(0.25)
    won = _leading(entries, lengths, np.ones_like(winners), 1.0, 2, first=True)
    assert won.chance == 0.5 and won.equal_luck == pytest.approx(2 * (found.equal_luck or 0.0))


def test_figures_by_block_have_all_blocks_of_the_run() -> None:
    """Whoever sets two figures against each other block by block needs the same blocks of both."""
    record = np.zeros((1, RECORDED, 64, 256), np.int64)
    record[0, MARGIN, 0, :40] = record[0, WINNERS, 0, :40] = 2
    record[0, LAST, 0, 3:9] = 1  # of few games it is known who was last
    played = samples.result(samples.records(40))
    result = dataclasses.replace(played, sums={**played.sums, RECORD: record})
    found = by_block(result)
    assert {len(one.values) for one in found.values()} == {41}
    assert (found["last_at_half_wins"].values == 0).all()
