"""How each game's answers are told: a module a game, found by the game's name."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from reports.page import Story
from reports.stories import plain

__all__ = ["find_story"]


def find_story(game: str) -> Story:
    """The story of a game, or the plain one that suits any game."""
    if game.isidentifier() and find_spec(f"{__name__}.{game}") is not None:
        told = getattr(import_module(f"{__name__}.{game}"), "STORY", None)
        if isinstance(told, Story):
            return told
    return plain.story(game)
