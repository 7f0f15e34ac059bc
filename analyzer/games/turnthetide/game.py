"""Turn the Tide (Land Unter): bid weather cards, keep the tide low, keep your life preservers.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-turnthetide.md``.
All games of a batch go in step: hand by hand, every game asks every living player for a card.

State of a batch, one column a game (P players, N lanes, H hands a round, R rounds):

============  ========  ========  ==============================================================
field         dtype     shape     meaning
============  ========  ========  ==============================================================
keys          uint64    (N,)      the games' chance
dealt         uint64    (P, N)    the hand first dealt to each seat, bit c - 1 = card c
printed       uint8     (P, N)    whole preservers printed on that hand
cards[p]      uint64    (N,)      what is left of the hand seat p plays; an array of its own, so
                                  that no view can reach a rival's cards
low, high     uint8     (H, N)    the round's tide cards, sorted within a hand
open_low,     uint8     (N,)      the tide cards of this hand: arrays of their own, so that no
open_high                         view can reach tides to come
choice[p]     uint8     (N,)      the weather card seat p plays, 0 = none; an array of its own
running       uint8     (N,)      1 while the round goes on
asks          uint8     (P, N)    1 where the seat must play: alive in a running round
shown         uint8     (2P, N)   newest tide card of each seat, 0 = none
lives         int8      (2P, N)   preservers left
alive         uint8     (2P, N)   1 = not eliminated in this round
preservers    int8      (2P, N)   preservers at the start of the round
scores        int16     (2P, N)   points of the finished rounds
highest       uint8     (N,)      highest tide a living player shows
hands         uint16    (N,)      hands played so far, all rounds
round_scores  int8      (R, P, N) points of each round
played        uint64    (2P, N)   cards played this round      (only if a strategy sees them)
seen          uint64    (P, N)    cards of each *dealt* hand seen in finished rounds   (likewise)
============  ========  ========  ==============================================================

Public rows stand twice, so that the rows from seat p on are the table as seat p sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import (
    BLOCKS,
    WHOLE_WIN,
    Baseline,
    Decision,
    Game,
    Metric,
    Narrator,
    Outcome,
    Rules,
    Seat,
    Setting,
    Tally,
    Watcher,
)
from analyzer.errors import RulesError, StrategyFailed
from analyzer.kernels.bits import card_bit, card_number, count_cards
from analyzer.kernels.calls import Program, prepared
from analyzer.kernels.compilation import kernel, row_kernel
from analyzer.kernels.outcomes import share_wins
from analyzer.kernels.random import TILE as SHUFFLE_TILE
from analyzer.kernels.random import game_keys, new_tile, shuffle_tile, words
from analyzer.kernels.rows import rows

__all__ = ["GAME", "Table", "TurnTheTide", "View"]

CARDS = 60
PURPOSE_DEAL = 1
PURPOSE_TIDES = 2
PURPOSE_DECIDE = 16
ROUND_SHIFT = 20
TILE = 1024
NEVER_LOWEST = 255
NOBODY = 255
"""A tide level that nobody shows."""
OVER, ILLEGAL = 1, 2
"""What `_hand_kernel` returns when no round goes on, and when a choice was illegal; otherwise 0."""

Bytes = NDArray[np.uint8]
Masks = NDArray[np.uint64]


class View(NamedTuple):
    """What a seat may know, one column a game; row 0 is me, row d the d-th player to my left.

    Arrays are read-only. ``played`` and ``known`` are None unless the strategy declares that it
    ``sees`` them.

    Attributes
    ----------
    active
        (N,) uint8, 1 where a card is asked for; elsewhere values are in range and mean nothing.
    cards
        (N,) uint64, my remaining cards: bit c - 1 stands for card c.
    low, high
        (N,) uint8, the two tide cards of this hand.
    shown
        (P, N) uint8, newest tide card of each player, 0 = none (also once eliminated).
    highest
        (N,) uint8, highest tide a living player shows.
    lives
        (P, N) int8, preservers left.
    alive
        (P, N) uint8, 1 = not eliminated in this round.
    preservers
        (P, N) int8, preservers at the start of the round.
    scores
        (P, N) int16, points of the finished rounds.
    played
        (P, N) uint64, cards each has played in this round.
    known
        (P, N) uint64, cards that I know to be in each one's hand now; row 0 is my own hand. A hand
        I have held is known whole, of another one the cards that were seen in earlier rounds.
    players, rounds, hands
        Players; rounds of the game; hands of a full round.
    round, hand
        Which round and hand this is, from 0.
    cards_left
        Cards in my hand before this choice.
    tide_max
        Highest tide card.
    """

    active: Bytes
    cards: Masks
    low: Bytes
    high: Bytes
    shown: Bytes
    highest: Bytes
    lives: NDArray[np.int8]
    alive: Bytes
    preservers: NDArray[np.int8]
    scores: NDArray[np.int16]
    played: Masks | None
    known: Masks | None
    players: int
    rounds: int
    hands: int
    round: int
    hand: int
    cards_left: int
    tide_max: int


# --- settings ------------------------------------------------------------------------------------

PRINTED_BANDS = {"1-12": 0, "13-24": 1, "25-36": 2, "37-48": 1, "49-60": 0}


def _bands(halves: dict[str, int]) -> tuple[int, ...]:
    cards = [0] * CARDS
    for band, count in halves.items():
        first, last = (int(end) for end in band.split("-"))
        cards[first - 1 : last] = [count] * (last - first + 1)
    return tuple(cards)


PRINTED = _bands(PRINTED_BANDS)


def _parse_preservers(value: Any) -> tuple[int, ...]:
    """60 half-counts, or bands of cards that change the printed ones."""
    allowed = (
        "60 half-counts from 0 to 4, one a card, or bands such as "
        '{"13-24" = 1} that replace the printed half-counts of those cards'
    )

    def half_count(x: Any) -> int:
        if isinstance(x, bool) or not isinstance(x, int) or not 0 <= x <= 4:
            raise ValueError(f"{x!r} is not a half-count; allowed are {allowed}")
        return x

    if isinstance(value, list | tuple):
        if len(value) != CARDS:
            raise ValueError(f"{len(value)} half-counts were given; allowed are {allowed}")
        return tuple(half_count(x) for x in value)
    if isinstance(value, dict):
        cards = list(PRINTED)
        taken: set[int] = set()
        for band, count in value.items():
            ends = str(band).split("-")
            if not all(end.isascii() and end.isdigit() and len(end) < 3 for end in ends):
                raise ValueError(f"{band!r} is not a band of cards; allowed are {allowed}")
            first, last = int(ends[0]), int(ends[-1])
            if len(ends) > 2 or not 1 <= first <= last <= CARDS:
                raise ValueError(f"{band!r} is not a band within 1-60; allowed are {allowed}")
            members = range(first, last + 1)
            if taken.intersection(members):
                raise ValueError(f"band {band!r} overlaps another one")
            taken.update(members)
            for card in members:
                cards[card - 1] = half_count(count)
        return tuple(cards)
    raise ValueError(f"{value!r} was given; allowed are {allowed}")


def _parse_allocation(value: Any) -> str:
    allowed = "printed, none, or flat:N with N from 0 to 60 (every hand gets N)"
    text = str(value)
    name, colon, number = text.partition(":")
    if text in ("printed", "none"):
        return text
    if name == "flat" and colon and number.isascii() and number.isdigit() and int(number) <= 60:
        return f"flat:{int(number)}"
    raise ValueError(f"{value!r} was given; allowed are {allowed}")


def _ten_with_six(players: int) -> int:
    return 10 if players == 6 else 12


SETTINGS = (
    Setting(
        "hand_size",
        "int",
        _ten_with_six,
        "weather cards dealt to each player",
        "source",
        1,
        30,
    ),
    Setting(
        "hands",
        "int",
        _ten_with_six,
        "hands played in a round; fewer than the cards of a hand leave some unplayed "
        "(as many as hand_size unless given)",
        "source",
        1,
        30,
        follows="hand_size",
    ),
    Setting(
        "tide_max",
        "int",
        _ten_with_six,
        "highest tide card; there are two each of 1 to this number",
        "fact",
        1,
        60,
    ),
    Setting(
        "rounds",
        "int",
        lambda players: players,
        "rounds of a game; hands are passed left after each; 1 = no passing",
        "source",
        1,
        12,
    ),
    Setting(
        "preservers",
        "custom",
        PRINTED,
        "half life preservers printed on each of the 60 weather cards",
        "fact",
        parse=_parse_preservers,
        allowed='60 half-counts (0-4), or bands such as {"13-24" = 1}',
    ),
    Setting(
        "allocation",
        "custom",
        "printed",
        "what gives a hand its preservers: the print, a fixed number for all, or none",
        "source",
        parse=_parse_allocation,
        allowed="printed, flat:N (N from 0 to 60), none",
    ),
    Setting(
        "drowning",
        "choice",
        lambda players: "two-highest" if players == 6 else "highest",
        "who loses a preserver: the highest tide, or with six players also the next highest, "
        "unless the highest stood alone and was eliminated",
        "assumption",
        choices=("highest", "two-highest"),
        alternatives=("highest", "two-highest"),
    ),
    Setting(
        "bonus",
        "int",
        1,
        "points for the lowest tide at the end of a round; 0 = none",
        "source",
        0,
        20,
    ),
    Setting(
        "eliminated_may_take_bonus",
        "bool",
        False,
        "whether an eliminated player, who shows no tide card, can have the lowest tide",
        "assumption",
        alternatives=(True, False),
    ),
    Setting(
        "end_at",
        "int",
        lambda players: 1 if players == 2 else 2,
        "the round ends at once when so few players are left alive (with two players: 1)",
        "assumption",
        0,
        5,
        alternatives=(1, 2),
    ),
)


# --- kernels -------------------------------------------------------------------------------------


@row_kernel
def _deal_kernel(
    keys: Masks, deck: Bytes, size: int, planes: Masks, tile: Bytes, dealt: Masks, printed: Bytes
) -> None:
    """Shuffle and deal: hands of ``size`` cards, and the whole preservers printed on them."""
    count = dealt.shape[0] * size
    for start in range(0, keys.size, SHUFFLE_TILE):
        end = min(start + SHUFFLE_TILE, keys.size)
        shuffle_tile(
            keys[start:end], int(np.int64(PURPOSE_DEAL)), int(np.int64(0)), deck, count, tile
        )
        _gather(tile, size, planes, dealt, printed, start, end)


@row_kernel
def _gather(
    cards: Bytes, size: int, planes: Masks, dealt: Masks, printed: Bytes, start: int, end: int
) -> None:
    """Gather shuffled cards into the hands of lanes start to end - 1; add up half preservers."""
    for p in range(dealt.shape[0]):
        hand = dealt[p, start:end]
        for g in range(hand.size):
            hand[g] = 0
        for k in range(size):
            _add_card(hand, cards[p * size + k])
        _count_preservers(hand, planes[0], planes[1], planes[2], printed[p, start:end])


@row_kernel
def _add_card(hand: Masks, card: Bytes) -> None:
    for g in range(hand.size):
        hand[g] |= card_bit(card[g])


@row_kernel
def _count_preservers(
    hand: Masks, ones: np.uint64, twos: np.uint64, fours: np.uint64, whole: Bytes
) -> None:
    """Whole preservers on hands, the half-counts of the cards given bit by bit."""
    for g in range(hand.size):
        halves = (
            count_cards(hand[g] & ones)
            + np.uint64(2) * count_cards(hand[g] & twos)
            + np.uint64(4) * count_cards(hand[g] & fours)
        )
        whole[g] = np.uint8(halves >> np.uint64(1))


@row_kernel
def _tides_kernel(
    keys: Masks, base: int, deck: Bytes, tile: Bytes, low: Bytes, high: Bytes
) -> None:
    """Shuffle a round's tide cards, and sort each pair into rows low and high (H, N)."""
    count = 2 * low.shape[0]
    for start in range(0, keys.size, SHUFFLE_TILE):
        end = min(start + SHUFFLE_TILE, keys.size)
        shuffle_tile(keys[start:end], int(np.int64(PURPOSE_TIDES)), base, deck, count, tile)
        _sort_pairs(tile, low, high, start, end)


