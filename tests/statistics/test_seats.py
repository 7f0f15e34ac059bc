"""One test over all seats, and the intervals after it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analyzer.results import ResultSet
from analyzer.statistics import seats
from analyzer.statistics.intervals import leave_one_out, quantile
from analyzer.statistics.seats import seat_shares, seats_test, strategy_shares
from tests.statistics import samples


def run_of(winner: np.ndarray, players: int) -> ResultSet:
    """A run in which the given seats (-1: nobody) win alone."""
    base = samples.result(samples.records(30, players=players, hand_size=60 // players))
    wins = 60 * (winner[:, None] == np.arange(players))
    block = np.arange(len(winner)) % 256
    total = np.zeros((1, 256, players), dtype=np.int64)
    np.add.at(total[0], block, wins)
    games = np.bincount(block, minlength=256)[None]
    sums = {"games": games, "wins": np.moveaxis(total, 1, -1)}
    return replace(base, games=len(winner), sums=sums)


def test_p_value_is_hotellings() -> None:
    players, games = 4, 5000
    winner = np.random.default_rng(1).choice(players, size=games, p=(0.26, 0.25, 0.25, 0.24))
    found = seats_test(run_of(winner, players), samples.GAME)
    block = np.arange(games) % 256
    left_out = np.array(
        [[np.mean(winner[block != b] == seat) for seat in range(3)] for b in range(256)]
    )
    spread = left_out - left_out.mean(axis=0)
    covariance = 255 / 256 * spread.T @ spread
    difference = np.array([np.mean(winner == seat) for seat in range(3)]) - 0.25
    squared = difference @ np.linalg.inv(covariance) @ difference
    expected = stats.f.sf((255 - 3 + 1) / (255 * 3) * squared, 3, 255 - 3 + 1)
    assert found.p_value == pytest.approx(expected)


def test_with_two_seats_it_is_students_test() -> None:
    winner = np.random.default_rng(2).choice(2, size=200, p=(0.45, 0.55))
    found = seats_test(run_of(winner, 2), samples.GAME)
    assert found.p_value == pytest.approx(stats.ttest_1samp(winner, 0.5).pvalue)


def test_fair_seats_are_rejected_five_times_in_a_hundred() -> None:
    rng = np.random.default_rng(3)
    runs = 400
    p_values = [
        seats_test(run_of(rng.integers(0, 4, size=512), 4), samples.GAME).p_value
        for _ in range(runs)
    ]
    rejected = np.mean([p < 0.05 for p in p_values if p is not None])
    assert abs(rejected - 0.05) < 0.044


def rejected(games: int, players: int, runs: int) -> float:
    """How often equal seats are called unequal."""
    rng = np.random.default_rng(9)
    found = (
        seats_test(run_of(rng.integers(0, players, size=games), players), samples.GAME).p_value
        for _ in range(runs)
    )
    return float(np.mean([p < 0.05 for p in found if p is not None]))


@pytest.mark.long
def test_few_wins_are_tested_by_pearsons_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six seats in 30 games expect five wins each: their own spread is no measure for them."""
    assert rejected(30, 6, 1000) <= 0.07
    monkeypatch.setattr(seats, "FEWEST_WINS", 0)  # as it would be by the spread of the wins
    assert rejected(30, 6, 1000) > 0.1


def test_seats_that_are_alike_by_the_rules_are_not_tested() -> None:
    winner = np.random.default_rng(4).choice(4, size=2000, p=(0.4, 0.2, 0.2, 0.2))

    class Alike(samples.SampleGame):
        def seats_alike(self, rules: dict[str, Any], players: int) -> bool:
            return players == 4

    game: Any = Alike()
    found = seats_test(run_of(winner, 4), game)
    assert found.p_value is None and found.exchangeable
    five = seats_test(run_of(winner, 5), game)
    assert five.p_value is not None and not five.exchangeable
    # Alike for equal players only: whoever plays better may well win more.
    mixed = samples.result(samples.records(600, skill=(1.0, 0.0, 0.0, 0.0)))
    assert not seats_test(mixed, game).exchangeable


def test_a_seat_that_wins_more_is_found_and_its_advantage_told() -> None:
    winner = np.random.default_rng(4).choice(4, size=20_000, p=(0.28, 0.24, 0.24, 0.24))
    found = seats_test(run_of(winner, 4), samples.GAME)
    assert found.p_value is not None and found.p_value < 1e-6
    first = found.advantages[0]
    assert first.kind == "simultaneous"
    assert first.value == pytest.approx(0.03, abs=0.012)
    assert first.low is not None and first.high is not None and first.se is not None
    assert first.low > 0
    assert first.high - first.low == pytest.approx(2 * quantile(256, 4) * first.se)
    assert sum(one.value or 0.0 for one in found.advantages) == pytest.approx(0)


