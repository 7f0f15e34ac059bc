"""The printing of preservers on the 60 cards, drawn as a strip of steps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.transforms import Transform

from analyzer_reports.style import ACCENT, INK, LINE, PALE, SOFT

SHADES = (PALE, SOFT, ACCENT)


def halves_text(halves: float) -> str:
    """A count of halves in words: none, half, one, 1½."""
    whole, half = divmod(round(halves), 2)
    if not whole:
        return "half" if half else "none"
    if whole == 1 and not half:
        return "one"
    return f"{whole}½" if half else str(whole)


def runs(halves: Sequence[int]) -> list[tuple[int, int, int]]:
    """Runs of equal printing: first card, last card (from 1), half-counts."""
    found = []
    card = 1
    for value, group in groupby(halves):
        size = len(list(group))
        found.append((card, card + size - 1, value))
        card += size
    return found


def strip(
    ax: Axes,
    halves: Sequence[int],
    transform: Transform,
    base: float,
    height: float,
    phone: bool,
    names: bool = True,
) -> None:
    """Draw a printing as steps, lower for fewer preservers, in shades that agree.

    ``transform`` takes x in cards and y in a unit in which the strip stands on ``base`` and its
    highest step rises by ``height``.
    """
    most = max(2, *halves)
    for first, last, value in runs(halves):
        tall = height * (0.16 + 0.84 * value / most)
        ax.add_patch(
            Rectangle(
                (first - 0.5, base),
                last - first + 1,
                tall,
                transform=transform,
                clip_on=False,
                facecolor=SHADES[min(2, value)],
                lw=0,
                zorder=2,
            )
        )
        wide = last - first + 1 >= (9 if phone else 5)
        if names and wide:
            ax.text(
                (first + last) / 2,
                base + tall + 0.12 * height,
                halves_text(value),
                transform=transform,
                ha="center",
                va="bottom",
                size=11 if phone else 12,
                color=INK,
                clip_on=False,
            )
    ax.plot(
        [0.5, 60.5], [base, base], color=LINE, lw=1, transform=transform, clip_on=False, zorder=2.1
    )
