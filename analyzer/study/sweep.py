"""A game at several values of something: what is asked, and how it is answered."""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from analyzer.contracts import BLOCKS, Game
from analyzer.engine.runner import run
from analyzer.errors import PluginError, ResultsError, UnknownName, UsageError
from analyzer.experiment import Experiment
from analyzer.kernels.random import stream_seed
from analyzer.plain import item, items, typed
from analyzer.results import ResultSet
from analyzer.rules import settle, shown
from analyzer.specs import bind
from analyzer.statistics import wording
from analyzer.statistics.best import Goal, Standing, compare_with_best
from analyzer.statistics.by_block import Figure, figures_by_block
from analyzer.statistics.intervals import estimate
from analyzer.statistics.sweep import (
    Axis,
    Sweep,
    SweptPoint,
    all_told,
    answer_of,
    bounds_of,
    edges,
    point_estimates,
    said_at,
    stacked,
    verdict_of,
)
from analyzer.statistics.tables import Estimate
from analyzer.study.base import study_of
from analyzer.study.finding import Finding, Plan
from analyzer.study.request import Request, make_request
from analyzer.study.stage import DryRun, NotPlayed, Part, Play
from analyzer.study.varying import MOST_AXES, MOST_POINTS, read_axes, setups

if TYPE_CHECKING:
    pass

IDENTITY = "sweep"
"""Where the identity of a run says what was varied."""
FRESH = 2
"""Stream of the seed that the best is estimated on."""
WIN_SHARE = "win_share"
"""The mean win share of the strategy that is varied, over the seats."""
TRIALS = 8
"""Points of which a dry run plays a few games."""
GOALS: tuple[Goal, ...] = ("highest", "lowest", "target")


class SweepPoint(NamedTuple):
    """A point: its values by axis, who plays, by which rules, and which strategy is varied."""

    values: tuple[Any, ...]
    strategies: tuple[str, ...]
    rules: Mapping[str, Any]
    varied: str | None


@dataclass(frozen=True)
class SweepPlan(Plan):
    """What is varied.

    Attributes
    ----------
    base
        The first point, as a request.
    axes
        One or two.
    points
        In order; the last axis moves first.
    metric, goal, target
        Which figure is to be what, or None for all figures.
    """

    base: Request
    axes: tuple[Axis, ...]
    points: tuple[SweepPoint, ...]
    metric: str | None = None
    goal: Goal | None = None
    target: float | None = None

    def identity(self) -> dict[str, Any]:
        """What two sweeps have in common exactly if they are the same, as plain data."""
        swept = {
            "axes": [{**vars(axis), "values": list(axis.values)} for axis in self.axes],
            "points": [
                {
                    "values": list(point.values),
                    "strategies": list(point.strategies),
                    "rules": dict(point.rules),
                    "varied": point.varied,
                }
                for point in self.points
            ],
            "metric": self.metric,
            "goal": self.goal,
            "target": self.target,
        }
        return {**self.base.identity(), IDENTITY: swept}

    @property
    def described(self) -> dict[str, Any]:
        """Who plays, and the rules that are not varied."""
        varied = {axis.name for axis in self.axes}
        rules = {key: value for key, value in self.base.rules.items() if key not in varied}
        return {"strategies": list(self.base.strategies), "rules": rules}

    def experiment(self, point: SweepPoint, *, fresh: bool = False) -> Experiment:
        """What is played at a point."""
        found = self.base.experiment(strategies=point.strategies, rules=point.rules)
        return replace(found, seed=stream_seed(found.seed, FRESH)) if fresh else found

    def label(self, point: SweepPoint) -> str:
        """A point in words."""
        names = [axis.name for axis in self.axes]
        return said_at(self.axes, dict(zip(names, point.values, strict=True)))


