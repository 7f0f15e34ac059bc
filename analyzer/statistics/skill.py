"""How much of who wins is explained by which of the strategies at this table somebody plays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.experiment import Experiment
from analyzer.statistics.intervals import Totals, estimate, exact, ratio
from analyzer.statistics.seats import by_strategy
from analyzer.statistics.tables import Estimate


@dataclass(frozen=True)
class Skill:
    """The share of the variance of wins that lies between strategies.

    It is small wherever one of several wins, even among unlike players: what strategies win says
    more. Null unless strategies differ and change seats: else seat and strategy cannot be told
    apart.
    """

    explained: Estimate


def skill(experiment: Experiment, totals: Totals) -> Skill:
    """How much of the variance of a player's share of the win lies between strategies.

    With k strategies, strategy s playing n_s player-games with mean share m_s, all n of them with
    mean m, SSB = sum_s n_s (m_s - m)^2 and SST = sum w^2 - n m^2, this is

        omega^2 = (SSB - (k - 1) V) / (SST + MSW),   MSW = (SST - SSB) / (n - k):

    Hays (1963), *Statistics for Psychologists*, p. 382; it corrects the share SSB / SST for what
    chance alone puts between strategies, and is not cut at 0. There V is MSW, the variance of
    independent observations. But the P shares of a game add up to 1, so that each two of equals
    correlate by -1 / (P - 1), and chance puts V = MSW P / (P - 1) between strategies. It depends on
    who plays: among equals there is no skill to be seen.

    Parameters
    ----------
    experiment
        What was played.
    totals
        ``"games"`` (1 + B, 1), ``"wins"`` and ``"wins_sq"`` (1 + B, strategies, P) in 1/60 and
        1/3600.
    """
    names = experiment.holders
    players, k = experiment.players, len(names)
    if not experiment.rotate or k < 2:
        return Skill(Estimate(None))
    games = totals["games"].sum(axis=1)
    n = exact(players * games)
    wins = exact(totals["wins"].sum(axis=(1, 2)))
    # In units of 1/3600: sums of squares as quotients of exact integers.
    between = -ratio(wins * wins, n)
    for name, own in zip(names, by_strategy(totals, "wins").T, strict=True):
        copies = experiment.strategies.count(name)
        between = between + ratio(exact(own) ** 2, copies * exact(games))
    whole = ratio(exact(totals["wins_sq"].sum(axis=(1, 2))) * n - wins * wins, n)
    rows = players * games
    with np.errstate(divide="ignore", invalid="ignore"):
        within = np.where(rows > k, (whole - between) / (rows - k), np.nan)
        chance = (k - 1) * within * players / (players - 1)
        share = (between - chance) / (whole + within)
    return Skill(estimate(share, bounds=(-np.inf, 1.0)))
