"""Ways to play Mermaid Beach, one idea each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.compilation import row_kernel
from analyzer.contracts import Rules, Strategy
from analyzer.games.mermaidbeach import (
    ITEMS,
    MERFOLK,
    MONSTER,
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
SPECIAL = np.uint64(0x0FFFF00000000000)
"""Mask of the counts of merfolk, mean mermaids, waves and seaweed."""


@row_kernel
def _random_action(view: Any, params: Any, words: Any, out: Answers) -> None:
    # Digits of this number: merfolk, mean, a pair (put in later), ask, wave, seaweed.
    codes = np.uint64(0xED_F0_CB)
    (few_kinds,) = params
    playable = view.playable
    for g in range(out.size):
        able = playable[g]
        word = words[g]
        pairs = able & ITEMS
        # A digit is 1 if that can be played; sorts of cards are moved to where their digits are.
        sorts = (
            (able >> np.uint64(44) & np.uint64(0x11))
            | (np.uint64(pairs != 0) << np.uint64(8))
            | (able >> np.uint64(48) & np.uint64(0x1000))
            | (able >> np.uint64(36) & np.uint64(0x110000))
        )
        n = count(sorts)
        sort = nth_of_few(sorts, bounded(word, n))
        k = bounded(word * n, count(pairs))
        pair = nth_of_few(pairs, k) if few_kinds else nth(pairs, k)
        card = (codes >> (sort << np.uint64(2))) & np.uint64(15)
        out[g] = np.uint8(pair if sort == 2 else card)


@row_kernel
def _random_ask(view: Any, params: Any, words: Any, out: Answers) -> None:
    rivals = np.uint64(view.players - 1)
    (few_kinds,) = params
    hand = view.hand
    for g in range(out.size):
        kinds = held(hand[g] & ITEMS)
        word = words[g]
        n = count(kinds)
        k = bounded(word, n)
        kind = nth_of_few(kinds, k) if few_kinds else nth(kinds, k)
        opponent = ONE + bounded(word * n, rivals)
        out[g] = np.uint8(kind | opponent << np.uint64(4))


@row_kernel
def _random_shell(view: Any, params: Any, words: Any, out: Answers) -> None:
    last = view.players - 1
    one, two = view.shells[1], view.shells[min(2, last)]
    three, four = view.shells[min(3, last)], view.shells[last]
    there = (ONE << np.uint64(4 * view.players)) - np.uint64(1)
    for g in range(out.size):
        first = one[g]
        second = two[g]
        third = three[g]
        fourth = four[g]
        owners = np.uint64(first != 0) << np.uint64(4) | np.uint64(second != 0) << np.uint64(8)
        owners |= np.uint64(third != 0) << np.uint64(12) | np.uint64(fourth != 0) << np.uint64(16)
        owners &= there
        word = words[g]
        n = count(owners)
        opponent = nth_of_few(owners, bounded(word, n))
        pile = first
        pile = second if opponent == 2 else pile
        pile = third if opponent == 3 else pile
        pile = fourth if opponent == 4 else pile
        card = nth(pile, bounded(word * n, size(pile)))
        out[g] = np.uint8(card | opponent << np.uint64(4))


@row_kernel
def _random_seaweed(view: Any, params: Any, words: Any, out: Answers) -> None:
    rivals = np.uint64(view.players - 1)
    for g in range(out.size):
        out[g] = np.uint8(ONE + bounded(words[g], rivals))


@row_kernel
def _random_pass(view: Any, params: Any, words: Any, out: Answers) -> None:
    hand = view.hand
    for g in range(out.size):
        cards = hand[g]
        out[g] = np.uint8(nth(cards, bounded(words[g], size(cards))))


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


@row_kernel
def _greedy_action(view: Any, params: Any, words: Any, out: Answers) -> None:
    playable = view.playable
    # Sorts of special cards and of asking, from the first choice to the last.
    order = np.uint64(0xE_F_D_C_B)
    for g in range(out.size):
        able = playable[g]
        pairs = able & ITEMS
        merfolk = (able >> np.uint64(4 * MERFOLK)) & ONE
        # A digit is 1 if that can be played: merfolk, mean, wave, ask, seaweed.
        sorts = (
            (able >> np.uint64(44) & np.uint64(0x0111))
            | (able >> np.uint64(48) & np.uint64(0x1000))
            | (able >> np.uint64(40) & np.uint64(0x10000))
        )
        first = lowest(sorts) << np.uint64(2)
        special = (order >> first) & np.uint64(15)
        pair = (pairs != 0) & (merfolk == 0)
        out[g] = np.uint8(lowest(pairs) if pair else special)


@row_kernel
def _greedy_ask(view: Any, params: Any, words: Any, out: Answers) -> None:
    last = view.players - 1
    hand = view.hand
    one, two = view.sizes[1], view.sizes[min(2, last)]
    three, four = view.sizes[min(3, last)], view.sizes[last]
    for g in range(out.size):
        out[g] = np.uint8(lowest(hand[g] & ITEMS) & np.uint64(15))
    for g in range(out.size):
        kind = out[g]
        most = one[g]
        second = two[g]
        third = three[g]
        fourth = four[g]
        # The last opponent stands for those who are not there, and is chosen after the others.
        who = np.uint8(16)
        who = np.uint8(32) if second > most else who
        most = max(most, second)
        who = np.uint8(48) if third > most else who
        most = max(most, third)
        who = np.uint8(64) if fourth > most else who
        out[g] = kind | who


@row_kernel
def _greedy_shell(view: Any, params: Any, words: Any, out: Answers) -> None:
    last = view.players - 1
    one, two = view.shells[1], view.shells[min(2, last)]
    three, four = view.shells[min(3, last)], view.shells[last]
    for g in range(out.size):
        # As one number the higher shell and, of equal ones, the nearer opponent counts more.
        best = highest(one[g]) << np.uint64(4) | np.uint64(4)
        best = max(best, highest(two[g]) << np.uint64(4) | np.uint64(3))
        best = max(best, highest(three[g]) << np.uint64(4) | np.uint64(2))
        best = max(best, highest(four[g]) << np.uint64(4) | np.uint64(1))
        opponent = np.uint64(5) - (best & np.uint64(15))
        out[g] = np.uint8(best >> np.uint64(4) | opponent << np.uint64(4))


@row_kernel
def _greedy_seaweed(view: Any, params: Any, words: Any, out: Answers) -> None:
    last = view.players - 1
    one, two = view.shells[1], view.shells[min(2, last)]
    three, four = view.shells[min(3, last)], view.shells[last]
    for g in range(out.size):
        best = points(one[g]) << np.uint64(4) | np.uint64(4)
        best = max(best, points(two[g]) << np.uint64(4) | np.uint64(3))
        best = max(best, points(three[g]) << np.uint64(4) | np.uint64(2))
        best = max(best, points(four[g]) << np.uint64(4) | np.uint64(1))
        out[g] = np.uint8(np.uint64(5) - (best & np.uint64(15)))


@row_kernel
def _greedy_pass(view: Any, params: Any, words: Any, out: Answers) -> None:
    hand = view.hand
    for g in range(out.size):
        cards = hand[g]
        items = held(cards) & ITEMS
        lone = items & ~held_twice(cards)
        # From the last choice to the first: of the special cards, the highest sort but a monster.
        special = highest(cards & SPECIAL)
        card = lowest(items) if items != 0 else special
        card = lowest(lone) if lone != 0 else card
        monster = cards >> np.uint64(4 * MONSTER)
        card = np.uint64(MONSTER) if monster != 0 else card
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
