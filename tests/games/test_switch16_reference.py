"""The plain twin of Switch 16, sentence by sentence of the rules.

Throws are written down beforehand: numbers and the face of the Switch die.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.reference import chance
from tests.reference.switch16 import (
    BLANK,
    BLOCK,
    DECIDE,
    GREEN,
    RED,
    THROW,
    Baseline,
    Counts,
    Deal,
    Deck,
    Rules,
    Table,
    play,
    roll,
)

Throw = tuple[Sequence[int], str]


@dataclass
class Scripted:
    """Answers from the script, and from a cautious baseline where it says nothing."""

    again: list[bool] = field(default_factory=list)
    swaps: int | None = None
    pick: int | None = None
    takes: bool = True
    after: int | None = None
    place: int | None = None
    asked: list[str] = field(default_factory=list)

    def throws_again(self, table: Table, me: int) -> bool:
        self.asked.append("risk")
        return self.again.pop(0) if self.again else False

    def swaps_with(self, table: Table, me: int, word: int) -> int | None:
        self.asked.append("green")
        return self.swaps

    def picks(self, table: Table, me: int, tied: Sequence[int]) -> int:
        self.asked.append("red")
        return tied[0] if self.pick is None else self.pick

    def takes_disc(self, table: Table, me: int) -> bool:
        self.asked.append("block")
        return self.takes

    def lays_after(self, table: Table, me: int, going: int) -> int | None:
        self.asked.append(f"lay {going}")
        return self.after

    def lays_on(self, table: Table, me: int) -> int | None:
        self.asked.append("place")
        return self.place


class Written(Deal):
    """A deal whose throws are written down."""

    throws: list[Throw]

    def roll(self) -> tuple[tuple[int, ...], str]:
        numbers, face = self.throws.pop(0)
        return tuple(numbers), face


def deal(
    decks: Sequence[tuple[int, bool]],
    throws: Sequence[Throw],
    players: Sequence[Any] | None = None,
    *,
    mover: int = 0,
    holder: int | None = None,
    blocked: int | None = None,
    **rules: Any,
) -> Written:
    """A deal in the middle, the mover's turn about to begin."""
    settings = Rules(players=len(decks), **rules)
    written = Written(settings, players or [Scripted() for _ in decks], 0, 0)
    written.table = Table(
        settings, [Deck(*deck) for deck in decks], mover, holder=holder, blocked=blocked
    )
    written.throws = list(throws)
    return written


def turn(written: Written) -> bool:
    """Play one turn, all of whose throws must be used; whether it won."""
    written.disc_between_turns()
    won = written.take_turn()
    assert not written.throws
    return won


def decks(written: Written) -> list[tuple[int, bool]]:
    return [(deck.top, deck.protected) for deck in written.table.decks]


def test_all_that_can_go_go_and_the_dice_serve_again():
    written = deal([(1, False), (1, False)], [((1, 2, 4), BLANK)])
    assert not turn(written)
    assert decks(written) == [(8, False), (1, False)]
    assert written.counts == [Counts(turns=1, throws=1), Counts()]
    assert written.players[0].asked == ["risk"]


def test_cards_go_in_order():
    written = deal([(1, False), (1, False)], [((1, 3, 4), BLANK)])
    turn(written)
    assert decks(written)[0] == (2, False)  # there is no 2, so 3, 4, 5 must wait


def test_nothing_on_the_first_throw_costs_nothing():
    written = deal([(5, False), (1, False)], [((1, 1, 6), BLANK)])
    assert not turn(written)
    assert decks(written)[0] == (5, False)
    assert written.players[0].asked == []
    assert written.counts[0] == Counts(turns=1, throws=1)


@pytest.mark.parametrize(
    ("before", "resume", "after"),
    [((2, False), 8, (1, False)), ((8, True), 8, (8, True)), ((12, True), 8, (8, True)),
     ((8, True), 9, (9, True)), ((15, True), 9, (9, True)), ((7, False), 9, (1, False))],
)  # fmt: skip
def test_a_bust_puts_the_deck_back(before, resume, after):
    top = before[0]
    throws = [((top,), BLANK), ((1,), BLANK)]  # top card goes, then the next one does not
    players = [Scripted(again=[True]), Scripted()]
    written = deal([before, (1, False)], throws, players, milestone_resume=resume)
    assert not turn(written)
    assert decks(written)[0] == after
    assert written.counts[0] == Counts(turns=1, throws=2, risks=1, busts=1)


def test_clearing_the_milestone_protects_and_a_bust_after_it_goes_back_to_it():
    players = [Scripted(again=[True]), Scripted()]
    written = deal([(8, False), (1, False)], [((2, 6), BLANK), ((1, 1), BLANK)], players)
    turn(written)
    assert decks(written)[0] == (8, True)


