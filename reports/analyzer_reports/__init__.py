"""Reports draw statistics and never compute them: charts as PNG, and one page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analyzer_reports.page import Banner, Sheet
from analyzer_reports.provenance import Provenance, SettingRow

if TYPE_CHECKING:
    from analyzer.statistics.compare import StrategyComparison
    from analyzer.statistics.compare_rules import RulesComparison
    from analyzer.statistics.sweep import Sweep
    from analyzer.statistics.tables import Fairness, Summary
    from analyzer.statistics.tournament import Tournament
    from analyzer.statistics.tune import Tuning

    Found = StrategyComparison | RulesComparison | Tournament | Sweep | Tuning

__all__ = [
    "Banner",
    "Provenance",
    "SettingRow",
    "Sheet",
    "write_found",
    "write_report",
    "write_sheet",
]


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


def write_found(
    found: Found, title: str, provenance: Provenance, directory: Path
) -> tuple[Path, ...]:
    """Draw what a command found that asks the same of every game, such as a comparison.

    Parameters
    ----------
    found
        A comparison, a tournament, a sweep or a search.
    title
        The game's name as printed on its box.
    provenance, directory
        As in `write_report`.

    Returns
    -------
    tuple of Path
        A PNG per chart and, last, ``report.html``.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    from analyzer_reports.html import publish_found

    return publish_found(found, title, provenance, directory)


def write_sheet(
    sheet: Sheet, provenance: Provenance, directory: Path, source: str
) -> tuple[Path, ...]:
    """Draw a page about no single run, such as a solution's: a PNG per chart and ``report.html``.

    Parameters
    ----------
    sheet
        What stands on it. Charts that do not stand alone in the game's story are left out; any
        game has ``"assumptions"`` and ``"luck"``.
    provenance
        What the fine print says.
    directory
        As for `write_report`.
    source
        The line at the foot of the pictures.

    Returns
    -------
    tuple of Path
        The files written, ``report.html`` last.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    from analyzer_reports.html import publish_sheet

    return publish_sheet(sheet, provenance, directory, source)
