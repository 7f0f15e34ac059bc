"""By how many games a difference is decided, as far as those played so far can tell."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analyzer.statistics.margins import games_to_decide


def half(games: int) -> float:
    """Of an ordinary interval, at a spread of 1 a game."""
    return 1.96 / math.sqrt(games)


@pytest.mark.parametrize("errors", [1.3, 1.5, 1.9])
def test_nine_of_ten_runs_are_decided_by_then(errors: float) -> None:
    rng, games, error = np.random.default_rng(1), 1000, 1 / math.sqrt(1000)
    room = errors * error
    many = games_to_decide(half, error, room, games)
    assert many is not None and many > games
    # The true difference is as likely as the games so far make it; more games are about it.
    true = rng.normal(room, error, 100_000)
    later = rng.normal(true, 1 / math.sqrt(many - games))
    whole = (games * room + (many - games) * later) / many
    assert (whole - half(many) > 0).mean() == pytest.approx(0.9, abs=0.005)


def test_too_little_is_known_for_any_number() -> None:
    assert games_to_decide(half, 1 / math.sqrt(1000), 1.28 / math.sqrt(1000), 1000) is None
    assert games_to_decide(half, 1 / math.sqrt(1000), 0.0, 1000) is None


def test_without_chance_so_many_are_enough() -> None:
    assert games_to_decide(half, 0.0, 0.01, 1000) == pytest.approx(196**2, rel=0.001)
