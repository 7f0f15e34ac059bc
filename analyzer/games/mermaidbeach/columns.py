"""Columns copied together from few lanes, to ask one group of seats for one decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.asking import AskedGames, PolicyGroup, question
from analyzer.games.mermaidbeach.knowledge import Memory, WholeTable, show_table
from analyzer.games.mermaidbeach.state import (
    LAST_MOVER,
    Asked,
    Bytes,
    Counts,
    Lists,
    Passes,
    Piles,
    Shown,
    State,
    Turn,
    view_of,
)
from analyzer.kernels.calls import Program, prepared
from analyzer.kernels.rows import CACHE_LINE, rows

FEWEST_COLUMNS = 4 * CACHE_LINE


class GamesInLanes(Protocol):
    """What asking, and saying what was illegal, need to know of the lanes; see `lanes.Lanes`."""

    players: int
    groups: list[PolicyGroup]
    state: State
    now: Turn
    asked: Asked
    shown: Shown
    passes: Passes
    lists: Lists
    memory: Memory
    most: Counts
    aims_by_group: list[Columns]
    passes_by_seat: list[Columns]

    def game_of(self, lane: int) -> int:
        """Number of the game in a lane."""

    def moment(self, lane: int, seat: int | None = None, *, counted: bool) -> str:
        """Where the game in a lane is."""


def _least(width: int) -> int:
    """For how few lanes so many columns are not yet a waste."""
    return (width - CACHE_LINE) // 2 if width > FEWEST_COLUMNS else 0


class Columns:
    """Columns in which a group is asked about the lanes of a list.

    Their number differs from turn to turn; a view, made once, serves for all numbers a little
    smaller than its width.

    Parameters
    ----------
    lanes
        Where the games are.
    group, decision
        Who is asked, and what for.
    listed
        Number of the list.
    sitting
        Seat that is asked, or `LAST_MOVER`.
    active, words, answers
        Rows, as long as the list may be.
    shown
        Arrays of the view, given how many columns there are.
    """

    def __init__(
        self,
        lanes: GamesInLanes,
        group: PolicyGroup,
        decision: str,
        listed: int,
        sitting: int,
        *,
        active: Bytes,
        words: Piles,
        answers: Bytes,
        shown: Callable[[int], dict[str, NDArray[Any]]],
    ) -> None:
        self.lanes = lanes
        self.group = group
        self.decision = decision
        self.listed = listed
        self.sitting = sitting
        self.active = active
        self.words = words
        self.answers = answers
        self.shown = shown
        self.calls: dict[int, Program] = {}
        self.ask = Program([])
        self.fewest = self.most = 0

    @property
    def asked(self) -> bool:
        """Whether columns are asked, as of the last `Lanes.fit_columns`."""
        return bool(self.lanes.most[self.listed])

    @property
    def number(self) -> int:
        """How many lanes are in the list now."""
        return int(self.lanes.lists.counts[self.listed])

    def lane(self, column: int) -> int:
        """The lane that a column was copied from."""
        return int(self.lanes.lists.lanes[self.listed, column])

    def fit(self, number: int) -> None:
        """Let `ask` be fit for so many lanes, and for `fewest` to `most` of them."""
        width = next((w for w in self.calls if _least(w) <= number <= w), 0)
        if width == 0:
            width = -(-(number + number // 8) // CACHE_LINE) * CACHE_LINE
            width = min(max(width, FEWEST_COLUMNS), self.active.size)
            self.calls[width] = self._call(width)
        self.ask = self.calls[width]
        self.fewest, self.most = max(1, _least(width)), width
        self.lanes.lists.widths[self.listed] = width

    def game(self, column: int) -> int:
        """Number of the game in a column."""
        return self.lanes.game_of(self.lane(column))

    def moment(self, column: int) -> str:
        """Turn and seat of the decision in a column."""
        seat = None if self.sitting == LAST_MOVER else self.sitting
        return self.lanes.moment(self.lane(column), seat, counted=True)

    def _call(self, width: int) -> Program:
        """Ask what is to be seen in so many columns."""
        lanes, seat = self.lanes, self.group.seat
        arrays = {"active": self.active[:width]} | self.shown(width)
        filling = []
        if "table" in seat.strategy.sees:
            table = WholeTable(
                rows(width, np.uint8),
                rows(width, np.uint64),
                rows((4 * lanes.players + 2, width), np.uint64),
                rows((lanes.players + 2, width), np.uint8),
                rows(width, np.uint16),
            )
            listed = lanes.lists.lanes[self.listed, :width]
            parts = listed, self.sitting, lanes.state, lanes.memory, table
            filling = [prepared(show_table, *parts)]
            arrays |= table.shown(lanes.players, seat.strategy.sees)
        games = AskedGames(
            lambda: self.number, self.game, lambda column, decision: self.moment(column)
        )
        view, words = view_of(lanes.players, arrays), self.words[:width]
        ask = question(seat, self.decision, view, words, self.answers[:width], games)
        return Program([*filling, ask])
