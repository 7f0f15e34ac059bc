"""Turn the Tide: how much the dealt hand decides, in one round and in the whole game."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer_reports.answers import Answer
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.games.turnthetide.answers import lifesavers_of
from analyzer_reports.marks import (
    PHONE,
    dots,
    dots_frame,
    ends_of,
    estimates,
    interval,
    interval_columns,
    percent_axis,
    plain_axis,
    width_of,
)
from analyzer_reports.words import figure, known, percent

COLUMNS = ("label", "value", "low", "high", "said")
ROUND, GAME = "In one round", "In the final scores"


def data(answer: Answer) -> pd.DataFrame:
    """The dealt hand's share of the differences between players, before and after passing."""
    found = lifesavers_of(answer)
    if found is None or found.rotation.one_round.value is None:
        return estimates([], COLUMNS)
    after = found.rotation.final
    # By the rules of passing, not by sampling: it has no interval and needs none.
    exact = known(found.rotation.one_round) and after.value == 0 and not known(after)
    parts = ((ROUND, found.rotation.one_round), (GAME, after))
    return estimates(
        [
            {
                "label": label,
                **interval(replace(part, low=0.0, high=0.0) if exact and part is after else part),
                "said": figure(part, share=True),
            }
            for label, part in parts
            if part.value is not None
        ],
        COLUMNS,
        exact=exact,
    )


def words(rows: pd.DataFrame) -> Words:
    """What passing the hands round repairs."""
    before = rows.iloc[0]
    if np.isnan(before["low"]):
        title = "Too few games to tell what the dealt hand decides"
    elif not before["low"] > 0:
        title = "These games do not show that the dealt hand decides anything"
    elif len(rows) == 1:
        title = f"The dealt hand makes {percent(before['value'], 0)} of the differences in a round"
    else:
        after = rows.iloc[1]
        change = f"from {percent(before['value'], 0)} to {percent(after['value'], 0)}"
        if rows.attrs["exact"]:
            title = f"What a hand is worth to all alike, passing it round evens out: {change}"
        elif after["high"] < before["value"] / 4:
            title = f"Passing the hands round removes the luck of the deal: {change}"
        elif after["high"] < before["low"]:
            title = f"Passing the hands round evens out part of the luck of the deal: {change}"
        else:
            title = "Passing the hands round is not shown to even out the luck of the deal"
    caption = (
        "How much of the differences between the players of a table comes from the hands they were "
        "dealt, one's own and those it meets."
    )
    if rows.attrs["exact"]:
        caption += (
            " The second figure follows from the rules: everybody plays every hand. What suits one "
            "way of playing more than another is not in it."
        )
    alt = f"{title}. " + "; ".join(
        f"{label}: {percent(value)}"
        for label, value in zip(rows["label"], rows["value"], strict=True)
    )
    return Words(title, caption, alt + ".")


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A dot and an interval each; zero means something here."""
    low, high = ends_of(rows, 0.0)
    pad = 0.06 * max(high - low, 0.02)
    ax.set_xlim(low - pad, high + pad)
    dots(ax, rows, 0.0, "")
    plain_axis(ax.xaxis, 4 if width_of(ax) < PHONE else 7)
    ax.xaxis.set_major_formatter(percent_axis(1 if high - low < 0.04 else 0))
    ax.set_xlabel("share of the differences between players")


CHART = Chart(
    name="luck-of-the-deal",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("label", "Where", "text"),
        *interval_columns("Share", "percent", 2),
    ),
    frame=dots_frame,
)
