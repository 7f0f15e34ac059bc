"""Answers on Mermaid Beach, from made-up games by way of the statistics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analyzer.contracts import Metric
from analyzer.games.mermaidbeach.figures import analyze, conclusion
from analyzer.results import ResultSet
from analyzer.statistics.fairness import judge, judge_field
from analyzer.statistics.tables import Fairness
from tests.games.mermaidbeach import samples
from tests.statistics.samples import SampleGame

GAME: Any = SampleGame(
    name="mermaidbeach",
    title="Mermaid Beach",
    metrics=(
        Metric("first_player_win_share", "first_wins", "sixtieths", "wins of who began"),
        Metric("turns_per_game", "asks", "games", "turns"),
    ),
)


def run(games: int, lineup: tuple[str, ...] = (), rotate: bool = False, **how: Any) -> ResultSet:
    """A run of made-up games."""
    how = {"players": len(lineup) or 4} | how
    played = samples.records(games, lineup=lineup, rotate=rotate, **how)
    return samples.result(played, rotate=rotate)


def fairness(
    games: int = 4000,
    lineup: tuple[str, ...] = (),
    rotate: bool = False,
    fields: bool = False,
    **how: Any,
) -> Fairness:
    """The answer of `fairness`; how the games go is as in `samples.records`."""
    main = run(games, lineup, rotate, **how)
    told = []
    if fields:
        for specs, first in ((("greedy",) * 4, 0.0), (("random", "greedy") * 2, 0.3)):
            field = run(games, specs, first=first)
            figures = analyze(field).by_name()
            told.append(replace(judge_field("+".join(specs), field, GAME), figures=figures))
    found = analyze(main)
    judged = judge(main, GAME)
    verdict, answer = conclusion(found, judged.verdict, judged.answer, 0.005)
    return replace(
        judged,
        fields=tuple(told),
        figures=found.by_name(),
        verdict=verdict,
        answer=answer,
    )
