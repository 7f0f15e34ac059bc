"""A real Dask cluster: a scheduler and workers in processes of their own, over loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from analyzer.cli.app import main
from analyzer.engine import cluster as engine_cluster
from analyzer.engine.batch import Player
from analyzer.engine.cluster import pieces, play, this_program
from analyzer.engine.runner import run
from analyzer.engine.watch import Watch
from analyzer.engine.workers import Pace
from analyzer.errors import (
    AnalyzerWarning,
    ClusterLost,
    StrategyFailed,
    StrategyStuck,
    UsageError,
    WorkerLost,
)
from analyzer.experiment import Experiment, Task
from analyzer.plugins import find_game
from analyzer.rules import settle
from tests.cli.conftest import Cli, Ran, tree
from tests.cli.test_process import environment
from tests.conftest import ROOT
from tests.engine.test_runner import StopAt, fingerprint

pytest.importorskip("distributed")

WAIT = 60.0

# Notes in a folder who plays; naps if it is told to, in workers only.
NAPS = """
import os, pathlib, time
import numpy as np
from analyzer.contracts import Strategy

def low(view, params, words, out):
    if view.round == 0 and view.hand == 0 and "NOTES" in os.environ:
        pathlib.Path(os.environ["NOTES"], str(os.getpid())).touch()
        time.sleep(float(os.environ.get("NAP", 0)))
    lowest = view.cards & (~view.cards + np.uint64(1))
    out[:] = np.log2(np.maximum(lowest, 1).astype(float)).astype(np.uint8) + 1

naps = Strategy("turnthetide", "naps", "Takes its time.", {"card": low})
"""

STUCK = """
import os, time
import numpy as np
from analyzer.contracts import Strategy

def low(view, params, words, out):
    while "NOTES" in os.environ and view.round == 1:
        time.sleep(0.01)
    lowest = view.cards & (~view.cards + np.uint64(1))
    out[:] = np.log2(np.maximum(lowest, 1).astype(float)).astype(np.uint8) + 1

