"""The generator agrees with its plain twin, and its words look like chance."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from analyzer.kernels import random as fast
from tests.reference import chance

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in {"", "0"}
MANY = 1 << (16 if COMPILED else 9)
"""Words for a statistical test; far fewer where every word is computed by plain Python."""

GOLDEN = (6450633694094424031, 5033414948710231609, 9312486797473025710)
GOLDEN_DEAL = [59, 22, 32, 37, 6, 4, 11, 28, 8, 29, 57, 60]

UNLIKELY = 1e-6
"""A test with fixed seeds fails below this p-value; all tests together draw a few hundred."""

SEEDS = (0, 1, 2, 1234567, 2**32, 2**53 + 1, fast.MAX_SEED)
GAMES = (0, 1, 2, 255, 256, 2**31, 2**32 + 1, 2**48 - 1)
PURPOSES = (0, 1, 2, 16, 21, 2**16 - 1)
COUNTERS = (0, 1, 2, 11, 1 << 20, (5 << 20) | 11, 1 << 40, 2**48 - 1)

Words = NDArray[np.uint64]


@pytest.fixture(autouse=True)
def wrap_silently() -> Iterator[None]:
    """Uncompiled, NumPy's scalars complain about the wrap-around that we mean."""
    with np.errstate(over="ignore"):
        yield


def game_key(seed: int, game: int) -> np.uint64:
    """A key; compiled functions hand 64 bits back as a Python integer, and take a NumPy one."""
    return np.uint64(fast.game_key(np.uint64(fast.seed_key(seed)), np.uint64(game)))


def words_of_games(seed: int, count: int, purpose: int = 1, counter: int = 0) -> Words:
    """One word of each of the first games."""
    out = np.empty(count, np.uint64)
    fast.words(fast.game_keys(seed, np.arange(count, dtype=np.uint64)), purpose, counter, out)
    return out


def words_along(axis: str, count: int) -> Words:
    """Words that differ in one coordinate only: the one that the axis names."""
    if axis == "games":
        return words_of_games(7, count)
    key = game_key(7, 3)
    each = {
        "counters": lambda i: fast.word(key, 1, i),
        "rounds": lambda i: fast.word(key, 2, i << 20),
        "purposes": lambda i: fast.word(key, i % 2**16, i >> 16),
        "seeds": lambda i: fast.word(game_key(i, 3), 1, 0),
        "expanded": lambda i: fast.expand(key, i),
        "retries": lambda i: fast.word(key, 1, ((i % 256) << 40) | (i >> 8)),
    }[axis]
    return np.array([each(i) for i in range(count)], np.uint64)


AXES = ("games", "counters", "rounds", "purposes", "seeds", "expanded", "retries")


def even_p(counts: NDArray[np.int64]) -> float:
    """Probability of counts at least as uneven as these, if all cells are equally likely."""
    return float(stats.chisquare(counts.ravel()).pvalue)


# Known answers and agreement with the twin --------------------------------------------------------


@pytest.mark.parametrize("mix", [chance.mix64, lambda z: int(fast.mix64(np.uint64(z % 2**64)))])
def test_reproduces_the_published_sequence(mix):
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [mix(1234567 + i * chance.GAMMA) for i in range(1, 6)] == published


def test_words_stay_what_they_were():
    """A seed is a promise: these were computed when the generator was specified."""
    key = chance.game_key(1, 0)
    last = chance.game_key(fast.MAX_SEED, 2**48 - 1)
    words = (
        chance.word(key, 1, 0),
        chance.word(key, 16, (1 << 20) | 3),
        chance.word(last, 2**16 - 1, 2**48 - 1),
    )
    assert words == GOLDEN
    assert chance.shuffled(range(1, 61), 12, key, 1) == GOLDEN_DEAL


def test_words_equal_the_twin():
    for seed, game in itertools.product(SEEDS, GAMES):
        key = game_key(seed, game)
        assert int(key) == chance.game_key(seed, game)
        for purpose, counter in itertools.product(PURPOSES, COUNTERS):
            word = fast.word(key, purpose, counter)
            assert int(word) == chance.word(int(key), purpose, counter)


