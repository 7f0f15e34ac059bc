"""Pictures made fit for a page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import matplotlib

from analyzer_reports.charts import wins
from analyzer_reports.games.turnthetide.charts import cards
from analyzer_reports.render import drawing, picture, svg
from analyzer_reports.style import LIGHT, WIDE
from analyzer_reports.svg import StyleSheet, inline
from tests.reports import samples as s

MIXED = ("a", "b", "c", "d")


def drawn(chart: object, answer: object, prefix: str, sheet: StyleSheet, label: str = "x") -> str:
    """A chart as it stands on the page."""
    with drawing():
        source = svg(picture(chart, chart.data(answer), WIDE))  # type: ignore[attr-defined,arg-type]
    return str(inline(source, prefix, sheet, label))


def test_no_styles_no_colors_only_classes() -> None:
    sheet = StyleSheet()
    text = drawn(cards.CHART, s.fairness(), "a", sheet)
    assert "style" not in text
    assert not re.search(r"#[0-9a-f]{6}\b", text)
    # Every color that is left in the rules is a variable, or the page would not turn dark.
    assert not re.search(r"#[0-9a-f]{3,6}", sheet.css())
    # Families are the page's: the system's own fonts.
    assert "font-family" not in sheet.css()
    used = set(re.findall(r'class="(\w+)"', text))
    defined = set(re.findall(r"^\.(\w+)\{", sheet.css(), re.MULTILINE))
    assert used == defined


def test_ids_are_unique_on_the_page_and_references_hold() -> None:
    sheet = StyleSheet()
    texts = [drawn(cards.CHART, s.fairness(), prefix, sheet) for prefix in ("a", "b")]
    seen: list[str] = []
    for text in texts:
        ids = re.findall(r' id="([^"]+)"', text)
        references = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
        assert set(ids) == references
        seen += ids
    assert len(seen) == len(set(seen))


def test_the_label_is_the_alternative_text() -> None:
    text = drawn(wins.CHART, s.summary(MIXED), "a", StyleSheet(), 'Seat <1> "wins" & more')
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'Seat <1> "wins" & more'
    assert set(root.attrib) == {"viewBox", "preserveAspectRatio", "role", "aria-label"}


def test_names_are_text_whatever_they_look_like() -> None:
    name = "</text><script>alert(1)</script>"
    text = drawn(wins.CHART, s.summary((name, "b", "c", "d")), "a", StyleSheet())
    assert "<script" not in text
    root = ElementTree.fromstring(text)
    assert any(name in "".join(node.itertext()) for node in root.iter())


def test_light_colors_are_told_apart_by_value() -> None:
    assert len(set(LIGHT.values())) == len(LIGHT)


def test_settings_of_the_user_change_no_chart() -> None:
    """Such as those of a `matplotlibrc` in the current folder."""
    plain = drawn(wins.CHART, s.summary(MIXED), "a", StyleSheet())
    with matplotlib.rc_context({"axes.titlesize": 40, "lines.marker": "x", "ytick.left": False}):
        assert drawn(wins.CHART, s.summary(MIXED), "a", StyleSheet()) == plain
        assert matplotlib.rcParams["lines.marker"] == "x"
