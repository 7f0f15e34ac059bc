"""A contrast plays what its line-ups play alone, and adds up what it says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analyzer.contracts import WHOLE_WIN
from analyzer.engine.batch import Player
from analyzer.engine.players import empty_sums, player_of
from analyzer.engine.runner import run
from analyzer.engine.tally import new_tally
from analyzer.errors import StrategyFailed
from analyzer.experiment import BLOCKS, Contrast, Experiment, Task
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.rundir.parts import read_experiment, read_part, write_part

A, B = "lowest", "random"


def contrast(players: int = 3, games: int = 1500, fields=()) -> Contrast:
    rules = settle(find_game("turnthetide"), players, {})
    return Contrast(
        "turnthetide", (A, *(B,) * (players - 1)), rules, games=games, seed=5, fields=fields
    )


def test_each_side_sits_in_every_seat_among_the_same_opponents() -> None:
    found = contrast(fields=(("middle", "highest"),)).opponents
    assert [field.others for field in found] == [(B, B), (A, A), ("middle", "highest")]
    assert found[0].a == ((A, B, B), (B, A, B), (B, B, A)) and found[0].b == ()
    assert found[1].b == ((B, A, A), (A, B, A), (A, A, B)) and found[1].a == ()
    third = found[2]
    assert third.a == ((A, "middle", "highest"), ("highest", A, "middle"), ("middle", "highest", A))
    assert third.b == tuple(tuple(B if x == A else x for x in lineup) for lineup in third.a)


def test_with_two_players_a_against_b_is_b_against_a() -> None:
    alone = contrast(players=2)
    assert [field.others for field in alone.opponents] == [(B,)]
    assert alone.seatings == ((A, B), (B, A))
    assert alone.watched == 2


def test_opponents_that_are_there_already_are_not_played_again() -> None:
    assert contrast(fields=((A, A), (B, B))).opponents == contrast().opponents


def test_the_sums_are_those_of_the_line_ups_played_alone() -> None:
    asked = contrast(fields=(("middle", "middle"),))
    games = np.arange(asked.games, dtype=np.uint64)
    won = {}
    for lineup in asked.seatings:
        player = Player(Experiment("turnthetide", lineup, asked.rules, asked.games, asked.seed))
        outcome = player.outcome(games, 0, new_tally(player.game, player.experiment))
        won[lineup] = outcome.wins.astype(np.int64).copy()
    means = []
    for field in asked.opponents:
        a = sum(won[lineup][seat] for seat, lineup in enumerate(field.a)) if field.a else WHOLE_WIN
        b = sum(won[lineup][seat] for seat, lineup in enumerate(field.b)) if field.b else WHOLE_WIN
        means.append((a - b, a - WHOLE_WIN, b - WHOLE_WIN))
    rows = [sum(d for d, _, _ in means), *(d for d, _, _ in means), *means[2][1:]]
    assert len(rows) == asked.watched
    found = run(asked).sums
    for block in range(BLOCKS):
        assert found["games"][0, block] == len(games[block::BLOCKS])
        for row, values in enumerate(rows):
            assert found["difference"][0, row, block] == values[block::BLOCKS].sum()
            assert found["difference_sq"][0, row, block] == (values[block::BLOCKS] ** 2).sum()
    lineup = asked.opponents[2].b[1]
    row = won[lineup][1]
    assert found["b"][0, 2, 1].sum() == row.sum()
    assert found["b_sq"][0, 2, 1].sum() == (row * row).sum()
    assert not found["a"][0, 1].any() and not found["b"][0, 0].any()


@pytest.mark.parametrize(
    "how", [{"task_size": 256}, {"lanes": 256}, {"jobs": 2, "backend": "threads"}]
)
def test_the_same_sums_however_they_are_played(how: dict[str, Any]) -> None:
    asked = contrast(games=2100)
    whole, parts = run(asked), run(asked, **how)
    for name, sums in whole.sums.items():
        assert np.array_equal(sums, parts.sums[name]), name


def test_games_that_begin_within_a_period_go_to_their_blocks() -> None:
    player = player_of(contrast(games=1000))
    whole = player.play(Task(0, 700))
    parts = [player.play(Task(0, 100)), player.play(Task(100, 350)), player.play(Task(450, 250))]
    for name, sums in whole.items():
        assert np.array_equal(sums, sum(part[name] for part in parts)), name


def test_an_interrupted_run_goes_on_where_it_was() -> None:
    asked = contrast(games=4096)
    seen: list[int] = []
    part = run(asked, task_size=1024, progress=seen.append, cancelled=lambda: len(seen) == 2)
    assert part.stopped == "interrupted" and part.games == 2048
    rest = run(asked, resume=part)
    for name, sums in run(asked).sums.items():
        assert np.array_equal(sums, rest.sums[name]), name


def test_it_comes_back_from_json_and_from_disk(tmp_path: Path) -> None:
    asked = contrast(fields=(("middle", "highest"),))
    plain = json.loads(json.dumps(asked.to_json()))
    back = Experiment.from_json(plain)
    assert isinstance(back, Contrast) and back.opponents == asked.opponents
    assert json.loads(json.dumps(back.to_json())) == plain
    result = run(asked)
    write_part(tmp_path / "main.npz", result)
    assert read_experiment(tmp_path / "main.npz") == back
    again = read_part(tmp_path / "main.npz", asked)
    assert {name: a.shape for name, a in again.sums.items()} == {
        name: a.shape for name, a in empty_sums(asked).items()
    }
    assert all(np.array_equal(a, again.sums[name]) for name, a in result.sums.items())


def test_a_strategy_that_breaks_is_named_with_its_lowest_game(tmp_path: Path) -> None:
    """In some line-ups it breaks in later games than in others."""
    (tmp_path / "bad.py").write_text(
        "from analyzer.contracts import Strategy\n"
        "import numpy as np\n"
        "def card(view, params, words, out):\n"
        "    if (view.active & (words % 97 == 0)).any():\n"
        "        raise ValueError('no')\n"
        "    low = view.cards & (~view.cards + np.uint64(1))\n"
        "    out[:] = np.log2(low.astype(float)).round().astype(int)\n"
        "bad = Strategy('turnthetide', 'bad', 'Breaks.', {'card': card},\n"
        "    stochastic=frozenset({'card'}))\n"
    )
    rules = settle(find_game("turnthetide"), 2, {})
    spec = f"{tmp_path}/bad.py::bad"
    asked = Contrast("turnthetide", (spec, "random"), rules, games=600, seed=1)
    lowest = []
    for lineup in asked.seatings:
        with pytest.raises(StrategyFailed) as failed:
            run(Experiment("turnthetide", lineup, rules, 600, 1))
        lowest.append(failed.value.game)
    with pytest.raises(StrategyFailed) as failed:
        run(asked, task_size=256)
    assert failed.value.game == min(lowest)


def test_outcomes_in_another_order_are_put_in_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = contrast(games=512)
    usual = run(asked).sums
    plain = Player.outcome

    def turned(self: Player, *given: Any) -> object:
        outcome = plain(self, *given)
        return replace(outcome, games=outcome.games[::-1], wins=outcome.wins[:, ::-1])

    monkeypatch.setattr(Player, "outcome", turned)
    turned_sums = run(asked).sums
    assert all(np.array_equal(sums, turned_sums[name]) for name, sums in usual.items())


def test_the_player_is_chosen_by_what_is_played() -> None:
    asked = contrast()
    assert type(player_of(asked)).__name__ == "ContrastPlayer"
    plain = Experiment("turnthetide", (A, B), asked.rules, 10, 1)
    assert type(player_of(plain)) is Player
