"""The same bytes whatever plays them: workers, batches, backends, interruptions, hash seeds."""

from __future__ import annotations

import dataclasses
import hashlib
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from analyzer.engine import workers
from analyzer.engine.batch import Player
from analyzer.engine.runner import history_points, replay, run
from analyzer.errors import AnalyzerWarning, SourcesDiffer, StrategyFailed, UsageError
from analyzer.experiment import Experiment, Task
from analyzer.plugins import find_game
from analyzer.results import Checkpoint, ResultSet
from analyzer.rules import settle


def experiment(
    *strategies: str, games: int = 5000, seed: int = 9, rotate: bool = False, detail="fairness"
) -> Experiment:
    rules = settle(find_game("turnthetide"), len(strategies), {})
    return Experiment("turnthetide", strategies, rules, games, seed, detail, rotate)


MIXED = ("random", "lowest", "reactive")


def fingerprint(result: ResultSet) -> str:
    digest = hashlib.sha256()
    points = [(result.games, result.sums)] + [(p.games, p.sums) for p in result.history]
    for games, sums in points:
        digest.update(str(games).encode())
        for name in sorted(sums):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(sums[name]).tobytes())
    digest.update(repr((result.stopped, result.checkpoints)).encode())
    return digest.hexdigest()


SHARED = (
    {"jobs": 2, "backend": "threads"},
    {"jobs": 3, "backend": "threads", "task_size": 512},
    {"lanes": 256},
    {"lanes": 1024, "task_size": 768},
    {"lanes": 8192},
    {"lanes": 512, "task_size": 256},
)


@pytest.mark.parametrize("rotate", [False, True])
def test_bytes_do_not_depend_on_how_the_work_is_shared(rotate: bool) -> None:
    wanted = fingerprint(run(experiment(*MIXED, rotate=rotate)))
    for options in SHARED:
        assert fingerprint(run(experiment(*MIXED, rotate=rotate), **options)) == wanted, options


@pytest.mark.parametrize("games", [777, pytest.param(6144 + 513, marks=pytest.mark.slow)])
def test_nor_on_where_periods_of_seatings_begin_and_end(games: int) -> None:
    played = experiment("random", "lowest", "lowest", "reactive", games=games, rotate=True)
    wanted = fingerprint(run(played))
    for options in SHARED:
        assert fingerprint(run(played, **options)) == wanted, options
    calls = iter(range(100))
    part = run(played, task_size=256, cancelled=lambda: next(calls) >= 1)
    assert (part.stopped, part.games) == ("interrupted", 512)
    assert fingerprint(run(played, resume=part, lanes=512)) == wanted


def test_bytes_do_not_depend_on_processes() -> None:
    wanted = fingerprint(run(experiment(*MIXED)))
    for jobs in (2, 3):
        assert fingerprint(run(experiment(*MIXED), jobs=jobs, backend="processes")) == wanted


def test_work_called_off_leaves_workers_that_play_on() -> None:
    wanted = fingerprint(run(experiment(*MIXED)))
    for looks in range(1, 5):
        calls = iter(range(100))
        part = run(
            experiment(*MIXED),
            jobs=3,
            backend="processes",
            task_size=256,
            cancelled=lambda calls=calls, looks=looks: next(calls) >= looks,
        )
        assert part.stopped == "interrupted"
        again = run(experiment(*MIXED), jobs=3, backend="processes", resume=part)
        assert fingerprint(again) == wanted


@pytest.mark.parametrize("plays_on", [0, 2])
def test_workers_answer_in_order_and_to_the_same_bytes(plays_on: int, monkeypatch) -> None:
    """Long runs go to worker processes, beside which this one plays too."""
    mine = []
    played = workers._played
    monkeypatch.setattr(workers, "SHORT_RUN", 0.0)
    monkeypatch.setattr(workers, "TRIAL", 1e-9)
    monkeypatch.setattr(workers, "MOST_WAITING", plays_on)
    monkeypatch.setattr(
        workers, "_played", lambda player, task: [mine.append(task), played(player, task)][1]
    )
    wanted = fingerprint(run(experiment(*MIXED)))
    counts = []
    result = run(experiment(*MIXED), jobs=2, task_size=256, progress=counts.append)
    assert fingerprint(result) == wanted
    assert counts == sorted(set(counts))
    assert counts[-1] == 5000
    assert bool(mine) == bool(plays_on)


@pytest.mark.parametrize("games", [1000, 1024, 1025, 5000])
def test_short_runs_start_no_workers(games: int, monkeypatch) -> None:
    monkeypatch.setattr(workers, "_processes", lambda *_: pytest.fail("started workers"))
    assert run(experiment(*MIXED, games=games), jobs=2).games == games


