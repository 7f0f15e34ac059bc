"""What is told of Switch 16 beyond the figures of every game."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from analyzer.cli.app import main
from analyzer.games.switch16.exact.chain import win_shares
from analyzer.games.switch16.exact.dice import throw_table
from analyzer.games.switch16.exact.states import Setup

GAMES = "4096"


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    command = ["switch16", "--games", GAMES, "--seed", "1", "--quiet", "--json"]
    assert main([arguments[0], *command, *arguments[1:]]) == 0
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def test_two_players_are_checked_against_the_exact_solution(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = ["--strategy", "greedy/leader/deny", "--strategy", "threshold/random/hold"]
    document = told(capsys, "simulate", *table, "--no-save")
    checks = document["exact"]
    assert isinstance(checks, list)
    shares = win_shares(Setup(), ["greedy/leader/deny:16", "threshold:0.5/random/hold"])
    exact = [float(shares.win_share[0]), shares.first_player_win_share]
    assert [check["exact"] for check in checks] == pytest.approx(exact, abs=1e-9)
    assert all(abs(check["z"]) < 4 for check in checks)
    for check in checks:
        error = (check["exact"] * (1 - check["exact"]) / int(GAMES)) ** 0.5
        assert check["z"] == pytest.approx((check["estimate"] - check["exact"]) / error)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--players", "3"],
        ["--players", "2", "--set", "match_points=30"],
        ["--players", "2", "--set", "max_turns=3"],
        ["--players", "2", "--set", "max_turns=4999"],
        ["--players", "2", "--strategy", "chase/leader/hold"],
    ],
)
def test_what_is_not_solved_is_not_compared(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "exact" not in told(capsys, "simulate", *arguments, "--no-save")


@pytest.mark.parametrize(
    ("setting", "why"), [("match_points=30", "single games only"), ("max_turns=4999", "5000")]
)
def test_a_setting_that_cannot_be_solved_is_named(
    setting: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = ["simulate", "switch16", "--players", "2", "--games", GAMES, "--seed", "1", "--no-save"]
    assert main([*usual, "--set", setting]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"No check without chance: {setting.replace('=', ' = ')}" in shown and why in shown
    assert main(usual) == 0
    assert "No check" not in capsys.readouterr().out


def test_the_page_shows_the_risks_and_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    table = ["--strategy", "greedy/leader/deny", "--strategy", "greedy/leader/deny"]
    document = told(capsys, "fairness", *table, "--out", str(path))
    assert "exact" in document
    assert document["greed"]["verdict"] == "pays"  # type: ignore[index]
    page = (path / "report.html").read_text(encoding="utf-8")
    assert "Is going first an advantage?" in page
    assert "Checked against the exact solution" in page
    for heading in ("Does greed pay?", "How a game goes", "When is a risk worth it?"):
        assert heading in page
    assert "One more throw pays on average in 13 of 16 situations" in page
    lines = (path / "tables" / "risks.csv").read_text().splitlines()
    policies = ["greedy", "threshold", "to-milestone", "protected"]
    again = ",".join(f"again: {policy}" for policy in policies)
    assert lines[0] == f"top,protected,dice,success,change,{again}"
    assert len(lines) == 17
    cells = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
    throws = throw_table(16, {1: 3, 7: 4, 12: 5}, 6)
    assert float(cells["success"]) == pytest.approx(float(throws.success(2)))
    assert cells["again: greedy"] == "True"


@pytest.mark.long
def test_only_what_is_kept_tells_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run"
    kept = told(capsys, "simulate", "--out", str(path))
    fleeting = told(capsys, "simulate", "--no-save")
    for document in (kept, fleeting):
        document.pop("throughput")
    assert kept == fleeting
    assert "greed" not in kept
    assert {"rivals.csv", "greed.csv", "turns.csv", "busts.csv"} <= {
        file.name for file in (path / "tables").iterdir()
    }
    page = (path / "report.html").read_text(encoding="utf-8")
    assert "Yes, throwing again pays" in page and "% never throwing again" in page
    before = {file.name: file.read_bytes() for file in (path / "tables").iterdir()}
    assert main(["report", str(path)]) == 0
    assert before == {file.name: file.read_bytes() for file in (path / "tables").iterdir()}


def test_tables_of_unlike_players_are_told_who_wins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    table = ["--risk-policy", "always", "--risk-policy", "never", "--rotate"]
    document = told(capsys, "simulate", *table, "--out", str(path))
    page = (path / "report.html").read_text(encoding="utf-8")
    assert str(document["answer"]).startswith("Always throwing again wins most")
    # The question, the verdict and the first sentence are about the same thing.
    assert "<h1>Who wins most?</h1>" in page and "<title>Who wins most? Switch 16</title>" in page
    verdict = text_of(page).partition("Verdict:")[2].split("\n")
    assert [line.strip() for line in verdict if line.strip()][:2] == [
        "Always throwing again wins most",
        f"{document['answer']}",
    ]
    assert "What if one player played otherwise?" in page


def text_of(page: str) -> str:
    """What a reader sees of a page, pictures included."""
    page = re.sub(r"<(style|script).*?</\1>|<dl.*?</dl>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


@pytest.mark.parametrize(
    "options",
    [
        ["--players", "2"],
        pytest.param(
            ["--risk-policy", "always", "--risk-policy", "never", "--rotate"],
            marks=pytest.mark.slow,
        ),
    ],
)
def test_pages_of_matches_say_matches_and_deals(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    told(capsys, "simulate", "--match-points", "20", *options, "--out", str(path))
    text = text_of((path / "report.html").read_text(encoding="utf-8"))
    assert "simulated matches" in text and "How a match goes" in text
    assert not re.findall(r".{20}\b[Gg]ames?\b.{20}", text)


def test_where_nobody_wins_greed_names_no_share(capsys: pytest.CaptureFixture[str]) -> None:
    red = ["--set", "switch_die={blank=0, green=0, red=1, block=0}", "--set", "max_turns=9"]
    greed = told(capsys, "fairness", "--games", "512", *red, "--no-save")["greed"]
    assert greed["answer"] == (  # type: ignore[index]
        "Undecided: nobody wins any of these games, whatever risks one player takes."
    )
    few = ["--strategy", "greedy/leader/deny", "--set", "max_turns=12", "--no-save"]
    answer = told(capsys, "fairness", *few)["greed"]["answer"]  # type: ignore[index]
    assert re.search(r"an equal share is \d\.\d% as 7\d(\.\d)?% have no winner\.$", answer), answer


@pytest.mark.long
def test_whole_strategies_have_no_rivals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    told(capsys, "simulate", "--players", "2", "--strategy", "optimal", "--out", str(path))
    assert not (path / "tables" / "rivals.csv").exists()
    page = (path / "report.html").read_text(encoding="utf-8")
    assert "How a game goes" in page and "one player wins" not in page
    assert "<h1>Who wins, and how often?</h1>" in page


@pytest.mark.parametrize(
    ("rules", "seen"),
    [
        (["max_turns=12"], "not settle whether going first makes"),
        pytest.param(
            ["switch_die={blank=0, green=0, red=1, block=0}", "max_turns=50"],
            "",
            marks=pytest.mark.slow,
        ),
        (["faces=1", "max_turns=50"], ""),
        (["cards=1"], "going first helps"),
    ],
)
def test_edges_end_in_a_page(
    rules: list[str], seen: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [word for rule in rules for word in ("--set", rule)]
    path = tmp_path / "run"
    document = told(capsys, "simulate", *options, "--out", str(path))
    assert seen in str(document["answer"]) and "handicap" not in str(document["answer"])
    assert (path / "report.html").exists()
    fairness = told(capsys, "fairness", *options, "--no-save")
    advantage = fairness["seats_test"]["first_player_advantage"]  # type: ignore[index]
    assert advantage == pytest.approx(0, abs=0.03) or rules == ["cards=1"]


def test_the_verdict_says_whether_going_first_helps(capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, "simulate", "--players", "2", "--strategy", "always/never/hold",
                    "--no-save")  # fmt: skip
    assert "going first" in str(document["answer"]).lower()
