"""Ways to play Mermaid Beach, one idea each.

`random` and `greedy` are the yardsticks. The others are `greedy` with some decisions replaced, so
that a difference between two of them is one idea: `attentive` asks with memory and
`attentive-forgetful` without, `racing` ends games that it leads, `wary` fears the monster and aims
at the leader, `patient` keeps pairs back while starfish threaten, `shrewd` puts together what
helps. How all of them fare is measured in ``docs/strategies-mermaidbeach.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Parameter, Rules, Strategy
from analyzer.games.mermaidbeach.rules import beach_cards
from analyzer.games.mermaidbeach.state import (
    ASK,
    ITEMS,
    MEAN,
    MERFOLK,
    MONSTER,
    SEAWEED,
    STARFISH_LEFT,
    STARFISH_RIGHT,
    WAVE,
)
from analyzer.kernels.compilation import kernel, row_kernel
from analyzer.kernels.piles import (
    count,
    has,
    held,
    held_twice,
    highest,
    lowest,
    nth,
    nth_of_few,
    points,
    size,
)
from analyzer.kernels.random import bounded

Answers = NDArray[np.uint8]
Whole = Any
"""A whole number of whatever width, inside kernels."""

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


@kernel
def _flag(flags: Any, sort: Whole) -> Any:
    """1 if a sort is in a set, else 0."""
    return (np.uint64(flags) >> np.uint64(4 * sort)) & ONE


# --- asking for what others are known to have ----------------------------------------------------
#
# Of a kind, so many copies are neither mine nor discarded nor known to be somewhere. Each lies with
# equal chance in any of the places that may hold it: the deck, and the hands not known to lack it.


@kernel
def _chance_to_hold(copies: Whole, places: Whole, cards: Whole) -> float:
    """Chance that one of the copies or more, spread over the places, is among a hand's cards."""
    without = 1.0
    for i in range(copies):
        left = np.float64(places - i)
        without *= max(left - cards, 0.0) / max(left, 1.0)
    return 1.0 - without


@kernel
def _best_question(
    hand: Any,
    gone: Any,
    sizes: Any,
    holds: Any,
    lacks: Any,
    trust: float,
    copies: Whole,
    cards: Whole,
) -> Any:
    """The question with the best chance; of equal ones the lowest kind, then the nearest opponent.

    ``sizes`` (P,) are the hands' sizes, ``holds`` and ``lacks`` (P,) the sets of kinds that each
    player is known to hold or not to hold, ``gone`` is the discard pile; ``cards`` and ``copies``
    are those of the whole deck and of each kind.
    """
    unseen = cards - np.int64(size(hand)) - np.int64(size(gone))
    best = -1.0
    answer = np.uint64(0)
    kinds = held(hand & ITEMS)
    while kinds != 0:
        kind: Whole = lowest(kinds)
        kinds &= kinds - ONE
        left = copies - np.int64(has(hand, kind)) - np.int64(has(gone, kind))
        places = unseen
        for d in range(1, sizes.size):
            if _flag(holds[d], kind) != 0:
                left -= 1
            elif _flag(lacks[d], kind) != 0:
                places -= sizes[d]
        for d in range(1, sizes.size):
            chance = _chance_to_hold(max(left, 0), places, sizes[d])
            chance = 0.0 if _flag(lacks[d], kind) != 0 else chance
            chance = trust if _flag(holds[d], kind) != 0 else chance
            if chance > best:
                best = chance
                answer = kind | np.uint64(16 * d)
    return np.uint8(answer)


@kernel
def _attentive_ask(view: Any, params: Any, words: Any, out: Answers) -> None:
    trust, copies, cards = params
    sizes = np.zeros(view.players, np.int64)
    holds = np.zeros(view.players, np.uint64)
    lacks = np.zeros(view.players, np.uint64)
    for g in range(out.size):
        if view.active[g] == 0:
            continue
        for d in range(1, view.players):
            sizes[d] = view.sizes[d, g]
            holds[d] = view.asked[d, g] | held(view.passed[d, g])
            lacks[d] = view.lacks[d, g] & ~holds[d]
        gone = view.beach_discard[g]
        out[g] = _best_question(view.hand[g], gone, sizes, holds, lacks, trust, copies, cards)


@kernel
def _forgetful_ask(view: Any, params: Any, words: Any, out: Answers) -> None:
    trust, copies, cards = params
    sizes = np.zeros(view.players, np.int64)
    nothing = np.zeros(view.players, np.uint64)
    for g in range(out.size):
        if view.active[g] == 0:
            continue
        for d in range(1, view.players):
            sizes[d] = view.sizes[d, g]
        gone = view.beach_discard[g]
        out[g] = _best_question(view.hand[g], gone, sizes, nothing, nothing, trust, copies, cards)


