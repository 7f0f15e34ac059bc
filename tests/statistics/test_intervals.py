"""The jackknife, Wilson's interval, and exact finishing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.statistics import intervals
from tests.statistics import samples


def block_sums(values: np.ndarray, blocks: int = 256) -> dict[str, np.ndarray]:
    """Games, sum of x and sum of x^2 of single observations, in blocks."""
    block = np.arange(len(values)) % blocks
    powers = [np.bincount(block, values**k, blocks).astype(np.int64)[None] for k in range(3)]
    return {"games": powers[0], "x": powers[1], "xx": powers[2]}


def mean_of(totals: intervals.Totals) -> intervals.Floats:
    return intervals.ratio(totals["x"].sum(axis=1), totals["games"].sum(axis=1))


def test_leave_one_out_takes_one_block_away_at_a_time() -> None:
    sums = samples.sums(samples.records(300), 1)
    totals = intervals.leave_one_out(sums)
    assert set(totals) == {name for name in sums if name != "score_hist"}
    for name, rows in totals.items():
        assert rows.shape == (257, *sums[name].shape[:-1])
        for block in (0, 7, 255):
            others = np.delete(sums[name], block, axis=-1).sum(axis=-1)
            np.testing.assert_array_equal(rows[block + 1], others)
        np.testing.assert_array_equal(rows[0], sums[name].sum(axis=-1))


def test_empty_blocks_do_not_count() -> None:
    totals = intervals.leave_one_out(block_sums(np.arange(40)))
    assert totals["games"].shape == (41, 1)
    assert (totals["games"][1:] == 39).all()


def test_no_games_are_refused() -> None:
    with pytest.raises(ValueError, match="no games"):
        intervals.leave_one_out(block_sums(np.arange(0)))


def test_quantiles_are_students() -> None:
    assert intervals.quantile(256) == pytest.approx(1.969, abs=5e-4)
    assert intervals.quantile(256, family=60) == pytest.approx(3.38, abs=5e-3)
    assert intervals.quantile(11) == pytest.approx(2.228, abs=5e-4)


def test_error_of_a_mean_of_single_games_is_the_textbooks() -> None:
    values = np.random.default_rng(1).integers(-3, 20, size=200)
    found = intervals.estimate(mean_of(intervals.leave_one_out(block_sums(values))))
    assert found.value == pytest.approx(values.mean())
    assert found.se == pytest.approx(values.std(ddof=1) / math.sqrt(200))
    assert found.kind == "jackknife"
    assert found.low is not None and found.high is not None and found.se is not None
    assert found.high - found.low == pytest.approx(2 * intervals.quantile(200) * found.se)
    assert (found.low + found.high) / 2 == pytest.approx(found.value)


def test_error_follows_from_a_loop_over_blocks() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 9, size=(2, 1000))
    block = np.arange(1000) % 256

    def estimator(stays: np.ndarray) -> float:
        return float(np.polyfit(x[stays], y[stays], 1)[0])

    left_out = [estimator(block != b) for b in range(256)]
    error = math.sqrt(255 / 256 * sum((t - sum(left_out) / 256) ** 2 for t in left_out))
    parts = {"n": x**0, "x": x, "xx": x * x, "y": y, "xy": x * y}
    sums = {
        name: np.bincount(block, part, 256).astype(np.int64)[None] for name, part in parts.items()
    }
    totals = intervals.leave_one_out(sums | {"games": sums["n"]})
    slopes = intervals.regression(*(totals[name][:, 0] for name in ("n", "x", "xx", "y", "xy")))
    assert intervals.estimate(slopes).value == pytest.approx(estimator(block >= 0))
    assert intervals.estimate(slopes).se == pytest.approx(error)


def test_covariance_of_means_of_single_games_is_the_textbooks() -> None:
    values = np.random.default_rng(3).normal(size=(100, 3))
    means = [values.mean(axis=0)] + [np.delete(values, i, axis=0).mean(axis=0) for i in range(100)]
    np.testing.assert_allclose(
        intervals.covariance(np.array(means)), np.cov(values, rowvar=False) / 100
    )


def test_below_thirty_games_there_is_no_interval() -> None:
    values = np.arange(30) % 7
    short = intervals.estimate(mean_of(intervals.leave_one_out(block_sums(values[:29]))))
    assert (short.low, short.high, short.kind, short.se) == (None, None, "none", None)
    assert short.value == pytest.approx(values[:29].mean())
    enough = intervals.estimate(mean_of(intervals.leave_one_out(block_sums(values))))
    assert enough.low is not None


def test_no_interval_has_zero_width() -> None:
    same = intervals.estimate(mean_of(intervals.leave_one_out(block_sums(np.full(1000, 7)))))
    assert (same.value, same.low, same.high, same.kind) == (7.0, None, None, "none")


def test_what_cannot_be_computed_is_none() -> None:
    replicates = np.full(257, np.nan)
    assert intervals.estimate(replicates) == intervals.Estimate(None)
    replicates = np.linspace(0, 1, 257)
    replicates[9] = np.nan
    assert intervals.estimate(replicates) == intervals.Estimate(0.0)


def test_intervals_are_cut_at_the_range_and_widened_for_families() -> None:
    replicates = np.concatenate([[0.5], 0.5 + np.linspace(-0.1, 0.1, 256)])
    single = intervals.estimate(replicates)
    family = intervals.estimate(replicates, family=60)
    cut = intervals.estimate(replicates, bounds=(0.0, 1.0))
    assert single.se == family.se is not None
    assert (cut.low, cut.high) == (0.0, 1.0)
    assert family.kind == "simultaneous"
    assert family.high is not None and single.high is not None and single.se is not None
    assert family.high - 0.5 == pytest.approx(3.38 * single.se, rel=2e-3)
    assert single.high - 0.5 == pytest.approx(1.969 * single.se, rel=1e-3)


def test_a_difference_of_two_runs_is_as_sure_as_the_shorter_one_allows() -> None:
    rng = np.random.default_rng(5)
    for sizes in ((40, 300), (300, 40)):
        runs = [rng.integers(0, 9, size=size) for size in sizes]
        means = [mean_of(intervals.leave_one_out(block_sums(values))) for values in runs]
        found = intervals.difference(*means)
        assert found.value == pytest.approx(runs[0].mean() - runs[1].mean())
        errors = [intervals.estimate(replicates).se for replicates in means]
        assert found.se == pytest.approx(math.hypot(*(se for se in errors if se is not None)))
        assert found.low is not None and found.high is not None and found.se is not None
        assert found.high - found.low == pytest.approx(2 * intervals.quantile(40) * found.se)
        cut = intervals.difference(*means, family=3, bounds=(-0.1, 0.1))
        assert (cut.low, cut.high, cut.kind) == (-0.1, 0.1, "simultaneous")
    assert intervals.difference(means[0], means[1][:20]).low is None


# Newcombe (1998), Stat. Med. 17:857, table I, method 3.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_published_intervals(
    successes: int, trials: int, low: float, high: float
) -> None:
    assert intervals.wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)
    mirrored = intervals.wilson(trials - successes, trials)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_wilson_refuses_what_is_no_share() -> None:
    for successes, trials in ((1, 0), (-1, 3), (4, 3)):
        with pytest.raises(ValueError, match="no share"):
            intervals.wilson(successes, trials)


def test_rare_shares_take_wilsons_interval() -> None:
    for wins, kind in (
        (0, "wilson"),
        (29, "wilson"),
        (30, "jackknife"),
        (970, "jackknife"),
        (971, "wilson"),
        (1000, "wilson"),
    ):
        values = np.zeros(1000, dtype=int)
        values[np.random.default_rng(4).permutation(1000)[:wins]] = 1
        replicates = mean_of(intervals.leave_one_out(block_sums(values)))
        found = intervals.share_estimate(replicates, wins, 1000)
        assert found.kind == kind
        assert found.low is not None and found.high is not None
        assert 0 <= found.low < found.high <= 1
        assert found.low <= wins / 1000 <= found.high
    few = intervals.share_estimate(replicates[:20], 19, 19)
    assert few.low is None


@given(
    st.integers(0, 10**30), st.integers(0, 10**30), st.integers(0, 10**30), st.integers(1, 10**15)
)
def test_finishing_is_exact(product: int, x: int, y: int, n: int) -> None:
    assert intervals.cross(n, product, x, y) == n * product - x * y
    assert intervals.ratio(x, n) == x / n


def test_finishing_survives_int64_overflow() -> None:
    # 10^10 observations of 10^9 and one of 10^9 + 1: int64 overflows, floats cancel to 0.
    n, x, xx = 10**10 + 1, 10**19 + 10**9 + 1, 10**28 + (10**9 + 1) ** 2
    assert int(intervals.cross(n, xx, x, x)) == 10**10


def test_ratio_by_zero_is_nan() -> None:
    found = intervals.ratio(np.array([1, 0, 3]), np.array([2, 0, 0]))
    np.testing.assert_array_equal(found, [0.5, np.nan, np.nan])


def test_regression_of_a_small_table_by_hand() -> None:
    # Points (0, 1), (1, 3), (2, 2): slope = (3 * 7 - 3 * 6) / (3 * 5 - 9) = 1/2.
    assert intervals.regression(3, 3, 5, 6, 7) == 0.5
    assert np.isnan(intervals.regression(3, 3, 3, 6, 6))


@pytest.mark.parametrize("games", [40, 1000])
def test_intervals_cover_the_truth_in_95_percent_of_runs(games: int) -> None:
    # A share of ratios: mean of x over mean of y, both skewed and correlated; truth 1/2.
    rng = np.random.default_rng(games)
    runs = 400
    covered = 0
    for _ in range(runs):
        y = rng.poisson(3, size=games) + 1
        x = rng.binomial(y, 0.5)
        a, b = block_sums(x), block_sums(y)
        totals = intervals.leave_one_out({"games": a["games"], "x": a["x"], "y": b["x"]})
        found = intervals.estimate(intervals.ratio(totals["x"][:, 0], totals["y"][:, 0]))
        assert found.low is not None and found.high is not None
        covered += found.low <= 0.5 <= found.high
    # Four standard errors of a share of 0.95 in 400 runs.
    assert abs(covered / runs - 0.95) < 0.044
