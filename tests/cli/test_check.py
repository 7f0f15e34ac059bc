"""``analyzer check``: a file, a game by its name, a module."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from analyzer.plugins import game_names, strategies
from tests.cli.conftest import Cli
from tests.cli.outside import HAGGLE, installed

OWN = [
    "what it declares goes together",
    "wins add up and a game ends alike whatever is played beside it",
    "any of its games can be told",
    "its solver has what is asked of it",
]


def test_a_game_by_its_name(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    ran = cli("check", "turnthetide")
    assert ran.code == 0, ran.err
    assert "turnthetide: keeps its contract." in ran.out and "its baseline plays" in ran.out
    document = json.loads(cli("check", "turnthetide", "--json").out)
    assert document["schema"] == "analyzer/check/1" and document["game"] == "turnthetide"
    assert all(row["game"] == "turnthetide" and row["passed"] for row in document["checks"])
    assert [row["check"] for row in document["checks"]] == [
        *OWN[:3], "its baseline plays the game", "its study has what is asked of it",
    ]  # fmt: skip


@pytest.mark.parametrize("what", ["haggle", "./haggle.py", "haggle.py"])
def test_a_module_or_file_that_defines_a_game(cli: Cli, folder: Path, what: str) -> None:
    (folder / "haggle.py").write_text(HAGGLE)
    known = game_names()
    try:
        ran = cli("check", what, "--json")
    finally:
        sys.modules.pop("haggle", None)
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    assert document["file" if what.endswith(".py") else "module"] == what.removeprefix("./")
    checks = document["checks"]
    assert [row["check"] for row in checks if "game" in row] == OWN
    played = {row["strategy"] for row in checks if "strategy" in row}
    assert played == {"most/least", "least/least", "most/most"}
    # It was looked at, and nothing stays behind.
    assert game_names() == known and not strategies("haggle")


def test_an_installed_module(cli: Cli) -> None:
    checks = json.loads(cli("check", "analyzer.games.turnthetide", "--json").out)["checks"]
    assert {row["game"] for row in checks} == {"turnthetide"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("return 0, 2 * rules", "return 12, 2 * rules", "lies outside score_range (12, 18)"),
        ("scores[:, 0].tolist()}", "scores[:, 0]}", "'named' are not plain data"),
        ("return lambda event, facts: [f\"{event}: {facts['sums']}\"]",
         'return lambda event, facts: "text"', "'text' of the event 'named'"),
        ("return lambda event, facts: [", "return lambda event, facts: [1 / 0, ",
         "raised ZeroDivisionError: division by zero"),
        ("solver = Solver()", "solver = object()", "a solver without settle, solve"),
        ("KERNELS = __name__", "KERNELS = 'nowhere'", "KERNELS is not the name of a module"),
        ("return 2, tuple(against)", "return 2", "a solver that settles 2"),
        ("solver = Solver()", "study = solver = Solver()", "a study without check, conclude"),
        ("solver = Solver()", "baseline = solver = Solver()", "raised AttributeError"),
        ('default_strategy = "most/least"', 'default_strategy = "most/lst"', "fails: there is no"),
    ],
)  # fmt: skip
def test_a_game_that_breaks_its_contract(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, told: str
) -> None:
    text = HAGGLE.replace(old, new)
    assert text != HAGGLE
    with monkeypatch.context() as patch, installed(folder, "haggle", text, patch):
        ran = cli("check", "haggle", "--json")
    assert (ran.code, ran.out) == (2, "") and told in ran.err, ran


@pytest.mark.parametrize(
    ("scores", "passed"), [("[1, 2]", True), ("[1]", False), ("[1, 200]", False)]
)
def test_a_baseline_is_tried(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, scores: str, passed: bool
) -> None:
    play = f"type('Plain', (), {{'play': staticmethod(lambda players, chance: {scores})}})"
    text = HAGGLE.replace("solver = Solver()", f"baseline = {play}")
    with monkeypatch.context() as patch, installed(folder, "haggle", text, patch):
        ran = cli("check", "haggle", "--json")
    assert (ran.code == 0) is passed, ran
    if not passed:
        assert f"returned the scores {scores}; wanted are 2 from 0 to 18" in ran.err


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("turnthetime", "no game or module named 'turnthetime'; did you mean: turnthetide"),
        ("no.such.module", "no game or module named 'no.such.module'"),
        ("analyzer.nothing", "no game or module named 'analyzer.nothing'"),
        ("colorsys", "the module 'colorsys' defines no GAME and no strategy"),
        ("broken", "the module 'broken' cannot be loaded: ZeroDivisionError"),
        ("needing", "the module 'needing' cannot be loaded: ModuleNotFoundError"),
        ("claiming", "defines a game 'turnthetide', and another game of that name is installed"),
        ("./empty.py", "'empty.py' defines no strategy"),
    ],
)
def test_what_cannot_be_checked(cli: Cli, folder: Path, what: str, told: str) -> None:
    (folder / "broken.py").write_text("1 / 0")
    (folder / "needing.py").write_text("import nowhere_to_be_found")
    (folder / "empty.py").write_text("")
    (folder / "claiming.py").write_text(
        "from analyzer.games.turnthetide.game import TurnTheTide\nGAME = TurnTheTide()"
    )
    ran = cli("check", what)
    sys.modules.pop("claiming", None)
    assert (ran.code, ran.out) == (2, "") and told in ran.err and "Traceback" not in ran.err, ran
