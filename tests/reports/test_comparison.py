"""Pages of comparisons: what they claim is what was shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer_reports import write_found
from analyzer_reports.charts import difference
from analyzer_reports.charts import rules as rules_charts
from analyzer_reports.stories import comparison
from analyzer_reports.stories import rules as rules_story
from tests.reports import comparisons as c
from tests.reports import samples as s
from tests.reports.test_report import Page


@pytest.mark.parametrize(
    ("gaps", "title"),
    [
        ((0.1, 0.05), "Among each of these opponents, reactive wins more than xxx"),
        ((-0.1, -0.05), "Among each of these opponents, xxx"),
        ((0.1,), "reactive wins more than xxx"),
        ((0.1, -0.05), "Neither reactive nor xxx"),
        ((0.1, 0.005), "Neither reactive nor xxx"),
    ],
)
def test_the_title_claims_what_all_intervals_show(gaps: tuple[float, ...], title: str) -> None:
    chart = difference.FIELDS
    rows = chart.data(c.strategies(*gaps))
    assert chart.words(rows).title.startswith(title)
    assert len(rows) == len(gaps) + (len(gaps) > 1)
    assert rows["value"].tolist()[: len(gaps)] == list(gaps)


def test_how_well_the_difference_is_known_is_that_of_the_last_moment() -> None:
    rows = difference.SETTLING.data(c.strategies(0.1, 0.2))
    title = difference.SETTLING.words(rows).title
    assert title == "After 4,096 games the difference is known to within 1.0 percentage points"


def test_the_banner_says_the_verdict() -> None:
    ahead = comparison.banner(c.strategies(0.1))
    assert (ahead.word, ahead.icon) == ("reactive", "uneven")
    behind = comparison.banner(c.strategies(-0.1, verdict="b-better"))
    assert behind.word.startswith("xxx")
    assert comparison.banner(c.strategies(0.1, -0.1, verdict="depends-on-the-field")).word == (
        "It depends on the opponents"
    )
    unsure = c.strategies(0.004, verdict="undecided")
    assert comparison.banner(unsure).icon == "unsure"
    assert "about 120,000 more games" in comparison.sections(unsure)[1].lead


def test_tiles_tell_what_is_known_without_playing() -> None:
    gap, a, b, worth = comparison.tiles(c.strategies(0.1, 0.2))
    assert (gap.number, gap.interval) == ("+15.0", "between +14.0 and +16.0")
    assert a.number == "35.0%" and b.interval == "known without playing"
    assert worth.number == "1.7"


def test_titles_of_rules_count_what_is_shown() -> None:
    found = c.rules()
    shares, others = (
        chart.words(chart.data(found)).title for chart in (rules_charts.SHARES, rules_charts.OTHERS)
    )
    assert shares == "1 of 2 shares are shown to differ between bonus = 1 and bonus = 2"
    assert others == "1 of 2 figures are shown to differ between bonus = 1 and bonus = 2"
    rows = rules_charts.OTHERS.data(found)
    assert rows["said"].tolist() == [
        "\N{MINUS SIGN}1.10".replace("\N{MINUS SIGN}", "-"),
        "exactly 0",
    ]


def test_one_figure_has_tiles_and_a_verdict() -> None:
    found = c.rules(metric="win_share_seat_1")
    gap, a, b = rules_story.tiles(found)
    assert gap.number == "+6" and (a.number, b.number) == ("31.0%", "25.0%")
    assert rules_story.banner(found).word == "No, lower"
    assert rules_story.question(found) == (
        "Is the win share seat 1 higher with bonus = 1 than with bonus = 2?"
    )
    assert rules_story.tiles(c.rules()) == ()


@pytest.mark.parametrize(
    "found", [c.strategies(0.1, 0.05), c.rules(), c.rules(metric="mean_score")]
)
def test_the_page_has_the_answer_and_how_ranges_are_made(tmp_path: Path, found: object) -> None:
    files = write_found(found, "Turn the Tide", s.PROVENANCE, tmp_path)  # type: ignore[arg-type]
    assert files[-1].name == "report.html" and len(files) >= 2
    text = Page(files[-1]).text()
    assert "The sentence that answers." in text
    assert "How the ranges are made" in text and "in 95 of 100 runs" in text
    if "nobody won them" in text:
        assert "7 games of all line-ups" in text
    else:
        assert found != c.strategies(0.1, 0.05)
