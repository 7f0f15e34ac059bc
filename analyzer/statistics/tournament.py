"""Who wins most at all tables of some strategies, against whom, and whether one number says it.

The payoff of a strategy against a field, P - 1 opponents, is the share of the games that one copy
of it wins at that table, over all seatings. It does not change when a strategy is added. The mean
win share is the mean of its payoffs against all fields of the declared strategies, each once:

    u(s) = mean over fields f of u(s | f)

Games of a number have the same chance at every table, so the jackknife leaves out a block of game
numbers at all tables together. Intervals hold together over the strategies, or over all shares at
tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from analyzer.contracts import BLOCKS, WHOLE_WIN
from analyzer.errors import UsageError
from analyzer.experiment import Contest
from analyzer.results import LOST, WON, Checkpoint, ResultSet, standings
from analyzer.specs import plain_names
from analyzer.statistics import luce, margins, wording
from analyzer.statistics.figures import Document, Rows, spelled
from analyzer.statistics.intervals import (
    ALPHA,
    MIN_GAMES,
    Floats,
    estimate,
    estimates,
    leave_one_out,
    quantile,
    ratio,
    share_estimate,
    standard_error,
)
from analyzer.statistics.payoffs import circles, nash_mixture
from analyzer.statistics.tables import Columns, Estimate

__all__ = [
    "Circle",
    "FieldShare",
    "PrecisionRule",
    "Response",
    "Standing",
    "TableShares",
    "Tournament",
    "rank",
]

FIRST_LOOK = 1024
MOST_STEP = 256 * 24
_GROWTH = 20
"""A look is about 1/20 further on than the one before it."""
MISFIT = 0.01
"""Ratings that miss shares at tables by more than this, chance apart, mislead."""
MOST_CIRCLES = 20

Verdict = Literal["one-best", "slightly", "several", "too-few"]
"""Whether one strategy wins most: shown by more than the margin, by less, or not; too few games."""


class PrecisionRule:
    """Stops a contest when every strategy's mean win share is known to within a half-width.

    It looks at game counts fixed beforehand at the half-widths that `rank` reports, of intervals
    that hold together. To stop by the width of an interval, and not by where it lies, leaves its
    coverage as it is for narrow intervals: Chow & Robbins (1965), Ann. Math. Stat. 36:457; for
    batches Glynn & Whitt (1992), Ann. Appl. Probab. 2:180.

    Parameters
    ----------
    contest
        What is played.
    precision
        Half-width, in (0, 1).
    """

    def __init__(self, contest: Contest, precision: float) -> None:
        if not 0 < precision < 1:
            raise ValueError(f"precision must lie between 0 and 1; given {precision}.")
        self.precision = precision
        self._units = [weights.unit for weights in contest.weights]
        period = contest.period
        self._step = -(-FIRST_LOOK // period) * period if period <= MOST_STEP else FIRST_LOOK
        self._half = math.inf

    @property
    def reached(self) -> bool:
        """Whether the precision is reached at the last look."""
        return self._half <= self.precision

    def checkpoints(self, games: int) -> tuple[int, ...]:
        """Game counts at which to look: about 5% apart, whole periods of the seatings."""
        looks, look = [], self._step
        while look < games:
            looks.append(look)
            look = max(look + self._step, (look + look // _GROWTH) // self._step * self._step)
        return (*looks, games)

    def observe(self, point: Checkpoint) -> bool:
        """Take in the next look; True when enough is known."""
        each = point.games / BLOCKS
        if each < 1:
            return False
        errors = [
            math.sqrt((BLOCKS * squares - total**2) / (BLOCKS - 1)) / (BLOCKS * unit * each)
            for total, squares, unit in zip(point.wins, point.wins_sq, self._units, strict=True)
        ]
        self._half = quantile(BLOCKS, len(self._units)) * max(errors)
        return self.reached

    def replay(self, points: Sequence[Checkpoint]) -> PrecisionRule:
        """Take in the looks of a saved run, from the first; returns itself."""
        for point in points:
            self.observe(point)
        return self


@dataclass(frozen=True)
class FieldShare:
    """What one copy of a strategy wins against a field of opponents."""

    field: tuple[str, ...]
    share: Estimate

    @property
    def name(self) -> str:
        """The opponents joined by '+'."""
        return "+".join(self.field)

    def document(self) -> Document:
        """As JSON."""
        return {"field": self.name, **spelled("win_share", self.share)}


@dataclass(frozen=True)
class Standing:
    """A strategy: its mean win share, its rating, and the fields it does worst and best against.

    ``rating`` is its strength by `analyzer.statistics.luce`, where 1 is the geometric mean; null
    where strengths cannot be fitted.
    """

    strategy: str
    name: str
    mean: Estimate
    rating: Estimate
    worst: FieldShare
    best: FieldShare


@dataclass(frozen=True)
class TableShares:
    """What one copy of each strategy at a table wins; one share a player, in their order."""

    strategies: tuple[str, ...]
    games: int
    lost: int
    shares: tuple[Estimate, ...]


@dataclass(frozen=True)
class Response:
    """What each strategy wins against a field of equal opponents.

    ``shares`` are in the order of `Tournament.standings`, ``candidates`` the strategies that are
    not shown to win less than the best one.
    """

    opponent: str
    shares: tuple[Estimate, ...]
    best: str
    candidates: tuple[str, ...]


@dataclass(frozen=True)
class Circle:
    """Strategies each of which beats the next, and the last the first, and by how much."""

    strategies: tuple[str, ...]
    leads: tuple[Estimate, ...]


@dataclass(frozen=True)
class Tournament:
    """How strategies do at all tables of them.

    ``standings`` and ``responses`` are in the order of the mean win shares. ``all_tables`` is how
    many tables there are, of which ``tables`` were played. ``misfit`` is the root mean square of
    what fitted shares differ by from observed ones, ``misfit_by_chance`` what chance alone makes it
    in the mean. ``leads`` are by how much the first is ahead of each other one.
    """

    game: str
    players: int
    games: int
    seed: int
    margin: float
    precision: float | None
    precision_reached: bool | None
    verdict: Verdict
    answer: str
    standings: tuple[Standing, ...]
    leads: tuple[Estimate, ...]
    tables: tuple[TableShares, ...]
    all_tables: int
    responses: tuple[Response, ...]
    circles: tuple[Circle, ...]
    all_circles: int
    misfit: float | None
    misfit_by_chance: float | None
    ratings_note: str
    nash: tuple[tuple[str, float], ...] | None
    unfinished: int

    @property
    def lineups(self) -> int:
        """Games of all tables."""
        return self.games * len(self.tables)

    @property
    def names(self) -> dict[str, str]:
        """What each strategy is called."""
        return {standing.strategy: standing.name for standing in self.standings}

    def document(self) -> Document:
        """As JSON."""
        return {
            "schema": "analyzer/tournament/1",
            "game": self.game,
            "players": self.players,
            "games": self.games,
            "seed": self.seed,
            "unfinished": self.unfinished,
            "margin": self.margin,
            "precision_reached": self.precision_reached,
            "interval_kind": "simultaneous",
            "verdict": self.verdict,
            "answer": self.answer,
            "strategies": [
                {
                    "strategy": s.strategy,
                    **spelled("mean_win_share", s.mean),
                    **spelled("rating", s.rating),
                    "worst_field": s.worst.document(),
                    "best_field": s.best.document(),
                }
                for s in self.standings
            ],
            "all_tables": self.all_tables,
            "tables": [
                {
                    "strategies": list(table.strategies),
                    "games": table.games,
                    "shares": [share.value for share in table.shares],
                    "shares_ci": [spelled("", share)["_ci"] for share in table.shares],
                }
                for table in self.tables
            ],
            "best_responses": {
                response.opponent: {
                    "field": "+".join([response.opponent] * (self.players - 1)),
                    "best": response.best,
                    "candidates": list(response.candidates),
                    "win_shares": {
                        s.strategy: spelled("win_share", share)
                        for s, share in zip(self.standings, response.shares, strict=True)
                    },
                }
                for response in self.responses
            },
            "cycles": [
                {
                    "strategies": list(circle.strategies),
                    "leads": [spelled("lead", lead) for lead in circle.leads],
                }
                for circle in self.circles
            ],
            "cycles_found": self.all_circles,
            "misfit": self.misfit,
            "misfit_by_chance": self.misfit_by_chance,
            "ratings_note": self.ratings_note or None,
            "nash": None if self.nash is None else dict(self.nash),
        }

    def frames(self) -> dict[str, Rows | Columns]:
        """Every table by its name."""

        def bounds(name: str, share: Estimate) -> Document:
            return {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}

        return {
            "ranking": [
                {
                    "strategy": s.strategy,
                    **bounds("mean_win_share", s.mean),
                    **bounds("rating", s.rating),
                    "worst_field": s.worst.name,
                    **bounds("worst_win_share", s.worst.share),
                    "best_field": s.best.name,
                    **bounds("best_win_share", s.best.share),
                }
                for s in self.standings
            ],
            "payoffs": [
                {
                    "table": "+".join(table.strategies),
                    "strategy": spec,
                    "copies": table.strategies.count(spec),
                    "games": table.games,
                    **bounds("win_share", table.shares[table.strategies.index(spec)]),
                }
                for table in self.tables
                for spec in dict.fromkeys(table.strategies)
            ],
            "responses": [
                {
                    "field": "+".join([response.opponent] * (self.players - 1)),
                    "strategy": s.strategy,
                    **bounds("win_share", share),
                    "best": s.strategy == response.best,
                    "candidate": s.strategy in response.candidates,
                }
                for response in self.responses
                for s, share in zip(self.standings, response.shares, strict=True)
            ],
        }


def rank(
    result: ResultSet,
    rule: PrecisionRule | None = None,
    margin: float = margins.WIN_SHARE_MARGIN,
) -> Tournament:
    """Who wins most at the tables of a contest.

    Parameters
    ----------
    result
        A contest's, with at least one game.
    rule
        The rule that watched it, with all its looks.
    margin
        What counts as no difference of mean win shares.

    Raises
    ------
    UsageError
        If the result is no contest's.
    """
    contest = result.experiment
    if not isinstance(contest, Contest):
        raise UsageError("strategies are ranked by a contest of all of them.")
    return _Ranking(result, contest).found(rule, margin)


class _Ranking:
    """The replicates that everything is made of, and where each share stands among them."""

    def __init__(self, result: ResultSet, contest: Contest) -> None:
        self.result, self.contest = result, contest
        self.specs, self.entries = contest.specs, contest.entries
        totals = leave_one_out(result.sums, ("games", WON, LOST))
        self.games = totals["games"]
        won = totals[WON][:, 0]
        copies = np.array([entry.copies for entry in self.entries])
        self.shares: Floats = ratio(won, self.games * copies) / WHOLE_WIN
        self.won = won
        self.lost = totals[LOST][0, 0]
        units = np.array([weights.unit for weights in contest.weights], object)
        self.means: Floats = ratio(standings(won.T, contest).T, self.games.astype(object) * units)
        self.places = {(entry.table, entry.spec): row for row, entry in enumerate(self.entries)}
        self.numbers = {table: number for number, table in enumerate(contest.tables)}
        self.at_table = self._at_table()

    def _at_table(self) -> list[Estimate]:
        """The share of one copy of each entry, with intervals that hold for all together."""
        family = sum(len(set(table)) > 1 for table in self.contest.tables for _ in set(table))
        games = self.result.games
        return [
            share_estimate(
                self.shares[:, row],
                float(self.won[0, row]) / (WHOLE_WIN * entry.copies),
                games,
                family=max(1, family),
            )
            if entry.copies < self.contest.players
            else estimate(self.shares[:, row], family=max(1, family), bounds=(0.0, 1.0))
            for row, entry in enumerate(self.entries)
        ]

    def row(self, spec: str, others: Sequence[str]) -> int:
        """The entry of a strategy among others."""
        return self.places[self.numbers[tuple(sorted((spec, *others)))], spec]

    def found(self, rule: PrecisionRule | None, margin: float) -> Tournament:
        """Everything."""
        contest, many, players = self.contest, len(self.specs), self.contest.players
        order = sorted(range(many), key=lambda i: (-self.means[0, i], self.specs[i]))
        means = estimates(self.means, family=many, bounds=(0.0, 1.0))
        ratings, misfit, by_chance, note = self._ratings()
        names = plain_names(contest.game, self.specs)
        placed = tuple(
            Standing(self.specs[i], names[self.specs[i]], means[i], ratings[i], *self._extremes(i))
            for i in order
        )
        gaps = self.means[:, order[:1]] - self.means[:, order[1:]]
        leads = estimates(gaps, family=many * (many - 1) // 2)
        responses = tuple(self._response(self.specs[i], order) for i in order)
        found, beaten = self._circles()
        verdict = _verdict(leads, margin, self.result.games)
        told = _Told(contest, names, placed, leads, responses, found)
        answer = told.answer(verdict, margin, misfit, by_chance, note, len(contest.tables))
        return Tournament(
            game=contest.game,
            players=players,
            games=self.result.games,
            seed=contest.seed,
            margin=margin,
            precision=None if rule is None else rule.precision,
            precision_reached=None if rule is None else rule.reached,
            verdict=verdict,
            answer=answer,
            standings=placed,
            leads=leads,
            tables=self._tables(),
            all_tables=math.comb(many + players - 1, players),
            responses=responses,
            circles=found,
            all_circles=beaten,
            misfit=misfit,
            misfit_by_chance=by_chance,
            ratings_note=note,
            nash=self._nash() if players == 2 else None,
            unfinished=int(self.lost.sum()),
        )

    def _tables(self) -> tuple[TableShares, ...]:
        return tuple(
            TableShares(
                table,
                self.result.games,
                int(self.lost[number]),
                tuple(self.at_table[self.places[number, spec]] for spec in table),
            )
            for number, table in enumerate(self.contest.tables)
        )

    def _extremes(self, number: int) -> tuple[FieldShare, FieldShare]:
        """The fields that a strategy does worst and best against."""
        spec = self.specs[number]
        rows = sorted(
            self.contest.weights[number].entries, key=lambda row: float(self.shares[0, row])
        )

        def against(row: int) -> FieldShare:
            others = list(self.contest.tables[self.entries[row].table])
            others.remove(spec)
            return FieldShare(tuple(others), self.at_table[row])

        return against(rows[0]), against(rows[-1])

    def _response(self, opponent: str, order: Sequence[int]) -> Response:
        """What each wins against equal opponents; `Tournament.standings` has the same order."""
        specs = [self.specs[i] for i in order]
        others = (opponent,) * (self.contest.players - 1)
        rows = [self.row(spec, others) for spec in specs]
        shares = self.shares[:, rows]
        best = int(np.argmax(shares[0]))
        many = len(specs)
        behind = estimates(shares[:, [best]] - shares, family=many * many * (many - 1) // 2)
        return Response(
            opponent,
            tuple(self.at_table[row] for row in rows),
            specs[best],
            tuple(
                spec
                for spec, gap in zip(specs, behind, strict=True)
                if gap.low is None or gap.low <= 0
            ),
        )

    def _circles(self) -> tuple[tuple[Circle, ...], int]:
        """Strategies that beat each other in a circle, those with the clearest leads first.

        One beats another if a copy of it among copies of the other wins more than each of those,
        and the other way round less; both shown.
        """
        many, others = len(self.specs), self.contest.players - 1
        pairs = [(a, b) for a in range(many) for b in range(many) if a != b]
        gaps = np.empty((len(self.shares), len(pairs)))
        for place, (a, b) in enumerate(pairs):
            one, rest = self.specs[a], self.specs[b]
            mine = self.row(one, (rest,) * others)
            theirs = self.row(rest, (one,) + (rest,) * (others - 1))
            gaps[:, place] = self.shares[:, mine] - self.shares[:, theirs]
        family = len(pairs) if others > 1 else len(pairs) // 2
        ahead = dict(zip(pairs, estimates(gaps, family=family), strict=True))
        beats = np.zeros((many, many), bool)
        for (a, b), lead in ahead.items():
            back = ahead[b, a]
            beats[a, b] = (lead.low or 0.0) > 0 and (back.high or 0.0) < 0
        found = []
        for circle in circles(beats):
            leads = tuple(
                ahead[a, b] for a, b in zip(circle, (*circle[1:], circle[0]), strict=True)
            )
            found.append(Circle(tuple(self.specs[i] for i in circle), leads))
        found.sort(key=lambda circle: -min(lead.low or 0.0 for lead in circle.leads))
        return tuple(found[:MOST_CIRCLES]), len(found)

    def _ratings(self) -> tuple[list[Estimate], float | None, float | None, str]:
        """Ratings, the misfit, what chance makes it, and why there are none."""
        many = len(self.specs)
        mixed = [number for number, table in enumerate(self.contest.tables) if len(set(table)) > 1]
        lines = {number: line for line, number in enumerate(mixed)}
        rows = [row for row, entry in enumerate(self.entries) if entry.table in lines]
        at = (
            np.array([lines[self.entries[row].table] for row in rows]),
            np.array([self.specs.index(self.entries[row].spec) for row in rows]),
        )
        copies = np.zeros((len(mixed), many), np.int64)
        copies[at] = [self.entries[row].copies for row in rows]
        wins = np.zeros((len(self.won), len(mixed), many), np.int64)
        wins[:, at[0], at[1]] = self.won[:, rows]
        group = luce.losers(copies, wins[0])
        if group:
            names = plain_names(self.contest.game, self.specs)
            told = wording.listed([names[self.specs[i]] for i in group])
            never = "never wins" if len(group) == 1 else "never win"
            note = f"{told} {never} at a table with any other, so no rating fits."
            return [Estimate(None)] * many, None, None, note
        fitted = luce.fit(copies, wins[0].astype(float))
        every = np.vstack(
            [fitted, *(luce.fit(copies, some.astype(float), fitted) for some in wins[1:])]
        )
        ratings = [
            Estimate(
                math.exp(log.value) if log.value is not None else None,
                math.exp(log.low) if log.low is not None else None,
                math.exp(log.high) if log.high is not None else None,
                log.kind,
            )
            for log in estimates(every, family=many)
        ]
        won = wins[0].sum(axis=1)[at[0]]
        seen = ratio(wins[0][at], won * copies[at])
        expected = luce.win_shares(copies, fitted)[at] / copies[at]
        misfit = math.sqrt(float(np.nanmean((seen - expected) ** 2)))
        errors = standard_error(self.shares[:, rows])
        chance = math.sqrt(float((errors**2).mean()))
        return ratings, misfit, chance if math.isfinite(chance) else None, ""

    def _nash(self) -> tuple[tuple[str, float], ...] | None:
        """The mixture that nobody wins from, greatest part first."""
        many = len(self.specs)
        payoffs = np.zeros((many, many))
        for a in range(many):
            for b in range(a + 1, many):
                one, other = self.specs[a], self.specs[b]
                gap = self.shares[0, self.row(one, (other,))]
                gap = gap - self.shares[0, self.row(other, (one,))]
                payoffs[a, b], payoffs[b, a] = gap, -gap
        mixture = nash_mixture(payoffs)
        if mixture is None:
            return None
        parts = zip(self.specs, mixture.tolist(), strict=True)
        return tuple(sorted(parts, key=lambda part: (-part[1], part[0])))


def _verdict(leads: Sequence[Estimate], margin: float, games: int) -> Verdict:
    if games < MIN_GAMES:
        return "too-few"
    least = min(_least(lead, len(leads), games) for lead in leads)
    return "one-best" if least > margin else "slightly" if least > 0 else "several"


def _least(lead: Estimate, family: int, games: int) -> float:
    """The lower end of a lead, of one that never varied too.

    What has not happened in n games has a probability below ln(1/alpha)/n (the rule of three:
    Hanley & Lippman-Hand 1983, J. Am. Med. Assoc. 249:1743).
    """
    if lead.low is not None:
        return lead.low
    return (lead.value or 0.0) - math.log(family / ALPHA) / games


# --- sentences -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Told:
    """What the sentences are made of."""

    contest: Contest
    names: dict[str, str]
    standings: tuple[Standing, ...]
    leads: tuple[Estimate, ...]
    responses: tuple[Response, ...]
    circles: tuple[Circle, ...]

    def answer(
        self,
        verdict: Verdict,
        margin: float,
        misfit: float | None,
        by_chance: float | None,
        note: str,
        played: int,
    ) -> str:
        """Who wins most, for whom that holds, and whether ratings say it."""
        told = [self._most(verdict, margin, played)]
        if verdict != "too-few":
            told += [self._holds(), self._round(), _rated(misfit, by_chance, note)]
        return " ".join(one for one in told if one)

    def _most(self, verdict: Verdict, margin: float, played: int) -> str:
        first, second = self.standings[:2]
        many, players = len(self.standings), self.contest.players
        all_tables = math.comb(many + players - 1, players)
        fields = math.comb(many + players - 2, players - 1)
        where = f"over all {fields:,} {_fields(players - 1)}"
        if played < all_tables:
            where += f", judged from {played:,} of {all_tables:,} tables"
        if verdict == "too-few":
            return "Too few games to say who wins most."
        share = wording.percent_between(first.mean)
        if verdict == "several":
            close = [first.name] + [
                standing.name
                for standing, lead in zip(self.standings[1:], self.leads, strict=True)
                if lead.low is None or lead.low <= 0
            ]
            return (
                f"These games do not settle which of {wording.listed(close)} wins most; "
                f"{first.name} has {share} in the mean {where}."
            )
        one = margins.one_in(self.leads[0].value or 1.0)
        slightly = " slightly" if verdict == "slightly" else ""
        extra = f", one extra win in {wording.games(one)}" if one > 1 else ""
        return (
            f"{wording.upper_first(first.name)} wins most{slightly}: {share} of its games in the "
            f"mean {where}, {wording.points(self.leads[0])} more than {second.name}, the "
            f"next{extra}."
        )

    def _holds(self) -> str:
        """Whether the first one is the best answer to everybody, and its worst field."""
        first = self.standings[0]
        better = [r for r in self.responses if first.strategy not in r.candidates]
        if not better:
            text = "Against none of these ways of playing is another one shown to do better"
            text = text if len(self.responses) > 1 else ""
        else:
            by: dict[str, list[str]] = {}
            for response in better:
                by.setdefault(response.best, []).append(self.names[response.opponent])
            told = [
                f"{self.names[best]} does better than {first.name} against {wording.listed(whom)}"
                for best, whom in by.items()
            ]
            if len(self.contest.tables[0]) > 2:
                told = [f"{one} alone" for one in told]
            text = "Not against everybody: " + "; ".join(told)
        worst = first.worst
        name = wording.upper_first(first.name)
        if set(worst.field) == {first.strategy}:  # by the rules, and no weakness
            equal = wording.plain_percent(1 / self.contest.players)
            return f"{text}. {name} wins least where all play so, an equal share of {equal}."
        among = wording.opponents(worst.field, self.contest.game, list(self.names))
        where = "against" if len(worst.field) == 1 else "among"
        return f"{text}. {name} wins least {where} {among}: {wording.percent(worst.share)}."

    def _round(self) -> str:
        """The clearest circle."""
        if not self.circles:
            return ""
        circle = [self.names[spec] for spec in self.circles[0].strategies]
        chain = ", ".join(f"{a} beats {b}" for a, b in pairwise(circle))
        return f"No order holds for all: {chain}, and {circle[-1]} beats {circle[0]}."


def _fields(others: int) -> str:
    """What the mean is over: ``fields of three opponents``."""
    return "opponents" if others == 1 else f"fields of {wording.number_word(others)} opponents"


def _rated(misfit: float | None, by_chance: float | None, note: str) -> str:
    """Whether one number a strategy says who wins."""
    if misfit is None:
        return f"Ratings mean nothing here: {note}" if note else ""
    missed = f"{100 * misfit:.2g} percentage points"
    beyond = math.sqrt(max(0.0, misfit**2 - (by_chance or 0.0) ** 2))
    if beyond > MISFIT:
        return (
            "One rating for each strategy would mislead: it misses the shares at the tables by "
            f"{missed}."
        )
    if by_chance is not None and by_chance >= MISFIT:
        return "How well one rating for each strategy tells who wins, so few games cannot say."
    if by_chance is not None and by_chance >= MISFIT:
        return "How well one rating for each strategy tells who wins, so few games cannot say."
    return (
        "One rating for each strategy tells well who wins how often: it misses the shares at the "
        f"tables by {missed}."
    )
