"""How each game's answers are told: a module a game, found by the game's name."""

from __future__ import annotations

from analyzer.companions import companion
from reports.page import Story
from reports.stories import plain

__all__ = ["find_story"]


def find_story(game: str) -> Story:
    """The story of a game, or the plain one that suits any game."""
    # The plain story lives here too, and a game may be called plain.
    told = getattr(companion(__name__, game), "STORY", None)
    return told if isinstance(told, Story) else plain.story(game)
