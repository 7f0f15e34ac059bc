"""Made-up games of Mermaid Beach with the sums a run would have, without playing any."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analyzer.experiment import Experiment
from analyzer.results import HistoryPoint, ResultSet
from tests.statistics.samples import add_up, counted, seated, strategy_wins_sq

CARDS = 6
WORTH = (0.06, 0.02, 0.01, 0.0, -0.05, 0.09)
"""What the cards of an opening hand add to the strength of a player."""


@dataclass(frozen=True)
class Records:
    """Raw games, G of them with P players; arrays by seat unless said otherwise."""

    hands: np.ndarray
    """(G, P, 6) cards counted in the opening hands."""
    first: np.ndarray
    """(G,) seat of the player who began."""
    wins: np.ndarray
    """(G, P) shares of the win, in 1/60."""
    held: np.ndarray
    eaten: np.ndarray
    """(G, P) a monster at the end; points it ate."""
    asks: np.ndarray
    met: np.ndarray
    """(G, P) questions, and those met."""
    ended: np.ndarray
    """(G,) 0 out of cards, 1 monster alone, 2 unfinished."""
    sits: np.ndarray
    """(G, P) who sits in each seat: numbers of the ``holders`` of the line-up."""
    lineup: tuple[str, ...]

    def chosen(self, which: Any) -> Records:
        """Some of the games."""
        arrays = {n: a[which] for n, a in vars(self).items() if isinstance(a, np.ndarray)}
        return replace(self, **arrays)


def records(
    games: int,
    *,
    players: int = 4,
    first: float = 0.0,
    hand: float = 1.0,
    skill: tuple[float, ...] = (),
    lineup: tuple[str, ...] = (),
    rotate: bool = False,
    seed: int = 1,
    unfinished: float = 0.0,
) -> Records:
    """Draw games.

    ``first`` is what going first adds to a player's strength, ``hand`` scales what the opening hand
    adds, ``skill`` is each strategy's (that of copies must be equal). The strongest after an
    exponential draw wins; one game in twenty is shared by two.
    """
    rng = np.random.default_rng(seed)
    hands = np.minimum(rng.poisson((1.0, 0.2, 0.2, 0.4, 0.1, 0.6), (games, players, CARDS)), 5)
    began = rng.integers(players, size=games)
    lineup = lineup or ("random",) * players
    sits = seated(lineup, games, rotate)
    seats = np.arange(players)
    strength = 1.0 + hand * (hands @ np.array(WORTH)) + first * (began[:, None] == seats)
    if skill:
        own = dict(zip(lineup, skill, strict=True))
        assert tuple(own[name] for name in lineup) == skill
        strength = strength + np.array([own[name] for name in sorted(own)])[sits]
    draw = rng.exponential(size=(games, players)) / np.maximum(strength, 0.01)
    order = np.argsort(draw, axis=1)
    wins = np.zeros((games, players), dtype=np.int64)
    rows = np.arange(games)
    shared = rng.random(games) < 0.05
    wins[rows, order[:, 0]] = np.where(shared, 30, 60)
    wins[rows[shared], order[shared, 1]] = 30
    ended = rng.choice(3, size=games, p=(0.8 - unfinished, 0.2, unfinished))
    wins[ended == 2] = 0
    held = seats == rng.integers(-1, players, size=games)[:, None]
    asks = rng.poisson(3, (games, players))
    return Records(
        hands=hands,
        first=began,
        wins=wins,
        held=held.astype(np.int64),
        eaten=held * rng.integers(0, 9, (games, players)),
        asks=asks,
        met=rng.binomial(asks, 0.3),
        ended=ended,
        sits=sits,
        lineup=lineup,
    )


def result(
    played: Records,
    *,
    rotate: bool = False,
    first_player: str = "random",
) -> ResultSet:
    """The sums of records, as the engine would keep them."""
    games = len(played.wins)
    experiment = Experiment(
        game="mermaidbeach",
        strategies=played.lineup,
        rules={"first_player": first_player},
        games=games,
        seed=1,
        detail="fairness",
        rotate=rotate,
    )
    history = []
    for count in (1024 * 2**k for k in range(20) if 1024 * 2**k <= games):
        early = sums(played.chosen(slice(count)), rotate)
        keep = ("games", "wins", "wins_sq", "first_wins")
        history.append(HistoryPoint(count, {name: early[name] for name in keep}))
    return ResultSet(
        experiment=experiment,
        games=games,
        sums=sums(played, rotate),
        history=tuple(history),
        stopped="games",
        seconds=0.5,
        score_low=0,
    )


def sums(played: Records, rotate: bool) -> dict[str, np.ndarray]:
    """Integer sums by block; those of seats also by who sits there, if strategies move."""
    games, players = played.wins.shape
    add, who = add_up, played.sits if rotate else None
    wins = played.wins
    places = (played.first[:, None] + np.arange(players)) % players
    position_wins = np.take_along_axis(wins, places, axis=1)
    f = np.concatenate([np.ones((games, players, 1), dtype=np.int64), played.hands], axis=2)
    scores = wins // 6 + played.asks
    moving = {}
    if rotate:
        moving = {
            "held": add(np.ones_like(wins), who),
            "strategy_wins_sq": strategy_wins_sq(wins, played.sits),
        }
    return {
        **moving,
        "games": add(np.ones(games, dtype=np.int64)),
        "wins": add(wins, who),
        "wins_sq": add(wins**2, who),
        "outright": add((wins == 60).astype(np.int64), who),
        "score": add(scores, who),
        "score_sq": add(scores**2, who),
        "score_hist": counted(scores, 0, 60, who),
        "unfinished": add((played.ended == 2).astype(np.int64)),
        "out_of_cards": add((played.ended == 0).astype(np.int64)),
        "monster_alone": add((played.ended == 1).astype(np.int64)),
        "monster_meals": add((played.eaten.sum(axis=1) > 0).astype(np.int64)),
        "position_wins": add(position_wins),
        "first_wins": add(position_wins[:, 0]),
        "sixtieths": add(np.full(games, 60)),
        "opening": add(np.einsum("gpi,gpj->gij", f, f)),
        "opening_wins": add(np.einsum("gpi,gp->gi", f, wins)),
        "hand_values": add(hand_values(played)),
        "monster_held": add(played.held, who),
        "monster_ate": add((played.eaten > 0).astype(np.int64), who),
        "points_eaten": add(played.eaten, who),
        "monster_wins": add(wins * played.held, who),
        "asks": add(played.asks, who),
        "asks_met": add(played.met, who),
    }


def hand_values(played: Records) -> np.ndarray:
    """(G, 128, 2) hands of each value, and what they won."""
    values = np.clip(40 + played.hands @ np.array((11, 14, -4, -4, -2, 2)), 0, 127)
    found = np.zeros((len(values), 128, 2), dtype=np.int64)
    games = np.arange(len(values))[:, None]
    np.add.at(found, (games, values, 0), 1)
    np.add.at(found, (games, values, 1), played.wins)
    return found
