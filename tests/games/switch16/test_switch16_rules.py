"""Every sentence of the rules of Switch 16, as a position set up by hand.

The plain twin and the kernels play the same positions: each test runs once with either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analyzer.engine.seat import SeatedStrategy
from analyzer.games.switch16 import game as fast
from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.policies import NEVER
from analyzer.games.switch16.rules import FACES, share_of_a_throw
from analyzer.games.switch16.state import View
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.kernels.random import GAMMA
from analyzer.specs import bind
from tests.games.switch16.players import seated, settings
from tests.games.switch16.positions import (
    After,
    Answers,
    Player,
    Position,
    by_kernels,
    by_twin,
    key_for,
    set_up,
)
from tests.reference import chance
from tests.reference import switch16 as twin

BLANK, GREEN, RED, BLOCK = FACES


@pytest.fixture(params=[by_twin, by_kernels], ids=["twin", "kernels"])
def play(request: pytest.FixtureRequest) -> Player:
    """Either of the two that play a position."""
    player: Player = request.param
    return player


def position(
    decks: Sequence[int | tuple[int, bool]],
    *throws: tuple[Sequence[int], str],
    answers: Mapping[int, Answers] | None = None,
    mover: int = 0,
    holder: int | None = None,
    blocked: int | None = None,
    **rules: Any,
) -> Position:
    """Decks by their top card; a deck is protected from card 9 on unless it says otherwise."""
    full = tuple(deck if isinstance(deck, tuple) else (deck, deck > 8) for deck in decks)
    return Position(full, throws, answers or {}, mover, holder, blocked, rules)


def counted(after: After) -> dict[str, int]:
    """What happened at all."""
    return {name: count for name, count in after.counts.items() if count}


# Discarding ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("top", "numbers", "going"),
    [
        (1, (1, 2, 4), 7),  # the source's example: 1 to 7 all go, the same dice again and again
        (1, (1, 3, 4), 1),  # a 1 without a 2: only card 1
        (1, (1, 1, 1), 3),
        (1, (2, 3, 4), 0),  # no 1: what could go later does not
        (3, (1, 1, 1), 1),  # the sum of all three, then there is no 4
        (5, (2, 3, 6), 2),  # 5 = 2 + 3, 6; no 7
        (4, (6, 6, 6), 0),
        (6, (1, 2, 3), 1),
        (7, (1, 2, 4, 5), 6),  # 7 = 1+2+4, 8 = 1+2+5, 9, 10, 11, 12 = all
        (9, (3, 3, 3, 3), 1),  # the sum of three of four alike
        (11, (5, 5, 5, 1), 1),
        (12, (6, 6, 1, 1, 1), 4),  # 12, 13, 14, 15; not 16
        (15, (3, 3, 3, 3, 3), 1),
        (13, (1, 2, 4, 6, 3), 4),  # up to the last card and no further
    ],
)
def test_cards_go_in_order_with_single_dice_and_sums_of_different_dice(play, top, numbers, going):
    after = play(position([top, 1], (numbers, BLANK)))
    assert after.tops == [top + going, 1]
    assert after.won == (0 if top + going == 17 else None)
    assert not counted(after)


@pytest.mark.parametrize("top", range(1, 17))
def test_dice_thrown_follow_the_top_card(play, top):
    dice = 3 if top < 7 else 4 if top < 12 else 5
    assert twin.Rules().dice_for(top) == dice
    assert play(position([top, 1], ((6,) * dice, BLANK))).dice == [[6] * dice]


def test_a_risk_is_thrown_with_the_dice_of_the_new_top_card(play):
    throws = [((6, 6, 6), BLANK), ((6, 6, 1, 6), BLANK)]
    after = play(position([6, 1], *throws, answers={0: Answers(again=1)}))
    assert after.tops == [8, 1]  # 7 = 6 + 1 with four dice


def test_nothing_on_the_first_throw_costs_nothing(play):
    after = play(position([5, 1], ((1, 1, 6), BLANK)))
    assert (after.tops, after.asked) == ([5, 1], [])
    assert not counted(after)


def test_a_player_whose_cards_went_may_stop_or_go_on(play):
    after = play(position([1, 1], ((1, 3, 4), BLANK)))
    assert (after.tops, after.asked, counted(after)) == ([2, 1], ["0 risk"], {})
    throws = [((1, 3, 4), BLANK), ((2, 3, 6), BLANK)]
    after = play(position([1, 1], *throws, answers={0: Answers(again=1)}))
    assert (after.tops, after.asked) == ([4, 1], ["0 risk", "0 risk"])
    assert counted(after) == {"risks": 1}


@pytest.mark.parametrize(
    ("deck", "resume", "back"),
    [
        ((2, False), 8, (1, False)),
        ((7, False), 8, (1, False)),
        ((6, False), 9, (1, False)),
        ((9, True), 8, (8, True)),
        ((15, True), 8, (8, True)),
        ((12, True), 8, (8, True)),
        ((7, False), 9, (1, False)),
        ((8, True), 9, (9, True)),
        ((9, True), 9, (9, True)),
        ((14, True), 9, (9, True)),
        ((15, True), 9, (9, True)),
        ((8, False), 8, (8, True)),  # its 8 goes with the first throw and protects it
        ((8, False), 9, (9, True)),
        ((8, True), 8, (8, True)),
    ],
)
def test_a_bust_puts_the_deck_back(play, deck, resume, back):
    top = deck[0]
    first = {2: (2, 1, 6), 6: (6, 6, 6), 7: (6, 1, 6, 6), 8: (6, 1, 1, 6)}
    first |= {9: (6, 3, 6, 6), 12: (6, 6, 6, 6, 6), 14: (6, 6, 2, 6, 6), 15: (6, 6, 3, 6, 6)}
    nothing = (1,) * twin.Rules().dice_for(top + 1)
    throws = [(first[top], BLANK), (nothing, BLANK)]
    after = play(
        position([deck, 1], *throws, answers={0: Answers(again=1)}, milestone_resume=resume)
    )
    assert (after.tops[0], after.protected[0]) == back
    assert counted(after) == {"risks": 1, "busts": 1}


def test_protection_is_earned_by_the_milestone_and_only_by_it(play):
    after = play(position([(7, False), 1], ((6, 1, 6, 6), BLANK)))
    assert (after.tops[0], after.protected[0]) == (8, False)
    after = play(position([(7, False), 1], ((6, 1, 2, 6), BLANK)))
    assert (after.tops[0], after.protected[0]) == (10, True)
    rules = {"milestone": 3, "milestone_resume": 3}
    after = play(position([(2, False), (1, False)], ((1, 1, 1), BLANK), **rules))
    assert (after.tops[0], after.protected[0]) == (4, True)


# The Switch die -----------------------------------------------------------------------------------


def test_green_may_be_declined_and_then_the_numbers_count(play):
    after = play(position([4, 9], ((4, 6, 6), GREEN)))
    assert (after.tops, after.asked) == ([5, 9], ["0 swap", "0 risk"])
    assert not counted(after)


@pytest.mark.parametrize("mover", range(4))
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_a_green_swap_takes_all_along_and_ends_the_turn(play, mover, distance):
    other = (mover + distance) % 4
    decks: list[Any] = [(2, False)] * 4
    decks[mover], decks[other] = (8, True), (5, False)
    after = play(
        position(
            decks, ((4, 4, 2, 2), GREEN), answers={mover: Answers(swap=other)}, mover=mover,
            blocked=other,
        )
    )  # fmt: skip
    decks[mover], decks[other] = decks[other], decks[mover]
    assert list(zip(after.tops, after.protected, strict=True)) == decks
    assert after.blocked == mover  # the disc lies on the deck, and comes with it
    assert after.asked == [f"{mover} swap"]
    assert counted(after) == {"green_swaps": 1}


def test_the_holder_refuses_keeps_the_disc_and_the_roller_uses_the_numbers(play):
    after = play(position([4, 9, 3], ((4, 6, 6), GREEN), answers={0: Answers(swap=1)}, holder=1))
    assert after.tops == [5, 9, 3]
    assert after.holder == 1
    assert after.asked == ["1 place", "0 swap", "1 lay 1", "0 risk"]  # nobody else is asked
    assert not counted(after)


@pytest.mark.parametrize("face", [GREEN, RED])
def test_a_roller_who_holds_the_disc_swaps_and_keeps_it(play, face):
    tops = [9, 3, 12]
    after = play(position(tops, ((1, 1, 1, 1), face), answers={0: Answers(swap=1)}, holder=0))
    assert (after.tops, after.holder, after.blocked) == ([3, 9, 12], 0, None)
    assert ("0 swap" in after.asked) == (face == GREEN)


@pytest.mark.parametrize(
    ("tops", "expected", "swaps"),
    [
        ([6, 5, 3, 4], [3, 5, 6, 4], 1),
        ([6, 3, 3, 3], [3, 6, 3, 3], 1),  # of equals the first to the left
        ([6, 5, 3, 3], [3, 5, 6, 3], 1),
        ([3, 3], [3, 3], 0),
        ([6, 6, 7, 6], [6, 6, 7, 6], 0),  # none is strictly lower
        ([1, 1, 1, 1], [1, 1, 1, 1], 0),
        ([5, 9, 9, 4], [4, 9, 9, 5], 1),
    ],
)
def test_red_swaps_with_the_lowest_and_ends_the_turn(play, tops, expected, swaps):
    after = play(position(tops, ((1, 1, 1, 1)[: 3 if tops[0] < 7 else 4], RED)))
    assert after.tops == expected
    assert "0 risk" not in after.asked
    assert after.counts["red_swaps"] == swaps


@pytest.mark.parametrize("mover", range(4))
@pytest.mark.parametrize("distance", [2, 3])
def test_the_roller_picks_among_the_lowest(play, mover, distance):
    other = (mover + distance) % 4
    tops = [3, 3, 3, 3]
    tops[mover], tops[(mover + 1) % 4] = 6, 5
    after = play(
        position(tops, ((6, 1, 1), RED), answers={mover: Answers(pick=other)}, mover=mover)
    )
    assert after.tops[mover] == 3
    assert after.tops[other] == 6
    assert after.asked == [f"{mover} pick"]


def test_the_disc_refuses_no_red(play):
    after = play(position([6, 3], ((6, 1, 1), RED), holder=1))
    assert (after.tops, after.holder) == ([3, 6], 1)


def test_a_disc_on_a_deck_goes_along_with_red(play):
    after = play(position([6, 3], ((6, 1, 1), RED), blocked=0))
    assert (after.tops, after.blocked) == ([3, 6], 1)
    after = play(position([6, 3], ((6, 1, 1), RED), blocked=1))
    assert (after.tops, after.blocked) == ([3, 6], 0)


@pytest.mark.parametrize("face", [RED, GREEN])
def test_red_and_green_end_a_risk_safely(play, face):
    throws = [((5, 5, 5), BLANK), ((1, 1, 1), face)]
    after = play(position([5, 1], *throws, answers={0: Answers(again=1, swap=1)}))
    assert after.tops == [1, 6]
    assert counted(after) == {"risks": 1, ("red_swaps" if face == RED else "green_swaps"): 1}


def test_red_ends_a_risk_safely_even_without_a_swap(play):
    throws = [((1, 6, 6), BLANK), ((6, 6, 6), RED)]
    after = play(position([1, 5], *throws, answers={0: Answers(again=1)}))
    assert after.tops == [2, 5]
    assert counted(after) == {"risks": 1}


def test_green_without_a_swap_saves_nobody_from_a_bust(play):
    throws = [((5, 5, 5), BLANK), ((1, 1, 1), GREEN)]
    after = play(position([5, 1], *throws, answers={0: Answers(again=1)}))
    assert after.tops == [1, 1]
    assert after.counts["busts"] == 1


# The disc -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", [{}, {"holder": 1}, {"holder": 2}, {"holder": 0}, {"blocked": 0}])
def test_block_brings_the_disc_and_the_numbers_count(play, where):
    after = play(position([4, 2, 3], ((4, 6, 6), BLOCK), **where))
    assert (after.holder, after.blocked) == (0, None)
    assert after.tops == [5, 2, 3]  # a disc on the roller's own deck frees it at once
    assert after.taken == (0 if where == {"holder": 0} else 1)
    assert "0 take" not in after.asked


@pytest.mark.parametrize("takes", [True, False])
@pytest.mark.parametrize("on", [1, 2])
def test_a_disc_on_anothers_deck_may_be_left_there(play, takes, on):
    answers = {0: Answers(take=takes)}
    after = play(position([4, 2, 9], ((4, 6, 6), BLOCK), answers=answers, blocked=on))
    assert (after.holder, after.blocked) == ((0, None) if takes else (None, on))
    assert (after.tops, after.taken) == ([5, 2, 9], takes)
    assert after.asked == ["0 take", "0 risk"]


def test_a_blocked_deck_discards_nothing_and_its_turn_ends(play):
    after = play(position([4, 2], ((4, 6, 6), BLANK), blocked=0))
    assert (after.tops, after.blocked, after.asked) == ([4, 2], 0, [])
    assert not counted(after)


def test_a_blocked_deck_may_be_swapped_away(play):
    after = play(position([4, 2], ((4, 6, 6), GREEN), answers={0: Answers(swap=1)}, blocked=0))
    assert (after.tops, after.blocked) == ([2, 4], 1)


@pytest.mark.parametrize("gone", [0, 1, 2, 3, 6])
def test_the_holder_stops_a_throw_before_any_single_card(play, gone):
    answers = {0: Answers(again=1), 1: Answers(lay=gone)}
    after = play(position([1, 9], ((1, 2, 4), BLANK), answers=answers, holder=1))
    assert after.tops == [1 + gone, 9]
    assert (after.holder, after.blocked) == (None, 0)
    assert after.asked == ["1 place", "1 lay 7"]  # the turn is over, no risk is offered
    assert counted(after) == {"blocks_laid": 1}


def test_a_holder_may_stop_the_milestone_or_what_comes_after(play):
    for gone, protected in ((1, False), (2, True)):
        after = play(
            position(
                [(7, False), 1], ((6, 1, 1, 2), BLANK), answers={1: Answers(lay=gone)}, holder=1
            )
        )
        assert (after.tops[0], after.protected[0]) == (7 + gone, protected)


def test_a_holder_may_deny_the_win(play):
    answers = {1: Answers(lay=1)}
    after = play(position([15, 1], ((5, 5, 5, 1, 6), BLANK), answers=answers, holder=1))
    assert (after.tops, after.won) == ([16, 1], None)


def test_block_takes_the_disc_away_from_a_holder_who_could_have_laid_it(play):
    answers = {0: Answers(again=1), 1: Answers(lay=0)}
    throws = [((1, 6, 6), BLOCK), ((2, 6, 6), BLANK)]
    after = play(position([1, 9], *throws, answers=answers, holder=1))
    assert (after.tops, after.holder) == ([3, 9], 0)


def test_stopping_a_risk_is_no_bust(play):
    answers = {0: Answers(again=1), 1: Answers(lay=0, lets_pass=1)}
    throws = [((1, 6, 6), BLANK), ((2, 6, 6), BLANK)]
    after = play(position([1, 9], *throws, answers=answers, holder=1))
    assert (after.tops, after.blocked) == ([2, 9], 0)
    assert counted(after) == {"risks": 1, "blocks_laid": 1}


def test_a_throw_that_clears_nothing_leaves_the_holder_no_moment(play):
    after = play(position([5, 9], ((1, 1, 1), BLANK), answers={1: Answers(lay=0)}, holder=1))
    assert (after.holder, after.asked) == (1, ["1 place"])
    answers = {0: Answers(again=1), 1: Answers(lay=0, lets_pass=1)}
    throws = [((1, 6, 6), BLANK), ((6, 6, 6), BLANK)]
    after = play(position([1, 9], *throws, answers=answers, holder=1))
    assert (after.tops, after.holder) == ([1, 9], 1)
    assert counted(after) == {"risks": 1, "busts": 1}


def test_the_roller_is_not_asked_to_stop_its_own_cards(play):
    after = play(position([4, 9], ((4, 6, 6), BLANK), answers={0: Answers(lay=0)}, holder=0))
    assert (after.tops, after.asked) == ([5, 9], ["0 place", "0 risk"])


@pytest.mark.parametrize("holder", [0, 1, 2])
@pytest.mark.parametrize("distance", [1, 2])
def test_the_disc_is_laid_between_turns_on_any_other_deck(play, holder, distance):
    on = (holder + distance) % 3
    answers = {holder: Answers(place=on)}
    after = play(position([4, 9, 2], ((4, 6, 6), BLANK), answers=answers, holder=holder))
    assert (after.holder, after.blocked) == (None, on)
    assert after.tops == [4 if on == 0 else 5, 9, 2]
    assert counted(after) == {"blocks_laid": 1}


def test_the_disc_is_not_laid_in_mid_turn(play):
    throws = [((1, 6, 6), BLOCK), ((2, 6, 6), BLANK)]
    answers = {0: Answers(again=1, place=1)}
    after = play(position([1, 9], *throws, answers=answers))
    assert (after.holder, after.blocked) == (0, None)
    assert after.asked == ["0 risk", "0 risk"]


# The end ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mover", range(3))
def test_the_last_card_wins_at_once(play, mover):
    tops = [3, 5, 12]
    tops[mover] = 16
    after = play(position(tops, ((4, 4, 4, 4, 6), BLANK), mover=mover))
    tops[mover] = 17
    assert (after.won, after.tops, after.asked) == (mover, tops, [])


def test_whoever_controls_the_deck_wins_with_it():
    """A deck that began in another seat: the game counts the win as one on a foreign deck."""
    swap = position([4, 16], ((4, 6, 6), GREEN), answers={0: Answers(swap=1)})
    assert by_twin(swap).tops == by_kernels(swap).tops == [16, 4]
    seats = [seated({}, name="idle")] * 2
    table = fast.GAME.table(settings(swap.all_rules), 2, 1)
    batch = fast.Batch(table.calls(seats, follow_origins=True), 0, np.zeros(1, np.uint64))
    set_up(batch, position([16, 4]))
    table.state.rows[at.ORIGIN, 0] = 1
    table.state.shorts[at.TURN, 0] = 2
    table.state.keys[0] = key_for(((4, 4, 4, 4, 6), BLANK), swap.all_rules, 2 << 8)
    batch.throw()
    batch.resolve()
    batch.advance()
    assert batch.is_over
    assert table.counts[at.FOREIGN_WINS, 0] == 1
    assert table.counts[at.TURNS, 0] == 1  # turns count as they end; two were only set up
    assert batch.outcome().wins[:, 0].tolist() == [60, 0]


def test_a_new_deal_of_a_match_begins_with_new_decks_and_the_disc_in_the_tray():
    seats = [seated({}, name="idle")] * 3
    rules = twin.Rules(players=3, match_points=100)
    table = fast.GAME.table(settings(rules), 3, 1)
    batch = fast.Batch(table.calls(seats, follow_origins=False), 0, np.zeros(1, np.uint64))
    set_up(batch, position([16, 1, 9], mover=2, holder=1))
    state = table.state.rows
    state[at.TOP : at.TOP + 3, 0] = (16, 1, 9)  # of the mover, seat 2, and to its left
    state[at.DICE, 0] = 5
    table.state.keys[0] = key_for(((4, 4, 4, 4, 6), BLANK), rules, 0)
    key_of_match = (int(table.state.keys[0]) - (twin.THROW << 48) * int(GAMMA)) % 2**64
    batch.throw()
    batch.resolve()
    batch.advance()
    assert not batch.is_over
    assert table.state.shorts[at.DEAL, 0] == 1
    assert state[at.TOP : at.TOP + 3, 0].tolist() == [1, 1, 1]
    assert not state[at.SAFE : at.SAFE + 3, 0].any()
    assert state[at.DISC, 0] == 0
    mover = int(state[at.MOVER, 0])
    points = [int(table.state.shorts[at.POINTS + (seat - mover) % 3, 0]) for seat in range(3)]
    # 16 for the winner; the others the highest card gone, which is none for a top card of 1.
    assert points == [0, 8, 16]
    assert mover == chance.bounded(chance.word(key_of_match, twin.FIRST, 1), 3)


def test_anybody_begins_with_the_same_chance():
    games = 300 if JIT_DISABLED else 30_000
    rules = replace(twin.Rules(players=3), max_turns=1)
    table = fast.GAME.table(settings(rules), 3, games)
    seats = [seated({}, name="idle")] * 3
    batch = fast.Batch(
        table.calls(seats, follow_origins=False), 7, np.arange(games, dtype=np.uint64)
    )
    counts = np.bincount(table.state.rows[at.FIRST, :games], minlength=3)
    assert (abs(counts / games - 1 / 3) < 4 * np.sqrt(2 / 9 / games)).all()
    assert (batch.workspace.state.rows[at.TOP, :games] == 1).all()


# Baseline policies --------------------------------------------------------------------------------


def decided_by_twin(
    spec: str, decision: str, tables: Sequence[twin.Table], me: int, given: Sequence[int]
) -> list[Any]:
    """What a seat answers at some tables, by the twin's policies.

    ``given`` are the words for a swap, or how many cards are about to go.
    """
    policy = twin.Baseline(spec)
    ask: Any = {
        "risk": lambda table, _: policy.throws_again(table, me),
        "swap": lambda table, word: policy.swaps_with(table, me, word),
        "take": lambda table, _: policy.takes_disc(table, me),
        "lay": lambda table, going: policy.lays_after(table, me, going),
    }[decision]
    return [ask(table, number) for table, number in zip(tables, given, strict=True)]


def decided_by_kernels(
    spec: str, decision: str, tables: Sequence[twin.Table], me: int, given: Sequence[int]
) -> list[Any]:
    """The same by the kernel of the policy."""
    rules, players = tables[0].rules, tables[0].rules.players
    bound = bind("switch16", spec, settings(rules), players)
    if decision not in bound.hooks:
        return [{"risk": False, "take": True}.get(decision)] * len(tables)

    def row(seat: int) -> int:
        return (seat - me) % players

    seats = [(me + d) % players for d in range(players)]
    disc = [
        0 if table.holder is None and table.blocked is None
        else 1 + players + row(table.blocked) if table.holder is None
        else 1 + row(table.holder)
        for table in tables
    ]  # fmt: skip
    top, protected = (
        np.array([[getattr(table.decks[seat], name) for table in tables] for seat in seats])
        for name in ("top", "protected")
    )
    view = View(
        np.ones(len(tables), np.uint8), top.astype(np.uint8), protected.astype(np.uint8),
        np.array(disc, np.uint8), np.array([row(table.mover) for table in tables], np.uint8),
        None, None, np.array([number % 256 for number in given], np.uint8), None, None, None,
        players, rules.cards, 0,
    )  # fmt: skip
    words = np.array(given, np.uint64) if decision in bound.stochastic else None
    out = np.zeros(len(tables), np.uint8)
    SeatedStrategy(bound).decide(decision, view, words, out)
    if decision in ("risk", "take"):
        return [bool(answer) for answer in out]
    if decision == "swap":
        return [(me + int(answer)) % players if answer else None for answer in out]
    return [None if answer == NEVER else int(answer) for answer in out]


@pytest.fixture(params=[decided_by_twin, decided_by_kernels], ids=["twin", "kernels"])
def decide(request: pytest.FixtureRequest) -> Any:
    """What a seat answers at one table, by either of the two."""

    def decide_one(spec: str, decision: str, now: twin.Table, me: int = 0, given: int = 0) -> Any:
        return request.param(spec, decision, [now], me, [given])[0]

    return decide_one


def table(tops: Sequence[int], **more: Any) -> twin.Table:
    """Decks by their top card, protected from card 9 on."""
    rules = twin.Rules(players=len(tops))
    decks = [twin.Deck(top, top > 8) for top in tops]
    return twin.Table(rules, decks, **({"mover": 0} | more))


def test_leader_takes_the_first_highest_who_can_be_asked(decide):
    def swaps_with(now: twin.Table, me: int = 0) -> Any:
        return decide("never/leader/hold", "swap", now, me)

    assert swaps_with(table([4, 9, 3, 9])) == 1
    assert swaps_with(table([4, 9, 3, 9], holder=1)) == 3
    assert swaps_with(table([4, 9, 3, 9], mover=2), 2) == 3
    assert swaps_with(table([9, 9, 3, 9])) is None
    assert swaps_with(table([4, 9], holder=1)) is None
    assert swaps_with(table([4, 9], blocked=1)) == 1


def test_random_takes_anybody_but_the_holder(decide):
    def swaps_with(now: twin.Table, me: int, word: int) -> Any:
        return decide("never/random/hold", "swap", now, me, word)

    words = [0, 2**63 - 1, 2**63, 2**64 - 1]
    assert [swaps_with(table([4, 2, 3], mover=1), 1, word) for word in words] == [2, 2, 0, 0]
    assert {swaps_with(table([4, 2, 3], holder=2), 0, word) for word in words} == {1}
    assert swaps_with(table([4, 2], holder=1), 0, 0) is None


def test_deny_leaves_and_lays(decide):
    deny, hold = "never/never/deny:12", "never/never/hold"
    assert not decide(deny, "take", table([4, 9], blocked=1))
    assert decide(deny, "take", table([9, 9], blocked=1))
    assert decide(deny, "lay", table([10, 1], holder=1), 1, 3) == 0
    assert decide(deny, "lay", table([10, 1], holder=1), 1, 2) is None
    assert decide(hold, "take", table([4, 9], blocked=1))
    assert decide(hold, "lay", table([10, 1], holder=1), 1, 7) is None


def test_risk_policies_where_they_change_their_mind(decide):
    def goes_on(name: str, top: int, protected: bool) -> bool:
        now = table([top, 1])
        now.decks[0].protected = protected
        again: bool = decide(f"{name}/never/hold", "risk", now)
        return again

    assert [goes_on("to-milestone", top, False) for top in (2, 8)] == [True, True]
    assert not goes_on("to-milestone", 9, True)
    assert goes_on("protected", 8, True)
    assert not goes_on("protected", 8, False)
    # Three dice make a 2 with one die or two ones: 1 - 125/216 + ... counted in all throws.
    made = sum(
        2 in (a, b, c, a + b, a + c, b + c) for a in range(1, 7) for b in range(1, 7)
        for c in range(1, 7)
    )  # fmt: skip
    assert goes_on(f"threshold:{made / 216 - 1e-9:.9f}", 2, False)
    assert not goes_on(f"threshold:{made / 216 + 1e-9:.9f}", 2, False)
    assert goes_on("greedy", 8, True)  # nothing to lose
    assert not goes_on("greedy", 16, True)


def test_exact_fractions_meet_decimal_thresholds():
    # One two-sided die makes the 1 with exactly a half.
    rules = twin.Rules(players=2, cards=2, dice={1: 1}, faces=2, milestone=2, milestone_resume=2)
    now = twin.Table(rules, [twin.Deck(2), twin.Deck(1)], 0)
    assert twin.Baseline("threshold:0.5/never/hold").throws_again(now, 0)
    assert not twin.Baseline("threshold:0.5000000000000000001/never/hold").throws_again(now, 0)


POLICIES = [
    ("risk", "never"), ("risk", "always"), ("risk", "threshold:0.5"), ("risk", "threshold:0.75"),
    ("risk", "threshold:0"), ("risk", "threshold:1"), ("risk", "greedy"), ("risk", "to-milestone"),
    ("risk", "protected"), ("swap", "leader"), ("swap", "random"), ("take", "deny:16"),
    ("lay", "deny:16"), ("lay", "deny:12"), ("lay", "deny:1"),
]  # fmt: skip


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("decision", "policy"), POLICIES, ids=lambda value: value)
def test_a_baseline_policy_decides_as_the_rules_say(decision, policy, players):
    """Its kernel against the twin's policy, on tables of every kind."""
    shuffler = np.random.default_rng(players)
    rules = twin.Rules(players=players)
    family = {"risk": "{}/never/hold", "swap": "never/{}/hold"}.get(decision, "never/never/{}")
    tables, given = [], []
    for _ in range(40 if JIT_DISABLED else 600):
        tops = shuffler.integers(1, 17, players).tolist()
        decks = [twin.Deck(top, top > 8 or (top == 8 and shuffler.random() < 0.5)) for top in tops]
        place = int(shuffler.integers(0, 2 * players + 1))
        mover = 0
        if decision == "take":
            place = int(shuffler.integers(players + 2, 2 * players + 1))
        if decision == "lay":
            place, mover = 1, int(shuffler.integers(1, players))
        holder = place - 1 if 1 <= place <= players else None
        blocked = place - 1 - players if place > players else None
        tables.append(twin.Table(rules, decks, mover, holder=holder, blocked=blocked))
        going = min(int(shuffler.integers(1, 8)), 17 - tops[mover])
        word = int(shuffler.integers(0, 2**64, None, np.uint64))
        given.append(going if decision == "lay" else word)
    asked = family.format(policy), decision, tables, 0, given
    theirs, ours = decided_by_twin(*asked), decided_by_kernels(*asked)
    for one, wanted, answer in zip(tables, theirs, ours, strict=True):
        assert answer == wanted, one


