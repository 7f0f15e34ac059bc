"""Paired differences: the sequence by its definition, its promise, and what is said of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from analyzer.contracts import BLOCKS, WHOLE_WIN
from analyzer.experiment import Contrast
from analyzer.results import Checkpoint, ResultSet, checkpoint
from analyzer.statistics.compare import compare_strategies, variance_ratio
from analyzer.statistics.compare_rules import said_difference
from analyzer.statistics.sequential import DifferenceSequence, boundary
from analyzer.statistics.tables import Estimate

PLAYERS = 3
CONTRAST = Contrast("turnthetide", ("lowest", "random", "random"), {}, 10**6, 1)
FIELDS = len(CONTRAST.opponents)


def wins(rng: np.random.Generator, games: int, better: float = 0.0) -> np.ndarray:
    """(fields, 2, games, seats) what A and B won in 1/60; each is ``better`` off an equal share."""
    chances = np.array([1 / 3 + better, 1 / 3 - better])[None, :, None, None]
    return WHOLE_WIN * (rng.random((FIELDS, 2, games, PLAYERS)) < chances).astype(np.int64)


def differences(won: np.ndarray) -> np.ndarray:
    """(1 + fields, games) the rows that are watched: in all fields together, and in each."""
    sums = won.sum(axis=3)
    sums[0, 1] = sums[1, 0] = WHOLE_WIN  # among their equals they win a whole win together
    gaps = sums[:, 0] - sums[:, 1]
    return np.vstack([gaps.sum(axis=0), gaps])


def points(rows: np.ndarray, looks: tuple[int, ...]) -> list[Checkpoint]:
    sums, squares = np.cumsum(rows, axis=1), np.cumsum(rows * rows, axis=1)
    return [
        Checkpoint(n, tuple(sums[:, n - 1].tolist()), tuple(squares[:, n - 1].tolist()))
        for n in looks
    ]


def result(won: np.ndarray, looks: tuple[int, ...]) -> ResultSet:
    """A run of these games, as the engine sums them up."""
    rows, games = differences(won), won.shape[2]

    def by_block(values: np.ndarray) -> np.ndarray:
        return np.stack([values[..., b::BLOCKS].sum(axis=-1) for b in range(BLOCKS)], axis=-1)[None]

    sums = {"games": by_block(np.ones(games, np.int64)), "unfinished": np.zeros((1, BLOCKS), int)}
    sums |= {"difference": by_block(rows), "difference_sq": by_block(rows * rows)}
    for side, name in enumerate("ab"):
        own = np.moveaxis(won[:, side], 2, 1).copy()
        own[1 - side] = 0
        sums |= {name: by_block(own), f"{name}_sq": by_block(own * own)}
    return ResultSet(CONTRAST, games, sums, (), "games", 1.0, 0, tuple(points(rows, looks)))


def test_the_interval_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(3)
    rows = differences(wins(rng, 3000, 0.02))
    sequence = DifferenceSequence(CONTRAST, 0.005)
    looks = sequence.checkpoints(3000)
    for point in points(rows, looks):
        sequence.observe(point)
    units = [WHOLE_WIN * PLAYERS * FIELDS, *[WHOLE_WIN * PLAYERS] * FIELDS]
    for row, (unit, found) in enumerate(zip(units, sequence.intervals(), strict=True)):
        x, v, start, prediction = rows[row] / unit, 0.0, 0, 0.0
        for look in looks:
            v += float(((x[start:look] - prediction) ** 2).sum())
            start, prediction = look, float(x[:look].mean())
        half = boundary(v, sequence.rho[row], 2.0, 0.05 / (1 + FIELDS)) / 3000
        assert found.value == pytest.approx(x.mean())
        assert found.low == pytest.approx(x.mean() - half)
        assert found.high == pytest.approx(x.mean() + half)


@pytest.mark.long
def test_equal_sides_are_hardly_ever_called_different_however_often_one_looks() -> None:
    """At a margin of 0, where any lead counts; an interval for one look alone fails this."""
    rng = np.random.default_rng(11)
    called, naive, runs, games = 0, 0, 200, 20_000
    for _ in range(runs):
        rows = differences(wins(rng, games))
        sequence = DifferenceSequence(CONTRAST, 0.0, None)
        looks = sequence.checkpoints(games)
        found = points(rows, looks)
        called += any(sequence.observe(point) for point in found)
        for point in found:
            mean = point.wins[0] / point.games
            error = math.sqrt((point.wins_sq[0] / point.games - mean**2) / point.games)
            if abs(mean) > 1.96 * error:
                naive += 1
                break
    assert called <= 0.05 * runs
    assert naive > 0.15 * runs


def watched(overall: float, *fields: float, games: int = 10**6) -> DifferenceSequence:
    """A sequence that has seen these means, without any spread about them."""
    sequence = DifferenceSequence(CONTRAST, 0.005)
    means = (overall, *fields)
    sums = [round(m * u * games) for m, u in zip(means, sequence.units, strict=True)]
    squares = [s * s // games for s in sums]
    sequence.observe(Checkpoint(games, tuple(sums), tuple(squares)))
    return sequence


@pytest.mark.parametrize(
    ("means", "verdict"),
    [
        ((0.03, 0.03, 0.03), "a-better"),
        ((-0.03, -0.06, 0.0), "b-better"),
        ((0.0, 0.001, -0.001), "equivalent"),
        ((0.02, 0.07, -0.03), "depends-on-the-field"),
        ((0.0, 0.03, -0.03), "depends-on-the-field"),
        ((0.005, 0.005, 0.005), "undecided"),
    ],
)
def test_verdicts_go_by_the_margin(means: tuple[float, ...], verdict: str) -> None:
    sequence = watched(*means)
    assert sequence.verdict(sequence.intervals()) == verdict
    assert sequence.reached == (verdict != "undecided")


def test_a_precision_is_reached_by_width_whatever_the_verdict() -> None:
    sequence = DifferenceSequence(CONTRAST, 0.005, precision=0.01)
    rows = differences(wins(np.random.default_rng(2), 60_000, 0.2))
    for point in points(rows, sequence.checkpoints(60_000)):
        if sequence.observe(point):
            break
    found = sequence.intervals()[0]
    assert found.low is not None and found.high is not None
    assert found.high - found.low <= 0.02
    assert 1024 < sequence._games < 60_000


def test_so_many_more_games_decide() -> None:
    """Even if the mean of all games is as much nearer as it is in one of ten runs, they do."""
    won = wins(np.random.default_rng(5), 4096, 0.015)
    sequence = DifferenceSequence(CONTRAST, 0.005)
    sequence.observe(points(differences(won), (4096,))[0])
    assert not sequence.reached
    more = sequence.more_games()
    assert more is not None and more > 0
    own = sequence.intervals()[0]
    rows = differences(won)[0] / (WHOLE_WIN * PLAYERS * FIELDS)
    each = float((rows**2).sum()) / 4096
    for factor, decided in ((1.01, True), (0.99, False)):
        many = (4096 + more) * factor
        swing = 1.2816 * math.sqrt(each * (1 / 4096 - 1 / many))
        half = boundary(each * many, sequence.rho[0], 2.0, sequence.alpha) / many
        assert (abs(own.value or 0.0) - swing - half > 0.005) == decided


def test_no_number_of_games_decides_right_at_the_margin() -> None:
    assert watched(0.005, 0.005, 0.005).more_games() is None


def test_the_ratio_of_variances_is_that_of_single_variances_to_that_of_the_sum() -> None:
    rng = np.random.default_rng(7)
    won = wins(rng, 2000)
    won[1, 1] = won[0, 0]  # both sides win the same games: nothing is left of their difference
    won[1, 1, :300] = wins(rng, 300)[0, 0]
    found = result(won, (2000,))
    gaps = differences(won)[0]
    single = won[0, 0].var(axis=0).sum() + won[1, 1].var(axis=0).sum()
    assert variance_ratio(found) == pytest.approx(single / gaps.var())
    assert single / gaps.var() > 3


def test_everything_is_told_of_a_comparison() -> None:
    won = wins(np.random.default_rng(1), 30_000, 0.05)
    sequence = DifferenceSequence(CONTRAST, 0.005)
    looks = sequence.checkpoints(30_000)
    played = result(won, looks)
    sequence.replay(played.checkpoints)
    found = compare_strategies(played, sequence)
    assert found.verdict == "a-better" and found.more_games_needed is None
    assert found.answer.startswith("In the same seat, lowest wins more than random: ")
    assert "one extra win in 20 games" in found.answer
    first, second = found.fields
    assert first.b.value == second.a.value == pytest.approx(1 / 3)
    assert first.b.low is None
    assert first.a.value == pytest.approx(won[0, 0].mean() / WHOLE_WIN)
    assert second.b.value == pytest.approx(won[1, 1].mean() / WHOLE_WIN)
    assert second.difference.value == pytest.approx(1 / 3 - won[1, 1].mean() / WHOLE_WIN)
    gap = second.difference
    assert gap.low is not None and gap.high is not None
    assert (second.b.low, second.b.high) == pytest.approx((1 / 3 - gap.high, 1 / 3 - gap.low))
    assert len(found.history["games"]) == len(looks)
    document = found.document()
    assert document["fields"][0]["field"] == "random+random"
    latest = checkpoint(played.games, played.sums)
    assert latest == played.checkpoints[-1]


def test_an_undecided_comparison_says_what_it_takes() -> None:
    won = wins(np.random.default_rng(4), 2048, 0.004)
    sequence = DifferenceSequence(CONTRAST, 0.005)
    played = result(won, sequence.checkpoints(2048))
    sequence.replay(played.checkpoints)
    found = compare_strategies(replace(played, stopped="games"), sequence)
    assert found.verdict == "undecided"
    assert found.more_games_needed is None or found.more_games_needed > 0
    assert found.answer.startswith(
        "Undecided: these games do not settle whether in the same seat lowest or random "
    )


def test_what_is_shown_to_differ_is_not_told_as_if_none_were_possible() -> None:
    told = said_difference(Estimate(0.18, 0.004, 0.35, "jackknife"), False, sign=True)
    assert told == "+0.180 (between +0.004 and +0.350)"
