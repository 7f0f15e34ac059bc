"""Marks that several charts share."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analyzer.statistics.tables import Columns, Estimate
from analyzer_reports.chart import Column, Frame
from analyzer_reports.style import ACCENT, INK, LINE, MUTED, PALE, PAPER
from analyzer_reports.words import number, shorten

__all__ = [
    "BY_COLUMN",
    "BY_ROW",
    "DASHES",
    "PHONE",
    "dots",
    "dots_frame",
    "ends_of",
    "estimates",
    "games_axis",
    "get_figure",
    "height_of",
    "history_rows",
    "interval",
    "interval_columns",
    "over_games",
    "over_games_frame",
    "percent_axis",
    "plain_axis",
    "player_columns",
    "share_dots",
    "width_of",
    "write",
    "y_title",
]

PHONE = 480
"""Charts narrower than this many pixels say less."""
BESIDE = 24
"""Letters of a label that find room beside a chart; longer ones go above their dots."""
ROW_BESIDE, ROW_ABOVE = 36, 50
"""Pixels a row of dots takes, with its label beside or above."""
DASHES = (0, (4, 3))
"""Of a line that things are compared with."""
BY_ROW, BY_COLUMN = ("axes fraction", "data"), ("data", "axes fraction")
"""Coordinates of what stands at an end of a row, or of a column."""


def get_figure(ax: Axes) -> Figure:
    """The figure that axes are part of."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("these axes belong to no figure")
    return figure


def width_of(ax: Axes) -> float:
    """Width of the whole figure in pixels."""
    return float(get_figure(ax).get_figwidth()) * 72


def height_of(ax: Axes) -> float:
    """Height of the axes alone in pixels."""
    return float(ax.get_position().height * get_figure(ax).get_figheight()) * 72


def estimates(rows: list[dict[str, Any]], columns: tuple[str, ...], **facts: Any) -> pd.DataFrame:
    """Rows as a frame: None becomes NaN, figures become floats; facts go to ``attrs``."""
    frame = pd.DataFrame(rows, columns=list(columns))
    for column in ("value", "low", "high"):
        if column in frame:
            frame[column] = frame[column].astype(float)
    frame.attrs.update(facts)
    return frame


def interval(estimate: Estimate) -> dict[str, float | None]:
    """Cells of a row: value, low and high."""
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def interval_columns(
    heading: str, kind: Literal["number", "percent"] = "number", places: int = 3
) -> tuple[Column, Column, Column]:
    """Columns of a table for a figure and the ends of its interval."""
    return (
        Column("value", heading, kind, places),
        Column("low", "from", kind, places),
        Column("high", "to", kind, places),
    )


def write(
    ax: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float] = (0, 0),
    coords: str | tuple[str, str] = "data",
    **looks: Any,
) -> None:
    """Text ``offset`` pixels from a place, which may lie outside the axes."""
    looks = {"color": INK, "annotation_clip": False, **looks}
    ax.annotate(text, at, xytext=offset, xycoords=coords, textcoords="offset points", **looks)


def percent_axis(places: int = 0) -> FuncFormatter:
    """Ticks of shares as percentages."""
    return FuncFormatter(lambda value, _: number(100 * value, places) + "%")


def plain_axis(axis: Any, most: int, whole: bool = False) -> None:
    """Few round ticks."""
    axis.set_major_locator(MaxNLocator(most, integer=whole, steps=[1, 2, 5, 10]))


def margin(ax: Axes) -> float:
    """Room to the left of the axes in pixels."""
    return float(ax.get_position().x0) * width_of(ax)


def y_title(ax: Axes, text: str) -> None:
    """Name the vertical axis where reading starts: lying down, above its numbers."""
    write(ax, text, (0, 1), (2 - margin(ax), 12), "axes fraction", va="bottom", color=MUTED)


def _label_above(rows: pd.DataFrame, width: float) -> bool:
    """Whether labels stand above their dots, for want of room beside them."""
    return width < PHONE or max(map(len, rows["label"])) > BESIDE


def ends_of(rows: pd.DataFrame, *more: float) -> tuple[float, float]:
    """The least and the greatest of all figures, ends of intervals, and numbers given."""
    ends = np.append(rows[["value", "low", "high"]].to_numpy(dtype=float), more)
    return float(np.nanmin(ends)), float(np.nanmax(ends))


def share_dots(
    ax: Axes, rows: pd.DataFrame, line: float, name: str, room: float = 0.12, axis: str = ""
) -> None:
    """`dots` for shares, on an axis of percentages that keeps within 0 and 1.

    Differences of shares may be negative. ``room`` is what the axis has to either side, as a part
    of what lies between, and ``axis`` its name: without one the shares are of games won, or of
    what ``rows.attrs["many"]`` says.
    """
    low, high = ends_of(rows, line)
    pad = max(room * (high - low), 0.005)
    ax.set_xlim(max(-np.inf if low < 0 else 0.0, low - pad), min(1.0, high + pad))
    dots(ax, rows, line, name)
    plain_axis(ax.xaxis, 3 if width_of(ax) < PHONE else 6)
    left, right = ax.get_xlim()
    ax.xaxis.set_major_formatter(percent_axis(1 if right - left < 0.05 else 0))
    ax.set_xlim(left, right)
    ax.set_xlabel(axis or f"share of {rows.attrs.get('many', 'games')} won")


