"""Turn the Tide: whether the distribution of life preservers is fair, and who wins."""

from __future__ import annotations

from analyzer.games.turnthetide.figures import Lifesavers
from analyzer.statistics.tables import Estimate
from analyzer_reports.answers import Answer, summary_of
from analyzer_reports.games.turnthetide.answers import lifesavers_of, suggestion_of
from analyzer_reports.games.turnthetide.charts import (
    cards,
    fields,
    luck,
    outcomes,
    preservers,
    printings,
    repair,
    settling_slope,
    skill,
)
from analyzer_reports.page import Banner, Icon, Section, Story, Tile
from analyzer_reports.stories.plain import (
    TOO_FEW,
    asking,
    figure_tile,
    how_it_goes,
    how_sure,
    in_words,
    players_section,
    strengths,
    win_banner,
    win_tiles,
)
from analyzer_reports.words import between, known, percent

VERDICTS: dict[str, tuple[str, Icon]] = {
    "fair": ("Yes", "yes"),
    "over-compensated": ("No", "no"),
    "under-compensated": ("No", "no"),
    "no-variation": ("Nothing to judge", "none"),
    "undecided": ("Undecided", "unsure"),
}


def banner(answer: Answer) -> Banner:
    """Yes, no, or why neither."""
    found = lifesavers_of(answer)
    if found is None:
        return win_banner(answer)
    word, icon = VERDICTS[found.verdict]
    word, sentence = in_words(answer.answer, word)
    return Banner(word, icon, sentence)


def tiles(answer: Answer) -> tuple[Tile, ...]:
    """What a preserver is worth, what pays for it, and how much luck it makes."""
    found = lifesavers_of(answer)
    if found is not None:
        return _preserver_tiles(found, summary_of(answer).players)
    hands = summary_of(answer).metrics.get("hands_per_round", Estimate(None))
    full = summary_of(answer).rules.get("hands", 0)
    of = f", of at most {full}" if full else ""
    more = figure_tile(hands, f"hands a round are played on average{of}.")
    return win_tiles(answer) + more


def _preserver_tiles(found: Lifesavers, players: int) -> tuple[Tile, ...]:
    equal = found.verdict == "no-variation"
    made = [
        *figure_tile(
            found.slope,
            "points a round go with each preserver that a hand's cards print, though all hands "
            "have the same number: so much harder are these cards to play."
            if equal
            else "points a round go with one more preserver on the hand. Fair would be 0.",
            sign=True,
        ),
        *figure_tile(
            found.compensation,
            "of what a preserver brings is taken back by the cards it is printed on, which are "
            "harder to play. Fair would be 100%."
            if (found.compensation.low or 0.0) > 0
            else "of what a preserver brings is taken back by the cards it is printed on: for "
            "these players they are not shown to be harder to play. Fair would be 100%.",
            share=True,
        ),
        *_gap_tile(found, players),
        *figure_tile(
            found.hand_sd,
            "points up or down: so far does the hand dealt move a round's score, whatever hands "
            "and tides it meets. Without luck of the deal it would be 0.",
        ),
        *figure_tile(
            found.hand_share,
            "of a round's ups and downs stay with the deal: with the hand and those it meets.",
            share=True,
        ),
    ]
    return tuple(made)


def _gap_tile(found: Lifesavers, players: int) -> list[Tile]:
    """Rounds won with hardly any and with plenty of preservers."""
    less, more, gap = found.worst_hands_win, found.best_hands_win, found.round_win_gap
    if less.value is None or more.value is None:
        return []
    return [
        Tile(
            f"{percent(less.value, 0)} or {percent(more.value, 0)}",
            f"difference {between(gap, share=True)}" if known(gap) else TOO_FEW,
            "of rounds are won with the twentieth of hands that prints fewest preservers, or most. "
            f"Equal would be {percent(1 / players, 0)}.",
        )
    ]


def sections(answer: Answer) -> tuple[Section, ...]:
    """The picture that answers, why, for whom, what to do, then the players and certainty."""
    if lifesavers_of(answer) is None:
        return how_it_goes(answer), players_section(answer), how_sure(answer)
    return (
        Section("What a hand brings", charts=(preservers.CHART,)),
        Section(
            "Why?",
            "Preservers are printed on cards that are hard to play. A fair printing pays for "
            "exactly that difficulty; these pictures show what it does.",
            (cards.CHART, outcomes.CHART, luck.CHART),
        ),
        Section(
            "For whom?",
            "The same question for other ways of playing; the fine print says what each tries "
            f"to do. {strengths(answer)}".rstrip(),
            (fields.CHART, skill.CHART),
        ),
        *_what_to_do(answer),
        how_it_goes(answer),
        players_section(answer),
        how_sure(answer, settling_slope.CHART),
    )


def _what_to_do(answer: Answer) -> tuple[Section, ...]:
    """A fairer printing, or how to look for one; none where all hands have equally many."""
    found, suggestion = lifesavers_of(answer), suggestion_of(answer)
    if found is None or (found.verdict == "no-variation" and suggestion is None):
        return ()
    return (
        Section(
            "What to do",
            ""
            if suggestion is None
            else "A printing of as many preservers, chosen by simulation to make all cards equally "
            "good to hold, as far as half preservers can, at the table where they differ most. "
            "Its figures come from deals that had no part in choosing it.",
            (printings.CHART, repair.CHART),
            "`analyzer fairness turnthetide --suggest` looks for a fairer printing."
            if suggestion is None
            else suggestion.answer,
        ),
    )


def on_ranges(answer: Answer) -> str:
    """What is special about the ranges of single cards."""
    if lifesavers_of(answer) is None:
        return ""
    return (
        "those of the single cards are widened so that all of them hold at once in 95 of 100 runs"
    )


STORY = Story(
    title="Turn the Tide",
    question=asking("Is the life-preserver distribution fair?"),
    banner=banner,
    tiles=tiles,
    sections=sections,
    on_ranges=on_ranges,
)
