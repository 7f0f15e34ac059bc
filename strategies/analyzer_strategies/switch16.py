"""Ways to play Switch 16: risk, green and block policies, one idea each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Parameter, Rules, Strategy
from analyzer.errors import AnalyzerError, PluginError, UsageError
from analyzer.games.switch16.exact.dice import ThrowTable, throw_table
from analyzer.games.switch16.exact.states import SINGLE_GAME, Setup
from analyzer.games.switch16.policies import (
    NEVER,
    lay_from_card,
    risk_by_top,
    swap_with_anybody,
    swap_with_leader,
    take_unless_ahead,
)
from analyzer.kernels.compilation import kernel

if TYPE_CHECKING:
    from analyzer.games.switch16.exact.policies import PolicyTable

Choices = NDArray[np.uint8]

# --- risk: throw again? --------------------------------------------------------------------------


def _tops_where(rules: Rules, wanted: Callable[[ThrowTable, int, int], bool]) -> tuple[int, int]:
    """Bit masks by top card, of an open and of a protected deck, where ``wanted`` holds.

    ``wanted`` gets the exact chances, the top card and where a bust puts the deck back.
    """
    cards = rules["cards"]
    dice = {int(start): count for start, count in rules["dice"].items()}
    table = throw_table(cards, dice, rules["faces"])
    opened, protected = (
        sum(1 << top for top in range(1, cards + 1) if wanted(table, top, back))
        for back in (1, rules["milestone_resume"])
    )
    return opened, protected


def _prepare_threshold(rules: Rules, params: tuple[Any, ...]) -> tuple[int, int]:
    return _tops_above(rules, Fraction(Decimal(repr(params[0]))))


def _tops_above(rules: Rules, least: Fraction) -> tuple[int, int]:
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


def _risk(name: str, idea: str, plain: str, prepare: Any, *parameters: Parameter) -> Strategy:
    return Strategy(
        game="switch16",
        family="risk",
        name=name,
        idea=idea,
        plain=plain,
        hooks={"risk": risk_by_top},
        prepare=prepare,
        parameters=parameters,
    )


never_risk = _risk(
    "never", "Takes what the first throw gives.", "never throwing again", _prepare_never
)
always = _risk(
    "always",
    "Throws until it wins, busts, or the die ends the turn.",
    "always throwing again",
    _prepare_always,
)
threshold = _risk(
    "threshold",
    "Throws again while the next throw clears the top card with at least a given probability.",
    "throwing again at good odds",
    _prepare_threshold,
    Parameter("q", "float", 0.5, "least probability of clearing the top card", 0, 1),
)
greedy = _risk(
    "greedy",
    "Throws again while one more throw moves the top card forward on average.",
    "throwing again while that gains cards on average",
    _prepare_greedy,
)
to_milestone = _risk(
    "to-milestone",
    "Throws again until the deck is protected, then stops.",
    "throwing again until protected",
    _prepare_to_milestone,
)
protected = _risk(
    "protected",
    "Throws again only when the deck cannot fall far.",
    "throwing again only if protected",
    _prepare_protected,
)

# --- green: swap decks? --------------------------------------------------------------------------


never_swap = Strategy(
    game="switch16",
    family="green",
    name="never",
    idea="Keeps its deck and uses the numbers.",
    plain="never swapping",
    hooks={},
)
leader = Strategy(
    game="switch16",
    family="green",
    name="leader",
    idea="Takes the deck that is furthest ahead, if it is ahead of its own.",
    plain="swapping with the leader",
    hooks={"swap": swap_with_leader},
)
random = Strategy(
    game="switch16",
    family="green",
    name="random",
    idea="Swaps with anybody who cannot refuse, each with the same chance.",
    plain="swapping with anybody",
    hooks={"swap": swap_with_anybody},
    stochastic=frozenset({"swap"}),
)

# --- block: take the disc, lay the disc ----------------------------------------------------------


hold = Strategy(
    game="switch16",
    family="block",
    name="hold",
    idea="Takes the disc whenever it can and keeps it, so as not to be swapped with.",
    plain="keeping the Block disc",
    hooks={},
)
deny = Strategy(
    game="switch16",
    family="block",
    name="deny",
    idea="Lays the disc on a deck about to clear a given card, and leaves it on decks ahead.",
    plain="laying the Block disc on others",
    hooks={"take": take_unless_ahead, "lay": lay_from_card},
    parameters=(Parameter("k", "int", 16, "lowest card whose clearing is to be stopped", 1, 30),),
)

# --- beyond the baselines ------------------------------------------------------------------------


@kernel
def _by_leader(view: Any, params: Any, words: Any, out: Choices) -> None:
    """Throw again where the bit of my top card is set for the top card of the leading opponent."""
    tops = params[0]
    last = tops.size - 1
    for g in range(out.size):
        leader = 0
        for d in range(1, view.players):
            leader = max(leader, int(np.int64(view.top[d, g])))
        allowed = tops[min(leader, last)]
        out[g] = np.uint8((allowed >> np.uint64(view.top[0, g])) & np.uint64(1))


def _prepare_chase(rules: Rules, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """(cards + 2,) uint64 by the leader's top card: bits of my top cards with which to go on."""
    cards = rules["cards"]
    patience = Fraction(Decimal(repr(params[0])))
    masks = np.zeros(cards + 2, np.uint64)
    for leader in range(cards + 2):
        least = patience * Fraction(max(cards + 1 - leader, 0), cards)
        masks[leader] = _tops_above(rules, least)[0]
    return (masks,)


