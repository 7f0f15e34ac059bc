"""Tasks shared out among workers: this process, threads, processes, machines of a cluster."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterator
from concurrent import futures
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.batch import Player, Sources
from analyzer.engine.players import play_in_worker, player_of
from analyzer.engine.watch import Lookout, looks_every, not_back
from analyzer.errors import (
    AnalyzerError,
    AnalyzerWarning,
    StrategyStuck,
    UsageError,
    WorkerLost,
)
from analyzer.experiment import Task
from analyzer.kernels.compilation import compiling_seconds, worker_environment

BACKENDS = ("auto", "threads", "processes", "dask")
SHORT_RUN = 1.5
"""With fewer seconds left to play no worker processes are started, which takes one second."""
TRIAL = 0.05
"""Seconds of play after which it is known how long the rest will take."""
AHEAD = 2
"""Tasks given to a worker process before it has answered the first of them."""
PATIENCE = 1.0
"""Seconds that workers have to finish their tasks when a run is stopped."""

TASK_SECONDS = 1.0
"""What a task should take: long enough to be worth handing out, short enough to be waited for."""
MOST_TASK_SECONDS = 5.0
"""The same where a task is many batches, one a seating, most lanes of which are idle at its end: so
that a task of 24 is not made so small, once the machine is busy, that it consists of ends."""
LEAST = 4
"""Games of a task, however slow: alone, a game takes half as long again as beside others."""
GROWTH = 8
"""How many times as large as the one before a task may be: small ones tell a pace that is too low,
and first ones may tell any."""

MOST_LOSSES = 3
"""How often the same games are given to workers that die with them."""
MOST_PER_CORE = 2
"""Workers for each core; more of them only take memory."""
LOOK_FOR_PARENT = 1.0
"""Seconds between two looks of a worker for the process that it works for."""
PR_SET_PDEATHSIG = 1
"""Number by which Linux knows the wish to be sent a signal when the parent dies."""

MOST_WAITING = 16
"""Tasks for each worker, finished or not, behind one that is still being played.

Sums are yielded in the order of the tasks, so those of later ones are kept until then.
"""

SAFE_PATH = "PYTHONSAFEPATH"
"""Keeps a Python that is started from looking for modules in the current folder first."""

Sums = dict[str, NDArray[np.int64]]
Parts = Generator[tuple[Task, Sums], None, None]
Answer = tuple[Task, Sums | AnalyzerError, float]
"""A task, its sums or why there are none, and the seconds that it took apart from compiling."""
Patience = tuple[float, str] | None
"""For how many seconds a strategy is waited for, and the folder for reports of who took more."""


def cores() -> int:
    """Processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def most_workers() -> int:
    """How many workers are started at most, however many are asked for."""
    return MOST_PER_CORE * cores()


class Pace:
    """How many games the next task should have, by how long those before took.

    Parameters
    ----------
    first
        Games of the first task.
    most
        Games of any task at most.
    seatings
        Batches that a task is made of.
    """

    def __init__(self, first: int, most: int, seatings: int = 1) -> None:
        self._size: float = min(first, most)
        self._most = most
        self._seconds = min(MOST_TASK_SECONDS, TASK_SECONDS * seatings**0.5)

    def size(self) -> int:
        """Games of the next task."""
        return max(LEAST, int(self._size))

    def observe(self, task: Task, seconds: float) -> None:
        """A task took so long."""
        wanted = self._seconds * task.count / max(seconds, 1e-9)
        self._size = min(wanted, GROWTH * self._size, self._most)


def play_tasks(
    player: Player,
    tasks: Iterator[Task],
    jobs: int,
    backend: str,
    scheduler: str | None,
    games: int,
    pace: Pace,
    timeout: float | None = None,
) -> Parts:
    """Play tasks and yield their sums in order.

    Parameters
    ----------
    player
        Plays the first task, and so compiles what the workers then find in the cache.
    tasks
        What to play; asked for as workers get round to it.
    jobs
        Workers, this process among them.
    backend
        One of `BACKENDS`.
    scheduler
        Address of a Dask scheduler, for the backend ``dask``.
    games
        How many games all tasks have.
    pace
        Is told how long tasks take.
    timeout
        For how many seconds worker processes wait for a strategy.

    Raises
    ------
    StrategyFailed
        A strategy broke; that of the first task in which one did.
    StrategyStuck
        A strategy did not come back in a worker process.
    PluginError
        A compiled strategy does not compile.
    WorkerLost
        Worker processes died again and again with the same games.
    """
    first = next(tasks, None)
    if first is None:
        return
    _, sums, spent = _timed(player, first, pace)
    yield first, sums
    if backend != "dask":
        jobs = min(jobs, most_workers())
    if jobs > 1 and backend in ("auto", "processes") and multiprocessing.current_process().daemon:
        warnings.warn(
            "this is a process of a multiprocessing.Pool, which may not start others: it plays "
            "with threads instead",
            AnalyzerWarning,
            stacklevel=2,
        )
        backend = "threads"
    if backend == "auto" and spent < SHORT_RUN:  # what takes so long at once needs no trial
        left = games - first.count
        spent = 0.0
        played = 0
        while jobs > 1 and spent < TRIAL and (task := next(tasks, None)) is not None:
            _, sums, seconds = _timed(player, task, pace)
            spent += seconds
            played += task.count
            yield task, sums
        if jobs > 1 and spent * (left - played) <= SHORT_RUN * played:
            jobs = 1
    if backend == "dask":
        yield from _dask(player, tasks, jobs, scheduler, pace)
    elif jobs == 1:
        for task in tasks:
            yield _timed(player, task, pace)[:2]
    elif backend == "threads":
        yield from _threads(player, tasks, jobs, pace)
    else:
        yield from _processes(player, tasks, jobs, pace, timeout)


