"""Mermaid Beach, one game at a time, written to be read beside the rules.

Nothing here is shared with the batch kernels but the arithmetic of chance; the kernels must agree
with this module card by card.

Cards
-----
Beach cards are numbered by sort: 0..10 the kinds of items, 11 merfolk, 12 mean mermaid, 13 sneaker
wave, 14 seaweed, 15 sea monster. Shell cards are numbered by their points (1..13), 14 is a starfish
that passes to the left, 15 one that passes to the right. Only how many of each sort lie in a hand
or a pile matters, never their order: see `Pile`. "Canonical order" is the order of these numbers.

Chance
------
``word(purpose, counter)`` is the game's 64-bit word. A word is spent in digits: ``digit(w, n)``
gives ``floor(w * n / 2^64)``, a number in 0..n-1, and leaves ``w * n mod 2^64`` for the next one.

========= ========= ============================ ===============================================
purpose             counter                      use
========= ========= ============================ ===============================================
BEACH     1         i, beach cards drawn before  the digit of n = cards in the beach deck says
                    in this game                 which card, in canonical order, is drawn
SHELL     2         i, shell cards drawn before  likewise from the shell deck
FIRST     3         0                            first player: the digit of n = players
DECIDE    16 + seat turn << 8 | decision         the word of a stochastic decision
========= ========= ============================ ===============================================

- The deal is the first draws of the beach deck: all cards of seat 0, then of seat 1, and so on.
- Drawing the k-th card of n left, k uniform, is drawing from a shuffled deck. Refilling therefore
  needs no word: the discard pile becomes the deck and i counts on. Where nothing can be drawn, no
  word is used and i stays.
- ``turn`` counts from 0 and counts extra turns. ``decision`` is 0 action, 1 ask, 2 beach, 3 shell,
  4 seaweed, 5 pass. None of them comes twice in one turn of a seat, so each has a word of its own.
- FIRST is not used when the rules say that seat 0 begins.

How `Random` spends its words, digit by digit:

=========  =====================================================================================
action     n = sorts of action that can be played, in the order merfolk, mean, pair, ask, wave,
           seaweed (if none can: of mean, wave, those held); a pair: n = kinds held twice or
           more, ascending
ask        n = kinds held, ascending; then n = opponents, to the left
shell      n = opponents with a shell, to the left; then n = that opponent's shell cards,
           in canonical order
seaweed    n = opponents, to the left
pass       n = cards in hand, in canonical order
=========  =====================================================================================

Readings of the rules beyond their letter
-----------------------------------------
- "Holds the sea monster alone" is: holds cards, and sea monsters only (of a deck with several).
- Both ends are looked for after the deal, too: a table dealt so plays no turn. (The published deal
  of five or seven cards can never be so.)
- A player with one card who passes it on a starfish and is passed another has not run out: all
  pass at once.
- A game stopped by its turn limit is scored as it stands, monster included; nobody wins it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from tests.reference import chance

MAX_KINDS: Final = 11
MERFOLK: Final = 11
MEAN: Final = 12
WAVE: Final = 13
SEAWEED: Final = 14
MONSTER: Final = 15
ASK: Final = 15
"""The action that plays no card; the number is free because a sea monster cannot be played."""

STARFISH_LEFT: Final = 14
STARFISH_RIGHT: Final = 15
SORTS: Final = 16

BEACH: Final = 1
SHELL: Final = 2
FIRST: Final = 3
DECIDE: Final = 16

ACTION_NUMBER, ASK_NUMBER, BEACH_NUMBER, SHELL_NUMBER, SEAWEED_NUMBER, PASS_NUMBER = range(6)

WIN: Final = 60
"""A whole win, so that a win shared by two to five players is a whole number as well."""

Word = Callable[[int, int], int]


def digit(word: int, n: int) -> tuple[int, int]:
    """A number in 0..n-1 out of a word, and what is left of the word."""
    product = word * n
    return product >> 64, product & (2**64 - 1)


class Pile:
    """Cards of which only the number of each sort counts."""

    def __init__(self, counts: Mapping[int, int] | None = None) -> None:
        self.counts = [0] * SORTS
        for sort, number in (counts or {}).items():
            self.counts[sort] = number

    def __len__(self) -> int:
        return sum(self.counts)

    def __getitem__(self, sort: int) -> int:
        return self.counts[sort]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pile) and self.counts == other.counts

    def __repr__(self) -> str:
        return f"Pile({ {sort: self[sort] for sort in self.sorts()} })"

    def copy(self) -> Pile:
        """Return an equal pile that changes on its own."""
        return Pile(dict(enumerate(self.counts)))

    def sorts(self) -> list[int]:
        """Sorts of which there is a card, in canonical order."""
        return [sort for sort, number in enumerate(self.counts) if number]

    def kinds(self, at_least: int = 1) -> list[int]:
        """Kinds of items (of a hand) of which there are so many, in canonical order."""
        return [kind for kind in range(MAX_KINDS) if self.counts[kind] >= at_least]

    def nth(self, index: int) -> int:
        """Sort of the card at a place, from 0, with all cards in canonical order."""
        for sort, number in enumerate(self.counts):
            if index < number:
                return sort
            index -= number
        raise IndexError("no such card")

    def points(self) -> int:
        """Points of a player's shell cards."""
        return sum(value * number for value, number in enumerate(self.counts))

    def add(self, sort: int, number: int = 1) -> None:
        """Put cards of one sort in."""
        self.counts[sort] += number

    def remove(self, sort: int, number: int = 1) -> None:
        """Take cards of one sort out; raises `ValueError` if there are not so many."""
        if self.counts[sort] < number:
            raise ValueError(f"{self} has no {number} of {sort}")
        self.counts[sort] -= number


