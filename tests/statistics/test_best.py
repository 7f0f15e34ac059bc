"""Multiple comparison with the best: known answers, and how often it is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from analyzer.statistics.best import Goal, compare_with_best

BLOCKS = 256


def replicates(samples: np.ndarray) -> np.ndarray:
    """(1 + B, K) means of (B, K) block means, and those without a block each."""
    total = samples.sum(axis=0)
    return np.vstack([total / len(samples), (total - samples) / (len(samples) - 1)])


def unlike(many: int, blocks: int = BLOCKS) -> list[list[int]]:
    return [[1000 * k + b for b in range(blocks)] for k in range(many)]


def test_the_limits_are_those_of_paired_differences() -> None:
    rng = np.random.default_rng(1)
    samples = rng.normal(size=(BLOCKS, 1)) * 5 + rng.normal(size=(BLOCKS, 3)) + [0.0, 0.6, 0.5]
    found = compare_with_best(replicates(samples), unlike(3), "highest")
    assert found.best == 2
    gaps = samples[:, [2]] - samples
    error = gaps.std(axis=0, ddof=1) / np.sqrt(BLOCKS)
    q = special.stdtrit(BLOCKS - 1, 1 - 0.05 / 2)
    expected = [k for k in range(3) if k == 2 or gaps[:, k].mean() - q * error[k] <= 0]
    assert list(found.candidates) == expected and 0 not in expected
    bound = max(-gaps[:, k].mean() + q * error[k] for k in expected if k != 2)
    assert found.loss_bound == pytest.approx(bound)


def test_the_limits_of_distances_are_those_of_two_contrasts_each() -> None:
    """Both figures far above the target: the distances differ as the figures do."""
    samples = np.random.default_rng(6).normal([25.0, 25.05, 25.1], size=(BLOCKS, 3))
    found = compare_with_best(replicates(samples), unlike(3), "target", 20.0)
    q = special.stdtrit(BLOCKS - 1, 1 - 0.05 / 4)
    gaps = samples - samples[:, [found.best]]
    error = gaps.std(axis=0, ddof=1) / np.sqrt(BLOCKS)
    others = [k for k in found.candidates if k != found.best]
    assert others
    bound = max(-gaps[:, k].mean() + q * error[k] for k in others)
    assert found.loss_bound == pytest.approx(bound)


@pytest.mark.parametrize("goal", ["highest", "lowest", "target"])
def test_the_truly_best_is_left_out_in_at_most_five_of_a_hundred(goal: Goal) -> None:
    """Four equal ones, each as good as the others: of these none may be dropped."""
    rng = np.random.default_rng(2)
    means = np.array([1.0, 1.0, 1.0, 1.0, -1.0]) * (-1 if goal == "lowest" else 1)
    if goal == "target":
        means = np.array([0.5, -0.5, 0.5, -0.5, 2.0])
    dropped = lost = 0
    for _ in range(400):
        samples = rng.normal(size=(BLOCKS, 5)) + rng.normal(size=(BLOCKS, 1)) + means
        found = compare_with_best(replicates(samples), unlike(5), goal, 0.0)
        assert 4 not in found.candidates
        dropped += 0 not in found.candidates  # whichever of the four is taken for the best
        lost += found.loss_bound is not None and found.loss_bound < 0
    assert dropped <= 0.05 * 400 + 3 * np.sqrt(400 * 0.05 * 0.95)
    assert lost == 0


def test_a_distance_is_known_where_its_kink_is() -> None:
    """Two on the target and one off it: the jackknife of distances would call one of two worse."""
    rng = np.random.default_rng(3)
    worse = 0
    for _ in range(200):
        samples = rng.normal([20.0, 20.0, 21.0], size=(BLOCKS, 3))
        found = compare_with_best(replicates(samples), unlike(3), "target", 20.0)
        assert 2 not in found.candidates
        worse += len(found.candidates) == 1
    assert worse <= 10


def test_what_does_not_differ_is_not_worse_and_costs_nothing() -> None:
    samples = np.random.default_rng(4).normal(size=(BLOCKS, 2))
    values = replicates(samples[:, [0, 0, 1]] + [0.0, 0.0, -2.0])
    made = unlike(3)
    made[1] = made[0]
    found = compare_with_best(values, made, "highest")
    assert found.candidates == (0, 1) and found.loss_bound == 0.0


def test_few_blocks_that_differ_show_nothing() -> None:
    """Seven blocks of 256: their spread is hardly known, however far apart the figures are."""
    samples = np.zeros((BLOCKS, 2))
    samples[:7, 1] = 1.0
    made = [list(range(BLOCKS)), list(range(BLOCKS))]
    made[1][:7] = range(1000, 1007)
    found = compare_with_best(replicates(samples), made, "highest")
    assert found.best == 1 and found.candidates == (0, 1)
    made[1] = list(range(1000, 1000 + BLOCKS))
    assert compare_with_best(replicates(samples), made, "highest").candidates == (1,)


def test_too_few_games_show_nothing_and_promise_nothing() -> None:
    samples = np.random.default_rng(5).normal([0.0, 9.0, 18.0], size=(20, 3))
    found = compare_with_best(replicates(samples), unlike(3, 20), "highest")
    assert found.candidates == (0, 1, 2) and found.best == 2
