"""Reports draw statistics and never compute them: charts as PNG, and one page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analyzer_reports.provenance import Provenance, SettingRow

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.statistics.compare import StrategyComparison
    from analyzer.statistics.compare_rules import RulesComparison
    from analyzer.statistics.tables import Fairness, Summary

__all__ = ["Provenance", "SettingRow", "write_chart", "write_comparison", "write_report"]


def write_report(
    answer: Summary | Fairness, provenance: Provenance, directory: Path
) -> tuple[Path, ...]:
    """Draw an answer: a PNG per chart and ``report.html`` in an existing directory.

    Parameters
    ----------
    answer
        What `analyzer simulate` or `analyzer fairness` found.
    provenance
        What the fine print says.
    directory
        Where the files go. They are written one after the other: a caller that must not be left
        with half a report gives a fresh directory and moves the files when all are there.

    Returns
    -------
    tuple of Path
        The files written, ``report.html`` last.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    from analyzer_reports.html import (
        publish,  # drawing takes a second to import; asking for help must not
    )

    return publish(answer, provenance, directory)


def write_comparison(
    found: StrategyComparison | RulesComparison,
    title: str,
    provenance: Provenance,
    directory: Path,
) -> tuple[Path, ...]:
    """Draw a comparison: a PNG per chart and ``report.html``; see `write_report`.

    Parameters
    ----------
    found
        What `analyzer compare` found.
    title
        The game's name as printed on its box.
    provenance, directory
        As in `write_report`.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    from analyzer_reports.html import publish_comparison

    return publish_comparison(found, title, provenance, directory)


def write_chart(
    game: str, name: str, rows: pd.DataFrame, directory: Path, source: str
) -> Path | None:
    """Draw a single chart that belongs to no page, such as a solution's.

    Parameters
    ----------
    game, name
        Whose story has it among the charts that stand alone, and under which name; any game has
        ``"assumptions"``.
    rows
        What the chart's ``data`` makes of nothing but these rows.
    directory
        An existing directory; a file of the same name is replaced at once.
    source
        The line at the foot of the picture.

    Returns
    -------
    Path or None
        The PNG file; None if there is no such chart.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    from analyzer_reports.html import draw_alone

    return draw_alone(game, name, rows, directory, source)
