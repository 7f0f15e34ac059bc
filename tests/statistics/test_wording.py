"""Numbers in sentences have the digits their intervals allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.statistics import wording
from analyzer.statistics.tables import Estimate


@pytest.mark.parametrize(
    ("value", "half", "number", "interval"),
    [
        # No more than two digits, however well a figure is known; tables have the others.
        (0.58123, 0.0014, "0.58", "give or take less than 0.01"),
        (0.58123, 0.01, "0.58", "between 0.57 and 0.59"),
        (0.58123, 0.2, "0.6", "between 0.4 and 0.8"),
        (0.058123, 0.0001, "0.0581", "between 0.0580 and 0.0582"),  # 0.058 it is not
        (17.7, 0.07, "17.7", "between 17.6 and 17.8"),
        (0.8, 1.1, "0.8", "between -0.3 and 1.9"),  # and not between 0 and 2
        (-2.5, 0.3, "-2.5", "between -2.8 and -2.2"),
        (123.4, 20.0, "123", "between 103 and 143"),
        (-0.0001, 0.03, "0.00", "between -0.03 and 0.03"),
    ],
)
def test_numbers(value: float, half: float, number: str, interval: str) -> None:
    estimate = Estimate(value, value - half, value + half)
    assert wording.number(estimate) == number
    assert wording.interval(estimate) == interval


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (0.4421, 0.001, "44.2% (between 44.1% and 44.3%)"),
        (0.4421, 0.0001, "44.2% (give or take less than 0.1 points)"),
        (0.4421, 0.2, "44.2% (between 24.2% and 64.2%)"),
        (0.5007, 0.0003, "50.1% (between 50.0% and 50.1%)"),
    ],
)
def test_percentages(value: float, half: float, text: str) -> None:
    assert wording.percent_between(Estimate(value, value - half, value + half)) == text


@given(st.floats(-20, 20), st.floats(1e-6, 5), st.booleans())
def test_the_ends_of_an_interval_never_look_alike(value: float, half: float, share: bool) -> None:
    estimate = Estimate(value, value - half, value + half)
    text = wording.percent_between(estimate) if share else wording.interval(estimate)
    if "give or take less than" in text:
        most = float(text.rpartition("less than ")[2].split()[0].rstrip(")"))
        assert half <= most / (100 if share else 1)
    else:
        low, high = text.rpartition("between ")[2].rstrip(")").split(" and ")
        assert low != high


def test_without_an_interval() -> None:
    assert wording.number(Estimate(0.5)) == "0.50"
    assert wording.percent_between(Estimate(0.5)) == "50.0%"
    assert wording.interval(Estimate(0.5)) == "how surely cannot be said"
    assert wording.number(Estimate(None)) == wording.percent(Estimate(None)) == "unknown"


def test_plain_percentages_and_counts() -> None:
    assert [wording.plain_percent(1 / n) for n in (2, 3, 4)] == ["50%", "33.3%", "25%"]
    assert wording.count(1234567) == "1,234,567"
    assert (wording.games(1), wording.games(2000)) == ("1 game", "2,000 games")


def test_players_are_called_by_how_they_play_and_by_what_tells_them_apart() -> None:
    table = wording.table
    assert table(["random"] * 4, "turnthetide") == "random players"
    assert table(["random", "lowest"], "turnthetide") == "random and lowest"
    assert table(["random", "lowest", "random"], "turnthetide") == "two random and one lowest"
    same = ["always/leader/deny"] * 3
    assert table(same, "switch16") == (
        "players always throwing again, swapping with the leader and laying the Block disc on "
        "others"
    )
    # What all of them share is left out, at one table and at several that are told of together.
    assert table(["always/leader/deny", "never/leader/deny"], "switch16") == (
        "one player always throwing again and one player never throwing again"
    )
    assert table(same, "switch16", ["always/never/deny"]) == "players swapping with the leader"
    # Values that were given stand behind; what has no words of its own goes by its name.
    assert table(["threshold:0.7/leader/hold", "never/leader/hold"], "switch16") == (
        "one player throwing again at good odds (0.7) and one player never throwing again"
    )
    assert table(["./mine.py::bold/leader/hold", "never/leader/hold"], "switch16") == (
        "one ./mine.py::bold and one player never throwing again"
    )
    assert table(["optimal", "optimal"], "switch16") == "optimal players"
    assert table(["a/b", "a/c"]) == "a/b and a/c"
