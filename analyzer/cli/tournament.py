"""``analyzer tournament GAME``: every table of some strategies, and which of them wins most."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import GameName, RunOptions, spread
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.cli.output import TextTable
    from analyzer.rundir import RunDirectory
    from analyzer.statistics.tournament import Tournament
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
    from analyzer.cli.runs import RunPlan, carry_out, seed_of
    from analyzer.cli.setup import check_run_options
    from analyzer.publishing import draw_ranked, publish_ranked
    from analyzer.rundir import default_path
    from analyzer.study import tournament

    check_run_options(options)
    if options.rotate:
        raise UsageError(
            "at every table of a tournament all seatings are played anyway; leave --rotate out."
        )
    plan = _plan(game, options, margin, seed_of(options))
    run_plan = RunPlan(
        command="tournament",
        request=plan.base,
        identity=plan.identity(),
        path=options.out
        or default_path(plan.base.game, "tournament", plan.base.seed, plan.digest()),
        files=("tables/ranking.csv", "report.html"),
        conclude=partial(tournament.conclude, plan),
        tables=publish_ranked,
        draw=draw_ranked,
        tell=partial(_tell, json=options.json, markdown=options.markdown),
        extra=["--margin", f"{margin:g}"] if margin is not None else [],
    )
    carry_out(run_plan, options)


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


def report(claimed: RunDirectory, path: Path, *, json: bool) -> None:
    """Draw a saved tournament again, without playing.

    Raises
    ------
    ResultsError
        If nothing was played, or it is damaged.
    """
    from analyzer import study
    from analyzer.cli.runs import draw_again
    from analyzer.publishing import draw_ranked, publish_ranked
    from analyzer.study import tournament

    base = study.Request.from_json(claimed.saved.identity.get("request", {}))
    plan = tournament.saved_plan(base, claimed.saved.identity)

    def conclude(archive: study.Archive) -> Ranked:
        found = tournament.conclude(plan, archive)
        return replace(found, problems=tuple(archive.problems))

    draw_again(claimed, path, conclude, publish_ranked, draw_ranked, _tell, json=json)


def _tell(found: Ranked, *, json: bool = False, markdown: bool = False) -> None:
    from analyzer.cli.output import emit_json, emit_tables

    if json:
        emit_json(found.document())
        return
    emit_tables(*_parts(found.result), found.result.answer, markdown=markdown)


def _parts(found: Tournament) -> list[TextTable | str]:
    """The ranking, what each wins against fields of equals, and how it was found."""
    from analyzer.cli.output import table
    from analyzer.statistics.wording import games, listed
    from analyzer.study.telling import number, percent, span

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
