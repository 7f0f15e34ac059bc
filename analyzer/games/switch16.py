"""Switch 16: throw dice, discard 1 to 16 in order, and mind who controls whose deck.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-switch16.md``.
Turns differ in length from game to game, so lanes do not go in step: each step is one throw in every
lane, whoever's turn it is there, and a lane whose game has ended takes up the next game at once.

State of a batch, one column a lane (P players, N lanes). Rows of decks are relative to the mover:
row 0 is the mover's deck, row d that of the d-th player to the left; they turn when a turn ends.
``state`` is one uint8 block with named rows:

===========  =====================================================================================
row          meaning
===========  =====================================================================================
TOP + d      lowest card not yet discarded, 1 to cards + 1
SAFE + d     1 = the deck is protected
DISC         where the disc is: 0 = tray, 1 + d = held by row d, 1 + P + d = on the deck of row d
MOVER        seat whose turn it is
FIRST        seat that began the deal
THROWN       throws before this one in the turn
DICE         numbered dice that the mover's top card calls for
GOING        cards that this throw can clear
FACE         face of the Switch die: BLANK, GREEN, RED or BLOCK
LIVE         1 = a game is going on in the lane
FRESH        1 = a turn is about to begin
ASK          1 = the decision at hand is asked in this lane
SWAP         answer on green: row to swap decks with, 0 = none
PICK         answer on red among several lowest: row to swap decks with, 0 = the first to the left
TAKE         answer on block: 1 = take the disc off another's deck
LAY          answer of the disc's holder: after how many cards it is laid, NEVER = not at all
AGAIN        answer after cards went: 1 = throw again
DONE         1 = the mover has won the deal, 2 = the deal was stopped, 3 = the lane is empty
===========  =====================================================================================

Beside it stand ``keys`` and ``turn_keys`` (uint64: the game's chance and that of the turn),
``sums`` (uint64: bit k = the throw can make k), ``turn`` and ``deal`` (uint16), ``slot`` (int64:
column of the outcome), ``points`` (P, N) uint16 in rows like the decks, and ``counts`` (uint16).
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
from analyzer.random import GAMMA, bounded, game_key, mix64, seed_key, word

__all__ = ["GAME", "NEVER", "Switch16", "Table", "View"]

Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint16]
Words = NDArray[np.uint64]
Longs = NDArray[np.int64]

PURPOSE_FIRST = 1
PURPOSE_THROW = 2
PURPOSE_DECIDE = 16
DEAL_SHIFT = 32
TURN_SHIFT = 8
FRACTION = np.uint64(56)
"""A throw's word is read as a fraction of so many bits."""
FRACTION_MASK = np.uint64((1 << 56) - 1)
MOST_THROWS = 2**26
"""Different throws a setting may have: with 2^56 fractions no throw is off by more than 2^-30."""

MOST_PLAYERS = 4
TOP = 0
SAFE = 4
DISC, MOVER, FIRST, THROWN, DICE, GOING, FACE, LIVE, FRESH = range(8, 17)
ASK, SWAP, PICK, TAKE, LAY, AGAIN, DONE = range(17, 24)
ROWS = 24

BLANK, GREEN, RED, BLOCK = range(4)
FACES = ("blank", "green", "red", "block")
NEVER = 255
WON, STOPPED, EMPTY = 1, 2, 3

RISKS, BUSTS, GREENS, REDS, LAID = range(5)
COUNTS = 5

LOWEST_BITS = np.uint64(0x0101010101010101)
TILE = 1024
BLOCKS = 256
ONE = np.uint64(1)


