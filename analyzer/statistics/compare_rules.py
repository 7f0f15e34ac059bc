"""Two sets of rules on the same chance: by how much each figure differs.

Both runs play games of the same numbers, so a difference is taken block by block, as in
`analyzer.statistics.sensitivity`: d(-b) = t_A(-b) - t_B(-b), and the delete-a-block jackknife of d
gives its interval. The number of games is fixed beforehand, so the ordinary interval is right.
Without a figure that decides, all are told, with intervals that hold together (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from analyzer.contracts import Game
from analyzer.errors import UnknownName
from analyzer.results import ResultSet
from analyzer.statistics import margins, wording
from analyzer.statistics.by_block import Figure, blocks_that_differ, figures_by_block
from analyzer.statistics.figures import Document, Rows, flat, spelled
from analyzer.statistics.intervals import (
    MIN_GAMES,
    Floats,
    difference,
    estimate,
    quantile,
    standard_error,
)
from analyzer.statistics.tables import Columns, Estimate

RulesVerdict = Literal["a-higher", "b-higher", "equivalent", "undecided"]


@dataclass(frozen=True)
class FigureDifference:
    """A figure under both sets of rules, and A's less B's.

    ``exact`` says that no game differs in what the figure is made of; ``games`` are those that it
    is of: what is known game by game is of the first ones.
    """

    metric: str
    a: Estimate
    b: Estimate
    difference: Estimate
    share: bool
    exact: bool
    games: int


@dataclass(frozen=True)
class RulesComparison:
    """How figures differ between two sets of rules.

    ``a`` and ``b`` are the settings that differ, as text. With a ``metric`` the figures are that
    one alone, and there is a verdict.
    """

    game: str
    players: int
    lineup: tuple[str, ...]
    a: str
    b: str
    games: int
    seed: int
    metric: str | None
    margin: float | None
    verdict: RulesVerdict | None
    answer: str
    variance_ratio: float | None
    more_games_needed: int | None
    figures: tuple[FigureDifference, ...]
    unfinished: int
    whole: str = "game"

    @property
    def recorded(self) -> str:
        """Which figures are of the first games only, in a sentence; empty if none is."""
        some = [figure for figure in self.figures if figure.games < self.games]
        if not some:
            return ""
        names = wording.listed([wording.label(figure.metric) for figure in some])
        verb = "is" if len(some) == 1 else "are"
        games = wording.games(some[0].games, self.whole)
        return f"{names[:1].upper()}{names[1:]} {verb} of the first {games}."

    @property
    def interval_kind(self) -> str:
        """How intervals are made."""
        return "simultaneous" if self.metric is None else "jackknife"

    def document(self) -> Document:
        """As JSON."""
        own = self.figures[0].difference if self.metric is not None else Estimate(None)
        return {
            "schema": "analyzer/compare/1",
            "what": "rules",
            "game": self.game,
            "players": self.players,
            "strategies": list(self.lineup),
            "a": self.a,
            "b": self.b,
            "metric": self.metric,
            "margin": self.margin,
            "verdict": self.verdict,
            "answer": self.answer,
            "games": self.games,
            "seed": self.seed,
            "unfinished": self.unfinished,
            **spelled("difference", own),
            "interval_kind": self.interval_kind,
            "variance_ratio": self.variance_ratio,
            "more_games_needed": self.more_games_needed,
            "fields": [],
            "metrics": [
                {
                    "metric": figure.metric,
                    **spelled("a", figure.a),
                    **spelled("b", figure.b),
                    **spelled("difference", figure.difference),
                    "games": figure.games,
                }
                for figure in self.figures
            ],
        }

    def frames(self) -> dict[str, Rows | Columns]:
        """A row a figure."""
        return {"comparison": [flat(figure) for figure in self.figures]}


def compare_rules(
    a: ResultSet,
    b: ResultSet,
    game: Game,
    own: tuple[Mapping[str, Floats], Mapping[str, Floats]],
    *,
    labels: tuple[str, str],
    metric: str | None,
    margin: float | None,
    usual_margins: Mapping[str, float],
) -> RulesComparison:
    """By how much figures differ between two sets of rules.

    Parameters
    ----------
    a, b
        Runs of the same table with the same seed.
    game
        Their game.
    own
        Figures that the game's study adds for each, with replicates.
    labels
        The settings that differ, as text.
    metric
        The figure that decides, or None.
    margin
        What counts as no difference of it; None = the usual.
    usual_margins
        By figure; of shares it is that of win shares, and of others 0.

    Raises
    ------
    UnknownName
        If there is no such figure.
    """
    sides = [figures_by_block(run, game, more) for run, more in zip((a, b), own, strict=True)]
    names = [name for name in sides[0] if name in sides[1]]
    if metric is not None:
        if metric not in names:
            raise UnknownName("metric", metric, names)
        names = [metric]
    figures = tuple(
        _difference(name, sides[0][name], sides[1][name], (a, b), len(names)) for name in names
    )
    verdict = more = worth = None
    if metric is None:
        answer = _all_told(figures, labels)
    else:
        (figure,) = figures
        if margin is None:
            usual = margins.WIN_SHARE_MARGIN if figure.share else 0.0
            margin = usual_margins.get(metric, usual)
        verdict = _verdict(figure, margin)
        answer = _answer(figure, verdict, labels, margin)
        worth = _variance_ratio(sides[0][metric].values, sides[1][metric].values)
        if verdict == "undecided" and figure.games == a.games:
            more = _more_games(figure.difference, margin, a.games)
    whole = next((m.whole for m in game.metrics if m.when and a.experiment.rules[m.when]), "game")
    return RulesComparison(
        game=a.experiment.game,
        players=a.experiment.players,
        lineup=a.experiment.strategies,
        a=labels[0],
        b=labels[1],
        games=a.games,
        seed=a.experiment.seed,
        metric=metric,
        margin=margin,
        verdict=verdict,
        answer=answer,
        variance_ratio=worth,
        more_games_needed=more,
        figures=figures,
        unfinished=sum(int(run.sums["unfinished"].sum()) for run in (a, b)),
        whole=whole,
    )


def _difference(
    name: str, one: Figure, other: Figure, runs: tuple[ResultSet, ResultSet], family: int
) -> FigureDifference:
    """A's figure less B's; the head of this module says how."""
    bounds = (0.0, 1.0) if one.share and "advantage" not in name else (-math.inf, math.inf)
    a, b = (estimate(figure.values, bounds=bounds) for figure in (one, other))
    many = blocks_that_differ(one, other)
    if len(one.values) != len(other.values) or runs[0].games != runs[1].games:
        found = difference(one.values, other.values, family=family)
    elif many == 0:
        found = Estimate(float(one.values[0] - other.values[0]), kind="none")
    else:
        found = estimate(one.values - other.values, family=family)
        if many < MIN_GAMES:  # hardly any game differs, however many were played
            found = Estimate(found.value)
    games = runs[0].games if one.games is None else one.games
    return FigureDifference(name, a, b, found, one.share, exact=many == 0, games=games)


def _verdict(figure: FigureDifference, margin: float) -> RulesVerdict:
    if figure.exact:
        return "equivalent"
    verdicts: dict[margins.Size, RulesVerdict] = {
        "above": "a-higher",
        "below": "b-higher",
        "inside": "equivalent",
        "undecided": "undecided",
    }
    return verdicts[margins.judge(figure.difference, margin)]


def _variance_ratio(a: Floats, b: Floats) -> float | None:
    """Variance of the difference of unrelated runs, to that of these two."""
    if len(a) != len(b):
        return None
    unrelated = float(standard_error(a)) ** 2 + float(standard_error(b)) ** 2
    paired = float(standard_error(a - b)) ** 2
    return unrelated / paired if paired > 0 and math.isfinite(unrelated) else None


def _more_games(found: Estimate, margin: float, games: int) -> int | None:
    """How many more games would decide, in nine of ten runs; see `margins.games_to_decide`."""
    if found.value is None or found.se is None:
        return None
    width, error = quantile(min(games, 256)) * found.se, found.se

    def half(many: int) -> float:
        return width * math.sqrt(games / many)

    needed = margins.games_to_decide(half, error, abs(abs(found.value) - margin), games)
    return None if needed is None else needed - games


# --- sentences -----------------------------------------------------------------------------------


def said(found: Estimate, share: bool) -> str:
    """A figure in a sentence."""
    return wording.percent(found) if share else wording.number(found)


def said_difference(
    found: Estimate, share: bool, *, sign: bool = False, fully: bool = False
) -> str:
    """A difference with its interval: ``0.33 (between 0.30 and 0.36)``; ``fully`` for tables."""
    if found.value is None:
        return "unknown"
    scale, unit = (100, " percentage points") if share else (1, "")
    plus = "+" if sign else ""
    if found.low is None or found.high is None or not found.low < found.high:
        return f"{scale * found.value:{plus}.2g}{unit}"
    places = wording.decimals(found.value, found.low, found.high, percent=share) + fully
    while True:
        value, low, high = (
            _fixed(scale * x, places, plus) for x in (found.value, found.low, found.high)
        )
        # What is shown to differ is not told as if 0 were possible.
        hidden = _excludes_0(found) and 0 in (float(low), float(high))
        if (low != high and not hidden) or places >= MOST_PLACES:
            return f"{value}{unit} (between {low} and {high})"
        places += 1


MOST_PLACES = 9


def _fixed(value: float, places: int, plus: str) -> str:
    """A number with so many decimals; 0 has no sign."""
    text = f"{value:{plus}.{places}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def _turned(found: Estimate) -> Estimate:
    """The difference the other way round."""
    value, low, high = (None if x is None else -x for x in (found.value, found.high, found.low))
    return Estimate(value, low, high, found.kind, found.se)


def _answer(
    figure: FigureDifference, verdict: RulesVerdict, labels: tuple[str, str], margin: float
) -> str:
    what = wording.label(figure.metric)
    a, b = (said(found, figure.share) for found in (figure.a, figure.b))
    if figure.exact:
        return (
            f"The {what} is {a} with {labels[0]} and with {labels[1]}: not one game differs in it, "
            "so the difference is exactly 0."
        )
    if verdict in ("a-higher", "b-higher"):
        first, second = (labels, (a, b)) if verdict == "a-higher" else (labels[::-1], (b, a))
        by = figure.difference if verdict == "a-higher" else _turned(figure.difference)
        return (
            f"With {first[0]} the {what} is higher than with {first[1]}: {second[0]} against "
            f"{second[1]}, a difference of {said_difference(by, figure.share)}."
        )
    within = f"{100 * margin:g} percentage points" if figure.share else f"{margin:g}"
    told = f"{a} with {labels[0]}, {b} with {labels[1]}, a difference of " + said_difference(
        figure.difference, figure.share, sign=True
    )
    if verdict == "equivalent":
        return f"The {what} is the same under both, give or take {within}: {told}."
    by_more = f" by more than {within}" if margin else ""
    return (
        f"Undecided: these games do not settle whether the {what} is higher with {labels[0]} or "
        f"with {labels[1]}{by_more}: {told}."
    )


def _all_told(figures: tuple[FigureDifference, ...], labels: tuple[str, str]) -> str:
    """Which figures are shown to differ, of all."""
    if all(figure.exact for figure in figures):
        return (
            f"With {labels[0]} and with {labels[1]} not one figure differs: all are exactly equal."
        )
    shown = [f for f in figures if f.difference.low is not None and _excludes_0(f.difference)]
    if not shown:
        return (
            f"No figure is shown to differ between {labels[0]} and {labels[1]}; --metric asks "
            "about one of them."
        )
    told = [
        f"{wording.label(f.metric)} by {said_difference(f.difference, f.share, sign=True)}"
        for f in shown[:MOST_TOLD]
    ]
    more = f", and {len(shown) - MOST_TOLD} more figures" if len(shown) > MOST_TOLD else ""
    return (
        f"With {labels[0]} rather than {labels[1]} these figures differ: {'; '.join(told)}{more}."
    )


MOST_TOLD = 4
"""Figures that the sentence about all of them names."""


def _excludes_0(found: Estimate) -> bool:
    return found.low is not None and found.high is not None and not found.low <= 0 <= found.high


def rules_told(a: Mapping[str, Any], b: Mapping[str, Any], spell: Any) -> tuple[str, str]:
    """The settings that differ between two sets of rules, as text for each; ``spell`` a value."""
    keys = [key for key in a if a[key] != b[key]]
    if not keys:
        return "these rules", "the same rules"
    one, other = (
        wording.listed([f"{key} = {spell(rules[key])}" for key in keys]) for rules in (a, b)
    )
    return one, other
