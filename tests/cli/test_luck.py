"""``analyzer luck``: where the differences in the result come from."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import analyzer
from tests.cli.conftest import Cli, tree
from tests.cli.outside import HAGGLE, forget, installed

LINE = ["luck", "turnthetide", "--players", "3", "--games", "700", "--jobs", "1"]
TABLE = [*LINE[:2], *LINE[4:], "--strategy", "random", "--strategy", "lowest"]
QUIET = ["--seed", "3", "--quiet"]


def told(cli: Cli, *arguments: str) -> dict[str, Any]:
    ran = cli(*arguments, *QUIET, "--json")
    assert ran.code == 0, ran.err
    document: dict[str, Any] = json.loads(ran.out)
    assert document["schema"] == "analyzer/luck/1"
    return document


def test_a_table_is_taken_apart_saved_and_drawn_again(cli: Cli, folder: Path) -> None:
    line = [*TABLE, "--out", "run"]
    ran = cli(*line, *QUIET, "--json")
    document = json.loads(ran.out)
    assert document["strategies"] == ["random", "lowest"] and len(document["tables"]) == 1
    for parts in (document["shares"], document["points"]):
        assert sum(one["share"] for one in parts) == pytest.approx(1, abs=1e-12)
        names = ["strategies", "seats", "deal", "tides", "decisions", "interplay"]
        assert [one["source"] for one in parts] == names
    played = document["shares"][0]
    low, high = played["share_ci"]
    assert low < played["share"] < high and played["known"] is None
    assert document["tables"][0]["answer"] == document["answer"]
    page = (folder / "run" / "report.html").read_text()
    assert document["answer"].split(",")[0] in page and (folder / "run" / "luck.png").exists()
    rows = (folder / "run" / "tables" / "luck.csv").read_text().splitlines()
    assert rows[0].startswith("table,outcome,source,share,share_low") and len(rows) == 13
    before = tree(folder / "run" / "parts")
    again = cli(*line, *QUIET, "--json")
    assert again.out == ran.out and tree(folder / "run" / "parts") == before
    assert cli("report", "run", "--json").out == ran.out
    said = cli("report", "run").out
    assert document["answer"].split(",")[0] in said.replace("\n", " ") and "interplay" in said


def test_without_strategies_the_ways_of_the_game_and_all_of_them_mixed(cli: Cli) -> None:
    document = told(cli, *LINE, "--games", "64", "--no-save")
    tables = [table["strategies"] for table in document["tables"]]
    alone = [[name] * 3 for name in ("random", "reactive", "counting")]
    assert tables == [*alone, ["random", "reactive", "counting"]]
    assert document["shares"] == document["tables"][0]["shares"]
    assert document["shares"][0] == {
        "source": "strategies", "share": 0.0, "share_ci": None, "alone": 0.0, "alone_ci": None,
        "known": "all play alike",
    }  # fmt: skip


def test_the_same_from_python(cli: Cli) -> None:
    document = told(cli, *TABLE, "--no-save")
    found = analyzer.luck("turnthetide", ["random", "lowest"], games=700, seed=3)
    mine = found.to_dict()
    document.pop("throughput"), mine.pop("throughput")
    assert json.loads(json.dumps(mine)) == document
    assert found.answer == document["answer"]
    frame = found.to_frame()
    assert len(frame) == 12 and frame["share"].iloc[0] == document["shares"][0]["share"]


def test_tables_to_paste_and_a_dry_run(cli: Cli, folder: Path) -> None:
    pasted = cli(*TABLE, *QUIET, "--no-save", "--markdown")
    assert pasted.code == 0 and "| interplay" in pasted.out
    dry = cli(*TABLE, *QUIET, "--dry-run")
    assert dry.code == 0 and "This would take" in dry.out
    assert "again five times" in dry.out
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--precision", "0.01"], "Leave --precision out"),
        (["--strategy", "lowst"], "lowest"),
        (["--strategy", "random", "--strategy", "random"], "3 players"),
    ],
)
def test_what_makes_no_sense_is_refused(cli: Cli, arguments: list[str], said: str) -> None:
    ran = cli(*LINE, *QUIET, *arguments)
    assert ran.code == 2 and said in ran.err and ran.out == ""


def test_a_game_that_does_not_tell_its_chance_apart_is_refused(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, installed(folder, "haggle", HAGGLE, patch):
        ran = cli("luck", "haggle", *QUIET)
    sys.modules.pop("haggle", None)
    forget()
    assert ran.code == 2 and ran.out == ""
    assert "haggle declares no sources of chance" in ran.err
    assert "writing-a-game.md" in ran.err.replace("\n", "")
