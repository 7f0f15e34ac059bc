"""What `simulate` and `fairness` have in common: plan, claim a directory, play, publish, tell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields as fields_of
from pathlib import Path
from typing import Any

from analyzer import study
from analyzer.cli.options import RunOptions
from analyzer.cli.output import emit_json, emit_tables, note, table
from analyzer.cli.progress import duration, make_progress
from analyzer.cli.setup import check_run_options, request_from
from analyzer.cli.signals import Stop
from analyzer.cli.tell import tell_answer
from analyzer.cli.values import cores
from analyzer.compilation import is_cold
from analyzer.errors import Interrupted, ResultsError
from analyzer.rundir import RunDirectory, State, Wish, claim, default_path, look, preview

__all__ = ["play", "seed_of", "tell_rehearsal"]

NOT_REPEATED = {"force", "resume", "dry_run", "seed"}
HOW_ONLY = {"jobs", "backend", "scheduler", "out", "no_report", "no_save", "quiet", "debug", "json"}


def play(
    command: study.Command,
    game: str,
    options: RunOptions,
    *,
    fields: Sequence[str] = (),
    suggest: bool = False,
) -> None:
    """Answer a command that plays.

    Raises
    ------
    AnalyzerError
        Whatever goes wrong; see `analyzer.errors` for the exit codes.
    """
    check_run_options(options)
    seed = seed_of(options)
    request = request_from(command, game, options, seed=seed, fields=fields, suggest=suggest)
    study.check(request)
    crew = study.Crew(options.jobs or cores(), options.backend, options.scheduler)
    extra = [word for spec in fields for word in ("--field", spec)]
    extra += ["--suggest"] if suggest else []
    if options.out is not None:
        path = options.out
    else:
        path = default_path(request.game, command, seed, request.digest())
    if options.dry_run:
        wish = Wish(request.identity(), force=options.force, resume=options.resume)
        found = None if options.no_save else preview(path, wish)
        _rehearse(request, crew, options, path, found)
        return
    if not options.quiet and options.seed is None:
        note(f"seed {seed}")
    again = _command_line(command, request.game, options, extra, seed, NOT_REPEATED)
    if options.no_save:
        answer = _conclude(request, crew, None, options, again)
        _tell(answer, options, None)
        return
    about = {
        "command": again,
        "reproduce": _command_line(
            command, request.game, options, extra, seed, NOT_REPEATED | HOW_ONLY
        ),
        "machine": study.machine(),
    }
    wish = Wish(request.identity(), about, force=options.force, resume=options.resume)
    with claim(path, wish) as directory:
        if not options.quiet and directory.state != "new":
            state = (
                "finished, verified: nothing is played"
                if directory.state == "finished"
                else ("unfinished: continuing it")
            )
            note(f"found this run in {str(path)!r}, {state}")
        answer = _conclude(request, crew, directory, options, again)
        try:
            if directory.state != "finished":
                directory.finish()
            _publish(answer, directory, options)
            _tell(answer, options, path)
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted. All games are played and saved. "
                f"Write tables and report with:\n  {again}"
            ) from None


def seed_of(options: RunOptions) -> int:
    """The seed given, else that of the run in the directory given, else a fresh one."""
    if options.seed is not None:
        return options.seed
    if options.out is not None and not options.force:
        try:
            found = look(options.out)
            if found is not None:
                return study.Request.from_json(found.identity["request"]).seed
        except (ResultsError, KeyError):
            pass  # claiming the directory will say what is wrong with it
    return study.fresh_seed()


def _conclude(
    request: study.Request,
    crew: study.Crew,
    directory: RunDirectory | None,
    options: RunOptions,
    again: str,
) -> study.Answer:
    finished = directory is not None and directory.state == "finished"
    if not options.quiet and not finished and is_cold(type(request.find_game()).__module__):
        note("compiling the game for this machine, once: this takes up to a minute")
    stage = study.Stage(crew, directory, make_progress(options.quiet))
    with Stop(worth_waiting=lambda: stage.underway) as stage.cancelled:
        try:
            result = study.conclude(request, stage)
        except (Interrupted, KeyboardInterrupt) as reason:
            text = str(reason) or "interrupted."
            if directory is None:
                kept = "Nothing was saved, as --no-save asks. Start again with"
            elif directory.state != "new":
                kept = "What was finished is saved. Continue with"
            else:
                kept = "Nothing was finished yet. Start again with"
            raise Interrupted(f"{text} {kept}:\n  {again}") from None
    return study.Answer(request, result, tuple(stage.parts))


def _publish(answer: study.Answer, directory: RunDirectory, options: RunOptions) -> None:
    """Write tables and report, unless they are there and whole."""
    files: Mapping[str, Any] = directory.saved.manifest["files"]
    damage = directory.saved.damage()
    complete = "tables/seats.csv" in files and (options.no_report or "report.html" in files)
    if not directory.writable or (complete and not damage):
        return
    if not options.quiet:
        for text in damage:
            note(f"{text}; it is written again")
    study.publish(answer, directory, report=not options.no_report)


def _tell(answer: study.Answer, options: RunOptions, path: Path | None) -> None:
    if options.json:
        emit_json(answer.document())
    else:
        tell_answer(answer, path, report=not options.no_report)


def _rehearse(
    request: study.Request,
    crew: study.Crew,
    options: RunOptions,
    path: Path,
    found: State | None,
) -> None:
    parts = study.rehearse(request, crew, saved=not options.no_save)
    tell_rehearsal(request, crew, options, path, found, parts)


def tell_rehearsal(
    request: study.Request,
    crew: study.Crew,
    options: RunOptions,
    path: Path,
    found: State | None,
    parts: Sequence[study.Part],
) -> None:
    """Say what would run, how long, and where it would go."""
    seconds = sum(part.seconds for part in parts)
    where = None if options.no_save else str(path)
    if options.json:
        emit_json(
            {
                "schema": "analyzer/dry-run/1",
                "request": request.to_json(),
                "directory": where,
                "found": found,
                "jobs": crew.jobs,
                "parts": [
                    {"part": part.name, "games": part.games, "seconds": part.seconds}
                    for part in parts
                ],
                "seconds": seconds,
            }
        )
        return
    rows = [(part.name, f"{part.games:,}", f"{part.seconds:,.1f}") for part in parts]
    columns = ("part", "games", "seconds, about")
    known = {
        "finished": " It is there already and finished: nothing would be played.",
        "unfinished": " Part of it is there already, and the rest would be played.",
    }.get(found or "", "")
    about = "under 1 s" if seconds < 1 else f"about {duration(seconds)}"
    if request.precision is not None:
        about += " at most, and less where the precision is reached before,"
    jobs = "1 job" if crew.jobs == 1 else f"{crew.jobs} jobs"
    emit_tables(
        table(columns, rows, numbers=columns[1:]),
        f"This would take {about} with {jobs}, and "
        + (f"be saved in {where!r}." if where else "save nothing.")
        + known,
    )


def _command_line(
    command: str,
    game: str,
    options: RunOptions,
    extra: Sequence[str],
    seed: int,
    left_out: set[str],
) -> str:
    """The command that asks for the same, as one would type it."""
    words = ["analyzer", command, game]
    for field in fields_of(options):
        value = getattr(options, field.name)
        if field.name in left_out or value == field.default:
            continue
        name = "--" + field.name.replace("_", "-")
        for item in value if isinstance(value, list) else [value]:
            words += [name] if item is True else [name, str(item)]
    return shlex.join([*words, *extra, "--seed", str(seed)])
