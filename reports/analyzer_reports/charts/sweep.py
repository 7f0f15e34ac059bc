"""How a figure changes with what is varied: a curve over one thing, a map over two."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from analyzer.statistics.sweep import Sweep, said_target, spell
from analyzer.statistics.wording import label
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.marks import (
    BY_ROW,
    DASHES,
    PHONE,
    ends_of,
    estimates,
    interval,
    interval_columns,
    percent_axis,
    plain_axis,
    width_of,
    write,
    y_title,
)
from analyzer_reports.style import ACCENT, INK, MUTED, PAPER
from analyzer_reports.words import capital, number, percent, shorten

STANDING = {"best": "best", "candidate": "not shown worse", "worse": "worse", "": ""}
COLUMNS = ("place", "x", "y", "label", "value", "low", "high", "standing", "said")
CELL = 30
"""Pixels of the height of a cell."""
BRIGHT = 0.6
"""From this strength on, a cell takes letters of the color of paper."""
MOST_TICKS = 12


def curve(name: str) -> Chart:
    """The chart of one figure over one thing, or over two."""

    def data(found: Sweep) -> pd.DataFrame:
        return _rows(found, name) if len(found.axes) == 1 else _none()

    return Chart(
        name=f"curve-{_file(name)}",
        data=data,
        draw=_draw_curve,
        words=_words,
        columns=_columns,
        frame=lambda rows, width: Frame(
            height=320 if width >= PHONE else 280,
            left=56,
            right=24,
            top=42,
            bottom=52 if not rows.attrs["long"] else 110,
        ),
        table=_table,
    )


def heat_map(name: str) -> Chart:
    """The chart of one figure over two things."""

    def data(found: Sweep) -> pd.DataFrame:
        return _rows(found, name) if len(found.axes) == 2 else _none()

    return Chart(
        name=f"map-{_file(name)}",
        data=data,
        draw=_draw_map,
        words=_words,
        columns=_columns,
        frame=lambda rows, width: Frame(
            height=34 + 56 + CELL * rows["y"].nunique(),
            left=20 + 7.4 * max(map(len, rows.attrs["ticks"][1])),
            right=12,
            top=34,
            bottom=56,
        ),
        table=_table,
    )


def _file(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name)


def _none() -> pd.DataFrame:
    return estimates([], COLUMNS)


def _rows(found: Sweep, name: str) -> pd.DataFrame:
    """A row a point whose figure is known."""
    share = name in found.shares
    first, last = found.axes[-1], found.axes[0]
    rows = []
    for place, point in enumerate(found.points):
        one = point.figures.get(name)
        if one is None or one.value is None:
            continue
        x = point.at[first.name]
        rows.append(
            {
                "place": place,
                "x": first.values.index(x),
                "y": last.values.index(point.at[last.name]),
                "label": ", ".join(spell(value) for value in point.at.values()),
                **interval(one),
                "standing": STANDING[point.standing] if name == found.metric else "",
                "said": percent(one.value) if share else number(one.value),
            }
        )
    ticks = [[shorten(spell(v), 16) for v in axis.values] for axis in (first, last)]
    decides = name == found.metric
    return estimates(
        rows,
        COLUMNS,
        name=label(name),
        share=share,
        axes=(first.name, last.name),
        values=first.values if first.numeric else tuple(range(len(first.values))),
        numeric=first.numeric,
        ticks=ticks,
        long=not first.numeric and max(map(len, ticks[0])) > 6,
        target=found.target if decides else None,
        goal=found.goal if decides else None,
        best=None if found.best is None or not decides else found.label(found.best),
        verdict=found.verdict if decides else None,
    )


def _words(rows: pd.DataFrame) -> Words:
    facts = rows.attrs
    what, share = facts["name"], facts["share"]
    over = " and ".join(dict.fromkeys(facts["axes"][::-1]))
    ranked = rows.sort_values("value", kind="stable")
    least, most = ranked.iloc[0], ranked.iloc[-1]
    ends = f"from {least['said']} at {least['label']} to {most['said']} at {most['label']} ({over})"
    if facts["goal"] is None:
        title = f"{capital(what)}: {ends}"
    elif facts["goal"] == "target":
        verb = "brings" if facts["verdict"] == "shown" else "brought"
        title = f"{facts['best']} {verb} {what} nearest to {said_target(facts['target'], share)}"
    else:
        verb = "gives" if facts["verdict"] == "shown" else "gave"
        title = f"{facts['best']} {verb} the {facts['goal']} {what}"
    if facts["goal"] is not None and facts["verdict"] != "shown":
        title += ", which is not settled"
    two = len(set(facts["axes"])) > 1
    caption = f"The {what} by {over}, all on the same chance."
    if not two:
        caption += " The ranges of all points hold together."
    if facts["goal"] is not None:
        marks = "Thick frame: the best. Thin frame" if two else "Large: the best. Filled"
        caption += f" {marks}: not shown to be worse."
        if facts["goal"] == "target" and two:
            caption += " The stronger the color, the nearer to the target."
    kept = rows[rows["standing"].isin(["best", "not shown worse"])]
    told = f" Not shown to be worse: {'; '.join(kept['label'])}." if len(kept) > 1 else ""
    return Words(title, caption, f"{title}. It goes {ends}.{told}")


def _columns(rows: pd.DataFrame) -> tuple[Column, ...]:
    kind = "percent" if rows.attrs["share"] else "number"
    found = (
        Column("label", ", ".join(dict.fromkeys(rows.attrs["axes"][::-1])), "text"),
        *interval_columns(rows.attrs["name"].capitalize(), "percent", 2),
    )
    if kind == "number":
        found = (found[0], *interval_columns(rows.attrs["name"].capitalize(), "number", 3))
    return (*found, Column("standing", "", "text")) if rows.attrs["goal"] else found


def _table(rows: pd.DataFrame) -> pd.DataFrame:
    return rows


def _draw_curve(rows: pd.DataFrame, ax: Axes) -> None:
    """A line through the points with a band, or dots with bars where values are no numbers."""
    facts = rows.attrs
    x = rows["x"].map(lambda number: float(facts["values"][number]))
    if facts["target"] is not None:
        ax.axhline(facts["target"], color=INK, lw=1.1, ls=DASHES, zorder=1)
    if facts["numeric"]:
        ax.fill_between(x, rows["low"], rows["high"], color=ACCENT, alpha=0.22, lw=0, zorder=2)
        ax.plot(x, rows["value"], color=ACCENT, lw=1.6, zorder=3)
    else:
        ax.vlines(x, rows["low"], rows["high"], color=ACCENT, lw=3.2, alpha=0.5, zorder=3)
    for place, value, standing in zip(x, rows["value"], rows["standing"], strict=True):
        fill = PAPER if standing == "worse" else ACCENT
        size = 12 if standing == "best" else 6.5
        ax.plot([place], [value], "o", ms=size, color=ACCENT, mfc=fill, mew=1.6, zorder=4)
        if standing == "best":
            said = rows.loc[rows["standing"] == "best", "label"].iloc[0]
            write(ax, said, (place, value), (0, 11), ha="center", va="bottom", weight="bold")
    _x_axis(rows, ax)
    plain_axis(ax.yaxis, 5)
    low, high = ends_of(rows, *([] if facts["target"] is None else [facts["target"]]))
    pad = max(0.12 * (high - low), 1e-6)
    ax.set_ylim(low - pad, high + pad)
    if facts["share"]:
        ax.yaxis.set_major_formatter(percent_axis(1 if high - low < 0.04 else 0))
        ax.set_ylim(max(low - pad, 0.0) if low >= 0 else low - pad, high + pad)
    y_title(ax, facts["name"])
    if facts["target"] is not None:
        text = f"target {said_target(facts['target'], facts['share'])}"
        write(ax, text, (1, facts["target"]), (0, 3), BY_ROW, ha="right", va="bottom", size=12)


def _x_axis(rows: pd.DataFrame, ax: Axes) -> None:
    facts = rows.attrs
    ticks, values = facts["ticks"][0], [float(value) for value in facts["values"]]
    room = 0.04 * (values[-1] - values[0]) if facts["numeric"] else 0.4
    ax.set_xlabel(facts["axes"][0])
    most = 6 if width_of(ax) < PHONE else MOST_TICKS
    if facts["numeric"] and len(values) > most:
        plain_axis(ax.xaxis, most, whole=all(value == int(value) for value in values))
    else:
        ax.set_xticks(values, ticks, rotation=30 if facts["long"] else 0,
                      ha="right" if facts["long"] else "center")  # fmt: skip
    ax.set_xlim(values[0] - room, values[-1] + room)


def _strength(rows: pd.DataFrame) -> pd.Series[float]:
    """How dark a cell is, 0 to 1: by the figure, or by how near it is to the target."""
    values = rows["value"]
    if rows.attrs["goal"] == "target":
        values = -(values - rows.attrs["target"]).abs()
    elif rows.attrs["goal"] == "lowest":
        values = -values
    reach = float(values.max() - values.min())
    return (values - values.min()) / reach if reach > 0 else values * 0.0


def _draw_map(rows: pd.DataFrame, ax: Axes) -> None:
    """A cell a point; drawn one by one, as pictures would not follow the theme of a page."""
    facts = rows.attrs
    columns, lines = facts["ticks"]
    room = (width_of(ax) - 60) / max(len(columns), 1)
    written = room > 7.5 * max(map(len, rows["said"]))
    for (_, row), strength in zip(rows.iterrows(), _strength(rows), strict=True):
        x, y = float(row["x"]), float(row["y"])
        ax.add_patch(
            Rectangle(
                (x - 0.5, y - 0.5), 1, 1, facecolor=ACCENT, alpha=0.08 + 0.82 * strength, lw=0
            )
        )
        if written:
            color = PAPER if strength > BRIGHT else INK
            ax.text(x, y, row["said"], ha="center", va="center", size=11, color=color)
    for line, inset, standing in ((1.6, 0.06, "not shown worse"), (3.4, 0.06, "best")):
        for _, row in rows[rows["standing"] == standing].iterrows():
            corner = float(row["x"]) - 0.5 + inset, float(row["y"]) - 0.5 + inset
            side = 1 - 2 * inset
            ax.add_patch(Rectangle(corner, side, side, fill=False, edgecolor=INK, lw=line))
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(-0.5, len(lines) - 0.5)
    ax.grid(False)
    most = 6 if width_of(ax) < PHONE else MOST_TICKS
    step = -(-len(columns) // most)
    ax.set_xticks(range(0, len(columns), step), columns[::step])
    ax.set_yticks(range(len(lines)), lines)
    ax.set_xlabel(facts["axes"][0])
    y_title(ax, facts["axes"][1])
    for spine in ax.spines.values():
        spine.set_color(MUTED)
