"""``analyzer tune``: what is tried, what is claimed of it, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import analyzer
from analyzer.contracts import WHOLE_WIN
from analyzer.engine.runner import run
from analyzer.experiment import Contrast
from analyzer.kernels.random import stream_seed
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.study import tune
from tests.cli.conftest import Cli, tree

SMALL = ["--games", "400", "--generations", "2", "--population", "4"]
START, OTHER = "threshold:0.9/leader/hold", "greedy/leader/hold"
TIMID = ["tune", "switch16", "--players", "2", "--strategy", START, "--field", OTHER, *SMALL]
RULE = ["tune", "turnthetide", "--players", "3", "--rule", "bonus=0..5", "--metric", "mean_score",
        "--games", "400"]  # fmt: skip
QUIET = ["--seed", "3", "--quiet"]

FLAT = """
from analyzer.contracts import Parameter, Strategy
from analyzer.kernels.bits import nth_card
from analyzer.kernels.compilation import kernel
from analyzer.kernels.random import bounded, expand


@kernel
def card(view, params, words, out):
    for g in range(out.size):
        which = bounded(expand(words[g], 0), view.cards_left)
        out[g] = nth_card(view.cards[g], which)


flat = Strategy(
    game="turnthetide",
    name="flat",
    idea="Plays any card, and has a parameter that it ignores.",
    hooks={"card": card},
    stochastic=frozenset({"card"}),
    parameters=(Parameter("ignored", "float", 0.5, "nothing", 0.0, 1.0),),
)
"""


def told(cli: Cli, *arguments: str) -> dict[str, Any]:
    ran = cli(*arguments, *QUIET, "--json")
    assert ran.code == 0, ran.err
    document: dict[str, Any] = json.loads(ran.out)
    assert document["schema"] == "analyzer/tune/1"
    return document


def test_a_bad_start_is_improved_and_the_gain_is_that_of_fresh_games(
    cli: Cli, folder: Path
) -> None:
    document = told(cli, *TIMID, "--out", "run")
    assert document["improved"] is True and document["difference_ci"][0] > 0
    best, after = document["best"], document["after"]
    assert best == after["setting"] != document["start"] == START
    assert (document["method"], len(document["trace"])) == ("cma-es", 2)
    assert all(row["evaluations"] <= 4 for row in document["trace"])
    assert [one["setting"] for one in document["finalists"] if one["chosen"]] == [best]
    # The report, played again by hand, on another stream than those of the search and the choice.
    streams = {tune.REPORTING, tune.CHOOSING, tune.DRAWING}
    assert len(streams) == 3 and max(streams) < tune.SEARCHING
    contrast = Contrast(
        "switch16", (best, START), settle(find_game("switch16"), 2, {}),
        after["games"], stream_seed(3, tune.REPORTING), fields=((OTHER,),),
    )  # fmt: skip
    gain = run(contrast).sums["difference"][0, 2].sum() / (WHOLE_WIN * 2 * after["games"])
    assert document["difference"] == pytest.approx(gain, abs=1e-12)
    assert [f["field"] for f in document["fields"]] == [OTHER]
    assert document["fields"][0]["difference"] == pytest.approx(document["difference"])
    assert document["after"]["win_share"] - document["before"]["win_share"] == pytest.approx(
        document["difference"]
    )
    page = (folder / "run" / "report.html").read_text()
    assert document["answer"] in page
    assert {"search.png", "gain.png"} <= {p.name for p in (folder / "run").iterdir()}
    table = (folder / "run" / "tables" / "evaluations.csv").read_text().splitlines()
    assert table[0] == "generation,setting,value,threshold:q"
    assert len(table) == document["evaluations"] + 1
    before = tree(folder / "run" / "parts")
    assert told(cli, *TIMID, "--out", "run") == document
    assert tree(folder / "run" / "parts") == before
    assert json.loads(cli("report", "run", "--json").out) == document
    text = cli("report", "run").out
    assert f"To use it: --strategy {best}" in text


def test_rules_meet_a_target_on_fresh_games(cli: Cli, folder: Path) -> None:
    goal = analyzer.simulate("turnthetide", players=3, games=40_000, seed=9, rules={"bonus": 4})
    target = sum(seat["mean_score"] for seat in goal.to_dict()["seats"]) / 3
    line = [*RULE, "--target", f"{target:.4f}", "--out", "run"]
    document = told(cli, *line)
    assert (document["method"], document["evaluations"]) == ("exhaustive", 6)
    assert (document["start"], document["best"]) == ("bonus=1", "bonus=4")
    low, high = document["after"]["mean_score_ci"]
    assert low <= target <= high and document["improved"] is True
    assert "is within that" in document["answer"]
    assert document["difference_ci"][0] > 0
    assert json.loads(cli("report", "run", "--json").out) == document
    assert "To use it: --set bonus=4" in cli("report", "run").out
    assert (folder / "run" / "search.png").is_file()


def test_rules_that_are_best_already_are_left_alone(cli: Cli) -> None:
    goal = analyzer.simulate("turnthetide", players=3, games=20_000, seed=9)
    target = sum(seat["mean_score"] for seat in goal.to_dict()["seats"]) / 3
    document = told(cli, *RULE, "--target", f"{target:.4f}", "--no-save")
    assert document["improved"] is False
    assert document["best"] == "bonus=1" and document["after"]["setting"] != "bonus=1"
    assert "none brings mean score nearer" in document["answer"]


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("flat") / "flat.py"
    path.write_text(FLAT, encoding="utf-8")
    return path


def test_a_parameter_that_does_nothing_is_never_improved(cli: Cli, flat: Path) -> None:
    """On the same chance it plays the very same games: benchmarks/tune_null.py has dice as well."""
    line = ["tune", "turnthetide", "--players", "3", "--strategy", f"{flat}::flat", *SMALL]
    line += ["--generations", "1"]
    document = told(cli, *line, "--field", "random", "--no-save")
    assert document["improved"] is None and document["difference"] == 0.0
    assert document["best"] == document["start"] == f"{flat}::flat"
    assert "not one game goes otherwise" in document["answer"]


@pytest.mark.parametrize(
    ("interval", "improved"),
    [
        ((0.010, 0.030), True),
        ((0.001, 0.030), True),
        ((0.001, 0.004), False),
        ((-0.004, 0.004), False),
        ((-0.030, -0.001), False),
        ((-0.001, 0.030), None),
        ((None, None), None),
    ],
)
def test_improved_is_what_the_interval_shows(
    interval: tuple[float | None, float | None], improved: bool | None
) -> None:
    from analyzer.statistics.tables import Estimate
    from analyzer.statistics.tune import is_improved

    found = Estimate(0.0, *interval)
    assert is_improved(found, 0.005, exact=False) is improved
    assert is_improved(found, 0.005, exact=True) is None


def test_jobs_and_interruptions_change_nothing(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from analyzer.study import stage

    played, calls = stage.run, 0

    def until_fourth(experiment: Any, **how: Any) -> Any:
        nonlocal calls
        calls += isinstance(experiment, Contrast)
        if calls == 4:
            raise KeyboardInterrupt
        return played(experiment, **how)

    monkeypatch.setattr(stage, "run", until_fourth)
    ran = cli(*TIMID, "--out", "run", *QUIET)
    assert ran.code == 130 and "--generations 2 --population 4" in ran.err
    partial = json.loads(cli("report", "run", "--json").out)
    assert partial["improved"] is partial["after"] is None and partial["evaluations"] >= 3
    assert "not played to its end" in partial["answer"]
    monkeypatch.setattr(stage, "run", played)
    whole = told(cli, *TIMID, "--out", "run")
    other = told(cli, *TIMID, "--out", "other", "--jobs", "2", "--no-report")
    for document in (whole, other):
        document.pop("throughput")
    assert whole == other


def test_a_dry_run_tells_of_evaluations(cli: Cli) -> None:
    parts = json.loads(cli(*TIMID, "--dry-run", *QUIET, "--json").out)["parts"]
    assert [part["about"] for part in parts[:2]] == ["8 evaluations", "5 finalists"]
    assert parts[0]["games"] < parts[2]["games"] * 8


def test_parameters_are_searched_in_the_ranges_given() -> None:
    plan = tune.plan_strategy(
        find_game("turnthetide"), "reader:doubt=0.2", vary=["worry=0.5..0.7", "thrift"], players=3,
        rules={}, games=100, seed=1, generations=1, population=4,
    )  # fmt: skip
    worry, thrift = plan.knobs
    assert (worry.told, worry.start, worry.begin) == ("0.5 to 0.7", 0.6, pytest.approx(0.5))
    assert (thrift.told, thrift.at(0.0), thrift.at(1.0)) == ("0 to 10", 0.0, 10.0)
    assert [worry.at(u) for u in (0.0, 0.123456, 1.0)] == [0.5, 0.5247, 0.7]
    (enough,) = tune.plan_strategy(
        find_game("turnthetide"), "thrifty", vary=["enough=40..42"], players=3, rules={}, games=100,
        seed=1, generations=1, population=4,
    ).knobs  # fmt: skip
    assert [enough.at(u) for u in (0.0, 0.3, 0.4, 0.7, 1.0)] == [40, 40, 41, 42, 42]


def test_without_fields_it_meets_itself_and_the_games_ways_of_playing() -> None:
    plan = tune.plan_strategy(
        find_game("switch16"), "threshold:q=0.3/leader/deny", players=2, rules={}, games=100,
        seed=1, generations=1, population=4,
    )  # fmt: skip
    fields = ["+".join(field[1:]) for field in plan.base.fields]
    assert fields == [
        "threshold:0.3/leader/deny",
        "always/random/hold",
        "greedy/leader/deny",
        "always/ahead/deny",
    ]  # fmt: skip
    assert [knob.name for knob in plan.knobs] == ["threshold:q", "deny:k"]
    assert plan.method == "cma-es" and plan.settings is None


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "give one strategy to tune"),
        (["--strategy", "random"], "has no parameters"),
        (["--strategy", "thrifty", "--vary", "enogh"], "did you mean: enough"),
        (["--strategy", "thrifty", "--vary", "enough=0..90"], "can be from 1 to 60"),
        (["--strategy", "thrifty", "--vary", "enough=3"], "searched from LOW..HIGH"),
        (["--strategy", "thrifty", "--metric", "margin"], "--metric is for rules"),
        (["--strategy", "thrifty", "--rule", "bonus=0..3", "--vary", "enough"], "leave one out"),
        (["--strategy", "thrifty", "--population", "3"], "--population must be"),
        (["--strategy", "thrifty", "--field", "random+random"], "2 opponents"),
        (["--rule", "bonus=0..3"], "--metric NAME"),
        (["--rule", "bonus=0..3", "--metric", "margn", "--target", "3"], "did you mean: margin"),
        (["--rule", "bonos=0..3", "--metric", "margin", "--target", "3"], "did you mean: bonus"),
        (["--rule", "players=2..3", "--metric", "margin", "--target", "3"], "is a setting"),
        (["--strategy", "thrifty", "--precision", "0.01"], "leave --precision out"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_game(
    cli: Cli, folder: Path, more: list[str], message: str
) -> None:
    ran = cli("tune", "turnthetide", *more)
    assert ran.code == 2 and message in ran.err, ran.err
    assert not list(folder.iterdir())


def test_python_says_the_same() -> None:
    found = analyzer.tune(
        "turnthetide", rule="bonus=0..5", metric="mean_score", target=6.0, players=3, games=300,
        seed=3,
    )  # fmt: skip
    assert found.best == found.to_dict()["best"] and found.answer == found.result.answer
    assert len(found.to_frame()) == 6 and found.improved in (True, False, None)
