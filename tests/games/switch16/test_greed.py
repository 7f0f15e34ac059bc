"""Whether greed pays: estimates against plain computations from the same sums."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.games.switch16 import greed
from analyzer.games.switch16.figures import Greed
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.study import make_request

OWN = (("risk", "greedy"), ("green", "leader"), ("block", "deny"))


@cache
def played(first: str, detail: str = "simulate", *, games: int = 4096, rotate: bool = False,
           players: int = 3) -> ResultSet:  # fmt: skip
    request = make_request(
        "simulate",
        find_game("switch16"),
        strategies=[first, *["greedy/leader/deny"] * (players - 1)],
        rules={},
        games=games,
        seed=11,
        rotate=rotate,
    )
    return run(replace(request.experiment(), detail=detail))


def analyzed(**how: bool | int) -> Greed:
    base = played("greedy/leader/deny", "story", **how)
    varied = [
        ("risk", "never", played("never/leader/deny", **how)),
        ("risk", "always", played("always/leader/deny", **how)),
        ("block", "hold", played("greedy/leader/hold", **how)),
    ]
    return greed.analyze(base, varied, OWN)


def first_wins(result: ResultSet) -> np.ndarray:
    """Share of games of each block that the first strategy wins, wherever it sits."""
    experiment = result.experiment
    wins, (games,) = result.sums["wins"] / 60, result.sums["games"]
    if not experiment.rotate:
        return np.asarray(wins[0, 0] / games)
    first = experiment.strategies[0]
    mine = wins[experiment.holders.index(first)].sum(axis=0)
    return np.asarray(mine / games / experiment.strategies.count(first))


@pytest.mark.parametrize("rotate", [False, True])
def test_rivals_are_compared_block_by_block(rotate: bool) -> None:
    found = analyzed(rotate=rotate)
    base = first_wins(played("greedy/leader/deny", "story", rotate=rotate))
    never = first_wins(played("never/leader/deny", rotate=rotate))
    rival = next(r for r in found.rivals if r.policy == "never")
    # Blocks of equal size: the jackknife is the textbook formula.
    assert rival.win_share.value == pytest.approx(never.mean())
    gap = never - base
    assert rival.change.value == pytest.approx(gap.mean())
    assert rival.change.se == pytest.approx(gap.std(ddof=1) / np.sqrt(len(gap)))
    assert rival.change.high is not None and rival.change.high < 0
    own = [r for r in found.rivals if r.own]
    assert [(r.family, r.policy) for r in own] == list(OWN)
    assert all(r.change.value == 0 and r.change.low is None for r in own)


def test_figures_are_ratios_of_sums() -> None:
    found = analyzed()
    sums = {k: v.sum() for k, v in played("greedy/leader/deny", "story").sums.items()}
    figures = {name: figure.value for name, figure in found.figures.items()}
    assert figures["foreign_finish_share"] == pytest.approx(
        sums["won_on_foreign_deck"] / sums["deals"]
    )
    assert figures["cards_lost_per_bust"] == pytest.approx(sums["cards_lost"] / sums["busts"])
    assert figures["cards_lost_share"] == pytest.approx(sums["cards_lost"] / sums["cards_gone"])
    hold = next(r for r in found.rivals if r.policy == "hold")
    assert hold.change.value is not None
    assert figures["laying_worth"] == pytest.approx(-hold.change.value)
    assert figures["swapping_worth"] is None  # nobody tried never to swap


def test_parts_of_a_whole_have_the_interval_of_a_share() -> None:
    base = played("greedy/leader/deny", "story")
    nothing = {name: 0 * base.sums[name] for name in ("won_on_foreign_deck", "cards_lost")}
    found = greed.analyze(replace(base, sums={**base.sums, **nothing}), [], ()).figures
    for name in ("foreign_finish_share", "cards_lost_share"):
        assert (found[name].low, found[name].kind) == (0.0, "wilson")
    assert found["cards_lost_per_bust"].low is None
    assert set(found) - greed.SHARES == {"cards_lost_per_bust"}


def test_turns_end_where_all_is_decided() -> None:
    found = analyzed()
    turns = {name: np.asarray(column, float) for name, column in found.turns.items()}
    assert turns["won"].sum() == pytest.approx(1)
    assert turns["decided"][-1] == pytest.approx(1)
    assert np.all(np.diff(turns["decided"]) >= 0)
    assert turns["turn"][0] == 1 and turns["ahead"][0] == 0  # all decks show card 1
    assert np.isnan(turns["ahead_wins"][0])
    middle = slice(3, 20)
    assert np.all(turns["low"][middle] < turns["ahead_wins"][middle])
    assert np.all(turns["ahead_wins"][middle] < turns["high"][middle])
    players = np.asarray(found.busts["players"], float)
    shares = np.asarray(found.busts["win_share"], float)
    assert players.sum() == pytest.approx(1)
    assert players @ shares == pytest.approx(1 / 3)  # somebody wins every game


def test_the_verdict_compares_with_the_careful_policy() -> None:
    found = analyzed()
    assert found.verdict == "pays"
    assert found.answer.startswith("Yes. Against greedy/leader/deny, one player wins ")
    assert '"always"' in found.answer and '"never"' in found.answer
    base = played("greedy/leader/deny", "story")
    never, always = played("never/leader/deny"), played("always/leader/deny")
    # With the results of the two exchanged, caution is what pays.
    swapped = greed.analyze(
        played("never/leader/deny", "story"),
        [("risk", "never", always), ("risk", "always", never)],
        (("risk", "to-milestone"), *OWN[1:]),
    )
    assert swapped.verdict == "does-not-pay" and swapped.answer.startswith("No. ")
    same = greed.analyze(base, [("risk", "never", base)], OWN)
    assert same.verdict == "undecided" and same.answer.startswith("Undecided. ")
    assert greed.analyze(base, [], ()).answer == ""


def test_few_games_claim_nothing() -> None:
    few = analyzed(games=20)
    assert few.verdict == "undecided"
    assert few.answer == "Undecided: 20 games cannot say whether greed pays."
    assert all(r.win_share.low is None for r in few.rivals)


def test_other_runs_are_refused() -> None:
    with pytest.raises(ValueError, match="story"):
        greed.analyze(played("greedy/leader/deny"), [], ())
