"""Mermaid Beach: who wins, by place in the turn order."""

from __future__ import annotations

import pandas as pd

from analyzer.games.mermaidbeach.figures import TurnOrder
from analyzer.statistics.intervals import ALPHA
from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Words
from analyzer_reports.dots import dot_chart, equal_line, listed, rows_of
from analyzer_reports.games.mermaidbeach.answers import order_confounded
from analyzer_reports.words import percent

ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth")


def data(answer: Answer) -> pd.DataFrame:
    """A row per place in the turn order."""
    found = figure_of(answer, "turn_order", TurnOrder)
    places = () if found is None else found.positions
    differ = found is not None and found.p_value is not None and found.p_value < ALPHA
    return rows_of(
        [(f"{ORDINALS[place.position - 1]} to play", place.win_share) for place in places],
        differ=differ,
        confounded=order_confounded(answer),
        **equal_line(1.0 if found is None else found.equal),
    )


def words(rows: pd.DataFrame) -> Words:
    """What the test over all places says, then who has most."""
    equal = percent(rows.attrs["line"])
    first = rows.iloc[0]
    worst, *_, best = (row for _, row in rows.sort_values("value").iterrows())
    if rows["low"].isna().all():
        title = "Too few games to tell whether the turn order matters"
    elif rows.attrs["confounded"]:
        title = "Places differ in strategy too: of going first these shares say nothing"
    elif not rows.attrs["differ"]:
        title = "No place in the turn order is shown to win more than another"
    elif first["low"] > rows.attrs["line"]:
        title = f"Whoever goes first wins more than an equal share: {first['said']}"
    elif first["high"] < rows.attrs["line"]:
        title = f"Whoever goes first wins less than an equal share: {first['said']}"
    elif best["low"] > rows.attrs["line"]:
        title = f"{best['label']} wins more than an equal share: {best['said']}"
    elif worst["high"] < rows.attrs["line"]:
        title = f"{worst['label']} wins less than an equal share: {worst['said']}"
    else:
        title = "Places differ, but of none alone it is shown which way"
    caption = (
        "Share of games won by place in the turn order, with ranges that hold for all places "
        f"together. Dashed: the equal share, {equal}."
    )
    return Words(title, caption, f"{title}. {listed(rows)}. An equal share is {equal}.")


CHART = dot_chart("turn-order", data, words, axis="share of games won", headings=("Place", "Wins"))
