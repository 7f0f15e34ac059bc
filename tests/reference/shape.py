"""The shape of games, counted plainly: one game after the other, with fractions and lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any


@dataclass(frozen=True)
class Played:
    """A game: how its players stood after each unit but the last one, and how it ended."""

    course: Sequence[Sequence[Any]]  # a unit, a seat: what leading is measured by
    scores: Sequence[int]
    wins: Sequence[int]  # in sixtieths

    @property
    def length(self) -> int:
        """Units of the game."""
        return len(self.course) + 1

    def after(self, quarters: int) -> Sequence[Any] | None:
        """How they stood when so many quarters were over, before the end."""
        units = min(ceil(Fraction(quarters * self.length, 4)), self.length - 1)
        return self.course[units - 1] if units else None


def seats_with(standing: Sequence[Any], value: Any) -> list[int]:
    """The seats that stand so."""
    return [seat for seat, mine in enumerate(standing) if mine == value]


def win_of_one(game: Played, seats: Sequence[int]) -> Fraction:
    """Share of the win that one of these seats has, drawn by lot."""
    return Fraction(sum(game.wins[seat] for seat in seats), 60 * len(seats))


def changes_of_lead(game: Played) -> int:
    """How often somebody came to lead alone after another one had."""
    alone = [seats_with(standing, max(standing)) for standing in game.course]
    alone.append([seat for seat, win in enumerate(game.wins) if win])
    leaders = [seats[0] for seats in alone if len(seats) == 1]
    return sum(one != other for one, other in pairwise(leaders))


def mean(values: Sequence[Any]) -> float:
    """Their mean, correctly rounded."""
    return float(Fraction(sum(values)) / len(values))


def reached(values: Sequence[int], share: str) -> float:
    """The least value that so large a share of them does not exceed."""
    return float(sorted(values)[max(ceil(Fraction(share) * len(values)), 1) - 1])


def shape(games: Sequence[Played], unit: str) -> dict[str, Any]:
    """What a document says of these games, intervals and comparisons left out."""
    lengths = [game.length for game in games if any(game.wins)]
    ordered = [sorted(game.scores, reverse=True) for game in games]
    margins = [first - second for first, second, *_ in ordered]
    winners = [sum(win > 0 for win in game.wins) for game in games]
    leading = []
    for quarter in (1, 2, 3):
        known = [(game, at) for game in games if (at := game.after(quarter)) is not None]
        won = [win_of_one(game, seats_with(at, max(at))) for game, at in known]
        leading.append({"at": quarter / 4, "share": mean(won) if won else None})
    halves = [(game, at) for game in games if (at := game.after(2)) is not None]
    back = [win_of_one(game, seats_with(at, min(at))) for game, at in halves]
    return {
        "games": len(games),
        "length_unit": unit,
        "length": None
        if not lengths
        else {
            "mean": mean(lengths),
            "median": reached(lengths, "0.5"),
            "p05": reached(lengths, "0.05"),
            "p95": reached(lengths, "0.95"),
            "longest": max(lengths),
        },
        "margin": {
            "mean": mean(margins),
            "median": reached(margins, "0.5"),
            "within_one": mean([margin <= 1 for margin in margins]),
        },
        "ties": {
            "share": mean([number > 1 for number in winners]),
            "two": mean([number == 2 for number in winners]),
            "more": mean([number > 2 for number in winners]),
        },
        "leader_wins": leading if back else None,
        "comeback": {"last_at_half_wins": mean(back)} if back else None,
        "lead_changes": {"mean": mean([changes_of_lead(game) for game in games])},
    }


def counted_part(document: Any) -> Any:
    """A document's shape without what plain counting does not know."""
    if isinstance(document, dict):
        return {
            key: counted_part(value)
            for key, value in document.items()
            if not key.endswith("_ci") and key not in ("chance", "equal_luck")
        }
    return [counted_part(value) for value in document] if isinstance(document, list) else document
