"""Mermaid Beach: match beach items, collect shells, do not be caught with the sea monster.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-mermaidbeach.md``.
Games differ in length, so lanes are refilled: in every step each lane plays one whole turn, and a
lane whose game is over takes up the next game number.

Cards lie in piles as `analyzer.kernels.piles` counts them. Of the beach cards, sorts 0 to 10 are
the kinds of items, 11 merfolk, 12 mean mermaids, 13 sneaker waves, 14 seaweed, 15 sea monsters. Of
the shell cards, sort v has v points (1 to 13), 14 and 15 are starfish that pass to the left and to
the right.

State, one column a lane (P players, N lanes, G different strategies at the table). Rows are
relative to the player to move: row 0 is theirs, row d that of the d-th player to the left. A turn
ends by moving all rows up by one, unless the player has another turn.

=============  ========  =======  ==================================================================
field          dtype     shape    meaning
=============  ========  =======  ==================================================================
tickets        uint32    (N,)     which game of the batch this is, and who began: place << 3 | seat
live           uint8     (N,)     1 = a game of the batch, 0 = idle: no more games to take up
keys           uint64    (N,)     the games' chance
seat           uint8     (N,)     seat of the player to move
turn           uint16    (N,)     turns played
hands          uint64    (P, N)   beach cards of each player
shells         uint64    (P, N)   shell cards before each player
sizes          uint8     (P, N)   how many beach cards each holds
beach_deck     uint64    (N,)     cards left to draw; whatever is neither here nor in a hand has
shell_deck     uint64    (N,)     been discarded
beach_left     uint8     (N,)     how many cards these decks have
shell_left     uint8     (N,)
recycled       uint16    (N,)     discarded cards that became the beach deck anew
asks, met      uint16    (N,)     questions asked in the game; questions met
=============  ========  =======  ==================================================================

What strategies get of it are copies wherever the original would tell them more than they may know.
What is remembered of questions and passes is kept only if a strategy sees it: `_Memory`.

One step asks for these decisions, in this order: ``action``; ``ask`` where that may be the action,
before it is known whether it is, since to look would cost more than to ask in vain; ``beach`` where
the card drawn for a question that was not met can be played; ``seaweed`` and ``shell`` of whoever
played such a card; ``pass`` of everybody where a starfish came up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from analyzer.contracts import (
    WHOLE_WIN,
    Decision,
    Game,
    GameNumbers,
    Metric,
    Outcome,
    Rules,
    Seat,
    Setting,
    Tally,
    Watcher,
)
from analyzer.errors import RulesError, StrategyFailed
from analyzer.kernels.bits import count_cards
from analyzer.kernels.calls import Call, Program, prepared
from analyzer.kernels.compilation import kernel, row_kernel
from analyzer.kernels.piles import (
    FLAGS,
    MOST_CARDS,
    count,
    has,
    held,
    held_twice,
    highest,
    lowest,
    nth,
    nth_of_few,
    pile_of,
    place_of,
    points,
    size,
)
from analyzer.kernels.random import GAMMA, bounded, game_key, mix64, seed_key
from analyzer.kernels.rows import rows

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
    "MermaidBeach",
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

PURPOSE_BEACH = 1
PURPOSE_SHELL = 2
PURPOSE_FIRST = 3
PURPOSE_DECIDE = 16
DECISIONS = ("action", "ask", "beach", "shell", "seaweed", "pass")
ACTION, QUESTION, BEACH, SHELL, WEED, PASS = range(6)
"""Numbers of the decisions; as such they name the words of the stochastic ones, too."""

OUT_OF_CARDS, MONSTER_ALONE, UNFINISHED = 1, 2, 3
NOTHING = 15
"""Card played where none was."""
IDLE = 16
"""What a lane without a game does."""
NONE = 255
"""No card."""
NO_SEAT = 255

OVER, FISH, FOUND, AIMED = range(4)
"""Lists of lanes: whose game is over, where a starfish came up, where any of this is so, and from
`AIMED` on, by decision and strategy, where a card was aimed at an opponent."""
(
    SEED, BEACH_PILE, SHELL_PILE, BEACH_CARDS, SHELL_CARDS, HAND_SIZE, MAX_TURNS, ASK_FREELY,
    PLAY_AT_BEACH, RANDOM_FIRST, FACTS,
) = range(11)  # fmt: skip
GAMES, DEALT, QUEUED, FILLED, STARTED, FINISHED, AT_ONCE, TURNS, BOOKS = range(9)

TILE = 256
QUEUE = 4096
BLOCKS = 256
COLUMNS = 64
"""Lanes and columns come in such numbers, a cache line of bytes."""
PAGE = 4096
STAGGER = 21 * COLUMNS
FEW_COLUMNS = 4 * COLUMNS
LEAST_LANES = 256
MOST_LANES = 31 * 192
"""More do not fit into the second-level cache."""
LANES_SQUARED = 1000
"""Square of the lanes that suit one game; the number grows with the root of the games, since a step
costs a fixed time for its calls and another one for each lane, and at the end lanes fall idle."""
GAMES_PER_LANE = 64
TURNS_TOGETHER = 64
"""Turns in every lane without a look from outside, a few milliseconds."""
WIDE, NARROW = 10, 8
"""Rows of scratch."""
FEATURES = 7
"""Of an opening hand: 1, merfolk, mean mermaids, waves, seaweed, monsters, and pairs of items."""

ONE = np.uint64(1)
ITEMS = np.uint64(0x00000FFFFFFFFFFF)
"""Mask of the counts of items."""
NO_MONSTER = np.uint64(0x0FFFFFFFFFFFFFFF)
SOME_HAND = np.uint64(1)
"""What columns that are not asked show as the hand: one item of kind 0."""
SOME_ACTIONS = ONE << np.uint64(4 * ASK)
"""And what can be done with it."""

Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint16]
Piles = NDArray[np.uint64]
Listed = NDArray[np.uint32]
Counts = NDArray[np.int64]


class View(NamedTuple):
    """What a seat may know, one column a game; row 0 is me, row d the d-th player to my left.

    Arrays are read-only. Optional parts are None unless the strategy declares that it ``sees``
    them. Where a target or a card to pass is wanted (``shell``, ``seaweed``, ``pass``), only the
    parts named there are shown, unless the strategy sees ``"table"``: then all of them are. Columns
    that are not asked show an invented hand, or at ``pass`` an empty one, and of the table what
    everybody knows.

    Attributes
    ----------
    active
        (N,) uint8, 1 where the decision is asked for; elsewhere values are in range and mean
        nothing.
    hand
        (N,) uint64, my beach cards, a pile; at ``shell`` and ``seaweed`` with ``"table"`` only.
    playable
        (N,) uint64, at ``action`` the set of what I may choose: sort of the card, an item standing
        for a pair of it, and `ASK`. None later on.
    sizes
        (P, N) uint8, cards in each hand; at ``shell``, ``seaweed`` and ``pass`` with ``"table"``
        only, like the decks and ``turn``.
    shells
        (P, N) uint64, shell cards of each player; at ``pass`` with ``"table"`` only.
    beach_deck, shell_deck
        (N,) uint8, cards left in each deck.
    turn
        (N,) uint16, turns played before this one.
    card
        (N,) uint8, what the decision is about: at ``beach`` the card just drawn, which is in
        ``hand`` already; at ``shell`` the card just played, `MEAN` or `WAVE`; at ``pass`` the
        starfish, `STARFISH_LEFT` or `STARFISH_RIGHT`. Otherwise None.
    beach_discard, shell_discard
        (N,) uint64, the discard piles, if it sees ``"discards"``; a card just played or a starfish
        just drawn lies there already.
    asked
        (P, N) uint64, if it sees ``"asked"``: the set of kinds that each player asked for in vain
        and has neither paired nor given away since. They held it when asking, but may have passed
        it on.
    lacks
        (P, N) uint64, if it sees ``"lacks"``: the set of kinds that each player, asked for them,
        did not hold. Nothing is known any more of a player who has taken a card unseen.
    passed
        (P, N) uint64, if it sees ``"passed"``: the card that I passed to each player at the last
        starfish, unless one of its sort has left that hand openly since.
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
    Setting(
        "waves", "int", 2, "sneaker waves: wash away an opponent's shell card", "source", 0, 15
    ),
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


# --- kernels: rows --------------------------------------------------------------------------------


@row_kernel
def _fill(row: Bytes, value: np.uint8) -> None:
    for g in range(row.size):
        row[g] = value


@row_kernel
def _copy(source: NDArray[Any], target: NDArray[Any]) -> None:
    for g in range(target.size):
        target[g] = source[g]


@row_kernel
def _join(pile: Piles, joined: Piles) -> None:
    for g in range(joined.size):
        joined[g] |= pile[g]


@row_kernel
def _gather(row: NDArray[Any], listed: Listed, out: NDArray[Any]) -> None:
    """Copy listed cells of a row together."""
    for c in range(out.size):
        out[c] = row[listed[c]]


@row_kernel
def _scatter(source: NDArray[Any], listed: Listed, row: NDArray[Any]) -> None:
    """Copy to listed cells of a row."""
    for c in range(source.size):
        row[listed[c]] = source[c]


@row_kernel
def _scatter_value(value: Any, listed: Listed, row: NDArray[Any]) -> None:
    for c in range(listed.size):
        row[listed[c]] = value


@row_kernel
def _merge(answers: Bytes, active: Bytes, out: Bytes) -> None:
    """Take the answers of whoever was asked."""
    for c in range(out.size):
        before = out[c]
        answer = answers[c]
        asked = active[c]
        out[c] = answer if asked else before


@row_kernel
def _find_cells(
    seat: Bytes, sitting: int, players: int, listed: Listed, lanes: int, cells: Listed
) -> None:
    """Where in flat rows relative to the player to move, ``seat``, those of another seat are."""
    p = np.uint32(sitting)
    table_size = np.uint32(players)
    length = np.uint32(lanes)
    for c in range(cells.size):
        mover = np.uint32(seat[c])
        g = listed[c]
        row = p - mover if p >= mover else p + table_size - mover
        cells[c] = np.uint32(row * length + g)


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


@row_kernel
def _prepare_kernel(
    facts: Piles,
    wants: Bytes,
    members: Bytes,
    live: Bytes,
    keys: Piles,
    seat: Bytes,
    turn: Shorts,
    hands: Piles,
    shells: Piles,
    actions: Piles,
    rivals: Bytes,
    group: Bytes,
    active: Bytes,
    shown_hand: tuple[Piles, ...],
    shown_actions: tuple[Piles, ...],
    words: Piles,
    wide: Piles,
    narrow: Bytes,
) -> None:
    """Derive what a turn needs: what can be played, who is asked and sees what, and chance."""
    players, lanes = hands.shape
    groups = members.shape[0]
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        joined = wide[0, : end - start]
        can_ask = narrow[0, : end - start]
        _copy(shells[1, start:end], joined)
        for d in range(2, players):
            _join(shells[d, start:end], joined)
        _find_actions(
            hands[0, start:end], joined, facts[ASK_FREELY], actions[start:end], rivals[start:end],
            can_ask,
        )  # fmt: skip
        for i in range(groups):
            acts = active[ACTION, i, start:end]
            _find_acting(seat[start:end], live[start:end], members[i], acts)
            _note_group(acts, np.uint8(i), group[start:end])
            _keep_where(acts, can_ask, active[QUESTION, i, start:end])
            _show(
                acts, hands[0, start:end], actions[start:end], shown_hand[i][start:end],
                shown_actions[i][start:end],
            )  # fmt: skip
        if wants[ACTION] | wants[QUESTION]:
            _two_words(
                keys[start:end], seat[start:end], turn[start:end], words[ACTION, start:end],
                words[QUESTION, start:end],
            )  # fmt: skip


@row_kernel
def _find_actions(
    hand: Piles,
    rivals_shells: Piles,
    freely: np.uint64,
    actions: Piles,
    rivals: Bytes,
    can_ask: Bytes,
) -> None:
    for g in range(hand.size):
        near = np.uint64(rivals_shells[g] != 0)
        able = _playable(hand[g], near, freely)
        actions[g] = able
        rivals[g] = np.uint8(near)
        can_ask[g] = np.uint8(able >> np.uint64(4 * ASK))


@row_kernel
def _find_acting(seat: Bytes, live: Bytes, members: Bytes, acts: Bytes) -> None:
    """Mark the living lanes in which a member's seat is to move."""
    _fill(acts, np.uint8(0))
    for p in range(members.size):
        if members[p]:
            _mark_seat(seat, live, np.uint8(p), acts)


@row_kernel
def _mark_seat(seat: Bytes, live: Bytes, sitting: np.uint8, acts: Bytes) -> None:
    for g in range(acts.size):
        mover = seat[g]
        playing = live[g]
        before = acts[g]
        acts[g] = playing if mover == sitting else before


@row_kernel
def _note_group(acts: Bytes, number: np.uint8, group: Bytes) -> None:
    for g in range(acts.size):
        mine = acts[g]
        before = group[g]
        group[g] = number if mine else before


@row_kernel
def _keep_where(one: Bytes, other: Bytes, both: Bytes) -> None:
    for g in range(both.size):
        both[g] = one[g] & other[g]


@row_kernel
def _show(
    acts: Bytes, hand: Piles, actions: Piles, shown_hand: Piles, shown_actions: Piles
) -> None:
    """Show hands to whoever acts, and something in range where they do not."""
    for g in range(acts.size):
        mine = acts[g]
        cards = hand[g]
        able = actions[g]
        shown_hand[g] = cards if mine else SOME_HAND
        shown_actions[g] = able if mine else SOME_ACTIONS


@row_kernel
def _two_words(keys: Piles, seat: Bytes, turn: Shorts, first: Piles, second: Piles) -> None:
    """Words for a turn's first two decisions."""
    for g in range(keys.size):
        purpose = np.uint64(PURPOSE_DECIDE) + np.uint64(seat[g])
        number = purpose << np.uint64(48) | np.uint64(turn[g]) << np.uint64(8)
        before = keys[g] + number * GAMMA
        first[g] = mix64(before)
        second[g] = mix64(before + GAMMA)


# --- kernels: a question --------------------------------------------------------------------------


@row_kernel
def _recycle(
    pile: np.uint64,
    hands: Piles,
    beach_deck: Piles,
    beach_left: Bytes,
    recycled: Shorts,
    g: int | np.int64,
) -> None:
    """Make the discard pile of lane g its beach deck, given what the whole deck was."""
    rest = pile
    for row in range(hands.shape[0]):
        rest -= hands[row, g]
    cards = size(rest)
    beach_deck[g] = rest
    beach_left[g] = np.uint8(cards)
    recycled[g] = np.uint16(recycled[g] + cards)


