"""The same answers from Python: a function for each command that plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from analyzer.errors import UsageError
from analyzer.plugins import find_game
from analyzer.rules import shown
from analyzer.statistics.compare import StrategyComparison
from analyzer.statistics.compare_rules import RulesComparison
from analyzer.statistics.luck import Luck
from analyzer.statistics.sweep import Sweep
from analyzer.statistics.tables import Fairness, Summary
from analyzer.statistics.tournament import Tournament
from analyzer.statistics.tune import Tuning
from analyzer.study import (
    DEFAULT_GAMES,
    Answer,
    Command,
    Stage,
    WorkerSettings,
    asked_tables,
    check,
    conclude,
    fresh_seed,
    make_request,
    one_a_seat,
    whole,
)
from analyzer.study.compare import ComparePlan, plan_rules, plan_strategies
from analyzer.study.compare import conclude as conclude_comparison
from analyzer.study.finding import Finding, Plan, Result
from analyzer.study.frames import frames
from analyzer.study.luck import LuckPlan
from analyzer.study.luck import conclude as conclude_luck
from analyzer.study.luck import plan as plan_luck
from analyzer.study.sweep import SweepPlan
from analyzer.study.sweep import conclude as conclude_sweep
from analyzer.study.sweep import plan as plan_sweep
from analyzer.study.tournament import TournamentPlan, plan_tournament
from analyzer.study.tournament import conclude as conclude_tournament
from analyzer.study.tune import (
    GAMES as TUNE_GAMES,
)
from analyzer.study.tune import (
    GENERATIONS,
    POPULATION,
    TunePlan,
)
from analyzer.study.tune import conclude as conclude_tuning
from analyzer.study.tune import plan_rules as plan_tuned_rules
from analyzer.study.tune import plan_strategy as plan_tuned_strategy

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Simulation:
    """What `simulate` found."""

    _found: Answer

    @property
    def summary(self) -> Summary:
        """Every figure with its interval."""
        return self._found.summary

    @property
    def answer(self) -> str:
        """One plain sentence that answers the question."""
        return self._found.result.answer

    def to_frame(self) -> pd.DataFrame:
        """One row a seat or, if strategies rotated, a strategy; bounds as NAME_low, NAME_high."""
        tables = self.to_frames()
        return tables["strategies"] if "strategies" in tables else tables["seats"]

    def to_frames(self) -> dict[str, pd.DataFrame]:
        """Every table by name."""
        return frames(self._found.result)

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line prints with ``--json``."""
        return self._found.document()


@dataclass(frozen=True, eq=False)
class FairnessResult(Simulation):
    """What `fairness` found."""

    @property
    def fairness(self) -> Fairness:
        """The verdict and every figure behind it."""
        result = self._found.result
        if not isinstance(result, Fairness):
            raise TypeError("the study of this game concluded without a verdict")
        return result

    @property
    def verdict(self) -> str:
        """The verdict in one word."""
        return self.fairness.verdict


P = TypeVar("P", bound=Plan)
R = TypeVar("R", bound=Result)