def saved_at(
    monkeypatch: pytest.MonkeyPatch, tasks: int, task: float, saving: float
) -> list[float]:
    """When a run saves, whose tasks and savings take so many seconds of a clock of the test's."""
    now = 100.0
    found: list[float] = []

    def play(games: int) -> None:
        nonlocal now
        now += task

    def save(result: ResultSet) -> None:
        nonlocal now
        found.append(now - 100)
        assert result.stopped == "interrupted" and 0 < result.games < 64 * tasks
        now += saving

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return now

    monkeypatch.setattr("analyzer.engine.runner.time", Clock)
    # A task is over when its games are told.
    run(experiment("random", "random", games=64 * tasks), task_size=64, progress=play, save=save)
    return found


def test_it_saves_after_a_second_and_then_every_five(monkeypatch: pytest.MonkeyPatch) -> None:
    assert saved_at(monkeypatch, 60, 0.25, 0.0) == [1.25, 6.5, 11.75]


def test_saving_takes_little_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = saved_at(monkeypatch, 300, 0.5, 1.5)
    assert first == 1.5 and 1.5 / (second - first) == pytest.approx(0.015, rel=0.01)


def test_a_run_of_one_task_saves_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    assert saved_at(monkeypatch, 1, 60.0, 0.0) == []


