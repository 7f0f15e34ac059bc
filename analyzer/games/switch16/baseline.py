"""Switch 16 as one would first write it: a game at a time, ``greedy/leader/deny:16`` everywhere."""

from __future__ import annotations

import itertools
import random
from functools import cache

LINE_UPS = (
    (
        "greedy/leader/hold",
        "threshold:0.5/leader/hold",
        "to-milestone/random/deny:12",
        "protected/never/deny:16",
    ),
    ("greedy/leader/hold", "threshold:0.5/leader/hold"),
)
"""Tables of unlike players to be measured beside the usual one."""

CARDS, MILESTONE = 16, 8
FACES = ("blank", "blank", "blank", "green", "red", "block")
TRAY, HELD, LAID = "tray", "held", "laid"


def _dice(top: int) -> int:
    return 3 if top < 7 else 4 if top < 12 else 5


def _going(top: int, dice: tuple[int, ...]) -> int:
    """How many cards a throw clears."""
    sums = {0}
    for die in dice:
        sums |= {made + die for made in sums}
    card = top
    while card <= CARDS and card in sums:
        card += 1
    return card - top


@cache
def _greedy(top: int, protected: bool) -> bool:
    """Whether one more throw moves the top card forward on average."""
    back = MILESTONE if protected else 1
    change = 0
    for dice in itertools.product(range(1, 7), repeat=_dice(top)):
        going = _going(top, dice)
        change += going if going else back - top
    return change > 0


def play(players: int, chance: random.Random) -> list[int]:
    """Final scores (highest card discarded) of one game by the usual rules."""
    tops, protected = [1] * players, [False] * players
    where, who = TRAY, 0
    mover = chance.randrange(players)
    for _ in range(5000):
        where, who = _turn(mover, tops, protected, where, who, chance)
        if tops[mover] > CARDS:
            break
        mover = (mover + 1) % players
    return [top - 1 for top in tops]


def _turn(
    mover: int, tops: list[int], protected: list[bool], where: str, who: int, chance: random.Random
) -> tuple[str, int]:
    """One turn; returns where the disc is then."""
    players = len(tops)
    left = [(mover + d) % players for d in range(1, players)]
    thrown = -1
    while True:
        thrown += 1
        face = FACES[chance.randrange(6)]
        dice = tuple(chance.randrange(1, 7) for _ in range(_dice(tops[mover])))
        partner = None
        if face == "green":
            willing = [seat for seat in left if (where, who) != (HELD, seat)]
            if willing:
                best = max(willing, key=lambda seat: tops[seat])
                partner = best if tops[best] > tops[mover] else None
        elif face == "red":
            lowest = min(left, key=lambda seat: tops[seat])
            partner = lowest if tops[lowest] < tops[mover] else None
        elif face == "block" and not (where == LAID and tops[who] > tops[mover]):
            where, who = HELD, mover
        if partner is not None:
            tops[mover], tops[partner] = tops[partner], tops[mover]
            protected[mover], protected[partner] = protected[partner], protected[mover]
            if where == LAID and who in (mover, partner):
                who = mover + partner - who
        if partner is not None or face == "red" or (where, who) == (LAID, mover):
            return where, who
        going = _going(tops[mover], dice)
        if not going:
            if thrown:
                tops[mover] = MILESTONE if protected[mover] else 1
            return where, who
        if where == HELD and who != mover and tops[mover] + going > CARDS:
            return LAID, mover
        tops[mover] += going
        protected[mover] = protected[mover] or tops[mover] > MILESTONE
        if tops[mover] > CARDS or not _greedy(tops[mover], protected[mover]):
            return where, who
