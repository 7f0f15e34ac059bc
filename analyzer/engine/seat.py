"""Asking strategies for decisions, and saying clearly what went wrong when they fail."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import BoundStrategy, GameNumbers
from analyzer.engine.watch import Pulse
from analyzer.errors import PluginError, StrategyFailed, told
from analyzer.kernels.calls import Call, prepared
from analyzer.kernels.compilation import is_compiled
from analyzer.kernels.rows import fill

LONGEST_REASON = 200
"""Characters of what the compiler says, which spells out types."""


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

    Parameters
    ----------
    strategy
        Who decides.
    pulse
        Is told that this strategy decides; None if nobody watches.

    Attributes
    ----------
    strategy
        Who decides.
    games
        Game number of each column, for messages; set anew for each batch.
    """

    def __init__(self, strategy: BoundStrategy, pulse: Pulse | None = None) -> None:
        self.strategy = strategy
        self._pulse = pulse or Pulse([strategy.spec])
        self._turn = self._pulse.turn
        self._number = self._pulse.number(strategy.spec)
        # Asked thousands of times a second: what never changes is looked up once.
        self._quick = {
            decision: (hook, strategy.params[decision])
            for decision, hook in strategy.hooks.items()
            if is_compiled(hook) and not strategy.expensive
        }
        self.games: GameNumbers = np.zeros(0, np.uint64)

    def decide(self, decision: str, view: Any, words: Any, out: NDArray[Any]) -> None:
        """Fill ``out`` with one decision a column.

        Raises
        ------
        PluginError
            If a compiled hook does not compile for this view.
        StrategyFailed
            If the hook raises; names the lowest game whose column alone makes it raise.
        """
        out.fill(0)
        self._turn[0] = self._number
        if decision in self._quick:
            hook, params = self._quick[decision]
            try:
                hook(view, params, words, out)
            except BaseException as error:
                self._explain(decision, view, words, out, None, error)
            return
        if self.strategy.expensive:
            asking = np.flatnonzero(view.active)
            if asking.size == 0:
                return
            dense_out = np.zeros(asking.size, out.dtype)
            dense_words = None if words is None else words[asking]
            if dense_words is not None:
                dense_words.flags.writeable = False
            self._call(decision, dense(view, asking), dense_words, dense_out, asking)
            out[asking] = dense_out
        else:
            self._call(decision, view, words, out, None)

    def question(self, decision: str, view: Any, words: Any, out: NDArray[Any]) -> Call:
        """`decide` about the same arrays again and again, whatever they hold each time.

        Raises
        ------
        PluginError
            If a compiled hook does not compile for this view.
        """
        if decision not in self._quick:
            return Call(self.decide, decision, view, words, out)
        hook, params = self._quick[decision]
        try:
            answer = prepared(hook, view, params, words, out, heeded=False)
        except Exception as error:  # compilers fail in many ways; `_explain` tells them apart
            self._explain(decision, view, words, out, None, error)
            raise

        def ask() -> None:
            out.fill(0)
            self._turn[0] = self._number
            try:
                answer()
            except BaseException as error:
                self._explain(decision, view, words, out, None, error)

        call = Call(ask)
        if answer.steps:
            told = prepared(fill, self._turn, self._number)
            call.steps = (*told.steps, *prepared(fill, out, 0).steps, *answer.steps)
        return call

    def _call(
        self,
        decision: str,
        view: Any,
        words: Any,
        out: NDArray[Any],
        columns: NDArray[np.int64] | None,
    ) -> None:
        hook = self.strategy.hooks[decision]
        params = self.strategy.params[decision]
        row = out if is_compiled(hook) else out.view(_GuardedRow)
        watched = self._pulse.since < math.inf
        if watched:
            self._pulse.beat()
        try:
            with np.errstate(invalid="raise"):
                hook(view, params, words, row)
        except BaseException as error:
            self._explain(decision, view, words, row, columns, error)
        if watched:
            self._pulse.beat()

    def _does_not_compile(self, decision: str, error: BaseException) -> str:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = next(
            (s for s in lines if "rror" not in s[:12] and not s.startswith("Failed in nopython")),
            lines[0] if lines else "",
        )
        hint = (
            " Parts of the view are None unless the strategy declares that it sees them."
            if "(none" in str(error).lower()
            else ""
        )
        return (
            f"strategy {self.strategy.spec!r}: its compiled hook {decision!r} does not compile: "
            f"{reason[:LONGEST_REASON]}{hint}"
        )

    def _explain(
        self,
        decision: str,
        view: Any,
        words: Any,
        out: NDArray[Any],
        columns: NDArray[np.int64] | None,
        error: BaseException,
    ) -> None:
        """Find the lowest game that makes the hook raise alone, and report it.

        Whatever a hook raises means that it is broken, SystemExit too, which would seem to have
        ended the program well; only Ctrl-C is none of its doing.
        """
        if isinstance(error, KeyboardInterrupt):
            raise error
        if type(error).__module__.startswith("numba"):
            raise PluginError(self._does_not_compile(decision, error)) from error
        asking = np.flatnonzero(view.active)
        if asking.size == 0:  # no column is to blame, so there is no seat or turn to name
            raise StrategyFailed(
                self.strategy.spec,
                int(self.games[0]) if self.games.size else 0,
                f"decision {decision!r}, while no game asks for it and view.active is 0",
                f"its hook raised {type(error).__name__}: {told(error)}",
            ) from error
        lanes = asking if columns is None else columns[asking]
        order = np.argsort([self._game(lane) for lane in lanes], kind="stable")
        culprit, cause = self._first_to_raise(decision, view, words, out, asking[order])
        lane = int(lanes[order[culprit]])
        together = "" if cause else ", asked for all games at once but not for some of them"
        cause = cause or error
        tell = getattr(self.games, "moment", None)
        where = f"{tell(lane, decision)}, " if tell else _place_in_game(view)
        raise StrategyFailed(
            self.strategy.spec,
            self._game(lane),
            f"{where}decision {decision!r}",
            f"its hook raised {type(cause).__name__}: {told(cause)}{together}",
        ) from error

    def _game(self, lane: int | np.int64) -> int:
        return int(self.games[int(lane)]) if lane < self.games.size else 0

    def _first_to_raise(
        self, decision: str, view: Any, words: Any, out: NDArray[Any], columns: NDArray[np.int64]
    ) -> tuple[int, BaseException | None]:
        """The first of some columns with which a hook raises, and what; or 0 and None.

        Halves what is left: a hook that raises because of one column raises with all first ones up
        to it, and with none of those before.
        """
        hook = self.strategy.hooks[decision]
        params = self.strategy.params[decision]

        def raised(count: int) -> BaseException | None:
            first = columns[:count]
            chance = None if words is None else words[first]
            try:
                with np.errstate(invalid="raise"):
                    # Guarded like the row itself, if that is.
                    answers = np.zeros(count, out.dtype).view(type(out))
                    hook(dense(view, first), params, chance, answers)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                return error
            return None

        fine, broken = 0, columns.size
        cause = raised(broken)
        while cause is not None and broken - fine > 1:
            middle = (fine + broken) // 2
            error = raised(middle)
            fine, broken, cause = (
                (middle, broken, cause) if error is None else (fine, middle, error)
            )
        return (0, None) if cause is None else (broken - 1, cause)


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
