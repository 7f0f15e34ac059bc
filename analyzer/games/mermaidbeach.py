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
from analyzer.compilation import kernel
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

TILE = 512
QUEUE = 4096
BLOCKS = 256
WIN = 60

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
Listed = NDArray[np.int32]


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
def _decision_word(key: np.uint64, seat: int, turn: int, decision: int) -> np.uint64:
    """The word of one seat's decision in one turn."""
    purpose = np.uint64(PURPOSE_DECIDE) + np.uint64(seat)
    number = purpose << np.uint64(48) | np.uint64(turn) << np.uint64(8) | np.uint64(decision)
    return mix64(key + number * GAMMA)


@kernel
def _deal_kernel(
    seed: int,
    games: Piles,
    beach: int,
    cards: int,
    hand_size: int,
    random_first: bool,
    keys: Piles,
    hands: Piles,
    deck: Piles,
    first: Bytes,
) -> int:
    """Deal games in step, as many as ``games`` has; returns whether one of them is over at once.

    ``beach`` is the whole beach deck, of so many ``cards``; ``hands`` is (P, M) by seat.
    """
    players = hands.shape[0]
    words = np.empty(TILE, np.uint64)
    key = seed_key(seed)
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
            rest[g] = np.uint64(beach)
        for p in range(players):
            row = hands[p, start:end]
            for g in range(width):
                row[g] = 0
            for c in range(hand_size):
                drawn = p * hand_size + c
                left = np.uint64(cards - drawn)
                number = (np.uint64(PURPOSE_BEACH) << np.uint64(48)) | np.uint64(drawn)
                shift = number * GAMMA
                for g in range(width):
                    words[g] = mix64(tile_keys[g] + shift)
                for g in range(width):
                    card = ONE << _place(rest[g], bounded(words[g], left))
                    rest[g] -= card
                    row[g] += card
            for g in range(width):
                over |= np.uint64((row[g] & NO_MONSTER) == 0)
        row = first[start:end]
        shift = (np.uint64(PURPOSE_FIRST) << np.uint64(48)) * GAMMA
        for g in range(width):
            drawn_seat = bounded(mix64(tile_keys[g] + shift), players)
            row[g] = np.uint8(drawn_seat) if random_first else np.uint8(0)
    return int(over)


@kernel
def _words_kernel(keys: Piles, seat: Bytes, turn: Shorts, action: Piles, ask: Piles) -> None:
    """Words of the first two decisions of each lane's turn."""
    for start in range(0, keys.size, TILE):
        end = min(start + TILE, keys.size)
        tile_keys = keys[start:end]
        mover = seat[start:end]
        now = turn[start:end]
        first = action[start:end]
        second = ask[start:end]
        for g in range(mover.size):
            purpose = np.uint64(PURPOSE_DECIDE) + np.uint64(mover[g])
            number = purpose << np.uint64(48) | np.uint64(now[g]) << np.uint64(8)
            before = tile_keys[g] + number * GAMMA
            first[g] = mix64(before)
            second[g] = mix64(before + GAMMA)


@kernel
def _beach_words_kernel(keys: Piles, seat: Bytes, turn: Shorts, words: Piles) -> None:
    """Words of the decision whether to play a card just drawn."""
    for g in range(keys.size):
        words[g] = _decision_word(keys[g], seat[g], turn[g], BEACH_WORD)


# --- kernels: a turn ------------------------------------------------------------------------------


@kernel
def _playable(hand: np.uint64, rivals: np.uint64, ask_freely: bool) -> np.uint64:
    """The set of actions open to a hand; ``rivals`` is 1 if an opponent has a shell card."""
    cards = held(hand)
    pairs = held_twice(hand) & ITEMS
    targeted = ONE << np.uint64(4 * MEAN) | ONE << np.uint64(4 * WAVE)
    merfolk = ONE << np.uint64(4 * MERFOLK)
    open_cards = merfolk | ONE << np.uint64(4 * SEAWEED) | targeted * rivals
    actions = pairs | (cards & open_cards)
    before_asking = pairs | (actions & (merfolk | ONE << np.uint64(4 * MEAN)))
    may_ask = np.uint64((cards & ITEMS) != 0) & (np.uint64(before_asking == 0) | np.uint64(ask_freely))
    actions |= may_ask << np.uint64(4 * ASK)
    # Who can do nothing else at all discards a mean mermaid or a wave without effect.
    return actions if actions != 0 else cards & targeted


@kernel
def _prepare_kernel(
    hand: Piles,
    others: Piles,
    shells: Piles,
    beach_deck: Piles,
    shell_deck: Piles,
    ask_freely: bool,
    rivals: Bytes,
    playable: Piles,
    sizes: Bytes,
    beach_left: Bytes,
    shell_left: Bytes,
) -> None:
    """Derive what several readers need before a turn."""
    players = shells.shape[0]
    for start in range(0, hand.size, TILE):
        end = min(start + TILE, hand.size)
        cards = hand[start:end]
        any_rival = rivals[start:end]
        actions = playable[start:end]
        width = end - start
        row = shells[1, start:end]
        for g in range(width):
            any_rival[g] = np.uint8(row[g] != 0)
        for d in range(2, players):
            row = shells[d, start:end]
            for g in range(width):
                any_rival[g] |= np.uint8(row[g] != 0)
        for g in range(width):
            actions[g] = _playable(cards[g], np.uint64(any_rival[g]), ask_freely)
        number = sizes[0, start:end]
        for g in range(width):
            number[g] = np.uint8(size(cards[g]))
        for d in range(1, players):
            row = others[d - 1, start:end]
            number = sizes[d, start:end]
            for g in range(width):
                number[g] = np.uint8(size(row[g]))
        row = beach_deck[start:end]
        number = beach_left[start:end]
        for g in range(width):
            number[g] = np.uint8(size(row[g]))
        row = shell_deck[start:end]
        number = shell_left[start:end]
        for g in range(width):
            number[g] = np.uint8(size(row[g]))


@kernel
def _discards_kernel(
    hand: Piles,
    others: Piles,
    shells: Piles,
    beach_deck: Piles,
    shell_deck: Piles,
    beach: int,
    shell: int,
    beach_discard: Piles,
    shell_discard: Piles,
) -> None:
    """What lies on the discard piles: all cards of the whole decks that are nowhere else."""
    for g in range(hand.size):
        beach_discard[g] = np.uint64(beach) - beach_deck[g] - hand[g]
    for d in range(others.shape[0]):
        row = others[d]
        for g in range(hand.size):
            beach_discard[g] -= row[g]
    for g in range(hand.size):
        shell_discard[g] = np.uint64(shell) - shell_deck[g]
    for d in range(shells.shape[0]):
        row = shells[d]
        for g in range(hand.size):
            shell_discard[g] -= row[g]


@kernel
def _active_kernel(live: Bytes, seat: Bytes, members: Bytes, active: Bytes) -> None:
    """Which lanes each strategy moves in: ``active`` (G, N) from who sits where (G, P)."""
    for i in range(active.shape[0]):
        row = active[i]
        for g in range(live.size):
            row[g] = 0
        for p in range(members.shape[1]):
            if members[i, p]:
                own = np.uint8(p)
                for g in range(live.size):
                    row[g] |= np.uint8(seat[g] == own)
        for g in range(live.size):
            row[g] &= live[g]


