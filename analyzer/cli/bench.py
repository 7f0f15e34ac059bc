"""``analyzer bench``: how fast this machine plays, against plain Python in the same run."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

import typer

from analyzer.cli.options import DebugOptions, Jobs, complete_game, spread
from analyzer.errors import UsageError

ROUNDS = 3
SECONDS_EACH = 0.4
PLAIN = "plain Python, a game at a time"
FEWEST = 300
"""Games that a measurement begins with."""


class Contender(NamedTuple):
    """What is measured: something that plays a number of games."""

    name: str
    players: int
    jobs: int
    play: Callable[[int], object]
    like: int | None = None
    """Place of the one that plays the same table in plain Python; None if there is none."""


@spread(DebugOptions)
def run(
    options: DebugOptions,
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]", help="Measure this game alone.", autocompletion=complete_game
        ),
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Measure how fast this machine plays."""
    from analyzer.cli.output import emit_json, emit_tables, table
    from analyzer.engine.workers import cores
    from analyzer.plugins import find_game, loadable_games

    workers = jobs or cores()
    results = []
    for name in [g.name for g in (loadable_games()[0] if game is None else [find_game(game)])]:
        contenders = _contenders(name, workers)
        if contenders:
            speeds = _measure(contenders)
            results += [
                (name, one, speed, None if one.like is None else speed / speeds[one.like])
                for one, speed in zip(contenders, speeds, strict=True)
            ]
    if game is not None and not results:
        raise UsageError(f"{game} brings no baseline in plain Python to be measured against.")
    if options.json:
        emit_json(
            {
                "schema": "analyzer/bench/1",
                "line_ups": [
                    {
                        "game": name,
                        "line_up": contender.name,
                        "players": contender.players,
                        "jobs": contender.jobs,
                        "games_per_second": speed,
                        "ratio": ratio,
                    }
                    for name, contender, speed, ratio in results
                ],
            }
        )
        return
    columns = ("game", "line-up", "players", "jobs", "games/s", "ratio")
    rows = [
        (name, c.name, str(c.players), str(c.jobs), f"{speed:,.0f}", _times(ratio))
        for name, c, speed, ratio in results
    ]
    emit_tables(
        table(columns, rows, columns[:1], numbers=columns[2:], names=("line-up",)),
        "The ratio is to plain Python with as many of the same players by the same rules; other "
        f"line-ups have none. Measured in turn {ROUNDS} times over; medians.",
        *_best(results),
    )


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:,.1f}"


def _best(results: Sequence[tuple[str, Contender, float, float | None]]) -> list[str]:
    """How many times as many games one job plays, by game."""
    from analyzer.statistics.wording import listed

    told = []
    for game in dict.fromkeys(name for name, *_ in results):
        ratios = [
            ratio
            for name, contender, _, ratio in results
            if name == game and ratio is not None and contender.jobs == 1 and ratio != 1
        ]
        if ratios:
            told.append(f"{max(ratios):,.0f} times as many games of {game}")
    return [f"One job of the engine plays {listed(told)} as plain Python."] if told else []


def _contenders(game_name: str, jobs: int) -> list[Contender]:
    """The standard line-ups of a game, and the baseline for each number of players.

    The baseline plays the game's usual strategy by the usual rules: line-ups of others are measured
    for themselves. None without a baseline.
    """
    from analyzer.engine.runner import run as run_experiment
    from analyzer.plugins import brought, find_game, strategies
    from analyzer.study import make_request

    game = find_game(game_name)
    baseline = brought(game, "baseline")
    if baseline is None:
        return []
    play_one = baseline.play

    def plainly(players: int) -> Callable[[int], None]:
        def play(games: int) -> None:
            chance = random.Random(1)
            for _ in range(games):
                play_one(players, chance)

        return play

    players = game.default_players

    def engine(specs: Sequence[str], workers: int = 1, like: int | None = None) -> Contender:
        def play(games: int) -> object:
            request = make_request(
                "simulate", game, strategies=specs, rules={}, games=games, seed=1
            )
            return run_experiment(request.experiment(), jobs=workers)

        alike = len(set(specs)) == 1
        name = f"{specs[0]} in every seat" if alike else ", ".join(specs)
        return Contender(name, len(specs), workers, play, like)

    others = getattr(baseline, "LINE_UPS", None) or [
        [name] * players
        for name, strategy in strategies(game_name).items()
        if name != game.default_strategy and not strategy.expensive
    ]
    found: list[Contender] = []
    for many in dict.fromkeys((players, *(len(specs) for specs in others))):
        usual, place = [game.default_strategy] * many, len(found)
        found.append(Contender(PLAIN, many, 1, plainly(many), place))
        found.append(engine(usual, 1, place))
        if many == players and jobs > 1:
            found.append(engine(usual, jobs, place))
    return [*found, *(engine(specs) for specs in others)]


def _measure(contenders: list[Contender]) -> list[float]:
    """Median games per second of each, all measured once per round, in turn."""
    games = [_fitting(contender) for contender in contenders]
    speeds: list[list[float]] = [[] for _ in contenders]
    for _ in range(ROUNDS):
        for contender, count, seen in zip(contenders, games, speeds, strict=True):
            seen.append(_speed(contender, count))
    return [statistics.median(seen) for seen in speeds]


def _fitting(contender: Contender) -> int:
    """How many games take about the time that a measurement should."""
    contender.play(FEWEST)  # compiles
    count, before = FEWEST, FEWEST / max(_speed(contender, FEWEST) for _ in range(2))
    while count < 100_000_000:
        # The quicker of two, since a busy machine may stop for as long as few games take; and what
        # more games take more, once that is most of it: few are mostly setting up.
        seconds = 4 * count / max(_speed(contender, 4 * count) for _ in range(2))
        more = seconds - before
        if more >= max(SECONDS_EACH / 4, seconds / 2):
            return int(3 * count * SECONDS_EACH / more) + 1
        count, before = 4 * count, seconds
    return count


def _speed(contender: Contender, games: int) -> float:
    """Games a second, without what getting kernels ready takes: few games are mostly that."""
    from analyzer.kernels.compilation import compiling_seconds

    started, compiled = time.perf_counter(), compiling_seconds()
    contender.play(games)
    seconds = time.perf_counter() - started - (compiling_seconds() - compiled)
    return games / max(seconds, 1e-9)
