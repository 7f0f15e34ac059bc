"""Runs that are given more games, and damaged parts that are played again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analyzer import study
from analyzer.rundir import read_part, write_part
from tests.cli.conftest import Cli, tree
from tests.cli.test_runs import Breaking, figures, lasting

QUICK = ("--jobs", "1", "--no-report", "--json", "--seed", "7")


def plays(
    cli: Cli, command: str, game: str, games: int, out: str, *more: str, code: int = 0
) -> Any:
    ran = cli(command, game, "--games", str(games), "--out", out, *QUICK, *more)
    assert ran.code == code, ran.err
    return ran


def games_played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Games that the engine is left to play, a number a part, as they are played."""
    from analyzer.engine.runner import run

    left: list[int] = []

    def counted(experiment: Any, **how: Any) -> Any:
        before = how.get("resume")
        done = 0 if before is None else before.games
        result = run(experiment, **how)
        left.append(result.games - done)
        return result

    monkeypatch.setattr("analyzer.study.stage.run", counted)
    return left


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "game", "more", "lengths"),
    [
        ("simulate", "turnthetide", (), (700, 2500)),
        ("simulate", "turnthetide", (), (2048, 5000)),  # a length at which figures are kept
        ("simulate", "turnthetide", ("--strategy", "random", "--strategy", "lowest",
                                     "--strategy", "lowest", "--rotate"), (900, 2500)),
        ("fairness", "turnthetide", (), (300, 600)),
        ("fairness", "turnthetide", ("--field", "lowest"), (300, 1100)),
        ("fairness", "mermaidbeach", ("--field", "none"), (300, 600)),
    ],
)  # fmt: skip
def test_more_games_continue_a_run(
    cli: Cli,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    game: str,
    more: tuple[str, ...],
    lengths: tuple[int, int],
) -> None:
    few, many = lengths
    plays(cli, command, game, few, "run", *more)
    whole = plays(cli, command, game, many, "whole", *more)
    left = games_played(monkeypatch)
    foreseen = cli(command, game, "--games", str(many), "--out", "run", *QUICK, *more, "--dry-run")
    assert json.loads(foreseen.out)["found"] == "unfinished"
    grown = plays(cli, command, game, many, "run", *more)
    assert f"has {few:,} games, and is continued to {many:,}" in grown.err
    assert figures(grown.out) == figures(whole.out)
    assert lasting(folder / "run") == lasting(folder / "whole")
    assert sum(left) < figures(whole.out)["games"] * max(1, len(left))
    manifests = [json.loads((folder / name / "manifest.json").read_text()) for name in
                 ("run", "whole")]  # fmt: skip
    assert manifests[0]["identity"] == manifests[1]["identity"]
    assert f"--games {many}" in manifests[0]["about"]["reproduce"]
    again = plays(cli, command, game, many, "run", *more)
    assert "nothing is played" in again.err and again.out == grown.out


def test_fewer_games_or_another_run_are_refused(cli: Cli, folder: Path) -> None:
    plays(cli, "simulate", "turnthetide", 600, "run")
    before = tree(folder)
    for games, more in ((500, ()), (900, ("--set", "bonus=0"))):
        ran = plays(cli, "simulate", "turnthetide", games, "run", *more, code=2)
        assert "holds another run" in ran.err
    assert "holds another run" in plays(
        cli, "simulate", "turnthetide", 500, "run", code=2
    ).err  # fmt: skip
    assert tree(folder) == before


