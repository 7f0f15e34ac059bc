"""A hand, once everybody has chosen a card: tides go out, preservers are lost, players drown.

What loops over games takes rows and no state, for it is called with those of one seat and one tile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.games.turnthetide.rules import CARDS
from analyzer.games.turnthetide.state import (
    ILLEGAL,
    NOBODY,
    OVER,
    TILE,
    Board,
    Bytes,
    Masks,
    SignedBytes,
)
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.rows import fill


@row_kernel
def hand_kernel(board: Board, two_highest: bool, end_at: int) -> int:
    """Play out one hand; returns 0, or `OVER` if no round goes on, or `ILLEGAL`.

    Tile by tile: take the chosen cards, hand out the tide cards, take preservers and eliminate.
    """
    players, lanes = board.asks.shape
    asks, shown, lives, alive = board.asks, board.shown, board.lives, board.alive
    going_on = False
    for start in range(0, lanes, TILE):
        end = min(start + TILE, lanes)
        size = end - start
        best = board.scratch[0, :size]
        second = board.scratch[1, :size]
        top = board.scratch[2, :size]
        next_top = board.scratch[3, :size]
        losers = board.scratch[4, :size]
        living = board.scratch[5, :size]
        fill(best, np.uint8(0))
        fill(second, np.uint8(0))
        legal = True
        for p in range(players):
            card = board.choice[p][start:end]
            legal &= _find_leaders(asks[p, start:end], card, best, second)
            legal &= _take(board.cards[p][start:end], card)
        if not legal:
            return ILLEGAL
        low = board.low[start:end]
        high = board.high[start:end]
        fill(top, np.uint8(0))
        for p in range(players):
            card = board.choice[p][start:end]
            _hand_out(card, best, second, low, high, shown[p, start:end], top)
        if two_highest:
            fill(next_top, np.uint8(0))
            fill(losers, np.uint8(0))
            for p in range(players):
                _weigh_losers(
                    shown[p, start:end], lives[p, start:end], asks[p, start:end], top,
                    next_top, losers,
                )  # fmt: skip
            _find_next_highest(losers, next_top)
        else:
            fill(next_top, np.uint8(NOBODY))
        highest = board.highest[start:end]
        fill(highest, np.uint8(0))
        fill(living, np.uint8(0))
        for p in range(players):
            again = players + p
            _drown(
                asks[p, start:end], top, next_top, shown[p, start:end], lives[p, start:end],
                alive[p, start:end], shown[again, start:end], lives[again, start:end],
                alive[again, start:end], highest, living,
            )  # fmt: skip
        running = board.running[start:end]
        going_on |= _go_on(living, np.uint8(end_at), board.hands_played[start:end], running)
        for p in range(players):
            _ask(running, alive[p, start:end], asks[p, start:end])
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
    shown: Bytes, lives: SignedBytes, asks: Bytes, top: Bytes, next_top: Bytes, losers: Bytes
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
    lives: SignedBytes,
    alive: Bytes,
    shown_again: Bytes,
    lives_again: SignedBytes,
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
