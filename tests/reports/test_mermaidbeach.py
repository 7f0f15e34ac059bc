"""The page on Mermaid Beach: titles true of the data, pictures of every answer, the whole page."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from analyzer.statistics.tables import Estimate, Fairness
from analyzer_reports import write_report
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
from analyzer_reports.render import drawing, picture
from analyzer_reports.stories import find_story
from analyzer_reports.style import NARROW, WIDE
from tests.reports import mermaid, samples

CHARTS = (
    asks, caught, endings, monster, opening, settling_first, turn_order, turn_order_fields,
)  # fmt: skip
NONE = Estimate(None)
TABLE = ("attentive", "greedy", "random", "random")
ANSWERS: dict[str, Fairness] = {
    "favored": mermaid.fairness(first=0.3, fields=True),
    "handicapped": mermaid.fairness(first=-0.3),
    "even": mermaid.fairness(hand=0.0),
    "rotated": mermaid.fairness(4096, TABLE, rotate=True, skill=(2.0, 1.0, 0.0, 0.0)),
    "seats": mermaid.fairness(2000, TABLE, skill=(1.0, 0.5, 0.0, 0.0)),
    "two": mermaid.fairness(2000, ("random",) * 2),
    "five": mermaid.fairness(2000, ("$x^$", "\\frac{", "a" * 200, "\u202e<b>", "random")),
    "unfinished": mermaid.fairness(2000, unfinished=0.5),
    "few": mermaid.fairness(12),
    "one": mermaid.fairness(1),
}


def title(chart: ModuleType, answer: Any) -> str:
    """What the chart says about an answer."""
    return str(chart.CHART.words(chart.CHART.data(answer)).title)


def changed(answer: Fairness, name: str, **parts: Any) -> Fairness:
    """The answer with parts of one of its figures replaced."""
    figure = dataclasses.replace(answer.figures[name], **parts)
    return dataclasses.replace(answer, figures={**answer.figures, name: figure})


def about(value: float, half: float = 0.01) -> Estimate:
    return Estimate(value, value - half, value + half, "jackknife", half / 2)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_can_be_drawn(name: str, width: int) -> None:
    with drawing():
        for module in CHARTS:
            data = module.CHART.data(ANSWERS[name])
            if data.empty:
                continue
            figure = picture(module.CHART, data, width)
            assert figure.axes[0].has_data() or figure.axes[0].patches
            words = module.CHART.words(data)
            assert words.alt.startswith(words.title)
            assert words.caption.endswith(".")
            table = module.CHART.table(data)
            assert {column.key for column in module.CHART.columns(data)} <= set(table.columns)


def test_other_games_have_none_of_these_pictures() -> None:
    for answer in (samples.fairness(), samples.summary()):
        assert all(module.CHART.data(answer).empty for module in CHARTS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("favored", "Whoever goes first wins more than an equal share: "),
        ("handicapped", "Whoever goes first wins less than an equal share: "),
        ("even", "No place in the turn order is shown to win more than another"),
        ("few", "Too few games to tell whether the turn order matters"),
    ],
)
def test_the_main_title_says_what_the_test_says(name: str, words: str) -> None:
    assert title(turn_order, ANSWERS[name]).startswith(words)


def test_another_place_may_win_most() -> None:
    places = ANSWERS["favored"].figures["turn_order"].positions
    shares = (about(0.25), about(0.33), about(0.21), about(0.21))
    other = changed(
        ANSWERS["favored"],
        "turn_order",
        positions=tuple(
            dataclasses.replace(place, win_share=share)
            for place, share in zip(places, shares, strict=True)
        ),
    )
    assert title(turn_order, other) == ("Second to play wins more than an equal share: 33.0%")


def test_nothing_is_said_of_going_first_where_places_differ_in_strategy() -> None:
    mixed = changed(ANSWERS["favored"], "turn_order", confounded=True)
    assert title(turn_order, mixed).startswith("Places differ in strategy too")
    assert settling_first.CHART.data(mixed).empty
    assert title(turn_order, ANSWERS["seats"]).startswith("Places differ in strategy too")
    told = find_story("mermaidbeach").tiles(mixed)
    assert not any("whoever goes first" in tile.meaning for tile in told)


def test_fields_say_whether_they_agree() -> None:
    found = turn_order_fields.CHART.data(ANSWERS["favored"])
    assert list(found["label"]) == [
        "random in every seat", "greedy in every seat", "random, greedy, random, greedy",
    ]  # fmt: skip
    assert title(turn_order_fields, ANSWERS["favored"]) == (
        "At some of these tables going first helps, at the others that is undecided"
    )
    assert turn_order_fields.CHART.data(ANSWERS["even"]).empty


def test_opening_cards_are_ranked_only_when_told_apart() -> None:
    cards = ANSWERS["favored"].figures["opening"].cards
    worths = [about(x) for x in (0.1, 0.06, -0.03, -0.06, -0.07, 0.004)]
    apart = changed(
        ANSWERS["favored"],
        "opening",
        cards=tuple(dataclasses.replace(c, worth=w) for c, w in zip(cards, worths, strict=True)),
    )
    assert title(opening, apart) == (
        "A merfolk is the best thing to be dealt: +10 points of winning chance"
    )
    found = opening.CHART.data(apart)
    assert list(found["label"])[::5] == ["Merfolk", "Sea monster"]
    assert list(found["said"])[:2] == ["+10", "+6"]
    worths[1] = about(0.085)
    level = changed(
        apart,
        "opening",
        cards=tuple(dataclasses.replace(c, worth=w) for c, w in zip(cards, worths, strict=True)),
    )
    assert title(opening, level).startswith(
        "A merfolk and a mean mermaid are the best things to be dealt"
    )
    bad = changed(
        apart,
        "opening",
        cards=(
            dataclasses.replace(cards[0], worth=about(-0.001)),
            dataclasses.replace(cards[4], worth=about(-0.1)),
        ),
    )
    assert title(opening, bad) == "A sea monster costs winning chance"
    level = changed(
        apart,
        "opening",
        cards=tuple(dataclasses.replace(card, worth=about(0.001)) for card in cards),
    )
    assert title(opening, level).startswith("Too few games")


@pytest.mark.parametrize(
    ("with_it", "without", "words"),
    [
        (
            0.06,
            0.28,
            "A player who holds the monster at the end wins 6.0% of games, one who does not 28.0%",
        ),
        (0.4, 0.2, "Whoever holds the monster at the end wins more often all the same: 40.0%"),
        (0.25, 0.25, "Holding the monster at the end is not shown to go with winning more or less"),
    ],
)
def test_what_the_monster_does(with_it: float, without: float, words: str) -> None:
    answer = changed(
        ANSWERS["even"],
        "monster",
        win_share_with=about(with_it),
        win_share_without=about(without),
    )
    assert title(monster, answer).startswith(words)


def test_whom_the_monster_catches_is_asked_only_where_players_differ() -> None:
    assert caught.CHART.data(ANSWERS["even"]).empty
    assert list(caught.CHART.data(ANSWERS["rotated"])["label"]) == ["attentive", "greedy", "random"]
    assert title(caught, ANSWERS["rotated"]).startswith("The monster is not shown to catch")
    players = ANSWERS["rotated"].figures["monster"].players
    shares = (about(0.11), about(0.12), about(0.21))
    apart = changed(
        ANSWERS["rotated"],
        "monster",
        players=tuple(
            dataclasses.replace(p, held=share) for p, share in zip(players, shares, strict=True)
        ),
    )
    assert (
        title(caught, apart) == "The monster catches random in 21.0% of games, attentive in 11.0%"
    )


def test_who_gets_what_they_ask_for() -> None:
    assert list(asks.CHART.data(ANSWERS["even"])["label"]) == ["Each of 4 equal players"]
    assert title(asks, ANSWERS["even"]).endswith(" of questions are met")
    players = ANSWERS["rotated"].figures["asking"].players
    rates = (about(0.36), about(0.24), about(0.2))
    apart = changed(
        ANSWERS["rotated"],
        "asking",
        players=tuple(
            dataclasses.replace(p, success=rate) for p, rate in zip(players, rates, strict=True)
        ),
    )
    assert title(asks, apart) == (
        "Attentive gets what it asks for in 36.0% of questions, random in 20.0%"
    )
    # Disjoint ranges of one player each, but not once they hold for all three together.
    rates = (about(0.221), about(0.21), about(0.2))
    close = changed(
        ANSWERS["rotated"],
        "asking",
        players=tuple(
            dataclasses.replace(p, success=rate) for p, rate in zip(players, rates, strict=True)
        ),
    )
    assert title(asks, close).endswith("; nobody is shown to ask better than another")
    assert asks.CHART.data(ANSWERS["seats"])["label"].iloc[0].startswith("attentive (seat")


def test_ends_without_an_end_are_shown() -> None:
    assert len(endings.CHART.data(ANSWERS["even"])) == 2
    data = endings.CHART.data(ANSWERS["unfinished"])
    assert list(data["label"])[2] == "Stopped unfinished"
    assert data["value"].sum() == pytest.approx(1)
    assert title(endings, ANSWERS["unfinished"]).endswith("are stopped before they end")
    sections = find_story("mermaidbeach").sections(ANSWERS["unfinished"])
    assert any("have no winner" in section.lead for section in sections)


def test_since_when_the_first_player_is_ahead() -> None:
    assert title(settling_first, ANSWERS["favored"]) == (
        "From game 1,024 on, the range of the first player's share lies above an equal one"
    )
    assert title(settling_first, ANSWERS["handicapped"]).endswith("lies below an equal one")
    assert title(settling_first, ANSWERS["even"]) == (
        "After 4,000 games the first player's share may still be an equal one"
    )


@pytest.mark.parametrize(
    ("name", "word", "icon"),
    [
        ("favored", "Yes, going first helps", "uneven"),
        ("handicapped", "Yes, going first hurts", "uneven"),
        ("even", "Undecided", "unsure"),
        ("few", "Undecided", "unsure"),
    ],
)
def test_the_verdict_is_a_word_an_icon_and_a_sentence(name: str, word: str, icon: str) -> None:
    answer = ANSWERS[name]
    banner = find_story("mermaidbeach").banner(answer)
    assert (banner.word, banner.icon) == (word, icon)
    assert answer.answer.lower().endswith(banner.sentence.lower())


def test_tiles_hold_what_could_be_computed() -> None:
    story = find_story("mermaidbeach")
    meanings = [tile.meaning for tile in story.tiles(ANSWERS["rotated"])]
    assert len(meanings) == 6
    assert any("attentive, who wins most" in meaning for meaning in meanings)
    assert any("opening hand is among the best fifth of all, " in m for m in meanings)
    assert not any("luck" in meaning for meaning in meanings)
    # Without rotation nothing can be said of strategies.
    assert len(story.tiles(ANSWERS["seats"])) == 3
    assert all(tile.interval == "too few games for a range" for tile in story.tiles(ANSWERS["few"]))
    simulated = story.tiles(ANSWERS["favored"].summary)
    assert any("won by whoever goes first" in tile.meaning for tile in simulated)


@pytest.mark.parametrize("name", ["favored", "rotated", "few"])
def test_the_whole_page(name: str, tmp_path: Path) -> None:
    files = write_report(ANSWERS[name], samples.PROVENANCE, tmp_path)
    page = files[-1].read_text(encoding="utf-8")
    assert "Does going first matter?" in page
    assert (tmp_path / "turn-order.png").stat().st_size > 1000
    for module in CHARTS:
        drawn = not module.CHART.data(ANSWERS[name]).empty
        assert (tmp_path / f"{module.CHART.name}.png").exists() == drawn