chase = Strategy(
    game="switch16",
    family="risk",
    name="chase",
    idea="Wants less certainty of clearing the top card the closer the leading opponent is to "
    "winning: what is saved by stopping is worth little to who loses.",
    plain="throwing again, more so behind",
    hooks={"risk": _by_leader},
    prepare=_prepare_chase,
    parameters=(
        Parameter(
            "q", "float", 0.5, "least probability while the leading opponent shows card 1", 0, 1
        ),
    ),
    claims={"greedy/leader/deny": 0.285},
)


@kernel
def _swap_for_more(view: Any, params: Any, words: Any, out: Choices) -> None:
    """Row of the deck that promises most, if it promises more than mine does with this throw."""
    worth, margin, resume = params
    last = worth.size - 1
    players = np.int64(view.players)
    for g in range(out.size):
        disc = np.int64(view.disc[g])
        going = np.int64(view.going[g])
        mine = np.int64(view.top[0, g])
        if disc == players + 1:
            going = np.int64(0)
        elif going == 0 and view.thrown[g] > 0:
            mine = np.int64(resume if view.protected[0, g] else 1)
        mine = min(mine + going, last)
        choice = 0
        if mine < last:  # else this throw wins
            best = worth[mine] + margin
            for d in range(1, players):
                top = np.int64(view.top[d, g])
                if disc == d + 1 or top > last:
                    continue
                promise = float(top) if disc == players + 1 + d else worth[top]
                if promise > best:
                    best = promise
                    choice = d
        out[g] = np.uint8(choice)


