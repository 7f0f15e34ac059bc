"""Pages of sweeps and searches: the charts say what the answers say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import analyzer
from analyzer.statistics.sweep import Sweep
from analyzer.statistics.tune import Tuning
from analyzer_reports import Provenance, write_found
from analyzer_reports.charts import sweep as charts
from analyzer_reports.charts import tune as search
from analyzer_reports.stories import sweep as story
from analyzer_reports.stories import tune as tune_story

ABOUT = Provenance(
    command="analyzer", version="1", date="", seed=1, machine="", settings=(), tables={}
)


@pytest.fixture(scope="module")
def line() -> Sweep:
    return analyzer.sweep(
        "turnthetide", "bonus=0..4", players=3, games=512, seed=1, metric="mean_score", target=5.0
    ).result


@pytest.fixture(scope="module")
def grid() -> Sweep:
    vary = ["bonus=0,2", "end_at=1,2"]
    return analyzer.sweep(
        "turnthetide", vary, players=3, games=300, seed=1, metric="margin", goal="highest"
    ).result


@pytest.fixture(scope="module")
def tuned() -> Tuning:
    return analyzer.tune(
        "turnthetide", rule="bonus=0..4", metric="mean_score", target=6.0, players=3, games=300,
        seed=1,
    ).result  # fmt: skip


def test_a_curve_marks_the_best_and_the_target(line: Sweep) -> None:
    chart = charts.curve("mean_score")
    rows = chart.data(line)
    assert list(rows["x"]) == [0, 1, 2, 3, 4] and charts.heat_map("mean_score").data(line).empty
    assert line.best is not None
    assert rows["standing"].tolist().index("best") == line.best
    words = chart.words(rows)
    assert f"bonus = {line.best} brings mean score nearest to 5" in words.title
    assert rows.attrs["target"] == 5.0
    told = story.told(line)
    assert told.question == "At which bonus is mean score nearest to 5?"
    assert told.banner.sentence == line.answer and told.banner.icon == "yes"
    assert told.tiles[1].number == f"{len(line.candidates)} of 5"


def test_a_map_has_a_cell_a_point(grid: Sweep) -> None:
    chart = charts.heat_map("margin")
    rows = chart.data(grid)
    assert sorted(zip(rows["x"], rows["y"], strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert rows.attrs["axes"] == ("end_at", "bonus")
    for _, row in rows.iterrows():
        at = grid.points[int(row["place"])].at
        assert (at["end_at"], at["bonus"]) == ((1, 2)[int(row["x"])], (0, 2)[int(row["y"])])
    assert charts.curve("margin").data(grid).empty


def test_what_is_not_shown_is_not_claimed(line: Sweep) -> None:
    points = tuple(
        replace(p, standing="best" if n == 2 else "candidate") for n, p in enumerate(line.points)
    )
    unsure = replace(line, points=points, best=2, verdict="undecided")
    words = charts.curve("mean_score").words(charts.curve("mean_score").data(unsure))
    assert words.title.endswith("which is not settled") and "Not shown to be" in words.alt
    assert story.told(unsure).banner.icon == "unsure"


def test_without_a_metric_the_figures_that_change_are_drawn() -> None:
    found = analyzer.sweep("turnthetide", "bonus=0,3", players=3, games=512, seed=1).result
    assert found.metric is None and "mean_score" in found.changing
    told = story.told(found)
    names = [chart.name for chart in told.sections[0].charts]
    assert names[0] == f"curve-{found.changing[0].replace('_', '-')}"
    assert len(names) <= story.MOST_CHARTS and told.banner.icon == "none" and not told.tiles


def test_a_search_shows_what_was_tried(tuned: Tuning) -> None:
    rows = search.SEARCH.data(tuned)
    assert list(rows["x"]) == [0, 1, 2, 3, 4] and rows.attrs["axis"] == "bonus"
    assert rows.attrs["best"] == tuned.better(tuned.evaluations).setting
    told = tune_story.told(tuned)
    assert told.question == "Which rules bring mean score nearer to 6?"
    assert told.banner.word == tuned.best and told.banner.icon == "yes"
    assert search.GAINS.data(tuned).empty


def test_pages_stand_alone(line: Sweep, grid: Sweep, tuned: Tuning, tmp_path: Path) -> None:
    for found in (line, grid):
        *_, page = write_found(found, "Turn the Tide", ABOUT, tmp_path)
        assert found.answer in page.read_text(encoding="utf-8")
    *_, page = write_found(tuned, "Turn the Tide", ABOUT, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert tuned.answer in text and 'style="' not in text