@row_kernel
def _ask_kernel(
    facts: Piles,
    answers: Bytes,
    active: Bytes,
    seat: Bytes,
    keys: Piles,
    hands: Piles,
    sizes: Bytes,
    beach_deck: Piles,
    beach_left: Bytes,
    recycled: Shorts,
    asks: Shorts,
    met: Shorts,
    asked_by: Piles,
    actions: Piles,
    rivals: Bytes,
    action: Bytes,
    question: Bytes,
    gives: Bytes,
    drawn: Bytes,
    offer: Bytes,
    narrow: Bytes,
) -> int:
    """Take everybody's action and let those ask whose action it is.

    Fills ``action``, ``question``, ``gives`` (1 where the question is met), ``drawn`` (the card
    drawn for one that is not, NONE if none is) and ``offer`` (1 where it can be played at once),
    and draws it into the hand. Returns whether an answer is illegal; then nothing has been done in
    its tile and those after it.
    """
    players, lanes = hands.shape
    groups = active.shape[1]
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        kind = narrow[0, : end - start]
        who = narrow[1, : end - start]
        need = narrow[2, : end - start]
        matches = narrow[3, : end - start]
        hand = hands[0, start:end]
        left = beach_left[start:end]
        acted = action[start:end]
        asked = question[start:end]
        given = gives[start:end]
        _fill(acted, np.uint8(IDLE))
        _fill(asked, np.uint8(0))
        for i in range(groups):
            _take_action(answers[ACTION, i, start:end], active[ACTION, i, start:end], acted)
            _take_question(
                answers[QUESTION, i, start:end], active[QUESTION, i, start:end], acted, asked
            )
        _split(asked, kind, who)
        if _is_foul(hand, actions[start:end], acted, kind, who, np.uint8(players)):
            return 1
        _fill(given, np.uint8(0))
        for d in range(1, players):
            _look_for(hands[d, start:end], kind, who, np.uint8(d), given)
        _count_questions(who, given, asks[start:end], met[start:end])
        if asked_by.shape[1] > 1:
            _count_by_seat(
                who, given, seat[start:end], asked_by[0, start:end], asked_by[1, start:end]
            )
        if _find_drawing(who, given, left, need):
            for g in range(need.size):
                if need[g] and not left[g]:
                    _recycle(facts[BEACH_PILE], hands, beach_deck, beach_left, recycled, start + g)
                    need[g] = np.uint8(left[g] != 0)
        _draw_card(
            need, keys[start:end], left, recycled[start:end], facts[BEACH_CARDS],
            beach_deck[start:end], hand, drawn[start:end], matches,
        )  # fmt: skip
        _count_cards(need, left, sizes[0, start:end])
        if facts[PLAY_AT_BEACH]:
            _find_offers(drawn[start:end], matches, rivals[start:end], offer[start:end])
        else:
            _fill(offer[start:end], np.uint8(0))
    return 0


@row_kernel
def _take_action(given: Bytes, active: Bytes, action: Bytes) -> None:
    for g in range(action.size):
        answer = given[g]
        mine = active[g]
        before = action[g]
        answer = np.uint8(NONE) if answer == IDLE else answer
        action[g] = answer if mine else before


@row_kernel
def _take_question(given: Bytes, active: Bytes, action: Bytes, question: Bytes) -> None:
    for g in range(action.size):
        answer = given[g]
        mine = active[g]
        act = action[g]
        before = question[g]
        question[g] = answer if (mine != 0) & (act == ASK) else before


@row_kernel
def _is_foul(
    hand: Piles, actions: Piles, action: Bytes, kind: Bytes, who: Bytes, players: np.uint8
) -> bool:
    """Whether any action cannot be played, or any question cannot be asked."""
    strange = np.uint8(0)
    for g in range(action.size):
        act = action[g]
        asked = who[g]
        nobody = (act == ASK) & ((asked == 0) | (asked >= players))
        strange = max(strange, np.uint8(1) if (act > IDLE) | nobody else np.uint8(0))
    foul = np.uint64(0)
    for g in range(action.size):
        act = np.uint64(action[g])
        able = (actions[g] >> ((act << np.uint64(2)) & np.uint64(60))) & ONE
        kinds = has(hand[g] & ITEMS, kind[g])
        able = np.uint64(0) if (act == ASK) & (kinds == 0) else able
        foul |= ONE ^ able if act < IDLE else np.uint64(0)
    return bool((strange != 0) | (foul != 0))


@row_kernel
def _split(question: Bytes, kind: Bytes, who: Bytes) -> None:
    for g in range(question.size):
        asked = question[g]
        kind[g] = asked & np.uint8(15)
        who[g] = asked >> np.uint8(4)


@row_kernel
def _look_for(hand: Piles, kind: Bytes, who: Bytes, d: np.uint8, gives: Bytes) -> None:
    """Mark where the d-th opponent was asked and has a card of that kind."""
    for g in range(hand.size):
        there = has(hand[g], kind[g]) != 0
        asked = who[g]
        before = gives[g]
        gives[g] = np.uint8(there) if asked == d else before


@row_kernel
def _count_questions(who: Bytes, gives: Bytes, asks: Shorts, met: Shorts) -> None:
    for g in range(who.size):
        asked = np.uint16(1) if who[g] != 0 else np.uint16(0)
        given = np.uint16(gives[g])
        asks[g] += asked
        met[g] += given


@row_kernel
def _count_by_seat(who: Bytes, gives: Bytes, seat: Bytes, asks: Piles, met: Piles) -> None:
    for g in range(who.size):
        place = np.uint64(12) * np.uint64(seat[g])
        asks[g] += np.uint64(who[g] != 0) << place
        met[g] += np.uint64(gives[g]) << place


@row_kernel
def _find_drawing(who: Bytes, gives: Bytes, left: Bytes, need: Bytes) -> bool:
    """Mark who goes to the beach; returns whether any finds no card there."""
    empty = np.uint8(0)
    for g in range(who.size):
        asked = who[g]
        given = gives[g]
        cards = left[g]
        wants = np.uint8(1) if (asked != 0) & (given == 0) else np.uint8(0)
        need[g] = wants
        empty = max(empty, wants if cards == 0 else np.uint8(0))
    return bool(empty != 0)


@row_kernel
def _draw_card(
    need: Bytes,
    keys: Piles,
    left: Bytes,
    recycled: Shorts,
    deck_cards: np.uint64,
    deck: Piles,
    hand: Piles,
    drawn: Bytes,
    matches: Bytes,
) -> None:
    """Draw a beach card into the hand where one is needed; mark where its like was there."""
    offset = (np.uint64(PURPOSE_BEACH) << np.uint64(48)) + deck_cards
    for g in range(need.size):
        wants = need[g] != 0
        cards = np.uint64(left[g])
        before = np.uint64(recycled[g])
        pile = deck[g]
        mine = hand[g]
        word = mix64(keys[g] + (offset - cards + before) * GAMMA)
        place = place_of(pile, bounded(word, cards))
        card = ONE << place
        card = card if wants else np.uint64(0)
        deck[g] = pile - card
        hand[g] = mine + card
        sort = place >> np.uint64(2)
        drawn[g] = np.uint8(sort if wants else np.uint64(NONE))
        matches[g] = np.uint8(((mine >> place) & np.uint64(15)) != 0)


@row_kernel
def _count_cards(need: Bytes, left: Bytes, cards: Bytes) -> None:
    for g in range(need.size):
        one = need[g]
        left[g] -= one
        cards[g] += one


@row_kernel
def _find_offers(drawn: Bytes, matches: Bytes, rivals: Bytes, offer: Bytes) -> None:
    """Mark where the card drawn can be played at once."""
    for g in range(drawn.size):
        card = drawn[g]
        same = matches[g]
        near = rivals[g]
        fits = (card < KINDS) & (same != 0)
        free = (card == MERFOLK) | (card == SEAWEED)
        aimed = ((card == MEAN) | (card == WAVE)) & (near != 0)
        offer[g] = np.uint8(1) if fits | free | aimed else np.uint8(0)


@row_kernel
def _offer_kernel(
    group: int,
    wants: Bytes,
    hands: Piles,
    keys: Piles,
    seat: Bytes,
    turn: Shorts,
    drawn: Bytes,
    offer: Bytes,
    active: Bytes,
    shown: Piles,
    shown_card: Bytes,
    words: Piles,
) -> None:
    """Show the cards drawn to a strategy that wants to be asked whether to play them."""
    acts = active[ACTION, group]
    asked = active[BEACH, group]
    hand = hands[0]
    _keep_where(acts, offer, asked)
    for g in range(asked.size):
        mine = asked[g]
        cards = hand[g]
        shown[g] = cards if mine else SOME_HAND
    for g in range(asked.size):
        mine = asked[g]
        card = drawn[g]
        shown_card[g] = card if mine else np.uint8(0)
    if wants[BEACH]:
        chance = words[BEACH]
        for g in range(asked.size):
            purpose = np.uint64(PURPOSE_DECIDE) + np.uint64(seat[g])
            number = purpose << np.uint64(48) | np.uint64(turn[g]) << np.uint64(8)
            chance[g] = mix64(keys[g] + (number + np.uint64(BEACH)) * GAMMA)


@row_kernel
def _accept_kernel(group: int, answers: Bytes, active: Bytes, offer: Bytes) -> int:
    """Play the cards drawn where the strategy says so; returns whether an answer is illegal."""
    given = answers[BEACH, group]
    asked = active[BEACH, group]
    most = np.uint8(0)
    for g in range(offer.size):
        answer = given[g]
        mine = asked[g]
        before = offer[g]
        answer = answer if mine else before
        most = max(most, answer)
        offer[g] = answer
    return int(most > 1)


# --- kernels: a card is played --------------------------------------------------------------------


@row_kernel
def _play_kernel(
    facts: Piles,
    live: Bytes,
    keys: Piles,
    seat: Bytes,
    turn: Shorts,
    hands: Piles,
    shells: Piles,
    sizes: Bytes,
    shell_deck: Piles,
    shell_left: Bytes,
    rivals: Bytes,
    action: Bytes,
    question: Bytes,
    gives: Bytes,
    drawn: Bytes,
    offer: Bytes,
    played: Bytes,
    shell_card: Bytes,
    ended: Bytes,
    left_to_do: Bytes,
    group: Bytes,
    lists: Listed,
    counts: Counts,
    wide: Piles,
    narrow: Bytes,
) -> None:
    """Play the card of each turn, draw its shell card, and give the turn to the next player.

    Fills ``played`` (NOTHING if no card was), ``shell_card`` (0 if none was drawn), ``ended``, as
    far as no starfish decides it, and ``left_to_do`` (the number of a list, or NONE). Then these
    lists have the lanes where a card was aimed at an opponent, first those of seaweed by strategy,
    then the others; of the other ones, where a starfish came up, or else the game is over.
    """
    players, lanes = hands.shape
    groups = (lists.shape[0] - AIMED) // 2
    listed = lists[FOUND]
    found = np.uint64(0)
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        width = end - start
        kind = narrow[0, :width]
        who = narrow[1, :width]
        leaving = narrow[2, :width]
        stays = narrow[3, :width]
        alone = narrow[4, :width]
        empty = narrow[5, :width]
        cards = narrow[6, :width]
        mine = wide[0, :width]
        before = wide[1, :width]
        given = gives[start:end]
        card = played[start:end]
        _split(question[start:end], kind, who)
        _find_played(
            action[start:end], kind, given, drawn[start:end], offer[start:end], card, leaving,
            stays,
        )  # fmt: skip
        # Merfolk and pairs draw a shell card. Then everybody's row moves up.
        _draw_shell(
            keys[start:end], facts[SHELL_CARDS], card, shell_left[start:end],
            shell_deck[start:end], shells[0, start:end], mine, shell_card[start:end],
        )  # fmt: skip
        _move_up(mine, shells[1, start:end], stays, shells[0, start:end])
        for d in range(1, players - 1):
            _move_up_in_place(shells[d + 1, start:end], stays, shells[d, start:end])
        _move_up_in_place(mine, stays, shells[players - 1, start:end])
        # The card played leaves the hand, the card that was asked for its owner's.
        _leave(hands[0, start:end], card, leaving, mine, before, alone)
        for d in range(1, players):
            _give_and_move_up(
                hands[d, start:end], kind, who, given, np.uint8(d), stays, before,
                hands[d - 1, start:end], alone,
            )  # fmt: skip
        _move_up(before, mine, stays, hands[players - 1, start:end])
        _lose(sizes[0, start:end], leaving, cards, empty)
        _copy(cards, leaving)
        for d in range(1, players):
            _give_and_move_up_sizes(
                sizes[d, start:end], who, given, np.uint8(d), stays, cards,
                sizes[d - 1, start:end], empty,
            )  # fmt: skip
        _move_up(cards, leaving, stays, sizes[players - 1, start:end])
        _pass_turn(stays, np.uint8(players), seat[start:end], turn[start:end])
        _find_ended(
            turn[start:end], np.uint16(facts[MAX_TURNS]), shell_card[start:end], alone, empty,
            ended[start:end],
        )  # fmt: skip
        todo = left_to_do[start:end]
        _find_left_to_do(
            live[start:end], card, rivals[start:end], shell_card[start:end], ended[start:end],
            group[start:end], np.uint8(groups), todo,
        )  # fmt: skip
        for g in range(width):
            listed[found] = np.uint32(start + g)
            found += np.uint64(todo[g] != NONE)
    _sort_out(found, left_to_do, lists, counts)


@row_kernel
def _find_played(
    action: Bytes,
    kind: Bytes,
    gives: Bytes,
    drawn: Bytes,
    offer: Bytes,
    played: Bytes,
    leaving: Bytes,
    stays: Bytes,
) -> None:
    """Which card is played, how many of the own hand leave it, and whether the turn stays."""
    for g in range(action.size):
        act = action[g]
        wanted = kind[g]
        met = gives[g]
        card = drawn[g]
        plays = offer[g]
        card = card if plays else np.uint8(NOTHING)
        card = card if act == ASK else act
        card = wanted if met else card
        card = min(card, np.uint8(NOTHING))
        copies = np.uint8(1) if card != NOTHING else np.uint8(0)
        copies = np.uint8(2) if card < KINDS else copies
        played[g] = card
        leaving[g] = np.uint8(copies - met)
        stays[g] = np.uint8(1) if card == MERFOLK else np.uint8(0)


