"""A starfish: everybody with cards passes one of them on, all at once."""

from __future__ import annotations

import numpy as np

from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.state import (
    MONSTER_ALONE,
    NO_MONSTER,
    ONE,
    OUT_OF_CARDS,
    STARFISH_LEFT,
    Bytes,
    Lists,
    Passes,
    Piles,
    Scratch,
    Shorts,
    State,
    find_cells,
)
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.random import GAMMA, mix64
from analyzer.kernels.rows import fill, gather, scatter


@row_kernel
def show_hands(
    facts: Piles, state: State, shell_card: Bytes, lists: Lists, passes: Passes, scratch: Scratch
) -> None:
    """Fill columns for the lanes in which a starfish came up, each seat's by itself.

    Of the ``widths`` of columns those beyond ``counts`` do not ask.
    """
    players, lanes = state.hands.shape
    hands = state.hands.reshape(-1)
    number = lists.counts[at.STARFISH]
    width = lists.widths[at.STARFISH]
    listed = lists.lanes[at.STARFISH, :width]
    listed[number:] = listed[0]
    mover = passes.movers[:width]
    gather(state.seat, listed, mover)
    gather(shell_card, listed, passes.card[:width])
    for p in range(players):
        where = passes.cells[p, :width]
        hand = passes.hands[p][:width]
        find_cells(mover, p, players, listed, lanes, where)
        gather(hands, where, hand)
        active = passes.active[p, :width]
        _find_holders(hand, active)
        fill(active[number:], np.uint8(0))
    for start in range(0, width, at.TILE):
        end = min(start + at.TILE, width)
        key, turn = scratch.wide[0, : end - start], scratch.short[: end - start]
        gather(state.keys, listed[start:end], key)
        gather(state.turn, listed[start:end], turn)
        for p in range(players):
            if passes.wants[p]:
                first_word = facts[at.DECISION_WORDS] + (np.uint64(p) << np.uint64(48))
                _seat_words(key, turn, first_word, passes.words[p, start:end])


@row_kernel
def pass_cards(hands: Piles, ended: Bytes, lists: Lists, passes: Passes, scratch: Scratch) -> int:
    """Pass everybody's chosen card at once, and see which of these games are over.

    Lanes whose game is over are appended to their list. Returns whether an answer is illegal; then
    nothing has been done in its tile and those after it.
    """
    players = hands.shape[0]
    flat = hands.reshape(-1)
    number = lists.counts[at.STARFISH]
    over = np.uint64(lists.counts[at.OVER])
    for start in range(0, number, at.TILE):
        end = min(start + at.TILE, number)
        alone = scratch.narrow[0, : end - start]
        after = scratch.wide[players, : end - start]
        foul = False
        for p in range(players):
            foul |= _choose(
                passes.hands[p][start:end], passes.answers[p][start:end],
                passes.active[p, start:end], scratch.wide[p, : end - start],
            )  # fmt: skip
        if foul:
            return 1
        fill(alone, np.uint8(0))
        for p in range(players):
            _exchange(
                passes.hands[p][start:end], scratch.wide[p, : end - start],
                scratch.wide[(p + players - 1) % players, : end - start],
                scratch.wide[(p + 1) % players, : end - start], passes.card[start:end], after,
                alone,
            )  # fmt: skip
            scatter(after, passes.cells[p, start:end], flat)
        # Hand sizes stay: where somebody had nothing to pass, the game is over.
        for c in range(start, end):
            g = lists.lanes[at.STARFISH, c]
            why = ended[g]
            lonely = (alone[c - start] != 0) & (why != OUT_OF_CARDS)
            why = np.uint8(MONSTER_ALONE) if lonely else why
            ended[g] = why
            lists.lanes[at.OVER, over] = g
            over += np.uint64(why != 0)
    lists.counts[at.OVER] = np.int64(over)
    return 0


@row_kernel
def _find_holders(hand: Piles, asked: Bytes) -> None:
    for c in range(hand.size):
        asked[c] = np.uint8(hand[c] != 0)


@row_kernel
def _seat_words(keys: Piles, turn: Shorts, first_word: np.uint64, words: Piles) -> None:
    """A seat's words for passing a card, when the turn is counted already."""
    for c in range(words.size):
        number = first_word + ((np.uint64(turn[c]) - ONE) << np.uint64(8)) + np.uint64(at.PASS)
        words[c] = mix64(keys[c] + number * GAMMA)


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