def test_a_process_that_may_start_no_others_plays_with_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker of a `multiprocessing.Pool`, which Python ends where it starts processes."""
    one = experiment(*MIXED, games=3000)
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    monkeypatch.setattr(workers, "_processes", lambda *_: pytest.fail("started workers"))
    with pytest.warns(AnalyzerWarning, match="multiprocessing.Pool.*threads instead"):
        shared = run(one, jobs=2, backend="processes", task_size=256)
    assert fingerprint(shared) == fingerprint(run(one))


@pytest.mark.slow
def test_within_a_pool(tmp_path: Path) -> None:
    script = tmp_path / "pool.py"
    script.write_text(
        "import multiprocessing\n"
        "import analyzer\n"
        "def play(jobs):\n"
        "    found = analyzer.simulate('turnthetide', games=40_000, seed=1, jobs=jobs)\n"
        "    return found.to_dict()['seats']\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.apply(play, (2,)) == play(1))\n"
    )
    ran = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, timeout=200
    )
    assert ran.stdout == "True\n", ran.stderr
    assert "plays with threads instead" in ran.stderr and "Traceback" not in ran.stderr


def test_another_seed_gives_other_bytes() -> None:
    assert fingerprint(run(experiment(*MIXED))) != fingerprint(run(experiment(*MIXED, seed=10)))


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_interrupted_and_resumed_is_the_same_as_played_through(looks: int) -> None:
    wanted = run(experiment(*MIXED))
    calls = iter(range(100))
    part = run(experiment(*MIXED), lanes=512, cancelled=lambda: next(calls) >= looks)
    assert part.stopped == "interrupted"
    assert 0 < part.games < wanted.games
    assert fingerprint(run(experiment(*MIXED), resume=part)) == fingerprint(wanted)


def test_results_of_another_experiment_are_not_resumed() -> None:
    with pytest.raises(UsageError, match="another experiment"):
        run(experiment(*MIXED), resume=run(experiment(*MIXED, seed=10)))


class StopAt:
    """Stops at its second look."""

    def __init__(self) -> None:
        self.seen: list[Checkpoint] = []

    def checkpoints(self, games: int) -> tuple[int, ...]:
        return (768, 1792, 3072)

    def observe(self, point: Checkpoint) -> bool:
        self.seen.append(point)
        return point.games >= 1792


@pytest.mark.parametrize("options", [{}, {"jobs": 2, "backend": "threads", "task_size": 256}])
def test_a_stopping_rule_ends_the_run_on_its_checkpoint(options: dict[str, object]) -> None:
    rule = StopAt()
    result = run(experiment(*MIXED), stopping=rule, **options)
    assert (result.stopped, result.games) == ("precision", 1792)
    prefix = run(experiment(*MIXED, games=1792))
    for name, sums in prefix.sums.items():
        np.testing.assert_array_equal(result.sums[name], sums)
    assert [p.games for p in rule.seen] == [768, 1792]
    assert sum(rule.seen[-1].wins) == 60 * 1792


def test_a_resumed_stopping_rule_sees_what_it_saw_before() -> None:
    calls = iter(range(100))
    part = run(experiment(*MIXED), stopping=StopAt(), cancelled=lambda: next(calls) >= 0)
    assert part.games == 768
    rule = StopAt()
    result = run(experiment(*MIXED), stopping=rule, resume=part)
    assert [p.games for p in rule.seen] == [768, 1792]
    assert fingerprint(result) == fingerprint(run(experiment(*MIXED), stopping=StopAt()))


def test_history_is_kept_at_fixed_game_counts() -> None:
    result = run(experiment(*MIXED))
    points = (1024, 2048, 4096)
    assert tuple(p.games for p in result.history) == history_points(result.experiment) == points
    short = run(experiment(*MIXED, games=2048))
    for name, sums in result.history[1].sums.items():
        np.testing.assert_array_equal(sums, short.sums[name])


def test_history_of_many_games_is_kept_after_whole_periods() -> None:
    moving = experiment("random", "lowest", "middle", "highest", games=200_000, rotate=True)
    assert moving.period == 6144
    assert history_points(moving) == (1024, 12288, 24576, 49152, 98304, 196608)
    still = dataclasses.replace(moving, rotate=False)
    assert history_points(still) == tuple(1024 * 2**k for k in range(8))
    # However many more are played, the points that are there stay.
    assert history_points(dataclasses.replace(moving, games=10**6))[:6] == history_points(moving)


def test_one_more_game_adds_exactly_the_game_that_replay_tells() -> None:
    k = 1234
    events: list[tuple[str, dict[str, object]]] = []
    outcome = replay(experiment(*MIXED), k, lambda name, facts: events.append((name, dict(facts))))
    until = run(experiment(*MIXED, games=k)).sums
    with_it = run(experiment(*MIXED, games=k + 1)).sums
    difference = {name: with_it[name] - until[name] for name in until}
    assert difference["games"].sum() == 1
    assert difference["games"][0, k % 256] == 1
    np.testing.assert_array_equal(difference["score"].sum(axis=(0, 2)), outcome.scores[:, 0])
    np.testing.assert_array_equal(difference["wins"].sum(axis=(0, 2)), outcome.wins[:, 0])
    assert events[-1][1]["scores"] == outcome.scores[:, 0].tolist()
    hands = sum(1 for name, _ in events if name == "hand")
    assert difference["hands"].sum() == hands


def test_every_strategy_sits_everywhere_equally_often_in_every_block() -> None:
    result = run(experiment(*MIXED, games=1536 * 2, rotate=True))
    assert result.sums["games"].shape == (1, 256)
    assert (result.sums["held"] == 4).all() and result.sums["held"].shape == (3, 3, 256)
    copies = run(experiment("random", "lowest", "random", games=768, rotate=True))
    assert copies.experiment.holders == ("lowest", "random")
    assert (copies.sums["held"][0] == 1).all() and (copies.sums["held"][1] == 2).all()


def test_the_order_that_is_typed_changes_no_byte() -> None:
    wanted = fingerprint(run(experiment(*MIXED, games=2000, rotate=True)))
    for other in (MIXED[::-1], ("lowest", "random", "reactive")):
        assert fingerprint(run(experiment(*other, games=2000, rotate=True))) == wanted


@pytest.mark.parametrize(("first", "games"), [(0, 13), (250, 20), (1530, 10), (100_000, 7)])
def test_a_task_adds_up_the_games_that_replay_tells(first: int, games: int) -> None:
    played = experiment("random", "lowest", "random", games=2**40, rotate=True)
    sums = Player(played).play(Task(first, games))
    wins, held, wins_sq = (np.zeros_like(sums[n]) for n in ("wins", "held", "strategy_wins_sq"))
    for game in range(first, first + games):
        outcome = replay(played, game, lambda name, facts: None)
        together = np.zeros(2, np.int64)
        for seat, spec in enumerate(played.seating_of(game)):
            holder = ("lowest", "random").index(spec)
            wins[holder, seat, game % 256] += outcome.wins[seat, 0]
            together[holder] += outcome.wins[seat, 0]
            held[holder, seat, game % 256] += 1
        wins_sq[0, :, game % 256] += together**2
    np.testing.assert_array_equal(sums["wins"], wins)
    np.testing.assert_array_equal(sums["held"], held)
    np.testing.assert_array_equal(sums["strategy_wins_sq"], wins_sq)


def test_a_partial_batch_counts_its_games_only() -> None:
    result = run(experiment(*MIXED, games=1, detail="simulate"))
    assert result.sums["games"].sum() == 1
    assert result.sums["wins"].sum() == 60
    assert result.sums["score_hist"].sum() == 3


def test_the_failure_of_the_lowest_game_is_reported(tmp_path) -> None:
    plugin = tmp_path / "fails.py"
    plugin.write_text(
        "import numpy as np\n"
        "from analyzer.contracts import Strategy\n"
        "def decide(view, params, words, out):\n"
        "    lowest = np.zeros(out.size, np.uint8)\n"
        "    for g in range(out.size):\n"
        "        cards = int(view.cards[g])\n"
        "        lowest[g] = (cards & -cards).bit_length()\n"
        "    if view.hand == 3 and view.round == 1:\n"
        "        lowest[view.low == view.high] = 61\n"
        "    out[:] = lowest\n"
        "fails = Strategy('turnthetide', 'fails', 'Fails.', {'card': decide})\n"
    )
    failures = set()
    for options in ({}, {"jobs": 2, "backend": "threads", "task_size": 256}, {"lanes": 256}):
        with pytest.raises(StrategyFailed) as caught:
            run(experiment(f"{plugin}::fails", "random", "random"), **options)
        failures.add((caught.value.game, caught.value.moment, str(caught.value)))
    assert len(failures) == 1
    game, moment, message = failures.pop()
    assert moment == "round 2, hand 4, seat 1"
    assert "card 61" in message
    with pytest.raises(StrategyFailed):
        run(experiment(f"{plugin}::fails", "random", "random", games=game + 1))
    run(experiment(f"{plugin}::fails", "random", "random", games=game))


@pytest.mark.slow
def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from tests.engine.test_runner import *;"
        "print(fingerprint(run(experiment(*MIXED, games=2000))))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_tasks_cover_the_games_once_and_end_at_the_stops() -> None:
    tasks = list(dataclasses.replace(experiment(*MIXED), games=3000).tasks(256, 1000, (1024, 2048)))
    assert tasks == [
        Task(256, 768),
        Task(1024, 1000),
        Task(2024, 24),
        Task(2048, 952),
    ]


def test_a_hook_that_fails_where_no_game_asks_blames_no_seat(tmp_path) -> None:
    """Hooks may be called without anybody asking, and the maximum of nothing is an error."""
    plugin = tmp_path / "eager.py"
    plugin.write_text(
        "from analyzer.contracts import Strategy\n"
        "def decide(view, params, words, out):\n"
        "    out[:] = view.top[0] < view.top[0][view.active == 1].max()\n"
        "eager = Strategy('switch16', 'eager', 'Fails.', {'risk': decide}, family='risk')\n"
    )
    strategies = (f"{plugin}::eager/never/hold", "never/never/hold")
    rules = settle(find_game("switch16"), 2, {})
    with pytest.raises(StrategyFailed) as caught:
        run(Experiment("switch16", strategies, rules, 256, 9, "simulate"))
    failure = caught.value
    assert failure.strategy == strategies[0]
    assert failure.moment == "decision 'risk', while no game asks for it and view.active is 0"
    assert "zero-size array" in failure.what


def test_another_state_of_the_game_is_refused() -> None:
    """As on another machine, which has another version of it."""
    played = experiment(*MIXED)
    (name, _), *others = Player(played).sources
    with pytest.raises(SourcesDiffer, match="'turnthetide' is not the same for all workers"):
        Player(played, sources=((name, "0" * 64), *others))


PLUGIN = """
import numpy as np
from analyzer.contracts import Strategy

