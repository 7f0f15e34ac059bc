"""Intervals that hold at every look, and the rule that stops a run by them.

Looking at an ordinary 95% interval again and again until it is short enough, or shows what one
hoped for, errs far more often than 5%. A confidence sequence does not: with 95% probability it
covers at all times together.

This one is the empirical-Bernstein confidence sequence of Howard, Ramdas, McAuliffe & Sekhon
(2021), "Time-uniform, nonparametric, nonasymptotic confidence sequences", Ann. Stat. 49:1055,
Theorem 4, with the gamma-exponential mixture (Proposition 9) as its boundary. For observations in
a range of width c, with the sum V of squared deviations from predictions made beforehand,

    |mean after t games - truth| < u(V) / t    for all t together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, Self

import numpy as np
from scipy import special

from analyzer.contracts import WHOLE_WIN
from analyzer.experiment import Contrast
from analyzer.results import Checkpoint
from analyzer.statistics import margins
from analyzer.statistics.intervals import ALPHA
from analyzer.statistics.tables import Estimate

FIRST_LOOK = 1024
"""Games before the first checkpoint, where nobody changes seats."""

_GROWTH = 20
"""A checkpoint is about 1/20 further on than the one before it."""

_STIRLING_FROM = 1e4

FINEST = 0.001
"""What a comparison is tuned to where every difference counts."""

StrategyVerdict = Literal["a-better", "b-better", "equivalent", "depends-on-the-field", "undecided"]
"""Which of two strategies wins more in the same seat."""


def log_mixture(s: Any, v: Any, rho: float, width: float) -> Any:
    """Logarithm of the gamma-exponential mixture supermartingale.

    Howard et al. (2021), Proposition 9. With k0 = rho/c^2, k = (v+rho)/c^2, z = (cs+v+rho)/c^2
    and P the regularized lower incomplete gamma function it is

        k0 ln k0 - ln Gamma(k0) - ln P(k0, k0) + ln Gamma(k) + ln P(k, z) - k ln z + z - k0

    whose terms grow with k while the result does not. Here Stirling's leading part is taken out
    of both ln Gamma and cancelled on paper. P does not underflow: z >= k, so P(k, z) > 1/2.

    Parameters
    ----------
    s
        Deviation of the sum, at least 0; scalar or array.
    v
        Sum of squared deviations from the predictions, at least 0; scalar or array.
    rho
        Tuning, positive: see `tuning`.
    width
        Width c of the observations' range, positive.
    """
    k0 = rho / width**2
    k = (np.asarray(v, dtype=np.float64) + rho) / width**2
    excess = width * np.asarray(s, dtype=np.float64) / (width**2 * k)
    return (
        _stirling_rest(k)
        - _stirling_rest(np.float64(k0))
        + np.log(special.gammainc(k, k * (1 + excess)))
        - np.log(special.gammainc(k0, k0))
        + k * (excess - np.log1p(excess))
    )


def _stirling_rest(k: Any) -> Any:
    """``ln Gamma(k) - (k ln k - k)``, by its series where the difference would cancel."""
    series = 0.5 * np.log(2 * np.pi / k) + 1 / (12 * k) - 1 / (360 * k**3)
    plain = special.gammaln(k) - special.xlogy(k, k) + k
    return np.where(k >= _STIRLING_FROM, series, plain)


def boundary(v: float, rho: float, width: float, alpha: float) -> float:
    """Deviation u(v) of the sum that is crossed, in either direction, with probability alpha.

    The s >= 0 at which `log_mixture` reaches ln(2/alpha): each direction has half of alpha.

    Parameters
    ----------
    v
        Sum of squared deviations from the predictions, at least 0.
    rho, width
        As in `log_mixture`.
    alpha
        In (0, 1).
    """
    from scipy import optimize

    level = math.log(2 / alpha)

    def short(s: float) -> float:
        return float(log_mixture(s, v, rho, width)) - level

    high = math.sqrt(2 * (v + rho) * level)
    while short(high) < 0:
        high *= 2
    return float(optimize.brentq(short, 0.0, high, xtol=1e-12 * high, rtol=1e-13))


def tuning(precision: float, variance: float, alpha: float) -> float:
    """The rho that makes the sequence shortest about when its half-width reaches ``precision``.

    Howard et al. (2021), section 3.5: rho = V / (2 ln(1/alpha) + ln(1 + 2 ln(1/alpha))) at the V
    to be optimal for. That V follows from the precision: with L the denominator, the boundary is
    there about kappa sqrt(V), kappa^2 = (1 + 1/L)(ln(1 + L) + 2 ln(1/alpha)) (the two-sided normal
    mixture), and after t games V = variance t and u(V) = precision t.

    Parameters
    ----------
    precision
        Half-width at which the run will stop, positive.
    variance
        Guess at the variance of one observation, made before seeing any.
    alpha
        In (0, 1), both directions together.
    """
    depth = 2 * math.log(1 / alpha)
    scale = depth + math.log1p(depth)
    kappa_squared = (1 + 1 / scale) * (math.log1p(scale) + depth)
    optimal = kappa_squared * (variance / precision) ** 2
    return optimal / scale


class MeanSequence:
    """Intervals of several means that hold together at every checkpoint.

    The prediction for the games up to a checkpoint is the mean at the one before it, so that the
    sums at the checkpoints suffice. With 95% probability the intervals of all means at all
    checkpoints hold together.

    Parameters
    ----------
    units
        By what each sum of a checkpoint is divided to give a sum of observations.
    first
        The predictions before the first game.
    width
        Width of the range that one observation lies in.
    rho
        Of each mean: see `tuning`.
    alpha
        With which probability each mean may leave its interval ever, in (0, 1).
    step
        Games before the first checkpoint; all checkpoints but the last are multiples of it.
    """

    def __init__(
        self,
        units: Sequence[int],
        first: Sequence[Fraction],
        *,
        width: float,
        rho: Sequence[float],
        alpha: float,
        step: int = FIRST_LOOK,
    ) -> None:
        self.units = tuple(units)
        self.first = tuple(first)
        self.width = width
        self.rho = tuple(rho)
        self.alpha = alpha
        self.step = step
        self._games = 0
        self._wins = (0,) * len(units)
        self._wins_sq = (0,) * len(units)
        self._squares = (0.0,) * len(units)

    @property
    def reached(self) -> bool:
        """Whether enough is known at the last checkpoint seen."""
        return False

    def checkpoints(self, games: int) -> tuple[int, ...]:
        """Game counts at which to look, fixed in advance.

        Parameters
        ----------
        games
            The most games that will be played, at least 1.

        Returns
        -------
        tuple of int
            Rising multiples of ``step``, about 5% apart, then ``games`` itself.
        """
        looks = []
        look = self.step
        while look < games:
            looks.append(look)
            further = look + look // _GROWTH
            look = max(look + self.step, further // self.step * self.step)
        return (*looks, games)

    def observe(self, point: Checkpoint) -> bool:
        """Take in the next checkpoint; True when enough is known.

        Raises
        ------
        ValueError
            If the checkpoint does not come after the one before it, or watches others.
        """
        self._squares = self._squares_at(point)
        self._games, self._wins, self._wins_sq = point.games, point.wins, point.wins_sq
        return self.reached

    def replay(self, points: Sequence[Checkpoint]) -> Self:
        """Take in the checkpoints of a saved run, from the first; returns itself."""
        for point in points:
            self.observe(point)
        return self

    def _at(self, latest: Checkpoint | None) -> tuple[int, tuple[int, ...], tuple[float, ...]]:
        """Games, sums and V at the last checkpoint, or at a later end of the run."""
        if latest is None or latest.games == self._games:
            return self._games, self._wins, self._squares
        return latest.games, latest.wins, self._squares_at(latest)

    def _half_widths(self, games: int, squares: tuple[float, ...]) -> list[float]:
        return [
            boundary(v, rho, self.width, self.alpha) / games
            for v, rho in zip(squares, self.rho, strict=True)
        ]

    def _squares_at(self, point: Checkpoint) -> tuple[float, ...]:
        """V of each mean watched at a later checkpoint.

        V grows by ``sum X^2 - 2 m sum X + N m^2`` over the N games since, m the mean so far; each
        step in exact fractions, since fewer digits are left than went in.
        """
        watched = len(self.units)
        if len(point.wins) != watched or len(point.wins_sq) != watched:
            raise ValueError(f"a checkpoint of {len(point.wins)} means, not {watched}.")
        if point.games <= self._games:
            raise ValueError(f"checkpoint {point.games} does not come after {self._games}.")
        more = point.games - self._games
        grown = []
        for one, unit in enumerate(self.units):
            mean = Fraction(self._wins[one], unit * self._games) if self._games else self.first[one]
            won = Fraction(point.wins[one] - self._wins[one], unit)
            won_sq = Fraction(point.wins_sq[one] - self._wins_sq[one], unit**2)
            step = won_sq - 2 * mean * won + more * mean**2
            grown.append(self._squares[one] + float(step))
        return tuple(grown)


class WinShareSequence(MeanSequence):
    """Stops a run when every 95% half-width of win share is at most ``precision``.

    It watches what is reported: seats or, where strategies change seats, strategies. It looks at
    game counts fixed in advance, about 5% apart; the first prediction is the equal share. Each
    interval errs with probability 0.05 / (how many there are) at most. Two share one error, since
    one's win is the other's loss (where games can end unfinished, which counts as a win for
    neither, this is exact only if none does).

    Parameters
    ----------
    copies
        How many of the players each one watched stands for: ones for seats. Their win shares in a
        game are added up, and lie in [0, 1] together.
    precision
        Half-width of the win share of one copy at which to stop, in (0, 1).
    step
        Games before the first checkpoint; all checkpoints but the last are multiples of it.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    def __init__(self, copies: Sequence[int], precision: float, step: int = FIRST_LOOK) -> None:
        if len(copies) < 2:
            raise ValueError(f"there must be at least 2 to compare; given {len(copies)}.")
        if not 0 < precision < 1:
            raise ValueError(f"precision must lie between 0 and 1; given {precision}.")
        self.copies = tuple(copies)
        self.precision = precision
        alpha = ALPHA if len(copies) == 2 else ALPHA / len(copies)
        self.equal = tuple(Fraction(many, sum(copies)) for many in copies)
        super().__init__(
            (WHOLE_WIN,) * len(copies),
            self.equal,
            width=1.0,
            rho=[
                tuning(precision * many, float(equal * (1 - equal)), alpha)
                for many, equal in zip(self.copies, self.equal, strict=True)
            ],
            alpha=alpha,
            step=step,
        )

    @property
    def reached(self) -> bool:
        """Whether the precision is reached at the last checkpoint seen."""
        if self._games == 0:
            return False
        widths = self._of_one(self._half_widths(self._games, self._squares))
        return max(widths) <= self.precision

    def intervals(self, latest: Checkpoint | None = None) -> tuple[Estimate, ...]:
        """The win share of one copy of each, with its interval.

        Parameters
        ----------
        latest
            Totals at the end of a run that was interrupted after the last checkpoint; the
            sequence covers there too. By default the last checkpoint.

        Returns
        -------
        tuple of Estimate
            Of kind ``"sequence"``; null before the first game.
        """
        games, wins, squares = self._at(latest)
        if games == 0:
            return (Estimate(None),) * len(self.copies)
        found = []
        halves = self._of_one(self._half_widths(games, squares))
        for won, many, half in zip(wins, self.copies, halves, strict=True):
            share = won / (WHOLE_WIN * games * many)
            found.append(
                Estimate(share, max(0.0, share - half), min(1.0, share + half), "sequence")
            )
        return tuple(found)

    def games_needed(self) -> int | None:
        """About how many games reach the precision, if they vary like those seen so far.

        The least number at which the half-widths, with V growing by what it has grown a game, are
        all within the precision; None before the first checkpoint.
        """
        if self._games == 0:
            return None

        def reached(games: int) -> bool:
            squares = tuple(games / self._games * v for v in self._squares)
            return max(self._of_one(self._half_widths(games, squares))) <= self.precision

        low, high = 0, self._games
        while not reached(high):
            low, high = high, 2 * high
        while high - low > max(high // 1000, 1):
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return high

    def _of_one(self, widths: Sequence[float]) -> list[float]:
        """Of one copy of each."""
        return [half / many for half, many in zip(widths, self.copies, strict=True)]


class DifferenceSequence(MeanSequence):
    """Stops a comparison of two strategies as soon as it is decided.

    It watches paired differences of win shares, which lie in [-1, 1]: the mean over all fields, the
    difference in each, and the shares of A and B, less an equal one, in each field where both play.
    The first prediction is 0, and the error is shared by all of them, so that all hold together
    however often one looks; with a single field the mean is the field's own.

    Parameters
    ----------
    contrast
        What is played.
    margin
        What counts as no difference, at least 0.
    precision
        Half-width of the difference at which to stop, in (0, 1); without one the run stops when
        the verdict is not undecided.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    def __init__(self, contrast: Contrast, margin: float, precision: float | None = None) -> None:
        if margin < 0:
            raise ValueError(f"margin must be at least 0; given {margin}.")
        if precision is not None and not 0 < precision < 1:
            raise ValueError(f"precision must lie between 0 and 1; given {precision}.")
        fields, players = len(contrast.opponents), contrast.players
        watched = contrast.watched
        alpha = ALPHA / (watched if watched > 2 else 1)
        # Beforehand: as if the games of a game number were independent and won by an equal share.
        alone = (1 - 1 / players) / players**2
        variances = [2 * alone / fields, *[2 * alone] * (watched - 1)]
        self.contrast = contrast
        self.margin = margin
        self.precision = precision
        whole = WHOLE_WIN * players
        super().__init__(
            [whole * fields, *[whole] * (watched - 1)],
            (Fraction(0),) * watched,
            width=2.0,
            rho=[tuning(precision or margin or FINEST, one, alpha) for one in variances],
            alpha=alpha,
        )

    @property
    def reached(self) -> bool:
        """Whether the last checkpoint decides, or is as precise as was asked for."""
        if self._games == 0:
            return False
        found = self.intervals()
        if self.precision is None:
            return self.verdict(found) != "undecided"
        return _half(found[0]) <= self.precision

    def intervals(self, latest: Checkpoint | None = None) -> tuple[Estimate, ...]:
        """Every mean watched, in order, with its interval; see `WinShareSequence.intervals`."""
        games, sums, squares = self._at(latest)
        if games == 0:
            return (Estimate(None),) * len(self.units)
        found = []
        halves = self._half_widths(games, squares)
        for total, unit, half in zip(sums, self.units, halves, strict=True):
            mean = total / (unit * games)
            found.append(Estimate(mean, max(-1.0, mean - half), min(1.0, mean + half), "sequence"))
        return tuple(found)

    def verdict(self, found: Sequence[Estimate]) -> StrategyVerdict:
        """What intervals as `intervals` gives them say by the margin."""
        fields = found[1 : 1 + len(self.contrast.opponents)]
        sizes = {margins.judge(one, self.margin) for one in fields}
        if {"above", "below"} <= sizes:
            return "depends-on-the-field"
        verdicts: dict[margins.Size, StrategyVerdict] = {
            "above": "a-better",
            "below": "b-better",
            "inside": "equivalent",
            "undecided": "undecided",
        }
        return verdicts[margins.judge(found[0], self.margin)]

    def more_games(self, latest: Checkpoint | None = None) -> int | None:
        """How many more games would decide, in nine of ten runs; see `margins.games_to_decide`.

        Returns
        -------
        int or None
            By the width that the sequence would have then; None where it cannot be said, as where
            the mean is next to the end of the margin.
        """
        games, sums, squares = self._at(latest)
        if games == 0:
            return None
        mean = abs(sums[0] / (self.units[0] * games))
        each = squares[0] / games

        def half(many: int) -> float:
            return boundary(each * many, self.rho[0], self.width, self.alpha) / many

        room = abs(mean - self.margin)
        found = margins.games_to_decide(half, math.sqrt(each / games), room, games)
        return None if found is None else found - games


def _half(found: Estimate) -> float:
    """Half the width of an interval, before it is cut to what is possible."""
    if found.value is None or found.low is None or found.high is None:
        return math.inf
    return max(found.value - found.low, found.high - found.value)
