"""What seats of Switch 16 are asked, where it is asked, and putting the answers together."""

from __future__ import annotations

import numpy as np

from analyzer.contracts import Decision
from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.policies import NEVER
from analyzer.games.switch16.rules import Facts
from analyzer.games.switch16.state import (
    EVERYBODY,
    MOST_PLAYERS,
    TILE,
    TURN_SHIFT,
    Bytes,
    Halves,
    Longs,
    Policies,
    Shorts,
    State,
    Words,
)
from analyzer.kernels.bits import marked_columns
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.random import GAMMA, mix64
from analyzer.kernels.rows import merge

DECISIONS = (
    Decision(
        "risk", np.uint8, "after cards went: 1 = throw again, 0 = end the turn", "risk", default=0
    ),
    Decision("swap", np.uint8, "on green: row to swap decks with, 0 = none", "green", default=0),
    Decision(
        "pick",
        np.uint8,
        "on red, where several other decks are lowest: row of the one to swap with, 0 = the "
        "first to the left",
        "green",
        default=0,
    ),
    Decision(
        "take",
        np.uint8,
        "on block, where the disc lies on another's deck: 1 = take it, 0 = leave it",
        "block",
        default=1,
    ),
    Decision(
        "lay",
        np.uint8,
        "as holder, while another's cards are about to go: after how many of them to lay the "
        "disc on that deck (fewer than go), 255 = not at all",
        "block",
        default=NEVER,
    ),
    Decision(
        "lay_between",
        np.uint8,
        "as holder, before a turn: row on whose deck to lay the disc, 0 = none",
        "block",
        default=0,
    ),
)
RISK_ASKED, SWAP_ASKED, PICK_ASKED, TAKE_ASKED, LAY_ASKED, BETWEEN_ASKED = range(len(DECISIONS))
AS_HOLDER = (LAY_ASKED, BETWEEN_ASKED)
"""Decisions of the disc's holder, who need not be the mover."""


# --- where a decision is asked --------------------------------------------------------------------


@row_kernel
def keep_seats(seat_of: Bytes, seats: int, ask: Bytes) -> None:
    """Ask only where the seat is one of a bit mask's."""
    zero = np.uint8(seats & 1)
    one = np.uint8((seats >> 1) & 1)
    two = np.uint8((seats >> 2) & 1)
    three = np.uint8((seats >> 3) & 1)
    for g in range(ask.size):
        asked = ask[g]
        seat = seat_of[g]
        low = one if seat == 1 else zero
        high = three if seat == 3 else two
        ask[g] = asked & (low if seat < 2 else high)


@part_kernel
def mark_seats(policies: Policies, decision: int, group: int, seat: Bytes, ask: Bytes) -> None:
    """Ask only where the seat is one of a policy group's."""
    seats = policies.groups[decision, 1 + group]
    if seats != EVERYBODY:
        keep_seats(seat, seats, ask)


@row_kernel
def mark_face(face: Bytes, kind: int, ask: Bytes) -> None:
    """Ask where the Switch die shows a face."""
    wanted = np.uint8(kind)
    for g in range(ask.size):
        ask[g] = np.uint8(face[g] == wanted)


@row_kernel
def _keep_beyond(disc: Bytes, place: int, ask: Bytes) -> None:
    """Keep asking where the disc is beyond a place."""
    last = np.uint8(place)
    for g in range(ask.size):
        asked = ask[g]
        ask[g] = asked if disc[g] > last else np.uint8(0)


@part_kernel
def _keep_ties(tile: slice, state: State, players: int, ask: Bytes) -> None:
    """Ask only where several other decks are lowest, and lower than the mover's."""
    for g in range(ask.size):
        lowest = state.rows[at.TOP, tile.start + g]
        tied = 0
        for d in range(1, players):
            top = state.rows[at.TOP + d, tile.start + g]
            more = tied + 1 if top == lowest and tied > 0 else tied
            tied = 1 if top < lowest else more
            lowest = min(lowest, top)
        if tied < 2:
            ask[g] = 0


@part_kernel
def mark_on_face(tile: slice, state: State, policies: Policies, players: int) -> None:
    """Mark where the Switch die brings up a decision: swap, pick or take."""
    for decision in (SWAP_ASKED, PICK_ASKED, TAKE_ASKED):
        for i in range(policies.groups[decision, 0]):
            ask = state.rows[at.ASKS + MOST_PLAYERS * decision + i, tile]
            # Decisions and the faces that bring them up have the same numbers.
            mark_face(state.rows[at.FACE, tile], decision, ask)
            if decision == PICK_ASKED:
                _keep_ties(tile, state, players, ask)
            if decision == TAKE_ASKED:
                _keep_beyond(state.rows[at.DISC, tile], 1 + players, ask)
            mark_seats(policies, decision, i, state.rows[at.MOVER, tile], ask)


# --- answers --------------------------------------------------------------------------------------


@part_kernel
def merge_answers(tile: slice, state: State, groups: Longs, decision: int, merged: Bytes) -> int:
    """Put all groups' answers to a decision where they were asked; returns the highest of them."""
    highest = 0
    for i in range(groups[decision, 0]):
        ask = state.rows[at.ASKS + MOST_PLAYERS * decision + i, tile]
        answer = state.rows[at.ANSWERS + MOST_PLAYERS * decision + i, tile]
        highest = max(highest, merge(ask, answer, merged))
    return highest


# --- chance of decisions --------------------------------------------------------------------------


FEW_WORDS = 5
"""If not more than one lane in so many asks for a word, it is faster to skip the others."""


@row_kernel
def decision_purpose(facts: Facts, decision: int) -> int:
    """What seat 0's words for a decision are for, counted from what throws are for, modulo 2^16."""
    return (facts.decide_purpose + MOST_PLAYERS * decision - facts.throw_purpose) & 0xFFFF


@row_kernel
def decision_words_kernel(
    purpose: int,
    ask: Bytes,
    seat: Bytes,
    thrown: Bytes,
    keys: Words,
    turn: Shorts,
    asking: Halves,
    out: Words,
) -> None:
    """One word a lane for a seat's decision at this throw, if few ask only in the lanes that do.

    ``purpose`` is `decision_purpose`.
    """
    seat_0 = np.uint64(purpose)
    for start in range(0, out.size, TILE):
        end = min(start + TILE, out.size)
        found = marked_columns(ask[start:end], start, asking)
        if found > (end - start) // FEW_WORDS:
            _decision_words(
                seat_0, seat[start:end], thrown[start:end], keys[start:end], turn[start:end],
                out[start:end],
            )  # fmt: skip
        else:
            for i in range(found):
                g = np.int64(asking[i])
                out[g] = decision_word(seat_0, seat[g], thrown[g], keys[g], turn[g])


@row_kernel
def _decision_words(
    purpose: np.uint64, seat: Bytes, thrown: Bytes, keys: Words, turn: Shorts, out: Words
) -> None:
    for g in range(out.size):
        out[g] = decision_word(purpose, seat[g], thrown[g], keys[g], turn[g])


@row_kernel
def decision_word(
    purpose: np.uint64, seat: np.uint8, thrown: np.uint8, key: np.uint64, turn: np.uint16
) -> np.uint64:
    """The word of a seat's decision at one throw; ``purpose`` is that of seat 0."""
    number = (purpose + np.uint64(seat)) << np.uint64(48)
    number |= (np.uint64(turn) << np.uint64(TURN_SHIFT)) | np.uint64(thrown)
    return mix64(key + number * GAMMA)
