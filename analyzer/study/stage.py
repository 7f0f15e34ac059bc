"""Where the parts of a study come from: played and saved, read back, or only tried for speed."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from analyzer.contracts import WHOLE_WIN
from analyzer.engine.runner import StoppingRule, run
from analyzer.engine.watch import Watch
from analyzer.errors import AnalyzerError, DiskFailed, Interrupted, ResultsError, told
from analyzer.experiment import Experiment
from analyzer.kernels.compilation import compiling_seconds
from analyzer.results import Checkpoint, ResultSet
from analyzer.rundir import RunDirectory, SavedRun
from analyzer.statistics.intervals import leave_one_out
from analyzer.statistics.seats import by_seat, strategy_shares
from analyzer.study import naming
from analyzer.study.checking import holds_what_was_played


class Watching(StoppingRule, Protocol):
    """A stopping rule that may also be shown what it saw in a saved run."""

    def replay(self, points: Sequence[Checkpoint]) -> object:
        """Take in the checkpoints of a saved run, from the first."""


class Play(Protocol):
    """Gets a part of a study by its name, from wherever it comes.

    Raises
    ------
    NotPlayed
        If a saved run has nothing of this part.
    """

    @property
    def thorough(self) -> bool:
        """Whether parts are wanted that only tables and the page tell of."""

    @property
    def parts(self) -> Sequence[Part]:
        """What there is so far."""

    def __call__(
        self, name: str, experiment: Experiment, sequence: Watching | None = None
    ) -> ResultSet:
        """The part's results; a stopping rule has then seen all its checkpoints."""


class Progress(Protocol):
    """Is told how a run gets on."""

    def begin(self, part: str, games: int, done: int) -> None:
        """A part, in words, of so many games begins, or continues after some were done."""

    def advance(self, done: int) -> None:
        """So many games of the part are done."""

    def interim(self, shares: Mapping[str, float]) -> None:
        """What each strategy has won so far, a copy of it, of all games of the part."""

    def end(self, done: int) -> None:
        """The part ends, finished or not."""


def length(result: ResultSet) -> int:
    """Games that a part to be compared with another one must have: its own, once all are played."""
    return result.games if result.stopped == "precision" else result.experiment.games


class NotPlayed(AnalyzerError):
    """A saved run has nothing of a part."""


@dataclass(frozen=True)
class WorkerSettings:
    """Who does the work, and how; changes no figure."""

    jobs: int = 1
    backend: str = "auto"
    scheduler: str | None = None


@dataclass(frozen=True)
class Part:
    """How a part went.

    Attributes
    ----------
    name
        As files have it.
    games
        Games of it.
    seconds
        What playing them took, without compiling.
    about
        What it is, in words: ``four random players``.
    """

    name: str
    games: int
    seconds: float
    about: str = ""


Naming = Callable[[str, Experiment, Experiment], str]
"""What a part is, in words: by its name, what it plays, and what the first part of all plays."""


