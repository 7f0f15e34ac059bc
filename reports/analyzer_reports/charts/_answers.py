"""What charts ask of an answer, whichever command gave it."""

from __future__ import annotations

from typing import TypeVar

from analyzer.statistics.tables import Fairness, Lifesavers, Player, Summary

__all__ = ["Answer", "figure_of", "lifesavers_of", "people", "summary_of", "table_of"]

Answer = Summary | Fairness
Kind = TypeVar("Kind")


def summary_of(answer: Answer) -> Summary:
    """The figures that every game has."""
    return answer.summary if isinstance(answer, Fairness) else answer


def lifesavers_of(answer: Answer) -> Lifesavers | None:
    """The figures on life preservers, if there are any."""
    return answer.lifesavers if isinstance(answer, Fairness) else None


def figure_of(answer: Answer, name: str, kind: type[Kind]) -> Kind | None:
    """A figure that only one game is asked, by name, if it is there."""
    found = answer.figures.get(name) if isinstance(answer, Fairness) else None
    return found if isinstance(found, kind) else None


def people(summary: Summary) -> tuple[tuple[str, Player], ...]:
    """Who is compared, each with a label: strategies under rotation, otherwise seats."""
    if summary.rotated and summary.strategies:
        return tuple((player.strategy, player) for player in summary.strategies)
    if len({player.strategy for player in summary.seats}) == 1:
        return tuple((f"Seat {player.seat}", player) for player in summary.seats)
    return tuple(
        (f"{player.strategy} (seat\N{NO-BREAK SPACE}{player.seat})", player)
        for player in summary.seats
    )


def table_of(lineup: tuple[str, ...]) -> str:
    """Who sits at a table, in words."""
    if len(set(lineup)) == 1:
        return f"{lineup[0]} in every seat" if len(lineup) > 1 else lineup[0]
    return ", ".join(lineup)
