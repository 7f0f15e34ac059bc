"""The kernels and the plain twin agree in every action, under many rules and line-ups.

Each combination plays 25 games, and 100 where slow tests run; ``ANALYZER_TWIN_GAMES=5000`` is the
full comparison.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from analyzer.contracts import BLOCKS, WHOLE_WIN
from analyzer.engine.batch import Player
from analyzer.engine.runner import run
from analyzer.engine.tally import add_outcome, add_seating, new_tally, no_sums
from analyzer.experiment import Experiment, Task
from analyzer.games.mermaidbeach.game import GAME
from analyzer.games.mermaidbeach.lanes import Lanes
from analyzer.games.mermaidbeach.layout import BEACH_PILE, SHELL_PILE
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import strategies
from analyzer.results import RECORD
from analyzer.specs import bind
from tests.games.mermaidbeach.told import (
    Adapter,
    Listener,
    settings,
    standard,
    told_by_twin,
    twin_game,
)
from tests.reference import mermaidbeach as twin

FEW = 2 if JIT_DISABLED else 25
MANY = int(os.environ.get("ANALYZER_TWIN_GAMES", "2" if JIT_DISABLED else "100"))
BASELINES: dict[str, twin.Player] = {"random": twin.Random(), "greedy": twin.Greedy()}
OTHERS = sorted(set(strategies("mermaidbeach")) - set(BASELINES))


@dataclass(frozen=True)
class Case:
    """A line-up under some rules, and where in the run to look."""

    strategies: tuple[str, ...]
    changes: dict[str, Any] = field(default_factory=dict)
    seed: int = 1
    first: int = 0
    share: int = 1
    """One game in so many is played."""

    @property
    def rules(self) -> twin.Rules:
        """The rules in force."""
        return standard(len(self.strategies), **self.changes)

    def games(self, count: int) -> range:
        """Which games are compared."""
        return range(self.first, self.first + max(count // self.share, 1))

    def __str__(self) -> str:
        """Name of the case in test reports."""
        rules = ",".join(f"{key}={value}" for key, value in self.changes.items()) or "standard"
        return f"{'+'.join(name[:3] for name in self.strategies)}-{rules}"


def mixed(players: int, shift: int = 0) -> tuple[str, ...]:
    """A table at which the baselines meet."""
    return tuple(("random", "greedy")[(seat * seat + shift) % 2] for seat in range(players))


STANDARD = [
    Case(lineup, {"young": True} if young else {}, seed=2**53 + players, first=first)
    for players in range(2, 6)
    for young, lineup, first in [
        (False, ("random",) * players, 0),
        (False, mixed(players), 2**40),
        (True, mixed(players, 1), 2**48 - 2**20),
    ]
] + [Case(("greedy",) * 4, seed=2**63 - 1), Case(("greedy", "random", "random"))]

ODD = [
    Case(mixed(players, shift), changes, seed=shift, share=4)
    for shift, (players, changes) in enumerate(
        [
            (2, {"ask_freely": True}),
            (3, {"play_at_beach": False, "first_player": "seat1"}),
            (3, {"item_kinds": 11, "item_copies": 3, "mean": 5, "waves": 5, "monsters": 2}),
            (4, {"item_kinds": 1, "item_copies": 15, "hand_size": 6, "merfolk": 15}),
            (4, {"shells": {2: 1, 13: 2}, "starfish_left": 9, "starfish_right": 0, "hand_size": 2}),
            (5, {"shells": {}, "starfish_left": 15, "starfish_right": 15}),
            (3, {"item_kinds": 2, "item_copies": 5, "merfolk": 0, "mean": 6, "waves": 7}),
            (2, {"item_copies": 1, "merfolk": 0, "seaweed": 15, "hand_size": 11, "max_turns": 40}),
            (3, {"hand_size": 1, "monsters": 15}),
            (5, {"hand_size": 1, "monsters": 15, "ask_freely": True}),
            (3, {"item_copies": 1, "merfolk": 0, "mean": 0, "waves": 0, "seaweed": 0,
                 "monsters": 0, "hand_size": 2, "max_turns": 30}),
            (2, {"max_turns": 1}),
            (5, {"item_kinds": 11, "item_copies": 10, "merfolk": 8, "mean": 3, "waves": 3,
                 "seaweed": 2, "shells": {value: 7 for value in range(1, 14)}, "hand_size": 12}),
        ]
    )
]  # fmt: skip


def any_rules(chance: random.Random) -> Case:
    """Whatever the settings allow."""
    players = chance.randint(2, 5)
    changes: dict[str, Any] = {
        "item_kinds": chance.randint(1, 11),
        "item_copies": chance.randint(1, 6),
        "merfolk": chance.randint(0, 9),
        "mean": chance.randint(0, 6),
        "waves": chance.randint(0, 6),
        "seaweed": chance.randint(0, 8),
        "monsters": chance.randint(0, 4),
        "shells": {chance.randint(1, 13): chance.randint(1, 9) for _ in range(5)},
        "starfish_left": chance.randint(0, 6),
        "starfish_right": chance.randint(0, 6),
        "young": chance.random() < 0.2,
        "ask_freely": chance.random() < 0.5,
        "play_at_beach": chance.random() < 0.8,
        "first_player": chance.choice(["random", "seat1"]),
        "max_turns": chance.choice([3, 50, 300]),
    }
    cards = len(standard(players, hand_size=1, **changes).beach_cards())
    changes["hand_size"] = chance.randint(1, min(8, max(cards // players, 1)))
    if cards < players:
        changes["merfolk"] = 15
    lineup = tuple(chance.choices(("random", "greedy"), k=players))
    return Case(lineup, changes, seed=chance.getrandbits(63), share=5)


ANY = [any_rules(random.Random(number)) for number in range(10)]

SEEN_BY_TWIN = [
    Case((name, other, "random", "greedy")[:players], seed=players, share=10)
    for number, name in enumerate(OTHERS)
    for players, other in [(2 + number % 3, OTHERS[number - 1])]
] + [Case(("greedy", "random"), seed=5, share=10)]

CASES = [*STANDARD, *ODD, *ANY]


def experiment_of(case: Case, **changes: Any) -> Experiment:
    """The same game as the engine takes it."""
    described = {"games": 2**48, "seed": case.seed, "detail": "fairness", **changes}
    return Experiment("mermaidbeach", case.strategies, settings(case.rules), **described)


class Sums:
    """The sums of a run, game by game from the twin's results."""

    def __init__(self, case: Case) -> None:
        experiment = experiment_of(case)
        self.arrays = new_tally(GAME, experiment)
        self.rules = case.rules
        self.low = GAME.score_range(experiment.rules, experiment.players)[0]

    def add(self, number: int, game: twin.Game, result: twin.Result) -> None:
        """Add one game."""
        b, sums, players = number % BLOCKS, self.arrays, self.rules.players
        sums["games"][b] += 1
        sums["sixtieths"][b] += WHOLE_WIN
        sums["turns"][b] += result.turns
        sums["asks_all"][b] += result.counts["asks"]
        sums["asks_met_all"][b] += result.counts["asks_met"]
        sums["starfish"][b] += result.counts["starfish"]
        sums["monster_meals"][b] += result.eaten_cards > 0
        sums["unfinished"][b] += result.end == "unfinished"
        sums["out_of_cards"][b] += result.end == "out of cards"
        sums["monster_alone"][b] += result.end == "monster alone"
        sums["first_wins"][b] += result.wins[result.first]
        dealt = [twin.Pile() for _ in range(players)]
        for event in game.log[: players * self.rules.cards_each()]:
            dealt[event.facts["seat"]].add(event.secret["card"])
        eaten = {e.facts["seat"]: e.facts for e in game.log if e.name == "monster eats"}
        for p in range(players):
            win, score = result.wins[p], result.points[p]
            holds = game.table.hands[p][twin.MONSTER] > 0
            asked = [e.facts["met"] for e in game.log if e.name == "ask" and e.facts["seat"] == p]
            sums["wins"][b, p] += win
            sums["wins_sq"][b, p] += win * win
            sums["outright"][b, p] += win == WHOLE_WIN
            sums["score"][b, p] += score
            sums["score_sq"][b, p] += score * score
            sums["score_hist"][0, p, score - self.low] += 1
            sums["position_wins"][b, (p - result.first) % players] += win
            sums["asks"][b, p] += len(asked)
            sums["asks_met"][b, p] += sum(asked)
            sums["monster_held"][b, p] += holds
            sums["monster_ate"][b, p] += p in eaten
            sums["points_eaten"][b, p] += (
                eaten[p]["value"] * eaten[p]["number"] if p in eaten else 0
            )
            sums["monster_wins"][b, p] += win if holds else 0
            hand = dealt[p]
            pairs = sum(hand[kind] // 2 for kind in range(twin.MAX_KINDS))
            special = [hand[sort] for sort in range(twin.MERFOLK, twin.MONSTER + 1)]
            f = np.array([1, *special, pairs])
            sums["opening"][b] += np.outer(f, f)
            sums["opening_wins"][b] += f * win
            # Merfolk, mean mermaids, waves, seaweed, monsters, pairs, in 128 bins from -40 on.
            value = int(f @ (0, 11, 14, -4, -4, -2, 2))
            sums["hand_values"][b, min(max(value + 40, 0), 127)] += (1, win)


def players_of(case: Case) -> list[twin.Player]:
    """Who sits at the twin's table."""
    rules = settings(case.rules)
    return [
        BASELINES[name]
        if name in BASELINES and case not in SEEN_BY_TWIN
        else Adapter(bind("mermaidbeach", name, rules, case.rules.players), seat)
        for seat, name in enumerate(case.strategies)
    ]


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, id="many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", [*CASES, *SEEN_BY_TWIN], ids=str)
def test_every_action_and_every_sum_agrees(case: Case, count: int) -> None:
    experiment = experiment_of(case)
    player = Player(experiment)
    seats = player.seatings[0]
    tally, told = new_tally(GAME, experiment), new_tally(GAME, experiment)
    sums = Sums(case)
    table = GAME.table(experiment.rules, case.rules.players, 256)
    alone = GAME.table(experiment.rules, case.rules.players, 1)
    numbers = np.array(case.games(count), np.uint64)
    for seat in seats:
        seat.games = numbers
    outcome = GAME.play(table, case.seed, numbers, seats, tally)
    add_outcome(outcome, player.score_low, tally)
    results = []
    for number in case.games(count):
        game, result = twin_game(case.rules, players_of(case), case.seed, number)
        listener = Listener()
        one = np.array([number], np.uint64)
        GAME.play(alone, case.seed, one, seats, told, listener)
        assert listener.events == told_by_twin(game, result), number
        sums.add(number, game, result)
        results.append(result)
    assert outcome.scores.T.tolist() == [list(result.points) for result in results]
    assert outcome.wins.T.tolist() == [list(result.wins) for result in results]
    assert outcome.unfinished is not None
    assert outcome.unfinished.tolist() == [result.end == "unfinished" for result in results]
    assert tally.keys() == sums.arrays.keys()
    for name, values in sums.arrays.items():
        np.testing.assert_array_equal(tally[name], values, err_msg=name)