def test_a_deck_put_back_to_1_earns_its_protection_anew():
    players = [Scripted(again=[True]), Scripted()]
    written = deal([(6, False), (1, False)], [((6,), BLANK), ((1,), BLANK)], players)
    turn(written)
    assert decks(written)[0] == (1, False)


def test_last_card_wins_at_once():
    written = deal([(15, True), (1, False)], [((5, 5, 5, 1, 6), BLANK)])
    assert turn(written)
    assert decks(written)[0] == (17, True)
    assert written.players[0].asked == []


def test_dice_thrown_follow_the_top_card():
    rules = Rules()
    assert [rules.dice_for(top) for top in range(1, 17)] == [3] * 6 + [4] * 5 + [5] * 5


def test_green_swap_ends_the_turn_and_takes_all_along():
    players = [Scripted(swaps=2), Scripted(), Scripted()]
    before = [(4, False), (2, False), (9, True)]
    written = deal(before, [((4,), GREEN)], players, blocked=2)
    turn(written)
    assert decks(written) == [(9, True), (2, False), (4, False)]
    assert written.table.blocked == 0
    assert written.counts[0] == Counts(turns=1, throws=1, green_swaps=1)


def test_holder_refuses_green_and_the_numbers_count():
    players = [Scripted(swaps=1), Scripted()]
    written = deal([(4, False), (9, True)], [((4,), GREEN)], players, holder=1)
    turn(written)
    assert decks(written) == [(5, False), (9, True)]
    assert written.table.holder == 1
    assert written.counts[0].green_swaps == 0


def test_disc_in_hand_stays_in_hand_when_decks_change():
    for face, seen in ((GREEN, "green"), (RED, None)):
        players = [Scripted(swaps=1), Scripted()]
        written = deal([(9, True), (3, False)], [((1,), face)], players, holder=0)
        turn(written)
        assert decks(written) == [(3, False), (9, True)]
        assert (written.table.holder, written.table.blocked) == (0, None)
        assert (seen in players[0].asked) == (seen is not None)


def test_red_takes_the_lowest_deck_and_ends_the_turn():
    written = deal([(6, False), (5, False), (3, False), (3, False)], [((6,), RED)])
    turn(written)
    assert [top for top, _ in decks(written)] == [3, 5, 6, 3]
    assert written.counts[0] == Counts(turns=1, throws=1, red_swaps=1)
    picky = [Scripted(pick=3), Scripted(), Scripted(), Scripted()]
    written = deal([(6, False), (5, False), (3, False), (3, False)], [((6,), RED)], picky)
    turn(written)
    assert [top for top, _ in decks(written)] == [3, 5, 3, 6]


def test_red_without_a_lower_deck_only_ends_the_turn():
    written = deal([(3, False), (3, False)], [((3,), RED)])
    turn(written)
    assert decks(written) == [(3, False), (3, False)]
    assert written.counts[0] == Counts(turns=1, throws=1)


def test_the_disc_refuses_no_red():
    written = deal([(6, False), (3, False)], [((6,), RED)], holder=1)
    turn(written)
    assert decks(written) == [(3, False), (6, False)]
    assert written.table.holder == 1


def test_red_and_green_end_a_risk_safely():
    for face in (RED, GREEN):
        players = [Scripted(again=[True], swaps=1), Scripted()]
        written = deal([(5, False), (1, False)], [((5,), BLANK), ((1,), face)], players)
        turn(written)
        assert decks(written) == [(1, False), (6, False)]
        assert (written.counts[0].risks, written.counts[0].busts) == (1, 0)


@pytest.mark.parametrize("where", [{}, {"holder": 1}, {"blocked": 0}])
def test_block_brings_the_disc_from_anywhere_and_the_numbers_count(where):
    written = deal([(4, False), (2, False)], [((4,), BLOCK)], **where)
    turn(written)
    assert (written.table.holder, written.table.blocked) == (0, None)
    assert decks(written)[0] == (5, False)
    assert written.counts[0].blocks_taken == 1
    assert "block" not in written.players[0].asked


def test_block_with_the_disc_in_hand_takes_nothing():
    written = deal([(4, False), (2, False)], [((1,), BLOCK)], holder=0)
    turn(written)
    assert written.counts[0].blocks_taken == 0
    assert written.table.holder == 0


@pytest.mark.parametrize("takes", [True, False])
def test_a_disc_on_anothers_deck_may_be_left_there(takes):
    players = [Scripted(takes=takes), Scripted()]
    written = deal([(4, False), (2, False)], [((4,), BLOCK)], players, blocked=1)
    turn(written)
    assert (written.table.holder, written.table.blocked) == ((0, None) if takes else (None, 1))
    assert written.counts[0].blocks_taken == takes
    assert decks(written)[0] == (5, False)


