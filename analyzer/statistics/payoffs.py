"""What payoffs among strategies say: circles in which each beats the next, and mixtures."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.statistics.intervals import Floats

__all__ = ["circles", "nash_mixture"]

NOTHING = 1e-5
"""A part of a mixture below this is rounding of the solver."""


def circles(beats: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Circles in which each beats the next one, and the last the first.

    Parameters
    ----------
    beats
        (k, k): whether one is shown to beat another; at most one of two beats the other.

    Returns
    -------
    list of tuple of int
        All circles of three, each from its lowest number on; without any a shortest circle, if
        there is a longer one.
    """
    many = len(beats)
    found: list[tuple[int, ...]] = [
        (a, b, c)
        for a in range(many)
        for b in range(a + 1, many)
        for c in range(a + 1, many)
        if beats[a, b] and beats[b, c] and beats[c, a]
    ]
    if found:
        return found
    longer = [circle for start in range(many) if (circle := _back_to(beats, start))]
    return [min(longer, key=len)] if longer else []


def _back_to(beats: NDArray[np.bool_], start: int) -> tuple[int, ...]:
    """A shortest way from one back to itself, without its end; empty if there is none."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for there in np.flatnonzero(beats[here]).tolist():
            if there == start:
                way = [here]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return tuple(reversed(way))
            if there not in before:
                before[there] = here
                waiting.append(there)
    return ()


def nash_mixture(payoffs: Floats) -> Floats | None:
    """The mixture that nobody wins from: of all such ones that of greatest entropy.

    It is unique, and equal strategies share alike; Balduzzi, Tuyls, Perolat & Graepel (2018),
    "Re-evaluating evaluation", NeurIPS 31.

    Parameters
    ----------
    payoffs
        (k, k), antisymmetric: what the row's strategy wins from the column's, less what it loses.

    Returns
    -------
    Floats or None
        (k,) parts, at least 0, whose sum is 1; None if none was found.
    """
    from scipy import optimize

    many = len(payoffs)
    ones = np.ones((1, many))
    # Some mixture wins at least nothing from everybody: the value of the game is 0.
    first = optimize.linprog(
        np.zeros(many), A_ub=-payoffs.T, b_ub=np.zeros(many), A_eq=ones, b_eq=[1.0], bounds=(0, 1)
    )
    if first.x is None:
        return None
    scale = float(np.abs(payoffs).max()) or 1.0

    def disorder(parts: Floats) -> float:
        return float((parts * np.log(np.maximum(parts, 1e-300))).sum())

    minimize: Any = optimize.minimize  # the stubs know too little of constraints
    best = minimize(
        disorder,
        0.9 * first.x + 0.1 / many,
        jac=lambda parts: np.log(np.maximum(parts, 1e-12)) + 1,
        bounds=[(0.0, 1.0)] * many,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: ones[0]},
            {
                "type": "ineq",
                "fun": lambda p: payoffs.T @ p / scale,
                "jac": lambda p: payoffs.T / scale,
            },
        ],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    for parts in (best.x, first.x):
        mixture = np.where(parts < NOTHING, 0.0, parts)
        mixture = mixture / mixture.sum()
        if (payoffs.T @ mixture).min() >= -1e-3 * scale:
            return np.asarray(mixture, np.float64)
    return None
