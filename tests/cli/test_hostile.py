"""Results that somebody else has made: their code, their markup, their size."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.cli.conftest import Cli, tree

MINE = """
from pathlib import Path
from analyzer.contracts import Strategy
from analyzer_strategies.turnthetide import lowest

Path("LOADED").touch()
mine = Strategy("turnthetide", "mine", "As lowest.", lowest.hooks)
"""
LINE = ("simulate", "turnthetide", "--games", "300", "--seed", "1", "--jobs", "1", "--no-report")
RUN = ("--out", "run", "--quiet")


@pytest.fixture
def saved(cli: Cli, folder: Path) -> Path:
    """A run with a strategy out of a file, which leaves a trace when it is loaded."""
    file = folder / "mine.py"
    file.write_text(MINE)
    assert cli(*LINE, *RUN, "--strategy", "./mine.py::mine").code == 0
    (folder / "LOADED").unlink()
    file.write_text(f"{MINE}# another content, so that loading it would run it again\n")
    return folder / "run"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("report", "run"), 0),
        (("trace", "run", "--game", "0"), 2),
        (("trace", "run", "--game", "0", "--strategy", "random"), 2),
        ((*LINE, *RUN), 2),
        ((*LINE, *RUN, "--force"), 0),
        ((*LINE, *RUN, "--resume"), 2),
        (("compare", "turnthetide", "--a", "random", "--b", "lowest", "--games", "9", *RUN), 2),
    ],
)
def test_code_is_loaded_only_if_it_is_named(
    cli: Cli, folder: Path, saved: Path, words: tuple[str, ...], code: int
) -> None:
    ran = cli(*words)
    assert ran.code == code, ran.err
    assert not (folder / "LOADED").exists()


def test_code_that_is_named_is_loaded(cli: Cli, folder: Path, saved: Path) -> None:
    """Otherwise the test before would show nothing."""
    ran = cli("trace", "run", "--game", "0", "--strategy", "./mine.py::mine")
    assert ran.code == 2 and "was changed after the run" in ran.err
    assert (folder / "LOADED").exists()


def test_names_are_text_everywhere(cli: Cli, folder: Path, saved: Path) -> None:
    """On the terminal, in JSON, on the page and in tables."""
    name = "=1\x1b[31m\u202e<script>alert(1)</script>$\\frac{"
    path = saved / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["identity"]["request"]["strategies"] = [name] * 4
    manifest["about"]["reproduce"] = manifest["about"]["command"] = name
    manifest["about"]["machine"] = {name: name}
    path.write_text(json.dumps(manifest))
    forge_part(saved, name)
    ran = cli("report", "run")
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out and "\u202e" not in ran.out and r"\x1b[31m\u202e" in ran.out
    page = (saved / "report.html").read_text("utf-8")
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page
    assert "\x1b" not in page and "\u202e" not in page
    seats = pd.read_csv(saved / "tables" / "seats.csv")
    assert set(seats["strategy"]) == {f"'{name}"}
    assert set(pd.read_parquet(saved / "tables" / "seats.parquet")["strategy"]) == {name}
    assert json.loads(cli("report", "run", "--json").out)["seats"][0]["strategy"] == name


def forge_part(saved: Path, name: str) -> None:
    """Name who played in the part as well, with a digest that fits."""
    path = saved / "parts" / "main.npz"
    with zipfile.ZipFile(path) as archive:
        files = {one: archive.read(one) for one in archive.namelist()}
    header: dict[str, Any] = json.loads(files["part.json"])
    header["experiment"]["strategies"] = [name] * 4
    files["part.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for one, content in files.items():
            archive.writestr(one, content)
    manifest = json.loads((saved / "manifest.json").read_text())
    content = path.read_bytes()
    manifest["files"]["parts/main.npz"] = {
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    (saved / "manifest.json").write_text(json.dumps(manifest))


def test_a_link_in_the_place_of_the_page(cli: Cli, folder: Path, saved: Path) -> None:
    """It is replaced; what it leads to is left alone."""
    (folder / "canary").write_text("not yours")
    (saved / "report.html").symlink_to("../canary")
    assert cli("report", "run").code == 0
    assert (folder / "canary").read_text() == "not yours"
    assert not (saved / "report.html").is_symlink()


@pytest.mark.parametrize("name", ["parts", "tables"])
def test_folders_that_are_links(cli: Cli, folder: Path, saved: Path, name: str) -> None:
    (folder / "other").mkdir()
    shutil.rmtree(saved / name)
    (saved / name).symlink_to("../other")
    before = tree(folder)
    for words in (("report", "run"), (*LINE, *RUN, "--strategy", "./mine.py::mine")):
        ran = cli(*words)
        assert ran.code == 2 and "is no folder but a link or a file" in ran.err
    (folder / "LOADED").unlink()
    assert tree(folder) == before


@pytest.mark.parametrize("kind", ["socket", "folder", "/dev/zero", "/dev/stdin"])
def test_files_of_rules_that_are_none(
    cli: Cli, folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "rules.toml"
    if kind == "socket":
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(path)
    elif kind == "folder":
        (folder / path).mkdir()
    else:
        path = kind
    ran = cli("trace", "turnthetide", "--game", "0", "--rules", path)
    assert ran.code == 2 and "cannot be read: " in ran.err
    if kind == "socket":
        listening.close()


def test_a_setting_without_end(cli: Cli, folder: Path) -> None:
    text = "tide_max = [" + "1," * 10_000 + "]"
    ran = cli("trace", "turnthetide", "--game", "0", "--set", text)
    assert ran.code == 2 and "--set is given 20,013 characters, and takes 20,000" in ran.err
    (folder / "rules.toml").write_text("#" * 20_001)
    ran = cli("trace", "turnthetide", "--game", "0", "--rules", "rules.toml")
    assert ran.code == 2 and "is longer than 20,000 bytes" in ran.err
    assert "leave out all settings that are as 'analyzer rules turnthetide' shows them" in ran.err
