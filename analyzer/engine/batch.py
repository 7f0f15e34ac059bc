"""Playing one task: its games in batches, each of one seating, and their sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BoundStrategy, Game, Outcome, Tally, Watcher
from analyzer.engine.record import add_to_record, recorded_games
from analyzer.engine.seat import SeatedStrategy
from analyzer.engine.tally import (
    add_outcome,
    add_seating,
    add_shared_wins,
    new_tally,
    no_sums,
)
from analyzer.engine.watch import Pulse
from analyzer.errors import SourcesDiffer, StrategyFailed
from analyzer.experiment import BLOCKS, Experiment, Task
from analyzer.plugins import find_game, program_hash
from analyzer.results import RECORD
from analyzer.seating import blocks_offset, seating_number
from analyzer.specs import bind

Sources = tuple[tuple[str, str], ...]
"""What plays and what state its source is in: the game and each strategy's spec, with hashes."""

LANES = 31 * BLOCKS
"""Games side by side: enough to hide the cost of calls, few enough to stay in the second-level
cache, and no power of two, so that rows do not compete for the same cache sets."""
FEWER_LANES = (BLOCKS, 8 * BLOCKS)
"""The same in workspaces for short tasks. For each size calls are laid out anew."""

MOST_LOOKED_AT = 2**18
"""Games of a task in which one of them is looked for: it may well be among the first."""


class Player:
    """Plays tasks of one experiment, keeping its workspaces from task to task.

    Parameters
    ----------
    experiment
        What to play.
    lanes
        Games side by side.
    sources
        Those of the player whose work is shared, or None for the first one.

    Raises
    ------
    SourcesDiffer
        If something has other sources here: the games would be played in two ways.
    """

    def __init__(
        self, experiment: Experiment, lanes: int = LANES, sources: Sources | None = None
    ) -> None:
        self.experiment = experiment
        self.lanes = max(BLOCKS, lanes // BLOCKS * BLOCKS)
        self.game: Game = find_game(experiment.game)
        self.score_low = self.game.score_range(experiment.rules, experiment.players)[0]
        bound = {
            spec: bind(self.game.name, spec, experiment.rules, experiment.players)
            for spec in experiment.specs
        }
        self.sources: Sources = (
            (self.game.name, program_hash(self.game.name)),
            *((spec, bound[spec].source_hash) for spec in bound),
        )
        if sources is not None and sources != self.sources:
            changed = next(theirs for theirs in sources if theirs not in self.sources)[0]
            raise SourcesDiffer(
                f"{changed!r} is not the same for all workers: a file was changed while it was "
                "playing, or is another one on another machine. Run the same command again."
            )
        self.pulse = Pulse([strategy.spec for strategy in bound.values()])
        # One for all seatings in which it has this seat: games lay out calls for each only once.
        seated = {
            (seat, spec): SeatedStrategy(bound[spec], self.pulse)
            for seating in experiment.seatings
            for seat, spec in enumerate(seating)
        }
        self.seatings: list[list[SeatedStrategy]] = [
            [seated[seat, spec] for seat, spec in enumerate(seating)]
            for seating in experiment.seatings
        ]
        self.batch = self.lanes * self.game.games_per_lane
        self.tables: dict[int, Any] = {}
        self._numbers: NDArray[np.uint64] = np.zeros(0, np.uint64)

    @property
    def strategies(self) -> list[BoundStrategy]:
        """Every strategy that plays, bound, once."""
        every = {s.strategy.spec: s.strategy for seating in self.seatings for s in seating}
        return list(every.values())

    @property
    def headline(self) -> tuple[str, ...]:
        """Names of the sums that are kept as games accumulate."""
        return ("games", *self.game.headline)

    def _table(self, games: int) -> Any:
        """A workspace fit for so many games, of few sizes, each made once."""
        fitting = (size for size in FEWER_LANES if games <= size < self.lanes)
        lanes = next(fitting, self.lanes)
        if lanes not in self.tables:
            self.tables[lanes] = self._new_table(lanes)
        return self.tables[lanes]

    def _new_table(self, lanes: int) -> Any:
        return self.game.table(self.experiment.rules, self.experiment.players, lanes)

    def play(self, task: Task) -> dict[str, NDArray[np.int64]]:
        """Play a task and return its sums as they are saved.

        Either all of its games are among those that are written down one by one, or none: then the
        sums are without the `RECORD`.

        Raises
        ------
        StrategyFailed
            Of all games of the task, the lowest one that fails.
        """
        is_recorded = task.first + task.count <= recorded_games(self.experiment)
        sums = no_sums(self.game, self.experiment, record=is_recorded)
        record = sums.get(RECORD)
        failures = []
        for number, seating in enumerate(self.experiment.seatings):
            try:
                for games, blocks in self._games_of(task, number):
                    tally = new_tally(self.game, self.experiment)
                    for start in range(0, games.size, self.batch):
                        batch = games[start : start + self.batch]
                        self._play_batch(batch, number, tally, record)
                    add_seating(self.game, self.experiment, seating, blocks, tally, sums)
            except StrategyFailed as failure:
                failures.append(failure)
        if failures:
            raise min(failures, key=lambda failure: failure.game)
        return sums

    def outcomes(self, task: Task) -> Iterator[Outcome]:
        """How each game of a task ended, batch after batch, for whoever looks for one of them.

        An outcome holds until the next one is asked for. The games of a batch come in the order in
        which they ended, and batches of one seating after those of another.

        Raises
        ------
        StrategyFailed
            If a game fails.
        """
        for number in range(len(self.seatings)):
            for games, _ in self._games_of(task, number):
                for start in range(0, games.size, self.batch):
                    some = games[start : start + self.batch]
                    yield self._outcome(some, number, new_tally(self.game, self.experiment))

    def _games_of(
        self, task: Task, number: int
    ) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.intp] | None]]:
        """Numbers of the task's games that have a seating, and the blocks of their columns.

        Where nobody moves, column g belongs to block g mod 256 if the blocks are None; the few
        games before the first round of the blocks come with theirs.
        """
        if self.experiment.rotate:
            yield from games_of(task, number, len(self.seatings))
            return
        first, end = task.first, task.first + task.count
        whole = min(end, -(-first // BLOCKS) * BLOCKS)
        if first < whole:
            before = np.arange(first, whole)
            yield before.astype(np.uint64), before % BLOCKS
        if whole < end:
            yield self._consecutive(Task(whole, end - whole)), None

    def _consecutive(self, task: Task) -> NDArray[np.uint64]:
        """All numbers of the task's games, valid until asked again."""
        if self._numbers.size < task.count:
            self._numbers = np.arange(task.count, dtype=np.uint64)
        # Shifted in place: a new array of this size costs more time than some games do.
        self._numbers += np.uint64(task.first) - self._numbers[:1]
        return self._numbers[: task.count]

    def _outcome(
        self,
        games: NDArray[np.uint64],
        number: int,
        tally: Tally,
        record: NDArray[np.int64] | None = None,
    ) -> Outcome:
        seats = self.seatings[number]
        for seat in seats:
            seat.games = games
        self.pulse.beat()
        self.pulse.first = int(games.min()) if games.size else 0
        table = self._table(games.size)
        follow = None if record is None else getattr(self.game, "follow", None)
        play = follow or self.game.play
        try:
            outcome: Outcome = play(table, self.experiment.seed, games, seats, tally)
        finally:
            self.pulse.rest()
        return outcome

    def outcome(
        self,
        games: NDArray[np.uint64],
        number: int,
        tally: Tally,
        record: NDArray[np.int64] | None = None,
    ) -> Outcome:
        """Play a batch of one seating; its outcome holds until the next one is asked for.

        Raises
        ------
        StrategyFailed
            Of these games, the lowest one that fails.
        """
        try:
            return self._outcome(games, number, tally, record)
        except StrategyFailed as failure:
            # Games fail at different moments; the lowest one is named, whatever the batch.
            before = np.compress(games < np.uint64(failure.game), games)
            if before.size:
                self.outcome(before, number, new_tally(self.game, self.experiment))
            raise

    def _play_batch(
        self,
        games: NDArray[np.uint64],
        number: int,
        tally: Tally,
        record: NDArray[np.int64] | None = None,
    ) -> None:
        outcome = self.outcome(games, number, tally, record)
        add_outcome(outcome, self.score_low, tally, self.game.name)
        if record is not None:
            add_to_record(outcome, record, self.game.name)
        if self.experiment.rotate:
            seating = self.experiment.seatings[number]
            copies = [
                [seat for seat, spec in enumerate(seating) if spec == holder]
                for holder in self.experiment.holders
            ]
            add_shared_wins(outcome, copies, tally)


def games_of(
    task: Task, number: int, seatings: int
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.intp] | None]]:
    """Numbers of a task's games that have one of several seatings, and their columns' blocks.

    Column g belongs to block g mod 256 where the blocks are None: there the games fill whole
    periods, in each of which a seating has one game in every block. Before the first and after the
    last whole period the blocks of the few columns are given.
    """
    first, end, period = task.first, task.first + task.count, BLOCKS * seatings
    offsets = np.array(blocks_offset(number, seatings), np.int64)
    whole_from = min(end, -(-first // period) * period)
    whole_to = max(whole_from, end // period * period)

    def some(start: int, stop: int) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.intp]]]:
        games = start // period * period + offsets
        blocks = np.flatnonzero((games >= start) & (games < stop))
        if blocks.size:
            yield games[blocks].astype(np.uint64), blocks

    yield from some(first, whole_from)
    if whole_from < whole_to:
        starts = np.arange(whole_from, whole_to, period)
        yield (starts[:, None] + offsets).reshape(-1).astype(np.uint64), None
    yield from some(whole_to, end)


