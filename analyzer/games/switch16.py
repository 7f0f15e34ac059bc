"""Switch 16: throw dice, discard 1 to 16 in order, and mind who controls whose deck.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-switch16.md``.
Turns differ in length from game to game, so lanes do not go in step: each step is one throw in every
lane, whoever's turn it is there, and a lane whose game has ended takes up the next game at once.
Lane and game number leave the same rest when divided by 256, so what happens in a lane always
belongs to the same block of the sums, whichever game it happens in.

State of a batch, one column a lane (P players, N lanes). Rows of decks are relative to the mover:
row 0 is the mover's deck, row d that of the d-th player to the left; they move when a turn ends.
``state`` is one uint8 block with named rows:

================  ================================================================================
row               meaning
================  ================================================================================
TOP + d           lowest card not yet discarded, 1 to cards + 1
SAFE + d          1 = the deck is protected
ORIGIN + d        seat whose deck it was when the deal began
DISC              where the disc is: 0 = tray, 1 + d = held by row d, 1 + P + d = on the deck of
                  row d
MOVER             seat whose turn it is
FIRST             seat that began the deal
THROWN            throws before this one in the turn
DICE              numbered dice that the mover's top card calls for
GOING             cards that this throw clears
FACE              face of the Switch die: BLANK, GREEN, RED or BLOCK
LIVE              1 = a game is going on in the lane
DONE              1 = the deal is over: won if row 0 has no card left, else stopped
ENDED             1 = the turn is over, but not the deal
SWAP, PICK, TAKE  answers on green, red and block (see `Switch16.decisions`), 0, 0 and 1 if nobody
                  was asked
LAY               answer of the disc's holder, NEVER if nobody was asked
AGAIN             answer after cards went: 1 = throw again
HELD              1 everywhere: the disc as its holder sees it
HOLDER_TOP + d,   the decks as the holder of the disc sees them, row 0 the holder's
HOLDER_SAFE + d
HOLDER_MOVER      row of the mover, as the holder counts
HOLDER_SEAT       seat of the holder
COUNTS + k        what happened in the lane since the counts were last added up
ASKS + 4k + v     1 = decision k is put to voice v here (a voice: seats that decide alike)
ANSWERS + 4k + v  what voice v answers
================  ================================================================================

``longs`` (uint64) has the rows KEY (chance of the turn), GAME (number of the game) and COLUMN (where
its outcome goes); ``shorts`` (uint16) the rows TURN and DEAL (before this one), POINTS + d (match
points, in rows like the decks) and HOLDER_POINTS + d.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.bits import card_number
from analyzer.compilation import kernel
from analyzer.contracts import (
    Decision,
    Metric,
    Outcome,
    Rules,
    Seat,
    Setting,
    Tally,
    Watcher,
)
from analyzer.errors import RulesError, StrategyFailed
from analyzer.narrow import count_bits, high_product, low_product, shift_left, shift_right
from analyzer.outcomes import WHOLE_WIN, share_wins
from analyzer.random import GAMMA, bounded, game_key, mix64, seed_key, word

__all__ = ["GAME", "NEVER", "Switch16", "Table", "View"]

Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint16]
Halves = NDArray[np.uint32]
Words = NDArray[np.uint64]
Longs = NDArray[np.int64]

PURPOSE_FIRST = 1
PURPOSE_THROW = 2
PURPOSE_DECIDE = 16
"""Seat p makes decision k with purpose 16 + 4k + p."""
DEAL_SHIFT = 32
TURN_SHIFT = 8
MOST_THROWS = 2**31
"""Different throws a setting may have."""

MOST_PLAYERS = 4
TOP, SAFE, ORIGIN = 0, 4, 8
DISC, MOVER, FIRST, THROWN, DICE, GOING, FACE, LIVE, DONE, ENDED = range(12, 22)
SWAP, PICK, TAKE, LAY, AGAIN, HELD = range(22, 28)
HOLDER_TOP, HOLDER_SAFE, HOLDER_MOVER, HOLDER_SEAT = 28, 32, 36, 37
COUNTS = 38
ASKS, ANSWERS = 44, 68
ROWS = 92
KEY, NUMBER, COLUMN = range(3)
TURN, DEAL, POINTS, HOLDER_POINTS = 0, 1, 2, 6

BLANK, GREEN, RED, BLOCK = range(4)
FACES = ("blank", "green", "red", "block")
NEVER = 255

RISK_ASKED, SWAP_ASKED, PICK_ASKED, TAKE_ASKED, LAY_ASKED, BETWEEN_ASKED = range(6)
"""The decisions, in the order of `Switch16.decisions`."""

BLOCK_SUMS = (
    "risks",
    "busts",
    "green_swaps",
    "red_swaps",
    "blocks_laid",
    "deals",
    "turns",
    "first_wins",
    "won_on_foreign_deck",
)
RISKS, BUSTS, GREENS, REDS, LAID, DEALS, TURNS, FIRST_WINS, FOREIGN_WINS = range(9)
COUNTED = 5
"""The first of the sums are counted in the lanes, in bytes that must be added up in time."""
COUNT_LIMIT = 255

(
    PLAYERS, CARDS, MAX_TURNS, MATCH_POINTS, ANYBODY_FIRST, ORIGINS, THROWS, SCALE, SHIFT, NARROW,
    MOST, FEWEST, FACES_OF_DIE, FACES_OF_SWITCH, FIRST_GREEN, FIRST_RED, FIRST_BLOCK,
) = range(17)  # fmt: skip
"""What a kernel has to know of the rules: places in `Table.numbers`."""

GAMES_PER_LANE = 64
TILE = 1024
"""Lanes that a kernel works on at a time; a multiple of 64."""
BLOCKS = 256
ONE = np.uint64(1)
TOP_BITS = 5
TOP_MASK = np.uint32(31)
WINNER_SHIFT = 20
WON_SHIFT = 22
"""The record of a game is a uint32: five bits a top card from the mover's on, mover, won or not."""


class View(NamedTuple):
    """What a seat sees, one column a game; row 0 is me, row d the d-th player to my left.

    Nothing is hidden in this game. Arrays are read-only. Some fields are None unless the strategy
    declares that it sees them: ``"throw"`` for dice, sums and going (which the disc's holder always
    sees while cards go), ``"time"`` for thrown and turn, ``"points"``.

    Attributes
    ----------
    active
        (N,) uint8, 1 where the decision is asked for; elsewhere values are in range and mean
        nothing.
    top
        (P, N) uint8, lowest card not yet discarded, 1 to cards + 1. Green and block policies see
        the decks before this throw's cards go, risk policies after.
    protected
        (P, N) uint8, 1 = the deck cannot be put back beyond the milestone.
    disc
        (N,) uint8: 0 = in the tray, 1 + d = held by row d, 1 + P + d = on the deck of row d.
    mover
        (N,) uint8, row of the player who is throwing, for decisions of the disc's holder; None
        for all others, since it is row 0.
    dice
        (N,) uint8, numbered dice that the mover's top card called for when it was thrown.
    sums
        (N,) uint32, bit k = some of the dice of this throw make k, up to 31.
    going
        (N,) uint8, cards that this throw clears or cleared if nothing stops it.
    thrown
        (N,) uint8, throws before this one in the turn.
    turn
        (N,) uint16, turns before this one in the deal.
    points
        (P, N) uint16, match points of the finished deals.
    players, cards, match_points
        Players, cards in a deck, points that win a match (0 = single games).
    """

    active: Bytes
    top: Bytes
    protected: Bytes
    disc: Bytes
    mover: Bytes | None
    dice: Bytes | None
    sums: Halves | None
    going: Bytes | None
    thrown: Bytes | None
    turn: Shorts | None
    points: Shorts | None
    players: int
    cards: int
    match_points: int


# --- settings ------------------------------------------------------------------------------------


