"""Mermaid Beach sentence by sentence: positions laid by hand, played by twin and kernels alike.

`after` plays a position on both sides and fails where they differ in anything, so that what a test
says of its result is said of both. Where a test draws, the deck has one sort of card only, or what
comes up does not matter. At the end is what the plain twin does alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analyzer.engine.seat import SeatedStrategy
from analyzer.engine.tally import new_tally
from analyzer.errors import RulesError, StrategyFailed
from analyzer.experiment import Experiment
from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.game import GAME, Batch
from analyzer.games.mermaidbeach.rules import beach_cards, shell_cards
from analyzer.games.mermaidbeach.state import cards_of
from analyzer.kernels.compilation import JIT_DISABLED
from analyzer.rules import settle
from analyzer.specs import bind
from tests.games.mermaidbeach.told import (
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
SEED, NUMBER = 3, 7
"""Of the run and the game whose chance is used."""
Script = dict[str, Any]
"""By decision, what a seat answers the first time; otherwise it plays greedily."""


@dataclass(frozen=True)
class After:
    """The table after some turns, seats in order; what is below the line is the twin's own."""

    events: list[Told]
    hands: list[list[int]]
    shells: list[list[int]]
    beach_deck: list[int]
    shell_deck: list[int]
    beach_discard: list[int]
    shell_discard: list[int]
    mover: int
    turn: int
    end: str
    points: tuple[int, ...] = ()
    wins: tuple[int, ...] = ()
    # ---
    game: twin.Game | None = field(default=None, compare=False)
    result: twin.Result | None = field(default=None, compare=False)

    def names(self) -> list[str]:
        """What happened, in order."""
        return [name for name, _ in self.events]

    def count(self, what: str) -> int:
        """How often the twin counted something."""
        assert self.game is not None
        return self.game.counts[what]

    def seen(self, seat: int) -> dict[str, twin.View]:
        """By decision, what a seat saw at the twin's table when it was last asked."""
        assert self.game is not None
        player = self.game.players[seat]
        assert isinstance(player, Scripted)
        return player.views

    def scored(self) -> twin.Result:
        """The twin's result."""
        assert self.result is not None
        return self.result


class Scripted(twin.Greedy):
    """Does what the script says at the twin's table."""

    def __init__(self, script: Script | None = None) -> None:
        self.script = dict(script or {})
        self.views: dict[str, twin.View] = {}

    def _answer(self, decision: str, view: twin.View, otherwise: Callable[..., Any]) -> Any:
        self.views[decision] = view
        return self.script.pop(decision) if decision in self.script else otherwise(view, 0)

    def action(self, view: twin.View, word: int) -> int:
        """As told."""
        return int(self._answer("action", view, super().action))

    def ask(self, view: twin.View, word: int) -> tuple[int, int]:
        """As told."""
        kind, opponent = self._answer("ask", view, super().ask)
        return kind, opponent

    def beach(self, view: twin.View, word: int) -> bool:
        """As told."""
        return bool(self._answer("beach", view, super().beach))

    def shell(self, view: twin.View, word: int) -> tuple[int, int]:
        """As told."""
        opponent, value = self._answer("shell", view, super().shell)
        return opponent, value

    def seaweed(self, view: twin.View, word: int) -> int:
        """As told."""
        return int(self._answer("seaweed", view, super().seaweed))

    def passing(self, view: twin.View, word: int) -> int:
        """As told."""
        return int(self._answer("pass", view, super().passing))


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

    hooks = {name: partial(hook, name) for name in at.DECISIONS}
    return seated(hooks, name=f"script {next(SCRIPTS)}")  # one strategy would be asked once


def twin_at(
    hands: Sequence[Cards],
    shells: Sequence[Cards] | None = None,
    *,
    scripts: Sequence[Script] = (),
    beach: Cards | None = None,
    shell: Cards | None = None,
    beach_discard: Cards | None = None,
    shell_discard: Cards | None = None,
    rules: twin.Rules | None = None,
) -> twin.Game:
    """The twin's game from a position with seat 0 to move."""
    count = len(hands)
    table = twin.Table(
        hands=[twin.Pile(hand) for hand in hands],
        shells=[twin.Pile(mine) for mine in shells or [{}] * count],
        beach_deck=twin.Pile({7: 4} if beach is None else beach),
        shell_deck=twin.Pile({1: 5} if shell is None else shell),
        beach_discard=twin.Pile(beach_discard),
        shell_discard=twin.Pile(shell_discard),
    )
    players = [Scripted(script) for script in [*scripts, *[{}] * (count - len(scripts))]]
    word = partial(chance.word, chance.game_key(SEED, NUMBER))
    return twin.Game(rules or standard(count), players, word, table)


