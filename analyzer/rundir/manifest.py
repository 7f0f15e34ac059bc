"""The manifest of a run: what was asked, how far it is, and whether its files are whole."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from analyzer.errors import ResultsError
from analyzer.experiment import Experiment
from analyzer.plain import choice, item, parse
from analyzer.results import ResultSet
from analyzer.rundir.files import digest_of, read_regular
from analyzer.rundir.parts import read_experiment, read_part

SCHEMA = "analyzer/run/1"
PROGRAM = "analyzer"
MANIFEST = "manifest.json"
MAX_MANIFEST = 10_000_000
MAX_FILES = 2**30
"""Bytes of all files of a run together; each is read to compare it with its digest."""
MAX_SECONDS = 1e12
FOLDERS = ("parts", "tables")
OURS = re.compile(
    r"report\.html|[\w-]+\.png|policy\.(?:npz|json|py)|parts/[\w-]+\.npz"
    r"|tables/[\w-]+\.(?:csv|parquet)",
    re.ASCII,
)
"""Files a run may list as its own: nothing else is ever removed, wherever a list points."""

State = Literal["new", "unfinished", "finished"]
"""Of a run's directory: nothing saved yet, some of the games, all of them."""


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
        parts = self.manifest["parts"]
        return float(parts[name]["seconds"]) if name in parts else 0.0

    def part(self, name: str, experiment: Experiment) -> ResultSet | None:
        """A saved part, or None if none of it was played.

        Of a run that is being continued to more games, a part may be of fewer than asked for.

        Raises
        ------
        ResultsError
            If it is damaged or of another experiment.
        """
        file = part_file(name)
        parts = self.manifest["parts"]
        announced = name in parts and parts[name]["games"] > 0
        if not announced and not os.path.lexists(self.path / file):
            return None
        damage = self._damage_of(file) if self.finished else ""
        if damage:
            raise ResultsError(f"{damage}.")
        begun = not self.finished  # to more games, perhaps, than it was asked for at first
        return read_part(self.path / file, experiment, self.seconds(name), begun=begun)

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
        return read_experiment(self.path / part_file(name))

    def damage(self) -> tuple[str, ...]:
        """What is missing or differs from what a finished run wrote, a phrase a file."""
        if not self.finished:
            return ()
        found = (self._damage_of(name) for name in self.manifest["files"])
        return tuple(text for text in found if text)

    def damaged_parts(self) -> dict[str, str]:
        """The parts of a finished run that are missing or were changed, each with a phrase."""
        if not self.finished:
            return {}
        files = [name for name in self.manifest["files"] if name.startswith("parts/")]
        found = {Path(name).stem: self._damage_of(name) for name in files}
        return {name: text for name, text in found.items() if text}

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
        manifest = parse(content)
        schema = item(manifest, "schema", str)
        if manifest["program"] != PROGRAM or not schema.startswith("analyzer/run/"):
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
    item(manifest, "identity", dict)
    item({"machine": {}} | item(manifest, "about", dict), "machine", dict)
    choice(manifest, "state", ("unfinished", "finished"))
    size = 0
    for name, entry in item(manifest, "files", dict).items():
        if not OURS.fullmatch(name):
            raise ValueError(f"it lists {name!r}, which is no file of a run")
        size += max(item(entry, "size", int), 0)
        item(entry, "sha256", str)
    if size > MAX_FILES:
        raise ValueError(f"its files have {size:,} bytes, and those of a run at most {MAX_FILES:,}")
    for name, entry in item(manifest, "parts", dict).items():
        part_file(name)
        item(entry, "games", int)
        if not 0 <= item(entry, "seconds", int, float) < MAX_SECONDS:
            raise ValueError(f"an impossible time for the part {name!r}")


def new_manifest(identity: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a run of which nothing was played yet."""
    return {
        "schema": SCHEMA,
        "program": PROGRAM,
        "state": "unfinished",
        "about": {**about, "created": now()},
        "identity": dict(identity),
        "parts": {},
        "files": {},
    }


def part_file(name: str) -> str:
    """Where a part's sums are, within the directory.

    Raises
    ------
    ValueError
        If the name could lead elsewhere.
    """
    file = f"parts/{name}.npz"
    if not OURS.fullmatch(file):
        raise ValueError(f"{name!r} is no name of a part")
    return file


def now() -> str:
    """Date and time to the second, in UTC, as manifests have them."""
    return datetime.now(UTC).isoformat(timespec="seconds")
