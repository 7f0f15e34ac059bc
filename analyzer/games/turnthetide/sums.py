"""The sums that are kept of games, by what is asked, and how games are added to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BLOCKS, WHOLE_WIN, Rules, Tally
from analyzer.games.turnthetide.rules import CARDS, most_preservers
from analyzer.games.turnthetide.state import Bytes, Masks, SignedBytes
from analyzer.kernels.bits import card_number
from analyzer.kernels.compilation import row_kernel


class Lengths(NamedTuple):
    """How long games are: kept in every run. Each field is a sum, or its shape without blocks.

    What each sum is for is in ``docs/statistics.md``.
    """

    hands: Any
    rounds: Any


class FairnessSums(NamedTuple):
    """How preservers, points and cards go together: kept for ``fairness``."""

    by_count: Any
    pairs: Any
    within: Any
    round_score: Any
    hand_total_sq: Any
    round_total_sq: Any
    table_total_sq: Any
    cards: Any


REPLAYED = "replayed"
"""Kept for ``replay``, by seat: the round score Y' of the same hand played again with all other
chance drawn anew, and Y Y' with Y that of the game itself."""


def shapes(rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
    """Shapes of the sums that ``detail`` asks for, block axis excluded."""
    lengths = Lengths(hands=(), rounds=())
    if detail == "replay":
        return lengths._asdict() | {REPLAYED: (players, 2)}
    if detail != "fairness":
        return lengths._asdict()
    fairness = FairnessSums(
        by_count=(most_preservers(rules) + 1, 7),
        pairs=(5,),
        within=(2,),
        round_score=(players, rules["rounds"]),
        hand_total_sq=(),
        round_total_sq=(),
        table_total_sq=(),
        cards=(CARDS, 2),
    )
    return lengths._asdict() | fairness._asdict()


def asked(tally: Tally) -> tuple[Lengths, FairnessSums | None]:
    """The sums of a tally as kernels take them; None for those of ``fairness`` unless kept."""
    kept = tally.keys() >= set(FairnessSums._fields)
    fairness = FairnessSums(*map(tally.get, FairnessSums._fields)) if kept else None
    return Lengths(tally["hands"], tally["rounds"]), fairness


@row_kernel
def add_round_kernel(
    points: SignedBytes,
    given: SignedBytes,
    printed: Bytes,
    lives: SignedBytes,
    alive: Bytes,
    round_number: int,
    count: int,
    sums: FairnessSums,
) -> None:
    """Add one round of the first ``count`` games to the sums of their blocks.

    It takes rows and no state, as `analyzer.games.turnthetide.tides.tides_kernel` does.
    """
    by_count, within = sums.by_count, sums.within
    round_score, round_total_sq = sums.round_score, sums.round_total_sq
    players = points.shape[0]
    whole = np.int64(WHOLE_WIN)
    for g in range(count):
        block = g & (BLOCKS - 1)
        best = points[0, g]
        for p in range(1, players):
            best = max(best, points[p, g])
        tied = 0
        for p in range(players):
            tied += 1 if points[p, g] == best else 0
        win = whole // tied
        sum_count = np.int64(0)
        sum_points = np.int64(0)
        for p in range(players):
            owner = (p - round_number) % players
            n = np.int64(printed[owner, g])
            y = np.int64(points[p, g])
            is_alive = alive[p, g] != 0
            base = np.int64(lives[p, g]) if is_alive else np.int64(-1)
            cell = by_count[block, n]
            cell[0] += 1
            cell[1] += y
            cell[2] += y * y
            cell[3] += 0 if is_alive else 1
            cell[4] += 1 if y != base else 0
            cell[5] += np.int64(given[owner, g]) - np.int64(lives[p, g])
            cell[6] += win if points[p, g] == best else 0
            sum_count += n
            sum_points += y
            round_score[block, p, round_number] += y
        within[block, 0] += sum_count * sum_count
        within[block, 1] += sum_count * sum_points
        round_total_sq[block] += sum_points * sum_points


@row_kernel
def add_pairs_kernel(sums: FairnessSums) -> None:
    """Sums over player-rounds of 1, L, L^2, Y and L * Y (L preservers, Y points), by count of L."""
    by_count, pairs = sums.by_count, sums.pairs
    blocks, counts, _ = by_count.shape
    pairs[:] = 0
    for block in range(blocks):
        for n in range(counts):
            rounds = by_count[block, n, 0]
            points = by_count[block, n, 1]
            pairs[block, 0] += rounds
            pairs[block, 1] += n * rounds
            pairs[block, 2] += n * n * rounds
            pairs[block, 3] += points
            pairs[block, 4] += n * points


@row_kernel
def add_lengths_kernel(hands: NDArray[np.uint16], rounds: int, sums: Lengths) -> None:
    """Add each game's hands and rounds to its block."""
    hands_sum, rounds_sum = sums.hands, sums.rounds
    for start in range(0, hands.size, BLOCKS):
        size = min(BLOCKS, hands.size - start)
        chunk = hands[start : start + size]
        for b in range(size):
            hands_sum[b] += np.int64(chunk[b])
        for b in range(size):
            rounds_sum[b] += rounds


@row_kernel
def add_replay_kernel(
    points: NDArray[np.int8], again: NDArray[np.int8], seat: int, count: int,
    sums: NDArray[np.int64],
) -> None:  # fmt: skip
    """Add one seat's scores of a round (N,), and those of the replay, to its sums (256, P, 2)."""
    for g in range(count):
        block = g & (BLOCKS - 1)
        y = np.int64(again[g])
        sums[block, seat, 0] += y
        sums[block, seat, 1] += np.int64(points[g]) * y


@row_kernel
def add_games_kernel(by_round: SignedBytes, dealt: Masks, count: int, sums: FairnessSums) -> None:
    """Add the sums that need all rounds of a game: by hand, by table, by card."""
    hand_total_sq, table_total_sq, cards = sums.hand_total_sq, sums.table_total_sq, sums.cards
    rounds, players, _ = by_round.shape
    for g in range(count):
        block = g & (BLOCKS - 1)
        table = np.int64(0)
        for owner in range(players):
            total = np.int64(0)
            for r in range(rounds):
                total += np.int64(by_round[r, (owner + r) % players, g])
            hand_total_sq[block] += total * total
            table += total
            rest = dealt[owner, g]
            while rest != 0:
                card = card_number(rest) - 1
                cards[block, card, 0] += rounds
                cards[block, card, 1] += total
                rest &= rest - np.uint64(1)
        table_total_sq[block] += table * table
