"""The page of Switch 16: what charts and words make of greed's figures."""

from __future__ import annotations

import dataclasses
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from analyzer.games.switch16.figures import ExactChecks, ExactFigure, Greed
from analyzer.statistics.tables import Fairness, SeatsTest
from analyzer_reports.charts import places
from analyzer_reports.games.switch16.charts import busts, risks, rivals
from analyzer_reports.render import drawing, picture
from analyzer_reports.stories import find_story
from analyzer_reports.style import NARROW, WIDE
from tests.reports import samples as s
from tests.reports.switch16_samples import (
    FIRST,
    GAMES,
    OWN,
    answer,
    bust_table,
    greed,
    turn_table,
)

CHARTS = (rivals, risks, busts)


def title(chart: ModuleType, found: Greed) -> str:
    return str(chart.CHART.words(chart.CHART.data(answer(found))).title)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize(
    "found",
    [
        greed(),
        greed(games=20, verdict="undecided"),
        greed(turns=turn_table(last=2), busts=bust_table(rows=2)),
        greed(rivals=(), verdict="undecided", answer=""),
        greed(turns=turn_table(last=160, ahead=1.0, half=0.0)),
        greed(turns=turn_table(last=0), busts=bust_table(rows=0)),
    ],
    ids=["usual", "few", "short", "whole", "long", "never won"],
)
def test_every_answer_can_be_drawn(found: Greed, width: int) -> None:
    drawn = 0
    with drawing():
        for module in CHARTS:
            data = module.CHART.data(answer(found))
            if data.empty:
                continue
            figure = picture(module.CHART, data, width)
            assert figure.axes[0].has_data()
            words = module.CHART.words(data)
            assert words.alt.startswith(words.title) and words.caption.endswith(".")
            assert {column.key for column in module.CHART.columns(data)} <= set(
                module.CHART.table(data).columns
            )
            drawn += 1
    assert drawn >= 2


def test_without_greed_there_is_nothing_to_draw() -> None:
    plain = answer()
    assert all(module.CHART.data(plain).empty for module in (rivals, busts))
    assert risks.CHART.data(s.summary()).empty
    assert rivals.CHART.data(answer(greed(rivals=greed().rivals[:1]))).empty  # only its own


def test_rivals_say_whether_greed_pays() -> None:
    assert title(rivals, greed()) == (
        "Throwing again pays: one player always throwing again wins 29.0% of games, one never "
        "throwing again 13.0%"
    )
    assert title(rivals, greed(verdict="does-not-pay")).startswith("Throwing again does not")
    assert title(rivals, greed(verdict="undecided")) == "What one player wins by playing otherwise"
    rows = rivals.CHART.data(answer(greed()))
    assert list(rows["label"]) == [
        "always throwing again",
        "throwing again while that gains cards on average (own)",
        "never throwing again",
        "swapping with the leader (own)",
        "never swapping",
        "laying the Block disc on others (own)",
        "keeping the Block disc",
    ]


def test_what_busts_cost() -> None:
    assert title(busts, greed()) == (
        "Players who never go bust win 26.0% of games, with 5 busts or more 21.0%"
    )
    assert title(busts, greed(busts=bust_table(0.01))).endswith("those who never go bust 26.0%")
    assert "not shown" in title(busts, greed(busts=bust_table(0.0)))


def test_changes_are_in_points() -> None:
    rows = rivals.CHART.table(rivals.CHART.data(answer(greed())))
    assert "Change in points" in [column.heading for column in rivals.CHART.columns(rows)]
    assert list(rows["points"]) == pytest.approx(list(100 * rows["change"]), nan_ok=True)


def test_the_banner_answers_the_question() -> None:
    story = find_story("switch16")
    banner = story.banner(answer(greed()))
    assert (banner.word, banner.icon) == ("Yes", "yes")
    assert banner.sentence.startswith("Against greedy/leader/deny") and FIRST in banner.sentence
    no = greed(verdict="does-not-pay", answer="No. Caution wins.")
    assert story.banner(answer(no)).icon == "no"
    # Where policies differ, who wins is the answer; so it is where nothing was compared.
    mixed = answer(greed(), ("always/leader/deny", *[OWN] * 3), answer="Always wins most: 29%.")
    assert story.banner(mixed).sentence == "Always wins most: 29%."
    assert story.banner(answer()).word == "Even"
    fair = Fairness(
        answer(greed()), SeatsTest(0.4, s.about(0.006, 0.003, GAMES)), (),
        "first-player-favored", "Yes, going first helps: whoever does wins 25.6% of games.",
    )  # fmt: skip
    assert story.banner(fair).word == "Yes, going first helps"


def test_tiles_and_sections() -> None:
    story = find_story("switch16")
    tiles = [f"{tile.number} | {tile.meaning}" for tile in story.tiles(answer(greed()))]
    starts = [
        "25.6% | of games go to whoever begins",
        "24.3 | turns a game lasts",
        "2.88 | cards go",
    ]
    starts += ["67.4% | of games are won with a deck", "+4.0 | percentage points of win share"]
    for tile, start in zip(tiles, starts, strict=True):
        assert tile.startswith(start), tile
    assert "3.0 busts, in 11.9 risks" in tiles[2]
    headings = [section.heading for section in story.sections(answer(greed()))]
    assert headings[:4] == [
        "Does greed pay?",
        "The players",
        "When is a risk worth it?",
        "How a game goes",
    ]
    checks = ExactChecks((ExactFigure("the win share of seat 1", 0.25, 0.2503, 0.7),))
    exact = dataclasses.replace(answer(greed()), figures={"exact": checks})
    remark = next(x.remark for x in story.sections(exact) if x.heading.startswith("Checked"))
    assert "the exact value is 25.0000%; these games gave 25.0300%, which is 0.7 standard" in remark


def test_where_strategies_fare_best() -> None:
    share = np.array([0.55, 0.53, 0.47, 0.45])
    table = pd.DataFrame(
        {
            "strategy": ["a", "a", "b", "b"],
            "seat": [1, 2, 1, 2],
            "win_share": share,
            "low": share - 0.002,
            "high": share + 0.002,
        }
    )
    drawn = {"first_player": "random"}
    rotated = s.summary(
        ("a", "b"), shares=(0.54, 0.46), rotated=True, places=table, game="switch16", rules=drawn
    )
    # Where the first player is drawn by lot seats say nothing.
    assert places.CHART.data(rotated).empty
    rotated = dataclasses.replace(rotated, rules={"first_player": "seat1"})
    data = places.CHART.data(rotated)
    words = places.CHART.words(data)
    assert words.title == "a wins 55.0% in seat 1 and 53.0% in seat 2"
    with drawing():
        assert picture(places.CHART, data, NARROW).axes[0].has_data()
    wide = s.summary(
        ("a", "b"), rotated=True, places=table.assign(low=share - 0.02, high=share + 0.02)
    )
    wide = dataclasses.replace(wide, rules=rotated.rules, game="switch16")
    assert "No strategy is seen" in places.CHART.words(places.CHART.data(wide)).title
    assert places.CHART.data(s.summary()).empty


def test_where_policies_stop() -> None:
    words = risks.CHART.words(risks.CHART.data(answer(greed())))
    assert words.title == "One more throw pays on average in 3 of 4 situations"
    assert "greedy stops at 16*." in words.alt and "protected stops at 2 and 8." in words.alt
