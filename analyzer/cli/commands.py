"""The commands and their options, as typer reads them."""

from __future__ import annotations

import contextlib
import difflib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli import (
    bench,
    check,
    compare,
    fairness,
    games,
    luck,
    report,
    rules,
    sensitivity,
    simulate,
    solve,
    strategies,
    sweep,
    tournament,
    trace,
    tune,
)
from analyzer.cli.game_options import GameCommand
from analyzer.cli.output import emit, note
from analyzer.errors import Interrupted, UsageError
from analyzer.version import __version__

INSTALL, SHOW = "--install-completion", "--show-completion"
app = typer.Typer(
    help="Answer questions about board games by playing millions of them.",
    rich_markup_mode=None,  # plain text is there four times sooner
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
WITH_GAME_OPTIONS = (
    simulate,
    fairness,
    compare,
    sweep,
    tournament,
    tune,
    luck,
    trace,
    sensitivity,
)
for command in (
    games,
    strategies,
    rules,
    simulate,
    fairness,
    compare,
    sweep,
    tournament,
    tune,
    luck,
    trace,
    report,
    sensitivity,
    solve,
    check,
    bench,
):
    app.command(
        name=command.__name__.rpartition(".")[2],
        cls=GameCommand if command in WITH_GAME_OPTIONS else None,
    )(command.run)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)
    ] = False,
) -> None:
    """Answer questions about board games by playing millions of them."""
    if version:
        emit(f"analyzer {__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        emit(context.get_help() + "\n")


def read(given: list[str]) -> Callable[[], None] | None:
    """What a command line asks for: the call to make, or None if help was all.

    Raises
    ------
    UsageError
        If it cannot be understood.
    """
    printed = io.StringIO()
    before = _startup_files() if INSTALL in given else {}
    for option in (INSTALL, SHOW):
        if option in given and len(given) > 1:
            raise UsageError(
                f"{option} stands alone: it is for the shell in which it is given. "
                f"Leave {' '.join(word for word in given if word != option)!r} out."
            )
    try:
        # What typer prints is help, and goes out like any other output.
        with contextlib.redirect_stdout(printed):
            call = typer.main.get_command(app).main(
                args=given, prog_name="analyzer", standalone_mode=False
            )
    except typer.TyperException as error:
        raise UsageError(_reworded(error)) from None
    finally:
        if printed.getvalue():
            emit(printed.getvalue())
        for path, content in _startup_files().items() if before else ():
            if content != before[path]:
                note(f"changed {str(path)!r}, which loads the completion.")
    if call == Interrupted.exit_code:
        raise KeyboardInterrupt  # which typer has turned into a number
    return call if callable(call) else None


def _startup_files() -> dict[Path, bytes | None]:
    """What shells read when they start, where installing a completion may add a line."""
    paths = [Path.home() / name for name in (".bashrc", ".zshrc")]
    return {path: path.read_bytes() if path.is_file() else None for path in paths}


def _reworded(error: typer.TyperException) -> str:
    """A usage error of typer's as one of our messages."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "analyzer"
    text = error.format_message().strip().rstrip(".")
    hint = f"'{path} --help' lists what is allowed."
    name = getattr(error, "option_name", None)
    if name is not None and text.startswith("No such option") and context is not None:
        params = context.command.get_params(context)
        known = [o for p in params for o in (*p.opts, *p.secondary_opts)]
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        guess = f"; did you mean {', '.join(near)}?" if near else "."
        return f"'{path}' has no option {name!r}{guess} {hint}"
    return f"{text[:1].lower()}{text[1:]}{'' if text.endswith('?') else '.'} {hint}"