def kernels_at(game: twin.Game, scripts: Sequence[Script], watch: Listener | None = None) -> Batch:
    """The same position for the kernels, in a batch of one game."""
    table, count = game.table, game.rules.players
    seats = [scripted(one, count) for one in [*scripts, *[{}] * (count - len(scripts))]]
    workspace = GAME.table(settings(game.rules), count, 1)
    workspace.open(SEED, np.array([NUMBER], np.uint64), False)
    batch = Batch(workspace, seats, watch)
    batch.begin()
    piles = (table.beach_deck, table.shell_deck, table.beach_discard, table.shell_discard)
    counted = [dict(enumerate(pile.counts)) for pile in (*table.hands, *table.shells, *piles)]
    lay(batch, counted[:count], counted[count : 2 * count], *counted[2 * count :])
    return batch


def listed(pile: twin.Pile) -> list[int]:
    """Cards of a pile, in canonical order."""
    return [pile.nth(i) for i in range(len(pile))]


def after(
    hands: Sequence[Cards],
    shells: Sequence[Cards] | None = None,
    *,
    scripts: Sequence[Script] = (),
    turns: int = 1,
    **position: Any,
) -> After:
    """Play some turns from a position with seat 0 to move, by twin and kernels."""
    game = twin_at(hands, shells, scripts=scripts, **position)
    listener = Listener()
    batch = kernels_at(game, scripts, listener)
    listener.events.clear()

    table, result = game.table, None
    while table.turn < min(turns, game.rules.max_turns) and not game.end():
        game.take_turn()
    over = bool(game.end()) or table.turn == game.rules.max_turns
    if over:
        result = game.result()
        events = told_by_twin(game, result)
    else:
        events = [(e.name, {"turn": e.turn, **e.facts, **e.secret}) for e in game.log]

    for _ in range(table.turn):
        batch.step()
    state, facts = batch.lanes.state, batch.workspace.facts
    finished = bool(batch.workspace.progress[at.FINISHED])
    rows = rows_of(batch)
    discards = (
        int(facts[at.BEACH_PILE] - rows["hands"].sum() - state.beach_deck[0]),
        int(facts[at.SHELL_PILE] - rows["shells"].sum() - state.shell_deck[0]),
    )
    found = After(
        events=listener.events,
        hands=[cards_of(int(pile)) for pile in rows["hands"]],
        shells=[cards_of(int(pile)) for pile in rows["shells"]],
        beach_deck=cards_of(int(state.beach_deck[0])),
        shell_deck=cards_of(int(state.shell_deck[0])),
        beach_discard=cards_of(discards[0]),
        shell_discard=cards_of(discards[1]),
        mover=int(state.seat[0]),
        turn=int(state.turn[0]),
        end=listener.events[-1][1]["end"] if finished else "",
        game=game,
        result=result,
    )
    expected = After(
        events=events,
        hands=[listed(hand) for hand in table.hands],
        shells=[listed(pile) for pile in table.shells],
        beach_deck=listed(table.beach_deck),
        shell_deck=listed(table.shell_deck),
        beach_discard=listed(table.beach_discard),
        shell_discard=listed(table.shell_discard),
        mover=found.mover if over else table.mover,  # who is to move when all is over
        turn=table.turn,
        end=result.end if result else "",
    )
    assert found == expected
    if result is None:
        return found
    count, numbers = len(hands), np.array([NUMBER], np.uint64)
    experiment = Experiment("mermaidbeach", ("random",) * count, settings(game.rules), 1, 1)
    outcome = GAME.outcome(batch.workspace, numbers, new_tally(GAME, experiment))
    points, wins = tuple(outcome.scores[:, 0].tolist()), tuple(outcome.wins[:, 0].tolist())
    assert (points, wins) == (result.points, result.wins)
    return replace(found, points=points, wins=wins)


def refusal(
    hands: Sequence[Cards], shells: Sequence[Cards], script: Script, **position: Any
) -> str:
    """What the kernels say of an illegal answer of seat 0."""
    game = twin_at(hands, shells, **position)
    batch = kernels_at(game, [script])
    with pytest.raises(StrategyFailed) as failure:
        batch.step()
    assert failure.value.game == NUMBER
    assert failure.value.moment.startswith("turn 1, seat 1")
    return str(failure.value)


def refused_by_both(
    hands: Sequence[Cards], shells: Sequence[Cards], script: Script, **position: Any
) -> str:
    """The same of an answer that the twin does not take either."""
    with pytest.raises(twin.IllegalDecision):
        twin_at(hands, shells, scripts=[script], **position).take_turn()
    return refusal(hands, shells, script, **position)


# The six actions ----------------------------------------------------------------------------------


def test_merfolk_draws_a_shell_and_gives_another_turn() -> None:
    table = after([{MERFOLK: 1, **DULL}, DULL], shell={3: 1})
    assert (table.hands[0], table.shells) == ([0, 1, 2], [[3], []])
    assert (table.mover, table.turn, table.count("extra_turns")) == (0, 1, 1)
    assert table.beach_discard == [MERFOLK]


def test_an_extra_turn_counts_as_a_turn_of_its_own() -> None:
    table = after([{MERFOLK: 2, **DULL}, {5: 3}, {6: 3}], turns=3, beach={9: 4})
    assert (table.mover, table.turn, table.shells[0]) == (1, 3, [1, 1])
    assert table.names() == ["discard", "shell"] * 2 + ["ask", "draw"]


