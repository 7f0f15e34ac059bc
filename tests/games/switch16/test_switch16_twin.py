"""The kernels and the plain twin agree game by game and step by step, under many rules.

Each combination plays a few games, and 16 where slow tests run; ``ANALYZER_TWIN_GAMES=5000`` is the
full comparison.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from analyzer.contracts import Tally
from analyzer.engine.seat import SeatedStrategy
from analyzer.games.switch16.game import GAME
from analyzer.games.switch16.sums import COUNTED
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.specs import bind
from tests.games.switch16.players import (
    Listener,
    Whimsical,
    settings,
    steps_of_twin,
    whimsical_seat,
)
from tests.reference import switch16 as twin

FULL = int(os.environ.get("ANALYZER_TWIN_GAMES", "0"))
FEW = 2 if JIT_DISABLED else 4
MANY = FULL or (2 if JIT_DISABLED else 16)
TOLD = FULL or (1 if JIT_DISABLED else 4)
"""Games that are compared step by step."""

RISKS = ("never", "always", "threshold:0.5", "greedy", "to-milestone", "protected")
GREENS = ("never", "leader", "random")
BLOCKS = ("hold", "deny:16", "deny:12")


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
        return twin.Rules(len(self.strategies), **self.changes)

    def __str__(self) -> str:
        """Name of the case in test reports."""
        rules = ",".join(f"{key}={value}" for key, value in self.changes.items()) or "standard"
        return f"{'+'.join(self.strategies)}-{rules}".replace("/", ".")


def mixed(players: int, shift: int = 0) -> tuple[str, ...]:
    """A table at which the baselines meet."""
    return tuple(
        "/".join(names[(seat + shift) % len(names)] for names in (RISKS, GREENS, BLOCKS))
        for seat in range(players)
    )


def die(blank: int, green: int, red: int, block: int) -> dict[str, Any]:
    """Another Switch die."""
    return {"switch_die": {"blank": blank, "green": green, "red": red, "block": block}}


WHIMS = "!risk,swap,pick,take,lay,lay_between"
"""A whimsical player, by the hooks it declares."""

STANDARD = [
    *(Case((f"{risk}/leader/deny:12",) * 2, seed=2**63 - 1) for risk in RISKS),
    *(Case(mixed(players, shift), seed=shift) for players in (2, 3, 4) for shift in range(6)),
    Case((WHIMS,) * 2, seed=3),
    Case((WHIMS,) * 3, seed=4, first=2**48 - 2**20),
    Case((WHIMS,) * 4, seed=5),
    Case((WHIMS, "always/random/deny:12", "!take,lay", "greedy/leader/hold"), seed=6),
    Case(("!swap,lay_between", "greedy/random/deny:1", "!risk,pick"), seed=7),
]
ODD = [
    Case(strategies, changes, seed=number)
    for number, (strategies, changes) in enumerate(
        [
            (mixed(2), {"milestone_resume": 9}),
            (mixed(3, 1), {"milestone_resume": 9}),
            (mixed(4, 4), {"milestone_resume": 9, "first_player": "seat1"}),
            ((WHIMS,) * 4, {"milestone_resume": 9}),
            (mixed(2, 3), {"match_points": 30}),
            (mixed(3, 4), {"match_points": 100, "first_player": "seat1"}),
            (mixed(4, 2), {"match_points": 50, "milestone_resume": 9}),
            ((WHIMS,) * 3, {"match_points": 40}),
            (mixed(3, 2), {"match_points": 40, "max_turns": 14}),
            (mixed(2, 2), {"max_turns": 1}),
            ((WHIMS,) * 4, {"max_turns": 3}),
            (mixed(2, 1), {"max_turns": 5, "first_player": "seat1"}),
            (mixed(4, 3), {"cards": 1}),
            ((WHIMS,) * 3, {"cards": 2, "milestone": 1, "milestone_resume": 1}),
            (mixed(2, 5), {"cards": 7}),
            (mixed(3, 3), {"cards": 20, "dice": {1: 3, 7: 4, 12: 5, 17: 6}}),
            (mixed(2, 4), {"cards": 30, "dice": {1: 4, 9: 6}, "max_turns": 60}),
            (mixed(4, 1), {"faces": 1, "max_turns": 9, "dice": {1: 8}}),
            (mixed(2, 1), {"faces": 20, "dice": {1: 3}, "max_turns": 30}),
            ((WHIMS,) * 2, {"faces": 16, "max_turns": 30}),
            (mixed(3, 5), {"dice": {1: 2, 5: 3}, "faces": 10, "max_turns": 40}),
            (mixed(4, 0), {"dice": {1: 5, 4: 3, 9: 1}, "max_turns": 60}),
            (mixed(4, 5), {"milestone": 3, "milestone_resume": 4}),
            (mixed(2, 0), {"milestone": 16, "milestone_resume": 17}),
            (mixed(3, 0), {"milestone": 20, "milestone_resume": 20}),
            (mixed(3, 1), {"max_turns": 20} | die(0, 0, 3, 0)),
            (mixed(4, 2), die(1, 0, 0, 0)),
            (mixed(2, 2), {"max_turns": 50} | die(0, 7, 0, 0)),
            ((WHIMS,) * 4, {"max_turns": 50} | die(0, 0, 0, 1)),
            ((WHIMS,) * 4, die(1, 2, 2, 9)),
            ((WHIMS,) * 2, die(100, 55, 50, 50)),
        ]
    )
]


def any_case(chance: random.Random) -> Case:
    """Whatever the settings allow."""
    players = chance.randint(2, 4)
    milestone = chance.randint(1, 12)
    starts = sorted({1, *chance.sample(range(2, 16), chance.randint(0, 3))})
    changes = {
        "cards": chance.randint(1, 18),
        "dice": {start: chance.randint(1, 6) for start in starts},
        "faces": chance.randint(2, 9),
        "milestone": milestone,
        "milestone_resume": milestone + chance.randint(0, 1),
        "first_player": chance.choice(["random", "seat1"]),
        "match_points": chance.choice([0, 0, 25]),
        "max_turns": chance.choice([2, 20, 200]),
    }
    changes |= die(chance.randint(1, 4), *(chance.randint(0, 4) for _ in range(3)))
    known = [*mixed(6), WHIMS, "!risk,lay_between", "!swap,take"]
    lineup = tuple(chance.choice(known) for _ in range(players))
    return Case(lineup, changes, seed=chance.getrandbits(63))


ANY = [any_case(random.Random(number)) for number in range(20)]
EVERY = [*STANDARD, *ODD, *ANY]
CASES = EVERY[::9] if JIT_DISABLED else EVERY


def seats_of(case: Case, rules: dict[str, Any]) -> list[SeatedStrategy]:
    """The players of a case for the kernels."""
    players = case.rules.players
    bound = {
        spec: whimsical_seat(*spec[1:].split(",")).strategy
        if spec.startswith("!")
        else bind("switch16", spec, rules, players)
        for spec in dict.fromkeys(case.strategies)
    }
    return [SeatedStrategy(bound[spec]) for spec in case.strategies]


def twin_games(case: Case, games: Sequence[int]) -> list[twin.GameRecord]:
    """The same games played by the twin."""
    players: list[Any] = [
        Whimsical(*spec[1:].split(",")) if spec.startswith("!") else twin.Baseline(spec)
        for spec in case.strategies
    ]
    return [twin.play(case.rules, players, case.seed, game) for game in games]


def empty_tally(rules: dict[str, Any], players: int) -> Tally:
    """The game's own sums at zero."""
    shapes = GAME.sums(rules, players, "fairness")
    return {name: np.zeros((256, *shape), np.int64) for name, shape in shapes.items()}


