"""Mermaid Beach played alike by the plain twin and by the kernels.

`Adapter` seats any registered strategy at the twin's table: it shows its hooks the twin's view as a
view of one column, what is remembered being worked out from the twin's history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BoundStrategy, Hook
from analyzer.engine.seat import SeatedStrategy
from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.game import GAME, Batch
from analyzer.games.mermaidbeach.state import View
from analyzer.kernels.piles import pile_of
from tests.reference import chance
from tests.reference import mermaidbeach as twin
from tests.shown import locked

Told = tuple[str, dict[str, Any]]
"""An event and its facts; turns and seats are counted from 0."""

SEATS = {"seat", "opponent", "to"}
MEMORY = ("asked", "lacks", "passed")


def settings(rules: twin.Rules) -> dict[str, Any]:
    """The same rules as the game itself takes them."""
    values = asdict(rules)
    del values["players"]
    values["hand_size"] = rules.cards_each()
    values["shells"] = {str(value): number for value, number in rules.shells.items() if number}
    assert values.keys() == {setting.key for setting in GAME.settings}
    GAME.check_rules(values, rules.players)
    return values


def seated(
    hooks: Mapping[str, Hook],
    *,
    sees: Sequence[str] = (),
    stochastic: Sequence[str] = (),
    expensive: bool = False,
    name: str = "test",
    params: Mapping[str, tuple[Any, ...]] | None = None,
) -> SeatedStrategy:
    """A seat for functions of a test."""
    return SeatedStrategy(
        BoundStrategy(
            spec=name,
            hooks=hooks,
            params=dict.fromkeys(hooks, ()) | dict(params or {}),
            stochastic=frozenset(stochastic),
            sees=frozenset(sees),
            expensive=expensive,
            compiled=False,
            source_hash="",
        )
    )


def number_of(pile: twin.Pile) -> int:
    """The same pile as a number."""
    return pile_of(dict(enumerate(pile.counts)))


# What is remembered, worked out from what was told ------------------------------------------------


def memory_of(view: twin.View, seat: int) -> dict[str, list[int]]:
    """``asked``, ``lacks`` and ``passed`` of a seat, by row."""
    players = len(view.hand_sizes)
    asked: list[set[int]] = [set() for _ in range(players)]
    lacks: list[set[int]] = [set() for _ in range(players)]
    passed: dict[int, int] = {}
    history = view.history()
    for number, (_, name, facts) in enumerate(history):
        who = facts.get("seat", 0)
        if name == "ask" and not facts["met"]:
            asked[who].add(facts["kind"])
            lacks[facts["opponent"]].add(facts["kind"])
        elif name == "discard":
            asked[who].discard(facts["card"])
            if passed.get(who) == facts["card"]:
                del passed[who]
        elif name == "shell" and facts["card"] in (twin.STARFISH_LEFT, twin.STARFISH_RIGHT):
            if any(event == "pass" for _, event, _ in history[number:]):
                passed.clear()
        elif name == "pass":
            lacks[facts["to"]].clear()
            if who == seat:
                passed[facts["to"]] = facts["card"]
        elif name == "draw":
            # A card played at once has been seen, and a question to be decided is still open.
            after = history[number + 1] if number + 1 < len(history) else None
            open_yet = after is None and view.card is not None and view.card < twin.ASK
            played = after is not None and after[:2] == (history[number][0], "discard")
            if not (open_yet or (played and after is not None and after[2]["seat"] == who)):
                lacks[who].clear()
    order = [(seat + row) % players for row in range(players)]
    return {
        "asked": [pile_of(dict.fromkeys(asked[s], 1)) for s in order],
        "lacks": [pile_of(dict.fromkeys(lacks[s], 1)) for s in order],
        "passed": [1 << 4 * passed[s] if s in passed else 0 for s in order],
    }


def facts_of(view: twin.View, seat: int, decision: str) -> dict[str, Any]:
    """Everything that the kernels' view may show at a decision, as plain numbers."""
    card = None if view.card is None else view.card
    facts: dict[str, Any] = {
        "hand": number_of(view.hand),
        "sizes": list(view.hand_sizes),
        "shells": [number_of(pile) for pile in view.shells],
        "beach_deck": view.beach_deck,
        "shell_deck": view.shell_deck,
        "turn": view.turn,
        "beach_discard": number_of(view.beach_discard),
        "shell_discard": number_of(view.shell_discard),
        **memory_of(view, seat),
    }
    if decision == "action":
        facts["playable"] = pile_of(dict.fromkeys(twin.allowed(view), 1))
    if decision in ("beach", "shell", "pass"):
        facts["card"] = card
    if decision == "pass" and card is not None:
        # Just drawn, it is nowhere else.
        facts["shell_discard"] += 1 << 4 * card
    return facts


