"""Chance as a pure function: words by (seed, game, purpose, counter).

The generator is SplitMix64 (Steele, Lea & Flood 2014, *Fast splittable pseudorandom number
generators*, OOPSLA; the mixing constants are David Stafford's variant 13), used by counter: word
number ``i`` of a stream is ``mix64(key + i * GAMMA)``. A game's key is itself a word of the stream
that the seed opens, so any word of any game can be had alone and nothing that one game, seat or
worker draws can shift what another one meets.

The word number packs what the word is for: ``purpose << 48 | counter``. ``GAMMA`` is odd, so
distinct numbers of one game give distinct words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.compilation import kernel

__all__ = [
    "GAMMA",
    "MAX_SEED",
    "TILE",
    "bounded",
    "expand",
    "game_key",
    "game_keys",
    "mix64",
    "new_tiles",
    "seed_key",
    "shuffle_prefix",
    "shuffle_tile",
    "word",
    "words",
]

Words = NDArray[np.uint64]

MAX_SEED = 2**63 - 1

GAMMA = np.uint64(0x9E3779B97F4A7C15)
STRIDE = np.uint64(0xD1342543DE82EF95)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
LOW_HALF = np.uint64(0xFFFFFFFF)
ONE = np.uint64(1)
HALF = np.uint64(32)
PURPOSE_SHIFT = np.uint64(48)
RETRY_SHIFT = np.uint64(40)
TILE = 512
"""Games shuffled in lock-step: a tile's decks and draws stay in the first-level cache."""


@kernel
def mix64(z: np.uint64) -> np.uint64:
    """Scramble 64 bits: a bijection in which every input bit moves about half the output bits."""
    z = (z ^ (z >> np.uint64(30))) * FIRST_FACTOR
    z = (z ^ (z >> np.uint64(27))) * SECOND_FACTOR
    return z ^ (z >> np.uint64(31))


@kernel
def seed_key(seed: int) -> np.uint64:
    """Key of a whole run, ``seed`` in 0..2^63-1."""
    return mix64(np.uint64(seed) + GAMMA)


@kernel
def game_key(key: np.uint64, game: np.uint64) -> np.uint64:
    """Key of one game of the run whose `seed_key` is given; distinct for distinct games."""
    return mix64(np.uint64(key) + (np.uint64(game) + ONE) * GAMMA)


@kernel
def word(key: np.uint64, purpose: int, counter: int | np.uint64) -> np.uint64:
    """The 64-bit word of one game (by its `game_key`) for a purpose and a counter.

    ``purpose`` is below 2^16 and ``counter`` below 2^48.
    """
    number = (np.uint64(purpose) << PURPOSE_SHIFT) | np.uint64(counter)
    return mix64(np.uint64(key) + number * GAMMA)


@kernel
def expand(word: np.uint64, i: int) -> np.uint64:
    """Further word number ``i`` (from 0) out of one word, for strategies that need many."""
    return mix64(np.uint64(word) + (np.uint64(i) + ONE) * STRIDE)


@kernel
def bounded(word: np.uint64, n: int) -> np.uint64:
    """``floor(word * n / 2^64)``: a number in 0..n-1 out of one word, n in 1..2^32-1.

    No value's probability is off by more than 2^-64 (Lemire 2019, *Fast random integer generation
    in an interval*, without the rejection step, which at 64 bits nobody could see missing).
    """
    high = np.uint64(word) >> HALF
    low = np.uint64(word) & LOW_HALF
    n64 = np.uint64(n) & LOW_HALF  # tells the compiler that a 32-bit multiplication will do
    return (high * n64 + ((low * n64) >> HALF)) >> HALF


@kernel
def _game_keys_kernel(seed: int, games: Words, out: Words) -> None:
    key = seed_key(seed)
    for g in range(games.size):
        out[g] = game_key(key, games[g])


def game_keys(seed: int, games: Words, out: Words | None = None) -> Words:
    """Keys of many games.

    Parameters
    ----------
    seed
        0 to 2^63-1.
    games
        (N,) uint64, game numbers from 0.
    out
        (N,) uint64 to fill, or None for a new array.
    """
    if out is None:
        out = np.empty(games.size, np.uint64)
    _game_keys_kernel(seed, games, out)
    return out


@kernel
def words(keys: Words, purpose: int, counter: int, out: Words) -> None:
    """Fill ``out`` (N,) uint64 with one word a game for one purpose and counter."""
    shift = ((np.uint64(purpose) << PURPOSE_SHIFT) | np.uint64(counter)) * GAMMA
    for g in range(keys.size):
        out[g] = mix64(keys[g] + shift)


