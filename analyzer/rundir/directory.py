"""A run's directory: whose it is, what is in it, and whether it is whole."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from analyzer.errors import OutputError, ResultsError
from analyzer.experiment import Experiment
from analyzer.results import ResultSet
from analyzer.rundir.files import (
    LOCK,
    STAGED,
    Lock,
    check_path,
    digest_of,
    make_folder,
    read_json,
    read_regular,
    remove_empty,
    unusable,
    write_atomically,
)
from analyzer.rundir.parts import read_experiment, read_part, write_part

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "RunDirectory",
    "SavedRun",
    "State",
    "Wish",
    "claim",
    "default_path",
    "look",
    "preview",
    "reopen",
]

SCHEMA = "analyzer/run/1"
PROGRAM = "analyzer"
MANIFEST = "manifest.json"
MAX_MANIFEST = 10_000_000
MAX_SECONDS = 1e12
FOLDERS = ("parts", "tables")
STAGING = f"{STAGED}files"
OURS = re.compile(
    r"report\.html|[\w-]+\.png|policy\.(?:npz|json|py)|parts/[\w-]+\.npz"
    r"|tables/[\w-]+\.(?:csv|parquet)",
    re.ASCII,
)
"""Files a run may list as its own: nothing else is ever removed, wherever a list points."""

State = Literal["new", "unfinished", "finished"]
"""Of a run's directory: nothing saved yet, some of the games, all of them."""


@dataclass(frozen=True)
class Wish:
    """What a command wants of a directory.

    Attributes
    ----------
    identity
        Plain data that two runs have in common exactly if they are the same run.
    about
        Further plain data for the manifest: command line, machine.
    force
        Replace another run of ours.
    resume
        Insist that the run is already there.
    """

    identity: Mapping[str, Any]
    about: Mapping[str, Any] = field(default_factory=dict)
    force: bool = False
    resume: bool = False


@dataclass(frozen=True)
class SavedRun:
    """The manifest of a run's directory, for reading."""

    path: Path
    manifest: Mapping[str, Any]

    @property
    def identity(self) -> Mapping[str, Any]:
        """What was asked."""
        identity: Mapping[str, Any] = self.manifest["identity"]
        return identity

    @property
    def about(self) -> Mapping[str, Any]:
        """Command line, machine, dates."""
        about: Mapping[str, Any] = self.manifest["about"]
        return about

    @property
    def finished(self) -> bool:
        """Whether every part was played to its end."""
        return bool(self.manifest["state"] == "finished")

    def seconds(self, name: str) -> float:
        """Time spent playing a part, before and after interruptions."""
        return float(self.manifest["parts"].get(name, {}).get("seconds", 0.0))

    def part(self, name: str, experiment: Experiment) -> ResultSet | None:
        """A saved part, or None if none of it was played.

        Raises
        ------
        ResultsError
            If it is damaged or of another experiment.
        """
        file = _part_file(name)
        announced: int = self.manifest["parts"].get(name, {}).get("games", 0)
        if announced == 0 and not os.path.lexists(self.path / file):
            return None
        damage = self._damage_of(file) if self.finished else ""
        if damage:
            raise ResultsError(f"{damage}.")
        return read_part(self.path / file, experiment, self.seconds(name))

    def experiment(self, name: str) -> Experiment:
        """The experiment that a saved part is of.

        Raises
        ------
        ResultsError
            If there is no such part, or it is damaged.
        """
        if name not in self.manifest["parts"]:
            known = ", ".join(sorted(self.manifest["parts"])) or "none"
            raise ResultsError(
                f"the run in {str(self.path)!r} has no part {name!r}; it has: {known}."
            )
        return read_experiment(self.path / _part_file(name))

    def damage(self) -> tuple[str, ...]:
        """What is missing or differs from what a finished run wrote, a phrase a file."""
        if not self.finished:
            return ()
        found = (self._damage_of(name) for name in self.manifest["files"])
        return tuple(text for text in found if text)

    def _damage_of(self, name: str) -> str:
        entry = self.manifest["files"].get(name)
        path = self.path / name
        if entry is None:
            return f"{name} is not in the list of files"
        if path.is_symlink() or not path.is_file():
            return f"{name} is missing"
        if path.stat().st_size != entry["size"]:
            return f"{name} has {path.stat().st_size:,} bytes, not {entry['size']:,}"
        if digest_of(path) != entry["sha256"]:
            return f"{name} was changed after it was written"
        return ""


