"""Games of Switch 16 told alike by the plain twin and by the kernels, and players for both.

A whimsical player does everything that the rules allow a strategy to do, by a rule of its own that
both sides can follow; it has no other sense.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BoundStrategy, Hook
from analyzer.engine.seat import SeatedStrategy
from analyzer.games.switch16.game import GAME
from analyzer.games.switch16.policies import NEVER
from tests.reference import switch16 as twin

Bytes = NDArray[np.uint8]


def settings(rules: twin.Rules) -> dict[str, Any]:
    """The same rules as the game itself takes them."""
    values = {
        "cards": rules.cards,
        "dice": {str(start): count for start, count in sorted(rules.dice.items())},
        "faces": rules.faces,
        "switch_die": dict(rules.switch_die),
        "milestone": rules.milestone,
        "milestone_resume": rules.milestone_resume,
        "first_player": rules.first_player,
        "match_points": rules.match_points,
        "max_turns": rules.max_turns,
    }
    assert values.keys() == {setting.key for setting in GAME.settings}
    GAME.check_rules(values, rules.players)
    return values


def seated(
    hooks: Mapping[str, Hook],
    *,
    name: str = "test",
    sees: Sequence[str] = (),
    stochastic: Sequence[str] = (),
    expensive: bool = False,
) -> SeatedStrategy:
    """A seat for functions of a test."""
    return SeatedStrategy(
        BoundStrategy(
            spec=name,
            hooks=hooks,
            params=dict.fromkeys(hooks, ()),
            stochastic=frozenset(stochastic),
            sees=frozenset(sees),
            expensive=expensive,
            compiled=False,
            source_hash="",
        )
    )


# A whimsical player -------------------------------------------------------------------------------


def _mood(top: Any, protected: Any) -> Any:
    """A number that depends on all decks, as they are seen from the player's seat."""
    rows = np.arange(1, len(top) + 1)
    weights = rows if np.ndim(top) == 1 else rows[:, None]
    return (np.asarray(top, np.int64) * weights + 3 * np.asarray(protected, np.int64)).sum(axis=0)


def _risk(view: Any, params: Any, words: Any, out: Bytes) -> None:
    has_five = (view.sums >> 5) & 1
    out[:] = (_mood(view.top, view.protected) + view.dice + has_five) % 3 != 0


def _swap(view: Any, params: Any, words: Any, out: Bytes) -> None:
    out[:] = (_mood(view.top, view.protected) + view.thrown) % view.players


def _pick(view: Any, params: Any, words: Any, out: Bytes) -> None:
    others = view.top[1:]
    lowest = others == others.min(axis=0)
    out[:] = view.players - 1 - lowest[::-1].argmax(axis=0)


def _take(view: Any, params: Any, words: Any, out: Bytes) -> None:
    out[:] = _mood(view.top, view.protected) % 2


def _lay(view: Any, params: Any, words: Any, out: Bytes) -> None:
    after = (_mood(view.top, view.protected) + view.mover) % (view.going.astype(np.int64) + 1)
    out[:] = np.where(after < view.going, after, NEVER)


