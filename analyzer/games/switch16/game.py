"""Switch 16: throw dice, discard 1 to 16 in order, and mind who controls whose deck.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-switch16.md``.
Turns differ in length from game to game, so lanes do not go in step: each step is one throw in
every lane, whoever's turn it is there, and a lane whose game has ended takes up the next game at
once.
Where the hooks of all seats are those of `switch16_policies` nobody has to be asked: a batch is
then played in one call, in so few lanes that they stay in the first-level cache.
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
SWAP, PICK, TAKE  answers on green, red and block (see `Switch16.decisions`), 0, 0 and 1 if nobody
                  was asked
LAY               answer of the disc's holder, NEVER if nobody was asked
AGAIN             1 = the mover may throw again; once asked: does
HELD              1 everywhere: the disc as its holder sees it
HOLDER_TOP + d,   the decks as the holder of the disc sees them, row 0 the holder's
HOLDER_SAFE + d
HOLDER_MOVER      row of the mover, as the holder counts
HOLDER_SEAT       seat of the holder
COUNTS + k        what happened in the lane since the counts were last added up
ASKS + 4k + v     1 = decision k is put to voice v here (a voice: seats that decide alike)
ANSWERS + 4k + v  what voice v answers
================  ================================================================================

Beside it stand ``keys`` (uint64: the chance of the deal), ``columns`` (uint32: where the game's
outcome goes) and ``shorts`` (uint16) with the rows TURN and DEAL (before this one), POINTS + d
(match points, in rows like the decks) and HOLDER_POINTS + d.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import (
    WHOLE_WIN,
    Baseline,
    Decision,
    Game,
    Metric,
    Narrator,
    Outcome,
    Rules,
    Seat,
    Setting,
    Solver,
    Tally,
    Watcher,
)
from analyzer.errors import RulesError, StrategyFailed
from analyzer.games.switch16.course import SUMS as COURSE_SUMS
from analyzer.games.switch16.course import Course
from analyzer.games.switch16.course import Rows as CourseRows
from analyzer.games.switch16.policies import (
    KNOWN_HOOKS,
    NEVER,
    any_but_holder,
    deny,
    follow_leader,
    lay_from_card,
    leave_ahead,
    look_up_by_seat,
    swap_with_anybody,
    swap_with_leader,
    take_unless_ahead,
    top_of_seats,
)
from analyzer.kernels.bits import marked_columns
from analyzer.kernels.calls import Program, prepared
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.narrow import (
    add,
    bit_count,
    both,
    either,
    left,
    rest_of_product,
    right,
    whole_of_product,
    without,
)
from analyzer.kernels.outcomes import share_wins
from analyzer.kernels.random import GAMMA, bounded, game_key, mix64, seed_key, word
from analyzer.kernels.rows import rows

__all__ = ["GAME", "NEVER", "Batch", "Switch16", "Table", "View"]

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
"""Different throws that a setting may have."""

MOST_PLAYERS = 4
TOP, SAFE, ORIGIN = 0, 4, 8
DISC, MOVER, FIRST, THROWN, DICE, GOING, FACE, LIVE, DONE = range(12, 21)
SWAP, PICK, TAKE, LAY, AGAIN, HELD = range(21, 27)
HOLDER_TOP, HOLDER_SAFE, HOLDER_MOVER, HOLDER_SEAT = 27, 31, 35, 36
COUNTS = 37
ASKS, ANSWERS = 46, 70
ROWS = 94
TURN, DEAL, POINTS, HOLDER_POINTS = 0, 1, 2, 6

BLANK, GREEN, RED, BLOCK = range(4)
FACES = ("blank", "green", "red", "block")

RISK_ASKED, SWAP_ASKED, PICK_ASKED, TAKE_ASKED, LAY_ASKED, BETWEEN_ASKED = range(6)
"""The decisions, in the order of `Switch16.decisions`."""
AS_HOLDER = (LAY_ASKED, BETWEEN_ASKED)
"""Decisions of the disc's holder, who need not be the mover."""

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
COUNT_LIMIT = 255
"""Steps after which the counts in the lanes, one a step at most, must be added up: they are bytes.
"""

(
    PLAYERS, CARDS, MILESTONE, RESUME, MAX_TURNS, MATCH_POINTS, ANYBODY_FIRST, ORIGINS, THROWS,
    STEP, REST, MOST, FEWEST, FACES_OF_DIE, FACES_OF_SWITCH, FIRST_GREEN, FIRST_RED, FIRST_BLOCK,
) = range(18)  # fmt: skip
"""What a kernel has to know of the rules: places in `Table.numbers`."""

GAMES_PER_LANE = 128
FEW_WORDS = 5
"""If not more than one lane in so many asks for a word, it is faster to skip the others."""
TILE = 768
"""Lanes that a kernel works on at a time, so that they stay in the first-level cache."""
BLOCKS = 256
EVERYBODY = -1
FOLLOWERS, GUESSERS, SPARERS, DENIERS, DENIED = range(5)
"""Places in `_Crew.known`: bit masks of the seats whose hook is `swap_with_leader`,
`swap_with_anybody`, `take_unless_ahead` and `lay_from_card`; each seat's card for the last."""
ONE = np.uint64(1)
TOP_BITS = 5
MOVER_SHIFT = 20
WON_SHIFT = 22
"""The record of a game is a uint32: five bits a top card from the mover's on, mover, won or not."""


class View(NamedTuple):
    """What a seat sees, one column a game; row 0 is me, row d the d-th player to my left.

    Nothing is hidden in this game. Arrays are read-only. Some fields are None unless the strategy
    declares that it sees them: ``"throw"`` for dice, sums and going (the last of which the disc's
    holder always sees while cards go), ``"time"`` for thrown and turn, ``"points"``.

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
        (N,) uint32, bit k = some of the dice of this throw make k, from 0 to the last card.
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
        option=True,
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


# --- kernels: short loops over rows ---------------------------------------------------------------
#
# Every operand is read before a condition chooses between them, so that the loops become vector
# instructions.


@row_kernel
def _merge(ask: Bytes, answer: Bytes, merged: Bytes) -> int:
    """Put a voice's answers where it was asked; returns the highest of them."""
    highest = np.uint8(0)
    for g in range(merged.size):
        new = answer[g]
        asked = ask[g]
        before = merged[g]
        merged[g] = new if asked else before
        counted = new if asked else np.uint8(0)
        highest = max(highest, counted)
    return int(highest)


@row_kernel
def _fill(row: NDArray[Any], value: int) -> None:
    for g in range(row.size):
        row[g] = value


@row_kernel
def _copy(source: NDArray[Any], target: NDArray[Any]) -> None:
    for g in range(source.size):
        target[g] = source[g]


@row_kernel
def _keep_seats(seat_of: Bytes, seats: int, ask: Bytes) -> None:
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


@row_kernel
def _draw(
    keys: Words,
    turn: Shorts,
    thrown: Bytes,
    throws: int,
    chosen: NDArray[Any],
) -> None:
    """Choose the number of a throw."""
    for g in range(keys.size):
        number = (np.uint64(turn[g]) << np.uint64(TURN_SHIFT)) | np.uint64(thrown[g])
        chosen[g] = bounded(mix64(keys[g] + number * GAMMA), throws)


@row_kernel
def _no_dice(fractions: NDArray[Any], step: int, rest: int, made: NDArray[Any]) -> None:
    """Make fractions of the numbers of throws, see `_fractions`; no die is thrown yet."""
    times, more = made.dtype.type(step), made.dtype.type(rest)
    one = made.dtype.type(1)
    for g in range(made.size):
        number = add(fractions[g], one)
        fractions[g] = add(rest_of_product(number, times), whole_of_product(number, more))
        made[g] = 0


@row_kernel
def _first_three_dice(
    fractions: NDArray[Any], step: int, rest: int, faces: int, made: NDArray[Any]
) -> None:
    """Make fractions of the numbers of throws, see `_fractions`, and take three dice off them.

    Bit k - 1 of ``made`` is set if some of them make k.
    """
    times, more_times = made.dtype.type(step), made.dtype.type(rest)
    n = made.dtype.type(faces)
    one = made.dtype.type(1)
    for g in range(made.size):
        number = add(fractions[g], one)
        fraction = add(rest_of_product(number, times), whole_of_product(number, more_times))
        bits = left(one, whole_of_product(fraction, n))
        fraction = rest_of_product(fraction, n)
        more = left(either(add(bits, bits), one), whole_of_product(fraction, n))
        bits = either(bits, more)
        fraction = rest_of_product(fraction, n)
        more = left(either(add(bits, bits), one), whole_of_product(fraction, n))
        bits = either(bits, more)
        fractions[g] = rest_of_product(fraction, n)
        made[g] = bits


