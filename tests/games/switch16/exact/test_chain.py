"""Win shares of given policies: published figures, the plain solution, and the twin's games."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analyzer.errors import AnalyzerError, UsageError
from analyzer.games.switch16.exact.chain import Policy, win_shares
from analyzer.games.switch16.exact.policies import PolicyTable, baseline
from analyzer.games.switch16.exact.states import Setup
from analyzer.kernels.compilation import JIT_DISABLED
from tests.games.switch16.exact.plain import solve
from tests.games.switch16.exact.tables import TablePlayer, random_policy, rules_of
from tests.reference.switch16 import Baseline, Player, play

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "switch16-exact.json").read_text())
compiled_only = pytest.mark.skipif(JIT_DISABLED, reason="minutes without compilation")

TINY = Setup(cards=3, dice=((1, 2), (3, 1)), faces=3, milestone=2, milestone_resume=2)
TWO_CARDS = Setup(cards=2, dice=((1, 2), (2, 1)), faces=3, milestone=1, milestone_resume=1)
SMALL = Setup(cards=7, dice=((1, 2), (5, 3)), faces=5, milestone=4, milestone_resume=4)


@pytest.mark.long
@compiled_only
@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: "+".join(case["strategies"]))
def test_figures_of_an_independent_solution(case: dict[str, Any]) -> None:
    """Win shares under the printed rules, known to six digits from another program."""
    policies = case["strategies"]
    tolerance = 1e-9 if len(policies) == 2 else 1e-7
    shares = win_shares(Setup(players=len(policies)), policies, tolerance=tolerance)
    assert shares.error < tolerance
    assert np.abs(shares.win_share - case["win_share"]).max() < 1e-6


@pytest.mark.parametrize(
    "setup",
    [
        TINY,
        replace(TINY, milestone_resume=3, switch_die=(3, 2, 1, 2)),
        replace(TINY, milestone=3, milestone_resume=4),
        replace(TWO_CARDS, players=3),
        replace(TWO_CARDS, players=3, milestone_resume=2, switch_die=(1, 2, 2, 2)),
    ],
)
def test_plain_solution_of_any_policies(setup: Setup) -> None:
    """Players at a whim, who lay the disc anywhere at any moment: every throw tried by the twin."""
    generator = np.random.default_rng(setup.players)
    policies = [random_policy(setup, generator) for _ in range(setup.players)]
    plain = solve(rules_of(setup), [TablePlayer(policy) for policy in policies], 0.0)
    ours = win_shares(setup, policies, tolerance=1e-11)
    assert np.abs(ours.by_first - plain).max() < 1e-9
    assert plain.max() - plain.min() > 0.01


@pytest.mark.parametrize(
    "specs",
    [
        ["always/random/deny:3", "never/leader/hold"],
        ["protected/leader/deny:2", "greedy/random/deny:1"],
        ["threshold:0.4/random/hold", "to-milestone/leader/deny:2", "always/never/deny:1"],
    ],
    ids="+".join,
)
def test_plain_solution_of_baselines(specs: list[str]) -> None:
    """The same with the twin's own baseline policies."""
    setup = TINY if len(specs) == 2 else replace(TWO_CARDS, players=3)
    plain = solve(rules_of(setup), [Baseline(spec) for spec in specs], 0.0)
    ours = win_shares(setup, specs, tolerance=1e-11)
    assert np.abs(ours.by_first - plain).max() < 1e-9


def by_hand(blank: int, red: int) -> tuple[float, float]:
    """Shares of a one-card race, first player's first: throw a 1 with a two-sided die.

    A blank throw wins with 1/2; red ends the turn (nobody is ever lower).
    """
    win = blank / (blank + red) / 2
    return 1 / (2 - win), (1 - win) / (2 - win)


def test_one_card_race_is_a_geometric_series() -> None:
    """A deck of a single card: the first player wins with 1 / (2 - p), and p is plain to see."""
    for red in (0, 1, 3):
        setup = Setup(
            cards=1, dice=((1, 1),), faces=2, switch_die=(3, 0, red, 0), milestone=1,
            milestone_resume=1, first_player="seat1",
        )  # fmt: skip
        shares = win_shares(setup, ["never/never/hold"] * 2)
        assert shares.win_share == pytest.approx(by_hand(3, red), abs=1e-9)
        assert shares.turns == pytest.approx(2 * (3 + red) / 3, abs=1e-7)
        assert shares.first_player_win_share == shares.win_share[0]


