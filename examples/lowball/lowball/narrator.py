"""A game of Lowball in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Narrator"]


class Narrator:
    """Tells what happens, round by round."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = seats
        self._stake = 1

    def __call__(self, event: str, facts: Mapping[str, Any]) -> Sequence[str]:
        """The lines for one event."""
        tell = {"round": self._round, "named": self._named, "scored": self._scored}
        return tell[event](facts)

    def _round(self, facts: Mapping[str, Any]) -> Sequence[str]:
        self._stake = facts["stake"]
        return ["", f"Round {facts['round']} is about {_points(self._stake)}."]

    def _named(self, facts: Mapping[str, Any]) -> Sequence[str]:
        named = zip(self._seats, facts["numbers"], strict=True)
        return [f"  {', '.join(f'{seat} names {number}' for seat, number in named)}."]

    def _scored(self, facts: Mapping[str, Any]) -> Sequence[str]:
        if facts["seat"] is None:
            return ["  Nobody has named a number alone."]
        winner, score = self._seats[facts["seat"] - 1], facts["scores"][facts["seat"] - 1]
        return [f"  {winner} is the lowest alone and wins {_points(self._stake)} (now {score})."]


def _points(number: int) -> str:
    return "1 point" if number == 1 else f"{number} points"
