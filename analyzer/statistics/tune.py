"""Parameters of a strategy that win more, or rules that bring a figure nearer to a target.

Three streams of the seed: of many settings tried on the first the best ones look better than they
are; which of them is taken is told by the second; and how much it gains over what there was, by the
third, on which nothing was chosen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from analyzer.statistics import wording
from analyzer.statistics.figures import Document, Rows, spelled
from analyzer.statistics.sweep import said_target, said_with_interval, spell
from analyzer.statistics.tables import Columns, Estimate

Method = Literal["cma-es", "exhaustive"]


@dataclass(frozen=True)
class TunedParameter:
    """A parameter or setting, and what came of it.

    Attributes
    ----------
    name
        As one gives it.
    values
        What was searched: ``0 to 10``, or the values themselves.
    start, found
        What there was, and what looked best; None where nothing did.
    """

    name: str
    values: str
    start: Any
    found: Any


@dataclass(frozen=True)
class Evaluation:
    """A setting that was tried: in which generation, and what it seemed to be worth.

    ``value`` is the difference of win shares to the start, or the metric; ``at`` the value of each
    parameter.
    """

    generation: int
    setting: str
    value: float
    at: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Finalist:
    """One of the settings that looked best, on the games among which one was chosen."""

    setting: str
    value: float
    chosen: bool


@dataclass(frozen=True)
class Side:
    """The start, or what was found: its setting, and its figure on the games that report."""

    setting: str
    figure: Estimate


@dataclass(frozen=True)
class FieldGain:
    """What was found against the start among the same opponents.

    ``opponents`` are who else plays, in words; a share known by the rules has no interval.
    """

    field: str
    opponents: str
    difference: Estimate
    before: Estimate
    after: Estimate


@dataclass(frozen=True)
class Tuning:
    """What a search found.

    Attributes
    ----------
    what
        ``"strategy"`` or ``"rules"``.
    metric, target
        Of rules; the metric of a strategy is its win share.
    best
        What to use, ready to paste: what was found if it is an improvement, the start otherwise.
    before, after
        The start and what was found, on fresh games; None if these were not played.
    difference
        Of a strategy the gain in win share; of rules how much nearer to the target.
    improved
        True if shown, False if it is worse or the gain is within the margin, None otherwise.
    exact
        No game differs in it.
    games, report_games
        Games of an evaluation, over all line-ups, and of each side of the report.
    """

    game: str
    players: int
    what: Literal["strategy", "rules"]
    metric: str
    share: bool
    target: float | None
    method: Method
    parameters: tuple[TunedParameter, ...]
    lineup: tuple[str, ...]
    start: str
    best: str
    before: Side | None
    after: Side | None
    difference: Estimate
    margin: float
    improved: bool | None
    exact: bool
    answer: str
    fields: tuple[FieldGain, ...]
    evaluations: tuple[Evaluation, ...]
    finalists: tuple[Finalist, ...]
    games: int
    report_games: int
    seed: int

    @property
    def generations(self) -> list[list[Evaluation]]:
        """The evaluations of each generation."""
        last = max((one.generation for one in self.evaluations), default=0)
        every: list[list[Evaluation]] = [[] for _ in range(last)]
        for one in self.evaluations:
            every[one.generation - 1].append(one)
        return every

    def better(self, evaluations: Sequence[Evaluation]) -> Evaluation:
        """The one that looks best."""
        if self.target is None:
            return max(evaluations, key=lambda one: one.value)
        target = self.target
        return min(evaluations, key=lambda one: abs(one.value - target))

    def trace(self) -> Rows:
        """A row a generation: how many were evaluated, the best of them, their mean."""
        rows = []
        for number, some in enumerate(self.generations, start=1):
            if some:
                best = self.better(some)
                mean = math.fsum(one.value for one in some) / len(some)
                row = {"generation": number, "evaluations": len(some), "best": best.setting}
                rows.append({**row, "value": best.value, "mean": mean})
        return rows

    def document(self) -> Document:
        """As JSON."""
        name = self.metric
        sides = {
            key: None
            if side is None
            else {"setting": side.setting, **spelled(name, side.figure), "games": self.report_games}
            for key, side in (("before", self.before), ("after", self.after))
        }
        return {
            "schema": "analyzer/tune/1",
            "game": self.game,
            "players": self.players,
            "what": self.what,
            "metric": name,
            "target": self.target,
            "method": self.method,
            "strategies": list(self.lineup),
            "parameters": [
                {"name": p.name, "values": p.values, "start": p.start, "found": p.found}
                for p in self.parameters
            ],
            "start": self.start,
            "best": self.best,
            **sides,
            "improved": self.improved,
            "answer": self.answer,
            "margin": self.margin,
            **spelled("difference", self.difference),
            "fields": [
                {
                    "field": field.field,
                    **spelled("difference", field.difference),
                    "before": spelled("win_share", field.before),
                    "after": spelled("win_share", field.after),
                }
                for field in self.fields
            ],
            "finalists": [
                {"setting": one.setting, "value": one.value, "chosen": one.chosen}
                for one in self.finalists
            ],
            "trace": self.trace(),
            "evaluations": len(self.evaluations),
            "games": self.games,
            "seed": self.seed,
        }

    def frames(self) -> dict[str, Rows | Columns]:
        """Every evaluation; the parameters; what was found, field by field."""
        found: dict[str, Rows | Columns] = {
            "evaluations": [
                {
                    "generation": one.generation,
                    "setting": one.setting,
                    "value": one.value,
                    **{
                        p.name: x if isinstance(x, (bool, int, float)) else spell(x)
                        for p, x in zip(self.parameters, one.at, strict=False)
                    },
                }
                for one in self.evaluations
            ],
            "parameters": [
                {
                    "name": p.name,
                    "values": p.values,
                    "start": spell(p.start),
                    "found": spell(p.found),
                }
                for p in self.parameters
            ],
        }
        rows = []
        for field in self.fields:
            row: dict[str, Any] = {"field": field.field}
            for name in ("difference", "before", "after"):
                one: Estimate = getattr(field, name)
                row |= {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
            rows.append(row)
        if rows:
            found["fields"] = rows
        return found


def is_improved(found: Estimate, margin: float, *, exact: bool) -> bool | None:
    """Whether a gain is shown; False if it is none or within the margin, None if not known."""
    low, high = found.low, found.high
    if exact or low is None or high is None:
        return None
    if -margin <= low and high <= margin:
        return False
    if low > 0:
        return True
    return False if high < 0 else None


# --- sentences -----------------------------------------------------------------------------------


def tries(evaluations: Sequence[Evaluation]) -> str:
    """How many settings were tried, in words."""
    many = len({one.setting for one in evaluations})
    return "one setting" if many == 1 else f"{wording.count(many)} settings"


def strategy_answer(
    names: tuple[str, str],
    difference: Estimate,
    sides: tuple[Estimate, Estimate],
    fields: Sequence[FieldGain],
    evaluations: Sequence[Evaluation],
    *,
    improved: bool | None,
    exact: bool,
    margin: float,
) -> str:
    """Whether the strategy could be improved; ``names`` are the start and what was found."""
    start, found = names
    tried = tries(evaluations)
    if exact:
        return (
            f"{start} could not be improved within {tried}: not one game goes otherwise with the "
            f"best found, {found}."
        )
    mean = f" in the mean over {len(fields)} kinds of opponents" if len(fields) > 1 else ""
    if improved:
        before, after = (wording.percent(side) for side in sides)
        text = (
            f"{found} wins more than {start} in the same seat: {wording.points(difference)} "
            f"more{mean}, {after} against {before}, on fresh games."
        )
        worse = [
            f.opponents for f in fields if f.difference.high is not None and f.difference.high < 0
        ]
        if worse:
            text += f" Among {wording.listed(worse)} it wins less."
        return text
    if difference.value is None or difference.low is None or difference.high is None:
        return f"Too few games were played to say whether {start} could be improved."
    low, high = 100 * difference.low, 100 * difference.high
    places = wording.decimals(difference.value, difference.low, difference.high, percent=True)
    between = f"between {low:+.{places}f} and {high:+.{places}f} percentage points"
    if improved is None:
        return (
            f"{start} could not be improved within {tried}: the best found, {found}, is not shown "
            f"to win more on fresh games ({between}{mean})."
        )
    if high < 0:
        return (
            f"{start} could not be improved within {tried}: the best found, {found}, wins less on "
            f"fresh games ({between}{mean})."
        )
    return (
        f"{start} could not be improved by more than {100 * margin:g} percentage points within "
        f"{tried}: the best found, {found}, wins {between} more on fresh games{mean}."
    )


def rules_answer(
    metric: str,
    target: float,
    share: bool,
    sides: tuple[Side, Side],
    evaluations: Sequence[Evaluation],
    *,
    improved: bool | None,
    exact: bool,
) -> str:
    """Whether other rules come nearer to the target."""
    before, after = sides
    what, goal = wording.label(metric), said_target(target, share)
    tried = tries(evaluations)
    figure = said_with_interval(after.figure, share)
    if exact:
        return f"Of {tried} none changes the {what}: not one game differs with {after.setting}."
    if improved:
        was = said_with_interval(before.figure, share)
        text = (
            f"{after.setting} brings {what} to {figure} on fresh games; with {before.setting} it "
            f"is {was}."
        )
        low, high = after.figure.low, after.figure.high
        if low is not None and high is not None:
            if low <= target <= high:
                text += f" The target, {goal}, is within that."
            else:
                text += f" The target, {goal}, is not within that; of {tried} it looked nearest."
        return text
    far = said_with_interval(before.figure, share)
    if improved is None:
        return (
            f"Of {tried} none is shown to bring {what} nearer to {goal} than {before.setting}, "
            f"with {far}: the best found, {after.setting}, has {figure} on fresh games."
        )
    return (
        f"Of {tried} none brings {what} nearer to {goal} than {before.setting}, with {far}: the "
        f"best of the others, {after.setting}, has {figure} on fresh games."
    )


def settings_told(settings: Mapping[str, Any]) -> str:
    """Settings ready to paste after ``--set``: ``key=8 other=true``."""
    return " ".join(f"{key}={spell(value)}" for key, value in settings.items())
