"""How often `compare` calls two strategies different that play alike, each with private dice.

    python benchmarks/compare_null.py
    python benchmarks/compare_null.py --seeds 500 --games 20000

On the same chance a strategy does not differ from itself at all, which tests nothing. So one side
is a copy of Turn the Tide's `random` that draws from further words made out of the one it is given:
it plays as often every card, but not the same card. At a margin of 0 any lead counts, and the
verdict is looked for at every checkpoint. In at most 5% of runs one may turn up.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from analyzer.engine.runner import run
from analyzer.plugins import find_game
from analyzer.statistics.sequential import DifferenceSequence
from analyzer.study.compare import plan_strategies

COPY = """
from analyzer.contracts import Strategy
from analyzer.kernels.bits import nth_card
from analyzer.kernels.compilation import kernel
from analyzer.kernels.random import bounded, expand


@kernel
def card(view, params, words, out):
    for g in range(out.size):
        which = bounded(expand(words[g], 0), view.cards_left)
        out[g] = nth_card(view.cards[g], which)


private = Strategy(
    game="turnthetide",
    name="private",
    idea="Plays any card, with dice of its own.",
    hooks={"card": card},
    stochastic=frozenset({"card"}),
)
"""


def main() -> None:
    """Count the runs in which a difference is shown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--players", type=int, default=3)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "private.py"
        path.write_text(COPY, encoding="utf-8")
        shown, differing = 0, 0
        for seed in range(asked.seeds):
            plan = plan_strategies(
                find_game("turnthetide"),
                f"{path}::private",
                "random",
                players=asked.players,
                rules={},
                games=asked.games,
                seed=seed,
                margin=0.0,
            )
            contrast = plan.contrast()
            sequence = DifferenceSequence(contrast, 0.0)
            result = run(contrast, stopping=sequence)
            differing += bool(result.sums["difference_sq"].any())
            shown += sequence.reached
    share = shown / asked.seeds
    print(
        f"{asked.seeds} runs of up to {asked.games:,} games with {asked.players} players; games "
        f"differ in {differing} of them. Called different: {shown} ({100 * share:.1f}%)."
    )


if __name__ == "__main__":
    main()