@row_kernel
def _sort_pairs(cards: Bytes, low: Bytes, high: Bytes, start: int, end: int) -> None:
    """Sort each pair of tide cards (2H, N) into lanes start to end - 1 of low and high (H, N)."""
    for h in range(low.shape[0]):
        _sort_pair(cards[2 * h], cards[2 * h + 1], low[h, start:end], high[h, start:end])


@row_kernel
def _sort_pair(first: Bytes, second: Bytes, lower: Bytes, higher: Bytes) -> None:
    for g in range(lower.size):
        one = first[g]
        other = second[g]
        lower[g] = min(one, other)
        higher[g] = max(one, other)


@row_kernel
def _fill(row: Bytes, value: np.uint8) -> None:
    for g in range(row.size):
        row[g] = value


@row_kernel
def _copy(source: NDArray[Any], target: NDArray[Any]) -> None:
    for g in range(source.size):
        target[g] = source[g]


@row_kernel
def _start_kernel(
    dealt: Masks,
    given: NDArray[np.int8],
    owner_shift: int,
    playing: Bytes,
    cards: tuple[Masks, ...],
    running: Bytes,
    asks: Bytes,
    shown: Bytes,
    lives: NDArray[np.int8],
    alive: Bytes,
    preservers: NDArray[np.int8],
    highest: Bytes,
) -> None:
    """Set up a round: seat p plays the hand first dealt to seat ``p - owner_shift``."""
    players = dealt.shape[0]
    for row in range(2 * players):
        owner = (row - owner_shift) % players
        _fill(shown[row], np.uint8(0))
        _fill(alive[row], np.uint8(1))
        _copy(given[owner], lives[row])
        _copy(given[owner], preservers[row])
    for p in range(players):
        _copy(dealt[(p - owner_shift) % players], cards[p])
        _copy(playing, asks[p])
    _copy(playing, running)
    _fill(highest, np.uint8(0))


