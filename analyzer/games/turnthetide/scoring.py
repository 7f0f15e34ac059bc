"""The end of a round: preservers left are points, and the lowest tide has a bonus."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.games.turnthetide.state import TILE, Board, Bytes, Scores, SignedBytes
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.rows import fill

NEVER_LOWEST = 255


@row_kernel
def score_kernel(
    board: Board, scores: Scores, round_number: int, bonus: int, eliminated_too: bool
) -> None:
    """Score a finished round: preservers left, or -1 if eliminated, and the lowest tide's bonus."""
    points, total = scores.by_round[round_number], scores.total
    shown, lives, alive = board.shown, board.lives, board.alive
    players, lanes = points.shape
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        lowest = board.scratch[0, : end - start]
        fill(lowest, np.uint8(NEVER_LOWEST))
        for p in range(players):
            _find_lowest(shown[p, start:end], alive[p, start:end], eliminated_too, lowest)
        for p in range(players):
            _score(
                shown[p, start:end], lives[p, start:end], alive[p, start:end], lowest,
                np.int8(bonus), eliminated_too, points[p, start:end],
                total[p, start:end], total[players + p, start:end],
            )  # fmt: skip


@row_kernel
def _find_lowest(shown: Bytes, alive: Bytes, eliminated_too: bool, lowest: Bytes) -> None:
    """Take a seat's tide into the lowest that can have the bonus."""
    for g in range(shown.size):
        tide = shown[g]
        lived = alive[g]
        least = lowest[g]
        level = tide if (lived != 0) | eliminated_too else np.uint8(NEVER_LOWEST)
        lowest[g] = min(least, level)


@row_kernel
def _score(
    shown: Bytes,
    lives: SignedBytes,
    alive: Bytes,
    lowest: Bytes,
    bonus: np.int8,
    eliminated_too: bool,
    points: SignedBytes,
    scores: NDArray[np.int16],
    scores_again: NDArray[np.int16],
) -> None:
    """Score a seat's round."""
    for g in range(shown.size):
        tide = shown[g]
        least = lowest[g]
        left = lives[g]
        lived = alive[g]
        before = scores[g]
        kept = left if lived != 0 else np.int8(-1)
        gift = bonus if (tide == least) & ((lived != 0) | eliminated_too) else np.int8(0)
        won = np.int8(kept + gift)
        total = np.int16(before + won)
        points[g] = won
        scores[g] = total
        scores_again[g] = total
