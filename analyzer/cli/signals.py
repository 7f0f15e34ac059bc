"""Ctrl-C and its kin: the first asks a run to end tidily, the second ends it at once.

Python heeds signals in its main thread, and not while that is in machine code. The second one
therefore also goes to a thread, which ends the process where the main thread does not come to it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from analyzer.cli.output import note
from analyzer.errors import Interrupted

LAST_GRACE = 3.0
"""Seconds from the second interruption until the process is ended, whatever it is at."""
MOMENT = 0.02
"""Seconds until an interruption that was lost comes again."""
_waiting: list[threading.Timer] = []
_again: list[None] = []
"""Interruptions on their way that nobody but `_come_again` has sent."""
_endings: list[Callable[[], str]] = []
"""Save what is finished when the process has to be ended, and say how to go on; the last counts."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """While open, a signal is noted instead of raised; a second one raises `KeyboardInterrupt`.

    Parameters
    ----------
    worth_waiting
        Whether there is anything to finish; if not, the first signal raises as well.
    ending
        Called, by another thread, if the process is ended while this one is in machine code: saves
        what is finished and says how to go on.
    """

    def __init__(
        self, worth_waiting: Callable[[], bool], ending: Callable[[], str] | None = None
    ) -> None:
        self.asked = False
        self._ending = ending
        self._told = False
        self._worth_waiting = worth_waiting
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        self._before = _install(self._note)
        if self._ending is not None:
            _endings.append(self._ending)
        return self

    def __exit__(self, *_: object) -> None:
        if self._ending is not None:
            _endings.remove(self._ending)
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
        with _nothing_lost(), _ended_for_certain():
            yield
    finally:
        _restore(before)


def end_with(code: int) -> None:
    """From now on a signal ends the process, with the code that it is about to end with anyway.

    What is left then is to end workers, which takes a moment, and which they do by themselves.
    """
    _install(lambda number, frame: os._exit(code))


def ignore() -> None:
    """Heed no signal any more: Python would have them end the process while it clears up."""
    _install(signal.SIG_IGN)


@contextlib.contextmanager
def _ended_for_certain() -> Iterator[None]:
    """End the process a little after the second signal, if that has not ended it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    read, write = os.pipe()
    os.set_blocking(write, False)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    over = threading.Event()
    listener = threading.Thread(
        target=_listen, args=(read, over), name="analyzer-signals", daemon=True
    )
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        os.close(write)  # which ends the thread
        listener.join(MOMENT)


def _listen(read: int, over: threading.Event) -> None:
    """Wait for two signals, which come as bytes, and for the main thread to heed the second."""
    count = 0
    with open(read, "rb", buffering=0) as signals:
        while count < 2 and (number := signals.read(1)):
            if number[0] not in SIGNALS:
                continue
            if _again:
                _again.pop()
            else:
                count += 1
    if count < 2 or over.wait(LAST_GRACE):
        return
    text = ""
    with contextlib.suppress(Exception):  # whatever it is, the process ends
        text = _endings[-1]() if _endings else ""
    note(text or "interrupted.")
    os._exit(Interrupted.exit_code)


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
    main = threading.main_thread().ident or 0

    def come() -> None:
        _again.append(None)
        signal.pthread_kill(main, signal.SIGINT)

    again = threading.Timer(MOMENT, come)
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