@dataclass(frozen=True)
class Rules:
    """Every setting, with the published values. ``hand_size`` None: 7 cards with two players."""

    players: int = 4
    item_kinds: int = 8
    item_copies: int = 4
    merfolk: int = 10
    mean: int = 2
    waves: int = 2
    seaweed: int = 4
    monsters: int = 1
    shells: Mapping[int, int] = field(default_factory=lambda: {1: 5, 2: 5, 3: 5, 4: 5})
    starfish_left: int = 3
    starfish_right: int = 3
    hand_size: int | None = None
    young: bool = False
    ask_freely: bool = False
    play_at_beach: bool = True
    first_player: str = "random"
    max_turns: int = 2000

    def cards_each(self) -> int:
        """Beach cards dealt to each player."""
        return self.hand_size if self.hand_size is not None else (7 if self.players == 2 else 5)

    def beach_cards(self) -> Pile:
        """The whole beach deck; the young play without mean mermaids and waves."""
        items = {kind: self.item_copies for kind in range(self.item_kinds)}
        mean, waves = (0, 0) if self.young else (self.mean, self.waves)
        special = {MERFOLK: self.merfolk, MEAN: mean, WAVE: waves}
        return Pile({**items, **special, SEAWEED: self.seaweed, MONSTER: self.monsters})

    def shell_cards(self) -> Pile:
        """The whole shell deck."""
        starfish = {STARFISH_LEFT: self.starfish_left, STARFISH_RIGHT: self.starfish_right}
        return Pile({**self.shells, **starfish})


Told = tuple[int, str, dict[str, Any]]
"""Turn, name and facts of an event, as one seat knows them."""


class Event(NamedTuple):
    """Something that happened: public facts, and secret ones with the seats that know them."""

    turn: int
    name: str
    facts: dict[str, Any]
    secret: dict[str, Any]
    knowers: tuple[int, ...]

    def told_to(self, seat: int) -> Told:
        """Turn, name and facts as one seat knows them."""
        known = self.secret if seat in self.knowers else {}
        return self.turn, self.name, {**self.facts, **known}


