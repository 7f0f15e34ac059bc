"""Specs as an experiment spells them."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.specs import bind

__all__ = ["spelled"]


def spelled(game: str, specs: Sequence[str]) -> tuple[str, ...]:
    """The canonical spelling of a table's specs, under the usual rules."""
    rules = settle(find_game(game), len(specs), {})
    return tuple(bind(game, spec, rules, len(specs)).spec for spec in specs)
