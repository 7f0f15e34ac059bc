"""The command line: reads it, calls one command, and turns whatever goes wrong into one message.

Nothing here takes long to import, so that Ctrl-C is heeded from the start.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from analyzer.cli.output import flush, note, reserved_stdout
from analyzer.cli.signals import end_with, heed_termination, ignore
from analyzer.errors import AnalyzerError, AnalyzerWarning, Interrupted, told

LONGEST = 2000
"""Characters of a message, which may quote something endless."""


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
    if arguments is not None:
        return _run(list(arguments))
    atexit.register(ignore)  # first of all, so that it is called last
    code = _run(sys.argv[1:])
    end_with(code)
    return code


def _run(given: list[str]) -> int:
    debug = "--debug" in given
    # Pictures go to files. A notebook names a backend here that need not be installed for us.
    os.environ["MPLBACKEND"] = "Agg"
    try:
        with heed_termination(), reserved_stdout(), _warnings_as_notes("--quiet" in given):
            call = _read(given)
            if call is not None:
                call()
            flush()
            return 0
    except SystemExit as end:  # typer leaves so after completing a line for the shell
        if isinstance(end.code, str):  # of a plugin: Python tells it, and fails
            _tell(end.code, debug)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
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
    except Exception as error:  # a defect of ours: told in a line, and in full with --debug
        _tell(
            f"this should not have happened: {type(error).__name__}: {told(error).rstrip('.')}. "
            "Give the command again with --debug and report what it prints.",
            debug,
        )
        return 1


@contextlib.contextmanager
def _warnings_as_notes(quiet: bool) -> Iterator[None]:
    """Tell our own warnings as notes, each once, or not at all."""
    told_before: set[str] = set()
    with warnings.catch_warnings():
        before = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, AnalyzerWarning):
                before(message, category, filename, lineno, file, line)
            elif str(message) not in told_before:
                told_before.add(str(message))
                note(str(message))

        warnings.simplefilter("ignore" if quiet else "always", AnalyzerWarning)
        warnings.showwarning = show
        yield


def _tell(text: str, debug: bool) -> None:
    if debug and sys.exc_info()[0] is not None:
        note(traceback.format_exc().rstrip())
    if len(text) > LONGEST:  # what was given is in it; what is allowed comes last
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    note(f"error: {text}")


def _read(given: list[str]) -> Callable[[], None] | None:
    """What the command line asks for.

    That imports what makes half a million objects, which all stay; looking through them for garbage
    again and again takes a tenth of a short run.
    """
    gc.disable()
    try:
        from analyzer.cli.commands import read

        return read(given)
    finally:
        gc.enable()


def _forget_stdout() -> None:
    """Make the interpreter's last flush harmless after standard output failed."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        hole = os.open(os.devnull, os.O_WRONLY)
        os.dup2(hole, sys.stdout.fileno())
        os.close(hole)
