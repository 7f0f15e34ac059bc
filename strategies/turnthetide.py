"""Ways to play Turn the Tide, one idea each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.bits import highest_card, lowest_card, nth_card, random_cards
from analyzer.compilation import kernel
from analyzer.contracts import Strategy

Cards = NDArray[np.uint8]


@kernel
def _random(view: Any, params: Any, words: Any, out: Cards) -> None:
    random_cards(view.cards, view.cards_left, words, out)


random = Strategy(
    game="turnthetide",
    name="random",
    idea="Plays any remaining card, each with the same chance: the yardstick for all others.",
    hooks={"card": _random},
    stochastic=frozenset({"card"}),
)


@kernel
def _lowest(view: Any, params: Any, words: Any, out: Cards) -> None:
    for g in range(out.size):
        out[g] = lowest_card(view.cards[g])


lowest = Strategy(
    game="turnthetide",
    name="lowest",
    idea="Plays its lowest card, so as to take no tide card for as long as it can.",
    hooks={"card": _lowest},
)


@kernel
def _highest(view: Any, params: Any, words: Any, out: Cards) -> None:
    for g in range(out.size):
        out[g] = highest_card(view.cards[g])


highest = Strategy(
    game="turnthetide",
    name="highest",
    idea="Plays its highest card, so as to take the lower tide card while it still can.",
    hooks={"card": _highest},
)


@kernel
def _middle(view: Any, params: Any, words: Any, out: Cards) -> None:
    place = (view.cards_left - 1) // 2
    for g in range(out.size):
        out[g] = nth_card(view.cards[g], place)


middle = Strategy(
    game="turnthetide",
    name="middle",
    idea="Plays the middle one of its cards and keeps both ends for later.",
    hooks={"card": _middle},
)


@kernel
def _reactive(view: Any, params: Any, words: Any, out: Cards) -> None:
    for g in range(out.size):
        mine = view.shown[0, g]
        drowning = mine > 0 and mine == view.highest[g]
        low = lowest_card(view.cards[g])
        high = highest_card(view.cards[g])
        out[g] = high if drowning else low


reactive = Strategy(
    game="turnthetide",
    name="reactive",
    idea="Ducks with its lowest card until it shows the highest tide, then bids its highest.",
    hooks={"card": _reactive},
)
