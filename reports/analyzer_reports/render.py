"""Draws charts: for the page, for a phone, and as PNG files."""

from __future__ import annotations

import gc
import io
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analyzer_reports.chart import Chart, Frame
from analyzer_reports.style import INK, MUTED, chart_style

TITLE_LETTERS, NOTE_LETTERS = 60, 98
"""Letters that fit on a line of a PNG file, whatever the font."""
SCALE = 2
"""Pixels of a PNG file per CSS pixel."""


@contextmanager
def drawing() -> Iterator[None]:
    """The style of charts, and silence about letters no installed font has (a box is drawn).

    Meanwhile nothing is collected: figures are many small objects that refer to each other, and
    looking through them again and again takes a seventh of the time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        with matplotlib.rc_context(), warnings.catch_warnings():
            matplotlib.rcdefaults()  # whatever a `matplotlibrc` wants
            matplotlib.rcParams.update(chart_style())
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            yield
    finally:
        if collects:
            gc.enable()


def picture(chart: Chart, data: pd.DataFrame, width: int) -> Figure:
    """The chart drawn at a width in CSS pixels; call within `drawing`."""
    frame = chart.frame(data, width)
    figure = Figure(figsize=(width / 72, frame.height / 72))
    _place(figure.add_axes((0, 0, 1, 1)), frame, width, 0, frame.height)
    chart.draw(data, figure.axes[0])
    return figure


def _wrapped(text: str, letters: int) -> list[str]:
    """Lines of about equal length."""
    lines = textwrap.wrap(text, letters)
    while len(lines) > 1 and len(textwrap.wrap(text, letters - 1)) == len(lines):
        letters -= 1
    return textwrap.wrap(text, letters)


def _place(axes: Axes, frame: Frame, width: int, below: float, height: float) -> None:
    """Put the axes where the frame wants them, ``below`` pixels above the bottom."""
    axes.set_position(
        (
            frame.left / width,
            (below + frame.bottom) / height,
            (width - frame.left - frame.right) / width,
            (frame.height - frame.top - frame.bottom) / height,
        )
    )


def svg(figure: Figure) -> str:
    """The figure as SVG text."""
    out = io.StringIO()
    figure.savefig(
        out,
        format="svg",
        transparent=True,
        metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
    )
    return out.getvalue()


def png(figure: Figure, chart: Chart, data: pd.DataFrame, width: int, source: str) -> bytes:
    """The figure as a PNG file that stands alone: with its title, caption and source.

    The figure grows; draw anything else from it first.
    """
    frame = chart.frame(data, width)
    words = chart.words(data)
    title = _wrapped(words.title, TITLE_LETTERS)
    notes = textwrap.wrap(words.caption, NOTE_LETTERS) + textwrap.wrap(source, NOTE_LETTERS)
    above, below, edge = 22 + 23 * len(title), 20 + 17 * len(notes), 24
    height = frame.height + above + below
    figure.set_size_inches((width + 2 * edge) / 72, height / 72)
    inner = Frame(frame.height, frame.left + edge, frame.right + edge, frame.top, frame.bottom)
    _place(figure.axes[0], inner, width + 2 * edge, below, height)
    for place, line in enumerate(title):
        y = 1 - (18 + 23 * place) / height
        figure.text(edge / (width + 2 * edge), y, line, va="top", size=17, weight="bold", color=INK)
    for place, line in enumerate(reversed(notes)):
        figure.text(
            edge / (width + 2 * edge),
            (14 + 17 * place) / height,
            line,
            size=11.5,
            color=MUTED,
            va="bottom",
        )
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=72 * SCALE, pil_kwargs={"compress_level": 3})
    return out.getvalue()
