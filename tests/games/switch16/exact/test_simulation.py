"""Simulated games against the exact solution, for random policies and rules.

A few tables by default. ``SWITCH16_TABLES`` and ``SWITCH16_GAMES`` ask for more tables and games:
``SWITCH16_TABLES=30 SWITCH16_GAMES=1000000 pytest tests/games/switch16/exact/test_simulation.py``.
"""

from __future__ import annotations

import math
import os
import random
from typing import Any, NamedTuple

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.errors import AnalyzerError
from analyzer.games.switch16.exact.chain import Chain, Shares
from analyzer.games.switch16.exact.policies import baseline
from analyzer.games.switch16.exact.states import Setup
from analyzer.plugins import find_game
from analyzer.statistics.intervals import estimate, leave_one_out
from analyzer.statistics.seats import metric_ratio
from analyzer.study import make_request

TABLES = int(os.environ.get("SWITCH16_TABLES", "4"))
GAMES = int(os.environ.get("SWITCH16_GAMES", "20480"))
MOST = 4.0
"""Standard errors that a simulated figure may be off."""
UNFINISHED = 1e-9


class Exact(NamedTuple):
    rules: dict[str, Any]
    policies: tuple[str, ...]
    shares: Shares


def random_rules(chance: random.Random, players: int) -> dict[str, Any]:
    cards = chance.randint(4, 16 if players == 2 else 12)
    milestone = chance.randint(1, cards)
    steps = sorted({1, *(chance.randint(2, cards) for _ in range(2))})
    return {
        "cards": cards,
        "milestone": milestone,
        "milestone_resume": milestone + chance.randint(0, 1),
        "faces": chance.randint(4, 8),
        "dice": {str(start): chance.randint(2, 5) for start in steps},
        "switch_die": {
            "blank": chance.randint(1, 4),
            "green": chance.randint(0, 2),
            "red": chance.randint(0, 2),
            "block": chance.randint(0, 2),
        },
        "first_player": chance.choice(["random", "random", "seat1"]),
    }


def random_policy(chance: random.Random) -> str:
    risk = chance.choice(
        ["never", "always", "greedy", "to-milestone", "protected"]
        + 2 * [f"threshold:{chance.randint(5, 90) / 100}"]
    )
    green = chance.choice(["never", "leader", "random"])
    block = chance.choice(["hold", f"deny:{chance.randint(1, 16)}"])
    return f"{risk}/{green}/{block}"


def solved(setup: Setup, policies: tuple[str, ...]) -> tuple[Shares, float]:
    """The exact shares, and a bound on the chance that a game reaches the turn limit.

    If no position has more than m turns to come on average, at most 1 game in e is still going on
    after e m turns (Markov), whatever has happened before.
    """
    chain = Chain(setup, [baseline(spec, setup) for spec in policies])
    for _ in range(3000):
        if chain.shares().error < 1e-9:
            most = float(chain.values[..., 4].max())
            return chain.shares(), math.exp(-math.floor(5000 / (math.e * most)))
        chain.sweep()
    raise AnalyzerError("the games are too long")


def tables() -> list[Exact]:
    """The first so many random tables whose games surely end."""
    chance = random.Random(16)
    game = find_game("switch16")
    found: list[Exact] = []
    while len(found) < TABLES:
        players = 2 + len(found) % 2
        policies = tuple(random_policy(chance) for _ in range(players))
        rules = random_rules(chance, players)
        request = make_request("simulate", game, strategies=policies, rules=rules, games=1, seed=1)
        try:
            shares, unfinished = solved(Setup.from_rules(request.rules, players), policies)
        except AnalyzerError:
            continue
        if unfinished < UNFINISHED:
            found.append(Exact(rules, policies, shares))
    return found


@pytest.mark.long
def test_simulation_agrees_with_the_exact_solution() -> None:
    game = find_game("switch16")
    worst = []
    for number, table in enumerate(tables()):
        request = make_request(
            "simulate", game, strategies=table.policies, rules=table.rules, games=GAMES,
            seed=number,
        )  # fmt: skip
        result = run(request.experiment())
        assert result.sums["unfinished"].sum() == 0
        wins = result.sums["wins"].sum(axis=(0, -1)) / 60 / GAMES
        pairs = [*zip(wins.tolist(), table.shares.win_share.tolist(), strict=True)]
        first = float(result.sums["first_wins"].sum() / GAMES)
        pairs.append((first, table.shares.first_player_win_share))
        scores = [
            (seen - exact) / math.sqrt(exact * (1 - exact) / GAMES)
            for seen, exact in pairs
            if 1e-6 < exact < 1 - 1e-6
        ]
        turns = estimate(metric_ratio(leave_one_out(result.sums), "turns", "deals"))
        if turns.se:
            scores.append(((turns.value or 0.0) - table.shares.turns) / turns.se)
        worst.append((max(map(abs, scores)), table.policies, table.rules))
        print(f"{worst[-1][0]:.2f} standard errors at most: {table.policies}, {table.rules}")
    assert max(z for z, *_ in worst) < MOST, max(worst, key=lambda row: row[0])


def test_a_wrong_rule_would_be_noticed() -> None:
    """The same comparison under another reading of the rules fails by far."""
    policies = ("greedy/leader/deny:16", "always/never/hold")
    shares, _ = solved(Setup(milestone_resume=9), policies)
    request = make_request(
        "simulate", find_game("switch16"), strategies=policies,
        rules={"switch_die": {"blank": 2, "red": 2}}, games=20_480, seed=1,
    )  # fmt: skip
    result = run(request.experiment())
    turns = estimate(metric_ratio(leave_one_out(result.sums), "turns", "deals"))
    assert turns.se is not None and turns.value is not None
    assert abs(turns.value - shares.turns) > 10 * turns.se


@pytest.mark.slow
@pytest.mark.skipif(GAMES < 1_000_000, reason="asked for by SWITCH16_GAMES=2000000")
def test_the_solved_policy_beats_every_baseline() -> None:
    """At two players, each beginning half of the games, and as often as the exact value says."""
    from analyzer.games.switch16.exact.solver import equilibrium

    setup = Setup()
    policy = equilibrium(setup).policy
    risks = ("never", "always", "threshold:0.5", "greedy", "to-milestone", "protected")
    for risk in risks:
        for green in ("never", "leader", "random"):
            for block in ("hold", "deny:12", "deny:16"):
                rival = f"{risk}/{green}/{block}"
                chain = Chain(setup, [policy, baseline(rival, setup)])
                while chain.shares().error > 1e-10:
                    chain.sweep()
                exact = float(chain.shares().win_share[0])
                request = make_request(
                    "simulate", find_game("switch16"), strategies=("optimal", rival), rules={},
                    games=GAMES, seed=16, rotate=True,
                )  # fmt: skip
                result = run(request.experiment())
                mine = result.experiment.holders.index(result.experiment.strategies[0])
                share = float(result.sums["wins"][mine].sum() / 60 / GAMES)
                z = (share - exact) / math.sqrt(exact * (1 - exact) / GAMES)
                print(f"| `{rival}` | {100 * exact:.3f}% | {100 * share:.3f}% | {z:+.2f} |")
                assert exact > 0.5 and share > 0.5 and abs(z) < MOST
                assert np.isfinite(z)