@kernel
def _actions_kernel(answers: Bytes, active: Bytes, action: Bytes, asking: Bytes) -> None:
    """Take the action of each lane from the strategy that moves in it, and see where it asks.

    ``answers`` and ``active`` are (G, N), and so is ``asking``, which is filled.
    """
    lanes = action.size
    for g in range(lanes):
        action[g] = IDLE
    for i in range(answers.shape[0]):
        given = answers[i]
        mine = active[i]
        for g in range(lanes):
            answer = given[g]
            answer = np.uint8(NONE) if answer == IDLE else answer
            before = action[g]
            action[g] = answer if mine[g] else before
    for i in range(answers.shape[0]):
        mine = active[i]
        row = asking[i]
        for g in range(lanes):
            row[g] = mine[g] & np.uint8(action[g] == ASK)


@kernel
def _recycle(
    g: int,
    beach: np.uint64,
    hand: Piles,
    others: Piles,
    beach_deck: Piles,
    recycled: Shorts,
) -> np.uint64:
    """Make the discard pile of lane g its beach deck; returns how many cards it has."""
    rest = beach - hand[g]
    for d in range(others.shape[0]):
        rest -= others[d, g]
    beach_deck[g] = rest
    cards = size(rest)
    recycled[g] += np.uint16(cards)
    return cards


@kernel
def _ask_kernel(
    keys: Piles,
    hand: Piles,
    others: Piles,
    beach_deck: Piles,
    recycled: Shorts,
    beach: int,
    cards: int,
    play_at_beach: bool,
    playable: Piles,
    rivals: Bytes,
    beach_left: Bytes,
    action: Bytes,
    answers: Bytes,
    asking: Bytes,
    question: Bytes,
    met: Bytes,
    drawn: Bytes,
    offer: Bytes,
    asks: Shorts,
    asks_met: Shorts,
) -> int:
    """Let everybody ask whose action it is: the opponent gives the card, or one is drawn.

    Fills ``question`` (kind + 16 * opponent), ``met``, ``drawn`` (the card drawn at the beach, NONE
    if none) and ``offer`` (1 where it can be played at once). Returns where the first tile begins in
    which an action or a question is illegal, in which nothing has been done, or -1.
    """
    players = others.shape[0] + 1
    place = np.empty(TILE, np.uint64)
    words = np.empty(TILE, np.uint64)
    kind = np.empty(TILE, np.uint8)
    who = np.empty(TILE, np.uint8)
    need = np.empty(TILE, np.uint8)
    copies = np.empty(TILE, np.uint8)
    purpose = (np.uint64(PURPOSE_BEACH) << np.uint64(48)) * GAMMA
    total = np.uint64(cards)
    table_size = np.uint8(players)
    for start in range(0, hand.size, TILE):
        end = min(start + TILE, hand.size)
        width = end - start
        tile_action = action[start:end]
        mine = hand[start:end]
        asked = question[start:end]
        gives = met[start:end]
        for g in range(width):
            asked[g] = 0
        for i in range(answers.shape[0]):
            given = answers[i, start:end]
            asks_now = asking[i, start:end]
            for g in range(width):
                asked[g] |= given[g] if asks_now[g] else np.uint8(0)
        for g in range(width):
            kind[g] = asked[g] & 15
        for g in range(width):
            who[g] = asked[g] >> 4
        # Legal: bit 0, the action can be played; bit 1, the kind is in the hand.
        open_actions = playable[start:end]
        for g in range(width):
            action_place = np.uint64(tile_action[g]) << np.uint64(2)
            fine = (open_actions[g] >> (action_place & np.uint64(63))) & ONE
            fine |= np.uint64(has(mine[g] & ITEMS, kind[g]) != 0) << ONE
            need[g] = np.uint8(fine)
        for g in range(width):
            foul = np.uint8(tile_action[g] > IDLE)
            foul |= np.uint8(tile_action[g] < IDLE) & ((need[g] & 1) ^ 1)
            foul_question = np.uint8(need[g] < 2) | np.uint8(who[g] == 0)
            foul_question |= np.uint8(who[g] >= table_size)
            copies[g] = foul | (np.uint8(tile_action[g] == ASK) & foul_question)
        wrong = 0
        for g in range(width):
            wrong += np.int64(copies[g])
        if wrong:
            return start
        for g in range(width):
            who[g] = who[g] if tile_action[g] == ASK else np.uint8(0)
        # The opponent has the card and gives it.
        for g in range(width):
            gives[g] = 0
        for d in range(1, players):
            row = others[d - 1, start:end]
            own = np.uint8(d)
            for g in range(width):
                cards_held = row[g]
                yes = np.uint64(who[g] == own) & np.uint64(has(cards_held, kind[g]) != 0)
                row[g] = cards_held - (yes << (np.uint64(kind[g]) << np.uint64(2)))
                gives[g] |= np.uint8(yes)
        number = asks[start:end]
        for g in range(width):
            number[g] += np.uint16(who[g] != 0)
        number = asks_met[start:end]
        for g in range(width):
            number[g] += np.uint16(gives[g])
        # Nobody gives: to the beach.
        left = beach_left[start:end]
        for g in range(width):
            need[g] = np.uint8(who[g] != 0) & (gives[g] ^ 1)
        empty = 0
        for g in range(width):
            empty += np.int64(need[g] & np.uint8(left[g] == 0))
        if empty:
            for g in range(start, end):
                if need[g - start] and beach_left[g] == 0:
                    beach_left[g] = _recycle(
                        g, np.uint64(beach), hand, others, beach_deck, recycled
                    )
        again = recycled[start:end]
        key = keys[start:end]
        for g in range(width):
            before = total - np.uint64(left[g]) + np.uint64(again[g])
            words[g] = mix64(key[g] + purpose + before * GAMMA)
        rest = beach_deck[start:end]
        for g in range(width):
            place[g] = _place(rest[g], bounded(words[g], left[g])) & np.uint64(60)
        for g in range(width):
            need[g] &= np.uint8(left[g] != 0)
        card = drawn[start:end]
        for g in range(width):
            rest[g] -= np.uint64(need[g]) << place[g]
        for g in range(width):
            mine[g] += np.uint64(need[g]) << place[g]
        for g in range(width):
            copies[g] = np.uint8((mine[g] >> place[g]) & np.uint64(15))
        for g in range(width):
            sort = np.uint8(place[g] >> np.uint64(2))
            card[g] = sort if need[g] else np.uint8(NONE)
        if play_at_beach:
            fits = offer[start:end]
            any_rival = rivals[start:end]
            for g in range(width):
                matches = np.uint8(card[g] < KINDS) & np.uint8(copies[g] >= 2)
                free = np.uint8(card[g] == MERFOLK) | np.uint8(card[g] == SEAWEED)
                aimed = np.uint8(card[g] == MEAN) | np.uint8(card[g] == WAVE)
                fits[g] = matches | free | (aimed & any_rival[g])
    return -1


