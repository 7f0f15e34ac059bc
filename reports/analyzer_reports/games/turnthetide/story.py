"""Turn the Tide: whether the distribution of life preservers is fair, and who wins."""

from __future__ import annotations

from analyzer.games.turnthetide.figures import Lifesavers, Suggestion
from analyzer.games.turnthetide.lifesavers import slope_verdict
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
    win_banner,
    win_tiles,
)
from analyzer_reports.words import between, figure, known, percent

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
            "of what a preserver brings is eaten up by the harder cards it is printed on. "
            "Fair would be 100%.",
            share=True,
        ),
        *_gap_tile(found, players),
        *figure_tile(
            found.hand_share,
            "of the ups and downs of a round are decided by the hand dealt.",
            share=True,
        ),
    ]
    before, after = found.rotation.one_round, found.rotation.final
    if before.value is not None and after.value is not None:
        made.append(
            Tile(
                f"{percent(before.value, 0)} \N{RIGHTWARDS ARROW} {percent(after.value, 0)}",
                _in_the_end(before, after),
                "of the differences between players come from the deal: in one round, and in the "
                "final scores, after all hands have been passed round.",
            )
        )
    return tuple(made)


def _in_the_end(before: Estimate, after: Estimate) -> str:
    """The interval after passing; the rules themselves may make it exactly 0."""
    if known(before) and after.value == 0 and not known(after):
        return "in the end exactly 0"
    return f"in the end {between(after, share=True)}" if known(after) else TOO_FEW


def _gap_tile(found: Lifesavers, players: int) -> list[Tile]:
    """Rounds won with hardly any and with plenty of preservers."""
    few, many = found.gap_counts
    shares = {row.lifesavers: row.round_win for row in found.by_count}
    if few == many or shares.get(few) is None or shares.get(many) is None:
        return []
    less, more = shares[few].value, shares[many].value
    if less is None or more is None:
        return []
    gap = found.round_win_gap
    return [
        Tile(
            f"{percent(less, 0)} or {percent(more, 0)}",
            f"difference {between(gap, share=True)}" if known(gap) else TOO_FEW,
            f"of rounds are won by a hand with {few} preservers or with {many}: typical of the "
            f"worst and the best tenth. Equal would be {percent(1 / players, 0)}.",
        )
    ]


def _still(suggestion: Suggestion | None) -> str:
    """What the same yardstick says of the suggested printing: it may be fairer and not yet fair."""
    if suggestion is None:
        return ""
    slope = suggestion.after.slope
    verdict = slope_verdict(slope)
    if verdict == "fair":
        return "Judged as today's printing was above, the suggested one is fair."
    if verdict == "undecided":
        return "Whether the suggested printing is fair, these games do not tell."
    return (
        f"Judged as today's printing was above, the suggested one is still {fields.SAID[verdict]}: "
        f"one more preserver on the hand goes with {figure(slope, sign=True)} points a round. "
        "Preservers come in halves, and half of one may be worth more than the cards differ; what "
        "a fairer printing can do is leave less to the deal."
    )


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
            "to do.",
            (fields.CHART,),
        ),
        Section(
            "What to do",
            "A printing of as many preservers, chosen by simulation so that every card is as good "
            "to hold as any other, as far as half preservers allow.",
            (printings.CHART, repair.CHART),
            _still(suggestion_of(answer)),
        ),
        how_it_goes(answer),
        players_section(answer),
        how_sure(answer, settling_slope.CHART),
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
