"""The figures every game has, against raw games."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analyzer.contracts import Metric
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.statistics.intervals import wilson
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import Estimate
from tests.statistics import naive, samples
from tests.statistics.samples import Records


def test_seats_follow_from_the_raw_games() -> None:
    played = samples.records(400, players=3, skill=(0.0, 0.5, 0.0))
    found = summarize(samples.result(played), samples.GAME)
    assert [player.seat for player in found.seats] == [1, 2, 3]
    assert [player.strategy for player in found.seats] == ["random", "skill-0.5", "random"]
    for seat, player in enumerate(found.seats):
        finals, wins = played.finals[:, seat], played.wins[:, seat]
        assert player.win_share.value == pytest.approx(wins.mean() / 60)
        assert player.mean_score.value == pytest.approx(finals.mean())
        assert player.sd_score == pytest.approx(finals.std(ddof=1))
        assert player.outright_wins == (wins == 60).sum()

        def share(some: Records, seat: int = seat) -> float:
            return float(some.wins[:, seat].mean() / 60)

        def score(some: Records, seat: int = seat) -> float:
            return float(some.finals[:, seat].mean())

        assert player.win_share.se == pytest.approx(naive.jackknife_error(played, share))
        assert player.mean_score.se == pytest.approx(naive.jackknife_error(played, score))
    assert found.strategies == ()
    assert (found.games, found.players, found.unfinished) == (400, 3, 0)
    assert found.interval_kind == "jackknife"
    assert found.precision_reached is None


def test_rotation_tells_how_strategies_fare_in_each_seat() -> None:
    lineup = (0.0, 2.0, 0.0, 0.5)
    played = samples.records(2100, skill=lineup, rotate=True)
    found = summarize(samples.result(played, rotate=True), samples.GAME)
    assert found.places is not None
    rows = list(zip(*found.places.values(), strict=True))
    names = ["random", "skill-2", "skill-0.5"]
    assert [(row[0], row[1]) for row in rows] == [(n, s) for n in names for s in (1, 2, 3, 4)]
    sits = {"random": (0, 2), "skill-2": (1,), "skill-0.5": (3,)}
    classes = np.arange(2100) // 256 % 4
    for name, seat, share, low, high in rows:
        there = np.isin((seat - 1 - classes) % 4, sits[name])
        assert share == pytest.approx(played.wins[there, seat - 1].mean() / 60)
        assert low < share < high
    assert summarize(samples.result(samples.records(300)), samples.GAME).places is None


def test_rotation_tells_strategies_from_seats() -> None:
    lineup = (0.0, 2.0, 0.0, 0.5)
    played = samples.records(2100, skill=lineup, rotate=True)
    found = summarize(samples.result(played, rotate=True), samples.GAME)
    assert [player.strategy for player in found.seats] == ["rotated"] * 4
    assert [(p.strategy, p.copies, p.seat) for p in found.strategies] == [
        ("random", 2, None),
        ("skill-2", 1, None),
        ("skill-0.5", 1, None),
    ]
    wins: dict[int, list[list[float]]] = {s: [[] for _ in range(4)] for s in range(4)}
    finals: dict[int, list[int]] = {s: [] for s in range(4)}
    won = played.wins / 60
    for g in range(2100):
        k = g // 256 % 4
        for s in range(4):
            seat = (s + k) % 4
            wins[s][k].append(won[g, seat])
            finals[s].append(int(played.finals[g, seat]))
    shares = [np.mean([np.mean(by_class) for by_class in wins[s]]) for s in range(4)]
    expected = [(shares[0] + shares[2]) / 2, shares[1], shares[3]]
    assert [p.win_share.value for p in found.strategies] == pytest.approx(expected)
    assert found.strategies[0].sd_score == pytest.approx(np.std(finals[0] + finals[2], ddof=1))
    outright = sum(share == 1 for by_class in wins[0] + wins[2] for share in by_class)
    assert found.strategies[0].outright_wins == outright
    assert found.note == ""
    assert found.answer.startswith("skill-2 wins most: ")


def test_equal_strategies_win_alike_under_rotation() -> None:
    played = samples.records(1024, rotate=True)
    found = summarize(samples.result(played, rotate=True), samples.GAME)
    (only,) = found.strategies
    assert only.copies == 4
    assert only.win_share.value == pytest.approx(0.25)
    assert only.win_share.low is None


def test_metrics_are_ratios_of_sums() -> None:
    played = samples.records(500)
    found = summarize(samples.result(played), samples.GAME).metrics["hands_per_round"]
    assert found.value == pytest.approx(played.hands.mean())
    error = naive.jackknife_error(played, lambda some: float(some.hands.mean()))
    assert found.se == pytest.approx(error)


@pytest.mark.parametrize("games", [40, 256, 1024])
def test_intervals_are_the_textbooks_of_the_means_of_blocks(games: int) -> None:
    """Student's, with one degree of freedom less than there are blocks of equal size."""
    played = samples.records(games, skill=(0.0, 0.5, 0.0, 0.0))
    found = summarize(samples.result(played), samples.GAME)
    block = np.arange(games) % 256
    blocks = min(games, 256)

    def textbook(values: np.ndarray) -> tuple[float, float]:
        means = [values[block == b].mean() for b in range(blocks)]
        low, high = stats.t.interval(0.95, blocks - 1, np.mean(means), stats.sem(means))
        return float(low), float(high)

    for seat, player in enumerate(found.seats):
        score = player.mean_score
        assert (score.low, score.high) == pytest.approx(textbook(played.finals[:, seat]))
        share = player.win_share
        if share.kind != "wilson":
            assert (share.low, share.high) == pytest.approx(textbook(played.wins[:, seat] / 60))
    assert (found.seats[0].win_share.kind == "wilson") == (games == 40)
    hands = found.metrics["hands_per_round"]
    assert (hands.low, hands.high) == pytest.approx(textbook(played.hands.mean(axis=1)))


