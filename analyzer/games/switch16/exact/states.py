"""The states of Switch 16, numbered.

Everything is seen from one seat: row 0 is that seat, row j the j-th to its left.

A deck is a code. Codes 0 .. milestone - 1 are the unprotected tops 1 .. milestone; then come the
protected tops ``milestone_resume`` .. cards. In one formula, ``code = top - 1 + protected * shift``
with ``shift = milestone + 1 - milestone_resume``. Clearing cards always raises the code.

The disc is a code too: 0 in the tray, 1 + j held by row j, 1 + n + j on row j's deck (n players).

The decks together are a number with the rows' codes as digits, row 0 the leading one, in base D,
the number of deck codes. With the printed rules D = 17, so two players have 289 x 5 positions at
the start of a turn, three 4,913 x 7 and four 83,521 x 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.errors import RulesError
from analyzer.games.switch16.exact.dice import ThrowTable, throw_table
from analyzer.games.switch16.rules import FACES, SETTINGS

TRAY = 0
DEFAULTS: dict[str, Any] = {setting.key: setting.default for setting in SETTINGS}
SINGLE_GAME = {"match_points": 0, "max_turns": DEFAULTS["max_turns"]}
"""The settings that are not modeled, as they have to be."""


def held(row: int) -> int:
    """Code of the disc in a row's hands."""
    return 1 + row


def on_deck(row: int, players: int) -> int:
    """Code of the disc on a row's deck."""
    return 1 + players + row


