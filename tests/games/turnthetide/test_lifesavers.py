"""The preserver figures against raw games, told one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analyzer.games.turnthetide import lifesavers
from analyzer.games.turnthetide.figures import Lifesavers
from analyzer.games.turnthetide.lifesavers import analyze, flat_count, measures
from analyzer.results import ResultSet
from analyzer.statistics.intervals import estimate, quantile
from analyzer.statistics.tables import Estimate
from tests.statistics import naive, samples
from tests.statistics.samples import Records

SHAPES: list[dict[str, Any]] = [
    {"games": 40, "players": 3},
    {"games": 35, "players": 4, "rounds": 2, "skill": (0.0, 2.0, 0.0, -1.0)},
    {"games": 35, "players": 3, "rounds": 5},
    {"games": 35, "players": 2, "rounds": 3, "hand_size": 20},
]


def shown(played: Records, **settings: Any) -> Lifesavers:
    return analyze(samples.result(played, **settings), None)


def figure(name: str) -> Callable[[Lifesavers], Estimate]:
    pick: dict[str, Callable[[Lifesavers], Estimate]] = {
        "slope": lambda found: found.slope,
        "slope_within": lambda found: found.slope_within,
        "hand_share": lambda found: found.hand_share,
        "one_round": lambda found: found.rotation.one_round,
        "final": lambda found: found.rotation.final,
    }
    return pick[name]


NAIVE: dict[str, Callable[[Records], float]] = {
    "slope": naive.slope,
    "slope_within": naive.slope_within,
    "hand_share": naive.hand_share,
    "one_round": lambda played: naive.rotation(played)[0],
    "final": lambda played: naive.rotation(played)[1],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", list(NAIVE))
def test_figures_follow_from_the_raw_games(name: str, shape: dict[str, Any]) -> None:
    played = samples.records(**shape)
    found = figure(name)(shown(played))
    assert found.value == pytest.approx(NAIVE[name](played), abs=1e-12)


@pytest.mark.parametrize("name", ["slope", "slope_within", "hand_share", "one_round"])
def test_errors_follow_from_a_loop_over_blocks(name: str) -> None:
    played = samples.records(33, players=3, rounds=2)
    found = figure(name)(shown(played))
    assert found.se == pytest.approx(naive.jackknife_error(played, NAIVE[name]))


@pytest.mark.parametrize("skill", [(0.0, 6.0), (0.0, 5.0, 5.0), (0.0, 5.0, -4.0)])
def test_strategies_that_move_keep_their_own_means(skill: tuple[float, ...]) -> None:
    # Strategies so unequal that pooled means would swamp the hands; each seating equally often.
    played = samples.records(252, players=len(skill), rounds=2, skill=skill, rotate=True)
    found = shown(played, rotate=True)
    assert found.hand_share.value == pytest.approx(naive.hand_share(played))
    assert found.rotation.one_round.value == pytest.approx(naive.rotation(played)[0])
    assert found.rotation.final.value == pytest.approx(naive.rotation(played)[1])
    pooled = replace(played, sits=np.zeros_like(played.sits))
    assert abs(naive.hand_share(pooled) - naive.hand_share(played)) > 0.05


def test_a_strategy_that_has_not_sat_everywhere_yet_leaves_hand_luck_open() -> None:
    played = samples.records(2, players=3, skill=(0.0, 1.0, 2.0), rotate=True)
    assert shown(played, rotate=True).hand_share == Estimate(None)


def test_hand_share_finds_a_planted_share() -> None:
    """Scores = seat + hand + noise with variances 1 : 3 and seats far apart."""
    rng = np.random.default_rng(1)
    played = samples.records(4000)
    hands = rng.normal(0, 10, size=(4000, 4))
    scores = np.empty((4000, 4, 4))
    for p in range(4):
        for r in range(4):
            noise = rng.normal(0, 10 * 3**0.5, size=4000)
            scores[:, p, r] = 100 * p + hands[:, played.hand(p, r)] + noise
    whole = replace(played, scores=np.rint(scores).astype(np.int64))
    variance = float(np.var(whole.scores))
    found = shown(whole)
    share, low, high = found.hand_share.value, found.hand_share.low, found.hand_share.high
    assert share is not None and low is not None and high is not None
    assert low < 100 / variance < high
    # Centered on the table both hand and noise lose a quarter, so that their ratio stays.
    one = found.rotation.one_round
    assert one.low is not None and one.high is not None
    assert one.low < 0.25 < one.high


def test_passing_every_hand_on_leaves_no_hand_luck() -> None:
    for rounds in (3, 6):
        found = shown(samples.records(60, players=3, rounds=rounds)).rotation
        assert found.final == Estimate(0.0)
        assert found.one_round.low is not None
    assert naive.rotation(samples.records(40, players=3))[1] == pytest.approx(0, abs=1e-12)


def test_one_round_tells_nothing_about_hands() -> None:
    found = shown(samples.records(60, rounds=1))
    assert found.hand_share == found.rotation.one_round == found.rotation.final == Estimate(None)
    assert found.slope.low is not None


def test_rows_by_count_follow_from_the_raw_games() -> None:
    played = samples.records(260, players=3)
    found = shown(played)
    counts = sorted(set(played.printed.ravel().tolist()))
    assert [row.lifesavers for row in found.by_count] == counts
    for row in found.by_count:
        expected = naive.by_count(played, row.lifesavers)
        assert row.rounds == expected["rounds"]
        assert row.mean_score.value == pytest.approx(expected["mean_score"])
        assert row.round_win.value == pytest.approx(expected["round_win"])
        for name in ("eliminated", "bonus", "lost"):
            assert getattr(row, name) == pytest.approx(expected[name])
    middle = next(row for row in found.by_count if row.lifesavers == 5)

    def mean(some: Records) -> float:
        return naive.by_count(some, 5)["mean_score"]

    assert middle.mean_score.se == pytest.approx(naive.jackknife_error(played, mean))
    assert middle.round_win.kind == "jackknife"


def test_rare_counts_have_wilsons_interval_or_none() -> None:
    found = shown(samples.records(3000)).by_count
    rare = [row for row in found if row.rounds / 4 < 30]
    assert rare
    for row in rare:
        assert row.mean_score.low is None
        assert row.mean_score.value is not None
        assert row.round_win.kind == "wilson"
        assert row.round_win.low is not None and row.round_win.high is not None
        assert row.round_win.high - row.round_win.low > 0.05
    few = shown(samples.records(20)).by_count
    assert all(row.round_win.low is None for row in few)


@pytest.mark.parametrize("games", [300, pytest.param(1001, marks=pytest.mark.slow)])
def test_gap_compares_the_outer_twentieths(games: int) -> None:
    played = samples.records(games)
    found = shown(played)
    lives = sorted(played.printed.ravel().tolist())
    hands = len(lives)
    assert found.gap_counts == (lives[int(0.05 * hands)], lives[int(0.95 * hands)])
    worst, best = naive.outer_round_wins(played)
    assert found.worst_hands_win.value == pytest.approx(worst)
    assert found.best_hands_win.value == pytest.approx(best)
    assert found.round_win_gap.value == pytest.approx(best - worst)

    def gap(some: Records) -> float:
        worst, best = naive.outer_round_wins(some)
        return best - worst

    assert found.round_win_gap.se == pytest.approx(naive.jackknife_error(played, gap))


@pytest.mark.parametrize(
    ("hands", "worst", "best"),
    [
        # 40 hands: 2 in a twentieth. One hand of each outer count, and half of the next.
        ({2: 1, 3: 2, 4: 34, 5: 2, 6: 1}, (0.0 + 0.1) / 2, (0.8 + 0.5) / 2),
        # A single count fills both ends but for one hand.
        ({4: 39, 5: 1}, 0.25, (0.5 + 0.25) / 2),
        # Outer counts hold more than a twentieth.
        ({2: 10, 4: 20, 6: 10}, 0.0, 0.8),
    ],
)
def test_the_count_on_the_edge_enters_in_part(
    hands: dict[int, int], worst: float, best: float
) -> None:
    """Hands with 2, 3, ... preservers win 0, 10, 25, 50 and 80% of their rounds."""
    rates = {2: 0.0, 3: 0.1, 4: 0.25, 5: 0.5, 6: 0.8}
    by_count = np.zeros((1, 8, 7), np.int64)
    for count, many in hands.items():
        by_count[0, count, 0] = 100 * many
        by_count[0, count, 6] = round(60 * 100 * many * rates[count])
    assert lifesavers._outer_round_win(by_count, best=False)[0] == pytest.approx(worst)
    assert lifesavers._outer_round_win(by_count, best=True)[0] == pytest.approx(best)


@pytest.mark.slow
def test_the_gaps_interval_covers_the_truth_in_95_percent_of_runs() -> None:
    """A figure that jumped from count to count with the sample would fail here."""
    runs, games = 1000, 512
    rng = np.random.default_rng(5)
    chances = np.array([0.004, 0.02, 0.06, 0.14, 0.22, 0.24, 0.17, 0.09, 0.04, 0.016])
    rates = np.linspace(0.02, 0.6, 10)
    whole = np.zeros((1, 10, 7), np.int64)
    whole[0, :, 0] = (1e6 * chances).round()
    whole[0, :, 6] = (60 * whole[0, :, 0] * rates).round()
    truth = gap_of(whole)[0]
    inside = 0
    for _ in range(runs):
        blocks = rng.multinomial(games * 4 // 256, chances, size=256)
        wins = 60 * rng.binomial(blocks, rates)
        by_count = np.zeros((257, 10, 7), np.int64)
        by_count[0, :, 0], by_count[0, :, 6] = blocks.sum(axis=0), wins.sum(axis=0)
        by_count[1:, :, 0], by_count[1:, :, 6] = (
            by_count[0, :, 0] - blocks,
            by_count[0, :, 6] - wins,
        )
        found = estimate(gap_of(by_count))
        assert found.low is not None and found.high is not None
        inside += found.low <= truth <= found.high
    assert 0.925 <= inside / runs <= 0.975


def gap_of(by_count: np.ndarray) -> np.ndarray:
    best, worst = (lifesavers._outer_round_win(by_count, best=b) for b in (True, False))
    return best - worst


# --- hands played again --------------------------------------------------------------------------


def replayed(hand: float, games: int = 4000, seats: Any = 0.0, seed: int = 3) -> ResultSet:
    """Rounds whose scores are a seat's mean, a hand's part and noise, rounded, and played twice."""
    rng = np.random.default_rng(seed)
    base = samples.result(samples.records(games, rounds=1), history=False)
    of_hand = seats + hand * rng.normal(size=(games, 4))
    first, again = (np.rint(of_hand + rng.normal(0, 4, size=(games, 4))) for _ in range(2))
    values = {
        "score": first, "score_sq": first**2, "replayed": np.stack([again, first * again], axis=-1)
    }  # fmt: skip
    made = {name: samples.add_up(x.astype(np.int64)) for name, x in values.items()}
    return replace(base, sums={**base.sums, **made})


def own_hand(run: ResultSet) -> tuple[Estimate, Estimate]:
    found = analyze(samples.result(samples.records(40)), None, replay=run)
    return found.hand_sd, found.own_hand_share


@pytest.mark.parametrize("seats", [0.0, np.array([0.0, 30.0, -20.0, 5.0])])
def test_the_hands_own_part_is_found_whatever_the_seats(seats: Any) -> None:
    sd, share = own_hand(replayed(3.0, seats=seats))
    assert sd.low is not None and sd.high is not None and sd.se is not None
    assert sd.low < 3 < sd.high < sd.low + 0.4
    variance = 9 + 16 + 1 / 12 + np.var(seats)
    assert share.low is not None and share.high is not None
    assert share.low < 9 / variance < share.high


def test_a_hand_that_does_not_matter_moves_nothing() -> None:
    low = [own_hand(replayed(0.0, seed=seed))[0].low for seed in range(20)]
    assert sum(x == 0 for x in low) >= 17
    sd, share = own_hand(replayed(0.0))
    assert sd.high is not None and sd.high < 1
    assert share.low is not None and share.low < 0 < share.high


def test_without_a_replay_the_own_hand_is_open() -> None:
    found = shown(samples.records(60))
    assert found.hand_sd == found.own_hand_share == Estimate(None)


def test_worth_follows_from_the_raw_games() -> None:
    played = samples.records(120, players=3)
    found = shown(played).cards
    assert [card.card for card in found] == list(range(1, 61))
    assert [card.printed for card in found] == [half / 2 for half in samples.PRINTED]
    for card in (1, 30, 60):
        assert found[card - 1].worth.value == pytest.approx(naive.worth(played, card))
        assert found[card - 1].worth_flat == Estimate(None)


def test_worth_of_all_cards_holds_together() -> None:
    played = samples.records(300)
    card = shown(played).cards[29].worth

    def worth(some: Records) -> float:
        held = (some.cards == 0).sum(axis=2)
        means = []
        for c in range(1, 61):
            held = (some.cards == c).any(axis=2)
            totals = np.stack(
                [sum(some.scores[:, (h + r) % 4, r] for r in range(4)) for h in range(4)], axis=1
            )
            means.append(totals[held].mean() / 4)
        return float(59 / 48 * (means[29] - np.mean(means)))

    assert card.kind == "simultaneous"
    assert card.se == pytest.approx(naive.jackknife_error(played, worth))
    assert card.high is not None and card.value is not None and card.se is not None
    assert card.high - card.value == pytest.approx(quantile(256, 60) * card.se)


def test_worth_is_the_regression_on_all_cards() -> None:
    """On exactly additive scores it finds each card's part, up to sampling."""
    rng = np.random.default_rng(2)
    parts = rng.integers(-8, 9, size=60) * 10
    parts -= int(parts.mean())
    played = samples.records(6000)
    of_hand = parts[played.cards - 1].sum(axis=2)
    scores = np.stack(
        [np.stack([of_hand[:, played.hand(p, r)] for r in range(4)], axis=1) for p in range(4)],
        axis=1,
    )
    found = shown(replace(played, scores=scores)).cards
    inside = 0
    for card, part in zip(found, parts - parts.mean(), strict=True):
        assert card.worth.low is not None and card.worth.high is not None
        inside += card.worth.low <= part <= card.worth.high
    assert inside == 60