def with_metric(games: int, happens: np.ndarray, **how: Any) -> Estimate:
    """What a metric tells of something that happens in some of the games."""
    run = samples.result(samples.records(games))
    count = np.bincount(np.arange(games) % 256, weights=happens, minlength=256).astype(np.int64)
    unit = how.get("unit", 1)
    sums = {**run.sums, "some": unit * count[None], "all": unit * run.sums["games"]}
    metric = Metric("some_rate", "some", "all", "games with something", **how)
    game = replace(samples.GAME, metrics=(metric,))
    return summarize(replace(run, sums=sums), game).metrics["some_rate"]


@pytest.mark.parametrize("unit", [1, 60])
@pytest.mark.parametrize("times", [0, 29, 471, 500])
def test_rare_shares_among_the_metrics_have_wilsons_interval(times: int, unit: int) -> None:
    found = with_metric(500, np.arange(500) < times, kind="share", unit=unit)
    assert (found.value, found.kind) == (times / 500, "wilson")
    assert (found.low, found.high) == wilson(times, 500)


def test_shares_among_the_metrics_stay_within_their_bounds() -> None:
    # All failures fall in one block, which alone then decides how wide the interval is.
    happens = np.arange(20_000) % 256 > 0
    share, mean = (with_metric(20_000, happens, kind=kind) for kind in ("share", "mean"))
    assert share.value == mean.value == happens.mean()
    assert share.low == mean.low
    assert mean.high is not None and mean.high > 1
    assert share.high == 1


def test_the_games_say_which_of_their_figures_are_shares() -> None:
    shares = {
        name: {metric.name for metric in find_game(name).metrics if metric.kind == "share"}
        for name in ("turnthetide", "switch16", "mermaidbeach")
    }
    assert shares == {
        "turnthetide": set(),
        "switch16": {"first_player_win_share"},
        "mermaidbeach": {
            "first_player_win_share",
            "ask_success_rate",
            "monster_penalty_rate",
            "ended_out_of_cards",
            "ended_monster_alone",
        },
    }


def test_metrics_without_their_sums_are_left_out() -> None:
    game = replace(samples.GAME, metrics=(Metric("odd", "none", "games", "not kept"),))
    assert summarize(samples.result(samples.records(50)), game).metrics == {}


def test_score_histogram_is_a_frame() -> None:
    played = samples.records(300, players=3)
    frame = pd.DataFrame(summarize(samples.result(played), samples.GAME).scores)
    assert list(frame.columns) == ["seat", "score", "games"]
    for seat, score, games in frame.itertuples(index=False):
        assert games == (played.finals[:, seat - 1] == score).sum()
    assert frame["games"].sum() == 900
    assert frame["score"].min() == played.finals.min()
    assert frame["score"].max() == played.finals.max()


def test_history_ends_with_the_run() -> None:
    played = samples.records(3000)
    frame = pd.DataFrame(summarize(samples.result(played), samples.GAME).history)
    assert list(frame.columns) == ["games", "seat", "win_share", "low", "high"]
    assert sorted(set(frame["games"])) == [1024, 2048, 3000]
    for games, seat, share, low, high in frame.itertuples(index=False):
        assert share == pytest.approx(played.wins[:games, seat - 1].mean() / 60)
        assert low < share < high
    last = summarize(samples.result(played), samples.GAME).seats[2].win_share
    row = frame[(frame["games"] == 3000) & (frame["seat"] == 3)].iloc[0]
    assert (row["low"], row["high"]) == (last.low, last.high)
    assert (frame["games"] == 3000).sum() == 4
    even = summarize(samples.result(played.first(2048)), samples.GAME).history
    assert len(even["games"]) == 8


def watched(games: int, precision: float) -> tuple[ResultSet, WinShareSequence]:
    played = samples.records(games)
    sequence = WinShareSequence(4, precision)
    points = []
    for look in sequence.checkpoints(games):
        points.append(samples.checkpoint(played, look))
        if sequence.observe(points[-1]):
            break
    played = played.first(points[-1].games)
    stopped = "precision" if sequence.reached else "games"
    return samples.result(played, checkpoints=tuple(points), stopped=stopped), sequence


