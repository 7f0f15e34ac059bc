"""What a risk is worth, against the solver's own choices and the plain solution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyzer.errors import AnalyzerError
from analyzer.games.switch16.exact.advice import risk_values
from analyzer.games.switch16.exact.chain import win_shares
from analyzer.games.switch16.exact.policies import baseline
from analyzer.games.switch16.exact.solver import best_response, equilibrium
from analyzer.games.switch16.exact.states import TRAY, Setup

SMALL = Setup(
    cards=6, milestone=3, milestone_resume=3, dice=((1, 1), (4, 2)), switch_die=(2, 1, 1, 1)
)


def test_optimal_play_takes_a_risk_exactly_where_it_is_worth_it() -> None:
    policy = equilibrium(SMALL).policy
    worth = risk_values(SMALL, [policy, policy])
    asked = policy.asked("risk")
    gain = (worth.again - worth.stop)[asked]
    sure = np.abs(gain) > 1e-8
    assert sure.mean() > 0.9
    assert np.array_equal(gain[sure] > 0, policy.risk[asked][sure] == 1)


@pytest.mark.long
def test_a_best_response_for_three_does_too() -> None:
    setup = replace(SMALL, players=3)
    others = [baseline("greedy/leader/hold", setup), baseline("never/never/deny:5", setup)]
    policy = best_response(setup, [None, *others]).policy
    worth = risk_values(setup, [policy, *others])
    asked = policy.asked("risk")
    gain = (worth.again - worth.stop)[asked]
    sure = np.abs(gain) > 1e-8
    assert (gain[sure] > 0).any()
    assert np.array_equal(gain[sure] > 0, policy.risk[asked][sure] == 1)


def test_stopping_is_worth_what_the_opponent_leaves() -> None:
    """After cards went with the disc in the tray, to stop is to let the other one begin there."""
    never = baseline("never/never/hold", SMALL)
    worth = risk_values(SMALL, [never, never])
    beginner = win_shares(SMALL, [never, never]).first_player_win_share
    # Both decks at card 1: the position with which the game begins, the other one to move.
    assert worth.stop[TRAY, 0] == pytest.approx(1 - beginner, abs=1e-8)


def test_endless_games_are_refused() -> None:
    setup = replace(SMALL, switch_die=(0, 0, 1, 0))
    policy = baseline("never/never/hold", setup)
    with pytest.raises(AnalyzerError, match="need not end"):
        risk_values(setup, [policy, policy])
