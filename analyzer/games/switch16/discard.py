"""Discarding in Switch 16: cards go, up to where the holder of the disc stops them."""

from __future__ import annotations

import numpy as np

from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.decisions import LAY_ASKED, RISK_ASKED, mark_seats, merge_answers
from analyzer.games.switch16.disc import lay_on_mover
from analyzer.games.switch16.policies import NEVER, deny
from analyzer.games.switch16.rules import Facts
from analyzer.games.switch16.state import MOST_PLAYERS, TILE, Bytes, Policies, Scratch, State
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.rows import copy, fill


@row_kernel
def _discard(
    going: Bytes, cards: int, milestone: int, top: Bytes, safe: Bytes, done: Bytes, can: Bytes
) -> None:
    """Let cards go; mark who has won, and who may throw again."""
    card = np.uint8(milestone)
    last = np.uint8(cards)
    for g in range(going.size):
        number = going[g]
        before = top[g]
        after = np.uint8(before + number)
        was = safe[g]
        passed = (before <= card) & (after > card)
        safe[g] = np.uint8(1) if passed else was
        top[g] = after
        won = after > last
        done[g] = np.uint8(won)
        can[g] = np.uint8((number != 0) & (not won))


@row_kernel
def _not_where(stopped: Bytes, can: Bytes) -> None:
    for g in range(can.size):
        able = can[g]
        can[g] = np.uint8(0) if stopped[g] else able


@part_kernel
def discard_tile(
    tile: slice, state: State, facts: Facts, policies: Policies, stopped: Bytes
) -> bool:
    """Let cards go up to where holders lay the disc, and mark who decides on a risk.

    Nobody does where the disc stopped cards; ``stopped`` is scratch. Returns whether all holders'
    answers were legal.
    """
    rows = state.rows
    disc, going = rows[at.DISC, tile], rows[at.GOING, tile]
    top, can = rows[at.TOP, tile], rows[at.AGAIN, tile]
    mover = rows[at.MOVER, tile]
    legal = True
    stopping = policies.groups[LAY_ASKED, 0] > 0 or policies.deniers != 0
    if stopping:
        lay = rows[at.LAY, tile]
        fill(lay, NEVER)
        merge_answers(tile, state, policies.groups, LAY_ASKED, lay)
        if policies.deniers != 0:
            deny(policies.denied, facts.players, mover, disc, top, going, lay)
        laid = rows[at.COUNTS + at.LAID, tile]
        legal = lay_on_mover(facts.players, lay, going, disc, laid, stopped)
    _discard(
        going,
        facts.cards,
        facts.milestone,
        top,
        rows[at.SAFE, tile],
        rows[at.DONE, tile],
        can,
    )
    if stopping:
        _not_where(stopped, can)
    for i in range(policies.groups[RISK_ASKED, 0]):
        ask = rows[at.ASKS + MOST_PLAYERS * RISK_ASKED + i, tile]
        copy(can, ask)
        mark_seats(policies, RISK_ASKED, i, mover, ask)
    return legal


@row_kernel
def discard_kernel(state: State, facts: Facts, policies: Policies, scratch: Scratch) -> int:
    """Let cards go up to where the holders lay the disc.

    Returns 0, or 1 + the number of the decision if it was answered illegally.
    """
    lanes = state.keys.size
    for start in range(0, lanes, TILE):
        tile = slice(start, min(start + TILE, lanes))
        if not discard_tile(
            tile, state, facts, policies, scratch.rows[0, : tile.stop - tile.start]
        ):
            return 1 + LAY_ASKED
    return 0
