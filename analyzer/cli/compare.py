"""``analyzer compare GAME``: two strategies in the same seat, or two sets of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import GameName, RunOptions, spread
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.cli.found import FoundCommand
    from analyzer.cli.output import TextTable
    from analyzer.statistics.compare import StrategyComparison
    from analyzer.statistics.compare_rules import FigureDifference, RulesComparison
    from analyzer.statistics.tables import Estimate
    from analyzer.study.compare import Compared, ComparePlan


def _rule_option(text: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(metavar="KEY=VALUE", help=text)
    return option


def _file_option(text: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        parser=values.parse_path, metavar="FILE.toml", help=text
    )
    return option


@spread(RunOptions)
def run(
    options: RunOptions,
    game: GameName,
    a: Annotated[
        str | None, typer.Option("--a", metavar="SPEC", help="A strategy; needs --b.")
    ] = None,
    b: Annotated[
        str | None, typer.Option("--b", metavar="SPEC", help="The strategy it is compared with.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPECS",
            help="Opponents beside A among Bs and B among As: one strategy, or one for each other "
            "seat, joined by '+'; may be repeated.",
        ),
    ] = None,
    rules_a: Annotated[Path | None, _file_option("Rules of side A.")] = None,
    rules_b: Annotated[Path | None, _file_option("Rules of side B.")] = None,
    set_a: Annotated[
        list[str] | None, _rule_option("One rule of side A alone; may be repeated.")
    ] = None,
    set_b: Annotated[
        list[str] | None, _rule_option("One rule of side B alone; may be repeated.")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The figure that decides between rules. Default: all, no verdict."
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            parser=values.parse_margin,
            metavar="X",
            help="What counts as no difference: of win shares (default 0.005), or in the unit of "
            "--metric.",
        ),
    ] = None,
) -> None:
    """Say which of two strategies, or sets of rules, is ahead, and by how much."""
    from analyzer.cli.runs import carry_out, seed_of
    from analyzer.cli.setup import check_run_options

    check_run_options(options)
    sides = {"--rules-a": rules_a, "--rules-b": rules_b, "--set-a": set_a, "--set-b": set_b}
    given = [name for name, value in sides.items() if value]
    seed = seed_of(options)
    if a is not None and b is not None:
        if given or metric is not None:
            other = given[0] if given else "--metric"
            raise UsageError(f"--a and --b compare strategies and {other} rules; leave one out.")
        plan = _strategies(game, options, a, b, field or (), margin, seed)
    elif a is not None or b is not None:
        raise UsageError("--a and --b name the two strategies to compare; give both.")
    elif given:
        if field:
            raise UsageError("--field is for strategies (--a and --b); leave it out.")
        plan = _rules(
            game, options, (rules_a, rules_b), (set_a or [], set_b or []), metric, margin, seed
        )
    else:
        raise UsageError(
            "give two strategies, --a SPEC --b SPEC, or two sets of rules: --set-a KEY=VALUE, "
            "--set-b KEY=VALUE, --rules-a FILE or --rules-b FILE; a side without any has the "
            "printed rules."
        )
    extra = [word for name, spec in (("--a", a), ("--b", b)) if spec for word in (name, spec)]
    extra += [word for spec in field or () for word in ("--field", spec)]
    for name, value in sides.items():
        for one in value if isinstance(value, list) else [value]:
            extra += [name, str(one)] if one else []
    extra += ["--metric", metric] if metric is not None else []
    extra += ["--margin", f"{margin:g}"] if margin is not None else []
    early = "it is decided" if plan.what == "strategies" else ""
    carry_out(command().plan(plan, options, extra, early), options)


def _strategies(
    name: str,
    options: RunOptions,
    a: str,
    b: str,
    fields: Sequence[str],
    margin: float | None,
    seed: int,
) -> ComparePlan:
    """The plan for two strategies."""
    from analyzer.cli.setup import assignments
    from analyzer.plugins import find_game
    from analyzer.rules import check_players, load_rules
    from analyzer.study import DEFAULT_GAMES
    from analyzer.study.compare import plan_strategies

    if options.strategy:
        raise UsageError("--a and --b name the strategies; give opponents with --field.")
    if options.rotate:
        raise UsageError("A and B sit in every seat already; leave --rotate out.")
    game = find_game(name)
    players = game.default_players if options.players is None else options.players
    check_players(game, players)
    return plan_strategies(
        game,
        a,
        b,
        players=players,
        rules=load_rules(game, players, options.rules, assignments(game, options)),
        games=options.games or DEFAULT_GAMES,
        seed=seed,
        fields=[field.split("+") for field in fields],
        margin=margin,
        precision=options.precision,
    )


def _rules(
    name: str,
    options: RunOptions,
    files: tuple[Path | None, Path | None],
    sets: tuple[list[str], list[str]],
    metric: str | None,
    margin: float | None,
    seed: int,
) -> ComparePlan:
    """The plan for two sets of rules; what is given for both sides holds for each."""
    from analyzer.cli.setup import assignments, request_from
    from analyzer.plugins import find_game
    from analyzer.rules import load_rules
    from analyzer.study.compare import plan_rules

    if options.rules is not None and any(files):
        raise UsageError("--rules is for both sides, and one side has a file too; leave one out.")
    game = find_game(name)
    common = request_from("simulate", name, options, seed=seed)
    a, b = (
        load_rules(game, common.players, file or options.rules, [*assignments(game, options), *own])
        for file, own in zip(files, sets, strict=True)
    )
    base = replace(common, command="fairness", rules=a, margin=margin)
    return plan_rules(base, b, metric)


def command() -> FoundCommand:
    """How it is planned, told and drawn."""
    from analyzer.cli.found import FoundCommand
    from analyzer.publishing import draw_compared
    from analyzer.study import compare

    return FoundCommand("compare", compare, "comparison", draw_compared, _parts)


def _parts(found: Compared) -> list[TextTable | str]:
    from analyzer.statistics.compare import StrategyComparison

    result = found.result
    return _of_strategies(result) if isinstance(result, StrategyComparison) else _of_rules(result)


def _of_rules(found: RulesComparison) -> list[TextTable | str]:
    """A row a figure, and how it was found."""
    from analyzer.cli.output import table
    from analyzer.statistics.compare import same_chance
    from analyzer.statistics.wording import games, label, to_decide

    columns = ("figure", "A", "B", "A less B", "interval")
    rows = [(label(f.metric), *_compared(f)) for f in found.figures]
    parts: list[TextTable | str] = [
        f"A is {found.a}, B is {found.b}.",
        table(columns, rows, numbers=columns[1:], names=columns[:1]),
        f"{games(found.games, found.whole)} of {found.game} with {found.players} players by each "
        f"set of rules, on the same chance, seed {found.seed}.",
    ]
    if found.recorded:
        parts.append(found.recorded)
    if found.metric is None and len(rows) > 1:
        parts.append("The intervals of all differences hold together.")
    if found.variance_ratio is not None:
        parts.append(same_chance(found.variance_ratio))
    parts += filter(None, [to_decide(found.verdict, found.more_games_needed)])
    return parts


def _compared(found: FigureDifference) -> tuple[str, str, str, str]:
    """A figure under both sets of rules, the difference, and its interval."""
    from analyzer.statistics.compare_rules import said_difference
    from analyzer.study.telling import number, percent

    text = percent if found.share else number
    both = text(found.a.value), text(found.b.value)
    if found.exact:
        return *both, "exactly 0", ""
    told = said_difference(found.difference, found.share, sign=True, fully=True)
    gap, _, interval = told.replace(" percentage points", "").rstrip(")").partition(" (between ")
    return *both, f"{gap} points" if found.share else gap, interval.replace(" and ", " to ")


def _of_strategies(found: StrategyComparison) -> list[TextTable | str]:
    """A row a field, and how it was found."""
    from analyzer.cli.output import table
    from analyzer.statistics.compare import same_chance
    from analyzer.statistics.wording import games, to_decide
    from analyzer.study.telling import percent

    if not found.fields:
        return []
    columns = ("opponents", "A wins", "B wins", "A less B, points", "interval")
    rows = [
        (f.opponents, percent(f.a.value), percent(f.b.value), *_points(f.difference))
        for f in found.fields
    ]
    if len(rows) > 1:
        rows.append(("mean of these", "", "", *_points(found.difference)))
    parts: list[TextTable | str] = [
        f"A is {found.a}, B is {found.b}: in every seat, among the same opponents.",
        table(columns, rows, numbers=columns[1:], names=columns[:1]),
    ]
    played = (
        f"{games(found.games)} of {found.game} with {found.players} players, each with "
        f"{found.lineups} line-ups, seed {found.seed}."
    )
    parts += [same_chance(found.variance_ratio), played]
    if found.unfinished:
        parts.append(
            f"Without a winner at the turn limit: {games(found.unfinished)}, of all line-ups."
        )
    if found.precision_reached is False:
        parts.append("The games ended before the precision was reached; raise --games.")
    parts += filter(None, [to_decide(found.verdict, found.more_games_needed)])
    return parts


def _points(found: Estimate) -> tuple[str, str]:
    """A difference in percentage points, and its interval."""
    from analyzer.study.telling import percent, span

    return percent(found.value, sign=True), span(found, lambda x: percent(x, sign=True))