def test_mean_mermaid_takes_the_shell_chosen_and_draws_none() -> None:
    table = after(
        [{MEAN: 1, **DULL}, DULL, DULL], [{}, {4: 1}, {1: 2}], scripts=[{"shell": (2, 1)}]
    )
    assert table.shells == [[1], [4], [1]]
    assert (table.beach_discard, len(table.shell_deck)) == ([MEAN], 5)
    assert (table.mover, table.names()) == (1, ["discard", "shell taken"])


def test_pair_draws_a_shell_and_ends_the_turn() -> None:
    table = after([{0: 3, 1: 1}, DULL], shell={4: 1})
    assert (table.hands[0], table.shells[0], table.mover) == ([0, 1], [4], 1)
    assert table.beach_discard == [0, 0]


def test_wave_washes_the_shell_chosen_onto_the_shell_discard() -> None:
    script = {"action": WAVE, "shell": (1, 1)}
    table = after([{WAVE: 1, **DULL}, DULL], [{2: 1}, {1: 1, 4: 1}], scripts=[script])
    assert (table.shells, table.shell_discard, table.mover) == ([[2], [4]], [1], 1)


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
        ({**DULL, WAVE: 1}, {1: 1}, [ASK, WAVE]),
        ({**DULL, MEAN: 1}, {1: 1}, [MEAN]),
        ({**DULL, MERFOLK: 2}, {}, [MERFOLK]),
        ({0: 2, 1: 1, 5: 4}, {}, [0, 5]),
        ({0: 2, MERFOLK: 1, MEAN: 1, WAVE: 1, SEAWEED: 1}, {1: 1}, [11, 12, 0, 13, 14]),
        ({SEAWEED: 1, MONSTER: 1, WAVE: 1}, {}, [SEAWEED]),
        ({WAVE: 1, MONSTER: 1}, {1: 1}, [WAVE]),
        ({WAVE: 1, MEAN: 2, MONSTER: 1}, {}, [MEAN, WAVE]),
    ],
)
def test_what_may_be_done(hand: Cards, theirs: Cards, able: list[int]) -> None:
    """All that is legal, as listed by the twin, is accepted, everything else refused."""
    for action in range(16):
        script = {"action": action, "shell": (1, 1)}
        if action in able:
            table = after([hand, DULL], [{4: 1}, theirs], scripts=[script])
            assert twin.allowed(table.seen(0)["action"]) == able
        else:
            told = refused_by_both([hand, DULL], [{4: 1}, theirs], script)
            assert "decision 'action'" in told


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
    assert (table.names()[0], table.count("asks")) == ("ask", 1)
    assert twin.allowed(table.seen(0)["action"]) == [0, ASK]


@pytest.mark.parametrize("card", [MEAN, WAVE])
def test_who_can_do_nothing_else_discards_without_effect(card: int) -> None:
    hand = {MEAN: 1, WAVE: 1, MONSTER: 1}
    table = after([hand, DULL], [{4: 1}, {}], scripts=[{"action": card}])
    assert (table.shells, table.mover, table.end) == ([[4], []], 1, "")
    assert (table.beach_discard, table.count("no_effect")) == ([card], 1)
    assert table.names() == ["discard", "no effect"]


# Asking and going to the beach --------------------------------------------------------------------


def test_an_opponent_who_has_the_item_gives_one_and_the_pair_draws_a_shell() -> None:
    table = after([DULL, DULL, {1: 2, 3: 1}], scripts=[{"ask": (1, 2)}], shell={2: 1})
    assert table.hands == [[0, 2], [0, 1, 2], [1, 3]]
    assert (table.shells[0], table.mover) == ([2], 1)
    assert (table.beach_discard, len(table.beach_deck)) == ([1, 1], 4)
    assert (table.count("asks"), table.count("asks_met")) == (1, 1)


def go_to_the_beach(card: int, theirs: Cards | None = None, **more: Any) -> After:
    """Seat 0 asks for kind 0 in vain and draws the card."""
    script = {"ask": (0, 1)} | more.pop("script", {})
    hands = [{0: 1, 1: 1}, {5: 3}]
    return after(hands, [{}, theirs or {}], scripts=[script], beach={card: 1}, **more)


@pytest.mark.parametrize("card", [5, MONSTER])
def test_a_card_of_no_use_is_kept_and_the_turn_ends(card: int) -> None:
    table = go_to_the_beach(card)
    assert (table.hands[0], table.mover) == ([0, 1, card], 1)
    assert table.count("beach_plays") == 0


@pytest.mark.parametrize("card", [0, 1])
def test_an_item_that_matches_any_kind_in_hand_is_a_pair(card: int) -> None:
    table = go_to_the_beach(card)
    assert (table.hands[0], table.shells[0], table.mover) == ([1 - card], [1], 1)
    assert (table.beach_discard, table.count("beach_plays")) == ([card, card], 1)


def test_merfolk_from_the_beach_give_their_extra_turn() -> None:
    table = go_to_the_beach(MERFOLK)
    assert (table.hands[0], table.shells[0], table.mover) == ([0, 1], [1], 0)
    assert (table.count("beach_plays"), table.turn) == (1, 1)


