"""What only Switch 16 is asked: whether throwing again pays, and how exact figures compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from analyzer.statistics.figures import (
    Document,
    Rows,
    document,
    estimate_rows,
    rows,
    spelled,
    table_rows,
)
from analyzer.statistics.tables import Columns, Estimate


@dataclass(frozen=True)
class ExactFigure:
    """A simulated figure beside its exact value; ``z`` is the difference in standard errors."""

    figure: str
    exact: float
    estimate: float
    z: float


@dataclass(frozen=True)
class ExactChecks:
    """Simulated figures beside the exact solution, where there is one."""

    checks: tuple[ExactFigure, ...]

    def document(self) -> list[Document]:
        """A list of the checks."""
        return [document(check) for check in self.checks]

    def tables(self) -> dict[str, Rows | Columns]:
        """A row a check."""
        return {"exact": rows(self.checks)}


@dataclass(frozen=True)
class Risks:
    """A row for every situation in which a risk can be taken, and what each policy does there."""

    table: Columns

    def tables(self) -> dict[str, Rows | Columns]:
        """The table itself."""
        return {"risks": self.table}


@dataclass(frozen=True)
class Rival:
    """What one player of a table wins with another policy, everybody else playing as before.

    ``change`` is the difference from the player's own win share on the same chance, simultaneous
    over all policies that were tried. ``own`` marks the policy that the player has; its change is
    exactly 0.
    """

    family: str
    policy: str
    win_share: Estimate
    change: Estimate
    own: bool


Verdict = Literal["pays", "does-not-pay", "no-difference-shown", "depends-on-play", "undecided"]
"""Whether throwing again pays, by a margin, and whether that depends on how people play."""


@dataclass(frozen=True)
class Greed:
    """How games of Switch 16 go, and whether greed pays; figures as in the statistics page.

    ``turns`` has a row a turn: turn, won (share of deals won in it), decided (by the end of it),
    ahead (share of the deals still going on when it begins in which one deck alone is ahead), and
    ahead_wins, low, high (how often whoever has that deck then wins). ``busts`` has columns busts,
    players, win_share, low, high. NaN stands for what cannot be computed.
    """

    strategy: str
    """The player whose policies are varied."""
    others: tuple[str, ...]
    """Whom that player meets."""
    games: int
    rivals: tuple[Rival, ...]
    figures: Mapping[str, Estimate]
    turns: Columns
    busts: Columns
    verdict: Verdict
    """Over all tables of strategies, if there are several."""
    answer: str
    """One plain sentence; empty if nothing was compared."""
    own: tuple[str, str] | None = None
    """Verdict and answer for this table alone, if the others are about several."""

    def document(self) -> Document:
        """Its JSON, each figure under its own name."""
        found: Document = {
            "strategy": self.strategy,
            "games": self.games,
            "rivals": [document(rival) for rival in self.rivals],
        }
        for name, value in self.figures.items():
            found |= spelled(name, value)
        own = (
            {}
            if self.own is None
            else dict(zip(("own_verdict", "own_answer"), self.own, strict=True))
        )
        return found | {
            "by_turn": table_rows(self.turns, "ahead_wins"),
            "by_busts": table_rows(self.busts, "win_share"),
            "verdict": self.verdict,
            "answer": self.answer,
            **own,
        }

    def tables(self) -> dict[str, Rows | Columns]:
        """The figures in one table, and each list in one of its own."""
        return {
            "rivals": rows(self.rivals),
            "greed": estimate_rows(self.figures),
            "turns": self.turns,
            "busts": self.busts,
        }
