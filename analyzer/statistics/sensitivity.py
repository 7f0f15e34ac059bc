"""How far figures move when one thing about the rules is varied at a time, on the same chance.

The run with the rules as assumed and every variant play games of the same numbers, so they meet the
same deals, throws and draws, and much of their luck is the same. A change is therefore taken block
by block: with t(-b) a figure without the b-th of the B blocks of games, as assumed, and t'(-b) the
same of the variant,

    change(-b) = t'(-b) - t(-b)
    se^2       = (B - 1) / B * sum over b of (change(-b) - their mean)^2
    interval   = (t' - t) +- q se,   q = Student's quantile at 1 - 0.05 / (2 m), B - 1 df

the delete-a-block jackknife of the paired difference: Shao & Tu (1995), *The Jackknife and
Bootstrap*, section 2.3; why to compare on the same chance: Glasserman & Yao (1992), Management
Science 38:884. m is the number of changes that are told, every figure of every variant, so that all
their intervals hold together with 95% confidence (Bonferroni; Dunn 1961, J. Am. Stat. Assoc. 56:52)
and the largest may be picked among them. Where fewer than 30 blocks differ at all, the normal
approximation has no footing: such a change has no interval, and whether it is shown is left to the
sign test of the blocks that differ, at the level 0.05 / m.

A run that stops at a precision ends by itself, after a number of games of its own. Two runs of
different lengths have no pairs of blocks: their change then gets the interval of independent
errors, se^2 = se(t')^2 + se(t)^2. That leaves out what the games that both have played have in
common. On the same chance figures rise and fall together as a rule, and the interval is too wide;
where they moved against each other it would be too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analyzer.contracts import WHOLE_WIN, Game
from analyzer.experiment import Experiment
from analyzer.results import ResultSet
from analyzer.statistics import wording
from analyzer.statistics.intervals import (
    ALPHA,
    MIN_GAMES,
    Floats,
    Totals,
    difference,
    estimate,
    leave_one_out,
    ratio,
    share_estimate,
)
from analyzer.statistics.seats import by_seat, by_strategy, metric_ratio
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import Estimate, Summary

FIRST = "first_player_win_share"
"""The figure that games with a first player report."""


class Run(NamedTuple):
    """Something played: what it is called, its results, and the rule that watched it, if any.

    ``own`` has further figures by name, (1 + B,) each with its leave-one-out replicates: those that
    the verdict of its game goes by, where they are none that every run has.
    """

    label: str
    result: ResultSet
    sequence: WinShareSequence | None = None
    own: Sequence[tuple[str, Floats]] = ()


@dataclass(frozen=True)
class Change:
    """By how much a figure differs from the one as assumed.

    Attributes
    ----------
    estimate
        Variant less usual. Simultaneous over all changes of a comparison. Without an interval
        where fewer than `MIN_GAMES` blocks of games differ at all, and where all differ by the
        same.
    shown
        Whether it is more than chance: the interval lies to one side of 0. Where there is none in
        at least `MIN_GAMES` blocks, the sign test decides at the same level.
    paired
        Whether it was taken block by block.
    """

    estimate: Estimate
    shown: bool
    paired: bool


@dataclass(frozen=True)
class Varied:
    """The figures of one run, by name, and how they differ from those as assumed.

    ``precise`` says whether a precision that was asked for was reached in its games; ``changes``
    has the figures that both runs have, and none for the run as assumed.
    """

    label: str
    games: int
    precise: bool | None
    figures: Mapping[str, Estimate]
    changes: Mapping[str, Change]


@dataclass(frozen=True)
class Comparison:
    """The run as assumed, the variants, and what people are told.

    ``headlines`` are the figures for people, the first one for the chart; ``shares`` those of all
    figures that people want as percentages; ``units`` are what the figures
    are of and what is won, as in `analyzer.statistics.tables.Summary`. ``clear`` are the figures
    that one variant is shown to move further than each of the others, ``decisive`` those that the
    verdict goes by.
    """

    usual: Varied
    variants: tuple[Varied, ...]
    headlines: tuple[str, ...]
    shares: frozenset[str]
    units: tuple[str, str]
    clear: frozenset[str] = frozenset()
    decisive: tuple[str, ...] = ()

    def moved(self, label: str) -> bool:
        """Whether a variant is shown to change a figure that the verdict goes by."""
        return any(
            name in varied.changes and varied.changes[name].shown
            for varied in self.variants
            if varied.label == label
            for name in self.decisive
        )

    def named(self, name: str) -> str:
        """A figure's name for people."""
        return wording.label(name, self.units[0])

    def most(self, name: str) -> Varied | None:
        """The variant that moves a figure most, among those that are shown to move it."""
        shown = [v for v in self.variants if name in v.changes and v.changes[name].shown]
        return max(shown, key=lambda v: abs(v.changes[name].estimate.value or 0.0), default=None)

    def verdict(self, name: str) -> str:
        """One sentence: which variant moves a figure most, if any is shown to move it at all."""
        main, what = self.usual.figures[name], self.named(name)
        most = self.most(name)
        if most is None:
            return f"No assumption is shown to matter for the {what}, {self._told(name, main)}."
        change = f"from {self._told(name, main)} to {self._told(name, most.figures[name])}"
        if name in self.clear:
            return f"What moves the {what} most is {most.label}: {change}."
        return f"The largest change of the {what} seen is that by {most.label}: {change}."

    @property
    def answer(self) -> str:
        """A sentence a headline, with how surely the change is known."""
        sentences = []
        for name in self.headlines:
            sentence, most = self.verdict(name), self.most(name)
            found = None if most is None else most.changes[name].estimate
            if found is not None and found.low is not None and found.high is not None:
                between = self._between(name, found.low, found.high)
                sentence = f"{sentence.removesuffix('.')}, a change between {between}."
            sentences.append(sentence)
        return " ".join(sentences)

    def _told(self, name: str, figure: Estimate) -> str:
        """A figure in a sentence, with as many digits as its interval allows: ``25.6%``, ``24``."""
        return wording.percent(figure) if name in self.shares else wording.number(figure)

    def said(self, name: str, figure: Estimate) -> str:
        """A figure in a table: ``25.57%``, ``24.300``."""
        if figure.value is None:
            return "unknown"
        return f"{100 * figure.value:.2f}%" if name in self.shares else f"{figure.value:.3f}"

    def said_change(self, name: str, change: Estimate) -> str:
        """A change for people, shares in percentage points: ``-0.41 ±0.12``, ``0``."""
        share = name in self.shares
        scale = 100 if share else 1
        if change.value is None:
            return "unknown"
        if change.value == 0 and change.low is None:
            return "0"
        if change.low is None or change.high is None:
            return f"{scale * change.value:+.{2 if share else 3}f}"
        places = wording.decimals(change.value, change.low, change.high, percent=share) + 1
        half = scale * (change.high - change.low) / 2
        return f"{scale * change.value:+.{places}f} ±{half:.{places}f}"

    def _between(self, name: str, low: float, high: float) -> str:
        share = name in self.shares
        places = wording.decimals(max(low, high, key=abs), low, high, percent=share)
        scale, unit = (100, " percentage points") if share else (1, "")
        return f"{scale * low:+.{places}f} and {scale * high:+.{places}f}{unit}"


