"""Puts a report together: pictures as files, one page that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import pandas as pd
from markupsafe import Markup

from analyzer.statistics.compare import StrategyComparison
from analyzer.statistics.compare_rules import RulesComparison
from analyzer_reports.answers import Answer, summary_of, table_of
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.page import Banner, Section, Tile
from analyzer_reports.provenance import Provenance
from analyzer_reports.render import drawing, picture, png, svg
from analyzer_reports.stories import comparison, find_story, plain, rules
from analyzer_reports.style import NARROW, WIDE, color_variables
from analyzer_reports.svg import StyleSheet, inline
from analyzer_reports.words import clean, count, number, percent, plural, several, shorten

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Cell:
    """What a table shows, and what sorting and copying use."""

    text: str
    raw: str


@dataclass(frozen=True)
class Exhibit:
    """A chart ready for the page."""

    name: str
    words: Words
    wide: Markup
    narrow: Markup
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Head:
    """What the head and the fine print of a page say of what was played."""

    title: str
    question: str
    players: int
    lineup: str
    games: int
    whole: str
    unfinished: int
    rotated: bool
    on_ranges: str = ""
    sequence: bool = False
    ranges: str = ""
    """How ranges are made, where it is not the usual way."""


def publish(answer: Answer, provenance: Provenance, directory: Path) -> tuple[Path, ...]:
    """Write a PNG per chart and ``report.html``; see `analyzer_reports.write_report`."""
    summary = summary_of(answer)
    story = find_story(summary.game)
    head = Head(
        title=story.title,
        question=story.question(answer),
        players=summary.players,
        lineup=table_of(summary.lineup),
        games=summary.games,
        whole=summary.whole,
        unfinished=summary.unfinished,
        rotated=summary.rotated,
        on_ranges=story.on_ranges(answer),
        sequence=summary.interval_kind == "sequence",
    )
    content = story.banner(answer), story.tiles(answer), story.sections(answer)
    return _publish(answer, head, *content, provenance, directory)


def publish_comparison(
    found: StrategyComparison | RulesComparison, title: str, provenance: Provenance, directory: Path
) -> tuple[Path, ...]:
    """Write the page of a comparison; see `analyzer_reports.write_comparison`."""
    if isinstance(found, RulesComparison):
        head = Head(
            title=title,
            question=rules.question(found),
            players=found.players,
            lineup=rules.who(found),
            games=found.games,
            whole=found.whole,
            unfinished=found.unfinished,
            rotated=False,
            ranges=rules.ranges(found),
        )
        parts = rules.banner(found), rules.tiles(found), rules.sections(found)
        return _publish(found, head, *parts, provenance, directory)
    head = Head(
        title=title,
        question=comparison.question(found),
        players=found.players,
        lineup=comparison.who(found),
        games=found.games,
        whole="game",
        unfinished=found.unfinished,
        rotated=False,
        ranges=comparison.ranges(found),
    )
    content = comparison.banner(found), comparison.tiles(found), comparison.sections(found)
    return _publish(found, head, *content, provenance, directory)


def _publish(
    answer: Any,
    head: Head,
    banner: Banner,
    tiles: Sequence[Tile],
    story: Sequence[Section],
    provenance: Provenance,
    directory: Path,
) -> tuple[Path, ...]:
    """Draw the charts of an answer and write its page."""
    sheet = StyleSheet()
    source = _source(head, provenance.seed)
    written: list[Path] = []
    sections: list[tuple[Section, tuple[Exhibit, ...]]] = []
    with drawing():
        for section in story:
            exhibits = []
            for chart in section.charts:
                data = chart.data(answer)
                if data.empty:
                    continue
                exhibits.append(_exhibit(chart, data, sheet, source, directory, written))
            if exhibits or section.remark or section.keep:
                sections.append((section, tuple(exhibits)))
    page = _page(head, banner, tiles, sections, provenance, sheet)
    written.append(_write(directory / "report.html", page.encode("utf-8", "replace")))
    return tuple(written)


def draw_alone(
    game: str, name: str, rows: pd.DataFrame, directory: Path, source: str
) -> Path | None:
    """Write one chart as a PNG; see `analyzer_reports.write_chart`."""
    chart = {**plain.ALONE, **find_story(game).alone}.get(name)
    if chart is None:
        return None
    data = chart.data(rows)
    with drawing():
        content = png(picture(chart, data, WIDE), chart, data, WIDE, source)
    return _write(directory / f"{chart.name}.png", content)


def _exhibit(
    chart: Chart,
    data: pd.DataFrame,
    sheet: StyleSheet,
    source: str,
    directory: Path,
    written: list[Path],
) -> Exhibit:
    """Draw a chart three times: for the column, for a phone, as a file."""
    words = Words(*(clean(text) for text in chart.words(data)))
    narrow = inline(svg(picture(chart, data, NARROW)), f"{chart.name}-n", sheet, words.alt)
    figure = picture(chart, data, WIDE)
    wide = inline(svg(figure), chart.name, sheet, words.alt)
    # Last, because the file's title makes the figure grow.
    written.append(_write(directory / f"{chart.name}.png", png(figure, chart, data, WIDE, source)))
    columns = chart.columns(data)
    table = chart.table(data)
    rows = tuple(
        tuple(_cell(value, column) for value, column in zip(row, columns, strict=True))
        for row in table[[column.key for column in columns]].itertuples(index=False, name=None)
    )
    return Exhibit(chart.name, words, wide, narrow, columns, rows)


def _cell(value: Any, column: Column) -> Cell:
    """A value as its column shows it, and in full for sorting and copying."""
    if column.kind == "text":
        return Cell(str(value), str(value))
    missing = value is None or math.isnan(float(value))
    raw = "" if missing else repr(value.item() if hasattr(value, "item") else value)
    if column.kind == "percent":
        return Cell(percent(None if missing else float(value), column.places), raw)
    if column.kind == "count" and not missing:
        return Cell(number(float(value), 0), raw)
    return Cell(number(None if missing else float(value), column.places), raw)


def _source(head: Head, seed: int) -> str:
    """The line at the foot of a picture file."""
    lineup = shorten(head.lineup, 60)
    return (
        f"{head.title}, {plural(head.players, 'player')} ({lineup}), "
        f"{plural(head.games, f'simulated {head.whole}')}, seed {seed}"
    )


def _page(
    head: Head,
    banner: Banner,
    tiles: Sequence[Tile],
    sections: list[tuple[Section, tuple[Exhibit, ...]]],
    provenance: Provenance,
    sheet: StyleSheet,
) -> str:
    """Fill in the template; its policy allows exactly our own style sheet and script."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters.update(
        count=count, plural=plural, several=several, link=_link, upperfirst=_upperfirst
    )
    style = environment.from_string((TEMPLATES / "report.css").read_text("utf-8")).render(
        light=Markup(color_variables()),
        dark=Markup(color_variables(dark=True)),
        charts=Markup(sheet.css()),
    )
    script = (TEMPLATES / "report.js").read_text("utf-8")
    return environment.get_template("report.html.j2").render(
        style=Markup(style),
        style_hash=_hash(style),
        script=Markup(script),
        script_hash=_hash(script),
        head=head,
        banner=banner,
        tiles=tiles,
        sections=sections,
        provenance=provenance,
    )


def _visible(value: Any) -> Any:
    """Nothing unseen or reordering from outside gets onto the page; markup is our own."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _upperfirst(text: str) -> str:
    """A phrase made to begin like a sentence."""
    return text[:1].upper() + text[1:]


def _link(path: str) -> str:
    """A relative link; a colon is escaped, so that no scheme can be smuggled in."""
    return quote(path.lstrip("/\\"), safe="/")


def _hash(text: str) -> str:
    """A source expression of the page's policy: allows this very text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
