"""Tasks shared out among workers: this process, threads, processes, machines of a cluster."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterator
from concurrent import futures
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.batch import Player, Sources
from analyzer.engine.players import play_in_worker, player_of
from analyzer.errors import AnalyzerError, UsageError, WorkerLost
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

MOST_WAITING = 16
"""Tasks for each worker, finished or not, behind one that is still being played.

Sums are yielded in the order of the tasks, so those of later ones are kept until then.
"""

SAFE_PATH = "PYTHONSAFEPATH"
"""Keeps a Python that is started from looking for modules in the current folder first."""

Sums = dict[str, NDArray[np.int64]]
Parts = Generator[tuple[Task, Sums], None, None]
Answer = tuple[Task, Sums | AnalyzerError]


def play_tasks(
    player: Player,
    tasks: Iterator[Task],
    jobs: int,
    backend: str,
    scheduler: str | None,
    games: int,
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

    Raises
    ------
    StrategyFailed
        A strategy broke; that of the first task in which one did.
    PluginError
        A compiled strategy does not compile.
    WorkerLost
        A worker process died.
    """
    first = next(tasks, None)
    if first is None:
        return
    started = time.perf_counter() - compiling_seconds()
    sums = player.play(first)
    spent = time.perf_counter() - compiling_seconds() - started
    yield first, sums
    if backend == "auto" and spent < SHORT_RUN:  # what takes so long at once needs no trial
        left = games - first.count
        spent = 0.0
        played = 0
        while jobs > 1 and spent < TRIAL and (task := next(tasks, None)) is not None:
            started = time.perf_counter()
            sums = player.play(task)
            spent += time.perf_counter() - started
            played += task.count
            yield task, sums
        if jobs > 1 and spent * (left - played) <= SHORT_RUN * played:
            jobs = 1
    if backend == "dask":
        yield from _dask(player, tasks, jobs, scheduler)
    elif jobs == 1:
        for task in tasks:
            yield task, player.play(task)
    elif backend == "threads":
        yield from _threads(player, tasks, jobs)
    else:
        yield from _processes(player, tasks, jobs)


def _threads(player: Player, tasks: Iterator[Task], jobs: int) -> Parts:
    """Share tasks among threads, each with workspaces of its own."""
    from joblib import Parallel, delayed

    local = threading.local()

    def play(task: Task) -> Answer:
        try:
            if not hasattr(local, "player"):
                local.player = player_of(player.experiment, player.lanes, player.sources)
            return task, local.player.play(task)
        except AnalyzerError as error:
            return task, error

    parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator")
    yield from _in_order(parallel(delayed(play)(task) for task in tasks))


def _dask(player: Player, tasks: Iterator[Task], jobs: int, scheduler: str | None) -> Parts:
    """Share tasks among the workers of a Dask cluster."""
    from joblib import Parallel, delayed, parallel_config

    shared = _shared(player)
    calls = (delayed(_worker)(*shared, task, os.getpid()) for task in tasks)
    with _dask_client(scheduler, jobs), parallel_config(backend="dask"):
        yield from _in_order(Parallel(return_as="generator")(calls))


def _in_order(answers: Generator[Answer, None, None]) -> Parts:
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


def _processes(player: Player, tasks: Iterator[Task], jobs: int) -> Parts:
    """Share tasks among worker processes and, if nothing slow is in its way, this one.

    Compiled strategies leave this process free to serve the others meanwhile; plain Python would
    not, and what it breaks should break a worker.
    """
    from multiprocessing import resource_tracker

    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.backend import resource_tracker as loky_tracker
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    plays_too = all(strategy.compiled for strategy in player.strategies)
    workers = jobs - plays_too
    with _safe_path():
        # Processes that watch over the workers, started with the first of them.
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
    environment = {**worker_environment(), SAFE_PATH: "1"}
    executor = get_reusable_executor(max_workers=workers, env=environment)
    shared = _shared(player)
    waiting: deque[Future[Answer]] = deque()
    try:
        while True:
            busy = sum(not answer.done() for answer in waiting)
            for task in islice(tasks, max(AHEAD * workers - busy, 0)):
                waiting.append(executor.submit(_worker, *shared, task, os.getpid()))
            if not waiting:
                return
            idle = plays_too and not waiting[0].done() and len(waiting) < MOST_WAITING * jobs
            own = next(tasks, None) if idle else None
            if own is not None:
                waiting.append(_played(player, own))
                continue
            task, sums = waiting.popleft().result()
            if isinstance(sums, AnalyzerError):
                raise sums
            yield task, sums
    except TerminatedWorkerError as error:
        raise WorkerLost(
            "a worker process was killed (out of memory, or by hand); what was finished is kept. "
            "Run the same command again, with fewer --jobs if memory is short."
        ) from error
    finally:
        for answer in waiting:
            answer.cancel()
        # Those that have begun cannot be called off. Killed at once, workers may leave loky's own
        # thread looking for tasks that are gone, so it is done only to tasks that take long.
        if futures.wait(waiting, timeout=PATIENCE).not_done:
            executor.shutdown(kill_workers=True)


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
        answer.set_result((task, player.play(task)))
    except AnalyzerError as error:
        answer.set_result((task, error))
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


def _worker(
    description: str, lanes: int, sources: Sources, task: Task, parent: int
) -> tuple[Task, Sums | AnalyzerError]:
    """Play one task in a worker, which leaves Ctrl-C to its parent."""
    if os.getpid() != parent:
        # Standard output is for the answer alone; what strategies print is none.
        sys.stdout = sys.stderr
    # Dask runs tasks in threads, where signals cannot be set.
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return task, play_in_worker(description, lanes, sources, task)
    except AnalyzerError as error:
        return task, error
