"""How often `tune` claims to have improved a strategy that cannot be improved.

    python benchmarks/tune_null.py
    python benchmarks/tune_null.py --seeds 500 --games 4000

Two copies of Turn the Tide's `random`, each with a parameter from 0 to 1. One ignores it: whatever
its value, it plays the very same games. The other takes its dice from the parameter: it plays as
often every card, but not the same card, so that among many values tried some look better by chance.
`improved` may be true in at most 2.5% of runs, or false (shown to be worse) in as many.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import analyzer

COPIES = """
from analyzer.contracts import Parameter, Strategy
from analyzer.kernels.bits import nth_card
from analyzer.kernels.compilation import kernel
from analyzer.kernels.random import bounded, expand


@kernel
def ignoring(view, params, words, out):
    for g in range(out.size):
        which = bounded(expand(words[g], 0), view.cards_left)
        out[g] = nth_card(view.cards[g], which)


@kernel
def dicing(view, params, words, out):
    for g in range(out.size):
        which = bounded(expand(words[g], int(1_000_000 * params[0])), view.cards_left)
        out[g] = nth_card(view.cards[g], which)


def copy(name, card):
    return Strategy(
        game="turnthetide",
        name=name,
        idea="Plays any card.",
        hooks={"card": card},
        stochastic=frozenset({"card"}),
        parameters=(Parameter("value", "float", 0.5, "nothing that matters", 0.0, 1.0),),
    )


ignored = copy("ignored", ignoring)
dice = copy("dice", dicing)
"""


def main() -> None:
    """Count what is claimed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--players", type=int, default=3)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "copies.py"
        path.write_text(COPIES, encoding="utf-8")
        for name in ("ignored", "dice"):
            claimed = Counter(
                analyzer.tune(
                    "turnthetide",
                    f"{path}::{name}",
                    fields=[["random"]],
                    players=asked.players,
                    games=asked.games,
                    generations=3,
                    population=6,
                    margin=0.0,
                    seed=seed,
                ).improved
                for seed in range(asked.seeds)
            )
            told = ", ".join(
                f"{str(value).lower()} {claimed[value]}" for value in (None, True, False)
            )
            print(f"{name}: {asked.seeds} runs, improved: {told}")


if __name__ == "__main__":
    main()
