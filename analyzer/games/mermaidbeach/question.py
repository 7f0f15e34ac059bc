"""Actions are taken, questions put, and a card drawn where nobody gives one."""

from __future__ import annotations

import numpy as np

from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.actions import SOME_HAND, keep_where
from analyzer.games.mermaidbeach.beach import draw_card, recycle
from analyzer.games.mermaidbeach.state import (
    ASK,
    IDLE,
    ITEMS,
    KINDS,
    MEAN,
    MERFOLK,
    NONE,
    ONE,
    SEAWEED,
    WAVE,
    Asked,
    Bytes,
    Piles,
    Shorts,
    Shown,
    State,
    Turn,
)
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.piles import has
from analyzer.kernels.random import GAMMA, mix64
from analyzer.kernels.rows import fill, merge


@row_kernel
def ask(facts: Piles, state: State, now: Turn, asked: Asked, narrow: Bytes) -> int:
    """Take everybody's action and let those ask whose action it is.

    Fills ``action``, ``question``, ``met``, ``drawn`` and ``offer``, and draws cards into the hand.
    ``narrow`` is scratch. Returns whether an answer is illegal; then nothing has been done in its
    tile and those after it.
    """
    players, lanes = state.hands.shape
    for start in range(0, lanes, at.TILE):
        end = min(start + at.TILE, lanes)
        kind = narrow[0, : end - start]
        who = narrow[1, : end - start]
        need = narrow[2, : end - start]
        matches = narrow[3, : end - start]
        hand, left = state.hands[0, start:end], state.beach_left[start:end]
        action, question = now.action[start:end], now.question[start:end]
        met, drawn, offer = now.met[start:end], now.drawn[start:end], now.offer[start:end]
        fill(action, np.uint8(IDLE))
        fill(question, np.uint8(0))
        for i in range(asked.active.shape[1]):
            _take_action(
                asked.answers[at.ACTION, i, start:end],
                asked.active[at.ACTION, i, start:end],
                action,
            )
            _take_question(
                asked.answers[at.QUESTION, i, start:end], asked.active[at.QUESTION, i, start:end],
                action, question,
            )  # fmt: skip
        split_question(question, kind, who)
        if _is_foul(hand, now.actions[start:end], action, kind, who, np.uint8(players)):
            return 1
        fill(met, np.uint8(0))
        for d in range(1, players):
            _look_for(state.hands[d, start:end], kind, who, np.uint8(d), met)
        _count_questions(who, met, state.asks[start:end], state.asks_met[start:end])
        if state.asks_by_seat.size:
            asks, asks_met = state.asks_by_seat[0, start:end], state.asks_by_seat[1, start:end]
            _count_by_seat(who, met, state.seat[start:end], asks, asks_met)
        if _find_drawing(who, met, left, need):
            for g in range(need.size):
                if need[g] and not left[g]:
                    recycle(facts[at.BEACH_PILE], state, start + g)
                    need[g] = np.uint8(left[g] != 0)
        draw_card(
            need, state.keys[start:end], left, state.recycled[start:end],
            facts[at.BEACH_WORDS] + facts[at.BEACH_CARDS], state.beach_deck[start:end],
            hand, drawn, matches,
        )  # fmt: skip
        _count_cards(need, left, state.sizes[0, start:end])
        if facts[at.PLAY_AT_BEACH]:
            _find_offers(drawn, matches, now.rivals[start:end], offer)
        else:
            fill(offer, np.uint8(0))
    return 0


@row_kernel
def show_drawn(
    group: int, facts: Piles, state: State, now: Turn, asked: Asked, shown: Shown
) -> None:
    """Show the cards drawn to a group that wants to be asked whether to play them."""
    active = asked.active[at.BEACH, group]
    keep_where(asked.active[at.ACTION, group], now.offer, active)
    _show_hand(active, state.hands[0], shown.hand[group])
    _show_card(active, now.drawn, shown.card)
    if shown.wants[at.BEACH]:
        first_word = facts[at.DECISION_WORDS] + np.uint64(at.BEACH)
        _word_for_card(state.keys, state.seat, state.turn, first_word, shown.words[at.BEACH])


@row_kernel
def play_drawn(group: int, offer: Bytes, asked: Asked) -> int:
    """Play the cards drawn where a group says so; returns whether an answer is illegal."""
    return int(merge(asked.active[at.BEACH, group], asked.answers[at.BEACH, group], offer) > 1)


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
def split_question(question: Bytes, kind: Bytes, who: Bytes) -> None:
    """Kind of item and number of the opponent in questions, both 0 where nobody is asked."""
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
def _show_hand(asked: Bytes, hand: Piles, shown: Piles) -> None:
    for g in range(asked.size):
        mine = asked[g]
        cards = hand[g]
        shown[g] = cards if mine else SOME_HAND


@row_kernel
def _show_card(asked: Bytes, drawn: Bytes, shown: Bytes) -> None:
    for g in range(asked.size):
        mine = asked[g]
        card = drawn[g]
        shown[g] = card if mine else np.uint8(0)


@row_kernel
def _word_for_card(
    keys: Piles, seat: Bytes, turn: Shorts, first_word: np.uint64, words: Piles
) -> None:
    for g in range(words.size):
        number = first_word + (np.uint64(seat[g]) << np.uint64(48))
        number += np.uint64(turn[g]) << np.uint64(8)
        words[g] = mix64(keys[g] + number * GAMMA)
