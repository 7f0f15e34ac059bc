"""How every strategy of a game fares against three equal rivals, with 99% intervals.

    python benchmarks/strategy_table.py turnthetide --write docs/strategies-turnthetide.md

Prints Markdown tables; with ``--write`` they replace the marked parts of that page. All runs use
one seed, so that two entries of a column are played on the same deals and tides; seats rotate.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.plugins import find_game, game_names, strategies
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.specs import bind
from analyzer.statistics.intervals import estimate, leave_one_out, share_estimate
from analyzer.statistics.seats import strategy_shares
from analyzer.statistics.tables import Estimate

PLAYERS = 4
FORGETS = "-forgetful"


class Fields(NamedTuple):
    """Who else sits at the tables of a game: plain rivals, thinking ones; and who has a twin."""

    plain: tuple[str, ...]
    thinking: tuple[str, ...]
    twins: tuple[str, ...]


FIELDS = {
    "turnthetide": Fields(
        ("random", "lowest", "highest", "middle", "reactive"),
        ("thrifty", "counting", "reader"),
        ("counting", "reader"),
    ),
    "mermaidbeach": Fields(("random", "greedy"), ("attentive", "shrewd"), ("attentive",)),
}
NINETY_NINE = 5
"""A family of five 95% intervals is made of 99% ones."""

Floats = NDArray[np.float64]


@cache
def played(game: str, strategy: str, rival: str, games: int, seed: int) -> ResultSet:
    """A strategy and three equal rivals, seats rotating."""
    rules = settle(find_game(game), PLAYERS, {})
    specs = (strategy, *[rival] * (PLAYERS - 1))
    table = tuple(bind(game, spec, rules, PLAYERS).spec for spec in specs)
    return run(Experiment(game, table, rules, games, seed, rotate=True))


def shares(result: ResultSet) -> tuple[Floats, float]:
    """(1 + blocks,) win share of the first strategy with its replicates, and its wins."""
    experiment = result.experiment
    totals = leave_one_out(result.sums, ("games", "wins"))
    mine = experiment.holders.index(experiment.strategies[0])
    replicates = strategy_shares(totals, experiment)[:, mine]
    return replicates, float(replicates[0] * result.games)


def win_share(game: str, strategy: str, rival: str, games: int, seed: int) -> Estimate:
    """Its share of the wins with a 99% interval; 25% is an equal share."""
    replicates, wins = shares(played(game, strategy, rival, games, seed))
    return share_estimate(replicates, wins, games, family=NINETY_NINE)


def worth_of_memory(game: str, strategy: str, rival: str, games: int, seed: int) -> Estimate:
    """Win share with memory less win share without, on the same chance: 99% interval."""
    with_memory, _ = shares(played(game, strategy, rival, games, seed))
    without, _ = shares(played(game, strategy + FORGETS, rival, games, seed))
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


def share_rows(
    game: str, rivals: Sequence[str], games: int, searched: int, seed: int
) -> Iterator[list[str]]:
    """A row a strategy, cheap ones first."""
    everybody, plain = strategies(game), FIELDS[game].plain
    ordered = [*plain, *(name for name in everybody if name not in plain)]
    for name in sorted(ordered, key=lambda n: (everybody[n].expensive, n not in plain)):
        count = searched if everybody[name].expensive else games
        yield [f"`{name}`", *(cell(win_share(game, name, rival, count, seed)) for rival in rivals)]


def memory_rows(game: str, games: int, seed: int) -> Iterator[list[str]]:
    """A row a field, a column a pair of twins."""
    fields = FIELDS[game]
    for rival in (*fields.plain, *fields.thinking):
        found = [worth_of_memory(game, name, rival, games, seed) for name in fields.twins]
        yield [f"three `{rival}`", *(cell(x, signed=True) for x in found)]


def table_rows(game: str, games: int, seed: int) -> Iterator[list[str]]:
    """A row a pair of twins, two of each at one table: their shares, and the difference."""
    for name in FIELDS[game].twins:
        rules = settle(find_game(game), PLAYERS, {})
        twins = tuple(bind(game, x, rules, PLAYERS).spec for x in (name, name + FORGETS))
        result = run(Experiment(game, twins * 2, rules, games, seed, rotate=True))
        totals = leave_one_out(result.sums, ("games", "wins"))
        each = strategy_shares(totals, result.experiment)
        own, other = (each[:, result.experiment.holders.index(spec)] for spec in twins)
        found = [estimate(x, family=NINETY_NINE) for x in (own, other)]
        gain = estimate(own - other, family=NINETY_NINE)
        yield [f"`{name}`", *(cell(x) for x in found), cell(gain, signed=True)]


def main() -> None:
    """Parse, play, print or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=sorted(FIELDS.keys() & set(game_names())))
    parser.add_argument("--games", type=int, default=32_768)
    parser.add_argument("--searched", type=int, default=1024, help="games of expensive strategies")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, help="page whose marked parts are replaced")
    args = parser.parse_args()
    game, fields = args.game, FIELDS[args.game]
    sizes = args.games, args.searched, args.seed
    dear = [name for name, strategy in strategies(game).items() if strategy.expensive]
    fewer = f" (`{'`, `'.join(dear)}`: {args.searched:,})" if dear else ""
    note = (
        f"Win shares in percent, 4 players, printed rules, seed {args.seed}, {args.games:,} games "
        f"an entry{fewer}, 99% intervals."
    )
    plain, thinking = (
        markdown(["against three", *names], share_rows(game, names, *sizes))
        for names in (fields.plain, fields.thinking)
    )
    twins = ["", "remembers", "forgets", "difference"]
    parts = {
        "plain": plain,
        "thinking": thinking,
        "memory": markdown(["field", *fields.twins], memory_rows(game, args.games, args.seed)),
        "one table": markdown(twins, table_rows(game, args.games, args.seed)),
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