def z_scores(
    setup: Setup, policies: Sequence[Policy], players: Sequence[Player], games: int
) -> list[float]:
    """How far the twin's games are from the solution, in standard errors: shares, turns."""
    shares = win_shares(setup, policies, tolerance=1e-9)
    records = [play(rules_of(setup), players, 42, game) for game in range(games)]
    assert not any(record.unfinished for record in records)
    scores = []
    for seat in range(setup.players):
        share = shares.win_share[seat]
        won = sum(record.wins[seat] for record in records) / 60 / games
        scores.append((won - share) / math.sqrt(share * (1 - share) / games))
    firsts = [record.deals[0].first == record.deals[0].winner for record in records]
    share = shares.first_player_win_share
    scores.append((float(np.mean(firsts)) - share) / math.sqrt(share * (1 - share) / games))
    turns = [record.deals[0].turns for record in records]
    error = float(np.std(turns)) / math.sqrt(games)
    scores.append((float(np.mean(turns)) - shares.turns) / error)
    return scores


@pytest.mark.long
@compiled_only
@pytest.mark.parametrize(
    ("setup", "specs"),
    [
        (Setup(first_player="seat1"), ["greedy/leader/deny:12", "to-milestone/random/deny:16"]),
        (
            Setup(players=3, cards=7, milestone=4, milestone_resume=5, switch_die=(1, 2, 2, 3)),
            ["protected/random/deny:4", "threshold:0.6/leader/hold", "greedy/leader/deny:7"],
        ),
        (
            Setup(players=4, cards=4, milestone=2, milestone_resume=2, dice=((1, 2), (3, 3))),
            ["always/leader/deny:4", "greedy/random/deny:2"] * 2,
        ),
    ],
    ids=["two", "three", "four"],
)
def test_twin_wins_as_often(setup: Setup, specs: list[str]) -> None:
    """Shares, first player's share and turns of simulated games agree with the solution."""
    scores = z_scores(setup, specs, [Baseline(spec) for spec in specs], 800)
    assert max(map(abs, scores)) < 4, scores


@compiled_only
def test_four_players_at_a_whim() -> None:
    """Four players are too many for the plain solution; their games agree with ours."""
    setup = Setup(players=4, cards=3, dice=((1, 2),), milestone=2, milestone_resume=3)
    generator = np.random.default_rng(4)
    policies = [random_policy(setup, generator) for _ in range(4)]
    scores = z_scores(setup, policies, [TablePlayer(policy) for policy in policies], 1500)
    assert max(map(abs, scores)) < 4, scores


def test_same_policies_in_every_spelling() -> None:
    """Repeating seats are solved as one kind; told apart they have the same shares."""
    specs = ["greedy/leader/deny:2", "always/random/hold"]
    tables = [baseline(spec, TWO_CARDS) for spec in specs]
    once = win_shares(TWO_CARDS, [specs[0]] * 2)
    assert once.win_share == pytest.approx([0.5, 0.5], abs=1e-9)
    copies = win_shares(TWO_CARDS, [baseline(specs[0], TWO_CARDS) for _ in range(2)])
    assert np.abs(copies.by_first - once.by_first).max() < 1e-9
    mixed = win_shares(TWO_CARDS, specs)
    assert np.abs(win_shares(TWO_CARDS, tables).by_first - mixed.by_first).max() < 1e-9
    turned = win_shares(TWO_CARDS, specs[::-1])
    assert turned.win_share[::-1] == pytest.approx(mixed.win_share, abs=1e-9)


def test_error_is_what_is_missing() -> None:
    """Shares come from below: a rough solution errs by no more than it says."""
    specs = ["greedy/leader/deny:2", "always/random/hold"]
    exact = win_shares(TWO_CARDS, specs, tolerance=1e-12)
    rough = win_shares(TWO_CARDS, specs, tolerance=1e-2)
    missing = exact.win_share - rough.win_share
    assert 1e-5 < rough.error < 1e-2
    assert (missing > 0).all()
    assert missing.sum() <= rough.error + 1e-12


def test_games_without_end_are_refused() -> None:
    """Nobody ever discards if every throw is red, or if all always swap."""
    for die, spec in [((0, 0, 1, 0), "never/never/hold"), ((0, 1, 0, 0), "never/random/hold")]:
        setup = Setup(cards=2, dice=((1, 2),), milestone=1, milestone_resume=1, switch_die=die)
        with pytest.raises(AnalyzerError, match=r"with probability 1 .* for ever"):
            win_shares(setup, [spec] * 2)


def test_wrong_calls_are_refused() -> None:
    """A policy per seat, and all for the same rules."""
    with pytest.raises(UsageError, match="1 policies were given for 2 players"):
        win_shares(TINY, ["never/never/hold"])
    other = PolicyTable.empty(SMALL, "elsewhere")
    with pytest.raises(UsageError, match="elsewhere"):
        win_shares(TINY, ["never/never/hold", other])
