"""``analyzer tournament GAME``: every table of some strategies, and which of them wins most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import GameName, RunOptions, spread
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.cli.found import FoundCommand
    from analyzer.cli.output import TextTable
    from analyzer.study.tournament import Ranked, TournamentPlan


@spread(RunOptions)
def run(
    options: RunOptions,
    game: GameName,
    margin: Annotated[
        float | None,
        typer.Option(
            parser=values.parse_margin,
            metavar="X",
            help="What counts as no difference of mean win shares. Default: 0.005.",
        ),
    ] = None,
) -> None:
    """Play every table of some strategies, and say which of them wins most."""
    from analyzer.cli.runs import carry_out, seed_of
    from analyzer.cli.setup import check_run_options

    check_run_options(options)
    if options.rotate:
        raise UsageError(
            "at every table of a tournament all seatings are played anyway; leave --rotate out."
        )
    plan = _plan(game, options, margin, seed_of(options))
    extra = ["--margin", f"{margin:g}"] if margin is not None else []
    carry_out(command().plan(plan, options, extra), options)


def _plan(name: str, options: RunOptions, margin: float | None, seed: int) -> TournamentPlan:
    from analyzer.cli.setup import assignments, given_strategies
    from analyzer.plugins import find_game
    from analyzer.rules import check_players, load_rules
    from analyzer.study.tournament import plan_tournament

    game = find_game(name)
    players = game.default_players if options.players is None else options.players
    check_players(game, players)
    return plan_tournament(
        game,
        given_strategies(game, options),
        players=players,
        rules=load_rules(game, players, options.rules, assignments(game, options)),
        games=options.games,
        seed=seed,
        margin=margin,
        precision=options.precision,
    )


def command() -> FoundCommand:
    """How it is planned, told and drawn."""
    from analyzer.cli.found import FoundCommand
    from analyzer.publishing import draw_ranked
    from analyzer.study import tournament

    return FoundCommand("tournament", tournament, "ranking", draw_ranked, _parts)


def _parts(ranked: Ranked) -> list[TextTable | str]:
    """The ranking, what each wins against fields of equals, and how it was found."""
    from analyzer.cli.output import table
    from analyzer.statistics.wording import games, listed
    from analyzer.study.telling import number, percent, span

    found = ranked.result
    columns = ("strategy", "mean share", "interval", "rating", "worst field", "there")
    rows = [
        (
            s.name,
            percent(s.mean.value),
            span(s.mean, percent),
            "" if s.rating.value is None else number(s.rating.value),
            ", ".join(found.names[spec] for spec in s.worst.field),
            percent(s.worst.share.value),
        )
        for s in found.standings
    ]
    parts: list[TextTable | str] = [
        table(columns, rows, numbers=(*columns[1:4], "there"), names=("strategy", "worst field"))
    ]
    others = found.players - 1
    field = ("against", "best", "wins", "not shown to win less")
    responses = []
    for response in found.responses:
        shares = dict(zip(found.names, response.shares, strict=True))
        responses.append(
            (
                f"{others} x {found.names[response.opponent]}",
                found.names[response.best],
                percent(shares[response.best].value),
                listed([found.names[s] for s in response.candidates if s != response.best] or [""]),
            )
        )
    parts.append(table(field, responses, numbers=("wins",), names=(*field[:2], field[3])))
    if found.nash is not None:
        mixed = [f"{found.names[s]} {percent(part, 0)}" for s, part in found.nash if part > 0]
        parts.append(f"A mixture that nobody wins from: {listed(mixed)}.")
    for circle in found.circles[:3]:
        told = [found.names[s] for s in (*circle.strategies, circle.strategies[0])]
        parts.append(f"In a circle: {' beats '.join(told)}.")
    if found.misfit is not None:
        missed = f"Ratings miss the shares at the tables by {percent(found.misfit)}"
        chance = percent(found.misfit_by_chance)
        parts.append(f"{missed} (root mean square; chance alone makes about {chance}).")
    played = f"{games(found.games)} of {found.game} at each of {len(found.tables):,} tables"
    if len(found.tables) < found.all_tables:
        played += (
            f", a balanced part of {found.all_tables:,}: each strategy, and each two of them, at "
            "about equally many"
        )
    parts.append(f"{played}, {found.players} players, every seating, seed {found.seed}.")
    if found.unfinished:
        parts.append(f"Without a winner at the turn limit: {games(found.unfinished)}.")
    if found.precision_reached is False:
        parts.append("The games ended before the precision was reached; raise --games.")
    return parts
