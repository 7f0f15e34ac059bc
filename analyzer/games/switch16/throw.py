"""A throw of Switch 16: the dice, the sums that they make, and the cards that could go.

All throws there may be are numbered from 0, in the order of the first die, then the second and so
on, last the Switch die. A word chooses a number; the number becomes a fraction of 2^16 or 2^32 that
lies between the start of this throw's share and the start of the next one's, so that multiplying by
the number of faces gives die after die.

Every operand is read before a condition chooses between them, here as in all kernels of the game,
so that the loops become vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Rules
from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.decisions import mark_on_face
from analyzer.games.switch16.rules import Facts, most_throws
from analyzer.games.switch16.state import (
    BLANK,
    TILE,
    TURN_SHIFT,
    Bytes,
    Halves,
    Policies,
    Scratch,
    Shorts,
    State,
    Words,
)
from analyzer.kernels.compilation import part_kernel, row_kernel
from analyzer.kernels.narrow import (
    add,
    bit_count,
    both,
    either,
    left,
    rest_of_product,
    right,
    whole_of_product,
    without,
)
from analyzer.kernels.random import GAMMA, bounded, mix64
from analyzer.kernels.rows import fill


def dice_of(word: int, rules: Rules, thrown: int) -> list[int]:
    """The numbered dice that a throw's word stands for, as many as are thrown."""
    throws = most_throws(rules)
    number = word * throws >> 64
    dice = []
    for _ in range(thrown):
        throws //= rules["faces"]
        value, number = divmod(number, throws)
        dice.append(value + 1)
    return dice


@row_kernel
def _draw(keys: Words, turn: Shorts, thrown: Bytes, throws: int, chosen: NDArray[Any]) -> None:
    """Choose the number of a throw."""
    for g in range(keys.size):
        number = (np.uint64(turn[g]) << np.uint64(TURN_SHIFT)) | np.uint64(thrown[g])
        chosen[g] = bounded(mix64(keys[g] + number * GAMMA), throws)


@row_kernel
def _no_dice(fractions: NDArray[Any], step: int, rest: int, made: NDArray[Any]) -> None:
    """Make fractions of the numbers of throws, see `share_of_a_throw`; no die is thrown yet."""
    times, more = made.dtype.type(step), made.dtype.type(rest)
    one = made.dtype.type(1)
    for g in range(made.size):
        number = add(fractions[g], one)
        fractions[g] = add(rest_of_product(number, times), whole_of_product(number, more))
        made[g] = 0


@row_kernel
def _first_three_dice(
    fractions: NDArray[Any], step: int, rest: int, faces: int, made: NDArray[Any]
) -> None:
    """Make fractions of the numbers of throws and take three dice off them.

    Bit k - 1 of ``made`` is set if some of them make k.
    """
    times, more_times = made.dtype.type(step), made.dtype.type(rest)
    n = made.dtype.type(faces)
    one = made.dtype.type(1)
    for g in range(made.size):
        number = add(fractions[g], one)
        fraction = add(rest_of_product(number, times), whole_of_product(number, more_times))
        bits = left(one, whole_of_product(fraction, n))
        fraction = rest_of_product(fraction, n)
        more = left(either(add(bits, bits), one), whole_of_product(fraction, n))
        bits = either(bits, more)
        fraction = rest_of_product(fraction, n)
        more = left(either(add(bits, bits), one), whole_of_product(fraction, n))
        bits = either(bits, more)
        fractions[g] = rest_of_product(fraction, n)
        made[g] = bits


@row_kernel
def _add_die(
    fractions: NDArray[Any], faces: int, dice: Bytes, index: int, made: NDArray[Any]
) -> None:
    """Take a die off the fractions, and add it to what can be made where it is thrown."""
    n = made.dtype.type(faces)
    one = made.dtype.type(1)
    before = np.uint8(index)
    for g in range(made.size):
        fraction = fractions[g]
        bits = made[g]
        more = left(either(add(bits, bits), one), whole_of_product(fraction, n))
        more = either(bits, more)
        made[g] = more if dice[g] > before else bits
        fractions[g] = rest_of_product(fraction, n)


