"""``analyzer fairness GAME``: whether a game is fair."""

from __future__ import annotations

from typing import Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import GameName, RunOptions, spread


@spread(RunOptions)
def run(
    options: RunOptions,
    game: GameName,
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPECS",
            help="Ask the same for another table of strategies, joined by '+'; may be repeated. "
            "none judges the main table alone; without --strategy and --field the game's own ways "
            "of playing, from careless to thoughtful, are judged.",
        ),
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Look for rules that would be fairer.")
    ] = False,
    margin: Annotated[
        float | None,
        typer.Option(
            parser=values.parse_margin,
            metavar="X",
            help="What counts as no difference: of win shares (default 0.005), or in the unit of "
            "the figure that the game is judged by.",
        ),
    ] = None,
) -> None:
    """Answer the question whether a game is fair."""
    from analyzer.cli.play import play

    play("fairness", game, options, fields=field or (), suggest=suggest, margin=margin)
