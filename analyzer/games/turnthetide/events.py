"""What a single game tells whoever watches it, step by step."""

from __future__ import annotations

from analyzer.contracts import Watcher
from analyzer.games.turnthetide.rules import CARDS
from analyzer.games.turnthetide.state import State

__all__ = ["EventRecorder", "cards_of"]


def cards_of(mask: int) -> list[int]:
    """The cards of a set, rising."""
    return [card for card in range(1, CARDS + 1) if mask >> (card - 1) & 1]


class EventRecorder:
    """Tells ``watch`` what happens in lane 0."""

    def __init__(self, state: State, watch: Watcher) -> None:
        self._state = state
        self._players = slice(len(state.cards))
        self._watch = watch

    def round(self, number: int) -> None:
        """A round begins: the hands, and the preservers on them."""
        state = self._state
        hands = [cards_of(int(cards[0])) for cards in state.cards]
        lives = state.lives[self._players, 0].tolist()
        self._watch("round", {"round": number + 1, "hands": hands, "lives": lives})

    def cards(self, hand: int) -> None:
        """Everybody has chosen a card; 0 stands for whoever was not asked."""
        state = self._state
        chosen = (
            choice[0] * asks[0] for choice, asks in zip(state.choice, state.asks, strict=True)
        )
        facts = {
            "hand": hand + 1,
            "low": int(state.low[hand, 0]),
            "high": int(state.high[hand, 0]),
            "cards": [int(card) for card in chosen],
        }
        self._watch("cards", facts)

    def hand(self, hand: int) -> None:
        """A hand has been played out."""
        state = self._state
        facts = {
            "hand": hand + 1,
            "shown": state.shown[self._players, 0].tolist(),
            "lives": state.lives[self._players, 0].tolist(),
            "alive": [bool(alive) for alive in state.alive[self._players, 0]],
            "goes_on": bool(state.running[0]),
        }
        self._watch("hand", facts)

    def score(self, number: int) -> None:
        """A round has been scored."""
        state = self._state
        points = state.round_scores[number, :, 0].tolist()
        scores = state.scores[self._players, 0].tolist()
        self._watch("score", {"round": number + 1, "points": points, "scores": scores})
