"""The confidence sequence against its definition, and its promise to hold at every look."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, special

from analyzer.results import Checkpoint
from analyzer.statistics.sequential import WinShareSequence, boundary, log_mixture, tuning
from tests.statistics import samples


@pytest.mark.parametrize(
    ("s", "v", "rho", "width"),
    [(0, 0, 5, 1), (3, 10, 5, 1), (50, 400, 100, 2), (5, 0, 3, 1), (40, 300, 2, 0.7)],
)
def test_mixture_is_the_integral_over_bets(s: float, v: float, rho: float, width: float) -> None:
    """Integrate exp(lambda s - psi(lambda) v) over lambda = (1 - u)/c in [0, 1/c].

    psi(lambda) = (-ln(1 - c lambda) - c lambda)/c^2, and u has a gamma density of shape and rate
    rho/c^2 cut at 1.
    """
    k0 = rho / width**2

    def density(u: float) -> float:
        kept = special.gammainc(k0, k0)
        return (
            math.exp(k0 * math.log(k0) - math.lgamma(k0) + (k0 - 1) * math.log(u) - k0 * u) / kept
        )

    def bet(u: float) -> float:
        lam = (1 - u) / width
        psi = (-math.log(u) - (1 - u)) / width**2
        return math.exp(lam * s - psi * v)

    integral, _ = integrate.quad(lambda u: bet(u) * density(u), 0, 1, epsabs=0, epsrel=1e-10)
    assert float(log_mixture(s, v, rho, width)) == pytest.approx(math.log(integral), abs=1e-8)


def test_mixture_is_the_formula_with_all_its_terms() -> None:
    for s, v, rho in ((10.0, 90.0, 30.0), (200.0, 3e4, 1e4), (900.0, 4e5, 6e4)):
        k0, k, z = rho, v + rho, s + v + rho
        plain = (
            k0 * math.log(k0)
            - math.lgamma(k0)
            - math.log(special.gammainc(k0, k0))
            + math.lgamma(k)
            + math.log(special.gammainc(k, z))
            - k * math.log(z)
            + z
            - k0
        )
        assert float(log_mixture(s, v, rho, 1.0)) == pytest.approx(plain, rel=1e-7)


def test_series_and_plain_stirling_rest_meet() -> None:
    either_side = [float(log_mixture(50.0, v, 9.0, 1.0)) for v in (9990.9, 9991.1)]
    assert either_side[0] == pytest.approx(either_side[1], rel=1e-4)
    step = float(log_mixture(50.0, 9991.3, 9.0, 1.0)) - either_side[1]
    assert either_side[1] - either_side[0] == pytest.approx(step, rel=1e-3)


def test_mixture_starts_at_one_and_rises_with_the_deviation() -> None:
    assert float(log_mixture(0.0, 0.0, 7.0, 1.0)) == 0.0
    rising = log_mixture(np.linspace(0, 5000, 300), 2e5, 1e4, 1.0)
    assert (np.diff(rising) > 0).all()


def test_boundary_is_where_the_mixture_reaches_its_level() -> None:
    for v, rho, width, alpha in ((0, 10, 1, 0.05), (300, 10, 2, 0.05), (1e9, 1e8, 1, 0.0125)):
        u = boundary(v, rho, width, alpha)
        level = math.log(2 / alpha)
        assert float(log_mixture(u, v, rho, width)) == pytest.approx(level, rel=1e-6)
        assert float(log_mixture(1.001 * u, v, rho, width)) > level


def test_boundary_rises_with_v_width_and_confidence() -> None:
    over_v = [boundary(v, 100, 1, 0.05) for v in (0, 1, 50, 100, 1e4, 1e7)]
    assert over_v == sorted(over_v)
    assert boundary(100, 100, 1, 0.01) > boundary(100, 100, 1, 0.05)
    assert boundary(100, 100, 2, 0.05) > boundary(100, 100, 1, 0.05)


def test_boundary_nears_the_normal_mixture() -> None:
    """For large v/c^2 it is the one-sided normal mixture, Howard et al. (2021), eq. (14)'s exact.

    There the supermartingale is 2 sqrt(rho/(v+rho)) exp(s^2/(2(v+rho))) Phi(s/sqrt(v+rho)).
    """
    for v, rho in ((1e9, 1e8), (1e10, 1e10)):
        u = boundary(v, rho, 1.0, 0.05)
        total = v + rho
        normal = (
            math.log(2)
            + 0.5 * math.log(rho / total)
            + u * u / (2 * total)
            + float(special.log_ndtr(u / math.sqrt(total)))
        )
        assert normal == pytest.approx(math.log(40), rel=1e-3)


@pytest.mark.parametrize(("players", "low", "high"), [(2, 1.5, 1.65), (4, 1.7, 1.85)])
def test_cost_at_the_tuned_size(players: int, low: float, high: float) -> None:
    sequence = WinShareSequence((1,) * players, 0.001)
    variance = (1 - 1 / players) / players
    games = sequence.rho[0] * _depth(sequence.alpha) / variance
    half_width = boundary(variance * games, sequence.rho[0], 1.0, sequence.alpha) / games
    assert half_width == pytest.approx(0.001, rel=0.01)
    assert low < half_width / (1.96 * math.sqrt(variance / games)) < high


def _depth(alpha: float) -> float:
    return 2 * math.log(1 / alpha) + math.log1p(2 * math.log(1 / alpha))


def test_tuning_is_about_the_best() -> None:
    rho = tuning(0.01, 0.2, 0.05)
    v = rho * _depth(0.05)
    here = boundary(v, rho, 1.0, 0.05)
    assert here < boundary(v, 3 * rho, 1.0, 0.05)
    assert here < boundary(v, rho / 3, 1.0, 0.05)
    assert here == pytest.approx(boundary(v, 1.3 * rho, 1.0, 0.05), rel=0.01)


def test_checkpoints_are_fixed_and_about_five_percent_apart() -> None:
    sequence = WinShareSequence((1,) * 4, 0.001)
    looks = sequence.checkpoints(10**7)
    assert looks[0] == 1024 and looks[-1] == 10**7
    assert all(look % 1024 == 0 for look in looks[:-1])
    assert all(a < b for a, b in itertools.pairwise(looks))
    steps = [b / a for a, b in itertools.pairwise(looks) if a > 50 * 1024]
    assert max(steps) <= 1.05 and min(steps[:-1]) > 1.03
    assert len(looks) < 200
    # A smaller cap only cuts the list: where one looks does not depend on when one stops.
    assert sequence.checkpoints(500_000)[:-1] == looks[: len(sequence.checkpoints(500_000)) - 1]
    assert sequence.checkpoints(100) == (100,)
    assert sequence.checkpoints(1024) == (1024,)
    assert {type(look) for look in looks} == {int}


@pytest.mark.parametrize("step", [1024, 1536, 3072, 6144])
def test_checkpoints_are_whole_periods_of_the_seatings(step: int) -> None:
    looks = WinShareSequence((2, 1, 1), 0.001, step).checkpoints(10**7)
    assert looks[0] == step and looks[-1] == 10**7
    assert all(look % step == 0 for look in looks[:-1])
    assert all(a < b for a, b in itertools.pairwise(looks))
    assert max(b / a for a, b in itertools.pairwise(looks) if a > 50 * step) <= 1.05


def feed(wins: np.ndarray, players: int, precision: float) -> WinShareSequence:
    """Show a sequence (G, P) wins until it stops."""
    sequence = WinShareSequence((1,) * players, precision)
    sums, squares = np.cumsum(wins, axis=0), np.cumsum(wins**2, axis=0)
    for look in sequence.checkpoints(len(wins)):
        point = Checkpoint(look, tuple(sums[look - 1].tolist()), tuple(squares[look - 1].tolist()))
        if sequence.observe(point):
            break
    return sequence


def test_intervals_follow_the_definition_game_by_game() -> None:
    played = samples.records(3000, players=3, seed=5)
    x = played.wins / 60
    sequence = WinShareSequence((1,) * 3, 0.02)
    looks = sequence.checkpoints(3000)
    assert looks == (1024, 2048, 3000)
    for look in looks:
        assert not sequence.observe(samples.checkpoint(played, look))
    for seat, found in enumerate(sequence.intervals()):
        v, mean, start = 0.0, 1 / 3, 0
        for look in looks:
            v += sum((x[g, seat] - mean) ** 2 for g in range(start, look))
            mean, start = float(x[:look, seat].mean()), look
        half = boundary(v, sequence.rho[seat], 1.0, 0.05 / 3) / 3000
        assert found.kind == "sequence"
        assert found.value == pytest.approx(mean)
        assert (found.low, found.high) == pytest.approx((mean - half, mean + half))


def test_copies_of_a_strategy_are_watched_together() -> None:
    """What all copies win of a game lies in [0, 1]; the interval is told of one copy."""
    played = samples.records(3000, seed=5)
    wins = np.stack([played.wins[:, [0, 2]].sum(axis=1), *played.wins[:, [1, 3]].T], axis=1)
    sequence = WinShareSequence((2, 1, 1), 0.02)
    for look in sequence.checkpoints(3000):
        so_far = wins[:look]
        sequence.observe(
            Checkpoint(
                look, tuple(so_far.sum(axis=0).tolist()), tuple((so_far**2).sum(axis=0).tolist())
            )
        )
    alone = WinShareSequence((1,) * 4, 0.02)
    for look in alone.checkpoints(3000):
        alone.observe(samples.checkpoint(played, look))
    # Half the variance of one player, or about two thirds of it: shorter than a single one's.
    both, single, _ = sequence.intervals()
    x, v, mean, start = wins[:, 0] / 60, 0.0, 1 / 2, 0
    for look in sequence.checkpoints(3000):
        v += float(((x[start:look] - mean) ** 2).sum())
        mean, start = float(x[:look].mean()), look
    half = boundary(v, tuning(0.04, 0.25, 0.05 / 3), 1.0, 0.05 / 3) / 3000
    assert both.value == pytest.approx(mean / 2)
    assert (both.low, both.high) == pytest.approx(((mean - half) / 2, (mean + half) / 2))
    assert both.high - both.low < 0.75 * (single.high - single.low)  # type: ignore[operator]
    assert single.value == alone.intervals()[1].value


def test_a_saved_run_gives_the_same_intervals() -> None:
    played = samples.records(5000, seed=6)
    live = feed(played.wins, 4, 0.01)
    points = [samples.checkpoint(played, look) for look in live.checkpoints(5000)]
    again = WinShareSequence((1,) * 4, 0.01).replay(points)
    assert again.intervals() == live.intervals()
    early = WinShareSequence((1,) * 4, 0.01).replay(points[:-1])
    assert early.intervals(points[-1]) == live.intervals()
    assert early.intervals() != live.intervals()


def test_it_stops_when_every_seat_is_precise_enough() -> None:
    rng = np.random.default_rng(7)
    winner = rng.choice(3, size=60_000, p=(0.5, 0.49, 0.01))
    wins = 60 * (winner[:, None] == np.arange(3))
    sequence = feed(wins, 3, 0.02)
    assert sequence.reached
    widths = [(i.high - i.low) / 2 for i in sequence.intervals() if i.high and i.low is not None]
    assert max(widths) <= 0.02
    # About (1.8 * 1.96)^2 * 0.25 / 0.02^2 games.
    assert max(widths) > 0.018
    assert not feed(wins[:2000], 3, 0.02).reached


def test_the_boundary_scales_with_the_observations() -> None:
    """Observations in other units, and everything with them; by this 0 is the least deviation."""
    for unit in (0.001, 1000.0):
        scaled = boundary(unit**2 * 300, unit**2 * 10, unit, 0.05)
        assert scaled == pytest.approx(unit * boundary(300, 10, 1.0, 0.05), rel=1e-10)


def test_squares_are_exact_from_the_first_game_on() -> None:
    points = [Checkpoint(10, (420, 180), (420 * 60, 180 * 60)), Checkpoint(11, (450, 210), (
        420 * 60 + 900, 180 * 60 + 900
    ))]  # fmt: skip
    sequence = WinShareSequence((1, 1), 0.1).replay(points)
    # 7 wins and 3 losses about 1/2, then half a win about 7/10 and 3/10.
    assert sequence._squares == (10 * 0.25 + 0.04, 10 * 0.25 + 0.04)
    (high, low) = (
        WinShareSequence((1, 1), 0.1)
        .replay([Checkpoint(1024, (61440, 0), (3686400, 0))])
        .intervals()
    )
    assert (high.value, high.high, low.value, low.low) == (1.0, 1.0, 0.0, 0.0)
    assert high.low is not None and 0 < high.low < 1


def test_before_the_first_game_nothing_is_known() -> None:
    sequence = WinShareSequence((1, 1), 0.01)
    assert not sequence.reached
    assert [found.value for found in sequence.intervals()] == [None, None]


def test_nonsense_is_refused() -> None:
    for players, precision in ((1, 0.1), (4, 0.0), (4, 1.0), (4, math.nan)):
        with pytest.raises(ValueError, match=r"at least 2|precision"):
            WinShareSequence((1,) * players, precision)
    sequence = WinShareSequence((1, 1), 0.01)
    sequence.observe(Checkpoint(1024, (30720, 30720), (1, 1)))
    with pytest.raises(ValueError, match="after"):
        sequence.observe(Checkpoint(1024, (30720, 30720), (1, 1)))
    with pytest.raises(ValueError, match="means, not 2"):
        sequence.observe(Checkpoint(2048, (1, 1, 1), (1, 1, 1)))
    for point in (Checkpoint(2048, (1, 1), (1, 1, 1)), Checkpoint(2048, (1, 1, 1), (1, 1))):
        with pytest.raises(ValueError, match="means, not 2"):
            sequence.observe(point)


@pytest.mark.parametrize("probabilities", [(0.25, 0.25, 0.25, 0.25), (0.97, 0.01, 0.01, 0.01)])
def test_all_looks_hold_together(probabilities: tuple[float, ...]) -> None:
    """In at least 95% of runs no seat's interval ever misses; single-look ones miss far more."""
    runs, players = 300, 4
    sequence = WinShareSequence((1,) * players, 0.01)
    looks = np.array(sequence.checkpoints(100_000))
    steps = np.diff(looks, prepend=0)
    rng = np.random.default_rng(8)
    truth = np.array(probabilities)
    won = np.stack([rng.multinomial(step, truth, size=runs) for step in steps])
    total = np.cumsum(won, axis=0)
    games = looks[:, None, None]
    before = np.concatenate([np.full((1, runs, players), 1 / players), (total / games)[:-1]])
    v = np.cumsum(won - 2 * before * won + steps[:, None, None] * before**2, axis=0)
    deviation = np.abs(total - games * truth)
    level = math.log(2 / sequence.alpha)
    missed = (log_mixture(deviation, v, sequence.rho[0], 1.0) > level).any(axis=(0, 2))
    assert missed.mean() <= 0.05
    naive = deviation > 1.969 * np.sqrt(games * truth * (1 - truth))
    assert naive.any(axis=(0, 2)).mean() > 0.5
