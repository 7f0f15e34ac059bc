"""Intervals contain the truth about as often as they say: real games, a reference as the truth.

With so few seeds only gross faults show: half a standard error too many or too few. What makes the
widths right to the last digit is tested against textbooks in `test_intervals` and `test_summary`.
`benchmarks/coverage.py` does the same with a thousand seeds; its table is in the documentation.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from scipy import stats

ROOT = Path(__file__).parent.parent.parent
SEEDS = 100


def load_benchmark():
    path = ROOT / "benchmarks" / "coverage.py"
    spec = importlib.util.spec_from_file_location("coverage_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_intervals_cover_the_reference():
    benchmark = load_benchmark()
    truth = json.loads(benchmark.GOLDEN.read_text().splitlines()[0])
    hits, trials = benchmark.covered(truth, range(5001, 5001 + SEEDS), 4000)
    assert set(trials) == {"win share", "mean score", "slope", "slope_within", "hand_share"}
    for name, runs in trials.items():
        # Seats of one run lean on each other; counting runs only keeps the limits wide.
        tolerance = stats.binom(SEEDS, 0.95).ppf([1e-4, 1 - 1e-4]) / SEEDS
        assert tolerance[0] <= hits[name] / runs <= tolerance[1], name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "own"),
    [
        ("switch16", {"busts_per_game", "change by another policy"}),
        ("mermaidbeach", {"ask_success_rate", "monster_penalty_rate"}),
    ],
)
def test_intervals_cover_what_is_known_of_a_game(game, own):
    benchmark = load_benchmark()
    truth = benchmark.expected(game, 2)
    hits, trials = benchmark.covered(truth, range(5001, 5001 + SEEDS), 4000, game)
    assert {"win share", "mean score", "turns_per_game"} | own <= set(trials)
    for name, runs in trials.items():
        tolerance = stats.binom(SEEDS, 0.95).ppf([1e-4, 1 - 1e-4]) / SEEDS
        assert tolerance[0] <= hits[name] / runs <= tolerance[1], name


@pytest.mark.slow
def test_the_confidence_sequence_is_rarely_ever_wrong():
    benchmark = load_benchmark()
    truth = json.loads(benchmark.GOLDEN.read_text().splitlines()[0])
    wrong = benchmark.ever_wrong(truth, range(6001, 6001 + SEEDS), 12_000, 0.02)
    assert wrong <= stats.binom(SEEDS, 0.05).ppf(1 - 1e-4)
