"""The figures of Mermaid Beach against formulas that read the games one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from analyzer.experiment import Experiment
from analyzer.games.mermaidbeach.figures import CARDS, Figures, analyze, conclusion
from analyzer.games.mermaidbeach.game import GAME
from analyzer.results import ResultSet
from analyzer.statistics import fairness
from analyzer.statistics.figures import document
from analyzer.statistics.intervals import leave_one_out, quantile
from analyzer.statistics.skill import skill
from analyzer.statistics.tables import Estimate
from tests.games.mermaidbeach import samples
from tests.games.mermaidbeach.samples import Records
from tests.statistics.samples import seated

MARGIN = 0.005


def concluded(run: ResultSet, margin: float = MARGIN) -> tuple[str, str]:
    """Verdict and answer of a run."""
    found = fairness.judge(run, GAME, margin=margin)
    return conclusion(analyze(run, margin), found.verdict, found.answer, margin)


SKILLED = ("clever", "random", "random", "plain")
SKILL = (1.0, 0.0, 0.0, 0.4)


def error(played: Records, estimator: Callable[[Records], float]) -> float:
    """Standard error with one block left out after the other."""
    block = np.arange(len(played.wins)) % 256
    left_out = np.array([estimator(played.chosen(block != b)) for b in range(256)])
    return float(np.sqrt(255 / 256 * ((left_out - left_out.mean()) ** 2).sum()))


def holds(found: Estimate, played: Records, estimator: Callable[[Records], float]) -> None:
    """The figure is the estimator's, its error that of the jackknife."""
    assert found.value == pytest.approx(estimator(played))
    assert found.se == pytest.approx(error(played, estimator), rel=1e-6)


def least_squares(played: Records) -> tuple[np.ndarray, float, float]:
    """Coefficients, adjusted R^2, and the deviation of the fitted values, by the solver."""
    w = played.wins.reshape(-1) / 60
    f = played.hands.reshape(len(w), -1)
    design = np.column_stack([np.ones(len(w)), f])
    fit = np.linalg.lstsq(design, w, rcond=None)[0]
    left = ((w - design @ fit) ** 2).sum()
    adjusted = 1 - left / (len(w) - 7) / (w.var() * len(w) / (len(w) - 1))
    return fit[1:], float(adjusted), float(np.sqrt(max(adjusted, 0.0) * w.var()))


# --- opening hands -------------------------------------------------------------------------------


def test_opening_hand_is_least_squares_clustered_by_games() -> None:
    played = samples.records(400)
    opening = analyze(samples.result(played)).opening
    assert opening.hands == 1600
    assert [card.card for card in opening.cards] == list(CARDS)
    for i in (0, 5):
        holds(opening.cards[i].worth, played, lambda r, i=i: float(least_squares(r)[0][i]))
    holds(opening.explained, played, lambda r: least_squares(r)[1])
    holds(opening.swing, played, lambda r: least_squares(r)[2])
    worth = opening.cards[0].worth
    assert worth.kind == "simultaneous"
    assert worth.low is not None and worth.high is not None and worth.se is not None
    assert worth.high - worth.low == pytest.approx(2 * quantile(256, 6) * worth.se)


def test_a_hand_that_decides_everything_explains_everything() -> None:
    """With one merfolk in every game, whose holder wins, the hand is all there is."""
    played = samples.records(2000)
    hands = np.zeros_like(played.hands)
    owner = np.random.default_rng(2).integers(4, size=2000)
    hands[np.arange(2000), owner, 0] = 1
    wins = 60 * hands[..., 0]
    opening = analyze(samples.result(replace(played, hands=hands, wins=wins))).opening
    assert opening.explained.value == pytest.approx(1)
    assert opening.cards[0].worth.value == pytest.approx(1)
    assert opening.swing.value == pytest.approx(np.sqrt(3) / 4)
    # Cards that no hand holds are worth nothing that could be told.
    assert opening.cards[1].worth == Estimate(None)


def test_hands_that_do_not_matter_explain_nothing() -> None:
    found = [
        analyze(samples.result(samples.records(1000, hand=0.0, seed=seed))).opening.explained.value
        for seed in range(40)
    ]
    values = np.array(found, dtype=float)
    # Unbiased, and so below 0 as often as above it.
    assert abs(values.mean()) < 3 * values.std() / np.sqrt(40)
    assert 8 < (values < 0).sum() < 32
    same = samples.result(samples.records(20_000, hand=0.0))
    assert analyze(same, margin=0.03).opening.verdict == "no-difference-shown"
    assert analyze(same).opening.verdict == "undecided"


