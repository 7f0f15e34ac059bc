"""What a batch of games consists of, one column a game: the arrays that the kernels are given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Rules
from analyzer.games.turnthetide.rules import CARDS
from analyzer.kernels.random import new_tile
from analyzer.kernels.rows import rows

TILE = 1024
"""Games that a kernel goes through at a time."""
NOBODY = 255
"""A tide level that nobody shows."""
OVER, ILLEGAL = 1, 2
"""What `hand_kernel` returns when no round goes on, and when a choice was illegal; otherwise 0."""

MOST_PLAYERS = 6
PURPOSE_DEAL = 1
PURPOSE_TIDES = 2
PURPOSE_DECIDE = 16
"""What a word of chance is for; a seat's decisions have this and its number."""
CHANCE = {
    "deal": (PURPOSE_DEAL,),
    "tides": (PURPOSE_TIDES,),
    "decisions": tuple(PURPOSE_DECIDE + seat for seat in range(MOST_PLAYERS)),
}
"""The sources of chance, and the purposes of each."""
ROUND_SHIFT = 20
"""Chance of a round is counted from its number times 2 to this."""

Bytes = NDArray[np.uint8]
SignedBytes = NDArray[np.int8]
Masks = NDArray[np.uint64]
"""Sets of cards: bit c - 1 stands for card c."""


class Deal(NamedTuple):
    """What is settled before the first round of N games; P players."""

    keys: Masks  # (N,) the games' chance
    playing: Bytes  # (N,) 1 where there is a game; other lanes idle along
    dealt: Masks  # (P, N) the hand first dealt to each seat
    printed: Bytes  # (P, N) whole preservers printed on that hand
    given: SignedBytes  # (P, N) preservers that it gets, each round


class Tides(NamedTuple):
    """The tide cards of a round of H hands."""

    low: Bytes  # (H, N) the lower one of each hand
    high: Bytes  # (H, N) the higher one


class Board(NamedTuple):
    """What a round is played with.

    Public rows stand twice, so that the rows from seat p on are the table as seat p sees it. What
    only one seat may see, or nobody yet, is an array of its own: no view can lead to it.
    """

    cards: tuple[Masks, ...]  # a seat: (N,) what is left of the hand that it plays
    choice: tuple[Bytes, ...]  # a seat: (N,) the weather card that it plays, 0 = none
    low: Bytes  # (N,) the tide cards of this hand
    high: Bytes
    running: Bytes  # (N,) 1 while the round goes on
    asks: Bytes  # (P, N) 1 where the seat must play: alive in a running round
    shown: Bytes  # (2P, N) newest tide card of each seat, 0 = none
    lives: SignedBytes  # (2P, N) preservers left
    alive: Bytes  # (2P, N) 1 = not eliminated in this round
    preservers: SignedBytes  # (2P, N) preservers at the start of the round
    highest: Bytes  # (N,) highest tide that a living player shows
    hands_played: NDArray[np.uint16]  # (N,) hands played so far, all rounds
    scratch: Bytes  # (6, TILE) room for a kernel's own rows


class Scores(NamedTuple):
    """What R rounds have brought."""

    total: NDArray[np.int16]  # (2P, N) points of the finished rounds, twice as on the board
    by_round: SignedBytes  # (R, P, N) points of each round
    wins: Bytes  # (P, N) shares of the win, in 1/60


class State(NamedTuple):
    """A batch of games. Kernels are given the parts that they need, each part whole."""

    deal: Deal
    tides: Tides
    board: Board
    scores: Scores


def new_state(rules: Rules, players: int, lanes: int) -> State:
    """Memory for ``lanes`` games."""
    hands, rounds = rules["hands"], rules["rounds"]
    one, seats, twice = lanes, (players, lanes), (2 * players, lanes)
    deal = Deal(
        keys=rows(one, np.uint64),
        playing=rows(one, np.uint8),
        dealt=rows(seats, np.uint64),
        printed=rows(seats, np.uint8),
        given=rows(seats, np.int8),
    )
    board = Board(
        cards=tuple(rows(one, np.uint64) for _ in range(players)),
        choice=tuple(rows(one, np.uint8) for _ in range(players)),
        low=rows(one, np.uint8),
        high=rows(one, np.uint8),
        running=rows(one, np.uint8),
        asks=rows(seats, np.uint8),
        shown=rows(twice, np.uint8),
        lives=rows(twice, np.int8),
        alive=rows(twice, np.uint8),
        preservers=rows(twice, np.int8),
        highest=rows(one, np.uint8),
        hands_played=rows(one, np.uint16),
        scratch=rows((6, TILE), np.uint8),
    )
    scores = Scores(
        total=rows(twice, np.int16),
        by_round=rows((rounds, players, lanes), np.int8),
        wins=rows(seats, np.uint8),
    )
    tides = Tides(rows((hands, lanes), np.uint8), rows((hands, lanes), np.uint8))
    return State(deal, tides, board, scores)


class Decks(NamedTuple):
    """The two decks, and room to shuffle them (see `analyzer.kernels.random.new_tile`)."""

    weather: Bytes
    weather_tile: Bytes
    halves: Masks  # (3,) the cards whose half-count has bit 0, 1, 2
    tides: Bytes
    tide_tile: Bytes


def new_decks(rules: Rules) -> Decks:
    """The decks of these rules."""
    weather = np.arange(1, CARDS + 1, dtype=np.uint8)
    tides = np.repeat(np.arange(1, rules["tide_max"] + 1, dtype=np.uint8), 2)
    printed = rules["preservers"]
    bits = [sum(1 << c for c in range(CARDS) if printed[c] >> k & 1) for k in range(3)]
    halves = np.array(bits, np.uint64)
    return Decks(weather, new_tile(weather.size), halves, tides, new_tile(tides.size))


class View(NamedTuple):
    """What a seat may know, one column a game; row 0 is me, row d the d-th player to my left.

    Arrays are read-only. ``played`` and ``known`` are None unless the strategy declares that it
    ``sees`` them.

    Attributes
    ----------
    active
        (N,) uint8, 1 where a card is asked for; elsewhere values are in range and mean nothing.
    cards
        (N,) uint64, my remaining cards: bit c - 1 stands for card c.
    low, high
        (N,) uint8, the two tide cards of this hand.
    shown
        (P, N) uint8, newest tide card of each player, 0 = none (also once eliminated).
    highest
        (N,) uint8, highest tide a living player shows.
    lives
        (P, N) int8, preservers left.
    alive
        (P, N) uint8, 1 = not eliminated in this round.
    preservers
        (P, N) int8, preservers at the start of the round.
    scores
        (P, N) int16, points of the finished rounds.
    played
        (P, N) uint64, cards each has played in this round.
    known
        (P, N) uint64, cards that I know to be in each one's hand now; row 0 is my own hand. A hand
        I have held is known whole, of another one the cards that were seen in earlier rounds.
    players, rounds, hands
        Players; rounds of the game; hands of a full round.
    round, hand
        Which round and hand this is, from 0.
    cards_left
        Cards in my hand before this choice.
    tide_max
        Highest tide card.
    """

    active: Bytes
    cards: Masks
    low: Bytes
    high: Bytes
    shown: Bytes
    highest: Bytes
    lives: SignedBytes
    alive: Bytes
    preservers: SignedBytes
    scores: NDArray[np.int16]
    played: Masks | None
    known: Masks | None
    players: int
    rounds: int
    hands: int
    round: int
    hand: int
    cards_left: int
    tide_max: int
