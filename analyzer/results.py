"""Named, frozen results of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analyzer.experiment import Contest, Experiment

__all__ = [
    "LOST",
    "RECORD",
    "RECORDED",
    "WON",
    "Checkpoint",
    "HistoryPoint",
    "ResultSet",
    "checkpoint",
    "standings",
]

Sums = Mapping[str, NDArray[np.int64]]

RECORD = "game_by_game"
"""What is written down of each of the first games of a run, among its sums.

(1, `RECORDED`, rows, 256): game g stands in row g // 256 of its block. Each entry is a number plus
one; 0 stands for what a game does not have.
"""
RECORDED = 8
WON, LOST = "won", "lost"
"""Sums of a contest: what each strategy won at each table, and games there that nobody won."""
MARGIN, WINNERS, LENGTH, LEADERS, LAST, LEAD_CHANGES = 0, 1, 2, 3, 6, 7
"""Points between first and second, seats that share the win, length, share of the win (in 1/3600)
of whoever led at each quarter and of whoever was last at half-time, changes of the lead."""


@dataclass(frozen=True)
class HistoryPoint:
    """The headline sums after the first ``games`` games."""

    games: int
    sums: Sums


@dataclass(frozen=True)
class Checkpoint:
    """Totals after the first ``games`` games, at which a stopping rule looked.

    ``wins`` in 1/60, ``wins_sq`` in 1/3600: a number a seat or, where strategies change seats and
    there are several, a number for all copies of each strategy together. Of a contrast what it
    watches: differences, see `analyzer.engine.contrast`. Of a contest, for each
    strategy, the sum of what `standings` has of the blocks, and of its squares.
    """

    games: int
    wins: tuple[int, ...]
    wins_sq: tuple[int, ...]


def checkpoint(games: int, sums: Sums, experiment: Experiment | None = None) -> Checkpoint:
    """What a stopping rule looks at after so many games; of a contest this must be given."""
    if isinstance(experiment, Contest):
        standing = standings(sums[WON][0], experiment)
        totals, square = (values.sum(axis=-1) for values in (standing, standing**2))
        return Checkpoint(games, tuple(totals.tolist()), tuple(square.tolist()))
    if "difference" in sums:
        values, squares = (sums[name][0].sum(axis=-1) for name in ("difference", "difference_sq"))
        return Checkpoint(games, tuple(values.tolist()), tuple(squares.tolist()))
    by_strategy = len(sums["wins"]) > 1
    wins = sums["wins"].sum(axis=(1, 2)) if by_strategy else sums["wins"][0].sum(axis=-1)
    squares = sums["strategy_wins_sq"][0] if by_strategy else sums["wins_sq"][0]
    return Checkpoint(games, tuple(wins.tolist()), tuple(squares.sum(axis=-1).tolist()))


def standings(won: NDArray[np.int64], contest: Contest) -> NDArray[np.object_]:
    """What each strategy of a contest has won over all tables, as `Contest.weights` counts it.

    Parameters
    ----------
    won
        (entries, ...): what all copies of a strategy won at a table, in 1/60.

    Returns
    -------
    ndarray of object
        (strategies, ...) Python integers, which do not overflow.
    """
    exact = won.astype(object)
    found = np.zeros((len(contest.weights), *won.shape[1:]), object)
    for number, weights in enumerate(contest.weights):
        for entry, factor in zip(weights.entries, weights.factors, strict=True):
            found[number] += factor * exact[entry]
    return found


@dataclass(frozen=True)
class ResultSet:
    """The integer sums of the first ``games`` games of an experiment.

    Attributes
    ----------
    experiment
        What was played.
    games
        Finished games: a complete prefix 0..games-1.
    sums
        Name -> int64 array, the last axis the 256 blocks (histograms, whose names end in ``_hist``,
        have a last axis of 1), and the `RECORD` of the first games. Axis 0 has one row or, where
        strategies change seats and the sum is one of seats, a row for each of the experiment's
        ``holders``: who sat in the seat.
    history
        The headline sums at fixed game counts.
    stopped
        Why it ended: all games played, precision reached, or interrupted.
    checkpoints
        What a stopping rule saw, in order; empty without one.
    seconds
        Time spent playing, before and after interruptions.
    score_low
        Score of the first bin of ``score_hist``.
    """

    experiment: Experiment
    games: int
    sums: Sums
    history: tuple[HistoryPoint, ...]
    stopped: Literal["games", "precision", "interrupted"]
    seconds: float
    score_low: int
    checkpoints: tuple[Checkpoint, ...] = ()

    def growing(self, name: str) -> list[tuple[int, Sums]]:
        """Game counts at which a headline sum was kept, the last one included, with the sums."""
        points = [(point.games, point.sums) for point in self.history if name in point.sums]
        ended = bool(points) and points[-1][0] == self.games
        return points if ended else [*points, (self.games, self.sums)]
