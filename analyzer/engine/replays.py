"""Playing games again with some of their chance kept, and how alike they end.

What the part of chance that was kept explains of the differences between results is the covariance
of a game and its replay, or of two replays (Sobol' 1993, Math. Modelling Comput. Exp. 1:407: the
pick-freeze design).
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Outcome
from analyzer.engine.batch import LANES, Player, Sources
from analyzer.engine.tally import new_tally
from analyzer.errors import PluginError, StrategyFailed
from analyzer.experiment import BLOCKS, Experiment, Replays, Task

Sums = dict[str, NDArray[np.int64]]

OUTCOMES = ("win", "score")
"""What is compared: shares of the win, in 1/60, and final scores less the mean of the table, times
the number of players: what all have more or less of is no difference between them."""


def no_replay_sums(replays: Replays) -> Sums:
    """All sums at zero, as they are saved.

    Returns
    -------
    dict
        ``games`` (1, 256); ``unfinished`` (1, 1 + R, 256). For each of `OUTCOMES`, over the seats
        of a game, of the game itself and each of its R replays: ``win_sum`` (strategies, 1 + R,
        256), apart by who sat there, and ``win_sq`` (1, 1 + R, 256); ``win_product`` (1, pairs,
        256) of each two of them, in the order of ``pairs``. Strategies are ``holders``.
    """
    times, holders = len(replays.kept), len(replays.holders)
    shapes: dict[str, tuple[int, ...]] = {"games": (1,), "unfinished": (1, 1 + times)}
    for name in OUTCOMES:
        shapes[f"{name}_sum"] = (holders, 1 + times)
        shapes[f"{name}_sq"] = (1, 1 + times)
        shapes[f"{name}_product"] = (1, len(replays.pairs))
    return {name: np.zeros((*shape, BLOCKS), np.int64) for name, shape in shapes.items()}


class ReplayPlayer(Player):
    """Plays tasks of replays; see `Player`."""

    def __init__(
        self, experiment: Experiment, lanes: int = LANES, sources: Sources | None = None
    ) -> None:
        if not isinstance(experiment, Replays):
            raise TypeError(f"replays are needed; given {type(experiment).__name__}")
        super().__init__(experiment, lanes, sources)
        self.replays = experiment
        self.replicas: dict[str, int] = {}
        self.again = [self._again(n) for n in range(1, 1 + len(experiment.kept))]
        """Players of the same games, in which what is not kept is drawn anew."""

    def _again(self, number: int) -> ReplayPlayer:
        """A player of the same games, but for chance that is not kept."""
        twin, kept = copy(self), self.replays.kept[number - 1]
        unknown = set(kept) - set(self.game.chance)
        if unknown:
            raise ValueError(f"{self.game.name} has no source of chance {min(unknown)!r}.")
        twin.tables = {}
        twin.replicas = {source: number for source in self.game.chance if source not in kept}
        return twin

    def _new_table(self, lanes: int) -> Any:
        if not self.replicas:
            return super()._new_table(lanes)
        replica = getattr(self.game, "replica", None)
        if replica is None:
            raise PluginError(f"{self.game.name} has no `replica`, which makes replays.")
        rules, players = self.experiment.rules, self.experiment.players
        return replica(rules, players, lanes, self.replicas)

    @property
    def headline(self) -> tuple[str, ...]:
        """Names of the sums that are kept as games accumulate."""
        return ("games",)

    def play(self, task: Task) -> Sums:
        """Play a task and return its sums as they are saved.

        Raises
        ------
        StrategyFailed
            Of all games of the task, the lowest one that fails.
        """
        sums = no_replay_sums(self.replays)
        failures = []
        for number in range(len(self.seatings)):
            for games, _ in self._games_of(task, number):
                for start in range(0, games.size, self.batch):
                    try:
                        self._play_times(games[start : start + self.batch], number, sums)
                    except StrategyFailed as failure:
                        failures.append(failure)
        if failures:
            raise min(failures, key=lambda failure: failure.game)
        return sums

    def _play_times(self, games: NDArray[np.uint64], number: int, sums: Sums) -> None:
        """Play games of one seating and their replays, and add them up."""
        seating, holders = self.replays.seatings[number], self.replays.holders
        order = np.sort(games)
        blocks = (order % np.uint64(BLOCKS)).astype(np.intp)
        sums["games"][0] += _by_block(np.ones(games.size), blocks)
        every = []
        for time, player in enumerate([self, *self.again]):
            outcome = player.outcome(games, number, new_tally(self.game, self.replays))
            ends = _in_order(outcome)
            if outcome.unfinished is not None:
                stopped = ends["win"].max(axis=0) == 0
                sums["unfinished"][0, time] += _by_block(stopped, blocks)
            for name, rows in ends.items():
                for seat, spec in enumerate(seating):
                    own = sums[f"{name}_sum"][holders.index(spec), time]
                    own += _by_block(rows[seat], blocks)
                sums[f"{name}_sq"][0, time] += _by_block((rows * rows).sum(axis=0), blocks)
            every.append(ends)
        for pair, (one, other) in enumerate(self.replays.pairs):
            for name in OUTCOMES:
                products = (every[one][name] * every[other][name]).sum(axis=0)
                sums[f"{name}_product"][0, pair] += _by_block(products, blocks)


def _in_order(outcome: Outcome) -> dict[str, NDArray[np.int64]]:
    """(P, N) of each of `OUTCOMES`, copied, in the order of the numbers of the games."""
    order = np.argsort(outcome.games, kind="stable")
    scores = outcome.scores[:, order].astype(np.int64)
    return {
        "win": outcome.wins[:, order].astype(np.int64),
        "score": len(scores) * scores - scores.sum(axis=0),
    }


def _by_block(values: NDArray[Any], blocks: NDArray[np.intp]) -> NDArray[np.int64]:
    """(256,) sums of whole numbers over the games of each block, exact below 2^53."""
    return np.bincount(blocks, weights=values, minlength=BLOCKS).astype(np.int64)
