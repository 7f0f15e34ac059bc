"""What seats may remember of questions and passes, and all that a seat may know of a table."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.state import (
    KINDS,
    LAST_MOVER,
    MERFOLK,
    NONE,
    NOTHING,
    ONE,
    STARFISH_LEFT,
    Aims,
    Bytes,
    Listed,
    Lists,
    Passes,
    Piles,
    Shorts,
    State,
    Turn,
)
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.rows import gather, scatter_value


class Memory(NamedTuple):
    """What is remembered, kept only if a strategy sees it; rows as in `State`.

    Attributes
    ----------
    discards
        (2, N) uint64, the discard piles of the beach and of the shells.
    asked, lacks
        (P, N) uint64, as in `View`.
    received
        (P, N) uint8, the card that each player was passed at the last starfish, `NONE` if that is
        not known to be there any more.
    starfish
        (N,) uint8, that starfish.
    """

    discards: Piles
    asked: Piles
    lacks: Piles
    received: Bytes
    starfish: Bytes


class WholeTable(NamedTuple):
    """All that a seat may know in some lanes, in W columns.

    Attributes
    ----------
    movers
        (W,) uint8, seat of the player to move.
    hand
        (W,) uint64.
    piles
        (4 P + 2, W) uint64: by player shells, asked, lacks and passed, then the two discard piles.
    numbers
        (P + 2, W) uint8: by player sizes, then what is left of the two decks.
    turn
        (W,) uint16.
    """

    movers: Bytes
    hand: Piles
    piles: Piles
    numbers: Bytes
    turn: Shorts

    def shown(self, players: int, sees: Collection[str]) -> dict[str, NDArray[Any]]:
        """Arrays for a `View` whose strategy ``sees`` these parts, the whole table among them."""
        shells, *remembered = (self.piles[i * players : (i + 1) * players] for i in range(4))
        arrays: dict[str, NDArray[Any]] = {
            "hand": self.hand,
            "turn": self.turn,
            "shells": shells,
            "sizes": self.numbers[:players],
            "beach_deck": self.numbers[players],
            "shell_deck": self.numbers[players + 1],
        }
        names = zip(("asked", "lacks", "passed"), remembered, strict=True)
        arrays |= {name: array for name, array in names if name in sees}
        if "discards" in sees:
            arrays |= {"beach_discard": self.piles[-2], "shell_discard": self.piles[-1]}
        return arrays


@row_kernel
def note_question(now: Turn, memory: Memory) -> None:
    """Remember what the questions of this turn told."""
    asked, lacks, received = memory.asked, memory.lacks, memory.received
    for g in range(now.question.size):
        who = now.question[g] >> np.uint8(4)
        kind = now.question[g] & np.uint8(15)
        if who == 0:
            continue
        flag = ONE << (np.uint64(kind) << np.uint64(2))
        if now.met[g]:
            asked[who, g] &= ~flag
            if received[who, g] == kind:
                received[who, g] = NONE
        else:
            asked[0, g] |= flag
            lacks[who, g] |= flag


@row_kernel
def note_play(now: Turn, memory: Memory) -> None:
    """Forget what the cards of this turn made untrue, and move the rows up with the turn."""
    asked, lacks, received = memory.asked, memory.lacks, memory.received
    players = asked.shape[0]
    for g in range(now.played.size):
        card = now.played[g]
        if card < KINDS:
            asked[0, g] &= ~(ONE << (np.uint64(card) << np.uint64(2)))
        if card != NOTHING and received[0, g] == card:
            received[0, g] = NONE
        if now.drawn[g] != NONE and not now.offer[g]:
            lacks[0, g] = 0
        if card != MERFOLK:
            first_asked = asked[0, g]
            first_lacks = lacks[0, g]
            first_received = received[0, g]
            for d in range(players - 1):
                asked[d, g] = asked[d + 1, g]
                lacks[d, g] = lacks[d + 1, g]
                received[d, g] = received[d + 1, g]
            asked[players - 1, g] = first_asked
            lacks[players - 1, g] = first_lacks
            received[players - 1, g] = first_received


@row_kernel
def note_draws(lists: Lists, aims: Aims, memory: Memory) -> None:
    """Nothing is known any more of who drew a card for seaweed."""
    for k in range(aims.drew.shape[0]):
        for c in range(lists.counts[at.AIMED + k]):
            if aims.drew[k, c]:
                memory.lacks[aims.answers[k, c] - 1, lists.lanes[at.AIMED + k, c]] = 0


@row_kernel
def note_passes(lists: Lists, passes: Passes, memory: Memory) -> None:
    """Remember who was passed what."""
    players = memory.lacks.shape[0]
    for c in range(lists.counts[at.STARFISH]):
        g = lists.lanes[at.STARFISH, c]
        memory.starfish[g] = passes.card[c]
        back = players - 1 if passes.card[c] == STARFISH_LEFT else 1
        for row in range(players):
            giver = (np.int64(passes.movers[c]) + row + back) % players
            memory.received[row, g] = NONE
            if passes.active[giver, c]:
                memory.received[row, g] = passes.answers[giver][c]
                memory.lacks[row, g] = 0


@row_kernel
def forget(lists: Lists, memory: Memory) -> None:
    """Forget games that are over."""
    listed = lists.lanes[at.OVER, : lists.counts[at.OVER]]
    for row in range(memory.asked.shape[0]):
        scatter_value(np.uint64(0), listed, memory.asked[row])
        scatter_value(np.uint64(0), listed, memory.lacks[row])
        scatter_value(np.uint8(NONE), listed, memory.received[row])


@row_kernel
def find_discards(facts: Piles, state: State, memory: Memory) -> None:
    """Fill the discard piles: whatever lies nowhere else."""
    beach, shell = memory.discards[0], memory.discards[1]
    for g in range(beach.size):
        beach[g] = facts[at.BEACH_PILE] - state.beach_deck[g]
        shell[g] = facts[at.SHELL_PILE] - state.shell_deck[g]
    for d in range(state.hands.shape[0]):
        for g in range(beach.size):
            beach[g] -= state.hands[d, g]
            shell[g] -= state.shells[d, g]


@row_kernel
def recall(acts: Bytes, memory: Memory, passed: Piles) -> None:
    """What whoever acts passed to whom (P, N), at the last starfish."""
    players = passed.shape[0]
    for d in range(players):
        for g in range(acts.size):
            passed[d, g] = 0
    for g in range(acts.size):
        d = 1 if memory.starfish[g] == STARFISH_LEFT else players - 1
        if acts[g] and memory.received[d, g] != NONE:
            passed[d, g] = ONE << (np.uint64(memory.received[d, g]) << np.uint64(2))


@row_kernel
def show_table(
    listed: Listed, sitting: int, state: State, memory: Memory, shown: WholeTable
) -> None:
    """Fill in all that a seat may know in the listed lanes.

    The seat is ``sitting``, which may be `LAST_MOVER`.
    """
    players = state.hands.shape[0]
    piles, numbers = shown.piles, shown.numbers
    gather(state.seat, listed, shown.movers)
    for c in range(listed.size):
        g = listed[c]
        mover = np.int64(shown.movers[c])
        seat = mover + players - 1 if sitting == LAST_MOVER else sitting
        own = (seat - mover + players) % players
        shown.hand[c] = state.hands[own, g]
        shown.turn[c] = state.turn[g] - np.uint16(1)
        to = 1 if memory.starfish[g] == STARFISH_LEFT else players - 1
        for d in range(players):
            row = (own + d) % players
            received = memory.received[row, g]
            known = d == to and received != NONE
            card = ONE << ((np.uint64(received) << np.uint64(2)) & np.uint64(60))
            piles[d, c] = state.shells[row, g]
            piles[players + d, c] = memory.asked[row, g]
            piles[2 * players + d, c] = memory.lacks[row, g]
            piles[3 * players + d, c] = card if known else np.uint64(0)
            numbers[d, c] = state.sizes[row, g]
        piles[4 * players, c] = memory.discards[0, g]
        piles[4 * players + 1, c] = memory.discards[1, g]
        numbers[players, c] = state.beach_left[g]
        numbers[players + 1, c] = state.shell_left[g]
