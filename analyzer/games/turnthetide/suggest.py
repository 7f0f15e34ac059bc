"""A fairer printing of the life preservers.

A card helps its hand by ``worth_flat``, what the card itself is worth when every hand gets the
same number of preservers, and by ``gift / 2`` for each half preserver printed on it. The fairest
printing with a given total makes the sum of the two vary least from card to card, at the table of
strategies where it varies most. How good it is, other games tell than those it was chosen by.
"""

from __future__ import annotations

import heapq
import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from analyzer.contracts import BLOCKS
from analyzer.games.turnthetide.figures import (
    Bands,
    JudgedTable,
    Lifesavers,
    Measures,
    Suggestion,
)
from analyzer.statistics import margins, wording
from analyzer.statistics.intervals import quantile

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


def suggest_for_all(
    worth_flat: Sequence[Sequence[float]], gifts: Sequence[float], total: int
) -> tuple[int, ...]:
    """Half-counts that minimize the largest of all tables' variances of the cards' worth.

    Starts from what is best for each table alone and for their mean, whichever is best for all,
    and moves halves from card to card, always the one that helps most, until none helps. For one
    table the start is exact already. Among equals the lower card gives, and the lower one gets.

    Parameters
    ----------
    worth_flat
        A row a table: worth of each card without preservers, points a round.
    gifts
        What one preserver adds at each table, points a round.
    total
        Halves to hand out, 0 to twice the number of cards.

    Raises
    ------
    ValueError
        If the total cannot be handed out.
    """
    worth, halves = np.array(worth_flat), np.array(gifts)[:, None] / 2
    pairs = [*zip(worth, halves[:, 0] * 2, strict=True), (worth.mean(axis=0), 2 * halves.mean())]
    starts = [suggest_halves(card.tolist(), float(gift), total) for card, gift in pairs]

    def largest(printing: Sequence[int]) -> float:
        return float((worth + halves * np.array(printing)).var(axis=1).max())

    printing = np.array(min(starts, key=largest))
    cards = worth.shape[1]
    while True:
        sums = worth + halves * printing
        # With the total the mean stays, so the variance changes by that of the squares.
        taken = np.where(printing > 0, ((sums - halves) ** 2 - sums**2) / cards, np.inf)
        added = np.where(printing < MOST_HALVES, ((sums + halves) ** 2 - sums**2) / cards, np.inf)
        after = sums.var(axis=1)[:, None, None] + taken[:, :, None] + added[:, None, :]
        moved = after.max(axis=0)
        np.fill_diagonal(moved, np.inf)
        giver, taker = np.unravel_index(int(moved.argmin()), moved.shape)
        if not moved[giver, taker] < largest(printing.tolist()) - 1e-12:
            return tuple(printing.tolist())
        printing[giver] -= 1
        printing[taker] += 1


Tables = Sequence[Lifesavers]
"""The figures of each judged table of strategies."""


def settle(
    printing: Sequence[int], evaluate: Callable[[tuple[int, ...]], Tables], limit: int = 6
) -> tuple[tuple[int, ...], int]:
    """Suggest, simulate, estimate again, until the printing stands.

    What a preserver gives depends on how many there are in play and where, so a suggestion is
    simulated and made again from what that shows. It stands when it suggests itself; where the
    suggestions run in a circle, or after ``limit`` of them, the one whose cards' worth varies least
    at the table where it varies most is kept.

    Printings come in halves, and half a preserver may be worth more than the cards differ. So the
    slope need not vanish even at the best printing; the variance of hands does fall.

    Parameters
    ----------
    printing
        Half-counts of today's cards.
    evaluate
        Simulates a printing, with and without equal preservers, and returns the figures of all
        tables; called at most once for each printing.
    limit
        Most suggestions to simulate, at least 1.

    Returns
    -------
    tuple
        The printing, and how many suggestions were simulated.

    Raises
    ------
    NothingToSuggest
        If the figures needed, the gift and the worth of all cards, cannot be computed (too few
        games, no run with equal preservers).
    ValueError
        If the total cannot be handed out.
    """
    current = tuple(printing)
    known = {current: evaluate(current)}
    tried: list[tuple[int, ...]] = []
    while (proposed := _proposal(known[current], sum(printing))) != current:
        if proposed in tried or len(tried) == limit:
            current = min(tried, key=lambda halves: _unfairness(known[halves], halves))
            break
        tried.append(proposed)
        current = proposed
        if current not in known:
            known[current] = evaluate(current)
    return current, len(tried)


def _proposal(tables: Tables, total: int) -> tuple[int, ...]:
    worth, gifts = zip(*map(_worth_and_gift, tables), strict=True)
    return suggest_for_all(worth, gifts, total)


def _unfairness(tables: Tables, halves: tuple[int, ...]) -> float:
    """Variance over cards of their worth with the preservers printed on them, where largest."""
    return max(
        statistics.pvariance(
            [card + gift * count / 2 for card, count in zip(worth, halves, strict=True)]
        )
        for worth, gift in map(_worth_and_gift, tables)
    )


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


