"""Parts of every kind hold what was played, and changed ones are told from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.experiment import Contest, Contrast, Experiment, Replays
from analyzer.results import HistoryPoint, ResultSet
from analyzer.study.checking import holds_what_was_played
from tests.study.test_naming import request

WHAT = {"game": "turnthetide", "games": 700, "seed": 1}
KINDS = ("experiment", "contrast", "contest", "replays")


@pytest.fixture(scope="module")
def played() -> dict[str, ResultSet]:
    """A short run of each kind."""
    rules = request("turnthetide", ["random"] * 2, "simulate").experiment().rules
    pair = ("random", "lowest")
    asked = (
        Experiment(**WHAT, strategies=pair, rules=rules),
        Contrast(**WHAT, strategies=pair, rules=rules),
        Contest(**WHAT, strategies=pair, rules=rules, tables=(pair, ("lowest", "lowest"))),
        Replays(**WHAT, strategies=pair, rules=rules, kept=(("deal",),)),
    )
    return {name: run(experiment) for name, experiment in zip(KINDS, asked, strict=True)}


@pytest.mark.parametrize("kind", KINDS)
def test_games_belong_to_their_blocks(played: dict[str, ResultSet], kind: str) -> None:
    result = played[kind]
    assert holds_what_was_played(result)
    games = result.sums["games"].copy()
    games[..., 0] += 1
    games[..., 1] -= 1
    forged = replace(result, sums={**result.sums, "games": games})
    assert not holds_what_was_played(forged)


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_wins_less_than_nothing(played: dict[str, ResultSet], kind: str) -> None:
    result = played[kind]
    for name in ("wins", "unfinished"):
        if name in result.sums:
            below = result.sums[name] - np.int64(10**9)
            forged = replace(result, sums={**result.sums, name: below})
            assert not holds_what_was_played(forged), name


def test_history_is_kept_where_it_is_kept(played: dict[str, ResultSet]) -> None:
    """Else a part could have as many sums as its archive may hold."""
    result = played["experiment"]
    point = HistoryPoint(300, run(replace(result.experiment, games=300)).sums)
    assert not holds_what_was_played(replace(result, history=(point,)))
    longer = run(replace(result.experiment, games=2000))
    assert [point.games for point in longer.history] == [1024] and holds_what_was_played(longer)
    assert not holds_what_was_played(replace(longer, history=longer.history * 2))
