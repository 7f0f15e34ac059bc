"""Win shares of Switch 16 without chance: the game as a Markov chain over whole turns.

With stationary policies the game is a Markov chain. Its states are the positions at the start of a
turn, seen from the player who is to move; within a turn the top card only rises until the turn
ends, so the throws of a turn are summed up exactly, from the highest top card down, and need no
states of their own. A *sweep* replaces the value of every state by its expectation one turn later,
in place (Gauss and Seidel's way). Values are vectors: the probability of winning of the mover and
of each player to the left, and last the expected number of turns still to come.

Starting from zero, the winning probabilities rise towards the true ones and never pass them. What
they lack in sum at the start is the probability of the games not yet decided, and so a bound on
the error of every share: no other estimate of the error is needed.

If the strategies around the table repeat after k seats (k = 1 if all are the same), only k kinds of
movers have to be told apart.

A seat can also be told to *choose*: wherever its policy would be looked up it takes the option with
the highest winning probability of its own, and the table is overwritten with what it took. Sweeps
are then value iteration; `analyzer.games.switch16.exact.solver` uses that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.errors import AnalyzerError, UsageError
from analyzer.games.switch16.exact.policies import NEVER, UNIFORM, PolicyTable, baseline
from analyzer.games.switch16.exact.states import TRAY, Setup
from analyzer.kernels.compilation import kernel

Floats = NDArray[np.float64]
Policy = PolicyTable | str

WIDTH = 5
"""Numbers in a vector of values: up to four winning probabilities by row, and the turns to come.

A constant, also with fewer players, so that the compiler unrolls the many loops over it.
"""

TURNS = 4

NO_CARD_LEFT = -1
MARGIN = 1e-13
"""An option is taken only if it is better by more than this: rounding shall not choose."""

STALLED = 1e-5
"""A sweep that changes less than this part of the tolerance will not reach it any more."""


class Dice(NamedTuple):
    """What chance does in one throw, by deck code (``Setup`` says what each means).

    ``cleared`` (D, cards + 1) float64 and ``steps`` (D, cards + 1) int64 by code and cards gone;
    ``busts``, ``tops`` (D,) int64; ``switch`` (4,) float64 chances of blank, green, red, block.
    """

    cleared: Floats
    steps: NDArray[np.int64]
    busts: NDArray[np.int64]
    tops: NDArray[np.int64]
    switch: Floats


class Tables(NamedTuple):
    """The policy tables of all kinds of movers, stacked, and which of them choose.

    As in `PolicyTable` with an axis for the kind in front; ``chooses`` (kinds,) uint8.
    """

    risk: NDArray[np.uint8]
    green: NDArray[np.uint8]
    red: NDArray[np.uint8]
    block: NDArray[np.uint8]
    lay: NDArray[np.uint8]
    place: NDArray[np.uint8]
    chooses: NDArray[np.uint8]


class Place(NamedTuple):
    """Where the decks are: the mover's code, and the number that the other rows' codes make.

    ``size`` is the number of deck codes, ``cards`` that of a deck's cards, ``kind`` the kind of
    the mover.
    """

    players: int
    size: int
    cards: int
    kind: int
    mine: int
    others: int


# Kernels keep vectors of values as rows of one array ``slots`` (.., 5) and name them by number:
# views of arrays would cost more than the arithmetic. There are nine codes of the disc at most;
# where there are two blocks of nine, the first is for a first throw and the other, + RISKING, for a
# risk. The slots:
RISKING = 9
SPARE = 0  # passing thoughts
SWAP = 1  # + row: the turn ends with a swap; row 0: with one of the willing, chosen uniformly
BLANK = 5  # + disc, + RISKING: a throw that shows blank
GREEN = 23  # + disc, + RISKING: a throw that shows green
BLOCK = 41  # + disc, + RISKING: a throw that shows block
RED = 59  # + disc: a throw that shows red
OPENING = 68  # + disc: a first throw
RISK = 77  # + disc: a risk
AFTER = 86  # + D disc + code: cards have gone, and the mover may stop or go on; then `_outcome`

# ``later`` (discs, S, 5) has the values of the next mover's turns. `end_turn` turns the vectors so
# that row 0 is the present mover.


@kernel
def _outcome(at: Place, disc: int) -> int:
    """First of the slots for what a throw's numbers do if no swap prevents it.

    They are, in order: nothing (on a first throw), 1 .. cards cards go, bust.
    """
    return AFTER + (2 * at.players + 1) * at.size + disc * (at.cards + 2)


@kernel
def _index(at: Place) -> int:
    """Number of the decks' position as the mover sees it."""
    lead: int = at.size ** (at.players - 1)
    return at.mine * lead + at.others