@kernel
def _accept_kernel(answers: Bytes, active: Bytes, offer: Bytes) -> None:
    """Keep the card drawn where its owner does not want to play it."""
    for i in range(answers.shape[0]):
        for g in range(offer.size):
            keeps = active[i, g] & np.uint8(answers[i, g] == 0)
            offer[g] &= keeps ^ 1


@kernel
def _play_kernel(
    keys: Piles,
    seat: Bytes,
    turn: Shorts,
    hand: Piles,
    others: Piles,
    shells: Piles,
    shell_deck: Piles,
    shell: int,
    cards: int,
    max_turns: int,
    rivals: Bytes,
    shell_left: Bytes,
    action: Bytes,
    question: Bytes,
    met: Bytes,
    drawn: Bytes,
    offer: Bytes,
    played: Bytes,
    shell_card: Bytes,
    ended: Bytes,
    lists: Listed,
    counts: Listed,
) -> None:
    """Play the card of each lane's turn, draw its shell card, and give the turn to the next player.

    Fills ``played`` (MONSTER if no card was), ``shell_card`` (0 if none was drawn), ``ended`` as far
    as no starfish changes it, and the lists (3, N) of lanes, with their lengths in ``counts``: where
    a card is aimed at an opponent, where a starfish came up, and other lanes whose game is over.
    """
    players, lanes = shells.shape
    words = np.empty(TILE, np.uint64)
    kept = np.empty(TILE, np.uint64)
    moved = np.empty(TILE, np.uint64)
    need = np.empty(TILE, np.uint8)
    flags = np.empty(TILE, np.uint8)
    stays = np.empty(TILE, np.uint8)
    purpose = (np.uint64(PURPOSE_SHELL) << np.uint64(48)) * GAMMA
    total = np.uint64(cards)
    table_size = np.uint8(players)
    limit = np.uint16(max_turns)
    special = 0
    found = lists[2]
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        width = end - start
        chosen = action[start:end]
        asked = question[start:end]
        gives = met[start:end]
        card = drawn[start:end]
        fits = offer[start:end]
        out = played[start:end]
        for g in range(width):
            at_beach = card[g]
            at_beach = at_beach if fits[g] else np.uint8(MONSTER)
            sort = min(chosen[g], np.uint8(MONSTER))
            sort = at_beach if sort == ASK else sort
            kind = asked[g] & np.uint8(15)
            out[g] = kind if gives[g] else sort
        mine = hand[start:end]
        for g in range(width):
            sort = np.uint64(out[g])
            copies = np.uint64(out[g] < KINDS) + np.uint64(out[g] != MONSTER) - np.uint64(gives[g])
            mine[g] -= copies << (sort << np.uint64(2))
        # Merfolk and pairs draw a shell card.
        left = shell_left[start:end]
        key = keys[start:end]
        for g in range(width):
            words[g] = mix64(key[g] + purpose + (total - np.uint64(left[g])) * GAMMA)
        rest = shell_deck[start:end]
        for g in range(width):
            kept[g] = _place(rest[g], bounded(words[g], left[g])) & np.uint64(60)
        for g in range(width):
            need[g] = np.uint8(left[g] != 0) & np.uint8(out[g] <= MERFOLK)
        for g in range(width):
            rest[g] -= np.uint64(need[g]) << kept[g]
        card = shell_card[start:end]
        for g in range(width):
            sort = np.uint8(kept[g] >> np.uint64(2))
            card[g] = sort if need[g] else np.uint8(0)
        row = shells[0, start:end]
        for g in range(width):
            shell_place = np.uint64(card[g]) << np.uint64(2)
            row[g] += np.uint64(card[g] - np.uint8(1) < MOST_POINTS) << shell_place
        # Bit 0: somebody ran out of cards; bit 1: somebody has nothing but monsters.
        for g in range(width):
            flags[g] = np.uint8(mine[g] == 0) | np.uint8((mine[g] & NO_MONSTER) == 0) << 1
        for d in range(players - 1):
            row = others[d, start:end]
            for g in range(width):
                flags[g] |= np.uint8(row[g] == 0) | np.uint8((row[g] & NO_MONSTER) == 0) << 1
        now = turn[start:end]
        for g in range(width):
            now[g] += np.uint16(1)
        over = ended[start:end]
        for g in range(width):
            why = np.uint8(UNFINISHED) if now[g] >= limit else np.uint8(0)
            why = np.uint8(MONSTER_ALONE) if flags[g] & 2 else why
            over[g] = np.uint8(OUT_OF_CARDS) if flags[g] & 1 else why
        any_rival = rivals[start:end]
        for g in range(width):
            aimed = np.uint8(out[g] == MEAN) | np.uint8(out[g] == WAVE)
            something = (aimed & any_rival[g]) | np.uint8(out[g] == SEAWEED)
            something |= np.uint8(card[g] >= STARFISH_LEFT)
            flags[g] = something | np.uint8(over[g] != 0)
        for g in range(width):
            found[special] = start + g
            special += flags[g] & 1
        # Whose turn is it next?
        for g in range(width):
            stays[g] = np.uint8(out[g] == MERFOLK)
        for g in range(width):
            kept[g] = mine[g]
        row = others[0, start:end]
        for g in range(width):
            same = mine[g]
            left_of_it = row[g]
            mine[g] = same if stays[g] else left_of_it
        for d in range(players - 1):
            if d < players - 2:
                row = others[d + 1, start:end]
                for g in range(width):
                    moved[g] = row[g]
            else:
                for g in range(width):
                    moved[g] = kept[g]
            row = others[d, start:end]
            for g in range(width):
                same = row[g]
                left_of_it = moved[g]
                row[g] = same if stays[g] else left_of_it
        row = shells[0, start:end]
        for g in range(width):
            kept[g] = row[g]
        for d in range(players):
            if d < players - 1:
                row = shells[d + 1, start:end]
                for g in range(width):
                    moved[g] = row[g]
            else:
                for g in range(width):
                    moved[g] = kept[g]
            row = shells[d, start:end]
            for g in range(width):
                same = row[g]
                left_of_it = moved[g]
                row[g] = same if stays[g] else left_of_it
        mover = seat[start:end]
        for g in range(width):
            following = np.uint8(mover[g] + (stays[g] ^ np.uint8(1)))
            mover[g] = np.uint8(0) if following == table_size else following
    counts[:] = 0
    for i in range(special):
        g = found[i]
        sort = played[g]
        aimed = np.int32((sort == MEAN) | (sort == WAVE)) & np.int32(rivals[g])
        starfish = np.int32(shell_card[g] >= STARFISH_LEFT)
        lists[0, counts[0]] = g
        lists[1, counts[1]] = g
        lists[2, counts[2]] = g
        counts[0] += aimed | np.int32(sort == SEAWEED)
        counts[1] += starfish
        counts[2] += np.int32(ended[g] != 0) & (np.int32(1) - starfish)


# --- kernels: targets and starfish ---------------------------------------------------------------


