"""How often `compare` decides between sides that differ, by the number of games it announces.

    python benchmarks/compare_decided.py
    python benchmarks/compare_decided.py --runs 50 --often 30

One side is Turn the Tide's `random`, the other plays its middle card in one of so many decisions
and otherwise the same. A first run of a few games leaves the comparison undecided and announces how
many more games would decide; the same run goes on to that number.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from analyzer.engine.runner import run
from analyzer.plugins import find_game
from analyzer.statistics.sequential import DifferenceSequence
from analyzer.study.compare import plan_strategies

SOMETIMES = """
from analyzer.contracts import Strategy
from analyzer.kernels.bits import nth_card
from analyzer.kernels.compilation import kernel
from analyzer.kernels.random import bounded, expand


@kernel
def card(view, params, words, out):
    for g in range(out.size):
        if bounded(expand(words[g], 1), {often}) == 0:
            out[g] = nth_card(view.cards[g], view.cards_left >> 1)
        else:
            out[g] = nth_card(view.cards[g], bounded(words[g], view.cards_left))


sometimes = Strategy(
    game="turnthetide",
    name="sometimes",
    idea="Plays any card, and now and then the middle one.",
    hooks={{"card": card}},
    stochastic=frozenset({{"card"}}),
)
"""


def main() -> None:
    """Count the runs that are decided by the games that were announced."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--first", type=int, default=8192, help="games of the first run")
    parser.add_argument("--often", type=int, default=10, help="the middle card once in so many")
    parser.add_argument("--margin", type=float, default=0.005)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sometimes.py"
        path.write_text(SOMETIMES.format(often=asked.often), encoding="utf-8")
        at_once = unknown = in_time = late = 0
        announced = []
        gaps = []
        for seed in range(asked.runs):
            plan = plan_strategies(
                find_game("turnthetide"),
                f"{path}::sometimes",
                "random",
                players=3,
                rules={},
                games=asked.first,
                seed=seed,
                margin=asked.margin,
            )
            contrast = plan.contrast()
            sequence = DifferenceSequence(contrast, asked.margin)
            first = run(contrast, stopping=sequence)
            gaps.append(sequence.intervals()[0].value or 0.0)
            if sequence.reached:
                at_once += 1
                continue
            more = sequence.more_games()
            if more is None:
                unknown += 1
                continue
            announced.append(first.games + more)
            longer = replace(contrast, games=first.games + more)
            sequence = DifferenceSequence(longer, asked.margin)
            run(longer, stopping=sequence)
            in_time += sequence.reached
            late += not sequence.reached
    print(
        f"{asked.runs} runs at a margin of {100 * asked.margin:g} points, mean difference "
        f"{100 * sum(gaps) / len(gaps):.2f} points: decided by the first {asked.first:,} games "
        f"{at_once}, nothing announced {unknown}; of {len(announced)} that were announced "
        f"{sorted(announced)[len(announced) // 2] if announced else 0:,} games (median) {in_time} "
        f"were decided by then, {late} not."
    )


if __name__ == "__main__":
    main()