def test_a_run_is_the_same_in_any_lanes_batches_and_jobs() -> None:
    count = 40 if JIT_DISABLED else 20_000
    experiment = experiment_of(Case(("greedy", "random", "random"), seed=4), games=count)
    reference = Player(experiment).play(Task(0, count))
    for lanes in (256, 1024) if JIT_DISABLED else (256, 512, 4096):
        again = Player(experiment, lanes).play(Task(0, count))
        for name, values in reference.items():
            np.testing.assert_array_equal(again[name], values, err_msg=name)
    if not JIT_DISABLED:
        sums = run(experiment, jobs=2, task_size=1024).sums
        for name, values in reference.items():
            np.testing.assert_array_equal(sums[name], values, err_msg=name)


def test_seatings_and_workspaces_do_not_mix() -> None:
    """Every game has another seating than the one before, and one workspace serves them all."""
    case = Case(("greedy", "random", "random"), seed=6)
    count = 40 if JIT_DISABLED else 3 * 256 + 40
    experiment = experiment_of(case, rotate=True)
    saved = Player(experiment, lanes=512).play(Task(0, count))
    expected = no_sums(GAME, experiment)
    del expected["strategy_wins_sq"], expected[RECORD]
    for seating in experiment.seatings:
        still = Experiment("mermaidbeach", seating, experiment.rules, 2**48, 6, "fairness")
        one = Player(still)
        table = GAME.table(experiment.rules, 3, 256)
        for game in range(count):
            if experiment.seating_of(game) != seating:
                continue
            tally = new_tally(GAME, still)
            for seat in one.seatings[0]:
                seat.games = np.array([game], np.uint64)
            outcome = GAME.play(table, 6, one.seatings[0][0].games, one.seatings[0], tally)
            add_outcome(outcome, one.score_low, tally)
            block = np.array([game % 256])
            add_seating(GAME, experiment, seating, block, tally, expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(saved[name], values, err_msg=name)
    assert (saved["held"].sum(axis=(1, 2)) == [count, 2 * count]).all()


def test_cards_are_conserved_in_every_lane_after_every_action() -> None:
    """Counted anew, and against what was discarded; ``ANALYZER_CHECKED_GAMES=200000`` for more."""
    count = int(os.environ.get("ANALYZER_CHECKED_GAMES", "6" if JIT_DISABLED else "3000"))
    for case in [*STANDARD[:: 6 if JIT_DISABLED else 2], ODD[2], ODD[5], ODD[12]]:
        experiment = experiment_of(case, detail="simulate")
        seats = Player(experiment).seatings[0]
        table = GAME.table(experiment.rules, case.rules.players, 512)
        checked = 0

        def check(lanes: Lanes) -> None:
            nonlocal checked
            checked += int(lanes.state.live.sum())
            conserved(lanes)

        table.check = check
        for start in range(0, count, table.room):
            numbers = np.arange(start, min(start + table.room, count), dtype=np.uint64)
            GAME.play(table, case.seed, numbers, seats, new_tally(GAME, experiment))
        assert checked >= count


def counts(piles: np.ndarray) -> np.ndarray:
    """Cards of each sort, in a new first axis."""
    shifts = np.arange(0, 64, 4, dtype=np.uint64)
    spread = piles[None] >> shifts.reshape(-1, *[1] * piles.ndim)
    return (spread & np.uint64(15)).astype(np.int64)


def conserved(lanes: Lanes) -> None:
    """No card is lost or made: in hands, decks and discards there are those of the whole deck."""
    s, facts = lanes.state, lanes.workspace.facts
    live = s.live != 0
    hands, deck = counts(s.hands[:, live]), counts(s.beach_deck[live])
    shells, shell_deck = counts(s.shells[:, live]), counts(s.shell_deck[live])
    discards = counts(facts[BEACH_PILE : BEACH_PILE + 1]) - hands.sum(1) - deck
    washed = counts(facts[SHELL_PILE : SHELL_PILE + 1]) - shells.sum(1) - shell_deck
    assert (discards >= 0).all() and (washed >= 0).all()
    assert (hands.sum(0) == s.sizes[:, live]).all()
    assert (deck.sum(0) == s.beach_left[live]).all()
    assert (shell_deck.sum(0) == s.shell_left[live]).all()
    # Who is to move finds nobody out of cards or left with monsters.
    assert (s.sizes[:, live] > 0).all()
    assert (hands[:15].sum(0) > 0).all()
    # Only points lie before players.
    assert not shells[14:].any() and not shells[0].any()


@pytest.mark.parametrize("names", [("random", "greedy"), *[(name, "random") for name in OTHERS]])
def test_all_play_everything_there_is(names: Sequence[str]) -> None:
    """The comparison covers each kind of event."""
    case = Case((names[0], names[1], "greedy"), seed=3)
    seats = Player(experiment_of(case)).seatings[0]
    table = GAME.table(settings(case.rules), 3, 1)
    listener = Listener()
    tally = new_tally(GAME, experiment_of(case))
    for number in range(3 if JIT_DISABLED else 30):
        GAME.play(table, 3, np.array([number], np.uint64), seats, tally, listener)
    names_of_events = {name for name, _ in listener.events}
    wanted = {"deal", "ask", "discard", "draw", "shell", "pass", "end"}
    if not JIT_DISABLED:
        wanted |= {"seaweed", "monster eats", "shell taken", "shell washed away"}
    assert names_of_events >= wanted
