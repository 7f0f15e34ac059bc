"""A search for better parameters or rules: what is tried, on which chance, and what came of it."""

from __future__ import annotations

import contextlib
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from analyzer.contracts import BLOCKS, WHOLE_WIN, Game
from analyzer.engine.runner import run
from analyzer.errors import PluginError, ResultsError, UnknownName, UsageError
from analyzer.experiment import Contrast, Experiment
from analyzer.kernels.random import stream_seed
from analyzer.plain import item, items
from analyzer.results import ResultSet
from analyzer.rules import settle
from analyzer.specs import Part as SpecPart
from analyzer.specs import bind, parts_of, plain_names
from analyzer.statistics import wording
from analyzer.statistics.best import difference_of_distances
from analyzer.statistics.by_block import Figure, blocks_that_differ, figures_by_block
from analyzer.statistics.intervals import Floats, estimate, leave_one_out, ratio
from analyzer.statistics.margins import WIN_SHARE_MARGIN
from analyzer.statistics.sweep import Axis, bounds_of, spell
from analyzer.statistics.tables import Estimate
from analyzer.statistics.tune import (
    Evaluation,
    FieldGain,
    Finalist,
    Method,
    Side,
    TunedParameter,
    Tuning,
    is_improved,
    rules_answer,
    settings_told,
    strategy_answer,
)
from analyzer.study.base import study_of
from analyzer.study.finding import Finding, Plan
from analyzer.study.request import Request, make_request, whole
from analyzer.study.stage import DryRun, NotPlayed, Part, Play
from analyzer.study.varying import read_range, read_rule

if TYPE_CHECKING:
    pass

IDENTITY = "tune"
"""Where the identity of a run says what is searched."""

GAMES = 20_000
GENERATIONS = 15
POPULATION = 10
MOST_GENERATIONS, MOST_POPULATION = 1000, 200
MOST_KNOBS = 50
"""Parameters or settings; the search keeps a square matrix of so many rows."""
MOST_VALUES = 10_000
"""Of one parameter that is a whole number, or of one setting."""
LEAST_POPULATION = 4
"""CMA-ES learns from the better half of a generation, which must be more than one."""
FINALISTS = 5
CHOICE, REPORT = 4, 20
"""Games of a finalist, and of each side of the report, in evaluations."""
CHOOSING, REPORTING, DRAWING, SEARCHING = 3, 4, 5, 1000
"""Streams of the seed: choice among finalists, the report, settings to try; each generation has one
of its own from `SEARCHING` on."""
SIGMA = 0.25
"""Of the first generation, in parts of the ranges."""
STEPS = 1000
"""Steps of the range of a number that is not whole: more would be digits without meaning."""

Values = tuple[Any, ...]


@dataclass(frozen=True)
class Knob:
    """What is searched: a parameter or a setting.

    Attributes
    ----------
    name
        As one gives it.
    values
        Every value it may have; empty for numbers that are not whole.
    low, high
        The range of such a number.
    start
        What there is.
    place
        Number of the part of the strategy, and of its parameter; None for a setting.
    """

    name: str
    values: Values
    low: float
    high: float
    start: Any
    place: tuple[int, int] | None = None

    def at(self, u: float) -> Any:
        """The value at a place from 0 to 1 in the range."""
        if self.values:
            return self.values[min(int(u * len(self.values)), len(self.values) - 1)]
        places = max(0, math.ceil(-math.log10((self.high - self.low) / STEPS)))
        return min(max(round(self.low + u * (self.high - self.low), places), self.low), self.high)

    @property
    def begin(self) -> float:
        """Where the start is in the range, or its nearer end."""
        if not self.values:
            place = (float(self.start) - self.low) / (self.high - self.low)
            return min(max(place, 0.0), 1.0)
        if self.start in self.values:
            return (self.values.index(self.start) + 0.5) / len(self.values)
        return 0.5

    @property
    def told(self) -> str:
        """What is searched, in words."""
        if not self.values:
            return f"{self.low:g} to {self.high:g}"
        numbers = all(type(value) is int for value in self.values)
        if numbers and len(self.values) > 2:
            return f"{self.values[0]} to {self.values[-1]}"
        return ", ".join(spell(value) for value in self.values)


