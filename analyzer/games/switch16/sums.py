"""The sums that Switch 16 keeps of its games, by what a run is for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analyzer.contracts import Metric, Tally
from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.state import BLOCKS, Bytes, Longs, State
from analyzer.kernels.compilation import row_kernel

COUNTED = (
    "risks", "busts", "green_swaps", "red_swaps", "blocks_laid", "deals", "turns", "first_wins",
    "won_on_foreign_deck",
)  # fmt: skip
"""What is counted in the lanes, in the order of its rows there; the last one not in every run."""
COUNT_LIMIT = 255
"""Steps after which the counts in the lanes, one a step at most, must be added up: they are bytes.
"""
MOST_TURNS = 160
"""Turns that are told apart; the last stands for all that are later."""
MOST_BUSTS = 5
"""Busts of a player in a deal that are told apart; the last stands for all above."""

METRICS = (
    Metric("turns_per_game", "turns", "deals", "turns a deal lasts"),
    Metric(
        "first_player_win_share",
        "first_wins",
        "deals",
        "share won by the player who began",
        kind="share",
    ),
    Metric("risks_per_game", "risks", "deals", "decisions to throw again"),
    Metric("busts_per_game", "busts", "deals", "risks that cleared nothing"),
    Metric("green_swaps_per_game", "green_swaps", "deals", "decks swapped on green"),
    Metric("red_swaps_per_game", "red_swaps", "deals", "decks swapped on red"),
    Metric("blocks_laid_per_game", "blocks_laid", "deals", "times the disc was laid on a deck"),
    Metric(
        "deals_per_match",
        "deals",
        "games",
        "deals until a match was won",
        "match_points",
        part="deal",
        whole="match",
    ),
)


class CourseSums(NamedTuple):
    """Sums of the detail ``"story"``, for a report that tells more than every run keeps.

    Attributes
    ----------
    by_turn
        (256, MOST_TURNS, 4); row t: deals won in turn t + 1; deals with a turn t + 1 that were won
        later or then; those of them in which one deck alone was ahead when the turn began; those in
        which the player who had it won.
    by_busts
        (256, MOST_BUSTS + 1, 2): players who went bust so often in a won deal, and how many of them
        won.
    cards_gone
        (256,) cards discarded.
    cards_lost
        (256,) cards put back by busts.
    """

    by_turn: Longs
    by_busts: Longs
    cards_gone: Longs
    cards_lost: Longs


COURSE_SHAPES: dict[str, tuple[int, ...]] = {
    "by_turn": (MOST_TURNS, 4),
    "by_busts": (MOST_BUSTS + 1, 2),
    "cards_gone": (),
    "cards_lost": (),
}


class Sums(NamedTuple):
    """The game's own sums of a run.

    Attributes
    ----------
    counted
        (256,) int64 for each of the first of `COUNTED`, as many as the run's detail asks for.
    course
        Those of the detail ``"story"``, or None.
    """

    counted: tuple[Longs, ...]
    course: CourseSums | None

    @property
    def follow_origins(self) -> bool:
        """Whether it has to be known in whose seat each deck began."""
        return len(self.counted) > at.FOREIGN_WINS

    def add(self, counts: Longs) -> None:
        """Add (counted, 256) counts of a batch, one row for each of `COUNTED`."""
        for total, row in zip(self.counted, counts, strict=False):
            np.add(total, row, out=total)


def shapes_of(detail: str) -> dict[str, tuple[int, ...]]:
    """What a run of this detail adds up: shapes by name, blocks excluded."""
    counted = COUNTED[: at.FOREIGN_WINS] if detail == "simulate" else COUNTED
    return dict.fromkeys(counted, ()) | (COURSE_SHAPES if detail == "story" else {})


def sums_in(tally: Tally) -> Sums:
    """The game's own sums among all that are counted."""
    counted = tuple(tally[name] for name in COUNTED if name in tally)
    course = None
    if "by_turn" in tally:
        course = CourseSums(*(tally[name] for name in CourseSums._fields))
    return Sums(counted, course)


@row_kernel
def add_counts_kernel(lanes: int, state: State, counts: Longs) -> None:
    """Add what was counted in the lanes to the counts of their blocks, and begin again from 0."""
    for k in range(counts.shape[0]):
        for start in range(0, lanes, BLOCKS):
            _add_counts(state.rows[at.COUNTS + k, start : start + BLOCKS], counts[k])


@row_kernel
def _add_counts(row: Bytes, counts: Longs) -> None:
    for block in range(row.size):
        counts[block] += np.int64(row[block])
        row[block] = 0
