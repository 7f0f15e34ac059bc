"""Stationary policies of Switch 16 as tables: one choice for every position.

A `PolicyTable` answers every question the rules put to a player, from what lies on the table.
`baseline` writes one for a combination such as ``greedy/leader/deny:16``; the solver finds others.
Tables are saved as an ``.npz`` file without pickles and a ``.json`` beside it that says what it is.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.errors import OutputError, ResultsError, UnknownName, UsageError
from analyzer.games.switch16.exact.states import TRAY, Setup, held, on_deck

Choices = NDArray[np.uint8]

NEVER = 255
"""In ``lay``: the disc stays in the hand."""

UNIFORM = 255
"""In ``green``: a uniform choice among the opponents who do not hold the disc."""

FORMAT = "analyzer/switch16-policy/1"
TABLES = ("risk", "green", "red", "block", "lay", "place")


@dataclass(frozen=True)
class PolicyTable:
    """What one player does in every position, seen from that player's seat (row 0).

    ``decks`` is the number of the decks' codes and ``disc`` the disc's code, as `states` counts
    them; rows count to the left. n players, m cards, S = D^n positions of the decks. Entries
    for positions in which the question cannot arise are 0.

    Attributes
    ----------
    setup
        The rules it is for.
    risk
        (1 + 2n, S) uint8, by disc and decks after the cards have gone: 1 = throw again.
    green
        (1 + 2n, S, m + 2) uint8, by disc, decks before cards go, and what the numbers thrown would
        do: row to swap with, 0 = nobody, `UNIFORM`. The numbers do nothing (0, on the first throw
        of a turn), clear 1 .. m cards, or make a risk a bust (m + 1).
    red
        (1 + 2n, S) uint8, by disc and decks: row to swap with, one of those that show the lowest
        top card; 0 where no deck is lower than mine.
    block
        (1 + 2n, S, m + 2) uint8, by disc (on another row's deck), decks and what the numbers would
        do, as for green: 1 = take the disc, 0 = leave it.
    lay
        (n, S, m + 1) uint8, by the mover's row (not 0), decks, and number of cards that the
        mover's throw clears: after how many of them I, the holder, lay the disc on the mover's
        deck; `NEVER`.
    place
        (n, S) uint8, by the row whose turn comes next (0: mine) and decks: the row on whose deck
        I, the holder, lay the disc before that turn; 0 = none.
    name
        What the policy is, for people.
    """

    setup: Setup
    risk: Choices
    green: Choices
    red: Choices
    block: Choices
    lay: Choices
    place: Choices
    name: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def shapes(setup: Setup) -> dict[str, tuple[int, ...]]:
        """Shape of each table."""
        players, discs, positions = setup.players, setup.discs, setup.positions
        return {
            "risk": (discs, positions),
            "green": (discs, positions, setup.cards + 2),
            "red": (discs, positions),
            "block": (discs, positions, setup.cards + 2),
            "lay": (players, positions, setup.cards + 1),
            "place": (players, positions),
        }

    @classmethod
    def empty(cls, setup: Setup, name: str = "") -> PolicyTable:
        """A policy that takes no risk, swaps with nobody unless red makes it, holds the disc."""
        made: dict[str, Any] = {
            key: np.zeros(shape, np.uint8) for key, shape in cls.shapes(setup).items()
        }
        made["red"][:] = _first_lowest(setup)
        made["lay"][:] = NEVER
        for row in range(1, setup.players):
            made["block"][on_deck(row, setup.players)] = 1
        return cls(setup, name=name, **made)

    def tables(self) -> dict[str, Choices]:
        """The six tables by name."""
        return {key: getattr(self, key) for key in TABLES}

    def check(self) -> None:
        """Verify shapes and that every choice is legal.

        Raises
        ------
        ResultsError
            Naming the table that is wrong.
        """
        players = self.setup.players
        for key, shape in self.shapes(self.setup).items():
            table = getattr(self, key)
            if table.shape != shape or table.dtype != np.uint8:
                raise ResultsError(
                    f"policy table {key!r} is {table.dtype}{table.shape}; these rules need "
                    f"uint8{shape}."
                )
        others = np.arange(1, players + 1)  # the last one stands for UNIFORM
        legal = {
            "risk": self.risk <= 1,
            "green": np.isin(self.green, [0, *others[:-1], UNIFORM]),
            "red": _is_lowest(self.setup, self.red),
            "block": self.block <= 1,
            "lay": (self.lay < np.arange(self.setup.cards + 1)) | (self.lay == NEVER),
            "place": self.place < players,
        }
        for key, right in legal.items():
            if not right.all():
                raise ResultsError(f"policy table {key!r} holds choices that the rules forbid.")

    def rows(self, decision: str) -> Iterator[dict[str, Any]]:
        """One dictionary for every situation of a decision, in plain words: for CSV and print.

        ``decision`` is a table's name. Keys: ``top_0``, ``protected_0``, ``top_1``, ... by row,
        ``disc`` (``"tray"``, ``"held by 1"``, ``"on deck 1"``), where they matter ``throw``
        (``"nothing"``, ``"clears 3"``, ``"bust"``) and ``mover``, and ``choice``. Only situations
        in which the question can arise.
        """
        setup = self.setup
        table = getattr(self, decision)
        asked = self.asked(decision)
        digits = setup.digits()
        tops, protections = setup.tops(), setup.protections()
        for place in zip(*np.nonzero(asked), strict=True):
            at = dict(zip(_AXES[decision], (int(i) for i in place), strict=True))
            row: dict[str, Any] = {}
            for j in range(setup.players):
                code = digits[j, at["decks"]]
                row[f"top_{j}"] = int(tops[code])
                row[f"protected_{j}"] = bool(protections[code])
            row["disc"] = self._disc_name(at.get("disc", held(0)))
            if "throw" in at:
                words = {0: "nothing", setup.cards + 1: "bust"}
                row["throw"] = words.get(at["throw"], f"clears {at['throw']}")
            if "mover" in at:
                row["mover"] = at["mover"]
            row["choice"] = int(table[place])
            yield row

    def asked(self, decision: str) -> NDArray[np.bool_]:
        """Where in a table the question can arise; same shape as the table."""
        setup = self.setup
        players, cards = setup.players, setup.cards
        can = np.ones(self.shapes(setup)[decision], bool)
        left = cards + 1 - setup.tops()[setup.digits()]  # cards left to each row
        begun = setup.digits()[0] > 0  # card 1 of row 0 has gone
        blocked = on_deck(0, players)
        if decision == "lay":
            going = np.arange(cards + 1)
            can[0] = False
            can[1:] = (going >= 1) & (going <= left[1:, :, None])
        elif decision == "red":
            can &= _first_lowest(setup) > 0
        elif decision == "risk":
            can[blocked] = False
            can &= begun
        elif decision in ("green", "block"):
            can[..., 1:-1] = np.arange(1, cards + 1) <= left[0][:, None]
            can[..., -1] = begun
            can[blocked, :, -1] = False  # nobody risks anything with the disc on the deck
            if decision == "block":
                can[: blocked + 1] = False
        return can

    def _disc_name(self, disc: int) -> str:
        if disc == TRAY:
            return "tray"
        row = (disc - 1) % self.setup.players
        return f"held by {row}" if disc < on_deck(0, self.setup.players) else f"on deck {row}"


_AXES = {
    "risk": ("disc", "decks"),
    "green": ("disc", "decks", "throw"),
    "red": ("disc", "decks"),
    "block": ("disc", "decks", "throw"),
    "lay": ("mover", "decks", "throw"),
    "place": ("mover", "decks"),
}


# Baseline policies --------------------------------------------------------------------------------


def _first_lowest(setup: Setup) -> Choices:
    """(S,) first row to the left with the lowest top card, 0 if that is not lower than row 0's."""
    tops = setup.tops()[setup.digits()]
    first = tops[1:].argmin(axis=0) + 1  # argmin gives the first of equals
    return np.where(tops[1:].min(axis=0) < tops[0], first, 0).astype(np.uint8)


def _is_lowest(setup: Setup, choice: Choices) -> NDArray[np.bool_]:
    """Whether each choice (1 + 2n, S) on red is one that the rules allow."""
    tops = setup.tops()[setup.digits()]
    lowest = tops[1:].min(axis=0)
    must = lowest < tops[0]
    chosen = tops[np.minimum(choice, setup.players - 1), np.arange(setup.positions)]
    legal: NDArray[np.bool_] = np.where(
        must, (choice > 0) & (choice < setup.players) & (chosen == lowest), choice == 0
    )
    return legal


RISKS = ("never", "always", "threshold", "greedy", "to-milestone", "protected")


def _without_number(number: str, what: str) -> None:
    if number:
        raise UsageError(f"{what} takes no number, but {number!r} was given.")


def _risk(setup: Setup, name: str, number: str) -> NDArray[np.bool_]:
    """(D,) whether a baseline risk policy throws again with each deck."""
    tops = setup.tops()
    if name == "threshold":
        try:
            least = Fraction(number)
        except (ValueError, ZeroDivisionError):
            raise UsageError(
                f"risk threshold needs a decimal number from 0 to 1 such as threshold:0.5, not "
                f"{number!r}."
            ) from None
        return np.array([setup.throws.success(int(top)) >= least for top in tops])
    _without_number(number, f"risk {name}")
    if name == "greedy":
        decks = zip(tops.tolist(), tops[setup.busts()].tolist(), strict=True)
        return np.array([setup.throws.expected_change(top, back) > 0 for top, back in decks])
    if name == "to-milestone":
        return tops <= setup.milestone
    return setup.protections() if name == "protected" else np.full(setup.decks, name == "always")


def _fill_green(table: PolicyTable, name: str) -> None:
    """Leave the holder alone: the holder would refuse."""
    setup = table.setup
    players = setup.players
    if name == "random":
        table.green[:] = UNIFORM
        if players == 2:
            table.green[held(1)] = 0
    elif name == "leader":
        tops = setup.tops()[setup.digits()]
        for disc in range(setup.discs):
            willing = np.array([row for row in range(1, players) if disc != held(row)])
            if willing.size:
                best = willing[tops[willing].argmax(axis=0)]  # the first of equals
                ahead = tops[willing].max(axis=0) > tops[0]
                table.green[disc] = np.where(ahead, best, 0)[:, None]
    elif name != "never":
        raise UnknownName("green policy of switch16", name, ("never", "leader", "random"))


def _fill_block(table: PolicyTable, name: str, number: str) -> None:
    setup = table.setup
    players = setup.players
    if name == "hold":
        _without_number(number, "block hold")
        return
    if name != "deny":
        raise UnknownName("block policy of switch16", name, ("hold", "deny"))
    if not number.isdecimal():
        raise UsageError(f"block deny needs a card such as deny:16, not {number!r}.")
    tops = setup.tops()[setup.digits()]
    for row in range(1, players):
        table.block[on_deck(row, players)] = (tops[row] <= tops[0])[:, None]
        last = tops[row][:, None] + np.arange(setup.cards + 1) - 1
        denied = last >= int(number)
        denied[:, 0] = False  # no card goes, so there is no moment to lay it
        table.lay[row] = np.where(denied, 0, NEVER)


def baseline(spec: str, setup: Setup) -> PolicyTable:
    """The policy table of a combination ``RISK/GREEN/BLOCK`` of baseline policies.

    RISK is never, always, threshold:q, greedy, to-milestone or protected; GREEN is never, leader
    or random; BLOCK is hold or deny:k.

    Raises
    ------
    UsageError
        If the combination is not of this form; `UnknownName` if a policy is unknown.
    """
    parts = spec.split("/")
    if len(parts) != 3:
        raise UsageError(
            f"{spec!r} is not a combination RISK/GREEN/BLOCK such as greedy/leader/deny:16."
        )
    risk, _, risk_number = parts[0].partition(":")
    block, _, block_number = parts[2].partition(":")
    if risk not in RISKS:
        raise UnknownName("risk policy of switch16", risk, RISKS)
    table = PolicyTable.empty(setup, spec)
    table.risk[:] = _risk(setup, risk, risk_number)[setup.digits()[0]]
    _fill_green(table, parts[1])
    _fill_block(table, block, block_number)
    return table


# Files --------------------------------------------------------------------------------------------


def save_policy(policy: PolicyTable, path: Path) -> tuple[Path, Path]:
    """Write a policy to ``path`` with the endings ``.npz`` and ``.json``; returns both paths.

    The JSON says what the tables are and under which rules they hold, and has the SHA-256 of the
    other file. The same policy always gives the same bytes.

    Raises
    ------
    OutputError
        If the files cannot be written.
    """
    buffer = io.BytesIO()
    tables: dict[str, Any] = dict(policy.tables())
    np.savez_compressed(buffer, **tables)
    payload = buffer.getvalue()
    description = {
        "format": FORMAT,
        "game": "switch16",
        "name": policy.name,
        "players": policy.setup.players,
        "rules": policy.setup.as_rules(),
        "facts": dict(policy.facts),
        "sha256": hashlib.sha256(payload).hexdigest(),
        "reading": {key: list(_AXES[key]) for key in TABLES},
    }
    text = json.dumps(description, indent=1) + "\n"
    data, about = _paths(path)
    try:
        data.parent.mkdir(parents=True, exist_ok=True)
        for target, content in ((data, payload), (about, text.encode())):
            beside = target.with_name(target.name + ".part")
            beside.write_bytes(content)
            os.replace(beside, target)
    except OSError as error:
        raise OutputError(f"cannot write the policy to {data}: {error}.") from error
    return data, about


def load_policy(path: Path) -> PolicyTable:
    """Read what `save_policy` wrote; ``path`` with or without one of the endings.

    Raises
    ------
    ResultsError
        If a file is missing, damaged, or not a policy of this program.
    """
    data, about = _paths(path)
    try:
        payload = data.read_bytes()
        description = json.loads(about.read_text())
    except (OSError, ValueError) as error:
        raise ResultsError(
            f"cannot read the policy {data.with_suffix('')}: {error}. It consists of an .npz and "
            "a .json file; `analyzer solve switch16` writes them."
        ) from error
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise ResultsError(f"{about} does not describe a policy in the format {FORMAT}.")
    if hashlib.sha256(payload).hexdigest() != description.get("sha256"):
        raise ResultsError(f"{data} is damaged or does not belong to {about}.")
    try:
        setup = Setup.from_rules(description["rules"], description["players"])
        with np.load(io.BytesIO(payload), allow_pickle=False) as stored:
            tables = {key: stored[key] for key in TABLES}
        name, facts = description["name"], description["facts"]
    except (KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{about} lacks something a policy needs: {error}.") from error
    policy = PolicyTable(setup, **tables, name=name, facts=facts)
    policy.check()
    return policy


def _paths(path: Path) -> tuple[Path, Path]:
    base = path.with_suffix("") if path.suffix in (".npz", ".json") else path
    return base.with_name(base.name + ".npz"), base.with_name(base.name + ".json")
