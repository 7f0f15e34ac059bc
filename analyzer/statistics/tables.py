"""What the statistics say, as named and frozen values. Reports and JSON are drawn from these."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from analyzer.statistics.shape import Shape

__all__ = [
    "Columns",
    "Estimate",
    "Fairness",
    "FieldFairness",
    "Figures",
    "Player",
    "SeatsTest",
    "Summary",
    "WinVerdict",
    "columns",
]

Columns = Mapping[str, NDArray[np.generic]]
"""A table as columns of one length, which takes no pandas to make: ``pd.DataFrame(columns)``."""


Figures = Mapping[str, Any]
"""A game's own figures by name: frozen dataclasses, see `analyzer.statistics.figures`."""


def columns(rows: Iterable[tuple[Any, ...]], kinds: Mapping[str, type]) -> Columns:
    """A table given row by row; None stands for NaN."""
    cells = list(zip(*rows, strict=True)) or [()] * len(kinds)
    return {
        name: np.array(column, kind)
        for (name, kind), column in zip(kinds.items(), cells, strict=True)
    }


Kind = Literal["jackknife", "wilson", "sequence", "simultaneous", "woodruff", "none"]


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; None where it cannot be computed.

    ``kind`` names the interval's method and is ``"none"`` when there is no interval.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    kind: Kind = "none"
    se: float | None = None


@dataclass(frozen=True)
class Player:
    """One seat's figures, or, under rotation, one strategy's over all its seats.

    With several ``copies`` of a strategy at the table, ``win_share``, ``mean_score`` and
    ``sd_score`` are those of one copy, ``outright_wins`` counts all of them.
    """

    seat: int | None
    strategy: str
    win_share: Estimate
    outright_wins: int
    mean_score: Estimate
    sd_score: float | None
    copies: int = 1


WinVerdict = Literal["too-few", "nobody-wins", "level", "too-close", "ranked"]
"""Who wins most: too few games to say, nobody at all, no seat shown to differ where all play alike,
one of two that are too close to call, or whoever is shown to be ahead of the next."""


@dataclass(frozen=True)
class Summary:
    """The figures of one run that every game has.

    ``seats`` has a player a seat (``strategy`` is ``"rotated"`` under rotation), ``strategies`` is
    filled only under rotation. ``scores`` has columns seat, score, games. ``history`` has columns
    games, seat, win_share, low, high.
    """

    game: str
    players: int
    games: int
    seed: int
    unfinished: int
    precision_reached: bool | None
    interval_kind: str
    rules: Mapping[str, Any]
    lineup: tuple[str, ...]
    seats: tuple[Player, ...]
    strategies: tuple[Player, ...]
    metrics: Mapping[str, Estimate]
    scores: Columns
    history: Columns
    seconds: float
    rotated: bool
    note: str
    """One sentence on confounding of seat and strategy, or empty."""
    answer: str
    """One plain sentence that answers the question of `simulate`."""
    verdict: WinVerdict
    """What that sentence says, for reports; no part of the documents."""
    going_first: str = ""
    """The verdict on going first where that is what equal players differ by, likewise."""
    places: Columns | None = None
    """Under rotation a row for each strategy in each seat: strategy, seat, win_share, low, high."""
    figures: Figures = field(default_factory=dict)
    """What only this game has, by the names that it has in documents."""
    aside: Figures = field(default_factory=dict)
    """The same, but only for tables and the page: no document has it."""
    parts: Mapping[str, int | float] = field(default_factory=dict)
    """What the games consist of, if not only of themselves: such as the deals of matches."""
    games_needed: int | None = None
    """About how many games reach the precision asked for; None unless they ended before."""
    part: str = "game"
    """What the game's own figures are of: mostly the game, or such as ``"deal"``."""
    whole: str = "game"
    """What is won and counted in ``games``: mostly the game, or such as ``"match"``."""
    shape: Shape | None = None
    """How games go, if they were written down one by one."""

    @property
    def equal_share(self) -> float:
        """What each player would win if all won alike: less than 1/P if games have no winner."""
        return (1 - self.unfinished / self.games) / self.players


@dataclass(frozen=True)
class SeatsTest:
    """One omnibus test over all seats, then what each differs by, then who goes first.

    ``advantages`` has, a seat, its win share minus the equal share of the games that somebody has
    won, with simultaneous intervals.
    ``confounded`` says that seats differ in strategy too, so that the test is not about seats.
    ``exchangeable`` says that seats are alike by the rules and all play alike: there is nothing to
    test, and no p-value.
    """

    p_value: float | None
    first_player_advantage: Estimate
    advantages: tuple[Estimate, ...] = ()
    confounded: bool = False
    exchangeable: bool = False


@dataclass(frozen=True)
class FieldFairness:
    """The answer for one more table of strategies; ``figures`` as in `Fairness`."""

    field: str
    summary: Summary
    seats_test: SeatsTest
    verdict: str
    answer: str
    figures: Figures = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Fairness:
    """Everything `analyzer fairness` says.

    ``figures`` are what only this game is asked, by the names that they have in documents. With
    ``fields`` the verdict and the answer are about all tables of strategies; ``own`` has what they
    are for the first one alone, if that is something else.
    """

    summary: Summary
    seats_test: SeatsTest
    fields: tuple[FieldFairness, ...]
    verdict: str
    answer: str
    figures: Figures = dataclasses.field(default_factory=dict)
    own: tuple[str, str] | None = None
    strengths: Mapping[str, Estimate] = dataclasses.field(default_factory=dict)
    """Where ways of playing are judged: what each wins in mixed tables of all of them."""

    @property
    def tables(self) -> tuple[FieldFairness, ...]:
        """All tables of strategies, the first one too, each with its own verdict and answer."""
        verdict, answer = self.own or (self.verdict, self.answer)
        main = FieldFairness(
            "+".join(self.summary.lineup),
            self.summary,
            self.seats_test,
            verdict,
            answer,
            self.figures,
        )
        return (main, *self.fields)
