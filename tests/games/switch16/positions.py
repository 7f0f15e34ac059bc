"""Positions of Switch 16 set up by hand, and what comes of them, by the plain twin and the kernels.

Throws are written down: the numbered dice and the face of the Switch die. The kernels read theirs
off a random word, so a word that stands for the throw is put where they look for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.seat import SeatedStrategy
from analyzer.games.switch16 import game as fast
from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.events import EventRecorder
from analyzer.games.switch16.policies import NEVER
from analyzer.games.switch16.rules import FACES
from analyzer.games.switch16.state import View
from analyzer.kernels.random import GAMMA
from tests.games.switch16.players import seated, settings
from tests.reference import switch16 as twin

Throw = tuple[Sequence[int], str]
COUNTED = ("risks", "busts", "green_swaps", "red_swaps", "blocks_laid")


@dataclass
class Answers:
    """What a seat answers whenever it is asked; seats are absolute, from 0."""

    again: int = 0  # so many risks, then it stops
    swap: int | None = None
    pick: int | None = None
    take: bool = True
    lay: int | None = None  # after so many cards
    lets_pass: int = 0  # so many throws of a turn, before it lays the disc
    place: int | None = None


@dataclass(frozen=True)
class Position:
    """The moment before a turn: (top card, protected) of each seat's deck, and the throws to come.

    The disc is in the tray unless a seat holds it or it lies on a seat's deck.
    """

    decks: tuple[tuple[int, bool], ...]
    throws: tuple[Throw, ...]
    answers: Mapping[int, Answers] = field(default_factory=dict)
    mover: int = 0
    holder: int | None = None
    blocked: int | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)

    @property
    def all_rules(self) -> twin.Rules:
        """The rules in force."""
        return replace(twin.Rules(players=len(self.decks)), **self.rules)


@dataclass
class After:
    """What came of a turn."""

    tops: list[int]
    protected: list[bool] | None  # None once the game is won: there is a new deal
    holder: int | None
    blocked: int | None
    counts: dict[str, int]
    taken: int  # times that block brought the disc to the mover
    dice: list[list[int]]  # numbers of each throw
    asked: list[str]
    won: int | None


Player = Callable[[Position], After]


# By the twin --------------------------------------------------------------------------------------


class _Answering:
    """A player of the twin."""

    def __init__(self, seat: int, answers: Answers, asked: list[str]) -> None:
        self.seat = seat
        self.answers = replace(answers)
        self.asked = asked

    def _ask(self, what: str) -> None:
        self.asked.append(f"{self.seat} {what}")

    def throws_again(self, table: twin.Table, me: int) -> bool:
        self._ask("risk")
        self.answers.again -= 1
        return self.answers.again >= 0

    def swaps_with(self, table: twin.Table, me: int, word: int) -> int | None:
        self._ask("swap")
        return self.answers.swap

    def picks(self, table: twin.Table, me: int, tied: Sequence[int]) -> int:
        self._ask("pick")
        return tied[0] if self.answers.pick is None else self.answers.pick

    def takes_disc(self, table: twin.Table, me: int) -> bool:
        self._ask("take")
        return self.answers.take

    def lays_after(self, table: twin.Table, me: int, going: int) -> int | None:
        self._ask(f"lay {going}")
        return self.answers.lay if table.throw >= self.answers.lets_pass else None

    def lays_on(self, table: twin.Table, me: int) -> int | None:
        self._ask("place")
        return self.answers.place


class _Written(twin.Deal):
    """A deal whose throws are written down."""

    throws: list[Throw]

    def roll(self) -> tuple[tuple[int, ...], str]:
        numbers, face = self.throws.pop(0)
        assert len(numbers) == self.rules.dice_for(self.table.top(self.table.mover))
        return tuple(numbers), face


def by_twin(position: Position) -> After:
    """One turn of the plain twin."""
    rules = position.all_rules
    asked: list[str] = []
    players = [
        _Answering(seat, position.answers.get(seat, Answers()), asked)
        for seat in range(rules.players)
    ]
    deal = _Written(rules, players, 0, 0)
    deal.table = twin.Table(
        rules,
        [twin.Deck(*deck) for deck in position.decks],
        position.mover,
        holder=position.holder,
        blocked=position.blocked,
    )
    deal.throws = list(position.throws)
    deal.disc_between_turns()
    won = deal.take_turn()
    assert not deal.throws, "the turn ended before the last throw"
    table = deal.table
    for seat, counts in enumerate(deal.counts):
        if seat == position.mover:
            assert (counts.turns, counts.throws) == (1, len(position.throws))
        else:
            assert replace(counts, blocks_laid=0) == twin.Counts()
        assert counts.blocks_laid == 0 or seat == position.holder
    dice: Any = [event.facts["numbers"] for event in deal.events if event.what == "throw"]
    return After(
        [deck.top for deck in table.decks],
        None if won else [deck.protected for deck in table.decks],
        None if won else table.holder,
        None if won else table.blocked,
        {name: sum(getattr(counts, name) for counts in deal.counts) for name in COUNTED},
        deal.counts[position.mover].blocks_taken,
        [list(numbers) for numbers in dice],
        asked,
        position.mover if won else None,
    )


# By the kernels -----------------------------------------------------------------------------------


def _unmix(word: int) -> int:
    """What `analyzer.kernels.random.mix64` makes this word of, step by step backward."""
    whole = 2**64 - 1
    word ^= word >> 31 ^ word >> 62
    word = word * pow(0x94D049BB133111EB, -1, 2**64) & whole
    word ^= word >> 27 ^ word >> 54
    word = word * pow(0xBF58476D1CE4E5B9, -1, 2**64) & whole
    return word ^ word >> 30 ^ word >> 60


def word_of(throw: Throw, rules: twin.Rules) -> int:
    """A random word that stands for a throw; dice beyond those thrown show a 1."""
    numbers, face = throw
    most = max(rules.dice.values())
    faces = [kind for kind in FACES for _ in range(rules.switch_die[kind])]
    number = 0
    for i in range(most):
        number = number * rules.faces + (numbers[i] - 1 if i < len(numbers) else 0)
    number = number * len(faces) + faces.index(face)
    throws = rules.faces**most * len(faces)
    return ((2 * number + 1) << 63) // throws


def key_for(throw: Throw, rules: twin.Rules, number: int) -> np.uint64:
    """What to put into ``keys`` so that this throw is made; ``number`` is turn << 8 | throw."""
    return np.uint64((_unmix(word_of(throw, rules)) - number * int(GAMMA)) % 2**64)


def _hooks(seat: int, answers: Answers, asked: list[str], players: int) -> dict[str, Any]:
    """The same answers as functions of a strategy, which counts rows from its own seat."""
    left = answers.again

    def row(other: int | None) -> int:
        return 0 if other is None else (other - seat) % players

    def note(view: View, what: str) -> None:
        if view.active[0]:
            asked.append(f"{seat} {what}")

    def risk(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        nonlocal left
        note(view, "risk")
        if view.active[0]:
            out[:] = int(left > 0)
            left -= 1

    def swap(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        note(view, "swap")
        out[:] = row(answers.swap)

    def pick(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        note(view, "pick")
        out[:] = row(answers.pick) if view.active[0] else 0

    def take(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        note(view, "take")
        out[:] = int(answers.take)

    def lay(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        assert view.going is not None and view.thrown is not None
        note(view, f"lay {view.going[0]}")
        lays = answers.lay is not None and view.thrown[0] >= answers.lets_pass
        out[:] = answers.lay if lays else NEVER

    def lay_between(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        note(view, "place")
        out[:] = row(answers.place)

    return {
        "risk": risk, "swap": swap, "pick": pick, "take": take, "lay": lay,
        "lay_between": lay_between,
    }  # fmt: skip


def set_up(batch: fast.Batch, position: Position) -> None:
    """Put a batch's first lane into a position."""
    rules, mover = position.all_rules, position.mover
    players = rules.players
    state = batch.workspace.state.rows
    for d in range(players):
        seat = (mover + d) % players
        state[at.TOP + d, 0], state[at.SAFE + d, 0] = position.decks[seat]
        state[at.ORIGIN + d, 0] = seat
    state[at.MOVER, 0] = mover
    state[at.DICE, 0] = rules.dice_for(position.decks[mover][0])
    if position.holder is not None:
        state[at.DISC, 0] = 1 + (position.holder - mover) % players
    if position.blocked is not None:
        state[at.DISC, 0] = 1 + players + (position.blocked - mover) % players