class View(NamedTuple):
    """What a seat sees, one column a game; row 0 is me, row d the d-th player to my left.

    Nothing is hidden in this game. Arrays are read-only.

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
        (N,) uint8, row of the player who is throwing: 0 unless I am asked as the disc's holder.
    dice
        (N,) uint8, numbered dice that the mover's top card called for when it was thrown.
    sums
        (N,) uint64, bit k = some of the dice of this throw make k.
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
    mover: Bytes
    dice: Bytes
    sums: Words
    going: Bytes
    thrown: Bytes
    turn: Shorts
    points: Shorts
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


@kernel
def _throw_kernel(
    state: Bytes,
    turn_keys: Words,
    most_dice: int,
    faces: int,
    thresholds: Words,
    cards: int,
    sums: Words,
) -> None:
    """Throw in every lane: GOING, FACE and the sums that the dice can make.

    The word's digits are the dice, then the Switch die: digit = whole part of fraction * faces.
    """
    lanes = state.shape[1]
    fraction = np.empty(TILE, np.uint64)
    made = np.empty(TILE, np.uint64)
    n = np.uint64(faces)
    total = thresholds[3]
    for start in range(0, lanes, TILE):
        size = min(TILE, lanes - start)
        end = start + size
        thrown = state[THROWN, start:end]
        dice = state[DICE, start:end]
        top = state[TOP, start:end]
        going = state[GOING, start:end]
        face = state[FACE, start:end]
        tile_keys = turn_keys[start:end]
        tile_sums = sums[start:end]
        for g in range(size):
            fraction[g] = mix64(tile_keys[g] + np.uint64(thrown[g]) * GAMMA) >> np.uint64(8)
        for g in range(size):
            made[g] = ONE
        for i in range(most_dice):
            index = np.uint8(i)
            for g in range(size):
                product = fraction[g] * n
                value = (product >> FRACTION) + ONE
                fraction[g] = product & FRACTION_MASK
                shift = value if index < dice[g] else np.uint64(0)
                made[g] |= made[g] << shift
        for g in range(size):
            digit = (fraction[g] * total) >> FRACTION
            kind = np.uint64(digit >= thresholds[0]) + np.uint64(digit >= thresholds[1])
            face[g] = np.uint8(kind + np.uint64(digit >= thresholds[2]))
        for g in range(size):
            missing = ~(made[g] >> np.uint64(top[g]))
            run = np.uint64(card_number(missing)) - ONE
            going[g] = np.uint8(min(run, np.uint64(cards + 1) - np.uint64(top[g])))
        for g in range(size):
            tile_sums[g] = made[g]


@kernel
def _ask_kernel(state: Bytes, face: int, seats: int, players: int) -> None:
    """ASK where the face came up and the mover sits in one of the seats of a bit mask.

    On a block only where the disc lies on another's deck.
    """
    lanes = state.shape[1]
    everybody = (1 << players) - 1
    mine = np.uint8(1 + players)
    for start in range(0, lanes, TILE):
        size = min(TILE, lanes - start)
        end = start + size
        ask = state[ASK, start:end]
        live = state[LIVE, start:end]
        faces = state[FACE, start:end]
        wanted = np.uint8(face)
        for g in range(size):
            alive = live[g]
            ask[g] = alive if faces[g] == wanted else np.uint8(0)
        if face == BLOCK:
            disc = state[DISC, start:end]
            for g in range(size):
                asked = ask[g]
                ask[g] = asked if disc[g] > mine else np.uint8(0)
        if seats != everybody:
            _keep_seats(ask, state[MOVER, start:end], seats, players)


@kernel
def _keep_seats(ask: Bytes, mover: Bytes, seats: int, players: int) -> None:
    """Clear ``ask`` where the mover sits in none of the seats."""
    for seat in range(players):
        if (seats >> seat) & 1 == 0:
            other = np.uint8(seat)
            for g in range(ask.size):
                asked = ask[g]
                ask[g] = np.uint8(0) if mover[g] == other else asked


@kernel
def _ask_risk_kernel(state: Bytes, can: Bytes, seats: int, players: int) -> None:
    """ASK where the mover may throw again (``can``) and sits in one of the seats."""
    lanes = state.shape[1]
    ask = state[ASK]
    for g in range(lanes):
        ask[g] = can[g]
    if seats != (1 << players) - 1:
        for start in range(0, lanes, TILE):
            end = min(start + TILE, lanes)
            _keep_seats(ask[start:end], state[MOVER, start:end], seats, players)


@kernel
def _answer_kernel(ask: Bytes, answer: Bytes, row: Bytes) -> None:
    """Put one policy's answers where it was asked."""
    for g in range(ask.size):
        new = answer[g]
        old = row[g]
        row[g] = new if ask[g] else old


@kernel
def _highest_answer(ask: Bytes, answer: Bytes) -> int:
    """Highest answer where one was asked."""
    highest = np.uint8(0)
    for g in range(ask.size):
        value = answer[g]
        counted = value if ask[g] else np.uint8(0)
        highest = max(highest, counted)
    return int(highest)


@kernel
def _decision_words_kernel(
    state: Bytes, keys: Words, turn: Shorts, deal: Shorts, out: Words
) -> None:
    """One word a lane for a decision of the mover at this throw."""
    for g in range(out.size):
        purpose = np.uint64(PURPOSE_DECIDE) + np.uint64(state[MOVER, g])
        number = (
            (purpose << np.uint64(48))
            | (np.uint64(deal[g]) << np.uint64(DEAL_SHIFT))
            | (np.uint64(turn[g]) << np.uint64(TURN_SHIFT))
            | np.uint64(state[THROWN, g])
        )
        out[g] = mix64(keys[g] + number * GAMMA)


