"""Hands played again, with all other chance drawn anew, against the twin one game at a time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from analyzer.engine.runner import run
from analyzer.experiment import Experiment
from analyzer.games.turnthetide import game as compiled
from analyzer.games.turnthetide.lifesavers import _hand_effect
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.plugins import find_game
from analyzer.rules import settle
from tests.reference import chance
from tests.reference import turnthetide as twin

GAME = find_game("turnthetide")
SEED = 11


def experiment(*strategies: str, games: int, rotate: bool = False, **rules: Any) -> Experiment:
    settled = settle(GAME, len(strategies), {"rounds": 1, **rules})
    return Experiment(GAME.name, strategies, settled, games, SEED, "replay", rotate)


def played_again(
    rules: twin.Rules, strategies: list[twin.Strategy], game: int, seat: int
) -> tuple[twin.GameRecord, twin.GameRecord]:
    """A game of one round, and the same with nothing kept but one seat's hand."""
    first = twin.play(rules, strategies, SEED, game)
    key, replica = chance.game_key(SEED, game), seat + 1 << 8
    size, players = rules.hand_size, rules.players
    kept = first.deals[seat]
    cards = chance.shuffled(twin.CARDS, players * size, key, twin.DEAL | replica)
    others = [card for card in cards if card not in kept]
    deals = [frozenset(others[size * i : size * (i + 1)]) for i in range(players - 1)]
    deals.insert(seat, kept)
    deck = [level for level in range(1, rules.tide_max + 1) for _ in range(2)]
    tides = chance.shuffled(deck, 2 * rules.hands, key, twin.TIDES | replica)
    again = twin.play_given(
        rules,
        deals,
        [list(zip(tides[::2], tides[1::2], strict=True))],
        strategies,
        lambda p, number, hand: chance.word(
            key, (twin.DECIDE + p) | replica, (number << 20) | hand
        ),
    )
    return first, again


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("strategy", ["random", "reactive"])
def test_replays_are_those_of_the_twin(players: int, strategy: str) -> None:
    games = 60
    rules = twin.standard(players, rounds=1)
    strategies = [twin.BASELINES[strategy]] * players
    expected = np.zeros((players, 2, 256), np.int64)
    scores = np.zeros(players, np.int64)
    for game in range(games):
        for seat in range(players):
            first, again = played_again(rules, strategies, game, seat)
            y = again.scores[seat]
            expected[seat, :, game % 256] += y, first.scores[seat] * y
            scores[seat] += first.scores[seat]
    found = run(experiment(*(strategy,) * players, games=games))
    np.testing.assert_array_equal(found.sums["replayed"][0], expected)
    np.testing.assert_array_equal(found.sums["score"][0].sum(axis=-1), scores)


@pytest.mark.long
def test_the_effect_of_a_hand_is_that_of_hands_played_over_and_over() -> None:
    """Variance over hands of their mean scores, each hand played 40 times, as the naive way."""
    rng = np.random.default_rng(4)
    rules = twin.standard(4, rounds=1)
    strategies: list[twin.Strategy] = [twin.reactive] * 4
    hands, times = (40, 10) if JIT_DISABLED else (250, 40)
    scores = np.empty((hands, times))
    for hand in range(hands):
        kept = frozenset((1 + rng.permutation(60)[:12]).tolist())
        for time in range(times):
            rest = [int(card) for card in 1 + rng.permutation(60) if int(card) not in kept]
            deals = [kept, *(frozenset(rest[12 * i : 12 * (i + 1)]) for i in range(3))]
            deck = rng.permutation([level for level in range(1, 13) for _ in range(2)]).tolist()
            tides = [list(zip(deck[::2], deck[1::2], strict=True))]
            scores[hand, time] = twin.play_given(rules, deals, tides, strategies).scores[0]
    within = scores.var(axis=1, ddof=1).mean()
    between = scores.mean(axis=1).var(ddof=1) - within / times
    found, share = _hand_effect(
        run(experiment(*("reactive",) * 4, games=300 if JIT_DISABLED else 20_000))
    )
    assert found.value is not None and share.value is not None
    assert found.value == pytest.approx(between**0.5, rel=0.5 if JIT_DISABLED else 0.15)
    assert share.value == pytest.approx(
        found.value**2 / (within + between), rel=0.5 if JIT_DISABLED else 0.2
    )


def test_where_no_hand_is_kept_hands_are_found_to_decide_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def replays(self: compiled.Table) -> list[compiled.Table]:
        return [
            compiled.Table(self.rules, self.players, self.lanes, dict.fromkeys(compiled.CHANCE, 9))
            for _ in range(self.players)
        ]

    monkeypatch.setattr(compiled.Table, "replays", replays)
    games = 300 if JIT_DISABLED else 4000
    found, share = _hand_effect(run(experiment(*("reactive",) * 4, games=games)))
    assert share.low is not None and share.high is not None
    assert share.low < 0 < share.high
    assert found.low == 0


def test_hands_around_the_kept_one_are_dealt_like_any(monkeypatch: pytest.MonkeyPatch) -> None:
    table = GAME.table(settle(GAME, 4, {"rounds": 1}), 4, 1024)
    numbers = np.arange(1024, dtype=np.uint64)
    GAME.deal(table, SEED, numbers)
    for seat, again in enumerate(table.replays()):
        GAME.deal(again, SEED, numbers)
        dealt = again.state.deal.dealt
        np.testing.assert_array_equal(dealt[seat], table.state.deal.dealt[seat])
        seen: Counter[int] = Counter()
        for g in range(1024):
            hands = [int(hand) for hand in dealt[:, g]]
            assert [hand.bit_count() for hand in hands] == [12] * 4
            assert (hands[0] | hands[1] | hands[2] | hands[3]).bit_count() == 48
            seen.update(card for card in range(60) if hands[seat - 1] >> card & 1)
        # 1024 * 12 / 60 = 204.8 times each card, give or take five standard deviations of 12.8.
        assert all(abs(seen[card] - 204.8) < 64 for card in range(60))


@pytest.mark.parametrize("rotate", [False, True])
def test_strategies_that_differ_count_for_nothing(rotate: bool) -> None:
    """Seats' means are taken out: a table of unequal strategies is not all luck of the deal."""
    games = 600 if JIT_DISABLED else 24_000
    mixed = ("lowest", "random", "reactive")
    _, share = _hand_effect(run(experiment(*mixed, games=games, rotate=rotate)))
    alone = [
        _hand_effect(run(experiment(*(name,) * 3, games=games)))[1].value or 0.0 for name in mixed
    ]
    assert share.value is not None
    assert share.value < max(alone) + 0.15
