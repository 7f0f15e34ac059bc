"""Sets of cards as 64-bit masks: bit c - 1 stands for card c.

Every helper does the same steps whatever the set holds, so that a loop over games that calls it is
compiled to vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from analyzer.compilation import JIT_DISABLED, kernel, row_kernel
from analyzer.random import bounded

__all__ = [
    "card_bit",
    "card_number",
    "count_cards",
    "highest_card",
    "lowest_card",
    "marked_columns",
    "nth_card",
    "random_cards",
]

ONE = np.uint64(1)
if JIT_DISABLED:

    def count_cards(cards: np.uint64) -> np.uint64:
        """How many cards a set holds."""
        return np.uint64(int(cards).bit_count())

    def highest_card(cards: np.uint64) -> np.uint8:
        """Number of the highest card; 0 for the empty set."""
        return np.uint8(int(cards).bit_length())

else:

    def _population_count_code(typing_context: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate

    def _leading_zeros_code(typing_context: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            undefined_for_zero = context.get_constant(types.boolean, 0)
            return builder.ctlz(arguments[0], undefined_for_zero)

        return types.uint64(types.uint64), generate

    # The processor's own instructions, which Numba does not offer under public names.
    _population_count: Any = intrinsic(_population_count_code)
    _leading_zeros: Any = intrinsic(_leading_zeros_code)

    @kernel
    def count_cards(cards: np.uint64) -> np.uint64:
        """How many cards a set holds."""
        return np.uint64(_population_count(np.uint64(cards)))

    @kernel
    def highest_card(cards: np.uint64) -> np.uint8:
        """Number of the highest card; 0 for the empty set."""
        return np.uint8(np.uint64(64) - _leading_zeros(np.uint64(cards)))


@kernel
def card_number(bit: np.uint64) -> np.uint8:
    """Number of the lowest card of a set; 0 for the empty set."""
    cards = np.uint64(bit)
    return highest_card(cards & (~cards + ONE))


@kernel
def card_bit(card: int | np.uint8) -> np.uint64:
    """The set of one card, 1..64."""
    return ONE << (np.uint64(card) - ONE)


@kernel
def lowest_card(cards: np.uint64) -> np.uint8:
    """Number of the lowest card; 0 for the empty set."""
    return card_number(cards)


@kernel
def nth_card(cards: np.uint64, n: int | np.uint64) -> np.uint8:
    """Number of the card with exactly ``n`` lower ones in the set."""
    rest = np.uint64(cards)
    for _ in range(np.int64(n)):
        rest = rest & (rest - ONE)
    return card_number(rest)


@kernel
def _skip_up_to_2(cards: np.uint64, n: np.uint64) -> np.uint8:
    rest = cards
    for i in range(2):
        rest = rest & (rest - ONE) if np.uint64(i) < n else rest
    return card_number(rest)


@kernel
def _skip_up_to_5(cards: np.uint64, n: np.uint64) -> np.uint8:
    rest = cards
    for i in range(5):
        rest = rest & (rest - ONE) if np.uint64(i) < n else rest
    return card_number(rest)


@kernel
def _skip_up_to_8(cards: np.uint64, n: np.uint64) -> np.uint8:
    rest = cards
    for i in range(8):
        rest = rest & (rest - ONE) if np.uint64(i) < n else rest
    return card_number(rest)


@kernel
def _skip_up_to_11(cards: np.uint64, n: np.uint64) -> np.uint8:
    rest = cards
    for i in range(11):
        rest = rest & (rest - ONE) if np.uint64(i) < n else rest
    return card_number(rest)


@kernel
def random_cards(
    cards: NDArray[np.uint64], size: int, words: NDArray[np.uint64], out: NDArray[np.uint8]
) -> None:
    """A uniform choice from each of many sets of one size.

    Up to 12 cards every choice takes the same few steps, whatever comes up, which lets several
    games share one vector instruction.

    Parameters
    ----------
    cards
        (N,) uint64 sets of ``size`` cards each.
    size
        At least 1.
    words
        (N,) uint64 random words.
    out
        (N,) uint8, filled with the numbers of the cards chosen: the one with ``bounded(word,
        size)`` lower ones.
    """
    if size <= 3:
        for g in range(out.size):
            out[g] = _skip_up_to_2(cards[g], bounded(words[g], size))
    elif size <= 6:
        for g in range(out.size):
            out[g] = _skip_up_to_5(cards[g], bounded(words[g], size))
    elif size <= 9:
        for g in range(out.size):
            out[g] = _skip_up_to_8(cards[g], bounded(words[g], size))
    elif size <= 12:
        for g in range(out.size):
            out[g] = _skip_up_to_11(cards[g], bounded(words[g], size))
    else:
        for g in range(out.size):
            out[g] = nth_card(cards[g], bounded(words[g], size))


@row_kernel
def marked_columns(marks: NDArray[np.uint8], start: int, columns: NDArray[np.uint32]) -> int:
    """List the columns that have a mark; for loops over the few that do.

    The marks of 64 columns are gathered into one word, of which bit 8b + k is column 8k + b. Four
    are taken off it whether there are so many or not: that is mostly enough, and spares the
    processor from guessing when to stop.

    Parameters
    ----------
    marks
        (N,) uint8, 0 or 1.
    start
        Number of the first column, from 0.
    columns
        (M,) uint32, M at least N + 64; its first elements are filled with numbers of columns, in no
        particular order.

    Returns
    -------
    int
        How many columns there are.
    """
    whole = marks.size // 64 * 64
    eights = marks[:whole].view(np.uint64)
    found = 0
    for first in range(0, eights.size, 8):
        word = np.uint64(0)
        for k in range(8):
            word |= eights[first + k] << np.uint64(k)
        count = int(np.int64(count_cards(word)))
        taken = 0
        while True:
            for _ in range(4):
                bit = np.int64(card_number(word)) - 1
                columns[found + taken] = start + 8 * (first + (bit & 7)) + (bit >> 3)
                word &= word - np.uint64(1)
                taken += 1
            if taken >= count:
                break
        found += count
    for g in range(whole, marks.size):
        columns[found] = start + g
        found += int(np.int64(marks[g]))
    return found
