"""What the numbers of Lowball are worth: estimates, a verdict and a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.results import ResultSet
from analyzer.statistics.intervals import MIN_GAMES, estimate, leave_one_out, ratio, share_estimate
from analyzer.statistics.tables import Estimate
from analyzer.statistics.wording import percent_between

__all__ = ["Naming", "Number", "analyze", "conclusion"]

Counts = NDArray[np.int64]
"""(1 + B,): a total of all B blocks of games, and below it those without one block each."""


@dataclass(frozen=True)
class Number:
    """A number: its share of all that are named, and how often whoever names it wins the round.

    The latter are simultaneous over all numbers.
    """

    number: int
    named: Estimate
    wins: Estimate


@dataclass(frozen=True)
class Naming:
    """How often naming a number wins a round: the lower half, the others, and one by one.

    ``advantage`` is that of the lower half, the numbers up to ``middle``.
    """

    middle: int
    low: Estimate
    high: Estimate
    advantage: Estimate
    numbers: tuple[Number, ...]


def analyze(run: ResultSet) -> Naming:
    """The figures of a run with detail ``"fairness"``."""
    naming = leave_one_out(run.sums, ("games", "naming"))["naming"].sum(axis=1)
    named, won = naming[..., 0], naming[..., 1]  # (1 + blocks, numbers)
    total, count = named.sum(axis=1), named.shape[1]
    middle = count // 2
    low = won[:, :middle].sum(axis=1), named[:, :middle].sum(axis=1)
    high = won[:, middle:].sum(axis=1), named[:, middle:].sum(axis=1)
    numbers = (
        Number(
            number=i + 1,
            named=estimate(ratio(named[:, i], total), bounds=(0.0, 1.0)),
            wins=_share(won[:, i], named[:, i], family=count),
        )
        for i in range(count)
    )
    return Naming(
        middle=middle,
        low=_share(*low),
        high=_share(*high),
        advantage=estimate(ratio(*low) - ratio(*high), bounds=(-1.0, 1.0)),
        numbers=tuple(numbers),
    )


def _share(won: Counts, named: Counts, family: int = 1) -> Estimate:
    """How often a number that is named wins; simultaneous over ``family`` of them."""
    return share_estimate(ratio(won, named), float(won[0]), float(named[0]), family=family)


def conclusion(naming: Naming, games: int) -> tuple[str, str]:
    """The verdict in a word, and the answer in a sentence.

    The verdict is ``low-pays``, ``high-pays``, ``no-difference-shown`` or ``undecided``.
    """
    if games < MIN_GAMES:
        return "undecided", f"Too few games to say: {games} played, at least {MIN_GAMES} needed."
    least, most = naming.advantage.low, naming.advantage.high
    if least is None or most is None:
        return "undecided", "Undecided: low and high numbers cannot be compared in these games."
    rates = (
        f"naming 1 to {naming.middle} wins a round in {percent_between(naming.low)} of cases, a "
        f"higher number in {percent_between(naming.high)}."
    )
    if least > 0:
        return "low-pays", f"Yes, low numbers pay: {rates}"
    if most < 0:
        return "high-pays", f"No, high numbers pay: {rates}"
    return "no-difference-shown", f"It is not shown to matter: {rates}"