@kernel
def _late_words(
    keys: Piles, sitting: Bytes, turn: Shorts, decision: Bytes, words: Piles
) -> None:
    """Words of decisions that are asked for when the turn is counted already."""
    for c in range(words.size):
        purpose = np.uint64(PURPOSE_DECIDE) + np.uint64(sitting[c])
        number = purpose << np.uint64(48) | (np.uint64(turn[c]) - ONE) << np.uint64(8)
        words[c] = mix64(keys[c] + (number | np.uint64(decision[c])) * GAMMA)


@kernel
def _asked_seats(sitting: Bytes, count: int, members: Bytes, active: Bytes) -> None:
    """Mark in ``active`` (W,) which of the first ``count`` columns belong to the member seats."""
    for c in range(active.size):
        active[c] = 0
    for p in range(members.size):
        if members[p]:
            own = np.uint8(p)
            for c in range(active.size):
                active[c] |= np.uint8(sitting[c] == own)
    for c in range(count, active.size):
        active[c] = 0


@kernel
def _aim_kernel(
    listed: Listed,
    count: int,
    keys: Piles,
    seat: Bytes,
    turn: Shorts,
    shells: Piles,
    played: Bytes,
    members: Bytes,
    out_shells: Piles,
    out_card: Bytes,
    active: Bytes,
    words: Piles,
) -> None:
    """Columns for the lanes in which seaweed, a mean mermaid or a wave was played.

    They show the table as the player sees it who has just moved, who is in row P - 1 by now. The
    first ``count`` columns ask: ``active`` (2, G, W) says whom, for an opponent who shall draw and
    for a shell card.
    """
    groups, players = members.shape
    width = words.size
    column_keys = np.empty(width, np.uint64)
    column_turn = np.empty(width, np.uint16)
    sitting = np.empty(width, np.uint8)
    decision = np.empty(width, np.uint8)
    for c in range(width):
        column_keys[c] = keys[listed[c]]
    for c in range(width):
        column_turn[c] = turn[listed[c]]
    for c in range(width):
        sitting[c] = seat[listed[c]]
    for c in range(width):
        out_card[c] = played[listed[c]]
    for d in range(players):
        row = shells[(d + players - 1) % players]
        seen = out_shells[d]
        for c in range(width):
            seen[c] = row[listed[c]]
    last = np.uint8(players - 1)
    for c in range(width):
        sitting[c] = last if sitting[c] == 0 else np.uint8(sitting[c] - np.uint8(1))
    for c in range(width):
        seaweed = np.uint8(SEAWEED_WORD)
        decision[c] = seaweed if out_card[c] == SEAWEED else np.uint8(SHELL_WORD)
    _late_words(column_keys, sitting, column_turn, decision, words)
    for i in range(groups):
        draw = active[0, i]
        take = active[1, i]
        _asked_seats(sitting, count, members[i], draw)
        for c in range(width):
            take[c] = draw[c] & np.uint8(out_card[c] != SEAWEED)
        for c in range(width):
            draw[c] &= np.uint8(out_card[c] == SEAWEED)


@kernel
def _merge(answers: Bytes, active: Bytes, out: Bytes) -> None:
    """The answers (G, W) of whoever was asked, by column; NONE where nobody was."""
    for c in range(out.size):
        out[c] = NONE
    for i in range(answers.shape[0]):
        given = answers[i]
        asked = active[i]
        for c in range(out.size):
            before = out[c]
            answer = given[c]
            out[c] = answer if asked[c] else before


@kernel
def _target_kernel(
    listed: Listed,
    count: int,
    answers: Bytes,
    active: Bytes,
    column_shells: Piles,
    column_card: Bytes,
    keys: Piles,
    hand: Piles,
    others: Piles,
    shells: Piles,
    beach_deck: Piles,
    recycled: Shorts,
    beach: int,
    cards: int,
    target: Bytes,
    drawn: Bytes,
) -> int:
    """Let opponents draw for the seaweed, take or wash away the chosen shell cards.

    ``answers`` and ``active`` are (2, G, W): the opponent who shall draw, and sort of the shell
    card + 16 * opponent. Fills ``target`` with the answers and ``drawn`` with the beach cards drawn
    (NONE if none was). Returns the first column whose answer is illegal, in which case nothing has
    been done, or -1.
    """
    players = shells.shape[0]
    _merge(answers[0], active[0], drawn)
    _merge(answers[1], active[1], target)
    for c in range(count):
        if column_card[c] == SEAWEED:
            target[c] = drawn[c]
            opponent = np.int64(target[c])
            fine = True
        else:
            opponent = np.int64(target[c] >> 4)
            fine = has(column_shells[min(opponent, players - 1), c], target[c] & 15) != 0
        if opponent < 1 or opponent >= players or not fine:
            return c
    for c in range(count):
        g = listed[c]
        drawn[c] = NONE
        if column_card[c] == SEAWEED:
            row = np.int64(target[c]) - 1
            left = size(beach_deck[g])
            if left == 0:
                left = _recycle(g, np.uint64(beach), hand, others, beach_deck, recycled)
            if left != 0:
                before = np.uint64(cards) - left + np.uint64(recycled[g])
                number = np.uint64(PURPOSE_BEACH) << np.uint64(48) | before
                place = _place(beach_deck[g], bounded(mix64(keys[g] + number * GAMMA), left))
                beach_deck[g] -= ONE << place
                if row == 0:
                    hand[g] += ONE << place
                else:
                    others[row - 1, g] += ONE << place
                drawn[c] = np.uint8(place >> np.uint64(2))
        else:
            card = ONE << (np.uint64(target[c] & 15) << np.uint64(2))
            shells[np.int64(target[c] >> 4) - 1, g] -= card
            if column_card[c] == MEAN:
                shells[players - 1, g] += card
    return -1


@kernel
def _starfish_kernel(
    listed: Listed,
    count: int,
    keys: Piles,
    seat: Bytes,
    turn: Shorts,
    hand: Piles,
    others: Piles,
    shell_card: Bytes,
    members: Bytes,
    out_hand: Piles,
    out_card: Bytes,
    active: Bytes,
    words: Piles,
) -> None:
    """Columns for the lanes in which a starfish came up: first those of everybody in row 0, and so on.

    Of each row the first ``count`` columns ask who holds a card; ``active`` is (G, P * W).
    """
    groups, players = members.shape
    width = words.size // players
    column_keys = np.empty(width, np.uint64)
    column_turn = np.empty(width, np.uint16)
    sitting = np.empty(width, np.uint8)
    decision = np.empty(width, np.uint8)
    for c in range(width):
        column_keys[c] = keys[listed[c]]
    for c in range(width):
        column_turn[c] = turn[listed[c]]
    for c in range(width):
        sitting[c] = seat[listed[c]]
    for c in range(width):
        out_card[c] = shell_card[listed[c]]
    for c in range(width):
        out_hand[c] = hand[listed[c]]
    for r in range(1, players):
        row = others[r - 1]
        column_hand = out_hand[r * width : (r + 1) * width]
        for c in range(width):
            column_hand[c] = row[listed[c]]
    for c in range(width):
        decision[c] = PASS_WORD
    last = np.uint8(players - 1)
    for r in range(players):
        begin = r * width
        end = begin + width
        column_card = out_card[begin:end]
        for c in range(width):
            column_card[c] = out_card[c]
        _late_words(column_keys, sitting, column_turn, decision, words[begin:end])
        column_hand = out_hand[begin:end]
        for i in range(groups):
            asked = active[i, begin:end]
            _asked_seats(sitting, count, members[i], asked)
            for c in range(width):
                asked[c] &= np.uint8(column_hand[c] != 0)
        for c in range(width):
            sitting[c] = np.uint8(0) if sitting[c] == last else np.uint8(sitting[c] + np.uint8(1))


