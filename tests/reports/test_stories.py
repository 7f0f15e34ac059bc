"""What a page says before any chart: verdict, tiles, sections."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from analyzer.statistics.tables import Fairness, SeatsTest
from analyzer_reports.answers import summary_of
from analyzer_reports.stories import find_story, plain
from analyzer_reports.stories.plain import in_words
from tests.reports import samples as s


def tiles(answer: Any) -> list[str]:
    """The tiles' texts."""
    found = find_story(summary_of(answer).game).tiles(answer)
    return [f"{tile.number} | {tile.interval} | {tile.meaning}" for tile in found]


@pytest.mark.parametrize(
    ("answer", "word", "icon"),
    [
        (s.fairness(), "No", "no"),
        (s.fairness(tilt=0.01), "Yes, on average", "yes"),
        (s.fairness(tilt=-0.6), "No", "no"),
        (s.fairness(verdict="no-variation"), "Nothing to judge", "none"),
        (s.fairness(games=3), "Undecided", "unsure"),
        (s.summary(), "Even", "even"),
        (
            dataclasses.replace(
                s.summary(shares=(0.0,) * 4, verdict="nobody-wins"),
                unfinished=s.summary().games,
            ),
            "Undecided",
            "unsure",
        ),
        (s.summary(verdict="too-close"), "Too close to call", "unsure"),
        (s.summary(shares=(0.4, 0.2, 0.2, 0.2), verdict="ranked"), "Uneven", "uneven"),
        (s.summary(answer="Nothing to see.", verdict="level"), "Even", "even"),
        (s.summary(games=4), "Too early to say", "unsure"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_verdict_is_a_word_an_icon_and_a_sentence(answer: Any, word: str, icon: str) -> None:
    banner = find_story("turnthetide").banner(answer)
    assert (banner.word, banner.icon) == (word, icon)
    # The banner shows the word once, and the sentence says all else that the answer says.
    assert not banner.sentence.startswith(("Yes", "No.", "Undecided"))
    assert banner.sentence[0].isupper()
    assert answer.answer.lower().endswith(banner.sentence.lower())


def test_five_tiles_in_order() -> None:
    starts = ["+0.58 | give or take", "32.9% | between", "12% or 38% | difference between"]
    starts += ["0.80 | give or take", "15.9% | between"]
    for tile, start in zip(tiles(s.fairness()), starts, strict=True):
        assert tile.startswith(start)


def test_without_intervals_nothing_is_between() -> None:
    for tile in tiles(s.fairness(games=3)) + tiles(s.summary(s.FIELDS[0][0], games=3)):
        assert "| too few games for a range |" in tile


def test_what_cannot_be_computed_has_no_tile() -> None:
    one_round = s.fairness(
        rules=s.rules(4, rounds=1),
        saved={"hand_share": s.NONE, "rotation": s.Rotation(s.about(0.15, 0.01, 1000), s.NONE)},
    )
    assert len(tiles(one_round)) == 4
    assert len(tiles(s.fairness(saved={"compensation": s.NONE}))) == 4
    gone = {"slope": s.NONE, "worst_hands_win": s.NONE, "hand_sd": s.NONE}
    assert len(tiles(s.fairness(saved=gone))) == 2


def test_equal_preservers_are_told_differently() -> None:
    found = tiles(s.fairness(tilt=-0.49, verdict="no-variation"))
    assert "so much harder are these cards to play" in found[0]
    assert not any("Fair would be 0." in tile for tile in found)


def test_simulate_tiles_name_the_best_and_the_worst() -> None:
    lineup, shares = s.FIELDS[0][0], (0.442, 0.159, 0.379, 0.02)
    found = tiles(s.summary(lineup, shares=shares, verdict="ranked"))
    assert "who wins most" in found[0] and "the best score" in found[2]
    found = tiles(s.summary(lineup, shares=shares, verdict="too-close"))
    assert not any("wins most" in tile for tile in found)
    assert found[0].startswith("44.2% | between 44.1% and 44.3% | of games go to lowest")
    assert found[1].startswith("2.0% | give or take less than 0.1 | of games go to random")
    assert "An equal share is 25.0%." in found[0]
    assert found[3].startswith("11.9 | give or take less than 0.1 | hands a round")


def test_equal_players_are_one_tile_and_asked_about_going_first() -> None:
    found = tiles(s.summary())
    assert found[0] == "25.0% | by the rules | of games go to each of 4 equal players."
    assert not any(word in tile for tile in found for word in ("wins", "best score"))
    told = "By the rules all seats are alike: each of these equal players wins 25%."
    for verdict, word in (("first-player-favored", "Going first helps"), ("", "Even")):
        banner = plain.win_banner(s.summary(answer=told, going_first=verdict))
        assert (banner.word, banner.sentence) == (word, told)


def test_with_copies_a_figure_is_of_each_of_them() -> None:
    answer = s.summary(s.FIELDS[0][0], shares=(0.3, 0.25, 0.25, 0.2), rotated=True)
    first, *others = answer.strategies
    twice = dataclasses.replace(first, copies=2)
    answer = dataclasses.replace(answer, strategies=(twice, *others))
    assert "of games go to each lowest player." in tiles(answer)[0]


def test_seats_are_not_judged_where_strategies_differ() -> None:
    answer = s.fairness(game="other")
    assert "about 41 of 100 runs" in plain.players_section(answer).remark
    confounded = Fairness(
        **{**vars(answer), "seats_test": SeatsTest(0.001, s.NONE, confounded=True)}
    )
    assert plain.players_section(confounded).remark == ""
    # Under rotation the page has no shares of seats.
    rotated = s.fairness(s.FIELDS[0][0], rotated=True)
    assert "100 runs" not in plain.players_section(rotated).remark


def test_how_sure_tells_why_the_run_ended() -> None:
    assert "precision" not in plain.how_sure(s.summary()).lead
    reached = plain.how_sure(s.summary(precision_reached=True)).lead
    assert "stopped when the requested precision was reached" in reached
    missed = plain.how_sure(s.summary(precision_reached=False)).lead
    assert "was not reached within these games" in missed


def test_any_game_has_a_story() -> None:
    story = find_story("a game of somebody's")
    assert story.title == "a game of somebody's"
    answer = s.summary(game="other")
    assert story.banner(answer).word == "Even"
    assert [x.heading for x in story.sections(answer)][:2] == ["How a game goes", "The players"]
    # Not every module of the package is a story.
    assert find_story("plain").title == "plain"


@pytest.mark.parametrize(
    ("verdict", "answer", "word"),
    [
        ("first-player-favored", "Yes, going first helps: whoever does wins 26%.", "Yes"),
        ("no-difference-shown", "No, going first makes no difference that matters: 25%.", "No"),
        ("seats-differ", "Yes, the seat matters: most wins go to seat 1.", "Yes"),
        ("undecided", "Too few games to say: 3 played.", "Undecided"),
    ],
)
def test_other_games_have_their_own_verdicts(verdict: str, answer: str, word: str) -> None:
    fairness = Fairness(
        **{**vars(s.fairness()), "figures": {}, "verdict": verdict, "answer": answer}
    )
    banner = find_story("other").banner(fairness)
    assert banner.word.startswith(word)
    assert banner.sentence


def test_a_suggestion_comes_with_what_it_does_at_which_table() -> None:
    answer = s.fairness(suggested=True)
    remarks = {x.heading: x.remark for x in find_story("turnthetide").sections(answer)}
    assert remarks["What to do"] == s.suggestion().answer
    without = {x.heading: x.remark for x in find_story("turnthetide").sections(s.fairness())}
    assert "--suggest" in without["What to do"]


def test_a_word_that_holds_for_some_tables_says_so() -> None:
    word, sentence = in_words(
        "Yes among random players, going first helps; undecided among greedy players: ...", "Yes"
    )
    assert word == "Yes, at some tables"
    assert sentence.startswith("Among random players, going first helps")
    assert in_words("Among a: Yes, it helps. Among b: Undecided: open.", "Yes")[0] == word
    assert in_words("No: too generous. Undecided among b.", "No")[0] == "No, at some tables"
    assert in_words("No, going first makes no difference.", "No")[0] == "No"
