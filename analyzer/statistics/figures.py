"""A game's own figures as JSON and as rows of tables, whatever they are.

A figure is a frozen dataclass of plain values, estimates, `Columns`, and other dataclasses of their
kind or tuples of them. Where the general forms below do not suit, it has methods of its own:
``document()`` for its JSON, ``tables()`` for its tables by name, ``cells()`` for what stands of it
in one row of a table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from analyzer.errors import PluginError
from analyzer.statistics.tables import Columns, Estimate

__all__ = [
    "Document",
    "Rows",
    "cells",
    "check_names",
    "document",
    "estimate_rows",
    "finite",
    "flat",
    "plain",
    "rows",
    "spelled",
    "table_rows",
    "tables",
]

RESERVED = frozenset({
    "schema", "game", "players", "games", "seed", "unfinished", "precision_reached",
    "interval_kind", "rules", "rotated", "seats", "strategies", "places", "metrics",
    "throughput", "note", "answer", "verdict", "seats_test", "fields", "field", "settings",
    "scores", "history", "shape", "shape_lengths", "shape_margins", "strengths", "games_needed",
})  # fmt: skip
"""Names in the documents of every game, and those of its tables."""
NAME = re.compile(r"[\w-]+", re.ASCII)

Document = dict[str, Any]
Rows = list[dict[str, Any]]


def check_names(names: Iterable[str]) -> None:
    """Refuse names of a game's own figures or tables that every document or run has.

    Raises
    ------
    PluginError
        Naming the first of them.
    """
    for name in names:
        if name in RESERVED or not NAME.fullmatch(name):
            raise PluginError(
                f"a figure of the game is called {name!r}; choose letters, digits, '_' and '-', "
                f"and none of {', '.join(sorted(RESERVED))}."
            )


# --- JSON ----------------------------------------------------------------------------------------


def document(figure: Any) -> Any:
    """A figure as JSON; tables over games stay out."""
    own = getattr(figure, "document", None)
    if own is not None:
        return own()
    found: Document = {}
    for field in fields(figure):
        value = getattr(figure, field.name)
        if isinstance(value, Estimate):
            found |= spelled(field.name, value)
        elif is_dataclass(value):
            found[field.name] = document(value)
        elif isinstance(value, tuple):
            found[field.name] = [document(x) if is_dataclass(x) else plain(x) for x in value]
        elif not isinstance(value, Mapping):
            found[field.name] = plain(value)
    return found


def spelled(name: str, estimate: Estimate) -> Document:
    """An estimate under its name, its interval beside it as ``NAME_ci``: two numbers or None."""
    low, high = finite(estimate.low), finite(estimate.high)
    interval = None if low is None or high is None else [low, high]
    return {name: finite(estimate.value), f"{name}_ci": interval}


def table_rows(table: Columns, figure: str) -> list[Document]:
    """A table as a list of rows; its columns low and high become the interval of one figure."""
    found = []
    for values in zip(*table.values(), strict=True):
        row = dict(zip(table, plain(values), strict=True))
        low, high = row.pop("low"), row.pop("high")
        found.append({**row, f"{figure}_ci": None if low is None or high is None else [low, high]})
    return found


def finite(value: float | None) -> float | None:
    """A Python float, or None for what is not a finite number."""
    return float(value) if value is not None and math.isfinite(value) else None


def plain(value: Any) -> Any:
    """The same value in types that JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): plain(inside) for key, inside in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(inside) for inside in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


# --- tables --------------------------------------------------------------------------------------


def tables(name: str, figure: Any) -> dict[str, Rows | Columns]:
    """What a figure says itself, and a table for each list in it."""
    own = getattr(figure, "tables", None)
    if own is not None:
        found: dict[str, Rows | Columns] = own()
        check_names(found)
        return found
    row = flat(figure)
    parts: dict[str, Rows | Columns] = {name: [row]} if row else {}
    for field in fields(figure):
        value = getattr(figure, field.name)
        if isinstance(value, tuple):
            parts[f"{name}_{field.name}"] = rows(value)
        elif isinstance(value, Mapping):
            columns = zip(*(column.tolist() for column in value.values()), strict=True)
            parts[f"{name}_{field.name}"] = [dict(zip(value, row, strict=True)) for row in columns]
    return parts


def cells(name: str, figure: Any) -> dict[str, Any]:
    """What stands of a figure in one row of a table, its name before each column."""
    own = getattr(figure, "cells", None)
    if own is not None:
        found: dict[str, Any] = own()
        return found
    return {f"{name}_{key}": cell for key, cell in flat(figure).items()}


def estimate_rows(figures: Mapping[str, Estimate]) -> Rows:
    """A row an estimate."""
    return [
        {"figure": name, "value": figure.value, "low": figure.low, "high": figure.high}
        for name, figure in figures.items()
    ]


def rows(items: Iterable[Any]) -> Rows:
    """A row a dataclass."""
    return [flat(item) for item in items]


def flat(item: Any) -> dict[str, Any]:
    """The plain fields of a dataclass, and its estimates spread over three columns."""
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
            row |= {f"{field.name}_{key}": cell for key, cell in flat(value).items()}
    return row
