"""Turn the Tide: eliminated, lowest tide, round won, by the number of preservers dealt."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from analyzer_reports.answers import Answer, summary_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.games.turnthetide.answers import lifesavers_of
from analyzer_reports.marks import (
    BY_ROW,
    PHONE,
    estimates,
    height_of,
    percent_axis,
    plain_axis,
    width_of,
    write,
    y_title,
)
from analyzer_reports.style import ACCENT, INK, MUTED, PAPER
from analyzer_reports.words import percent, plural

COLUMNS = ("count", "rounds", "eliminated", "bonus", "lost", "round_win")
SEEN, ENOUGH = 30, 300
"""Rounds below which a share is drawn hollow, and below which nothing is said about it."""
EQUAL = " The settings give every hand the same number to play with."
CAPTION = (
    "Share of rounds, by the preservers printed on the hand, in which a player is eliminated, "
    "takes the bonus for the lowest tide, or has the best score of the round (ties shared)."
)


def data(answer: Answer) -> pd.DataFrame:
    """A row per number of printed preservers; shares of player-rounds, ``lost`` in preservers."""
    found = lifesavers_of(answer)
    rows = [] if found is None else [row for row in found.by_count if row.rounds > 0]
    if found is None or not rows:
        return estimates([], COLUMNS)
    frame = estimates(
        [
            {
                "count": row.lifesavers,
                "rounds": row.rounds,
                "eliminated": row.eliminated,
                "bonus": row.bonus,
                "lost": row.lost,
                "round_win": row.round_win.value,
            }
            for row in rows
        ],
        COLUMNS,
        few=found.gap_counts[0],
        many=found.gap_counts[1],
        players=summary_of(answer).players,
        equal=summary_of(answer).rules.get("allocation", "printed") != "printed",
    )
    frame["round_win"] = frame["round_win"].astype(float)
    return frame


def words(rows: pd.DataFrame) -> Words:
    """How much more often hands with few preservers go under."""
    by_count = rows.set_index("count")
    few, many, equal = (rows.attrs[name] for name in ("few", "many", "equal"))
    caption = CAPTION + EQUAL * equal
    if few in by_count.index and many in by_count.index and few != many:
        # A count's share is only as good as the rounds behind it; it comes without an interval.
        if by_count.loc[[few, many], "rounds"].min() < ENOUGH:
            title = "Too few games to tell how often hands are eliminated"
            return Words(title, caption, f"{title}.")
        less, more = by_count.loc[few], by_count.loc[many]
        hand = f"With cards that print {few}" if equal else f"With {plural(few, 'preserver')}"
        title = (
            f"{hand} a player is eliminated in about "
            f"{percent(less['eliminated'], 0)} of rounds, "
            f"with {many} in {percent(more['eliminated'], 0)}"
        )
        alt = (
            f"{title}. The lowest tide's bonus goes to them in {percent(less['bonus'], 0)} and "
            f"{percent(more['bonus'], 0)} of rounds; they win {percent(less['round_win'], 0)} and "
            f"{percent(more['round_win'], 0)} of rounds."
        )
    else:
        row = rows.sort_values("rounds").iloc[-1]
        title = f"A player is eliminated in {percent(row['eliminated'], 0)} of rounds"
        alt = (
            f"{title} with {plural(int(row['count']), 'preserver')} printed, the hand dealt most "
            "often."
        )
    return Words(title, caption, alt)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """Three lines, named where they end."""
    phone = width_of(ax) < PHONE
    counts = rows["count"].to_numpy()
    lines = (
        ("round_win", "wins the round", "wins", ACCENT, "-"),
        ("eliminated", "is eliminated", "eliminated", INK, "-"),
        ("bonus", "lowest-tide bonus", "bonus", MUTED, (0, (2, 1.6))),
    )
    top = min(1.0, float(rows[["round_win", "eliminated", "bonus"]].max().max()) * 1.12 + 0.02)
    ax.set_ylim(0, top)
    pad = max(0.35, 0.05 * (counts.max() - counts.min()))
    ax.set_xlim(counts.min() - pad, counts.max() + pad)
    for key, _, _, color, dash in lines:
        ax.plot(counts, rows[key], color=color, ls=dash, zorder=3, clip_on=False)
        for solid, some in rows.groupby(rows["rounds"] >= SEEN):
            ax.plot(
                some["count"],
                some[key],
                "o",
                ms=5.5,
                color=color,
                mfc=color if solid else PAPER,
                mew=1.4,
                zorder=4,
                clip_on=False,
            )
    # Names stand in order of height, kept apart, at the right-hand end.
    last = rows.iloc[-1]
    gap = 17 / height_of(ax) * top
    placed = -gap
    for key, name, short, color, _ in sorted(lines, key=lambda line: float(last[line[0]])):
        placed = max(float(last[key]), placed + gap)
        looks = {"va": "center", "color": color, "weight": "bold", "size": 12 if phone else 12.5}
        write(ax, short if phone else name, (1, placed), (6, 0), BY_ROW, **looks)
    ax.yaxis.set_major_formatter(percent_axis())
    plain_axis(ax.yaxis, 5)
    ax.set_xticks(counts)
    ax.set_xlabel("preservers on the hand" if phone else "life preservers printed on the hand")
    y_title(ax, "share of rounds")


CHART = Chart(
    name="outcomes-by-preservers",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("count", "Printed", "count"),
        Column("eliminated", "Eliminated", "percent", 2),
        Column("bonus", "Bonus", "percent", 2),
        Column("round_win", "Wins", "percent", 2),
        Column("lost", "Lost"),
    ),
    frame=lambda rows, width: Frame(
        height=320 if width >= PHONE else 280,
        left=44,
        right=146 if width >= PHONE else 88,
        bottom=50,
    ),
)
