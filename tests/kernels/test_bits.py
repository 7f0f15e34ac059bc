"""Sets of cards as masks, against the same in plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest

from analyzer.kernels.bits import (
    card_bit,
    card_number,
    count_cards,
    highest_card,
    lowest_card,
    marked_columns,
    nth_card,
    random_cards,
)
from analyzer.kernels.compilation import JIT_DISABLED

GAMES = 5 if JIT_DISABLED else 1_100
"""More than two tiles."""
SETS = [0, 1, 1 << 63, (1 << 64) - 1, 1 << 15 | 1 << 16, 1 << 31 | 1 << 32, 0xF0F0 << 20]


def cards_of(mask: int) -> list[int]:
    return [card for card in range(1, 65) if mask >> (card - 1) & 1]


@pytest.mark.parametrize("mask", SETS)
def test_counts_and_ends_of_a_set(mask: int) -> None:
    cards, known = np.uint64(mask), cards_of(mask)
    assert count_cards(cards) == len(known)
    assert lowest_card(cards) == card_number(cards) == (known[0] if known else 0)
    assert highest_card(cards) == (known[-1] if known else 0)
    for n, card in enumerate(known):
        assert nth_card(cards, np.uint64(n)) == card
        assert card_bit(card) == np.uint64(1 << (card - 1))


@pytest.mark.parametrize("size", range(1, 61))
def test_a_random_card_is_the_one_with_as_many_lower_ones_as_the_word_says(size: int) -> None:
    chance = random.Random(size)
    hands = [sorted(chance.sample(range(1, 61), size)) for _ in range(GAMES)]
    words = [chance.getrandbits(64) for _ in range(GAMES - 2)] + [0, 2**64 - 1]
    masks = [sum(1 << (card - 1) for card in hand) for hand in hands]
    out = np.zeros(GAMES, np.uint8)
    random_cards(np.array(masks, np.uint64), size, np.array(words, np.uint64), out)
    chosen = [hand[word * size >> 64] for hand, word in zip(hands, words, strict=True)]
    assert out.tolist() == chosen


@pytest.mark.parametrize("size", [1, 7, 63, 64, 65, 128, 300, 768])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.04, 0.5, 1.0])
def test_marked_columns_are_listed(size: int, share: float) -> None:
    marks = (np.random.default_rng(size).random(size) < share).astype(np.uint8)
    columns = np.full(size + 64, 99, np.uint32)
    found = marked_columns(marks, 1000, columns)
    assert sorted(columns[:found].tolist()) == (1000 + np.flatnonzero(marks)).tolist()
