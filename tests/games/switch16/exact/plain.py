"""Whole games worked out exactly by trying everything: the plain twin of the exact solver.

The rules are played by the twin itself. Its dice and its undecided players follow a script; where
the script ends they report what could come next, and the turn is played again with each of the
possible continuations. So a turn becomes a tree, and the trees of all positions a system of
equations, solved by going through it until nothing changes. Fit for very small games only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.switch16 import Deal, Deck, Player, Rules, Table, gains_from

Vector = NDArray[np.float64]
State = tuple[tuple[tuple[int, bool], ...], int | None, int | None, int]
"""Decks as (top, protected), holder, blocked seat, mover."""


class Undecided(Exception):
    """The script has ended: ``options`` as (answer, probability), or a ``seat`` that chooses."""

    def __init__(self, options: Sequence[tuple[Any, float]], seat: int | None) -> None:
        super().__init__()
        self.options = options
        self.seat = seat


@dataclass
class Script:
    """Answers given so far."""

    answers: tuple[Any, ...]
    used: int = 0

    def next(self, options: Sequence[tuple[Any, float]], seat: int | None = None) -> Any:
        """Read the next answer."""
        if self.used == len(self.answers):
            raise Undecided(options, seat)
        self.used += 1
        return self.answers[self.used - 1]


@dataclass
class Chooser:
    """A player who will do what is best."""

    script: Script

    def choose(self, me: int, answers: Sequence[Any]) -> Any:
        """Wait for the script."""
        return self.script.next([(answer, 1.0) for answer in answers], me)

    def throws_again(self, table: Table, me: int) -> bool:
        """Yes or no."""
        return bool(self.choose(me, [False, True]))

    def swaps_with(self, table: Table, me: int, word: int) -> Any:
        """Nobody, or anybody who would not refuse."""
        return self.choose(me, [None, *(s for s in table.left_of(me) if s != table.holder)])

    def picks(self, table: Table, me: int, tied: Sequence[int]) -> Any:
        """Any of them."""
        return self.choose(me, tied)

    def takes_disc(self, table: Table, me: int) -> bool:
        """Yes or no."""
        return bool(self.choose(me, [True, False]))

    def lays_after(self, table: Table, me: int, going: int) -> Any:
        """Not at all, or before any of the cards."""
        return self.choose(me, [None, *range(going)])

    def lays_on(self, table: Table, me: int) -> Any:
        """On nobody's deck, or on any other's."""
        return self.choose(me, [None, *table.left_of(me)])


class ScriptedDeal(Deal):
    """A deal whose chance is in the script."""

    script: Script

    def roll(self) -> tuple[tuple[int, ...], str]:
        """Take one of the throws that differ in what they clear, with its probability."""
        rules, top = self.rules, self.table.top(self.table.mover)
        throws = product(range(1, rules.faces + 1), repeat=rules.dice_for(top))
        outcomes = Counter(gains_from(rules, top))
        examples = dict(zip(gains_from(rules, top), throws, strict=True))
        total = sum(outcomes.values()) * sum(rules.switch_die.values())
        options = [
            ((examples[gone], face), count * faces / total)
            for gone, count in sorted(outcomes.items())
            for face, faces in rules.switch_die.items()
            if faces
        ]
        numbers, face = self.script.next(options)
        return tuple(numbers), str(face)

    def decision_word(self, seat: int) -> int:
        """Take one word for each opponent who may be asked: a uniform choice among them."""
        willing = self.rules.players - 1 - (self.table.holder not in (None, seat))
        if willing <= 1 or isinstance(self.players[seat], Chooser):
            return 0
        words = [(2 * i + 1) * 2**64 // (2 * willing) for i in range(willing)]
        return int(self.script.next([(word, 1 / willing) for word in words]))


@dataclass(frozen=True)
class Node:
    """``seat`` None: the children's mean by weight; else that seat chooses among them."""

    seat: int | None
    weights: tuple[float, ...]
    children: tuple[Node | State | int, ...]  # a state: the turn is over; a number: who has won


def turn(rules: Rules, players: Sequence[Player | None], state: State) -> Node | State | int:
    """All that can come of a turn; None stands for a player who does what is best."""

    def grow(answers: tuple[Any, ...]) -> Node | State | int:
        script = Script(answers)
        deal = ScriptedDeal(rules, [p or Chooser(script) for p in players], 0, 0)
        deal.script = script
        decks, holder, blocked, mover = state
        deal.table = Table(
            rules, [Deck(*deck) for deck in decks], mover, holder=holder, blocked=blocked
        )
        try:
            deal.disc_between_turns()
            won = deal.take_turn()
        except Undecided as stop:
            children = tuple(grow((*answers, answer)) for answer, _ in stop.options)
            return Node(stop.seat, tuple(weight for _, weight in stop.options), children)
        if won:
            return mover
        after = deal.table
        left = tuple((deck.top, deck.protected) for deck in after.decks)
        return left, after.holder, after.blocked, (mover + 1) % rules.players

    return grow(())


def flat(node: Node | State | int) -> Node | State | int:
    """The same tree with chance upon chance put together, and equal ends counted as one."""
    if not isinstance(node, Node):
        return node
    children = tuple(flat(child) for child in node.children)
    if node.seat is not None:
        return Node(node.seat, node.weights, children)
    # Counts of fractions, which the type of a counter does not foresee.
    ends: Counter[Any] = Counter()
    for weight, child in zip(node.weights, children, strict=True):
        if isinstance(child, Node) and child.seat is None:
            for part, end in zip(child.weights, child.children, strict=True):
                ends[end] += weight * part  # type: ignore[assignment]
        else:
            ends[child] += weight  # type: ignore[assignment]
    return Node(None, tuple(ends.values()), tuple(ends))


def states_in(node: Node | State | int) -> list[State]:
    """The positions at the ends of a tree."""
    if isinstance(node, Node):
        return [state for child in node.children for state in states_in(child)]
    return [node] if isinstance(node, tuple) else []


def solve(rules: Rules, players: Sequence[Player | None], start: float) -> Vector:
    """Shares (first, seat) of the win; undecided games count ``start`` for everybody at first."""
    fresh = ((1, False),) * rules.players
    beginnings: list[State] = [(fresh, None, None, first) for first in range(rules.players)]
    trees: dict[State, Node | State | int] = {}
    waiting = list(beginnings)
    while waiting:
        state = waiting.pop()
        if state not in trees:
            trees[state] = flat(turn(rules, players, state))
            waiting += states_in(trees[state])
    values = {state: [start] * rules.players for state in trees}

    def value(node: Node | State | int) -> list[float]:
        if isinstance(node, int):
            return [float(seat == node) for seat in range(rules.players)]
        if isinstance(node, tuple):
            return values[node]
        found = [value(child) for child in node.children]
        if node.seat is not None:
            return max(found, key=lambda shares: shares[node.seat or 0])
        return [
            sum(weight * shares[seat] for weight, shares in zip(node.weights, found, strict=True))
            for seat in range(rules.players)
        ]

    change = 1.0
    while change > 1e-11:
        change = 0.0
        for state, tree in trees.items():
            new = value(tree)
            change = max(change, *(abs(a - b) for a, b in zip(new, values[state], strict=True)))
            values[state] = new
    return np.array([values[state] for state in beginnings])
