"""Turning final scores into shares of the win."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.compilation import kernel
from analyzer.contracts import WHOLE_WIN

__all__ = ["share_wins"]

TILE = 1024


@kernel
def share_wins(scores: NDArray[np.int16], wins: NDArray[np.uint8]) -> None:
    """Give each game's win to the highest score, in equal shares to those who tie.

    Parameters
    ----------
    scores
        (P, N) int16, P at most 6.
    wins
        (P, N) uint8, filled with shares in 1/60.
    """
    players, lanes = scores.shape
    best = np.empty(TILE, np.int16)
    tied = np.empty(TILE, np.uint8)
    shares = np.zeros(256, np.uint8)
    for ties in range(1, WHOLE_WIN + 1):
        shares[ties] = WHOLE_WIN // ties
    for start in range(0, lanes, TILE):
        size = min(TILE, lanes - start)
        end = start + size
        for g in range(size):
            best[g] = -32768
            tied[g] = 0
        for p in range(players):
            score = scores[p, start:end]
            for g in range(size):
                best[g] = max(best[g], score[g])
        for p in range(players):
            score = scores[p, start:end]
            for g in range(size):
                tied[g] = tied[g] + (np.uint8(1) if score[g] == best[g] else np.uint8(0))
        for g in range(size):
            tied[g] = shares[tied[g]]
        for p in range(players):
            score = scores[p, start:end]
            share = wins[p, start:end]
            for g in range(size):
                share[g] = tied[g] if score[g] == best[g] else np.uint8(0)
