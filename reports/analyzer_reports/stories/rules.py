"""What the page of a comparison of rules says, whatever the game."""

from __future__ import annotations

from analyzer.statistics.compare import same_chance
from analyzer.statistics.compare_rules import FigureDifference, RulesComparison
from analyzer.statistics.wording import label, to_decide
from analyzer_reports.charts import rules
from analyzer_reports.page import Banner, Icon, Section, Tile, Told
from analyzer_reports.words import between, figure, in_points, plural, shorten

ICONS: dict[str | None, Icon] = {
    "a-higher": "uneven",
    "b-higher": "uneven",
    "equivalent": "even",
    "undecided": "unsure",
    None: "none",
}
WORDS = {
    "a-higher": "Yes",
    "b-higher": "No, lower",
    "equivalent": "No difference that matters",
    "undecided": "Undecided",
    None: "Side by side",
}
ROOM = 48


def told(found: RulesComparison) -> Told:
    """Everything that stands on the page."""
    games = f"{plural(found.games, f'simulated {found.whole}')} by each set of rules"
    lead = f"{plural(found.players, 'player')} ({who(found)}), {games}"
    return Told(question(found), banner(found), tiles(found), sections(found), lead, ranges(found))


def question(found: RulesComparison) -> str:
    """What the banner answers."""
    a, b = shorten(found.a, ROOM), shorten(found.b, ROOM)
    if found.metric is None:
        return f"What differs between {a} and {b}?"
    return f"Is the {label(found.metric)} higher with {a} than with {b}?"


def who(found: RulesComparison) -> str:
    """Who plays."""
    names = list(dict.fromkeys(found.lineup))
    return f"{names[0]} in every seat" if len(names) == 1 else ", ".join(found.lineup)


def banner(found: RulesComparison) -> Banner:
    """The verdict, where there is one."""
    return Banner(WORDS[found.verdict], ICONS[found.verdict], found.answer)


def tiles(found: RulesComparison) -> tuple[Tile, ...]:
    """The figure that decides, under both, and the difference."""
    if found.metric is None:
        return ()
    (one,) = found.figures
    a, b = shorten(found.a, ROOM), shorten(found.b, ROOM)
    name = label(one.metric)
    shown = [
        Tile(figure(x, share=one.share), between(x, share=one.share), f"{name} with {rule}.")
        for x, rule in ((one.a, a), (one.b, b))
    ]
    return (_gap(one, a, b), *shown)


def _gap(one: FigureDifference, a: str, b: str) -> Tile:
    gap = in_points(one.difference) if one.share else one.difference
    unit = "percentage points: " if one.share else ""
    exact = "exactly, in every game" if one.exact else between(gap, sign=True)
    return Tile(figure(gap, sign=True), exact, f"{unit}{label(one.metric)} with {a} less with {b}.")


def sections(found: RulesComparison) -> tuple[Section, ...]:
    """Every figure."""
    lead = "Both sets of rules were played with the same deals, throws and draws."
    worth = f"{found.recorded} {same_chance(found.variance_ratio)}"
    if found.unfinished:
        worth += (
            f" {plural(found.unfinished, found.whole)} of both sides did not finish within the "
            "turn limit, and nobody won them."
        )
    worth = f"{worth} {to_decide(found.verdict, found.more_games_needed)}".rstrip()
    return (Section("What differs?", lead, (rules.SHARES, rules.OTHERS), worth.strip(), keep=True),)


def ranges(found: RulesComparison) -> str:
    """How the ranges are made, for the fine print."""
    together = "all of them hold" if found.metric is None else "it holds"
    return (
        f"Each range is made so that {together} the true figure in 95 of 100 runs like this one, "
        "chance of the games being all that differs. They come from splitting the games into up to "
        "256 groups and seeing how far the difference between both sets of rules moves when one "
        "group is left out on both sides."
    )
