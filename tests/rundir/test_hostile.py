"""Directories of runs that somebody has made to do harm: bombs, detours, formulas."""

from __future__ import annotations

import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analyzer.engine.runner import run
from analyzer.errors import AnalyzerError, OutputError
from analyzer.experiment import Experiment
from analyzer.games.turnthetide.game import GAME
from analyzer.results import ResultSet
from analyzer.rules import load_rules
from analyzer.rundir import claim, look, read_part, reopen, write_part
from tests.rundir.test_rundir import changed, header

MEMORY = 64e6
"""Bytes; what is unpacked below is many times larger."""


@pytest.fixture(scope="module")
def result() -> ResultSet:
    return run(Experiment("turnthetide", ("random",) * 4, load_rules(GAME, 4), 300, 1))


@pytest.fixture
def part(tmp_path: Path, result: ResultSet) -> Path:
    path = tmp_path / "part.npz"
    write_part(path, result)
    return path


def refusal(call: Callable[[], object]) -> str:
    """What a call says against its input, which must not have filled the memory to find out."""
    tracemalloc.start()
    try:
        with pytest.raises(AnalyzerError) as caught:
            call()
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()
    return str(caught.value)


# --- parts ---------------------------------------------------------------------------------------


def test_a_member_that_is_longer_than_is_listed(part: Path, result: ResultSet) -> None:
    """Python's own `ZipFile.read` unpacks all of it, and cuts it off then."""
    packed = zlib.compressobj(9, wbits=-15)
    zeros = bytes(10**7)
    content = b"".join(packed.compress(zeros) for _ in range(30)) + packed.flush()
    with zipfile.ZipFile(part) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(part, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, content if name == "sums/wins.npy" else data)
        bomb = archive.getinfo("sums/wins.npy")
        # The list at the end is what is believed.
        bomb.compress_type, bomb.file_size = zipfile.ZIP_DEFLATED, 8320
    assert "is damaged" in refusal(lambda: read_part(part, result.experiment))


@pytest.mark.parametrize("name", ["part.json", "sums/wins.npy", "unknown"])
def test_members_that_unpack_to_gigabytes(part: Path, result: ResultSet, name: str) -> None:
    with zipfile.ZipFile(part) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    del files[name if name in files else "sums/wins.npy"]
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for other, data in files.items():
            archive.writestr(other, data)
        with archive.open(name, "w") as stream:
            for _ in range(150):
                stream.write(bytes(10**6))
    message = refusal(lambda: read_part(part, result.experiment))
    assert "unpacked it has 151," in message and "and at most 134,217,728 are read" in message


def test_a_header_that_is_too_long(part: Path, result: ResultSet) -> None:
    changed(part, lambda members: members.update({"part.json": b" " * 10_000_001}))
    message = refusal(lambda: read_part(part, result.experiment))
    assert "part.json claims 10,000,001 bytes, and at most 10,000,000 are read" in message


def test_a_list_of_a_million_members(part: Path, result: ResultSet) -> None:
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    listed = entry * 1_000_000
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, len(listed), 0, 0)
    part.write_bytes(listed + end)
    assert "its list of members has 46,000,000 bytes" in refusal(
        lambda: read_part(part, result.experiment)
    )
    # The longer kind of archive tells these numbers in another place.
    longer = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 9, 9, len(listed), 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(listed), 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, 46, 0, 0)
    part.write_bytes(listed + longer + locator + end)
    assert "does not end as an archive" in refusal(lambda: read_part(part, result.experiment))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_ways_of_packing_that_unpack_all_at_once(
    part: Path, result: ResultSet, method: int
) -> None:
    with zipfile.ZipFile(part) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(part, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    assert "packed in another way" in refusal(lambda: read_part(part, result.experiment))


def test_sums_that_are_named_again_and_again(part: Path, result: ResultSet) -> None:
    """Each time they would be unpacked."""
    changed(part, header(lambda about: about.update(sums=["wins"] * 100_000)))
    assert "it names sums twice" in refusal(lambda: read_part(part, result.experiment))


def test_a_part_without_end(part: Path, result: ResultSet) -> None:
    with part.open("r+b") as stream:
        stream.truncate(2**40)  # it takes no room on the disk
    message = refusal(lambda: read_part(part, result.experiment))
    assert "it has 1,099,511,627,776 bytes, and at most 134,217,728 are read" in message


# --- manifests -----------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path, result: ResultSet) -> Path:
    """A finished run."""
    with claim(tmp_path / "run", {"a": 1}, {}) as directory:
        directory.save_part("main", result)
        directory.finish()
    return tmp_path / "run"


def rewrite(saved: Path, change: Callable[[dict[str, Any]], None]) -> None:
    manifest = json.loads((saved / "manifest.json").read_text())
    change(manifest)
    (saved / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 60 + "]" * 60])
