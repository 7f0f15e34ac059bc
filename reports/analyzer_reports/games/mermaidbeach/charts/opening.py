"""Mermaid Beach: what the cards of an opening hand are worth."""

from __future__ import annotations

import pandas as pd

from analyzer.games.mermaidbeach.figures import Opening
from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Words
from analyzer_reports.dots import dot_chart, listed, rows_of
from analyzer_reports.words import capital, joined, percent


def data(answer: Answer) -> pd.DataFrame:
    """A row per kind of card, the best first."""
    found = figure_of(answer, "opening", Opening)
    cards = () if found is None else found.cards
    known = [(card.card.capitalize(), card.worth) for card in cards if card.worth.value is not None]
    known.sort(key=lambda pair: -(pair[1].value or 0.0))
    share = None if found is None else found.explained.value
    return rows_of(known, sign=True, line=0.0, line_name="a lone item", explained=share)


def words(rows: pd.DataFrame) -> Words:
    """The best and the worst card, as far as the intervals tell."""
    best, worst = rows.iloc[0], rows.iloc[-1]
    if not best["low"] > worst["high"]:
        title = "Too few games to tell good opening cards from bad ones"
    elif best["low"] > 0:
        # Those whose range reaches the best one's are not shown to be worse.
        good = rows[rows["high"] >= best["low"]]
        names = joined([_one(label) for label in good["label"]])
        title = (
            f"{capital(names)} is the best thing to be dealt: {best['said']} points of winning "
            "chance"
            if len(good) == 1
            else f"{capital(names)} are the best things to be dealt, up to {best['said']} points "
            "of winning chance"
        )
    else:
        bad = rows[rows["low"] <= worst["high"]][::-1]
        names = capital(joined([_one(label) for label in bad["label"]]))
        title = f"{names} {'is' if len(bad) == 1 else 'are'} the worst "
        title += "thing to be dealt" if len(bad) == 1 else "things to be dealt"
    caption = (
        "Percentage points that one more of a card in the opening hand adds to the chance to win, "
        "in place of an item without a partner, with ranges that hold for all cards together."
    )
    explained = rows.attrs["explained"]
    if explained is not None:
        caption += (
            f" A straight line in all of them tells {percent(explained)} of the variance of wins."
        )
    return Words(title, caption, f"{title}. {listed(rows)}.")


def _one(label: str) -> str:
    return f"a {label.lower()}"


CHART = dot_chart(
    "opening-hand", data, words, axis="added chance to win", headings=("Card", "Adds")
)
