"""The answer comes before the pictures, which may go wrong without losing it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from analyzer.cli import app
from tests.cli.conftest import Cli, tree

PLAY = ("simulate", "turnthetide", "--games", "2000", "--jobs", "1", "--seed", "7", "--out", "run")


@pytest.fixture(params=[ValueError("no such colour"), OSError(28, "No space left on device")])
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Exception:
    """Drawing fails, by a story's fault or the disk's."""
    failure: Exception = request.param

    def write_report(answer: Any, provenance: Any, directory: Path) -> None:
        (directory / "half.png").write_bytes(b"half a picture")
        raise failure

    monkeypatch.setattr("analyzer.publishing.write_report", write_report)
    return failure


def test_the_answer_outlives_a_broken_drawing(cli: Cli, folder: Path, broken: Exception) -> None:
    ran = cli(*PLAY)
    assert ran.code == 1
    assert "win share" in ran.out and "By the rules all seats are alike" in ran.out
    assert "Saved in" not in ran.out
    (message,) = (line for line in ran.err.splitlines() if line.startswith("error: "))
    what = "the disk is full" if isinstance(broken, OSError) else "ValueError: no such colour"
    assert f"could not be drawn: {what}. All games and the tables are saved in 'run'." in message
    assert "analyzer report run" in message
    files = tree(folder / "run")
    assert {"parts/main.npz", "tables/seats.csv"} <= files.keys()
    assert not any(name.endswith(".png") for name in files)
    assert json.loads(files["manifest.json"])["state"] == "finished"
    # A document is for programs: it is there if all went well.
    assert cli(*PLAY, "--json").out == ""
    for line in (("report", "run"), PLAY):
        again = cli(*line)
        assert again.code == 1 and "By the rules all seats are alike" in again.out
    assert cli(*PLAY, "--no-report", "--json").code == 0


def test_a_page_that_is_drawn_is_named_last(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def write_report(answer: Any, provenance: Any, directory: Path) -> None:
        seen.append("drawn")
        (directory / "report.html").write_text("<p>")

    def emitted(*parts: Any, markdown: bool = False) -> None:
        seen.append(str(parts[-1]))

    monkeypatch.setattr("analyzer.publishing.write_report", write_report)
    monkeypatch.setattr("analyzer.cli.tell.emit_tables", emitted)
    monkeypatch.setattr("analyzer.cli.runs.emit_tables", emitted)
    ran = cli(*PLAY)
    assert ran.code == 0 and "drawing the pictures and the page" in ran.err
    answer, *rest = seen
    assert answer.startswith("By the rules all seats are alike")
    assert rest == ["drawn", "Saved in 'run/report.html'."]


def test_nobody_reads_but_the_page_is_drawn(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_report(answer: Any, provenance: Any, directory: Path) -> None:
        (directory / "report.html").write_text("<p>")

    def closed(*_: Any, **__: Any) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("analyzer.publishing.write_report", write_report)
    monkeypatch.setattr("analyzer.cli.tell.emit_tables", closed)
    monkeypatch.setattr(app, "_forget_stdout", lambda: None)
    assert cli(*PLAY).code == 0
    assert (folder / "run" / "report.html").exists()


def test_drawing_takes_no_backend_from_a_notebook(folder: Path) -> None:
    """What every notebook sets, and what only some installations know."""
    program = (
        "from analyzer.cli.app import main\n"
        "assert main(['--version']) == 0\n"
        "import matplotlib\n"
        "print(matplotlib.get_backend().lower())\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "MPLBACKEND": "module://no_such_backend.inline"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()[-1] == "agg"