def test_a_card_nobody_held_is_unknown_and_spoils_no_other() -> None:
    # With a hand of one card and 20 games most cards never turn up.
    played = samples.records(20, players=2, hand_size=1)
    found = shown(played).cards
    held = set(played.cards.ravel().tolist())
    for card in found:
        assert (card.worth.value is None) == (card.card not in held)
        assert card.worth.low is None
    card = min(held)
    assert found[card - 1].worth.value == pytest.approx(naive.worth(played, card))


# --- against the run with equal preservers -------------------------------------------------------


def pair(games: int, **settings: Any) -> tuple[Records, Records, Lifesavers]:
    main, flat = samples.records(games, **settings), samples.records(games, flat=5, **settings)
    found = analyze(samples.result(main), samples.result(flat, allocation="flat:5"))
    return main, flat, found


def test_decomposition_adds_up() -> None:
    main, flat, found = pair(150)
    slope, handicap = naive.slope(main), naive.slope(flat)
    assert found.handicap.value == pytest.approx(handicap)
    assert found.gift.value == pytest.approx(slope - handicap)
    assert found.compensation.value == pytest.approx(-handicap / (slope - handicap))
    assert found.flat_count == 5
    assert found.cards[11].worth_flat.value == pytest.approx(naive.worth(flat, 12))


