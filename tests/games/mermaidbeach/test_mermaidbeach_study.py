"""What `fairness` and `simulate` say of Mermaid Beach, from the command line to the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.cli.app import main
from analyzer.statistics.tables import Estimate
from analyzer.study.telling import estimate as told_estimate

GAMES = "20480"


def told(capsys: pytest.CaptureFixture[str], command: str, *arguments: str) -> dict[str, Any]:
    """The JSON document of a command."""
    line = [command, "mermaidbeach", "--games", GAMES, "--seed", "1", "--quiet", "--json"]
    assert main([*line, *arguments]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.mark.long
def test_going_first_helps_and_the_hand_does_not_decide(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "run"
    told_of = told(
        capsys, "fairness", "--strategy", "random", "--field", "greedy", "--out", str(path)
    )
    assert told_of["verdict"] == "first-player-favored"
    assert told_of["answer"].startswith("Yes") and "going first helps" in told_of["answer"]
    assert "among random players" in told_of["answer"]
    assert "among the best fifth wins 39" in told_of["answer"]
    order, opening = told_of["turn_order"], told_of["opening"]
    assert order["p_value"] < 1e-6
    shares = [place["win_share"] for place in order["positions"]]
    assert sum(shares) == pytest.approx(1)
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(told_of["metrics"]["first_player_win_share"])
    assert opening["hands"] == 4 * int(GAMES)
    worth = {card["card"]: card["worth"] for card in opening["cards"]}
    assert worth["merfolk"] > 0.05 and worth["sea monster"] < -0.03
    assert 0.03 < opening["explained"] < 0.1
    assert opening["verdict"] == "hand-matters"
    assert opening["best_fifth"] > 0.35 > 0.15 > opening["worst_fifth"]
    monster, endings = told_of["monster"], told_of["endings"]
    assert monster["win_share_with"] < 0.1 < 0.25 < monster["win_share_without"]
    ate = sum(player["ate"] for player in monster["players"])
    assert ate == pytest.approx(told_of["metrics"]["monster_penalty_rate"])
    assert endings["out_of_cards"] == pytest.approx(told_of["metrics"]["ended_out_of_cards"])
    assert told_of["asking"]["success"] == pytest.approx(told_of["metrics"]["ask_success_rate"])
    assert endings["out_of_cards_ci"] == told_of["metrics"]["ended_out_of_cards_ci"]
    assert told_of["asking"]["success_ci"] == told_of["metrics"]["ask_success_rate_ci"]
    asks = sum(player["asks"] for player in told_of["asking"]["players"])
    assert asks == pytest.approx(told_of["metrics"]["asks_per_game"])
    assert told_of["fields"][0]["turn_order"]["positions"][0]["win_share"] < shares[0]
    page = (path / "report.html").read_text(encoding="utf-8")
    assert "Does going first matter?" in page
    table = (path / "tables" / "opening_cards.csv").read_text(encoding="utf-8")
    assert table.startswith("card,worth,worth_low,worth_high\nmerfolk,")
    # What is saved gives the same answer again.
    assert main(["report", str(path)]) == 0


def test_under_rotation_skill_is_told_from_luck(capsys: pytest.CaptureFixture[str]) -> None:
    table = [w for name in ("shrewd", "greedy", "random", "random") for w in ("--strategy", name)]
    told_of = told(capsys, "fairness", *table, "--rotate", "--no-save")
    low, high = told_of["skill"]["explained_ci"]
    assert 0.003 < low < high < 0.05
    success = {who["strategy"]: who["success"] for who in told_of["asking"]["players"]}
    assert success["shrewd"] > success["greedy"] > success["random"]


def test_with_a_fixed_first_player_seats_and_places_are_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told_of = told(
        capsys, "fairness", "--set", "first_player=seat1", "--field", "none", "--no-save"
    )
    places = [place["win_share"] for place in told_of["turn_order"]["positions"]]
    assert places == pytest.approx([seat["win_share"] for seat in told_of["seats"]])
    assert told_of["turn_order"]["p_value"] == pytest.approx(told_of["seats_test"]["p_value"])
    mixed = ["--strategy", "greedy", *["--strategy", "random"] * 3]
    told_of = told(capsys, "fairness", "--set", "first_player=seat1", *mixed, "--no-save")
    assert told_of["turn_order"]["confounded"] and told_of["verdict"] == "undecided"


def test_simulate_says_who_wins(capsys: pytest.CaptureFixture[str]) -> None:
    told_of = told(capsys, "simulate", "--no-save")
    assert 0.27 < told_of["metrics"]["first_player_win_share"] < 0.295
    assert "opening" not in told_of


def test_there_is_nothing_to_suggest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fairness", "mermaidbeach", "--suggest", "--games", "10"]) == 2
    assert "nothing to suggest" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("share", "estimate", "text"),
    [
        (False, Estimate(0.28224, 0.28024, 0.28424), "0.282 (0.280 to 0.284)"),
        (False, Estimate(19.2312, 19.1931, 19.2702), "19.23 (19.19 to 19.27)"),
        (False, Estimate(0.0, 0.0, 0.00002), "0.00000 (0.00000 to 0.00002)"),
        (False, Estimate(0.5, 0.5, 0.5), "0.50 (0.50 to 0.50)"),
        (False, Estimate(0.5), "0.50"),
        (False, Estimate(None), "unknown"),
        (True, Estimate(0.28224, 0.28024, 0.28424), "28.22% (28.02% to 28.42%)"),
        (True, Estimate(0.5), "50.00%"),
    ],
)
def test_figures_are_told_with_as_many_digits_as_tell_their_ends_apart(
    share: bool, estimate: Estimate, text: str
) -> None:
    assert told_estimate(estimate, share=share) == text
