"""What a chart is: data out of an answer, a drawing of the data, and words about the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pandas as pd
from matplotlib.axes import Axes

__all__ = ["Chart", "Column", "Frame", "Words"]


class Frame(NamedTuple):
    """Height of a chart and the room round its axes, in CSS pixels."""

    height: float
    left: float = 8
    right: float = 8
    top: float = 34
    bottom: float = 46


class Words(NamedTuple):
    """What is said about a chart."""

    title: str
    """The finding, true of these very data."""
    caption: str
    """One line: what is drawn and how to read it."""
    alt: str
    """The finding with its numbers, for those who cannot see the chart."""


class Column(NamedTuple):
    """A column of the table under a chart."""

    key: str
    heading: str
    kind: Literal["text", "count", "number", "percent"] = "number"
    places: int = 3


@dataclass(frozen=True)
class Chart:
    """One chart, the same for the page, the phone and the PNG file.

    Attributes
    ----------
    name
        Of the PNG file, without suffix.
    data
        Takes the answer (`Summary` or `Fairness`) and returns the rows to draw, none if there is
        nothing to draw; facts about the whole stand in ``attrs``.
    draw
        Draws the data on the given axes; reads the figure's width to suit phones.
    words
        Title, caption and alternative text of the data.
    columns
        Of the table of these data.
    frame
        Height and margins for data drawn at a width in pixels.
    table
        Arranges the data as the table shows them.
    """

    name: str
    data: Callable[[Any], pd.DataFrame]
    draw: Callable[[pd.DataFrame, Axes], None]
    words: Callable[[pd.DataFrame], Words]
    columns: Callable[[pd.DataFrame], tuple[Column, ...]]
    frame: Callable[[pd.DataFrame, int], Frame]
    table: Callable[[pd.DataFrame], pd.DataFrame] = lambda rows: rows
