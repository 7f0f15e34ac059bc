"""The state of a batch of Switch 16, and what seats see of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint16]
Halves = NDArray[np.uint32]
Words = NDArray[np.uint64]
Longs = NDArray[np.int64]
Fractions = NDArray[np.uint16] | NDArray[np.uint32]
"""What throws are worked out in: 32 bits only for unusual rules."""

MOST_PLAYERS = 4
BLANK, GREEN, RED, BLOCK = range(4)

PURPOSE_FIRST = 1
PURPOSE_THROW = 2
PURPOSE_DECIDE = 16
"""Seat p makes decision k with purpose 16 + 4k + p."""
MOST_DECISIONS = 6
CHANCE = {
    "first player": (PURPOSE_FIRST,),
    "dice": (PURPOSE_THROW,),
    "decisions": tuple(PURPOSE_DECIDE + k for k in range(MOST_DECISIONS * MOST_PLAYERS)),
}
"""The sources of chance, and the purposes of each. Dice belong to turns, not to players."""
DEAL_SHIFT = 32
TURN_SHIFT = 8

TILE = 768
"""Lanes that a kernel works on at a time, so that they stay in the first-level cache."""
BLOCKS = 256
EVERYBODY = -1
"""Instead of a bit mask of all seats."""


class State(NamedTuple):
    """What is going on in the lanes.

    Attributes
    ----------
    rows
        (ROWS, N) uint8, named by `layout`.
    shorts
        (SHORTS, N) uint16, likewise.
    keys
        (N,) uint64, the chance of the deal: words of throws are counted from here.
    columns
        (N,) uint32, where the game's outcome goes: its place in the batch.
    sums
        (N,) uint32, bit k = some of the dice make k, as strategies see it who see the throw.
    """

    rows: Bytes
    shorts: Shorts
    keys: Words
    columns: Halves
    sums: Halves


class Policies(NamedTuple):
    """Who decides what at a table: the groups that are asked, and the hooks that the game knows.

    Attributes
    ----------
    groups
        (decisions, 1 + P) int64: how many policy groups answer a decision, and the seats of each,
        as a bit mask or `EVERYBODY`.
    followers, guessers, sparers, deniers
        Bit masks of the seats whose hook is `swap_with_leader`, `swap_with_anybody`,
        `take_unless_ahead` and `lay_from_card`.
    denied
        (P,) int64, each seat's card for the last of these.
    risk_tables
        For `look_up_by_seat`, empty if no seat has such a policy.
    see_throw, see_points
        Whether any strategy sees the sums of the dice, and match points.
    """

    groups: Longs
    followers: int
    guessers: int
    sparers: int
    deniers: int
    denied: Longs
    risk_tables: Fractions
    see_throw: bool
    see_points: bool


class Queue(NamedTuple):
    """The games of a batch: which they are, what comes next, and how those ended that are over.

    Lane and game number leave the same rest when divided by 256, so what happens in a lane always
    belongs to the same block of the sums, whichever game it happens in.

    Attributes
    ----------
    run_key
        Key of the run's seed.
    games
        (N,) uint64 game numbers; lanes of block b take up columns b, b + 256, and so on.
    following
        (256,) int64, the column of each block's next game.
    records
        (M,) uint32, one a game: five bits a top card from the mover's on, mover, won or not.
    totals
        (P, M) uint16, the points of matches; empty for single games.
    """

    run_key: np.uint64
    games: Words
    following: Longs
    records: Halves
    totals: Shorts


class Scratch(NamedTuple):
    """Room for what is worked out in a tile.

    Attributes
    ----------
    fractions, made
        (TILE,) uint16 or uint32: the dice still to be taken off a throw, and what those taken make.
    rows
        (2, TILE) uint8.
    lanes
        (TILE + 64,) uint32, numbers of lanes.
    """

    fractions: Fractions
    made: Fractions
    rows: Bytes
    lanes: Halves


class View(NamedTuple):
    """What a seat sees, one column a game; row 0 is me, row d the d-th player to my left.

    Nothing is hidden in this game. Arrays are read-only. Some fields are None unless the strategy
    declares that it sees them: ``"throw"`` for dice, sums and going (the last of which the disc's
    holder always sees while cards go), ``"time"`` for thrown and turn, ``"points"``.

    Attributes
    ----------
    active
        (N,) uint8, 1 where the decision is asked for; elsewhere values are in range and mean
        nothing.
    top
        (P, N) uint8, lowest card not yet discarded, 1 to cards + 1. Green and block policies see
        the decks before this throw's cards go, risk policies after.
    protected
        (P, N) uint8, 1 = the deck cannot be put back beyond the milestone.
    disc
        (N,) uint8: 0 = in the tray, 1 + d = held by row d, 1 + P + d = on the deck of row d.
    mover
        (N,) uint8, row of the player who is throwing, for decisions of the disc's holder; None
        for all others, since it is row 0.
    dice
        (N,) uint8, numbered dice that the mover's top card called for when it was thrown.
    sums
        (N,) uint32, bit k = some of the dice of this throw make k, from 0 to the last card.
    going
        (N,) uint8, cards that this throw clears or cleared if nothing stops it.
    thrown
        (N,) uint8, throws before this one in the turn.
    turn
        (N,) uint16, turns before this one in the deal.
    points
        (P, N) uint16, match points of the finished deals.
    players, cards, match_points
        Players, cards in a deck, points that win a match (0 = single games).
    """

    active: Bytes
    top: Bytes
    protected: Bytes
    disc: Bytes
    mover: Bytes | None
    dice: Bytes | None
    sums: Halves | None
    going: Bytes | None
    thrown: Bytes | None
    turn: Shorts | None
    points: Shorts | None
    players: int
    cards: int
    match_points: int
