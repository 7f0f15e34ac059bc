"""How two strategies, or two sets of rules, differ: a row each, and as games accumulate."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer.statistics.compare import StrategyComparison
from analyzer.statistics.tables import Estimate
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.dots import dot_chart, listed, rows_of
from analyzer_reports.marks import (
    DASHES,
    PHONE,
    games_axis,
    history_rows,
    over_games,
    over_games_frame,
    percent_axis,
    plain_axis,
    width_of,
    y_title,
)
from analyzer_reports.style import INK, PALE
from analyzer_reports.words import number, plural, shorten


def _fields(found: StrategyComparison) -> pd.DataFrame:
    """A row a field, then their mean; differences of shares."""
    rows: list[tuple[str, Estimate]] = [(f.opponents, f.difference) for f in found.fields]
    if len(rows) > 1:
        rows.append(("mean of these", found.difference))
    names = shorten(found.names[0], 40), shorten(found.names[1], 40)
    return rows_of(rows, sign=True, line=0.0, line_name="no difference", names=names)


def _field_words(rows: pd.DataFrame) -> Words:
    a, b = rows.attrs["names"]
    sure = rows.dropna(subset=["low", "high"])
    above, below = (sure["low"] > 0).all(), (sure["high"] < 0).all()
    if len(sure) == len(rows) and (above or below):
        ahead, behind = (a, b) if above else (b, a)
        title = f"Among each of these opponents, {ahead} wins more than {behind}"
        if len(rows) == 1:
            title = f"{ahead} wins more than {behind}"
    else:
        title = f"Neither {a} nor {b} is shown to win more among all of these opponents"
        if len(rows) == 1:
            title = f"Neither {a} nor {b} is shown to win more"
    caption = (
        f"Share of wins of {a} less that of {b} in the same seats of the same games, by who else "
        "sits at the table. The ranges hold together, however often one looks."
    )
    return Words(title, caption, f"{title}, in percentage points: {listed(rows)}.")


FIELDS = dot_chart(
    "comparison",
    _fields,
    _field_words,
    axis="difference of the shares of games won",
    headings=("Opponents", "Difference"),
)


def _settling(found: StrategyComparison) -> pd.DataFrame:
    rows = history_rows(found.history, "difference")
    rows.attrs.update(margin=found.margin, names=found.names)
    return rows


def _settling_words(rows: pd.DataFrame) -> Words:
    last = rows.iloc[-1]
    half = 100 * float(last["high"] - last["low"]) / 2
    title = (
        f"After {plural(int(last['games']), 'game')} the difference is known to within "
        f"{number(half, 2 if half < 1 else 1)} percentage points"
    )
    margin = rows.attrs["margin"]
    caption = (
        "The difference as games are added, with a range that holds at all these moments together. "
        f"Shaded: what counts as no difference, {100 * margin:g} percentage points either way."
    )
    return Words(title, caption, f"{title}.")


def _draw_settling(rows: pd.DataFrame, ax: Axes) -> None:
    margin = rows.attrs["margin"]
    ax.axhspan(-margin, margin, color=PALE, lw=0, zorder=0.2)
    ax.axhline(0, color=INK, lw=1.1, ls=DASHES, zorder=1)
    over_games(ax, rows)
    games_axis(ax, rows, width_of(ax) < PHONE)
    plain_axis(ax.yaxis, 5)
    low, high = ax.get_ylim()
    ax.yaxis.set_major_formatter(percent_axis(1 if high - low < 0.04 else 0))
    ax.set_ylim(low, high)
    y_title(ax, "difference of the shares of games won")


SETTLING = Chart(
    name="settling-difference",
    data=_settling,
    draw=_draw_settling,
    words=_settling_words,
    columns=lambda rows: (
        Column("games", "Games", "count"),
        Column("value", "Difference", "percent", 2),
        Column("low", "from", "percent", 2),
        Column("high", "to", "percent", 2),
    ),
    frame=over_games_frame,
)
