"""Everything that can go wrong, by whose business it is.

::

    AnalyzerError                 1   the run failed
    ├── UsageError                2   found before the first game
    │   ├── UnknownName               a game, strategy or setting nobody knows
    │   ├── RulesError                settings out of range or in contradiction
    │   ├── PluginError               a strategy or game that breaks its contract
    │   ├── OutputError               a directory we may not or cannot write
    │   └── ResultsError              a saved run that is damaged or not ours
    ├── StrategyFailed            1   a strategy broke while playing
    ├── StrategyStuck             1   a strategy did not come back within the timeout
    ├── SourcesDiffer             1   a game or strategy is not the same for all workers
    ├── WorkerLost                1   a worker process died and took its games along
    │   └── ClusterLost               a Dask scheduler cannot be reached any more
    ├── DiskFailed                1   results could not be saved while playing
    └── Interrupted             130   Ctrl-C or SIGTERM

The number is the exit code of the command line.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "AnalyzerError",
    "AnalyzerWarning",
    "ClusterLost",
    "DiskFailed",
    "DrawingFailed",
    "Interrupted",
    "OutputError",
    "PluginError",
    "ResultsError",
    "RulesError",
    "SourcesDiffer",
    "StrategyFailed",
    "StrategyStuck",
    "UnknownName",
    "UsageError",
    "WorkerLost",
    "told",
]

LONGEST = 400


def told(error: BaseException) -> str:
    """What an exception of someone else's code says, as one short line, whatever it is made of."""
    try:
        text = " ".join(str(error).split())
    except KeyboardInterrupt:
        raise
    except BaseException:
        return "(it cannot be told)"
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


class AnalyzerError(Exception):
    """The run failed; the message says what was given, what is allowed, what to do next."""

    exit_code = 1


class AnalyzerWarning(UserWarning):
    """Something is not as it should be, but changes no result: the run goes on."""


class UsageError(AnalyzerError):
    """The command line, the rules, the output path or a plugin is wrong."""

    exit_code = 2


class UnknownName(UsageError):
    """A name nobody knows, reported with the nearest known ones.

    Parameters
    ----------
    what
        The kind of thing named, such as ``"game"``.
    given
        The unknown name.
    known
        All known names.
    hint
        One more sentence: what to do next.
    """

    def __init__(self, what: str, given: str, known: Iterable[str], hint: str = "") -> None:
        names = sorted(known)
        near = difflib.get_close_matches(given, names, n=3, cutoff=0.5)
        listed = ", ".join(near or names)
        lead = "did you mean" if near else "known are"
        message = f"there is no {what} named {given!r}; {lead}: {listed or 'none'}."
        super().__init__(f"{message} {hint}".rstrip())
        self.given = given
        self._made_of = what, given, names, hint

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, list[str], str]]:
        """Travel between processes: the message alone does not make another one."""
        return UnknownName, self._made_of


class RulesError(UsageError):
    """A rule setting is unknown, mistyped, out of range or contradicts another."""


class PluginError(UsageError):
    """A strategy or a game does not keep its contract."""


class OutputError(UsageError):
    """Results cannot be written where they should go."""


class ResultsError(UsageError):
    """A saved run is missing, damaged, unfinished or another program's."""


class StrategyFailed(AnalyzerError):
    """A strategy raised, or chose what the rules forbid, during play.

    Parameters
    ----------
    strategy
        Canonical spelling of the strategy.
    game
        Index of the game, counted from 0; the lowest one affected in its batch.
    moment
        Where in the game, in the game's own terms: ``"round 2, hand 5, seat 3"``.
    what
        What was chosen and what was allowed, or the exception.
    """

    def __init__(self, strategy: str, game: int, moment: str, what: str) -> None:
        super().__init__(f"strategy {strategy!r} failed in game {game} ({moment}): {what}")
        self.strategy = strategy
        self.game = game
        self.moment = moment
        self.what = what

    def __reduce__(self) -> tuple[type[StrategyFailed], tuple[str, int, str, str]]:
        """Travel between processes with all four facts, which the message alone does not keep."""
        return StrategyFailed, (self.strategy, self.game, self.moment, self.what)


class StrategyStuck(AnalyzerError):
    """A strategy did not come back within the time that it is waited for."""


class SourcesDiffer(AnalyzerError):
    """A game or a strategy was changed while it was playing, or is another one elsewhere."""


class WorkerLost(AnalyzerError):
    """A worker process ended without an answer."""


class ClusterLost(WorkerLost):
    """The scheduler of a Dask cluster cannot be reached any more, or has no workers left."""


class DiskFailed(AnalyzerError):
    """Results could not be saved while playing: the disk is full or gone."""


class DrawingFailed(AnalyzerError):
    """Everything is played and saved, but pictures or page could not be drawn."""


class Interrupted(AnalyzerError):
    """The user stopped the run; what was finished has been kept."""

    exit_code = 130
