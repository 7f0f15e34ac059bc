"""What is played for an answer, in words: for those who wait for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.experiment import Contest, Contrast, Experiment
from analyzer.rules import toml_text
from analyzer.statistics.wording import listed

__all__ = ["number_word", "players_at", "said"]

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


def number_word(many: int) -> str:
    """A small whole number as a word: ``four``."""
    return NUMBERS[many] if 0 <= many < len(NUMBERS) else str(many)


def players_at(strategies: Sequence[str]) -> str:
    """Who sits at a table: ``four random players``, ``mixed table of one lowest, two random``."""
    if len(set(strategies)) == 1:
        several = "players" if len(strategies) > 1 else "player"
        return f"{number_word(len(strategies))} {strategies[0]} {several}"
    if len(set(strategies)) == len(strategies):
        return f"mixed table of {listed(strategies)}"
    seated = Counter(strategies)
    return "mixed table of " + listed([f"{number_word(n)} {spec}" for spec, n in seated.items()])


def said(experiment: Experiment, main: Experiment) -> str:
    """A part of a study, by what tells it from the first one.

    Parameters
    ----------
    experiment
        What is played.
    main
        What was played first.
    """
    if isinstance(experiment, Contrast):
        a, b = experiment.pair
        return f"{a} against {b} in every seat"
    if isinstance(experiment, Contest):
        tables = f"{len(experiment.tables):,} tables of {len(experiment.specs)} strategies"
        return f"{tables}, each in every game number"
    rules = _difference(experiment.rules, main.rules)
    changed = f" with {listed(rules)}" if rules else ""
    if experiment.strategies == main.strategies:
        if changed:
            return f"the same{changed}"
        closely = experiment.detail not in ("simulate", main.detail)
        return "the same, watched closely" if closely else players_at(experiment.strategies)
    if len(experiment.strategies) == len(main.strategies):
        seats = zip(experiment.strategies, main.strategies, strict=True)
        others = [mine for mine, theirs in seats if mine != theirs]
        if len(others) == 1 and len(main.strategies) > 2 and len(set(main.strategies)) == 1:
            return f"the same, one player playing {others[0]}{changed}"
    return f"{players_at(experiment.strategies)}{changed}"


def _difference(rules: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    """Settings that differ, as they would be typed; long values by their names alone."""
    told = []
    for key, value in rules.items():
        if value != usual.get(key):
            text = toml_text(value)
            told.append(f"{key} = {text}" if len(text) <= 30 else f"other {key}")
    return told
