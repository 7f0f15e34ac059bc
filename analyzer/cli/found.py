"""Commands with a plan of their own, whose answer is a `Finding`: how they are carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from analyzer import study
from analyzer.cli.options import RunOptions
from analyzer.cli.output import TextTable, emit_json, emit_tables
from analyzer.cli.runs import RunPlan, draw_again
from analyzer.publishing import publish_found
from analyzer.rundir import RunDirectory, default_path
from analyzer.study.finding import Finding, Plan


class Question(Protocol):
    """A module of `analyzer.study` that answers a command with a plan of its own."""

    def saved_plan(self, base: study.Request, identity: Mapping[str, Any], /) -> Any:
        """The plan of a saved run."""

    def conclude(self, plan: Any, play: study.Play, /) -> Any:
        """Get the parts that a plan needs, and answer."""


@dataclass(frozen=True)
class FoundCommand:
    """A command whose answer is a `Finding`.

    Attributes
    ----------
    name
        Its name.
    question
        What plans and answers it.
    table
        A table that a run of it has once it is published.
    draw
        Draws pictures and page, given the finding, its directory and where its tables are.
    parts
        What a terminal tells before the answer: tables and sentences.
    """

    name: str
    question: Question
    table: str
    draw: Callable[[Any, RunDirectory, dict[str, str]], object]
    parts: Callable[[Any], Sequence[TextTable | str]]

    def plan(
        self, plan: Plan, options: RunOptions, extra: Sequence[str] = (), ends_early: str = ""
    ) -> RunPlan[Finding[Any, Any]]:
        """What it does in its own way; ``extra`` and ``ends_early`` as in `RunPlan`."""
        base = plan.base
        return RunPlan(
            command=self.name,
            request=base,
            identity=plan.identity(),
            path=options.out or default_path(base.game, self.name, base.seed, plan.digest()),
            files=(f"tables/{self.table}.csv", "report.html"),
            conclude=partial(self.question.conclude, plan),
            tables=publish_found,
            draw=self.draw,
            tell=partial(self.tell, json=options.json, markdown=options.markdown),
            extra=extra,
            ends_early=ends_early,
        )

    def tell(self, found: Finding[Any, Any], *, json: bool = False, markdown: bool = False) -> None:
        """Tell an answer."""
        if json:
            emit_json(found.document())
        else:
            emit_tables(*self.parts(found), found.result.answer, markdown=markdown)

    def report(self, saved: RunDirectory, path: Path, *, json: bool) -> None:
        """Tell and draw a saved run again, without playing.

        Raises
        ------
        ResultsError
            If nothing was played, or it is damaged.
        """

        def conclude(plan: Any, archive: study.Archive) -> Finding[Any, Any]:
            found: Finding[Any, Any] = self.question.conclude(plan, archive)
            return replace(found, problems=tuple(archive.problems))

        base = study.Request.from_json(saved.saved.identity.get("request", {}))
        plan = self.question.saved_plan(base, saved.saved.identity)
        draw_again(
            saved, path, partial(conclude, plan), publish_found, self.draw, self.tell, json=json
        )
