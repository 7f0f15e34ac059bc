"""A game whose differences come from known sources in known parts, as text of a module.

Seat 1 scores x points more than seat 2, and x is

    2 + 2 h + 4 a + 2 b + 2 d + 2 b d,

where h is the number of players in seat 1 that are bold less that in seat 2; a, b and d are 1 or -1
by chance: the deal's, the draw's, and the decision's of seat 1. A calm player always decides 1.
"""

COINS = '''"""Coins."""

from typing import NamedTuple

import numpy as np

from analyzer.contracts import Decision, Game, Outcome, Setting, Strategy
from analyzer.kernels.outcomes import share_wins
from analyzer.kernels.random import game_keys, redrawn, words


class View(NamedTuple):
    active: np.ndarray


class Coins(Game):
    name = "coins"
    title = "Coins"
    question = "Who wins?"
    min_players, max_players, default_players = 2, 2, 2
    settings = ()
    decisions = (Decision("side", np.uint8, "0 or 1, and 2 more to be bold"),)
    families = ()
    sees = ()
    games_per_lane = 1
    metrics = ()
    headline = ("games", "wins", "wins_sq")
    default_strategy = "any"
    chance = {"deal": (1,), "draw": (2,), "decisions": (16, 17)}

    def check_rules(self, rules, players):
        pass

    def score_range(self, rules, players):
        return 0, 40

    def sums(self, rules, players, detail):
        return {}

    def table(self, rules, players, lanes):
        return self.replica(rules, players, lanes, {})

    def replica(self, rules, players, lanes, replicas):
        return {
            source: [redrawn(purpose, replicas.get(source, 0)) for purpose in purposes]
            for source, purposes in self.chance.items()
        }

    def play(self, table, seed, games, seats, tally, watch=None):
        keys = game_keys(seed, games)
        word = np.empty(games.size, np.uint64)

        def coin(purpose):
            words(keys, purpose, 0, word)
            return 1 - 2 * (word & np.uint64(1)).astype(np.int16)

        a, b = coin(table["deal"][0]), coin(table["draw"][0])
        said = np.zeros((2, games.size), np.uint8)
        for p, seat in enumerate(seats):
            words(keys, table["decisions"][p], 0, word)
            chance = word.copy() if "side" in seat.strategy.stochastic else None
            seat.decide("side", View(np.ones(games.size, np.uint8)), chance, said[p])
        d = 1 - 2 * (said[0] & 1).astype(np.int16)
        bold = 2 * (said >> 1).astype(np.int16)
        x = 2 + 4 * a + 2 * b + 2 * d + 2 * b * d
        scores = np.stack([16 + x + bold[0], 16 + bold[1]]).astype(np.int16)
        wins = np.zeros((2, games.size), np.uint8)
        share_wins(scores, wins)
        return Outcome(games, wins, scores)


def any_side(view, params, words, out):
    out[:] = words & np.uint64(1)


def bold_side(view, params, words, out):
    out[:] = 2 + (words & np.uint64(1))


def calm_side(view, params, words, out):
    out[:] = 0


GAME = Coins()
STOCHASTIC = frozenset({"side"})
any_coin = Strategy("coins", "any", "Takes any side.", {"side": any_side}, STOCHASTIC)
bold = Strategy("coins", "bold", "Scores more.", {"side": bold_side}, STOCHASTIC)
calm = Strategy("coins", "calm", "Takes one side.", {"side": calm_side})
'''
