"""Where a report comes from: what its fine print says. Light to import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class SettingRow(NamedTuple):
    """One setting in force, as text ready to be shown."""

    key: str
    value: str
    meaning: str
    source: str
    """``"source"``, ``"fact"`` or ``"assumption"``."""
    alternatives: str = ""
    """What else it could be, where it is an assumption."""


@dataclass(frozen=True)
class Provenance:
    """Everything a reader needs to run it again, and to know what was assumed.

    Attributes
    ----------
    command
        The command line that plays exactly this run.
    version
        Of the analyzer.
    date
        When it was played, ISO 8601.
    seed
        0 to 2^63-1; None where nothing is left to chance.
    machine
        The computer and its software, in one line.
    settings
        Every setting in force, a row each; ``source`` marks which are assumptions.
    tables
        Name of a table -> link to its CSV file, relative to the report.
    strategies
        Name of a strategy that plays -> what it tries to do.
    partial
        A warning to be shown in plain sight (an interrupted or damaged run), or empty.
    """

    command: str
    version: str
    date: str
    seed: int | None
    machine: str
    settings: tuple[SettingRow, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    strategies: Mapping[str, str] = field(default_factory=dict)
    partial: str = ""