def _whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _parse_dice(value: Any) -> dict[str, int]:
    allowed = (
        "a table of how many dice are thrown from which top card on, such as {1 = 3, 7 = 4, "
        "12 = 5}; it begins at 1, with 1 to 8 dice"
    )
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{value!r} was given; allowed is {allowed}")
    steps: dict[int, int] = {}
    for key, count in value.items():
        text = str(key)
        if not (text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= 30):
            raise ValueError(f"{key!r} is not a top card; allowed is {allowed}")
        if not _whole(count, 1, 8):
            raise ValueError(f"{count!r} is not a number of dice; allowed is {allowed}")
        if int(text) in steps:
            raise ValueError(f"top card {text} is given twice; allowed is {allowed}")
        steps[int(text)] = count
    if 1 not in steps:
        raise ValueError(f"{value!r} does not say what card 1 calls for; allowed is {allowed}")
    return {str(start): steps[start] for start in sorted(steps)}


DEFAULT_FACES = {"blank": 3, "green": 1, "red": 1, "block": 1}


def _parse_switch_die(value: Any) -> dict[str, int]:
    allowed = (
        "numbers of faces (0 to 100) for blank, green, red and block, at least one in all; kinds "
        "that are not named keep their number"
    )
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} was given; allowed are {allowed}")
    for kind, count in value.items():
        if kind not in FACES:
            raise ValueError(f"{kind!r} is no kind of face; allowed are {allowed}")
        if not _whole(count, 0, 100):
            raise ValueError(f"{count!r} is no number of faces; allowed are {allowed}")
    faces = {kind: int(value.get(kind, DEFAULT_FACES[kind])) for kind in FACES}
    if not 1 <= sum(faces.values()) <= 255:
        raise ValueError(f"the die has {sum(faces.values())} faces; allowed are {allowed}")
    return faces


SETTINGS = (
    Setting("cards", "int", 16, "cards in a deck; discarding the last one wins", "source", 1, 30),
    Setting(
        "dice",
        "custom",
        {"1": 3, "7": 4, "12": 5},
        "numbered dice thrown, from which top card on",
        "source",
        parse=_parse_dice,
        allowed="a table such as {1 = 3, 7 = 4, 12 = 5}, with 1 to 8 dice",
    ),
    Setting("faces", "int", 6, "faces of a numbered die, numbered from 1", "fact", 1, 20),
    Setting(
        "switch_die",
        "custom",
        DEFAULT_FACES,
        "faces of the Switch die by kind; no source tells how many of each there are",
        "assumption",
        parse=_parse_switch_die,
        allowed="numbers of faces for blank, green, red and block, at least one in all",
        alternatives=(
            {"blank": 3, "green": 1, "red": 1, "block": 1},
            {"blank": 2, "green": 2, "red": 1, "block": 1},
            {"blank": 2, "green": 1, "red": 2, "block": 1},
            {"blank": 2, "green": 1, "red": 1, "block": 2},
        ),
    ),
    Setting(
        "milestone",
        "int",
        8,
        "card whose discard protects the deck (no deck is if it has fewer cards)",
        "source",
        1,
        30,
    ),
    Setting(
        "milestone_resume",
        "int",
        8,
        "top card of a protected deck after a bust: the milestone, or the card after it",
        "assumption",
        1,
        31,
        alternatives=(8, 9),
        follows="milestone",
    ),
    Setting(
        "first_player",
        "choice",
        "random",
        "who begins: anybody with the same chance (the roll-off), or seat 1",
        "source",
        choices=("random", "seat1"),
    ),
    Setting(
        "match_points",
        "int",
        0,
        "points that win a match of several deals; 0 = single games",
        "source",
        0,
        10_000,
    ),
    Setting(
        "max_turns",
        "int",
        5000,
        "turns after which a deal is stopped and its game counts as unfinished",
        "assumption",
        1,
        60_000,
        alternatives=(500, 5000),
    ),
)


# --- kernels -------------------------------------------------------------------------------------
#
# Kernels go through the lanes in tiles that stay in the first-level cache. Within a tile short loops
# over few rows do one thing each; every operand is read before a condition chooses between them, so
# that the loops become vector instructions.


@kernel
def _merge_tile(
    start: int, size: int, state: Bytes, voices: Longs, decision: int, row: int, default: int
) -> int:
    """Put the voices' answers to a decision into one row; returns the highest answer."""
    end = start + size
    merged = state[row, start:end]
    if voices[decision, 0] > 1:
        value = np.uint8(default)
        for g in range(size):
            merged[g] = value
    highest = np.uint8(0)
    for v in range(voices[decision, 0]):
        ask = state[ASKS + MOST_PLAYERS * decision + v, start:end]
        answer = state[ANSWERS + MOST_PLAYERS * decision + v, start:end]
        if voices[decision, 0] == 1:
            value = np.uint8(default)
            for g in range(size):
                new = answer[g]
                merged[g] = new if ask[g] else value
        else:
            for g in range(size):
                new = answer[g]
                before = merged[g]
                merged[g] = new if ask[g] else before
        for g in range(size):
            new = answer[g]
            counted = new if ask[g] else np.uint8(0)
            highest = max(highest, counted)
    return int(highest)


@kernel
def _keep_seats(ask: Bytes, seat_of: Bytes, seats: int, players: int) -> None:
    """Clear ``ask`` where the seat is none of a bit mask's."""
    for seat in range(players):
        if (seats >> seat) & 1 == 0:
            other = np.uint8(seat)
            for g in range(ask.size):
                asked = ask[g]
                ask[g] = np.uint8(0) if seat_of[g] == other else asked


@kernel
def _take_digit(fractions: Shorts, faces: int, digits: Bytes, size: int) -> None:
    """Take the next die off fractions of 2^16: the whole part of fraction * faces."""
    n = np.uint16(faces)
    for g in range(size):
        fraction = fractions[g]
        digits[g] = np.uint8(high_product(fraction, n))
        fractions[g] = low_product(fraction, n)


@kernel
def _take_digit_of_32(fractions: Halves, faces: int, digits: Bytes, size: int) -> None:
    """Take the next die off fractions of 2^32."""
    n = np.uint64(faces)
    for g in range(size):
        product = np.uint64(fractions[g]) * n
        digits[g] = np.uint8(product >> np.uint64(32))
        fractions[g] = np.uint32(product)


@kernel
def _add_three_dice(fractions: Shorts, faces: int, made: Halves, size: int) -> None:
    """Take three dice off the fractions and add what they can make to the sums."""
    n = np.uint16(faces)
    for g in range(size):
        fraction = fractions[g]
        bits = made[g]
        bits |= shift_left(bits, np.uint32(high_product(fraction, n) + 1))
        fraction = low_product(fraction, n)
        bits |= shift_left(bits, np.uint32(high_product(fraction, n) + 1))
        fraction = low_product(fraction, n)
        bits |= shift_left(bits, np.uint32(high_product(fraction, n) + 1))
        fractions[g] = low_product(fraction, n)
        made[g] = bits


@kernel
def _add_die(digits: Bytes, numbers: Bytes, index: int, made: Halves, size: int) -> None:
    """Add a die to what can be made where so many dice are thrown."""
    so_many = np.uint8(index)
    for g in range(size):
        value = np.uint8(digits[g] + 1)
        digits[g] = value if numbers[g] > so_many else np.uint8(0)
    for g in range(size):
        bits = made[g]
        made[g] = bits | shift_left(bits, np.uint32(digits[g]))


class _Scratch(NamedTuple):
    """Rows of one tile for `_throw_tile`."""

    short_fractions: Shorts
    fractions: Halves
    made: Halves
    digits: Bytes