def test_rows_of_words_equal_single_words():
    games = np.array(GAMES, np.uint64)
    out = np.empty(games.size, np.uint64)
    for seed, purpose, counter in itertools.product(SEEDS, PURPOSES, COUNTERS):
        keys = fast.game_keys(seed, games)
        assert keys.dtype == np.uint64
        fast.words(keys, purpose, counter, out)
        assert out.tolist() == [
            chance.word(chance.game_key(seed, game), purpose, counter) for game in GAMES
        ]


def test_keys_fill_the_row_they_are_given():
    games = np.arange(5, dtype=np.uint64)
    row = np.zeros(5, np.uint64)
    assert fast.game_keys(3, games, row) is row
    assert row.tolist() == fast.game_keys(3, games).tolist()


def test_a_game_has_its_key_in_any_batch():
    every = fast.game_keys(11, np.arange(1000, dtype=np.uint64))
    some = fast.game_keys(11, np.arange(400, 500, dtype=np.uint64))
    assert every[400:500].tolist() == some.tolist()


@pytest.mark.parametrize("number", [int, np.int64, np.uint64])
def test_seed_and_game_may_be_any_kind_of_integer(number):
    """A Python integer plus a uint64 once became a double, in which neighbours collide."""
    for seed, game in [(2**53, 2**47), (2**53 + 1, 2**47 + 1), (fast.MAX_SEED, 2**48 - 1)]:
        key = np.uint64(fast.game_key(np.uint64(fast.seed_key(number(seed))), number(game)))
        assert int(key) == chance.game_key(seed, game)
        assert int(fast.word(key, 3, 2**47 + 1)) == chance.word(int(key), 3, 2**47 + 1)


def test_expansion_equals_the_twin():
    for word, i in itertools.product([0, 1, 2**63, 2**64 - 1], [0, 1, 2, 1000, 2**32]):
        assert int(fast.expand(np.uint64(word), i)) == chance.expand(word, i)


# Uniqueness ---------------------------------------------------------------------------------------


def unmix64(z: int) -> int:
    """Undo ``mix64``: that there is such a function proves that no two inputs collide."""
    z ^= z >> 31 ^ z >> 62
    z = z * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    z ^= z >> 27 ^ z >> 54
    z = z * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return z ^ z >> 30 ^ z >> 60


def test_mixing_is_a_bijection():
    numbers = [0, 1, 2**63, 2**64 - 1, *(int(w) for w in words_of_games(5, 1000))]
    for z in numbers:
        assert unmix64(int(fast.mix64(np.uint64(z)))) == z


def test_keys_of_a_run_are_unique():
    count = 1 << (20 if COMPILED else 12)
    for first in (0, 2**48 - count):
        keys = fast.game_keys(0, np.arange(first, first + count, dtype=np.uint64))
        assert np.unique(keys).size == count


def test_keys_of_neighboring_runs_differ():
    count = 1 << (12 if COMPILED else 7)
    games = np.arange(count, dtype=np.uint64)
    seeds = [*range(50), *range(2**53, 2**53 + 50), *range(fast.MAX_SEED - 49, fast.MAX_SEED + 1)]
    keys = np.concatenate([fast.game_keys(seed, games) for seed in seeds])
    assert np.unique(keys).size == keys.size


def test_word_numbers_of_a_game_are_unique():
    """Deal, tides of 60 rounds with retries, decisions of six seats: no word is used twice."""
    numbers = [(1, i) for i in range(40)]
    numbers += [(1, (a << 40) + i) for a in range(1, 4) for i in range(80)]
    for number in range(60):
        numbers += [(2, (number << 20) + i) for i in range(20)]
        numbers += [(2, (a << 40) + (number << 20) + i) for a in range(1, 4) for i in range(40)]
        numbers += [(16 + seat, (number << 20) | i) for seat in range(6) for i in range(20)]
    key = game_key(1, 1)
    words = {int(fast.word(key, purpose, counter)) for purpose, counter in numbers}
    assert len(words) == len(numbers)


