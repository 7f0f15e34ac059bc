"""Policies beyond the baselines: what they answer in positions set up by hand, and their claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.checks import check_strategy
from analyzer.games.switch16.policies import NEVER
from analyzer.games.switch16.state import View
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.specs import bind


def ask(spec: str, decision: str, tops: list[int], **seen: Any) -> int:
    """The answer to a single position; ``tops`` by row, me first."""
    rules = settle(find_game("switch16"), len(tops), {})
    strategy = bind("switch16", spec, rules, len(tops))

    def column(value: int, kind: type = np.uint8) -> Any:
        return np.array([value], kind)

    protected = seen.get("protected", [int(top > 8) for top in tops])
    view = View(
        active=column(1),
        top=np.array(tops, np.uint8)[:, None],
        protected=np.array(protected, np.uint8)[:, None],
        disc=column(seen.get("disc", 0)),
        mover=column(seen.get("mover", 0)),
        dice=column(3),
        sums=column(0, np.uint32),
        going=column(seen.get("going", 0)),
        thrown=column(seen.get("thrown", 0)),
        turn=column(0, np.uint16),
        points=np.zeros((len(tops), 1), np.uint16),
        players=len(tops),
        cards=16,
        match_points=0,
    )
    out: NDArray[np.uint8] = np.zeros(1, np.uint8)
    strategy.hooks[decision](view, strategy.params[decision], None, out)
    return int(out[0])


@pytest.mark.parametrize(
    ("tops", "again"),
    [
        ([2, 1, 1], 0),  # 48.1% is less than half of the way that the leaders have to go
        ([2, 3, 1], 0),  # 48.1% against 14/16 of 60%
        ([2, 5, 1], 1),
        ([2, 1, 16], 1),
        ([4, 1, 1], 1),
    ],
)
def test_chase_dares_more_the_closer_the_leader_is(tops: list[int], again: int) -> None:
    assert ask("chase:0.6/leader/hold", "risk", tops) == again


@pytest.mark.parametrize(
    ("seen", "row"),
    [
        ({"tops": [3, 9, 5]}, 1),
        ({"tops": [3, 9, 4], "disc": 2}, 0),  # row 1 would refuse, and row 2 promises too little
        ({"tops": [3, 9, 7], "disc": 2}, 2),
        ({"tops": [8, 11, 9], "disc": 5}, 0),  # a blocked 11 promises 11, an open 8 more than 9
        ({"tops": [3, 9, 5], "going": 6}, 0),  # rather clears six cards of its own
        ({"tops": [3, 9, 5], "going": 6, "disc": 4}, 1),  # which the disc on its deck prevents
        ({"tops": [7, 6, 5], "thrown": 1}, 1),  # a bust would put the 7 back to 1
        ({"tops": [14, 13, 5], "thrown": 1}, 1),  # and the 13 back to 8: still a swap for more
        ({"tops": [14, 16, 16], "going": 3}, 0),  # this throw wins
    ],
)
def test_ahead_compares_what_decks_promise(seen: dict[str, Any], row: int) -> None:
    assert ask("greedy/ahead/hold", "swap", **seen) == row


@pytest.mark.parametrize(
    ("tops", "mover", "going", "lays"),
    [
        ([3, 6, 5], 1, 3, True),  # clears 8 and leads
        ([3, 6, 5], 1, 2, False),  # clears 7 only
        ([3, 6, 10], 1, 3, False),  # row 2 stays ahead
        ([3, 6, 10], 1, 5, True),  # passes it
        ([12, 6, 10], 1, 5, True),  # never mind that I stay ahead
        ([3, 13, 10], 1, 4, True),  # wins
    ],
)
def test_strike_waits_for_a_throw_that_takes_the_lead(
    tops: list[int], mover: int, going: int, lays: bool
) -> None:
    answer = ask("greedy/leader/strike", "lay", tops, disc=1, mover=mover, going=going)
    assert answer == (0 if lays else NEVER)


@pytest.mark.parametrize(
    ("spec", "tops", "mover", "row"),
    [
        ("strike", [3, 16, 5], 1, 0),
        ("strike:early=12", [3, 16, 5], 1, 1),
        ("strike:early=12", [3, 11, 5], 1, 0),
        ("strike:early=12", [3, 12, 13], 1, 0),
        ("strike:early=12", [3, 12, 13], 2, 2),
        ("strike:early=12", [16, 12, 5], 1, 0),
        ("strike:early=12", [16, 12, 5], 0, 0),
    ],
)
def test_strike_blocks_between_turns_if_told_to(
    spec: str, tops: list[int], mover: int, row: int
) -> None:
    assert ask(f"greedy/leader/{spec}", "lay_between", tops, disc=1, mover=mover) == row


@pytest.mark.parametrize("spec", ["chase/leader/deny", "greedy/ahead/deny", "greedy/leader/strike"])
def test_they_keep_their_contracts_and_claims(spec: str) -> None:
    findings = list(check_strategy("switch16", spec))
    assert len(findings) == 5
    assert [f.text for f in findings if not f.passed] == []