@kernel
def _throw_tile(
    start: int,
    size: int,
    state: Bytes,
    longs: Words,
    rules: Longs,
    sums: Halves,
    scratch: _Scratch,
) -> None:
    """Throw: GOING, FACE and, where wanted, the sums that the dice make.

    All throws there may be are numbered from 0, in the order of the first die, then the second and
    so on, last the Switch die. A word chooses a number; the number becomes a fraction of 2^16 (or
    2^32 if there are too many) that lies between this throw's start and the next one's, so that
    multiplying by the number of faces gives die after die.
    """
    end = start + size
    key = longs[KEY, start:end]
    thrown = state[THROWN, start:end]
    numbers = state[DICE, start:end]
    live = state[LIVE, start:end]
    short_fractions, fractions, made, digits = scratch
    throws = rules[THROWS]
    scale = np.uint64(rules[SCALE])
    shift = np.uint64(rules[SHIFT])
    up = (ONE << shift) - ONE
    faces = rules[FACES_OF_DIE]
    narrow = rules[NARROW] != 0
    for g in range(size):
        made[g] = 1
    begun = 0
    if narrow:
        for g in range(size):
            chance = mix64(key[g] + np.uint64(thrown[g]) * GAMMA)
            short_fractions[g] = np.uint16((bounded(chance, throws) * scale + up) >> shift)
        if rules[FEWEST] >= 3:
            _add_three_dice(short_fractions, faces, made, size)
            begun = 3
    else:
        for g in range(size):
            chance = mix64(key[g] + np.uint64(thrown[g]) * GAMMA)
            fractions[g] = np.uint32((bounded(chance, throws) * scale + up) >> shift)
    for i in range(begun, rules[MOST]):
        if narrow:
            _take_digit(short_fractions, faces, digits, size)
        else:
            _take_digit_of_32(fractions, faces, digits, size)
        _add_die(digits, numbers, i, made, size)
    if narrow:
        _take_digit(short_fractions, rules[FACES_OF_SWITCH], digits, size)
    else:
        _take_digit_of_32(fractions, rules[FACES_OF_SWITCH], digits, size)
    face = state[FACE, start:end]
    green = np.uint8(rules[FIRST_GREEN])
    red = np.uint8(rules[FIRST_RED])
    block = np.uint8(rules[FIRST_BLOCK])
    for g in range(size):
        digit = digits[g]
        kind = np.uint8(digit >= green) + np.uint8(digit >= red) + np.uint8(digit >= block)
        face[g] = np.uint8(kind) if live[g] else np.uint8(BLANK)
    if sums.size > 0:
        row = sums[start:end]
        for g in range(size):
            row[g] = made[g]
    possible = np.uint32((2 << rules[CARDS]) - 1)
    top = state[TOP, start:end]
    going = state[GOING, start:end]
    for g in range(size):
        rest = shift_right(made[g] & possible, np.uint32(top[g]))
        run = np.uint8(count_bits(rest & ~np.uint32(rest + np.uint32(1))))
        going[g] = run if live[g] else np.uint8(0)


@kernel
def _ask_on_face(start: int, size: int, state: Bytes, voices: Longs, players: int) -> None:
    """Mark where the Switch die brings up a decision: swap, pick or take."""
    end = start + size
    face = state[FACE, start:end]
    mover = state[MOVER, start:end]
    disc = state[DISC, start:end]
    mine = np.uint8(1 + players)
    for decision in (SWAP_ASKED, PICK_ASKED, TAKE_ASKED):
        wanted = np.uint8(decision)
        for v in range(voices[decision, 0]):
            ask = state[ASKS + MOST_PLAYERS * decision + v, start:end]
            for g in range(size):
                ask[g] = np.uint8(face[g] == wanted)
            if decision == TAKE_ASKED:
                for g in range(size):
                    asked = ask[g]
                    ask[g] = asked if disc[g] > mine else np.uint8(0)
            if decision == PICK_ASKED:
                _keep_ties(start, size, state, players, ask)
            _keep_seats(ask, mover, voices[decision, 1 + v], players)


@kernel
def _keep_ties(start: int, size: int, state: Bytes, players: int, ask: Bytes) -> None:
    """Clear ``ask`` where not several other decks are lowest and lower than the mover's."""
    for g in range(size):
        lowest = state[TOP, start + g]
        tied = 0
        for d in range(1, players):
            top = state[TOP + d, start + g]
            tied = 1 if top < lowest else tied + np.int64(top == lowest and tied > 0)
            lowest = min(lowest, top)
        if tied < 2:
            ask[g] = 0


@kernel
def _throw_kernel(
    state: Bytes, longs: Words, voices: Longs, players: int, rules: Longs, sums: Halves
) -> None:
    """Throw in every lane and mark the decisions that the Switch die brings."""
    scratch = _Scratch(
        np.empty(TILE, np.uint16),
        np.empty(TILE, np.uint32),
        np.empty(TILE, np.uint32),
        np.empty(TILE, np.uint8),
    )
    for start in range(0, state.shape[1], TILE):
        size = min(TILE, state.shape[1] - start)
        _throw_tile(start, size, state, longs, rules, sums, scratch)
        _ask_on_face(start, size, state, voices, players)


@kernel
def _words_kernel(
    state: Bytes, longs: Words, decision: int, seat_row: int, out: Words
) -> None:
    """One word a lane for a decision at this throw of the seat that a row names."""
    purpose = np.uint64(PURPOSE_DECIDE + MOST_PLAYERS * decision - PURPOSE_THROW)
    key = longs[KEY]
    seat = state[seat_row]
    thrown = state[THROWN]
    for g in range(out.size):
        number = ((purpose + np.uint64(seat[g])) << np.uint64(48)) | np.uint64(thrown[g])
        out[g] = mix64(key[g] + number * GAMMA)


@kernel
def _swap_tile(
    start: int, size: int, state: Bytes, players: int, origins: bool, partner: Bytes, low: Bytes
) -> None:
    """Swap decks on green and red; ``partner`` is the row swapped with, 0 = none."""
    end = start + size
    face = state[FACE, start:end]
    disc = state[DISC, start:end]
    top = state[TOP, start:end]
    # Red: the row picked, or the first to the left among the lowest, if lower than the mover's.
    for g in range(size):
        low[g] = NEVER
        partner[g] = 0
    for d in range(players - 1, 0, -1):
        other = state[TOP + d, start:end]
        row = np.uint8(d)
        for g in range(size):
            lowest = low[g]
            value = other[g]
            before = partner[g]
            partner[g] = row if value <= lowest else before
            low[g] = min(lowest, value)
    swap = state[SWAP, start:end]
    pick = state[PICK, start:end]
    greens = state[COUNTS + GREENS, start:end]
    reds = state[COUNTS + REDS, start:end]
    for g in range(size):
        kind = face[g]
        picked = pick[g]
        leftmost = partner[g]
        chosen = picked if picked != 0 else leftmost
        on_red = chosen if low[g] < top[g] else np.uint8(0)
        on_red = on_red if kind == RED else np.uint8(0)
        # Green: the row asked for, unless it holds the disc, which refuses.
        wish = swap[g]
        on_green = np.uint8(0) if disc[g] == np.uint8(wish + 1) else wish
        on_green = on_green if kind == GREEN else np.uint8(0)
        greens[g] += np.uint8(on_green != 0)
        reds[g] += np.uint8(on_red != 0)
        partner[g] = on_red | on_green
    for d in range(1, players):
        _exchange(partner, d, top, state[TOP + d, start:end], size)
        _exchange(
            partner, d, state[SAFE, start:end], state[SAFE + d, start:end], size
        )
        if origins:
            _exchange(
                partner, d, state[ORIGIN, start:end], state[ORIGIN + d, start:end], size
            )


@kernel
def _exchange(partner: Bytes, d: int, one: Bytes, other: Bytes, size: int) -> None:
    """Exchange two rows where ``partner`` is d."""
    row = np.uint8(d)
    for g in range(size):
        x = one[g]
        y = other[g]
        here = partner[g] == row
        one[g] = y if here else x
        other[g] = x if here else y


