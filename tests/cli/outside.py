"""A game of other people, with all that a game may bring, as an installed package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from analyzer import plugins

HAGGLE = '''"""Haggle: everybody bids and plays a number; the highest sum wins."""

from typing import NamedTuple

import numpy as np

from analyzer.contracts import Decision, Game, Outcome, Setting, Strategy, Table
from analyzer.errors import UsageError
from analyzer.kernels.outcomes import share_wins


class View(NamedTuple):
    active: np.ndarray
    most: int


class Solved:
    """The highest numbers are best, whatever the others do."""

    answer = "Always name the highest number."
    figures = {"win_share": [0.5, 0.5]}
    table = Table(("decision", "what to do"), [("bid", "most"), ("play", "most")])
    sentences = ("Nothing is left to chance.",)
    contents = "a table"

    def tables(self):
        return {"best": {"decision": ["bid", "play"], "number": [9, 9]}}

    def chart(self):
        return {"x": [1]}, {"title": "no story draws it"}

    def write(self, folder):
        (folder / "policy.json").write_text("{}")

    def options(self, folder):
        return ["--strategy", "most/most"] if folder else []


class Solver:
    KERNELS = __name__

    def settle(self, players, against):
        if players not in (None, 2):
            raise UsageError(f"haggling is solved for 2 players; given {players}.")
        return 2, tuple(against)

    def solve(self, rules, players, against):
        return Solved()


class Haggle(Game):
    name = "haggle"
    title = "Haggle"
    question = "Does it pay to bid high?"
    min_players, max_players, default_players = 2, 4, 2
    settings = (
        Setting("top_bid", "int", 9, "highest number", "source", 1, 99, option=True),
        Setting("seed_money", "bool", False, "whether it is given", "source", option=True),
    )
    decisions = (
        Decision("bid", np.uint8, "a number", "bid"),
        Decision("play", np.uint8, "a number", "play"),
    )
    families = ("bid", "play")
    sees = ()
    games_per_lane = 1
    metrics = ()
    headline = ("games", "wins", "wins_sq")
    default_strategy = "most/least"
    solver = Solver()

    def check_rules(self, rules, players):
        pass

    def score_range(self, rules, players):
        return 0, 2 * rules["top_bid"]

    def sums(self, rules, players, detail):
        return {}

    def table(self, rules, players, lanes):
        return rules["top_bid"], np.zeros((players, lanes), np.uint8)

    def play(self, table, seed, games, seats, tally, watch=None):
        most, wins = table
        active = np.ones(games.size, np.uint8)
        named = np.zeros((2, len(seats), games.size), np.uint8)
        for p, seat in enumerate(seats):
            for row, decision in enumerate(("bid", "play")):
                seat.decide(decision, View(active, most), None, named[row, p])
        scores = named.sum(axis=0).astype(np.int16)
        if watch is not None:
            watch("named", {"sums": scores[:, 0].tolist()})
        share_wins(scores, wins[:, : games.size])
        return Outcome(games, wins[:, : games.size], scores)

    def narrator(self, seats):
        return lambda event, facts: [f"{event}: {facts['sums']}"]


def most(view, params, words, out):
    out[:] = view.most


def least(view, params, words, out):
    out[:] = 1


GAME = Haggle()
MADE = {
    f"{family}_{name}": Strategy("haggle", name, "Names it.", {family: hook}, family=family)
    for family in ("bid", "play")
    for name, hook in (("most", most), ("least", least))
}
globals().update(MADE)
'''


def forget() -> None:
    """Look for plugins anew."""
    importlib.invalidate_caches()
    plugins.forget()


@contextmanager
def installed(folder: Path, name: str, text: str, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have a module that defines a game and strategies installed."""
    (folder / f"{name}.py").write_text(text)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    points = f"[analyzer.games]\n{name} = {name}\n[analyzer.strategies]\n{name} = {name}\n"
    (info / "entry_points.txt").write_text(points)
    patch.syspath_prepend(folder)
    forget()
    try:
        yield
    finally:
        sys.modules.pop(name, None)
        patch.undo()
        forget()