def fifth(played: Records, *, best: bool) -> float:
    """Win share of the best or the worst fifth of hands, hand by hand."""
    values = (played.hands @ np.array((11, 14, -4, -4, -2, 2))).reshape(-1)
    wins = played.wins.reshape(-1) / 60
    wanted, sign = len(values) / 5, -1 if best else 1
    edge = np.sort(sign * values)[int(np.ceil(wanted)) - 1]
    inside, at = sign * values < edge, sign * values == edge
    return float((wins[inside].sum() + (wanted - inside.sum()) * wins[at].mean()) / wanted)


def test_fifths_of_hands_are_ordered_by_what_hands_are_worth() -> None:
    played = samples.records(900)
    opening = analyze(samples.result(played)).opening
    holds(opening.best_fifth, played, lambda r: fifth(r, best=True))
    holds(opening.worst_fifth, played, lambda r: fifth(r, best=False))
    holds(opening.gap, played, lambda r: fifth(r, best=True) - fifth(r, best=False))


def test_fifths_of_hands_have_known_win_shares() -> None:
    """Five players, one merfolk a game: the fifth of hands that hold it are the best ones."""
    rng = np.random.default_rng(2)
    games = 20_000
    played = samples.records(games, players=5)
    owner = rng.integers(5, size=games)
    winner = np.where(rng.random(games) < 0.375, owner, rng.integers(5, size=games))
    hands = np.zeros_like(played.hands)
    hands[np.arange(games), owner, 0] = 1
    wins = 60 * (winner[:, None] == np.arange(5))
    found = analyze(samples.result(replace(played, hands=hands, wins=wins))).opening
    # Half of the games are won by whoever holds it: 0.375 + 0.625 / 5; 1/8 by each of the others.
    assert found.best_fifth.value == pytest.approx(0.5, abs=0.015)
    assert found.worst_fifth.value == pytest.approx(0.125, abs=0.005)
    assert found.verdict == "hand-matters"
    # Of hands that are all alike the best are no better than the worst.
    alike = replace(played, hands=np.zeros_like(hands), wins=wins)
    found = analyze(samples.result(alike)).opening
    assert found.best_fifth.value == pytest.approx(0.2)
    assert found.worst_fifth.value == pytest.approx(0.2)


def test_cards_that_cannot_be_told_apart_get_no_worth() -> None:
    played = samples.records(300)
    hands = played.hands.copy()
    hands[..., 5] = hands[..., 0]
    opening = analyze(samples.result(replace(played, hands=hands))).opening
    assert all(card.worth.value is None for card in opening.cards)
    assert opening.explained.value is not None


# --- turn order ----------------------------------------------------------------------------------


def test_places_are_counted_from_who_begins() -> None:
    played = samples.records(3000, first=0.5)
    order = analyze(samples.result(played)).turn_order
    seats = np.arange(3000)

    def share(r: Records) -> float:
        return float(r.wins[np.arange(len(r.wins)), (r.first + 1) % 4].mean() / 60)

    holds(order.positions[1].win_share, played, share)
    first = played.wins[seats, played.first].mean() / 60
    assert order.positions[0].win_share.value == pytest.approx(first)
    assert order.p_value is not None and order.p_value < 1e-6
    assert order.positions[0].advantage.kind == "simultaneous"
    assert [place.position for place in order.positions] == [1, 2, 3, 4]
    assert order.history["games"].tolist() == [1024, 2048, 3000]
    assert order.history["win_share"][-1] == pytest.approx(first)


@pytest.mark.parametrize(
    ("first_player", "rotate", "lineup", "confounded"),
    [
        ("seat1", False, SKILLED, True),
        ("seat1", True, SKILLED, False),
        ("random", False, SKILLED, False),
        ("seat1", False, ("random",) * 4, False),
    ],
)
def test_places_differ_in_strategy_only_where_each_stays_in_its_own(
    first_player: str, rotate: bool, lineup: tuple[str, ...], confounded: bool
) -> None:
    played = samples.records(1024, lineup=lineup, rotate=rotate)
    run = samples.result(played, rotate=rotate, first_player=first_player)
    assert analyze(run).turn_order.confounded is confounded


@pytest.mark.long
def test_nobody_is_favored_five_times_in_a_hundred() -> None:
    p_values = [
        analyze(samples.result(samples.records(512, hand=0.0, seed=s))).turn_order.p_value
        for s in range(150)
    ]
    assert sum(p < 0.05 for p in p_values if p is not None) <= 16


