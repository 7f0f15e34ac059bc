"""A strategy sees what its seat may know, all of it, and nothing else.

The view of the kernels is compared with the twin's, and with itself in worlds that differ only in
what the seat cannot know.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.engine.seat import SeatedStrategy
from analyzer.games.turnthetide.game import GAME, Table
from analyzer.games.turnthetide.state import View
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import strategies
from analyzer.specs import bind
from tests.games.turnthetide.told import lay_cards, lay_tides, seated, settings
from tests.reference import chance
from tests.reference import turnthetide as twin

EVERYTHING = ("played", "known")
SLOW = pytest.mark.slow

RULES = [
    twin.standard(2),
    twin.standard(3),
    twin.standard(4),
    twin.standard(5),
    twin.standard(6),
    twin.standard(2, rounds=5, end_at=0),
    twin.standard(3, hand_size=20, hands=8, rounds=7),
    twin.standard(4, allocation="flat:2", hands=9, end_at=1),
    twin.standard(5, allocation="none", rounds=3),
    twin.standard(6, drowning="highest", end_at=1),
]


def title(rules: twin.Rules) -> str:
    """Short name of a case in test reports."""
    return f"{rules.players}-{rules.hands}of{rules.hand_size}x{rules.rounds}-{rules.allocation}"


def cards_of(mask: int) -> set[int]:
    """The cards of a 64-bit set."""
    cards = set()
    while mask:
        cards.add((mask & -mask).bit_length())
        mask &= mask - 1
    return cards


# The same view as the twin's ----------------------------------------------------------------------

NUMBERS = ("players", "rounds", "hands", "round", "hand", "cards_left", "tide_max")
LISTS = ("shown", "lives", "alive", "preservers", "scores")


def twin_snapshot(view: twin.View) -> dict[str, Any]:
    """Every field of the twin's view, as it is now."""
    facts = {name: getattr(view, name) for name in (*NUMBERS, "low", "high", "highest")}
    facts |= {name: list(getattr(view, name)) for name in LISTS}
    return facts | {"cards": set(view.cards), "played": view.played, "known": view.known}


def kernel_snapshots(view: View) -> dict[int, dict[str, Any]]:
    """Every field of the kernels' view, as it is now, by column that is asked."""
    numbers = {name: getattr(view, name) for name in NUMBERS}
    rows = {name: getattr(view, name).tolist() for name in ("low", "high", "highest")}
    columns = {name: getattr(view, name).T.tolist() for name in (*LISTS, *EVERYTHING)}
    own = view.cards.tolist()
    snapshots = {}
    for g in np.flatnonzero(view.active).tolist():
        facts = numbers | {name: row[g] for name, row in rows.items()}
        facts |= {name: column[g] for name, column in columns.items()}
        facts |= {name: [cards_of(mask) for mask in facts[name]] for name in EVERYTHING}
        snapshots[g] = facts | {"cards": cards_of(own[g])}
    return snapshots


def test_the_snapshots_leave_out_no_field():
    assert {*NUMBERS, *LISTS, *EVERYTHING, "active", "cards", "low", "high", "highest"} == set(
        View._fields
    )


