"""Rankings, ratings, circles and mixtures against what is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement

import numpy as np
import pytest

from analyzer.contracts import BLOCKS, WHOLE_WIN
from analyzer.engine.contest import no_contest_sums
from analyzer.errors import UsageError
from analyzer.experiment import Contest, Experiment
from analyzer.results import LOST, WON, ResultSet, checkpoint
from analyzer.statistics import luce
from analyzer.statistics.intervals import quantile
from analyzer.statistics.payoffs import circles, nash_mixture
from analyzer.statistics.tournament import PrecisionRule, Tournament, rank

Shares = Callable[[tuple[str, ...]], Sequence[float]]
EACH = 40
"""Games of a block."""


def contest(specs: str, players: int, games: int = EACH * BLOCKS) -> Contest:
    tables = tuple(combinations_with_replacement(sorted(specs), players))
    return Contest("made-up", tables[0], {}, games, 1, tables=tables)


def played(made: Contest, shares: Shares, noise: float = 0.0) -> ResultSet:
    """Results in which one copy of each strategy wins such shares, give or take some noise.

    Noise is the same at all tables in a block, as where all have the same chance.
    """
    sums = no_contest_sums(made)
    each = made.games // BLOCKS
    sums["games"][0] = each
    common = np.random.default_rng(5).normal(0, noise, (BLOCKS, len(made.specs)))
    for row, entry in enumerate(made.entries):
        table = made.tables[entry.table]
        share = shares(table)[table.index(entry.spec)]
        moved = share + (common[:, made.specs.index(entry.spec)] if len(set(table)) > 1 else 0)
        sums[WON][0, row] = np.round(WHOLE_WIN * each * entry.copies * moved)
    return ResultSet(made, made.games, sums, (), "games", 1.0, 0)


def by_strength(strengths: dict[str, float]) -> Shares:
    def shares(table: tuple[str, ...]) -> list[float]:
        whole = sum(strengths[spec] for spec in table)
        return [strengths[spec] / whole for spec in table]

    return shares


def rock_paper_scissors(table: tuple[str, ...]) -> list[float]:
    beats = {"rs", "sp", "pr"}
    a, b = table
    one = 0.7 if a + b in beats else 0.3 if b + a in beats else 0.5
    return [one, 1 - one]


def ranked(made: Contest, shares: Shares, noise: float = 0.004) -> Tournament:
    return rank(played(made, shares, noise))


def test_strengths_of_luce_s_rule_are_found_again() -> None:
    strengths = {"a": 4.0, "b": 2.0, "c": 1.0, "d": 0.5}
    found = ranked(contest("abcd", 4), by_strength(strengths))
    scale = math.prod(strengths.values()) ** 0.25
    assert [s.strategy for s in found.standings] == ["a", "b", "c", "d"]
    for s in found.standings:
        assert s.rating.value == pytest.approx(strengths[s.strategy] / scale, rel=0.005)
        assert s.rating.low is not None and s.rating.high is not None
        assert s.rating.low < strengths[s.strategy] / scale < s.rating.high
    assert found.misfit is not None and found.misfit < 0.002
    assert "One rating for each strategy tells well" in found.answer
    assert {response.best for response in found.responses} == {"a"}
    assert "Against none of these ways of playing is another one shown to do better" in found.answer


def test_fractions_of_wins_fit_as_wins_do() -> None:
    copies = np.array([[2, 1, 0], [1, 0, 2], [0, 1, 2], [1, 1, 1]])
    strengths = np.log([3.0, 1.0, 0.2])
    wins = luce.win_shares(copies, strengths)
    assert luce.fit(copies, wins) == pytest.approx(strengths - strengths.mean())
    assert luce.fit(copies, 7 * wins) == pytest.approx(strengths - strengths.mean())


def test_no_ratings_where_a_group_wins_from_no_other() -> None:
    def shares(table: tuple[str, ...]) -> list[float]:
        best = [spec for spec in table if spec != "c"] or list(table)
        return [best.count(spec) / table.count(spec) / len(best) if spec in best else 0.0
                for spec in table]  # fmt: skip

    found = rank(played(contest("abc", 3), shares))
    assert all(s.rating.value is None for s in found.standings) and found.misfit is None
    assert found.ratings_note == "c never wins at a table with any other, so no rating fits."
    assert found.ratings_note in found.answer
    assert luce.losers(np.array([[1, 1, 0], [0, 1, 1]]), np.array([[3, 1, 0], [0, 0, 2]])) == (0, 1)


def test_the_mean_is_over_every_field_once() -> None:
    """Two strategies at tables of three: fields aa, ab and bb, by hand."""
    payoffs = {"aaa": (1 / 3, 1 / 3), "aab": (0.3, 0.4), "abb": (0.5, 0.25), "bbb": (1 / 3, 1 / 3)}

    def shares(table: tuple[str, ...]) -> list[float]:
        return [payoffs["".join(table)][spec == "b"] for spec in table]

    made = contest("ab", 3, 60 * BLOCKS)
    found = rank(played(made, shares))
    means = {s.strategy: s.mean.value for s in found.standings}
    assert means["a"] == pytest.approx((1 / 3 + 0.3 + 0.5) / 3)
    assert means["b"] == pytest.approx((0.4 + 0.25 + 1 / 3) / 3)
    first = found.standings[0]
    assert (first.strategy, first.worst.field, first.best.field) == ("a", ("a", "b"), ("b", "b"))
    assert [round(share.value or 0, 9) for share in found.tables[1].shares] == [0.3, 0.3, 0.4]


def test_errors_are_those_of_blocks_at_all_tables_together() -> None:
    """With equal blocks the jackknife's error is that of the mean of blocks: common noise adds."""
    made = contest("ab", 2)
    result = played(made, lambda table: [0.5] * 2, noise=0.02)
    found = rank(result)
    mixed = made.entries.index(next(e for e in made.entries if e.copies == 1 and e.spec == "a"))
    wins = result.sums[WON][0]
    alone = next(r for r, e in enumerate(made.entries) if e.spec == "a" and e.copies == 2)
    blocks = (wins[mixed] + wins[alone] / 2) / (2 * WHOLE_WIN * EACH)
    se = blocks.std(ddof=1) / 16
    mean = next(s.mean for s in found.standings if s.strategy == "a")
    assert mean.se == pytest.approx(se) and mean.kind == "simultaneous"
    assert mean.high is not None and mean.value is not None
    assert mean.high - mean.value == pytest.approx(quantile(256, 2) * se)


