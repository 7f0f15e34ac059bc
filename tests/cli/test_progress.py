"""What is told of a run while it goes on."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from analyzer.cli import progress


class Clock:
    """A clock that stands still unless it is set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("time.monotonic", clock)
    return clock


def play(lines: Any, clock: Clock, part: str, marks: list[tuple[float, int]], begun: int) -> None:
    """A part of 10,000 games: how many are done after how many seconds."""
    start = clock.now
    lines.begin(part, 10_000, begun)
    for seconds, done in marks:
        clock.now = start + seconds
        lines.advance(done)
    lines.end(marks[-1][1])


def test_a_line_every_few_seconds_and_one_at_the_end(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    marks = [(1.0, 2000), (2.0, 3000), (3.0, 4000), (5.0, 6000), (6.0, 7000), (16.0, 10_000)]
    play(progress.Lines(), clock, "main", marks, 1000)
    assert capsys.readouterr().err.splitlines() == [
        "main: 4,000 of 10,000 games, 1,000 games/s, 6 s left",
        "main: 7,000 of 10,000 games, 1,000 games/s, 3 s left",
        "main: 10,000 of 10,000 games, 300 games/s, under 1 s left",
        "main: 10,000 games, 562 games/s, 16 s",
    ]


def test_the_first_games_say_nothing_of_the_rate(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    play(progress.Lines(), clock, "flat", [(30.0, 1000), (33.0, 1000), (36.0, 1600)], 0)
    assert capsys.readouterr().err.splitlines() == [
        "flat: 1,000 of 10,000 games",
        "flat: 1,000 of 10,000 games",
        "flat: 1,600 of 10,000 games, 200 games/s, 42 s left",
        "flat: 1,600 games, 44 games/s, 36 s",
    ]


def test_short_parts_are_not_told_of(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    for part, seconds, told in (("flat", 0.9, False), ("flat", 1.0, True), ("main", 0.0, True)):
        play(progress.Lines(), clock, part, [(seconds, 5)], 0)
        assert bool(capsys.readouterr().err) == told
    play(progress.Lines(), clock, "main", [(9.0, 5)], 5)
    assert capsys.readouterr().err == "main: 5 of 10,000 games\n"


def test_a_bar_has_games_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100, get_time=lambda: now)
    monkeypatch.setattr(progress, "console", lambda stderr: console)
    bar = progress.Bar()
    bar.begin("main", 1_000_000, 500_000)
    for done in (500_000, 600_000, 700_000, 800_000):
        now += 10.0
        bar.advance(done)
    bar._bar.refresh()
    bar.end(800_000)
    told = shown.getvalue()
    assert "800,000 of 1,000,000 games, 10,000 games/s 0:00:20 left" in told


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "under 1 s"), (0.6, "1 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"),
        (3600, "1 h 0 min"), (8700, "2 h 25 min"),
    ],
)  # fmt: skip
def test_times_as_people_say_them(seconds: float, said: str) -> None:
    assert progress.duration(seconds) == said
