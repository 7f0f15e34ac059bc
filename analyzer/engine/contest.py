"""Playing a contest: many tables of strategies, each with all its seatings, on the same chance.

A game number has at each table the seating that it would have if the table were played alone, with
strategies changing seats; so what is won there is the same, whoever plays at other tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN, Outcome
from analyzer.engine.batch import LANES, Player, Sources, games_of
from analyzer.engine.tally import new_tally
from analyzer.errors import StrategyFailed
from analyzer.experiment import BLOCKS, Contest, Experiment, Task
from analyzer.results import LOST, WON
from analyzer.seating import distinct_seatings

Sums = dict[str, NDArray[np.int64]]

MOST_AT_ONCE = 2**20
"""Games of a task, of all tables together: half a minute's work where strategies are slow."""
LEAST_AT_ONCE = 1024
"""Games of a task at each table: with fewer, line-ups of few games take most of the time."""


def no_contest_sums(contest: Contest) -> Sums:
    """All sums at zero, as they are saved.

    Returns
    -------
    dict
        ``games`` (1, 256): game numbers, each of which is played at every table. ``won`` (1,
        entries, 256): what all copies of a strategy won at a table, in 1/60, in the order of
        `Contest.entries`. ``lost`` (1, tables, 256): games there that nobody won.
    """
    shapes = {"games": (), WON: (len(contest.entries),), LOST: (len(contest.tables),)}
    return {name: np.zeros((1, *shape, BLOCKS), np.int64) for name, shape in shapes.items()}


def contest_task_size(contest: Contest) -> int:
    """Games a task: whole periods of the seatings, or a half or so where that is long to wait for.

    Every line-up is a batch of its own, however few games it has.
    """
    tables, size = len(contest.tables), contest.period
    if tables * size <= MOST_AT_ONCE:
        return MOST_AT_ONCE // (tables * size) * size
    while tables * size > MOST_AT_ONCE and size % (2 * BLOCKS) == 0 and size > LEAST_AT_ONCE:
        size //= 2
    return size


class ContestPlayer(Player):
    """Plays tasks of a contest; see `Player`."""

    def __init__(
        self, experiment: Experiment, lanes: int = LANES, sources: Sources | None = None
    ) -> None:
        if not isinstance(experiment, Contest):
            raise TypeError(f"a contest is needed; given {type(experiment).__name__}")
        super().__init__(experiment, lanes, sources)
        self.contest = experiment
        self._lineups = [distinct_seatings(table) for table in experiment.tables]
        self._rows: list[list[tuple[int, str]]] = [[] for _ in experiment.tables]
        for row, entry in enumerate(experiment.entries):
            self._rows[entry.table].append((row, entry.spec))
        self._tally: Any = None
        self._always_end = False
        """Whether the game has shown that all its games have a winner."""

    @property
    def headline(self) -> tuple[str, ...]:
        """Names of the sums that are kept as games accumulate."""
        return ("games",)

    def play(self, task: Task) -> Sums:
        """Play a task and return its sums as they are saved.

        Raises
        ------
        StrategyFailed
            Of all games of the task, the lowest one that fails.
        """
        sums = no_contest_sums(self.contest)
        if not task.count:
            return sums
        played = np.bincount(np.arange(task.first, task.first + task.count) % BLOCKS)
        sums["games"][0, : played.size] = played
        failures = []
        first = 0
        for table, lineups in enumerate(self._lineups):
            if len(lineups) == 1 and self._always_end:
                # Copies of one strategy win every game among them: nothing has to be played.
                ((row, _),) = self._rows[table]
                sums[WON][0, row] = WHOLE_WIN * sums["games"][0]
            else:
                for number, lineup in enumerate(lineups):
                    try:
                        self._play_lineup(task, table, lineup, first + number, sums)
                    except StrategyFailed as failure:
                        failures.append(failure)
            first += len(lineups)
        if failures:
            raise min(failures, key=lambda failure: failure.game)
        return sums

    def _play_lineup(
        self, task: Task, table: int, lineup: tuple[str, ...], number: int, sums: Sums
    ) -> None:
        """Play the games of a task that have a line-up, which is one of those of its table."""
        lineups = self._lineups[table]
        rows = [
            (row, [seat for seat, holder in enumerate(lineup) if holder == spec])
            for row, spec in self._rows[table]
        ]
        for games, _ in games_of(task, lineups.index(lineup), len(lineups)):
            for start in range(0, games.size, self.batch):
                outcome = self._played(games[start : start + self.batch], number)
                block = (outcome.games % np.uint64(BLOCKS)).astype(np.intp)
                for row, seats in rows:
                    won = outcome.wins[seats].sum(axis=0, dtype=np.int64)
                    sums[WON][0, row] += _by_block(won, block)
                if outcome.unfinished is not None:
                    sums[LOST][0, table] += _by_block(outcome.unfinished, block)

    def _played(self, games: NDArray[np.uint64], number: int) -> Outcome:
        """How a batch of one line-up ended; what else its game adds up is of no interest here."""
        if self._tally is None:
            self._tally = new_tally(self.game, self.contest)
        outcome = self.outcome(games, number, self._tally)
        self._always_end = outcome.unfinished is None
        return outcome


def _by_block(values: NDArray[Any], block: NDArray[np.intp]) -> NDArray[np.int64]:
    """(256,) sums of whole numbers by the block of each, exact below 2^53."""
    return np.bincount(block, weights=values, minlength=BLOCKS).astype(np.int64)
