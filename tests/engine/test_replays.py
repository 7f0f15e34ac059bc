"""Games played again with some of their chance kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from analyzer.contracts import WHOLE_WIN
from analyzer.engine.batch import LANES, Player
from analyzer.engine.players import empty_sums
from analyzer.engine.replays import ReplayPlayer
from analyzer.engine.runner import run
from analyzer.engine.tally import new_tally
from analyzer.experiment import BLOCKS, Experiment, Replays
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.rundir.parts import read_experiment, read_part, write_part

LINEUPS = {
    "turnthetide": ("lowest", "random", "random"),
    "switch16": ("greedy/leader/deny:16", "always/random/hold", "always/random/hold"),
    "mermaidbeach": ("random", "greedy", "random"),
}


def replays(name: str, *kept: tuple[str, ...], games: int = 600) -> Replays:
    lineup = LINEUPS[name]
    rules = settle(find_game(name), len(lineup), {})
    return Replays(name, lineup, rules, games, seed=4, rotate=True, kept=kept)


@pytest.mark.parametrize("name", LINEUPS)
def test_a_game_ends_alike_as_long_as_all_its_chance_is_kept(name: str) -> None:
    """And no source of a built-in game is without consequence, whoever plays it so."""
    sources = tuple(find_game(name).chance)
    others = [tuple(s for s in sources if s != one) for one in sources]
    sums = run(replays(name, sources, *others)).sums
    for outcome in ("win", "score"):
        own = sums[f"{outcome}_sq"][0, 0]
        products = sums[f"{outcome}_product"][0, : 1 + len(sources)]  # with the game itself
        assert (products[0] == own).all()
        assert (sums[f"{outcome}_sum"][:, 1] == sums[f"{outcome}_sum"][:, 0]).all()
        assert (products[1:].sum(axis=1) < own.sum()).all()


@pytest.mark.parametrize("name", LINEUPS)
def test_the_game_itself_is_the_one_that_is_played_alone(name: str) -> None:
    asked = replays(name, ())
    plain = vars(asked) | {}
    plain.pop("kept")
    alone, again = run(Experiment(**plain)), run(asked)
    assert (again.sums["win_sum"][:, 0] == alone.sums["wins"].sum(axis=1)).all()
    assert (again.sums["win_sq"][0, 0] == alone.sums["wins_sq"].sum(axis=(0, 1))).all()
    assert again.sums["win_sum"][:, 1].sum() == WHOLE_WIN * asked.games
    assert (again.sums["win_sum"][:, 1] != again.sums["win_sum"][:, 0]).any()


def test_what_is_kept_is_the_same_and_what_is_not_is_another() -> None:
    """Turn the Tide tells what was dealt and laid."""
    player = ReplayPlayer(replays("turnthetide", ("deal",), ("tides",)))
    games = np.arange(LANES, dtype=np.uint64)
    found = []
    for one in (player, *player.again):
        one.outcome(games, 0, new_tally(player.game, player.replays))
        state = one._table(games.size).state
        found.append((state.deal.dealt[:3].copy(), state.tides.low.copy()))
    (dealt, laid), (kept, other_tides), (other_hands, kept_tides) = found
    assert (kept == dealt).all() and (kept_tides == laid).all()
    assert (other_hands != dealt).mean() > 0.99 and (other_tides != laid).mean() > 0.8


def test_replays_are_multiplied_with_the_game_and_with_each_other() -> None:
    asked = replays("turnthetide", ("deal", "tides", "decisions"), ("deal",), ("tides",))
    assert asked.pairs == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    products = run(asked).sums["win_product"][0]
    assert (products[1] == products[3]).all() and (products[2] == products[4]).all()
    assert (products[5] != products[1]).any() and (products[5] != products[2]).any()


def test_scores_are_those_of_players_against_each_other() -> None:
    sums = run(replays("turnthetide", ())).sums
    assert (sums["score_sum"].sum(axis=0) == 0).all()
    assert (sums["score_sum"] != 0).any()


def test_tasks_and_lanes_change_nothing() -> None:
    asked = replays("turnthetide", ("deal",), ("deal", "tides"), games=1337)
    one, other = run(asked), run(asked, task_size=BLOCKS, lanes=BLOCKS)
    assert one.sums.keys() == other.sums.keys() == empty_sums(asked).keys()
    for name, sums in one.sums.items():
        assert (sums == other.sums[name]).all(), name
        assert sums.shape == empty_sums(asked)[name].shape
    stopped = run(asked, task_size=BLOCKS, cancelled=lambda: True)
    assert stopped.stopped == "interrupted" and 0 < stopped.games < asked.games
    resumed = run(asked, resume=stopped)
    assert all((resumed.sums[name] == sums).all() for name, sums in one.sums.items())


def test_a_description_survives_the_disk(tmp_path: Path) -> None:
    asked = replays("turnthetide", (), ("deal", "tides"))
    described = Experiment.from_json(json.loads(json.dumps(asked.to_json())))
    assert isinstance(described, Replays) and described.kept == asked.kept
    assert json.dumps(described.to_json()) == json.dumps(asked.to_json())
    result = run(asked)
    write_part(tmp_path / "part.parquet", result)
    again = read_part(tmp_path / "part.parquet", asked)
    assert all((again.sums[name] == sums).all() for name, sums in result.sums.items())
    assert isinstance(read_experiment(tmp_path / "part.parquet"), Replays)


def test_what_cannot_be_replayed_is_refused() -> None:
    with pytest.raises(ValueError, match="no source of chance 'weather'"):
        ReplayPlayer(replays("turnthetide", ("weather",)))
    rules = settle(find_game("turnthetide"), 3, {})
    with pytest.raises(TypeError, match="replays are needed"):
        ReplayPlayer(Experiment("turnthetide", LINEUPS["turnthetide"], rules, 10, 1))
    assert not isinstance(Player(replays("turnthetide", ())), ReplayPlayer)