@kernel
def _switch_kernel(
    state: Bytes, players: int, resume: int, origins: bool, origin: Bytes, counts: Shorts
) -> None:
    """Resolve the Switch die, then blocked decks and busts; GOING is 0 where no card may go."""
    lanes = state.shape[1]
    mine = np.uint8(1 + players)
    partner = np.empty(TILE, np.uint8)
    lowest = np.empty(TILE, np.uint8)
    over = np.empty(TILE, np.uint8)
    for start in range(0, lanes, TILE):
        size = min(TILE, lanes - start)
        end = start + size
        face = state[FACE, start:end]
        disc = state[DISC, start:end]
        top = state[TOP, start:end]
        going = state[GOING, start:end]
        swap = state[SWAP, start:end]
        # Green: the row asked for, unless it holds the disc, which refuses.
        for g in range(size):
            answer = swap[g]
            asked = answer if face[g] == GREEN else np.uint8(0)
            partner[g] = np.uint8(0) if disc[g] == np.uint8(asked + 1) else asked
        green = counts[GREENS, start:end]
        for g in range(size):
            green[g] += np.uint16(partner[g] != 0)
        # Red: the row picked, or the first to the left among the lowest, if lower than mine.
        for g in range(size):
            lowest[g] = NEVER
            over[g] = 0
        for d in range(players - 1, 0, -1):
            other = state[TOP + d, start:end]
            row = np.uint8(d)
            for g in range(size):
                low = lowest[g]
                value = other[g]
                before = over[g]
                over[g] = row if value <= low else before
                lowest[g] = min(low, value)
        pick = state[PICK, start:end]
        for g in range(size):
            picked = pick[g]
            leftmost = over[g]
            green_partner = partner[g]
            chosen = picked if picked != 0 else leftmost
            chosen = chosen if lowest[g] < top[g] else np.uint8(0)
            partner[g] = chosen if face[g] == RED else green_partner
        red = counts[REDS, start:end]
        for g in range(size):
            is_red = (face[g] == RED) & (partner[g] != 0)
            red[g] += np.uint16(is_red)
        for g in range(size):
            over[g] = np.uint8((face[g] == RED) | (partner[g] != 0))
        for d in range(1, players):
            _swap_where(partner, d, top, state[TOP + d, start:end], size)
            _swap_where(partner, d, state[SAFE, start:end], state[SAFE + d, start:end], size)
            if origins:
                _swap_where(partner, d, origin[0, start:end], origin[d, start:end], size)
        for g in range(size):
            other_deck = np.uint8(mine + partner[g])
            place = disc[g]
            moved = other_deck if place == mine else place
            disc[g] = mine if place == other_deck else moved
        # Block: the disc comes to the mover; off another's deck only if the mover wants it.
        take = state[TAKE, start:end]
        for g in range(size):
            place = disc[g]
            comes = (face[g] == BLOCK) & ((take[g] != 0) | (place <= mine))
            disc[g] = np.uint8(1) if comes else place
        for g in range(size):
            ends = over[g]
            over[g] = np.uint8(1) if disc[g] == mine else ends
        # A risk that clears nothing is a bust.
        thrown = state[THROWN, start:end]
        for g in range(size):
            cards = going[g]
            going[g] = np.uint8(0) if over[g] else cards
        for g in range(size):
            over[g] = np.uint8((going[g] == 0) & (thrown[g] != 0) & (over[g] == 0))
        safe = state[SAFE, start:end]
        milestone = np.uint8(resume)
        for g in range(size):
            card = top[g]
            back = milestone if safe[g] else np.uint8(1)
            top[g] = back if over[g] else card
        bust = counts[BUSTS, start:end]
        for g in range(size):
            bust[g] += np.uint16(over[g])


@kernel
def _swap_where(partner: Bytes, d: int, one: Bytes, other: Bytes, size: int) -> None:
    """Exchange two rows where ``partner`` is d."""
    row = np.uint8(d)
    for g in range(size):
        x = one[g]
        y = other[g]
        here = partner[g] == row
        one[g] = y if here else x
        other[g] = x if here else y


@kernel
def _discard_kernel(
    state: Bytes, players: int, cards: int, milestone: int, can_risk: Bytes, counts: Shorts
) -> None:
    """Let cards go, up to where the disc is laid; mark wins and who may throw again."""
    lanes = state.shape[1]
    mine = np.uint8(1 + players)
    card = np.uint8(milestone)
    last = np.uint8(cards)
    for start in range(0, lanes, TILE):
        size = min(TILE, lanes - start)
        end = start + size
        going = state[GOING, start:end]
        lay = state[LAY, start:end]
        top = state[TOP, start:end]
        safe = state[SAFE, start:end]
        disc = state[DISC, start:end]
        done = state[DONE, start:end]
        live = state[LIVE, start:end]
        can = can_risk[start:end]
        for g in range(size):
            place = disc[g]
            disc[g] = mine if lay[g] < going[g] else place
        laid = counts[LAID, start:end]
        for g in range(size):
            laid[g] += np.uint16(lay[g] < going[g])
        for g in range(size):
            alive = live[g]
            can[g] = alive if (going[g] != 0) & (lay[g] >= going[g]) else np.uint8(0)
        for g in range(size):
            before = top[g]
            after = np.uint8(before + min(going[g], lay[g]))
            passed = (before <= card) & (after > card)
            safe[g] |= np.uint8(passed)
            top[g] = after
        for g in range(size):
            alive = live[g]
            done[g] = alive if top[g] > last else np.uint8(0)
        for g in range(size):
            allowed = can[g]
            can[g] = np.uint8(0) if done[g] else allowed


