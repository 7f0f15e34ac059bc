"""``analyzer report DIR``: draw a saved run again, without playing."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli import values
from analyzer.cli.options import DebugOptions, spread


@spread(DebugOptions)
def run(
    options: DebugOptions,
    directory: Annotated[
        Path,
        typer.Argument(parser=values.parse_path, metavar="DIR", help="Directory of a saved run."),
    ],
) -> None:
    """Draw a saved run again, without playing."""
    from analyzer import study
    from analyzer.cli import compare, luck, sensitivity, solve, sweep, tournament, tune
    from analyzer.cli.output import emit_json, emit_lines, note
    from analyzer.cli.runs import PLAYED, all_saved, draw
    from analyzer.cli.tell import tell_answer
    from analyzer.publishing import publish_page, publish_tables
    from analyzer.rundir import reopen

    with reopen(directory) as claimed:
        reports = {"sensitivity": sensitivity.report, "solve": solve.report}
        for other in (compare, luck, sweep, tournament, tune):
            command = other.command()
            reports[command.name] = command.report
        for name, report in reports.items():
            if name in claimed.saved.identity:
                report(claimed, directory, json=options.json)
                return
        answer = study.answer_saved(claimed.saved)
        for problem in answer.problems:
            note(problem)
        with all_saved(directory, f"analyzer report {shlex.quote(str(directory))}", kept=PLAYED):
            links = publish_tables(answer, claimed)
        if not options.json:
            tell_answer(answer)
        draw(lambda: publish_page(answer, claimed, links), directory)
    if options.json:
        emit_json(answer.document())
    else:
        emit_lines([f"Saved in {str(directory / 'report.html')!r}."])
