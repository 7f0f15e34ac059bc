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

__all__ = [
    "Banner",
    "Provenance",
    "SettingRow",
    "Sheet",
    "write_comparison",
    "write_report",
    "write_sheet",
    "write_sweep",
    "write_tournament",
    "write_tuning",
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


def write_tournament(
    found: Tournament, title: str, provenance: Provenance, directory: Path
) -> tuple[Path, ...]:
    """Draw a tournament: a PNG per chart and ``report.html``; see `write_comparison`.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    from analyzer_reports.html import publish_told
    from analyzer_reports.stories import ranking

    told = ranking.told(found)
    return publish_told(found, told, title, found.seed, provenance, directory)


def write_sweep(
    found: Sweep, title: str, provenance: Provenance, directory: Path
) -> tuple[Path, ...]:
    """Draw a sweep: a PNG per chart and ``report.html``; see `write_comparison`.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    from analyzer_reports.html import publish_told
    from analyzer_reports.stories import sweep

    told = sweep.told(found)
    return publish_told(found, told, title, found.seed, provenance, directory)


def write_tuning(
    found: Tuning, title: str, provenance: Provenance, directory: Path
) -> tuple[Path, ...]:
    """Draw a search: a PNG per chart and ``report.html``; see `write_comparison`.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    from analyzer_reports.html import publish_told
    from analyzer_reports.stories import tune

    told = tune.told(found)
    return publish_told(found, told, title, found.seed, provenance, directory)


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
