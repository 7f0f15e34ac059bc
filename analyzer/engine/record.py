"""What is written down of each of the first games of a run: how close it was, how it went.

Lengths, medians and leads need games one by one, and to follow a game costs time. So only the first
games of a run are followed, a number that follows from the experiment alone: they are a sample as
good as any other, since a game's number has nothing to do with its chance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BLOCKS, WHOLE_WIN, Outcome
from analyzer.errors import PluginError
from analyzer.experiment import Experiment
from analyzer.results import LAST, LEAD_CHANGES, LEADERS, LENGTH, MARGIN, RECORDED, WINNERS

__all__ = ["FOLLOWED", "add_to_record", "most_recorded", "new_record", "recorded_games"]

FOLLOWED = 16_384
"""Games of a run that are followed at most; a share is known to within a point then."""
SEATS_OF_MASK = np.array([mask.bit_count() for mask in range(256)], np.int64)


def most_recorded(period: int) -> int:
    """How many of the first games are written down one by one in a run that is long enough.

    Where strategies change seats these are whole periods, in which all seatings are equally
    frequent, if there is one among so many games.
    """
    return FOLLOWED // period * period or FOLLOWED


def recorded_games(experiment: Experiment) -> int:
    """How many of the first games of a run are written down one by one."""
    return min(most_recorded(experiment.period), experiment.games)


def new_record() -> NDArray[np.int64]:
    """Room for a run's record, whatever the run: (1, `RECORDED`, rows, 256) int64.

    So the record of a run that was stopped is that of one that was to be no longer.
    """
    return np.zeros((1, RECORDED, FOLLOWED // BLOCKS, BLOCKS), np.int64)


def add_to_record(outcome: Outcome, record: NDArray[np.int64], game: str = "the game") -> None:
    """Write down how games ended and, if that is known, how they went.

    Raises
    ------
    PluginError
        If the course does not fit the outcome; ``game`` names whose it is.
    """
    row, block = np.divmod(outcome.games.astype(np.int64), BLOCKS)

    def put(which: int, values: NDArray[np.int64], known: NDArray[np.bool_] | None = None) -> None:
        numbers = values + 1
        record[0, which, row, block] = numbers if known is None else np.where(known, numbers, 0)

    highest = np.sort(outcome.scores.astype(np.int64), axis=0)
    put(MARGIN, highest[-1] - highest[-2] if len(highest) > 1 else 0 * highest[-1])
    put(WINNERS, (outcome.wins != 0).sum(axis=0))
    course = outcome.course
    if course is None:
        return
    count = outcome.games.size
    fits = course.length.shape == course.last.shape == course.lead_changes.shape == (count,)
    if not fits or course.leaders.shape != (3, count):
        raise PluginError(f"the course of {game} must have a column for each of the games played.")
    put(LENGTH, course.length.astype(np.int64))
    put(LEAD_CHANGES, course.lead_changes.astype(np.int64))
    for which, masks in ((LEADERS, course.leaders[0]), (LEADERS + 1, course.leaders[1]),
                         (LEADERS + 2, course.leaders[2]), (LAST, course.last)):  # fmt: skip
        put(which, _won_by(masks, outcome.wins), masks != 0)


def _won_by(masks: NDArray[np.uint8], wins: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Share of the win, in 1/3600, of one of the seats of a mask, each as likely as the others."""
    won = np.zeros(masks.size, np.int64)
    for seat, share in enumerate(wins):
        won += np.where(masks >> seat & 1, share, 0)
    return won * WHOLE_WIN // np.maximum(SEATS_OF_MASK[masks], 1)
