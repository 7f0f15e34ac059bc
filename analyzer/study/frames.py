"""An answer as tables: a row a seat, a count, a card, a figure; a column an estimate's bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from analyzer.rules import toml_text
from analyzer.statistics.tables import Estimate, Fairness, Lifesavers, Suggestion, Summary

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frames"]

Rows = list[dict[str, Any]]


def frames(answer: Summary | Fairness) -> dict[str, pd.DataFrame]:
    """Every table of an answer by its name; an estimate gets columns NAME, NAME_low, NAME_high."""
    import pandas as pd

    summary = answer.summary if isinstance(answer, Fairness) else answer
    tables: dict[str, Rows] = {
        "seats": _rows(summary.seats),
        "strategies": _rows(summary.strategies),
        "metrics": _figures(summary.metrics),
        "settings": [{"setting": k, "value": toml_text(v)} for k, v in summary.rules.items()],
    }
    tables["exact"] = _rows(summary.exact)
    whole = {"scores": pd.DataFrame(summary.scores), "history": pd.DataFrame(summary.history)}
    if summary.places is not None:
        whole["places"] = pd.DataFrame(summary.places)
    if summary.risks is not None:
        whole["risks"] = pd.DataFrame(summary.risks)
    if summary.greed is not None:
        tables["rivals"] = _rows(summary.greed.rivals)
        tables["greed"] = _figures(summary.greed.figures)
        whole["turns"] = pd.DataFrame(summary.greed.turns)
        whole["busts"] = pd.DataFrame(summary.greed.busts)
    if isinstance(answer, Fairness):
        tables["seats_test"] = _rows([answer.seats_test])
        if answer.lifesavers is not None:
            tables |= _lifesavers(answer.lifesavers)
            whole["slope_history"] = pd.DataFrame(answer.lifesavers.history)
        if answer.suggestion is not None:
            tables |= _suggestion(answer.suggestion)
        for name, figure in answer.figures.items():
            tables |= _parts(name, figure)
        tables["fields"] = [
            {"field": field.field, "verdict": field.verdict, "answer": field.answer}
            | _flat(field.seats_test)
            | (_flat(field.lifesavers) if field.lifesavers is not None else {})
            | {
                f"{name}_{key}": cell
                for name, figure in field.figures.items()
                for key, cell in _flat(figure).items()
            }
            for field in answer.fields
        ]
    return {name: pd.DataFrame(rows) for name, rows in tables.items() if rows} | whole


def _lifesavers(found: Lifesavers) -> dict[str, Rows]:
    figures = {f.name: getattr(found, f.name) for f in fields(found)}
    return {
        "lifesavers": _figures({k: v for k, v in figures.items() if isinstance(v, Estimate)}),
        "by_count": _rows(found.by_count),
        "cards": _rows(found.cards),
    }


def _suggestion(found: Suggestion) -> dict[str, Rows]:
    printings = zip(found.preservers, found.bands_preservers, strict=True)
    return {
        "suggestion": [
            {"card": card, "half_preservers": halves, "half_preservers_in_bands": bands}
            for card, (halves, bands) in enumerate(printings, start=1)
        ],
        "suggestion_measures": [
            {"printing": name} | _flat(getattr(found, name))
            for name in ("before", "after", "bands")
        ],
    }


def _parts(name: str, figure: Any) -> dict[str, Rows]:
    """What a figure of one game says itself, and a table for each list in it."""
    plain = _flat(figure)
    parts = {name: [plain]} if plain else {}
    for field in fields(figure):
        value = getattr(figure, field.name)
        if isinstance(value, tuple):
            parts[f"{name}_{field.name}"] = _rows(value)
        elif isinstance(value, Mapping):
            columns = value.items()
            cells = zip(*(column.tolist() for _, column in columns), strict=True)
            parts[f"{name}_{field.name}"] = [dict(zip(value, row, strict=True)) for row in cells]
    return parts


def _figures(figures: Mapping[str, Estimate]) -> Rows:
    """A row a figure."""
    return [
        {"figure": name, "value": figure.value, "low": figure.low, "high": figure.high}
        for name, figure in figures.items()
    ]


def _rows(items: Iterable[Any]) -> Rows:
    return [_flat(item) for item in items]


def _flat(item: Any) -> dict[str, Any]:
    """The plain fields of a result, and its estimates spread over three columns."""
    row: dict[str, Any] = {}
    for field in fields(item):
        value = getattr(item, field.name)
        if isinstance(value, Estimate):
            row[field.name] = value.value
            row[f"{field.name}_low"] = value.low
            row[f"{field.name}_high"] = value.high
        elif value is None or isinstance(value, (bool, int, float, str)):
            row[field.name] = value
        elif is_dataclass(value) and field.name != "summary":
            row |= {f"{field.name}_{key}": cell for key, cell in _flat(value).items()}
    return row