@kernel
def shuffle_prefix(
    keys: Words,
    purpose: int,
    base: int,
    deck: NDArray[np.uint8],
    count: int,
    out: NDArray[np.uint8],
) -> None:
    """Shuffle the first ``count`` positions of one deck a game, exactly uniformly.

    Fisher and Yates' shuffle from the top; position i is swapped with ``i + draw(n - i)``. A draw
    is 32 bits of a word (two draws to a word) cut to range by Lemire's method with rejection: a
    rejected draw takes its next attempt from words of its own, so that the draws after it do not
    move.

    Parameters
    ----------
    keys
        (N,) uint64 game keys.
    purpose, base
        Name the words: draw i uses word ``base + i // 2``, attempt a of it word
        ``(a << 40) + base + i``.
    deck
        (n,) uint8, the deck's cards before the shuffle, n at most 256.
    count
        How many positions are needed, at most n.
    out
        (count, N) uint8, filled with the cards now at positions 0..count-1.
    """
    tiles = new_tiles(deck)
    jumps = np.empty((2, TILE), np.uint32)
    cards = np.empty((count, TILE), np.uint8)
    for start in range(0, keys.size, TILE):
        end = min(start + TILE, keys.size)
        shuffle_tile(keys[start:end], purpose, base, deck, count, tiles, jumps, cards)
        for i in range(count):
            source = cards[i]
            target = out[i, start:end]
            for g in range(target.size):
                target[g] = source[g]


@kernel
def new_tiles(deck: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Scratch for `shuffle_tile`; padded, since rows a power of two apart share cache sets."""
    return np.empty((deck.size, TILE + 64), np.uint8)


@kernel
def shuffle_tile(
    keys: Words,
    purpose: int,
    base: int,
    deck: NDArray[np.uint8],
    count: int,
    tiles: NDArray[np.uint8],
    jumps: NDArray[np.uint32],
    out: NDArray[np.uint8],
) -> None:
    """The same as `shuffle_prefix` for up to `TILE` games, for kernels that use the cards at once.

    ``tiles`` comes from `new_tiles`, ``jumps`` is (2, TILE) uint32, ``out`` (count, N) uint8.
    """
    n = deck.size
    for i in range(n):
        row = tiles[i]
        card = deck[i]
        for g in range(keys.size):
            row[g] = card
    for i in range(0, count, 2):
        _two_draws(keys, purpose, base, i, n, jumps)
        for k in range(min(2, count - i)):
            _swap(tiles, i + k, jumps[k], out[i + k], keys.size)


@kernel
def _swap(
    tiles: NDArray[np.uint8], i: int, jump: NDArray[np.uint32], out: NDArray[np.uint8], games: int
) -> None:
    """Swap row i of a tile with, game by game, row ``i + jump``; the new row i goes to ``out``."""
    row = tiles[i]
    first = np.uint64(i)
    for g in range(games):
        column = np.uint64(g)  # unsigned: no check for negative indices in the loop
        other = first + np.uint64(jump[column])
        card = row[column]
        out[column] = tiles[other, column]
        tiles[other, column] = card


@kernel
def _two_draws(
    keys: Words, purpose: int, base: int, i: int, n: int, jumps: NDArray[np.uint32]
) -> None:
    """Draws i and i + 1 of a shuffle of n cards: ``jumps[k, g]`` in 0..n-i-k-1."""
    shift = ((np.uint64(purpose) << PURPOSE_SHIFT) | np.uint64(base + i // 2)) * GAMMA
    even_n = np.uint64(n - i)
    odd_n = np.uint64(max(n - i - 1, 1))
    even_limit = (ONE << HALF) % even_n
    odd_limit = (ONE << HALF) % odd_n
    even = jumps[0]
    odd = jumps[1]
    rejected = np.uint64(0)
    for g in range(keys.size):
        w = mix64(keys[g] + shift)
        low = (w & LOW_HALF) * even_n
        high = (w >> HALF) * odd_n
        even[g] = np.uint32(low >> HALF)
        odd[g] = np.uint32(high >> HALF)
        rejected |= np.uint64((low & LOW_HALF) < even_limit)
        rejected |= np.uint64((high & LOW_HALF) < odd_limit)
    if rejected != 0:
        for g in range(keys.size):
            w = mix64(keys[g] + shift)
            even[g] = _settle(keys[g], w & LOW_HALF, purpose, base + i, even_n, even_limit)
            odd[g] = _settle(keys[g], w >> HALF, purpose, base + i + 1, odd_n, odd_limit)


@kernel
def _settle(
    key: np.uint64,
    x: np.uint64,
    purpose: int,
    counter: int,
    n: np.uint64,
    limit: np.uint64,
) -> np.uint32:
    """The draw that 32 bits ``x`` give, or the first later attempt that is not rejected."""
    product = x * n
    attempt = np.uint64(0)
    while (product & LOW_HALF) < limit:
        attempt += ONE
        x = word(key, purpose, (attempt << RETRY_SHIFT) + np.uint64(counter)) & LOW_HALF
        product = x * n
    return np.uint32(product >> HALF)
