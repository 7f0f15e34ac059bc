"""The sums that are kept of games, and how a round is added to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BLOCKS, Tally
from analyzer.kernels.compilation import kernel
from lowball.state import NOBODY, State

__all__ = ["add_games", "add_round", "shapes"]

Sums = NDArray[np.int64]


def shapes(numbers: int, detail: str) -> dict[str, tuple[int, ...]]:
    """Shapes of the sums, block axis excluded.

    ``rounds`` and ``claimed`` count rounds and those that somebody has won, ``winning`` adds up the
    numbers that have won one, ``shared`` counts games whose win is shared. For ``fairness``, row
    n - 1 of ``naming`` has how often the number n was named and how often it has won a round.
    """
    found: dict[str, tuple[int, ...]] = dict.fromkeys(
        ("rounds", "claimed", "winning", "shared"), ()
    )
    if detail == "fairness":
        found["naming"] = (numbers, 2)
    return found


def add_round(state: State, games: int, tally: Tally) -> None:
    """Add a round of the first ``games`` columns to the blocks of their games."""
    _round_kernel(state, games, tally["rounds"], tally["claimed"], tally["winning"])
    if "naming" in tally:
        _naming_kernel(state, games, tally["naming"])


def add_games(state: State, games: int, tally: Tally) -> None:
    """Add what is known of games at their end: that several players share the win."""
    tied = (state.wins[:, :games] > 0).sum(axis=0) > 1
    np.add.at(tally["shared"], np.flatnonzero(tied) % BLOCKS, 1)


@kernel
def _round_kernel(state: State, games: int, rounds: Sums, claimed: Sums, winning: Sums) -> None:
    # Columns hold consecutive games, the first of which belongs to block 0.
    for g in range(games):
        block = g % BLOCKS
        rounds[block] += 1
        if state.winner[g] != NOBODY:
            claimed[block] += 1
            winning[block] += state.choice[state.winner[g]][g]


@kernel
def _naming_kernel(state: State, games: int, naming: Sums) -> None:
    for g in range(games):
        for p in range(len(state.choice)):
            cell = naming[g % BLOCKS, state.choice[p][g] - 1]
            cell[0] += 1
            cell[1] += state.winner[g] == p