def test_a_blocked_deck_discards_nothing_and_its_turn_ends():
    written = deal([(4, False), (2, False)], [((4,), BLANK)], blocked=0)
    turn(written)
    assert decks(written)[0] == (4, False)
    assert written.table.blocked == 0
    assert written.players[0].asked == []


@pytest.mark.parametrize("after", [0, 1, 2])
def test_the_holder_stops_a_throw_before_any_card(after):
    players = [Scripted(again=[True]), Scripted(after=after)]
    written = deal([(1, False), (9, True)], [((1, 2, 6), BLANK)], players, holder=1)
    turn(written)
    assert decks(written)[0] == (1 + after, False)
    assert (written.table.holder, written.table.blocked) == (None, 0)
    assert written.counts[1].blocks_laid == 1
    assert players[1].asked == ["place", "lay 3"]
    assert players[0].asked == []  # the turn is over, no risk is offered


def test_a_block_takes_the_disc_away_before_it_can_be_laid():
    players = [Scripted(again=[True]), Scripted(after=0)]
    throws = [((1,), BLOCK), ((2,), BLANK)]
    written = deal([(1, False), (9, True)], throws, players, holder=1)
    turn(written)
    assert decks(written)[0] == (3, False)
    assert written.table.holder == 0


class Patient(Scripted):
    """Lays the disc as soon as it stops a risk."""

    def lays_after(self, table: Table, me: int, going: int) -> int | None:
        return 0 if table.throw else None


def test_stopping_a_risk_is_no_bust():
    throws = [((1,), BLANK), ((2,), BLANK)]
    players = [Scripted(again=[True]), Patient()]
    written = deal([(1, False), (9, True)], throws, players, holder=1)
    turn(written)
    assert decks(written)[0] == (2, False)
    assert written.table.blocked == 0
    assert written.counts[0] == Counts(turns=1, throws=2, risks=1)


def test_a_throw_that_clears_nothing_leaves_the_holder_no_moment():
    throws = [((1,), BLANK), ((1,), BLANK)]
    players = [Scripted(again=[True]), Patient()]
    written = deal([(1, False), (9, True)], throws, players, holder=1)
    turn(written)
    assert decks(written)[0] == (1, False)
    assert written.table.holder == 1
    assert written.counts[0].busts == 1


def test_disc_laid_between_turns():
    players = [Scripted(), Scripted(place=0)]
    written = deal([(4, False), (9, True)], [((4,), BLANK)], players, holder=1)
    turn(written)
    assert decks(written)[0] == (4, False)
    assert (written.table.holder, written.table.blocked) == (None, 0)
    assert written.counts[1].blocks_laid == 1


def table(tops: Sequence[int], **more: Any) -> Table:
    rules = Rules(players=len(tops))
    return Table(rules, [Deck(top, top > 8) for top in tops], **({"mover": 0} | more))


def test_leader_takes_the_first_highest_who_can_be_asked():
    leader = Baseline("never/leader/hold")
    assert leader.swaps_with(table([4, 9, 3, 9]), 0, 0) == 1
    assert leader.swaps_with(table([4, 9, 3, 9], holder=1), 0, 0) == 3
    assert leader.swaps_with(table([4, 9, 3, 9], mover=2), 2, 0) == 3
    assert leader.swaps_with(table([9, 9, 3, 9]), 0, 0) is None
    assert leader.swaps_with(table([4, 9], holder=1), 0, 0) is None
    assert leader.swaps_with(table([4, 9], blocked=1), 0, 0) == 1


def test_random_takes_anybody_but_the_holder():
    swaps = Baseline("never/random/hold").swaps_with
    words = [0, 2**63 - 1, 2**63, 2**64 - 1]
    assert [swaps(table([4, 2, 3], mover=1), 1, word) for word in words] == [2, 2, 0, 0]
    assert {swaps(table([4, 2, 3], holder=2), 0, word) for word in words} == {1}
    assert swaps(table([4, 2], holder=1), 0, 0) is None


def test_deny_leaves_and_lays():
    deny = Baseline("never/never/deny:12")
    assert not deny.takes_disc(table([4, 9], blocked=1), 0)
    assert deny.takes_disc(table([9, 9], blocked=1), 0)
    assert deny.lays_after(table([10, 1], holder=1), 1, 3) == 0
    assert deny.lays_after(table([10, 1], holder=1), 1, 2) is None
    hold = Baseline("never/never/hold")
    assert hold.takes_disc(table([4, 9], blocked=1), 0)
    assert hold.lays_after(table([10, 1], holder=1), 1, 7) is None