@pytest.mark.long
def test_an_unfinished_run_is_given_more_games(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("fairness", "turnthetide")
    for out, after in (("one", "first"), ("two", "second")):
        with monkeypatch.context() as patch:
            patch.setattr("analyzer.study.stage.run", Breaking(after))
            plays(cli, *line, 1500, out, "--field", "none", code=1)
            # Given more games, it breaks again in the middle.
            patch.setattr("analyzer.study.stage.run", Breaking("second"))
            plays(cli, *line, 1800, out, "--field", "none", code=1)
        assert cli("report", out, "--json").code == 0
        plays(cli, *line, 2600, out, "--field", "none")
    whole = plays(cli, *line, 2600, "whole", "--field", "none")
    assert figures(plays(cli, *line, 2600, "one", "--field", "none").out) == figures(whole.out)
    for out in ("one", "two"):
        assert lasting(folder / out) == lasting(folder / "whole")


def damage(run: Path, how: str, name: str = "main") -> None:
    """Damage a part of a run; all but `cut` and `gone` leave it listed as it then is."""
    part = run / "parts" / f"{name}.npz"
    manifest = json.loads((run / "manifest.json").read_text())
    if how == "cut":
        part.write_bytes(part.read_bytes()[:-40])
        return
    if how == "gone":
        part.unlink()
        return
    experiment = study.Request.from_json(manifest["identity"]["request"]).experiment()
    result = read_part(part, experiment)
    sums = {key: values.copy() for key, values in result.sums.items()}
    sums[how] = sums[how] * np.int64(-3) if how != "games" else sums[how][..., ::-1].copy()
    write_part(part, replace(result, sums=sums))
    manifest["files"][f"parts/{name}.npz"] = {
        "size": part.stat().st_size,
        "sha256": hashlib.sha256(part.read_bytes()).hexdigest(),
    }
    (run / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("state", ["finished", "unfinished"])
@pytest.mark.parametrize("how", ["cut", "gone", "wins", "wins_sq"])
def test_a_damaged_part_is_set_aside_and_played_again(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, how: str, state: str
) -> None:
    line = ("fairness", "turnthetide", 600, "run", "--field", "none")
    first = plays(cli, *line)
    run = folder / "run"
    before = lasting(run)
    if how in ("wins", "wins_sq"):
        line = ("simulate", "turnthetide", 600, "simulated")
        first, run = plays(cli, *line), folder / "simulated"
        before = lasting(run)
    damage(run, how)
    manifest = run / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"finished"', f'"{state}"'))
    broken = tree(run).get("parts/main.npz")
    left = games_played(monkeypatch)
    ran = plays(cli, *line)
    assert "games are played again" in ran.err and ran.err.count("error") == 0
    assert left == [600]
    assert figures(ran.out) == figures(first.out)
    after = lasting(run)
    if how != "gone":
        assert "main.npz.damaged'" in ran.err
        assert after.pop("parts/main.npz.damaged") == broken
    assert after == before
    # The file that was set aside is in nobody's way, and stays.
    assert "nothing is played" in plays(cli, *line).err


def test_every_part_that_is_damaged_has_its_own_place(cli: Cli, folder: Path) -> None:
    line = ("simulate", "turnthetide", 600, "run")
    plays(cli, *line)
    for _ in range(3):
        damage(folder / "run", "cut")
        plays(cli, *line)
    kept = sorted(path.name for path in (folder / "run" / "parts").iterdir())
    assert kept == ["main.npz", *(f"main.npz.damaged{end}" for end in ("", "-2", "-3"))]


@pytest.mark.parametrize("moment", ["finish", "tables", "picture"])
def test_a_disk_that_is_full_after_the_last_game(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    where = {
        "finish": "analyzer.rundir.RunDirectory.finish",
        "tables": "analyzer.cli.play.publish_tables",
        "picture": "analyzer.cli.play.publish_page",
    }
    with monkeypatch.context() as patch:
        patch.setattr(where[moment], full)
        patch.setattr("analyzer_reports.stories.find_story", lambda game: None)
        line = [word for word in QUICK if word != "--no-report"]
        ran = cli("simulate", "turnthetide", "--games", "600", "--out", "run", *line)
    assert (ran.code, ran.out) == (1, ""), ran.err
    assert "the disk is full" in ran.err and "All games" in ran.err and "saved in 'run'" in ran.err
    left = games_played(monkeypatch)
    plays(cli, "simulate", "turnthetide", 600, "run")
    assert left == []
