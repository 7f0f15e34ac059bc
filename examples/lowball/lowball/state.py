"""What a batch of games consists of, one column a game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.kernels.random import game_keys
from analyzer.kernels.rows import read_only, rows

__all__ = [
    "CHANCE",
    "MOST_PLAYERS",
    "NOBODY",
    "PURPOSE_DECIDE",
    "State",
    "View",
    "begin",
    "new_state",
    "view_of",
]

MOST_PLAYERS = 6
PURPOSE_DECIDE = 16
"""What the chance of a seat's decisions is for: this and the seat's number."""
CHANCE = {"decisions": tuple(PURPOSE_DECIDE + seat for seat in range(MOST_PLAYERS))}
"""All chance of the game is in what its players decide."""
NOBODY = 255
"""Instead of a seat: no number was named by one player alone."""

Bytes = NDArray[np.uint8]


class State(NamedTuple):
    """A batch of N games with P players.

    Public rows stand twice, so that the rows from seat p on are the table as seat p sees it. What
    a seat chooses is secret until all have chosen, and so an array of its own.

    =========  ======  =======  ==================================================================
    field      dtype   shape    meaning
    =========  ======  =======  ==================================================================
    keys       uint64  (N,)     the games' chance
    words      uint64  (N,)     a random word each, for whoever decides
    playing    uint8   (N,)     1 where there is a game; other columns idle along
    choice[p]  uint8   (N,)     the number that seat p names in this round
    named      uint8   (2P, N)  what each seat named in the round before, 0 in the first
    scores     int16   (2P, N)  points so far
    stake      uint8   (N,)     points that this round is about
    winner     uint8   (N,)     the seat that has won this round, or `NOBODY`
    wins       uint8   (P, N)   shares of the win, in 1/60
    =========  ======  =======  ==================================================================
    """

    keys: NDArray[np.uint64]
    words: NDArray[np.uint64]
    playing: Bytes
    choice: tuple[Bytes, ...]
    named: Bytes
    scores: NDArray[np.int16]
    stake: Bytes
    winner: Bytes
    wins: Bytes


def new_state(players: int, lanes: int) -> State:
    """Memory for so many games."""
    return State(
        keys=rows(lanes, np.uint64),
        words=rows(lanes, np.uint64),
        playing=rows(lanes, np.uint8),
        choice=tuple(rows(lanes, np.uint8) for _ in range(players)),
        named=rows((2 * players, lanes), np.uint8),
        scores=rows((2 * players, lanes), np.int16),
        stake=rows(lanes, np.uint8),
        winner=rows(lanes, np.uint8),
        wins=rows((players, lanes), np.uint8),
    )


def begin(state: State, seed: int, games: NDArray[np.uint64]) -> None:
    """Set up these games; whatever an earlier batch has left is overwritten."""
    game_keys(seed, np.resize(games, state.keys.size), state.keys)
    state.playing[: games.size] = 1
    state.playing[games.size :] = 0
    state.named[:] = 0
    state.scores[:] = 0
    state.stake[:] = 1


class View(NamedTuple):
    """What a seat may know; row 0 is me, row d the d-th player to my left. Arrays are read-only.

    Attributes
    ----------
    active
        (N,) uint8, 1 where a number is asked for.
    named
        (P, N) uint8, what each player named in the round before; 0 in the first round.
    scores
        (P, N) int16, points so far.
    stake
        (N,) uint8, points that this round is about.
    players, numbers, rounds
        Players, numbers to choose from, rounds of a game.
    round
        Which round this is, from 0.
    """

    active: Bytes
    named: Bytes
    scores: NDArray[np.int16]
    stake: Bytes
    players: int
    numbers: int
    rounds: int
    round: int


def view_of(state: State, seat: int, numbers: int, rounds: int, number: int) -> View:
    """What a seat sees in a round."""
    players = len(state.choice)
    return View(
        active=read_only(state.playing),
        named=read_only(state.named[seat : seat + players]),
        scores=read_only(state.scores[seat : seat + players]),
        stake=read_only(state.stake),
        players=players,
        numbers=numbers,
        rounds=rounds,
        round=number,
    )
