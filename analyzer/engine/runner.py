"""Running an experiment: tasks out to workers, sums back in the order of the games."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from analyzer.contracts import Outcome, Watcher
from analyzer.engine.batch import LANES, Player, first_game, play_one
from analyzer.engine.contest import contest_task_size
from analyzer.engine.players import player_of
from analyzer.engine.record import most_recorded, recorded_games
from analyzer.engine.tally import add
from analyzer.engine.watch import Watch
from analyzer.engine.workers import BACKENDS, Pace, Sums, play_tasks
from analyzer.errors import DiskFailed, UsageError, WorkerLost
from analyzer.experiment import BLOCKS, Contest, Experiment, Task
from analyzer.kernels.compilation import compiling_seconds
from analyzer.results import Checkpoint, HistoryPoint, ResultSet, checkpoint

__all__ = ["BACKENDS", "StoppingRule", "first_game", "history_points", "replay", "run"]

FIRST_TASK = 1024
"""Games of the first task: few, since it is played before any workers start."""
FEW = 256
"""The same where a strategy comes from a file: nobody knows how slow it is."""
FEWEST = 16
"""The same where a strategy is in plain Python, or says that it is slow."""
TASK_BATCHES = 4
MOST_GAMES = 4_000_000
"""Games of a task in which strategies change seats."""
FIRST_SAVE = 1.0
"""Seconds of play after which the results so far are saved first, ..."""
SAVE_SECONDS = 5.0
"""... and then again and again, ..."""
SAVE_SHARE = 0.015
"""... but taking no more than this share of the time."""


class StoppingRule(Protocol):
    """Decides at fixed game counts whether enough games were played."""

    def checkpoints(self, games: int) -> tuple[int, ...]:
        """Game counts, rising, at which to look; at most ``games``."""

    def observe(self, point: Checkpoint) -> bool:
        """Look at the totals so far; True = stop here. Called once a checkpoint, in order."""


def history_points(experiment: Experiment) -> tuple[int, ...]:
    """Game counts at which headline sums are kept: 1024 times the powers of two.

    Where strategies change seats, large ones are whole periods of the seatings, which are played in
    the fewest batches. Each seating is a batch of its own, however small: so where there are many
    seatings none is kept from the first one to the end of the games that are followed. A contest,
    with line-ups by the thousand, has none.
    """
    if isinstance(experiment, Contest):
        return ()
    period = experiment.period
    followed = most_recorded(period)
    few = period > 2 * FIRST_TASK
    points, at = [], FIRST_TASK
    while at < experiment.games:
        points.append(at)
        if at < followed:
            at = followed if few else min(2 * at, followed)
        else:
            at = -(-2 * at // period) * period
    return tuple(points)


def _usual_task_size(player: Player) -> int:
    """Games a task: for each seating as many as fill some batches, but no more than `MOST_GAMES`.

    Whole periods of the seatings, if there are several.
    """
    if isinstance(player.experiment, Contest):
        return contest_task_size(player.experiment)
    period = player.experiment.period
    filling = max(TASK_BATCHES * player.lanes, player.batch) // BLOCKS * period
    if len(player.seatings) == 1:
        return filling
    return max(1, min(filling, MOST_GAMES) // period) * period


def _first_task_size(player: Player) -> int:
    """Games of the first task, which is played without knowing how long a game takes."""
    if any(not s.compiled or s.expensive for s in player.strategies):
        return FEWEST
    return FEW if any("::" in s.spec for s in player.strategies) else FIRST_TASK


@dataclass
class _Fold:
    """The prefix of games that is finished, and what was kept on the way."""

    experiment: Experiment
    headline: tuple[str, ...]
    stopping: StoppingRule | None
    looks: frozenset[int]
    sums: Sums
    games: int = 0
    history: list[HistoryPoint] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    stopped: bool = False

    def keep(self) -> None:
        """Keep the headline sums as they are now."""
        kept = {n: self.sums[n].copy() for n in self.headline if n in self.sums}
        self.history.append(HistoryPoint(self.games, kept))

    def take(self, task: Task, part: Sums) -> None:
        """Add the next task, which continues the prefix."""
        add(self.sums, part)
        self.games = task.first + task.count
        if self.games in history_points(self.experiment):
            self.keep()
        if self.stopping is not None and self.games in self.looks:
            point = checkpoint(self.games, self.sums, self.experiment)
            self.checkpoints.append(point)
            self.stopped = self.stopping.observe(point)


def run(
    experiment: Experiment,
    *,
    jobs: int = 1,
    backend: str = "auto",
    scheduler: str | None = None,
    task_size: int | None = None,
    lanes: int = LANES,
    resume: ResultSet | None = None,
    stopping: StoppingRule | None = None,
    progress: Callable[[int], None] | None = None,
    save: Callable[[ResultSet], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    watch: Watch | None = None,
) -> ResultSet:
    """Play an experiment, or what is left of it.

    Every sum depends on the experiment alone: not on ``jobs``, ``backend``, ``task_size``,
    ``lanes`` or where they were interrupted before.

    Parameters
    ----------
    experiment
        What to play.
    jobs
        Workers.
    backend
        ``auto`` plays short runs in this process, longer ones in worker processes too.
    scheduler
        Address of a Dask scheduler, for the backend ``dask``.
    task_size
        Games a task; without it as many as take about a second.
    lanes
        Games side by side in a batch; a multiple of 256.
    resume
        Results of the same experiment, interrupted; or all of one that only has fewer games.
    stopping
        Looks at the totals at its checkpoints and may end the run there.
    progress
        Called with the number of games finished so far.
    save
        Called with the results so far every few seconds.
    cancelled
        Asked between tasks; when it answers True the run ends as interrupted.
    watch
        How long a strategy is waited for, and what is done when one of this process does not come
        back; those of worker processes are reported by `StrategyStuck`.

    Raises
    ------
    StrategyFailed
        A strategy broke; the failure of the lowest game number is reported.
    StrategyStuck
        A strategy did not come back in a worker process.
    PluginError
        A compiled strategy does not compile.
    WorkerLost
        Worker processes died again and again with the same games.
    """
    if backend not in BACKENDS:
        raise UsageError(f"backend must be one of {', '.join(BACKENDS)}; given {backend!r}.")
    player = player_of(experiment, lanes)
    looks = stopping.checkpoints(experiment.games) if stopping is not None else ()
    fold = _start(player, resume, stopping, looks)
    pace = Pace(_first_task_size(player), _usual_task_size(player), len(player.seatings))
    stops = tuple(sorted({*history_points(experiment), *looks, recorded_games(experiment)}))
    # Line-ups of a contest are batches of their own, which smaller tasks would cut to pieces.
    whole = isinstance(experiment, Contest) and _first_task_size(player) > FEWEST
    size = task_size or (_usual_task_size(player) if whole else pace.size)
    tasks = experiment.tasks(fold.games, size, stops)
    started, compiled = time.monotonic(), compiling_seconds()
    before = resume.seconds if resume is not None else 0.0
    next_save = started + FIRST_SAVE
    taking = threading.RLock()
    """Held while results change, or are saved by another thread."""

    def results(stopped: Literal["games", "precision", "interrupted"]) -> ResultSet:
        played = time.monotonic() - started - (compiling_seconds() - compiled)
        return ResultSet(
            experiment=experiment,
            games=fold.games,
            sums={name: sums.copy() for name, sums in fold.sums.items()},
            history=tuple(fold.history),
            stopped=stopped,
            # Compiling is done once, and says nothing of how fast games are played.
            seconds=before + max(0.0, played),
            score_low=player.score_low,
            checkpoints=tuple(fold.checkpoints),
        )

    def save_now() -> None:
        """Save what is finished, if anything, and whatever else has gone wrong."""
        with taking, suppress(Exception):
            if save is not None and fold.games:
                save(results("interrupted"))

    if not fold.stopped:
        left = experiment.games - fold.games
        seconds = None if watch is None else watch.seconds
        parts = play_tasks(player, tasks, jobs, backend, scheduler, left, pace, seconds)
        try:
            with nullcontext() if watch is None else watch.over(save_now):
                for task, part in parts:
                    with taking:
                        fold.take(task, part)
                    if progress is not None:
                        progress(fold.games)
                    if fold.stopped:
                        break
                    if cancelled is not None and cancelled() and fold.games < experiment.games:
                        return results("interrupted")
                    now = time.monotonic()
                    if save is not None and now > next_save and fold.games < experiment.games:
                        save(results("interrupted"))
                        spent = time.monotonic() - now
                        next_save = now + max(SAVE_SECONDS, spent / SAVE_SHARE)
        except WorkerLost:
            if cancelled is not None and cancelled():
                return results("interrupted")
            save_now()
            raise
        except DiskFailed:
            raise
        except Exception:  # whatever it is, what is finished need not be played again
            save_now()
            raise
        finally:
            parts.close()
    return results("precision" if fold.stopped else "games")


def _start(
    player: Player, resume: ResultSet | None, stopping: StoppingRule | None, looks: tuple[int, ...]
) -> _Fold:
    """An empty fold, or the one that an interrupted run ended with."""
    experiment = player.experiment
    empty = player.play(Task(0, 0))
    fold = _Fold(experiment, player.headline, stopping, frozenset(looks), empty)
    if resume is not None:
        if not _begins(resume.experiment, experiment):
            raise UsageError("the saved results belong to another experiment; nothing was played.")
        fold.sums = {name: sums.copy() for name, sums in resume.sums.items()}
        fold.games = resume.games
        fold.history = list(resume.history)
        kept = {point.games for point in fold.history}
        if fold.games in history_points(experiment) and fold.games not in kept:
            fold.keep()  # the shorter run had no need to, since it ended there
        if stopping is not None:
            for point in resume.checkpoints:
                fold.checkpoints.append(point)
                fold.stopped = stopping.observe(point)
    return fold


def _begins(played: Experiment, experiment: Experiment) -> bool:
    """Whether the games of one experiment are the first ones of another, or all of them."""
    if type(experiment) is not Experiment:  # the games of others depend on how many there are
        return played == experiment
    return played.games <= experiment.games and (
        replace(played, games=experiment.games) == experiment
    )


def replay(experiment: Experiment, game: int, watch: Watcher) -> Outcome:
    """Play one game of an experiment again, telling ``watch`` each event.

    Raises
    ------
    UsageError
        If the experiment has no such game.
    """
    if not 0 <= game < experiment.games:
        raise UsageError(
            f"game {game} is not one of this run's: it has games 0 to {experiment.games - 1}."
        )
    return play_one(experiment, game, watch)