def _lay_between(view: Any, params: Any, words: Any, out: Bytes) -> None:
    mood = _mood(view.top, view.protected) + view.mover
    out[:] = np.where(mood % 3 == 0, mood // 3 % view.players, 0)


HOOKS = {
    "risk": _risk,
    "swap": _swap,
    "pick": _pick,
    "take": _take,
    "lay": _lay,
    "lay_between": _lay_between,
}


def whimsical_seat(*hooks: str, expensive: bool = False) -> SeatedStrategy:
    """A seat whose strategy declares only some of the hooks."""
    return seated(
        {name: HOOKS[name] for name in hooks},
        name=f"whimsical {'+'.join(hooks)}",
        sees=("throw", "time"),
        expensive=expensive,
    )


class Whimsical:
    """The same for the twin; what it does not declare is left as the rules have it."""

    def __init__(self, *hooks: str) -> None:
        self.hooks = hooks

    def _mood(self, table: twin.Table, me: int) -> int:
        decks = [table.decks[seat] for seat in (me, *table.left_of(me))]
        return int(_mood([deck.top for deck in decks], [deck.protected for deck in decks]))

    def throws_again(self, table: twin.Table, me: int) -> bool:
        """Looks at the dice on the table, too; a sum without a card is not shown."""
        if "risk" not in self.hooks:
            return False
        has_five = table.rules.cards >= 5 and 5 in twin.sums(table.numbers)
        return (self._mood(table, me) + len(table.numbers) + has_five) % 3 != 0

    def swaps_with(self, table: twin.Table, me: int, word: int) -> int | None:
        """May ask the holder, who refuses."""
        row = (self._mood(table, me) + table.throw) % table.rules.players
        return (me + row) % table.rules.players if "swap" in self.hooks and row else None

    def picks(self, table: twin.Table, me: int, tied: Sequence[int]) -> int:
        """The last one to the left."""
        return tied[-1] if "pick" in self.hooks else tied[0]

    def takes_disc(self, table: twin.Table, me: int) -> bool:
        """Now and then."""
        return "take" not in self.hooks or self._mood(table, me) % 2 == 1

    def lays_after(self, table: twin.Table, me: int, going: int) -> int | None:
        """At any card."""
        players = table.rules.players
        after = (self._mood(table, me) + (table.mover - me) % players) % (going + 1)
        return after if "lay" in self.hooks and after < going else None

    def lays_on(self, table: twin.Table, me: int) -> int | None:
        """On anybody, before anybody's turn, its own included."""
        players = table.rules.players
        mood = self._mood(table, me) + (table.mover - me) % players
        row = mood // 3 % players if mood % 3 == 0 else 0
        return (me + row) % players if "lay_between" in self.hooks and row else None


# Events -------------------------------------------------------------------------------------------

Step = tuple[Any, ...]
"""Deal, seat, what happened, facts; deals and seats from 0."""


def steps_of_twin(record: twin.GameRecord) -> list[Step]:
    """Everything that the twin tells of a game."""
    return [
        (event.deal, event.seat, event.what, *event.facts.values())
        for deal in record.deals
        for event in deal.events
    ]


class Listener:
    """Writes down the events of the kernels in the same form."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.firsts: list[int] = []
        self.points: list[list[int]] = []
        self.deal = 0
        self.limit = False

    def __call__(self, event: str, facts: Mapping[str, Any]) -> None:
        """Take one event."""
        getattr(self, f"_{event}")(dict(facts))

    def _add(self, seat: int, what: str, *facts: Any) -> None:
        self.steps.append((self.deal, seat - 1, what, *facts))

    def _deal(self, facts: dict[str, Any]) -> None:
        self.deal = facts["deal"] - 1
        self.firsts.append(facts["first"] - 1)

    def _throw(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "throw", tuple(facts["dice"]), facts["face"])

    def _swap(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], f"{facts['face']} swap", facts["with"] - 1)

    def _refuse(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "refuse")

    def _keep(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "red", None)

    def _take(self, facts: dict[str, Any]) -> None:
        seat = facts.get("of", 0) - 1
        holder = seat if facts["from"] == "holder" else None
        deck = seat if facts["from"] == "deck" else None
        self._add(facts["seat"], "take", holder, deck)

    def _leave(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "leave", facts["on"] - 1)

    def _lay(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "lay", facts["on"] - 1)

    def _blocked(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "blocked")

    def _nothing(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "nothing")

    def _bust(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "bust", facts["top"])

    def _discard(self, facts: dict[str, Any]) -> None:
        for card in facts["cards"]:
            self._add(facts["seat"], "discard", card)

    def _risk(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "risk", facts["top"])

    def _stop(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "stop", facts["top"])

    def _win(self, facts: dict[str, Any]) -> None:
        self._add(facts["seat"], "win")
        self.points.append(facts["points"])

    def _limit(self, facts: dict[str, Any]) -> None:
        self.limit = True
        self.points.append(facts["points"])
