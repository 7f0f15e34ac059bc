"""Answers of Switch 16 in the shapes that the statistics give them, made up by formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analyzer.games.switch16.figures import Greed, Risks, Rival
from analyzer.statistics.tables import Summary
from tests.reports import samples as s

OWN = "greedy/leader/deny"
GAMES = 65_536
SHARES = {
    ("risk", "greedy"): 0.25,
    ("risk", "never"): 0.13,
    ("risk", "always"): 0.29,
    ("green", "leader"): 0.25,
    ("green", "never"): 0.247,
    ("block", "deny"): 0.25,
    ("block", "hold"): 0.21,
}


def turn_table(ahead: float = 0.33, half: float = 0.01, last: int = 80) -> pd.DataFrame:
    turn = np.arange(1, last + 1)
    won = turn * np.exp(-turn / 10)
    won = won / won.sum()
    wins = np.where(turn > 1, ahead, np.nan)
    return pd.DataFrame(
        {
            "turn": turn,
            "won": won,
            "decided": np.minimum(np.cumsum(won), 1),
            "ahead": np.where(turn > 1, 0.8, 0.0),
            "ahead_wins": wins,
            "low": wins - half,
            "high": wins + half,
        }
    )


def bust_table(step: float = -0.01, rows: int = 6) -> pd.DataFrame:
    share = 0.26 + step * np.arange(rows)
    return pd.DataFrame(
        {
            "busts": np.arange(rows),
            "players": np.full(rows, 1 / max(rows, 1)),
            "win_share": share,
            "low": share - 0.004,
            "high": share + 0.004,
        }
    )


def greed(games: int = GAMES, **changed: Any) -> Greed:
    values: dict[str, Any] = {
        "strategy": OWN,
        "others": (OWN,) * 3,
        "games": games,
        "rivals": tuple(
            Rival(
                family,
                policy,
                s.about(share, 0.003, games),
                s.about(share - 0.25, 0.002, games) if share != 0.25 else s.Estimate(0.0),
                share == 0.25,
            )
            for (family, policy), share in SHARES.items()
        ),
        "figures": {
            "foreign_finish_share": s.about(0.674, 0.004, games),
            "cards_lost_per_bust": s.about(2.881, 0.009, games),
            "cards_lost_share": s.about(0.237, 0.001, games),
            "laying_worth": s.about(0.04, 0.002, games),
            "swapping_worth": s.about(0.003, 0.002, games),
        },
        "turns": turn_table(),
        "busts": bust_table(),
        "verdict": "pays",
        "answer": 'Yes. Against greedy/leader/deny, one player wins 29% of games with "always".',
    }
    return Greed(**(values | changed))


RISKS = pd.DataFrame(
    {
        "top": [2, 8, 8, 16],
        "protected": [False, False, True, True],
        "dice": [3, 4, 4, 5],
        "success": [0.48, 0.78, 0.78, 0.56],
        "change": [0.6, 0.9, 2.4, -3.0],
        "again: greedy": [True, True, True, False],
        "again: protected": [False, False, True, True],
    }
)
METRICS = {
    "turns_per_game": s.about(24.34, 0.09, GAMES),
    "first_player_win_share": s.about(0.256, 0.003, GAMES),
    "risks_per_game": s.about(11.9, 0.04, GAMES),
    "busts_per_game": s.about(3.05, 0.02, GAMES),
}
FIRST = "Going first is an advantage: whoever begins wins 25.6% of games."


def answer(
    found: Greed | None = None, lineup: tuple[str, ...] = (OWN,) * 4, **more: Any
) -> Summary:
    return s.summary(
        lineup,
        game="switch16",
        rules={"first_player": "random"},
        metrics=METRICS,
        aside={"risks": Risks(RISKS)} | ({} if found is None else {"greed": found}),
        **{"answer": f"No seat is shown to win more than another. {FIRST}"} | more,
    )
