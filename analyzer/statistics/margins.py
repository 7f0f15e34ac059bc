"""Differences that matter: verdicts by a margin that was fixed before anybody looked.

With enough games every difference is shown, however small. So a verdict is three-way: beyond the
margin, inside it, or undecided, by two one-sided tests on the interval in force (TOST; Schuirmann
1987, J. Pharmacokinet. Biopharm. 15:657).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Literal

from analyzer.statistics.tables import Estimate

WIN_SHARE_MARGIN = 0.005
"""What counts as nothing in a share of wins, unless the user says otherwise."""

POWER = NormalDist().inv_cdf(0.9)
"""Standard errors above which one in ten results lies."""
MOST_GAMES = 10**12
"""Games beyond which nobody wants to know how many there would have to be."""

Size = Literal["above", "below", "inside", "undecided"]


def judge(difference: Estimate, margin: float) -> Size:
    """Where an interval lies: wholly above the margin, wholly below minus that, or inside.

    Parameters
    ----------
    difference
        Of anything, with its interval.
    margin
        In the same unit, at least 0.

    Returns
    -------
    Size
        ``"undecided"`` without an interval, and where it reaches across an end of the margin.
    """
    low, high = difference.low, difference.high
    if low is None or high is None:
        return "undecided"
    if low > margin:
        return "above"
    if high < -margin:
        return "below"
    return "inside" if -margin <= low and high <= margin else "undecided"


def games_to_decide(
    half: Callable[[int], float], error: float, room: float, games: int
) -> int | None:
    """The number of games by which a difference is decided in nine of ten runs.

    What is known of the true difference is what the games so far say: it is normal about their
    mean (a flat prior). Then so is the mean that all games will have, about the same, and it must
    be as far from the end of the margin as the interval is wide then (predictive power;
    Spiegelhalter, Freedman & Blackburn 1986, Control. Clin. Trials 7:8).

    Parameters
    ----------
    half
        Half-width of the interval after so many games.
    error
        Standard error of the difference after ``games``.
    room
        Distance of the difference from the nearest end of the margin.
    games
        Played so far, at least 1, without a decision.

    Returns
    -------
    int or None
        None if no number up to `MOST_GAMES` would do: the games so far say too little of where the
        difference lies.
    """

    def enough(many: int) -> bool:
        return half(many) + POWER * error * math.sqrt(1 - games / many) < room

    few, many = games, 2 * games
    while not enough(many):
        if many >= MOST_GAMES:
            return None
        few, many = many, 2 * many
    while many - few > max(1, many // 1000):
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many


def one_in(share: float) -> int:
    """In how many games one is won more or less than without such a difference, two digits.

    Parameters
    ----------
    share
        Difference of win shares, not 0.
    """
    games = 1 / abs(share)
    scale = 10 ** max(0, math.floor(math.log10(games)) - 1)
    return int(round(games / scale) * scale)
