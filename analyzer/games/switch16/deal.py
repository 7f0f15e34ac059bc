"""Deals of Switch 16: how they begin, and what is written down when they are over."""

from __future__ import annotations

import numpy as np

from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.policies import NEVER
from analyzer.games.switch16.rules import Facts
from analyzer.games.switch16.state import (
    BLOCKS,
    DEAL_SHIFT,
    MOST_PLAYERS,
    Bytes,
    Halves,
    Queue,
    State,
)
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.random import GAMMA, bounded, game_key, word
from analyzer.kernels.rows import fill

ONE = np.uint64(1)
TOP_BITS = 5
MOVER_SHIFT = 20
WON_SHIFT = 22
"""The record of a game is a uint32: five bits a top card from the mover's on, mover, won or not."""


@row_kernel
def _throws_of_deal(deal: np.uint64, facts: Facts) -> np.uint64:
    """Number of the word of a deal's first throw."""
    return (np.uint64(facts.throw_purpose) << np.uint64(48)) | (deal << np.uint64(DEAL_SHIFT))


@part_kernel
def _begin_deal(lane: int, key: np.uint64, deal: np.uint64, state: State, facts: Facts) -> None:
    """Begin a deal of the game with this key; the decks are laid when the last turn has ended."""
    first = np.uint64(0)
    if facts.anybody_first:
        first = bounded(word(key, facts.first_purpose, deal), facts.players)
    state.keys[lane] = key + _throws_of_deal(deal, facts) * GAMMA
    state.shorts[at.TURN, lane] = 0
    state.rows[at.MOVER, lane] = np.uint8(first)
    state.rows[at.FIRST, lane] = np.uint8(first)


@part_kernel
def _begin_game(lane: int, column: int, state: State, facts: Facts, queue: Queue) -> None:
    """Take up the game of a column, in a lane of its block."""
    state.columns[lane] = np.uint32(column)
    key = game_key(queue.run_key, queue.games[column])
    _begin_deal(lane, key, np.uint64(0), state, facts)


@row_kernel
def _own_deck(done: Bytes, mover: Bytes, d: int, players: int, origin: Bytes) -> None:
    """Where a deal is over, row d gets the deck of its own seat for the next one."""
    row = np.uint8(d)
    count = np.uint8(players)
    for g in range(done.size):
        before = origin[g]
        seat = np.uint8(mover[g] + row)
        seat = np.uint8(seat - count) if seat >= count else seat
        origin[g] = seat if done[g] else before


@part_kernel
def return_decks(tile: slice, state: State, players: int) -> None:
    """Where a deal is over, each seat gets its own deck for the next one."""
    done, mover = state.rows[at.DONE, tile], state.rows[at.MOVER, tile]
    for d in range(players):
        _own_deck(done, mover, d, players, state.rows[at.ORIGIN + d, tile])


@row_kernel
def begin_kernel(lanes: int, state: State, facts: Facts, queue: Queue) -> None:
    """Begin a batch: a game in each of the first lanes while there are games."""
    rows = state.rows
    for row in range(rows.shape[0]):
        fill(rows[row], 0)
    for d in range(MOST_PLAYERS):
        fill(rows[at.TOP + d], 1)
    fill(rows[at.DICE], facts.dice_steps[0, 1])
    fill(rows[at.TAKE], 1)
    fill(rows[at.LAY], NEVER)
    fill(rows[at.HELD], 1)
    fill(state.keys, 0)
    fill(state.columns, 0)
    for row in range(state.shorts.shape[0]):
        fill(state.shorts[row], 0)
    for lane in range(min(lanes, queue.records.size)):
        rows[at.LIVE, lane] = 1
        _begin_game(lane, lane, state, facts, queue)
    # As if a deal had just ended everywhere.
    fill(rows[at.DONE], 1)
    return_decks(slice(0, state.keys.size), state, facts.players)
    fill(rows[at.DONE], 0)
    for block in range(BLOCKS):
        queue.following[block] = lanes + block


@part_kernel
def finish(lanes: Halves, state: State, facts: Facts, queue: Queue) -> int:
    """Write down the deals that are over in the given lanes and begin the next ones there.

    Returns how many games ended.
    """
    rows, shorts, players = state.rows, state.shorts, facts.players
    over = 0
    for i in range(lanes.size):
        lane = int(np.int64(lanes[i]))
        mover = int(np.int64(rows[at.MOVER, lane]))
        won = rows[at.TOP, lane] > facts.cards
        if facts.match_points > 0:
            best = _score_deal(lane, state, players)
            if won and best < facts.match_points:
                deal = np.uint64(shorts[at.DEAL, lane])
                key = state.keys[lane] - _throws_of_deal(deal, facts) * GAMMA
                shorts[at.DEAL, lane] = np.uint16(deal + ONE)
                _begin_deal(lane, key, deal + ONE, state, facts)
                _turn_points(lane, mover, state, players)
                continue
        column = int(np.int64(state.columns[lane]))
        record = np.uint64(mover) << np.uint64(MOVER_SHIFT)
        record |= np.uint64(won) << np.uint64(WON_SHIFT)
        for d in range(players):
            record |= np.uint64(rows[at.TOP + d, lane]) << np.uint64(TOP_BITS * d)
        queue.records[column] = np.uint32(record)
        if facts.match_points > 0:
            _write_points(lane, mover, column, state, players, queue)
        over += 1
        block = lane & (BLOCKS - 1)
        following = queue.following[block]
        if following < queue.records.size:
            queue.following[block] = following + BLOCKS
            _begin_game(lane, following, state, facts, queue)
        else:
            rows[at.LIVE, lane] = 0
    return over


@part_kernel
def _score_deal(lane: int, state: State, players: int) -> int:
    """Add the highest cards discarded to the match points; returns the most points anyone has."""
    best = 0
    for d in range(players):
        points = np.int64(state.shorts[at.POINTS + d, lane])
        total = int(points + np.int64(state.rows[at.TOP + d, lane])) - 1
        state.shorts[at.POINTS + d, lane] = np.uint16(total)
        best = max(best, total)
    return best


@part_kernel
def _turn_points(lane: int, mover: int, state: State, players: int) -> None:
    """Turn the match points from the last mover's rows to those of the next deal's first player."""
    shorts = state.shorts
    for _ in range((np.int64(state.rows[at.MOVER, lane]) - mover) % players):
        head = shorts[at.POINTS, lane]
        for d in range(players - 1):
            shorts[at.POINTS + d, lane] = shorts[at.POINTS + d + 1, lane]
        shorts[at.POINTS + players - 1, lane] = head


@part_kernel
def _write_points(
    lane: int, mover: int, column: int, state: State, players: int, queue: Queue
) -> None:
    """Write down the points of a match that is over, seat by seat."""
    for d in range(players):
        queue.totals[(mover + d) % players, column] = state.shorts[at.POINTS + d, lane]
        state.shorts[at.POINTS + d, lane] = 0
    state.shorts[at.DEAL, lane] = 0
