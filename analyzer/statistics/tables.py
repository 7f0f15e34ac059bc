"""What the statistics say, as named and frozen values. Reports and JSON are drawn from these."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CardWorth",
    "Columns",
    "CountRow",
    "Estimate",
    "ExactFigure",
    "Fairness",
    "FieldFairness",
    "Figures",
    "Greed",
    "Lifesavers",
    "Measures",
    "Player",
    "Rival",
    "Rotation",
    "SeatsTest",
    "Suggestion",
    "Summary",
    "WinVerdict",
    "columns",
]

Columns = Mapping[str, NDArray[np.generic]]
"""A table as columns of one length, which takes no pandas to make: ``pd.DataFrame(columns)``."""


Figures = Mapping[str, Any]
"""Dataclasses by name."""


def columns(rows: Iterable[tuple[Any, ...]], kinds: Mapping[str, type]) -> Columns:
    """A table given row by row, at least one; None stands for NaN."""
    return {
        name: np.array(cells, kind)
        for (name, kind), cells in zip(kinds.items(), zip(*rows, strict=True), strict=True)
    }


Kind = Literal["jackknife", "wilson", "sequence", "simultaneous", "none"]


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


@dataclass(frozen=True)
class ExactFigure:
    """A simulated figure beside its exact value; ``z`` is the difference in standard errors."""

    figure: str
    exact: float
    estimate: float
    z: float


@dataclass(frozen=True)
class Rival:
    """What one player of a table wins with another policy, everybody else playing as before.

    ``change`` is the difference from the player's own win share on the same chance. ``own`` marks
    the policy that the player has; its change is exactly 0.
    """

    family: str
    policy: str
    win_share: Estimate
    change: Estimate
    own: bool


@dataclass(frozen=True)
class Greed:
    """How games of Switch 16 go, and whether greed pays; figures as in the statistics page.

    ``turns`` has a row a turn: turn, won (share of deals won in it), decided (by the end of it),
    ahead (share of the deals still going on when it begins in which one deck alone is ahead), and
    ahead_wins, low, high (how often whoever has that deck then wins). ``busts`` has columns busts,
    players, win_share, low, high. NaN stands for what cannot be computed.
    """

    strategy: str
    """The player whose policies are varied."""
    others: tuple[str, ...]
    """Whom that player meets."""
    games: int
    rivals: tuple[Rival, ...]
    figures: Mapping[str, Estimate]
    turns: Columns
    busts: Columns
    verdict: Literal["pays", "does-not-pay", "undecided"]
    answer: str
    """One plain sentence; empty if nothing was compared."""


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
    places: Columns | None = None
    """Under rotation a row for each strategy in each seat: strategy, seat, win_share, low, high."""
    exact: tuple[ExactFigure, ...] = ()
    """Checks against an exact solution, where there is one."""
    risks: Columns | None = None
    """Where a game has risks to take: a row for every situation, and what each policy does."""
    greed: Greed | None = None
    """How games go and whether greed pays, in Switch 16."""
    parts: Mapping[str, int | float] = field(default_factory=dict)
    """What the games consist of, if not only of themselves: such as the deals of matches."""

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
    """

    p_value: float | None
    first_player_advantage: Estimate
    advantages: tuple[Estimate, ...] = ()
    confounded: bool = False


@dataclass(frozen=True)
class CountRow:
    """How hands with one number of printed preservers fare."""

    lifesavers: int
    rounds: int
    mean_score: Estimate
    eliminated: float
    bonus: float
    lost: float
    round_win: Estimate


@dataclass(frozen=True)
class CardWorth:
    """What holding one weather card is worth, in points a round."""

    card: int
    printed: float
    """Printed preservers: half-counts / 2."""
    worth: Estimate
    worth_flat: Estimate


@dataclass(frozen=True)
class Rotation:
    """The dealt hand's share of the variance of table-centered scores, before and after passing.

    ``one_round`` within a single round, ``final`` in the final scores (exactly 0 for the additive
    part of hand luck when every player plays every hand).
    """

    one_round: Estimate
    final: Estimate


@dataclass(frozen=True)
class Lifesavers:
    """Whether the life preservers of Turn the Tide are fair; figures as in the statistics page.

    ``history`` has columns games, slope, low, high: the estimate as games accumulate (NaN where
    there is no interval). ``flat_count`` is the N of the ``flat:N`` run behind ``handicap``,
    ``gift``, ``compensation`` and ``worth_flat``; None without one.
    """

    by_count: tuple[CountRow, ...]
    slope: Estimate
    slope_within: Estimate
    handicap: Estimate
    gift: Estimate
    compensation: Estimate
    round_win_gap: Estimate
    gap_counts: tuple[int, int]
    """The counts at the 5th and 95th percentile of hands."""
    hand_share: Estimate
    rotation: Rotation
    cards: tuple[CardWorth, ...]
    verdict: Literal["fair", "over-compensated", "under-compensated", "no-variation", "undecided"]
    history: Columns
    flat_count: int | None = None


@dataclass(frozen=True)
class Measures:
    """The measures a suggestion is judged by."""

    slope: Estimate
    round_win_gap: Estimate
    hand_share: Estimate
    compensation: Estimate


@dataclass(frozen=True)
class Suggestion:
    """A fairer printing: half-counts for cards 1..60, and the same rounded to the five bands."""

    preservers: tuple[int, ...]
    before: Measures
    after: Measures
    bands_preservers: tuple[int, ...]
    bands: Measures
    rounds_tried: int


@dataclass(frozen=True)
class FieldFairness:
    """The answer for one more table of strategies; ``figures`` as in `Fairness`."""

    field: str
    summary: Summary
    seats_test: SeatsTest
    lifesavers: Lifesavers | None
    verdict: str
    answer: str
    figures: Figures = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Fairness:
    """Everything `analyzer fairness` says.

    ``figures`` are what only one game is asked, by the names that they have in documents: frozen
    dataclasses of plain values, estimates, `Columns`, and others of their kind or tuples of them.
    """

    summary: Summary
    seats_test: SeatsTest
    lifesavers: Lifesavers | None
    suggestion: Suggestion | None
    fields: tuple[FieldFairness, ...]
    verdict: str
    answer: str
    figures: Figures = dataclasses.field(default_factory=dict)
