"""Switch 16, one game at a time: the twin of ``analyzer.games.switch16``.

Written from the rules, in their order, without an eye to speed. `play` tells everything that
happened as a `GameRecord`: what every seat did how often, and an event for every step.

Seats are numbered from 0; the next number sits to the left. A deck belongs to the seat that
controls it now, so a swap exchanges what two seats' `Deck` objects say; a disc that lies on a deck
goes along, a disc in somebody's hand stays.

Chance: the first player is one word (purpose 1, counter = deal). A throw is one word, too (purpose
2, counter = deal << 32 | turn << 8 | throw, turns counted from 0 through the deal, throws from 0
through the turn). The word, read as a fraction of 2^64, is multiplied by the number of faces; the
whole part is the die's face and the rest goes on to the next die. First come the numbered dice, as
many as are ever thrown, whether they are thrown now or not, then the Switch die, its faces in the
order blank, green, red, block. The probability of a throw is off by less than n / 2^64, n being the
number of different throws. A strategy's own chance for decision k (risk, swap, pick, take, lay and
lay between turns, counted from 0) has the purpose 16 + 4k + seat and the throw's counter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Protocol

from tests.reference import chance

FIRST, THROW, DECIDE = 1, 2, 16 + 4
"""What a random word is for; seat p decides on a swap with purpose ``DECIDE + p``."""

WIN = 60
"""A win is counted in sixtieths, so that up to six winners share it in whole numbers."""

BLANK, GREEN, RED, BLOCK = "blank", "green", "red", "block"


@dataclass(frozen=True)
class Rules:
    """The settings in force; the defaults are the printed rules and our assumptions."""

    players: int = 4
    cards: int = 16
    dice: Mapping[int, int] = field(default_factory=lambda: {1: 3, 7: 4, 12: 5})
    faces: int = 6
    switch_die: Mapping[str, int] = field(
        default_factory=lambda: {BLANK: 3, GREEN: 1, RED: 1, BLOCK: 1}
    )
    milestone: int = 8
    milestone_resume: int = 8
    first_player: str = "random"
    match_points: int = 0
    max_turns: int = 5000

    def dice_for(self, top: int) -> int:
        """How many numbered dice are thrown for a top card."""
        return self.dice[max(start for start in self.dice if start <= top)]


# What lies on the table ---------------------------------------------------------------------------


@dataclass
class Deck:
    """A deck of cards in ascending order; ``top`` is the lowest card not yet discarded."""

    top: int = 1
    protected: bool = False  # has the milestone gone since the deck was last put back to 1?


@dataclass
class Table:
    """All that everybody sees. The disc is held by a seat, lies on a deck, or is in the tray."""

    rules: Rules
    decks: list[Deck]
    mover: int
    throw: int = 0  # number of throws made in this turn before the present one
    numbers: tuple[int, ...] = ()  # the numbered dice as they lie
    holder: int | None = None  # who holds the disc
    blocked: int | None = None  # on whose deck it lies

    def left_of(self, seat: int) -> list[int]:
        """The other seats, the first to the left first."""
        players = self.rules.players
        return [(seat + i) % players for i in range(1, players)]

    def top(self, seat: int) -> int:
        """The top card of the deck that a seat controls."""
        return self.decks[seat].top

    def swap(self, one: int, other: int) -> None:
        """Two seats exchange their decks, with all that lies on them."""
        decks = self.decks
        decks[one], decks[other] = decks[other], decks[one]
        if self.blocked in (one, other):
            self.blocked = other if self.blocked == one else one


# Dice ---------------------------------------------------------------------------------------------


def sums(numbers: Sequence[int]) -> set[int]:
    """Every total that one die or several different dice of a throw can make."""
    totals = {0}
    for number in numbers:
        totals |= {total + number for total in totals}
    return totals - {0}


def cards_going(top: int, numbers: Sequence[int], cards: int) -> int:
    """How many cards a throw clears: in order, the same dice serving again and again."""
    totals = sums(numbers)
    gone = 0
    while top + gone <= cards and top + gone in totals:
        gone += 1
    return gone


@cache
def gains(top: int, dice: int, faces: int, cards: int) -> tuple[int, ...]:
    """Cards cleared by each of the faces^dice throws."""
    throws = product(range(1, faces + 1), repeat=dice)
    return tuple(cards_going(top, numbers, cards) for numbers in throws)


def gains_from(rules: Rules, top: int) -> tuple[int, ...]:
    """Cards cleared from a top card by each of the throws it may meet."""
    return gains(top, rules.dice_for(top), rules.faces, rules.cards)


def roll(word: int, rules: Rules, top: int) -> tuple[tuple[int, ...], str]:
    """The numbered dice for a top card and the face of the Switch die that a word stands for."""
    numbers = []
    for _ in range(max(rules.dice.values())):
        digit, word = divmod(word * rules.faces, 2**64)
        numbers.append(digit + 1)
    faces = [face for face in (BLANK, GREEN, RED, BLOCK) for _ in range(rules.switch_die[face])]
    return tuple(numbers[: rules.dice_for(top)]), faces[word * len(faces) >> 64]


# Strategies ---------------------------------------------------------------------------------------


class Player(Protocol):
    """The questions that may be put to a player; ``me`` is the seat."""

    def throws_again(self, table: Table, me: int) -> bool:
        """After cards went: whether to take a risk."""

    def swaps_with(self, table: Table, me: int, word: int) -> int | None:
        """On green: whose deck to swap with, if any. ``word`` is the decision's own chance."""

    def picks(self, table: Table, me: int, tied: Sequence[int]) -> int:
        """On red: whose deck, if several are lowest; the first to the left is first in ``tied``."""

    def takes_disc(self, table: Table, me: int) -> bool:
        """On block, with the disc on another player's deck: whether to take it."""

    def lays_after(self, table: Table, me: int, going: int) -> int | None:
        """As holder, with ``going`` cards about to go: after how many to lay the disc, if ever."""

    def lays_on(self, table: Table, me: int) -> int | None:
        """As holder, before the mover's turn begins: on whose deck to lay the disc, if any."""


