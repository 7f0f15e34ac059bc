"""Single games told in words: a module a game, found by the game's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analyzer.companions import companion

__all__ = ["Tell", "narrator"]

Tell = Callable[[str, Mapping[str, Any]], Sequence[str]]
"""Turns an event and its facts into lines of text."""


def narrator(game: str, seats: Sequence[str]) -> Tell:
    """Who tells the events of a game; ``seats`` are the names of the players.

    A game without a narrator of its own has its events listed with their facts.
    """
    module = companion(__name__, game)
    if module is None:
        return _plainly
    tell: Tell = module.Narrator(seats)
    return tell


def _plainly(event: str, facts: Mapping[str, Any]) -> Sequence[str]:
    told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in facts.items())
    return (f"{event}: {told}",)
