"""What can be said of any game: who wins how often. Other stories borrow from here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from analyzer.contracts import Game
from analyzer.plugins import find_game, game_names
from analyzer.specs import plain_names
from analyzer.statistics.tables import Estimate, Fairness, Player, Summary, WinVerdict
from analyzer.statistics.wording import label, percent_range, table
from analyzer_reports.answers import Answer, equal_players, people, summary_of
from analyzer_reports.chart import Chart
from analyzer_reports.charts import assumptions, luck, places, scores, settling, shape, wins
from analyzer_reports.page import Banner, Icon, Section, Story, Tile
from analyzer_reports.words import (
    between,
    capital,
    figure,
    joined,
    number,
    percent,
    plural,
    several,
    shorten,
)

__all__ = [
    "ALONE",
    "TOO_FEW",
    "WHO_WINS",
    "asking",
    "by_chance",
    "figure_tile",
    "how_it_goes",
    "how_sure",
    "in_words",
    "metric_tiles",
    "players_section",
    "story",
    "win_banner",
    "win_tiles",
]


LEAD = re.compile(r"(Yes|No|Undecided)(,[^.:]{1,24})?[.:] ")
"""The word that answers, where a sentence begins with one."""


def in_words(answer: str, word: str) -> tuple[str, str]:
    """The word for the banner and the sentence under it.

    ``word`` is used where the answer does not begin with one of its own; a word is not said twice.
    """
    lead = LEAD.match(answer)
    if lead is None and word in ("Yes", "No") and "undecided" in answer.lower():
        # The word holds for some of the tables judged; the sentence says for which.
        return f"{word}, at some tables", capital(answer.removeprefix(f"{word} "))
    if lead is None and answer.startswith(f"{word}, "):
        rest = answer.removeprefix(f"{word}, ")
        return word, capital(rest)
    if lead is None:
        return word, answer
    rest = capital(answer[lead.end() :])
    if "Undecided among " in rest:
        return f"{word}, at some tables", rest
    return lead.group().rstrip(".: "), rest


ALONE = {"assumptions": assumptions.CHART, "luck": luck.CHART}
"""Charts that belong to no page, of any game."""
WHO_WINS = "Who wins, and how often?"
"""The question that `win_banner` answers."""
TOO_FEW = "too few games for a range"
"""Stands where an interval would, if none can be given."""


WINNERS: dict[WinVerdict, tuple[str, Icon]] = {
    "too-few": ("Too early to say", "unsure"),
    "nobody-wins": ("Undecided", "unsure"),
    "level": ("Even", "even"),
    "too-close": ("Too close to call", "unsure"),
    "ranked": ("Uneven", "uneven"),
}


GOING_FIRST: dict[str, tuple[str, Icon]] = {
    "first-player-favored": ("Going first helps", "uneven"),
    "first-player-handicapped": ("Going first hurts", "uneven"),
    "no-difference-shown": ("Even", "even"),
    "undecided": ("Undecided", "unsure"),
}


def figure_tile(
    found: Estimate, meaning: str, *, share: bool = False, sign: bool = False
) -> tuple[Tile, ...]:
    """A tile for a figure, if it could be computed."""
    if found.value is None:
        return ()
    interval = between(found, share=share, sign=sign) or TOO_FEW
    return (Tile(figure(found, share=share, sign=sign), interval, meaning),)


def by_chance(p_value: float, what: str) -> str:
    """What a test over all of them, such as ``"seats"``, says in words."""
    chance = "fewer than 1" if p_value < 0.01 else f"about {100 * p_value:.0f}"
    return (
        f"If all {what} were equally good, differences as large as these would turn up in "
        f"{chance} of 100 runs like this one."
    )


def win_banner(answer: Answer) -> Banner:
    """Even, uneven, or too early to say; of equal players, whether going first matters."""
    summary = summary_of(answer)
    word, icon = GOING_FIRST.get(summary.going_first, WINNERS[summary.verdict])
    return Banner(word, icon, answer.answer)


def win_tiles(answer: Answer) -> tuple[Tile, ...]:
    """The largest and smallest win share, the score and its spread.

    Players that are equal by the rules have one tile for all of them; who wins most is said only
    where that is shown.
    """
    summary = summary_of(answer)
    if equal_players(summary):
        return _equal_tiles(summary)
    ranked = sorted(
        (pair for pair in people(summary) if pair[1].win_share.value is not None),
        key=lambda pair: -(pair[1].win_share.value or 0.0),
    )
    tiles: list[Tile] = []
    if ranked:
        equal = percent(summary.equal_share)
        shown = summary.verdict == "ranked"
        for (name, player), said in ((ranked[0], "most"), (ranked[-1], "least")):
            who = f"each {shorten(name, 48)} player" if player.copies > 1 else shorten(name, 48)
            wins_most = f", who wins {said}" if shown and said == "most" else ""
            tiles += figure_tile(
                player.win_share,
                f"of {several(summary.whole)} go to {who}{wins_most}. An equal share is {equal}.",
                share=True,
            )
        label, player = max(
            ranked,
            key=lambda pair: (
                float("-inf") if pair[1].mean_score.value is None else pair[1].mean_score.value
            ),
        )
        best = ", the best score" if _best_is_shown([player for _, player in ranked]) else ""
        spread = (
            ""
            if player.sd_score is None
            else f" About two {several(summary.whole)} in three fall within "
            f"{number(player.sd_score, 1)} points of it."
        )
        tiles += figure_tile(
            player.mean_score,
            f"points a {summary.whole} on average for {shorten(label, 48)}{best}." + spread,
        )
    return tuple(tiles)


def _best_is_shown(players: Sequence[Player]) -> bool:
    """Whether the best mean score is above all others."""
    first, *others = sorted(players, key=lambda one: -(one.mean_score.value or 0.0))
    low = first.mean_score.low
    ends = [one.mean_score.high for one in others]
    return bool(ends) and low is not None and all(end is not None and end < low for end in ends)


def _equal_tiles(summary: Summary) -> tuple[Tile, ...]:
    """What each of several equal players wins; by the rules, so that there is no range."""
    equal, many = percent(summary.equal_share), several(summary.whole)
    return (
        Tile(
            equal,
            "by the rules",
            f"of {many} go to each of {summary.players} equal players.",
        ),
    )


def metric_tiles(answer: Answer, *names: str) -> tuple[Tile, ...]:
    """The game's own metrics that could be computed; those named, or all."""
    summary = summary_of(answer)
    found = _game(summary.game)
    tiles: list[Tile] = []
    for metric in () if found is None else found.metrics:
        if names and metric.name not in names:
            continue
        called = label(metric.name, summary.part)
        tiles += figure_tile(
            summary.metrics.get(metric.name, Estimate(None)),
            f"{capital(called)}: {metric.meaning.replace('a deal', f'a {summary.part}')}.",
            share=metric.kind == "share",
        )
    return tuple(tiles)


