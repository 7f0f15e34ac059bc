"""Best responses and optimal play: nothing beats them, and the twin plays them as solved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyzer.errors import AnalyzerError, UsageError
from analyzer.games.switch16.exact.chain import Policy, win_shares
from analyzer.games.switch16.exact.policies import PolicyTable
from analyzer.games.switch16.exact.solver import best_response, equilibrium
from analyzer.games.switch16.exact.states import Setup
from tests.games.switch16.exact.plain import solve
from tests.games.switch16.exact.tables import TablePlayer, random_policy, rules_of
from tests.games.switch16.exact.test_chain import SMALL, TINY, TWO_CARDS, compiled_only, z_scores

SPECS = [
    f"{risk}/{green}/{block}"
    for risk in ("never", "always", "threshold:0.5", "greedy", "to-milestone", "protected")
    for green in ("never", "leader", "random")
    for block in ("hold", "deny:16", "deny:3")
]


def mutant(policy: PolicyTable, table: str, generator: np.random.Generator) -> PolicyTable:
    """The policy with one of its tables replaced by random choices."""
    return replace(policy, **{table: getattr(random_policy(policy.setup, generator), table)})


@pytest.mark.parametrize(
    "setup", [TWO_CARDS, pytest.param(SMALL, marks=compiled_only)], ids=["two cards", "small"]
)
def test_nothing_beats_a_best_response(setup: Setup) -> None:
    """Not the baselines, not a change of any one of its decisions; and its shares are its own."""
    rival = "greedy/leader/deny:3"
    best = best_response(setup, [None, rival])
    best.policy.check()
    share = best.shares.win_share[0]
    assert win_shares(setup, [best.policy, rival]).win_share[0] == pytest.approx(share, abs=1e-9)
    generator = np.random.default_rng(5)
    others = [mutant(best.policy, table, generator) for table in best.policy.tables()]
    worse = []
    rest: list[Policy] = [*SPECS[::7], *others]
    for policy in rest:
        result = win_shares(setup, [policy, rival], tolerance=1e-9).win_share[0]
        assert result < share + 1e-8
        worse.append(result < share - 1e-4)
    assert np.mean(worse) > 0.5  # the others do differ


def test_best_response_from_another_seat() -> None:
    """The seat that looks for its best may sit anywhere."""
    rival = "always/random/hold"
    left = best_response(TWO_CARDS, [None, rival])
    right = best_response(TWO_CARDS, [rival, None])
    assert right.shares.win_share[1] == pytest.approx(left.shares.win_share[0], abs=1e-9)
    for key, table in left.policy.tables().items():
        assert np.array_equal(table, getattr(right.policy, key))


@pytest.mark.parametrize(
    "setup",
    [
        TWO_CARDS,
        replace(TWO_CARDS, milestone_resume=2, switch_die=(1, 1, 1, 2)),
        pytest.param(replace(TWO_CARDS, players=3, faces=2), marks=compiled_only),
        pytest.param(TINY, marks=pytest.mark.slow),
    ],
    ids=["two cards", "other rules", "three players", "three cards"],
)
def test_best_response_is_as_good_as_trying_everything(setup: Setup) -> None:
    """The twin asked at every decision of every turn finds nothing better, and nothing worse."""
    generator = np.random.default_rng(6)
    rivals = [random_policy(setup, generator) for _ in range(setup.players - 1)]
    plain = solve(rules_of(setup), [None, *map(TablePlayer, rivals)], 0.0)
    best = best_response(setup, [None, *rivals], tolerance=1e-11)
    best.policy.check()
    assert best.shares.by_first[:, 0] == pytest.approx(plain[:, 0], abs=1e-9)


def test_optimal_play_is_what_trying_everything_finds() -> None:
    """Both seats of the twin choose whatever is best for themselves."""
    plain = solve(rules_of(TINY), [None, None], 0.5)
    assert np.abs(equilibrium(TINY).shares.by_first - plain).max() < 1e-9


def test_optimal_play_cannot_be_exploited() -> None:
    """Both seats win half, nobody gains by deviating, and against anybody it wins half or more."""
    solution = equilibrium(TWO_CARDS)
    solution.policy.check()
    assert solution.shares.win_share == pytest.approx([0.5, 0.5], abs=1e-9)
    assert 0 <= solution.gain < 1e-9
    assert solution.policy.facts["gain_by_deviating"] < 1e-9
    for spec in SPECS[::5]:
        assert win_shares(TWO_CARDS, [solution.policy, spec]).win_share[0] > 0.5 - 1e-9
    rival = best_response(TWO_CARDS, ["greedy/leader/deny:2", None])
    assert win_shares(TWO_CARDS, [solution.policy, rival.policy]).win_share[0] > 0.5 - 1e-9


def test_seat_one_begins() -> None:
    """If seat 1 always begins, optimal play gives it its advantage, and no more can be had."""
    setup = replace(TWO_CARDS, first_player="seat1")
    solution = equilibrium(setup)
    assert solution.shares.win_share[0] > 0.5
    assert solution.shares.win_share[0] == solution.shares.first_player_win_share
    assert 0 <= solution.gain < 1e-9


@pytest.mark.long
@compiled_only
@pytest.mark.parametrize("resume", [8, 9])
def test_optimal_beats_every_baseline(resume: int) -> None:
    """Under the printed rules it wins more than half against each of them."""
    setup = Setup(milestone_resume=resume)
    solution = equilibrium(setup)
    assert 0 <= solution.gain < 1e-9
    assert solution.shares.first_player_win_share > 0.5
    shares = {
        spec: win_shares(setup, [solution.policy, spec], tolerance=1e-7).win_share[0]
        for spec in SPECS[resume - 8 :: 4]
    }
    assert min(shares.values()) > 0.52, shares


@compiled_only
def test_twin_plays_the_optimal_policy_as_solved() -> None:
    """The table means the same to a player at the table as to the solver."""
    policy = equilibrium(SMALL).policy
    for rival in (policy, random_policy(SMALL, np.random.default_rng(8))):
        players = [TablePlayer(policy), TablePlayer(rival)]
        scores = z_scores(SMALL, [policy, rival], players, 800)
        assert max(map(abs, scores)) < 4, scores


def test_wrong_questions_are_refused() -> None:
    """One seat looks for its best; optimal play is for two; a game must end."""
    with pytest.raises(UsageError, match="None for the seat"):
        best_response(TINY, ["never/never/hold"] * 2)
    with pytest.raises(UsageError, match="None for the seat"):
        best_response(TINY, [None])
    with pytest.raises(UsageError, match="players = 3"):
        equilibrium(replace(TINY, players=3))
    with pytest.raises(AnalyzerError, match="for ever"):
        equilibrium(replace(TINY, switch_die=(0, 0, 1, 0)))