def test_documents_that_are_nested_without_end(saved: Path, text: str) -> None:
    (saved / "manifest.json").write_text(text)
    assert "nested more than 50 deep" in refusal(lambda: look(saved))


def test_files_that_would_be_read_for_hours(saved: Path) -> None:
    """One without end takes no room on the disk, and reading it to compare its digest no end."""
    with (saved / "parts" / "main.npz").open("r+b") as stream:
        stream.truncate(2**40)
    rewrite(saved, lambda m: m["files"]["parts/main.npz"].update(size=2**40))
    message = refusal(lambda: look(saved))
    assert "its files have 1,099,511,627,776 bytes, and those of a run at most" in message
    sizes = {f"parts/{n}.npz": {"size": 2**20, "sha256": ""} for n in range(1025)}
    rewrite(
        saved, lambda m: m.update(files={**sizes, "report.html": {"size": -(2**40), "sha256": ""}})
    )
    assert "its files have 1,074,790,400 bytes" in refusal(lambda: look(saved))


@pytest.mark.parametrize("name", ["parts/main.npz", "tables/seats.csv"])
def test_a_folder_in_the_place_of_a_file(saved: Path, name: str) -> None:
    if name.startswith("tables"):
        rewrite(saved, lambda m: m["files"].update({name: {"size": 1, "sha256": ""}}))
    (saved / name).unlink(missing_ok=True)
    (saved / name).mkdir(parents=True)
    for call in (lambda: reopen(saved), lambda: claim(saved, {"a": 1}, {})):
        with pytest.raises(OutputError, match="is a folder, and a run has a file of that name"):
            call()


def test_a_folder_where_a_file_is_to_be_written(saved: Path) -> None:
    (saved / "tables" / "seats.parquet" / "mine").mkdir(parents=True)
    with reopen(saved) as directory, pytest.raises(OutputError, match="is a folder, and a run has"):
        directory.write_tables({"seats": pd.DataFrame({"seat": [1]})})
    assert (saved / "tables" / "seats.parquet" / "mine").is_dir()
    assert not (saved / "tables" / "seats.csv").exists()
    found = look(saved)
    assert found is not None and list(found.manifest["files"]) == ["parts/main.npz"]


# --- tables --------------------------------------------------------------------------------------


def test_no_spreadsheet_finds_a_formula(tmp_path: Path, result: ResultSet) -> None:
    """In CSV an apostrophe makes text of it; numbers, and Parquet, stay as they are."""
    bad = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "a;=1", "\uff1d1"]
    good = ["-5", "+1.5e-3", "random", "a=1", "x:y=-1", "", None, "é"]
    table = pd.DataFrame(
        {
            "name": pd.Series([*bad, *good], dtype=object),
            "-x": [-0.5] * 15,
        }
    )
    with claim(tmp_path / "run", {}) as directory:
        directory.save_part("main", result)
        with directory.staging():
            pass
        directory.write_tables({"seats": table[["name", "-x"]]})
        folder = tmp_path / "run" / "tables"
        back = pd.read_csv(folder / "seats.csv", dtype=str, keep_default_na=False)
        assert list(back["name"]) == [
            "'=1+1",
            "'+cmd|' /C calc'!A0",
            "'-2+3",
            "'@SUM(1)",
            "'\t'=1",
            "a;'=1",
            "'\uff1d1",
            *(word or "" for word in good),
        ]
        assert list(back["'-x"]) == ["-0.5"] * 15
        kept = pd.read_parquet(folder / "seats.parquet")
        assert list(kept.columns) == ["name", "-x"] and list(kept["name"])[:7] == bad
    assert np.array_equal(kept["-x"], table["-x"])


def test_cells_that_are_no_texts_stay(tmp_path: Path, result: ResultSet) -> None:
    from analyzer.rundir.directory import _for_spreadsheets

    table = pd.DataFrame({"mixed": pd.Series([1, None, -2, 0.25, True], dtype=object)})
    assert _for_spreadsheets(table).to_csv() == table.to_csv()
