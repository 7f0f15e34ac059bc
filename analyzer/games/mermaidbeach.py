"""Mermaid Beach: match beach items, collect shells, do not be caught with the sea monster.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-mermaidbeach.md``.
Games differ in length, so lanes are refilled: in every step each lane plays one whole turn, and a
lane whose game is over takes up the next game number.

A pile of cards is a uint64 with sixteen counts of four bits, one a sort of card. Of the beach
cards, sorts 0 to 10 are the kinds of items, 11 merfolk, 12 mean mermaids, 13 sneaker waves, 14
seaweed, 15 sea monsters. Of the shell cards, sort v has v points (1 to 13), 14 and 15 are starfish
that pass to the left and to the right. A set of sorts is a pile with counts of 0 and 1.

State, one column a lane (P players, N lanes, G different strategies at the table). Rows are
relative to the player to move: row 0 is theirs, row d that of the d-th player to the left. A turn
ends by rotating the rows, unless the player has another turn.

=============  ========  =======  ==================================================================
field          dtype     shape    meaning
=============  ========  =======  ==================================================================
places         int64     (N,)     which game of the batch this is; the one after the last if idle
live           uint8     (N,)     1 = a game of the batch, 0 = idle: no more games to take up
keys           uint64    (N,)     the games' chance
seat           uint8     (N,)     seat of the player to move
first          uint8     (N,)     seat of the player who began
turn           uint16    (N,)     turns played
hand           uint64    (N,)     beach cards of the player to move; an array of its own, so that no
                                  view can reach a rival's cards
others         uint64    (P-1,N)  the other players' beach cards
shells         uint64    (P, N)   shell cards before each player
beach_deck     uint64    (N,)     cards left to draw; whatever is neither here nor in a hand has
shell_deck     uint64    (N,)     been discarded
recycled       uint16    (N,)     discarded cards that became the beach deck anew
asks, met      uint16    (N,)     questions asked in the game; questions met
asked, lacks   uint64    (P, N)   what the questions told (only if a strategy sees it): see `View`
gave           uint8     (P, N)   card each passed at the last starfish      (likewise)
toward         uint8     (N,)     that starfish                              (likewise)
=============  ========  =======  ==================================================================

One step asks for these decisions, in this order: ``action``; ``ask`` where that is the action;
``beach`` where the card drawn for a question that was not met can be played; ``seaweed`` and
``shell`` for whoever played such a card; ``pass`` of everybody where a starfish came up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.bits import count_cards
from analyzer.compilation import code_for, kernel
from analyzer.contracts import (
    Decision,
    Hook,
    Metric,
    Outcome,
    Rules,
    Seat,
    Setting,
    Tally,
    Watcher,
)
from analyzer.errors import RulesError, StrategyFailed
from analyzer.random import GAMMA, bounded, game_key, mix64, seed_key

__all__ = [
    "ASK",
    "FLAGS",
    "GAME",
    "ITEMS",
    "KINDS",
    "MEAN",
    "MERFOLK",
    "MONSTER",
    "SEAWEED",
    "STARFISH_LEFT",
    "STARFISH_RIGHT",
    "WAVE",
    "Table",
    "View",
    "count",
    "has",
    "held",
    "held_twice",
    "highest",
    "lowest",
    "nth",
    "nth_of_few",
    "pile_of",
    "points",
    "size",
]

KINDS = 11
"""Most kinds of items; their sorts are 0 to 10."""
MERFOLK, MEAN, WAVE, SEAWEED, MONSTER = 11, 12, 13, 14, 15
ASK = 15
"""The action that plays no card; the number is free because a sea monster cannot be played."""
STARFISH_LEFT, STARFISH_RIGHT = 14, 15
MOST_POINTS = 13
MOST_CARDS = 127
"""Cards of a deck, at most: where `nth` reaches."""

PURPOSE_BEACH = 1
PURPOSE_SHELL = 2
PURPOSE_FIRST = 3
PURPOSE_DECIDE = 16
ACTION_WORD, ASK_WORD, BEACH_WORD, SHELL_WORD, SEAWEED_WORD, PASS_WORD = range(6)

OUT_OF_CARDS, MONSTER_ALONE, UNFINISHED = 1, 2, 3
IDLE = 16
"""What a lane without a game does."""
NONE = 255
"""No card."""

KEYS, TICKETS, COUNTS, BEACH_DECK, SHELL_DECK, OTHERS = range(6)
HAND, PLAYABLE = range(2)
(
    LIVE, SEAT, RIVALS, BEACH_LEFT, SHELL_LEFT, ACTION, QUESTION, GIVES, DRAWN, OFFER, PLAYED,
    SHELL_CARD, ENDED, LEFT_TO_DO, SIZES,
) = range(15)  # fmt: skip
AIMED, FISH, OVER = range(3)
(
    SEED, BEACH, SHELL, BEACH_CARDS, SHELL_CARDS, HAND_SIZE, MAX_TURNS, ASK_FREELY, PLAY_AT_BEACH,
    RANDOM_FIRST, CHANCE, FACTS,
) = range(12)  # fmt: skip
QUEUE_KEYS, QUEUE_DECK, QUEUE_HANDS = range(3)
DEALT, QUEUED, FILLED, STARTED, FINISHED, AT_ONCE, BOOKS = range(7)

TILE = 512
QUEUE = 4096
BLOCKS = 256
WIN = 60
COLUMNS = 64
LEAST_LANES = 256
MOST_LANES = 31 * BLOCKS
"""More do not fit into the second-level cache."""
LANES_SQUARED = 1000
"""Square of the lanes that suit one game; the number grows with the root of the games, since a step
costs a fixed time for its calls and another one for each lane, and at the end lanes fall idle."""

ONE = np.uint64(1)
FLAGS = np.uint64(0x1111111111111111)
"""The set of all sorts."""
ITEMS = np.uint64(0x00000FFFFFFFFFFF)
"""Mask of the counts of items."""
NO_MONSTER = np.uint64(0x0FFFFFFFFFFFFFFF)
EVEN = np.uint64(0x0F0F0F0F0F0F0F0F)
EACH = np.uint64(0x0101010101010101)
TOP = np.uint64(0x8080808080808080)

Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint16]
Piles = NDArray[np.uint64]
Listed = NDArray[np.uint32]


class View(NamedTuple):
    """What a seat may know, one column a game; row 0 is me, row d the d-th player to my left.

    Arrays are read-only. Optional parts are None unless the strategy declares that it ``sees``
    them. Where a target or a card to pass is wanted (``shell``, ``seaweed``, ``pass``), only the
    parts named there are shown, unless the strategy sees ``"table"``: then all of them are.

    Attributes
    ----------
    active
        (N,) uint8, 1 where the decision is asked for; elsewhere values are in range and mean
        nothing.
    hand
        (N,) uint64, my beach cards, a pile; None at ``shell`` and ``seaweed``.
    playable
        (N,) uint64, the set of actions I may choose at ``action``: sort of the card, an item
        standing for a pair of it, and `ASK`. None later on.
    sizes
        (P, N) uint8, cards in each hand; None at ``shell``, ``seaweed`` and ``pass``.
    shells
        (P, N) uint64, shell cards of each player; None at ``pass``.
    beach_deck, shell_deck
        (N,) uint8, cards left in each deck; None at ``shell``, ``seaweed`` and ``pass``.
    turn
        (N,) uint16, turns played before this one; None at ``shell``, ``seaweed`` and ``pass``.
    card
        (N,) uint8, what the decision is about: at ``beach`` the card just drawn, which is in
        ``hand`` already; at ``shell`` the card just played, `MEAN` or `WAVE`; at ``pass`` the
        starfish. Otherwise None.
    beach_discard, shell_discard
        (N,) uint64, the discard piles, if it sees ``"discards"``.
    asked
        (P, N) uint64, if it sees ``"asked"``: kinds that each player asked for in vain, and has
        neither paired nor given away since. They held it when asking.
    lacks
        (P, N) uint64, if it sees ``"lacks"``: kinds that each player is known not to hold. Nothing
        is known any more of a player who has taken a card unseen.
    passed
        (P, N) uint64, if it sees ``"passed"``: the card I passed each player at the last starfish,
        if none of its sort has left that hand openly since.
    players
        Players at the table.
    """

    active: Bytes
    hand: Piles | None
    playable: Piles | None
    sizes: Bytes | None
    shells: Piles | None
    beach_deck: Bytes | None
    shell_deck: Bytes | None
    turn: Shorts | None
    card: Bytes | None
    beach_discard: Piles | None
    shell_discard: Piles | None
    asked: Piles | None
    lacks: Piles | None
    passed: Piles | None
    players: int


# --- piles: helpers for strategies, too -----------------------------------------------------------


@kernel
def size(pile: np.uint64) -> np.uint64:
    """Cards in a pile of at most 127."""
    x = np.uint64(pile)
    pairs = (x & EVEN) + ((x >> np.uint64(4)) & EVEN)
    return (pairs * EACH) >> np.uint64(56)


@kernel
def held(pile: np.uint64) -> np.uint64:
    """The set of sorts in a pile."""
    x = np.uint64(pile)
    x |= x >> ONE
    return (x | x >> np.uint64(2)) & FLAGS


@kernel
def held_twice(pile: np.uint64) -> np.uint64:
    """The set of sorts of which there are two or more in a pile."""
    x = np.uint64(pile)
    return (x >> ONE | x >> np.uint64(2) | x >> np.uint64(3)) & FLAGS


@kernel
def has(pile: np.uint64, sort: int) -> np.uint64:
    """How many cards of a sort, 0..15, are in a pile."""
    return (np.uint64(pile) >> (np.uint64(sort) << np.uint64(2))) & np.uint64(15)


@kernel
def count(flags: np.uint64) -> np.uint64:
    """How many sorts are in a set."""
    return count_cards(flags)


@kernel
def lowest(flags: np.uint64) -> np.uint64:
    """Lowest sort of a set; 16 for the empty set."""
    x = np.uint64(flags)
    return count_cards((x - ONE) & ~x) >> np.uint64(2)


@kernel
def highest(flags: np.uint64) -> np.uint64:
    """Highest sort of a set; 0 for the empty set."""
    x = np.uint64(flags)
    x |= x >> np.uint64(4)
    x |= x >> np.uint64(8)
    x |= x >> np.uint64(16)
    x |= x >> np.uint64(32)
    steps = count_cards(x & FLAGS)
    return steps - np.uint64(steps != 0)


@kernel
def _place(pile: np.uint64, index: np.uint64) -> np.uint64:
    """Four times the sort of the card at an index of a pile: where its count begins.

    The bytes of ``above`` hold 128 + index - the cards of all sorts up to that byte's two; they
    cannot borrow from each other, and their top bits tell how many bytes end at or before index.
    """
    x = np.uint64(pile)
    k = np.uint64(index)
    even = x & EVEN
    pairs = even + ((x >> np.uint64(4)) & EVEN)
    above = (k - pairs) * EACH + TOP
    start = (count_cards(above & TOP) << np.uint64(3)) & np.uint64(63)
    rest = ((above << np.uint64(8) | k) >> start) & np.uint64(127)
    odd = np.uint64(rest >= ((even >> start) & np.uint64(255)))
    return start | odd << np.uint64(2)


@kernel
def nth(pile: np.uint64, index: int | np.uint64) -> np.uint64:
    """Sort of the card at an index, from 0, with the cards of a pile in order of sorts.

    The pile has more than ``index`` cards and at most 127. Works on sets, too.
    """
    return _place(pile, np.uint64(index)) >> np.uint64(2)


@kernel
def nth_of_few(flags: np.uint64, index: int | np.uint64) -> np.uint64:
    """The same as `nth` for sets of at most 8 sorts, in a third of the steps.

    The product's counts are 7 - index + the sorts up to each one: 8 and more from the wanted one on.
    """
    sums = (np.uint64(flags) + np.uint64(7) - np.uint64(index)) * FLAGS
    return np.uint64(16) - count_cards(sums & (FLAGS << np.uint64(3)))


@kernel
def points(pile: np.uint64) -> np.uint64:
    """Points of a pile of shell cards: the sum of its sorts.

    With S_j the cards of sorts 2j and 2j + 1 and P_j = S_0 + ... + S_j, the sum of j S_j is
    8 P_7 - (P_0 + ... + P_7).
    """
    x = np.uint64(pile)
    odd = (x >> np.uint64(4)) & EVEN
    sums = ((x & EVEN) + odd) * EACH
    halves = np.uint64(0x00FF00FF00FF00FF)
    total = ((sums & halves) + ((sums >> np.uint64(8)) & halves)) * np.uint64(0x0001000100010001)
    doubled = np.uint64(8) * (sums >> np.uint64(56)) - (total >> np.uint64(48))
    return np.uint64(2) * doubled + ((odd * EACH) >> np.uint64(56))


def pile_of(cards: dict[int, int]) -> int:
    """The pile with so many cards of each sort."""
    return sum(number << 4 * sort for sort, number in cards.items())


# --- settings ------------------------------------------------------------------------------------


def _parse_shells(value: Any) -> dict[str, int]:
    """How many shell cards there are of each number of points."""
    allowed = "a number of cards, 0 to 15, for some of the points 1 to 13, such as {1 = 5, 2 = 5}"
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not {allowed}")
    cards: dict[int, int] = {}
    for key, number in value.items():
        text = str(key)
        worth = int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 0
        if not 1 <= worth <= MOST_POINTS or worth in cards:
            raise ValueError(f"{key!r} is not a number of points; allowed is {allowed}")
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= 15:
            raise ValueError(f"{number!r} is not a number of cards; allowed is {allowed}")
        cards[worth] = number
    return {str(worth): cards[worth] for worth in sorted(cards) if cards[worth]}


SETTINGS = (
    Setting("item_kinds", "int", 8, "kinds of beach items", "fact", 1, KINDS),
    Setting("item_copies", "int", 4, "cards of each kind of item", "fact", 1, 15),
    Setting(
        "merfolk",
        "int",
        10,
        "mermaids and mermen: draw a shell card and take another turn",
        "fact",
        0,
        15,
    ),
    Setting("mean", "int", 2, "mean mermaids: take a shell card of an opponent", "fact", 0, 15),
    Setting("waves", "int", 2, "sneaker waves: wash away an opponent's shell card", "source", 0, 15),
    Setting("seaweed", "int", 4, "seaweed: an opponent draws a beach card", "source", 0, 15),
    Setting("monsters", "int", 1, "sea monsters, which cannot be played", "source", 0, 15),
    Setting(
        "shells",
        "custom",
        {"1": 5, "2": 5, "3": 5, "4": 5},
        "shell cards of each number of points",
        "fact",
        parse=_parse_shells,
        allowed="cards (0-15) for points (1-13), such as {1 = 5, 2 = 5, 3 = 5, 4 = 5}",
    ),
    Setting(
        "starfish_left",
        "int",
        3,
        "starfish that make everybody pass a card to the left",
        "assumption",
        0,
        15,
        alternatives=(0, 3, 6),
    ),
    Setting(
        "starfish_right",
        "int",
        3,
        "starfish that make everybody pass a card to the right",
        "assumption",
        0,
        15,
        alternatives=(0, 3, 6),
    ),
    Setting(
        "hand_size",
        "int",
        lambda players: 7 if players == 2 else 5,
        "beach cards dealt to each player",
        "source",
        1,
        60,
    ),
    Setting(
        "young",
        "bool",
        False,
        "the variant for younger players: without mean mermaids and sneaker waves",
        "source",
    ),
    Setting(
        "ask_freely",
        "bool",
        False,
        "whether one may ask although a merfolk, a mean mermaid or a pair can be played",
        "source",
    ),
    Setting(
        "play_at_beach",
        "bool",
        True,
        "whether a fitting card drawn for a question that was not met may be played at once",
        "assumption",
        alternatives=(True, False),
    ),
    Setting(
        "first_player",
        "choice",
        "random",
        "who begins: anybody with equal chance, or always seat 1",
        "assumption",
        choices=("random", "seat1"),
        alternatives=("random", "seat1"),
    ),
    Setting(
        "max_turns",
        "int",
        2000,
        "turns after which a game is stopped and counted as unfinished",
        "assumption",
        1,
        4000,
        alternatives=(500, 2000),
    ),
)


def beach_cards(rules: Rules) -> dict[int, int]:
    """The whole beach deck: cards of each sort."""
    items = dict.fromkeys(range(rules["item_kinds"]), rules["item_copies"])
    mean, waves = (0, 0) if rules["young"] else (rules["mean"], rules["waves"])
    special = {MERFOLK: rules["merfolk"], MEAN: mean, WAVE: waves}
    return {**items, **special, SEAWEED: rules["seaweed"], MONSTER: rules["monsters"]}


def shell_cards(rules: Rules) -> dict[int, int]:
    """The whole shell deck: cards of each sort."""
    worth = {int(text): number for text, number in rules["shells"].items()}
    starfish = {STARFISH_LEFT: rules["starfish_left"], STARFISH_RIGHT: rules["starfish_right"]}
    return {**worth, **starfish}


# --- kernels: chance ------------------------------------------------------------------------------


@kernel
def _deal(facts: Piles, games: Piles, keys: Piles, hands: Piles, deck: Piles, first: Bytes) -> int:
    """Deal as many games as ``games`` has, in step: ``hands`` is (P, M) by seat.

    Returns how many hands are over at once, having nothing but monsters.
    """
    players = hands.shape[0]
    words = np.empty(TILE, np.uint64)
    key = seed_key(facts[SEED])
    over = np.uint64(0)
    for start in range(0, games.size, TILE):
        end = min(start + TILE, games.size)
        width = end - start
        tile_games = games[start:end]
        tile_keys = keys[start:end]
        rest = deck[start:end]
        for g in range(width):
            tile_keys[g] = game_key(key, tile_games[g])
        for g in range(width):
            rest[g] = facts[BEACH]
        number = np.uint64(PURPOSE_BEACH) << np.uint64(48)
        left = facts[BEACH_CARDS]
        for p in range(players):
            row = hands[p, start:end]
            for g in range(width):
                row[g] = 0
            for _ in range(facts[HAND_SIZE]):
                shift = number * GAMMA
                for g in range(width):
                    words[g] = mix64(tile_keys[g] + shift)
                for g in range(width):
                    card = ONE << _place(rest[g], bounded(words[g], left))
                    rest[g] -= card
                    row[g] += card
                number += ONE
                left -= ONE
            for g in range(width):
                over += np.uint64((row[g] & NO_MONSTER) == 0)
        row8 = first[start:end]
        shift = (np.uint64(PURPOSE_FIRST) << np.uint64(48)) * GAMMA
        sides = np.uint64(players) if facts[RANDOM_FIRST] else ONE
        for g in range(width):
            row8[g] = np.uint8(bounded(mix64(tile_keys[g] + shift), sides))
    return int(over)


@kernel
def _late_words(keys: Piles, notes: Piles, row: int, players: int, word: int, words: Piles) -> None:
    """Words of decisions that are asked for when the turn is counted already, in columns.

    A note tells turn and seat of the player who is in row 0 by now; the player in ``row`` decides.
    ``word`` is the decision; for SHELL_WORD it is SEAWEED_WORD, the next one, where the note says so.
    """
    seats = np.uint64(players)
    for c in range(words.size):
        note = notes[c]
        sitting = ((note >> np.uint64(16)) & np.uint64(255)) + np.uint64(row)
        sitting -= seats * np.uint64(sitting >= seats)
        decision = np.uint64(word)
        if word == SHELL_WORD:
            decision += np.uint64((note >> np.uint64(24)) == SEAWEED)
        number = (np.uint64(PURPOSE_DECIDE) + sitting) << np.uint64(48) | decision
        number |= ((note & np.uint64(0xFFFF)) - ONE) << np.uint64(8)
        words[c] = mix64(keys[c] + number * GAMMA)


# --- kernels: before a turn -----------------------------------------------------------------------


@kernel
def _playable(hand: np.uint64, rivals: np.uint64, ask_freely: np.uint64) -> np.uint64:
    """The set of actions open to a hand; ``rivals`` is 1 if an opponent has a shell card."""
    cards = held(hand)
    pairs = held_twice(hand) & ITEMS
    targeted = ONE << np.uint64(4 * MEAN) | ONE << np.uint64(4 * WAVE)
    merfolk = ONE << np.uint64(4 * MERFOLK)
    free = merfolk | ONE << np.uint64(4 * SEAWEED)
    actions = pairs | (cards & (free | targeted * rivals))
    before_asking = actions & (ITEMS | merfolk | ONE << np.uint64(4 * MEAN))
    may_ask = np.uint64((cards & ITEMS) != 0) & (np.uint64(before_asking == 0) | ask_freely)
    actions |= may_ask << np.uint64(4 * ASK)
    # Who can do nothing else at all discards a mean mermaid or a wave without effect.
    return actions if actions != 0 else cards & targeted


@kernel
def _prepare_kernel(
    facts: Piles,
    secret: Piles,
    own: Piles,
    shells: Piles,
    small: Bytes,
    turn: Shorts,
    members: Bytes,
    active: Bytes,
    words: Piles,
) -> None:
    """Derive what a turn needs: what can be played, who is asked, and the words for it."""
    players, lanes = shells.shape
    groups = members.shape[0]
    can_ask = np.empty(TILE, np.uint8)
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        width = end - start
        any_rival = small[RIVALS, start:end]
        row = shells[1, start:end]
        for g in range(width):
            any_rival[g] = np.uint8(row[g] != 0)
        for d in range(2, players):
            row = shells[d, start:end]
            for g in range(width):
                any_rival[g] |= np.uint8(row[g] != 0)
        hand = own[HAND, start:end]
        actions = own[PLAYABLE, start:end]
        freely = facts[ASK_FREELY]
        for g in range(width):
            actions[g] = _playable(hand[g], np.uint64(any_rival[g]), freely)
        for g in range(width):
            can_ask[g] = np.uint8(actions[g] >> np.uint64(4 * ASK))
        live = small[LIVE, start:end]
        seat = small[SEAT, start:end]
        for i in range(groups):
            acts = active[0, i, start:end]
            asks = active[1, i, start:end]
            for g in range(width):
                acts[g] = np.uint8(groups == 1)
            for p in range(players):
                if members[i, p] and groups > 1:
                    sitting = np.uint8(p)
                    for g in range(width):
                        acts[g] |= np.uint8(seat[g] == sitting)
            for g in range(width):
                acts[g] &= live[g]
            for g in range(width):
                asks[g] = acts[g] & can_ask[g]
        if facts[CHANCE]:
            key = secret[KEYS, start:end]
            now = turn[start:end]
            first = words[0, start:end]
            second = words[1, start:end]
            for g in range(width):
                purpose = np.uint64(PURPOSE_DECIDE) + np.uint64(seat[g])
                number = purpose << np.uint64(48) | np.uint64(now[g]) << np.uint64(8)
                before = key[g] + number * GAMMA
                first[g] = mix64(before)
                second[g] = mix64(before + GAMMA)


# --- kernels: a turn ------------------------------------------------------------------------------


@kernel
def _recycle(facts: Piles, secret: Piles, own: Piles, small: Bytes, g: int) -> None:
    """Make the discard pile of lane g its beach deck."""
    rest = facts[BEACH] - own[HAND, g]
    for row in range(OTHERS, secret.shape[0]):
        rest -= secret[row, g]
    secret[BEACH_DECK, g] = rest
    cards = size(rest)
    small[BEACH_LEFT, g] = np.uint8(cards)
    secret[COUNTS, g] += cards


@kernel
def _ask_kernel(
    facts: Piles,
    secret: Piles,
    own: Piles,
    small: Bytes,
    answers: Bytes,
    active: Bytes,
    asked_by: Piles,
    wide: Piles,
    narrow: Bytes,
) -> int:
    """Take everybody's action and let those ask whose action it is.

    Fills ACTION, QUESTION, GIVES (1 where the question is met), DRAWN (the card drawn for one that
    is not, NONE if none is) and OFFER (1 where it can be played at once), and draws it into the
    hand. ``wide`` (5, TILE) and ``narrow`` (6, TILE) are scratch. Returns where the first tile begins
    in which an answer is illegal, from which on nothing has been done, or -1.
    """
    players = small.shape[0] - SIZES
    place = wide[0]
    words = wide[1]
    kind = narrow[0]
    who = narrow[1]
    need = narrow[2]
    test = narrow[3]
    for start in range(0, small.shape[1], TILE):
        end = min(start + TILE, small.shape[1])
        width = end - start
        action = small[ACTION, start:end]
        question = small[QUESTION, start:end]
        for g in range(width):
            action[g] = IDLE
        for g in range(width):
            question[g] = 0
        for i in range(answers.shape[1]):
            given = answers[0, i, start:end]
            mine = active[0, i, start:end]
            for g in range(width):
                answer = given[g]
                before = action[g]
                answer = np.uint8(NONE) if answer == IDLE else answer
                action[g] = answer if mine[g] else before
            given = answers[1, i, start:end]
            mine = active[1, i, start:end]
            for g in range(width):
                asking = mine[g] & np.uint8(action[g] == ASK)
                answer = given[g]
                question[g] |= answer if asking else np.uint8(0)
        for g in range(width):
            kind[g] = question[g] & np.uint8(15)
        for g in range(width):
            who[g] = question[g] >> np.uint8(4)
        # Legal: bit 0, the action can be played; bit 1, the kind is in the hand.
        hand = own[HAND, start:end]
        actions = own[PLAYABLE, start:end]
        for g in range(width):
            action_place = (np.uint64(action[g]) << np.uint64(2)) & np.uint64(60)
            fine = (actions[g] >> action_place) & ONE
            fine |= np.uint64(has(hand[g] & ITEMS, kind[g]) != 0) << ONE
            test[g] = np.uint8(fine)
        table_size = np.uint8(players)
        for g in range(width):
            foul = np.uint8(action[g] > IDLE)
            foul |= np.uint8(action[g] < IDLE) & np.uint8((test[g] & 1) == 0)
            foul_question = np.uint8(test[g] < 2) | np.uint8(who[g] == 0)
            foul_question |= np.uint8(who[g] >= table_size)
            need[g] = foul | (np.uint8(action[g] == ASK) & foul_question)
        wrong = 0
        for g in range(width):
            wrong += np.int64(need[g])
        if wrong:
            return start
        # Does the opponent have it?
        gives = small[GIVES, start:end]
        for g in range(width):
            gives[g] = 0
        for d in range(1, players):
            row = secret[OTHERS + d - 1, start:end]
            asked = np.uint8(d)
            for g in range(width):
                test[g] = np.uint8(has(row[g], kind[g]) != 0)
            for g in range(width):
                gives[g] |= test[g] & np.uint8(who[g] == asked)
        counts = secret[COUNTS, start:end]
        for g in range(width):
            asks = np.uint64(who[g] != 0) << np.uint64(16)
            counts[g] += asks | np.uint64(gives[g]) << np.uint64(32)
        if asked_by.shape[1] > 1:
            asks_of = asked_by[0, start:end]
            met_of = asked_by[1, start:end]
            seat = small[SEAT, start:end]
            for g in range(width):
                asks_of[g] += np.uint64(who[g] != 0) << (np.uint64(12) * np.uint64(seat[g]))
            for g in range(width):
                met_of[g] += np.uint64(gives[g]) << (np.uint64(12) * np.uint64(seat[g]))
        # If not, to the beach.
        left = small[BEACH_LEFT, start:end]
        for g in range(width):
            need[g] = np.uint8(who[g] != 0) & (gives[g] ^ np.uint8(1))
        for g in range(width):
            test[g] = need[g] & np.uint8(left[g] == 0)
        empty = 0
        for g in range(width):
            empty += np.int64(test[g])
        if empty:
            for g in range(width):
                if test[g]:
                    _recycle(facts, secret, own, small, start + g)
            for g in range(width):
                need[g] &= np.uint8(left[g] != 0)
        key = secret[KEYS, start:end]
        offset = (np.uint64(PURPOSE_BEACH) << np.uint64(48)) + facts[BEACH_CARDS]
        for g in range(width):
            number = offset - np.uint64(left[g]) + (counts[g] & np.uint64(0xFFFF))
            words[g] = mix64(key[g] + number * GAMMA)
        rest = secret[BEACH_DECK, start:end]
        for g in range(width):
            place[g] = _place(rest[g], bounded(words[g], left[g])) & np.uint64(60)
        for g in range(width):
            rest[g] -= np.uint64(need[g]) << place[g]
        for g in range(width):
            hand[g] += np.uint64(need[g]) << place[g]
        for g in range(width):
            left[g] -= need[g]
        cards = small[SIZES, start:end]
        for g in range(width):
            cards[g] += need[g]
        drawn = small[DRAWN, start:end]
        for g in range(width):
            sort = np.uint8(place[g] >> np.uint64(2))
            drawn[g] = sort if need[g] else np.uint8(NONE)
        offer = small[OFFER, start:end]
        if facts[PLAY_AT_BEACH]:
            for g in range(width):
                test[g] = np.uint8((hand[g] >> place[g]) & np.uint64(14)) & np.uint8(15)
            rivals = small[RIVALS, start:end]
            for g in range(width):
                card = drawn[g]
                matches = np.uint8(card < KINDS) & np.uint8(test[g] != 0)
                free = np.uint8(card == MERFOLK) | np.uint8(card == SEAWEED)
                aimed = np.uint8(card == MEAN) | np.uint8(card == WAVE)
                offer[g] = matches | free | (aimed & rivals[g])
        else:
            for g in range(width):
                offer[g] = 0
    return -1


@kernel
def _play_kernel(
    facts: Piles,
    secret: Piles,
    own: Piles,
    shells: Piles,
    small: Bytes,
    turn: Shorts,
    wide: Piles,
    narrow: Bytes,
    lists: Listed,
    counts: NDArray[np.int64],
) -> None:
    """Play the card of each turn, draw its shell card, and give the turn to the next player.

    Fills PLAYED (MONSTER if no card was), SHELL_CARD (0 if none was drawn), ENDED, as far as no
    starfish decides it, and LEFT_TO_DO (1 for a target, 2 for a starfish, 4 if over without). The
    lanes in which something is left to do are listed; see `_sort_out`.
    """
    players, lanes = shells.shape
    listed = lists[OVER]
    found = np.uint64(0)
    mine = wide[0]
    place = wide[1]
    words = wide[2]
    before = wide[3]
    after = wide[4]
    kind = narrow[0]
    who = narrow[1]
    need = narrow[2]
    stays = narrow[3]
    alone = narrow[4]
    empty = narrow[5]
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        width = end - start
        action = small[ACTION, start:end]
        question = small[QUESTION, start:end]
        gives = small[GIVES, start:end]
        drawn = small[DRAWN, start:end]
        offer = small[OFFER, start:end]
        played = small[PLAYED, start:end]
        for g in range(width):
            kind[g] = question[g] & np.uint8(15)
        for g in range(width):
            who[g] = question[g] >> np.uint8(4)
        for g in range(width):
            at_beach = drawn[g]
            at_beach = at_beach if offer[g] else np.uint8(MONSTER)
            sort = min(action[g], np.uint8(MONSTER))
            sort = at_beach if sort == ASK else sort
            given = kind[g]
            played[g] = given if gives[g] else sort
        for g in range(width):
            copies = np.uint8(played[g] < KINDS) + np.uint8(played[g] != MONSTER)
            need[g] = np.uint8(copies - gives[g])
        hand = own[HAND, start:end]
        for g in range(width):
            mine[g] = hand[g] - (np.uint64(need[g]) << (np.uint64(played[g]) << np.uint64(2)))
        cards = small[SIZES, start:end]
        for g in range(width):
            cards[g] -= need[g]
        # Merfolk and pairs draw a shell card.
        left = small[SHELL_LEFT, start:end]
        key = secret[KEYS, start:end]
        offset = (np.uint64(PURPOSE_SHELL) << np.uint64(48)) + facts[SHELL_CARDS]
        for g in range(width):
            words[g] = mix64(key[g] + (offset - np.uint64(left[g])) * GAMMA)
        rest = secret[SHELL_DECK, start:end]
        for g in range(width):
            place[g] = _place(rest[g], bounded(words[g], left[g])) & np.uint64(60)
        for g in range(width):
            need[g] = np.uint8(left[g] != 0) & np.uint8(played[g] <= MERFOLK)
        for g in range(width):
            rest[g] -= np.uint64(need[g]) << place[g]
        for g in range(width):
            left[g] -= need[g]
        shell_card = small[SHELL_CARD, start:end]
        for g in range(width):
            sort = np.uint8(place[g] >> np.uint64(2))
            shell_card[g] = sort if need[g] else np.uint8(0)
        for g in range(width):
            need[g] &= np.uint8(shell_card[g] < STARFISH_LEFT)
        row = shells[0, start:end]
        for g in range(width):
            after[g] = row[g] + (np.uint64(need[g]) << place[g])
        for g in range(width):
            stays[g] = np.uint8(played[g] == MERFOLK)
        # Everybody's row moves on; on the way the card that was asked for leaves its owner.
        shown = shells[1, start:end]
        for g in range(width):
            same = after[g]
            next_one = shown[g]
            row[g] = same if stays[g] else next_one
        for d in range(1, players):
            row = shells[d, start:end]
            if d < players - 1:
                shown = shells[d + 1, start:end]
                for g in range(width):
                    same = row[g]
                    next_one = shown[g]
                    row[g] = same if stays[g] else next_one
            else:
                for g in range(width):
                    same = row[g]
                    next_one = after[g]
                    row[g] = same if stays[g] else next_one
        for g in range(width):
            before[g] = mine[g]
        for g in range(width):
            alone[g] = np.uint8((mine[g] & NO_MONSTER) == 0)
        slot = hand
        for d in range(1, players):
            row = secret[OTHERS + d - 1, start:end]
            asked = np.uint8(d)
            for g in range(width):
                need[g] = gives[g] & np.uint8(who[g] == asked)
            for g in range(width):
                after[g] = row[g] - (np.uint64(need[g]) << (np.uint64(kind[g]) << np.uint64(2)))
            for g in range(width):
                alone[g] |= np.uint8((after[g] & NO_MONSTER) == 0)
            cards = small[SIZES + d, start:end]
            for g in range(width):
                cards[g] -= need[g]
            for g in range(width):
                same = before[g]
                next_one = after[g]
                slot[g] = same if stays[g] else next_one
            slot = row
            before, after = after, before
        for g in range(width):
            same = before[g]
            next_one = mine[g]
            slot[g] = same if stays[g] else next_one
        # Card counts: who ran out, then moved on, too.
        for g in range(width):
            empty[g] = 0
        for d in range(players):
            cards = small[SIZES + d, start:end]
            for g in range(width):
                empty[g] |= np.uint8(cards[g] == 0)
        cards = small[SIZES, start:end]
        for g in range(width):
            need[g] = cards[g]
        for d in range(players):
            cards = small[SIZES + d, start:end]
            if d < players - 1:
                numbers = small[SIZES + d + 1, start:end]
                for g in range(width):
                    same8 = cards[g]
                    next8 = numbers[g]
                    cards[g] = same8 if stays[g] else next8
            else:
                for g in range(width):
                    same8 = cards[g]
                    next8 = need[g]
                    cards[g] = same8 if stays[g] else next8
        table_size = np.uint8(players)
        seat = small[SEAT, start:end]
        for g in range(width):
            following = np.uint8(seat[g] + (stays[g] ^ np.uint8(1)))
            seat[g] = np.uint8(0) if following == table_size else following
        now = turn[start:end]
        for g in range(width):
            now[g] += np.uint16(1)
        limit = np.uint16(facts[MAX_TURNS])
        ended = small[ENDED, start:end]
        for g in range(width):
            starfish = np.uint8(shell_card[g] >= STARFISH_LEFT)
            why = np.uint8(UNFINISHED) if now[g] >= limit else np.uint8(0)
            why = np.uint8(MONSTER_ALONE) if alone[g] & (starfish ^ np.uint8(1)) else why
            ended[g] = np.uint8(OUT_OF_CARDS) if empty[g] else why
        rivals = small[RIVALS, start:end]
        left_to_do = small[LEFT_TO_DO, start:end]
        for g in range(width):
            aimed = np.uint8(played[g] == MEAN) | np.uint8(played[g] == WAVE)
            aimed = (aimed & rivals[g]) | np.uint8(played[g] == SEAWEED)
            starfish = np.uint8(shell_card[g] >= STARFISH_LEFT)
            over = np.uint8(ended[g] != 0) & (starfish ^ np.uint8(1))
            left_to_do[g] = aimed | starfish << np.uint8(1) | over << np.uint8(2)
        for g in range(width):
            listed[found] = np.uint32(start + g)
            found += np.uint64(left_to_do[g] != 0)
    _sort_out(small, found, lists, counts)


@kernel
def _sort_out(small: Bytes, found: np.uint64, lists: Listed, counts: NDArray[np.int64]) -> None:
    """Split the lanes in ``lists[OVER]`` in which something is left to do.

    ``lists[AIMED]``: a card is aimed at an opponent; ``lists[FISH]``: a starfish came up;
    ``lists[OVER]``: the game is over, whatever starfish do. A game may stand in two lists: what its
    last card does is still done.
    """
    left_to_do = small[LEFT_TO_DO]
    aimed_list = lists[AIMED]
    fish_list = lists[FISH]
    over_list = lists[OVER]
    aimed = np.uint64(0)
    fish = np.uint64(0)
    over = np.uint64(0)
    for i in range(found):
        g = over_list[i]
        todo = np.uint64(left_to_do[g])
        aimed_list[aimed] = g
        fish_list[fish] = g
        over_list[over] = g
        aimed += todo & ONE
        fish += (todo >> ONE) & ONE
        over += todo >> np.uint64(2)
    counts[AIMED] = np.int64(aimed)
    counts[FISH] = np.int64(fish)
    counts[OVER] = np.int64(over)


@kernel
def _copy(row: Piles, listed: Listed, out: Piles) -> None:
    """Copy the listed lanes of a row together."""
    for c in range(listed.size):
        out[c] = row[listed[c]]


@kernel
def _copy_notes(turn: Shorts, seat: Bytes, card: Bytes, listed: Listed, out: Piles) -> None:
    """Copy turn, seat and a card of the listed lanes together, as one note each."""
    for c in range(listed.size):
        g = listed[c]
        note = np.uint64(turn[g]) | np.uint64(seat[g]) << np.uint64(16)
        out[c] = note | np.uint64(card[g]) << np.uint64(24)


@kernel
def _asked_seats(
    notes: Piles, row: int, count: int, members: Bytes, sitting: Bytes, active: Bytes
) -> None:
    """Mark in ``active`` (W,) in which of the first ``count`` columns a member seat is in a row."""
    players = np.uint8(members.size)
    shift = np.uint8(row)
    for c in range(active.size):
        sitting[c] = np.uint8(notes[c] >> np.uint64(16)) + shift
    for c in range(active.size):
        back = np.uint8(sitting[c] - players)
        sitting[c] = back if sitting[c] >= players else sitting[c]
    for c in range(active.size):
        active[c] = 0
    for p in range(members.size):
        if members[p]:
            seat = np.uint8(p)
            for c in range(active.size):
                active[c] |= np.uint8(sitting[c] == seat)
    active[count:] = 0


@kernel
def _aimed_kernel(
    lists: Listed,
    counts: NDArray[np.int64],
    secret: Piles,
    shells: Piles,
    small: Bytes,
    turn: Shorts,
    members: Bytes,
    out_shells: Piles,
    words: Piles,
    out_card: Bytes,
    active: Bytes,
) -> None:
    """Columns for the lanes in which seaweed, a mean mermaid or a wave was played.

    They show the table as the player sees it who has just moved and is in row P - 1 by now. Flat
    arrays are filled to a round number W of columns, of which those of listed lanes ask:
    ``out_shells`` (P, W),    ``active`` (2, G, W), whom to let draw and where to take a shell card.
    """
    groups, players = members.shape
    count = counts[AIMED]
    width = _rounded(count)
    lanes = lists[AIMED, :width]
    lanes[count:] = lanes[0]
    wide = np.empty((2, width), np.uint64)
    sitting = np.empty(width, np.uint8)
    _copy(secret[KEYS], lanes, wide[0])
    _copy_notes(turn, small[SEAT], small[PLAYED], lanes, wide[1])
    for d in range(players):
        row = shells[(d + players - 1) % players]
        _copy(row, lanes, out_shells[d * width : (d + 1) * width])
    notes = wide[1]
    for c in range(width):
        out_card[c] = np.uint8(notes[c] >> np.uint64(24))
    _late_words(wide[0], notes, players - 1, players, SHELL_WORD, words[:width])
    for i in range(groups):
        draw = active[i * width : (i + 1) * width]
        take = active[(groups + i) * width : (groups + i + 1) * width]
        _asked_seats(notes, players - 1, count, members[i], sitting, draw)
        for c in range(width):
            take[c] = draw[c] & np.uint8(out_card[c] != SEAWEED)
        for c in range(width):
            draw[c] &= np.uint8(out_card[c] == SEAWEED)


@kernel
def _fish_kernel(
    lists: Listed,
    counts: NDArray[np.int64],
    secret: Piles,
    own: Piles,
    small: Bytes,
    turn: Shorts,
    members: Bytes,
    out_hand: Piles,
    words: Piles,
    out_card: Bytes,
    active: Bytes,
) -> None:
    """Columns for the lanes in which a starfish came up: first those of everybody in row 0, and so on.

    Each row fills a round number W of columns, of which those of listed lanes ask whoever holds a card;
    ``active`` is (G, P, W), flat.
    """
    groups, players = members.shape
    count = counts[FISH]
    width = _rounded(count)
    lanes = lists[FISH, :width]
    lanes[count:] = lanes[0]
    wide = np.empty((2, width), np.uint64)
    sitting = np.empty(width, np.uint8)
    _copy(secret[KEYS], lanes, wide[0])
    _copy_notes(turn, small[SEAT], small[SHELL_CARD], lanes, wide[1])
    notes = wide[1]
    for r in range(players):
        begin = r * width
        end = begin + width
        cards = out_hand[begin:end]
        _copy(own[HAND] if r == 0 else secret[OTHERS + r - 1], lanes, cards)
        starfish = out_card[begin:end]
        for c in range(width):
            starfish[c] = np.uint8(notes[c] >> np.uint64(24))
        _late_words(wide[0], notes, r, players, PASS_WORD, words[begin:end])
        for i in range(groups):
            asked = active[i * players * width + begin : i * players * width + end]
            _asked_seats(notes, r, count, members[i], sitting, asked)
            for c in range(width):
                asked[c] &= np.uint8(cards[c] != 0)


@kernel
def _rounded(count: int) -> int:
    """Columns for so many lanes: a round number, so that few different views are needed."""
    return (count + COLUMNS - 1) // COLUMNS * COLUMNS


# --- kernels: targets and starfish ---------------------------------------------------------------


@kernel
def _merge(answers: Bytes, active: Bytes, groups: int, out: Bytes) -> None:
    """The answers (G, W), flat, of whoever was asked, by column; NONE where nobody was."""
    width = out.size
    for c in range(width):
        out[c] = NONE
    for i in range(groups):
        given = answers[i * width : (i + 1) * width]
        asked = active[i * width : (i + 1) * width]
        for c in range(width):
            before = out[c]
            answer = given[c]
            out[c] = answer if asked[c] else before


@kernel
def _target_kernel(
    lists: Listed,
    counts: NDArray[np.int64],
    members: Bytes,
    facts: Piles,
    secret: Piles,
    own: Piles,
    shells: Piles,
    small: Bytes,
    seen_shells: Piles,
    card: Bytes,
    answers: Bytes,
    active: Bytes,
    target: Bytes,
    drawn: Bytes,
) -> int:
    """Let opponents draw for the seaweed, take or wash away the chosen shell cards.

    ``answers`` and ``active`` are (2, G, W), flat: the opponent who shall draw, and sort of the
    shell card + 16 * opponent. Fills ``target`` with the answers and ``drawn`` with the beach cards
    drawn (NONE if none was). Returns the first column whose answer is illegal, in which case nothing
    has been done, or -1.
    """
    groups, players = members.shape
    count = counts[AIMED]
    width = _rounded(count)
    listed = lists[AIMED]
    part = groups * width
    foul = np.empty(width, np.uint8)
    left = np.empty(width, np.uint8)
    columns = np.empty((3, width), np.uint32)
    wide = np.empty((3, width), np.uint64)
    draws = columns[0]
    takes = columns[1]
    lanes = columns[2]
    _merge(answers[:part], active[:part], groups, drawn[:width])
    _merge(answers[part:], active[part:], groups, target[:width])
    for c in range(width):
        draw = drawn[c]
        take = target[c]
        target[c] = draw if card[c] == SEAWEED else take
    table_size = np.uint8(players)
    for c in range(width):
        foul[c] = np.uint8(target[c] == 0) | np.uint8(target[c] >= table_size)
        foul[c] &= np.uint8(card[c] == SEAWEED)
    for d in range(1, players):
        row = seen_shells[d * width : (d + 1) * width]
        own_row = np.uint8(d)
        for c in range(width):
            there = np.uint8(has(row[c], target[c] & np.uint8(15)) != 0)
            foul[c] |= (there & np.uint8(target[c] >> np.uint8(4) == own_row)) << np.uint8(1)
    wrong = 0
    for c in range(count):
        wrong += np.int64(foul[c] == 1) + np.int64((foul[c] == 0) & (card[c] != SEAWEED))
    if wrong > 0:
        for c in range(count):
            if foul[c] == 1 or (foul[c] == 0 and card[c] != SEAWEED):
                return c
    draw_count = np.uint64(0)
    take_count = np.uint64(0)
    for c in range(count):
        draws[draw_count] = c
        takes[take_count] = c
        draw_count += np.uint64(card[c] == SEAWEED)
        take_count += np.uint64(card[c] != SEAWEED)
        drawn[c] = NONE
    for i in range(take_count):
        c = takes[i]
        g = listed[c]
        shell = ONE << (np.uint64(target[c] & np.uint8(15)) << np.uint64(2))
        shells[np.uint64(target[c] >> np.uint8(4)) - ONE, g] -= shell
        shells[players - 1, g] += shell * np.uint64(card[c] == MEAN)
    for i in range(draw_count):
        g = listed[draws[i]]
        lanes[i] = g
        if small[BEACH_LEFT, g] == 0:
            _recycle(facts, secret, own, small, g)
        left[i] = small[BEACH_LEFT, g]
    words = wide[0, :draw_count]
    draws_before = wide[1, :draw_count]
    place = wide[2, :draw_count]
    _copy(secret[KEYS], lanes[:draw_count], words)
    _copy(secret[COUNTS], lanes[:draw_count], draws_before)
    _copy(secret[BEACH_DECK], lanes[:draw_count], place)
    offset = (np.uint64(PURPOSE_BEACH) << np.uint64(48)) + facts[BEACH_CARDS]
    for i in range(place.size):
        number = offset - np.uint64(left[i]) + (draws_before[i] & np.uint64(0xFFFF))
        words[i] = mix64(words[i] + number * GAMMA)
    for i in range(place.size):
        place[i] = _place(place[i], bounded(words[i], left[i])) & np.uint64(60)
    for i in range(draw_count):
        c = draws[i]
        g = lanes[i]
        row = np.uint64(target[c]) - ONE
        one = np.uint8(left[i] != 0)
        drawn_card = np.uint64(one) << place[i]
        secret[BEACH_DECK, g] -= drawn_card
        small[BEACH_LEFT, g] -= one
        small[np.uint64(SIZES) + row, g] += one
        own[HAND, g] += drawn_card * np.uint64(row == 0)
        for d in range(1, players - 1):
            secret[OTHERS + d - 1, g] += drawn_card * np.uint64(row == d)
        drawn[c] = np.uint8(place[i] >> np.uint64(2)) if one else np.uint8(NONE)
    return -1

@kernel
def _pass_kernel(
    lists: Listed,
    counts: NDArray[np.int64],
    members: Bytes,
    secret: Piles,
    own: Piles,
    small: Bytes,
    hands: Piles,
    starfish: Bytes,
    answers: Bytes,
    active: Bytes,
    given: Bytes,
) -> int:
    """Pass everybody's chosen card at once, and see which of these games are over.

    ``given`` (P, W), flat, is filled with the cards (NONE where there was none); lanes whose game is
    over are appended to their list. Returns the first column whose answer is illegal, in which case
    nothing has been done, or -1.
    """
    groups, players = members.shape
    count = counts[FISH]
    width = _rounded(count)
    listed = lists[FISH]
    over = lists[OVER]
    total = players * width
    cards = np.empty(total, np.uint64)
    foul = np.empty(total, np.uint8)
    gave = np.empty(total, np.uint8)
    alone = np.empty(width, np.uint8)
    _merge(answers, active, groups, given[:total])
    for c in range(total):
        gave[c] = 0
    for i in range(groups):
        asked = active[i * total : (i + 1) * total]
        for c in range(total):
            gave[c] |= asked[c]
    for c in range(total):
        foul[c] = np.uint8(has(hands[c], given[c] & np.uint8(15)) == 0)
    wrong = 0
    for c in range(total):
        foul[c] = gave[c] & (foul[c] | np.uint8(given[c] > 15))
    for c in range(total):
        wrong += np.int64(foul[c])
    if wrong:
        for c in range(total):
            if foul[c]:
                return c
    for c in range(total):
        cards[c] = np.uint64(gave[c]) << ((np.uint64(given[c]) << np.uint64(2)) & np.uint64(60))
    for c in range(total):
        hands[c] -= cards[c]
    for c in range(width):
        alone[c] = 0
    for r in range(players):
        row = hands[r * width : (r + 1) * width]
        right = (r + players - 1) % players * width
        left = (r + 1) % players * width
        from_right = cards[right : right + width]
        from_left = cards[left : left + width]
        for c in range(width):
            leftward = from_right[c]
            rightward = from_left[c]
            row[c] += leftward if starfish[c] == STARFISH_LEFT else rightward
        for c in range(width):
            alone[c] |= np.uint8((row[c] & NO_MONSTER) == 0)
    for r in range(players):
        target = own[HAND] if r == 0 else secret[OTHERS + r - 1]
        row = hands[r * width : (r + 1) * width]
        for c in range(count):
            target[listed[c]] = row[c]
    # Hand sizes stay: where somebody had nothing to pass, the game is over.
    ended = small[ENDED]
    place = np.uint64(counts[OVER])
    for c in range(count):
        g = listed[c]
        why = ended[g]
        why = np.uint8(MONSTER_ALONE) if alone[c] & np.uint8(why != OUT_OF_CARDS) else why
        ended[g] = why
        over[place] = g
        place += np.uint64(why != 0)
    counts[OVER] = np.int64(place)
    return -1


# --- kernels: the end of a game, and the next one -------------------------------------------------


@kernel
def _score_kernel(
    lists: Listed,
    counts: NDArray[np.int64],
    books: NDArray[np.int64],
    facts: Piles,
    secret: Piles,
    own: Piles,
    shells: Piles,
    small: Bytes,
    turn: Shorts,
    asked_by: Piles,
    records: Piles,
    details: Piles,
) -> None:
    """Feed the monsters, count the shells, and record the games in the listed lanes.

    A record has two words, one after the other, and four rows of details if fairness is asked for;
    bits by seat s from 0:

    =======  ======================================================================================
    word     contents
    =======  ======================================================================================
    0        points of seat s at 11 s; winners at 55 + s; a monster ate something at 60
    1        turns at 0; questions at 16; questions met at 32; who began at 48; why it ended at 51;
             starfish at 53
    detail
    0        points eaten at 11 s; holds a monster at 55 + s
    1        winners if no monster ate at s; cards eaten at 8 + 4 s
    2, 3     questions, and questions met, at 12 s
    =======  ======================================================================================
    """
    players = shells.shape[0]
    scratch = np.empty((3 * players + 14, TILE), np.uint64)
    standing = scratch[:players]
    before = scratch[players : 2 * players]
    meal = scratch[2 * players : 3 * players]
    words = scratch[3 * players : 3 * players + 4]
    best = scratch[3 * players + 4]
    most = scratch[3 * players + 5]
    where = scratch[3 * players + 6]
    place = scratch[3 * players + 7]
    notes = scratch[3 * players + 8]
    events = scratch[3 * players + 9]
    tickets = scratch[3 * players + 10]
    deck = scratch[3 * players + 11]
    cards = scratch[3 * players + 12]
    piles = scratch[3 * players + 13]
    idle_place = np.uint64(records.size // 2 - 1)
    fair = details.shape[1] > 0
    over = lists[OVER]
    count = counts[OVER]
    living = 0
    for start in range(0, count, TILE):
        width = min(TILE, count - start)
        listed = over[start : start + width]
        _copy_notes(turn, small[SEAT], small[ENDED], listed, notes)
        _copy(secret[COUNTS], listed, events)
        _copy(secret[TICKETS], listed, tickets)
        _copy(secret[SHELL_DECK], listed, deck)
        for c in range(width):
            living += np.int64((tickets[c] >> np.uint64(3)) != idle_place)
        for c in range(width):
            best[c] = 0
            most[c] = 0
        for c in range(width):
            words[0, c] = 0
            words[1, c] = 0
        for c in range(width):
            words[2, c] = 0
            words[3, c] = 0
        for r in range(players):
            _copy(own[HAND] if r == 0 else secret[OTHERS + r - 1], listed, cards)
            _copy(shells[r], listed, piles)
            for c in range(width):
                before[r, c] = points(piles[c]) << np.uint64(8) | size(piles[c])
            # Cards eaten at 0, their points at 8, monsters held at 32.
            for c in range(width):
                top = highest(held(piles[c]))
                monster = np.uint64((cards[c] >> np.uint64(4 * MONSTER)) != 0)
                eaten = has(piles[c], top) * monster
                meal[r, c] = (eaten * top) << np.uint64(8) | eaten | monster << np.uint64(32)
            for c in range(width):
                standing[r, c] = before[r, c] - (meal[r, c] & np.uint64(0xFFFFFFFF))
            for c in range(width):
                best[c] = max(best[c], standing[r, c])
            for c in range(width):
                most[c] = max(most[c], before[r, c])
        for c in range(width):
            # Nobody wins a game that was stopped: no standing is as good as this.
            stopped = np.uint64(notes[c] >> np.uint64(24) == UNFINISHED) << np.uint64(32)
            best[c] |= stopped
            most[c] |= stopped
        for r in range(players):
            for c in range(width):
                s = ((notes[c] >> np.uint64(16)) & np.uint64(255)) + np.uint64(r)
                s -= np.uint64(players) * np.uint64(s >= np.uint64(players))
                place[c] = s
            for c in range(width):
                where[c] = place[c] * np.uint64(11)
            for c in range(width):
                wins = np.uint64(standing[r, c] == best[c]) << (np.uint64(55) + place[c])
                words[0, c] |= (standing[r, c] >> np.uint64(8)) << where[c] | wins
            for c in range(width):
                words[1, c] |= np.uint64((meal[r, c] & np.uint64(255)) != 0)
            if fair:
                for c in range(width):
                    worth = (meal[r, c] >> np.uint64(8)) & np.uint64(0xFFFFFF)
                    holds = (meal[r, c] >> np.uint64(32)) << (np.uint64(55) + place[c])
                    words[2, c] |= worth << where[c] | holds
                for c in range(width):
                    eaten = meal[r, c] & np.uint64(255)
                    would_win = np.uint64(before[r, c] == most[c]) << place[c]
                    words[3, c] |= would_win | eaten << (np.uint64(8) + (place[c] << np.uint64(2)))
        for c in range(width):
            words[0, c] |= words[1, c] << np.uint64(60)
        left_fish = has(facts[SHELL], STARFISH_LEFT) + has(facts[SHELL], STARFISH_RIGHT)
        for c in range(width):
            starfish = left_fish - has(deck[c], STARFISH_LEFT) - has(deck[c], STARFISH_RIGHT)
            event = (notes[c] & np.uint64(0xFFFF)) | (events[c] >> np.uint64(16)) << np.uint64(16)
            event |= (tickets[c] & np.uint64(7)) << np.uint64(48)
            why = notes[c] >> np.uint64(24)
            words[1, c] = event | why << np.uint64(51) | starfish << np.uint64(53)
        for c in range(width):
            record = (tickets[c] >> np.uint64(3)) << ONE
            records[record] = words[0, c]
            records[record + ONE] = words[1, c]
        if fair:
            for c in range(width):
                game = tickets[c] >> np.uint64(3)
                details[0, game] = words[2, c]
                details[1, game] = words[3, c]
                details[2, game] = asked_by[0, listed[c]]
                details[3, game] = asked_by[1, listed[c]]
    books[FINISHED] += living


@kernel
def _seat(
    free: Listed,
    count: int,
    take: int,
    begin: int,
    filled: int,
    first_place: int,
    idle_place: int,
    facts: Piles,
    queue: Piles,
    queue_first: Bytes,
    secret: Piles,
    own: Piles,
    shells: Piles,
    small: Bytes,
    turn: Shorts,
    asked_by: Piles,
) -> None:
    """Let the first ``take`` of the free lanes take up dealt games, and the others idle.

    Idle lanes show a dealt game as well, so that what strategies see there is in range.
    """
    players = shells.shape[0]
    source = np.empty(count, np.uint32)
    starter = np.empty(count, np.uint8)
    chosen = np.empty(count, np.uint64)
    for i in range(count):
        source[i] = (begin + i) % filled
    for i in range(count):
        starter[i] = queue_first[source[i]]
    row = secret[TICKETS]
    for i in range(count):
        place = first_place + i if i < take else idle_place
        row[free[i]] = np.uint64(place) << np.uint64(3) | np.uint64(starter[i])
    row8 = small[LIVE]
    for i in range(count):
        row8[free[i]] = np.uint8(i < take)
    row8 = small[SEAT]
    for i in range(count):
        row8[free[i]] = starter[i]
    row = secret[KEYS]
    dealt = queue[QUEUE_KEYS]
    for i in range(count):
        row[free[i]] = dealt[source[i]]
    row = secret[BEACH_DECK]
    dealt = queue[QUEUE_DECK]
    for i in range(count):
        row[free[i]] = dealt[source[i]]
    row = secret[SHELL_DECK]
    for i in range(count):
        row[free[i]] = facts[SHELL]
    row = secret[COUNTS]
    for i in range(count):
        row[free[i]] = 0
    for d in range(players):
        for i in range(count):
            chosen[i] = 0
        for s in range(players):
            dealt = queue[QUEUE_HANDS + s]
            begins = np.uint8((s + players - d) % players)
            for i in range(count):
                cards = dealt[source[i]]
                chosen[i] |= cards if starter[i] == begins else np.uint64(0)
        row = own[HAND] if d == 0 else secret[OTHERS + d - 1]
        for i in range(count):
            row[free[i]] = chosen[i]
        row = shells[d]
        for i in range(count):
            row[free[i]] = 0
        row8 = small[SIZES + d]
        for i in range(count):
            row8[free[i]] = np.uint8(facts[HAND_SIZE])
    row8 = small[BEACH_LEFT]
    undealt = np.uint8(facts[BEACH_CARDS] - np.uint64(players) * facts[HAND_SIZE])
    for i in range(count):
        row8[free[i]] = undealt
    row8 = small[SHELL_LEFT]
    for i in range(count):
        row8[free[i]] = np.uint8(facts[SHELL_CARDS])
    for i in range(count):
        turn[free[i]] = 0
    if asked_by.shape[1] > 1:
        for i in range(count):
            asked_by[0, free[i]] = 0
            asked_by[1, free[i]] = 0


@kernel
def _over_at_once(
    free: Listed, count: int, secret: Piles, own: Piles, small: Bytes, over: Listed
) -> int:
    """List the lanes in which somebody was dealt nothing but monsters; returns how many."""
    found = 0
    for i in range(count):
        g = free[i]
        alone = (own[HAND, g] & NO_MONSTER) == 0
        for row in range(OTHERS, secret.shape[0]):
            alone |= (secret[row, g] & NO_MONSTER) == 0
        if alone and small[LIVE, g]:
            small[ENDED, g] = MONSTER_ALONE
            over[found] = g
            found += 1
    return found


@kernel
def _take_up_kernel(
    lists: Listed,
    counts: NDArray[np.int64],
    facts: Piles,
    games: Piles,
    queue: Piles,
    queue_first: Bytes,
    books: NDArray[np.int64],
    secret: Piles,
    own: Piles,
    shells: Piles,
    small: Bytes,
    turn: Shorts,
    asked_by: Piles,
    opening: Piles,
) -> None:
    """Let the lanes whose games are over take up the next ones, which are dealt when needed.

    Afterwards the list has the lanes whose new games are over at once.
    """
    free = lists[OVER]
    count = counts[OVER]
    over = 0
    done = 0
    while done < count:
        if books[QUEUED] == 0 and books[DEALT] < games.size:
            begin = books[DEALT]
            dealt = min(QUEUE, games.size - begin)
            hands = queue[QUEUE_HANDS:]
            books[AT_ONCE] = _deal(
                facts, games[begin : begin + dealt], queue[QUEUE_KEYS], hands, queue[QUEUE_DECK],
                queue_first,
            )  # fmt: skip
            if opening.shape[1] > 0:
                opening[:, begin : begin + dealt] = hands[:, :dealt]
            books[DEALT] += dealt
            books[QUEUED] = dealt
            books[FILLED] = dealt
        take = min(count - done, books[QUEUED])
        # The last games being dealt, the other lanes have nothing to take up.
        now = take if books[DEALT] < games.size else count - done
        lanes = free[done : done + now]
        _seat(
            lanes, now, take, books[FILLED] - books[QUEUED], books[FILLED], books[STARTED],
            games.size, facts, queue, queue_first, secret, own, shells, small, turn, asked_by,
        )  # fmt: skip
        if books[AT_ONCE]:
            over += _over_at_once(lanes, take, secret, own, small, free[over:])
        books[STARTED] += take
        books[QUEUED] -= take
        done += now
    counts[OVER] = over


@kernel
def _outcome_kernel(
    records: Piles,
    wins: Bytes,
    scores: NDArray[np.int16],
    unfinished: Bytes,
    turns: NDArray[np.int64],
    sixtieths: NDArray[np.int64],
    first_wins: NDArray[np.int64],
    asks: NDArray[np.int64],
    asks_met: NDArray[np.int64],
    starfish: NDArray[np.int64],
    monster_meals: NDArray[np.int64],
    out_of_cards: NDArray[np.int64],
    monster_alone: NDArray[np.int64],
) -> None:
    """Unpack the records of a batch, in the order of its games, and add up the sums of all runs."""
    players, games = wins.shape
    result = np.zeros(BLOCKS, np.uint64)
    events = np.zeros(BLOCKS, np.uint64)
    share = np.zeros(BLOCKS, np.uint8)
    began = np.zeros(BLOCKS, np.uint8)
    why = np.zeros(BLOCKS, np.uint8)
    for start in range(0, games, BLOCKS):
        end = min(start + BLOCKS, games)
        width = end - start
        for b in range(width):
            result[b] = records[2 * start + 2 * b]
        for b in range(width):
            events[b] = records[2 * start + 2 * b + 1]
        for b in range(width):
            winners = count_cards(result[b] >> np.uint64(55) & np.uint64(31))
            part = np.uint8(WIN // 5)
            part = np.uint8(WIN // 4) if winners == 4 else part
            part = np.uint8(WIN // 3) if winners == 3 else part
            part = np.uint8(WIN // 2) if winners == 2 else part
            share[b] = np.uint8(WIN) if winners == 1 else part
        for b in range(width):
            began[b] = np.uint8(events[b] >> np.uint64(48)) & np.uint8(7)
        for b in range(width):
            why[b] = np.uint8(events[b] >> np.uint64(51)) & np.uint8(3)
        for p in range(players):
            won = wins[p, start:end]
            score = scores[p, start:end]
            own = np.uint8(p)
            for b in range(width):
                score[b] = np.int16((result[b] >> np.uint64(11 * p)) & np.uint64(2047))
            for b in range(width):
                winner = (result[b] >> np.uint64(55 + p)) & ONE
                part = share[b]
                won[b] = part if winner else np.uint8(0)
            for b in range(width):
                part = won[b]
                first_wins[b] += np.int64(part) if began[b] == own else 0
        stopped = unfinished[start:end]
        for b in range(width):
            stopped[b] = np.uint8(why[b] == UNFINISHED)
        for b in range(width):
            sixtieths[b] += WIN
        for b in range(width):
            turns[b] += np.int64(events[b] & np.uint64(0xFFFF))
        for b in range(width):
            asks[b] += np.int64((events[b] >> np.uint64(16)) & np.uint64(0xFFFF))
        for b in range(width):
            asks_met[b] += np.int64((events[b] >> np.uint64(32)) & np.uint64(0xFFFF))
        for b in range(width):
            starfish[b] += np.int64((events[b] >> np.uint64(53)) & np.uint64(31))
        for b in range(width):
            monster_meals[b] += np.int64((result[b] >> np.uint64(60)) & ONE)
        for b in range(width):
            out_of_cards[b] += np.int64(why[b] == OUT_OF_CARDS)
        for b in range(width):
            monster_alone[b] += np.int64(why[b] == MONSTER_ALONE)


# --- what happens if a strategy does not declare a decision ---------------------------------------


@kernel
def _lowest_action(view: Any, params: Any, words: Any, out: Bytes) -> None:
    for g in range(out.size):
        out[g] = lowest(view.playable[g])


@kernel
def _lowest_question(view: Any, params: Any, words: Any, out: Bytes) -> None:
    for g in range(out.size):
        out[g] = np.uint8(lowest(held(view.hand[g] & ITEMS)) & np.uint64(15)) + np.uint8(16)


@kernel
def _play_it(view: Any, params: Any, words: Any, out: Bytes) -> None:
    for g in range(out.size):
        out[g] = 1


@kernel
def _lowest_shell(view: Any, params: Any, words: Any, out: Bytes) -> None:
    for g in range(out.size):
        answer = np.uint64(0)
        for back in range(1, view.players):
            d = view.players - back
            pile = view.shells[d, g]
            answer = np.uint64(16 * d) + lowest(held(pile)) if pile != 0 else answer
        out[g] = np.uint8(answer)


@kernel
def _next_player(view: Any, params: Any, words: Any, out: Bytes) -> None:
    for g in range(out.size):
        out[g] = 1


@kernel
def _lowest_card(view: Any, params: Any, words: Any, out: Bytes) -> None:
    for g in range(out.size):
        out[g] = lowest(held(view.hand[g]))


DEFAULTS: dict[str, Hook] = {
    "action": _lowest_action,
    "ask": _lowest_question,
    "beach": _play_it,
    "shell": _lowest_shell,
    "seaweed": _next_player,
    "pass": _lowest_card,
}


# --- the game -------------------------------------------------------------------------------------


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _aligned(shape: int | tuple[int, ...], dtype: type) -> NDArray[Any]:
    """Zeros that begin at the start of a cache line, so that no vector lies across two of them."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + 64, np.uint8)
    begin = -room.ctypes.data % 64
    return room[begin : begin + size].view(dtype).reshape(shape)


