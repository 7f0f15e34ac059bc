"""``analyzer sensitivity``: each assumption varied, one at a time."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from analyzer.cli.app import main
from tests.cli.conftest import Cli, tree
from tests.cli.test_process import SLOW, command, environment, wait_for

COMMAND = ["sensitivity", "turnthetide", "--games", "512", "--seed", "3", "--quiet"]


def test_every_alternative_of_every_assumption_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "varied"
    command = [*COMMAND, "--json", "--out", str(path)]
    assert main(command) == 0
    first = capsys.readouterr().out
    document = json.loads(first)
    variants = document["variants"]
    assert variants[0]["label"] == "as assumed"
    assert {v["setting"] for v in variants[1:]} >= {"drowning", "end_at"}
    shares = variants[0]["figures"]
    alone = ["simulate", *COMMAND[1:], "--no-save", "--json"]
    assert main(alone) == 0
    usual = json.loads(capsys.readouterr().out)
    assert shares["hands_per_round"] == usual["metrics"]["hands_per_round"]
    assert shares["win_share_of_seat_1"] == usual["seats"][0]["win_share"]
    assert not any(" " in key for variant in variants for key in variant["figures"])
    drowning = next(v for v in variants if v["setting"] == "drowning")
    assert drowning["figures"]["hands_per_round"] < shares["hands_per_round"] - 1
    assert drowning["label"] in document["answer"]
    change = drowning["figures"]["hands_per_round"] - shares["hands_per_round"]
    assert drowning["changes"]["hands_per_round"] == pytest.approx(change)
    low, high = drowning["changes"]["hands_per_round_ci"]
    assert low < change < high < 0 and drowning["paired"]
    assert "hands_per_round" in drowning["shown_to_change"]
    told = variants[0]
    assert (told["changes"], told["shown_to_change"], told["paired"]) == ({}, [], None)
    same = next(v for v in variants if v["setting"] == "eliminated_may_take_bonus")
    assert same["changes"]["hands_per_round"] == 0
    assert "hands_per_round" not in same["shown_to_change"]
    assert f"a change between {low:+.1f} and {high:+.1f}." in document["answer"]
    assert (path / "sensitivity.png").read_bytes()[:4] == b"\x89PNG"
    assert "drowning" in (path / "tables" / "sensitivity.csv").read_text()
    assert main(command) == 0  # found finished: the same, and nothing is played
    assert capsys.readouterr().out == first


def test_it_is_told_as_one_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main([*COMMAND, "--no-save"]) == 0
    out = capsys.readouterr().out
    assert 'drowning = "two-highest"' in out
    assert "What moves the hands per round most is" in " ".join(out.split())
    row = next(line for line in out.splitlines() if 'drowning = "two-highest"' in line)
    assert re.search(r"8\.\d{3} \(-3\.\d+ ±0\.\d+\)", row), row
    assert re.search(r"eliminated_may_take_bonus = true .* 11\.\d{3} \(0\)", out)


def test_a_changed_assumption_is_compared_with_the_usual_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*COMMAND, "--no-save", "--json", "--set", "drowning=two-highest"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert 'drowning = "highest"' in [v["label"] for v in document["variants"]]


def test_a_saved_comparison_is_drawn_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "varied"
    line = ["sensitivity", "switch16", "--games", "512", "--seed", "3", "--quiet", "--json"]
    assert main([*line, "--players", "2", "--out", str(path)]) == 0
    first = capsys.readouterr().out
    document = json.loads(first)
    assert {v["setting"] for v in document["variants"]} == {
        None, "switch_die", "milestone_resume", "max_turns",
    }  # fmt: skip
    table = (path / "tables" / "sensitivity.csv").read_bytes()
    (path / "sensitivity.png").unlink()
    assert main(["report", str(path), "--json"]) == 0
    assert capsys.readouterr().out == first
    assert (path / "sensitivity.png").exists()
    assert (path / "tables" / "sensitivity.csv").read_bytes() == table
    assert (path / "report.html").exists()
    assert main(["trace", str(path), "--game", "1"]) == 0


@pytest.mark.long
def test_each_variant_stops_at_the_precision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "varied"
    line = ["sensitivity", "switch16", "--games", "1e5", "--seed", "3", "--quiet"]
    line += ["--players", "2", "--precision", "0.05"]
    assert main([*line, "--json", "--out", str(path)]) == 0
    first = capsys.readouterr().out
    document = json.loads(first)
    alone = ["simulate", *line[1:], "--json", "--no-save"]
    assert main(alone) == 0
    usual = json.loads(capsys.readouterr().out)
    variants = document["variants"]
    assert variants[0]["games"] == usual["games"] < 100_000
    assert variants[0]["figures"]["win_share_of_seat_1_ci"] == usual["seats"][0]["win_share_ci"]
    assert all(v["precision_reached"] for v in variants if v["refused"] is None)
    paired = {v["games"]: v["paired"] for v in variants[1:]}
    assert paired == {games: games == usual["games"] for games in paired}
    assert main(["report", str(path), "--json"]) == 0
    assert capsys.readouterr().out == first
    assert main([*line, "--games", "600", "--no-save"]) == 0
    assert "before the precision was reached" in " ".join(capsys.readouterr().out.split())


def test_a_dry_run_says_what_would_be_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*COMMAND, "--dry-run", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["request"]["command"] == "sensitivity"
    assert [part["part"] for part in document["parts"]][:2] == ["main", "variant-1"]
    assert {part["games"] for part in document["parts"]} == {512}
    assert document["found"] == "new"
    assert list(tmp_path.iterdir()) == []
    assert main([*COMMAND, "--json"]) == 0
    capsys.readouterr()
    assert Path(document["directory"]).is_dir()
    assert main([*COMMAND, "--dry-run", "--precision", "0.1"]) == 0
    assert "at most" in " ".join(capsys.readouterr().out.split())


def test_what_is_the_same_in_every_game_is_compared_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Figures without an interval, since no game differs: here nobody wins within one turn."""
    line = ["sensitivity", "mermaidbeach", "--games", "100", "--seed", "3", "--quiet", "--json"]
    assert main([*line, "--no-save", "--set", "max_turns=1"]) == 0
    answer = json.loads(capsys.readouterr().out)["answer"]
    # Several of the alternatives let games end, and none is shown to move more than the others.
    assert "largest change of the first player win share seen is that by max_turns = " in answer
    assert "largest change of the turns per game seen is that by max_turns = " in answer
    assert "from 1.00 to " in answer


