"""An answer as tables: a row a seat, a count, a card, a figure; a column an estimate's bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.rules import toml_text
from analyzer.statistics.figures import Rows, cells, estimate_rows, flat, rows, tables
from analyzer.statistics.tables import Columns, Fairness, Summary

if TYPE_CHECKING:
    import pandas as pd


def frames(answer: Summary | Fairness) -> dict[str, pd.DataFrame]:
    """Every table of an answer by its name; an estimate gets columns NAME, NAME_low, NAME_high."""
    import pandas as pd

    summary = answer.summary if isinstance(answer, Fairness) else answer
    found: dict[str, Rows | Columns] = {
        "seats": rows(summary.seats),
        "strategies": rows(summary.strategies),
        "metrics": estimate_rows(summary.metrics),
        "settings": [{"setting": k, "value": toml_text(v)} for k, v in summary.rules.items()],
        "scores": summary.scores,
        "history": summary.history,
    }
    if summary.shape is not None:
        found |= summary.shape.tables()
    if summary.places is not None:
        found["places"] = summary.places
    figures = {**summary.figures, **summary.aside}
    if isinstance(answer, Fairness):
        figures |= answer.figures
        found["seats_test"] = rows([answer.seats_test])
        found["fields"] = [
            {"field": field.field, "verdict": field.verdict, "answer": field.answer}
            | flat(field.seats_test)
            | {key: cell for pair in field.figures.items() for key, cell in cells(*pair).items()}
            for field in answer.fields
        ]
    for name, figure in figures.items():
        found |= tables(name, figure)
    return {
        name: pd.DataFrame(table)
        for name, table in found.items()
        if not isinstance(table, list) or table
    }
