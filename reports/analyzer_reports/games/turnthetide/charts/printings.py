"""Turn the Tide: the printing of preservers today, and fairer ones."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer_reports.answers import Answer
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.games.turnthetide.answers import lifesavers_of, suggestion_of
from analyzer_reports.games.turnthetide.strips import halves_text, runs, strip
from analyzer_reports.marks import PHONE, estimates, width_of
from analyzer_reports.style import INK
from analyzer_reports.words import DASH, joined, plural

COLUMNS = ("card", "today", "suggested", "banded")
NAMES = {"today": "Today", "suggested": "Suggested", "banded": "Suggested, in five bands"}


def data(answer: Answer) -> pd.DataFrame:
    """A row per card with its half-counts today and as suggested; none without a suggestion."""
    found, suggestion = lifesavers_of(answer), suggestion_of(answer)
    if found is None or suggestion is None:
        return estimates([], COLUMNS)
    return estimates(
        [
            {
                "card": card.card,
                "today": round(2 * card.printed),
                "suggested": suggestion.preservers[card.card - 1],
                "banded": suggestion.bands.preservers[card.card - 1],
            }
            for card in found.cards
        ],
        COLUMNS,
    )


def _spelled(halves: list[int]) -> str:
    """A printing in words: 1-12 none, 13-24 half."""
    return joined(
        [
            f"{first}{DASH}{last} {halves_text(value)}"
            if last > first
            else f"{first} {halves_text(value)}"
            for first, last, value in runs(halves)
        ]
    )


def words(rows: pd.DataFrame) -> Words:
    """How many cards would have to change, and how."""
    changed = int((rows["today"] != rows["suggested"]).sum())
    banded = int((rows["today"] != rows["banded"]).sum())
    if not changed:
        title = "Today's printing is already the fairest one found"
    else:
        title = (
            f"The suggested printing changes {plural(changed, 'card')}; "
            f"in five bands, {plural(banded, 'card')}"
        )
    caption = (
        "Preservers printed on each of the 60 cards. All three printings have the same total or "
        "nearly so; five bands of equal width are easier to remember."
        if int(rows["banded"].sum()) != int(rows["today"].sum())
        else "Preservers printed on each of the 60 cards, the same total in all three printings; "
        "five bands of equal width are easier to remember."
    )
    alt = (
        f"{title}. Today: cards {_spelled(list(rows['today']))}. "
        f"In five bands: cards {_spelled(list(rows['banded']))}."
    )
    return Words(title, caption, alt)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A strip of 60 cards each, one above the other."""
    phone = width_of(ax) < PHONE
    ax.set_xlim(0.2, 60.8)
    ax.set_ylim(0, 3)
    ax.grid(False)
    ax.set_yticks([])
    for place, (key, name) in enumerate(NAMES.items()):
        base = 2 - place + 0.08
        strip(ax, [int(h) for h in rows[key]], ax.transData, base, 0.5, phone)
        # Right above the steps that it spans, so that it goes with its own strip.
        span = round(1 + len(name) * 7.6 / width_of(ax) * 60)
        step = max(rows[key].iloc[:span]) / max(2, rows[key].max())
        ax.text(
            0.5,
            base + 0.5 * (0.16 + 0.84 * step) + 0.22,
            name,
            color=INK,
            weight="bold",
            va="bottom",
        )
    ax.spines["bottom"].set_visible(False)
    ax.set_xticks([1, 12, 24, 36, 48, 60])
    ax.set_xlabel("weather card")


CHART = Chart(
    name="printings",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("card", "Card", "count"),
        Column("today", "Halves today", "count"),
        Column("suggested", "Suggested", "count"),
        Column("banded", "In bands", "count"),
    ),
    frame=lambda rows, width: Frame(height=326, top=4, bottom=48),
)