def plan(
    game: Game,
    vary: Sequence[str],
    *,
    strategies: Sequence[str] = (),
    players: int | None = None,
    rules: Mapping[str, Any],
    games: int,
    seed: int,
    rotate: bool = False,
    metric: str | None = None,
    target: float | None = None,
    goal: str | None = None,
) -> SweepPlan:
    """Check every choice, at every point.

    Parameters
    ----------
    vary
        As on the command line; see `analyzer.study.varying`.
    strategies
        None, one for all seats, or several; with a varied strategy the others at the table.
    rules
        The settings given, and no others.
    metric
        The figure that decides; None tells all, or, where a strategy is varied, takes its highest
        win share.
    target
        What the figure shall be near to.
    goal
        ``"highest"`` or ``"lowest"`` instead.

    Raises
    ------
    UsageError
        If anything is unknown or in contradiction, with the point at which it is.
    """
    axes, varied = read_axes(game, vary, strategies)
    found = setups(
        game,
        axes,
        varied,
        strategies=strategies,
        players=players,
        rules=rules,
    )
    metric, what, target = _goal(metric, target, goal, varied=varied is not None)
    points = []
    for setup in found:
        here = SweepPoint(setup.values, (), setup.rules, None)
        try:
            bound = [
                bind(game.name, spec, setup.rules, len(setup.strategies)).spec
                for spec in setup.strategies
            ]
        except (PluginError, UnknownName):
            raise
        except UsageError as reason:
            names = [axis.name for axis in axes]
            where = said_at(axes, dict(zip(names, setup.values, strict=True)))
            raise UsageError(f"{where} cannot be played: {reason}") from None
        own = None if setup.varied is None else bound[setup.strategies.index(setup.varied)]
        points.append(here._replace(strategies=tuple(bound), varied=own))
    first = points[0]
    base = make_request(
        "fairness",
        game,
        strategies=first.strategies,
        rules=first.rules,
        games=games,
        seed=seed,
        rotate=rotate or varied is not None,
    )
    made = SweepPlan(base, axes, tuple(points), metric, what, target)
    if metric is not None:
        known, last = (set(_tried(made, game, points[number])) for number in (0, -1))
        if metric not in known & last:
            raise UnknownName("metric", metric, known & last, "Without a metric all are told.")
    return made


def _goal(
    metric: str | None, target: float | None, goal: str | None, *, varied: bool
) -> tuple[str | None, Goal | None, float | None]:
    """Which figure is to be what."""
    if target is not None and goal is not None:
        raise UsageError(f"a target and the {goal} figure are both asked for; leave one out.")
    if goal is not None and goal not in ("highest", "lowest"):
        raise UsageError(f"goal must be 'highest' or 'lowest'; given {shown(goal)}.")
    if target is not None and not math.isfinite(target):
        raise UsageError(f"target must be a number; given {shown(target)}.")
    what: Goal | None = "target" if target is not None else None
    if goal is not None:
        what = "highest" if goal == "highest" else "lowest"
    if metric is None and varied:
        metric = WIN_SHARE
    if metric is None and what is not None:
        raise UsageError("the best is the best of one figure; name it with --metric.")
    if metric == WIN_SHARE and varied and what is None:
        what = "highest"
    if metric is not None and what is None:
        raise UsageError(
            f"say what {metric} is to be: --target X for the nearest to X, --highest or --lowest."
        )
    return metric, what, None if target is None else float(target)


def _tried(made: SweepPlan, game: Game, point: SweepPoint) -> dict[str, Figure]:
    """The figures of a few games at a point."""
    experiment = made.experiment(point)
    few = run(replace(experiment, games=min(experiment.games, BLOCKS)))
    return _figures(few, game, point)


def saved_plan(base: Request, identity: Mapping[str, Any]) -> SweepPlan:
    """The plan of a saved sweep; strategies are not loaded, as in `Request.from_json`.

    Raises
    ------
    ResultsError
        If it does not describe a sweep.
    """
    game = base.find_game()
    number = int, float
    try:
        swept = item(identity, IDENTITY, dict)
        axes = tuple(
            Axis(
                item(one, "name", str),
                tuple(item(one, "values", list)),
                item(one, "kind", str),
                item(one, "numeric", bool),
                item(one, "low", type(None), *number),
                item(one, "high", type(None), *number),
            )
            for one in items(swept, "axes", dict)
        )
        points = []
        for one in items(swept, "points", dict):
            seats = items(one, "strategies", str)
            values = tuple(item(one, "values", list))
            if not 1 <= len(axes) <= MOST_AXES or len(values) != len(axes):
                raise ValueError("a point has not a value for each axis")
            rules = settle(game, len(seats), item(one, "rules", dict))
            varied = item(one, "varied", str, type(None))
            points.append(SweepPoint(values, seats, rules, varied))
        metric = item(swept, "metric", str, type(None))
        goal = typed(swept["goal"], "'goal'", str, type(None))
        if goal not in (None, *GOALS) or (goal is None) != (metric is None) or not points:
            raise ValueError("it does not say what is best")
        if max(len(points), *(len(axis.values) for axis in axes)) > MOST_POINTS:
            raise ValueError(f"it has more than {MOST_POINTS} points")
        target = item(swept, "target", float, type(None))
    except (KeyError, TypeError, ValueError) as reason:
        raise ResultsError(
            f"the description of the saved sweep is damaged ({type(reason).__name__}: {reason})."
        ) from None
    what = next((one for one in GOALS if one == goal), None)
    return SweepPlan(base, axes, tuple(points), metric, what, target)