def decide(view, params, words, out):
    lowest = view.cards & (~view.cards + np.uint64(1))
    highest = view.cards.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        highest |= highest >> np.uint64(shift)
    out[:] = np.bitwise_count(lowest - np.uint64(1)) + np.uint8(1)

plugin = Strategy("turnthetide", "plugin", "Lowest card.", {"card": decide})
"""
EDITED = PLUGIN.replace("lowest - np.uint64(1)) + np.uint8(1)", "highest)")
IN_WORKERS = [
    {"jobs": 2, "backend": "processes", "task_size": 256},
    {"jobs": 2, "backend": "threads", "task_size": 256},
]


@pytest.mark.parametrize("options", IN_WORKERS)
def test_workers_play_a_plugin_as_it_is_now(options: dict[str, object], tmp_path) -> None:
    """Worker processes outlive a run, and the file is edited before the next one."""
    file = tmp_path / "plugin.py"
    prints = []
    for text in (PLUGIN, EDITED):
        file.write_text(text)
        played = experiment(f"{file}::plugin", "random", "random", games=2000)
        prints.append(fingerprint(run(played)))
        assert fingerprint(run(played, **options)) == prints[-1]
    assert prints[0] != prints[1]


@pytest.mark.parametrize("options", IN_WORKERS)
def test_a_plugin_edited_during_a_run_ends_it(options: dict[str, object], tmp_path) -> None:
    file = tmp_path / "plugin.py"
    file.write_text(PLUGIN)
    played = experiment(f"{file}::plugin", "random", "random")
    with pytest.raises(SourcesDiffer, match=r"plugin.py::plugin' is not the") as caught:
        run(played, **options, progress=lambda _: file.write_text(EDITED))
    assert caught.value.exit_code == 1  # games had been played