def compare(usual: Run, variants: Sequence[Run], game: Game) -> Comparison:
    """Every figure of every run, and by how much those of the variants differ.

    Parameters
    ----------
    usual
        The run as assumed.
    variants
        Runs of the same table with the same seed, one thing about the rules varied in each.
    game
        Their game, for its figures.

    Raises
    ------
    ValueError
        If a run has no games, or a variant has other seats or another seed.
    """
    experiment = usual.result.experiment
    for run in variants:
        other = run.result.experiment
        if _chance(other) != _chance(experiment):
            raise ValueError(f"{run.label!r} was not played by as many on the same chance.")
    summaries = [summarize(run.result, game, run.sequence) for run in (usual, *variants)]
    main, *others = (
        _own(run) | _figures(run.result, summary, game)
        for run, summary in zip((usual, *variants), summaries, strict=True)
    )
    family = max(1, sum(len(main.keys() & figures.keys()) for figures in others))
    changes: list[Mapping[str, Change]] = [{}]
    for run, figures in zip(variants, others, strict=True):
        paired = run.result.games == usual.result.games
        changes.append(
            {
                name: _change(figure, main[name], paired=paired, family=family)
                for name, figure in figures.items()
                if name in main
            }
        )
    found = [
        Varied(
            run.label,
            summary.games,
            summary.precision_reached,
            {name: estimate(values) for name, values in run.own} | _estimates(summary, figures),
            changed,
        )
        for run, summary, figures, changed in zip(
            (usual, *variants), summaries, (main, *others), changes, strict=True
        )
    ]
    own = tuple(name for name, _ in usual.own if found[0].figures[name].value is not None)
    means = {metric.name for metric in game.metrics if metric.kind == "mean"}
    shares = frozenset(found[0].figures.keys() - means - {name for name, _ in usual.own})
    headlines = (*own, *_headlines(found[0], experiment, game))[:2]
    wins = (FIRST,) if FIRST in found[0].figures else tuple(_names(summaries[0]))
    units = summaries[0].part, summaries[0].whole
    comparison = Comparison(
        found[0], tuple(found[1:]), headlines, shares, units, decisive=own or wins
    )
    clear = frozenset(name for name in main if _is_clear(comparison, name, main, others))
    return replace(comparison, clear=clear)


