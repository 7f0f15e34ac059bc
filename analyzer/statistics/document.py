"""The JSON documents of the command line."""

from __future__ import annotations

from typing import Any

from analyzer.statistics.tables import Fairness, Summary


def simulate_document(summary: Summary) -> dict[str, Any]:
    """What ``analyzer simulate --json`` prints."""
    raise NotImplementedError


def fairness_document(fairness: Fairness) -> dict[str, Any]:
    """What ``analyzer fairness --json`` prints."""
    raise NotImplementedError
