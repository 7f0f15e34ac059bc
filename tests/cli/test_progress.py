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
    monkeypatch.setattr("analyzer.kernels.compilation.compiling_seconds", lambda: 0.0)
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
    marks = [(1.0, 2000), (2.0, 3000), (3.0, 4000), (5.0, 6000), (6.0, 7000), (11.0, 10_000)]
    play(progress.Lines(), clock, "four random players", marks, 1000)
    assert capsys.readouterr().err.splitlines() == [
        "four random players: 4,000 of 10,000 games, 1,000 games/s, 6 s left",
        "four random players: 7,000 of 10,000 games, 1,000 games/s, 3 s left",
        "four random players: 10,000 of 10,000 games, 600 games/s, under 1 s left",
        "four random players: 10,000 games, 800 games/s, 11 s",
    ]


def test_no_rate_before_it_is_known(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither the first games tell it nor those that wait for workers to start."""
    marks = [(0.5, 300), (20.5, 1000), (23.0, 1500), (26.0, 2100)]
    play(progress.Lines(), clock, "mixed table", marks, 0)
    assert capsys.readouterr().err.splitlines() == [
        "mixed table: 1,000 of 10,000 games",
        "mixed table: 2,100 of 10,000 games, 200 games/s, 40 s left",
        "mixed table: 2,100 games, 200 games/s, 26 s",
    ]


def test_compiling_counts_for_nothing(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = 0.0
    monkeypatch.setattr("analyzer.kernels.compilation.compiling_seconds", lambda: compiled)
    lines = progress.Lines()
    lines.begin("two lowest players", 10_000, 0)
    for seconds, more, done in ((1, 0, 1000), (1, 0, 2000), (31, 30, 3000), (1, 0, 4000)):
        clock.now += seconds
        compiled += more
        lines.advance(done)
    lines.end(4000)
    assert capsys.readouterr().err.splitlines() == [
        "two lowest players: 3,000 of 10,000 games, 1,000 games/s, 7 s left",
        "two lowest players: 4,000 games, 1,000 games/s, 4 s",
    ]


def test_what_was_won_so_far(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    lines = progress.Lines()
    lines.begin("mixed table", 10_000, 0)
    lines.interim({"random": 0.1234, "lowest": 0.4})
    clock.now += 4
    lines.advance(1000)
    assert capsys.readouterr().err == (
        "mixed table: 1,000 of 10,000 games; won so far: lowest 40.0%, random 12.3%\n"
    )
    lines.begin("four random players", 10_000, 0)
    clock.now += 4
    lines.advance(1000)
    assert "won" not in capsys.readouterr().err


def test_short_parts_are_not_told_of(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    lines = progress.Lines()
    for seconds, told in ((0.0, True), (0.9, False), (1.0, True), (0.0, False)):
        play(lines, clock, "four random players", [(seconds, 5)], 0)
        assert bool(capsys.readouterr().err) == told
    play(progress.Lines(), clock, "four random players", [(9.0, 5)], 5)
    assert capsys.readouterr().err == "four random players: 5 of 10,000 games\n"


def test_a_bar_has_games_rate_and_time_left(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=120, get_time=lambda: clock.now)
    monkeypatch.setattr(progress, "console", lambda stderr: console)
    bar = progress.Bar()
    bar.begin("four random players", 1_000_000, 500_000)
    for done in (500_000, 600_000, 700_000, 800_000):
        clock.now += 10.0
        bar.advance(done)
        if done == 500_000:
            bar._bar.refresh()
            assert "games/s" not in shown.getvalue()
    bar._bar.refresh()
    bar.end(800_000)
    told = shown.getvalue()
    assert "four random players" in told
    assert "800,000 of 1,000,000 games, 10,000 games/s, 20 s left" in told


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "under 1 s"), (0.6, "1 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"),
        (3600, "1 h 0 min"), (8700, "2 h 25 min"),
    ],
)  # fmt: skip
def test_times_as_people_say_them(seconds: float, said: str) -> None:
    assert progress.duration(seconds) == said
