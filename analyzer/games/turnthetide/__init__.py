"""Turn the Tide."""

from analyzer.games.turnthetide.game import GAME

__all__ = ["GAME"]