def players_section(answer: Answer) -> Section:
    """Win shares and scores, and whether seat and strategy can be told apart."""
    remark = summary_of(answer).note
    test = answer.seats_test if isinstance(answer, Fairness) else None
    # Where strategies differ from seat to seat, the test says nothing about seats; under rotation
    # their shares are not on the page.
    seats_shown = not summary_of(answer).rotated and not equal_players(summary_of(answer))
    if test is not None and test.p_value is not None and not test.confounded and seats_shown:
        remark = f"{by_chance(test.p_value, 'seats')} {remark}".strip()
    summary = summary_of(answer)
    if equal_players(summary) and (test is None or test.exchangeable):
        equal = percent(summary.equal_share)
        alike = f"By the rules all seats are alike: each of these equal players wins {equal}."
        remark = f"{alike} {remark}".strip()
    return Section("The players", charts=(wins.CHART, places.CHART, scores.CHART), remark=remark)


def strengths(answer: Answer) -> str:
    """Who wins how often at tables where all ways of playing meet, the best first."""
    if not isinstance(answer, Fairness) or not answer.strengths:
        return ""
    names = plain_names(answer.summary.game, tuple(answer.strengths))
    ranked = sorted(answer.strengths.items(), key=lambda pair: -(pair[1].value or 0.0))
    told = [f"{names[spec]} {percent_range(share)}" for spec, share in ranked]
    return f"At tables where they meet, one player of each kind wins: {joined(told)}."


