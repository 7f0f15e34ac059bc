"""The numbering of states, against decks handled card by card."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from analyzer.errors import RulesError
from analyzer.games.switch16.exact.states import Setup
from analyzer.games.switch16.rules import SETTINGS

SETUPS = [
    Setup(),
    Setup(milestone_resume=9),
    Setup(players=3, cards=6, milestone=3, milestone_resume=4),
    Setup(players=2, cards=4, milestone=4, milestone_resume=4),
    Setup(players=2, cards=4, milestone=4, milestone_resume=5),
    Setup(players=4, cards=3, milestone=1, milestone_resume=1, dice=((1, 2),)),
]


def decks(setup: Setup) -> list[tuple[int, bool]]:
    """Every deck that a game can meet, by clearing cards and busting in all ways."""
    found = [(1, False)]
    for top, protected in found:
        follow = [(top + 1, protected or top == setup.milestone)] if top < setup.cards else []
        follow.append((setup.milestone_resume, True) if protected else (1, False))
        found += [deck for deck in follow if deck not in found]
    return found


@pytest.mark.parametrize("setup", SETUPS)
def test_codes_name_every_deck_once(setup: Setup) -> None:
    """Codes, tops and protections agree, and clearing and busting lead where they should."""
    tops, protections, steps = setup.tops(), setup.protections(), setup.steps()
    codes = {deck: setup.code(*deck) for deck in decks(setup)}
    assert len(set(codes.values())) == len(codes)
    for (top, protected), code in codes.items():
        assert 0 <= code < setup.decks
        assert (tops[code], protections[code]) == (top, protected)
        back = (setup.milestone_resume, True) if protected else (1, False)
        assert setup.busts()[code] == codes[back]
        now, safe = top, protected
        for gone in range(1, setup.cards + 1):
            safe = safe or now == setup.milestone
            now += 1
            if now > setup.cards:
                assert steps[code, gone] == -1
                break
            assert steps[code, gone] == codes[now, safe] > code


@pytest.mark.parametrize("setup", SETUPS)
def test_digits_are_the_position_number(setup: Setup) -> None:
    """Row 0 is the leading digit."""
    digits = setup.digits()
    some = itertools.islice(
        enumerate(itertools.product(range(setup.decks), repeat=setup.players)), 0, None, 7
    )
    for number, codes in some:
        assert tuple(digits[:, number]) == codes


def test_chances_are_those_of_the_top_card() -> None:
    """Rows sum to one, whatever the protection."""
    setup = Setup()
    chances = setup.chances()
    assert np.allclose(chances.sum(axis=1), 1, atol=1e-15)
    assert np.array_equal(chances[setup.code(8, False)], chances[setup.code(8, True)])


def test_rules_come_and_go() -> None:
    """Settings in the shape of a rules file survive the way there and back."""
    for setup in SETUPS:
        assert Setup.from_rules(setup.as_rules(), setup.players) == setup
    assert Setup.from_rules({}, 2) == Setup()
    assert Setup.from_rules({"milestone": 5}, 2).milestone_resume == 5
    partly = Setup.from_rules({"switch_die": {"blank": 2, "green": 2}}, 3)
    assert partly.switch_die == (2, 2, 1, 1)


def test_a_milestone_beyond_the_last_card_protects_nothing() -> None:
    """Rules allow short decks with the usual milestone; no deck of theirs is ever protected."""
    for cards in (1, 4, 7):
        setup = Setup.from_rules({"cards": cards, "milestone": 8, "milestone_resume": 8}, 2)
        assert setup.decks == cards
        assert not setup.protections().any()
        assert not setup.busts().any()
        assert Setup.from_rules(setup.as_rules(), 2) == setup
    assert Setup.from_rules({"cards": 4}, 2) == Setup(cards=4, milestone=4, milestone_resume=5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"players": 5},
        {"dice": ((2, 3),)},
        {"dice": ((1, 3), (1, 4))},
        {"dice": ((1, 0),)},
        {"milestone": 17},
        {"milestone": 0, "milestone_resume": 1},
        {"milestone_resume": 10},
        {"switch_die": (0, 0, 0, 0)},
        {"switch_die": (4, -1, 1, 1)},
    ],
)
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    """Settings without a meaning are named in the error."""
    with pytest.raises(RulesError, match=next(iter(wrong))):
        Setup(**wrong)  # type: ignore[arg-type]


HONORED: dict[str, object] = {
    "cards": 12,
    "dice": {"1": 2},
    "faces": 8,
    "switch_die": {"blank": 2},
    "milestone": 5,
    "milestone_resume": 9,
    "first_player": "seat1",
}
"""Settings that are modeled, each with another value than its own."""
REFUSED: dict[str, object] = {"match_points": 100, "max_turns": 500}
"""Settings that are not."""


def test_each_setting_is_honored_or_refused() -> None:
    """A setting that comes to the rules has to be added to one of the lists."""
    assert {setting.key for setting in SETTINGS} == {*HONORED, *REFUSED}


@pytest.mark.parametrize("name", HONORED)
def test_a_setting_is_honored(name: str) -> None:
    """What is asked for is what is solved."""
    setup = Setup.from_rules({name: HONORED[name]}, 2)
    assert getattr(setup, name) != getattr(Setup(), name)


@pytest.mark.parametrize("name", [*REFUSED, "jokers"])
def test_a_setting_that_is_not_modeled_is_refused(name: str) -> None:
    """The error names it; its own value does no harm."""
    with pytest.raises(RulesError, match=f"^{name} = "):
        Setup.from_rules({name: REFUSED.get(name, 1)}, 2)
    usual = {setting.key: setting.default for setting in SETTINGS}
    assert Setup.from_rules(usual, 2) == Setup.from_rules({**usual, "max_turns": 9999}, 2)
