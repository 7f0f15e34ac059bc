"""What goes wrong in a worker process is told by another one."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from analyzer import errors
from analyzer.errors import AnalyzerError

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "UnknownName": ("strategy", "lo", ["low", "high"], "`analyzer strategies` lists them."),
    "StrategyFailed": ("low", 7, "round 2", "it chose 9"),
}
KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, AnalyzerError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_errors_travel_between_processes(kind: type[AnalyzerError]) -> None:
    error = kind(*ARGUMENTS.get(kind.__name__, ("told",)))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind and str(again) == str(error)
    assert vars(again) == vars(error) and again.exit_code == kind.exit_code
