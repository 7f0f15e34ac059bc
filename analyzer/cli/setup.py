"""From options to a request: who plays, by which rules, how often."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from analyzer.cli.options import RunOptions, TableOptions
from analyzer.contracts import Game
from analyzer.errors import UsageError
from analyzer.registry import find_game
from analyzer.rules import load_rules
from analyzer.study import Command, Request, make_request

__all__ = ["check_run_options", "fresh_seed", "players_of", "request_from"]


def players_of(game: Game, players: int | None) -> int:
    """The number of players asked for, or the game's own.

    Raises
    ------
    UsageError
        If the game is not for so many.
    """
    if players is None:
        return game.default_players
    if not game.min_players <= players <= game.max_players:
        raise UsageError(
            f"{game.name} is for {game.min_players} to {game.max_players} players; "
            f"given --players {players}."
        )
    return players


def fresh_seed() -> int:
    """A seed that nobody chose, 0 to 2^63-1."""
    return secrets.randbits(63)


def request_from(
    command: Command,
    game_name: str,
    options: TableOptions,
    *,
    seed: int,
    fields: Sequence[str] = (),
    suggest: bool = False,
) -> Request:
    """Everything that a command line asks for.

    Raises
    ------
    UsageError
        If anything is unknown, out of range or in contradiction.
    """
    game = find_game(game_name)
    specs = list(options.strategy or [])
    if len(specs) > 1:
        if options.players not in (None, len(specs)):
            raise UsageError(
                f"--strategy is given {len(specs)} times for --players {options.players}; "
                "give it once for all seats, or once per seat and leave out --players."
            )
        players = players_of(game, len(specs))
    else:
        players = players_of(game, options.players)
        specs = (specs or [game.default_strategy]) * players
    return make_request(
        command,
        game,
        strategies=specs,
        rules=load_rules(game, players, options.rules, options.set or ()),
        games=options.games or TableOptions.DEFAULT_GAMES,
        seed=seed,
        rotate=options.rotate,
        precision=options.precision if isinstance(options, RunOptions) else None,
        fields=[field.split("+") for field in fields],
        suggest=suggest,
    )


def check_run_options(options: RunOptions) -> None:
    """Refuse options that contradict each other.

    Raises
    ------
    UsageError
        Naming both.
    """
    saving = {"--out": options.out, "--resume": options.resume, "--force": options.force}
    for name, given in saving.items():
        if options.no_save and given:
            raise UsageError(f"--no-save writes nothing, so {name} has no meaning; leave one out.")
    if options.resume and options.force:
        raise UsageError("--resume continues a run and --force replaces it; leave one out.")
    if options.resume and options.out is None and options.seed is None:
        raise UsageError("--resume needs --out or --seed, to know which run to continue.")
    if options.scheduler is not None and options.backend != "dask":
        raise UsageError("--scheduler is for --backend dask; add that, or leave it out.")
    if options.backend == "dask":
        _require_dask()


def _require_dask() -> None:
    import importlib.util

    if importlib.util.find_spec("distributed") is None:
        raise UsageError(
            "--backend dask needs the package distributed, which is not installed; "
            "install it with: pip install 'analyzer[dask]'."
        )
