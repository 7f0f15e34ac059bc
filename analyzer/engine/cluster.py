"""Tasks shared out among the workers of a Dask cluster.

What is at work is compared before the first game: results are the same bytes only where the same
program plays. Tasks are longer on larger clusters, so that the one scheduler, and the one process
that adds up what comes back, can keep pace with all workers.
"""

from __future__ import annotations

import atexit
import json
import logging
import math
import os
import platform
import signal
import sys
import threading
import time
import warnings
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple, TypeVar

from analyzer.engine.batch import Player, Sources
from analyzer.engine.players import player_in_worker
from analyzer.engine.tally import add
from analyzer.engine.watch import Lookout, looks_every, not_back
from analyzer.engine.workers import (
    AHEAD,
    MOST_WAITING,
    PATIENCE,
    SAFE_PATH,
    Answer,
    Pace,
    Parts,
    Sums,
    most_workers,
    safe_path,
    timed,
)
from analyzer.errors import (
    AnalyzerError,
    AnalyzerWarning,
    ClusterLost,
    PluginError,
    SourcesDiffer,
    StrategyStuck,
    UsageError,
    WorkerLost,
)
from analyzer.experiment import MAX_GAMES, Contest, Experiment, Task
from analyzer.kernels.compilation import compiling_seconds, worker_environment
from analyzer.kernels.sources import program_state
from analyzer.plugins import receive
from analyzer.specs import files_of
from analyzer.version import __version__

CONNECTING = 10.0
"""Seconds that a scheduler has to answer at first."""
NOBODY = 300.0
"""Seconds for which a cluster without workers is waited for: they may be in a queue themselves."""
LOOK = 0.01
"""Seconds between two looks for answers; workers have other tasks meanwhile."""
COUNT = 2.0
"""Seconds between two counts of the workers."""
FIRST_ONES = 64
"""Tasks that are out at the same time at most, before it is known how long tasks take."""
TASKS_A_SECOND = 100
"""How many tasks the scheduler and this process deal with easily; see docs/distributed.md."""
SHORTENED = 10
"""What part of a usual task the last ones are: none should be waited for long, none be tiny."""
MOST_KEPT = 2**32
"""Bytes of results, at most, that wait here for those of games before theirs."""
LAST_WORDS = 5.0
"""Seconds until a worker ends that a strategy does not give back; until then its answer is out."""
MOST_NAMED = 3
"""Workers that are named in a message."""

T = TypeVar("T")


class Program(NamedTuple):
    """What has to be the same wherever games of one run are played."""

    python: str
    processor: str
    analyzer: str
    code: str
    numpy: str
    numba: str


@cache
def _installed(package: str) -> str:
    return version(package)


def this_program() -> Program:
    """What plays in this process."""
    return Program(
        python=f"{platform.python_implementation()} {platform.python_version()}",
        processor=platform.machine(),
        analyzer=__version__,
        code=program_state(),
        numpy=_installed("numpy"),
        numba=_installed("numba"),
    )


@dataclass(frozen=True)
class Work:
    """What workers need to know to play the tasks of one run.

    Attributes
    ----------
    program
        What plays where the run was started.
    description
        Of the experiment: JSON, compressed, since it goes along with each task.
    lanes, sources
        As of `Player`.
    files
        Strategy files by the paths that specs have, with what is in them.
    piece
        Games played at once.
    seconds
        For how long a strategy is waited for.
    """

    program: Program
    description: bytes
    lanes: int
    sources: Sources
    files: tuple[tuple[str, bytes], ...]
    piece: int
    seconds: float | None


def _work(player: Player, piece: int, seconds: float | None) -> Work:
    experiment = player.experiment
    return Work(
        program=this_program(),
        description=zlib.compress(json.dumps(experiment.to_json()).encode()),
        lanes=player.lanes,
        sources=player.sources,
        files=files_of(experiment.specs),
        piece=piece,
        seconds=seconds,
    )


# What workers do.

_own = threading.local()
_receiving = threading.Lock()


def play(work: Work, task: Task) -> Answer:
    """Play one task in a worker, in a thread that can be left behind.

    Failures are answers: raised in the worker, the quickest one would win.
    """
    if this_program() != work.program:  # one that has come later than the others
        error = SourcesDiffer(f"{_told_of(_address(), this_program(), work.program)}.")
        return task, error, 0.0
    if not hasattr(_own, "player"):
        _own.player = ThreadPoolExecutor(1, "analyzer-player")
    called_off = threading.Event()
    answer: Future[Answer] = _own.player.submit(_play, work, task, called_off)
    lookout = Lookout()
    every = looks_every(COUNT if work.seconds is None else work.seconds)
    while wait([answer], every).not_done:
        if _is_called_off():
            called_off.set()
        pulse = None if work.seconds is None else lookout.overdue(work.seconds)
        if pulse is not None and work.seconds is not None:
            _end_soon()
            return task, StrategyStuck(f"{not_back(pulse, work.seconds)}."), 0.0
    return answer.result()


