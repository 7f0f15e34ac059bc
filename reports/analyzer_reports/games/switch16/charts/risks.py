"""What a risk is: how often one more throw clears the top card, and what it is worth on average."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from analyzer.games.switch16.figures import Risks
from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.marks import PHONE, percent_axis, width_of, write, y_title
from analyzer_reports.style import ACCENT, INK, MUTED, PAPER
from analyzer_reports.words import joined, number, percent, shorten

AGAIN = "again: "
DICE_Y, STOP_Y = 0.04, -0.16
MOST_POLICIES = 6


def data(answer: Answer) -> pd.DataFrame:
    """The situations of the answer; none if its game has no risks."""
    found = figure_of(answer, "risks", Risks)
    return pd.DataFrame() if found is None else pd.DataFrame(found.table)


def _policies(rows: pd.DataFrame) -> list[str]:
    return [name for name in rows.columns if name.startswith(AGAIN)]


def _label(row: Any) -> str:
    return f"{row['top']}{'*' if row['protected'] else ''}"


def words(rows: pd.DataFrame) -> Words:
    """Where the risk is greatest, and where it pays on average."""
    worst: Any = rows.iloc[int(rows["success"].argmin())]
    pays = rows[rows["change"] > 0]
    if len(pays) == len(rows):
        title = "One more throw moves the deck forward on average, whatever it shows"
    elif pays.empty:
        title = "One more throw never pays on average"
    else:
        title = f"One more throw pays on average in {len(pays)} of {len(rows)} situations"
    caption = (
        "Height: probability that one more throw clears the top card. Filled: the deck moves "
        "forward on average. A star: protected. Crosses below: where a policy stops."
    )
    stops = [
        f"{name.removeprefix(AGAIN)} stops at "
        + (joined([_label(row) for _, row in rows[~rows[name]].iterrows()]) or "no card")
        for name in _policies(rows)
    ]
    alt = (
        f"{title}. The least certain top card is {_label(worst)} with "
        f"{percent(float(worst['success']))}. " + " ".join(f"{text}." for text in stops)
    )
    return Words(title, caption, alt.strip())


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """A dot a situation; below, a line of crosses for each policy."""
    phone = width_of(ax) < PHONE
    places = range(len(rows))
    for place, (_, row) in zip(places, rows.iterrows(), strict=True):
        share, forward = float(row["success"]), float(row["change"]) > 0
        ax.plot([place, place], [0, share], color=ACCENT if forward else MUTED, lw=1.6, zorder=2)
        ax.plot(
            [place],
            [share],
            "o",
            ms=7 if phone else 9,
            color=ACCENT if forward else MUTED,
            mfc=ACCENT if forward else PAPER,
            mew=1.8,
            zorder=3,
        )
        if not phone:
            change = number(float(row["change"]), 1, True)
            write(ax, change, (place, share), (0, 8), ha="center", size=10.5)
    for line, name in enumerate(_policies(rows)[:MOST_POLICIES]):
        y = STOP_Y * (line + 1)
        stopped = [place for place, again in zip(places, rows[name], strict=True) if not again]
        ax.plot(stopped, [y] * len(stopped), "x", ms=6, mew=1.8, color=INK, clip_on=False)
        text = shorten(name.removeprefix(AGAIN), 24) + (" stops at" if stopped else " never stops")
        write(ax, text, (-0.5, y + DICE_Y), va="bottom", size=11.5, color=MUTED)
    policies = min(len(_policies(rows)), MOST_POLICIES)
    ax.set_ylim(STOP_Y * policies - 0.06, 1.08)
    ax.set_xlim(-0.6, len(rows) - 0.4)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.yaxis.set_major_formatter(percent_axis())
    step = 3 if phone else 1
    labels = [_label(row) for _, row in rows.iterrows()]
    ax.set_xticks(list(places)[::step], labels[::step])
    ax.set_xlabel("top card after cards went")
    y_title(ax, "chance to clear it; above: mean change in cards")


CHART = Chart(
    name="risks",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("top", "Top card", "count"),
        Column("protected", "Protected", "text"),
        Column("dice", "Dice", "count"),
        Column("success", "Clears it", "percent", 2),
        Column("change", "Mean change", "number", 2),
        *(Column(name, name.capitalize(), "text") for name in _policies(rows)),
    ),
    frame=lambda rows, width: Frame(
        height=330 + 36 * min(len(_policies(rows)), MOST_POLICIES), left=52, top=38, bottom=54
    ),
)
