"""The kernels and the plain twin agree game by game, under many rules and line-ups.

Each combination plays 30 games, and 200 where slow tests run; ``ANALYZER_TWIN_GAMES=20000`` is the
full comparison.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from analyzer.engine.batch import LANES, Player
from analyzer.engine.runner import replay
from analyzer.engine.tally import add_outcome, add_seating, new_tally, no_sums
from analyzer.experiment import Experiment, Task
from analyzer.games.turnthetide.game import GAME
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.results import RECORD
from tests.games.turnthetide.told import Listener, settings, tell
from tests.reference import turnthetide as twin
from tests.reference.turnthetide_sums import Sums

FEW = 4 if JIT_DISABLED else 30
MANY = int(os.environ.get("ANALYZER_TWIN_GAMES", "4" if JIT_DISABLED else "200"))
IDLE = 3
"""Lanes beyond the games, which must not matter."""

NAMES = tuple(twin.BASELINES)


@dataclass(frozen=True)
class Case:
    """A line-up under some rules, and where in the run to look."""

    strategies: tuple[str, ...]
    changes: dict[str, Any] = field(default_factory=dict)
    seed: int = 1
    first: int = 0

    @property
    def rules(self) -> twin.Rules:
        """The rules in force."""
        return twin.standard(len(self.strategies), **self.changes)

    def __str__(self) -> str:
        """Name of the case in test reports."""
        told = {
            key: "changed" if key == "preservers" else value for key, value in self.changes.items()
        }
        rules = ",".join(f"{key}={value}" for key, value in told.items()) or "standard"
        return f"{'+'.join(name[:3] for name in self.strategies)}-{rules}"


def mixed(players: int, shift: int = 0) -> tuple[str, ...]:
    """A table at which the baselines meet."""
    return tuple(NAMES[(seat + shift) % len(NAMES)] for seat in range(players))


STANDARD = [
    *(Case(("random",) * players, seed=players) for players in range(2, 7)),
    *(Case(mixed(players, players), seed=2**53 + 1, first=2**40) for players in range(2, 7)),
    *(Case((name,) * 4, seed=2**63 - 1) for name in NAMES if name != "random"),
    Case(("reactive", "random") * 3, first=2**48 - 2**20),
]

GENEROUS = (4,) * 60
ROWS = tuple(card % 4 for card in range(60))

ODD = [
    Case(mixed(players, shift), changes, seed=shift)
    for shift, (players, changes) in enumerate(
        [
            (2, {"end_at": 0}),
            (2, {"hand_size": 30, "tide_max": 30}),
            (2, {"rounds": 12, "allocation": "none", "drowning": "two-highest"}),
            (2, {"rounds": 1, "eliminated_may_take_bonus": True, "allocation": "flat:1"}),
            (3, {"hand_size": 20, "hands": 12}),
            (3, {"hand_size": 20, "tide_max": 60, "end_at": 0}),
            (3, {"end_at": 0, "bonus": 20, "eliminated_may_take_bonus": True}),
            (3, {"end_at": 1, "preservers": GENEROUS}),
            (4, {"rounds": 1}),
            (4, {"rounds": 11}),
            (4, {"allocation": "flat:5"}),
            (4, {"allocation": "flat:60", "bonus": 0}),
            (4, {"allocation": "none", "end_at": 1}),
            (4, {"hand_size": 1, "tide_max": 1}),
            (4, {"hand_size": 15, "hands": 4, "tide_max": 5}),
            (4, {"drowning": "two-highest", "eliminated_may_take_bonus": True}),
            (4, {"preservers": ROWS, "bonus": 2}),
            (5, {"drowning": "two-highest"}),
            (5, {"end_at": 4}),
            (5, {"end_at": 0, "drowning": "two-highest", "allocation": "flat:1"}),
            (6, {"drowning": "highest"}),
            (6, {"hand_size": 10, "tide_max": 12, "end_at": 1}),
            (6, {"hands": 3, "allocation": "flat:0"}),
            (6, {"end_at": 5, "eliminated_may_take_bonus": True, "rounds": 7}),
        ]
    )
]


def any_rules(chance: random.Random) -> Case:
    """Whatever the settings allow."""
    players = chance.randint(2, 6)
    size = chance.randint(1, 60 // players)
    hands = chance.randint(1, size)
    changes = {
        "hand_size": size,
        "hands": hands,
        "tide_max": chance.randint(hands, 60),
        "rounds": chance.choice([1, 2, 3, players, players + 1]),
        "preservers": tuple(chance.choices(range(5), [6, 4, 3, 1, 1], k=60)),
        "allocation": chance.choice(["printed", "printed", "none", f"flat:{chance.randint(0, 9)}"]),
        "drowning": chance.choice(["highest", "two-highest"]),
        "bonus": chance.randint(0, 4),
        "eliminated_may_take_bonus": chance.random() < 0.5,
        "end_at": chance.randint(0, players - 1),
    }
    return Case(tuple(chance.choices(NAMES, k=players)), changes, seed=chance.getrandbits(63))


ANY = [any_rules(random.Random(number)) for number in range(12)]

CASES = [*STANDARD, *ODD, *ANY]


def experiment_of(case: Case, **changes: Any) -> Experiment:
    """The same game as the engine takes it."""
    described = {"games": 2**48, "seed": case.seed, "detail": "fairness", **changes}
    return Experiment("turnthetide", case.strategies, settings(case.rules), **described)


def twin_games(case: Case, games: Sequence[int]) -> list[twin.GameRecord]:
    """The same games played by the twin."""
    strategies = [twin.BASELINES[name] for name in case.strategies]
    return [twin.play(case.rules, strategies, case.seed, game) for game in games]


def same(kernels: Any, twins: Any, games: Sequence[int], what: str) -> None:
    """Compare two arrays whose last axis is the game, and name the first game that differs."""
    a, b = np.asarray(kernels), np.asarray(twins)
    assert a.shape == b.shape, what
    differs = np.flatnonzero((a != b).reshape(-1, len(games)).any(axis=0))
    if differs.size:
        g = differs[0]
        pytest.fail(
            f"{what} of game {games[g]}: kernels {a[..., g].tolist()}, twin {b[..., g].tolist()}; "
            f"{differs.size} of {len(games)} games differ"
        )


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, id="many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_game_and_every_sum_agree(case, count):
    experiment = experiment_of(case)
    rules = case.rules
    player = Player(experiment)
    seats = player.seatings[0]
    tally = new_tally(GAME, experiment)
    sums = Sums(rules)
    for start in range(0, count, LANES):
        games = range(case.first + start, case.first + min(start + LANES, count))
        numbers = np.array(games, np.uint64)
        for seat in seats:
            seat.games = numbers
        table = GAME.table(experiment.rules, rules.players, len(games) + IDLE)
        outcome = GAME.play(table, case.seed, numbers, seats, tally)
        add_outcome(outcome, player.score_low, tally)

        records = twin_games(case, games)
        for game, record in zip(games, records, strict=True):
            sums.add(game, record)
        here = slice(len(games))
        masks = [[sum(1 << c - 1 for c in hand) for hand in record.deals] for record in records]
        same(table.state.deal.dealt[:, here], np.array(masks, np.uint64).T, games, "hands dealt")
        points = [[one.scores for one in record.rounds] for record in records]
        same(
            table.state.scores.by_round[:, :, here],
            np.array(points).transpose(1, 2, 0),
            games,
            "points",
        )
        hands = [record.hands_played for record in records]
        same(table.state.board.hands_played[here], hands, games, "hands played")
        same(outcome.scores, np.array([r.scores for r in records]).T, games, "scores")
        same(outcome.wins, np.array([r.wins for r in records]).T, games, "wins")
        assert outcome.unfinished is None
        assert outcome.games.tolist() == list(games)

    saved = no_sums(GAME, experiment)
    add_seating(GAME, experiment, experiment.strategies, None, tally, saved)
    del saved[RECORD]  # compared elsewhere
    assert saved.keys() == sums.arrays.keys()
    assert player.score_low == sums.lowest_score
    for name, expected in sums.arrays.items():
        assert saved[name].dtype == np.int64
        np.testing.assert_array_equal(saved[name], expected, err_msg=name)


@pytest.mark.parametrize("case", [*STANDARD[:10], *ODD, *ANY], ids=str)
def test_every_step_of_a_game_agrees(case):
    for game in {case.first, case.first + 1, case.first + 1000}:
        listener = Listener()
        outcome = replay(experiment_of(case), game, listener)
        (record,) = twin_games(case, [game])
        tides = [[(hand.low, hand.high) for hand in one.hands] for one in record.rounds]
        choices = [
            [tuple(hand.choices.get(p, 0) for p in range(case.rules.players)) for hand in one.hands]
            for one in record.rounds
        ]
        # Replayed alone, a game stops asking with its round; in a batch others may go on.
        assert listener.tides == tides
        assert listener.choices == choices
        assert listener.told(tuple(outcome.wins[:, 0].tolist())) == tell(record)


@pytest.mark.long
@pytest.mark.parametrize(
    ("names", "first", "count"),
    [
        (("lowest", "random", "reactive"), 256, 20 if JIT_DISABLED else 3 * 6 * 256 + 100),
        (("random", "lowest", "random"), 300, 20 if JIT_DISABLED else 1777),
        (("random", "lowest"), 1, 20 if JIT_DISABLED else 777),
    ],
    ids=["six seatings", "three seatings", "two seatings"],
)
def test_tasks_add_up_batches_and_seatings(names, first, count):
    """Before, in and after whole periods of the seatings, each game is one of its own seating."""
    case = Case(names, seed=6)
    experiment = experiment_of(case, rotate=True)
    saved = Player(experiment, lanes=512).play(Task(first, count))
    sums = Sums(case.rules, moving=sorted(set(names)))
    arrangements = sorted(set(itertools.permutations(names)))
    for game in range(first, first + count):
        sitting = experiment.seating_of(game)
        assert sitting in arrangements
        strategies = [twin.BASELINES[name] for name in sitting]
        sums.add(game, twin.play(case.rules, strategies, case.seed, game), sitting)
    del saved[RECORD]  # compared elsewhere
    assert saved.keys() == sums.arrays.keys()
    for name, expected in sums.arrays.items():
        np.testing.assert_array_equal(saved[name], expected, err_msg=name)