@row_kernel
def _add_die(
    fractions: NDArray[Any], faces: int, dice: Bytes, index: int, made: NDArray[Any]
) -> None:
    """Take a die off the fractions, and add it to what can be made where it is thrown."""
    n = made.dtype.type(faces)
    one = made.dtype.type(1)
    before = np.uint8(index)
    for g in range(made.size):
        fraction = fractions[g]
        bits = made[g]
        more = left(either(add(bits, bits), one), whole_of_product(fraction, n))
        more = either(bits, more)
        made[g] = more if dice[g] > before else bits
        fractions[g] = rest_of_product(fraction, n)


@row_kernel
def _take_face(
    fractions: NDArray[Any], faces: int, green: int, red: int, block: int, live: Bytes, face: Bytes
) -> None:
    """Take the Switch die off the fractions: its first face that is green, red and block."""
    n = fractions.dtype.type(faces)
    first_green, first_red, first_block = np.uint8(green), np.uint8(red), np.uint8(block)
    for g in range(face.size):
        value = np.uint8(whole_of_product(fractions[g], n))
        kind = np.uint8(value >= first_green) + np.uint8(value >= first_red)
        kind = np.uint8(kind) + np.uint8(value >= first_block)
        face[g] = np.uint8(kind) if live[g] else np.uint8(BLANK)


@row_kernel
def _count_going(made: NDArray[Any], cards: int, top: Bytes, live: Bytes, going: Bytes) -> None:
    """How many cards from the top one on can be made without a gap."""
    one = made.dtype.type(1)
    possible = made.dtype.type((1 << cards) - 1)
    for g in range(going.size):
        rest = right(both(made[g], possible), made.dtype.type(top[g] - np.uint8(1)))
        run = np.uint8(bit_count(without(rest, add(rest, one))))
        going[g] = run if live[g] else np.uint8(0)


@row_kernel
def _tell_sums(made: NDArray[Any], cards: int, sums: Halves) -> None:
    """The sums as strategies see them: bit k = k can be made, 0 and each card's number."""
    possible = made.dtype.type((1 << cards) - 1)
    for g in range(made.size):
        sums[g] = (np.uint32(both(made[g], possible)) << np.uint32(1)) | np.uint32(1)


@row_kernel
def _ask_where(face: Bytes, kind: int, ask: Bytes) -> None:
    wanted = np.uint8(kind)
    for g in range(ask.size):
        ask[g] = np.uint8(face[g] == wanted)


@row_kernel
def _ask_beyond(disc: Bytes, place: int, ask: Bytes) -> None:
    """Keep asking where the disc is beyond a place."""
    last = np.uint8(place)
    for g in range(ask.size):
        asked = ask[g]
        ask[g] = asked if disc[g] > last else np.uint8(0)


@row_kernel
def _lowest_last(top: Bytes, d: int, low: Bytes, row: Bytes) -> None:
    """Begin to look for the lowest deck with row d."""
    here = np.uint8(d)
    for g in range(top.size):
        low[g] = top[g]
        row[g] = here


@row_kernel
def _lowest_of(top: Bytes, d: int, low: Bytes, row: Bytes) -> None:
    """Go on with row d, which comes before those already seen."""
    here = np.uint8(d)
    for g in range(top.size):
        value = top[g]
        lowest = low[g]
        before = row[g]
        row[g] = here if value <= lowest else before
        low[g] = min(value, lowest)


@row_kernel
def _find_partner(
    face: Bytes,
    disc: Bytes,
    top: Bytes,
    low: Bytes,
    swap: Bytes,
    pick: Bytes,
    greens: Bytes,
    reds: Bytes,
    partner: Bytes,
) -> None:
    """Row to swap decks with, 0 = none; ``partner`` holds the first to the left of the lowest."""
    for g in range(partner.size):
        kind = face[g]
        leftmost = partner[g]
        picked = pick[g]
        on_red = leftmost if picked == 0 else picked
        on_red = on_red if low[g] < top[g] else np.uint8(0)
        on_red = on_red if kind == RED else np.uint8(0)
        # Green: the row asked for, unless it holds the disc, which refuses.
        wish = swap[g]
        on_green = np.uint8(0) if disc[g] == np.uint8(wish + 1) else wish
        on_green = on_green if kind == GREEN else np.uint8(0)
        greens[g] += np.uint8(on_green != 0)
        reds[g] += np.uint8(on_red != 0)
        partner[g] = either(on_red, on_green)


@row_kernel
def _exchange(where: Bytes, mark: int, one: NDArray[Any], other: NDArray[Any]) -> None:
    """Exchange two rows where there is the mark."""
    here = np.uint8(mark)
    for g in range(where.size):
        marked = where[g] == here
        x = one[g]
        y = other[g]
        one[g] = y if marked else x
        other[g] = x if marked else y


@row_kernel
def _exchange_decks(
    where: Bytes, mark: int, top: Bytes, other_top: Bytes, safe: Bytes, other_safe: Bytes
) -> None:
    """Exchange two decks where there is the mark."""
    here = np.uint8(mark)
    for g in range(where.size):
        marked = where[g] == here
        x = top[g]
        y = other_top[g]
        top[g] = y if marked else x
        other_top[g] = x if marked else y
        a = safe[g]
        b = other_safe[g]
        safe[g] = b if marked else a
        other_safe[g] = a if marked else b


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


