"""``analyzer strategies``: who can play, and what each tries to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer.cli.options import DebugOptions, complete_game, spread

if TYPE_CHECKING:
    from analyzer.cli.output import TextTable
    from analyzer.contracts import Game, Parameter, Strategy


@spread(DebugOptions)
def run(
    options: DebugOptions,
    game: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", help="Of this game only.", autocompletion=complete_game),
    ] = None,
) -> None:
    """List the strategies with their ideas and parameters."""
    from analyzer.cli.output import emit_json, emit_tables, table
    from analyzer.plugins import find_game, loadable_games, strategies

    games = loadable_games()[0] if game is None else [find_game(game)]
    found = [strategy for one in games for strategy in strategies(one.name).values()]
    if options.json:
        emit_json({"schema": "analyzer/strategies/1", "strategies": [_plain(s) for s in found]})
        return
    columns = ("strategy", "idea", "parameters")
    parts: list[TextTable | str] = []
    for played in games:
        for family in (*played.families, ""):
            rows = [
                (s.name, s.idea, "; ".join(_told(p) for p in s.parameters) or "none")
                for s in found
                if s.game == played.name and s.family == family
            ]
            if rows:
                parts += [_heading(played, family), table(columns, rows, whole=("strategy",))]
    parts.append(
        "A strategy of your own is named PATH.py::NAME; 'analyzer check PATH.py' checks it."
    )
    emit_tables(*parts)


def _heading(game: Game, family: str) -> str:
    """What the strategies below are: whole ones, or parts to be combined."""
    if not game.families:
        return f"{game.name}: --strategy NAME"
    if not family:
        return f"{game.name}, whole strategies: --strategy NAME"
    order = "/".join(name.upper() for name in game.families)
    return f"{game.name}, {family} policies: --{family}-policy NAME, or {order} in --strategy"


def _told(parameter: Parameter) -> str:
    low, high = parameter.low, parameter.high
    span = "true or false" if parameter.kind == "bool" else f"{low:g} to {high:g}"
    return f"{parameter.name} ({span}, default {parameter.default}): {parameter.meaning}"


def _plain(strategy: Strategy) -> dict[str, Any]:
    return {
        "game": strategy.game,
        "strategy": strategy.name,
        "family": strategy.family,
        "idea": strategy.idea,
        "origin": strategy.origin,
        "decisions": sorted(strategy.hooks),
        "parameters": [
            {
                "name": p.name,
                "kind": p.kind,
                "default": p.default,
                "low": p.low,
                "high": p.high,
                "meaning": p.meaning,
            }
            for p in strategy.parameters
        ],
    }
