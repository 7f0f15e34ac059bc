"""Policies of Switch 16 that the game works out itself, for all seats at once.

Each stands here twice: as a hook, which a strategy may name as its own and which says what it does,
and as a kernel over rows, with which the game answers instead of calling the hook. Asking takes
longer than most answers: where nobody has to be asked, games are played in one go. Strategies with
hooks of their own are asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.kernels.compilation import kernel, row_kernel
from analyzer.kernels.narrow import both, right
from analyzer.kernels.random import bounded

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]

NEVER = 255
"""What a hook answers that does not lay the disc; more than any card."""


# --- hooks ---------------------------------------------------------------------------------------


@kernel
def risk_by_top(view: Any, params: Any, words: Any, out: Bytes) -> None:
    """Hook of risk policies that look at nothing but their own deck.

    ``params`` are two bit masks by top card, of an open and of a protected deck: throw again where
    the bit of my top card is set. Any hook could do that, but the game knows this one and, instead
    of calling it, looks the answers of all seats up at once.
    """
    _look_up(params[0], params[1], view.top[0], view.protected[0], out)


@kernel
def swap_with_leader(view: Any, params: Any, words: Any, out: Bytes) -> None:
    """Hook of the green policy that takes the deck furthest ahead, if it is ahead of its own.

    Whoever holds the disc would refuse and is not asked; of equals it takes the first to the left.
    The game knows this hook too.
    """
    for g in range(out.size):
        best = np.int64(view.top[0, g])
        for d in range(1, view.players):
            top = np.int64(view.top[d, g])
            if top > best and np.int64(view.disc[g]) != 1 + d:
                best = top
                out[g] = np.uint8(d)


@kernel
def swap_with_anybody(view: Any, params: Any, words: Any, out: Bytes) -> None:
    """Hook of the green policy that swaps with any row that does not hold the disc.

    Each has the same chance; it takes a word. The game knows this hook too.
    """
    for g in range(out.size):
        out[g] = any_but_holder(view.players, view.disc[g], words[g])


@kernel
def take_unless_ahead(view: Any, params: Any, words: Any, out: Bytes) -> None:
    """Hook of block policies that leave the disc on a deck ahead of their own; the game knows it.

    Asked only where the disc is on another's deck.
    """
    for g in range(out.size):
        row = np.int64(view.disc[g]) - 1 - view.players
        ahead = row > 0 and view.top[row, g] > view.top[0, g]
        out[g] = np.uint8(0) if ahead else np.uint8(1)


@kernel
def lay_from_card(view: Any, params: Any, words: Any, out: Bytes) -> None:
    """Hook of block policies that stop each throw that could clear a given card or a higher one.

    ``params`` begins with the card. The disc is laid before the first card. The game knows this
    hook too.
    """
    for g in range(out.size):
        top = np.int64(view.top[np.int64(view.mover[g]), g])
        reached = top + np.int64(view.going[g]) > params[0]
        out[g] = np.uint8(0) if reached else np.uint8(NEVER)


KNOWN_HOOKS: dict[str, tuple[Any, ...]] = {
    "risk": (risk_by_top,),
    "swap": (swap_with_leader, swap_with_anybody),
    "take": (take_unless_ahead,),
    "lay": (lay_from_card,),
}
"""Hooks whose answers the kernels of the game work out themselves, for all seats at once."""


@row_kernel
def _look_up(open_bits: int, safe_bits: int, top: Bytes, safe: Bytes, again: Bytes) -> None:
    open_tops = np.uint32(open_bits)
    safe_tops = np.uint32(safe_bits)
    for g in range(again.size):
        tops = safe_tops if safe[g] else open_tops
        again[g] = np.uint8(right(tops, np.uint32(top[g])) & np.uint32(1))


# --- the same over rows --------------------------------------------------------------------------


@row_kernel
def any_but_holder(players: int, disc: np.uint8, word: np.uint64) -> np.uint8:
    """Any other row, each with the same chance, but that of a holder of the disc; 0 if none is."""
    place = np.int64(disc)
    held_by_other = 1 < place <= players
    willing = players - 2 if held_by_other else players - 1
    row = np.int64(bounded(word, willing)) + 1
    # The rows from the holder's on move up by one.
    row = row + 1 if held_by_other and row + 1 >= place else row
    return np.uint8(row) if willing > 0 else np.uint8(0)


@row_kernel
def top_of_seats(mover: Bytes, top: Bytes, seats: int, mine: Bytes) -> None:
    """The mover's top card where the seat is one of a bit mask's, elsewhere one above all."""
    mask = np.uint8(seats)
    for g in range(mine.size):
        card = top[g]
        among = both(right(mask, mover[g]), np.uint8(1))
        mine[g] = card if among else np.uint8(NEVER)


@row_kernel
def follow_leader(d: int, top: Bytes, disc: Bytes, highest: Bytes, swap: Bytes) -> None:
    """Choose row d where it is higher than the highest so far, and does not hold the disc."""
    row = np.uint8(d)
    holder = np.uint8(1 + d)
    for g in range(top.size):
        shown = top[g]
        best = highest[g]
        before = swap[g]
        free = np.uint8(0) if disc[g] == holder else shown
        swap[g] = row if free > best else before
        highest[g] = max(best, free)


@row_kernel
def leave_ahead(place: int, top: Bytes, mine: Bytes, disc: Bytes, take: Bytes) -> None:
    """Leave the disc in its place where the deck there is ahead of the mover's."""
    here = np.uint8(place)
    for g in range(take.size):
        before = take[g]
        wanted = np.uint8(0) if top[g] > mine[g] else before
        take[g] = wanted if disc[g] == here else before