@kernel
def _seen_by(at: Place, row: int) -> int:
    """Number of the decks' position as a row to the left sees it."""
    tail: int = at.size ** (at.players - row)
    head: int = at.size**row
    index = _index(at)
    return (index % tail) * head + index // tail


@kernel
def _copy(slots: Floats, source: int, target: int) -> None:
    for j in range(WIDTH):
        slots[target, j] = slots[source, j]


@kernel
def _add(weight: float, slots: Floats, source: int, target: int) -> None:
    for j in range(WIDTH):
        slots[target, j] += weight * slots[source, j]


@kernel
def _clear(slots: Floats, target: int) -> None:
    for j in range(WIDTH):
        slots[target, j] = 0.0


@kernel
def end_turn(
    later: Floats, players: int, index: int, disc: int, slots: Floats, target: int
) -> None:
    """Value of ending the turn; ``index`` is the decks' position as the next mover sees it."""
    if disc == 1 or disc == players + 1:  # the mover is the last to the next mover's left
        disc += players - 1
    elif disc > 0:
        disc -= 1
    slots[target, 0] = later[disc, index, players - 1]
    for j in range(1, players):
        slots[target, j] = later[disc, index, j - 1]
    slots[target, TURNS] = later[disc, index, TURNS]


@kernel
def _swapped(later: Floats, at: Place, disc: int, row: int, slots: Floats, target: int) -> None:
    """Value of ending the turn by swapping decks with a row; a disc goes with its deck."""
    power = at.size ** (at.players - 1 - row)
    taken = at.others // power % at.size
    others = at.others + (at.mine - taken) * power
    if disc == at.players + 1:
        disc = at.players + 1 + row
    elif disc == at.players + 1 + row:
        disc = at.players + 1
    end_turn(later, at.players, others * at.size + taken, disc, slots, target)


@kernel
def _outcomes(dice: Dice, tables: Tables, later: Floats, at: Place, slots: Floats) -> None:
    """Fill the slots of `_outcome`: cards go one by one, unless the holder stops them."""
    players = at.players
    base = at.others * at.size
    for disc in range(2 * players + 1):
        first = _outcome(at, disc)
        bust = first + at.cards + 1
        end_turn(later, players, base + at.mine, disc, slots, first)
        if disc == players + 1:  # on the mover's own deck: whatever is thrown, no card can go
            for gone in range(1, at.cards + 2):
                _copy(slots, first, first + gone)
            continue
        end_turn(later, players, base + dice.busts[at.mine], disc, slots, bust)
        after = AFTER + disc * at.size
        holder = disc - 1 if 1 < disc <= players else 0
        judge = (at.kind + holder) % tables.chooses.size
        mover = players - holder
        seen = _seen_by(at, holder) if holder > 0 else 0
        for gone in range(1, at.cards + 1):
            if dice.cleared[at.mine, gone] == 0.0:
                continue
            target = first + gone
            reached = dice.steps[at.mine, gone]
            if reached == NO_CARD_LEFT:
                _clear(slots, target)
                slots[target, 0] = 1.0
            else:
                _copy(slots, after + reached, target)
            if holder == 0:
                continue
            if tables.chooses[judge]:
                stop = NEVER
                for cards in range(gone):
                    left = dice.steps[at.mine, cards]
                    end_turn(later, players, base + left, players + 1, slots, SPARE)
                    if slots[SPARE, holder] > slots[target, holder] + MARGIN:
                        stop = cards
                        _copy(slots, SPARE, target)
                tables.lay[judge, mover, seen, gone] = stop
            else:
                stop = tables.lay[judge, mover, seen, gone]
                if stop != NEVER:
                    left = dice.steps[at.mine, stop]
                    end_turn(later, players, base + left, players + 1, slots, target)


@kernel
def _blank(dice: Dice, at: Place, slots: Floats) -> None:
    """Fill the slots `BLANK`: the mean of the outcomes."""
    nothing = dice.cleared[at.mine, 0]
    for disc in range(2 * at.players + 1):
        outcome = _outcome(at, disc)
        first = BLANK + disc
        _clear(slots, first)
        for gone in range(1, at.cards + 1):
            chance = dice.cleared[at.mine, gone]
            if chance > 0.0:
                _add(chance, slots, outcome + gone, first)
        _copy(slots, first, first + RISKING)
        _add(nothing, slots, outcome, first)
        _add(nothing, slots, outcome + at.cards + 1, first + RISKING)


