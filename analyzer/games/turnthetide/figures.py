"""What only Turn the Tide is asked: what life preservers are worth, and a fairer printing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from analyzer.statistics.figures import Rows, estimate_rows, flat, rows
from analyzer.statistics.tables import Columns, Estimate


@dataclass(frozen=True)
class CountRow:
    """How hands with one number of printed preservers fare."""

    lifesavers: int
    rounds: int
    mean_score: Estimate
    eliminated: float
    bonus: float
    lost: float
    round_win: Estimate


@dataclass(frozen=True)
class CardWorth:
    """What holding one weather card is worth, in points a round."""

    card: int
    printed: float
    """Printed preservers: half-counts / 2."""
    worth: Estimate
    worth_flat: Estimate


@dataclass(frozen=True)
class Rotation:
    """The dealt hand's share of the variance of table-centered scores, before and after passing.

    ``one_round`` within a single round, ``final`` in the final scores (exactly 0 for the additive
    part of hand luck when every player plays every hand).
    """

    one_round: Estimate
    final: Estimate


@dataclass(frozen=True)
class Measures:
    """The measures a suggestion is judged by, the most telling one first."""

    hand_sd: Estimate
    slope: Estimate
    round_win_gap: Estimate
    hand_share: Estimate
    compensation: Estimate


@dataclass(frozen=True)
class Bands(Measures):
    """A printing that is the same within each of the five bands, and its measures."""

    preservers: tuple[int, ...]


@dataclass(frozen=True)
class JudgedTable:
    """How printings do at one table of strategies, on chance that none of them was chosen by."""

    table: str
    """Who plays, in words."""
    before: Measures
    after: Measures
    bands: Measures


@dataclass(frozen=True)
class Suggestion:
    """A fairer printing: half-counts for cards 1..60, and the same rounded to the five bands.

    ``before``, ``after`` and ``bands`` are about the first of ``tables_judged``.
    """

    preservers: tuple[int, ...]
    before: Measures
    after: Measures
    bands: Bands
    rounds_tried: int
    tables_judged: tuple[JudgedTable, ...]
    answer: str
    """What the printings do at which table, in a sentence or two."""
    fresh_seed: int
    """Seed of the games they are judged by."""

    def tables(self) -> dict[str, Rows | Columns]:
        """Both printings card by card, and what they are judged by."""
        printings = zip(self.preservers, self.bands.preservers, strict=True)
        return {
            "suggestion": [
                {"card": card, "half_preservers": halves, "half_preservers_in_bands": bands}
                for card, (halves, bands) in enumerate(printings, start=1)
            ],
            "suggestion_measures": [
                {"table": one.table, "printing": name} | flat(getattr(one, name))
                for one in self.tables_judged
                for name in ("before", "after", "bands")
            ],
        }


FAIR_WITHIN = 0.05
"""Points a round per preserver within which a slope counts as none, unless the user says."""


@dataclass(frozen=True)
class Lifesavers:
    """Whether the life preservers of Turn the Tide are fair; figures as in the statistics page.

    ``history`` has columns games, slope, low, high: the estimate as games accumulate (NaN where
    there is no interval). ``flat_count`` is the N of the ``flat:N`` run behind ``handicap``,
    ``gift``, ``compensation`` and ``worth_flat``; None without one.
    """

    by_count: tuple[CountRow, ...]
    slope: Estimate
    slope_within: Estimate
    handicap: Estimate
    gift: Estimate
    compensation: Estimate
    round_win_gap: Estimate
    gap_counts: tuple[int, int]
    """The counts at the 5th and 95th percentile of hands."""
    worst_hands_win: Estimate
    """Share of rounds that the twentieth of hands with the fewest preservers wins."""
    best_hands_win: Estimate
    """The same of the twentieth with the most."""
    hand_share: Estimate
    hand_sd: Estimate
    """Points by which the hand dealt moves a round's score: a standard deviation."""
    own_hand_share: Estimate
    """Its square as a part of the variance of a round's scores."""
    rotation: Rotation
    cards: tuple[CardWorth, ...]
    verdict: Literal["fair", "over-compensated", "under-compensated", "no-variation", "undecided"]
    history: Columns
    flat_count: int | None = None
    suggestion: Suggestion | None = None
    """A fairer printing, if one was asked for."""
    margin: float = FAIR_WITHIN
    """Points a round per preserver within which the verdict takes a slope for none."""

    def tables(self) -> dict[str, Rows | Columns]:
        """The figures in one table, and each list in one of its own."""
        figures = {k: v for k, v in vars(self).items() if isinstance(v, Estimate)}
        found: dict[str, Rows | Columns] = {
            "lifesavers": estimate_rows(figures),
            "by_count": rows(self.by_count),
            "cards": rows(self.cards),
            "slope_history": self.history,
        }
        return found if self.suggestion is None else found | self.suggestion.tables()

    def cells(self) -> dict[str, Any]:
        """What stands of it in a row of other tables of strategies."""
        row = flat(self)
        return {key: cell for key, cell in row.items() if not key.startswith("suggestion")}
