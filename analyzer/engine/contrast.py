"""Playing a contrast: two strategies in the same seat of the same games, and how they differ.

The unit is the game number: what A wins of it in each seat less what B wins there, summed over the
seats. A line-up that several comparisons need is played once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import WHOLE_WIN, Outcome
from analyzer.engine.batch import LANES, Player, Sources
from analyzer.engine.tally import new_tally
from analyzer.errors import StrategyFailed
from analyzer.experiment import BLOCKS, Contrast, Experiment, Task

Sums = dict[str, NDArray[np.int64]]

WATCHED = "difference"
"""What a stopping rule watches, a row each: A's wins less B's of a game, summed over the seats, in
all fields together and in each; then, in each field where both play, what A and what B won there
less a whole win."""


class _Use(NamedTuple):
    """What a line-up is played for: the seat of one side in one field."""

    field: int
    seat: int
    side: str


def no_contrast_sums(contrast: Contrast) -> Sums:
    """All sums at zero, as they are saved.

    Returns
    -------
    dict
        ``games`` and ``unfinished`` (1, 256), the latter over all line-ups; ``difference`` and
        ``difference_sq`` (1, watched, 256), see `WATCHED`; ``a``, ``a_sq``, ``b`` and ``b_sq``
        (1, fields, seats, 256): what each side won in each seat. Wins in 1/60.
    """
    shapes: dict[str, tuple[int, ...]] = {"games": (), "unfinished": ()}
    shapes |= dict.fromkeys((WATCHED, f"{WATCHED}_sq"), (contrast.watched,))
    by_seat = (len(contrast.opponents), contrast.players)
    shapes |= dict.fromkeys(("a", "a_sq", "b", "b_sq"), by_seat)
    return {name: np.zeros((1, *shape, BLOCKS), np.int64) for name, shape in shapes.items()}


class ContrastPlayer(Player):
    """Plays tasks of a contrast; see `Player`."""

    def __init__(
        self, experiment: Experiment, lanes: int = LANES, sources: Sources | None = None
    ) -> None:
        if not isinstance(experiment, Contrast):
            raise TypeError(f"a contrast is needed; given {type(experiment).__name__}")
        super().__init__(experiment, lanes, sources)
        self.contrast = experiment
        self._fields = experiment.opponents
        self._uses: dict[tuple[str, ...], list[_Use]] = {}
        for number, field in enumerate(self._fields):
            for side, lineups in (("a", field.a), ("b", field.b)):
                for seat, lineup in enumerate(lineups):
                    self._uses.setdefault(lineup, []).append(_Use(number, seat, side))

    @property
    def headline(self) -> tuple[str, ...]:
        """Names of the sums that are kept as games accumulate."""
        return ("games", WATCHED, f"{WATCHED}_sq")

    def play(self, task: Task) -> Sums:
        """Play a task and return its sums as they are saved.

        Raises
        ------
        StrategyFailed
            Of all games of the task, the lowest one that fails.
        """
        sums = no_contrast_sums(self.contrast)
        end = task.first + task.count
        for start in range(task.first, end, self.batch):
            games = np.arange(start, min(start + self.batch, end), dtype=np.uint64)
            self._play_all(games, start % BLOCKS, sums)
        return sums

    def _play_all(self, games: NDArray[np.uint64], block: int, sums: Sums) -> None:
        """Play a batch with every line-up; its first game belongs to the block given."""
        won = np.zeros((2, len(self._fields), games.size), np.int64)
        failures = []
        for number, lineup in enumerate(self.contrast.seatings):
            tally = new_tally(self.game, self.contrast)
            try:
                outcome = self.outcome(games, number, tally)
            except StrategyFailed as failure:
                failures.append(failure)
                continue
            wins = _in_order(outcome, games)
            for use in self._uses[lineup]:
                row = wins[use.seat].astype(np.int64)
                won["ab".index(use.side), use.field] += row
                sums[use.side][0, use.field, use.seat] += _by_block(row, block)
                sums[f"{use.side}_sq"][0, use.field, use.seat] += _by_block(row * row, block)
            if outcome.unfinished is not None:
                stopped = (wins.max(axis=0) == 0).astype(np.int64)
                sums["unfinished"][0] += _by_block(stopped, block)
        if failures:
            raise min(failures, key=lambda failure: failure.game)
        sums["games"][0] += _by_block(np.ones(games.size, np.int64), block)
        for row, values in enumerate(self._watched(won)):
            sums[WATCHED][0, row] += _by_block(values, block)
            sums[f"{WATCHED}_sq"][0, row] += _by_block(values * values, block)

    def _watched(self, won: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """The rows of `WATCHED`, a column a game; a side that is not played has an equal share."""
        shares = []
        for number, field in enumerate(self._fields):
            played = bool(field.a), bool(field.b)
            shares.append(
                [won[i, number] - WHOLE_WIN if played[i] else 0 * won[i, number] for i in (0, 1)]
            )
        differences = [a - b for a, b in shares]
        both = [
            share
            for pair, field in zip(shares, self._fields, strict=True)
            if field.a and field.b
            for share in pair
        ]
        return [np.sum(differences, axis=0), *differences, *both]


def _in_order(outcome: Outcome, games: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """(P, N) wins with a column for each of the games, in their order."""
    if np.array_equal(outcome.games, games):
        return outcome.wins
    return outcome.wins[:, np.argsort(outcome.games)]


def _by_block(values: NDArray[np.int64], block: int) -> NDArray[np.int64]:
    """(256,) sums over the games of each block, of consecutive games from one in that block on."""
    padded = np.zeros(-(-(block + values.size) // BLOCKS) * BLOCKS, np.int64)
    padded[block : block + values.size] = values
    sums: NDArray[np.int64] = padded.reshape(-1, BLOCKS).sum(axis=0)
    return sums
