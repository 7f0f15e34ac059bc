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
from analyzer.results import ResultSet, checkpoint
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
    holders = ["random", "skill-0.5", "skill-2"]
    for name, seat, share, low, high in rows:
        there = played.sits[:, seat - 1] == holders.index(name)
        assert there.sum() == pytest.approx(2100 * (0.5 if name == "random" else 0.25), abs=10)
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
    for player, holder in zip(found.strategies, (0, 2, 1), strict=True):
        mine = played.sits == holder
        assert player.win_share.value == pytest.approx(played.wins[mine].mean() / 60)
        assert player.mean_score.value == pytest.approx(played.finals[mine].mean())
        assert player.sd_score == pytest.approx(played.finals[mine].std(ddof=1))
        assert player.outright_wins == (played.wins[mine] == 60).sum()

        def share(some: Records, holder: int = holder) -> float:
            return float(some.wins[some.sits == holder].mean() / 60)

        assert player.win_share.se == pytest.approx(naive.jackknife_error(played, share))
    assert found.note == ""
    assert found.answer.startswith("skill-2 wins most: ")


@pytest.mark.parametrize("games", [40, 777, 2100])
def test_figures_of_strategies_do_not_depend_on_the_order_they_are_typed_in(games: int) -> None:
    lineup = (0.0, 2.0, 0.0, 0.5)
    usual, *others = (
        summarize(
            samples.result(samples.records(games, skill=skill, rotate=True), rotate=True),
            samples.GAME,
        )
        for skill in (lineup, lineup[::-1], (2.0, 0.5, 0.0, 0.0))
    )
    for other in others:
        assert set(other.strategies) == set(usual.strategies)
        assert other.seats == usual.seats
        assert (other.verdict, other.answer) == (usual.verdict, usual.answer)
        for table, found in ((usual.scores, other.scores), (usual.history, other.history)):
            frames = [pd.DataFrame(one).sort_values(list(table)) for one in (table, found)]
            pd.testing.assert_frame_equal(*(f.reset_index(drop=True) for f in frames))


def test_scores_and_history_are_by_strategy_where_they_move() -> None:
    played = samples.records(2100, skill=(0.0, 2.0, 0.0, 0.5), rotate=True)
    found = summarize(samples.result(played, rotate=True), samples.GAME)
    scores, history = pd.DataFrame(found.scores), pd.DataFrame(found.history)
    assert list(dict.fromkeys(scores["strategy"])) == ["random", "skill-2", "skill-0.5"]
    for holder, name in enumerate(("random", "skill-0.5", "skill-2")):
        own = played.sits == holder
        rows = scores[scores["strategy"] == name]
        assert rows["games"].sum() == own.sum()
        for score, games in zip(rows["score"], rows["games"], strict=True):
            assert games == (played.finals[own] == score).sum()
        for games in (1024, 2048, 2100):
            row = history[(history["games"] == games) & (history["strategy"] == name)].iloc[0]
            early = played.first(games)
            share = early.wins[early.sits == holder].mean() / 60
            assert row["win_share"] == pytest.approx(share)
            assert row["low"] < share < row["high"]
    assert len(history) == 9


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
    sequence = WinShareSequence((1,) * 4, precision)
    points = []
    for look in sequence.checkpoints(games):
        points.append(samples.checkpoint(played, look))
        if sequence.observe(points[-1]):
            break
    played = played.first(points[-1].games)
    stopped = "precision" if sequence.reached else "games"
    return samples.result(played, checkpoints=tuple(points), stopped=stopped), sequence


def test_a_capped_run_has_the_ordinary_intervals() -> None:
    """Its number of games was fixed beforehand."""
    run, sequence = watched(4000, 0.01)
    found = summarize(run, samples.GAME, sequence)
    assert (found.games, found.interval_kind, found.precision_reached) == (4000, "jackknife", False)
    assert found.seats == summarize(run, samples.GAME).seats
    assert {player.win_share.kind for player in found.seats} == {"jackknife"}


def test_a_run_stopped_by_precision_has_the_sequences_intervals() -> None:
    run, sequence = watched(4000, 0.05)
    found = summarize(run, samples.GAME, sequence)
    assert (found.interval_kind, found.precision_reached) == ("sequence", True)
    assert found.games < 4000
    plain = summarize(run, samples.GAME)
    for player, without, interval in zip(
        found.seats, plain.seats, sequence.intervals(), strict=True
    ):
        assert player.win_share == interval
        assert player.win_share.value == pytest.approx(without.win_share.value)
        assert player.mean_score == without.mean_score
        assert interval.low is not None and without.win_share.low is not None
        assert interval.low < without.win_share.low


def test_as_games_are_added_the_intervals_are_those_of_the_rule_that_stopped_the_run() -> None:
    run, sequence = watched(9000, 0.025)
    found = summarize(run, samples.GAME, sequence)
    assert found.interval_kind == "sequence"
    history = pd.DataFrame(found.history)
    last = history[history["games"] == run.games]
    told = [(seat.win_share.value, seat.win_share.low, seat.win_share.high) for seat in found.seats]
    assert list(last[["win_share", "low", "high"]].itertuples(index=False, name=None)) == told
    before = sorted(set(history["games"]))[:-1]
    assert before and all(2 * games <= run.games for games in before)


def test_a_sequence_watches_the_strategies_that_move() -> None:
    skill = (0.0, 0.0, 0.7, -0.5)
    played = samples.records(9000, skill=skill, rotate=True)
    run = samples.result(played, rotate=True)
    sequence = WinShareSequence((2, 1, 1), 0.03, 3072)  # as `holders` are ordered
    for look in sequence.checkpoints(9000):
        point = checkpoint(look, samples.result(played.first(look), rotate=True).sums)
        assert len(point.wins) == 3
        won = [played.wins * (played.sits == one) for one in range(3)]
        together = [one[:look].sum(axis=1) for one in won]
        assert point.wins == tuple(one.sum() for one in together)
        assert point.wins_sq == tuple((one**2).sum() for one in together)
        if sequence.observe(point):
            break
    assert sequence.reached
    run = samples.result(played.first(look), rotate=True)
    found, plain = summarize(run, samples.GAME, sequence), summarize(run, samples.GAME)
    assert found.interval_kind == "sequence"
    assert [player.strategy for player in found.strategies] == ["random", "skill-0.7", "skill--0.5"]
    by_holder = sequence.intervals()
    assert [p.win_share for p in found.strategies] == [by_holder[i] for i in (0, 2, 1)]
    for player, without in zip(found.strategies, plain.strategies, strict=True):
        assert player.win_share.value == pytest.approx(without.win_share.value)
        assert player.win_share.low < without.win_share.low  # type: ignore[operator]
    assert found.seats == plain.seats


def test_one_strategy_that_moves_is_watched_by_seat() -> None:
    played = samples.records(3000, rotate=True)
    run = samples.result(played, rotate=True)
    sequence = WinShareSequence((1,) * 4, 0.05)
    assert sequence.observe(checkpoint(3000, run.sums))
    found = summarize(run, samples.GAME, sequence)
    assert [p.win_share for p in found.seats] == list(sequence.intervals())


def test_an_interrupted_run_is_judged_where_it_ended() -> None:
    played = samples.records(1500)
    sequence = WinShareSequence((1,) * 4, 0.1)
    assert sequence.observe(samples.checkpoint(played, 1024))
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
            r"where an equal share is 25%; in these games skill-0\.3 \(seat 4\) comes next with "
            r"[12]\d\.\d%\.",
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
    rotated = replace(played, sits=np.zeros_like(played.sits))
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
