"""A game at several values of something, on the same chance: how its figures change, which is best.

Every point is a run of the same game numbers, so differences between points are taken block by
block (`analyzer.statistics.best`). Of many values the one that looks best looks better than it is;
so it is played again on fresh games, and the answer has that estimate (B. L. Nelson and F. J.
Matejcik 1995, Management Science 41:1935).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from analyzer.statistics import wording
from analyzer.statistics.best import Goal, Standing
from analyzer.statistics.by_block import Figure
from analyzer.statistics.figures import Document, Rows, spelled
from analyzer.statistics.intervals import Floats, estimate, quantile, standard_error
from analyzer.statistics.tables import Columns, Estimate

SweepVerdict = Literal["shown", "several", "undecided"]
"""Whether one value is shown to be best, some are not shown to be worse, or none is."""

MOST_TOLD = 4
"""Figures, or values, that a sentence names."""


@dataclass(frozen=True)
class Axis:
    """What is varied.

    Attributes
    ----------
    name
        A setting, ``"players"``, or ``STRATEGY:PARAMETER``.
    values
        In order; numbers rising.
    kind
        ``"rule"``, ``"players"`` or ``"parameter"``.
    numeric
        Whether the values are numbers.
    low, high
        What is allowed at all, if it is a range.
    """

    name: str
    values: tuple[Any, ...]
    kind: str
    numeric: bool
    low: float | None = None
    high: float | None = None

    def said(self, value: Any) -> str:
        """A value in a sentence: ``key = 11``."""
        return f"{self.name} = {spell(value)}"


def spell(value: Any) -> str:
    """A value as one types it, a long one cut short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        text = "{" + ", ".join(f"{key} = {spell(item)}" for key, item in value.items()) + "}"
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(spell(item) for item in value) + "]"
    else:
        return f"{value!r}"
    return text if len(text) <= 40 else text[:37] + "..."


@dataclass(frozen=True)
class SweptPoint:
    """One point.

    Attributes
    ----------
    at
        What has which value there.
    strategy
        The spec of the strategy that is varied, or None.
    figures
        By name; intervals of one figure hold at all points together.
    standing
        ``"best"``, ``"candidate"`` (not shown to be worse), ``"worse"``, or empty without a goal
        or a figure.
    """

    at: Mapping[str, Any]
    strategy: str | None
    players: int
    figures: Mapping[str, Estimate]
    standing: Literal["best", "candidate", "worse", ""] = ""


