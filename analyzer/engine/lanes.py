"""Lanes for games that differ in length: how many of them suit a batch, and moving to fewer.

A lane whose game has ended takes up the next one of the batch. Which one that is, each game decides
for itself: one that counts its sums by lane needs games of the lane's own block, one that deals
games ahead, many at a time, takes them in order. The functions of this module suit both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.kernels.rows import CACHE_LINE

__all__ = ["fewer_lanes", "fitting_lanes", "half_of", "move_lanes"]


def half_of(lanes: int) -> int:
    """Half as many lanes, rounded up so that rows of bytes fill cache lines."""
    return -(-lanes // (2 * CACHE_LINE)) * CACHE_LINE


def fitting_lanes(games: int, most: int, *, least: int, squared_per_game: int) -> int:
    """How many lanes suit so many games: the fewer, the shorter the end, when most lanes are idle.

    The best number grows with the root of the games, since a step costs a fixed time for its calls
    and another one for each lane.

    Parameters
    ----------
    most
        Lanes there is room for; the result is this halved as often as needed.
    least
        Not halved below this.
    squared_per_game
        Square of the lanes that suit a single game, as measured.
    """
    lanes = most
    while lanes >= 2 * least and lanes * lanes > squared_per_game * games:
        lanes = half_of(lanes)
    return lanes


def fewer_lanes(lanes: int, living: int, *, least: int) -> int:
    """How many lanes to go on in when only so many games are left and no more are to be taken up.

    A quarter, or a quarter of that, as soon as the games left fit: moving costs as much as some
    steps. The same number if it is not worth while.
    """
    while living and lanes >= 4 * least and living <= half_of(half_of(lanes)):
        lanes = half_of(half_of(lanes))
    return lanes


def move_lanes(
    source: Iterable[NDArray[Any]], target: Iterable[NDArray[Any]], living: NDArray[np.intp]
) -> None:
    """Copy the columns of games that go on to the fewer lanes of another workspace.

    Lanes left over repeat some of them: the game has to mark those as idle.

    Parameters
    ----------
    source, target
        Arrays of the state in the same order, lanes in the last axis.
    living
        Lanes of the source whose games go on, not more than the target has; at least one.
    """
    columns = living[:0]
    for old, new in zip(source, target, strict=True):
        if columns.size != new.shape[-1]:  # hardly ever: most arrays have as many
            columns = np.resize(living, new.shape[-1])
        new[...] = old[..., columns]