@kernel
def _end_kernel(
    state: Bytes,
    players: int,
    can_risk: Bytes,
    steps: Bytes,
    max_turns: int,
    turn_keys: Words,
    turn: Shorts,
    points: Shorts,
    matches: bool,
    origins: bool,
    origin: Bytes,
    counts: Shorts,
) -> None:
    """Go on with a risk, or end the turn: the rows turn by one, the next seat is the mover."""
    lanes = state.shape[1]
    ended = np.empty(TILE, np.uint8)
    count_as = np.uint8(players)
    hold = np.uint8(players)
    on_last = np.uint8(2 * players)
    next_turn = np.uint64(1 << TURN_SHIFT) * GAMMA
    limit = np.uint16(max_turns)
    for start in range(0, lanes, TILE):
        size = min(TILE, lanes - start)
        end = start + size
        again = state[AGAIN, start:end]
        can = can_risk[start:end]
        live = state[LIVE, start:end]
        done = state[DONE, start:end]
        thrown = state[THROWN, start:end]
        for g in range(size):
            again[g] = np.uint8((can[g] != 0) & (again[g] != 0))
        for g in range(size):
            alive = live[g]
            ended[g] = np.uint8(0) if (again[g] != 0) | (done[g] != 0) else alive
        for g in range(size):
            next_throw = np.uint8(thrown[g] + 1)
            thrown[g] = next_throw if again[g] else np.uint8(0)
        risk = counts[RISKS, start:end]
        for g in range(size):
            risk[g] += np.uint16(again[g])
        turns = turn[start:end]
        for g in range(size):
            turns[g] += np.uint16(ended[g])
        for g in range(size):
            mark = done[g]
            stopped = (ended[g] != 0) & (turns[g] >= limit)
            done[g] = np.uint8(STOPPED) if stopped else mark
        tile_keys = turn_keys[start:end]
        for g in range(size):
            tile_keys[g] += next_turn if ended[g] else np.uint64(0)
        mover = state[MOVER, start:end]
        for g in range(size):
            moved = np.uint8(mover[g] + ended[g])
            mover[g] = np.uint8(0) if moved == count_as else moved
        fresh = state[FRESH, start:end]
        for g in range(size):
            fresh[g] = ended[g]
        _turn_rows(state, TOP, players, start, end, ended)
        _turn_rows(state, SAFE, players, start, end, ended)
        if origins:
            _turn_rows(origin, 0, players, start, end, ended)
        if matches:
            _turn_points(points, players, start, end, ended)
        disc = state[DISC, start:end]
        for g in range(size):
            place = disc[g]
            held = hold if place == 1 else np.uint8(place - 1)
            lying = on_last if place == np.uint8(hold + 1) else held
            turned = np.uint8(0) if place == 0 else lying
            disc[g] = turned if ended[g] else place
        top = state[TOP, start:end]
        dice = state[DICE, start:end]
        for g in range(size):
            dice[g] = steps[0, 1]
        for k in range(1, steps.shape[0]):
            first = steps[k, 0]
            number = steps[k, 1]
            for g in range(size):
                fewer = dice[g]
                dice[g] = number if top[g] >= first else fewer


@kernel
def _turn_rows(
    block: Bytes, base: int, players: int, start: int, end: int, ended: Bytes
) -> None:
    """Move the rows base.. up by one where the turn ended; row 0 becomes the last."""
    first = np.empty(TILE, np.uint8)
    size = end - start
    row = block[base, start:end]
    for g in range(size):
        first[g] = row[g]
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
        head = first[g]
        last[g] = head if ended[g] else mine


@kernel
def _turn_points(points: Shorts, players: int, start: int, end: int, ended: Bytes) -> None:
    """The same as `_turn_rows` for the match points."""
    for g in range(end - start):
        if ended[g]:
            first = points[0, start + g]
            for d in range(players - 1):
                points[d, start + g] = points[d + 1, start + g]
            points[players - 1, start + g] = first


@kernel
def _finished_kernel(done_words: Words, lanes: NDArray[np.uint32]) -> int:
    """List the lanes whose DONE is set, looking at eight at a time; returns how many.

    Listing them first leaves `_finish_kernel` with few branches, so that its cache misses overlap.
    """
    found = 0
    for eight in range(done_words.size):
        marks = done_words[eight]
        marks = (marks | (marks >> ONE)) & LOWEST_BITS
        while marks != 0:
            lanes[found] = np.uint32(8 * eight) + np.uint32((card_number(marks) - 1) >> 3)
            found += 1
            marks &= marks - ONE
    return found