def _is_clear(
    found: Comparison,
    name: str,
    main: Mapping[str, _Figure],
    others: Sequence[Mapping[str, _Figure]],
) -> bool:
    """Whether the variant that moves a figure most is shown to move it further than each other one.

    With d the change by that one, turned upwards, and e that by another, both d - e and d + e must
    be shown to be above 0: |d| > |e| whichever way e goes. Any of the variants might have been the
    one, so that all ordered pairs count among the comparisons (Bonferroni).
    """
    most = found.most(name)
    if most is None:
        return False
    at = found.variants.index(most)
    rivals = [i for i in range(len(others)) if i != at and name in others[i]]
    if not all(found.variants[i].changes[name].paired for i in (at, *rivals)):
        return False
    usual = main[name].values
    far = others[at][name].values - usual
    far = far * np.sign(far[0])
    family = 2 * len(rivals) * (len(rivals) + 1)
    for i in rivals:
        change = others[i][name].values - usual
        for gap in (far - change, far + change):
            lead = estimate(gap, family=family)
            # Where all blocks differ by the same there is no interval, and no doubt.
            if (lead.low if lead.low is not None else float(gap[0])) <= 0:
                return False
    return True


def _chance(experiment: Experiment) -> tuple[object, ...]:
    """What two runs must have in common to be on the same chance."""
    return experiment.game, experiment.players, experiment.seed, experiment.rotate


# --- figures -------------------------------------------------------------------------------------


class _Figure(NamedTuple):
    """A figure (1 + B,) with its leave-one-out replicates, and (B,) what each block alone says.

    The latter in any unit: only its order counts. ``bounds`` are those of a change of the figure.
    """

    values: Floats
    blocks: Floats
    bounds: tuple[float, float] = (-math.inf, math.inf)


def _estimates(summary: Summary, figures: Mapping[str, _Figure]) -> dict[str, Estimate]:
    """Who wins how often, then the game's own figures."""
    players = summary.strategies or summary.seats
    own = {p.strategy: p for p in players} if len(set(summary.lineup)) > 1 else {}
    shares: dict[str, Estimate] = {}
    for name, player in zip(_names(summary), own.values() or players, strict=True):
        values = figures[name].values
        pooled = not summary.strategies and summary.lineup.count(player.strategy) > 1 and own
        share = share_estimate(values, float(values[0]) * summary.games, summary.games)
        shares[name] = share if pooled else player.win_share
    return shares | dict(summary.metrics)


def _names(summary: Summary) -> list[str]:
    """What the win shares are called: by strategy where they differ, else by seat.

    Copies of a strategy are one player each of the same kind, not strategies to be compared.
    """
    names = list(dict.fromkeys(summary.lineup))
    if summary.strategies or len(names) > 1:
        return [f"win share of {name}" for name in names]
    return [f"win share of seat {player.seat}" for player in summary.seats]