# Bounded draws ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [*range(1, 61), 2**16 + 1, 2**31, 2**32 - 1])
def test_bounded_draws_cut_the_words_into_equal_parts(n):
    """The first word of every part, and the one before it; the draw rises with the word."""
    values = range(n) if n <= 60 else sorted({0, 1, 2, n // 3, n // 2, n - 2, n - 1})
    for value in values:
        first = -(-value * 2**64 // n)
        assert fast.bounded(np.uint64(first), n) == value == chance.bounded(first, n)
        if value > 0:
            assert fast.bounded(np.uint64(first - 1), n) == value - 1
    assert fast.bounded(np.uint64(2**64 - 1), n) == n - 1


@pytest.mark.parametrize("n", range(1, 61))
def test_the_rejection_rule_gives_every_number_equally_often(n):
    """All 2^10 cases of a ten-bit draw; the rule does not know how many bits there are."""
    counts = Counter(chance.unbiased(x, n, bits=10) for x in range(2**10))
    rejected = counts.pop(None, 0)
    assert rejected == 2**10 % n
    assert counts == dict.fromkeys(range(n), 2**10 // n)


def settle(key: int, x: int, purpose: int, counter: int, n: int) -> int:
    limit = np.uint64(2**32 % n)
    args = np.uint64(key), np.uint64(x), purpose, counter, np.uint64(n), limit
    return int(fast._settle(*args))


BYTE = 256
"""Decks are small, so of a draw its low byte is kept; the tests also draw from larger ranges, where
rejections are not rare.
"""


@pytest.mark.parametrize("n", [*range(1, 61), 255, 2**31 - 1])
def test_draws_reject_exactly_the_surplus_of_each_part(n):
    """Only the first x of a part can be rejected, and the one after it never is."""
    key, counter = chance.game_key(2, 2), (3 << 20) + 7
    values = range(n) if n <= 255 else (0, 1, 2, n // 3, n // 2, n - 1)
    rejections = 0
    for value in values:
        first = -(-value * 2**32 // n)
        second = chance.word(key, 2, (1 << 40) + counter) & 0xFFFFFFFF
        retried = chance.unbiased(second, n)
        result = settle(key, first, 2, counter, n)
        if first * n % 2**32 < 2**32 % n:
            rejections += 1
            assert result == retried % BYTE
        else:
            assert result == value % BYTE
        assert settle(key, first + 1, 2, counter, n) == value % BYTE
        last = -(-(value + 1) * 2**32 // n) - 1
        assert settle(key, last, 2, counter, n) == value % BYTE
    if n <= 255:
        assert rejections == 2**32 % n


def test_draws_try_until_they_succeed():
    """Just above half the range nearly every second attempt is rejected."""
    n = 2**31 + 1
    attempts = Counter[int]()
    for game in range(500):
        key = chance.game_key(4, game)
        x = int(chance.word(key, 9, 9)) & 0xFFFFFFFF
        expected = chance.unbiased(x, n)
        tries = 1
        while expected is None:
            again = chance.word(key, 1, (tries << 40) + 5) & 0xFFFFFFFF
            expected = chance.unbiased(again, n)
            tries += 1
        attempts[tries] += 1
        assert settle(key, x, 1, 5, n) == expected % BYTE
    assert max(attempts) >= 5


@pytest.mark.parametrize("size", [1, 32])
@pytest.mark.parametrize(
    ("n", "i", "base"),
    [(2**31 + 5, 0, 0), (2**31 + 9, 4, 3 << 20), (3 << 30, 2, 0), (60, 0, 0), (24, 22, 1 << 20)],
)
def test_pairs_of_draws_settle_each_game_by_itself(size, n, i, base):
    """Ranges in which many draws must be tried again; alone, only one of the two may have to."""
    jumps = np.empty((2, size), np.uint8)
    for first in range(0, 64, size):
        keys = fast.game_keys(5, np.arange(first, first + size, dtype=np.uint64))
        fast._two_draws(keys, 2, base, i, n, jumps[0], jumps[1])
        for k in range(2):
            expected = [chance.draw(int(key), 2, base, i + k, n - i - k) for key in keys]
            assert jumps[k].tolist() == [draw % BYTE for draw in expected]


def critical(n: int) -> list[int]:
    """The 32 bits that come closest to the limit of rejection, on both sides of it."""
    firsts = sorted((-(-value * 2**32 // n) for value in range(n)), key=lambda x: x * n % 2**32)
    rejected = [x for x in firsts if chance.unbiased(x, n) is None]
    return rejected[-1:] + firsts[len(rejected) :][:1]


@pytest.mark.parametrize("n", range(2, 61))
def test_pairs_of_draws_reject_at_the_limit(n):
    """Keys made to measure, by undoing the mixing: small ranges reject one draw in 10^8."""
    base = 2 << 20
    jumps = np.empty((2, 1), np.uint8)
    for low, high in itertools.product(critical(n), critical(n - 1)):
        key = (unmix64(high << 32 | low) - ((2 << 48) | base) * chance.GAMMA) % 2**64
        assert chance.word(key, 2, base) == high << 32 | low
        fast._two_draws(np.array([key], np.uint64), 2, base, 0, n, jumps[0], jumps[1])
        expected = [[chance.draw(key, 2, base, 0, n)], [chance.draw(key, 2, base, 1, n - 1)]]
        assert jumps.tolist() == expected


# Shuffles -----------------------------------------------------------------------------------------


def shuffle(keys: Words, deck: list[int], count: int, base: int = 0) -> NDArray[np.uint8]:
    out = np.empty((count, keys.size), np.uint8)
    fast.shuffle_prefix(keys, 2, base, np.array(deck, np.uint8), count, out)
    return out


@pytest.mark.parametrize(
    ("deck", "count", "base"),
    [
        (list(range(1, 61)), 48, 0),
        (list(range(1, 61)), 60, 0),
        (list(range(1, 61)), 1, 1 << 20),
        ([level for level in range(1, 13) for _ in range(2)], 24, 3 << 20),
        ([level for level in range(1, 11) for _ in range(2)], 13, 59 << 20),
        ([1, 2, 3], 3, 0),
        ([1, 2], 2, 0),
        ([9], 1, 0),
        ([7, 7, 7], 0, 0),
    ],
)
def test_shuffles_equal_the_twin(deck, count, base):
    """In batches that fill no tile, one tile, and two and a half."""
    for size in (1, 3, fast.TILE, 2 * fast.TILE + 200) if COMPILED else (1, 5):
        keys = fast.game_keys(8, np.arange(size, dtype=np.uint64))
        out = shuffle(keys, deck, count, base)
        for g in {0, 1, 2, size // 2, fast.TILE - 1, fast.TILE, size - 1} & set(range(size)):
            assert out[:, g].tolist() == chance.shuffled(deck, count, int(keys[g]), 2, base)


def test_shuffle_leaves_the_deck_alone_and_keeps_its_cards():
    deck = np.arange(1, 25, dtype=np.uint8)
    out = np.empty((24, 100), np.uint8)
    keys = fast.game_keys(8, np.arange(100, dtype=np.uint64))
    fast.shuffle_prefix(keys, 1, 0, deck, 24, out)
    assert deck.tolist() == list(range(1, 25))
    assert (np.sort(out, axis=0) == deck[:, None]).all()


def test_every_order_of_four_cards_is_equally_likely():
    keys = fast.game_keys(9, np.arange(MANY, dtype=np.uint64))
    orders = shuffle(keys, [1, 2, 3, 4], 4).T
    counts = Counter(map(tuple, orders.tolist()))
    assert even_p(np.array([counts[o] for o in itertools.permutations(range(1, 5))])) > UNLIKELY


def test_every_card_is_equally_likely_everywhere():
    keys = fast.game_keys(10, np.arange(MANY, dtype=np.uint64))
    out = shuffle(keys, list(range(60)), 48)
    for row in out:
        assert even_p(np.bincount(row, minlength=60)) > UNLIKELY
    pairs = out[0].astype(np.int64) * 60 + out[1]
    off_diagonal = np.bincount(pairs, minlength=3600).reshape(60, 60)[~np.eye(60, dtype=bool)]
    if COMPILED:  # with fewer games the cells are too empty for the approximation
        assert even_p(off_diagonal) > UNLIKELY


# Statistical quality ------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", AXES)
def test_words_look_uniform_and_independent(axis):
    """Along every coordinate: single bits, bytes, ranges, neighbors, and changes of bits."""
    count = min(MANY, 1 << 14) if axis != "games" else MANY
    words = words_along(axis, count)
    assert np.unique(words).size == count

    bits = np.unpackbits(words.view(np.uint8)).reshape(count, 64)
    ones = bits.sum(axis=0)
    assert stats.binomtest(int(ones.sum()), 64 * count).pvalue > UNLIKELY
    assert min(stats.binomtest(int(k), count).pvalue for k in ones) > UNLIKELY

    bytes_ = words.view(np.uint8).reshape(count, 8)
    for column in bytes_.T:
        assert even_p(np.bincount(column, minlength=256)) > UNLIKELY

    for n in (2, 3, 7, 10, 12, 20, 60):
        draws = [fast.bounded(w, n) for w in words[: 1 << 12]]
        assert even_p(np.bincount(np.array(draws, np.int64), minlength=n)) > UNLIKELY

    for lag in (1, 2, 4):
        changed = bits[lag:] ^ bits[:-lag]
        flips = changed.sum(axis=0)
        assert min(stats.binomtest(int(k), count - lag).pvalue for k in flips) > UNLIKELY
        # How many bits change from word to word: as many as heads in 64 throws.
        heads = np.clip(changed.sum(axis=1), 24, 40)
        expected = stats.binom.pmf(np.arange(24, 41), 64, 0.5)
        expected[0] = stats.binom.cdf(24, 64, 0.5)
        expected[-1] = stats.binom.sf(39, 64, 0.5)
        seen = np.bincount(heads - 24, minlength=17)
        p = stats.chisquare(seen, expected * (count - lag)).pvalue
        assert p > UNLIKELY

        pairs = (words[lag:] >> np.uint64(60)) * np.uint64(16) + (words[:-lag] >> np.uint64(60))
        assert even_p(np.bincount(pairs.astype(np.int64), minlength=256)) > UNLIKELY


def test_streams_of_any_seed_come_in_any_order():
    """A key below 2^63 and then one above it: both are 64-bit words, in one process."""
    seeds = sorted((0, 1, *range(40, 50)), key=lambda seed: chance.mix64(seed + chance.GAMMA))
    for seed in seeds:
        key = chance.mix64(seed + chance.GAMMA)
        assert fast.stream_seed(seed, 3) == chance.word(key, 0xFFFF, 3) >> 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1, 1, 0), (1, 2, 0)),
        ((1, 1, 0), (1, 1, 1)),
        ((1, 16, 0), (1, 17, 0)),
        ((1, 1, 0), (2, 1, 0)),
        ((1, 2, 0), (1, 2, 1 << 20)),
        ((1, 1, 3), (1, 1, (1 << 40) + 3)),
    ],
)
def test_streams_do_not_know_each_other(one, other):
    """The same games under another seed, purpose or counter (each is seed, purpose, counter)."""
    a, b = (words_of_games(seed, MANY, purpose, counter) for seed, purpose, counter in (one, other))
    assert not np.isin(a, b).any()
    equal = np.unpackbits((a ^ b).view(np.uint8)).reshape(MANY, 64).sum(axis=0)
    assert min(stats.binomtest(int(k), MANY).pvalue for k in equal) > UNLIKELY
    table = np.zeros((16, 16), np.int64)
    np.add.at(table, ((a >> np.uint64(60)).astype(int), (b >> np.uint64(60)).astype(int)), 1)
    assert even_p(table) > UNLIKELY


def test_the_two_draws_of_a_word_are_independent():
    keys = fast.game_keys(12, np.arange(MANY, dtype=np.uint64))
    jumps = np.empty((2, MANY), np.uint8)
    fast._two_draws(keys, 1, 0, 0, 13, jumps[0], jumps[1])
    pairs = jumps[0].astype(np.int64) * 12 + jumps[1]
    assert even_p(np.bincount(pairs, minlength=13 * 12)) > UNLIKELY
