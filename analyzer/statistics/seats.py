"""Does the seat matter? One test over all seats first, then seat by seat.

Four single 95% intervals of a fair game miss somewhere in about 18% of runs. So one omnibus test
answers the question, and the seats' own intervals are simultaneous.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analyzer.contracts import WHOLE_WIN, Game, Rules
from analyzer.experiment import Experiment
from analyzer.results import ResultSet
from analyzer.statistics.intervals import (
    MIN_GAMES,
    Floats,
    Totals,
    covariance,
    estimate,
    estimates,
    leave_one_out,
    ratio,
    share_estimate,
)
from analyzer.statistics.tables import Estimate, SeatsTest

FIRST_PLAYER = "first_player_win_share"
"""The metric that games with a first player report."""

FEWEST_WINS = 15
"""Wins that each seat must expect for the seats to be tested by the spread of their own wins."""


def seats_test(result: ResultSet, game: Game) -> SeatsTest:
    """Test whether the seats win equally often; what each wins beyond the equal share.

    The differences of the win shares from their mean, P - 1 of them, are compared with their
    jackknife covariance S: T^2 = d' S^-1 d, and with B blocks and p = P - 1 dimensions
    (B - p) / ((B - 1) p) T^2 follows F(p, B - p) if the seats are equal. Hotelling (1931), Ann.
    Math. Stat. 2:360; Anderson (2003), *An Introduction to Multivariate Statistical Analysis*,
    section 5.2. While a seat expects fewer than `FEWEST_WINS` wins that rejects equal seats far too
    often (in 15.7% of runs of 30 games with 6 players), since S comes from the same few wins.
    There, and where S has no inverse, as when a seat never wins, Pearson's chi-square on the wins
    takes its place, whose variance is that of what is tested (Pearson 1900; a score test; on the
    careful side, since ties vary less than whole wins).

    Parameters
    ----------
    result
        Any run.
    game
        Its game; if it has the metric ``first_player_win_share``, the first player's advantage is
        that share minus an equal one, 1 / players of the games that somebody has won.

    Returns
    -------
    SeatsTest
        ``p_value`` is None below `MIN_GAMES` games, and where equal players sit in seats that are
        alike by the rules. ``advantages`` are simultaneous over seats.
    """
    totals = leave_one_out(result.sums)
    shares = seat_shares(totals)
    players = shares.shape[1]
    experiment = result.experiment
    lineup = experiment.strategies
    alike = len(set(lineup)) == 1 and seats_alike(game, experiment.rules, players)
    return SeatsTest(
        p_value=None if alike else equal_shares_p_value(shares, result.games),
        first_player_advantage=_first_player_advantage(totals, game, players),
        advantages=estimates(shares - shares.mean(axis=1, keepdims=True), family=players),
        confounded=len(set(lineup)) > 1 and not experiment.rotate,
        exchangeable=alike,
    )


def seats_alike(game: Game, rules: Rules, players: int) -> bool:
    """Whether the game says that its rules treat all seats alike."""
    alike = getattr(game, "seats_alike", None)
    return alike is not None and bool(alike(rules, players))


def by_seat(totals: Totals, name: str) -> NDArray[np.int64]:
    """(1 + B, P, ...) a sum of seats, whoever sat there.

    Parameters
    ----------
    totals
        Has that sum as (1 + B, strategies, P, ...), or (1 + B, 1, P, ...) where nobody moves.
    """
    return np.asarray(totals[name].sum(axis=1))


def by_strategy(totals: Totals, name: str) -> NDArray[np.int64]:
    """(1 + B, strategies, ...) a sum of seats over all seats, for each of the ``holders``."""
    return np.asarray(totals[name].sum(axis=2))


def seat_shares(totals: Totals) -> Floats:
    """Win share of each seat, (1 + B, P), whoever sat there.

    Parameters
    ----------
    totals
        ``"wins"`` in 1/60 as `by_seat` takes it, and ``"games"`` (1 + B, 1).
    """
    return ratio(by_seat(totals, "wins"), totals["games"]) / WHOLE_WIN


def strategy_shares(totals: Totals, experiment: Experiment) -> Floats:
    """Win share of one copy of each of the ``holders``, (1 + B, strategies), over all seats."""
    copies = np.array([experiment.strategies.count(name) for name in experiment.holders])
    return ratio(by_strategy(totals, "wins"), totals["games"] * copies) / WHOLE_WIN


def equal_shares_p_value(shares: Floats, games: int) -> float | None:
    """How likely win shares so far apart are if all are equal; `seats_test` says how it is done.

    Parameters
    ----------
    shares
        (1 + B, P).
    games
        Games played.

    Returns
    -------
    float or None
        None below `MIN_GAMES` games or if nobody has won any.
    """
    blocks, players = len(shares) - 1, shares.shape[1]
    free = players - 1
    if blocks < MIN_GAMES:
        return None
    wins = shares[0] * games
    expected = float(wins.mean())
    if expected == 0:
        return None
    if expected < FEWEST_WINS:
        return float(special.chdtrc(free, ((wins - expected) ** 2 / expected).sum()))
    contrasts = (shares - shares.mean(axis=1, keepdims=True))[:, :free]
    spread = covariance(contrasts)
    if np.linalg.matrix_rank(spread, hermitian=True) < free or np.trace(spread) < 1e-24:
        return float(special.chdtrc(free, ((wins - expected) ** 2 / expected).sum()))
    squared = float(contrasts[0] @ np.linalg.solve(spread, contrasts[0]))
    scaled = (blocks - free) / ((blocks - 1) * free) * squared
    return float(special.fdtrc(free, blocks - free, scaled))


def _first_player_advantage(totals: Totals, game: Game, players: int) -> Estimate:
    for metric in game.metrics:
        if metric.name == FIRST_PLAYER and metric.numerator in totals:
            share = metric_ratio(totals, metric.numerator, metric.denominator)
            # Games that nobody has won are nobody's advantage; or the parts that games consist of.
            parts = (m.numerator for m in game.metrics if m.when and m.numerator in totals)
            lost = metric_ratio(totals, "unfinished", next(parts, "games"))
            equal = (1 - lost) / players
            advantage = estimate(share - equal, bounds=(-1 / players, 1 - 1 / players))
            of, all_ = (
                int(totals[name][0].sum()) / metric.unit
                for name in (metric.numerator, metric.denominator)
            )
            alone = share_estimate(share, of, all_)
            # One interval for one figure: that of the share itself, unless the equal one varies.
            if lost.any() and alone.kind != "wilson":
                return advantage
            return moved(alone, -float(equal[0]))
    return Estimate(None)


def moved(found: Estimate, by: float) -> Estimate:
    """A figure and its interval, all moved by a constant."""
    value, low, high = (
        None if end is None else end + by for end in (found.value, found.low, found.high)
    )
    return Estimate(value, low, high, found.kind, found.se)


def metric_ratio(totals: Totals, numerator: str, denominator: str) -> Floats:
    """Quotient of two sums, all seats and strategies together.

    Parameters
    ----------
    totals
        Holds both names, each (1 + B, ...).

    Returns
    -------
    Floats
        (1 + B,).
    """
    top, bottom = (
        totals[name].reshape(len(totals[name]), -1).sum(axis=1) for name in (numerator, denominator)
    )
    return ratio(top, bottom)