def sums_of(games: Sequence[int], records: Sequence[twin.GameRecord]) -> Tally:
    """The sums that the twin's records add up to."""
    tally = {name: np.zeros(256, np.int64) for name in COUNTED}
    for game, record in zip(games, records, strict=True):
        for deal in record.deals:
            counted: Counter[str] = Counter()
            for counts in deal.counts:
                counted.update(vars(counts))
            counted["turns"] = deal.turns
            counted["deals"] = 1
            counted["first_wins"] = int(deal.winner == deal.first)
            counted["won_on_foreign_deck"] = int(_foreign(deal))
            for name in COUNTED:
                tally[name][game % 256] += counted[name]
    return tally


def _foreign(deal: twin.DealRecord) -> bool:
    """Whether the winner's deck began in another seat: follow the swaps."""
    owner = list(range(len(deal.tops)))
    for event in deal.events:
        if event.what in ("green swap", "red swap"):
            other: Any = event.facts["other"]
            owner[event.seat], owner[other] = owner[other], owner[event.seat]
    return deal.winner is not None and owner[deal.winner] != deal.winner


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


def compare(case: Case, count: int, lanes: int) -> None:
    """Play some games on both sides and compare outcomes and sums."""
    rules = settings(case.rules)
    games = range(case.first, case.first + count)
    records = twin_games(case, games)
    tally = empty_tally(rules, case.rules.players)
    table = GAME.table(rules, case.rules.players, lanes)
    numbers = np.array(games, np.uint64)
    outcome = GAME.play(table, case.seed, numbers, seats_of(case, rules), tally)
    same(outcome.scores, np.array([r.scores for r in records]).T, games, "scores")
    same(outcome.wins, np.array([r.wins for r in records]).T, games, "wins")
    assert outcome.unfinished is not None
    same(outcome.unfinished, [r.unfinished for r in records], games, "unfinished")
    low, high = GAME.score_range(rules, case.rules.players)
    assert low <= outcome.scores.min() and outcome.scores.max() <= high
    for name, expected in sums_of(games, records).items():
        np.testing.assert_array_equal(tally[name], expected, err_msg=name)


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, id="many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_game_and_every_sum_agree(case: Case, count: int) -> None:
    compare(case, count, count + 3)


