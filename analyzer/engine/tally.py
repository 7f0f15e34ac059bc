"""Integer sums of what happened, kept in 256 blocks and merged exactly.

While games are played a sum has shape (256, ...): the block first. `finished` turns it into the
saved form: rotation class first, block last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.compilation import row_kernel
from analyzer.contracts import Game, Outcome, Tally
from analyzer.experiment import BLOCKS, Experiment

__all__ = ["add", "add_outcome", "finished", "new_tally"]

HISTOGRAM = "score_hist"


def new_tally(game: Game, experiment: Experiment) -> Tally:
    """All sums at zero, for one rotation class."""
    players = experiment.players
    low, high = game.score_range(experiment.rules, players)
    tally: Tally = {
        name: np.zeros((BLOCKS, *shape), np.int64)
        for name, shape in {
            "games": (),
            "wins": (players,),
            "wins_sq": (players,),
            "outright": (players,),
            "score": (players,),
            "score_sq": (players,),
            "unfinished": (),
            **game.sums(experiment.rules, players, experiment.detail),
        }.items()
    }
    tally[HISTOGRAM] = np.zeros((1, players, high - low + 1), np.int64)
    return tally


@row_kernel
def _outcome_kernel(
    wins: NDArray[np.uint8],
    scores: NDArray[np.int16],
    low: int,
    games_sum: NDArray[np.int64],
    wins_sum: NDArray[np.int64],
    wins_sq_sum: NDArray[np.int64],
    outright_sum: NDArray[np.int64],
    score_sum: NDArray[np.int64],
    score_sq_sum: NDArray[np.int64],
    histogram: NDArray[np.int64],
    block_sums: NDArray[np.int32],
) -> None:
    """Add a batch, whose column g belongs to block g mod 256, to the sums of every game."""
    players, lanes = wins.shape
    for start in range(0, lanes, BLOCKS):
        size = min(BLOCKS, lanes - start)
        for b in range(size):
            games_sum[b] += 1
    for p in range(players):
        block_sums[:] = 0
        win_row, win_sq_row, outright_row, score_row, score_sq_row = block_sums
        for start in range(0, lanes, BLOCKS):
            size = min(BLOCKS, lanes - start)
            win = wins[p, start : start + size]
            score = scores[p, start : start + size]
            for b in range(size):
                w = np.int32(win[b])
                win_row[b] += w
                win_sq_row[b] += w * w
            for b in range(size):
                outright_row[b] += np.int32(1) if win[b] == 60 else np.int32(0)
            for b in range(size):
                f = np.int32(score[b])
                score_row[b] += f
                score_sq_row[b] += f * f
            counts = histogram[p]
            for b in range(size):
                counts[np.int64(score[b]) - low] += 1
        for b in range(BLOCKS):
            wins_sum[b, p] += win_row[b]
            wins_sq_sum[b, p] += win_sq_row[b]
            outright_sum[b, p] += outright_row[b]
            score_sum[b, p] += score_row[b]
            score_sq_sum[b, p] += score_sq_row[b]


def add_outcome(outcome: Outcome, score_low: int, tally: Tally) -> None:
    """Add how a batch of games ended to the sums that every game has.

    Batches are at most 2^20 games, so that 32-bit sums within one cannot overflow.
    """
    _outcome_kernel(
        outcome.wins,
        outcome.scores,
        score_low,
        tally["games"],
        tally["wins"],
        tally["wins_sq"],
        tally["outright"],
        tally["score"],
        tally["score_sq"],
        tally[HISTOGRAM][0],
        np.empty((5, BLOCKS), np.int32),
    )
    if outcome.unfinished is not None:
        for start in range(0, outcome.unfinished.size, BLOCKS):
            chunk = outcome.unfinished[start : start + BLOCKS]
            tally["unfinished"][: chunk.size] += chunk


def finished(tallies: list[Tally]) -> dict[str, NDArray[np.int64]]:
    """One tally a rotation class, as saved: class first, block last."""
    return {
        name: np.stack([np.ascontiguousarray(np.moveaxis(t[name], 0, -1)) for t in tallies])
        for name in tallies[0]
    }


def add(total: dict[str, NDArray[np.int64]], part: dict[str, NDArray[np.int64]]) -> None:
    """Add a part's sums (as `finished` gives them) to a total, in place."""
    for name, sums in part.items():
        total[name] += sums