@kernel
def _resolve_tile(
    start: int, size: int, state: Bytes, players: int, resume: int, partner: Bytes
) -> None:
    """Move the disc, then see to blocked decks and busts; GOING is 0 where no card may go."""
    end = start + size
    mine = np.uint8(1 + players)
    back_to = np.uint8(resume)
    face = state[FACE, start:end]
    disc = state[DISC, start:end]
    top = state[TOP, start:end]
    safe = state[SAFE, start:end]
    going = state[GOING, start:end]
    take = state[TAKE, start:end]
    thrown = state[THROWN, start:end]
    busts = state[COUNTS + BUSTS, start:end]
    for g in range(size):
        row = partner[g]
        kind = face[g]
        # A disc on one of the decks swapped goes along.
        place = disc[g]
        other_deck = np.uint8(mine + row)
        moved = other_deck if place == mine else place
        moved = mine if place == other_deck else moved
        # Block: the disc comes to the mover; off another's deck only if the mover wants it.
        comes = (kind == BLOCK) & ((take[g] != 0) | (moved <= mine))
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


@kernel
def _discard_tile(
    start: int,
    size: int,
    state: Bytes,
    voices: Longs,
    players: int,
    cards: int,
    milestone: int,
    laying: bool,
) -> None:
    """Let cards go, up to where the disc is laid; mark wins and who may throw again."""
    end = start + size
    card = np.uint8(milestone)
    last = np.uint8(cards)
    going = state[GOING, start:end]
    top = state[TOP, start:end]
    safe = state[SAFE, start:end]
    done = state[DONE, start:end]
    can = state[AGAIN, start:end]
    if laying:
        mine = np.uint8(1 + players)
        lay = state[LAY, start:end]
        disc = state[DISC, start:end]
        laid = state[COUNTS + LAID, start:end]
        for g in range(size):
            place = disc[g]
            number = going[g]
            limit = lay[g]
            stops = limit < number
            disc[g] = mine if stops else place
            laid[g] += np.uint8(stops)
            # The turn ends without penalty; 255 cards stand for that no more can follow.
            going[g] = limit if stops else number
            can[g] = np.uint8((number != 0) & (not stops))
    else:
        for g in range(size):
            can[g] = np.uint8(going[g] != 0)
    for g in range(size):
        before = top[g]
        after = np.uint8(before + going[g])
        was = safe[g]
        passed = (before <= card) & (after > card)
        safe[g] = np.uint8(1) if passed else was
        top[g] = after
        won = after > last
        done[g] = np.uint8(won)
        may = can[g]
        can[g] = np.uint8(0) if won else may
    mover = state[MOVER, start:end]
    for v in range(voices[RISK_ASKED, 0]):
        ask = state[ASKS + v, start:end]
        for g in range(size):
            ask[g] = can[g]
        _keep_seats(ask, mover, voices[RISK_ASKED, 1 + v], players)


@kernel
def _resolve_kernel(
    state: Bytes,
    shorts: Shorts,
    voices: Longs,
    players: int,
    cards: int,
    milestone: int,
    resume: int,
    origins: bool,
    points: bool,
) -> int:
    """Resolve the Switch die and let cards go, or if somebody may lay the disc, mark who decides.

    Returns 0, or 1 + the number of a decision that was answered illegally.
    """
    partner = np.empty(TILE, np.uint8)
    low = np.empty(TILE, np.uint8)
    laying = voices[LAY_ASKED, 0] > 0
    for start in range(0, state.shape[1], TILE):
        size = min(TILE, state.shape[1] - start)
        if voices[SWAP_ASKED, 0] > 0:
            if _merge_tile(start, size, state, voices, SWAP_ASKED, SWAP, 0) >= players:
                return 1 + SWAP_ASKED
        if voices[PICK_ASKED, 0] > 0:
            if _merge_tile(start, size, state, voices, PICK_ASKED, PICK, 0) >= players:
                return 1 + PICK_ASKED
        if voices[TAKE_ASKED, 0] > 0:
            if _merge_tile(start, size, state, voices, TAKE_ASKED, TAKE, 1) > 1:
                return 1 + TAKE_ASKED
        _swap_tile(start, size, state, players, origins, partner, low)
        _resolve_tile(start, size, state, players, resume, partner)
        if laying:
            _holder_tile(start, size, state, shorts, voices, LAY_ASKED, players, points)
        else:
            _discard_tile(start, size, state, voices, players, cards, milestone, False)
    return 0


@kernel
def _discard_kernel(
    state: Bytes, voices: Longs, players: int, cards: int, milestone: int
) -> int:
    """Let cards go up to where the holders lay the disc; returns as `_resolve_kernel`."""
    for start in range(0, state.shape[1], TILE):
        size = min(TILE, state.shape[1] - start)
        end = start + size
        _merge_tile(start, size, state, voices, LAY_ASKED, LAY, NEVER)
        lay = state[LAY, start:end]
        going = state[GOING, start:end]
        wrong = np.uint8(0)
        for g in range(size):
            limit = lay[g]
            wrong |= np.uint8((limit >= going[g]) & (limit != NEVER))
        if wrong:
            return 1 + LAY_ASKED
        _discard_tile(start, size, state, voices, players, cards, milestone, True)
    return 0


@kernel
def _holder_tile(
    start: int,
    size: int,
    state: Bytes,
    shorts: Shorts,
    voices: Longs,
    decision: int,
    players: int,
    points: bool,
) -> None:
    """The table as the disc's holder sees it, and where which voice may lay the disc now.

    Between turns any holder may; while cards go, a holder other than the mover.
    """
    end = start + size
    disc = state[DISC, start:end]
    mover = state[MOVER, start:end]
    seat = state[HOLDER_SEAT, start:end]
    mover_row = state[HOLDER_MOVER, start:end]
    count = np.uint8(players)
    for g in range(size):
        place = disc[g]
        held = (place != 0) & (place <= count)
        row = np.uint8(place - 1) if held else np.uint8(0)
        here = np.uint8(mover[g] + row)
        seat[g] = np.uint8(here - count) if here >= count else here
        mover_row[g] = np.uint8(0) if row == 0 else np.uint8(count - row)
    for d in range(players):
        _turn_to_holder(disc, state, TOP, HOLDER_TOP, d, players, start, end)
        _turn_to_holder(disc, state, SAFE, HOLDER_SAFE, d, players, start, end)
        if points:
            _turn_to_holder(disc, shorts, POINTS, HOLDER_POINTS, d, players, start, end)
    going = state[GOING, start:end]
    live = state[LIVE, start:end]
    thrown = state[THROWN, start:end]
    for v in range(voices[decision, 0]):
        ask = state[ASKS + MOST_PLAYERS * decision + v, start:end]
        if decision == LAY_ASKED:
            for g in range(size):
                place = disc[g]
                ask[g] = np.uint8((place > 1) & (place <= count) & (going[g] != 0))
        else:
            for g in range(size):
                place = disc[g]
                alive = live[g]
                held = (place != 0) & (place <= count) & (thrown[g] == 0)
                ask[g] = alive if held else np.uint8(0)
        _keep_seats(ask, seat, voices[decision, 1 + v], players)


@kernel
def _turn_to_holder(
    disc: Bytes,
    block: NDArray[Any],
    base: int,
    target: int,
    d: int,
    players: int,
    start: int,
    end: int,
) -> None:
    """Row d of a block as the holder counts: row (h + d) mod P where row h holds the disc."""
    seen = block[target + d, start:end]
    own = block[base + d, start:end]
    for g in range(end - start):
        seen[g] = own[g]
    for h in range(1, players):
        held = np.uint8(1 + h)
        row = block[base + (h + d) % players, start:end]
        for g in range(end - start):
            before = seen[g]
            value = row[g]
            seen[g] = value if disc[g] == held else before


@kernel
def _holder_kernel(
    state: Bytes, shorts: Shorts, voices: Longs, players: int, points: bool
) -> None:
    """Mark who may lay the disc where a turn is about to begin."""
    for start in range(0, state.shape[1], TILE):
        size = min(TILE, state.shape[1] - start)
        _holder_tile(start, size, state, shorts, voices, BETWEEN_ASKED, players, points)


