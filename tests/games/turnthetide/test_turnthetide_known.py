"""Answers about Turn the Tide that follow from its rules without any simulation."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.games.turnthetide.lifesavers import analyze
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.statistics.seats import seats_test
from tests.statistics.samples import GAME as SAMPLE_GAME

GAME = find_game("turnthetide")
GAMES = 300 if JIT_DISABLED else 20_000


@lru_cache
def played(strategy: str, players: int, allocation: str = "printed") -> ResultSet:
    rules = settle(GAME, players, {"allocation": allocation})
    return run(Experiment(GAME.name, (strategy,) * players, rules, GAMES, 7, "fairness"))


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("strategy", ["random", "reactive"])
def test_equal_players_without_memory_win_alike(strategy: str, players: int) -> None:
    """Everybody plays every hand, and the seats differ in nothing else."""
    run = played(strategy, players)
    assert seats_test(run, GAME).exchangeable
    p_value = seats_test(run, SAMPLE_GAME).p_value
    assert p_value is not None and p_value > 1e-4


@pytest.mark.parametrize("players", range(2, 7))
def test_scores_are_what_is_left_and_the_bonus(players: int) -> None:
    """Whoever is eliminated has lost all preservers and a point."""
    totals = played("random", players).sums["by_count"].sum(axis=(0, -1))
    preservers = np.arange(len(totals))
    rounds, score, _, eliminated, bonus, lost, _ = totals.T
    np.testing.assert_array_equal(score, preservers * rounds - lost + bonus - eliminated)
    assert eliminated.sum() > 0 and lost.sum() > 0


def test_with_five_players_every_card_is_in_play() -> None:
    held = played("random", 5).sums["cards"][:, :, 0].sum(axis=(0, -1))
    np.testing.assert_array_equal(held, np.full(60, 5 * GAMES))


@pytest.mark.parametrize(("allocation", "given"), [("none", 0), ("flat:5", 5)])
def test_equal_preservers_leave_nothing_to_judge(allocation: str, given: int) -> None:
    result = played("random", 4, allocation)
    assert analyze(result, None).verdict == "no-variation"
    rounds, score, _, eliminated, bonus, lost, _ = result.sums["by_count"].sum(axis=(0, 1, -1))
    assert score == given * rounds - lost + bonus - eliminated
    assert (lost == 0) == (given == 0)
