"""Where the differences in the result come from: who plays how, each source of chance, the rest.

What a set S of sources explains of an outcome is the variance of its mean given S; that is the
covariance of a game with a replay that shares S alone (Sobol' 1993, Math. Modelling Comput. Exp.
1:407), or of two replays that do. Over all such pairs of outcomes Y and Y' of a player, N in all,
with their common mean m,

    T(S) = (sum Y Y' / N - m^2) / (sum (Y^2 + Y'^2) / 2 N - m^2):

Janon, Klein, Lagnoux, Nodet & Prieur (2014, ESAIM: Probab. Stat. 18:342), who show that nothing
else made of such pairs is more efficient. It is exactly 1 where nothing of what is redrawn is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analyzer.contracts import Game, Rules
from analyzer.errors import UsageError
from analyzer.experiment import Replays
from analyzer.results import ResultSet
from analyzer.statistics import wording
from analyzer.statistics.figures import Document, Rows, finite, spelled
from analyzer.statistics.intervals import Floats, Totals, estimate, exact, leave_one_out, ratio
from analyzer.statistics.seats import seats_alike
from analyzer.statistics.tables import Columns, Estimate

__all__ = [
    "INTERPLAY",
    "SEATS",
    "STRATEGIES",
    "Luck",
    "LuckTable",
    "Source",
    "analyze",
    "kept_sets",
    "over_tables",
    "share_explained",
]

STRATEGIES, SEATS, INTERPLAY = "strategies", "seats", "interplay"
"""Names of the parts that are no source of chance."""


@dataclass(frozen=True)
class Source:
    """A part of the differences.

    Attributes
    ----------
    source
        ``"strategies"``, ``"seats"``, a source of chance as the game calls it, or ``"interplay"``.
    share
        Its share of the variance: of a source of chance, what it explains beyond those before it;
        of the last one, what it explains without any other.
    alone
        What it explains without any other source of chance.
    known
        Why the share is exactly 0, as a clause; empty where it was estimated.
    """

    source: str
    share: Estimate
    alone: Estimate
    known: str = ""

    @property
    def is_shown(self) -> bool:
        """Whether the interval lies above 0."""
        return self.share.low is not None and self.share.low > 0

    def document(self) -> Document:
        """As JSON."""
        return {
            "source": self.source,
            **spelled("share", self.share),
            **spelled("alone", self.alone),
            "known": self.known or None,
        }


@dataclass(frozen=True)
class LuckTable:
    """What the differences at one table of strategies come from.

    ``shares`` are of the share of the win, ``points`` of the final score less the table's mean;
    ``name`` says who plays, in words. ``unfinished`` counts games, replays apart, without a winner.
    """

    lineup: tuple[str, ...]
    name: str
    games: int
    unfinished: int
    shares: tuple[Source, ...]
    points: tuple[Source, ...]
    answer: str

    def document(self) -> Document:
        """As JSON."""
        return {
            "strategies": list(self.lineup),
            "games": self.games,
            "unfinished": self.unfinished,
            "shares": [one.document() for one in self.shares],
            "points": [one.document() for one in self.points],
            "answer": self.answer,
        }

    def rows(self) -> Rows:
        """A row a part, of wins and then of points."""
        return [
            {
                "table": "+".join(self.lineup),
                "outcome": outcome,
                "source": one.source,
                "share": finite(one.share.value),
                "share_low": one.share.low,
                "share_high": one.share.high,
                "alone": finite(one.alone.value),
                "alone_low": one.alone.low,
                "alone_high": one.alone.high,
                "known": one.known,
            }
            for outcome, parts in (("wins", self.shares), ("points", self.points))
            for one in parts
        ]


@dataclass(frozen=True)
class Luck:
    """Where the differences come from, at each table of strategies; the first one leads."""

    game: str
    players: int
    seed: int
    tables: tuple[LuckTable, ...]
    answer: str

    @property
    def main(self) -> LuckTable:
        """The first table."""
        return self.tables[0]

    def document(self) -> Document:
        """As JSON."""
        main = self.main.document()
        return {
            "schema": "analyzer/luck/1",
            "game": self.game,
            "players": self.players,
            "games": main["games"],
            "seed": self.seed,
            "unfinished": main["unfinished"],
            "strategies": main["strategies"],
            "interval_kind": "jackknife",
            "shares": main["shares"],
            "points": main["points"],
            "answer": self.answer,
            "tables": [table.document() for table in self.tables],
        }

    def frames(self) -> dict[str, Rows | Columns]:
        """A row a part of every table."""
        return {"luck": [row for table in self.tables for row in table.rows()]}


def kept_sets(sources: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """What is kept in each replay: the sources so far, one more at a time, and each one alone.

    Parameters
    ----------
    sources
        Of chance, in the order in which they are told; at least one.
    """
    nested = [tuple(sources[:n]) for n in range(len(sources))]
    alone = [(source,) for source in sources if len(sources) > 1]
    return tuple(dict.fromkeys([*nested, *alone]))


def analyze(result: ResultSet, game: Game, among: Iterable[str] = ()) -> LuckTable:
    """What the differences at a table come from.

    Parameters
    ----------
    result
        Of replays in which `kept_sets` were kept, with at least one game.
    game
        What was played.
    among
        Every strategy that is told of beside those of this table.

    Raises
    ------
    UsageError
        If the result is no replays'.
    """
    replays = result.experiment
    if not isinstance(replays, Replays):
        raise UsageError("where differences come from is told by replays of games.")
    totals = leave_one_out(result.sums)
    sources = tuple(game.chance)
    shares, points = (_parts(name, totals, replays, game, sources) for name in ("win", "score"))
    lineup = replays.strategies
    many = wording.number_word(len(lineup))
    name = wording.table(lineup, replays.game, tuple(among))
    name = f"{many} {name}" if len(set(lineup)) == 1 else f"players of different kinds ({name})"
    return LuckTable(
        lineup=lineup,
        name=name,
        games=result.games,
        unfinished=int(result.sums["unfinished"][0, 0].sum()),
        shares=shares,
        points=points,
        answer=_answer(name, shares),
    )


def over_tables(game: Game, seed: int, tables: Sequence[LuckTable]) -> Luck:
    """The answer of the first table, and the parts that are shown at each of the others."""
    answer = tables[0].answer
    for other in tables[1:]:
        if any(one.share.value is None for one in other.shares):
            continue
        parts = [
            f"{'how each plays' if one.source == STRATEGIES else _the(one.source)} "
            f"{wording.percent(_at_most_all(one.share))}"
            for one in other.shares
            if one.is_shown
        ]
        told = wording.listed(parts) if parts else "nothing that shows"
        answer += f" Among {other.name}: {told}."
    players = len(tables[0].lineup)
    return Luck(game.name, players, seed, tuple(tables), answer)


# --- the parts -----------------------------------------------------------------------------------


def _parts(
    name: str, totals: Totals, replays: Replays, game: Game, sources: Sequence[str]
) -> tuple[Source, ...]:
    """Every part of an outcome, in order; their shares add up to 1."""

    def explained(*kept: str) -> Floats:
        if kept == tuple(sources):
            return np.ones(len(totals["games"]))
        return share_explained(name, totals, replays, sources, kept)

    alike = len(replays.holders) == 1
    even = alike and seats_alike(game, replays.rules, replays.players)
    nobody = explained()
    seated = 0 * nobody if even else nobody
    strategies = _between_strategies(name, totals, replays, sources)
    nested = [seated, *(explained(*sources[:n]) for n in range(1, len(sources))), nobody]
    single = {source: explained(source) - seated for source in sources}
    # Exactly 1, and so as not to differ from it, where nothing that was redrawn was ever used.
    spent = [bool((set_ == 1).all()) for set_ in nested]
    idle = unused_chance(game, replays.rules, replays.players)
    used = [s for s, before in zip(sources, spent, strict=False) if not before and s not in idle]
    last = sources[-1]
    shares = [strategies, seated - strategies]
    level = seated
    for source, reached in zip(sources, nested[1:], strict=True):
        by_itself = source == last and len(sources) > 1
        gain = single[source] if by_itself else reached - level
        shares.append(gain if source in used else 0 * nobody)
        level = reached if source in used else level
    rest = 1 - np.sum(shares, axis=0)
    known = ["all play alike" if alike else "", "by the rules no seat is better" if even else ""]
    known += ["" if source in used else "nothing is drawn for it" for source in sources]
    alone = [*shares[:2], *(single[s] if s in used else 0 * nobody for s in sources)]
    found = [
        Source(source, _share(share, why), _share(own, why), why)
        for source, share, own, why in zip(
            (STRATEGIES, SEATS, *sources), shares, alone, known, strict=True
        )
    ]
    why = "" if last in used else f"nothing is drawn for the {last}"
    why = "there is one source of chance" if len(sources) == 1 else why
    rest = 0 * rest if why and np.isfinite(rest[0]) else rest
    return (*found, Source(INTERPLAY, _share(rest, why), Estimate(None), why))


def unused_chance(game: Game, rules: Rules, players: int) -> frozenset[str]:
    """Sources of chance of which the game says that nothing is drawn for them by these rules."""
    unused = getattr(game, "unused_chance", None)
    return frozenset() if unused is None else frozenset(unused(rules, players))


def _share(replicates: Floats, known: str) -> Estimate:
    """A share with its interval, or exactly 0 without one; it is not cut at 0, nor at 1."""
    if known:
        return Estimate(0.0 if math.isfinite(replicates[0]) else None)
    return estimate(replicates)


def share_explained(
    name: str, totals: Totals, replays: Replays, sources: Iterable[str], kept: Iterable[str]
) -> Floats:
    """The share of the variance that is explained by who sits where and some of the chance: T(S).

    Parameters
    ----------
    name
        ``"win"`` or ``"score"``.
    totals
        Sums of replays, as `leave_one_out` gives them.
    replays
        What was played.
    sources
        All sources of chance.
    kept
        Those that explain.

    Returns
    -------
    Floats
        (1 + B,): the share, at most 1, and its leave-one-out replicates.
    """
    pairs = _sharing(replays, sources, kept)
    n, whole, spread = _spread(name, totals, replays, pairs)
    product = exact(totals[f"{name}_product"][:, 0, list(pairs)].sum(axis=1))
    return ratio(4 * n * product - whole**2, spread)


def _sharing(
    replays: Replays, sources: Iterable[str], kept: Iterable[str]
) -> dict[int, tuple[int, int]]:
    """The pairs of a game and its replays that share exactly these sources of chance, by number.

    Whatever a replay draws anew is its own, so that two replays share what both of them keep.
    """
    times = [set(sources), *map(set, replays.kept)]
    return {
        number: (one, other)
        for number, (one, other) in enumerate(replays.pairs)
        if times[one] & times[other] == set(kept)
    }


def _between_strategies(
    name: str, totals: Totals, replays: Replays, sources: Iterable[str]
) -> Floats:
    """(1 + B,) the share of the variance that lies between strategies, whoever sits where.

    Of two replays that share nothing but who sits where the means have independent errors, so that
    their product is not too high by what chance puts between strategies.
    """
    pairs = _sharing(replays, sources, ())
    n, _, spread = _spread(name, totals, replays, pairs)
    if len(replays.holders) == 1:
        return np.where(spread > 0, 0.0, np.nan)
    sums, games = totals[f"{name}_sum"], totals["games"][:, 0]
    between = np.zeros(len(games))
    for one, other in pairs.values():
        both = exact(sums[:, :, one].sum(axis=1)) * exact(sums[:, :, other].sum(axis=1))
        between -= ratio(both, games * replays.players)
        for holder, spec in enumerate(replays.holders):
            both = exact(sums[:, holder, one]) * exact(sums[:, holder, other])
            between += ratio(both, games * replays.strategies.count(spec))
    return np.asarray(between / ratio(spread, 4 * n), dtype=np.float64)


def _spread(
    name: str, totals: Totals, replays: Replays, pairs: Mapping[int, tuple[int, int]]
) -> tuple[Any, Any, Any]:
    """Over all pairs: player-games N, sum S of Y and Y', and 2 N sum (Y^2 + Y'^2) - S^2."""
    times = [time for pair in pairs.values() for time in pair]
    n = exact(totals["games"][:, 0] * replays.players * len(pairs))
    whole = exact(totals[f"{name}_sum"].sum(axis=1)[:, times].sum(axis=1))
    both = exact(totals[f"{name}_sq"][:, 0, times].sum(axis=1))
    return n, whole, 2 * n * both - whole**2


# --- what is said --------------------------------------------------------------------------------


def _answer(name: str, shares: Sequence[Source]) -> str:
    """What explains how much of who wins, in words."""
    head = f"Of the differences in who wins among {name}"
    if any(one.share.value is None for one in shares):
        return f"Among {name} nobody ever wins more than another: there is nothing to explain."
    if all(one.known or one.share.low is None for one in shares):
        return f"{head} nothing can be said after so few games; play at least 1,000."
    shown = [one for one in shares if one.is_shown]
    told = [
        f"{wording.percent_range(_at_most_all(one.share))}{' is due' if number == 0 else ''} to "
        f"{_named(one, shares)}"
        for number, one in enumerate(shown)
    ]
    text = f"{head}, {wording.listed(told)}." if told else f"{head}, no source is shown to matter."
    unshown = [one.source for one in shares if not one.known and not one.is_shown]
    if told and unshown:
        plain = [
            {STRATEGIES: "how each plays", SEATS: "where they sit"}.get(s) or _the(s)
            for s in unshown
        ]
        text += f" Nothing of it is shown to come from {_either(plain)}."
    if any(one.source == STRATEGIES and one.known for one in shares):
        text += " How they play explains 0%, as all play alike."
    unused = [one for one in shares[2:-1] if one.known]
    if unused:
        text += f" Chance has no part in {wording.listed([_the(one.source) for one in unused])}."
    return text


def _at_most_all(share: Estimate) -> Estimate:
    """A share as it is told: where others came out a little below zero, it may be above 1."""
    if share.value is None or share.high is None:
        return share
    return replace(share, value=min(share.value, 1.0), high=min(share.high, 1.0))


def _either(names: Sequence[str]) -> str:
    """Names after a negation: ``a``, ``a or b``, ``a, b or c``."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def _the(source: str) -> str:
    return source if source == INTERPLAY else f"the {source}"


def _named(one: Source, shares: Sequence[Source]) -> str:
    """A part as what something is due to."""
    chance = [part.source for part in shares[2:-1] if not part.known]
    if one.source == STRATEGIES:
        return "how each of them plays"
    if one.source == SEATS:
        return "where they sit"
    if one.source == INTERPLAY:
        return (
            f"what the {chance[-1]} make of the {wording.listed(chance[:-1])}, "
            f"which {'neither' if len(chance) == 2 else 'none of them'} settles alone"
        )
    if len(chance) > 1 and one.source == chance[-1]:
        return f"the {one.source} by themselves"
    return f"the {one.source}"
