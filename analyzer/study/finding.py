"""What commands with plans of their own have in common: what is asked, and what was found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from analyzer.statistics.figures import Document, Rows
from analyzer.statistics.tables import Columns
from analyzer.study.request import Request, digest_of
from analyzer.study.stage import Part

if TYPE_CHECKING:
    import pandas as pd


class Plan(ABC):
    """What a command is asked.

    Attributes
    ----------
    base
        The request that it begins with.
    """

    base: Request

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """What two runs have in common exactly if they are the same, as plain data."""

    def digest(self) -> str:
        """Hash of the identity, the seed apart."""
        return digest_of(self.identity())

    @property
    def described(self) -> dict[str, Any]:
        """What the document says of it: the rules in force."""
        return {"rules": dict(self.base.rules)}


class Result(Protocol):
    """What statistics found for a command."""

    @property
    def answer(self) -> str:
        """Plain sentences that answer the question."""

    def document(self) -> Document:
        """As JSON."""

    def frames(self) -> Mapping[str, Rows | Columns]:
        """Every table by its name."""


P = TypeVar("P", bound=Plan)
R = TypeVar("R", bound=Result)


@dataclass(frozen=True)
class Finding(Generic[P, R]):
    """The answer of a command, and what was played for it.

    Attributes
    ----------
    plan
        What was asked.
    result
        What the statistics say.
    parts
        What was played.
    games
        How many games that were, if parts count something else.
    problems
        What is missing from it, a sentence each; empty for a finished run.
    """

    plan: P
    result: R
    parts: tuple[Part, ...]
    games: int | None = None
    problems: tuple[str, ...] = ()

    def document(self) -> Document:
        """What ``--json`` prints."""
        seconds = sum(part.seconds for part in self.parts)
        games = sum(part.games for part in self.parts) if self.games is None else self.games
        pace = games / seconds if seconds > 1e-9 else None
        return {
            **self.result.document(),
            **self.plan.described,
            "throughput": {"seconds": seconds, "games_per_second": pace},
        }

    def frames(self) -> dict[str, pd.DataFrame]:
        """Every table by its name."""
        import pandas as pd

        return {name: pd.DataFrame(table) for name, table in self.result.frames().items()}
