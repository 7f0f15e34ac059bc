"""Asking seats for decisions: those that decide alike together, and whose answer was illegal.

Games may use this module: it knows contracts and kernels, not the runner. A game says what its
views show and where its answers go; here is what is the same for every game that does not go in
step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import GameNumbers, Hook, Seat
from analyzer.errors import StrategyFailed
from analyzer.kernels.calls import Call
from analyzer.kernels.rows import read_only

__all__ = [
    "AskedGames",
    "IllegalAnswer",
    "PolicyGroup",
    "decide_alike",
    "failure",
    "policy_groups",
    "question",
    "wants_chance",
]


class PolicyGroup(NamedTuple):
    """Seats that decide alike, so that they are asked together.

    Attributes
    ----------
    seat
        The first of them, which is asked for all.
    members
        Numbers of the seats, from 0, in ascending order.
    """

    seat: Seat
    members: tuple[int, ...]

    @property
    def mask(self) -> int:
        """The seats as a bit mask."""
        return sum(1 << number for number in self.members)

    def marks(self, players: int) -> NDArray[np.uint8]:
        """The seats as a row: (P,) uint8, 1 for each of them."""
        row = np.zeros(players, np.uint8)
        row[list(self.members)] = 1
        return row


def decide_alike(one: Seat, other: Seat, decision: str | None = None) -> bool:
    """Whether two seats always answer the same where they see the same and get the same word.

    Parameters
    ----------
    decision
        One that both have a hook for; None = in all decisions, which takes the same strategy.
    """
    mine, theirs = one.strategy, other.strategy
    if mine.spec == theirs.spec:
        return True
    if decision is None or mine.hooks[decision] is not theirs.hooks[decision]:
        return False
    if (decision in mine.stochastic) != (decision in theirs.stochastic):
        return False
    if mine.sees != theirs.sees or mine.expensive != theirs.expensive:
        return False
    given, other_given = mine.params[decision], theirs.params[decision]
    if len(given) != len(other_given):
        return False
    return all(np.array_equal(a, b) for a, b in zip(given, other_given, strict=True))


def policy_groups(
    seats: Sequence[Seat], decision: str | None = None, answered: Iterable[Hook] = ()
) -> list[PolicyGroup]:
    """Seats that decide alike, together: equal strategies are asked once.

    Parameters
    ----------
    seats
        Of the table, from seat 0.
    decision
        Group by who answers this decision, leaving out seats without a hook for it; None = by whole
        strategies, leaving out nobody.
    answered
        Hooks whose answers the game works out itself: seats that decide by them are left out.

    Returns
    -------
    list of PolicyGroup
        In the order of their first seats.
    """
    known = tuple(answered)
    groups: list[PolicyGroup] = []
    for number, seat in enumerate(seats):
        if decision is not None:
            hook = seat.strategy.hooks.get(decision)
            if hook is None or any(hook is one for one in known):
                continue
        for i, group in enumerate(groups):
            if decide_alike(group.seat, seat, decision):
                groups[i] = group._replace(members=(*group.members, number))
                break
        else:
            groups.append(PolicyGroup(seat, (number,)))
    return groups


def wants_chance(seat: Seat, decision: str) -> bool:
    """Whether the strategy of a seat is given a random word for each answer to a decision."""
    return decision in seat.strategy.hooks and decision in seat.strategy.stochastic


@dataclass(frozen=True)
class AskedGames:
    """Which games are in the columns of a question, looked up when a strategy fails.

    It is what `analyzer.contracts.GameNumbers` asks for where columns do not go in step.

    Attributes
    ----------
    columns
        Tells how many columns there are now.
    game
        Tells the number of the game in a column.
    moment
        Tells, given a column and a decision, where in its game that is: ``"turn 3, seat 2"``.
    """

    columns: Callable[[], int]
    game: Callable[[int], int]
    moment: Callable[[int, str], str]

    @property
    def size(self) -> int:
        """How many columns there are."""
        return self.columns()

    def __getitem__(self, column: int, /) -> int:
        """Number of the game in a column."""
        return self.game(column)


def question(
    seat: Seat,
    decision: str,
    view: Any,
    words: NDArray[np.uint64],
    out: NDArray[Any],
    games: GameNumbers,
) -> Call:
    """A call that asks a seat about the same arrays again and again.

    Parameters
    ----------
    view
        What the seat sees, as the game's own named tuple of read-only arrays.
    words
        (N,) uint64, one random word a column; handed over, read-only, if the strategy wants chance
        for this decision.
    out
        (N,) row that the answers go to; 0 in columns that the hook leaves alone.
    games
        What is in the columns, for messages if the strategy fails.

    Raises
    ------
    PluginError
        If a compiled hook does not compile for this view.
    """
    chance = read_only(words) if wants_chance(seat, decision) else None
    ask = seat.question(decision, view, chance, out)

    def ask_there() -> None:
        seat.games = games
        ask()

    call = Call(ask_there)
    call.steps = getattr(ask, "steps", ())
    return call


class IllegalAnswer(NamedTuple):
    """An answer that the rules forbid: whose, in which game, when, and what is wrong with it."""

    seat: Seat
    game: int
    moment: str
    decision: str
    what: str


def failure(illegal: Iterable[IllegalAnswer]) -> StrategyFailed:
    """What to raise for illegal answers found at once: it tells of the lowest game among them.

    Raises
    ------
    RuntimeError
        If there is none, though a kernel had found one.
    """
    first = min(illegal, key=lambda answer: answer.game, default=None)
    if first is None:
        raise RuntimeError("an answer was found to be illegal that nobody has given")
    return StrategyFailed(
        first.seat.strategy.spec,
        first.game,
        f"{first.moment}, decision {first.decision!r}",
        first.what,
    )