stuck = Strategy("turnthetide", "stuck", "Never decides.", {"card": low})
"""


def experiment(
    *strategies: str, game: str = "turnthetide", games: int = 20_000, rotate: bool = False
) -> Experiment:
    rules = settle(find_game(game), len(strategies), {})
    return Experiment(game, strategies, rules, games, seed=9, rotate=rotate)


@dataclass
class Dask:
    """Processes of a cluster, started and ended by hand."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    scheduler: subprocess.Popen[bytes] = field(init=False)
    address: str = ""
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        (self.folder / "notes").mkdir()
        self.scheduler = self._start("scheduler", "--port", "0", **self.settings)
        file = self.folder / "scheduler.json"
        deadline = time.monotonic() + WAIT
        while not file.exists() or not file.read_text():
            assert time.monotonic() < deadline and self.scheduler.poll() is None, self.log()
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]

    def _start(self, what: str, *words: str, **more: str) -> subprocess.Popen[bytes]:
        common = ("--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", "scheduler.json")
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "distributed.cli.dask_" + what, *common, *words],
                env=environment(NOTES=str(self.folder / "notes"), **more),
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )

    def add_workers(self, count: int, **more: str) -> None:
        """Start workers of one thread, and wait until they are there."""
        words = ("--nthreads", "1", "--no-nanny")
        self.workers += [self._start("worker", *words, **more) for _ in range(count)]
        deadline = time.monotonic() + WAIT
        while self.log().count("Registered to:") < len(self.workers):
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def players(self) -> set[int]:
        """Processes that have played the strategy that notes them."""
        return {int(file.name) for file in (self.folder / "notes").iterdir()}

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    """A scheduler and two workers of one thread."""
    started = Dask(tmp_path_factory.mktemp("dask") / "shared")
    try:
        started.add_workers(2)
        yield started
    finally:
        engine_cluster.leave_all()
        started.end()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Dask]:
    """A scheduler whose workers the test starts, and both of which it may kill."""
    started = Dask(tmp_path / "own")
    try:
        yield started
    finally:
        engine_cluster.leave_all()
        started.end()


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run the command line in this process."""

    def call(*arguments: str) -> Ran:
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return call


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with strategy files that no worker can read under their path."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("naps.py").write_text(NAPS)
    Path("stuck.py").write_text(STUCK)
    return tmp_path / "here"


LINE_UPS = {
    "turnthetide": experiment("random", "lowest", "reactive", rotate=True),
    "switch16": experiment("greedy/leader/hold", "threshold:0.5/leader/hold", game="switch16"),
    "mermaidbeach": experiment("greedy", "random", "random", game="mermaidbeach"),
}


@pytest.mark.parametrize("game", LINE_UPS)
def test_a_cluster_plays_to_the_same_bytes(dask: Dask, game: str) -> None:
    wanted = fingerprint(run(LINE_UPS[game]))
    for task_size in (None, 1500):
        found = run(LINE_UPS[game], backend="dask", scheduler=dask.address, task_size=task_size)
        assert fingerprint(found) == wanted


def test_every_worker_plays_a_file_that_it_has_not(dask: Dask, here: Path) -> None:
    played = experiment("./naps.py::naps", "random", "random", games=4000)
    found = run(played, backend="dask", scheduler=dask.address, task_size=256)
    assert fingerprint(found) == fingerprint(run(played))
    assert dask.players() == {worker.pid for worker in dask.workers[:2]}
    # The file as it is now, under the same path.
    Path("naps.py").write_text(NAPS.replace("round == 0", "round == 1"))
    again = run(played, backend="dask", scheduler=dask.address, task_size=256)
    assert fingerprint(again) == fingerprint(found)


def test_answers_come_in_order_and_a_run_can_be_stopped(dask: Dask) -> None:
    how: dict[str, Any] = {"backend": "dask", "scheduler": dask.address, "task_size": 256}
    far = experiment("random", "random", "random", games=200_000)
    looks: list[int] = []
    part = run(far, **how, progress=looks.append, cancelled=lambda: len(looks) >= 3)
    assert (part.stopped, part.games) == ("interrupted", 768)
    stopped = run(far, **how, stopping=StopAt())
    assert (stopped.stopped, stopped.games) == ("precision", 1792)
    near = experiment("random", "random", "random", games=5000)
    again = run(near, backend="dask", scheduler=dask.address, resume=run(near, cancelled=bool))
    assert fingerprint(again) == fingerprint(run(near))


def test_the_failure_of_the_lowest_game_is_reported(dask: Dask, here: Path) -> None:
    text = NAPS.replace("out[:] =", "out[:] = 61 if view.round == 2 else")
    Path("naps.py").write_text(text.replace("round == 2", "round == 2 and out.size > 3000"))
    played = experiment("./naps.py::naps", "random", "random", games=8000)
    told = set()
    for how in ({}, {"backend": "dask", "scheduler": dask.address}):
        with pytest.raises(StrategyFailed) as caught:
            run(played, task_size=3500, **how)
        told.add(str(caught.value))
    assert len(told) == 1


def test_a_process_with_another_program_is_refused(dask: Dask, monkeypatch: Any) -> None:
    engine_cluster.leave_all()
    mine = this_program()
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    monkeypatch.setattr(engine_cluster, "_installed", lambda package: "0.1")
    told = (
        rf"worker tcp://\S+ has {mine.python} instead of CPython 3\.99\.0, NumPy {mine.numpy} "
        rf"instead of 0\.1, Numba {mine.numba} instead of 0\.1; the worker .*; the scheduler has"
    )
    with pytest.raises(UsageError, match=told):
        run(LINE_UPS["turnthetide"], backend="dask", scheduler=dask.address)


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_cluster, "CONNECTING", 0.5)
    with pytest.raises(UsageError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:1'"):
        run(LINE_UPS["turnthetide"], backend="dask", scheduler="tcp://127.0.0.1:1")


def test_the_games_of_a_killed_worker_are_played_again(dask: Dask, here: Path) -> None:
    dask.add_workers(1, NAP="0.1")
    victim = dask.workers.pop()
    played = experiment("./naps.py::naps", "random", "random", games=5000)

    def look(games: int) -> None:
        if victim.pid in dask.players():
            victim.kill()

    found = run(played, backend="dask", scheduler=dask.address, task_size=128, progress=look)
    assert victim.wait() == -signal.SIGKILL
    assert fingerprint(found) == fingerprint(run(played))


def test_a_killed_scheduler_costs_nothing_that_was_finished(
    dask: Dask, own: Dask, cli: Cli, here: Path
) -> None:
    own.add_workers(1, NAP="0.05")
    line = ("simulate", "turnthetide", "--strategy", "./naps.py::naps", "--games", "3000")
    line = (*line, "--players", "3", "--seed", "4", "--no-report", "--json")
    over = ("--backend", "dask", "--scheduler")

    def kill() -> None:
        while not own.players():
            time.sleep(0.02)
        time.sleep(1)
        own.scheduler.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    failed = cli(*line, "--out", "run", *over, own.address)
    killer.join()
    assert failed.code == 1 and failed.out == ""
    assert "cannot be reached any more: start one again" in failed.err
    assert "What was finished is saved. Continue with:" in failed.err
    assert "Traceback" not in failed.err
    played = json.loads(Path("run", "manifest.json").read_text())["parts"]["main"]["games"]
    assert 16 < played < 3000
    again = cli(*line, "--out", "run", *over, dask.address)
    whole = cli(*line, "--out", "whole", "--jobs", "1")
    assert again.code == whole.code == 0, again.err
    assert tree(Path("run/tables")) == tree(Path("whole/tables"))
    assert tree(Path("run/parts")) == tree(Path("whole/parts"))


@pytest.mark.slow
def test_a_worker_with_other_code_is_refused(
    own: Dask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = LINE_UPS["turnthetide"]
    monkeypatch.setattr(engine_cluster, "NOBODY", 0.3)
    monkeypatch.setattr(engine_cluster, "COUNT", 0.1)
    with (
        pytest.warns(AnalyzerWarning, match="has no workers yet"),
        pytest.raises(ClusterLost, match=r"has had no workers for 0\.3 s"),
    ):
        run(played, backend="dask", scheduler=own.address)
    other = tmp_path / "other"
    shutil.copytree(ROOT / "analyzer", other / "analyzer")
    with (other / "analyzer" / "games" / "switch16" / "rules.py").open("a") as file:
        file.write("\n# another comment\n")
    own.add_workers(1, PYTHONPATH=os.pathsep.join([str(other), environment()["PYTHONPATH"]]))
    with pytest.raises(UsageError, match=r"run: the worker tcp://127\S+ has the code \w{12} in"):
        run(played, backend="dask", scheduler=own.address)


@pytest.mark.slow
def test_a_strategy_that_does_not_come_back_is_named(own: Dask, here: Path) -> None:
    own.add_workers(1)
    played = experiment("./stuck.py::stuck", "random", "random", games=4000)
    watch = Watch(1.0, pytest.fail)
    with pytest.raises(StrategyStuck, match=r"stuck' did not come back within 1 s, in the games"):
        run(played, backend="dask", scheduler=own.address, watch=watch)
    assert own.workers[0].wait(WAIT) == 1  # the thread would keep a core for ever


@pytest.mark.slow
def test_games_that_cost_workers_end_the_run(tmp_path: Path, here: Path) -> None:
    own = Dask(tmp_path / "fragile", {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"})
    dies = "view.active.sum() > 16 and os._exit(1)"  # not in the first task, with which all begin
    Path("naps.py").write_text(NAPS.replace('time.sleep(float(os.environ.get("NAP", 0)))', dies))
    try:
        own.add_workers(2)
        played = experiment("./naps.py::naps", "random", "random", games=4000)
        with pytest.raises(WorkerLost, match=r"several workers have died .* played the games"):
            run(played, backend="dask", scheduler=own.address)
    finally:
        engine_cluster.leave_all()
        own.end()


@pytest.mark.slow
def test_workers_of_its_own(here: Path) -> None:
    wanted = fingerprint(run(LINE_UPS["switch16"]))
    found = run(LINE_UPS["switch16"], backend="dask", jobs=2)
    engine_cluster.leave_all()
    assert fingerprint(found) == wanted


@pytest.mark.parametrize("rotate", [False, True])
def test_pieces_of_a_task_are_its_games(rotate: bool) -> None:
    played = experiment("random", "lowest", "reactive", games=10**6, rotate=rotate)
    task = Task(1000, 50_000)
    found = list(pieces(played, task, 8192))
    assert [piece.first for piece in found[1:]] == [p.first + p.count for p in found[:-1]]
    assert (found[0].first, found[-1].first + found[-1].count) == (1000, 51_000)
    assert max(piece.count for piece in found) <= 8192
    assert all(piece.first % played.period == 0 for piece in found[1:])


def test_tasks_are_longer_on_larger_clusters_until_little_is_left() -> None:
    pace = Pace(1000, 1000)
    pace.observe(Task(0, 1000), 0.001)
    seconds = engine_cluster.seconds_of_task
    assert seconds(2, 10**9, pace) == 1
    assert seconds(4000, 10**12, pace) == 40  # 100 tasks a second end
    assert seconds(4000, 80 * 10**9, pace) == pytest.approx(10)
    assert seconds(4000, 10**9, pace) == 4
    pace.stretch(10, 10**9)
    assert pace.size() == 1000  # one millisecond tells little
    pace.observe(Task(0, 10**6), 1)
    assert pace.size() == 10**7
    pace.stretch(2, 10**9)
    assert pace.size() == 2 * 10**6


def test_a_task_that_is_called_off_is_left(dask: Dask) -> None:
    near = experiment("random", "random", "random", games=3000)
    wanted = fingerprint(run(near))
    far = Player(experiment("random", "random", "random", games=10**12))
    work = engine_cluster._work(far, 8192, None)
    client = engine_cluster._cluster(dask.address, 1).client
    days = [client.submit(play, work, Task(2**20, 10**11), pure=False) for _ in dask.workers]
    deadline = time.monotonic() + WAIT
    while not all(client.processing().values()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    for future in days:
        future.cancel()
    assert fingerprint(run(near, backend="dask", scheduler=dask.address)) == wanted
