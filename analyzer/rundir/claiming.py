"""Whose a directory is: claiming one for a run, and refusing those that are not ours to use."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analyzer.errors import OutputError, ResultsError
from analyzer.rundir.directory import STAGING, RunDirectory
from analyzer.rundir.files import (
    LOCK,
    STAGED,
    Lock,
    check_path,
    make_folder,
    refuse_folder,
    remove_empty,
    unusable,
)
from analyzer.rundir.manifest import (
    FOLDERS,
    MANIFEST,
    SavedRun,
    State,
    look,
    new_manifest,
    part_file,
)

FIXED = "such a run is not continued to more games"
"""Why a run is not continued to more games, unless something else is said."""


def default_path(game: str, command: str, seed: int | None, digest: str) -> Path:
    """Where a run goes that was not told where; None as the seed of what needs no chance."""
    word = re.sub(r"[^a-z0-9]+", "-", game.lower()).strip("-")
    parts = (word, command, digest) if seed is None else (word, command, str(seed), digest)
    return Path("results") / "-".join(parts)


def preview(
    path: Path,
    identity: Mapping[str, Any],
    *,
    force: bool = False,
    resume: bool = False,
    fixed: str = FIXED,
) -> State:
    """What `claim` would find, without touching anything.

    Raises
    ------
    OutputError, ResultsError
        As `claim`, except for what only a second process or a full disk could be the reason of.
    """
    check_path(path)
    found = _require_run(path) if resume else _survey(path)
    if found is not None and force:
        _refuse_strangers(found)
        found = None
    if found is not None:
        fewer = _refuse_other(found, identity, fixed)
        if found.finished and fewer is None and not found.damaged_parts():
            return "finished"
    nearest = next(folder for folder in (path, *path.parents) if folder.exists())
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise unusable(path, PermissionError(errno.EACCES, "Permission denied"))
    return "unfinished" if found is not None else "new"


def claim(
    path: Path,
    identity: Mapping[str, Any],
    about: Mapping[str, Any] | None = None,
    *,
    force: bool = False,
    resume: bool = False,
    fixed: str = FIXED,
) -> RunDirectory:
    """Make a directory ours for a run: a new one, an unfinished one, or one that is finished.

    Damaged parts of a finished run are set aside, and it is unfinished again; see ``notes`` of the
    directory.

    Parameters
    ----------
    path
        The directory.
    identity
        Plain data that two runs have in common exactly if they are the same run.
    about
        Further plain data for the manifest of a new run: command line, machine.
    force
        Replace another run of ours.
    resume
        Insist that the run is already there.
    fixed
        Why a run that is there with fewer games is not continued to more; empty if it is.

    Raises
    ------
    OutputError
        If the path cannot be used, holds other things, another run, or is in use.
    ResultsError
        If it holds this run damaged and cannot be written, or nothing to resume.
    """
    check_path(path)
    made: list[Path] = []
    if resume:
        _require_run(path)
    else:
        _survey(path)  # before the lock, which would be the first thing that we touch
        made = make_folder(path)
    lock: Lock | None = None
    try:
        try:
            lock = Lock(path)
        except OutputError:
            # A finished run can also be read from a disk that cannot be written.
            found = look(path)
            if force or found is None or not found.finished:
                raise
            if _differences(found.identity, identity):
                raise
        found = _survey(path)
        if found is not None and lock is not None:
            _sweep(path)
        if found is not None and force:
            _remove(found)
            found = None
        if found is None:
            return _begin(SavedRun(path, new_manifest(identity, about or {})), lock, made)
        fewer = _refuse_other(found, identity, fixed)
        directory = _directory_of(found, lock)
        damaged = found.damaged_parts()  # as long as it counts as finished
        if fewer is not None:
            try:
                directory.prolong(identity, about or {})
            except OSError as reason:
                raise unusable(path, reason) from None
            directory.notes.append(_how_prolonged(found, fewer, _games(identity)))
        for name, why in damaged.items():
            directory.notes.append(directory.set_aside(name, why))
        return directory
    except BaseException:
        if lock is not None:
            lock.release()
        remove_empty(made)
        raise


def _how_prolonged(found: SavedRun, fewer: int, games: int) -> str:
    """What more games mean for a run that has fewer; one that was precise by then needs none."""
    parts = found.manifest["parts"].values()
    precise = [
        part["games"]
        for part in parts
        if part.get("stopped") == "precision" and part["games"] < fewer
    ]
    if precise:
        return f"its precision was reached after {precise[0]:,} games, and no more are needed"
    return f"it has {fewer:,} games, and is continued to {games:,}"


def _begin(new: SavedRun, lock: Lock | None, made: list[Path]) -> RunDirectory:
    directory = RunDirectory(new, lock, made, "new")
    try:
        directory.begin()
    except BaseException as reason:
        directory.close()
        if isinstance(reason, OSError):
            raise unusable(new.path, reason) from None
        raise
    return directory


def _directory_of(found: SavedRun, lock: Lock | None) -> RunDirectory:
    return RunDirectory(found, lock, [], "finished" if found.finished else "unfinished")


def reopen(path: Path) -> RunDirectory:
    """Claim an existing run, finished or not, to add to it.

    Raises
    ------
    ResultsError, OutputError
        If there is none, or it is in use.
    """
    _refuse_folders(_require_run(path))
    lock = Lock(path, "what is saved there stays; give the command again once that is mended")
    try:
        found = _require_run(path)  # as whoever held the lock before us has left it
        _sweep(path)
    except BaseException:
        lock.release()
        raise
    return _directory_of(found, lock)


def _require_run(path: Path) -> SavedRun:
    found = look(path)
    if found is None:
        raise ResultsError(
            f"there is no run in {str(path)!r}; give the directory that a run was saved in, "
            "the one with a manifest.json."
        )
    return found


def _survey(path: Path) -> SavedRun | None:
    """The run in a directory, if there is either; refuses a directory of other things."""
    try:
        entries = sorted(entry.name for entry in path.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as reason:
        raise unusable(path, reason) from None
    # A lock judges itself; a manifest that was never finished is all that a start may leave.
    entries = [name for name in entries if name not in (LOCK, STAGED + MANIFEST)]
    if not entries:
        return None
    try:
        found = look(path)
    except ResultsError as reason:
        raise OutputError(f"{reason} Nothing was touched; choose another --out.") from None
    if found is None:
        raise OutputError(
            f"the output directory {str(path)!r} holds other things ({_listed(entries)}) and no "
            "run of ours, so it is left alone; choose another --out."
        )
    _refuse_folders(found)
    return found


def _refuse_folders(found: SavedRun) -> None:
    """Refuse a run whose folders are files, or links to somewhere else, or whose files are folders.

    By a link we would write where it leads.
    """
    for name in FOLDERS:
        folder = found.path / name
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise OutputError(
                f"{str(folder)!r} is no folder but a link or a file, so nothing was touched; "
                "move it away, or choose another --out."
            )
    for name in sorted(_files_of(found)):
        refuse_folder(found.path / name)


def _refuse_strangers(found: SavedRun) -> None:
    """Refuse to remove a run if that would take along what the run did not write."""
    ours = {MANIFEST, LOCK, *FOLDERS, *_files_of(found)}
    names = {entry.relative_to(found.path).as_posix(): entry for entry in found.path.rglob("*")}
    left = _leftovers(found.path)  # `claim` has swept them, and `preview` must not
    foreign = sorted(
        name
        for name, entry in names.items()
        if (name not in ours or entry.is_symlink())
        and not any(entry.is_relative_to(leftover) for leftover in left)
    )
    if foreign:
        raise OutputError(
            f"the output directory {str(found.path)!r} holds files that the run in it did not "
            f"write ({_listed(foreign)}), so --force leaves it alone; move them away first."
        )


def _files_of(found: SavedRun) -> set[str]:
    """Names of the files that a run wrote, its manifest aside."""
    return {*found.manifest["files"], *(part_file(name) for name in found.manifest["parts"])}


def _remove(found: SavedRun) -> None:
    """Remove a run, and refuse if that would take along what the run did not write."""
    _refuse_strangers(found)
    for name in sorted(_files_of(found)):
        (found.path / name).unlink(missing_ok=True)
    for folder in FOLDERS:
        with contextlib.suppress(OSError):
            (found.path / folder).rmdir()
    (found.path / MANIFEST).unlink()


def _refuse_other(found: SavedRun, identity: Mapping[str, Any], fixed: str) -> int | None:
    """Refuse a directory that holds another run; tells how many games it has if it has fewer."""
    differences = _differences(found.identity, identity)
    there, here = _games(found.identity), _games(identity)
    if len(differences) == 1 and 0 < there < here:
        if fixed:
            raise OutputError(
                f"the output directory {str(found.path)!r} holds this run with {there:,} games, "
                f"and {here:,} are asked for, but {fixed}; choose another --out, or give --force "
                "to play all of them."
            )
        return there
    if differences:
        raise OutputError(
            f"the output directory {str(found.path)!r} holds another run "
            f"({'; '.join(differences)}); choose another --out, or give --force to replace it."
        )
    return None


def _games(identity: Mapping[str, Any]) -> int:
    """How many games a run was asked for; 0 if that is not what it was asked."""
    request = identity.get("request")
    games = request.get("games") if isinstance(request, Mapping) else None
    return games if isinstance(games, int) else 0


def _sweep(path: Path) -> None:
    """Remove what a process that died while writing to this run has left."""
    for left in _leftovers(path):
        if left.name == STAGING:
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink()


def _leftovers(path: Path) -> list[Path]:
    """Half-written files of this run, and the folder of those that were to be moved."""
    halves = [path / f"{STAGED}{MANIFEST}", *(path / "parts").glob(f"{STAGED}*.npz")]
    found = [half for half in halves if half.is_symlink() or half.is_file()]
    staging = path / STAGING
    return [*found, staging] if staging.is_dir() and not staging.is_symlink() else found


def _differences(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> list[str]:
    """What two runs do not have in common, in words."""
    ours = json.loads(json.dumps(ours))
    found = []
    for key in sorted(ours.keys() | theirs.keys()):
        there, here = theirs.get(key), ours.get(key)
        if isinstance(there, dict) and isinstance(here, dict):
            found += _differences(there, here)
        elif there != here:
            found.append(f"{key}: {_brief(there)} there, {_brief(here)} here")
    return found


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _listed(names: list[str]) -> str:
    text = ", ".join(repr(name) for name in names[:3])
    return text if len(names) <= 3 else f"{text} and {len(names) - 3} more"
