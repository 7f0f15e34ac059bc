"""In which words a run directory is refused, and what is damaged about it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

from analyzer.errors import AnalyzerError, OutputError, ResultsError
from analyzer.experiment import Experiment
from analyzer.results import Checkpoint, ResultSet
from analyzer.rundir import RunDirectory, SavedRun, claim, look, preview, read_part, reopen
from analyzer.rundir.files import Lock, read_regular
from analyzer.rundir.manifest import new_manifest
from analyzer.rundir.parts import read_experiment, write_part


@pytest.fixture
def result() -> ResultSet:
    """Games that nobody played."""
    experiment = Experiment("nim", ("a", "b"), {"heaps": [3, 4, 5]}, 1000, 7)
    games = np.bincount(np.arange(1000) % 256, minlength=256)[None].astype(np.int64)
    sums = {"games": games, "wins": np.stack([games, 0 * games], axis=1)}
    return ResultSet(experiment, 1000, sums, (), "games", 1.25, -3)


@pytest.fixture
def run(tmp_path: Path, result: ResultSet) -> Path:
    """The directory of a finished run of two parts."""
    with claim(tmp_path / "run", {"seed": 7}) as directory:
        directory.save_part("main", result)
        directory.save_part("flat", result)
        directory.finish()
    return tmp_path / "run"


def told(kind: type[AnalyzerError], act: Callable[[], object]) -> str:
    """What somebody is told who may not do something."""
    with pytest.raises(kind) as caught:
        act()
    return str(caught.value)


def change(run: Path, **new: Any) -> None:
    """Change entries of a manifest."""
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(manifest | new))


# --- whose the directory is ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "listed"),
    [("abc", "'a', 'b', 'c'"), ("abcd", "'a', 'b', 'c' and 1 more"), ("a", "'a'")],
)
def test_a_directory_of_other_things(tmp_path: Path, names: str, listed: str) -> None:
    for name in names:
        (tmp_path / name).touch()
    assert told(OutputError, lambda: claim(tmp_path, {})) == (
        f"the output directory '{tmp_path}' holds other things ({listed}) and no run of ours, "
        "so it is left alone; choose another --out."
    )


def test_another_run_is_told_by_what_differs(tmp_path: Path, result: ResultSet) -> None:
    saved = {"a": "x" * 38, "b": "x" * 39, "c": {"in": 1, "same": 2}, "d": {"in": 1}, "e": 0}
    with claim(tmp_path / "run", saved) as directory:
        directory.save_part("main", result)
    ours = {"a": None, "b": None, "c": {"in": 2, "same": 2}, "d": 5, "f": 0}
    assert told(OutputError, lambda: claim(tmp_path / "run", ours)) == (
        f"the output directory '{tmp_path / 'run'}' holds another run ("
        f'a: "{"x" * 38}" there, null here; b: "{"x" * 36}... there, null here; '
        'in: 1 there, 2 here; d: {"in": 1} there, 5 here; '
        "e: 0 there, null here; f: null there, 0 here); "
        "choose another --out, or give --force to replace it."
    )


def test_a_run_that_is_not_there(tmp_path: Path) -> None:
    for act in (lambda: reopen(tmp_path), lambda: claim(tmp_path, {}, resume=True)):
        assert told(ResultsError, act) == (
            f"there is no run in '{tmp_path}'; give the directory that a run was saved in, "
            "the one with a manifest.json."
        )


def test_files_that_are_not_the_runs(run: Path) -> None:
    (run / "mine").touch()
    (run / "tables").mkdir()
    (run / "tables" / "mine.csv").touch()
    assert told(OutputError, lambda: claim(run, {}, force=True)) == (
        f"the output directory '{run}' holds files that the run in it did not write "
        "('mine', 'tables/mine.csv'), so --force leaves it alone; move them away first."
    )


def test_a_folder_of_the_run_that_is_none(run: Path) -> None:
    (run / "tables").touch()
    assert told(OutputError, lambda: reopen(run)) == (
        f"'{run / 'tables'}' is no folder but a link or a file, so nothing was touched; "
        "move it away, or choose another --out."
    )


def test_a_part_announced_but_not_written_is_no_strangers(run: Path) -> None:
    change(run, files={}, state="unfinished")
    with claim(run, {}, force=True) as directory:
        assert directory.state == "new"
        assert not (run / "parts").exists()


def test_a_directory_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, int]] = []

    def refuse(path: Path, mode: int) -> bool:
        asked.append((path, mode))
        return False

    monkeypatch.setattr(os, "access", refuse)
    path = tmp_path / "deep" / "run"
    assert told(OutputError, lambda: preview(path, {})) == (
        f"the output directory '{path}' cannot be written: Permission denied; "
        "choose another --out, or --no-save to write nothing."
    )
    assert asked == [(tmp_path, os.W_OK | os.X_OK)]


def test_a_disk_that_is_full_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(RunDirectory, "begin", fail)
    path = tmp_path / "deep" / "run"
    assert told(OutputError, lambda: claim(path, {})) == (
        f"the output directory '{path}' cannot be written: No space left on device; "
        "choose another --out, or --no-save to write nothing."
    )
    assert list(tmp_path.iterdir()) == []


def test_folders_made_for_a_run_stay_if_somebody_uses_them(tmp_path: Path) -> None:
    with claim(tmp_path / "deep" / "run", {}):
        (tmp_path / "deep" / "mine").touch()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["mine"]


def test_a_run_in_use(run: Path) -> None:
    with reopen(run) as directory:
        assert directory.writable
        assert told(OutputError, lambda: reopen(run)) == (
            f"the output directory '{run}' is being written by another analyzer (process "
            f"{os.getpid()}); wait for it, or choose another --out."
        )
    # Whoever holds it may not have written its number yet.
    with (run / ".lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert told(OutputError, lambda: Lock(run)) == (
            f"the output directory '{run}' is being written by another analyzer; "
            "wait for it, or choose another --out."
        )


# --- how far it is -------------------------------------------------------------------------------


def test_a_part_is_announced_before_it_is_written(
    tmp_path: Path, result: ResultSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    def listed() -> Any:
        return json.loads((tmp_path / "run" / "manifest.json").read_text())["parts"]

    with claim(tmp_path / "run", {}) as directory:
        with monkeypatch.context() as patch:
            patch.setattr("analyzer.rundir.directory.write_part", die)
            with pytest.raises(KeyboardInterrupt):
                directory.save_part("main", result)
        assert listed() == {"main": {"games": 0, "seconds": 0.0, "stopped": "interrupted"}}
        assert directory.state == "new"
        directory.save_part("main", result)
        assert directory.state == "unfinished"
        entry = {"games": 1000, "seconds": 1.25, "stopped": "games"}
        with monkeypatch.context() as patch:
            patch.setattr("analyzer.rundir.directory.write_part", die)
            with pytest.raises(KeyboardInterrupt):
                directory.save_part("main", result)
        assert listed() == {"main": entry}


def test_a_manifest_says_how_and_when_it_came_about(run: Path) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    with claim(run.parent / "other", {}, {"command": "x"}) as directory:
        about = directory.saved.about
        assert about == {"command": "x", "created": about["created"], "updated": about["updated"]}
        for when in (about["created"], about["updated"]):
            assert len(when) == len("2000-01-01T00:00:00+00:00")
            assert before <= datetime.fromisoformat(when) <= datetime.now(UTC)


# --- damage --------------------------------------------------------------------------------------


def test_parts_that_were_changed(run: Path, result: ResultSet) -> None:
    parts = {name: run / "parts" / f"{name}.npz" for name in ("main", "flat")}
    size = parts["main"].stat().st_size
    parts["main"].write_bytes(b"x" * size)
    saved = look(run)
    assert saved is not None
    assert told(ResultsError, lambda: saved.part("main", result.experiment)) == (
        "parts/main.npz was changed after it was written."
    )
    parts["main"].write_bytes(b"x" * 1234)
    parts["flat"].unlink()
    assert preview(run, {"seed": 7}) == "unfinished"
    aside = run / "parts" / "main.npz.damaged"
    with claim(run, {"seed": 7}) as directory:
        assert directory.state == "unfinished"
        assert directory.notes == [
            f"parts/main.npz has 1,234 bytes, not {size:,}; it is kept as '{aside}', and its games "
            "are played again",
            "parts/flat.npz is missing; its games are played again",
        ]
    assert aside.read_bytes() == b"x" * 1234
    with claim(run, {"seed": 7}) as directory:  # nothing was played meanwhile
        assert directory.notes == [] and directory.state == "unfinished"
        assert directory.part("main", result.experiment) is None


def test_damage_where_nothing_can_be_written(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path, *more: str) -> Lock:
        raise OutputError("it cannot be written")

    (run / "parts" / "main.npz").write_bytes(b"x")
    before = sorted(run.rglob("*"))
    monkeypatch.setattr("analyzer.rundir.claiming.Lock", refuse)
    text = told(ResultsError, lambda: claim(run, {"seed": 7}))
    assert text.startswith("parts/main.npz has 1 bytes, not ") and text.endswith(
        f". Nothing can be mended in '{run}', which cannot be written; choose another --out."
    )
    assert sorted(run.rglob("*")) == before


def test_a_part_that_was_listed_and_is_gone(run: Path, result: ResultSet) -> None:
    change(run, state="unfinished")
    saved = look(run)
    assert saved is not None and saved.damage() == ()
    (run / "parts" / "main.npz").unlink()
    assert told(ResultsError, lambda: saved.part("main", result.experiment)) == (
        f"'{run / 'parts' / 'main.npz'}' is missing."
    )
    assert saved.part("other", result.experiment) is None


def test_what_is_known_of_a_part(run: Path, result: ResultSet) -> None:
    saved = look(run)
    assert saved is not None
    assert saved.manifest["parts"]["main"] == {"games": 1000, "seconds": 1.25, "stopped": "games"}
    assert (saved.seconds("main"), saved.seconds("other")) == (1.25, 0.0)
    assert saved.experiment("flat") == replace(result.experiment, rules={"heaps": [3, 4, 5]})
    assert told(ResultsError, lambda: saved.experiment("other")) == (
        f"the run in '{run}' has no part 'other'; it has: flat, main."
    )
    empty = SavedRun(run, new_manifest({}, {}))
    assert "it has: none." in told(ResultsError, lambda: empty.experiment("main"))


def test_the_experiment_of_a_part_that_was_precise_before_its_end(
    tmp_path: Path, result: ResultSet
) -> None:
    path = tmp_path / "part.npz"
    for stopped, games in (("interrupted", 5000), ("precision", 1000)):
        asked = replace(result.experiment, games=5000)
        write_part(path, replace(result, experiment=asked, stopped=stopped))
        assert read_experiment(path) == replace(result.experiment, games=games)
        assert read_part(path, asked).stopped == stopped


def test_a_part_that_was_tampered_with_says_where(tmp_path: Path, result: ResultSet) -> None:
    path = tmp_path / "part.npz"
    points = (Checkpoint(1000, (2**120 - 1, 0), (0, 0)),)
    write_part(path, replace(result, checkpoints=points))
    assert read_part(path, result.experiment).checkpoints == points
    for wins, text in (
        ((1, 2, 3), "'wins' has 3 numbers, not 2"),
        ((-(2**120), 0), f"{-(2**120)} is no number of what was played"),
    ):
        write_part(path, replace(result, checkpoints=(Checkpoint(1000, wins, (0, 0)),)))
        assert told(ResultsError, lambda: read_part(path, result.experiment)) == (
            f"'{path}' is damaged ({text})."
        )


def test_a_manifest_that_cannot_be_read(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    os.mkfifo(manifest)
    assert told(ResultsError, lambda: look(tmp_path)) == (
        f"'{manifest}' cannot be read: it is no regular file."
    )
    manifest.unlink()
    manifest.symlink_to(manifest)
    assert told(ResultsError, lambda: look(tmp_path)) == (
        f"'{manifest}' cannot be read: {os.strerror(errno.ELOOP)}."
    )
    assert "cannot be read: embedded null byte." in told(ResultsError, lambda: look(Path("a\0b")))
    assert told(OutputError, lambda: claim(tmp_path, {})).endswith(
        "Nothing was touched; choose another --out."
    )


def test_a_manifest_without_end(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.rundir.manifest.MAX_MANIFEST", 100)
    message = told(ResultsError, lambda: look(run))
    assert "cannot be read: it has " in message and "bytes, and at most 100 are read." in message
    with pytest.raises(OSError, match="bytes, and at most 3 are read"):
        read_regular(run / "manifest.json", 3)


@pytest.mark.parametrize(
    ("new", "text"),
    [
        ({"program": "other"}, "is not of a run of this program."),
        ({"schema": "other/run/1"}, "is not of a run of this program."),
        (
            {"schema": "analyzer/run/9"},
            "has the schema 'analyzer/run/9', this version reads 'analyzer/run/1'; "
            "use the version that wrote it.",
        ),
        ({"schema": 1}, "(TypeError: 'schema' is 1, not of type str)."),
        ({"about": 1}, "(TypeError: 'about' is 1, not of type dict)."),
        ({"identity": []}, "(TypeError: 'identity' is [], not of type dict)."),
        ({"state": "odd"}, "(ValueError: 'state' is 'odd', none of 'unfinished', 'finished')."),
        ({"files": {"../x": {}}}, "(ValueError: it lists '../x', which is no file of a run)."),
        ({"files": {"report.html": {"size": "1"}}}, "(TypeError: 'size' is '1', not of type int)."),
        ({"files": {"report.html": {"size": 1}}}, "(KeyError: 'sha256')."),
        ({"parts": {"../x": {}}}, "(ValueError: '../x' is no name of a part)."),
        ({"parts": {"x": {"games": 1.0}}}, "(TypeError: 'games' is 1.0, not of type int)."),
        (
            {"parts": {"x": {"games": 1, "seconds": 1e12}}},
            "(ValueError: an impossible time for the part 'x').",
        ),
    ],
)
def test_a_manifest_that_is_not_as_we_write_it(run: Path, new: dict[str, Any], text: str) -> None:
    change(run, **new)
    ours = "" if text.startswith(("is", "has")) else "is damaged or not ours "
    assert told(ResultsError, lambda: look(run)) == f"'{run / 'manifest.json'}' {ours}{text}"


def test_whole_seconds_are_seconds(run: Path) -> None:
    change(run, parts={"x": {"games": 1, "seconds": 3}})
    saved = look(run)
    assert saved is not None and saved.seconds("x") == 3.0


# --- tables --------------------------------------------------------------------------------------


def test_tables_are_their_columns_and_nothing_else(tmp_path: Path, result: ResultSet) -> None:
    table = pd.DataFrame({"seat": [1, 2], "name": ["é", "\n"]}, index=[5, 9])
    with claim(tmp_path / "run", {}) as directory:
        directory.save_part("main", result)
        directory.write_tables({"seats": table})
        tables = tmp_path / "run" / "tables"
        assert (tables / "seats.csv").read_bytes() == 'seat,name\n1,é\n2,"\n"\n'.encode()
        saved = pyarrow.parquet.read_table(tables / "seats.parquet")
        assert saved.column_names == ["seat", "name"]
        # What a run that goes on has written of less is dropped at its end, be it there or not.
        (tables / "seats.csv").unlink()
        directory.finish()
        assert list(tables.iterdir()) == []
        assert list(directory.saved.manifest["files"]) == ["parts/main.npz"]


def test_what_a_dead_process_has_left_is_no_strangers(run: Path) -> None:
    """To `preview` as to `claim`, which sweeps it."""
    left = [run / ".new-files" / "report.html", run / ".new-manifest.json"]
    left.append(run / "parts" / ".new-main.npz")
    left[0].parent.mkdir()
    for file in left:
        file.touch()
    assert preview(run, {}, force=True) == "new"
    assert all(file.exists() for file in left)
    (run / ".new-mine").touch()
    assert "('.new-mine')" in told(OutputError, lambda: preview(run, {}, force=True))
    (run / ".new-mine").unlink()
    with claim(run, {}, force=True) as directory:
        assert directory.state == "new" and not left[0].parent.exists()