@row_kernel
def _open_kernel(low: Bytes, high: Bytes, open_low: Bytes, open_high: Bytes) -> None:
    """Lay out the two tide cards of a hand."""
    _copy(low, open_low)
    _copy(high, open_high)


@row_kernel
def _hand_kernel(
    cards: tuple[Masks, ...],
    choice: tuple[Bytes, ...],
    low: Bytes,
    high: Bytes,
    two_highest: bool,
    end_at: int,
    running: Bytes,
    asks: Bytes,
    shown: Bytes,
    lives: NDArray[np.int8],
    alive: Bytes,
    highest: Bytes,
    hands: NDArray[np.uint16],
    played: Masks,
    scratch: Bytes,
) -> int:
    """Play out one hand; returns 0, or `OVER` if no round goes on, or `ILLEGAL`.

    Tile by tile: take the chosen cards, hand out the tide cards, take preservers and eliminate.
    ``played`` is empty where no strategy sees it.
    """
    players, lanes = asks.shape
    going_on = False
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        size = end - start
        best = scratch[0, :size]
        second = scratch[1, :size]
        top = scratch[2, :size]
        next_top = scratch[3, :size]
        losers = scratch[4, :size]
        living = scratch[5, :size]
        _fill(best, np.uint8(0))
        _fill(second, np.uint8(0))
        legal = True
        for p in range(players):
            card = choice[p][start:end]
            legal &= _find_leaders(asks[p, start:end], card, best, second)
            legal &= _take(cards[p][start:end], card)
        if not legal:
            return ILLEGAL
        if played.size != 0:
            for p in range(players):
                for row in (p, players + p):
                    _note(choice[p][start:end], played[row, start:end])
        _fill(top, np.uint8(0))
        for p in range(players):
            _hand_out(
                choice[p][start:end], best, second, low[start:end], high[start:end],
                shown[p, start:end], top,
            )  # fmt: skip
        if two_highest:
            _fill(next_top, np.uint8(0))
            _fill(losers, np.uint8(0))
            for p in range(players):
                _weigh_losers(
                    shown[p, start:end], lives[p, start:end], asks[p, start:end], top,
                    next_top, losers,
                )  # fmt: skip
            _find_next_highest(losers, next_top)
        else:
            _fill(next_top, np.uint8(NOBODY))
        _fill(highest[start:end], np.uint8(0))
        _fill(living, np.uint8(0))
        for p in range(players):
            again = players + p
            _drown(
                asks[p, start:end], top, next_top, shown[p, start:end], lives[p, start:end],
                alive[p, start:end], shown[again, start:end], lives[again, start:end],
                alive[again, start:end], highest[start:end], living,
            )  # fmt: skip
        going_on |= _go_on(living, np.uint8(end_at), hands[start:end], running[start:end])
        for p in range(players):
            _ask(running[start:end], alive[p, start:end], asks[p, start:end])
    return 0 if going_on else OVER


@row_kernel
def _find_leaders(asks: Bytes, choice: Bytes, best: Bytes, second: Bytes) -> bool:
    """Take a seat's choices into the two highest; returns whether all who were asked chose a card.

    Choices of lanes that do not ask become 0.
    """
    unanswered = np.uint8(0)
    most = np.uint8(0)
    for g in range(choice.size):
        asked = asks[g]
        card = choice[g]
        leader = best[g]
        follower = second[g]
        unanswered = max(unanswered, asked if card == 0 else np.uint8(0))
        card = card if asked else np.uint8(0)
        most = max(most, card)
        choice[g] = card
        second[g] = max(follower, min(leader, card))
        best[g] = max(leader, card)
    return bool(unanswered == 0 and most <= CARDS)


