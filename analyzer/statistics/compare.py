"""Two strategies in the same seat, or two sets of rules, on the same chance: which is ahead.

Strategies: a game number is one observation. It is played with A and with B in every seat among the
same opponents, so that both meet the same deals and throws, and

    D = mean over fields and seats of (A's share of the win - B's)

gets a confidence sequence (`analyzer.statistics.sequential`), which holds although the run stops as
soon as it is decided. What the same chance is worth is the ratio of variances: that of as many
games that have nothing to do with each other, to that of D. It may be below 1: see Glasserman & Yao
(1992), Management Science 38:884.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from analyzer.errors import UsageError
from analyzer.experiment import Contrast
from analyzer.results import ResultSet, checkpoint
from analyzer.specs import plain_names
from analyzer.statistics import margins, wording
from analyzer.statistics.figures import Document, Rows, flat, spelled
from analyzer.statistics.intervals import cross, ratio
from analyzer.statistics.sequential import DifferenceSequence, StrategyVerdict
from analyzer.statistics.tables import Columns, Estimate, columns


@dataclass(frozen=True)
class FieldDifference:
    """How A and B differ among the same opponents.

    ``a`` and ``b`` are their win shares there; one that is known by the rules has no interval.
    ``opponents`` are who else plays, in words.
    """

    field: tuple[str, ...]
    opponents: str
    difference: Estimate
    a: Estimate
    b: Estimate

    @property
    def name(self) -> str:
        """The opponents joined by '+'."""
        return "+".join(self.field)


@dataclass(frozen=True)
class StrategyComparison:
    """Which of two strategies wins more in the same seat.

    ``history`` has columns games, difference, low, high. ``unfinished`` counts, over all tables
    played, games without a winner. ``names`` are A and B in words.
    """

    game: str
    players: int
    a: str
    b: str
    names: tuple[str, str]
    games: int
    seed: int
    margin: float
    precision: float | None
    precision_reached: bool | None
    verdict: StrategyVerdict
    answer: str
    difference: Estimate
    interval_kind: str
    variance_ratio: float | None
    more_games_needed: int | None
    fields: tuple[FieldDifference, ...]
    unfinished: int
    history: Columns
    lineups: int
    """Line-ups that every game number was played with."""

    def document(self) -> Document:
        """As JSON."""
        return {
            "schema": "analyzer/compare/1",
            "what": "strategies",
            "game": self.game,
            "players": self.players,
            "a": self.a,
            "b": self.b,
            "margin": self.margin,
            "verdict": self.verdict,
            "answer": self.answer,
            "games": self.games,
            "seed": self.seed,
            "unfinished": self.unfinished,
            "precision_reached": self.precision_reached,
            **spelled("difference", self.difference),
            "interval_kind": self.interval_kind,
            "variance_ratio": self.variance_ratio,
            "more_games_needed": self.more_games_needed,
            "fields": [
                {
                    "field": field.name,
                    **spelled("difference", field.difference),
                    "a": spelled("win_share", field.a),
                    "b": spelled("win_share", field.b),
                }
                for field in self.fields
            ],
            "metrics": [],
        }

    def frames(self) -> dict[str, Rows | Columns]:
        """The difference in each field, and as games accumulate."""
        mean = {
            "field": "mean",
            "difference": self.difference.value,
            "difference_low": self.difference.low,
            "difference_high": self.difference.high,
        }
        fields = [{"field": field.name, **flat(field)} for field in self.fields]
        return {"comparison": [*fields, mean], "difference_history": self.history}


HISTORY = {"games": int, "difference": float, "low": float, "high": float}


def compare_strategies(result: ResultSet, sequence: DifferenceSequence) -> StrategyComparison:
    """Which of the two strategies of a contrast is ahead.

    Parameters
    ----------
    result
        A contrast's, with at least one game.
    sequence
        The rule that watched it, with all its checkpoints.

    Raises
    ------
    UsageError
        If the result is no contrast's.
    """
    contrast = result.experiment
    if not isinstance(contrast, Contrast):
        raise UsageError("two strategies are compared by a contrast of both.")
    latest = checkpoint(result.games, result.sums)
    found = sequence.intervals(latest)
    fields = _fields(contrast, found)
    verdict = sequence.verdict(found)
    a, b = contrast.pair
    names = plain_names(contrast.game, contrast.specs)
    return StrategyComparison(
        game=contrast.game,
        players=contrast.players,
        a=a,
        b=b,
        names=(names[a], names[b]),
        games=result.games,
        seed=contrast.seed,
        margin=sequence.margin,
        precision=sequence.precision,
        precision_reached=None if sequence.precision is None else sequence.reached,
        verdict=verdict,
        answer=_answer((names[a], names[b]), verdict, found[0], fields, sequence.margin),
        difference=found[0],
        interval_kind="sequence",
        variance_ratio=variance_ratio(result),
        more_games_needed=sequence.more_games(latest) if verdict == "undecided" else None,
        fields=fields,
        unfinished=int(result.sums["unfinished"].sum()),
        history=_history(result, sequence),
        lineups=len(contrast.seatings),
    )


def same_strategy(contrast: Contrast, margin: float) -> StrategyComparison:
    """What is known without playing: a strategy does not differ from itself."""
    a, b = contrast.pair
    zero = Estimate(0.0, 0.0, 0.0)
    return StrategyComparison(
        game=contrast.game,
        players=contrast.players,
        a=a,
        b=b,
        names=(a, b),
        games=0,
        seed=contrast.seed,
        margin=margin,
        precision=None,
        precision_reached=None,
        verdict="equivalent",
        answer=f"Both are {a}: on the same chance the difference is exactly 0, and nothing has to "
        "be played.",
        difference=zero,
        interval_kind="exact",
        variance_ratio=None,
        more_games_needed=None,
        fields=(),
        unfinished=0,
        history=columns([], HISTORY),
        lineups=0,
    )


def variance_ratio(result: ResultSet) -> float | None:
    """Variance of the difference from unrelated games, to that from the same chance.

    Both from the same sums: with single variances of what is won in each seat of each line-up, and
    with that of their sum. None if the difference does not vary.
    """
    n = result.games
    single = 0
    for side in ("a", "b"):
        totals, squares = (result.sums[name][0].sum(axis=-1) for name in (side, f"{side}_sq"))
        single += int(cross(n, squares, totals, totals).sum())
    total, square = (int(result.sums[name][0, 0].sum()) for name in ("difference", "difference_sq"))
    paired = int(cross(n, square, total, total))
    found = float(ratio(single, paired))
    return found if math.isfinite(found) else None


def _fields(contrast: Contrast, found: tuple[Estimate, ...]) -> tuple[FieldDifference, ...]:
    """Each field's difference and the shares behind it, from the means that were watched."""
    equal = 1 / contrast.players
    opponents = contrast.opponents
    both = iter(found[1 + len(opponents) :])
    fields = []
    for field, difference in zip(opponents, found[1:], strict=False):
        if field.a and field.b:
            a, b = (_moved(next(both), equal, 1) for _ in "ab")
        elif field.a:
            a, b = _moved(difference, equal, 1), Estimate(equal)
        else:
            a, b = Estimate(equal), _moved(difference, equal, -1)
        fields.append(
            FieldDifference(
                field.others,
                wording.opponents(field.others, contrast.game, contrast.specs),
                difference,
                a,
                b,
            )
        )
    return tuple(fields)