def _play(work: Work, task: Task, called_off: threading.Event) -> Answer:
    started, compiled = time.perf_counter(), compiling_seconds()
    try:
        with _receiving:  # the same path may mean another file in another run
            for path, content in work.files:
                receive(path, content)
            description = zlib.decompress(work.description).decode()
            player = player_in_worker(description, work.lanes, work.sources)
        sums: Sums = {}
        for piece in pieces(player.experiment, task, work.piece):
            if called_off.is_set():
                break  # nobody waits for it any more
            part = player.play(piece)
            if sums:
                add(sums, part)
            else:
                sums = part
    except AnalyzerError as error:
        return task, error, 0.0
    return task, sums, time.perf_counter() - started - (compiling_seconds() - compiled)


def pieces(experiment: Experiment, task: Task, size: int) -> Iterator[Task]:
    """A task as tasks of at most so many games, fit to be played at once."""
    if isinstance(experiment, Contest):  # its tasks are sized by themselves
        yield task
        return
    played = replace(experiment, games=max(1, task.first + task.count))
    yield from played.tasks(task.first, lambda: size)


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def _is_called_off() -> bool:
    """Whether the task that this thread is at is not wanted any more."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is None or task.state == "cancelled"


def _end_soon() -> None:
    """End this worker, one thread of which does not come back and cannot be broken off.

    A worker that has a nanny is replaced. One within the process that has started the run ends
    with that.
    """
    if _address().startswith("inproc:"):
        return
    end = threading.Timer(LAST_WORDS, os._exit, (1,))
    end.daemon = True
    end.start()


def _serve_parent() -> None:
    """What a worker does first that only this process uses: leave Ctrl-C and the answer to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr  # what strategies print is no answer


# What the process does that has started the run.


class Cluster:
    """A scheduler and its workers, connected to once for all runs of this process.

    Parameters
    ----------
    scheduler
        Address, or None for workers on this machine that end with this process.
    jobs
        How many of these.

    Raises
    ------
    UsageError
        If nobody answers there, nobody works there, or another program than this one does.
    """

    def __init__(self, scheduler: str | None, jobs: int) -> None:
        self.client = _client(scheduler, jobs)
        self.where = str(self.client.scheduler.address)
        self.threads = 0
        self._counted = -math.inf
        self._seen = time.monotonic()
        self._workers: dict[str, int] = {}
        try:
            self.wait_for_workers()
            self._compare()
        except BaseException:
            self.close()
            raise

    @property
    def is_alive(self) -> bool:
        """Whether the scheduler can be talked to."""
        return str(self.client.status) == "running"

    def close(self) -> None:
        """Leave the cluster; it ends if it is this process's own."""
        with suppress(Exception):
            self.client.close(timeout=CONNECTING if self.is_alive else PATIENCE)
        own = getattr(self.client, "cluster", None)
        if own is not None:
            with suppress(Exception):
                own.close(timeout=CONNECTING)

    def count(self) -> set[str]:
        """Addresses of the workers, looked up now and then.

        Raises
        ------
        ClusterLost
            If the scheduler is gone, or for too long there have been no workers.
        """
        now = time.monotonic()
        if not self.is_alive:
            raise self.lost()
        if now - self._counted >= COUNT:
            self._workers = dict(self.asked(self.client.nthreads))
            self._counted = now
            self.threads = sum(self._workers.values())
            if self._workers:
                self._seen = now
        if now - self._seen > NOBODY:
            raise ClusterLost(
                f"the Dask scheduler at {self.where} has had no workers for {NOBODY:g} s: start "
                "some that connect to it."
            )
        return set(self._workers)

    def lost(self) -> ClusterLost:
        """What is to be said when the scheduler is gone."""
        return ClusterLost(
            f"the Dask scheduler at {self.where} cannot be reached any more: start one again, with "
            "workers, and give its address with --scheduler."
        )

    def wait_for_workers(self) -> None:
        """Wait until there is a worker; see `count`."""
        told = False
        while not self.count():
            if not told:
                told = True
                warnings.warn(
                    f"the scheduler at {self.where} has no workers yet; waiting for one",
                    AnalyzerWarning,
                    stacklevel=2,
                )
            time.sleep(COUNT)

    def asked(self, question: Callable[[], T]) -> T:
        """What the scheduler answers.

        Raises
        ------
        ClusterLost
            If it does not.
        """
        try:
            return question()
        except (OSError, CancelledError) as error:
            raise self.lost() from error

    def _compare(self) -> None:
        """Refuse workers, or a scheduler, where something else would play.

        Raises
        ------
        UsageError
            Naming them, and what differs.
        """
        mine, client = this_program(), self.client
        found: dict[str, Any] = self.asked(lambda: client.run(this_program, on_error="return"))
        try:
            found["the scheduler"] = client.run_on_scheduler(this_program)
        except Exception as error:
            found["the scheduler"] = error
        wrong = [_told_of(where, theirs, mine) for where, theirs in found.items() if theirs != mine]
        if wrong:
            more = f"; so are {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
            raise UsageError(
                f"the cluster at {self.where} cannot play this run: "
                f"{'; '.join(wrong[:MOST_NAMED])}{more}. Results are the same everywhere only if "
                "the same program plays; give scheduler, workers and this process the same "
                "environment, such as one container image (docs/distributed.md)."
            )

    def warm_up(self, work: Work, task: Task) -> None:
        """Let every worker load and compile what it needs, all at the same time.

        Raises
        ------
        AnalyzerError
            If one cannot.
        """
        begun = {
            worker: self.client.submit(
                play, work, task, workers=[worker], pure=False, allow_other_workers=False
            )
            for worker in self.count()
        }
        try:
            while begun:
                for worker in [w for w, future in begun.items() if future.done()]:
                    self._refuse(worker, begun.pop(worker))
                for worker in begun.keys() - self.count():  # gone meanwhile
                    begun.pop(worker).cancel()
                time.sleep(LOOK)
        finally:
            for future in begun.values():
                future.cancel()

    def _refuse(self, worker: str, future: Any) -> None:
        """Raise what a worker that cannot play has answered; one that has died is none of these."""
        if future.cancelled():
            if not self.is_alive:
                raise self.lost()
            return
        error = self.asked(future.exception)
        answer = error if error is not None else self.asked(future.result)[1]
        if isinstance(answer, (SourcesDiffer, PluginError)):
            raise type(answer)(f"on the worker {worker}: {answer}")
        if isinstance(answer, AnalyzerError):
            raise answer
        if error is not None and worker in self.count():
            raise UsageError(
                f"the worker {worker} cannot play: {type(error).__name__}: {error}."
            ) from error


