"""What the page of a comparison says, whatever the game."""

from __future__ import annotations

from analyzer.statistics.compare import StrategyComparison, same_chance
from analyzer.statistics.tables import Estimate
from analyzer.statistics.wording import to_decide
from analyzer_reports.charts import difference
from analyzer_reports.page import Banner, Icon, Section, Tile, Told
from analyzer_reports.words import (
    between,
    capital,
    digits,
    figure,
    joined,
    number,
    percent,
    plural,
    shorten,
)

ICONS: dict[str, Icon] = {
    "a-better": "uneven",
    "b-better": "uneven",
    "equivalent": "even",
    "depends-on-the-field": "unsure",
    "undecided": "unsure",
}
WORDS = {
    "equivalent": "No difference that matters",
    "depends-on-the-field": "It depends on the opponents",
    "undecided": "Undecided",
}
ROOM = 48


def told(found: StrategyComparison) -> Told:
    """Everything that stands on the page."""
    games = plural(found.games, "simulated game")
    games += f" with each of {found.lineups} line-ups" if found.lineups else ""
    lead = f"{plural(found.players, 'player')} ({who(found)}), {games}"
    return Told(question(found), banner(found), tiles(found), sections(found), lead, ranges(found))


def question(found: StrategyComparison) -> str:
    """What the banner answers."""
    return f"Which wins more, {shorten(found.names[0], ROOM)} or {shorten(found.names[1], ROOM)}?"


def who(found: StrategyComparison) -> str:
    """Who sits at the tables, in words."""
    told = [field.opponents for field in found.fields]
    return f"one seat compared, among {joined(told)} by turns" if told else "nobody had to play"


def banner(found: StrategyComparison) -> Banner:
    """Who is ahead, in a word and a sentence."""
    ahead = {"a-better": found.names[0], "b-better": found.names[1]}.get(found.verdict, "")
    word = shorten(ahead, ROOM) if ahead else WORDS[found.verdict]
    if " " in ahead:  # a way of playing in words, and no name
        word = capital(word)
    return Banner(word, ICONS[found.verdict], found.answer)


def tiles(found: StrategyComparison) -> tuple[Tile, ...]:
    """The difference, the shares among the first opponents, what the same chance is worth."""
    if not found.fields:
        return ()
    a, b = shorten(found.names[0], ROOM), shorten(found.names[1], ROOM)
    places = digits(found.difference, share=True)
    where = "in the mean over the opponents below" if len(found.fields) > 1 else "in the same seat"
    shown = [
        Tile(
            _points(found.difference.value, places),
            f"between {_points(found.difference.low, places)} and "
            f"{_points(found.difference.high, places)}",
            f"percentage points: what {a} wins more than {b}, {where}.",
        )
    ]
    first = found.fields[0]
    for name, share in ((a, first.a), (b, first.b)):
        interval = between(share, share=True) if share.low is not None else "known without playing"
        shown.append(
            Tile(_share(share), interval, f"of games go to {name} among {first.opponents}.")
        )
    if found.variance_ratio is not None:
        worth = number(found.variance_ratio, 2 if found.variance_ratio < 1 else 1)
        shown.append(
            Tile(
                worth, "", "unrelated games tell as much as one in which both meet the same chance."
            )
        )
    return tuple(shown)


def _points(value: float | None, places: int) -> str:
    return number(None if value is None else 100 * value, places, sign=True)


def _share(found: Estimate) -> str:
    return percent(found.value) if found.low is None else figure(found, share=True)


def sections(found: StrategyComparison) -> tuple[Section, ...]:
    """Against whom, and how surely."""
    if not found.fields:
        return ()
    more = same_chance(found.variance_ratio)
    more = f"{more} {to_decide(found.verdict, found.more_games_needed)}".rstrip()
    unfinished = ""
    if found.unfinished:
        unfinished = (
            f"{plural(found.unfinished, 'game')} of all line-ups did not finish within the turn "
            "limit, and nobody won them."
        )
    return (
        Section(
            "Against whom?",
            "Both sit in every seat in turn, among the same opponents, with the same deals and "
            "throws.",
            (difference.FIELDS,),
            unfinished,
        ),
        Section("How sure is this?", more.strip(), (difference.SETTLING,), keep=True),
    )


def ranges(found: StrategyComparison) -> str:
    """How the ranges are made, for the fine print."""
    return (
        "Each range is made so that all of them together, at every moment somebody looks while the "
        "games are played, hold the true figures in 95 of 100 runs like this one, chance of the "
        "games being all that differs. They come from how much the difference varies from game to "
        "game."
    )
