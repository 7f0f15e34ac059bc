"""The whole report: files, order, honesty, safety."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import re
import struct
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from analyzer_reports import write_report
from analyzer_reports.style import DARK, LIGHT
from tests.reports import samples as s


class Page(HTMLParser):
    """What a test wants to know of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.source = path.read_text(encoding="utf-8")
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(self.source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in ("meta", "link", "wbr", "br"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"</{tag}> does not match"

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def all(self, tag: str) -> list[dict[str, str]]:
        """Attributes of all elements of a kind."""
        return [attributes for name, attributes in self.tags if name == tag]

    def text(self) -> str:
        """All that can be read, in order."""
        seen = [data for tag, data in self.texts if tag not in ("style", "script", "title", "text")]
        return " ".join(" ".join(seen).split())


EVIL = (
    "./x<script>alert(1)</script>.py::a$b$_{x}",
    "random:\u202egp.exe",
    "</style><svg onload=alert(2)>",
    "{{ 7 * 7 }} \u65e5\u672c &amp; <b>",
)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, tuple[Path, ...]]:
    folder = tmp_path_factory.mktemp("full")
    answer = s.fairness(fields=s.FIELDS, suggested=True)
    files = write_report(answer, s.PROVENANCE, folder)
    return Page(files[-1]), files


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, tuple[Path, ...]]:
    folder = tmp_path_factory.mktemp("evil")
    answer = s.fairness(
        EVIL,
        fields=((EVIL, 0.2),),
        unfinished=12,
        note="<script>alert(3)</script>",
        games=20_000,
    )
    provenance = dataclasses.replace(
        s.PROVENANCE,
        command="analyzer <img src=x onerror=alert(4)>",
        machine="\x1b[31m<i>red</i>",
        tables={"<u>x</u>": "javascript:alert(5)", "up": "/etc/passwd"},
        partial="<b>Interrupted</b> after 7 games.",
        settings=(s.SettingRow("<k>", '"><script>', "<m>", "assumption", "<alternatives>"),),
    )
    files = write_report(answer, provenance, folder)
    return Page(files[-1]), files


def written(answer: Any, folder: Path, **changed: Any) -> Page:
    """The page of an answer."""
    return Page(write_report(answer, dataclasses.replace(s.PROVENANCE, **changed), folder)[-1])


def test_the_files_are_pictures_and_one_page(full: tuple[Page, tuple[Path, ...]]) -> None:
    page, files = full
    assert [path.name for path in files] == [
        "score-by-preservers.png",
        "worth-of-cards.png",
        "outcomes-by-preservers.png",
        "luck-of-the-deal.png",
        "ways-of-playing.png",
        "printings.png",
        "before-and-after.png",
        "final-scores.png",
        "settling-preservers.png",
        "report.html",
    ]
    assert sorted(files[0].parent.iterdir()) == sorted(files)
    assert len(page.source.encode()) < 500_000
    for path in files[:-1]:
        header = path.read_bytes()[:24]
        assert header[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">I", header[16:20])[0] == 2 * (640 + 48)


