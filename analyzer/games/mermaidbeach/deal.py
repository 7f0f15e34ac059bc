"""Games are dealt ahead, many at a time, and lanes whose game is over take them up."""

from __future__ import annotations

import numpy as np

from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.state import (
    MONSTER_ALONE,
    NO_MONSTER,
    ONE,
    Bytes,
    Counts,
    Listed,
    Lists,
    Piles,
    Queue,
    Records,
    State,
    find_cells,
)
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.piles import place_of
from analyzer.kernels.random import GAMMA, bounded, game_key, mix64, seed_key
from analyzer.kernels.rows import copy, scatter, scatter_value


@row_kernel
def take_up(
    facts: Piles,
    state: State,
    ended: Bytes,
    lists: Lists,
    queue: Queue,
    records: Records,
    progress: Counts,
    cells: Listed,
) -> int:
    """Let the lanes whose games are over take up the next ones, which are dealt when needed.

    If there are none, lanes fall idle. Afterwards the list `OVER` has the lanes whose new games are
    over at once. ``cells`` is scratch. Returns whether there are any, or all games have been taken
    up.
    """
    players = state.hands.shape[0]
    number = lists.counts[at.OVER]
    over = 0
    done = 0
    while done < number:
        if progress[at.QUEUED] == 0:
            _deal(facts, queue, records, progress)
        if progress[at.QUEUED] == 0:
            scatter_value(np.uint8(0), lists.lanes[at.OVER, done:number], state.live)
            break
        take = min(number - done, progress[at.QUEUED], at.TILE)
        free = lists.lanes[at.OVER, done : done + take]
        _begin_games(facts, state, free, queue, progress, cells[:take])
        if progress[at.AT_ONCE]:
            for i in range(take):
                g = free[i]
                alone = False
                for row in range(players):
                    alone |= (state.hands[row, g] & NO_MONSTER) == 0
                if alone:
                    ended[g] = MONSTER_ALONE
                    lists.lanes[at.OVER, over] = g
                    over += 1
        done += take
    lists.counts[at.OVER] = over
    return 1 if over > 0 or progress[at.STARTED] == progress[at.GAMES] else 0


@part_kernel
def _begin_games(
    facts: Piles, state: State, free: Listed, queue: Queue, progress: Counts, where: Listed
) -> None:
    """Let free lanes, of which no more are listed than games are queued, take up a game each."""
    players, lanes = state.hands.shape
    hands = state.hands.reshape(-1)
    take = free.size
    begin = progress[at.FILLED] - progress[at.QUEUED]
    end = begin + take
    first = queue.first[begin:end]
    place = progress[at.STARTED]
    for i in range(take):
        start = np.uint64(place + i) << np.uint64(3) | np.uint64(first[i])
        state.start[free[i]] = np.uint32(start)
    scatter(queue.keys[begin:end], free, state.keys)
    scatter(first, free, state.seat)
    scatter_value(np.uint16(0), free, state.turn)
    for p in range(players):
        find_cells(first, p, players, free, lanes, where)
        scatter(queue.hands[p, begin:end], where, hands)
        scatter_value(np.uint64(0), free, state.shells[p])
        scatter_value(np.uint8(facts[at.HAND_SIZE]), free, state.sizes[p])
    scatter(queue.deck[begin:end], free, state.beach_deck)
    scatter_value(facts[at.SHELL_PILE], free, state.shell_deck)
    undealt = np.uint8(facts[at.BEACH_CARDS] - np.uint64(players) * facts[at.HAND_SIZE])
    scatter_value(undealt, free, state.beach_left)
    scatter_value(np.uint8(facts[at.SHELL_CARDS]), free, state.shell_left)
    scatter_value(np.uint16(0), free, state.recycled)
    scatter_value(np.uint16(0), free, state.asks)
    scatter_value(np.uint16(0), free, state.asks_met)
    if state.asks_by_seat.size:
        scatter_value(np.uint64(0), free, state.asks_by_seat[0])
        scatter_value(np.uint64(0), free, state.asks_by_seat[1])
    progress[at.STARTED] = place + take
    progress[at.QUEUED] -= take


@part_kernel
def _deal(facts: Piles, queue: Queue, records: Records, progress: Counts) -> None:
    """Deal as many of the next games as the queue has room for, in step."""
    begin = progress[at.DEALT]
    dealt = min(queue.keys.size, progress[at.GAMES] - begin)
    players = queue.hands.shape[0]
    key = seed_key(facts[at.SEED])
    over = np.uint64(0)
    for start in range(0, dealt, at.TILE):
        end = min(start + at.TILE, dealt)
        tile = queue.keys[start:end]
        rest = queue.deck[start:end]
        _begin(key, queue.games[begin + start : begin + end], facts[at.BEACH_PILE], tile, rest)
        number = facts[at.DEAL_WORDS]
        left = facts[at.BEACH_CARDS]
        for p in range(players):
            hand = queue.hands[p, start:end]
            for g in range(hand.size):
                hand[g] = 0
            for _ in range(facts[at.HAND_SIZE]):
                _deal_card(tile, number * GAMMA, left, rest, hand)
                number += ONE
                left -= ONE
            over += _count_alone(hand)
        sides = np.uint64(players) if facts[at.RANDOM_FIRST] else ONE
        shift = facts[at.FIRST_WORDS] * GAMMA
        _choose_first(tile, shift, sides, queue.first[start:end])
    if records.opening.size:
        for p in range(players):
            copy(queue.hands[p, :dealt], records.opening[p, begin : begin + dealt])
    progress[at.AT_ONCE] = np.int64(over)
    progress[at.DEALT] = begin + dealt
    progress[at.QUEUED] = dealt
    progress[at.FILLED] = dealt


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
