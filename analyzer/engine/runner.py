"""Running an experiment: tasks out to workers, sums back in the order of the games."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from analyzer.contracts import Outcome, Watcher
from analyzer.engine.batch import LANES, Player, first_game, play_one
from analyzer.engine.players import player_of
from analyzer.engine.record import most_recorded, recorded_games
from analyzer.engine.tally import add
from analyzer.engine.workers import BACKENDS, Sums, play_tasks
from analyzer.errors import AnalyzerError, UsageError, WorkerLost
from analyzer.experiment import BLOCKS, Experiment, Task
from analyzer.kernels.compilation import compiling_seconds
from analyzer.results import Checkpoint, HistoryPoint, ResultSet, checkpoint

__all__ = ["BACKENDS", "StoppingRule", "first_game", "history_points", "replay", "run"]

FIRST_TASK = 1024
"""Games of the first task: few, since it is played before any workers start."""
TASK_BATCHES = 4
MOST_GAMES = 4_000_000
"""Games of a task in which strategies change seats."""
SAVE_SECONDS = 5.0


class StoppingRule(Protocol):
    """Decides at fixed game counts whether enough games were played."""

    def checkpoints(self, games: int) -> tuple[int, ...]:
        """Game counts, rising, at which to look; at most ``games``."""

    def observe(self, point: Checkpoint) -> bool:
        """Look at the totals so far; True = stop here. Called once a checkpoint, in order."""


def history_points(experiment: Experiment) -> tuple[int, ...]:
    """Game counts at which headline sums are kept: 1024 times the powers of two.

    Where strategies change seats, large ones are whole periods of the seatings, which are played in
    the fewest batches. Each seating is a batch of its own, however small: so where there are many
    seatings none is kept from the first one to the end of the games that are followed.
    """
    period = experiment.period
    followed = most_recorded(period)
    few = period > 2 * FIRST_TASK
    points, at = [], FIRST_TASK
    while at < experiment.games:
        points.append(at)
        if at < followed:
            at = followed if few else min(2 * at, followed)
        else:
            at = -(-2 * at // period) * period
    return tuple(points)


def _usual_task_size(player: Player) -> int:
    """Games a task: for each seating as many as fill some batches, but no more than `MOST_GAMES`.

    Whole periods of the seatings, if there are several.
    """
    period = player.experiment.period
    filling = max(TASK_BATCHES * player.lanes, player.batch) // BLOCKS * period
    if len(player.seatings) == 1:
        return filling
    return max(1, min(filling, MOST_GAMES) // period) * period


@dataclass
class _Fold:
    """The prefix of games that is finished, and what was kept on the way."""

    experiment: Experiment
    headline: tuple[str, ...]
    stopping: StoppingRule | None
    looks: frozenset[int]
    sums: Sums
    games: int = 0
    history: list[HistoryPoint] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    stopped: bool = False

    def take(self, task: Task, part: Sums) -> None:
        """Add the next task, which continues the prefix."""
        add(self.sums, part)
        self.games = task.first + task.count
        if self.games in history_points(self.experiment):
            kept = {n: self.sums[n].copy() for n in self.headline if n in self.sums}
            self.history.append(HistoryPoint(self.games, kept))
        if self.stopping is not None and self.games in self.looks:
            point = checkpoint(self.games, self.sums)
            self.checkpoints.append(point)
            self.stopped = self.stopping.observe(point)


def run(
    experiment: Experiment,
    *,
    jobs: int = 1,
    backend: str = "auto",
    scheduler: str | None = None,
    task_size: int | None = None,
    lanes: int = LANES,
    resume: ResultSet | None = None,
    stopping: StoppingRule | None = None,
    progress: Callable[[int], None] | None = None,
    save: Callable[[ResultSet], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> ResultSet:
    """Play an experiment, or what is left of it.

    Every sum depends on the experiment alone: not on ``jobs``, ``backend``, ``task_size``,
    ``lanes`` or where they were interrupted before.

    Parameters
    ----------
    experiment
        What to play.
    jobs
        Workers.
    backend
        ``auto`` plays short runs in this process, longer ones in worker processes too.
    scheduler
        Address of a Dask scheduler, for the backend ``dask``.
    task_size
        Games a task; a multiple of 256.
    lanes
        Games side by side in a batch; a multiple of 256.
    resume
        Results of the same experiment, interrupted.
    stopping
        Looks at the totals at its checkpoints and may end the run there.
    progress
        Called with the number of games finished so far.
    save
        Called with the results so far every few seconds.
    cancelled
        Asked between tasks; when it answers True the run ends as interrupted.

    Raises
    ------
    StrategyFailed
        A strategy broke; the failure of the lowest game number is reported.
    PluginError
        A compiled strategy does not compile.
    WorkerLost
        A worker process died.
    """
    if backend not in BACKENDS:
        raise UsageError(f"backend must be one of {', '.join(BACKENDS)}; given {backend!r}.")
    player = player_of(experiment, lanes)
    looks = stopping.checkpoints(experiment.games) if stopping is not None else ()
    fold = _start(player, resume, stopping, looks)
    size = task_size or _usual_task_size(player)
    stops = tuple(sorted({*history_points(experiment), *looks, recorded_games(experiment)}))
    tasks = experiment.tasks(fold.games, size, stops)
    started, compiled = time.monotonic(), compiling_seconds()
    before = resume.seconds if resume is not None else 0.0
    last_saved = started

    def results(stopped: Literal["games", "precision", "interrupted"]) -> ResultSet:
        played = time.monotonic() - started - (compiling_seconds() - compiled)
        return ResultSet(
            experiment=experiment,
            games=fold.games,
            sums={name: sums.copy() for name, sums in fold.sums.items()},
            history=tuple(fold.history),
            stopped=stopped,
            # Compiling is done once, and says nothing of how fast games are played.
            seconds=before + max(0.0, played),
            score_low=player.score_low,
            checkpoints=tuple(fold.checkpoints),
        )

    if not fold.stopped:
        parts = play_tasks(player, tasks, jobs, backend, scheduler, experiment.games - fold.games)
        try:
            for task, part in parts:
                fold.take(task, part)
                if progress is not None:
                    progress(fold.games)
                if fold.stopped:
                    break
                if cancelled is not None and cancelled() and fold.games < experiment.games:
                    return results("interrupted")
                if save is not None and time.monotonic() - last_saved > SAVE_SECONDS:
                    save(results("interrupted"))
                    last_saved = time.monotonic()
        except WorkerLost:
            if cancelled is not None and cancelled():
                return results("interrupted")
            if save is not None:
                save(results("interrupted"))
            raise
        except AnalyzerError:
            if save is not None and fold.games:
                save(results("interrupted"))
            raise
        finally:
            parts.close()
    return results("precision" if fold.stopped else "games")


def _start(
    player: Player, resume: ResultSet | None, stopping: StoppingRule | None, looks: tuple[int, ...]
) -> _Fold:
    """An empty fold, or the one that an interrupted run ended with."""
    experiment = player.experiment
    empty = player.play(Task(0, 0))
    fold = _Fold(experiment, player.headline, stopping, frozenset(looks), empty)
    if resume is not None:
        if resume.experiment != experiment:
            raise UsageError("the saved results belong to another experiment; nothing was played.")
        fold.sums = {name: sums.copy() for name, sums in resume.sums.items()}
        fold.games = resume.games
        fold.history = list(resume.history)
        if stopping is not None:
            for point in resume.checkpoints:
                fold.checkpoints.append(point)
                fold.stopped = stopping.observe(point)
    return fold


def replay(experiment: Experiment, game: int, watch: Watcher) -> Outcome:
    """Play one game of an experiment again, telling ``watch`` each event.

    Raises
    ------
    UsageError
        If the experiment has no such game.
    """
    if not 0 <= game < experiment.games:
        raise UsageError(
            f"game {game} is not one of this run's: it has games 0 to {experiment.games - 1}."
        )
    return play_one(experiment, game, watch)
