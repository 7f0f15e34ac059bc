"""Switch 16."""

from analyzer.games.switch16.game import GAME

__all__ = ["GAME"]
