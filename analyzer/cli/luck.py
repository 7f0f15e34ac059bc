"""``analyzer luck GAME``: where the differences in the result come from."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.cli.options import GameName, RunOptions, spread

if TYPE_CHECKING:
    from analyzer import study
    from analyzer.cli.output import TextTable
    from analyzer.rundir import RunDirectory
    from analyzer.statistics.luck import LuckTable, Source
    from analyzer.statistics.tables import Estimate
    from analyzer.study.luck import Dissected


@spread(RunOptions)
def run(options: RunOptions, game: GameName) -> None:
    """Say how much of who wins is due to who plays, to each source of chance, and to the rest."""
    from analyzer.cli.runs import RunPlan, carry_out, seed_of
    from analyzer.cli.setup import check_run_options, request_from
    from analyzer.plugins import find_game
    from analyzer.publishing import draw_luck, publish_luck
    from analyzer.rundir import default_path
    from analyzer.study import luck

    check_run_options(options)
    seed = seed_of(options)
    given = request_from("simulate", game, options, seed=seed)
    plan = luck.plan(
        find_game(game),
        strategies=given.strategies,
        rules=given.rules,
        games=given.games,
        seed=seed,
        own_tables=not (options.strategy or _policies(game, options)),
        precision=given.precision,
    )
    run_plan = RunPlan(
        command="luck",
        request=plan.base,
        identity=plan.identity(),
        path=options.out or default_path(plan.base.game, "luck", seed, plan.digest()),
        files=("tables/luck.csv", "report.html"),
        conclude=partial(luck.conclude, plan),
        tables=publish_luck,
        draw=draw_luck,
        tell=partial(_tell, json=options.json, markdown=options.markdown),
    )
    carry_out(run_plan, options)


def _policies(game: str, options: RunOptions) -> bool:
    """Whether parts of strategies are named."""
    from analyzer.cli.options import policy_option
    from analyzer.plugins import find_game

    return any(policy_option(part) in options.game_options for part in find_game(game).families)


def report(claimed: RunDirectory, path: Path, *, json: bool) -> None:
    """Draw a saved run again, without playing.

    Raises
    ------
    ResultsError
        If nothing was played, or it is damaged.
    """
    from analyzer import study
    from analyzer.cli.runs import draw_again
    from analyzer.publishing import draw_luck, publish_luck
    from analyzer.study import luck

    base = study.Request.from_json(claimed.saved.identity.get("request", {}))
    plan = luck.saved_plan(base, claimed.saved.identity)

    def conclude(archive: study.Archive) -> Dissected:
        found = luck.conclude(plan, archive)
        return replace(found, problems=tuple(archive.problems))

    draw_again(claimed, path, conclude, publish_luck, draw_luck, _tell, json=json)


def _tell(found: Dissected, *, json: bool = False, markdown: bool = False) -> None:
    from analyzer.cli.output import emit_json, emit_tables

    if json:
        emit_json(found.document())
        return
    result = found.result
    parts: list[TextTable | str] = []
    for one in result.tables:
        parts += _table(one)
    parts.append(
        "Shares of the variance, over players and games, of the share of the win and of the final "
        "score less the mean of the table. Of each source: what it explains beyond those above "
        "it; the last one: by itself. Alone: without the other sources. Interplay: what is left."
    )
    parts.append(f"{result.game} with {result.players} players, seed {result.seed}.")
    emit_tables(*parts, result.answer, markdown=markdown)


def _table(found: LuckTable) -> list[TextTable | str]:
    """A row a part, of the wins and of the points."""
    from analyzer.cli.output import table
    from analyzer.statistics.wording import games

    columns = ("source", "of wins", "interval", "alone", "of points", "interval ")
    rows = [
        (win.source, *_cells(win), _percent(win.alone), *_cells(score))
        for win, score in zip(found.shares, found.points, strict=True)
    ]
    head = f"Among {found.name}, {games(found.games)}:"
    if found.unfinished:
        head = f"Among {found.name}, {games(found.games)}, {found.unfinished:,} without a winner:"
    return [head, table(columns, rows, numbers=columns[1:], names=columns[:1])]


def _cells(one: Source) -> tuple[str, str]:
    from analyzer.study.telling import span

    return _percent(one.share), "exactly" if one.known else span(one.share, _told)


def _percent(found: Estimate) -> str:
    return "" if found.value is None else _told(found.value)


def _told(share: float) -> str:
    from analyzer.study.telling import percent

    return percent(share, 1).replace("-0.0%", "0.0%")
