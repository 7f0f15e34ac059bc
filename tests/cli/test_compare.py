"""``analyzer compare``: two strategies, or two sets of rules, on the same chance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import analyzer
from analyzer.errors import UsageError
from tests.cli.conftest import Cli, tree

STRATEGIES = ["compare", "turnthetide", "--players", "3", "--a", "lowest", "--b", "random"]
RULES = ["compare", "turnthetide", "--players", "3", "--games", "600"]
QUIET = ["--seed", "3", "--quiet"]


def told(cli: Cli, *arguments: str) -> dict[str, Any]:
    ran = cli(*arguments, *QUIET, "--json")
    assert ran.code == 0, ran.err
    document: dict[str, Any] = json.loads(ran.out)
    assert document["schema"] == "analyzer/compare/1"
    return document


def test_strategies_are_compared_until_it_is_decided(cli: Cli, folder: Path) -> None:
    ran = cli(*STRATEGIES, "--field", "middle", *QUIET, "--out", "run", "--json")
    document = json.loads(ran.out)
    assert document["what"] == "strategies"
    assert (document["a"], document["b"]) == ("lowest", "random")
    assert document["verdict"] == "depends-on-the-field" and document["games"] < 100_000
    signs = {f["difference_ci"][0] > 0.005 for f in document["fields"]}
    assert signs == {True, False}
    assert document["interval_kind"] == "sequence" and document["more_games_needed"] is None
    assert [f["field"] for f in document["fields"]] == [
        "random+random",
        "lowest+lowest",
        "middle+middle",
    ]
    for field in document["fields"]:
        gap = field["a"]["win_share"] - field["b"]["win_share"]
        assert field["difference"] == pytest.approx(gap)
    assert document["fields"][0]["b"] == {"win_share": 1 / 3, "win_share_ci": None}
    mean = sum(f["difference"] for f in document["fields"]) / 3
    assert document["difference"] == pytest.approx(mean)
    page = (folder / "run" / "report.html").read_text()
    assert document["answer"] in page
    assert "middle+middle" in (folder / "run" / "tables" / "comparison.csv").read_text()
    before = tree(folder / "run" / "parts")
    again = cli(*STRATEGIES, "--field", "middle", *QUIET, "--out", "run", "--json")
    assert again.out == ran.out and tree(folder / "run" / "parts") == before
    assert cli("report", "run", "--json").out == ran.out
    assert document["answer"] in cli("report", "run").out.replace("\n", " ")


def test_a_precision_makes_it_play_on(cli: Cli) -> None:
    decided = told(cli, *STRATEGIES, "--no-save")
    precise = told(cli, *STRATEGIES, "--no-save", "--precision", "0.02")
    assert precise["games"] > decided["games"] and precise["precision_reached"] is True
    low, high = precise["difference_ci"]
    assert high - low <= 0.04
    assert decided["precision_reached"] is None


def test_too_few_games_leave_it_undecided(cli: Cli) -> None:
    line = ["compare", "turnthetide", "--a", "reader", "--b", "counting", "--games", "300"]
    document = told(cli, *line, "--no-save")
    assert document["verdict"] == "undecided" and document["games"] == 300
    assert document["more_games_needed"] is None
    assert "these say too little to tell" in " ".join(cli(*line, "--no-save", *QUIET).out.split())


def test_a_strategy_does_not_differ_from_itself(cli: Cli) -> None:
    document = told(cli, "compare", "turnthetide", "--a", "random", "--b", "random")
    assert (document["difference"], document["games"]) == (0.0, 0)
    assert document["verdict"] == "equivalent" and document["interval_kind"] == "exact"
    assert "exactly 0" in document["answer"]


def test_equal_rules_differ_in_no_figure(cli: Cli) -> None:
    document = told(cli, *RULES, "--set-a", "bonus=1", "--no-save")
    assert {figure["difference"] for figure in document["metrics"]} == {0.0}
    assert document["verdict"] is None
    one = told(cli, *RULES, "--set-b", "bonus=1", "--no-save", "--metric", "margin")
    assert one["verdict"] == "equivalent" and "exactly 0" in one["answer"]


def test_a_larger_bonus_changes_scores_and_no_lengths(cli: Cli) -> None:
    document = told(cli, *RULES, "--set-b", "bonus=2", "--no-save")
    figures = {figure["metric"]: figure for figure in document["metrics"]}
    for name in ("length", "hands_per_round"):
        assert figures[name]["difference"] == 0.0 and figures[name]["a"] == figures[name]["b"]
    low, high = figures["mean_score"]["difference_ci"]
    assert low < high < 0
    assert (document["a"], document["b"]) == ("bonus = 1", "bonus = 2")
    assert document["rules_a"]["bonus"] == 1 and document["rules_b"]["bonus"] == 2
    assert document["interval_kind"] == "simultaneous"


@pytest.mark.parametrize(("metric", "verdict"), [("margin", "b-higher"), ("slope", "equivalent")])
def test_one_figure_decides(cli: Cli, folder: Path, metric: str, verdict: str) -> None:
    line = [*RULES, "--games", "5000", "--set-b", "bonus=2", "--metric", metric, "--out", metric]
    document = told(cli, *line)
    assert [figure["metric"] for figure in document["metrics"]] == [metric]
    assert document["difference"] == document["metrics"][0]["difference"]
    assert document["verdict"] == verdict and document["interval_kind"] == "jackknife"
    assert document["variance_ratio"] > 1
    assert cli("report", metric, "--json").out.strip() == json.dumps(document)
    assert (folder / metric / "report.html").exists()
    alone = told(cli, *RULES, "--games", "5000", "--set-b", "bonus=2", "--no-save")
    wide = next(f for f in alone["metrics"] if f["metric"] == metric)
    assert wide["difference"] == document["difference"]
    assert wide["difference_ci"][0] < document["difference_ci"][0]


def test_rules_of_a_file_and_of_both_sides(cli: Cli, folder: Path) -> None:
    (folder / "short.toml").write_text("[rules]\nhands = 6\n")
    document = told(
        cli, *RULES, "--set", "bonus=2", "--rules-a", "short.toml", "--set-b", "hands=7",
        "--no-save", "--strategy", "lowest",
    )  # fmt: skip
    assert (document["a"], document["b"]) == ("hands = 6", "hands = 7")
    assert document["rules_a"]["bonus"] == document["rules_b"]["bonus"] == 2
    assert document["strategies"] == ["lowest"] * 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give two strategies, --a SPEC --b SPEC, or two sets of rules"),
        (["--a", "random"], "give both"),
        (["--a", "random", "--b", "lowest", "--set-a", "bonus=2"], "--set-a rules; leave one out"),
        (["--a", "random", "--b", "lowest", "--metric", "margin"], "--metric rules"),
        (["--a", "random", "--b", "lowest", "--strategy", "middle"], "--field"),
        (["--a", "random", "--b", "lowest", "--rotate"], "every seat already"),
        (["--a", "random", "--b", "lowest", "--field", "middle+middle"], "has 2 opponents"),
        (["--a", "random", "--b", "lowst"], "lowest"),
        (["--set-a", "bonus=2", "--field", "middle"], "--field is for strategies"),
        (["--set-a", "bonus=2", "--metric", "slop"], "did you mean: slope"),
        (["--set-a", "bonus=2", "--margin", "0.1"], "name it as the metric"),
        (["--set-a", "bonus=2", "--precision", "0.1"], "number of games"),
        (["--set-a", "bonus=-2"], "bonus"),
    ],
)
def test_what_contradicts_itself_is_refused_before_the_first_game(
    cli: Cli, folder: Path, arguments: list[str], said: str
) -> None:
    ran = cli("compare", "turnthetide", *arguments, *QUIET)
    assert ran.code == 2 and said in ran.err and not ran.out
    assert not list(folder.iterdir())


def test_a_dry_run_says_that_it_may_end_sooner(cli: Cli, folder: Path) -> None:
    told = cli(*STRATEGIES, *QUIET, "--games", "2000", "--dry-run").out.replace("\n", " ")
    assert "at most, and less where it is decided before" in told
    assert "lowest against random in every seat" in told and not list(folder.iterdir())
    told = cli(*RULES, "--set-b", "bonus=2", *QUIET, "--dry-run").out
    assert "at most" not in told


def test_a_game_of_many_line_ups_is_not_traced_as_one(cli: Cli) -> None:
    assert cli(*STRATEGIES, *QUIET, "--out", "run", "--no-report").code == 0
    ran = cli("trace", "run", "--game", "3")
    assert ran.code == 2 and "name one of them: analyzer trace turnthetide" in ran.err


def test_python_says_the_same(cli: Cli) -> None:
    def plain(document: dict[str, Any]) -> dict[str, Any]:
        return {**json.loads(json.dumps(document)), "throughput": 0}

    found = analyzer.compare("turnthetide", "lowest", "random", players=3, seed=3)
    assert plain(found.to_dict()) == plain(told(cli, *STRATEGIES, "--no-save"))
    assert found.verdict == "b-better" and found.answer == found.result.answer
    assert list(found.to_frame()["field"]) == ["random+random", "lowest+lowest", "mean"]
    rules = analyzer.compare(
        "turnthetide", players=3, games=600, seed=3, rules_b={"bonus": 2}, metric="margin"
    )
    line = [*RULES, "--set-b", "bonus=2", "--metric", "margin", "--no-save"]
    assert plain(rules.to_dict()) == plain(told(cli, *line))
    with pytest.raises(UsageError, match="give two strategies"):
        analyzer.compare("turnthetide", "lowest")


def test_rules_are_compared_by_what_is_known_from_hands_played_again(cli: Cli) -> None:
    line = ("turnthetide", "--games", "1500", "--seed", "3", "--no-save", "--json")
    sides = ("--set-a", "bonus=2", "--set-b", "bonus=1", "--metric", "hand_sd")
    found = json.loads(cli("compare", *line, *sides).out)["metrics"][0]
    alone = [
        json.loads(cli("fairness", *line, "--field", "none", "--set", rules).out)["lifesavers"]
        for rules in ("bonus=2", "bonus=1")
    ]
    assert [found["a"], found["b"]] == [side["hand_sd"] for side in alone]
    low, high = found["difference_ci"]
    assert low < found["a"] - found["b"] < high
    refused = cli("compare", *line, *sides[:-1], "hand_sds")
    assert refused.code == 2 and "hand_sd" in refused.err
