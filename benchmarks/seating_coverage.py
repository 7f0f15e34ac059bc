"""How often the strategies' intervals under ``--rotate`` contain the true value, over many seeds.

    python benchmarks/seating_coverage.py turnthetide reactive random middle
    python benchmarks/seating_coverage.py switch16 greedy/leader/deny:16 --equals 4 --seeds 500
    python benchmarks/seating_coverage.py mermaidbeach random greedy random --games 30 258 4000

The true values are those of one long run, whose own error is told. With ``--equals N`` the strategy
sits with N - 1 others that play exactly as it does and have other names, each with its own private
dice: there the true value is 1/N, and whoever is said to win most is said so wrongly.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.plugins import find_game, game_names, strategy_key
from analyzer.statistics.summary import summarize
from analyzer.study import make_request

COPY = """from dataclasses import replace
from analyzer.plugins import strategies

found = strategies({game!r})
copies = [replace(found[key], name=found[key].name + "-{number}") for key in {keys!r}]
globals().update({{f"copy_{{i}}": copy for i, copy in enumerate(copies)}})
"""
"""A file that has strategies anew, under other names."""


def equals(game: str, spec: str, many: int, folder: Path) -> tuple[str, ...]:
    """A strategy and others that play alike: specs of all of them."""
    parts = [part.partition(":") for part in spec.split("/")]
    families = find_game(game).families or ("",)
    keys = [strategy_key(of, name) for of, (name, _, _) in zip(families, parts, strict=True)]
    found = [spec]
    for number in range(1, many):
        path = folder / f"equal{number}.py"
        path.write_text(COPY.format(game=game, keys=keys, number=number), encoding="utf-8")
        renamed = (f"{path}::{name}-{number}{colon}{value}" for name, colon, value in parts)
        found.append("/".join(renamed))
    return tuple(found)


def experiment(game: str, strategies: tuple[str, ...]) -> Experiment:
    """Strategies that change seats, by the usual rules; games and seed are yet to be set."""
    table = list(strategies)
    what = {"rules": {}, "games": 1, "seed": 1, "rotate": True}
    return make_request("simulate", find_game(game), strategies=table, **what).experiment()


def reference(played: Experiment, games: int) -> tuple[dict[str, float], float]:
    """True win share of one copy of each strategy, and the largest error of these."""
    found = summarize(run(replace(played, games=games, seed=2**40)), find_game(played.game))
    shares = {player.strategy: player.win_share for player in found.strategies}
    errors = [share.se or 0.0 for share in shares.values()]
    return {name: share.value or 0.0 for name, share in shares.items()}, max(errors)


def measured(
    played: Experiment, truth: dict[str, float], games: int, seeds: range
) -> tuple[int, int, Counter[str]]:
    """How many intervals contained the true value, how many there were, and all verdicts."""
    hits, trials, verdicts = 0, 0, Counter[str]()
    game = find_game(played.game)
    for seed in seeds:
        found = summarize(run(replace(played, games=games, seed=seed)), game)
        verdicts[found.verdict] += 1
        for player in found.strategies:
            share = player.win_share
            if share.low is not None and share.high is not None:
                trials += 1
                hits += share.low <= truth[player.strategy] <= share.high
    return hits, trials, verdicts


def main() -> None:
    """Print a row for each number of games."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=game_names())
    parser.add_argument("strategies", nargs="+", help="one a player; one alone with --equals")
    parser.add_argument("--equals", type=int, metavar="N", help="players that play alike")
    parser.add_argument("--games", type=int, nargs="+", default=[30, 100, 258, 1000, 4000])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--reference", type=int, default=1_000_000, help="games of the long run")
    arguments = parser.parse_args()
    seeds = range(1, arguments.seeds + 1)
    with TemporaryDirectory() as folder:
        table = tuple(arguments.strategies)
        if arguments.equals:
            (one,) = table
            table = equals(arguments.game, one, arguments.equals, Path(folder))
        played = experiment(arguments.game, table)
        if arguments.equals:
            truth, error = dict.fromkeys(played.holders, 1 / arguments.equals), 0.0
        else:
            truth, error = reference(played, arguments.reference)
        print(f"{', '.join(played.strategies)}; {len(played.seatings)} seatings")
        print(f"seeds 1 to {arguments.seeds}; error of the true values {error:.3%}\n")
        print("| games | intervals | contain the true value | wins most |")
        print("|---|---|---|---|")
        for games in arguments.games:
            hits, trials, verdicts = measured(played, truth, games, seeds)
            most = verdicts["ranked"] / arguments.seeds
            print(
                f"| {games:,} | {trials:,} | {hits / max(1, trials):.1%} | {most:.1%} |", flush=True
            )


if __name__ == "__main__":
    main()
