"""From options to a request: who plays, by which rules, how often."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.cli.options import RunOptions, TableOptions
from analyzer.errors import UsageError
from analyzer.registry import find_game
from analyzer.rules import load_rules
from analyzer.study import DEFAULT_GAMES, Command, Request, make_request, one_a_seat

__all__ = ["check_run_options", "request_from"]


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
    specs = one_a_seat(game, options.strategy or (), options.players)
    return make_request(
        command,
        game,
        strategies=specs,
        rules=load_rules(game, len(specs), options.rules, options.set or ()),
        games=options.games or DEFAULT_GAMES,
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