@kernel
def _pass_kernel(
    listed: Listed,
    count: int,
    answers: Bytes,
    active: Bytes,
    column_hand: Piles,
    column_card: Bytes,
    turn: Shorts,
    max_turns: int,
    hand: Piles,
    others: Piles,
    ended: Bytes,
    given: Bytes,
    over: Listed,
    over_count: int,
) -> int:
    """Pass everybody's chosen card at once, and see which of these games are over.

    ``given`` (P * W,) is filled with the cards (NONE where there was none); lanes whose game is over
    are appended to the list ``over``. Returns the new length of that list, or, if an answer is
    illegal, -1 - its column; then nothing has been done.
    """
    players = others.shape[0] + 1
    width = given.size // players
    cards = np.empty(given.size, np.uint64)
    kept = np.empty(given.size, np.uint64)
    foul = np.empty(given.size, np.uint8)
    alone = np.empty(width, np.uint8)
    _merge(answers, active, given)
    for c in range(given.size):
        gives = np.uint64(given[c] != NONE)
        card = gives << ((np.uint64(given[c]) << np.uint64(2)) & np.uint64(60))
        absent = has(column_hand[c], given[c] & 15) == 0
        cards[c] = card
        foul[c] = np.uint8(gives) & (np.uint8(absent) | np.uint8(given[c] > 15))
    for i in range(active.shape[0]):
        for c in range(given.size):
            # NONE is an answer, too, if it was asked for.
            foul[c] |= active[i, c] & np.uint8(given[c] == NONE)
    for c in range(given.size):
        if foul[c]:
            return -1 - c
    for c in range(given.size):
        kept[c] = column_hand[c] - cards[c]
    for c in range(width):
        alone[c] = 0
    for r in range(players):
        row = kept[r * width : (r + 1) * width]
        before = (r + players - 1) % players * width
        after = (r + 1) % players * width
        from_right = cards[before : before + width]
        from_left = cards[after : after + width]
        for c in range(width):
            to_left = from_right[c]
            to_right = from_left[c]
            row[c] += to_left if column_card[c] == STARFISH_LEFT else to_right
        for c in range(width):
            alone[c] |= np.uint8((row[c] & NO_MONSTER) == 0)
    for c in range(count):
        hand[listed[c]] = kept[c]
    for r in range(1, players):
        target = others[r - 1]
        row = kept[r * width : (r + 1) * width]
        for c in range(count):
            target[listed[c]] = row[c]
    limit = np.uint16(max_turns)
    for c in range(count):
        g = listed[c]
        why = np.uint8(UNFINISHED) if turn[g] >= limit else np.uint8(0)
        why = np.uint8(MONSTER_ALONE) if alone[c] else why
        why = np.uint8(OUT_OF_CARDS) if ended[g] == OUT_OF_CARDS else why
        ended[g] = why
        over[over_count] = g
        over_count += np.int64(why != 0)
    return over_count


# --- kernels: the end of a game, and the next one -------------------------------------------------


@kernel
def _score_kernel(
    over: Listed,
    count: int,
    places: NDArray[np.int64],
    seat: Bytes,
    first: Bytes,
    turn: Shorts,
    ended: Bytes,
    asks: Shorts,
    asks_met: Shorts,
    asks_by: Piles,
    met_by: Piles,
    hand: Piles,
    others: Piles,
    shells: Piles,
    shell_deck: Piles,
    shell: int,
    records: Piles,
) -> None:
    """Feed the monsters, count the shells, and record the games that are over.

    A record has 2 words, or 6 with the details of fairness; bits by seat s from 0:

    ====  =========================================================================================
    word  contents
    ====  =========================================================================================
    0     points of seat s at 11 s; winners at 55 + s; a monster ate something at 60
    1     turns at 0; questions at 16; questions met at 32; who began at 48; why it ended at 51;
          starfish at 53
    2     points eaten at 11 s; holds a monster at 55 + s
    3     winners if no monster ate at s; cards eaten at 8 + 4 s
    4, 5  questions, and questions met, at 12 s
    ====  =========================================================================================
    """
    players = shells.shape[0]
    cards = np.empty((players, TILE), np.uint64)
    piles = np.empty((players, TILE), np.uint64)
    standing = np.empty((players, TILE), np.uint64)
    before = np.empty((players, TILE), np.uint64)
    meal = np.empty((players, TILE), np.uint64)
    best = np.empty(TILE, np.uint64)
    most = np.empty(TILE, np.uint64)
    words = np.empty((4, TILE), np.uint64)
    where = np.empty(TILE, np.uint64)
    place = np.empty(TILE, np.uint64)
    why = np.empty(TILE, np.uint8)
    mover = np.empty(TILE, np.uint8)
    fair = records.shape[1] > 2
    for start in range(0, count, TILE):
        width = min(TILE, count - start)
        listed = over[start : start + width]
        for c in range(width):
            cards[0, c] = hand[listed[c]]
        for r in range(1, players):
            row = others[r - 1]
            for c in range(width):
                cards[r, c] = row[listed[c]]
        for r in range(players):
            row = shells[r]
            for c in range(width):
                piles[r, c] = row[listed[c]]
        for c in range(width):
            why[c] = ended[listed[c]]
        for c in range(width):
            mover[c] = seat[listed[c]]
        for c in range(width):
            best[c] = 0
            most[c] = 0
            words[0, c] = 0
            words[1, c] = 0
            words[2, c] = 0
            words[3, c] = 0
        for r in range(players):
            for c in range(width):
                pile = piles[r, c]
                before[r, c] = points(pile) << np.uint64(8) | size(pile)
            for c in range(width):
                pile = piles[r, c]
                top = highest(held(pile))
                above = top << np.uint64(2)
                holds = np.uint64((cards[r, c] >> np.uint64(4 * MONSTER)) != 0)
                eaten = ((pile >> above) & np.uint64(15)) * holds
                meal[r, c] = (eaten * top) << np.uint64(8) | eaten | holds << np.uint64(32)
            for c in range(width):
                standing[r, c] = before[r, c] - (meal[r, c] & np.uint64(0xFFFFFFFF))
            for c in range(width):
                best[c] = max(best[c], standing[r, c])
            for c in range(width):
                most[c] = max(most[c], before[r, c])
        for c in range(width):
            # Nobody wins a game that was stopped: no standing is as good as this.
            stopped = np.uint64(why[c] == UNFINISHED) << np.uint64(32)
            best[c] |= stopped
            most[c] |= stopped
        for r in range(players):
            for c in range(width):
                s = np.uint64(mover[c]) + np.uint64(r)
                s -= np.uint64(players) * np.uint64(s >= np.uint64(players))
                where[c] = s * np.uint64(11)
                place[c] = s
            for c in range(width):
                mine = standing[r, c]
                wins = np.uint64(mine == best[c]) << (np.uint64(55) + place[c])
                words[0, c] |= (mine >> np.uint64(8)) << where[c] | wins
            for c in range(width):
                words[1, c] |= np.uint64((meal[r, c] & np.uint64(255)) != 0) << np.uint64(60)
            if fair:
                for c in range(width):
                    ate = meal[r, c]
                    worth = (ate >> np.uint64(8)) & np.uint64(0xFFFFFF)
                    holds = (ate >> np.uint64(32)) << (np.uint64(55) + place[c])
                    words[2, c] |= worth << where[c] | holds
                for c in range(width):
                    eaten = meal[r, c] & np.uint64(255)
                    would_win = np.uint64(before[r, c] == most[c]) << place[c]
                    words[3, c] |= would_win | eaten << (np.uint64(8) + (place[c] << np.uint64(2)))
        for c in range(width):
            g = listed[c]
            starfish = np.uint64(0)
            for sort in (STARFISH_LEFT, STARFISH_RIGHT):
                starfish += has(np.uint64(shell), sort) - has(shell_deck[g], sort)
            record = records[places[g]]
            record[0] = words[0, c] | words[1, c]
            record[1] = (
                np.uint64(turn[g])
                | np.uint64(asks[g]) << np.uint64(16)
                | np.uint64(asks_met[g]) << np.uint64(32)
                | np.uint64(first[g]) << np.uint64(48)
                | np.uint64(ended[g]) << np.uint64(51)
                | starfish << np.uint64(53)
            )
            if fair:
                record[2] = words[2, c]
                record[3] = words[3, c]
                record[4] = asks_by[g]
                record[5] = met_by[g]


