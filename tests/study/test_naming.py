"""What is played for an answer, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analyzer.plugins import find_game
from analyzer.study import (
    DryRun,
    Request,
    WorkerSettings,
    asked_tables,
    conclude,
    make_request,
    study_of,
)
from analyzer.study.naming import players_at, said


def request(game: str, specs: list[str], command: Any = "fairness", **more: Any) -> Request:
    given = {"rules": {}, "games": 300, "seed": 1, **more}
    return make_request(command, find_game(game), strategies=specs, **given)


def parts(asked: Request, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The parts that a question needs, and what they are."""
    monkeypatch.setattr(DryRun, "SECONDS", 0.0)
    monkeypatch.setattr(DryRun, "LEAST_SECONDS", 0.0)
    trial = DryRun(WorkerSettings(), about=study_of(asked.game).about)
    conclude(asked, trial)
    return {part.name: part.about for part in trial.parts}


def test_turn_the_tide(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("turnthetide")
    main, fields = asked_tables(game, (), None, {}, None)
    fast = [field for field in fields if "counting" not in field]
    asked = request("turnthetide", list(main), fields=fast)
    assert parts(asked, monkeypatch) == {
        "main": "four random players",
        "main-replay": "the same with hands played again",
        "flat": "the same with five equal preservers each",
        "field-1": "four reactive players",
        "field-1-replay": "four reactive players with hands played again",
        "field-1-flat": "four reactive players with five equal preservers each",
    }


def test_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request("switch16", ["greedy/leader/deny:16"] * 2)
    told = parts(asked, monkeypatch)
    assert told["main"] == "two greedy/leader/deny players"
    assert told["story"] == "the same, watched closely"
    assert told["risk-never"] == "one player never throws again"
    assert told["block-hold"] == "one player keeps the disc"
    assert all(" " in about and "-" not in about.split()[0] for about in told.values())


def test_by_what_tells_them_apart() -> None:
    main = request("turnthetide", ["random"] * 4, "simulate").experiment()
    assert said(main, main) == "four random players"
    assert said(replace(main, rules={**main.rules, "bonus": 0}), main) == "the same with bonus = 0"
    printed = {**main.rules, "preservers": (0, 1) * 30}
    assert said(replace(main, rules=printed), main) == "the same with other preservers"
    one = replace(main, strategies=("lowest", "random", "random", "random"))
    assert said(one, main) == "the same, one player playing lowest"
    mixed = replace(main, strategies=("lowest", "random", "lowest", "highest"))
    assert said(mixed, main) == "mixed table of two lowest, one random and one highest"
    assert players_at(("a", "b", "c")) == "mixed table of a, b and c"
    assert players_at(("a",) * 7) == "seven a players"
