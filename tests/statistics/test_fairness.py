"""Verdicts and the sentences that go with them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from analyzer.results import ResultSet
from analyzer.statistics import fairness, seats, turn_order
from analyzer.statistics.tables import Estimate, Fairness, FieldFairness
from tests.games.turnthetide.preservers import judge, judge_field, lifesavers_of
from tests.games.turnthetide.test_lifesavers import slope_run
from tests.statistics import samples
from tests.statistics.test_seats import run_of


@pytest.mark.parametrize(
    ("low", "high", "verdict", "answer"),
    [
        (
            0.4, 0.6, "over-compensated",
            r"No\. HAND 0\.50 points more per round \(between 0\.49 "
            r"and 0\.51\); if preservers only made up for bad cards it would be 0\.",
        ),
        (
            -0.6, -0.4, "under-compensated",
            r"No\. HAND 0\.50 points less per round \(between 0\.49 "
            r"and 0\.51\); if preservers fully made up for the bad cards they come with it would "
            r"be 0\.",
        ),
        (
            -0.1, 0.14, "fair",
            r"Yes, on average\. HAND 0\.020 points more per round "
            r"\(between 0\.011 and 0\.029\), which is within 0\.05 points of making up for its "
            r"cards exactly; all in all the deal decides \d+\.\d% of a round's scores\.",
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
    pattern = answer.replace("HAND", "Among random players a hand with one more preserver scores")
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
    run = plain(fair_run())
    sums = {**run.sums, "pairs": np.zeros_like(run.sums["wins"])}
    found = fairness.judge(replace(run, sums=sums), samples.FIRST_PLAYER_GAME)
    assert found.verdict == "no-difference-shown"


def fair_run(games: int = 400_000) -> ResultSet:
    """Four seats that win equally often, games enough to show it."""
    return run_of(np.random.default_rng(8).integers(0, 4, size=games), 4)


@dataclass(frozen=True)
class Alike(samples.SampleGame):
    """A game that says of its rules that all seats are alike."""

    def seats_alike(self, rules: dict[str, Any], players: int) -> bool:
        """Always."""
        return True


def plain(run: ResultSet) -> ResultSet:
    """A run that kept only what every game keeps."""
    full = samples.result(samples.records(30)).sums
    return replace(run, sums={name: x for name, x in full.items() if name != "pairs"} | run.sums)


@pytest.mark.parametrize(
    ("chances", "games", "verdict", "answer"),
    [
        (
            (0.25,) * 4, 3000, "undecided",
            r"Undecided: no seat is shown to win more than another, but 3,000 games do not settle "
            r"whether any strays by more than 0\.5 percentage points from an equal share of 25%\.",
        ),
        (
            (0.25,) * 4, 400_000, "no-difference-shown",
            r"No seat wins more than another by a margin that matters: in 400,000 games all are "
            r"shown to be within 0\.5 percentage points of an equal share of 25%\.",
        ),
        (
            (0.2515, 0.2495, 0.2495, 0.2495), 400_000, "no-difference-shown",
            r"No seat wins more than another by a margin that matters: .*",
        ),
        (
            (0.255, 0.25, 0.25, 0.245), 400_000, "undecided",
            r"Undecided: the seats differ, but 400,000 games do not settle whether any by more "
            r"than 0\.5 percentage points: in 400,000 games most wins go to seat 1 with 25\.\d% "
            r"\(between .*\), fewest to seat 4 with 24\.\d% \(.*\); an equal share is 25%\.",
        ),
        (
            (0.4, 0.25, 0.2, 0.15), 3000, "seats-differ",
            r"Yes, the seat matters: in 3,000 games most wins go to seat 1 with \d\d\.\d% "
            r"\(between .*\), fewest to seat 4 with 1\d\.\d% \(.*\); an equal share is 25%\.",
        ),
    ],
)  # fmt: skip
def test_answers_on_seats(
    chances: tuple[float, ...], games: int, verdict: str, answer: str
) -> None:
    winner = np.random.default_rng(1).choice(4, size=games, p=chances)
    found = fairness.judge(plain(run_of(winner, 4)), samples.GAME)
    assert not found.figures
    assert found.verdict == verdict, found.answer
    assert re.fullmatch(answer, found.answer), found.answer


@pytest.mark.parametrize(
    ("chance", "verdict", "answer"),
    [
        (
            0.32,
            "first-player-favored",
            r"Yes, going first helps: .*; one extra win in 1[345] ",
        ),
        (0.18, "first-player-handicapped", r"Yes, going first hurts: .*; one lost win in 1[345] g"),
        (0.25, "undecided", "Undecided: these games do not settle whether going first makes"),
    ],
)
def test_answers_on_going_first(chance: float, verdict: str, answer: str) -> None:
    run = plain(run_of(np.arange(3000) % 4, 4))
    wins = np.random.default_rng(2).binomial(run.sums["games"], chance)
    sums: dict[str, Any] = {**run.sums, "first_wins": wins, "first_games": run.sums["games"]}
    found = fairness.judge(replace(run, sums=sums), samples.FIRST_PLAYER_GAME)
    assert found.verdict == verdict
    assert re.match(answer, found.answer), found.answer
    assert "of games, where an equal share is 25%" in found.answer


def first_player(value: float, low: float | None, high: float | None) -> Fairness:
    """The answer where going first is worth so much of the win, in games of two."""
    found = fairness.judge(plain(fair_run()), samples.FIRST_PLAYER_GAME)
    test = replace(found.seats_test, first_player_advantage=Estimate(value, low, high))
    verdict, answer = fairness._conclusion(found.summary, test, 0.005)
    return replace(found, seats_test=test, verdict=verdict, answer=answer)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "answer"),
    [
        # The ends of the margin, 0.005, belong to it.
        (0.005, 0.2, "undecided", "Undecided: going first helps, but by how much is open: these "),
        (0.0051, 0.2, "first-player-favored", "Yes, going first helps: "),
        (-0.005, 0.005, "no-difference-shown", "No, going first makes no difference that matters"),
        (-0.005, 0.0051, "undecided", "Undecided: these games do not settle whether going first"),
        (0.0, 0.005, "no-difference-shown", "No, going first makes no difference that matters"),
        (
            0.0048, 0.005, "no-difference-shown",
            "No, going first makes no difference that matters (helps slightly: one extra win in "
            "200 games): whoever does wins 25.5% ",
        ),
        (
            -0.005, -0.0048, "no-difference-shown",
            "No, going first makes no difference that matters (hurts slightly: one lost win in "
            "200 games): whoever does wins 24.5% ",
        ),
        (-0.2, -0.005, "undecided", "Undecided: going first hurts, but by how much is open: "),
        (-0.2, -0.0051, "first-player-handicapped", "Yes, going first hurts: "),
        (None, None, "undecided", "Undecided: these games do not settle whether going first"),
    ],
)  # fmt: skip
def test_verdicts_go_by_the_margin(
    low: float | None, high: float | None, verdict: str, answer: str
) -> None:
    found = first_player(((low or 0.0) + (high or 0.0)) / 2, low, high)
    assert found.verdict == verdict
    assert found.answer.startswith(answer), found.answer


def test_seven_extra_wins_in_ten_thousand_games_are_none_that_matter() -> None:
    found = fairness.judge(plain(run_of(np.arange(25_600) // 256 % 2, 2)), samples.GAME)
    advantage = Estimate(0.0007, 0.0004, 0.0010)
    verdict, answer = turn_order.conclusion(found.summary, advantage, 0.005)
    assert verdict == "no-difference-shown"
    assert answer == (
        "No, going first makes no difference that matters (helps slightly: one extra win in 1,400 "
        "games): whoever does wins 50.1% (between 50.0% and 50.1%) of games, where an equal share "
        "is 50%."
    )
    # Nor would it be one at a margin below what is shown, where the same games say yes.
    assert turn_order.conclusion(found.summary, advantage, 0.0)[0] == "first-player-favored"


def test_over_tables_that_agree_contradict_each_other_or_are_undecided() -> None:
    yes, more = first_player(0.05, 0.04, 0.06), first_player(0.1, 0.09, 0.11)
    no, unsure = first_player(0.0, -0.002, 0.002), first_player(0.004, -0.002, 0.01)

    def over(main: Fairness, *others: Fairness) -> tuple[str, str]:
        fields = tuple(
            FieldFairness(
                name, replace(one.summary, lineup=(name,) * 4), one.seats_test, one.verdict,
                one.answer,
            )
            for name, one in zip(("clever", "cleverer"), others, strict=False)
        )  # fmt: skip
        own = (main.verdict, main.answer)
        return fairness.over_tables(replace(main, fields=fields, own=own))

    assert over(yes) == (yes.verdict, yes.answer)
    assert over(yes, more) == (
        "first-player-favored",
        "Yes, going first helps at both tables: whoever goes first wins 30.0% among random "
        "players, 35.0% among clever players, where an equal share is 25%.",
    )
    verdict, answer = over(yes, no)
    assert verdict == "depends-on-play"
    assert answer.startswith("It depends on how people play: whoever goes first wins 30.0% among ")
    verdict, answer = over(yes, unsure, more)
    assert verdict == "first-player-favored"
    assert answer.startswith(
        "Yes among random players and cleverer players, going first helps; whether by more than "
        "0.5 percentage points is open among clever players: whoever "
    )
    assert " among clever players (undecided), 35.0% among " in answer
    verdict, answer = over(unsure, unsure)
    assert (verdict, answer) == ("undecided", unsure.answer)
    assert over(no, no)[0] == "no-difference-shown"


def test_seats_that_are_alike_by_the_rules_are_not_tested() -> None:
    """Where all seats are alike turn order is the answer, or else that they are alike."""
    winner = np.random.default_rng(4).choice(4, size=20_000, p=(0.28, 0.24, 0.24, 0.24))
    alike: Any = Alike()
    first_alike: Any = Alike(**vars(samples.FIRST_PLAYER_GAME))
    found = fairness.judge(plain(run_of(winner, 4)), alike)
    assert found.seats_test.p_value is None
    assert found.seats_test.exchangeable
    assert found.verdict == "no-difference-shown"
    assert found.answer == "No, by the rules all seats are alike: equal players win 25% each."
    run = plain(run_of(winner, 4))
    first = np.random.default_rng(5).binomial(run.sums["games"], 0.32)
    sums: dict[str, Any] = {**run.sums, "first_wins": first, "first_games": run.sums["games"]}
    found = fairness.judge(replace(run, sums=sums), first_alike)
    assert found.seats_test.p_value is None
    assert found.verdict == "first-player-favored"
    assert "going first helps" in found.answer


def test_an_equal_share_is_one_of_the_deals_that_somebody_won() -> None:
    found = fairness.judge(plain(run_of(np.arange(3000) % 4, 4)), samples.FIRST_PLAYER_GAME)
    some = replace(found.summary, unfinished=600)
    assert turn_order.equal_share(some) == (1 - 600 / 3000) / 4
    assert turn_order.equal_share(replace(some, parts={"deals": 6000})) == (1 - 600 / 6000) / 4
    moved = seats.moved(Estimate(0.1, None, 0.25, "wilson", 0.05), 0.5)
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
