"""``analyzer check FILE.py|NAME|MODULE``: whether a strategy or a game keeps its contract."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import DebugOptions, spread

if TYPE_CHECKING:
    from analyzer.checks import Finding


@spread(DebugOptions)
def run(
    options: DebugOptions,
    what: Annotated[
        Path,
        typer.Argument(
            parser=values.parse_path,
            metavar="FILE.py|NAME|MODULE",
            help="A file that defines strategies, a game's name, or a module that defines a game "
            "or strategies.",
        ),
    ],
) -> None:
    """Check strategies and games, for their author."""
    from analyzer.cli.output import emit_json, emit_tables, table
    from analyzer.errors import PluginError

    kind, findings = _findings(str(what))
    wrong = [finding for finding in findings if not finding.passed]
    if options.json and not wrong:
        emit_json(
            {
                "schema": "analyzer/check/1",
                kind: str(what),
                "checks": [
                    {f.kind: f.name, "check": f.check, "passed": f.passed, "text": f.text}
                    for f in findings
                ],
            }
        )
    elif not options.json:
        rows = [(f.name, f.check, "yes" if f.passed else "NO", f.text) for f in findings]
        names = {finding.name for finding in findings}
        verdict = "keeps its contract" if len(names) == 1 else f"all {len(names)} keep theirs"
        heading = " or ".join(sorted({finding.kind for finding in findings}))
        emit_tables(
            table(
                (heading, "check", "passed", "what was seen"),
                rows,
                whole=("passed",),
                names=(heading,),
            ),
            "" if wrong else f"{', '.join(sorted(names))}: {verdict}.",
        )
    if wrong:
        first = wrong[0]
        raise PluginError(
            f"{first.kind} {first.name!r} in {str(what)!r} fails the check {first.check!r}: "
            f"{first.text}"
        )


def _findings(what: str) -> tuple[str, tuple[Finding, ...]]:
    """What is named, and what was found."""
    from analyzer import checks
    from analyzer.plugins import game_names, load_module

    if what in game_names():
        return "game", tuple(checks.game_findings(what))
    if what.endswith(".py") or not all(part.isidentifier() for part in what.split(".")):
        return "file", checks.check_file(Path(what))
    return "module", checks.check_module(load_module(what))
