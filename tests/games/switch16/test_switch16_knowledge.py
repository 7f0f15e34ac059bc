"""A strategy of Switch 16 sees the table as it is, and answers where it is asked, whoever wrote it.

The view of the kernels is compared with the twin's table at every decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.engine.batch import Player
from analyzer.engine.seat import SeatedStrategy
from analyzer.errors import StrategyFailed
from analyzer.experiment import Experiment, Task
from analyzer.games.switch16 import game as fast
from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.policies import NEVER
from analyzer.games.switch16.state import View
from analyzer.games.switch16.workspace import Workspace
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import find_game
from analyzer.rules import settle
from analyzer.specs import bind
from tests.games.switch16.players import HOOKS, Whimsical, seated, settings
from tests.reference import chance
from tests.reference import switch16 as twin
from tests.spelling import spelled

compiled_only = pytest.mark.skipif(JIT_DISABLED, reason="takes long where kernels are not compiled")
DECISIONS = tuple(decision.name for decision in fast.GAME.decisions)
EVERYTHING = ("throw", "time", "points")
RULES = [
    twin.Rules(players=2, max_turns=40),
    twin.Rules(players=3, match_points=40, max_turns=40),
    twin.Rules(players=4, milestone_resume=9, match_points=20, max_turns=40),
    twin.Rules(players=4, cards=20, dice={1: 2, 6: 4}, faces=8, max_turns=30),
    twin.Rules(players=3, switch_die={"blank": 1, "green": 2, "red": 2, "block": 4}, max_turns=40),
]
SHORT = RULES[:1] if JIT_DISABLED else RULES
Moment = tuple[int, int, int, int, str, int]
"""Game, deal, turn, throw, decision, seat."""


def title(rules: twin.Rules) -> str:
    """Short name of a case in test reports."""
    return f"{rules.players}-{rules.cards}-{rules.faces}-{rules.match_points}"


def tally_for(rules: twin.Rules) -> dict[str, NDArray[np.int64]]:
    """The game's own sums at zero."""
    names = fast.GAME.sums(settings(rules), rules.players, "fairness")
    return {name: np.zeros(256, np.int64) for name in names}


# The same view as the twin's ----------------------------------------------------------------------


def kernel_snapshot(view: View, decision: str, g: int) -> dict[str, Any]:
    """Every field of the kernels' view in one column."""
    facts: dict[str, Any] = {
        name: getattr(view, name)[..., g].tolist() for name in ("top", "protected", "disc")
    }
    facts |= {name: getattr(view, name) for name in ("players", "cards", "match_points")}
    assert view.thrown is not None and view.turn is not None and view.points is not None
    facts |= {"thrown": int(view.thrown[g]), "turn": int(view.turn[g])}
    facts["points"] = view.points[:, g].tolist()
    as_holder = decision in ("lay", "lay_between")
    assert (view.mover is not None) == as_holder
    facts["mover"] = int(view.mover[g]) if view.mover is not None else 0
    throw = ("dice", "sums", "going")
    if decision == "lay_between":
        assert all(getattr(view, name) is None for name in throw)
    else:
        facts |= {name: int(getattr(view, name)[g]) for name in throw}
    return facts


class Watched(twin.Deal):
    """A deal that knows how many cards the throw on the table clears, and its match."""

    games: list[list[Watched]]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        if self.number == 0:
            self.games.append([])
        self.games[-1].append(self)
        self.going = 0

    def roll(self) -> tuple[tuple[int, ...], str]:
        numbers, face = super().roll()
        top = self.table.top(self.table.mover)
        self.going = twin.cards_going(top, numbers, self.rules.cards)
        return numbers, face


