"""Conditions on how a game ended, for ``analyzer trace --find``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from analyzer.errors import UnknownName, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from analyzer.contracts import Outcome

ALLOWED = ("winner=SEAT", "margin>=N", "ties")
UNTOLD = ("last-at-half-wins", "length")
"""Conditions on the course of a game, of which its end alone does not tell."""
LONGEST = 40

_COMPARED = re.compile(r"(?P<name>[a-z][a-z-]*)\s*(?P<how>>=|<=|=|>|<)\s*(?P<number>\S*)", re.ASCII)
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_HOW: dict[str, Callable[[NDArray[np.int16], int], NDArray[np.bool_]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}


def parse_condition(text: str, players: int) -> Callable[[Outcome], NDArray[np.bool_]]:
    """What ``--find`` asks, as a test of each game of a batch.

    Parameters
    ----------
    text
        ``winner=SEAT``: that seat wins alone. ``ties``: several share the win. ``margin>=N``, also
        with ``>``, ``<=``, ``<`` and ``=``: points between the highest score and the next, in games
        that somebody wins.
    players
        Number of seats.

    Raises
    ------
    UsageError
        Saying what is allowed.
    """
    given = text.strip().lower()
    shown = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    match = _COMPARED.fullmatch(given)
    name = match["name"] if match else given
    if name in UNTOLD:
        raise UsageError(
            f"--find {shown!r} asks for the course of a game, and only its end is looked at when "
            f"games are looked through; allowed are {', '.join(ALLOWED)}."
        )
    if name == "ties" and match is None:
        return _is_tied
    if name not in ("winner", "margin"):
        raise UnknownName(
            "condition", shown, ("winner", "margin", "ties"), f"--find takes {', '.join(ALLOWED)}."
        )
    if match is None or not _WHOLE.fullmatch(match["number"]):
        example = ALLOWED[0 if name == "winner" else 1]
        raise UsageError(f"--find {name} needs a whole number, as in {example}; given {shown!r}.")
    number = int(match["number"])
    if players < 2:
        raise UsageError(f"--find {shown!r} compares players, and there is only one.")
    if name == "margin":
        return _margin(match["how"], number)
    if match["how"] != "=" or not 1 <= number <= players:
        raise UsageError(f"--find winner=SEAT takes a seat from 1 to {players}; given {shown!r}.")
    return _won_by(number - 1)


def _is_tied(outcome: Outcome) -> NDArray[np.bool_]:
    tied: NDArray[np.bool_] = (outcome.wins > 0).sum(axis=0) > 1
    return tied


def _won_by(seat: int) -> Callable[[Outcome], NDArray[np.bool_]]:
    def holds(outcome: Outcome) -> NDArray[np.bool_]:
        alone: NDArray[np.bool_] = (outcome.wins > 0).sum(axis=0) == 1
        wins: NDArray[np.bool_] = alone & (outcome.wins[seat] > 0)
        return wins

    return holds


def _margin(how: str, number: int) -> Callable[[Outcome], NDArray[np.bool_]]:
    def holds(outcome: Outcome) -> NDArray[np.bool_]:
        import numpy as np

        scores = np.sort(outcome.scores, axis=0)
        won = (outcome.wins > 0).sum(axis=0) > 0
        found: NDArray[np.bool_] = won & _HOW[how](scores[-1] - scores[-2], number)
        return found

    return holds