def test_policies_without_a_hook_are_the_defaults_of_the_rules():
    rules = settings(twin.Rules(players=4))
    assert not {"swap", "pick"} & set(bind("switch16", "never/never/hold", rules, 4).hooks)
    assert not {"take", "lay", "lay_between"} & set(
        bind("switch16", "never/random/hold", rules, 4).hooks
    )
    defaults = {decision.name: decision.default for decision in fast.GAME.decisions}
    assert defaults == {
        "risk": 0, "swap": 0, "pick": 0, "take": 1, "lay": NEVER, "lay_between": 0,
    }  # fmt: skip


@pytest.mark.parametrize("throws", [1, 2, 6, 216, 7776, 32768, 46656, 55003])
@pytest.mark.parametrize("bits", [16, 32])
def test_the_fraction_of_every_throw_lies_in_its_share(throws: int, bits: int) -> None:
    fraction = share_of_a_throw(throws, bits)
    assert fraction is not None
    step, rest = fraction
    for number in range(throws):
        value = (number + 1) * step + ((number + 1) * rest >> bits)
        assert number << bits <= value * throws < (number + 1) << bits


@pytest.mark.parametrize("throws", [40522, 60000, 2**16, 2**16 + 1])
def test_numbers_of_throws_without_short_fractions_are_told(throws: int) -> None:
    assert share_of_a_throw(throws, 16) is None
    assert share_of_a_throw(throws, 32) is not None


