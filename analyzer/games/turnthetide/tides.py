"""The tide cards: shuffled anew for each round, turned up in pairs.

These kernels take a few rows and no whole state: one is called from Python, which would look at all
arrays of a struct each time, and the other takes no longer than a struct to hand over.
"""

from __future__ import annotations

from analyzer.games.turnthetide.state import ROUND_SHIFT, Bytes, Masks
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.random import TILE as SHUFFLE_TILE
from analyzer.kernels.random import shuffle_tile
from analyzer.kernels.rows import copy


@row_kernel
def tides_kernel(
    keys: Masks, purpose: int, round_number: int, deck: Bytes, tile: Bytes, low: Bytes, high: Bytes
) -> None:
    """Shuffle a round's tide cards, and sort each pair into rows low and high (H, N)."""
    count, base = 2 * low.shape[0], round_number << ROUND_SHIFT
    for start in range(0, keys.size, SHUFFLE_TILE):
        end = min(start + SHUFFLE_TILE, keys.size)
        shuffle_tile(keys[start:end], purpose, base, deck, count, tile)
        sort_pairs(tile, low, high, start, end)


@row_kernel
def sort_pairs(cards: Bytes, low: Bytes, high: Bytes, start: int, end: int) -> None:
    """Sort each pair of tide cards (2H, n) into lanes start to end - 1 of low and high (H, N)."""
    for h in range(low.shape[0]):
        _sort_pair(cards[2 * h], cards[2 * h + 1], low[h, start:end], high[h, start:end])


@row_kernel
def _sort_pair(first: Bytes, second: Bytes, lower: Bytes, higher: Bytes) -> None:
    for g in range(lower.size):
        one = first[g]
        other = second[g]
        lower[g] = min(one, other)
        higher[g] = max(one, other)


@row_kernel
def open_kernel(low: Bytes, high: Bytes, this_low: Bytes, this_high: Bytes) -> None:
    """Turn up the two tide cards of a hand."""
    copy(low, this_low)
    copy(high, this_high)
