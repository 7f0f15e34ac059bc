"""The chart of what explains how much of who wins."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from analyzer_reports import Banner, Provenance, Sheet, write_sheet
from analyzer_reports.charts.luck import CHART
from analyzer_reports.render import drawing, picture
from analyzer_reports.style import NARROW, WIDE

EQUALS = {"strategies": 0.0, "seats": 0.0, "deal": 0.31, "tides": -0.01, "interplay": 0.70}
MIXED = {"strategies": 0.2, "seats": 0.004, "deal": 0.3, "tides": 0.03, "interplay": 0.466}


def rows(**tables: dict[str, float]) -> pd.DataFrame:
    found = [
        {
            "name": name, "outcome": outcome, "source": source, "share": share,
            "share_low": None if not share else share - 0.02,
            "share_high": None if not share else share + 0.02,
            "known": "" if share else "all play alike",
            "alone": share,
        }
        for name, parts in tables.items()
        for outcome in ("wins", "points")
        for source, share in parts.items()
    ]  # fmt: skip
    frame = pd.DataFrame(found)
    return frame.astype({"share_low": float, "share_high": float})


def test_the_title_says_what_is_shown() -> None:
    equals, mixed = {"four equals": EQUALS}, {"players": MIXED}
    title = CHART.words(CHART.data(rows(**equals))).title
    assert title == ("Among four equals, 70% of the differences in who wins come from interplay")
    words = CHART.words(CHART.data(rows(**equals, **mixed)))
    assert words.title == (
        "Among players, how each plays explains 20% of the differences in who wins"
    )
    assert "strategies none, seats none, deal 31%, tides none shown" in words.alt
    unknown = CHART.data(rows(few={source: 0.0 for source in EQUALS}))
    assert CHART.words(unknown).title.startswith("Too few games")


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_bars_are_whole_and_small_parts_are_told_below_them(width: int) -> None:
    data = CHART.data(rows(equals=EQUALS, mixed=MIXED))
    assert len(data) == 10
    with drawing():
        axes = picture(CHART, data, width).axes[0]
    whole = [p for p in axes.patches if isinstance(p, Rectangle) and not p.get_fill()]
    parts = [
        p for p in axes.patches
        if isinstance(p, Rectangle) and p.get_fill() and p.get_transform() != axes.transAxes
    ]  # fmt: skip
    assert len(whole) == 2
    by_bar = [
        sum(p.get_width() for p in parts if p.get_y() == bar.get_y() and p.get_x() < 1)
        for bar in whole
    ]
    assert by_bar == pytest.approx([1, 1])
    texts = " ".join(text.get_text() for text in axes.texts)
    assert "deal 31%" in texts and "none shown: tides" in texts
    assert "tides 3.0%" in texts and "none shown: seats" in texts
    assert "strategies none" not in texts


def test_the_page_shows_it(tmp_path: Path) -> None:
    banner = Banner("Parts of the whole", "none", "The answer.")
    sheet = Sheet("turnthetide", "Where from?", banner, "Four players.", {"luck": rows(a=MIXED)})
    provenance = Provenance("analyzer luck", "1", "today", 1, "a machine", (), {})
    written = write_sheet(sheet, provenance, tmp_path, "source")
    assert [path.name for path in written] == ["luck.png", "report.html"]
    page = (tmp_path / "report.html").read_text()
    assert "how each plays explains 20%" in page and "The answer." in page
