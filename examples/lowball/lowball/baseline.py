"""Lowball as one would first write it: a game at a time, in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

__all__ = ["finish", "play"]

NUMBERS, ROUNDS = 10, 5


def play(players: int, chance: random.Random) -> list[int]:
    """Final scores of one game by the usual rules, in which everybody names any number."""
    return finish(players, ROUNDS, False, lambda *_: chance.randint(1, NUMBERS))


def finish(
    players: int, rounds: int, kept: bool, choose: Callable[[int, int, Sequence[int]], int]
) -> list[int]:
    """Final scores of one game; ``choose`` is given round, seat and what all named before."""
    scores, stake, named = [0] * players, 1, [0] * players
    for number in range(rounds):
        named = [choose(number, seat, named) for seat in range(players)]
        alone = [x for x in named if named.count(x) == 1]
        if alone:
            scores[named.index(min(alone))] += stake
        stake = stake + 1 if kept and not alone else 1
    return scores