Swept = Finding[SweepPlan, Sweep]
"""The answer to a sweep, and what was played for it."""


class _Played(NamedTuple):
    """What is kept of a point: its sums would take a megabyte each."""

    point: SweepPoint
    games: int
    unfinished: int
    figures: Mapping[str, Figure]
    made: list[int]


def conclude(plan: SweepPlan, play: Play) -> Swept:
    """Play every point, and the best once more on fresh games.

    Raises
    ------
    NotPlayed
        If a saved run has nothing of it.
    """
    game = plan.base.find_game()
    if isinstance(play, DryRun):
        return _rehearse(plan, game, play)
    played: list[_Played] = []
    missing = NotPlayed("No point was played yet.")
    for number, point in enumerate(plan.points, start=1):
        with contextlib.suppress(NotPlayed):
            result = play(f"point-{number}", plan.experiment(point))
            played.append(_kept(result, game, point, plan.metric))
    if not played:
        raise missing
    most = max(one.games for one in played)  # of an interrupted run a point may have fewer
    played = [one for one in played if one.games == most]
    return Swept(plan, _result(plan, game, played, play), tuple(play.parts))


def _rehearse(plan: SweepPlan, game: Game, play: DryRun) -> Swept:
    """Play a few games at some of the points; the others take as long as these on average."""
    many = len(plan.points)
    tried = {round(k * (many - 1) / (TRIALS - 1)) for k in range(TRIALS)}
    parts: list[Part | None] = []
    result: ResultSet | None = None
    for number, point in enumerate(plan.points):
        if number in tried:
            result = play(f"point-{number + 1}", plan.experiment(point))
            parts.append(play.parts[-1])
        else:
            parts.append(None)
    known = [part.seconds for part in parts if part is not None]
    usual = sum(known) / len(known)
    games = plan.base.games
    whole = [
        part or Part(f"point-{number}", games, usual, plan.label(point))
        for number, (part, point) in enumerate(zip(parts, plan.points, strict=True), start=1)
    ]
    if plan.metric is not None:
        whole.append(Part("fresh", games, usual, "the best of these, on fresh games"))
    play.parts[:] = whole
    assert result is not None
    one = _kept(result, game, plan.points[-1], None)
    nothing = replace(plan, metric=None, goal=None, target=None)
    return Swept(plan, _result(nothing, game, [one], play), ())


def _kept(result: ResultSet, game: Game, point: SweepPoint, metric: str | None) -> _Played:
    found = _figures(result, game, point)
    made: list[int] = []
    if metric is not None:
        if metric not in found:
            raise UnknownName("metric", metric, found, "Without a metric all are told.")
        made = _made_of(found[metric])
        found = {metric: found[metric]}
    light = {name: figure._replace(parts=()) for name, figure in found.items()}
    unfinished = int(result.sums["unfinished"].sum())
    return _Played(point, result.games, unfinished, light, made)


def _figures(result: ResultSet, game: Game, point: SweepPoint) -> dict[str, Figure]:
    """The figures of a point; what the varied strategy wins goes by the same name at all."""
    found = figures_by_block(result, game, study_of(game.name).replicates(result))
    if point.varied is None:
        return found
    others = [name for name in found if name.startswith(f"{WIN_SHARE}_")]
    own = found.pop(f"{WIN_SHARE}_{point.varied}")
    row = result.experiment.holders.index(point.varied)
    wins = result.sums["wins"]
    share = Figure(own.values, (wins[row : row + 1],), share=True)
    return {WIN_SHARE: share, **{n: f for n, f in found.items() if n not in others}}


def _made_of(figure: Figure) -> list[int]:
    """A number for each of the blocks that hold games: what the figure is made of there."""
    blocks = len(figure.values) - 1
    found = []
    for block in range(blocks):
        digest = hashlib.sha256()
        for part in figure.parts:
            digest.update(repr(part.shape[:-1]).encode())
            digest.update(np.ascontiguousarray(part[..., block]).tobytes())
        found.append(int.from_bytes(digest.digest()[:8], "big"))
    return found