# --- judged on fresh chance ----------------------------------------------------------------------

FAIR_VALUES: Mapping[str, float] = {
    "hand_sd": 0.0,
    "slope": 0.0,
    "round_win_gap": 0.0,
    "hand_share": 0.0,
    "compensation": 1.0,
}
"""What each measure would be if hands were alike, the most telling measure first."""
SAID: Mapping[str, str] = {
    "hand_sd": "how far the hand dealt moves a score",
    "slope": "what one more preserver goes with",
    "round_win_gap": "the gap between the best and the worst hands",
    "hand_share": "the part of a score that the deal decides",
    "compensation": "how much of a preserver its harder cards take back",
}


def compare(before: Measures, after: Measures) -> dict[str, str]:
    """What a printing changes: ``better``, ``worse`` or ``open`` by measure, 95% sure each.

    A measure is better if it is nearer to what it would be if hands were alike. Both printings
    meet the same chance, but the error of the difference is taken as that of independent runs,
    which is on the safe side where they go together.
    """
    found = {}
    for name, fair in FAIR_VALUES.items():
        old, new = getattr(before, name), getattr(after, name)
        if None in (old.value, new.value, old.se, new.se):
            found[name] = "open"
            continue
        change = abs(new.value - fair) - abs(old.value - fair)
        sure = quantile(BLOCKS) * math.hypot(old.se, new.se)
        found[name] = "better" if change < -sure else "worse" if change > sure else "open"
    return found


def better(before: Measures, after: Measures) -> bool:
    """Whether a printing leaves less to the hand dealt, and is shown to be worse by nothing."""
    found = compare(before, after)
    return found["hand_sd"] == "better" and "worse" not in found.values()


def conclude(
    printing: tuple[int, ...],
    halves: tuple[int, ...],
    bands: tuple[int, ...],
    tables: Sequence[JudgedTable],
    tried: int,
    seed: int,
    margin: float,
) -> Suggestion:
    """Put a suggestion together, with a sentence that says at which tables it is worse."""
    main = tables[0]
    answer = (
        "Today's printing is the most even one found."
        if halves == printing
        else _verdict("The suggested printing", [(t.table, t.before, t.after) for t in tables])
    )
    if bands == printing:
        answer += " In five bands it is today's printing again."
    elif bands != halves:
        answer += " " + _verdict("In five bands it", [(t.table, t.before, t.bands) for t in tables])
    changed = [[t.after for t in tables]] * (halves != printing)
    changed += [[t.bands for t in tables]] * (bands not in (printing, halves))
    if (
        changed
        and len(tables) > 1
        and not any(
            all(better(t.before, new) for t, new in zip(tables, some, strict=True))
            for some in changed
        )
    ):
        answer += " So no printing found here is better at all tables."
    if halves != printing:
        answer += _still_unfair(tables, margin)
    return Suggestion(
        preservers=halves,
        before=main.before,
        after=main.after,
        bands=Bands(**vars(main.bands), preservers=bands),
        rounds_tried=tried,
        tables_judged=tuple(tables),
        answer=answer,
        fresh_seed=seed,
    )


def _still_unfair(tables: Sequence[JudgedTable], margin: float) -> str:
    """Where a preserver is still worth more, or less, than the cards it is printed on."""
    left = [
        f"{wording.number(t.after.slope)} points a round among {t.table}"
        for t in tables
        if margins.judge(t.after.slope, margin) in ("above", "below")
    ]
    if not left:
        return ""
    return (
        f" It is not fair all the same: one more preserver still goes with {wording.listed(left)}, "
        f"where at most {margin:g} counts as fair."
    )


def _verdict(lead: str, tables: Sequence[tuple[str, Measures, Measures]]) -> str:
    """Whom a printing is better for, for whom it is worse and by what."""
    good = [name for name, before, after in tables if better(before, after)]
    parts = []
    if good:
        sizes = wording.listed(
            [
                f"{wording.number(after.hand_sd)} points instead of "
                f"{wording.number(before.hand_sd)} among {name}"
                for name, before, after in tables
                if name in good
            ]
        )
        parts.append(f"leaves less to the hand dealt, which moves a round's score by {sizes}")
    for name, before, after in tables:
        found = compare(before, after)
        said = list(found.values())
        worse = [SAID[measure] for measure, way in found.items() if way == "worse"]
        if worse:
            better_by, others = said.count("better"), len(said) - len(worse)
            by = "all" if better_by == others else f"{better_by} of the {others}"
            also = f", though better in {by} other measures" if better_by else ""
            parts.append(f"is worse among {name} in {wording.listed(worse)}{also}")
        elif name not in good:
            parts.append(f"is not shown to leave less to the hand dealt among {name}")
    return f"{lead} {'; it '.join(parts)}."
