"""Measure whole runs of the program on one core against plain Python, for the page on performance.

Each table is played by ``analyzer simulate --no-save --jobs 1`` in a process of its own, start
included, in turn with the same table in plain Python, a game at a time, if that plays it: ratios of
unlike tables mean nothing. What is printed is the table in ``docs/performance.md``.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import subprocess
import sys
import time

from analyzer.games.turnthetide import baseline as plain

PLAIN_GAMES = 5_000
MIXED = ("greedy/leader/hold", "threshold:0.5/leader/hold")
TABLES: tuple[tuple[str, str, tuple[str, ...], int], ...] = (
    ("Turn the Tide, four `random`", "turnthetide", ("random",) * 4, 50),
    ("Turn the Tide, five `lowest`", "turnthetide", ("lowest",) * 5, 50),
    (
        "Turn the Tide, `lowest`, `highest`, `reactive`, `random`",
        "turnthetide",
        ("lowest", "highest", "reactive", "random"),
        50,
    ),
    (
        "Switch 16, `greedy/leader/hold` against `threshold:0.5/leader/hold`",
        "switch16",
        MIXED,
        100,
    ),
    (
        "Switch 16, four different policies",
        "switch16",
        (*MIXED, "to-milestone/random/deny:12", "protected/never/deny:16"),
        45,
    ),
    (
        "Mermaid Beach, `greedy` and two `random`",
        "mermaidbeach",
        ("greedy", "random", "random"),
        30,
    ),
)
"""Name, game, strategies, millions of games."""


def is_like(game: str, strategies: tuple[str, ...]) -> bool:
    """Whether plain Python plays the same table."""
    return game == "turnthetide" and strategies == ("random",) * 4


def plain_speed() -> float:
    """Games a second of four random players in plain Python, now."""
    chance = random.Random(1)
    started = time.perf_counter()
    for _ in range(PLAIN_GAMES):
        plain.play(4, chance)
    return PLAIN_GAMES / (time.perf_counter() - started)


def program_speed(game: str, strategies: tuple[str, ...], games: int) -> float:
    """Games a second of a whole process, now."""
    words = [word for spec in strategies for word in ("--strategy", spec)]
    command = [sys.executable, "-m", "analyzer", "simulate", game, *words]
    command += ["--games", str(games), "--seed", "1", "--jobs", "1", "--no-save", "--quiet"]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return games / (time.perf_counter() - started)


def main() -> None:
    """Measure and print one table after the other."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="pairs a table (default: 5)")
    rounds = parser.parse_args().rounds
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print("| table | games a run | games/s | times plain Python |\n|---|---:|---:|---:|")
    for name, game, strategies, millions in TABLES:
        program_speed(game, strategies, 1_000)  # compiles what is not compiled yet
        pairs = []
        for _ in range(rounds):
            slow = plain_speed() if is_like(game, strategies) else math.nan
            fast = program_speed(game, strategies, millions * 1_000_000)
            pairs.append((fast, fast / slow))
        speed, ratio = (statistics.median(column) for column in zip(*pairs, strict=True))
        times = "" if math.isnan(ratio) else f"{ratio:,.0f}"
        print(
            f"| {name} | {millions} million | {speed / 1e6:.1f} million | {times} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
