"""``analyzer trace --find``: the first game that ends in a certain way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli

UNLIKE = [word for spec in ("lowest", "random", "highest") for word in ("--strategy", spec)]


def traced(cli: Cli, *line: str) -> dict[str, Any]:
    ran = cli("trace", "turnthetide", "--seed", "5", "--json", *line)
    assert ran.code == 0, ran.err
    return dict(json.loads(ran.out))


def margin(game: dict[str, Any]) -> int:
    *_, second, first = sorted(game["scores"])
    return int(first - second)


@pytest.mark.long
@pytest.mark.parametrize("how", [(), ("--rotate",)], ids=["seated", "rotated"])
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("winner=3", lambda game: game["win_shares"][2] == 1),
        ("ties", lambda game: max(game["win_shares"]) < 1),
        ("margin>=12", lambda game: margin(game) >= 12),
        ("margin = 0", lambda game: margin(game) == 0),
        ("margin<2", lambda game: margin(game) < 2),
    ],
)
def test_the_first_of_all_games(
    cli: Cli, how: tuple[str, ...], condition: str, holds: Callable[[dict[str, Any]], bool]
) -> None:
    line = (*UNLIKE, *how, "--find", condition)
    found = traced(cli, *line)
    assert found["find"] == condition and holds(found)
    for game in range(min(found["number"], 12)):
        assert not holds(traced(cli, *UNLIKE, *how, "--game", str(game)))
    # From the next one on there is another.
    later = traced(cli, *line, "--game", str(found["number"] + 1))
    assert later["number"] > found["number"] and holds(later)


def test_whatever_is_looked_at_at_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    line = (*UNLIKE, "--rotate", "--find", "margin>=16")
    found = traced(cli, *line)["number"]
    assert found == 3163
    monkeypatch.setattr("analyzer.engine.batch.MOST_LOOKED_AT", 50)
    assert traced(cli, *line)["number"] == found


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("winner=5", "a seat from 1 to 4; given 'winner=5'"),
        ("winner=0", "a seat from 1 to 4"),
        ("winner>=1", "a seat from 1 to 4"),
        ("winner", "needs a whole number, as in winner=SEAT; given 'winner'"),
        ("margin>=x", "needs a whole number, as in margin>=N; given 'margin>=x'"),
        ("winer=1", "there is no condition named 'winer=1'; did you mean: winner."),
        ("ties=2", "there is no condition named 'ties=2'"),
        ("last-at-half-wins", "asks for the course of a game"),
        ("length>=9", "asks for the course of a game"),
        ("x" * 500, "--find takes winner=SEAT, margin>=N, ties."),
    ],
)
def test_conditions_that_cannot_be(cli: Cli, condition: str, told: str) -> None:
    ran = cli("trace", "turnthetide", "--seed", "5", "--find", condition)
    assert (ran.code, ran.out) == (2, "") and told in ran.err
    assert len(ran.err) < 300


def test_what_is_not_found(cli: Cli) -> None:
    ran = cli("trace", "turnthetide", "--seed", "5", "--find", "margin>=300", "--games", "700")
    assert (ran.code, ran.out) == (1, "")
    assert "'margin>=300' holds in none of the games 0 to 699; look further" in ran.err
    ran = cli("trace", "turnthetide", "--seed", "5")
    assert (ran.code, ran.out) == (2, "") and "--game K, counted from 0, or --find" in ran.err


ODD = """
from analyzer.contracts import Strategy
import numpy as np
def low(view, params, words, out):
    bit = view.cards & (~view.cards + np.uint64(1))
    out[:] = np.log2(bit | 1).astype(np.uint8) + 1
    out[(words % np.uint64(997) == 7) & (view.active == 1)] = 61
odd = Strategy("turnthetide", "odd", "Low, mostly.", {"card": low}, stochastic=("card",))
"""


@pytest.mark.parametrize("how", [(), ("--rotate",)], ids=["seated", "rotated"])
def test_a_game_that_failed_is_the_one_that_trace_tells(
    cli: Cli, folder: Path, how: tuple[str, ...]
) -> None:
    (folder / "odd.py").write_text(ODD)
    line = ("turnthetide", "--strategy", "./odd.py::odd", *UNLIKE, "--seed", "3", *how)
    ran = cli("simulate", *line, "--games", "3000", "--no-save", "--quiet", "--jobs", "1")
    assert ran.code == 1
    game = re.search(r"in game (\d+) \(round \d, hand \d+, seat \d\)", ran.err)
    assert game is not None
    assert cli("trace", *line, "--game", game[1]).err == ran.err
    for earlier in range(max(int(game[1]) - 3, 0), int(game[1])):
        assert cli("trace", *line, "--game", str(earlier)).code == 0