@kernel
def _green(dice: Dice, tables: Tables, later: Floats, at: Place, slots: Floats) -> None:
    """Fill the slots `GREEN`: knowing the numbers, swap with one who does not hold the disc."""
    players = at.players
    index = _index(at)
    for disc in range(2 * players + 1):
        holder = disc - 1 if 1 < disc <= players else 0
        willing = players - 1 - (holder > 0)
        best = 0
        _clear(slots, SWAP)
        for row in range(1, players):
            if row != holder:
                _swapped(later, at, disc, row, slots, SWAP + row)
                _add(1.0 / willing, slots, SWAP + row, SWAP)
                if best == 0 or slots[SWAP + row, 0] > slots[SWAP + best, 0] + MARGIN:
                    best = row
        first = GREEN + disc
        outcome = _outcome(at, disc)
        _clear(slots, first)
        _clear(slots, first + RISKING)
        for gone in range(at.cards + 2):
            chance = dice.cleared[at.mine, gone if gone <= at.cards else 0]
            if chance == 0.0:
                continue
            if tables.chooses[at.kind]:
                choice = best
                if best > 0 and slots[SWAP + best, 0] <= slots[outcome + gone, 0] + MARGIN:
                    choice = 0
                tables.green[at.kind, disc, index, gone] = choice
            else:
                choice = tables.green[at.kind, disc, index, gone]
            source = outcome + gone
            if choice == UNIFORM and willing > 0:
                source = SWAP
            elif 0 < choice < players and choice != holder:
                source = SWAP + choice
            if gone <= at.cards:
                _add(chance, slots, source, first)
            if gone > 0:
                _add(chance, slots, source, first + RISKING)


@kernel
def _block(dice: Dice, tables: Tables, at: Place, slots: Floats) -> None:
    """Fill the slots `BLOCK`: the disc comes to the mover, or is left on another's deck."""
    players = at.players
    index = _index(at)
    for disc in range(2 * players + 1):
        first = BLOCK + disc
        if disc <= players + 1:
            _copy(slots, BLANK + 1, first)
            _copy(slots, BLANK + 1 + RISKING, first + RISKING)
            continue
        _clear(slots, first)
        _clear(slots, first + RISKING)
        for gone in range(at.cards + 2):
            chance = dice.cleared[at.mine, gone if gone <= at.cards else 0]
            if chance == 0.0:
                continue
            take = _outcome(at, 1) + gone
            leave = _outcome(at, disc) + gone
            if tables.chooses[at.kind]:
                takes = slots[leave, 0] <= slots[take, 0] + MARGIN
                tables.block[at.kind, disc, index, gone] = takes
            else:
                takes = tables.block[at.kind, disc, index, gone] != 0
            source = take if takes else leave
            if gone <= at.cards:
                _add(chance, slots, source, first)
            if gone > 0:
                _add(chance, slots, source, first + RISKING)


