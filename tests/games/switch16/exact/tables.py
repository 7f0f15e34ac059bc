"""A player for the plain twin who does what a policy table says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from analyzer.games.switch16.exact.policies import NEVER, UNIFORM, PolicyTable
from analyzer.games.switch16.exact.states import Setup
from tests.reference import chance
from tests.reference.switch16 import Rules, Table, cards_going


def rules_of(setup: Setup, **changes: object) -> Rules:
    """The twin's rules for a setup."""
    settings = setup.as_rules()
    settings["dice"] = dict(setup.dice)
    return Rules(players=setup.players, **(settings | changes))


def seats(table: Table, me: int) -> list[int]:
    """All seats, mine first, then to the left."""
    return [me, *table.left_of(me)]


def disc_code(table: Table, me: int) -> int:
    """Code of the disc as a seat sees it."""
    order = seats(table, me)
    if table.holder is not None:
        return 1 + order.index(table.holder)
    if table.blocked is not None:
        return 1 + len(order) + order.index(table.blocked)
    return 0


def decks_number(table: Table, me: int) -> int:
    """Number of the decks' position as a seat sees it."""
    rules = table.rules
    at_milestone = rules.milestone_resume == rules.milestone
    number = 0
    for seat in seats(table, me):
        deck = table.decks[seat]
        code = deck.top - 1 + (deck.protected and at_milestone)
        number = number * (rules.cards + at_milestone) + code
    return number


def outcome(table: Table, me: int) -> int:
    """What the numbers on the table would do: nothing, clear cards, or be a bust."""
    going = cards_going(table.top(me), table.numbers, table.rules.cards)
    return table.rules.cards + 1 if table.throw > 0 and going == 0 else going


@dataclass(frozen=True)
class TablePlayer:
    """Looks up every answer."""

    policy: PolicyTable

    def throws_again(self, table: Table, me: int) -> bool:
        """Look in ``risk``."""
        return bool(self.policy.risk[disc_code(table, me), decks_number(table, me)])

    def swaps_with(self, table: Table, me: int, word: int) -> int | None:
        """Look in ``green``."""
        place = disc_code(table, me), decks_number(table, me), outcome(table, me)
        choice = self.policy.green[place]
        if choice == UNIFORM:
            willing = [seat for seat in table.left_of(me) if seat != table.holder]
            return willing[chance.bounded(word, len(willing))] if willing else None
        return seats(table, me)[int(choice)] if choice else None

    def picks(self, table: Table, me: int, tied: Sequence[int]) -> int:
        """Look in ``red``."""
        choice = self.policy.red[disc_code(table, me), decks_number(table, me)]
        return seats(table, me)[int(choice)]

    def takes_disc(self, table: Table, me: int) -> bool:
        """Look in ``block``."""
        place = disc_code(table, me), decks_number(table, me), outcome(table, me)
        return bool(self.policy.block[place])

    def lays_after(self, table: Table, me: int, going: int) -> int | None:
        """Look in ``lay``."""
        mover = seats(table, me).index(table.mover)
        choice = self.policy.lay[mover, decks_number(table, me), going]
        return None if choice == NEVER else int(choice)

    def lays_on(self, table: Table, me: int) -> int | None:
        """Look in ``place``."""
        mover = seats(table, me).index(table.mover)
        choice = self.policy.place[mover, decks_number(table, me)]
        return seats(table, me)[choice] if choice else None


def random_policy(setup: Setup, generator: Generator) -> PolicyTable:
    """A policy that does anything legal at all, the same in the same position."""
    policy = PolicyTable.empty(setup, "random choices")
    players, positions = setup.players, setup.positions
    policy.risk[:] = generator.integers(0, 2, policy.risk.shape)
    # Now and then: players who do nothing but swap or block would play for ever.
    swap = generator.random(policy.green.shape) < 0.3
    policy.green[:] = swap * generator.integers(1, players, policy.green.shape)
    policy.green[generator.random(policy.green.shape) < 0.1] = UNIFORM
    policy.block[:] = generator.integers(0, 2, policy.block.shape)
    lay = generator.random(policy.lay.shape) < 0.3
    after = generator.integers(0, np.maximum(np.arange(setup.cards + 1), 1), policy.lay.shape)
    policy.lay[:] = np.where(lay & (np.arange(setup.cards + 1) > 0), after, NEVER)
    place = generator.random(policy.place.shape) < 0.2
    policy.place[:] = place * generator.integers(1, players, policy.place.shape)
    tops = setup.tops()[setup.digits()]
    lowest = tops[1:].min(axis=0)
    for disc in range(setup.discs):
        ranks = generator.random((players - 1, positions)) - 2 * (tops[1:] == lowest)
        pick = ranks.argmin(axis=0) + 1
        policy.red[disc] = np.where(lowest < tops[0], pick, 0)
    return policy
