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

from analyzer.kernels.compilation import kernel, row_kernel
from analyzer.kernels.rows import CACHE_LINE, rows

__all__ = [
    "GAMMA",
    "MAX_SEED",
    "TILE",
    "bounded",
    "expand",
    "game_key",
    "game_keys",
    "mix64",
    "new_tile",
    "redrawn",
    "seed_key",
    "shuffle_prefix",
    "shuffle_tile",
    "stream_seed",
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
MOST_REPLICAS = 256
"""Times that the chance of a purpose can be drawn, the first time included."""
_REPLICA_SHIFT = 8
_STREAMS = 0xFFFF
"""A purpose that no game has: words of the run's own key for it are the seeds of further streams,
and the number of no game is so large that its key could be one of them."""
SWAPS = 4
"""Rows that one pass of a swap looks at."""


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
def word(key: np.uint64, purpose: int | np.int64, counter: int | np.uint64) -> np.uint64:
    """The 64-bit word of one game (by its `game_key`) for a purpose and a counter.

    ``purpose`` is below 2^16 and ``counter`` below 2^48.
    """
    number = (np.uint64(purpose) << PURPOSE_SHIFT) | np.uint64(counter)
    return mix64(np.uint64(key) + number * GAMMA)


def redrawn(purpose: int, replica: int) -> int:
    """The purpose under which a game's chance is drawn anew.

    A game can be replayed with some of its chance kept and the rest redrawn, since words are keyed
    by what they are for.

    Parameters
    ----------
    purpose
        Below 256.
    replica
        0 for the game's own chance, 1 to 255 for what it might have been.
    """
    if not (0 <= purpose < 1 << _REPLICA_SHIFT and 0 <= replica < MOST_REPLICAS):
        raise ValueError(f"purpose and replica are below 256; given {purpose} and {replica}.")
    return purpose | replica << _REPLICA_SHIFT


def stream_seed(seed: int, stream: int) -> int:
    """Seed of another run on fresh chance, one and the same for each seed and stream.

    Parameters
    ----------
    seed
        0 to 2^63-1.
    stream
        0 to 2^48-1.
    """
    # Numba would take a key of 2^63 and more for a signed number, if one below came before.
    return int(word(np.uint64(seed_key(seed)), _STREAMS, stream)) >> 1


@kernel
def expand(word: np.uint64, i: int) -> np.uint64:
    """Further word number ``i`` (from 0) out of one word, for strategies that need many."""
    return mix64(np.uint64(word) + (np.uint64(i) + ONE) * STRIDE)


@kernel
def bounded(word: np.uint64, n: int | np.uint64) -> np.uint64:
    """``floor(word * n / 2^64)``: a number in 0..n-1 out of one word, n in 1..2^32-1.

    No value's probability is off by more than 2^-64 (Lemire 2019, *Fast random integer generation
    in an interval*, without the rejection step, which at 64 bits nobody could see missing).
    """
    high = np.uint64(word) >> HALF
    low = np.uint64(word) & LOW_HALF
    n64 = np.uint64(n) & LOW_HALF  # tells the compiler that a 32-bit multiplication will do
    return (high * n64 + ((low * n64) >> HALF)) >> HALF


@row_kernel
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


@row_kernel
def words(keys: Words, purpose: int, counter: int, out: Words) -> None:
    """Fill ``out`` (N,) uint64 with one word a game for one purpose and counter."""
    shift = ((np.uint64(purpose) << PURPOSE_SHIFT) | np.uint64(counter)) * GAMMA
    for g in range(keys.size):
        out[g] = mix64(keys[g] + shift)


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
        (n,) uint8, the deck's cards before the shuffle, n at most 250.
    count
        How many positions are needed, at most n.
    out
        (count, N) uint8, filled with the cards now at positions 0..count-1.
    """
    tile = new_tile(deck.size)
    for start in range(0, keys.size, TILE):
        end = min(start + TILE, keys.size)
        shuffle_tile(keys[start:end], purpose, base, deck, count, tile)
        out[:, start:end] = tile[:count, : end - start]


def new_tile(cards: int) -> NDArray[np.uint8]:
    """Scratch for `shuffle_tile` with decks of so many cards.

    A row a card, rows that no draw reaches to make the deck's end simple, two rows of draws, and
    one of cards in passing. Rows a power of two apart would share cache sets.
    """
    return rows((cards + SWAPS - 1 + 3, TILE + CACHE_LINE), np.uint8)


@row_kernel
def shuffle_tile(
    keys: Words,
    purpose: int | np.int64,
    base: int | np.int64,
    deck: NDArray[np.uint8],
    count: int,
    tile: NDArray[np.uint8],
) -> None:
    """The same as `shuffle_prefix` for up to `TILE` games, for kernels that use the cards at once.

    ``tile`` comes from `new_tile`; its first ``count`` rows are filled with the cards.
    """
    n = deck.size
    games = keys.size
    even = tile[-3]
    odd = tile[-2]
    for i in range(n):
        _fill(tile[i], deck[i], games)
    for i in range(0, count, 2):
        _two_draws(keys, purpose, base, i, n, even, odd)
        _swap(tile, i, n, even, games)
        if i + 1 < count:
            _swap(tile, i + 1, n, odd, games)


@row_kernel
def _fill(row: NDArray[np.uint8], card: np.uint8, games: int) -> None:
    for g in range(games):
        row[g] = card


@row_kernel
def _copy(source: NDArray[np.uint8], target: NDArray[np.uint8], games: int) -> None:
    for g in range(games):
        target[g] = source[g]


@row_kernel
def _swap(tile: NDArray[np.uint8], i: int, n: int, jump: NDArray[np.uint8], games: int) -> None:
    """Swap row i with, game by game, row ``i + jump``.

    Every game looks at every row, which is less work than it seems: 64 games do so in three
    instructions, and going to one row a game takes a load and a store for each.
    """
    card = tile[i]
    picked = tile[-1]
    _copy(card, picked, games)
    for k in range(i + 1, n, SWAPS):
        _swap_if(
            card, jump, picked, k - i, tile[k], tile[k + 1], tile[k + 2], tile[k + 3], games
        )  # fmt: skip
    _copy(picked, card, games)


@row_kernel
def _swap_if(
    card: NDArray[np.uint8],
    jump: NDArray[np.uint8],
    picked: NDArray[np.uint8],
    distance: int,
    row_0: NDArray[np.uint8],
    row_1: NDArray[np.uint8],
    row_2: NDArray[np.uint8],
    row_3: NDArray[np.uint8],
    games: int,
) -> None:
    """Put ``card`` into the row that is ``jump`` away, and what was there into ``picked``."""
    jump_0 = np.uint8(distance)
    jump_1 = np.uint8(distance + 1)
    jump_2 = np.uint8(distance + 2)
    jump_3 = np.uint8(distance + 3)
    for g in range(games):
        to = jump[g]
        own = card[g]
        new = picked[g]
        card_0 = row_0[g]
        card_1 = row_1[g]
        card_2 = row_2[g]
        card_3 = row_3[g]
        new = card_0 if to == jump_0 else new
        new = card_1 if to == jump_1 else new
        new = card_2 if to == jump_2 else new
        new = card_3 if to == jump_3 else new
        picked[g] = new
        row_0[g] = own if to == jump_0 else card_0
        row_1[g] = own if to == jump_1 else card_1
        row_2[g] = own if to == jump_2 else card_2
        row_3[g] = own if to == jump_3 else card_3


@row_kernel
def _two_draws(
    keys: Words,
    purpose: int | np.int64,
    base: int | np.int64,
    i: int,
    n: int,
    even: NDArray[np.uint8],
    odd: NDArray[np.uint8],
) -> None:
    """Draws i, in 0..n-i-1, and i + 1, in 0..n-i-2, of a shuffle of n cards."""
    shift = ((np.uint64(purpose) << PURPOSE_SHIFT) | np.uint64(base + i // 2)) * GAMMA
    # The masks tell the compiler that 32-bit multiplications will do.
    even_n = np.uint64(n - i) & LOW_HALF
    odd_n = np.uint64(max(n - i - 1, 1)) & LOW_HALF
    even_limit = (ONE << HALF) % even_n
    odd_limit = (ONE << HALF) % odd_n
    rejected = np.uint64(0)
    for g in range(keys.size):
        w = mix64(keys[g] + shift)
        low = (w & LOW_HALF) * even_n
        high = (w >> HALF) * odd_n
        even[g] = np.uint8(low >> HALF)
        odd[g] = np.uint8(high >> HALF)
        rejected |= np.uint64((low & LOW_HALF) < even_limit)
        rejected |= np.uint64((high & LOW_HALF) < odd_limit)
    if rejected != 0:
        for g in range(keys.size):
            w = mix64(keys[g] + shift)
            even[g] = _settle(keys[g], w & LOW_HALF, purpose, base + i, even_n, even_limit)
            odd[g] = _settle(keys[g], w >> HALF, purpose, base + i + 1, odd_n, odd_limit)


@row_kernel
def _settle(
    key: np.uint64,
    x: np.uint64,
    purpose: int | np.int64,
    counter: int | np.int64,
    n: np.uint64,
    limit: np.uint64,
) -> np.uint8:
    """The draw that 32 bits ``x`` give, or the first later attempt that is not rejected."""
    product = x * n
    attempt = np.uint64(0)
    while (product & LOW_HALF) < limit:
        attempt += ONE
        x = word(key, purpose, (attempt << RETRY_SHIFT) + np.uint64(counter)) & LOW_HALF
        product = x * n
    return np.uint8(product >> HALF)
