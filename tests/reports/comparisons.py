"""Comparisons that nobody played, to be drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analyzer.statistics.compare import FieldDifference, StrategyComparison
from analyzer.statistics.compare_rules import FigureDifference, RulesComparison
from analyzer.statistics.tables import Estimate


def gap(value: float, half: float = 0.01) -> Estimate:
    return Estimate(value, value - half, value + half, "sequence")


def strategies(*gaps: float, verdict: str = "a-better", half: float = 0.01) -> StrategyComparison:
    """Reactive against `x...`, whose name is long, in as many fields as there are differences."""
    names = ("reactive", "x" * 60)
    fields = tuple(
        FieldDifference(
            ("random",) * 3,
            f"3 players of the kind {number}",
            gap(value, half),
            gap(0.25 + value, half),
            Estimate(0.25),
        )
        for number, value in enumerate(gaps, start=1)
    )
    mean = sum(gaps) / len(gaps)
    games = np.array([1024, 2048, 4096])
    history = {
        "games": games,
        "difference": np.full(3, mean),
        "low": mean - half * np.array([3.0, 2.0, 1.0]),
        "high": mean + half * np.array([3.0, 2.0, 1.0]),
    }
    return StrategyComparison(
        game="turnthetide",
        players=4,
        a=names[0],
        b=names[1],
        names=names,
        games=4096,
        seed=3,
        margin=0.005,
        precision=None,
        precision_reached=None,
        verdict=verdict,  # type: ignore[arg-type]
        answer="The sentence that answers.",
        difference=gap(mean, half),
        interval_kind="sequence",
        variance_ratio=1.7,
        more_games_needed=123_456 if verdict == "undecided" else None,
        fields=fields,
        unfinished=7,
        history=history,
        lineups=8,
    )


def rules(*, metric: str | None = None) -> RulesComparison:
    """Four figures, one of which is the same in every game; or one of them alone."""

    def figure(
        name: str, a: float, b: float, *, share: bool, half: float = 0.02
    ) -> FigureDifference:
        return FigureDifference(
            name,
            gap(a),
            gap(b),
            Estimate(0.0) if a == b else gap(a - b, half),
            share,
            exact=a == b,
            games=16_384,
        )

    figures = (
        figure("win_share_seat_1", 0.31, 0.25, share=True),
        figure("margin_within_one", 0.31, 0.30, share=True),
        figure("mean_score", 6.5, 7.6, share=False),
        figure("hands_per_round", 11.9, 11.9, share=False),
    )
    found = RulesComparison(
        game="turnthetide",
        players=4,
        lineup=("random",) * 4,
        a="bonus = 1",
        b="bonus = 2",
        games=100_000,
        seed=3,
        metric=None,
        margin=None,
        verdict=None,
        answer="The sentence that answers.",
        variance_ratio=None,
        more_games_needed=None,
        figures=figures,
        unfinished=0,
    )
    if metric is None:
        return found
    return replace(
        found,
        metric=metric,
        margin=0.0,
        verdict="b-higher",
        variance_ratio=9.3,
        figures=tuple(f for f in figures if f.metric == metric),
    )
