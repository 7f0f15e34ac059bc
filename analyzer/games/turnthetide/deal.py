"""The deal, and whose hand is whose in a round."""

from __future__ import annotations

import numpy as np

from analyzer.games.turnthetide.state import Board, Bytes, Deal, Decks, Masks, State
from analyzer.kernels.bits import card_bit, count_cards
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.random import TILE as SHUFFLE_TILE
from analyzer.kernels.random import shuffle_tile
from analyzer.kernels.rows import copy, fill


@row_kernel
def deal_kernel(deal: Deal, decks: Decks, size: int, purpose: int) -> None:
    """Shuffle and deal: hands of ``size`` cards, and the whole preservers printed on them."""
    keys, deck, tile = deal.keys, decks.weather, decks.weather_tile
    count = deal.dealt.shape[0] * size
    for start in range(0, keys.size, SHUFFLE_TILE):
        end = min(start + SHUFFLE_TILE, keys.size)
        shuffle_tile(keys[start:end], purpose, int(np.int64(0)), deck, count, tile)
        gather(deal, tile, size, decks.halves, start, end)


@row_kernel
def gather(deal: Deal, cards: Bytes, size: int, halves: Masks, start: int, end: int) -> None:
    """Gather cards (P * size, n) into the hands of lanes start to end - 1; add up preservers."""
    for p in range(deal.dealt.shape[0]):
        hand = deal.dealt[p, start:end]
        fill(hand, np.uint64(0))
        for k in range(size):
            _add_card(hand, cards[p * size + k])
        _count_preservers(hand, halves[0], halves[1], halves[2], deal.printed[p, start:end])


@row_kernel
def redeal_kernel(
    deal: Deal, kept: Masks, seat: int, decks: Decks, size: int, purpose: int
) -> None:
    """Deal anew around the hands ``kept`` (N,) of one seat: their cards stay where they are."""
    keys, deck, tile = deal.keys, decks.weather, decks.weather_tile
    players = deal.dealt.shape[0]
    for start in range(0, keys.size, SHUFFLE_TILE):
        end = min(start + SHUFFLE_TILE, keys.size)
        # At most ``size`` of so many cards are kept ones, so there are enough for the others.
        shuffle_tile(keys[start:end], purpose, int(np.int64(0)), deck, players * size, tile)
        _deal_around(deal.dealt, kept, seat, tile, size, start, end)
        for p in range(players):
            _count_preservers(
                deal.dealt[p, start:end], decks.halves[0], decks.halves[1], decks.halves[2],
                deal.printed[p, start:end],
            )  # fmt: skip


@row_kernel
def _deal_around(
    dealt: Masks, kept: Masks, seat: int, cards: Bytes, size: int, start: int, end: int
) -> None:
    players = dealt.shape[0]
    for g in range(start, end):
        for p in range(players):
            dealt[p, g] = np.uint64(0)
        held = kept[g]
        dealt[seat, g] = held
        given = 0
        for k in range(players * size):
            bit = card_bit(cards[k, g - start])
            if (held & bit) == np.uint64(0) and given < (players - 1) * size:
                p = given // size
                p += 1 if p >= seat else 0
                dealt[p, g] |= bit
                given += 1


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


def begin(state: State, count: int, equal: int | None) -> None:
    """Set up the first ``count`` games, whose hands are dealt.

    ``equal`` is the number of preservers that every hand gets, or None for the printed one.
    """
    state.deal.given[:] = state.deal.printed if equal is None else equal
    state.deal.playing[:count] = 1
    state.deal.playing[count:] = 0
    state.scores.total[:] = 0
    state.board.hands_played[:] = 0


@row_kernel
def start_kernel(deal: Deal, board: Board, round_number: int) -> None:
    """Set up a round: seat p plays the hand first dealt to seat ``p - round_number``."""
    players = deal.dealt.shape[0]
    for row in range(2 * players):
        given = deal.given[(row - round_number) % players]
        fill(board.shown[row], np.uint8(0))
        fill(board.alive[row], np.uint8(1))
        copy(given, board.lives[row])
        copy(given, board.preservers[row])
    for p in range(players):
        copy(deal.dealt[(p - round_number) % players], board.cards[p])
        copy(deal.playing, board.asks[p])
    copy(deal.playing, board.running)
    fill(board.highest, np.uint8(0))
