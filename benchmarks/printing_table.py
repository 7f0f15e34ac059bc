"""Printings of preservers in Turn the Tide, by way of playing: what each leaves to the hand dealt.

    python benchmarks/printing_table.py --write docs/strategies-turnthetide.md

Tries all printings in five bands of twelve cards that have as many preservers as today's, at a
table of each way of playing that verdicts speak of. Prints a Markdown table of today's printing, of
the ones that are best where they are worst, and of the best for each way alone; with ``--write`` it
replaces the marked part of that page. Which ones these are, half of the games tell, on one seed;
the figures shown come from all games, on another.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import analyzer
from analyzer.games.turnthetide.figures import Lifesavers
from analyzer.games.turnthetide.study import STUDY
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.statistics.tables import Estimate

GAME = "turnthetide"
PLAYERS = 4
TODAY = (0, 1, 2, 1, 0)
BANDS = ("1-12", "13-24", "25-36", "37-48", "49-60")
SHOWN = 4
"""How many of the best are shown."""
NAMES = ("none", "half", "one")


@cache
def judged(bands: tuple[int, ...], way: str, games: int, seed: int) -> Lifesavers:
    """The figures of a printing among equal players."""
    preservers = dict(zip(BANDS, bands, strict=True))
    found = analyzer.fairness(
        GAME, way, players=PLAYERS, games=games, seed=seed, rules={"preservers": preservers},
        fields=[],
    )  # fmt: skip
    figures: Lifesavers = found.fairness.figures["lifesavers"]
    return figures


def moved(bands: tuple[int, ...], way: str, games: int, seed: int) -> float:
    """Points by which the hand dealt moves a round."""
    return judged(bands, way, games, seed).hand_sd.value or 0.0


def chosen(ways: Sequence[str], games: int, seed: int) -> list[tuple[int, ...]]:
    """Today's printing, the best where they are worst, and the best for each way."""
    every = [x for x in itertools.product(range(3), repeat=5) if sum(x) == sum(TODAY)]
    today = {way: moved(TODAY, way, games, seed) for way in ways}

    def worst(bands: tuple[int, ...]) -> float:
        """What it leaves to the hand compared with today's printing, where that is most."""
        return max(moved(bands, way, games, seed) / today[way] for way in ways)

    best = sorted(every, key=worst)[:SHOWN]
    alone = [min(every, key=lambda bands: moved(bands, way, games, seed)) for way in ways]
    return list(dict.fromkeys([TODAY, *best, *alone]))


def cell(figure: Estimate, scale: float = 1.0, places: int = 2) -> str:
    """A figure and half its interval."""
    if figure.value is None or figure.low is None or figure.high is None:
        return "unknown"
    half = scale * (figure.high - figure.low) / 2
    return f"{scale * figure.value:.{places}f} ± {half:.{places}f}"


def table(games: int, seed: int) -> str:
    """The Markdown table."""
    settled = settle(find_game(GAME), PLAYERS, {})
    ways = [way.spec for way in STUDY.ways(settled, PLAYERS)]
    rows = [
        f"| bands | {' | '.join(f'`{way}`: hand | slope | paid for' for way in ways)} |",
        f"|---|{'---:|' * 3 * len(ways)}",
    ]
    for bands in chosen(ways, games // 2, seed):
        found = [judged(bands, way, games, seed + 1) for way in ways]
        cells = [
            text
            for one in found
            for text in (cell(one.hand_sd), cell(one.slope), cell(one.compensation, 100, 0) + "%")
        ]
        name = ", ".join(NAMES[halves] for halves in bands)
        mark = " (today)" if bands == TODAY else ""
        rows.append(f"| {name}{mark} | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=8192)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    found = table(args.games, args.seed)
    print(found)
    if args.write is not None:
        page = args.write.read_text(encoding="utf-8")
        pattern = r"(<!-- printings -->\n).*?(<!-- end of printings -->)"
        new, count = re.subn(pattern, lambda m: f"{m[1]}{found}\n{m[2]}", page, flags=re.S)
        if count != 1:
            raise SystemExit(f"{args.write} has no marked part for the table of printings.")
        args.write.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
