"""Whether greed pays: estimates against plain computations from the same sums."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.games.switch16 import greed
from analyzer.games.switch16.exact.chain import win_shares
from analyzer.games.switch16.exact.states import Setup
from analyzer.games.switch16.figures import Greed
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.statistics.intervals import quantile
from analyzer.statistics.summary import summarize
from analyzer.study import conclude, make_request
from analyzer.study.stage import Stage, WorkerSettings

OWN = (("risk", "greedy"), ("green", "leader"), ("block", "deny"))


@cache
def played(first: str, detail: str = "simulate", *, games: int = 4096, players: int = 3,
           seat: int = 0, other: str = "greedy/leader/deny") -> ResultSet:  # fmt: skip
    lineup = [other] * players
    lineup[seat] = first
    request = make_request(
        "simulate",
        find_game("switch16"),
        strategies=lineup,
        rules={},
        games=games,
        seed=11,
    )
    return run(replace(request.experiment(), detail=detail))


def seated(first: str, seats: int = 1, **how: Any) -> tuple[ResultSet, ...]:
    """The same player in each of the first seats."""
    return tuple(played(first, seat=seat, **how) for seat in range(seats))


def analyzed(seats: int = 1, **how: Any) -> Greed:
    story = played("greedy/leader/deny", "story", **how)
    varied = [
        ("risk", "never", seated("never/leader/deny", seats, **how)),
        ("risk", "always", seated("always/leader/deny", seats, **how)),
        ("block", "hold", seated("greedy/leader/hold", seats, **how)),
    ]
    return greed.analyze(story, seated("greedy/leader/deny", seats, **how), varied, OWN)


def first_wins(first: str, seats: int) -> np.ndarray:
    """Share of games of each block that the player wins, its seats alike."""
    runs = seated(first, seats)
    return np.mean([x.sums["wins"][0, k] / 60 / x.sums["games"][0] for k, x in enumerate(runs)], 0)


@pytest.mark.parametrize("seats", [1, 3])
def test_rivals_are_compared_block_by_block(seats: int) -> None:
    found = analyzed(seats)
    base = first_wins("greedy/leader/deny", seats)
    never = first_wins("never/leader/deny", seats)
    rival = next(r for r in found.rivals if r.policy == "never")
    # Blocks of equal size: the jackknife is the textbook formula.
    assert rival.win_share.value == pytest.approx(never.mean())
    gap = never - base
    assert rival.change.value == pytest.approx(gap.mean())
    assert rival.change.se == pytest.approx(gap.std(ddof=1) / np.sqrt(len(gap)))
    assert rival.change.high is not None and rival.change.high < 0
    # All that were tried hold together, here three of them.
    assert rival.change.kind == "simultaneous"
    half = quantile(256, 3) * (rival.change.se or 0.0)
    assert rival.change.high - rival.change.value == pytest.approx(half)
    own = [r for r in found.rivals if r.own]
    assert [(r.family, r.policy) for r in own] == list(OWN)
    assert all(r.change.value == 0 and r.change.low is None for r in own)


@pytest.mark.long
def test_changes_under_rotation_agree_with_the_exact_ones() -> None:
    """Two players: who moves from seat to seat wins the mean of what it wins in each."""
    request = make_request(
        "fairness",
        find_game("switch16"),
        strategies=["greedy/leader/deny", "threshold/random/hold"],
        rules={"first_player": "seat1"},
        games=40_000,
        seed=12,
        rotate=True,
    )
    found: Greed = conclude(request, Stage(WorkerSettings())).figures["greed"]  # type: ignore[union-attr]
    setup = Setup.from_rules(request.rules, 2)

    def exact(first: str) -> float:
        spelled = first.replace("deny", "deny:16").replace("threshold", "threshold:0.5")
        other = "threshold:0.5/random/hold"
        ahead = win_shares(setup, [spelled, other]).win_share[0]
        return float(ahead + win_shares(setup, [other, spelled]).win_share[1]) / 2

    tried = [r for r in found.rivals if not r.own]
    assert len(tried) == 8
    for rival in tried:
        own = dict(OWN) | {rival.family: rival.policy}
        gain = exact("/".join(own.values())) - exact("greedy/leader/deny")
        assert rival.change.value is not None and rival.change.se
        assert abs(rival.change.value - gain) / rival.change.se < 4, rival
        # Pairing helps: two runs on chance of their own would be known half as well again at best.
        assert rival.change.se < 1.2 * (rival.win_share.se or 0.0)


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
    found = greed.analyze(replace(base, sums={**base.sums, **nothing}), (base,), [], ()).figures
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
    assert found.answer.startswith(
        "Yes, throwing again pays. Of games against players throwing again while that gains cards "
        "on average, swapping with the leader and laying the Block disc on others, one player wins "
    )
    assert "% always throwing again (the most of three policies), " in found.answer
    assert "% never throwing again; an equal share is 33.3%." in found.answer
    base = played("greedy/leader/deny", "story")
    never, always = seated("never/leader/deny"), seated("always/leader/deny")
    # With the results of the two exchanged, caution is what pays.
    swapped = greed.analyze(
        played("never/leader/deny", "story"),
        never,
        [("risk", "never", always), ("risk", "always", never)],
        (("risk", "to-milestone"), *OWN[1:]),
    )
    assert swapped.verdict == "does-not-pay"
    assert swapped.answer.startswith("No, throwing again does not pay. ")
    same = greed.analyze(base, (base,), [("risk", "never", (base,))], OWN)
    assert same.verdict == "undecided" and same.answer.startswith(
        "Undecided: these games do not settle whether throwing again makes a difference of more "
    )
    assert greed.analyze(base, (base,), [], ()).answer == ""
    # What is shown, but within the margin, does not matter.
    wide = greed.analyze(base, never, [("risk", "always", always)], OWN, margin=0.9)
    assert wide.verdict == "undecided"  # nobody is careful
    wide = greed.analyze(
        base, seated("greedy/leader/deny"), [("risk", "never", never)], OWN, margin=0.9
    )
    assert wide.verdict == "no-difference-shown"
    assert "the difference is shown to be at most 90 percentage points. Of games" in wide.answer


def test_over_tables_the_verdict_holds_for_all_opponents_or_says_it_depends() -> None:
    found = analyzed()
    summary = summarize(played("greedy/leader/deny"), find_game("switch16"))
    assert greed.over_tables([(summary, found)]) == (found.verdict, found.answer)
    again = replace(found, answer="Yes, another sentence.")
    verdict, answer = greed.over_tables([(summary, found), (summary, again)])
    assert verdict == "pays"
    assert answer.startswith("Yes, throwing again pays whoever the others are: against players ")
    against = replace(again, verdict="does-not-pay")
    verdict, answer = greed.over_tables([(summary, found), (summary, against)])
    assert verdict == "depends-on-play"
    assert answer.startswith("It depends on how the others play: against ")
    unsure = replace(again, verdict="undecided")
    verdict, answer = greed.over_tables([(summary, found), (summary, unsure)])
    assert verdict == "pays"
    assert answer.startswith("Yes, throwing again pays: against ")
    assert answer.endswith(", which is undecided.")


def test_few_games_claim_nothing() -> None:
    few = analyzed(games=20)
    assert few.verdict == "undecided"
    assert few.answer == "Undecided: 20 games cannot say whether throwing again pays."
    assert all(r.win_share.low is None for r in few.rivals)


def test_other_runs_are_refused() -> None:
    with pytest.raises(ValueError, match="story"):
        greed.analyze(played("greedy/leader/deny"), (), [], ())


def test_a_fixed_first_player_who_plays_otherwise_shows_nothing_of_going_first() -> None:
    request = make_request(
        "fairness",
        find_game("switch16"),
        strategies=["always/leader/deny:16", "never/never/hold"],
        rules={"first_player": "seat1"},
        games=4096,
        seed=3,
    )
    found = conclude(request, Stage(WorkerSettings()))
    assert found.verdict == "undecided"
    assert found.answer.startswith("Undecided: seats that differ in strategy cannot show whether ")
    assert "nor whether going first does" in found.answer
