"""Project a run onto a cluster that is larger than any at hand: an event simulation.

What a game, a task, a result and a save take is measured by ``cluster_overhead.py``, which prints
the options to give here. Simulated are three queues that a task passes through (the process that
started the run, the scheduler, the network before that process) and the workers, whose speeds
differ. Tasks are sized, given out and added up in order by the rules of `analyzer.engine.cluster`;
pace and sizes come from the very code that runs.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from analyzer.engine.cluster import FIRST_ONES, MOST_KEPT, seconds_of_task
from analyzer.engine.runner import FIRST_TASK, SAVE_SECONDS, SAVE_SHARE
from analyzer.engine.workers import AHEAD, MOST_WAITING, Pace
from analyzer.experiment import MAX_GAMES, Task


@dataclass
class Costs:
    """What was measured, in seconds or bytes."""

    game: float = 1.5e-6
    client: float = 0.0017
    scheduler: float = 0.0025
    merge: float = 0.00001
    bytes: float = 51_600
    save: float = 0.03
    latency: float = 0.001
    bandwidth: float = 125e6
    spread: float = 0.1
    """Standard deviation of the speeds of workers, and of the times of tasks, as a share."""


class Server:
    """Serves one after the other, first come first served."""

    def __init__(self) -> None:
        self.busy = self.free = 0.0

    def serve(self, now: float, seconds: float) -> float:
        """When something is done that comes now and takes so long."""
        self.busy += seconds
        self.free = max(now, self.free) + seconds
        return self.free


class Outcome(NamedTuple):
    """How a simulated run went."""

    seconds: float
    tasks: int
    client: float
    scheduler: float
    saves: int
    most_kept: int


class Simulation:
    """One run of so many games on so many cores."""

    def __init__(self, games: int, cores: int, costs: Costs, seed: int = 1) -> None:
        self.cores, self.costs = cores, costs
        self.chance = random.Random(seed)
        self.client, self.scheduler, self.network = Server(), Server(), Server()
        self.speeds = [max(0.3, self.chance.gauss(1, costs.spread)) for _ in range(cores)]
        self.free = [0.0] * cores
        self.tasks_of = [0] * cores
        self.by_tasks: list[deque[int]] = [deque(range(cores))]
        self.events: list[tuple[float, int, str, int]] = []
        self.sizes: list[Task] = []
        self.spent: dict[int, float] = {}
        self.finished: set[int] = set()
        self.pace = Pace(FIRST_TASK, MAX_GAMES)
        self.games, self.given, self.head, self.out = games, 0, 0, 0
        self.next_save, self.saves, self.most_kept = SAVE_SECONDS, 0, 0

    def at(self, time: float, what: str, which: int) -> None:
        """Something will happen."""
        heapq.heappush(self.events, (time, len(self.sizes), what, which))

    def run(self) -> Outcome:
        """Simulate it."""
        self.give(0.0)
        while self.events:
            now, _, what, which = heapq.heappop(self.events)
            getattr(self, what)(now, which)
        seconds = self.client.free
        return Outcome(
            seconds,
            len(self.sizes),
            self.client.busy / seconds,
            self.scheduler.busy / seconds,
            self.saves,
            self.most_kept,
        )

    def give(self, now: float) -> None:
        """The client gives out as many tasks as there is room for."""
        most = AHEAD * self.cores
        room = (most if self.pace.is_known else min(most, FIRST_ONES)) - self.out
        room = min(room, MOST_WAITING * self.cores - (len(self.sizes) - self.head))
        if len(self.finished) * self.costs.bytes > MOST_KEPT:
            room = 0
        while room > 0 and self.given < self.games:
            left = self.games - self.given
            self.pace.stretch(seconds_of_task(self.cores, left, self.pace), MAX_GAMES)
            count = min(left, self.pace.size())
            sent = self.client.serve(now, self.costs.client / 2)
            self.at(sent + self.costs.latency, "assign", len(self.sizes))
            self.sizes.append(Task(self.given, count))
            self.given += count
            self.out += 1
            room -= 1

    def assign(self, now: float, task: int) -> None:
        """The scheduler gives a task to a worker with the fewest."""
        here = self.scheduler.serve(now, self.costs.scheduler / 2) + self.costs.latency
        worker = next(
            bucket.popleft()
            for count, bucket in enumerate(self.by_tasks)
            if self._drop_stale(bucket, count)
        )
        self._set_tasks(worker, self.tasks_of[worker] + 1)
        noise = max(0.5, self.chance.gauss(1, self.costs.spread))
        spent = self.sizes[task].count * self.costs.game * self.speeds[worker] * noise
        self.free[worker] = max(self.free[worker], here) + spent
        self.spent[task] = spent
        self.at(self.free[worker], "finish", task)
        self.at(self.free[worker], "freed", worker)

    def _drop_stale(self, bucket: deque[int], count: int) -> bool:
        while bucket and self.tasks_of[bucket[0]] != count:
            bucket.popleft()
        return bool(bucket)

    def _set_tasks(self, worker: int, count: int) -> None:
        self.tasks_of[worker] = count
        while len(self.by_tasks) <= count:
            self.by_tasks.append(deque())
        self.by_tasks[count].append(worker)

    def freed(self, now: float, worker: int) -> None:
        """A worker has one task less."""
        self._set_tasks(worker, self.tasks_of[worker] - 1)

    def finish(self, now: float, task: int) -> None:
        """The scheduler hears of it, and the result goes through it to the client."""
        told = self.scheduler.serve(now + self.costs.latency, self.costs.scheduler / 2)
        there = self.network.serve(told, self.costs.bytes / self.costs.bandwidth)
        self.at(there + self.costs.latency, "answer", task)

    def answer(self, now: float, task: int) -> None:
        """The client takes a result, adds up what follows the finished games, and saves."""
        done = self.client.serve(now, self.costs.client / 2)
        self.out -= 1
        self.finished.add(task)
        while self.head in self.finished:
            done = self.client.serve(done, self.costs.merge)
            self.finished.remove(self.head)
            self.pace.observe(self.sizes[self.head], self.spent.pop(self.head))
            self.head += 1
        self.most_kept = max(self.most_kept, len(self.finished))
        if done > self.next_save:
            self.saves += 1
            done = self.client.serve(done, self.costs.save)
            self.next_save = done + max(SAVE_SECONDS, self.costs.save / SAVE_SHARE)
        self.give(done)


def told(seconds: float) -> str:
    """A time in words."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def main() -> None:
    """Simulate and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, value in vars(Costs()).items():
        parser.add_argument(f"--{name}", type=float, default=value, help=f"default: {value:g}")
    parser.add_argument("--games", type=float, default=1e12, help="default: 1e12")
    parser.add_argument(
        "--cores", type=int, nargs="*", default=[100, 1000, 10_000], help="one or several"
    )
    given = parser.parse_args()
    costs = Costs(**{name: getattr(given, name) for name in vars(Costs())})
    print("| cores | of the games alone | projected | efficiency | tasks | games a task |", end="")
    print(" this process | scheduler | traffic | saves | results kept waiting |")
    print("|---:|" + "---:|" * 10)
    for cores in given.cores:
        simulation = Simulation(int(given.games), cores, costs)
        found = simulation.run()
        # Of workers with these speeds: the mean of speeds is not the speed of the mean time.
        ideal = given.games * costs.game / math.fsum(1 / speed for speed in simulation.speeds)
        print(
            f"| {cores:,} | {told(ideal)} | {told(found.seconds)} | {ideal / found.seconds:.0%} "
            f"| {found.tasks:,} | {given.games / found.tasks / 1e6:,.1f} million "
            f"| {found.client:.0%} | {found.scheduler:.0%} "
            f"| {found.tasks * costs.bytes / 1e9:,.1f} GB | {found.saves} "
            f"| {found.most_kept * costs.bytes / 1e6:,.0f} MB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