def _prepare_ahead(rules: Rules, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """(cards + 2,) float64: each top card plus what the dice thrown for it clear on average."""
    cards = rules["cards"]
    dice = {int(start): count for start, count in rules["dice"].items()}
    table = throw_table(cards, dice, rules["faces"])
    worth = np.arange(cards + 2, dtype=np.float64)
    for top in range(1, cards + 1):
        chances = table.cleared[top - 1]
        worth[top] += float(sum(gone * chance for gone, chance in enumerate(chances)))
    return worth, float(params[0]), int(rules["milestone_resume"])


ahead = Strategy(
    game="switch16",
    family="green",
    name="ahead",
    idea="Compares what decks promise: their top card and what the dice thrown for it clear on "
    "average, nothing more for a blocked deck; its own after the cards this throw clears.",
    plain="swapping for the deck that promises most",
    hooks={"swap": _swap_for_more},
    sees=("throw", "time"),
    prepare=_prepare_ahead,
    parameters=(
        Parameter("margin", "float", 2.0, "cards that a swap has to promise at least", -30, 30),
    ),
    claims={"greedy/leader/deny": 0.26},
)


@kernel
def _lay_on_leader(view: Any, params: Any, words: Any, out: Choices) -> None:
    """Before the first card, if the throw would clear card k and lead among my opponents."""
    card = np.int64(params[0])
    players = np.int64(view.players)
    for g in range(out.size):
        mover = np.int64(view.mover[g])
        after = np.int64(view.top[mover, g]) + np.int64(view.going[g])
        leads = bool(after > card)
        for d in range(1, players):
            if d != mover and after <= np.int64(view.top[d, g]):
                leads = False
        wins = after > view.cards
        out[g] = np.uint8(0) if wins or leads else np.uint8(NEVER)


@kernel
def _lay_early(view: Any, params: Any, words: Any, out: Choices) -> None:
    """Before the turn of the opponent who leads, if that deck shows a given card or a higher one.

    Only a deck ahead of mine is worth it; of equals the mover's.
    """
    early = np.int64(params[1])
    players = np.int64(view.players)
    for g in range(out.size):
        mover = np.int64(view.mover[g])
        top = np.int64(view.top[mover, g])
        leads = bool(mover != 0 and top >= early and top > np.int64(view.top[0, g]))
        for d in range(1, players):
            if np.int64(view.top[d, g]) > top:
                leads = False
        out[g] = np.uint8(mover) if leads else np.uint8(0)


strike = Strategy(
    game="switch16",
    family="block",
    name="strike",
    idea="Always takes the disc, keeps it for a throw that would carry its mover ahead of the "
    "other opponents, and lays it then before the first card goes: earlier it would know less.",
    plain="laying the Block disc as late as it can",
    hooks={"lay": _lay_on_leader, "lay_between": _lay_early},
    parameters=(
        Parameter("k", "int", 8, "lowest card whose clearing is to be stopped", 1, 30),
        Parameter(
            "early",
            "int",
            31,
            "lowest top card of the leader that is blocked before the turn begins; 31 = none",
            1,
            31,
        ),
    ),
    claims={"greedy/leader/deny": 0.253},
)

# --- whole strategies: solved tables -------------------------------------------------------------


@kernel
def _decks_number(view: Any, size: int, shift: int, g: int) -> int:
    """Number of the decks' position as the exact solver counts, my deck leading.

    Where nothing is asked a deck may have run out, so its code is kept in range.
    """
    number = 0
    for d in range(view.players):
        code = int(np.int64(view.top[d, g])) - 1 + int(np.int64(view.protected[d, g])) * shift
        number = number * size + min(max(code, 0), size - 1)
    return number


@kernel
def _throw_number(going: int, thrown: int, cards: int) -> int:
    """What the numbers would do: nothing (0), clear 1 .. cards cards, or be a bust.

    Takes numbers, since handing a view to a function costs more than all the rest.
    """
    return cards + 1 if going == 0 and thrown > 0 else going


@kernel
def _look_up_risk(view: Any, params: Any, words: Any, out: Choices) -> None:
    table, _, _, _, _, size, shift, _ = params
    for g in range(out.size):
        out[g] = table[view.disc[g], _decks_number(view, size, shift, g)]


@kernel
def _look_up_swap(view: Any, params: Any, words: Any, out: Choices) -> None:
    _, table, _, _, _, size, shift, _ = params
    for g in range(out.size):
        decks = _decks_number(view, size, shift, g)
        throw = _throw_number(int(view.going[g]), int(view.thrown[g]), view.cards)
        out[g] = table[view.disc[g], decks, throw]


@kernel
def _look_up_take(view: Any, params: Any, words: Any, out: Choices) -> None:
    _, _, table, _, _, size, shift, _ = params
    for g in range(out.size):
        decks = _decks_number(view, size, shift, g)
        throw = _throw_number(int(view.going[g]), int(view.thrown[g]), view.cards)
        out[g] = table[view.disc[g], decks, throw]


@kernel
def _look_up_lay(view: Any, params: Any, words: Any, out: Choices) -> None:
    _, _, _, table, _, size, shift, _ = params
    for g in range(out.size):
        out[g] = table[view.mover[g], _decks_number(view, size, shift, g), view.going[g]]


@kernel
def _look_up_place(view: Any, params: Any, words: Any, out: Choices) -> None:
    _, _, _, _, table, size, shift, _ = params
    for g in range(out.size):
        out[g] = table[view.mover[g], _decks_number(view, size, shift, g)]


@kernel
def _look_up_pick(view: Any, params: Any, words: Any, out: Choices) -> None:
    _, _, _, _, _, size, shift, table = params
    for g in range(out.size):
        out[g] = table[view.disc[g], _decks_number(view, size, shift, g)]


LOOK_UPS = {
    "risk": _look_up_risk,
    "swap": _look_up_swap,
    "take": _look_up_take,
    "lay": _look_up_lay,
    "lay_between": _look_up_place,
}


def _endless(rules: Rules) -> Setup:
    """The rules for a player who does not look at the turn limit."""
    return Setup.from_rules({**rules, "max_turns": SINGLE_GAME["max_turns"]}, rules["players"])


def _prepare_optimal(rules: Rules, params: tuple[Any, ...]) -> tuple[Any, ...]:
    players = rules["players"]
    if players != 2:
        raise UsageError(
            f"the strategy optimal is solved for 2 players, and {players} are to play: with more "
            "there is no such thing as optimal play. Give --players 2, or a combination such as "
            "greedy/leader/deny:16."
        )
    if rules["match_points"]:
        raise UsageError(
            f"the strategy optimal is solved for single games, not for a match to "
            f"{rules['match_points']} points. Leave out --match-points, or play a combination "
            "such as greedy/leader/deny:16."
        )
    from analyzer.games.switch16.exact.solver import (
        equilibrium,  # compiled code that others need not load
    )

    try:
        return _tables(equilibrium(_endless(rules)).policy)
    except UsageError:
        raise
    except AnalyzerError as error:
        raise UsageError(
            f"the strategy optimal cannot be solved for these rules: {error}"
        ) from None


def _tables(policy: PolicyTable) -> tuple[Any, ...]:
    """What the look-ups of a whole strategy are given."""
    setup = policy.setup
    return (
        policy.risk,
        policy.green,
        policy.block,
        policy.lay,
        policy.place,
        setup.decks,
        setup.shift,
        policy.red,
    )


optimal = Strategy(
    game="switch16",
    name="optimal",
    idea="Plays the solved game for two: nobody can win more than half of the games against it.",
    hooks=LOOK_UPS,
    sees=("throw", "time"),
    prepare=_prepare_optimal,
    origin="value iteration over all positions (Shapley 1953), solved anew for the rules in force",
)


def from_table(path: Path, digest: str) -> Strategy:
    """A strategy that plays a policy table, such as a best response.

    Parameters
    ----------
    path
        What `analyzer.games.switch16.exact.policies.save_policy` wrote.
    digest
        SHA-256 of its ``.npz`` file. It is part of the strategy file's text, and so of what tells
        runs apart.

    Raises
    ------
    ResultsError
        If the table is missing or damaged.
    PluginError
        If it is another table.
    """
    from analyzer.games.switch16.exact.policies import load_policy

    policy = load_policy(path)
    content = path.with_name(path.name + ".npz").read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise PluginError(
            f"the policy table {str(path)!r} is not the one that its strategy file was written "
            "for; `analyzer report DIR` writes both anew."
        )

    def prepare(rules: Rules, params: tuple[Any, ...]) -> tuple[Any, ...]:
        setup = _endless(rules)
        if replace(setup, first_player=policy.setup.first_player) != policy.setup:
            raise UsageError(
                f"the policy table {str(path)!r} is for {policy.setup.players} players under the "
                f"rules {policy.setup.as_rules()}; play it with these, or solve again for others."
            )
        return _tables(policy)

    return Strategy(
        game="switch16",
        name="solved",
        idea=f"Plays a solved table: {policy.name}.",
        hooks={**LOOK_UPS, "pick": _look_up_pick},
        sees=("throw", "time"),
        prepare=prepare,
        origin="analyzer solve switch16",
    )
