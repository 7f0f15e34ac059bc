"""What seats know: the view of each, and what those who ask for it remember."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from analyzer.contracts import Rules
from analyzer.games.turnthetide.state import Board, Bytes, Deal, Masks, State, View
from analyzer.kernels.compilation import kernel, row_kernel
from analyzer.kernels.rows import read_only, rows


class Memory(NamedTuple):
    """What seats remember of N games; only kept where a strategy sees any of it."""

    played: Masks  # (2P, N) cards that each seat has played in this round
    seen: Masks  # (P, N) cards of each *dealt* hand that were seen in finished rounds
    known: tuple[Masks, ...]  # a seat: (P, N) what it knows of each hand, as in its view


def new_memory(players: int, lanes: int) -> Memory:
    """Memory of ``lanes`` games."""
    return Memory(
        played=rows((2 * players, lanes), np.uint64),
        seen=rows((players, lanes), np.uint64),
        known=tuple(rows((players, lanes), np.uint64) for _ in range(players)),
    )


def forget(memory: Memory, round_number: int) -> None:
    """Forget what was played in the round before, and before the first round all there is."""
    memory.played[:] = 0
    if round_number == 0:
        memory.seen[:] = 0


@row_kernel
def note_kernel(board: Board, played: Masks) -> None:
    """Note the cards that are played in this hand."""
    players = board.asks.shape[0]
    for p in range(players):
        for row in (p, players + p):
            _note(board.asks[p], board.choice[p], played[row])


@row_kernel
def _note(asks: Bytes, choice: Bytes, played: Masks) -> None:
    for g in range(choice.size):
        asked = asks[g]
        card = choice[g]
        record = played[g]
        bit = np.uint64(1) << ((np.uint64(card) - np.uint64(1)) & np.uint64(63))
        played[g] = record | bit if asked != 0 else record


@kernel
def seen_kernel(memory: Memory, round_number: int) -> None:
    """After a round: file each seat's played cards under the hand they belonged to."""
    played, seen = memory.played, memory.seen
    players, lanes = seen.shape
    for p in range(players):
        owner = (p - round_number) % players
        for g in range(lanes):
            seen[owner, g] |= played[p, g]


@kernel
def known_kernel(deal: Deal, board: Board, memory: Memory, seat: int, round_number: int) -> None:
    """What ``seat`` knows of the hands now held, row 0 its own, then to the left.

    A hand that the seat held in an earlier round is known whole; of others, what was seen.
    """
    cards, dealt = board.cards[seat], deal.dealt
    played, seen, known = memory.played, memory.seen, memory.known[seat]
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


def new_view(
    state: State,
    memory: Memory,
    rules: Rules,
    seat: int,
    round_number: int,
    hand: int,
    sees: Collection[str],
) -> View:
    """What a seat may know in this hand of this round, ``sees`` naming the optional parts."""
    board = state.board
    players = len(board.cards)
    around = slice(seat, seat + players)
    return View(
        active=read_only(board.asks[seat]),
        cards=read_only(board.cards[seat]),
        low=read_only(board.low),
        high=read_only(board.high),
        shown=read_only(board.shown[around]),
        highest=read_only(board.highest),
        lives=read_only(board.lives[around]),
        alive=read_only(board.alive[around]),
        preservers=read_only(board.preservers[around]),
        scores=read_only(state.scores.total[around]),
        played=read_only(memory.played[around]) if "played" in sees else None,
        known=read_only(memory.known[seat]) if "known" in sees else None,
        players=players,
        rounds=rules["rounds"],
        hands=rules["hands"],
        round=round_number,
        hand=hand,
        cards_left=rules["hand_size"] - hand,
        tide_max=rules["tide_max"],
    )
