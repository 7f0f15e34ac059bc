"""A fairer printing of the life preservers.

A card helps its hand by ``worth_flat``, what the card itself is worth when every hand gets the
same number of preservers, and by ``gift / 2`` for each half preserver printed on it. The fairest
printing with a given total makes the sum of the two vary least from card to card.
"""

from __future__ import annotations

import heapq
import itertools
import statistics
from collections.abc import Callable, Sequence

from analyzer.games.turnthetide.figures import Bands, Lifesavers, Suggestion
from analyzer.games.turnthetide.lifesavers import measures

MOST_HALVES = 2
"""A card shows no preserver, half of one, or one."""


class NothingToSuggest(ValueError):
    """The games played do not say what cards and preservers are worth."""


def suggest_halves(worth_flat: Sequence[float], gift: float, total: int) -> tuple[int, ...]:
    """Half-counts with the given total that minimize the variance of the cards' worth.

    With the total fixed the mean is too, so the variance falls with the sum over cards of
    ``(worth_flat_c + gift h_c / 2)^2``, a sum of convex functions of one h_c each. For such a sum
    it is exact to hand out the halves one by one, each where it adds least (Gross 1956; Fox 1966,
    Manage. Sci. 13:210). Ties go to the lower card.

    Parameters
    ----------
    worth_flat
        Worth of each card without preservers, points a round.
    gift
        What one preserver adds, points a round.
    total
        Halves to hand out, 0 to twice the number of cards.

    Returns
    -------
    tuple of int
        A half-count, 0 to `MOST_HALVES`, for each card.

    Raises
    ------
    ValueError
        If the total cannot be handed out.
    """
    if not 0 <= total <= MOST_HALVES * len(worth_flat):
        raise ValueError(
            f"{total} halves cannot be printed on {len(worth_flat)} cards with at most "
            f"{MOST_HALVES} each."
        )
    half = gift / 2

    def added(card: int, halves: int) -> float:
        """What one more half adds to the square."""
        return half * (2 * worth_flat[card] + half * (2 * halves + 1))

    printing = [0] * len(worth_flat)
    open_cards = [(added(card, 0), card) for card in range(len(worth_flat))]
    heapq.heapify(open_cards)
    for _ in range(total):
        _, card = heapq.heappop(open_cards)
        printing[card] += 1
        if printing[card] < MOST_HALVES:
            heapq.heappush(open_cards, (added(card, printing[card]), card))
    return tuple(printing)


def to_bands(halves: Sequence[int], bands: int = 5) -> tuple[int, ...]:
    """The nearest printing with the same half-count on all cards of a band.

    Publishers print bands. Of all ways to give the bands 0 to `MOST_HALVES` halves a card, those
    come first whose total is nearest to the given one (it is met if a band's width divides it),
    among them the one with the least sum of squared differences; among equals the one that gives
    the lower bands less.

    Parameters
    ----------
    halves
        A half-count a card; the number of cards is a multiple of ``bands``.
    bands
        Number of bands of equal width.

    Raises
    ------
    ValueError
        If the cards do not fall into so many equal bands.
    """
    width, rest = divmod(len(halves), bands)
    if rest:
        raise ValueError(f"{len(halves)} cards do not fall into {bands} equal bands.")
    total = sum(halves)
    band_totals = [sum(halves[band * width : (band + 1) * width]) for band in range(bands)]

    def distance(counts: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        # The squares of the halves themselves are the same for all choices.
        squares = sum(
            count * (width * count - 2 * inside)
            for count, inside in zip(counts, band_totals, strict=True)
        )
        return abs(width * sum(counts) - total), squares, counts

    choices = itertools.product(range(MOST_HALVES + 1), repeat=bands)
    best = min(choices, key=distance)
    return tuple(count for count in best for _ in range(width))


def settle(
    printing: Sequence[int], evaluate: Callable[[tuple[int, ...]], Lifesavers], limit: int = 6
) -> Suggestion:
    """Suggest, simulate, estimate again, until the printing stands.

    What a preserver gives depends on how many there are in play and where, so a suggestion is
    simulated and made again from what that shows. It stands when it suggests itself; where the
    suggestions run in a circle, or after ``limit`` of them, the one whose cards' worth varies least
    is kept.

    Printings come in halves, and half a preserver may be worth more than the cards differ. So the
    slope need not vanish even at the best printing; the variance of hands does fall.

    Parameters
    ----------
    printing
        Half-counts of today's cards.
    evaluate
        Simulates a printing, with and without equal preservers, and returns its figures; called
        at most once for each printing.
    limit
        Most suggestions to simulate, at least 1.

    Raises
    ------
    NothingToSuggest
        If the figures needed, the gift and the worth of all cards, cannot be computed (too few
        games, no run with equal preservers).
    ValueError
        If the total cannot be handed out.
    """
    today = tuple(printing)
    known = {today: evaluate(today)}

    def figures(halves: tuple[int, ...]) -> Lifesavers:
        if halves not in known:
            known[halves] = evaluate(halves)
        return known[halves]

    tried: list[tuple[int, ...]] = []
    current = today
    while (proposed := _proposal(figures(current), sum(today))) != current:
        if proposed in tried or len(tried) == limit:
            current = min(tried, key=lambda halves: _unfairness(figures(halves), halves))
            break
        tried.append(proposed)
        current = proposed
    bands = to_bands(current)
    return Suggestion(
        preservers=current,
        before=measures(known[today]),
        after=measures(figures(current)),
        bands=Bands(**vars(measures(figures(bands))), preservers=bands),
        rounds_tried=len(tried),
    )


def _proposal(lifesavers: Lifesavers, total: int) -> tuple[int, ...]:
    return suggest_halves(*_worth_and_gift(lifesavers), total)


def _unfairness(lifesavers: Lifesavers, halves: tuple[int, ...]) -> float:
    """Variance over cards of their worth with the preservers printed on them."""
    worth, gift = _worth_and_gift(lifesavers)
    sums = [card + gift * count / 2 for card, count in zip(worth, halves, strict=True)]
    return statistics.pvariance(sums)


def _worth_and_gift(lifesavers: Lifesavers) -> tuple[list[float], float]:
    gift = lifesavers.gift.value
    worth = [card.worth_flat.value for card in lifesavers.cards]
    known = [value for value in worth if value is not None]
    if gift is None or len(known) < len(worth):
        raise NothingToSuggest(
            "no printing can be suggested: the gift of a preserver or the worth of a card is "
            "unknown; play more games."
        )
    return known, gift
