"""The end of a throw of Switch 16, and with it of turns and deals."""

from __future__ import annotations

import numpy as np

from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.deal import finish, return_decks
from analyzer.games.switch16.decisions import RISK_ASKED, merge_answers
from analyzer.games.switch16.policies import look_up_by_seat
from analyzer.games.switch16.rules import Facts
from analyzer.games.switch16.state import Bytes, Policies, Queue, Scratch, Shorts, State
from analyzer.games.switch16.swap import exchange
from analyzer.games.switch16.throw import call_for_dice
from analyzer.kernels.bits import marked_columns
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.narrow import either
from analyzer.kernels.rows import fill


@row_kernel
def _end_throw(
    again: Bytes,
    live: Bytes,
    limit: int,
    thrown: Bytes,
    turn: Shorts,
    done: Bytes,
    risks: Bytes,
    ended: Bytes,
) -> None:
    """Count risks, end turns and stop deals; ``ended`` where a turn ended but not the deal."""
    last = np.uint16(limit)
    for g in range(again.size):
        more = again[g]
        alive = live[g]
        mark = done[g]
        before = thrown[g]
        over = np.uint8(0) if (more | mark) != 0 else alive
        turns = np.uint16(turn[g] + over)
        stops = (over != 0) & (turns >= last)
        turn[g] = turns
        done[g] = np.uint8(1) if stops else mark
        ended[g] = np.uint8(0) if stops else over
        thrown[g] = np.uint8(before + 1) if more else np.uint8(0)
        risks[g] += more


@row_kernel
def _count_ends(
    ended: Bytes,
    done: Bytes,
    mover: Bytes,
    first: Bytes,
    top: Bytes,
    cards: int,
    deals: Bytes,
    turns: Bytes,
    first_wins: Bytes,
) -> None:
    """Count turns and deals that are over, and wins of who began."""
    last = np.uint8(cards)
    for g in range(done.size):
        over = done[g]
        by_first = (mover[g] == first[g]) & (top[g] > last)
        deals[g] += over
        turns[g] += either(ended[g], over)
        first_wins[g] += over if by_first else np.uint8(0)


@row_kernel
def _count_foreign_wins(
    done: Bytes, mover: Bytes, origin: Bytes, top: Bytes, cards: int, wins: Bytes
) -> None:
    last = np.uint8(cards)
    for g in range(done.size):
        over = done[g]
        foreign = (mover[g] != origin[g]) & (top[g] > last)
        wins[g] += over if foreign else np.uint8(0)


@row_kernel
def _next_mover(ended: Bytes, done: Bytes, players: int, mover: Bytes, disc: Bytes) -> None:
    """Turn to the left where a turn ended; the disc is in the tray where a deal is over."""
    count = np.uint8(players)
    on_last = np.uint8(2 * players)
    for g in range(ended.size):
        over = ended[g]
        seat = np.uint8(mover[g] + over)
        mover[g] = np.uint8(0) if seat == count else seat
        place = disc[g]
        turned = count if place == 1 else np.uint8(place - 1)
        turned = on_last if place == np.uint8(count + 1) else turned
        turned = place if (place == 0) | (over == 0) else turned
        disc[g] = np.uint8(0) if done[g] else turned


@row_kernel
def _turn_decks(ended: Bytes, done: Bytes, fresh: int, one: Bytes, other: Bytes) -> None:
    """Exchange a row of two decks where a turn ended; both are new where a deal is over."""
    new = np.uint8(fresh)
    for g in range(ended.size):
        turned = ended[g]
        over = done[g]
        x = one[g]
        y = other[g]
        this = y if turned else x
        that = x if turned else y
        one[g] = new if over else this
        other[g] = new if over else that


@part_kernel
def _count_tile(tile: slice, state: State, facts: Facts, ended: Bytes) -> None:
    """Count what is over."""
    rows = state.rows
    done, mover = rows[at.DONE, tile], rows[at.MOVER, tile]
    top = rows[at.TOP, tile]
    _count_ends(
        ended, done, mover, rows[at.FIRST, tile], top, facts.cards,
        rows[at.COUNTS + at.DEALS, tile], rows[at.COUNTS + at.TURNS, tile],
        rows[at.COUNTS + at.FIRST_WINS, tile],
    )  # fmt: skip
    if facts.follows_origins:
        foreign_wins = rows[at.COUNTS + at.FOREIGN_WINS, tile]
        _count_foreign_wins(done, mover, rows[at.ORIGIN, tile], top, facts.cards, foreign_wins)


@part_kernel
def _pass_tile(tile: slice, state: State, facts: Facts, ended: Bytes) -> None:
    """Turn to the left where a turn ended, and to new decks where a deal is over."""
    rows, shorts, players = state.rows, state.shorts, facts.players
    done = rows[at.DONE, tile]
    _next_mover(ended, done, players, rows[at.MOVER, tile], rows[at.DISC, tile])
    # One place to the left for every row: row 0 goes all the way down.
    for d in range(players - 1):
        _turn_decks(ended, done, 1, rows[at.TOP + d, tile], rows[at.TOP + d + 1, tile])
        _turn_decks(ended, done, 0, rows[at.SAFE + d, tile], rows[at.SAFE + d + 1, tile])
        if facts.follows_origins:
            exchange(ended, 1, rows[at.ORIGIN + d, tile], rows[at.ORIGIN + d + 1, tile])
        if facts.match_points > 0:
            exchange(ended, 1, shorts[at.POINTS + d, tile], shorts[at.POINTS + d + 1, tile])
    if facts.follows_origins:
        return_decks(tile, state, players)


@part_kernel
def end_tile(
    tile: slice, state: State, facts: Facts, policies: Policies, queue: Queue, scratch: Scratch
) -> int:
    """End the throw, write down what is over and begin what comes next.

    Returns how many games ended, or -1 if the question of a risk was answered illegally.
    """
    rows = state.rows
    again, done = rows[at.AGAIN, tile], rows[at.DONE, tile]
    if policies.risk_tables.size > 0:
        mover, safe = rows[at.MOVER, tile], rows[at.SAFE, tile]
        look_up_by_seat(policies.risk_tables, mover, rows[at.TOP, tile], safe, again)
    else:
        fill(again, 0)
    if merge_answers(tile, state, policies.groups, RISK_ASKED, again) > 1:
        return -1
    ended = scratch.rows[0, : tile.stop - tile.start]
    _end_throw(
        again, rows[at.LIVE, tile], facts.max_turns, rows[at.THROWN, tile],
        state.shorts[at.TURN, tile], done, rows[at.COUNTS + at.RISKS, tile], ended,
    )  # fmt: skip
    _count_tile(tile, state, facts, ended)
    found = marked_columns(done, tile.start, scratch.lanes)
    over = finish(scratch.lanes[:found], state, facts, queue)
    _pass_tile(tile, state, facts, ended)
    call_for_dice(tile, state, facts)
    return over
