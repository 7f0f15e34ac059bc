"""When games are decided: how often whoever is ahead goes on to win, turn by turn."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer_reports.answers import Answer
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.games.switch16.charts import turns
from analyzer_reports.marks import (
    BY_ROW,
    DASHES,
    PHONE,
    percent_axis,
    plain_axis,
    width_of,
    write,
    y_title,
)
from analyzer_reports.style import ACCENT, INK
from analyzer_reports.words import number, percent

ENOUGH = 0.02
"""Part of the games that must still be going on for a turn to be shown."""


def data(answer: Answer) -> pd.DataFrame:
    """The turns in which somebody can be ahead, with what is known of them."""
    rows = turns.shown(answer)
    if rows.empty:
        return rows
    going = 1 - rows["decided"].shift(fill_value=0.0)
    frame = rows[(going >= ENOUGH) & rows["low"].notna()].reset_index(drop=True)
    frame.attrs.update(rows.attrs)
    return frame


def _halfway(rows: pd.DataFrame) -> pd.Series[float]:
    """The turn by which half of the games are over, or the last one shown."""
    return rows.iloc[int(np.argmin(np.abs(rows["decided"].to_numpy() - 0.5)))]


def words(rows: pd.DataFrame) -> Words:
    """What a lead is worth in the middle of a game."""
    equal, many = 1 / rows.attrs["players"], rows.attrs["many"]
    middle = _halfway(rows)
    share, turn = float(middle["ahead_wins"]), int(middle["turn"])
    if float(middle["low"]) > equal:
        much = "not much more than" if share < equal + 0.1 else "against"
        title = (
            f"Who is ahead in turn {turn} wins {percent(share)} of {many}, {much} an equal "
            f"{percent(equal)}"
        )
    elif float(middle["high"]) < equal:
        title = f"Who is ahead in turn {turn} wins less often than others: {percent(share)}"
    else:
        title = f"Being ahead in turn {turn} is not seen to help at all"
    caption = (
        f"How often the player whose deck alone is furthest goes on to win, among the {many} not "
        "yet over, with the range the true share lies in. Dashed: an equal share. At 100% "
        f"{many} would be decided."
    )
    first, last = rows.iloc[0], rows.iloc[-1]
    alt = (
        f"{title}. In turn {number(first['turn'], 0)} it is {percent(first['ahead_wins'])}, in "
        f"turn {number(last['turn'], 0)} {percent(last['ahead_wins'])}."
    )
    return Words(title, caption, alt)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A line with its band, on the whole scale from nothing to certainty."""
    equal = 1 / rows.attrs["players"]
    ax.axhline(equal, color=INK, lw=1.1, ls=DASHES, zorder=1)
    ax.fill_between(rows["turn"], rows["low"], rows["high"], color=ACCENT, alpha=0.22, lw=0)
    ax.plot(rows["turn"], rows["ahead_wins"], color=ACCENT, zorder=3)
    name = f"equal share {percent(equal)}"
    write(ax, name, (1, equal), (-2, -6), BY_ROW, ha="right", va="top")
    ax.set_ylim(0, 1)
    ax.set_xlim(float(rows["turn"].iloc[0]) - 0.5, float(rows["turn"].iloc[-1]) + 0.5)
    plain_axis(ax.xaxis, 5 if width_of(ax) < PHONE else 9, whole=True)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.yaxis.set_major_formatter(percent_axis())
    ax.set_xlabel("turn that begins")
    y_title(ax, "who is ahead wins")


CHART = Chart(
    name="course",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("turn", "Turn", "count"),
        Column("ahead", "Somebody ahead", "percent", 1),
        Column("ahead_wins", "Wins", "percent", 1),
        Column("low", "from", "percent", 1),
        Column("high", "to", "percent", 1),
    ),
    frame=lambda rows, width: Frame(height=290 if width >= PHONE else 260, left=48, bottom=50),
)
