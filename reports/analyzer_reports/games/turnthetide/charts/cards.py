"""Turn the Tide: what holding each of the 60 cards is worth, under the printing of preservers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from analyzer_reports.answers import Answer, summary_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.games.turnthetide.answers import lifesavers_of
from analyzer_reports.games.turnthetide.strips import halves_text, strip
from analyzer_reports.marks import (
    PHONE,
    estimates,
    get_figure,
    height_of,
    interval,
    interval_columns,
    plain_axis,
    width_of,
    write,
    y_title,
)
from analyzer_reports.style import ACCENT, INK, MUTED, PAPER
from analyzer_reports.words import joined, number

COLUMNS = ("card", "printed", "value", "low", "high", "flat", "flat_low", "flat_high")


FEW = 5
"""Cards that a title may name."""


def data(answer: Answer) -> pd.DataFrame:
    """A row per card: printed preservers, worth in points a round, and worth with equal hands."""
    found = lifesavers_of(answer)
    if found is None or all(card.worth.value is None for card in found.cards):
        return estimates([], COLUMNS)
    frame = estimates(
        [
            {
                "card": card.card,
                "printed": card.printed,
                **interval(card.worth),
                "flat": card.worth_flat.value,
                "flat_low": card.worth_flat.low,
                "flat_high": card.worth_flat.high,
            }
            for card in found.cards
        ],
        COLUMNS,
        flat_count=found.flat_count,
        equal=summary_of(answer).rules.get("allocation", "printed") != "printed",
    )
    return frame.astype({"flat": float, "flat_low": float, "flat_high": float})


def words(rows: pd.DataFrame) -> Words:
    """Which cards are good to hold, as far as the data tell."""
    ranked = rows.sort_values("value")
    best, worst = ranked.iloc[-1], ranked.iloc[0]
    classes = rows.groupby("printed")["value"].mean()
    flat, equal = _both(rows), rows.attrs["equal"]
    if not best["low"] > worst["high"]:
        title = "Too few games to tell good cards from bad ones"
    elif len(classes) > 1 and classes.is_unique and classes.is_monotonic_increasing:
        title = "On average, cards that print more preservers are better to hold"
    elif len(classes) > 1 and classes.is_unique and classes.is_monotonic_decreasing:
        title = "On average, cards that print more preservers are worse to hold"
    else:
        good = rows[rows["high"] >= best["low"]]["card"].astype(int).tolist()
        bad = rows[rows["low"] <= worst["high"]]["card"].astype(int).tolist()
        title = (
            f"{_cards(good)} {'helps' if len(good) == 1 else 'help'} a hand most, "
            f"{_cards(bad).lower()} {'hurts' if len(bad) == 1 else 'hurt'} it most"
        )
    caption = (
        "Points a round that holding the card adds, compared with an average card, with the range "
        "the true worth lies in. Above: the preservers printed on it."
    )
    if equal:
        caption += " The settings give every hand the same number to play with."
    if flat:
        each = rows.attrs["flat_count"]
        caption += " Gray: the card alone, when every hand gets " + (
            "the same number of preservers." if each is None else f"{each} preservers."
        )
    alt = (
        f"{title}. The highest figure has card {best['card']:.0f}, "
        f"{number(best['value'], 2, True)} points a round, the lowest card {worst['card']:.0f}, "
        f"{number(worst['value'], 2, True)}. "
        + "Average worth by printing: "
        + ", ".join(
            f"{halves_text(2 * printed)} {number(worth, 2, True)}"
            for printed, worth in zip(classes.index.to_numpy(), classes, strict=True)
        )
        + "."
    )
    return Words(title, caption, alt)


def _cards(found: Sequence[int]) -> str:
    """Cards that are not told apart; how many, where they are too many for a title."""
    if len(found) == 1:
        return f"Card {found[0]}"
    if len(found) > FEW:
        return f"{len(found)} cards that are not told apart"
    return f"Cards {joined([str(card) for card in found])}"


def _both(rows: pd.DataFrame) -> bool:
    """Whether there is a second series to show: the card alone, apart from its preservers."""
    return not rows.attrs["equal"] and bool(rows["flat"].notna().any())


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """Dots with intervals, the card alone in gray, the printing as a strip above."""
    phone = width_of(ax) < PHONE
    cards = rows["card"].to_numpy()
    ax.set_xlim(0.2, 60.8)
    drawn = rows[["value", "low", "high", *(["flat"] if _both(rows) else [])]].to_numpy()
    low, high = float(np.nanmin(drawn)), float(np.nanmax(drawn))
    pad = 0.08 * max(high - low, 0.1)
    ax.set_ylim(low - pad, high + pad)
    ax.axhline(0, color=INK, lw=1.1, zorder=2)
    if _both(rows):
        ax.plot(cards, rows["flat"], color=MUTED, lw=1.1, zorder=2.5)
        ax.plot(cards, rows["flat"], "o", color=MUTED, mfc=PAPER, ms=3.4, mew=1.0, zorder=3)
    ax.vlines(cards, rows["low"], rows["high"], color=ACCENT, lw=2.2, alpha=0.5, zorder=3.5)
    ax.plot(cards, rows["value"], "o", color=ACCENT, ms=3.6 if phone else 4.6, mew=0, zorder=4)
    # Boundaries of the printing run down through the plot, so that its steps explain the jumps.
    printed = rows["printed"].to_numpy()
    for at in np.flatnonzero(np.diff(printed)):
        ax.axvline(cards[at] + 0.5, color=MUTED, lw=0.7, ls=(0, (1, 2)), zorder=1)
    # Strips are as high on every chart, so they are placed in pixels above the axes.
    inches = get_figure(ax).dpi_scale_trans
    above = ax.get_xaxis_transform() + ScaledTranslation(0, 42 / 72, inches)
    strip(ax, [round(2 * p) for p in printed], above, 1.0, 30 / height_of(ax), phone)
    plain_axis(ax.yaxis, 5)
    ax.set_xticks([1, 12, 24, 36, 48, 60])
    ax.set_xlabel("weather card")
    y_title(ax, "points a round")
    if _both(rows):
        _key(ax)


def _key(ax: Axes) -> None:
    """What the two kinds of dots are, in their own colors, above the plot at the right."""
    offset = 0
    for text, color, room in (
        ("\N{WHITE CIRCLE} card alone", MUTED, 112),
        ("\N{BLACK CIRCLE} as printed", ACCENT, 0),
    ):
        looks = {"ha": "right", "va": "bottom", "color": color, "weight": "bold"}
        write(ax, text, (1, 1), (offset, 12), "axes fraction", **looks)
        offset -= room


CHART = Chart(
    name="worth-of-cards",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("card", "Card", "count"),
        Column("printed", "Print", "number", 1),
        *interval_columns("Worth"),
        *((Column("flat", "Alone"),) if _both(rows) else ()),
    ),
    frame=lambda rows, width: Frame(
        height=430 if width >= PHONE else 340, left=44, top=100, bottom=50
    ),
)