@row_kernel
def _draw_shell(
    keys: Piles,
    deck_cards: np.uint64,
    played: Bytes,
    left: Bytes,
    deck: Piles,
    own: Piles,
    after: Piles,
    shell_card: Bytes,
) -> None:
    offset = (np.uint64(PURPOSE_SHELL) << np.uint64(48)) + deck_cards
    for g in range(keys.size):
        cards = np.uint64(left[g])
        pile = deck[g]
        mine = own[g]
        draws = (np.uint64(played[g]) <= MERFOLK) & (cards != 0)
        word = mix64(keys[g] + (offset - cards) * GAMMA)
        place = place_of(pile, bounded(word, cards))
        sort = place >> np.uint64(2)
        card = ONE << place
        card = card if draws else np.uint64(0)
        kept = card if sort < STARFISH_LEFT else np.uint64(0)
        deck[g] = pile - card
        after[g] = mine + kept
        left[g] = np.uint8(cards - np.uint64(draws))
        shell_card[g] = np.uint8(sort if draws else np.uint64(0))


@row_kernel
def _move_up(own: NDArray[Any], following: NDArray[Any], stays: Bytes, out: NDArray[Any]) -> None:
    for g in range(out.size):
        same = own[g]
        next_one = following[g]
        stay = stays[g]
        out[g] = same if stay else next_one


@row_kernel
def _move_up_in_place(following: Piles, stays: Bytes, row: Piles) -> None:
    for g in range(row.size):
        same = row[g]
        next_one = following[g]
        stay = stays[g]
        row[g] = same if stay else next_one


@row_kernel
def _leave(
    hand: Piles, played: Bytes, leaving: Bytes, mine: Piles, before: Piles, alone: Bytes
) -> None:
    for g in range(hand.size):
        cards = hand[g] - (np.uint64(leaving[g]) << (np.uint64(played[g]) << np.uint64(2)))
        mine[g] = cards
        before[g] = cards
        alone[g] = np.uint8((cards & NO_MONSTER) == 0)


@row_kernel
def _give_and_move_up(
    hand: Piles,
    kind: Bytes,
    who: Bytes,
    gives: Bytes,
    d: np.uint8,
    stays: Bytes,
    before: Piles,
    row: Piles,
    alone: Bytes,
) -> None:
    """Take the card asked for out of the d-th opponent's hand, and move the hands up by one.

    ``before`` has what the row above holds, and gets what this one does.
    """
    for g in range(hand.size):
        cards = hand[g]
        asked = who[g]
        met = gives[g]
        stay = stays[g]
        above = before[g]
        only = alone[g]
        card = ONE << (np.uint64(kind[g]) << np.uint64(2))
        cards -= card if (asked == d) & (met != 0) else np.uint64(0)
        row[g] = above if stay else cards
        before[g] = cards
        alone[g] = np.uint8(1) if (cards & NO_MONSTER) == 0 else only


@row_kernel
def _lose(sizes: Bytes, leaving: Bytes, cards: Bytes, empty: Bytes) -> None:
    for g in range(sizes.size):
        number = np.uint8(sizes[g] - leaving[g])
        cards[g] = number
        empty[g] = np.uint8(1) if number == 0 else np.uint8(0)


@row_kernel
def _give_and_move_up_sizes(
    sizes: Bytes,
    who: Bytes,
    gives: Bytes,
    d: np.uint8,
    stays: Bytes,
    before: Bytes,
    row: Bytes,
    empty: Bytes,
) -> None:
    for g in range(sizes.size):
        number = sizes[g]
        asked = who[g]
        met = gives[g]
        stay = stays[g]
        above = before[g]
        out = empty[g]
        number = np.uint8(number - (met if asked == d else np.uint8(0)))
        row[g] = above if stay else number
        before[g] = number
        empty[g] = np.uint8(1) if number == 0 else out


@row_kernel
def _pass_turn(stays: Bytes, players: np.uint8, seat: Bytes, turn: Shorts) -> None:
    for g in range(stays.size):
        stay = stays[g]
        mover = seat[g]
        following = np.uint8(mover + np.uint8(1))
        following = np.uint8(0) if following == players else following
        seat[g] = mover if stay else following
    for g in range(stays.size):
        turn[g] += np.uint16(1)


@row_kernel
def _find_ended(
    turn: Shorts, limit: np.uint16, shell_card: Bytes, alone: Bytes, empty: Bytes, ended: Bytes
) -> None:
    """Why games are over; a monster alone is looked for again after the passing of a starfish."""
    for g in range(turn.size):
        now = turn[g]
        shell = shell_card[g]
        only = alone[g]
        out = empty[g]
        why = np.uint8(UNFINISHED) if now >= limit else np.uint8(0)
        why = np.uint8(MONSTER_ALONE) if (only != 0) & (shell < STARFISH_LEFT) else why
        ended[g] = np.uint8(OUT_OF_CARDS) if out else why


@row_kernel
def _find_left_to_do(
    live: Bytes,
    played: Bytes,
    rivals: Bytes,
    shell_card: Bytes,
    ended: Bytes,
    group: Bytes,
    groups: np.uint8,
    left_to_do: Bytes,
) -> None:
    for g in range(live.size):
        playing = live[g]
        card = played[g]
        near = rivals[g]
        shell = shell_card[g]
        why = ended[g]
        mover = group[g]
        weed = np.uint8(mover + np.uint8(AIMED))
        todo = np.uint8(OVER) if why != 0 else np.uint8(NONE)
        todo = np.uint8(FISH) if shell >= STARFISH_LEFT else todo
        todo = weed if card == SEAWEED else todo
        takes = ((card == MEAN) | (card == WAVE)) & (near != 0)
        todo = np.uint8(weed + groups) if takes else todo
        left_to_do[g] = todo if playing else np.uint8(NONE)


@row_kernel
def _sort_out(found: np.uint64, left_to_do: Bytes, lists: Listed, counts: Counts) -> None:
    """Put the lanes in ``lists[FOUND]`` into the lists where they belong."""
    for number in range(counts.size):
        counts[number] = 0
    for i in range(found):
        g = lists[FOUND, i]
        k = np.uint64(left_to_do[g])
        place = np.uint64(counts[k])
        lists[k, place] = g
        counts[k] = np.int64(place + ONE)


@row_kernel
def _misfits_kernel(counts: Counts, fewest: Counts, most: Counts) -> int:
    """How many of the lists to ask for are shorter or longer than fits the columns."""
    misfits = 0
    for number in range(FISH, counts.size):
        fits = fewest[number] <= counts[number] <= most[number]
        misfits += 0 if fits else 1
    return misfits


@row_kernel
def _count_turn_kernel(books: Counts) -> bool:
    """Count down the turns that are played without a look from outside."""
    books[TURNS] -= 1
    return bool(books[TURNS] <= 0)


# --- kernels: targets -----------------------------------------------------------------------------


@row_kernel
def _late_words(
    keys: Piles, seat: Bytes, turn: Shorts, back: int, players: int, decision: int, words: Piles
) -> None:
    """Words of decisions about a turn that is counted already, ``back`` seats before the mover."""
    table_size = np.uint64(players)
    steps = np.uint64(back)
    for c in range(words.size):
        sitting = np.uint64(seat[c]) + table_size - steps
        sitting -= table_size if sitting >= table_size else np.uint64(0)
        number = (np.uint64(PURPOSE_DECIDE) + sitting) << np.uint64(48)
        number |= (np.uint64(turn[c]) - ONE) << np.uint64(8)
        words[c] = mix64(keys[c] + (number + np.uint64(decision)) * GAMMA)


@row_kernel
def _aim_kernel(
    lists: Listed,
    counts: Counts,
    widths: Counts,
    wants: Bytes,
    keys: Piles,
    seat: Bytes,
    turn: Shorts,
    played: Bytes,
    shells: Piles,
    out_shells: Piles,
    words: Piles,
    out_card: Bytes,
    active: Bytes,
    wide: Piles,
    narrow: Bytes,
    short: Shorts,
) -> None:
    """Columns for the lanes in which a card was aimed at an opponent, by decision and strategy.

    They show the table as the player sees it who has just moved and is in row P - 1 by now. Of the
    ``widths`` of columns those beyond ``counts`` do not ask. Row k of ``out_shells`` is (P, W),
    flat.
    """
    players = shells.shape[0]
    groups = (lists.shape[0] - AIMED) // 2
    for k in range(2 * groups):
        number = counts[AIMED + k]
        if number == 0:
            continue
        width = widths[AIMED + k]
        listed = lists[AIMED + k, :width]
        listed[number:] = listed[0]
        for d in range(players):
            row = shells[(d + players - 1) % players]
            _gather(row, listed, out_shells[k, d * width : (d + 1) * width])
        _gather(played, listed, out_card[k, :width])
        _fill(active[k, :number], np.uint8(1))
        _fill(active[k, number:width], np.uint8(0))
        decision = WEED if k < groups else SHELL
        if wants[k]:
            for start in range(0, width, TILE):
                end = min(start + TILE, width)
                tile = listed[start:end]
                _gather(keys, tile, wide[0, : end - start])
                _gather(seat, tile, narrow[0, : end - start])
                _gather(turn, tile, short[: end - start])
                _late_words(
                    wide[0, : end - start], narrow[0, : end - start], short[: end - start], 1,
                    players, decision, words[k, start:end],
                )  # fmt: skip


@row_kernel
def _target_kernel(
    facts: Piles,
    lists: Listed,
    counts: Counts,
    widths: Counts,
    keys: Piles,
    hands: Piles,
    sizes: Bytes,
    shells: Piles,
    beach_deck: Piles,
    beach_left: Bytes,
    recycled: Shorts,
    seen_shells: Piles,
    card: Bytes,
    answers: Bytes,
    drew: Bytes,
    ended: Bytes,
    wide: Piles,
    narrow: Bytes,
    short: Shorts,
) -> int:
    """Let opponents draw for the seaweed, take or wash away the chosen shell cards.

    ``answers`` (K, W) are the opponent who shall draw, or sort of the shell card + 16 * opponent.
    Marks in ``drew`` (K, W) where the opponent did; lanes whose game is over are appended to their
    list. Returns whether an answer is illegal; then nothing has been done in its row and those
    after it.
    """
    players = hands.shape[0]
    groups = (lists.shape[0] - AIMED) // 2
    for k in range(2 * groups):
        number = counts[AIMED + k]
        if number == 0:
            continue
        listed = lists[AIMED + k, :number]
        answer = answers[k, :number]
        if k < groups:
            if _is_no_opponent(answer, np.uint8(players)):
                return 1
            for start in range(0, number, TILE):
                end = min(start + TILE, number)
                tile = listed[start:end]
                for i in range(tile.size):
                    if beach_left[tile[i]] == 0:
                        _recycle(
                            facts[BEACH_PILE], hands, beach_deck, beach_left, recycled,
                            np.int64(tile[i]),
                        )  # fmt: skip
                left = narrow[0, : end - start]
                key = wide[0, : end - start]
                pile = wide[1, : end - start]
                drawn = wide[2, : end - start]
                before = short[: end - start]
                _gather(keys, tile, key)
                _gather(beach_deck, tile, pile)
                _gather(beach_left, tile, left)
                _gather(recycled, tile, before)
                _draw_elsewhere(key, left, before, facts[BEACH_CARDS], pile, drawn)
                _scatter(pile, tile, beach_deck)
                _scatter(left, tile, beach_left)
                for i in range(tile.size):
                    # The opponent's row has moved up by one.
                    row = np.uint64(answer[start + i]) - ONE
                    one = np.uint8(drawn[i] != 0)
                    hands[row, tile[i]] += drawn[i]
                    sizes[row, tile[i]] += one
                    drew[k, start + i] = one
        else:
            width = widths[AIMED + k]
            if _is_no_shell(seen_shells[k], width, players, answer, narrow):
                return 1
            cards = card[k, :number]
            for c in range(number):
                g = listed[c]
                shell = ONE << (np.uint64(answer[c] & np.uint8(15)) << np.uint64(2))
                shells[np.uint64(answer[c] >> np.uint8(4)) - ONE, g] -= shell
                shells[players - 1, g] += shell if cards[c] == MEAN else np.uint64(0)
        over = np.uint64(counts[OVER])
        for c in range(number):
            g = listed[c]
            lists[OVER, over] = g
            over += np.uint64(ended[g] != 0)
        counts[OVER] = np.int64(over)
    return 0


@row_kernel
def _is_no_opponent(answer: Bytes, players: np.uint8) -> bool:
    """Whether any answer is no opponent's number."""
    foul = np.uint8(0)
    for c in range(answer.size):
        who = answer[c]
        foul = max(foul, np.uint8(1) if (who == 0) | (who >= players) else np.uint8(0))
    return bool(foul != 0)


@row_kernel
def _is_no_shell(
    seen_shells: Piles, width: int, players: int, answer: Bytes, narrow: Bytes
) -> bool:
    """Whether any answer is no shell card of that opponent's."""
    wrong = np.uint8(0)
    for start in range(0, answer.size, TILE):
        end = min(start + TILE, answer.size)
        fine = narrow[0, : end - start]
        _fill(fine, np.uint8(0))
        for d in range(1, players):
            row = seen_shells[d * width + start : d * width + end]
            _look_for_shell(row, answer[start:end], np.uint8(d), fine)
        for c in range(fine.size):
            wrong = max(wrong, fine[c] ^ np.uint8(1))
    return bool(wrong != 0)


@row_kernel
def _look_for_shell(row: Piles, answer: Bytes, d: np.uint8, fine: Bytes) -> None:
    for c in range(answer.size):
        target = answer[c]
        before = fine[c]
        there = has(row[c], target & np.uint8(15)) != 0
        fine[c] = np.uint8(there) if target >> np.uint8(4) == d else before


@row_kernel
def _draw_elsewhere(
    keys: Piles, left: Bytes, recycled: Shorts, deck_cards: np.uint64, deck: Piles, drawn: Piles
) -> None:
    """Draw a beach card in every column, as a pile of one, or of none if there is none."""
    offset = (np.uint64(PURPOSE_BEACH) << np.uint64(48)) + deck_cards
    for c in range(keys.size):
        cards = np.uint64(left[c])
        pile = deck[c]
        word = mix64(keys[c] + (offset - cards + np.uint64(recycled[c])) * GAMMA)
        place = place_of(pile, bounded(word, cards))
        one = np.uint64(cards != 0)
        drawn[c] = one << place
        deck[c] = pile - (one << place)
        left[c] = np.uint8(cards - one)


# --- kernels: starfish ----------------------------------------------------------------------------


