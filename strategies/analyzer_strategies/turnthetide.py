"""Ways to play Turn the Tide, one idea each.

Five plain ones first (any game analysis starts with them), then four that think about rivals in
growing depth: `thrifty` needs only what lies on the table, `counting` weighs what cards the rivals
can still hold, `reader` also reads their habits from the cards they played, `lookahead` plays the
rest of the round out many times. `counting` and `reader` have twins that forget earlier rounds: the
difference is what remembering passed hands is worth. How all of them fare is measured in
``docs/strategies-turnthetide.md``.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb, exp, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Parameter, Rules, Strategy
from analyzer.kernels.bits import (
    card_bit,
    card_number,
    count_cards,
    highest_card,
    lowest_card,
    nth_card,
    random_cards,
)
from analyzer.kernels.compilation import kernel
from analyzer.kernels.random import bounded, expand

Cards = NDArray[np.uint8]
Whole = Any
"""A whole number of whatever width, inside kernels."""

CARDS = 60
ONE = np.uint64(1)
ALL = np.uint64((1 << CARDS) - 1)
ME, NOBODY = 0, -1

DUCKS, BIDS, REACTS, LOOSE = range(4)
HABITS = 4
"""What a rival may do: play the lowest card always; the highest always; the highest when drowning
and the lowest otherwise; or the last loosely, now and then with any card."""
ANY = 4
"""A habit that only `lookahead` tells apart: any card."""


@kernel
def _random(view: Any, params: Any, words: Any, out: Cards) -> None:
    random_cards(view.cards, view.cards_left, words, out)


random = Strategy(
    game="turnthetide",
    name="random",
    idea="Plays any remaining card, each with the same chance: the yardstick for all others.",
    hooks={"card": _random},
    stochastic=frozenset({"card"}),
)


@kernel
def _lowest(view: Any, params: Any, words: Any, out: Cards) -> None:
    for g in range(out.size):
        out[g] = lowest_card(view.cards[g])


lowest = Strategy(
    game="turnthetide",
    name="lowest",
    idea="Plays its lowest card, so as to take no tide card for as long as it can.",
    hooks={"card": _lowest},
)


@kernel
def _highest(view: Any, params: Any, words: Any, out: Cards) -> None:
    for g in range(out.size):
        out[g] = highest_card(view.cards[g])


highest = Strategy(
    game="turnthetide",
    name="highest",
    idea="Plays its highest card, so as to take the lower tide card while it still can.",
    hooks={"card": _highest},
)


@kernel
def _middle(view: Any, params: Any, words: Any, out: Cards) -> None:
    place = (view.cards_left - 1) // 2
    for g in range(out.size):
        out[g] = nth_card(view.cards[g], place)


middle = Strategy(
    game="turnthetide",
    name="middle",
    idea="Plays the middle one of its cards and keeps both ends for later.",
    hooks={"card": _middle},
)


@kernel
def _reactive(view: Any, params: Any, words: Any, out: Cards) -> None:
    for g in range(out.size):
        mine = view.shown[0, g]
        drowning = mine > 0 and mine == view.highest[g]
        low = lowest_card(view.cards[g])
        high = highest_card(view.cards[g])
        out[g] = high if drowning else low


reactive = Strategy(
    game="turnthetide",
    name="reactive",
    idea="Ducks with its lowest card until it shows the highest tide, then bids its highest.",
    hooks={"card": _reactive},
    claims={"random": 0.70, "lowest": 0.72, "highest": 0.97, "middle": 0.93},
)


@kernel
def _thrifty(view: Any, params: Any, words: Any, out: Cards) -> None:
    enough = card_bit(params[0]) - ONE
    for g in range(out.size):
        cards = view.cards[g]
        mine = view.shown[0, g]
        low = lowest_card(cards)
        high = highest_card(cards)
        sufficient = lowest_card(cards & ~enough)
        cheap = sufficient if sufficient != 0 else high
        drowning = mine > 0 and mine == view.highest[g]
        harmless = mine > 0 and view.high[g] <= mine
        bid = cheap if harmless else low
        out[g] = high if drowning else bid


ENOUGH = Parameter("enough", "int", 45, "a cheap bid is the lowest card from this one up", 1, 60)

thrifty = Strategy(
    game="turnthetide",
    name="thrifty",
    idea="Ducks unless bidding cannot hurt: bids its highest card when it is drowning, and a cheap "
    "one when even the higher tide on offer is no worse than its own.",
    hooks={"card": _thrifty},
    parameters=(ENOUGH,),
    origin="Grown from `reactive`: shedding a bad tide before it is the worst one shares out the "
    "burden of high cards over more hands.",
    claims={"random": 0.73, "lowest": 0.85, "highest": 0.97, "middle": 0.94, "reactive": 0.40},
)


# --- expecting rivals' cards ---------------------------------------------------------------------
#
# A rival holds cards I know of and `draws` more, any of the pool of cards that may be anywhere.
# "Ways" are how many choices of those draws agree with a statement; ratios of ways are chances.


def _ways_table() -> NDArray[np.float64]:
    """Binomial coefficients: row n, column k, for up to 60 cards."""
    return np.array([[comb(n, k) for k in range(CARDS + 1)] for n in range(CARDS + 1)], float)


def _with_rules(rules: Rules, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """Parameters, then what of the rules and of arithmetic the kernels want to look up."""
    return (*params, rules["drowning"] == "two-highest", rules["bonus"], _ways_table())


@kernel
def _ways(known: Any, pool: Any, draws: Whole, allowed: Any, table: Any) -> Any:
    """In how many ways all cards of a hand lie in the set ``allowed``."""
    if known & ~allowed:
        return 0.0
    return table[np.int64(count_cards(pool & allowed)), draws]


@kernel
def _cards_above(card: Whole) -> Any:
    """The set of all cards higher than this one."""
    return ALL & ~((ONE << np.uint64(card)) - ONE)


@kernel
def _gap(played: Any, bids: Whole) -> Any:
    """The range of a hand from which ``bids`` highest cards went, and otherwise lowest ones."""
    floor = np.uint64(0)
    rest = np.uint64(played)
    for _ in range(np.int64(count_cards(played)) - bids):
        floor = rest & (~rest + ONE)
        rest ^= floor
    gap = ALL
    if floor != 0:
        gap &= ~((floor << ONE) - ONE)
    if rest != 0:
        gap &= (rest & (~rest + ONE)) - ONE
    return gap


@kernel
def _weigh_habits(
    n: Whole, known: Any, pool: Any, played: Any, bids: Whole, reads: bool, table: Any,
    ways: Any, where: Any,
) -> None:  # fmt: skip
    """Weigh the habits a rival may have; fills ``ways`` (HABITS,) and ``where`` (HABITS,).

    The habits are equally likely until a card is played. By Bayes' rule the odds then are the ways
    in which the rival's hand can have led to the cards played in this round: under a strict habit
    all cards left must lie in one range, kept in ``where``. A loose rival counts as one who has
    played a random choice of the hand. Those who do not read think that everybody is loose.

    Parameters
    ----------
    n
        Cards in the rival's hand, 1 or more.
    known, pool, played
        Cards known to be in it; cards that may be anywhere; cards it lost in this round.
    bids
        How often a rival who reacts has bid: once for each lost preserver already answered.
    """
    draws = n - np.int64(count_cards(known))
    count = np.int64(count_cards(played))
    where[:] = ALL
    if count > 0:
        where[DUCKS] = _cards_above(highest_card(played))
        where[BIDS] = card_bit(lowest_card(played)) - ONE
        where[REACTS] = _gap(played, min(max(bids, 0), count))
    for habit in range(LOOSE):
        ways[habit] = _ways(known, pool, draws, where[habit], table) if reads else 0.0
    ways[LOOSE] = _ways(known, pool, draws, ALL, table) / table[n + count, count]


@kernel
def _expect(
    n: Whole, known: Any, pool: Any, drowning: bool, doubt: float, table: Any,
    ways: Any, where: Any, mine: Any, above: Any,
) -> None:  # fmt: skip
    """Fill ``above[c]``, the chance that a rival plays above c, for the cards c of my hand.

    A loose rival plays any card of the hand with chance ``doubt``, else bids the highest one when
    drowning and ducks with the lowest otherwise. ``above[0]`` is the sum over my cards, a measure
    of the rival's strength.
    """
    draws = n - np.int64(count_cards(known))
    share = 0.0 if draws == 0 else draws / np.float64(count_cards(pool))
    total = 0.0
    for habit in range(HABITS):
        total += ways[habit]
    loose = ways[LOOSE] / _ways(known, pool, draws, ALL, table)
    above[0] = 0.0
    rest = mine
    while rest != 0:
        card = card_number(rest)
        rest &= rest - ONE
        below = card_bit(card) - ONE
        higher = _cards_above(card)
        if drowning:
            usual = ways[LOOSE] - loose * _ways(known, pool, draws, below, table)
        else:
            usual = loose * _ways(known, pool, draws, higher, table)
        cards = np.float64(count_cards(known & higher)) + share * np.float64(
            count_cards(pool & higher)
        )
        chance = (1.0 - doubt) * usual + doubt * ways[LOOSE] * cards / n
        if ways[DUCKS] > 0.0:
            chance += _ways(known, pool, draws, where[DUCKS] & higher, table)
        if ways[BIDS] > 0.0:
            chance += ways[BIDS] - _ways(known, pool, draws, where[BIDS] & below, table)
        if ways[REACTS] > 0.0 and drowning:
            chance += ways[REACTS] - _ways(known, pool, draws, where[REACTS] & below, table)
        elif ways[REACTS] > 0.0:
            chance += _ways(known, pool, draws, where[REACTS] & higher, table)
        above[card] = chance / total
        above[0] += chance / total


# --- replying to what is expected ----------------------------------------------------------------


@kernel
def _by_strength(alive: Any, g: Whole, above: Any, order: Any) -> int:
    """Fill ``order`` with the living rivals, the strongest first; returns how many they are."""
    rivals = 0
    for d in range(1, alive.shape[0]):
        if alive[d, g]:
            place = rivals
            while place > 0 and above[order[place - 1], 0] < above[d, 0]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = d
            rivals += 1
    return rivals


@kernel
def _hand_values(
    tides: Any, low: Whole, high: Whole, rivals: Whole, order: Any,
    worry: float, last_bonus: float, two_highest: bool, values: Any,
) -> None:  # fmt: skip
    """Fill ``values[s]``: what the hand is worth to me if just the rivals of set s play above me.

    Bit i of s is rival ``order[i]``; of several above me, the stronger ones take the tides. A
    preserver counts 1, the lowest tide ``last_bonus``, the height of my tide ``-worry``.
    """
    for over in range(1 << rivals):
        first = ME
        second = ME
        count = 0
        for i in range(rivals):
            if over >> i & 1:
                first = order[i] if count == 0 else first
                second = order[i] if count == 1 else second
                count += 1
        if count == 0:
            second = order[0] if rivals > 0 else NOBODY
        mine = tides[ME]
        if count < 2:
            mine = low if first == ME else high
        higher = 0
        lower = 0
        for i in range(rivals):
            d = order[i]
            tide = tides[d]
            tide = low if d == first else tide
            tide = high if d == second else tide
            higher += 1 if tide > mine else 0
            lower += 1 if tide < mine else 0
        value = -worry * mine
        if higher == 0 or (two_highest and higher == 1 and mine > 0):
            value -= 1.0
        if lower == 0:
            value += last_bonus
        values[over] = value


@kernel
def _average(values: Any, rivals: Whole, order: Any, above: Any, card: Whole, folded: Any) -> Any:
    """Mean of ``values`` over the sets of rivals who play above my card, rival by rival."""
    for over in range(1 << rivals):
        folded[over] = values[over]
    for i in range(rivals - 1, -1, -1):
        half = 1 << i
        chance = above[order[i], card]
        for over in range(half):
            folded[over] += chance * (folded[over + half] - folded[over])
    return folded[0]


@kernel
def _reply(view: Any, known: Any, reads: bool, params: Any, out: Cards) -> None:
    """Play the card that does best on average against what the rivals are expected to play.

    ``known`` is as in the view. A card's price is what its extreme place would be worth later:
    ``thrift * (x^4 + (1 - x)^4)``, x = its place (0..1) among the cards that are not mine, times
    the share of the round still to come.
    """
    doubt, worry, thrift, two_highest, bonus, table = params
    players = view.players
    n = view.cards_left
    to_come = view.hands - view.hand - 1
    share_to_come = to_come / view.hands
    worry *= share_to_come / view.tide_max
    thrift *= share_to_come
    last_bonus = bonus if to_come == 0 else 0.0
    ways = np.zeros(HABITS)
    where = np.zeros(HABITS, np.uint64)
    above = np.zeros((players, CARDS + 1))
    order = np.zeros(players, np.int64)
    tides = np.zeros(players, np.int64)
    values = np.zeros(1 << players)
    folded = np.zeros(1 << players)
    for g in range(out.size):
        if view.active[g] == 0:
            continue
        mine = view.cards[g]
        others = ALL & ~mine
        pool = ALL & ~mine
        for d in range(players):
            others &= ~view.played[d, g]
            pool &= ~(view.played[d, g] | known[d, g])
            tides[d] = view.shown[d, g]
        for d in range(1, players):
            if view.alive[d, g]:
                drowning = tides[d] > 0 and tides[d] == view.highest[g]
                bids = view.preservers[d, g] - view.lives[d, g] - drowning
                _weigh_habits(
                    n, known[d, g], pool, view.played[d, g], bids, reads, table, ways, where
                )
                _expect(n, known[d, g], pool, drowning, doubt, table, ways, where, mine, above[d])
        rivals = _by_strength(view.alive, g, above, order)
        _hand_values(
            tides, np.int64(view.low[g]), np.int64(view.high[g]), rivals, order,
            worry, last_bonus, two_highest, values,
        )  # fmt: skip
        best = np.uint8(0)
        best_value = 0.0
        count = max(np.float64(count_cards(others)), 1.0)
        rest = mine
        while rest != 0:
            card = card_number(rest)
            rest &= rest - ONE
            x = np.float64(count_cards(others & (card_bit(card) - ONE))) / count
            value = _average(values, rivals, order, above, card, folded)
            value -= thrift * (x**4 + (1.0 - x) ** 4)
            if best == 0 or value > best_value:
                best = card
                best_value = value
        out[g] = best


@kernel
def _counting(view: Any, params: Any, words: Any, out: Cards) -> None:
    _reply(view, view.known, False, params, out)


@kernel
def _counting_forgetful(view: Any, params: Any, words: Any, out: Cards) -> None:
    _reply(view, np.zeros(view.played.shape, np.uint64), False, params, out)


@kernel
def _reader(view: Any, params: Any, words: Any, out: Cards) -> None:
    _reply(view, view.known, True, params, out)


@kernel
def _reader_forgetful(view: Any, params: Any, words: Any, out: Cards) -> None:
    _reply(view, np.zeros(view.played.shape, np.uint64), True, params, out)


def _replying(doubt: float) -> tuple[Parameter, ...]:
    """Parameters of strategies that reply, with this default for ``doubt``."""
    return (
        Parameter(
            "doubt",
            "float",
            doubt,
            "chance that a loose rival plays any card, instead of bidding when drowning and "
            "ducking otherwise",
            0.0,
            1.0,
        ),
        Parameter(
            "worry",
            "float",
            0.6,
            "preservers that the highest tide card, if it stays, is thought to cost in a round",
            0.0,
            10.0,
        ),
        Parameter(
            "thrift",
            "float",
            1.2,
            "preservers that the most extreme card, kept for later, is thought to save in a round",
            0.0,
            10.0,
        ),
    )


counting = Strategy(
    game="turnthetide",
    name="counting",
    idea="Counts which cards the rivals can still play, cards remembered from passed hands "
    "included, expects the drowning to bid high and the others to duck, and plays the card with "
    "the best outcome on average, sparing extreme cards.",
    hooks={"card": _counting},
    sees=("played", "known"),
    parameters=_replying(0.45),
    prepare=_with_rules,
    claims={
        "random": 0.62,
        "lowest": 0.90,
        "highest": 0.95,
        "middle": 0.85,
        "reactive": 0.92,
        "thrifty": 0.85,
    },
)

counting_forgetful = replace(
    counting,
    name="counting-forgetful",
    idea="The same as `counting`, but knows of the rivals' hands only what was played in this "
    "round: the difference is the worth of the rulebook's advice to remember passed hands.",
    hooks={"card": _counting_forgetful},
    sees=("played",),
    claims={
        "random": 0.60,
        "lowest": 0.94,
        "highest": 0.97,
        "middle": 0.80,
        "reactive": 0.75,
        "thrifty": 0.60,
    },
)

reader = replace(
    counting,
    name="reader",
    idea="Counts like `counting`, and reads from the cards played in this round whether a rival "
    "always ducks, always bids, or bids exactly when drowning: habits give away the next card.",
    hooks={"card": _reader},
    # Reading sets the strict rivals apart; those that remain are looser.
    parameters=_replying(0.7),
    claims={
        "random": 0.73,
        "lowest": 0.97,
        "highest": 0.98,
        "middle": 0.88,
        "reactive": 0.96,
        "thrifty": 0.91,
        "counting": 0.27,
    },
)

reader_forgetful = replace(
    reader,
    name="reader-forgetful",
    idea="The same as `reader`, but knows of the rivals' hands only what was played in this round.",
    hooks={"card": _reader_forgetful},
    sees=("played",),
    claims={
        "random": 0.70,
        "lowest": 0.97,
        "highest": 0.98,
        "middle": 0.83,
        "reactive": 0.91,
        "thrifty": 0.80,
    },
)


# --- playing on in the mind ----------------------------------------------------------------------


@kernel
def _sample_rival(
    d: Whole, n: Whole, known: Any, pool: Any, doubt: float, ways: Any, where: Any,
    word: Any, used: Whole, hands: Any, habits: Any,
) -> Any:  # fmt: skip
    """Draw a habit and a hand of n cards for rival d; returns the words used so far."""
    total = 0.0
    for habit in range(HABITS):
        total += ways[d, habit]
    x = total * _fraction(expand(word, used))
    habit = 0
    while habit < LOOSE and x >= ways[d, habit]:
        x -= ways[d, habit]
        habit += 1
    used += 1
    hand = known
    for _ in range(n - np.int64(count_cards(known))):
        # Earlier rivals may have been given the last cards of the range; any other one must do.
        fitting = pool & where[d, habit] & ~hand
        fitting = fitting if fitting != 0 else pool & ~hand
        size: Any = count_cards(fitting)
        place = bounded(expand(word, used), size)
        hand |= card_bit(nth_card(fitting, place))
        used += 1
    if habit == LOOSE and _fraction(expand(word, used)) < doubt:
        habit = ANY
    hands[d] = hand
    habits[d] = habit
    return used + 1


@kernel
def _fraction(word: Any) -> float:
    """A number in [0, 1) out of one word."""
    return np.float64(word >> np.uint64(11)) / 9007199254740992.0


@kernel
def _habitual_card(habit: Whole, cards: Any, tide: Whole, highest: Whole) -> Any:
    """What a player of a strict habit plays; loose ones are expected to react."""
    bids = habit == BIDS or (habit != DUCKS and tide > 0 and tide == highest)
    return highest_card(cards) if bids else lowest_card(cards)


@kernel
def _middling(cards: Any) -> Any:
    """The card nearest to the middle of all, 0 if there is none: the cheapest one to play."""
    upper = np.int64(lowest_card(cards & _cards_above(CARDS // 2)))
    lower = np.int64(highest_card(cards & ~_cards_above(CARDS // 2)))
    if lower == 0 or 0 < upper <= CARDS - lower:
        return upper
    return lower


@kernel
def _imagined_reply(
    me: Whole, mine: Any, expected: Any, tides: Any, low: Whole, high: Whole,
    worry: float, thrift: float,
) -> Any:  # fmt: skip
    """The best card against what the others are expected to play (0 = is out).

    Three kinds of cards are compared, the cheapest of each: above all, above all but one, and
    below two. The values are those of `_reply`.
    """
    first = NOBODY
    second = NOBODY
    top = 0
    next_top = 0
    for d in range(tides.size):
        if d != me and expected[d] > top:
            second, next_top = first, top
            first, top = d, expected[d]
        elif d != me and expected[d] > next_top:
            second, next_top = d, expected[d]
    over_one = _cards_above(next_top)
    over_all = _cards_above(top)
    best = 0
    best_value = 0.0
    for kind in range(3):
        if kind == 0:
            card = _middling(mine & over_all)
            taker, payer = me, first
        elif kind == 1:
            card = _middling(mine & over_one & ~over_all)
            taker, payer = first, me
        else:
            card = _middling(mine & ~over_one)
            taker, payer = first, second
        if card > 0:
            tide = low if taker == me else tides[me]
            tide = high if payer == me else tide
            loss = 1.0
            for d in range(tides.size):
                other = low if d == taker else tides[d]
                other = high if d == payer else other
                if d != me and expected[d] > 0 and other > tide:
                    loss = 0.0
            x = card / CARDS
            value = -loss - worry * tide - thrift * (x**4 + (1.0 - x) ** 4)
            if best == 0 or value > best_value:
                best = card
                best_value = value
    return best


@kernel
def _imagined_hand(
    choice: Any, low: Whole, high: Whole, two_highest: bool, tides: Any, lives: Any, alive: Any
) -> Any:
    """Play out one hand by the rules, in place; returns the number of living players."""
    first = 0
    second = 0
    for d in range(choice.size):
        second = max(second, min(first, choice[d]))
        first = max(first, choice[d])
    for d in range(choice.size):
        if choice[d] > 0 and choice[d] == first:
            tides[d] = low
        elif choice[d] > 0 and choice[d] == second:
            tides[d] = high
    highest = 0
    next_highest = 0
    for d in range(choice.size):
        next_highest = max(next_highest, min(highest, tides[d]))
        highest = max(highest, tides[d])
    lone_loss = next_highest < highest
    for d in range(choice.size):
        if alive[d] and tides[d] == highest and lives[d] == 0:
            lone_loss = False
    living = 0
    for d in range(choice.size):
        too = two_highest and lone_loss and tides[d] == next_highest and next_highest > 0
        if alive[d] and (tides[d] == highest or too):
            if lives[d] == 0:
                alive[d] = 0
                tides[d] = 0
            else:
                lives[d] -= 1
        living += alive[d]
    return living


@kernel
def _play_on(
    card: Whole, to_play: Whole, highest: Whole, low: Any, high: Any, habits: Any, word: Any,
    used: Whole, worry: float, thrift: float, two_highest: bool, end_at: Whole,
    cards: Any, expected: Any, choice: Any, tides: Any, lives: Any, alive: Any,
) -> None:  # fmt: skip
    """Play the round out in place, I my ``card`` first; no further than I live.

    Rivals play by their habits, the loose ones and I reply to what habits let us expect. The
    players of the imagination see each other's cards, which is what makes it fast.
    """
    players = cards.size
    for ahead in range(to_play):
        to_come = to_play - 1 - ahead
        for d in range(players):
            expected[d] = 0
            if alive[d]:
                expected[d] = _habitual_card(habits[d], cards[d], tides[d], highest)
        for d in range(players):
            choice[d] = expected[d]
            if alive[d] and habits[d] == LOOSE:
                choice[d] = _imagined_reply(
                    d, cards[d], expected, tides, low[ahead], high[ahead],
                    worry * to_come, thrift * to_come,
                )  # fmt: skip
            elif alive[d] and habits[d] == ANY:
                chance = expand(word, used + ahead * players + d)
                size: Any = count_cards(cards[d])
                choice[d] = nth_card(cards[d], bounded(chance, size))
        if ahead == 0:
            choice[ME] = card
        for d in range(players):
            if alive[d]:
                cards[d] ^= card_bit(choice[d])
        living = _imagined_hand(choice, low[ahead], high[ahead], two_highest, tides, lives, alive)
        if living <= end_at or alive[ME] == 0:
            break
        highest = 0
        for d in range(players):
            highest = max(highest, tides[d])


@kernel
def _imagined_share(
    scores: Any, to_come: Whole, bonus: Whole, eliminated_too: bool, patience: float,
    tides: Any, lives: Any, alive: Any, totals: Any,
) -> float:  # fmt: skip
    """My share of the win if the round ends like this, with ``to_come`` rounds after it.

    In the last round the true one; before it player i's chance is taken as proportional to
    ``exp(score_i / (patience * sqrt(to_come)))``.
    """
    lowest = CARDS
    for d in range(tides.size):
        if alive[d] or eliminated_too:
            lowest = min(lowest, tides[d])
    best = -1000000
    for d in range(tides.size):
        points = lives[d] if alive[d] else -1
        if (alive[d] or eliminated_too) and tides[d] == lowest:
            points += bonus
        totals[d] = scores[d] + points
        best = max(best, totals[d])
    weight = 0.0
    mine = 0.0
    for d in range(tides.size):
        if to_come == 0:
            x = 1.0 if totals[d] == best else 0.0
        else:
            x = exp((totals[d] - best) / (patience * sqrt(np.float64(to_come))))
        weight += x
        mine += x if d == 0 else 0.0
    return mine / weight


@kernel
def _unseen_tides(view: Any, g: Whole, deck: Any) -> int:
    """Fill ``deck`` with the tide cards that lie neither on offer nor before a player."""
    size = 0
    for tide in range(1, view.tide_max + 1):
        left = 2
        left -= 1 if view.low[g] == tide else 0
        left -= 1 if view.high[g] == tide else 0
        for d in range(view.players):
            left -= 1 if view.shown[d, g] == tide else 0
        for _ in range(left):
            deck[size] = tide
            size += 1
    return size


@kernel
def _better_half(cards: Any, value: Any) -> Any:
    """The half of the cards with the highest values, the middle one included."""
    kept = cards
    rest = cards
    while rest != 0:
        card = card_number(rest)
        rest &= rest - ONE
        better = 0
        others = cards
        while others != 0:
            better += 1 if value[card_number(others)] > value[card] else 0
            others &= others - ONE
        if 2 * better > np.int64(count_cards(cards)) - 1:
            kept ^= card_bit(card)
    return kept


@kernel
def _lookahead(view: Any, params: Any, words: Any, out: Cards) -> None:
    playouts, doubt, worry, thrift, patience = params[:5]
    two_highest, bonus, eliminated_too, end_at, table = params[5:]
    worry /= view.hands * view.tide_max
    thrift /= view.hands
    players = view.players
    n = view.cards_left
    to_play = view.hands - view.hand
    ways = np.zeros((players, HABITS))
    where = np.zeros((players, HABITS), np.uint64)
    hands = np.zeros(players, np.uint64)
    habits = np.full(players, LOOSE)
    deck = np.zeros(2 * view.tide_max, np.int64)
    deck_low = np.zeros(to_play, np.int64)
    deck_high = np.zeros(to_play, np.int64)
    scores = np.zeros(players, np.int64)
    cards = np.zeros(players, np.uint64)
    expected = np.zeros(players, np.int64)
    choice = np.zeros(players, np.int64)
    tides = np.zeros(players, np.int64)
    lives = np.zeros(players, np.int64)
    alive = np.zeros(players, np.int64)
    totals = np.zeros(players, np.int64)
    value = np.zeros(CARDS + 1)
    for g in range(out.size):
        pool = ALL & ~(view.cards[g] | view.played[0, g])
        for d in range(1, players):
            pool &= ~(view.played[d, g] | view.known[d, g])
        for d in range(players):
            scores[d] = view.scores[d, g]
        for d in range(1, players):
            if view.alive[d, g]:
                drowning = view.shown[d, g] > 0 and view.shown[d, g] == view.highest[g]
                bids = view.preservers[d, g] - view.lives[d, g] - drowning
                _weigh_habits(
                    n, view.known[d, g], pool, view.played[d, g], bids, True, table,
                    ways[d], where[d],
                )  # fmt: skip
        value[:] = 0.0
        contenders = view.cards[g]
        for playout in range(playouts):
            if playout in (playouts // 8, playouts // 4, playouts // 2):
                contenders = _better_half(contenders, value)
            word = expand(words[g], playout)
            used = 0
            free = pool
            for d in range(1, players):
                if view.alive[d, g]:
                    used = _sample_rival(
                        d, n, view.known[d, g], free, doubt, ways, where, word, used, hands, habits
                    )
                    free &= ~hands[d]
            size = _unseen_tides(view, g, deck)
            for i in range(2 * (to_play - 1)):
                j = i + np.int64(bounded(expand(word, used), size - i))
                deck[i], deck[j] = deck[j], deck[i]
                used += 1
            deck_low[0] = view.low[g]
            deck_high[0] = view.high[g]
            for ahead in range(1, to_play):
                deck_low[ahead] = min(deck[2 * ahead - 2], deck[2 * ahead - 1])
                deck_high[ahead] = max(deck[2 * ahead - 2], deck[2 * ahead - 1])
            # The same hands, habits, tides and words for each of my cards: their differences are
            # then due to the card.
            rest = contenders
            while rest != 0:
                mine = card_number(rest)
                rest &= rest - ONE
                for d in range(players):
                    cards[d] = hands[d] if d > 0 else view.cards[g]
                    tides[d] = view.shown[d, g]
                    lives[d] = view.lives[d, g]
                    alive[d] = view.alive[d, g]
                _play_on(
                    mine, to_play, np.int64(view.highest[g]), deck_low, deck_high, habits, word,
                    used, worry, thrift, two_highest, end_at,
                    cards, expected, choice, tides, lives, alive,
                )  # fmt: skip
                value[mine] += _imagined_share(
                    scores, view.rounds - view.round - 1, bonus, eliminated_too, patience,
                    tides, lives, alive, totals,
                )  # fmt: skip
        rest = contenders
        best = card_number(rest)
        while rest != 0:
            card = card_number(rest)
            rest &= rest - ONE
            best = card if value[card] > value[best] else best
        out[g] = best


def _with_more_rules(rules: Rules, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """Parameters, then the rules that decide how a round goes on and what it scores."""
    return (
        *params,
        rules["drowning"] == "two-highest",
        rules["bonus"],
        rules["eliminated_may_take_bonus"],
        rules["end_at"],
        _ways_table(),
    )


lookahead = Strategy(
    game="turnthetide",
    name="lookahead",
    idea="Deals the rivals hands and habits that agree with all it knows, plays the round out with "
    "each of its cards, many times, and plays the card that most often leads to winning.",
    hooks={"card": _lookahead},
    stochastic=frozenset({"card"}),
    sees=("played", "known"),
    parameters=(
        Parameter("playouts", "int", 256, "imagined rounds for each decision", 1, 100_000),
        *_replying(0.55),
        Parameter(
            "patience",
            "float",
            1.5,
            "points of lead that a round still to come puts in doubt",
            0.1,
            100.0,
        ),
    ),
    prepare=_with_more_rules,
    expensive=True,
    origin="Determinized one-ply search with playouts, as in Ginsberg's bridge program GIB (2001), "
    "with the habits of `reader` for the rivals.",
    claims={"random": 0.70, "reactive": 0.95, "thrifty": 0.93, "counting": 0.27},
)