def test_unfinished_games_are_no_handicap() -> None:
    """Nobody wins them, so all places have less than an equal share and none a disadvantage."""
    figures = analyze(samples.result(samples.records(4000, unfinished=0.3)))
    assert all(place.win_share.value < 0.2 for place in figures.turn_order.positions)  # type: ignore[operator]
    run = samples.result(samples.records(4000, unfinished=0.3))
    verdict, sentence = concluded(run, margin=0.05)
    assert verdict == "no-difference-shown"
    assert re.search(r"equal share is 1[78]\.\d%\.", sentence), sentence
    assert figures.endings.unfinished.value == pytest.approx(0.3, abs=0.03)
    advantages = [place.advantage.value or 0.0 for place in figures.turn_order.positions]
    assert sum(advantages) == pytest.approx(0)
    stopped = samples.result(samples.records(4000, first=0.4, unfinished=0.4))
    favored = analyze(stopped)
    share = favored.turn_order.positions[0].win_share
    assert share.high is not None and share.high < 0.25
    assert concluded(stopped)[0] == "first-player-favored"


# --- ends, monsters, questions, skill ------------------------------------------------------------


def test_monsters_and_questions_by_seat() -> None:
    played = samples.records(900)
    figures = analyze(samples.result(played))
    caught = figures.monster.players[2]
    assert (caught.seat, caught.strategy) == (3, "random")
    holds(caught.held, played, lambda r: float(r.held[:, 2].mean()))
    holds(caught.ate, played, lambda r: float((r.eaten[:, 2] > 0).mean()))
    holds(caught.points, played, lambda r: r.eaten[:, 2].sum() / r.held[:, 2].sum())
    holds(figures.monster.points, played, lambda r: r.eaten.sum() / r.held.sum())
    held = played.held == 1
    assert figures.monster.win_share_with.value == pytest.approx(played.wins[held].mean() / 60)
    assert figures.monster.win_share_without.value == pytest.approx(played.wins[~held].mean() / 60)
    asker = figures.asking.players[1]
    holds(asker.asks, played, lambda r: float(r.asks[:, 1].mean()))
    holds(asker.success, played, lambda r: r.met[:, 1].sum() / r.asks[:, 1].sum())
    assert figures.asking.success.value == pytest.approx(played.met.sum() / played.asks.sum())
    assert figures.endings.monster_alone.value == pytest.approx((played.ended == 1).mean())


def test_under_rotation_figures_are_the_strategies() -> None:
    played = samples.records(2048, lineup=SKILLED, skill=SKILL, rotate=True)
    figures = analyze(samples.result(played, rotate=True))
    assert [(p.seat, p.strategy) for p in figures.monster.players] == [
        (None, "clever"), (None, "random"), (None, "plain"),
    ]  # fmt: skip
    own = played.sits == sorted(set(SKILLED)).index("random")
    assert own.sum() == 2 * 2048
    assert figures.monster.players[1].held.value == pytest.approx(played.held[own].mean())
    assert figures.asking.players[1].success.value == pytest.approx(
        played.met[own].sum() / played.asks[own].sum()
    )


def omega_squared(played: Records) -> float:
    """The share between strategies, from its definition."""
    group, w = played.sits, played.wins / 60
    between = sum((group == k).sum() * (w[group == k].mean() - w.mean()) ** 2 for k in range(3))
    whole = ((w - w.mean()) ** 2).sum()
    within = (whole - between) / (w.size - 3)
    # Shares of one game add up to 1: those of equals correlate by -1/3.
    return float((between - 2 * within * 4 / 3) / (whole + within))


def test_skill_is_omega_squared() -> None:
    played = samples.records(2048, lineup=SKILLED, skill=SKILL, rotate=True)
    found = analyze(samples.result(played, rotate=True)).skill.explained
    holds(found, played, omega_squared)
    assert found.low is not None and found.low > 0


def test_skill_is_everything_if_one_strategy_always_wins_and_nothing_among_equals() -> None:
    played = samples.records(1024, lineup=("a", "b", "b", "b"), rotate=True)
    won = replace(played, wins=60 * (played.sits == 0))
    run = samples.result(won, rotate=True)
    assert skill(run.experiment, leave_one_out(run.sums)).explained.value == pytest.approx(
        1, abs=0.001
    )
    for rotate, lineup in ((False, ("a", "b", "c", "d")), (True, ("a",) * 4)):
        run = samples.result(samples.records(1024, lineup=lineup, rotate=rotate), rotate=rotate)
        assert skill(run.experiment, leave_one_out(run.sums)).explained == Estimate(None)


