"""Who leads as games go on, kept until it is known how long each of them was.

A game whose end cannot be foreseen does not know when a quarter of it is over. So the leaders after
each unit of its length are kept, a byte each, and looked up when it has ended.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Course
from analyzer.kernels.compilation import row_kernel

__all__ = ["Trail", "TrailRows", "note_columns"]

ROOM = 64
"""Units that there is room for at first."""


class TrailRows(NamedTuple):
    """What a trail is kept in, as kernels take it.

    Attributes
    ----------
    leaders, last
        (N, room) uint8, bit mask of the seats that led, or were last, after each unit.
    lengths
        (N,) uint32, units noted so far, and one more.
    """

    leaders: NDArray[np.uint8]
    last: NDArray[np.uint8]
    lengths: NDArray[np.uint32]


class Trail:
    """Who led and who was last after each unit of length, in the games of a batch.

    Parameters
    ----------
    games
        How many games the batch has.
    """

    def __init__(self, games: int) -> None:
        self.rows = TrailRows(
            leaders=np.zeros((games, ROOM), np.uint8),
            last=np.zeros((games, ROOM), np.uint8),
            lengths=np.ones(games, np.uint32),
        )

    @property
    def room(self) -> int:
        """Units that there is room for."""
        return int(self.rows.leaders.shape[1])

    def make_room(self, units: int) -> None:
        """Make room for at least so many units."""
        more = ((0, 0), (0, max(self.room, units - self.room)))
        rows = self.rows
        self.rows = rows._replace(leaders=np.pad(rows.leaders, more), last=np.pad(rows.last, more))

    def note(
        self,
        columns: NDArray[Any],
        units: NDArray[Any],
        values: NDArray[Any],
        first: NDArray[np.uint8] | None = None,
        counts: NDArray[np.uint8] | None = None,
    ) -> None:
        """Write down who is ahead where a unit is over and the game goes on.

        Parameters
        ----------
        columns
            (N,) integers, the game's column in the batch.
        units
            (N,) integers, how many units of the game are over; nothing is noted where that is 0.
        values
            (P, N) integers, what leading is measured by, the higher the better.
        first
            (N,) uint8, the seat that row 0 of ``values`` is of, the next seat's being row 1;
            0 by default.
        counts
            (N,) uint8, 0 where there is nothing to note; 1 by default.
        """
        nobody = np.zeros(0, np.uint8)
        first, counts = nobody if first is None else first, nobody if counts is None else counts
        while (most := note_columns(columns, units, values, first, counts, self.rows)) > self.room:
            self.make_room(most)

    def course(self, wins: NDArray[np.uint8]) -> Course:
        """How the games went, once they have ended.

        A game is as long as the units noted, and one more, with which it ended. It is looked at
        after the unit in which each quarter ends, but before its last one. After that one the
        winners lead, if there are any.

        Parameters
        ----------
        wins
            (P, N) uint8, each seat's share of the win.
        """
        games = self.rows.lengths.size
        course = Course(
            length=self.rows.lengths,
            leaders=np.zeros((3, games), np.uint8),
            last=np.zeros(games, np.uint8),
            lead_changes=np.zeros(games, np.uint32),
        )
        winners = np.zeros(games, np.uint8)
        for seat, share in enumerate(wins):
            winners |= ((share != 0) << seat).astype(np.uint8)
        _course_kernel(
            self.rows.leaders, self.rows.last, winners, course.length, course.leaders, course.last,
            course.lead_changes,
        )  # fmt: skip
        return course


@row_kernel
def note_columns(
    columns: NDArray[Any],
    units: NDArray[Any],
    values: NDArray[Any],
    first: NDArray[np.uint8],
    counts: NDArray[np.uint8],
    rows: TrailRows,
) -> int:
    """Write down who is ahead, as `Trail.note` does; ``first`` and ``counts`` may be empty.

    Returns the most units that were to be noted. Where that is more than there is room for, those
    games are left out: make room, then call again.
    """
    players = values.shape[0]
    room = rows.leaders.shape[1]
    most = np.int64(0)
    for g in range(units.size):
        over = np.int64(units[g])
        if over == 0 or (counts.size > 0 and counts[g] == 0):
            continue
        most = max(most, over)
        if over > room:
            continue
        begin = np.int64(first[g]) if first.size > 0 else 0
        best = np.int64(values[0, g])
        worst = best
        for d in range(1, players):
            value = np.int64(values[d, g])
            best = max(best, value)
            worst = min(worst, value)
        leading: Any = 0
        trailing: Any = 0
        for d in range(players):
            value = np.int64(values[d, g])
            seat = begin + d
            seat = seat - players if seat >= players else seat
            leading |= (1 << seat) if value == best else 0
            trailing |= (1 << seat) if value == worst else 0
        column = np.int64(columns[g])
        rows.leaders[column, over - 1] = np.uint8(leading)
        rows.last[column, over - 1] = np.uint8(trailing)
        rows.lengths[column] = np.uint32(over + 1)
    return int(most)


@row_kernel
def _course_kernel(
    trail: NDArray[np.uint8],
    lasts: NDArray[np.uint8],
    winners: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    leaders: NDArray[np.uint8],
    last: NDArray[np.uint8],
    changes: NDArray[np.uint32],
) -> None:
    for g in range(lengths.size):
        length = np.int64(lengths[g])
        for quarter in range(3):
            moment = min((np.int64(quarter + 1) * length + 3) // 4, length - 1)
            if moment > 0:
                leaders[quarter, g] = trail[g, moment - 1]
                if quarter == 1:
                    last[g] = lasts[g, moment - 1]
        alone = np.int64(0)
        changed = np.int64(0)
        for unit in range(length):
            leading = np.int64(trail[g, unit] if unit < length - 1 else winners[g])
            if leading != 0 and leading & (leading - 1) == 0:
                changed += 1 if alone not in (0, leading) else 0
                alone = leading
        changes[g] = np.uint32(changed)
