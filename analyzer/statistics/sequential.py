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
from typing import Any

import numpy as np
from scipy import special

from analyzer.contracts import WHOLE_WIN
from analyzer.results import Checkpoint
from analyzer.statistics.intervals import ALPHA
from analyzer.statistics.tables import Estimate

FIRST_LOOK = 1024
"""Games before the first checkpoint, where nobody changes seats."""

_GROWTH = 20
"""A checkpoint is about 1/20 further on than the one before it."""

_STIRLING_FROM = 1e4


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


class WinShareSequence:
    """Stops a run when every 95% half-width of win share is at most ``precision``.

    It watches what is reported: seats or, where strategies change seats, strategies. It looks at
    game counts fixed in advance, about 5% apart. The prediction for the games up to a checkpoint is
    the mean at the one before it (at first the equal share), so that the sums at the checkpoints
    suffice. With 95% probability the intervals of all of them at all checkpoints hold together:
    each errs with probability 0.05 / (how many there are) at most. Two share one error, since one's
    win is the other's loss (where games can end unfinished, which counts as a win for neither, this
    is exact only if none does).

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
        self.step = step
        self.alpha = ALPHA if len(copies) == 2 else ALPHA / len(copies)
        self.equal = tuple(Fraction(many, sum(copies)) for many in copies)
        self.rho = tuple(
            tuning(precision * many, float(equal * (1 - equal)), self.alpha)
            for many, equal in zip(self.copies, self.equal, strict=True)
        )
        self._games = 0
        self._wins = (0,) * len(copies)
        self._wins_sq = (0,) * len(copies)
        self._squares = (0.0,) * len(copies)

    @property
    def reached(self) -> bool:
        """Whether the precision is reached at the last checkpoint seen."""
        if self._games == 0:
            return False
        widths = self._half_widths(self._games, self._squares)
        return max(widths) <= self.precision

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
        """Take in the next checkpoint; True when the precision is reached.

        Raises
        ------
        ValueError
            If the checkpoint does not come after the one before it, or watches others.
        """
        self._squares = self._squares_at(point)
        self._games, self._wins, self._wins_sq = point.games, point.wins, point.wins_sq
        return self.reached

    def replay(self, points: Sequence[Checkpoint]) -> WinShareSequence:
        """Take in the checkpoints of a saved run, from the first; returns itself."""
        for point in points:
            self.observe(point)
        return self

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
        if latest is None or latest.games == self._games:
            games, wins, squares = self._games, self._wins, self._squares
        else:
            games, wins, squares = latest.games, latest.wins, self._squares_at(latest)
        if games == 0:
            return (Estimate(None),) * len(self.copies)
        found = []
        halves = self._half_widths(games, squares)
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
            return max(self._half_widths(games, squares)) <= self.precision

        low, high = 0, self._games
        while not reached(high):
            low, high = high, 2 * high
        while high - low > max(high // 1000, 1):
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return high

    def _half_widths(self, games: int, squares: tuple[float, ...]) -> list[float]:
        """Of one copy of each."""
        return [
            boundary(v, rho, 1.0, self.alpha) / games / many
            for v, rho, many in zip(squares, self.rho, self.copies, strict=True)
        ]

    def _squares_at(self, point: Checkpoint) -> tuple[float, ...]:
        """V of each one watched at a later checkpoint.

        V grows by ``sum X^2 - 2 m sum X + N m^2`` over the N games since, m the mean so far; each
        step in exact fractions, since fewer digits are left than went in.
        """
        watched = len(self.copies)
        if len(point.wins) != watched or len(point.wins_sq) != watched:
            raise ValueError(f"a checkpoint of {len(point.wins)} players, not {watched}.")
        if point.games <= self._games:
            raise ValueError(f"checkpoint {point.games} does not come after {self._games}.")
        more = point.games - self._games
        grown = []
        for one in range(watched):
            mean = (
                Fraction(self._wins[one], WHOLE_WIN * self._games)
                if self._games
                else self.equal[one]
            )
            won = Fraction(point.wins[one] - self._wins[one], WHOLE_WIN)
            won_sq = Fraction(point.wins_sq[one] - self._wins_sq[one], WHOLE_WIN**2)
            step = won_sq - 2 * mean * won + more * mean**2
            grown.append(self._squares[one] + float(step))
        return tuple(grown)
