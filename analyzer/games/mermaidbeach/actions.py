"""Before a turn: what the player to move can do, and what the groups of seats are shown of it."""

from __future__ import annotations

import numpy as np

from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.state import (
    ASK,
    ITEMS,
    MEAN,
    MERFOLK,
    ONE,
    SEAWEED,
    WAVE,
    Asked,
    Bytes,
    Piles,
    Scratch,
    Shorts,
    Shown,
    State,
    Turn,
)
from analyzer.kernels.compilation import kernel, row_kernel
from analyzer.kernels.piles import held, held_twice
from analyzer.kernels.random import GAMMA, mix64
from analyzer.kernels.rows import copy, fill

SOME_HAND = np.uint64(1)
"""What columns that are not asked show as the hand: one item of kind 0."""
SOME_ACTIONS = ONE << np.uint64(4 * ASK)
"""And what can be done with it."""


@row_kernel
def prepare_turn(
    facts: Piles, state: State, now: Turn, asked: Asked, shown: Shown, scratch: Scratch
) -> None:
    """Derive what a turn needs: what can be played, who is asked and sees what, and chance."""
    players, lanes = state.hands.shape
    for start in range(0, lanes, at.TILE):
        end = min(start + at.TILE, lanes)
        joined = scratch.wide[0, : end - start]
        can_ask = scratch.narrow[0, : end - start]
        hand, seat = state.hands[0, start:end], state.seat[start:end]
        actions = now.actions[start:end]
        copy(state.shells[1, start:end], joined)
        for d in range(2, players):
            _join(state.shells[d, start:end], joined)
        _find_actions(hand, joined, facts[at.ASK_FREELY], actions, now.rivals[start:end], can_ask)
        for i in range(shown.members.shape[0]):
            acts = asked.active[at.ACTION, i, start:end]
            _find_acting(seat, state.live[start:end], shown.members[i], acts)
            _note_group(acts, np.uint8(i), now.group[start:end])
            keep_where(acts, can_ask, asked.active[at.QUESTION, i, start:end])
            _show(acts, hand, actions, shown.hand[i][start:end], shown.playable[i][start:end])
        if shown.wants[at.ACTION] | shown.wants[at.QUESTION]:
            _two_words(
                state.keys[start:end], seat, state.turn[start:end], facts[at.DECISION_WORDS],
                shown.words[at.ACTION, start:end], shown.words[at.QUESTION, start:end],
            )  # fmt: skip


@kernel
def playable(hand: np.uint64, rivals: np.uint64, ask_freely: np.uint64) -> np.uint64:
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
def _join(pile: Piles, joined: Piles) -> None:
    for g in range(joined.size):
        joined[g] |= pile[g]


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
        able = playable(hand[g], near, freely)
        actions[g] = able
        rivals[g] = np.uint8(near)
        can_ask[g] = np.uint8(able >> np.uint64(4 * ASK))


@row_kernel
def _find_acting(seat: Bytes, live: Bytes, members: Bytes, acts: Bytes) -> None:
    """Mark the living lanes in which a member's seat is to move."""
    fill(acts, np.uint8(0))
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
def keep_where(one: Bytes, other: Bytes, both: Bytes) -> None:
    """Mark where both rows have a mark."""
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
def _two_words(
    keys: Piles, seat: Bytes, turn: Shorts, first_word: np.uint64, first: Piles, second: Piles
) -> None:
    """Words for a turn's first two decisions; ``first_word`` is the number of the first of all."""
    for g in range(keys.size):
        number = first_word + (np.uint64(seat[g]) << np.uint64(48))
        number += np.uint64(turn[g]) << np.uint64(8)
        before = keys[g] + number * GAMMA
        first[g] = mix64(before)
        second[g] = mix64(before + GAMMA)
