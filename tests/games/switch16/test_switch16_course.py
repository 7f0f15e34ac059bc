"""The course of games, added up while they are played, against games told step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analyzer.engine.runner import replay, run
from analyzer.experiment import Experiment
from analyzer.games.switch16.sums import COURSE_SHAPES, MOST_BUSTS, MOST_TURNS
from analyzer.plugins import find_game
from analyzer.study import make_request

GAMES = 400


class Told:
    """Keeps the same sums from what is told of one game after the other."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.sums = {name: np.zeros(shape, int) for name, shape in COURSE_SHAPES.items()}
        self.foreign = 0

    def __call__(self, event: str, facts: dict[str, Any]) -> None:
        seat = facts.get("seat", 0) - 1
        if event == "deal":
            self.tops = [1] * self.players
            self.owners = list(range(self.players))
            self.busts = [0] * self.players
            self.ahead: list[int | None] = []
        elif event == "throw" and facts["throw"] == 1:
            best = max(self.tops)
            leaders = [s for s in range(self.players) if self.tops[s] == best]
            self.ahead.append(leaders[0] if len(leaders) == 1 else None)
        elif event == "discard":
            self.sums["cards_gone"] += len(facts["cards"])
            self.tops[seat] = facts["top"]
        elif event == "bust":
            self.sums["cards_lost"] += self.tops[seat] - facts["top"]
            self.tops[seat] = facts["top"]
            self.busts[seat] += 1
        elif event == "swap":
            other = facts["with"] - 1
            self.owners[seat], self.owners[other] = self.owners[other], self.owners[seat]
            self.tops = list(facts["tops"])
        elif event == "win":
            self.sums["by_turn"][len(self.ahead) - 1, 0] += 1
            for turn, leader in enumerate(self.ahead):
                row = self.sums["by_turn"][turn]
                row[1:] += (1, leader is not None, leader == seat)
            for player, busts in enumerate(self.busts):
                row = self.sums["by_busts"][min(busts, MOST_BUSTS)]
                row += (1, player == seat)
            self.foreign += self.owners[seat] != seat


def story(strategies: list[str], rules: dict[str, Any], games: int = GAMES) -> Experiment:
    request = make_request(
        "simulate", find_game("switch16"), strategies=strategies, rules=rules, games=games, seed=7
    )
    return Experiment(**{**request.experiment().__dict__, "detail": "story"})


@pytest.mark.long
@pytest.mark.parametrize(
    ("strategies", "rules"),
    [
        (["greedy/leader/deny"] * 4, {}),
        (["always/random/deny:5", "never/leader/hold"], {"milestone_resume": 9}),
        (["threshold:0.3/leader/strike:k=3,early=2"] * 3, {"match_points": 40}),
        (["always/random/hold"] * 3, {"cards": 5, "milestone": 2, "max_turns": 9}),
    ],
)
def test_sums_are_those_of_the_games_told(strategies: list[str], rules: dict[str, Any]) -> None:
    experiment = story(strategies, rules)
    watch = Told(len(strategies))
    for game in range(GAMES):
        replay(experiment, game, watch)
    sums = {name: array.sum(axis=(0, -1)) for name, array in run(experiment).sums.items()}
    for name, expected in watch.sums.items():
        np.testing.assert_array_equal(sums[name], expected, err_msg=name)
    assert sums["won_on_foreign_deck"] == watch.foreign
    assert sums["cards_lost"] > 0


def test_cards_are_neither_lost_nor_found() -> None:
    sums = run(story(["greedy/leader/deny"] * 4, {}, 4096)).sums
    assert sums["cards_gone"].sum() - sums["cards_lost"].sum() == sums["score"].sum()
    assert sums["by_turn"][..., 0, :].sum() == sums["deals"].sum()


def test_watching_changes_nothing() -> None:
    watched = story(["greedy/leader/deny", "threshold/random/deny:9"], {}, 2048)
    plain = Experiment(**{**watched.__dict__, "detail": "simulate"})
    seen, played = run(watched).sums, run(plain).sums
    for name, array in played.items():
        np.testing.assert_array_equal(seen[name], array, err_msg=name)


def test_very_long_games_are_counted_in_the_last_row() -> None:
    rules = {"switch_die": {"blank": 0, "green": 0, "red": 49, "block": 1}}
    sums = run(story(["never/never/hold"] * 2, rules, 256)).sums
    by_turn = sums["by_turn"].sum(axis=(0, -1))
    assert sums["turns"].sum() / sums["deals"].sum() > 2 * MOST_TURNS
    assert by_turn[-1, 0] > by_turn[0, 0]
    assert by_turn[:, 0].sum() + sums["unfinished"].sum() == 256
