"""Win shares as games accumulate."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer_reports.answers import Answer, equal_players, numbered, people, summary_of
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.marks import (
    DASHES,
    PHONE,
    estimates,
    games_axis,
    over_games,
    over_games_frame,
    percent_axis,
    plain_axis,
    player_columns,
    width_of,
    y_title,
)
from analyzer_reports.style import INK, MUTED
from analyzer_reports.words import number, percent, plural, several, shorten

COLUMNS = ("games", "player", "value", "low", "high")


def data(answer: Answer) -> pd.DataFrame:
    """A row per player and game count; ``leader`` is who ends up winning most."""
    summary = summary_of(answer)
    history = numbered(pd.DataFrame(summary.history))
    if history["games"].nunique() < 2 or equal_players(summary):
        return estimates([], COLUMNS)
    rows = history.rename(columns={"win_share": "value"})[list(COLUMNS)].copy()
    rows = rows.astype({"value": float, "low": float, "high": float})
    last = rows[rows["games"] == rows["games"].max()]
    leader = int(last.loc[last["value"].idxmax(), "player"])
    labels = dict(enumerate((label for label, _ in people(summary)), start=1))
    rows.attrs.update(
        leader=leader,
        label=labels[leader],
        labels=labels,
        equal=1 / summary.players,
        one=summary.whole,
        many=several(summary.whole),
    )
    return rows.sort_values(["games", "player"]).reset_index(drop=True)


def words(rows: pd.DataFrame) -> Words:
    """To within what the shares are known."""
    last = rows[rows["games"] == rows["games"].max()]
    games = int(rows["games"].max())
    one, many = rows.attrs["one"], rows.attrs["many"]
    half = float(((last["high"] - last["low"]) / 2).max())
    if np.isnan(half):
        title = f"Too few {many} to say how sure the win shares are"
    else:
        points = max(100 * half, 0.01)
        title = (
            f"After {plural(games, one)} every win share is known to within "
            f"{number(points, 2 if points < 1 else 1)} percentage points"
        )
    name = shorten(rows.attrs["label"], 40)
    caption = (
        f"Win shares as {many} are added; in color, with its 95% range, {name}, "
        "who ends up winning most. Gray: the others. Dashed: the equal share."
    )
    lead = last[last["player"] == rows.attrs["leader"]].iloc[0]
    alt = (
        f"{title}. {name} ends at {percent(lead['value'], 2)}; "
        f"an equal share is {percent(rows.attrs['equal'])}."
    )
    return Words(title, caption, alt)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """The leader with its interval, the others as gray lines."""
    leader = rows.attrs["leader"]
    lead = rows[rows["player"] == leader]
    ax.axhline(rows.attrs["equal"], color=INK, lw=1.1, ls=DASHES, zorder=1)
    for _, player in rows[rows["player"] != leader].groupby("player"):
        ax.plot(player["games"], player["value"], color=MUTED, lw=1.2, alpha=0.75, zorder=2)
    over_games(ax, lead)
    games_axis(ax, rows, width_of(ax) < PHONE, rows.attrs["many"])
    plain_axis(ax.yaxis, 5)
    low, high = ax.get_ylim()
    ax.yaxis.set_major_formatter(percent_axis(1 if high - low < 0.04 else 0))
    ax.set_ylim(low, high)
    y_title(ax, f"share of {rows.attrs['many']} won")


def _table(rows: pd.DataFrame) -> pd.DataFrame:
    """A line per game count, a column per player, and how far off the shares may be."""
    table = rows.pivot(index="games", columns="player", values="value")
    table["half"] = (
        rows.assign(half=(rows["high"] - rows["low"]) / 2).groupby("games")["half"].max()
    )
    return table.reset_index()


def _columns(rows: pd.DataFrame) -> tuple[Column, ...]:
    players, places = player_columns(rows)
    return (
        Column("games", rows.attrs["many"].capitalize(), "count"),
        *players,
        Column("half", "\N{PLUS-MINUS SIGN}", "percent", places),
    )


CHART = Chart(
    name="settling-wins",
    data=data,
    draw=draw,
    words=words,
    columns=_columns,
    table=_table,
    frame=over_games_frame,
)
