"""What a single game tells whoever watches it, step by step."""

from __future__ import annotations

from analyzer.contracts import Watcher
from analyzer.games.turnthetide.rules import CARDS
from analyzer.games.turnthetide.state import State


def cards_of(mask: int) -> list[int]:
    """The cards of a set, rising."""
    return [card for card in range(1, CARDS + 1) if mask >> (card - 1) & 1]


class EventRecorder:
    """Tells ``watch`` what happens in lane 0."""

    def __init__(self, state: State, watch: Watcher) -> None:
        self._state = state
        self._players = slice(len(state.board.cards))
        self._watch = watch

    def round(self, number: int) -> None:
        """A round begins: the hands, and the preservers on them."""
        board = self._state.board
        hands = [cards_of(int(cards[0])) for cards in board.cards]
        lives = board.lives[self._players, 0].tolist()
        self._watch("round", {"round": number + 1, "hands": hands, "lives": lives})

    def cards(self, hand: int) -> None:
        """Everybody has chosen a card; 0 stands for whoever was not asked."""
        board, tides = self._state.board, self._state.tides
        chosen = (
            choice[0] * asks[0] for choice, asks in zip(board.choice, board.asks, strict=True)
        )
        facts = {
            "hand": hand + 1,
            "low": int(tides.low[hand, 0]),
            "high": int(tides.high[hand, 0]),
            "cards": [int(card) for card in chosen],
        }
        self._watch("cards", facts)

    def hand(self, hand: int) -> None:
        """A hand has been played out."""
        board = self._state.board
        facts = {
            "hand": hand + 1,
            "shown": board.shown[self._players, 0].tolist(),
            "lives": board.lives[self._players, 0].tolist(),
            "alive": [bool(alive) for alive in board.alive[self._players, 0]],
            "goes_on": bool(board.running[0]),
        }
        self._watch("hand", facts)

    def score(self, number: int) -> None:
        """A round has been scored."""
        scores = self._state.scores
        points = scores.by_round[number, :, 0].tolist()
        total = scores.total[self._players, 0].tolist()
        self._watch("score", {"round": number + 1, "points": points, "scores": total})
