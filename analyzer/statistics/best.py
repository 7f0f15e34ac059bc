"""Which of several is best, and which are not shown to be worse: multiple comparison with the best.

All play on the same chance, so that two of them are compared by differences taken block by block.
Let g be what is to be large: the figure, its negative, or the negative of its distance to a target.
With probability 95% all the one-sided intervals

    g_best - g_j <= (estimate) + q se,    j = 1 ... K

hold at once for the one that truly is best, whichever that is (Bonferroni). Where they hold it is
among the *candidates*, those i for which no g_i - g_j is shown to be below 0, and what the one that
looks best gives up against it is at most the largest upper limit of g_i - g_best over candidates.
J. C. Hsu (1984), Annals of Statistics 12:1136; for differences of unequal variance D. G. Edwards
and J. C. Hsu (1983), J. Am. Stat. Assoc. 78:965.

A distance to a target has a kink there, at which the jackknife fails. But with x and y the two
figures less the target, |y| - |x| = max over s of min over r of (s y - r x), s and r being 1 or -1:
upper limits of the smooth y - x, y + x, -y - x and x - y make one of the difference of distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analyzer.statistics.intervals import ALPHA, MIN_GAMES, Floats, estimate
from analyzer.statistics.tables import Estimate

Goal = Literal["highest", "lowest", "target"]


class Standing(NamedTuple):
    """Which of several is best.

    ``best`` looks best, ``candidates`` are those that are not shown to be worse than another, in
    order. ``loss_bound`` is the most that the best gives up against the truly best one, in the unit
    of the figure; None if it cannot be said.
    """

    best: int
    candidates: tuple[int, ...]
    loss_bound: float | None


def goodness(values: Floats, goal: Goal, target: float = 0.0) -> Floats:
    """What is to be large."""
    if goal == "highest":
        return values
    return -values if goal == "lowest" else -np.abs(values - target)


def compare_with_best(
    values: Floats, blocks: Sequence[Sequence[int]], goal: Goal, target: float = 0.0
) -> Standing:
    """Which of several figures is best, and which are not shown to be worse.

    Parameters
    ----------
    values
        (1 + B, K): K figures with their leave-one-out replicates, all finite.
    blocks
        K by B numbers that say what each figure is made of in each block: two figures with the same
        number do not differ there. Where a few blocks differ, their spread is known badly, however
        many there are.
    goal, target
        What is best: the highest, the lowest, or the nearest to the target.

    Returns
    -------
    Standing
        With fewer than 30 blocks nothing is shown.
    """
    many = values.shape[1]
    best = int(np.argmax(goodness(values[0], goal, target)))
    if many == 1:
        return Standing(best, (0,), 0.0)
    made = np.asarray(blocks, dtype=object)
    above = np.zeros((many, many))
    for i in range(many):
        differ = (made != made[i]).sum(axis=1).astype(int)
        above[i] = _upper(values, i, differ, goal, target)
        above[i, i] = 0.0
    candidates = tuple(int(i) for i in np.flatnonzero((above >= 0).all(axis=1)))
    candidates = tuple(sorted({*candidates, best}))
    bound = max([0.0, *(float(above[i, best]) for i in candidates)])
    return Standing(best, candidates, bound if np.isfinite(bound) else None)


def _upper(
    values: Floats, i: int, differ: NDArray[np.int64], goal: Goal, target: float
) -> NDArray[np.float64]:
    """(K,) upper limits of g_i - g_j for all j."""
    others = values.shape[1] - 1
    if goal != "target":
        sign = 1.0 if goal == "highest" else -1.0
        return _limit(sign * (values[:, [i]] - values), differ, others)
    x, y = values[:, [i]] - target, values - target
    free = np.full(len(differ), len(values) - 1)
    positive = np.minimum(_limit(y - x, differ, 2 * others), _limit(y + x, free, 2 * others))
    negative = np.minimum(_limit(-y - x, free, 2 * others), _limit(x - y, differ, 2 * others))
    return np.asarray(np.maximum(positive, negative))


def _limit(contrast: Floats, differ: NDArray[np.int64], family: int) -> NDArray[np.float64]:
    """(K,) one-sided upper limits of contrasts, each of a family that hold together."""
    left_out = contrast[1:]
    blocks = len(left_out)
    spread = left_out - left_out.mean(axis=0)
    errors = np.sqrt((blocks - 1) / max(blocks, 1) * (spread**2).sum(axis=0))
    free = np.minimum(differ, blocks) - 1
    with np.errstate(invalid="ignore"):
        widths = special.stdtrit(np.maximum(free, 1), 1 - ALPHA / family) * errors
    found = contrast[0] + np.where(differ == 0, 0.0, np.where(free < 1, np.inf, widths))
    # So few blocks tell how much might be given up, roughly, but settle nothing.
    few = (differ > 0) & (np.minimum(differ, blocks) < MIN_GAMES)
    return np.asarray(np.where(few, np.maximum(found, 0.0), found), dtype=np.float64)


def difference_of_distances(one: Floats, other: Floats, target: float) -> Estimate:
    """How much farther from a target one figure is than another, with its interval.

    Parameters
    ----------
    one, other
        (1 + B,) each, from the same games.
    """
    x, y = one - target, other - target
    found = float(abs(x[0]) - abs(y[0]))
    gap, total = (estimate(values, family=2) for values in (x - y, x + y))
    if gap.low is None or gap.high is None or total.low is None or total.high is None:
        return Estimate(found if np.isfinite(found) else None)
    low = max(min(gap.low, total.low), min(-total.high, -gap.high))
    high = max(min(gap.high, total.high), min(-total.low, -gap.low))
    return Estimate(found, low, high, "jackknife")
