"""Ways to play Switch 16: risk, green and block policies, one idea each."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.compilation import kernel, row_kernel
from analyzer.contracts import Parameter, Rules, Strategy
from analyzer.exact.dice import ThrowTable, throw_table
from analyzer.games.switch16 import NEVER
from analyzer.narrow import right
from analyzer.random import bounded

Choices = NDArray[np.uint8]
Words = NDArray[np.uint64]

TILE = 1024
ONE = np.uint64(1)

# --- risk: throw again? --------------------------------------------------------------------------


@kernel
def _by_top(view: Any, params: Any, words: Any, out: Choices) -> None:
    """Throw again where the bit of the top card is set, for open or protected decks."""
    _look_up(params[0], params[1], view.top[0], view.protected[0], out)


@row_kernel
def _look_up(
    open_bits: int, safe_bits: int, top: Choices, protected: Choices, out: Choices
) -> None:
    open_tops = np.uint32(open_bits)
    safe_tops = np.uint32(safe_bits)
    for g in range(out.size):
        tops = safe_tops if protected[g] else open_tops
        out[g] = np.uint8(right(tops, np.uint32(top[g])) & np.uint32(1))


def _tops_where(rules: Rules, wanted: Callable[[ThrowTable, int, int], bool]) -> tuple[int, int]:
    """Bit masks by top card, of an open and of a protected deck, where ``wanted`` holds.

    ``wanted`` gets the exact chances, the top card and where a bust puts the deck back.
    """
    cards = rules["cards"]
    dice = {int(start): count for start, count in rules["dice"].items()}
    table = throw_table(cards, dice, rules["faces"])
    return tuple(  # type: ignore[return-value]
        sum(1 << top for top in range(1, cards + 1) if wanted(table, top, back))
        for back in (1, rules["milestone_resume"])
    )


def _prepare_threshold(rules: Rules, params: tuple[Any, ...]) -> tuple[int, int]:
    least = Fraction(Decimal(repr(params[0])))
    return _tops_where(rules, lambda table, top, back: table.success(top) >= least)


def _prepare_greedy(rules: Rules, params: tuple[Any, ...]) -> tuple[int, int]:
    return _tops_where(rules, lambda table, top, back: table.expected_change(top, back) > 0)


def _prepare_to_milestone(rules: Rules, params: tuple[Any, ...]) -> tuple[int, int]:
    return _tops_where(rules, lambda table, top, back: top <= rules["milestone"])


def _prepare_protected(rules: Rules, params: tuple[Any, ...]) -> tuple[int, int]:
    return 0, _tops_where(rules, lambda table, top, back: True)[1]


def _prepare_always(rules: Rules, params: tuple[Any, ...]) -> tuple[int, int]:
    return _tops_where(rules, lambda table, top, back: True)


def _prepare_never(rules: Rules, params: tuple[Any, ...]) -> tuple[int, int]:
    return 0, 0


def _risk(name: str, idea: str, prepare: Any, *parameters: Parameter) -> Strategy:
    return Strategy(
        game="switch16",
        family="risk",
        name=name,
        idea=idea,
        hooks={"risk": _by_top},
        prepare=prepare,
        parameters=parameters,
    )


never_risk = _risk("never", "Takes what the first throw gives.", _prepare_never)
always = _risk("always", "Throws until it wins, busts, or the die ends the turn.", _prepare_always)
threshold = _risk(
    "threshold",
    "Throws again while the next throw clears the top card with at least a given probability.",
    _prepare_threshold,
    Parameter("q", "float", 0.5, "least probability of clearing the top card", 0, 1),
)
greedy = _risk(
    "greedy",
    "Throws again while one more throw moves the top card forward on average.",
    _prepare_greedy,
)
to_milestone = _risk(
    "to-milestone", "Throws again until the deck is protected, then stops.", _prepare_to_milestone
)
protected = _risk(
    "protected", "Throws again only when the deck cannot fall far.", _prepare_protected
)

# --- green: swap decks? --------------------------------------------------------------------------


@kernel
def _swap_with_leader(view: Any, params: Any, words: Any, out: Choices) -> None:
    """Row of the highest top card among those who do not hold the disc, if higher than mine."""
    best = np.empty(TILE, np.uint8)
    for start in range(0, out.size, TILE):
        end = min(start + TILE, out.size)
        highest = best[: end - start]
        _begin_with(view.top[0, start:end], highest, out[start:end])
        for d in range(1, view.players):
            _compare(d, view.top[d, start:end], view.disc[start:end], highest, out[start:end])


@row_kernel
def _begin_with(mine: Choices, highest: Choices, choice: Choices) -> None:
    for g in range(mine.size):
        highest[g] = mine[g]
        choice[g] = 0


@row_kernel
def _compare(d: int, top: Choices, disc: Choices, highest: Choices, choice: Choices) -> None:
    """Choose row d where it is higher than the highest so far, and does not hold the disc."""
    row = np.uint8(d)
    holder = np.uint8(1 + d)
    for g in range(top.size):
        shown = top[g]
        best = highest[g]
        before = choice[g]
        free = np.uint8(0) if disc[g] == holder else shown
        choice[g] = row if free > best else before
        highest[g] = max(best, free)


@kernel
def _swap_with_anybody(view: Any, params: Any, words: Any, out: Choices) -> None:
    """A uniform choice of the rows that do not hold the disc."""
    _any_but_holder(view.players, view.disc, words, out)


@row_kernel
def _any_but_holder(players: int, disc: Choices, words: Words, choice: Choices) -> None:
    others = np.uint64(players - 1)
    for g in range(choice.size):
        place = np.uint64(disc[g])
        held_by_other = (place > np.uint64(1)) & (place <= np.uint64(players))
        willing = others - np.uint64(held_by_other)
        chosen = bounded(words[g], willing) + ONE
        # The rows from the holder's on move up by one.
        beyond = held_by_other & (chosen + ONE >= place)
        chosen = chosen + ONE if beyond else chosen
        choice[g] = np.uint8(chosen) if willing != 0 else np.uint8(0)


never_swap = Strategy(
    game="switch16",
    family="green",
    name="never",
    idea="Keeps its deck and uses the numbers.",
    hooks={},
)
leader = Strategy(
    game="switch16",
    family="green",
    name="leader",
    idea="Takes the deck that is furthest ahead, if it is ahead of its own.",
    hooks={"swap": _swap_with_leader},
)
random = Strategy(
    game="switch16",
    family="green",
    name="random",
    idea="Swaps with anybody who cannot refuse, each with the same chance.",
    hooks={"swap": _swap_with_anybody},
    stochastic=frozenset({"swap"}),
)

# --- block: take the disc, lay the disc ----------------------------------------------------------


@kernel
def _take_unless_ahead(view: Any, params: Any, words: Any, out: Choices) -> None:
    """Leave the disc on a deck that is ahead of mine."""
    out[:] = 1
    for d in range(1, view.players):
        _leave(1 + view.players + d, view.top[d], view.top[0], view.disc, out)


@row_kernel
def _leave(place: int, top: Choices, mine: Choices, disc: Choices, take: Choices) -> None:
    """Leave the disc in its place where the deck there is ahead of mine."""
    here = np.uint8(place)
    for g in range(take.size):
        before = take[g]
        wanted = np.uint8(0) if top[g] > mine[g] else before
        take[g] = wanted if disc[g] == here else before


@kernel
def _lay_against(view: Any, params: Any, words: Any, out: Choices) -> None:
    """Lay the disc before the first card of a throw that could clear card k or a higher one."""
    out[:] = NEVER
    for d in range(1, view.players):
        _deny(d, params[0], view.mover, view.top[d], view.going, out)


@row_kernel
def _deny(
    d: int, card: int, mover: Choices, top: Choices, going: Choices, lay: Choices
) -> None:
    """Stop row d where its throw reaches a card."""
    row = np.uint8(d)
    first = np.uint8(card)
    for g in range(lay.size):
        before = lay[g]
        beyond = np.uint8(top[g] + going[g])
        stops = np.uint8(0) if beyond > first else before
        lay[g] = stops if mover[g] == row else before


hold = Strategy(
    game="switch16",
    family="block",
    name="hold",
    idea="Takes the disc whenever it can and keeps it, so as not to be swapped with.",
    hooks={},
)
deny = Strategy(
    game="switch16",
    family="block",
    name="deny",
    idea="Lays the disc on a deck about to clear a given card, and leaves it on decks ahead.",
    hooks={"take": _take_unless_ahead, "lay": _lay_against},
    parameters=(
        Parameter("k", "int", 16, "lowest card whose clearing is to be stopped", 1, 30),
    ),
)
