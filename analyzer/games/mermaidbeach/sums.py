"""The game's own sums: which there are, and how the records of a batch are added to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BLOCKS, WHOLE_WIN, Tally
from analyzer.games.mermaidbeach.state import (
    ITEMS,
    MEAN,
    MERFOLK,
    MONSTER,
    MONSTER_ALONE,
    ONE,
    OUT_OF_CARDS,
    SEAWEED,
    UNFINISHED,
    WAVE,
    Bytes,
    Counts,
    Piles,
    Records,
)
from analyzer.kernels.bits import count_cards
from analyzer.kernels.compilation import kernel, row_kernel
from analyzer.kernels.piles import FLAGS, has, size

FEATURES = 7
"""Of an opening hand: 1, merfolk, mean mermaids, waves, seaweed, monsters, and pairs of items."""

HAND_WORTH = (11, 14, -4, -4, -2, 2)
"""Percentage points of winning chance that one more of each feature after the first is worth.

Fitted to four `greedy` players under the printed rules, rounded, and then left alone: what orders
hands must not be fitted to the games that are judged, or the best would look better than they are.
"""
HAND_VALUES, HAND_ZERO = 128, 40
"""How many values of hands are told apart, and which of them is that of a hand worth nothing."""


class Sums(NamedTuple):
    """The sums of every run, (256,) int64 but for the wins by position: (256, P)."""

    turns: Counts
    sixtieths: Counts
    first_wins: Counts
    asks_all: Counts
    asks_met_all: Counts
    starfish: Counts
    monster_meals: Counts
    out_of_cards: Counts
    monster_alone: Counts
    position_wins: Counts


class FairnessSums(NamedTuple):
    """What fairness is told besides: by seat (256, P) int64, and by features of opening hands."""

    asks: Counts
    asks_met: Counts
    monster_held: Counts
    monster_ate: Counts
    points_eaten: Counts
    monster_wins: Counts
    opening: Counts
    opening_wins: Counts
    hand_values: Counts
    """(256, HAND_VALUES, 2): hands of each value, and what they won."""


BY_SEAT = FairnessSums._fields[:6]
"""Names of the sums that are counted by seat."""


class Scratch(NamedTuple):
    """Rows of 256 columns: (2, 256) uint64, (3, 256) uint8, (P, 256) int64."""

    wide: Piles
    narrow: Bytes
    by_position: Counts


def shapes(players: int, detail: str) -> dict[str, tuple[int, ...]]:
    """Shapes of the sums of a run, without the block axis."""
    plain: dict[str, tuple[int, ...]] = dict.fromkeys(Sums._fields, ())
    plain["position_wins"] = (players,)
    if detail != "fairness":
        return plain
    fairness: dict[str, tuple[int, ...]] = dict.fromkeys(FairnessSums._fields, (players,))
    fairness |= {
        "opening": (FEATURES, FEATURES),
        "opening_wins": (FEATURES,),
        "hand_values": (HAND_VALUES, 2),
    }
    return plain | fairness


def sums_of(tally: Tally) -> tuple[Sums, FairnessSums | None]:
    """The sums of a tally as kernels take them; None if nobody asks about fairness."""
    plain = Sums(*(tally[name] for name in Sums._fields))
    if not tally.keys() >= {*FairnessSums._fields}:
        return plain, None
    return plain, FairnessSums(*(tally[name] for name in FairnessSums._fields))


def new_scratch(players: int) -> Scratch:
    """Rows for `add_outcomes`."""
    return Scratch(
        np.empty((2, BLOCKS), np.uint64),
        np.empty((3, BLOCKS), np.uint8),
        np.empty((players, BLOCKS), np.int64),
    )


@row_kernel
def add_outcomes(
    records: Records,
    wins: Bytes,
    scores: NDArray[np.int16],
    unfinished: Bytes,
    sums: Sums,
    scratch: Scratch,
) -> None:
    """Unpack the records of a batch, in the order of its games, and add up the sums of all runs.

    Fills ``wins`` (P, M), ``scores`` (P, M) and ``unfinished`` (M,), which say how many games
    there are.
    """
    players, games = wins.shape
    result, events = scratch.wide[0], scratch.wide[1]
    share, began, why = scratch.narrow[0], scratch.narrow[1], scratch.narrow[2]
    for k in range(players):
        position = scratch.by_position[k]
        for b in range(BLOCKS):
            position[b] = 0
    for start in range(0, games, BLOCKS):
        end = min(start + BLOCKS, games)
        width = end - start
        for b in range(width):
            result[b] = records.results[2 * start + 2 * b]
        for b in range(width):
            events[b] = records.results[2 * start + 2 * b + 1]
        for b in range(width):
            winners = count_cards(result[b] >> np.uint64(55) & np.uint64(31))
            part = np.uint8(WHOLE_WIN // 5)
            part = np.uint8(WHOLE_WIN // 4) if winners == 4 else part
            part = np.uint8(WHOLE_WIN // 3) if winners == 3 else part
            part = np.uint8(WHOLE_WIN // 2) if winners == 2 else part
            share[b] = np.uint8(WHOLE_WIN) if winners == 1 else part
        for b in range(width):
            began[b] = np.uint8(events[b] >> np.uint64(48)) & np.uint8(7)
        for b in range(width):
            why[b] = np.uint8(events[b] >> np.uint64(51)) & np.uint8(3)
        for p in range(players):
            won = wins[p, start:end]
            score = scores[p, start:end]
            for b in range(width):
                score[b] = np.int16((result[b] >> np.uint64(11 * p)) & np.uint64(2047))
            for b in range(width):
                winner = (result[b] >> np.uint64(55 + p)) & ONE
                part = share[b]
                won[b] = part if winner else np.uint8(0)
            for first in range(players):
                position = scratch.by_position[(p - first) % players]
                starter = np.uint8(first)
                for b in range(width):
                    part = won[b]
                    position[b] += np.int64(part) if began[b] == starter else 0
        stopped = unfinished[start:end]
        for b in range(width):
            stopped[b] = np.uint8(why[b] == UNFINISHED)
        for b in range(width):
            sums.sixtieths[b] += WHOLE_WIN
        _add_bits(events[:width], 0, 0xFFFF, sums.turns)
        _add_bits(events[:width], 16, 0xFFFF, sums.asks_all)
        _add_bits(events[:width], 32, 0xFFFF, sums.asks_met_all)
        _add_bits(events[:width], 53, 31, sums.starfish)
        _add_bits(result[:width], 60, 1, sums.monster_meals)
        _add_where(why[:width], OUT_OF_CARDS, sums.out_of_cards)
        _add_where(why[:width], MONSTER_ALONE, sums.monster_alone)
    for b in range(BLOCKS):
        sums.first_wins[b] += scratch.by_position[0, b]
        for k in range(players):
            sums.position_wins[b, k] += scratch.by_position[k, b]


@row_kernel
def _add_bits(words: Piles, place: int, mask: int, total: Counts) -> None:
    """Add the numbers that lie at a place of the words."""
    for b in range(words.size):
        total[b] += np.int64((words[b] >> np.uint64(place)) & np.uint64(mask))


@row_kernel
def _add_where(why: Bytes, wanted: int, total: Counts) -> None:
    for b in range(why.size):
        total[b] += np.int64(why[b] == wanted)


@kernel
def add_fairness(records: Records, wins: Bytes, sums: FairnessSums) -> None:
    """Add the sums that fairness needs: by seat, and by what the opening hand was like."""
    players, games = wins.shape
    features = np.zeros((FEATURES, BLOCKS), np.int32)
    products = np.zeros((FEATURES, FEATURES, BLOCKS), np.int32)
    shares = np.zeros((FEATURES, BLOCKS), np.int32)
    for p in range(players):
        eaten_at, asked_at = np.uint64(11 * p), np.uint64(12 * p)
        for start in range(0, games, BLOCKS):
            width = min(BLOCKS, games - start)
            for b in range(width):
                g = start + b
                meal, asks, met = (
                    records.details[0, g],
                    records.details[1, g],
                    records.details[2, g],
                )
                eaten = np.int64((meal >> eaten_at) & np.uint64(2047))
                holds = np.int64((meal >> np.uint64(55 + p)) & ONE)
                sums.asks[b, p] += np.int64((asks >> asked_at) & np.uint64(4095))
                sums.asks_met[b, p] += np.int64((met >> asked_at) & np.uint64(4095))
                sums.monster_held[b, p] += holds
                sums.monster_ate[b, p] += np.int64(eaten != 0)
                sums.points_eaten[b, p] += eaten
                sums.monster_wins[b, p] += holds * np.int64(wins[p, g])
            for b in range(width):
                hand = records.opening[p, start + b]
                features[0, b] = 1
                for i, sort in enumerate((MERFOLK, MEAN, WAVE, SEAWEED, MONSTER)):
                    features[1 + i, b] = np.int32(has(hand, sort))
                # Half of each count, rounded down.
                halves = (hand & ITEMS) >> ONE & np.uint64(7) * FLAGS
                features[6, b] = np.int32(size(halves))
                value = np.int64(HAND_ZERO)
                for i, worth in enumerate(HAND_WORTH):
                    value += worth * np.int64(features[1 + i, b])
                value = min(max(value, np.int64(0)), np.int64(HAND_VALUES - 1))
                sums.hand_values[b, value, 0] += 1
                sums.hand_values[b, value, 1] += np.int64(wins[p, start + b])
            for i in range(FEATURES):
                one = features[i]
                for j in range(i, FEATURES):
                    other = features[j]
                    product = products[i, j]
                    for b in range(width):
                        product[b] += one[b] * other[b]
                share = shares[i]
                for b in range(width):
                    share[b] += one[b] * np.int32(wins[p, start + b])
    for i in range(FEATURES):
        for b in range(BLOCKS):
            sums.opening_wins[b, i] += np.int64(shares[i, b])
            for j in range(FEATURES):
                sums.opening[b, i, j] += np.int64(products[min(i, j), max(i, j), b])