@row_kernel
def _take_face(
    fractions: NDArray[Any], faces: int, green: int, red: int, block: int, live: Bytes, face: Bytes
) -> None:
    """Take the Switch die off the fractions: its first face that is green, red and block."""
    n = fractions.dtype.type(faces)
    first_green, first_red, first_block = np.uint8(green), np.uint8(red), np.uint8(block)
    for g in range(face.size):
        value = np.uint8(whole_of_product(fractions[g], n))
        kind = np.uint8(value >= first_green) + np.uint8(value >= first_red)
        kind = np.uint8(kind) + np.uint8(value >= first_block)
        face[g] = np.uint8(kind) if live[g] else np.uint8(BLANK)


@row_kernel
def _count_going(made: NDArray[Any], cards: int, top: Bytes, live: Bytes, going: Bytes) -> None:
    """How many cards from the top one on can be made without a gap."""
    one = made.dtype.type(1)
    possible = made.dtype.type((1 << cards) - 1)
    for g in range(going.size):
        rest = right(both(made[g], possible), made.dtype.type(top[g] - np.uint8(1)))
        run = np.uint8(bit_count(without(rest, add(rest, one))))
        going[g] = run if live[g] else np.uint8(0)


@row_kernel
def _tell_sums(made: NDArray[Any], cards: int, sums: Halves) -> None:
    """The sums as strategies see them: bit k = k can be made, 0 and each card's number."""
    possible = made.dtype.type((1 << cards) - 1)
    for g in range(made.size):
        sums[g] = (np.uint32(both(made[g], possible)) << np.uint32(1)) | np.uint32(1)


@row_kernel
def _count_dice(top: Bytes, first: int, number: int, dice: Bytes) -> None:
    """So many dice from a top card on."""
    card = np.uint8(first)
    many = np.uint8(number)
    for g in range(top.size):
        fewer = dice[g]
        dice[g] = many if top[g] >= card else fewer


@part_kernel
def throw_tile(
    tile: slice, state: State, facts: Facts, policies: Policies, scratch: Scratch
) -> None:
    """Throw: GOING, FACE and, where wanted, the sums that the dice make."""
    part = scratch.fractions[: tile.stop - tile.start]
    made = scratch.made[: tile.stop - tile.start]
    dice = state.rows[at.DICE, tile]
    live = state.rows[at.LIVE, tile]
    turn, thrown = state.shorts[at.TURN, tile], state.rows[at.THROWN, tile]
    _draw(state.keys[tile], turn, thrown, facts.throws, part)
    begun = 0
    if facts.fewest_dice >= 3:
        _first_three_dice(part, facts.step, facts.rest, facts.faces, made)
        begun = 3
    else:
        _no_dice(part, facts.step, facts.rest, made)
    for i in range(begun, facts.most_dice):
        _add_die(part, facts.faces, dice, i, made)
    _take_face(
        part, facts.switch_faces, facts.first_green, facts.first_red, facts.first_block, live,
        state.rows[at.FACE, tile],
    )  # fmt: skip
    _count_going(made, facts.cards, state.rows[at.TOP, tile], live, state.rows[at.GOING, tile])
    if policies.see_throw:
        _tell_sums(made, facts.cards, state.sums[tile])


@part_kernel
def call_for_dice(tile: slice, state: State, facts: Facts) -> None:
    """How many dice the movers' top cards call for."""
    steps = facts.dice_steps
    dice = state.rows[at.DICE, tile]
    fill(dice, steps[0, 1])
    for k in range(1, steps.shape[0]):
        _count_dice(state.rows[at.TOP, tile], steps[k, 0], steps[k, 1], dice)


@row_kernel
def throw_kernel(state: State, facts: Facts, policies: Policies, scratch: Scratch) -> None:
    """Throw in every lane and mark the decisions that the Switch die brings."""
    for start in range(0, state.keys.size, TILE):
        tile = slice(start, min(start + TILE, state.keys.size))
        throw_tile(tile, state, facts, policies, scratch)
        mark_on_face(tile, state, policies, facts.players)
