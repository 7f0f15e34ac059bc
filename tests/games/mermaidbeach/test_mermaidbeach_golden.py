"""Every figure against an independent implementation, in units of both standard errors."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.statistics.intervals import leave_one_out, standard_error
from analyzer.statistics.summary import summarize

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="takes hours where kernels are not compiled")

GAMES = int(os.environ.get("ANALYZER_GOLDEN_GAMES", "100000"))
REFERENCE = Path(__file__).parents[2] / "golden" / "mermaidbeach.jsonl"
LINES = [json.loads(line) for line in REFERENCE.read_text().splitlines()]
NAMES = [" ".join(line["args"]) for line in LINES]
METRICS = {
    "turns_per_game": "mean_turns",
    "first_player_win_share": "first_player_win_share",
    "asks_per_game": "asks_per_game",
    "ask_success_rate": "ask_success",
    "starfish_per_game": "starfish_per_game",
    "monster_penalty_rate": "monster_penalty",
    "ended_out_of_cards": "end_out_of_cards",
    "ended_monster_alone": "end_monster_alone",
}


@lru_cache
def played(index: int) -> ResultSet:
    line = LINES[index]
    strategies = tuple(line["args"][0].split(","))
    given = {"young": True} if "young" in line["args"] else {}
    rules = settle(find_game("mermaidbeach"), len(strategies), given)
    return run(Experiment("mermaidbeach", strategies, rules, GAMES, 30_000 + index, "fairness"))


def compared(index: int) -> Iterator[tuple[str, float, float, float]]:
    """Name, our value, the reference, and our standard error of each figure."""
    line, result = LINES[index], played(index)
    summary = summarize(result, find_game("mermaidbeach"))
    for name, theirs in METRICS.items():
        metric = summary.metrics[name]
        assert metric.value is not None and metric.se is not None
        yield name, metric.value, line[theirs], metric.se
    for i, seat in enumerate(summary.seats):
        share, score = seat.win_share, seat.mean_score
        assert share.value is not None and share.se is not None
        assert score.value is not None and score.se is not None
        yield f"win_share {i}", share.value, line["win_share"][i], share.se
        yield f"mean_points {i}", score.value, line["mean_points"][i], score.se
        outright = seat.outright_wins / GAMES
        error = float(np.sqrt(outright * (1 - outright) / GAMES))
        yield f"outright {i}", outright, line["outright"][i], error
    totals = leave_one_out(result.sums)
    games = totals["games"].sum(axis=1)[:, None].astype(float)
    score_sum = totals["score"].sum(axis=1).astype(float)
    square = totals["score_sq"].sum(axis=1).astype(float)
    deviations = np.sqrt((square - score_sum**2 / games) / (games - 1))
    errors = standard_error(deviations)
    for i in range(summary.players):
        yield f"sd_points {i}", deviations[0, i], line["sd_points"][i], errors[i]
    for name, theirs in (
        ("points_eaten", "mean_points_eaten"),
        ("monster_held", "monster_held_at_end"),
    ):
        values = totals[name].sum(axis=(1, 2)) / games[:, 0]
        yield name, values[0], line[theirs], standard_error(values)


@pytest.mark.parametrize("index", range(len(LINES)), ids=NAMES)
def test_every_figure_agrees_with_the_reference(index: int) -> None:
    line = LINES[index]
    checked = 0
    for name, value, reference, error in compared(index):
        # Both runs have an error of the same kind; it shrinks with the square root of the games.
        both = error * np.sqrt(1 + GAMES / line["games"])
        rounding = 10.0 ** -len(str(reference).partition(".")[2])
        z = (value - reference) / np.hypot(both, rounding)
        assert abs(z) < 4, f"{name}: {value} against {reference}, z = {z:.2f}"
        checked += 1
    assert checked == len(METRICS) + 2 + 4 * len(line["win_share"])
    assert line["unfinished"] == played(index).sums["unfinished"].sum() == 0
