"""Lowball keeps its contract, and plays as a plain twin of it does."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer import fairness
from analyzer.checks import check_module, game_findings
from analyzer.engine.runner import replay
from analyzer.experiment import Experiment
from analyzer.kernels.random import game_keys, words
from analyzer.plugins import find_game
from analyzer.rules import settle
from lowball import strategies
from lowball.baseline import finish
from lowball.state import PURPOSE_DECIDE

SEED, NUMBERS, ROUNDS = 7, 10, 12


def any_number(word: int, others: Sequence[int]) -> int:
    return 1 + (word * NUMBERS >> 64)


def low(word: int, others: Sequence[int]) -> int:
    number = 1
    while number < NUMBERS and word / 2**64 >= 1 - 0.7**number:
        number += 1
    return number


def unnamed(word: int, others: Sequence[int]) -> int:
    return min(set(range(1, NUMBERS + 1)) - set(others), default=NUMBERS)


PLAIN: dict[str, Callable[[int, Sequence[int]], int]] = {
    "any-number": any_number,
    "low:0.3": low,
    "unnamed": unnamed,
}
"""The strategies, each as one would first write it."""


def test_the_game_and_its_strategies_keep_their_contracts() -> None:
    findings = [*game_findings("lowball"), *check_module(strategies)]
    assert [finding for finding in findings if not finding.passed] == []


def test_games_end_as_in_plain_python() -> None:
    """Game by game, on the same chance."""
    table, count = ("any-number", "low:0.3", "unnamed", "low:0.3"), 300
    chance = words_for(len(table), count)
    for unclaimed in ("lost", "kept"):
        rules = settle(find_game("lowball"), 4, {"rounds": ROUNDS, "unclaimed": unclaimed})
        experiment = Experiment("lowball", table, rules, games=count, seed=SEED)
        for game in range(count):
            plain = played_plainly(table, unclaimed == "kept", chance[..., game].tolist())
            assert played(experiment, game) == plain


def words_for(players: int, count: int) -> NDArray[np.uint64]:
    """(rounds, players, games) what each seat's decisions are drawn from."""
    keys = game_keys(SEED, np.arange(count, dtype=np.uint64))
    found = np.empty((ROUNDS, players, count), np.uint64)
    for number, seat in np.ndindex(ROUNDS, players):
        words(keys, PURPOSE_DECIDE + seat, number, found[number, seat])
    return found


def played(experiment: Experiment, game: int) -> tuple[list[int], list[int]]:
    """All numbers that were named in a game, and its final scores."""
    named: list[int] = []

    def listen(event: str, facts: Mapping[str, Any]) -> None:
        named.extend(facts["numbers"] if event == "named" else ())

    outcome = replay(experiment, game, listen)
    return named, outcome.scores[:, 0].tolist()


def played_plainly(
    table: Sequence[str], kept: bool, chance: Sequence[Sequence[int]]
) -> tuple[list[int], list[int]]:
    """The same from the plain game."""
    named: list[int] = []

    def choose(number: int, seat: int, before: Sequence[int]) -> int:
        others = [one for other, one in enumerate(before) if other != seat]
        named.append(PLAIN[table[seat]](chance[number][seat], others))
        return named[-1]

    return named, finish(len(table), ROUNDS, kept, choose)


def test_numbers_win_as_often_as_can_be_worked_out() -> None:
    """Where three players name any number; and all alike in their equilibrium."""
    for one in numbers_of("any-number"):
        rivals = itertools.product(range(1, NUMBERS + 1), repeat=2)
        wins = sum(
            one.number not in (a, b) and (min(a, b) > one.number or a == b) for a, b in rivals
        )
        assert abs(one.wins.value - wins / NUMBERS**2) < 0.01
    for one in numbers_of("low")[:5]:
        assert abs(one.wins.value - 0.2956) < 0.01


def numbers_of(strategy: str) -> Any:
    found = fairness("lowball", strategy, players=3, games=20_000, seed=SEED)
    return found.fairness.figures["naming"].numbers
