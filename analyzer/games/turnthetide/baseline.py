"""Turn the Tide as one would first write it: a game at a time, random players."""

from __future__ import annotations

import random

HAND = 12
HALVES = [0] * 12 + [1] * 12 + [2] * 12 + [1] * 12 + [0] * 12


def play(players: int, chance: random.Random) -> list[int]:
    """Final scores of one game by the printed rules for three to five players."""
    deck = list(range(60))
    chance.shuffle(deck)
    hands = [deck[p * HAND : (p + 1) * HAND] for p in range(players)]
    preservers = [sum(HALVES[card] for card in hand) // 2 for hand in hands]
    scores = [0] * players
    for _ in range(players):
        for p, points in enumerate(_round(hands, preservers, chance)):
            scores[p] += points
        hands = hands[-1:] + hands[:-1]
        preservers = preservers[-1:] + preservers[:-1]
    return scores


def _round(hands: list[list[int]], preservers: list[int], chance: random.Random) -> list[int]:
    cards = [list(hand) for hand in hands]
    lives = list(preservers)
    living = list(range(len(hands)))
    shown = [0] * len(hands)
    tides = [level for level in range(1, 13) for _ in range(2)]
    chance.shuffle(tides)
    for hand in range(HAND):
        if len(living) <= 2:
            break
        plays = [(cards[p].pop(chance.randrange(len(cards[p]))), p) for p in living]
        plays.sort(reverse=True)
        shown[plays[0][1]], shown[plays[1][1]] = sorted(tides[2 * hand : 2 * hand + 2])
        highest = max(shown[p] for p in living)
        for p in [p for p in living if shown[p] == highest]:
            lives[p] -= 1
            if lives[p] < 0:
                living.remove(p)
    lowest = min((shown[p] for p in living), default=0)
    return [lives[p] + (shown[p] == lowest) if p in living else -1 for p in range(len(hands))]
