"""The statistics from raw games, one at a time: slow, and as their definitions read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import numpy as np

from tests.statistics.samples import Records


def without(played: Records, block: int) -> Records:
    """All games but those of one block."""
    stays = np.arange(len(played.scores)) % 256 != block
    parts = ("printed", "cards", "scores", "eliminated", "bonus", "lost", "hands", "sits")
    return replace(played, **{name: getattr(played, name)[stays] for name in parts})


def jackknife_error(played: Records, estimator: Callable[[Records], float]) -> float:
    """Standard error with one block left out after the other."""
    blocks = min(256, len(played.scores))
    left_out = [estimator(without(played, block)) for block in range(blocks)]
    mean = sum(left_out) / blocks
    return float(((blocks - 1) / blocks * sum((x - mean) ** 2 for x in left_out)) ** 0.5)


def player_rounds(played: Records) -> list[tuple[int, int, int, int, int]]:
    """Every (game, seat, round, preservers printed, score)."""
    games, players, rounds = played.scores.shape
    return [
        (g, p, r, int(played.printed[g, played.hand(p, r)]), int(played.scores[g, p, r]))
        for g in range(games)
        for p in range(players)
        for r in range(rounds)
    ]


def slope(played: Records) -> float:
    """Regression of scores on counts, by the solver."""
    rows = player_rounds(played)
    lives = np.array([row[3] for row in rows], dtype=float)
    scores = np.array([row[4] for row in rows], dtype=float)
    design = np.stack([np.ones_like(lives), lives], axis=1)
    return float(np.linalg.lstsq(design, scores, rcond=None)[0][1])


def slope_within(played: Records) -> float:
    """Regression with an intercept for each table and round."""
    rows = player_rounds(played)
    tables = sorted({(g, r) for g, _, r, _, _ in rows})
    place = {table: i for i, table in enumerate(tables)}
    design = np.zeros((len(rows), len(tables) + 1))
    for i, (g, _, r, lives, _) in enumerate(rows):
        design[i, place[g, r]] = 1
        design[i, -1] = lives
    scores = np.array([row[4] for row in rows], dtype=float)
    return float(np.linalg.lstsq(design, scores, rcond=None)[0][-1])


def means(played: Records) -> dict[tuple[int, int, int], float]:
    """Mean score of each (strategy, seat, round)."""
    _, players, rounds = played.scores.shape
    return {
        (k, p, r): float(played.scores[played.sits[:, p] == k, p, r].mean())
        for p in range(players)
        for k in set(played.sits[:, p].tolist())
        for r in range(rounds)
    }


def hand_covariances(played: Records) -> tuple[float, float]:
    """sigma2 and c: covariance within a hand, and between hands of a table, in other rounds."""
    mu = means(played)
    games, players, rounds = played.scores.shape
    same, other = [], []
    for g in range(games):
        k = played.sits[g].tolist()
        cells = [(p, r) for p in range(players) for r in range(rounds)]
        for (p, r), (q, s) in permutations(cells, 2):
            if r == s:
                continue
            product = int(played.scores[g, p, r] * played.scores[g, q, s])
            pair = product - mu[k[p], p, r] * mu[k[q], q, s]
            (same if played.hand(p, r) == played.hand(q, s) else other).append(pair)
    return sum(same) / len(same), sum(other) / len(other)


def hand_share(played: Records) -> float:
    """Part of the variance of scores that stays with the dealt hand."""
    return hand_covariances(played)[0] / float(np.var(played.scores))


def rotation(played: Records) -> tuple[float, float]:
    """The hand's part of centered scores: of one round, and of the game."""
    sigma2, between = hand_covariances(played)
    _, players, rounds = played.scores.shape

    def within_seats(scores: np.ndarray) -> float:
        """Mean square of (G, P) scores centered on the table, less that of what is expected."""
        expected = np.empty_like(scores)
        for p in range(players):
            for k in set(played.sits[:, p].tolist()):
                members = played.sits[:, p] == k
                expected[members, p] = scores[members, p].mean()
        centered, of_means = (x - x.mean(axis=1, keepdims=True) for x in (scores, expected))
        return float((centered**2).mean() - (of_means**2).mean())

    # The hands a seat has played, as a matrix of counts; centered on the table's mean.
    counts = np.zeros((players, players))
    for p in range(players):
        for r in range(rounds):
            counts[p, played.hand(p, r)] += 1
    counts -= counts.mean(axis=0)
    covariance = np.full((players, players), between)
    np.fill_diagonal(covariance, sigma2)
    final = float(np.mean(np.diag(counts @ covariance @ counts.T)))
    single = np.eye(players) - 1 / players
    one = float(np.mean(np.diag(single @ covariance @ single.T)))
    a_round = np.mean([within_seats(played.scores[:, :, r].astype(float)) for r in range(rounds)])
    return one / float(a_round), final / within_seats(played.finals.astype(float))


def worth(played: Records, card: int, card_count: int = 60) -> float:
    """What holding a card is worth."""
    games, players, rounds = played.scores.shape
    scores: dict[int, list[int]] = {c: [] for c in range(1, card_count + 1)}
    for g in range(games):
        for p in range(players):
            for r in range(rounds):
                for c in played.cards[g, played.hand(p, r)].tolist():
                    scores[c].append(int(played.scores[g, p, r]))
    held = {c: sum(one) / len(one) for c, one in scores.items() if one}
    average = sum(held.values()) / len(held)
    hand_size = played.cards.shape[2]
    return (card_count - 1) / (card_count - hand_size) * (held[card] - average)


def by_count(played: Records, lives: int) -> dict[str, float]:
    """How hands with a number of preservers fare."""
    rows = [(g, p, r) for g, p, r, count, _ in player_rounds(played) if count == lives]
    wins = played.round_wins
    columns = {
        "mean_score": played.scores,
        "eliminated": played.eliminated,
        "bonus": played.bonus,
        "lost": played.lost,
        "round_win": wins / 60,
    }
    found = {name: sum(float(array[row]) for row in rows) for name, array in columns.items()}
    return {"rounds": len(rows)} | {name: x / len(rows) for name, x in found.items()}


def outer_round_wins(played: Records) -> tuple[float, float]:
    """Share of rounds won by the worst and the best twentieth of hands, by their preservers.

    Player-rounds in order, each cut into 20 equal pieces; of equal counts all pieces are alike.
    """
    wins = played.round_wins
    rows = [(count, wins[g, p, r] / 60) for g, p, r, count, _ in player_rounds(played)]
    mean = {
        count: sum(w for c, w in rows if c == count) / sum(c == count for c, _ in rows)
        for count in {c for c, _ in rows}
    }
    pieces = [mean[count] for count, _ in sorted(rows) for _ in range(20)]
    size = len(rows)
    return sum(pieces[:size]) / size, sum(pieces[-size:]) / size
