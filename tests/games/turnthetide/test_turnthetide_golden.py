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
from analyzer.games.turnthetide.lifesavers import analyze
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.statistics.intervals import leave_one_out, standard_error
from analyzer.statistics.summary import summarize

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="takes hours where kernels are not compiled")

GAMES = int(os.environ.get("ANALYZER_GOLDEN_GAMES", "60000"))
REFERENCE = Path(__file__).parents[2] / "golden" / "turnthetide.jsonl"
LINES = [json.loads(line) for line in REFERENCE.read_text().splitlines()]
NAMES = [" ".join(line["args"]) for line in LINES]
RARE = 1000
"""Counts seen in fewer rounds than this have no normal error."""
CELLS = {"score": 1, "eliminated": 3, "bonus": 4, "lost": 5, "round_win": 6}


@lru_cache
def played(index: int) -> ResultSet:
    line = LINES[index]
    strategies = tuple(line["args"][0].split(","))
    given = {"allocation": "flat:5"} if "flat=5" in line["args"] else {}
    rules = settle(find_game("turnthetide"), len(strategies), given)
    seed = 20_000 + index
    return run(Experiment("turnthetide", strategies, rules, GAMES, seed, "fairness"))


def compared(index: int) -> Iterator[tuple[str, float, float, float]]:
    """Name, our value, the reference, and our standard error of each figure."""
    line, result = LINES[index], played(index)
    game = find_game("turnthetide")
    summary = summarize(result, game)
    hands = summary.metrics["hands_per_round"]
    yield "hands_per_round", hands.value, line["hands_per_round"], hands.se
    for i, seat in enumerate(summary.seats):
        yield f"win_share {i}", seat.win_share.value, line["win_share"][i], seat.win_share.se
        yield f"mean_score {i}", seat.mean_score.value, line["mean_score"][i], seat.mean_score.se
        outright = seat.outright_wins / GAMES
        error = np.sqrt(outright * (1 - outright) / GAMES)
        yield f"outright {i}", outright, line["outright"][i], error
    totals = leave_one_out(result.sums)
    score = totals["score"].sum(axis=1).astype(float)
    square = totals["score_sq"].sum(axis=1).astype(float)
    games = totals["games"].sum(axis=1)[:, None]
    deviations = np.sqrt((square - score**2 / games) / (games - 1))
    errors = standard_error(deviations)
    for i in range(summary.players):
        yield f"sd_score {i}", deviations[0, i], line["sd_score"][i], errors[i]
    found = analyze(result, None)
    for name in ("slope", "slope_within", "hand_share"):
        figure = getattr(found, name)
        yield name, figure.value, line[name], figure.se
    for card, reference in zip(found.cards, line["worth"], strict=True):
        yield f"worth {card.card}", card.worth.value, reference, card.worth.se
    cells = totals["by_count"].sum(axis=1)
    for count, reference in line["by_lifesavers"].items():
        rounds = cells[:, int(count), 0]
        if reference["rounds"] < RARE or rounds[0] < RARE:
            continue
        share = rounds / cells[:, :, 0].sum(axis=1)
        wanted = reference["rounds"] / (line["games"] * summary.players * result.experiment.players)
        yield f"rounds with {count}", share[0], wanted, standard_error(share)
        for name, cell in CELLS.items():
            unit = 60 if name == "round_win" else 1
            value = cells[:, int(count), cell] / rounds / unit
            yield f"{name} with {count}", value[0], reference[name], standard_error(value)


@pytest.mark.parametrize("index", range(len(LINES)), ids=NAMES)
def test_every_figure_agrees_with_the_reference(index: int) -> None:
    line = LINES[index]
    checked = 0
    for name, value, reference, error in compared(index):
        # Both runs have an error of the same kind; it shrinks with the square root of the games.
        both = error * np.sqrt(1 + GAMES / line["games"])
        rounding = 10.0 ** -len(str(reference).partition(".")[2])
        z = (value - reference) / np.hypot(both, rounding) if both else 0.0
        assert value == reference or abs(z) < 4, f"{name}: {value} against {reference}, z = {z:.2f}"
        checked += 1
    assert checked > 100


@pytest.mark.parametrize(("players", "mean", "error"), [(4, 6.523, 0.020), (5, 10.772, 0.016)])
def test_mean_scores_agree_with_a_third_implementation(
    players: int, mean: float, error: float
) -> None:
    rules = settle(find_game("turnthetide"), players, {})
    result = run(Experiment("turnthetide", ("random",) * players, rules, GAMES, 5))
    summary = summarize(result, find_game("turnthetide"))
    ours = np.mean([seat.mean_score.value for seat in summary.seats])
    assert abs(ours - mean) < 4 * error
