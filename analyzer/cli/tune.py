"""``analyzer tune GAME``: parameters of a strategy that win more, or rules for a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import GameName, RunOptions, spread
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.cli.found import FoundCommand
    from analyzer.cli.output import TextTable
    from analyzer.statistics.tables import Estimate
    from analyzer.statistics.tune import Tuning
    from analyzer.study.tune import Tuned, TunePlan


@spread(RunOptions)
def run(
    options: RunOptions,
    game: GameName,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=LOW..HIGH]",
            help="A parameter of --strategy to tune; may be repeated. Default: all of them, in "
            "their whole ranges.",
        ),
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPECS",
            help="Opponents: one strategy, or one for each other seat, joined by '+'; may be "
            "repeated. Default: the strategy as it is, and the game's ways of playing.",
        ),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="A setting to tune instead, over LOW..HIGH, LOW..HIGH:STEP or A,B,C; needs "
            "--metric and --target; may be repeated.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The figure that rules are tuned for, as in compare."),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            parser=values.parse_target, metavar="X", help="What that figure shall be near to."
        ),
    ] = None,
    generations: Annotated[
        int | None,
        typer.Option(
            parser=values.parse_generations, metavar="N", help="Rounds of the search; default 15."
        ),
    ] = None,
    population: Annotated[
        int | None,
        typer.Option(
            parser=values.parse_population,
            metavar="N",
            help="Settings tried in each of them; default 10.",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            parser=values.parse_margin,
            metavar="X",
            help="What counts as no improvement: of win shares (default 0.005), or in the unit of "
            "--metric (default 0).",
        ),
    ] = None,
) -> None:
    """Search for parameters of a strategy that win more, or for rules that meet a target."""
    from analyzer.cli.runs import carry_out, seed_of
    from analyzer.cli.setup import check_run_options
    from analyzer.study import tune

    check_run_options(options)
    if options.precision is not None:
        raise UsageError(
            "every evaluation has as many games; give --games and leave --precision out."
        )
    seed = seed_of(options)
    how = {
        "generations": tune.GENERATIONS if generations is None else generations,
        "population": tune.POPULATION if population is None else population,
    }
    if rule:
        if field or vary:
            raise UsageError(
                f"--rule tunes rules and {'--field' if field else '--vary'} a strategy; leave one "
                "out."
            )
        plan = _rules(game, options, rule, metric, target, margin, seed, how)
    else:
        if metric is not None or target is not None:
            other = "--metric" if metric is not None else "--target"
            raise UsageError(f"{other} is for rules: give --rule, or leave it out.")
        plan = _strategy(game, options, vary or (), field or (), margin, seed, how)

    extra = [word for text in vary or () for word in ("--vary", text)]
    extra += [word for text in field or () for word in ("--field", text)]
    extra += [word for text in rule or () for word in ("--rule", text)]
    extra += ["--metric", metric] if metric is not None else []
    extra += ["--target", f"{target:g}"] if target is not None else []
    extra += ["--generations", str(generations)] if generations is not None else []
    extra += ["--population", str(population)] if population is not None else []
    extra += ["--margin", f"{margin:g}"] if margin is not None else []
    carry_out(command().plan(plan, options, extra), options)


def _strategy(
    name: str,
    options: RunOptions,
    vary: Sequence[str],
    fields: Sequence[str],
    margin: float | None,
    seed: int,
    how: dict[str, int],
) -> TunePlan:
    """The plan for a strategy."""
    from analyzer.cli.setup import given_table
    from analyzer.plugins import find_game
    from analyzer.rules import check_players
    from analyzer.study import tune

    game = find_game(name)
    specs, rules = given_table(game, options)
    if len(specs) != 1:
        raise UsageError(
            "give one strategy to tune, --strategy SPEC, and its opponents with --field; or rules "
            "to tune, --rule KEY=LOW..HIGH with --metric NAME and --target X."
        )
    if options.rotate:
        raise UsageError("the strategy sits in every seat already; leave --rotate out.")
    players = game.default_players if options.players is None else options.players
    check_players(game, players)
    return tune.plan_strategy(
        game,
        specs[0],
        vary=vary,
        fields=[text.split("+") for text in fields],
        players=players,
        rules=rules,
        games=options.games or tune.GAMES,
        seed=seed,
        margin=margin,
        **how,
    )


def _rules(
    name: str,
    options: RunOptions,
    rule: Sequence[str],
    metric: str | None,
    target: float | None,
    margin: float | None,
    seed: int,
    how: dict[str, int],
) -> TunePlan:
    """The plan for rules."""
    from analyzer.cli.setup import given_table, request_from
    from analyzer.plugins import find_game
    from analyzer.study import tune

    base = request_from("simulate", name, options, seed=seed)
    base = replace(base, margin=margin, games=options.games or tune.GAMES)
    _, given = given_table(find_game(name), options)
    return tune.plan_rules(base, rule, given, metric=metric, target=target, **how)


def command() -> FoundCommand:
    """How it is planned, told and drawn."""
    from analyzer.cli.found import FoundCommand
    from analyzer.publishing import draw_tuned
    from analyzer.study import tune

    return FoundCommand("tune", tune, "evaluations", draw_tuned, _parts)


def _parts(found: Tuned) -> list[TextTable | str]:
    result = found.result
    sides = _fields(result) if result.fields else _sides(result)
    return [*_what(result), *sides, *_how(result), *filter(None, [_use(result)])]


def _what(found: Tuning) -> list[TextTable | str]:
    """What was searched, and what was found."""
    from analyzer.cli.output import table
    from analyzer.statistics.sweep import spell

    columns = ("tuned", "over", "before", "found")
    rows = [
        (p.name, p.values, spell(p.start), "" if p.found is None else spell(p.found))
        for p in found.parameters
    ]
    return [table(columns, rows, numbers=columns[2:], names=columns[:1])]


def _fields(found: Tuning) -> list[TextTable | str]:
    """A row a field, on the games that report."""
    from analyzer.cli.output import table
    from analyzer.study.telling import percent, span

    def points(one: Estimate) -> tuple[str, str]:
        return percent(one.value, sign=True), span(one, lambda x: percent(x, sign=True))

    columns = ("opponents", "before", "found", "gain, points", "interval")
    rows = [
        (f.opponents, percent(f.before.value), percent(f.after.value), *points(f.difference))
        for f in found.fields
    ]
    if len(rows) > 1 and found.before is not None and found.after is not None:
        sides = (percent(side.figure.value) for side in (found.before, found.after))
        before, after = sides
        rows.append(("mean of these", before, after, *points(found.difference)))
    return [table(columns, rows, numbers=columns[1:], names=columns[:1])]


def _sides(found: Tuning) -> list[TextTable | str]:
    """The figure before and after, on the games that report."""
    from analyzer.cli.output import table
    from analyzer.statistics.wording import label
    from analyzer.study.telling import number, percent, span

    if found.before is None or found.after is None:
        return []
    text = percent if found.share else number
    columns = ("rules", label(found.metric), "interval")
    rows = [
        (side.setting, text(side.figure.value), span(side.figure, text))
        for side in (found.before, found.after)
    ]
    return [table(columns, rows, numbers=columns[1:], names=columns[:1])]


def _how(found: Tuning) -> list[TextTable | str]:
    """How it was found, in sentences."""
    from analyzer.statistics.wording import games

    many = len(found.evaluations)
    if found.method == "exhaustive":
        how = f"All {many} settings were tried once"
    else:
        several = len(found.generations)
        how = f"{many} evaluations in {several} generations, each on fresh games"
    text = (
        f"{how}: {games(found.games)} of {found.game} with {found.players} players each, seed "
        f"{found.seed}."
    )
    if found.finalists:
        best = len(found.finalists)
        text += (
            f" The best {best} were played again to choose one, and that one and the start "
            if best > 1
            else " The best one and the start "
        ) + "once more for what is told here."
    return [text]


def _use(found: Tuning) -> str:
    """What to paste, where it is an improvement."""
    if found.improved is not True:
        return ""
    if found.what == "strategy":
        return f"To use it: --strategy {found.best}"
    return "To use it: " + " ".join(f"--set {word}" for word in found.best.split(" "))
