"""How long a run would take, told by a trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from analyzer.experiment import Experiment
from analyzer.plugins import find_game
from analyzer.study import DryRun, WorkerSettings, make_request


@dataclass(frozen=True)
class Played:
    """As much of a result as a dry run looks at."""

    experiment: Experiment
    stopped: str = "games"


class Clockwork:
    """Plays by a clock of its own: each of the first batches is set up before it is played."""

    def __init__(self, set_up: float, pace: float) -> None:
        self.now = 100.0
        self.set_up = set_up
        self.pace = pace

    def monotonic(self) -> float:
        """What time it is."""
        return self.now

    def run(
        self,
        experiment: Experiment,
        progress: Callable[[int], None] = lambda games: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Played:
        """Play in tasks that grow like those of the engine."""
        done = 0
        while done < experiment.games and not cancelled():
            count = min(max(done, 1024), 65_536, experiment.games - done)
            self.now += count * self.pace + (self.set_up if done < 65_536 else 0.0)
            done += count
            progress(done)
        return Played(experiment)


@pytest.mark.parametrize("games", [300, 1024, 200_000, 10**9])
@pytest.mark.parametrize("pace", [1e-7, 1e-6, 1e-3])
def test_what_is_set_up_once_is_not_counted_again(
    games: int, pace: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clockwork(0.05, pace)
    monkeypatch.setattr("analyzer.study.stage.run", clock.run)
    monkeypatch.setattr("analyzer.study.stage.time", clock)
    game = find_game("turnthetide")
    table: dict[str, Any] = {"strategies": ["random"] * 4, "rules": {}, "games": games, "seed": 1}
    experiment = make_request("simulate", game, **table).experiment()
    begun = clock.now
    clock.run(experiment)
    truth = clock.now - begun

    dry_run = DryRun(WorkerSettings(jobs=1))
    begun = clock.now
    dry_run("main", experiment)
    assert clock.now - begun < 5
    (part,) = dry_run.parts
    assert part.games == games
    assert part.seconds == pytest.approx(truth, rel=0.1)
    several = DryRun(WorkerSettings(jobs=2))
    several("main", replace(experiment))
    assert several.parts[0].seconds == pytest.approx(truth / (1.85 if truth > 2 else 1), rel=0.1)