def dots_frame(rows: pd.DataFrame, width: int) -> Frame:
    """Height and margins that `dots` needs."""
    if _label_above(rows, width):
        return Frame(height=76 + ROW_ABOVE * len(rows), left=16, right=18, top=26, bottom=50)
    return Frame(
        height=80 + ROW_BESIDE * len(rows),
        left=20 + 7.4 * max(map(len, rows["label"])),
        right=20 + 9.2 * max(map(len, rows["said"])),
        top=30,
        bottom=50,
    )


def dots(ax: Axes, rows: pd.DataFrame, line: float, name: str, zone: float = 0.0) -> None:
    """A row a line of data: label, dot with interval, and the figure in words at the right.

    ``rows`` has columns label, value, low, high, said. ``line`` is what they are compared with,
    ``name`` what it is called (or nothing); a shaded zone reaches ``zone`` to either side of it.
    Set the limits of the horizontal axis before.
    """
    above = _label_above(rows, width_of(ax))
    letters = (24 if above else BESIDE) if width_of(ax) < PHONE else 64
    ax.set_ylim(len(rows) - 0.4, -0.75 if above else -0.6)
    ax.set_yticks([])
    ax.grid(False)
    if not above:
        ax.grid(True, axis="x")
        ax.axvspan(line - zone, line + zone, color=PALE, lw=0, zorder=0.2)
        ax.axvline(line, color=INK, lw=1.1, ls=DASHES, zorder=1)
    for row, (label, said) in enumerate(zip(rows["label"], rows["said"], strict=True)):
        if above:
            # Line and zone keep to the dots' part of the row: nothing runs through the words.
            ax.fill_between(
                [line - zone, line + zone], row - 0.2, row + 0.2, color=PALE, lw=0, zorder=0.2
            )
            ax.plot([line, line], [row - 0.2, row + 0.2], color=INK, lw=1.1, ls=DASHES, zorder=1)
        ax.axhline(row, color=LINE, lw=0.8, zorder=0.5)
        shown = shorten(label, letters)
        y, v = (13, "bottom") if above else (0, "center_baseline")
        side, x = ("right", 16) if above else ("left", 12)
        write(ax, shown, (0, row), (2 - margin(ax), y), BY_ROW, va=v)
        write(ax, said, (1, row), (x, y), BY_ROW, ha=side, va=v, weight="bold")
    for row, (value, low, high) in enumerate(
        zip(rows["value"], rows["low"], rows["high"], strict=True)
    ):
        solid = bool(np.isfinite(low) and np.isfinite(high))
        if solid:
            ax.plot([low, high], [row, row], color=ACCENT, lw=3.2, alpha=0.5, zorder=3)
        fill = ACCENT if solid else PAPER
        ax.plot([value], [row], "o", ms=9, color=ACCENT, mfc=fill, mew=1.8, zorder=4, clip_on=False)
    if not name:
        return
    left, right = ax.get_xlim()
    place = (line - left) / (right - left)
    edge = 0.2 if width_of(ax) < PHONE else 0.1
    side = "left" if place < edge else "right" if place > 1 - edge else "center"
    write(ax, name, (line, 1), (0, 4), BY_COLUMN, ha=side, va="bottom", size=12)


def games_axis(ax: Axes, rows: pd.DataFrame, phone: bool, many: str = "games") -> None:
    """A logarithmic axis of the column ``games`` with ticks that people read: 1,000, 1 million."""
    low, high = float(rows["games"].min()), float(rows["games"].max())
    ax.set_xlim(low * 0.93, high * 1.07)
    powers = [10.0**k for k in range(13) if low <= 10.0**k <= high]
    ticks = ([low] if not powers or low * 2.5 < powers[0] else []) + powers
    if not powers or high > 2.5 * powers[-1]:
        ticks.append(high)
    ax.set_xticks(ticks, [_short(tick, phone) for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlabel(f"{many} played")


def history_rows(history: Columns, figure: str) -> pd.DataFrame:
    """Rows games, value, low, high of a figure as games accumulate; none without two counts."""
    if len(history["games"]) < 2:
        return estimates([], ("games", "value", "low", "high"))
    rows = pd.DataFrame(history).rename(columns={figure: "value"})
    rows = rows[["games", "value", "low", "high"]].dropna(subset=["value"])
    return rows.sort_values("games").reset_index(drop=True)


def over_games(ax: Axes, rows: pd.DataFrame) -> None:
    """A figure over game counts: a line with its band, on a logarithmic axis."""
    ax.set_xscale("log")
    ax.fill_between(rows["games"], rows["low"], rows["high"], color=ACCENT, alpha=0.22, lw=0)
    ax.plot(rows["games"], rows["value"], "o-", color=ACCENT, ms=4.5, zorder=4)


def over_games_frame(rows: pd.DataFrame, width: int) -> Frame:
    """Height and margins of a chart over game counts."""
    wide = width >= PHONE
    return Frame(height=290 if wide else 260, left=48, right=40 if wide else 30, bottom=50)


HEADING = 8
"""Letters of a heading that leave room for several columns on a phone."""


def player_columns(rows: pd.DataFrame) -> tuple[list[Column], int]:
    """A column of percentages a player, and decimals for which so many columns leave room."""
    players = sorted(rows["player"].unique())
    places = 2 if len(players) < 5 else 1
    labels = rows.attrs["labels"]
    named = [Column(one, shorten(labels[one], HEADING), "percent", places) for one in players]
    return named, places


def _short(games: float, phone: bool) -> str:
    """A game count as briefly as a tick needs it."""
    for size, name, letter in ((1e9, "billion", "bn"), (1e6, "million", "M")):
        if games >= size:
            return f"{games / size:.3g}{letter}" if phone else f"{games / size:.3g} {name}"
    return f"{games:,.0f}"
