"""How often the 95% intervals contain the true value, over many seeds.

    python benchmarks/coverage.py --seeds 1000 --games 4000
    python benchmarks/coverage.py --game switch16 --line 2 --seeds 1000 --games 4000

The true values are those of an independent implementation (``tests/golden``), whose own error is
thirty times smaller than that of 4,000 games. Prints the table of ``docs/validation.md``.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.games.switch16 import greed
from analyzer.games.switch16.exact.chain import win_shares
from analyzer.games.switch16.exact.states import Setup
from analyzer.games.turnthetide.lifesavers import analyze
from analyzer.plugins import find_game, game_names
from analyzer.results import Checkpoint, ResultSet
from analyzer.rules import settle
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import Estimate

FOLDER = Path(__file__).parent.parent / "tests" / "golden"
GOLDEN = FOLDER / "turnthetide.jsonl"


def experiment(game: str, strategies: tuple[str, ...], games: int, seed: int) -> Experiment:
    """All sums of the printed rules."""
    rules = settle(find_game(game), len(strategies), {})
    detail = "story" if game == "switch16" else "fairness"
    return Experiment(game, strategies, rules, games, seed, detail)


def estimates(experiment: Experiment, truth: dict) -> Iterator[tuple[str, Estimate, float]]:
    """Name, estimate with interval, and true value of each figure looked at."""
    result = run(experiment)
    game = find_game(experiment.game)
    summary = summarize(result, game)
    for i, seat in enumerate(summary.seats):
        yield "win share", seat.win_share, truth["win_share"][i]
        yield "mean score", seat.mean_score, truth["mean_score"][i]
    if experiment.game == "turnthetide":
        found = analyze(result, None)
        for name in ("slope", "slope_within", "hand_share"):
            yield name, getattr(found, name), truth[name]
        return
    for name, figure in summary.metrics.items():
        yield name, figure, truth[name]
    if experiment.game == "switch16":
        yield change(result, truth)


def change(result: ResultSet, truth: dict) -> tuple[str, Estimate, float]:
    """What another policy changes, whose true value is solved."""
    risk, green, block = result.experiment.strategies[0].split("/")
    rival = (f"{risk}/{green}/hold", *result.experiment.strategies[1:])
    other = run(replace(result.experiment, strategies=rival))
    found = greed.analyze(result, (result,), [("block", "hold", (other,))], [("block", block)])
    return "change by another policy", found.rivals[1].change, truth["change"]


def expected(game: str, line: int) -> dict:
    """True values of a line of the reference file, by our own names."""
    truth = json.loads((FOLDER / f"{game}.jsonl").read_text().splitlines()[line])
    if game == "turnthetide":
        return truth
    if game == "mermaidbeach":
        names = {
            "mean_score": "mean_points",
            "turns_per_game": "mean_turns",
            "ask_success_rate": "ask_success",
            "monster_penalty_rate": "monster_penalty",
            "ended_out_of_cards": "end_out_of_cards",
            "ended_monster_alone": "end_monster_alone",
        }
        return truth | {ours: truth[theirs] for ours, theirs in names.items()}
    lineup = truth["args"][0].split(",")
    rival = ["/".join([*lineup[0].split("/")[:2], "hold"]), *lineup[1:]]
    setup = Setup(players=len(lineup))
    own, other = (win_shares(setup, specs).win_share[0] for specs in (lineup, rival))
    counts = ("risks", "busts", "green_swaps", "red_swaps", "blocks_laid")
    return truth | {
        "mean_score": [top - 1 for top in truth["mean_final_top"]],
        "turns_per_game": truth["mean_turns"],
        "change": float(other - own),
        **{f"{name}_per_game": sum(truth[f"{name}_per_game"]) for name in counts},
    }


def covered(
    truth: dict, seeds: range, games: int, game: str = "turnthetide"
) -> tuple[Counter[str], Counter[str]]:
    """How many intervals contained the true value, and how many there were."""
    hits: Counter[str] = Counter()
    trials: Counter[str] = Counter()
    strategies = tuple(truth["args"][0].split(","))
    for seed in seeds:
        for name, estimate, true in estimates(experiment(game, strategies, games, seed), truth):
            if estimate.low is None:  # what never happens, such as swaps by those who never swap
                continue
            trials[name] += 1
            hits[name] += estimate.low <= true <= estimate.high
    return hits, trials


class Onlooker:
    """Looks at every checkpoint of a confidence sequence and never stops."""

    def __init__(self, truth: list[float], precision: float) -> None:
        self.truth = truth
        self.sequence = WinShareSequence((1,) * len(truth), precision)
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


def ever_wrong(
    truth: dict, seeds: range, games: int, precision: float, game: str = "turnthetide"
) -> int:
    """In how many runs any seat's sequence was wrong at any checkpoint."""
    strategies = tuple(truth["args"][0].split(","))
    wrong = 0
    for seed in seeds:
        onlooker = Onlooker(truth["win_share"], precision)
        run(experiment(game, strategies, games, seed), stopping=onlooker)
        wrong += onlooker.ever_wrong
    return wrong


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=game_names(), default="turnthetide")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--sequence-games", type=int, default=40_000)
    parser.add_argument("--line", type=int, default=0, help="line of the reference file")
    arguments = parser.parse_args()
    truth = expected(arguments.game, arguments.line)
    seeds = range(1, arguments.seeds + 1)
    print(f"{truth['args'][0]}, seeds 1 to {arguments.seeds}, {arguments.games:,} games each\n")
    print("| figure | intervals | contain the true value |")
    print("|---|---|---|")
    hits, trials = covered(truth, seeds, arguments.games, arguments.game)
    for name in trials:
        print(f"| {name} | {trials[name]:,} | {hits[name] / trials[name]:.1%} |")
    precision = 2 / math.sqrt(arguments.sequence_games)
    wrong = ever_wrong(truth, seeds, arguments.sequence_games, precision, arguments.game)
    print(
        f"\nThe confidence sequence of {arguments.sequence_games:,} games, looked at at every "
        f"checkpoint, was ever wrong in {wrong} of {arguments.seeds} runs "
        f"({wrong / arguments.seeds:.1%})."
    )


if __name__ == "__main__":
    main()
