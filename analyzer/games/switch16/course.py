"""The course of games of Switch 16: what a report tells beyond the sums that every run keeps.

Kept only for runs with the detail ``"story"``, which are short: after every throw all lanes are
looked at once more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BLOCKS, Tally
from analyzer.kernels.compilation import row_kernel

__all__ = ["MOST_BUSTS", "SUMS", "TURNS", "Course", "Rows"]

TURNS = 160
"""Turns that are told apart; the last stands for all that are later."""
MOST_BUSTS = 5
"""Busts of a player in a deal that are told apart; the last stands for all above."""
SUMS: dict[str, tuple[int, ...]] = {
    "by_turn": (TURNS, 4),
    "by_busts": (MOST_BUSTS + 1, 2),
    "cards_gone": (),
    "cards_lost": (),
}
"""Shapes.

``by_turn``, row t: deals won in turn t + 1; deals with a turn t + 1 that were won later or then;
those of them in which one deck alone was ahead when the turn began; those in which the player who
had it won. ``by_busts``: players who went bust so often in a won deal, and how many of them won.
``cards_gone``: cards discarded. ``cards_lost``: cards put back by busts.
"""
NOBODY = 255

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]


class Rows(NamedTuple):
    """Which rows of a batch's ``state`` hold what; see `analyzer.games.switch16`."""

    top: int
    mover: int
    thrown: int
    live: int
    done: int
    busts: int
    greens: int
    reds: int


@row_kernel
def _begin_kernel(
    state: Bytes, turn: NDArray[np.uint16], where: Rows, players: int, before: Bytes, ahead: Bytes
) -> None:
    """Note how things are before a throw counts: who leads, if a turn begins with it."""
    for lane in range(turn.size):
        before[0, lane] = state[where.top, lane]
        before[1, lane] = state[where.busts, lane]
        before[2, lane] = state[where.greens, lane]
        before[3, lane] = state[where.reds, lane]
        number = np.int64(turn[lane])
        if state[where.thrown, lane] != 0 or number >= ahead.shape[0]:
            continue
        best = np.int64(0)
        leader = np.int64(NOBODY)
        for d in range(players):
            shown = np.int64(state[where.top + d, lane])
            if shown > best:
                best = shown
                leader = (np.int64(state[where.mover, lane]) + d) % players
            elif shown == best:
                leader = np.int64(NOBODY)
        ahead[number, lane] = np.uint8(leader)


@row_kernel
def _end_kernel(
    state: Bytes,
    turn: NDArray[np.uint16],
    where: Rows,
    players: int,
    before: Bytes,
    ahead: Bytes,
    busts: Bytes,
    by_turn: Longs,
    by_busts: Longs,
    gone: Longs,
    lost: Longs,
) -> None:
    """Count what a throw did, and what has led to a win."""
    for lane in range(turn.size):
        if state[where.live, lane] == 0:
            continue
        block = lane % BLOCKS
        mover = np.int64(state[where.mover, lane])
        number = np.int64(turn[lane])
        if number == 0 and state[where.thrown, lane] == 0:  # a deal begins: nobody has gone bust
            for seat in range(players):
                busts[seat, lane] = 0
        then, now = np.int64(before[0, lane]), np.int64(state[where.top, lane])
        if state[where.busts, lane] != before[1, lane]:
            lost[block] += then - now
            if busts[mover, lane] < MOST_BUSTS:
                busts[mover, lane] += np.uint8(1)
        elif (
            state[where.greens, lane] == before[2, lane]
            and state[where.reds, lane] == before[3, lane]
        ):
            gone[block] += now - then
        if state[where.done, lane] == 0:
            continue
        last = min(number, by_turn.shape[1] - 1)
        by_turn[block, last, 0] += 1
        for t in range(last + 1):
            leader = np.int64(ahead[t, lane])
            by_turn[block, t, 1] += 1
            by_turn[block, t, 2] += np.int64(leader != NOBODY)
            by_turn[block, t, 3] += np.int64(leader == mover)
        for seat in range(players):
            by_busts[block, np.int64(busts[seat, lane]), 0] += 1
            by_busts[block, np.int64(busts[seat, lane]), 1] += np.int64(seat == mover)


class Course:
    """Looks at a batch before and after each throw counts, and adds up."""

    def __init__(self, state: Bytes, turn: NDArray[np.uint16], where: Rows, players: int) -> None:
        lanes = turn.size
        self._state, self._turn, self._where, self._players = state, turn, where, players
        self._before = np.zeros((4, lanes), np.uint8)
        self._ahead = np.full((TURNS, lanes), NOBODY, np.uint8)
        self._busts = np.zeros((players, lanes), np.uint8)

    def before(self) -> None:
        """A throw has been made and does not count yet."""
        _begin_kernel(
            self._state, self._turn, self._where, self._players, self._before, self._ahead
        )

    def after(self, tally: Tally) -> None:
        """The throw has had its effect; decks have not been passed on yet."""
        _end_kernel(
            self._state, self._turn, self._where, self._players, self._before, self._ahead,
            self._busts, tally["by_turn"], tally["by_busts"], tally["cards_gone"],
            tally["cards_lost"],
        )  # fmt: skip
