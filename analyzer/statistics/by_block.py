"""Every figure of a run that can be taken block by block, by the name that people ask for it.

Two runs that play games of the same numbers have the same blocks; so figures of both can be set
against each other block by block, whatever they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN, Game
from analyzer.results import RECORD, ResultSet
from analyzer.statistics import shape
from analyzer.statistics.intervals import Floats, Totals, leave_one_out, ratio
from analyzer.statistics.seats import metric_ratio, seat_shares, seats_alike, strategy_shares

FIRST = "first_player_win_share"


class Figure(NamedTuple):
    """A figure of one run: (1 + B,) with its leave-one-out replicates.

    ``parts`` are the sums that it is made of, their last axis the 256 blocks; ``share`` says that
    people want it as a percentage; ``games`` how many games it is of, if not all.
    """

    values: Floats
    parts: tuple[NDArray[np.int64], ...]
    share: bool = False
    games: int | None = None


def figures_by_block(result: ResultSet, game: Game, own: Mapping[str, Floats]) -> dict[str, Figure]:
    """Every figure of a run that can be taken block by block.

    Parameters
    ----------
    result
        Any run with at least one game.
    game
        Its game.
    own
        What the game's study adds: (1 + B,) each.
    """
    experiment, sums = result.experiment, result.sums
    totals = leave_one_out(sums)
    found = {}
    for name, values in _win_shares(totals, result, game).items():
        found[name] = Figure(values, (sums["wins"],), share=True)
    scored = totals["score"].reshape(len(totals["score"]), -1).sum(axis=1)
    scores = ratio(scored, experiment.players * totals["games"][:, 0])
    found["mean_score"] = Figure(scores, (sums["score"],))
    for metric in game.metrics:
        names = (metric.numerator, metric.denominator)
        if set(names) <= totals.keys() and (not metric.when or experiment.rules[metric.when]):
            parts = tuple(sums[name] for name in names)
            found[metric.name] = Figure(
                metric_ratio(totals, *names), parts, share=metric.kind == "share"
            )
    if FIRST in found:
        first = found[FIRST]
        won = ratio(
            totals["wins"].reshape(len(first.values), -1).sum(axis=1), totals["games"][:, 0]
        )
        advantage = first.values - won / WHOLE_WIN / experiment.players
        found["first_player_advantage"] = Figure(
            advantage, (*first.parts, sums["wins"]), share=True
        )
    for name, one in shape.by_block(result).items():
        games = int((one.entries > 0).sum())
        found[name] = Figure(one.values, (one.entries,), one.share, games)
    every = tuple(a for name, a in sums.items() if name != RECORD and not name.endswith("_hist"))
    return found | {name: Figure(values, every) for name, values in own.items()}


def _win_shares(totals: Totals, result: ResultSet, game: Game) -> dict[str, Floats]:
    """Who wins how often: strategies, or seats unless all are alike and win alike."""
    experiment = result.experiment
    if experiment.rotate:
        shares = strategy_shares(totals, experiment)
        names = [f"win_share_{holder}" for holder in experiment.holders]
        return dict(zip(names, shares.T, strict=True))
    alike = len(set(experiment.strategies)) == 1
    if alike and seats_alike(game, experiment.rules, experiment.players):
        return {}
    shares = seat_shares(totals)
    return {f"win_share_seat_{seat + 1}": values for seat, values in enumerate(shares.T)}


def blocks_that_differ(one: Figure, other: Figure) -> int:
    """In how many blocks anything that a figure is made of is another one."""
    differ = np.zeros(one.parts[0].shape[-1], np.bool_)
    for a, b in zip(one.parts, other.parts, strict=True):
        if a.shape != b.shape:
            return len(differ)
        differ |= (a != b).reshape(-1, a.shape[-1]).any(axis=0)
    return int(differ.sum())
