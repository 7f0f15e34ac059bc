"""Ways to play Lowball."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Parameter, Rules, Strategy
from analyzer.kernels.compilation import kernel
from analyzer.kernels.random import bounded
from lowball.state import View

__all__ = ["any_number", "low", "unnamed"]

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]


@kernel
def name_any(view: View, params: tuple[()], words: Words, out: Bytes) -> None:
    """Any number, each as likely."""
    for g in range(out.size):
        out[g] = 1 + bounded(words[g], view.numbers)


@kernel
def name_low(view: View, params: tuple[Words], words: Words, out: Bytes) -> None:
    """One number higher for every limit that the word reaches."""
    (limits,) = params
    for g in range(out.size):
        number = 1
        for limit in limits:
            number += words[g] >= limit
        out[g] = number


def limits_of(rules: Rules, params: tuple[float]) -> tuple[Words]:
    """For each number but the highest, the words below which it or a lower one is named."""
    (chance,) = params
    reached = [1 - (1 - chance) ** number for number in range(1, rules["numbers"])]
    return (np.array([min(int(share * 2**64), 2**64 - 1) for share in reached], np.uint64),)


def name_unnamed(view: View, params: tuple[()], words: None, out: Any) -> None:
    """The lowest number that no other player named in the round before."""
    number = np.ones(out.size, np.uint8)
    for _ in range(1, view.players):
        number += (view.named[1:] == number).any(axis=0)
    out[:] = np.minimum(number, view.numbers)


any_number = Strategy(
    game="lowball",
    name="any-number",
    idea="Names any number, each as likely.",
    hooks={"number": name_any},
    stochastic=frozenset({"number"}),
)

low = Strategy(
    game="lowball",
    name="low",
    idea="Names 1 with some probability, else 2 with the same, and so on: low, and hard to guess.",
    hooks={"number": name_low},
    stochastic=frozenset({"number"}),
    parameters=(
        Parameter(
            "chance", "float", 0.4563, "probability of a number if it is no lower one", 0.01, 0.99
        ),
    ),
    prepare=limits_of,
    origin="The equilibrium of three players who may name any number; the game with one round is "
    "studied as LUPI (Simon 2023, Am. Math. Monthly 130:403).",
    claims={"any-number": 0.7},
)

unnamed = Strategy(
    game="lowball",
    name="unnamed",
    idea="Names the lowest number that nobody else named in the round before.",
    hooks={"number": name_unnamed},
    claims={"any-number": 0.8},
)
