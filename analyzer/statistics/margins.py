"""Differences that matter: verdicts by a margin that was fixed before anybody looked.

With enough games every difference is shown, however small. So a verdict is three-way: beyond the
margin, inside it, or undecided, by two one-sided tests on the interval in force (TOST; Schuirmann
1987, J. Pharmacokinet. Biopharm. 15:657).
"""

from __future__ import annotations

import math
from typing import Literal

from analyzer.statistics.tables import Estimate

WIN_SHARE_MARGIN = 0.005
"""What counts as nothing in a share of wins, unless the user says otherwise."""

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