def test_the_rule_stops_at_the_half_width_that_is_reported() -> None:
    made = contest("abc", 3)
    result = played(made, by_strength({"a": 2, "b": 1, "c": 1}), noise=0.03)
    found = rank(result)
    widest = max((s.mean.high or 0) - (s.mean.value or 0) for s in found.standings)
    point = checkpoint(result.games, result.sums, made)
    assert PrecisionRule(made, widest * 1.000001).observe(point)
    assert not PrecisionRule(made, widest * 0.999999).observe(point)
    looks = PrecisionRule(made, 0.01).checkpoints(20_000)
    assert looks[-1] == 20_000 and all(look % made.period == 0 for look in looks[:-1])


def test_a_circle_is_found_and_mixed_evenly() -> None:
    found = ranked(contest("prs", 2), rock_paper_scissors)
    assert [circle.strategies for circle in found.circles] == [("p", "r", "s")]
    assert "p beats r, r beats s, and s beats p" in found.answer
    assert all((lead.low or 0) > 0.3 for lead in found.circles[0].leads)
    assert found.nash is not None
    assert dict(found.nash) == pytest.approx({"p": 1 / 3, "r": 1 / 3, "s": 1 / 3}, abs=0.02)
    assert found.misfit is not None and found.misfit > 0.1 and "would mislead" in found.answer
    assert found.verdict == "several" and "do not settle" in found.answer
    best = {response.opponent: response.best for response in found.responses}
    assert best == {"r": "p", "p": "s", "s": "r"}
    assert not ranked(contest("abc", 2), by_strength({"a": 3, "b": 2, "c": 1})).circles


def test_circles_of_more_than_three() -> None:
    beats = np.zeros((4, 4), bool)
    for a, b in ((0, 2), (2, 1), (1, 3), (3, 0)):
        beats[a, b] = True
    assert circles(beats) == [(0, 2, 1, 3)]
    beats[3, 0] = False
    assert circles(beats) == []


def test_mixtures_that_nobody_wins_from() -> None:
    assert nash_mixture(np.zeros((3, 3))) == pytest.approx([1 / 3] * 3, abs=1e-3)
    ladder = np.array([[0, 1, 2], [-1, 0, 1], [-2, -1, 0.0]])
    assert nash_mixture(ladder) == pytest.approx([1, 0, 0], abs=1e-3)
    # Rock is there twice: the two share its part.
    twice = np.array([[0, 0, -1, 1], [0, 0, -1, 1], [1, 1, 0, -1], [-1, -1, 1, 0.0]])
    assert nash_mixture(twice) == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-3)


def test_lost_games_lower_shares_and_leave_ratings() -> None:
    made = contest("ab", 2)
    result = played(made, by_strength({"a": 3, "b": 1}))
    sums = {name: values.copy() for name, values in result.sums.items()}
    sums[WON] //= 2
    sums[LOST][0] = EACH // 2
    found = rank(ResultSet(made, made.games, sums, (), "games", 1.0, 0))
    assert found.unfinished == 3 * made.games // 2
    assert found.tables[1].shares[0].value == pytest.approx(0.375)
    assert found.standings[0].rating.value == pytest.approx(math.sqrt(3), rel=1e-3)


def test_too_few_games_settle_nothing() -> None:
    made = contest("ab", 2, 3)
    sums = no_contest_sums(made)
    sums["games"][0, :3] = 1
    sums[WON][0, :, :3] = 30
    found = rank(ResultSet(made, 3, sums, (), "games", 1.0, 0))
    assert found.verdict == "too-few" and found.answer.startswith("Too few games")
    with pytest.raises(UsageError, match="contest"):
        rank(ResultSet(Experiment("g", ("a", "b"), {}, 3, 1), 3, sums, (), "games", 1.0, 0))
