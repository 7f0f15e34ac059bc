"""Whose decision is waited for, and for how long: so that nobody waits for ever.

Compiled code that never returns cannot be broken off from within: Python heeds no signal as long as
its main thread is in there. So other threads look after players, and end the process if need be.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from analyzer.kernels.compilation import is_compiling

LONGEST_LOOK = 1.0
"""Seconds between two looks at what is played, or less if the timeout is short."""
LOOKS = 4
MOST_NUMBERS = 255


class Pulse:
    """What a player is at.

    Attributes
    ----------
    since
        Since when a batch is played or a strategy in plain Python decides, on the clock of
        `time.monotonic`; infinite while nothing is played.
    turn
        Number of the strategy that was asked last, from 1, in an array of one element that machine
        code can write to; 0 for none yet.
    first
        The first game of what is played.
    """

    def __init__(self, specs: Sequence[str]) -> None:
        self.since = math.inf
        self.turn: NDArray[np.uint8] = np.zeros(1, np.uint8)
        self.first = 0
        self._specs = tuple(specs)
        _pulses.add(self)

    def number(self, spec: str) -> int:
        """What stands for a strategy in ``turn``."""
        number = self._specs.index(spec) + 1
        return number if number <= MOST_NUMBERS else 0

    def beat(self) -> None:
        """Something begins, or goes on."""
        self.since = time.monotonic()

    def rest(self) -> None:
        """Nothing is played any more."""
        self.since = math.inf

    @property
    def named(self) -> str:
        """Whose decision is waited for, as far as that is known."""
        number = int(self.turn[0])
        if number or len(self._specs) == 1:
            return f"strategy {self._specs[max(number, 1) - 1]!r}"
        return "one of the strategies " + ", ".join(map(repr, self._specs))


_pulses: WeakSet[Pulse] = WeakSet()


def deciding() -> list[Pulse]:
    """What is played at the moment in this process, the longest first."""
    return sorted((p for p in list(_pulses) if p.since < math.inf), key=lambda p: p.since)


class Lookout:
    """Looks now and then for strategies that do not come back."""

    def __init__(self) -> None:
        self._last_compiling = 0.0

    def overdue(self, seconds: float) -> Pulse | None:
        """What has not come back for so long; compiling takes the time that it takes."""
        now = time.monotonic()
        if is_compiling():
            self._last_compiling = now
        for pulse in deciding():
            if now - max(pulse.since, self._last_compiling) > seconds:
                return pulse
        return None


def looks_every(seconds: float) -> float:
    """Seconds between two looks for a timeout."""
    return min(LONGEST_LOOK, seconds / LOOKS)


def not_back(pulse: Pulse, seconds: float) -> str:
    """What is to be said of a strategy that is overdue."""
    return (
        f"{pulse.named} did not come back within {seconds:g} s, in the games from "
        f"{pulse.first:,} on"
    )


class Watch:
    """Ends a run in which a strategy does not come back.

    Parameters
    ----------
    seconds
        For how long a strategy is waited for.
    stuck
        Called, from another thread, with what is wrong when a strategy of this process does not
        come back; has to end the process.

    Attributes
    ----------
    save
        Saves what is finished of the run under way, whatever its own thread is at.
    """

    def __init__(self, seconds: float, stuck: Callable[[str], object]) -> None:
        self.seconds = seconds
        self.save: Callable[[], object] = lambda: None
        self._stuck = stuck

    @contextmanager
    def over(self, save: Callable[[], object]) -> Iterator[None]:
        """Watch over a run meanwhile."""
        done, lookout = threading.Event(), Lookout()

        def look() -> None:
            while not done.wait(looks_every(self.seconds)):
                pulse = lookout.overdue(self.seconds)
                if pulse is not None:
                    save()
                    self._stuck(not_back(pulse, self.seconds))
                    return

        before, self.save = self.save, save
        threading.Thread(target=look, name="analyzer-watch", daemon=True).start()
        try:
            yield
        finally:
            done.set()
            self.save = before