def _result(plan: SweepPlan, game: Game, played: Sequence[_Played], play: Play) -> Sweep:
    axes, metric, goal = plan.axes, plan.metric, plan.goal
    names = [n for n in played[0].figures if all(n in one.figures for one in played)]
    by_name = {n: [one.figures[n] for one in played] for n in names}
    estimates = {n: point_estimates(figures, n) for n, figures in by_name.items()}
    points = [
        SweptPoint(
            dict(zip((axis.name for axis in axes), one.point.values, strict=True)),
            one.point.varied,
            len(one.point.strategies),
            {n: estimates[n][number] for n in names},
        )
        for number, one in enumerate(played)
    ]
    best: int | None = None
    fresh, bound, verdict = Estimate(None), None, None
    edge: dict[str, str] = {}
    changing: tuple[str, ...] = ()
    if metric is None or goal is None:
        answer, changing = all_told(axes, points, by_name)
    else:
        standing = _standing(by_name[metric], [one.made for one in played], goal, plan.target)
        if standing is None:
            answer = f"Nothing can be said of the {metric.replace('_', ' ')}: no game tells it."
        else:
            best, bound = standing.best, standing.loss_bound
            edge = edges(axes, points[best].at)
            verdict = verdict_of(standing, len(points))
            chosen = set(standing.candidates)
            points = [
                replace(p, standing=_word(number, best, chosen, p.figures[metric]))
                for number, p in enumerate(points)
            ]
            with contextlib.suppress(NotPlayed):
                fresh = _fresh(plan, game, played[best].point, metric, play)
            share = by_name[metric][0].share
            answer = answer_of(
                axes, points, standing, fresh, metric, goal, plan.target, share, edge
            )
    base = plan.base
    answer += _others_that_change(plan)
    return Sweep(
        game=base.game,
        axes=axes,
        lineup=base.strategies,
        rotate=base.rotate,
        games=played[0].games,
        seed=base.seed,
        metric=metric,
        goal=goal,
        target=plan.target,
        shares=frozenset(n for n, figures in by_name.items() if figures[0].share),
        of={n: f[0].games for n, f in by_name.items() if f[0].games is not None},
        points=tuple(points),
        best=best,
        fresh=fresh,
        loss_bound=bound,
        edge=edge,
        verdict=verdict,
        answer=answer,
        unfinished=sum(one.unfinished for one in played),
        whole=next((m.whole for m in game.metrics if m.when and base.rules[m.when]), "game"),
        changing=changing,
    )


def _others_that_change(plan: SweepPlan) -> str:
    """Says which settings follow from the number of players, where that is varied."""
    varied = {axis.name for axis in plan.axes}
    if "players" not in varied:
        return ""
    first = plan.points[0].rules
    also = [
        name
        for name in first
        if name not in varied and any(p.rules.get(name) != first[name] for p in plan.points)
    ]
    if not also:
        return ""
    verb = "changes" if len(also) == 1 else "change"
    return f" By the rules {wording.listed(also)} {verb} with the players, too."


def _standing(
    figures: Sequence[Figure], made: Sequence[list[int]], goal: Goal, target: float | None
) -> Standing | None:
    """Which point is best; those whose figure is unknown, in whole or in part, stand apart."""
    known = [n for n, figure in enumerate(figures) if np.isfinite(figure.values).all()]
    if not known:
        return None
    values = stacked([figures[n] for n in known])
    found = compare_with_best(values, [made[n] for n in known], goal, target or 0.0)
    candidates = tuple(known[n] for n in found.candidates)
    return found._replace(best=known[found.best], candidates=candidates)


def _word(number: int, best: int, candidates: set[int], figure: Estimate) -> Any:
    if number == best:
        return "best"
    if number in candidates:
        return "candidate"
    return "worse" if figure.value is not None else ""


def _fresh(plan: SweepPlan, game: Game, point: SweepPoint, metric: str, play: Play) -> Estimate:
    """The figure of the best point on games that had no part in choosing it."""
    result = play("fresh", plan.experiment(point, fresh=True))
    found = _figures(result, game, point)
    if metric not in found:
        return Estimate(None)
    return estimate(found[metric].values, bounds=bounds_of(found[metric], metric))
