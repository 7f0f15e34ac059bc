"""Numbers and names as a reader meets them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.statistics import wording
from analyzer.statistics.tables import Estimate
from analyzer_reports.words import (
    between,
    clean,
    digits,
    figure,
    joined,
    number,
    percent,
    plural,
    shorten,
)

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("value", "places", "sign", "text"),
    [
        (0.581, 2, True, "+0.58"),
        (-0.25, 1, False, f"{MINUS}0.2"),
        (-0.001, 2, True, "0.00"),
        (0.0, 0, True, "0"),
        (1234567.0, 0, False, "1,234,567"),
        (None, 2, False, "\N{EN DASH}"),
        (float("nan"), 2, False, "\N{EN DASH}"),
    ],
)
def test_numbers(value: float | None, places: int, sign: bool, text: str) -> None:
    assert number(value, places, sign) == text


def test_shares_are_percentages() -> None:
    assert percent(0.2501) == "25.0%"
    assert percent(-0.0004, 2) == f"{MINUS}0.04%"
    assert percent(None) == "\N{EN DASH}"


def test_figures_look_as_in_the_answer_s_own_sentence() -> None:
    estimate = Estimate(0.58071, 0.57977, 0.58165)
    assert figure(estimate) == wording.number(estimate) == "0.58"
    assert between(estimate) == wording.interval(estimate) == "give or take less than 0.01"
    shown = f"{figure(estimate, share=True)} ({between(estimate, share=True)})"
    assert shown == wording.percent_between(estimate)
    assert digits(Estimate(0.0)) == 2 and digits(Estimate(0.0), share=True) == 0


def test_an_interval_in_words() -> None:
    estimate = Estimate(0.58, 0.56, 0.60)
    assert between(estimate, sign=True) == "between +0.56 and +0.60"
    assert between(estimate, share=True) == "between 56.0% and 60.0%"
    assert between(Estimate(0.58)) == ""


def test_long_names_keep_both_ends() -> None:
    name = "./folder/strategies/cautious.py::Turtle"
    short = shorten(name, 20)
    assert len(short) == 20
    assert short.startswith("./fold") and short.endswith("py::Turtle")
    assert shorten("lowest", 20) == "lowest"


@given(st.text())
def test_nothing_unseen_or_reordering_survives(text: str) -> None:
    for bad in "\n\t\x00\x1b\u202e\u2066\u200b\ud800":
        seen = clean(text + bad)
        assert not {unicodedata.category(c) for c in seen} & {"Cc", "Cf", "Cs"}
        assert len(seen) == len(text) + 1
    assert clean("$a_b^c \u65e5\u672c") == "$a_b^c \u65e5\u672c"


def test_lists_and_counts() -> None:
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert plural(1, "game") == "1 game"
    assert plural(2000, "game") == "2,000 games"
