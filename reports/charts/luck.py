"""Turn the Tide: how much the dealt hand decides, in one round and in the whole game."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from reports.chart import Chart, Column, Words
from reports.charts._answers import Answer, lifesavers_of, summary_of
from reports.marks import PHONE, dots, dots_frame, estimates, percent_axis, plain_axis, width_of
from reports.words import figure, percent

__all__ = ["CHART"]

COLUMNS = ("label", "value", "low", "high", "said")
ROUND, GAME = "In one round", "In the final scores"


def data(answer: Answer) -> pd.DataFrame:
    """The dealt hand's share of the differences between players, before and after passing."""
    found = lifesavers_of(answer)
    if found is None:
        return estimates([], COLUMNS)
    parts = ((ROUND, found.rotation.one_round), (GAME, found.rotation.final))
    return estimates(
        [
            {
                "label": label,
                "value": part.value,
                "low": part.low,
                "high": part.high,
                "said": figure(part, share=True),
            }
            for label, part in parts
            if part.value is not None
        ],
        COLUMNS,
        rounds=int(summary_of(answer).rules.get("rounds", 0)),
    )


def words(rows: pd.DataFrame) -> Words:
    """What passing the hands round repairs."""
    by_label = rows.set_index("label")
    if GAME not in by_label.index:
        title = (
            f"The dealt hand makes {percent(rows['value'].iloc[0], 0)} of the differences in a round"
        )
    elif ROUND not in by_label.index:
        title = (
            f"The dealt hand makes {percent(rows['value'].iloc[0], 0)} of the differences in final scores"
        )
    else:
        before, after = by_label.loc[ROUND], by_label.loc[GAME]
        change = f"from {percent(before['value'], 0)} to {percent(after['value'], 0)}"
        if not before["low"] > 0:
            title = "The dealt hand is not seen to decide anything"
        elif not after["high"] < before["low"]:
            title = "Passing the hands round is not seen to even out the luck of the deal"
        elif after["value"] < 0.1 * before["value"]:
            title = f"Passing the hands round removes the luck of the deal: {change}"
        else:
            title = f"Passing the hands round evens out part of the luck of the deal: {change}"
    caption = (
        "How much of the differences between the players of a table comes from the hands they were "
        "dealt; the rest is tides, play and chance."
    )
    alt = f"{title}. " + "; ".join(
        f"{label}: {percent(value)}" for label, value in zip(rows["label"], rows["value"], strict=True)
    )
    return Words(title, caption, alt + ".")


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A dot and an interval each; zero means something here."""
    ends = rows[["value", "low", "high"]].to_numpy()
    low, high = min(0.0, float(np.nanmin(ends))), float(np.nanmax(ends))
    pad = 0.06 * max(high - low, 0.02)
    ax.set_xlim(low - pad, high + pad)
    dots(ax, rows, 0.0, "nothing")
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
        Column("value", "Share", "percent", 2),
        Column("low", "from", "percent", 2),
        Column("high", "to", "percent", 2),
    ),
    frame=dots_frame,
)
