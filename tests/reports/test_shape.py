"""How a game goes: pictures for games that tell their course, and none for those that do not."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from analyzer.statistics.shape import Leading, Length, Margin, Shape, Ties
from analyzer_reports.charts import shape
from analyzer_reports.render import drawing, picture
from analyzer_reports.stories.plain import how_it_goes
from analyzer_reports.style import NARROW, WIDE
from tests.reports import samples as s


def counted(*values: int) -> dict[str, np.ndarray]:
    value, games = np.unique(values, return_counts=True)
    return {"value": value, "games": games}


TOLD = Shape(
    games=1000,
    length_unit="turns",
    length=Length(s.about(8.2, 0.1, 1000), *(s.about(x, 1, 1000) for x in (8, 3, 20)), 31),
    margin=Margin(s.about(2.5, 0.1, 1000), s.about(2, 1, 1000), s.about(0.4, 0.03, 1000)),
    ties=Ties(*(s.about(x, 0.01, 1000) for x in (0.11, 0.1, 0.01))),
    leader_wins=tuple(
        Leading(at, s.about(share, 0.03, 1000), 0.25, share + 0.05)
        for at, share in ((0.25, 0.4), (0.5, 0.5), (0.75, 0.7))
    ),
    comeback=Leading(0.5, s.about(0.08, 0.02, 1000), 0.25, 0.05),
    lead_changes=s.about(2.3, 0.1, 1000),
    lengths=counted(3, 8, 8, 8, 20, 31),
    margins=counted(0, 1, 2, 2, 9),
)
SILENT = dataclasses.replace(
    TOLD, length_unit=None, length=None, leader_wins=None, comeback=None, lead_changes=None,
    lengths=None,
)  # fmt: skip


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_pictures_of_a_game_that_tells_its_course(width: int) -> None:
    answer = dataclasses.replace(s.summary(), shape=TOLD)
    titles = []
    for chart in shape.CHARTS:
        rows = chart.data(answer)
        titles.append(chart.words(rows).title)
        with drawing():
            assert picture(chart, rows, width).axes
        assert list(chart.table(rows)[[column.key for column in chart.columns(rows)]])
    assert titles == [
        "67% of the games are over after 8 turns, 19 in 20 after 20",
        "In 80% of the games first and second are at most 2 points apart, and in 40.0% at most "
        "one; the win is shared in 11.0%",
        "Whoever leads at half-time wins 50.0% of games; whoever is last then still wins 8.0%",
    ]


def test_a_game_that_keeps_its_course_to_itself_has_its_margins_alone() -> None:
    for found, drawn in ((SILENT, [False, True, False]), (None, [False] * 3)):
        answer = dataclasses.replace(s.summary(), shape=found)
        assert [not chart.data(answer).empty for chart in shape.CHARTS] == drawn


def test_games_of_one_length_have_a_sentence_instead_of_a_picture() -> None:
    always = dataclasses.replace(
        TOLD, length=dataclasses.replace(TOLD.length, longest=4), lengths=counted(4, 4)
    )
    answer = dataclasses.replace(s.summary(), shape=always)
    assert how_it_goes(answer).lead.startswith("A game takes 4 turns. Played by ")
    assert shape.LENGTH.data(answer).empty


@pytest.mark.parametrize(
    ("margins", "told"),
    [
        ((0, 1, 2, 3, 4, 5), "In half of the games first and second are at most 2 points apart"),
        ((0, 2, 2, 9), "In 75% of the games first and second are at most 2 points apart"),
        ((3, 15, 15, 15), "In 75% of the games first and second are 15 points apart, the most"),
    ],
)
def test_a_margin_that_many_games_have_is_told_with_their_share(
    margins: tuple[int, ...], told: str
) -> None:
    median = s.about(int(np.percentile(margins, 50, method="lower")), 1, 1000)
    found = dataclasses.replace(
        TOLD, margin=dataclasses.replace(TOLD.margin, median=median), margins=counted(*margins)
    )
    assert found.how_close().startswith(told)


def test_a_middle_between_units_is_named_by_the_unit_it_lies_in() -> None:
    for rounds, when in ((3, "after round 2 of 3"), (4, "at half-time")):
        length = dataclasses.replace(TOLD.length, longest=rounds)
        found = dataclasses.replace(
            TOLD, length=length, length_unit="rounds", lengths=counted(rounds, rounds)
        )
        assert found.who_leads().startswith(f"Whoever leads {when} wins 50.0%")


def test_one_game_shares_its_win_or_does_not() -> None:
    ties = dataclasses.replace(TOLD.ties, share=s.about(0.0, 0.1, 1))
    found = dataclasses.replace(TOLD, games=1, ties=ties)
    assert found.how_close().endswith("the win was not shared.")