# The twin alone -----------------------------------------------------------------------------------


def test_a_word_is_a_throw():
    rules = twin.Rules()
    assert twin.roll(0, rules, 1) == ((1, 1, 1), BLANK)
    assert twin.roll(2**64 - 1, rules, 16) == ((6, 6, 6, 6, 6), BLOCK)
    # The first die is the leading digit in base 6; the Switch die's digit comes after five dice,
    # however many are thrown.
    word = ((((3 * 6 + 0) * 6 + 5) * 6 + 1) * 6 + 2) * 6 + 4
    word = (word * 2**64 + 6**6 - 1) // 6**6
    for top, numbers in ((1, (4, 1, 6)), (7, (4, 1, 6, 2)), (12, (4, 1, 6, 2, 3))):
        assert twin.roll(word, rules, top) == (numbers, RED)
    other = replace(rules, switch_die={BLANK: 1, GREEN: 2, RED: 0, BLOCK: 1})
    faces = [twin.roll(2**64 * (2 * i + 1) // 8 // 6**5, other, 1)[1] for i in range(4)]
    assert faces == [BLANK, GREEN, GREEN, BLOCK]


def test_words_are_named_by_deal_turn_throw_and_seat():
    key = chance.game_key(5, 6)
    rules, idle = twin.Rules(players=2), twin.Baseline("never/never/hold")
    deal = twin.Deal(rules, [idle] * 2, key, 3)
    deal.turn, deal.table.throw = 4999, 7
    assert deal.counter() == (3 << 32) + (4999 << 8) + 7
    assert deal.decision_word(1) == chance.word(key, twin.DECIDE + 1, deal.counter())
    first = twin.play(twin.Rules(players=3), [idle] * 3, 5, 6).deals[0]
    assert first.first == chance.bounded(chance.word(key, 1, 0), 3)
    throw = next(event for event in first.events if event.what == "throw")
    rolled = twin.roll(chance.word(key, twin.THROW, 0), twin.Rules(), 1)
    assert (throw.facts["numbers"], throw.facts["face"]) == rolled


def test_a_match_goes_on_until_somebody_has_enough():
    rules = twin.Rules(players=2, match_points=40)
    players = [twin.Baseline("greedy/leader/deny:16"), twin.Baseline("never/never/hold")]
    firsts = []
    for game in range(5):
        record = twin.play(rules, players, 1, game)
        firsts += [part.first for part in record.deals]
        totals = [0, 0]
        for number, part in enumerate(record.deals):
            assert max(totals) < 40
            assert part.points[part.winner or 0] == 16
            assert all(event.deal == number for event in part.events)
            totals = [total + points for total, points in zip(totals, part.points, strict=True)]
        assert tuple(totals) == record.scores
        assert max(totals) >= 40
        best = [60 * (total == max(totals)) for total in totals]
        assert record.wins in (tuple(best), (30, 30))
    assert set(firsts) == {0, 1}  # drawn anew for every deal


def test_turn_limit():
    players = [twin.Baseline("never/never/hold")] * 2
    record = twin.play(twin.Rules(players=2, max_turns=3), players, 1, 0)
    assert record.unfinished
    assert record.wins == (0, 0)
    assert record.deals[0].turns == 3
    assert record.deals[0].winner is None
    assert record.scores == record.deals[0].points


def test_first_seat_may_begin():
    rules = twin.Rules(players=4, first_player="seat1")
    players = [twin.Baseline("never/never/hold")] * 4
    assert {twin.play(rules, players, 2, game).deals[0].first for game in range(6)} == {0}
