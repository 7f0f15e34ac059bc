"""Made-up answers of every kind a report has to cope with.

The figures of the default table are those of an independent implementation: four random players,
four million games, and the same with five preservers for everybody.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from analyzer.games.turnthetide.figures import (
    Bands,
    CardWorth,
    CountRow,
    JudgedTable,
    Lifesavers,
    Measures,
    Rotation,
    Suggestion,
)
from analyzer.statistics.tables import Estimate, Fairness, FieldFairness, Player, SeatsTest, Summary
from analyzer_reports.provenance import Provenance, SettingRow

# Count, share of player-rounds, mean score, eliminated, bonus, lost, rounds won.
BY_COUNT = (
    (0, 0.0000433, -0.595, 0.747, 0.152, 0.000, 0.0013),
    (1, 0.00268, -0.183, 0.581, 0.212, 0.814, 0.0152),
    (2, 0.03363, 0.261, 0.454, 0.246, 1.531, 0.0555),
    (3, 0.14957, 0.750, 0.348, 0.263, 2.165, 0.1171),
    (4, 0.30195, 1.286, 0.258, 0.272, 2.727, 0.1946),
    (5, 0.30443, 1.865, 0.185, 0.272, 3.223, 0.2845),
    (6, 0.15909, 2.485, 0.126, 0.268, 3.658, 0.3832),
    (7, 0.04276, 3.143, 0.080, 0.262, 4.039, 0.4857),
    (8, 0.00555, 3.852, 0.046, 0.255, 4.357, 0.5888),
    (9, 0.000298, 4.580, 0.023, 0.253, 4.650, 0.6862),
    (10, 0.0000059, 5.441, 0.011, 0.223, 4.771, 0.7691),
)
# fmt: off
WORTH = (
    -0.242, -0.244, -0.248, -0.253, -0.261, -0.266, -0.273, -0.281, -0.290, -0.298, -0.307, -0.316,
    0.090, 0.078, 0.071, 0.060, 0.049, 0.040, 0.030, 0.019, 0.010, 0.001, -0.010, -0.016,
    0.403, 0.396, 0.389, 0.384, 0.379, 0.374, 0.372, 0.370, 0.370, 0.369, 0.369, 0.372,
    -0.052, -0.047, -0.040, -0.034, -0.023, -0.012, 0.000, 0.013, 0.030, 0.047, 0.067, 0.087,
    -0.314, -0.291, -0.263, -0.237, -0.206, -0.174, -0.140, -0.102, -0.064, -0.023, 0.022, 0.069,
)
WORTH_FLAT = (
    0.097, 0.093, 0.089, 0.085, 0.079, 0.074, 0.067, 0.059, 0.051, 0.041, 0.033, 0.021,
    0.012, 0.002, -0.008, -0.020, -0.032, -0.040, -0.052, -0.060, -0.073, -0.083, -0.091, -0.101,
    -0.109, -0.117, -0.126, -0.133, -0.137, -0.143, -0.147, -0.151, -0.152, -0.153, -0.152, -0.151,
    -0.148, -0.143, -0.137, -0.131, -0.121, -0.110, -0.097, -0.083, -0.068, -0.049, -0.030, -0.004,
    0.020, 0.046, 0.076, 0.106, 0.140, 0.175, 0.216, 0.258, 0.303, 0.349, 0.401, 0.454,
)
# fmt: on
PRINTED = (0,) * 12 + (1,) * 12 + (2,) * 12 + (1,) * 12 + (0,) * 12
FAIRER = (0,) * 9 + (1,) * 10 + (2,) * 24 + (1,) * 5 + (0,) * 12
NONE = Estimate(None)
ROUND_SD, GAME_SD = 2.2, 3.97


def about(value: float | None, half: float, games: int) -> Estimate:
    """A figure with an interval, which takes 30 games."""
    if value is None:
        return NONE
    if games < 30:
        return Estimate(value)
    return Estimate(value, value - half, value + half, "jackknife", half / 1.969)


def rules(players: int, **changed: Any) -> dict[str, Any]:
    """Every setting in force."""
    size, tide = (10, 10) if players == 6 else (12, 12)
    settings = {
        "hand_size": size,
        "hands": size,
        "tide_max": tide,
        "rounds": players,
        "preservers": PRINTED,
        "allocation": "printed",
        "drowning": "two-highest" if players == 6 else "highest",
        "bonus": 1,
        "eliminated_may_take_bonus": False,
        "end_at": 1 if players == 2 else 2,
    }
    return settings | changed


def summary(
    strategies: Sequence[str] = ("random",) * 4,
    games: int = 1_000_000,
    shares: Sequence[float] | None = None,
    rotated: bool = False,
    **changed: Any,
) -> Summary:
    """Figures of a run; ``shares`` are the seats' (strategies') win shares."""
    players = len(strategies)
    shares = shares or tuple(
        1 / players + (-1) ** s * 0.2 / math.sqrt(games) for s in range(players)
    )
    half = [1.969 * math.sqrt(max(x * (1 - x), 0.01) / games) for x in shares]
    means = [6.5 + 12 * (x - 1 / players) for x in shares]
    people = tuple(
        Player(
            seat=None if rotated else seat + 1,
            strategy=spec,
            win_share=about(share, half[seat], games),
            outright_wins=round(0.89 * share * games),
            mean_score=about(means[seat], 1.969 * GAME_SD / math.sqrt(games), games),
            sd_score=GAME_SD if games > 1 else None,
        )
        for seat, (spec, share) in enumerate(zip(strategies, shares, strict=True))
    )
    seats = people
    if rotated:
        seats = tuple(
            dataclasses.replace(
                p, seat=s + 1, strategy="rotated", win_share=about(1 / players, half[s], games)
            )
            for s, p in enumerate(people)
        )
    who: list[dict[str, Any]] = [
        {"strategy": spec} if rotated else {"seat": seat + 1}
        for seat, spec in enumerate(strategies)
    ]
    bins = np.arange(-players, 24)
    scores = pd.concat(
        pd.DataFrame(
            {
                **who[seat],
                "score": bins,
                "games": np.rint(
                    games * np.exp(-(((bins - mean) / GAME_SD) ** 2) / 2) / (GAME_SD * 2.5066)
                ).astype(np.int64),
            }
        )
        for seat, mean in enumerate(means)
    )
    points = [1024 * 2**k for k in range(40) if 1024 * 2**k < games] + [games]
    chance = np.random.default_rng(1)
    history = pd.DataFrame(
        [
            {
                "games": n,
                **who[seat],
                "win_share": share
                + half[seat] * math.sqrt(games / n) * chance.normal() / 2 * (n < games),
                "low": share - half[seat] * math.sqrt(games / n) if n >= 30 else math.nan,
                "high": share + half[seat] * math.sqrt(games / n) if n >= 30 else math.nan,
            }
            for n in points
            for seat, share in enumerate(shares)
        ]
    )
    values: dict[str, Any] = {
        "game": "turnthetide",
        "players": players,
        "games": games,
        "seed": 2024,
        "unfinished": 0,
        "precision_reached": None,
        "interval_kind": "jackknife",
        "rules": rules(players),
        "lineup": tuple(strategies),
        "seats": seats,
        "strategies": people if rotated else (),
        "metrics": {"hands_per_round": about(11.856, 2 / math.sqrt(games), games)},
        "scores": scores,
        "history": history,
        "seconds": 2.1,
        "rotated": rotated,
        "note": "",
        "answer": "No seat is shown to win more than another: the seats won about the same share.",
        "verdict": "level" if games >= 30 else "too-few",
    }
    return Summary(**(values | changed))


def lifesavers(
    games: int = 1_000_000, players: int = 4, tilt: float = 1.0, verdict: str = "", **changed: Any
) -> Lifesavers:
    """Figures on preservers: ``tilt`` 1 as printed, 0 fair, negative too stingy."""
    rounds = games * players * players
    slope = 0.581 * tilt
    half = 4.5 / math.sqrt(rounds)
    by_count = []
    for preservers, share, mean, eliminated, bonus, lost, win in BY_COUNT:
        seen = round(share * rounds)
        if seen == 0:
            continue
        level = 1.63 + (mean - 1.63) * tilt
        by_count.append(
            CountRow(
                preservers,
                seen,
                about(level, 1.969 * ROUND_SD / math.sqrt(seen), seen),
                eliminated,
                bonus,
                lost,
                about(1 / players + (win - 0.25) * tilt, 0.9 / math.sqrt(seen), seen),
            )
        )
    spread = 3.38 * ROUND_SD / math.sqrt(rounds / 5)
    cards = tuple(
        CardWorth(
            card,
            PRINTED[card - 1] / 2,
            about(flat + (worth - flat) * tilt, spread, games),
            about(flat, spread, games),
        )
        for card, (worth, flat) in enumerate(zip(WORTH, WORTH_FLAT, strict=True), 1)
    )
    points = [1024 * 2**k for k in range(40) if 1024 * 2**k < games] + [games]
    chance = np.random.default_rng(2)
    history = pd.DataFrame(
        {
            "games": points,
            "slope": [
                slope + half * math.sqrt(games / n) * chance.normal() / 2 * (n < games)
                for n in points
            ],
            "low": [slope - half * math.sqrt(games / n) if n >= 30 else math.nan for n in points],
            "high": [slope + half * math.sqrt(games / n) if n >= 30 else math.nan for n in points],
        }
    )
    if not verdict:
        low, high = slope - half, slope + half
        verdict = (
            "undecided"
            if games < 30
            else "over-compensated"
            if low > 0.05
            else "under-compensated"
            if high < -0.05
            else "fair"
            if low > -0.05 and high < 0.05
            else "undecided"
        )
    values: dict[str, Any] = {
        "by_count": tuple(by_count),
        "slope": about(slope, half, games),
        "slope_within": about(slope * 0.957, half, games),
        "handicap": about(-0.285, half, games),
        "gift": about(slope + 0.285, half, games),
        "compensation": about(0.285 / (slope + 0.285) if slope > -0.2 else None, half, games),
        "round_win_gap": about(0.266 * tilt, 2 * half, games),
        "gap_counts": (3, 6),
        "worst_hands_win": about(0.25 - 0.133 * tilt, half, games),
        "best_hands_win": about(0.25 + 0.133 * tilt, half, games),
        "hand_sd": about(0.6 + 0.2 * abs(tilt), half, games),
        "own_hand_share": about(0.1, half, games),
        "hand_share": about(0.1394 * abs(tilt) + 0.02, half, games),
        "rotation": Rotation(
            about(0.152 * abs(tilt) + 0.02, half, games), about(0.0, half / 2, games)
        ),
        "cards": cards,
        "verdict": verdict,
        "history": history,
        "flat_count": 5,
    }
    return Lifesavers(**(values | changed))


SENTENCES = {
    "fair": (
        "Yes, on average. A hand with one more preserver scores 0.00 points more per round "
        "(between \N{MINUS SIGN}0.01 and 0.01), within 0.05 points of making up for its cards."
    ),
    "over-compensated": (
        "No. A hand with one more preserver scores 0.58 points more per round (between 0.58 and "
        "0.59); if preservers only made up for bad cards it would be 0."
    ),
    "under-compensated": (
        "No. A hand with one more preserver scores 0.35 points less per round (between 0.34 and "
        "0.36); if preservers only made up for bad cards it would be 0."
    ),
    "no-variation": "There is nothing to judge: the rules give every hand 5 preservers.",
    "undecided": "Undecided: these games leave room for either answer; more games would settle it.",
}


def measures(found: Lifesavers) -> Measures:
    """The measures of a printing."""
    return Measures(
        found.hand_sd, found.slope, found.round_win_gap, found.hand_share, found.compensation
    )


def suggestion(games: int = 1_000_000) -> Suggestion:
    """A printing that is fairer among random players, but not among counting ones."""
    before, after, bands = (measures(lifesavers(games, tilt=tilt)) for tilt in (1.0, 0.02, 0.12))
    return Suggestion(
        preservers=FAIRER,
        before=before,
        after=after,
        bands=Bands(
            **vars(bands), preservers=(0,) * 12 + (1,) * 12 + (2,) * 12 + (2,) * 12 + (0,) * 12
        ),
        rounds_tried=3,
        tables_judged=(
            JudgedTable("random players", before, after, bands),
            JudgedTable("counting players", after, bands, before),
        ),
        answer="The suggested printing is better among random players, worse among counting ones.",
        fresh_seed=5,
    )


def suggesting(answer: Fairness, found: Suggestion) -> Fairness:
    """The same answer with another suggestion."""
    lifesavers = dataclasses.replace(answer.figures["lifesavers"], suggestion=found)
    return dataclasses.replace(answer, figures={"lifesavers": lifesavers})


def fairness(
    strategies: Sequence[str] = ("random",) * 4,
    games: int = 1_000_000,
    tilt: float = 1.0,
    verdict: str = "",
    fields: Sequence[tuple[Sequence[str], float]] = (),
    suggested: bool = False,
    shares: Sequence[float] | None = None,
    saved: dict[str, Any] | None = None,
    **changed: Any,
) -> Fairness:
    """A whole answer; ``saved`` changes preserver figures, ``changed`` those of the summary."""
    found = lifesavers(games, len(strategies), tilt, verdict, **(saved or {}))
    found = dataclasses.replace(found, suggestion=suggestion(games) if suggested else None)
    sentence = SENTENCES[found.verdict]
    return Fairness(
        summary=summary(strategies, games, shares, **changed),
        seats_test=SeatsTest(0.41 if games >= 30 else None, NONE),
        fields=tuple(
            FieldFairness(
                field="+".join(table),
                summary=summary(table, games),
                seats_test=SeatsTest(0.5, NONE),
                verdict=(other := lifesavers(games, len(table), lean)).verdict,
                answer=SENTENCES[other.verdict],
                figures={"lifesavers": other},
            )
            for table, lean in fields
        ),
        verdict=found.verdict,
        answer=sentence,
        figures={"lifesavers": found},
    )


FIELDS = (
    (("lowest", "highest", "reactive", "random"), 0.68),
    (("middle",) * 4, 0.97),
    (("reactive",) * 4, 0.05),
)

SETTINGS = (
    SettingRow("hand_size", "12", "Weather cards dealt to each player.", "source"),
    SettingRow(
        "preservers",
        "1-12 none, 13-24 half, 25-36 one, 37-48 half, 49-60 none",
        "Preservers printed on the cards.",
        "fact",
    ),
    SettingRow(
        "end_at",
        "2",
        "Living players that end a round.",
        "assumption",
        "1 would play on until one is left.",
    ),
    SettingRow(
        "eliminated_may_take_bonus",
        "false",
        "Whether an eliminated player may take the bonus for the lowest tide.",
        "assumption",
        "true would raise scores of eliminated players a little.",
    ),
)

PROVENANCE = Provenance(
    command="analyzer fairness turnthetide --players 4 --games 1000000 --seed 2024",
    version="0.1.0",
    date="2025-03-14T09:26:53+00:00",
    seed=2024,
    machine="Linux x86_64, Python 3.11.2, numpy 2.2.0",
    settings=SETTINGS,
    tables={
        "by_count": "tables/by_count.csv",
        "cards": "tables/cards.csv",
        "seats": "tables/seats.csv",
    },
    strategies={"random": "Plays any remaining card.", "<lowest>": "Ducks & waits."},
)
