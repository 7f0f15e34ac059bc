"""What a risk is worth: the chance of winning if one throws again, and if one stops.

Policies say what to do; players also want to know how much it matters. Both chances are those of
the player who has just cleared cards, everybody going on by the given policies afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.games.switch16.exact.chain import (
    AFTER,
    RISK,
    SPARE,
    WIDTH,
    Chain,
    Dice,
    Floats,
    Place,
    Tables,
    end_turn,
    turn_values,
)
from analyzer.games.switch16.exact.policies import PolicyTable
from analyzer.games.switch16.exact.states import Setup
from analyzer.kernels.compilation import kernel


@dataclass(frozen=True)
class RiskValues:
    """The mover's chance of winning after cards have gone, by what it does next.

    Attributes
    ----------
    stop, again
        (1 + 2n, S) float64, by disc and decks as in `PolicyTable.risk`: ending the turn, and
        throwing once more. Only where ``PolicyTable.asked("risk")`` do they mean anything.
    """

    stop: NDArray[np.float64]
    again: NDArray[np.float64]


@kernel
def _look(
    dice: Dice, tables: Tables, later: Floats, players: int, stop: Floats, again: Floats
) -> None:
    """Go through the turns of the first kind of mover as a sweep does, and write both values down.

    ``later`` (discs, S, 5) has the values of the next mover's turns.
    """
    size = dice.tops.size
    cards = dice.cleared.shape[1] - 1
    slots = np.zeros((AFTER + (2 * players + 1) * (size + cards + 2), WIDTH))
    lead = size ** (players - 1)
    for others in range(lead):
        for mine in range(size - 1, -1, -1):
            at = Place(players, size, cards, 0, mine, others)
            turn_values(dice, tables, later, at, slots)
            for disc in range(2 * players + 1):
                end_turn(later, players, others * size + mine, disc, slots, SPARE)
                stop[disc, mine * lead + others] = slots[SPARE, 0]
                again[disc, mine * lead + others] = slots[RISK + disc, 0]


def risk_values(
    setup: Setup, policies: Sequence[PolicyTable], *, tolerance: float = 1e-10
) -> RiskValues:
    """Compare stopping and throwing again for the player in seat 0.

    Parameters
    ----------
    setup
        The rules.
    policies
        One a seat.
    tolerance
        Largest error of a probability.

    Raises
    ------
    UsageError
        If a policy is for other rules.
    AnalyzerError
        If the game need not end.
    """
    chain = Chain(setup, policies)
    chain.settle(tolerance)
    shape = (setup.discs, setup.positions)
    found = RiskValues(np.zeros(shape), np.zeros(shape))
    later = chain.values[1 % chain.tables.chooses.size]
    _look(chain.dice, chain.tables, later, setup.players, found.stop, found.again)
    return found
