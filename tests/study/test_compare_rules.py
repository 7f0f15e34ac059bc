"""Two sets of rules: each difference block by block, and what is said of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import special

from analyzer.contracts import BLOCKS
from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.statistics.compare_rules import RulesComparison, compare_rules
from analyzer.study import study_of

GAME = find_game("turnthetide")
LABELS = ("one", "other")


def played(games: int = 2000, **rules: Any) -> ResultSet:
    settled = settle(GAME, 3, rules)
    return run(Experiment("turnthetide", ("random",) * 3, settled, games, 4, "fairness"))


ONE, OTHER = played(), played(bonus=3)


def compared(a: ResultSet, b: ResultSet, metric: str | None, **changed: Any) -> RulesComparison:
    study = study_of("turnthetide")
    how = {"metric": metric, "margin": None, "usual_margins": study.margins()} | changed
    return compare_rules(
        a, b, GAME, (study.replicates(a), study.replicates(b)), labels=LABELS, **how
    )


def scores(result: ResultSet) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the scores of each block, and its games."""
    return result.sums["score"].reshape(-1, BLOCKS).sum(axis=0), result.sums["games"][0]


def test_the_interval_is_the_jackknife_of_the_paired_difference() -> None:
    (a, games), (b, _) = scores(ONE), scores(OTHER)

    def gap(keep: np.ndarray) -> float:
        return float((a[keep].sum() - b[keep].sum()) / (3 * games[keep].sum()))

    left_out = np.array([gap(np.arange(BLOCKS) != block) for block in range(BLOCKS)])
    error = np.sqrt((BLOCKS - 1) / BLOCKS * ((left_out - left_out.mean()) ** 2).sum())
    found = compared(ONE, OTHER, "mean_score")
    value, half = gap(np.ones(BLOCKS, bool)), special.stdtrit(BLOCKS - 1, 0.975) * error
    (figure,) = found.figures
    assert figure.difference.value == pytest.approx(value)
    assert figure.difference.low == pytest.approx(value - half)
    assert figure.difference.high == pytest.approx(value + half)
    assert found.verdict == "b-higher" and value < 0
    every = compared(ONE, OTHER, None)
    wide = next(f.difference for f in every.figures if f.metric == "mean_score")
    family = special.stdtrit(BLOCKS - 1, 1 - 0.025 / len(every.figures)) * error
    assert wide.low == pytest.approx(value - family)


def test_what_the_same_chance_is_worth() -> None:
    alone = [compared(x, x, "mean_score").figures[0].a.se or 0.0 for x in (ONE, OTHER)]
    found = compared(ONE, OTHER, "mean_score")
    together = found.figures[0].difference.se or 0.0
    assert found.variance_ratio == pytest.approx((alone[0] ** 2 + alone[1] ** 2) / together**2)


def test_what_no_game_differs_in_is_exactly_equal() -> None:
    found = {f.metric: f for f in compared(ONE, OTHER, None).figures}
    assert found["length"].exact and found["hands_per_round"].exact
    assert found["length"].difference.value == 0.0 and found["length"].difference.low is None
    assert not found["margin"].exact and not found["mean_score"].exact
    same = compared(ONE, ONE, None)
    assert all(f.exact and f.difference.value == 0.0 for f in same.figures)
    assert "not one figure differs" in same.answer
    assert compared(ONE, ONE, "slope").verdict == "equivalent"


def test_figures_that_differ_in_few_blocks_have_no_interval() -> None:
    sums = {name: array.copy() for name, array in ONE.sums.items()}
    sums["score"][0, 0, :20] += 5
    found = compared(ONE, replace(ONE, sums=sums), "mean_score")
    (figure,) = found.figures
    assert figure.difference.value is not None and figure.difference.value < 0
    assert figure.difference.low is None and not figure.exact
    assert found.verdict == "undecided"


@pytest.mark.parametrize(
    ("margin", "verdict"), [(0.0, "b-higher"), (100.0, "equivalent"), (None, "b-higher")]
)
def test_the_margin_decides(margin: float | None, verdict: str) -> None:
    assert compared(ONE, OTHER, "mean_score", margin=margin).verdict == verdict
    turned = compared(OTHER, ONE, "mean_score", margin=margin).verdict
    assert turned == verdict.replace("b-", "a-")


def test_so_many_more_games_would_decide() -> None:
    gap = compared(ONE, OTHER, "mean_score").figures[0].difference
    assert gap.value is not None and gap.low is not None
    half = gap.value - gap.low
    near = compared(ONE, OTHER, "mean_score", margin=-gap.value - half / 2)
    assert near.verdict == "undecided" and near.more_games_needed is None
    found = compared(ONE, OTHER, "mean_score", margin=-gap.value - 0.8 * half)
    assert found.verdict == "undecided" and found.more_games_needed is not None
    # One in ten means is 1.28 standard errors nearer, and a half-width is 1.97 of them.
    part = ONE.games / (ONE.games + found.more_games_needed)
    swing = 1.2816 / 1.9693 * math.sqrt(1 - part)
    assert math.sqrt(part) + swing == pytest.approx(0.8, abs=0.002)
    assert found.answer.startswith("Undecided: these games do not settle whether the mean score")


def test_slopes_have_the_margin_of_the_verdict() -> None:
    assert compared(ONE, OTHER, "slope").margin == 0.05
    assert compared(ONE, OTHER, "margin_within_one").margin == 0.005
    assert compared(ONE, OTHER, "mean_score").margin == 0.0
