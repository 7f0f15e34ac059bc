"""``analyzer check``: a file, a game by its name, a module."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from analyzer.plugins import game_names, strategies
from tests.cli.conftest import Cli
from tests.cli.outside import HAGGLE, installed
from tests.statistics.coins import COINS

OWN = [
    "what it declares goes together",
    "wins add up and a game ends alike whatever is played beside it",
    "any of its games can be told",
    "its solver has what is asked of it",
]
DRAWN = "its sources of chance can be drawn anew"


def test_a_game_by_its_name(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    ran = cli("check", "turnthetide")
    assert ran.code == 0, ran.err
    assert "turnthetide: keeps its contract." in ran.out and "its baseline plays" in ran.out
    document = json.loads(cli("check", "turnthetide", "--json").out)
    assert document["schema"] == "analyzer/check/1" and document["game"] == "turnthetide"
    assert all(row["game"] == "turnthetide" and row["passed"] for row in document["checks"])
    assert [row["check"] for row in document["checks"]] == [
        *OWN[:2], DRAWN, OWN[2], "its baseline plays the game",
        "its study answers what it is asked", "its story can be told",
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
    ("new", "said"),
    [
        ("replicas.get(source, 0)", ""),
        ("replicas.get(source, 2)", "otherwise in a replica in which nothing is drawn anew"),
        ("0 * len(replicas)", "ends games as before with deal, draw and decisions drawn anew"),
    ],
)
def test_sources_of_chance_are_drawn_anew(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, new: str, said: str
) -> None:
    text = COINS.replace("replicas.get(source, 0)", new).replace(
        "return self.replica(rules, players, lanes, {})",
        "return {source: list(purposes) for source, purposes in self.chance.items()}",
    )
    with monkeypatch.context() as patch, installed(folder, "coins", text, patch):
        ran = cli("check", "coins", "--json")
    sys.modules.pop("coins", None)
    if said:
        assert ran.code == 2 and said in ran.err, ran
    else:
        assert ran.code == 0, ran
        assert DRAWN in [row["check"] for row in json.loads(ran.out)["checks"]]


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


OWN_STUDY = """

from dataclasses import dataclass, replace
from analyzer.study import Study

@dataclass(frozen=True)
class Figure:
    value: float = 0.5

class Own(Study):
    def judge(self, request, found, run, name, play):
        return replace(found, figures={NAME: Figure()})

Haggle.study = Own()
"""


@pytest.mark.parametrize("name", ["haggling", "seats", "answer", "history", "../out", "wins\u00e9"])
def test_a_figure_is_called_by_a_name_of_its_own(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text = HAGGLE + OWN_STUDY.replace("NAME", repr(name))
    with monkeypatch.context() as patch, installed(folder, "haggle", text, patch):
        checked = cli("check", "haggle", "--json")
        line = ("fairness", "haggle", "--games", "600", "--quiet", "--no-report", "--json")
        ran = cli(*line, "--out", "run")
    assert (checked.code == 0, ran.code == 0) == (name == "haggling",) * 2, ran.err
    if ran.code == 0:
        assert json.loads(ran.out)["haggling"] == {"value": 0.5}
        assert (folder / "run" / "tables" / "haggling.csv").exists()
    else:
        for told in (checked.err, ran.err):
            assert f"a figure of the game is called {name!r}" in told
        assert checked.code == ran.code == 2 and not (folder / "out.csv").exists()


ASKED_AGAIN = """
import numpy as np
from analyzer.contracts import Strategy

seen = []

def low(view, params, words, out):
    seen[:] = seen or [np.zeros(out.size, np.uint8)]
    lowest = view.cards & (~view.cards + np.uint64(1))
    out[:] = np.log2(np.maximum(lowest, 1).astype(float)).astype(np.uint8) + 1
    SPOILT

