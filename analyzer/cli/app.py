"""The command line: reads it, calls one command, and turns whatever goes wrong into one message."""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from analyzer import __version__
from analyzer.cli import (
    bench,
    check,
    fairness,
    games,
    report,
    rules,
    sensitivity,
    simulate,
    solve,
    strategies,
    trace,
)
from analyzer.cli.output import emit, note
from analyzer.cli.signals import heed_termination
from analyzer.errors import AnalyzerError, Interrupted

__all__ = ["main"]

app = typer.Typer(
    help="Answer questions about board games by playing millions of them.",
    rich_markup_mode=None,  # plain text is there four times sooner
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
for command in (
    games,
    strategies,
    rules,
    simulate,
    fairness,
    trace,
    report,
    sensitivity,
    solve,
    check,
    bench,
):
    app.command(name=command.__name__.rpartition(".")[2])(command.run)


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments
        Without the program's name; default: those of the process.

    Returns
    -------
    int
        The exit code: 0 done, 1 the run failed, 2 something given is wrong, 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    try:
        with heed_termination():
            code = _run(given)
            if sys.stdout is not None:
                sys.stdout.flush()
            return code
    except SystemExit as end:  # typer leaves so after completing a line for the shell
        return end.code if isinstance(end.code, int) else 0
    except BrokenPipeError:
        _forget_stdout()
        return 0
    except KeyboardInterrupt:
        note("interrupted.")
        return Interrupted.exit_code
    except Interrupted as reason:
        note(str(reason))
        return reason.exit_code
    except AnalyzerError as error:
        _tell(str(error), debug)
        return error.exit_code
    except OSError as error:
        _forget_stdout()
        text = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
        where = f": {error.filename!r}" if error.filename else ""
        _tell(f"{text}{where}; nothing half-written was left.", debug)
        return 1
    except MemoryError:
        _tell("there is not enough memory; fewer --jobs need less.", debug)
        return 1
    except Exception as error:
        _tell(
            f"this should not have happened: {type(error).__name__}: {error}. "
            "Give the command again with --debug and report what it prints.",
            debug,
        )
        return 1


def _run(given: list[str]) -> int:
    command = typer.main.get_command(app)
    try:
        call = command.main(args=given, prog_name="analyzer", standalone_mode=False)
    except typer.TyperException as error:
        _tell(_reworded(error), debug=False)
        return 2
    if callable(call):
        call()
        return 0
    return call if isinstance(call, int) else 0


def _reworded(error: typer.TyperException) -> str:
    """A usage error of typer's as one of our messages."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "analyzer"
    text = error.format_message().strip().rstrip(".")
    hint = f"'{path} --help' lists what is allowed."
    name = getattr(error, "option_name", None)
    if name is not None and text.startswith("No such option") and context is not None:
        known = [o for p in context.command.params for o in (*p.opts, *p.secondary_opts)]
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        guess = f"; did you mean {', '.join(near)}?" if near else "."
        return f"'{path}' has no option {name!r}{guess} {hint}"
    return f"{text[:1].lower()}{text[1:]}{'' if text.endswith('?') else '.'} {hint}"


def _tell(text: str, debug: bool) -> None:
    if debug and sys.exc_info()[0] is not None:
        note(traceback.format_exc().rstrip())
    note(f"error: {text}")


def _forget_stdout() -> None:
    """Make the interpreter's last flush harmless after standard output failed."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        hole = os.open(os.devnull, os.O_WRONLY)
        os.dup2(hole, sys.stdout.fileno())
        os.close(hole)


if __name__ == "__main__":
    sys.exit(main())
