"""How far a run is: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from analyzer.cli.output import console, note

if TYPE_CHECKING:
    from analyzer.study import Progress

SECONDS_BETWEEN_LINES = 3.0
SECONDS_WORTH_A_LINE = 1.0
"""Parts beside the first one that take less are not told of."""
SECONDS_OF_A_PACE = 0.5
"""A pace that was seen for a shorter time is not told: the first batches are small."""

MOST_LETTERS = 48
"""Of what is played, beside a bar."""
MOST_OF_IT = 0.6
"""A wait for as much of the time of a part so far is one for something to start."""


def make_progress(quiet: bool) -> Progress | None:
    """The progress that suits standard error, or None if none is wanted."""
    if quiet or sys.stderr is None:
        return None
    dumb = os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    return Bar() if sys.stderr.isatty() and not dumb else Lines()


def _playing_time() -> float:
    """A clock that stands still while kernels are compiled, which says nothing of the pace."""
    from analyzer.kernels.compilation import compiling_seconds

    return time.monotonic() - compiling_seconds()


class Lines:
    """A line every few seconds, and one when a part ends."""

    def __init__(self) -> None:
        self._is_first = True

    def begin(self, part: str, games: int, done: int) -> None:
        """A part begins."""
        self._part, self._games = part, games
        self._began, self._last_line = _playing_time(), time.monotonic()
        self._heard = self._began
        self._before = done
        self._shares = ""
        self._first: tuple[float, int] | None = None
        self._mark: tuple[float, int] | None = None

    def advance(self, done: int) -> None:
        """So many games are done."""
        pace = self._pace(done)
        if time.monotonic() - self._last_line < SECONDS_BETWEEN_LINES:
            return
        note(f"{self._part}: {done:,} of {self._games:,} games{pace}{self._shares}")
        self._last_line, self._mark = time.monotonic(), (_playing_time(), done)

    def interim(self, shares: Mapping[str, float]) -> None:
        """What each strategy has won so far."""
        ranked = sorted(shares.items(), key=lambda pair: -pair[1])
        told = ", ".join(f"{name} {100 * share:.1f}%" for name, share in ranked)
        self._shares = f"; won so far: {told}" if told else ""

    def end(self, done: int) -> None:
        """The part ends."""
        now = _playing_time()
        seconds = max(now - self._began, 0.0)
        first, self._is_first = self._is_first, False
        if done <= self._before or (seconds < SECONDS_WORTH_A_LINE and not first):
            return
        since, before = self._first or (now, done)
        if now - since < SECONDS_OF_A_PACE or done <= before:
            since, before = self._began, self._before
        rate = (done - before) / max(now - since, 1e-9)
        note(f"{self._part}: {done:,} games, {rate:,.0f} games/s, {duration(seconds)}")

    def _pace(self, done: int) -> str:
        """Games a second and the time left, once they are known; empty before."""
        now = _playing_time()
        # The first games, and those that wait for workers to start, say nothing of the rate.
        waited = now - self._heard > MOST_OF_IT * (now - self._began) > 0
        self._heard = now
        if self._first is None or waited:
            self._first, self._mark = (now, done), None
        since, before = self._mark = self._mark or self._first
        if now - since < SECONDS_OF_A_PACE or done <= before:
            return ""
        rate = (done - before) / (now - since)
        return f", {rate:,.0f} games/s, {duration((self._games - done) / rate)} left"


class Bar(Lines):
    """A live bar instead of the lines until a part ends."""

    def begin(self, part: str, games: int, done: int) -> None:
        """A part begins."""
        from rich import progress

        super().begin(part, games, done)
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(bar_width=20),
            progress.TextColumn(
                "{task.completed:,} of {task.total:,} games{task.fields[pace]}", markup=False
            ),
            console=console(stderr=True),
            transient=True,
        )
        name = part
        if len(name) > MOST_LETTERS:  # the end tells one file's strategies apart
            name = f"{part[: MOST_LETTERS // 3]}…{part[-2 * MOST_LETTERS // 3 :]}"
        self._task = self._bar.add_task(name, total=games, completed=done, pace="")
        self._bar.start()

    def advance(self, done: int) -> None:
        """So many games are done."""
        pace = self._pace(done)
        self._bar.update(self._task, completed=done, pace=f"{pace}{self._shares}")
        now = _playing_time()
        if self._mark is not None and now - self._mark[0] >= SECONDS_BETWEEN_LINES:
            self._mark = (now, done)  # a pace that changes shows within a few seconds

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
