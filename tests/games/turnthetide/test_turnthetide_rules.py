"""Every sentence of the rules of Turn the Tide, as a position set up by hand.

The plain twin and the kernels play the same positions: each test runs once with either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from analyzer.errors import StrategyFailed
from analyzer.games.turnthetide.game import GAME
from analyzer.games.turnthetide.rules import PRINTED
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.kernels.outcomes import share_wins
from tests.games.turnthetide.told import Simulator, Told, by_kernels, by_twin, seated, settings
from tests.reference import turnthetide as twin

PURSE = 3
"""Cards of each hand that are never played and only carry preservers."""


@pytest.fixture(params=[by_twin, by_kernels], ids=["twin", "kernels"])
def tell(request: pytest.FixtureRequest) -> Simulator:
    """Either of the two that play given cards."""
    simulator: Simulator = request.param
    return simulator


def one_round(
    tell: Simulator,
    tides: Sequence[tuple[int, int]],
    cards: Sequence[Sequence[int]],
    lives: Sequence[int],
    **changes: object,
) -> Told:
    """Play one round: for each hand the tides, and the weather card of each seat.

    ``lives`` are the preservers that each seat begins with. A card of 0 stands for a seat that is
    not asked any more. Every hand gets spare cards for the hands that are not told.
    """
    players = len(lives)
    scripts = [[[row[seat] for row in cards]] for seat in range(players)]
    spare = iter(sorted(set(twin.CARDS) - {card for row in cards for card in row}))
    size = len(tides) + PURSE
    preservers = [0] * 60
    deals = []
    for seat in range(players):
        purse = [next(spare) for _ in range(PURSE)]
        for card in purse[: lives[seat]]:
            preservers[card - 1] = 2
        hand = {card for card in scripts[seat][0] if card} | set(purse)
        while len(hand) < size:
            hand.add(next(spare))
        deals.append(frozenset(hand))
    changes = {"preservers": tuple(preservers), **changes}
    rules = twin.standard(players, hand_size=size, rounds=1, **changes)
    rules = twin.replace(rules, hands=len(tides))
    told = tell(rules, deals, [tides], scripts)
    assert told.start == (tuple(lives),)
    return told


def last(told: Told) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Tides shown, preservers left and who is alive, after the last hand."""
    return told.shown[0][-1], told.lives[0][-1], told.alive[0][-1]


# Components and deal ------------------------------------------------------------------------------


@pytest.mark.parametrize("printed", [twin.PRINTED, PRINTED], ids=["twin", "kernels"])
def test_preservers_printed_on_the_weather_cards(printed):
    bands = {(1, 12): 0, (13, 24): 1, (25, 36): 2, (37, 48): 1, (49, 60): 0}
    for (first, last_), halves in bands.items():
        assert [printed[card - 1] for card in range(first, last_ + 1)] == [halves] * 12
    assert sum(printed) == 2 * 24


@pytest.mark.parametrize("players", range(2, 7))
def test_standard_rules(players):
    rules = twin.standard(players)
    six = players == 6
    assert (rules.hand_size, rules.hands, rules.tide_max) == ((10,) * 3 if six else (12,) * 3)
    assert rules.rounds == players
    assert rules.drowning == ("two-highest" if six else "highest")
    assert rules.end_at == (1 if players == 2 else 2)
    assert (rules.allocation, rules.bonus, rules.eliminated_may_take_bonus) == ("printed", 1, False)
    defaults = {setting.key: setting.default_for(players) for setting in GAME.settings}
    assert settings(rules) == defaults


@pytest.mark.parametrize("tide_max", [12, 10])
def test_tide_cards_are_two_of_each_level(tide_max):
    rules = twin.standard(3, hand_size=tide_max, tide_max=tide_max)
    pairs = twin.tides_of_round(rules, 1, 0)
    assert Counter(t for pair in pairs for t in pair) == dict.fromkeys(range(1, tide_max + 1), 2)
    table = GAME.table(settings(rules), 3, 1)
    assert Counter(table.decks.tides.tolist()) == Counter(t for pair in pairs for t in pair)


