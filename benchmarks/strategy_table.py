"""How every strategy of Turn the Tide fares against three equal rivals, with 99% intervals.

    python benchmarks/strategy_table.py --write docs/strategies-turnthetide.md

Prints Markdown tables; with ``--write`` they replace the marked parts of that page. All runs use
one seed, so that two entries of a column are played on the same deals and tides; seats rotate.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN
from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.registry import canonical_spec, find_game, strategies
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.statistics.intervals import estimate, leave_one_out, share_estimate
from analyzer.statistics.tables import Estimate

GAME = find_game("turnthetide")
PLAYERS = 4
PLAIN = ("random", "lowest", "highest", "middle", "reactive")
THINKING = ("thrifty", "counting", "reader")
TWINS = ("counting", "reader")
FORGETS = "-forgetful"
NINETY_NINE = 5
"""A family of five 95% intervals is made of 99% ones."""

Floats = NDArray[np.float64]


@cache
def played(strategy: str, rival: str, games: int, seed: int) -> ResultSet:
    """A strategy and three equal rivals, seats rotating."""
    table = tuple(canonical_spec(GAME.name, x) for x in (strategy, *[rival] * (PLAYERS - 1)))
    rules = settle(GAME, PLAYERS, {})
    return run(Experiment(GAME.name, table, rules, games, seed, rotate=True))


def shares(result: ResultSet) -> tuple[Floats, float]:
    """(1 + blocks,) win share of the first strategy with its replicates, and its wins."""
    totals = leave_one_out(result.sums, ("games", "wins"))
    classes = np.arange(PLAYERS)
    wins = totals["wins"][:, classes, classes].sum(axis=1) / WHOLE_WIN
    return wins / totals["games"].sum(axis=1), float(wins[0])


def win_share(strategy: str, rival: str, games: int, seed: int) -> Estimate:
    """Its share of the wins with a 99% interval; 25% is an equal share."""
    replicates, wins = shares(played(strategy, rival, games, seed))
    return share_estimate(replicates, wins, games, family=NINETY_NINE)


def worth_of_memory(strategy: str, rival: str, games: int, seed: int) -> Estimate:
    """Win share with memory less win share without, on the same chance: 99% interval."""
    with_memory, _ = shares(played(strategy, rival, games, seed))
    without, _ = shares(played(strategy + FORGETS, rival, games, seed))
    return estimate(with_memory - without, family=NINETY_NINE)


def cell(found: Estimate, signed: bool = False) -> str:
    """Percent, plus or minus the wider half of the interval."""
    assert found.value is not None
    text = f"{100 * found.value:{'+' if signed else ''}.1f}"
    if found.low is None or found.high is None:
        return text
    half = max(found.high - found.value, found.value - found.low)
    return f"{text} ± {max(100 * half, 0.1):.1f}"


def markdown(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    """A table whose columns but the first are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def share_rows(rivals: Sequence[str], games: int, searched: int, seed: int) -> Iterator[list[str]]:
    """A row a strategy, cheap ones first."""
    everybody = strategies(GAME.name)
    ordered = [*PLAIN, *(name for name in everybody if name not in PLAIN)]
    for name in sorted(ordered, key=lambda n: (everybody[n].expensive, n not in PLAIN)):
        count = searched if everybody[name].expensive else games
        yield [f"`{name}`", *(cell(win_share(name, rival, count, seed)) for rival in rivals)]


def memory_rows(games: int, seed: int) -> Iterator[list[str]]:
    """A row a field, a column a pair of twins."""
    for rival in (*PLAIN, *THINKING):
        found = [worth_of_memory(name, rival, games, seed) for name in TWINS]
        yield [f"three `{rival}`", *(cell(x, signed=True) for x in found)]


def main() -> None:
    """Parse, play, print or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=32_768)
    parser.add_argument("--searched", type=int, default=1024, help="games of expensive strategies")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, help="page whose marked parts are replaced")
    args = parser.parse_args()
    sizes = args.games, args.searched, args.seed
    note = (
        f"Win shares in percent, 4 players, printed rules, seed {args.seed}, {args.games:,} games "
        f"an entry (`lookahead`: {args.searched:,}), 99% intervals."
    )
    parts = {
        "plain": markdown(["against three", *PLAIN], share_rows(PLAIN, *sizes)),
        "thinking": markdown(["against three", *THINKING], share_rows(THINKING, *sizes)),
        "memory": markdown(["field", *TWINS], memory_rows(args.games, args.seed)),
    }
    page = args.write.read_text(encoding="utf-8") if args.write else ""
    for name, table in parts.items():
        text = f"{note}\n\n{table}" if name == "plain" else table
        print(text, end="\n\n")
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        page = re.sub(
            f"{begin}.*?{end}", lambda _, t=text, b=begin, e=end: f"{b}\n{t}\n{e}", page, flags=re.S
        )
    if args.write:
        args.write.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
