"""``analyzer check FILE.py`` or ``GAME``: whether strategies and games keep their contracts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import DebugOptions, complete_game, spread

__all__ = ["run"]


@spread(DebugOptions)
def run(
    options: DebugOptions,
    what: Annotated[
        Path,
        typer.Argument(
            parser=values.parse_path,
            metavar="FILE.py|GAME",
            help="File that defines strategies, or name of a game.",
            autocompletion=complete_game,
        ),
    ],
) -> None:
    """Check the strategies in a file, or a game and its installed strategies, for their author."""
    from analyzer.checks import check_file, check_installed
    from analyzer.cli.output import emit_json, emit_tables, table
    from analyzer.errors import PluginError
    from analyzer.plugins import game_names

    name = str(what)
    installed = name in game_names()
    findings = tuple(check_installed(name)) if installed else check_file(what)
    wrong = [finding for finding in findings if not finding.passed]
    if options.json and not wrong:
        emit_json(
            {
                "schema": "analyzer/check/1",
                "game" if installed else "file": name,
                "checks": [
                    {
                        "strategy": f.strategy or None,
                        "check": f.check,
                        "passed": f.passed,
                        "text": f.text,
                    }
                    for f in findings
                ],
            }
        )
    elif not options.json:
        rows = [
            (f.strategy or "the game", f.check, "yes" if f.passed else "NO", f.text)
            for f in findings
        ]
        names = sorted({finding.strategy or name for finding in findings})
        verdict = "keeps its contract" if len(names) == 1 else f"all {len(names)} keep theirs"
        emit_tables(
            table(
                ("strategy", "check", "passed", "what was seen"),
                rows,
                whole=("passed",),
                names=("strategy",),
            ),
            "" if wrong else f"{', '.join(names)}: {verdict}.",
        )
    if wrong:
        first = wrong[0]
        who = f"strategy {first.strategy!r} in {name!r}" if first.strategy else f"game {name!r}"
        raise PluginError(f"{who} fails the check {first.check!r}: {first.text}")
