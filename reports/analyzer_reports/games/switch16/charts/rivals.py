"""What one player would win with another policy, everybody else playing as before."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer.games.switch16.figures import Rival
from analyzer.specs import plain_part
from analyzer_reports.answers import Answer, summary_of
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.dots import listed_shares
from analyzer_reports.games.switch16.answers import greed_of
from analyzer_reports.marks import (
    dots_frame,
    estimates,
    interval,
    interval_columns,
    share_dots,
)
from analyzer_reports.words import figure, percent, several, shorten

COLUMNS = (
    *("label", "name", "value", "low", "high", "said", "family", "policy", "own"),
    *("change", "change_low", "change_high"),
)
SAID = {
    "pays": "Throwing again pays",
    "does-not-pay": "Throwing again does not pay",
    "no-difference-shown": "Throwing again makes no difference that matters",
}
"""Verdicts in words; of others the title says only what is shown."""
CAREFUL = "never"
"""The risk policy that takes none."""


def data(answer: Answer) -> pd.DataFrame:
    """A row a policy: families in order, in each the best first; ``base`` is the own share."""
    found = greed_of(answer)
    rivals = [] if found is None else [r for r in found.rivals if r.win_share.value is not None]
    base = next((rival.win_share.value for rival in rivals if rival.own), None)
    if found is None or base is None or all(rival.own for rival in rivals):
        return estimates([], COLUMNS)
    families = list(dict.fromkeys(rival.family for rival in rivals))
    rivals.sort(key=lambda r: (families.index(r.family), -(r.win_share.value or 0.0)))
    return estimates(
        [
            {
                "label": f"{_named(rival)}{' (own)' if rival.own else ''}",
                "name": _named(rival),
                **interval(rival.win_share),
                "said": figure(rival.win_share, share=True),
                "family": rival.family,
                "policy": rival.policy,
                "own": rival.own,
                "change": rival.change.value,
                "change_low": rival.change.low,
                "change_high": rival.change.high,
            }
            for rival in rivals
        ],
        COLUMNS,
        base=base,
        equal=1 / summary_of(answer).players,
        verdict=found.own[0] if found.own else found.verdict,
        many=several(summary_of(answer).whole),
    )


def _named(rival: Rival) -> str:
    return plain_part("switch16", rival.family, rival.policy)


def words(rows: pd.DataFrame) -> Words:
    """The best risk policy and the careful one."""
    risks = rows[rows["family"] == "risk"]
    careful = risks[risks["policy"] == CAREFUL]
    best = risks[risks["policy"] != CAREFUL].head(1)
    verdict, many = rows.attrs["verdict"], rows.attrs["many"]
    if verdict not in SAID or careful.empty or best.empty:
        title = "What one player wins by playing otherwise"
    else:
        word = SAID[verdict]
        title = (
            f"{word}: one player {shorten(str(best['name'].iloc[0]), 48)} wins "
            f"{percent(best['value'].iloc[0])} of {many}, one {careful['name'].iloc[0]} "
            f"{percent(careful['value'].iloc[0])}"
        )
    caption = (
        f"Share of {many} that one player wins with one "
        "policy changed at a time, everybody else playing on as before. Dashed: with none changed, "
        f"{percent(rows.attrs['base'])}; an equal share is {percent(rows.attrs['equal'])}."
    )
    return Words(title, caption, f"{title}. {listed_shares(rows)}.")


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A dot and an interval each, against the player's own share."""
    share_dots(ax, rows, rows.attrs["base"], "as they play", room=0.08)


CHART = Chart(
    name="rivals",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("family", "Part", "text"),
        Column("policy", "Policy", "text"),
        *interval_columns("Wins", "percent", 2),
        Column("change", "Change", "percent", 2),
    ),
    frame=dots_frame,
)
