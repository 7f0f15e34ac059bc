"""An answer on disk: tables, pictures, the page."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analyzer.contracts import Game, Solution
from analyzer.rules import toml_text
from analyzer.rundir import RunDirectory
from analyzer.specs import ideas
from analyzer.study import Answer, Request, sensitivity
from analyzer.study.compare import Compared
from analyzer.study.frames import frames
from analyzer.study.sensitivity import Sensitivity
from analyzer.version import __version__
from analyzer_reports import Provenance, SettingRow, write_chart, write_comparison, write_report


def publish_tables(answer: Answer, directory: RunDirectory) -> dict[str, str]:
    """Write an answer's tables.

    Returns
    -------
    dict of str to str
        Where each is, by its name; for the page.

    Raises
    ------
    OSError
        If the disk is full or gone.
    """
    return directory.write_tables(frames(answer.result))


def publish_page(answer: Answer, directory: RunDirectory, links: dict[str, str]) -> Path:
    """Draw an answer's pictures and its page; ``links`` are to its tables.

    Raises
    ------
    Exception
        Whatever a story of somebody's own raises; OSError if the disk is full or gone.
    """
    provenance = _provenance(answer.request, directory, links, " ".join(answer.problems))
    with directory.staging() as folder:
        write_report(answer.result, provenance, folder)
    return directory.path / "report.html"


def publish_comparison(found: Sensitivity, directory: RunDirectory) -> None:
    """Write the table of all figures.

    Raises
    ------
    OSError
        If the disk is full or gone.
    """
    directory.write_tables({"sensitivity": sensitivity.table(found)})


def draw_comparison(found: Sensitivity, directory: RunDirectory) -> None:
    """Draw the chart of a comparison, if there is anything to draw."""
    frame = sensitivity.headline(found)
    if frame is not None:
        base = found.base
        source = f"{base.find_game().title}, {base.players} players, {found.played} a variant, "
        with directory.staging() as folder:
            write_chart(base.game, "assumptions", frame, folder, f"{source}seed {base.seed}")


def publish_compared(found: Compared, directory: RunDirectory) -> dict[str, str]:
    """Write the tables of a comparison.

    Returns
    -------
    dict of str
        Name of a table -> its file, relative to the directory.

    Raises
    ------
    OSError
        If the disk is full or gone.
    """
    return directory.write_tables(found.frames())


def draw_compared(found: Compared, directory: RunDirectory, links: dict[str, str]) -> None:
    """Draw a comparison's pictures and its page; ``links`` are to its tables.

    Raises
    ------
    OSError
        If the disk is full or gone.
    """
    base = found.plan.base
    provenance = _provenance(base, directory, links, " ".join(found.problems))
    other = found.plan.rules_b
    settings = tuple(
        row
        if base.rules[row.key] == other[row.key]
        else row._replace(value=f"{row.value} (A), {toml_text(other[row.key])} (B)")
        for row in provenance.settings
    )
    provenance = replace(provenance, settings=settings)
    with directory.staging() as folder:
        write_comparison(found.result, base.find_game().title, provenance, folder)


def publish_solution(solution: Solution, directory: RunDirectory) -> None:
    """Write the tables of a solution and what plays it.

    Raises
    ------
    OSError
        If the disk is full or gone.
    """
    import pandas as pd

    directory.write_tables({name: pd.DataFrame(data) for name, data in solution.tables().items()})
    with directory.staging() as folder:
        solution.write(folder)


def draw_solution(
    solution: Solution, game: Game, players: int, against: Sequence[str], directory: RunDirectory
) -> None:
    """Draw the chart of a solution that the game's story has, if it has one."""
    import pandas as pd

    opponents = f" against {' + '.join(against)}" if against else ""
    source = f"{game.title}, {players} players{opponents}; solved exactly"
    drawn = solution.chart()
    if drawn is not None:
        with directory.staging() as folder:
            rows = pd.DataFrame(drawn[0])
            rows.attrs.update(drawn[1])
            write_chart(game.name, "solution", rows, folder, source)


def machine() -> dict[str, Any]:
    """The computer and its software, as far as figures or speed could depend on them."""
    return {
        "system": platform.platform(terse=True),
        "processor": platform.machine(),
        "cores": os.cpu_count() or 1,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def _provenance(
    request: Request, directory: RunDirectory, links: dict[str, str], partial: str
) -> Provenance:
    about = directory.saved.about
    played_on = about.get("machine", {})
    rules = request.rules
    return Provenance(
        command=str(about.get("reproduce", "")),
        version=__version__,
        date=str(about.get("created", "")),
        seed=request.seed,
        machine=", ".join(f"{key} {value}" for key, value in played_on.items()),
        settings=tuple(
            SettingRow(
                setting.key,
                toml_text(rules[setting.key]),
                setting.meaning,
                setting.source,
                ", ".join(toml_text(x) for x in setting.alternatives if x != rules[setting.key]),
            )
            for setting in request.find_game().settings
        ),
        tables=links,
        strategies={
            name: idea
            for spec in request.specs()
            for name, idea in ideas(request.game, spec).items()
        },
        partial=partial,
    )