def test_decomposition_leaves_the_same_block_out_of_both_runs() -> None:
    main, flat, found = pair(45, players=3)
    gifts, ratios = [], []
    for block in range(45):
        slope = naive.slope(naive.without(main, block))
        handicap = naive.slope(naive.without(flat, block))
        gifts.append(slope - handicap)
        ratios.append(-handicap / (slope - handicap))
    assert found.gift.se == pytest.approx(np.std(gifts) * 44**0.5)
    assert found.compensation.se == pytest.approx(np.std(ratios) * 44**0.5)
    # The deals are shared, so the difference is surer than two separate runs would make it.
    assert found.slope.se is not None and found.handicap.se is not None
    assert found.gift.se is not None
    assert found.gift.se < 0.7 * (found.slope.se**2 + found.handicap.se**2) ** 0.5


def test_a_gift_that_may_be_zero_leaves_compensation_open() -> None:
    _, _, none = pair(200, gift=0.0)
    assert none.gift.value == 0.0
    assert none.compensation == Estimate(None)
    # Two runs without a gift and on different deals: the gift is chance.
    main = samples.result(samples.records(200, gift=0.0))
    flat = samples.result(samples.records(200, gift=0.0, seed=2, flat=5), allocation="flat:5")
    chance = analyze(main, flat)
    assert chance.gift.low is not None and chance.gift.high is not None
    assert chance.gift.low < 0 < chance.gift.high
    assert chance.compensation.value is not None
    assert chance.compensation.low is None


