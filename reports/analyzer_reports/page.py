"""What stands on a report page, whatever the game, before anybody thinks of HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from analyzer_reports.chart import Chart

__all__ = ["Banner", "Icon", "Section", "Sheet", "Story", "Tile", "Told"]


Icon = Literal["yes", "no", "unsure", "even", "uneven", "none"]


@dataclass(frozen=True)
class Banner:
    """The verdict: a word and an icon, never color alone, and one sentence."""

    word: str
    icon: Icon
    sentence: str


@dataclass(frozen=True)
class Tile:
    """A number to remember, its interval in words, and what it means."""

    number: str
    interval: str
    meaning: str


@dataclass(frozen=True)
class Section:
    """A heading, a sentence that leads in, charts in order, and a remark after them.

    Charts without data are left out, and with them a section that has no remark, unless it is to
    be kept.
    """

    heading: str
    lead: str = ""
    charts: tuple[Chart, ...] = ()
    remark: str = ""
    keep: bool = False


@dataclass(frozen=True)
class Sheet:
    """A page about no single run: a question, the answer, and charts that stand alone.

    Attributes
    ----------
    game
        Whose story has the charts, and the title.
    question, banner
        As on any page.
    lead
        One line below the question: what was compared or solved.
    charts
        Names of charts, each with the rows that it draws.
    remarks
        Sentences after the charts, a paragraph each.
    ranges
        How the ranges on the page are made; empty if there are none.
    """

    game: str
    question: str
    banner: Banner
    lead: str
    charts: Mapping[str, Any]
    remarks: tuple[str, ...] = ()
    ranges: str = ""


@dataclass(frozen=True)
class Told:
    """What the page of a command says that asks the same of every game.

    Attributes
    ----------
    question, banner, tiles, sections
        As on any page.
    lead
        Who played how often, without a full stop.
    ranges
        How the ranges are made, for the fine print.
    """

    question: str
    banner: Banner
    tiles: tuple[Tile, ...]
    sections: tuple[Section, ...]
    lead: str
    ranges: str


@dataclass(frozen=True)
class Story:
    """How a game's answers are told.

    Attributes
    ----------
    title
        The game's name as printed on its box.
    question
        The question at the top of the page, which the banner answers.
    banner, tiles, sections
        Functions of the answer.
    on_ranges
        The same: what the fine print adds on how ranges are made, the rest of a sentence.
    alone
        Charts that belong to no page, by name: ``"solution"`` is what ``solve`` draws.
    """

    title: str
    question: Callable[[Any], str]
    banner: Callable[[Any], Banner]
    tiles: Callable[[Any], tuple[Tile, ...]]
    sections: Callable[[Any], tuple[Section, ...]]
    on_ranges: Callable[[Any], str] = lambda answer: ""
    alone: Mapping[str, Chart] = field(default_factory=dict)
