"""When to stop: what throwing again is worth, by one's own and the opponent's top card."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.marks import PHONE, width_of, y_title
from analyzer_reports.style import ACCENT, INK, MUTED, PALE, PAPER
from analyzer_reports.words import capital, number, plural

TOP, BOTTOM = 34, 56
BRIGHT = 0.75
"""From this part of the scale on, cells are dark enough for white letters."""


def data(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows as they are: mine, theirs (labels), again (bool), gain (a share)."""
    return rows


def words(rows: pd.DataFrame) -> Words:
    """Where it stops, if anywhere."""
    stops = rows[~rows["again"]]
    who = rows.attrs["who"]
    if stops.empty:
        title = f"Never stop of your own accord: {who} always throws again"
    elif len(stops) == len(rows):
        title = f"Always stop: {who} never throws again"
    else:
        title = f"{capital(who)} stops in {len(stops)} of {len(rows)} situations"
    least, most = rows["gain"].min(), rows["gain"].max()
    caption = (
        "Percentage points of win chance that one more throw adds to stopping, while the disc is "
        "in the tray. Framed: better stop. A star: a protected deck that shows the milestone."
    )
    alt = (
        f"{title}. One more throw changes the chance of winning by between {_points(least)} and "
        f"{_points(most)} percentage points; {plural(len(stops), 'situation')} to stop in."
    )
    return Words(title, caption, alt)


def _points(gain: float) -> str:
    return number(100 * gain, 1, True)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A cell a situation; the better throwing again, the darker."""
    mine, theirs = list(dict.fromkeys(rows["mine"])), list(dict.fromkeys(rows["theirs"]))
    grid = rows["gain"].to_numpy(dtype=float).reshape(len(mine), len(theirs))
    again = rows["again"].to_numpy(dtype=bool).reshape(grid.shape)
    phone = width_of(ax) < PHONE
    scale = max(float(np.abs(grid).max()), 1e-9)
    shades = LinearSegmentedColormap.from_list("gain", [PAPER, PALE, ACCENT])
    colors = shades(np.clip(grid, 0, None) / scale)
    # Cells are drawn one by one: pictures inside a page's drawing would not follow its theme.
    for row in range(len(mine)):
        for column in range(len(theirs)):
            value = grid[row, column]
            box = (column - 0.5, row - 0.5)
            patch = ax.add_patch(_cell(box, colors[row, column], bool(again[row, column])))
            patch.set_clip_on(False)
            if not phone:
                light = value / scale > BRIGHT
                ax.text(
                    column,
                    row,
                    number(100 * value, 0),
                    ha="center",
                    va="center",
                    size=9,
                    color=PAPER if light else INK,
                )
    ax.set_xlim(-0.5, len(theirs) - 0.5)
    ax.set_ylim(len(mine) - 0.5, -0.5)
    ax.grid(False)
    step = 3 if phone else 1
    ax.set_xticks(range(0, len(theirs), step), theirs[::step])
    ax.set_yticks(range(0, len(mine), step), mine[::step])
    ax.set_xlabel(rows.attrs["opponents"])
    y_title(ax, "own top card after cards went")


def _cell(corner: tuple[float, float], color: Any, again: bool) -> Rectangle:
    edge = PAPER if again else MUTED
    return Rectangle(corner, 1, 1, facecolor=color, edgecolor=edge, lw=0.6 if again else 1.8)


CHART = Chart(
    name="when-to-stop",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("mine", "Own top", "text"),
        Column("theirs", "Opponent's top", "text"),
        Column("gain", "One more throw", "percent", 2),
    ),
    frame=lambda rows, width: Frame(
        height=TOP + BOTTOM + rows["mine"].nunique() * 24, left=46, right=8, top=TOP, bottom=BOTTOM
    ),
)
