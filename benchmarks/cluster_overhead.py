"""Measure what a Dask cluster costs: against workers on this machine, and for each task.

Starts a scheduler and workers of one thread on this machine. Throughput is compared with as many
``--jobs`` in turn, and told as the median of the ratios of pairs. What a task, a result and a save
cost are printed as the options that ``cluster_projection.py`` takes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analyzer.engine import cluster as engine_cluster
from analyzer.engine.batch import Player
from analyzer.engine.runner import run
from analyzer.engine.tally import add
from analyzer.engine.workers import AHEAD
from analyzer.experiment import Experiment, Task
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.rundir import write_part

TABLES: dict[str, tuple[str, tuple[str, ...], str, int]] = {
    "turnthetide": ("turnthetide", ("random",) * 4, "simulate", 6_000_000),
    "fairness": ("turnthetide", ("random",) * 4, "fairness", 6_000_000),
    "switch16": (
        "switch16",
        ("greedy/leader/hold", "threshold:0.5/leader/hold"),
        "simulate",
        40_000_000,
    ),
    "mermaidbeach": ("mermaidbeach", ("greedy", "random", "random"), "simulate", 3_000_000),
}
SHORT_TASKS = 1000
"""Tasks of 256 games, whose time is all but that of the games the cost of a task."""
IN_FLIGHT = 16
"""Tasks for each worker meanwhile: on a large cluster many are on their way at the same time."""


def experiment(name: str, games: int) -> Experiment:
    """A table, played so often."""
    game, strategies, detail, _ = TABLES[name]
    rules = settle(find_game(game), len(strategies), {})
    return Experiment(game, strategies, rules, games, seed=1, detail=detail)


@contextlib.contextmanager
def cluster(workers: int) -> Iterator[tuple[str, list[int]]]:
    """Address of a scheduler with so many workers of one thread; the numbers of the processes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scheduler.json")
        common = ["--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(file)]
        started = []
        for what, *more in [
            ("scheduler", "--port", "0"),
            *[("worker", "--nthreads", "1", "--no-nanny")] * workers,
        ]:
            words = [sys.executable, "-m", f"distributed.cli.dask_{what}", *common, *more]
            started.append(subprocess.Popen(words, stderr=subprocess.DEVNULL))
        try:
            while not (file.exists() and file.read_text()):
                time.sleep(0.05)
            yield json.loads(file.read_text())["address"], [process.pid for process in started]
        finally:
            engine_cluster.leave_all()
            for process in started:
                process.kill()
                process.wait()


def processor_seconds(pid: int) -> float:
    """What a process has used of the processor, on Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def speed(played: Experiment, **how: Any) -> float:
    """Games a second of a run, now."""
    started = time.perf_counter()
    run(played, **how)
    return played.games / (time.perf_counter() - started)


def compare(name: str, address: str, workers: int, rounds: int) -> None:
    """Throughput of the cluster and of as many jobs, in turn."""
    played = experiment(name, TABLES[name][3])
    ways: tuple[dict[str, Any], dict[str, Any]] = (
        {"backend": "dask", "scheduler": address},
        {"backend": "processes", "jobs": workers},
    )
    for how in ways:  # compiles, and starts processes
        run(experiment(name, played.games // 20), **how)
    pairs = []
    for number in range(rounds):
        order = ways if number % 2 == 0 else ways[::-1]
        found = {how["backend"]: speed(played, **how) for how in order}
        pairs.append((found["dask"], found["processes"]))
        print(f"  {found['dask']:,.0f} against {found['processes']:,.0f} games/s", flush=True)
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    print(f"{name}: {ratio:.3f} times the speed of --jobs {workers}, median of {rounds} pairs")


def costs(name: str, address: str, scheduler: int) -> dict[str, float]:
    """What tasks cost beside the games: seconds a task, bytes a result, seconds a save."""
    small = experiment(name, 256 * SHORT_TASKS)
    how: dict[str, Any] = {"backend": "dask", "scheduler": address, "task_size": 256}
    engine_cluster.AHEAD = IN_FLIGHT
    run(small, **how)
    before = time.perf_counter(), time.process_time(), processor_seconds(scheduler)
    run(small, **how)
    after = time.perf_counter(), time.process_time(), processor_seconds(scheduler)
    wall, client, central = (
        (late - early) / SHORT_TASKS for early, late in zip(before, after, strict=True)
    )
    engine_cluster.AHEAD = AHEAD
    player = Player(experiment(name, 10**9))
    task = Task(2**20, 16 * player.batch)
    player.play(task)
    # Of the processor, which other programs on the machine change less than what the clock says.
    started = time.process_time()
    sums = player.play(task)
    game = (time.process_time() - started) / task.count
    total = {key: array.copy() for key, array in sums.items()}
    started = time.process_time()
    for _ in range(100):
        add(total, sums)
    merge = (time.process_time() - started) / 100
    result = ResultSet(experiment(name, 10**9), task.count, sums, (), "interrupted", 1.0, 0, ())
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        write_part(Path(folder, "part.npz"), result)
        save = time.process_time() - started
    print(
        f"{name}: {wall * 1e3:.2f} ms a task of 256 games, with {IN_FLIGHT} a worker on their way"
    )
    return {
        "game": game,
        "client": client,
        "scheduler": central,
        "merge": merge,
        "bytes": len(pickle.dumps((task, sums, 1.0))),
        "save": save,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", default=list(TABLES), metavar="TABLE")
    parser.add_argument("--rounds", type=int, default=5, help="pairs a table (default: 5)")
    parser.add_argument("--workers", type=int, default=2, help="of the cluster (default: 2)")
    given = parser.parse_args()
    with cluster(given.workers) as (address, processes):
        for name in given.tables:
            if given.rounds:
                compare(name, address, given.workers, given.rounds)
            found = costs(name, address, processes[0])
            options = " ".join(f"--{key} {value:.3g}" for key, value in found.items())
            print(f"cluster_projection.py {options}", flush=True)


if __name__ == "__main__":
    main()
