"""Suggested printings against all printings."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.games.turnthetide.figures import JudgedTable, Lifesavers, Measures
from analyzer.games.turnthetide.lifesavers import analyze
from analyzer.games.turnthetide.study import STUDY
from analyzer.games.turnthetide.suggest import (
    better,
    compare,
    conclude,
    settle,
    suggest_for_all,
    suggest_halves,
    to_bands,
)
from analyzer.statistics.tables import Estimate
from tests.games.turnthetide.preservers import REQUEST
from tests.statistics import samples

Halves = tuple[int, ...]


def variance(worth: Sequence[float], gift: float, halves: Sequence[int]) -> float:
    """What a suggestion is to make small."""
    return float(np.var([w + gift * h / 2 for w, h in zip(worth, halves, strict=True)]))


@given(
    st.lists(st.floats(-1, 1), min_size=1, max_size=6),
    st.floats(-2, 2),
    st.integers(0, 12),
)
def test_no_printing_is_better(worth: list[float], gift: float, total: int) -> None:
    total = min(total, 2 * len(worth))
    found = suggest_halves(worth, gift, total)
    assert sum(found) == total
    assert set(found) <= {0, 1, 2}
    choices = itertools.product(range(3), repeat=len(worth))
    best = min(variance(worth, gift, halves) for halves in choices if sum(halves) == total)
    assert variance(worth, gift, found) == pytest.approx(best, abs=1e-12)


def test_the_hardest_cards_get_the_most() -> None:
    assert suggest_halves([-1.0, 0.5, -0.5, 0.5], 1.0, 3) == (2, 0, 1, 0)
    # A gift that hurts goes to the easiest cards.
    assert suggest_halves([-1.0, 0.5, -0.5, 0.5], -1.0, 2) == (0, 1, 0, 1)


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=2, max_size=5),
    st.tuples(st.floats(0.1, 2), st.floats(0.1, 2)),
    st.integers(0, 10),
)
def test_no_exchange_of_halves_helps_at_all_tables(
    cards: list[tuple[float, float]], gifts: tuple[float, float], total: int
) -> None:
    worth = list(zip(*cards, strict=True))
    total = min(total, 2 * len(cards))
    found = suggest_for_all(worth, gifts, total)
    assert sum(found) == total and set(found) <= {0, 1, 2}

    def largest(halves: Sequence[int]) -> float:
        return max(variance(w, g, halves) for w, g in zip(worth, gifts, strict=True))

    alone = [suggest_halves(w, g, total) for w, g in zip(worth, gifts, strict=True)]
    assert all(largest(found) <= largest(halves) + 1e-9 for halves in alone)
    for giver, taker in itertools.permutations(range(len(cards)), 2):
        moved = list(found)
        moved[giver] -= 1
        moved[taker] += 1
        if min(moved) >= 0 and max(moved) <= 2:
            assert largest(found) <= largest(moved) + 1e-9


def test_tables_that_disagree_meet_in_the_middle() -> None:
    # For each table alone the half belongs on another card; the third is bad for neither.
    worth = [[-1.0, 0.4, -0.6], [0.4, -1.0, -0.6]]
    assert suggest_halves(worth[0], 1.0, 1) == (1, 0, 0)
    assert suggest_halves(worth[1], 1.0, 1) == (0, 1, 0)
    assert suggest_for_all(worth, [1.0, 1.0], 1) == (0, 0, 1)


def test_ties_go_to_the_lower_card() -> None:
    assert suggest_halves([0.0] * 5, 1.0, 3) == (1, 1, 1, 0, 0)


def test_totals_that_do_not_fit_are_refused() -> None:
    for total in (-1, 5):
        with pytest.raises(ValueError, match="halves"):
            suggest_halves([0.0, 0.0], 1.0, total)


@given(st.lists(st.integers(0, 2), min_size=15, max_size=15))
def test_bands_are_the_nearest_of_all(halves: list[int]) -> None:
    found = to_bands(halves)
    assert all(len(set(found[3 * b : 3 * b + 3])) == 1 for b in range(5))

    def distance(bands: Sequence[int]) -> tuple[int, int]:
        printing = np.repeat(bands, 3)
        return abs(int(printing.sum()) - sum(halves)), int(((printing - halves) ** 2).sum())

    assert distance(found[::3]) == min(map(distance, itertools.product(range(3), repeat=5)))


def test_bands_stay_what_they_are() -> None:
    assert to_bands(samples.PRINTED) == samples.PRINTED


def test_bands_keep_the_total_where_they_can() -> None:
    halves = (0,) * 12 + (1,) * 7 + (2,) * 5 + (2,) * 12 + (1,) * 7 + (0,) * 17
    assert sum(halves) == 48
    assert to_bands(halves) == samples.PRINTED


def test_bands_must_divide_the_cards() -> None:
    with pytest.raises(ValueError, match="bands"):
        to_bands([0] * 7)


# --- until it stands -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def figures() -> Lifesavers:
    main = samples.result(samples.records(600))
    flat = samples.result(samples.records(600, flat=5), allocation="flat:5")
    return analyze(main, flat)


def simulated(
    figures: Lifesavers, gift: Callable[[Halves], float]
) -> tuple[list[Halves], Callable[[Halves], list[Lifesavers]]]:
    """An evaluation whose gift depends on the printing, and the printings it was asked for."""
    asked: list[Halves] = []

    def evaluate(halves: Halves) -> list[Lifesavers]:
        asked.append(halves)
        return [replace(figures, gift=Estimate(gift(halves)))]

    return asked, evaluate


def worths(figures: Lifesavers) -> list[float]:
    return [card.worth_flat.value or 0.0 for card in figures.cards]


def test_it_stops_when_the_suggestion_suggests_itself(figures: Lifesavers) -> None:
    asked, evaluate = simulated(figures, lambda halves: 0.8)
    found, tried = settle(samples.PRINTED, evaluate)
    assert found == suggest_halves(worths(figures), 0.8, 48)
    assert tried == 1
    assert asked == [samples.PRINTED, found]


def test_it_estimates_again_with_each_printing(figures: Lifesavers) -> None:
    first = suggest_halves(worths(figures), 0.8, 48)
    second = suggest_halves(worths(figures), 0.2, 48)
    assert first != second
    _, evaluate = simulated(figures, lambda h: 0.8 if h == samples.PRINTED else 0.2)
    assert settle(samples.PRINTED, evaluate) == (second, 2)


@pytest.mark.parametrize("limit", [1, 6])
def test_running_in_a_circle_ends_with_the_most_even(figures: Lifesavers, limit: int) -> None:
    first = suggest_halves(worths(figures), 0.8, 48)
    asked, evaluate = simulated(figures, lambda h: 0.2 if h == first else 0.8)
    found, count = settle(samples.PRINTED, evaluate, limit)
    tried = asked[1 : 1 + count]
    assert count == min(limit, 2)
    gifts = {halves: 0.2 if halves == first else 0.8 for halves in tried}
    assert found == min(tried, key=lambda h: variance(worths(figures), gifts[h], h))


def test_a_fair_printing_is_kept(figures: Lifesavers) -> None:
    fair = suggest_halves(worths(figures), 0.8, 48)
    asked, evaluate = simulated(figures, lambda halves: 0.8)
    assert settle(fair, evaluate) == (fair, 0)
    assert asked == [fair]


def test_parts_are_told_by_what_they_change() -> None:
    main = REQUEST.experiment()
    other = replace(main, rules={**main.rules, "preservers": OTHER}, seed=7)
    flat = replace(other, rules={**other.rules, "allocation": "flat:5"})
    counting = replace(main, strategies=("counting",) * 4, detail="replay")
    told = [STUDY.about("", some, main) for some in (other, flat, counting)]
    assert told == [
        "the same with another printing and fresh deals",
        "the same with another printing, five equal preservers each and fresh deals",
        "four counting players with hands played again",
    ]


def test_unknown_figures_are_refused(figures: Lifesavers) -> None:
    with pytest.raises(ValueError, match="more games"):
        settle(samples.PRINTED, lambda _: [replace(figures, gift=Estimate(None))])
    lost = (replace(figures.cards[0], worth_flat=Estimate(None)), *figures.cards[1:])
    with pytest.raises(ValueError, match="more games"):
        settle(samples.PRINTED, lambda _: [figures, replace(figures, cards=lost)])


def test_a_settled_printing_evens_hands_when_played() -> None:
    """End to end on games whose cards are hard by a known amount."""
    known: dict[Halves, Lifesavers] = {}

    def evaluate(halves: Halves) -> list[Lifesavers]:
        main = samples.records(1500, halves=halves, gift=0.87)
        flat = samples.records(1500, halves=halves, gift=0.87, flat=5)
        known[halves] = analyze(
            samples.result(main, halves=halves),
            samples.result(flat, halves=halves, allocation="flat:5"),
        )
        return [known[halves]]

    found, _ = settle(samples.PRINTED, evaluate, limit=3)
    before, after = known[samples.PRINTED], known[found]
    assert before.hand_share.value is not None and after.hand_share.value is not None
    assert after.hand_share.value < 0.5 * before.hand_share.value
    assert before.slope.value is not None and after.slope.value is not None
    assert abs(after.slope.value) < abs(before.slope.value)


# --- judged --------------------------------------------------------------------------------------


def measured(sd: float = 1.0, slope: float = 0.5, paid: float = 0.4) -> Measures:
    def sure(value: float) -> Estimate:
        return Estimate(value, value - 0.02, value + 0.02, "jackknife", 0.01)

    return Measures(sure(sd), sure(slope), sure(0.2), sure(0.1), sure(paid))


def test_a_measure_is_better_nearer_to_where_hands_are_alike() -> None:
    found = compare(measured(), measured(sd=0.8, slope=-0.6, paid=1.3))
    assert found == {
        "hand_sd": "better",
        "slope": "worse",
        "round_win_gap": "open",
        "hand_share": "open",
        "compensation": "better",
    }
    assert not better(measured(), measured(sd=0.8, slope=-0.6))
    assert better(measured(), measured(sd=0.8, slope=-0.5))
    assert not better(measured(), measured(slope=0.1))
    # 1.969 * 0.01 * sqrt(2) = 0.0278 is not shown, a little more is.
    assert compare(measured(), measured(sd=0.973))["hand_sd"] == "open"
    assert compare(measured(), measured(sd=0.971))["hand_sd"] == "better"
    unknown = replace(measured(), hand_sd=Estimate(None))
    assert compare(unknown, measured())["hand_sd"] == "open"


OTHER = (2, *samples.PRINTED[1:])
BANDS = (1,) * 60


def sentence(*tables: tuple[Measures, Measures], halves: Halves = OTHER) -> str:
    names = ("random players", "counting players")
    judged = [
        JudgedTable(name, measured(), after, bands)
        for name, (after, bands) in zip(names, tables, strict=False)
    ]
    return conclude(samples.PRINTED, halves, BANDS, judged, 1, 7, 0.05).answer


def test_the_sentence_says_for_whom_it_is_better_and_for_whom_worse() -> None:
    good, bad = measured(sd=0.5), measured(sd=0.5, slope=0.9)
    assert sentence((good, good), (good, good)) == (
        "The suggested printing leaves less to the hand dealt, which moves a round's score by "
        "0.50 points instead of 1.0 among random players and 0.50 points instead of 1.0 among "
        "counting players. In five bands it leaves less to the hand dealt, which moves a round's "
        "score by 0.50 points instead of 1.0 among random players and 0.50 points instead of "
        "1.0 among counting players. It is not fair all the same: one more preserver still goes "
        "with 0.50 points a round among random players and 0.50 points a round among counting "
        "players, where at most 0.05 counts as fair."
    )
    fair = measured(sd=0.5, slope=0.0)
    assert "not fair all the same" not in sentence((fair, fair), (fair, fair))
    told = sentence((good, good), (bad, bad))
    assert (
        "; it is worse among counting players in what one more preserver goes with, though "
        "better in 1 of the 4 other measures. So no"
    ) in told
    assert "So no printing found here is better at all tables. It is not fair" in told
    assert "no printing" not in sentence((good, good), (bad, good))
    assert "is not shown to leave less to the hand dealt among random players" in sentence(
        (measured(), good), (good, good)
    )
    assert sentence((good, good), halves=samples.PRINTED).startswith("Today's printing is the most")