def how_sure(answer: Answer, *more: Chart) -> Section:
    """Estimates as games accumulate."""
    summary = summary_of(answer)
    lead = (
        f"The main table has {plural(summary.games, f'simulated {summary.whole}')}. More "
        f"{several(summary.whole)} make the ranges narrower, by half for four times as many."
    )
    if summary.precision_reached is True:
        lead += " The run stopped when the requested precision was reached."
    elif summary.precision_reached is False:
        many = several(summary.whole)
        lead += f" The requested precision was not reached within these {many}."
    return Section("How sure is this?", lead, (*more, settling.CHART), keep=True)


def how_it_goes(answer: Answer) -> Section:
    """How long a game is, how close, and whether who leads wins; a picture and a sentence each."""
    summary = summary_of(answer)
    found = summary.shape
    told = "" if found is None else found.how_long(summary.whole)
    always = told if found is not None and found.always_as_long else ""
    who = f"Played by {table(summary.lineup, summary.game)}; others may play otherwise."
    lead = f"{always} {who}".strip()
    return Section(f"How a {summary.whole} goes", lead, shape.CHARTS, _at_other_tables(answer))


def _at_other_tables(answer: Answer) -> str:
    """How games go where others play, in sentences."""
    if not isinstance(answer, Fairness):
        return ""
    game = answer.summary.game
    everybody = [spec for one in answer.tables for spec in one.summary.lineup]
    told = [
        f"Among {table(field.summary.lineup, game, everybody)}: "
        f"{' '.join(found.sentences(field.summary.whole, compared=False))}"
        for field in answer.fields
        if (found := field.summary.shape) is not None
    ]
    return " ".join(told)


def sections(answer: Answer) -> tuple[Section, ...]:
    """How games go, players, then certainty."""
    return how_it_goes(answer), players_section(answer), how_sure(answer)


VERDICTS: dict[str, tuple[str, Icon]] = {
    "first-player-favored": ("Yes", "uneven"),
    "first-player-handicapped": ("Yes", "uneven"),
    "seats-differ": ("Uneven", "uneven"),
    "no-difference-shown": ("No", "even"),
    "depends-on-play": ("It depends", "unsure"),
    "undecided": ("Undecided", "unsure"),
}


def banner(answer: Answer) -> Banner:
    """The verdict in the answer's own words."""
    if isinstance(answer, Summary):
        return win_banner(answer)
    word, icon = VERDICTS.get(answer.verdict, (answer.verdict.capitalize(), "none"))
    word, sentence = in_words(answer.answer, word)
    return Banner(word, icon, sentence)


def asking(fairness: str) -> Callable[[Answer], str]:
    """A question for `fairness`; what `simulate` answers is always the same."""
    return lambda answer: fairness if isinstance(answer, Fairness) else WHO_WINS


def story(game: str) -> Story:
    """The plain story of any game, with its own title, question and metrics."""
    found = _game(game)
    return Story(
        title=game if found is None else found.title,
        question=asking("Is the game fair?" if found is None else found.question),
        banner=banner,
        tiles=lambda answer: (*win_tiles(answer), *metric_tiles(answer)),
        sections=sections,
    )


def _game(name: str) -> Game | None:
    """The game of this name, if it is installed."""
    return find_game(name) if name in game_names() else None
