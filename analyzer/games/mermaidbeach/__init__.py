"""Mermaid Beach."""

from analyzer.games.mermaidbeach.game import GAME

__all__ = ["GAME"]