@pytest.mark.parametrize(("players", "size"), [(2, 12), (3, 20), (5, 12), (6, 10)])
def test_a_deal_gives_everybody_their_own_cards(players, size):
    rules = twin.standard(players, hand_size=size, tide_max=30)
    hands = twin.deal(rules, 77)
    assert [len(hand) for hand in hands] == [size] * players
    assert len(frozenset().union(*hands)) == players * size
    assert frozenset().union(*hands) <= set(twin.CARDS)


@pytest.mark.parametrize(
    ("halves_of_cards", "printed"),
    [
        ("5 whole", 5),  # Julia: 5
        ("3 whole 1 half", 3),  # Aidan: 3.5
        ("4 whole 5 half", 6),  # Sarah: 6.5
        ("0 whole 0 half", 0),
        ("0 whole 1 half", 0),
        ("0 whole 2 half", 1),  # two halves make a whole one
        ("12 whole", 12),
        ("0 whole 12 half", 6),
    ],
)
def test_halves_are_added_up_and_rounded_down(tell, halves_of_cards, printed):
    words = halves_of_cards.split()
    count = {kind: int(number) for number, kind in zip(words[::2], words[1::2], strict=True)}
    hand = list(range(25, 37))[: count["whole"]]
    hand += [*range(13, 19), *range(43, 49)][: count.get("half", 0)]
    blank = [card for card in twin.CARDS if twin.PRINTED[card - 1] == 0]
    while len(hand) < 12:
        hand.append(blank.pop(0))
    rest = iter(sorted(set(twin.CARDS) - set(hand)))
    deals = [frozenset(hand), frozenset(next(rest) for _ in range(12))]
    scripts = [[sorted(cards)] * 2 for cards in deals]
    told = tell(twin.standard(2, rounds=1), deals, [[(1, 2)] * 12], scripts)
    assert told.start[0][0] == printed


def test_preservers_count_over_all_cards_of_a_hand_that_is_not_played_out(tell):
    """The house rule: 20 cards each, 12 hands; here the cards with preservers stay in hand."""
    blank = [card for card in twin.CARDS if twin.PRINTED[card - 1] == 0]
    deals = [
        frozenset({*blank[:12], *range(25, 33)}),  # 8
        frozenset({*blank[12:24], *range(13, 21)}),  # 8 halves
        frozenset({*range(21, 25), *range(33, 37), *range(37, 49)}),  # 4 + 16 halves
    ]
    scripts = [[sorted(cards)] for cards in (blank[:12], blank[12:24], range(37, 49))]
    rules = twin.standard(3, hand_size=20, hands=12, rounds=1)
    told = tell(rules, deals, [[(1, 1)] * 12], scripts)
    assert told.start == ((8, 4, 12),)
    assert max(told.hands) <= 12


@pytest.mark.parametrize(("allocation", "start"), [("flat:5", 5), ("flat:0", 0), ("none", 0)])
def test_every_hand_may_get_the_same_number(tell, allocation, start):
    deals = [frozenset(range(25, 37)), frozenset(range(1, 13)), frozenset(range(13, 25))]
    scripts = [[sorted(cards)] for cards in deals]
    rules = twin.standard(3, allocation=allocation, rounds=1)
    assert tell(rules, deals, [[(1, 2)] * 12], scripts).start == ((start,) * 3,)


# A hand -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned_up", [(3, 8), (8, 3)])
def test_highest_card_takes_the_low_tide_and_second_highest_the_high_one(tell, turned_up):
    told = one_round(tell, [turned_up], [(20, 50, 10, 40)], [3, 3, 3, 3])
    assert told.shown == (((0, 3, 0, 8),),)


def test_the_two_tides_may_be_equal(tell):
    told = one_round(tell, [(6, 6)], [(20, 50, 10, 40)], [3, 3, 3, 3])
    assert last(told) == ((0, 6, 0, 6), (3, 2, 3, 2), (1, 1, 1, 1))


def test_a_new_tide_covers_the_old_one_and_everybody_else_keeps_theirs(tell):
    told = one_round(
        tell,
        [(3, 8), (5, 9), (1, 2)],
        [(20, 50, 10, 40), (30, 5, 41, 6), (21, 51, 11, 42)],
        [3, 3, 3, 3],
    )
    assert told.shown[0] == (
        (0, 3, 0, 8),
        (9, 3, 5, 8),
        (9, 1, 5, 2),  # lower ones cover higher ones: 3 by 1, 8 by 2
    )


