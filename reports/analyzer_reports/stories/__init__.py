"""How each game's answers are told: found through an entry point, like the games themselves."""

from __future__ import annotations

from analyzer.errors import PluginError
from analyzer.plugins import STORIES, announced
from analyzer_reports.page import Story
from analyzer_reports.stories import plain


def find_story(game: str) -> Story:
    """The story of a game, or the plain one that suits any game.

    Raises
    ------
    PluginError
        If an installed story cannot be loaded.
    """
    module = announced(STORIES, game)
    if module is None:
        return plain.story(game)
    found = getattr(module, "STORY", None)
    if not isinstance(found, Story):
        raise PluginError(f"the module {module.__name__!r} of the story {game!r} has no STORY.")
    return found