def _timed(player: Player, task: Task, pace: Pace | None = None) -> tuple[Task, Sums, float]:
    """Play a task, and see how long that takes apart from compiling."""
    started, compiled = time.perf_counter(), compiling_seconds()
    sums = player.play(task)
    seconds = time.perf_counter() - started - (compiling_seconds() - compiled)
    if pace is not None:
        pace.observe(task, seconds)
    return task, sums, seconds


def _threads(player: Player, tasks: Iterator[Task], jobs: int, pace: Pace) -> Parts:
    """Share tasks among threads, each with workspaces of its own."""
    from joblib import Parallel, delayed

    local = threading.local()

    def play(task: Task) -> Answer:
        try:
            if not hasattr(local, "player"):
                local.player = player_of(player.experiment, player.lanes, player.sources)
            return _timed(local.player, task)
        except AnalyzerError as error:
            return task, error, 0.0

    parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator")
    yield from _in_order(parallel(delayed(play)(task) for task in tasks), pace)


def _dask(
    player: Player, tasks: Iterator[Task], jobs: int, scheduler: str | None, pace: Pace
) -> Parts:
    """Share tasks among the workers of a Dask cluster."""
    from joblib import Parallel, delayed, parallel_config

    shared = *_shared(player), None
    calls = (delayed(_worker)(*shared, task, os.getpid()) for task in tasks)
    with _dask_client(scheduler, jobs), parallel_config(backend="dask"):
        yield from _in_order(Parallel(return_as="generator")(calls), pace)


def _in_order(answers: Generator[Answer, None, None], pace: Pace) -> Parts:
    """Yield the sums of one task after the other, up to the first that failed.

    Workers hand failures back as answers: raised in the worker, the quickest one would win.
    """
    try:
        for task, answer, seconds in answers:
            if isinstance(answer, AnalyzerError):
                raise answer
            pace.observe(task, seconds)
            yield task, answer
    finally:
        with warnings.catch_warnings():
            # Stopping early is on purpose; joblib warns of the tasks that it then cancels.
            warnings.simplefilter("ignore", UserWarning)
            answers.close()


@dataclass
class _Given:
    """A task that is given to somebody.

    Attributes
    ----------
    answer
        None if it has to be given out, for the first time or again.
    losses
        How many workers have died that were at it, or may have been.
    """

    task: Task
    answer: Future[Answer] | None = None
    losses: int = 0

    @property
    def busy(self) -> bool:
        """Whether somebody is at it."""
        return self.answer is not None and not self.answer.done()


def _processes(
    player: Player, tasks: Iterator[Task], jobs: int, pace: Pace, timeout: float | None
) -> Parts:
    """Share tasks among worker processes and, if nothing slow is in its way, this one.

    Compiled strategies leave this process free to serve the others meanwhile; plain Python would
    not, and what it breaks should break a worker.
    """
    plays_too = all(strategy.compiled for strategy in player.strategies)
    workers = jobs - plays_too
    folder = tempfile.mkdtemp(prefix="analyzer-run-")
    shared = *_shared(player), None if timeout is None else (timeout, folder)
    waiting: deque[_Given] = deque()
    executor: Any = None
    try:
        while True:
            try:
                executor = executor or _executor(workers)
                # Games that may have cost two workers are played by one, so that it is clear which.
                suspected = any(one.losses == MOST_LOSSES - 1 for one in waiting)
                room = 1 if suspected else AHEAD * workers
                room -= sum(one.busy for one in waiting)
                if not suspected:
                    ready = sum(one.answer is None for one in waiting)
                    waiting.extend(_Given(task) for task in islice(tasks, max(room - ready, 0)))
                for one in [one for one in waiting if one.answer is None][: max(room, 0)]:
                    one.answer = executor.submit(_worker, *shared, one.task, os.getpid())
                if not waiting:
                    return
                head = waiting[0].answer
                idle = plays_too and not suspected and waiting[0].busy
                own = next(tasks, None) if idle and len(waiting) < MOST_WAITING * jobs else None
                if own is not None:
                    waiting.append(_Given(own, _played(player, own)))
                    continue
                assert head is not None  # the first to be given out
                task, sums, seconds = head.result()
            except BrokenProcessPool as error:
                executor = None
                _refuse_stuck(folder)
                _take_back(waiting, workers, error)
                continue
            waiting.popleft()
            if isinstance(sums, AnalyzerError):
                raise sums
            pace.observe(task, seconds)
            yield task, sums
    finally:
        begun = [one.answer for one in waiting if one.answer is not None]
        for answer in begun:
            answer.cancel()
        # Those that have begun cannot be called off. Killed at once, workers may leave loky's own
        # thread looking for tasks that are gone, so it is done only to tasks that take long.
        if futures.wait(begun, timeout=PATIENCE).not_done and executor is not None:
            executor.shutdown(kill_workers=True)
        shutil.rmtree(folder, ignore_errors=True)


