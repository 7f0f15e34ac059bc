"""Numbers and names as they stand in a sentence, with as many digits as their intervals allow."""

from __future__ import annotations

import math

from analyzer.statistics.tables import Estimate

__all__ = ["count", "interval", "number", "percent", "percent_between", "plain_percent"]

_MOST = 6


def number(estimate: Estimate, *, digits: int = 2) -> str:
    """The value, rounded to where its interval begins to speak; ``digits`` without an interval."""
    if estimate.value is None:
        return "unknown"
    return _fixed(estimate.value, _decimals(estimate, 1.0, digits))


def interval(estimate: Estimate) -> str:
    """Its interval: ``between 0.580 and 0.583``, or what stands for a missing one."""
    if estimate.low is None or estimate.high is None:
        return "how surely cannot be said"
    places = _decimals(estimate, 1.0, 0)
    return f"between {_fixed(estimate.low, places)} and {_fixed(estimate.high, places)}"


def percent(estimate: Estimate, *, digits: int = 1) -> str:
    """A share in percent: ``44.2%``."""
    if estimate.value is None:
        return "unknown"
    return _fixed(100 * estimate.value, _decimals(estimate, 100.0, digits, fewest=1)) + "%"


def percent_between(estimate: Estimate, *, digits: int = 1) -> str:
    """A share and its interval: ``44.2% (between 44.1% and 44.3%)``."""
    value = percent(estimate, digits=digits)
    if estimate.low is None or estimate.high is None:
        return value
    places = _decimals(estimate, 100.0, digits, fewest=1)
    low, high = _fixed(100 * estimate.low, places), _fixed(100 * estimate.high, places)
    return f"{value} (between {low}% and {high}%)"


def plain_percent(share: float) -> str:
    """A share without uncertainty: ``25%``, ``33.3%``."""
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def count(n: int) -> str:
    """A whole number with thousands separated."""
    return f"{n:,}"


def _decimals(estimate: Estimate, unit: float, default: int, fewest: int = 0) -> int:
    """Decimals that show the first digit of the interval's half-width."""
    if estimate.low is None or estimate.high is None:
        return default
    half = unit * (estimate.high - estimate.low) / 2
    return min(max(math.ceil(-math.log10(half) - 1e-9), fewest), _MOST)


def _fixed(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text
