"""A strategy of Mermaid Beach sees what its seat may know, all of it, and nothing else.

The view of the kernels is compared with the twin's at every decision, and with itself where what
the seat cannot know is another.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.contracts import BoundStrategy, GameNumbers
from analyzer.engine.seat import SeatedStrategy
from analyzer.engine.tally import new_tally
from analyzer.experiment import Experiment
from analyzer.games.mermaidbeach.game import GAME, Batch
from analyzer.games.mermaidbeach.lanes import Lanes
from analyzer.games.mermaidbeach.layout import DECISIONS
from analyzer.games.mermaidbeach.state import View, cards_of
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.kernels.piles import pile_of
from analyzer.plugins import strategies
from analyzer.specs import bind
from tests.games.mermaidbeach.told import (
    facts_of,
    seated,
    settings,
    shown_at,
    standard,
    twin_game,
)
from tests.reference import mermaidbeach as twin

EVERYTHING = GAME.sees
GAMES = 12 if JIT_DISABLED else 200
RULES = [
    standard(2),
    standard(3),
    standard(4, ask_freely=True),
    standard(5),
    standard(3, item_kinds=3, item_copies=6, seaweed=9, starfish_left=8, mean=4, waves=4),
    standard(2, merfolk=4, starfish_right=9, play_at_beach=False),
]

Moment = tuple[int, int, int, str]
"""Game, seat, turn and decision."""


def title(rules: twin.Rules) -> str:
    """Short name of a case in test reports."""
    return f"{rules.players}-{rules.item_kinds}x{rules.item_copies}"


# The same view as the twin's ----------------------------------------------------------------------


class Recorder(SeatedStrategy):
    """Plays at random, takes what it draws every other time, and writes down all it sees."""

    def __init__(self, seat: int, rules: twin.Rules, seen: dict[Moment, dict[str, Any]]) -> None:
        bound = bind("mermaidbeach", "random", settings(rules), rules.players)
        self.random = SeatedStrategy(bound)
        hooks = dict.fromkeys(DECISIONS, lambda view, params, words, out: None)
        one = seated(hooks, sees=EVERYTHING, stochastic=DECISIONS, name=f"seat {seat}")
        super().__init__(one.strategy)
        self.seat = seat
        self.seen = seen

    def question(
        self,
        decision: str,
        view: Any,
        words: Any,
        out: NDArray[np.uint8],
    ) -> Callable[[], None]:
        """Record, and let the random strategy answer."""

        def ask() -> None:
            self._record(decision, view, self.games)
            if decision == "beach":
                out[:] = words & np.uint64(1)
            else:
                self.random.decide(decision, view, words, out)

        return ask

    def _record(self, decision: str, view: View, games: GameNumbers) -> None:
        shown = {
            name: value
            for name, value in view._asdict().items()
            if isinstance(value, np.ndarray) and name != "active"
        }
        assert shown.keys() == shown_at(decision, EVERYTHING)
        assert view.players == (view.shells.shape[0] if view.shells is not None else 0)
        for array in (*shown.values(), view.active):
            assert not array.flags.writeable
            assert array.flags.c_contiguous
        for g in np.flatnonzero(view.active).tolist():
            facts = {name: value[..., g].tolist() for name, value in shown.items()}
            moment = int(games[g]), self.seat, facts["turn"], decision
            assert moment not in self.seen
            self.seen[moment] = facts


class TwinRecorder(twin.Random):
    """The same at the twin's table."""

    def __init__(self, game: int, seat: int, seen: dict[Moment, dict[str, Any]]) -> None:
        self.game, self.seat, self.seen = game, seat, seen

    def _record(self, view: twin.View, decision: str) -> None:
        facts = facts_of(view, self.seat, decision)
        names = shown_at(decision, EVERYTHING)
        self.seen[self.game, self.seat, view.turn, decision] = {n: facts[n] for n in names}

    def action(self, view: twin.View, word: int) -> int:
        """Record."""
        self._record(view, "action")
        return super().action(view, word)

    def ask(self, view: twin.View, word: int) -> tuple[int, int]:
        """Record."""
        self._record(view, "ask")
        return super().ask(view, word)

    def beach(self, view: twin.View, word: int) -> bool:
        """Record; every other time keep it."""
        self._record(view, "beach")
        return bool(word & 1)

    def shell(self, view: twin.View, word: int) -> tuple[int, int]:
        """Record."""
        self._record(view, "shell")
        return super().shell(view, word)

    def seaweed(self, view: twin.View, word: int) -> int:
        """Record."""
        self._record(view, "seaweed")
        return super().seaweed(view, word)

    def passing(self, view: twin.View, word: int) -> int:
        """Record."""
        self._record(view, "pass")
        return super().passing(view, word)


