"""The report page of Lowball: whether low numbers pay."""

from __future__ import annotations

from analyzer_reports.answers import Answer, figure_of
from analyzer_reports.page import Banner, Icon, Section, Story, Tile
from analyzer_reports.stories.plain import (
    asking,
    how_it_goes,
    how_sure,
    in_words,
    metric_tiles,
    players_section,
    win_banner,
    win_tiles,
)
from analyzer_reports.words import between, figure
from lowball import chart
from lowball.figures import Naming

__all__ = ["STORY"]

VERDICTS: dict[str, tuple[str, Icon]] = {
    "low-pays": ("Yes", "yes"),
    "high-pays": ("No", "no"),
    "no-difference-shown": ("No difference shown", "even"),
    "undecided": ("Undecided", "unsure"),
}


def banner(answer: Answer) -> Banner:
    """The verdict; after `simulate`, who wins."""
    verdict = VERDICTS.get(getattr(answer, "verdict", ""))
    if figure_of(answer, "naming", Naming) is None or verdict is None:
        return win_banner(answer)
    word, sentence = in_words(answer.answer, verdict[0])
    return Banner(word, verdict[1], sentence)


def tiles(answer: Answer) -> tuple[Tile, ...]:
    """What low and high numbers win; after `simulate`, who wins."""
    found = figure_of(answer, "naming", Naming)
    if found is None:
        return win_tiles(answer)
    halves = (
        (found.low, f"is how often naming 1 to {found.middle} wins the round."),
        (found.high, f"is how often naming more than {found.middle} does."),
    )
    own = tuple(
        Tile(figure(one, share=True), between(one, share=True), meaning)
        for one, meaning in halves
        if one.value is not None
    )
    return own + metric_tiles(answer, "winning_number", "shared_wins")


def sections(answer: Answer) -> tuple[Section, ...]:
    """The numbers, how a game goes, the players, and how sure all of it is."""
    return (
        Section("What is a number worth?", charts=(chart.CHART,)),
        how_it_goes(answer),
        players_section(answer),
        how_sure(answer),
    )


STORY = Story(
    title="Lowball",
    question=asking("Does it pay to name low numbers?"),
    banner=banner,
    tiles=tiles,
    sections=sections,
)
