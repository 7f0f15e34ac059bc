"""Runs of made-up games judged as Turn the Tide is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analyzer.games.turnthetide.figures import Lifesavers
from analyzer.games.turnthetide.study import STUDY
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.statistics import fairness
from analyzer.statistics.tables import Fairness, FieldFairness
from analyzer.study import NotPlayed, make_request
from tests.statistics import samples

__all__ = ["judge", "judge_field", "lifesavers_of"]


REQUEST = make_request(
    "fairness", find_game("turnthetide"), strategies=["random"] * 4, rules={}, games=100, seed=1
)


class Flat:
    """Has the games without differences in preservers, if there are any."""

    thorough = True
    parts = ()

    def __init__(self, flat: ResultSet | None) -> None:
        self._flat = flat

    def __call__(self, name: str, *asked: Any) -> ResultSet:
        if self._flat is None or name.endswith("-replay"):
            raise NotPlayed("none")
        return self._flat


def judge(main: ResultSet, flat: ResultSet | None = None, fields: Any = ()) -> Fairness:
    """The answer, with the same chance and equal preservers, if that is given."""
    found = STUDY.judge(REQUEST, fairness.judge(main, samples.GAME), main, "main", Flat(flat))
    return replace(found, fields=tuple(fields))


def judge_field(field: str, main: ResultSet, flat: ResultSet | None = None) -> FieldFairness:
    """The same for another table of strategies."""
    return STUDY.judge(
        REQUEST, fairness.judge_field(field, main, samples.GAME), main, field, Flat(flat)
    )


def lifesavers_of(found: Fairness | FieldFairness) -> Lifesavers:
    """The figures on preservers."""
    figure = found.figures["lifesavers"]
    assert isinstance(figure, Lifesavers)
    return figure