@row_kernel
def _take(cards: Masks, choice: Bytes) -> bool:
    """Remove the chosen cards from a seat's hands; returns whether it held them all."""
    # Card 0, of lanes that do not ask, is taken for the bit 63, which no hand holds.
    missing = np.uint64(0)
    for g in range(cards.size):
        bit = np.uint64(1) << ((np.uint64(choice[g]) - np.uint64(1)) & np.uint64(63))
        held = cards[g]
        missing |= bit & ~held
        cards[g] = held & ~bit
    return bool((missing << np.uint64(1)) == 0)


@row_kernel
def _note(choice: Bytes, played: Masks) -> None:
    """Note a seat's cards of this hand in the record of the round."""
    for g in range(choice.size):
        card = choice[g]
        record = played[g]
        bit = np.uint64(1) << ((np.uint64(card) - np.uint64(1)) & np.uint64(63))
        played[g] = record | bit if card != 0 else record


@row_kernel
def _hand_out(
    choice: Bytes, best: Bytes, second: Bytes, low: Bytes, high: Bytes, shown: Bytes, top: Bytes
) -> None:
    """Give a seat the tide card that its choice has won; keep the highest tide of all in top."""
    for g in range(choice.size):
        card = choice[g]
        first = best[g]
        next_best = second[g]
        lower = low[g]
        higher = high[g]
        old = shown[g]
        most = top[g]
        new = lower if card == first else old
        new = higher if card == next_best else new
        new = new if card != 0 else old
        shown[g] = new
        top[g] = max(most, new)


@row_kernel
def _weigh_losers(
    shown: Bytes,
    lives: NDArray[np.int8],
    asks: Bytes,
    top: Bytes,
    next_top: Bytes,
    losers: Bytes,
) -> None:
    """Find the highest tide below the top, and add up who is at the top.

    A player at the top who survives counts 1, one who does not 2.
    """
    for g in range(shown.size):
        level = shown[g]
        left = lives[g]
        asked = asks[g]
        highest = top[g]
        most = next_top[g]
        count = losers[g]
        next_top[g] = max(most, level if level < highest else np.uint8(0))
        weight = np.uint8(1) if left > 0 else np.uint8(2)
        loses = weight if (level == highest) & (asked != 0) else np.uint8(0)
        losers[g] = np.uint8(count + loses)


@row_kernel
def _find_next_highest(losers: Bytes, next_top: Bytes) -> None:
    """Leave the next highest level where its players lose a preserver too, elsewhere `NOBODY`.

    They do if it is above 0 and the highest stood alone and survives its loss.
    """
    for g in range(losers.size):
        level = next_top[g]
        count = losers[g]
        too = (count == 1) & (level != 0)
        next_top[g] = level if too else np.uint8(NOBODY)


@row_kernel
def _drown(
    asks: Bytes,
    top: Bytes,
    next_top: Bytes,
    shown: Bytes,
    lives: NDArray[np.int8],
    alive: Bytes,
    shown_again: Bytes,
    lives_again: NDArray[np.int8],
    alive_again: Bytes,
    highest: Bytes,
    living: Bytes,
) -> None:
    """Take a preserver where a seat's tide is among the highest, or its life if none is left."""
    for g in range(asks.size):
        asked = asks[g]
        first = top[g]
        too = next_top[g]
        level = shown[g]
        left = lives[g]
        lived = alive[g]
        most = highest[g]
        count = living[g]
        loses = asked if (level == first) | (level == too) else np.uint8(0)
        fatal = loses if left == 0 else np.uint8(0)
        left = np.int8(left - np.int8(loses ^ fatal))
        lived = np.uint8(lived ^ fatal)
        level = np.uint8(0) if fatal else level
        shown[g] = level
        lives[g] = left
        alive[g] = lived
        shown_again[g] = level
        lives_again[g] = left
        alive_again[g] = lived
        highest[g] = max(most, level)
        living[g] = np.uint8(count + lived)


@row_kernel
def _go_on(living: Bytes, end_at: np.uint8, hands: NDArray[np.uint16], running: Bytes) -> bool:
    """Count the hand, and end rounds with too few living; returns whether any goes on."""
    going_on = np.uint8(0)
    for g in range(living.size):
        was_on = running[g]
        count = living[g]
        played = hands[g]
        hands[g] = np.uint16(played + was_on)
        is_on = was_on if count > end_at else np.uint8(0)
        running[g] = is_on
        going_on = max(going_on, is_on)
    return bool(going_on)


@row_kernel
def _ask(running: Bytes, alive: Bytes, asks: Bytes) -> None:
    """Ask who lives in a running round."""
    for g in range(asks.size):
        asks[g] = running[g] & alive[g]


@row_kernel
def _score_kernel(
    shown: Bytes,
    lives: NDArray[np.int8],
    alive: Bytes,
    bonus: int,
    eliminated_too: bool,
    points: NDArray[np.int8],
    scores: NDArray[np.int16],
    scratch: Bytes,
) -> None:
    """Score a finished round: preservers left, or -1 if eliminated, and the lowest tide's bonus."""
    players, lanes = points.shape
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        lowest = scratch[0, : end - start]
        _fill(lowest, np.uint8(NEVER_LOWEST))
        for p in range(players):
            _find_lowest(shown[p, start:end], alive[p, start:end], eliminated_too, lowest)
        for p in range(players):
            _score(
                shown[p, start:end], lives[p, start:end], alive[p, start:end], lowest,
                np.int8(bonus), eliminated_too, points[p, start:end],
                scores[p, start:end], scores[players + p, start:end],
            )  # fmt: skip


