"""Lowball: name the lowest number that nobody else names."""

from lowball.game import GAME

__all__ = ["GAME"]
