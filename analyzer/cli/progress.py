"""How far a run is: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from analyzer.cli.output import console, note

if TYPE_CHECKING:
    from analyzer.study import Progress

SECONDS_BETWEEN_LINES = 3.0
SECONDS_WORTH_A_LINE = 1.0
"""Parts beside the main one that take less are not told of."""


def make_progress(quiet: bool) -> Progress | None:
    """The progress that suits standard error, or None if none is wanted."""
    if quiet or sys.stderr is None:
        return None
    dumb = os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    return Bar() if sys.stderr.isatty() and not dumb else Lines()


class Lines:
    """A line every few seconds, and one when a part ends."""

    def begin(self, part: str, games: int, done: int) -> None:
        """A part begins."""
        self._part, self._games = part, games
        self._began = self._last_line = time.monotonic()
        self._before = done
        self._mark: tuple[float, int] | None = None

    def advance(self, done: int) -> None:
        """So many games are done."""
        now = time.monotonic()
        # The first games, which wait for kernels and workers, say nothing of the rate.
        since, before = self._mark = self._mark or (now, done)
        if now - self._last_line < SECONDS_BETWEEN_LINES:
            return
        told = f"{self._part}: {done:,} of {self._games:,} games"
        if now > since and done > before:
            rate = (done - before) / (now - since)
            told += f", {rate:,.0f} games/s, {duration((self._games - done) / rate)} left"
        note(told)
        self._last_line, self._mark = now, (now, done)

    def end(self, done: int) -> None:
        """The part ends."""
        seconds = time.monotonic() - self._began
        if done > self._before and (seconds >= SECONDS_WORTH_A_LINE or self._part == "main"):
            rate = (done - self._before) / max(seconds, 1e-9)
            note(f"{self._part}: {done:,} games, {rate:,.0f} games/s, {duration(seconds)}")


class Bar(Lines):
    """A live bar instead of the lines until a part ends."""

    def begin(self, part: str, games: int, done: int) -> None:
        """A part begins."""
        from rich import progress

        super().begin(part, games, done)
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(bar_width=20),
            progress.TextColumn("{task.completed:,} of {task.total:,} games{task.fields[rate]}"),
            progress.TimeRemainingColumn(),
            progress.TextColumn("left"),
            console=console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(part, total=games, completed=done, rate="")
        self._bar.start()

    def advance(self, done: int) -> None:
        """So many games are done."""
        speed = self._bar.tasks[self._task].speed
        rate = f", {speed:,.0f} games/s" if speed else ""
        self._bar.update(self._task, completed=done, rate=rate)

    def end(self, done: int) -> None:
        """The part ends."""
        self._bar.stop()
        super().end(done)


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