@dataclass
class _Group:
    """A strategy and the seats it sits in, which are asked together.

    Attributes
    ----------
    seat
        One of its seats, through which it is asked.
    members
        (P,) uint8, 1 for each of its seats.
    """

    seat: Seat
    members: Bytes

    def hook(self, decision: str) -> Hook | None:
        """What can be called at once: a compiled hook, or what happens without one."""
        strategy = self.seat.strategy
        if decision not in strategy.hooks:
            return DEFAULTS[decision]
        return strategy.hooks[decision] if strategy.compiled and not strategy.expensive else None

    def params(self, decision: str) -> tuple[Any, ...]:
        """What the hook gets as params."""
        return self.seat.strategy.params.get(decision, ())

    def wants_words(self, decision: str) -> bool:
        """Whether the strategy wants chance for a decision."""
        return decision in self.seat.strategy.stochastic


class _Crew:
    """Who sits at the table: each different strategy once."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self.groups: list[_Group] = []
        for p, seat in enumerate(seats):
            known = [g for g in self.groups if g.seat.strategy is seat.strategy]
            if not known:
                known = [_Group(seat, np.zeros(len(seats), np.uint8))]
                self.groups += known
            known[0].members[p] = 1
        self.members = np.stack([group.members for group in self.groups])
        self.sees = frozenset().union(*(group.seat.strategy.sees for group in self.groups))
        self.specs = [seat.strategy.spec for seat in seats]
        self.stochastic = any(g.wants_words(d) for g in self.groups for d in ("action", "ask"))


class _Call:
    """A strategy asked for one decision: all that is needed to ask it again and again."""

    def __init__(
        self, group: _Group, decision: str, view: View, words: Piles, out: Bytes
    ) -> None:
        chance = _read_only(words) if group.wants_words(decision) else None
        self.group = group
        self.question = (decision, view, chance, out)
        self.arguments = (view, group.params(decision), chance, out)
        hook = group.hook(decision)
        self.code = None if hook is None else code_for(hook, *self.arguments)

    def __call__(self) -> None:
        """Ask it."""
        if self.code is not None:
            try:
                self.code(*self.arguments)
            except Exception:
                self.group.seat.decide(*self.question)
                raise
        else:
            self.group.seat.decide(*self.question)


class _Kernel:
    """A kernel with its arguments, which are the same every time but for what is in them."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.code = code_for(function, *arguments)
        self.arguments = arguments

    def __call__(self) -> Any:
        """Run it."""
        return self.code(*self.arguments)


