"""Suggested printings against all printings."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.games.turnthetide.figures import Lifesavers
from analyzer.games.turnthetide.lifesavers import analyze
from analyzer.games.turnthetide.suggest import settle, suggest_halves, to_bands
from analyzer.statistics.tables import Estimate
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
) -> tuple[list[Halves], Callable[[Halves], Lifesavers]]:
    """An evaluation whose gift depends on the printing, and the printings it was asked for."""
    asked: list[Halves] = []

    def evaluate(halves: Halves) -> Lifesavers:
        asked.append(halves)
        slope = Estimate(float(np.dot(halves[:30], np.arange(30))))
        return replace(figures, gift=Estimate(gift(halves)), slope=slope)

    return asked, evaluate


def worths(figures: Lifesavers) -> list[float]:
    return [card.worth_flat.value or 0.0 for card in figures.cards]


def test_it_stops_when_the_suggestion_suggests_itself(figures: Lifesavers) -> None:
    asked, evaluate = simulated(figures, lambda halves: 0.8)
    found = settle(samples.PRINTED, evaluate)
    assert found.preservers == suggest_halves(worths(figures), 0.8, 48)
    assert found.rounds_tried == 1
    assert found.bands.preservers == to_bands(found.preservers)
    assert asked[:2] == [samples.PRINTED, found.preservers]
    assert len(asked) == len(set(asked)) <= 3
    assert found.before.slope == evaluate(samples.PRINTED).slope
    assert found.after.slope == evaluate(found.preservers).slope
    assert found.bands.slope == evaluate(found.bands.preservers).slope


def test_it_estimates_again_with_each_printing(figures: Lifesavers) -> None:
    first = suggest_halves(worths(figures), 0.8, 48)
    second = suggest_halves(worths(figures), 0.2, 48)
    assert first != second
    _, evaluate = simulated(figures, lambda h: 0.8 if h == samples.PRINTED else 0.2)
    found = settle(samples.PRINTED, evaluate)
    assert found.preservers == second
    assert found.rounds_tried == 2


@pytest.mark.parametrize("limit", [1, 6])
def test_running_in_a_circle_ends_with_the_most_even(figures: Lifesavers, limit: int) -> None:
    first = suggest_halves(worths(figures), 0.8, 48)
    asked, evaluate = simulated(figures, lambda h: 0.2 if h == first else 0.8)
    found = settle(samples.PRINTED, evaluate, limit)
    tried = asked[1 : 1 + found.rounds_tried]
    assert found.rounds_tried == min(limit, 2)
    gifts = {halves: 0.2 if halves == first else 0.8 for halves in tried}
    best = min(tried, key=lambda halves: variance(worths(figures), gifts[halves], halves))
    assert found.preservers == best


def test_a_fair_printing_is_kept(figures: Lifesavers) -> None:
    fair = suggest_halves(worths(figures), 0.8, 48)
    asked, evaluate = simulated(figures, lambda halves: 0.8)
    found = settle(fair, evaluate)
    assert found.preservers == fair
    assert found.rounds_tried == 0
    assert found.before == found.after
    assert asked[0] == fair


def test_unknown_figures_are_refused(figures: Lifesavers) -> None:
    with pytest.raises(ValueError, match="more games"):
        settle(samples.PRINTED, lambda _: replace(figures, gift=Estimate(None)))
    lost = (replace(figures.cards[0], worth_flat=Estimate(None)), *figures.cards[1:])
    with pytest.raises(ValueError, match="more games"):
        settle(samples.PRINTED, lambda _: replace(figures, cards=lost))


def test_a_settled_printing_evens_hands_when_played() -> None:
    """End to end on games whose cards are hard by a known amount."""

    def evaluate(halves: Halves) -> Lifesavers:
        main = samples.records(1500, halves=halves, gift=0.87)
        flat = samples.records(1500, halves=halves, gift=0.87, flat=5)
        return analyze(
            samples.result(main, halves=halves),
            samples.result(flat, halves=halves, allocation="flat:5"),
        )

    found = settle(samples.PRINTED, evaluate, limit=3)
    before, after = found.before, found.after
    assert before.hand_share.value is not None and after.hand_share.value is not None
    assert after.hand_share.value < 0.5 * before.hand_share.value
    assert before.slope.value is not None and after.slope.value is not None
    assert abs(after.slope.value) < abs(before.slope.value)