@dataclass(frozen=True)
class TunePlan(Plan):
    """What is searched.

    Attributes
    ----------
    base
        For a strategy the one to start from in every seat; ``fields`` are the opponents, a spec a
        seat of the others. For rules the table that plays by the rules to start from.
    what
        ``"strategy"`` or ``"rules"``.
    knobs
        At least one.
    given
        For rules the settings given, and no others: what follows from a searched one follows it.
    metric, target
        For rules, the figure and what it shall be near to.
    generations, population
        Of the search; where all settings are tried there is one generation.
    """

    base: Request
    what: Literal["strategy", "rules"]
    knobs: tuple[Knob, ...]
    given: Mapping[str, Any]
    generations: int
    population: int
    metric: str = "win_share"
    target: float | None = None

    @property
    def settings(self) -> int | None:
        """How many settings there are, or None where one is a number that is not whole."""
        many = 1
        for knob in self.knobs:
            many *= len(knob.values)
        return many or None

    @property
    def method(self) -> Method:
        """All settings are tried, if that takes no more evaluations than searching."""
        many = self.settings
        return (
            "exhaustive"
            if many is not None and many <= self.generations * self.population
            else "cma-es"
        )

    @property
    def start(self) -> Values:
        """The values to start from."""
        return tuple(knob.start for knob in self.knobs)

    @property
    def margin(self) -> float:
        """What counts as no improvement."""
        if self.base.margin is not None:
            return self.base.margin
        return WIN_SHARE_MARGIN if self.what == "strategy" else 0.0

    def identity(self) -> dict[str, Any]:
        """What two searches have in common exactly if they are the same, as plain data."""
        searched = {
            "what": self.what,
            "knobs": [
                {**vars(knob), "values": list(knob.values), "place": list(knob.place or ())}
                for knob in self.knobs
            ],
            "given": dict(self.given),
            "generations": self.generations,
            "population": self.population,
            "metric": self.metric,
            "target": self.target,
        }
        return {**self.base.identity(), IDENTITY: searched}


def plan_strategy(
    game: Game,
    spec: str,
    *,
    vary: Sequence[str] = (),
    fields: Sequence[Sequence[str]] = (),
    players: int,
    rules: Mapping[str, Any],
    games: int,
    seed: int,
    generations: int,
    population: int,
    margin: float | None = None,
) -> TunePlan:
    """Check every choice of a search for better parameters of a strategy.

    Parameters
    ----------
    vary
        ``NAME`` or ``NAME=LOW..HIGH``; none for all parameters in their declared ranges.
    fields
        Opponents: one spec for all, or one for each of the other seats; none for the strategy as it
        is and the game's own ways of playing.

    Raises
    ------
    UsageError
        If anything is unknown, out of range or in contradiction.
    """
    if players < 2:
        raise UsageError("a strategy is tuned at a table of at least 2 players.")
    others = players - 1
    settled = settle(game, players, rules)
    start = bind(game.name, spec, settled, players).spec
    tables: list[tuple[str, ...]] = []
    if fields:
        for field in fields:
            if len(field) not in (1, others):
                raise UsageError(
                    f"the field {'+'.join(field)!r} has {len(field)} opponents; give one for all, "
                    f"or {others} joined by '+': one for each of the other seats."
                )
            tables.append(tuple(field) if len(field) == others else tuple(field) * others)
    else:
        ways = [way.spec for way in study_of(game.name).ways(settled, players)]
        tables = [(one,) * others for one in (start, *(ways or [game.default_strategy]))]
    bound = [tuple(bind(game.name, s, settled, players).spec for s in table) for table in tables]
    base = make_request(
        "simulate",
        game,
        strategies=(start,) * players,
        rules=rules,
        games=games,
        seed=seed,
        fields=[(start, *table) for table in dict.fromkeys(bound)],
        margin=margin,
    )
    knobs = _knobs(game, start, vary)
    return _checked(TunePlan(base, "strategy", knobs, dict(rules), generations, population))


