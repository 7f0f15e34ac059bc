"""How games go: how long they are, how close, and whether those win who lead on the way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer.statistics.shape import Shape
from analyzer.statistics.tables import Columns
from analyzer_reports.answers import Answer, summary_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.dots import COLUMNS, listed, rows_of
from analyzer_reports.marks import (
    BY_COLUMN,
    PHONE,
    dots_frame,
    estimates,
    interval_columns,
    plain_axis,
    share_dots,
    width_of,
    write,
)
from analyzer_reports.style import ACCENT, INK, LINE, SOFT
from analyzer_reports.words import capital, known, number, percent, plural, several

SEEN = 0.995
"""Share of games that the axis reaches over: a few long ones would squeeze all others."""
MOMENTS = {
    0.25: "after a quarter",
    0.5: "at half-time",
    0.75: "at three quarters",
}
HISTOGRAM = ("value", "games", "share")


def _counts(found: Columns, **facts: object) -> pd.DataFrame:
    """A row a value that occurred, with its share of games."""
    frame = pd.DataFrame(found)
    frame["share"] = frame["games"] / frame["games"].sum()
    frame.attrs.update(facts)
    return frame


def _rested(shape: Shape, whole: str) -> str:
    return f"From {plural(shape.games, whole)} looked at one by one."


def lengths(answer: Answer) -> pd.DataFrame:
    """A row a length; none if all games are equally long or the game does not tell."""
    summary = summary_of(answer)
    shape = summary.shape
    if shape is None or shape.lengths is None or shape.length is None or shape.always_as_long:
        return estimates([], HISTOGRAM)
    return _counts(
        shape.lengths,
        title=shape.how_long(summary.whole),
        caption=(
            f"How often a {summary.whole} takes so many {shape.length_unit}; the line marks the "
            f"middle. {_rested(shape, summary.whole)}"
        ),
        alt=(
            f"The average is {number(shape.length.mean.value, 1)}; the longest took "
            f"{shape.length.longest}."
        ),
        middle=shape.length.median.value,
        axis=f"{shape.length_unit} of a {summary.whole}",
        many=several(summary.whole),
        heading=str(shape.length_unit).capitalize(),
    )


def margins(answer: Answer) -> pd.DataFrame:
    """A row a number of points between first and second."""
    summary = summary_of(answer)
    shape = summary.shape
    if shape is None or shape.margin.median.value is None:
        return estimates([], HISTOGRAM)
    ties = shape.ties
    return _counts(
        shape.margins,
        title=shape.how_close(summary.whole),
        caption=(
            f"How often first and second end so many points apart; the line marks the middle. "
            f"{_rested(shape, summary.whole)}"
        ),
        alt=(
            f"The average is {number(shape.margin.mean.value, 1)}. Two share the win in "
            f"{percent(ties.two.value)}, more in {percent(ties.more.value)}."
        ),
        middle=shape.margin.median.value,
        axis="points between first and second",
        many=several(summary.whole),
        heading="Points apart",
    )


def _about(rows: pd.DataFrame) -> Words:
    title = str(rows.attrs["title"]).rstrip(".")
    return Words(title, rows.attrs["caption"], f"{title}. {rows.attrs['alt']}")


def _steps(rows: pd.DataFrame, ax: Axes) -> None:
    """One bar a value, up to where hardly any game is left."""
    values, shares = rows["value"].to_numpy(), rows["share"].to_numpy()
    last = int(values[np.searchsorted(np.cumsum(shares), SEEN).clip(max=len(values) - 1)])
    least = int(values[0])
    last = max(last, least + 1)
    heights = np.zeros(last - least + 1)
    inside = values <= last
    heights[values[inside] - least] = shares[inside]
    ax.stairs(heights, np.arange(least, last + 2) - 0.5, fill=True, color=SOFT, lw=0)
    ax.set_xlim(least - 0.7, last + 0.7)
    ax.set_ylim(0, float(shares.max()) * 1.05)
    ax.spines["bottom"].set_color(LINE)
    ax.set_yticks([])
    ax.grid(False)
    middle = float(rows.attrs["middle"])
    ax.axvline(middle, color=ACCENT, lw=2)
    looks = {"color": ACCENT, "weight": "bold", "size": 12}
    side = "right" if middle > (least + last) / 2 else "left"
    offset = (-5 if side == "right" else 5, -13)
    write(ax, f"middle {number(middle, 0)}", (middle, 1), offset, BY_COLUMN, ha=side, **looks)
    plain_axis(ax.xaxis, 6 if width_of(ax) < PHONE else 10, whole=True)
    ax.set_xlabel(rows.attrs["axis"])


def _histogram(name: str, data: Callable[[Answer], pd.DataFrame]) -> Chart:
    return Chart(
        name=name,
        data=data,
        draw=_steps,
        words=_about,
        columns=lambda rows: (
            Column("value", rows.attrs["heading"], "count"),
            Column("games", capital(rows.attrs["many"]), "count"),
            Column("share", "Share", "percent", 2),
        ),
        frame=lambda rows, width: Frame(height=180, top=14, bottom=50),
    )


def _moment(shape: Shape, at: float, what: str = "leads") -> str:
    """When it is looked at who leads: after a part of a game, or after a unit of its length.

    Games that are always as long have no quarters if their units cannot be divided by four: it is
    looked at after the unit in which the quarter lies, as `analyzer.kernels.trail.Trail` does.
    """
    length = shape.length
    if not shape.always_as_long or length is None or length.longest % 4 == 0:
        return f"{what} {MOMENTS[at]}"
    unit, whole = str(shape.length_unit).removesuffix("s"), length.longest
    return f"{what} after {unit} {min(math.ceil(at * whole), whole - 1)} of {whole}"


def leads(answer: Answer) -> pd.DataFrame:
    """A row for whoever leads at each quarter, and one for whoever is last at half-time."""
    summary = summary_of(answer)
    shape = summary.shape
    places = [] if shape is None else [*(shape.leader_wins or ())]
    named = [] if shape is None else list({_moment(shape, one.at): one for one in places}.items())
    if shape is not None and shape.comeback is not None:
        named.append((_moment(shape, 0.5, "is last"), shape.comeback))
    named = [(label, one) for label, one in named if one.share.value is not None]
    if shape is None or not named:
        return estimates([], (*COLUMNS, "luck"))
    rows = rows_of(
        [(label, one.share) for label, one in named],
        many=several(summary.whole),
        equal=named[0][1].chance,
        title=shape.who_leads(summary.whole, compared=False),
        unit=str(shape.length_unit).removesuffix("s"),
        changes=shape.lead_changes,
        one=summary.whole,
        rested=_rested(shape, summary.whole),
    )
    rows["luck"] = [one.equal_luck for _, one in named]
    return rows


def _about_leads(rows: pd.DataFrame) -> Words:
    title, changes = str(rows.attrs["title"]).rstrip("."), rows.attrs["changes"]
    often = ""
    if changes is not None and known(changes):
        often = f" The lead changes {number(changes.value, 1)} times a {rows.attrs['one']}."
    caption = (
        f"How often each wins in the end; of several level ones, one drawn by lot. Ring: players "
        f"who gain alike and at random in every {rows.attrs['unit']}. Dashed: drawn by lot, "
        f"{percent(rows.attrs['equal'])}.{often} {rows.attrs['rested']}"
    )
    return Words(title, caption, f"{title}. {listed(rows)}.")


def _draw_leads(rows: pd.DataFrame, ax: Axes) -> None:
    """Dots with intervals, and a ring where equal luck would put them."""
    equal = float(rows.attrs["equal"])
    luck = rows["luck"].to_numpy(dtype=float)
    share_dots(
        ax, rows, equal, f"by lot {percent(equal)}", axis=f"share of {rows.attrs['many']} won"
    )
    left, right = ax.get_xlim()
    left, right = min(left, *luck), max(right, *luck)
    pad = 0.03 * (right - left)
    ax.set_xlim(max(0, left - pad), min(1, right + pad))
    ring: dict[str, Any] = {
        "ms": 12,
        "mfc": "none",
        "mec": INK,
        "mew": 1.2,
        "zorder": 5,
        "clip_on": False,
    }
    ax.plot(luck, np.arange(len(rows)), "o", **ring)


LENGTH = _histogram("game-length", lengths)
MARGIN = _histogram("win-margin", margins)
LEADS = Chart(
    name="leader-wins",
    data=leads,
    draw=_draw_leads,
    words=_about_leads,
    columns=lambda rows: (
        Column("label", "Who", "text"),
        *interval_columns("Wins", "percent", 1),
        Column("luck", "Equal luck", "percent", 1),
    ),
    frame=dots_frame,
)
CHARTS = (LENGTH, MARGIN, LEADS)