class RunDirectory:
    """A directory claimed for one run by this process; a context manager.

    On leaving, a directory in which nothing was saved is as it was before.
    """

    def __init__(self, run: SavedRun, lock: Lock | None, made: list[Path], state: State) -> None:
        self.path = run.path
        self.state = state
        self._manifest: dict[str, Any] = dict(run.manifest)
        self._lock = lock
        self._made = made

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def saved(self) -> SavedRun:
        """What is in the directory now."""
        return SavedRun(self.path, self._manifest)

    @property
    def writable(self) -> bool:
        """Whether files may be added; a finished run may also be read where we may not write."""
        return self._lock is not None

    def part(self, name: str, experiment: Experiment) -> ResultSet | None:
        """A saved part, or None if none of it was played; see `SavedRun.part`.

        A process that died between writing a part and listing it left it unlisted: it is listed
        now that it has been read and found whole.

        Raises
        ------
        ResultsError
            If it is damaged or of another experiment.
        """
        result = self.saved.part(name, experiment)
        if result is not None and self.state == "unfinished":
            self._enter_part(name, result)
        return result

    def save_part(self, name: str, result: ResultSet) -> None:
        """Save a part, finished or not, in place of its earlier state.

        Raises
        ------
        OSError
            If the disk is full or gone; the earlier state is still there then.
        """
        (self.path / "parts").mkdir(exist_ok=True)
        parts = self._manifest["parts"]
        if name not in parts:
            # Announced first: a file that the manifest does not know would be a stranger's.
            parts[name] = {"games": 0, "seconds": 0.0, "stopped": "interrupted"}
            self._write_manifest()
        write_part(self.path / _part_file(name), result)
        if self.state == "new":
            self.state = "unfinished"
        self._enter_part(name, result)
        self._write_manifest()

    def _enter_part(self, name: str, result: ResultSet) -> None:
        self._manifest["parts"][name] = {
            "games": result.games,
            "seconds": result.seconds,
            "stopped": result.stopped,
        }
        self._list(_part_file(name))

    def write_tables(self, tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
        """Save tables as CSV and Parquet; returns name -> path of the CSV within the directory."""
        with self.staging() as folder:
            (folder / "tables").mkdir()
            for name, table in tables.items():
                stem = folder / "tables" / name
                table.to_csv(
                    stem.with_suffix(".csv"), index=False, lineterminator="\n", encoding="utf-8"
                )
                # Arrow takes no path that is not UTF-8; a file it takes anywhere.
                with stem.with_suffix(".parquet").open("wb") as stream:
                    table.to_parquet(stream, index=False, engine="pyarrow")
        return {name: f"tables/{name}.csv" for name in tables}

    @contextlib.contextmanager
    def staging(self) -> Iterator[Path]:
        """A folder to write files in; on leaving, they are moved to their places in the run."""
        folder = self.path / STAGING
        folder.mkdir()
        try:
            yield folder
            files = {
                path.relative_to(folder).as_posix(): path
                for path in sorted(folder.rglob("*"))
                if path.is_file()
            }
            for name, path in files.items():
                if not OURS.fullmatch(name):
                    raise ValueError(f"{name!r} is no file of a run")
                self._list(name, path)
            # Listed first and moved then: a listed file that is missing is noticed, a file that
            # is not listed would be in the way for ever.
            self._write_manifest()
            for name, path in files.items():
                (self.path / name).parent.mkdir(exist_ok=True)
                path.replace(self.path / name)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def finish(self) -> None:
        """Note that every part has been played to its end, and drop what told of less."""
        files = self._manifest["files"]
        stale = [name for name in files if not name.startswith("parts/")]
        for name in stale:
            del files[name]
        self._manifest["state"] = self.state = "finished"
        self._write_manifest()
        for name in stale:
            (self.path / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Let others in; leave nothing behind if nothing was saved."""
        if self._lock is None:
            return
        if self.state == "new":
            with contextlib.suppress(OSError):
                (self.path / "parts").rmdir()
            with contextlib.suppress(OSError):
                (self.path / MANIFEST).unlink()
            self._lock.release()
            remove_empty(self._made)
        self._lock.release()
        self._lock = None

    def _list(self, name: str, path: Path | None = None) -> None:
        path = path or self.path / name
        entry = {"size": path.stat().st_size, "sha256": digest_of(path)}
        self._manifest["files"][name] = entry

    def _write_manifest(self) -> None:
        self._manifest["about"] = {**self._manifest["about"], "updated": _now()}
        text = json.dumps(self._manifest, indent=1, allow_nan=False)
        write_atomically(self.path / MANIFEST, text.encode() + b"\n")


def default_path(game: str, command: str, seed: int, digest: str) -> Path:
    """Where a run goes that was not told where."""
    word = re.sub(r"[^a-z0-9]+", "-", game.lower()).strip("-")
    return Path("results") / f"{word}-{command}-{seed}-{digest}"


def look(path: Path) -> SavedRun | None:
    """The run in a directory, or None if there is none.

    Raises
    ------
    ResultsError
        If there is a manifest that is damaged or not ours.
    """
    try:
        content = read_regular(path / MANIFEST, MAX_MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as reason:
        text = reason.strerror or reason if isinstance(reason, OSError) else reason
        raise ResultsError(f"{str(path / MANIFEST)!r} cannot be read: {text}.") from None
    where = f"{str(path / MANIFEST)!r}"
    try:
        manifest = read_json(content)
        schema = manifest["schema"]
        if manifest["program"] != PROGRAM or not str(schema).startswith("analyzer/run/"):
            raise ResultsError(f"{where} is not of a run of this program.")
        if schema != SCHEMA:
            raise ResultsError(
                f"{where} has the schema {schema!r}, this version reads {SCHEMA!r}; "
                "use the version that wrote it."
            )
        _check_shape(manifest)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as reason:
        raise ResultsError(
            f"{where} is damaged or not ours ({type(reason).__name__}: {reason})."
        ) from None
    return SavedRun(path, manifest)


def _check_shape(manifest: Mapping[str, Any]) -> None:
    """Raise `ValueError`, `KeyError` or `TypeError` unless a manifest is built like ours."""
    for key in ("identity", "about", "parts", "files"):
        if not isinstance(manifest[key], dict):
            raise TypeError(f"{key!r} is not a table")
    if not isinstance(manifest["about"].get("machine", {}), dict):
        raise TypeError("'machine' is not a table")
    if manifest["state"] not in ("unfinished", "finished"):
        raise ValueError(f"state {manifest['state']!r}")
    for name, entry in manifest["files"].items():
        if not OURS.fullmatch(name):
            raise ValueError(f"it lists {name!r}, which is no file of a run")
        if not isinstance(entry["size"], int) or not isinstance(entry["sha256"], str):
            raise TypeError(f"entry of {name!r}")
    for name, entry in manifest["parts"].items():
        _part_file(name)
        if type(entry["games"]) is not int or type(entry["seconds"]) not in (int, float):
            raise TypeError(f"entry of the part {name!r}")
        if not 0 <= entry["seconds"] < MAX_SECONDS:
            raise ValueError(f"an impossible time for the part {name!r}")


def preview(path: Path, wish: Wish) -> State:
    """What `claim` would find, without touching anything.

    Raises
    ------
    OutputError, ResultsError
        As `claim`, except for what only a second process or a full disk could be the reason of.
    """
    check_path(path)
    found = _require_run(path) if wish.resume else _survey(path)
    if found is not None and wish.force:
        _refuse_strangers(found)
        found = None
    if found is not None:
        _refuse_other(found, wish)
        if found.finished:
            return "finished"
    nearest = next(folder for folder in (path, *path.parents) if folder.exists())
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise unusable(path, PermissionError(errno.EACCES, "Permission denied"))
    return "unfinished" if found is not None else "new"


def claim(path: Path, wish: Wish) -> RunDirectory:
    """Make a directory ours for a run: a new one, an unfinished one, or one that is finished.

    Raises
    ------
    OutputError
        If the path cannot be used, holds other things, another run, or is in use.
    ResultsError
        If it holds this run damaged, or nothing where the wish insists on resuming.
    """
    check_path(path)
    made: list[Path] = []
    if wish.resume:
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
            if wish.force or found is None or not _is_this_finished(found, wish):
                raise
        return _enter(path, wish, lock, made)
    except BaseException:
        if lock is not None:
            lock.release()
        remove_empty(made)
        raise


def _enter(path: Path, wish: Wish, lock: Lock | None, made: list[Path]) -> RunDirectory:
    found = _survey(path)
    if found is not None and lock is not None:
        _sweep(path)
    if found is not None and wish.force:
        _remove(found)
        found = None
    if found is None:
        manifest = {
            "schema": SCHEMA,
            "program": PROGRAM,
            "state": "unfinished",
            "about": {**wish.about, "created": _now()},
            "identity": dict(wish.identity),
            "parts": {},
            "files": {},
        }
        directory = RunDirectory(SavedRun(path, manifest), lock, made, "new")
        try:
            directory._write_manifest()
        except OSError as reason:
            raise unusable(path, reason) from None
        return directory
    _refuse_other(found, wish)
    return RunDirectory(found, lock, [], "finished" if found.finished else "unfinished")


def reopen(path: Path) -> RunDirectory:
    """Claim an existing run, finished or not, to add to it.

    Raises
    ------
    ResultsError, OutputError
        If there is none, or it is in use.
    """
    _require_run(path)
    _refuse_detours(path)
    lock = Lock(path)
    try:
        found = _require_run(path)  # as whoever held the lock before us has left it
        _sweep(path)
    except BaseException:
        lock.release()
        raise
    return RunDirectory(found, lock, [], "finished" if found.finished else "unfinished")


def _require_run(path: Path) -> SavedRun:
    found = look(path)
    if found is None:
        raise ResultsError(
            f"there is no run in {str(path)!r}; give the directory that a run was saved in, "
            "the one with a manifest.json."
        )
    return found


def _is_this_finished(found: SavedRun, wish: Wish) -> bool:
    return found.finished and not _differences(found.identity, wish.identity)


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
    _refuse_detours(path)
    return found


def _refuse_detours(path: Path) -> None:
    """Refuse a run whose folders are links, by which we would write somewhere else, or files."""
    for name in FOLDERS:
        folder = path / name
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise OutputError(
                f"{str(folder)!r} is no folder but a link or a file, so nothing was touched; "
                "move it away, or choose another --out."
            )


def _refuse_strangers(found: SavedRun) -> None:
    """Refuse to remove a run if that would take along what the run did not write."""
    ours = {MANIFEST, LOCK, *FOLDERS, *_files_of(found)}
    names = {entry.relative_to(found.path).as_posix(): entry for entry in found.path.rglob("*")}
    foreign = sorted(
        name for name, entry in names.items() if name not in ours or entry.is_symlink()
    )
    if foreign:
        raise OutputError(
            f"the output directory {str(found.path)!r} holds files that the run in it did not "
            f"write ({_listed(foreign)}), so --force leaves it alone; move them away first."
        )


def _files_of(found: SavedRun) -> set[str]:
    """Names of the files that a run wrote, its manifest aside."""
    return {*found.manifest["files"], *(_part_file(name) for name in found.manifest["parts"])}


def _remove(found: SavedRun) -> None:
    """Remove a run, and refuse if that would take along what the run did not write."""
    _refuse_strangers(found)
    for name in sorted(_files_of(found)):
        (found.path / name).unlink(missing_ok=True)
    for folder in FOLDERS:
        with contextlib.suppress(OSError):
            (found.path / folder).rmdir()
    (found.path / MANIFEST).unlink()


def _refuse_other(found: SavedRun, wish: Wish) -> None:
    """Refuse a directory that holds another run, or this one damaged."""
    differences = _differences(found.identity, wish.identity)
    if differences:
        raise OutputError(
            f"the output directory {str(found.path)!r} holds another run "
            f"({'; '.join(differences)}); choose another --out, or give --force to replace it."
        )
    _refuse_damaged(found)


def _refuse_damaged(found: SavedRun) -> None:
    damaged = [text for text in found.damage() if text.startswith("parts/")]
    if damaged:
        raise ResultsError(
            f"the run in {str(found.path)!r} is damaged: {'; '.join(damaged)}. "
            "Give --force to play it again."
        )


def _sweep(path: Path) -> None:
    """Remove what a process that died while writing to this run has left."""
    shutil.rmtree(path / STAGING, ignore_errors=True)
    halves = [path / f"{STAGED}{MANIFEST}", *(path / "parts").glob(f"{STAGED}*.npz")]
    for half in halves:
        if half.is_symlink() or half.is_file():
            half.unlink()


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


def _part_file(name: str) -> str:
    file = f"parts/{name}.npz"
    if not OURS.fullmatch(file):
        raise ValueError(f"{name!r} is no name of a part")
    return file


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