@pytest.mark.parametrize("count", [2 if JIT_DISABLED else 8, pytest.param(30, marks=SLOW)])
@pytest.mark.parametrize("rules", RULES, ids=title)
def test_the_view_is_the_twin_s_in_every_field_at_every_decision(rules, count):
    games = range(count)
    seen: dict[tuple[int, int, int, int], dict[str, Any]] = {}

    def recorder(seat: int) -> SeatedStrategy:
        def decide(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
            for g, facts in kernel_snapshots(view).items():
                seen[g, seat, view.round, view.hand] = facts
                out[g] = sorted(facts["cards"])[chance.bounded(int(words[g]), view.cards_left)]

        return seated(decide, sees=EVERYTHING, stochastic=True)

    table = GAME.table(settings(rules), rules.players, len(games) + 1)
    tally = {name: np.zeros(256, np.int64) for name in ("hands", "rounds")}
    seats = [recorder(seat) for seat in range(rules.players)]
    # What an earlier batch left in the workspace is nobody's knowledge.
    GAME.play(table, 2, np.array(games[:2], np.uint64), seats, tally)
    seen.clear()
    GAME.play(table, 3, np.array(games, np.uint64), seats, tally)

    expected: dict[tuple[int, int, int, int], dict[str, Any]] = {}
    for game in games:

        def decide(view: twin.View, word: int, game: int = game) -> int:
            expected[game, view._seat, view.round, view.hand] = twin_snapshot(view)
            return twin.random(view, word)

        twin.play(rules, [decide] * rules.players, 3, game)

    assert seen.keys() == expected.keys()
    for moment, facts in expected.items():
        assert seen[moment] == facts, moment


@pytest.mark.parametrize("rules", RULES, ids=title)
def test_columns_that_are_not_asked_hold_values_in_range(rules):
    def decide(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        held = [int(mask).bit_count() for mask in view.cards]
        assert min(held) >= view.cards_left >= 1
        assert set(np.unique(view.active)) <= {0, 1}
        assert set(np.unique(view.alive)) <= {0, 1}
        for tides in (view.low, view.high):
            assert 1 <= tides.min() <= tides.max() <= view.tide_max
        assert (view.low <= view.high).all()
        assert max(view.shown.max(), view.highest.max()) <= view.tide_max
        assert (view.lives >= 0).all()
        assert (view.lives <= view.preservers).all()
        for g in range(out.size):
            out[g] = sorted(cards_of(int(view.cards[g])))[int(words[g]) % view.cards_left]

    count = 2 if JIT_DISABLED else 20
    table = GAME.table(settings(rules), rules.players, count + 3)
    tally = {name: np.zeros(256, np.int64) for name in ("hands", "rounds")}
    seats = [seated(decide, stochastic=True)] * rules.players
    GAME.play(table, 4, np.arange(count, dtype=np.uint64), seats, tally)


def test_what_is_not_declared_is_not_shown():
    table = GAME.table(settings(twin.standard(3)), 3, 2)
    for sees in [(), ("played",), ("known",), EVERYTHING]:
        view = table.views_for(frozenset(sees))[0][0][0]
        for name in EVERYTHING:
            assert (getattr(view, name) is not None) == (name in sees)


# Knowledge by hand --------------------------------------------------------------------------------


def test_knowledge_by_hand():
    """Three players with four cards of which they play two; seat 0 looks on."""
    a, b, c = frozenset({1, 2, 3, 4}), frozenset({11, 12, 13, 14}), frozenset({21, 22, 23, 24})
    rules = twin.standard(3, hand_size=4, hands=2, tide_max=4, rounds=5, allocation="flat:4")
    scripts = [
        [[1, 2], [21, 23], [11, 13], [1, 4], [22, 21]],
        [[11, 12], [1, 3], [21, 24], [11, 14], [1, 2]],
        [[21, 22], [11, 12], [1, 2], [21, 22], [11, 12]],
    ]
    nothing: set[int] = set()
    expected = {
        # The first round: of others nothing.
        (0, 0): [{1, 2, 3, 4}, nothing, nothing],
        (0, 1): [{2, 3, 4}, nothing, nothing],
        # My left neighbor has the hand that I had; of the other's, 11 and 12 were seen.
        (1, 0): [{21, 22, 23, 24}, {1, 2, 3, 4}, {11, 12}],
        (1, 1): [{22, 23, 24}, {2, 3, 4}, {12}],
        # Both neighbors have hands that I had.
        (2, 0): [{11, 12, 13, 14}, {21, 22, 23, 24}, {1, 2, 3, 4}],
        (2, 1): [{12, 13, 14}, {22, 23, 24}, {2, 3, 4}],
        # More rounds than players: by now I have had all of them.
        (3, 0): [{1, 2, 3, 4}, {11, 12, 13, 14}, {21, 22, 23, 24}],
        (3, 1): [{2, 3, 4}, {12, 13, 14}, {22, 23, 24}],
        (4, 1): [{21, 23, 24}, {2, 3, 4}, {12, 13, 14}],
    }
    found = {}

    def looks_on(view: twin.View, word: int) -> int:
        found[view.round, view.hand] = view.known
        return scripts[0][view.round][view.hand]

    table = [looks_on, twin.scripted(scripts[1]), twin.scripted(scripts[2])]
    twin.play_given(rules, [a, b, c], [[(1, 2), (3, 4)]] * 5, table)
    assert {moment: found[moment] for moment in expected} == expected


@pytest.mark.parametrize("rules", RULES, ids=title)
def test_what_is_known_is_true_and_hands_once_held_are_known_whole(rules):
    def decide(view: twin.View, word: int) -> int:
        for d, (known, player) in enumerate(zip(view.known, view._order, strict=True)):
            assert known <= player.cards
            if d <= view.round:
                assert known == player.cards
            elif view.round == 0:
                assert not known
        return twin.random(view, word)

    for game in range(5):
        twin.play(rules, [decide] * rules.players, 8, game)


# Nothing to be reached ----------------------------------------------------------------------------


def ancestors(array: Any) -> Iterator[NDArray[Any]]:
    """An array and everything that it is a part of."""
    while isinstance(array, np.ndarray):
        yield array
        array = array.base


def secrets_of(table: Table, seat: int, hand: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """Arrays of the table that this seat must not get at before this hand is played."""
    yield "the chance to come", table.state.deal.keys
    yield "the cards dealt", table.state.deal.dealt
    for later in range(hand + 1, table.hands):
        yield "a low tide to come", table.state.tides.low[later]
        yield "a high tide to come", table.state.tides.high[later]
    for rival in set(range(table.players)) - {seat}:
        yield "a rival's cards", table.state.board.cards[rival]
        yield "a rival's choice", table.state.board.choice[rival]
        yield "a rival's knowledge", table.memory.known[rival]


@pytest.mark.parametrize("expensive", [False, True], ids=["whole", "dense"])
def test_no_array_leads_to_what_a_seat_must_not_know(expensive):
    """Neither what a hook is given nor any array that it is a part of."""
    rules = twin.standard(4, rounds=2)
    table = GAME.table(settings(rules), 4, 5)
    found: set[str] = set()

    def spy(seat: int) -> SeatedStrategy:
        def decide(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
            given = view._asdict() | {"words": words, "out": out}
            for name, value in given.items():
                for array in ancestors(value):
                    for what, secret in secrets_of(table, seat, view.hand):
                        if np.shares_memory(array, secret):
                            found.add(f"view.{name} leads to {what}")
                if isinstance(value, np.ndarray) and name != "out":
                    assert not value.flags.writeable, name
                    with pytest.raises(ValueError, match="read-only"):
                        value[...] = 0
            for g in range(out.size):
                out[g] = min(cards_of(int(view.cards[g])))

        one = seated(decide, sees=EVERYTHING, stochastic=True)
        if expensive:
            object.__setattr__(one.strategy, "expensive", True)
        return one

    tally = {name: np.zeros(256, np.int64) for name in ("hands", "rounds")}
    seats = [spy(seat) for seat in range(4)]
    GAME.play(table, 4, np.arange(5, dtype=np.uint64), seats, tally)
    assert not found


# Other worlds -------------------------------------------------------------------------------------


class Worlds:
    """Pairs of games that look alike to one seat up to a moment; a pair is two neighboring lanes.

    The first world of a pair is a game of random players. The second differs from it in the cards
    that the seat does not know at the moment of the pair: they change places among the rivals'
    hands and the undealt stock, and only the number of preservers of each hand, which everybody
    sees, is kept.
    """

    def __init__(self, rules: twin.Rules, seat: int, pairs: int, seed: int) -> None:
        self.rules = rules
        self.seat = seat
        shuffler = random.Random(seed)
        self.moments: list[tuple[int, int]] = []
        self.deals: list[list[list[int]]] = []
        self.tides: list[list[list[tuple[int, int]]]] = []
        self.choices: list[twin.GameRecord] = []
        for game in range(pairs):
            record = twin.play(rules, [twin.random] * rules.players, seed, game)
            # Early rounds more often: later there is little left that the seat does not know.
            rounds = record.rounds[: shuffler.choice([1, 1, 2, rules.rounds])]
            asked = [
                (one.number, number)
                for one in rounds
                for number, hand in enumerate(one.hands)
                if seat in hand.choices
            ]
            moment = shuffler.choice(asked)
            key = chance.game_key(seed, game)
            tides = [twin.tides_of_round(rules, key, r) for r in range(rules.rounds)]
            for world in (record.deals, self.other_world(record, moment, shuffler)):
                self.moments.append(moment)
                self.deals.append([sorted(hand) for hand in world])
                self.tides.append(tides)
                self.choices.append(record)

    def other_world(
        self, record: twin.GameRecord, moment: tuple[int, int], shuffler: random.Random
    ) -> list[frozenset[int]]:
        """Deals that the seat, at this moment, cannot tell from the real one."""
        number, hand_number = moment
        fixed: set[int] = set()
        for one in record.rounds[: number + 1]:
            fixed |= record.deals[one.owners[self.seat]]
            hands = one.hands if one.number < number else one.hands[:hand_number]
            for hand in hands:
                fixed |= set(hand.choices.values())
        hidden = [card for card in twin.CARDS if card not in fixed]
        becomes = {card: card for card in fixed}
        kinds = [0] * 60 if self.rules.allocation != "printed" else self.rules.preservers
        for kind in set(kinds):
            alike = [card for card in hidden if kinds[card - 1] == kind]
            becomes |= zip(alike, shuffler.sample(alike, len(alike)), strict=True)
        return [frozenset(becomes[card] for card in hand) for hand in record.deals]

    def player(self, seat: int) -> SeatedStrategy:
        """Plays what the record says; where the other world has gone its own way, any card."""

        def decide(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
            for lane in range(out.size):
                cards = cards_of(int(view.cards[lane]))
                hands = self.choices[lane].rounds[view.round].hands
                told = hands[view.hand].choices.get(seat, 0) if view.hand < len(hands) else 0
                out[lane] = told if told in cards else min(cards)

        return seated(decide, sees=EVERYTHING if seat == self.seat else ())

    def play(self, watch: Any) -> Table:
        """Play all worlds; ``watch(table, view)`` is called when the seat is asked."""
        lanes = len(self.deals)
        table = GAME.table(settings(self.rules), self.rules.players, lanes)
        flat = [[card for hand in deals for card in hand] for deals in self.deals]
        lay_cards(table, np.array(flat, np.uint8).T.copy())
        seats = [self.player(seat) for seat in range(self.rules.players)]
        plays = seats[self.seat].strategy.hooks["card"]

        def watched(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
            watch(table, view)
            plays(view, params, words, out)

        seats[self.seat] = seated(watched, sees=EVERYTHING)
        for number in range(self.rules.rounds):
            pairs = [np.array(tides[number]).ravel() for tides in self.tides]
            lay_tides(table, np.array(pairs, np.uint8).T.copy())
            GAME.play_round(table, number, np.arange(lanes, dtype=np.uint64), seats)
        return table

    def alike_until(self, view: View) -> NDArray[np.int64]:
        """First lanes of the pairs whose worlds the seat cannot yet tell apart."""
        now = (view.round, view.hand)
        lanes = [lane for lane, moment in enumerate(self.moments) if now <= moment]
        return np.array([lane for lane in lanes if lane % 2 == 0 and view.active[lane]], np.int64)


def same_columns(view: View, lanes: NDArray[np.int64]) -> None:
    """Each of these columns of a view equals its right neighbor."""
    for name, value in view._asdict().items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value[..., lanes], value[..., lanes + 1], name)


PAIRS = 12
MANY_PAIRS = 12 if JIT_DISABLED else 60
CHEAP = {"lookahead": "lookahead:8"}
"""A dear strategy that imagines fewer worlds, by the same code."""


@pytest.mark.parametrize(
    ("pairs", "cheaper"),
    [
        pytest.param(PAIRS, CHEAP, id="few"),
        pytest.param(MANY_PAIRS, {}, id="many", marks=SLOW),
    ],
)
@pytest.mark.parametrize("rules", RULES, ids=title)
def test_nothing_unknown_changes_a_view_or_a_decision(rules, pairs, cheaper):
    """Every installed strategy, in every seat's shoes, asked at every hand of both worlds."""
    bound = [
        bind("turnthetide", cheaper.get(name, name), settings(rules), rules.players)
        for name in strategies("turnthetide")
    ]
    seat = rules.hand_size % rules.players
    worlds = Worlds(rules, seat, pairs, seed=rules.players)
    shuffler = np.random.default_rng(5)
    asked = 0

    def watch(table: Table, view: View) -> None:
        nonlocal asked
        lanes = worlds.alike_until(view)
        asked += lanes.size
        same_columns(view, lanes)
        words = np.repeat(shuffler.integers(0, 2**64, table.lanes // 2, np.uint64), 2)
        for one in bound:
            given = view._replace(
                played=view.played if "played" in one.sees else None,
                known=view.known if "known" in one.sees else None,
            )
            out = np.zeros(table.lanes, np.uint8)
            SeatedStrategy(one).decide("card", given, words if one.stochastic else None, out)
            np.testing.assert_array_equal(out[lanes], out[lanes + 1], one.spec)
            for lane in lanes:
                assert int(out[lane]) in cards_of(int(view.cards[lane])), one.spec

    worlds.play(watch)
    assert asked >= pairs
    deals = zip(worlds.deals[::2], worlds.deals[1::2], strict=True)
    assert sum(one != other for one, other in deals) > pairs / 4


def test_the_worlds_do_differ():
    """The test above can fail: a view that held the rivals' cards would betray itself."""
    rules = twin.standard(3)
    worlds = Worlds(rules, 1, MANY_PAIRS, seed=3)
    betrayed = 0

    def watch(table: Table, view: View) -> None:
        nonlocal betrayed
        lanes = worlds.alike_until(view)
        try:
            same_columns(view._replace(known=np.array([*table.state.board.cards])), lanes)
        except AssertionError:
            betrayed += 1

    worlds.play(watch)
    assert betrayed >= 3
