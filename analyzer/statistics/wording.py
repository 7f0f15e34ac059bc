"""Numbers and names as they stand in a sentence, with as many digits as their intervals allow."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from analyzer.specs import plain_names
from analyzer.statistics.tables import Estimate

__all__ = [
    "about",
    "at_all",
    "count",
    "decimals",
    "games",
    "interval",
    "label",
    "listed",
    "number",
    "number_word",
    "opponents",
    "percent",
    "percent_between",
    "percent_range",
    "plain_percent",
    "plural",
    "points",
    "table",
    "to_decide",
    "upper_first",
]

_DIGITS = 2
"""Digits of a figure that a sentence tells; tables have more."""
_MOST = 9
_NUMBERS = dict(enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight"), 1))


def decimals(value: float, low: float, high: float, *, percent: bool = False) -> int:
    """Decimals for a figure and the ends of its interval, for numbers or for percentages.

    As many as show the first digit of the interval's half-width, but no more than give the figure
    two digits; percentages may have one decimal all the same, since what is told is often how they
    differ from an equal share.

    Parameters
    ----------
    value, low, high
        The figure and the ends of its interval, ``low < high``; of a share, as fractions.
    percent
        Whether they will be written as percentages.
    """
    scale = 100.0 if percent else 1.0
    wanted = max(math.ceil(-math.log10(scale * (high - low) / 2) - 1e-9), 0)
    size = scale * max(abs(value), (high - low) / 2)
    digits = max(_DIGITS - 1 - math.floor(math.log10(size)), 1 if percent else 0)
    places = min(max(wanted, 1 if percent else 0), digits, _MOST)
    outside = low <= value <= high and not low <= round(value, places) <= high
    if not percent and places < wanted and outside:
        places += 1  # two digits alone would name a number that it is shown not to be
    if not percent and any(end and not round(end, places) for end in (low, high)):
        places += 1  # and an end next to 0 would not say on which side
    return places


def number(estimate: Estimate) -> str:
    """The value, rounded to where its interval begins to speak: ``0.58``."""
    if estimate.value is None:
        return "unknown"
    return _fixed(estimate.value, _places(estimate, percent=False))


def interval(estimate: Estimate) -> str:
    """Its interval: ``between 0.55 and 0.61``, or what stands for one too short or missing."""
    if estimate.low is None or estimate.high is None:
        return "how surely cannot be said"
    places = _places(estimate, percent=False)
    low, high = _fixed(estimate.low, places), _fixed(estimate.high, places)
    return f"between {low} and {high}" if low != high else _hardly(places)


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
    if low == high:
        return f"{value} ({_hardly(places)} points)"
    return f"{value} (between {low}% and {high}%)"


def points(found: Estimate) -> str:
    """A difference of shares in words: ``12 percentage points (between 11 and 13)``."""
    if found.value is None or found.low is None or found.high is None:
        return "an unknown amount"
    value, low, high = (100 * abs(x) for x in (found.value, found.low, found.high))
    if found.low < 0 < found.high:
        value, low, high = (100 * x for x in (found.value, found.low, found.high))
    low, high = min(low, high), max(low, high)
    places = decimals(found.value, found.low, found.high, percent=True)
    one = f"{value:.{places}f}"
    return f"{one} percentage points (between {low:.{places}f} and {high:.{places}f})"


def percent_range(estimate: Estimate) -> str:
    """A share and its interval where several stand in a sentence: ``44.2% (44.1 to 44.3)``."""
    value = percent(estimate)
    if estimate.low is None or estimate.high is None:
        return value
    places = _places(estimate, percent=True)
    low, high = _fixed(100 * estimate.low, places), _fixed(100 * estimate.high, places)
    return f"{value} ({low} to {high})"


def _hardly(places: int) -> str:
    """Stands for an interval whose ends look the same."""
    return f"give or take less than {_fixed(10.0**-places, places)}"


def at_all(tables: int) -> str:
    """``at both tables``, ``at all three tables``."""
    return "at both tables" if tables == 2 else f"at all {number_word(tables)} tables"


def plain_percent(share: float) -> str:
    """A share without uncertainty: ``25%``, ``33.3%``."""
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def count(n: int) -> str:
    """A whole number with thousands separated."""
    return f"{n:,}"


def about(n: int) -> str:
    """A whole number that is only roughly known, to two digits: ``about 130,000``."""
    scale = 10 ** max(0, len(str(abs(n))) - _DIGITS)
    return f"about {round(n / scale) * scale:,}"


def to_decide(verdict: str | None, more: int | None) -> str:
    """How many more games a comparison needs, if it is undecided."""
    if more is not None:
        return f"To decide, {about(more)} more games would be needed."
    if verdict == "undecided":
        return "How many more games would decide, these say too little to tell."
    return ""


def games(n: int, one: str = "game") -> str:
    """A number of games, or of what they are: ``1 game``, ``2,000 games``, ``5 matches``."""
    return f"1 {one}" if n == 1 else f"{count(n)} {plural(one)}"


def plural(one: str) -> str:
    """Several of something: ``games``, ``matches``."""
    return one + ("es" if one.endswith("ch") else "s")


def label(name: str, part: str = "game") -> str:
    """The name of a figure in words; ``part`` is what it counts as a game."""
    return LABELS.get(name) or name.replace("_", " ").replace("per game", f"per {part}")


LABELS = {
    "last_at_half_wins": "share won by whoever is last at half-time",
    "lead_changes": "number of lead changes",
    "leader_at_half_wins": "share won by whoever leads at half-time",
    "leader_wins_0.25": "share won by whoever leads after a quarter",
    "leader_wins_0.5": "share won by whoever leads at half-time",
    "leader_wins_0.75": "share won by whoever leads at three quarters",
}
"""Figures whose names do not say what they are."""


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: ``a``, ``a and b``, ``a, b and c``; ``a, b; and c`` if commas are in."""
    *most, last = names
    if most and any(", " in name for name in names):
        return f"{'; '.join(most)}; and {last}"
    return f"{', '.join(most)} and {last}" if most else last


