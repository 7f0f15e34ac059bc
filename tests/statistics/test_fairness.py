"""Verdicts and the sentences that go with them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analyzer.results import ResultSet
from analyzer.statistics import fairness
from analyzer.statistics.tables import Estimate, Fairness
from tests.games.turnthetide.preservers import judge, judge_field, lifesavers_of
from tests.games.turnthetide.test_lifesavers import slope_run
from tests.statistics import samples
from tests.statistics.test_seats import run_of


@pytest.mark.parametrize(
    ("low", "high", "verdict", "answer"),
    [
        (
            0.4, 0.6, "over-compensated",
            r"No\. HAND 0\.500 points more per round \(between 0\.493 "
            r"and 0\.507\); if preservers only made up for bad cards it would be 0\.",
        ),
        (
            -0.6, -0.4, "under-compensated",
            r"No\. HAND 0\.500 points less per round \(between 0\.493 "
            r"and 0\.507\); if preservers fully made up for the bad cards they come with it would "
            r"be 0\.",
        ),
        (
            -0.1, 0.14, "fair",
            r"Yes, on average\. HAND 0\.020 points more per round "
            r"\(between 0\.011 and 0\.029\), which is within 0\.05 points of making up for its "
            r"cards exactly; all in all the dealt hand decides \d+\.\d% of a round's scores\.",
        ),
        (
            -0.3, 0.2, "undecided",
            r"Undecided\. HAND 0\.05 points less per round \(between "
            r"0\.03 and 0\.07\); more games would tell whether that is within 0\.05 points of 0, "
            r"where preservers just make up for bad cards\.",
        ),
    ],
)  # fmt: skip
def test_answers_on_preservers(low: float, high: float, verdict: str, answer: str) -> None:
    found = judge(slope_run(low, high))
    assert found.verdict == verdict
    pattern = answer.replace("HAND", "A hand with one more preserver scores")
    assert re.fullmatch(pattern, found.answer), found.answer


def test_answers_where_nothing_can_be_judged() -> None:
    few = judge(samples.result(samples.records(20)))
    assert few.verdict == "undecided"
    assert few.answer.startswith("Undecided: 20 games cannot say")
    for allocation, words in (("flat:5", "every hand 5 preservers"), ("none", "no hand any")):
        run = samples.result(samples.records(100), allocation=allocation)
        found = judge(run)
        assert found.verdict == "no-variation"
        assert words in found.answer
    blank = samples.records(100, halves=(0,) * 60)
    found = judge(samples.result(blank, halves=(0,) * 60))
    assert found.answer.endswith("all hands have the same number of preservers.")


def test_a_sum_of_a_foreign_game_may_be_called_like_one_of_ours() -> None:
    run = plain(run_of(np.arange(3000) % 4, 4))
    sums = {**run.sums, "pairs": np.zeros_like(run.sums["wins"])}
    found = fairness.judge(replace(run, sums=sums), samples.FIRST_PLAYER_GAME)
    assert found.verdict == "no-difference-shown"


def plain(run: ResultSet) -> ResultSet:
    """A run that kept only what every game keeps."""
    full = samples.result(samples.records(run.games)).sums
    return replace(run, sums={name: x for name, x in full.items() if name != "pairs"} | run.sums)


@pytest.mark.parametrize(
    ("chances", "verdict", "answer"),
    [
        ((0.25,) * 4, "no-difference-shown", r"No seat is shown .* equal share of 25%\."),
        (
            (0.4, 0.25, 0.2, 0.15), "seats-differ",
            r"Yes, the seat matters: in 3,000 games most wins go to seat 1 with \d\d\.\d% "
            r"\(between .*\), fewest to seat 4 with 1\d\.\d% \(.*\); an equal share is 25%\.",
        ),
    ],
)  # fmt: skip
def test_answers_on_seats(chances: tuple[float, ...], verdict: str, answer: str) -> None:
    winner = np.random.default_rng(1).choice(4, size=3000, p=chances)
    found = fairness.judge(plain(run_of(winner, 4)), samples.FIRST_PLAYER_GAME)
    assert not found.figures
    assert found.verdict == verdict
    assert re.fullmatch(answer, found.answer), found.answer


@pytest.mark.parametrize(
    ("chance", "verdict", "answer"),
    [
        (0.32, "first-player-favored", "Yes, going first helps: whoever does wins 3"),
        (0.18, "first-player-handicapped", "Yes, going first hurts: whoever does wins 1"),
        (0.25, "no-difference-shown", "No effect of going first is shown: whoever does wins 2"),
    ],
)
def test_answers_on_going_first(chance: float, verdict: str, answer: str) -> None:
    run = plain(run_of(np.arange(3000) % 4, 4))
    wins = np.random.default_rng(2).binomial(run.sums["games"], chance)
    sums: dict[str, Any] = {**run.sums, "first_wins": wins, "first_games": run.sums["games"]}
    found = fairness.judge(replace(run, sums=sums), samples.FIRST_PLAYER_GAME)
    assert found.verdict == verdict
    assert found.answer.startswith(answer)
    assert found.answer.endswith("of games, where an equal share is 25%.")


def test_going_first_helps_only_where_the_interval_leaves_0_out() -> None:
    found = fairness.judge(plain(run_of(np.arange(3000) % 4, 4)), samples.FIRST_PLAYER_GAME)
    for low, high, verdict in (
        (0.0, 0.2, "no-difference-shown"),
        (0.01, 0.2, "first-player-favored"),
        (-0.2, 0.0, "no-difference-shown"),
        (-0.2, -0.01, "first-player-handicapped"),
        (None, None, "no-difference-shown"),
    ):
        advantage = Estimate((low or 0.0) / 2 + (high or 0.0) / 2, low, high)
        test = replace(found.seats_test, first_player_advantage=advantage)
        assert fairness._conclusion(found.summary, test)[0] == verdict


def test_an_equal_share_is_one_of_the_deals_that_somebody_won() -> None:
    found = fairness.judge(plain(run_of(np.arange(3000) % 4, 4)), samples.FIRST_PLAYER_GAME)
    some = replace(found.summary, unfinished=600)
    assert fairness.equal_share(some) == (1 - 600 / 3000) / 4
    assert fairness.equal_share(replace(some, parts={"deals": 6000})) == (1 - 600 / 6000) / 4
    moved = fairness._shifted(Estimate(0.1, None, 0.25, "wilson", 0.05), 0.5)
    assert moved == Estimate(0.6, None, 0.75, "wilson", 0.05)


def test_seats_that_differ_in_strategy_prove_nothing_about_seats() -> None:
    run = samples.result(samples.records(300, skill=(1.0, 0.0, 0.0, 0.0)))
    lean = replace(run, sums={name: x for name, x in run.sums.items() if name != "pairs"})
    found = fairness.judge(lean, samples.FIRST_PLAYER_GAME)
    assert found.verdict == "undecided"
    assert "rotate" in found.answer


def test_too_few_games_or_winners_are_said_so() -> None:
    few = fairness.judge(plain(run_of(np.arange(20) % 4, 4)), samples.FIRST_PLAYER_GAME)
    assert few.answer == "Too few games to say: 20 played, at least 30 needed."
    nobody = fairness.judge(plain(run_of(np.full(100, -1), 4)), samples.FIRST_PLAYER_GAME)
    assert nobody.verdict == "undecided"
    assert "nobody has won" in nobody.answer


def test_a_field_has_the_figures_of_a_run_of_its_own() -> None:
    main = samples.result(samples.records(200))
    flat = samples.result(samples.records(200, flat=5), allocation="flat:5")
    alone: Fairness = judge(main, flat)
    field = judge_field("random+random+random+random", main, flat)
    assert field.field == "random+random+random+random"
    assert (field.verdict, field.answer) == (alone.verdict, alone.answer)
    assert field.seats_test == alone.seats_test
    assert lifesavers_of(field).slope == lifesavers_of(alone).slope
    whole = judge(main, flat, [field])
    assert whole.fields == (field,)