class Noting(Whimsical):
    """A whimsical player of the twin that notes what it could see whenever it is asked."""

    def __init__(self, seen: dict[Moment, dict[str, Any]], games: Sequence[int]) -> None:
        super().__init__(*DECISIONS)
        self.seen = seen
        self.games = games

    def note(self, table: twin.Table, me: int, decision: str) -> None:
        deals = Watched.games[-1]
        deal, rules = deals[-1], table.rules
        order = [me, *table.left_of(me)]
        place = 0
        if table.holder is not None:
            place = 1 + order.index(table.holder)
        elif table.blocked is not None:
            place = 1 + rules.players + order.index(table.blocked)
        points = [sum(before.table.top(seat) - 1 for before in deals[:-1]) for seat in order]
        facts: dict[str, Any] = {
            "top": [table.decks[seat].top for seat in order],
            "protected": [int(table.decks[seat].protected) for seat in order],
            "disc": place,
            "players": rules.players,
            "cards": rules.cards,
            "match_points": rules.match_points,
            "thrown": table.throw,
            "turn": deal.turn,
            "points": points,
            "mover": order.index(table.mover),
        }
        if decision != "lay_between":
            facts["dice"] = len(table.numbers)
            facts["sums"] = sum(1 << s for s in {0} | twin.sums(table.numbers) if s <= rules.cards)
            facts["going"] = deal.going
        game = self.games[len(Watched.games) - 1]
        self.seen[game, deal.number, deal.turn, table.throw, decision, me] = facts

    def throws_again(self, table: twin.Table, me: int) -> bool:
        self.note(table, me, "risk")
        return super().throws_again(table, me)

    def swaps_with(self, table: twin.Table, me: int, word: int) -> int | None:
        self.note(table, me, "swap")
        return super().swaps_with(table, me, word)

    def picks(self, table: twin.Table, me: int, tied: Sequence[int]) -> int:
        self.note(table, me, "pick")
        return super().picks(table, me, tied)

    def takes_disc(self, table: twin.Table, me: int) -> bool:
        self.note(table, me, "take")
        return super().takes_disc(table, me)

    def lays_after(self, table: twin.Table, me: int, going: int) -> int | None:
        self.note(table, me, "lay")
        return super().lays_after(table, me, going)

    def lays_on(self, table: twin.Table, me: int) -> int | None:
        self.note(table, me, "lay_between")
        return super().lays_on(table, me)


