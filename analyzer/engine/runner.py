"""Running an experiment: tasks out to workers, sums back in the order of the games."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Outcome, Watcher
from analyzer.engine.batch import LANES, Player, play_in_worker, play_one
from analyzer.engine.tally import add
from analyzer.errors import AnalyzerError, UsageError, WorkerLost
from analyzer.experiment import Experiment, Task
from analyzer.results import Checkpoint, HistoryPoint, ResultSet

__all__ = ["BACKENDS", "StoppingRule", "history_points", "replay", "run"]

BACKENDS = ("auto", "threads", "processes", "dask")
FIRST_TASK = 1024
"""Games of the first task. The parent plays it and so compiles what the workers then find."""
SMALL_RUN = 1_500_000
"""Up to so many games starting worker processes costs more than it saves."""
TASK_BATCHES = 4
SAVE_SECONDS = 5.0

Sums = dict[str, NDArray[np.int64]]
Parts = Generator[tuple[Task, Sums], None, None]


class StoppingRule(Protocol):
    """Decides at fixed game counts whether enough games were played."""

    def checkpoints(self, games: int) -> tuple[int, ...]:
        """Game counts, rising, at which to look; at most ``games``."""

    def observe(self, point: Checkpoint) -> bool:
        """Look at the totals so far; True = stop here. Called once a checkpoint, in order."""


def history_points(games: int) -> tuple[int, ...]:
    """Game counts at which headline sums are kept: 1024 times the powers of two."""
    points = []
    point = FIRST_TASK
    while point < games:
        points.append(point)
        point *= 2
    return tuple(points)


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
        if self.games in history_points(self.experiment.games):
            kept = {n: self.sums[n].copy() for n in self.headline if n in self.sums}
            self.history.append(HistoryPoint(self.games, kept))
        if self.stopping is not None and self.games in self.looks:
            point = Checkpoint(self.games, self._totals("wins"), self._totals("wins_sq"))
            self.checkpoints.append(point)
            self.stopped = self.stopping.observe(point)

    def _totals(self, name: str) -> tuple[int, ...]:
        return tuple(int(x) for x in self.sums[name].sum(axis=(0, -1)))


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
        ``auto`` plays small runs in this process, larger ones in worker processes.
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
    player = Player(experiment, lanes)
    looks = stopping.checkpoints(experiment.games) if stopping is not None else ()
    fold = _start(player, resume, stopping, looks)
    size = task_size or max(TASK_BATCHES * player.lanes, player.batch) * experiment.rotations
    stops = tuple(sorted({*history_points(experiment.games), *looks}))
    tasks = experiment.tasks(fold.games, size, stops)
    started = time.monotonic()
    before = resume.seconds if resume is not None else 0.0
    last_saved = started

    def results(stopped: Literal["games", "precision", "interrupted"]) -> ResultSet:
        return ResultSet(
            experiment=experiment,
            games=fold.games,
            sums={name: sums.copy() for name, sums in fold.sums.items()},
            history=tuple(fold.history),
            stopped=stopped,
            seconds=before + time.monotonic() - started,
            score_low=player.score_low,
            checkpoints=tuple(fold.checkpoints),
        )

    if not fold.stopped:
        parts = _play(player, tasks, jobs, backend, scheduler, experiment.games - fold.games)
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
    player: Player,
    resume: ResultSet | None,
    stopping: StoppingRule | None,
    looks: tuple[int, ...],
) -> _Fold:
    """An empty fold, or the one that an interrupted run ended with."""
    experiment = player.experiment
    empty = player.play(Task(0, 0))
    fold = _Fold(experiment, ("games", *player.game.headline), stopping, frozenset(looks), empty)
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


def _play(
    player: Player,
    tasks: Iterator[Task],
    jobs: int,
    backend: str,
    scheduler: str | None,
    games: int,
) -> Parts:
    """Play tasks and yield their sums in order."""
    first = next(tasks, None)
    if first is None:
        return
    yield first, player.play(first)
    compiled = all(strategy.compiled for strategy in player.strategies)
    if backend == "auto":
        small = games <= SMALL_RUN and compiled
        backend = "threads" if small else "processes"
    if jobs == 1 and backend != "dask":
        for task in tasks:
            yield task, player.play(task)
    elif backend == "threads":
        yield from _threads(player, tasks, jobs)
    else:
        yield from _processes(player, tasks, jobs, backend, scheduler)


def _threads(player: Player, tasks: Iterator[Task], jobs: int) -> Parts:
    """Share tasks among threads, each with workspaces of its own."""
    from joblib import Parallel, delayed

    local = threading.local()

    def play(task: Task) -> tuple[Task, Sums | AnalyzerError]:
        if not hasattr(local, "player"):
            local.player = Player(player.experiment, player.lanes)
        try:
            return task, local.player.play(task)
        except AnalyzerError as error:
            return task, error

    parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator")
    yield from _in_order(parallel(delayed(play)(task) for task in tasks))


def _processes(
    player: Player,
    tasks: Iterator[Task],
    jobs: int,
    backend: str,
    scheduler: str | None,
) -> Parts:
    """Share tasks among worker processes, on this machine or a Dask cluster."""
    from joblib import Parallel, delayed, parallel_config

    description = json.dumps(player.experiment.to_json())
    calls = (delayed(_worker)(description, player.lanes, task, os.getpid()) for task in tasks)
    if backend == "dask":
        client = _dask_client(scheduler, jobs)
        with client, parallel_config(backend="dask"):
            yield from _in_order(answer for answer in Parallel()(calls))
        return
    from joblib.externals.loky.process_executor import (
        TerminatedWorkerError,
    )

    parallel = Parallel(n_jobs=jobs, backend="loky", return_as="generator", batch_size=1)
    try:
        yield from _in_order(parallel(calls))
    except TerminatedWorkerError as error:
        raise WorkerLost(
            "a worker process was killed (out of memory, or by hand); what was finished is kept. "
            "Run the same command again, with fewer --jobs if memory is short."
        ) from error


def _in_order(answers: Generator[tuple[Task, Sums | AnalyzerError], None, None]) -> Parts:
    """Yield the sums of one task after the other, up to the first that failed.

    Workers hand failures back as answers: raised in the worker, the quickest one would win.
    """
    try:
        for task, answer in answers:
            if isinstance(answer, AnalyzerError):
                raise answer
            yield task, answer
    finally:
        with warnings.catch_warnings():
            # Stopping early is on purpose; joblib warns of the tasks that it then cancels.
            warnings.simplefilter("ignore", UserWarning)
            answers.close()


def _dask_client(scheduler: str | None, jobs: int) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError(
            "the backend dask needs the package distributed, which is not installed; "
            "install it with: pip install 'analyzer[dask]'."
        ) from error
    if scheduler is not None:
        return Client(scheduler)
    return Client(n_workers=jobs, threads_per_worker=1)


def _worker(
    description: str, lanes: int, task: Task, parent: int
) -> tuple[Task, Sums | AnalyzerError]:
    """Play one task in a worker, which leaves Ctrl-C to its parent."""
    if os.getpid() != parent:
        # Standard output is for the answer alone; what strategies print is none.
        sys.stdout = sys.stderr
    # Dask runs tasks in threads, where signals cannot be set.
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return task, play_in_worker(description, lanes, task)
    except AnalyzerError as error:
        return task, error


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
