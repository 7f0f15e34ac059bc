"""``analyzer sensitivity``: each assumption varied, one at a time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.cli.app import main

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
    assert (path / "sensitivity.png").read_bytes()[:4] == b"\x89PNG"
    assert "drowning" in (path / "tables" / "sensitivity.csv").read_text()
    assert main(command) == 0  # found finished: the same, and nothing is played
    assert capsys.readouterr().out == first


def test_it_is_told_as_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, "--no-save"]) == 0
    out = capsys.readouterr().out
    assert 'drowning = "two-highest"' in out
    assert "What moves the hands per round most is" in " ".join(out.split())


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
    assert not (path / "report.html").exists()
    assert main(["trace", str(path), "--game", "1"]) == 0


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
    assert "moves the first player win share most is max_turns = " in answer
    assert "moves the turns per game most is max_turns = " in answer
    assert "from 1.000 to " in answer


def test_few_games_show_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["sensitivity", "mermaidbeach", "--games", "20", "--seed", "3", "--quiet", "--json"]
    assert main([*line, "--no-save", "--set", "max_turns=1"]) == 0
    assert "most is" not in json.loads(capsys.readouterr().out)["answer"]
