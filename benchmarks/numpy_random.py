"""The built-in random strategy written with NumPy instead of compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Strategy
from analyzer.games.turnthetide.state import View

BITS = np.uint64(1) << np.arange(60, dtype=np.uint64)


def play_any(
    view: View, params: tuple[Any, ...], words: NDArray[np.uint64], out: NDArray[np.uint8]
) -> None:
    """A uniform choice among the remaining cards."""
    high, low = words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)
    n = np.uint64(view.cards_left)
    index = (high * n + (low * n >> np.uint64(32))) >> np.uint64(32)
    rest = view.cards.copy()
    for i in range(view.cards_left - 1):
        rest = np.where(np.uint64(i) < index, rest & (rest - np.uint64(1)), rest)
    lowest = rest & (~rest + np.uint64(1))
    out[:] = np.searchsorted(BITS, lowest) + 1


random_in_numpy = Strategy(
    game="turnthetide",
    name="random-in-numpy",
    idea="Any remaining card, each as likely as the others.",
    hooks={"card": play_any},
    stochastic=frozenset({"card"}),
)
