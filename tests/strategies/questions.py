"""Questions put to strategies: positions laid by hand, and those that real games come to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BoundStrategy, Outcome
from analyzer.engine.seat import SeatedStrategy, dense
from analyzer.engine.tally import new_tally
from analyzer.experiment import Experiment
from analyzer.games.turnthetide.game import GAME
from analyzer.games.turnthetide.state import View
from analyzer.rules import settle
from analyzer.specs import bind
from tests.shown import as_shown, locked

Hand = Iterable[int]


class Question(NamedTuple):
    """What a hook was shown, dense in the asking columns, and what it answered."""

    view: View
    words: NDArray[np.uint64] | None
    answer: NDArray[np.uint8]


def card_set(cards: Hand) -> int:
    """The cards as a set of bits."""
    return sum(1 << card - 1 for card in cards)


def cards_of(bits: Any) -> list[int]:
    """The cards of a set of bits, rising."""
    return [card for card in range(1, 61) if int(bits) >> (card - 1) & 1]


def bound(spec: str, players: int = 4, **settings: Any) -> BoundStrategy:
    """A strategy ready to play under the printed rules but for some settings."""
    return bind("turnthetide", spec, settle(GAME, players, settings), players)


def position(
    mine: Hand,
    *,
    shown: Sequence[int] = (0, 0, 0, 0),
    low: int = 1,
    high: int = 12,
    lives: Sequence[int] | None = None,
    preservers: Sequence[int] | None = None,
    played: Sequence[Hand] | None = None,
    known: Sequence[Hand] | None = None,
    scores: Sequence[int] | None = None,
    hands: int = 12,
    hand: int | None = None,
    rounds: int = 4,
    turn: int = 0,
) -> View:
    """One column: a position in which everybody lives."""
    players = len(shown)
    mine = list(mine)
    hand = hands - len(mine) if hand is None else hand

    def column(values: Sequence[int], dtype: Any) -> NDArray[Any]:
        return np.array([[value] for value in values], dtype)

    def sets(hands_: Sequence[Hand] | None) -> NDArray[np.uint64]:
        return column([card_set(h) for h in hands_ or [()] * players], np.uint64)

    lives = [5] * players if lives is None else lives
    knowledge = sets(known)
    knowledge[0] = card_set(mine)
    return View(
        active=np.ones(1, np.uint8),
        cards=np.array([card_set(mine)], np.uint64),
        low=np.array([low], np.uint8),
        high=np.array([high], np.uint8),
        shown=column(shown, np.uint8),
        highest=np.array([max(shown)], np.uint8),
        lives=column(lives, np.int8),
        alive=np.ones((players, 1), np.uint8),
        preservers=column(preservers or lives, np.int8),
        scores=column(scores or [0] * players, np.int16),
        played=sets(played),
        known=knowledge,
        players=players,
        rounds=rounds,
        hands=hands,
        round=turn,
        hand=hand,
        cards_left=len(mine),
        tide_max=12,
    )


def ask(strategy: BoundStrategy, view: View, words: NDArray[np.uint64] | None = None) -> Any:
    """The answers to a question of one or more columns; it is shown what it declares that it sees.

    ``words`` are made up for a strategy that is stochastic.
    """
    hidden = frozenset({"played", "known"} - set(strategy.sees))
    return ask_about(strategy, as_shown(view, hidden), words)


def ask_about(strategy: BoundStrategy, view: View, words: NDArray[np.uint64] | None = None) -> Any:
    """The answers to a question shown as it is."""
    if strategy.stochastic and words is None:
        words = np.arange(view.cards.size, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    out = np.zeros(view.cards.size, np.uint8)
    strategy.hooks["card"](view, strategy.params["card"], locked(words), out)
    return out


def play(
    lineup: Sequence[str], games: int = 256, seed: int = 5, **settings: Any
) -> tuple[list[Question], Outcome]:
    """Play games; returns what the first seat was asked, and how they ended."""
    rules = settle(GAME, len(lineup), settings)
    strategies = [bind("turnthetide", spec, rules, len(lineup)) for spec in lineup]
    hook = strategies[0].hooks["card"]
    asked: list[Question] = []

    def record(view: View, params: Any, words: Any, out: Any) -> None:
        hook(view, params, words, out)
        columns = np.flatnonzero(view.active)
        if columns.size:
            some = None if words is None else words[columns]
            asked.append(Question(dense(view, columns), some, np.asarray(out)[columns].copy()))

    strategies[0] = dataclasses.replace(strategies[0], hooks={"card": record})
    seats = [SeatedStrategy(strategy) for strategy in strategies]
    numbers = np.arange(games, dtype=np.uint64)
    for seat in seats:
        seat.games = numbers
    experiment = Experiment("turnthetide", tuple(lineup), rules, games, seed)
    table = GAME.table(rules, len(lineup), 256)
    return asked, GAME.play(table, seed, numbers, seats, new_tally(GAME, experiment))
