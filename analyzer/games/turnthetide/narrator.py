"""A game of Turn the Tide in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class Narrator:
    """Tells what happens, and remembers as much of the round as it takes to say what changed."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._seats = seats
        self._lives: list[int] = []
        self._alive: list[bool] = []

    def __call__(self, event: str, facts: Mapping[str, Any]) -> Sequence[str]:
        """The lines for one event."""
        handlers = {
            "round": self._round,
            "cards": self._cards,
            "hand": self._hand,
            "score": self._score,
        }
        return handlers[event](facts)

    def _round(self, facts: Mapping[str, Any]) -> Sequence[str]:
        self._lives = list(facts["lives"])
        self._alive = [True] * len(self._lives)
        lines = ["", f"Round {facts['round']}"]
        for seat, hand, lives in zip(self._seats, facts["hands"], self._lives, strict=True):
            cards = " ".join(str(card) for card in hand)
            lines.append(f"  {seat} holds {cards}, with {_preservers(lives)}.")
        return lines

    def _cards(self, facts: Mapping[str, Any]) -> Sequence[str]:
        low, high = facts["low"], facts["high"]
        plays = [
            f"{seat} plays {card}"
            for seat, card in zip(self._seats, facts["cards"], strict=True)
            if card
        ]
        ranked = sorted(zip(facts["cards"], self._seats, strict=True), reverse=True)
        takes = f"{ranked[0][1]} takes tide {low}"
        if len(ranked) > 1 and ranked[1][0]:
            takes += f", {ranked[1][1]} tide {high}"
        tides = f" Hand {facts['hand']}: tides {low} and {high}."
        return [f"{tides} {', '.join(plays)}.", f"  {takes}."]

    def _hand(self, facts: Mapping[str, Any]) -> Sequence[str]:
        lines = []
        for p, seat in enumerate(self._seats):
            if self._alive[p] and not facts["alive"][p]:
                lines.append(f"  {seat} must lose a preserver, has none, and is eliminated.")
            elif facts["lives"][p] < self._lives[p]:
                lines.append(
                    f"  {seat} shows tide {facts['shown'][p]} and loses a preserver: "
                    f"{_preservers(facts['lives'][p])} left."
                )
        self._lives = list(facts["lives"])
        self._alive = list(facts["alive"])
        if not facts["goes_on"]:
            living = sum(self._alive)
            lines.append(f"  Only {living} {'is' if living == 1 else 'are'} left: the round ends.")
        return lines

    def _score(self, facts: Mapping[str, Any]) -> Sequence[str]:
        told = [
            f"{seat} {points:+d} (now {score})"
            for seat, points, score in zip(
                self._seats, facts["points"], facts["scores"], strict=True
            )
        ]
        return [f" Points: {', '.join(told)}."]


def _preservers(count: int) -> str:
    return f"{count} preserver" if count == 1 else f"{count} preservers"
