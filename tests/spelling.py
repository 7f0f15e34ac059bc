"""Specs as an experiment spells them."""

from __future__ import annotations

from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.specs import bind

__all__ = ["spelled"]


def spelled(game: str, spec: str) -> str:
    """The canonical spelling of a spec, under the usual rules."""
    found = find_game(game)
    players = found.default_players
    return bind(game, spec, settle(found, players, {}), players).spec
