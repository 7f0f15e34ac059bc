"""What all commands that play do alike: claim a directory, play, keep what is done, publish, tell.

A command says in a `RunPlan` what it does in its own way.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from analyzer import study
from analyzer.cli.options import DebugOptions, RunOptions
from analyzer.cli.output import emit_json, emit_tables, note, table
from analyzer.cli.progress import duration, make_progress
from analyzer.cli.signals import Stop
from analyzer.engine.watch import Watch, deciding
from analyzer.engine.workers import cores, most_workers
from analyzer.errors import (
    AnalyzerError,
    ClusterLost,
    DiskFailed,
    DrawingFailed,
    Interrupted,
    ResultsError,
    StrategyStuck,
    told,
)
from analyzer.kernels.compilation import is_cold
from analyzer.plain import item
from analyzer.publishing import machine
from analyzer.rundir import FIXED, RunDirectory, State, claim, look, preview

TIMEOUT = 600.0
"""Seconds for which a strategy is waited for."""
NOT_REPEATED = {"force", "resume", "dry_run", "seed"}
HOW_ONLY = {"jobs", "backend", "scheduler", "timeout", "out", "no_report", "no_save"} | {
    "quiet",
    "debug",
    "json",
    "markdown",
}

ALL_PLAYED = "All games are played and"
PLAYED = "All games that were played are"
"""The same of a run that may have been interrupted."""

T = TypeVar("T")


@dataclass(frozen=True)
class RunPlan(Generic[T]):
    """What a command that plays does in its own way.

    Attributes
    ----------
    command
        Its name.
    request
        What is played, or the first of several things.
    identity
        Plain data that two runs have in common exactly if they are the same run.
    path
        Where the run goes.
    files
        A table that the run has once it is published, and a picture or page.
    conclude
        Gets the parts that are needed, and answers.
    tables
        Writes an answer's tables; gives what drawing needs of them.
    draw
        Draws an answer's pictures, given that.
    tell
        Tells an answer.
    extra
        What was given beyond the options of all commands, as words of the command line.
    ends_early
        What ends it before all games are played, as a clause; empty if nothing does.
    fixed
        Why it is not continued when more games are asked for, as a clause; empty if it is.
    """

    command: str
    request: study.Request
    identity: Mapping[str, Any]
    path: Path
    files: tuple[str, str]
    conclude: Callable[[study.Play], T]
    tables: Callable[[T, RunDirectory], Any]
    draw: Callable[[T, RunDirectory, Any], object]
    tell: Callable[[T], None]
    extra: Sequence[str] = ()
    ends_early: str = ""
    fixed: str = FIXED


def carry_out(plan: RunPlan[T], options: RunOptions) -> None:
    """Play what is not saved yet, publish it and tell it; or say what that would take.

    Raises
    ------
    Interrupted
        With the command that goes on.
    AnalyzerError
        Whatever else goes wrong; see `analyzer.errors` for the exit codes.
    """
    workers = _workers(options)
    request, path, identity = plan.request, plan.path, plan.identity
    given = [*plan.extra, "--seed", str(request.seed)]
    if options.dry_run:
        found = None if options.no_save else _found(plan, options)
        about_parts = study.study_of(request.game).about
        dry_run = study.DryRun(workers, thorough=not options.no_save, about=about_parts)
        plan.conclude(dry_run)
        _tell_dry_run(plan, workers, options, found, dry_run.parts)
        return
    if not options.quiet and options.seed is None:
        note(f"seed {request.seed}")
    again = command_line(plan.command, request.game, options, given)
    if options.no_save:
        plan.tell(_conclude(plan, workers, None, options, again))
        return
    manifest = about(plan.command, request.game, options, given)
    force, resume = options.force, options.resume
    with claim(path, identity, manifest, force=force, resume=resume, fixed=plan.fixed) as directory:
        if not options.quiet and directory.state != "new":
            state = (
                "finished, verified: nothing is played"
                if directory.state == "finished"
                else ("unfinished: continuing it")
            )
            note(f"found this run in {str(path)!r}, {state}")
        for text in directory.notes:
            note(text)
        answer = _conclude(plan, workers, directory, options, again)
        try:
            with all_saved(path, again):
                if directory.state != "finished":
                    directory.finish()
            _publish(plan, answer, directory, options, again)
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted. All games are played and saved. "
                f"Write tables and report with:\n  {again}"
            ) from None


@contextlib.contextmanager
def all_saved(path: Path, again: str, kept: str = ALL_PLAYED) -> Iterator[None]:
    """Tell, where the disk fails after the last game, that no game is lost.

    Parameters
    ----------
    path
        The directory of the run.
    again
        The command that writes what is left to write.
    kept
        What is in the directory, as the beginning of a sentence.

    Raises
    ------
    DiskFailed
        Instead of an OSError.
    """
    try:
        yield
    except OSError as reason:
        raise DiskFailed(
            f"the tables could not be written: {disk_trouble(reason)}. {kept} saved in "
            f"{str(path)!r}. Once that is mended, write tables and report with:\n  {again}"
        ) from reason


def disk_trouble(reason: OSError) -> str:
    """What is wrong with a disk."""
    full = reason.errno in (errno.ENOSPC, errno.EDQUOT)
    return "the disk is full" if full else reason.strerror or str(reason)


def _found(plan: RunPlan[Any], options: RunOptions) -> State:
    """What there is of a run, without touching it."""
    return preview(
        plan.path, plan.identity, force=options.force, resume=options.resume, fixed=plan.fixed
    )


def _workers(options: RunOptions) -> study.WorkerSettings:
    """Who does the work; says so if that is not what was asked for."""
    jobs, usable = options.jobs or cores(), cores()
    if jobs > usable and options.backend != "dask":
        most = most_workers()
        used = f"; {most} are used" if jobs > most else ""
        if not options.quiet:
            here = "1 core" if usable == 1 else f"{usable} cores"
            note(f"--jobs {jobs} is more than the {here} there are, and gains nothing{used}")
        jobs = min(jobs, most)
    return study.WorkerSettings(jobs, options.backend, options.scheduler)


def seed_of(options: RunOptions) -> int:
    """The seed given, else that of the run in the directory given, else a fresh one."""
    if options.seed is not None:
        return options.seed
    if options.out is not None and not options.force:
        try:
            found = look(options.out)
            if found is not None:
                seed = item(found.identity["request"], "seed", int)
                if 0 <= seed < 2**63:
                    return seed
        except (ResultsError, KeyError, TypeError):
            pass  # claiming the directory will say what is wrong with it
    return study.fresh_seed()


def about(
    command: str, game: str, options: DebugOptions, extra: Sequence[str] = ()
) -> dict[str, Any]:
    """What a manifest says of how its run came about.

    ``command`` is the command line that goes on with the run, ``reproduce`` the one that gives the
    same figures anywhere.
    """
    return {
        "command": command_line(command, game, options, extra),
        "reproduce": command_line(command, game, options, extra, NOT_REPEATED | HOW_ONLY),
        "machine": machine(),
    }


def command_line(
    command: str,
    game: str,
    options: DebugOptions,
    extra: Sequence[str] = (),
    left_out: Collection[str] = NOT_REPEATED,
) -> str:
    """The command that asks for the same, as one would type it; ``extra`` words come last."""
    return shlex.join(["analyzer", command, game, *options.words(left_out), *extra])


def _conclude(
    plan: RunPlan[T],
    workers: study.WorkerSettings,
    directory: RunDirectory | None,
    options: RunOptions,
    again: str,
) -> T:
    finished = directory is not None and directory.state == "finished"
    game = plan.request.find_game()
    if not options.quiet and not finished and is_cold(type(game).__module__):
        note("compiling the game for this machine, once: this takes up to a minute")
    about_parts = study.study_of(plan.request.game).about
    stage = study.Stage(workers, directory, make_progress(options.quiet), about_parts)
    stage.note = note

    def advice() -> str:
        """What is left of a run that ends early, and how to go on."""
        if directory is None:
            return f"Nothing was saved, as --no-save asks. Start again with:\n  {again}"
        if directory.state != "new":
            return f"What was finished is saved. Continue with:\n  {again}"
        return f"Nothing was finished yet. Start again with:\n  {again}"

    def stuck(text: str) -> None:
        """End the process although its main thread is in a strategy that does not come back."""
        note(f"error: {text}. {advice()}")
        if directory is not None:
            directory.close()
        os._exit(StrategyStuck.exit_code)

    watch = stage.watch = Watch(options.timeout or TIMEOUT, stuck)

    def ending() -> str:
        """The same where that was not heard of for so long, but somebody has pressed Ctrl-C."""
        at = deciding()
        whose = f" while {at[0].named} was deciding" if at else ""
        watch.save()
        text = f"interrupted{whose}. {advice()}"
        if directory is not None:
            directory.close()
        return text

    with Stop(lambda: stage.underway, ending) as stage.cancelled:
        try:
            if directory is not None and not finished and not options.no_report:
                from analyzer_reports.stories import find_story

                find_story(plan.request.game)  # not after all games, if it cannot be loaded
            if directory is None or not finished:
                return plan.conclude(stage)
            with study.telling_of(directory.path):
                return plan.conclude(stage)
        except (Interrupted, KeyboardInterrupt) as reason:
            text = str(reason) or "interrupted."
            raise Interrupted(f"{text} {advice()}") from None
        except (ClusterLost, StrategyStuck) as reason:
            raise type(reason)(f"{reason} {advice()}") from reason


def _publish(
    plan: RunPlan[T], answer: T, directory: RunDirectory, options: RunOptions, again: str
) -> None:
    """Write tables, tell the answer, and draw; what is there and whole is left as it is.

    People get the answer before anything is drawn, which takes seconds and might go wrong. A
    document goes out last: on any error there is none.
    """
    files: Mapping[str, Any] = directory.saved.manifest["files"]
    damage = directory.saved.damage()
    tables, picture = plan.files
    complete = tables in files and (options.no_report or picture in files)
    writes = directory.writable and not (complete and not damage)
    if writes and not options.quiet:
        for text in damage:
            note(f"{text}; it is written again")
    found = None
    if writes:
        with all_saved(directory.path, again):
            found = plan.tables(answer, directory)
    unread: OSError | None = None
    if not options.json:
        try:
            plan.tell(answer)
        except OSError as reason:  # nobody reads it: the pictures may be wanted all the same
            unread = reason
    if writes and not options.no_report:
        if not options.quiet:
            note("drawing the pictures and the page")
        draw(lambda: plan.draw(answer, directory, found), directory.path)
    if unread is not None:
        raise unread
    if options.json:
        plan.tell(answer)
        return
    shown = directory.path / plan.files[1]
    page = shown.suffix == ".html" and not options.no_report
    where = f"Saved in {str(shown if page else directory.path)!r}."
    emit_tables(where, markdown=options.markdown)


def draw_again(
    saved: RunDirectory,
    path: Path,
    conclude: Callable[[study.Archive], T],
    tables: Callable[[T, RunDirectory], Any],
    page: Callable[[T, RunDirectory, Any], object],
    tell: Callable[..., None],
    *,
    json: bool,
) -> None:
    """Tell and draw a saved run again, without playing; what it takes is as in a `RunPlan`.

    Raises
    ------
    ResultsError
        If nothing was played, or it is damaged.
    """
    archive = study.Archive(saved.saved)
    try:
        with study.telling_of(path):
            found = conclude(archive)
    except study.NotPlayed as reason:
        raise ResultsError(f"nothing can be reported from {str(path)!r}: {reason}") from None
    for problem in archive.problems:
        note(problem)
    with all_saved(path, f"analyzer report {shlex.quote(str(path))}", kept=PLAYED):
        written = tables(found, saved)
    if not json:
        tell(found)
    draw(lambda: page(found, saved, written), path)
    if json:
        tell(found, json=True)
    else:
        emit_tables(f"Saved in {str(path / 'report.html')!r}.")


def draw(drawing: Callable[[], object], path: Path, kept: str = "All games and the tables") -> None:
    """Draw what is told and saved already: ``kept``, in words.

    Raises
    ------
    DrawingFailed
        Whatever went wrong: nothing of the answer is lost by it.
    """
    try:
        drawing()
    except Exception as reason:  # a game's own story may raise whatever it likes
        if isinstance(reason, OSError) and reason.errno in (errno.ENOSPC, errno.EDQUOT):
            what = disk_trouble(reason)
        elif isinstance(reason, AnalyzerError):
            what = told(reason).rstrip(".")
        else:
            what = f"{type(reason).__name__}: {told(reason)}".rstrip(".")
        folder = shlex.quote(str(path))
        raise DrawingFailed(
            f"the pictures and the page could not be drawn: {what}. {kept} are "
            f"saved in {str(path)!r}. `analyzer report {folder}` draws them once that is mended; "
            "with --no-report nothing is drawn."
        ) from reason


def _tell_dry_run(
    plan: RunPlan[Any],
    workers: study.WorkerSettings,
    options: RunOptions,
    found: State | None,
    parts: Sequence[study.Part],
) -> None:
    """Say what would run, how long, and where it would go."""
    seconds = sum(part.seconds for part in parts)
    request, path = plan.request, plan.path
    where = None if options.no_save else str(path)
    if options.json:
        emit_json(
            {
                "schema": "analyzer/dry-run/1",
                "request": {**request.to_json(), "command": plan.command},
                "directory": where,
                "found": found,
                "jobs": workers.jobs,
                "parts": [
                    {
                        "part": part.name,
                        "about": part.about,
                        "games": part.games,
                        "seconds": part.seconds,
                    }
                    for part in parts
                ],
                "seconds": seconds,
            }
        )
        return
    rows = [(part.about or part.name, f"{part.games:,}", f"{part.seconds:,.1f}") for part in parts]
    columns = ("what is played", "games", "seconds, about")
    known = {
        "finished": " It is there already and finished: nothing would be played.",
        "unfinished": " Part of it is there already, and the rest would be played.",
    }.get(found or "", "")
    how_long = "under 1 s" if seconds < 1 else f"about {duration(seconds)}"
    early = "the precision is reached" if request.precision is not None else plan.ends_early
    if early:
        how_long += f" at most, and less where {early} before,"
    jobs = "1 job" if workers.jobs == 1 else f"{workers.jobs} jobs"
    emit_tables(
        table(columns, rows, numbers=columns[1:], names=columns[:1]),
        f"This would take {how_long} with {jobs}, and "
        + (f"be saved in {where!r}." if where else "save nothing.")
        + known,
        markdown=options.markdown,
    )
