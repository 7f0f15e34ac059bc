"""What the page of a tournament says, whatever the game."""

from __future__ import annotations

from analyzer.statistics.tournament import Tournament
from analyzer.statistics.wording import number_word, opponents, upper_first
from analyzer_reports.charts import ranking
from analyzer_reports.page import Banner, Icon, Section, Tile, Told
from analyzer_reports.words import between, digits, figure, joined, number, percent, plural, shorten

ICONS: dict[str, Icon] = {
    "one-best": "uneven",
    "slightly": "uneven",
    "several": "unsure",
    "too-few": "unsure",
}
WORDS = {"several": "Not settled", "too-few": "Too few games"}
ROOM = 48


def told(found: Tournament) -> Told:
    """Everything that stands on the page."""
    return Told(
        question(found),
        banner(found),
        tiles(found),
        sections(found),
        f"{plural(found.players, 'player')}, {who(found)}, "
        f"{plural(found.games, 'simulated game')} at each",
        ranges(found),
    )


def question(found: Tournament) -> str:
    """What the banner answers."""
    return "Which way of playing is best?"


def who(found: Tournament) -> str:
    """Who plays whom."""
    tables = plural(len(found.tables), "table")
    if len(found.tables) < found.all_tables:
        tables += f" of {found.all_tables:,}, a balanced part"
    return f"{number_word(len(found.standings))} strategies at {tables}"


def banner(found: Tournament) -> Banner:
    """Who wins most, in a word and some sentences."""
    name = shorten(upper_first(found.standings[0].name), ROOM)
    return Banner(WORDS.get(found.verdict, name), ICONS[found.verdict], found.answer)


def tiles(found: Tournament) -> tuple[Tile, ...]:
    """The mean share of the first, its lead, its worst field, and what ratings miss."""
    first, second = found.standings[:2]
    name, lead = shorten(first.name, ROOM), found.leads[0]
    places = digits(lead, share=True)

    def points(value: float | None) -> str:
        return number(None if value is None else 100 * value, places, sign=True)

    worst = first.worst
    shown = [
        Tile(
            figure(first.mean, share=True),
            between(first.mean, share=True),
            f"of games go to {name}, in the mean over all fields of opponents; an equal share is "
            f"{percent(1 / found.players)}.",
        ),
        Tile(
            points(lead.value),
            "" if lead.low is None else f"between {points(lead.low)} and {points(lead.high)}",
            f"percentage points: what {name} wins more than {shorten(second.name, ROOM)}, the next "
            "in the ranking.",
        ),
        Tile(
            figure(worst.share, share=True),
            between(worst.share, share=True),
            f"of games go to {name} in its worst field, "
            f"{'against' if len(worst.field) == 1 else 'among'} "
            f"{opponents(worst.field, found.game, list(found.names))}.",
        ),
    ]
    if found.misfit is not None:
        chance = found.misfit_by_chance
        shown.append(
            Tile(
                number(100 * found.misfit, 1),
                "" if chance is None else f"{number(100 * chance, 1)} by chance alone",
                "percentage points: how far the shares at the tables lie from those that follow "
                "from one rating for each strategy (root mean square).",
            )
        )
    return tuple(shown)


def sections(found: Tournament) -> tuple[Section, ...]:
    """The ranking, and who is best against whom."""
    told = []
    if found.ratings_note:
        told.append(found.ratings_note)
    for circle in found.circles[:3]:
        names = [shorten(found.names[s], ROOM) for s in circle.strategies]
        told.append(f"In a circle: {' beats '.join([*names, names[0]])}.")
    if not found.circles:
        told.append("No circle is shown in which each strategy beats the next one.")
    if found.nash is not None:
        parts = [
            f"{shorten(found.names[s], ROOM)} {percent(part, 0)}"
            for s, part in found.nash
            if part > 0
        ]
        told.append(f"A mixture of strategies that nobody wins from: {joined(parts)}.")
    unfinished = ""
    if found.unfinished:
        unfinished = (
            f"{plural(found.unfinished, 'game')} of all tables did not finish within the turn "
            "limit, and nobody won them."
        )
    return (
        Section(
            "Who wins most?",
            "Every strategy meets every field of the others and of its like, in all seatings, with "
            "the same chance at every table.",
            (ranking.RANKING,),
            unfinished,
        ),
        Section("Against whom?", "", (ranking.PAYOFFS,), " ".join(told)),
    )


def ranges(found: Tournament) -> str:
    """How the ranges are made, for the fine print."""
    return (
        "The ranges of all strategies hold together in 95 of 100 runs like this one, and so do "
        "those of all shares at tables, chance of the games being all that differs. They come "
        "from how much the figures change when a 256th of the games is left out, at all tables "
        "together."
    )
