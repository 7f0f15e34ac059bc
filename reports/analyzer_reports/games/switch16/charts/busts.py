"""What busts cost: win share by how often a player went bust."""

from __future__ import annotations

import pandas as pd

from analyzer.statistics.turn_order import equal_share
from analyzer_reports.answers import Answer, summary_of
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.dots import against_equal, listed_shares
from analyzer_reports.games.switch16.answers import greed_of
from analyzer_reports.marks import (
    dots_frame,
    estimates,
    interval_columns,
)
from analyzer_reports.words import percent, plural, several

COLUMNS = ("label", "value", "low", "high", "said", "busts", "players")
ENOUGH = 0.002
"""Part of the players that a row must stand for."""


def data(answer: Answer) -> pd.DataFrame:
    """A row for each number of busts that is not too rare."""
    found = greed_of(answer)
    rows = [] if found is None else pd.DataFrame(found.busts).to_dict("records")
    rows = [row for row in rows if row["players"] >= ENOUGH]
    # Where players differ, who goes bust how often is mostly a matter of who it is.
    if len(rows) < 2 or len(set(summary_of(answer).lineup)) > 1:
        return estimates([], COLUMNS)
    most = max(row["busts"] for row in rows)
    last = 0 if found is None else int(pd.DataFrame(found.busts)["busts"].max())
    return estimates(
        [
            {
                "label": f"{plural(row['busts'], 'bust')}"
                + (" or more" if row["busts"] == most == last and most > 1 else ""),
                "value": row["win_share"],
                "low": row["low"],
                "high": row["high"],
                "said": percent(row["win_share"]),
                "busts": row["busts"],
                "players": row["players"],
            }
            for row in rows
        ],
        COLUMNS,
        equal=equal_share(summary_of(answer)),
        one=summary_of(answer).part,
        many=several(summary_of(answer).part),
    )


def words(rows: pd.DataFrame) -> Words:
    """Whether those who went bust win less."""
    first, rest = rows.iloc[0], rows.iloc[1:]
    many = rows.attrs["many"]
    less, more = rest[rest["high"] < first["low"]], rest[rest["low"] > first["high"]]
    if len(less) and more.empty:
        last = less.iloc[-1]
        title = (
            f"Players who never go bust win {percent(first['value'])} of {many}, with "
            f"{last['label']} {percent(last['value'])}"
        )
    elif len(more) and less.empty:
        last = more.iloc[-1]
        title = (
            f"Players with {last['label']} win {percent(last['value'])} of {many}, those who never "
            f"go bust {percent(first['value'])}"
        )
    elif less.empty and more.empty:
        title = "Players who go bust are not shown to win less"
    else:
        title = (
            f"Players who never go bust win {percent(first['value'])} of {many}; of those who do, "
            "some win less and some more"
        )
    caption = (
        f"Share of {many} won by players who went bust so often in them, with its "
        f"95% range. Longer {many} have more busts, and more turns to make up for them."
    )
    return Words(title, caption, f"{title}. {listed_shares(rows)}.")


CHART = Chart(
    name="busts",
    data=data,
    draw=against_equal,
    words=words,
    columns=lambda rows: (
        Column("label", f"Busts in a {rows.attrs['one']}", "text"),
        Column("players", "Players", "percent", 1),
        *interval_columns("Wins", "percent", 2),
    ),
    frame=dots_frame,
)
