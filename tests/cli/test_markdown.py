"""Tables to paste."""

from __future__ import annotations

import pytest

from analyzer.cli.output import emit_tables, table
from tests.cli.conftest import Cli

FEW = ("--games", "600", "--seed", "1", "--no-save", "--quiet")


def rows_of(text: str) -> list[list[str]]:
    """The cells of the first table in a text."""
    lines = text.partition("\n\n")[0].splitlines()
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines)
    return [[cell.strip() for cell in line[1:-1].split(" | ")] for line in lines]


@pytest.mark.parametrize("command", ["simulate", "fairness"])
def test_a_table_and_sentences(cli: Cli, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")  # no matter: what is pasted fits itself
    line = (command, "turnthetide", *FEW, *(("--field", "none") if command == "fairness" else ()))
    ran = cli(*line, "--markdown")
    assert ran.code == 0, ran.err
    head, rules, *rows = rows_of(ran.out)
    assert head[:3] == ["seat", "strategy", "win share"] and len(rows) == 1
    assert rules == ["---:", "---", "---:", "---:", "---:", "---:"]
    assert rows[0][:2] == ["each of 4", "random"] and rows[0][2].endswith("%")
    monkeypatch.setenv("COLUMNS", "1000")
    for sentence in cli(*line).out.splitlines()[-1:]:
        assert sentence in ran.out.splitlines()


def test_other_commands(cli: Cli) -> None:
    sensitivity = cli("sensitivity", "turnthetide", *FEW, "--markdown")
    assert sensitivity.code == 0 and rows_of(sensitivity.out)[0][0] == "assumption"
    dry = cli("simulate", "turnthetide", *FEW, "--dry-run", "--markdown")
    assert rows_of(dry.out)[2][0] == "four random players"
    both = cli("simulate", "turnthetide", *FEW, "--markdown", "--json")
    assert (both.code, both.out) == (2, "") and "leave one out" in both.err


def test_cells_mean_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    emit_tables(table(("a|b", "n"), [("x\ny*`<", "1")], numbers=("n",)), "1 < 2", markdown=True)
    assert capsys.readouterr().out == (
        "| a\\|b | n |\n| --- | ---: |\n| x y\\*\\`\\< | 1 |\n\n1 \\< 2\n"
    )


def test_strategies_stand_in_the_order_of_their_results(cli: Cli) -> None:
    named = [word for spec in ("middle", "random", "reactive") for word in ("--strategy", spec)]
    ran = cli("simulate", "turnthetide", *FEW, "--rotate", *named, "--markdown")
    _, _, *rows = rows_of(ran.out)
    assert rows[0][0] == "reactive"
    shares = [float(row[1].rstrip("%")) for row in rows]
    assert shares == sorted(shares, reverse=True) and len(set(shares)) == 3
