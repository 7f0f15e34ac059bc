"""The end of a game: monsters eat, shells are counted, and the game is recorded."""

from __future__ import annotations

import numpy as np

from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.state import (
    MONSTER,
    ONE,
    STARFISH_LEFT,
    STARFISH_RIGHT,
    UNFINISHED,
    Bytes,
    Counts,
    Lists,
    Piles,
    Records,
    Scratch,
    State,
    find_cells,
)
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.piles import has, highest, points, size
from analyzer.kernels.rows import gather


@row_kernel
def score(
    facts: Piles,
    state: State,
    ended: Bytes,
    lists: Lists,
    records: Records,
    progress: Counts,
    scratch: Scratch,
) -> None:
    """Feed the monsters, count the shells, and record the games in the list `OVER`."""
    players, lanes = state.hands.shape
    hands, shells = state.hands.reshape(-1), state.shells.reshape(-1)
    wide, narrow = scratch.wide, scratch.narrow
    number = lists.counts[at.OVER]
    for begin in range(0, number, at.TILE):
        width = min(at.TILE, number - begin)
        listed = lists.lanes[at.OVER, begin : begin + width]
        mover, why, where = narrow[0, :width], narrow[1, :width], scratch.cells[:width]
        best, result, eaten = (
            wide[players, :width],
            wide[players + 1, :width],
            wide[players + 2, :width],
        )
        cards, piles = wide[players + 3, :width], wide[players + 4, :width]
        gather(state.seat, listed, mover)
        gather(ended, listed, why)
        _best_to_beat(why, best)
        for g in range(width):
            result[g] = 0
            eaten[g] = 0
        for p in range(players):
            find_cells(mover, p, players, listed, lanes, where)
            gather(hands, where, cards)
            gather(shells, where, piles)
            _count_shells(cards, piles, np.uint64(p), wide[p, :width], best, result, eaten)
        for p in range(players):
            _find_winners(wide[p, :width], best, np.uint64(55 + p), result)
        gather(state.shell_deck, listed, piles)
        fish = has(facts[at.SHELL_PILE], STARFISH_LEFT) + has(facts[at.SHELL_PILE], STARFISH_RIGHT)
        for c in range(width):
            g = listed[c]
            start = np.uint64(state.start[g])
            left = has(piles[c], STARFISH_LEFT) + has(piles[c], STARFISH_RIGHT)
            event = np.uint64(state.turn[g]) | np.uint64(state.asks[g]) << np.uint64(16)
            event |= np.uint64(state.asks_met[g]) << np.uint64(32)
            event |= (start & np.uint64(7)) << np.uint64(48)
            event |= np.uint64(why[c]) << np.uint64(51) | (fish - left) << np.uint64(53)
            place = start >> np.uint64(3) << ONE
            records.results[place] = result[c]
            records.results[place + ONE] = event
        if records.details.size:
            for c in range(width):
                g = listed[c]
                place = np.uint64(state.start[g]) >> np.uint64(3)
                records.details[0, place] = eaten[c]
                records.details[1, place] = state.asks_by_seat[0, g]
                records.details[2, place] = state.asks_by_seat[1, g]
    progress[at.FINISHED] += number


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
