"""Turn the Tide: the score of a round by the number of preservers dealt."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analyzer_reports.answers import Answer, summary_of
from analyzer_reports.chart import Chart, Column, Frame, Words
from analyzer_reports.games.turnthetide.answers import lifesavers_of
from analyzer_reports.marks import (
    BY_ROW,
    DASHES,
    PHONE,
    estimates,
    interval,
    interval_columns,
    plain_axis,
    width_of,
    write,
    y_title,
)
from analyzer_reports.style import ACCENT, INK, MUTED, PALE, PAPER
from analyzer_reports.words import between, figure, known, number, percent, plural

COLUMNS = ("count", "rounds", "share", "value", "low", "high")


def data(answer: Answer) -> pd.DataFrame:
    """A row per number of preservers printed on a hand; ``fair`` is the mean over all hands."""
    found = lifesavers_of(answer)
    rows = [] if found is None else [row for row in found.by_count if row.rounds > 0]
    total = sum(row.rounds for row in rows)
    if found is None or not total:
        return estimates([], COLUMNS)
    return estimates(
        [
            {
                "count": row.lifesavers,
                "rounds": row.rounds,
                "share": row.rounds / total,
                **interval(row.mean_score),
            }
            for row in rows
        ],
        COLUMNS,
        verdict=found.verdict,
        slope=found.slope,
        margin=found.margin,
        fair=sum(row.rounds * (row.mean_score.value or 0.0) for row in rows) / total,
        allocation=str(summary_of(answer).rules.get("allocation", "printed")),
    )


def words(rows: pd.DataFrame) -> Words:
    """Whether more preservers mean a higher score."""
    verdict, slope, allocation = (
        rows.attrs["verdict"],
        rows.attrs["slope"],
        rows.attrs["allocation"],
    )
    equal = allocation != "printed"
    if len(rows) == 1:
        held = int(rows["count"].iloc[0])
        each = plural(held, "preserver") if held else "no preserver"
        title = f"Every hand holds {each}: there is nothing to compare"
    elif equal and known(slope):
        title = (
            "With equal preservers, hands whose cards print more of them score less"
            if slope.high < 0
            else "With equal preservers, hands whose cards print more of them score more"
            if slope.low > 0
            else "With equal preservers, no kind of hand is seen to score more"
        )
    elif verdict == "over-compensated":
        title = "Hands with more preservers score more"
    elif verdict == "under-compensated":
        title = "Hands with more preservers score less"
    elif verdict == "fair":
        title = (
            "One more preserver goes with at most "
            f"{rows.attrs['margin']:g} points a round, more or less"
        )
    elif known(slope) and slope.low > 0:
        title = "Hands with more preservers seem to score more; how much is not settled"
    elif known(slope) and slope.high < 0:
        title = "Hands with more preservers seem to score less; how much is not settled"
    else:
        title = "Too few games to tell whether preservers help"
    caption = (
        "Average points of a round by the preservers printed on the hand's cards, with the range "
        "the true average lies in. Pale bars: how often such a hand is dealt."
    )
    if rows["low"].isna().any():
        caption += " Hollow: too few games for a range."
    if equal:
        caption += " The settings give every hand the same number to play with."
    with_range = rows.dropna(subset=["low", "high"])
    told = with_range if len(with_range) else rows
    first, last = told.iloc[0], told.iloc[-1]
    alt = (
        f"{title}. Hands with {first['count']:.0f} average {number(first['value'])} points a "
        f"round, hands with {last['count']:.0f} average {number(last['value'])}; the average of "
        f"all hands is {number(rows.attrs['fair'])}."
    )
    if known(slope):
        worth = f"{figure(slope, sign=True)} points, {between(slope, sign=True)}"
        alt += f" One more preserver goes with {worth}."
    return Words(title, caption, alt)


def draw(rows: pd.DataFrame, ax: Axes) -> None:
    """Mean and interval by count, the flat line of a fair printing, the hands dealt behind."""
    phone = width_of(ax) < PHONE
    counts, means = rows["count"].to_numpy(), rows["value"].to_numpy()
    sure = rows["low"].notna().to_numpy()
    low = float(np.nanmin([rows["low"].min(), means.min()]))
    high = float(np.nanmax([rows["high"].max(), means.max()]))
    span = max(high - low, 1.0)
    # The lowest third belongs to the bars.
    floor, top = low - 0.42 * span, high + 0.05 * span
    ax.set_ylim(floor, top)
    ax.set_xlim(counts.min() - 0.6, counts.max() + 0.6)
    room = 0.3 * span / rows["share"].max()
    ax.bar(counts, rows["share"] * room, bottom=floor, width=0.86, color=PALE, lw=0, zorder=0.5)
    for at, share in zip(counts, rows["share"], strict=True):
        if share >= (0.04 if phone else 0.001):
            text, letters = percent(share, 0 if share >= 0.01 else 1), 10.5 if phone else 11.5
            top_of_bar = (at, floor + share * room)
            write(ax, text, top_of_bar, (0, 3), ha="center", color=MUTED, size=letters)
    fair = rows.attrs["fair"]
    ax.axhline(fair, color=INK, lw=1.2, ls=DASHES, zorder=2)
    rising = len(means) < 2 or means[-1] >= means[0]
    # The label stands on its line, at the end where the data are below it, or else clear of them.
    near = counts <= np.quantile(counts, 0.4) if rising else counts >= np.quantile(counts, 0.6)
    clear = max(fair, float(np.nanmax(rows[["value", "high"]].to_numpy()[near])))
    alike = "all alike" if phone else "if all hands were alike"
    label = f"{'dashed: ' if clear > fair else ''}{alike}: {number(fair)}"
    end, x, side = (0, 2, "left") if rising else (1, -2, "right")
    write(ax, label, (end, clear), (x, 5), BY_ROW, ha=side)
    ax.fill_between(
        counts, rows["low"], rows["high"], where=sure, color=ACCENT, alpha=0.22, lw=0, zorder=3
    )
    ax.plot(counts, means, color=ACCENT, zorder=4)
    for at, mean, lower, upper, solid in zip(
        counts, means, rows["low"], rows["high"], sure, strict=True
    ):
        if solid:
            ax.plot([at, at], [lower, upper], color=ACCENT, lw=3, alpha=0.55, zorder=4)
        ax.plot(
            [at], [mean], "o", color=ACCENT, mfc=ACCENT if solid else PAPER, mew=1.6, ms=7, zorder=5
        )
    ax.set_xticks(counts)
    plain_axis(ax.yaxis, 8)
    # Heights of bars are not points: no ticks where only they are.
    ax.set_yticks([tick for tick in ax.get_yticks() if low - 0.1 * span <= tick <= top])
    ax.set_xlabel("preservers on the hand" if phone else "life preservers printed on the hand")
    y_title(ax, "points a round")


CHART = Chart(
    name="score-by-preservers",
    data=data,
    draw=draw,
    words=words,
    columns=lambda rows: (
        Column("count", "Preservers", "count"),
        Column("share", "Dealt", "percent", 2),
        *interval_columns("Points a round"),
    ),
    frame=lambda rows, width: Frame(height=400 if width >= PHONE else 300, left=42, bottom=50),
)
