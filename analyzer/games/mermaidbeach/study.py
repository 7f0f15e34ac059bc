"""What `fairness` answers for Mermaid Beach: whether going first or the opening hand decides it."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TypeVar

from analyzer.games.mermaidbeach.figures import analyze, conclusion
from analyzer.results import ResultSet
from analyzer.statistics import fairness
from analyzer.statistics.tables import Fairness, FieldFairness
from analyzer.study import seats
from analyzer.study.request import Request
from analyzer.study.stage import NotPlayed, Play, length

__all__ = ["check", "conclude"]

check = seats.check

Found = TypeVar("Found", Fairness, FieldFairness)


def conclude(request: Request, play: Play) -> Fairness:
    """Play what is needed, and answer."""
    game = request.find_game()
    sequence = request.sequence()
    main = play("main", request.experiment(), sequence)
    fields = []
    for number, specs in enumerate(request.fields, start=1):
        with contextlib.suppress(NotPlayed):
            experiment = request.experiment(strategies=specs, games=length(main))
            field = play(f"field-{number}", experiment)
            judged = fairness.judge_field("+".join(specs), field, None, game)
            fields.append(_completed(judged, field))
    return _completed(fairness.judge(main, None, game, sequence, None, fields), main)


def _completed(found: Found, run: ResultSet) -> Found:
    """An answer with the figures, the verdict and the sentence that are this game's own."""
    figures = analyze(run)
    verdict, answer = conclusion(figures, run.games)
    return replace(found, figures=figures.by_name(), verdict=verdict, answer=answer)