def test_few_games_show_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["sensitivity", "mermaidbeach", "--games", "20", "--seed", "3", "--quiet", "--json"]
    assert main([*line, "--no-save", "--set", "max_turns=1"]) == 0
    answer = json.loads(capsys.readouterr().out)["answer"]
    assert "most is" not in answer and "largest change" not in answer


class Stopped:
    """The engine's ``run``, during whose second part somebody asks to stop."""

    def __init__(self, request: type[BaseException] | None) -> None:
        from analyzer.engine.runner import run

        self.run = run
        self.request = request
        self.parts = 0

    def __call__(self, experiment: Any, **how: Any) -> Any:
        self.parts += 1
        if self.parts != 2:
            return self.run(experiment, **how)
        if self.request is not None:
            raise self.request
        return self.run(experiment, **{**how, "cancelled": lambda: True})


LONG = ("sensitivity", "switch16", "--players", "2", "--games", "3000", "--jobs", "1", "--json")


@pytest.mark.parametrize("reason", [None, KeyboardInterrupt])
@pytest.mark.parametrize("saved", [True, False])
def test_an_interrupted_comparison_says_how_to_go_on(
    cli: Cli,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    reason: type[BaseException] | None,
    saved: bool,
) -> None:
    where = ("--out", "some where") if saved else ("--no-save",)
    with monkeypatch.context() as patch:
        patch.setattr("analyzer.study.stage.run", Stopped(reason))
        ran = cli(*LONG, "--set", "cards=9", *where)
    assert (ran.code, ran.out) == (130, "")
    lines = ran.err.splitlines()
    told = shlex.split(lines[-1])
    assert told[:2] == ["analyzer", "sensitivity"] and "error: " not in ran.err
    if not saved:
        assert "Nothing was saved" in lines[-2] and tree(folder) == {}
        return
    assert "What was finished is saved. Continue with:" in lines[-2]
    about = json.loads((folder / "some where" / "manifest.json").read_text())["about"]
    assert about["command"] == lines[-1].strip()
    assert about["reproduce"].startswith("analyzer sensitivity switch16 --players 2 --games 3000 ")
    assert "--out" not in about["reproduce"] and about["machine"]["numpy"]
    with monkeypatch.context() as patch:
        patch.setattr("analyzer.study.stage.run", only_the_rest := Stopped(None))
        only_the_rest.parts = 2
        went_on = cli(*told[1:], "--resume")
    whole = cli(*LONG, "--set", "cards=9", "--no-save", "--seed", told[-1])
    assert went_on.code == whole.code == 0, went_on.err
    assert went_on.out == whole.out and "unfinished: continuing it" in went_on.err
    assert only_the_rest.parts == 2 + 5  # not the first one, which is saved


@pytest.mark.slow
def test_a_signal_ends_it_tidily(cli: Cli, folder: Path) -> None:
    (folder / "slow.py").write_text(SLOW)
    line = ["sensitivity", "turnthetide", "--games", "9000", "--seed", "4", "--jobs", "1"]
    line += ["--strategy", "./slow.py::slow", "--no-report"]
    process = subprocess.Popen(
        command([*line, "--out", "run"]),
        env=environment(NAP="0.2", MARK=str(folder / "mark")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    wait_for(folder / "mark", process)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=90)
    assert (process.returncode, out) == (130, ""), err
    assert err.splitlines()[-1].startswith("  analyzer sensitivity turnthetide --games 9000 ")
    assert "Continue with:" in err and "Traceback" not in err


PICKY = """
import numpy as np
from analyzer.contracts import Strategy
from analyzer.errors import UsageError

def low(view, params, words, out):
    lowest = view.cards & (~view.cards + np.uint64(1))
    out[:] = np.log2(np.maximum(lowest, 1).astype(float)).astype(np.uint8) + 1

def prepare(rules, params):
    if rules["drowning"] == "two-highest":
        raise UsageError("not if two drown.")
    return params

picky = Strategy("turnthetide", "picky", "Plays low.", {"card": low}, prepare=prepare)
"""


@pytest.mark.parametrize("then", ["changed", "gone"])
def test_a_saved_comparison_loads_no_code_by_itself(cli: Cli, folder: Path, then: str) -> None:
    (folder / "picky.py").write_text(PICKY)
    line = ("--games", "300", "--seed", "8", "--strategy", "./picky.py::picky", "--quiet")
    first = cli("sensitivity", "turnthetide", *line, "--json", "--out", "run")
    assert first.code == 0, first.err
    refused = [v["label"] for v in json.loads(first.out)["variants"] if v["refused"]]
    assert refused == ['drowning = "two-highest"']
    tables = tree(folder / "run" / "tables")
    if then == "changed":
        (folder / "picky.py").write_text("open('mark', 'w').close()")
    else:
        (folder / "picky.py").unlink()
    again = cli("report", "run", "--json")
    assert (again.code, again.out) == (0, first.out), again.err
    assert tree(folder / "run" / "tables") == tables and not (folder / "mark").exists()
