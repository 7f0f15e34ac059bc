"""The built-in strategies of Mermaid Beach: what they decide, and that they keep the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analyzer import specs
from analyzer.checks import check_strategy
from analyzer.contracts import BoundStrategy, Parameter
from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.games.mermaidbeach.game import GAME
from analyzer.games.mermaidbeach.state import (
    ASK,
    MEAN,
    MERFOLK,
    MONSTER,
    SEAWEED,
    STARFISH_LEFT,
    WAVE,
    View,
)
from analyzer.kernels.piles import pile_of
from analyzer.plugins import strategies
from analyzer.rules import settle
from analyzer.specs import bind
from analyzer.statistics.intervals import estimate, leave_one_out
from analyzer.statistics.seats import strategy_shares
from tests.shown import as_shown

ALL = strategies("mermaidbeach")
MINE = [name for name in ALL if name not in ("random", "greedy")]
Pile = Mapping[int, int]

TABLE_PARTS = {"sizes", "beach_deck", "shell_deck", "turn"}
HIDDEN_PARTS = {
    "shell": TABLE_PARTS | {"hand"},
    "seaweed": TABLE_PARTS | {"hand"},
    "pass": TABLE_PARTS | {"shells"},
}
"""What of the table is hidden where a target or a card to pass is wanted."""


def bound(spec: str, players: int = 4, **settings: Any) -> BoundStrategy:
    """A strategy ready to play under the printed rules but for some settings."""
    return bind("mermaidbeach", spec, settle(GAME, players, settings), players)


def position(
    hand: Pile,
    *,
    playable: Sequence[int] = (),
    sizes: Sequence[int] = (5, 5, 5, 5),
    shells: Sequence[Pile] = ({}, {}, {}, {}),
    shell_deck: int = 26,
    card: int = 0,
    gone: Pile | None = None,
    shells_gone: Pile | None = None,
    asked: Sequence[Sequence[int]] = ((), (), (), ()),
    lacks: Sequence[Sequence[int]] = ((), (), (), ()),
    passed: Sequence[Pile] = ({}, {}, {}, {}),
) -> View:
    """One column: a question put to a seat in a given position."""

    def piles(each: Sequence[Pile]) -> Any:
        return np.array([[pile_of(dict(pile))] for pile in each], np.uint64)

    def sets(each: Sequence[Sequence[int]]) -> Any:
        return piles([dict.fromkeys(kinds, 1) for kinds in each])

    return View(
        active=np.ones(1, np.uint8),
        hand=piles([hand])[0],
        playable=sets([playable])[0],
        sizes=np.array([[n] for n in sizes], np.uint8),
        shells=piles(shells),
        beach_deck=np.array([20], np.uint8),
        shell_deck=np.array([shell_deck], np.uint8),
        turn=np.array([9], np.uint16),
        card=np.array([card], np.uint8),
        beach_discard=piles([gone or {}])[0],
        shell_discard=piles([shells_gone or {}])[0],
        asked=sets(asked),
        lacks=sets(lacks),
        passed=piles(passed),
        players=len(sizes),
    )


def decide(strategy: BoundStrategy, decision: str, view: View) -> int:
    """The answer to one question, shown as the strategy declares that it sees it."""
    hidden = {"asked", "lacks", "passed"} - set(strategy.sees)
    hidden |= {"beach_discard", "shell_discard"} if "discards" not in strategy.sees else set()
    hidden |= {"playable"} if decision != "action" else set()
    hidden |= {"card"} if decision not in ("beach", "shell", "pass") else set()
    if "table" not in strategy.sees:
        hidden |= HIDDEN_PARTS.get(decision, set())
    out = np.zeros(1, np.uint8)
    shown = as_shown(view, frozenset(hidden))
    strategy.hooks[decision](shown, strategy.params[decision], None, out)
    return int(out[0])


def question(kind: int, opponent: int) -> int:
    return kind + 16 * opponent


# --- what they decide ----------------------------------------------------------------------------


def test_attentive_asks_whoever_asked_in_vain() -> None:
    view = position({2: 1, 6: 1}, sizes=(3, 5, 2, 7), asked=((), (), (6,), ()))
    assert decide(bound("attentive"), "ask", view) == question(6, 2)
    # What is known of kinds that are not in hand is of no use.
    other = view._replace(asked=view.asked * np.uint64(0))  # type: ignore[operator]
    assert decide(bound("attentive"), "ask", other) == question(2, 3)
    assert decide(bound("attentive-forgetful"), "ask", view) == question(2, 3)


def test_attentive_remembers_what_it_passed() -> None:
    view = position({2: 1, 6: 1}, passed=({}, {6: 1}, {}, {}))
    assert decide(bound("attentive"), "ask", view) == question(6, 1)


def test_attentive_asks_nobody_for_what_they_lack() -> None:
    view = position({2: 1}, sizes=(1, 6, 6, 5), lacks=((), (2,), (2,), ()))
    assert decide(bound("attentive"), "ask", view) == question(2, 3)


def test_attentive_counts_the_copies_that_are_left() -> None:
    """Two of kind 2 are gone and none of kind 6: the latter is likelier with anybody."""
    for name in ("attentive", "attentive-forgetful"):
        view = position({2: 1, 6: 1}, gone={2: 2})
        assert decide(bound(name), "ask", view) == question(6, 1)
        # As likely everywhere: the largest hand, then the nearest.
        assert decide(bound(name), "ask", position({2: 1}, sizes=(1, 4, 6, 6))) == question(2, 2)


def test_attentive_takes_what_it_knows_out_of_its_count() -> None:
    # One copy of kind 2 is known to be with the next player: fewer are left for the others.
    view = position({2: 1, 6: 1}, asked=((), (2,), (), ()))
    assert decide(bound("attentive:0.0"), "ask", view) == question(6, 1)
    # Two players lack kind 6: the copies are likelier to be with the third.
    view = position({2: 1, 6: 1}, lacks=((), (6,), (6,), ()))
    assert decide(bound("attentive"), "ask", view) == question(6, 3)
    # What a player asked for later counts more than that they lacked it before.
    view = position({2: 1, 6: 1}, asked=((), (), (6,), ()), lacks=((), (), (6,), ()))
    assert decide(bound("attentive"), "ask", view) == question(6, 2)


@pytest.mark.parametrize(
    ("hand", "mine", "playable", "action"),
    [
        # Clearly ahead, with two cards left: what surely leaves the hand comes first.
        ({3: 1, SEAWEED: 1}, {4: 3}, (ASK, SEAWEED), SEAWEED),
        ({3: 1, SEAWEED: 1}, {}, (ASK, SEAWEED), ASK),
        ({3: 1, 5: 1, SEAWEED: 1}, {4: 3}, (ASK, SEAWEED), ASK),
        ({3: 1, 5: 1, WAVE: 1}, {4: 3}, (ASK, WAVE), WAVE),
        ({3: 1, 5: 1, WAVE: 1}, {}, (ASK, WAVE), ASK),
        # The monster in hand will eat what it leads by.
        ({MONSTER: 1, SEAWEED: 1, 3: 1}, {4: 3}, (ASK, SEAWEED), ASK),
        ({3: 2, SEAWEED: 1}, {4: 3}, (3, SEAWEED), 3),
        ({MERFOLK: 1, SEAWEED: 1}, {4: 3}, (MERFOLK, SEAWEED), MERFOLK),
    ],
)
def test_racing_hurries_exactly_when_clearly_ahead(
    hand: Pile, mine: Pile, playable: tuple[int, ...], action: int
) -> None:
    view = position(hand, playable=playable, shells=(mine, {2: 1}, {1: 2}, {3: 1}))
    assert decide(bound("racing"), "action", view) == action


@pytest.mark.parametrize(
    ("hand", "card", "mine", "plays"),
    [
        ({3: 2}, 3, {}, 0),  # the pair would be the whole hand, and it is behind
        ({3: 2}, 3, {4: 3}, 1),
        ({3: 3}, 3, {}, 1),
        ({SEAWEED: 1}, SEAWEED, {}, 0),
        ({SEAWEED: 1, 2: 1}, SEAWEED, {}, 1),
    ],
)
@pytest.mark.parametrize("name", ["racing", "shrewd"])
def test_racing_ends_no_game_that_it_is_losing(
    name: str, hand: Pile, card: int, mine: Pile, plays: int
) -> None:
    view = position(hand, card=card, shells=(mine, {2: 1}, {1: 2}, {3: 1}))
    assert decide(bound(name), "beach", view) == plays


def test_wary_aims_at_the_leader() -> None:
    """The highest shell lies before somebody else."""
    shells: tuple[Pile, ...] = ({4: 4}, {4: 1}, {3: 3, 1: 1}, {2: 1})
    for name in ("wary", "shrewd"):
        assert decide(bound(name), "shell", position({}, shells=shells, card=MEAN)) == 3 + 32
    assert decide(bound("wary:0"), "shell", position({}, shells=shells, card=MEAN)) == 4 + 16
    # Whoever has no shell cannot be aimed at.
    assert decide(bound("wary"), "shell", position({}, shells=({}, {}, {}, {1: 1}))) == 1 + 48


def test_wary_looks_for_a_starfish_while_it_holds_the_monster() -> None:
    playable = (ASK, WAVE)
    hand = {3: 1, WAVE: 1}
    assert decide(bound("wary"), "action", position(hand, playable=playable)) == WAVE
    haunted = position({**hand, MONSTER: 1}, playable=playable)
    assert decide(bound("wary"), "action", haunted) == ASK
    assert decide(bound("greedy"), "action", haunted) == WAVE


@pytest.mark.parametrize(
    ("deck", "gone", "action"),
    [(26, {}, 3), (12, {STARFISH_LEFT: 1}, WAVE), (12, {STARFISH_LEFT: 3}, 3), (5, {}, WAVE)],
)
def test_patient_keeps_pairs_back_while_starfish_threaten(
    deck: int, gone: Pile, action: int
) -> None:
    view = position({3: 2, WAVE: 1}, playable=(3, WAVE), shell_deck=deck, shells_gone=gone)
    assert decide(bound("patient"), "action", view) == action
    nothing_else = view._replace(playable=np.array([pile_of({3: 1, MERFOLK: 1})], np.uint64))
    assert decide(bound("patient"), "action", nothing_else) == MERFOLK


# --- the contract --------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("name", MINE)
def test_keeps_every_promise_of_the_contract(name: str) -> None:
    broken = [finding for finding in check_strategy("mermaidbeach", name) if not finding.passed]
    assert not broken


@pytest.mark.parametrize("name", MINE)
@pytest.mark.parametrize(
    ("players", "settings"),
    [
        (2, {}),
        (5, {"young": True}),
        (3, {"ask_freely": True, "monsters": 3, "item_kinds": 2}),
        (4, {"play_at_beach": False, "starfish_left": 0, "starfish_right": 15}),
        (3, {"item_kinds": 1, "item_copies": 15, "shells": {"13": 3}, "hand_size": 9}),
    ],
)
def test_plays_legally_under_odd_rules(name: str, players: int, settings: dict[str, Any]) -> None:
    rules = settle(GAME, players, settings)
    table = (name,) * (players - 1) + ("random",)
    result = run(Experiment("mermaidbeach", table, rules, 600, 3))
    assert result.games == 600


# --- how strong they are -------------------------------------------------------------------------


def win_shares(strategy: str, rivals: Sequence[str], games: int = 20_480, seed: int = 11) -> Any:
    """(1 + blocks, places in the table) win shares of one copy of each strategy, seats changing."""
    table = (strategy, *rivals)
    experiment = Experiment("mermaidbeach", table, settle(GAME, 4, {}), games, seed, rotate=True)
    totals = leave_one_out(run(experiment).sums, ("games", "wins"))
    return strategy_shares(totals, experiment)[:, [experiment.holders.index(s) for s in table]]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "rival"), [(name, rival) for name in MINE for rival in ALL[name].claims]
)
def test_claims_hold(name: str, rival: str) -> None:
    assert win_shares(name, [rival] * 3)[0, 0] >= ALL[name].claims[rival]


@pytest.mark.parametrize("name", MINE)
def test_every_strategy_claims_something_of_both_yardsticks(name: str) -> None:
    assert set(ALL[name].claims) == {"random", "greedy"}


def test_remembering_questions_pays_at_one_table() -> None:
    names = ["attentive", "attentive-forgetful", "attentive", "attentive-forgetful"]
    shares = win_shares(names[0], names[1:])
    gain = estimate(shares[:, 0] - shares[:, 1])
    assert gain.low is not None and gain.low > 0


def test_one_decision_can_be_replaced_and_the_rest_inherited(monkeypatch: Any) -> None:
    """A plugin that asks in its own way and does everything else as `greedy` does."""

    def ask_the_next(view: View, params: Any, words: Any, out: Any) -> None:
        (offset,) = params
        assert view.hand is not None
        kinds = view.hand & np.uint64(0x00000FFFFFFFFFFF)
        lowest = kinds & (~kinds + np.uint64(1))
        kind = np.bitwise_count(lowest - np.uint64(1)) // np.uint8(4)
        out[:] = np.minimum(kind, 10) + 16 * offset

    mine = replace(
        ALL["greedy"],
        name="neighborly",
        hooks={**ALL["greedy"].hooks, "ask": ask_the_next},
        parameters=(Parameter("offset", "int", 1, "whom it asks", 1, 3),),
    )
    monkeypatch.setattr(specs, "strategies", lambda game: {**ALL, mine.name: mine})
    broken = [f for f in check_strategy("mermaidbeach", "neighborly") if not f.passed]
    assert not broken
    ours, theirs = bound("neighborly"), bound("greedy")
    assert {name for name in ours.hooks if ours.hooks[name] is not theirs.hooks[name]} == {"ask"}