@row_kernel
def _fish_kernel(
    lists: Listed,
    counts: Counts,
    widths: Counts,
    wants: Bytes,
    keys: Piles,
    seat: Bytes,
    turn: Shorts,
    shell_card: Bytes,
    flat_hands: Piles,
    out_hands: tuple[Piles, ...],
    words: Piles,
    out_card: Bytes,
    active: Bytes,
    cells: Listed,
    movers: Bytes,
    wide: Piles,
    short: Shorts,
) -> None:
    """Columns for the lanes in which a starfish came up, each seat's by itself.

    Of the ``widths`` of columns those beyond ``counts`` do not ask. ``cells`` (P, W) is filled with
    where the hands lie.
    """
    players = cells.shape[0]
    lanes = keys.size
    number = counts[FISH]
    width = widths[FISH]
    listed = lists[FISH, :width]
    listed[number:] = listed[0]
    mover = movers[:width]
    _gather(seat, listed, mover)
    _gather(shell_card, listed, out_card[:width])
    for p in range(players):
        where = cells[p, :width]
        hand = out_hands[p][:width]
        _find_cells(mover, p, players, listed, lanes, where)
        _gather(flat_hands, where, hand)
        asked = active[p, :width]
        _find_holders(hand, asked)
        _fill(asked[number:], np.uint8(0))
    for start in range(0, width, TILE):
        end = min(start + TILE, width)
        key = wide[0, : end - start]
        now = short[: end - start]
        _gather(keys, listed[start:end], key)
        _gather(turn, listed[start:end], now)
        for p in range(players):
            if wants[p]:
                _seat_words(key, now, p, words[p, start:end])


@row_kernel
def _find_holders(hand: Piles, asked: Bytes) -> None:
    for c in range(hand.size):
        asked[c] = np.uint8(hand[c] != 0)


@row_kernel
def _seat_words(keys: Piles, turn: Shorts, sitting: int, words: Piles) -> None:
    """A seat's words for passing a card, when the turn is counted already."""
    purpose = (np.uint64(PURPOSE_DECIDE) + np.uint64(sitting)) << np.uint64(48)
    for c in range(words.size):
        number = purpose | (np.uint64(turn[c]) - ONE) << np.uint64(8) | np.uint64(PASS)
        words[c] = mix64(keys[c] + number * GAMMA)


@row_kernel
def _pass_kernel(
    lists: Listed,
    counts: Counts,
    flat_hands: Piles,
    ended: Bytes,
    hands: tuple[Piles, ...],
    starfish: Bytes,
    answers: tuple[Bytes, ...],
    active: Bytes,
    cells: Listed,
    wide: Piles,
    narrow: Bytes,
) -> int:
    """Pass everybody's chosen card at once, and see which of these games are over.

    Lanes whose game is over are appended to their list. Returns whether an answer is illegal; then
    nothing has been done in its tile and those after it.
    """
    players = cells.shape[0]
    number = counts[FISH]
    over = np.uint64(counts[OVER])
    for start in range(0, number, TILE):
        end = min(start + TILE, number)
        alone = narrow[0, : end - start]
        foul = False
        for p in range(players):
            foul |= _choose(
                hands[p][start:end], answers[p][start:end], active[p, start:end],
                wide[p, : end - start],
            )  # fmt: skip
        if foul:
            return 1
        _fill(alone, np.uint8(0))
        for p in range(players):
            _exchange(
                hands[p][start:end], wide[p, : end - start],
                wide[(p + players - 1) % players, : end - start],
                wide[(p + 1) % players, : end - start], starfish[start:end],
                wide[players, : end - start], alone,
            )  # fmt: skip
            _scatter(wide[players, : end - start], cells[p, start:end], flat_hands)
        # Hand sizes stay: where somebody had nothing to pass, the game is over.
        for c in range(start, end):
            g = lists[FISH, c]
            why = ended[g]
            why = (
                np.uint8(MONSTER_ALONE) if (alone[c - start] != 0) & (why != OUT_OF_CARDS) else why
            )
            ended[g] = why
            lists[OVER, over] = g
            over += np.uint64(why != 0)
    counts[OVER] = np.int64(over)
    return 0


@row_kernel
def _choose(hand: Piles, answer: Bytes, active: Bytes, card: Piles) -> bool:
    """The chosen cards of a seat as piles of one; returns whether any is not in its hand."""
    foul = np.uint64(0)
    for c in range(hand.size):
        sort = np.uint64(answer[c])
        one = np.uint64(active[c])
        cards = hand[c]
        place = (sort << np.uint64(2)) & np.uint64(60)
        missing = (((cards >> place) & np.uint64(15)) == 0) | (sort > 15)
        foul |= one if missing else np.uint64(0)
        card[c] = one << place
    return bool(foul != 0)


@row_kernel
def _exchange(
    hand: Piles,
    own: Piles,
    from_right: Piles,
    from_left: Piles,
    starfish: Bytes,
    after: Piles,
    alone: Bytes,
) -> None:
    """What a seat holds after the passing; players pass to the left what comes from the right."""
    for c in range(hand.size):
        leftward = from_right[c]
        rightward = from_left[c]
        fish = starfish[c]
        only = alone[c]
        cards = hand[c] - own[c]
        cards += leftward if fish == STARFISH_LEFT else rightward
        after[c] = cards
        alone[c] = np.uint8(1) if (cards & NO_MONSTER) == 0 else only


# --- kernels: the end of a game -------------------------------------------------------------------


@row_kernel
def _score_kernel(
    facts: Piles,
    lists: Listed,
    counts: Counts,
    books: Counts,
    tickets: Listed,
    seat: Bytes,
    turn: Shorts,
    flat_hands: Piles,
    flat_shells: Piles,
    shell_deck: Piles,
    asks: Shorts,
    met: Shorts,
    asked_by: Piles,
    ended: Bytes,
    records: Piles,
    details: Piles,
    wide: Piles,
    narrow: Bytes,
    cells: Listed,
) -> None:
    """Feed the monsters, count the shells, and record the games in the listed lanes.

    A record has two words, one after the other, and three rows of details if fairness is asked for;
    bits by seat s from 0:

    =======  ======================================================================================
    word     contents
    =======  ======================================================================================
    0        points of seat s at 11 s; winners at 55 + s; a monster ate something at 60
    1        turns at 0; questions at 16; questions met at 32; who began at 48; why it ended at 51;
             starfish at 53
    detail
    0        points eaten at 11 s; holds a monster at 55 + s
    1, 2     questions, and questions met, at 12 s
    =======  ======================================================================================
    """
    lanes = tickets.size
    players = flat_hands.size // lanes
    number = counts[OVER]
    fair = details.shape[1] > 1
    for start in range(0, number, TILE):
        width = min(TILE, number - start)
        listed = lists[OVER, start : start + width]
        mover = narrow[0, :width]
        why = narrow[1, :width]
        where = cells[0, :width]
        best = wide[players, :width]
        result = wide[players + 1, :width]
        eaten = wide[players + 2, :width]
        cards = wide[players + 3, :width]
        piles = wide[players + 4, :width]
        _gather(seat, listed, mover)
        _gather(ended, listed, why)
        _best_to_beat(why, best)
        for g in range(width):
            result[g] = 0
            eaten[g] = 0
        for p in range(players):
            _find_cells(mover, p, players, listed, lanes, where)
            _gather(flat_hands, where, cards)
            _gather(flat_shells, where, piles)
            _count_shells(cards, piles, np.uint64(p), wide[p, :width], best, result, eaten)
        for p in range(players):
            _find_winners(wide[p, :width], best, np.uint64(55 + p), result)
        _gather(shell_deck, listed, piles)
        fish = has(facts[SHELL_PILE], STARFISH_LEFT) + has(facts[SHELL_PILE], STARFISH_RIGHT)
        for c in range(width):
            g = listed[c]
            ticket = np.uint64(tickets[g])
            left = has(piles[c], STARFISH_LEFT) + has(piles[c], STARFISH_RIGHT)
            event = np.uint64(turn[g]) | np.uint64(asks[g]) << np.uint64(16)
            event |= np.uint64(met[g]) << np.uint64(32) | (ticket & np.uint64(7)) << np.uint64(48)
            event |= np.uint64(why[c]) << np.uint64(51) | (fish - left) << np.uint64(53)
            game = ticket >> np.uint64(3)
            records[game << ONE] = result[c]
            records[(game << ONE) + ONE] = event
        if fair:
            for c in range(width):
                g = listed[c]
                game = np.uint64(tickets[g]) >> np.uint64(3)
                details[0, game] = eaten[c]
                details[1, game] = asked_by[0, g]
                details[2, game] = asked_by[1, g]
    books[FINISHED] += number


@row_kernel
def _best_to_beat(why: Bytes, best: Piles) -> None:
    """Nobody wins a game that was stopped: no standing is as good as this."""
    for c in range(why.size):
        stopped = why[c] == UNFINISHED
        best[c] = ONE << np.uint64(32) if stopped else np.uint64(0)


@row_kernel
def _count_shells(
    cards: Piles,
    shells: Piles,
    sitting: np.uint64,
    standing: Piles,
    best: Piles,
    result: Piles,
    eaten: Piles,
) -> None:
    """What counts for a seat: points, then cards; the cards of highest value go to a monster."""
    place = np.uint64(11) * sitting
    for c in range(cards.size):
        pile = shells[c]
        most = best[c]
        before = result[c]
        meals = eaten[c]
        top = highest(pile)
        monster = np.uint64((cards[c] >> np.uint64(4 * MONSTER)) != 0)
        gone = has(pile, top) * monster
        value = gone * top
        worth = points(pile) - value
        stands = worth << np.uint64(8) | (size(pile) - gone)
        standing[c] = stands
        best[c] = max(most, stands)
        result[c] = before | worth << place | np.uint64(gone != 0) << np.uint64(60)
        eaten[c] = meals | value << place | monster << (np.uint64(55) + sitting)


@row_kernel
def _find_winners(standing: Piles, best: Piles, place: np.uint64, result: Piles) -> None:
    for c in range(standing.size):
        wins = np.uint64(standing[c] == best[c]) << place
        result[c] |= wins


# --- kernels: the next game -----------------------------------------------------------------------


@row_kernel
def _deal(
    facts: Piles,
    games: Piles,
    keys: Piles,
    hands: Piles,
    deck: Piles,
    first: Bytes,
) -> int:
    """Deal as many games as ``games`` has, in step: ``hands`` is (P, M) by seat, M enough for them.

    Returns how many hands are over at once, having nothing but monsters.
    """
    players = hands.shape[0]
    key = seed_key(facts[SEED])
    over = np.uint64(0)
    for start in range(0, games.size, TILE):
        end = min(start + TILE, games.size)
        tile = keys[start:end]
        rest = deck[start:end]
        _begin(key, games[start:end], facts[BEACH_PILE], tile, rest)
        number = np.uint64(PURPOSE_BEACH) << np.uint64(48)
        left = facts[BEACH_CARDS]
        for p in range(players):
            hand = hands[p, start:end]
            for g in range(hand.size):
                hand[g] = 0
            for _ in range(facts[HAND_SIZE]):
                _deal_card(tile, number * GAMMA, left, rest, hand)
                number += ONE
                left -= ONE
            over += _count_alone(hand)
        sides = np.uint64(players) if facts[RANDOM_FIRST] else ONE
        _choose_first(
            tile, (np.uint64(PURPOSE_FIRST) << np.uint64(48)) * GAMMA, sides, first[start:end]
        )
    return int(over)


@row_kernel
def _begin(key: np.uint64, games: Piles, pile: np.uint64, keys: Piles, deck: Piles) -> None:
    for g in range(games.size):
        keys[g] = game_key(key, games[g])
        deck[g] = pile


@row_kernel
def _deal_card(keys: Piles, shift: np.uint64, left: np.uint64, deck: Piles, hand: Piles) -> None:
    for g in range(keys.size):
        pile = deck[g]
        cards = hand[g]
        card = ONE << place_of(pile, bounded(mix64(keys[g] + shift), left))
        deck[g] = pile - card
        hand[g] = cards + card


@row_kernel
def _count_alone(hand: Piles) -> np.uint64:
    found = np.uint64(0)
    for g in range(hand.size):
        found += np.uint64((hand[g] & NO_MONSTER) == 0)
    return found


@row_kernel
def _choose_first(keys: Piles, shift: np.uint64, sides: np.uint64, first: Bytes) -> None:
    for g in range(keys.size):
        first[g] = np.uint8(bounded(mix64(keys[g] + shift), sides))


@row_kernel
def _take_up_kernel(
    facts: Piles,
    lists: Listed,
    counts: Counts,
    books: Counts,
    games: Piles,
    queue_keys: Piles,
    queue_deck: Piles,
    queue_hands: Piles,
    queue_first: Bytes,
    tickets: Listed,
    live: Bytes,
    keys: Piles,
    seat: Bytes,
    turn: Shorts,
    flat_hands: Piles,
    shells: Piles,
    sizes: Bytes,
    beach_deck: Piles,
    shell_deck: Piles,
    beach_left: Bytes,
    shell_left: Bytes,
    recycled: Shorts,
    asks: Shorts,
    met: Shorts,
    asked_by: Piles,
    opening: Piles,
    ended: Bytes,
    cells: Listed,
) -> int:
    """Let the lanes whose games are over take up the next ones, which are dealt when needed.

    If there are none, lanes fall idle. Afterwards the list has the lanes whose new games are over
    at once. Returns whether there are any, or all games have been taken up.
    """
    players, lanes = shells.shape
    number = counts[OVER]
    over = 0
    done = 0
    while done < number:
        if books[QUEUED] == 0:
            begin = books[DEALT]
            dealt = min(QUEUE, books[GAMES] - begin)
            if dealt == 0:
                _scatter_value(np.uint8(0), lists[OVER, done:number], live)
                break
            books[AT_ONCE] = _deal(
                facts, games[begin : begin + dealt], queue_keys[:dealt], queue_hands,
                queue_deck[:dealt], queue_first[:dealt],
            )  # fmt: skip
            if opening.shape[1] > 1:
                for p in range(players):
                    _copy(queue_hands[p, :dealt], opening[p, begin : begin + dealt])
            books[DEALT] = begin + dealt
            books[QUEUED] = dealt
            books[FILLED] = dealt
        take = min(number - done, books[QUEUED], TILE)
        begin = books[FILLED] - books[QUEUED]
        end = begin + take
        free = lists[OVER, done : done + take]
        first = queue_first[begin:end]
        where = cells[0, :take]
        place = books[STARTED]
        for i in range(take):
            ticket = np.uint64(place + i) << np.uint64(3) | np.uint64(first[i])
            tickets[free[i]] = np.uint32(ticket)
        _scatter(queue_keys[begin:end], free, keys)
        _scatter(first, free, seat)
        _scatter_value(np.uint16(0), free, turn)
        for p in range(players):
            _find_cells(first, p, players, free, lanes, where)
            _scatter(queue_hands[p, begin:end], where, flat_hands)
            _scatter_value(np.uint64(0), free, shells[p])
            _scatter_value(np.uint8(facts[HAND_SIZE]), free, sizes[p])
        _scatter(queue_deck[begin:end], free, beach_deck)
        _scatter_value(facts[SHELL_PILE], free, shell_deck)
        undealt = np.uint8(facts[BEACH_CARDS] - np.uint64(players) * facts[HAND_SIZE])
        _scatter_value(undealt, free, beach_left)
        _scatter_value(np.uint8(facts[SHELL_CARDS]), free, shell_left)
        _scatter_value(np.uint16(0), free, recycled)
        _scatter_value(np.uint16(0), free, asks)
        _scatter_value(np.uint16(0), free, met)
        if asked_by.shape[1] > 1:
            _scatter_value(np.uint64(0), free, asked_by[0])
            _scatter_value(np.uint64(0), free, asked_by[1])
        if books[AT_ONCE]:
            for i in range(take):
                g = lists[OVER, done + i]
                alone = False
                for row in range(players):
                    alone |= (flat_hands[row * lanes + g] & NO_MONSTER) == 0
                if alone:
                    ended[g] = MONSTER_ALONE
                    lists[OVER, over] = g
                    over += 1
        books[STARTED] = place + take
        books[QUEUED] -= take
        done += take
    counts[OVER] = over
    return 1 if over > 0 or books[STARTED] == books[GAMES] else 0


