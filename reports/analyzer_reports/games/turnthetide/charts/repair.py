"""Turn the Tide: what a suggested printing would change, at every table of strategies."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analyzer.games.turnthetide.figures import Suggestion
from analyzer.games.turnthetide.suggest import better, compare
from analyzer_reports.answers import Answer
from analyzer_reports.chart import Chart, Words
from analyzer_reports.games.turnthetide import panels
from analyzer_reports.games.turnthetide.answers import suggestion_of
from analyzer_reports.words import joined, shorten


def data(answer: Answer) -> pd.DataFrame:
    """A row per measure, table and printing; none without a suggestion."""
    suggestion = suggestion_of(answer)
    if suggestion is None:
        return panels.arranged([])
    rows = [
        row
        for one in suggestion.tables_judged
        for printing, measures in (
            (panels.TODAY, one.before),
            (panels.SUGGESTED, one.after),
            (panels.BANDS, one.bands),
        )
        for row in panels.cells(one.table.removesuffix(" players"), printing, vars(measures))
    ]
    return panels.arranged(rows, title=_title(suggestion))


def _title(suggestion: Suggestion) -> str:
    """For whom it is better and for whom worse."""
    tables = suggestion.tables_judged
    if suggestion.preservers and all(one.before == one.after for one in tables):
        return "No printing found is more even than today's"
    changes = [(one.table, compare(one.before, one.after)) for one in tables]
    if any(found["hand_sd"] == "open" and one.after.hand_sd.low is None
           for one, (_, found) in zip(tables, changes, strict=True)):  # fmt: skip
        return "Too few games to tell what the suggested printing changes"
    good = [one.table for one in tables if better(one.before, one.after)]
    worse = [name for name, found in changes if "worse" in found.values()]
    if len(good) == len(tables):
        return f"The suggested printing leaves less to the hand dealt among {_names(good)}"
    if not good and not worse:
        return "The suggested printing is not shown to leave less to the hand dealt"
    parts = [f"better among {_names(good)}"] * bool(good)
    parts += [f"worse in some way among {_names(worse)}"] * bool(worse)
    return f"The suggested printing is {', '.join(parts)}"


def _names(tables: Sequence[str]) -> str:
    return joined([shorten(name, 40) for name in tables])


def words(rows: pd.DataFrame) -> Words:
    """For whom the suggested printing is better, for whom worse."""
    title = rows.attrs["title"]
    caption = (
        "On deals that the printings were not chosen by. Hollow: today. Filled: suggested; "
        "diamond: suggested in five bands. Dashed: where a printing that only makes up for hard "
        "cards would stand."
    )
    return Words(title, caption, f"{title}. {panels.in_words(rows)}")


CHART = Chart(
    name="before-and-after",
    data=data,
    draw=panels.draw,
    words=words,
    columns=panels.columns,
    frame=panels.frame,
)
