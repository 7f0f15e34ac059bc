"""Asking strategies for decisions, and saying clearly what went wrong when they fail."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.compilation import is_compiled, prepared
from analyzer.contracts import BoundStrategy, GameNumbers
from analyzer.errors import PluginError, StrategyFailed, told

__all__ = ["SeatedStrategy"]


Numbers = Callable[[], NDArray[np.uint64]]
"""Tells the game numbers of columns."""

BROKEN = (Exception, SystemExit)
"""What a broken hook may raise; one that leaves the program would seem to have ended it well."""


class _GuardedRow(np.ndarray[Any, Any]):
    """The ``out`` row of a plain NumPy hook: refuses values that a cast would silently change."""

    def __setitem__(self, where: Any, value: Any) -> None:
        given = np.asarray(value)
        if given.dtype.kind not in "iub":
            raise TypeError(f"out takes whole numbers; it was given {given.dtype} values")
        if given.size and (given.min() < 0 or given.max() > np.iinfo(self.dtype).max):
            raise ValueError(f"out takes values from 0 to {np.iinfo(self.dtype).max}")
        super().__setitem__(where, given)


class SeatedStrategy:
    """A strategy in its seat for the batch at hand.

    Attributes
    ----------
    strategy
        Who decides.
    games
        Game number of each column, for messages; set anew for each batch.
    """

    def __init__(self, strategy: BoundStrategy) -> None:
        self.strategy = strategy
        # Asked thousands of times a second: what never changes is looked up once.
        self._quick = {
            decision: (hook, strategy.params[decision])
            for decision, hook in strategy.hooks.items()
            if is_compiled(hook) and not strategy.expensive
        }
        self.games: GameNumbers = np.zeros(0, np.uint64)

    def decide(
        self,
        decision: str,
        view: Any,
        words: Any,
        out: NDArray[Any],
        games: Numbers | None = None,
    ) -> None:
        """Fill ``out`` with one decision a column.

        Columns are the games of the batch unless ``games`` tells their numbers.

        Raises
        ------
        PluginError
            If a compiled hook does not compile for this view.
        StrategyFailed
            If the hook raises; names the lowest game whose column alone makes it raise.
        """
        out.fill(0)
        if decision in self._quick:
            hook, params = self._quick[decision]
            try:
                hook(view, params, words, out)
            except BROKEN as error:
                self._explain(decision, view, words, out, None, games, error)
            return
        if self.strategy.expensive:
            asking = np.flatnonzero(view.active)
            if asking.size == 0:
                return
            dense_out = np.zeros(asking.size, out.dtype)
            dense_words = None if words is None else words[asking]
            if dense_words is not None:
                dense_words.flags.writeable = False
            self._call(decision, dense(view, asking), dense_words, dense_out, asking, games)
            out[asking] = dense_out
        else:
            self._call(decision, view, words, out, None, games)

    def question(
        self,
        decision: str,
        view: Any,
        words: Any,
        out: NDArray[Any],
        games: Numbers | None = None,
    ) -> Callable[[], None]:
        """`decide` about the same arrays again and again, whatever they hold each time.

        Raises
        ------
        PluginError
            If a compiled hook does not compile for this view.
        """
        if decision not in self._quick:
            return partial(self.decide, decision, view, words, out, games)
        hook, params = self._quick[decision]
        try:
            call = prepared(hook, view, params, words, out)
        except Exception as error:
            self._explain(decision, view, words, out, None, games, error)
            raise

        def ask() -> None:
            out.fill(0)
            try:
                call()
            except Exception as error:
                self._explain(decision, view, words, out, None, games, error)

        return ask

    def _call(
        self,
        decision: str,
        view: Any,
        words: Any,
        out: NDArray[Any],
        columns: NDArray[np.int64] | None,
        games: Numbers | None,
    ) -> None:
        hook = self.strategy.hooks[decision]
        params = self.strategy.params[decision]
        if is_compiled(hook):
            try:
                hook(view, params, words, out)
            except BROKEN as error:
                self._explain(decision, view, words, out, columns, games, error)
            return
        row = out.view(_GuardedRow)
        try:
            with np.errstate(invalid="raise"):
                hook(view, params, words, row)
        except BROKEN as error:
            self._explain(decision, view, words, row, columns, games, error)

    def _does_not_compile(self, decision: str, error: BaseException) -> str:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = next(
            (line for line in lines if "rror" not in line[:12]),
            lines[0] if lines else "",
        )
        hint = (
            " Parts of the view are None unless the strategy declares that it sees them."
            if "none" in str(error).lower()
            else ""
        )
        return (
            f"strategy {self.strategy.spec!r}: its compiled hook {decision!r} does not compile: "
            f"{reason}{hint}"
        )

    def _explain(
        self,
        decision: str,
        view: Any,
        words: Any,
        out: NDArray[Any],
        columns: NDArray[np.int64] | None,
        games: Numbers | None,
        error: BaseException,
    ) -> None:
        """Find the lowest game that makes the hook raise alone, and report it."""
        if type(error).__module__.startswith("numba"):
            raise PluginError(self._does_not_compile(decision, error)) from error
        hook = self.strategy.hooks[decision]
        params = self.strategy.params[decision]
        asking = np.flatnonzero(view.active)
        first = int(asking[0]) if asking.size else 0
        culprit, cause = first, error
        for column in asking[:4096]:
            one = np.array([column])
            try:
                with np.errstate(invalid="raise"):
                    word = None if words is None else words[one]
                    hook(dense(view, one), params, word, out[one])
            except BROKEN as alone:
                culprit, cause = int(column), alone
                break
        lane = culprit if columns is None else int(columns[culprit])
        numbers = self.games if games is None else games()
        game = int(numbers[lane]) if lane < numbers.size else 0
        tell = getattr(numbers, "moment", None)
        where = f"{tell(lane, decision)}, " if tell else _place_in_game(view)
        raise StrategyFailed(
            self.strategy.spec,
            game,
            f"{where}decision {decision!r}",
            f"its hook raised {type(cause).__name__}: {told(cause)}",
        ) from error


def _place_in_game(view: Any) -> str:
    """The counters of a view, in words: ``"round 2, hand 5, "``."""
    named = [(name, getattr(view, name, None)) for name in ("round", "hand", "turn")]
    return "".join(f"{name} {value + 1}, " for name, value in named if isinstance(value, int))


def dense(view: Any, columns: NDArray[np.int64]) -> Any:
    """A view of the given columns only, copied together; its arrays are read-only too."""
    fields = {}
    for name, value in view._asdict().items():
        fields[name] = value
        if isinstance(value, np.ndarray):
            copy = np.ascontiguousarray(value[..., columns])
            copy.flags.writeable = False
            fields[name] = copy
    return type(view)(**fields)
