"""Every game of a run whose strategies change seats is played in its own seating, in every game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analyzer.engine.batch import Player
from analyzer.engine.record import add_to_record, new_record, recorded_games
from analyzer.engine.runner import run
from analyzer.engine.tally import add_outcome, new_tally
from analyzer.experiment import Experiment
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import find_game
from analyzer.results import RECORD
from analyzer.rules import settle
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import Player as Figures
from analyzer.study import make_request

EASY = {
    "turnthetide": ("random", "lowest", "highest", "middle"),
    "switch16": ("greedy/leader/deny:16", "never/never/hold", "always/leader/hold", "always"),
    "mermaidbeach": ("random", "greedy", "attentive", "random"),
}
TABLES = {
    "two": (0, 1), "copies": (0, 1, 0), "three": (0, 1, 2), "pairs": (1, 0, 1, 0),
    "four": (2, 1, 0, 1),
}  # fmt: skip
COUNTS = (20, 40) if JIT_DISABLED else (777, 3072 + 513)
SEATS = ("wins", "wins_sq", "outright", "score", "score_sq", "score_hist")


def experiment(game: str, table: tuple[int, ...], games: int) -> Experiment:
    return make_request(
        "fairness",
        find_game(game),
        strategies=[EASY[game][one] for one in table],
        rules={},
        games=games,
        seed=3,
        rotate=True,
    ).experiment()


def one_by_one(
    still: Experiment, numbers: tuple[int, ...], record: np.ndarray
) -> list[dict[str, np.ndarray]]:
    """Sums of each of some games with nobody moving, each played in a batch of its own."""
    player = Player(still, 256)
    seats, found = player.seatings[0], []
    table = player.game.table(still.rules, still.players, 256)
    for number in numbers:
        tally = new_tally(player.game, still)
        for seat in seats:
            seat.games = np.array([number], np.uint64)
        outcome = player.game.follow(table, still.seed, seats[0].games, seats, tally)
        add_outcome(outcome, player.score_low, tally)
        add_to_record(outcome, record)
        found.append({name: sums.sum(axis=0) for name, sums in tally.items()})
    return found


def expected(moving: Experiment, games: int) -> dict[str, np.ndarray]:
    """What a run adds up, told by games that are played one at a time."""
    own = (*SEATS, *find_game(moving.game).seat_sums)
    holders, sums = sorted(set(moving.strategies)), {RECORD: new_record()}
    rules = settle(find_game(moving.game), moving.players, {})
    for seating in moving.seatings:
        numbers = tuple(game for game in range(games) if moving.seating_of(game) == seating)
        still = Experiment(moving.game, seating, rules, 2**40, moving.seed, moving.detail)
        for game, counted in zip(numbers, one_by_one(still, numbers, sums[RECORD]), strict=True):
            for name, values in counted.items():
                rows = len(holders) if name in own else 1
                last = 1 if name == "score_hist" else 256
                into = sums.setdefault(name, np.zeros((rows, *values.shape, last), np.int64))
                if name not in own:
                    into[0, ..., game % last] += values
                    continue
                for seat, spec in enumerate(seating):
                    into[holders.index(spec), seat, ..., game % last] += values[seat]
            wins = counted["wins"]
            shape = (len(holders), moving.players, 256)
            held = sums.setdefault("held", np.zeros(shape, np.int64))
            squares = sums.setdefault(
                "strategy_wins_sq", np.zeros((1, len(holders), 256), np.int64)
            )
            for one, name in enumerate(holders):
                own_seats = [seat for seat, spec in enumerate(seating) if spec == name]
                held[one, own_seats, game % 256] += 1
                squares[0, one, game % 256] += wins[own_seats].sum() ** 2
    return sums


@pytest.mark.parametrize("game", EASY)
@pytest.mark.parametrize(
    "table",
    [
        pytest.param(table, id=name, marks=pytest.mark.long if name == "four" else ())
        for name, table in TABLES.items()
    ],
)
def test_every_game_is_played_in_its_own_seating(game: str, table: tuple[int, ...]) -> None:
    games = COUNTS[table == TABLES["four"]]
    moving = experiment(game, table, games)
    assert moving.detail == "fairness"
    found = run(moving)
    wanted = expected(moving, games)
    assert found.sums.keys() == wanted.keys()
    for name, sums in wanted.items():
        np.testing.assert_array_equal(found.sums[name], sums, err_msg=name)


def shared(moving: Experiment) -> list[dict[str, np.ndarray]]:
    """The sums of one experiment, its work shared in several ways and interrupted."""
    calls = iter(range(100))
    part = run(moving, task_size=512, cancelled=lambda: next(calls) >= 1)
    assert part.stopped == "interrupted"
    ways: tuple[dict[str, Any], ...] = (
        {},
        {"lanes": 256},
        {"lanes": 512, "task_size": 256},
        {"jobs": 2, "backend": "threads", "task_size": 1024},
        {"resume": part},
    )
    return [run(moving, **way).sums for way in ways]


@pytest.mark.skipif(JIT_DISABLED, reason="many games")
@pytest.mark.parametrize("game", EASY)
@pytest.mark.parametrize(
    "table",
    [
        pytest.param(TABLES["copies"], id="three"),
        pytest.param(TABLES["four"], id="four", marks=pytest.mark.long),
    ],
)
def test_bytes_do_not_depend_on_how_the_work_is_shared(game: str, table: tuple[int, ...]) -> None:
    wanted, *others = shared(experiment(game, table, 6144 + 513))
    for sums in others:
        assert sums.keys() == wanted.keys()
        assert all(sums[name].tobytes() == wanted[name].tobytes() for name in wanted)


@pytest.mark.skipif(JIT_DISABLED, reason="many games")
@pytest.mark.parametrize(("table", "followed"), [((0, 0), 2048), ((0, 1, 2), 1536)])
def test_the_games_that_are_followed_are_the_first_ones_in_whole_periods(
    table: tuple[int, ...], followed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analyzer.engine.record.FOLLOWED", 2048)
    moving = experiment("switch16", table, 5000)
    assert recorded_games(moving) == followed
    records = [one[RECORD] for one in shared(moving)]
    assert (records[0][0, 0] > 0).sum() == followed
    assert (records[0][0, 0].reshape(-1)[:followed] > 0).all()
    assert len({record.tobytes() for record in records}) == 1


def figures(game: str, table: tuple[int, ...]) -> tuple[dict[str, Figures], tuple[Figures, ...]]:
    """Of strategies by name, and of seats."""
    summary = summarize(run(experiment(game, table, 300)), find_game(game))
    return {player.strategy: player for player in summary.strategies}, summary.seats


@pytest.mark.skipif(JIT_DISABLED, reason="many games")
@pytest.mark.parametrize("game", EASY)
def test_figures_are_the_same_to_the_digit_in_whatever_order_one_types(game: str) -> None:
    usual = figures(game, (0, 1, 2, 1))
    for table in ((1, 1, 0, 2), (2, 1, 1, 0), (1, 2, 1, 0)):
        assert figures(game, table) == usual


@pytest.mark.skipif(JIT_DISABLED, reason="many games")
@pytest.mark.parametrize(("precision", "reached"), [(0.04, True), (0.002, False)])
def test_a_precision_is_that_of_the_strategies(precision: float, reached: bool) -> None:
    """Who never wins and who nearly always does: seats, all alike, would be far from it."""
    request = make_request(
        "simulate",
        find_game("turnthetide"),
        strategies=["reactive", "lowest", "lowest"],
        rules={},
        games=8000,
        seed=3,
        precision=precision,
        rotate=True,
    )
    rule = request.sequence()
    assert rule is not None
    assert (rule.copies, rule.step) == ((2, 1), 1536)  # lowest twice; two periods of 3 seatings
    result = run(request.experiment(), stopping=rule)
    found = summarize(result, find_game("turnthetide"), rule)
    assert found.precision_reached == reached
    assert found.interval_kind == ("sequence" if reached else "jackknife")
    assert (result.games < 8000) == reached
    for player in found.strategies:
        share = player.win_share
        assert share.kind == found.interval_kind
        assert share.low is not None and share.high is not None
        assert not reached or share.high - share.low <= 2 * precision
    assert {player.win_share.kind for player in found.seats} == {"jackknife"}
    # Resumed after the first look, the rule has seen the same.
    calls = iter(range(100))
    part = run(
        request.experiment(), stopping=request.sequence(), cancelled=lambda: next(calls) >= 1
    )
    again = request.sequence()
    resumed = run(request.experiment(), stopping=again, resume=part)
    assert (resumed.games, resumed.checkpoints) == (result.games, result.checkpoints)
    assert again is not None and again.intervals() == rule.intervals()
