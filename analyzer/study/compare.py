"""Two strategies, or two sets of rules, side by side: what is asked, and how it is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from analyzer.contracts import Game
from analyzer.engine.runner import run
from analyzer.errors import ResultsError, UnknownName, UsageError
from analyzer.experiment import BLOCKS, Contrast
from analyzer.plain import item
from analyzer.rules import settle, toml_text
from analyzer.specs import bind
from analyzer.statistics.by_block import figures_by_block
from analyzer.statistics.compare import (
    StrategyComparison,
    compare_strategies,
    same_strategy,
)
from analyzer.statistics.compare_rules import (
    RulesComparison,
    compare_rules,
    rules_told,
)
from analyzer.statistics.margins import WIN_SHARE_MARGIN
from analyzer.statistics.sequential import DifferenceSequence
from analyzer.study.base import study_of
from analyzer.study.finding import Finding, Plan
from analyzer.study.request import Request, make_request
from analyzer.study.stage import Play

if TYPE_CHECKING:
    pass

IDENTITY = "compare"
"""Where the identity of a run says what was compared."""


@dataclass(frozen=True)
class ComparePlan(Plan):
    """What is compared.

    Attributes
    ----------
    base
        For strategies A, then B in every other seat; ``fields`` are A among further opponents.
        For rules the table that plays, by the rules of side A.
    what
        ``"strategies"`` or ``"rules"``.
    rules_b
        Every setting of side B; as in ``base`` for strategies.
    metric
        The figure that decides between rules, or None for all of them.
    """

    base: Request
    what: str
    rules_b: Mapping[str, Any]
    metric: str | None = None

    @property
    def margin(self) -> float:
        """What counts as no difference."""
        return WIN_SHARE_MARGIN if self.base.margin is None else self.base.margin

    def identity(self) -> dict[str, Any]:
        """What two comparisons have in common exactly if they are the same, as plain data."""
        compared = {"what": self.what, "rules_b": dict(self.rules_b), "metric": self.metric}
        return {**self.base.identity(), IDENTITY: compared}

    @property
    def described(self) -> dict[str, Any]:
        """The rules in force, those of both sides where they are what is compared."""
        if self.what == "rules":
            return {"rules_a": dict(self.base.rules), "rules_b": dict(self.rules_b)}
        return super().described

    def contrast(self) -> Contrast:
        """What is played to compare strategies."""
        base = self.base
        return Contrast(
            game=base.game,
            strategies=base.strategies,
            rules=base.rules,
            games=base.games,
            seed=base.seed,
            fields=tuple(field[1:] for field in base.fields),
        )


def plan_strategies(
    game: Game,
    a: str,
    b: str,
    *,
    players: int,
    rules: Mapping[str, Any],
    games: int,
    seed: int,
    fields: Sequence[Sequence[str]] = (),
    margin: float | None = None,
    precision: float | None = None,
) -> ComparePlan:
    """Check every choice of a comparison of two strategies.

    Parameters
    ----------
    fields
        Further opponents: one spec for all, or one for each of the other seats.

    Raises
    ------
    UsageError
        If anything is unknown, out of range or in contradiction.
    """
    if players < 2:
        raise UsageError("strategies are compared at a table of at least 2 players.")
    others = players - 1
    tables = []
    for field in fields:
        if len(field) not in (1, others):
            raise UsageError(
                f"the field {'+'.join(field)!r} has {len(field)} opponents; give one for all, or "
                f"{others} joined by '+': one for each of the other seats of {players} players."
            )
        tables.append((a, *(field if len(field) == others else tuple(field) * others)))
    base = make_request(
        "simulate",
        game,
        strategies=(a, *(b,) * others),
        rules=rules,
        games=games,
        seed=seed,
        fields=tables,
        margin=margin,
        precision=precision,
    )
    return ComparePlan(base, "strategies", base.rules)


def plan_rules(base: Request, rules_b: Mapping[str, Any], metric: str | None = None) -> ComparePlan:
    """Check a comparison of the rules of a request with others.

    Parameters
    ----------
    base
        Who plays, and the rules of side A.
    rules_b
        Settings of side B that differ from the usual ones.
    metric
        The figure that decides, or None for all.

    Raises
    ------
    UsageError
        If anything is unknown or in contradiction.
    """
    if base.precision is not None:
        raise UsageError(
            "a precision is of win shares, where strategies are compared; rules are compared over "
            "the number of games that is given."
        )
    if metric is None and base.margin is not None:
        raise UsageError("a margin is for the figure that decides; name it as the metric.")
    plan = ComparePlan(base, "rules", settle(base.find_game(), base.players, rules_b), metric)
    for spec in base.specs():  # some strategies refuse some rules
        bind(base.game, spec, plan.rules_b, base.players)
    if metric is not None:
        first = run(replace(base.experiment(), games=min(base.games, BLOCKS)))
        own = study_of(base.game)
        names = [*figures_by_block(first, base.find_game(), own.replicates(first)), *own.further]
        if metric not in names:
            raise UnknownName("metric", metric, names, "Without a metric all are told.")
    return plan


def saved_plan(base: Request, identity: Mapping[str, Any]) -> ComparePlan:
    """The plan of a saved comparison; strategies are not loaded, as in `Request.from_json`.

    Raises
    ------
    ResultsError
        If it does not describe a comparison.
    """
    try:
        compared = item(identity, IDENTITY, dict)
        rules = settle(base.find_game(), base.players, item(compared, "rules_b", dict))
        metric = item(compared, "metric", str, type(None))
        what = item(compared, "what", str)
        if what not in ("strategies", "rules"):
            raise ValueError(f"it compares {what!r}")
    except (KeyError, TypeError, ValueError) as reason:
        raise ResultsError(
            "the description of the saved comparison is damaged "
            f"({type(reason).__name__}: {reason})."
        ) from None
    return ComparePlan(base, what, rules, metric)


Compared = Finding[ComparePlan, StrategyComparison | RulesComparison]
"""The answer to a comparison, and what was played for it."""


def conclude(plan: ComparePlan, play: Play) -> Compared:
    """Play what a comparison needs, and draw the conclusion.

    Raises
    ------
    NotPlayed
        If a saved run has nothing of it.
    """
    if plan.what == "rules":
        return Compared(plan, _conclude_rules(plan, play), tuple(play.parts))
    contrast = plan.contrast()
    if contrast.pair[0] == contrast.pair[1]:
        return Compared(plan, same_strategy(contrast, plan.margin), ())
    sequence = DifferenceSequence(contrast, plan.margin, plan.base.precision)
    result = play("main", contrast, sequence)
    return Compared(plan, compare_strategies(result, sequence), tuple(play.parts))


def _conclude_rules(plan: ComparePlan, play: Play) -> RulesComparison:
    """Play by both sets of rules; equal ones once."""
    base, game = plan.base, plan.base.find_game()
    same = dict(base.rules) == dict(plan.rules_b)
    a = play("a", base.experiment())
    b = a if same else play("b", base.experiment(rules=plan.rules_b))
    own = study_of(base.game)
    figures = own.replicates(a), own.replicates(b)
    if plan.metric in own.further:
        one = own.play_further(plan.metric, a, "a", play)
        other = one if same else own.play_further(plan.metric, b, "b", play)
        figures = {plan.metric: one}, {plan.metric: other}
    return compare_rules(
        a,
        b,
        game,
        figures,
        labels=rules_told(base.rules, plan.rules_b, toml_text),
        metric=plan.metric,
        margin=base.margin,
        usual_margins=own.margins(),
    )