@kernel
def _seat_kernel(
    free: Listed,
    count: int,
    take: int,
    source: Listed,
    first_place: int,
    idle_place: int,
    dealt_keys: Piles,
    dealt: Piles,
    dealt_deck: Piles,
    dealt_first: Bytes,
    shell: int,
    places: NDArray[np.int64],
    live: Bytes,
    keys: Piles,
    seat: Bytes,
    first: Bytes,
    turn: Shorts,
    hand: Piles,
    others: Piles,
    shells: Piles,
    beach_deck: Piles,
    shell_deck: Piles,
    recycled: Shorts,
    asks: Shorts,
    asks_met: Shorts,
) -> None:
    """Let the first ``take`` of the free lanes take up dealt games, and the others idle.

    ``source`` tells which of the dealt games; idle lanes show one as well, so that what strategies
    see there is in range.
    """
    players = shells.shape[0]
    for i in range(count):
        places[free[i]] = first_place + i if i < take else idle_place
    for i in range(count):
        live[free[i]] = 1 if i < take else 0
    for i in range(count):
        keys[free[i]] = dealt_keys[source[i]]
    for i in range(count):
        seat[free[i]] = dealt_first[source[i]]
    for i in range(count):
        first[free[i]] = dealt_first[source[i]]
    for i in range(count):
        hand[free[i]] = dealt[dealt_first[source[i]], source[i]]
    for d in range(1, players):
        row = others[d - 1]
        for i in range(count):
            s = dealt_first[source[i]] + d
            s = s - players if s >= players else s
            row[free[i]] = dealt[s, source[i]]
    for d in range(players):
        row = shells[d]
        for i in range(count):
            row[free[i]] = 0
    for i in range(count):
        beach_deck[free[i]] = dealt_deck[source[i]]
    for i in range(count):
        shell_deck[free[i]] = np.uint64(shell)
    for row16 in (turn, recycled, asks, asks_met):
        for i in range(count):
            row16[free[i]] = 0


@kernel
def _dealt_over_kernel(
    free: Listed, count: int, hand: Piles, others: Piles, ended: Bytes, over: Listed
) -> int:
    """List the lanes in which somebody was dealt nothing but monsters; returns how many."""
    found = 0
    for i in range(count):
        g = free[i]
        alone = (hand[g] & NO_MONSTER) == 0
        for d in range(others.shape[0]):
            alone |= (others[d, g] & NO_MONSTER) == 0
        ended[g] = MONSTER_ALONE if alone else 0
        over[found] = g
        found += np.int64(alone)
    return found


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
    share = np.zeros(BLOCKS, np.uint8)
    began = np.zeros(BLOCKS, np.uint8)
    why = np.zeros(BLOCKS, np.uint8)
    for start in range(0, games, BLOCKS):
        end = min(start + BLOCKS, games)
        width = end - start
        result = records[start:end, 0]
        events = records[start:end, 1]
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

    def answers(self, decision: str) -> bool:
        """Whether the strategy declares a decision."""
        return decision in self.seat.strategy.hooks

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

    def answer(self, decision: str) -> bool:
        """Whether anybody declares a decision."""
        return any(group.answers(decision) for group in self.groups)

    def want_words(self, *decisions: str) -> bool:
        """Whether anybody wants chance for one of some decisions."""
        return any(group.wants_words(d) for group in self.groups for d in decisions)


