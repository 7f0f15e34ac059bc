"""Everything `analyzer fairness` says, put together."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.contracts import Game
from analyzer.results import ResultSet
from analyzer.statistics.sequential import WinShareSequence
from analyzer.statistics.tables import Fairness, FieldFairness, Suggestion


def judge(
    main: ResultSet,
    flat: ResultSet | None,
    game: Game,
    sequence: WinShareSequence | None = None,
    suggestion: Suggestion | None = None,
    fields: Sequence[FieldFairness] = (),
) -> Fairness:
    """The verdict, the answer, and every figure behind them."""
    raise NotImplementedError


def judge_field(
    field: str, main: ResultSet, flat: ResultSet | None, game: Game
) -> FieldFairness:
    """The same figures for one more table of strategies."""
    raise NotImplementedError
