"""Ctrl-C and its kin: the first asks a run to end tidily, the second ends it at once."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from analyzer.cli.output import note

MOMENT = 0.02
"""Seconds until an interruption that was lost comes again."""
_waiting: list[threading.Timer] = []
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """While open, a signal is noted instead of raised; a second one raises `KeyboardInterrupt`.

    Parameters
    ----------
    worth_waiting
        Whether there is anything to finish; if not, the first signal raises as well.
    """

    def __init__(self, worth_waiting: Callable[[], bool]) -> None:
        self.asked = False
        self._told = False
        self._worth_waiting = worth_waiting
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        self._before = _install(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        _restore(self._before)

    def __call__(self) -> bool:
        """Whether the run shall end; says so once."""
        if self.asked and not self._told:
            self._told = True
            note("interrupted: the games under way are finished first; once more ends it at once")
        return self.asked

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked or not self._worth_waiting():
            if _is_called_by_compiler(frame):
                _come_again()
                return
            raise KeyboardInterrupt
        # Nothing is written here: what was interrupted may be writing itself.
        self.asked = True


@contextlib.contextmanager
def heed_termination() -> Iterator[None]:
    """Let being told to terminate do what Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        if _is_called_by_compiler(frame):
            _come_again()
            return
        raise KeyboardInterrupt

    before = _install(interrupt)
    try:
        with _nothing_lost():
            yield
    finally:
        _restore(before)


@contextlib.contextmanager
def _nothing_lost() -> Iterator[None]:
    """Let an interruption come again where the first one could not be raised.

    Python code that is called by machine code, or while an object is destroyed, can pass on no
    exception: Python prints a traceback and goes on as if nothing had happened.
    """
    before = sys.unraisablehook

    def notice(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            before(unraisable)
            return
        _come_again()

    sys.unraisablehook = notice
    try:
        yield
    finally:
        sys.unraisablehook = before
        while _waiting:
            _waiting.pop().cancel()


def _is_called_by_compiler(frame: FrameType | None) -> bool:
    """Whether LLVM, in the middle of compiling, has called the code that is interrupted.

    An exception would get lost there, and the machine code with it.
    """
    while frame is not None:
        if frame.f_code.co_name.startswith("_raw_object_cache_"):  # of llvmlite
            return True
        frame = frame.f_back
    return False


def _come_again() -> None:
    """Have an interruption come once more in a moment."""
    main = threading.main_thread().ident
    again = threading.Timer(MOMENT, signal.pthread_kill, (main, signal.SIGINT))
    again.daemon = True
    _waiting.append(again)
    again.start()


def _install(handler: Any) -> dict[int, Any]:
    if threading.current_thread() is not threading.main_thread():
        return {}
    # Run by nohup, we stay when the terminal goes.
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    chosen = [s for s in SIGNALS if s != signal.SIGHUP or not ignored]
    return {s: signal.signal(s, handler) for s in chosen}


def _restore(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, handler)