@dataclass(frozen=True)
class View:
    """What a player knows. Row 0 is me, row d the d-th player to my left.

    ``card`` is what the decision is about: for ``beach`` the card just drawn, which is in ``hand``
    already; for ``shell`` the mean mermaid or wave just played; for ``passing`` the starfish.
    ``history()`` tells everything that happened so far as far as this player knows: turn, name and
    facts of each event, seats absolute.
    """

    rules: Rules
    turn: int
    hand: Pile
    hand_sizes: tuple[int, ...]
    shells: tuple[Pile, ...]
    beach_deck: int
    shell_deck: int
    beach_discard: Pile
    shell_discard: Pile
    card: int | None
    history: Callable[[], list[Told]]

    def opponents(self) -> range:
        """Rows of the opponents, to the left."""
        return range(1, len(self.hand_sizes))

    def owners(self) -> list[int]:
        """Opponents with a shell, to the left."""
        return [d for d in self.opponents() if len(self.shells[d])]


class Player(Protocol):
    """Who decides for a seat. ``word`` is the decision's own; opponents are rows of the view."""

    def action(self, view: View, word: int) -> int:
        """Sort of the card to play (an item: a pair of that kind), or `ASK`."""

    def ask(self, view: View, word: int) -> tuple[int, int]:
        """Kind of item in hand to ask for, and the opponent to ask."""

    def beach(self, view: View, word: int) -> bool:
        """Whether to play the card just drawn at the beach."""

    def shell(self, view: View, word: int) -> tuple[int, int]:
        """Opponent, and value of their shell card to take or to wash away."""

    def seaweed(self, view: View, word: int) -> int:
        """Opponent who shall draw a beach card."""

    def passing(self, view: View, word: int) -> int:
        """Card of the hand to pass on a starfish; asked even if there is only one."""


def playable(view: View) -> list[int]:
    """Actions with effect that the rules allow: sorts of cards and `ASK`.

    Listed in the order merfolk, mean, pairs, ask, wave, seaweed.
    """
    hand, shells = view.hand, bool(view.owners())
    first = [MERFOLK] if hand[MERFOLK] else []
    first += [MEAN] if hand[MEAN] and shells else []
    first += hand.kinds(2)
    ask = [ASK] if hand.kinds() and (view.rules.ask_freely or not first) else []
    wave = [WAVE] if hand[WAVE] and shells else []
    return first + ask + wave + ([SEAWEED] if hand[SEAWEED] else [])


def allowed(view: View) -> list[int]:
    """All actions the rules allow: who can do nothing else throws a mean mermaid or wave away."""
    return playable(view) or [card for card in (MEAN, WAVE) if view.hand[card]]


class Random:
    """Uniform over what can be done, sort by sort."""

    def action(self, view: View, word: int) -> int:
        """Uniform over the sorts of action, then over the kinds held twice."""
        actions = allowed(view)
        pairs = [card for card in actions if card < MAX_KINDS]
        sorts: list[int] = []
        for card in actions:
            if card not in pairs[1:]:
                sorts.append(card)  # the lowest pair stands for all of them
        k, word = digit(word, len(sorts))
        return pairs[digit(word, len(pairs))[0]] if sorts[k] in pairs else sorts[k]

    def ask(self, view: View, word: int) -> tuple[int, int]:
        """Any kind held, any opponent."""
        kinds = view.hand.kinds()
        k, word = digit(word, len(kinds))
        return kinds[k], 1 + digit(word, len(view.opponents()))[0]

    def beach(self, view: View, word: int) -> bool:
        """Play it."""
        return True

    def shell(self, view: View, word: int) -> tuple[int, int]:
        """Any opponent with a shell, any of their shell cards."""
        owners = view.owners()
        k, word = digit(word, len(owners))
        shells = view.shells[owners[k]]
        return owners[k], shells.nth(digit(word, len(shells))[0])

    def seaweed(self, view: View, word: int) -> int:
        """Any opponent."""
        return 1 + digit(word, len(view.opponents()))[0]

    def passing(self, view: View, word: int) -> int:
        """Any card."""
        return view.hand.nth(digit(word, len(view.hand))[0])