@row_kernel
def _find_lowest(shown: Bytes, alive: Bytes, eliminated_too: bool, lowest: Bytes) -> None:
    """Take a seat's tide into the lowest that can have the bonus."""
    for g in range(shown.size):
        tide = shown[g]
        lived = alive[g]
        least = lowest[g]
        level = tide if (lived != 0) | eliminated_too else np.uint8(NEVER_LOWEST)
        lowest[g] = min(least, level)


@row_kernel
def _score(
    shown: Bytes,
    lives: NDArray[np.int8],
    alive: Bytes,
    lowest: Bytes,
    bonus: np.int8,
    eliminated_too: bool,
    points: NDArray[np.int8],
    scores: NDArray[np.int16],
    scores_again: NDArray[np.int16],
) -> None:
    """Score a seat's round."""
    for g in range(shown.size):
        tide = shown[g]
        least = lowest[g]
        left = lives[g]
        lived = alive[g]
        before = scores[g]
        kept = left if lived != 0 else np.int8(-1)
        gift = bonus if (tide == least) & ((lived != 0) | eliminated_too) else np.int8(0)
        won = np.int8(kept + gift)
        total = np.int16(before + won)
        points[g] = won
        scores[g] = total
        scores_again[g] = total


@kernel
def _seen_kernel(played: Masks, owner_shift: int, seen: Masks) -> None:
    """After a round: file each seat's played cards under the hand they belonged to."""
    players, lanes = seen.shape
    for p in range(players):
        owner = (p - owner_shift) % players
        for g in range(lanes):
            seen[owner, g] |= played[p, g]


@kernel
def _known_kernel(
    seat: int,
    round_number: int,
    dealt: Masks,
    seen: Masks,
    played: Masks,
    cards: Masks,
    known: Masks,
) -> None:
    """What ``seat`` knows of the hands now held, row 0 its own, then to the left.

    A hand that the seat held in an earlier round is known whole; of others, what was seen.
    """
    players, lanes = dealt.shape
    for g in range(lanes):
        known[0, g] = cards[g]
    for d in range(1, players):
        rival = (seat + d) % players
        owner = (rival - round_number) % players
        held_before = d <= round_number
        for g in range(lanes):
            source = dealt[owner, g] if held_before else seen[owner, g]
            known[d, g] = source & ~played[rival, g]


@kernel
def _round_sums_kernel(
    count: int,
    shift: int,
    points: NDArray[np.int8],
    given: NDArray[np.int8],
    printed: Bytes,
    lives: NDArray[np.int8],
    alive: Bytes,
    round_number: int,
    by_count: NDArray[np.int64],
    within: NDArray[np.int64],
    round_score: NDArray[np.int64],
    round_total_sq: NDArray[np.int64],
) -> None:
    """Add one round of the first ``count`` games to the fairness sums of their blocks."""
    players = points.shape[0]
    whole = np.int64(WHOLE_WIN)
    for g in range(count):
        block = g & (BLOCKS - 1)
        best = points[0, g]
        for p in range(1, players):
            best = max(best, points[p, g])
        tied = 0
        for p in range(players):
            tied += 1 if points[p, g] == best else 0
        win = whole // tied
        sum_count = np.int64(0)
        sum_points = np.int64(0)
        for p in range(players):
            owner = (p - shift) % players
            n = np.int64(printed[owner, g])
            y = np.int64(points[p, g])
            is_alive = alive[p, g] != 0
            base = np.int64(lives[p, g]) if is_alive else np.int64(-1)
            cell = by_count[block, n]
            cell[0] += 1
            cell[1] += y
            cell[2] += y * y
            cell[3] += 0 if is_alive else 1
            cell[4] += 1 if y != base else 0
            cell[5] += np.int64(given[owner, g]) - np.int64(lives[p, g])
            cell[6] += win if points[p, g] == best else 0
            sum_count += n
            sum_points += y
            round_score[block, p, round_number] += y
        within[block, 0] += sum_count * sum_count
        within[block, 1] += sum_count * sum_points
        round_total_sq[block] += sum_points * sum_points


@kernel
def _pairs_kernel(by_count: NDArray[np.int64], pairs: NDArray[np.int64]) -> None:
    """Sums over player-rounds of 1, L, L^2, Y and L * Y (L preservers, Y points), by count of L."""
    blocks, counts, _ = by_count.shape
    pairs[:] = 0
    for block in range(blocks):
        for n in range(counts):
            rounds = by_count[block, n, 0]
            points = by_count[block, n, 1]
            pairs[block, 0] += rounds
            pairs[block, 1] += n * rounds
            pairs[block, 2] += n * n * rounds
            pairs[block, 3] += points
            pairs[block, 4] += n * points


@kernel
def _hands_kernel(
    hands: NDArray[np.uint16],
    rounds: int,
    hands_sum: NDArray[np.int64],
    rounds_sum: NDArray[np.int64],
) -> None:
    """Add each game's hands and rounds to its block."""
    for start in range(0, hands.size, BLOCKS):
        size = min(BLOCKS, hands.size - start)
        chunk = hands[start : start + size]
        for b in range(size):
            hands_sum[b] += np.int64(chunk[b])
        for b in range(size):
            rounds_sum[b] += rounds


@kernel
def _game_sums_kernel(
    count: int,
    round_scores: NDArray[np.int8],
    dealt: Masks,
    hand_total_sq: NDArray[np.int64],
    table_total_sq: NDArray[np.int64],
    cards: NDArray[np.int64],
) -> None:
    """Add the sums that need all rounds of a game: by hand, by table, by card."""
    rounds, players, _ = round_scores.shape
    for g in range(count):
        block = g & (BLOCKS - 1)
        table = np.int64(0)
        for owner in range(players):
            total = np.int64(0)
            for r in range(rounds):
                total += np.int64(round_scores[r, (owner + r) % players, g])
            hand_total_sq[block] += total * total
            table += total
            rest = dealt[owner, g]
            while rest != 0:
                card = card_number(rest) - 1
                cards[block, card, 0] += rounds
                cards[block, card, 1] += total
                rest &= rest - np.uint64(1)
        table_total_sq[block] += table * table


