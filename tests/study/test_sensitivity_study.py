"""Which assumptions are varied, what is played for them, and what is drawn."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from analyzer.engine.runner import run
from analyzer.errors import PluginError, ResultsError, UnknownName, UsageError
from analyzer.experiment import Experiment
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.statistics.fairness import CONFOUNDED
from analyzer.statistics.sensitivity import Change, Comparison, Varied
from analyzer.statistics.tables import Estimate
from analyzer.study import NotPlayed, Part, Request, make_request, sensitivity
from analyzer.study.sensitivity import Sensitivity


class Player:
    """Plays parts as they are asked for, except those it is told to leave out or cut short."""

    thorough = False

    def __init__(self, missing: str = "", short: str = "") -> None:
        self.asked: list[str] = []
        self.parts: list[Part] = []
        self.missing, self.short = missing, short

    def __call__(self, name: str, experiment: Experiment, sequence: Any = None) -> ResultSet:
        self.asked.append(name)
        if name == self.missing:
            raise NotPlayed("it is not there.")
        games = 512 if name == self.short else experiment.games
        return replace(run(replace(experiment, games=games)), experiment=experiment)


def request(**rules: Any) -> Request:
    return make_request(
        "simulate",
        find_game("switch16"),
        strategies=["greedy/leader/deny"] * 2,
        rules=rules,
        games=1024,
        seed=1,
    )


def test_alternatives_are_those_to_the_rules_given() -> None:
    plan = sensitivity.plan(request(max_turns=500, milestone_resume=9))
    told = {variant.label: variant for variant in plan.variants}
    assert told.keys() >= {"max_turns = 5000", "milestone_resume = 8"}
    assert not told.keys() & {"max_turns = 500", "milestone_resume = 9"}
    for variant in plan.variants:
        assert variant.request is not None
        rules = dict(variant.request.rules)
        assert rules.pop(variant.setting) != plan.base.rules[variant.setting]
        assert rules.items() <= dict(plan.base.rules).items()
    other = sensitivity.plan(request(max_turns=500))
    assert plan.digest() != other.digest()


def test_what_the_rules_forbid_is_refused_and_not_played() -> None:
    plan = sensitivity.plan(request(milestone=10))
    refused = [v.label for v in plan.variants if v.refused]
    assert refused == ["milestone_resume = 8", "milestone_resume = 9"]
    play = Player()
    found = sensitivity.conclude(plan, play)
    assert [v.label for v, varied in found.variants if varied is None] == refused
    assert len(play.asked) == 1 + len(plan.variants) - len(refused)
    assert [v.label for v, varied in found.variants if varied is not None] == [
        varied.label for varied in found.comparison.variants
    ]


def test_what_was_not_played_is_left_out() -> None:
    plan = sensitivity.plan(request())
    found = sensitivity.conclude(plan, Player(missing="variant-2", short="variant-3"))
    assert len(found.variants) == len(plan.variants) - 1
    assert plan.variants[1] not in [variant for variant, _ in found.variants]
    for variant, varied in found.variants:
        assert varied is not None and varied.label == variant.label
        paired = {change.paired for change in varied.changes.values()}
        assert paired == {variant != plan.variants[2]}
    assert found.games == (512, 1024)
    with pytest.raises(NotPlayed):
        sensitivity.conclude(plan, Player(missing="main"))


def test_the_chart_draws_the_ranges_that_the_verdict_goes_by() -> None:
    found = sensitivity.conclude(sensitivity.plan(request()), Player())
    frame = sensitivity.headline(found)
    assert frame is not None
    name = found.comparison.headlines[0]
    main = found.comparison.usual.figures[name].value
    assert frame.attrs["base"] == main
    assert frame.attrs["title"] + "." == found.comparison.verdict(name)
    for row, varied in zip(frame.itertuples(), found.comparison.variants, strict=True):
        change = varied.changes[name]
        assert row.value == varied.figures[name].value
        if change.estimate.low is not None:
            assert (row.low, row.high) == pytest.approx(
                [main + change.estimate.low, main + change.estimate.high]
            )
            assert change.shown == (not row.low <= main <= row.high)


def test_rules_without_assumptions_leave_nothing_to_vary(monkeypatch: pytest.MonkeyPatch) -> None:
    base = request()
    game = base.find_game()
    facts = [replace(setting, source="fact") for setting in game.settings]
    monkeypatch.setattr(type(game), "settings", tuple(facts), raising=False)
    with pytest.raises(UsageError, match="nothing open"):
        sensitivity.plan(base)


def test_only_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy that cannot be had any more is no property of the rules."""
    base = replace(request(), strategies=("gone/leader/deny",) * 2)
    with pytest.raises(UnknownName, match="'gone'"):
        sensitivity.plan(base)
    with pytest.raises(PluginError, match="no strategy file"):
        sensitivity.plan(replace(request(), strategies=("./gone.py::x/leader/deny",) * 2))


