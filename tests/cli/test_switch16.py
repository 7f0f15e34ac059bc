"""Switch 16 on the command line, as people type it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.cli.conftest import Cli

PLAY = ("simulate", "switch16", "--games", "512", "--seed", "1", "--no-save", "--quiet")
POLICY = '''"""Policies of my own."""

from analyzer.kernels.compilation import kernel
from analyzer.contracts import Parameter, Strategy


@kernel
def _below(view, params, words, out):
    for g in range(out.size):
        out[g] = view.top[0, g] < params[0]


bold = Strategy(
    game="switch16",
    family="risk",
    name="bold",
    idea="Throws again below a given card.",
    hooks={"risk": _below},
    parameters=(Parameter("card", "int", 5, "first card to stop at", 1, 17),),
)
'''


def lineup(cli: Cli, *options: str) -> list[str]:
    ran = cli(*PLAY, "--json", *options)
    assert ran.code == 0, ran.err
    return [seat["strategy"] for seat in json.loads(ran.out)["seats"]]


def test_a_policy_for_all_or_one_a_seat(cli: Cli) -> None:
    assert lineup(cli, "--risk-policy", "greedy") == ["greedy/leader/deny"] * 4
    assert lineup(cli) == ["greedy/leader/deny"] * 4
    mixed = ("--risk-policy", "greedy", "--risk-policy", "threshold:0.25", "--block-policy", "hold")
    assert lineup(cli, *mixed) == ["greedy/leader/hold", "threshold:0.25/leader/hold"]
    three = [word for spec in ("never", "random", "leader") for word in ("--green-policy", spec)]
    assert lineup(cli, *three) == [f"greedy/{g}/deny" for g in ("never", "random", "leader")]
    whole = ("--strategy", "always/never/deny:k=9", "--players", "2")
    assert lineup(cli, *whole) == ["always/never/deny:9"] * 2
    assert lineup(cli, "--players", "2", "--strategy", "optimal") == ["optimal"] * 2


def test_the_line_our_users_know(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = cli(*PLAY, "--risk-policy", "greedy")
    assert ran.code == 0 and ran.err == ""
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "Every seat plays greedy/leader/deny." in lines
    assert re.search(r"first player win share: \d\d\.\d\d% \(\d\d\.\d\d% to \d\d\.\d\d%\)", ran.out)
    assert "going first" in " ".join(lines).lower()


def test_names_are_broken_at_their_joints(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    specs = ("chase/ahead/strike:k=9,early=12", "to-milestone/random/deny:12")
    ran = cli(*PLAY, *(word for spec in specs for word in ("--strategy", spec)))
    table = ran.out.partition("turns per game")[0]
    assert max(map(len, table.splitlines())) <= 80
    pieces = (
        "chase/",
        "ahead/",
        "strike:",
        "k=9,",
        "early=12",
        "to-milestone/",
        "random/",
        "deny:",
    )
    assert all(piece in table for piece in pieces)
    assert "95% interval" in table and "mean score" in table


def test_matches(cli: Cli) -> None:
    ran_as = (*PLAY, "--match-points", "30")
    fair = ("fairness", *ran_as[1:])
    ran = cli(*ran_as, "--json")
    document: dict[str, Any] = json.loads(ran.out)
    assert document["rules"]["match_points"] == 30
    assert document["deals"] > document["games"] == 512
    assert document["deals_per_match"] == document["deals"] / 512
    assert document["metrics"]["deals_per_match"] == document["deals_per_match"]
    told = " ".join(cli(*ran_as).out.split())
    assert f"The matches consist of {document['deals']:,} deals. 512 matches of switch16" in told
    assert "turns per deal: " in told and "of deals" in told
    assert "match" in told
    for text in (told, document["answer"], json.loads(cli(*fair, "--json").out)["greed"]["answer"]):
        assert not re.search(r"\bgames?\b", text)
    varied = ("sensitivity", *ran_as[1:])
    assert "512 matches of switch16" in " ".join(cli(*varied).out.split())
    again = json.loads(cli(*PLAY, "--set", "match_points=30", "--json").out)
    assert again["seats"] == document["seats"]


def test_strategies_are_listed_by_family(cli: Cli) -> None:
    told = cli("strategies", "switch16").out
    order = [
        "risk policies: --risk-policy NAME",
        "greedy",
        "green policies: --green-policy NAME",
        "leader",
        "block policies: --block-policy NAME",
        "deny",
        "whole strategies: --strategy NAME",
        "optimal",
    ]
    places = [told.index(text) for text in order]
    assert places == sorted(places)
    listed = json.loads(cli("strategies", "switch16", "--json").out)["strategies"]
    assert {"risk", "green", "block", ""} == {entry["family"] for entry in listed}


def test_assumptions_are_marked(cli: Cli) -> None:
    told = " ".join(cli("rules", "switch16").out.split())
    assert told.count("Our ASSUMPTION") == 3
    settings = json.loads(cli("rules", "switch16", "--json").out)["settings"]
    marked = {s["setting"] for s in settings if s["source"] == "assumption"}
    assert marked == {"switch_die", "milestone_resume", "max_turns"}


def test_a_game_is_told_throw_by_throw(cli: Cli) -> None:
    line = ("trace", "switch16", "--game", "3", "--seed", "1", "--risk-policy", "always")
    told = cli(*line).out
    assert "always/leader/deny" in told and "Turn 1: seat" in told
    assert "Takes a risk with top card" in told and "wins" in told
    events = json.loads(cli(*line, "--json").out)
    assert events["strategies"] == ["always/leader/deny"] * 4


def test_a_policy_of_ones_own(cli: Cli, folder: Any) -> None:
    (folder / "mine.py").write_text(POLICY)
    checked = cli("check", "mine.py")
    assert checked.code == 0, checked
    assert "./mine.py::bold/leader/deny: keeps its contract." in checked.out.replace("\n", " ")
    own = lineup(cli, "--risk-policy", "./mine.py::bold:9", "--risk-policy", "greedy")
    assert own[0].startswith("./mine.py::bold:9/leader/deny") and own[1] == "greedy/leader/deny"
    both = ("--strategy", "./mine.py::bold/never/hold", "--strategy", "greedy/leader/deny")
    assert lineup(cli, *both)[0] == "./mine.py::bold/never/hold"
    told = cli(
        "fairness", *PLAY[1:], "--json", "--risk-policy", "./mine.py::bold", "--players", "2"
    )
    greed = json.loads(told.out)["greed"]
    assert next(r["policy"] for r in greed["rivals"] if r["own"]) == "./mine.py::bold"


def test_whether_going_first_helps(cli: Cli) -> None:
    document = json.loads(cli("fairness", *PLAY[1:], "--json").out)
    assert document["seats_test"]["first_player_advantage"] == pytest.approx(
        document["metrics"]["first_player_win_share"] - 0.25
    )
    assert document["greed"]["verdict"] in ("pays", "undecided")
    assert {r["policy"] for r in document["greed"]["rivals"] if r["family"] == "risk"} == {
        "never", "to-milestone", "protected", "threshold", "greedy", "always",
    }  # fmt: skip
    told = " ".join(cli("fairness", *PLAY[1:]).out.split())
    assert (
        "whoever does wins" in told and "what laying the Block disc adds to the share won: " in told
    )
    assert "Does greed pay? Yes, throwing again pays" in told
