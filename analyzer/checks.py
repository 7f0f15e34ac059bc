"""Checks that the author of a strategy runs: does it keep its contract?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from analyzer.contracts import BoundStrategy, Game, Strategy
from analyzer.engine.runner import replay, run
from analyzer.errors import AnalyzerError, PluginError
from analyzer.experiment import Experiment
from analyzer.registry import FILE_SPEC, bind, find_game, load_file
from analyzer.results import ResultSet

__all__ = ["Finding", "check_file", "check_strategy"]

GAMES = 1500
REPLAYED = 40
SEED = 20_240_229


@dataclass(frozen=True)
class Finding:
    """What one check saw.

    Attributes
    ----------
    strategy
        Name of the strategy.
    check
        What was checked.
    passed
        Whether it is as it should be.
    text
        What was seen, and what to do about it.
    """

    strategy: str
    check: str
    passed: bool
    text: str


def check_file(file: Path) -> tuple[Finding, ...]:
    """Check every strategy that a file defines.

    Raises
    ------
    PluginError
        If the file cannot be loaded or defines none.
    """
    text = str(file)
    path = text if FILE_SPEC.match(text) else f"./{text}"
    found = {s.name: s for s in vars(load_file(path)).values() if isinstance(s, Strategy)}
    if not found:
        raise PluginError(
            f"{text!r} defines no strategy; assign an analyzer.contracts.Strategy to a name at "
            "the top level of the file."
        )
    return tuple(
        finding
        for strategy in found.values()
        for finding in check_strategy(strategy.game, f"{path}::{strategy.name}", strategy.name)
    )


def check_strategy(game_name: str, spec: str, name: str = "") -> tuple[Finding, ...]:
    """Check one strategy: what it declares, and how it plays.

    Parameters
    ----------
    game_name
        The game it plays.
    spec
        How a user names it.
    name
        What the findings call it; default: the spec.

    Returns
    -------
    tuple of Finding
        Up to and including the first one that failed.
    """
    findings = []
    for check, text, passed in _checks(game_name, spec):
        findings.append(Finding(name or spec, check, passed, text))
        if not passed:
            break
    return tuple(findings)


def _checks(game_name: str, spec: str) -> Iterator[tuple[str, str, bool]]:
    try:
        game = find_game(game_name)
        bound = bind(game_name, spec, _rules(game, game.default_players), game.default_players)
    except AnalyzerError as error:
        yield "declaration", str(error), False
        return
    yield "declaration", f"decides {', '.join(sorted(bound.hooks))}", True
    for players in range(game.min_players, game.max_players + 1):
        check = f"legal, {players} players"
        try:
            _play(game, (spec,) * players)
            _play(game, (spec,) + (game.default_strategy,) * (players - 1))
        except AnalyzerError as error:
            yield check, str(error), False
            return
        yield check, f"{2 * GAMES:,} games without an illegal decision", True
    yield from _alike(game, spec)
    yield "speed", *_speed(game, spec, bound)


def _alike(game: Game, spec: str) -> Iterator[tuple[str, str, bool]]:
    """Whether the same games come out the same, however they are played."""
    table = (spec,) * game.default_players
    once = _play(game, table)
    yield "repeatable", *_compared(
        once,
        _play(game, table),
        "the same games twice give the same results",
        "two runs of the same games differ: it must draw chance from `words` only, and keep "
        "nothing between calls",
    )
    yield "elementwise", *_compared(
        once,
        _play(game, table, lanes=256, task_size=256),
        "batches of 256 games and larger ones give the same results",
        "the size of the batch changes the results: a column must be decided by that column of "
        "the view alone",
    )
    scores = sum(
        replay(once.experiment, number, lambda *_: None).scores[:, 0].astype(np.int64)
        for number in range(REPLAYED)
    )
    few = _play(game, table, games=REPLAYED).sums["score"].sum(axis=(0, -1))
    same = bool(np.array_equal(scores, few))
    yield (
        "alone",
        f"{REPLAYED} games played one by one score the same"
        if same
        else "games played one by one score differently than side by side: a column must be "
        "decided by that column of the view alone",
        same,
    )


def _compared(one: ResultSet, other: ResultSet, good: str, bad: str) -> tuple[str, bool]:
    same = all(np.array_equal(one.sums[name], other.sums[name]) for name in one.sums)
    return (good if same else bad), same


def _speed(game: Game, spec: str, bound: BoundStrategy) -> tuple[str, bool]:
    started = time.perf_counter()
    _play(game, (spec,) * game.default_players, games=4 * GAMES)
    rate = 4 * GAMES / (time.perf_counter() - started)
    way = "compiled" if bound.compiled else "plain Python; the decorator `kernel` compiles it"
    return f"{rate:,.0f} games/s, {way}", True


def _play(
    game: Game, table: tuple[str, ...], *, games: int = GAMES, lanes: int = 4096, task_size: int = 0
) -> ResultSet:
    rules = _rules(game, len(table))
    experiment = Experiment(game.name, table, rules, games, SEED)
    return run(experiment, lanes=lanes, task_size=task_size or None)


def _rules(game: Game, players: int) -> dict[str, object]:
    return {setting.key: setting.default_for(players) for setting in game.settings}