class Greedy:
    """Takes shells wherever it can; the rest by fixed rules."""

    def action(self, view: View, word: int) -> int:
        """Play the first that applies of a fixed list."""
        able = allowed(view)
        pairs = [card for card in able if card < MAX_KINDS]
        order = (MERFOLK, *pairs, MEAN, WAVE, ASK, SEAWEED)
        return next(card for card in order if card in able)

    def ask(self, view: View, word: int) -> tuple[int, int]:
        """Ask for the lowest kind, whoever holds most cards."""
        return view.hand.kinds()[0], max(view.opponents(), key=lambda d: view.hand_sizes[d])

    def beach(self, view: View, word: int) -> bool:
        """Play it."""
        return True

    def shell(self, view: View, word: int) -> tuple[int, int]:
        """Take the highest shell."""
        opponent = max(view.owners(), key=lambda d: view.shells[d].sorts()[-1])
        return opponent, view.shells[opponent].sorts()[-1]

    def seaweed(self, view: View, word: int) -> int:
        """Give it to the opponent with most points."""
        return max(view.opponents(), key=lambda d: view.shells[d].points())

    def passing(self, view: View, word: int) -> int:
        """Pass what is worth least: the monster, else a lone item, and so on."""
        hand = view.hand
        kinds = hand.kinds()
        lone = [kind for kind in kinds if hand[kind] == 1]
        order = (MONSTER, *lone, *kinds, SEAWEED, WAVE, MEAN, MERFOLK)
        return next(card for card in order if hand[card])


class IllegalDecision(ValueError):
    """A player decided what the rules forbid."""


@dataclass
class Table:
    """Everything on the table and in the hands."""

    hands: list[Pile]
    shells: list[Pile]
    beach_deck: Pile
    shell_deck: Pile
    beach_discard: Pile = field(default_factory=Pile)
    shell_discard: Pile = field(default_factory=Pile)
    mover: int = 0
    turn: int = 0
    beach_drawn: int = 0
    shell_drawn: int = 0

    def census(self) -> tuple[list[int], list[int]]:
        """How many cards there are of each sort, beach and shell, wherever they lie."""
        beach = [*self.hands, self.beach_deck, self.beach_discard]
        shell = [*self.shells, self.shell_deck, self.shell_discard]
        return (
            [sum(numbers) for numbers in zip(*(pile.counts for pile in beach), strict=True)],
            [sum(numbers) for numbers in zip(*(pile.counts for pile in shell), strict=True)],
        )


COUNTS: Final = (
    "asks",
    "asks_met",
    "beach_plays",
    "beach_refills",
    "no_beach_card",
    "no_shell_card",
    "no_effect",
    "starfish",
    "extra_turns",
)
"""What is counted in a game: questions asked and met; cards drawn at the beach and played at once;
refills; draws from nothing; discards without effect; starfish drawn; extra turns taken."""


@dataclass(frozen=True)
class Result:
    """How a game ended. ``wins`` in 1/60; points and shells after the monster's meal."""

    end: str  # "out of cards", "monster alone" or "unfinished"
    wins: tuple[int, ...]
    points: tuple[int, ...]
    shells: tuple[int, ...]
    cards_left: tuple[int, ...]
    first: int
    turns: int
    counts: dict[str, int]
    monster_held: bool
    eaten_cards: int
    eaten_points: int
    beach_deck_left: int


def play(rules: Rules, players: Sequence[Player], seed: int, game: int) -> Result:
    """Play one game of the run that a seed stands for."""
    return Game(rules, players, partial(chance.word, chance.game_key(seed, game))).play()


