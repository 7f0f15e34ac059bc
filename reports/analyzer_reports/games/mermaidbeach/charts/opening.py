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
    best = rows.iloc[0]
    # Those whose range reaches the best one's are not shown to be worse.
    good = rows[(rows["high"] >= best["low"]) & (rows["low"] > 0)]
    bad = rows[rows["high"] < 0][::-1]
    if len(good) == 1:
        title = (
            f"{capital(_one(good['label'].iloc[0]))} is the best thing to be dealt: "
            f"{best['said']} points of winning chance"
        )
    elif len(good):
        title = (
            f"{_names(good)} are the best things to be dealt, up to {best['said']} points of "
            "winning chance"
        )
    elif len(bad):
        title = f"{_names(bad)} {'costs' if len(bad) == 1 else 'cost'} winning chance"
    else:
        title = "Too few games to tell good opening cards from bad ones"
    caption = (
        "Percentage points that one more of a card in the opening hand adds to the chance to win, "
        "in place of an item without a partner, with ranges that hold for all cards together."
    )
    explained = rows.attrs["explained"]
    if explained is not None:
        caption += (
            f" All of them together, each counted with what it adds, explain {percent(explained)} "
            "of the variance of who wins."
        )
    return Words(title, caption, f"{title}. {listed(rows)}.")


def _names(rows: pd.DataFrame) -> str:
    return capital(joined([_one(label) for label in rows["label"]]))


def _one(label: str) -> str:
    return f"a {label.lower()}"


CHART = dot_chart(
    "opening-hand", data, words, axis="added chance to win", headings=("Card", "Adds (points)")
)