def _knobs(game: Game, spec: str, vary: Sequence[str]) -> tuple[Knob, ...]:
    """The parameters of a strategy that are searched."""
    found: dict[str, list[Knob]] = {}
    every = []
    for number, part in enumerate(parts_of(game, spec)):
        for place, parameter in enumerate(part.strategy.parameters):
            values: Values = ()
            if parameter.kind == "bool":
                values = (False, True)
            elif parameter.kind == "int":
                values = tuple(range(math.ceil(parameter.low), math.floor(parameter.high) + 1))
            knob = Knob(
                f"{part.prefix}:{parameter.name}",
                values,
                parameter.low,
                parameter.high,
                part.values[place],
                (number, place),
            )
            every.append(knob)
            found.setdefault(parameter.name, []).append(knob)
            found.setdefault(knob.name, []).append(knob)
    if not every:
        raise UsageError(f"strategy {spec!r} has no parameters, so there is nothing to tune.")
    if not vary:
        return tuple(every)
    chosen: list[Knob] = []
    for text in vary:
        name, equals, given = text.partition("=")
        name = name.strip()
        if name not in found:
            raise UnknownName(f"parameter of {spec!r}", name, found)
        if len(found[name]) > 1:
            names = " and ".join(knob.name for knob in found[name])
            raise UsageError(f"{name} is a parameter of several parts; give {names}.")
        knob = found[name][0]
        if any(other.place == knob.place for other in chosen):
            raise UsageError(f"{name} is given twice; give it once.")
        chosen.append(_narrowed(knob, given.strip()) if equals else knob)
    return tuple(chosen)


def _narrowed(knob: Knob, text: str) -> Knob:
    """A parameter within the range given."""
    numbers = bool(knob.values) and type(knob.values[0]) is int
    if knob.values and not numbers:
        raise UsageError(f"{knob.name} is true or false; it has no range.")
    low, high = read_range(knob.name, text)
    if not knob.low <= low < high <= knob.high:
        raise UsageError(
            f"{knob.name} can be from {knob.low:g} to {knob.high:g}; given {low:g}..{high:g}."
        )
    if not numbers:
        return replace(knob, low=low, high=high)
    values = tuple(value for value in knob.values if low <= value <= high)
    if len(values) < 2:
        raise UsageError(f"{knob.name}={text} has no two whole numbers.")
    return replace(knob, values=values)


def plan_rules(
    base: Request,
    rule: Sequence[str],
    given: Mapping[str, Any],
    *,
    metric: str | None,
    target: float | None,
    generations: int,
    population: int,
) -> TunePlan:
    """Check every choice of a search for rules.

    Parameters
    ----------
    base
        Who plays, and the rules to start from.
    rule
        ``KEY=LOW..HIGH``, ``KEY=LOW..HIGH:STEP`` or ``KEY=A,B,C``, each a setting.
    given
        The settings that were given, and no others.

    Raises
    ------
    UsageError
        If anything is unknown or in contradiction.
    """
    game = base.find_game()
    axes: list[Axis] = []
    for text in rule:
        axis = read_rule(game, text)
        if axis.name in {other.name for other in axes}:
            raise UsageError(f"{axis.name} is searched twice; give it once.")
        axes.append(axis)
    if metric is None or target is None:
        raise UsageError(
            "rules are searched for a target: name a figure with --metric NAME and what it shall "
            "be near to with --target X."
        )
    if not math.isfinite(target):
        raise UsageError("a target is a number.")
    knobs = tuple(Knob(axis.name, axis.values, 0.0, 0.0, base.rules[axis.name]) for axis in axes)
    free = {key: v for key, v in given.items() if key not in {axis.name for axis in axes}}
    plan = TunePlan(base, "rules", knobs, free, generations, population, metric, float(target))
    plan = _checked(plan)
    if not any(_rules_at(plan, game, values) for values in _sampled(plan)):
        raise UsageError("none of these settings can be played: they contradict each other.")
    few = run(replace(base.experiment(), games=min(base.games, BLOCKS)))
    simple = _figures(few, game)
    if metric in simple:
        return plan
    detailed = replace(plan, base=replace(base, command="fairness"))
    known = _figures(run(replace(detailed.base.experiment(), games=min(base.games, BLOCKS))), game)
    if metric not in known:
        raise UnknownName("metric", metric, known)
    return detailed


