"""``analyzer fairness GAME``: whether a game is fair."""

from __future__ import annotations

from typing import Annotated

import typer

from analyzer.cli.options import GameName, RunOptions, spread


@spread(RunOptions)
def run(
    options: RunOptions,
    game: GameName,
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPECS",
            help="Ask the same for another table of strategies, joined by '+'; may be repeated.",
        ),
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Look for rules that would be fairer.")
    ] = False,
) -> None:
    """Answer the question whether a game is fair."""
    from analyzer.cli.play import play

    play("fairness", game, options, fields=field or (), suggest=suggest)