WHOLE = {"hand", "sizes", "shells", "beach_deck", "shell_deck", "turn"}
SHOWN = {
    "action": {*WHOLE, "playable"},
    "ask": WHOLE,
    "beach": {*WHOLE, "card"},
    "shell": {"shells", "card"},
    "seaweed": {"shells"},
    "pass": {"hand", "card"},
}
"""What a decision shows without being asked for more."""


def shown_at(decision: str, sees: Sequence[str] | frozenset[str]) -> set[str]:
    """Names of all facts that a strategy is shown at a decision."""
    names = set(SHOWN[decision])
    whole = "table" in sees
    if whole:
        names |= WHOLE
    if whole or decision in ("action", "ask", "beach"):
        names |= {name for name in MEMORY if name in sees}
        if "discards" in sees:
            names |= {"beach_discard", "shell_discard"}
    return names


DTYPES = {
    name: np.uint8 for name in ("sizes", "beach_deck", "shell_deck", "card")
} | {"turn": np.uint16}  # fmt: skip


def column(facts: Mapping[str, Any], names: set[str], players: int) -> View:
    """A view of one column."""
    shown: dict[str, Any] = dict.fromkeys(View._fields)
    for name in names:
        value = np.array(facts[name], DTYPES.get(name, np.uint64))
        shown[name] = value[..., None]
    for value in shown.values():
        if value is not None:
            value.flags.writeable = False
    return View(**(shown | {"active": locked(np.ones(1, np.uint8)), "players": players}))


class Adapter:
    """A strategy for the kernels, sitting at the twin's table."""

    def __init__(self, bound: BoundStrategy, seat: int) -> None:
        self.seated = SeatedStrategy(bound)
        self.bound = bound
        self.seat = seat

    def _ask(self, decision: str, view: twin.View, word: int) -> int:
        facts = facts_of(view, self.seat, decision)
        shown = column(facts, shown_at(decision, self.bound.sees), len(view.hand_sizes))
        out = np.zeros(1, np.uint8)
        chosen = decision in self.bound.stochastic
        words = np.array([word], np.uint64) if chosen else None
        self.seated.decide(decision, shown, words, out)
        return int(out[0])

    def action(self, view: twin.View, word: int) -> int:
        """Ask the hook of that name."""
        return self._ask("action", view, word)

    def ask(self, view: twin.View, word: int) -> tuple[int, int]:
        """Ask the hook of that name."""
        answer = self._ask("ask", view, word)
        return answer & 15, answer >> 4

    def beach(self, view: twin.View, word: int) -> bool:
        """Ask the hook of that name, if there is one."""
        return "beach" not in self.bound.hooks or self._ask("beach", view, word) == 1

    def shell(self, view: twin.View, word: int) -> tuple[int, int]:
        """Ask the hook of that name."""
        answer = self._ask("shell", view, word)
        return answer >> 4, answer & 15

    def seaweed(self, view: twin.View, word: int) -> int:
        """Ask the hook of that name."""
        return self._ask("seaweed", view, word)

    def passing(self, view: twin.View, word: int) -> int:
        """Ask the hook named ``pass``."""
        return self._ask("pass", view, word)


# What happened, in one form -----------------------------------------------------------------------