@kernel
def _red(dice: Dice, tables: Tables, later: Floats, at: Place, slots: Floats) -> None:
    """Fill the slots `RED`: a swap with the lowest of the others, if that is lower than mine."""
    players, size = at.players, at.size
    index = _index(at)
    for disc in range(2 * players + 1):
        target = RED + disc
        choice = tables.red[at.kind, disc, index]
        if choice == 0:
            end_turn(later, players, at.others * size + at.mine, disc, slots, target)
            continue
        _swapped(later, at, disc, choice, slots, target)
        if tables.chooses[at.kind] and players > 2:
            lowest = dice.tops[at.others // size ** (players - 1 - choice) % size]
            choice = 0
            for row in range(1, players):
                if dice.tops[at.others // size ** (players - 1 - row) % size] == lowest:
                    _swapped(later, at, disc, row, slots, SPARE)
                    if choice == 0 or slots[SPARE, 0] > slots[target, 0] + MARGIN:
                        choice = row
                        _copy(slots, SPARE, target)
            tables.red[at.kind, disc, index] = choice


@kernel
def _throws(dice: Dice, at: Place, slots: Floats) -> None:
    """Fill the slots `OPENING` and `RISK`: the four faces of the Switch die together."""
    for disc in range(2 * at.players + 1):
        for j in range(WIDTH):
            red = dice.switch[2] * slots[RED + disc, j]
            slots[OPENING + disc, j] = red + (
                dice.switch[0] * slots[BLANK + disc, j]
                + dice.switch[1] * slots[GREEN + disc, j]
                + dice.switch[3] * slots[BLOCK + disc, j]
            )
            slots[RISK + disc, j] = red + (
                dice.switch[0] * slots[BLANK + RISKING + disc, j]
                + dice.switch[1] * slots[GREEN + RISKING + disc, j]
                + dice.switch[3] * slots[BLOCK + RISKING + disc, j]
            )
        slots[OPENING + disc, TURNS] += 1.0


@kernel
def _stop_or_risk(tables: Tables, later: Floats, at: Place, slots: Floats) -> None:
    """Fill the slots `AFTER` of this deck: cards have gone, and it is ``at.mine`` now."""
    players = at.players
    index = _index(at)
    for disc in range(2 * players + 1):
        target = AFTER + disc * at.size + at.mine
        end_turn(later, players, at.others * at.size + at.mine, disc, slots, target)
        if tables.chooses[at.kind]:
            goes_on = slots[RISK + disc, 0] > slots[target, 0] + MARGIN
            tables.risk[at.kind, disc, index] = goes_on
        else:
            goes_on = tables.risk[at.kind, disc, index] != 0
        if goes_on:
            _copy(slots, RISK + disc, target)


@kernel
def turn_values(dice: Dice, tables: Tables, later: Floats, at: Place, slots: Floats) -> None:
    """Fill all slots of a turn with these decks; those of higher decks of the mover are filled."""
    _outcomes(dice, tables, later, at, slots)
    _blank(dice, at, slots)
    _green(dice, tables, later, at, slots)
    _block(dice, tables, at, slots)
    _red(dice, tables, later, at, slots)
    _throws(dice, at, slots)
    _stop_or_risk(tables, later, at, slots)


@kernel
def _begin(tables: Tables, values: Floats, at: Place, slots: Floats) -> float:
    """Write down the turn's values; returns the largest change of a winning probability.

    Before the turn, the holder may lay the disc on another's deck.
    """
    players = at.players
    index = _index(at)
    change = 0.0
    for disc in range(2 * players + 1):
        source = OPENING + disc
        if 0 < disc <= players:
            holder = disc - 1
            judge = (at.kind + holder) % tables.chooses.size
            mover = (players - holder) % players
            seen = _seen_by(at, holder)
            if tables.chooses[judge]:
                target = 0
                for row in range(1, players):
                    there = OPENING + players + 1 + (holder + row) % players
                    if slots[there, holder] > slots[source, holder] + MARGIN:
                        source = there
                        target = row
                tables.place[judge, mover, seen] = target
            else:
                target = tables.place[judge, mover, seen]
                if target > 0:
                    source = OPENING + players + 1 + (holder + target) % players
        for j in range(players):
            change = max(change, abs(slots[source, j] - values[at.kind, disc, index, j]))
        for j in range(WIDTH):
            values[at.kind, disc, index, j] = slots[source, j]
    return change


@kernel
def _sweep(dice: Dice, tables: Tables, values: Floats, kind: int, players: int) -> float:
    """Update the values of all turns of one kind of mover in place.

    Parameters
    ----------
    values
        (kinds, discs, S, 5) float64: the vectors at the start of each turn.
    kind
        Whose turns.

    Returns
    -------
    float
        Largest change of a winning probability.
    """
    size = dice.tops.size
    cards = dice.cleared.shape[1] - 1
    later = values[(kind + 1) % tables.chooses.size]
    slots = np.zeros((AFTER + (2 * players + 1) * (size + cards + 2), WIDTH))
    change = 0.0
    for others in range(size ** (players - 1)):
        for mine in range(size - 1, -1, -1):  # what a deck can become within the turn comes first
            at = Place(players, size, cards, kind, mine, others)
            turn_values(dice, tables, later, at, slots)
            change = max(change, _begin(tables, values, at, slots))
    return change


@dataclass(frozen=True)
class Shares:
    """What happens when given policies meet.

    Attributes
    ----------
    win_share
        (n,) float64, each seat's probability of winning.
    by_first
        (n, n) float64, ``by_first[f, p]``: seat p's if seat f begins.
    turns
        Expected number of turns of a game.
    first_player_win_share
        Probability that the player who begins wins.
    error
        No probability is too small by more than this, and none is too large.
    """

    win_share: Floats
    by_first: Floats
    turns: float
    first_player_win_share: float
    error: float


class Chain:
    """The turns of a table of policies, with the values found so far.

    Parameters
    ----------
    setup
        The rules.
    policies
        The policies of seats 0, 1, ... until they repeat: 1 up to n of them, a divisor of n.
    """

    def __init__(self, setup: Setup, policies: Sequence[PolicyTable]) -> None:
        kinds = len(policies)
        if kinds == 0 or setup.players % kinds:
            raise UsageError(f"{kinds} policies cannot repeat around {setup.players} seats.")
        for policy in policies:
            if policy.setup != setup:
                raise UsageError(f"the policy {policy.name!r} is for other rules: {policy.setup}.")
        self.setup = setup
        self.dice = Dice(
            setup.chances(),
            setup.steps(),
            setup.busts(),
            setup.tops(),
            np.array(setup.switch_die) / sum(setup.switch_die),
        )
        stacked = {
            key: np.stack([p.tables()[key] for p in policies]) for key in policies[0].tables()
        }
        self.tables = Tables(**stacked, chooses=np.zeros(kinds, np.uint8))
        shape = (kinds, setup.discs, setup.positions, WIDTH)
        self.values = np.zeros(shape)

    def sweep(self) -> float:
        """Look one round further ahead; returns the largest change of a probability."""
        kinds = self.tables.chooses.size
        return max(
            _sweep(self.dice, self.tables, self.values, kind, self.setup.players)
            for kind in range(kinds - 1, -1, -1)
        )

    def settle(self, tolerance: float) -> Shares:
        """Sweep until no probability is off by more than the tolerance.

        Raises
        ------
        AnalyzerError
            If the game need not end.
        """
        change = 1.0
        while (shares := self.shares()).error >= tolerance:
            if change <= tolerance * STALLED:
                raise AnalyzerError(
                    "the game need not end under these policies and rules: with probability "
                    f"{shares.error:.3g} it goes on for ever."
                )
            change = self.sweep()
        return shares

    def policy(self, kind: int, name: str) -> PolicyTable:
        """The policy of a kind as it is now."""
        stacked = self.tables._asdict()
        del stacked["chooses"]
        tables = {key: table[kind].copy() for key, table in stacked.items()}
        return PolicyTable(self.setup, **tables, name=name)

    def starts(self) -> Floats:
        """(kinds, 5) values at the start of the game, by who begins."""
        starts: Floats = self.values[:, TRAY, 0, :]
        return starts

    def shares(self) -> Shares:
        """What the values say about the start of the game."""
        players = self.setup.players
        kinds = self.tables.chooses.size
        by_first = np.empty((players, players))
        turns = np.empty(players)
        for first in range(players):
            start = self.starts()[first % kinds]
            by_first[first] = np.roll(start[:players], first)
            turns[first] = start[TURNS]
        begins = np.full(players, 1 / players)
        if self.setup.first_player == "seat1":
            begins = np.eye(players)[0]
        return Shares(
            win_share=begins @ by_first,
            by_first=by_first,
            turns=float(begins @ turns),
            first_player_win_share=float(begins @ by_first.diagonal()),
            error=float(max(0.0, (1 - by_first.sum(axis=1)).max())),
        )


def win_shares(setup: Setup, policies: Sequence[Policy], *, tolerance: float = 1e-10) -> Shares:
    """Solve the game for given policies.

    Parameters
    ----------
    setup
        The rules.
    policies
        One per seat: combinations of baseline policies such as ``"greedy/leader/hold"``, or
        policy tables.
    tolerance
        Largest error of a probability.

    Raises
    ------
    UsageError
        If the number of policies is not that of the players, or one is for other rules.
    AnalyzerError
        If the game need not end under these policies and rules.
    """
    if len(policies) != setup.players:
        raise UsageError(f"{len(policies)} policies were given for {setup.players} players.")
    kinds = _period(policies)
    made = [baseline(p, setup) if isinstance(p, str) else p for p in policies[:kinds]]
    return Chain(setup, made).settle(tolerance)


def _period(policies: Sequence[Policy]) -> int:
    """After how many seats the policies repeat; tables are equal only if they are the same."""
    for kinds in range(1, len(policies)):
        if len(policies) % kinds == 0 and all(
            policies[i] is policies[i - kinds]
            or (isinstance(policies[i], str) and policies[i] == policies[i - kinds])
            for i in range(kinds, len(policies))
        ):
            return kinds
    return len(policies)