@pytest.mark.skipif(JIT_DISABLED, reason="takes long where kernels are not compiled")
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("points", [0, pytest.param(20, marks=pytest.mark.slow)])
def test_lanes_that_are_filled_again_agree(players: int, points: int) -> None:
    whims = (WHIMS, *mixed(players - 1, players))
    compare(replace(Case(whims), changes={"match_points": points}), 256 * 2 + 77, 256)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_step_agrees(case: Case) -> None:
    rules = settings(case.rules)
    players = case.rules.players
    table = GAME.table(rules, players, 1)
    games = range(case.first + 7, case.first + 7 + TOLD)
    for game, record in zip(games, twin_games(case, games), strict=True):
        listener = Listener()
        seats = seats_of(case, rules)
        tally = empty_tally(rules, players)
        GAME.play(table, case.seed, np.array([game], np.uint64), seats, tally, listener)
        expected = steps_of_twin(record)
        for number, (ours, theirs) in enumerate(zip(listener.steps, expected, strict=False)):
            assert ours == theirs, f"game {game}, step {number}"
        assert len(listener.steps) == len(expected)
        assert listener.firsts == [deal.first for deal in record.deals]
        assert listener.points == [list(deal.points) for deal in record.deals]
        assert listener.limit == record.unfinished


class Stranger:
    """Asks a seat that the game knows as if it were a plugin's: its hooks are not the same."""

    def __init__(self, seat: SeatedStrategy) -> None:
        hooks = {name: self._other(hook) for name, hook in seat.strategy.hooks.items()}
        self.seat = SeatedStrategy(replace(seat.strategy, hooks=hooks))

    @staticmethod
    def _other(hook: Any) -> Any:
        return lambda view, params, words, out: hook(view, params, words, np.asarray(out))


@pytest.mark.skipif(JIT_DISABLED, reason="takes long where kernels are not compiled")
@pytest.mark.parametrize("known", ["0", "13", "0123"])
@pytest.mark.parametrize("spec", ["greedy/leader/deny:12", "threshold:0.4/random/deny:5"])
def test_the_game_answers_as_the_hooks_that_it_knows(known: str, spec: str) -> None:
    case = Case((spec, "always/leader/deny:9", spec, "to-milestone/leader/deny:16"))
    rules = settings(case.rules)
    games = range(700)
    tallies = []
    for strangers in ("0123", "".join(sorted(set("0123") - set(known)))):
        seats = seats_of(case, rules)
        for number in map(int, strangers):
            seats[number] = Stranger(seats[number]).seat
        tallies.append(empty_tally(rules, 4))
        table = GAME.table(rules, 4, 256)
        GAME.play(table, case.seed, np.array(games, np.uint64), seats, tallies[-1])
    for name, expected in tallies[0].items():
        np.testing.assert_array_equal(tallies[1][name], expected, err_msg=name)
