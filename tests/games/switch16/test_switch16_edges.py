"""Odd settings of Switch 16 end well or are refused, and bytes depend on nothing but the question.

Where odd settings make the game simple, what must come out is worked out here by hand.
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import numpy as np
import pytest

from analyzer.engine.runner import replay, run
from analyzer.errors import RulesError, UsageError
from analyzer.experiment import Experiment
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.statistics.fairness import judge
from analyzer.statistics.summary import summarize
from tests.spelling import spelled

GAMES = 20 if JIT_DISABLED else 10_000
compiled_only = pytest.mark.skipif(JIT_DISABLED, reason="takes long where kernels are not compiled")
LINEUPS = [
    ("greedy/leader/hold", "threshold:0.5/leader/hold"),
    ("always/random/deny:12", "protected/never/deny:1", "greedy/leader/deny:16"),
    (
        "greedy/leader/hold",
        "never/random/deny:12",
        "to-milestone/random/deny:3",
        "chase/ahead/strike",
    ),
]


def die(blank: int, green: int, red: int, block: int) -> dict[str, Any]:
    """A Switch die."""
    return {"switch_die": {"blank": blank, "green": green, "red": red, "block": block}}


def experiment(
    lineup: tuple[str, ...], given: dict[str, Any], games: int = GAMES, **more: Any
) -> Experiment:
    strategies = spelled("switch16", lineup)
    rules = settle(find_game("switch16"), len(strategies), given)
    return Experiment("switch16", strategies, rules, games, 16, "fairness", **more)


def total(result: ResultSet, name: str) -> int:
    """A sum over all blocks and seats."""
    return int(result.sums[name].sum())


def nobody_won(result: ResultSet, games: int) -> None:
    """Every game was counted as unfinished and none as won."""
    assert total(result, "games") == total(result, "unfinished") == games
    for name in ("wins", "wins_sq", "outright", "first_wins", "won_on_foreign_deck"):
        assert total(result, name) == 0, name
    summary = summarize(result, find_game("switch16"))
    assert summary.unfinished == games
    assert [seat.win_share.value for seat in summary.seats] == [0.0] * summary.players
    judge(result, find_game("switch16"))  # has an answer for it


@pytest.mark.parametrize("lineup", LINEUPS, ids=("two", "three", "four"))
def test_with_an_all_red_die_no_card_ever_goes(lineup):
    result = run(experiment(lineup, die(0, 0, 2, 0) | {"max_turns": 30}))
    nobody_won(result, GAMES)
    assert total(result, "turns") == 30 * GAMES
    for name in ("risks", "busts", "green_swaps", "red_swaps", "blocks_laid", "score"):
        assert total(result, name) == 0, name


@pytest.mark.parametrize("lineup", LINEUPS, ids=("two", "three", "four"))
def test_with_an_all_blank_die_nobody_meets_anybody(lineup):
    result = run(experiment(lineup, die(1, 0, 0, 0)))
    assert total(result, "unfinished") == 0
    assert total(result, "wins") == 60 * GAMES
    for name in ("green_swaps", "red_swaps", "blocks_laid", "won_on_foreign_deck"):
        assert total(result, name) == 0, name


def test_with_an_all_green_die_random_swaps_end_every_turn():
    result = run(experiment(("always/random/hold",) * 3, die(0, 1, 0, 0) | {"max_turns": 7}))
    nobody_won(result, GAMES)
    assert total(result, "green_swaps") == 7 * GAMES
    result = run(experiment(("always/never/hold",) * 3, die(0, 1, 0, 0)))
    assert total(result, "unfinished") == 0


def test_with_an_all_block_die_the_disc_goes_round_and_stops_nobody():
    # Whoever throws takes it, so nobody holds it while another's cards go.
    result = run(experiment(("greedy/leader/deny:1",) * 3, die(0, 0, 0, 1)))
    assert total(result, "unfinished") == 0
    assert total(result, "blocks_laid") == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_deck_of_one_card_is_won_with_the_first_one(players):
    rules = {"cards": 1} | die(1, 0, 0, 0)
    result = run(experiment(("greedy/leader/hold",) * players, rules))
    hit = 1 - (5 / 6) ** 3
    first = hit / (1 - (1 - hit) ** players)
    summary = summarize(result, find_game("switch16"))
    assert summary.unfinished == 0
    error = np.sqrt(first * (1 - first) / GAMES)
    assert abs(summary.metrics["first_player_win_share"].value - first) < 4 * error
    turns = summary.metrics["turns_per_game"].value
    assert abs(turns - 1 / hit) < 4 * np.sqrt((1 - hit) / hit**2 / GAMES)
    assert total(result, "score") == GAMES


def test_one_sided_dice_are_certain():
    # Three dice that all show 1 make 1, 2 and 3: a deck of three cards is gone in one throw.
    rules = {"cards": 3, "faces": 1, "first_player": "seat1"} | die(1, 0, 0, 0)
    result = run(experiment(("never/never/hold",) * 3, rules))
    assert result.sums["wins"].sum(axis=(0, 2)).tolist() == [60 * GAMES, 0, 0]
    assert total(result, "turns") == total(result, "first_wins") == GAMES
    # Of four cards the last one never goes, and whoever tries is back at 1.
    result = run(experiment(("never/never/hold",) * 3, rules | {"cards": 4, "max_turns": 12}))
    nobody_won(result, GAMES)
    assert result.sums["score"].sum(axis=(0, 2)).tolist() == [3 * GAMES] * 3
    result = run(experiment(("always/never/hold",) * 3, rules | {"cards": 4, "max_turns": 12}))
    nobody_won(result, GAMES)
    assert total(result, "risks") == total(result, "busts") == 12 * GAMES
    assert total(result, "score") == 0


@pytest.mark.parametrize("lineup", LINEUPS, ids=("two", "three", "four"))
def test_with_one_turn_at_most_nearly_all_games_are_unfinished(lineup):
    result = run(experiment(lineup, {"max_turns": 1}))
    assert total(result, "turns") == total(result, "deals") == GAMES
    won = total(result, "wins") // 60
    assert total(result, "unfinished") == GAMES - won
    assert total(result, "first_wins") == won < GAMES / 10


@compiled_only
def test_an_unfinished_deal_leaves_its_match_unfinished():
    rules = {"match_points": 40, "max_turns": 20, "first_player": "seat1"}
    result = run(experiment(LINEUPS[1], rules))
    unfinished = total(result, "unfinished")
    assert 0 < unfinished < GAMES
    assert total(result, "wins") == 60 * (GAMES - unfinished)
    assert total(result, "deals") > GAMES


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"cards": 0}, "cards"),
        ({"cards": 31}, "cards"),
        ({"faces": 0}, "faces"),
        ({"max_turns": 0}, "max_turns"),
        ({"match_points": 10_001}, "match_points"),
        ({"milestone_resume": 10}, "milestone_resume = 10 is neither"),
        ({"milestone": 5, "milestone_resume": 8}, "neither"),
        (die(0, 0, 0, 0), "at least one"),
        (die(101, 0, 0, 0), "100"),
        ({"switch_die": {"yellow": 1}}, "yellow"),
        ({"switch_die": {"red": -1}}, "red"),
        ({"dice": {"2": 3}}, "card 1"),
        ({"dice": {"1": 0}}, "1 to 8"),
        ({"dice": {"1": 9}}, "1 to 8"),
        ({"dice": {}}, "allowed"),
        ({"faces": 20, "dice": {"1": 8}}, "different throws"),
        ({"first_player": "seat2"}, "first_player"),
    ],
    ids=str,
)
def test_what_makes_no_game_is_refused_with_the_reason(given, reason):
    with pytest.raises(RulesError, match=reason):
        settle(find_game("switch16"), 3, given)


def test_an_unknown_setting_is_refused():
    with pytest.raises(UsageError, match=r"'card'.*cards"):
        settle(find_game("switch16"), 3, {"card": 16})


@pytest.mark.parametrize("players", [1, 5])
def test_other_numbers_of_players_are_refused(players):
    with pytest.raises(UsageError):
        experiment(("greedy/leader/hold",) * players, {})


# The same bytes -----------------------------------------------------------------------------------


def fingerprint(result: ResultSet) -> str:
    digest = hashlib.sha256()
    for games, sums in [(result.games, result.sums), *((p.games, p.sums) for p in result.history)]:
        digest.update(str(games).encode())
        for name in sorted(sums):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(sums[name]).tobytes())
    return digest.hexdigest()


@pytest.mark.long
@compiled_only
@pytest.mark.parametrize("rules", [{}, {"match_points": 40, "max_turns": 30}], ids=str)
@pytest.mark.parametrize("lineup", LINEUPS, ids=("two", "three", "four"))
def test_bytes_do_not_depend_on_how_the_work_is_shared(lineup, rules):
    one = experiment(lineup, rules, games=5000, rotate=True)
    wanted = fingerprint(run(one))
    for options in (
        {"lanes": 256},
        {"lanes": 1024, "task_size": 768},
        {"lanes": 512},
        {"jobs": 2, "backend": "threads"},
        {"jobs": 3, "backend": "threads", "task_size": 512},
    ):
        assert fingerprint(run(one, **options)) == wanted, options
    assert fingerprint(run(dataclasses.replace(one, seed=17))) != wanted


@compiled_only
def test_bytes_do_not_depend_on_processes():
    one = experiment(LINEUPS[2], {}, games=3000)
    assert fingerprint(run(one, jobs=2, backend="processes")) == fingerprint(run(one))


@compiled_only
@pytest.mark.parametrize("game", [0, 255, 256, 2999])
def test_a_game_is_the_same_alone(game):
    """What a run of g + 1 games has that one of g has not is game g, told step by step."""
    lineup, given = LINEUPS[1], {"match_points": 30}
    events: list[tuple[str, Any]] = []
    whole = experiment(lineup, given, games=game + 1)
    outcome = replay(whole, game, lambda event, facts: events.append((event, dict(facts))))
    sums = run(whole).sums
    if game:
        before = run(experiment(lineup, given, games=game)).sums
        sums = {name: sums[name] - before[name] for name in sums}
    assert sums["wins"].sum(axis=(0, 2)).tolist() == outcome.wins[:, 0].tolist()
    assert sums["score"].sum(axis=(0, 2)).tolist() == outcome.scores[:, 0].tolist()
    told = [event for event, _ in events]
    assert sums["risks"].sum() == told.count("risk")
    assert sums["deals"].sum() == told.count("deal")
    assert sums["first_wins"].sum() == _wins_of_beginners(events)


def _wins_of_beginners(events: list[tuple[str, Any]]) -> int:
    first, won = 0, 0
    for event, facts in events:
        first = facts["first"] if event == "deal" else first
        won += event == "win" and facts["seat"] == first
    return won
