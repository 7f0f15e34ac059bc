"""Every figure against an independent implementation, in units of both standard errors."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.statistics.summary import summarize
from tests.reference import switch16 as twin
from tests.spelling import spelled

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="takes hours where kernels are not compiled")

GAMES = int(os.environ.get("ANALYZER_GOLDEN_GAMES", "400000"))
REFERENCE = Path(__file__).parents[2] / "golden" / "switch16.jsonl"
LINES: list[dict[str, Any]] = [json.loads(line) for line in REFERENCE.read_text().splitlines()]
NAMES = [" ".join(line["args"]) for line in LINES]
METRICS = {
    "turns_per_game": "mean_turns",
    "first_player_win_share": "first_player_win_share",
    "risks_per_game": "risks_per_game",
    "busts_per_game": "busts_per_game",
    "green_swaps_per_game": "green_swaps_per_game",
    "red_swaps_per_game": "red_swaps_per_game",
    "blocks_laid_per_game": "blocks_laid_per_game",
}
"""Our figure, all seats together, and the reference's, some of which are given by seat."""


@lru_cache
def played(index: int) -> ResultSet:
    specs = LINES[index]["args"][0].split(",")
    strategies = spelled("switch16", specs)
    rules = settle(find_game("switch16"), len(strategies), {})
    return run(Experiment("switch16", strategies, rules, GAMES, 16_000 + index, "fairness"))


def compared(index: int) -> Iterator[tuple[str, float, float, float]]:
    """Name, our value, the reference, and our standard error of each figure."""
    line = LINES[index]
    summary = summarize(played(index), find_game("switch16"))
    for ours, theirs in METRICS.items():
        figure = summary.metrics[ours]
        yield ours, figure.value, float(np.sum(line[theirs])), figure.se or 0.0
    for i, seat in enumerate(summary.seats):
        yield f"win_share {i}", seat.win_share.value, line["win_share"][i], seat.win_share.se or 0.0
        mean = seat.mean_score
        yield f"mean_score {i}", mean.value, line["mean_final_top"][i] - 1, mean.se or 0.0
        outright = seat.outright_wins / GAMES
        error = np.sqrt(outright * (1 - outright) / GAMES)
        yield f"outright {i}", outright, line["outright"][i], error


@pytest.mark.parametrize("index", range(len(LINES)), ids=NAMES)
def test_every_figure_agrees_with_the_reference(index: int) -> None:
    line = LINES[index]
    checked = 0
    for name, value, reference, error in compared(index):
        # Both runs have an error of the same kind; it shrinks with the square root of the games.
        both = error * np.sqrt(1 + GAMES / line["games"])
        z = (value - reference) / both if both else 0.0
        assert value == reference or abs(z) < 4, f"{name}: {value} against {reference}, z = {z:.2f}"
        checked += 1
    assert checked == len(METRICS) + 3 * len(line["win_share"])
    unfinished = int(played(index).sums["unfinished"].sum())
    assert (unfinished, line["unfinished"]) == (0, 0)


@pytest.mark.parametrize("line", LINES, ids=NAMES)
def test_the_plain_twin_agrees_too(line: dict[str, Any]) -> None:
    """Of figures that only the twin counts as well; within four standard errors."""
    players = [twin.Baseline(spec) for spec in line["args"][0].split(",")]
    rules, games = twin.Rules(players=len(players)), 400
    seen: dict[tuple[str, int | None], list[float]] = {}
    for game in range(games):
        record = twin.play(rules, players, 16, game)
        part = record.deals[0]
        facts: dict[str, Any] = {
            "first_player_win_share": part.first == part.winner,
            "mean_turns": part.turns,
            "mean_throws": sum(counts.throws for counts in part.counts),
            "win_share": [wins / 60 for wins in record.wins],
            "mean_final_top": part.tops,
        }
        for name in ("risks", "busts", "green_swaps", "red_swaps", "blocks_taken", "blocks_laid"):
            facts[f"{name}_per_game"] = [getattr(counts, name) for counts in part.counts]
        for name, fact in facts.items():
            for seat, value in enumerate(fact) if isinstance(line[name], list) else [(None, fact)]:
                seen.setdefault((name, seat), []).append(float(value))
    for (name, seat), values in seen.items():
        expected = line[name] if seat is None else line[name][seat]
        error = np.std(values) * np.sqrt(1 / games + 1 / line["games"])
        difference = abs(np.mean(values) - expected)
        assert difference < 4 * error if error else difference == 0, (name, seat)