def noting_seat(
    seat: int, table: Workspace, seen: dict[Moment, dict[str, Any]], words_seen: dict[Moment, int]
) -> SeatedStrategy:
    """A whimsical player of the kernels that notes the same."""

    def noting(decision: str) -> Any:
        def decide(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
            for g in np.flatnonzero(view.active).tolist():
                assert view.turn is not None and view.thrown is not None
                deal = int(table.state.shorts[at.DEAL, g])
                game = int(table.state.columns[g])
                moment = (game, deal, int(view.turn[g]), int(view.thrown[g]), decision, seat)
                assert moment not in seen, "asked twice"
                seen[moment] = kernel_snapshot(view, decision, g)
                words_seen[moment] = int(words[g])
            HOOKS[decision](view, params, words, out)

        return decide

    return seated(
        {decision: noting(decision) for decision in DECISIONS},
        name=f"noting {seat}",
        sees=EVERYTHING,
        stochastic=DECISIONS,
    )


@pytest.mark.parametrize("rules", SHORT, ids=title)
def test_the_view_is_the_twin_s_table_at_every_decision(rules, monkeypatch):
    games = range(3 if JIT_DISABLED else 25)
    table = fast.GAME.table(settings(rules), rules.players, len(games))
    seen: dict[Moment, dict[str, Any]] = {}
    words: dict[Moment, int] = {}
    seats = [noting_seat(seat, table, seen, words) for seat in range(rules.players)]
    # What an earlier batch left in the workspace is of no game.
    fast.GAME.play(table, 2, np.array(games[:2], np.uint64), seats, tally_for(rules))
    seen.clear()
    fast.GAME.play(table, 3, np.array(games, np.uint64), seats, tally_for(rules))

    expected: dict[Moment, dict[str, Any]] = {}
    monkeypatch.setattr(twin, "Deal", Watched)
    Watched.games = []
    for game in games:
        twin.play(rules, [Noting(expected, games)] * rules.players, 3, game)
    assert seen.keys() == expected.keys()
    for moment, facts in expected.items():
        assert seen[moment] == facts, moment
    # Two players never have to pick: there is one other deck.
    assert {moment[4] for moment in seen} == {
        decision for decision in DECISIONS if decision != "pick" or rules.players > 2
    }
    for (game, deal, turn, throw, decision, seat), given in words.items():
        if (game, deal, turn, throw, decision, seat) in seen:
            purpose = 16 + 4 * DECISIONS.index(decision) + seat
            counter = deal << 32 | turn << 8 | throw
            assert given == chance.word(chance.game_key(3, game), purpose, counter)


@pytest.mark.parametrize("rules", SHORT, ids=title)
def test_columns_that_are_not_asked_hold_values_in_range_and_are_ignored(rules):
    count = 4 if JIT_DISABLED else 40
    wild = np.random.default_rng(8)

    def within(row: Any, low: int, high: int) -> None:
        assert row is None or low <= int(row.min()) <= int(row.max()) <= high

    def checking(decision: str, garbage: bool) -> Any:
        def decide(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
            within(view.active, 0, 1)
            within(view.top, 1, rules.cards + 1)
            within(view.protected, 0, 1)
            within(view.disc, 0, 2 * rules.players)
            within(view.mover, 0, rules.players - 1)
            within(view.dice, min(rules.dice.values()), max(rules.dice.values()))
            within(view.going, 0, rules.cards)
            within(view.turn, 0, rules.max_turns)
            HOOKS[decision](view, params, words, out)
            if garbage:
                out[view.active == 0] = wild.integers(0, 256, np.count_nonzero(view.active == 0))

        return decide

    outcomes = []
    for garbage in (False, True):
        table = fast.GAME.table(settings(rules), rules.players, count)
        seats = [
            seated(
                {decision: checking(decision, garbage) for decision in DECISIONS},
                name=f"checking {seat}",
                sees=EVERYTHING,
            )
            for seat in range(rules.players)
        ]
        games = np.arange(count, dtype=np.uint64)
        outcome = fast.GAME.play(table, 4, games, seats, tally_for(rules))
        outcomes.append((outcome.wins.copy(), outcome.scores.copy()))
    for clean, wild_one in zip(*outcomes, strict=True):
        np.testing.assert_array_equal(clean, wild_one)


def test_what_is_not_declared_is_not_shown():
    table = fast.GAME.table(settings(RULES[0]), 2, 1)
    fields = {"throw": ("dice", "sums", "going"), "time": ("thrown", "turn"), "points": ("points",)}
    for number, decision in enumerate(DECISIONS):
        for sees in [(), *((one,) for one in EVERYTHING), EVERYTHING]:
            view = table.view(number, 0, frozenset(sees))
            for part, names in fields.items():
                for name in names:
                    shown = part in sees and (part != "throw" or decision != "lay_between")
                    shown |= (decision, name) == ("lay", "going")
                    assert (getattr(view, name) is not None) == shown, (decision, name)


def ancestors(array: Any) -> Iterator[NDArray[Any]]:
    """An array and everything that it is a part of."""
    while isinstance(array, np.ndarray):
        yield array
        array = array.base


@pytest.mark.parametrize("expensive", [False, True], ids=["whole", "dense"])
def test_arrays_are_read_only_and_none_leads_to_the_chance_to_come(expensive):
    rules = RULES[1]
    table = fast.GAME.table(settings(rules), 3, 5)
    found: set[str] = set()

    def spying(decision: str) -> Any:
        def decide(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
            for name, value in (view._asdict() | {"words": words, "out": out}).items():
                for array in ancestors(value):
                    for secret in (table.state.keys, table.scratch.fractions, table.scratch.made):
                        if np.shares_memory(array, secret):
                            found.add(f"{decision}: {name}")
                if isinstance(value, np.ndarray) and name != "out":
                    assert not value.flags.writeable, name
                    with pytest.raises(ValueError, match="read-only"):
                        value[...] = 0
            HOOKS[decision](view, params, words, out)

        return decide

    hooks = {decision: spying(decision) for decision in DECISIONS}
    seat = seated(hooks, name="spy", sees=EVERYTHING, stochastic=DECISIONS, expensive=expensive)
    games = np.arange(5, dtype=np.uint64)
    fast.GAME.play(table, 4, games, [seat] * 3, tally_for(rules))
    assert not found


@pytest.mark.parametrize("expensive", [False, True], ids=["whole", "dense"])
def test_seats_that_decide_alike_are_asked_together(expensive):
    """One question for all of them, or one for each: the same games."""
    rules = RULES[2]
    results = []
    for names in (["same"] * 4, ["a", "b", "c", "d"]):
        table = fast.GAME.table(settings(rules), 4, 10)
        calls: list[str] = []

        def counting(name: str, calls: list[str] = calls) -> Any:
            def decide(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
                calls.append(name)
                HOOKS["risk"](view, params, words, out)

            return decide

        seats = [
            seated(
                {**HOOKS, "risk": counting(name)}, name=name, sees=EVERYTHING, expensive=expensive
            )
            for name in names
        ]
        games = np.arange(10, dtype=np.uint64)
        outcome = fast.GAME.play(table, 4, games, seats, tally_for(rules))
        results.append((outcome.wins.copy(), outcome.scores.copy(), len(calls)))
    (wins, scores, few), (other_wins, other_scores, many) = results
    np.testing.assert_array_equal(wins, other_wins)
    np.testing.assert_array_equal(scores, other_scores)
    assert few < many


# Other people's policies --------------------------------------------------------------------------

PLUGIN = """
import numpy as np
from analyzer.contracts import Strategy

def risk(view, params, words, out):
    out[:] = view.protected[0]

def swap(view, params, words, out):
    rows = np.arange(view.players)[:, None]
    tops = np.where(view.disc == 1 + rows, 0, view.top)
    tops[0] = view.top[0]
    best = tops[1:].argmax(axis=0) + 1
    out[:] = np.where(tops.max(axis=0) > view.top[0], best, 0)

def take(view, params, words, out):
    row = np.clip(view.disc.astype(int) - 1 - view.players, 0, view.players - 1)
    out[:] = np.take_along_axis(view.top, row[None], 0)[0] <= view.top[0]

def lay(view, params, words, out):
    top = np.take_along_axis(view.top, view.mover[None].astype(int), 0)[0].astype(int)
    out[:] = np.where(top + view.going > 12, 0, 255)

careful = Strategy("switch16", "careful", "Risks nothing.", {"risk": risk}, family="risk")
ahead = Strategy("switch16", "first", "Takes the lead.", {"swap": swap}, family="green")
denies = Strategy(
    "switch16", "denies", "Denies 12.", {"take": take, "lay": lay}, family="block"
)
"""


def sums_of(*specs: str, games: int = 1500, **given: Any) -> dict[str, NDArray[np.int64]]:
    """Sums of a short run."""
    strategies = spelled("switch16", specs)
    rules = settle(find_game("switch16"), len(strategies), given)
    one = Experiment("switch16", strategies, rules, games, 5, "fairness")
    return Player(one, 256).play(Task(0, games))


@pytest.fixture(name="plugin")
def _plugin(tmp_path: Path) -> str:
    file = tmp_path / "plugin.py"
    file.write_text(PLUGIN)
    return str(file)


@compiled_only
@pytest.mark.parametrize("family", ["risk", "green", "block"])
def test_a_numpy_policy_of_each_family_plays_as_the_built_in_one(plugin, family):
    built_in = {"risk": "protected", "green": "leader", "block": "deny:12"}
    written = {"risk": "careful", "green": "first", "block": "denies"}
    mine = built_in | {family: f"{plugin}::{written[family]}"}
    rivals = ("greedy/leader/deny:12", "always/random/hold", "/".join(built_in.values()))
    one = sums_of("/".join(mine.values()), *rivals)
    other = sums_of("/".join(built_in.values()), *rivals)
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], name)


BROKEN = """
import numpy as np
from analyzer.contracts import Strategy

def bad(view, params, words, out):
    rare = (view.active == 1) & (view.top[0] > 8) & (view.top[1] == 5)
    {body}

broken = Strategy("switch16", "broken", "Breaks.", {{"{decision}": bad}}, family="{family}")
"""
FAMILIES = {decision.name: decision.family for decision in fast.GAME.decisions}
ILLEGAL = [
    ("risk", "out[rare] = 2", "it chose 2; allowed is 0 to 1"),
    ("swap", "out[rare] = 3", "it chose 3; allowed is 0 to 2"),
    ("take", "out[rare] = 7", "it chose 7; allowed is 0 to 1"),
    ("lay", "out[:] = 255; out[rare] = 200", "it chose 200; allowed is 0 to"),
    ("lay_between", "out[rare] = 3", "it chose 3; allowed is 0 to 2"),
    ("risk", "if rare.any(): out[rare] = -1", "ValueError"),
    ("risk", "if rare.any(): out[rare] = 256", "ValueError"),
    ("risk", "if rare.any(): out[rare] = 0.5", "TypeError"),
    ("swap", "out[:] = np.where(rare, np.nan, 0) if rare.any() else 0", "TypeError"),
    ("swap", "1 / (0 if rare.any() else 1)", "ZeroDivisionError"),
    ("lay", "out[:] = 255\n    assert not rare.any(), 'no such luck'", "no such luck"),
    ("take", "if rare.any(): raise SystemExit(0)", "SystemExit"),
]


@compiled_only
@pytest.mark.parametrize(("decision", "body", "message"), ILLEGAL, ids=lambda text: text[:24])
def test_a_broken_policy_stops_the_run_and_is_named(tmp_path, decision, body, message):
    """The lowest game in which it goes wrong, the seat, and what was chosen."""
    games = 3000
    file = tmp_path / "plugin.py"
    family = FAMILIES[decision]
    file.write_text(BROKEN.format(body=body, decision=decision, family=family))
    parts = {"risk": "always", "green": "random", "block": "hold"}
    spec = "/".join((parts | {family: f"{file}::broken"}).values())
    rivals = ["greedy/leader/strike:early=4", "greedy/random/strike:early=4"]
    rules = settle(find_game("switch16"), 3, {})
    strategies = spelled("switch16", (rivals[0], spec, rivals[1]))
    one = Experiment("switch16", strategies, rules, games, 6, "simulate")
    first = _first_failing_game(one, decision)
    for lanes in (256, 1024):
        with pytest.raises(StrategyFailed) as caught:
            Player(one, lanes).play(Task(0, games))
        failure = caught.value
        assert failure.game == first
        assert failure.strategy == strategies[1]
        assert "seat 2" in failure.moment
        assert repr(decision) in failure.moment
        assert message in failure.what


def _first_failing_game(one: Experiment, decision: str) -> int:
    """The lowest game in which the decision is asked at such a table, found without refilling."""
    seats = [
        SeatedStrategy(bind("switch16", spec, one.rules, one.players)) for spec in one.strategies
    ]
    table = fast.GAME.table(one.rules, one.players, one.games)
    failing: list[int] = []

    def harmless(view: View, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        rare = (view.active == 1) & (view.top[0] > 8) & (view.top[1] == 5)
        failing.extend(np.flatnonzero(rare).tolist())
        out[:] = {"lay": NEVER, "take": 0}.get(decision, 0)

    hooks = {**seats[1].strategy.hooks, decision: harmless}
    strategy = seats[1].strategy
    parts = {**strategy.__dict__, "hooks": hooks}
    seats[1] = SeatedStrategy(type(strategy)(**parts))
    names = fast.GAME.sums(one.rules, one.players, "simulate")
    tally = {name: np.zeros(256, np.int64) for name in names}
    games = np.arange(one.games, dtype=np.uint64)
    fast.GAME.play(table, one.seed, games, seats, tally)
    return min(failing)


@compiled_only
def test_only_one_of_the_lowest_may_be_picked(tmp_path):
    file = tmp_path / "plugin.py"
    body = "lowest = view.top[1:].min(axis=0); out[:] = 1 + (view.top[1:] != lowest).argmax(axis=0)"
    file.write_text(BROKEN.format(body=body, decision="pick", family="green"))
    spec = f"greedy/{file}::broken/hold"
    with pytest.raises(StrategyFailed, match="does not show the lowest top card") as caught:
        sums_of("greedy/leader/hold", "greedy/leader/hold", "never/never/hold", spec)
    assert "seat 4" in caught.value.moment
    assert "'pick'" in caught.value.moment
