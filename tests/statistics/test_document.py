"""The JSON documents have the promised keys and nothing JSON does not know."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analyzer.games.turnthetide.figures import Bands, JudgedTable, Suggestion
from analyzer.games.turnthetide.lifesavers import measures
from analyzer.statistics.document import fairness_document, simulate_document
from analyzer.statistics.figures import RESERVED, check_names
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import Estimate, Fairness
from analyzer.study.frames import frames
from tests.games.turnthetide.preservers import judge, judge_field, lifesavers_of
from tests.statistics import samples

SIMULATE = {
    "schema", "game", "players", "games", "seed", "unfinished", "precision_reached",
    "interval_kind", "rules", "seats", "metrics", "throughput",
}  # fmt: skip
SEAT = {
    "seat", "strategy", "win_share", "win_share_ci", "outright_wins", "mean_score",
    "mean_score_ci", "sd_score",
}  # fmt: skip
LIFESAVERS = {
    "by_count", "slope", "slope_ci", "slope_within", "slope_within_ci", "handicap", "gift",
    "compensation", "compensation_ci", "round_win_gap", "round_win_gap_ci", "hand_share",
    "hand_share_ci", "cards", "suggestion", "verdict",
}  # fmt: skip
BY_COUNT = {
    "lifesavers", "rounds", "mean_score", "mean_score_ci", "eliminated", "bonus", "lost",
    "round_win", "round_win_ci",
}  # fmt: skip
CARD = {"card", "printed", "worth", "worth_ci", "worth_flat"}
MEASURES = {"hand_sd", "slope", "round_win_gap", "hand_share", "compensation"}


def judged(games: int = 600, **settings: Any) -> Fairness:
    main = samples.result(samples.records(games, **settings))
    flat = samples.result(samples.records(games, flat=5, **settings), allocation="flat:5")
    field = judge_field("random+random+random+random", main, flat)
    found = judge(main, flat, [field])
    chosen = measures(lifesavers_of(found))
    bands = Bands(**vars(chosen), preservers=samples.PRINTED)
    table = JudgedTable("random players", chosen, chosen, chosen)
    suggestion = Suggestion(samples.PRINTED, chosen, chosen, bands, 2, (table,), "Better.", 7)
    return replace(
        found, figures={"lifesavers": replace(lifesavers_of(found), suggestion=suggestion)}
    )


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)
        for inside in value.values():
            yield from leaves(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from leaves(inside)
    else:
        yield value


def named(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every object that has a figure with an interval, and the figure's name."""
    if isinstance(value, dict):
        yield from ((value, key[:-3]) for key in value if key.endswith("_ci"))
        for inside in value.values():
            yield from named(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from named(inside)


@pytest.mark.parametrize("games", [1, 40, 600])
def test_documents_are_json_and_intervals_are_pairs_or_null(games: int) -> None:
    document = fairness_document(judged(games))
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert {type(leaf) for leaf in leaves(document)} <= {int, float, str, bool, type(None)}
    figures = list(named(document))
    assert len(figures) > 100
    for where, name in figures:
        interval, value = where[f"{name}_ci"], where[name]
        assert interval is None or len(interval) == 2
        if interval is not None:
            assert interval[0] <= value <= interval[1]
            assert interval[0] < interval[1]
        assert games >= 30 or interval is None


def test_simulate_has_the_promised_keys() -> None:
    run = samples.result(samples.records(600))
    document = simulate_document(summarize(run, samples.GAME))
    assert document.keys() >= SIMULATE
    assert document["schema"] == "analyzer/simulate/1"
    assert (document["games"], document["players"], document["seed"]) == (600, 4, 1)
    assert all(seat.keys() >= SEAT for seat in document["seats"])
    assert [seat["seat"] for seat in document["seats"]] == [1, 2, 3, 4]
    assert document["metrics"].keys() == {"hands_per_round", "hands_per_round_ci"}
    assert document["throughput"] == {"seconds": 0.5, "games_per_second": 1200.0}
    assert document["rules"] == {
        "hand_size": 12, "hands": 12, "rounds": 4, "allocation": "printed",
        "preservers": list(samples.PRINTED),
    }  # fmt: skip
    assert "strategies" not in document
    still = replace(run, seconds=0.0)
    document = simulate_document(summarize(still, samples.GAME))
    assert document["throughput"]["games_per_second"] is None


def test_rotation_adds_strategies() -> None:
    played = samples.records(1200, skill=(1.0, 0.0, 0.0, 0.0), rotate=True)
    summary = summarize(samples.result(played, rotate=True), samples.GAME)
    document = simulate_document(summary)
    assert [one["strategy"] for one in document["strategies"]] == ["skill-1", "random"]
    assert [one["copies"] for one in document["strategies"]] == [1, 3]
    assert {one["strategy"] for one in document["seats"]} == {"rotated"}
    assert len(document["places"]) == 8
    for row in document["places"]:
        assert row.keys() == {"strategy", "seat", "win_share", "win_share_ci"}
        assert row["win_share_ci"][0] < row["win_share"] < row["win_share_ci"][1]


def test_fairness_has_the_promised_keys() -> None:
    found = judged()
    document = fairness_document(found)
    assert document["schema"] == "analyzer/fairness/1"
    assert document.keys() >= SIMULATE | {"seats_test", "verdict", "answer", "lifesavers"}
    assert document["seats_test"].keys() >= {
        "p_value", "first_player_advantage", "first_player_advantage_ci"
    }  # fmt: skip
    assert document["seats_test"]["first_player_advantage"] is None
    seats = document["seats_test"]["advantages"]
    assert [seat["seat"] for seat in seats] == [1, 2, 3, 4]
    assert all(seat.keys() == {"seat", "advantage", "advantage_ci"} for seat in seats)
    assert document["seats_test"]["confounded"] is False
    lifesavers = document["lifesavers"]
    assert lifesavers.keys() >= LIFESAVERS
    assert all(row.keys() >= BY_COUNT for row in lifesavers["by_count"])
    assert all(card.keys() >= CARD for card in lifesavers["cards"])
    assert len(lifesavers["cards"]) == 60
    assert lifesavers["verdict"] == document["verdict"] == "over-compensated"
    assert lifesavers["slope"] == lifesavers_of(found).slope.value
    assert lifesavers["slope_ci"] == [
        lifesavers_of(found).slope.low,
        lifesavers_of(found).slope.high,
    ]
    suggestion = lifesavers["suggestion"]
    assert suggestion["preservers"] == list(samples.PRINTED)
    assert all(suggestion[part].keys() >= MEASURES for part in ("before", "after", "bands"))
    assert suggestion["bands"]["preservers"] == list(samples.PRINTED)
    (field,) = document["fields"]
    assert field["field"] == "random+random+random+random"
    assert field.keys() >= (SIMULATE - {"schema"}) | {"seats_test", "verdict", "lifesavers"}
    assert field["lifesavers"]["suggestion"] is None


def keys(value: Any) -> Iterator[str]:
    """Every key of a document, those of intervals and of the rules' own settings excepted."""
    if isinstance(value, dict):
        for key, inside in value.items():
            if not key.endswith("_ci"):
                yield key
            if key != "rules":
                yield from keys(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from keys(inside)


def test_every_key_is_documented() -> None:
    page = Path(__file__).parents[2] / "docs" / "command-line.md"
    named = set(re.findall(r"[`\"](\w+)[`\"]", page.read_text(encoding="utf-8")))
    played = samples.records(1200, skill=(1.0, 0.0, 0.0, 0.0), rotate=True)
    rotated = summarize(samples.result(played, rotate=True), samples.GAME)
    used = set(keys(fairness_document(judged()))) | set(keys(simulate_document(rotated)))
    assert len(used) > 50
    assert used <= named


def test_what_was_not_asked_for_is_left_out_or_null() -> None:
    found = judge(samples.result(samples.records(100)))
    document = fairness_document(found)
    assert "fields" not in document
    assert document["lifesavers"]["suggestion"] is None
    assert document["lifesavers"]["handicap"] is None
    assert "lifesavers" not in fairness_document(replace(found, figures={}))


def test_numbers_json_does_not_know_become_plain_or_null() -> None:
    summary = summarize(samples.result(samples.records(100)), samples.GAME)
    odd = replace(
        summary,
        rules={"die": {"1": np.int64(3)}, "x": (np.float64(0.5), float("nan")), "a": np.arange(2)},
        metrics={"rate": Estimate(float("nan"), float("-inf"), 1.0), "more": Estimate(2.0, 1, 3)},
    )
    document = simulate_document(odd)
    assert document["rules"] == {"die": {"1": 3}, "x": [0.5, None], "a": [0, 1]}
    assert document["metrics"] == {
        "rate": None, "rate_ci": None, "more": 2.0, "more_ci": [1.0, 3.0],
    }  # fmt: skip
    json.dumps(document, allow_nan=False)


@pytest.mark.parametrize("rotate", [False, True])
def test_what_every_document_and_run_has_is_reserved(rotate: bool) -> None:
    """A game's own figure cannot take the place of it."""
    played = samples.result(samples.records(600), rotate=rotate)
    found = judge(played, played, [judge_field("random+random", played, played)])
    found = replace(found, figures={}, summary=replace(found.summary, figures={}))
    documents = [fairness_document(found), simulate_document(found.summary)]
    field = set(documents[0]["fields"][0]) - set(found.fields[0].figures)
    assert set().union(*documents, field, frames(found)) <= RESERVED
    check_names(["lifesavers", "turn_order", "deal-1"])
