"""The sums that a run of Turn the Tide keeps, added up one game at a time by the plain twin.

Y is a seat's score in a round, L the whole preservers printed on the hand that it plays, F a seat's
final score. Shapes are those of saved results: the block last, and first, where strategies change
seats and the sum is one of seats, whoever sits there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.reference.turnthetide import WIN, GameRecord, RoundRecord, Rules, shares

BLOCKS = 256
SEATS = ("wins", "wins_sq", "outright", "score", "score_sq", "score_hist", "round_score", "held")
"""Sums whose first axis is who sits in a seat, the second the seat."""


class Sums:
    """All sums of a run, to which games are added by their number."""

    def __init__(self, rules: Rules, moving: Sequence[str] = ()) -> None:
        """Sums at zero; ``moving`` are the names of all who change seats, in their order."""
        players, rounds = rules.players, rules.rounds
        most_printed = sum(sorted(rules.preservers)[-rules.hand_size :]) // 2
        most_given = most_printed
        if rules.allocation == "none":
            most_given = 0
        elif rules.allocation != "printed":
            most_given = int(rules.allocation.removeprefix("flat:"))
        self.moving = tuple(moving)
        self.lowest_score = -rounds
        highest_score = rounds * (most_given + rules.bonus)
        shapes: dict[str, tuple[int, ...]] = {
            "games": (),
            "wins": (players,),
            "wins_sq": (players,),
            "outright": (players,),
            "score": (players,),
            "score_sq": (players,),
            "unfinished": (),
            "hands": (),
            "rounds": (),
            "by_count": (most_printed + 1, 7),
            "pairs": (5,),
            "within": (2,),
            "round_score": (players, rounds),
            "hand_total_sq": (),
            "round_total_sq": (),
            "table_total_sq": (),
            "cards": (60, 2),
        }
        self.arrays: dict[str, NDArray[np.int64]] = {
            name: np.zeros((self._rows(name), *shape, BLOCKS), np.int64)
            for name, shape in shapes.items()
        }
        bins = highest_score - self.lowest_score + 1
        self.arrays["score_hist"] = np.zeros((self._rows("score_hist"), players, bins, 1), np.int64)
        if moving:
            self.arrays["held"] = np.zeros((len(moving), players, BLOCKS), np.int64)
            self.arrays["strategy_wins_sq"] = np.zeros((1, len(moving), BLOCKS), np.int64)

    def _rows(self, name: str) -> int:
        return len(self.moving) if self.moving and name in SEATS else 1

    def add(self, game: int, record: GameRecord, sitting: Sequence[str] = ()) -> None:
        """Add one game; ``sitting`` names who sits in each seat, where they change seats."""
        block = game % BLOCKS
        of = {
            name: array[..., block % array.shape[-1]]
            if name in SEATS
            else array[0, ..., block % array.shape[-1]]
            for name, array in self.arrays.items()
        }
        who = [self.moving.index(name) for name in sitting] or [0] * record.rules.players

        of["games"] += 1
        for seat, (wins, score) in enumerate(zip(record.wins, record.scores, strict=True)):
            of["wins"][who[seat], seat] += wins
            of["wins_sq"][who[seat], seat] += wins**2
            of["outright"][who[seat], seat] += wins == WIN
            of["score"][who[seat], seat] += score
            of["score_sq"][who[seat], seat] += score**2
            of["score_hist"][who[seat], seat, score - self.lowest_score] += 1
            if self.moving:
                of["held"][who[seat], seat] += 1
        for one, name in enumerate(self.moving):
            won = [wins for wins, sits in zip(record.wins, sitting, strict=True) if sits == name]
            of["strategy_wins_sq"][one] += sum(won) ** 2
        of["table_total_sq"] += sum(record.scores) ** 2
        of["hands"] += record.hands_played
        of["rounds"] += len(record.rounds)

        for one in record.rounds:
            self._add_round(of, record, one, who)
        for owner, hand in enumerate(record.deals):
            points = [one.scores[one.owners.index(owner)] for one in record.rounds]
            of["hand_total_sq"] += sum(points) ** 2
            for card in hand:
                of["cards"][card - 1] += [len(points), sum(points)]

    def _add_round(
        self,
        of: dict[str, NDArray[np.int64]],
        record: GameRecord,
        one: RoundRecord,
        who: Sequence[int],
    ) -> None:
        wins = shares(one.scores)
        for seat, score in enumerate(one.scores):
            printed = one.printed[seat]
            of["by_count"][printed] += [
                1,
                score,
                score**2,
                not one.alive[seat],
                one.bonus[seat] and record.rules.bonus > 0,
                one.start[seat] - one.lives[seat],
                wins[seat],
            ]
            of["pairs"] += [1, printed, printed**2, score, printed * score]
            of["round_score"][who[seat], seat, one.number] += score
        of["within"] += [sum(one.printed) ** 2, sum(one.printed) * sum(one.scores)]
        of["round_total_sq"] += sum(one.scores) ** 2
