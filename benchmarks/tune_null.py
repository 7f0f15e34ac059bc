"""How often `tune` claims to have improved a strategy that cannot be improved.

    python benchmarks/tune_null.py
    python benchmarks/tune_null.py --seeds 500 --games 4000

Two ways of throwing dice in Switch 16, each with a parameter from 0 to 1 that changes nothing that
matters. One ignores it: whatever its value, it plays the very same games. The other throws a coin
whether to throw again, and takes its coins from the parameter: it plays neither better nor worse,
but not the same games, so that among many values tried some look better by chance. `improved` may
be true in at most 2.5% of runs, or false (shown to be worse) in as many.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import analyzer

POLICIES = """
from analyzer.contracts import Parameter, Strategy
from analyzer.kernels.compilation import kernel
from analyzer.kernels.random import bounded, expand


@kernel
def always_half(view, params, words, out):
    for g in range(out.size):
        out[g] = bounded(expand(words[g], 0), 2)


@kernel
def coins(view, params, words, out):
    for g in range(out.size):
        out[g] = bounded(expand(words[g], int(1_000_000 * params[0])), 2)


def policy(name, risk):
    return Strategy(
        game="switch16",
        family="risk",
        name=name,
        idea="Throws a coin whether to throw again.",
        hooks={"risk": risk},
        stochastic=frozenset({"risk"}),
        parameters=(Parameter("value", "float", 0.5, "nothing that matters", 0.0, 1.0),),
    )


ignored = policy("ignored", always_half)
dice = policy("dice", coins)
"""


def main() -> None:
    """Count what is claimed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--games", type=int, default=1000)
    asked = parser.parse_args()
    names = {None: "null", True: "true", False: "false"}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policies.py"
        path.write_text(POLICIES, encoding="utf-8")
        for name in ("ignored", "dice"):
            claimed = Counter(
                analyzer.tune(
                    "switch16",
                    f"{path}::{name}/leader/hold",
                    fields=[["greedy/leader/hold"]],
                    players=2,
                    games=asked.games,
                    generations=3,
                    population=6,
                    margin=0.0,
                    seed=seed,
                ).improved
                for seed in range(asked.seeds)
            )
            told = ", ".join(f"{names[value]} {claimed[value]}" for value in names)
            print(f"{name}: {asked.seeds} runs, improved: {told}", flush=True)


if __name__ == "__main__":
    main()
