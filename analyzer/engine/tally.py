"""Integer sums of what happened, kept in 256 blocks and merged exactly.

While games are played a sum has shape (256, ...): the block first. `add_seating` adds it to the
saved form, which has the block last. Where strategies change seats, sums of seats are kept apart by
who sat there: the strategy comes first. All other sums have a first axis of 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN, Game, Outcome, Tally
from analyzer.engine.record import new_record
from analyzer.errors import PluginError
from analyzer.experiment import BLOCKS, Experiment
from analyzer.kernels.compilation import row_kernel
from analyzer.results import RECORD

HISTOGRAM = "score_hist"
LEAST_SCORE, MOST_SCORE = -(2**15), 2**15 - 1
SEAT_SUMS = ("wins", "wins_sq", "outright", "score", "score_sq")
HELD = "held"
"""Games in which a strategy held a seat, where strategies change seats."""
STRATEGY_WINS_SQ = "strategy_wins_sq"
"""Squares of what all copies of a strategy won of a game together, where they change seats."""

TAKEN = (HELD, STRATEGY_WINS_SQ, RECORD)
"""Names of sums that are kept in some runs, or parts of runs, only."""

Sums = dict[str, NDArray[np.int64]]


def new_tally(game: Game, experiment: Experiment) -> Tally:
    """All sums at zero, as they are counted in one seating.

    Raises
    ------
    PluginError
        If a sum of the game's own has the name of one that every game has, or if its scores have a
        range that int16 has not.
    """
    players = experiment.players
    low, high = game.score_range(experiment.rules, players)
    if not LEAST_SCORE <= low <= high <= MOST_SCORE:
        raise PluginError(
            f"{game.name} has the score_range ({low}, {high}); it must be in order and within "
            f"{LEAST_SCORE} to {MOST_SCORE}."
        )
    every: dict[str, tuple[int, ...]] = {
        "games": (),
        **dict.fromkeys(SEAT_SUMS, (players,)),
        "unfinished": (),
    }
    if experiment.rotate:
        every[STRATEGY_WINS_SQ] = (len(experiment.holders),)
    own = game.sums(experiment.rules, players, experiment.detail)
    for name in own:
        if name in every or name in TAKEN or name.endswith("_hist"):
            raise PluginError(
                f"{game.name} calls one of its own sums {name!r}; choose another name than "
                f"{', '.join(every)} or one that ends in _hist: every game has these."
            )
    tally: Tally = {
        name: np.zeros((BLOCKS, *shape), np.int64) for name, shape in {**every, **own}.items()
    }
    tally[HISTOGRAM] = np.zeros((1, players, high - low + 1), np.int64)
    return tally


@row_kernel
def _seat_kernel(
    wins: NDArray[np.uint8],
    scores: NDArray[np.int16],
    low: int,
    block_sums: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> None:
    """Sums of one seat over a batch whose column g belongs to block g mod 256."""
    block_sums[:] = 0
    counts[:] = 0
    for start in range(0, wins.size, BLOCKS):
        end = min(start + BLOCKS, wins.size)
        _add_wins(wins[start:end], block_sums[0], block_sums[1], block_sums[2])
        _add_scores(scores[start:end], block_sums[3], block_sums[4])
        _count_scores(scores[start:end], low, counts)


@row_kernel
def _add_wins(
    wins: NDArray[np.uint8],
    total: NDArray[np.int32],
    squares: NDArray[np.int32],
    outright: NDArray[np.int32],
) -> None:
    for b in range(wins.size):
        win = wins[b]
        w = np.int32(win)
        total[b] += w
        squares[b] += w * w
        outright[b] += np.int32(win == WHOLE_WIN)


@row_kernel
def _add_scores(
    scores: NDArray[np.int16], total: NDArray[np.int32], squares: NDArray[np.int32]
) -> None:
    for b in range(scores.size):
        f = np.int32(scores[b])
        total[b] += f
        squares[b] += f * f


@row_kernel
def _count_scores(scores: NDArray[np.int16], low: int, counts: NDArray[np.int64]) -> None:
    """Count scores in four rows by turns: equal scores in a row need not wait for each other."""
    for b in range(scores.size):
        counts[b & 3, np.int64(scores[b]) - low] += 1


def _check_scores(scores: NDArray[np.int16], low: int, bins: int, game: str) -> None:
    """Refuse scores outside their range: the kernel would count them in memory of others.

    Raises
    ------
    PluginError
        Naming the game.
    """
    if scores.size and not low <= scores.min() <= scores.max() < low + bins:
        raise PluginError(
            f"{game} has the score_range ({low}, {low + bins - 1}), and games that end with scores "
            f"from {scores.min()} to {scores.max()}."
        )


def add_outcome(outcome: Outcome, score_low: int, tally: Tally, game: str = "the game") -> None:
    """Add how a batch of games ended to the sums that every game has.

    Raises
    ------
    PluginError
        If a score is outside the range that the tally was made for; ``game`` names whose it is.
    """
    games = outcome.games.size
    whole, rest = divmod(games, BLOCKS)
    tally["games"] += whole
    tally["games"][:rest] += 1
    bins = tally[HISTOGRAM].shape[-1]
    _check_scores(outcome.scores, score_low, bins, game)
    block_sums = np.zeros((len(SEAT_SUMS), BLOCKS), np.int32)
    counts = np.zeros((4, bins), np.int64)
    # The sums of so many games fit into 32 bits.
    largest = max(WHOLE_WIN, abs(score_low), abs(score_low + bins - 1))
    safe = (2**31 - 1) // largest**2 * BLOCKS
    for start in range(0, games, safe):
        part = slice(start, start + safe)
        for p in range(outcome.wins.shape[0]):
            wins, scores = outcome.wins[p, part], outcome.scores[p, part]
            _seat_kernel(wins, scores, score_low, block_sums, counts)
            for name, sums in zip(SEAT_SUMS, block_sums, strict=True):
                tally[name][:, p] += sums
            tally[HISTOGRAM][0, p] += counts.sum(axis=0)
    if outcome.unfinished is not None and outcome.unfinished.any():
        for start in range(0, games, BLOCKS):
            chunk = outcome.unfinished[start : start + BLOCKS]
            tally["unfinished"][: chunk.size] += chunk


@row_kernel
def _square_kernel(wins: NDArray[np.uint8], block_sums: NDArray[np.int64]) -> None:
    """Sums of squares of what was won, by block: that of game g is g mod 256."""
    for start in range(0, wins.size, BLOCKS):
        _add_squares(wins[start : start + BLOCKS], block_sums)


@row_kernel
def _add_squares(wins: NDArray[np.uint8], block_sums: NDArray[np.int64]) -> None:
    for b in range(wins.size):
        win = np.int32(wins[b])
        block_sums[b] += win * win


def add_shared_wins(outcome: Outcome, copies: Sequence[Sequence[int]], tally: Tally) -> None:
    """Add what the copies of each strategy won together, squared; ``copies`` are their seats."""
    block_sums = np.zeros(BLOCKS, np.int64)
    for holder, seats in enumerate(copies):
        # However many share a win, it is no more than a whole one.
        wins = outcome.wins[seats[0]] if len(seats) == 1 else outcome.wins[seats].sum(0, np.uint8)
        block_sums[:] = 0
        _square_kernel(wins, block_sums)
        tally[STRATEGY_WINS_SQ][:, holder] += block_sums


def no_sums(game: Game, experiment: Experiment, *, record: bool = True) -> Sums:
    """All sums at zero, as they are saved; without a record for games that are in none."""
    seats = _seat_sums(game)
    holders = len(experiment.holders) if experiment.rotate else 1
    sums = {}
    for name, counted in new_tally(game, experiment).items():
        first = holders if name in seats else 1
        sums[name] = np.zeros((first, *counted.shape[1:], counted.shape[0]), np.int64)
    if experiment.rotate:
        sums[HELD] = np.zeros((holders, experiment.players, BLOCKS), np.int64)
    if record:
        sums[RECORD] = new_record()
    return sums


def add_seating(
    game: Game,
    experiment: Experiment,
    seating: tuple[str, ...],
    blocks: NDArray[np.intp] | None,
    tally: Tally,
    sums: Sums,
) -> None:
    """Add what was counted in one seating to the sums as they are saved, in place.

    Parameters
    ----------
    seating
        Spec in each seat.
    blocks
        (n,) to which block the first n of the tally's belong; None if each is its own.
    tally
        As `new_tally` made it.
    sums
        As `no_sums` made them.
    """
    holders, seats = experiment.holders, _seat_sums(game)
    columns = slice(None) if blocks is None else blocks
    places = [holders.index(spec) for spec in seating], list(range(len(seating)))
    for name, counted in tally.items():
        saved = _block_last(counted)
        if name == HISTOGRAM:
            into: slice | NDArray[np.intp] = slice(None)
        else:
            into, saved = columns, saved if blocks is None else saved[..., : blocks.size]
        if experiment.rotate and name in seats:
            if blocks is None:
                sums[name][places] += saved
                continue
            for seat, holder in enumerate(places[0]):
                sums[name][holder, seat][..., into] += saved[seat]
        else:
            sums[name][0][..., into] += saved
    if experiment.rotate:
        played = tally["games"]
        for seat, holder in enumerate(places[0]):
            part = played if blocks is None else played[: blocks.size]
            sums[HELD][holder, seat, columns] += part


def _block_last(counted: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same with the first axis as the last one; NumPy's own takes ten times as long."""
    return counted.transpose((*range(1, counted.ndim), 0))


def _seat_sums(game: Game) -> frozenset[str]:
    """Names of the sums whose first axis is the seat."""
    return frozenset((*SEAT_SUMS, HISTOGRAM, *getattr(game, "seat_sums", ())))


def add(total: Sums, part: Sums) -> None:
    """Add a part's sums, as they are saved, to a total, in place."""
    for name, sums in part.items():
        total[name] += sums