def test_risk_policies_where_they_change_their_mind():
    def goes_on(name: str, top: int, protected: bool) -> bool:
        now = table([top, 1])
        now.decks[0].protected = protected
        return Baseline(f"{name}/never/hold").throws_again(now, 0)

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
    rules = Rules(players=2, cards=2, dice={1: 1}, faces=2, milestone=2, milestone_resume=2)
    now = Table(rules, [Deck(2), Deck(1)], 0)
    assert Baseline("threshold:0.5/never/hold").throws_again(now, 0)
    assert not Baseline("threshold:0.5000000000000000001/never/hold").throws_again(now, 0)


def test_a_word_is_a_throw():
    rules = Rules()
    assert roll(0, rules, 1) == ((1, 1, 1), BLANK)
    assert roll(2**64 - 1, rules, 16) == ((6, 6, 6, 6, 6), BLOCK)
    # The first die is the leading digit in base 6; the Switch die's digit comes after five dice,
    # however many are thrown.
    word = ((((3 * 6 + 0) * 6 + 5) * 6 + 1) * 6 + 2) * 6 + 4
    word = (word * 2**64 + 6**6 - 1) // 6**6
    for top, numbers in ((1, (4, 1, 6)), (7, (4, 1, 6, 2)), (12, (4, 1, 6, 2, 3))):
        assert roll(word, rules, top) == (numbers, RED)
    other = replace(rules, switch_die={BLANK: 1, GREEN: 2, RED: 0, BLOCK: 1})
    faces = [roll(2**64 * (2 * i + 1) // 8 // 6**5, other, 1)[1] for i in range(4)]
    assert faces == [BLANK, GREEN, GREEN, BLOCK]


def test_words_are_named_by_deal_turn_throw_and_seat():
    written = deal([(1, False), (1, False)], [])
    written.number, written.turn, written.table.throw = 3, 4999, 7
    assert written.counter() == (3 << 32) + (4999 << 8) + 7
    key = chance.game_key(5, 6)
    written.key = key
    assert written.decision_word(1) == chance.word(key, DECIDE + 1, written.counter())
    first = play(Rules(players=3), [Baseline("never/never/hold")] * 3, 5, 6).deals[0]
    assert first.first == chance.bounded(chance.word(key, 1, 0), 3)
    numbers, face = roll(chance.word(key, THROW, 0), Rules(), 1)
    throw = next(event for event in first.events if event.what == "throw")
    assert (throw.facts["numbers"], throw.facts["face"]) == (numbers, face)


def test_a_match_goes_on_until_somebody_has_enough():
    rules = Rules(players=2, match_points=40)
    players = [Baseline("greedy/leader/deny:16"), Baseline("never/never/hold")]
    firsts = []
    for game in range(5):
        record = play(rules, players, 1, game)
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
    record = play(Rules(players=2, max_turns=3), [Baseline("never/never/hold")] * 2, 1, 0)
    assert record.unfinished
    assert record.wins == (0, 0)
    assert record.deals[0].turns == 3
    assert record.deals[0].winner is None
    assert record.scores == record.deals[0].points


def test_first_seat_may_begin():
    rules = Rules(players=4, first_player="seat1")
    players = [Baseline("never/never/hold")] * 4
    assert {play(rules, players, 2, game).deals[0].first for game in range(6)} == {0}


GOLDEN = Path(__file__).parents[1] / "golden" / "switch16.jsonl"


@pytest.mark.parametrize("line", GOLDEN.read_text().splitlines())
def test_figures_of_an_independent_implementation(line):
    """Every figure of the reference file, within four standard errors."""
    golden = json.loads(line)
    specs = golden["args"][0].split(",")
    players = [Baseline(spec) for spec in specs]
    games = 400
    seen: dict[tuple[str, int | None], list[float]] = {}
    for game in range(games):
        record = play(Rules(players=len(specs)), players, 16, game)
        part = record.deals[0]
        facts: dict[str, Any] = {
            "first_player_win_share": part.first == part.winner,
            "mean_turns": part.turns,
            "mean_throws": sum(counts.throws for counts in part.counts),
            "win_share": [wins / 60 for wins in record.wins],
            "mean_final_top": part.tops,
        }
        for name in ("risks", "busts", "green_swaps", "red_swaps", "blocks_taken", "blocks_laid"):
            facts[f"{name}_per_game"] = [getattr(counts, name) for counts in part.counts]
        for name, fact in facts.items():
            for seat, value in (
                enumerate(fact) if isinstance(golden[name], list) else [(None, fact)]
            ):
                seen.setdefault((name, seat), []).append(float(value))
    for (name, seat), values in seen.items():
        expected = golden[name] if seat is None else golden[name][seat]
        mean = sum(values) / games
        variance = sum((value - mean) ** 2 for value in values) / games
        error = math.sqrt(variance * (1 / games + 1 / golden["games"]))
        if error == 0:
            assert mean == expected, (name, seat)
        else:
            assert abs(mean - expected) < 4 * error, (name, seat, mean, expected)
