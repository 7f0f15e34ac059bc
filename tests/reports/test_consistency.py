"""What a page says in one place it does not take back in another: real runs, large and small."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from analyzer import study
from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.plugins import find_game
from analyzer.results import ResultSet
from analyzer.statistics.shape import MOST_OF_HALF
from analyzer.statistics.tables import Fairness, Summary
from analyzer_reports.answers import Answer, people, summary_of
from analyzer_reports.stories import find_story

ALWAYS, NEVER = "always/leader/deny:16", "never/never/hold"
USUAL = "greedy/leader/deny:16"
RUNS: tuple[tuple[str, str, tuple[str, ...], dict[str, Any], int, bool], ...] = (
    ("simulate", "turnthetide", ("random",) * 4, {}, 600, False),
    ("simulate", "turnthetide", ("reactive", "random", "middle"), {}, 1000, True),
    ("simulate", "turnthetide", ("lowest", "highest"), {}, 40, False),
    ("simulate", "turnthetide", ("middle", "middle", "lowest", "random", "random"), {}, 300, True),
    ("fairness", "turnthetide", ("random",) * 4, {}, 1000, False),
    ("fairness", "turnthetide", ("random",) * 6, {"allocation": "flat:4"}, 300, False),
    ("fairness", "turnthetide", ("lowest",) * 2, {}, 20, False),
    ("simulate", "switch16", (USUAL,) * 4, {}, 1500, False),
    ("simulate", "switch16", (ALWAYS, NEVER), {"first_player": "seat1"}, 800, False),
    ("simulate", "switch16", (ALWAYS, NEVER, USUAL), {}, 800, True),
    ("fairness", "switch16", (USUAL,) * 3, {}, 1000, False),
    ("fairness", "switch16", (ALWAYS, NEVER), {"first_player": "seat1"}, 800, False),
    ("fairness", "switch16", (USUAL,) * 2, {"match_points": 40}, 100, False),
    ("simulate", "mermaidbeach", ("greedy", "random", "random"), {}, 800, True),
    ("simulate", "mermaidbeach", ("greedy", "random"), {"first_player": "seat1"}, 500, False),
    ("fairness", "mermaidbeach", ("greedy",) * 2, {}, 3000, False),
    ("fairness", "mermaidbeach", ("random",) * 5, {"first_player": "seat1"}, 500, False),
    ("fairness", "mermaidbeach", ("greedy",) * 4, {}, 30, False),
)


class Told(NamedTuple):
    """What a reader meets of an answer."""

    answer: Answer
    banner: str
    sentence: str
    tiles: list[tuple[str, str]]
    titles: list[str]

    @property
    def summary(self) -> Summary:
        return summary_of(self.answer)


class Briefly:
    """Plays the parts of a study, and keeps nothing."""

    thorough = False
    parts: tuple[study.Part, ...] = ()

    def __call__(self, name: str, experiment: Experiment, sequence: Any = None) -> ResultSet:
        return run(experiment)


@cache
def told(number: int) -> Told:
    command, game, table, rules, games, rotate = RUNS[number]
    request = study.make_request(
        command,  # type: ignore[arg-type]
        find_game(game),
        strategies=table,
        rules=rules,
        games=games,
        seed=5,
        rotate=rotate,
    )
    answer = study.conclude(request, Briefly())
    story = find_story(game)
    banner = story.banner(answer)
    charts = [chart for section in story.sections(answer) for chart in section.charts]
    drawn = [(chart, chart.data(answer)) for chart in charts]
    return Told(
        answer,
        banner.word,
        banner.sentence,
        [(f"{tile.number} {tile.interval}", tile.meaning) for tile in story.tiles(answer)],
        [chart.words(rows).title for chart, rows in drawn if not rows.empty],
    )


EVERY = pytest.mark.parametrize("number", range(len(RUNS)))


@EVERY
def test_only_who_is_shown_to_win_most_is_said_to(number: int) -> None:
    found = told(number)
    said = [text for text in (*found.titles, *(m for _, m in found.tiles)) if "wins most" in text]
    if found.summary.verdict != "ranked":
        assert said == []
    best, _ = max(people(found.summary), key=lambda one: one[1].win_share.value or 0.0)
    assert all(best.lower() in text.lower() for text in said)


@EVERY
def test_going_first_is_said_to_help_only_where_the_answer_says_so(number: int) -> None:
    found = told(number)
    about = ("first wins more", "first wins less", "going first helps", "going first hurts")
    every = (found.banner, *found.titles, *(meaning for _, meaning in found.tiles))
    said = [text for text in every if any(words in text.lower() for words in about)]
    verdict = found.answer.verdict if isinstance(found.answer, Fairness) else ""
    if "first-player" not in verdict + found.summary.going_first:
        assert said == []


@EVERY
def test_the_share_of_whoever_begins_has_one_value_and_one_range(number: int) -> None:
    found = told(number)
    tiles = [text for text, meaning in found.tiles if re.search("goes first|begins", meaning)]
    sentence = re.search(
        r"(?:whoever does wins|Whoever does wins) ([\d.]+%)(?: \((between .*?)\))?", found.sentence
    )
    for text in tiles:
        share = found.summary.metrics["first_player_win_share"]
        assert share.value is not None
        assert text.split("%")[0] == f"{100 * share.value:.1f}"
        if sentence is not None:
            assert text == " ".join(filter(None, sentence.groups()))


@EVERY
def test_who_begins_is_no_tile_where_whoever_does_plays_otherwise(number: int) -> None:
    found = told(number)
    summary = found.summary
    fixed = summary.rules.get("first_player") == "seat1" and not summary.rotated
    if fixed and len(set(summary.lineup)) > 1:
        assert not any(re.search("goes first|begins", meaning) for _, meaning in found.tiles)


@EVERY
def test_what_is_open_is_nowhere_called_settled(number: int) -> None:
    found = told(number)
    if found.banner == "Undecided":
        assert not any(re.search("the answer was the same|From game ", t) for t in found.titles)
    if len(set(found.summary.lineup)) == 1 and "alike" in found.summary.answer:
        assert not any(title.startswith("Seat ") and "wins" in title for title in found.titles)


@EVERY
def test_a_length_is_said_of_no_more_games_than_reach_it(number: int) -> None:
    shape = told(number).summary.shape
    if shape is None or shape.lengths is None or shape.length is None:
        return
    text = shape.how_long()
    values, games = (np.asarray(shape.lengths[name]) for name in ("value", "games"))
    late = re.search(r"19 in 20 after ([\d,]+)", text)
    if late is not None:
        assert games[values <= int(late[1].replace(",", ""))].sum() >= 0.95 * games.sum()
    half = re.match(r"Half of .* over after ([\d,]+)", text)
    if half is not None:
        up_to = games[values <= int(half[1].replace(",", ""))].sum() / games.sum()
        assert up_to <= MOST_OF_HALF