@dataclass(frozen=True)
class Sweep:
    """How figures change over the points.

    Attributes
    ----------
    axes
        One or two.
    metric, goal, target
        Which figure is to be what; None where all are told.
    shares
        Figures that people want as percentages.
    of
        Games that a figure is of, if not all.
    points
        The last axis moves first.
    best
        Number of the point that looks best, or None.
    fresh
        Its figure on fresh games.
    loss_bound
        What the best gives up at most, in the unit of the metric.
    edge
        Names of axes at an end of which the best lies, with what is to be said of it.
    """

    game: str
    axes: tuple[Axis, ...]
    lineup: tuple[str, ...]
    rotate: bool
    games: int
    seed: int
    metric: str | None
    goal: Goal | None
    target: float | None
    shares: frozenset[str]
    of: Mapping[str, int]
    points: tuple[SweptPoint, ...]
    best: int | None
    fresh: Estimate
    loss_bound: float | None
    edge: Mapping[str, str]
    verdict: SweepVerdict | None
    answer: str
    unfinished: int
    whole: str = "game"
    changing: tuple[str, ...] = ()
    """Figures that are shown to change, most clearly first, where all are told."""

    @property
    def candidates(self) -> tuple[int, ...]:
        """Numbers of the points not shown to be worse than the best, that one among them."""
        return tuple(
            number for number, p in enumerate(self.points) if p.standing in ("best", "candidate")
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Figures that every point has, the metric alone if there is one."""
        return tuple(self.points[0].figures) if self.points else ()

    @property
    def recorded(self) -> str:
        """Which figures are of the first games only, in a sentence; empty if none is."""
        some = [name for name in self.names if self.of.get(name, self.games) < self.games]
        if not some:
            return ""
        names = wording.listed([wording.label(name) for name in some])
        verb = "is" if len(some) == 1 else "are"
        games = wording.games(self.of[some[0]], self.whole)
        return f"{names[:1].upper()}{names[1:]} {verb} of the first {games}."

    def range_of(self, axis: Axis) -> str:
        """What an axis was varied over: ``2 to 15``, or its values."""
        if axis.numeric and len(axis.values) > 2:
            return f"{spell(axis.values[0])} to {spell(axis.values[-1])}"
        return ", ".join(spell(value) for value in axis.values)

    def label(self, number: int) -> str:
        """A point in a sentence."""
        return said_at(self.axes, self.points[number].at)

    def document(self) -> Document:
        """As JSON."""
        best: Document | None = None
        if self.best is not None and self.metric is not None:
            point = self.points[self.best]
            best = {
                **_where(point),
                "figures": spelled(self.metric, self.fresh),
                "at_edge": dict(self.edge),
            }
        return {
            "schema": "analyzer/sweep/1",
            "game": self.game,
            "vary": [{"name": axis.name, "values": list(axis.values)} for axis in self.axes],
            "metric": self.metric,
            "goal": self.goal,
            "target": self.target,
            "verdict": self.verdict,
            "answer": self.answer,
            "games": self.games,
            "seed": self.seed,
            "unfinished": self.unfinished,
            "interval_kind": "simultaneous",
            "best": best,
            "candidates": [dict(self.points[number].at) for number in self.candidates],
            "loss_bound": self.loss_bound,
            "points": [
                {
                    **_where(point),
                    "figures": {
                        key: value
                        for name, found in point.figures.items()
                        for key, value in spelled(name, found).items()
                    },
                    "standing": point.standing or None,
                }
                for point in self.points
            ],
        }

    def frames(self) -> dict[str, Rows | Columns]:
        """A row a point."""
        rows = []
        for point in self.points:
            row: dict[str, Any] = {name: _cell(value) for name, value in point.at.items()}
            if self.metric is not None:
                row["standing"] = point.standing
            for name, found in point.figures.items():
                row |= {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
            rows.append(row)
        return {"sweep": rows}


def _where(point: SweptPoint) -> Document:
    found: Document = {"at": dict(point.at), "players": point.players}
    return found if point.strategy is None else {**found, "strategy": point.strategy}


def _cell(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str)) else spell(value)


def said_at(axes: Sequence[Axis], at: Mapping[str, Any]) -> str:
    """A point in a sentence: ``key = 11 and players = 4``."""
    return " and ".join(axis.said(at[axis.name]) for axis in axes)


def point_estimates(figures: Sequence[Figure], name: str) -> tuple[Estimate, ...]:
    """A figure at each point, with intervals that hold at all of them together."""
    return tuple(
        estimate(figure.values, family=len(figures), bounds=bounds_of(figure, name))
        for figure in figures
    )


def bounds_of(figure: Figure, name: str) -> tuple[float, float]:
    """The range that a figure keeps to."""
    share = figure.share and "advantage" not in name
    return (0.0, 1.0) if share else (-math.inf, math.inf)


def verdict_of(standing: Standing, many: int) -> SweepVerdict:
    """How many are left, in a word."""
    if len(standing.candidates) == 1:
        return "shown"
    return "undecided" if len(standing.candidates) == many else "several"


def edges(axes: Sequence[Axis], at: Mapping[str, Any]) -> dict[str, str]:
    """At which ends of what was tried a point lies, and what to say of it."""
    found = {}
    for axis in axes:
        value = at[axis.name]
        ends = {"lowest": (axis.values[0], axis.low), "highest": (axis.values[-1], axis.high)}
        for end, (tried, allowed) in ends.items():
            if axis.numeric and value == tried:
                found[axis.name] = end if allowed is None or tried != allowed else f"{end} allowed"
    return found


# --- sentences -----------------------------------------------------------------------------------


def said_with_interval(found: Estimate, share: bool) -> str:
    """A figure and its interval in a sentence."""
    figure, interval = said_apart(found, share)
    return f"{figure} ({interval})" if interval else figure


def said_apart(found: Estimate, share: bool) -> tuple[str, str]:
    """A figure, and its interval or nothing, to where the interval begins to speak.

    More than two digits where it takes them: a figure is set against a target.
    """
    if share:
        figure, _, interval = wording.percent_between(found).partition(" (")
        return figure, interval.removesuffix(")")
    if found.value is None or found.low is None or found.high is None:
        return wording.number(found), ""
    half = (found.high - found.low) / 2
    places = max(0, math.ceil(-math.log10(half / 2) - 1e-9)) if half > 0 else 2
    value, low, high = (f"{x:.{places}f}" for x in (found.value, found.low, found.high))
    return value, f"between {low} and {high}"


def said_target(target: float, share: bool) -> str:
    """A target as one would say it."""
    return f"{100 * target:g}%" if share else f"{target:g}"


def answer_of(
    axes: Sequence[Axis],
    points: Sequence[SweptPoint],
    standing: Standing,
    fresh: Estimate,
    metric: str,
    goal: Goal,
    target: float | None,
    share: bool,
    edge: Mapping[str, str],
) -> str:
    """What is best, how surely, and what else might be."""
    what = wording.label(metric)
    at = said_at(axes, points[standing.best].at)
    figure = said_with_interval(fresh, share)
    alone = len(standing.candidates) == 1
    if goal == "target":
        verb = "brings" if alone else "brought"
        told = f"{at} {verb} {what} nearest to {said_target(target or 0.0, share)}"
    else:
        told = f"{at} {'gives' if alone else 'gave'} the {goal} {what}"
    text = f"Of the values tried, {told}: {figure} on fresh games."
    text += f" {_others(axes, points, standing)}"
    at_best = points[standing.best].at
    for name, end in edge.items():
        if end.endswith("allowed"):
            text += f" {spell(at_best[name])} is the {end} {name}."
        else:
            beyond = "lower" if end == "lowest" else "higher"
            text += f" {spell(at_best[name])} is the {end} {name} tried; a {beyond} one "
            text += "may be better still."
    return text


def _others(axes: Sequence[Axis], points: Sequence[SweptPoint], standing: Standing) -> str:
    """Which others are not shown to be worse."""
    others = [number for number in standing.candidates if number != standing.best]
    if not others:
        return "Every other is shown to be worse."
    if len(others) == len(points) - 1:
        return (
            "None of the others is shown to be worse."
            if len(others) > 1
            else "The other one is not shown to be worse."
        )
    if len(axes) == 1:
        values = [spell(points[number].at[axes[0].name]) for number in others]
        if len(values) > MOST_TOLD:
            told = f"{len(values)} of the others, {values[0]} to {values[-1]},"
            if not axes[0].numeric:
                told = f"{len(values)} of the others"
            return f"{told} are not shown to be worse."
        verb = "is" if len(values) == 1 else "are"
        return f"{wording.listed(values)} {verb} not shown to be worse."
    if len(others) > MOST_TOLD:
        return f"{len(others)} of the others are not shown to be worse."
    told = "; ".join(said_at(axes, points[number].at) for number in others)
    verb = "is" if len(others) == 1 else "are"
    return f"{told} {verb} not shown to be worse."


def all_told(
    axes: Sequence[Axis],
    points: Sequence[SweptPoint],
    figures: Mapping[str, Sequence[Figure]],
) -> tuple[str, tuple[str, ...]]:
    """Which figures are shown to change over the points, most clearly first, and a sentence.

    A figure's lowest point is set against its highest; all such differences of all figures hold
    together.
    """
    pairs = len(points) * (len(points) - 1) // 2
    family = max(1, pairs * len(figures))
    shown: list[tuple[float, str, int, int]] = []
    for name, found in figures.items():
        values = np.array([figure.values[0] for figure in found])
        if not np.isfinite(values).all():
            continue
        low, high = int(values.argmin()), int(values.argmax())
        gap = found[high].values - found[low].values
        error = float(standard_error(gap))
        if len(gap) > 2 and np.isfinite(error) and gap[0] > quantile(len(gap) - 1, family) * error:
            shown.append((-gap[0] / error if error > 0 else -math.inf, name, low, high))
    shown.sort()
    names = tuple(name for _, name, _, _ in shown)
    what = " and ".join(axis.name for axis in axes)
    if not shown:
        return f"No figure is shown to change with {what}.", ()
    told = []
    for _, name, low, high in shown[:MOST_TOLD]:
        least, most = (
            _said(points[number].figures[name], figures[name][number].share)
            for number in (low, high)
        )
        told.append(
            f"{wording.label(name)} from {least} ({said_at(axes, points[low].at)}) to {most} "
            f"({said_at(axes, points[high].at)})"
        )
    more = len(shown) - len(told)
    rest = f", and {more} more figure{'s' if more > 1 else ''}" if more else ""
    return f"With {what} these figures change: {'; '.join(told)}{rest}.", names


def _said(found: Estimate, share: bool) -> str:
    return wording.percent(found) if share else wording.number(found)


def stacked(figures: Sequence[Figure]) -> Floats:
    """(1 + B, K) the values of a figure at all points."""
    return np.stack([figure.values for figure in figures], axis=1)
