"""Descriptions of saved runs that somebody has blown up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analyzer.errors import ResultsError, UsageError
from analyzer.experiment import Contest, Contrast
from analyzer.study import Request, sensitivity, sweep, tune
from analyzer.study.request import check_fields
from analyzer.study.stage import telling_of
from tests.study.test_naming import request

BASE = request("turnthetide", ["random"] * 2, "simulate")
WHAT = {"game": "g", "rules": {}, "games": 1, "seed": 1}


def test_fields_without_end() -> None:
    many = [["random"]] * 1001
    assert Request.from_json({**BASE.to_json(), "fields": many[1:]})
    with pytest.raises(UsageError, match="1,001 fields are given; give at most 1,000"):
        Request.from_json({**BASE.to_json(), "fields": many})
    with pytest.raises(UsageError, match="1,001 fields are given"):
        check_fields(many)


def swept(many: int, axes: int = 1, values: int = 2) -> dict[str, Any]:
    axis = {"name": "hands", "values": [1] * values, "kind": "rule", "numeric": True}
    point = {"values": [1] * axes, "strategies": ["random"] * 2, "rules": {}, "varied": None}
    told = {"metric": None, "goal": None, "target": None}
    axis |= {"low": None, "high": None}
    return {"sweep": {**told, "axes": [axis] * axes, "points": [point] * many}}


def test_points_without_end() -> None:
    assert len(sweep.saved_plan(BASE, swept(200, 2)).points) == 200
    for damaged in (swept(201), swept(1, 3), swept(1, 1, 201), swept(1, 0)):
        with pytest.raises(ResultsError, match="saved sweep is damaged"):
            sweep.saved_plan(BASE, damaged)


def searched(values: int, knobs: int = 1) -> dict[str, Any]:
    knob = {"name": "x", "values": [1] * values, "low": 0, "high": 1, "start": 1, "place": []}
    told = {"given": {}, "generations": 1, "population": 4, "metric": "length", "target": 1.0}
    return {"tune": {**told, "what": "rules", "knobs": [knob] * knobs}}


def test_values_without_end() -> None:
    assert tune.saved_plan(BASE, searched(10_000))
    with pytest.raises(UsageError, match="x has 10,001 values, and at most 10,000 are searched"):
        tune.saved_plan(BASE, searched(10_001))
    assert tune.saved_plan(BASE, searched(2, 50))
    with pytest.raises(UsageError, match="51 parameters or settings are given, and at most 50"):
        tune.saved_plan(BASE, searched(2, 51))


def test_variants_without_end() -> None:
    plan = sensitivity.plan(BASE)
    told = plan.identity()["sensitivity"]
    with pytest.raises(ResultsError, match="saved comparison is damaged"):
        sensitivity.saved_plan(BASE, {"sensitivity": [told[0], *told[1:] * 2]})


def test_tables_of_other_sizes() -> None:
    """Their seatings would be more than there is time to count."""
    pair = ("a", "b")
    for tables in ((), (pair, ("a",)), (tuple("abcdefghijkl"),)):
        with pytest.raises(UsageError, match="a contest needs tables"):
            Contest(**WHAT, strategies=pair, tables=tables)
    for strategies, fields in ((("a",), ()), (pair, (pair,)), (pair, ((),))):
        with pytest.raises(UsageError, match="a comparison needs A, B"):
            Contrast(**WHAT, strategies=strategies, fields=fields)


@pytest.mark.parametrize("reason", [TypeError("x"), OverflowError("x"), KeyError("x")])
def test_what_statistics_stumble_over_is_told(reason: Exception) -> None:
    """A description may have a word where there was a number."""
    with pytest.raises(ResultsError, match="do not fit together"), telling_of(Path("run")):
        raise reason