def table(lineup: Sequence[str], game: str = "", among: Sequence[str] = ()) -> str:
    """Who sits at a table, in a sentence: ``random players``, ``players never swapping``.

    Parameters
    ----------
    lineup
        A spec a seat.
    game
        Whose strategies they are; without it they go by their specs.
    among
        All strategies that are told of beside them; what all of those share is left out.
    """
    names = plain_names(game, [*among, *lineup])
    told = [names[spec] for spec in dict.fromkeys(lineup)]
    if len(told) > 1:
        many = [lineup.count(spec) for spec in dict.fromkeys(lineup)]
        in_words = any(map(_in_words, told))
        if max(many) > 1 or in_words:
            told = [
                f"{_NUMBERS.get(n, n)} {_players(n) if _in_words(name) else ''}{name}"
                for n, name in zip(many, told, strict=True)
            ]
        return listed(told)
    return f"players {told[0]}" if _in_words(told[0]) else f"{told[0]} players"


def opponents(others: Sequence[str], game: str = "", among: Sequence[str] = ()) -> str:
    """Who else sits at a table, in a sentence: ``3 random players``; see `table`."""
    told = table(others, game, among)
    if len(set(others)) > 1:
        return told
    if len(others) == 1:
        return "one " + re.sub(r"\bplayers\b", "player", told)
    return f"{len(others)} {told}"


def _players(many: int) -> str:
    return "player " if many == 1 else "players "


def number_word(many: int) -> str:
    """A small whole number as a word: ``three``."""
    return _NUMBERS.get(many, f"{many:,}")


def upper_first(text: str) -> str:
    """A phrase made to begin like a sentence, if it is several words; a name stays as it is."""
    return text[:1].upper() + text[1:] if _in_words(text) else text


def _in_words(name: str) -> bool:
    """Whether it says how somebody plays, rather than naming the strategy."""
    return " " in name


def _places(estimate: Estimate, *, percent: bool) -> int:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return 1 if percent else 2
    if not estimate.low < estimate.high:
        return 1 if percent else 2
    return decimals(estimate.value, estimate.low, estimate.high, percent=percent)


def _fixed(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text
