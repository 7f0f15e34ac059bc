"""Modules that go with a game: found by the game's name, in a package that holds nothing else."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

__all__ = ["companion"]


def companion(package: str, game: str) -> ModuleType | None:
    """The module of a package that bears a game's name, or None."""
    name = f"{package}.{game}"
    # Games of other people may be called anything, dots included.
    if not game.isidentifier() or importlib.util.find_spec(name) is None:
        return None
    return importlib.import_module(name)