@kernel
def _place_kernel(state: Bytes, voices: Longs, players: int) -> int:
    """Lay the disc where its holder wishes before a turn; returns as `_resolve_kernel`."""
    count = np.uint8(players)
    wish = np.empty(TILE, np.uint8)
    for start in range(0, state.shape[1], TILE):
        size = min(TILE, state.shape[1] - start)
        end = start + size
        if _merge_tile(start, size, state, voices, BETWEEN_ASKED, LAY, 0) >= players:
            return 1 + BETWEEN_ASKED
        lay = state[LAY, start:end]
        disc = state[DISC, start:end]
        laid = state[COUNTS + LAID, start:end]
        for g in range(size):
            wish[g] = lay[g]
            lay[g] = NEVER
        for g in range(size):
            place = disc[g]
            chosen = wish[g]
            # The holder's row, as the coming mover counts, plus the rows to the left of it.
            row = np.uint8(place - 1 + chosen)
            row = np.uint8(row - count) if row >= count else row
            disc[g] = np.uint8(1 + count + row) if chosen != 0 else place
            laid[g] += np.uint8(chosen != 0)
    return 0


@kernel
def _end_tile(
    start: int,
    size: int,
    state: Bytes,
    longs: Words,
    shorts: Shorts,
    voices: Longs,
    limit: int,
) -> int:
    """Count risks, end turns, stop deals; returns the highest answer to the question of a risk."""
    end = start + size
    highest = 0
    if voices[RISK_ASKED, 0] > 0:
        highest = _merge_tile(start, size, state, voices, RISK_ASKED, AGAIN, 0)
        if highest > 1:
            return highest
    else:
        none = state[AGAIN, start:end]
        for g in range(size):
            none[g] = 0
    again = state[AGAIN, start:end]
    live = state[LIVE, start:end]
    done = state[DONE, start:end]
    thrown = state[THROWN, start:end]
    ended = state[ENDED, start:end]
    risks = state[COUNTS + RISKS, start:end]
    for g in range(size):
        more = again[g]
        alive = live[g]
        before = thrown[g]
        ended[g] = np.uint8(0) if (more | done[g]) != 0 else alive
        thrown[g] = np.uint8(before + 1) if more else np.uint8(0)
        risks[g] += more
    turn = shorts[TURN, start:end]
    last = np.uint16(limit)
    for g in range(size):
        over = ended[g]
        mark = done[g]
        turns = np.uint16(turn[g] + over)
        turn[g] = turns
        stops = (over != 0) & (turns >= last)
        done[g] = np.uint8(1) if stops else mark
        ended[g] = np.uint8(0) if stops else over
    key = longs[KEY, start:end]
    next_turn = np.uint64(1 << TURN_SHIFT) * GAMMA
    for g in range(size):
        key[g] += next_turn if ended[g] else np.uint64(0)
    return highest


@kernel
def _turn_tile(
    start: int,
    size: int,
    state: Bytes,
    shorts: Shorts,
    players: int,
    steps: Bytes,
    origins: bool,
    matches: bool,
    head: Bytes,
    short_head: Shorts,
) -> None:
    """Turn the rows to the next mover where a turn ended; lay new decks where a deal is over."""
    end = start + size
    ended = state[ENDED, start:end]
    done = state[DONE, start:end]
    mover = state[MOVER, start:end]
    disc = state[DISC, start:end]
    count = np.uint8(players)
    on_last = np.uint8(2 * players)
    for g in range(size):
        seat = np.uint8(mover[g] + ended[g])
        mover[g] = np.uint8(0) if seat == count else seat
        place = disc[g]
        turned = count if place == 1 else np.uint8(place - 1)
        turned = on_last if place == np.uint8(count + 1) else turned
        turned = place if (place == 0) | (ended[g] == 0) else turned
        disc[g] = np.uint8(0) if done[g] else turned
    _turn_rows(state, TOP, players, start, end, ended, head)
    _turn_rows(state, SAFE, players, start, end, ended, head)
    if origins:
        _turn_rows(state, ORIGIN, players, start, end, ended, head)
        for d in range(players):
            _own_deck(start, end, state, d, players)
    if matches:
        _turn_rows(shorts, POINTS, players, start, end, ended, short_head)
    for d in range(players):
        top = state[TOP + d, start:end]
        safe = state[SAFE + d, start:end]
        for g in range(size):
            card = top[g]
            is_safe = safe[g]
            top[g] = np.uint8(1) if done[g] else card
            safe[g] = np.uint8(0) if done[g] else is_safe
    top = state[TOP, start:end]
    dice = state[DICE, start:end]
    least = steps[0, 1]
    for g in range(size):
        dice[g] = least
    for k in range(1, steps.shape[0]):
        card = steps[k, 0]
        number = steps[k, 1]
        for g in range(size):
            fewer = dice[g]
            dice[g] = number if top[g] >= card else fewer


@kernel
def _own_deck(start: int, end: int, state: Bytes, d: int, players: int) -> None:
    """Where a deal is over, row d gets the deck of its own seat for the next one."""
    origin = state[ORIGIN + d, start:end]
    mover = state[MOVER, start:end]
    done = state[DONE, start:end]
    row = np.uint8(d)
    count = np.uint8(players)
    for g in range(end - start):
        before = origin[g]
        seat = np.uint8(mover[g] + row)
        seat = np.uint8(seat - count) if seat >= count else seat
        origin[g] = seat if done[g] else before


@kernel
def _turn_rows(
    block: NDArray[Any],
    base: int,
    players: int,
    start: int,
    end: int,
    ended: Bytes,
    head: NDArray[Any],
) -> None:
    """Move the rows base.. up by one where the turn ended; row 0 becomes the last."""
    size = end - start
    first = block[base, start:end]
    for g in range(size):
        head[g] = first[g]
    for d in range(players - 1):
        this = block[base + d, start:end]
        after = block[base + d + 1, start:end]
        for g in range(size):
            mine = this[g]
            next_one = after[g]
            this[g] = next_one if ended[g] else mine
    last = block[base + players - 1, start:end]
    for g in range(size):
        mine = last[g]
        one = head[g]
        last[g] = one if ended[g] else mine


@kernel
def _begin_deal(
    lane: int,
    key: np.uint64,
    state: Bytes,
    longs: Words,
    shorts: Shorts,
    players: int,
    anybody_first: bool,
) -> None:
    """Begin a deal of the game with this key; the decks are laid by `_turn_tile`."""
    deal = np.uint64(shorts[DEAL, lane])
    first = 0
    if anybody_first:
        first = np.int64(bounded(word(key, PURPOSE_FIRST, deal), players))
    longs[KEY, lane] = key + _throw_number(deal, np.uint64(0)) * GAMMA
    shorts[TURN, lane] = 0
    state[MOVER, lane] = np.uint8(first)
    state[FIRST, lane] = np.uint8(first)


@kernel
def _throw_number(deal: np.uint64, turn: np.uint64) -> np.uint64:
    """Number of the word of a turn's first throw."""
    purpose = np.uint64(PURPOSE_THROW) << np.uint64(48)
    return purpose | (deal << np.uint64(DEAL_SHIFT)) | (turn << np.uint64(TURN_SHIFT))