def test_a_higher_tide_covers_a_lower_one(tell):
    told = one_round(tell, [(1, 2), (11, 12)], [(50, 40, 1), (51, 41, 2)], [3, 3, 3])
    assert told.shown[0] == ((1, 2, 0), (11, 12, 0))


def test_the_highest_tide_loses_a_preserver(tell):
    told = one_round(tell, [(3, 8)], [(20, 50, 10, 40)], [3, 3, 3, 3])
    assert told.lives == (((3, 3, 3, 2),),)


def test_the_loser_need_not_be_who_took_the_high_tide(tell):
    told = one_round(tell, [(3, 12), (4, 5)], [(50, 40, 1), (2, 41, 51)], [3, 3, 3])
    assert told.shown[0][-1] == (3, 5, 4)
    assert told.lives[0] == ((3, 2, 3), (3, 1, 3))
    told = one_round(tell, [(3, 12), (4, 5)], [(50, 40, 1), (51, 2, 41)], [3, 3, 3])
    assert told.shown[0][-1] == (4, 12, 5)
    assert told.lives[0][-1] == (3, 1, 3)


def test_if_two_tie_for_the_highest_both_lose_one(tell):
    """One of them shows it from an earlier hand."""
    told = one_round(tell, [(3, 9), (2, 9)], [(50, 40, 1), (51, 4, 41)], [3, 3, 3])
    assert told.shown[0][-1] == (2, 9, 9)
    assert told.lives[0] == ((3, 2, 3), (3, 1, 2))


def test_losing_the_last_preserver_does_not_eliminate_but_the_next_loss_does(tell):
    told = one_round(
        tell,
        [(3, 9), (2, 8), (2, 7)],
        [(50, 40, 1, 2), (51, 3, 41, 4), (52, 0, 42, 5)],
        [3, 1, 3, 3],
    )
    assert told.lives[0] == ((3, 0, 3, 3), (3, 0, 3, 3), (3, 0, 2, 3))
    assert told.alive[0] == ((1, 1, 1, 1), (1, 0, 1, 1), (1, 0, 1, 1))


def test_an_eliminated_player_s_tide_card_is_out(tell):
    """Only then does the next highest one lose."""
    told = one_round(tell, [(3, 9), (1, 2)], [(50, 40, 1, 2), (3, 0, 41, 42)], [3, 0, 3, 3])
    assert told.shown[0] == ((3, 0, 0, 0), (3, 0, 2, 1))
    assert told.lives[0] == ((3, 0, 3, 3), (2, 0, 3, 3))


def test_an_eliminated_player_plays_no_card(tell):
    """Seat 1 would have had the highest card."""
    told = one_round(tell, [(3, 9), (1, 2)], [(50, 40, 1, 2), (3, 0, 41, 42)], [3, 0, 3, 3])
    assert told.hands == (2,)
    assert told.shown[0][-1] == (3, 0, 2, 1)


def test_both_of_a_tie_may_be_eliminated_in_one_hand(tell):
    told = one_round(tell, [(9, 9)], [(50, 40, 1, 2)], [0, 0, 3, 3])
    assert last(told) == ((0, 0, 0, 0), (0, 0, 3, 3), (0, 0, 1, 1))


def test_of_a_tie_only_those_without_a_preserver_are_eliminated(tell):
    told = one_round(tell, [(9, 9)], [(50, 40, 1, 2)], [0, 1, 3, 3])
    assert last(told) == ((0, 9, 0, 0), (0, 0, 3, 3), (0, 1, 1, 1))


def test_played_cards_are_out_for_the_round(tell):
    with pytest.raises((ValueError, StrategyFailed), match="50"):
        one_round(tell, [(3, 8), (1, 2)], [(50, 40, 1, 2), (50, 41, 3, 4)], [3, 3, 3, 3])


def test_only_own_cards_may_be_played(tell):
    deals = [frozenset({1, 2}), frozenset({3, 4}), frozenset({5, 6})]
    rules = twin.standard(3, hand_size=2, rounds=1, allocation="flat:3")
    scripts = [[[3, 1]], [[3, 4]], [[5, 6]]]
    with pytest.raises((ValueError, StrategyFailed), match=r"\b3\b"):
        tell(rules, deals, [[(1, 2), (3, 4)]], scripts)


