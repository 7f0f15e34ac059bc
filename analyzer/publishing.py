"""An answer on disk: tables, pictures, the page."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analyzer.contracts import Game, Rules, Solution
from analyzer.rules import toml_text
from analyzer.rundir import RunDirectory
from analyzer.specs import ideas
from analyzer.statistics import wording
from analyzer.statistics.luck import Luck
from analyzer.study import Answer, Request, sensitivity
from analyzer.study.compare import Compared
from analyzer.study.finding import Finding
from analyzer.study.frames import frames
from analyzer.study.luck import Dissected
from analyzer.study.sensitivity import Sensitivity
from analyzer.study.sweep import Swept
from analyzer.study.tournament import Ranked
from analyzer.study.tune import Tuned
from analyzer.version import __version__
from analyzer_reports import (
    Banner,
    Provenance,
    SettingRow,
    Sheet,
    write_found,
    write_report,
    write_sheet,
)
from analyzer_reports.page import Icon


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
    provenance = replace(
        _provenance(answer.request, directory, links), partial=" ".join(answer.problems)
    )
    with directory.staging() as folder:
        write_report(answer.result, provenance, folder)
    return directory.path / "report.html"


def publish_comparison(found: Sensitivity, directory: RunDirectory) -> dict[str, str]:
    """Write the table of all figures; where it is, by its name.

    Raises
    ------
    OSError
        If the disk is full or gone.
    """
    return directory.write_tables({"sensitivity": sensitivity.table(found)})


COMPARED: dict[str, tuple[str, Icon]] = {
    "yes": ("Yes", "yes"),
    "no": ("No", "no"),
    "undecided": ("Not settled", "unsure"),
}
"""Word and icon for whether an answer survives every assumption."""


def draw_comparison(found: Sensitivity, directory: RunDirectory, links: dict[str, str]) -> None:
    """Draw the chart of a comparison, if there is anything to draw, and its page."""
    base, frame = found.base, sensitivity.headline(found)
    game = base.find_game()
    who = wording.table(base.strategies, base.game)
    lead = f"{base.players} players, {who}, {found.played} of each"
    sheet = Sheet(
        game=base.game,
        question="Does the answer survive what the rules leave open?",
        banner=Banner(*COMPARED[found.outcome], found.survives),
        lead=f"{lead}, one assumption changed at a time.",
        charts={} if frame is None else {"assumptions": frame},
        remarks=(
            found.comparison.answer,
            *(
                f"{v.label} could not be played: {v.refused}"
                for v, _ in found.variants
                if v.refused
            ),
        ),
        ranges="The ranges of all changes hold together in 95 of 100 comparisons like this one. "
        "They are taken between games on the same chance, group by group of 256, where both sides "
        "have as many games.",
    )
    source = f"{game.title}, {lead}, seed {base.seed}"
    provenance = _provenance(base, directory, links)
    with directory.staging() as folder:
        write_sheet(sheet, provenance, folder, source)


def publish_found(found: Finding[Any, Any], directory: RunDirectory) -> dict[str, str]:
    """Write the tables of what a command found; where they are, by their names.

    Raises
    ------
    OSError
        If the disk is full or gone.
    """
    return directory.write_tables(found.frames())


def _draw_found(
    found: Finding[Any, Any],
    directory: RunDirectory,
    provenance: Provenance,
    values: Mapping[str, str] | None = None,
) -> None:
    """Draw the pictures and the page; ``values`` are those of rules that are not one alone."""
    settings = tuple(
        row._replace(value=(values or {}).get(row.key, row.value)) for row in provenance.settings
    )
    provenance = replace(provenance, settings=settings, partial=" ".join(found.problems))
    with directory.staging() as folder:
        write_found(found.result, found.plan.base.find_game().title, provenance, folder)


def draw_compared(found: Compared, directory: RunDirectory, links: dict[str, str]) -> None:
    """Draw the pictures and the page of two compared sides; ``links`` are to the tables."""
    base, other = found.plan.base, found.plan.rules_b
    sides = {
        key: f"{toml_text(base.rules[key])} (A), {toml_text(value)} (B)"
        for key, value in other.items()
        if base.rules[key] != value
    }
    _draw_found(found, directory, _provenance(base, directory, links), sides)


def draw_ranked(found: Ranked, directory: RunDirectory, links: dict[str, str]) -> None:
    """Draw the pictures and the page of a tournament; ``links`` are to the tables."""
    base = found.plan.base
    about = _provenance(base, directory, links)
    about = replace(about, strategies=_ideas(base.game, found.plan.strategies))
    _draw_found(found, directory, about)


def draw_swept(found: Swept, directory: RunDirectory, links: dict[str, str]) -> None:
    """Draw the pictures and the page of a sweep; ``links`` are to the tables."""
    result = found.result
    ranges = {axis.name: result.range_of(axis) for axis in result.axes if axis.kind == "rule"}
    _draw_found(found, directory, _provenance(found.plan.base, directory, links), ranges)


def draw_tuned(found: Tuned, directory: RunDirectory, links: dict[str, str]) -> None:
    """Draw the pictures and the page of a search; ``links`` are to the tables."""
    _draw_found(found, directory, _provenance(found.plan.base, directory, links))


def draw_luck(found: Dissected, directory: RunDirectory, links: dict[str, str]) -> None:
    """Draw what explains how much at each table of strategies, and the page."""
    base, result = found.plan.base, found.result
    game = base.find_game()
    games = "; ".join(f"{table.games:,} games among {table.name}" for table in result.tables)
    lead = f"{base.players} players. {games}; each played again with some of its chance kept."
    sheet = Sheet(
        game=base.game,
        question="Where do the differences in the result come from?",
        banner=Banner(LUCK, "none", result.answer),
        lead=lead,
        charts={"luck": found.frames()["luck"].assign(name=_named(result))},
        remarks=(
            "How the parts are found: every game is played again with the same players in the same "
            "seats and some of the chance kept, the deal for instance, while all other chance is "
            "drawn anew. As far as the results then resemble each other, what was kept explains "
            "them. Each source of chance tells what it explains beyond those before it; what it "
            "does only together with them is counted with it. The last one tells what it explains "
            "by itself; interplay is the rest: what it does only together with those before it.",
            "Strategies is what differs between how players play, whoever sits where; seats is "
            "where they sit, and beside whom. A part that is none by the rules is drawn as none. "
            "A part may come out slightly below zero where there is none; it is not cut off in the "
            "tables.",
        ),
        ranges="Each range holds the true share in 95 of 100 runs like this one. They come from "
        "splitting the games into up to 256 groups and seeing how far the shares move when one "
        "group is left out.",
    )
    provenance = replace(_provenance(base, directory, links), partial=" ".join(found.problems))
    source = f"{game.title}, {base.players} players, seed {base.seed}"
    with directory.staging() as folder:
        write_sheet(sheet, provenance, folder, source)


LUCK = "Parts of the whole"
"""The word above an answer that is no yes and no no."""


def _named(result: Luck) -> list[str]:
    """Who plays, in words, for each row of the table."""
    return [table.name for table in result.tables for _ in table.rows()]


def publish_solution(solution: Solution, directory: RunDirectory) -> dict[str, str]:
    """Write the tables of a solution and what plays it; where the tables are, by their names.

    Raises
    ------
    OSError
        If the disk is full or gone.
    """
    import pandas as pd

    tables = {name: pd.DataFrame(data) for name, data in solution.tables().items()}
    links = directory.write_tables(tables)
    with directory.staging() as folder:
        solution.write(folder)
    return links


def draw_solution(
    solution: Solution,
    game: Game,
    players: int,
    rules: Rules,
    against: Sequence[str],
    directory: RunDirectory,
    links: dict[str, str],
) -> None:
    """Draw the chart of a solution that the game's story has, if it has one, and its page."""
    import pandas as pd

    drawn, charts = solution.chart(), {}
    if drawn is not None:
        charts["solution"] = pd.DataFrame(drawn[0])
        charts["solution"].attrs.update(drawn[1])
    opponents = f" against {' + '.join(against)}" if against else ""
    lead = f"{players} players{opponents}"
    question = (
        "What is the best answer to these opponents?" if against else "How is it played best?"
    )
    sheet = Sheet(
        game=game.name,
        question=question,
        banner=Banner("Solved", "yes", solution.answer),
        lead=f"{lead}; worked out exactly, without chance.",
        charts=charts,
        remarks=tuple(solution.sentences),
    )
    provenance = replace(
        _about(game, rules, directory, links), seed=None, strategies=_ideas(game.name, against)
    )
    with directory.staging() as folder:
        write_sheet(sheet, provenance, folder, f"{game.title}, {lead}; solved exactly")


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


def _provenance(request: Request, directory: RunDirectory, links: dict[str, str]) -> Provenance:
    """Where the figures of a request come from."""
    about = _about(request.find_game(), request.rules, directory, links)
    return replace(about, seed=request.seed, strategies=_ideas(request.game, request.specs()))


def _about(game: Game, rules: Rules, directory: RunDirectory, links: dict[str, str]) -> Provenance:
    about = directory.saved.about
    return Provenance(
        command=str(about.get("reproduce", "")),
        version=__version__,
        date=str(about.get("created", "")),
        seed=None,
        machine=", ".join(f"{key} {value}" for key, value in about.get("machine", {}).items()),
        settings=tuple(
            SettingRow(
                setting.key,
                toml_text(rules[setting.key]),
                setting.meaning,
                setting.source,
                ", ".join(toml_text(x) for x in setting.alternatives if x != rules[setting.key]),
            )
            for setting in game.settings
        ),
        tables=links,
    )


def _ideas(game: str, specs: Sequence[str]) -> dict[str, str]:
    return {name: idea for spec in specs for name, idea in ideas(game, spec).items()}