def test_preservers_that_surely_hurt_compensate_as_surely() -> None:
    main, flat, found = pair(300, gift=-0.5)
    assert found.gift.high is not None and found.gift.high < 0
    slope, handicap = naive.slope(main), naive.slope(flat)
    assert found.compensation.value == pytest.approx(-handicap / (slope - handicap))
    assert found.compensation.low is not None and found.compensation.high is not None
    _, _, few = pair(20)
    assert few.compensation.value is not None and few.compensation.low is None


def test_without_the_flat_run_its_figures_are_null() -> None:
    found = shown(samples.records(100))
    assert found.handicap == found.gift == found.compensation == Estimate(None)
    assert found.flat_count is None


def test_a_flat_run_cut_short_says_nothing_about_the_gift() -> None:
    main = samples.result(samples.records(100))
    flat = samples.result(samples.records(60, flat=5), allocation="flat:5")
    found = analyze(main, flat)
    assert found.handicap == found.gift == found.compensation == Estimate(None)


def test_runs_that_do_not_belong_together_are_refused() -> None:
    main = samples.result(samples.records(40))
    other = samples.result(samples.records(40), seed=2)
    with pytest.raises(ValueError, match="seed"):
        analyze(main, other)
    lean = replace(main, sums={"games": main.sums["games"]})
    with pytest.raises(ValueError, match="fairness"):
        analyze(lean, None)
    with pytest.raises(ValueError, match="fairness"):
        analyze(main, lean)


