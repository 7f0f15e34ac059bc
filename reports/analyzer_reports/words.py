"""Numbers and names as a reader meets them: plain, aligned, and harmless."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

from analyzer.statistics.tables import Estimate
from analyzer.statistics.wording import count, decimals
from analyzer.statistics.wording import plural as several

__all__ = [
    "DASH",
    "between",
    "capital",
    "clean",
    "count",
    "digits",
    "figure",
    "in_points",
    "joined",
    "known",
    "number",
    "percent",
    "plural",
    "several",
    "shorten",
]

DASH = "\N{EN DASH}"
TEN = 10.0
"""From here on one decimal is enough of a figure without a range."""
MINUS = "\N{MINUS SIGN}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def clean(text: str) -> str:
    """Replace what could not be seen or would reorder the line: control and format characters."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c
        for c in text
    )


def capital(text: str) -> str:
    """A text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def shorten(text: str, room: int) -> str:
    """Cut the middle out of a long name: a file's last part matters as much as its first."""
    text = clean(text)
    if len(text) <= room:
        return text
    head = (room - 1) // 3
    return text[:head] + ELLIPSIS + text[len(text) - (room - 1 - head) :]


def known(estimate: Estimate) -> bool:
    """Whether both the figure and its interval could be computed."""
    return None not in (estimate.value, estimate.low, estimate.high)


def digits(estimate: Estimate, share: bool = False) -> int:
    """Decimals that the interval deserves; the same as in the answer's own sentence."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None or low == high:
        return 0 if share else 1 if value is not None and abs(value) >= TEN else 2
    return decimals(value, low, high, percent=share)


def number(value: float | None, places: int = 2, sign: bool = False) -> str:
    """A number with a proper minus; ``sign`` puts a plus before positive ones."""
    if value is None or math.isnan(value):
        return DASH
    text = f"{value:+,.{places}f}" if sign else f"{value:,.{places}f}"
    if not any(c in "123456789" for c in text):
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


def percent(share: float | None, places: int = 1) -> str:
    """A share as a percentage."""
    return DASH if share is None or math.isnan(share) else number(100 * share, places) + "%"


def figure(estimate: Estimate, share: bool = False, sign: bool = False) -> str:
    """An estimate's figure with as many decimals as its interval deserves."""
    if share:
        return percent(estimate.value, digits(estimate, share=True))
    return number(estimate.value, digits(estimate), sign)


def between(estimate: Estimate, share: bool = False, sign: bool = False) -> str:
    """An estimate's interval in words, empty without one."""
    if not known(estimate):
        return ""
    places = digits(estimate, share=share)
    if share:
        low, high = percent(estimate.low, places), percent(estimate.high, places)
    else:
        low, high = number(estimate.low, places, sign), number(estimate.high, places, sign)
    if low == high:
        return f"give or take less than {number(10.0**-places, places)}"
    return f"between {low} and {high}"


def in_points(share: Estimate) -> Estimate:
    """A difference of shares in percentage points."""
    value, low, high = (
        None if x is None else 100 * x for x in (share.value, share.low, share.high)
    )
    return Estimate(value, low, high, share.kind)


def plural(value: int, noun: str, nouns: str = "") -> str:
    """A count with its noun."""
    return f"{count(value)} {noun if value == 1 else nouns or several(noun)}"


def joined(items: Sequence[str]) -> str:
    """A list as one writes it: a, b and c."""
    if len(items) < 2:
        return "".join(items)
    return ", ".join(items[:-1]) + " and " + items[-1]