# --- the game ------------------------------------------------------------------------------------


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


class RoundCalls(NamedTuple):
    """What is called in a round: what asks, by hand; what plays a hand; all of it together."""

    asking: list[list[Callable[[], Any]]]
    play_hand: Callable[[], int]
    whole: Program


class Table:
    """Workspace for one batch: the state of the module's table, and each seat's views of it."""

    def __init__(self, rules: Rules, players: int, lanes: int) -> None:
        self.rules = rules
        self.players = players
        self.lanes = lanes
        self.hands: int = rules["hands"]
        self.rounds: int = rules["rounds"]
        self.deck = np.arange(1, CARDS + 1, dtype=np.uint8)
        self.deck_tile = new_tile(self.deck.size)
        self.tide_deck = np.repeat(np.arange(1, rules["tide_max"] + 1, dtype=np.uint8), 2)
        self.tide_tile = new_tile(self.tide_deck.size)
        halves = rules["preservers"]
        self.planes = np.array(
            [sum(1 << c for c in range(CARDS) if halves[c] >> k & 1) for k in range(3)],
            np.uint64,
        )
        self.keys = rows(lanes, np.uint64)
        self.dealt = rows((players, lanes), np.uint64)
        self.printed = rows((players, lanes), np.uint8)
        self.given = rows((players, lanes), np.int8)
        self.scratch = rows((6, TILE), np.uint8)
        self.cards = tuple(rows(lanes, np.uint64) for _ in range(players))
        self.low = rows((self.hands, lanes), np.uint8)
        self.high = rows((self.hands, lanes), np.uint8)
        self.open_low = rows(lanes, np.uint8)
        self.open_high = rows(lanes, np.uint8)
        self.choice = tuple(rows(lanes, np.uint8) for _ in range(players))
        self.playing = rows(lanes, np.uint8)
        self.running = rows(lanes, np.uint8)
        self.asks = rows((players, lanes), np.uint8)
        self.shown = rows((2 * players, lanes), np.uint8)
        self.lives = rows((2 * players, lanes), np.int8)
        self.alive = rows((2 * players, lanes), np.uint8)
        self.preservers = rows((2 * players, lanes), np.int8)
        self.scores = rows((2 * players, lanes), np.int16)
        self.highest = rows(lanes, np.uint8)
        self.hands_played = rows(lanes, np.uint16)
        self.round_scores = rows((self.rounds, players, lanes), np.int8)
        self.wins = rows((players, lanes), np.uint8)
        self.words = rows(lanes, np.uint64)
        self.chance = _read_only(self.words)
        # Only filled where a strategy sees them.
        self.played = rows((2 * players, lanes), np.uint64)
        self.seen = rows((players, lanes), np.uint64)
        self.known = [rows((players, lanes), np.uint64) for _ in range(players)]
        self.views: dict[frozenset[str], list[list[list[View]]]] = {}
        self.calls: dict[tuple[tuple[Seat, ...], int], RoundCalls] = {}

    def calls_for(self, seats: Sequence[Seat], round_number: int) -> RoundCalls:
        """What is called in a round, by who plays in which place; made once, like the views."""
        key = tuple(seats), round_number
        if key not in self.calls:
            sees = frozenset().union(*(seat.strategy.sees for seat in seats))
            asking = [self._asking(seats, round_number, hand) for hand in range(self.hands)]
            play = self._play_hand(remembered=bool(sees))
            self.calls[key] = RoundCalls(
                asking, play, Program(chain.from_iterable((*asks, play) for asks in asking))
            )
        return self.calls[key]

    def _asking(
        self, seats: Sequence[Seat], round_number: int, hand: int
    ) -> list[Callable[[], Any]]:
        """Turn up the tide cards of a hand, and ask everybody."""
        calls: list[Callable[[], Any]] = [
            prepared(_open_kernel, self.low[hand], self.high[hand], self.open_low, self.open_high)
        ]
        for p, seat in enumerate(seats):
            sees, chance = seat.strategy.sees, None
            if seat.strategy.stochastic:
                counter = round_number << ROUND_SHIFT | hand
                calls.append(prepared(words, self.keys, PURPOSE_DECIDE + p, counter, self.words))
                chance = self.chance
            if "known" in sees:
                calls.append(
                    prepared(
                        _known_kernel, p, round_number, self.dealt, self.seen, self.played,
                        self.cards[p], self.known[p],
                    )
                )  # fmt: skip
            view = self.views_for(sees)[p][round_number][hand]
            calls.append(seat.question("card", view, chance, self.choice[p]))
        return calls

    def _play_hand(self, *, remembered: bool) -> Callable[[], int]:
        played = self.played if remembered else self.played[:, :0]
        return prepared(
            _hand_kernel, self.cards, self.choice, self.open_low, self.open_high,
            self.rules["drowning"] == "two-highest", self.rules["end_at"], self.running, self.asks,
            self.shown, self.lives, self.alive, self.highest, self.hands_played, played,
            self.scratch,
        )  # fmt: skip

    def views_for(self, sees: frozenset[str]) -> list[list[list[View]]]:
        """Views by seat, round and hand; made once, since they look at living arrays."""
        if sees not in self.views:
            self.views[sees] = [
                [
                    [self._new_view(p, r, hand, sees) for hand in range(self.hands)]
                    for r in range(self.rounds)
                ]
                for p in range(self.players)
            ]
        return self.views[sees]

    def _new_view(self, seat: int, round_number: int, hand: int, sees: frozenset[str]) -> View:
        around = slice(seat, seat + self.players)
        return View(
            active=_read_only(self.asks[seat]),
            cards=_read_only(self.cards[seat]),
            low=_read_only(self.open_low),
            high=_read_only(self.open_high),
            shown=_read_only(self.shown[around]),
            highest=_read_only(self.highest),
            lives=_read_only(self.lives[around]),
            alive=_read_only(self.alive[around]),
            preservers=_read_only(self.preservers[around]),
            scores=_read_only(self.scores[around]),
            played=_read_only(self.played[around]) if "played" in sees else None,
            known=_read_only(self.known[seat]) if "known" in sees else None,
            players=self.players,
            rounds=self.rounds,
            hands=self.hands,
            round=round_number,
            hand=hand,
            cards_left=self.rules["hand_size"] - hand,
            tide_max=self.rules["tide_max"],
        )


