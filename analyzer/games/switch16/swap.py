"""Green and red of Switch 16: who swaps decks with whom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.rules import Facts
from analyzer.games.switch16.state import GREEN, RED, Bytes, State
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.narrow import either

__all__ = ["exchange", "swap_tile"]


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
def exchange(where: Bytes, mark: int, one: NDArray[Any], other: NDArray[Any]) -> None:
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


@part_kernel
def swap_tile(start: int, end: int, state: State, facts: Facts, low: Bytes, partner: Bytes) -> None:
    """Swap decks where green or red brings it about; ``partner`` becomes the row, 0 = none.

    ``low`` is scratch.
    """
    rows, players = state.rows, facts.players
    top, safe = rows[at.TOP, start:end], rows[at.SAFE, start:end]
    _lowest_last(rows[at.TOP + players - 1, start:end], players - 1, low, partner)
    for d in range(players - 2, 0, -1):
        _lowest_of(rows[at.TOP + d, start:end], d, low, partner)
    _find_partner(
        rows[at.FACE, start:end], rows[at.DISC, start:end], top, low, rows[at.SWAP, start:end],
        rows[at.PICK, start:end], rows[at.COUNTS + at.GREENS, start:end],
        rows[at.COUNTS + at.REDS, start:end], partner,
    )  # fmt: skip
    for d in range(1, players):
        _exchange_decks(
            partner, d, top, rows[at.TOP + d, start:end], safe, rows[at.SAFE + d, start:end]
        )
        if facts.follows_origins:
            exchange(partner, d, rows[at.ORIGIN, start:end], rows[at.ORIGIN + d, start:end])