def _told_of(where: str, theirs: object, mine: Program) -> str:
    """How a worker differs, in words."""
    who = where if where.startswith("the ") else f"the worker {where}"
    if not isinstance(theirs, Program):
        return f"{who} cannot load this program ({type(theirs).__name__}: {theirs})"
    words = {"python": "", "code": "the code ", "numpy": "NumPy ", "numba": "Numba "}
    differing = [
        f"{words.get(name, f'{name} ')}{its} instead of {own}"
        for name, its, own in zip(Program._fields, theirs, mine, strict=True)
        if its != own
    ]
    return f"{who} has {', '.join(differing)}"


def _client(scheduler: str | None, jobs: int) -> Any:
    """A connection to a scheduler, or to one of this process's own with so many workers.

    Raises
    ------
    UsageError
        If Dask is not installed, or nobody answers.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise UsageError(
            "the backend dask needs the package distributed, which is not installed; "
            "install it with: pip install 'analyzer[dask]'."
        ) from error
    # What it would say of a scheduler that is lost, with a traceback, `Cluster.lost` says in words.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    if scheduler is None:
        with safe_path():
            own = LocalCluster(
                n_workers=min(jobs, most_workers()),
                threads_per_worker=1,
                silence_logs=logging.ERROR,
                dashboard_address="127.0.0.1:0",  # any free port: others may have a cluster, too
                env={**worker_environment(), SAFE_PATH: "1"},
            )
            client = Client(own, set_as_default=False)
        client.run(_serve_parent)
        return client
    try:
        return Client(scheduler, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {scheduler!r} ({error}); start one with "
            "`dask scheduler`, which prints its address, and workers with `dask worker ADDRESS`."
        ) from error


_clusters: dict[tuple[str | None, int], Cluster] = {}
"""Those that this process has connected to: a study of many runs does so once."""


def _cluster(scheduler: str | None, jobs: int) -> Cluster:
    key = scheduler, 0 if scheduler is not None else jobs
    known = _clusters.pop(key, None)
    if known is not None and not known.is_alive:
        known.close()
        known = None
    if not _clusters:
        atexit.unregister(leave_all)
        atexit.register(leave_all)
    _clusters[key] = known or Cluster(scheduler, jobs)
    return _clusters[key]


def leave_all() -> None:
    """Leave every cluster that this process has connected to, as it does at its end."""
    while _clusters:
        _clusters.popitem()[1].close()


@dataclass
class _Given:
    """A task that the cluster has, and its answer once that is here."""

    task: Task
    future: Any
    answer: Answer | None = None

    @property
    def size(self) -> int:
        """Bytes of the sums that wait here."""
        sums = self.answer[1] if self.answer is not None else {}
        return 0 if isinstance(sums, AnalyzerError) else sum(a.nbytes for a in sums.values())


def play_on_cluster(
    player: Player,
    tasks: Iterator[Task],
    jobs: int,
    scheduler: str | None,
    games: int,
    pace: Pace,
    timeout: float | None,
) -> Parts:
    """Play tasks on a cluster and yield their sums in order; as `play_tasks`.

    Raises
    ------
    UsageError
        If there is no such cluster, or it is another program's.
    StrategyFailed, StrategyStuck, PluginError, SourcesDiffer
        What the first task came to that failed.
    WorkerLost
        If the same games have cost several workers, or the scheduler is gone (`ClusterLost`).
    """
    cluster = _cluster(scheduler, jobs)
    first = next(tasks, None)
    if first is None:
        return
    # Played here: what is compiled for it, workers on this machine find.
    _, sums, _ = timed(player, first, pace)
    yield first, sums
    left = games - first.count
    if not left:
        return
    work = _work(player, pace.most, timeout)
    cluster.warm_up(work, first)
    waiting: deque[_Given] = deque()
    try:
        yield from _in_order(cluster, work, tasks, left, pace, waiting)
    finally:
        for given in waiting:
            if given.answer is None:
                given.future.cancel()


def _in_order(
    cluster: Cluster,
    work: Work,
    tasks: Iterator[Task],
    left: int,
    pace: Pace,
    waiting: deque[_Given],
) -> Parts:
    """Keep every thread of the cluster in tasks, and yield the sums as they come round."""
    from distributed import as_completed

    answers = as_completed(loop=cluster.client.loop, with_results=True, raise_errors=False)
    at_work: dict[Any, _Given] = {}
    kept = 0
    while True:
        for future, answer in answers.next_batch(block=False):
            given = at_work.pop(future)
            given.answer = answer if future.status == "finished" else _failed(cluster, given)
            future.release()
            kept += given.size
        while waiting and (answer := waiting[0].answer) is not None:
            done, sums, seconds = answer
            kept -= waiting.popleft().size
            if isinstance(sums, AnalyzerError):
                raise sums
            pace.observe(done, seconds)
            yield done, sums
        cluster.count()  # only now: what has come before the scheduler went is not lost
        most = AHEAD * cluster.threads
        room = (most if pace.is_known else min(most, FIRST_ONES)) - len(at_work)
        room = min(room, MOST_WAITING * cluster.threads - len(waiting))
        while room > 0 and kept <= MOST_KEPT:
            pace.stretch(seconds_of_task(cluster.threads, left, pace), MAX_GAMES)
            task = next(tasks, None)
            if task is None:
                break
            future = cluster.client.submit(play, work, task, pure=False)
            given = at_work[future] = _Given(task, future)
            waiting.append(given)
            answers.add(future)
            left -= task.count
            room -= 1
        if not waiting:
            return
        if not answers.has_ready():
            time.sleep(LOOK)


def seconds_of_task(threads: int, left: int, pace: Pace) -> float:
    """How long tasks should take: longer on large clusters, shorter when little is left.

    Each worker gets a share of what is left, so that all of them end at about the same time: guided
    self-scheduling (C. Polychronopoulos and D. Kuck, IEEE Transactions on Computers 36, 1987).
    """
    share = left * pace.seconds_a_game / (AHEAD * max(threads, 1))
    longest = max(pace.usual, threads / TASKS_A_SECOND)
    return max(pace.usual, longest / SHORTENED, min(longest, share))


def _failed(cluster: Cluster, given: _Given) -> Answer:
    """Why a task has no answer, as one."""
    task, future = given.task, given.future
    if future.cancelled():
        return task, cluster.lost(), 0.0
    error = cluster.asked(future.exception) or cluster.lost()
    if type(error).__name__ == "KilledWorker":
        last = task.first + task.count - 1
        lost = WorkerLost(
            f"several workers have died one after the other that played the games {task.first:,} "
            f"to {last:,} (out of memory, or a fault in compiled code); what was finished is kept. "
            "Give the same command again, with more memory for each worker if it is short."
        )
        lost.__cause__ = error
        return task, lost, 0.0
    raise error