def _with_deck(rules: Rules, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """Parameters, then copies of each kind of item, and cards of the beach deck."""
    return (*params, rules["item_copies"], sum(beach_cards(rules).values()))


TRUST = Parameter(
    "trust", "float", 0.9, "chance that a card still is where it was last known to be", 0, 1
)

attentive = replace(
    greedy,
    name="attentive",
    idea="Remembers who asked for what, who lacks what and what it passed to whom, and puts the "
    "question that most likely is met; otherwise it plays like greedy.",
    hooks={**greedy.hooks, "ask": _attentive_ask},
    sees=("discards", "asked", "lacks", "passed"),
    parameters=(TRUST,),
    prepare=_with_deck,
    origin="The memory that Go Fish is about: whoever asks for a kind has it, and whoever is asked "
    "in vain has not.",
    claims={"random": 0.37, "greedy": 0.26},
)

attentive_forgetful = replace(
    attentive,
    name="attentive-forgetful",
    idea="Counts hands and the discard pile as attentive does, but remembers no question and no "
    "card passed.",
    hooks={**greedy.hooks, "ask": _forgetful_ask},
    sees=("discards",),
    origin="The twin of attentive: what it wins less is what remembering is worth.",
    claims={"random": 0.355, "greedy": 0.245},
)


# --- racing to the end when ahead ----------------------------------------------------------------


@kernel
def _lead(hand: Any, shells: Any, g: int) -> Whole:
    """My points less the most that an opponent has, a monster in my hand fed from mine."""
    mine = shells[0, g]
    top: Whole = highest(held(mine))
    meal = top * has(mine, top) * np.uint64(has(hand, MONSTER) != 0)
    most = np.uint64(0)
    for d in range(1, shells.shape[0]):
        most = max(most, points(shells[d, g]))
    return np.int64(points(mine)) - np.int64(meal) - np.int64(most)


@kernel
def _racing_action(view: Any, params: Any, words: Any, out: Answers) -> None:
    lead, near = params
    for g in range(out.size):
        playable = view.playable[g]
        hand = view.hand[g]
        pairs = playable & ITEMS
        ahead = _lead(hand, view.shells, g) >= lead
        hurries = ahead and np.int64(size(hand)) <= near
        # From the last choice to the first. A question may make the hand larger, seaweed and waves
        # surely make it smaller: whoever hurries plays them first, whoever is behind keeps them.
        action = np.uint64(SEAWEED)
        action = np.uint64(WAVE) if _flag(playable, WAVE) and not ahead else action
        action = np.uint64(ASK) if _flag(playable, ASK) else action
        action = np.uint64(SEAWEED) if hurries and _flag(playable, SEAWEED) else action
        action = np.uint64(WAVE) if ahead and _flag(playable, WAVE) else action
        action = np.uint64(MEAN) if _flag(playable, MEAN) else action
        action = lowest(pairs) if pairs != 0 else action
        action = np.uint64(MERFOLK) if _flag(playable, MERFOLK) else action
        out[g] = np.uint8(action)


@kernel
def _racing_beach(view: Any, params: Any, words: Any, out: Answers) -> None:
    lead, _ = params
    for g in range(out.size):
        # Whoever is behind keeps a card that would end the game by emptying the hand.
        hand = view.hand[g]
        played = 2 if view.card[g] < MERFOLK else 1
        ends = np.int64(size(hand)) == played and view.card[g] != MERFOLK
        out[g] = np.uint8(not ends or _lead(hand, view.shells, g) >= lead)


racing = replace(
    greedy,
    name="racing",
    idea="Clearly ahead on shells, it throws its last cards away to end the game while it leads; "
    "behind, it keeps asking and does not end the game with a card it has just drawn.",
    hooks={**greedy.hooks, "action": _racing_action, "beach": _racing_beach},
    parameters=(
        Parameter("lead", "int", 7, "points ahead from which it wants the end", -40, 40),
        Parameter("near", "int", 2, "cards in hand from which it hurries", 0, 60),
    ),
    origin="Whoever leads when the game ends has won; a monster in hand is fed from the lead.",
    claims={"random": 0.355, "greedy": 0.245},
)


# --- monster and leader --------------------------------------------------------------------------


@kernel
def _wary_action(view: Any, params: Any, words: Any, out: Answers) -> None:
    for g in range(out.size):
        playable = view.playable[g]
        pairs = playable & ITEMS
        haunted = has(view.hand[g], MONSTER) != 0
        # From the last choice to the first. Only a starfish takes a monster away: as long as it is
        # here, what may draw a shell card comes before what does not.
        action = np.uint64(SEAWEED)
        action = np.uint64(ASK) if _flag(playable, ASK) else action
        waves = _flag(playable, WAVE) != 0 and not (haunted and action == ASK)
        action = np.uint64(WAVE) if waves else action
        action = np.uint64(MEAN) if _flag(playable, MEAN) else action
        action = lowest(pairs) if pairs != 0 else action
        action = np.uint64(MERFOLK) if _flag(playable, MERFOLK) else action
        out[g] = np.uint8(action)


@kernel
def _leaders_shell(view: Any, params: Any, words: Any, out: Answers) -> None:
    (envy,) = params
    for g in range(out.size):
        best = -1.0
        for d in range(1, view.players):
            pile = view.shells[d, g]
            top = highest(held(pile))
            worth = np.float64(top) + envy * np.float64(points(pile))
            if pile != 0 and worth > best:
                best = worth
                out[g] = np.uint8(top | np.uint64(16 * d))


wary = replace(
    greedy,
    name="wary",
    idea="Gets rid of the sea monster first, by drawing shells in search of a starfish, and takes "
    "and washes away the leader's shells rather than the highest ones.",
    hooks={**greedy.hooks, "action": _wary_action, "shell": _leaders_shell},
    parameters=(
        Parameter("envy", "float", 1.0, "weight of the owner's points beside the shell's", 0, 10),
    ),
    origin="A shell that the leader loses is worth more than one that anybody else loses.",
    claims={"random": 0.36, "greedy": 0.245},
)


# --- pairs and starfish --------------------------------------------------------------------------


@kernel
def _patient_action(view: Any, params: Any, words: Any, out: Answers) -> None:
    threat, starfish = params
    for g in range(out.size):
        playable = view.playable[g]
        pairs = playable & ITEMS
        gone = view.shell_discard[g]
        left = starfish - np.int64(has(gone, STARFISH_LEFT) + has(gone, STARFISH_RIGHT))
        waits = left >= threat * view.shell_deck[g]
        # From the last choice to the first.
        action = np.uint64(SEAWEED)
        action = np.uint64(ASK) if _flag(playable, ASK) else action
        action = np.uint64(WAVE) if _flag(playable, WAVE) else action
        action = np.uint64(MEAN) if _flag(playable, MEAN) else action
        action = lowest(pairs) if pairs != 0 else action
        action = np.uint64(MERFOLK) if _flag(playable, MERFOLK) else action
        action = np.uint64(SEAWEED) if waits and _flag(playable, SEAWEED) else action
        action = np.uint64(WAVE) if waits and _flag(playable, WAVE) else action
        action = np.uint64(MEAN) if waits and _flag(playable, MEAN) else action
        out[g] = np.uint8(action)


def _with_starfish(rules: Rules, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """Parameters, then starfish in the shell deck."""
    return (*params, rules["starfish_left"] + rules["starfish_right"])


patient = replace(
    greedy,
    name="patient",
    idea="Counts the starfish: while many of the shells left are starfish it keeps pairs and "
    "merfolk back and plays what draws no shell, so that others turn the starfish up.",
    hooks={**greedy.hooks, "action": _patient_action},
    sees=("discards",),
    parameters=(
        Parameter("threat", "float", 0.4, "share of starfish from which it keeps pairs back", 0, 1),
    ),
    prepare=_with_starfish,
    origin="A pair that turns up a starfish is gone for nothing, and everybody passes a card.",
    claims={"random": 0.35, "greedy": 0.24},
)


# --- all of it -----------------------------------------------------------------------------------
#
# Parts of a strategy share one tuple of parameters; these give each part its own.


@kernel
def _shrewd_ask(view: Any, params: Any, words: Any, out: Answers) -> None:
    trust, _, _, copies, cards = params
    _attentive_ask(view, (trust, copies, cards), words, out)


@kernel
def _shrewd_shell(view: Any, params: Any, words: Any, out: Answers) -> None:
    _leaders_shell(view, (params[1],), words, out)


@kernel
def _shrewd_beach(view: Any, params: Any, words: Any, out: Answers) -> None:
    _racing_beach(view, (params[2], 0), words, out)


shrewd = replace(
    attentive,
    name="shrewd",
    idea="Asks as attentive does, fears the monster and envies the leader as wary does, and "
    "like racing does not end a game that it is losing.",
    hooks={**wary.hooks, "ask": _shrewd_ask, "shell": _shrewd_shell, "beach": _shrewd_beach},
    parameters=(TRUST, *wary.parameters, racing.parameters[0]),
    origin="Decisions of the others, put together: each is a hook of its own.",
    claims={"random": 0.37, "greedy": 0.26},
)
