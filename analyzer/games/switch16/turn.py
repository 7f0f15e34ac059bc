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

__all__ = ["end_tile"]


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
def _turn_decks(
    ended: Bytes, done: Bytes, top: Bytes, next_top: Bytes, safe: Bytes, next_safe: Bytes
) -> None:
    """Exchange two decks where a turn ended; both are new where a deal is over."""
    for g in range(ended.size):
        turned = ended[g]
        over = done[g]
        x = top[g]
        y = next_top[g]
        a = safe[g]
        b = next_safe[g]
        this_top = y if turned else x
        that_top = x if turned else y
        this_safe = b if turned else a
        that_safe = a if turned else b
        top[g] = np.uint8(1) if over else this_top
        next_top[g] = np.uint8(1) if over else that_top
        safe[g] = np.uint8(0) if over else this_safe
        next_safe[g] = np.uint8(0) if over else that_safe


@part_kernel
def _count_tile(start: int, end: int, state: State, facts: Facts, ended: Bytes) -> None:
    """Count what is over."""
    rows = state.rows
    done, mover = rows[at.DONE, start:end], rows[at.MOVER, start:end]
    top = rows[at.TOP, start:end]
    _count_ends(
        ended, done, mover, rows[at.FIRST, start:end], top, facts.cards,
        rows[at.COUNTS + at.DEALS, start:end], rows[at.COUNTS + at.TURNS, start:end],
        rows[at.COUNTS + at.FIRST_WINS, start:end],
    )  # fmt: skip
    if facts.follows_origins:
        _count_foreign_wins(
            done, mover, rows[at.ORIGIN, start:end], top, facts.cards,
            rows[at.COUNTS + at.FOREIGN_WINS, start:end],
        )  # fmt: skip


@part_kernel
def _pass_tile(start: int, end: int, state: State, facts: Facts, ended: Bytes) -> None:
    """Turn to the left where a turn ended, and to new decks where a deal is over."""
    rows, shorts, players = state.rows, state.shorts, facts.players
    done = rows[at.DONE, start:end]
    _next_mover(ended, done, players, rows[at.MOVER, start:end], rows[at.DISC, start:end])
    # One place to the left for every row: row 0 goes all the way down.
    for d in range(players - 1):
        _turn_decks(
            ended, done, rows[at.TOP + d, start:end], rows[at.TOP + d + 1, start:end],
            rows[at.SAFE + d, start:end], rows[at.SAFE + d + 1, start:end],
        )  # fmt: skip
        if facts.follows_origins:
            exchange(ended, 1, rows[at.ORIGIN + d, start:end], rows[at.ORIGIN + d + 1, start:end])
        if facts.match_points > 0:
            exchange(
                ended, 1, shorts[at.POINTS + d, start:end], shorts[at.POINTS + d + 1, start:end]
            )
    if facts.follows_origins:
        return_decks(start, end, state, players)


@part_kernel
def end_tile(
    start: int,
    end: int,
    state: State,
    facts: Facts,
    policies: Policies,
    queue: Queue,
    scratch: Scratch,
) -> int:
    """End the throw, write down what is over and begin what comes next.

    Returns how many games ended, or -1 if the question of a risk was answered illegally.
    """
    rows = state.rows
    again, done = rows[at.AGAIN, start:end], rows[at.DONE, start:end]
    if policies.risk_tables.size > 0:
        mover, top, safe = (
            rows[at.MOVER, start:end],
            rows[at.TOP, start:end],
            rows[at.SAFE, start:end],
        )
        look_up_by_seat(policies.risk_tables, mover, top, safe, again)
    else:
        fill(again, 0)
    if merge_answers(start, end, state, policies.groups, RISK_ASKED, again) > 1:
        return -1
    ended = scratch.rows[0, : end - start]
    _end_throw(
        again, rows[at.LIVE, start:end], facts.max_turns, rows[at.THROWN, start:end],
        state.shorts[at.TURN, start:end], done, rows[at.COUNTS + at.RISKS, start:end], ended,
    )  # fmt: skip
    _count_tile(start, end, state, facts, ended)
    found = marked_columns(done, start, scratch.lanes)
    over = finish(scratch.lanes[:found], state, facts, queue)
    _pass_tile(start, end, state, facts, ended)
    call_for_dice(start, end, state, facts)
    return over
