"""``analyzer rules GAME``: every setting, its default, where it comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import DebugOptions, GameName, spread

MARK = {
    "source": "From the printed rules.",
    "fact": "A published fact.",
    "assumption": "Our ASSUMPTION, where the rules are silent.",
}


@spread(DebugOptions)
def run(
    options: DebugOptions,
    game: GameName,
    players: Annotated[
        int | None,
        typer.Option(
            parser=values.parse_players, metavar="N", help="Show the defaults for N players."
        ),
    ] = None,
) -> None:
    """List the settings of a game; assumptions are marked."""
    from analyzer.cli.output import emit_json, emit_tables, table
    from analyzer.plugins import find_game
    from analyzer.rules import describe

    found = find_game(game)
    count = found.default_players if players is None else players
    rows = describe(found, count)
    if options.json:
        defaults = {s.key: s.default_for(count) for s in found.settings}
        emit_json(
            {
                "schema": "analyzer/rules/1",
                "game": found.name,
                "players": count,
                "settings": [
                    {
                        "setting": row.key,
                        "default": defaults[row.key],
                        "allowed": row.allowed,
                        "meaning": row.meaning,
                        "source": row.source,
                        "alternatives": list(setting.alternatives),
                    }
                    for row, setting in zip(rows, found.settings, strict=True)
                ],
            }
        )
        return
    shown = [
        (row.key, row.default, f"{row.meaning}. Allowed: {row.allowed}. {MARK[row.source]}")
        for row in rows
    ]
    emit_tables(
        table(("setting", "default", "what it is"), shown, ("setting",), lines=True),
        f"These are the defaults for {count} players. Change one with --set KEY=VALUE, or several "
        "in a file that has them under [rules], with --rules FILE.toml.",
    )
