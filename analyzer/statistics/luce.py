"""Strengths that tell who wins a table: Luce's choice rule, fitted to shared wins.

At a table where strategy i has k_i copies, one of them wins with probability

    p_i = k_i pi_i / sum_j k_j pi_j

(Luce 1959, *Individual Choice Behavior*; for two players Bradley & Terry 1952). The strengths
pi > 0 make the likelihood sum_i w_i log p_i over all tables largest, w_i what all copies of i won
there. Shared wins count as the fractions they are: the estimating equations, observed wins equal
expected ones, hold for shares as for whole wins (Papke & Wooldridge 1996, J. Appl. Econom. 11:619).

There is one largest value exactly if, however the strategies are parted in two, somebody of either
part wins from somebody of the other (Ford 1957, Am. Math. Mon. 64:28; Hunter 2004, Ann. Stat.
32:384, assumption 1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.statistics.intervals import Floats

__all__ = ["fit", "losers", "win_shares"]

MOST_STEPS = 200
LONGEST_STEP = 2.0
"""How far a logarithm may move in a step, which keeps the first ones from overshooting."""
NEAR = 1e-10


def losers(copies: NDArray[np.int64], wins: NDArray[np.int64]) -> tuple[int, ...]:
    """A group of strategies that wins from none of the others; empty if there is no such group.

    Parameters
    ----------
    copies
        (tables, strategies): how many sit there.
    wins
        (tables, strategies): what they won together, in any unit.

    Returns
    -------
    tuple of int
        Their numbers: of all such groups the smallest one. With none strengths can be fitted.
    """
    reach = ((wins > 0).T.astype(np.int64) @ (copies > 0).astype(np.int64)) > 0
    np.fill_diagonal(reach, True)
    for _ in range(len(reach).bit_length()):  # paths twice as long each time
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    groups = [tuple(np.flatnonzero(row).tolist()) for row in reach]
    smallest = min(groups, key=len)
    return smallest if len(smallest) < len(reach) else ()


def fit(copies: NDArray[np.int64], wins: Floats, start: Floats | None = None) -> Floats:
    """Logarithms of the strengths that make the wins most likely, their mean 0.

    By Newton's method: the logarithm of the likelihood is concave in those of the strengths.

    Parameters
    ----------
    copies
        (tables, strategies).
    wins
        (tables, strategies), at least 0, in any unit.
    start
        (strategies,): where to begin; zeros by default.

    Returns
    -------
    Floats
        (strategies,); NaN if there is no largest likelihood, see `losers`.
    """
    many = copies.shape[1]
    found = np.zeros(many) if start is None else start.copy()
    won = wins.sum(axis=1, keepdims=True)
    # Strengths have no scale: this keeps the matrix from being singular along it.
    scale = np.full((many, many), max(float(won.sum()), 1.0) / many**2)
    for _ in range(MOST_STEPS):
        shares = win_shares(copies, found)
        expected = won * shares
        curvature = np.diag(expected.sum(axis=0)) - shares.T @ expected
        try:
            step = np.linalg.solve(curvature + scale, (wins - expected).sum(axis=0))
        except np.linalg.LinAlgError:
            break
        longest = float(np.abs(step).max())
        if not np.isfinite(longest):
            break
        found = found + step * min(1.0, LONGEST_STEP / longest) if longest > 0 else found
        found -= found.mean()
        if longest < NEAR:
            return found
    return np.full(many, np.nan)


def win_shares(copies: NDArray[np.int64], strengths: Floats) -> Floats:
    """(tables, strategies) how likely it is that a copy of each wins.

    Parameters
    ----------
    copies
        (tables, strategies).
    strengths
        (strategies,) logarithms.
    """
    shares = copies * np.exp(strengths - strengths.max())
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)
