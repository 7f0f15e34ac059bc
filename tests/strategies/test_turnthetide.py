"""The built-in strategies of Turn the Tide: what they play, and that they play by the contract."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analyzer.contracts import WHOLE_WIN
from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.games.turnthetide.game import GAME
from analyzer.plugins import strategies
from analyzer.rules import settle
from tests.strategies.questions import ask, ask_about, bound, cards_of, play, position

ALL = strategies("turnthetide")
TWINS = ("counting", "reader")
QUICK = [name for name in ALL if not ALL[name].expensive]
CHEAP = {"lookahead": "lookahead:8"}
"""Specs under which dear strategies are tested where strength does not matter."""

CARDS = (3, 9, 14, 22, 37, 41, 50, 58)


# --- what they play ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count", "card"),
    [
        ("lowest", 8, 3),
        ("highest", 8, 58),
        ("middle", 8, 22),  # index floor((8 - 1) / 2) = 3
        ("middle", 7, 22),
        ("middle", 2, 3),
        ("middle", 1, 3),
    ],
)
def test_plain_ones_play_their_place(name: str, count: int, card: int) -> None:
    assert ask(bound(name), position(CARDS[:count])) == card


@pytest.mark.parametrize(
    ("shown", "card"),
    [
        ((0, 0, 0, 0), 3),  # nobody drowns at the start
        ((7, 7, 2, 0), 58),  # level with the highest is drowning too
        ((7, 8, 2, 0), 3),
        ((1, 0, 0, 0), 58),
    ],
)
def test_reactive_bids_exactly_when_drowning(shown: tuple[int, ...], card: int) -> None:
    assert ask(bound("reactive"), position(CARDS, shown=shown)) == card


@pytest.mark.parametrize(
    ("shown", "high", "card"),
    [
        ((7, 8, 2, 0), 8, 3),  # the high tide would make it worse: duck
        ((7, 8, 2, 0), 7, 50),  # no worse: the lowest card from 45 up
        ((0, 8, 2, 0), 1, 3),  # nothing to shed
        ((9, 8, 2, 0), 12, 58),  # drowning
    ],
)
def test_thrifty_sheds_cheaply(shown: tuple[int, ...], high: int, card: int) -> None:
    assert ask(bound("thrifty"), position(CARDS, shown=shown, high=high)) == card


def test_thrifty_without_a_sufficient_card_bids_the_highest() -> None:
    view = position(CARDS[:4], shown=(7, 8, 2, 0), high=5)
    assert ask(bound("thrifty"), view) == 22
    assert [ask(bound(f"thrifty:{enough}"), view)[0] for enough in (9, 10, 14, 15)] == [
        9,
        14,
        14,
        22,
    ]


def test_random_plays_every_card_alike() -> None:
    view = position(CARDS)
    step = 2**64 // 8000
    words = np.arange(8000, dtype=np.uint64) * np.uint64(step) + np.uint64(step // 2)
    wide = view._replace(
        **{
            name: np.repeat(value, words.size, axis=-1)
            for name, value in view._asdict().items()
            if isinstance(value, np.ndarray)
        }
    )
    found = ask(bound("random"), wide, words)
    assert {int(c): int((found == c).sum()) for c in CARDS} == dict.fromkeys(CARDS, 1000)


KNOWN_HANDS = ((), (2, 30, 40), (6, 33, 44), (20, 35, 59))
"""Rivals who may duck with 2, 6 and 20 or bid 40, 44 and 59; the last one drowns."""


@pytest.mark.long
@pytest.mark.parametrize("name", ["counting", "reader", "lookahead"])
@pytest.mark.parametrize(
    ("mine", "low", "high", "good"),
    [
        # The third rival will bid 59, the others duck with 2 and 6: below 6 nothing is taken.
        ((1, 5, 15), 10, 11, {1, 5}),
        # All I can do is to take the high tide, which drowns me, or to overbid, which does not.
        ((10, 17, 60), 4, 11, {60}),
    ],
)
def test_thinkers_use_the_hands_they_know(
    name: str, mine: tuple[int, ...], low: int, high: int, good: set[int]
) -> None:
    view = position(mine, shown=(3, 5, 5, 9), low=low, high=high, known=KNOWN_HANDS)
    assert int(ask(bound(f"{name}:doubt=0.0"), view)[0]) in good


def test_counting_spares_extreme_cards() -> None:
    """Of two cards that do equally well it plays the one further inside."""
    view = position((1, 5, 15), shown=(3, 5, 5, 9), low=10, high=11, known=KNOWN_HANDS)
    assert ask(bound("counting:0.0"), view) == 5
    known = (*KNOWN_HANDS[:3], (20, 35, 49))
    view = position((50, 55, 60), shown=(3, 5, 5, 9), low=4, high=11, known=known)
    assert ask(bound("counting:0.0"), view) == 50


@pytest.mark.parametrize("name", ["counting", "reader", "lookahead"])
def test_thinkers_take_the_last_bonus(name: str) -> None:
    """In the last hand nobody else can beat 60, and the low tide of 1 is the lowest."""
    shown = (5, 6, 7, 8)
    assert ask(bound(name), position((1, 60), shown=shown, low=1, high=2, hand=11)) == 60
    # Now the tides on offer are worse than what I show, which is the lowest.
    shown = (5, 6, 7, 12)
    assert ask(bound(name), position((1, 60), shown=shown, low=9, high=10, hand=11)) == 1


@pytest.mark.parametrize(("leader", "card"), [(1, 1), (3, 60)])
def test_lookahead_makes_the_leader_pay(leader: int, card: int) -> None:
    """The last hand: I pay nothing either way, but choose who does.

    With 1 I leave the low tide to rival 3, and the high one, which drowns, to rival 1. With 60 I
    take the low tide and rival 3 gets the high one. The bonus is rival 2's.
    """
    scores = [5, 0, 0, 0]
    scores[leader] = 5
    lives = [1, 1, 1, 1]
    lives[leader] = 2
    view = position(
        (1, 60), shown=(3, 4, 1, 9), low=10, high=11, known=((), (50, 51), (2, 3), (58, 59)),
        scores=scores, lives=lives, turn=3, hand=11,
    )  # fmt: skip
    assert ask(bound("lookahead"), view) == card


# --- by the contract -----------------------------------------------------------------------------

ODD_TABLES = [
    (2, {}),
    (3, {"hand_size": 20, "hands": 12}),
    (3, {"end_at": 0, "allocation": "none"}),
    (4, {"tide_max": 30, "bonus": 0, "rounds": 1}),
    (5, {"hands": 3, "eliminated_may_take_bonus": True}),
    (6, {}),
    (6, {"hand_size": 1, "hands": 1, "tide_max": 1, "rounds": 2}),
]


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("players", "settings"), ODD_TABLES)
def test_plays_legally_under_odd_rules(name: str, players: int, settings: dict[str, Any]) -> None:
    lineup = [CHEAP.get(name, name)] + [("reactive", "random")[d % 2] for d in range(players - 1)]
    asked, outcome = play(lineup, 64, **settings)
    assert (outcome.wins.sum(axis=0) == WHOLE_WIN).all()
    for question in asked:
        for column, card in enumerate(question.answer):
            assert card in cards_of(question.view.cards[column])


@pytest.mark.parametrize("name", ALL)
def test_keeps_no_state(name: str) -> None:
    strategy = bound(CHEAP.get(name, name))
    asked, _ = play([CHEAP.get(name, name), "random", "reactive", "highest"], 64)
    for question in asked[::9]:
        size = question.answer.size
        for columns in (np.arange(size), np.arange(size)[::-1], np.arange(0, size, 3)):
            view = question.view._replace(
                **{
                    key: np.ascontiguousarray(value[..., columns])
                    for key, value in question.view._asdict().items()
                    if isinstance(value, np.ndarray)
                }
            )
            words = None if question.words is None else question.words[columns]
            assert np.array_equal(ask(strategy, view, words), question.answer[columns])


@pytest.mark.parametrize("name", TWINS)
def test_the_forgetful_twin_cannot_see_remembered_hands(name: str) -> None:
    twin = f"{name}-forgetful"
    assert set(ALL[twin].sees) == {"played"}
    assert ALL[twin].parameters == ALL[name].parameters
    asked, _ = play([twin, "reactive", "reactive", "reactive"], 64)
    assert all(question.view.known is None for question in asked)
    # Whatever is put there makes no difference.
    for question in asked[::9]:
        known = np.full_like(question.view.played, 1 << 17)
        answer = ask_about(bound(twin), question.view._replace(known=known))
        assert np.array_equal(answer, question.answer)


@pytest.mark.parametrize("name", TWINS)
def test_twins_part_only_where_there_is_something_to_remember(name: str) -> None:
    asked, _ = play([name, "reactive", "random", "thrifty"], 64)
    same: dict[int, list[bool]] = {}
    for question in asked:
        answer = ask(bound(f"{name}-forgetful"), question.view)
        same.setdefault(question.view.round, []).append(np.array_equal(answer, question.answer))
    assert all(same[0])
    assert not any(all(same[turn]) for turn in (1, 2, 3))


def test_lookahead_draws_its_chance_from_its_words() -> None:
    asked, _ = play(["lookahead:8", "random", "reactive", "thrifty"], 32)
    question = asked[3]
    again = ask(bound("lookahead:8"), question.view, question.words + np.uint64(1))
    assert not np.array_equal(again, question.answer)
    for column, card in enumerate(question.answer):
        assert card in cards_of(question.view.cards[column])


# --- as strong as they claim ---------------------------------------------------------------------


def win_share(spec: str, rival: str, games: int) -> float:
    rules = settle(GAME, 4, {})
    experiment = Experiment(GAME.name, (spec, rival, rival, rival), rules, games, 77, rotate=True)
    wins = run(experiment).sums["wins"][experiment.holders.index(spec)]
    return float(wins.sum()) / (WHOLE_WIN * experiment.strategies.count(spec) * games)


@pytest.mark.parametrize(
    ("name", "rival"), [(name, rival) for name in QUICK for rival in ALL[name].claims]
)
def test_claims_hold(name: str, rival: str) -> None:
    assert win_share(name, rival, 2048) >= ALL[name].claims[rival]


@pytest.mark.slow
@pytest.mark.parametrize("rival", ALL["lookahead"].claims)
def test_claims_of_lookahead_hold(rival: str) -> None:
    assert win_share("lookahead", rival, 160) >= ALL["lookahead"].claims[rival]


def test_every_thinking_strategy_claims_to_beat_the_plain_ones() -> None:
    plain = {"random", "lowest", "highest", "middle", "reactive"}
    for name in QUICK:
        if name not in plain:
            claims = ALL[name].claims
            assert plain <= set(claims)
            assert all(bound > 0.25 for bound in claims.values())
