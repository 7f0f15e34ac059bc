"""Who sits where when strategies change seats: every distinct seating of a table, equally often.

With strategies fixed to seats, a difference between them may come from the seat. Moving all of them
on by one seat is not enough: each would keep its neighbors. So all arrangements are played, those
that only swap equal strategies counted once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import permutations

from analyzer.contracts import BLOCKS

__all__ = ["blocks_offset", "distinct_seatings", "seating_number"]


@lru_cache(maxsize=64)
def distinct_seatings(strategies: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """All seatings of a table, at most 720, in an order that does not depend on how it is typed.

    Each circular order is followed by itself moved on by one seat, by two seats and so on (a Latin
    square), so that in few games too every strategy has sat everywhere.

    Parameters
    ----------
    strategies
        One a seat, at most six.
    """
    seen: dict[tuple[str, ...], None] = {}
    for order in permutations(sorted(strategies)):
        for moved in _rotations(order):
            seen.setdefault(moved)
    return tuple(seen)


def _rotations(order: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    return (order[-k:] + order[:-k] if k else order for k in range(len(order)))


def seating_number(game: int, seatings: int) -> int:
    """Which seating a game has: ``(game + game // 256) mod seatings``.

    Consecutive games take consecutive seatings. A block has every 256th game, whose seatings are
    257 apart; 257 is prime and shares no factor with the number of seatings, a quotient of
    factorials up to 6!, so that every block meets all of them.
    """
    return (game + game // BLOCKS) % seatings


def blocks_offset(number: int, seatings: int) -> list[int]:
    """Of ``256 * seatings`` consecutive games, those of one seating: exactly one in every block.

    Parameters
    ----------
    number
        Of the seating.
    seatings
        How many there are.

    Returns
    -------
    list of int
        Entry b is the offset, b modulo 256, of the game in block b from a first game that is a
        multiple of ``256 * seatings``.
    """
    # Game 256 q + b has seating (257 q + b) mod seatings, whatever multiple it is counted from.
    step = pow(BLOCKS + 1, -1, seatings)
    return [BLOCKS * ((number - b) * step % seatings) + b for b in range(BLOCKS)]
