"""The course of games of Switch 16: what a report tells beyond the sums that every run keeps.

`Course` is kept only for runs with the detail ``"story"``, which are short, and leaders only in the
first games of a run: after every throw all lanes are looked at once more.
"""

from __future__ import annotations

import numpy as np

from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.rules import Facts
from analyzer.games.switch16.state import BLOCKS, TILE, Bytes, Scratch, State
from analyzer.games.switch16.sums import MOST_BUSTS, MOST_TURNS, CourseSums
from analyzer.games.switch16.workspace import LineUpCalls
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.trail import Trail, TrailRows, note_columns

NOBODY = 255


@row_kernel
def _begin_kernel(state: State, players: int, before: Bytes, ahead: Bytes) -> None:
    """Note how things are before a throw counts: who leads, if a turn begins with it."""
    rows = state.rows
    for lane in range(rows.shape[1]):
        before[0, lane] = rows[at.TOP, lane]
        before[1, lane] = rows[at.COUNTS + at.BUSTS, lane]
        before[2, lane] = rows[at.COUNTS + at.GREENS, lane]
        before[3, lane] = rows[at.COUNTS + at.REDS, lane]
        number = np.int64(state.shorts[at.TURN, lane])
        if rows[at.THROWN, lane] != 0 or number >= ahead.shape[0]:
            continue
        best = np.int64(0)
        leader = np.int64(NOBODY)
        for d in range(players):
            shown = np.int64(rows[at.TOP + d, lane])
            if shown > best:
                best = shown
                leader = (np.int64(rows[at.MOVER, lane]) + d) % players
            elif shown == best:
                leader = np.int64(NOBODY)
        ahead[number, lane] = np.uint8(leader)


@row_kernel
def _end_kernel(
    state: State, players: int, before: Bytes, ahead: Bytes, busts: Bytes, sums: CourseSums
) -> None:
    """Count what a throw did, and what has led to a win."""
    rows = state.rows
    for lane in range(rows.shape[1]):
        if rows[at.LIVE, lane] == 0:
            continue
        block = lane % BLOCKS
        mover = np.int64(rows[at.MOVER, lane])
        number = np.int64(state.shorts[at.TURN, lane])
        if number == 0 and rows[at.THROWN, lane] == 0:  # a deal begins: nobody has gone bust
            for seat in range(players):
                busts[seat, lane] = 0
        then, now = np.int64(before[0, lane]), np.int64(rows[at.TOP, lane])
        if rows[at.COUNTS + at.BUSTS, lane] != before[1, lane]:
            sums.cards_lost[block] += then - now
            if busts[mover, lane] < MOST_BUSTS:
                busts[mover, lane] += np.uint8(1)
        elif (
            rows[at.COUNTS + at.GREENS, lane] == before[2, lane]
            and rows[at.COUNTS + at.REDS, lane] == before[3, lane]
        ):
            sums.cards_gone[block] += now - then
        if rows[at.DONE, lane] == 0:
            continue
        last = min(number, sums.by_turn.shape[1] - 1)
        sums.by_turn[block, last, 0] += 1
        for t in range(last + 1):
            leader = np.int64(ahead[t, lane])
            sums.by_turn[block, t, 1] += 1
            sums.by_turn[block, t, 2] += np.int64(leader != NOBODY)
            sums.by_turn[block, t, 3] += np.int64(leader == mover)
        for seat in range(players):
            often = np.int64(busts[seat, lane])
            sums.by_busts[block, often, 0] += 1
            sums.by_busts[block, often, 1] += np.int64(seat == mover)


class Course:
    """Looks at a batch before and after each throw counts, and adds up."""

    def __init__(self, state: State, players: int, sums: CourseSums) -> None:
        lanes = state.keys.size
        self._state, self._players, self._sums = state, players, sums
        self._before = np.zeros((4, lanes), np.uint8)
        self._ahead = np.full((MOST_TURNS, lanes), NOBODY, np.uint8)
        self._busts = np.zeros((players, lanes), np.uint8)

    def before(self) -> None:
        """A throw has been made and does not count yet."""
        _begin_kernel(self._state, self._players, self._before, self._ahead)

    def after(self) -> None:
        """The throw has had its effect; decks have not been passed on yet."""
        _end_kernel(self._state, self._players, self._before, self._ahead, self._busts, self._sums)


@row_kernel
def note_leaders_kernel(
    lanes: int, state: State, facts: Facts, scratch: Scratch, trail: TrailRows
) -> int:
    """Note who is ahead in so many lanes; returns as `note_columns`."""
    rows, shorts, players = state.rows, state.shorts, facts.players
    most = 0
    for start in range(0, lanes, TILE):
        tile = slice(start, min(start + TILE, lanes))
        columns, mover = state.columns[tile], rows[at.MOVER, tile]
        live, thrown = rows[at.LIVE, tile], rows[at.THROWN, tile]
        if facts.match_points > 0:
            points = shorts[at.POINTS : at.POINTS + players, tile]
            seen = note_columns(columns, shorts[at.DEAL, tile], points, mover, live, trail)
        else:
            between = scratch.rows[0, : live.size]
            for g in range(live.size):
                between[g] = live[g] if thrown[g] == 0 else np.uint8(0)
            tops = rows[at.TOP : at.TOP + players, tile]
            seen = note_columns(columns, shorts[at.TURN, tile], tops, mover, between, trail)
        most = max(most, seen)
    return most


def note_leaders(calls: LineUpCalls, lanes: int, trail: Trail) -> None:
    """Note who is ahead where a turn has just ended, or a deal of a match.

    The highest top card leads a game, whoever's deck it was at first; most points lead a match.
    """
    t = calls.workspace
    while (
        most := note_leaders_kernel(lanes, t.state, calls.facts, t.scratch, trail.rows)
    ) > trail.room:
        trail.make_room(most)
