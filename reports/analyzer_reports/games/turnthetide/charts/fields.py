"""Turn the Tide: whether the answer depends on how people play, by every measure of it."""

from __future__ import annotations

import pandas as pd

from analyzer.games.turnthetide.lifesavers import measures
from analyzer.statistics.tables import FieldFairness
from analyzer_reports.answers import Answer
from analyzer_reports.chart import Chart, Words
from analyzer_reports.games.turnthetide import panels
from analyzer_reports.games.turnthetide.answers import by_strength, lifesavers_of

SAID = {
    "fair": "fair",
    "over-compensated": "too generous",
    "under-compensated": "too stingy",
    "no-variation": "nothing to compare",
    "undecided": "not sure yet",
}


def data(answer: Answer) -> pd.DataFrame:
    """A row per measure and table of strategies; none without further tables."""
    tables: list[FieldFairness] = by_strength(answer)
    if lifesavers_of(answer) is None or len(tables) < 2:
        return panels.arranged([])
    rows = [
        row
        for table in tables
        for row in panels.cells(
            panels.lineup_name(table.summary.lineup),
            "",
            vars(measures(table.figures["lifesavers"])),
        )
    ]
    return panels.arranged(
        rows,
        verdicts=[SAID[table.verdict] for table in tables],
        ordered=bool(getattr(answer, "strengths", None)),
    )


def words(rows: pd.DataFrame) -> Words:
    """Whether all tables agree."""
    verdicts = rows.attrs["verdicts"]
    if len(set(verdicts)) == 1 and verdicts[0] == SAID["undecided"]:
        title = "No way of playing tried here settles the question yet"
    elif len(set(verdicts)) == 1:
        title = f"Whichever of these ways people play, the verdict is the same: {verdicts[0]}"
    else:
        title = "The answer depends on how people play"
    order = (
        " From top to bottom, players who win less to players who win more when they meet."
        if rows.attrs["ordered"]
        else ""
    )
    caption = (
        "Each measure of the verdict for each table of strategies, with the range the true figure "
        f"lies in.{order} Dashed: where a printing that only makes up for hard cards would stand."
    )
    return Words(title, caption, f"{title}. {panels.in_words(rows)}")


CHART = Chart(
    name="ways-of-playing",
    data=data,
    draw=panels.draw,
    words=words,
    columns=panels.columns,
    frame=panels.frame,
)