# The end of a round -------------------------------------------------------------------------------


@pytest.mark.skipif(JIT_DISABLED, reason="takes minutes where kernels are not compiled")
@pytest.mark.parametrize(("lane", "seat"), [(3, 0), (3, 2), (1_500, 2)])
def test_every_number_that_is_no_card_in_hand_is_refused(lane, seat):
    games = np.arange(7_000, 7_000 + 2_048, dtype=np.uint64)
    table = GAME.table(settings(twin.standard(3)), 3, games.size)
    GAME.deal(table, 5, games)
    hand = int(table.state.deal.dealt[seat, lane])

    def lowest(view, params, words, out):
        out[:] = np.bitwise_count((view.cards & -view.cards) - np.uint64(1)) + 1

    for number in range(256):

        def play(view, params, words, out, number=number):
            lowest(view, params, words, out)
            if view.hand == 0:
                out[lane] = number

        seats = [seated(play if p == seat else lowest) for p in range(3)]
        GAME.deal(table, 5, games)
        GAME.shuffle_tides(table, 0)
        if 0 < number <= 60 and hand >> (number - 1) & 1:
            GAME.play_round(table, 0, games, seats)
            continue
        with pytest.raises(StrategyFailed) as failure:
            GAME.play_round(table, 0, games, seats)
        told = str(failure.value)
        assert f"chose card {number}," in told and f"game {7_000 + lane} " in told, told
        assert f"seat {seat + 1}" in told and f"its hand was {min_card(hand)}, " in told, told


def min_card(hand):
    return (hand & -hand).bit_length()


def test_a_round_ends_after_the_last_hand(tell):
    told = one_round(tell, [(1, 2)] * 3, [(33 + h, 23 + h, 13 + h) for h in range(3)], [3, 3, 3])
    assert told.hands == (3,)
    assert last(told) == ((1, 2, 0), (3, 0, 3), (1, 1, 1))


def test_a_round_ends_at_once_when_two_living_players_are_left(tell):
    cards = [(33 + h, 23 + h, 13 + h) for h in range(3)]
    told = one_round(tell, [(1, 2)] * 3, cards, [3, 1, 3])
    assert told.hands == (2,)
    assert last(told) == ((1, 0, 0), (3, 0, 3), (1, 0, 1))
    assert told.points == ((3, -1, 4),)


def test_with_more_players_a_round_goes_on_with_three(tell):
    cards = [(43, 33, 23, 13), (44, 0, 24, 14), (45, 0, 25, 15)]
    told = one_round(tell, [(1, 2)] * 3, cards, [3, 0, 0, 3])
    assert told.hands == (2,)
    assert told.alive[0] == ((1, 0, 1, 1), (1, 0, 0, 1))


def test_one_hand_may_eliminate_two_of_three(tell):
    told = one_round(tell, [(9, 9)] * 2, [(50, 40, 1), (51, 41, 2)], [0, 0, 2])
    assert told.hands == (1,)
    assert last(told) == ((0, 0, 0), (0, 0, 2), (0, 0, 1))
    assert told.points == ((-1, -1, 3),)


def test_two_players_play_until_one_is_left(tell):
    told = one_round(tell, [(4, 9)] * 3, [(50, 40), (51, 41), (52, 42)], [3, 1])
    assert told.hands == (2,)
    assert last(told) == ((4, 0), (3, 0), (1, 0))
    assert told.points == ((4, -1),)


def test_two_players_may_both_be_eliminated(tell):
    told = one_round(tell, [(9, 9)] * 2, [(50, 40), (51, 41)], [0, 0])
    assert told.hands == (1,)
    assert told.points == ((-1, -1),)


@pytest.mark.parametrize(
    ("end_at", "hands", "points"),
    [
        (3, 1, (3, 0, -1, 0)),
        (2, 2, (3, -1, -1, 0)),
        (1, 3, (3, -1, -1, -1)),
        (0, 4, (2, -1, -1, -1)),
    ],
)
def test_how_many_living_players_end_a_round_is_a_setting(tell, end_at, hands, points):
    """Somebody drowns each hand; the last one, alone, takes the low tide and loses by it."""
    cards = [(50, 10, 40, 20), (51, 41, 0, 21), (52, 0, 0, 42), (53, 0, 0, 0)]
    told = one_round(tell, [(3, 9)] * 4, cards, [3, 0, 0, 0], bonus=0, end_at=end_at)
    assert told.hands == (hands,)
    assert told.points == (points,)


