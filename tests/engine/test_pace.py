"""How fast games are played, which compiling says nothing of."""

from __future__ import annotations

import time
from dataclasses import replace

import numba
import pytest

from analyzer.engine.runner import run
from analyzer.engine.workers import Pace
from analyzer.experiment import Task
from analyzer.kernels.compilation import JIT_DISABLED, compiling_seconds, getting_ready
from analyzer.plugins import find_game
from analyzer.study import make_request


def test_the_time_of_a_run_is_that_of_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("turnthetide")
    asked = make_request("simulate", game, strategies=["random"] * 4, rules={}, games=900, seed=1)
    experiment = asked.experiment()
    whole = run(experiment)
    assert whole.seconds > 0
    compiled = iter([5.0])  # and an hour of compiling after the start
    with monkeypatch.context() as patch:
        patch.setattr("analyzer.engine.runner.compiling_seconds", lambda: next(compiled, 3605.0))
        assert run(experiment).seconds == 0
    begun = replace(run(experiment, cancelled=lambda: True), seconds=7.0)
    assert run(experiment, resume=begun).seconds > 7


def test_what_is_compiled_meanwhile_counts_once() -> None:
    before = compiling_seconds()
    with getting_ready():
        time.sleep(0.05)
        with getting_ready():
            time.sleep(0.05)
    assert 0.1 <= compiling_seconds() - before < 0.15 + 0.2
    time.sleep(0.02)
    assert compiling_seconds() - before < 0.35


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_compiling_is_noticed() -> None:
    @numba.njit
    def twice(x: int) -> int:
        return 2 * x

    before = compiling_seconds()
    assert twice(4) == 8
    after = compiling_seconds()
    assert after > before
    assert twice(5) == 10 and compiling_seconds() == after


def test_tasks_are_made_to_take_a_second() -> None:
    pace = Pace(1024, 10**6)
    assert pace.size() == 1024
    pace.observe(Task(0, 1024), 0.001)
    assert pace.size() == 8 * 1024  # the first one says little
    pace.observe(Task(0, 8192), 2.0)
    assert pace.size() == 4096
    pace.observe(Task(0, 4096), 1e-5)
    pace.observe(Task(0, 32768), 1e-5)
    pace.observe(Task(0, 262144), 1e-5)
    assert pace.size() == 10**6
    pace.observe(Task(0, 10), 1000.0)
    assert pace.size() == 4


@pytest.mark.parametrize(("seatings", "games"), [(1, 1000), (6, 2449), (24, 4898), (720, 5000)])
def test_tasks_of_many_batches_take_longer(seatings: int, games: int) -> None:
    pace = Pace(1000, 10**6, seatings)
    pace.observe(Task(0, 1000), 1.0)
    assert pace.size() == games
