"""How games of Switch 16 ended, read from the records of a batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN, Outcome
from analyzer.games.switch16.deal import MOVER_SHIFT, TOP_BITS, WON_SHIFT
from analyzer.games.switch16.state import TILE, Bytes, Halves, Queue, Words
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.narrow import both, right
from analyzer.kernels.outcomes import share_wins
from analyzer.kernels.rows import rows


class Results(NamedTuple):
    """Room for the outcomes of a batch of up to M games, as in `analyzer.contracts.Outcome`.

    Attributes
    ----------
    wins
        (P, M) uint8.
    scores
        (P, M) int16.
    unfinished
        (M,) uint8.
    """

    wins: Bytes
    scores: NDArray[np.int16]
    unfinished: Bytes

    @classmethod
    def of(cls, players: int, games: int) -> Results:
        """Room for so many games."""
        return cls(
            rows((players, games), np.uint8),
            rows((players, games), np.int16),
            rows(games, np.uint8),
        )


def outcome_of(games: Words, queue: Queue, results: Results) -> Outcome:
    """How the games of a batch ended: winner and every seat's top card - 1, or match points."""
    players, count = results.wins.shape[0], games.size
    _outcome_kernel(queue.records, players, *results)
    wins, scores = results.wins[:, :count], results.scores[:, :count]
    unfinished = results.unfinished[:count]
    if queue.totals.size:
        scores[:] = queue.totals[:, :count]
        share_wins(scores, wins)
        wins[:, unfinished != 0] = 0
    return Outcome(games, wins, scores, unfinished)


@row_kernel
def _outcome_kernel(
    records: Halves, players: int, wins: Bytes, scores: NDArray[np.int16], unfinished: Bytes
) -> None:
    """Read the records of single games: the winner, every seat's top card - 1."""
    for start in range(0, records.size, TILE):
        end = min(start + TILE, records.size)
        for seat in range(players):
            _read_seat(
                records[start:end], seat, players, wins[seat, start:end], scores[seat, start:end]
            )
        _read_unfinished(records[start:end], unfinished[start:end])


@row_kernel
def _read_seat(
    records: Halves, seat: int, players: int, wins: Bytes, scores: NDArray[np.int16]
) -> None:
    here = np.uint32(seat)
    all_round = np.uint32(players)
    for g in range(records.size):
        record = records[g]
        mover = both(right(record, np.uint32(MOVER_SHIFT)), np.uint32(3))
        row = np.uint32(here - mover)
        row = np.uint32(row + all_round) if here < mover else row
        won = right(record, np.uint32(WON_SHIFT)) != 0
        # Top cards take five bits each.
        top = both(right(record, np.uint32(row * np.uint32(TOP_BITS))), np.uint32(31))
        scores[g] = np.int16(top - np.uint32(1))
        wins[g] = np.uint8(WHOLE_WIN) if won & (row == 0) else np.uint8(0)


@row_kernel
def _read_unfinished(records: Halves, unfinished: Bytes) -> None:
    for g in range(records.size):
        unfinished[g] = np.uint8(1) - np.uint8(records[g] >> np.uint32(WON_SHIFT))