@row_kernel
def _lay_on_mover(
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


@row_kernel
def _count_dice(top: Bytes, first: int, number: int, dice: Bytes) -> None:
    """So many dice from a top card on."""
    card = np.uint8(first)
    many = np.uint8(number)
    for g in range(top.size):
        fewer = dice[g]
        dice[g] = many if top[g] >= card else fewer


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


# --- kernels: whole batches, tile by tile --------------------------------------------------------


@row_kernel
def _merge_voices(
    state: Bytes, voices: Longs, decision: int, merged: Bytes, start: int, end: int
) -> int:
    """Put all voices' answers to a decision where they were asked; returns the highest of them."""
    highest = 0
    for v in range(voices[decision, 0]):
        ask = state[ASKS + MOST_PLAYERS * decision + v, start:end]
        answer = state[ANSWERS + MOST_PLAYERS * decision + v, start:end]
        highest = max(highest, _merge(ask, answer, merged))
    return highest


@row_kernel
def _throw_tile(
    start: int,
    end: int,
    state: Bytes,
    keys: Words,
    shorts: Shorts,
    numbers: Longs,
    dice_sums: Halves,
    fractions: NDArray[Any],
    made: NDArray[Any],
) -> None:
    """Throw: GOING, FACE and, where wanted, the sums that the dice make.

    All throws there may be are numbered from 0, in the order of the first die, then the second and
    so on, last the Switch die. A word chooses a number; the number becomes a fraction of 2^16 or
    2^32 that lies between the start of this throw's share and the start of the next one's, so that
    multiplying by the number of faces gives die after die.
    """
    part = fractions[: end - start]
    sums = made[: end - start]
    dice = state[DICE, start:end]
    live = state[LIVE, start:end]
    faces = numbers[FACES_OF_DIE]
    _draw(
        keys[start:end], shorts[TURN, start:end], state[THROWN, start:end], numbers[THROWS],
        part,
    )  # fmt: skip
    begun = 0
    if numbers[FEWEST] >= 3:
        _first_three_dice(part, numbers[STEP], numbers[REST], faces, sums)
        begun = 3
    else:
        _no_dice(part, numbers[STEP], numbers[REST], sums)
    for i in range(begun, numbers[MOST]):
        _add_die(part, faces, dice, i, sums)
    _take_face(
        part, numbers[FACES_OF_SWITCH], numbers[FIRST_GREEN], numbers[FIRST_RED],
        numbers[FIRST_BLOCK], live, state[FACE, start:end],
    )  # fmt: skip
    _count_going(sums, numbers[CARDS], state[TOP, start:end], live, state[GOING, start:end])
    if dice_sums.size > 0:
        _tell_sums(sums, numbers[CARDS], dice_sums[start:end])


@row_kernel
def _ask_on_face(start: int, end: int, state: Bytes, voices: Longs, players: int) -> None:
    """Mark where the Switch die brings up a decision: swap, pick or take."""
    for decision in (SWAP_ASKED, PICK_ASKED, TAKE_ASKED):
        for v in range(voices[decision, 0]):
            ask = state[ASKS + MOST_PLAYERS * decision + v, start:end]
            _ask_where(state[FACE, start:end], decision, ask)
            if decision == PICK_ASKED:
                _ask_on_ties(start, state, players, ask)
            if decision == TAKE_ASKED:
                _ask_beyond(state[DISC, start:end], 1 + players, ask)
            if voices[decision, 1 + v] != EVERYBODY:
                _keep_seats(state[MOVER, start:end], voices[decision, 1 + v], ask)


@row_kernel
def _ask_on_ties(start: int, state: Bytes, players: int, ask: Bytes) -> None:
    """Ask only where several other decks are lowest, and lower than the mover's."""
    for g in range(ask.size):
        lowest = state[TOP, start + g]
        tied = 0
        for d in range(1, players):
            top = state[TOP + d, start + g]
            more = tied + 1 if top == lowest and tied > 0 else tied
            tied = 1 if top < lowest else more
            lowest = min(lowest, top)
        if tied < 2:
            ask[g] = 0


@row_kernel
def _discard_tile(
    start: int,
    end: int,
    state: Bytes,
    voices: Longs,
    known: Longs,
    numbers: Longs,
    stopped: Bytes,
) -> bool:
    """Let cards go up to where holders lay the disc, and mark who decides on a risk.

    Nobody does where the disc stopped cards. Returns whether all holders' answers were legal.
    """
    disc = state[DISC, start:end]
    going = state[GOING, start:end]
    top = state[TOP, start:end]
    lay = state[LAY, start:end]
    can = state[AGAIN, start:end]
    legal = True
    stopping = voices[LAY_ASKED, 0] > 0 or known[DENIERS] != 0
    if stopping:
        _fill(lay, NEVER)
        _merge_voices(state, voices, LAY_ASKED, lay, start, end)
        if known[DENIERS] != 0:
            deny(known[DENIED:], numbers[PLAYERS], state[MOVER, start:end], disc, top, going, lay)
        legal = _lay_on_mover(
            numbers[PLAYERS], lay, going, disc, state[COUNTS + LAID, start:end], stopped
        )
    _discard(
        going, numbers[CARDS], numbers[MILESTONE], top, state[SAFE, start:end],
        state[DONE, start:end], can,
    )  # fmt: skip
    if stopping:
        _not_where(stopped, can)
    for v in range(voices[RISK_ASKED, 0]):
        ask = state[ASKS + v, start:end]
        _copy(can, ask)
        if voices[RISK_ASKED, 1 + v] != EVERYBODY:
            _keep_seats(state[MOVER, start:end], voices[RISK_ASKED, 1 + v], ask)
    return legal


@row_kernel
def _holder_tile(
    start: int,
    end: int,
    state: Bytes,
    shorts: Shorts,
    voices: Longs,
    decision: int,
    players: int,
    points: bool,
    held: Bytes,
) -> None:
    """The table as the disc's holder sees it, and where which voice may lay the disc now."""
    disc = state[DISC, start:end]
    seat = state[HOLDER_SEAT, start:end]
    mover_row = state[HOLDER_MOVER, start:end]
    held = held[: end - start]
    _find_holder(disc, state[MOVER, start:end], players, seat, mover_row, held)
    for d in range(players):
        one, two, three = (d + 1) % players, (d + 2) % players, (d + 3) % players
        _see_row(
            disc, state[TOP + d, start:end], state[TOP + one, start:end],
            state[TOP + two, start:end], state[TOP + three, start:end],
            state[HOLDER_TOP + d, start:end],
        )  # fmt: skip
        _see_row(
            disc, state[SAFE + d, start:end], state[SAFE + one, start:end],
            state[SAFE + two, start:end], state[SAFE + three, start:end],
            state[HOLDER_SAFE + d, start:end],
        )  # fmt: skip
        if points:
            _see_row(
                disc, shorts[POINTS + d, start:end], shorts[POINTS + one, start:end],
                shorts[POINTS + two, start:end], shorts[POINTS + three, start:end],
                shorts[HOLDER_POINTS + d, start:end],
            )  # fmt: skip
    for v in range(voices[decision, 0]):
        ask = state[ASKS + MOST_PLAYERS * decision + v, start:end]
        if decision == LAY_ASKED:
            _may_lay(held, mover_row, state[GOING, start:end], ask)
        else:
            _may_place(held, state[LIVE, start:end], state[THROWN, start:end], ask)
        if voices[decision, 1 + v] != EVERYBODY:
            _keep_seats(seat, voices[decision, 1 + v], ask)


@row_kernel
def _throw_kernel(
    state: Bytes,
    keys: Words,
    shorts: Shorts,
    voices: Longs,
    numbers: Longs,
    dice_sums: Halves,
    fractions: NDArray[Any],
    made: NDArray[Any],
) -> None:
    """Throw in every lane and mark the decisions that the Switch die brings."""
    for start in range(0, keys.size, TILE):
        end = min(start + TILE, keys.size)
        _throw_tile(start, end, state, keys, shorts, numbers, dice_sums, fractions, made)
        _ask_on_face(start, end, state, voices, numbers[PLAYERS])


@row_kernel
def _answer_tile(
    start: int,
    end: int,
    state: Bytes,
    keys: Words,
    shorts: Shorts,
    known: Longs,
    players: int,
    asking: Halves,
    scratch: Bytes,
) -> None:
    """Answer on green and block for the seats whose hooks the game knows."""
    top = state[TOP, start:end]
    disc = state[DISC, start:end]
    mover = state[MOVER, start:end]
    mine = scratch[0, : end - start]
    if known[FOLLOWERS] != 0:
        top_of_seats(mover, top, known[FOLLOWERS], mine)
        for d in range(1, players):
            follow_leader(d, state[TOP + d, start:end], disc, mine, state[SWAP, start:end])
    if known[GUESSERS] != 0:
        _ask_where(state[FACE, start:end], GREEN, mine)
        _keep_seats(mover, known[GUESSERS], mine)
        found = marked_columns(mine, start, asking)
        purpose = np.uint64(PURPOSE_DECIDE + MOST_PLAYERS * SWAP_ASKED - PURPOSE_THROW)
        for i in range(found):
            g = np.int64(asking[i])
            chance = _decision_word(
                purpose, state[MOVER, g], state[THROWN, g], keys[g], shorts[TURN, g]
            )
            state[SWAP, g] = any_but_holder(players, state[DISC, g], chance)
    if known[SPARERS] != 0:
        top_of_seats(mover, top, known[SPARERS], mine)
        for d in range(1, players):
            place = 1 + players + d
            leave_ahead(place, state[TOP + d, start:end], mine, disc, state[TAKE, start:end])


@row_kernel
def _resolve_tile(
    start: int,
    end: int,
    state: Bytes,
    keys: Words,
    shorts: Shorts,
    voices: Longs,
    known: Longs,
    numbers: Longs,
    points: bool,
    asking: Halves,
    scratch: Bytes,
) -> int:
    """Resolve the Switch die and let cards go or, if a voice may lay the disc, mark which decides.

    Returns 0, or 1 + the number of a decision that was answered illegally.
    """
    players = numbers[PLAYERS]
    low = scratch[0, : end - start]
    partner = scratch[1, : end - start]
    disc = state[DISC, start:end]
    face = state[FACE, start:end]
    top = state[TOP, start:end]
    safe = state[SAFE, start:end]
    for decision in range(SWAP_ASKED, TAKE_ASKED + 1):
        merged = state[SWAP + decision - SWAP_ASKED, start:end]
        default = 1 if decision == TAKE_ASKED else 0
        legal = 1 if decision == TAKE_ASKED else players - 1
        _fill(merged, default)
        if _merge_voices(state, voices, decision, merged, start, end) > legal:
            return 1 + decision
    _answer_tile(start, end, state, keys, shorts, known, players, asking, scratch)
    _lowest_last(state[TOP + players - 1, start:end], players - 1, low, partner)
    for d in range(players - 2, 0, -1):
        _lowest_of(state[TOP + d, start:end], d, low, partner)
    _find_partner(
        face, disc, top, low, state[SWAP, start:end], state[PICK, start:end],
        state[COUNTS + GREENS, start:end], state[COUNTS + REDS, start:end], partner,
    )  # fmt: skip
    for d in range(1, players):
        _exchange_decks(
            partner, d, top, state[TOP + d, start:end], safe, state[SAFE + d, start:end]
        )
        if numbers[ORIGINS]:
            _exchange(partner, d, state[ORIGIN, start:end], state[ORIGIN + d, start:end])
    _move_disc(
        face, partner, state[TAKE, start:end], players, numbers[RESUME], disc,
        state[THROWN, start:end], state[GOING, start:end], top, safe,
        state[COUNTS + BUSTS, start:end],
    )  # fmt: skip
    if voices[LAY_ASKED, 0] > 0:
        _holder_tile(start, end, state, shorts, voices, LAY_ASKED, players, points, low)
    else:
        _discard_tile(start, end, state, voices, known, numbers, low)
    return 0


@row_kernel
def _resolve_kernel(
    state: Bytes,
    keys: Words,
    shorts: Shorts,
    voices: Longs,
    known: Longs,
    numbers: Longs,
    points: bool,
    asking: Halves,
    scratch: Bytes,
) -> int:
    """Resolve the Switch die in every lane; returns as `_resolve_tile`."""
    for start in range(0, keys.size, TILE):
        end = min(start + TILE, keys.size)
        wrong = _resolve_tile(
            start, end, state, keys, shorts, voices, known, numbers, points, asking, scratch
        )
        if wrong > 0:
            return wrong
    return 0


@row_kernel
def _discard_kernel(
    state: Bytes, voices: Longs, known: Longs, numbers: Longs, scratch: Bytes
) -> int:
    """Let cards go up to where the holders lay the disc; returns as `_resolve_tile`."""
    lanes = state.shape[1]
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        stopped = scratch[0, : end - start]
        if not _discard_tile(start, end, state, voices, known, numbers, stopped):
            return 1 + LAY_ASKED
    return 0


@row_kernel
def _holder_kernel(
    state: Bytes, shorts: Shorts, voices: Longs, numbers: Longs, points: bool, scratch: Bytes
) -> None:
    """Mark who may lay the disc where a turn is about to begin."""
    lanes = state.shape[1]
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        _holder_tile(
            start, end, state, shorts, voices, BETWEEN_ASKED, numbers[PLAYERS], points, scratch[0]
        )


@row_kernel
def _place_kernel(state: Bytes, voices: Longs, numbers: Longs) -> int:
    """Lay the disc where its holder wishes before a turn; returns as `_resolve_tile`."""
    lanes = state.shape[1]
    players = numbers[PLAYERS]
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        lay = state[LAY, start:end]
        _fill(lay, 0)
        if _merge_voices(state, voices, BETWEEN_ASKED, lay, start, end) >= players:
            return 1 + BETWEEN_ASKED
        _place(players, lay, state[DISC, start:end], state[COUNTS + LAID, start:end])
    return 0


@row_kernel
def _decision_words_kernel(
    decision: int,
    ask: Bytes,
    seat: Bytes,
    thrown: Bytes,
    keys: Words,
    turn: Shorts,
    asking: Halves,
    out: Words,
) -> None:
    """One word a lane for a seat's decision at this throw, if few ask only in the lanes that do."""
    purpose = np.uint64(PURPOSE_DECIDE + MOST_PLAYERS * decision - PURPOSE_THROW)
    for start in range(0, out.size, TILE):
        end = min(start + TILE, out.size)
        found = marked_columns(ask[start:end], start, asking)
        if found > (end - start) // FEW_WORDS:
            _decision_words(
                purpose, seat[start:end], thrown[start:end], keys[start:end], turn[start:end],
                out[start:end],
            )  # fmt: skip
        else:
            for i in range(found):
                g = np.int64(asking[i])
                out[g] = _decision_word(purpose, seat[g], thrown[g], keys[g], turn[g])


@row_kernel
def _decision_words(
    purpose: np.uint64, seat: Bytes, thrown: Bytes, keys: Words, turn: Shorts, out: Words
) -> None:
    for g in range(out.size):
        out[g] = _decision_word(purpose, seat[g], thrown[g], keys[g], turn[g])


@row_kernel
def _decision_word(
    purpose: np.uint64, seat: np.uint8, thrown: np.uint8, key: np.uint64, turn: np.uint16
) -> np.uint64:
    number = (purpose + np.uint64(seat)) << np.uint64(48)
    number |= (np.uint64(turn) << np.uint64(TURN_SHIFT)) | np.uint64(thrown)
    return mix64(key + number * GAMMA)


@row_kernel
def _throws_of_deal(deal: np.uint64) -> np.uint64:
    """Number of the word of a deal's first throw."""
    return (np.uint64(PURPOSE_THROW) << np.uint64(48)) | (deal << np.uint64(DEAL_SHIFT))


@row_kernel
def _begin_deal(
    lane: int,
    key: np.uint64,
    deal: np.uint64,
    state: Bytes,
    keys: Words,
    shorts: Shorts,
    players: int,
    anybody_first: bool,
) -> None:
    """Begin a deal of the game with this key; `_end_tile` lays the decks."""
    first = np.uint64(0)
    if anybody_first:
        first = bounded(word(key, PURPOSE_FIRST, deal), players)
    keys[lane] = key + _throws_of_deal(deal) * GAMMA
    shorts[TURN, lane] = 0
    state[MOVER, lane] = np.uint8(first)
    state[FIRST, lane] = np.uint8(first)


@row_kernel
def _begin_kernel(
    lanes: int,
    seed: int,
    games: int,
    runs: Words,
    queue: Longs,
    state: Bytes,
    keys: Words,
    columns: Halves,
    shorts: Shorts,
    numbers: Longs,
    steps: Bytes,
) -> None:
    """Begin a batch: a game in each of the first lanes while there are games."""
    players = numbers[PLAYERS]
    run_key = seed_key(seed)
    for row in range(ROWS):
        _fill(state[row], 0)
    for d in range(MOST_PLAYERS):
        _fill(state[TOP + d], 1)
    _fill(state[DICE], steps[0, 1])
    _fill(state[TAKE], 1)
    _fill(state[LAY], NEVER)
    _fill(state[HELD], 1)
    _fill(keys, 0)
    _fill(columns, 0)
    for row in range(shorts.shape[0]):
        _fill(shorts[row], 0)
    for lane in range(min(lanes, games)):
        state[LIVE, lane] = 1
        columns[lane] = lane
        key = game_key(run_key, runs[lane // BLOCKS] + np.uint64(lane % BLOCKS))
        _begin_deal(
            lane, key, np.uint64(0), state, keys, shorts, players, numbers[ANYBODY_FIRST] != 0
        )
    # As if a deal had just ended everywhere: each deck is in its own seat.
    _fill(state[DONE], 1)
    for d in range(players):
        _own_deck(state[DONE], state[MOVER], d, players, state[ORIGIN + d])
    _fill(state[DONE], 0)
    for block in range(BLOCKS):
        queue[block] = lanes + block


@row_kernel
def _finish(
    lanes: Halves,
    seed: int,
    runs: Words,
    queue: Longs,
    state: Bytes,
    keys: Words,
    columns: Halves,
    shorts: Shorts,
    numbers: Longs,
    records: Halves,
    totals: Shorts,
) -> int:
    """Book the deals that are over in the given lanes and begin the next ones there.

    Returns how many games ended.
    """
    players = numbers[PLAYERS]
    match_points = numbers[MATCH_POINTS]
    anybody_first = numbers[ANYBODY_FIRST] != 0
    run_key = seed_key(seed)
    over = 0
    for i in range(lanes.size):
        lane = int(np.int64(lanes[i]))
        block = lane & (BLOCKS - 1)
        mover = int(np.int64(state[MOVER, lane]))
        won = state[TOP, lane] > numbers[CARDS]
        if match_points > 0:
            best = _score_deal(lane, state, shorts, players)
            if won and best < match_points:
                deal = np.uint64(shorts[DEAL, lane])
                key = keys[lane] - _throws_of_deal(deal) * GAMMA
                shorts[DEAL, lane] = np.uint16(deal + ONE)
                _begin_deal(lane, key, deal + ONE, state, keys, shorts, players, anybody_first)
                _turn_points(lane, mover, state, shorts, players)
                continue
        column = int(np.int64(columns[lane]))
        record = np.uint64(mover) << np.uint64(MOVER_SHIFT)
        record |= np.uint64(won) << np.uint64(WON_SHIFT)
        for d in range(players):
            record |= np.uint64(state[TOP + d, lane]) << np.uint64(TOP_BITS * d)
        records[column] = np.uint32(record)
        if match_points > 0:
            _book_points(lane, mover, column, shorts, players, totals)
        over += 1
        following = queue[block]
        if following < records.size:
            queue[block] = following + BLOCKS
            columns[lane] = np.uint32(following)
            key = game_key(run_key, runs[following // BLOCKS] + np.uint64(block))
            _begin_deal(lane, key, np.uint64(0), state, keys, shorts, players, anybody_first)
        else:
            state[LIVE, lane] = 0
    return over


@row_kernel
def _score_deal(lane: int, state: Bytes, shorts: Shorts, players: int) -> int:
    """Add the highest cards discarded to the match points; returns the most points anyone has."""
    best = 0
    for d in range(players):
        total = int(np.int64(shorts[POINTS + d, lane]) + np.int64(state[TOP + d, lane])) - 1
        shorts[POINTS + d, lane] = np.uint16(total)
        best = max(best, total)
    return best


@row_kernel
def _turn_points(lane: int, mover: int, state: Bytes, shorts: Shorts, players: int) -> None:
    """Turn the match points from the last mover's rows to those of the next deal's first player."""
    for _ in range((np.int64(state[MOVER, lane]) - mover) % players):
        head = shorts[POINTS, lane]
        for d in range(players - 1):
            shorts[POINTS + d, lane] = shorts[POINTS + d + 1, lane]
        shorts[POINTS + players - 1, lane] = head


@row_kernel
def _book_points(
    lane: int, mover: int, column: int, shorts: Shorts, players: int, totals: Shorts
) -> None:
    """Write the points of a match that is over, seat by seat."""
    for d in range(players):
        totals[(mover + d) % players, column] = shorts[POINTS + d, lane]
        shorts[POINTS + d, lane] = 0
    shorts[DEAL, lane] = 0


@row_kernel
def _end_tile(
    start: int,
    end: int,
    seed: int,
    runs: Words,
    queue: Longs,
    state: Bytes,
    keys: Words,
    columns: Halves,
    shorts: Shorts,
    voices: Longs,
    numbers: Longs,
    steps: Bytes,
    records: Halves,
    totals: Shorts,
    finished: Halves,
    tables: NDArray[Any],
    scratch: Bytes,
) -> int:
    """End the throw, book what is over and begin what comes next.

    Returns how many games ended, or -1 if the question of a risk was answered illegally.
    """
    players = numbers[PLAYERS]
    done = state[DONE, start:end]
    mover = state[MOVER, start:end]
    again = state[AGAIN, start:end]
    if tables.size > 0:
        look_up_by_seat(tables, mover, state[TOP, start:end], state[SAFE, start:end], again)
    else:
        _fill(again, 0)
    if _merge_voices(state, voices, RISK_ASKED, again, start, end) > 1:
        return -1
    ended = scratch[0, : end - start]
    _end_throw(
        again, state[LIVE, start:end], numbers[MAX_TURNS],
        state[THROWN, start:end], shorts[TURN, start:end], done,
        state[COUNTS + RISKS, start:end], ended,
    )  # fmt: skip
    top = state[TOP, start:end]
    _count_ends(
        ended, done, mover, state[FIRST, start:end], top, numbers[CARDS],
        state[COUNTS + DEALS, start:end], state[COUNTS + TURNS, start:end],
        state[COUNTS + FIRST_WINS, start:end],
    )  # fmt: skip
    if numbers[ORIGINS]:
        _count_foreign_wins(
            done, mover, state[ORIGIN, start:end], top, numbers[CARDS],
            state[COUNTS + FOREIGN_WINS, start:end],
        )  # fmt: skip
    found = marked_columns(done, start, finished)
    over = _finish(
        finished[:found], seed, runs, queue, state, keys, columns, shorts, numbers, records,
        totals,
    )  # fmt: skip
    _next_mover(ended, done, players, mover, state[DISC, start:end])
    # One place to the left for every row: row 0 goes all the way down.
    for d in range(players - 1):
        _turn_decks(
            ended, done, state[TOP + d, start:end], state[TOP + d + 1, start:end],
            state[SAFE + d, start:end], state[SAFE + d + 1, start:end],
        )  # fmt: skip
        if numbers[ORIGINS]:
            _exchange(ended, 1, state[ORIGIN + d, start:end], state[ORIGIN + d + 1, start:end])
        if numbers[MATCH_POINTS] > 0:
            _exchange(ended, 1, shorts[POINTS + d, start:end], shorts[POINTS + d + 1, start:end])
    if numbers[ORIGINS]:
        for d in range(players):
            _own_deck(done, mover, d, players, state[ORIGIN + d, start:end])
    dice = state[DICE, start:end]
    _fill(dice, steps[0, 1])
    for k in range(1, steps.shape[0]):
        _count_dice(state[TOP, start:end], steps[k, 0], steps[k, 1], dice)
    return over


@row_kernel
def _advance_kernel(
    seed: int,
    runs: Words,
    queue: Longs,
    state: Bytes,
    keys: Words,
    columns: Halves,
    shorts: Shorts,
    voices: Longs,
    numbers: Longs,
    steps: Bytes,
    dice_sums: Halves,
    records: Halves,
    totals: Shorts,
    finished: Halves,
    fractions: NDArray[Any],
    made: NDArray[Any],
    tables: NDArray[Any],
    scratch: Bytes,
) -> int:
    """End the throw in every lane, and throw again if nobody decides before.

    Returns as `_end_tile`.
    """
    over = 0
    for start in range(0, keys.size, TILE):
        end = min(start + TILE, keys.size)
        ended = _end_tile(
            start, end, seed, runs, queue, state, keys, columns, shorts, voices, numbers, steps,
            records, totals, finished, tables, scratch,
        )  # fmt: skip
        if ended < 0:
            return -1
        over += ended
        if voices[BETWEEN_ASKED, 0] == 0:
            _throw_tile(start, end, state, keys, shorts, numbers, dice_sums, fractions, made)
            _ask_on_face(start, end, state, voices, numbers[PLAYERS])
    return over


@row_kernel
def _play_kernel(
    lanes: int,
    seed: int,
    runs: Words,
    queue: Longs,
    state: Bytes,
    keys: Words,
    columns: Halves,
    shorts: Shorts,
    voices: Longs,
    known: Longs,
    numbers: Longs,
    steps: Bytes,
    dice_sums: Halves,
    sums: Longs,
    records: Halves,
    totals: Shorts,
    finished: Halves,
    fractions: NDArray[Any],
    made: NDArray[Any],
    tables: NDArray[Any],
    scratch: Bytes,
) -> None:
    """Play all games where nobody has to be asked, in so few lanes that they stay in the cache."""
    over = 0
    step = 0
    while over < records.size:
        _throw_tile(0, lanes, state, keys, shorts, numbers, dice_sums, fractions, made)
        _resolve_tile(
            0, lanes, state, keys, shorts, voices, known, numbers, False, finished, scratch
        )
        over += _end_tile(
            0, lanes, seed, runs, queue, state, keys, columns, shorts, voices, numbers, steps,
            records, totals, finished, tables, scratch,
        )  # fmt: skip
        step += 1
        if step % COUNT_LIMIT == 0 or over == records.size:
            _add_counts_kernel(lanes, state, sums)


@row_kernel
def _add_counts_kernel(lanes: int, state: Bytes, sums: Longs) -> None:
    """Add what was counted in the lanes to the sums of their blocks, and count from 0 again."""
    for k in range(sums.shape[0]):
        for start in range(0, lanes, BLOCKS):
            _add_counts(state[COUNTS + k, start : start + BLOCKS], sums[k])


@row_kernel
def _add_counts(counts: Bytes, sums: Longs) -> None:
    for block in range(counts.size):
        sums[block] += np.int64(counts[block])
        counts[block] = 0


@row_kernel
def _outcome_kernel(
    records: Halves, players: int, wins: Bytes, scores: NDArray[np.int16], unfinished: Bytes
) -> None:
    """Read the records of single games: the winner, every seat's top card - 1."""
    for start in range(0, records.size, TILE):
        end = min(start + TILE, records.size)
        for seat in range(players):
            _read_seat(
                records[start:end], seat, players, wins[seat, start:end], scores[seat, start:end]
            )
        _read_unfinished(records[start:end], unfinished[start:end])


@row_kernel
def _read_seat(
    records: Halves, seat: int, players: int, wins: Bytes, scores: NDArray[np.int16]
) -> None:
    here = np.uint32(seat)
    all_round = np.uint32(players)
    for g in range(records.size):
        record = records[g]
        mover = both(right(record, np.uint32(MOVER_SHIFT)), np.uint32(3))
        row = np.uint32(here - mover)
        row = np.uint32(row + all_round) if here < mover else row
        won = right(record, np.uint32(WON_SHIFT)) != 0
        # Top cards take five bits each.
        top = both(right(record, np.uint32(row * np.uint32(TOP_BITS))), np.uint32(31))
        scores[g] = np.int16(top - np.uint32(1))
        wins[g] = np.uint8(WHOLE_WIN) if won & (row == 0) else np.uint8(0)


@row_kernel
def _read_unfinished(records: Halves, unfinished: Bytes) -> None:
    for g in range(records.size):
        unfinished[g] = np.uint8(1) - np.uint8(records[g] >> np.uint32(WON_SHIFT))


# --- the game ------------------------------------------------------------------------------------


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _fractions(throws: int, bits: int) -> tuple[int, int] | None:
    """How the number of a throw becomes a fraction of 2^bits: step and rest; None if it cannot.

    The fraction of number i is (i + 1) * step + floor((i + 1) * rest / 2^bits). It must lie from
    i / throws up to, not including, (i + 1) / throws. It is never too high, since step + rest /
    2^bits is less than 2^bits / throws; nor too low if even the last one lacks little enough.
    """
    unit = 1 << bits
    steps = (unit * unit - 1) // throws
    lacking = unit * unit - throws * steps
    if throws >= unit or lacking * throws > (unit - throws) * unit:
        return None
    return divmod(steps, unit)


class _Voice(NamedTuple):
    """Seats that answer a decision alike, so that they are asked together."""

    seat: Seat
    decision: int
    seats: int
    """Bit mask of seat numbers."""
    view: View
    answer: Bytes
    ask: Callable[[], object]


class _LaneGames:
    """Game number of each lane, and where in the game it is, worked out when it is needed."""

    def __init__(self, t: Table, games: Words) -> None:
        self._table = t
        self._games = games
        self.size = t.lanes

    def __getitem__(self, lane: int) -> np.uint64:
        game: np.uint64 = self._games[self._table.columns[lane]]
        return game

    def moment(self, lane: int, decision: str) -> str:
        """Deal of a match, turn, throw, and the seat that decides."""
        t = self._table
        names = [d.name for d in Switch16.decisions]
        seat = HOLDER_SEAT if names.index(decision) in AS_HOLDER else MOVER
        deal = f"deal {t.shorts[DEAL, lane] + 1}, " if t.rules["match_points"] else ""
        return (
            f"{deal}turn {t.shorts[TURN, lane] + 1}, throw {t.state[THROWN, lane] + 1}, "
            f"seat {t.state[seat, lane] + 1}"
        )


class Table:
    """Workspace for one batch: the state of the module's table, and what strategies see of it."""

    def __init__(self, rules: Rules, players: int, lanes: int) -> None:
        self.rules = rules
        self.players = players
        self.lanes = lanes = -(-lanes // BLOCKS) * BLOCKS
        dice = rules["dice"]
        most = max(dice.values())
        faces = np.cumsum([rules["switch_die"][kind] for kind in FACES])
        throws = rules["faces"] ** most * int(faces[-1])
        # Sums of dice as bits of 16, and all throws as fractions of 2^16, if they fit.
        small = rules["cards"] <= 16 and rules["faces"] <= 16
        short = _fractions(throws, 16) if small else None
        fraction = short or _fractions(throws, 32)
        assert fraction is not None, throws  # no rules allow more than `MOST_THROWS`
        self.numbers = np.array(
            [
                players, rules["cards"], rules["milestone"], rules["milestone_resume"],
                rules["max_turns"], rules["match_points"], rules["first_player"] == "random", 0,
                throws, *fraction, most, min(dice.values()), rules["faces"],
                faces[-1], *faces[:-1],
            ],
            np.int64,
        )  # fmt: skip
        self.steps = np.array([(int(start), count) for start, count in dice.items()], np.uint8)
        self.state = rows((ROWS, lanes), np.uint8)
        self.keys = rows(lanes, np.uint64)
        self.columns = rows(lanes, np.uint32)
        self.shorts = rows((HOLDER_POINTS + MOST_PLAYERS, lanes), np.uint16)
        self.dice_sums = rows(lanes, np.uint32)
        self.words = rows(lanes, np.uint64)
        self.chance = _read_only(self.words)
        self.fractions = rows(TILE, np.uint16 if short else np.uint32)
        self.made = rows(TILE, self.fractions.dtype)
        self.scratch = rows((2, TILE), np.uint8)
        self.finished = rows(TILE + 64, np.uint32)
        self.asking = rows(TILE + 64, np.uint32)
        self.queue = np.zeros(BLOCKS, np.int64)
        self.sums = np.zeros((len(BLOCK_SUMS), BLOCKS), np.int64)
        games = lanes * GAMES_PER_LANE
        self.records = rows(games, np.uint32)
        self.totals = rows((players, games if rules["match_points"] else 0), np.uint16)
        self.wins = rows((players, games), np.uint8)
        self.scores = rows((players, games), np.int16)
        self.unfinished = rows(games, np.uint8)
        self.crews: dict[tuple[Seat, ...], _Crew] = {}

    def crew(self, seats: Sequence[Seat]) -> _Crew:
        """Who is asked what; made once, like all calls that are made again and again."""
        key = tuple(seats)
        if key not in self.crews:
            self.crews[key] = _Crew(self, seats)
        return self.crews[key]

    def view(self, decision: int, voice: int, sees: frozenset[str]) -> View:
        """What a voice sees when it is asked for a decision."""
        n = self.players
        state, shorts = self.state, self.shorts
        as_holder = decision in AS_HOLDER
        top = HOLDER_TOP if as_holder else TOP
        safe = HOLDER_SAFE if as_holder else SAFE
        points = HOLDER_POINTS if as_holder else POINTS
        throw = "throw" in sees and decision != BETWEEN_ASKED
        time = "time" in sees
        return View(
            active=_read_only(state[ASKS + MOST_PLAYERS * decision + voice]),
            top=_read_only(state[top : top + n]),
            protected=_read_only(state[safe : safe + n]),
            disc=_read_only(state[HELD if as_holder else DISC]),
            mover=_read_only(state[HOLDER_MOVER]) if as_holder else None,
            dice=_read_only(state[DICE]) if throw else None,
            sums=_read_only(self.dice_sums) if throw else None,
            going=_read_only(state[GOING]) if throw or decision == LAY_ASKED else None,
            thrown=_read_only(state[THROWN]) if time else None,
            turn=_read_only(shorts[TURN]) if time else None,
            points=_read_only(shorts[points : points + n]) if "points" in sees else None,
            players=n,
            cards=self.rules["cards"],
            match_points=self.rules["match_points"],
        )


class _Crew:
    """The voices at a table, and the calls of one step.

    Attributes
    ----------
    voices
        For each decision those who answer it.
    asked
        (decisions, 1 + P) int64 for the kernels: how many voices, and the seats of each.
    known
        int64 for the kernels: the seats that the game answers for.
    silent
        Whether nobody has to be asked anything.
    tables
        For `look_up_by_seat`, empty if no seat has such a policy.
    """

    def __init__(self, t: Table, seats: Sequence[Seat]) -> None:
        self._table = t
        self.voices = [_voices(t, seats, k, d.name) for k, d in enumerate(Switch16.decisions)]
        self.asked = np.zeros((len(self.voices), 1 + MOST_PLAYERS), np.int64)
        everybody = (1 << t.players) - 1
        for row, voices in zip(self.asked, self.voices, strict=True):
            row[0] = len(voices)
            for v, voice in enumerate(voices):
                row[1 + v] = EVERYBODY if voice.seats == everybody else voice.seats
        self.known = _known_answers(seats)
        self.silent = not any(self.voices)
        risk, swap, pick, take, lay, between = self.voices
        self.tables = _risk_tables(seats, t.made.dtype)
        sees = frozenset().union(*(seat.strategy.sees for seat in seats))
        self.dice_sums = t.dice_sums if "throw" in sees else t.dice_sums[:0]
        self._points = "points" in sees
        self.on_face = [voice.ask for voice in (*swap, *pick, *take)]
        self.pick = pick
        self.lay = [voice.ask for voice in lay]
        self.risk = [voice.ask for voice in risk]
        self.between = [voice.ask for voice in between]

    # Each call is made when it is first needed: its code has to be loaded.

    @cached_property
    def throw(self) -> Callable[[], Any]:
        t = self._table
        return prepared(
            _throw_kernel, t.state, t.keys, t.shorts, self.asked, t.numbers, self.dice_sums,
            t.fractions, t.made,
        )  # fmt: skip

    @cached_property
    def resolve(self) -> Callable[[], Any]:
        t = self._table
        return prepared(
            _resolve_kernel, t.state, t.keys, t.shorts, self.asked, self.known, t.numbers,
            self._points, t.asking, t.scratch,
        )  # fmt: skip

    @cached_property
    def discard(self) -> Callable[[], Any]:
        t = self._table
        return prepared(_discard_kernel, t.state, self.asked, self.known, t.numbers, t.scratch)

    @cached_property
    def hold(self) -> Callable[[], Any]:
        t = self._table
        return prepared(
            _holder_kernel, t.state, t.shorts, self.asked, t.numbers, self._points, t.scratch
        )

    @cached_property
    def place(self) -> Callable[[], Any]:
        t = self._table
        return prepared(_place_kernel, t.state, self.asked, t.numbers)


class Switch16(Game):
    """What the game is and brings; see `analyzer.contracts.Game`."""

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
        Decision(
            "swap",
            np.uint8,
            "on green: row to swap decks with, 0 = none",
            "green",
            default=0,
        ),
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
            "first_player_win_share",
            "first_wins",
            "deals",
            "share won by the player who began",
            kind="share",
        ),
        Metric("risks_per_game", "risks", "deals", "decisions to throw again"),
        Metric("busts_per_game", "busts", "deals", "risks that cleared nothing"),
        Metric("green_swaps_per_game", "green_swaps", "deals", "decks swapped on green"),
        Metric("red_swaps_per_game", "red_swaps", "deals", "decks swapped on red"),
        Metric("blocks_laid_per_game", "blocks_laid", "deals", "times the disc was laid on a deck"),
        Metric(
            "deals_per_match",
            "deals",
            "games",
            "deals until a match was won",
            "match_points",
            part="deal",
            whole="match",
        ),
    )
    headline = ("games", "wins", "wins_sq", "first_wins", "deals")
    default_strategy = "greedy/leader/deny:16"
    games_per_lane = GAMES_PER_LANE

    @property
    def study(self) -> Any:
        """What is asked of it; loaded when it is asked for."""
        from analyzer.games.switch16 import study

        return study.STUDY

    def narrator(self, seats: Sequence[str]) -> Narrator:
        """Who tells its games in words; loaded when it is asked for."""
        from analyzer.games.switch16 import narrator

        return narrator.Narrator(seats)

    @property
    def baseline(self) -> Baseline:
        """The game in plain Python; loaded when it is asked for."""
        from analyzer.games.switch16 import baseline

        return baseline

    @property
    def solver(self) -> Solver:
        """What can be worked out without chance; loaded when it is asked for."""
        from analyzer.games.switch16 import solve

        return solve

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
        names = BLOCK_SUMS[:FOREIGN_WINS] if detail == "simulate" else BLOCK_SUMS
        told: dict[str, tuple[int, ...]] = dict.fromkeys(names, ())
        return told | COURSE_SUMS if detail == "story" else told

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
        silent = watch is None and "by_turn" not in tally and table.crew(seats).silent
        lanes = min(table.lanes, TILE) if silent else table.lanes
        batch = Batch(
            table, seed, games, seats, origins="won_on_foreign_deck" in tally, lanes=lanes
        )
        teller = None if watch is None else _Teller(table, watch)
        course = batch.course() if "by_turn" in tally else None
        if silent:
            batch.play()
        elif teller is None and course is None and not batch.crew.between:
            batch.ask_and_play()
        while not batch.is_over:
            batch.throw(teller)
            if course is not None:
                course.before()
            batch.resolve(teller)
            if course is not None:
                course.after(tally)
            batch.advance(teller)
        for k, name in enumerate(BLOCK_SUMS):
            if name in tally:
                tally[name] += table.sums[k]
        return batch.outcome()


class Batch:
    """Games being played, all at once by `play`, or throw by throw: `throw`, `resolve`, `advance`.

    Parameters
    ----------
    lanes
        If it is to be all at once, in how many of the table's lanes.
    """

    def __init__(
        self,
        table: Table,
        seed: int,
        games: Words,
        seats: Sequence[Seat],
        *,
        origins: bool,
        lanes: int | None = None,
    ) -> None:
        t = self.table = table
        self.games = games
        self.seed = seed
        self.lanes = t.lanes if lanes is None else lanes
        self.crew = t.crew(seats)
        for seat in seats:
            seat.games = _LaneGames(t, games)
        t.numbers[ORIGINS] = origins
        t.sums[:] = 0
        self._runs = np.ascontiguousarray(games[::BLOCKS])
        self.records = t.records[: games.size]
        _begin_kernel(
            self.lanes, seed, games.size, self._runs, t.queue, t.state, t.keys, t.columns,
            t.shorts, t.numbers, t.steps,
        )  # fmt: skip
        self.steps = 0
        self.ended = 0
        self._thrown = False

    @cached_property
    def _advance(self) -> Callable[[], Any]:
        t, crew = self.table, self.crew
        return prepared(
            _advance_kernel, self.seed, self._runs, t.queue, t.state, t.keys, t.columns, t.shorts,
            crew.asked, t.numbers, t.steps, crew.dice_sums, self.records, t.totals, t.finished,
            t.fractions, t.made, crew.tables, t.scratch,
        )  # fmt: skip

    def course(self) -> Course:
        """What looks on and keeps the sums of the detail ``"story"``."""
        where = CourseRows(
            TOP, MOVER, THROWN, LIVE, DONE, COUNTS + BUSTS, COUNTS + GREENS, COUNTS + REDS
        )
        t = self.table
        return Course(t.state, t.shorts[TURN], where, t.players)

    def play(self) -> None:
        """Play on to the end, where nobody has to be asked."""
        t, crew = self.table, self.crew
        _play_kernel(
            self.lanes, self.seed, self._runs, t.queue, t.state, t.keys, t.columns, t.shorts,
            crew.asked, crew.known, t.numbers, t.steps, crew.dice_sums, t.sums, self.records,
            t.totals, t.finished, t.fractions, t.made, crew.tables, t.scratch,
        )  # fmt: skip
        self.ended = self.games.size

    def ask_and_play(self) -> None:
        """Play on to the end, where nobody lays the disc between turns."""
        crew = self.crew
        self.throw()
        checks = [partial(self._check_pick, voice) for voice in crew.pick]
        calls: list[Callable[[], object]] = [*crew.on_face, *checks, crew.resolve]
        calls += [*crew.lay, crew.discard] if crew.lay else []
        step = Program([*calls, *crew.risk, self._advance])
        while not self.is_over:
            stop = step()
            if stop is not None and stop.call < len(step.calls) - 1:
                raise self._illegal(stop.value - 1)
            self._count(0 if stop is None else stop.value)

    @property
    def is_over(self) -> bool:
        """Whether all games have ended."""
        return self.ended == self.games.size

    def throw(self, teller: _Teller | None = None) -> None:
        """Throw in every lane, after holders have been asked where turns begin."""
        if not self._thrown:
            self._place_disc(teller)
            self.crew.throw()
        self._thrown = True
        if teller is not None:
            teller.tell_throw()

    def _place_disc(self, teller: _Teller | None) -> None:
        """Let holders lay the disc where a turn is about to begin."""
        crew, state = self.crew, self.table.state
        if not crew.between:
            return
        before = int(state[DISC, 0])
        crew.hold()
        for ask in crew.between:
            ask()
        if crew.place():
            raise self._illegal(BETWEEN_ASKED)
        state[LAY] = NEVER
        if teller is not None:
            teller.tell_place(before)

    def resolve(self, teller: _Teller | None = None) -> None:
        """From the dice on the table to the cards that go."""
        crew = self.crew
        for ask in crew.on_face:
            ask()
        for voice in crew.pick:
            self._check_pick(voice)
        wrong = crew.resolve()
        if not wrong and crew.lay:
            for ask in crew.lay:
                ask()
            wrong = crew.discard()
        if wrong:
            raise self._illegal(wrong - 1)
        if teller is not None:
            teller.tell_cards()

    def advance(self, teller: _Teller | None = None) -> None:
        """Ask who risks another throw, end turns and games, begin others."""
        for ask in self.crew.risk:
            ask()
        ended = self._advance()
        self._count(ended)
        if teller is not None:
            teller.tell_end(ended > 0)

    def _count(self, ended: int) -> None:
        """Count a step and the games that ended with it, -1 if a risk was answered illegally."""
        if ended < 0:
            raise self._illegal(RISK_ASKED)
        self.ended += ended
        self.steps += 1
        self._thrown = not self.crew.between
        if self.steps % COUNT_LIMIT == 0 or self.is_over:
            _add_counts_kernel(self.table.lanes, self.table.state, self.table.sums)

    def outcome(self) -> Outcome:
        """How the games ended."""
        t, games = self.table, self.games
        _outcome_kernel(self.records, t.players, t.wins, t.scores, t.unfinished)
        wins = t.wins[:, : games.size]
        scores = t.scores[:, : games.size]
        unfinished = t.unfinished[: games.size]
        if t.rules["match_points"]:
            scores[:] = t.totals[:, : games.size]
            share_wins(scores, wins)
            wins[:, unfinished != 0] = 0
        return Outcome(games, wins, scores, unfinished)

    def _check_pick(self, voice: _Voice) -> None:
        """Only a row that shows the lowest top card may be picked."""
        t = self.table
        lanes = np.flatnonzero(voice.view.active * (voice.answer != 0))
        tops = t.state[TOP + 1 : TOP + t.players, lanes]
        picked = np.minimum(voice.answer[lanes], t.players - 1).astype(np.intp)
        wrong = lanes[t.state[TOP + picked, lanes] != tops.min(axis=0, initial=NEVER)]
        if wrong.size:
            lane = self._lane_of_lowest_game(wrong)
            what = f"it picked row {voice.answer[lane]}, which does not show the lowest top card."
            raise self._failure(voice, lane, what)

    def _illegal(self, decision: int) -> StrategyFailed:
        """What to say about the lowest game in which a voice chose what the rules forbid."""
        t = self.table
        going = t.state[GOING]
        highest = 1 if decision in (RISK_ASKED, TAKE_ASKED) else t.players - 1
        failures = []
        for voice in self.crew.voices[decision]:
            if decision == LAY_ASKED:
                # Where the disc was laid by a legal answer, that is how many cards go.
                held = t.state[DISC] <= t.players
                wrong = (voice.answer >= going) & (voice.answer != NEVER) & held
            else:
                wrong = voice.answer > highest
            lanes = np.flatnonzero(wrong & (voice.view.active != 0))
            if lanes.size:
                lane = self._lane_of_lowest_game(lanes)
                allowed = f"0 to {highest}"
                if decision == LAY_ASKED:
                    allowed = f"0 to {going[lane] - 1}, or {NEVER}"
                what = f"it chose {voice.answer[lane]}; allowed is {allowed}."
                failures.append(self._failure(voice, lane, what))
        return min(failures, key=lambda failure: failure.game)

    def _lane_of_lowest_game(self, lanes: NDArray[np.intp]) -> int:
        return int(lanes[np.argmin(self.table.columns[lanes])])

    def _failure(self, voice: _Voice, lane: int, what: str) -> StrategyFailed:
        games = _LaneGames(self.table, self.games)
        name = Switch16.decisions[voice.decision].name
        moment = f"{games.moment(lane, name)}, decision {name!r}"
        return StrategyFailed(voice.seat.strategy.spec, int(games[lane]), moment, what)


class _Teller:
    """Tells what happens in the first lane, from its column before and after each step.

    Seats are numbered from 1, deals, turns and throws too; facts by seat are in the order of seats.
    """

    def __init__(self, t: Table, watch: Watcher) -> None:
        self.table = t
        self.watch = watch
        self.before = t.state[:, 0].copy()
        self.can = False
        self.tops = self.before[TOP : TOP + t.players]
        self._tell_deal()

    def _seat(self, row: int) -> int:
        return (int(self.before[MOVER]) + row) % self.table.players + 1

    def _by_seat(self, rows: Any) -> list[int]:
        n = self.table.players
        mover = int(self.before[MOVER])
        return [int(rows[(seat - mover) % n]) for seat in range(n)]

    def _tell_deal(self) -> None:
        self.before = self.table.state[:, 0].copy()
        deal = int(self.table.shorts[DEAL, 0]) + 1
        self.watch("deal", {"deal": deal, "first": self._seat(0)})

    def tell_place(self, disc: int) -> None:
        """The disc as it lay before its holder was asked, and as it lies now."""
        self.before = self.table.state[:, 0].copy()
        now = int(self.before[DISC])
        if now != disc:
            on = self._seat(now - 1 - self.table.players)
            self.watch("lay", {"seat": self._seat(disc - 1), "on": on})

    def tell_throw(self) -> None:
        """What the dice show."""
        t = self.table
        self.before = t.state[:, 0].copy()
        turn, thrown = int(t.shorts[TURN, 0]), int(self.before[THROWN])
        chance = int(t.keys[0]) + (turn << TURN_SHIFT | thrown) * int(GAMMA)
        word_of_throw = mix64(np.uint64(chance % 2**64))
        self.watch(
            "throw",
            {
                "turn": turn + 1,
                "throw": thrown + 1,
                "seat": self._seat(0),
                "top": int(self.before[TOP]),
                "dice": _dice(int(word_of_throw), t.rules, int(self.before[DICE])),
                "face": FACES[self.before[FACE]],
            },
        )

    def tell_cards(self) -> None:
        """What came of the throw."""
        t = self.table
        before, now = self.before, t.state[:, 0]
        self.can = bool(now[AGAIN])
        self.tops = now[TOP : TOP + t.players].copy()
        seat = self._seat(0)
        if self._tell_swap(now):
            return
        own = 1 + t.players
        blocked = before[DISC] == own
        if before[FACE] == BLOCK:
            blocked = False
            self._tell_block(now)
        going, top = int(before[GOING]), int(before[TOP])
        gone = min(going, int(now[LAY]))
        if blocked:
            self.watch("blocked", {"seat": seat})
        elif going == 0 and before[THROWN] == 0:
            self.watch("nothing", {"seat": seat})
        elif going == 0:
            self.watch("bust", {"seat": seat, "top": int(now[TOP])})
        elif gone:
            cards = list(range(top, top + gone))
            self.watch("discard", {"seat": seat, "cards": cards, "top": int(now[TOP])})
        if gone < going and not blocked:
            self.watch("lay", {"seat": self._seat(int(before[DISC]) - 1), "on": seat})

    def _tell_swap(self, now: Bytes) -> bool:
        """Green and red; returns whether the turn is over with it."""
        before, seat = self.before, self._seat(0)
        n = self.table.players
        if before[FACE] == GREEN and now[SWAP]:
            row = int(now[SWAP])
            if before[DISC] == 1 + row:
                self.watch("refuse", {"seat": self._seat(row), "asked_by": seat})
                return False
        elif before[FACE] == RED:
            tops = before[TOP + 1 : TOP + n]
            row = int(now[PICK]) or 1 + int(tops.argmin())
            if tops.min() >= before[TOP]:
                self.watch("keep", {"seat": seat})
                return True
        else:
            return False
        facts = {"seat": seat, "with": self._seat(row), "face": FACES[before[FACE]]}
        self.watch("swap", {**facts, "tops": self._by_seat(now[TOP : TOP + n])})
        return True

    def _tell_block(self, now: Bytes) -> None:
        disc, own = int(self.before[DISC]), 1 + self.table.players
        facts = {"seat": self._seat(0)}
        if disc > own and not now[TAKE]:
            self.watch("leave", {**facts, "on": self._seat(disc - own)})
        elif disc == 0:
            self.watch("take", {**facts, "from": "tray"})
        elif disc >= own:
            self.watch("take", {**facts, "from": "deck", "of": self._seat(disc - own)})
        elif disc > 1:
            self.watch("take", {**facts, "from": "holder", "of": self._seat(disc - 1)})

    def tell_end(self, game_over: bool) -> None:
        """Whether the mover throws again, and what ends with the throw."""
        t = self.table
        seat = self._seat(0)
        tops = self._by_seat(self.tops)
        if self.can:
            again = bool(t.state[AGAIN, 0])
            self.watch("risk" if again else "stop", {"seat": seat, "top": tops[seat - 1]})
        if not t.state[DONE, 0]:
            return
        won = tops[seat - 1] > t.rules["cards"]
        facts = {"seat": seat} if won else {}
        self.watch("win" if won else "limit", {**facts, "points": [top - 1 for top in tops]})
        if not game_over:
            self._tell_deal()


def _dice(chance: int, rules: Rules, thrown: int) -> list[int]:
    """The numbered dice that a throw's word stands for, as many as are thrown."""
    faces = rules["faces"]
    throws = faces ** max(rules["dice"].values()) * sum(rules["switch_die"].values())
    number = chance * throws >> 64
    dice = []
    for _ in range(thrown):
        throws //= faces
        value, number = divmod(number, throws)
        dice.append(value + 1)
    return dice


def _is_known(seat: Seat, decision: str) -> bool:
    """Whether a seat decides by the hook that the game knows for this decision."""
    hook = seat.strategy.hooks.get(decision)
    return any(hook is known for known in KNOWN_HOOKS.get(decision, ()))


def _known_answers(seats: Sequence[Seat]) -> Longs:
    """Who answers as which hook that the game knows, other than `risk_by_top`."""
    known = np.zeros(DENIED + MOST_PLAYERS, np.int64)
    places = (
        ("swap", swap_with_leader, FOLLOWERS),
        ("swap", swap_with_anybody, GUESSERS),
        ("take", take_unless_ahead, SPARERS),
        ("lay", lay_from_card, DENIERS),
    )
    for number, seat in enumerate(seats):
        for decision, hook, place in places:
            known[place] |= (seat.strategy.hooks.get(decision) is hook) << number
        known[DENIED + number] = NEVER
        if known[DENIERS] >> number & 1:
            known[DENIED + number] = seat.strategy.params["lay"][0]
    return known


def _risk_tables(seats: Sequence[Seat], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Bit masks of the seats whose risk policy is `risk_by_top`; others never throw again here."""
    masks = np.zeros((2, MOST_PLAYERS), dtype)
    by_table = [
        (number, seat.strategy.params["risk"])
        for number, seat in enumerate(seats)
        if _is_known(seat, "risk")
    ]
    for number, params in by_table:
        masks[:, number] = [mask >> 1 for mask in params]
    return masks.ravel() if by_table else masks[0, :0]


def _voices(t: Table, seats: Sequence[Seat], decision: int, name: str) -> list[_Voice]:
    """The seats that answer a decision, those with the same hook and parameters together."""
    alike: list[tuple[Seat, int]] = []
    for number, seat in enumerate(seats):
        if name not in seat.strategy.hooks or _is_known(seat, name):
            continue
        for i, (other, mask) in enumerate(alike):
            if _answer_alike(other, seat, name):
                alike[i] = (other, mask | 1 << number)
                break
        else:
            alike.append((seat, 1 << number))
    return [_voice(t, seat, decision, name, v, mask) for v, (seat, mask) in enumerate(alike)]


def _voice(t: Table, seat: Seat, decision: int, name: str, number: int, seats: int) -> _Voice:
    view = t.view(decision, number, seat.strategy.sees)
    answer = t.state[ANSWERS + MOST_PLAYERS * decision + number]
    chance = t.chance if name in seat.strategy.stochastic else None
    ask: Callable[[], object] = seat.question(name, view, chance, answer)
    if chance is not None:
        draw = prepared(
            _decision_words_kernel, decision, view.active,
            t.state[HOLDER_SEAT if decision in AS_HOLDER else MOVER], t.state[THROWN], t.keys,
            t.shorts[TURN], t.asking, t.words,
        )  # fmt: skip
        ask = Program([draw, ask])
    return _Voice(seat, decision, seats, view, answer, ask)


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


GAME = Switch16()
