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
from analyzer.kernels.rows import copy, fill


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


@part_kernel
def swap_tile(tile: slice, state: State, facts: Facts, low: Bytes, partner: Bytes) -> None:
    """Swap decks where green or red brings it about; ``partner`` becomes the row, 0 = none.

    ``low`` is scratch.
    """
    rows, players = state.rows, facts.players
    top, safe = rows[at.TOP, tile], rows[at.SAFE, tile]
    copy(rows[at.TOP + players - 1, tile], low)
    fill(partner, players - 1)
    for d in range(players - 2, 0, -1):
        _lowest_of(rows[at.TOP + d, tile], d, low, partner)
    _find_partner(
        rows[at.FACE, tile], rows[at.DISC, tile], top, low, rows[at.SWAP, tile],
        rows[at.PICK, tile], rows[at.COUNTS + at.GREENS, tile], rows[at.COUNTS + at.REDS, tile],
        partner,
    )  # fmt: skip
    for d in range(1, players):
        exchange(partner, d, top, rows[at.TOP + d, tile])
        exchange(partner, d, safe, rows[at.SAFE + d, tile])
        if facts.follows_origins:
            exchange(partner, d, rows[at.ORIGIN, tile], rows[at.ORIGIN + d, tile])