class Listener:
    """Writes down the events of a game told by the kernels."""

    def __init__(self) -> None:
        self.events: list[Told] = []

    def __call__(self, event: str, facts: Mapping[str, Any]) -> None:
        """Take one event."""
        plain = {name: value - (name in SEATS or name == "turn") for name, value in facts.items()
                 if name not in ("hands", "first", "end", "card", "kind", "met")}  # fmt: skip
        plain |= {name: facts[name] for name in ("hands", "end", "card", "kind", "met")
                  if name in facts}  # fmt: skip
        if "first" in facts:
            plain["first"] = facts["first"] - 1
        self.events.append((event, plain))


def told_by_twin(game: twin.Game, result: twin.Result) -> list[Told]:
    """The twin's log in the form of the kernels' events."""
    log = list(game.log)
    events: list[Told] = []
    if log and log[0].name == "draw" and log[0].turn == 0:
        dealt: list[list[int]] = [[] for _ in range(game.rules.players)]
        while log[0].name == "draw":
            event = log.pop(0)
            dealt[event.facts["seat"]].append(event.secret["card"])
        first = log.pop(0)
        facts = {"hands": [sorted(hand) for hand in dealt], "first": first.facts["seat"]}
        events.append(("deal", facts))
    last = 0
    for event in log:
        facts = {"turn": event.turn, **event.facts, **event.secret}
        if event.name in ("monster eats", "end"):
            facts["turn"] = max(result.turns - 1, 0)
        if event.name == "end":
            facts = {"turn": facts["turn"], "end": facts["end"]}
        last = facts["turn"]
        events.append((event.name, facts))
    assert last == max(result.turns - 1, 0)
    return events


# Positions laid by hand ---------------------------------------------------------------------------


def lay(
    batch: Batch,
    hands: Sequence[Mapping[int, int]],
    shells: Sequence[Mapping[int, int]],
    beach: Mapping[int, int],
    shell: Mapping[int, int],
    beach_discard: Mapping[int, int],
    shell_discard: Mapping[int, int],
) -> None:
    """Lay a position in lane 0, seat 0 to move; the decks begin as if none had been drawn."""
    facts, state = batch.workspace.facts, batch.lanes.state
    piles = [pile_of(dict(hand)) for hand in hands]
    facts[at.BEACH_PILE] = sum(piles) + pile_of(dict(beach)) + pile_of(dict(beach_discard))
    facts[at.BEACH_CARDS] = sum(beach.values())
    before = [pile_of(dict(mine)) for mine in shells]
    facts[at.SHELL_PILE] = sum(before) + pile_of(dict(shell)) + pile_of(dict(shell_discard))
    facts[at.SHELL_CARDS] = sum(shell.values())
    state.seat[0] = state.turn[0] = 0
    state.hands[:, 0] = piles
    state.shells[:, 0] = before
    state.sizes[:, 0] = [sum(hand.values()) for hand in hands]
    state.beach_deck[0] = pile_of(dict(beach))
    state.shell_deck[0] = pile_of(dict(shell))
    state.beach_left[0], state.shell_left[0] = sum(beach.values()), sum(shell.values())
    state.recycled[0] = state.asks[0] = state.asks_met[0] = 0
    batch.lanes.getting_ready()


def twin_game(
    rules: twin.Rules, players: Sequence[twin.Player], seed: int, game: int
) -> tuple[twin.Game, twin.Result]:
    """A game of the twin with its log."""
    one = twin.Game(rules, players, partial(chance.word, chance.game_key(seed, game)))
    return one, one.play()


def standard(players: int, **changes: Any) -> twin.Rules:
    """Rules for so many players."""
    return replace(twin.Rules(players=players), **changes)


def rows_of(batch: Batch) -> dict[str, NDArray[Any]]:
    """Hands and shells of lane 0 by seat, and the decks."""
    state, players = batch.lanes.state, batch.lanes.players
    order = [(seat - int(state.seat[0])) % players for seat in range(players)]
    return {"hands": state.hands[order, 0], "shells": state.shells[order, 0]}
