"""How each game's answers are told: found through an entry point, like the games themselves."""

from __future__ import annotations

from importlib.metadata import entry_points

from analyzer.errors import PluginError, told
from analyzer_reports.page import Story
from analyzer_reports.stories import plain

STORIES = "analyzer.stories"
"""Entry point group: a game's name, and a module that defines ``STORY``."""


def find_story(game: str) -> Story:
    """The story of a game, or the plain one that suits any game.

    Raises
    ------
    PluginError
        If an installed story cannot be loaded.
    """
    for point in entry_points(group=STORIES):
        if point.name == game:
            try:
                found = getattr(point.load(), "STORY", None)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise PluginError(
                    f"the installed story {point.name} = {point.value!r} cannot be loaded: "
                    f"{type(error).__name__}: {told(error)}. "
                    "Repair or uninstall the package that brings it."
                ) from error
            if not isinstance(found, Story):
                raise PluginError(f"the module {point.value!r} of the story {game!r} has no STORY.")
            return found
    return plain.story(game)
