"""Who leads while a game of Mermaid Beach goes on, noted in the first games of a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.games.mermaidbeach.lanes import Lanes
from analyzer.games.mermaidbeach.state import Piles
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.piles import points, size
from analyzer.kernels.trail import Trail


@row_kernel
def _standing_kernel(shells: Piles, standing: NDArray[np.int64]) -> None:
    """What counts for a player while the game goes on: points, then shell cards."""
    players, lanes = shells.shape
    for p in range(players):
        for g in range(lanes):
            pile = shells[p, g]
            standing[p, g] = np.int64(points(pile) << np.uint64(8) | size(pile))


class Leads:
    """Looks at all lanes after every turn.

    As at the end, points count first and then the number of shell cards; what a sea monster will
    eat is not known yet.
    """

    def __init__(self, trail: Trail) -> None:
        self._trail = trail

    def note(self, lanes: Lanes) -> None:
        """Note who leads where a turn is over and the game goes on."""
        state = lanes.state
        standing = np.empty(state.shells.shape, np.int64)
        _standing_kernel(state.shells, standing)
        columns = state.start >> np.uint32(3)
        self._trail.note(columns, state.turn, standing, state.seat, state.live)
