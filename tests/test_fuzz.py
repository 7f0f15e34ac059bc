"""Hostile inputs through the whole program; `benchmarks/fuzz.py` tries as many as one likes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzzing import Attack, Sandbox, Saved, attacks, peak_memory, prepare

FEW = ("simulate", "strategies", "rules")
"""Runs that are prepared within a few seconds."""
MOST_MEMORY = 10**9


def tried(folder: Path, saved: Saved, inputs: int) -> None:
    """Try inputs, the same ones each time, and tell the first that something is wrong with."""
    sandbox = Sandbox(folder, saved)

    @settings(
        max_examples=inputs,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(attacks(saved))
    def attempt(attack: Attack) -> None:
        outcome = sandbox.run(attack)
        assert not outcome.faults, f"{outcome.faults}: {attack!r:.3000}\n{outcome.err[-2000:]}"

    attempt()


@pytest.mark.long
def test_some_hostile_inputs(tmp_path: Path) -> None:
    tried(tmp_path / "sandbox", prepare(tmp_path / "saved", FEW), 100)


@pytest.mark.slow
def test_many_hostile_inputs(tmp_path: Path) -> None:
    before = peak_memory()
    tried(tmp_path / "sandbox", prepare(tmp_path / "saved"), 600)
    assert before > MOST_MEMORY or peak_memory() < MOST_MEMORY
