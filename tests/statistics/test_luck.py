"""Where differences come from: known answers of games that say what they consist of."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from analyzer.engine.runner import run
from analyzer.experiment import Experiment, Replays
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.statistics.luck import (
    INTERPLAY,
    SEATS,
    STRATEGIES,
    LuckTable,
    Source,
    analyze,
    kept_sets,
    over_tables,
)
from analyzer.statistics.tables import Estimate
from tests.cli.outside import forget, installed
from tests.statistics.coins import COINS


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder: Path = tmp_path_factory.mktemp("coins")
    with pytest.MonkeyPatch.context() as patch, installed(folder, "coins", COINS, patch):
        yield
    sys.modules.pop("coins", None)
    forget()


def found(name: str, *lineup: str, games: int = 8192, seed: int = 7, **rules: object) -> LuckTable:
    game = find_game(name)
    settled = settle(game, len(lineup), rules)
    kept = kept_sets(tuple(game.chance))
    asked = Replays(name, lineup, settled, games, seed, rotate=True, kept=kept)
    return analyze(run(asked), game)


def by_name(parts: tuple[Source, ...]) -> dict[str, Source]:
    return {one.source: one for one in parts}


def near(estimate: Estimate, truth: float) -> bool:
    assert estimate.value is not None and estimate.se is not None
    assert 0 < estimate.se < 0.03
    return abs(estimate.value - truth) < 4.5 * estimate.se


def test_what_is_kept_grows_by_one_source_and_each_is_kept_alone() -> None:
    assert kept_sets(("a", "b", "c")) == ((), ("a",), ("a", "b"), ("b",), ("c",))
    assert kept_sets(("a",)) == ((),)


# Of x = 2 + 2h + 4a + 2b + 2d + 2bd (see `coins`), whose parts are independent.
WHOLE = 2**2 + 2**2 + 4**2 + 2**2 + 2**2 + 2**2
MIXED = {STRATEGIES: 4, SEATS: 4, "deal": 16, "draw": 4, "decisions": 4, INTERPLAY: 4}


def test_known_parts_of_points_are_found(coins: None) -> None:
    parts = by_name(found("coins", "any", "bold").points)
    assert list(parts) == list(MIXED)
    for source, part in MIXED.items():
        assert near(parts[source].share, part / WHOLE), source
        if source != INTERPLAY:
            assert near(parts[source].alone, part / WHOLE), source
    assert parts[INTERPLAY].alone.value is None


def test_among_equals_strategies_are_exactly_nothing_and_seats_are_not(coins: None) -> None:
    parts = by_name(found("coins", "any", "any").points)
    assert parts[STRATEGIES].share == Estimate(0.0) and parts[STRATEGIES].known
    for source, part in MIXED.items():
        if source != STRATEGIES:
            assert near(parts[source].share, part / (WHOLE - 4)), source


def test_what_is_never_drawn_is_exactly_nothing(coins: None) -> None:
    """Calm players decide without chance: x = 4 + 4a + 4b, whoever sits where."""
    parts = by_name(found("coins", "calm", "calm").points)
    for source in ("decisions", INTERPLAY):
        assert parts[source].share == Estimate(0.0), source
        assert parts[source].known.startswith("nothing is drawn for ")
    for source in (SEATS, "deal", "draw"):
        assert near(parts[source].share, 1 / 3), source


def closed_form() -> dict[str, Fraction]:
    """Parts of who wins among any and bold, by going through all cases."""
    cases = [
        (first, a, b, d) for first in (1, -1) for a in (1, -1) for b in (1, -1) for d in (1, -1)
    ]

    def win(first: int, a: int, b: int, d: int) -> Fraction:
        x = 2 + 2 * first + 4 * a + 2 * b + 2 * d + 2 * b * d
        return Fraction(x > 0) if x else Fraction(1, 2)

    def between(*kept: int) -> Fraction:
        groups: dict[tuple[int, ...], list[Fraction]] = {}
        for case in cases:
            for seat in (1, -1):
                share = win(*case) if seat == 1 else 1 - win(*case)
                groups.setdefault((seat, *(case[k] for k in kept)), []).append(share)
        means = [sum(some, Fraction(0)) / len(some) - Fraction(1, 2) for some in groups.values()]
        return sum((mean**2 for mean in means), Fraction(0)) / len(means)

    whole, nobody = between(0, 1, 2, 3), between(0)
    bold = sum((win(*case) for case in cases if case[0] == 1), Fraction(0))
    bold += sum((1 - win(*case) for case in cases if case[0] == -1), Fraction(0))
    strategies = (bold / len(cases) - Fraction(1, 2)) ** 2
    nested = [nobody, between(0, 1), between(0, 1, 2)]
    alone = between(0, 3) - nobody
    parts = {
        STRATEGIES: strategies,
        SEATS: nobody - strategies,
        "deal": nested[1] - nested[0],
        "draw": nested[2] - nested[1],
        "decisions": alone,
        INTERPLAY: whole - nested[2] - alone,
    }
    return {source: part / whole for source, part in parts.items()}


def test_who_wins_is_taken_apart_as_all_cases_together_say(coins: None) -> None:
    truth = closed_form()
    assert sum(truth.values()) == 1
    parts = by_name(found("coins", "bold", "any").shares)
    for source, part in truth.items():
        assert near(parts[source].share, float(part)), (source, float(part))


@pytest.mark.parametrize("lineup", [("random",) * 4, ("random", "lowest", "reactive")])
def test_shares_add_up_to_one(lineup: tuple[str, ...]) -> None:
    table = found("turnthetide", *lineup, games=600)
    for parts in (table.shares, table.points):
        assert sum(one.share.value or 0.0 for one in parts) == pytest.approx(1, abs=1e-12)
        names = [STRATEGIES, SEATS, "deal", "tides", "decisions", INTERPLAY]
        assert [one.source for one in parts] == names


def test_passing_hands_round_leaves_the_deal_no_say_in_who_wins() -> None:
    """Equal players without memory who play all hands in turn win equally often whatever is dealt.

    With one round they do not pass hands, and it has.
    """
    passed = by_name(found("turnthetide", *("reactive",) * 3).shares)
    assert near(passed["deal"].share, 0.0)
    kept = by_name(found("turnthetide", *("reactive",) * 3, rounds=1, games=2048).shares)
    low = kept["deal"].share.low
    assert low is not None and low > 0.05


def test_equal_hands_play_without_difference_in_seats_or_players() -> None:
    parts = by_name(found("turnthetide", *("random",) * 2, games=600).shares)
    for source in (STRATEGIES, SEATS):
        assert parts[source].share == Estimate(0.0)
    assert parts[SEATS].known == "by the rules no seat is better"


def test_where_only_one_source_is_used_it_is_all() -> None:
    """In Switch 16 greedy players draw for nothing but dice, and who begins."""
    parts = by_name(found("switch16", *("greedy/leader/deny:16",) * 2).shares)
    assert parts["decisions"].known and parts[INTERPLAY].known
    first, dice = parts["first player"].share.value, parts["dice"].share.value
    assert first is not None and dice is not None and first + dice == pytest.approx(1, abs=1e-12)
    assert dice > 0.9


def test_the_first_player_matters_where_seat_1_always_begins() -> None:
    """There it is the seats' part, and nothing is drawn for who begins."""
    rules = {"first_player": "seat1", "cards": 4, "milestone": 2}
    parts = by_name(found("switch16", *("always/leader/deny:4",) * 2, **rules).shares)
    low = parts[SEATS].share.low
    assert low is not None and low > 0 and not parts[SEATS].known
    assert parts["first player"].share == parts["first player"].alone == Estimate(0.0)
    assert parts["first player"].known == "nothing is drawn for it"