def _own(run: Run) -> dict[str, _Figure]:
    """A run's further figures; what a block alone says is its jackknife pseudo-value."""
    return {
        name: _Figure(values, (len(values) - 1) * values[0] - (len(values) - 2) * values[1:])
        for name, values in run.own
    }


def _figures(result: ResultSet, summary: Summary, game: Game) -> dict[str, _Figure]:
    """Every figure with its replicates, by the names that `_estimates` has."""
    totals = leave_one_out(result.sums)
    figures = {}
    wins, copies = _wins(totals, result.experiment, summary)
    for name, won, many in zip(_names(summary), wins.T, copies, strict=True):
        played = totals["games"][:, 0] * many
        figures[name] = _Figure(ratio(won, played) / WHOLE_WIN, _alone(won, played), (-1.0, 1.0))
    for metric in game.metrics:
        if metric.name in summary.metrics:
            pair = (metric.numerator, metric.denominator)
            alone = _alone(*(totals[part] for part in pair))
            figures[metric.name] = _Figure(metric_ratio(totals, *pair), alone)
    return figures


def _wins(
    totals: Totals, experiment: Experiment, summary: Summary
) -> tuple[NDArray[np.int64], list[int]]:
    """(1 + B, players) wins in 1/60 of whoever the shares are about, and how many copies it has."""
    if summary.strategies:
        of = [experiment.holders.index(player.strategy) for player in summary.strategies]
        return by_strategy(totals, "wins")[:, of], [player.copies for player in summary.strategies]
    seats = by_seat(totals, "wins")
    names = list(dict.fromkeys(summary.lineup))
    if len(names) == 1:
        return seats, [1] * summary.players
    where = [[i for i, spec in enumerate(summary.lineup) if spec == name] for name in names]
    return np.stack([seats[:, of].sum(axis=1) for of in where], axis=1), [len(x) for x in where]


def _alone(numerator: NDArray[np.int64], denominator: NDArray[np.int64]) -> Floats:
    """(B,) the ratio within each block, from totals without it."""
    pooled = (sums.reshape(len(sums), -1).sum(axis=1) for sums in (numerator, denominator))
    return ratio(*(sums[0] - sums[1:] for sums in pooled))


# --- changes -------------------------------------------------------------------------------------


def _change(figure: _Figure, usual: _Figure, *, paired: bool, family: int) -> Change:
    """How a figure differs from the usual one; the head of this module says how it is done."""
    if not paired:
        found = difference(figure.values, usual.values, family=family, bounds=figure.bounds)
        return Change(found, _excludes_0(found), paired)
    found = estimate(figure.values - usual.values, family=family, bounds=figure.bounds)
    gaps = figure.blocks - usual.blocks
    up, down = int((gaps > 0).sum()), int((gaps < 0).sum())
    if up + down < MIN_GAMES:  # hardly any game differs, however many were played
        found = Estimate(found.value)
    if found.low is not None or len(gaps) < MIN_GAMES:
        return Change(found, _excludes_0(found), paired)
    return Change(found, _sign_test(up, down) < ALPHA / family, paired)


def _excludes_0(found: Estimate) -> bool:
    """Whether there is an interval, and 0 is not in it."""
    return found.low is not None and found.high is not None and not found.low <= 0 <= found.high


def _sign_test(up: int, down: int) -> float:
    """How likely so many more ups than downs, or downs than ups, are if both are as likely.

    Dixon & Mood (1946), J. Am. Stat. Assoc. 41:557; with a game a block and shares of a win this is
    McNemar's test (1947, Psychometrika 12:153), exactly.
    """
    return min(1.0, 2 * float(special.bdtr(min(up, down), up + down, 0.5)))


def _headlines(usual: Varied, experiment: Experiment, game: Game) -> tuple[str, ...]:
    """The figures for people: one on which the chart is, and the game's own first one.

    The first strategy's win share if strategies differ, else the beginner's, else the game's first
    figure of its own: seats that play alike win alike under any rules.
    """
    own = [metric.name for metric in game.metrics if metric.name in usual.figures]
    first = next(iter(usual.figures))
    if len(set(experiment.strategies)) == 1:
        first = FIRST if FIRST in own else own[0] if own else first
    return (first, *[name for name in own if name != first][:1])