class Game:
    """One game. Give it a ``table`` to start from a position of your own making."""

    def __init__(
        self, rules: Rules, players: Sequence[Player], word: Word, table: Table | None = None
    ) -> None:
        self.rules = rules
        self.players = players
        self.word = word
        self.log: list[Event] = []
        self.counts = dict.fromkeys(COUNTS, 0)
        self.table = table or self._deal()
        self.ran_out = any(len(hand) == 0 for hand in self.table.hands)
        self.first = self.table.mover
        self.census = self.table.census()

    # Set-up

    def _deal(self) -> Table:
        seats = range(self.rules.players)
        self.table = table = Table(
            hands=[Pile() for _ in seats],
            shells=[Pile() for _ in seats],
            beach_deck=self.rules.beach_cards(),
            shell_deck=self.rules.shell_cards(),
        )
        for seat in seats:
            for _ in range(self.rules.cards_each()):
                self._draw_beach_card(seat)
        if self.rules.first_player == "random":
            table.mover, _ = digit(self.word(FIRST, 0), self.rules.players)
        self._tell("first player", seat=table.mover)
        return table

    # The way of a game

    def play(self) -> Result:
        """Play to the end."""
        while not self.end() and self.table.turn < self.rules.max_turns:
            self.take_turn()
        return self.result()

    def end(self) -> str:
        """Why the game is over, or nothing if it is not."""
        if self.ran_out:
            return "out of cards"
        if any(len(hand) == hand[MONSTER] for hand in self.table.hands):
            return "monster alone"
        return ""

    def take_turn(self) -> None:
        """One action of the player to move, and whose turn is next."""
        seat = self.table.mover
        action = self._decide_action(seat)
        extra = self._ask(seat) if action == ASK else self._play_card(seat, action)
        if self.table.census() != self.census:
            raise AssertionError(f"cards lost or made in turn {self.table.turn}")
        if extra and not self.end():
            self.counts["extra_turns"] += 1
        if not extra:
            self.table.mover = (seat + 1) % self.rules.players
        self.table.turn += 1

    # Actions

    def _play_card(self, seat: int, card: int) -> bool:
        """Discard a card (an item: a pair) and do what it says; whether an extra turn follows."""
        self._discard(seat, card, 2 if card < MAX_KINDS else 1)
        if card in (MEAN, WAVE):
            self._take_or_wash_away(seat, card)
        elif card == SEAWEED:
            opponent = self._decide_seaweed(seat)
            self._tell("seaweed", seat=seat, opponent=opponent)
            self._draw_beach_card(opponent)
        else:
            self._draw_shell_card(seat)
        return card == MERFOLK

    def _take_or_wash_away(self, seat: int, card: int) -> None:
        """A mean mermaid takes an opponent's shell card, a wave discards it."""
        if not self._rivals_have_shells(seat):
            self.counts["no_effect"] += 1
            self._tell("no effect", seat=seat, card=card)
            return
        opponent, value = self._decide_shell(seat, card)
        self.table.shells[opponent].remove(value)
        target = self.table.shells[seat] if card == MEAN else self.table.shell_discard
        target.add(value)
        name = "shell taken" if card == MEAN else "shell washed away"
        self._tell(name, seat=seat, opponent=opponent, value=value)

    def _ask(self, seat: int) -> bool:
        """Ask for an item, else go to the beach; whether an extra turn follows."""
        kind, opponent = self._decide_ask(seat)
        met = self.table.hands[opponent][kind] > 0
        self.counts["asks"] += 1
        self.counts["asks_met"] += met
        self._tell("ask", seat=seat, opponent=opponent, kind=kind, met=met)
        if met:
            self._discard(opponent, kind, 1)
            self._discard(seat, kind, 1)
            self._draw_shell_card(seat)
            return False
        card = self._draw_beach_card(seat)
        if card is None or not self._may_play_at_beach(seat, card):
            return False
        if not self._decide_beach(seat, card):
            return False
        self.counts["beach_plays"] += 1
        return self._play_card(seat, card)

    def _may_play_at_beach(self, seat: int, card: int) -> bool:
        """Whether a card just drawn can be played: it is in the hand already."""
        if not self.rules.play_at_beach or card == MONSTER:
            return False
        if card < MAX_KINDS:
            return self.table.hands[seat][card] >= 2
        return card not in (MEAN, WAVE) or self._rivals_have_shells(seat)

    def _rivals_have_shells(self, seat: int) -> bool:
        return any(len(pile) for s, pile in enumerate(self.table.shells) if s != seat)

    # Moving cards

    def _discard(self, seat: int, card: int, number: int) -> None:
        """Put cards of a hand on the beach discard, which may leave the player without any."""
        hand = self.table.hands[seat]
        hand.remove(card, number)
        self.table.beach_discard.add(card, number)
        self.ran_out |= len(hand) == 0
        self._tell("discard", seat=seat, card=card, number=number)

    def _draw_beach_card(self, seat: int) -> int | None:
        """Draw the top beach card into a hand; None if there is none anywhere."""
        table = self.table
        if not len(table.beach_deck) and len(table.beach_discard):
            table.beach_deck, table.beach_discard = table.beach_discard, table.beach_deck
            self.counts["beach_refills"] += 1
            self._tell("refill", cards=len(table.beach_deck))
        if not len(table.beach_deck):
            self.counts["no_beach_card"] += 1
            self._tell("no beach card", seat=seat)
            return None
        index, _ = digit(self.word(BEACH, table.beach_drawn), len(table.beach_deck))
        table.beach_drawn += 1
        card = table.beach_deck.nth(index)
        table.beach_deck.remove(card)
        table.hands[seat].add(card)
        self._tell_secretly("draw", (seat,), {"card": card}, seat=seat)
        return card

    def _draw_shell_card(self, seat: int) -> None:
        """Draw the top shell card: points before the player, a starfish at work."""
        table = self.table
        if not len(table.shell_deck):
            self.counts["no_shell_card"] += 1
            self._tell("no shell card", seat=seat)
            return
        index, _ = digit(self.word(SHELL, table.shell_drawn), len(table.shell_deck))
        table.shell_drawn += 1
        card = table.shell_deck.nth(index)
        table.shell_deck.remove(card)
        self._tell("shell", seat=seat, card=card)
        if card in (STARFISH_LEFT, STARFISH_RIGHT):
            self.counts["starfish"] += 1
            self._pass_cards(card)
            table.shell_discard.add(card)
        else:
            table.shells[seat].add(card)

    def _pass_cards(self, starfish: int) -> None:
        """Everybody with a card chooses one; then all pass at once.

        Nobody runs out by it: who is passed nothing has a neighbor who had run out before.
        """
        hands = self.table.hands
        step = 1 if starfish == STARFISH_LEFT else -1
        givers = [seat for seat, hand in enumerate(hands) if len(hand)]
        chosen = [(seat, self._decide_passing(seat, starfish)) for seat in givers]
        for seat, card in chosen:
            hands[seat].remove(card)
        for seat, card in chosen:
            to = (seat + step) % self.rules.players
            hands[to].add(card)
            self._tell_secretly("pass", (seat, to), {"card": card}, seat=seat, to=to)

    # Asking the players

    def _view(self, seat: int, card: int | None = None) -> View:
        table = self.table
        order = [self._seat(seat, row) for row in range(self.rules.players)]
        told = len(self.log)
        return View(
            rules=self.rules,
            turn=table.turn,
            hand=table.hands[seat].copy(),
            hand_sizes=tuple(len(table.hands[s]) for s in order),
            shells=tuple(table.shells[s].copy() for s in order),
            beach_deck=len(table.beach_deck),
            shell_deck=len(table.shell_deck),
            beach_discard=table.beach_discard.copy(),
            shell_discard=table.shell_discard.copy(),
            card=card,
            history=lambda: [event.told_to(seat) for event in self.log[:told]],
        )

    def _word(self, seat: int, decision: int) -> int:
        return self.word(DECIDE + seat, self.table.turn << 8 | decision)

    def _decide_action(self, seat: int) -> int:
        view = self._view(seat)
        action = self.players[seat].action(view, self._word(seat, ACTION_NUMBER))
        self._require(action in allowed(view), seat, "action", action)
        return action

    def _decide_ask(self, seat: int) -> tuple[int, int]:
        view = self._view(seat)
        kind, opponent = self.players[seat].ask(view, self._word(seat, ASK_NUMBER))
        fine = kind in view.hand.kinds() and opponent in view.opponents()
        self._require(fine, seat, "ask", (kind, opponent))
        return kind, self._seat(seat, opponent)

    def _decide_beach(self, seat: int, card: int) -> bool:
        view = self._view(seat, card)
        return self.players[seat].beach(view, self._word(seat, BEACH_NUMBER))

    def _decide_shell(self, seat: int, card: int) -> tuple[int, int]:
        view = self._view(seat, card)
        opponent, value = self.players[seat].shell(view, self._word(seat, SHELL_NUMBER))
        fine = opponent in view.opponents() and view.shells[opponent][value] > 0
        self._require(fine, seat, "shell", (opponent, value))
        return self._seat(seat, opponent), value

    def _decide_seaweed(self, seat: int) -> int:
        view = self._view(seat)
        opponent = self.players[seat].seaweed(view, self._word(seat, SEAWEED_NUMBER))
        self._require(opponent in view.opponents(), seat, "seaweed", opponent)
        return self._seat(seat, opponent)

    def _decide_passing(self, seat: int, starfish: int) -> int:
        view = self._view(seat, starfish)
        card = self.players[seat].passing(view, self._word(seat, PASS_NUMBER))
        self._require(card in view.hand.sorts(), seat, "pass", card)
        return card

    def _seat(self, seat: int, row: int) -> int:
        return (seat + row) % self.rules.players

    def _require(self, fine: bool, seat: int, decision: str, chosen: object) -> None:
        if not fine:
            where = f"turn {self.table.turn}, seat {seat}, {decision}"
            raise IllegalDecision(f"{where}: {chosen} with {self.table.hands[seat]}")

    # Telling and counting

    def _tell(self, name: str, **facts: Any) -> None:
        self.log.append(Event(self.table.turn, name, facts, {}, ()))

    def _tell_secretly(
        self, name: str, knowers: tuple[int, ...], secret: dict[str, Any], **facts: Any
    ) -> None:
        self.log.append(Event(self.table.turn, name, facts, secret, knowers))

    def result(self) -> Result:
        """Feed the monster, count the shells, name the winners."""
        table = self.table
        shells = [pile.copy() for pile in table.shells]
        eaten_cards = eaten_points = 0
        for seat, hand in enumerate(table.hands):
            if hand[MONSTER] and len(shells[seat]):
                highest = shells[seat].sorts()[-1]
                number = shells[seat][highest]
                shells[seat].remove(highest, number)
                eaten_cards += number
                eaten_points += number * highest
                self._tell("monster eats", seat=seat, value=highest, number=number)
        standing = [(pile.points(), len(pile)) for pile in shells]
        winners = [seat for seat, mine in enumerate(standing) if mine == max(standing)]
        if not self.end():
            winners = []
        wins = tuple(WIN // len(winners) if s in winners else 0 for s in range(len(shells)))
        end = self.end() or "unfinished"
        self._tell("end", end=end, winners=winners, standing=standing)
        return Result(
            end=end,
            wins=wins,
            points=tuple(points for points, _ in standing),
            shells=tuple(number for _, number in standing),
            cards_left=tuple(len(hand) for hand in table.hands),
            first=self.first,
            turns=table.turn,
            counts=dict(self.counts),
            monster_held=any(hand[MONSTER] for hand in table.hands),
            eaten_cards=eaten_cards,
            eaten_points=eaten_points,
            beach_deck_left=len(table.beach_deck),
        )
