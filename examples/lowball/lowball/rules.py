"""What may be changed about Lowball, and what goes together."""

from __future__ import annotations

from typing import Any

from analyzer.contracts import Setting
from analyzer.errors import RulesError

__all__ = ["SETTINGS", "check_rules"]

SETTINGS = (
    Setting(
        "numbers", "int", 10, "numbers to choose from: 1 to this one", "source", low=2, high=200
    ),
    Setting("rounds", "int", 5, "rounds of a game", "source", low=1, high=100),
    Setting(
        "unclaimed",
        "choice",
        "lost",
        "what becomes of a round's points if nobody names a number alone: they are lost, or kept "
        "for the next round",
        "assumption",
        choices=("lost", "kept"),
        alternatives=("lost", "kept"),
    ),
)


def check_rules(rules: dict[str, Any]) -> None:
    """Refuse to keep points for a round that never comes."""
    if rules["unclaimed"] == "kept" and rules["rounds"] == 1:
        raise RulesError(
            'unclaimed = "kept" keeps points for the next round, but rounds = 1; set rounds to 2 '
            "or more."
        )