def _executor(workers: int) -> Any:
    """Worker processes, those of an earlier run if they are still there."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    with _safe_path():
        # Processes that watch over the workers, started with the first of them.
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
    dies_with_us = threading.current_thread() is threading.main_thread()
    return get_reusable_executor(
        max_workers=workers,
        env={**worker_environment(), SAFE_PATH: "1"},
        initializer=_begin_work,
        initargs=(os.getpid(), dies_with_us),
    )


def _take_back(waiting: deque[_Given], workers: int, error: BrokenProcessPool) -> None:
    """Note what was lost with a worker, to be given out again.

    Raises
    ------
    WorkerLost
        If the same games were lost too often.
    """
    lost = [one for one in waiting if one.answer is not None and not _is_answered(one.answer)]
    for one in lost:
        one.answer = None
    for one in lost[:workers]:  # which were at work, for all that is known
        one.losses += 1
        if one.losses == MOST_LOSSES:
            last = one.task.first + one.task.count - 1
            raise WorkerLost(
                f"{MOST_LOSSES} worker processes have died one after the other that played the "
                f"games {one.task.first:,} to {last:,} (out of memory, or a fault in compiled "
                "code); what was finished is kept. Run the same command again, with fewer --jobs "
                "if memory is short."
            ) from error
    warnings.warn(
        "a worker process has died (out of memory, or by hand); it is replaced, and its games are "
        "played again",
        AnalyzerWarning,
        stacklevel=2,
    )


def _is_answered(answer: Future[Answer]) -> bool:
    return answer.done() and not answer.cancelled() and answer.exception() is None


def _refuse_stuck(folder: str) -> None:
    """Raise `StrategyStuck` if a worker has reported one before it ended."""
    reports = sorted((int(file.name), file) for file in Path(folder).glob("[0-9]*"))
    if reports:
        raise StrategyStuck(f"{reports[0][1].read_text(encoding='utf-8')}.")


@contextmanager
def _safe_path() -> Iterator[None]:
    """Processes that are started meanwhile do not look for modules in the current folder."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        del os.environ[SAFE_PATH]
        if before is not None:
            os.environ[SAFE_PATH] = before


def _played(player: Player, task: Task) -> Future[Answer]:
    """Play a task here and now, to be answered in its turn."""
    answer: Future[Answer] = Future()
    try:
        answer.set_result(_timed(player, task))
    except AnalyzerError as error:
        answer.set_result((task, error, 0.0))
    return answer


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
    with _safe_path():
        return Client(n_workers=jobs, threads_per_worker=1)


def _shared(player: Player) -> tuple[str, int, Sources]:
    """What workers need to know to play like this player."""
    return json.dumps(player.experiment.to_json()), player.lanes, player.sources


def _begin_work(parent: int, dies_with_parent: bool) -> None:
    """What a worker process does first: see to it that it does not outlive its parent."""
    # The first process has told of it: the workers use what that one has compiled.
    warnings.simplefilter("ignore", AnalyzerWarning)
    if dies_with_parent and sys.platform == "linux":
        # Quicker than looking, and also where a strategy keeps this process from looking. Linux
        # means the thread that has started us, so that has to be one that stays.
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_look, args=(parent,), name="analyzer-parent", daemon=True).start()


_patience: list[Patience] = [None]
"""Of the run that this worker process plays for."""


def _look(parent: int) -> None:
    """End this worker process when its parent has died, or when a strategy does not come back."""
    lookout = Lookout()
    while os.getppid() == parent:
        patience = _patience[-1]
        if patience is None:
            time.sleep(LOOK_FOR_PARENT)
            continue
        seconds, folder = patience
        pulse = lookout.overdue(seconds)
        if pulse is not None:
            text = not_back(pulse, seconds)
            with suppress(OSError):
                Path(folder, str(pulse.first)).write_text(text, encoding="utf-8")
            break
        time.sleep(min(LOOK_FOR_PARENT, looks_every(seconds)))
    os._exit(1)


def _worker(
    description: str,
    lanes: int,
    sources: Sources,
    patience: Patience,
    task: Task,
    parent: int,
) -> Answer:
    """Play one task in a worker, which leaves Ctrl-C to its parent."""
    if os.getpid() != parent:
        _patience[:] = [patience]
        # Standard output is for the answer alone; what strategies print is none.
        sys.stdout = sys.stderr
    # Dask runs tasks in threads, where signals cannot be set.
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    started, compiled = time.perf_counter(), compiling_seconds()
    try:
        sums = play_in_worker(description, lanes, sources, task)
    except AnalyzerError as error:
        return task, error, 0.0
    return task, sums, time.perf_counter() - started - (compiling_seconds() - compiled)
