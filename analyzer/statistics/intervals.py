"""One device for every interval: the delete-a-block jackknife.

Sums are kept in 256 blocks of games. An estimator is a function of totals whose leading axis has
the grand total in row 0 and, below, the totals without one block each; so one vectorized call
gives the estimate and all its replicates:

    totals = leave_one_out(result.sums, ("games", "wins"))
    shares = estimator(totals)            # (1 + blocks, ...)
    estimate(shares)                      # value, low, high

The standard error is se^2 = (B-1)/B * sum_b (t(-b) - mean)^2 over the B replicates and the
interval t +- q se with q the Student quantile with B-1 degrees of freedom (1.969 for 256 blocks);
Shao & Tu (1995), *The Jackknife and Bootstrap*, section 2.3 (deleting groups). Below 256 games a
block is a single game and B is the number of games.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analyzer.results import RECORD, Sums
from analyzer.statistics.tables import Estimate, Kind

__all__ = [
    "ALPHA",
    "MIN_GAMES",
    "Floats",
    "Totals",
    "covariance",
    "cross",
    "difference",
    "estimate",
    "estimates",
    "exact",
    "leave_one_out",
    "quantile",
    "ratio",
    "regression",
    "share_estimate",
    "standard_error",
    "wilson",
]

Floats = NDArray[np.float64]
Totals = Mapping[str, NDArray[np.int64]]

ALPHA = 0.05
"""One minus the confidence of every interval."""

MIN_GAMES = 30
"""Games below which no interval is given: the normal approximation has no footing."""


def leave_one_out(sums: Sums, names: Iterable[str] | None = None) -> dict[str, NDArray[np.int64]]:
    """Grand totals and totals without one block each.

    Parameters
    ----------
    sums
        Name -> int64 array with the blocks on the last axis; must hold ``"games"``.
    names
        Which of them; all but histograms and the `RECORD` by default.

    Returns
    -------
    dict
        Name -> (1 + B, ...) int64: row 0 the total of all blocks, row b the total without the
        b-th of the B blocks that hold any game.

    Raises
    ------
    ValueError
        If there is no game at all.
    """
    filled = np.flatnonzero(sums["games"].reshape(-1, sums["games"].shape[-1]).sum(axis=0))
    if filled.size == 0:
        raise ValueError("no games: there is nothing to estimate.")
    if names is None:
        names = [name for name in sums if name != RECORD and not name.endswith("_hist")]
    totals = {}
    for name in names:
        blocks = np.moveaxis(sums[name], -1, 0)[filled]
        total = blocks.sum(axis=0, keepdims=True)
        totals[name] = np.concatenate([total, total - blocks])
    return totals


@functools.cache
def quantile(blocks: int, family: int = 1) -> float:
    """Student quantile of a 95% interval, or of one of a family that shall hold together.

    Parameters
    ----------
    blocks
        Number of blocks B, at least 2; the degrees of freedom are B - 1.
    family
        Number of intervals that shall all cover with 95% probability (Bonferroni; Dunn 1961,
        J. Am. Stat. Assoc. 56:52).
    """
    return float(special.stdtrit(blocks - 1, 1 - ALPHA / (2 * family)))


def standard_error(replicates: Floats) -> Floats:
    """Jackknife standard error of each entry.

    Parameters
    ----------
    replicates
        (1 + B, ...): the estimate and its B leave-one-out replicates.

    Returns
    -------
    Floats
        (...): NaN where B < `MIN_GAMES` or a replicate cannot be computed.
    """
    left_out = replicates[1:]
    blocks = len(left_out)
    if blocks < MIN_GAMES:
        return np.full(replicates.shape[1:], np.nan)
    spread = left_out - left_out.mean(axis=0)
    return np.asarray(np.sqrt((blocks - 1) / blocks * (spread**2).sum(axis=0)), dtype=np.float64)


def covariance(replicates: Floats) -> Floats:
    """Jackknife covariance matrix of a vector of estimates.

    Parameters
    ----------
    replicates
        (1 + B, D).

    Returns
    -------
    Floats
        (D, D).
    """
    left_out = replicates[1:]
    blocks = len(left_out)
    spread = left_out - left_out.mean(axis=0)
    return np.asarray((blocks - 1) / blocks * (spread.T @ spread), dtype=np.float64)


def estimates(
    replicates: Floats, *, family: int = 1, bounds: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[Estimate, ...]:
    """A vector of estimates with jackknife intervals; see `estimate`.

    Parameters
    ----------
    replicates
        (1 + B, D).
    family
        Number of intervals that shall hold together; above 1 their kind is ``"simultaneous"``.
    bounds
        Range of the figure, to which intervals are cut.
    """
    errors = standard_error(replicates)
    blocks = len(replicates) - 1
    return tuple(
        _around(value, se, blocks, family, bounds)
        for value, se in zip(replicates[0].tolist(), errors.tolist(), strict=True)
    )


def estimate(
    replicates: Floats, *, family: int = 1, bounds: tuple[float, float] = (-math.inf, math.inf)
) -> Estimate:
    """One estimate with its jackknife interval.

    The interval is null with fewer than `MIN_GAMES` blocks, when a replicate cannot be computed,
    and when all replicates agree: a width of zero would claim certainty that sampling cannot give.

    Parameters
    ----------
    replicates
        (1 + B,).
    family, bounds
        As in `estimates`.
    """
    return estimates(replicates[:, None], family=family, bounds=bounds)[0]


def difference(
    one: Floats,
    other: Floats,
    *,
    family: int = 1,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """One estimate less another, from games that have nothing to do with each other.

    Errors are independent, so their squares add up; the degrees of freedom are those of the run
    with fewer blocks, which is never too many (Satterthwaite 1946, Biometrics Bull. 2:110). Of the
    same games take the difference of the replicates instead.

    Parameters
    ----------
    one, other
        (1 + B,) and (1 + B',).
    family, bounds
        As in `estimates`.
    """
    errors = [float(standard_error(replicates)) for replicates in (one, other)]
    blocks = min(len(one), len(other)) - 1
    return _around(float(one[0] - other[0]), math.hypot(*errors), blocks, family, bounds)


def share_estimate(
    replicates: Floats, successes: float, trials: float, *, family: int = 1
) -> Estimate:
    """A share in [0, 1]: jackknife interval, or Wilson's where successes or failures are rare.

    With fewer than `MIN_GAMES` successes or failures the jackknife is not to be trusted, and with
    none it has no width; Wilson's interval stays honest.

    Parameters
    ----------
    replicates
        (1 + B,).
    successes
        Number of successes; ties may make it fractional (then Wilson's interval is on the wide
        side, since a shared win varies less than a whole one).
    trials
        Number of games.
    """
    value = float(replicates[0])
    blocks = len(replicates) - 1
    if not math.isfinite(value) or blocks < MIN_GAMES:
        return Estimate(value if math.isfinite(value) else None)
    if min(successes, trials - successes) < MIN_GAMES:
        low, high = wilson(successes, trials, family=family)
        return Estimate(value, low, high, "wilson")
    return estimate(replicates, family=family, bounds=(0.0, 1.0))


def wilson(successes: float, trials: float, *, family: int = 1) -> tuple[float, float]:
    """Wilson's score interval of a share; never of zero width.

    Wilson (1927), J. Am. Stat. Assoc. 22:209.

    Raises
    ------
    ValueError
        If there are no trials, or more successes than trials.
    """
    if trials <= 0 or not 0 <= successes <= trials:
        raise ValueError(f"no share can be made of {successes} successes in {trials} trials.")
    z = float(special.ndtri(1 - ALPHA / (2 * family)))
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = (
        z
        / (1 + z * z / trials)
        * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    )
    # At the edges the formula gives exactly 0 or 1; rounding must not step over them.
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return low, high


def exact(values: Any) -> NDArray[np.object_]:
    """The same integers as Python ints, which neither overflow nor round."""
    return np.asarray(values).astype(object)


def cross(n: Any, product: Any, x: Any, y: Any) -> NDArray[np.object_]:
    """``n * sum(xy) - sum(x) * sum(y)`` in exact integers, elementwise.

    This is n^2 times the covariance; in int64 it overflows from some 10^9 games on, and in floats
    it cancels.
    """
    return exact(exact(n) * exact(product) - exact(x) * exact(y))


def ratio(numerator: Any, denominator: Any) -> Floats:
    """Quotient of exact integers, correctly rounded; NaN where the denominator is 0.

    Parameters
    ----------
    numerator, denominator
        Integers or object arrays of Python ints that broadcast together.

    Returns
    -------
    Floats
        Their broadcast shape.
    """
    top, bottom = np.broadcast_arrays(exact(numerator), exact(denominator))
    quotients = [a / b if b else math.nan for a, b in zip(top.flat, bottom.flat, strict=True)]
    return np.array(quotients, dtype=np.float64).reshape(top.shape)


def regression(n: Any, x: Any, xx: Any, y: Any, xy: Any) -> Floats:
    """Slope of the least-squares line of y on x from integer sums; NaN if x does not vary."""
    return ratio(cross(n, xy, x, y), cross(n, xx, x, x))


def _around(
    value: float, se: float, blocks: int, family: int, bounds: tuple[float, float]
) -> Estimate:
    """A value with the interval that its standard error makes, if there is a usable one."""
    if not math.isfinite(value):
        return Estimate(None)
    if not math.isfinite(se) or se <= _noise(value):
        return Estimate(value)
    kind: Kind = "jackknife" if family == 1 else "simultaneous"
    half = quantile(blocks, family) * se
    return Estimate(value, max(value - half, bounds[0]), min(value + half, bounds[1]), kind, se)


def _noise(value: float) -> float:
    """Below this a standard error is rounding, not spread."""
    return 1e-13 * max(1.0, abs(value))
