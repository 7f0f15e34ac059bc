"""A game of Switch 16 in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SENTENCES = {
    "keep": "  Nobody has a lower top card. The turn ends.",
    "blocked": "  The disc lies on the deck: no card can go, and the turn ends.",
    "nothing": "  No card can go, and the turn ends.",
    "bust": "  No card can go: the deck is put back to {top}.",
    "risk": "  Takes a risk with top card {top}.",
    "stop": "  Stops with top card {top}.",
}
"""Events that take one sentence each, with facts put in as they are."""


class Narrator:
    """Tells what happens, turn by turn."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = seats
        self._scores = [0] * len(seats)

    def __call__(self, event: str, facts: Mapping[str, Any]) -> Sequence[str]:
        """The lines for one event."""
        if event in SENTENCES:
            return [SENTENCES[event].format(**facts)]
        lines: Sequence[str] = getattr(self, f"_{event}")(facts)
        return lines

    def _name(self, seat: int) -> str:
        return self._seats[seat - 1]

    def _deal(self, facts: Mapping[str, Any]) -> Sequence[str]:
        return ["", f"Deal {facts['deal']}: {self._name(facts['first'])} begins."]

    def _throw(self, facts: Mapping[str, Any]) -> Sequence[str]:
        dice = " ".join(str(value) for value in facts["dice"])
        face = "" if facts["face"] == "blank" else f", and {facts['face']}"
        if facts["throw"] == 1:
            who = f"{self._name(facts['seat'])}, top card {facts['top']}"
            return [f" Turn {facts['turn']}: {who}, throws {dice}{face}."]
        return [f"  Throws {dice}{face}."]

    def _swap(self, facts: Mapping[str, Any]) -> Sequence[str]:
        tops = facts["tops"]
        mine, theirs = facts["seat"], facts["with"]
        return [
            f"  Swaps decks with {self._name(theirs)}: {self._name(mine)} now has top card "
            f"{tops[mine - 1]}, {self._name(theirs)} {tops[theirs - 1]}. The turn ends."
        ]

    def _refuse(self, facts: Mapping[str, Any]) -> Sequence[str]:
        return [f"  {self._name(facts['seat'])} holds the disc and refuses to swap."]

    def _take(self, facts: Mapping[str, Any]) -> Sequence[str]:
        if facts["from"] == "tray":
            source = "from the tray"
        elif facts["from"] == "holder":
            source = f"from {self._name(facts['of'])}"
        elif facts["of"] == facts["seat"]:
            source = "off the own deck, which is free again"
        else:
            source = f"off the deck of {self._name(facts['of'])}"
        return [f"  Takes the disc {source}."]

    def _leave(self, facts: Mapping[str, Any]) -> Sequence[str]:
        return [f"  Leaves the disc on the deck of {self._name(facts['on'])}."]

    def _lay(self, facts: Mapping[str, Any]) -> Sequence[str]:
        return [f"  {self._name(facts['seat'])} lays the disc on {self._name(facts['on'])}'s deck."]

    def _discard(self, facts: Mapping[str, Any]) -> Sequence[str]:
        cards = facts["cards"]
        told = f"card {cards[0]}" if len(cards) == 1 else f"cards {cards[0]} to {cards[-1]}"
        return [f"  Discards {told}."]

    def _win(self, facts: Mapping[str, Any]) -> Sequence[str]:
        return [f" {self._name(facts['seat'])} has no card left and wins.", *self._points(facts)]

    def _limit(self, facts: Mapping[str, Any]) -> Sequence[str]:
        return [" So many turns are the limit: the deal is stopped.", *self._points(facts)]

    def _points(self, facts: Mapping[str, Any]) -> Sequence[str]:
        points = facts["points"]
        self._scores = [a + b for a, b in zip(self._scores, points, strict=True)]
        told = [
            f"{seat} {more:+d} (now {score})"
            for seat, more, score in zip(self._seats, points, self._scores, strict=True)
        ]
        return [f" Points: {', '.join(told)}."]
