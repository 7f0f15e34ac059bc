"""A chart of Lowball: how often each number wins the round."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.marks import PHONE, estimates, percent_axis, plain_axis, width_of, y_title
from analyzer_reports.style import ACCENT, PALE
from analyzer_reports.words import percent
from lowball.figures import Naming

__all__ = ["CHART"]

COLUMNS = ("number", "named", "value", "low", "high")


def data(answer: Answer) -> pd.DataFrame:
    """A row a number that was named; none without the figures of the study."""
    found = figure_of(answer, "naming", Naming)
    numbers = () if found is None else found.numbers
    return estimates(
        [
            {
                "number": one.number,
                "named": one.named.value,
                "value": one.wins.value,
                "low": one.wins.low,
                "high": one.wins.high,
            }
            for one in numbers
            if one.wins.value is not None
        ],
        COLUMNS,
    )


def words(rows: pd.DataFrame) -> Words:
    """Which numbers win most and least often, as far as the ranges tell."""
    best, worst = rows.sort_values("low").iloc[-1], rows.sort_values("high").iloc[0]
    if best["low"] > worst["high"]:
        title = (
            f"Naming {best['number']:.0f} wins a round in {percent(best['value'])} of cases, "
            f"naming {worst['number']:.0f} in {percent(worst['value'])}"
        )
    else:
        title = "No number is shown to win more often than another"
    caption = (
        "How often naming a number wins a round, with the range the true share lies in. Pale "
        "bars: how often it is named."
    )
    told = [f"{n:.0f} {percent(x)}" for n, x in zip(rows["number"], rows["value"], strict=True)]
    return Words(title, caption, f"{title}. By number: {'; '.join(told)}.")


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A dot and an interval each; bars behind them."""
    ax.bar(rows["number"], rows["named"], width=0.8, color=PALE)
    ax.vlines(rows["number"], rows["low"], rows["high"], color=ACCENT, lw=3.2, alpha=0.5)
    ax.plot(rows["number"], rows["value"], "o", color=ACCENT, ms=7, clip_on=False)
    ax.set_ylim(0, None)
    plain_axis(ax.xaxis, 6 if width_of(ax) < PHONE else 12, whole=True)
    ax.yaxis.set_major_formatter(percent_axis())
    ax.set_xlabel("number")
    y_title(ax, "rounds won by naming it")


CHART = Chart(
    name="numbers",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("number", "Number", "count"),
        Column("named", "Named", "percent", 2),
        Column("value", "Wins", "percent", 2),
        Column("low", "from", "percent", 2),
        Column("high", "to", "percent", 2),
    ),
    frame=lambda rows, width: Frame(height=320, left=48, bottom=50),
)