@dataclass(frozen=True)
class Setup:
    """The rule settings that a single game of Switch 16 depends on.

    Attributes
    ----------
    players
        2 to 4.
    cards
        Cards in a deck, from 1.
    dice
        Pairs (top card, number of dice thrown from it on), ascending, the first for top card 1.
    faces
        Faces of a numbered die.
    switch_die
        Faces of the Switch die: blank, green, red, block.
    milestone
        The card that protects a deck once it is gone, 1 .. cards.
    milestone_resume
        Top card after a protected bust: milestone or milestone + 1.
    first_player
        ``"random"`` or ``"seat1"``.
    """

    players: int = 2
    cards: int = 16
    dice: tuple[tuple[int, int], ...] = ((1, 3), (7, 4), (12, 5))
    faces: int = 6
    switch_die: tuple[int, int, int, int] = (3, 1, 1, 1)
    milestone: int = 8
    milestone_resume: int = 8
    first_player: str = "random"

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if not 2 <= self.players <= 4:
            raise RulesError(f"players = {self.players}: Switch 16 is for 2 to 4 players.")
        starts = [start for start, _ in self.dice]
        if starts != sorted(set(starts)) or starts[:1] != [1] or min(self.dice)[1] < 1:
            raise RulesError(f"dice = {self.dice}: give ascending top cards, from card 1 on.")
        if not 1 <= self.milestone <= self.cards:
            raise RulesError(f"milestone = {self.milestone}: must be a card, 1 to {self.cards}.")
        if self.milestone_resume - self.milestone not in (0, 1):
            raise RulesError(
                f"milestone_resume = {self.milestone_resume}: must be the milestone "
                f"({self.milestone}) or the card after it."
            )
        if min(self.switch_die) < 0 or sum(self.switch_die) < 1:
            raise RulesError(f"switch_die = {self.switch_die}: needs at least one face.")

    @classmethod
    def from_rules(cls, rules: Mapping[str, Any], players: int) -> Setup:
        """Take over the settings of a run; those that are missing have their defaults.

        A milestone that the decks are too short for protects nothing, like their last card.

        Raises
        ------
        RulesError
            Naming a setting that is not modeled: a match is not a single game, so ``match_points``
            must be 0; nor is any game stopped, which by the usual ``max_turns`` no game worth
            solving would be, but sooner some are.
        """
        settings = DEFAULTS | dict(rules)
        settings["milestone_resume"] = rules.get("milestone_resume", settings["milestone"])
        if points := settings.pop("match_points"):
            raise RulesError(
                f"match_points = {points}: exact solutions are for single games only; leave it at "
                "0."
            )
        if (limit := settings.pop("max_turns")) < DEFAULTS["max_turns"]:
            raise RulesError(
                f"max_turns = {limit}: exact solutions are for games that nobody stops; leave it "
                f"at {DEFAULTS['max_turns']}."
            )
        for name in settings.keys() - {field.name for field in fields(cls)}:
            raise RulesError(f"{name} = {settings[name]!r}: exact solutions know no such setting.")
        cards = settings["cards"]
        if settings["milestone"] > cards:
            # Never to be cleared, so no deck is ever protected; nor before the game is won by
            # clearing the last card.
            settings |= {"milestone": cards, "milestone_resume": cards + 1}
        dice = sorted((int(start), int(count)) for start, count in settings["dice"].items())
        faces = DEFAULTS["switch_die"] | dict(settings["switch_die"])
        return cls(
            **settings
            | {
                "players": players,
                "dice": tuple(dice),
                "switch_die": tuple(int(faces[face]) for face in FACES),
            }
        )

    def as_rules(self) -> dict[str, Any]:
        """The same settings in the shape that rules files and manifests use."""
        rules = asdict(self)
        del rules["players"]
        rules["dice"] = {str(start): count for start, count in self.dice}
        rules["switch_die"] = dict(zip(FACES, self.switch_die, strict=True))
        return rules

    @property
    def throws(self) -> ThrowTable:
        """Exact chances of the numbered dice."""
        return throw_table(self.cards, dict(self.dice), self.faces)

    @property
    def shift(self) -> int:
        """What protection adds to a deck's code."""
        return self.milestone + 1 - self.milestone_resume

    @property
    def decks(self) -> int:
        """D, the number of deck codes."""
        return self.cards + self.shift

    @property
    def discs(self) -> int:
        """Number of disc codes."""
        return 1 + 2 * self.players

    @property
    def positions(self) -> int:
        """Number of positions of all decks together, ``decks ** players``."""
        return int(self.decks**self.players)

    def code(self, top: int, protected: bool) -> int:
        """Code of a deck, ``top`` in 1..cards."""
        return top - 1 + protected * self.shift

    def tops(self) -> NDArray[np.int64]:
        """(D,) top card of each deck code."""
        codes = np.arange(self.decks)
        return codes + 1 - self.shift * (codes >= self.milestone)

    def protections(self) -> NDArray[np.bool_]:
        """(D,) whether the deck of each code is protected."""
        return np.arange(self.decks) >= self.milestone

    def digits(self) -> NDArray[np.int64]:
        """(players, positions) deck code of each row in each position."""
        powers = self.decks ** np.arange(self.players - 1, -1, -1)
        return np.arange(self.positions) // powers[:, None] % self.decks

    def steps(self) -> NDArray[np.int64]:
        """(D, cards + 1) code of a deck after m more cards have gone; -1: there is no such card.

        The column that clears the last card is -1 as well: the game is over.
        """
        tops = self.tops()
        table = np.full((self.decks, self.cards + 1), -1, np.int64)
        for code in range(self.decks):
            for gone in range(self.cards - tops[code] + 1):
                top = tops[code] + gone
                protected = code >= self.milestone or top > self.milestone
                table[code, gone] = self.code(int(top), protected)
        return table

    def chances(self) -> NDArray[np.float64]:
        """(D, cards + 1) probability that a throw clears exactly m cards, by deck code."""
        table = np.zeros((self.decks, self.cards + 1))
        for code, top in enumerate(self.tops()):
            row = self.throws.cleared[top - 1]
            table[code, : len(row)] = [float(chance) for chance in row]
        return table

    def busts(self) -> NDArray[np.int64]:
        """(D,) code of a deck after a bust."""
        back = self.code(self.milestone_resume, True) if self.decks > self.milestone else 0
        return np.where(self.protections(), back, 0)