@dataclass(frozen=True, eq=False)
class FindingResult(Generic[P, R]):
    """What a command with a plan of its own found."""

    _found: Finding[P, R]
    _table: ClassVar[str]

    @property
    def result(self) -> R:
        """Every figure with its interval."""
        return self._found.result

    @property
    def answer(self) -> str:
        """Plain sentences that answer the question."""
        return self.result.answer

    def to_frame(self) -> pd.DataFrame:
        """The main table; bounds as NAME_low, NAME_high."""
        return self.to_frames()[self._table]

    def to_frames(self) -> dict[str, pd.DataFrame]:
        """Every table by name."""
        return self._found.frames()

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line prints with ``--json``."""
        return self._found.document()


class Comparison(FindingResult[ComparePlan, StrategyComparison | RulesComparison]):
    """What `compare` found; a row of its table is a field of opponents, or a figure."""

    _table = "comparison"

    @property
    def verdict(self) -> str | None:
        """The verdict in one word; None where rules are compared without a metric."""
        return self.result.verdict


class Ranking(FindingResult[TournamentPlan, Tournament]):
    """What `tournament` found; a row of its table is a strategy, the best one first."""

    _table = "ranking"

    @property
    def verdict(self) -> str:
        """The verdict in one word."""
        return self.result.verdict


class LuckResult(FindingResult[LuckPlan, Luck]):
    """What `luck` found; a row of its table is a table of strategies, outcome and source."""

    _table = "luck"


class SweepResult(FindingResult[SweepPlan, Sweep]):
    """What `sweep` found; a row of its table is a point."""

    _table = "sweep"

    @property
    def verdict(self) -> str | None:
        """Whether one value is shown to be best, in one word; None where no figure decides."""
        return self.result.verdict

    @property
    def best(self) -> dict[str, Any] | None:
        """What looks best, by the names of what was varied; None where no figure decides."""
        best = self.result.best
        return None if best is None else dict(self.result.points[best].at)


class TuneResult(FindingResult[TunePlan, Tuning]):
    """What `tune` found; a row of its table is an evaluation."""

    _table = "evaluations"

    @property
    def best(self) -> str:
        """What to use: a spec, or settings; the start, unless an improvement is shown."""
        return self.result.best

    @property
    def improved(self) -> bool | None:
        """Whether there is an improvement; None if it is not known."""
        return self.result.improved


def simulate(
    game: str,
    strategies: str | Sequence[str] | None = None,
    *,
    players: int | None = None,
    games: int = DEFAULT_GAMES,
    seed: int | None = None,
    rules: Mapping[str, Any] | None = None,
    precision: float | None = None,
    jobs: int = 1,
    rotate: bool = False,
) -> Simulation:
    """Play a game many times: who wins how often, and with which scores.

    Parameters
    ----------
    game
        Name of an installed game; ``analyzer games`` lists them.
    strategies
        One spec for all seats, or one a seat, which then sets the number of players; default: the
        game's own.
    players
        Number of players; default: the game's own.
    games
        How many games, 1 to 2^48; with a precision, the most.
    seed
        0 to 2^63-1; default: a fresh one.
    rules
        Settings that differ from the usual ones, such as ``{"bonus": 0}``.
    precision
        Stop when every seat's win share is known to within so much either way.
    jobs
        Workers. With more than one, call this below ``if __name__ == "__main__":``.
    rotate
        Whether strategies move round the seats.

    Raises
    ------
    UsageError
        If anything given is unknown, out of range or in contradiction.
    StrategyFailed
        If a strategy breaks while playing.
    """
    answer = _answer(
        "simulate",
        game,
        strategies,
        players,
        jobs,
        games=games,
        seed=seed,
        rules=rules,
        precision=precision,
        rotate=rotate,
    )
    return Simulation(answer)


def fairness(
    game: str,
    strategies: str | Sequence[str] | None = None,
    *,
    players: int | None = None,
    games: int = DEFAULT_GAMES,
    seed: int | None = None,
    rules: Mapping[str, Any] | None = None,
    precision: float | None = None,
    jobs: int = 1,
    rotate: bool = False,
    fields: Sequence[Sequence[str]] | None = None,
    suggest: bool = False,
    margin: float | None = None,
) -> FairnessResult:
    """Answer the question whether a game is fair.

    Parameters
    ----------
    game, strategies, players, games, seed, rules, precision, jobs, rotate
        As in `simulate`.
    fields
        Further tables of strategies to ask the same for, each a sequence of one spec or one a seat.
        None judges the game's own ways of playing, from careless to thoughtful, if no strategies
        are given; an empty one the main table alone.
    suggest
        Whether to look for rules that would be fairer.
    margin
        What counts as no difference: of win shares (usually 0.005), or in the unit of the figure
        that the game is judged by.

    Raises
    ------
    UsageError, StrategyFailed
        As in `simulate`.
    """
    answer = _answer(
        "fairness",
        game,
        strategies,
        players,
        jobs,
        games=games,
        seed=seed,
        rules=rules,
        precision=precision,
        rotate=rotate,
        fields=fields,
        suggest=suggest,
        margin=margin,
    )
    return FairnessResult(answer)


def compare(
    game: str,
    a: str | None = None,
    b: str | None = None,
    *,
    strategies: str | Sequence[str] | None = None,
    players: int | None = None,
    games: int = DEFAULT_GAMES,
    seed: int | None = None,
    rules: Mapping[str, Any] | None = None,
    rules_a: Mapping[str, Any] | None = None,
    rules_b: Mapping[str, Any] | None = None,
    fields: Sequence[Sequence[str]] = (),
    metric: str | None = None,
    margin: float | None = None,
    precision: float | None = None,
    jobs: int = 1,
    rotate: bool = False,
) -> Comparison:
    """Say which of two strategies, or of two sets of rules, is ahead, on the same chance.

    Parameters
    ----------
    game, players, seed, rules, jobs
        As in `simulate`; ``rules`` hold for both sides.
    a, b
        Two strategies, which are compared in every seat.
    strategies, rotate
        Who plays where rules are compared; as in `simulate`.
    games
        How many games; of strategies the most, since a comparison stops when it is decided.
    rules_a, rules_b
        What only one side has, on top of ``rules``.
    fields
        Opponents of A and B beside themselves: one spec for all, or one for each other seat.
    metric
        The figure that decides between rules; None tells all, without a verdict.
    margin
        What counts as no difference: of win shares (usually 0.005), or in the unit of the metric.
    precision
        Play on until the difference of two strategies is known to within so much either way.

    Raises
    ------
    UsageError
        If anything given is unknown, out of range or in contradiction.
    StrategyFailed
        If a strategy breaks while playing.
    """
    jobs = _jobs(jobs)
    found = find_game(_name(game))
    seed = fresh_seed() if seed is None else seed
    sides = rules_a is not None or rules_b is not None
    if (a is None) != (b is None) or (a is None) != sides:
        raise UsageError("give two strategies, a and b, or rules_a or rules_b, and not both.")
    if a is not None and b is not None:
        if strategies is not None or metric is not None or rotate:
            raise UsageError("strategies, metric and rotate are for comparing rules.")
        plan = plan_strategies(
            found,
            a,
            b,
            players=len(one_a_seat(found, (), players)),
            rules=rules or {},
            games=games,
            seed=seed,
            fields=fields,
            margin=margin,
            precision=precision,
        )
    else:
        if fields:
            raise UsageError("fields are for comparing strategies.")
        base = make_request(
            "fairness",
            found,
            strategies=one_a_seat(found, _specs(strategies), players),
            rules={**(rules or {}), **(rules_a or {})},
            games=games,
            seed=seed,
            rotate=rotate,
            precision=precision,
            margin=margin,
        )
        plan = plan_rules(base, {**(rules or {}), **(rules_b or {})}, metric)
    return Comparison(conclude_comparison(plan, Stage(WorkerSettings(jobs))))


def tournament(
    game: str,
    strategies: Iterable[str] | None = None,
    *,
    players: int | None = None,
    games: int | None = None,
    seed: int | None = None,
    rules: Mapping[str, Any] | None = None,
    margin: float | None = None,
    precision: float | None = None,
    jobs: int = 1,
) -> Ranking:
    """Play every table of some strategies, and say which of them wins most.

    Parameters
    ----------
    game, players, seed, rules, jobs
        As in `simulate`.
    strategies
        Who takes part, at least two; default: all quick ones of the game.
    games
        How many games of each table; default 12,288. With a precision the most, by default 100,000.
    margin
        What counts as no difference of mean win shares, usually 0.005.
    precision
        Stop when every strategy's mean win share is known to within so much either way.

    Raises
    ------
    UsageError
        If anything given is unknown, out of range or in contradiction.
    StrategyFailed
        If a strategy breaks while playing.
    """
    jobs = _jobs(jobs)
    found = find_game(_name(game))
    plan = plan_tournament(
        found,
        _specs(strategies),
        players=len(one_a_seat(found, (), players)),
        rules=rules or {},
        games=games,
        seed=fresh_seed() if seed is None else seed,
        margin=margin,
        precision=precision,
    )
    return Ranking(conclude_tournament(plan, Stage(WorkerSettings(jobs))))


def luck(
    game: str,
    strategies: str | Sequence[str] | None = None,
    *,
    players: int | None = None,
    games: int = DEFAULT_GAMES,
    seed: int | None = None,
    rules: Mapping[str, Any] | None = None,
    jobs: int = 1,
) -> LuckResult:
    """Say where the differences in the result come from: players, sources of chance, the rest.

    Parameters
    ----------
    game, players, seed, rules, jobs
        As in `simulate`.
    strategies
        One spec for all seats, or one a seat; they move round the seats. None takes the game's own
        ways of playing, each by itself and all of them mixed.
    games
        How many games a table; each is played again several times.

    Raises
    ------
    UsageError
        If anything given is unknown, out of range or in contradiction, or if the game does not tell
        its sources of chance apart.
    StrategyFailed
        If a strategy breaks while playing.
    """
    jobs = _jobs(jobs)
    found, specs = find_game(_name(game)), _specs(strategies)
    plan = plan_luck(
        found,
        strategies=tuple(one_a_seat(found, specs, players)),
        rules=rules or {},
        games=games,
        seed=fresh_seed() if seed is None else seed,
        own_tables=not specs,
    )
    return LuckResult(conclude_luck(plan, Stage(WorkerSettings(jobs))))


def sweep(
    game: str,
    vary: str | Sequence[str],
    *,
    strategies: str | Sequence[str] | None = None,
    players: int | None = None,
    games: int = DEFAULT_GAMES,
    seed: int | None = None,
    rules: Mapping[str, Any] | None = None,
    metric: str | None = None,
    target: float | None = None,
    goal: str | None = None,
    jobs: int = 1,
    rotate: bool = False,
) -> SweepResult:
    """Say how figures change with a rule, the players or a strategy, and where one is best.

    Parameters
    ----------
    game, players, games, seed, rules, jobs, rotate
        As in `simulate`; ``games`` are played at each point.
    vary
        One or two texts as on the command line: ``"players=2..6"``, ``"KEY=0,1,3"`` of a setting,
        or a spec with a range or list in place of one value, such as ``"NAME:key=0..2:0.25"``.
    strategies
        Who plays, as in `simulate`; where a strategy is varied, the others at the table.
    metric
        The figure that decides, as in `compare`. None tells all, or, where a strategy is varied,
        takes its win share.
    target
        Best is what brings the metric nearest to it.
    goal
        ``"highest"`` or ``"lowest"`` instead.

    Raises
    ------
    UsageError
        If anything given is unknown, out of range or in contradiction.
    StrategyFailed
        If a strategy breaks while playing.
    """
    jobs = _jobs(jobs)
    texts = (vary,) if isinstance(vary, str) else tuple(vary)
    if not all(isinstance(text, str) for text in texts):
        raise UsageError(f"vary must be one or two strings; given {shown(vary)}.")
    if rules is not None and not isinstance(rules, Mapping):
        raise UsageError(f"rules must be a dictionary; given {shown(rules)}.")
    plan = plan_sweep(
        find_game(_name(game)),
        texts,
        strategies=_specs(strategies),
        players=players,
        rules=rules or {},
        games=games,
        seed=fresh_seed() if seed is None else seed,
        rotate=rotate,
        metric=metric,
        target=target,
        goal=goal,
    )
    return SweepResult(conclude_sweep(plan, Stage(WorkerSettings(jobs))))


def tune(
    game: str,
    strategy: str | Sequence[str] | None = None,
    *,
    vary: Sequence[str] = (),
    fields: Sequence[Sequence[str]] = (),
    rule: str | Sequence[str] = (),
    metric: str | None = None,
    target: float | None = None,
    players: int | None = None,
    games: int = TUNE_GAMES,
    generations: int = GENERATIONS,
    population: int = POPULATION,
    seed: int | None = None,
    rules: Mapping[str, Any] | None = None,
    margin: float | None = None,
    jobs: int = 1,
) -> TuneResult:
    """Search for parameters of a strategy that win more, or for rules that meet a target.

    Parameters
    ----------
    game, players, seed, rules, jobs
        As in `simulate`.
    strategy
        The one to tune, with the values to start from; where rules are tuned, who plays.
    vary
        Which of its parameters, as ``"NAME"`` or ``"NAME=LOW..HIGH"``; none for all.
    fields
        Opponents: one spec for all, or one for each other seat. None for the strategy as it is and
        the game's own ways of playing.
    rule
        Settings to tune instead, as ``"KEY=LOW..HIGH"`` or ``"KEY=A,B,C"``.
    metric, target
        The figure that rules are tuned for, and what it shall be near to.
    games
        Of an evaluation.
    generations, population
        Rounds of the search, and settings tried in each.
    margin
        What counts as no improvement: of win shares (usually 0.005), or in the unit of the metric.

    Raises
    ------
    UsageError
        If anything given is unknown, out of range or in contradiction.
    StrategyFailed
        If a strategy breaks while playing.
    """
    jobs = _jobs(jobs)
    found, specs = find_game(_name(game)), _specs(strategy)
    seed = fresh_seed() if seed is None else seed
    if rules is not None and not isinstance(rules, Mapping):
        raise UsageError(f"rules must be a dictionary; given {shown(rules)}.")
    searched = (rule,) if isinstance(rule, str) else tuple(rule)
    how = {"generations": generations, "population": population}
    if searched:
        if vary or fields:
            raise UsageError("vary and fields are for tuning a strategy.")
        base = make_request(
            "simulate",
            found,
            strategies=one_a_seat(found, specs, players),
            rules=rules or {},
            games=games,
            seed=seed,
            margin=margin,
        )
        plan = plan_tuned_rules(base, searched, rules or {}, metric=metric, target=target, **how)
    else:
        if len(specs) != 1 or metric is not None or target is not None:
            raise UsageError("give one strategy to tune, or a rule with a metric and a target.")
        plan = plan_tuned_strategy(
            found,
            specs[0],
            vary=vary,
            fields=fields,
            players=len(one_a_seat(found, (), players)),
            rules=rules or {},
            games=games,
            seed=seed,
            margin=margin,
            **how,
        )
    return TuneResult(conclude_tuning(plan, Stage(WorkerSettings(jobs))))


def _jobs(jobs: Any) -> int:
    """A number of workers."""
    jobs = whole("jobs", jobs)
    if jobs < 1:
        raise UsageError(f"jobs must be at least 1; given {jobs}.")
    return int(jobs)


def _name(game: Any) -> str:
    """The name of a game."""
    if not isinstance(game, str):
        raise UsageError(f"a game is named by a string; given {shown(game)}.")
    return game


def _answer(
    command: Command,
    game_name: str,
    strategies: str | Sequence[str] | None,
    players: int | None,
    jobs: int,
    *,
    seed: int | None,
    rules: Mapping[str, Any] | None,
    **asked: Any,
) -> Answer:
    jobs = _jobs(jobs)
    game = find_game(_name(game_name))
    specs = _specs(strategies)
    if command == "fairness":
        table, asked["fields"] = asked_tables(game, specs, players, rules or {}, asked["fields"])
    else:
        table = one_a_seat(game, specs, players)
    request = make_request(
        command,
        game,
        strategies=table,
        rules=rules or {},
        seed=fresh_seed() if seed is None else seed,
        **asked,
    )
    check(request)
    stage = Stage(WorkerSettings(jobs))
    result = conclude(request, stage)
    return Answer(request, result, tuple(stage.parts))


def _specs(strategies: str | Iterable[str] | None) -> Sequence[str]:
    """The specs given, in order."""
    if strategies is None:
        return ()
    if isinstance(strategies, str):
        return (strategies,)
    if isinstance(strategies, Iterable) and not isinstance(strategies, (bytes, Set, Mapping)):
        return tuple(strategies)
    raise UsageError(
        f"strategies must be a string, or one string a seat in order; given {shown(strategies)}."
    )
