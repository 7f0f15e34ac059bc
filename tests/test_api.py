"""The Python interface says what the command line says."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

import analyzer
from analyzer.cli.app import main
from analyzer.errors import UsageError


def test_the_same_figures_as_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    found = analyzer.simulate(
        "turnthetide", ["lowest", "random", "random"], games=900, seed=3, rules={"bonus": 2}
    )
    line = "simulate turnthetide --games 900 --seed 3 --set bonus=2 --no-save --quiet --json"
    table = ["--strategy", "lowest", "--strategy", "random", "--strategy", "random"]
    assert main([*line.split(), *table]) == 0
    document = json.loads(capsys.readouterr().out)
    ours = json.loads(json.dumps(found.to_dict()))
    assert {**ours, "throughput": 0} == {**document, "throughput": 0}
    frame = found.to_frame()
    assert list(frame["seat"]) == [1, 2, 3]
    assert list(frame["win_share"]) == [seat["win_share"] for seat in document["seats"]]
    assert list(frame["win_share_low"]) == [seat["win_share_ci"][0] for seat in document["seats"]]
    assert found.answer == document["answer"]
    with pytest.raises(FrozenInstanceError):
        found.extra = 1  # type: ignore[attr-defined]


def test_rotated_strategies_have_a_row_each() -> None:
    found = analyzer.simulate(
        "turnthetide", ["lowest", "highest", "lowest"], games=1000, seed=3, rotate=True
    )
    assert set(found.to_frame()["strategy"]) == {"lowest", "highest"}


def test_fairness() -> None:
    found = analyzer.fairness("turnthetide", games=2000, seed=1, fields=[["lowest"]])
    assert found.verdict == found.fairness.verdict == "over-compensated"
    assert {"by_count", "cards", "fields", "lifesavers"} <= found.to_frames().keys()
    assert len(found.to_frames()["cards"]) == 60


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"strategies": "lowst"}, "did you mean: lowest"),
        ({"players": 9}, "2 to 6 players"),
        ({"players": 0}, "2 to 6 players; given 0"),
        ({"players": 4, "strategies": ["lowest"] * 3}, "3 strategies are given"),
        ({"games": 0}, "games must be from 1"),
        ({"seed": -1}, "seed must be from 0"),
        ({"rules": {"bonus": True}}, "given True"),
        ({"rules": {"bonsu": 1}}, "did you mean: bonus"),
        ({"jobs": 0}, "at least 1"),
        ({"jobs": "2"}, "jobs must be a whole number; given '2'"),
        ({"games": 1.5}, "games must be a whole number; given 1.5"),
        ({"games": True}, "games must be a whole number; given True"),
        ({"seed": "1"}, "seed must be a whole number"),
        ({"players": "4"}, "players must be a whole number"),
        ({"players": 10**9}, "2 to 6 players"),
        ({"players": -1}, "2 to 6 players"),
        ({"precision": 3.5}, "precision must be a number from 1e-06 to 0.5"),
        ({"precision": float("nan")}, "given nan"),
        ({"precision": "0.1"}, "given '0.1'"),
        ({"rules": [1]}, "rules must be a dictionary"),
        ({"strategies": [1, 2]}, "named by a string; given 1"),
        ({"strategies": 5}, "strategies must be a string, or one string a seat"),
        ({"strategies": {"lowest", "random"}}, "a seat in order"),
        ({"rotate": "yes"}, "rotate must be True or False; given 'yes'"),
    ],
)
def test_what_is_wrong_is_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        analyzer.simulate("turnthetide", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("game", [None, 5, ["turnthetide"], b"turnthetide"])
def test_a_game_is_named_by_a_string(game: object) -> None:
    with pytest.raises(UsageError, match="a game is named by a string"):
        analyzer.simulate(game)  # type: ignore[arg-type]


@pytest.mark.parametrize("fields", [5, "random", [5], ["random+random"], [["random"], None]])
def test_fields_that_are_none(fields: object) -> None:
    with pytest.raises(UsageError, match="fields must be a list of tables"):
        analyzer.fairness("turnthetide", fields=fields)  # type: ignore[arg-type]


def test_strategies_may_come_one_by_one() -> None:
    found = analyzer.simulate("turnthetide", iter(["lowest", "random"]), games=300, seed=1)
    assert [player.strategy for player in found.summary.seats] == ["lowest", "random"]


def test_nothing_else_is_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'simulated'"):
        analyzer.simulated  # noqa: B018