@pytest.mark.parametrize(("total", "expected"), [(9, 2), (10, 3), (12, 3), (13, 3), (14, 4)])
def test_flat_count_is_the_mean_rounded(total: int, expected: int) -> None:
    """Four player-rounds: 2.25 -> 2, halves upward."""
    base = samples.result(samples.records(30))
    pairs = np.zeros((1, 5, 256), dtype=np.int64)
    pairs[0, :2, 0] = 4, total
    assert flat_count(replace(base, sums={"pairs": pairs})) == expected
    with pytest.raises(ValueError, match="no games"):
        flat_count(replace(base, sums={"pairs": pairs * 0}))


# --- verdicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("games", "gift", "verdict"),
    [(2000, 0.87, "over-compensated"), (2000, 0.21, "fair"), (29, 0.87, "undecided")],
)
def test_verdicts(games: int, gift: float, verdict: str) -> None:
    assert shown(samples.records(games, gift=gift)).verdict == verdict


def slope_run(low: float, high: float) -> ResultSet:
    """A run whose slope lies between about the given numbers, from made-up sums.

    Half of the player-rounds have no preserver and score 0, half have 1 and score alike in each
    block, from block to block between the two.
    """
    base = samples.result(samples.records(256), history=False)
    units = np.linspace(1000 * low, 1000 * high, 256).round().astype(np.int64)
    thousand = np.full(256, 1000, dtype=np.int64)
    pairs = np.stack([2 * thousand, thousand, thousand, units, units])[None]
    return replace(base, sums={**base.sums, "pairs": pairs}, history=())


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.2, 0.3, "over-compensated"),
        (-0.3, -0.2, "under-compensated"),
        (-0.1, 0.1, "fair"),
        (0.0, 0.1, "undecided"),
        (-0.1, 0.0, "undecided"),
        (-10.0, 10.0, "undecided"),
    ],
)
def test_verdict_reads_the_slopes_interval(low: float, high: float, verdict: str) -> None:
    found = analyze(slope_run(low, high), None)
    assert found.slope.value == pytest.approx((low + high) / 2, abs=1e-3)
    assert found.verdict == verdict


