"""Turning final scores into shares of the win."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.rows import rows

__all__ = ["share_wins"]

TILE = 1024
SHARES = np.array([0] + [WHOLE_WIN // ties for ties in range(1, 7)], np.uint8)


def share_wins(scores: NDArray[np.int16], wins: NDArray[np.uint8]) -> None:
    """Give each game's win to the highest score, in equal shares to those who tie.

    Parameters
    ----------
    scores
        (P, N) int16, P at most 6.
    wins
        (P, N) uint8, filled with shares in 1/60.
    """
    _share_kernel(scores, SHARES, rows(TILE, np.int16), rows(TILE, np.uint8), wins)


@row_kernel
def _share_kernel(
    scores: NDArray[np.int16],
    shares: NDArray[np.uint8],
    best: NDArray[np.int16],
    tied: NDArray[np.uint8],
    wins: NDArray[np.uint8],
) -> None:
    players, lanes = scores.shape
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
