"""Sets of cards as 64-bit masks: bit c - 1 stands for card c.

Helpers do the same steps whatever the set holds, so that a loop over games that calls them is
compiled to vector instructions. Only `nth_card` and `marked_columns` take as many steps as they
find cards and columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from analyzer.kernels.compilation import JIT_DISABLED, kernel, row_kernel
from analyzer.kernels.narrow import bit_count, both, right, without
from analyzer.kernels.random import bounded

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

Sets = NDArray[np.uint64]
Numbers = NDArray[np.uint8]

ONE = np.uint64(1)
LOW_HALF = np.uint64(0xFFFFFFFF)
TILE = 512
"""Games that one pass of a choice looks at: few enough for the first-level cache."""

if JIT_DISABLED:

    def highest_card(cards: np.uint64) -> np.uint8:
        """Number of the highest card; 0 for the empty set."""
        return np.uint8(int(cards).bit_length())

else:

    def _leading_zeros_code(typing_context: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            undefined_for_zero = context.get_constant(types.boolean, 0)
            return builder.ctlz(arguments[0], undefined_for_zero)

        return types.uint64(types.uint64), generate

    # The processor's own instruction, which Numba does not offer under a public name.
    _leading_zeros: Any = intrinsic(_leading_zeros_code)

    @kernel
    def highest_card(cards: np.uint64) -> np.uint8:
        """Number of the highest card; 0 for the empty set."""
        return np.uint8(np.uint64(64) - _leading_zeros(np.uint64(cards)))


@kernel
def count_cards(cards: np.uint64) -> np.uint64:
    """How many cards a set holds."""
    return np.uint64(bit_count(np.uint64(cards)))


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
def random_cards(cards: Sets, size: int, words: Sets, out: Numbers) -> None:
    """A uniform choice from each of many sets of one size.

    Every choice takes the same few steps, whatever comes up, which lets many games share one vector
    instruction; and the most of them are taken in the quarter of the set that it is in, since
    four times as many quarters fit into a vector.

    Parameters
    ----------
    cards
        (N,) uint64 sets of ``size`` cards each.
    size
        1 to 60.
    words
        (N,) uint64 random words.
    out
        (N,) uint8, filled with the numbers of the cards chosen: the one with ``bounded(word,
        size)`` lower ones.
    """
    if size <= 3:
        _choose_of_3(cards, size, words, out)
        return
    halves = np.empty(TILE, np.uint32)
    quarters = np.empty(TILE, np.uint16)
    for start in range(0, out.size, TILE):
        end = min(start + TILE, out.size)
        half, quarter, chosen = halves[: end - start], quarters[: end - start], out[start:end]
        _halve(cards[start:end], size, words[start:end], half, chosen)
        _halve_again(half, quarter, chosen)
        # Each with a number that the compiler knows, and can make the steps of.
        if size <= 6:
            _choose(quarter, 5, chosen)
        elif size <= 9:
            _choose(quarter, 8, chosen)
        elif size <= 12:
            _choose(quarter, 11, chosen)
        else:
            _choose(quarter, 15, chosen)


@row_kernel
def _choose_of_3(cards: Sets, size: int, words: Sets, out: Numbers) -> None:
    for g in range(out.size):
        rest = cards[g]
        n = bounded(words[g], size)
        rest = rest & (rest - ONE) if n > 0 else rest
        rest = rest & (rest - ONE) if n > 1 else rest
        out[g] = card_number(rest)


@row_kernel
def _halve(cards: Sets, size: int, words: Sets, half: Any, out: Numbers) -> None:
    """Draw how many cards shall be lower than the one chosen, and go on with the half it is in.

    ``out`` becomes 32 for the upper half, plus how many cards of the half shall be lower.
    """
    for g in range(out.size):
        whole = cards[g]
        lower = bounded(words[g], size)
        low = whole & LOW_HALF
        high = whole >> np.uint64(32)
        fewer = count_cards(low)
        is_high = lower >= fewer
        half[g] = np.uint32(high if is_high else low)
        out[g] = np.uint8(lower - fewer + np.uint64(32) if is_high else lower)


@row_kernel
def _halve_again(half: Any, quarter: Any, out: Numbers) -> None:
    """The same with halves and quarters: 16 for the upper one, plus how many shall be lower."""
    for g in range(out.size):
        whole = half[g]
        before = out[g]
        lower = np.uint32(both(before, np.uint8(31)))
        low = both(whole, np.uint32(0xFFFF))
        high = right(whole, np.uint32(16))
        fewer = bit_count(low)
        is_high = lower >= fewer
        quarter[g] = np.uint16(high if is_high else low)
        out[g] = np.uint8(before - fewer + 16 if is_high else before)


@row_kernel
def _choose(quarter: Any, most: int, out: Numbers) -> None:
    """Take the card with as many lower ones in its quarter as `_halve_again` says, at ``most``."""
    for g in range(out.size):
        before = out[g]
        rest = quarter[g]
        lower = both(before, np.uint8(15))
        for i in range(most):
            fewer = both(rest, np.uint16(rest - np.uint16(1)))
            rest = fewer if lower > np.uint8(i) else rest
        below = without(np.uint16(rest - np.uint16(1)), rest)
        out[g] = np.uint8(without(before, np.uint8(15)) + np.uint8(bit_count(below)) + np.uint8(1))


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