def _name_and_number(text: str) -> tuple[str, str]:
    name, _, number = text.partition(":")
    return name, number


@dataclass(frozen=True)
class Baseline:
    """A strategy ``RISK/GREEN/BLOCK`` put together from the baseline policies."""

    spec: str

    @property
    def policies(self) -> list[str]:
        """The three parts' names."""
        return self.spec.split("/")

    def throws_again(self, table: Table, me: int) -> bool:
        """Risk: never, always, threshold:q, greedy, to-milestone or protected."""
        rules, deck = table.rules, table.decks[me]
        name, number = _name_and_number(self.policies[0])
        if name == "never":
            return False
        if name == "always":
            return True
        if name == "to-milestone":
            return deck.top <= rules.milestone
        if name == "protected":
            return deck.protected
        outcomes = gains_from(rules, deck.top)
        if name == "threshold":
            successes = sum(gain > 0 for gain in outcomes)
            return Fraction(successes, len(outcomes)) >= Fraction(number)
        assert name == "greedy", name
        back = (rules.milestone_resume if deck.protected else 1) - deck.top
        return sum(gain if gain > 0 else back for gain in outcomes) > 0

    def swaps_with(self, table: Table, me: int, word: int) -> int | None:
        """Green: never, leader or random. Nobody asks the holder, who would refuse."""
        willing = [seat for seat in table.left_of(me) if seat != table.holder]
        name = self.policies[1]
        if name == "never" or not willing:
            return None
        if name == "random":
            return willing[chance.bounded(word, len(willing))]
        assert name == "leader", name
        best = max(willing, key=table.top)  # max() keeps the first of equals
        return best if table.top(best) > table.top(me) else None

    def picks(self, table: Table, me: int, tied: Sequence[int]) -> int:
        """Among equals the first to the left."""
        return tied[0]

    def takes_disc(self, table: Table, me: int) -> bool:
        """Block: ``deny`` leaves the disc on the deck of somebody who is ahead."""
        assert table.blocked is not None
        denies = _name_and_number(self.policies[2])[0] == "deny"
        return not (denies and table.top(table.blocked) > table.top(me))

    def lays_after(self, table: Table, me: int, going: int) -> int | None:
        """Block: ``deny:k`` stops a throw that could clear card k or a higher one."""
        name, number = _name_and_number(self.policies[2])
        if name == "hold":
            return None
        assert name == "deny", name
        last = table.top(table.mover) + going - 1
        return 0 if last >= int(number) else None

    def lays_on(self, table: Table, me: int) -> int | None:
        """No baseline policy lays the disc between turns."""
        return None