def test_sections_come_in_order(full: tuple[Page, tuple[Path, ...]]) -> None:
    page, _ = full
    text = page.text()
    order = [
        "Turn the Tide",
        "Is the life-preserver distribution fair?",
        "4 players at 4 tables (random in every seat; lowest, highest, reactive, random; middle in "
        "every seat; reactive in every seat), 1,000,000 simulated games at the first.",
        "Verdict: No",
        "hand with one more preserver scores 0.58 points more per round",
        "+0.58",
        "of what a preserver brings is taken back by the cards it is printed on",
        "12% or 38%",
        "What a hand brings",
        "Hands with more preservers score more",
        "Why?",
        "cards that print more preservers are better to hold",
        "For whom?",
        "What to do",
        "The players",
        "How sure is this?",
        "Fine print",
        "How the ranges are made",
        "analyzer fairness turnthetide --players 4",
        "Who plays",
        "<lowest> Ducks & waits.",
        "Rules in force",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_headings_go_down_one_step_at_a_time(full: tuple[Page, tuple[Path, ...]]) -> None:
    page, _ = full
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_every_chart_has_a_title_a_caption_an_alternative_and_numbers(
    full: tuple[Page, tuple[Path, ...]],
) -> None:
    page, files = full
    charts = len(files) - 1
    for tag in ("figure", "figcaption", "details", "table"):
        assert len(page.all(tag)) == charts
    pictures = [svg for svg in page.all("svg") if svg.get("role") == "img"]
    assert len(pictures) == 2 * charts
    assert all(len(svg["aria-label"]) > 40 for svg in pictures)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for figure in page.all("figure"):
        assert figure["aria-labelledby"] in ids
    for heading in page.all("th"):
        assert heading["scope"] == "col"


def test_tables_keep_full_numbers_for_copying(full: tuple[Page, tuple[Path, ...]]) -> None:
    page, _ = full
    answer = s.lifesavers()
    values = {cell["data-v"] for cell in page.all("td")}
    for row in answer.by_count:
        assert repr(row.mean_score.value) in values


def test_the_policy_allows_our_own_style_and_script_and_nothing_else(
    full: tuple[Page, tuple[Path, ...]],
) -> None:
    page, _ = full
    policy = next(
        meta["content"]
        for meta in page.all("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    for tag in ("style", "script"):
        bodies = re.findall(rf"<{tag}>(.*?)</{tag}>", page.source, re.DOTALL)
        assert len(bodies) == len(page.all(tag)) == 1
        digest = base64.b64encode(hashlib.sha256(bodies[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy and "http" not in policy
    for _, attributes in page.tags:
        assert not any(key == "style" or key.startswith("on") for key in attributes)
        for key in ("src", "href", "xlink:href", "action"):
            assert not re.match(r"(?i)\s*(\w+:)?//|javascript:", attributes.get(key, ""))
    outside = set(re.findall(r"https?://[^\"'\s]+", page.source))
    assert outside <= {"http://www.w3.org/2000/svg"}


def test_untrusted_text_never_becomes_markup(evil: tuple[Page, tuple[Path, ...]]) -> None:
    page, files = evil
    assert len(page.all("script")) == len(page.all("style")) == 1
    assert not {"i", "u", "k", "m", "img", "alternatives"} & {tag for tag, _ in page.tags}
    assert [tag for tag, _ in page.tags].count("b") == 1  # the value of the one setting
    text = page.text()
    for name in (EVIL[0], EVIL[2], EVIL[3]):
        assert name in text
    assert "\u202e" not in page.source and "\x1b" not in page.source
    assert "random:\N{REPLACEMENT CHARACTER}gp.exe" in text
    assert [path.name for path in files if re.search(r"[^a-z.-]", path.name)] == []


def test_links_stay_in_the_folder(evil: tuple[Page, tuple[Path, ...]]) -> None:
    page, _ = evil
    links = [a["href"] for a in page.all("a")]
    assert "javascript%3Aalert%285%29" in links
    assert "etc/passwd" in links
    assert not any(re.match(r"[\w+.-]*:|/", link) for link in links)


def test_what_is_missing_stands_in_plain_sight(evil: tuple[Page, tuple[Path, ...]]) -> None:
    text = evil[0].text()
    assert "Not the whole run. <b>Interrupted</b> after 7 games." in text
    assert "12 games did not finish" in text
    assert text.index("did not finish") < text.index("What a hand brings")


def test_assumptions_are_marked(full: tuple[Page, tuple[Path, ...]]) -> None:
    page, _ = full
    marked = [attributes for _, attributes in page.tags if attributes.get("class") == "assumed"]
    assert len(marked) == sum(row.source == "assumption" for row in s.SETTINGS) == 2
    assert "Other readings: 1 would play on until one is left." in page.text()


def test_tables_are_linked(full: tuple[Page, tuple[Path, ...]]) -> None:
    links = [a["href"] for a in full[0].all("a")]
    assert set(s.PROVENANCE.tables.values()) <= set(links)


def test_a_run_stopped_by_precision_says_so(tmp_path: Path) -> None:
    facts: dict[str, Any] = {"interval_kind": "sequence", "precision_reached": True}
    (tmp_path / "equal").mkdir()
    equal = written(s.summary(games=20_000, **facts), tmp_path / "equal").text()
    assert "again and again" not in equal  # it shows no share of wins
    answer = s.summary(s.FIELDS[0][0], games=20_000, **facts)
    text = written(answer, tmp_path).text()
    assert "stopped when the requested precision was reached" in text
    assert "looked at them again and again" in text


def test_a_game_nobody_wrote_a_story_for(tmp_path: Path) -> None:
    answer = s.summary(games=20_000, game="my game/../x")
    page = written(answer, tmp_path)
    assert "my game/../x" in page.text()
    assert "No seat is shown to win more than its equal share" in page.text()


def test_the_same_answer_gives_the_same_page(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
        write_report(s.summary(games=20_000), s.PROVENANCE, folder)
    first, second = ((folder / "report.html").read_bytes() for folder in folders)
    assert first == second


def luminance(color: str) -> float:
    """Relative luminance, WCAG 2.1."""
    channels = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_stands_out_from_its_ground(theme: dict[str, str]) -> None:
    for ground in ("paper", "faint"):
        for ink in ("ink", "muted", "accent"):
            light, dark = sorted((luminance(theme[ground]), luminance(theme[ink])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (ground, ink)
