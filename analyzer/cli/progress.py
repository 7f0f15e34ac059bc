"""How far a run is: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from typing import TYPE_CHECKING

from analyzer.cli.output import console, note

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from analyzer.study import Progress

__all__ = ["duration", "make_progress"]

SECONDS_BETWEEN_LINES = 3.0
SECONDS_WORTH_A_LINE = 1.0
"""Parts beside the main one that take less are not told of."""


def make_progress(quiet: bool) -> Progress | None:
    """The progress that suits standard error, or None if none is wanted."""
    if quiet or sys.stderr is None:
        return None
    dumb = os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    return Bar() if sys.stderr.isatty() and not dumb else Lines()


class _Pace:
    """Games per second lately, and what that means for the rest.

    Lately, because the first games wait for kernels to be compiled and for workers to start.
    """

    WINDOW = 20.0

    def __init__(self, part: str, games: int, done: int) -> None:
        self.part = part
        self.games = games
        self.done = done
        self._began = time.monotonic()
        self._before = done
        self._seen: deque[tuple[float, int]] = deque()

    def advance(self, done: int) -> None:
        now = time.monotonic()
        self.done = done
        self._seen.append((now, done))
        while now - self._seen[0][0] > self.WINDOW:
            self._seen.popleft()

    def text(self) -> str:
        told = f"{self.done:,} of {self.games:,} games"
        seconds = self._seen[-1][0] - self._seen[0][0] if self._seen else 0.0
        if seconds < 0.5:
            return told
        rate = (self._seen[-1][1] - self._seen[0][1]) / seconds
        return f"{told}, {rate:,.0f} games/s, {duration((self.games - self.done) / rate)} left"

    def close(self) -> None:
        seconds = time.monotonic() - self._began
        if self.done > self._before and (seconds >= SECONDS_WORTH_A_LINE or self.part == "main"):
            rate = (self.done - self._before) / max(seconds, 1e-9)
            note(f"{self.part}: {self.done:,} games, {rate:,.0f} games/s, {duration(seconds)}")


class Lines:
    """A line every few seconds, and one when a part ends."""

    def begin(self, part: str, games: int, done: int) -> None:
        """A part begins."""
        self._pace = _Pace(part, games, done)
        self._last = time.monotonic()

    def advance(self, done: int) -> None:
        """So many games are done."""
        self._pace.advance(done)
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            note(f"{self._pace.part}: {self._pace.text()}")

    def end(self, done: int) -> None:
        """The part ends."""
        self._pace.done = done
        self._pace.close()


class Bar:
    """A live bar."""

    _bar: RichProgress | None = None

    def begin(self, part: str, games: int, done: int) -> None:
        """A part begins."""
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._pace = _Pace(part, games, done)
        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[told]}", markup=False),
            console=console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(part, total=games, completed=done, told="")
        self._bar.start()

    def advance(self, done: int) -> None:
        """So many games are done."""
        self._pace.advance(done)
        if self._bar is not None:
            self._bar.update(self._task, completed=done, told=self._pace.text())

    def end(self, done: int) -> None:
        """The part ends."""
        self._pace.done = done
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._pace.close()


def duration(seconds: float) -> str:
    """A time as people say it: ``2 h 25 min``."""
    whole = round(seconds)
    if whole < 1:
        return "under 1 s"
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {left} s" if minutes else f"{left} s"
