"""``analyzer sweep``: the same chance at every point, what is best, and how surely."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

import analyzer
from analyzer.errors import UsageError
from analyzer.kernels.random import stream_seed
from analyzer.study.sweep import FRESH
from tests.cli.conftest import Cli, tree

TIDE = ["sweep", "turnthetide", "--players", "3", "--games", "600"]
BONUS = [*TIDE, "--vary", "bonus=0..3", "--metric", "mean_score", "--target", "5"]
QUIET = ["--seed", "3", "--quiet"]


def told(cli: Cli, *arguments: str) -> dict[str, Any]:
    ran = cli(*arguments, *QUIET, "--json")
    assert ran.code == 0, ran.err
    document: dict[str, Any] = json.loads(ran.out)
    assert document["schema"] == "analyzer/sweep/1"
    return document


@pytest.mark.long
def test_a_target_is_come_nearest_to(cli: Cli, folder: Path) -> None:
    document = told(cli, *BONUS, "--out", "run")
    scores = [point["figures"]["mean_score"] for point in document["points"]]
    assert [point["at"] for point in document["points"]] == [{"bonus": n} for n in range(4)]
    assert scores == sorted(scores) and document["goal"] == "target"
    nearest = min(range(4), key=lambda n: abs(scores[n] - 5))
    assert document["best"]["at"] == {"bonus": nearest} in document["candidates"]
    assert document["points"][nearest]["standing"] == "best"
    assert document["loss_bound"] >= 0 and document["verdict"] == "shown"
    assert f"bonus = {nearest} brings mean score nearest to 5" in document["answer"]
    page = (folder / "run" / "report.html").read_text()
    assert document["answer"] in page and "0 to 3" in page
    assert (folder / "run" / "curve-mean-score.png").is_file()
    table = (folder / "run" / "tables" / "sweep.csv").read_text().splitlines()
    assert table[0].startswith("bonus,standing,mean_score,mean_score_low") and len(table) == 5
    before = tree(folder / "run" / "parts")
    assert told(cli, *BONUS, "--out", "run") == document
    assert tree(folder / "run" / "parts") == before
    assert json.loads(cli("report", "run", "--json").out) == document
    assert document["answer"] in cli("report", "run").out.replace("\n", " ")


def test_every_point_is_a_run_of_its_own_on_the_same_chance(cli: Cli) -> None:
    document = told(cli, *BONUS, "--no-save")
    for point in document["points"][::3]:
        line = ["simulate", "turnthetide", "--players", "3", "--games", "600", *QUIET]
        alone = json.loads(
            cli(*line, "--set", f"bonus={point['at']['bonus']}", "--no-save", "--json").out
        )
        mean = sum(seat["mean_score"] for seat in alone["seats"]) / 3
        assert point["figures"]["mean_score"] == pytest.approx(mean, rel=1e-15)
    best = document["best"]
    again = analyzer.simulate(
        "turnthetide",
        players=3,
        games=600,
        seed=stream_seed(3, FRESH),
        rules={"bonus": best["at"]["bonus"]},
    ).to_dict()
    mean = sum(seat["mean_score"] for seat in again["seats"]) / 3
    assert best["figures"]["mean_score"] == pytest.approx(mean, rel=1e-15)


def test_metrics_are_told_to_the_digit_of_simulate(cli: Cli) -> None:
    """Players differ, so do the defaults that follow them."""
    line = ["sweep", "turnthetide", "--vary", "players=2..4", "--games", "300"]
    document = told(cli, *line, "--no-save")
    assert document["metric"] is document["best"] is document["verdict"] is None
    assert document["candidates"] == [] and "length" in document["answer"]
    for point in document["points"]:
        players = str(point["at"]["players"])
        ran = cli(
            "simulate", "turnthetide", "--players", players, "--games", "300", *QUIET, "--json",
            "--no-save",
        )  # fmt: skip
        alone = json.loads(ran.out)
        assert point["players"] == alone["players"] == int(players)
        assert point["figures"]["hands_per_round"] == alone["metrics"]["hands_per_round"]
        assert point["figures"]["length"] == alone["shape"]["length"]["mean"]
        assert "slope" in point["figures"] and "win_share_seat_1" not in point["figures"]
    text = cli(*line, "--no-save", *QUIET).out
    assert "2 to 4 players at each of 3 points" in text


def test_a_strategy_wins_what_simulate_says_it_wins(cli: Cli) -> None:
    line = [*TIDE, "--vary", "thrifty:enough=10,45", "--strategy", "reactive", "--no-save"]
    document = told(cli, *line)
    assert (document["metric"], document["goal"]) == ("win_share", "highest")
    assert [p["strategy"] for p in document["points"]] == ["thrifty:10", "thrifty"]
    for point in document["points"]:
        table = (point["strategy"], "reactive", "reactive")
        found = analyzer.simulate("turnthetide", table, games=600, seed=3, rotate=True)
        shares = {p["strategy"]: p["win_share"] for p in found.to_dict()["strategies"]}
        assert point["figures"]["win_share"] == shares[point["strategy"]]
    assert "thrifty:10 and the like sit in every seat in turn, among reactive" in cli(
        *line, *QUIET
    ).out.replace("\n", " ")


def test_two_things_make_a_map(cli: Cli, folder: Path) -> None:
    line = [
        "sweep",
        "turnthetide",
        "--vary",
        "bonus=0,2",
        "--vary",
        "players=2,3",
        "--games",
        "300",
    ]
    document = told(cli, *line, "--metric", "margin", "--lowest", "--out", "run")
    assert [p["at"] for p in document["points"]] == [
        {"bonus": bonus, "players": players} for bonus in (0, 2) for players in (2, 3)
    ]
    margins = [p["figures"]["margin"] for p in document["points"]]
    assert document["best"]["at"] == document["points"][margins.index(min(margins))]["at"]
    assert (folder / "run" / "map-margin.png").is_file()


def test_the_best_at_an_end_is_said(cli: Cli) -> None:
    document = told(cli, *TIDE, "--vary", "bonus=1..3", "--metric", "mean_score", "--highest",
                    "--no-save")  # fmt: skip
    assert document["best"]["at_edge"] == {"bonus": "highest"}
    assert "3 is the highest bonus tried; a higher one may be better still" in document["answer"]
    lowest = told(cli, *TIDE, "--vary", "bonus=0..3", "--metric", "mean_score", "--lowest",
                  "--no-save")  # fmt: skip
    assert lowest["best"]["at_edge"] == {"bonus": "lowest allowed"}
    assert "0 is the lowest allowed bonus." in lowest["answer"]


def test_values_that_change_nothing_are_not_called_worse(cli: Cli) -> None:
    """Two bids that hardly ever differ."""
    line = ["sweep", "turnthetide", "--players", "3", "--games", "600", "--strategy", "lowest",
            "--vary", "thrifty:enough=59,60", "--no-save"]  # fmt: skip
    document = told(cli, *line)
    assert len(document["candidates"]) == 2 and document["verdict"] == "undecided"


def test_jobs_and_interruptions_change_nothing(cli: Cli, folder: Path) -> None:
    one = told(cli, *BONUS, "--out", "one", "--jobs", "1")
    two = told(cli, *BONUS, "--out", "two", "--jobs", "2")
    for document in (one, two):
        document.pop("throughput")
    assert one == two
    table = Path("tables", "sweep.csv")
    assert (folder / "one" / table).read_bytes() == (folder / "two" / table).read_bytes()


def test_a_run_cut_short_tells_of_the_points_that_it_has(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from analyzer.study import stage

    played = stage.run

    def until_third(experiment: Any, **how: Any) -> Any:
        if experiment.rules["bonus"] == 2:
            raise KeyboardInterrupt
        return played(experiment, **how)

    monkeypatch.setattr(stage, "run", until_third)
    ran = cli(*BONUS, "--out", "run", *QUIET)
    assert ran.code == 130 and "analyzer sweep turnthetide" in ran.err
    assert "--vary bonus=0..3" in ran.err and "--target 5" in ran.err
    partial = json.loads(cli("report", "run", "--json").out)
    assert [p["at"]["bonus"] for p in partial["points"]] == [0, 1]
    assert "was not played yet" in (folder / "run" / "report.html").read_text()
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    whole = told(cli, *BONUS, "--out", "run")
    fresh = told(cli, *BONUS, "--out", "other")
    for document in (whole, fresh):
        document.pop("throughput")
    assert whole == fresh


def test_a_dry_run_lists_the_points(cli: Cli) -> None:
    ran = cli(*BONUS, "--dry-run", *QUIET, "--json")
    parts = json.loads(ran.out)["parts"]
    assert [part["part"] for part in parts] == [*(f"point-{n}" for n in range(1, 5)), "fresh"]
    assert parts[3]["about"] == "the same with bonus = 3"
    assert sum(part["games"] for part in parts) == 5 * 600


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "say what is varied"),
        (["--vary", "bonus=0..3", "--target", "5"], "name it with --metric"),
        (["--vary", "bonus=0..3", "--metric", "margin"], "--target X for the nearest"),
        (["--vary", "bonus=0..3", "--metric", "margn", "--highest"], "did you mean: margin"),
        (["--vary", "bonus=0..3", "--highest", "--lowest"], "contradict"),
        (["--vary", "bonus=0..3", "--metric", "margin", "--target", "x"], "--target must be"),
        (["--vary", "bonus=0..3", "--set", "bonus=1"], "bonus is varied"),
        (["--vary", "hands=11..13"], "hands = 13"),
        (["--vary", "bonus=0..3", "--precision", "0.01"], "leave --precision out"),
        (["--vary", "a=1,2", "--vary", "b=1,2", "--vary", "c=1,2"], "one or two things"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_game(
    cli: Cli, folder: Path, more: list[str], message: str
) -> None:
    ran = cli("sweep", "turnthetide", *more)
    assert ran.code == 2 and message in ran.err, ran.err
    assert not list(folder.iterdir())


def test_python_says_the_same() -> None:
    found = analyzer.sweep(
        "turnthetide", "bonus=0..3", players=3, games=600, seed=3, metric="mean_score", target=5
    )
    assert found.best is not None and found.verdict == "shown"
    frame = found.to_frame()
    assert list(frame["bonus"]) == [0, 1, 2, 3] and found.answer == found.to_dict()["answer"]
    with pytest.raises(UsageError, match="goal must be"):
        analyzer.sweep("turnthetide", "bonus=0..3", metric="margin", goal="best")
    with pytest.raises(UsageError, match="two strings"):
        analyzer.sweep("turnthetide", cast(Any, [1]))
