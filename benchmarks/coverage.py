"""How often the 95% intervals contain the true value, over many seeds.

    python benchmarks/coverage.py --seeds 1000 --games 4000

The true values are those of an independent implementation (``tests/golden``), whose own error is
thirty times smaller than that of 4,000 games. Prints the table of ``docs/validation.md``.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.registry import find_game
from analyzer.results import Checkpoint
from analyzer.rules import settle
from analyzer.statistics.lifesavers import analyze
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import Estimate

GOLDEN = Path(__file__).parent.parent / "tests" / "golden" / "turnthetide.jsonl"
GAME = find_game("turnthetide")


def experiment(strategies: tuple[str, ...], games: int, seed: int) -> Experiment:
    """Fairness sums of the printed rules."""
    rules = settle(GAME, len(strategies), {})
    return Experiment("turnthetide", strategies, rules, games, seed, "fairness")


def estimates(experiment: Experiment, truth: dict) -> Iterator[tuple[str, Estimate, float]]:
    """Name, estimate with interval, and true value of each figure looked at."""
    result = run(experiment)
    summary = summarize(result, GAME)
    found = analyze(result, None, GAME)
    for i, seat in enumerate(summary.seats):
        yield "win share", seat.win_share, truth["win_share"][i]
        yield "mean score", seat.mean_score, truth["mean_score"][i]
    for name in ("slope", "slope_within", "hand_share"):
        yield name, getattr(found, name), truth[name]


def covered(truth: dict, seeds: range, games: int) -> tuple[Counter[str], Counter[str]]:
    """How many intervals contained the true value, and how many there were."""
    hits: Counter[str] = Counter()
    trials: Counter[str] = Counter()
    strategies = tuple(truth["args"][0].split(","))
    for seed in seeds:
        for name, estimate, true in estimates(experiment(strategies, games, seed), truth):
            trials[name] += 1
            hits[name] += estimate.low <= true <= estimate.high
    return hits, trials


class Onlooker:
    """Looks at every checkpoint of a confidence sequence and never stops."""

    def __init__(self, truth: list[float], precision: float) -> None:
        self.truth = truth
        self.sequence = WinShareSequence(len(truth), precision)
        self.ever_wrong = False

    def checkpoints(self, games: int) -> tuple[int, ...]:
        """Those of the sequence."""
        return self.sequence.checkpoints(games)

    def observe(self, point: Checkpoint) -> bool:
        """Note whether an interval misses its true value."""
        self.sequence.observe(point)
        for interval, true in zip(self.sequence.intervals(), self.truth, strict=True):
            self.ever_wrong |= not interval.low <= true <= interval.high
        return False


def ever_wrong(truth: dict, seeds: range, games: int, precision: float) -> int:
    """In how many runs any seat's sequence was wrong at any checkpoint."""
    strategies = tuple(truth["args"][0].split(","))
    wrong = 0
    for seed in seeds:
        onlooker = Onlooker(truth["win_share"], precision)
        run(experiment(strategies, games, seed), stopping=onlooker)
        wrong += onlooker.ever_wrong
    return wrong


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--sequence-games", type=int, default=40_000)
    parser.add_argument("--line", type=int, default=0, help="line of the reference file")
    arguments = parser.parse_args()
    truth = json.loads(GOLDEN.read_text().splitlines()[arguments.line])
    seeds = range(1, arguments.seeds + 1)
    print(f"{truth['args'][0]}, seeds 1 to {arguments.seeds}, {arguments.games:,} games each\n")
    print("| figure | intervals | contain the true value |")
    print("|---|---|---|")
    hits, trials = covered(truth, seeds, arguments.games)
    for name in trials:
        print(f"| {name} | {trials[name]:,} | {hits[name] / trials[name]:.1%} |")
    precision = 2 / math.sqrt(arguments.sequence_games)
    wrong = ever_wrong(truth, seeds, arguments.sequence_games, precision)
    print(
        f"\nThe confidence sequence of {arguments.sequence_games:,} games, looked at at every "
        f"checkpoint, was ever wrong in {wrong} of {arguments.seeds} runs "
        f"({wrong / arguments.seeds:.1%})."
    )


if __name__ == "__main__":
    main()