def test_a_seat_that_never_wins_is_tested_too() -> None:
    winner = np.random.default_rng(5).integers(0, 2, size=1000)
    found = seats_test(run_of(winner, 3), samples.GAME)
    assert found.p_value is not None and found.p_value < 1e-50
    always = seats_test(run_of(np.zeros(300, dtype=int), 2), samples.GAME)
    assert always.p_value == pytest.approx(stats.chisquare([300, 0]).pvalue)


def test_few_games_or_no_winner_give_no_p_value() -> None:
    assert seats_test(run_of(np.arange(29) % 4, 4), samples.GAME).p_value is None
    assert seats_test(run_of(np.full(300, -1), 4), samples.GAME).p_value is None


def test_unfinished_games_do_not_look_like_a_difference() -> None:
    winner = np.random.default_rng(6).integers(0, 4, size=10_000)
    winner[::3] = -1
    found = seats_test(run_of(winner, 4), samples.GAME)
    assert found.p_value is not None and found.p_value > 0.01


@pytest.mark.parametrize("games", [3, 30, 500, 1000])
def test_shares_are_plain_means_over_games(games: int) -> None:
    played = samples.records(games, skill=(0.0, 2.0, 0.0, -1.0), rotate=True)
    run = samples.result(played, rotate=True)
    totals = leave_one_out(run.sums, ("games", "wins"))
    np.testing.assert_allclose(seat_shares(totals)[0], (played.wins / 60).mean(axis=0))
    # Of one of the copies, two for "random": holders are sorted.
    won = [(played.wins * (played.sits == one)).sum() / 60 / games for one in range(3)]
    assert run.experiment.holders == ("random", "skill--1", "skill-2")
    np.testing.assert_allclose(
        strategy_shares(totals, run.experiment)[0], won / np.array([2, 1, 1])
    )
    # The same with one block left out.
    if games > 256:
        rest = np.arange(games) % 256 != 7
        won = [(played.wins * (played.sits == one))[rest].sum() / 60 for one in range(3)]
        np.testing.assert_allclose(
            strategy_shares(totals, run.experiment)[1 + 7], won / np.array([2, 1, 1]) / rest.sum()
        )


def test_first_player_advantage_comes_from_the_games_metric() -> None:
    run = samples.result(samples.records(1000))
    assert seats_test(run, samples.GAME).first_player_advantage.value is None
    wins = np.random.default_rng(7).binomial(run.sums["games"], 0.3)
    sums = {**run.sums, "first_wins": wins, "first_games": run.sums["games"]}
    found = seats_test(replace(run, sums=sums), samples.FIRST_PLAYER_GAME).first_player_advantage
    assert found.value == pytest.approx(wins.sum() / 1000 - 0.25)
    assert found.low is not None and found.high is not None
    assert found.low < found.value < found.high


def test_differing_strategies_are_confounded_with_seats_unless_rotated() -> None:
    skill = (0.0, 1.0, 0.0, 0.0)
    fixed = samples.result(samples.records(300, skill=skill))
    assert seats_test(fixed, samples.GAME).confounded
    moved = samples.result(samples.records(300, skill=skill, rotate=True), rotate=True)
    assert not seats_test(moved, samples.GAME).confounded


def test_games_without_a_winner_are_nobodys_disadvantage() -> None:
    winner = np.random.default_rng(8).choice(4, size=8000, p=(0.25,) * 4)
    winner[::2] = -1
    run = run_of(winner, 4)
    lost = np.bincount((np.arange(8000) % 256)[winner < 0], minlength=256)[None]
    # The beginner wins 40% of what is won; whole wins are counted in sixtieths.
    first = np.round(0.4 * 60 * (run.sums["games"] - lost)).astype(np.int64)
    sums = {
        **run.sums, "unfinished": lost, "first_wins": first, "first_games": 60 * run.sums["games"],
    }  # fmt: skip
    found = seats_test(replace(run, sums=sums), samples.FIRST_PLAYER_GAME)
    assert found.first_player_advantage.value == pytest.approx(0.5 * (0.4 - 0.25), abs=0.001)
    assert sum(one.value or 0.0 for one in found.advantages) == pytest.approx(0)
    assert max(abs(one.value or 0.0) for one in found.advantages) < 0.02