def test_a_saved_plan_is_the_plan() -> None:
    plan = sensitivity.plan(request(milestone=10))
    identity = json.loads(json.dumps(plan.identity()))
    assert sensitivity.saved_plan(plan.base, identity) == plan
    for damaged in (None, [[], ["max_turns"]], [[], ["max_turns", "7"]], [[], ["x", 1]]):
        with pytest.raises(ResultsError, match="saved comparison is damaged"):
            sensitivity.saved_plan(plan.base, identity | {"sensitivity": damaged})


def answered(*verdicts: str, shown: bool = True) -> Sensitivity:
    """A comparison whose runs have such verdicts, the one as assumed first."""
    told = {
        "as assumed" if n == 0 else f"variant {n}": (verdict, f"Sentence {n}.")
        for n, verdict in enumerate(verdicts)
    }
    varied = Varied("x", 1, None, {}, {})
    change = {"figure": Change(Estimate(0.1, 0.05, 0.15), shown, True)}
    runs = tuple(Varied(label, 1, None, {}, change) for label in told if label != "as assumed")
    comparison = Comparison(varied, runs, (), frozenset(), ("game", "game"), decisive=("figure",))
    return Sensitivity(request(), (), comparison, told)


def test_first_of_all_it_is_said_whether_the_answer_survives() -> None:
    for verdicts, text in (
        (("yes", "yes", "yes"), "The answer is the same under every alternative: Sentence 0."),
        (
            ("yes", "no", "yes", "undecided"),
            "The answer depends on what is assumed. Sentence 0, as assumed. With variant 1: "
            "Sentence 1. With variant 3 these games do not settle it.",
        ),
        (
            ("yes", "undecided"),
            "Sentence 0. No alternative is shown to change that. With variant 1 these games do not "
            "settle it.",
        ),
        (
            ("undecided", "undecided"),
            "Sentence 0. Nor do these games settle it under any alternative.",
        ),
        (
            ("undecided", "yes"),
            "Sentence 0. No alternative is shown to change that. With variant 1 the verdict is "
            "another, but these games do not show that this makes the difference: Sentence 1.",
        ),
    ):
        assert answered(*verdicts).survives == text
        assert answered(*verdicts).answer.startswith(text)
    # Two verdicts that differ are no change of the answer while no change of the figure is shown.
    chance = answered("yes", "no", shown=False)
    assert chance.survives.startswith("Sentence 0. No alternative is shown to change that. With ")
    assert (chance.outcome, answered("yes", "no").outcome) == ("undecided", "no")


def test_seats_that_differ_in_strategy_are_settled_by_no_number_of_games() -> None:
    found = answered("undecided", "undecided")
    told = {label: (verdict, CONFOUNDED) for label, (verdict, _) in found.verdicts.items()}
    assert "No number of games could settle it" in replace(found, verdicts=told).survives


def test_the_verdict_of_preservers_goes_by_the_first_figure() -> None:
    base = make_request(
        "simulate", find_game("turnthetide"), strategies=["random"] * 3, rules={}, games=256, seed=1
    )
    found = sensitivity.conclude(sensitivity.plan(base), Player())
    comparison = found.comparison
    assert comparison.headlines[0] == "score per preserver"
    assert comparison.decisive == ("score per preserver",)
    assert "score per preserver" not in comparison.shares
    assert all("score per preserver" in varied.changes for varied in comparison.variants)