def by_kernels(position: Position) -> After:
    """One turn of the kernels."""
    rules = position.all_rules
    players = rules.players
    asked: list[str] = []
    seats: list[SeatedStrategy] = [
        seated(
            _hooks(seat, position.answers.get(seat, Answers()), asked, players),
            name=f"seat {seat}",
            sees=("throw", "time"),
        )
        for seat in range(players)
    ]
    table = fast.GAME.table(settings(rules), players, 1)
    batch = fast.Batch(table.calls(seats, follow_origins=True), 0, np.zeros(1, np.uint64))
    state = table.state.rows
    set_up(batch, position)
    events: list[tuple[str, Mapping[str, Any]]] = []
    recorder = EventRecorder(table, lambda *event: events.append(event))
    for number, throw in enumerate(position.throws):
        table.state.keys[0] = key_for(throw, rules, number)
        assert state[at.THROWN, 0] == number, "the turn ended before the last throw"
        batch.throw(recorder)
        batch.resolve(recorder)
        batch.advance(recorder)
    over = batch.is_over
    if not over:
        assert state[at.THROWN, 0] == 0, "the turn goes on"
        assert table.state.shorts[at.TURN, 0] == 1
    counts = {
        name: int(table.counts[k, 0]) + int(state[at.COUNTS + k, 0])
        for k, name in enumerate(COUNTED)
    }
    taken = sum(event == "take" for event, _ in events)
    dice = [facts["dice"] for event, facts in events if event == "throw"]
    if over:
        outcome = batch.outcome()
        won = np.flatnonzero(outcome.wins[:, 0])
        tops = [int(score) + 1 for score in outcome.scores[:, 0]]
        winner = int(won[0]) if won.size else None
        return After(tops, None, None, None, counts, taken, dice, asked, winner)
    mover = int(state[at.MOVER, 0])
    assert mover == (position.mover + 1) % players
    rows = [(seat - mover) % players for seat in range(players)]
    disc = int(state[at.DISC, 0])
    held = 1 <= disc <= players
    return After(
        [int(state[at.TOP + row, 0]) for row in rows],
        [bool(state[at.SAFE + row, 0]) for row in rows],
        (mover + disc - 1) % players if held else None,
        (mover + disc - 1 - players) % players if disc > players else None,
        counts,
        taken,
        dice,
        asked,
        None,
    )