@pytest.mark.parametrize("card", [MEAN, WAVE])
def test_mean_mermaid_and_wave_from_the_beach_need_a_shell(card: int) -> None:
    table = go_to_the_beach(card)
    assert (table.hands[0], table.mover) == ([0, 1, card], 1)
    assert (table.count("beach_plays"), table.count("no_effect")) == (0, 0)
    table = go_to_the_beach(card, {3: 1})
    assert table.hands[0] == [0, 1]
    assert (table.shells, table.mover) == ([[3] if card == MEAN else [], []], 1)


def test_seaweed_from_the_beach_may_be_the_very_card_the_opponent_draws() -> None:
    table = go_to_the_beach(SEAWEED)  # the deck is empty: the discard pile, seaweed on it, is next
    assert table.hands == [[0, 1], [5, 5, 5, SEAWEED]]
    assert table.names() == ["ask", "draw", "discard", "seaweed", "refill", "draw"]
    assert table.count("beach_refills") == 1


def test_playing_at_the_beach_is_free_and_a_setting() -> None:
    table = go_to_the_beach(MERFOLK, script={"beach": 0})
    assert (table.hands[0], table.mover) == ([0, 1, MERFOLK], 1)
    seen = table.seen(0)["beach"]
    assert (seen.card, seen.hand) == (MERFOLK, twin.Pile({0: 1, 1: 1, MERFOLK: 1}))
    table = go_to_the_beach(MERFOLK, rules=standard(2, play_at_beach=False))
    assert (table.hands[0], table.mover) == ([0, 1, MERFOLK], 1)
    assert "beach" not in table.seen(0)


# Shell deck and beach deck ------------------------------------------------------------------------


@pytest.mark.parametrize(("starfish", "got"), [(LEFT, [2, 0, 1]), (RIGHT, [1, 2, 0])])
def test_starfish_passes_one_card_each_all_at_once(starfish: int, got: list[int]) -> None:
    hands = [{0: 1, 8: 1, MERFOLK: 1}, {1: 1, 9: 1}, {2: 1, 10: 1}]
    scripts = [{"pass": kind} for kind in range(3)]
    table = after(hands, scripts=scripts, shell={starfish: 2})
    assert table.hands == [sorted([8 + seat, got[seat]]) for seat in range(3)]
    assert (table.shells, table.mover) == ([[]] * 3, 0)  # the merfolk's extra turn
    # Nothing else is drawn for it.
    assert (table.shell_discard, table.shell_deck) == ([starfish], [starfish])
    assert table.names() == ["discard", "shell", "pass", "pass", "pass"]
    for seat in range(3):
        seen = table.seen(seat)["pass"]
        assert (listed(seen.hand), seen.card) == ([seat, 8 + seat], starfish)


def test_who_has_one_card_must_pass_it_and_has_not_run_out_if_passed_another() -> None:
    table = after([{MERFOLK: 1, **DULL}, {5: 1}], shell={LEFT: 1})
    assert (table.hands, table.end) == ([[1, 2, 5], [0]], "")


def test_an_exhausted_shell_deck_gives_nothing_and_is_not_refilled() -> None:
    table = after([{MERFOLK: 1, **DULL}, DULL], shell={}, shell_discard={4: 1})
    assert (table.shells[0], table.mover) == ([], 0)
    assert (table.shell_discard, table.count("no_shell_card")) == ([4], 1)
    assert table.names() == ["discard", "no shell card"]


def test_an_exhausted_beach_deck_is_refilled_when_a_card_must_be_drawn() -> None:
    table = after([{0: 1, 1: 1}, {5: 3}], beach={9: 1}, beach_discard={8: 3})
    assert (table.hands[0], table.names()) == ([0, 1, 9], ["ask", "draw"])
    assert (table.beach_deck, table.count("beach_refills")) == ([], 0)
    table = after([{0: 1, 1: 1}, {5: 3}], beach={}, beach_discard={8: 3})
    assert (table.hands[0], table.names()) == ([0, 1, 8], ["ask", "refill", "draw"])
    assert (table.beach_deck, table.beach_discard) == ([8, 8], [])
    assert table.count("beach_refills") == 1


def test_draws_go_on_from_a_refilled_deck() -> None:
    """Different cards, several draws: the words go on where they were."""
    deck = {3: 1, 4: 1, 6: 1, 8: 2, 9: 3, 10: 1}
    after([{0: 1, 1: 1}, {5: 3}], beach={9: 1}, beach_discard=deck, turns=8)


def test_nothing_is_drawn_where_no_card_is_left() -> None:
    table = after([{0: 1, 1: 1}, {5: 3}], beach={})
    assert (table.hands[0], table.mover) == ([0, 1], 1)
    assert table.names() == ["ask", "no beach card"]
    assert (table.count("no_beach_card"), table.count("beach_refills")) == (1, 0)
    assert table.game is not None and table.game.table.beach_drawn == 0
    # A card played is on the discard pile before anything is drawn for it.
    table = after([{SEAWEED: 1, 0: 1}, {5: 3}], scripts=[{"action": SEAWEED}], beach={})
    assert table.hands[1] == [5, 5, 5, SEAWEED]