@kernel
def _finish_kernel(
    lanes: NDArray[np.uint32],
    finished: int,
    seed: int,
    games: Words,
    begun: int,
    state: Bytes,
    players: int,
    match_points: int,
    anybody_first: bool,
    first_dice: int,
    keys: Words,
    turn_keys: Words,
    turn: Shorts,
    deal: Shorts,
    slot: Longs,
    lane_games: Words,
    points: Shorts,
    origins: bool,
    origin: Bytes,
    counts: Shorts,
    wins: Bytes,
    scores: NDArray[np.int16],
    unfinished: Bytes,
    sums: Longs,
) -> tuple[int, int]:
    """Book the deals finished in the given lanes, and begin the next deals or games there.

    Returns how many games have begun so far, and how many ended here.
    """
    key = seed_key(seed)
    first_throw = np.uint64(PURPOSE_THROW) << np.uint64(48)
    over = 0
    for i in range(finished):
        lane = lanes[i]
        mark = state[DONE, lane]
        mover = np.int64(state[MOVER, lane])
        match_goes_on = False
        if mark != EMPTY:
            won = mark == WON
            column = slot[lane]
            cell = sums[lane_games[lane] & np.uint64(BLOCKS - 1)]
            cell[0] += np.int64(counts[0, lane])
            cell[1] += np.int64(counts[1, lane])
            cell[2] += np.int64(counts[2, lane])
            cell[3] += np.int64(counts[3, lane])
            cell[4] += np.int64(counts[4, lane])
            cell[5] += np.int64(turn[lane]) + (1 if won else 0)
            cell[6] += 1
            cell[7] += 1 if won and state[MOVER, lane] == state[FIRST, lane] else 0
            if origins:
                cell[8] += 1 if won and origin[0, lane] != state[MOVER, lane] else 0
            best = 0
            for d in range(players):
                total = np.int64(points[d, lane]) + np.int64(state[TOP + d, lane]) - 1
                points[d, lane] = np.uint16(total)
                best = max(best, total)
            match_goes_on = won and best < match_points
            if not match_goes_on:
                tied = 0
                for d in range(players):
                    tied += 1 if np.int64(points[d, lane]) == best else 0
                share = np.uint8(60 // tied if match_points > 0 else 60)
                for d in range(players):
                    seat = mover + d
                    seat = seat - players if seat >= players else seat
                    wins_it = np.int64(points[d, lane]) == best if match_points > 0 else d == 0
                    scores[seat, column] = np.int16(points[d, lane])
                    wins[seat, column] = share if won and wins_it else np.uint8(0)
                unfinished[column] = np.uint8(0 if won else 1)
                over += 1
        if match_goes_on:
            deal[lane] += np.uint16(1)
        elif begun < games.size:
            game = games[begun]
            keys[lane] = game_key(key, game)
            slot[lane] = begun
            lane_games[lane] = game
            deal[lane] = 0
            for d in range(players):
                points[d, lane] = 0
            begun += 1
        else:
            state[DONE, lane] = 0
            state[LIVE, lane] = 0
            continue
        number = np.uint64(deal[lane])
        first = 0
        if anybody_first:
            first = np.int64(bounded(word(keys[lane], PURPOSE_FIRST, number), players))
        if match_goes_on:
            # The rows of points turn to the seat that begins the next deal.
            for _ in range((first - mover) % players):
                head = points[0, lane]
                for d in range(players - 1):
                    points[d, lane] = points[d + 1, lane]
                points[players - 1, lane] = head
        for d in range(players):
            state[TOP + d, lane] = 1
            state[SAFE + d, lane] = 0
        if origins:
            for d in range(players):
                seat = first + d
                origin[d, lane] = np.uint8(seat - players if seat >= players else seat)
        state[DISC, lane] = 0
        state[MOVER, lane] = np.uint8(first)
        state[FIRST, lane] = np.uint8(first)
        state[THROWN, lane] = 0
        state[DICE, lane] = np.uint8(first_dice)
        state[LIVE, lane] = 1
        state[FRESH, lane] = 1
        state[DONE, lane] = 0
        turn_keys[lane] = keys[lane] + (first_throw | number << np.uint64(DEAL_SHIFT)) * GAMMA
        turn[lane] = 0
        for k in range(COUNTS):
            counts[k, lane] = 0
    return begun, over


@kernel
def _lay_columns_kernel(
    lanes: Longs,
    state: Bytes,
    players: int,
    turn: Shorts,
    points: Shorts,
    sums: Words,
    top: Bytes,
    safe: Bytes,
    disc: Bytes,
    mover: Bytes,
    dice: Bytes,
    going: Bytes,
    thrown: Bytes,
    turns: Shorts,
    seen_points: Shorts,
    seen_sums: Words,
) -> None:
    """The table as the holder of the disc sees it, for the given lanes."""
    for i in range(lanes.size):
        g = lanes[i]
        holder = np.int64(state[DISC, g]) - 1
        for d in range(players):
            row = holder + d
            row = row - players if row >= players else row
            top[d, i] = state[TOP + row, g]
            safe[d, i] = state[SAFE + row, g]
            seen_points[d, i] = points[row, g]
        disc[i] = 1
        mover[i] = np.uint8((players - holder) % players)
        dice[i] = state[DICE, g]
        going[i] = state[GOING, g]
        thrown[i] = state[THROWN, g]
        turns[i] = turn[g]
        seen_sums[i] = sums[g]


@kernel
def _ask_holder_kernel(state: Bytes, players: int, seats: int, between: bool, ask: Bytes) -> None:
    """Mark lanes whose disc is held by a seat of the mask, to be laid at this moment.

    Between turns any holder is asked where a turn is about to begin; within a throw a holder other
    than the mover, where cards are about to go.
    """
    hold = np.uint8(players)
    for g in range(ask.size):
        place = state[DISC, g]
        held = place >= 1 and place <= hold
        if between:
            due = held and state[FRESH, g] != 0
        else:
            due = held and place > 1 and state[GOING, g] != 0
        ask[g] = state[LIVE, g] if due else np.uint8(0)
    for g in range(ask.size):
        if ask[g]:
            seat = (np.int64(state[MOVER, g]) + np.int64(state[DISC, g]) - 1) % players
            ask[g] = np.uint8((seats >> seat) & 1)


# --- the game ------------------------------------------------------------------------------------


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


class Table:
    """Workspace for one batch: the state of the module's table, and the mover's view of it."""

    def __init__(self, rules: Rules, players: int, lanes: int) -> None:
        self.rules = rules
        self.players = players
        self.lanes = lanes = -(-lanes // 8) * 8  # finished lanes are looked for eight at a time
        self.cards: int = rules["cards"]
        self.match_points: int = rules["match_points"]
        self.steps = np.array(
            [(int(start), count) for start, count in rules["dice"].items()], np.uint8
        )
        self.most_dice = max(rules["dice"].values())
        faces = [rules["switch_die"][kind] for kind in FACES]
        self.thresholds = np.cumsum(faces).astype(np.uint64)
        self.state = np.zeros((ROWS, lanes), np.uint8)
        self.state[LAY] = NEVER
        self.done_words = self.state[DONE].view(np.uint64)
        self.can_risk = np.zeros(lanes, np.uint8)
        self.answer = np.zeros(lanes, np.uint8)
        self.nobody = np.zeros(lanes, np.uint8)
        self.keys = np.zeros(lanes, np.uint64)
        self.turn_keys = np.zeros(lanes, np.uint64)
        self.sums = np.zeros(lanes, np.uint64)
        self.words = np.zeros(lanes, np.uint64)
        self.lane_games = np.zeros(lanes, np.uint64)
        self.finished = np.zeros(lanes, np.uint32)
        self.slot = np.zeros(lanes, np.int64)
        self.turn = np.zeros(lanes, np.uint16)
        self.deal = np.zeros(lanes, np.uint16)
        self.points = np.zeros((players, lanes), np.uint16)
        self.origin = np.zeros((players, lanes), np.uint8)
        self.counts = np.zeros((COUNTS, lanes), np.uint16)
        self.block_sums = np.zeros((BLOCKS, len(BLOCK_SUMS)), np.int64)
        self.view = View(
            active=_read_only(self.state[ASK]),
            top=_read_only(self.state[TOP : TOP + players]),
            protected=_read_only(self.state[SAFE : SAFE + players]),
            disc=_read_only(self.state[DISC]),
            mover=_read_only(self.nobody),
            dice=_read_only(self.state[DICE]),
            sums=_read_only(self.sums),
            going=_read_only(self.state[GOING]),
            thrown=_read_only(self.state[THROWN]),
            turn=_read_only(self.turn),
            points=_read_only(self.points),
            players=players,
            cards=self.cards,
            match_points=self.match_points,
        )


class _Voice(NamedTuple):
    """Seats that answer a decision alike, so that they are asked together."""

    seat: Seat
    seats: int
    """Bit mask of seat numbers."""


BLOCK_SUMS = (
    "risks",
    "busts",
    "green_swaps",
    "red_swaps",
    "blocks_laid",
    "turns",
    "deals",
    "first_wins",
    "won_on_foreign_deck",
)
ANSWERS = {
    "swap": (GREEN, SWAP, 0),
    "pick": (RED, PICK, 0),
    "take": (BLOCK, TAKE, 1),
}
"""Decisions that a face of the Switch die brings: the face, the row of the answer, the default."""


class Switch16:
    """The game's entry in the registry; see `analyzer.contracts.Game`."""

    name = "switch16"
    title = "Switch 16"
    question = "Does greed pay?"
    min_players = 2
    max_players = 4
    default_players = 4
    settings = SETTINGS
    families = ("risk", "green", "block")
    sees = ()
    decisions = (
        Decision(
            "risk",
            np.uint8,
            "after cards went: 1 = throw again, 0 = end the turn (the default)",
            "risk",
        ),
        Decision(
            "swap", np.uint8, "on green: row to swap decks with, 0 = none (the default)", "green"
        ),
        Decision(
            "pick",
            np.uint8,
            "on red with several lowest decks: which row (default: the first to the left)",
            "green",
        ),
        Decision(
            "take",
            np.uint8,
            "on block, the disc lying on another's deck: 1 = take it (the default), 0 = leave it",
            "block",
        ),
        Decision(
            "lay",
            np.uint8,
            "as holder, while another's cards are about to go: after how many of them to lay the "
            "disc on that deck, 255 = not at all (the default)",
            "block",
        ),
        Decision(
            "lay_between",
            np.uint8,
            "as holder, before a turn: row on whose deck to lay the disc, 0 = none (the default)",
            "block",
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
    games_per_lane = 32

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
                f"different throws; at most {MOST_THROWS:,} can be drawn fairly: use fewer faces "
                "or dice."
            )

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Lowest and highest final score that the rules allow."""
        points: int = rules["match_points"]
        return 0, rules["cards"] + max(points - 1, 0)

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums."""
        names = BLOCK_SUMS if detail == "fairness" else BLOCK_SUMS[:-1]
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
        wins = np.zeros((n, games.size), np.uint8)
        scores = np.zeros((n, games.size), np.int16)
        unfinished = np.zeros(games.size, np.uint8)
        for seat in seats:
            seat.games = t.lane_games
        ask = {d.name: _voices(seats, d.name) for d in self.decisions}
        for _, row, default in ANSWERS.values():
            t.state[row] = default
        t.state[LAY] = NEVER
        t.state[AGAIN] = 0
        t.state[LIVE] = 0
        t.state[DONE] = EMPTY
        t.points[:] = 0
        t.block_sums[:] = 0
        origins = "won_on_foreign_deck" in tally
        begun, ended = 0, 0
        while True:
            finished = _finished_kernel(t.done_words, t.finished)
            begun, over = _finish_kernel(
                t.finished, finished, seed, games, begun, t.state, n, t.match_points,
                t.rules["first_player"] == "random", int(t.steps[0, 1]), t.keys, t.turn_keys,
                t.turn, t.deal, t.slot, t.lane_games, t.points, origins, t.origin, t.counts, wins,
                scores, unfinished, t.block_sums,
            )  # fmt: skip
            ended += over
            if ended == games.size:
                break
            self._step(t, ask, origins, watch)
        for k, name in enumerate(BLOCK_SUMS):
            if name in tally:
                tally[name] += t.block_sums[:, k]
        return Outcome(games, wins, scores, unfinished)

    def _step(
        self, t: Table, ask: dict[str, list[_Voice]], origins: bool, watch: Watcher | None
    ) -> None:
        """One throw in every lane."""
        n = t.players
        rules = t.rules
        for voice in ask["lay_between"]:
            self._ask_holder(t, voice, "lay_between")
        _throw_kernel(
            t.state, t.turn_keys, t.most_dice, rules["faces"], t.thresholds, t.cards, t.sums
        )
        for decision, (face, row, default) in ANSWERS.items():
            self._ask_on_face(t, ask[decision], decision, face, row, default)
        _switch_kernel(t.state, n, rules["milestone_resume"], origins, t.origin, t.counts)
        for voice in ask["lay"]:
            self._ask_holder(t, voice, "lay")
        _discard_kernel(t.state, n, t.cards, rules["milestone"], t.can_risk, t.counts)
        alone = _ask_together(ask["risk"], n)
        for voice in ask["risk"]:
            _ask_risk_kernel(t.state, t.can_risk, voice.seats, n)
            self._ask_mover(t, voice, "risk", AGAIN, 1, alone)
        _end_kernel(
            t.state, n, t.can_risk, t.steps, rules["max_turns"], t.turn_keys, t.turn, t.points,
            t.match_points > 0, origins, t.origin, t.counts,
        )  # fmt: skip
        if ask["lay"]:
            t.state[LAY] = NEVER

    def _ask_on_face(
        self, t: Table, voices: list[_Voice], decision: str, face: int, row: int, default: int
    ) -> None:
        """Ask for one of the decisions that a face of the Switch die brings."""
        if not voices:
            return
        n = t.players
        alone = _ask_together(voices, n)
        if not alone:
            t.state[row] = default
        for voice in voices:
            _ask_kernel(t.state, face, voice.seats, n)
            self._ask_mover(t, voice, decision, row, 1 if decision == "take" else n - 1, alone)

    def _ask_mover(
        self, t: Table, voice: _Voice, decision: str, row: int, highest: int, alone: bool
    ) -> None:
        """Ask the movers of some seats, and put their answers into a row of the state."""
        chance = None
        if decision in voice.seat.strategy.stochastic:
            _decision_words_kernel(t.state, t.keys, t.turn, t.deal, t.words)
            chance = t.words
        answer = t.state[row] if alone else t.answer
        voice.seat.decide(decision, t.view, chance, answer)
        ask = t.state[ASK]
        if _highest_answer(ask, answer) > highest:
            self._report_illegal(t, voice, decision, ask, answer, highest)
        if decision == "pick":
            self._check_pick(t, voice, ask, answer)
        if not alone:
            _answer_kernel(ask, answer, t.state[row])

    def _check_pick(self, t: Table, voice: _Voice, ask: Bytes, answer: Bytes) -> None:
        """Only a row that shows the lowest top card may be picked."""
        lanes = np.flatnonzero((ask != 0) & (answer != 0))
        tops = t.state[TOP + 1 : TOP + t.players, lanes]
        picked = t.state[TOP + answer[lanes].astype(np.intp), lanes]
        wrong = lanes[picked != tops.min(axis=0)]
        if wrong.size:
            lane = int(wrong[0])
            raise StrategyFailed(
                voice.seat.strategy.spec,
                int(t.lane_games[lane]),
                f"turn {int(t.turn[lane]) + 1}, decision 'pick'",
                f"it picked row {int(answer[lane])}, which does not show the lowest top card.",
            )

    def _ask_holder(self, t: Table, voice: _Voice, decision: str) -> None:
        """Ask the holders of the disc among some seats, each from its own seat's view."""
        n = t.players
        ask = t.state[ASK]
        between = decision == "lay_between"
        _ask_holder_kernel(t.state, n, voice.seats, between, ask)
        lanes = np.flatnonzero(ask)
        if lanes.size == 0:
            return
        size = lanes.size
        view = View(
            active=np.ones(size, np.uint8),
            top=np.empty((n, size), np.uint8),
            protected=np.empty((n, size), np.uint8),
            disc=np.empty(size, np.uint8),
            mover=np.empty(size, np.uint8),
            dice=np.empty(size, np.uint8),
            sums=np.empty(size, np.uint64),
            going=np.empty(size, np.uint8),
            thrown=np.empty(size, np.uint8),
            turn=np.empty(size, np.uint16),
            points=np.empty((n, size), np.uint16),
            players=n,
            cards=t.cards,
            match_points=t.match_points,
        )
        _lay_columns_kernel(
            lanes, t.state, n, t.turn, t.points, t.sums, view.top, view.protected, view.disc,
            view.mover, view.dice, view.going, view.thrown, view.turn, view.points, view.sums,
        )  # fmt: skip
        if between:
            view.going[:] = 0
            view.sums[:] = 0
        for value in view:
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        answer = np.empty(size, np.uint8)
        voice.seat.decide(decision, view, None, answer)
        self._lay(t, voice, decision, lanes, view, answer)

    def _lay(
        self,
        t: Table,
        voice: _Voice,
        decision: str,
        lanes: NDArray[np.intp],
        view: View,
        answer: Bytes,
    ) -> None:
        """Check the holders' answers and carry them out."""
        n = t.players
        if decision == "lay":
            wrong = (answer >= view.going) & (answer != NEVER)
        else:
            wrong = answer >= n
        if wrong.any():
            column = int(np.flatnonzero(wrong)[0])
            lane = int(lanes[column])
            allowed = (
                f"0 to {int(view.going[column]) - 1}, or {NEVER}"
                if decision == "lay"
                else f"0 to {n - 1}"
            )
            raise StrategyFailed(
                voice.seat.strategy.spec,
                int(t.lane_games[lane]),
                f"turn {int(t.turn[lane]) + 1}, decision {decision!r}",
                f"it chose {int(answer[column])}; allowed is {allowed}.",
            )
        if decision == "lay":
            t.state[LAY, lanes] = answer
            return
        laid = lanes[answer != 0]
        # The holder's row, as the coming mover counts, plus the rows to the left of it.
        row = (t.state[DISC, laid] - 1 + answer[answer != 0]) % n
        t.state[DISC, laid] = 1 + n + row
        t.counts[LAID, laid] += 1

    def _report_illegal(
        self, t: Table, voice: _Voice, decision: str, ask: Bytes, answer: Bytes, highest: int
    ) -> None:
        wrong = np.flatnonzero((ask != 0) & (answer > highest))
        lane = int(wrong[np.argmin(t.lane_games[wrong])])
        raise StrategyFailed(
            voice.seat.strategy.spec,
            int(t.lane_games[lane]),
            f"turn {int(t.turn[lane]) + 1}, throw {int(t.state[THROWN, lane]) + 1}, "
            f"decision {decision!r}",
            f"it chose {int(answer[lane])}; allowed is 0 to {highest}.",
        )


def _ask_together(voices: list[_Voice], players: int) -> bool:
    """Whether one policy answers for all seats, so that its answers need no merging."""
    return len(voices) == 1 and voices[0].seats == (1 << players) - 1


def _voices(seats: Sequence[Seat], decision: str) -> list[_Voice]:
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
            voices.append(_Voice(seat, 1 << number))
    return voices


def _answer_alike(one: Seat, other: Seat, decision: str) -> bool:
    mine, theirs = one.strategy, other.strategy
    if mine.spec == theirs.spec:
        return True
    if mine.hooks[decision] is not theirs.hooks[decision]:
        return False
    pairs = zip(mine.params[decision], theirs.params[decision], strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


GAME = Switch16()
