"""The shape of a game: how long, how close, who leads on the way, from games recorded one by one.

What leading means for the win is compared with two things: chance, a winner drawn by lot, and
equal luck, players who are equally good and gain at random in every step.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analyzer.contracts import WHOLE_WIN, Game, Rules
from analyzer.results import (
    LAST,
    LEAD_CHANGES,
    LEADERS,
    LENGTH,
    MARGIN,
    RECORD,
    WINNERS,
    ResultSet,
)
from analyzer.statistics import wording
from analyzer.statistics.figures import Document, Rows, spelled
from analyzer.statistics.intervals import (
    MIN_GAMES,
    Floats,
    estimate,
    leave_one_out,
    quantile,
    ratio,
    share_estimate,
    standard_error,
)
from analyzer.statistics.tables import Columns, Estimate

__all__ = [
    "ByBlock",
    "Leading",
    "Length",
    "Margin",
    "Shape",
    "Ties",
    "by_block",
    "equal_luck",
    "percentile",
    "shape_of",
]

QUARTERS = (0.25, 0.5, 0.75)
GRID = 241
"""Points of the grid on which two normal variables are added up: four digits of a probability."""
REACH = 6.0


MOST_OF_HALF = 0.55
"""Part of the games that "half of the games" stands for at most."""


@dataclass(frozen=True)
class Length:
    """How long games are, in the game's own units; ``longest`` is that of the games looked at.

    Games stopped at a limit are left out, as their lengths are the limit's. ``stopped`` is how
    many of them there are.
    """

    mean: Estimate
    median: Estimate
    p05: Estimate
    p95: Estimate
    longest: int
    stopped: int = 0


@dataclass(frozen=True)
class Margin:
    """Points between first and second; ``within_one`` is the share of games with at most one."""

    mean: Estimate
    median: Estimate
    within_one: Estimate


@dataclass(frozen=True)
class Ties:
    """Share of games whose win is shared: at all, between two, between more."""

    share: Estimate
    two: Estimate
    more: Estimate


@dataclass(frozen=True)
class Leading:
    """How often whoever is in a place at a moment of the game wins in the end.

    Of several in that place one is drawn by lot. ``chance`` is 1/n of the games that somebody wins,
    ``equal_luck`` what it would be among equal players who gain at random in every unit of the
    game.
    """

    at: float
    share: Estimate
    chance: float
    equal_luck: float | None


@dataclass(frozen=True)
class Shape:
    """How games go, from the first ``games`` of a run; None where the game does not tell.

    ``lengths`` and ``margins`` have columns value and games.
    """

    games: int
    length_unit: str | None
    length: Length | None
    margin: Margin
    ties: Ties
    leader_wins: tuple[Leading, ...] | None
    comeback: Leading | None
    lead_changes: Estimate | None
    lengths: Columns | None
    margins: Columns

    def document(self) -> Document:
        """As JSON."""
        length, margin, ties = self.length, self.margin, self.ties
        long: Document | None = None
        if length is not None:
            long = {
                **spelled("mean", length.mean),
                **spelled("median", length.median),
                **spelled("p05", length.p05),
                **spelled("p95", length.p95),
                "longest": length.longest,
            }
        leading = None
        if self.leader_wins is not None:
            leading = [{"at": one.at, **_led("share", one)} for one in self.leader_wins]
        back = None
        if self.comeback is not None:
            back = _led("last_at_half_wins", self.comeback)
        changes = self.lead_changes
        return {
            "games": self.games,
            "length_unit": self.length_unit,
            "length": long,
            "margin": {
                **spelled("mean", margin.mean),
                **spelled("median", margin.median),
                **spelled("within_one", margin.within_one),
            },
            "ties": {
                **spelled("share", ties.share),
                **spelled("two", ties.two),
                **spelled("more", ties.more),
            },
            "leader_wins": leading,
            "comeback": back,
            "lead_changes": None if changes is None else spelled("mean", changes),
        }

    def tables(self) -> dict[str, Rows | Columns]:
        """Its figures, how often each length and each margin occurred."""
        found: dict[str, Rows | Columns] = {"shape": [_row(*pair) for pair in self._named()]}
        if self.lengths is not None:
            found["shape_lengths"] = self.lengths
        found["shape_margins"] = self.margins
        return found

    def _named(self) -> list[tuple[str, Estimate, float | None, float | None]]:
        named: list[tuple[str, Estimate, float | None, float | None]] = []
        if self.length is not None:
            for name in ("mean", "median", "p05", "p95"):
                named.append((f"length_{name}", getattr(self.length, name), None, None))
            named.append(("length_longest", Estimate(self.length.longest), None, None))
        for name in ("mean", "median", "within_one"):
            named.append((f"margin_{name}", getattr(self.margin, name), None, None))
        for name in ("share", "two", "more"):
            named.append((f"ties_{name}", getattr(self.ties, name), None, None))
        for one in self.leader_wins or ():
            named.append((f"leader_wins_{one.at:g}", one.share, one.chance, one.equal_luck))
        if self.comeback is not None:
            back = self.comeback
            named.append(("last_at_half_wins", back.share, back.chance, back.equal_luck))
        if self.lead_changes is not None:
            named.append(("lead_changes", self.lead_changes, None, None))
        return named

    def sentences(self, one: str = "game", *, compared: bool = True) -> tuple[str, ...]:
        """How long, how close, who wins of those who lead; ``one`` is what is won.

        ``compared`` sets leaders against chance and luck, and says their ranges.
        """
        told = self.how_long(one), self.how_close(one), self.who_leads(one, compared=compared)
        return tuple(filter(None, told))

    @property
    def always_as_long(self) -> bool:
        """Whether all games have the same length, of enough to say so."""
        return (
            self.lengths is not None and len(self.lengths["value"]) == 1 and self.games >= MIN_GAMES
        )

    def how_long(self, one: str = "game") -> str:
        """The length of half of the games, and of 19 in 20; empty if the game does not tell.

        Where many games have one and the same length, the median says little of the others, and
        far more than one game in twenty may last as long as the 95th percentile.
        """
        length = self.length
        if length is None or length.median.value is None or length.p95.value is None:
            return ""
        unit = str(self.length_unit)
        if self.always_as_long and not length.stopped:
            return f"A {one} takes {_counted(length.longest, unit)}."
        won = " that were won" if length.stopped else ""
        median, late = round(length.median.value), round(length.p95.value)
        up_to = 0.5 if self.lengths is None else _up_to(self.lengths, median)
        part = "Half" if up_to <= MOST_OF_HALF else f"{100 * up_to:.0f}%"
        told = f"{part} of the {wording.plural(one)}{won} are over after {_counted(median, unit)}"
        return f"{told}." if late <= median else f"{told}, 19 in 20 after {wording.count(late)}."

    def how_close(self, one: str = "game") -> str:
        """Points between first and second, and how often the win is shared."""
        margin, ties = self.margin, self.ties
        if margin.median.value is None:
            return ""
        shared = f"the win is shared in {wording.percent(ties.share)}"
        if ties.share.value == 0:
            none = f"in none of {wording.games(self.games, one)}"
            shared = f"the win was {'not shared' if self.games == 1 else f'shared {none}'}"
        told = self._apart(wording.plural(one))
        if round(margin.median.value) > 1:
            told += f", and in {wording.percent(margin.within_one)} at most one"
        return f"{told}; {shared}."

    def _apart(self, many: str) -> str:
        """How far first and second are apart in half of the games, or in how many they are so far.

        Where many games end with one and the same margin, the median says little of the others.
        """
        median = round(self.margin.median.value or 0.0)
        margins = np.asarray(self.margins["value"], np.int64)
        games = np.asarray(self.margins["games"], np.int64)
        apart = _counted(median, "points")
        up_to = _up_to(self.margins, median)
        if up_to <= MOST_OF_HALF:
            return f"In half of the {many} first and second are at most {apart} apart"
        if median < margins.max():
            return (
                f"In {wording.plain_percent(round(up_to, 2))} of the {many} first and second are "
                f"at most {apart} apart"
            )
        most = float(games[margins == median].sum() / games.sum())
        return (
            f"In {wording.plain_percent(round(most, 2))} of the {many} first and second are "
            f"{apart} apart, the most there was"
        )

    def who_leads(self, one: str = "game", *, compared: bool = True) -> str:
        """How often the leader at half-time wins, and who comes back; against chance and luck."""
        half = next((part for part in self.leader_wins or () if part.at == 0.5), None)
        if half is None or half.share.value is None or self.comeback is None:
            return ""
        versus = ""
        if compared and half.equal_luck is not None:
            versus = (
                f" (drawn by lot it would be {wording.plain_percent(half.chance)}, and "
                f"{wording.percent(replace(half.share, value=half.equal_luck))} if all gained "
                "alike and at random in "
                f"every {str(self.length_unit).removesuffix('s')})"
            )
        when = "at half-time"
        if self.always_as_long and self.length is not None and self.length.longest % 2:
            # Without a middle, it is looked at after the unit in which the middle lies.
            unit, whole = str(self.length_unit).removesuffix("s"), self.length.longest
            when = f"after {unit} {(whole + 1) // 2} of {whole}"
        told = wording.percent_range if compared else wording.percent
        return (
            f"Whoever leads {when} wins {told(half.share)} of "
            f"{wording.plural(one)}{versus}; whoever is last then still wins "
            f"{told(self.comeback.share)}."
        )


def shape_of(result: ResultSet, game: Game) -> Shape:
    """The shape of a run's games.

    Parameters
    ----------
    result
        A run with at least one game.
    game
        Its game, for what length is counted in.
    """
    record = result.sums[RECORD][0]
    players = result.experiment.players
    played = record[MARGIN] > 0
    margins, winners, lengths = (record[which] - 1 for which in (MARGIN, WINNERS, LENGTH))
    followed = record[LENGTH] > 0
    ended = followed & (winners > 0)
    length = lead_changes = leader_wins = comeback = None
    if ended.any():
        length = Length(
            mean=_mean(lengths, ended),
            median=percentile(lengths, ended, 0.5),
            p05=percentile(lengths, ended, 0.05),
            p95=percentile(lengths, ended, 0.95),
            longest=int(lengths[ended].max()),
            stopped=int((followed & ~ended).sum()),
        )
    if followed.any():
        lead_changes = _mean(record[LEAD_CHANGES] - 1, followed)
        if (record[LAST] > 0).any():
            leader_wins = tuple(
                _leading(record[LEADERS + quarter], lengths, winners, at, players, first=True)
                for quarter, at in enumerate(QUARTERS)
            )
            comeback = _leading(record[LAST], lengths, winners, 0.5, players, first=False)
    return Shape(
        games=int(played.sum()),
        length_unit=_unit(game, result.experiment.rules),
        length=length,
        margin=Margin(
            mean=_mean(margins, played),
            median=percentile(margins, played, 0.5),
            within_one=_share(margins <= 1, played),
        ),
        ties=Ties(
            share=_share(winners > 1, played),
            two=_share(winners == 2, played),
            more=_share(winners > 2, played),
        ),
        leader_wins=leader_wins,
        comeback=comeback,
        lead_changes=lead_changes,
        lengths=_histogram(lengths, ended) if length is not None else None,
        margins=_histogram(margins, played),
    )


def _unit(game: Game, rules: Rules) -> str | None:
    unit = getattr(game, "length_unit", None)
    return None if unit is None else str(unit(rules))


def _up_to(found: Columns, most: int) -> float:
    """Part of the games whose value, of a table of how often each occurred, is at most this."""
    values, games = (np.asarray(found[name], np.int64) for name in ("value", "games"))
    return float(games[values <= most].sum() / games.sum())


def _counted(many: int, unit: str) -> str:
    return f"{wording.count(many)} {unit.removesuffix('s') if many == 1 else unit}"


def _led(name: str, one: Leading) -> Document:
    return {**spelled(name, one.share), "chance": one.chance, "equal_luck": one.equal_luck}


def _row(
    name: str, found: Estimate, chance: float | None, luck: float | None
) -> dict[str, float | str | None]:
    return {
        "figure": name,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "chance": chance,
        "equal_luck": luck,
    }


class ByBlock(NamedTuple):
    """A figure of the record with its replicates (1 + B,), and the entries that it is made of."""

    values: Floats
    entries: NDArray[np.int64]
    share: bool


def by_block(result: ResultSet) -> dict[str, ByBlock]:
    """Figures by which the shapes of two runs can be compared, block by block.

    Parameters
    ----------
    result
        A run with at least one game.
    """
    record = result.sums[RECORD][0]
    played = record[MARGIN] > 0
    found: dict[str, ByBlock] = {}

    def add(name: str, which: int, *, mean: bool, unit: int = 1, most: int | None = None) -> None:
        entries = record[which]
        known = entries > 0
        if known.any():
            numbers = entries - 1
            if most is not None:
                numbers = (numbers <= most).astype(np.int64)
            # Blocks without such an entry count as well: all figures of a run have the same ones.
            values = _ratios(numbers, known, unit, played)[0]
            found[name] = ByBlock(values, entries, not mean)

    add("length", LENGTH, mean=True)
    add("margin", MARGIN, mean=True)
    add("margin_within_one", MARGIN, mean=False, most=1)
    add("won_alone", WINNERS, mean=False, most=1)
    add("leader_at_half_wins", LEADERS + 1, mean=False, unit=WHOLE_WIN * WHOLE_WIN)
    add("last_at_half_wins", LAST, mean=False, unit=WHOLE_WIN * WHOLE_WIN)
    add("lead_changes", LEAD_CHANGES, mean=True)
    return found


# --- estimates from the record -------------------------------------------------------------------


def _ratios(
    values: NDArray[np.int64],
    known: NDArray[np.bool_],
    unit: int = 1,
    among: NDArray[np.bool_] | None = None,
) -> tuple[Floats, float, int]:
    """Mean of the known entries with its replicates, their sum, and how many there are.

    ``values`` and ``known`` are (rows, 256): the blocks on the last axis. There is a replicate for
    each block that has a known entry, or one that is ``among`` those looked through.
    """
    sums = {"values": np.where(known, values, 0), "known": known}
    sums["games"] = known if among is None else among
    totals = leave_one_out(
        {name: entries.sum(axis=0)[None] for name, entries in sums.items()}, ("known", "values")
    )
    games, found = totals["known"][:, 0], totals["values"][:, 0]
    return ratio(found, unit * games), int(found[0]) / unit, int(games[0])


def _mean(values: NDArray[np.int64], known: NDArray[np.bool_]) -> Estimate:
    replicates, _, _ = _ratios(values, known)
    return estimate(replicates, bounds=(0.0, math.inf))


def _share(marked: NDArray[np.bool_], known: NDArray[np.bool_]) -> Estimate:
    return share_estimate(*_ratios(marked.astype(np.int64), known))


def percentile(values: NDArray[np.int64], known: NDArray[np.bool_], share: float) -> Estimate:
    """The least value that so large a share of games does not exceed, with Woodruff's interval.

    The interval of the share, by the jackknife, is carried over to values (Woodruff 1952, J. Am.
    Stat. Assoc. 47:635). Where many games have the same value the share of games up to it is known
    better than the share up to the one before, so the widest of both errors, and that of as many
    independent games, is taken.

    Parameters
    ----------
    values, known
        (rows, 256): the blocks on the last axis.
    share
        Between 0 and 1.
    """
    ordered = np.sort(values[known])
    games = ordered.size

    def at(part: float) -> float:
        place = math.ceil(round(part * games, 6)) - 1
        return float(ordered[min(max(place, 0), games - 1)])

    value = at(share)
    upto, below = (_ratios(m.astype(np.int64), known)[0] for m in (values <= value, values < value))
    blocks = len(upto) - 1
    if blocks < MIN_GAMES:
        return Estimate(value)
    errors = [float(standard_error(upto)), float(standard_error(below))]
    error = max(*errors, math.sqrt(share * (1 - share) / games))
    half = quantile(blocks) * error
    return Estimate(value, at(share - half), at(share + half), "woodruff")


def _leading(
    entries: NDArray[np.int64],
    lengths: NDArray[np.int64],
    winners: NDArray[np.int64],
    at: float,
    players: int,
    *,
    first: bool,
) -> Leading:
    known = entries > 0
    share = Estimate(None)
    luck = None
    won = 1.0
    if known.any():
        share = share_estimate(*_ratios(entries - 1, known, WHOLE_WIN * WHOLE_WIN))
        length, many = np.unique(lengths[known], return_counts=True)
        moment = np.minimum(-(-round(4 * at) * length // 4), length - 1)
        lucky = [
            equal_luck(players, m / n, first=first) for m, n in zip(moment, length, strict=True)
        ]
        # What nobody has won, no leader can have won: lot and luck share what is left.
        won = float((winners[known] > 0).mean())
        luck = won * float(np.average(lucky, weights=many))
    return Leading(at, share, won / players, luck)


def _histogram(values: NDArray[np.int64], known: NDArray[np.bool_]) -> Columns:
    value, games = np.unique(values[known], return_counts=True)
    return {"value": value, "games": games}


# --- equal luck ----------------------------------------------------------------------------------


def equal_luck(players: int, part: float, *, first: bool = True) -> float:
    """How often the first, or the last, after a part of the steps is first after all of them.

    Each of ``players`` adds up independent normal gains of the same kind, so that only the part
    counts. With two the leader wins in 1/2 + arcsin(sqrt(part)) / pi of games.

    Parameters
    ----------
    players
        At least 2; a single one is always first.
    part
        Steps taken, from 0 to 1.
    first
        Whether the first or the last after that part is meant.
    """
    if players < 2:
        return 1.0
    # Between these the probability is smooth in the angle, with two players even straight.
    angles = np.linspace(0, math.pi / 2, 17)
    known = _by_angle(players, first)
    return float(np.interp(math.asin(math.sqrt(min(max(part, 0.0), 1.0))), angles, known))


@functools.cache
def _by_angle(players: int, first: bool) -> tuple[float, ...]:
    inner = [_orthant(players, math.sin(a), first) for a in np.linspace(0, math.pi / 2, 17)[1:-1]]
    return (1 / players, *inner, 1.0 if first else 0.0)


def _orthant(players: int, correlation: float, first: bool) -> float:
    """The same from the correlation of a player's sums then and at the end.

    One player's pair of sums (x, y) has the density f; it is first at the end, and first or last
    before, if all others have smaller y, and smaller or larger x: the integral of
    players * f * P(smaller y, and smaller or larger x) ** (players - 1).
    """
    x, step = np.linspace(-REACH, REACH, GRID, retstep=True)
    normal = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    rest = math.sqrt(1 - correlation**2)
    scaled = (x[None, :] - correlation * x[:, None]) / rest
    density = normal[:, None] * np.exp(-scaled * scaled / 2) / (math.sqrt(2 * math.pi) * rest)
    upto = normal[:, None] * special.ndtr(scaled)
    # P(X <= x, Y <= y) by the trapezoid rule along x.
    below = np.cumsum(upto, axis=0) * step - upto * step / 2
    others = below if first else np.maximum(special.ndtr(x)[None, :] - below, 0)
    inside = players * density * others ** (players - 1)
    return float(inside.sum() * step * step)