@pytest.mark.parametrize(("precision", "reached"), [(0.05, True), (0.01, False)])
def test_a_watched_run_has_the_sequences_intervals(precision: float, reached: bool) -> None:
    run, sequence = watched(4000, precision)
    found = summarize(run, samples.GAME, sequence)
    assert (found.interval_kind, found.precision_reached) == ("sequence", reached)
    assert (found.games < 4000) == reached
    plain = summarize(run, samples.GAME)
    for player, without, interval in zip(
        found.seats, plain.seats, sequence.intervals(), strict=True
    ):
        assert player.win_share == interval
        assert player.win_share.value == pytest.approx(without.win_share.value)
        assert player.mean_score == without.mean_score
        assert interval.low is not None and without.win_share.low is not None
        assert interval.low < without.win_share.low


def test_an_interrupted_run_is_judged_where_it_ended() -> None:
    played = samples.records(1500)
    sequence = WinShareSequence(4, 0.01)
    sequence.observe(samples.checkpoint(played, 1024))
    found = summarize(samples.result(played), samples.GAME, sequence)
    assert found.seats[0].win_share.value == pytest.approx(played.wins[:, 0].mean() / 60)
    assert found.seats[0].win_share.kind == "sequence"


def test_a_seat_that_never_wins_has_wilsons_interval() -> None:
    played = samples.records(500, skill=(40.0, 0.0, 0.0, 0.0))
    found = summarize(samples.result(played), samples.GAME).seats
    assert (found[0].win_share.value, found[1].win_share.value) == (1.0, 0.0)
    assert found[1].win_share.kind == "wilson"
    assert found[1].win_share.low == 0.0
    # Wilson's upper end without a success: z^2 / (n + z^2).
    assert found[1].win_share.high == pytest.approx(3.8415 / 503.8415, rel=1e-4)


def test_one_game_has_figures_but_no_intervals() -> None:
    found = summarize(samples.result(samples.records(1)), samples.GAME)
    assert found.interval_kind == "none"
    for player in found.seats:
        assert player.win_share.value is not None
        assert (player.win_share.low, player.mean_score.low, player.sd_score) == (None, None, None)
    assert found.answer == "Too few games to say who wins more: 1 played, at least 30 needed."
    assert found.verdict == "too-few"


@pytest.mark.parametrize(
    ("skill", "verdict", "answer"),
    [
        (
            (0.0,) * 4,
            "level",
            r"No seat is shown to win more than another: in 3,000 games the seats won "
            r"from 2\d\.\d\d% to 2\d\.\d\d%, where an equal share is 25%; chance alone makes them "
            r"differ at least this much in \d+% of runs\.",
        ),
        (
            (0.0, 0.0, 1.0, 0.3),
            "ranked",
            r"skill-1 \(seat 3\) wins most: 5\d\.\d% \(between 5\d\.\d% and 6\d\.\d%\) of games, "
            r"where an equal share is 25%; next comes skill-0\.3 \(seat 4\) with [12]\d\.\d%\.",
        ),
        (
            (1.0, 1.01, 0.0),
            "too-close",
            r"Too close to call between skill-1(\.01)? \(seat \d\), which wins \d\d\.\d% \(between "
            r"\d\d\.\d% and \d\d\.\d%\) of games, and skill-1(\.01)? \(seat \d\) with .*; an equal "
            r"share is 33\.3%\.",
        ),
    ],
)
def test_one_sentence_answers(skill: tuple[float, ...], verdict: str, answer: str) -> None:
    played = samples.records(3000, players=len(skill), skill=skill)
    found = summarize(samples.result(played), samples.GAME)
    assert re.fullmatch(answer, found.answer), found.answer
    assert found.verdict == verdict
    assert bool(found.note) == (len(set(skill)) > 1)


def test_seats_that_differ_are_named() -> None:
    played = replace(samples.records(3000, skill=(0.5, 0.0, 0.0, 0.0)), lineup=("random",) * 4)
    found = summarize(samples.result(played), samples.GAME)
    assert found.answer.startswith("Seat 1 wins most: ")
    assert found.note == ""
    # Rotating one strategy changes nothing: it is seats that differ.
    rotated = replace(played, classes=np.arange(3000) // 256 % 4)
    found = summarize(samples.result(rotated, rotate=True), samples.GAME)
    assert found.answer.startswith("Seat 1 wins most: ")


@pytest.mark.parametrize(
    ("stopped", "verdict", "answer"),
    [
        (1.0, "nobody-wins", r"Nobody wins: all 1,000 games were stopped at the turn limit\."),
        (0.6, "level", r".* an equal share is 10% as 60% have no winner.*\."),
    ],
)
def test_games_without_a_winner_are_told(stopped: float, verdict: str, answer: str) -> None:
    run = samples.result(samples.records(1000))
    # Everybody is left the same part of each win.
    sums = {**run.sums, "wins": np.round(run.sums["wins"] * (1 - stopped)).astype(np.int64)}
    found = summarize(replace(run, sums=sums), samples.GAME)
    assert re.fullmatch(answer, found.answer)
    assert found.verdict == verdict