# Scoring ------------------------------------------------------------------------------------------


def test_the_example_of_the_printed_rules(tell):
    """Sarah has 3 preservers left, Brian 0, Aidan 2, Julia 1 and the lowest tide."""
    told = one_round(
        tell,
        tides=[(4, 9), (1, 5), (2, 3)],
        cards=[(50, 40, 10, 11), (12, 13, 41, 51), (52, 14, 42, 15)],
        lives=[3, 3, 2, 1],
    )
    assert last(told) == ((2, 9, 3, 1), (3, 0, 2, 1), (1, 1, 1, 1))
    assert told.points == ((3, 0, 2, 2),)


def test_no_preserver_left_scores_nothing_and_elimination_costs_a_point(tell):
    told = one_round(tell, [(3, 9), (2, 8)], [(50, 40, 1, 2), (51, 0, 41, 3)], [2, 0, 1, 3])
    assert last(told)[1:] == ((2, 0, 0, 3), (1, 0, 1, 1))
    assert told.points == ((2, -1, 0, 4),)


def test_the_lowest_tide_gets_the_bonus(tell):
    told = one_round(tell, [(3, 9), (5, 7)], [(50, 40, 1), (2, 41, 51)], [3, 3, 3])
    assert last(told) == ((3, 7, 5), (3, 1, 3), (1, 1, 1))
    assert told.points == ((4, 1, 3),)


def test_a_tie_for_the_lowest_tide_gives_it_to_each(tell):
    told = one_round(tell, [(3, 9), (3, 7)], [(50, 40, 1), (2, 41, 51)], [3, 3, 3])
    assert last(told) == ((3, 7, 3), (3, 1, 3), (1, 1, 1))
    assert told.points == ((4, 1, 4),)


def test_no_tide_card_counts_as_the_lowest_and_several_may_have_none(tell):
    told = one_round(tell, [(1, 9)], [(10, 50, 11, 40, 12)], [3, 3, 3, 3, 3])
    assert told.points == ((4, 3, 4, 2, 4),)


@pytest.mark.parametrize(
    ("bonus", "may_take", "points"),
    [
        (1, False, (2, -1, 4)),
        (1, True, (2, 0, 3)),  # no tide card at all is lower than the 1 of seat 2
        (3, False, (2, -1, 6)),
        (3, True, (2, 2, 3)),
        (0, False, (2, -1, 3)),
        (0, True, (2, -1, 3)),
    ],
)
def test_eliminated_players_never_get_the_bonus_unless_a_setting_says_so(
    tell, bonus, may_take, points
):
    told = one_round(
        tell,
        [(4, 9), (1, 3)],
        [(50, 40, 1), (41, 0, 51)],
        [3, 0, 3],
        bonus=bonus,
        eliminated_may_take_bonus=may_take,
        end_at=1,
    )
    assert last(told) == ((3, 0, 1), (2, 0, 3), (1, 0, 1))
    assert told.points == (points,)


def test_an_eliminated_player_shares_the_bonus_with_those_without_a_tide(tell):
    told = one_round(tell, [(4, 9)], [(50, 40, 1, 2)], [3, 0, 3, 3], eliminated_may_take_bonus=True)
    assert told.points == ((3, 0, 4, 4),)


# The game -----------------------------------------------------------------------------------------


def whole_game(
    tell: Simulator, rules: twin.Rules, tides: Sequence[Sequence[tuple[int, int]]]
) -> tuple[list[frozenset[int]], Told]:
    """Everybody plays the hand that should be theirs, lowest card first, and nobody objects."""
    deals = twin.deal(rules, 5)
    scripts = [
        [sorted(deals[(seat - r) % rules.players]) for r in range(rules.rounds)]
        for seat in range(rules.players)
    ]
    return deals, tell(rules, deals, tides, scripts)


