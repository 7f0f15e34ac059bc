"""Whether `luck` agrees with brute force: nested simulation and an analysis of variance.

    python benchmarks/luck_nested.py
    python benchmarks/luck_nested.py --game mermaidbeach --outer 3000 --inner 12 --games 400000

For each set of kept sources, every one of the outer games is played again so many times with only
these sources kept and all others redrawn. Then by one-way analysis of variance the mean squares
between games (MSB) and within them (MSW) give what the set explains, (MSB - MSW) / inner, of the
whole, that plus MSW: no covariance of pairs, another number of replays, other games. z is the
difference over both standard errors; of the two, brute force has the wide one.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from analyzer.contracts import Game
from analyzer.engine.replays import ReplayPlayer
from analyzer.engine.runner import run
from analyzer.engine.tally import new_tally
from analyzer.experiment import Replays
from analyzer.kernels.random import stream_seed
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.statistics.intervals import leave_one_out, standard_error
from analyzer.statistics.luck import kept_sets, share_explained

TABLES = {
    "turnthetide": ("random", "reactive", "lowest", "random"),
    "switch16": ("greedy/leader/deny:16", "always/random/hold", "greedy/leader/deny:16"),
    "mermaidbeach": ("random", "greedy", "random", "greedy"),
}


def nested(
    game: Game, lineup: tuple[str, ...], kept: tuple[str, ...], outer: int, inner: int, seed: int
) -> tuple[float, float]:
    """Share of the variance that a set explains, and its standard error, by brute force."""
    rules = settle(game, len(lineup), {})
    replays = Replays(game.name, lineup, rules, outer, seed, rotate=True, kept=(kept,) * inner)
    player = ReplayPlayer(replays)
    between, within = [], []
    for number, _ in enumerate(replays.seatings):
        games = np.arange(number, outer, len(replays.seatings), dtype=np.uint64)
        wins = np.stack(
            [
                again.outcome(games, number, new_tally(game, replays)).wins / 60
                for again in player.again
            ]
        )  # inner, players, games
        between.append(wins.mean(axis=0))
        within.append(wins.var(axis=0, ddof=1))
    means = np.concatenate([m.mean(axis=1) for m in between]).mean()
    # A game is one observation: its seats together.
    mean = np.concatenate(between, axis=1)
    spread = ((mean - means) ** 2).mean(axis=0)
    noise = np.concatenate(within, axis=1).mean(axis=0)
    explained = spread - noise / inner
    return _ratio(explained, explained + noise)


def _ratio(top: np.ndarray, bottom: np.ndarray) -> tuple[float, float]:
    share = top.mean() / bottom.mean()
    error = (top - share * bottom).std(ddof=1) / bottom.mean() / math.sqrt(len(top))
    return float(share), float(error)


def main() -> None:
    """Print a row a set of each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=TABLES, action="append")
    parser.add_argument("--outer", type=int, default=4000)
    parser.add_argument("--inner", type=int, default=10)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    worst = 0.0
    for name in given.game or TABLES:
        game, lineup = find_game(name), TABLES[name]
        started = time.monotonic()
        sets = kept_sets(tuple(game.chance))
        rules = settle(game, len(lineup), {})
        replays = Replays(name, lineup, rules, given.games, given.seed, rotate=True, kept=sets)
        result = run(replays)
        totals = leave_one_out(result.sums)
        print(f"{name}: {' + '.join(lineup)}")
        for time_, kept in enumerate(sets):
            found = share_explained("win", totals, replays, tuple(game.chance), kept)
            error = float(standard_error(found))
            fresh = stream_seed(given.seed, 1 + time_)
            brute, brute_error = nested(game, lineup, kept, given.outer, given.inner, fresh)
            z = (found[0] - brute) / math.hypot(error, brute_error)
            worst = max(worst, abs(z))
            what = " + ".join(("who sits where", *kept))
            print(
                f"  {what:45} luck {100 * found[0]:6.2f}% +-{100 * error:.2f}   "
                f"nested {100 * brute:6.2f}% +-{100 * brute_error:.2f}   z {z:+.2f}"
            )
        print(f"  {time.monotonic() - started:.0f} s")
    print(f"largest |z| {worst:.2f}: {'agrees' if worst < 4 else 'DISAGREES'}")


if __name__ == "__main__":
    main()
