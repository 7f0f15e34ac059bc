"""A game's own figures as JSON and as tables, whatever they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from analyzer.statistics import figures
from analyzer.statistics.tables import Columns, Estimate

SURE, UNSURE = Estimate(0.5, 0.25, 0.75, "wilson", 0.1), Estimate(2.0)


@dataclass(frozen=True)
class Card:
    """A figure of the general form."""

    card: int
    worth: Estimate
    name: str = "a card"


@dataclass(frozen=True)
class Own:
    """A figure that knows its own forms."""

    value: int

    def document(self) -> Any:
        return {"value in words": str(self.value)}

    def tables(self) -> Any:
        return {"own": [{"x": self.value}]}

    def cells(self) -> Any:
        return {"own cell": self.value}


@dataclass(frozen=True)
class Summary:
    """A figure that has nothing of its own to say."""

    deep: Card = field(default_factory=lambda: Card(9, UNSURE))


@dataclass(frozen=True)
class Hand:
    """A figure of figures."""

    share: Estimate
    best: Card
    own: Own
    cards: tuple[Card, ...]
    counts: tuple[Any, ...]
    rate: float | None
    judged: bool
    history: Columns
    summary: Summary = field(default_factory=Summary)


HISTORY: Columns = {"games": np.array([10, 20]), "share": np.array([0.25, np.nan])}
HAND = Hand(
    share=SURE,
    best=Card(3, UNSURE),
    own=Own(4),
    cards=(Card(1, SURE), Card(2, UNSURE, "another")),
    counts=(np.int64(1), float("inf")),
    rate=float("nan"),
    judged=True,
    history=HISTORY,
)


def test_a_document_has_everything_but_tables_over_games() -> None:
    assert figures.document(HAND) == {
        "share": 0.5,
        "share_ci": [0.25, 0.75],
        "best": {"card": 3, "worth": 2.0, "worth_ci": None, "name": "a card"},
        "own": {"value in words": "4"},
        "cards": [
            {"card": 1, "worth": 0.5, "worth_ci": [0.25, 0.75], "name": "a card"},
            {"card": 2, "worth": 2.0, "worth_ci": None, "name": "another"},
        ],
        "counts": [1, None],
        "rate": None,
        "judged": True,
        "summary": {"deep": {"card": 9, "worth": 2.0, "worth_ci": None, "name": "a card"}},
    }


CELLS = {
    "share": 0.5, "share_low": 0.25, "share_high": 0.75,
    "best_card": 3, "best_worth": 2.0, "best_worth_low": None, "best_worth_high": None,
    "best_name": "a card", "own_value": 4, "judged": True,
}  # fmt: skip


def test_a_row_has_plain_fields_and_estimates_over_three_columns() -> None:
    row = figures.flat(HAND)
    assert np.isnan(row.pop("rate"))
    assert row == CELLS
    named = figures.cells("hand", HAND)
    assert np.isnan(named.pop("hand_rate"))
    assert named == {f"hand_{key}": cell for key, cell in CELLS.items()}
    assert figures.cells("mine", HAND.own) == {"own cell": 4}
    assert figures.rows(HAND.cards) == [figures.flat(card) for card in HAND.cards]
    assert figures.flat(HAND.cards[1]) == {
        "card": 2, "worth": 2.0, "worth_low": None, "worth_high": None, "name": "another",
    }  # fmt: skip


def test_a_figure_has_a_table_and_one_for_each_list() -> None:
    @dataclass(frozen=True)
    class Lists:
        cards: tuple[Card, ...]
        history: Columns

    @dataclass(frozen=True)
    class Pair(Lists):
        rate: float | None = None

    found = figures.tables("lists", Lists(HAND.cards, {"games": np.array([10, 20])}))
    assert found == {
        "lists_cards": figures.rows(HAND.cards),
        "lists_history": [{"games": 10}, {"games": 20}],
    }
    assert figures.tables("pair", Pair((), HISTORY)) == {
        "pair": [{"rate": None}],
        "pair_cards": [],
        "pair_history": [{"games": 10, "share": 0.25}, {"games": 20, "share": pytest.approx(
            float("nan"), nan_ok=True
        )}],
    }  # fmt: skip
    assert figures.tables("mine", HAND.own) == {"own": [{"x": 4}]}
    with pytest.raises(ValueError):
        figures.tables("lists", Lists((), {"a": np.arange(2), "b": np.arange(3)}))


def test_estimates_by_name_are_a_row_each() -> None:
    assert figures.estimate_rows({"share": SURE, "mean": UNSURE}) == [
        {"figure": "share", "value": 0.5, "low": 0.25, "high": 0.75},
        {"figure": "mean", "value": 2.0, "low": None, "high": None},
    ]


def test_a_table_with_an_interval_needs_both_its_ends() -> None:
    nan = float("nan")
    table = {
        "seat": np.arange(4),
        "low": np.array([0.1, nan, 0.1, nan]),
        "share": np.array([0.2, 0.2, nan, 0.2]),
        "high": np.array([0.3, 0.3, nan, nan]),
    }
    assert figures.table_rows(table, "share") == [
        {"seat": 0, "share": 0.2, "share_ci": [0.1, 0.3]},
        {"seat": 1, "share": 0.2, "share_ci": None},
        {"seat": 2, "share": None, "share_ci": None},
        {"seat": 3, "share": 0.2, "share_ci": None},
    ]
    with pytest.raises(ValueError):
        figures.table_rows({**table, "more": np.arange(5)}, "share")


def test_an_interval_in_json_has_two_finite_ends() -> None:
    inf = float("inf")
    for low, high, interval in ((0.0, 1.0, [0.0, 1.0]), (-inf, 1.0, None), (0.0, inf, None)):
        assert figures.spelled("x", Estimate(0.5, low, high)) == {"x": 0.5, "x_ci": interval}
    assert figures.finite(None) is None and figures.finite(np.float64(2)) == 2.0
    assert type(figures.finite(np.float64(2))) is float