@pytest.mark.parametrize("players", range(2, 7))
def test_hands_go_to_the_left_with_their_preservers_restored(tell, players):
    rules = twin.standard(players)
    tides = [twin.tides_of_round(rules, 9, r) for r in range(players)]
    deals, told = whole_game(tell, rules, tides)
    printed = [sum(twin.PRINTED[card - 1] for card in hand) // 2 for hand in deals]
    assert len(told.points) == players
    for r in range(players):
        for seat in range(players):
            assert told.start[r][(seat + r) % players] == printed[seat]
    assert told.scores == tuple(map(sum, zip(*told.points, strict=True)))


@pytest.mark.parametrize("rounds", [1, 2, 7])
def test_the_number_of_rounds_is_a_setting(tell, rounds):
    rules = twin.standard(3, rounds=rounds)
    tides = [twin.tides_of_round(rules, 9, r) for r in range(rounds)]
    _, told = whole_game(tell, rules, tides)
    assert len(told.points) == rounds
    assert all(told.start[r] == told.start[r - 3] for r in range(3, rounds))


def test_tides_and_eliminations_end_with_the_round(tell):
    deals = [frozenset({1, 40}), frozenset({2, 50}), frozenset({3, 60})]
    rules = twin.standard(3, hand_size=2, rounds=2, allocation="none")
    tides = [[(5, 9), (1, 2)], [(3, 4), (1, 2)]]
    told = tell(rules, deals, tides, [[[40], [3]], [[2], [40]], [[60], [50]]])
    assert told.shown == (((0, 0, 5),), ((0, 0, 3),))
    assert told.alive == (((0, 1, 1),), ((1, 0, 1),))
    assert told.points == ((-1, 1, 0), (1, -1, 0))
    assert told.scores == (0, 0, 0)


def test_the_tide_deck_is_shuffled_anew_each_round():
    rules = twin.standard(4)
    tides = [twin.tides_of_round(rules, 3, r) for r in range(4)]
    assert len({tuple(one) for one in tides}) == 4
    table = GAME.table(settings(rules), 4, 1)
    table.state.deal.keys[:] = 3
    for r in range(4):
        GAME.shuffle_tides(table, r)
        pairs = zip(
            table.state.tides.low[:, 0].tolist(), table.state.tides.high[:, 0].tolist(), strict=True
        )
        assert list(pairs) == [tuple(sorted(pair)) for pair in tides[r]]


@pytest.mark.parametrize(
    ("scores", "wins"),
    [
        ((3, 5, 4), (0, 60, 0)),
        ((5, 5, 4), (30, 30, 0)),
        ((5, 5, 5), (20, 20, 20)),
        ((-1, -3), (60, 0)),
        ((7, 7, 7, 7), (15, 15, 15, 15)),
        ((0, 7, 7, 7, 7, 7), (0, 12, 12, 12, 12, 12)),
        ((-6,) * 6, (10,) * 6),
    ],
)
def test_most_points_win_and_a_tie_shares_the_win(scores, wins):
    assert twin.shares(scores) == wins
    row = np.zeros((len(scores), 1), np.uint8)
    share_wins(np.array(scores, np.int16)[:, None], row)
    assert tuple(row[:, 0].tolist()) == wins


# The variant for six ------------------------------------------------------------------------------

TWO = {"drowning": "two-highest"}


def test_the_two_highest_lose_one_each(tell):
    told = one_round(tell, [(3, 8)], [(20, 50, 10, 40)], [3, 3, 3, 3], **TWO)
    assert last(told) == ((0, 3, 0, 8), (3, 2, 3, 2), (1, 1, 1, 1))


def test_everybody_on_the_next_highest_level_loses_one(tell):
    """Seats 0 and 2 show 5, seat 1 shows 8, seat 3 is lower and keeps its own."""
    told = one_round(tell, [(1, 5), (5, 8)], [(40, 2, 1, 50), (3, 41, 51, 4)], [3, 3, 3, 3], **TWO)
    assert told.shown[0] == ((5, 0, 0, 1), (5, 8, 5, 1))
    assert told.lives[0] == ((2, 3, 3, 2), (1, 2, 2, 2))


def test_a_tie_for_the_highest_spares_everybody_else(tell):
    told = one_round(tell, [(3, 4), (8, 8)], [(50, 40, 1, 2), (3, 4, 41, 51)], [3] * 4, **TWO)
    assert told.shown[0][-1] == (3, 4, 8, 8)
    assert told.lives[0] == ((2, 2, 3, 3), (2, 2, 2, 2))


@pytest.mark.parametrize("tied", [(0, 0), (0, 3), (3, 0)])
def test_a_tie_spares_everybody_else_also_if_somebody_drowns(tell, tied):
    told = one_round(
        tell,
        [(3, 4), (8, 8)],
        [(50, 40, 1, 2, 3), (4, 5, 41, 51, 6)],
        [3, 3, *tied, 3],
        **TWO,
    )
    assert told.lives[0][-1] == (2, 2, *(max(0, n - 1) for n in tied), 3)
    assert told.alive[0][-1] == (1, 1, *(int(n > 0) for n in tied), 1)


def test_if_the_highest_drowns_the_next_highest_keeps_theirs(tell):
    told = one_round(tell, [(3, 8)], [(20, 50, 10, 40)], [3, 3, 3, 0], **TWO)
    assert last(told) == ((0, 3, 0, 0), (3, 3, 3, 0), (1, 1, 1, 0))


def test_losing_the_last_preserver_is_not_drowning_yet(tell):
    told = one_round(tell, [(3, 8)], [(20, 50, 10, 40)], [3, 3, 3, 1], **TWO)
    assert last(told) == ((0, 3, 0, 8), (3, 2, 3, 0), (1, 1, 1, 1))


def test_the_next_highest_may_drown_by_it(tell):
    told = one_round(tell, [(3, 8)], [(20, 50, 10, 40)], [3, 0, 3, 1], **TWO)
    assert last(told) == ((0, 0, 0, 8), (3, 0, 3, 0), (1, 0, 1, 1))


def test_showing_no_tide_is_no_next_highest_level(tell):
    """A last survivor, playing on alone, is the highest; nobody is next."""
    told = one_round(tell, [(9, 9), (4, 5)], [(1, 40, 50), (2, 0, 0)], [3, 0, 0], end_at=0, **TWO)
    assert last(told) == ((4, 0, 0), (2, 0, 0), (1, 0, 0))


def test_the_base_rule_can_be_played_by_six(tell):
    cards = [(10, 50, 11, 40, 12, 13)]
    both = one_round(tell, [(3, 8)], cards, [3] * 6)
    assert last(both)[1] == (3, 2, 3, 2, 3, 3)
    base = one_round(tell, [(3, 8)], cards, [3] * 6, drowning="highest")
    assert last(base)[1] == (3, 3, 3, 2, 3, 3)


# Baselines of the twin ----------------------------------------------------------------------------


class Seen:
    """As much of a view as the baselines read."""

    def __init__(self, cards: Sequence[int], shown: Sequence[int] = (0, 0), highest: int = 0):
        self.cards = list(cards)
        self.shown = list(shown)
        self.highest = highest


def card(name: str, seen: Seen, word: int = 0) -> int:
    """What a baseline plays."""
    return twin.BASELINES[name](seen, word)  # type: ignore[arg-type]


def test_lowest_and_highest():
    assert card("lowest", Seen([3, 7, 50])) == 3
    assert card("highest", Seen([3, 7, 50])) == 50


@pytest.mark.parametrize(("cards", "middle"), [(5, 3), (4, 2), (3, 2), (2, 1), (1, 1), (12, 6)])
def test_middle_is_the_lower_one_of_two(cards, middle):
    assert card("middle", Seen(range(1, cards + 1))) == middle


@pytest.mark.parametrize(
    ("shown", "highest", "choice"),
    [
        ([0, 0], 0, 3),  # no tide card yet: not reacting
        ([0, 5], 5, 3),
        ([4, 5], 5, 3),
        ([5, 4], 5, 50),
        ([5, 5], 5, 50),  # nobody shows a higher one
    ],
)
def test_reactive(shown, highest, choice):
    assert card("reactive", Seen([3, 7, 50], shown, highest)) == choice


def test_random_cuts_the_word_into_equal_parts_from_the_lowest_card_up():
    third = 2**64 // 3
    for word, choice in [(0, 3), (third, 3), (third + 1, 7), (2 * third + 1, 50), (2**64 - 1, 50)]:
        assert card("random", Seen([3, 7, 50]), word) == choice
