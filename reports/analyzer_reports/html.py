"""Puts a report together: pictures as files, one page that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

from analyzer.statistics.compare import StrategyComparison
from analyzer.statistics.compare_rules import RulesComparison
from analyzer.statistics.sweep import Sweep
from analyzer.statistics.tables import Fairness
from analyzer.statistics.tournament import Tournament
from analyzer.statistics.tune import Tuning
from analyzer_reports.answers import Answer, equal_players, summary_of, table_of
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.page import Section, Sheet, Story, Told
from analyzer_reports.provenance import Provenance
from analyzer_reports.render import drawing, picture, png, svg
from analyzer_reports.stories import comparison, find_story, plain, ranking, rules, sweep, tune
from analyzer_reports.style import NARROW, WIDE, color_variables
from analyzer_reports.svg import StyleSheet, inline
from analyzer_reports.words import capital, clean, count, number, percent, plural, several, shorten

TEMPLATES = Path(__file__).parent / "templates"
TOLD: dict[type, Callable[[Any], Told]] = {
    StrategyComparison: comparison.told,
    RulesComparison: rules.told,
    Tournament: ranking.told,
    Sweep: sweep.told,
    Tuning: tune.told,
}
"""What tells of what a command found, by its type."""
MOST_NAMED = 4
"""Tables of strategies that the head of a page names."""


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


def publish(answer: Answer, provenance: Provenance, directory: Path) -> tuple[Path, ...]:
    """Write a PNG per chart and ``report.html``; see `analyzer_reports.write_report`."""
    story = find_story(summary_of(answer).game)
    sheet = StyleSheet()
    written: list[Path] = []
    source = _source(answer, story)
    sections = _drawn(answer, story.sections(answer), sheet, source, directory, written)
    summary = summary_of(answer)
    page = _page(
        sections,
        sheet,
        provenance,
        question=story.question(answer),
        title=story.title,
        lead=_lead(answer),
        summary=summary,
        banner=story.banner(answer),
        tiles=story.tiles(answer),
        sequence=summary.interval_kind == "sequence" and not equal_players(summary),
        on_ranges=story.on_ranges(answer),
        ranges="",
    )
    written.append(_write(directory / "report.html", page.encode("utf-8", "replace")))
    return tuple(written)


def _lead(answer: Answer) -> str:
    """Who played, at which tables if the answer is about several, and how often."""
    summary = summary_of(answer)
    tables = [summary.lineup]
    if isinstance(answer, Fairness):
        tables += [table.summary.lineup for table in answer.fields]
    every = [spec for lineup in tables for spec in lineup]
    names = [table_of(lineup, summary.game, every) for lineup in tables[:MOST_NAMED]]
    if len(tables) > MOST_NAMED:
        names.append(f"and {len(tables) - MOST_NAMED} more")
    changing = "; seats rotated" if summary.rotated else ""
    at = f" at {len(tables)} tables" if len(tables) > 1 else ""
    where = " at the first" if len(tables) > 1 else ""
    return (
        f"{plural(summary.players, 'player')}{at} ({'; '.join(names)}{changing}), "
        f"{plural(summary.games, f'simulated {summary.whole}')}{where}."
    )


def publish_found(
    found: Any, title: str, provenance: Provenance, directory: Path
) -> tuple[Path, ...]:
    """Write a PNG per chart and ``report.html``; see `analyzer_reports.write_found`."""
    told: Told = TOLD[type(found)](found)
    sheet = StyleSheet()
    written: list[Path] = []
    source = f"{title}, {shorten(told.lead, 120)}, seed {found.seed}"
    page = _page(
        _drawn(found, told.sections, sheet, source, directory, written),
        sheet,
        provenance,
        question=told.question,
        title=title,
        lead=f"{told.lead}.",
        summary=None,
        banner=told.banner,
        tiles=told.tiles,
        sequence=False,
        on_ranges="",
        ranges=told.ranges,
    )
    written.append(_write(directory / "report.html", page.encode("utf-8", "replace")))
    return tuple(written)


def _drawn(
    answer: Any,
    sections: Sequence[Section],
    sheet: StyleSheet,
    source: str,
    directory: Path,
    written: list[Path],
) -> list[tuple[Section, tuple[Exhibit, ...]]]:
    """Sections that have something to show, with their charts drawn."""
    found: list[tuple[Section, tuple[Exhibit, ...]]] = []
    with drawing():
        for section in sections:
            exhibits = []
            for chart in section.charts:
                data = chart.data(answer)
                if data.empty:
                    continue
                exhibits.append(_exhibit(chart, data, sheet, source, directory, written))
            if exhibits or section.remark or section.keep:
                found.append((section, tuple(exhibits)))
    return found


def publish_sheet(
    sheet: Sheet, provenance: Provenance, directory: Path, source: str
) -> tuple[Path, ...]:
    """Write a PNG per chart and ``report.html``; see `analyzer_reports.write_sheet`."""
    story = find_story(sheet.game)
    charts = {**plain.ALONE, **story.alone}
    style = StyleSheet()
    written: list[Path] = []
    exhibits: list[Exhibit] = []
    with drawing():
        for name, rows in sheet.charts.items():
            data = charts[name].data(rows) if name in charts else pd.DataFrame()
            if not data.empty:
                drawn = _exhibit(charts[name], data, style, source, directory, written)
                exhibits.append(drawn)
    paragraphs = [Section("What it rests on", remark) for remark in sheet.remarks[:1]]
    paragraphs += [Section("", remark) for remark in sheet.remarks[1:]]
    page = _page(
        [(Section(""), tuple(exhibits)), *((section, ()) for section in paragraphs)],
        style,
        provenance,
        question=sheet.question,
        title=story.title,
        lead=sheet.lead,
        summary=None,
        banner=sheet.banner,
        tiles=(),
        sequence=False,
        on_ranges="",
        ranges=sheet.ranges,
    )
    written.append(_write(directory / "report.html", page.encode("utf-8", "replace")))
    return tuple(written)


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
    if isinstance(value, bool | np.bool_):
        said = "yes" if value else "no"
        return Cell(said, said)
    if column.kind == "text":
        return Cell(str(value), str(value))
    missing = value is None or math.isnan(float(value))
    raw = "" if missing else repr(value.item() if hasattr(value, "item") else value)
    if column.kind == "percent":
        return Cell(percent(None if missing else float(value), column.places), raw)
    if column.kind == "count" and not missing:
        return Cell(number(float(value), 0), raw)
    return Cell(number(None if missing else float(value), column.places), raw)


def _source(answer: Answer, story: Story) -> str:
    """The line at the foot of a picture file."""
    summary = summary_of(answer)
    lineup = shorten(table_of(summary.lineup), 60)
    return (
        f"{story.title}, {plural(summary.players, 'player')} ({lineup}), "
        f"{plural(summary.games, f'simulated {summary.whole}')}, seed {summary.seed}"
    )


def _page(
    sections: Sequence[tuple[Section, tuple[Exhibit, ...]]],
    sheet: StyleSheet,
    provenance: Provenance,
    **shown: Any,
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
        count=count, plural=plural, several=several, link=_link, upperfirst=capital
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
        sections=sections,
        provenance=provenance,
        **shown,
    )


def _visible(value: Any) -> Any:
    """Nothing unseen or reordering from outside gets onto the page; markup is our own."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _link(path: str) -> str:
    """A relative link; a colon is escaped, so that no scheme can be smuggled in."""
    return quote(path.lstrip("/\\"), safe="/")


def _hash(text: str) -> str:
    """A source expression of the page's policy: allows this very text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