# --- kernels: what is remembered ------------------------------------------------------------------


@row_kernel
def _note_question_kernel(
    question: Bytes, gives: Bytes, asked: Piles, lacks: Piles, handed: Bytes
) -> None:
    """Remember what the questions of this turn told."""
    for g in range(question.size):
        who = question[g] >> np.uint8(4)
        kind = question[g] & np.uint8(15)
        if who == 0:
            continue
        flag = ONE << (np.uint64(kind) << np.uint64(2))
        if gives[g]:
            asked[who, g] &= ~flag
            if handed[who, g] == kind:
                handed[who, g] = NONE
        else:
            asked[0, g] |= flag
            lacks[who, g] |= flag


@row_kernel
def _note_play_kernel(
    played: Bytes, drawn: Bytes, offer: Bytes, asked: Piles, lacks: Piles, handed: Bytes
) -> None:
    """Forget what the cards of this turn made untrue, and move the rows up with the turn."""
    players = asked.shape[0]
    for g in range(played.size):
        card = played[g]
        if card < KINDS:
            asked[0, g] &= ~(ONE << (np.uint64(card) << np.uint64(2)))
        if card != NOTHING and handed[0, g] == card:
            handed[0, g] = NONE
        if drawn[g] != NONE and not offer[g]:
            lacks[0, g] = 0
        if card != MERFOLK:
            first_asked = asked[0, g]
            first_lacks = lacks[0, g]
            first_handed = handed[0, g]
            for d in range(players - 1):
                asked[d, g] = asked[d + 1, g]
                lacks[d, g] = lacks[d + 1, g]
                handed[d, g] = handed[d + 1, g]
            asked[players - 1, g] = first_asked
            lacks[players - 1, g] = first_lacks
            handed[players - 1, g] = first_handed