# The end ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [{MERFOLK: 1}, {0: 2}])
def test_the_last_card_still_draws_its_shell(last: Cards) -> None:
    table = after([last, DULL], shell={4: 1}, turns=5)
    assert (table.shells[0], table.end, table.turn) == ([4], "out of cards", 1)
    assert table.count("extra_turns") == 0


@pytest.mark.parametrize("last", [{MERFOLK: 1}, {0: 2}])
def test_a_starfish_on_the_last_card_lets_the_others_pass_but_ends_the_game(last: Cards) -> None:
    table = after([last, {5: 2}, {6: 2}], shell={LEFT: 1}, turns=5)
    assert table.hands == [[6], [5], [5, 6]]  # the mover is passed a card, and is out all the same
    assert (table.end, table.turn) == ("out of cards", 1)
    assert table.names()[:4] == ["discard", "shell", "pass", "pass"]
    assert "pass" not in table.seen(0)


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
    assert (table.shells[0], table.count("extra_turns")) == ([3], 0)
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
    result = table.scored()
    assert (result.shells, result.monster_held, result.eaten_cards) == ((3, 1, 1), False, 0)


def test_equal_points_go_to_more_shells_and_then_are_shared() -> None:
    assert scored([{4: 1}, {1: 2, 2: 1}, {2: 2}]).wins == (0, 60, 0)
    assert scored([{4: 1}, {1: 1, 3: 1}, {2: 2}]).wins == (0, 30, 30)
    assert scored([{}, {}, {}]).wins == (20, 20, 20)
    assert scored([{13: 1}] * 5).wins == (12,) * 5


def test_monster_eats_every_shell_of_the_own_highest_value_and_no_other() -> None:
    table = scored([{4: 2, 2: 1}, {4: 1, 3: 2}], monster=1)
    assert table.points == (10, 6)
    result = table.scored()
    assert (result.eaten_cards, result.eaten_points, result.monster_held) == (1, 4, True)
    table = scored([{1: 3}, {2: 2}], monster=1)
    assert table.points == (3, 0)
    assert (table.scored().eaten_cards, table.scored().eaten_points) == (2, 4)


def test_shells_are_counted_after_the_meal() -> None:
    # 4 points each, four shells against two; then 5 points each, three shells.
    assert scored([{2: 2}, {1: 4, 4: 1}], monster=1).wins == (0, 60)
    assert scored([{2: 2, 1: 1}, {1: 1, 4: 3, 2: 2}], monster=1).wins == (30, 30)


def test_a_monster_without_shells_eats_nothing() -> None:
    table = scored([{1: 1}, {}], monster=1)
    assert "monster eats" not in table.names()
    assert (table.scored().monster_held, table.scored().eaten_cards) == (True, 0)


def test_a_game_that_runs_on_is_stopped_without_a_winner() -> None:
    rules = standard(2, max_turns=3)
    table = after([{0: 1, 1: 1}, {2: 1, 3: 1}], [{4: 1}, {}], turns=9, rules=rules, beach={})
    assert (table.end, table.turn) == ("unfinished", 3)
    assert (table.wins, table.points) == ((0, 0), (4, 0))
    assert (table.scored().cards_left, table.count("no_beach_card")) == ((2, 2), 3)