class _Side:
    """So many lanes side by side: their state as in the module's table, and what is derived from it.

    Columns that ask for a target or a card to pass are copied together from the lanes where one is
    due; ``columns`` makes views of so many columns, each width once.
    """

    def __init__(self, players: int, lanes: int) -> None:
        def wide(*rows: int) -> Piles:
            return np.zeros((*rows, lanes), np.uint64)

        def narrow(*rows: int) -> Bytes:
            return np.zeros((*rows, lanes), np.uint8)

        self.players = players
        self.lanes = lanes
        self.places = np.zeros(lanes, np.int64)
        self.live = narrow()
        self.keys = wide()
        self.seat = narrow()
        self.first = narrow()
        self.turn = np.zeros(lanes, np.uint16)
        self.hand = wide()
        self.others = wide(players - 1)
        self.shells = wide(players)
        self.beach_deck = wide()
        self.shell_deck = wide()
        self.recycled = np.zeros(lanes, np.uint16)
        self.asks = np.zeros(lanes, np.uint16)
        self.met = np.zeros(lanes, np.uint16)
        # Derived before a turn.
        self.rivals = narrow()
        self.playable = wide()
        self.sizes = narrow(players)
        self.beach_left = narrow()
        self.shell_left = narrow()
        self.beach_discard = wide()
        self.shell_discard = wide()
        # Made during a turn.
        self.answers = narrow(players)
        self.active = narrow(players)
        self.asking = narrow(players)
        self.action = narrow()
        self.question = narrow()
        self.gives = narrow()
        self.drawn = narrow()
        self.offer = narrow()
        self.played = narrow()
        self.shell_card = narrow()
        self.ended = narrow()
        self.action_words = wide()
        self.ask_words = wide()
        self.lists = np.zeros((3, lanes + COLUMNS), np.int32)
        self.counts = np.zeros(3, np.int32)
        self.source = np.zeros(lanes, np.int32)
        self.views: dict[tuple[str, int, frozenset[str]], View] = {}
        self.dense: dict[tuple[str, int], _Columns] = {}

    state = (
        "places", "live", "keys", "seat", "first", "turn", "hand", "others", "shells",
        "beach_deck", "shell_deck", "recycled", "asks", "met",
    )  # fmt: skip
    """What makes up the games; the rest is derived from it."""

    def move_to(self, other: _Side, idle_place: int) -> None:
        """Move the live games to fewer lanes; those left over repeat one of them idly."""
        living = np.flatnonzero(self.live)
        columns = np.resize(living, other.lanes)
        for name in self.state:
            getattr(other, name)[...] = getattr(self, name)[..., columns]
        other.live[living.size :] = 0
        other.places[living.size :] = idle_place

    def view(self, decision: str, group: int, sees: frozenset[str]) -> View:
        """What a strategy sees of all lanes; made once, since it looks at living arrays."""
        key = (decision, group, sees)
        if key not in self.views:
            active = self.active if decision == "action" else self.asking
            discards = "discards" in sees
            self.views[key] = View(
                active=_read_only(active[group]),
                hand=_read_only(self.hand),
                playable=_read_only(self.playable) if decision == "action" else None,
                sizes=_read_only(self.sizes),
                shells=_read_only(self.shells),
                beach_deck=_read_only(self.beach_left),
                shell_deck=_read_only(self.shell_left),
                turn=_read_only(self.turn),
                card=_read_only(self.drawn) if decision == "beach" else None,
                beach_discard=_read_only(self.beach_discard) if discards else None,
                shell_discard=_read_only(self.shell_discard) if discards else None,
                asked=None,
                lacks=None,
                passed=None,
                players=self.players,
            )
        return self.views[key]

    def columns(self, decision: str, listed: Listed, count: int) -> _Columns:
        """Columns for ``count`` lanes, whose list is filled up to a round number with its first."""
        width = -(-count // COLUMNS) * COLUMNS
        listed[count:width] = listed[0]
        key = (decision, width)
        if key not in self.dense:
            self.dense[key] = _Columns(decision, self.players, width)
        return self.dense[key]


class _Columns:
    """Columns that ask for one decision, copied together from the lanes where it is due.

    ``width`` lanes give as many columns, or P times as many where everybody is asked: first those of
    the player to move, and so on to the left.
    """

    def __init__(self, decision: str, players: int, width: int) -> None:
        rows = players if decision == "pass" else 1
        total = rows * width
        self.players = players
        self.active = np.zeros((2, players, total), np.uint8)
        self.answers = np.zeros((2, players, total), np.uint8)
        self.words = np.zeros(total, np.uint64)
        self.hand = np.zeros(total, np.uint64)
        self.shells = np.zeros((players, total), np.uint64)
        self.card = np.zeros(total, np.uint8)
        self.sizes = np.zeros((players, total), np.uint8)
        self.beach_left = np.zeros(total, np.uint8)
        self.shell_left = np.zeros(total, np.uint8)
        self.turn = np.zeros(total, np.uint16)
        self.beach_discard = np.zeros(total, np.uint64)
        self.shell_discard = np.zeros(total, np.uint64)
        self.target = np.zeros(total, np.uint8)
        self.drawn = np.zeros(total, np.uint8)
        self.views: dict[tuple[str, int, frozenset[str]], View] = {}

    def view(self, decision: str, group: int, sees: frozenset[str]) -> View:
        """What a strategy sees of these columns."""
        key = (decision, group, sees)
        if key not in self.views:
            everything = "table" in sees
            discards = everything and "discards" in sees
            passing = decision == "pass"
            self.views[key] = View(
                active=_read_only(self.active[int(decision == "shell"), group]),
                hand=_read_only(self.hand) if everything or passing else None,
                playable=None,
                sizes=_read_only(self.sizes) if everything else None,
                shells=_read_only(self.shells) if everything or not passing else None,
                beach_deck=_read_only(self.beach_left) if everything else None,
                shell_deck=_read_only(self.shell_left) if everything else None,
                turn=_read_only(self.turn) if everything else None,
                card=None if decision == "seaweed" else _read_only(self.card),
                beach_discard=_read_only(self.beach_discard) if discards else None,
                shell_discard=_read_only(self.shell_discard) if discards else None,
                asked=None,
                lacks=None,
                passed=None,
                players=self.players,
            )
        return self.views[key]


COLUMNS = 64
LEAST_LANES = 256


class Table:
    """Workspace for batches: lanes, a queue of dealt games, and the records of finished ones."""

    def __init__(self, rules: Rules, players: int, lanes: int) -> None:
        self.rules = rules
        self.players = players
        self.lanes = max(64, lanes)
        self.beach = pile_of(beach_cards(rules))
        self.shell = pile_of(shell_cards(rules))
        self.beach_size = sum(beach_cards(rules).values())
        self.shell_size = sum(shell_cards(rules).values())
        self.sides: dict[int, _Side] = {}
        self.keys = np.zeros(QUEUE, np.uint64)
        self.dealt = np.zeros((players, QUEUE), np.uint64)
        self.deck = np.zeros(QUEUE, np.uint64)
        self.first = np.zeros(QUEUE, np.uint8)

    def side(self, lanes: int) -> _Side:
        """So many lanes, made once."""
        if lanes not in self.sides:
            self.sides[lanes] = _Side(self.players, lanes)
        return self.sides[lanes]

    def fitting(self, games: int) -> int:
        """How many lanes suit so many games: the fewer, the shorter the time when most stand idle."""
        lanes = self.lanes
        while lanes >= 2 * LEAST_LANES and lanes * lanes > LANES_SQUARED * games:
            lanes //= 2
        return lanes


LANES_SQUARED = 4000
"""Square of the lanes that suit one game; the number grows with the root of the games, since a step
costs a fixed time for its calls and another one for each lane, and at the end lanes fall idle."""


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
        self.rules = table.rules
        self.seed = seed
        self.games = games
        self.crew = _Crew(seats)
        self.watch = watch
        self.side = table.side(table.fitting(games.size))
        self.records = np.zeros((games.size + 1, 6 if fair else 2), np.uint64)
        self.dealt = 0
        """Games dealt so far."""
        self.queued = 0
        """Dealt games that wait in the queue, the last ones of those ``filled`` in it."""
        self.filled = 0
        self.started = 0
        self.finished = 0
        self.single = len(self.crew.groups) == 1
        self.asks_by = np.zeros(1, np.uint64)
        self.met_by = np.zeros(1, np.uint64)

    def play(self) -> None:
        """Play all games to their end."""
        side = self.side
        side.lists[2, : side.lanes] = np.arange(side.lanes)
        self._take_up(side.lists[2], side.lanes)
        while self.finished < self.games.size:
            self._step()
            living = self.started - self.finished
            if self.started == self.games.size and 0 < living <= self.side.lanes // 2:
                self._close_ranks(living)

    def _close_ranks(self, living: int) -> None:
        """Move the last games to fewer lanes."""
        lanes = self.side.lanes
        while lanes >= 2 * LEAST_LANES and living <= lanes // 2:
            lanes //= 2
        if lanes < self.side.lanes:
            side = self.table.side(lanes)
            self.side.move_to(side, self.games.size)
            self.side = side

    # Beginning and end of games

    def _deal(self) -> None:
        """Deal the next games into the queue, which is empty."""
        t = self.table
        count = min(QUEUE, self.games.size - self.dealt)
        self.over_at_once = _deal_kernel(
            self.seed,
            self.games[self.dealt : self.dealt + count],
            t.beach,
            t.beach_size,
            self.rules["hand_size"],
            self.rules["first_player"] == "random",
            t.keys,
            t.dealt,
            t.deck,
            t.first,
        )
        self.dealt += count
        self.queued = self.filled = count

    def _take_up(self, free: Listed, count: int) -> None:
        """Let free lanes take up the next games; where there are none left, they idle."""
        s, t = self.side, self.table
        while count:
            if not self.queued and self.dealt < self.games.size:
                self._deal()
            take = min(count, self.queued)
            now = take if self.dealt < self.games.size else count
            begin = self.filled - self.queued
            s.source[:now] = np.arange(begin, begin + now) % self.filled
            _seat_kernel(
                free, now, take, s.source, self.started, self.games.size,
                t.keys, t.dealt, t.deck, t.first, t.shell,
                s.places, s.live, s.keys, s.seat, s.first, s.turn, s.hand, s.others, s.shells,
                s.beach_deck, s.shell_deck, s.recycled, s.asks, s.met,
            )  # fmt: skip
            self.started += take
            self.queued -= take
            count -= now
            if count:
                free = free[now:]

    def _finish(self, over: Listed, count: int) -> None:
        """Score the games that are over."""
        s = self.side
        _score_kernel(
            over, count, s.places, s.seat, s.first, s.turn, s.ended, s.asks, s.met,
            self.asks_by, self.met_by, s.hand, s.others, s.shells, s.shell_deck, self.table.shell,
            self.records,
        )  # fmt: skip
        self.finished += int(s.live[over[:count]].sum())
        self._take_up(over, count)

    # One turn in every lane

    def _step(self) -> None:
        s, t, crew, rules = self.side, self.table, self.crew, self.rules
        groups = len(crew.groups)
        _prepare_kernel(
            s.hand, s.others, s.shells, s.beach_deck, s.shell_deck, rules["ask_freely"],
            s.rivals, s.playable, s.sizes, s.beach_left, s.shell_left,
        )  # fmt: skip
        if crew.want_words("action", "ask"):
            _words_kernel(s.keys, s.seat, s.turn, s.action_words, s.ask_words)
        if self.single:
            s.active[0] = s.live
        else:
            _active_kernel(s.live, s.seat, crew.members, s.active[:groups])
        active, asking, answers = s.active[:groups], s.asking[:groups], s.answers[:groups]
        self._ask_everywhere("action", s.action_words)
        _actions_kernel(answers, active, s.action, asking)
        self._ask_everywhere("ask", s.ask_words)
        wrong = _ask_kernel(
            s.keys, s.hand, s.others, s.beach_deck, s.recycled, t.beach, t.beach_size,
            rules["play_at_beach"], s.playable, s.rivals, s.beach_left, s.action, answers, asking,
            s.question, s.gives, s.drawn, s.offer, s.asks, s.met,
        )  # fmt: skip
        if wrong >= 0:
            raise RuntimeError("illegal")
        _play_kernel(
            s.keys, s.seat, s.turn, s.hand, s.others, s.shells, s.shell_deck, t.shell,
            t.shell_size, rules["max_turns"], s.rivals, s.shell_left, s.action, s.question, s.gives,
            s.drawn, s.offer, s.played, s.shell_card, s.ended, s.lists, s.counts,
        )  # fmt: skip
        aimed, starfish, over = s.counts.tolist()
        if aimed:
            self._aim(aimed)
        if starfish:
            over = self._pass_cards(starfish, over)
        if over:
            self._finish(s.lists[2], over)

    def _aim(self, count: int) -> None:
        """Seaweed, mean mermaids and waves find their targets."""
        s, t, crew = self.side, self.table, self.crew
        listed = s.lists[0]
        c = s.columns("aim", listed, count)
        groups = len(crew.groups)
        active, answers = c.active[:, :groups], c.answers[:, :groups]
        _aim_kernel(
            listed, count, s.keys, s.seat, s.turn, s.shells, s.played, crew.members,
            c.shells, c.card, active, c.words,
        )  # fmt: skip
        for i, group in enumerate(crew.groups):
            sees = group.seat.strategy.sees
            self._decide(group, "seaweed", c.view("seaweed", i, sees), c.words, answers[0, i])
            self._decide(group, "shell", c.view("shell", i, sees), c.words, answers[1, i])
        wrong = _target_kernel(
            listed, count, answers, active, c.shells, c.card, s.keys, s.hand, s.others, s.shells,
            s.beach_deck, s.recycled, t.beach, t.beach_size, c.target, c.drawn,
        )  # fmt: skip
        if wrong >= 0:
            raise RuntimeError("illegal")

    def _pass_cards(self, count: int, over: int) -> int:
        """Everybody passes a card; returns how many lanes are listed whose game is over."""
        s, crew = self.side, self.crew
        listed = s.lists[1]
        c = s.columns("pass", listed, count)
        groups = len(crew.groups)
        active, answers = c.active[0, :groups], c.answers[0, :groups]
        _starfish_kernel(
            listed, count, s.keys, s.seat, s.turn, s.hand, s.others, s.shell_card, crew.members,
            c.hand, c.card, active, c.words,
        )  # fmt: skip
        for i, group in enumerate(crew.groups):
            view = c.view("pass", i, group.seat.strategy.sees)
            self._decide(group, "pass", view, c.words, answers[i])
        over = _pass_kernel(
            listed, count, answers, active, c.hand, c.card, s.turn, self.rules["max_turns"],
            s.hand, s.others, s.ended, c.target, s.lists[2], over,
        )  # fmt: skip
        if over < 0:
            raise RuntimeError("illegal")
        return over

    def _ask_everywhere(self, decision: str, words: Piles) -> None:
        s = self.side
        for i, group in enumerate(self.crew.groups):
            view = s.view(decision, i, group.seat.strategy.sees)
            self._decide(group, decision, view, words, s.answers[i])

    def _decide(
        self, group: _Group, decision: str, view: View, words: Piles, out: Bytes
    ) -> None:
        if group.answers(decision):
            chance = _read_only(words) if group.wants_words(decision) else None
            group.seat.decide(decision, view, chance, out)
        else:
            DEFAULTS[decision](view, (), None, out)


ACTION_WORDS = {
    "action": ACTION_WORD,
    "ask": ASK_WORD,
    "beach": BEACH_WORD,
    "shell": SHELL_WORD,
    "seaweed": SEAWEED_WORD,
    "pass": PASS_WORD,
}


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
        wins = np.zeros((table.players, count), np.uint8)
        scores = np.zeros((table.players, count), np.int16)
        unfinished = np.zeros(count, np.uint8)
        _outcome_kernel(
            batch.records, wins, scores, unfinished, tally["turns"], tally["sixtieths"],
            tally["first_wins"], tally["asks"], tally["asks_met"], tally["starfish"],
            tally["monster_meals"], tally["out_of_cards"], tally["monster_alone"],
        )  # fmt: skip
        return Outcome(games, wins, scores, unfinished)


GAME = MermaidBeach()
