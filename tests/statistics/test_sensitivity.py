"""Changes between rules: on the same chance, block by block, all of them together."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.games.switch16.exact.chain import win_shares
from analyzer.games.switch16.exact.states import Setup
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.statistics import sensitivity
from analyzer.statistics.intervals import MIN_GAMES, quantile
from analyzer.statistics.sensitivity import Comparison, Run, compare
from analyzer.statistics.tables import Estimate
from analyzer.study import make_request

SWITCH16 = find_game("switch16")
EXACT = ["greedy/leader/deny:16"] * 2
FIRST, TURNS = "first_player_win_share", "turns_per_game"
BLOCKS = 256


@cache
def played(
    games: int = 8192, seed: int = 5, game: str = "switch16", rotate: bool = False, **rules: Any
) -> ResultSet:
    own = {"switch16": ["greedy/leader/deny:16"] * 2, "mermaidbeach": ["random"] * 2}[game]
    if rotate:
        own[1] = "never/leader/deny:16"
    return run(
        make_request(
            "simulate",
            find_game(game),
            strategies=own,
            rules={key: dict(x) if isinstance(x, tuple) else x for key, x in rules.items()},
            games=games,
            seed=seed,
            rotate=rotate,
        ).experiment()
    )


def changed(base: ResultSet, **sums: np.ndarray) -> ResultSet:
    """The same run with other sums."""
    return replace(base, sums={**base.sums, **sums})


def compared(usual: ResultSet, *variants: ResultSet, game: Any = SWITCH16) -> Comparison:
    runs = [Run(f"variant {n}", result) for n, result in enumerate(variants)]
    return compare(Run("as assumed", usual), runs, game)


def test_a_setting_that_changes_nothing_changes_by_exactly_0() -> None:
    found = compared(played(), played(max_turns=500))
    (variant,) = found.variants
    assert variant.changes.keys() == variant.figures.keys() == found.usual.figures.keys()
    for change in variant.changes.values():
        assert (change.estimate.value, change.estimate.low, change.shown) == (0, None, False)
    assert found.usual.changes == {}
    assert found.answer.count("No assumption is shown to matter for the ") == 2


def test_changes_are_those_of_the_exact_solution() -> None:
    reds, resume = (("blank", 2), ("red", 2)), 9
    usual, red, nine = played(), played(switch_die=reds), played(milestone_resume=resume)
    exact = [
        win_shares(Setup.from_rules(result.experiment.rules, 2), EXACT)
        for result in (usual, red, nine)
    ]
    found = compared(usual, red, nine)
    for variant, truth in zip(found.variants, exact[1:], strict=True):
        true = {
            FIRST: truth.first_player_win_share - exact[0].first_player_win_share,
            TURNS: truth.turns - exact[0].turns,
        }
        for name, value in true.items():
            change = variant.changes[name].estimate
            assert change.value is not None and change.low is not None and change.high is not None
            assert change.se is not None
            assert change.low < value < change.high
            assert abs(change.value - value) < 3 * change.se
            assert change.kind == "simultaneous"
    most = found.most(TURNS)
    assert most is not None and most.label == "variant 0" and most.changes[TURNS].shown
    assert "What moves the turns per game most is variant 0: from " in found.answer


def test_the_interval_is_that_of_paired_differences() -> None:
    usual, nine = played(), played(milestone_resume=9)
    found = compared(usual, nine, played(max_turns=500))
    change = found.variants[0].changes[TURNS]
    # Blocks of equal size: the jackknife is the textbook formula of paired observations.
    gaps = [
        result.sums["turns"].sum(axis=0) / result.sums["deals"].sum(axis=0)
        for result in (nine, usual)
    ]
    gap = np.ravel(gaps[0] - gaps[1])
    assert gap.shape == (BLOCKS,)
    se = gap.std(ddof=1) / np.sqrt(BLOCKS)
    assert change.paired
    assert change.estimate.value == pytest.approx(gap.mean())
    assert change.estimate.se == pytest.approx(se)
    told = sum(len(variant.changes) for variant in found.variants)
    assert told == 2 * len(found.usual.figures)
    assert change.estimate.high == pytest.approx(gap.mean() + quantile(BLOCKS, told) * se)
    # What the two have in common in luck cancels.
    apart = [run.figures[TURNS].se or 0 for run in (found.usual, found.variants[0])]
    assert se < 0.7 * np.hypot(*apart)


def test_what_intervals_that_overlap_hide_is_shown() -> None:
    usual = played()
    turns = usual.sums["turns"]
    some = np.arange(BLOCKS) % 2  # a turn more in one game of every second block
    (variant,) = compared(usual, changed(usual, turns=turns + some)).variants
    single = variant.figures[TURNS], compared(usual).usual.figures[TURNS]
    assert single[0].low is not None and single[1].high is not None
    assert single[0].low < single[1].high
    assert variant.changes[TURNS].shown and not variant.changes[FIRST].shown
    assert variant.changes[TURNS].estimate.value == pytest.approx(BLOCKS / 2 / usual.games)


@pytest.mark.parametrize(
    ("up", "down", "shown"), [(5, 0, False), (29, 0, True), (20, 9, False), (30, 0, True)]
)
def test_few_games_that_differ_have_the_sign_test(up: int, down: int, shown: bool) -> None:
    usual = played()
    more = np.zeros(BLOCKS, int)
    more[:up] = 50
    more[100 : 100 + down] = -1
    (variant,) = compared(usual, changed(usual, turns=usual.sums["turns"] + more)).variants
    change = variant.changes[TURNS]
    assert change.estimate.value == pytest.approx((50 * up - down) / usual.games)
    assert change.shown == shown
    assert (change.estimate.low is not None) == (up + down >= MIN_GAMES)


def test_the_sign_test_is_exact() -> None:
    assert sensitivity._sign_test(0, 0) == sensitivity._sign_test(3, 3) == 1
    assert sensitivity._sign_test(6, 0) == sensitivity._sign_test(0, 6) == 2 / 64
    assert sensitivity._sign_test(1, 9) == pytest.approx(2 * (1 + 10) / 1024)


def test_a_change_that_is_the_same_everywhere_is_shown_without_an_interval() -> None:
    usual = played()
    later = changed(usual, turns=usual.sums["turns"] + 3 * usual.sums["deals"])
    found = compared(usual, later)
    change = found.variants[0].changes[TURNS]
    assert change.estimate.value == pytest.approx(3)
    assert change.shown and change.estimate.low is None
    assert found.verdict(TURNS) == found.answer[-len(found.verdict(TURNS)) :]
    few = played(games=MIN_GAMES - 1)
    later = changed(few, turns=few.sums["turns"] + 3 * few.sums["deals"])
    assert not compared(few, later).variants[0].changes[TURNS].shown


def test_a_ratio_of_other_things_than_games() -> None:
    """Of the questions that were met the trials are questions, of which a game has several."""
    game = find_game("mermaidbeach")
    usual, other = (played(games=600, game=game.name, play_at_beach=x) for x in (True, False))
    (variant,) = compared(usual, other, game=game).variants

    def rate(result: ResultSet, without: int | None = None) -> float:
        met, asks = (
            np.delete(result.sums[x].reshape(-1, BLOCKS), [] if without is None else without, 1)
            for x in ("asks_met_all", "asks_all")
        )
        return float(met.sum() / asks.sum())

    left_out = np.array([rate(other, b) - rate(usual, b) for b in range(BLOCKS)])
    se = np.sqrt((BLOCKS - 1) / BLOCKS * ((left_out - left_out.mean()) ** 2).sum())
    change = variant.changes["ask_success_rate"].estimate
    assert change.value == pytest.approx(rate(other) - rate(usual))
    assert change.se == pytest.approx(se)
    # As often as games, this share would be known less surely by far.
    assert se < 0.75 * np.sqrt(2 * rate(usual) * (1 - rate(usual)) / 600)


def test_runs_of_other_lengths_have_independent_errors() -> None:
    usual, longer = played(), played(games=12288, milestone_resume=9)
    found = compared(usual, longer)
    (variant,) = found.variants
    for name, change in variant.changes.items():
        one, other = found.usual.figures[name], variant.figures[name]
        assert not change.paired
        assert one.value is not None and other.value is not None
        assert change.estimate.value == pytest.approx(other.value - one.value)
        if one.se is not None and other.se is not None:
            assert change.estimate.se == pytest.approx(np.hypot(one.se, other.se))


def test_strategies_are_compared_wherever_they_sit() -> None:
    usual, red = (
        played(rotate=True, **rules) for rules in ({}, {"switch_die": (("blank", 2), ("red", 2))})
    )
    mine = usual.experiment.strategies[0]
    holder = usual.experiment.holders.index(mine)
    name = f"win share of {mine}"
    change = compared(usual, red).variants[0].changes[name]

    def share(result: ResultSet, without: int) -> float:
        wins, games = (np.delete(result.sums[x], without, -1).sum(-1) for x in ("wins", "games"))
        return float(wins[holder].sum() / games[0] / 60)

    gaps = np.array([share(red, b) - share(usual, b) for b in range(BLOCKS)])
    se = np.sqrt((BLOCKS - 1) / BLOCKS * ((gaps - gaps.mean()) ** 2).sum())
    assert change.estimate.value == pytest.approx(gaps.mean(), abs=1e-9)
    assert change.estimate.se == pytest.approx(se)


def test_what_moves_a_figure_most_is_said_only_where_that_is_shown() -> None:
    usual = played()
    turns, rng = usual.sums["turns"], np.random.default_rng(3)
    wiggle = [rng.integers(0, 3, turns.shape) for _ in range(3)]
    far = changed(usual, turns=turns + 8 + wiggle[0])
    near, as_far_down = (changed(usual, turns=turns + 2 * s + wiggle[1]) for s in (1, -5))
    much = compared(usual, near, far)
    assert TURNS in much.clear
    assert much.verdict(TURNS).startswith("What moves the turns per game most is variant 1: from ")
    # Almost the same upwards, or downwards: neither is shown to move it further.
    alike = changed(usual, turns=turns + 8 + wiggle[2])
    for other in (alike, as_far_down):
        found = compared(usual, other, far)
        assert all(variant.changes[TURNS].shown for variant in found.variants)
        assert TURNS not in found.clear
        assert found.verdict(TURNS).startswith("The largest change of the turns per game seen is ")
    # One alone has no rival.
    assert TURNS in compared(usual, far).clear


def test_copies_of_a_strategy_are_not_compared_with_each_other() -> None:
    lineup = ["greedy/leader/deny", "never/leader/deny", "greedy/leader/deny"]
    request = make_request(
        "simulate", SWITCH16, strategies=lineup, rules={}, games=4096, seed=5, rotate=False
    )
    result = run(request.experiment())
    found = compared(result, result).usual
    shares = [name for name in found.figures if name.startswith("win share")]
    assert shares == ["win share of greedy/leader/deny", "win share of never/leader/deny"]
    wins = result.sums["wins"][0].sum(axis=-1) / 60 / 4096
    assert found.figures[shares[0]].value == pytest.approx((wins[0] + wins[2]) / 2)
    assert found.figures[shares[1]].value == pytest.approx(wins[1])


def test_all_intervals_hold_together() -> None:
    """Where no variant matters, one of many is shown to in at most some 5% of comparisons."""
    rng = np.random.default_rng(8)
    variants, repeats = 24, 300

    def figure() -> sensitivity._Figure:
        blocks = rng.integers(0, 1000, BLOCKS)
        totals = blocks.sum() - np.concatenate([[0], blocks])
        games = np.r_[BLOCKS, np.full(BLOCKS, BLOCKS - 1)]
        return sensitivity._Figure(totals / games, blocks.astype(float))

    wrong = 0
    for _ in range(repeats):
        usual = figure()
        changes = [
            sensitivity._change(figure(), usual, paired=True, family=variants)
            for _ in range(variants)
        ]
        wrong += any(change.shown for change in changes)
    assert 0 < wrong < 0.09 * repeats


def test_other_chance_is_refused() -> None:
    with pytest.raises(ValueError, match="same chance"):
        compared(played(), played(seed=6))


def test_what_people_are_told_of_figures_and_changes() -> None:
    varied = sensitivity.Varied("x", 1, None, {}, {})
    told = Comparison(varied, (), (), frozenset({"share"}), ("game", "game"))
    for name, change, text in (
        ("share", Estimate(None), "unknown"),
        ("share", Estimate(0.0), "0"),
        ("share", Estimate(0.0, -0.012, 0.012), "+0.00 ±1.20"),
        ("share", Estimate(-0.00412), "-0.41"),
        ("mean", Estimate(3.0), "+3.000"),
        ("share", Estimate(-0.0041, -0.0053, -0.0029), "-0.41 ±0.12"),
        ("mean", Estimate(24.3, 24.1, 24.5), "+24.30 ±0.20"),
    ):
        assert told.said_change(name, change) == text
    assert told.said("share", Estimate(0.25568)) == "25.57%"
    assert told.said("mean", Estimate(24.3)) == "24.300"
    assert told.said("mean", Estimate(None)) == "unknown"