def first_game(
    experiment: Experiment, first: int, holds: Callable[[Outcome], NDArray[np.bool_]]
) -> int | None:
    """The lowest number of a game that ends in a certain way.

    Parameters
    ----------
    experiment
        Whose games are looked through.
    first
        Where to begin.
    holds
        Tells of each column of an outcome, of shape ``(games,)``, whether it is such a game.

    Returns
    -------
    int or None
        None if none of the experiment's games from the first one on is.
    """
    player = Player(experiment)
    count = BLOCKS
    while first < experiment.games:
        count = min(count, experiment.games - first)
        found = [
            int(outcome.games[columns].min())
            for outcome in player.outcomes(Task(first, count))
            if (columns := holds(outcome)).any()
        ]
        if found:
            return min(found)
        first += count
        count = min(2 * count, MOST_LOOKED_AT)
    return None


def play_one(experiment: Experiment, game: int, watch: Watcher) -> Outcome:
    """Replay one game of an experiment, telling ``watch`` each event."""
    player = Player(experiment, BLOCKS)
    number = seating_number(game, len(player.seatings))
    tally = new_tally(player.game, experiment)
    numbers = np.array([game], np.uint64)
    seats = player.seatings[number]
    for seat in seats:
        seat.games = numbers
    return player.game.play(
        player.game.table(experiment.rules, experiment.players, 1),
        experiment.seed,
        numbers,
        seats,
        tally,
        watch,
    )
