"""The rules of Turn the Tide as settings, and what follows from them.

What is simulated, with its sources and assumptions, is in ``docs/rules-turnthetide.md``.
"""

from __future__ import annotations

from typing import Any

from analyzer.contracts import Rules, Setting
from analyzer.errors import RulesError

CARDS = 60
"""Weather cards, numbered from 1."""

PRINTED_BANDS = {"1-12": 0, "13-24": 1, "25-36": 2, "37-48": 1, "49-60": 0}


def _bands(halves: dict[str, int]) -> tuple[int, ...]:
    cards = [0] * CARDS
    for band, count in halves.items():
        first, last = (int(end) for end in band.split("-"))
        cards[first - 1 : last] = [count] * (last - first + 1)
    return tuple(cards)


PRINTED = _bands(PRINTED_BANDS)


def _parse_preservers(value: Any) -> tuple[int, ...]:
    """60 half-counts, or bands of cards that change the printed ones."""
    allowed = (
        "60 half-counts from 0 to 4, one a card, or bands such as "
        '{"13-24" = 1} that replace the printed half-counts of those cards'
    )

    def half_count(x: Any) -> int:
        if isinstance(x, bool) or not isinstance(x, int) or not 0 <= x <= 4:
            raise ValueError(f"{x!r} is not a half-count; allowed are {allowed}")
        return x

    if isinstance(value, list | tuple):
        if len(value) != CARDS:
            raise ValueError(f"{len(value)} half-counts were given; allowed are {allowed}")
        return tuple(half_count(x) for x in value)
    if isinstance(value, dict):
        cards = list(PRINTED)
        taken: set[int] = set()
        for band, count in value.items():
            ends = str(band).split("-")
            if not all(end.isascii() and end.isdigit() and len(end) < 3 for end in ends):
                raise ValueError(f"{band!r} is not a band of cards; allowed are {allowed}")
            first, last = int(ends[0]), int(ends[-1])
            if len(ends) > 2 or not 1 <= first <= last <= CARDS:
                raise ValueError(f"{band!r} is not a band within 1-60; allowed are {allowed}")
            members = range(first, last + 1)
            if taken.intersection(members):
                raise ValueError(f"band {band!r} overlaps another one")
            taken.update(members)
            for card in members:
                cards[card - 1] = half_count(count)
        return tuple(cards)
    raise ValueError(f"{value!r} was given; allowed are {allowed}")


def _parse_allocation(value: Any) -> str:
    allowed = "printed, none, or flat:N with N from 0 to 60 (every hand gets N)"
    text = str(value)
    name, colon, number = text.partition(":")
    if text in ("printed", "none"):
        return text
    if name == "flat" and colon and number.isascii() and number.isdigit() and int(number) <= 60:
        return f"flat:{int(number)}"
    raise ValueError(f"{value!r} was given; allowed are {allowed}")


def _ten_with_six(players: int) -> int:
    return 10 if players == 6 else 12


SETTINGS = (
    Setting(
        "hand_size", "int", _ten_with_six, "weather cards dealt to each player", "source", 1, 30
    ),
    Setting(
        "hands",
        "int",
        _ten_with_six,
        "hands played in a round; fewer than the cards of a hand leave some unplayed "
        "(as many as hand_size unless given)",
        "source",
        1,
        30,
        follows="hand_size",
    ),
    Setting(
        "tide_max",
        "int",
        _ten_with_six,
        "highest tide card; there are two each of 1 to this number",
        "fact",
        1,
        60,
    ),
    Setting(
        "rounds",
        "int",
        lambda players: players,
        "rounds of a game; hands are passed left after each; 1 = no passing",
        "source",
        1,
        12,
    ),
    Setting(
        "preservers",
        "custom",
        PRINTED,
        "half life preservers printed on each of the 60 weather cards",
        "fact",
        parse=_parse_preservers,
        allowed='60 half-counts (0-4), or bands such as {"13-24" = 1}',
    ),
    Setting(
        "allocation",
        "custom",
        "printed",
        "what gives a hand its preservers: the print, a fixed number for all, or none",
        "source",
        parse=_parse_allocation,
        allowed="printed, flat:N (N from 0 to 60), none",
    ),
    Setting(
        "drowning",
        "choice",
        lambda players: "two-highest" if players == 6 else "highest",
        "who loses a preserver: the highest tide, or with six players also the next highest, "
        "unless the highest stood alone and was eliminated",
        "assumption",
        choices=("highest", "two-highest"),
        alternatives=("highest", "two-highest"),
    ),
    Setting(
        "bonus",
        "int",
        1,
        "points for the lowest tide at the end of a round; 0 = none",
        "source",
        0,
        20,
    ),
    Setting(
        "eliminated_may_take_bonus",
        "bool",
        False,
        "whether an eliminated player, who shows no tide card, can have the lowest tide",
        "assumption",
        alternatives=(True, False),
    ),
    Setting(
        "end_at",
        "int",
        lambda players: 1 if players == 2 else 2,
        "the round ends at once when so few players are left alive (with two players: 1)",
        "assumption",
        0,
        5,
        alternatives=(1, 2),
    ),
)


def check_rules(rules: Rules, players: int) -> None:
    """Refuse more cards than there are, more hands than cards, and ends before the start."""
    dealt = players * rules["hand_size"]
    if dealt > CARDS:
        raise RulesError(
            f"hand_size = {rules['hand_size']} with {players} players needs {dealt} weather "
            f"cards, but there are {CARDS}; hand_size may be at most {CARDS // players}."
        )
    if rules["hands"] > rules["hand_size"]:
        raise RulesError(
            f"hands = {rules['hands']} is more than hand_size = {rules['hand_size']}; "
            "a player cannot play more hands than cards: lower hands or raise hand_size."
        )
    if rules["hands"] > rules["tide_max"]:
        raise RulesError(
            f"hands = {rules['hands']} needs {2 * rules['hands']} tide cards, but tide_max = "
            f"{rules['tide_max']} gives {2 * rules['tide_max']}; raise tide_max or lower hands."
        )
    if rules["end_at"] >= players:
        raise RulesError(
            f"end_at = {rules['end_at']} would end every round of {players} players before it "
            f"begins; it may be at most {players - 1}."
        )


def equal_preservers(rules: Rules) -> int | None:
    """The number of preservers that every hand gets, or None if it is the printed one."""
    allocation: str = rules["allocation"]
    if allocation == "printed":
        return None
    return 0 if allocation == "none" else int(allocation.partition(":")[2])


def most_preservers(rules: Rules) -> int:
    """Most whole preservers that a hand can have printed on it."""
    return int(sum(sorted(rules["preservers"])[-rules["hand_size"] :]) // 2)


def score_range(rules: Rules) -> tuple[int, int]:
    """Lowest and highest final score that the rules allow."""
    equal = equal_preservers(rules)
    most = most_preservers(rules) if equal is None else equal
    return -rules["rounds"], rules["rounds"] * (most + rules["bonus"])
