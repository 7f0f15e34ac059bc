"""Packages of other people: installed as strangers would, and as good as what comes with us."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import site
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parent.parent
LOWBALL = ROOT / "examples" / "lowball"
OWN_TESTS = LOWBALL / "tests" / "test_lowball.py"


class Stranger(NamedTuple):
    """An environment of somebody else."""

    programs: Path
    work: Path
    env: dict[str, str]

    def run(self, program: str, *arguments: object) -> str:
        """What a program prints, run in the empty folder."""
        command = [self.programs / program, *map(str, arguments)]
        ran = subprocess.run(command, cwd=self.work, env=self.env, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def told(self, line: str) -> str:
        """What `analyzer` prints, on one line."""
        return " ".join(self.run("analyzer", *line.split()).split())

    def found(self, line: str) -> dict[str, Any]:
        """The document that it prints."""
        document: dict[str, Any] = json.loads(self.run("analyzer", *line.split(), "--json"))
        return document


def own_tests() -> list[str]:
    tree = ast.parse(OWN_TESTS.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if getattr(node, "name", "").startswith("test_")]


@pytest.mark.long
@pytest.mark.parametrize("name", own_tests())
def test_lowball_passes_its_own_tests(name: str, lowball: None) -> None:
    spec = importlib.util.spec_from_file_location("test_lowball", OWN_TESTS)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    getattr(module, name)()


def test_lowball_imports_what_the_reference_names() -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(analyzer[\w.]*)`", page))
    packages = tuple(f"{name}." for name in named - {"analyzer"})
    for path in LOWBALL.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = getattr(node, "module", None) or ""
            if module.startswith("analyzer"):
                assert module in named or module.startswith(packages), f"{path.name}: {module}"


# --- installed -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    """A fresh environment with us and Lowball, and an empty folder.

    What both stand on is lent by the environment of these tests, so nothing is downloaded.
    """
    home = tmp_path_factory.mktemp("stranger")
    venv.create(home / "venv", symlinks=os.name == "posix")
    programs = home / "venv" / "bin"
    packages = next((home / "venv" / "lib").glob("python*/site-packages"))
    lent = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "lent.pth").write_text("\n".join(lent or site.getsitepackages()))
    work = home / "work"
    work.mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    env.pop("PYTHONPATH", None)
    env |= {
        "PYTHONSAFEPATH": "1",
        "NUMBA_CACHE_DIR": str(home / "kernels"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }

    shutil.copytree(LOWBALL / "tests", work / "tests")
    there = Stranger(programs, work, env)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python"]
    offline = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--ignore-installed"]
    install = [*pip, programs / "python", "install", *offline, ROOT, LOWBALL]
    subprocess.run(install, cwd=work, env=env, check=True)
    code = "import analyzer, lowball; print(analyzer.__file__, lowball.__file__)"
    assert there.run("python", "-c", code).count(str(packages)) == 2
    yield there
    shutil.rmtree(home / "venv")


@pytest.mark.slow
def test_it_is_listed_like_any_game(stranger: Stranger) -> None:
    games = stranger.found("games")["games"]
    (own,) = [game for game in games if game["game"] == "lowball"]
    assert (own["title"], own["question"]) == ("Lowball", "Does it pay to name low numbers?")
    rules = stranger.found("rules lowball")["settings"]
    assert {rule["setting"] for rule in rules} == {"numbers", "rounds", "unclaimed"}
    strategies = stranger.found("strategies lowball")["strategies"]
    assert {one["strategy"] for one in strategies} == {"any-number", "low", "unnamed"}


@pytest.mark.slow
def test_it_is_checked_and_tested_where_it_is_installed(stranger: Stranger) -> None:
    checks = stranger.found("check lowball")["checks"]
    assert {check["game"] for check in checks} == {"lowball"}
    checks += stranger.found("check lowball.strategies")["checks"]
    assert all(check["passed"] for check in checks)
    assert {check.get("strategy") for check in checks} == {None, "any-number", "low", "unnamed"}
    assert "keeps its contract" in stranger.told("check lowball")
    stranger.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")


@pytest.mark.slow
def test_its_games_are_told_in_sentences(stranger: Stranger) -> None:
    told = stranger.told("trace lowball --seed 1 --game 3")
    assert "Round 1 is about 1 point. seat 1 names 7, seat 2 names 9" in told
    assert "seat 1 is the lowest alone and wins 1 point (now 1)." in told


@pytest.mark.slow
def test_it_is_measured_against_its_baseline(stranger: Stranger) -> None:
    lineups = stranger.found("bench lowball --jobs 1")["line_ups"]
    assert {lineup["game"] for lineup in lineups} == {"lowball"}
    assert len(lineups) == 4 and lineups[1]["ratio"] > 2


@pytest.mark.slow
def test_its_question_is_answered_everywhere(stranger: Stranger) -> None:
    line = "fairness lowball --seed 1 --games 20000 --field low --out found --quiet"
    told = stranger.told(line)
    assert "number named wins a round 95% interval" in told
    assert "Among low players: " in told and "winning number: 2.9" in told
    answer = "Yes, low numbers pay: naming 1 to 5 wins a round in 42."
    assert answer in told
    found = stranger.found(line)
    assert found["verdict"] == "low-pays" and answer in found["answer"]
    assert found["naming"]["middle"] == 5 and len(found["naming"]["numbers"]) == 10
    low, high = found["naming"]["numbers"][0]["wins_ci"]
    assert low < 0.9**3 < high
    assert found["fields"][0]["naming"]["low"] < found["naming"]["low"]
    folder = stranger.work / "found"
    rows = pd.read_csv(folder / "tables" / "naming_numbers.csv")
    assert rows["number"].tolist() == list(range(1, 11))
    assert rows["wins"].tolist() == [one["wins"] for one in found["naming"]["numbers"]]
    assert (folder / "numbers.png").stat().st_size > 5000
    page = (folder / "report.html").read_text(encoding="utf-8")
    for text in (
        '<p class="kicker">Lowball</p>',
        "<h1>Does it pay to name low numbers?</h1>",
        "naming 1 to 5 wins a round in 42.",
        "Winning number: the number that wins a round.",
        "Naming 1 wins a round in 72.",
    ):
        assert text in page, text
    stranger.told("report found")
    assert (folder / "report.html").read_text(encoding="utf-8") == page


@pytest.mark.slow
def test_other_questions_are_answered_too(stranger: Stranger) -> None:
    table = "--strategy low:0.3 --strategy unnamed --strategy any-number --rotate"
    found = stranger.found(f"simulate lowball {table} --seed 1 --games 5000 --no-save --quiet")
    assert {one["strategy"] for one in found["strategies"]} == {"low:0.3", "unnamed", "any-number"}
    assert sum(one["win_share"] for one in found["strategies"]) == pytest.approx(1)
    assert set(found["metrics"]) >= {"shared_wins", "claimed_rounds", "winning_number"}
    line = "luck lowball --strategy low:0.3 --strategy unnamed --strategy any-number --seed 1"
    parts = {one["source"]: one for one in stranger.found(f"{line} --no-save --quiet")["shares"]}
    assert list(parts) == ["strategies", "seats", "decisions", "interplay"]
    assert parts["strategies"]["share_ci"][0] > 0.3 and parts["decisions"]["share_ci"][0] > 0.6
    line = "sensitivity lowball --strategy low --seed 1 --no-save --quiet"
    kept = stranger.found(line)["variants"][1]
    assert (kept["setting"], kept["value"]) == ("unclaimed", "kept")
    assert kept["shown_to_change"] == ["shared_wins"]
