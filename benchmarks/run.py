"""Measure ratios side by side in one run: ``make bench``.

Speeds differ between machines and from minute to minute on one machine; ratios between things that
are measured in turn, several times over, differ much less. Each line therefore says how much faster
it is than the line it is compared with, medians of all rounds.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.games.turnthetide import baseline as plain
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.specs import bind

HERE = Path(__file__).parent


class Contender(NamedTuple):
    """One line of a comparison: a name and what plays a number of games."""

    name: str
    games: int
    play: Callable[[int], object]


def experiment(spec: str, players: int, games: int) -> Experiment:
    """A table of equal strategies under the printed rules."""
    game = find_game("turnthetide")
    rules = settle(game, players, {})
    strategies = (bind(game.name, spec, rules, players).spec,) * players
    return Experiment(game.name, strategies, rules, games, seed=1)


def engine(
    name: str, spec: str = "random", players: int = 4, games: int = 1_000_000, **how: object
) -> Contender:
    """The engine with one way of spreading the work."""
    return Contender(name, games, lambda n: run(experiment(spec, players, n), **how))


def plain_games(count: int) -> None:
    """So many games in plain Python."""
    chance = random.Random(1)
    for _ in range(count):
        plain.play(4, chance)


def comparisons(cores: int) -> dict[str, list[Contender]]:
    """What is compared with what; the first contender of each group is the measure."""
    numpy_spec = f"{HERE / 'numpy_random.py'}::random-in-numpy"
    return {
        "Plain Python and the engine, four random players": [
            Contender("plain Python, a game at a time", 4_000, plain_games),
            engine("engine, one worker", jobs=1),
            engine(f"engine, {cores} workers", jobs=cores, games=4_000_000),
        ],
        "Games side by side": [
            engine(f"{lanes:,} lanes", lanes=lanes, jobs=1, games=500_000)
            for lanes in (16_384, 256, 1_024, 4_096, 8_192, 32_768, 65_536)
        ],
        f"Backends, {cores} workers, four million games": [
            engine(backend, jobs=cores, backend=backend, games=4_000_000)
            for backend in ("threads", "processes")
        ],
        "The same strategy compiled and in NumPy": [
            engine("compiled", jobs=1),
            engine("NumPy", spec=numpy_spec, jobs=1, games=200_000),
        ],
        "Players": [engine(f"{n} players", players=n, jobs=1) for n in (4, 2, 3, 5, 6)],
    }


def measure(contenders: list[Contender], rounds: int, scale: float) -> list[float]:
    """Median games per second of each, all measured once per round, in turn."""
    speeds: list[list[float]] = [[] for _ in contenders]
    for number in range(rounds + 1):
        for contender, seen in zip(contenders, speeds, strict=True):
            games = max(1_000, int(contender.games * scale))
            start = time.perf_counter()
            contender.play(games)
            elapsed = time.perf_counter() - start
            if number:  # the first round compiles and warms up
                seen.append(games / elapsed)
    return [statistics.median(seen) for seen in speeds]


def main() -> None:
    """Print every comparison as it is done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often each line is measured")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies all numbers of games")
    options = parser.parse_args()
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    print(
        f"{platform.machine()}, {cores} cores, Python {platform.python_version()}, {sys.platform}"
    )
    for title, contenders in comparisons(cores).items():
        print(f"\n{title}")
        speeds = measure(contenders, options.rounds, options.scale)
        for contender, speed in zip(contenders, speeds, strict=True):
            print(
                f"  {contender.name:<34}{speed:>14,.0f} games/s{speed / speeds[0]:>9.2f} x",
                flush=True,
            )


if __name__ == "__main__":
    main()
