"""``analyzer luck GAME``: where the differences in the result come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.cli.options import GameName, RunOptions, spread

if TYPE_CHECKING:
    from analyzer.cli.found import FoundCommand
    from analyzer.cli.output import TextTable
    from analyzer.statistics.luck import LuckTable, Source
    from analyzer.statistics.tables import Estimate
    from analyzer.study.luck import Dissected


@spread(RunOptions)
def run(options: RunOptions, game: GameName) -> None:
    """Say how much of who wins is due to who plays, to each source of chance, and to the rest."""
    from analyzer.cli.runs import carry_out, seed_of
    from analyzer.cli.setup import check_run_options, request_from
    from analyzer.plugins import find_game
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
    carry_out(command().plan(plan, options), options)


def _policies(game: str, options: RunOptions) -> bool:
    """Whether parts of strategies are named."""
    from analyzer.cli.options import policy_option
    from analyzer.plugins import find_game

    return any(policy_option(part) in options.game_options for part in find_game(game).families)


def command() -> FoundCommand:
    """How it is planned, told and drawn."""
    from analyzer.cli.found import FoundCommand
    from analyzer.publishing import draw_luck
    from analyzer.study import luck

    return FoundCommand("luck", luck, "luck", draw_luck, _parts)


def _parts(found: Dissected) -> list[TextTable | str]:
    result = found.result
    parts: list[TextTable | str] = []
    for one in result.tables:
        parts += _table(one)
    parts.append(
        "Shares of the variance, over players and games, of the share of the win and of the final "
        "score less the mean of the table. Of each source: what it explains beyond those above "
        "it; the last one: by itself. Alone: without the other sources. Interplay: what is left."
    )
    return [*parts, f"{result.game} with {result.players} players, seed {result.seed}."]


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