low = Strategy("turnthetide", "low", "Low.", {"card": low})
"""


@pytest.mark.parametrize("spoilt", ["out += seen[0]", "assert out.size == seen[0].size"])
def test_a_hook_that_fails_when_it_is_asked_again(cli: Cli, folder: Path, spoilt: str) -> None:
    (folder / "low.py").write_text(ASKED_AGAIN.replace("SPOILT", spoilt))
    ran = cli("check", "low.py", "--json")
    assert (ran.code, ran.out) == (2, "") and "this should not have" not in ran.err, ran.err
    assert "columns again, raised " in ran.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('GAME = "x"', "name must be of the type str"),
        (HAGGLE + "Haggle.max_players = None", "max_players must be of the type int"),
        (HAGGLE + "Haggle.settings = ('top_bid',)", "settings must be a tuple of Setting"),
        (HAGGLE + "Haggle.play = 1", "play must be a method"),
    ],
)
def test_what_is_no_game(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    with monkeypatch.context() as patch, installed(folder, "haggle", text, patch):
        for line in (("check", "haggle"), ("rules", "haggle"), ("check", "./haggle.py")):
            ran = cli(*line)
            assert ran.code == 2 and told in " ".join(ran.err.split()), ran.err
        listed = cli("games")
        assert listed.code == 0 and "turnthetide" in listed.out and told in listed.out
        assert "turnthetide" in cli("strategies").out
        broken = json.loads(cli("games", "--json").out)["broken"]
        assert [one["game"] for one in broken] == ["haggle"] and told in broken[0]["reason"]


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("1 / 0", "switch16"),
        (HAGGLE.replace("solver = Solver()", 'solver = "nowhere:GONE"'), "haggle, switch16"),
    ],
)
def test_a_broken_game_does_not_hide_who_can_be_solved(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, others: str
) -> None:
    with monkeypatch.context() as patch, installed(folder, "haggle", text, patch):
        ran = cli("solve", "turnthetide")
    assert ran.code == 2 and "turnthetide cannot be solved" in ran.err
    assert f"{others} can;" in ran.err and "nowhere" not in ran.err


@pytest.mark.parametrize("what", ["1 / 0", "STORY = 7"])
def test_a_broken_story_is_found_before_the_first_game(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    with monkeypatch.context() as patch, installed(folder, "haggle", HAGGLE, patch):
        (folder / "haggle_story.py").write_text(what)
        with (folder / "haggle-1.0.dist-info" / "entry_points.txt").open("a") as file:
            file.write("[analyzer.stories]\nhaggle = haggle_story\n")
        checked = cli("check", "haggle")
        line = ("simulate", "haggle", "--games", "600", "--quiet", "--json")
        patch.setattr("analyzer.study.stage.run", lambda *_, **__: pytest.fail("played"))
        ran = cli(*line, "--out", "run")
        patch.undo()
    sys.modules.pop("haggle_story", None)
    assert checked.code == ran.code == 2, ran.err
    assert "story" in checked.err and "stor" in ran.err and not (folder / "run").exists()


def test_a_broken_study_is_found_before_the_first_game(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HAGGLE.replace("solver = Solver()", 'study = "haggle:NOWHERE"')
    with monkeypatch.context() as patch, installed(folder, "haggle", text, patch):
        patch.setattr("analyzer.study.stage.run", lambda *_, **__: pytest.fail("played"))
        ran = cli("simulate", "haggle", "--games", "600", "--no-save")
    assert ran.code == 2 and "'haggle:NOWHERE' cannot be loaded" in ran.err


def test_the_current_folder_is_looked_into_for_the_module_alone(cli: Cli, folder: Path) -> None:
    (folder / "beside.py").write_text("")
    (folder / "haggle.py").write_text("import beside\n" + HAGGLE)
    before = list(sys.path)
    try:
        assert cli("check", "haggle").code == 0
    finally:
        for name in ("haggle", "beside"):
            sys.modules.pop(name, None)
    assert sys.path == before
