"""Mermaid Beach sentence by sentence: positions laid by hand, played by twin and kernels alike.

Where a test draws, the deck has one sort of card only, or what comes up does not matter.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.engine.seat import SeatedStrategy
from analyzer.engine.tally import new_tally
from analyzer.errors import RulesError, StrategyFailed
from analyzer.experiment import Experiment
from analyzer.games.mermaidbeach.game import GAME, Batch
from analyzer.games.mermaidbeach.rules import beach_cards, shell_cards
from analyzer.games.mermaidbeach.state import DECISIONS, FINISHED, cards_of
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.rules import settle
from analyzer.specs import bind
from tests.games.mermaidbeach_told import (
    Listener,
    Told,
    lay,
    rows_of,
    seated,
    settings,
    standard,
    told_by_twin,
)
from tests.reference import chance
from tests.reference import mermaidbeach as twin
from tests.reference.mermaidbeach import (
    ASK,
    MEAN,
    MERFOLK,
    MONSTER,
    SEAWEED,
    STARFISH_LEFT,
    STARFISH_RIGHT,
    WAVE,
)

LEFT, RIGHT = STARFISH_LEFT, STARFISH_RIGHT
DULL = {0: 1, 1: 1, 2: 1}
"""A hand that can only ask."""
Cards = Mapping[int, int]
Script = dict[str, Any]
"""By decision, what a seat answers the first time; otherwise it plays greedily."""


@dataclass(frozen=True)
class After:
    """The table after some turns, seats in order."""

    events: list[Told]
    hands: list[list[int]]
    shells: list[list[int]]
    mover: int
    turn: int
    end: str
    points: tuple[int, ...] = ()
    wins: tuple[int, ...] = ()

    def names(self) -> list[str]:
        """What happened, in order."""
        return [name for name, _ in self.events]


class Scripted(twin.Greedy):
    """Does what the script says at the twin's table."""

    def __init__(self, script: Script) -> None:
        self.script = dict(script)

    def action(self, view: twin.View, word: int) -> int:
        """As told."""
        return self.script.pop("action") if "action" in self.script else super().action(view, word)

    def ask(self, view: twin.View, word: int) -> tuple[int, int]:
        """As told."""
        return self.script.pop("ask") if "ask" in self.script else super().ask(view, word)

    def beach(self, view: twin.View, word: int) -> bool:
        """As told."""
        return self.script.pop("beach", True)

    def shell(self, view: twin.View, word: int) -> tuple[int, int]:
        """As told."""
        return self.script.pop("shell") if "shell" in self.script else super().shell(view, word)

    def seaweed(self, view: twin.View, word: int) -> int:
        """As told."""
        told = "seaweed" in self.script
        return self.script.pop("seaweed") if told else super().seaweed(view, word)

    def passing(self, view: twin.View, word: int) -> int:
        """As told."""
        told = "pass" in self.script
        return self.script.pop("pass") if told else super().passing(view, word)


SCRIPTS = itertools.count()
CODES = {
    "ask": lambda answer: answer[0] + 16 * answer[1],
    "shell": lambda answer: answer[1] + 16 * answer[0],
}


