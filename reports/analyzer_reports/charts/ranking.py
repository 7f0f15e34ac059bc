"""How strategies rank over all tables, and what each wins against opponents that are all alike."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from analyzer.statistics.tournament import Tournament
from analyzer_reports.answers import label_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.dots import dot_chart, ends_apart, equal_line, listed, rows_of
from analyzer_reports.marks import PHONE, width_of, write
from analyzer_reports.style import ACCENT, INK, MUTED
from analyzer_reports.words import percent, shorten

ROOM = 40
SHADES = 5
LEAST_COLUMN = 15
"""Pixels of a column that a number finds room in; the table below has them all."""
ROW = 30
"""Pixels a row of the map takes."""
BESIDE = 22
"""Letters of a name that find room beside the map."""


def _ranking(found: Tournament) -> pd.DataFrame:
    """A row a strategy, the best one first."""
    rows = [(shorten(label_of(s.strategy, s.name), ROOM), s.mean) for s in found.standings]
    return rows_of(rows, verdict=found.verdict, **equal_line(1 / found.players))


def _ranking_words(rows: pd.DataFrame) -> Words:
    first, last = rows["label"].iloc[0], rows["label"].iloc[-1]
    if rows.attrs["verdict"] in ("one-best", "slightly"):
        title = f"Over all tables {first} wins most"
    elif ends_apart(rows):
        title = f"Who wins most is not settled; {last} wins least"
        title = title if len(rows) > 2 else "Who wins most is not settled"
    else:
        title = "Who wins most is not settled"
    caption = (
        "Share of the games that one player with each strategy wins, in the mean over all tables "
        "of these strategies that it can sit at. The ranges hold together."
    )
    return Words(title, caption, f"{title}: {listed(rows)}.")


RANKING = dot_chart(
    "ranking",
    _ranking,
    _ranking_words,
    axis="mean share of games won",
    headings=("Strategy", "Mean share"),
)


def _payoffs(found: Tournament) -> pd.DataFrame:
    """A row for each strategy against each field of equals, both in the order of the ranking."""
    names = {s.strategy: label_of(s.strategy, s.name) for s in found.standings}
    rows = [
        {
            "label": shorten(name, ROOM),
            "against": shorten(names[response.opponent], ROOM),
            "value": share.value,
            "best": found.standings[row].strategy == response.best,
            "candidate": found.standings[row].strategy in response.candidates,
        }
        for response in found.responses
        for row, (name, share) in enumerate(zip(names.values(), response.shares, strict=True))
    ]
    frame = pd.DataFrame(rows)
    frame.attrs.update(equal=1 / found.players, others=found.players - 1)
    return frame


def _payoff_words(rows: pd.DataFrame) -> Words:
    best = rows[rows["best"]]
    several = len(set(best.index % _many(rows))) > 1
    everywhere = rows.groupby("label", sort=False)["candidate"].all()
    first, others = best["label"].iloc[0], rows.attrs["others"]
    whom = "one opponent" if others == 1 else f"{others} equal opponents"
    if several and everywhere.any():
        name = everywhere.index[everywhere][0]
        title = f"Against no field of {whom} is another strategy shown to do better than {name}"
    elif several:
        title = "Which strategy does best depends on the opponents"
    else:
        title = f"{first} does best against every field of {whom}"
        if others == 1:
            title = f"{first} does best against every opponent"
        if rows["candidate"].sum() > len(best):
            title += ", as far as these games show"
    clear = rows["candidate"].sum() == len(best)
    marked = "The best in each column is framed" + (
        "." if clear else "; a dot marks those not shown to win less."
    )
    caption = (
        f"Percent of games that the strategy of the row wins against {whom} with that of the "
        f"column. An equal share is {percent(rows.attrs['equal'])}. {marked}"
    )
    told = "; ".join(
        f"against {whom} {one}" for whom, one in zip(best["against"], best["label"], strict=True)
    )
    return Words(title, caption, f"{title}. Best {told}.")


def _shade(share: float, equal: float) -> float:
    """A color between paper and accent, deeper the more is won: half of it at an equal share."""
    part = (
        min(1.0, share / (2 * equal))
        if share <= equal
        else 0.5 + (share - equal) / (2 * (1 - equal))
    )
    steps = round(part * SHADES) / SHADES
    return 0.45 * steps


def _draw_payoffs(rows: pd.DataFrame, ax: Axes) -> None:
    many, equal = _many(rows), rows.attrs["equal"]
    names = list(rows["label"][:many])
    width = width_of(ax)
    phone = width < PHONE
    ax.set_xlim(-0.5, many - 0.5)
    ax.set_ylim(many - 0.5, -0.5)
    ax.grid(False)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines["bottom"].set_visible(False)
    letters = max(8, int(_left(rows, int(width)) / 7.2) - 5)
    column = float(ax.get_position().width) * width / many
    size = min(12.5, max(8.5, column / 3.1))
    for place, row in enumerate(rows.to_dict("records")):
        x, y = place // many, place % many
        part = _shade(row["value"], equal) if np.isfinite(row["value"]) else 0.0
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, color=ACCENT, alpha=part, lw=0, zorder=1))
        if row["best"]:
            ax.add_patch(
                Rectangle(
                    (x - 0.46, y - 0.45), 0.92, 0.9, fill=False, edgecolor=INK, lw=1.8, zorder=3
                )
            )
        told = f"{100 * row['value']:.0f}" if np.isfinite(row["value"]) else ""
        told += "\N{MIDDLE DOT}" if row["candidate"] and not row["best"] else ""
        if column >= LEAST_COLUMN:
            weight = "bold" if row["best"] else "normal"
            ax.text(
                x, y, told, ha="center", va="center_baseline", size=size, color=INK,
                weight=weight, zorder=4,
            )  # fmt: skip
    for place, name in enumerate(names):
        number = f"{place + 1}"
        write(
            ax, f"{number}  {shorten(name, letters)}", (0, place),
            (4 - float(ax.get_position().x0) * width, 0),
            ("axes fraction", "data"), va="center_baseline", size=11.5 if phone else 12.5,
        )  # fmt: skip
        write(ax, number, (place, 1), (0, 5), ("data", "axes fraction"), ha="center", va="bottom",
              color=MUTED)  # fmt: skip
    others = rows.attrs["others"]
    text = (
        "against the strategy of this number"
        if others == 1
        else (f"against {others} players with the strategy of this number")
    )
    write(ax, text, (1, 1), (0, 22), "axes fraction", ha="right", va="bottom", color=MUTED,
          size=11.5 if phone else 12.5)  # fmt: skip


def _left(rows: pd.DataFrame, width: int) -> float:
    """Room for the names beside the map."""
    longest = max(map(len, rows["label"])) + 4
    return min(20 + 7.2 * longest, width * (0.34 if width < PHONE else 0.4))


def _payoff_frame(rows: pd.DataFrame, width: int) -> Frame:
    return Frame(height=60 + ROW * _many(rows), left=_left(rows, width), right=8, top=48, bottom=10)


def _many(rows: pd.DataFrame) -> int:
    """How many strategies there are; the rows are those of one field after the other."""
    return math.isqrt(len(rows))


def _payoff_table(rows: pd.DataFrame) -> pd.DataFrame:
    """A row a strategy, a column a field."""
    many = _many(rows)
    shares = rows["value"].to_numpy().reshape(many, many)
    table = pd.DataFrame({f"against_{field}": shares[field] for field in range(many)})
    table.insert(0, "label", list(rows["label"][:many]))
    return table


def _payoff_columns(rows: pd.DataFrame) -> tuple[Column, ...]:
    fields = rows["against"][:: _many(rows)]
    return (
        Column("label", "Strategy", "text"),
        *(
            Column(f"against_{number}", f"against {name}", "percent", 1)
            for number, name in enumerate(fields)
        ),
    )


PAYOFFS = Chart(
    name="payoffs",
    data=_payoffs,
    draw=_draw_payoffs,
    words=_payoff_words,
    columns=_payoff_columns,
    frame=_payoff_frame,
    table=_payoff_table,
)
