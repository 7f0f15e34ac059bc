"""Whether the sums of a saved part can be those of games that were played.

A part that was changed by somebody who also wrote its digest anew is whole as a file. What every
game's sums have in common tells it all the same, before statistics stumble over it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BLOCKS, WHOLE_WIN
from analyzer.engine.players import empty_sums
from analyzer.engine.record import most_recorded
from analyzer.engine.runner import history_points
from analyzer.engine.tally import HELD, HISTOGRAM, STRATEGY_WINS_SQ
from analyzer.experiment import Experiment
from analyzer.plugins import find_game
from analyzer.results import MARGIN, RECORD, WINNERS, ResultSet

Ints = NDArray[np.int64]
NEVER_BELOW = frozenset(("wins", "wins_sq", "unfinished"))
"""Sums of every kind of experiment that cannot be less than nothing."""
ROUNDED = 1 + 1e-9
"""Products of large sums are compared as floats, which do not overflow."""


def holds_what_was_played(result: ResultSet) -> bool:
    """Whether a part has the sums that its experiment has, and they can be sums of games.

    Parameters
    ----------
    result
        As it was read.
    """
    experiment = result.experiment
    low, _ = find_game(experiment.game).score_range(experiment.rules, experiment.players)
    shapes = {key: sums.shape for key, sums in empty_sums(experiment).items()}
    kept = [result.sums, *(point.sums for point in result.history)]
    if result.score_low != low or result.sums.keys() != shapes.keys():
        return False
    if any(shapes.get(key) != array.shape for sums in kept for key, array in sums.items()):
        return False
    if not _games_fit(result):
        return False
    if type(experiment) is not Experiment:  # others count something else than wins at one table
        return all((result.sums[name] >= 0).all() for name in NEVER_BELOW & result.sums.keys())
    games = result.sums["games"][:, None, :]
    held = result.sums.get(HELD, games)
    return _wins_fit(result, held) and _scores_fit(result, held) and _record_fits(result)


def _games_fit(result: ResultSet) -> bool:
    """Whether each block has its games: game g is in block g mod 256."""
    points = [*((point.games, point.sums) for point in result.history), (result.games, result.sums)]
    counts = [games for games, _ in points]
    kept = counts[:-1]
    fits = counts == sorted(counts) and len(set(kept)) == len(kept)
    fits = fits and set(kept) <= set(history_points(result.experiment))
    for games, sums in points:
        blocks = games // BLOCKS + (np.arange(BLOCKS) < games % BLOCKS)
        fits = fits and bool((sums["games"] == blocks).all())
    held = result.sums.get(HELD)
    if held is not None:
        fits = fits and bool((held >= 0).all() and (held.sum(axis=0) == result.sums["games"]).all())
    return fits


def _wins_fit(result: ResultSet, held: Ints) -> bool:
    """Whether wins are shares of a win, and their squares can belong to them."""
    wins, squares, outright = (result.sums[name] for name in ("wins", "wins_sq", "outright"))
    games, unfinished = result.sums["games"], result.sums["unfinished"]
    if not ((unfinished >= 0) & (unfinished <= games)).all():
        return False
    if not ((wins >= 0) & (wins <= WHOLE_WIN * held)).all():
        return False
    if (wins.sum(axis=(0, 1)) > WHOLE_WIN * games).any():
        return False
    if not ((outright >= 0) & (WHOLE_WIN * outright <= wins)).all():
        return False
    if STRATEGY_WINS_SQ in result.sums:
        shared = result.sums[STRATEGY_WINS_SQ][0]
        if not _squares_fit(wins.sum(axis=1), shared, games):
            return False
    return bool((squares <= WHOLE_WIN * wins).all()) and _squares_fit(wins, squares, held)


def _scores_fit(result: ResultSet, held: Ints) -> bool:
    """Whether the scores' sums are those of how often each score was reached."""
    counts = result.sums[HISTOGRAM][..., 0]
    score, squares = result.sums["score"], result.sums["score_sq"]
    values = result.score_low + np.arange(counts.shape[-1], dtype=np.int64)
    return bool(
        (counts >= 0).all()
        and (squares <= held * np.max(values**2)).all()
        and (counts.sum(axis=-1) == held.sum(axis=-1)).all()
        and ((counts * values).sum(axis=-1) == score.sum(axis=-1)).all()
        and ((counts * values**2).sum(axis=-1) == squares.sum(axis=-1)).all()
    ) and _squares_fit(score, squares, held)


def _squares_fit(sums: Ints, squares: Ints, games: Ints) -> bool:
    """Whether squares are no less than the sums ask for: the square of a mean is the least."""
    least = sums.astype(float) ** 2
    return bool((squares >= 0).all() and (least <= games * squares.astype(float) * ROUNDED).all())


def _record_fits(result: ResultSet) -> bool:
    """Whether the first games are written down, all of them and no others."""
    record = result.sums.get(RECORD)
    if record is None:
        return True
    recorded = min(most_recorded(result.experiment.period), result.games)
    written = record[0, [MARGIN, WINNERS]].reshape(2, -1) > 0
    return bool(
        (record >= 0).all() and written[:, :recorded].all() and not written[:, recorded:].any()
    )
