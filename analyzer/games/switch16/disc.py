"""The disc of Switch 16: taken on block, held, and laid on a deck."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.decisions import BETWEEN_ASKED, LAY_ASKED, mark_seats, merge_answers
from analyzer.games.switch16.policies import NEVER
from analyzer.games.switch16.rules import Facts
from analyzer.games.switch16.state import (
    BLOCK,
    MOST_PLAYERS,
    RED,
    TILE,
    Bytes,
    Policies,
    Scratch,
    State,
)
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.narrow import both, either, without
from analyzer.kernels.rows import fill

# --- block, and what is left of the throw ---------------------------------------------------------


@row_kernel
def _move_disc(
    face: Bytes,
    partner: Bytes,
    take: Bytes,
    players: int,
    resume: int,
    disc: Bytes,
    thrown: Bytes,
    going: Bytes,
    top: Bytes,
    safe: Bytes,
    busts: Bytes,
) -> None:
    """Move the disc, then see to blocked decks and busts; GOING becomes 0 where no card may go."""
    mine = np.uint8(1 + players)
    back_to = np.uint8(resume)
    for g in range(disc.size):
        row = partner[g]
        kind = face[g]
        wanted = take[g]
        # A disc on one of the decks swapped goes along.
        place = disc[g]
        other_deck = np.uint8(mine + row)
        moved = other_deck if place == mine else place
        moved = mine if place == other_deck else moved
        # Block: the disc comes to the mover; off another's deck only if the mover wants it.
        comes = (kind == BLOCK) & ((wanted != 0) | (moved <= mine))
        moved = np.uint8(1) if comes else moved
        disc[g] = moved
        over = (row != 0) | (kind == RED) | (moved == mine)
        cards = going[g]
        cards = np.uint8(0) if over else cards
        going[g] = cards
        bust = (cards == 0) & (thrown[g] != 0) & (not over)
        busts[g] += np.uint8(bust)
        card = top[g]
        back = back_to if safe[g] else np.uint8(1)
        top[g] = back if bust else card


@part_kernel
def disc_tile(tile: slice, state: State, facts: Facts, partner: Bytes) -> None:
    """Move the disc after a throw, and see to blocked decks and busts."""
    rows = state.rows
    _move_disc(
        rows[at.FACE, tile], partner, rows[at.TAKE, tile], facts.players, facts.resume,
        rows[at.DISC, tile], rows[at.THROWN, tile], rows[at.GOING, tile], rows[at.TOP, tile],
        rows[at.SAFE, tile], rows[at.COUNTS + at.BUSTS, tile],
    )  # fmt: skip


@row_kernel
def lay_on_mover(
    players: int, lay: Bytes, going: Bytes, disc: Bytes, laid: Bytes, stopped: Bytes
) -> bool:
    """Let holders stop cards; returns whether all their answers were legal."""
    mine = np.uint8(1 + players)
    wrong = np.uint8(0)
    for g in range(lay.size):
        limit = lay[g]
        number = going[g]
        place = disc[g]
        wrong = either(wrong, np.uint8((limit >= number) & (limit != NEVER)))
        stops = limit < number
        disc[g] = mine if stops else place
        laid[g] += np.uint8(stops)
        stopped[g] = np.uint8(stops)
        going[g] = limit if stops else number
    return bool(wrong == 0)


# --- the holder -----------------------------------------------------------------------------------


@row_kernel
def _find_holder(
    disc: Bytes, mover: Bytes, players: int, seat: Bytes, mover_row: Bytes, held: Bytes
) -> None:
    """Who holds the disc: the seat, and the row of the mover as the holder counts."""
    count = np.uint8(players)
    for g in range(disc.size):
        place = disc[g]
        is_held = (place != 0) & (place <= count)
        row = np.uint8(place - 1) if is_held else np.uint8(0)
        here = np.uint8(mover[g] + row)
        seat[g] = np.uint8(here - count) if here >= count else here
        mover_row[g] = np.uint8(0) if row == 0 else np.uint8(count - row)
        held[g] = np.uint8(is_held)


@row_kernel
def _see_row(
    disc: Bytes,
    own: NDArray[Any],
    first: NDArray[Any],
    second: NDArray[Any],
    third: NDArray[Any],
    seen: NDArray[Any],
) -> None:
    """One row as the holder sees it: if that is the mover, or the first to the left, and so on.

    With masks: of four conditional expressions the compiler makes four addresses to load from.
    """
    none = seen.dtype.type(0)
    all_bits = seen.dtype.type(2 ** (8 * seen.itemsize) - 1)
    for g in range(disc.size):
        place = disc[g]
        is_1 = all_bits if place == 2 else none
        is_2 = all_bits if place == 3 else none
        is_3 = all_bits if place == 4 else none
        other = either(both(first[g], is_1), both(second[g], is_2))
        other = either(other, both(third[g], is_3))
        seen[g] = either(other, without(own[g], either(is_1, either(is_2, is_3))))


@part_kernel
def _see_rows(
    tile: slice, rows: NDArray[Any], first: int, seen: int, players: int, disc: Bytes
) -> None:
    """The rows from the first on, one a player, as the holder sees them."""
    for d in range(players):
        one, two, three = (d + 1) % players, (d + 2) % players, (d + 3) % players
        _see_row(
            disc, rows[first + d, tile], rows[first + one, tile], rows[first + two, tile],
            rows[first + three, tile], rows[seen + d, tile],
        )  # fmt: skip


@row_kernel
def _may_lay(held: Bytes, mover_row: Bytes, going: Bytes, ask: Bytes) -> None:
    """A holder other than the mover may lay the disc where cards are about to go."""
    for g in range(ask.size):
        ask[g] = np.uint8((held[g] != 0) & (mover_row[g] != 0) & (going[g] != 0))


@row_kernel
def _may_place(held: Bytes, live: Bytes, thrown: Bytes, ask: Bytes) -> None:
    """Any holder may lay the disc where a turn is about to begin."""
    for g in range(ask.size):
        alive = live[g]
        ask[g] = alive if (held[g] != 0) & (thrown[g] == 0) else np.uint8(0)


@row_kernel
def _place(players: int, wish: Bytes, disc: Bytes, laid: Bytes) -> None:
    """Lay the disc on the row that its holder wishes, counted from the holder."""
    count = np.uint8(players)
    for g in range(wish.size):
        place = disc[g]
        chosen = wish[g]
        row = np.uint8(place - 1 + chosen)
        row = np.uint8(row - count) if row >= count else row
        disc[g] = np.uint8(1 + count + row) if chosen != 0 else place
        laid[g] += np.uint8(chosen != 0)


@part_kernel
def holder_tile(
    tile: slice, state: State, facts: Facts, policies: Policies, decision: int, held: Bytes
) -> None:
    """The table as the disc's holder sees it, and where which group may lay the disc now.

    ``held`` is scratch.
    """
    rows, players = state.rows, facts.players
    disc = rows[at.DISC, tile]
    seat = rows[at.HOLDER_SEAT, tile]
    mover_row = rows[at.HOLDER_MOVER, tile]
    _find_holder(disc, rows[at.MOVER, tile], players, seat, mover_row, held)
    _see_rows(tile, rows, at.TOP, at.HOLDER_TOP, players, disc)
    _see_rows(tile, rows, at.SAFE, at.HOLDER_SAFE, players, disc)
    if policies.see_points:
        _see_rows(tile, state.shorts, at.POINTS, at.HOLDER_POINTS, players, disc)
    for i in range(policies.groups[decision, 0]):
        ask = rows[at.ASKS + MOST_PLAYERS * decision + i, tile]
        if decision == LAY_ASKED:
            _may_lay(held, mover_row, rows[at.GOING, tile], ask)
        else:
            _may_place(held, rows[at.LIVE, tile], rows[at.THROWN, tile], ask)
        mark_seats(policies, decision, i, seat, ask)


@row_kernel
def holder_kernel(state: State, facts: Facts, policies: Policies, scratch: Scratch) -> None:
    """Mark who may lay the disc where a turn is about to begin."""
    lanes = state.keys.size
    for start in range(0, lanes, TILE):
        tile = slice(start, min(start + TILE, lanes))
        held = scratch.rows[0, : tile.stop - tile.start]
        holder_tile(tile, state, facts, policies, BETWEEN_ASKED, held)


@row_kernel
def place_kernel(state: State, facts: Facts, policies: Policies, scratch: Scratch) -> int:
    """Lay the disc where its holder wishes before a turn; needs no scratch.

    Returns 0, or 1 + the number of the decision if it was answered illegally.
    """
    rows, lanes = state.rows, state.keys.size
    for start in range(0, lanes, TILE):
        tile = slice(start, min(start + TILE, lanes))
        lay = rows[at.LAY, tile]
        fill(lay, 0)
        highest = merge_answers(tile, state, policies.groups, BETWEEN_ASKED, lay)
        if highest >= facts.players:
            return 1 + BETWEEN_ASKED
        _place(facts.players, lay, rows[at.DISC, tile], rows[at.COUNTS + at.LAID, tile])
    return 0
