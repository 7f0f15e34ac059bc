"""Colors, fonts and sizes: one place for the page, its charts and the PNG files.

One accent, told from the grays by lightness as well as hue, so that it survives color blindness
and a black-and-white printer. Each color of the light theme is unique: charts are drawn with it,
and on the page it becomes a CSS variable that the dark theme sets anew.
"""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = [
    "ACCENT",
    "DARK",
    "FAINT",
    "INK",
    "LIGHT",
    "LINE",
    "MUTED",
    "NARROW",
    "PALE",
    "PAPER",
    "SOFT",
    "WIDE",
    "chart_style",
    "color_variables",
    "variable_of",
]

LIGHT = {
    "paper": "#ffffff",
    "ink": "#16212b",
    "muted": "#566370",
    "line": "#d3dae0",
    "faint": "#f1f5f8",
    "pale": "#e3e9ee",
    "soft": "#b9dbe8",
    "accent": "#07688f",
}
DARK = {
    "paper": "#0f161c",
    "ink": "#e9eef2",
    "muted": "#9fadb9",
    "line": "#34414c",
    "faint": "#172028",
    "pale": "#26323c",
    "soft": "#1f5068",
    "accent": "#5fc3ea",
}

PAPER, INK, MUTED, LINE = LIGHT["paper"], LIGHT["ink"], LIGHT["muted"], LIGHT["line"]
FAINT, PALE, SOFT, ACCENT = LIGHT["faint"], LIGHT["pale"], LIGHT["soft"], LIGHT["accent"]

WIDE = 640
"""Width of the column, and of charts for it, in CSS pixels."""
NARROW = 343
"""Width of charts for a phone: 375 pixels less the margins."""

FONTS = ("Inter", "Source Sans 3", "Segoe UI", "Helvetica Neue", "Arial", "Liberation Sans")
"""Sans serif fonts to draw PNG files with, the first one installed; the page uses the system's."""


@cache
def _fonts() -> list[str]:
    from matplotlib.font_manager import get_font_names

    installed = set(get_font_names())
    # DejaVu comes with matplotlib and stands in for letters the other font lacks.
    return [*[name for name in FONTS if name in installed][:1], "DejaVu Sans"]


def chart_style() -> Any:
    """Settings for `matplotlib.rc_context`; sizes are CSS pixels at 72 dots an inch."""
    return {
        "font.family": _fonts(),
        "font.size": 12.5,
        # A dollar sign in a strategy's name is a dollar sign.
        "text.parse_math": False,
        "text.usetex": False,
        "text.color": INK,
        "svg.fonttype": "none",
        "svg.hashsalt": "analyzer",
        "figure.facecolor": PAPER,
        "figure.dpi": 72,
        "axes.facecolor": "none",
        "axes.edgecolor": MUTED,
        "axes.linewidth": 1.0,
        "axes.labelcolor": MUTED,
        "axes.labelsize": 12.5,
        "axes.labelpad": 7,
        "axes.spines.left": False,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.grid": True,
        "axes.grid.axis": "y",
        "axes.axisbelow": True,
        "axes.unicode_minus": True,
        "grid.color": LINE,
        "grid.linewidth": 0.8,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": MUTED,
        "ytick.labelcolor": MUTED,
        "xtick.labelsize": 12.5,
        "ytick.labelsize": 12.5,
        "xtick.major.size": 0,
        "ytick.major.size": 0,
        "xtick.major.pad": 6,
        "ytick.major.pad": 6,
        "lines.linewidth": 2.2,
        "lines.solid_capstyle": "round",
    }


def variable_of(color: str) -> str | None:
    """The CSS variable of a color charts are drawn with, or None for any other text."""
    for name, value in LIGHT.items():
        if value == color:
            return f"var(--{name})"
    return None


def color_variables(dark: bool = False) -> str:
    """Declarations of the color variables, for the style sheet."""
    return "".join(f"--{name}:{value};" for name, value in (DARK if dark else LIGHT).items())
