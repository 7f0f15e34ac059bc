"""Drawing beach cards, and a new deck of those discarded where there are none left."""

from __future__ import annotations

import numpy as np

from analyzer.games.mermaidbeach.state import NONE, ONE, Bytes, Piles, Shorts, State
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.piles import place_of, size
from analyzer.kernels.random import GAMMA, bounded, mix64


@part_kernel
def recycle(pile: np.uint64, state: State, g: int | np.int64) -> None:
    """Make the discard pile of lane g its beach deck, given what the whole deck was."""
    rest = pile
    for row in range(state.hands.shape[0]):
        rest -= state.hands[row, g]
    cards = size(rest)
    state.beach_deck[g] = rest
    state.beach_left[g] = np.uint8(cards)
    state.recycled[g] = np.uint16(state.recycled[g] + cards)


@row_kernel
def draw_card(
    need: Bytes,
    keys: Piles,
    left: Bytes,
    recycled: Shorts,
    last_word: np.uint64,
    deck: Piles,
    hand: Piles,
    drawn: Bytes,
    matches: Bytes,
) -> None:
    """Draw a beach card into the hand where one is needed; mark where its like was there.

    ``last_word`` is the number of the word after those of a whole deck.
    """
    for g in range(need.size):
        wants = need[g] != 0
        cards = np.uint64(left[g])
        before = np.uint64(recycled[g])
        pile = deck[g]
        mine = hand[g]
        word = mix64(keys[g] + (last_word - cards + before) * GAMMA)
        place = place_of(pile, bounded(word, cards))
        card = ONE << place
        card = card if wants else np.uint64(0)
        deck[g] = pile - card
        hand[g] = mine + card
        sort = place >> np.uint64(2)
        drawn[g] = np.uint8(sort if wants else np.uint64(NONE))
        matches[g] = np.uint8(((mine >> place) & np.uint64(15)) != 0)


@row_kernel
def draw_elsewhere(
    keys: Piles, left: Bytes, recycled: Shorts, last_word: np.uint64, deck: Piles, drawn: Piles
) -> None:
    """Draw a beach card in every column, as a pile of one, or of none if there is none."""
    for c in range(keys.size):
        cards = np.uint64(left[c])
        pile = deck[c]
        word = mix64(keys[c] + (last_word - cards + np.uint64(recycled[c])) * GAMMA)
        place = place_of(pile, bounded(word, cards))
        one = np.uint64(cards != 0)
        drawn[c] = one << place
        deck[c] = pile - (one << place)
        left[c] = np.uint8(cards - one)