@pytest.mark.parametrize("rules", RULES, ids=title)
def test_the_view_is_the_twin_s_in_every_field_at_every_decision(rules: twin.Rules) -> None:
    games = range(2 if JIT_DISABLED else 25)
    seen: dict[Moment, dict[str, Any]] = {}
    experiment = Experiment("mermaidbeach", ("random",) * rules.players, settings(rules), 1, 3)
    seats = [Recorder(seat, rules, seen) for seat in range(rules.players)]
    # Few lanes, which are refilled; what an earlier game or batch left in them is not known.
    table = GAME.table(settings(rules), rules.players, 8)
    for batch in (games[:2], games):
        seen.clear()
        numbers = np.array(batch, np.uint64)
        GAME.play(table, 3, numbers, seats, new_tally(GAME, experiment))
    expected: dict[Moment, dict[str, Any]] = {}
    for game in games:
        players = [TwinRecorder(game, seat, expected) for seat in range(rules.players)]
        twin_game(rules, players, 3, game)
    assert seen.keys() >= expected.keys()
    # What to ask for is asked wherever one may ask.
    for *moment, decision in seen.keys() - expected.keys():
        game, seat, turn = moment
        assert decision == "ask"
        assert expected[game, seat, turn, "action"]["playable"] >> 4 * twin.ASK
    for moment, facts in expected.items():
        assert seen[moment] == facts, moment
    if not JIT_DISABLED:
        memories = [facts for facts in expected.values() if "asked" in facts]
        for name in ("asked", "lacks", "passed"):
            assert any(any(facts[name]) for facts in memories), name
        assert {decision for *_, decision in expected} >= {"action", "ask", "seaweed", "pass"}


# Nothing that is hidden ---------------------------------------------------------------------------


class Captured(SeatedStrategy):
    """Keeps the views that its strategy is asked with."""

    def __init__(self, bound: BoundStrategy) -> None:
        super().__init__(bound)
        self.asked: dict[str, list[tuple[View, NDArray[np.uint8]]]] = {}

    def question(
        self,
        decision: str,
        view: Any,
        words: Any,
        out: NDArray[np.uint8],
    ) -> Callable[[], None]:
        """Keep the view."""
        self.asked.setdefault(decision, []).append((view, out))
        return super().question(decision, view, words, out)

    def snapshot(self, decision: str) -> list[Any]:
        """All there is to be seen at a decision, in all columns, and what is answered."""
        return [
            [None if not isinstance(x, np.ndarray) else x.tolist() for x in view]
            + [(out * view.active).tolist()]
            for view, out in self.asked.get(decision, [])
        ]


def shuffle_hidden(lanes: Lanes, seat: int, shuffler: random.Random) -> int:
    """Let what a seat does not know change places, in every lane; returns in how many it did."""
    s, players = lanes.state, lanes.players
    changed = 0
    for g in np.flatnonzero(s.live).tolist():
        own = (seat - int(s.seat[g])) % players
        rows = [row for row in range(players) if row != own]
        piles = [cards_of(int(s.hands[row, g])) for row in rows] + [cards_of(int(s.beach_deck[g]))]
        cards = [card for pile in piles for card in pile]
        shuffler.shuffle(cards)
        before = s.hands[:, g].tolist()
        for row, pile in zip(rows, piles, strict=False):
            taken, cards = cards[: len(pile)], cards[len(pile) :]
            s.hands[row, g] = pile_of({card: taken.count(card) for card in taken})
        s.beach_deck[g] = pile_of({card: cards.count(card) for card in cards})
        changed += s.hands[:, g].tolist() != before
    return changed


