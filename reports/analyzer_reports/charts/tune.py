"""A search: what every setting seemed to be worth, and what the one found gains by opponents."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer.statistics.sweep import said_target
from analyzer.statistics.tables import Estimate
from analyzer.statistics.tune import Tuning
from analyzer.statistics.wording import label
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.dots import dot_chart, listed, rows_of
from analyzer_reports.marks import (
    BY_ROW,
    DASHES,
    PHONE,
    ends_of,
    estimates,
    percent_axis,
    plain_axis,
    width_of,
    write,
    y_title,
)
from analyzer_reports.style import ACCENT, INK
from analyzer_reports.words import number, percent, plural, shorten

COLUMNS = ("x", "generation", "setting", "value", "low", "high")


def _data(found: Tuning) -> pd.DataFrame:
    """A row an evaluation; in attrs the means of the generations."""
    alone = len(found.generations) < 2
    places = [one.at[0] if len(one.at) == 1 else None for one in found.evaluations]
    numbers = alone and all(type(place) in (int, float) for place in places)
    rows = [
        {
            "x": one.at[0] if numbers else place if alone else one.generation,
            "generation": one.generation,
            "setting": one.setting,
            "value": one.value,
            "low": None,
            "high": None,
        }
        for place, one in enumerate(found.evaluations, start=1)
    ]
    means = [] if alone else [(row["generation"], row["mean"]) for row in found.trace()]
    best = found.better(found.evaluations) if found.evaluations else None
    return estimates(
        rows,
        COLUMNS,
        alone=alone,
        axis=found.parameters[0].name if numbers else "setting" if alone else "generation",
        means=means,
        share=found.share,
        difference=found.what == "strategy",
        what="gain in share of wins" if found.what == "strategy" else label(found.metric),
        line=0.0 if found.target is None else found.target,
        line_name=f"as it is: {shorten(found.start, 30)}"
        if found.target is None
        else f"target {said_target(found.target, found.share)}",
        best=None if best is None else best.setting,
    )


def _words(rows: pd.DataFrame) -> Words:
    facts = rows.attrs
    many = plural(rows["setting"].nunique(), "setting")
    title = f"Of {many} tried, {shorten(facts['best'], 50)} looked best"
    where = "in the order in which they were tried" if facts["axis"] == "setting" else ""
    where = where or f"by {facts['axis']}"
    caption = (
        f"The {facts['what']} of every setting that was tried, {where}, each from a few games: the "
        "best of them look better than they are."
    )
    if facts["means"]:
        caption += " The line: the mean of each generation."
    low, high = (_text(rows, float(x)) for x in (rows["value"].min(), rows["value"].max()))
    return Words(title, caption, f"{title}. They go from {low} to {high}.")


def _text(rows: pd.DataFrame, value: float) -> str:
    if not rows.attrs["share"]:
        return number(value, 2)
    if rows.attrs["difference"]:
        return f"{number(100 * value, 1, True)} percentage points"
    return percent(value)


def _draw(rows: pd.DataFrame, ax: Axes) -> None:
    facts = rows.attrs
    ax.axhline(facts["line"], color=INK, lw=1.1, ls=DASHES, zorder=1)
    ax.plot(rows["x"], rows["value"], "o", ms=4.5, color=ACCENT, alpha=0.5, mew=0, zorder=3)
    if facts["means"]:
        ax.plot(*zip(*facts["means"], strict=True), color=ACCENT, lw=2.0, zorder=4)
    whole = bool((rows["x"] == rows["x"].round()).all())
    plain_axis(ax.xaxis, 5 if width_of(ax) < PHONE else 10, whole=whole)
    ax.set_xlabel(facts["axis"])
    plain_axis(ax.yaxis, 5)
    low, high = ends_of(rows, facts["line"])
    pad = max(0.1 * (high - low), 1e-6)
    ax.set_ylim(low - pad, high + 1.6 * pad)
    if facts["share"]:
        ax.yaxis.set_major_formatter(percent_axis(1 if high - low < 0.04 else 0))
        ax.set_ylim(low - pad, high + 1.6 * pad)
    y_title(ax, facts["what"])
    write(ax, facts["line_name"], (1, facts["line"]), (0, 3), BY_ROW, ha="right", va="bottom",
          size=12)  # fmt: skip


SEARCH = Chart(
    name="search",
    data=_data,
    draw=_draw,
    words=_words,
    columns=lambda rows: (
        Column("generation", "Generation", "count"),
        Column("setting", "Setting", "text"),
        Column("value", rows.attrs["what"].capitalize(),
               "percent" if rows.attrs["share"] else "number", 2),
    ),
    frame=lambda rows, width: Frame(
        height=300 if width >= PHONE else 260, left=58, right=24, top=42, bottom=52
    ),
)  # fmt: skip


def _gains(found: Tuning) -> pd.DataFrame:
    """A row a field, then their mean; differences of shares."""
    if found.exact:
        return rows_of([], sign=True, line=0.0, line_name="", names=("", ""))
    rows: list[tuple[str, Estimate]] = [(f.opponents, f.difference) for f in found.fields]
    if len(rows) > 1:
        rows.append(("mean of these", found.difference))
    names = (
        shorten(found.start, 40),
        "" if found.after is None else shorten(found.after.setting, 40),
    )
    return rows_of(rows, sign=True, line=0.0, line_name="as it is", names=names)


def _gain_words(rows: pd.DataFrame) -> Words:
    start, found = rows.attrs["names"]
    sure = rows.dropna(subset=["low", "high"])
    last = rows.iloc[-1]
    if len(sure) == len(rows) and last["low"] > 0:
        title = f"{found} wins more than {start}"
    elif len(sure) == len(rows) and last["high"] < 0:
        title = f"{found} wins less than {start}"
    else:
        title = f"How much more {found} wins than {start}, on fresh games"
    caption = (
        f"Share of wins of {found} less that of {start} in the same seats of the same fresh games, "
        "by who else sits at the table. The ranges of the single rows hold together."
    )
    return Words(title, caption, f"{title}, in percentage points: {listed(rows)}.")


GAINS = dot_chart(
    "gain",
    _gains,
    _gain_words,
    axis="gain in the share of games won",
    headings=("Opponents", "Gain"),
)
