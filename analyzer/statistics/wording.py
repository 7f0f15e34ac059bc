"""Numbers and names as they stand in a sentence, with as many digits as their intervals allow."""

from __future__ import annotations

import math

from analyzer.statistics.tables import Estimate

__all__ = [
    "count",
    "decimals",
    "games",
    "interval",
    "number",
    "percent",
    "percent_between",
    "plain_percent",
]

_ENOUGH, _ENOUGH_PERCENT, _MOST = 3, 2, 9
"""Decimals that readers want, of numbers and of percentages, and what no interval gets beyond."""


def decimals(low: float, high: float, *, percent: bool = False) -> int:
    """Decimals for a figure and the ends of its interval, for numbers or for percentages.

    As many as show the first digit of the interval's half-width, but no more than readers want,
    as long as the ends do not look the same; percentages have at least one.

    Parameters
    ----------
    low, high
        Ends of the interval, ``low < high``; of a share, as fractions.
    percent
        Whether they will be written as percentages.
    """
    scale, fewest, enough = (100.0, 1, _ENOUGH_PERCENT) if percent else (1.0, 0, _ENOUGH)
    wanted = max(math.ceil(-math.log10(scale * (high - low) / 2) - 1e-9), fewest)
    places = min(wanted, enough)
    while places < _MOST and _fixed(scale * low, places) == _fixed(scale * high, places):
        places += 1
    return places


def number(estimate: Estimate) -> str:
    """The value, rounded to where its interval begins to speak: ``0.581``."""
    if estimate.value is None:
        return "unknown"
    return _fixed(estimate.value, _places(estimate, percent=False))


def interval(estimate: Estimate) -> str:
    """Its interval: ``between 0.580 and 0.583``, or what stands for a missing one."""
    if estimate.low is None or estimate.high is None:
        return "how surely cannot be said"
    places = _places(estimate, percent=False)
    return f"between {_fixed(estimate.low, places)} and {_fixed(estimate.high, places)}"


def percent(estimate: Estimate) -> str:
    """A share in percent: ``44.2%``."""
    if estimate.value is None:
        return "unknown"
    return _fixed(100 * estimate.value, _places(estimate, percent=True)) + "%"


def percent_between(estimate: Estimate) -> str:
    """A share and its interval: ``44.2% (between 44.1% and 44.3%)``."""
    value = percent(estimate)
    if estimate.low is None or estimate.high is None:
        return value
    places = _places(estimate, percent=True)
    low, high = _fixed(100 * estimate.low, places), _fixed(100 * estimate.high, places)
    return f"{value} (between {low}% and {high}%)"


def plain_percent(share: float) -> str:
    """A share without uncertainty: ``25%``, ``33.3%``."""
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def count(n: int) -> str:
    """A whole number with thousands separated."""
    return f"{n:,}"


def games(n: int) -> str:
    """A number of games: ``1 game``, ``2,000 games``."""
    return "1 game" if n == 1 else f"{count(n)} games"


def _places(estimate: Estimate, *, percent: bool) -> int:
    if estimate.low is None or estimate.high is None:
        return 1 if percent else 2
    return decimals(estimate.low, estimate.high, percent=percent)


def _fixed(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text
