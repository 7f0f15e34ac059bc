"""What explains how much of who wins: a stacked bar for each table of strategies."""

from __future__ import annotations

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.marks import (
    BY_ROW,
    PHONE,
    height_of,
    percent_axis,
    width_of,
    write,
)
from analyzer_reports.style import ACCENT, FAINT, INK, LINE, MUTED, PALE, PAPER, SOFT
from analyzer_reports.words import joined, percent, shorten

__all__ = ["CHART"]

BAR, LINE_OF_TEXT, GAP = 26, 17, 22
"""Pixels that a bar takes, a line above or below it, and what is left free before the next one."""
LETTER, SMALL_LETTER = 7.3, 6.7
"""Pixels of a letter, about; of those below a bar."""
LEGEND_LINE = 20
SIDE = 8
LOOKS = {"strategies": (ACCENT, PAPER), "seats": (SOFT, INK), "interplay": (FAINT, INK)}
CHANCE = ((INK, PAPER), (MUTED, PAPER), (LINE, INK), (PALE, INK))
"""Colors of a part and of what is written on it; neighbors differ by lightness."""
LONGEST = 60
"""Letters of a name in the title."""


def data(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows name, source, share, low, high, known, alone of the wins; in the order of the tables."""
    found = rows[(rows["outcome"] == "wins") & rows["share"].notna()]
    found = found[["name", "source", "share", "share_low", "share_high", "known", "alone"]]
    return found.rename(columns={"share_low": "low", "share_high": "high"}).reset_index(drop=True)


def _colors(rows: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Colors of each part, and of what is written on it."""
    sources = list(dict.fromkeys(rows["source"]))
    chance = [source for source in sources if source not in LOOKS]
    # Of many sources the first keep colors of their own; all are named.
    shades = {source: CHANCE[min(n, len(CHANCE) - 1)] for n, source in enumerate(chance)}
    return {source: LOOKS.get(source) or shades[source] for source in sources}


def _said(row: pd.Series) -> str:
    """A share in words, with the digits that it deserves."""
    share, low = float(row["share"]), float(row["low"])
    if share == 0 or not low > 0:
        return "none shown" if not row["known"] else "none"
    return percent(min(share, 1.0), 0 if share >= 0.095 else 1)


def words(rows: pd.DataFrame) -> Words:
    """What the largest part is at each table, or what how they play explains."""
    shown = rows[rows["low"] > 0]
    played = shown[shown["source"] == "strategies"]
    if len(played):
        most = played.sort_values("share").iloc[-1]
        title = (
            f"Among {_short(most['name'])}, how each plays explains {_said(most)} "
            "of the differences in who wins"
        )
    elif len(shown):
        some = shown[shown["name"] == rows["name"].iloc[0]].sort_values("share")
        one = some.iloc[-1] if len(some) else shown.iloc[-1]
        title = (
            f"Among {_short(one['name'])}, {_said(one)} of the differences in who wins "
            f"come from {_named(str(one['source']))}"
        )
    else:
        title = "Too few games to say where the differences in who wins come from"
    caption = (
        "Each bar is the whole of the differences in who wins at a table of strategies, split by "
        "what explains them: who plays how, where they sit, each source of chance beyond those "
        "before it, what it does only together with them included; the last one by itself, its "
        "interplay with all before apart. The numbers also say what each explains alone."
    )
    parts = []
    for name, some in rows.groupby("name", sort=False):
        told = joined([f"{row['source']} {_said(row)}" for _, row in some.iterrows()])
        parts.append(f"among {name}: {told}")
    return Words(title, caption, f"{title}. {'; '.join(parts)}.")


def _short(name: str) -> str:
    """Who plays, without the strategies in brackets where they are many."""
    return name if len(name) <= LONGEST else name.partition(" (")[0]


def _named(source: str) -> str:
    return source if source == "interplay" else f"the {source}"


def _legend(rows: pd.DataFrame, width: float) -> list[tuple[str, float, int]]:
    """Each part with the pixels to its left and its line, as many to a line as there is room."""
    placed, x, line = [], 0.0, 0
    for source in dict.fromkeys(rows["source"]):
        room = 20 + SMALL_LETTER * len(source) + 14
        if x > 0 and x + room > width:
            x, line = 0.0, line + 1
        placed.append((source, x, line))
        x += room
    return placed


def _frame(rows: pd.DataFrame, width: int) -> Frame:
    lines = 1 + _legend(rows, width - 2 * SIDE)[-1][2]
    top = 12 + LEGEND_LINE * lines
    tall = _row(width) * rows["name"].nunique()
    return Frame(height=top + tall + 34, left=SIDE, right=SIDE + 4, top=top, bottom=34)


def _lines(width: float) -> int:
    """Lines above and below a bar: a phone needs two."""
    return 1 if width >= PHONE else 2


def _row(width: float) -> int:
    """Pixels that a table takes."""
    return 2 * LINE_OF_TEXT * _lines(width) + BAR + GAP


def _folded(text: str, letters: int, lines: int) -> list[str]:
    """A text in so many lines at most."""
    folded = textwrap.wrap(text, letters)
    if len(folded) > lines:
        folded = [*folded[: lines - 1], shorten(" ".join(folded[lines - 1 :]), letters)]
    return folded


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A bar for each table, its parts named where there is room, otherwise below it."""
    tables = list(dict.fromkeys(rows["name"]))
    colors = _colors(rows)
    wide = width_of(ax) - 2 * SIDE
    ax.set_xlim(0, 1)
    ax.set_ylim(len(tables), 0)
    ax.set_yticks([])
    ax.grid(False)
    for row, name in enumerate(tables):
        some = rows[rows["name"] == name]
        lines = _lines(width_of(ax))
        told = _folded(f"among {name}", int(wide / LETTER), lines)
        for line, text in enumerate(told, start=lines - len(told)):
            down = -(line + 0.5) * LINE_OF_TEXT
            write(ax, text, (0, row), (0, down), BY_ROW, va="center")
        _draw_bar(ax, some, row, colors, wide)
    _draw_legend(ax, rows, colors, wide)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1] if width_of(ax) >= PHONE else [0, 0.5, 1])
    ax.xaxis.set_major_formatter(percent_axis())
    labels = ax.get_xticklabels()
    labels[0].set_horizontalalignment("left")
    labels[-1].set_horizontalalignment("right")


def _draw_bar(
    ax: Axes, some: pd.DataFrame, row: int, colors: dict[str, tuple[str, str]], wide: float
) -> None:
    """The bar of one table; parts below zero have no width, and all together fill it."""
    tall, lines = _row(width_of(ax)), _lines(width_of(ax))
    above = LINE_OF_TEXT * lines + 4
    top, height = row + above / tall, BAR / tall
    widths = some["share"].clip(lower=0)
    widths = widths / widths.sum()
    start, small, unshown = 0.0, [], []
    for width, (_, one) in zip(widths, some.iterrows(), strict=True):
        fill, ink = colors[str(one["source"])]
        said = _said(one)
        bar = Rectangle((start, top), width, height, facecolor=fill, edgecolor=PAPER, lw=1.4)
        ax.add_patch(bar)
        room = wide * width - 8
        full = f"{one['source']} {said}"
        text = next((t for t in (full, said) if LETTER * len(t) < room and "none" not in t), "")
        if text:
            middle = start + width / 2
            at = middle, top + height / 2
            write(ax, text, at, color=ink, ha="center", va="center", size=12, zorder=5)
        elif float(one["low"]) > 0:
            small.append(full)
        elif not one["known"]:
            unshown.append(str(one["source"]))
        start += float(width)
    outline = Rectangle((0, top), 1, height, fill=False, edgecolor=MUTED, lw=0.9, zorder=4)
    ax.add_patch(outline)
    if unshown:
        small.append(f"none shown: {joined(unshown)}")
    looks = {"va": "center", "size": 11.5, "color": MUTED}
    for line, text in enumerate(_folded("; ".join(small), int(wide / SMALL_LETTER), lines)):
        down = -above - BAR - (line + 0.6) * LINE_OF_TEXT
        write(ax, text, (0, row), (0, down), BY_ROW, **looks)


def _draw_legend(
    ax: Axes, rows: pd.DataFrame, colors: dict[str, tuple[str, str]], wide: float
) -> None:
    """A square and a name for each part, above the bars."""
    tall = height_of(ax)
    lines = _legend(rows, wide)
    last = lines[-1][2]
    for source, x, line in lines:
        up = 12 + LEGEND_LINE * (last - line)
        size = 11
        square = Rectangle(
            (x / wide, 1 + (up - size / 2) / tall), size / wide, size / tall,
            transform=ax.transAxes, clip_on=False, facecolor=colors[source][0], edgecolor=MUTED,
            lw=0.8,
        )  # fmt: skip
        ax.add_patch(square)
        looks = {"va": "center", "size": 12}
        write(ax, source, (x / wide, 1), (17, up), "axes fraction", **looks)


CHART = Chart(
    name="luck",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("name", "Among", "text"),
        Column("source", "Source", "text"),
        Column("share", "Share", "percent", 2),
        Column("low", "from", "percent", 2),
        Column("high", "to", "percent", 2),
        Column("alone", "Alone", "percent", 2),
    ),
    frame=_frame,
)