class TurnTheTide(Game):
    """What the game is and brings; see `analyzer.contracts.Game`."""

    name = "turnthetide"
    title = "Turn the Tide"
    question = "Is the life-preserver distribution fair?"
    min_players = 2
    max_players = 6
    default_players = 4
    settings = SETTINGS
    decisions = (
        Decision(
            "card",
            np.uint8,
            "once a hand: the number (1..60) of the weather card to play",
        ),
    )
    families = ()
    sees = ("played", "known")
    metrics = (Metric("hands_per_round", "hands", "rounds", "hands played until a round ended"),)
    headline = ("games", "wins", "wins_sq", "pairs")
    default_strategy = "random"
    games_per_lane = 1

    @property
    def study(self) -> Any:
        """What is asked of it; loaded when it is asked for."""
        from analyzer.games.turnthetide import study

        return study.STUDY

    def narrator(self, seats: Sequence[str]) -> Narrator:
        """Who tells its games in words; loaded when it is asked for."""
        from analyzer.games.turnthetide import narrator

        return narrator.Narrator(seats)

    @property
    def baseline(self) -> Baseline:
        """The game in plain Python; loaded when it is asked for."""
        from analyzer.games.turnthetide import baseline

        return baseline

    def check_rules(self, rules: dict[str, Any], players: int) -> None:
        """Refuse more cards than there are, more hands than cards, and ends before the start."""
        dealt = players * rules["hand_size"]
        if dealt > CARDS:
            raise RulesError(
                f"hand_size = {rules['hand_size']} with {players} players needs {dealt} weather "
                f"cards, but there are {CARDS}; hand_size may be at most {CARDS // players}."
            )
        if rules["hands"] > rules["hand_size"]:
            raise RulesError(
                f"hands = {rules['hands']} is more than hand_size = {rules['hand_size']}; "
                "a player cannot play more hands than cards: lower hands or raise hand_size."
            )
        if rules["hands"] > rules["tide_max"]:
            raise RulesError(
                f"hands = {rules['hands']} needs {2 * rules['hands']} tide cards, but tide_max = "
                f"{rules['tide_max']} gives {2 * rules['tide_max']}; raise tide_max or lower hands."
            )
        if rules["end_at"] >= players:
            raise RulesError(
                f"end_at = {rules['end_at']} would end every round of {players} players before it "
                f"begins; it may be at most {players - 1}."
            )

    def most_preservers(self, rules: Rules) -> int:
        """Most whole preservers that a hand can have printed on it."""
        return int(sum(sorted(rules["preservers"])[-rules["hand_size"] :]) // 2)

    def _given(self, rules: Rules) -> int | None:
        """The number every hand gets, or None if it is the printed one."""
        allocation: str = rules["allocation"]
        if allocation == "printed":
            return None
        return 0 if allocation == "none" else int(allocation.partition(":")[2])

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Lowest and highest final score that the rules allow."""
        flat = self._given(rules)
        most = self.most_preservers(rules) if flat is None else flat
        return -rules["rounds"], rules["rounds"] * (most + rules["bonus"])

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums (see `docs/statistics.md` for what each is for)."""
        shapes: dict[str, tuple[int, ...]] = {"hands": (), "rounds": ()}
        if detail == "fairness":
            shapes |= {
                "by_count": (self.most_preservers(rules) + 1, 7),
                "pairs": (5,),
                "within": (2,),
                "round_score": (players, rules["rounds"]),
                "hand_total_sq": (),
                "round_total_sq": (),
                "table_total_sq": (),
                "cards": (CARDS, 2),
            }
        return shapes

    def table(self, rules: Rules, players: int, lanes: int) -> Table:
        """Workspace for batches of up to ``lanes`` games in step."""
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
        """Play the given games; lanes beyond them idle along."""
        t = table
        count = games.size
        self.deal(t, seed, games)
        for r in range(t.rounds):
            self.shuffle_tides(t, r)
            self.play_round(t, r, games, seats, watch)
            if "by_count" in tally:
                self._add_round(t, r, count, tally)
        share_wins(t.scores[: t.players], t.wins)
        _hands_kernel(t.hands_played[:count], t.rounds, tally["hands"], tally["rounds"])
        if "by_count" in tally:
            _pairs_kernel(tally["by_count"], tally["pairs"])
            _game_sums_kernel(
                count,
                t.round_scores,
                t.dealt,
                tally["hand_total_sq"],
                tally["table_total_sq"],
                tally["cards"],
            )
        return Outcome(games, t.wins[:, :count], t.scores[: t.players, :count])

    def deal(self, t: Table, seed: int, games: NDArray[np.uint64]) -> None:
        """Deal a batch: everything that is settled before the first round."""
        lane_games = np.resize(games, t.lanes)
        game_keys(seed, lane_games, t.keys)
        _deal_kernel(
            t.keys, t.deck, t.rules["hand_size"], t.planes, t.deck_tile, t.dealt, t.printed
        )
        self._begin(t, games.size)

    def lay_cards(self, t: Table, cards: Bytes) -> None:
        """Deal given cards (P * hand_size, N) instead, seat by seat, for laid positions."""
        _gather(cards, t.rules["hand_size"], t.planes, t.dealt, t.printed, 0, t.lanes)
        self._begin(t, t.lanes)

    def lay_tides(self, t: Table, cards: Bytes) -> None:
        """Lay given tide cards (2 * hands, N) for the next round, for laid positions."""
        _sort_pairs(cards, t.low, t.high, 0, t.lanes)

    def _begin(self, t: Table, count: int) -> None:
        """Set up the first ``count`` lanes, whose hands are dealt."""
        flat = self._given(t.rules)
        t.given[:] = t.printed if flat is None else flat
        t.playing[:count] = 1
        t.playing[count:] = 0
        t.scores[:] = 0
        t.hands_played[:] = 0

    def shuffle_tides(self, t: Table, round_number: int) -> None:
        """Shuffle the tide cards of a round."""
        _tides_kernel(t.keys, round_number << ROUND_SHIFT, t.tide_deck, t.tide_tile, t.low, t.high)

    def play_round(
        self,
        t: Table,
        round_number: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        watch: Watcher | None = None,
    ) -> None:
        """Play one round with the hands dealt and the tides laid."""
        _start_kernel(
            t.dealt, t.given, round_number, t.playing, t.cards, t.running, t.asks,
            t.shown, t.lives, t.alive, t.preservers, t.highest,
        )  # fmt: skip
        remembered = any(seat.strategy.sees for seat in seats)
        if remembered:
            t.played[:] = 0
            if round_number == 0:
                t.seen[:] = 0
        calls = t.calls_for(seats, round_number)
        if watch is None:
            stop = calls.whole()
            if stop is not None and stop.value == ILLEGAL:
                # As many calls as ask in each hand, and one that plays it.
                hand = stop.call // (1 + len(calls.asking[0]))
                self._report_illegal(t, seats, round_number, hand, games)
        else:
            self._show_round(t, calls, round_number, seats, games, watch)
        if remembered:
            _seen_kernel(t.played, round_number, t.seen)
        _score_kernel(
            t.shown,
            t.lives,
            t.alive,
            t.rules["bonus"],
            t.rules["eliminated_may_take_bonus"],
            t.round_scores[round_number],
            t.scores,
            t.scratch,
        )
        if watch is not None:
            watch("score", self._score_facts(t, round_number))

    def _show_round(
        self,
        t: Table,
        calls: RoundCalls,
        round_number: int,
        seats: Sequence[Seat],
        games: NDArray[np.uint64],
        watch: Watcher,
    ) -> None:
        """Play a round hand by hand, telling ``watch``."""
        watch("round", self._round_facts(t, round_number))
        for hand, asking in enumerate(calls.asking):
            for ask in asking:
                ask()
            watch("cards", self._choice_facts(t, hand))
            over = calls.play_hand()
            if over == ILLEGAL:
                self._report_illegal(t, seats, round_number, hand, games)
            watch("hand", self._hand_facts(t, hand))
            if over:
                break

    def _report_illegal(
        self,
        t: Table,
        seats: Sequence[Seat],
        round_number: int,
        hand: int,
        games: NDArray[np.uint64],
    ) -> None:
        """Say which game saw the first illegal card of this hand, and what was legal."""
        for g in range(games.size):
            for p, seat in enumerate(seats):
                if not t.asks[p, g]:
                    continue
                # What was chosen has left the hand in some lanes; in others it was still to be.
                card, held = int(t.choice[p][g]), int(t.cards[p][g])
                dealt = int(t.dealt[(p - round_number) % t.players, g])
                if dealt.bit_count() - held.bit_count() > hand:
                    held |= 1 << (card - 1 & 63)
                if card not in _cards_of(held):
                    legal = ", ".join(str(c) for c in _cards_of(held))
                    raise StrategyFailed(
                        seat.strategy.spec,
                        int(games[g]),
                        f"round {round_number + 1}, hand {hand + 1}, seat {p + 1}",
                        f"it chose card {card}, but its hand was {legal}; a hook must write one of "
                        "the seat's remaining cards to out for every active column.",
                    )
        raise RuntimeError("a card was found to be illegal that nobody has chosen")

    def _add_round(self, t: Table, round_number: int, count: int, tally: Tally) -> None:
        _round_sums_kernel(
            count,
            round_number,
            t.round_scores[round_number],
            t.given,
            t.printed,
            t.lives,
            t.alive,
            round_number,
            tally["by_count"],
            tally["within"],
            tally["round_score"],
            tally["round_total_sq"],
        )

    # What a single game looks like, for telling it step by step (lane 0).

    def _round_facts(self, t: Table, round_number: int) -> dict[str, Any]:
        return {
            "round": round_number + 1,
            "hands": [_cards_of(int(t.cards[p][0])) for p in range(t.players)],
            "lives": t.lives[: t.players, 0].tolist(),
        }

    def _choice_facts(self, t: Table, hand: int) -> dict[str, Any]:
        return {
            "hand": hand + 1,
            "low": int(t.low[hand, 0]),
            "high": int(t.high[hand, 0]),
            "cards": [int(t.choice[p][0] * t.asks[p, 0]) for p in range(t.players)],
        }

    def _hand_facts(self, t: Table, hand: int) -> dict[str, Any]:
        n = t.players
        return {
            "hand": hand + 1,
            "shown": t.shown[:n, 0].tolist(),
            "lives": t.lives[:n, 0].tolist(),
            "alive": [bool(a) for a in t.alive[:n, 0]],
            "goes_on": bool(t.running[0]),
        }

    def _score_facts(self, t: Table, round_number: int) -> dict[str, Any]:
        return {
            "round": round_number + 1,
            "points": t.round_scores[round_number, :, 0].tolist(),
            "scores": t.scores[: t.players, 0].tolist(),
        }


def _cards_of(mask: int) -> list[int]:
    return [c for c in range(1, CARDS + 1) if mask >> (c - 1) & 1]


GAME = TurnTheTide()
