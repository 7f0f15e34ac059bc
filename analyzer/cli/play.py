"""What `simulate` and `fairness` have in common: one request, and its answer."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer import study
from analyzer.cli.options import RunOptions
from analyzer.cli.output import emit_json
from analyzer.cli.runs import RunPlan, carry_out, seed_of
from analyzer.cli.setup import check_run_options, request_from
from analyzer.cli.tell import tell_answer
from analyzer.publishing import publish_page, publish_tables
from analyzer.rundir import default_path


def play(
    command: study.Command,
    game: str,
    options: RunOptions,
    *,
    fields: Sequence[str] = (),
    suggest: bool = False,
    margin: float | None = None,
) -> None:
    """Answer a command that plays.

    Raises
    ------
    AnalyzerError
        Whatever goes wrong; see `analyzer.errors` for the exit codes.
    """
    check_run_options(options)
    seed = seed_of(options)
    request = request_from(
        command, game, options, seed=seed, fields=fields, suggest=suggest, margin=margin
    )
    study.check(request)
    extra = [word for spec in fields for word in ("--field", spec)]
    extra += ["--suggest"] if suggest else []
    extra += ["--margin", f"{margin:g}"] if margin is not None else []
    path = options.out or default_path(request.game, command, seed, request.digest())

    def conclude(play: study.Play) -> study.Answer:
        return study.Answer(request, study.conclude(request, play), tuple(play.parts))

    def tell(answer: study.Answer) -> None:
        if options.json:
            emit_json(answer.document())
        else:
            tell_answer(answer, markdown=options.markdown)

    plan = RunPlan(
        command=command,
        request=request,
        identity=request.identity(),
        path=path,
        files=("tables/seats.csv", "report.html"),
        conclude=conclude,
        tables=publish_tables,
        draw=publish_page,
        tell=tell,
        extra=extra,
        fixed=_fixed(request),
    )
    carry_out(plan, options)


def _fixed(request: study.Request) -> str:
    """Why a finished run of a request is not continued to more games; empty if it is."""
    if request.suggest:
        return "what --suggest tries depends on all games, so it is not continued to more"
    return ""
