"""Exact chances of the dice, against counting all throws."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from analyzer.games.switch16.exact.dice import subset_sums, throw_table
from tests.reference.switch16 import cards_going, gains

PRINTED = {1: 3, 7: 4, 12: 5}


@pytest.mark.parametrize(
    ("cards", "dice", "faces"),
    [(16, PRINTED, 6), (9, {1: 1, 3: 2}, 6), (12, {1: 2, 5: 4}, 4), (7, {1: 3, 2: 1, 6: 2}, 9)],
)
def test_every_throw_is_counted(cards: int, dice: dict[int, int], faces: int) -> None:
    """The distribution of the cards cleared is that of all throws looked at one by one."""
    table = throw_table(cards, dice, faces)
    for top in range(1, cards + 1):
        count = table.dice[top - 1]
        assert count == dice[max(start for start in dice if start <= top)]
        cleared = Counter(gains(top, count, faces, cards))
        expected = [Fraction(cleared[m], faces**count) for m in range(cards - top + 2)]
        assert list(table.cleared[top - 1]) == expected
        assert sum(expected) == 1
        assert table.success(top) == 1 - expected[0]


def test_printed_example() -> None:
    """The rules' own example: 1, 2 and 4 clear the cards 1 to 7, but not the 8."""
    assert cards_going(1, (1, 2, 4), 16) == 7
    assert cards_going(8, (1, 2, 4), 16) == 0


def test_chances_worked_out_by_hand() -> None:
    """Three dice show a one with 91/216; a single die clears one card at a time, or two never."""
    assert throw_table(16, PRINTED, 6).success(1) == 1 - Fraction(5, 6) ** 3
    single = throw_table(3, {1: 1}, 6)
    assert single.cleared[0] == (Fraction(5, 6), Fraction(1, 6), Fraction(0), Fraction(0))
    two = throw_table(3, {1: 2}, 6)  # 1 and 2 (two ways) clear all three cards
    assert two.cleared[0][3] == Fraction(2, 36)


def test_expected_change_is_the_mean_over_all_throws() -> None:
    """Gains and the way back, weighed by all throws; the last card counts as one step up."""
    table = throw_table(16, PRINTED, 6)
    for top, back in [(2, 1), (8, 1), (8, 8), (13, 8), (16, 8)]:
        outcomes = gains(top, table.dice[top - 1], 6, 16)
        total = sum(gain if gain else back - top for gain in outcomes)
        assert table.expected_change(top, back) == Fraction(total, len(outcomes))


def test_subset_sums_count_every_throw() -> None:
    """Weights add up to all throws, and each set is one that a throw has."""
    sums = subset_sums(3, 5, 10)
    assert sum(sums.values()) == 5**3
    seen: Counter[int] = Counter()
    for throw in product(range(1, 6), repeat=3):
        totals = {0}
        for value in throw:
            totals |= {total + value for total in totals}
        seen[sum(1 << total for total in totals if total <= 10)] += 1
    assert sums == seen
