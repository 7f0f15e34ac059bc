"""Games of other people may be called anything, like our own modules too."""

from __future__ import annotations

import pytest

from analyzer.cli.narrators import narrator
from analyzer.companions import companion
from analyzer.study import questions, seats
from analyzer.study.answer import _study
from reports.stories import find_story


def test_a_game_finds_what_goes_with_it() -> None:
    found = companion(questions.__name__, "turnthetide")
    assert found is not None and found is _study("turnthetide")
    assert narrator("turnthetide", ["a", "b"]).__class__.__name__ == "Narrator"
    assert find_story("turnthetide").title == "Turn the Tide"


@pytest.mark.parametrize(
    "game", ["answer", "stage", "seats", "plain", "os", "a.b", "", "no-identifier"]
)
def test_other_modules_are_not_taken_for_a_game_s(game: str) -> None:
    assert _study(game) is seats
    assert list(narrator(game, ["a", "b"])("won", {"by_seat": 1})) == ["won: by seat 1"]
    assert find_story(game).title == game
