"""``analyzer check FILE.py``: whether a strategy keeps its contract."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import DebugOptions, spread

__all__ = ["run"]


@spread(DebugOptions)
def run(
    options: DebugOptions,
    file: Annotated[
        Path,
        typer.Argument(
            parser=values.parse_path, metavar="FILE.py", help="File that defines strategies."
        ),
    ],
) -> None:
    """Check the strategies in a file, for their author."""
    from analyzer.checks import check_file
    from analyzer.cli.output import emit_json, emit_tables, table
    from analyzer.errors import PluginError

    findings = check_file(file)
    wrong = [finding for finding in findings if not finding.passed]
    if options.json and not wrong:
        emit_json(
            {
                "schema": "analyzer/check/1",
                "file": str(file),
                "checks": [
                    {"strategy": f.strategy, "check": f.check, "passed": f.passed, "text": f.text}
                    for f in findings
                ],
            }
        )
    elif not options.json:
        rows = [(f.strategy, f.check, "yes" if f.passed else "NO", f.text) for f in findings]
        names = {finding.strategy for finding in findings}
        verdict = "keeps its contract" if len(names) == 1 else f"all {len(names)} keep theirs"
        emit_tables(
            table(
                ("strategy", "check", "passed", "what was seen"),
                rows,
                whole=("passed",),
                names=("strategy",),
            ),
            "" if wrong else f"{', '.join(sorted(names))}: {verdict}.",
        )
    if wrong:
        first = wrong[0]
        raise PluginError(
            f"strategy {first.strategy!r} in {str(file)!r} fails the check {first.check!r}: "
            f"{first.text}"
        )