class _Side:
    """So many lanes side by side, for one batch: the state in blocks of rows, and what works on it."""

    def __init__(self, batch: _Batch, lanes: int) -> None:
        crew, table = batch.crew, batch.table
        players = table.players
        groups = len(crew.groups)
        room = lanes + COLUMNS
        self.players = players
        self.lanes = lanes
        self.crew = crew
        self.secret = _aligned((OTHERS + players - 1, lanes), np.uint64)
        self.own = _aligned((2, lanes), np.uint64)
        self.shells = _aligned((players, lanes), np.uint64)
        self.small = _aligned((SIZES + players, lanes), np.uint8)
        self.turn = _aligned(lanes, np.uint16)
        self.words = _aligned((2, lanes), np.uint64)
        self.active = _aligned((2, groups, lanes), np.uint8)
        self.answers = _aligned((2, groups, lanes), np.uint8)
        self.asked_by = _aligned((2, lanes if batch.fair else 1), np.uint64)
        self.lists = _aligned((3, room), np.uint32)
        self.counts = np.zeros(3, np.int64)
        # Columns copied together from few lanes, flat: their number differs from turn to turn.
        self.aim_shells = _aligned(players * room, np.uint64)
        self.aim_words = _aligned(room, np.uint64)
        self.aim_card = _aligned(room, np.uint8)
        self.aim_active = _aligned(2 * groups * room, np.uint8)
        self.aim_answers = _aligned(2 * groups * room, np.uint8)
        self.target = _aligned(room, np.uint8)
        self.drawn = _aligned(room, np.uint8)
        self.fish_hand = _aligned(players * room, np.uint64)
        self.fish_words = _aligned(players * room, np.uint64)
        self.fish_card = _aligned(players * room, np.uint8)
        self.fish_active = _aligned(groups * players * room, np.uint8)
        self.fish_answers = _aligned(groups * players * room, np.uint8)
        self.given = _aligned(players * room, np.uint8)
        self.turn_calls = [self._call("action", i) for i in range(groups)]
        self.turn_calls += [self._call("ask", i) for i in range(groups)]
        self.aim_calls: dict[int, list[_Call]] = {}
        self.fish_calls: dict[int, list[_Call]] = {}
        wide = _aligned((5, TILE + 8), np.uint64)
        narrow = _aligned((6, TILE + 64), np.uint8)
        facts, members, lists, counts = batch.facts, crew.members, self.lists, self.counts
        secret, own, shells, small = self.secret, self.own, self.shells, self.small
        self.prepare = _Kernel(
            _prepare_kernel, facts, secret, own, shells, small, self.turn, members, self.active,
            self.words,
        )  # fmt: skip
        self.ask = _Kernel(
            _ask_kernel, facts, secret, own, small, self.answers, self.active, self.asked_by, wide,
            narrow,
        )  # fmt: skip
        self.play = _Kernel(
            _play_kernel, facts, secret, own, shells, small, self.turn, wide, narrow, lists, counts
        )
        self.show_aimed = _Kernel(
            _aimed_kernel, lists, counts, secret, shells, small, self.turn, members,
            self.aim_shells, self.aim_words, self.aim_card, self.aim_active,
        )  # fmt: skip
        self.aim = _Kernel(
            _target_kernel, lists, counts, members, facts, secret, own, shells, small,
            self.aim_shells, self.aim_card, self.aim_answers, self.aim_active, self.target,
            self.drawn,
        )  # fmt: skip
        self.show_fish = _Kernel(
            _fish_kernel, lists, counts, secret, own, small, self.turn, members, self.fish_hand,
            self.fish_words, self.fish_card, self.fish_active,
        )  # fmt: skip
        self.pass_cards = _Kernel(
            _pass_kernel, lists, counts, members, secret, own, small, self.fish_hand,
            self.fish_card, self.fish_answers, self.fish_active, self.given,
        )  # fmt: skip
        self.score = _Kernel(
            _score_kernel, lists, counts, batch.books, facts, secret, own, shells, small, self.turn,
            self.asked_by, batch.records, batch.details,
        )  # fmt: skip
        self.take_up = _Kernel(
            _take_up_kernel, lists, counts, facts, batch.games, table.queue, table.queue_first,
            batch.books, secret, own, shells, small, self.turn, self.asked_by, batch.opening,
        )  # fmt: skip

    def _call(self, decision: str, i: int) -> _Call:
        """How a strategy is asked for what every lane decides."""
        group = self.crew.groups[i]
        which = int(decision == "ask")
        small = self.small
        view = View(
            active=_read_only(self.active[which, i]),
            hand=_read_only(self.own[HAND]),
            playable=_read_only(self.own[PLAYABLE]) if decision == "action" else None,
            sizes=_read_only(small[SIZES:]),
            shells=_read_only(self.shells),
            beach_deck=_read_only(small[BEACH_LEFT]),
            shell_deck=_read_only(small[SHELL_LEFT]),
            turn=_read_only(self.turn),
            card=None,
            beach_discard=None,
            shell_discard=None,
            asked=None,
            lacks=None,
            passed=None,
            players=self.players,
        )
        return _Call(group, decision, view, self.words[which], self.answers[which, i])

    def calls_for_aims(self, count: int) -> list[_Call]:
        """How everybody is asked for the targets of so many columns."""
        width = -(-count // COLUMNS) * COLUMNS
        if width not in self.aim_calls:
            groups = len(self.crew.groups)
            active = self.aim_active[: 2 * groups * width].reshape(2, groups, width)
            answers = self.aim_answers[: 2 * groups * width].reshape(2, groups, width)
            shells = self.aim_shells[: self.players * width].reshape(self.players, width)
            calls = []
            for which, decision in enumerate(("seaweed", "shell")):
                for i, group in enumerate(self.crew.groups):
                    view = self._bare_view(active[which, i])._replace(
                        shells=_read_only(shells),
                        card=_read_only(self.aim_card[:width]) if which else None,
                    )
                    words = self.aim_words[:width]
                    calls.append(_Call(group, decision, view, words, answers[which, i]))
            self.aim_calls[width] = calls
        return self.aim_calls[width]

    def calls_for_fish(self, count: int) -> list[_Call]:
        """How everybody is asked for cards to pass in so many lanes."""
        width = -(-count // COLUMNS) * COLUMNS
        if width not in self.fish_calls:
            groups = len(self.crew.groups)
            total = self.players * width
            active = self.fish_active[: groups * total].reshape(groups, total)
            answers = self.fish_answers[: groups * total].reshape(groups, total)
            calls = []
            for i, group in enumerate(self.crew.groups):
                view = self._bare_view(active[i])._replace(
                    hand=_read_only(self.fish_hand[:total]), card=_read_only(self.fish_card[:total])
                )
                calls.append(_Call(group, "pass", view, self.fish_words[:total], answers[i]))
            self.fish_calls[width] = calls
        return self.fish_calls[width]

    def _bare_view(self, active: Bytes) -> View:
        nothing: dict[str, Any] = dict.fromkeys(View._fields)
        return View(**nothing | {"active": _read_only(active), "players": self.players})

    def move_to(self, other: _Side, idle_place: int) -> None:
        """Move the live games to fewer lanes; those left over repeat one of them idly."""
        living = np.flatnonzero(self.small[LIVE])
        columns = np.resize(living, other.lanes)
        for name in ("secret", "own", "shells", "small", "turn"):
            getattr(other, name)[...] = getattr(self, name)[..., columns]
        if self.asked_by.shape[1] > 1:
            other.asked_by[...] = self.asked_by[:, columns]
        other.small[LIVE, living.size :] = 0
        first = other.secret[TICKETS, living.size :] & np.uint64(7)
        other.secret[TICKETS, living.size :] = np.uint64(idle_place) << np.uint64(3) | first


class Table:
    """Workspace for batches: lanes, a queue of dealt games, and the records of finished ones."""

    def __init__(self, rules: Rules, players: int, lanes: int) -> None:
        self.rules = rules
        self.players = players
        self.lanes = max(COLUMNS, lanes)
        self.queue = np.zeros((QUEUE_HANDS + players, QUEUE), np.uint64)
        self.queue_first = np.zeros(QUEUE, np.uint8)
        self.kept_records = np.zeros(0, np.uint64)
        self.facts = np.zeros(FACTS, np.uint64)
        beach, shell = beach_cards(rules), shell_cards(rules)
        self.facts[BEACH] = pile_of(beach)
        self.facts[SHELL] = pile_of(shell)
        self.facts[BEACH_CARDS] = sum(beach.values())
        self.facts[SHELL_CARDS] = sum(shell.values())
        self.facts[HAND_SIZE] = rules["hand_size"]
        self.facts[MAX_TURNS] = rules["max_turns"]
        self.facts[ASK_FREELY] = rules["ask_freely"]
        self.facts[PLAY_AT_BEACH] = rules["play_at_beach"]
        self.facts[RANDOM_FIRST] = rules["first_player"] == "random"

    def records(self, games: int) -> Piles:
        """Room for the records of so many games and of idle lanes, kept from batch to batch."""
        if self.kept_records.size < 2 * games + 2:
            self.kept_records = np.zeros(2 * games + 2, np.uint64)
            self.wins = np.zeros(self.players * games, np.uint8)
            self.scores = np.zeros(self.players * games, np.int16)
            self.unfinished = np.zeros(games, np.uint8)
        return self.kept_records[: 2 * games + 2]

    def fitting(self, games: int) -> int:
        """How many lanes suit so many games: the fewer, the shorter the time when most are idle."""
        lanes = min(self.lanes, MOST_LANES)
        while lanes >= 2 * LEAST_LANES and lanes * lanes > LANES_SQUARED * games:
            lanes //= 2
        return lanes


class _Batch:
    """One call of `MermaidBeach.play`: games in their lanes, from the first deal to the last score."""

    def __init__(
        self,
        table: Table,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        fair: bool,
        watch: Watcher | None,
    ) -> None:
        self.table = table
        self.games = games
        self.fair = fair
        self.crew = _Crew(seats)
        self.watch = watch
        self.facts = table.facts.copy()
        self.facts[SEED] = seed
        self.facts[CHANCE] = self.crew.stochastic
        self.books = np.zeros(BOOKS, np.int64)
        self.records = table.records(games.size)
        self.details = np.zeros((4, games.size + 1 if fair else 0), np.uint64)
        self.opening = np.zeros((table.players, games.size if fair else 0), np.uint64)
        self.side = _Side(self, table.fitting(games.size))

    def play(self) -> None:
        """Play all games to their end."""
        side, books = self.side, self.books
        side.lists[OVER, : side.lanes] = np.arange(side.lanes)
        side.counts[OVER] = side.lanes
        side.take_up()
        self._finish_at_once()
        side.prepare()
        while books[FINISHED] < self.games.size:
            self._step()
            if books[STARTED] == self.games.size:
                self._close_ranks(int(books[STARTED] - books[FINISHED]))

    def _close_ranks(self, living: int) -> None:
        """Move the last games to fewer lanes."""
        lanes = self.side.lanes
        while lanes >= 2 * LEAST_LANES and living <= lanes // 2:
            lanes //= 2
        if living and lanes < self.side.lanes:
            side = _Side(self, lanes)
            self.side.move_to(side, self.games.size)
            self.side = side
            side.prepare()

    def _step(self) -> None:
        """One turn in every lane."""
        s = self.side
        s.answers.fill(0)
        for call in s.turn_calls:
            call()
        if s.ask() >= 0:
            raise RuntimeError("illegal")
        s.play()
        aimed, starfish, _ = s.counts.tolist()
        if aimed:
            s.show_aimed()
            for call in s.calls_for_aims(aimed):
                call()
            if s.aim() >= 0:
                raise RuntimeError("illegal")
        if starfish:
            s.show_fish()
            for call in s.calls_for_fish(starfish):
                call()
            if s.pass_cards() >= 0:
                raise RuntimeError("illegal")
        self._finish()
        s.prepare()

    def _finish(self) -> None:
        """Score the games that are over, and take up the next ones."""
        s = self.side
        while s.counts[OVER]:
            s.score()
            s.take_up()

    _finish_at_once = _finish


class MermaidBeach:
    """The game's entry in the registry; see `analyzer.contracts.Game`."""

    name = "mermaidbeach"
    title = "Mermaid Beach"
    question = "Does going first matter, and does the opening hand decide the game?"
    min_players = 2
    max_players = 5
    default_players = 4
    settings = SETTINGS
    decisions = (
        Decision("action", np.uint8, "the action"),
        Decision("ask", np.uint8, "question"),
        Decision("beach", np.uint8, ""),
        Decision("shell", np.uint8, ""),
        Decision("seaweed", np.uint8, ""),
        Decision("pass", np.uint8, ""),
    )
    families = ()
    sees = ("table", "discards", "asked", "lacks", "passed")
    metrics = (
        Metric("turns_per_game", "turns", "games", "turns, extra turns included"),
        Metric("first_player_win_share", "first_wins", "sixtieths", "wins of who began"),
        Metric("asks_per_game", "asks", "games", "questions asked"),
        Metric("ask_success_rate", "asks_met", "asks", "questions that were met"),
        Metric("starfish_per_game", "starfish", "games", "starfish drawn"),
        Metric(
            "monster_penalty_rate",
            "monster_meals",
            "games",
            "games in which a sea monster ate at least one shell card",
        ),
        Metric("ended_out_of_cards", "out_of_cards", "games", "games in which a player ran out"),
        Metric("ended_monster_alone", "monster_alone", "games", "games in which a player held the sea monster alone"),
    )
    headline = ("games", "wins", "wins_sq", "turns", "first_wins", "sixtieths")
    default_strategy = "random"
    games_per_lane = 32

    def check_rules(self, rules: dict[str, Any], players: int) -> None:
        pass

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Lowest and highest final score that the rules allow."""
        return 0, sum(int(text) * number for text, number in rules["shells"].items())

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums (see `docs/statistics.md` for what each is for)."""
        return dict.fromkeys(("turns", "sixtieths", "first_wins", "asks", "asks_met", "starfish", "monster_meals", "out_of_cards", "monster_alone"), ())

    def table(self, rules: Rules, players: int, lanes: int) -> Table:
        """Workspace for batches of up to ``lanes`` games side by side."""
        return Table(rules, players, lanes)

    def play(
        self,
        table: Table,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
        watch: Watcher | None = None,
    ) -> Outcome:
        """Play the given games."""
        count = games.size
        batch = _Batch(table, seed, games, seats, "opening" in tally, watch)
        batch.play()
        cells = table.players * count
        wins = table.wins[:cells].reshape(table.players, count)
        scores = table.scores[:cells].reshape(table.players, count)
        unfinished = table.unfinished[:count]
        _outcome_kernel(
            batch.records, wins, scores, unfinished, tally["turns"], tally["sixtieths"],
            tally["first_wins"], tally["asks"], tally["asks_met"], tally["starfish"],
            tally["monster_meals"], tally["out_of_cards"], tally["monster_alone"],
        )  # fmt: skip
        return Outcome(games, wins, scores, unfinished)


GAME = MermaidBeach()