def test_equal_preservers_are_no_variation() -> None:
    same = shown(samples.records(100, halves=(0,) * 60), halves=(0,) * 60)
    assert same.verdict == "no-variation"
    assert same.slope == same.slope_within == same.round_win_gap == Estimate(None)
    assert same.gap_counts == (0, 0)
    assert same.hand_share.value is not None
    flat = shown(samples.records(100, flat=5), allocation="flat:5")
    assert flat.verdict == "no-variation"
    assert flat.slope.value == pytest.approx(naive.slope(samples.records(100, flat=5)))


def test_history_shows_the_slope_as_games_accumulate() -> None:
    played = samples.records(2500)
    found = shown(played)
    assert list(found.history) == ["games", "slope", "low", "high"]
    assert found.history["games"].tolist() == [1024, 2048, 2500]
    for games, slope, low, high in zip(*found.history.values(), strict=True):
        assert slope == pytest.approx(naive.slope(played.first(games)))
        assert low < slope < high
    assert found.history["slope"][-1] == found.slope.value
    short = shown(played.first(10)).history
    assert np.isnan(short["low"]).all()


def test_measures_are_five_of_the_figures() -> None:
    found = shown(samples.records(100))
    chosen = measures(found)
    assert chosen.hand_sd == found.hand_sd
    assert (chosen.slope, chosen.hand_share) == (found.slope, found.hand_share)
    assert (chosen.round_win_gap, chosen.compensation) == (found.round_win_gap, found.compensation)


@pytest.mark.parametrize("games", [1, 2, 29, 31, 257])
@pytest.mark.parametrize("players", [2, 5])
def test_any_number_of_games_will_do(games: int, players: int) -> None:
    _, _, found = pair(games, players=players)
    for name in NAIVE:
        value = figure(name)(found).value
        assert value is None or np.isfinite(value)


@pytest.mark.long
def test_intervals_cover_in_95_percent_of_runs() -> None:
    """Slope and hand share of many runs against the figures of all of them together."""
    runs, games = 100, 256
    everything = samples.records(runs * games, players=2, seed=9)
    truth = shown(everything)
    covered = np.zeros(2)
    for run in range(runs):
        part = slice(run * games, (run + 1) * games)
        parts = ("printed", "cards", "scores", "eliminated", "bonus", "lost", "hands", "sits")
        some = replace(everything, **{name: getattr(everything, name)[part] for name in parts})
        found = shown(some)
        for i, name in enumerate(("slope", "hand_share")):
            one, all_of = figure(name)(found), figure(name)(truth)
            assert one.low is not None and one.high is not None and all_of.value is not None
            covered[i] += one.low <= all_of.value <= one.high
    assert (np.abs(covered / runs - 0.95) < 4 * (0.95 * 0.05 / runs) ** 0.5).all()
