"""What charts ask of an answer, whichever command gave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import pandas as pd

from analyzer.plugins import find_game, game_names
from analyzer.specs import plain_names
from analyzer.statistics import seats, wording
from analyzer.statistics.tables import Fairness, Player, Summary

__all__ = [
    "Answer",
    "by_table",
    "equal_players",
    "figure_of",
    "label_of",
    "numbered",
    "people",
    "seats_alike",
    "summary_of",
    "table_of",
]

Answer = Summary | Fairness
Kind = TypeVar("Kind")


def summary_of(answer: Answer) -> Summary:
    """The figures that every game has."""
    return answer.summary if isinstance(answer, Fairness) else answer


def figure_of(answer: Answer, name: str, kind: type[Kind]) -> Kind | None:
    """A figure that only one game has, by name, if it is there."""
    summary = summary_of(answer)
    figures = {**summary.figures, **summary.aside}
    if isinstance(answer, Fairness):
        figures |= answer.figures
    found = figures.get(name)
    return found if isinstance(found, kind) else None


def by_table(answer: Answer, name: str) -> list[tuple[str, Any]]:
    """A figure for each table of strategies in words, the run's own first; none without others."""
    if not isinstance(answer, Fairness) or not answer.fields or name not in answer.figures:
        return []
    tables = [(answer.summary, answer.figures)]
    tables += [(field.summary, field.figures) for field in answer.fields]
    everybody = [spec for summary, _ in tables for spec in summary.lineup]
    return [
        (table_of(summary.lineup, summary.game, everybody), figures[name])
        for summary, figures in tables
    ]


LONGEST = 40
"""Letters of what a strategy is called beside a picture."""


def label_of(spec: str, name: str) -> str:
    """What a strategy is called beside a picture: its name, or its spec where that is too long.

    What it is called on the command line is known to those who compare many parts.
    """
    return name if len(name) <= LONGEST else spec


def people(summary: Summary) -> tuple[tuple[str, Player], ...]:
    """Who is compared, each with a label: strategies under rotation, otherwise seats."""
    plain = plain_names(summary.game, summary.lineup)
    names = {spec: label_of(spec, name) for spec, name in plain.items()}
    if summary.rotated and summary.strategies:
        return tuple((names[player.strategy], player) for player in summary.strategies)
    if len({player.strategy for player in summary.seats}) == 1:
        return tuple((f"Seat {player.seat}", player) for player in summary.seats)
    return tuple(
        (f"{names[player.strategy]} (seat\N{NO-BREAK SPACE}{player.seat})", player)
        for player in summary.seats
    )


def seats_alike(summary: Summary) -> bool:
    """Whether the rules treat all seats alike, so that a seat says nothing of who wins."""
    known = summary.game in game_names()
    return known and seats.seats_alike(find_game(summary.game), summary.rules, summary.players)


def seats_confounded(summary: Summary) -> bool:
    """Whether seats neither are alike by the rules nor play alike: effects cannot be told apart."""
    return len(set(summary.lineup)) > 1 and not summary.rotated and not seats_alike(summary)


def equal_players(summary: Summary) -> bool:
    """Whether all play alike in seats that are alike: then they are one player many times over."""
    return len(set(summary.lineup)) == 1 and seats_alike(summary)


def numbered(rows: pd.DataFrame) -> pd.DataFrame:
    """A table of seats or of strategies with a column ``player``: their numbers as in `people`."""
    if "seat" in rows:
        return rows.assign(player=rows["seat"])
    return rows.assign(player=pd.factorize(rows["strategy"])[0] + 1)


def table_of(lineup: tuple[str, ...], game: str = "", among: Sequence[str] = ()) -> str:
    """Who sits at a table, in words, told apart from all those it is told of beside."""
    names = plain_names(game, [*among, *lineup])
    if len(set(lineup)) == 1:
        return f"{names[lineup[0]]} in every seat" if len(lineup) > 1 else names[lineup[0]]
    if any(", " in name for name in names.values()):
        return wording.table(lineup, game, among)
    return ", ".join(names[spec] for spec in lineup)
