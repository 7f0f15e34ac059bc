"""Made-up games with the sums a run would have, without playing any.

`records` draws plausible rounds of Turn the Tide at random; `result` adds them up, plainly, as the
engine does. The statistics are tested against formulas that read the records game by game.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from analyzer.contracts import BLOCKS, Metric
from analyzer.experiment import Experiment
from analyzer.results import Checkpoint, HistoryPoint, ResultSet
from analyzer.seating import distinct_seatings, seating_number

CARDS = 60
UNIT = 60
PRINTED = (0,) * 12 + (1,) * 12 + (2,) * 12 + (1,) * 12 + (0,) * 12


@dataclass(frozen=True)
class SampleGame:
    """As much of a game as the statistics look at."""

    name: str = "turnthetide"
    title: str = "Turn the Tide"
    question: str = "Is the life-preserver distribution fair?"
    metrics: tuple[Metric, ...] = (
        Metric("hands_per_round", "hands", "rounds", "hands played in a round"),
    )
    headline: tuple[str, ...] = ("pairs",)


GAME: Any = SampleGame()
FIRST_PLAYER_GAME: Any = SampleGame(
    name="other",
    metrics=(Metric("first_player_win_share", "first_wins", "first_games", "first player wins"),),
)


@dataclass(frozen=True)
class Records:
    """Raw games: G games, P players, R rounds, H cards a hand."""

    printed: np.ndarray
    """(G, P) preservers printed on each dealt hand."""
    cards: np.ndarray
    """(G, P, H) cards of each dealt hand."""
    scores: np.ndarray
    """(G, P, R) score of each seat in each round."""
    eliminated: np.ndarray
    bonus: np.ndarray
    lost: np.ndarray
    """(G, P, R) each."""
    hands: np.ndarray
    """(G, R) hands played in each round."""
    sits: np.ndarray
    """(G, P) who sits in each seat: numbers of the ``holders`` of the line-up."""
    lineup: tuple[str, ...] = field(default=())

    @property
    def finals(self) -> Any:
        """(G, P) final scores."""
        return self.scores.sum(axis=2)

    @property
    def wins(self) -> Any:
        """(G, P) shares of the win, in 1/60."""
        best = self.finals == self.finals.max(axis=1, keepdims=True)
        return best * (UNIT // best.sum(axis=1, keepdims=True))

    @property
    def round_wins(self) -> Any:
        """(G, P, R) shares of the best round score, in 1/60."""
        best = self.scores == self.scores.max(axis=1, keepdims=True)
        return best * (UNIT // best.sum(axis=1, keepdims=True))

    def hand(self, seat: int, turn: int) -> int:
        """Which dealt hand a seat plays in a round."""
        return int((seat - turn) % self.printed.shape[1])

    def first(self, games: int) -> Records:
        """Only the first games."""
        parts = ("printed", "cards", "scores", "eliminated", "bonus", "lost", "hands", "sits")
        return replace(self, **{name: getattr(self, name)[:games] for name in parts})


def records(
    games: int,
    *,
    players: int = 4,
    rounds: int | None = None,
    hand_size: int = 12,
    seed: int = 1,
    skill: tuple[float, ...] | None = None,
    rotate: bool = False,
    halves: tuple[int, ...] = PRINTED,
    flat: int | None = None,
    gift: float = 0.87,
    noise: float = 1.5,
) -> Records:
    """Draw games in which preservers help by ``gift`` and middle cards hurt.

    ``flat`` gives every hand that number of preservers; with the same seed the deals and all other
    chance stay the same. ``skill`` is what each strategy scores more; equal ones are copies.
    """
    rng = np.random.default_rng(seed)
    rounds = players if rounds is None else rounds
    skill = (0.0,) * players if skill is None else skill
    cards = np.argsort(rng.random((games, CARDS)), axis=1)[:, : players * hand_size] + 1
    cards = cards.reshape(games, players, hand_size)
    printed = np.array(halves)[cards - 1].sum(axis=2) // 2
    lives = printed if flat is None else np.full_like(printed, flat)
    hardness = (12 - np.abs(cards - 36)).clip(0).sum(axis=2)
    names = tuple(f"skill-{x:g}" if x else "random" for x in skill)
    sits = seated(names, games, rotate)
    better = dict(zip(names, skill, strict=True))
    more = np.array([better[name] for name in sorted(better)])[sits]
    spread = rng.normal(size=(games, players, rounds)) * noise
    chance = rng.random((3, games, players, rounds))
    scores = np.empty((games, players, rounds), dtype=np.int64)
    for seat in range(players):
        for turn in range(rounds):
            hand = (seat - turn) % players
            middle = -2.3 + gift * lives[:, hand] - 0.03 * (hardness[:, hand] - 29)
            exact = middle + more[:, seat] + spread[:, seat, turn]
            scores[:, seat, turn] = np.clip(np.rint(exact), -1, 12)
    eliminated = scores < 0
    lost = (chance[0] * 5).astype(np.int64)
    bonus = (chance[1] < 0.27) & ~eliminated
    hands = 10 + (chance[2, :, 0, :] * 3).astype(np.int64)
    return Records(printed, cards, scores, eliminated, bonus, lost, hands, sits, names)


def result(
    played: Records,
    *,
    seed: int = 1,
    rotate: bool = False,
    allocation: str = "printed",
    halves: tuple[int, ...] = PRINTED,
    history: bool = True,
    checkpoints: tuple[Checkpoint, ...] = (),
    stopped: Any = "games",
    detail: str = "fairness",
) -> ResultSet:
    """The sums of records, as the engine would keep them."""
    games, _, rounds = played.scores.shape
    points = [1024 * 2**k for k in range(30) if 1024 * 2**k <= games] if history else []
    experiment = Experiment(
        game="turnthetide",
        strategies=played.lineup,
        rules={
            "hand_size": played.cards.shape[2],
            "hands": played.cards.shape[2],
            "rounds": rounds,
            "preservers": halves,
            "allocation": allocation,
        },
        games=games,
        seed=seed,
        detail=detail,
        rotate=rotate,
    )
    keep = ("games", "wins", "wins_sq", "pairs")
    past = []
    for point in points:
        early = sums(played.first(point), rotate)
        past.append(HistoryPoint(point, {name: early[name] for name in keep}))
    return ResultSet(
        experiment=experiment,
        games=games,
        sums=sums(played, rotate),
        history=tuple(past),
        stopped=stopped,
        seconds=0.5,
        score_low=-rounds,
        checkpoints=checkpoints,
    )


def seated(lineup: tuple[str, ...], games: int, rotate: bool) -> np.ndarray:
    """(G, P) who sits in each seat: numbers of the ``holders`` of the line-up."""
    holders = sorted(set(lineup))
    seatings = distinct_seatings(lineup) if rotate else (lineup,)
    numbers = np.array([[holders.index(name) for name in seating] for seating in seatings])
    return numbers[[seating_number(game, len(seatings)) for game in range(games)]]


def add_up(values: np.ndarray, sits: np.ndarray | None = None) -> np.ndarray:
    """Sum (G, ...) over the games of each block: (1, ..., 256), or by who sits: (holders, ...)."""
    holders = 1 if sits is None else int(sits.max()) + 1
    total = np.zeros((holders, BLOCKS, *values.shape[1:]), dtype=np.int64)
    blocks = np.arange(len(values)) % BLOCKS
    for holder in range(holders):
        mine = values
        if sits is not None:
            there = (sits == holder).reshape(*sits.shape, *(1,) * (values.ndim - 2))
            mine = np.where(there, values, 0)
        np.add.at(total[holder], blocks, mine)
    return np.moveaxis(total, 1, -1)


def strategy_wins_sq(wins: np.ndarray, sits: np.ndarray) -> np.ndarray:
    """(1, holders, 256) squares of what the copies of each strategy win of a game together."""
    together = [np.where(sits == one, wins, 0).sum(axis=1) for one in range(sits.max() + 1)]
    return add_up(np.stack(together, axis=1) ** 2)


def counted(scores: np.ndarray, low: int, bins: int, sits: np.ndarray | None) -> np.ndarray:
    """(1 or holders, P, bins, 1) how often each seat scored what."""
    if sits is None:
        sits = np.zeros_like(scores)
    found = np.zeros((sits.max() + 1, scores.shape[1], bins, 1), dtype=np.int64)
    for seat in range(scores.shape[1]):
        np.add.at(found[:, seat, :, 0], (sits[:, seat], scores[:, seat] - low), 1)
    return found


def sums(played: Records, rotate: bool) -> dict[str, np.ndarray]:
    """Integer sums by block; those of seats also by who sits there, if strategies move."""
    games, players, rounds = played.scores.shape
    finals, wins, round_wins = played.finals, played.wins, played.round_wins
    add, who = add_up, played.sits if rotate else None

    turns, seats = np.arange(rounds), np.arange(players)
    held = (seats[:, None] - turns) % players
    lives = played.printed[:, held]
    by_hand = np.zeros((games, players), dtype=np.int64)
    for turn in turns:
        by_hand[:, held[:, turn]] += played.scores[:, :, turn]

    most = int(played.printed.max())
    by_count = np.zeros((games, most + 1, 7), dtype=np.int64)
    columns = (
        np.ones_like(played.scores),
        played.scores,
        played.scores**2,
        played.eliminated,
        played.bonus,
        played.lost,
        round_wins,
    )
    for column, values in enumerate(columns):
        for count in range(most + 1):
            by_count[:, count, column] = np.where(lives == count, values, 0).sum(axis=(1, 2))

    cards = np.zeros((games, CARDS, 2), dtype=np.int64)
    for hand in range(players):
        row = np.arange(games)[:, None]
        cards[row, played.cards[:, hand] - 1, 0] = rounds
        cards[row, played.cards[:, hand] - 1, 1] = by_hand[:, hand, None]

    pairs = np.stack(
        [
            np.full(games, players * rounds),
            lives.sum(axis=(1, 2)),
            (lives**2).sum(axis=(1, 2)),
            played.scores.sum(axis=(1, 2)),
            (lives * played.scores).sum(axis=(1, 2)),
        ],
        axis=1,
    )
    table_lives, table_scores = lives.sum(axis=1), played.scores.sum(axis=1)
    within = np.stack(
        [(table_lives**2).sum(axis=1), (table_lives * table_scores).sum(axis=1)], axis=1
    )
    low, high = -rounds, int(finals.max())
    moving = {}
    if rotate:
        moving = {
            "held": add(np.ones_like(wins), who),
            "strategy_wins_sq": strategy_wins_sq(wins, played.sits),
        }
    return {
        **moving,
        "games": add(np.ones(games, dtype=np.int64)),
        "unfinished": add(np.zeros(games, dtype=np.int64)),
        "wins": add(wins, who),
        "wins_sq": add(wins**2, who),
        "outright": add((wins == UNIT).astype(np.int64), who),
        "score": add(finals, who),
        "score_sq": add(finals**2, who),
        "score_hist": counted(finals, low, high - low + 1, who),
        "hands": add(played.hands.sum(axis=1)),
        "rounds": add(np.full(games, rounds)),
        "by_count": add(by_count),
        "pairs": add(pairs),
        "within": add(within),
        "round_score": add(played.scores, who),
        "hand_total_sq": add((by_hand**2).sum(axis=1)),
        "round_total_sq": add((table_scores**2).sum(axis=1)),
        "table_total_sq": add(table_scores.sum(axis=1) ** 2),
        "cards": add(cards),
    }


def checkpoint(played: Records, games: int) -> Checkpoint:
    """What a stopping rule would see after the first games."""
    wins = played.wins[:games]
    return Checkpoint(
        games, tuple(wins.sum(axis=0).tolist()), tuple((wins**2).sum(axis=0).tolist())
    )