class Worlds:
    """A batch in which one seat is asked again and again while what it cannot know changes."""

    def __init__(self, name: str, seat: int, players: int, seed: int) -> None:
        rules = settings(standard(players))
        bound = [bind("mermaidbeach", "random", rules, players) for _ in range(players)]
        bound[seat] = bind("mermaidbeach", name, rules, players)
        # Each is asked for itself, the same strategy in other seats notwithstanding.
        self.seats = [
            Captured(replace(one, spec=f"{one.spec} in seat {seat}"))
            for seat, one in enumerate(bound)
        ]
        self.seat = seat
        self.shuffler = random.Random(seed)
        table = GAME.table(rules, players, 64)
        numbers = np.arange(200, dtype=np.uint64)
        for one in self.seats:
            one.games = numbers
        table.open(seed, numbers, False)
        self.batch = Batch(table, self.seats)
        self.batch.begin()
        self.changed = 0
        self.compared = 0

    def again(self, decision: str, show: Callable[[], Any]) -> None:
        """Ask as things are, and ask again as they might be."""
        lanes, one = self.batch.lanes, self.seats[self.seat]
        s = lanes.state
        show()
        real = one.snapshot(decision)
        kept = s.hands.copy(), s.beach_deck.copy()
        for _ in range(2):
            self.changed += shuffle_hidden(lanes, self.seat, self.shuffler)
            show()
            assert one.snapshot(decision) == real, decision
        s.hands[...], s.beach_deck[...] = kept
        show()
        self.compared += sum(int(view.active.sum()) for view, _ in one.asked.get(decision, []))

    def _turn(self) -> None:
        self.batch.lanes.getting_ready()
        for ask in self.batch.lanes.turn_questions:
            ask()

    def _pass(self) -> None:
        self.batch.lanes.show_hands()
        for one in self.batch.lanes.passes_by_seat:
            one.ask()

    def _aim(self) -> None:
        self.batch.lanes.show_aims()
        for one in self.batch.lanes.aims_by_group:
            if one.number:
                one.ask()

    def step(self) -> None:
        """One turn in every lane, as `Batch.step` does it, with all questions asked again."""
        s = self.batch.lanes
        self.again("action", self._turn)
        self.again("ask", self._turn)
        for call in (s.ask, *s.after_question, *s.beach_questions, s.play, *s.after_play):
            call()
        s.fit_columns()
        self.again("shell", self._aim)
        self.again("seaweed", self._aim)
        for call in (s.hit, *s.after_aims):
            call()
        if s.passes_by_seat[0].number:
            self.again("pass", self._pass)
            for call in (s.pass_cards, *s.after_passes):
                call()
        self.batch.finish()


@pytest.mark.parametrize("name", sorted(strategies("mermaidbeach")))
def test_nothing_unknown_changes_a_view_or_a_decision(name: str) -> None:
    """Every installed strategy, every column, asked or not, of every question."""
    worlds = Worlds(name, 1, 3, seed=5)
    for _ in range(2 if JIT_DISABLED else 9):
        worlds.step()
    assert worlds.compared > (50 if JIT_DISABLED else 400)
    assert worlds.changed > (300 if JIT_DISABLED else 2000)


def test_the_worlds_do_differ() -> None:
    """The test above can fail: a view that showed another hand would betray itself."""
    worlds = Worlds("random", 1, 3, seed=5)
    view, out = worlds.seats[1].asked["action"][0]
    worlds.seats[1].asked["action"][0] = view._replace(hand=worlds.batch.lanes.state.hands[0]), out
    with pytest.raises(AssertionError):
        worlds.step()


def arrays_of(view: View) -> Iterator[NDArray[Any]]:
    """All arrays that a view is made of, and those that they are parts of."""
    for value in view:
        array: Any = value
        while isinstance(array, np.ndarray):
            yield array
            array = array.base