def _checked(plan: TunePlan) -> TunePlan:
    """A plan whose numbers are possible."""
    limits = {"generations": MOST_GENERATIONS, "population": MOST_POPULATION}
    for name, most in limits.items():
        least = 1 if name == "generations" else LEAST_POPULATION
        value = whole(name, getattr(plan, name))
        if not least <= value <= most:
            raise UsageError(f"{name} must be from {least} to {most}; given {value}.")
    if len(plan.knobs) > MOST_KNOBS:
        raise UsageError(
            f"{len(plan.knobs):,} parameters or settings are given, and at most {MOST_KNOBS} are "
            "searched at once."
        )
    for knob in plan.knobs:
        if len(knob.values) > MOST_VALUES:
            raise UsageError(
                f"{knob.name} has {len(knob.values):,} values, and at most {MOST_VALUES:,} are "
                "searched; give a narrower range."
            )
    return plan


def _sampled(plan: TunePlan) -> Iterator[Values]:
    """Every setting, or where there are too many those at the ends and the start."""
    if plan.method == "exhaustive":
        yield from itertools.product(*(knob.values for knob in plan.knobs))
        return
    yield plan.start
    for ends in itertools.product((0.0, 0.5, 1.0), repeat=len(plan.knobs)):
        yield tuple(knob.at(u) for knob, u in zip(plan.knobs, ends, strict=True))


def saved_plan(base: Request, identity: Mapping[str, Any]) -> TunePlan:
    """The plan of a saved search; strategies are not loaded, as in `Request.from_json`.

    Raises
    ------
    ResultsError
        If it does not describe a search.
    """
    try:
        searched = item(identity, IDENTITY, dict)
        what = item(searched, "what", str)
        if what not in ("strategy", "rules"):
            raise ValueError(f"it searches {what!r}")
        knobs = []
        for one in items(searched, "knobs", dict):
            place = items(one, "place", int)
            knobs.append(
                Knob(
                    item(one, "name", str),
                    tuple(item(one, "values", list)),
                    float(item(one, "low", int, float)),
                    float(item(one, "high", int, float)),
                    one["start"],
                    (place[0], place[1]) if len(place) == 2 else None,
                )
            )
        plan = TunePlan(
            base,
            "strategy" if what == "strategy" else "rules",
            tuple(knobs),
            item(searched, "given", dict),
            item(searched, "generations", int),
            item(searched, "population", int),
            item(searched, "metric", str),
            item(searched, "target", float, type(None)),
        )
        if not knobs or (plan.target is None) != (what == "strategy"):
            raise ValueError("it does not say what is searched")
        return _checked(plan)
    except (KeyError, TypeError, ValueError) as reason:
        raise ResultsError(
            f"the description of the saved search is damaged ({type(reason).__name__}: {reason})."
        ) from None


Tuned = Finding[TunePlan, Tuning]
"""What a search found, and what was played for it."""


# --- what is played ------------------------------------------------------------------------------


class _Gain(NamedTuple):
    """What a setting is worth, the larger ``worth`` the better; ``value`` is what is told of it."""

    worth: float
    value: float


