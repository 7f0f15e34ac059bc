"""Who plays an experiment: chosen by what it is, here and in workers."""

from __future__ import annotations

import json
import threading
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.batch import LANES, Player, Sources
from analyzer.engine.contest import ContestPlayer, no_contest_sums
from analyzer.engine.contrast import ContrastPlayer, no_contrast_sums
from analyzer.engine.replays import ReplayPlayer, no_replay_sums
from analyzer.engine.tally import no_sums
from analyzer.experiment import Contest, Contrast, Experiment, Replays, Task
from analyzer.plugins import find_game


def player_of(experiment: Experiment, lanes: int = LANES, sources: Sources | None = None) -> Player:
    """The player of an experiment, contrast, contest or replays; see `Player`."""
    kind = Player
    if isinstance(experiment, Contrast):
        kind = ContrastPlayer
    elif isinstance(experiment, Contest):
        kind = ContestPlayer
    elif isinstance(experiment, Replays):
        kind = ReplayPlayer
    return kind(experiment, lanes, sources)


def empty_sums(experiment: Experiment) -> dict[str, NDArray[np.int64]]:
    """All sums of an experiment at zero, as they are saved."""
    if isinstance(experiment, Contrast):
        return no_contrast_sums(experiment)
    if isinstance(experiment, Contest):
        return no_contest_sums(experiment)
    if isinstance(experiment, Replays):
        return no_replay_sums(experiment)
    return no_sums(find_game(experiment.game), experiment)


_own = threading.local()


def _player(description: str, lanes: int, sources: Sources) -> Player:
    return player_of(Experiment.from_json(json.loads(description)), lanes, sources)


def player_in_worker(description: str, lanes: int, sources: Sources) -> Player:
    """The player of a thread of a worker, which keeps its workspaces for the next task.

    Raises
    ------
    SourcesDiffer
        If what plays has other sources here.
    """
    if not hasattr(_own, "player"):
        _own.player = lru_cache(maxsize=4)(_player)
    player: Player = _own.player(description, lanes, sources)
    return player


def play_in_worker(
    description: str, lanes: int, sources: Sources, task: Task
) -> dict[str, NDArray[np.int64]]:
    """Play a task in a worker; see `player_in_worker`.

    Raises
    ------
    SourcesDiffer
        If what plays has other sources here.
    StrategyFailed
        Of all games of the task, the lowest one that fails.
    """
    return player_in_worker(description, lanes, sources).play(task)