@pytest.mark.long
@pytest.mark.parametrize("lineup", ["abcd", "abbb", "aabb", "ab", "abc"])
def test_among_equals_skill_is_0_on_average(lineup: str) -> None:
    """Somebody wins alone, whoever it is; the formula of independent observations errs by 1/3."""
    runs, games, players = 2000, 240, len(lineup)
    rng = np.random.default_rng(5)
    names = tuple(lineup)
    experiment = Experiment("mermaidbeach", names, {}, games, 1, "simulate", rotate=True)
    sits, k = seated(names, games, rotate=True), len(experiment.holders)
    found, chance = [], []
    for _ in range(runs):
        won = sits[np.arange(games), rng.integers(players, size=games)]
        wins = np.zeros((2, k, players), dtype=np.int64)
        wins[:, :, 0] = 60 * np.bincount(won, minlength=k)
        wins_sq = 60 * wins
        totals = {"games": np.full((2, 1), games), "wins": wins, "wins_sq": wins_sq}
        found.append(skill(experiment, totals).explained.value)
        copies = np.array([names.count(name) for name in experiment.holders])
        share = wins[0, :, 0] / 60 / games / copies
        chance.append(((copies * games) * (share - 1 / players) ** 2).sum())
    spread = np.std(found) / np.sqrt(runs)  # type: ignore[arg-type]
    whole = games * (1 - 1 / players)
    assert abs(np.mean(found)) < 4 * spread  # type: ignore[arg-type]
    # What the correction amounts to is far more than that: the test would see its absence.
    within = whole / (players * games - k)
    assert (k - 1) * within / (players - 1) / whole > 6 * spread
    assert np.mean(chance) == pytest.approx((k - 1) * within * players / (players - 1), rel=0.15)


# --- sentences and documents ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "verdict", "answer"),
    [
        (0.4, "first-player-favored", r"Yes, going first helps: .* 3\d\.\d% \(between .*\) of "
         r"games, where an equal share is 25%; one extra win in \d\d games\. A player whose "
         r"opening hand is among the best fifth wins 2\d\.\d% \(between .*\) of games, one whose "
         r"hand is among the worst fifth 2\d\.\d% \(between .*\)\."),
        (-0.4, "first-player-handicapped", r"Yes, going first hurts: .* one lost win in \d+ games\."
         r" A player whose opening hand .*"),
        (0.0, "undecided", r"Undecided: these games do not settle whether going first .* A "
         r"player whose opening hand .*"),
    ],
)  # fmt: skip
def test_two_sentences_say_both(first: float, verdict: str, answer: str) -> None:
    found, sentence = concluded(samples.result(samples.records(6000, first=first)))
    assert found == verdict
    assert re.fullmatch(answer, sentence), sentence


def figures(games: int = 3000) -> Figures:
    return analyze(samples.result(samples.records(games)))


def test_what_is_said_where_little_is_known() -> None:
    assert concluded(samples.result(samples.records(20))) == (
        "undecided", "Too few games to say: 20 played, at least 30 needed.",
    )  # fmt: skip
    played = samples.records(100)
    nobody = samples.result(replace(played, wins=np.zeros_like(played.wins)))
    verdict, sentence = concluded(nobody)
    assert verdict != "first-player-favored"
    assert "opening hands" not in sentence
    run = samples.result(samples.records(100, lineup=("a", "b", "b", "b")), first_player="seat1")
    assert "differ in strategy" in concluded(run)[1]


def test_a_later_place_may_be_the_one_that_matters() -> None:
    played = samples.records(6000, hand=0.0)
    rng = np.random.default_rng(3)
    place = rng.choice(4, size=6000, p=(0.25, 0.35, 0.2, 0.2))
    wins = 60 * ((played.first + place)[:, None] % 4 == np.arange(4))
    verdict, sentence = concluded(samples.result(replace(played, wins=wins)), margin=0.03)
    assert verdict == "turn-order-matters"
    assert sentence.startswith(
        "Yes, the turn order matters: player 2 in it wins more than an equal share of 25%: "
    )
    # The first place never stands twice, though it may win most.
    place = rng.choice(4, size=6000, p=(0.32, 0.31, 0.3, 0.07))
    wins = 60 * ((played.first + place)[:, None] % 4 == np.arange(4))
    verdict, sentence = concluded(samples.result(replace(played, wins=wins)), margin=0.08)
    assert verdict == "turn-order-matters"
    assert "player 4 in it wins less than an equal share" in sentence


def test_documents_hold_every_figure() -> None:
    found = {name: document(figure) for name, figure in figures().by_name().items()}
    assert set(found) == {"turn_order", "opening", "endings", "monster", "asking", "skill"}
    assert set(found["turn_order"]) == {"p_value", "positions", "confounded"}
    assert set(found["opening"]["cards"][0]) == {"card", "worth", "worth_ci"}
    assert set(found["monster"]) == {
        "points", "points_ci", "win_share_with", "win_share_with_ci", "win_share_without",
        "win_share_without_ci", "players",
    }  # fmt: skip
    assert found["skill"] == {"explained": None, "explained_ci": None}
    json.dumps(found, allow_nan=False)


def test_other_runs_are_refused() -> None:
    run = samples.result(samples.records(50))
    lean = {name: x for name, x in run.sums.items() if name != "opening"}
    with pytest.raises(ValueError, match="fairness"):
        analyze(replace(run, sums=lean))
