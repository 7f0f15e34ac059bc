"""What a throw of the numbered dice can clear, exactly.

A throw clears cards in order while the top card is one die or the sum of several different dice;
the same dice serve for every card. All that matters of a throw is thus the set of its subset sums,
kept as an integer whose bit s says that the sum s can be made. Adding a die of value v turns the
set ``b`` into ``b | b << v``, whatever dice came before: the distribution of the sets grows die by
die, with whole-number weights, and no throw has to be looked at alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


def subset_sums(dice: int, faces: int, highest: int) -> dict[int, int]:
    """How many of the ``faces ** dice`` throws give each set of subset sums.

    Parameters
    ----------
    dice, faces
        Number of dice, from 0, and faces of each, from 1.
    highest
        Sums above it are forgotten.

    Returns
    -------
    dict
        Bit set of the sums 0..highest (bit 0 is always set) -> number of throws.
    """
    keep = (1 << (highest + 1)) - 1
    throws = {1: 1}
    for _ in range(dice):
        longer: Counter[int] = Counter()
        for made, weight in throws.items():
            for face in range(1, faces + 1):
                longer[(made | made << face) & keep] += weight
        throws = dict(longer)
    return throws


@dataclass(frozen=True)
class ThrowTable:
    """The chances of a throw for every top card.

    Attributes
    ----------
    cards
        Cards in a deck.
    dice
        Number of dice thrown at top card 1, 2, ..., ``cards``.
    faces
        Faces of a die.
    cleared
        ``cleared[top - 1][m]``: probability that the throw clears exactly m cards,
        m = 0 .. cards - top + 1.
    """

    cards: int
    dice: tuple[int, ...]
    faces: int
    cleared: tuple[tuple[Fraction, ...], ...]

    def success(self, top: int) -> Fraction:
        """Probability that a throw clears at least the top card, ``top`` in 1..cards."""
        return 1 - self.cleared[top - 1][0]

    def expected_change(self, top: int, back_to: int) -> Fraction:
        """Mean change of the top card over one risk; a bust puts the deck back to ``back_to``.

        Clearing the last card counts as reaching top ``cards + 1``.
        """
        chances = self.cleared[top - 1]
        gain = sum((m * chance for m, chance in enumerate(chances)), Fraction(0))
        return gain + chances[0] * (back_to - top)


def throw_table(cards: int, dice: Mapping[int, int], faces: int) -> ThrowTable:
    """The chances of every throw under the given rules.

    Parameters
    ----------
    cards
        Cards in a deck, from 1.
    dice
        Number of dice by the top card from which on it is thrown; has the key 1.
    faces
        Faces of a die, from 1.
    """
    return _throw_table(cards, tuple(sorted(dice.items())), faces)


@lru_cache(maxsize=64)
def _throw_table(cards: int, steps: tuple[tuple[int, int], ...], faces: int) -> ThrowTable:
    thrown = tuple(
        next(count for start, count in reversed(steps) if start <= top)
        for top in range(1, cards + 1)
    )
    sums = {count: subset_sums(count, faces, cards) for count in set(thrown)}
    cleared = tuple(
        _cleared(sums[count], faces**count, top, cards) for top, count in enumerate(thrown, 1)
    )
    return ThrowTable(cards, thrown, faces, cleared)


def _cleared(sums: Mapping[int, int], throws: int, top: int, cards: int) -> tuple[Fraction, ...]:
    """Distribution of the number of cards that go from one top card."""
    counts = [0] * (cards - top + 2)
    for made, weight in sums.items():
        missing = ~(made >> top)
        run = (missing & -missing).bit_length() - 1  # sums from the top card on without a gap
        counts[run] += weight
    return tuple(Fraction(count, throws) for count in counts)