def test_too_few_games_say_nothing() -> None:
    table = found("turnthetide", *("random",) * 3, games=20)
    assert "after so few games" in table.answer
    assert all(one.share.low is None for one in table.shares)


def test_the_answer_says_what_is_shown_and_what_is_not() -> None:
    table = found("turnthetide", "random", "random", "reactive", "reactive", games=3072)
    assert table.answer.startswith(
        "Of the differences in who wins among players of different kinds (two random and two "
        "reactive), "
    )
    for one in table.shares:
        if one.is_shown and one.source == STRATEGIES:
            break
    else:
        raise AssertionError("strategies are not shown to matter")
    assert "is due to how each of them plays" in table.answer
    assert "none of it settles" not in table.answer and "luck" not in table.answer
    equal = found("turnthetide", *("reactive",) * 4, games=1024)
    assert "How they play explains 0%, as all play alike." in equal.answer
    assert "Chance has no part in the decisions." in equal.answer
    assert "Nothing of it is shown to come from the deal." in equal.answer
    both = over_tables(find_game("turnthetide"), 7, (equal, table))
    assert both.answer.startswith(equal.answer)
    assert "(two random and two reactive): how each plays " in both.answer
    assert both.document()["shares"] == both.document()["tables"][0]["shares"]


def test_only_replays_can_be_taken_apart() -> None:
    game = find_game("turnthetide")
    rules = settle(game, 2, {})
    result = run(Experiment("turnthetide", ("random",) * 2, rules, 10, 1))
    with pytest.raises(Exception, match="replays"):
        analyze(result, game)
