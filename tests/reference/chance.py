"""Chance in plain Python integers, the twin of ``analyzer.kernels.random``.

SplitMix64 (Steele, Lea & Flood 2014) used by counter. Every word is a pure function of the seed,
the number of the game, a purpose and a counter; all arithmetic is modulo 2^64.
"""

from __future__ import annotations

from collections.abc import Sequence

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15
STRIDE = 0xD1342543DE82EF95


def mix64(z: int) -> int:
    """Scramble a 64-bit number (Stafford's variant 13)."""
    z &= MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def game_key(seed: int, game: int) -> int:
    """Key of one game of the run that a seed stands for."""
    seed_key = mix64(seed + GAMMA)
    return mix64(seed_key + (game + 1) * GAMMA)


def word(key: int, purpose: int, counter: int) -> int:
    """Word of the game with this key, for a purpose below 2^16 and a counter below 2^48."""
    return mix64(key + ((purpose << 48) | counter) * GAMMA)


def expand(word: int, i: int) -> int:
    """Further word number i out of one word."""
    return mix64(word + (i + 1) * STRIDE)


def bounded(word: int, n: int) -> int:
    """A number from 0 to n - 1 out of a word."""
    return word * n >> 64


def unbiased(x: int, n: int, bits: int = 32) -> int | None:
    """A number from 0 to n - 1 out of so many random bits, or None: try again (Lemire 2019).

    Of the 2^bits values of x, all numbers get exactly floor(2^bits / n) each.
    """
    product = x * n
    if product % 2**bits < 2**bits % n:
        return None
    return product >> bits


def draw(key: int, purpose: int, base: int, i: int, n: int) -> int:
    """Draw number i of a shuffle: 0 to n - 1, exactly uniform.

    Two draws share a word, the even one has its low half. Further attempts have words of their
    own, so that a rejection moves no other draw.
    """
    both = word(key, purpose, base + i // 2)
    result = unbiased(both >> 32 if i % 2 else both & 0xFFFFFFFF, n)
    attempt = 0
    while result is None:
        attempt += 1
        result = unbiased(word(key, purpose, (attempt << 40) + base + i) & 0xFFFFFFFF, n)
    return result


def shuffled(deck: Sequence[int], needed: int, key: int, purpose: int, base: int = 0) -> list[int]:
    """The top cards of a shuffled deck, as many as are needed (Fisher and Yates, from the top)."""
    cards = list(deck)
    for i in range(needed):
        j = i + draw(key, purpose, base, i, len(cards) - i)
        cards[i], cards[j] = cards[j], cards[i]
    return cards[:needed]