class _Words:
    """Names the parts of a study in words, the first one too."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._main: Experiment | None = None

    def __call__(self, name: str, experiment: Experiment) -> str:
        self._main = self._main or experiment
        return self._naming(name, experiment, self._main)


def of_any_game(name: str, experiment: Experiment, main: Experiment) -> str:
    """What a part is, by what tells it from the first one."""
    return naming.said(experiment, main)


class Stage:
    """Plays parts, continuing what is saved and saving what is played.

    Attributes
    ----------
    parts
        What has been played so far.
    underway
        Whether games are finished that are not saved yet.
    cancelled
        Asked now and then; when it answers True, the run ends as interrupted.
    watch
        What is done about strategies that do not come back; None to wait for ever.
    note
        Told of parts that are played again because they are damaged.
    """

    def __init__(
        self,
        workers: WorkerSettings,
        directory: RunDirectory | None = None,
        progress: Progress | None = None,
        about: Naming = of_any_game,
    ) -> None:
        self.parts: list[Part] = []
        self._words = _Words(about)
        self.underway = False
        self.cancelled: Callable[[], bool] = lambda: False
        self.watch: Watch | None = None
        self.note: Callable[[str], None] = lambda text: None
        self._workers = workers
        self._directory = directory
        self._progress = progress

    @property
    def thorough(self) -> bool:
        """Whether there will be tables and a page to tell more than the answer."""
        return self._directory is not None

    def __call__(
        self, name: str, experiment: Experiment, sequence: Watching | None = None
    ) -> ResultSet:
        """Play a part, or what is left of it.

        Raises
        ------
        Interrupted
            If the run was cancelled; what was finished is saved.
        DiskFailed
            If the disk is full or gone.
        """
        about = self._words(name, experiment)
        saved = self._saved(name, experiment)
        whole = saved is not None and saved.experiment == experiment
        if saved is not None and whole and saved.stopped != "interrupted":
            if sequence is not None:
                sequence.replay(saved.checkpoints)
            self.parts.append(Part(name, saved.games, saved.seconds, about))
            return saved
        if self.cancelled():
            raise Interrupted("interrupted.")
        result = self._play(name, about, experiment, sequence, saved)
        self._save(name, result)
        self.underway = False
        if result.stopped == "interrupted":
            raise Interrupted(
                f"interrupted after {result.games:,} of {experiment.games:,} games ({about})."
            )
        self.parts.append(Part(name, result.games, result.seconds, about))
        return result

    def _play(
        self,
        name: str,
        about: str,
        experiment: Experiment,
        sequence: Watching | None,
        saved: ResultSet | None,
    ) -> ResultSet:
        done = saved.games if saved is not None else 0
        if self._progress is not None:
            self._progress.begin(about, experiment.games, done)

        def advance(games: int) -> None:
            nonlocal done
            done = games
            self.underway = True
            if self._progress is not None:
                self._progress.advance(games)

        def save(result: ResultSet) -> None:
            if self._progress is not None:
                self._progress.interim(_shares(result))
            self._save(name, result)

        try:
            return run(
                experiment,
                jobs=self._workers.jobs,
                backend=self._workers.backend,
                scheduler=self._workers.scheduler,
                resume=saved,
                stopping=sequence,
                progress=advance,
                save=save,
                cancelled=self.cancelled,
                watch=self.watch,
            )
        finally:
            if self._progress is not None:
                self._progress.end(done)

    def _saved(self, name: str, experiment: Experiment) -> ResultSet | None:
        if self._directory is None:
            return None
        try:
            saved = self._directory.part(name, experiment)
            return None if saved is None else _holding(name, saved)
        except ResultsError as reason:
            self.note(self._directory.set_aside(name, str(reason)))
            return None

    def _save(self, name: str, result: ResultSet) -> None:
        if self._directory is None or result.games == 0:
            return
        try:
            self._directory.save_part(name, result)
        except OSError as reason:
            path = self._directory.path
            kept = (
                "What was saved before is still there; make room and give the command again."
                if path.is_dir()
                else "The directory is gone, and what was saved in it; give the command again."
            )
            raise DiskFailed(
                f"{str(path)!r} could not be written: {reason.strerror or reason}. {kept}"
            ) from reason


def _shares(result: ResultSet) -> dict[str, float]:
    """What one copy of each strategy has won; nothing where all are the same."""
    experiment = result.experiment
    if "wins" not in result.sums or len(experiment.holders) == 1 or not result.games:
        return {}
    totals = leave_one_out(result.sums, ("games", "wins"))
    if experiment.rotate:
        found = strategy_shares(totals, experiment)[0]
        return dict(zip(experiment.holders, map(float, found), strict=True))
    won = by_seat(totals, "wins")[0] / (WHOLE_WIN * result.games)
    return {
        spec: float(
            np.mean([w for w, s in zip(won, experiment.strategies, strict=True) if s == spec])
        )
        for spec in dict.fromkeys(experiment.strategies)
    }


def _holding(name: str, result: ResultSet) -> ResultSet:
    """A saved part, if it holds the sums that its experiment has.

    Raises
    ------
    ResultsError
        If it is whole as a file, but not something that was played.
    """
    if not holds_what_was_played(result):
        raise ResultsError(f"the part {name!r} is damaged: it does not hold what was played.")
    return result


@contextlib.contextmanager
def telling_of(path: Path) -> Iterator[None]:
    """Tell of sums from which nothing can be reckoned as what they are; nothing else is played.

    Raises
    ------
    ResultsError
        Instead of whatever the statistics came upon.
    """
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError) as reason:
        raise ResultsError(
            f"nothing can be told from the run in {str(path)!r}: its sums do not fit together "
            f"({type(reason).__name__}: {told(reason)}). Give its command again with --force to "
            "play it again."
        ) from reason


class Archive:
    """Reads the parts of a saved run; knows what is missing or damaged."""

    thorough = True

    def __init__(self, saved: SavedRun) -> None:
        self.parts: list[Part] = []
        self.problems: list[str] = []
        self._saved = saved

    def __call__(
        self, name: str, experiment: Experiment, sequence: Watching | None = None
    ) -> ResultSet:
        """The saved part, finished or not.

        Raises
        ------
        NotPlayed
            If nothing of it is there, or it is damaged.
        """
        try:
            result = self._saved.part(name, experiment)
            result = None if result is None else _holding(name, result)
        except ResultsError as reason:
            self.problems.append(f"The part {name!r} is left out: {reason}")
            raise NotPlayed(str(reason)) from None
        if result is None:
            text = f"The part {name!r} was not played yet."
            if not self._saved.finished:  # a finished run has all that it wanted
                self.problems.append(text)
            raise NotPlayed(text)
        if result.stopped == "interrupted" or result.experiment != experiment:
            self.problems.append(
                f"The part {name!r} has {result.games:,} of {experiment.games:,} games: "
                "the run was interrupted."
            )
        if sequence is not None:
            sequence.replay(result.checkpoints)
        self.parts.append(Part(name, result.games, result.seconds))
        return result


class DryRun:
    """Plays a few games of each part, to tell how long all of them would take."""

    SECONDS = 1.0
    """What a trial may take; one of `ENOUGH` games may end sooner, after `LEAST_SECONDS`."""
    LEAST_SECONDS = 0.3
    FEW, ENOUGH = 256, 131_072
    SHARED = 0.85
    """Two workers on one machine share caches and memory: hardly any run doubles its speed."""
    WORTH_WORKERS = 2.0
    """Seconds; shorter runs are played by one process."""

    def __init__(
        self, workers: WorkerSettings, *, thorough: bool = True, about: Naming = of_any_game
    ) -> None:
        self.parts: list[Part] = []
        self.thorough = thorough
        self._words = _Words(about)
        self._workers = workers

    def __call__(
        self, name: str, experiment: Experiment, sequence: Watching | None = None
    ) -> ResultSet:
        """The first games of the part; notes how long the whole would take.

        What further games take is told by the later half of those played: among the first ones
        much is set up, and batches grow. Compiling is left out: a run finds it done.
        """
        run(replace(experiment, games=min(experiment.games, self.FEW)))  # compiles most of it
        marks = [(0.0, 0)]
        started = time.monotonic() - compiling_seconds()

        def advance(games: int) -> None:
            marks.append((time.monotonic() - compiling_seconds() - started, games))

        def enough() -> bool:
            seconds, games = marks[-1]
            return seconds >= (self.LEAST_SECONDS if games >= self.ENOUGH else self.SECONDS)

        result = run(
            experiment,
            progress=advance,
            cancelled=enough,
        )
        seconds, games = marks[-1]
        earlier, fewer = max(mark for mark in marks[:-1] if mark[1] <= games / 2)
        seconds += (experiment.games - games) * (seconds - earlier) / (games - fewer)
        if seconds > self.WORTH_WORKERS:
            seconds /= 1 + self.SHARED * (self._workers.jobs - 1)
        about = self._words(name, experiment)
        self.parts.append(Part(name, experiment.games, seconds, about))
        return replace(result, experiment=experiment, stopped="interrupted")
