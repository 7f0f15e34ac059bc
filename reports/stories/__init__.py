"""How each game's answers are told: a module a game, found by the game's name."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from reports.page import Story

__all__ = ["find_story"]


def find_story(game: str) -> Story:
    """The story of a game, or the plain one that suits any game."""
    if game.isidentifier() and find_spec(f"reports.stories.{game}") is not None:
        story = import_module(f"reports.stories.{game}").STORY
    else:
        story = import_module("reports.stories.plain").story(game)
    assert isinstance(story, Story)
    return story
