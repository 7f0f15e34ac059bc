"""The settings of Switch 16: what may be varied, what is refused, and what kernels know of them.

Sources and assumptions are in ``docs/rules-switch16.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Rules, Setting
from analyzer.errors import RulesError
from analyzer.games.switch16.state import PURPOSE_DECIDE, PURPOSE_FIRST, PURPOSE_THROW
from analyzer.kernels.random import redrawn

FACES = ("blank", "green", "red", "block")
DEFAULT_FACES = {"blank": 3, "green": 1, "red": 1, "block": 1}
MOST_THROWS = 2**31
"""Different throws that a setting may have."""


def _whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _parse_dice(value: Any) -> dict[str, int]:
    allowed = (
        "a table of how many dice are thrown from which top card on, such as {1 = 3, 7 = 4, "
        "12 = 5}; it begins at 1, with 1 to 8 dice"
    )
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{value!r} was given; allowed is {allowed}")
    steps: dict[int, int] = {}
    for key, count in value.items():
        text = str(key)
        if not (text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= 30):
            raise ValueError(f"{key!r} is not a top card; allowed is {allowed}")
        if not _whole(count, 1, 8):
            raise ValueError(f"{count!r} is not a number of dice; allowed is {allowed}")
        if int(text) in steps:
            raise ValueError(f"top card {text} is given twice; allowed is {allowed}")
        steps[int(text)] = count
    if 1 not in steps:
        raise ValueError(f"{value!r} does not say what card 1 calls for; allowed is {allowed}")
    return {str(start): steps[start] for start in sorted(steps)}


def _parse_switch_die(value: Any) -> dict[str, int]:
    allowed = (
        "numbers of faces (0 to 100) for blank, green, red and block, at least one in all; kinds "
        "that are not named keep their number"
    )
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} was given; allowed are {allowed}")
    for kind, count in value.items():
        if kind not in FACES:
            raise ValueError(f"{kind!r} is no kind of face; allowed are {allowed}")
        if not _whole(count, 0, 100):
            raise ValueError(f"{count!r} is no number of faces; allowed are {allowed}")
    faces = {kind: int(value.get(kind, DEFAULT_FACES[kind])) for kind in FACES}
    if not 1 <= sum(faces.values()) <= 255:
        raise ValueError(f"the die has {sum(faces.values())} faces; allowed are {allowed}")
    return faces


SETTINGS = (
    Setting("cards", "int", 16, "cards in a deck; discarding the last one wins", "source", 1, 30),
    Setting(
        "dice",
        "custom",
        {"1": 3, "7": 4, "12": 5},
        "numbered dice thrown, from which top card on",
        "source",
        parse=_parse_dice,
        allowed="a table such as {1 = 3, 7 = 4, 12 = 5}, with 1 to 8 dice",
    ),
    Setting("faces", "int", 6, "faces of a numbered die, numbered from 1", "fact", 1, 20),
    Setting(
        "switch_die",
        "custom",
        DEFAULT_FACES,
        "faces of the Switch die by kind; no source tells how many of each there are",
        "assumption",
        parse=_parse_switch_die,
        allowed="numbers of faces for blank, green, red and block, at least one in all",
        alternatives=(
            {"blank": 3, "green": 1, "red": 1, "block": 1},
            {"blank": 2, "green": 2, "red": 1, "block": 1},
            {"blank": 2, "green": 1, "red": 2, "block": 1},
            {"blank": 2, "green": 1, "red": 1, "block": 2},
        ),
    ),
    Setting(
        "milestone",
        "int",
        8,
        "card whose discard protects the deck (no deck is if it has fewer cards)",
        "source",
        1,
        30,
    ),
    Setting(
        "milestone_resume",
        "int",
        8,
        "top card of a protected deck after a bust: the milestone, or the card after it",
        "assumption",
        1,
        31,
        alternatives=(8, 9),
        follows="milestone",
    ),
    Setting(
        "first_player",
        "choice",
        "random",
        "who begins: anybody with the same chance (the roll-off), or seat 1",
        "source",
        choices=("random", "seat1"),
    ),
    Setting(
        "match_points",
        "int",
        0,
        "points that win a match of several deals; 0 = single games",
        "source",
        0,
        10_000,
        option=True,
    ),
    Setting(
        "max_turns",
        "int",
        5000,
        "turns after which a deal is stopped and its game counts as unfinished",
        "assumption",
        1,
        60_000,
        alternatives=(500, 5000),
    ),
)


def most_throws(rules: Rules) -> int:
    """How many different throws there are, as if all dice were always thrown."""
    dice: int = rules["faces"] ** max(rules["dice"].values())
    faces: int = sum(rules["switch_die"].values())
    return dice * faces


def check_rules(rules: Rules) -> None:
    """Refuse a resumption that is neither milestone nor the card after, and too rich throws.

    Raises
    ------
    RulesError
        With the reason.
    """
    milestone, resume = rules["milestone"], rules["milestone_resume"]
    if resume not in (milestone, milestone + 1):
        raise RulesError(
            f"milestone_resume = {resume} is neither the milestone ({milestone}) nor the card "
            f"after it ({milestone + 1})."
        )
    throws = most_throws(rules)
    if throws > MOST_THROWS:
        dice = max(rules["dice"].values())
        raise RulesError(
            f"{dice} dice with {rules['faces']} faces and this Switch die make {throws:,} "
            f"different throws; at most {MOST_THROWS:,} can be told apart: use fewer faces or "
            "dice."
        )


def score_range(rules: Rules) -> tuple[int, int]:
    """Lowest and highest final score that the rules allow."""
    points: int = rules["match_points"]
    return 0, rules["cards"] + max(points - 1, 0)


class Facts(NamedTuple):
    """What kernels have to know of the rules.

    Attributes
    ----------
    players, cards, milestone, resume, max_turns, match_points
        As set; ``resume`` is the top card of a protected deck after a bust.
    anybody_first
        Whether everybody may begin; otherwise seat 0 does.
    follows_origins
        Whether it is to be known in whose seat each deck began.
    throws
        How many different throws there are.
    bits, step, rest
        How many bits sums and fractions of throws take, 16 or 32; with that, `share_of_a_throw`.
    fewest_dice, most_dice
        Numbered dice thrown at least and at most.
    faces
        Of a numbered die.
    switch_faces, first_green, first_red, first_block
        Faces of the Switch die, in order: blank ones, then from these on green, red and block.
    dice_steps
        (K, 2) uint8: from this top card on so many dice; the first from card 1.
    first_purpose, throw_purpose, decide_purpose
        What words are drawn for, in the replica that is played: who begins, throws, and seat 0's
        first kind of decision.
    """

    players: int
    cards: int
    milestone: int
    resume: int
    max_turns: int
    match_points: int
    anybody_first: bool
    follows_origins: bool
    throws: int
    bits: int
    step: int
    rest: int
    fewest_dice: int
    most_dice: int
    faces: int
    switch_faces: int
    first_green: int
    first_red: int
    first_block: int
    dice_steps: NDArray[np.uint8]
    first_purpose: int
    throw_purpose: int
    decide_purpose: int


def facts_of(rules: Rules, players: int, replicas: Mapping[str, int] | None = None) -> Facts:
    """What kernels have to know of these rules; origins are not followed.

    ``replicas`` says which sources of `CHANCE` are drawn anew, and for which time.
    """
    again = replicas or {}
    throws = most_throws(rules)
    share = None
    if rules["cards"] <= 16 and rules["faces"] <= 16:
        share = share_of_a_throw(throws, 16)
    bits = 32 if share is None else 16
    share = share or share_of_a_throw(throws, 32)
    assert share is not None, throws  # no rules allow more than `MOST_THROWS`
    dice = rules["dice"]
    blank, green, red, block = (rules["switch_die"][kind] for kind in FACES)
    return Facts(
        players=players,
        cards=rules["cards"],
        milestone=rules["milestone"],
        resume=rules["milestone_resume"],
        max_turns=rules["max_turns"],
        match_points=rules["match_points"],
        anybody_first=rules["first_player"] == "random",
        follows_origins=False,
        throws=throws,
        bits=bits,
        step=share[0],
        rest=share[1],
        fewest_dice=min(dice.values()),
        most_dice=max(dice.values()),
        faces=rules["faces"],
        switch_faces=blank + green + red + block,
        first_green=blank,
        first_red=blank + green,
        first_block=blank + green + red,
        dice_steps=np.array([(int(start), count) for start, count in dice.items()], np.uint8),
        first_purpose=redrawn(PURPOSE_FIRST, again.get("first player", 0)),
        throw_purpose=redrawn(PURPOSE_THROW, again.get("dice", 0)),
        decide_purpose=redrawn(PURPOSE_DECIDE, again.get("decisions", 0)),
    )


def share_of_a_throw(throws: int, bits: int) -> tuple[int, int] | None:
    """How the number of a throw becomes a fraction of 2^bits: step and rest; None if it cannot.

    The fraction of number i is (i + 1) * step + floor((i + 1) * rest / 2^bits). It must lie from
    i / throws up to, not including, (i + 1) / throws. It is never too high, since step + rest /
    2^bits is less than 2^bits / throws; nor too low if even the last one lacks little enough.
    """
    unit = 1 << bits
    steps = (unit * unit - 1) // throws
    lacking = unit * unit - throws * steps
    if throws >= unit or lacking * throws > (unit - throws) * unit:
        return None
    return divmod(steps, unit)
