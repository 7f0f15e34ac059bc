"""A game of Mermaid Beach in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

MERFOLK, MEAN, WAVE, SEAWEED, MONSTER = 11, 12, 13, 14, 15
SPECIAL = {
    MERFOLK: "merfolk",
    MEAN: "a mean mermaid",
    WAVE: "a sneaker wave",
    SEAWEED: "seaweed",
    MONSTER: "the sea monster",
}
STARFISH = {
    14: "a starfish: everybody passes a card to the left",
    15: "a starfish: everybody passes a card to the right",
}


class Narrator:
    """Tells what happens, turn by turn."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = seats
        self._turn = 0

    def __call__(self, event: str, facts: Mapping[str, Any]) -> Sequence[str]:
        """The lines for one event."""
        handlers: dict[str, Callable[[Mapping[str, Any]], Sequence[str]]] = {
            "deal": self._deal,
            "ask": self._ask,
            "discard": self._discard,
            "draw": lambda f: self._says(f, f"draws {_card(f['card'])}"),
            "refill": lambda f: [f"  The {_cards(f['cards'])} discarded become the beach deck."],
            "no beach card": lambda f: self._says(f, "finds no beach card to draw"),
            "shell": self._shell,
            "no shell card": lambda f: self._says(f, "finds no shell card to draw"),
            "no effect": lambda f: ["  It has no effect: no opponent has a shell."],
            "seaweed": lambda f: [f"  {self._name(f['opponent'])} shall draw a beach card."],
            "shell taken": self._taken,
            "shell washed away": self._washed,
            "pass": self._pass,
            "monster eats": self._eaten,
            "end": self._end,
        }
        lines = list(handlers[event](facts))
        turn = facts.get("turn", 0)
        if turn != self._turn and event not in ("monster eats", "end"):
            self._turn = turn
            lines.insert(0, f"Turn {turn}")
        return lines

    def _name(self, seat: int) -> str:
        return self._seats[seat - 1]

    def _says(self, facts: Mapping[str, Any], what: str) -> Sequence[str]:
        return [f"  {self._name(facts['seat'])} {what}."]

    def _deal(self, facts: Mapping[str, Any]) -> Sequence[str]:
        lines = []
        for seat, hand in enumerate(facts["hands"], start=1):
            lines.append(f"{self._name(seat)} is dealt {', '.join(map(_card, hand))}.")
        return [*lines, f"{self._name(facts['first'])} begins.", ""]

    def _ask(self, facts: Mapping[str, Any]) -> Sequence[str]:
        answer = "who gives one" if facts["met"] else "who has none"
        asked = f"asks {self._name(facts['opponent'])} for item {facts['kind']}, {answer}"
        return self._says(facts, asked)

    def _discard(self, facts: Mapping[str, Any]) -> Sequence[str]:
        pair = facts["number"] == 2
        what = f"a pair of item {facts['card']}" if pair else _card(facts["card"])
        return self._says(facts, f"discards {what}")

    def _shell(self, facts: Mapping[str, Any]) -> Sequence[str]:
        card = facts["card"]
        return self._says(facts, f"draws {STARFISH.get(card) or _shell(card)}")

    def _taken(self, facts: Mapping[str, Any]) -> Sequence[str]:
        return self._says(
            facts, f"takes {_shell(facts['value'])} from {self._name(facts['opponent'])}"
        )

    def _washed(self, facts: Mapping[str, Any]) -> Sequence[str]:
        return [f"  {self._name(facts['opponent'])} loses {_shell(facts['value'])} to it."]

    def _pass(self, facts: Mapping[str, Any]) -> Sequence[str]:
        return self._says(facts, f"passes {_card(facts['card'])} to {self._name(facts['to'])}")

    def _eaten(self, facts: Mapping[str, Any]) -> Sequence[str]:
        number, value = facts["number"], facts["value"]
        shells = _shell(value) if number == 1 else f"{number} shells of {_points(value)}"
        return [f"The sea monster of {self._name(facts['seat'])} eats {shells}."]

    def _end(self, facts: Mapping[str, Any]) -> Sequence[str]:
        reasons = {
            "out of cards": "somebody has run out of cards",
            "monster alone": "somebody is left with the sea monster alone",
            "unfinished": "it has reached its turn limit",
        }
        return ["", f"The game is over: {reasons[facts['end']]}."]


def _card(sort: int) -> str:
    return SPECIAL.get(sort, f"item {sort}")


def _cards(count: int) -> str:
    return f"{count} card" if count == 1 else f"{count} cards"


def _points(value: int) -> str:
    return f"{value} point" if value == 1 else f"{value} points"


def _shell(value: int) -> str:
    return f"a shell of {_points(value)}"