@kernel
def _begin_game(
    lane: int,
    column: int,
    run_key: np.uint64,
    runs: Words,
    state: Bytes,
    longs: Words,
    shorts: Shorts,
    players: int,
    anybody_first: bool,
) -> None:
    """Begin the game of a column in a lane; ``runs`` has the game of every 256th column."""
    game = runs[column // BLOCKS] + np.uint64(column % BLOCKS)
    longs[NUMBER, lane] = game
    longs[COLUMN, lane] = np.uint64(column)
    shorts[DEAL, lane] = 0
    key = game_key(run_key, game)
    _begin_deal(lane, key, state, longs, shorts, players, anybody_first)


@kernel
def _begin_kernel(
    seed: int,
    runs: Words,
    games: int,
    queue: Longs,
    state: Bytes,
    longs: Words,
    shorts: Shorts,
    players: int,
    anybody_first: bool,
    first_dice: int,
) -> None:
    """Begin a batch: a game in every lane while there are games; no lane is used from before."""
    run_key = seed_key(seed)
    lanes = state.shape[1]
    state[:] = 0
    state[TOP : TOP + MOST_PLAYERS] = 1
    state[DICE] = first_dice
    state[TAKE] = 1
    state[LAY] = NEVER
    state[HELD] = 1
    shorts[:] = 0
    for lane in range(min(lanes, games)):
        state[LIVE, lane] = 1
        _begin_game(lane, lane, run_key, runs, state, longs, shorts, players, anybody_first)
    state[DONE] = 1
    for d in range(players):
        _own_deck(0, lanes, state, d, players)
    state[DONE] = 0
    for block in range(BLOCKS):
        queue[block] = lanes + block


@kernel
def _finish_tile(
    start: int,
    size: int,
    run_key: np.uint64,
    runs: Words,
    queue: Longs,
    state: Bytes,
    done_words: Words,
    longs: Words,
    shorts: Shorts,
    players: int,
    cards: int,
    match_points: int,
    anybody_first: bool,
    origins: bool,
    sums: Longs,
    records: Halves,
    totals: Shorts,
) -> int:
    """Book the deals that are over and begin the next ones there; returns how many games ended.

    The marks of 64 lanes are gathered into one word first: bit 8b + k is lane 8k + b.
    """
    over = 0
    for first_word in range(start // 8, (start + size) // 8, 8):
        marks = np.uint64(0)
        for k in range(8):
            marks |= done_words[first_word + k] << np.uint64(k)
        while marks != 0:
            bit = np.int64(card_number(marks)) - 1
            marks &= marks - ONE
            lane = 8 * (first_word + (bit & 7)) + (bit >> 3)
            mover = np.int64(state[MOVER, lane])
            won = state[TOP, lane] > cards
            cell = sums[lane & (BLOCKS - 1)]
            cell[DEALS] += 1
            cell[TURNS] += np.int64(shorts[TURN, lane]) + np.int64(won)
            cell[FIRST_WINS] += np.int64(won and state[FIRST, lane] == mover)
            if origins:
                cell[FOREIGN_WINS] += np.int64(won and state[ORIGIN, lane] != mover)
            if match_points > 0:
                best = _score_deal(lane, mover, state, shorts, players)
                if won and best < match_points:
                    number = _throw_number(
                        np.uint64(shorts[DEAL, lane]), np.uint64(shorts[TURN, lane])
                    )
                    key = longs[KEY, lane] - number * GAMMA
                    shorts[DEAL, lane] += np.uint16(1)
                    _begin_deal(lane, key, state, longs, shorts, players, anybody_first)
                    _seat_points(lane, mover, state, shorts, players)
                    continue
            column = longs[COLUMN, lane]
            record = np.uint32(mover) << np.uint32(WINNER_SHIFT)
            record |= np.uint32(won) << np.uint32(WON_SHIFT)
            for d in range(players):
                record |= np.uint32(state[TOP + d, lane]) << np.uint32(TOP_BITS * d)
            records[column] = np.uint32(record)
            if match_points > 0:
                for d in range(players):
                    totals[(mover + d) % players, column] = shorts[POINTS + d, lane]
                    shorts[POINTS + d, lane] = 0
            over += 1
            block = lane & (BLOCKS - 1)
            following = queue[block]
            if following < records.size:
                queue[block] = following + BLOCKS
                _begin_game(
                    lane, following, run_key, runs, state, longs, shorts, players, anybody_first
                )
            else:
                state[LIVE, lane] = 0
    return over


@kernel
def _score_deal(lane: int, mover: int, state: Bytes, shorts: Shorts, players: int) -> int:
    """Add the highest cards discarded to the match points; returns the most points anyone has."""
    best = 0
    for d in range(players):
        total = np.int64(shorts[POINTS + d, lane]) + np.int64(state[TOP + d, lane]) - 1
        shorts[POINTS + d, lane] = np.uint16(total)
        best = max(best, total)
    return best


@kernel
def _seat_points(lane: int, mover: int, state: Bytes, shorts: Shorts, players: int) -> None:
    """Turn the match points from the last mover's rows to those of the next deal's first player."""
    for _ in range((np.int64(state[MOVER, lane]) - mover) % players):
        head = shorts[POINTS, lane]
        for d in range(players - 1):
            shorts[POINTS + d, lane] = shorts[POINTS + d + 1, lane]
        shorts[POINTS + players - 1, lane] = head


@kernel
def _advance_kernel(
    seed: int,
    runs: Words,
    queue: Longs,
    state: Bytes,
    done_words: Words,
    longs: Words,
    shorts: Shorts,
    voices: Longs,
    numbers: Longs,
    steps: Bytes,
    seen_sums: Halves,
    sums: Longs,
    records: Halves,
    totals: Shorts,
) -> int:
    """End the throw in every lane, book what is over, and throw again if nobody decides before.

    Returns how many games ended, or -1 if the question of a risk was answered illegally.
    """
    run_key = seed_key(seed)
    players = numbers[PLAYERS]
    match_points = numbers[MATCH_POINTS]
    anybody_first = numbers[ANYBODY_FIRST] != 0
    origins = numbers[ORIGINS] != 0
    head = np.empty(TILE, np.uint8)
    short_head = np.empty(TILE, np.uint16)
    scratch = _Scratch(
        np.empty(TILE, np.uint16),
        np.empty(TILE, np.uint32),
        np.empty(TILE, np.uint32),
        np.empty(TILE, np.uint8),
    )
    over = 0
    for start in range(0, state.shape[1], TILE):
        size = min(TILE, state.shape[1] - start)
        if _end_tile(start, size, state, longs, shorts, voices, numbers[MAX_TURNS]) > 1:
            return -1
        over += _finish_tile(
            start, size, run_key, runs, queue, state, done_words, longs, shorts, players,
            numbers[CARDS], match_points, anybody_first, origins, sums, records, totals,
        )  # fmt: skip
        _turn_tile(
            start, size, state, shorts, players, steps, origins, match_points > 0, head, short_head
        )
        if voices[BETWEEN_ASKED, 0] == 0:
            _throw_tile(start, size, state, longs, numbers, seen_sums, scratch)
            _ask_on_face(start, size, state, voices, players)
    return over


@kernel
def _add_counts_kernel(state: Bytes, sums: Longs) -> None:
    """Add what was counted in the lanes to the sums of their blocks, and count from 0 again."""
    for k in range(COUNTED):
        row = state[COUNTS + k]
        for lane in range(row.size):
            sums[lane & (BLOCKS - 1), k] += np.int64(row[lane])
            row[lane] = 0


@kernel
def _outcome_kernel(
    records: Halves,
    players: int,
    wins: Bytes,
    scores: NDArray[np.int16],
    unfinished: Bytes,
) -> None:
    """Read the records of single games: the winner, every seat's top card - 1."""
    for seat in range(players):
        share = wins[seat]
        score = scores[seat]
        for g in range(records.size):
            record = records[g]
            mover = np.int32(record >> np.uint32(WINNER_SHIFT)) & np.int32(3)
            row = np.int32(seat) - mover
            row = row + np.int32(players) if row < 0 else row
            top = (record >> np.uint32(TOP_BITS * row)) & TOP_MASK
            score[g] = np.int16(top) - np.int16(1)
            won = (record >> np.uint32(WON_SHIFT)) != 0
            share[g] = np.uint8(WHOLE_WIN) if won & (row == 0) else np.uint8(0)
    for g in range(records.size):
        unfinished[g] = np.uint8(1) - np.uint8(records[g] >> np.uint32(WON_SHIFT))


# --- the game ------------------------------------------------------------------------------------


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _fractions(throws: int) -> tuple[int, int, bool]:
    """How the number of a throw becomes a fraction: scale, shift, and whether 16 bits will do.

    The fraction of number i is ceil(i * scale / 2^shift). It must lie from i / throws up to, not
    including, (i + 1) / throws: scale is 2^bits / throws in units of 2^-shift, rounded up, which
    adds less than throws / 2^shift, and ceil less than 1.
    """
    for bits in (16, 32):
        for shift in range(32):
            if throws * throws <= ((1 << bits) - throws) << shift:
                return -(-(1 << (bits + shift)) // throws), shift, bits == 16
    raise ValueError(f"{throws} throws are too many")


class _Voice(NamedTuple):
    """Seats that answer a decision alike, so that they are asked together."""

    seat: Seat
    decision: str
    seats: int
    """Bit mask of seat numbers."""
    view: View
    answer: Bytes
    words: tuple[int, int] | None
    """Decision and row of the seat for the words of chance; None if no chance is wanted."""


class Table:
    """Workspace for one batch: the state of the module's table, and what strategies see of it."""

    def __init__(self, rules: Rules, players: int, lanes: int) -> None:
        self.rules = rules
        self.players = players
        self.lanes = lanes = -(-lanes // BLOCKS) * BLOCKS
        dice = rules["dice"]
        faces = np.cumsum([rules["switch_die"][kind] for kind in FACES])
        throws = rules["faces"] ** max(dice.values()) * int(faces[-1])
        scale, shift, narrow = _fractions(throws)
        self.steps = np.array([(int(start), count) for start, count in dice.items()], np.uint8)
        self.numbers = np.array(
            [
                players, rules["cards"], rules["max_turns"], rules["match_points"],
                rules["first_player"] == "random", 0, throws, scale, shift, narrow,
                max(dice.values()), min(dice.values()), rules["faces"], faces[-1], *faces[:-1],
            ],
            np.int64,
        )  # fmt: skip
        self.state = np.zeros((ROWS, lanes), np.uint8)
        self.done_words = self.state[DONE].view(np.uint64)
        self.longs = np.zeros((3, lanes), np.uint64)
        self.shorts = np.zeros((HOLDER_POINTS + MOST_PLAYERS, lanes), np.uint16)
        self.dice_sums = np.zeros(lanes, np.uint32)
        self.words = np.zeros(lanes, np.uint64)
        self.chance = _read_only(self.words)
        self.records = np.zeros(lanes * GAMES_PER_LANE, np.uint32)
        self.wins = np.zeros((players, lanes * GAMES_PER_LANE), np.uint8)
        self.scores = np.zeros((players, lanes * GAMES_PER_LANE), np.int16)
        self.unfinished = np.zeros(lanes * GAMES_PER_LANE, np.uint8)
        self.queue = np.zeros(BLOCKS, np.int64)
        self.sums = np.zeros((BLOCKS, len(BLOCK_SUMS)), np.int64)

    def view(self, decision: int, voice: int, sees: frozenset[str]) -> View:
        """What a voice sees when it is asked for a decision."""
        n = self.players
        state, shorts = self.state, self.shorts
        as_holder = decision in (LAY_ASKED, BETWEEN_ASKED)
        top = HOLDER_TOP if as_holder else TOP
        safe = HOLDER_SAFE if as_holder else SAFE
        points = HOLDER_POINTS if as_holder else POINTS
        throw = decision == LAY_ASKED or ("throw" in sees and decision != BETWEEN_ASKED)
        time = "time" in sees
        return View(
            active=_read_only(state[ASKS + MOST_PLAYERS * decision + voice]),
            top=_read_only(state[top : top + n]),
            protected=_read_only(state[safe : safe + n]),
            disc=_read_only(state[HELD if as_holder else DISC]),
            mover=_read_only(state[HOLDER_MOVER]) if as_holder else None,
            dice=_read_only(state[DICE]) if throw else None,
            sums=_read_only(self.dice_sums) if throw else None,
            going=_read_only(state[GOING]) if throw else None,
            thrown=_read_only(state[THROWN]) if time else None,
            turn=_read_only(shorts[TURN]) if time else None,
            points=_read_only(shorts[points : points + n]) if "points" in sees else None,
            players=n,
            cards=self.rules["cards"],
            match_points=self.rules["match_points"],
        )


class Switch16:
    """The game's entry in the registry; see `analyzer.contracts.Game`."""

    name = "switch16"
    title = "Switch 16"
    question = "Does greed pay?"
    min_players = 2
    max_players = MOST_PLAYERS
    default_players = 4
    settings = SETTINGS
    families = ("risk", "green", "block")
    sees = ("throw", "time", "points")
    decisions = (
        Decision(
            "risk",
            np.uint8,
            "after cards went: 1 = throw again, 0 = end the turn",
            "risk",
            default=0,
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
    metrics = (
        Metric("turns_per_game", "turns", "deals", "turns until somebody has won"),
        Metric(
            "first_player_win_share", "first_wins", "deals", "share won by the player who began"
        ),
        Metric("risks_per_game", "risks", "deals", "decisions to throw again"),
        Metric("busts_per_game", "busts", "deals", "risks that cleared nothing"),
        Metric("green_swaps_per_game", "green_swaps", "deals", "decks swapped on green"),
        Metric("red_swaps_per_game", "red_swaps", "deals", "decks swapped on red"),
        Metric("blocks_laid_per_game", "blocks_laid", "deals", "times the disc was laid on a deck"),
    )
    headline = ("games", "wins", "wins_sq", "first_wins", "deals")
    default_strategy = "greedy/leader/deny:16"
    games_per_lane = GAMES_PER_LANE

    def check_rules(self, rules: dict[str, Any], players: int) -> None:
        """Refuse a resumption that is neither milestone nor the card after, and too rich throws."""
        milestone, resume = rules["milestone"], rules["milestone_resume"]
        if resume not in (milestone, milestone + 1):
            raise RulesError(
                f"milestone_resume = {resume} is neither the milestone ({milestone}) nor the card "
                f"after it ({milestone + 1})."
            )
        dice = max(rules["dice"].values())
        throws = rules["faces"] ** dice * sum(rules["switch_die"].values())
        if throws > MOST_THROWS:
            raise RulesError(
                f"{dice} dice with {rules['faces']} faces and this Switch die make {throws:,} "
                f"different throws; at most {MOST_THROWS:,} can be told apart: use fewer faces or "
                "dice."
            )

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Lowest and highest final score that the rules allow."""
        points: int = rules["match_points"]
        return 0, rules["cards"] + max(points - 1, 0)

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums."""
        names = BLOCK_SUMS if detail == "fairness" else BLOCK_SUMS[:FOREIGN_WINS]
        return dict.fromkeys(names, ())

    def table(self, rules: Rules, players: int, lanes: int) -> Table:
        """Workspace of so many lanes."""
        return Table(rules, players, lanes)

    def play(
        self,
        table: Table,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
        watch: Watcher | None = None,
    ) -> Outcome:
        """Play the given games, refilling lanes as games end."""
        t = table
        n = t.players
        for seat in seats:
            seat.games = t.longs[NUMBER]
        voices = {d.name: _voices(t, seats, k, d.name) for k, d in enumerate(self.decisions)}
        asked = np.zeros((len(voices), 1 + MOST_PLAYERS), np.int64)
        for row, heard in zip(asked, voices.values(), strict=True):
            row[0] = len(heard)
            row[1 : 1 + len(heard)] = [voice.seats for voice in heard]
        sees = frozenset().union(*(seat.strategy.sees for seat in seats))
        seen_sums = t.dice_sums if "throw" in sees or voices["lay"] else t.dice_sums[:0]
        origins = "won_on_foreign_deck" in tally
        t.numbers[ORIGINS] = origins
        t.sums[:] = 0
        match_points: int = t.rules["match_points"]
        runs = np.ascontiguousarray(games[::BLOCKS])
        records = t.records[: games.size]
        totals = np.zeros((n, games.size if match_points else 0), np.uint16)
        _begin_kernel(
            seed, runs, games.size, t.queue, t.state, t.longs, t.shorts, n,
            t.rules["first_player"] == "random", t.steps[0, 1],
        )  # fmt: skip
        over, steps = 0, 0
        while True:
            if steps == 0 or voices["lay_between"]:
                self._place_disc(t, asked, voices["lay_between"])
                _throw_kernel(t.state, t.longs, asked, n, t.numbers, seen_sums)
            self._resolve(t, asked, voices)
            over += self._advance(t, seed, runs, asked, voices, seen_sums, records, totals)
            steps += 1
            if steps % COUNT_LIMIT == 0 or over == games.size:
                _add_counts_kernel(t.state, t.sums)
            if over == games.size:
                break
        for k, name in enumerate(BLOCK_SUMS):
            if name in tally:
                tally[name] += t.sums[:, k]
        return _outcome(t, games, records, totals)

    def _place_disc(self, t: Table, asked: Longs, voices: Sequence[_Voice]) -> None:
        """Let holders lay the disc where a turn is about to begin."""
        if not voices:
            return
        points = any(voice.view.points is not None for voice in voices)
        _holder_kernel(t.state, t.shorts, asked, t.players, points)
        _put(t, voices)
        if _place_kernel(t.state, asked, t.players):
            self._report_illegal(t, BETWEEN_ASKED, voices)

    def _resolve(self, t: Table, asked: Longs, voices: dict[str, list[_Voice]]) -> None:
        """From the dice on the table to the cards that go."""
        rules = t.rules
        _put(t, voices["swap"])
        _put(t, voices["pick"])
        _put(t, voices["take"])
        for voice in voices["pick"]:
            self._check_pick(t, voice)
        points = any(voice.view.points is not None for voice in voices["lay"])
        wrong = _resolve_kernel(
            t.state, t.shorts, asked, t.players, rules["cards"], rules["milestone"],
            rules["milestone_resume"], bool(t.numbers[ORIGINS]), points,
        )  # fmt: skip
        if not wrong and voices["lay"]:
            _put(t, voices["lay"])
            wrong = _discard_kernel(
                t.state, asked, t.players, rules["cards"], rules["milestone"]
            )
        if wrong:
            self._report_illegal(t, wrong - 1, voices[self.decisions[wrong - 1].name])

    def _advance(
        self,
        t: Table,
        seed: int,
        runs: Words,
        asked: Longs,
        voices: dict[str, list[_Voice]],
        seen_sums: Halves,
        records: Halves,
        totals: Shorts,
    ) -> int:
        """Ask who risks another throw and go on to it; returns how many games ended."""
        _put(t, voices["risk"])
        over: int = _advance_kernel(
            seed, runs, t.queue, t.state, t.done_words, t.longs, t.shorts, asked, t.numbers,
            t.steps, seen_sums, t.sums, records, totals,
        )  # fmt: skip
        if over < 0:
            self._report_illegal(t, RISK_ASKED, voices["risk"])
        return over

    def _check_pick(self, t: Table, voice: _Voice) -> None:
        """Only a row that shows the lowest top card may be picked."""
        lanes = np.flatnonzero(voice.view.active * (voice.answer != 0))
        tops = t.state[TOP + 1 : TOP + t.players, lanes]
        rows = np.minimum(voice.answer[lanes], t.players - 1).astype(np.intp)
        wrong = lanes[t.state[TOP + rows, lanes] != tops.min(axis=0, initial=NEVER)]
        if wrong.size:
            lane = int(wrong[np.argmin(t.longs[NUMBER, wrong])])
            what = f"it picked row {voice.answer[lane]}, which does not show the lowest top card."
            raise self._failure(t, voice, lane, what)

    def _report_illegal(self, t: Table, decision: int, voices: Sequence[_Voice]) -> None:
        """Name the lowest game in which one of the voices chose what the rules forbid."""
        going = t.state[GOING]
        failures = []
        for voice in voices:
            if decision == LAY_ASKED:
                wrong = (voice.answer >= going) & (voice.answer != NEVER)
            else:
                highest = 1 if decision in (RISK_ASKED, TAKE_ASKED) else t.players - 1
                wrong = voice.answer > highest
            lanes = np.flatnonzero(wrong & (voice.view.active != 0))
            if lanes.size:
                lane = int(lanes[np.argmin(t.longs[NUMBER, lanes])])
                allowed = (
                    f"0 to {going[lane] - 1}, or {NEVER}"
                    if decision == LAY_ASKED
                    else f"0 to {highest}"
                )
                what = f"it chose {voice.answer[lane]}; allowed is {allowed}."
                failures.append(self._failure(t, voice, lane, what))
        raise min(failures, key=lambda failure: failure.game)

    def _failure(self, t: Table, voice: _Voice, lane: int, what: str) -> StrategyFailed:
        as_holder = voice.view.mover is not None
        seat = int(t.state[HOLDER_SEAT if as_holder else MOVER, lane])
        return StrategyFailed(
            voice.seat.strategy.spec,
            int(t.longs[NUMBER, lane]),
            f"turn {t.shorts[TURN, lane] + 1}, throw {t.state[THROWN, lane] + 1}, seat {seat + 1}, "
            f"decision {voice.decision!r}",
            what,
        )


def _voices(t: Table, seats: Sequence[Seat], k: int, decision: str) -> list[_Voice]:
    """The seats that answer a decision, those with the same hook and parameters together."""
    voices: list[_Voice] = []
    for number, seat in enumerate(seats):
        if decision not in seat.strategy.hooks:
            continue
        for i, voice in enumerate(voices):
            if _answer_alike(voice.seat, seat, decision):
                voices[i] = voice._replace(seats=voice.seats | 1 << number)
                break
        else:
            v = len(voices)
            row = HOLDER_SEAT if decision in ("lay", "lay_between") else MOVER
            voices.append(
                _Voice(
                    seat=seat,
                    decision=decision,
                    seats=1 << number,
                    view=t.view(k, v, seat.strategy.sees),
                    answer=t.state[ANSWERS + MOST_PLAYERS * k + v],
                    words=(k, row) if decision in seat.strategy.stochastic else None,
                )
            )
    return voices


def _answer_alike(one: Seat, other: Seat, decision: str) -> bool:
    """Whether two seats decide by the same function with the same parameters."""
    mine, theirs = one.strategy, other.strategy
    if mine.spec == theirs.spec:
        return True
    if mine.hooks[decision] is not theirs.hooks[decision] or mine.sees != theirs.sees:
        return False
    if (decision in mine.stochastic) != (decision in theirs.stochastic):
        return False
    pairs = zip(mine.params[decision], theirs.params[decision], strict=True)
    return mine.expensive == theirs.expensive and all(np.array_equal(a, b) for a, b in pairs)


def _put(t: Table, voices: Sequence[_Voice]) -> None:
    """Put a question to all voices."""
    for voice in voices:
        chance = None
        if voice.words is not None:
            decision, seat_row = voice.words
            _words_kernel(t.state, t.longs, decision, seat_row, t.words)
            chance = t.chance
        voice.seat.decide(voice.decision, voice.view, chance, voice.answer)


def _outcome(t: Table, games: Words, records: Halves, totals: Shorts) -> Outcome:
    """How the games of a batch ended."""
    wins = t.wins[:, : games.size]
    scores = t.scores[:, : games.size]
    unfinished = t.unfinished[: games.size]
    _outcome_kernel(records, t.players, wins, scores, unfinished)
    if totals.size:
        scores[:] = totals
        share_wins(scores, wins)
        wins[:, unfinished != 0] = 0
    return Outcome(games, wins, scores, unfinished)


GAME = Switch16()
