"""Search a strategy's parameters by playing, one parameter at a time.

    python benchmarks/tune_turnthetide.py counting --fields random,reactive,thrifty

A setting's worth is its mean win share over tables with three equal rivals, each field played with
the same chance for every setting, so that differences are due to the parameters. Each
parameter is moved up or down by its step as long as that helps; then the steps are halved. The best
of many noisy values looks better than it is: report it on another seed (strategy_table.py does).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from analyzer.contracts import WHOLE_WIN
from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.plugins import find_game, strategies
from analyzer.rules import settle
from analyzer.specs import bind

GAME = find_game("turnthetide")
RIVALS = 3


def win_share(spec: str, rival: str, games: int, seed: int) -> float:
    """Win share of a strategy among three equal rivals."""
    rules = settle(GAME, 1 + RIVALS, {})
    table = [bind(GAME.name, x, rules, 1 + RIVALS).spec for x in (spec, *[rival] * RIVALS)]
    result = run(Experiment(GAME.name, tuple(table), rules, games, seed))
    return float(result.sums["wins"][0, 0].sum()) / (WHOLE_WIN * games)


def worth(
    name: str, values: Mapping[str, float], fields: list[str], games: int, seed: int
) -> float:
    """Mean win share over the fields, printed with each of them."""
    spec = name + ":" + ",".join(f"{key}={value:g}" for key, value in values.items())
    shares = [win_share(spec, rival, games, seed) for rival in fields]
    mean = sum(shares) / len(shares)
    print(f"{mean:8.4f}  {spec}  " + " ".join(f"{100 * x:.1f}" for x in shares), flush=True)
    return mean


def climb(name: str, start: Mapping[str, float], fields: list[str], games: int, seed: int,
          halvings: int) -> dict[str, float]:  # fmt: skip
    """The best values found."""
    declared = {p.name: p for p in strategies(GAME.name)[name].parameters}
    values = {key: start.get(key, float(p.default)) for key, p in declared.items()}
    steps = {key: max(abs(value) / 2, 0.1) for key, value in values.items()}
    best = worth(name, values, fields, games, seed)
    for _ in range(halvings):
        for key, parameter in declared.items():
            for direction in (1, -1):
                before = best
                while True:
                    moved = values[key] + direction * steps[key]
                    moved = min(max(moved, parameter.low), parameter.high)
                    if parameter.kind == "int":
                        moved = round(moved)
                    trial = {**values, key: moved}
                    if moved == values[key]:
                        break
                    found = worth(name, trial, fields, games, seed)
                    if found <= best:
                        break
                    best, values = found, trial
                if best > before:
                    break
        steps = {key: step / 2 for key, step in steps.items()}
    return values


def main() -> None:
    """Parse, search, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("strategy")
    parser.add_argument("--fields", default="random,reactive,thrifty,counting,reader")
    parser.add_argument("--start", default="", help="key=value,key=value")
    parser.add_argument("--games", type=int, default=8192)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--halvings", type=int, default=3)
    args = parser.parse_args()
    start = {
        key: float(value)
        for key, _, value in (x.partition("=") for x in args.start.split(",") if x)
    }
    best = climb(args.strategy, start, args.fields.split(","), args.games, args.seed, args.halvings)
    print("best:", ",".join(f"{key}={value:g}" for key, value in best.items()))


if __name__ == "__main__":
    main()
