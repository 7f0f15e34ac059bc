"""A game of Turn the Tide told alike by the plain twin and by the kernels.

`by_twin` and `by_kernels` play given deals, tides and cards, so that one test can examine both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BoundStrategy, Hook
from analyzer.engine.seat import SeatedStrategy
from analyzer.games.turnthetide.deal import begin, gather
from analyzer.games.turnthetide.game import GAME, Table
from analyzer.games.turnthetide.rules import equal_preservers
from analyzer.games.turnthetide.tides import sort_pairs
from analyzer.kernels.outcomes import share_wins
from tests.reference import turnthetide as twin

Row = tuple[int, ...]
Script = Sequence[Sequence[int]]
"""What one seat plays: a list a round, a card a hand."""


@dataclass(frozen=True)
class Told:
    """What happened, by round, hand and seat."""

    start: tuple[Row, ...]  # preservers that each round began with
    shown: tuple[tuple[Row, ...], ...]
    lives: tuple[tuple[Row, ...], ...]
    alive: tuple[tuple[Row, ...], ...]
    points: tuple[Row, ...]
    scores: Row
    wins: Row

    @property
    def hands(self) -> tuple[int, ...]:
        """Hands played in each round."""
        return tuple(len(one) for one in self.shown)


Simulator = Callable[
    [twin.Rules, Sequence[frozenset[int]], Sequence[Sequence[tuple[int, int]]], Sequence[Script]],
    Told,
]
"""Plays given deals, tides and cards by the rules: by the twin or by the kernels."""


def tell(record: twin.GameRecord) -> Told:
    """The twin's record in the common form."""
    gone: list[list[set[int]]] = []
    for one in record.rounds:
        out: set[int] = set()
        gone.append([])
        for hand in one.hands:
            out |= set(hand.eliminated)
            gone[-1].append(set(out))
    seats = range(record.rules.players)
    return Told(
        start=tuple(one.start for one in record.rounds),
        shown=tuple(tuple(hand.shown for hand in one.hands) for one in record.rounds),
        lives=tuple(tuple(hand.lives for hand in one.hands) for one in record.rounds),
        alive=tuple(
            tuple(tuple(int(seat not in out) for seat in seats) for out in one) for one in gone
        ),
        points=tuple(one.scores for one in record.rounds),
        scores=record.scores,
        wins=record.wins,
    )


def by_twin(
    rules: twin.Rules,
    deals: Sequence[frozenset[int]],
    tides: Sequence[Sequence[tuple[int, int]]],
    scripts: Sequence[Script],
) -> Told:
    """Play given cards by the twin."""
    strategies = [twin.scripted(script) for script in scripts]
    return tell(twin.play_given(rules, deals, tides, strategies))


# The kernels --------------------------------------------------------------------------------------


def settings(rules: twin.Rules) -> dict[str, Any]:
    """The same rules as the game itself takes them."""
    values = asdict(rules)
    del values["players"]
    assert values.keys() == {setting.key for setting in GAME.settings}
    GAME.check_rules(values, rules.players)
    return values


def seated(
    hook: Hook, *, name: str = "test", sees: Sequence[str] = (), stochastic: bool = False
) -> SeatedStrategy:
    """A seat for a function of a test."""
    return SeatedStrategy(
        BoundStrategy(
            spec=name,
            hooks={"card": hook},
            params={"card": ()},
            stochastic=frozenset({"card"} if stochastic else ()),
            sees=frozenset(sees),
            expensive=False,
            compiled=False,
            source_hash="",
        )
    )


def _scripted(script: Script) -> Hook:
    def play(view: Any, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        cards = script[view.round]
        out[:] = cards[view.hand] if view.hand < len(cards) else 0

    return play


class Listener:
    """Writes down the events of lane 0."""

    def __init__(self) -> None:
        self.start: list[Row] = []
        self.tides: list[list[tuple[int, int]]] = []
        self.choices: list[list[Row]] = []
        self.shown: list[list[Row]] = []
        self.lives: list[list[Row]] = []
        self.alive: list[list[Row]] = []
        self.points: list[Row] = []
        self.scores: Row = ()
        self.goes_on = True

    def __call__(self, event: str, facts: Mapping[str, Any]) -> None:
        """Take one event."""
        if event == "round":
            self.goes_on = True
            self.start.append(tuple(facts["lives"]))
            for by_round in (self.tides, self.choices, self.shown, self.lives, self.alive):
                by_round.append([])  # type: ignore[attr-defined]
        elif event == "cards":
            assert self.goes_on
            self.tides[-1].append((facts["low"], facts["high"]))
            self.choices[-1].append(tuple(facts["cards"]))
        elif event == "hand":
            self.shown[-1].append(tuple(facts["shown"]))
            self.lives[-1].append(tuple(facts["lives"]))
            self.alive[-1].append(tuple(int(a) for a in facts["alive"]))
            self.goes_on = facts["goes_on"]
        else:
            self.points.append(tuple(facts["points"]))
            self.scores = tuple(facts["scores"])

    def told(self, wins: Row) -> Told:
        """The whole game in the common form."""
        return Told(
            start=tuple(self.start),
            shown=tuple(map(tuple, self.shown)),
            lives=tuple(map(tuple, self.lives)),
            alive=tuple(map(tuple, self.alive)),
            points=tuple(self.points),
            scores=self.scores,
            wins=wins,
        )


def lay_cards(table: Table, cards: NDArray[np.uint8]) -> None:
    """Deal given cards (P * hand_size, N), seat by seat."""
    rules, lanes = table.rules, table.lanes
    gather(table.state.deal, cards, rules["hand_size"], table.decks.halves, 0, lanes)
    begin(table.state, lanes, equal_preservers(rules))


def lay_tides(table: Table, cards: NDArray[np.uint8]) -> None:
    """Lay given tide cards (2 * hands, N) for the next round."""
    sort_pairs(cards, *table.state.tides, 0, table.lanes)


def lay_out(table: Table, deals: Sequence[frozenset[int]]) -> None:
    """Deal given hands in every lane."""
    cards = [card for hand in deals for card in sorted(hand)]
    lay_cards(table, np.repeat(np.array(cards, np.uint8)[:, None], table.lanes, axis=1))


def play_out(
    table: Table,
    tides: Sequence[Sequence[tuple[int, int]]],
    seats: Sequence[SeatedStrategy],
    listener: Listener,
) -> None:
    """Play the rounds of the hands laid out, with given tides in every lane."""
    games = np.arange(table.lanes, dtype=np.uint64)
    for number in range(table.rounds):
        levels = [level for pair in tides[number] for level in pair]
        cards = np.zeros((2 * table.hands, table.lanes), np.uint8)
        cards[: len(levels)] = np.array(levels, np.uint8)[:, None]
        lay_tides(table, cards)
        GAME.play_round(table, number, games, seats, listener)
    share_wins(table.state.scores.total[: table.players], table.state.scores.wins)


def by_kernels(
    rules: twin.Rules,
    deals: Sequence[frozenset[int]],
    tides: Sequence[Sequence[tuple[int, int]]],
    scripts: Sequence[Script],
) -> Told:
    """Play given cards by the kernels."""
    table = GAME.table(settings(rules), rules.players, 3)
    lay_out(table, deals)
    listener = Listener()
    play_out(table, tides, [seated(_scripted(script)) for script in scripts], listener)
    scores = table.state.scores
    for lane in range(table.lanes):
        assert tuple(scores.total[: rules.players, lane].tolist()) == listener.scores
        assert table.state.board.hands_played[lane] == sum(map(len, listener.shown))
    return listener.told(tuple(scores.wins[:, 0].tolist()))
