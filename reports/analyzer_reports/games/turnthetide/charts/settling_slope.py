"""Turn the Tide: what a preserver is worth, as games accumulate."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer.games.turnthetide.lifesavers import slope_verdict
from analyzer.statistics.tables import Estimate
from analyzer_reports.answers import Answer
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.games.turnthetide.answers import lifesavers_of
from analyzer_reports.marks import (
    BY_ROW,
    DASHES,
    PHONE,
    ends_of,
    games_axis,
    history_rows,
    interval_columns,
    over_games,
    over_games_frame,
    plain_axis,
    width_of,
    write,
    y_title,
)
from analyzer_reports.style import INK, PALE
from analyzer_reports.words import number, plural


def data(answer: Answer) -> pd.DataFrame:
    """A row per game count at which the slope was estimated."""
    found = lifesavers_of(answer)
    if found is None or found.verdict == "no-variation":
        return pd.DataFrame()
    rows = history_rows(found.history, "slope")
    rows.attrs["margin"] = found.margin
    return rows


def words(rows: pd.DataFrame) -> Words:
    """From how many games on the answer has stood."""
    last, margin = rows.iloc[-1], rows.attrs["margin"]
    verdicts = [
        slope_verdict(Estimate(value, low, high), margin)
        for value, low, high in zip(rows["value"], rows["low"], rows["high"], strict=True)
    ]
    if np.isnan(last["low"]):
        title = "Too few games to say how sure the worth of a preserver is"
    elif verdicts[-1] == "undecided":
        title = f"After {plural(int(last['games']), 'game')} the answer is still open"
    else:
        stood = len(list(itertools.takewhile(verdicts[-1].__eq__, reversed(verdicts))))
        title = (
            f"At every look from {plural(int(rows['games'].iloc[-stood]), 'game')} on the answer "
            "was the same"
        )
        if stood < 2:
            title = f"Only after all {plural(int(last['games']), 'game')} was the answer clear"
    caption = (
        "Points a round that go with one more preserver, as games are added, with the range the "
        "true figure lies in. A fair printing would stay inside the shaded zone, "
        f"{margin:g} points either side of 0."
    )
    alt = f"{title}. The estimate ends at {number(last['value'], 3, True)} points a round"
    if not np.isnan(last["low"]):
        alt += f", between {number(last['low'], 3, True)} and {number(last['high'], 3, True)}"
    return Words(title, caption, alt + ".")


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """The estimate and its interval, against the zone that counts as fair."""
    over_games(ax, rows)
    margin = rows.attrs["margin"]
    low, high = ends_of(rows, -margin, margin)
    ax.set_ylim(low - 0.08 * (high - low), high + 0.08 * (high - low))
    _fair_zone(ax, margin)
    games_axis(ax, rows, width_of(ax) < PHONE)
    plain_axis(ax.yaxis, 5)
    y_title(ax, "points a round")


def _fair_zone(ax: Axes, margin: float) -> None:
    """Zero, and the band round it in which a preserver counts as fair."""
    ax.axhspan(-margin, margin, color=PALE, lw=0, zorder=0.2)
    ax.axhline(0, color=INK, lw=1.1, ls=DASHES, zorder=1)
    write(ax, "fair", (1, 0), (6, 0), BY_ROW, va="center_baseline")


CHART = Chart(
    name="settling-preservers",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (Column("games", "Games", "count"), *interval_columns("Points a round")),
    frame=over_games_frame,
)
