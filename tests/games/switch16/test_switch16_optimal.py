"""The solved strategy of Switch 16: what it promises, measured against the exact solution."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from analyzer import specs
from analyzer.engine.runner import run
from analyzer.errors import UsageError
from analyzer.experiment import Experiment
from analyzer.games.switch16.exact import solver
from analyzer.games.switch16.exact.chain import Shares, win_shares
from analyzer.games.switch16.exact.policies import PolicyTable
from analyzer.games.switch16.exact.solver import equilibrium
from analyzer.games.switch16.exact.states import Setup
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.specs import bind
from tests.games.switch16.exact.tables import random_policy
from tests.spelling import spelled

GAMES = 20_480
BASELINES = (
    "greedy/leader/deny:16",
    "threshold:0.5/leader/hold",
    "always/random/deny:8",
    "protected/never/deny:16",
    "to-milestone/leader/deny:12",
    "never/never/hold",
)
SMALL: dict[str, Any] = {
    "cards": 7,
    "milestone": 4,
    "dice": {"1": 2, "4": 3},
    "switch_die": {"blank": 1, "green": 2, "red": 1, "block": 3},
}


def rules_of(players: int, changes: dict[str, Any]) -> dict[str, Any]:
    return settle(find_game("switch16"), players, changes)


def play(specs: tuple[str, ...], changes: dict[str, Any], seed: int = 1) -> ResultSet:
    lineup = spelled("switch16", specs)
    return run(Experiment("switch16", lineup, rules_of(len(specs), changes), GAMES, seed))


def deviations(result: ResultSet, exact: Shares) -> tuple[float, float]:
    """How many standard errors seat 1's share and the beginner's are off."""
    seat = result.sums["wins"].sum(axis=(0, -1))[0] / (60 * GAMES)
    first = result.sums["first_wins"].sum() / GAMES
    shares = float(exact.win_share[0]), exact.first_player_win_share
    return tuple(  # type: ignore[return-value]
        float((seen - share) / np.sqrt(share * (1 - share) / GAMES))
        for seen, share in zip((seat, first), shares, strict=True)
    )


@pytest.mark.long
@pytest.mark.parametrize("changes", [{}, {"milestone_resume": 9}, SMALL])
def test_play_reproduces_the_exact_value(changes: dict[str, Any]) -> None:
    setup = Setup.from_rules(rules_of(2, changes), 2)
    policy = equilibrium(setup).policy
    exact = win_shares(setup, [policy, policy])
    assert max(map(abs, deviations(play(("optimal", "optimal"), changes), exact))) < 4


@pytest.mark.parametrize("rival", BASELINES)
def test_it_beats_every_baseline_as_surely_as_solved(rival: str) -> None:
    setup = Setup.from_rules(rules_of(2, {}), 2)
    exact = win_shares(setup, [equilibrium(setup).policy, rival])
    result = play(("optimal", rival), {}, seed=2)
    assert max(map(abs, deviations(result, exact))) < 4
    assert result.sums["wins"].sum(axis=(0, -1))[0] > 0.53 * 60 * GAMES


@pytest.mark.parametrize("changes", [{"milestone_resume": 9}, SMALL])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tables_of_any_choices_are_read_rightly(
    changes: dict[str, Any], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Optimal play leaves answers unused, such as to lay the disc between turns; chance does not.

    A uniform swap is left out: a solved table never asks for one.
    """

    def made_up(setup: Setup) -> PolicyTable:
        policy = random_policy(setup, np.random.default_rng(seed))
        policy.green[policy.green == 255] = 1
        return policy

    def solved(setup: Setup) -> SimpleNamespace:
        return SimpleNamespace(policy=made_up(setup))

    monkeypatch.setattr(solver, "equilibrium", solved)
    monkeypatch.setattr(specs, "_prepared", {})
    setup = Setup.from_rules(rules_of(2, changes), 2)
    rival = "greedy/leader/deny:6"
    exact = win_shares(setup, [made_up(setup), rival])
    assert max(map(abs, deviations(play(("optimal", rival), changes, seed), exact))) < 4


def test_it_plays_under_a_turn_limit_at_which_it_does_not_look() -> None:
    limited, usual = (
        bind("switch16", "optimal", rules_of(2, changes), 2) for changes in ({"max_turns": 500}, {})
    )
    for decision, tables in usual.params.items():
        for one, other in zip(tables, limited.params[decision], strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("players", "changes", "reason"),
    [
        (3, {}, "2 players"),
        (2, {"match_points": 100}, "match to 100 points"),
        (2, {"switch_die": {"blank": 0, "green": 0, "red": 1, "block": 0}}, "for ever"),
    ],
)
def test_it_is_refused_where_it_is_not_solved(
    players: int, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        bind("switch16", "optimal", rules_of(players, changes), players)
