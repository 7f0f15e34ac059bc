"""What the page of a search says, whatever the game."""

from __future__ import annotations

from analyzer.statistics.sweep import said_apart, said_target
from analyzer.statistics.tune import Tuning
from analyzer.statistics.wording import label
from analyzer_reports.charts import tune as charts
from analyzer_reports.page import Banner, Icon, Section, Tile, Told
from analyzer_reports.words import digits, number, plural, shorten

ICONS: dict[bool | None, Icon] = {True: "yes", False: "no", None: "unsure"}
WORDS = {True: "Yes", False: "No", None: "Not shown"}
ROOM = 48


def told(found: Tuning) -> Told:
    """Everything that stands on the page."""
    who = plural(found.players, "player")
    tried = plural(len(found.evaluations), "evaluation")
    lead = f"{who}, {tried} of {plural(found.games, 'simulated game')} each"
    return Told(question(found), banner(found), tiles(found), sections(found), lead, ranges(found))


def question(found: Tuning) -> str:
    """What the banner answers."""
    if found.what == "strategy":
        return f"Can {shorten(found.start, ROOM)} be improved?"
    goal = said_target(found.target or 0.0, found.share)
    return f"Which rules bring {label(found.metric)} nearer to {goal}?"


def banner(found: Tuning) -> Banner:
    """Whether there is an improvement, or what it is."""
    word = WORDS[found.improved]
    if found.improved and found.what == "rules":
        word = shorten(found.best, ROOM)
    elif found.what == "rules":
        word = "None is shown to"
    return Banner(word, ICONS[found.improved], found.answer)


def tiles(found: Tuning) -> tuple[Tile, ...]:
    """Gain, before and after, on fresh games."""
    if found.before is None or found.after is None:
        return ()
    shown = []
    gap = found.difference
    if found.what == "strategy" and gap.low is not None:
        places = digits(gap, share=True)
        value, low, high = (
            number(None if x is None else 100 * x, places, sign=True)
            for x in (gap.value, gap.low, gap.high)
        )
        where = " in the mean over the opponents below" if len(found.fields) > 1 else ""
        text = f"percentage points: what the setting found wins more{where}."
        shown.append(Tile(value, f"between {low} and {high}", text))
    what = "of games go to" if found.what == "strategy" else f"{label(found.metric)} with"
    for side in (found.before, found.after):
        shown.append(
            Tile(
                *said_apart(side.figure, found.share),
                f"{what} {shorten(side.setting, ROOM)}, on fresh games.",
            )
        )
    return tuple(shown)


def sections(found: Tuning) -> tuple[Section, ...]:
    """What is gained, and how it was searched."""
    every = "; ".join(f"{p.name} over {p.values}" for p in found.parameters)
    how = (
        "Every setting was tried once"
        if found.method == "exhaustive"
        else "Settings were drawn generation by generation, nearer and nearer to those that did "
        "well (CMA-ES), each generation on fresh games"
    )
    lead = f"{how}: {every}. Of those that looked best one was chosen on further games."
    search = Section("How it was searched", lead, (charts.SEARCH,), keep=True)
    if not found.fields:
        return (search,)
    lead = (
        "The setting found and the one before in every seat in turn, among the same opponents, "
        "with the same deals, throws and draws, on games that had no part in choosing it."
    )
    return (Section("Against whom?", lead, (charts.GAINS,)), search)


def ranges(found: Tuning) -> str:
    """How the ranges are made, for the fine print."""
    return (
        "Each range is made so that it holds the true figure in 95 of 100 runs like this one, "
        "chance of the games being all that differs. They come from splitting the games that "
        "report into up to 256 groups and seeing how far the figure moves when one is left out on "
        "both sides. Nothing was chosen on those games."
    )
