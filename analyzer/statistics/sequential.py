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
"""Games before the first checkpoint; all checkpoints but the last are multiples of it."""

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
    """Stops a run when every seat's 95% half-width of win share is at most ``precision``.

    It looks at game counts fixed in advance, about 5% apart. The prediction for the games up to a
    checkpoint is the mean at the one before it (at first the equal share), so that the sums at
    the checkpoints suffice. With 95% probability the intervals of all seats at all checkpoints
    hold together: each seat errs with probability 0.05 / players at most. Two seats share one
    error, since one's win is the other's loss (where games can end unfinished, which counts as a
    win for neither, this is exact only if none does).

    Parameters
    ----------
    players
        Number of seats, at least 2.
    precision
        Half-width of win share at which to stop, in (0, 1).

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    def __init__(self, players: int, precision: float) -> None:
        if players < 2:
            raise ValueError(f"a table needs at least 2 players; given {players}.")
        if not 0 < precision < 1:
            raise ValueError(f"precision must lie between 0 and 1; given {precision}.")
        self.players = players
        self.precision = precision
        self.alpha = ALPHA if players == 2 else ALPHA / players
        equal = 1 / players
        self.rho = tuning(precision, equal * (1 - equal), self.alpha)
        self._games = 0
        self._wins = (0,) * players
        self._wins_sq = (0,) * players
        self._squares = (0.0,) * players

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
            Rising multiples of `FIRST_LOOK`, about 5% apart, then ``games`` itself.
        """
        looks = []
        look = FIRST_LOOK
        while look < games:
            looks.append(look)
            further = look + look // _GROWTH
            look = max(look + FIRST_LOOK, further // FIRST_LOOK * FIRST_LOOK)
        return (*looks, games)

    def observe(self, point: Checkpoint) -> bool:
        """Take in the next checkpoint; True when the precision is reached.

        Raises
        ------
        ValueError
            If the checkpoint does not come after the one before it, or has other seats.
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
        """Each seat's win share with its interval.

        Parameters
        ----------
        latest
            Totals at the end of a run that was interrupted after the last checkpoint; the
            sequence covers there too. By default the last checkpoint.

        Returns
        -------
        tuple of Estimate
            One a seat, of kind ``"sequence"``; null before the first game.
        """
        if latest is None or latest.games == self._games:
            games, wins, squares = self._games, self._wins, self._squares
        else:
            games, wins, squares = latest.games, latest.wins, self._squares_at(latest)
        if games == 0:
            return (Estimate(None),) * self.players
        found = []
        for won, half in zip(wins, self._half_widths(games, squares), strict=True):
            share = won / (WHOLE_WIN * games)
            found.append(
                Estimate(share, max(0.0, share - half), min(1.0, share + half), "sequence")
            )
        return tuple(found)

    def _half_widths(self, games: int, squares: tuple[float, ...]) -> list[float]:
        return [boundary(v, self.rho, 1.0, self.alpha) / games for v in squares]

    def _squares_at(self, point: Checkpoint) -> tuple[float, ...]:
        """V of each seat at a later checkpoint.

        V grows by ``sum X^2 - 2 m sum X + N m^2`` over the N games since, m the mean so far; each
        step in exact fractions, since fewer digits are left than went in.
        """
        if len(point.wins) != self.players or len(point.wins_sq) != self.players:
            raise ValueError(f"a checkpoint of {len(point.wins)} seats, not {self.players}.")
        if point.games <= self._games:
            raise ValueError(f"checkpoint {point.games} does not come after {self._games}.")
        more = point.games - self._games
        grown = []
        for seat in range(self.players):
            mean = (
                Fraction(self._wins[seat], WHOLE_WIN * self._games)
                if self._games
                else Fraction(1, self.players)
            )
            won = Fraction(point.wins[seat] - self._wins[seat], WHOLE_WIN)
            won_sq = Fraction(point.wins_sq[seat] - self._wins_sq[seat], WHOLE_WIN**2)
            step = won_sq - 2 * mean * won + more * mean**2
            grown.append(self._squares[seat] + float(step))
        return tuple(grown)
