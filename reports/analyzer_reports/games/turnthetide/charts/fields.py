"""Turn the Tide: whether the answer depends on how people play."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer.games.turnthetide.lifesavers import FAIR_WITHIN
from analyzer_reports.answers import Answer, by_table
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.marks import (
    PHONE,
    dots,
    dots_frame,
    ends_of,
    estimates,
    interval,
    interval_columns,
    plain_axis,
    width_of,
)
from analyzer_reports.words import number, shorten

COLUMNS = ("label", "value", "low", "high", "said", "pays", "gap", "verdict")

SAID = {
    "fair": "fair",
    "over-compensated": "too generous",
    "under-compensated": "too stingy",
    "no-variation": "nothing to compare",
    "undecided": "not sure yet",
}


def data(answer: Answer) -> pd.DataFrame:
    """A row per table of strategies, the run itself first; none without further tables."""
    rows = estimates(
        [
            {
                "label": label,
                **interval(part.slope),
                "said": f"{number(part.slope.value, 2, True)} {SAID[part.verdict]}",
                "pays": part.compensation.value,
                "gap": part.round_win_gap.value,
                "verdict": SAID[part.verdict],
            }
            for label, part in by_table(answer, "lifesavers")
        ],
        COLUMNS,
    )
    return rows.astype({"pays": float, "gap": float})


def words(rows: pd.DataFrame) -> Words:
    """Whether all tables agree."""
    verdicts = list(rows["verdict"])
    if len(set(verdicts)) == 1 and verdicts[0] == SAID["undecided"]:
        title = "No way of playing tried here settles the question yet"
    elif len(set(verdicts)) == 1:
        title = f"Whichever of these ways people play, the verdict is the same: {verdicts[0]}"
    else:
        title = "The answer depends on how people play"
    caption = (
        "Points a round that go with one more preserver, for each table of strategies, with the "
        "range the true figure lies in. Inside the shaded zone round 0 a printing counts as fair."
    )
    alt = f"{title}. " + "; ".join(
        f"{shorten(str(label), 50)}: {number(value, 2, True)}, {verdict}"
        for label, value, verdict in zip(rows["label"], rows["value"], verdicts, strict=True)
    )
    return Words(title, caption, alt + ".")


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A dot and an interval each, against the fair zone."""
    phone = width_of(ax) < PHONE
    low, high = ends_of(rows, -FAIR_WITHIN, FAIR_WITHIN)
    pad = 0.08 * (high - low)
    ax.set_xlim(low - pad, high + pad)
    dots(ax, rows, 0.0, "fair", FAIR_WITHIN)
    plain_axis(ax.xaxis, 4 if phone else 7)
    ax.set_xlabel("points a round for one more preserver")


CHART = Chart(
    name="ways-of-playing",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("label", "Table", "text"),
        *interval_columns("Points"),
        Column("pays", "Paid for", "percent", 0),
        Column("verdict", "Verdict", "text"),
    ),
    frame=dots_frame,
)
