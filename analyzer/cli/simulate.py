"""``analyzer simulate GAME``: who wins how often, and with which scores."""

from __future__ import annotations

from analyzer.cli.options import GameName, RunOptions, spread


@spread(RunOptions)
def run(options: RunOptions, game: GameName) -> None:
    """Play many games: who wins how often."""
    from analyzer.cli.play import play

    play("simulate", game, options)
