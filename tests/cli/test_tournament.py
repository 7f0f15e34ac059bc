"""``analyzer tournament``: every table of some strategies."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import analyzer
from analyzer.engine.runner import run
from analyzer.errors import UsageError
from analyzer.experiment import Contest
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.study.tournament import plan_tournament, tables_of
from tests.cli.conftest import Cli, tree

NAMED = ["--strategy", "lowest", "--strategy", "random", "--strategy", "middle"]
LINE = ["tournament", "turnthetide", "--players", "3", *NAMED, "--games", "1536"]
QUIET = ["--seed", "3", "--quiet"]


def told(cli: Cli, *arguments: str) -> dict[str, Any]:
    ran = cli(*arguments, *QUIET, "--json")
    assert ran.code == 0, ran.err
    document: dict[str, Any] = json.loads(ran.out)
    assert document["schema"] == "analyzer/tournament/1"
    return document


def plain(document: dict[str, Any]) -> dict[str, Any]:
    return {**json.loads(json.dumps(document)), "throughput": 0}


def payoffs(document: dict[str, Any]) -> dict[tuple[str, ...], list[float]]:
    return {tuple(table["strategies"]): table["shares"] for table in document["tables"]}


def test_every_table_is_played_saved_and_told(cli: Cli, folder: Path) -> None:
    ran = cli(*LINE, *QUIET, "--out", "run", "--json")
    document = json.loads(ran.out)
    assert len(document["tables"]) == document["all_tables"] == math.comb(5, 3)
    shares = [s["mean_win_share"] for s in document["strategies"]]
    assert shares == sorted(shares, reverse=True)
    for s in document["strategies"]:
        low, high = s["mean_win_share_ci"]
        assert low < s["mean_win_share"] < high
        assert s["worst_field"]["win_share"] <= s["best_field"]["win_share"]
    for strategies, won in payoffs(document).items():
        assert sum(won) == pytest.approx(1)
        if len(set(strategies)) == 1:
            assert won == pytest.approx([1 / 3] * 3)
    assert set(document["best_responses"]) == {"lowest", "random", "middle"}
    assert document["misfit"] > 0 and document["nash"] is None
    page = (folder / "run" / "report.html").read_text()
    assert "Which way of playing is best?" in page and document["answer"] in page
    assert len(list((folder / "run" / "parts").iterdir())) <= 2
    before = tree(folder / "run" / "parts")
    assert cli(*LINE, *QUIET, "--out", "run", "--json").out == ran.out
    assert tree(folder / "run" / "parts") == before
    assert cli("report", "run", "--json").out == ran.out
    assert "worst field" in cli("report", "run").out
    ranking = (folder / "run" / "tables" / "ranking.csv").read_text()
    assert ranking.startswith("strategy,mean_win_share,mean_win_share_low")


def test_payoffs_are_those_of_the_table_alone_whoever_else_takes_part(cli: Cli) -> None:
    three = payoffs(told(cli, *LINE, "--no-save"))
    four = payoffs(told(cli, *LINE, "--strategy", "highest", "--no-save"))
    assert three.items() <= four.items() and len(four) == math.comb(6, 3)
    table = ("lowest", "random", "random")
    alone = analyzer.simulate(
        "turnthetide", table, games=1536, seed=3, rotate=True
    ).to_dict()["strategies"]  # fmt: skip
    shares = {s["strategy"]: s["win_share"] for s in alone}
    assert three[table] == [shares[spec] for spec in table]


def test_any_number_of_workers_and_interruptions_give_the_same_sums() -> None:
    game = find_game("turnthetide")
    plan = plan_tournament(
        game, ["lowest", "random", "middle"], players=3, rules={}, games=1800, seed=3
    )
    contest = plan.contest()
    whole = run(contest)
    two = run(contest, jobs=2, backend="threads", task_size=512)
    stopped = run(contest, task_size=256, cancelled=lambda: True)
    assert stopped.stopped == "interrupted" and 0 < stopped.games < 1800
    resumed = run(contest, resume=stopped, task_size=768)
    assert isinstance(contest, Contest)
    for name, sums in whole.sums.items():
        assert (two.sums[name] == sums).all() and (resumed.sums[name] == sums).all()


def test_a_precision_ends_it(cli: Cli) -> None:
    document = told(cli, *LINE[:-2], "--no-save", "--precision", "0.02")
    assert document["precision_reached"] is True and document["games"] < 100_000
    for s in document["strategies"]:
        low, high = s["mean_win_share_ci"]
        assert high - low <= 0.04 + 1e-12
    early = told(cli, *LINE[:-2], "--no-save", "--precision", "0.001", "--games", "600")
    assert early["precision_reached"] is False and early["games"] == 600


def test_two_players_get_a_mixture(cli: Cli) -> None:
    line = ["tournament", "turnthetide", "--players", "2", *NAMED, "--games", "600", "--no-save"]
    document = told(cli, *line)
    assert sum(document["nash"].values()) == pytest.approx(1)
    assert "A mixture that nobody wins from" in cli(*line, *QUIET).out.replace("\n", " ")


def test_who_takes_part_by_default() -> None:
    def contestants(name: str, players: int) -> set[str]:
        plan = plan_tournament(
            find_game(name), (), players=players, rules={}, games=None, seed=1
        )  # fmt: skip
        return set(plan.strategies)

    cards = contestants("turnthetide", 4)
    assert len(cards) == 8 and not {"lookahead", "reader-forgetful"} & cards
    assert len(contestants("switch16", 4)) == 8
    assert not any(spec.endswith("-forgetful") for spec in contestants("mermaidbeach", 4))


def test_a_balanced_part_of_too_many_tables() -> None:
    specs = [f"s{number:02}" for number in range(16)]
    tables = tables_of(specs, 4, seed=7)
    assert len(tables) == len(set(tables)) == 1000
    assert tables == tables_of(specs, 4, seed=7) != tables_of(specs, 4, seed=8)
    for a in specs:
        assert (a,) * 4 in tables
        for b in specs:
            assert tuple(sorted((a, b, b, b))) in tables
    others = [set(t) for t in tables if max(Counter(t).values()) < 3]
    seated = Counter(spec for table in others for spec in table)
    assert max(seated.values()) - min(seated.values()) <= 0.05 * max(seated.values())
    met = Counter(pair for table in others for pair in combinations(sorted(table), 2))
    assert len(met) == math.comb(16, 2) and max(met.values()) <= 1.6 * min(met.values())
    contest = Contest("g", tables[0], settle(find_game("turnthetide"), 4, {}), 1, 1, tables=tables)
    fields = math.comb(18, 3)
    for weights in contest.weights:
        whole = sum(
            factor * contest.entries[row].copies * 60
            for row, factor in zip(weights.entries, weights.factors, strict=True)
        )
        assert whole == weights.unit and weights.unit % fields == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--strategy", "random"], "at least two strategies, and only 'random' is given"),
        (["--strategy", "random", "--strategy", "lowst"], "lowest"),
        (["--strategy", "random", "--strategy", "random"], "named twice"),
        ([*NAMED, "--rotate"], "leave --rotate out"),
        ([*NAMED, "--players", "9"], "players"),
        ([*NAMED, "--margin", "-1"], "margin"),
    ],
)
def test_what_makes_no_tournament_is_refused_before_the_first_game(
    cli: Cli, folder: Path, arguments: list[str], said: str
) -> None:
    ran = cli("tournament", "turnthetide", *arguments, *QUIET)
    assert ran.code == 2 and said in ran.err and not ran.out
    assert not list(folder.iterdir())


def test_too_many_strategies_are_refused() -> None:
    many = [f"thrifty:{number}" for number in range(2, 40)]
    with pytest.raises(UsageError, match="takes at most 22"):
        analyzer.tournament("turnthetide", many, games=1)


def test_a_dry_run_and_a_trace_say_what_is_played(cli: Cli, folder: Path) -> None:
    said = cli(*LINE, *QUIET, "--dry-run").out.replace("\n", " ")
    assert "10 tables of 3 strategies" in said and not list(folder.iterdir())
    assert cli(*LINE, *QUIET, "--out", "run", "--no-report").code == 0
    assert cli("trace", "run", "--game", "3").code == 2


def test_python_says_the_same(cli: Cli) -> None:
    found = analyzer.tournament(
        "turnthetide", ["lowest", "random", "middle"], players=3, games=1536, seed=3
    )
    assert plain(found.to_dict()) == plain(told(cli, *LINE, "--no-save"))
    assert found.answer == found.result.answer and found.verdict in found.to_dict().values()
    first = found.to_dict()["strategies"][0]["strategy"]
    assert next(iter(found.to_frame()["strategy"])) == first


def test_a_game_from_outside(cli: Cli, lowball: None) -> None:
    document = told(cli, "tournament", "lowball", "--players", "3", "--games", "300", "--no-save")
    assert document["game"] == "lowball" and len(document["strategies"]) > 1
    for won in payoffs(document).values():
        assert sum(won) == pytest.approx(1)
