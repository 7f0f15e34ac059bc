"""Share of games won by each strategy in each seat, where strategies rotated."""

from __future__ import annotations

from functools import partial

import pandas as pd

from analyzer_reports.answers import Answer, seats_alike, summary_of
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.dots import against_equal, listed_shares
from analyzer_reports.marks import dots_frame, estimates, interval_columns
from analyzer_reports.words import percent, several, shorten

COLUMNS = ("label", "value", "low", "high", "said", "strategy", "seat")


def data(answer: Answer) -> pd.DataFrame:
    """A row for each strategy in each seat; none unless several strategies rotated.

    Nor where seats are alike by the rules, and so say nothing.
    """
    summary = summary_of(answer)
    if summary.places is None or len(summary.strategies) < 2 or seats_alike(summary):
        return estimates([], COLUMNS)
    rows = pd.DataFrame(summary.places).dropna(subset=["win_share"])
    return estimates(
        [
            {
                "label": f"{row['strategy']} in seat\N{NO-BREAK SPACE}{row['seat']}",
                "value": row["win_share"],
                "low": row["low"],
                "high": row["high"],
                "said": percent(row["win_share"]),
                "strategy": row["strategy"],
                "seat": row["seat"],
            }
            for row in rows.to_dict("records")
        ],
        COLUMNS,
        equal=1 / summary.players,
        many=several(summary.whole),
    )


def words(rows: pd.DataFrame) -> Words:
    """Whether any strategy's seats differ, as far as the intervals tell."""
    apart = [
        (float(some["value"].max() - some["value"].min()), str(name), some)
        for name, some in rows.groupby("strategy", sort=False)
        if some["low"].max() > some["high"].min()
    ]
    if apart:
        _, name, some = max(apart, key=lambda found: found[0])
        ranked = some.sort_values("value")
        worst, best = ranked.iloc[0], ranked.iloc[-1]
        title = (
            f"{shorten(name, 30)} wins {percent(best['value'])} in seat {best['seat']} and "
            f"{percent(worst['value'])} in seat {worst['seat']}"
        )
    else:
        title = "No strategy is seen to do better in one seat than in another"
    caption = (
        f"Share of {rows.attrs['many']} won by each strategy in each seat, with the range the true "
        f"share lies in. Dashed: the equal share, {percent(rows.attrs['equal'])}."
    )
    return Words(title, caption, f"{title}. {listed_shares(rows)}.")


CHART = Chart(
    name="win-share-by-seat",
    data=data,
    draw=partial(against_equal, room=0.08),
    words=words,
    columns=lambda rows: (
        Column("strategy", "Strategy", "text"),
        Column("seat", "Seat", "count"),
        *interval_columns("Wins", "percent", 2),
    ),
    frame=dots_frame,
)
