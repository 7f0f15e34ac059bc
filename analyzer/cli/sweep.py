"""``analyzer sweep GAME``: a setting, the players or a strategy's parameter at several values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import GameName, RunOptions, spread
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.cli.found import FoundCommand
    from analyzer.cli.output import TextTable
    from analyzer.statistics.sweep import Sweep
    from analyzer.statistics.tables import Estimate
    from analyzer.study.sweep import Swept

COLUMNS = 5
"""Points that a terminal shows beside each other where all figures are told."""
STANDING = {"best": "best", "candidate": "not shown worse", "worse": "worse", "": ""}


@spread(RunOptions)
def run(
    options: RunOptions,
    game: GameName,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="A setting, 'players', or a strategy's parameter as SPEC:key=..., over "
            "LOW..HIGH, LOW..HIGH:STEP or A,B,C; once or twice.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The figure that decides, as in compare. Default: all are told; of a strategy its "
            "win share.",
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            parser=values.parse_target, metavar="X", help="Best is what brings it nearest to X."
        ),
    ] = None,
    highest: Annotated[bool, typer.Option("--highest", help="Best is the highest.")] = False,
    lowest: Annotated[bool, typer.Option("--lowest", help="Best is the lowest.")] = False,
) -> None:
    """Say how figures change with a rule, the players or a strategy, and where one is best."""
    from analyzer.cli.runs import carry_out, seed_of
    from analyzer.cli.setup import check_run_options, given_table
    from analyzer.plugins import find_game
    from analyzer.study import DEFAULT_GAMES, sweep

    check_run_options(options)
    if not vary:
        raise UsageError(
            "say what is varied: --vary KEY=LOW..HIGH or KEY=A,B,C, where KEY is a setting of the "
            "rules or 'players', or --vary SPEC:key=LOW..HIGH for a strategy's parameter."
        )
    if options.precision is not None:
        raise UsageError("all points have as many games; give --games and leave --precision out.")
    if highest and lowest:
        raise UsageError("--highest and --lowest contradict each other; leave one out.")
    goal = "highest" if highest else "lowest" if lowest else None
    found = find_game(game)
    strategies, rules = given_table(found, options)
    plan = sweep.plan(
        found,
        vary,
        strategies=strategies,
        players=options.players,
        rules=rules,
        games=options.games or DEFAULT_GAMES,
        seed=seed_of(options),
        rotate=options.rotate,
        metric=metric,
        target=target,
        goal=goal,
    )
    extra = [word for text in vary for word in ("--vary", text)]
    extra += ["--metric", metric] if metric is not None else []
    extra += ["--target", f"{target:g}"] if target is not None else []
    extra += [f"--{goal}"] if goal else []
    carry_out(command().plan(plan, options, extra), options)


def command() -> FoundCommand:
    """How it is planned, told and drawn."""
    from analyzer.cli.found import FoundCommand
    from analyzer.publishing import draw_swept
    from analyzer.study import sweep

    return FoundCommand("sweep", sweep, "sweep", draw_swept, _parts)


def _parts(found: Swept) -> list[TextTable | str]:
    result = found.result
    return [*(_of_one(result) if result.metric else _of_all(result)), *_how(result)]


def _of_one(found: Sweep) -> list[TextTable | str]:
    """A row a point, with the figure that decides."""
    from analyzer.cli.output import table
    from analyzer.statistics.sweep import spell
    from analyzer.statistics.wording import label

    name = str(found.metric)
    axes = [axis.name for axis in found.axes]
    columns = (*axes, label(name), "interval", "")
    rows = [
        (
            *(spell(point.at[axis]) for axis in axes),
            *_figure(point.figures[name], name in found.shares),
            STANDING[point.standing],
        )
        for point in found.points
    ]
    return [table(columns, rows, numbers=columns[:-1], names=columns[-1:])]


def _of_all(found: Sweep) -> list[TextTable | str]:
    """A row a figure, over some of the points."""
    from analyzer.cli.output import table
    from analyzer.statistics.sweep import spell
    from analyzer.statistics.wording import label

    many = len(found.points)
    shown = list(range(many))
    if many > COLUMNS:
        shown = [round(k * (many - 1) / (COLUMNS - 1)) for k in range(COLUMNS)]
    heads = [", ".join(spell(value) for value in found.points[n].at.values()) for n in shown]
    rows = [
        (
            label(name),
            *(_figure(found.points[n].figures[name], name in found.shares)[0] for n in shown),
        )
        for name in found.names
    ]
    axes = ", ".join(axis.name for axis in found.axes)
    columns = (axes, *heads)
    parts: list[TextTable | str] = [table(columns, rows, numbers=heads, names=columns[:1])]
    if many > COLUMNS:
        parts.append(f"{COLUMNS} of {many} points; the table sweep.csv and --json have all.")
    return parts


def _figure(found: Estimate, share: bool) -> tuple[str, str]:
    """A figure and its interval, with as many decimals as tell the ends of the interval apart."""
    from analyzer.study.telling import number, percent, span

    def text(value: float | None) -> str:
        return percent(value, places) if share else number(value, places)

    places = 2
    low, high = found.low, found.high
    while low is not None and high is not None and low < high and text(low) == text(high):
        places += 1
    return text(found.value), span(found, text)


def _how(found: Sweep) -> list[TextTable | str]:
    """How it was found, in sentences."""
    from analyzer.statistics.sweep import said_target
    from analyzer.statistics.wording import games, listed

    many = {point.players for point in found.points}
    who = f"{min(many)} to {max(many)}" if len(many) > 1 else f"{min(many)}"
    parts: list[TextTable | str] = []
    varied = [point.strategy for point in found.points if point.strategy is not None]
    if varied:
        others = list(dict.fromkeys(s for s in found.lineup if s != varied[0]))
        among = f", among {listed(others)}" if others else ""
        parts.append(f"{varied[0]} and the like sit in every seat in turn{among}.")
    played = games(found.games, found.whole)
    parts.append(
        f"{played} of {found.game} with {who} players at each of {len(found.points)} points, on "
        f"the same chance, seed {found.seed}."
    )
    if found.recorded:
        parts.append(found.recorded)
    if math.isfinite(found.loss_bound or math.nan) and found.verdict != "shown":
        lost = said_target(float(f"{found.loss_bound:.2g}"), str(found.metric) in found.shares)
        lost = lost.replace("%", " percentage points")
        parts.append(f"The best one shown gives up at most {lost} to the one that truly is best.")
    if found.unfinished:
        parts.append(f"Without a winner: {games(found.unfinished, found.whole)} of all points.")
    return parts
