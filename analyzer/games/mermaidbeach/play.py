"""A card is played, its shell card drawn, and the turn goes on to the next player."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.question import split_question
from analyzer.games.mermaidbeach.state import (
    ASK,
    KINDS,
    MEAN,
    MERFOLK,
    MONSTER_ALONE,
    NO_MONSTER,
    NONE,
    NOTHING,
    ONE,
    OUT_OF_CARDS,
    SEAWEED,
    STARFISH_LEFT,
    UNFINISHED,
    WAVE,
    Bytes,
    Counts,
    Lists,
    Piles,
    Scratch,
    Shorts,
    State,
    Turn,
)
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.piles import place_of
from analyzer.kernels.random import GAMMA, bounded, mix64
from analyzer.kernels.rows import copy


@row_kernel
def play_card(facts: Piles, state: State, now: Turn, lists: Lists, scratch: Scratch) -> None:
    """Play the card of each turn, draw its shell card, and give the turn to the next player.

    Fills ``played``, ``shell_card``, ``ended``, as far as no starfish decides it, and
    ``left_to_do``. Then these lists have the lanes where a card was aimed at an opponent, first
    those of seaweed by group, then the others; of the other ones, where a starfish came up, or else
    the game is over.
    """
    players, lanes = state.hands.shape
    hands, shells, sizes = state.hands, state.shells, state.sizes
    groups = (lists.counts.size - at.AIMED) // 2
    listed = lists.lanes[at.FOUND]
    found = np.uint64(0)
    for start in range(0, lanes, at.TILE):
        end = min(start + at.TILE, lanes)
        width = end - start
        kind, who = scratch.narrow[0, :width], scratch.narrow[1, :width]
        leaving, stays = scratch.narrow[2, :width], scratch.narrow[3, :width]
        alone, empty = scratch.narrow[4, :width], scratch.narrow[5, :width]
        cards = scratch.narrow[6, :width]
        mine, before = scratch.wide[0, :width], scratch.wide[1, :width]
        met, card, todo = now.met[start:end], now.played[start:end], now.left_to_do[start:end]
        shell_card, ended = now.shell_card[start:end], now.ended[start:end]
        split_question(now.question[start:end], kind, who)
        _find_played(
            now.action[start:end], kind, met, now.drawn[start:end], now.offer[start:end], card,
            leaving, stays,
        )  # fmt: skip
        # Merfolk and pairs draw a shell card. Then everybody's row moves up.
        _draw_shell(
            state.keys[start:end], facts[at.SHELL_WORDS] + facts[at.SHELL_CARDS], card,
            state.shell_left[start:end],
            state.shell_deck[start:end], shells[0, start:end], mine, shell_card,
        )  # fmt: skip
        _move_up(mine, shells[1, start:end], stays, shells[0, start:end])
        for d in range(1, players - 1):
            _move_up_in_place(shells[d + 1, start:end], stays, shells[d, start:end])
        _move_up_in_place(mine, stays, shells[players - 1, start:end])
        # The card played leaves the hand, the card that was asked for its owner's.
        _leave(hands[0, start:end], card, leaving, mine, before, alone)
        for d in range(1, players):
            _give_and_move_up(
                hands[d, start:end], kind, who, met, np.uint8(d), stays, before,
                hands[d - 1, start:end], alone,
            )  # fmt: skip
        _move_up(before, mine, stays, hands[players - 1, start:end])
        _lose(sizes[0, start:end], leaving, cards, empty)
        copy(cards, leaving)
        for d in range(1, players):
            _give_and_move_up_sizes(
                sizes[d, start:end], who, met, np.uint8(d), stays, cards,
                sizes[d - 1, start:end], empty,
            )  # fmt: skip
        _move_up(cards, leaving, stays, sizes[players - 1, start:end])
        turn = state.turn[start:end]
        _pass_turn(stays, np.uint8(players), state.seat[start:end], turn)
        _find_ended(turn, np.uint16(facts[at.MAX_TURNS]), shell_card, alone, empty, ended)
        _find_left_to_do(
            state.live[start:end], card, now.rivals[start:end], shell_card, ended,
            now.group[start:end], np.uint8(groups), todo,
        )  # fmt: skip
        for g in range(width):
            listed[found] = np.uint32(start + g)
            found += np.uint64(todo[g] != NONE)
    _sort_out(found, now.left_to_do, lists)


@row_kernel
def count_misfits(counts: Counts, fewest: Counts, most: Counts) -> int:
    """How many of the lists to ask for are shorter or longer than fits the columns."""
    misfits = 0
    for number in range(at.STARFISH, counts.size):
        fits = fewest[number] <= counts[number] <= most[number]
        misfits += 0 if fits else 1
    return misfits


@row_kernel
def count_turn(progress: Counts) -> bool:
    """Count down the turns that are played without a look from outside."""
    progress[at.TURNS] -= 1
    return bool(progress[at.TURNS] <= 0)


@part_kernel
def _sort_out(found: np.uint64, left_to_do: Bytes, lists: Lists) -> None:
    """Put the lanes in the list `FOUND` into the lists where they belong."""
    for number in range(lists.counts.size):
        lists.counts[number] = 0
    for i in range(found):
        g = lists.lanes[at.FOUND, i]
        k = np.uint64(left_to_do[g])
        place = np.uint64(lists.counts[k])
        lists.lanes[k, place] = g
        lists.counts[k] = np.int64(place + ONE)


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
    last_word: np.uint64,
    played: Bytes,
    left: Bytes,
    deck: Piles,
    own: Piles,
    after: Piles,
    shell_card: Bytes,
) -> None:
    for g in range(keys.size):
        cards = np.uint64(left[g])
        pile = deck[g]
        mine = own[g]
        draws = (np.uint64(played[g]) <= MERFOLK) & (cards != 0)
        word = mix64(keys[g] + (last_word - cards) * GAMMA)
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
        weed = np.uint8(mover + np.uint8(at.AIMED))
        todo = np.uint8(at.OVER) if why != 0 else np.uint8(NONE)
        todo = np.uint8(at.STARFISH) if shell >= STARFISH_LEFT else todo
        todo = weed if card == SEAWEED else todo
        takes = ((card == MEAN) | (card == WAVE)) & (near != 0)
        todo = np.uint8(weed + groups) if takes else todo
        left_to_do[g] = todo if playing else np.uint8(NONE)
