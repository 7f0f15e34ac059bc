"""What a study tells on a terminal, as plain data, and figures as text for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType

from analyzer.contracts import Table
from analyzer.statistics.tables import Estimate
from analyzer.statistics.wording import label

__all__ = ["Table", "Telling", "estimate", "estimates", "number", "percent", "span"]


@dataclass(frozen=True)
class Telling:
    """What a game's own study has to tell of an answer, besides what is told of every game.

    Attributes
    ----------
    tables
        Stand after the players: tables, and sentences between them.
    figures
        Lines after those of the game's metrics.
    checks
        Lines after the answers for other tables of strategies.
    last
        Lines right before the answer.
    """

    tables: Sequence[Table | str] = ()
    figures: Sequence[str] = ()
    checks: Sequence[str] = ()
    last: Sequence[str] = ()


def estimates(
    figures: Mapping[str, Estimate],
    shares: Set[str] = frozenset(),
    part: str = "game",
    told: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """A line a figure; ``shares`` are told in percent, ``part`` is what figures count as a game.

    ``told`` says what those are whose names do not say it.
    """
    return [
        f"{told.get(name) or label(name, part)}: {estimate(figure, share=name in shares)}"
        for name, figure in figures.items()
    ]


def estimate(figure: Estimate, *, share: bool) -> str:
    """A figure and its interval, with as many decimals as tell the ends of the interval apart."""
    scale, unit = (100, "%") if share else (1, "")
    value, low, high = figure.value, figure.low, figure.high
    if value is None or low is None or high is None:
        return percent(value) if unit else number(value)
    places = 2
    while low < high and f"{scale * low:.{places}f}" == f"{scale * high:.{places}f}":
        places += 1
    told, least, most = (f"{scale * x:.{places}f}{unit}" for x in (value, low, high))
    return f"{told} ({least} to {most})"


def span(figure: Estimate, text: Callable[[float], str]) -> str:
    """The interval of a figure, empty without one; ``text`` spells each end."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{text(figure.low)} to {text(figure.high)}"


def percent(value: float | None, places: int = 2, *, sign: bool = False) -> str:
    """A share in percent; with ``sign`` a difference of shares in percentage points."""
    if value is None:
        return "unknown"
    return f"{100 * value:+.{places}f}" if sign else f"{100 * value:.{places}f}%"


def number(value: float | None, places: int = 2) -> str:
    """A number."""
    return "unknown" if value is None else f"{value:.{places}f}"
