"""A run's directory in the hands of the process that claimed it: saving parts, tables, pictures."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from analyzer.errors import ResultsError
from analyzer.experiment import Experiment
from analyzer.results import ResultSet
from analyzer.rundir.files import (
    STAGED,
    Lock,
    digest_of,
    refuse_folder,
    remove_empty,
    unusable,
    write_atomically,
)
from analyzer.rundir.manifest import MANIFEST, OURS, SavedRun, State, now, part_file
from analyzer.rundir.parts import write_part

if TYPE_CHECKING:
    import pandas as pd

STAGING = f"{STAGED}files"
ASIDE = ".damaged"
"""What the name of a damaged part ends in, once it is set aside."""


FORMULA = re.compile(r"(^|[;\t\r\n])(?=[-=+@\t\r\uff0d\uff1d\uff0b\uff20])")
"""Where spreadsheets begin to read a formula: at the start of a cell, for those who take semicolons
for the ends of cells after one, and some read full-width letters like the usual ones."""
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def _harmless(value: Any) -> Any:
    """Text that no spreadsheet takes for a formula; names of strategies may come from anybody."""
    if not isinstance(value, str) or NUMBER.fullmatch(value):
        return value
    return FORMULA.sub(r"\1'", value)


def _for_spreadsheets(table: pd.DataFrame) -> pd.DataFrame:
    """The table with harmless texts; numbers and everything else as they are."""
    import pandas as pd

    safe = table.copy()
    for name, column in table.items():
        if column.dtype.kind == "O":
            values = [_harmless(value) for value in column]
            safe[name] = pd.Series(values, column.index, dtype=object)
    return safe.rename(columns=_harmless)


def _free(path: Path) -> Path:
    """The name itself, or the first with a number that nothing has."""
    names = (path if n == 1 else path.with_name(f"{path.name}-{n}") for n in count(1))
    return next(name for name in names if not os.path.lexists(name))


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
        self.notes: list[str] = []
        """What claiming it has changed, a sentence each."""

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

    def begin(self) -> None:
        """Write the manifest, so that nobody takes the directory for another's.

        Raises
        ------
        OSError
            If the disk is full or cannot be written.
        """
        self._write_manifest()

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
        write_part(self.path / part_file(name), result)
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
        self._list(part_file(name))

    def set_aside(self, name: str, why: str) -> str:
        """Rename a damaged part, so that its games are played again; tells what was done.

        Nothing is deleted: somebody may still want to know what has happened to the file.

        Parameters
        ----------
        name
            The part.
        why
            What is wrong with it, as a sentence.

        Raises
        ------
        ResultsError
            If the directory cannot be written.
        """
        file = self.path / part_file(name)
        why = why.rstrip(".")
        if self._lock is None:
            raise ResultsError(
                f"{why}. Nothing can be mended in {str(self.path)!r}, which cannot be written; "
                "choose another --out."
            )
        kept = ""
        try:
            if os.path.lexists(file):
                aside = _free(file.with_name(file.name + ASIDE))
                file.rename(aside)
                kept = f"it is kept as {str(aside)!r}, and "
            # Renamed first: what a manifest no longer has a digest of would be taken for whole.
            self._manifest["parts"][name] = {"games": 0, "seconds": 0.0, "stopped": "interrupted"}
            self._manifest["files"].pop(part_file(name), None)
            self._manifest["state"] = self.state = "unfinished"
            self._write_manifest()
        except OSError as reason:
            raise unusable(self.path, reason) from None
        return f"{why}; {kept}its games are played again"

    def prolong(self, identity: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        """Make it a run of more games, of which those it has are the first.

        Parameters
        ----------
        identity, about
            As of a new run of so many games.

        Raises
        ------
        OSError
            If the disk is full or cannot be written.
        """
        created = self._manifest["about"].get("created")
        self._manifest["identity"] = dict(identity)
        self._manifest["about"] = {**about, "created": created}
        self._manifest["state"] = self.state = "unfinished"
        self._write_manifest()

    def write_tables(self, tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
        """Save tables as CSV and Parquet; returns name -> path of the CSV within the directory.

        In CSV, text that a spreadsheet would take for a formula has an apostrophe before it.
        """
        with self.staging() as folder:
            (folder / "tables").mkdir()
            for name, table in tables.items():
                stem = folder / "tables" / name
                _for_spreadsheets(table).to_csv(
                    stem.with_suffix(".csv"), index=False, lineterminator="\n", encoding="utf-8"
                )
                # Arrow takes no path that is not UTF-8; a file it takes anywhere.
                with stem.with_suffix(".parquet").open("wb") as stream:
                    table.to_parquet(stream, index=False, engine="pyarrow")
        return {name: f"tables/{name}.csv" for name in tables}

    @contextlib.contextmanager
    def staging(self) -> Iterator[Path]:
        """A folder to write files in; on leaving, they are moved to their places in the run.

        Raises
        ------
        OutputError
            If there is a folder in the place of a file.
        OSError
            If the disk is full or gone.
        """
        folder = self.path / STAGING
        try:
            folder.mkdir()
            yield folder
            files = {
                path.relative_to(folder).as_posix(): path
                for path in sorted(folder.rglob("*"))
                if path.is_file()
            }
            for name, path in files.items():
                if not OURS.fullmatch(name):
                    raise ValueError(f"{name!r} is no file of a run")
                refuse_folder(self.path / name)
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
        # Removed first and unlisted then: a file that is not listed would be in the way for ever.
        for name in [name for name in files if not name.startswith("parts/")]:
            (self.path / name).unlink(missing_ok=True)
            del files[name]
        self._manifest["state"] = self.state = "finished"
        self._write_manifest()

    def close(self) -> None:
        """Let others in; leave nothing behind if nothing was saved."""
        if self._lock is None:
            return
        if self.state == "new":
            parts = self.path / "parts"
            with contextlib.suppress(OSError):
                parts.rmdir()
            # A part may be in its place although saving it was broken off right after. Without
            # the manifest, which has announced it, it would be a stranger's.
            if not parts.exists():
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
        self._manifest["about"] = {**self._manifest["about"], "updated": now()}
        text = json.dumps(self._manifest, indent=1, allow_nan=False)
        write_atomically(self.path / MANIFEST, text.encode() + b"\n")
