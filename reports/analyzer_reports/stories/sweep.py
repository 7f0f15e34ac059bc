"""What the page of a sweep says, whatever the game."""

from __future__ import annotations

from analyzer.statistics.sweep import Sweep, said_apart, said_target
from analyzer.statistics.wording import label, listed, table
from analyzer_reports.charts import sweep as charts
from analyzer_reports.page import Banner, Icon, Section, Tile, Told
from analyzer_reports.words import number, plural, shorten

ICONS: dict[str | None, Icon] = {
    "shown": "yes",
    "several": "unsure",
    "undecided": "unsure",
    None: "none",
}
MOST_CHARTS = 6
"""Pictures of a page where all figures are told; the tables have the others."""
ROOM = 48


def told(found: Sweep) -> Told:
    """Everything that stands on the page."""
    many = {point.players for point in found.points}
    who = plural(min(many), "player") if len(many) == 1 else f"{min(many)} to {max(many)} players"
    games = (
        f"{plural(found.games, f'simulated {found.whole}')} at each of {len(found.points)} points"
    )
    if all(axis.kind != "parameter" for axis in found.axes) and len(many) == 1:
        who += f", {table(found.lineup, found.game)}"
    return Told(
        question(found), banner(found), tiles(found), sections(found), f"{who}, {games}",
        ranges(found),
    )  # fmt: skip


def question(found: Sweep) -> str:
    """What the banner answers."""
    what = listed([shorten(axis.name, ROOM) for axis in found.axes])
    if found.metric is None:
        return f"What changes with {what}?"
    name = label(found.metric)
    if found.goal == "target":
        target = said_target(found.target or 0.0, found.metric in found.shares)
        return f"At which {what} is {name} nearest to {target}?"
    return f"At which {what} is {name} {found.goal}?"


def banner(found: Sweep) -> Banner:
    """The best, in a word, and the answer."""
    word = "Side by side" if found.best is None else shorten(found.label(found.best), ROOM)
    if found.verdict == "undecided":
        word = "Not settled"
    elif found.verdict == "several":
        word = f"Not settled among {len(found.candidates)} of {len(found.points)}"
    return Banner(word, ICONS[found.verdict], found.answer)


def tiles(found: Sweep) -> tuple[Tile, ...]:
    """The best on fresh games, how many might be best, and what could be lost."""
    if found.metric is None or found.best is None:
        return ()
    share = found.metric in found.shares
    name = label(found.metric)
    shown = [
        Tile(
            *said_apart(found.fresh, share),
            f"{name} at {shorten(found.label(found.best), ROOM)}, on fresh games.",
        ),
        Tile(
            f"{len(found.candidates)} of {len(found.points)}",
            "",
            "points may be the best: no other is shown to be better.",
        ),
    ]
    if found.loss_bound and found.verdict != "shown":
        lost = 100 * found.loss_bound if share else found.loss_bound
        unit = "percentage points" if share else name
        shown.append(
            Tile(
                number(lost, 2 if lost < 1 else 1),
                "at most",
                f"{unit}: what the best one shown may give up to the one that truly is best.",
            )
        )
    return tuple(shown)


def sections(found: Sweep) -> tuple[Section, ...]:
    """The figure that decides, or those that change most clearly."""
    names = found.names if found.metric is not None else (found.changing or found.names)
    drawn = [
        charts.curve(name) if len(found.axes) == 1 else charts.heat_map(name)
        for name in names[:MOST_CHARTS]
    ]
    lead = "Every point was played with the same deals, throws and draws."
    remark = found.recorded
    if len(names) > MOST_CHARTS or (found.metric is None and len(found.names) > len(names)):
        remark += " The table has all figures."
    if found.unfinished:
        remark += (
            f" {plural(found.unfinished, found.whole)} of all points did not finish within the "
            "turn limit, and nobody won them."
        )
    return (Section("Point by point", lead, tuple(drawn), remark.strip(), keep=True),)


def ranges(found: Sweep) -> str:
    """How the ranges are made, for the fine print."""
    text = (
        "The ranges of one figure are made so that they hold the true figure at all points in 95 "
        "of 100 runs like this one. They come from splitting the games into up to 256 groups and "
        "seeing how far the figure moves when one group is left out."
    )
    if found.metric is not None:
        text += (
            " Which points are not shown to be worse was found from differences of points in the "
            "same games: in 95 of 100 runs the truly best one is among them."
        )
    return text
