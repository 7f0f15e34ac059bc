"""Piles of cards as 64-bit counts: four bits for each of sixteen sorts, sort 0 the lowest.

Which cards lie in a pile counts, not their order. A *set* of sorts is a pile with counts of 0 and
1. Adding and subtracting piles puts cards together and takes them away.

Every helper does the same steps whatever the pile holds, so that a loop over games that calls it is
compiled to vector instructions.
"""

from __future__ import annotations

import numpy as np

from analyzer.kernels.bits import count_cards, highest_card
from analyzer.kernels.compilation import kernel

__all__ = [
    "FLAGS",
    "MOST_CARDS",
    "count",
    "has",
    "held",
    "held_twice",
    "highest",
    "lowest",
    "nth",
    "nth_of_few",
    "pile_of",
    "place_of",
    "points",
    "size",
]

MOST_CARDS = 127
"""Cards of a pile, at most: as far as `size` counts and `nth` reaches."""

ONE = np.uint64(1)
FLAGS = np.uint64(0x1111111111111111)
"""The set of all sorts."""
EVEN = np.uint64(0x0F0F0F0F0F0F0F0F)
EACH = np.uint64(0x0101010101010101)
TOP = np.uint64(0x8080808080808080)
TOP_BUT_LAST = np.uint64(0x0080808080808080)


@kernel
def size(pile: np.uint64) -> np.uint64:
    """Cards in a pile of at most `MOST_CARDS`."""
    x = np.uint64(pile)
    pairs = (x & EVEN) + ((x >> np.uint64(4)) & EVEN)
    return (pairs * EACH) >> np.uint64(56)


@kernel
def held(pile: np.uint64) -> np.uint64:
    """The set of sorts in a pile."""
    x = np.uint64(pile)
    x |= x >> ONE
    return (x | x >> np.uint64(2)) & FLAGS


@kernel
def held_twice(pile: np.uint64) -> np.uint64:
    """The set of sorts of which there are two or more in a pile."""
    x = np.uint64(pile)
    return (x >> ONE | x >> np.uint64(2) | x >> np.uint64(3)) & FLAGS


@kernel
def has(pile: np.uint64, sort: int | np.uint64 | np.uint8) -> np.uint64:
    """How many cards of a sort, 0..15, are in a pile."""
    return (np.uint64(pile) >> (np.uint64(sort) << np.uint64(2))) & np.uint64(15)


@kernel
def count(flags: np.uint64) -> np.uint64:
    """How many sorts are in a set."""
    return count_cards(flags)


@kernel
def lowest(pile: np.uint64) -> np.uint64:
    """Lowest sort in a pile or set; 16 if it is empty."""
    x = np.uint64(pile)
    return count_cards((x - ONE) & ~x) >> np.uint64(2)


@kernel
def highest(pile: np.uint64) -> np.uint64:
    """Highest sort in a pile or set; 0 if it is empty."""
    x = np.uint64(pile)
    steps = (np.uint64(highest_card(x)) + np.uint64(3)) >> np.uint64(2)
    return steps - np.uint64(x != 0)


@kernel
def place_of(pile: np.uint64, index: np.uint64) -> np.uint64:
    """Four times the sort of the card at an index of a pile: where its count begins.

    The bytes of ``two`` hold 128 + index - the cards of all sorts up to that byte's two, those of
    ``one`` the same up to the lower of them. Bytes cannot borrow from each other, and their top
    bits tell which sorts end at or before the index. The last sort of all does not; that its bit is
    left out tells the compiler that the result is less than 64.
    """
    x = np.uint64(pile)
    odd = (x >> np.uint64(4)) & EVEN
    two = (np.uint64(index) - (x & EVEN) - odd) * EACH + TOP
    one = two + odd
    return count_cards((two & TOP_BUT_LAST) | ((one & TOP) >> ONE)) << np.uint64(2)


@kernel
def nth(pile: np.uint64, index: int | np.uint64) -> np.uint64:
    """Sort of the card at an index, from 0, with the cards of a pile in order of sorts.

    The pile has more than ``index`` cards and at most `MOST_CARDS`. Works on sets, too.
    """
    return place_of(pile, np.uint64(index)) >> np.uint64(2)


@kernel
def nth_of_few(flags: np.uint64, index: int | np.uint64) -> np.uint64:
    """The same as `nth` for sets of at most 8 sorts, in a third of the steps.

    The product's counts are 7 - index + the sorts up to each one: 8 and more from the wanted one
    on.
    """
    sums = (np.uint64(flags) + np.uint64(7) - np.uint64(index)) * FLAGS
    return np.uint64(16) - count_cards(sums & (FLAGS << np.uint64(3)))


@kernel
def points(pile: np.uint64) -> np.uint64:
    """Points of a pile in which a card of sort n counts n: the sum of its sorts.

    With S_j the cards of sorts 2j and 2j + 1 and P_j = S_0 + ... + S_j, the sum of j S_j is
    8 P_7 - (P_0 + ... + P_7).
    """
    x = np.uint64(pile)
    odd = (x >> np.uint64(4)) & EVEN
    sums = ((x & EVEN) + odd) * EACH
    halves = np.uint64(0x00FF00FF00FF00FF)
    total = ((sums & halves) + ((sums >> np.uint64(8)) & halves)) * np.uint64(0x0001000100010001)
    doubled = np.uint64(8) * (sums >> np.uint64(56)) - (total >> np.uint64(48))
    return np.uint64(2) * doubled + ((odd * EACH) >> np.uint64(56))


def pile_of(cards: dict[int, int]) -> int:
    """The pile with so many cards of each sort."""
    return sum(number << 4 * sort for sort, number in cards.items())