def _moved(found: Estimate, equal: float, sign: int) -> Estimate:
    """A share from its difference to an equal one."""
    if found.value is None or found.low is None or found.high is None:
        return Estimate(None)
    ends = sorted((equal + sign * found.low, equal + sign * found.high))
    return Estimate(equal + sign * found.value, max(0.0, ends[0]), min(1.0, ends[1]), found.kind)


def _history(result: ResultSet, sequence: DifferenceSequence) -> Columns:
    """The difference with the interval that held at each checkpoint."""
    contrast = result.experiment
    assert isinstance(contrast, Contrast)
    again = DifferenceSequence(contrast, sequence.margin, sequence.precision)
    rows = []
    for point in result.checkpoints:
        again.observe(point)
        found = again.intervals()[0]
        rows.append((point.games, found.value, found.low, found.high))
    return columns(rows, HISTORY)


# --- sentences -----------------------------------------------------------------------------------


def _answer(
    names: tuple[str, str],
    verdict: StrategyVerdict,
    found: Estimate,
    fields: tuple[FieldDifference, ...],
    margin: float,
) -> str:
    """One or two plain sentences."""
    a, b = names
    mean = f" in the mean over {len(fields)} kinds of opponents" if len(fields) > 1 else ""
    if verdict in ("a-better", "b-better"):
        better, worse = (a, b) if verdict == "a-better" else (b, a)
        one = margins.one_in(found.value or 1.0)
        times = "every game" if one == 1 else f"{wording.games(one)}"
        text = (
            f"In the same seat, {better} wins more than {worse}: {wording.points(found)} "
            f"more{mean}, one extra win in {times}."
        )
        return f"{text}{_exceptions(verdict, fields, margin)}"
    if verdict == "depends-on-the-field":
        told = []
        for field in fields:
            sized = margins.judge(field.difference, margin)
            if sized in ("above", "below"):
                ahead = a if sized == "above" else b
                told.append(
                    f"against {field.opponents} {ahead} by {wording.points(field.difference)}"
                )
        return (
            f"Which of {a} and {b} wins more in the same seat depends on the opponents: "
            f"{'; '.join(told)}."
        )
    within = f"{100 * margin:g} percentage points"
    if found.low is None or found.high is None or found.value is None:
        return "Nothing was played, so nothing is known."
    low, high = 100 * found.low, 100 * found.high
    places = wording.decimals(found.value, found.low, found.high, percent=True)
    between = f"{a}'s share of wins less {b}'s is between {low:+.{places}f} and {high:+.{places}f} "
    if verdict == "equivalent":
        return (
            f"In the same seat, {a} and {b} win equally often, give or take {within}{mean}: "
            f"{between}percentage points.{_exceptions(verdict, fields, margin)}"
        )
    return (
        f"Undecided: these games do not settle whether in the same seat {a} or {b} wins more, by "
        f"more than {within}{mean}: {between}percentage points."
    )


def same_chance(worth: float | None) -> str:
    """What it is worth that both sides meet the same chance, in a sentence, from variance_ratio."""
    if worth is None:
        return ""
    if worth < 1:
        return (
            f"Here the same chance does not help: one game tells as much as {worth:.2g} unrelated "
            "ones."
        )
    return f"On the same chance one game tells as much as {worth:.2g} unrelated ones."


def _exceptions(
    verdict: StrategyVerdict, fields: tuple[FieldDifference, ...], margin: float
) -> str:
    """The fields in which what holds in the mean is not shown."""
    wanted = {"a-better": "above", "b-better": "below", "equivalent": "inside"}[verdict]
    others = [f for f in fields if margins.judge(f.difference, margin) != wanted]
    if len(fields) < 2 or not others:
        return ""
    against = wording.listed([f.opponents for f in others])
    if verdict == "equivalent":
        return f" Against {against} alone that is not shown."
    within = f"{100 * margin:g} points"
    return f" Against {against} alone a difference of more than {within} is not shown."