@row_kernel
def deny(
    cards: Longs, players: int, mover: Bytes, disc: Bytes, top: Bytes, going: Bytes, lay: Bytes
) -> None:
    """Lay the disc at once where the throw reaches the card of the holder's seat."""
    card_0, card_1 = np.uint8(cards[0]), np.uint8(cards[1])
    card_2, card_3 = np.uint8(cards[2]), np.uint8(cards[3])
    count = np.uint8(players)
    others = np.uint8(players - 1)
    for g in range(lay.size):
        before = lay[g]
        number = going[g]
        # Places 2 to P are those of the other holders.
        row = np.uint8(disc[g] - np.uint8(1))
        held = np.uint8(row - np.uint8(1)) < others
        seat = np.uint8(mover[g] + row)
        seat = np.uint8(seat - count) if seat >= count else seat
        card = card_1 if seat == 1 else card_0
        card = card_2 if seat == 2 else card
        card = card_3 if seat == 3 else card
        reached = np.uint8(top[g] + number) > card
        lay[g] = np.uint8(0) if held & reached & (number != 0) else before


@row_kernel
def look_up_by_seat(
    tables: NDArray[Any], mover: Bytes, top: Bytes, safe: Bytes, again: Bytes
) -> None:
    """Answer for the seats whose risk policy is `risk_by_top`, where they may throw again.

    ``tables`` are the bit masks of seats 0 to 3, first of open decks, then of protected ones; bit
    k - 1 stands for top card k.
    """
    open_0, open_1, open_2, open_3 = tables[0], tables[1], tables[2], tables[3]
    safe_0, safe_1, safe_2, safe_3 = tables[4], tables[5], tables[6], tables[7]
    last_bit = np.uint8(8 * tables.itemsize - 1)
    for g in range(again.size):
        seat = mover[g]
        is_safe = safe[g]
        able = again[g]
        zero = safe_0 if is_safe else open_0
        one = safe_1 if is_safe else open_1
        two = safe_2 if is_safe else open_2
        three = safe_3 if is_safe else open_3
        tops = one if seat == 1 else zero
        tops = two if seat == 2 else tops
        tops = three if seat == 3 else tops
        bit = both(np.uint8(top[g] - np.uint8(1)), last_bit)
        answer = np.uint8(right(tops, tables.dtype.type(bit)))
        again[g] = both(answer, able)