def scripted(given: Script, players: int) -> SeatedStrategy:
    """Does what the script says at the kernels' table."""
    script = dict(given)
    rules = settle(GAME, players, {})
    greedy = SeatedStrategy(bind("mermaidbeach", "greedy", rules, players))

    def hook(decision: str, view: Any, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
        if not view.active.any():
            return
        if decision in script:
            answer = script.pop(decision)
            if isinstance(answer, Exception):
                raise answer
            out[:] = CODES.get(decision, int)(answer)
        elif decision == "beach":
            out[:] = 1
        else:
            greedy.decide(decision, view, words, out)

    hooks = {name: partial(hook, name) for name in DECISIONS}
    return seated(hooks, name=f"script {next(SCRIPTS)}")  # one strategy would be asked once


def after(
    hands: Sequence[Cards],
    shells: Sequence[Cards] | None = None,
    *,
    scripts: Sequence[Script] = (),
    beach: Cards | None = None,
    shell: Cards | None = None,
    beach_discard: Cards | None = None,
    shell_discard: Cards | None = None,
    turns: int = 1,
    rules: twin.Rules | None = None,
) -> After:
    """Play some turns from a position with seat 0 to move, by twin and kernels."""
    count = len(hands)
    rules = rules or standard(count)
    beach = {7: 4} if beach is None else beach
    shell = {1: 5} if shell is None else shell
    before = shells or [{}] * count
    told = [*scripts, *[{}] * (count - len(scripts))]
    seed, number = 3, 7

    table = twin.Table(
        hands=[twin.Pile(hand) for hand in hands],
        shells=[twin.Pile(mine) for mine in before],
        beach_deck=twin.Pile(beach),
        shell_deck=twin.Pile(shell),
        beach_discard=twin.Pile(beach_discard),
        shell_discard=twin.Pile(shell_discard),
    )
    word = partial(chance.word, chance.game_key(seed, number))
    game = twin.Game(rules, [Scripted(script) for script in told], word, table)
    while table.turn < min(turns, rules.max_turns) and not game.end():
        game.take_turn()
    over = bool(game.end()) or table.turn == rules.max_turns
    if over:
        result = game.result()
        events = told_by_twin(game, result)
    else:
        events = [(e.name, {"turn": e.turn, **e.facts, **e.secret}) for e in game.log]

    listener = Listener()
    seats = [scripted(script, count) for script in told]
    workspace = GAME.table(settings(rules), count, 1)
    numbers = np.array([number], np.uint64)
    for seat in seats:
        seat.games = numbers
    workspace.open(seed, numbers, False)
    batch = Batch(workspace, seats, listener)
    batch.begin()
    listener.events.clear()
    lay(batch, hands, before, beach, shell, beach_discard or {}, shell_discard or {})
    for _ in range(table.turn):
        batch.step()
    finished = bool(workspace.progress[FINISHED])
    rows = rows_of(batch)
    found = After(
        events=listener.events,
        hands=[cards_of(pile) for pile in rows["hands"]],
        shells=[cards_of(pile) for pile in rows["shells"]],
        mover=int(batch.lanes.state.seat[0]),
        turn=int(batch.lanes.state.turn[0]),
        end=listener.events[-1][1]["end"] if finished else "",
    )
    expected = After(
        events=events,
        hands=[[hand.nth(i) for i in range(len(hand))] for hand in table.hands],
        shells=[[pile.nth(i) for i in range(len(pile))] for pile in table.shells],
        mover=found.mover if over else table.mover,  # who is to move when all is over
        turn=table.turn,
        end=result.end if over else "",
    )
    assert found == expected
    decks = batch.lanes.state.beach_deck[0], batch.lanes.state.shell_deck[0]
    piles = (table.beach_deck, table.shell_deck)
    assert [cards_of(deck) for deck in decks] == [
        [pile.nth(i) for i in range(len(pile))] for pile in piles
    ]
    if not over:
        return found
    experiment = Experiment("mermaidbeach", ("random",) * count, settings(rules), 1, 1)
    outcome = GAME.outcome(workspace, numbers, new_tally(GAME, experiment))
    points, wins = tuple(outcome.scores[:, 0].tolist()), tuple(outcome.wins[:, 0].tolist())
    assert (points, wins) == (result.points, result.wins)
    return After(**{**vars(found), "points": points, "wins": wins})


# The six actions ----------------------------------------------------------------------------------


def test_merfolk_draws_a_shell_and_gives_another_turn() -> None:
    table = after([{MERFOLK: 1, **DULL}, DULL], shell={3: 1})
    assert (table.hands[0], table.shells) == ([0, 1, 2], [[3], []])
    assert (table.mover, table.turn) == (0, 1)


def test_an_extra_turn_counts_as_a_turn_of_its_own() -> None:
    table = after([{MERFOLK: 2, **DULL}, {5: 3}, {6: 3}], turns=3, beach={9: 4})
    assert (table.mover, table.turn, table.shells[0]) == (1, 3, [1, 1])
    assert table.names() == ["discard", "shell"] * 2 + ["ask", "draw"]


def test_mean_mermaid_takes_the_shell_chosen_and_draws_none() -> None:
    table = after(
        [{MEAN: 1, **DULL}, DULL, DULL], [{}, {4: 1}, {1: 2}], scripts=[{"shell": (2, 1)}]
    )
    assert table.shells == [[1], [4], [1]]
    assert (table.mover, table.names()) == (1, ["discard", "shell taken"])


def test_pair_draws_a_shell_and_ends_the_turn() -> None:
    table = after([{0: 3, 1: 1}, DULL], shell={4: 1})
    assert (table.hands[0], table.shells[0], table.mover) == ([0, 1], [4], 1)


def test_wave_washes_the_shell_chosen_away() -> None:
    script = {"action": WAVE, "shell": (1, 1)}
    table = after([{WAVE: 1, **DULL}, DULL], [{2: 1}, {1: 1, 4: 1}], scripts=[script])
    assert (table.shells, table.mover) == ([[2], [4]], 1)


@pytest.mark.parametrize("opponent", [1, 2, 3])
def test_seaweed_makes_the_opponent_chosen_draw(opponent: int) -> None:
    script = {"action": SEAWEED, "seaweed": opponent}
    table = after([{SEAWEED: 1, **DULL}, DULL, DULL, DULL], scripts=[script], beach={7: 1})
    drew = [[0, 1, 2, 7] if seat == opponent else [0, 1, 2] for seat in range(4)]
    assert (table.hands, table.mover) == (drew, 1)


@pytest.mark.parametrize(
    ("hand", "theirs", "able"),
    [
        (DULL, {}, [ASK]),
        ({**DULL, WAVE: 1, MEAN: 1}, {}, [ASK]),
        ({**DULL, WAVE: 1}, {1: 1}, [WAVE, ASK]),
        ({**DULL, MEAN: 1}, {1: 1}, [MEAN]),
        ({**DULL, MERFOLK: 2}, {}, [MERFOLK]),
        ({0: 2, 1: 1, 5: 4}, {}, [0, 5]),
        ({0: 2, MERFOLK: 1, MEAN: 1, WAVE: 1, SEAWEED: 1}, {1: 1}, [0, 11, 12, 13, 14]),
        ({SEAWEED: 1, MONSTER: 1, WAVE: 1}, {}, [SEAWEED]),
        ({WAVE: 1, MONSTER: 1}, {1: 1}, [WAVE]),
        ({WAVE: 1, MEAN: 2, MONSTER: 1}, {}, [MEAN, WAVE]),
    ],
)
def test_what_may_be_done(hand: Cards, theirs: Cards, able: list[int]) -> None:
    """What is legal by twin and kernels; all of it is accepted, everything else refused."""
    for action in range(16):
        script = {"action": action, "shell": (1, 1)}
        arguments: Any = {"scripts": [script]}
        if action in able:
            after([hand, DULL], [{4: 1}, theirs], **arguments)
        else:
            with pytest.raises(twin.IllegalDecision):
                after([hand, DULL], [{4: 1}, theirs], **arguments)
            assert "decision 'action'" in refusal([hand, DULL], [{4: 1}, theirs], script)


def refusal(hands: Sequence[Cards], shells: Sequence[Cards], script: Script, **more: Any) -> str:
    """What the kernels say of an illegal answer of seat 0."""
    count = len(hands)
    seats = [scripted(script, count), *[scripted({}, count) for _ in range(count - 1)]]
    table = GAME.table(settings(standard(count)), count, 1)
    table.open(3, np.array([7], np.uint64), False)
    batch = Batch(table, seats)
    batch.begin()
    lay(batch, hands, shells, more.get("beach", {7: 4}), more.get("shell", {1: 5}), {}, {})
    with pytest.raises(StrategyFailed) as failure:
        batch.step()
    assert failure.value.game == 7
    assert failure.value.moment.startswith("turn 1, seat 1")
    return str(failure.value)


@pytest.mark.skipif(JIT_DISABLED, reason="takes minutes where kernels are not compiled")
@pytest.mark.parametrize("decision", ["action", "ask"])
@pytest.mark.parametrize("lane", [0, 300, 900])
def test_the_game_of_an_illegal_answer_is_named_among_many(decision: str, lane: int) -> None:
    """Also where the games before it have gone on by then."""
    bound = bind("mermaidbeach", "random", settings(standard(3)), 3)
    turns: list[int] = []
    wrong: list[int] = []

    def answer(view: Any, params: Any, words: Any, out: Any) -> None:
        bound.hooks[decision](view, params, words, out)
        turns.append(1)
        if len(turns) == 2:
            active = np.flatnonzero(view.active)
            wrong.append(int(active[active >= lane][0]))
            out[wrong] = 200

    hooks = {**bound.hooks, decision: answer}
    if decision == "ask":
        hooks["action"] = always_asks
    seats = [seated(hooks, stochastic=tuple(bound.stochastic), params=bound.params)] * 3
    table = GAME.table(settings(standard(3)), 3, 1_024)
    table.open(3, np.arange(100, 4_196, dtype=np.uint64), False)
    batch = Batch(table, seats)
    batch.begin()
    with pytest.raises(StrategyFailed) as failure:
        batch.play()
    assert "200" in str(failure.value)
    assert failure.value.game == 100 + wrong[0]


def always_asks(view: Any, params: Any, words: Any, out: Any) -> None:
    can_ask = view.playable >> np.uint64(4 * ASK) & np.uint64(15) != 0
    lowest = [(int(playable) & -int(playable)).bit_length() // 4 for playable in view.playable]
    out[:] = np.where(can_ask, ASK, lowest)


def test_asking_freely_is_a_setting() -> None:
    rules = standard(2, ask_freely=True)
    table = after([{0: 2, 1: 1}, DULL], scripts=[{"action": ASK}], rules=rules)
    assert table.names()[0] == "ask"


@pytest.mark.parametrize("card", [MEAN, WAVE])
def test_who_can_do_nothing_else_discards_without_effect(card: int) -> None:
    hand = {MEAN: 1, WAVE: 1, MONSTER: 1}
    table = after([hand, DULL], [{4: 1}, {}], scripts=[{"action": card}])
    assert (table.shells, table.mover, table.end) == ([[4], []], 1, "")
    assert table.names() == ["discard", "no effect"]


# Asking and going to the beach --------------------------------------------------------------------


def test_an_opponent_who_has_the_item_gives_one_and_the_pair_draws_a_shell() -> None:
    table = after([DULL, DULL, {1: 2, 3: 1}], scripts=[{"ask": (1, 2)}], shell={2: 1})
    assert table.hands == [[0, 2], [0, 1, 2], [1, 3]]
    assert (table.shells[0], table.mover) == ([2], 1)


def go_to_the_beach(card: int, theirs: Cards | None = None, **more: Any) -> After:
    """Seat 0 asks for kind 0 in vain and draws the card."""
    script = {"ask": (0, 1)} | more.pop("script", {})
    hands = [{0: 1, 1: 1}, {5: 3}]
    return after(hands, [{}, theirs or {}], scripts=[script], beach={card: 1}, **more)


@pytest.mark.parametrize("card", [5, MONSTER])
def test_a_card_of_no_use_is_kept_and_the_turn_ends(card: int) -> None:
    table = go_to_the_beach(card)
    assert (table.hands[0], table.mover) == ([0, 1, card], 1)


@pytest.mark.parametrize("card", [0, 1])
def test_an_item_that_matches_any_kind_in_hand_is_a_pair(card: int) -> None:
    table = go_to_the_beach(card)
    assert (table.hands[0], table.shells[0], table.mover) == ([1 - card], [1], 1)


def test_merfolk_from_the_beach_give_their_extra_turn() -> None:
    table = go_to_the_beach(MERFOLK)
    assert (table.hands[0], table.shells[0], table.mover) == ([0, 1], [1], 0)


@pytest.mark.parametrize("card", [MEAN, WAVE])
def test_mean_mermaid_and_wave_from_the_beach_need_a_shell(card: int) -> None:
    table = go_to_the_beach(card)
    assert (table.hands[0], table.mover) == ([0, 1, card], 1)
    table = go_to_the_beach(card, {3: 1})
    assert table.hands[0] == [0, 1]
    assert (table.shells, table.mover) == ([[3] if card == MEAN else [], []], 1)


def test_seaweed_from_the_beach_may_be_the_very_card_the_opponent_draws() -> None:
    table = go_to_the_beach(SEAWEED)  # the deck is empty: the discard pile, seaweed on it, is next
    assert table.hands == [[0, 1], [5, 5, 5, SEAWEED]]
    assert table.names() == ["ask", "draw", "discard", "seaweed", "refill", "draw"]


def test_playing_at_the_beach_is_free_and_a_setting() -> None:
    table = go_to_the_beach(MERFOLK, script={"beach": 0})
    assert (table.hands[0], table.mover) == ([0, 1, MERFOLK], 1)
    table = go_to_the_beach(MERFOLK, rules=standard(2, play_at_beach=False))
    assert (table.hands[0], table.mover) == ([0, 1, MERFOLK], 1)


# Shell deck and beach deck ------------------------------------------------------------------------


@pytest.mark.parametrize(("starfish", "got"), [(LEFT, [2, 0, 1]), (RIGHT, [1, 2, 0])])
def test_starfish_passes_one_card_each_all_at_once(starfish: int, got: list[int]) -> None:
    hands = [{0: 1, 8: 1, MERFOLK: 1}, {1: 1, 9: 1}, {2: 1, 10: 1}]
    scripts = [{"pass": kind} for kind in range(3)]
    table = after(hands, scripts=scripts, shell={starfish: 2})
    assert table.hands == [sorted([8 + seat, got[seat]]) for seat in range(3)]
    assert (table.shells, table.mover) == ([[]] * 3, 0)  # the merfolk's extra turn
    assert table.names() == ["discard", "shell", "pass", "pass", "pass"]


def test_who_has_one_card_must_pass_it_and_has_not_run_out_if_passed_another() -> None:
    table = after([{MERFOLK: 1, **DULL}, {5: 1}], shell={LEFT: 1})
    assert (table.hands, table.end) == ([[1, 2, 5], [0]], "")


def test_an_exhausted_shell_deck_gives_nothing_and_is_not_refilled() -> None:
    table = after([{MERFOLK: 1, **DULL}, DULL], shell={}, shell_discard={4: 1})
    assert (table.shells[0], table.mover) == ([], 0)
    assert table.names() == ["discard", "no shell card"]


def test_an_exhausted_beach_deck_is_refilled_when_a_card_must_be_drawn() -> None:
    table = after([{0: 1, 1: 1}, {5: 3}], beach={9: 1}, beach_discard={8: 3})
    assert (table.hands[0], table.names()) == ([0, 1, 9], ["ask", "draw"])
    table = after([{0: 1, 1: 1}, {5: 3}], beach={}, beach_discard={8: 3})
    assert (table.hands[0], table.names()) == ([0, 1, 8], ["ask", "refill", "draw"])


def test_draws_go_on_from_a_refilled_deck() -> None:
    """Different cards, several draws: the words go on where they were."""
    deck = {3: 1, 4: 1, 6: 1, 8: 2, 9: 3, 10: 1}
    after([{0: 1, 1: 1}, {5: 3}], beach={9: 1}, beach_discard=deck, turns=8)


def test_nothing_is_drawn_where_no_card_is_left() -> None:
    table = after([{0: 1, 1: 1}, {5: 3}], beach={})
    assert (table.hands[0], table.mover) == ([0, 1], 1)
    assert table.names() == ["ask", "no beach card"]
    # A card played is on the discard pile before anything is drawn for it.
    table = after([{SEAWEED: 1, 0: 1}, {5: 3}], scripts=[{"action": SEAWEED}], beach={})
    assert table.hands[1] == [5, 5, 5, SEAWEED]


# The end ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [{MERFOLK: 1}, {0: 2}])
def test_the_last_card_still_draws_its_shell(last: Cards) -> None:
    table = after([last, DULL], shell={4: 1}, turns=5)
    assert (table.shells[0], table.end, table.turn) == ([4], "out of cards", 1)


@pytest.mark.parametrize("last", [{MERFOLK: 1}, {0: 2}])
def test_a_starfish_on_the_last_card_lets_the_others_pass_but_ends_the_game(last: Cards) -> None:
    table = after([last, {5: 2}, {6: 2}], shell={LEFT: 1}, turns=5)
    assert table.hands == [[6], [5], [5, 6]]  # the mover is passed a card, and is out all the same
    assert (table.end, table.turn) == ("out of cards", 1)
    assert table.names()[:4] == ["discard", "shell", "pass", "pass"]


@pytest.mark.parametrize("last", [MEAN, WAVE, SEAWEED])
def test_any_last_card_does_what_it_does_and_ends_the_game(last: int) -> None:
    table = after([{last: 1}, DULL], [{}, {1: 1, 3: 1}], turns=5)
    assert (table.end, table.turn) == ("out of cards", 1)
    wanted = {MEAN: ([[3], [1]], 3), WAVE: ([[], [1]], 3), SEAWEED: ([[], [1, 3]], 4)}
    assert (table.shells, len(table.hands[1])) == wanted[last]


def test_an_opponent_who_gives_the_last_card_has_run_out() -> None:
    table = after([DULL, DULL, {1: 1}], scripts=[{"ask": (1, 2)}], shell={RIGHT: 1}, turns=5)
    assert table.hands == [[0, 2], [1, 2], [0]]  # passed a card by the starfish drawn for it
    assert (table.end, table.turn) == ("out of cards", 1)


def test_a_player_left_with_the_monster_alone_ends_the_game() -> None:
    table = after([{MONSTER: 1, MERFOLK: 1}, DULL], shell={3: 1}, turns=5)
    assert (table.end, table.turn, table.points) == ("monster alone", 1, (0, 0))
    assert "monster eats" in table.names()


def test_several_monsters_are_the_monster_alone() -> None:
    assert after([{MONSTER: 2, MERFOLK: 1}, DULL], turns=5).turn == 1


def test_being_passed_the_monster_alone_ends_the_game() -> None:
    table = after([{MONSTER: 1, MERFOLK: 1, 0: 1}, {5: 1}], shell={LEFT: 1}, turns=5)
    assert (table.hands, table.end, table.turn) == ([[0, 5], [MONSTER]], "monster alone", 1)


def test_passing_the_monster_on_in_the_same_action_saves_from_its_end() -> None:
    table = after([{MONSTER: 1, MERFOLK: 1}, {5: 2}], shell={LEFT: 1})
    assert (table.hands, table.end) == ([[5], [5, MONSTER]], "")


def test_both_ends_at_once_count_as_out_of_cards() -> None:
    table = after([{1: 1, MONSTER: 1}, {1: 1}], scripts=[{"ask": (1, 1)}], turns=5)
    assert (table.hands, table.end) == ([[MONSTER], []], "out of cards")


# Scoring ------------------------------------------------------------------------------------------


def scored(shells: Sequence[Cards], monster: int | None = None) -> After:
    """How a table scores at the end, seat 0 having played its last card for nothing."""
    hands: list[dict[int, int]] = [{MERFOLK: 1}, *[{7: 1} for _ in shells[1:]]]
    if monster is not None:
        hands[monster] |= {MONSTER: 1, 6: 1}
    return after(hands, shells, shell={}, turns=5)


def test_most_points_win() -> None:
    table = scored([{1: 3}, {4: 1}, {3: 1}])
    assert (table.wins, table.points) == ((0, 60, 0), (3, 4, 3))


def test_equal_points_go_to_more_shells_and_then_are_shared() -> None:
    assert scored([{4: 1}, {1: 2, 2: 1}, {2: 2}]).wins == (0, 60, 0)
    assert scored([{4: 1}, {1: 1, 3: 1}, {2: 2}]).wins == (0, 30, 30)
    assert scored([{}, {}, {}]).wins == (20, 20, 20)
    assert scored([{13: 1}] * 5).wins == (12,) * 5


def test_monster_eats_every_shell_of_the_own_highest_value_and_no_other() -> None:
    assert scored([{4: 2, 2: 1}, {4: 1, 3: 2}], monster=1).points == (10, 6)
    assert scored([{1: 3}, {2: 2}], monster=1).points == (3, 0)


def test_shells_are_counted_after_the_meal() -> None:
    # 4 points each, four shells against two; then 5 points each, three shells.
    assert scored([{2: 2}, {1: 4, 4: 1}], monster=1).wins == (0, 60)
    assert scored([{2: 2, 1: 1}, {1: 1, 4: 3, 2: 2}], monster=1).wins == (30, 30)


def test_a_monster_without_shells_eats_nothing() -> None:
    table = scored([{1: 1}, {}], monster=1)
    assert "monster eats" not in table.names()


def test_a_game_that_runs_on_is_stopped_without_a_winner() -> None:
    rules = standard(2, max_turns=3)
    table = after([{0: 1, 1: 1}, {2: 1, 3: 1}], [{4: 1}, {}], turns=9, rules=rules, beach={})
    assert (table.end, table.turn) == ("unfinished", 3)
    assert (table.wins, table.points) == ((0, 0), (4, 0))


# Illegal answers and contradicting rules ----------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "hand", "what"),
    [
        ({"action": 16}, DULL, "it chose 16; legal were 15 (ask)"),
        ({"action": MERFOLK}, DULL, "it chose 11; legal were 15 (ask)"),
        ({"action": 0}, {0: 1, 3: 2}, "it chose 0; legal were 3 (pair of item 3)"),
        ({"ask": (3, 1)}, DULL, "kind 3 of opponent 1; legal are kinds 0, 1, 2"),
        ({"ask": (0, 0)}, DULL, "kind 0 of opponent 0"),
        ({"ask": (0, 2)}, DULL, "kind 0 of opponent 2"),
        ({"ask": (MERFOLK, 1)}, DULL, "kind 11 of opponent 1"),
        ({"seaweed": 0}, {SEAWEED: 1, MONSTER: 1}, "it chose opponent 0; there are 1 to 1"),
        ({"seaweed": 2}, {SEAWEED: 1, MONSTER: 1}, "it chose opponent 2; there are 1 to 1"),
        ({"pass": 5}, {MERFOLK: 1, **DULL}, "it chose card 5, but its hand was 0 (item 0), 1"),
        ({"pass": 16}, {MERFOLK: 1, **DULL}, "it chose card 16"),
        ({"shell": (1, 4)}, {MEAN: 1, 0: 1}, "a shell card of 4 of opponent 1; legal were 2 + 16"),
        ({"shell": (0, 4)}, {MEAN: 1, 0: 1}, "a shell card of 4 of opponent 0"),
        ({"shell": (2, 2)}, {WAVE: 1, MONSTER: 1}, "a shell card of 2 of opponent 2"),
    ],
)
def test_what_the_rules_forbid_is_refused(script: Script, hand: Cards, what: str) -> None:
    (decision,) = script
    told = refusal([hand, DULL], [{4: 1}, {2: 1}], script, shell={LEFT: 1})
    assert f"decision '{decision}'" in told
    assert what in told


@pytest.mark.parametrize(
    ("decision", "hand", "more"),
    [
        ("action", DULL, {}),
        ("ask", DULL, {}),
        ("beach", {0: 1, 1: 1}, {"beach": {MERFOLK: 1}}),
        ("shell", {MEAN: 1, 0: 1}, {}),
        ("seaweed", {SEAWEED: 1, MONSTER: 1}, {}),
        ("pass", {MERFOLK: 1, **DULL}, {"shell": {LEFT: 1}}),
    ],
)
def test_a_hook_that_raises_is_named_with_game_and_seat(
    decision: str, hand: Cards, more: dict[str, Cards]
) -> None:
    script = {"ask": (0, 1), decision: ArithmeticError("no idea")}
    told = refusal([hand, {5: 3}], [{}, {2: 1}], script, **more)
    assert f"(turn 1, seat 1, decision '{decision}'): its hook raised ArithmeticError" in told


def test_only_yes_and_no_are_answers_at_the_beach() -> None:
    script = {"ask": (0, 1), "beach": 2}
    told = refusal([{0: 1, 1: 1}, {5: 3}], [{}, {}], script, beach={MERFOLK: 1})
    assert "decision 'beach'): it answered 2; 1 plays the card and 0 keeps it" in told


def test_the_lowest_game_is_named_whatever_the_batch() -> None:
    """A strategy that passes what it has not got, or raises, from some turn on."""
    from analyzer.engine.batch import Player

    rules = settle(GAME, 2, {})

    def fails(at: int, how: str) -> SeatedStrategy:
        random = bind("mermaidbeach", "random", rules, 2)

        def action(view: Any, params: Any, words: Any, out: NDArray[np.uint8]) -> None:
            SeatedStrategy(random).decide("action", view, words, out)
            late = (view.turn >= at) & (view.active != 0)
            if how == "raises" and late.any():
                raise ArithmeticError("too late")
            out[late] = 40

        hooks = {**random.hooks, "action": action}
        params = {**random.params, "action": ()}
        return seated(hooks, stochastic=tuple(random.stochastic), name=how, params=params)

    failed = []
    for how in ("cheats", "raises"):
        for lanes in (8, 64):
            experiment = Experiment("mermaidbeach", ("random", "random"), rules, 300, 5)
            player = Player(experiment, 256)
            one = fails(20, how)
            player.seatings = [[player.seatings[0][0], one]]
            player.tables = {256: GAME.table(rules, 2, lanes)}
            with pytest.raises(StrategyFailed) as failure:
                player._play_batch(np.arange(200, dtype=np.uint64), 0, new_tally(GAME, experiment))
            failed.append((failure.value.game, failure.value.strategy))
    first = failed[0][0]
    assert failed == [(first, "cheats")] * 2 + [(first, "raises")] * 2
    lengths = []
    for number in range(first + 1):
        listener = Listener()
        table = GAME.table(rules, 2, 1)
        seats = [SeatedStrategy(bind("mermaidbeach", "random", rules, 2)) for _ in range(2)]
        numbers = np.array([number], np.uint64)
        GAME.play(table, 5, numbers, seats, new_tally(GAME, experiment), listener)
        lengths.append(listener.events[-1][1]["turn"] + 1)
    # Whoever has seat 2 is asked in turn 21 or later: every game before is too short for that.
    assert all(length <= 21 for length in lengths[:-1]) and lengths[-1] >= 21


@pytest.mark.parametrize(
    ("players", "given", "reason"),
    [
        (2, {"item_kinds": 11, "item_copies": 15}, "the beach deck would have 184 cards, 165 of"),
        (2, {"item_copies": 14}, "it may have at most 127"),
        (2, {"shells": dict.fromkeys(map(str, range(1, 14)), 15)}, "the shell deck would have 201"),
        (5, {"hand_size": 11}, "needs 55 beach cards, but there are 51; hand_size may be at most"),
        (3, {"young": True, "hand_size": 16}, "but there are 47; hand_size may be at most 15"),
        (
            2,
            dict.fromkeys(("item_kinds", "item_copies"), 1)
            | dict.fromkeys(("merfolk", "mean", "waves", "seaweed", "monsters"), 0),
            "but there are 1; raise some of their numbers",
        ),
        (2, {"item_kinds": 12}, "item_kinds"),
        (2, {"merfolk": 16}, "merfolk"),
        (2, {"shells": {"14": 1}}, "'14' is not a number of points"),
        (2, {"shells": {"0": 1}}, "'0' is not a number of points"),
        (2, {"shells": {"1": 16}}, "16 is not a number of cards"),
        (2, {"shells": {"1": True}}, "True is not a number of cards"),
        (2, {"shells": [1, 2]}, "[1, 2] is not a number of cards"),
        (2, {"max_turns": 4001}, "max_turns"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(
    players: int, given: dict[str, Any], reason: str
) -> None:
    with pytest.raises(RulesError) as refused:
        settle(GAME, players, given)
    assert reason in str(refused.value)


@pytest.mark.parametrize("players", range(2, 6))
def test_standard_rules(players: int) -> None:
    rules = standard(players)
    defaults = {setting.key: setting.default_for(players) for setting in GAME.settings}
    assert settings(rules) == defaults
    beach, shell = beach_cards(defaults), shell_cards(defaults)
    assert twin.Pile(beach) == rules.beach_cards()
    assert twin.Pile(shell) == rules.shell_cards()
    assert (sum(beach.values()), sum(shell.values())) == (51, 26)
    assert defaults["hand_size"] == (7 if players == 2 else 5)
    assert GAME.score_range(defaults, players) == (0, 50)
