"""The rules of Mermaid Beach: what can be set, the decks that follow, and what goes together.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-mermaidbeach.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analyzer.contracts import Rules, Setting
from analyzer.errors import RulesError
from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.state import (
    KINDS,
    MEAN,
    MERFOLK,
    MONSTER,
    MOST_POINTS,
    PURPOSE_BEACH,
    PURPOSE_DECIDE,
    PURPOSE_FIRST,
    PURPOSE_SHELL,
    SEAWEED,
    STARFISH_LEFT,
    STARFISH_RIGHT,
    WAVE,
    Piles,
)
from analyzer.kernels.piles import MOST_CARDS, pile_of
from analyzer.kernels.random import redrawn


def _parse_shells(value: Any) -> dict[str, int]:
    """How many shell cards there are of each number of points."""
    allowed = "a number of cards, 0 to 15, for some of the points 1 to 13, such as {1 = 5, 2 = 5}"
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not {allowed}")
    cards: dict[int, int] = {}
    for key, number in value.items():
        text = str(key)
        worth = int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 0
        if not 1 <= worth <= MOST_POINTS or worth in cards:
            raise ValueError(f"{key!r} is not a number of points; allowed is {allowed}")
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= 15:
            raise ValueError(f"{number!r} is not a number of cards; allowed is {allowed}")
        cards[worth] = number
    return {str(worth): cards[worth] for worth in sorted(cards) if cards[worth]}


SETTINGS = (
    Setting("item_kinds", "int", 8, "kinds of beach items", "fact", 1, KINDS),
    Setting("item_copies", "int", 4, "cards of each kind of item", "fact", 1, 15),
    Setting(
        "merfolk",
        "int",
        10,
        "mermaids and mermen: draw a shell card and take another turn",
        "fact",
        0,
        15,
    ),
    Setting("mean", "int", 2, "mean mermaids: take a shell card of an opponent", "fact", 0, 15),
    Setting(
        "waves", "int", 2, "sneaker waves: wash away an opponent's shell card", "source", 0, 15
    ),
    Setting("seaweed", "int", 4, "seaweed: an opponent draws a beach card", "source", 0, 15),
    Setting("monsters", "int", 1, "sea monsters, which cannot be played", "source", 0, 15),
    Setting(
        "shells",
        "custom",
        {"1": 5, "2": 5, "3": 5, "4": 5},
        "shell cards of each number of points",
        "fact",
        parse=_parse_shells,
        allowed="cards (0-15) for points (1-13), such as {1 = 5, 2 = 5, 3 = 5, 4 = 5}",
    ),
    Setting(
        "starfish_left",
        "int",
        3,
        "starfish that make everybody pass a card to the left",
        "assumption",
        0,
        15,
        alternatives=(0, 3, 6),
    ),
    Setting(
        "starfish_right",
        "int",
        3,
        "starfish that make everybody pass a card to the right",
        "assumption",
        0,
        15,
        alternatives=(0, 3, 6),
    ),
    Setting(
        "hand_size",
        "int",
        lambda players: 7 if players == 2 else 5,
        "beach cards dealt to each player",
        "source",
        1,
        60,
    ),
    Setting(
        "young",
        "bool",
        False,
        "the variant for younger players: without mean mermaids and sneaker waves",
        "source",
    ),
    Setting(
        "ask_freely",
        "bool",
        False,
        "whether one may ask although a merfolk, a mean mermaid or a pair can be played",
        "source",
    ),
    Setting(
        "play_at_beach",
        "bool",
        True,
        "whether a fitting card drawn for a question that was not met may be played at once",
        "assumption",
        alternatives=(True, False),
    ),
    Setting(
        "first_player",
        "choice",
        "random",
        "who begins: anybody with equal chance, or always seat 1",
        "assumption",
        choices=("random", "seat1"),
        alternatives=("random", "seat1"),
    ),
    Setting(
        "max_turns",
        "int",
        2000,
        "turns after which a game is stopped and counted as unfinished",
        "assumption",
        1,
        4000,
        alternatives=(500, 2000),
    ),
)


def beach_cards(rules: Rules) -> dict[int, int]:
    """The whole beach deck: cards of each sort."""
    items = dict.fromkeys(range(rules["item_kinds"]), rules["item_copies"])
    mean, waves = (0, 0) if rules["young"] else (rules["mean"], rules["waves"])
    special = {MERFOLK: rules["merfolk"], MEAN: mean, WAVE: waves}
    return {**items, **special, SEAWEED: rules["seaweed"], MONSTER: rules["monsters"]}


def shell_cards(rules: Rules) -> dict[int, int]:
    """The whole shell deck: cards of each sort."""
    worth = {int(text): number for text, number in rules["shells"].items()}
    starfish = {STARFISH_LEFT: rules["starfish_left"], STARFISH_RIGHT: rules["starfish_right"]}
    return {**worth, **starfish}


def facts_of(rules: Rules, replicas: Mapping[str, int] | None = None) -> Piles:
    """What kernels know of the rules: (FACTS,) uint64, the seed still 0.

    ``replicas`` says which sources of `CHANCE` are drawn anew, and for which time.
    """
    beach, shell = beach_cards(rules), shell_cards(rules)
    facts = np.zeros(at.FACTS, np.uint64)
    facts[at.BEACH_PILE] = pile_of(beach)
    facts[at.SHELL_PILE] = pile_of(shell)
    facts[at.BEACH_CARDS] = sum(beach.values())
    facts[at.SHELL_CARDS] = sum(shell.values())
    facts[at.HAND_SIZE] = rules["hand_size"]
    facts[at.MAX_TURNS] = rules["max_turns"]
    facts[at.ASK_FREELY] = rules["ask_freely"]
    facts[at.PLAY_AT_BEACH] = rules["play_at_beach"]
    facts[at.RANDOM_FIRST] = rules["first_player"] == "random"
    again = replicas or {}
    for at_words, source, purpose in (
        (at.DEAL_WORDS, "deal", PURPOSE_BEACH),
        (at.BEACH_WORDS, "decks", PURPOSE_BEACH),
        (at.SHELL_WORDS, "decks", PURPOSE_SHELL),
        (at.FIRST_WORDS, "first player", PURPOSE_FIRST),
        (at.DECISION_WORDS, "decisions", PURPOSE_DECIDE),
    ):
        facts[at_words] = redrawn(purpose, again.get(source, 0)) << 48
    return facts


def check_rules(rules: dict[str, Any], players: int) -> None:
    """Refuse decks that are too large to count, and hands too large to deal."""
    items = rules["item_kinds"] * rules["item_copies"]
    beach = sum(beach_cards(rules).values())
    if beach > MOST_CARDS:
        raise RulesError(
            f"the beach deck would have {beach} cards, {items} of them items (item_kinds * "
            f"item_copies); it may have at most {MOST_CARDS}: lower some of its numbers."
        )
    shell = sum(shell_cards(rules).values())
    if shell > MOST_CARDS:
        raise RulesError(
            f"the shell deck would have {shell} cards; it may have at most {MOST_CARDS}: lower "
            "some numbers of shells, starfish_left or starfish_right."
        )
    dealt = players * rules["hand_size"]
    if dealt > beach:
        remedy = (
            f"hand_size may be at most {beach // players}."
            if beach >= players
            else "raise some of their numbers."
        )
        raise RulesError(
            f"hand_size = {rules['hand_size']} with {players} players needs {dealt} beach "
            f"cards, but there are {beach}; {remedy}"
        )


def score_range(rules: Rules, players: int) -> tuple[int, int]:
    """Lowest and highest final score that the rules allow."""
    return 0, sum(int(text) * number for text, number in rules["shells"].items())
