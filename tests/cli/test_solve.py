"""``analyzer solve``: as typed, as JSON, and where it is refused."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from analyzer.cli.app import main
from analyzer.cli.commands import app
from analyzer.games.switch16.exact.policies import load_policy
from analyzer.games.switch16.exact.states import Setup
from tests.cli.conftest import Cli

RULES = ["--set", "cards=6", "--set", "milestone=3", "--set", "dice={1 = 1, 4 = 2}"]


def test_optimal_play_for_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "solved"
    assert main(["solve", "switch16", *RULES, "--json", "--out", str(path)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "analyzer/solve/1"
    assert document["win_share"] == pytest.approx([0.5, 0.5], abs=1e-9)
    assert document["rules"]["milestone_resume"] == 3
    assert 0.5 < document["first_player_win_share"] < 0.7
    assert abs(document["gain_by_deviating"]) < 1e-8
    rows = document["when_to_stop"]
    assert len(rows) == 6 * 7  # decks: 3 open and 4 protected ones; card 1 of mine has gone
    assert all(row["again"] == (row["gain"] > 0) for row in rows if abs(row["gain"]) > 1e-8)
    policy = load_policy(path / "policy")
    assert policy.setup == Setup.from_rules(document["rules"], 2)
    assert (path / "when-to-stop.png").read_bytes()[:4] == b"\x89PNG"
    assert (path / "tables" / "when_to_stop.csv").read_text().count("\n") == 43


def test_the_same_again_is_found_and_another_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "solved"
    command = ["solve", "switch16", *RULES, "--out", str(path)]
    assert main(command) == 0
    first = capsys.readouterr().out
    assert "own top card" in first
    assert "whoever begins wins" in " ".join(first.split())
    before = (path / "policy.npz").read_bytes()
    assert main(command) == 0
    assert capsys.readouterr().out == first
    assert (path / "policy.npz").read_bytes() == before
    assert main([*command, "--set", "milestone_resume=4"]) == 2
    assert main([*command, "--set", "milestone_resume=4", "--force"]) == 0
    assert load_policy(path / "policy").setup.milestone_resume == 4


def test_a_best_response(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["solve", "switch16", *RULES, "--against", "never/never/hold", "--no-save", "--json"]
    assert main(command) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["win_share"][0] > 0.5
    assert document["gain_by_deviating"] is None
    assert np.isclose(sum(document["win_share"]), 1)
    assert main([*command, "--against", "greedy/leader/hold"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["players"] == 3
    assert document["against"] == ["never/never/hold", "greedy/leader/hold"]


@pytest.mark.long
@pytest.mark.parametrize(
    "rivals", [["never/never/hold"], ["greedy/random/hold", "always/leader/deny:5"]]
)
def test_a_saved_table_is_played_by_its_path(cli: Cli, folder: Path, rivals: list[str]) -> None:
    against = [word for rival in rivals for word in ("--against", rival)]
    solved = json.loads(cli("solve", "switch16", *RULES, *against, "--out", "best", "--json").out)
    table = ["./best/policy.py::solved", *rivals]
    line = [
        "simulate",
        "switch16",
        *RULES,
        "--games",
        "20480",
        "--seed",
        "1",
        "--no-save",
        "--json",
    ]
    line += [word for spec in table for word in ("--strategy", spec)]
    ran = cli(*line)
    assert ran.code == 0, ran.err
    seats = json.loads(ran.out)["seats"]
    for seat, exact in zip(seats, solved["win_share"], strict=True):
        assert abs(seat["win_share"] - exact) < 4 * (exact * (1 - exact) / 20480) ** 0.5
    # Under other rules, or with another table beside it, the file is refused.
    other = cli(*line, "--set", "faces=5")
    assert other.code == 2 and "solve again" in other.err
    (folder / "best").rename(folder / "moved")
    assert cli("solve", "switch16", *RULES, "--out", "best").code == 0
    for ending in ("npz", "json"):
        (folder / "best" / f"policy.{ending}").rename(folder / "moved" / f"policy.{ending}")
    other = cli(*(word.replace("./best/", "./moved/") for word in line))
    assert other.code == 2 and "not the one" in other.err and "Traceback" not in other.err


def test_a_solution_is_drawn_again(cli: Cli, folder: Path) -> None:
    assert cli("solve", "switch16", *RULES, "--out", "run").code == 0
    before = {file.name: file.read_bytes() for file in (folder / "run").glob("policy.*")}
    assert set(before) == {"policy.npz", "policy.json", "policy.py"}
    (folder / "run" / "when-to-stop.png").unlink()
    told = cli("report", "run")
    assert told.code == 0 and "whoever begins wins" in " ".join(told.out.split())
    assert (folder / "run" / "when-to-stop.png").exists()
    assert before == {file.name: file.read_bytes() for file in (folder / "run").glob("policy.*")}


def test_shared_options_are_explained_alike() -> None:
    group: Any = typer.main.get_command(app)
    ours, theirs = (
        {parameter.name: parameter for parameter in group.commands[name].params}
        for name in ("solve", "simulate")
    )
    shared = ours.keys() & theirs.keys() - {"game", "players", "out"}
    assert shared == {"json", "debug", "rules", "set", "force", "no_save", "quiet", "markdown"}
    for name in shared:
        assert (ours[name].opts, ours[name].help) == (theirs[name].opts, theirs[name].help)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["turnthetide"], "cannot be solved"),
        (["switch16", "--players", "3"], "--against"),
        (["switch16", "--players", "4", "--against", "never/never/hold"], "2 or 3 players"),
        (["switch16", "--against", "bold/never/hold"], "bold"),
        (["switch16", "--set", "match_points=100"], "match_points"),
        (["switch16", "--no-save", "--force"], "--no-save"),
        (["switch16", "--players", "2", "--against", "a", "--against", "b"], "1 opponents"),
    ],
)
def test_refusals(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *arguments, "--quiet"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert reason in captured.err


@pytest.mark.parametrize(
    "during", ["analyzer.games.switch16.solve.solve", "analyzer.publishing.publish_solution"]
)
def test_interrupted(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, during: str) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(during, interrupt)
        ran = cli("solve", "switch16", *RULES, "--out", "best of all", "--quiet")
    assert (ran.code, ran.out) == (130, "")
    text, line = ran.err.splitlines()
    assert text == "interrupted. Work it out again with:"
    assert shlex.split(line) == [
        "analyzer", "solve", "switch16", *RULES, "--out", "best of all", "--quiet",
    ]  # fmt: skip
    again = cli(*shlex.split(line)[1:])
    assert again.code == 0, again.err
    manifest = json.loads((folder / "best of all" / "manifest.json").read_text())
    assert manifest["state"] == "finished" and "policy.npz" in manifest["files"]
    assert manifest["about"]["command"] == line.strip()
    assert manifest["about"]["machine"]["numba"]
