"""What is varied: how it is given, what is refused, and the table that it makes."""

from __future__ import annotations

from typing import Any

import pytest

from analyzer.errors import RulesError, UnknownName, UsageError
from analyzer.plugins import find_game
from analyzer.study.varying import MOST_POINTS, Setup, read_axes, setups

TIDE, SWITCH = find_game("turnthetide"), find_game("switch16")


def points(game: Any, *texts: str, strategies: tuple[str, ...] = (), **given: Any) -> list[Setup]:
    axes, varied = read_axes(game, texts, strategies)
    how = {"players": None, "rules": {}} | given
    return setups(game, axes, varied, strategies=strategies, **how)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("bonus=0..3", (0, 1, 2, 3)),
        ("bonus=0..3:2", (0, 2)),
        ("bonus=3,0", (0, 3)),
        ("players=3,5", (3, 5)),
        ("eliminated_may_take_bonus=true,false", (True, False)),
        ("allocation=printed,flat:4", ("printed", "flat:4")),
        ('preservers={"13-24"=1},{"1-4"=2, "5-9"=1}', None),
        ("reader:worry=0..2:0.5", (0.0, 0.5, 1.0, 1.5, 2.0)),
        ("reader:doubt=0.1..0.9", tuple(round(0.1 * k, 1) for k in range(1, 10))),
        ("reader:worry=1,0.25", (0.25, 1.0)),
        ("thrifty:30..60:15", (30, 45, 60)),
    ],
)
def test_values_are_read_as_rules_and_specs_read_them(text: str, values: Any) -> None:
    (axis,), _ = read_axes(TIDE, [text], ())
    if values is None:
        assert len(axis.values) == 2 and not axis.numeric
    else:
        assert axis.values == values
        assert [type(value) for value in axis.values] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bonus=0..1000000", "at most 200 points"),
        ("bonus=3..1", "lower end of a range comes first"),
        ("bonus=0..4:0", "more than 0"),
        ("bonus=0..4:x", "no number"),
        ("bonus=1", "one value"),
        ("bonus=1,1", "twice"),
        ("bonus=1,1.5", "bonus must be a whole number"),
        ("bonus=0..1:0.5", "bonus must be a whole number"),
        ("bonus=-3..1", "bonus must be"),
        ("bonos=0..3", "did you mean: bonus"),
        ("bonus", "KEY=LOW..HIGH"),
        ("players=1..4", "for 2 to 6 players"),
        ("players=two,3", "for 2 to 6 players"),
        ("reader:worried=0..2", "did you mean: worry"),
        ("reader:worry=0..20", "worry = '12.5' is not possible"),
        ("reader:worry=0..2,thrift=0..2", "varies 2 parameters"),
        ("reader:worry=1", "varies no parameters"),
        ("random:x=0..2", "takes no parameters"),
        ("raeder:worry=0..2", "did you mean: reader"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        points(TIDE, text)


def test_a_strategy_sits_among_the_usual_ones_or_those_given() -> None:
    first, *_, last = points(TIDE, "reader:worry=0..2:0.5,thrift=2")
    assert first.strategies == ("reader:worry=0.0,thrift=2.0", "random", "random", "random")
    assert last.varied == last.strategies[0] == "reader:worry=2.0,thrift=2.0"
    (_, second) = points(TIDE, "reader:worry=0,1", strategies=("thrifty",), players=3)
    assert second.strategies == ("reader:worry=1.0", "thrifty", "thrifty")
    (_, second) = points(TIDE, "reader:worry=0,1", strategies=("thrifty", "lowest"))
    assert second.strategies == ("reader:worry=1.0", "thrifty", "lowest")
    table = ("thrifty", "reader:thrift=2")
    (_, second) = points(TIDE, "reader:worry=0,1", strategies=table)
    assert second.strategies == ("thrifty", "reader:worry=1.0,thrift=2.0")
    with pytest.raises(UsageError, match="for 5 players"):
        points(TIDE, "reader:worry=0,1", strategies=("thrifty", "lowest"), players=5)


def test_one_part_of_a_strategy_takes_the_other_parts_from_the_table() -> None:
    first, _ = points(SWITCH, "threshold:q=0.2,0.4")
    assert first.varied == "threshold:0.2/leader/deny"
    assert first.strategies[1:] == ("greedy/leader/deny:16",) * 3
    first, _ = points(SWITCH, "deny:k=8,9", strategies=("always/leader/hold",), players=2)
    assert first.strategies == ("always/leader/deny:8", "always/leader/hold")
    first, _ = points(SWITCH, "threshold:0.2,0.4/ahead/hold")
    assert first.varied == "threshold:0.2/ahead/hold"
    grid = points(SWITCH, "threshold:q=0.2,0.4", "deny:k=8,9")
    assert [p.varied for p in grid] == [
        f"threshold:{q}/leader/deny:{k}" for q in (0.2, 0.4) for k in (8, 9)
    ]
    assert [p.values for p in grid] == [(0.2, 8), (0.2, 9), (0.4, 8), (0.4, 9)]


def test_two_strategies_are_not_varied_at_once() -> None:
    with pytest.raises(UsageError, match="parameters of one strategy"):
        points(TIDE, "reader:worry=0,1", "thrifty:30,40")
    with pytest.raises(UsageError, match="varied twice"):
        points(TIDE, "bonus=0,1", "bonus=2,3")
    both = points(TIDE, "reader:worry=0,1", "reader:thrift=0,2")
    assert both[0].varied == "reader:worry=0.0,thrift=0.0"
    assert both[3].varied == "reader:worry=1.0,thrift=2.0"


def test_defaults_follow_what_is_varied() -> None:
    first, *_, last = points(SWITCH, "milestone=5..9")
    assert (first.rules["milestone_resume"], last.rules["milestone_resume"]) == (5, 9)
    two, *_, six = points(TIDE, "players=2..6")
    assert (two.rules["hand_size"], six.rules["hand_size"]) == (12, 10)
    assert two.strategies == ("random",) * 2


def test_contradictions_name_the_point() -> None:
    with pytest.raises(RulesError, match=r"^hands = 11 cannot be played: .*hand_size"):
        points(TIDE, "hands=9..12", rules={"hand_size": 10})
    with pytest.raises(UsageError, match="bonus is varied"):
        points(TIDE, "bonus=0..3", rules={"bonus": 1})
    with pytest.raises(UsageError, match="players is varied"):
        points(TIDE, "players=2..3", players=2)
    with pytest.raises(UsageError, match="one strategy is given for all seats"):
        points(TIDE, "players=2..3", strategies=("random", "lowest"))
    with pytest.raises(UsageError, match=f"at most {MOST_POINTS}"):
        points(TIDE, "reader:worry=0..10:0.5", "reader:thrift=0..10:0.5")
    with pytest.raises(UnknownName, match="known are"):
        points(TIDE, "zzzzzz=1..2")
