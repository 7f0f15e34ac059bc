"""Cards aimed at an opponent: who shall draw for seaweed, and which shell is taken or lost."""

from __future__ import annotations

import numpy as np

from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.beach import draw_elsewhere, recycle
from analyzer.games.mermaidbeach.state import (
    MEAN,
    ONE,
    Aims,
    Bytes,
    Listed,
    Lists,
    Piles,
    Scratch,
    Shorts,
    State,
)
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.piles import has
from analyzer.kernels.random import GAMMA, mix64
from analyzer.kernels.rows import fill, gather, scatter


@row_kernel
def show_aims(
    facts: Piles, state: State, played: Bytes, lists: Lists, aims: Aims, scratch: Scratch
) -> None:
    """Fill columns for the lanes in which a card was aimed at an opponent.

    They show the table as the player sees it who has just moved and is in row P - 1 by now. Of the
    ``widths`` of columns those beyond ``counts`` do not ask.
    """
    players = state.shells.shape[0]
    groups = aims.drew.shape[0]
    for k in range(2 * groups):
        number = lists.counts[at.AIMED + k]
        if number == 0:
            continue
        width = lists.widths[at.AIMED + k]
        listed = lists.lanes[at.AIMED + k, :width]
        listed[number:] = listed[0]
        for d in range(players):
            row = state.shells[(d + players - 1) % players]
            gather(row, listed, aims.shells[k, d * width : (d + 1) * width])
        gather(played, listed, aims.card[k, :width])
        fill(aims.active[k, :number], np.uint8(1))
        fill(aims.active[k, number:width], np.uint8(0))
        decision = at.WEED if k < groups else at.SHELL
        if aims.wants[k]:
            for start in range(0, width, at.TILE):
                end = min(start + at.TILE, width)
                tile = listed[start:end]
                key, seat = scratch.wide[0, : end - start], scratch.narrow[0, : end - start]
                turn = scratch.short[: end - start]
                gather(state.keys, tile, key)
                gather(state.seat, tile, seat)
                gather(state.turn, tile, turn)
                _words_of_last_mover(
                    key, seat, turn, players, facts[at.DECISION_WORDS] + np.uint64(decision),
                    aims.words[k, start:end],
                )  # fmt: skip


@row_kernel
def hit_targets(
    facts: Piles, state: State, ended: Bytes, lists: Lists, aims: Aims, scratch: Scratch
) -> int:
    """Let opponents draw for the seaweed, take or wash away the chosen shell cards.

    Fills ``drew``; lanes whose game is over are appended to their list. Returns whether an answer
    is illegal; then nothing has been done in its row and those after it.
    """
    players = state.hands.shape[0]
    groups = aims.drew.shape[0]
    for k in range(2 * groups):
        number = lists.counts[at.AIMED + k]
        if number == 0:
            continue
        listed = lists.lanes[at.AIMED + k, :number]
        answer = aims.answers[k, :number]
        if k < groups:
            if _is_no_opponent(answer, np.uint8(players)):
                return 1
            for start in range(0, number, at.TILE):
                end = min(start + at.TILE, number)
                _draw_for_seaweed(
                    facts, state, listed[start:end], answer[start:end], aims.drew[k, start:end],
                    scratch,
                )  # fmt: skip
        else:
            width = lists.widths[at.AIMED + k]
            if _is_no_shell(aims.shells[k], width, players, answer, scratch.narrow):
                return 1
            for c in range(number):
                g = listed[c]
                shell = ONE << (np.uint64(answer[c] & np.uint8(15)) << np.uint64(2))
                # The opponent's row has moved up by one.
                state.shells[np.uint64(answer[c] >> np.uint8(4)) - ONE, g] -= shell
                taken = shell if aims.card[k, c] == MEAN else np.uint64(0)
                state.shells[players - 1, g] += taken
        over = np.uint64(lists.counts[at.OVER])
        for c in range(number):
            g = listed[c]
            lists.lanes[at.OVER, over] = g
            over += np.uint64(ended[g] != 0)
        lists.counts[at.OVER] = np.int64(over)
    return 0


@part_kernel
def _draw_for_seaweed(
    facts: Piles, state: State, tile: Listed, answer: Bytes, drew: Bytes, scratch: Scratch
) -> None:
    """Let the opponents named by the answers draw a card, in the lanes of a tile."""
    for i in range(tile.size):
        if state.beach_left[tile[i]] == 0:
            recycle(facts[at.BEACH_PILE], state, np.int64(tile[i]))
    key, pile = scratch.wide[0, : tile.size], scratch.wide[1, : tile.size]
    drawn, left = scratch.wide[2, : tile.size], scratch.narrow[0, : tile.size]
    before = scratch.short[: tile.size]
    gather(state.keys, tile, key)
    gather(state.beach_deck, tile, pile)
    gather(state.beach_left, tile, left)
    gather(state.recycled, tile, before)
    last_word = facts[at.BEACH_WORDS] + facts[at.BEACH_CARDS]
    draw_elsewhere(key, left, before, last_word, pile, drawn)
    scatter(pile, tile, state.beach_deck)
    scatter(left, tile, state.beach_left)
    for i in range(tile.size):
        # The opponent's row has moved up by one.
        row = np.uint64(answer[i]) - ONE
        one = np.uint8(drawn[i] != 0)
        state.hands[row, tile[i]] += drawn[i]
        state.sizes[row, tile[i]] += one
        drew[i] = one


@row_kernel
def _words_of_last_mover(
    keys: Piles, seat: Bytes, turn: Shorts, players: int, first_word: np.uint64, words: Piles
) -> None:
    """Words for a decision of who has just moved, about a turn that is counted already.

    ``first_word`` is the number of that of seat 0 in the first turn.
    """
    table_size = np.uint64(players)
    for c in range(words.size):
        sitting = np.uint64(seat[c]) + table_size - ONE
        sitting -= table_size if sitting >= table_size else np.uint64(0)
        number = first_word + (sitting << np.uint64(48))
        number += (np.uint64(turn[c]) - ONE) << np.uint64(8)
        words[c] = mix64(keys[c] + number * GAMMA)


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
    for start in range(0, answer.size, at.TILE):
        end = min(start + at.TILE, answer.size)
        fine = narrow[0, : end - start]
        fill(fine, np.uint8(0))
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