# What happened ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Event:
    """One step: when, who, what, and the facts that go with it."""

    deal: int
    turn: int
    throw: int
    seat: int
    what: str
    facts: Mapping[str, object]


@dataclass
class Counts:
    """What one seat did in one deal."""

    turns: int = 0
    throws: int = 0
    risks: int = 0  # decisions to throw again
    busts: int = 0
    green_swaps: int = 0
    red_swaps: int = 0
    blocks_taken: int = 0  # the disc came into its possession and had not been there
    blocks_laid: int = 0


@dataclass(frozen=True)
class DealRecord:
    """One deal: ``winner`` is None if the turn limit stopped it."""

    first: int
    winner: int | None
    turns: int
    tops: tuple[int, ...]
    counts: tuple[Counts, ...]
    events: tuple[Event, ...]

    @property
    def points(self) -> tuple[int, ...]:
        """The highest card in each discard pile."""
        return tuple(top - 1 for top in self.tops)


@dataclass(frozen=True)
class GameRecord:
    """One game, or one match of several deals."""

    deals: tuple[DealRecord, ...]
    scores: tuple[int, ...]
    wins: tuple[int, ...]  # in sixtieths
    unfinished: bool


# The game -----------------------------------------------------------------------------------------


def play(rules: Rules, players: Sequence[Player], seed: int, game: int) -> GameRecord:
    """Play one game, or with ``match_points`` one match, and tell all of it."""
    key = chance.game_key(seed, game)
    deals: list[DealRecord] = []
    scores = [0] * rules.players
    while True:
        deal = Deal(rules, players, key, len(deals)).play()
        deals.append(deal)
        scores = [score + points for score, points in zip(scores, deal.points, strict=True)]
        if deal.winner is None:
            return GameRecord(tuple(deals), tuple(scores), (0,) * rules.players, True)
        if max(scores) >= rules.match_points:
            break
    if rules.match_points:
        winners = [seat for seat, score in enumerate(scores) if score == max(scores)]
    else:
        winners = [deal.winner]
    wins = tuple(WIN // len(winners) * (seat in winners) for seat in range(rules.players))
    return GameRecord(tuple(deals), tuple(scores), wins, False)


class Deal:
    """One deal while it is being played."""

    def __init__(self, rules: Rules, players: Sequence[Player], key: int, number: int) -> None:
        self.rules = rules
        self.players = players
        self.key = key
        self.number = number
        first = 0
        if rules.first_player == "random":
            first = chance.bounded(chance.word(key, FIRST, number), rules.players)
        self.first = first
        self.table = Table(rules, [Deck() for _ in range(rules.players)], first)
        self.turn = 0
        self.counts = [Counts() for _ in range(rules.players)]
        self.events: list[Event] = []

    def tell(self, what: str, seat: int | None = None, **facts: object) -> None:
        """Write down a step; without a seat it is the mover's."""
        who = self.table.mover if seat is None else seat
        self.events.append(Event(self.number, self.turn, self.table.throw, who, what, facts))

    def counter(self) -> int:
        """Number of the present throw among all throws of the game."""
        return self.number << 32 | self.turn << 8 | self.table.throw

    def play(self) -> DealRecord:
        """Take turns until somebody has discarded the last card, or for too long."""
        winner = None
        while self.turn < self.rules.max_turns and winner is None:
            self.disc_between_turns()
            if self.take_turn():
                winner = self.table.mover
            self.turn += 1
            self.table.mover = (self.table.mover + 1) % self.rules.players
        tops = tuple(deck.top for deck in self.table.decks)
        counts = tuple(self.counts)
        return DealRecord(self.first, winner, self.turn, tops, counts, tuple(self.events))

    def disc_between_turns(self) -> None:
        """The holder may lay the disc on any other player's deck."""
        table, holder = self.table, self.table.holder
        table.throw = 0
        if holder is None:
            return
        target = self.players[holder].lays_on(table, holder)
        if target is not None:
            assert target != holder
            self.lay_disc(target)

    def lay_disc(self, target: int) -> None:
        """The holder lays the disc on another's deck."""
        holder = self.table.holder
        assert holder is not None
        self.counts[holder].blocks_laid += 1
        self.tell("lay", holder, on=target)
        self.table.holder = None
        self.table.blocked = target

    def take_turn(self) -> bool:
        """Throw once, and again as long as the mover dares; whether the last card went."""
        table, me = self.table, self.table.mover
        self.counts[me].turns += 1
        while self.take_throw():
            if table.top(me) > self.rules.cards:
                self.tell("win")
                return True
            if not self.players[me].throws_again(table, me):
                self.tell("stop", top=table.top(me))
                return False
            self.counts[me].risks += 1
            table.throw += 1
            self.tell("risk", top=table.top(me))
        return False

    def roll(self) -> tuple[tuple[int, ...], str]:
        """Roll the dice for the mover's top card."""
        word = chance.word(self.key, THROW, self.counter())
        return roll(word, self.rules, self.table.top(self.table.mover))

    def decision_word(self, seat: int) -> int:
        """A seat's own chance for a decision at this throw."""
        return chance.word(self.key, DECIDE + seat, self.counter())

    def take_throw(self) -> bool:
        """Make one throw; whether cards went and the mover may go on."""
        table, me = self.table, self.table.mover
        self.counts[me].throws += 1
        table.numbers, face = self.roll()
        self.tell("throw", numbers=table.numbers, face=face)
        if face == GREEN and self.green():
            return False
        if face == RED:
            self.red()
            return False
        if face == BLOCK:
            self.block()
        if table.blocked == me:
            self.tell("blocked")
            return False
        going = cards_going(table.top(me), table.numbers, self.rules.cards)
        if going == 0:
            self.nothing_goes()
            return False
        return self.discard(going)

    def green(self) -> bool:
        """The mover may swap decks with anybody; whether it happened."""
        table, me = self.table, self.table.mover
        other = self.players[me].swaps_with(table, me, self.decision_word(me))
        if other is None:
            return False
        assert other != me
        if other == table.holder:
            self.tell("refuse", other)
            return False
        table.swap(me, other)
        self.counts[me].green_swaps += 1
        self.tell("green swap", other=other)
        return True

    def red(self) -> None:
        """The mover must swap with the lowest of the others, if that one is lower."""
        table, me = self.table, self.table.mover
        others = table.left_of(me)
        lowest = min(table.top(seat) for seat in others)
        if lowest >= table.top(me):
            self.tell("red", other=None)
            return
        tied = [seat for seat in others if table.top(seat) == lowest]
        other = tied[0] if len(tied) == 1 else self.players[me].picks(table, me, tied)
        assert other in tied
        table.swap(me, other)
        self.counts[me].red_swaps += 1
        self.tell("red swap", other=other)

    def block(self) -> None:
        """The disc comes to the mover; one on another's deck may be left there."""
        table, me = self.table, self.table.mover
        if table.holder == me:
            return
        on_another = table.blocked is not None and table.blocked != me
        if on_another and not self.players[me].takes_disc(table, me):
            self.tell("leave", on=table.blocked)
            return
        self.counts[me].blocks_taken += 1
        self.tell("take", holder=table.holder, deck=table.blocked)
        table.holder, table.blocked = me, None

    def nothing_goes(self) -> None:
        """No penalty on the first throw; later the deck is put back."""
        table, me = self.table, self.table.mover
        deck = table.decks[me]
        if table.throw == 0:
            self.tell("nothing")
            return
        self.counts[me].busts += 1
        deck.top = self.rules.milestone_resume if deck.protected else 1
        self.tell("bust", top=deck.top)

    def discard(self, going: int) -> bool:
        """Cards go one by one, until the holder stops it; whether the mover may go on."""
        table, me = self.table, self.table.mover
        deck = table.decks[me]
        last = None
        if table.holder is not None and table.holder != me:
            last = self.players[table.holder].lays_after(table, table.holder, going)
        for gone in range(going):
            if gone == last:
                self.lay_disc(me)
                return False
            self.tell("discard", card=deck.top)
            if deck.top == self.rules.milestone:
                deck.protected = True
            deck.top += 1
        return True
