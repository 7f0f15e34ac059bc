"""Turn the Tide, one game at a time: the twin of ``analyzer.games.turnthetide``.

Written from the rules, in their order, without an eye to speed. `play` tells everything that
happened as a `GameRecord`, down to every tide, choice and loss.

Seats are numbered from 0, the next number sits to the left. Hands are numbered by the seat to
which they were first dealt: in round r seat p plays hand ``(p - r) mod players``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tests.reference import chance

CARDS = range(1, 61)
PRINTED = (0,) * 12 + (1,) * 12 + (2,) * 12 + (1,) * 12 + (0,) * 12
"""Halves of life preservers on the weather cards 1 to 60."""

WIN = 60
"""A win is counted in sixtieths, so that up to six winners share it in whole numbers."""

DEAL, TIDES, DECIDE = 1, 2, 16
"""What a random word is for; seat p decides with purpose ``DECIDE + p``."""


@dataclass(frozen=True)
class Rules:
    """The settings in force; `standard` gives the printed rules."""

    players: int
    hand_size: int
    hands: int
    tide_max: int
    rounds: int
    preservers: tuple[int, ...] = PRINTED
    allocation: str = "printed"
    drowning: str = "highest"
    bonus: int = 1
    eliminated_may_take_bonus: bool = False
    end_at: int = 2


def standard(players: int, **changes: object) -> Rules:
    """The rules for so many players; the number of hands follows a changed hand size."""
    cards = int(str(changes.get("hand_size", 10 if players == 6 else 12)))
    rules = Rules(
        players=players,
        hand_size=cards,
        hands=cards,
        tide_max=10 if players == 6 else 12,
        rounds=players,
        drowning="two-highest" if players == 6 else "highest",
        end_at=1 if players == 2 else 2,
    )
    return replace(rules, **changes)  # type: ignore[arg-type]


# What happened ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HandRecord:
    """One hand: two tides, a weather card each, and what became of it."""

    low: int
    high: int
    choices: Mapping[int, int]  # seat -> weather card
    took_low: int  # the seats that took the tides
    took_high: int | None
    losers: tuple[int, ...]  # who had to lose a preserver ...
    eliminated: tuple[int, ...]  # ... and who of them had none
    shown: tuple[int, ...]  # by seat, after this hand; an eliminated player shows 0
    lives: tuple[int, ...]  # preservers left, after this hand


@dataclass(frozen=True)
class RoundRecord:
    """One round; tuples are by seat."""

    number: int
    owners: tuple[int, ...]  # which hand each seat plays
    printed: tuple[int, ...]  # whole preservers printed on that hand
    start: tuple[int, ...]  # preservers given for it
    hands: tuple[HandRecord, ...]
    lives: tuple[int, ...]
    alive: tuple[bool, ...]
    bonus: tuple[bool, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True)
class GameRecord:
    """One game; tuples are by seat."""

    rules: Rules
    deals: tuple[frozenset[int], ...]
    rounds: tuple[RoundRecord, ...]
    scores: tuple[int, ...]
    wins: tuple[int, ...]  # in sixtieths

    @property
    def hands_played(self) -> int:
        """Hands of all rounds together."""
        return sum(len(one.hands) for one in self.rounds)


# The table ----------------------------------------------------------------------------------------


class Player:
    """What lies before one seat during a round."""

    def __init__(self, hand: frozenset[int], preservers: int) -> None:
        self.cards = set(hand)
        self.played: set[int] = set()
        self.preservers = preservers
        self.lives = preservers
        self.shown = 0
        self.alive = True


class Table:
    """A game under way."""

    def __init__(self, rules: Rules, deals: Sequence[frozenset[int]]) -> None:
        self.rules = rules
        self.deals = tuple(deals)
        self.scores = [0] * rules.players
        self.seen: set[int] = set()  # weather cards played in earlier rounds
        self.held: list[set[int]] = [set() for _ in deals]  # hands each seat had in earlier rounds

    def start_round(self, number: int) -> None:
        """Pass the hands on, with their preservers restored."""
        self.round = number
        self.owners = [(seat - number) % self.rules.players for seat in range(self.rules.players)]
        self.players = [
            Player(self.deals[owner], preservers_for(self.rules, self.deals[owner]))
            for owner in self.owners
        ]

    def start_hand(self, number: int, low: int, high: int) -> None:
        """Turn up two tides."""
        self.hand, self.low, self.high = number, low, high

    def living(self) -> list[int]:
        """Seats still in the round."""
        return [seat for seat, player in enumerate(self.players) if player.alive]

    def end_round(self, scores: Sequence[int]) -> None:
        """Write down the points; everybody remembers the round."""
        for seat, player in enumerate(self.players):
            self.scores[seat] += scores[seat]
            self.seen |= player.played
            self.held[seat].add(self.owners[seat])


class View:
    """What one seat knows when it picks a card; lists start with me and go on to my left."""

    def __init__(self, table: Table, seat: int) -> None:
        self._table = table
        self._seat = seat
        rules = table.rules
        self.players = rules.players
        self.rounds = rules.rounds
        self.hands = rules.hands
        self.round = table.round
        self.hand = table.hand
        self.cards_left = rules.hand_size - table.hand
        self.tide_max = rules.tide_max
        self.low = table.low
        self.high = table.high
        self.cards = sorted(table.players[seat].cards)

    @property
    def _seats(self) -> list[int]:
        return [(self._seat + d) % self.players for d in range(self.players)]

    @property
    def _order(self) -> list[Player]:
        return [self._table.players[seat] for seat in self._seats]

    @property
    def shown(self) -> list[int]:
        """Tide on show, 0 if none; an eliminated player has none."""
        return [player.shown for player in self._order]

    @property
    def highest(self) -> int:
        """Highest tide that a living player shows."""
        return max(player.shown for player in self._order if player.alive)

    @property
    def lives(self) -> list[int]:
        """Preservers left."""
        return [player.lives for player in self._order]

    @property
    def alive(self) -> list[bool]:
        """Who is still in the round."""
        return [player.alive for player in self._order]

    @property
    def preservers(self) -> list[int]:
        """Preservers that each had at the start of this round."""
        return [player.preservers for player in self._order]

    @property
    def scores(self) -> list[int]:
        """Points of the finished rounds."""
        return [self._table.scores[seat] for seat in self._seats]

    @property
    def played(self) -> list[set[int]]:
        """Weather cards that each has played this round."""
        return [set(player.played) for player in self._order]

    @property
    def known(self) -> list[set[int]]:
        """Cards I know to be in each hand still; my own first.

        A hand that I had in an earlier round I know. Of any other one I know the cards that
        somebody was seen to play in an earlier round. Cards played this round are gone.
        """
        table = self._table
        known = [set(self.cards)]
        for seat in self._seats[1:]:
            owner = table.owners[seat]
            hand = set(table.deals[owner])
            if owner not in table.held[self._seat]:
                hand &= table.seen
            known.append(hand - table.players[seat].played)
        return known


Strategy = Callable[[View, int], int]
"""Picks a card; the second argument is a random word, for those who want one."""


# The rules ----------------------------------------------------------------------------------------


def printed_preservers(rules: Rules, hand: frozenset[int]) -> int:
    """Whole life preservers on a hand: two halves make one, a single half is lost."""
    return sum(rules.preservers[card - 1] for card in hand) // 2


def preservers_for(rules: Rules, hand: frozenset[int]) -> int:
    """Life preservers that are given for a hand."""
    if rules.allocation == "none":
        return 0
    if rules.allocation.startswith("flat:"):
        return int(rules.allocation.removeprefix("flat:"))
    return printed_preservers(rules, hand)


def must_lose(rules: Rules, shown: Mapping[int, int], lives: Mapping[int, int]) -> list[int]:
    """Who of the living must lose a preserver, given what they show and have left."""
    levels = sorted(set(shown.values()) - {0}, reverse=True)
    highest = [seat for seat in shown if shown[seat] == levels[0]]
    if rules.drowning == "highest" or len(highest) > 1 or len(levels) == 1:
        return highest
    if lives[highest[0]] == 0:
        return highest  # somebody is drowning: the second highest keeps theirs
    return sorted(highest + [seat for seat in shown if shown[seat] == levels[1]])


def play_hand(table: Table, choices: Mapping[int, int]) -> HandRecord:
    """Reveal the chosen cards, hand out the tides and take the preservers."""
    living = table.living()
    by_weather = sorted(living, key=lambda seat: choices[seat], reverse=True)
    took_low = by_weather[0]
    took_high = by_weather[1] if len(living) > 1 else None
    table.players[took_low].shown = table.low
    if took_high is not None:
        table.players[took_high].shown = table.high

    losers = must_lose(
        table.rules,
        {seat: table.players[seat].shown for seat in living},
        {seat: table.players[seat].lives for seat in living},
    )
    eliminated = [seat for seat in losers if table.players[seat].lives == 0]
    for seat in losers:
        player = table.players[seat]
        if seat in eliminated:
            player.alive = False
            player.shown = 0
        else:
            player.lives -= 1
    for seat in living:
        table.players[seat].cards.remove(choices[seat])
        table.players[seat].played.add(choices[seat])

    return HandRecord(
        low=table.low,
        high=table.high,
        choices=dict(choices),
        took_low=took_low,
        took_high=took_high,
        losers=tuple(losers),
        eliminated=tuple(eliminated),
        shown=tuple(player.shown for player in table.players),
        lives=tuple(player.lives for player in table.players),
    )


def bonus_takers(rules: Rules, players: Sequence[Player]) -> list[bool]:
    """Who shows the lowest tide, and so takes the bonus.

    Eliminated players have no tide card: if they may take it at all, theirs is the lowest level.
    """
    allowed = [player.alive or rules.eliminated_may_take_bonus for player in players]
    levels = [player.shown for player, may in zip(players, allowed, strict=True) if may]
    return [
        may and player.shown == min(levels) for player, may in zip(players, allowed, strict=True)
    ]


def play_round(
    table: Table,
    number: int,
    tides: Sequence[tuple[int, int]],
    strategies: Sequence[Strategy],
    word: Callable[[int, int, int], int],
) -> RoundRecord:
    """Play hands until they are used up, or too few players are left."""
    rules = table.rules
    table.start_round(number)
    hands: list[HandRecord] = []
    while len(hands) < rules.hands and len(table.living()) > rules.end_at:
        hand = len(hands)
        table.start_hand(hand, min(tides[hand]), max(tides[hand]))
        choices = {}
        for seat in table.living():
            card = strategies[seat](View(table, seat), word(seat, number, hand))
            if card not in table.players[seat].cards:
                raise ValueError(f"seat {seat} does not hold card {card}")
            choices[seat] = card
        hands.append(play_hand(table, choices))

    bonus = bonus_takers(rules, table.players)
    scores = [
        (player.lives if player.alive else -1) + (rules.bonus if takes else 0)
        for player, takes in zip(table.players, bonus, strict=True)
    ]
    table.end_round(scores)
    return RoundRecord(
        number=number,
        owners=tuple(table.owners),
        printed=tuple(printed_preservers(rules, table.deals[owner]) for owner in table.owners),
        start=tuple(player.preservers for player in table.players),
        hands=tuple(hands),
        lives=tuple(player.lives for player in table.players),
        alive=tuple(player.alive for player in table.players),
        bonus=tuple(bonus),
        scores=tuple(scores),
    )


def shares(scores: Sequence[int]) -> tuple[int, ...]:
    """The win in sixtieths: those with the most points share it equally."""
    best = max(scores)
    winners = sum(score == best for score in scores)
    return tuple(WIN // winners if score == best else 0 for score in scores)


def play_given(
    rules: Rules,
    deals: Sequence[frozenset[int]],
    tides: Sequence[Sequence[tuple[int, int]]],
    strategies: Sequence[Strategy],
    word: Callable[[int, int, int], int] = lambda seat, number, hand: 0,
) -> GameRecord:
    """Play a game whose deal and tides are given.

    ``tides`` is a list of pairs a round; ``word`` gives the random word of a seat, round and hand.
    """
    table = Table(rules, deals)
    rounds = [
        play_round(table, number, tides[number], strategies, word) for number in range(rules.rounds)
    ]
    return GameRecord(
        rules=rules,
        deals=table.deals,
        rounds=tuple(rounds),
        scores=tuple(table.scores),
        wins=shares(table.scores),
    )


# Chance -------------------------------------------------------------------------------------------


def deal(rules: Rules, key: int) -> list[frozenset[int]]:
    """The hands of the game with this key."""
    size = rules.hand_size
    cards = chance.shuffled(CARDS, rules.players * size, key, DEAL)
    return [frozenset(cards[size * seat : size * (seat + 1)]) for seat in range(rules.players)]


def tides_of_round(rules: Rules, key: int, number: int) -> list[tuple[int, int]]:
    """The pairs of tides that a round turns up."""
    deck = [level for level in range(1, rules.tide_max + 1) for _ in range(2)]
    cards = chance.shuffled(deck, 2 * rules.hands, key, TIDES, number << 20)
    return list(zip(cards[::2], cards[1::2], strict=True))


def play(rules: Rules, strategies: Sequence[Strategy], seed: int, game: int) -> GameRecord:
    """Play one game of the run that a seed stands for."""
    key = chance.game_key(seed, game)
    return play_given(
        rules,
        deal(rules, key),
        [tides_of_round(rules, key, number) for number in range(rules.rounds)],
        strategies,
        lambda seat, number, hand: chance.word(key, DECIDE + seat, (number << 20) | hand),
    )


# Strategies ---------------------------------------------------------------------------------------


def random(view: View, word: int) -> int:
    """Any card."""
    return view.cards[chance.bounded(word, len(view.cards))]


def lowest(view: View, word: int) -> int:
    """Always my lowest card."""
    return view.cards[0]


def highest(view: View, word: int) -> int:
    """Always my highest card."""
    return view.cards[-1]


def middle(view: View, word: int) -> int:
    """My middle card, the lower one of two."""
    return view.cards[(len(view.cards) - 1) // 2]


def reactive(view: View, word: int) -> int:
    """My highest card if I show a tide and no living player a higher one, else my lowest."""
    if view.shown[0] > 0 and view.shown[0] == view.highest:
        return view.cards[-1]
    return view.cards[0]


def scripted(rounds: Sequence[Sequence[int]]) -> Strategy:
    """These cards: a list a round, a card a hand."""
    return lambda view, word: rounds[view.round][view.hand]


BASELINES: Mapping[str, Strategy] = {
    "random": random,
    "lowest": lowest,
    "highest": highest,
    "middle": middle,
    "reactive": reactive,
}
