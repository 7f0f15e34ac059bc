"""The reckoning inside the thinking strategies, against plain enumeration and the game itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import combinations
from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest

from analyzer.engine.runner import replay
from analyzer.experiment import Experiment
from analyzer.games.turnthetide.game import GAME
from analyzer.rules import settle
from analyzer_strategies import turnthetide as thinking
from tests.strategies.questions import card_set, cards_of, play, position

TABLE = thinking._ways_table()
DOUBT = 0.3


def bits(cards: Any) -> np.uint64:
    return np.uint64(card_set(cards))


# --- what rivals are expected to play ------------------------------------------------------------


def habits_that_fit(left: set[int], played: set[int], bids: int, reads: bool) -> list[float]:
    """The chance that each habit has led from all these cards to the ones left; loose last."""
    everything = sorted(left | played)
    bids = min(max(bids, 0), len(played))
    ducked = len(played) - bids
    reacted = {*everything[:ducked], *everything[len(everything) - bids :]}
    strict = [
        played == set(everything[: len(played)]),
        played == set(everything[len(everything) - len(played) :]),
        played == reacted,
    ]
    return [float(reads and fits) for fits in strict] + [1 / comb(len(everything), len(played))]


def enumerated(
    known: set[int], pool: set[int], n: int, played: set[int], bids: int, reads: bool,
    drowning: bool, mine: set[int],
) -> tuple[dict[int, float], list[float]]:  # fmt: skip
    """Chance to be above each of my cards and odds of the habits, over every possible hand."""
    odds = [0.0] * 4
    above = dict.fromkeys(mine, 0.0)
    for draws in combinations(sorted(pool), n - len(known)):
        hand = known | set(draws)
        weights = habits_that_fit(hand, played, bids, reads)
        odds = [total + weight for total, weight in zip(odds, weights, strict=True)]
        bid = max(hand) if drowning else min(hand)
        for card in mine:
            any_card = sum(c > card for c in hand) / n
            above[card] += weights[0] * (min(hand) > card)
            above[card] += weights[1] * (max(hand) > card)
            above[card] += weights[2] * (bid > card)
            above[card] += weights[3] * ((1 - DOUBT) * (bid > card) + DOUBT * any_card)
    return {card: x / sum(odds) for card, x in above.items()}, odds


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("drowning", [False, True])
def test_expectations_are_those_of_all_hands_that_fit(reads: bool, drowning: bool) -> None:
    chance = Random(4)
    strict_cases = 0
    for _ in range(60):
        cards = chance.sample(range(1, 61), 14)
        mine, rest = set(cards[:4]), sorted(cards[4:])
        n = chance.randint(1, 4)
        if chance.random() < 0.5:  # played from the ends, as the strict do
            ends = chance.randint(0, 2)
            played = {*rest[:ends], *rest[len(rest) - chance.randint(0, 1) :]}
        else:
            played = set(chance.sample(rest, chance.randint(0, 3)))
        unplayed = [card for card in rest if card not in played]
        known = set(chance.sample(unplayed, chance.randint(0, n)))
        pool = set(unplayed) - known
        bids = chance.randint(-1, 2)
        expected, odds = enumerated(known, pool, n, played, bids, reads, drowning, mine)

        ways = np.zeros(4)
        where = np.zeros(4, np.uint64)
        above = np.zeros(61)
        thinking._weigh_habits(
            n, bits(known), bits(pool), bits(played), bids, reads, TABLE, ways, where
        )
        thinking._expect(
            n, bits(known), bits(pool), drowning, DOUBT, TABLE, ways, where, bits(mine), above
        )
        assert ways == pytest.approx(odds)
        assert {card: above[card] for card in mine} == pytest.approx(expected)
        assert above[0] == pytest.approx(sum(expected.values()))
        strict_cases += sum(odds[:3]) > 0
    assert strict_cases > 10 or not reads


# --- what a hand is worth ------------------------------------------------------------------------


def plain_hand_value(
    tides: list[int], taken: tuple[int, int], over: list[int], last_bonus: float, two_highest: bool
) -> float:
    """Points for player 0 if the rivals ``over``, strongest first, play above, others below."""
    tides = list(tides)
    order = [*over, 0, *(d for d in range(1, len(tides)) if d not in over)]
    tides[order[0]] = taken[0]
    if len(order) > 1:
        tides[order[1]] = taken[1]
    levels = sorted(set(tides), reverse=True)
    pays = tides[0] == levels[0]
    if two_highest and tides.count(levels[0]) == 1 and len(levels) > 1:
        pays |= tides[0] == levels[1] > 0
    return -float(pays) + last_bonus * (tides[0] == levels[-1])


@pytest.mark.parametrize("two_highest", [False, True])
def test_hand_values_follow_the_rules(two_highest: bool) -> None:
    chance = Random(8)
    for _ in range(200):
        rivals = chance.randint(1, 5)
        tides = [chance.randint(0, 12) for _ in range(rivals + 1)]
        low, high = sorted(chance.sample(range(1, 13), 2))
        order = np.array(chance.sample(range(1, rivals + 1), rivals), np.int64)
        values = np.zeros(1 << rivals)
        thinking._hand_values(
            np.array(tides), low, high, rivals, order, 0.25, 2.0, two_highest, values
        )
        for over in range(1 << rivals):
            who = [int(order[i]) for i in range(rivals) if over >> i & 1]
            below = [int(d) for d in order if d not in who]
            if not who:  # the strongest of those below me takes the high tide
                relabeled = [*tides]
                relabeled[below[0]] = high
                relabeled[0] = low
                levels = sorted(set(relabeled), reverse=True)
                pays = relabeled[0] == levels[0]
                if two_highest and relabeled.count(levels[0]) == 1 and len(levels) > 1:
                    pays |= relabeled[0] == levels[1] > 0
                value = -float(pays) + 2.0 * (relabeled[0] == levels[-1])
            else:
                value = plain_hand_value(tides, (low, high), who, 2.0, two_highest)
            shows = (low, high)[len(who)] if len(who) < 2 else tides[0]
            assert values[over] == pytest.approx(value - 0.25 * shows)


def test_averages_weigh_every_set_of_rivals() -> None:
    chance = np.random.default_rng(3)
    for rivals in range(1, 6):
        values = chance.random(1 << rivals)
        above = chance.random((6, 61))
        order = np.array([3, 1, 5, 2, 4][:rivals])
        expected = 0.0
        for over in range(1 << rivals):
            probability = 1.0
            for i in range(rivals):
                p = above[order[i], 17]
                probability *= p if over >> i & 1 else 1 - p
            expected += probability * values[over]
        found = thinking._average(values, rivals, order, above, 17, np.zeros(1 << rivals))
        assert found == pytest.approx(expected)


# --- playing on in the mind ----------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "settings"),
    [(2, {}), (3, {"allocation": "none", "end_at": 1}), (4, {"eliminated_may_take_bonus": True}),
     (6, {}), (6, {"allocation": "flat:1"})],
)  # fmt: skip
def test_imagined_hands_and_scores_are_those_of_the_game(
    players: int, settings: dict[str, Any]
) -> None:
    rules = settle(GAME, players, settings)
    lineup = ("random",) * players
    experiment = Experiment("turnthetide", lineup, rules, 8, 6)
    tides, lives, alive = (np.zeros(players, np.int64) for _ in range(3))
    scores = np.zeros(players, np.int64)
    before = scores.copy()
    choice = np.zeros(players, np.int64)
    seen = {"hand": 0, "fatal": 0}

    def watch(event: str, facts: Mapping[str, Any]) -> None:
        if event == "round":
            tides[:] = 0
            alive[:] = 1
            lives[:] = facts["lives"]
            before[:] = scores
        elif event == "cards":
            choice[:] = [card or 0 for card in facts["cards"]]
            two_highest = rules["drowning"] == "two-highest"
            living = thinking._imagined_hand(
                choice, facts["low"], facts["high"], two_highest, tides, lives, alive
            )
            assert living == alive.sum()
        elif event == "hand":
            assert tides.tolist() == list(facts["shown"])
            assert lives.tolist() == list(facts["lives"])
            assert [bool(x) for x in alive] == [bool(x) for x in facts["alive"]]
            seen["hand"] += 1
            seen["fatal"] += not all(facts["alive"])
        elif event == "score":
            scores[:] = facts["scores"]

    for game in range(8):
        scores[:] = 0
        outcome = replay(experiment, game, watch)
        share = thinking._imagined_share(
            before, 0, rules["bonus"], rules["eliminated_may_take_bonus"], 1.5,
            tides, lives, alive, np.zeros(players, np.int64),
        )  # fmt: skip
        assert share == pytest.approx(outcome.wins[0, 0] / 60)
    assert seen["hand"] > 40
    assert seen["fatal"] > 0


@pytest.mark.parametrize(("end_at", "left"), [(2, 2), (1, 0)])
def test_imagined_rounds_end_as_soon_as_the_rules_say(end_at: int, left: int) -> None:
    """Rival 1, who has no preserver, takes the high tide at once and is out."""
    cards = np.array([bits({1, 2, 3}), bits({40, 41, 42}), bits({50, 51, 52})])
    tides, lives, alive = np.zeros(3, np.int64), np.array([5, 0, 5]), np.ones(3, np.int64)
    habits = np.array([thinking.LOOSE, thinking.DUCKS, thinking.DUCKS])
    scratch = np.zeros((2, 3), np.int64)
    thinking._play_on(
        1, 3, 0, np.array([2, 3, 4]), np.array([9, 5, 6]), habits, np.uint64(7), 0, 0.1, 0.1,
        False, end_at, cards, scratch[0], scratch[1], tides, lives, alive,
    )  # fmt: skip
    assert alive.tolist() == [1, 0, 1]
    assert [len(cards_of(hand)) for hand in cards] == [left, 2, left]


def test_earlier_rounds_count_by_how_far_ahead_i_am() -> None:
    tides = np.array([3, 4])
    alive = np.ones(2, np.int64)
    arguments = (tides, np.array([2, 2]), alive, np.zeros(2, np.int64))
    share = thinking._imagined_share(np.array([4, 4]), 4, 1, False, 1.5, *arguments)
    assert share == pytest.approx(np.exp(1 / 3) / (1 + np.exp(1 / 3)))  # one point ahead of 1.5 * 2


def test_the_imagined_deck_is_what_is_not_on_show() -> None:
    view = position((1, 2), shown=(0, 5, 5, 9), low=3, high=12)
    deck = np.zeros(24, np.int64)
    size = thinking._unseen_tides(view, 0, deck)
    expected = sorted([*range(1, 13)] * 2)
    for tide in (5, 5, 9, 3, 12):
        expected.remove(tide)
    assert deck[:size].tolist() == expected


def test_sampled_rivals_agree_with_what_is_known() -> None:
    """Hands hold the known cards, have the right size and do not overlap; ducking ones lie high."""
    known, pool = {7, 30}, set(range(8, 60, 3)) - {30}
    ways, where = np.zeros((3, 4)), np.zeros((3, 4), np.uint64)
    thinking._weigh_habits(
        5, bits(known), bits(pool), bits({2, 5}), 0, True, TABLE, ways[1], where[1]
    )
    hands, habits = np.zeros(3, np.uint64), np.zeros(3, np.int64)
    drawn = set()
    for word in range(400):
        thinking._sample_rival(
            1, 5, bits(known), bits(pool), 0.5, ways, where, np.uint64(word * 977), 0, hands, habits
        )
        hand = set(cards_of(hands[1]))
        assert known < hand <= known | pool
        assert len(hand) == 5
        drawn.add(int(habits[1]))
    # After 2 and 5 of a hand whose lowest card is 7, nobody can have bid always.
    assert drawn == {thinking.DUCKS, thinking.REACTS, thinking.LOOSE, thinking.ANY}


@pytest.mark.parametrize(
    ("hand", "card"), [({30, 31}, 30), ({29, 33}, 29), ({2, 59}, 2), ({2, 58}, 58), ({5}, 5)]
)
def test_the_middling_card(hand: set[int], card: int) -> None:
    middle = min(hand, key=lambda c: (abs(c - 30), -c))
    assert thinking._middling(bits(hand)) == card == middle
    assert thinking._middling(np.uint64(0)) == 0


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_the_better_half_stays(count: int) -> None:
    value = np.random.default_rng(count).random(61)
    cards = list(range(3, 3 + 7 * count, 7))
    best = sorted(cards, key=lambda c: -value[c])[: (count + 1) // 2]
    assert cards_of(thinking._better_half(bits(cards), value)) == sorted(best)


def test_imagined_players_reply_to_what_they_expect() -> None:
    tides = np.array([9, 2, 3, 4])
    expected = np.array([60, 3, 10, 50])
    reply = thinking._imagined_reply
    # I drown under 9. The low tide, 5, would save me; the high one, 12, would not, and without
    # either of them somebody else drowns under the 12.
    mine = bits({1, 20, 60})
    assert reply(0, mine, expected, tides, 5, 12, 0.0, 0.1) == 1
    # If both tides are lower than mine, I must take one: the cheaper card does.
    assert reply(0, mine, expected, tides, 5, 8, 0.0, 0.1) == 60
    assert reply(0, bits({1, 20}), expected, np.array([9, 9, 3, 4]), 5, 8, 0.0, 0.1) == 20


def some_answers() -> list[list[int]]:
    asked, _ = play(["lookahead:2", "counting", "reader-forgetful", "thrifty"], 2)
    return [question.answer.tolist() for question in asked]


@pytest.mark.slow
def test_kernels_answer_alike_as_plain_python() -> None:
    code = f"import json; from {__name__} import some_answers; print(json.dumps(some_answers()))"
    finished = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout) == some_answers()


def test_lookahead_finishes_real_games() -> None:
    asked, outcome = play(["lookahead:4", "counting", "reader"], 16)
    assert (outcome.wins.sum(axis=0) == 60).all()
    assert {question.view.round for question in asked} == {0, 1, 2}
