"""Ways to play Mermaid Beach, one idea each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.compilation import kernel
from analyzer.contracts import Rules, Strategy
from analyzer.games.mermaidbeach import (
    ASK,
    ITEMS,
    MEAN,
    MERFOLK,
    MONSTER,
    SEAWEED,
    WAVE,
    count,
    held,
    held_twice,
    highest,
    lowest,
    nth,
    nth_of_few,
    points,
    size,
)
from analyzer.random import bounded

Answers = NDArray[np.uint8]

ONE = np.uint64(1)


@kernel
def _flag(flags: np.uint64, sort: int) -> np.uint64:
    """1 if a sort is in a set, else 0."""
    return (np.uint64(flags) >> np.uint64(4 * sort)) & ONE


@kernel
def _random_action(view: Any, params: Any, words: Any, out: Answers) -> None:
    # Digits of this number: merfolk, mean, a pair (put in later), ask, wave, seaweed.
    codes = np.uint64(0xED_F0_CB)
    (few_kinds,) = params
    for g in range(out.size):
        playable = view.playable[g]
        pairs = playable & ITEMS
        sorts = (
            _flag(playable, MERFOLK)
            | _flag(playable, MEAN) << np.uint64(4)
            | np.uint64(pairs != 0) << np.uint64(8)
            | _flag(playable, ASK) << np.uint64(12)
            | _flag(playable, WAVE) << np.uint64(16)
            | _flag(playable, SEAWEED) << np.uint64(20)
        )
        n = count(sorts)
        sort = nth_of_few(sorts, bounded(words[g], n))
        k = bounded(words[g] * n, count(pairs))
        pair = nth_of_few(pairs, k) if few_kinds else nth(pairs, k)
        card = (codes >> (sort << np.uint64(2))) & np.uint64(15)
        out[g] = np.uint8(pair if sort == 2 else card)


@kernel
def _random_ask(view: Any, params: Any, words: Any, out: Answers) -> None:
    rivals = np.uint64(view.players - 1)
    (few_kinds,) = params
    for g in range(out.size):
        kinds = held(view.hand[g] & ITEMS)
        n = count(kinds)
        k = bounded(words[g], n)
        kind = nth_of_few(kinds, k) if few_kinds else nth(kinds, k)
        opponent = ONE + bounded(words[g] * n, rivals)
        out[g] = np.uint8(kind | opponent << np.uint64(4))


@kernel
def _random_shell(view: Any, params: Any, words: Any, out: Answers) -> None:
    owners = np.zeros(out.size, np.uint64)
    piles = np.zeros(out.size, np.uint64)
    for d in range(1, view.players):
        shells = view.shells[d]
        for g in range(out.size):
            owners[g] |= np.uint64(shells[g] != 0) << np.uint64(4 * d)
    for g in range(out.size):
        out[g] = nth_of_few(owners[g], bounded(words[g], count(owners[g])))
    for d in range(1, view.players):
        shells = view.shells[d]
        opponent = np.uint8(d)
        for g in range(out.size):
            pile = shells[g]
            piles[g] |= pile if out[g] == opponent else np.uint64(0)
    for g in range(out.size):
        word = words[g] * count(owners[g])
        card = nth(piles[g], bounded(word, size(piles[g])))
        out[g] = np.uint8(card) | out[g] << np.uint8(4)


@kernel
def _random_seaweed(view: Any, params: Any, words: Any, out: Answers) -> None:
    for g in range(out.size):
        out[g] = np.uint8(ONE + bounded(words[g], view.players - 1))


@kernel
def _random_pass(view: Any, params: Any, words: Any, out: Answers) -> None:
    for g in range(out.size):
        hand = view.hand[g]
        out[g] = np.uint8(nth(hand, bounded(words[g], size(hand))))


def _few_kinds(rules: Rules, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """Whether no hand can hold more kinds of items than `nth_of_few` takes."""
    return (rules["item_kinds"] <= 8,)


random = Strategy(
    game="mermaidbeach",
    name="random",
    idea="Does any kind of thing it can, each with the same chance: the yardstick for all others.",
    hooks={
        "action": _random_action,
        "ask": _random_ask,
        "shell": _random_shell,
        "seaweed": _random_seaweed,
        "pass": _random_pass,
    },
    stochastic=frozenset({"action", "ask", "shell", "seaweed", "pass"}),
    prepare=_few_kinds,
)


@kernel
def _greedy_action(view: Any, params: Any, words: Any, out: Answers) -> None:
    for g in range(out.size):
        playable = view.playable[g]
        pairs = playable & ITEMS
        # From the last choice to the first.
        action = np.uint64(SEAWEED)
        action = np.uint64(ASK) if _flag(playable, ASK) else action
        action = np.uint64(WAVE) if _flag(playable, WAVE) else action
        action = np.uint64(MEAN) if _flag(playable, MEAN) else action
        action = lowest(pairs) if pairs != 0 else action
        action = np.uint64(MERFOLK) if _flag(playable, MERFOLK) else action
        out[g] = np.uint8(action)


@kernel
def _greedy_ask(view: Any, params: Any, words: Any, out: Answers) -> None:
    for g in range(out.size):
        out[g] = np.uint8(lowest(held(view.hand[g] & ITEMS))) & np.uint8(15)
    most = np.zeros(512, np.uint8)
    who = np.zeros(512, np.uint8)
    for start in range(0, out.size, 512):
        end = min(start + 512, out.size)
        for i in range(end - start):
            most[i] = 0
        for d in range(1, view.players):
            cards = view.sizes[d, start:end]
            for i in range(end - start):
                more = cards[i] > most[i]
                before = who[i]
                who[i] = np.uint8(16 * d) if more else before
                most[i] = max(most[i], cards[i])
        answers = out[start:end]
        for i in range(end - start):
            answers[i] |= who[i]


@kernel
def _greedy_shell(view: Any, params: Any, words: Any, out: Answers) -> None:
    # As one number the higher shell and, of equal ones, the nearer opponent counts more.
    best = np.zeros(out.size, np.uint64)
    for d in range(1, view.players):
        shells = view.shells[d]
        nearness = np.uint64(view.players - d)
        for g in range(out.size):
            best[g] = max(best[g], highest(held(shells[g])) << np.uint64(4) | nearness)
    for g in range(out.size):
        opponent = np.uint64(view.players) - (best[g] & np.uint64(15))
        out[g] = np.uint8(best[g] >> np.uint64(4) | opponent << np.uint64(4))


@kernel
def _greedy_seaweed(view: Any, params: Any, words: Any, out: Answers) -> None:
    best = np.zeros(out.size, np.uint64)
    for d in range(1, view.players):
        shells = view.shells[d]
        nearness = np.uint64(view.players - d)
        for g in range(out.size):
            best[g] = max(best[g], points(shells[g]) << np.uint64(4) | nearness)
    for g in range(out.size):
        out[g] = np.uint8(np.uint64(view.players) - (best[g] & np.uint64(15)))


@kernel
def _greedy_pass(view: Any, params: Any, words: Any, out: Answers) -> None:
    for g in range(out.size):
        hand = view.hand[g]
        cards = held(hand)
        items = cards & ITEMS
        lone = items & ~held_twice(hand)
        # From the last choice to the first.
        card = np.uint64(MERFOLK)
        card = np.uint64(MEAN) if _flag(cards, MEAN) else card
        card = np.uint64(WAVE) if _flag(cards, WAVE) else card
        card = np.uint64(SEAWEED) if _flag(cards, SEAWEED) else card
        card = lowest(items) if items != 0 else card
        card = lowest(lone) if lone != 0 else card
        card = np.uint64(MONSTER) if _flag(cards, MONSTER) else card
        out[g] = np.uint8(card)


greedy = Strategy(
    game="mermaidbeach",
    name="greedy",
    idea="Takes a shell card wherever it can, and passes what is worth least to itself.",
    hooks={
        "action": _greedy_action,
        "ask": _greedy_ask,
        "shell": _greedy_shell,
        "seaweed": _greedy_seaweed,
        "pass": _greedy_pass,
    },
)