@pytest.mark.parametrize("sees", [(), ("table",), EVERYTHING])
def test_no_secret_can_be_reached_from_a_view(sees: tuple[str, ...]) -> None:
    """Neither state nor what another seat is shown lies in memory that a view belongs to."""
    rules = settings(standard(3))
    bound = bind("mermaidbeach", "random", rules, 3)
    seats = []
    for seat in range(3):
        hooks = {**bound.hooks, "beach": lambda view, params, words, out: None}
        one = seated(hooks, sees=sees, name=f"seat {seat}", params=bound.params | {"beach": ()},
                     stochastic=tuple(bound.stochastic))  # fmt: skip
        seats.append(Captured(one.strategy))
    table = GAME.table(rules, 3, 64)
    experiment = Experiment("mermaidbeach", ("random",) * 3, rules, 1, 1)
    GAME.play(table, 1, np.arange(GAMES, dtype=np.uint64), seats, new_tally(GAME, experiment))
    (s,) = table.kept.values()
    secrets = [s.state.hands, s.state.beach_deck, s.state.shell_deck, s.state.keys]
    secrets += [s.now.actions, s.now.drawn, s.memory.received]
    reached: list[list[NDArray[Any]]] = []
    for seat in seats:
        views = [view for asked in seat.asked.values() for view, _ in asked]
        assert len(views) >= 5
        reached.append([array for view in views for array in arrays_of(view)])
        for array in reached[-1]:
            assert not any(np.may_share_memory(array, secret) for secret in secrets)
    own = [[view.hand for view, _ in seats[p].asked["pass"]] for p in range(3)]
    own_turn = [[view.hand for view, _ in seats[p].asked["action"]] for p in range(3)]
    for p, shown in enumerate(reached):
        for other in range(3):
            if other != p:
                for hand in (*own[other], *own_turn[other]):
                    assert hand is not None
                    assert not any(np.may_share_memory(array, hand) for array in shown)
        # Nor from the row to be filled: all pass at once.
        for _, out in seats[p].asked["pass"]:
            for base in (out, out.base):
                others = [out for q in range(3) if q != p for _, out in seats[q].asked["pass"]]
                assert not any(np.may_share_memory(base, other) for other in others)


def test_what_is_not_declared_is_not_shown() -> None:
    for sees in [(), ("table",), ("discards",), ("asked", "passed"), EVERYTHING]:
        rules = standard(3)
        seen: list[tuple[str, View]] = []

        class Watching(SeatedStrategy):
            """Keeps all views."""

            def question(
                self,
                decision: str,
                view: Any,
                words: Any,
                out: NDArray[np.uint8],
                seen: list[tuple[str, View]] = seen,
            ) -> Callable[[], None]:
                """Keep the view."""
                seen.append((decision, view))
                return super().question(decision, view, words, out)

        bound = bind("mermaidbeach", "random", settings(rules), 3)
        seats = [Watching(BoundStrategy(**{**vars(bound), "sees": frozenset(sees)}))] * 3
        table = GAME.table(settings(rules), 3, 64)
        experiment = Experiment("mermaidbeach", ("random",) * 3, settings(rules), 1, 1)
        GAME.play(table, 1, np.arange(GAMES, dtype=np.uint64), seats, new_tally(GAME, experiment))
        assert {decision for decision, _ in seen} == {*DECISIONS} - {"beach"}
        for decision, view in seen:
            shown = {name for name, x in view._asdict().items() if isinstance(x, np.ndarray)}
            assert shown == shown_at(decision, sees) | {"active"}, decision


def test_columns_that_are_not_asked_hold_values_in_range() -> None:
    def decide(decision: str, view: View, out: NDArray[np.uint8]) -> None:
        piles = [x for x in (view.hand, view.playable) if x is not None]
        if decision != "pass":  # where who has no card is not asked
            assert all((pile != 0).all() for pile in piles)
        if view.card is not None:
            assert view.card.max() < 16
        if view.sizes is not None:
            assert view.sizes.max() <= 51
        if view.playable is not None:
            out[:] = [next(iter(cards_of(pile))) for pile in view.playable.tolist()]
        elif decision == "ask" and view.hand is not None:
            out[:] = [cards_of(hand)[0] % 16 + 16 for hand in view.hand.tolist()]
        elif decision == "shell" and view.shells is not None:
            for g in range(out.size):
                rivals = [d for d in range(1, 3) if view.shells[d, g]]
                assert rivals
                out[g] = cards_of(int(view.shells[rivals[0], g]))[0] + 16 * rivals[0]
        elif decision == "pass" and view.hand is not None:
            out[:] = [(cards_of(hand) or [0])[-1] for hand in view.hand.tolist()]
        else:
            out[:] = 1

    def hook(decision: str) -> Callable[..., None]:
        return lambda view, params, words, out: decide(decision, view, out)

    rules = settings(standard(3))
    names = DECISIONS
    seats = [seated({name: hook(name) for name in names}, name=str(p)) for p in range(3)]
    experiment = Experiment("mermaidbeach", ("random",) * 3, rules, 1, 1)
    numbers = np.arange(4 if JIT_DISABLED else 30, dtype=np.uint64)
    GAME.play(GAME.table(rules, 3, 64), 4, numbers, seats, new_tally(GAME, experiment))