@row_kernel
def _note_draws_kernel(
    lists: Listed, counts: Counts, answers: Bytes, drew: Bytes, lacks: Piles
) -> None:
    """Nothing is known any more of who drew a card for seaweed."""
    for k in range((lists.shape[0] - AIMED) // 2):
        for c in range(counts[AIMED + k]):
            if drew[k, c]:
                lacks[answers[k, c] - 1, lists[AIMED + k, c]] = 0


@row_kernel
def _note_passes_kernel(
    lists: Listed,
    counts: Counts,
    movers: Bytes,
    starfish: Bytes,
    answers: tuple[Bytes, ...],
    active: Bytes,
    lacks: Piles,
    handed: Bytes,
    toward: Bytes,
) -> None:
    """Remember who was passed what."""
    players = lacks.shape[0]
    for c in range(counts[FISH]):
        g = lists[FISH, c]
        toward[g] = starfish[c]
        back = players - 1 if starfish[c] == STARFISH_LEFT else 1
        for row in range(players):
            giver = (np.int64(movers[c]) + row + back) % players
            handed[row, g] = NONE
            if active[giver, c]:
                handed[row, g] = answers[giver][c]
                lacks[row, g] = 0


@row_kernel
def _forget_kernel(
    lists: Listed, counts: Counts, asked: Piles, lacks: Piles, handed: Bytes
) -> None:
    """Forget games that are over."""
    listed = lists[OVER, : counts[OVER]]
    for row in range(asked.shape[0]):
        _scatter_value(np.uint64(0), listed, asked[row])
        _scatter_value(np.uint64(0), listed, lacks[row])
        _scatter_value(np.uint8(NONE), listed, handed[row])


@row_kernel
def _find_discards_kernel(
    facts: Piles, hands: Piles, beach_deck: Piles, shells: Piles, shell_deck: Piles, out: Piles
) -> None:
    """The discard piles (2, N): whatever lies nowhere else."""
    beach = out[0]
    shell = out[1]
    for g in range(beach.size):
        beach[g] = facts[BEACH_PILE] - beach_deck[g]
        shell[g] = facts[SHELL_PILE] - shell_deck[g]
    for d in range(hands.shape[0]):
        for g in range(beach.size):
            beach[g] -= hands[d, g]
            shell[g] -= shells[d, g]


@row_kernel
def _recall_kernel(acts: Bytes, handed: Bytes, toward: Bytes, passed: Piles) -> None:
    """What whoever acts passed to whom (P, N), at the last starfish."""
    players = passed.shape[0]
    for d in range(players):
        for g in range(acts.size):
            passed[d, g] = 0
    for g in range(acts.size):
        d = 1 if toward[g] == STARFISH_LEFT else players - 1
        if acts[g] and handed[d, g] != NONE:
            passed[d, g] = ONE << (np.uint64(handed[d, g]) << np.uint64(2))


@row_kernel
def _whole_table_kernel(
    listed: Listed,
    movers: Bytes,
    sitting: int,
    hands: Piles,
    shells: Piles,
    sizes: Bytes,
    left: Bytes,
    turn: Shorts,
    discards: Piles,
    asked: Piles,
    lacks: Piles,
    handed: Bytes,
    toward: Bytes,
    out_hand: Piles,
    out_piles: Piles,
    out_bytes: Bytes,
    out_turn: Shorts,
) -> None:
    """All that a seat may know in the listed lanes, in W columns.

    The seat is ``sitting``, or the one before the mover's if that is negative. ``out_piles`` is
    filled with 4 P + 2 rows, flat: shells, asked, lacks, passed, and the two discard piles;
    ``out_bytes`` with P + 2: sizes, and what is left of the two decks.
    """
    players = hands.shape[0]
    width = listed.size
    for c in range(width):
        g = listed[c]
        seat = sitting if sitting >= 0 else np.int64(movers[c]) + players - 1
        own = (seat - np.int64(movers[c]) + players) % players
        out_hand[c] = hands[own, g]
        out_turn[c] = turn[g] - np.uint16(1)
        to = 1 if toward[g] == STARFISH_LEFT else players - 1
        for d in range(players):
            row = (own + d) % players
            out_piles[d * width + c] = shells[row, g]
            out_piles[(players + d) * width + c] = asked[row, g]
            out_piles[(2 * players + d) * width + c] = lacks[row, g]
            known = d == to and handed[row, g] != NONE
            card = ONE << ((np.uint64(handed[row, g]) << np.uint64(2)) & np.uint64(60))
            out_piles[(3 * players + d) * width + c] = card if known else np.uint64(0)
            out_bytes[d * width + c] = sizes[row, g]
        for i in range(2):
            out_piles[(4 * players + i) * width + c] = discards[i, g]
            out_bytes[(players + i) * width + c] = left[i, g]


# --- kernels: sums --------------------------------------------------------------------------------


@row_kernel
def _outcome_kernel(
    records: Piles,
    wins: Bytes,
    scores: NDArray[np.int16],
    unfinished: Bytes,
    turns: Counts,
    sixtieths: Counts,
    first_wins: Counts,
    position_wins: Counts,
    asks: Counts,
    asks_met: Counts,
    starfish: Counts,
    monster_meals: Counts,
    out_of_cards: Counts,
    monster_alone: Counts,
    wide: Piles,
    narrow: Bytes,
    by_position: Counts,
) -> None:
    """Unpack the records of a batch, in the order of its games, and add up the sums of all runs.

    ``wide`` (2, 256), ``narrow`` (3, 256) and ``by_position`` (P, 256) are scratch.
    """
    players, games = wins.shape
    result, events = wide[0], wide[1]
    share, began, why = narrow[0], narrow[1], narrow[2]
    for k in range(players):
        position = by_position[k]
        for b in range(BLOCKS):
            position[b] = 0
    for start in range(0, games, BLOCKS):
        end = min(start + BLOCKS, games)
        width = end - start
        for b in range(width):
            result[b] = records[2 * start + 2 * b]
        for b in range(width):
            events[b] = records[2 * start + 2 * b + 1]
        for b in range(width):
            winners = count_cards(result[b] >> np.uint64(55) & np.uint64(31))
            part = np.uint8(WHOLE_WIN // 5)
            part = np.uint8(WHOLE_WIN // 4) if winners == 4 else part
            part = np.uint8(WHOLE_WIN // 3) if winners == 3 else part
            part = np.uint8(WHOLE_WIN // 2) if winners == 2 else part
            share[b] = np.uint8(WHOLE_WIN) if winners == 1 else part
        for b in range(width):
            began[b] = np.uint8(events[b] >> np.uint64(48)) & np.uint8(7)
        for b in range(width):
            why[b] = np.uint8(events[b] >> np.uint64(51)) & np.uint8(3)
        for p in range(players):
            won = wins[p, start:end]
            score = scores[p, start:end]
            for b in range(width):
                score[b] = np.int16((result[b] >> np.uint64(11 * p)) & np.uint64(2047))
            for b in range(width):
                winner = (result[b] >> np.uint64(55 + p)) & ONE
                part = share[b]
                won[b] = part if winner else np.uint8(0)
            for first in range(players):
                position = by_position[(p - first) % players]
                starter = np.uint8(first)
                for b in range(width):
                    part = won[b]
                    position[b] += np.int64(part) if began[b] == starter else 0
        stopped = unfinished[start:end]
        for b in range(width):
            stopped[b] = np.uint8(why[b] == UNFINISHED)
        for b in range(width):
            sixtieths[b] += WHOLE_WIN
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
    for b in range(BLOCKS):
        first_wins[b] += by_position[0, b]
        for k in range(players):
            position_wins[b, k] += by_position[k, b]


@kernel
def _fairness_kernel(
    details: Piles,
    wins: Bytes,
    opening_hands: Piles,
    asks: Counts,
    asks_met: Counts,
    monster_held: Counts,
    monster_ate: Counts,
    points_eaten: Counts,
    monster_wins: Counts,
    opening: Counts,
    opening_wins: Counts,
) -> None:
    """Add the sums that fairness needs: by seat, and by what the opening hand was like."""
    players, games = wins.shape
    features = np.zeros((FEATURES, BLOCKS), np.int32)
    products = np.zeros((FEATURES, FEATURES, BLOCKS), np.int32)
    shares = np.zeros((FEATURES, BLOCKS), np.int32)
    for p in range(players):
        for start in range(0, games, BLOCKS):
            width = min(BLOCKS, games - start)
            for b in range(width):
                g = start + b
                eaten = np.int64((details[0, g] >> np.uint64(11 * p)) & np.uint64(2047))
                holds = np.int64((details[0, g] >> np.uint64(55 + p)) & ONE)
                asks[b, p] += np.int64((details[1, g] >> np.uint64(12 * p)) & np.uint64(4095))
                asks_met[b, p] += np.int64((details[2, g] >> np.uint64(12 * p)) & np.uint64(4095))
                monster_held[b, p] += holds
                monster_ate[b, p] += np.int64(eaten != 0)
                points_eaten[b, p] += eaten
                monster_wins[b, p] += holds * np.int64(wins[p, g])
            for b in range(width):
                hand = opening_hands[p, start + b]
                features[0, b] = 1
                for i, sort in enumerate((MERFOLK, MEAN, WAVE, SEAWEED, MONSTER)):
                    features[1 + i, b] = np.int32(has(hand, sort))
                # Half of each count, rounded down.
                halves = (hand & ITEMS) >> ONE & np.uint64(7) * FLAGS
                features[6, b] = np.int32(size(halves))
            for i in range(FEATURES):
                one = features[i]
                for j in range(i, FEATURES):
                    other = features[j]
                    product = products[i, j]
                    for b in range(width):
                        product[b] += one[b] * other[b]
                share = shares[i]
                for b in range(width):
                    share[b] += one[b] * np.int32(wins[p, start + b])
    for i in range(FEATURES):
        for b in range(BLOCKS):
            opening_wins[b, i] += np.int64(shares[i, b])
            for j in range(FEATURES):
                opening[b, i, j] += np.int64(products[min(i, j), max(i, j), b])


# --- the game -------------------------------------------------------------------------------------


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


class _Group:
    """A strategy and the seats it sits in, which are asked together where they can be.

    Attributes
    ----------
    members
        (P,) uint8, 1 for each of its seats.
    """

    def __init__(self, seat: Seat, players: int) -> None:
        self.seat = seat
        self.strategy = seat.strategy
        self.sees = seat.strategy.sees
        self.members = np.zeros(players, np.uint8)

    def wants(self, decision: str) -> bool:
        """Whether the strategy wants chance for a decision."""
        return decision in self.strategy.hooks and decision in self.strategy.stochastic

    def question(
        self, decision: str, view: View, words: Piles, out: Bytes, games: GameNumbers
    ) -> Call:
        """A call that asks the strategy; ``games`` tells what is in the columns if it fails."""
        seat = self.seat
        chance = _read_only(words) if self.wants(decision) else None
        ask = seat.question(decision, view, chance, out)

        def ask_there() -> None:
            seat.games = games
            ask()

        call = Call(ask_there)
        call.steps = getattr(ask, "steps", ())
        return call


class _LaneGames:
    """The games in the columns of a question, looked up when a strategy fails.

    Columns are lanes, or those of a list; ``sitting`` is the seat that is asked there, -1 whoever
    is to move, -2 who has just moved.
    """

    def __init__(self, lanes: Lanes, listed: int, sitting: int) -> None:
        self._lanes = lanes
        self._listed = listed
        self._sitting = sitting

    def _lane(self, column: int) -> int:
        return column if self._listed < 0 else int(self._lanes.lists[self._listed, column])

    @property
    def size(self) -> int:
        """How many columns there are."""
        return self._lanes.lanes if self._listed < 0 else int(self._lanes.counts[self._listed])

    def __getitem__(self, column: int) -> int:
        """Number of the game in a column."""
        return self._lanes.game_of(self._lane(column))

    def moment(self, column: int, decision: str) -> str:
        """Turn and seat."""
        s, lane = self._lanes, self._lane(column)
        now, seat = int(s.turn[lane]), self._sitting
        if seat < 0:
            seat = (int(s.seat[lane]) + seat + 1) % s.players
        return f"turn {now + (self._listed < 0)}, seat {seat + 1}"


def _least(width: int) -> int:
    """For how few lanes so many columns are not yet a waste."""
    return (width - COLUMNS) // 2 if width > FEW_COLUMNS else 0


class _Columns:
    """Columns copied together from few lanes, to ask one strategy for one decision.

    Their number differs from turn to turn; a view, made once, serves for all numbers a little
    smaller than its width.
    """

    def __init__(
        self,
        lanes: Lanes,
        group: _Group,
        decision: str,
        listed: int,
        sitting: int,
        *,
        active: Bytes,
        words: Piles,
        answers: Bytes,
        card: Bytes | None,
        hand: Piles | None,
        shells: Piles | None,
    ) -> None:
        self.lanes = lanes
        self.group = group
        self.decision = decision
        self.listed = listed
        self.active = active
        self.words = words
        self.answers = answers
        self.card = card
        self.hand = hand
        self.shells = shells
        self.calls: dict[int, Program] = {}
        self.ask = Program([])
        self.fewest = self.most = 0
        self.sitting = sitting
        self.whole = "table" in group.sees
        players = lanes.players
        room = active.size if self.whole else 0
        self.more_hand = rows(room, np.uint64)
        self.more_piles = rows((4 * players + 2) * room, np.uint64)
        self.more_bytes = rows((players + 2) * room, np.uint8)
        self.more_turn = rows(room, np.uint16)

    def fit(self, number: int) -> None:
        """Let `ask` be fit for so many lanes, and for `fewest` to `most` of them."""
        width = next((w for w in self.calls if _least(w) <= number <= w), 0)
        if width == 0:
            width = -(-(number + number // 8) // COLUMNS) * COLUMNS
            width = min(max(width, FEW_COLUMNS), self.active.size)
            self.calls[width] = self._call(width)
        self.ask = self.calls[width]
        self.fewest, self.most = max(1, _least(width)), width
        self.lanes.widths[self.listed] = width

    def _call(self, width: int) -> Program:
        """Ask what is to be seen in so many columns."""
        view, words = self._view(width), self.words[:width]
        games = _LaneGames(self.lanes, self.listed, self.sitting)
        ask = self.group.question(self.decision, view, words, self.answers[:width], games)
        return Program([*(self._filling(width) if self.whole else ()), ask])

    def _filling(self, width: int) -> tuple[Call, Call]:
        s, memory, players = self.lanes, self.lanes.memory, self.lanes.players
        movers = self.more_movers = rows(width, np.uint8)
        listed = s.lists[self.listed, :width]
        gather = prepared(_gather, s.seat, listed, movers)
        fill = prepared(
            _whole_table_kernel, listed, movers, self.sitting, s.hands, s.shells, s.sizes,
            s.left, s.turn, memory.discards, memory.asked, memory.lacks, memory.handed,
            memory.toward, self.more_hand[:width], self.more_piles[: (4 * players + 2) * width],
            self.more_bytes[: (players + 2) * width], self.more_turn[:width],
        )  # fmt: skip
        return gather, fill

    def _view(self, width: int) -> View:
        players = self.lanes.players
        facts: dict[str, Any] = dict.fromkeys(View._fields)
        facts |= {"active": _read_only(self.active[:width]), "players": players}
        if self.card is not None:
            facts["card"] = _read_only(self.card[:width])
        if self.hand is not None:
            facts["hand"] = _read_only(self.hand[:width])
        if self.shells is not None:
            facts["shells"] = _read_only(self.shells[: players * width].reshape(players, width))
        if self.whole:
            facts |= self._whole_table(width)
        return View(**facts)

    def _whole_table(self, width: int) -> dict[str, Any]:
        players, sees = self.lanes.players, self.group.sees
        piles = self.more_piles[: (4 * players + 2) * width].reshape(-1, width)
        numbers = self.more_bytes[: (players + 2) * width].reshape(-1, width)
        facts: dict[str, Any] = {
            "hand": self.more_hand[:width],
            "turn": self.more_turn[:width],
            "shells": piles[:players],
            "sizes": numbers[:players],
            "beach_deck": numbers[players],
            "shell_deck": numbers[players + 1],
        }
        for i, name in enumerate(("asked", "lacks", "passed"), start=1):
            if name in sees:
                facts[name] = piles[i * players : (i + 1) * players]
        if "discards" in sees:
            facts |= {"beach_discard": piles[-2], "shell_discard": piles[-1]}
        return {name: _read_only(array) for name, array in facts.items()}


class _Memory:
    """What is remembered of questions and passes, a row a player as in the module's table.

    ``asked`` and ``lacks`` are as in `View`; ``handed`` (P, N) uint8 is the card that each player
    was passed at the last starfish, NONE if that is not known to be there any more, and ``toward``
    (N,) that starfish.
    """

    def __init__(self, lanes: int, players: int, groups: int) -> None:
        self.discards = rows((2, lanes), np.uint64)
        self.asked = rows((players, lanes), np.uint64)
        self.lacks = rows((players, lanes), np.uint64)
        self.handed = rows((players, lanes), np.uint8)
        self.toward = rows(lanes, np.uint8)
        self.passed = [rows((players, lanes), np.uint64) for _ in range(groups)]


_Wrong = tuple[int, int, int, _Group, str, str]
"""Lane, seat, turn, strategy, decision and what was wrong with its answer."""


class Lanes:
    """So many lanes side by side, the strategies that sit there, and what is done in each step."""

    def __init__(self, table: Table, seats: Sequence[Seat], lanes: int) -> None:
        self.table = table
        self.seats = seats
        self.arrays = 0
        self.players = players = table.players
        self.lanes = lanes
        self.groups = self._group(seats)
        groups = len(self.groups)
        self.members = np.stack([group.members for group in self.groups])
        self.fair = table.fair
        sees = frozenset().union(*(group.sees for group in self.groups))
        self.remembers = bool(sees - {"table"}) or "table" in sees
        # The state.
        self.tickets = self._rows(lanes, np.uint32)
        self.live = self._rows(lanes, np.uint8)
        self.keys = self._rows(lanes, np.uint64)
        self.seat = self._rows(lanes, np.uint8)
        self.turn = self._rows(lanes, np.uint16)
        self.hands = self._rows((players, lanes), np.uint64)
        self.shells = self._rows((players, lanes), np.uint64)
        self.sizes = self._rows((players, lanes), np.uint8)
        self.beach_deck = self._rows(lanes, np.uint64)
        self.shell_deck = self._rows(lanes, np.uint64)
        self.left = self._rows((2, lanes), np.uint8)
        self.recycled = self._rows(lanes, np.uint16)
        self.asks = self._rows(lanes, np.uint16)
        self.met = self._rows(lanes, np.uint16)
        self.asked_by = self._rows((2, lanes if self.fair else 1), np.uint64)
        self.memory = _Memory(lanes if self.remembers else 1, players, groups)
        # What a step derives.
        self.actions = self._rows(lanes, np.uint64)
        self.rivals, self.action, self.question, self.gives = self._rows((4, lanes), np.uint8)
        self.drawn, self.offer, self.played, self.shell_card = self._rows((4, lanes), np.uint8)
        self.ended, self.left_to_do, self.group = self._rows((3, lanes), np.uint8)
        # What strategies see and answer.
        self.words = self._rows((3, lanes), np.uint64)
        self.active = self._rows((3, groups, lanes), np.uint8)
        self.answers = self._rows((3, groups, lanes), np.uint8)
        # Arrays of their own, so that no view can reach what another one shows.
        self.shown_hand = tuple(self._rows(lanes, np.uint64) for _ in range(groups))
        self.shown_actions = tuple(self._rows(lanes, np.uint64) for _ in range(groups))
        self.shown_card = self._rows(lanes, np.uint8)
        self._make_columns(lanes + COLUMNS)
        self._make_calls()

    def _rows(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Zeros that begin with a cache line, each array with another one of a page.

        Rows are worked on side by side, and lines at the same place of a page compete for the
        first-level cache.
        """
        self.arrays += 1
        length = int(np.prod(shape)) * np.dtype(dtype).itemsize
        memory = np.zeros(length + 2 * PAGE, np.uint8)
        start = -memory.ctypes.data % PAGE + self.arrays * STAGGER % PAGE
        return memory[start : start + length].view(dtype).reshape(shape)

    @staticmethod
    def _group(seats: Sequence[Seat]) -> list[_Group]:
        """Each different strategy once."""
        groups: list[_Group] = []
        for p, seat in enumerate(seats):
            known = [group for group in groups if group.strategy is seat.strategy]
            if not known:
                known = [_Group(seat, len(seats))]
                groups += known
            known[0].members[p] = 1
        return groups

    def _make_columns(self, room: int) -> None:
        """Columns for targets, by decision and strategy, and for starfish, by seat."""
        players, groups = self.players, self.groups
        keys = 2 * len(groups)
        self.lists = np.zeros((AIMED + keys, room), np.uint32)
        self.counts = np.zeros(AIMED + keys, np.int64)
        self.widths = np.zeros(AIMED + keys, np.int64)
        self.aim_shells = self._rows((keys, players * room), np.uint64)
        self.aim_words = self._rows((keys, room), np.uint64)
        self.aim_card = self._rows((keys, room), np.uint8)
        self.aim_active = self._rows((keys, room), np.uint8)
        self.aim_answers = self._rows((keys, room), np.uint8)
        self.drew = self._rows((len(groups), room), np.uint8)
        self.fish_hands = tuple(self._rows(room, np.uint64) for _ in range(players))
        self.fish_words = self._rows((players, room), np.uint64)
        self.fish_card = self._rows(room, np.uint8)
        self.fish_active = self._rows((players, room), np.uint8)
        self.fish_answers = tuple(self._rows(room, np.uint8) for _ in range(players))
        self.fish_cells = self._rows((players, room + TILE), np.uint32)
        self.fish_movers = self._rows(room, np.uint8)
        self.aims = [
            _Columns(
                self, group, decision, AIMED + k, -2, active=self.aim_active[k],
                words=self.aim_words[k], answers=self.aim_answers[k],
                card=self.aim_card[k] if decision == "shell" else None, hand=None,
                shells=self.aim_shells[k],
            )
            for k, (decision, group) in enumerate(
                (decision, group) for decision in ("seaweed", "shell") for group in groups
            )
        ]  # fmt: skip
        self.passes = [
            _Columns(
                self, group, "pass", FISH, p, active=self.fish_active[p],
                words=self.fish_words[p], answers=self.fish_answers[p], card=self.fish_card,
                hand=self.fish_hands[p], shells=None,
            )
            for p in range(players)
            for group in groups
            if group.members[p]
        ]  # fmt: skip
        self.columns = [*self.aims, *self.passes]
        self.fewest = np.zeros(AIMED + keys, np.int64)
        self.most = np.zeros(AIMED + keys, np.int64)
        self.asking = (0,) * len(self.columns)
        self.kept: dict[tuple[int, ...], tuple[Program, Program]] = {}

    def _make_calls(self) -> None:
        """Everything that is called again and again, with its arguments."""
        t, groups = self.table, self.groups
        wide = self._rows((WIDE, TILE + 8), np.uint64)
        narrow = self._rows((NARROW, TILE + COLUMNS), np.uint8)
        short = self._rows(TILE, np.uint16)
        flat_hands, flat_shells = self.hands.reshape(-1), self.shells.reshape(-1)
        wants = [any(group.wants(name) for group in groups) for name in DECISIONS[:3]]
        wants_turn = np.array(wants, np.uint8)
        wants_aim = np.array([one.group.wants(one.decision) for one in self.aims], np.uint8)
        wants_pass = np.array([one.group.wants(one.decision) for one in self.passes], np.uint8)
        self.prepare = prepared(
            _prepare_kernel, t.facts, wants_turn, self.members, self.live, self.keys, self.seat,
            self.turn, self.hands, self.shells, self.actions, self.rivals, self.group,
            self.active, self.shown_hand, self.shown_actions, self.words, wide, narrow,
        )  # fmt: skip
        self.turn_questions = [self._question(ACTION, i) for i in range(len(groups))]
        self.turn_questions += [self._question(QUESTION, i) for i in range(len(groups))]
        self.ask = prepared(
            _ask_kernel, t.facts, self.answers, self.active, self.seat, self.keys, self.hands,
            self.sizes, self.beach_deck, self.left[0], self.recycled, self.asks, self.met,
            self.asked_by, self.actions, self.rivals, self.action, self.question, self.gives,
            self.drawn, self.offer, narrow, otherwise=self._refuse_turn,
        )  # fmt: skip
        self.beach_questions = [
            self._beach_question(i, wants_turn)
            for i, group in enumerate(groups)
            if "beach" in group.strategy.hooks
        ]
        self.play = prepared(
            _play_kernel, t.facts, self.live, self.keys, self.seat, self.turn, self.hands,
            self.shells, self.sizes, self.shell_deck, self.left[1], self.rivals, self.action,
            self.question, self.gives, self.drawn, self.offer, self.played, self.shell_card,
            self.ended, self.left_to_do, self.group, self.lists, self.counts, wide, narrow,
        )  # fmt: skip
        self.see_fit = prepared(_misfits_kernel, self.counts, self.fewest, self.most)
        self.show_aims = prepared(
            _aim_kernel, self.lists, self.counts, self.widths, wants_aim, self.keys, self.seat,
            self.turn, self.played, self.shells, self.aim_shells, self.aim_words, self.aim_card,
            self.aim_active, wide, narrow, short,
        )  # fmt: skip
        self.hit = prepared(
            _target_kernel, t.facts, self.lists, self.counts, self.widths, self.keys, self.hands,
            self.sizes, self.shells, self.beach_deck, self.left[0], self.recycled,
            self.aim_shells, self.aim_card, self.aim_answers, self.drew, self.ended, wide, narrow,
            short, otherwise=self._refuse_target,
        )  # fmt: skip
        self.show_fish = prepared(
            _fish_kernel, self.lists, self.counts, self.widths, wants_pass, self.keys, self.seat,
            self.turn, self.shell_card, flat_hands, self.fish_hands, self.fish_words,
            self.fish_card, self.fish_active, self.fish_cells, self.fish_movers, wide, short,
        )  # fmt: skip
        self.pass_cards = prepared(
            _pass_kernel, self.lists, self.counts, flat_hands, self.ended, self.fish_hands,
            self.fish_card, self.fish_answers, self.fish_active, self.fish_cells, wide, narrow,
            otherwise=self._refuse_pass,
        )  # fmt: skip
        self.score = prepared(
            _score_kernel, t.facts, self.lists, self.counts, t.books, self.tickets, self.seat,
            self.turn, flat_hands, flat_shells, self.shell_deck, self.asks, self.met,
            self.asked_by, self.ended, t.records, t.details, wide, narrow, self.fish_cells,
        )  # fmt: skip
        self.take_up = prepared(
            _take_up_kernel, t.facts, self.lists, self.counts, t.books, t.games, t.queue_keys,
            t.queue_deck, t.queue_hands, t.queue_first, self.tickets, self.live, self.keys,
            self.seat, self.turn, flat_hands, self.shells, self.sizes, self.beach_deck,
            self.shell_deck, self.left[0], self.left[1], self.recycled, self.asks, self.met,
            self.asked_by, t.opening, self.ended, self.fish_cells,
        )  # fmt: skip
        self.count_turn = prepared(_count_turn_kernel, t.books)
        self.closing = [self.score, self.take_up]
        self.getting_ready = [self.prepare]
        if self.remembers:
            self._make_memory_calls()
        self._take_programs()

    def playing(self, teller: _Teller | None) -> Program:
        """All that is done of a turn until it is known what is aimed at whom."""
        links: list[Callable[[], object]] = [*self.turn_questions]
        links += [teller.turn] if teller else []
        links += [self.ask]
        links += [self.find_discards, self.note_question] if self.remembers else []
        links += [*self.beach_questions, self.play]
        links += [self.find_discards, self.note_play] if self.remembers else []
        links += [teller.played] if teller else []
        return Program([*links, self.see_fit])

    def fit_columns(self) -> None:
        """Make columns, and programs to ask in them, that fit the lists of this turn."""
        counts = self.counts.tolist()
        asking: list[int] = []
        for one in self.columns:
            number = counts[one.listed]
            if number and not one.fewest <= number <= one.most:
                one.fit(number)
            self.fewest[one.listed] = one.fewest if number else 0
            self.most[one.listed] = one.most if number else 0
            asking.append(one.most if number else 0)
        self.asking = tuple(asking)
        self._take_programs()

    def _take_programs(self) -> None:
        """Take the programs for the columns that are asked."""
        if self.asking not in self.kept:
            finish = self.finishing(None)
            turns = Program([self.playing(None), finish], again=True)
            self.kept[self.asking] = finish, turns
        self.finish_turns, self.turns = self.kept[self.asking]

    def finishing(self, teller: _Teller | None) -> Program:
        """The rest of it: targets, starfish, and the next games where one is over."""
        links: list[Callable[[], object]] = []
        asking, aims = self.asking, len(self.aims)
        if any(asking[:aims]):
            asks = [one.ask for width, one in zip(asking, self.aims, strict=False) if width]
            links += [self.show_aims, *asks, self.hit]
            links += [self.note_draws] if self.remembers else []
            links += [teller.aimed] if teller else []
        if any(asking[aims:]):
            links += [self.show_fish, *[one.ask for one in self.passes], self.pass_cards]
            links += [self.note_passes] if self.remembers else []
            links += [teller.passed] if teller else []
        if teller:  # he tells of the games that are over before the next ones
            return Program(links)
        return Program([*links, *self.closing, *self.getting_ready, self.count_turn])

    def _make_memory_calls(self) -> None:
        m, asked, lacks, handed = (
            self.memory,
            self.memory.asked,
            self.memory.lacks,
            self.memory.handed,
        )
        self.find_discards = prepared(
            _find_discards_kernel, self.table.facts, self.hands, self.beach_deck, self.shells,
            self.shell_deck, m.discards,
        )  # fmt: skip
        self.recall = [
            prepared(_recall_kernel, self.active[ACTION, i], handed, m.toward, m.passed[i])
            for i, group in enumerate(self.groups)
            if "passed" in group.sees
        ]
        self.note_question = prepared(
            _note_question_kernel, self.question, self.gives, asked, lacks, handed
        )
        self.note_play = prepared(
            _note_play_kernel, self.played, self.drawn, self.offer, asked, lacks, handed
        )
        self.note_draws = prepared(
            _note_draws_kernel, self.lists, self.counts, self.aim_answers, self.drew, lacks
        )
        self.note_passes = prepared(
            _note_passes_kernel, self.lists, self.counts, self.fish_movers, self.fish_card,
            self.fish_answers, self.fish_active, lacks, handed, m.toward,
        )  # fmt: skip
        self.forget = prepared(_forget_kernel, self.lists, self.counts, asked, lacks, handed)
        self.closing = [self.score, self.forget, self.take_up]
        self.getting_ready = [self.prepare, self.find_discards, *self.recall]

    def _question(self, which: int, i: int) -> Call:
        """How a strategy is asked for what every lane may decide."""
        group, m = self.groups[i], self.memory
        facts: dict[str, NDArray[Any] | None] = {
            "active": self.active[which, i],
            "hand": self.shown_hand[i],
            "playable": self.shown_actions[i] if which == ACTION else None,
            "sizes": self.sizes,
            "shells": self.shells,
            "beach_deck": self.left[0],
            "shell_deck": self.left[1],
            "turn": self.turn,
            "card": self.shown_card if which == BEACH else None,
            "beach_discard": m.discards[0] if "discards" in group.sees else None,
            "shell_discard": m.discards[1] if "discards" in group.sees else None,
            "asked": m.asked if "asked" in group.sees else None,
            "lacks": m.lacks if "lacks" in group.sees else None,
            "passed": m.passed[i] if "passed" in group.sees else None,
        }
        shown: dict[str, Any] = {
            name: None if x is None else _read_only(x) for name, x in facts.items()
        }
        view = View(**(shown | {"players": self.players}))
        words, out = self.words[which], self.answers[which, i]
        return group.question(DECISIONS[which], view, words, out, _LaneGames(self, -1, -1))

    def _beach_question(self, i: int, wants: Bytes) -> Program:
        """How a strategy is asked whether to play the cards just drawn."""
        show = prepared(
            _offer_kernel, i, wants, self.hands, self.keys, self.seat, self.turn, self.drawn,
            self.offer, self.active, self.shown_hand[i], self.shown_card, self.words,
        )  # fmt: skip
        ask = self._question(BEACH, i)
        accept = prepared(
            _accept_kernel, i, self.answers, self.active, self.offer, otherwise=self._refuse_offer
        )
        return Program([show, ask, accept])

    def game_of(self, lane: int) -> int:
        """Number of the game in a lane."""
        return int(self.table.games[self.tickets[lane] >> np.uint32(3)])

    def begin(self) -> None:
        """Let all lanes take up the first games of a batch."""
        self.live.fill(1)
        self.lists[OVER, : self.lanes] = np.arange(self.lanes)
        self.counts[OVER] = self.lanes
        if self.remembers:
            self.forget()
        self.take_up()

    def move_to(self, other: Lanes) -> None:
        """Move the live games to fewer lanes; those left over repeat one of them idly."""
        living = np.flatnonzero(self.live)
        columns = np.resize(living, other.lanes)
        for name in STATE:
            getattr(other, name)[...] = getattr(self, name)[..., columns]
        if self.fair:
            other.asked_by[...] = self.asked_by[:, columns]
        if self.remembers:
            for name in ("asked", "lacks", "handed", "toward"):
                getattr(other.memory, name)[...] = getattr(self.memory, name)[..., columns]
        other.live[living.size :] = 0

    # What to say of illegal answers

    def _refuse_turn(self) -> None:
        wrong: list[_Wrong] = []
        for i, group in enumerate(self.groups):
            for g in np.flatnonzero(self.active[ACTION, i]).tolist():
                where = g, int(self.seat[g]), int(self.turn[g]), group
                answer = int(self.answers[ACTION, i, g])
                legal = _sorts(int(self.actions[g]))
                if answer not in legal:
                    told = ", ".join(f"{sort} ({_action_name(sort)})" for sort in legal)
                    wrong.append((*where, "action", f"it chose {answer}; legal were {told}."))
                elif answer == ASK:
                    question = int(self.answers[QUESTION, i, g])
                    kind, who = question & 15, question >> 4
                    # As it was shown: some hands have changed since.
                    kinds = [sort for sort in _sorts(int(self.shown_hand[i][g])) if sort < KINDS]
                    if kind not in kinds or not 0 < who < self.players:
                        what = (
                            f"it answered {question}, which is kind {kind} of opponent {who}; "
                            f"legal are kinds {', '.join(map(str, kinds))} + 16 * opponent 1 to "
                            f"{self.players - 1}."
                        )
                        wrong.append((*where, "ask", what))
        self._refuse(wrong)

    def _refuse_offer(self) -> None:
        wrong = []
        for i, group in enumerate(self.groups):
            answers = self.answers[BEACH, i]
            for g in np.flatnonzero(self.active[BEACH, i] & (answers > 1)).tolist():
                what = f"it answered {answers[g]}; 1 plays the card and 0 keeps it."
                wrong.append((g, int(self.seat[g]), int(self.turn[g]), group, "beach", what))
        self._refuse(wrong)

    def _refuse_target(self) -> None:
        wrong = []
        for k, one in enumerate(self.aims):
            width = int(self.widths[AIMED + k])
            for c, g in enumerate(self.lists[AIMED + k, : self.counts[AIMED + k]].tolist()):
                answer = int(self.aim_answers[k, c])
                if one.decision == "seaweed":
                    if 0 < answer < self.players:
                        continue
                    what = f"it chose opponent {answer}; there are 1 to {self.players - 1}."
                else:
                    piles = [int(self.aim_shells[k, d * width + c]) for d in range(self.players)]
                    legal = [(d, v) for d in range(1, self.players) for v in _sorts(piles[d])]
                    if (answer >> 4, answer & 15) in legal:
                        continue
                    told = ", ".join(f"{v} + 16 * {d}" for d, v in legal)
                    what = (
                        f"it answered {answer}, which is a shell card of {answer & 15} of opponent "
                        f"{answer >> 4}; legal were {told}."
                    )
                seat = (int(self.seat[g]) - 1) % self.players
                wrong.append((g, seat, int(self.turn[g]) - 1, one.group, one.decision, what))
        self._refuse(wrong)

    def _refuse_pass(self) -> None:
        wrong = []
        for p, one in enumerate(self.passes):
            for c, g in enumerate(self.lists[FISH, : self.counts[FISH]].tolist()):
                answer, legal = int(self.fish_answers[p][c]), _sorts(int(self.fish_hands[p][c]))
                if self.fish_active[p, c] and answer not in legal:
                    told = ", ".join(f"{sort} ({CARD_NAMES[sort]})" for sort in legal)
                    what = f"it chose card {answer}, but its hand was {told}."
                    wrong.append((g, p, int(self.turn[g]) - 1, one.group, "pass", what))
        self._refuse(wrong)

    def _refuse(self, wrong: list[_Wrong]) -> None:
        """Report the lowest of the games in which answers are illegal."""
        if not wrong:
            raise RuntimeError("an answer was found to be illegal that nobody has given")
        lane, seat, turn, group, decision, what = min(wrong, key=lambda one: self.game_of(one[0]))
        raise StrategyFailed(
            group.strategy.spec,
            self.game_of(lane),
            f"turn {turn + 1}, seat {seat + 1}, decision {decision!r}",
            what,
        )


STATE = (
    "tickets", "live", "keys", "seat", "turn", "hands", "shells", "sizes", "beach_deck",
    "shell_deck", "left", "recycled", "asks", "met",
)  # fmt: skip


class Table:
    """Workspace for batches: lanes, a queue of dealt games, and the records of finished ones."""

    def __init__(self, rules: Rules, players: int, lanes: int) -> None:
        self.rules = rules
        self.players = players
        self.most_lanes = min(max(COLUMNS, lanes // COLUMNS * COLUMNS), MOST_LANES)
        self.room = lanes * GAMES_PER_LANE
        self.fair = False
        beach, shell = beach_cards(rules), shell_cards(rules)
        self.facts = np.zeros(FACTS, np.uint64)
        self.facts[BEACH_PILE] = pile_of(beach)
        self.facts[SHELL_PILE] = pile_of(shell)
        self.facts[BEACH_CARDS] = sum(beach.values())
        self.facts[SHELL_CARDS] = sum(shell.values())
        self.facts[HAND_SIZE] = rules["hand_size"]
        self.facts[MAX_TURNS] = rules["max_turns"]
        self.facts[ASK_FREELY] = rules["ask_freely"]
        self.facts[PLAY_AT_BEACH] = rules["play_at_beach"]
        self.facts[RANDOM_FIRST] = rules["first_player"] == "random"
        self.books = np.zeros(BOOKS, np.int64)
        self.games = np.zeros(self.room, np.uint64)
        self.queue_keys = rows(QUEUE, np.uint64)
        self.queue_deck = rows(QUEUE, np.uint64)
        self.queue_hands = rows((players, QUEUE), np.uint64)
        self.queue_first = rows(QUEUE, np.uint8)
        self.records = np.zeros(2 * self.room, np.uint64)
        self.wins = np.zeros(players * self.room, np.uint8)
        self.scores = np.zeros(players * self.room, np.int16)
        self.unfinished = np.zeros(self.room, np.uint8)
        self.check: Callable[[Lanes], None] | None = None
        """Called after every step with the lanes, for tests."""
        self._set_fair(False)

    def _set_fair(self, fair: bool) -> None:
        """Make room for what fairness needs to know, or none."""
        self.fair = fair
        self.details = np.zeros((3, self.room if fair else 1), np.uint64)
        self.opening = np.zeros((self.players, self.room if fair else 1), np.uint64)
        self.kept: dict[tuple[tuple[Seat, ...], int], Lanes] = {}

    def open(self, seed: int, games: NDArray[np.uint64], fair: bool) -> None:
        """Take a new batch of games."""
        if fair != self.fair:
            self._set_fair(fair)
        self.facts[SEED] = seed
        self.games[: games.size] = games
        self.books[:] = 0
        self.books[GAMES] = games.size

    def lanes(self, seats: Sequence[Seat], lanes: int) -> Lanes:
        """So many lanes for these seats, made once."""
        key = (tuple(seats), lanes)
        if key not in self.kept:
            self.kept[key] = Lanes(self, seats, lanes)
        return self.kept[key]

    def fitting(self, games: int) -> int:
        """How many lanes suit so many games: the fewer, the shorter the time when most are idle."""
        lanes = self.most_lanes
        while lanes >= 2 * LEAST_LANES and lanes * lanes > LANES_SQUARED * games:
            lanes = _half(lanes)
        return lanes


def _half(lanes: int) -> int:
    return -(-lanes // (2 * COLUMNS)) * COLUMNS


class Batch:
    """A batch of games in their lanes, from the first deal to the last score."""

    def __init__(self, table: Table, seats: Sequence[Seat], watch: Watcher | None = None) -> None:
        self.table = table
        self.seats = seats
        self.side = table.lanes(seats, table.fitting(int(table.books[GAMES])))
        self.teller = None if watch is None else _Teller(self.side, watch)

    def begin(self) -> None:
        """Deal the first games."""
        self.side.begin()
        if self.teller:
            self.teller.dealt()
        self.finish()

    def play(self) -> None:
        """Play all games to their end."""
        books = self.table.books
        together = 1 if self.teller or self.table.check else TURNS_TOGETHER
        while books[FINISHED] < books[GAMES]:
            self.step(together)
            if books[STARTED] == books[GAMES]:
                self._close_ranks(int(books[GAMES] - books[FINISHED]))

    def _close_ranks(self, living: int) -> None:
        """Move the last games to fewer lanes."""
        lanes = self.side.lanes
        while lanes >= 4 * LEAST_LANES and living <= _half(_half(lanes)):
            lanes = _half(_half(lanes))
        if living and lanes < self.side.lanes:
            side = self.table.lanes(self.seats, lanes)
            self.side.move_to(side)
            self.side = side
            self.prepare()

    def prepare(self) -> None:
        """Get ready for the next turns."""
        for ready in self.side.getting_ready:
            ready()

    def step(self, turns: int = 1) -> None:
        """So many turns in every lane, or fewer."""
        s, teller = self.side, self.teller
        if teller:
            if s.playing(teller)():
                s.fit_columns()
            s.finishing(teller)()
            self.finish()
            return
        self.table.books[TURNS] = turns
        program = s.turns
        stop = program()
        if stop and program.calls[stop.call] is s.see_fit:
            s.fit_columns()
            program = s.finish_turns
            stop = program()
        if stop and program.calls[stop.call] is s.take_up:
            self.finish()
        elif self.table.check is not None:
            self.table.check(s)

    def finish(self) -> None:
        """Score the games that are over, take up the next ones, and get ready."""
        s = self.side
        while s.counts[OVER]:
            if self.teller:
                self.teller.ended()
            for close in s.closing:
                close()
        self.prepare()
        if self.table.check is not None:
            self.table.check(s)


def _sorts(pile: int) -> list[int]:
    """Sorts of which there is a card in a pile."""
    return [sort for sort in range(16) if pile >> 4 * sort & 15]


def _cards(pile: int) -> list[int]:
    """All cards of a pile, in order of sorts."""
    return [sort for sort in range(16) for _ in range(pile >> 4 * sort & 15)]


CARD_NAMES = (
    *(f"item {kind}" for kind in range(KINDS)),
    "merfolk", "mean mermaid", "sneaker wave", "seaweed", "sea monster",
)  # fmt: skip


def _action_name(action: int) -> str:
    if action == ASK:
        return "ask"
    return f"pair of item {action}" if action < KINDS else CARD_NAMES[action]


class _Teller:
    """Tells the one game in lane 0 step by step. Turns and seats are counted from 1."""

    def __init__(self, lanes: Lanes, watch: Watcher) -> None:
        self.lanes = lanes
        self.watch = watch
        self.now = 0
        self.mover = 0
        self.recycled = 0
        self.hands: list[int] = []

    def _tell(self, event: str, **facts: Any) -> None:
        self.watch(event, {"turn": self.now + 1, **facts})

    def _seat(self, row: int) -> int:
        return (self.mover + row) % self.lanes.players + 1

    def _remember(self, above: int) -> None:
        """Keep the hands, in rows as the player sees it who is now in row ``above``."""
        s = self.lanes
        order = [(above + row) % s.players for row in range(s.players)]
        self.hands = [int(s.hands[row, 0]) for row in order]
        self.recycled = int(s.recycled[0])

    def _row(self) -> int:
        """Row of the player who has just moved."""
        return (self.mover - int(self.lanes.seat[0])) % self.lanes.players

    def dealt(self) -> None:
        """The deal, and who begins."""
        s = self.lanes
        self.mover = int(s.seat[0])
        self.watch(
            "deal",
            {
                "first": self.mover + 1,
                "hands": [
                    _cards(int(s.hands[(seat - self.mover) % s.players, 0]))
                    for seat in range(s.players)
                ],
            },
        )

    def turn(self) -> None:
        """A turn begins."""
        self.mover, self.now = int(self.lanes.seat[0]), int(self.lanes.turn[0])
        self._remember(0)

    def played(self) -> None:
        """The question, and the card played."""
        s = self.lanes
        seat, card, drawn = self._seat(0), int(s.played[0]), int(s.drawn[0])
        if s.action[0] == ASK:
            kind, who, met = int(s.question[0]) & 15, int(s.question[0]) >> 4, bool(s.gives[0])
            self._tell("ask", seat=seat, opponent=self._seat(who), kind=kind, met=met)
            if met:
                self._tell("discard", seat=self._seat(who), card=kind, number=1)
                self._tell("discard", seat=seat, card=kind, number=1)
            else:
                self._drawn(seat, None if drawn == NONE else drawn)
        if card != NOTHING and not s.gives[0]:
            self._tell("discard", seat=seat, card=card, number=2 if card < KINDS else 1)
        if card <= MERFOLK:
            shell = int(s.shell_card[0])
            if shell:
                self._tell("shell", seat=seat, card=shell)
            else:
                self._tell("no shell card", seat=seat)
        elif card in (MEAN, WAVE) and not s.rivals[0]:
            self._tell("no effect", seat=seat, card=card)
        self._remember(self._row())

    def _drawn(self, seat: int, card: int | None) -> None:
        more = int(self.lanes.recycled[0]) - self.recycled
        if more:
            self._tell("refill", cards=more)
        if card is None:
            self._tell("no beach card", seat=seat)
        else:
            self._tell("draw", seat=seat, card=card)

    def aimed(self) -> None:
        """What a card did that was aimed at an opponent."""
        s = self.lanes
        for k, one in enumerate(s.aims):
            if s.counts[AIMED + k] == 0:
                continue
            seat, answer = self._seat(0), int(s.aim_answers[k, 0])
            if one.decision == "seaweed":
                row = (self._row() + answer) % s.players
                before = self.hands[answer]
                cards = _sorts(int(s.hands[row, 0]) - before)
                self._tell("seaweed", seat=seat, opponent=self._seat(answer))
                self._drawn(self._seat(answer), cards[0] if cards else None)
            else:
                taken = s.played[0] == MEAN
                self._tell(
                    "shell taken" if taken else "shell washed away",
                    seat=seat,
                    opponent=self._seat(answer >> 4),
                    value=answer & 15,
                )

    def passed(self) -> None:
        """What everybody passed on."""
        s = self.lanes
        step = 1 if s.fish_card[0] == STARFISH_LEFT else -1
        for seat in range(s.players):
            if s.fish_active[seat, 0]:
                to = (seat + step) % s.players
                self._tell("pass", seat=seat + 1, to=to + 1, card=int(s.fish_answers[seat][0]))

    def ended(self) -> None:
        """The monsters' meals, and why the game is over."""
        s = self.lanes
        for seat in range(s.players):
            row = (seat - int(s.seat[0])) % s.players
            hand, pile = int(s.hands[row, 0]), int(s.shells[row, 0])
            if hand >> 4 * MONSTER and pile:
                value = _sorts(pile)[-1]
                number = pile >> 4 * value & 15
                self._tell("monster eats", seat=seat + 1, value=value, number=number)
        reasons = {
            OUT_OF_CARDS: "out of cards",
            MONSTER_ALONE: "monster alone",
            UNFINISHED: "unfinished",
        }
        self._tell("end", end=reasons[int(s.ended[0])])


class MermaidBeach(Game):
    """What the game is and brings; see `analyzer.contracts.Game`."""

    name = "mermaidbeach"
    title = "Mermaid Beach"
    question = "Does going first matter, and does the opening hand decide the game?"
    min_players = 2
    max_players = 5
    default_players = 4
    settings = SETTINGS
    decisions = (
        Decision(
            "action",
            np.uint8,
            "once a turn: the sort of the card to play, an item's for a pair of it, or 15 to ask; "
            "one of the set `playable`",
        ),
        Decision(
            "ask",
            np.uint8,
            "where the action 15 may be chosen, and counting if it is: the kind of item to ask "
            "for, one in hand, + 16 * the opponent to ask, 1 being the next player",
        ),
        Decision(
            "beach",
            np.uint8,
            "after a question that was not met, where the card drawn can be played: 1 plays it, 0 "
            "keeps it",
            default=1,
        ),
        Decision(
            "shell",
            np.uint8,
            "after a mean mermaid or a wave: the value of the shell card to take or to wash away "
            "+ 16 * the opponent it lies before",
        ),
        Decision("seaweed", np.uint8, "after seaweed: the opponent who shall draw a beach card"),
        Decision(
            "pass",
            np.uint8,
            "of everybody with cards when a starfish comes up: the sort of the card to pass on",
        ),
    )
    families = ()
    sees = ("table", "discards", "asked", "lacks", "passed")
    metrics = (
        Metric("turns_per_game", "turns", "games", "turns, extra turns included"),
        Metric(
            "first_player_win_share",
            "first_wins",
            "sixtieths",
            "wins of who began",
            kind="share",
            unit=WHOLE_WIN,
        ),
        Metric("asks_per_game", "asks_all", "games", "questions asked"),
        Metric(
            "ask_success_rate",
            "asks_met_all",
            "asks_all",
            "questions that were met",
            kind="share",
        ),
        Metric("starfish_per_game", "starfish", "games", "starfish that came up"),
        Metric(
            "monster_penalty_rate",
            "monster_meals",
            "games",
            "games in which a sea monster ate at least one shell card",
            kind="share",
        ),
        Metric(
            "ended_out_of_cards",
            "out_of_cards",
            "games",
            "games in which a player ran out",
            kind="share",
        ),
        Metric(
            "ended_monster_alone",
            "monster_alone",
            "games",
            "games in which a player was left with the sea monster alone",
            kind="share",
        ),
    )
    headline = ("games", "wins", "wins_sq", "first_wins", "sixtieths")
    default_strategy = "random"
    games_per_lane = GAMES_PER_LANE
    study = "analyzer.games.mermaidbeach.study:STUDY"
    narrator = "analyzer.games.mermaidbeach.narrator:Narrator"

    def check_rules(self, rules: dict[str, Any], players: int) -> None:
        """Refuse decks that are too large to count, and hands too large to deal."""
        items = rules["item_kinds"] * rules["item_copies"]
        beach = sum(beach_cards(rules).values())
        if beach > MOST_CARDS:
            raise RulesError(
                f"the beach deck would have {beach} cards, {items} of them items (item_kinds * "
                f"item_copies); it may have at most {MOST_CARDS}: lower some of its numbers."
            )
        shell = sum(shell_cards(rules).values())
        if shell > MOST_CARDS:
            raise RulesError(
                f"the shell deck would have {shell} cards; it may have at most {MOST_CARDS}: lower "
                "some numbers of shells, starfish_left or starfish_right."
            )
        dealt = players * rules["hand_size"]
        if dealt > beach:
            remedy = (
                f"hand_size may be at most {beach // players}."
                if beach >= players
                else "raise some of their numbers."
            )
            raise RulesError(
                f"hand_size = {rules['hand_size']} with {players} players needs {dealt} beach "
                f"cards, but there are {beach}; {remedy}"
            )

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Lowest and highest final score that the rules allow."""
        return 0, sum(int(text) * number for text, number in rules["shells"].items())

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums (see `docs/statistics.md` for what each is for)."""
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(PLAIN_SUMS, ())
        shapes["position_wins"] = (players,)
        if detail == "fairness":
            shapes |= dict.fromkeys(SEAT_SUMS, (players,))
            shapes |= {"opening": (FEATURES, FEATURES), "opening_wins": (FEATURES,)}
        return shapes

    def table(self, rules: Rules, players: int, lanes: int) -> Table:
        """Workspace for batches of up to 64 times ``lanes`` games."""
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
        table.open(seed, games, "opening" in tally)
        batch = Batch(table, seats, watch)
        batch.begin()
        batch.play()
        return self.outcome(table, games, tally)

    def outcome(self, table: Table, games: NDArray[np.uint64], tally: Tally) -> Outcome:
        """How the games of the batch ended, once they are all over; adds their sums."""
        cells = table.players * games.size
        wins = table.wins[:cells].reshape(table.players, -1)
        scores = table.scores[:cells].reshape(table.players, -1)
        unfinished = table.unfinished[: games.size]
        _outcome_kernel(
            table.records, wins, scores, unfinished, tally["turns"], tally["sixtieths"],
            tally["first_wins"], tally["position_wins"], tally["asks_all"], tally["asks_met_all"],
            tally["starfish"], tally["monster_meals"], tally["out_of_cards"],
            tally["monster_alone"], np.empty((2, BLOCKS), np.uint64),
            np.empty((3, BLOCKS), np.uint8), np.empty((table.players, BLOCKS), np.int64),
        )  # fmt: skip
        if table.fair:
            by_seat = [tally[name] for name in SEAT_SUMS]
            add: Callable[..., None] = _fairness_kernel
            add(
                table.details, wins, table.opening, *by_seat, tally["opening"],
                tally["opening_wins"],
            )  # fmt: skip
        return Outcome(games, wins, scores, unfinished)


PLAIN_SUMS = (
    "turns", "sixtieths", "first_wins", "asks_all", "asks_met_all", "starfish", "monster_meals",
    "out_of_cards", "monster_alone",
)  # fmt: skip
SEAT_SUMS = (
    "asks", "asks_met", "monster_held", "monster_ate", "points_eaten", "monster_wins"
)  # fmt: skip

GAME = MermaidBeach()
