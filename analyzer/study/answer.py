"""From a request to its answer, whichever way its parts come."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

from analyzer.errors import ResultsError
from analyzer.rundir import SavedRun
from analyzer.statistics.document import fairness_document, simulate_document
from analyzer.statistics.figures import check_names
from analyzer.statistics.summary import summarize
from analyzer.statistics.tables import Fairness, Summary
from analyzer.study.base import study_of
from analyzer.study.request import Request
from analyzer.study.stage import Archive, NotPlayed, Part, Play, telling_of


@dataclass(frozen=True)
class Answer:
    """The answer to a request.

    Attributes
    ----------
    request
        What was asked.
    result
        What the statistics say.
    parts
        What was played for it.
    problems
        What is missing from it, a sentence each; empty for a finished run.
    """

    request: Request
    result: Summary | Fairness
    parts: tuple[Part, ...]
    problems: tuple[str, ...] = ()

    @property
    def summary(self) -> Summary:
        """The figures that every command has."""
        return self.result.summary if isinstance(self.result, Fairness) else self.result

    @property
    def seconds(self) -> float:
        """Time spent playing, all parts together."""
        return sum(part.seconds for part in self.parts)

    @property
    def games_per_second(self) -> float | None:
        """Games of all parts per second; None if the clock showed hardly any time."""
        games = sum(part.games for part in self.parts)
        return games / self.seconds if self.seconds > 1e-9 else None

    def document(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        if isinstance(self.result, Fairness):
            document = fairness_document(self.result)
        else:
            document = simulate_document(self.result)
        return document | {
            "throughput": {"seconds": self.seconds, "games_per_second": self.games_per_second}
        }


def check(request: Request) -> None:
    """Refuse what cannot be answered, before the first game.

    Raises
    ------
    UsageError
        With the reason and the way out.
    """
    own = study_of(request.game)  # not after all games, if it cannot be loaded
    if request.command == "fairness":
        own.check(request)


def conclude(request: Request, play: Play) -> Summary | Fairness:
    """Get the parts that a request needs, and draw the conclusion.

    Raises
    ------
    PluginError
        If the game's study gives a figure a name that documents or tables have.
    """
    found = _conclude(request, play)
    summary = found.summary if isinstance(found, Fairness) else found
    check_names([*summary.figures, *summary.aside])
    if isinstance(found, Fairness):
        check_names(chain(found.figures, *(field.figures for field in found.fields)))
    return found


def _conclude(request: Request, play: Play) -> Summary | Fairness:
    if request.command == "fairness":
        return study_of(request.game).conclude(request, play)
    sequence = request.sequence()
    main = play("main", request.experiment(), sequence)
    summary = summarize(main, request.find_game(), sequence)
    return study_of(request.game).enrich(request, summary, play)


def answer_saved(saved: SavedRun) -> Answer:
    """The answer that a saved run gives, without playing.

    Raises
    ------
    ResultsError
        If not even its main part can be read.
    """
    request = Request.from_json(saved.identity.get("request", {}))
    archive = Archive(saved)
    try:
        with telling_of(saved.path):
            result = conclude(request, archive)
    except NotPlayed as reason:
        raise ResultsError(f"nothing can be reported from {str(saved.path)!r}: {reason}") from None
    return Answer(request, result, tuple(archive.parts), tuple(archive.problems))