# Illegal answers and contradicting rules ----------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "hand", "what"),
    [
        ({"action": 16}, DULL, "it chose 16; legal were 15 (ask)"),
        ({"action": MERFOLK}, DULL, "it chose 11; legal were 15 (ask)"),
        ({"action": 0}, {0: 1, 3: 2}, "it chose 0; legal were 3 (pair of item 3)"),
        ({"action": ASK}, {0: 2}, "it chose 15; legal were 0 (pair of item 0)"),
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
    told = refused_by_both([hand, DULL], [{4: 1}, {2: 1}], script, shell={LEFT: 1})
    assert f"decision '{decision}'" in told
    assert what in told


def test_a_shell_nobody_has_cannot_be_taken() -> None:
    hands, shells = [{MEAN: 1, 0: 1}, DULL, DULL], [{4: 1}, {2: 1}, {}]
    for shell in ((0, 4), (1, 4), (2, 2)):
        assert "decision 'shell'" in refused_by_both(hands, shells, {"shell": shell})


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
    assert rules.beach_cards().counts == [4] * 8 + [0] * 3 + [10, 2, 2, 4, 1]
    assert rules.shell_cards().counts == [0, 5, 5, 5, 5] + [0] * 9 + [3, 3]
    assert (sum(beach.values()), sum(shell.values())) == (51, 26)
    assert defaults["hand_size"] == (7 if players == 2 else 5)
    assert GAME.score_range(defaults, players) == (0, 50)


def test_the_young_play_without_mean_mermaids_and_waves() -> None:
    rules = standard(4, young=True)
    for beach in (rules.beach_cards(), twin.Pile(beach_cards(settings(rules)))):
        assert (beach[MEAN], beach[WAVE], len(beach)) == (0, 0, 47)


# The deal -----------------------------------------------------------------------------------------


def dealt_by_twin(rules: twin.Rules, seed: int, number: int) -> tuple[list[list[int]], int]:
    """Hands and first player."""
    word = partial(chance.word, chance.game_key(seed, number))
    game = twin.Game(rules, [twin.Greedy()] * rules.players, word)
    assert len(game.table.beach_deck) == 51 - rules.players * rules.cards_each()
    return [listed(hand) for hand in game.table.hands], game.table.mover


def dealt_by_kernels(rules: twin.Rules, seed: int, number: int) -> tuple[list[list[int]], int]:
    """The same, as the kernels report it."""
    listener = Listener()
    workspace = GAME.table(settings(rules), rules.players, 1)
    workspace.open(seed, np.array([number], np.uint64), False)
    Batch(workspace, [scripted({}, rules.players)] * rules.players, listener).begin()
    _, facts = listener.events[0]
    return facts["hands"], facts["first"]


@pytest.mark.parametrize("dealt", [dealt_by_twin, dealt_by_kernels])
@pytest.mark.parametrize(("players", "each"), [(2, 7), (3, 5), (4, 5), (5, 5)])
def test_deal_draws_by_weight_seat_by_seat(
    dealt: Callable[..., tuple[list[list[int]], int]], players: int, each: int
) -> None:
    word = partial(chance.word, chance.game_key(5, 9))
    deck = [kind for kind in range(8) for _ in range(4)]
    deck += [MERFOLK] * 10 + [MEAN] * 2 + [WAVE] * 2 + [SEAWEED] * 4 + [MONSTER]
    drawn = [deck.pop(word(twin.BEACH, i) * len(deck) >> 64) for i in range(players * each)]
    hands, first = dealt(standard(players), 5, 9)
    assert hands == [sorted(drawn[s * each : (s + 1) * each]) for s in range(players)]
    assert first == word(twin.FIRST, 0) * players >> 64


@pytest.mark.parametrize("dealt", [dealt_by_twin, dealt_by_kernels])
def test_seat_1_begins_if_it_is_to(dealt: Callable[..., tuple[list[list[int]], int]]) -> None:
    rules = standard(4, first_player="seat1")
    assert {dealt(rules, 1, number)[1] for number in range(20)} == {0}


def test_first_player_is_uniform() -> None:
    firsts = [dealt_by_twin(standard(4), 1, number)[1] for number in range(800)]
    for seat in range(4):
        assert abs(firsts.count(seat) - 200) < 50  # four standard deviations
    assert firsts[:5] == [dealt_by_kernels(standard(4), 1, number)[1] for number in range(5)]


# The plain twin alone -----------------------------------------------------------------------------


def test_both_ends_hold_from_the_deal_on() -> None:
    rules = twin.Rules(players=3, hand_size=1, monsters=15)
    results = [twin.play(rules, [twin.Random()] * 3, 1, game) for game in range(60)]
    assert {(r.end, r.turns) for r in results if r.monster_held} >= {("monster alone", 0)}


def views(game: twin.Game, seat: int) -> dict[str, twin.View]:
    """What a scripted seat has seen."""
    player = game.players[seat]
    assert isinstance(player, Scripted)
    return player.views


# The plain twin: what a player knows --------------------------------------------------------------


def test_views_turn_the_table_and_hide_the_rest() -> None:
    cards = [{0: 1, 5: 1}, DULL, {0: 1, 1: 1, 2: 1, 3: 1}]
    game = twin_at(cards, [{1: 1}, {2: 1}, {3: 1}], beach={9: 4})
    game.table.mover = 1
    game.take_turn()
    view = views(game, 1)["action"]
    assert view.hand_sizes == (3, 4, 2)
    assert view.shells == (twin.Pile({2: 1}), twin.Pile({3: 1}), twin.Pile({1: 1}))
    assert view.hand == twin.Pile(DULL)
    assert (view.beach_deck, view.shell_deck) == (4, 5)
    hidden = {"hands", "table", "word"}
    assert not hidden & set(vars(view))


def test_only_giver_and_receiver_know_a_card_passed_and_only_the_drawer_a_card_drawn() -> None:
    game = twin_at([{MERFOLK: 1, 0: 1, 3: 1}, {5: 2}, {6: 2}, {7: 2}], shell={LEFT: 1})
    game.take_turn()
    told = [[event.told_to(seat)[2] for event in game.log] for seat in range(4)]
    for seat in range(4):
        passed = [facts for facts in told[seat] if "to" in facts]
        assert [facts["seat"] for facts in passed] == [0, 1, 2, 3]
        known = [facts["seat"] for facts in passed if "card" in facts]
        assert known == sorted([seat, (seat - 1) % 4])
    game = twin_at([DULL, {5: 3}], scripts=[{"ask": (0, 1)}], beach={9: 4})
    game.take_turn()
    drawn = [event for event in game.log if event.name == "draw"]
    assert [event.told_to(0)[2] for event in drawn] == [{"seat": 0, "card": 9}]
    assert [event.told_to(1)[2] for event in drawn] == [{"seat": 0}]


def test_history_stops_at_the_moment_of_the_decision() -> None:
    game = twin_at([{MERFOLK: 1, **DULL}, DULL], shell={LEFT: 1})
    game.take_turn()
    seen = views(game, 0)
    assert [name for _, name, _ in seen["action"].history()] == []
    assert [name for _, name, _ in seen["pass"].history()] == ["discard", "shell"]
    assert [event.name for event in game.log] == ["discard", "shell", "pass", "pass"]


# The plain twin: baseline strategies --------------------------------------------------------------


def asked_view(hand: Cards, *others: Cards, cards: int = 3) -> twin.View:
    """What seat 0 sees; ``others`` are the opponents' shells."""
    return twin_at([hand] + [{7: cards}] * len(others), [{}, *others])._view(0)


def test_greedy_plays_the_first_that_applies() -> None:
    everything = {3: 2, 6: 3, MERFOLK: 1, MEAN: 1, WAVE: 1, SEAWEED: 1, MONSTER: 1}
    order = []
    for gone in ([], [MERFOLK], [3], [6], [MEAN], [WAVE], [SEAWEED]):
        for sort in gone:
            del everything[sort]
        order.append(twin.Greedy().action(asked_view(everything | {9: 1}, {1: 1}), 0))
    assert order == [MERFOLK, 3, 6, MEAN, WAVE, ASK, ASK]
    assert twin.Greedy().action(asked_view({SEAWEED: 1, WAVE: 1, MONSTER: 1}, {}), 0) == SEAWEED
    assert twin.Greedy().action(asked_view({MEAN: 1, WAVE: 1, MONSTER: 1}, {}), 0) == MEAN
    assert twin.Greedy().action(asked_view({WAVE: 1, MONSTER: 1}, {}), 0) == WAVE


def test_greedy_takes_the_highest_shell_first_to_the_left() -> None:
    assert twin.Greedy().shell(asked_view(DULL, {1: 3}, {3: 1}, {3: 2, 2: 1}), 0) == (2, 3)


def test_greedy_asks_for_the_lowest_kind_whoever_holds_most() -> None:
    game = twin_at([{4: 1, 2: 1}, {7: 2}, {7: 3}, {7: 3}])
    assert twin.Greedy().ask(game._view(0), 0) == (2, 2)


def test_greedy_gives_seaweed_to_the_most_points() -> None:
    assert twin.Greedy().seaweed(asked_view(DULL, {1: 3}, {4: 1}, {2: 2}), 0) == 2
    assert twin.Greedy().seaweed(asked_view(DULL, {}, {}), 0) == 1


def test_greedy_passes_what_it_needs_least() -> None:
    cards = {2: 2, 4: 1, 6: 1, MERFOLK: 1, MEAN: 1, WAVE: 1, SEAWEED: 1, MONSTER: 1}
    passed = []
    while cards:
        passed.append(twin.Greedy().passing(asked_view(cards), 0))
        del cards[passed[-1]]
    assert passed == [MONSTER, 4, 6, 2, SEAWEED, WAVE, MEAN, MERFOLK]


def spread(choose: Any, n: int) -> list[Any]:
    """Choices for n words spread evenly over all words."""
    return [choose((2 * i + 1) * 2**64 // (2 * n)) for i in range(n)]


def test_random_action_is_uniform_over_sorts_then_over_pairs() -> None:
    random = twin.Random()
    everything = {0: 2, 3: 1, 5: 3, MERFOLK: 4, MEAN: 1, WAVE: 2, SEAWEED: 1, MONSTER: 1}
    view = asked_view(everything, {1: 1})
    actions = [MERFOLK] * 2 + [MEAN] * 2 + [0, 5] + [WAVE] * 2 + [SEAWEED] * 2
    assert spread(lambda word: random.action(view, word), 10) == actions
    view = asked_view({3: 1, 5: 1, WAVE: 2, SEAWEED: 1}, {1: 1})
    assert spread(lambda word: random.action(view, word), 3) == [ASK, WAVE, SEAWEED]
    view = asked_view({MEAN: 1, WAVE: 2, MONSTER: 1}, {})
    assert spread(lambda word: random.action(view, word), 2) == [MEAN, WAVE]


def test_random_targets_are_uniform_in_the_documented_order() -> None:
    random = twin.Random()
    view = asked_view({1: 2, 4: 1}, {}, {2: 1, 3: 2}, {1: 1})
    assert spread(lambda w: random.ask(view, w), 6) == [(k, d) for k in (1, 4) for d in (1, 2, 3)]
    assert spread(lambda w: random.seaweed(view, w), 3) == [1, 2, 3]
    expected = [(2, 2), (2, 3), (2, 3), (3, 1), (3, 1), (3, 1)]
    assert spread(lambda w: random.shell(view, w), 6) == expected
    assert spread(lambda w: random.passing(view, w), 3) == [1, 1, 4]


def test_a_digit_takes_its_share_of_a_word() -> None:
    assert twin.digit(2**64 - 1, 7) == (6, (2**64 - 1) * 7 % 2**64)
    assert twin.digit(2**63, 2) == (1, 0)
    assert twin.digit(2**62, 2) == (0, 2**63)


# The plain twin: chance is named by its purpose ---------------------------------------------------


def words_of(rules: twin.Rules, players: list[twin.Player], game: int) -> list[tuple[int, int]]:
    """Names of all words that a game used, in order."""
    used: list[tuple[int, int]] = []
    key = chance.game_key(11, game)

    def word(purpose: int, counter: int) -> int:
        used.append((purpose, counter))
        return chance.word(key, purpose, counter)

    twin.Game(rules, players, word).play()
    return used


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_no_word_is_used_twice_and_decks_count_without_gaps(players: int) -> None:
    for game in range(20):
        used = words_of(twin.Rules(players=players), [twin.Random()] * players, game)
        assert len(set(used)) == len(used)
        for purpose in (twin.BEACH, twin.SHELL):
            counters = [counter for p, counter in used if p == purpose]
            assert counters == list(range(len(counters)))
        assert {p for p, _ in used} <= {twin.BEACH, twin.SHELL, twin.FIRST} | {
            twin.DECIDE + s for s in range(players)
        }


def test_rivals_who_play_differently_meet_the_same_deal() -> None:
    for game in range(20):
        word = partial(chance.word, chance.game_key(3, game))
        one = twin.Game(twin.Rules(players=3), [twin.Random()] * 3, word)
        two = twin.Game(twin.Rules(players=3), [twin.Greedy()] * 3, word)
        assert one.table.hands == two.table.hands
        assert one.table.mover == two.table.mover


# The plain twin: whole games ----------------------------------------------------------------------

SETTINGS = [
    twin.Rules(),
    twin.Rules(young=True),
    twin.Rules(ask_freely=True),
    twin.Rules(play_at_beach=False),
    twin.Rules(item_kinds=11, item_copies=3, merfolk=1, mean=5, waves=5, seaweed=9, monsters=2),
    twin.Rules(shells={2: 1, 13: 2}, starfish_left=9, starfish_right=0, hand_size=2),
    twin.Rules(item_kinds=2, item_copies=5, merfolk=0, mean=6, waves=7, monsters=5, max_turns=300),
]


@pytest.mark.parametrize("rules", SETTINGS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_games_under_odd_settings_keep_their_cards(rules: twin.Rules, players: int) -> None:
    seats: list[twin.Player] = [
        twin.Random() if seat % 2 else twin.Greedy() for seat in range(players)
    ]
    rules = replace(rules, players=players, hand_size=min(rules.cards_each(), 5))
    for number in range(25):
        game = twin.Game(rules, seats, partial(chance.word, chance.game_key(4, number)))
        result = game.play()  # checks the cards after every action
        assert sum(result.wins) == (0 if result.end == "unfinished" else 60)
        assert game.table.census()[0] == rules.beach_cards().counts
        assert sum(result.cards_left) + result.beach_deck_left <= len(rules.beach_cards())


PUBLISHED = [
    (
        [twin.Greedy(), twin.Random()],
        {
            "win0": 0.644058,
            "points0": 11.796867,
            "points1": 8.533483,
            "first": 0.529511,
            "turns": 24.900417,
            "out": 0.619562,
            "eaten": 3.698014,
            "starfish": 3.272859,
            "asks": 17.52467,
            "beach_plays": 7.995849,
            "deck": 20.647408,
        },
    ),
    (
        [twin.Greedy(), twin.Random(), twin.Random()],
        {
            "win0": 0.445583,
            "points0": 6.309099,
            "points1": 4.679278,
            "first": 0.362685,
            "turns": 18.226947,
            "out": 0.780877,
            "eaten": 1.902948,
            "starfish": 2.450879,
            "asks": 11.283135,
            "beach_plays": 4.564919,
            "deck": 25.995132,
        },
    ),
]


@pytest.mark.parametrize(("seats", "means"), PUBLISHED)
def test_means_agree_with_an_independent_implementation(
    seats: list[twin.Player], means: dict[str, float]
) -> None:
    """The means were measured over three million games of a program of other authors."""
    games = 400
    results = [twin.play(twin.Rules(players=len(seats)), seats, 20, game) for game in range(games)]
    figures: dict[str, list[float]] = {
        "win0": [r.wins[0] / 60 for r in results],
        "points0": [r.points[0] for r in results],
        "points1": [r.points[1] for r in results],
        "first": [r.wins[r.first] / 60 for r in results],
        "turns": [r.turns for r in results],
        "out": [r.end == "out of cards" for r in results],
        "eaten": [r.eaten_points for r in results],
        "starfish": [r.counts["starfish"] for r in results],
        "asks": [r.counts["asks"] for r in results],
        "beach_plays": [r.counts["beach_plays"] for r in results],
        "deck": [r.beach_deck_left for r in results],
    }
    for name, expected in means.items():
        values = figures[name]
        mean = sum(values) / games
        variance = sum((value - mean) ** 2 for value in values) / games
        assert abs(mean - expected) < 4 * (variance / games) ** 0.5, name