class _Trial(ABC):
    """Plays settings: what is played at each, on which chance, and what it is worth."""

    def __init__(self, plan: TunePlan, play: Play) -> None:
        self.plan = plan
        self.game = plan.base.find_game()
        self.play = play

    @abstractmethod
    def told(self, values: Values) -> str:
        """A setting, ready to paste."""

    def possible(self, values: Values) -> bool:
        """Whether it can be played."""
        return True

    @abstractmethod
    def gain(self, name: str, values: Values, seed: int, times: int) -> _Gain:
        """What a setting is worth on a stream of chance; ``times`` as many games as usual."""

    @abstractmethod
    def report(self, values: Values) -> dict[str, Any]:
        """What a setting gains over the start, and how surely: attributes of a `Tuning`."""

    def whole(self, name: str, experiment: Experiment) -> ResultSet:
        """A part that was played to its end.

        Raises
        ------
        NotPlayed
            If a saved run has less of it.
        """
        result = self.play(name, experiment)
        if result.games < experiment.games and not isinstance(self.play, DryRun):
            raise NotPlayed(f"The part {name!r} was not played to its end.")
        return result


class _OfStrategy(_Trial):
    """A strategy's parameters: the strategy in every seat, against the start in the same games."""

    def __init__(self, plan: TunePlan, play: Play) -> None:
        super().__init__(plan, play)
        self.start = plan.base.strategies[0]
        self.tables = tuple(field[1:] for field in plan.base.fields)
        self._parts: list[SpecPart] | None = None

    def told(self, values: Values) -> str:
        """The spec."""
        if self._parts is None:
            self._parts = parts_of(self.game, self.start)
        parts = list(self._parts)
        for knob, value in zip(self.plan.knobs, values, strict=True):
            assert knob.place is not None
            number, place = knob.place
            own = list(parts[number].values)
            own[place] = value
            parts[number] = replace(parts[number], values=tuple(own))
        return "/".join(part.spelling for part in parts)

    def contrast(self, spec: str, seed: int, times: int) -> Contrast:
        """What is played of a setting; about as many games as wanted, over all line-ups."""
        base = self.plan.base
        made = Contrast(
            game=base.game,
            strategies=(spec, *(self.start,) * (base.players - 1)),
            rules=base.rules,
            games=1,
            seed=seed,
            fields=self.tables,
        )
        numbers = max(1, times * base.games // len(made.seatings))
        if numbers > BLOCKS:
            numbers = -(-numbers // BLOCKS) * BLOCKS
        return replace(made, games=numbers)

    def rows(self, contrast: Contrast) -> list[int]:
        """The fields of a contrast that are asked about."""
        return [n for n, field in enumerate(contrast.opponents) if field.others in self.tables]

    def gain(self, name: str, values: Values, seed: int, times: int) -> _Gain:
        """The difference of win shares to the start."""
        spec = self.told(values)
        if spec == self.start:
            return _Gain(0.0, 0.0)
        contrast = self.contrast(spec, seed, times)
        found = self.differences(self.whole(name, contrast), contrast)
        value = float(found[0].mean())
        return _Gain(value, value)

    def differences(self, result: ResultSet, contrast: Contrast) -> Floats:
        """(1 + B, fields) differences of win shares."""
        totals = leave_one_out(result.sums, ("games", "difference"))
        rows = [1 + n for n in self.rows(contrast)]
        scale = totals["games"] * (WHOLE_WIN * contrast.players)
        return ratio(totals["difference"][:, 0, rows], scale)

    def report(self, values: Values) -> dict[str, Any]:
        """The difference in each field and in their mean."""
        plan, spec = self.plan, self.told(values)
        contrast = self.contrast(spec, stream_seed(plan.base.seed, REPORTING), REPORT)
        result = self.whole("report", contrast)
        found = self.differences(result, contrast)
        squares = result.sums["difference_sq"][0][[1 + n for n in self.rows(contrast)]]
        exact = not squares.any()
        mean = estimate(found.mean(axis=1))
        fields, before, after = [], [], []
        for column, number in enumerate(self.rows(contrast)):
            shares = [self.share(result, contrast, side, number) for side in "ba"]
            before.append(shares[0])
            after.append(shares[1])
            others = contrast.opponents[number].others
            fields.append(
                FieldGain(
                    "+".join(others),
                    wording.opponents(others, contrast.game, contrast.specs),
                    estimate(found[:, column], family=len(self.tables)),
                    *(self.told_share(share) for share in shares),
                )
            )
        sides = tuple(self.told_share(np.mean(some, axis=0)) for some in (before, after))
        improved = is_improved(mean, plan.margin, exact=exact)
        names = plain_names(plan.base.game, (self.start, spec))
        return {
            "difference": Estimate(0.0) if exact else mean,
            "exact": exact,
            "improved": improved,
            "before": Side(self.start, sides[0]),
            "after": Side(spec, sides[1]),
            "fields": tuple(fields),
            "report_games": contrast.games,
            "names": (names[self.start], names[spec]),
        }

    def share(self, result: ResultSet, contrast: Contrast, side: str, number: int) -> Floats:
        """(1 + B,) the win share of a side in a field, over all seats."""
        totals = leave_one_out(result.sums, ("games", side))
        field = contrast.opponents[number]
        if not (field.a if side == "a" else field.b):
            return np.full(len(totals["games"]), 1 / contrast.players)
        won = totals[side][:, 0, number].sum(axis=1)
        return ratio(won, totals["games"][:, 0] * (WHOLE_WIN * contrast.players))

    def told_share(self, share: Floats) -> Estimate:
        """A win share with its interval, if it is not known by the rules."""
        return estimate(share, bounds=(0.0, 1.0))


class _OfRules(_Trial):
    """Settings of the rules: the distance of a figure to the target."""

    def told(self, values: Values) -> str:
        """The settings, as one gives them."""
        return settings_told(
            {knob.name: value for knob, value in zip(self.plan.knobs, values, strict=True)}
        )

    def possible(self, values: Values) -> bool:
        """Whether the settings contradict each other, or a strategy refuses them."""
        return _rules_at(self.plan, self.game, values) is not None

    def experiment(self, values: Values, seed: int, times: int) -> Experiment:
        """What is played of a setting."""
        base = self.plan.base
        rules = base.rules
        if values != self.plan.start:
            rules = _rules_at(self.plan, self.game, values) or rules
        return replace(base.experiment(rules=rules, games=times * base.games), seed=seed)

    def figure(self, result: ResultSet) -> Figure:
        """The metric of a run."""
        found = _figures(result, self.game)
        if self.plan.metric not in found:
            raise UnknownName("metric", self.plan.metric, found)
        return found[self.plan.metric]

    def gain(self, name: str, values: Values, seed: int, times: int) -> _Gain:
        """How near the figure is to the target."""
        result = self.whole(name, self.experiment(values, seed, times))
        value = float(self.figure(result).values[0])
        gap = value - float(self.plan.target or 0.0)
        return _Gain(-gap * gap if math.isfinite(gap) else -math.inf, value)

    def report(self, values: Values) -> dict[str, Any]:
        """Start and finding on the same fresh games."""
        plan, seed = self.plan, stream_seed(self.plan.base.seed, REPORTING)
        target = float(plan.target or 0.0)
        figures = [
            self.figure(self.whole(name, self.experiment(one, seed, REPORT)))
            for name, one in (("report-start", plan.start), ("report", values))
        ]
        start, found = figures
        exact = blocks_that_differ(start, found) == 0
        gain = (
            Estimate(0.0) if exact else difference_of_distances(start.values, found.values, target)
        )
        sides = [
            Side(self.told(one), estimate(f.values, bounds=bounds_of(f, plan.metric)))
            for one, f in ((plan.start, start), (values, found))
        ]
        return {
            "difference": gain,
            "exact": exact,
            "improved": is_improved(gain, plan.margin, exact=exact),
            "before": sides[0],
            "after": sides[1],
            "fields": (),
            "share": found.share,
            "report_games": REPORT * plan.base.games,
        }


def _figures(result: ResultSet, game: Game) -> dict[str, Figure]:
    own: Mapping[str, Floats] = {}
    if result.experiment.detail == "fairness":
        own = study_of(game.name).replicates(result)
    return figures_by_block(result, game, own)


def _rules_at(plan: TunePlan, game: Game, values: Values) -> dict[str, Any] | None:
    """Every setting in force at a setting of the search; None if it cannot be played."""
    chosen = {knob.name: value for knob, value in zip(plan.knobs, values, strict=True)}
    players = plan.base.players
    try:
        settled = settle(game, players, {**plan.given, **chosen})
        for spec in plan.base.specs():
            bind(game.name, spec, settled, players)
    except (PluginError, UnknownName):
        raise
    except UsageError:
        return None
    return settled


# --- the search ----------------------------------------------------------------------------------


def conclude(plan: TunePlan, play: Play) -> Tuned:
    """Search, choose among those that look best, and report on fresh chance.

    Raises
    ------
    NotPlayed
        If a saved run has nothing of it.
    """
    trial = _OfStrategy(plan, play) if plan.what == "strategy" else _OfRules(plan, play)
    if isinstance(play, DryRun):
        _rehearse(plan, trial, play)
        return Tuned(plan, _tuning(plan, trial, None, {}, (), ()), ())
    tried: dict[Values, list[_Gain]] = {}
    evaluations: list[Evaluation] = []
    ended = True
    try:
        for generation, values, gain in _searched(plan, trial):
            tried.setdefault(values, []).append(gain)
            evaluations.append(Evaluation(generation, trial.told(values), gain.value, values))
    except NotPlayed:
        if not evaluations:
            raise
        ended = False
    finalists: list[Finalist] = []
    found: dict[str, Any] = {}
    chosen: Values | None = None
    if ended:
        with contextlib.suppress(NotPlayed):
            chosen, finalists = _choose(plan, trial, _finalists(plan, trial, tried))
            if chosen is not None:
                found = trial.report(chosen)
    return Tuned(
        plan, _tuning(plan, trial, chosen, found, evaluations, finalists), tuple(play.parts)
    )


def _searched(plan: TunePlan, trial: _Trial) -> Iterator[tuple[int, Values, _Gain]]:
    """Settings one after the other, each generation on fresh chance, with what they are worth."""
    if plan.method == "exhaustive":
        seed = stream_seed(plan.base.seed, SEARCHING + 1)
        every = itertools.product(*(knob.values for knob in plan.knobs))
        for number, values in enumerate(every, start=1):
            if trial.possible(values):
                yield 1, values, trial.gain(f"generation-1-{number}", values, seed, 1)
        return
    from cmaes import CMA

    many = len(plan.knobs)
    optimizer = CMA(
        mean=np.array([knob.begin for knob in plan.knobs]),
        sigma=SIGMA,
        bounds=np.array([[0.0, 1.0]] * many),
        seed=stream_seed(plan.base.seed, DRAWING) % 2**32,
        population_size=plan.population,
    )
    for generation in range(1, plan.generations + 1):
        seed = stream_seed(plan.base.seed, SEARCHING + generation)
        known: dict[Values, _Gain] = {}
        told = []
        for _ in range(plan.population):
            u = optimizer.ask()
            values = tuple(knob.at(float(x)) for knob, x in zip(plan.knobs, u, strict=True))
            if values not in known:
                name = f"generation-{generation}-{len(known) + 1}"
                if trial.possible(values):
                    known[values] = trial.gain(name, values, seed, 1)
                    yield generation, values, known[values]
                else:
                    known[values] = _Gain(-math.inf, math.nan)
            worth = known[values].worth
            told.append((u, -worth if math.isfinite(worth) else 1e300))
        optimizer.tell(told)


def _finalists(
    plan: TunePlan, trial: _Trial, tried: Mapping[Values, Sequence[_Gain]]
) -> list[Values]:
    """Those that look best, the start apart; the mean of several looks counts."""
    mean = {values: float(np.mean([g.worth for g in some])) for values, some in tried.items()}
    ranked = sorted(mean, key=lambda values: -mean[values])
    start = trial.told(plan.start)
    return [values for values in ranked if trial.told(values) != start][:FINALISTS]


def _choose(
    plan: TunePlan, trial: _Trial, finalists: Sequence[Values]
) -> tuple[Values | None, list[Finalist]]:
    """The best of those that look best, on a stream of chance of their own."""
    seed = stream_seed(plan.base.seed, CHOOSING)
    gains = [
        trial.gain(f"choice-{number}", values, seed, CHOICE)
        for number, values in enumerate(finalists, start=1)
    ]
    if not gains:
        return None, []
    best = max(range(len(gains)), key=lambda n: gains[n].worth)
    told = [
        Finalist(trial.told(values), gain.value, n == best)
        for n, (values, gain) in enumerate(zip(finalists, gains, strict=True))
    ]
    return finalists[best], told


def _tuning(
    plan: TunePlan,
    trial: _Trial,
    chosen: Values | None,
    found: Mapping[str, Any],
    evaluations: Sequence[Evaluation],
    finalists: Sequence[Finalist],
) -> Tuning:
    base = plan.base
    start = base.strategies[0] if plan.what == "strategy" else trial.told(plan.start)
    improved = found.get("improved")
    parameters = tuple(
        TunedParameter(knob.name, knob.told, knob.start, None if chosen is None else chosen[n])
        for n, knob in enumerate(plan.knobs)
    )
    reported = {key: value for key, value in found.items() if key != "names"}
    empty: dict[str, Any] = {
        "before": None,
        "after": None,
        "difference": Estimate(None),
        "improved": None,
        "exact": False,
        "fields": (),
        "report_games": 0,
        "share": plan.what == "strategy",
    }
    return Tuning(
        **{**empty, **reported},
        game=base.game,
        players=base.players,
        what=plan.what,
        metric=plan.metric,
        target=plan.target,
        method=plan.method,
        parameters=parameters,
        lineup=base.strategies,
        start=start,
        best=trial.told(chosen) if improved is True and chosen is not None else start,
        margin=plan.margin,
        answer=_answer(plan, start, found, evaluations),
        evaluations=tuple(evaluations),
        finalists=tuple(finalists),
        games=base.games,
        seed=base.seed,
    )


def _answer(
    plan: TunePlan, start: str, found: Mapping[str, Any], evaluations: Sequence[Evaluation]
) -> str:
    if not found:
        if len({one.setting for one in evaluations} - {start}) == 0:
            return f"Nothing but {start} was tried, so nothing is known."
        return "The search was not played to its end, so nothing is known yet."
    before, after = found["before"], found["after"]
    improved, exact, difference = found["improved"], found["exact"], found["difference"]
    if plan.what == "strategy":
        return strategy_answer(
            found["names"],
            difference,
            (before.figure, after.figure),
            found["fields"],
            evaluations,
            improved=improved,
            exact=exact,
            margin=plan.margin,
        )
    return rules_answer(
        plan.metric,
        float(plan.target or 0.0),
        found["share"],
        (before, after),
        evaluations,
        improved=improved,
        exact=exact,
    )


def _rehearse(plan: TunePlan, trial: _Trial, play: DryRun) -> None:
    """Play a few games of an evaluation, a choice and the report, to tell how long all take."""
    other = _another(plan, trial)
    evaluations = (
        plan.settings if plan.method == "exhaustive" else plan.generations * plan.population
    )
    seed = plan.base.seed
    for name, many, times in (
        ("generation-1-1", evaluations or 1, 1),
        ("choice-1", FINALISTS, CHOICE),
    ):
        trial.gain(name, other, stream_seed(seed, SEARCHING + 1), times)
        one = play.parts[-1]
        told = "evaluations" if times == 1 else "finalists"
        play.parts[-1] = Part(
            name.partition("-")[0], one.games * many, one.seconds * many, f"{many} {told}"
        )
    trial.report(other)


def _another(plan: TunePlan, trial: _Trial) -> Values:
    """A setting that is not the start and can be played."""
    start = trial.told(plan.start)
    for values in _sampled(plan):
        if trial.told(values) != start and trial.possible(values):
            return values
    raise UsageError("there is nothing to search but the start; give other ranges.")
