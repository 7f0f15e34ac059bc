"""Mermaid Beach: whether going first matters, and what the opening hand decides."""

from __future__ import annotations

from analyzer.games.mermaidbeach.figures import Monster, Opening, TurnOrder
from analyzer.statistics.tables import Estimate
from analyzer_reports.answers import Answer, figure_of, seats_confounded, summary_of
from analyzer_reports.games.mermaidbeach.answers import order_confounded
from analyzer_reports.games.mermaidbeach.charts import (
    asks,
    caught,
    endings,
    monster,
    opening,
    settling_first,
    turn_order,
    turn_order_fields,
)
from analyzer_reports.page import Banner, Icon, Section, Story, Tile
from analyzer_reports.stories.plain import (
    asking,
    by_chance,
    figure_tile,
    how_it_goes,
    how_sure,
    in_words,
    players_section,
    strengths,
    win_banner,
    win_tiles,
)
from analyzer_reports.words import figure, percent, plural

VERDICTS: dict[str, tuple[str, Icon]] = {
    "first-player-favored": ("Yes", "uneven"),
    "first-player-handicapped": ("Yes", "uneven"),
    "turn-order-matters": ("Yes", "uneven"),
    "no-difference-shown": ("No", "even"),
    "depends-on-play": ("It depends", "unsure"),
    "undecided": ("Undecided", "unsure"),
}


def banner(answer: Answer) -> Banner:
    """Whether going first matters, in the answer's own words."""
    if figure_of(answer, "turn_order", TurnOrder) is None:
        return win_banner(answer)
    word, icon = VERDICTS[getattr(answer, "verdict", "undecided")]
    word, sentence = in_words(answer.answer, word)
    return Banner(word, icon, sentence)


def tiles(answer: Answer) -> tuple[Tile, ...]:
    """The first player, the opening hand, who plays best, the monster, the length of a game."""
    summary = summary_of(answer)
    order = figure_of(answer, "turn_order", TurnOrder)
    hand = figure_of(answer, "opening", Opening)
    held = figure_of(answer, "monster", Monster)
    length = figure_tile(
        summary.metrics.get("turns_per_game", Estimate(None)),
        "turns a game are played on average, extra turns included.",
    )
    begins = summary.metrics.get("first_player_win_share", Estimate(None))
    if seats_confounded(summary) or order_confounded(answer):  # it says nothing of going first
        begins = Estimate(None)
    if order is None or hand is None or held is None:
        return (
            *win_tiles(answer),
            *figure_tile(begins, "of games are won by whoever goes first.", share=True),
            *length,
        )
    equal = percent(order.equal)
    return (
        *figure_tile(
            begins,
            f"of games are won by whoever goes first. An equal share is {equal}.",
            share=True,
        ),
        *figure_tile(
            hand.best_fifth,
            "of their games win players whose opening hand is among the best fifth of all, "
            f"{figure(hand.worst_fifth, share=True)} those whose hand is among the worst fifth.",
            share=True,
        ),
        *(win_tiles(answer)[:2] if summary.strategies else ()),
        *figure_tile(
            held.win_share_with,
            "of their games win players who hold the sea monster at the end, "
            f"{figure(held.win_share_without, share=True)} those who do not.",
            share=True,
        ),
        *length,
    )


def sections(answer: Answer) -> tuple[Section, ...]:
    """The picture that answers, the hand, the end, the monster, questions; then the players."""
    if figure_of(answer, "turn_order", TurnOrder) is None:
        return how_it_goes(answer), players_section(answer), how_sure(answer)
    return (
        Section("Does the turn order matter?", _tested(answer), (turn_order.CHART,)),
        Section(
            "For whom?",
            "The same question for other ways of playing; the fine print says what each tries "
            f"to do. {strengths(answer)}".rstrip(),
            (turn_order_fields.CHART,),
        ),
        Section("What is an opening hand worth?", charts=(opening.CHART,)),
        Section("How does it end?", _stopped(answer), (endings.CHART, monster.CHART, caught.CHART)),
        Section("Who gets what they ask for?", charts=(asks.CHART,)),
        how_it_goes(answer),
        players_section(answer),
        how_sure(answer, settling_first.CHART),
    )


def _tested(answer: Answer) -> str:
    """What the test over all places says, in words."""
    found = figure_of(answer, "turn_order", TurnOrder)
    if found is None or found.p_value is None or order_confounded(answer):
        return ""
    return by_chance(found.p_value, "places")


def _stopped(answer: Answer) -> str:
    """Games that did not end, in plain sight."""
    unfinished = summary_of(answer).unfinished
    if not unfinished:
        return ""
    return f"{plural(unfinished, 'game')} had no end within the turns allowed and have no winner."


STORY = Story(
    title="Mermaid Beach",
    question=asking("Does going first matter?"),
    banner=banner,
    tiles=tiles,
    sections=sections,
)
