"""The plain twin of Mermaid Beach, sentence by sentence of the rules.

Positions are laid by hand. Where a test draws, the words of chance are all 0, so that the lowest
card of a deck in canonical order comes up, or the deck has one sort of card only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.reference import chance
from tests.reference.mermaidbeach import (
    ASK,
    BEACH,
    DECIDE,
    FIRST,
    MEAN,
    MERFOLK,
    MONSTER,
    SEAWEED,
    SHELL,
    STARFISH_LEFT,
    STARFISH_RIGHT,
    WAVE,
    Game,
    Greedy,
    IllegalDecision,
    Pile,
    Player,
    Random,
    Result,
    Rules,
    Table,
    View,
    allowed,
    digit,
    play,
)

LEFT, RIGHT = STARFISH_LEFT, STARFISH_RIGHT
PAIR = {0: 2}
DULL = {0: 1, 1: 1, 2: 1}
"""A hand that can only ask."""


class Scripted(Greedy):
    """Does what the script says, once for each hook named there, and plays greedily otherwise."""

    def __init__(self, **script: Any) -> None:
        self.script = script
        self.seen: dict[str, View] = {}

    def _answer(self, hook: str, view: View, otherwise: Any) -> Any:
        self.seen[hook] = view
        return self.script.pop(hook) if hook in self.script else otherwise(view, 0)

    def action(self, view: View, word: int) -> int:
        answer: int = self._answer("action", view, super().action)
        return answer

    def ask(self, view: View, word: int) -> tuple[int, int]:
        answer: tuple[int, int] = self._answer("ask", view, super().ask)
        return answer

    def beach(self, view: View, word: int) -> bool:
        answer: bool = self._answer("beach", view, super().beach)
        return answer

    def shell(self, view: View, word: int) -> tuple[int, int]:
        answer: tuple[int, int] = self._answer("shell", view, super().shell)
        return answer

    def seaweed(self, view: View, word: int) -> int:
        answer: int = self._answer("seaweed", view, super().seaweed)
        return answer

    def passing(self, view: View, word: int) -> int:
        answer: int = self._answer("passing", view, super().passing)
        return answer


def start(
    hands: Sequence[Mapping[int, int]],
    shells: Sequence[Mapping[int, int]] | None = None,
    *,
    players: list[Player] | None = None,
    beach: Mapping[int, int] | None = None,
    shell: Mapping[int, int] | None = None,
    beach_discard: Mapping[int, int] | None = None,
    rules: Rules | None = None,
) -> Game:
    """A game in which seat 0 is about to move."""
    count = len(hands)
    table = Table(
        hands=[Pile(hand) for hand in hands],
        shells=[Pile(mine) for mine in shells or [{}] * count],
        beach_deck=Pile({7: 4} if beach is None else beach),
        shell_deck=Pile({1: 5} if shell is None else shell),
        beach_discard=Pile(beach_discard),
    )
    rules = replace(rules or Rules(), players=count)
    return Game(rules, players or [Greedy() for _ in hands], lambda purpose, counter: 0, table)


def turn(game: Game) -> Game:
    """Play one turn."""
    game.take_turn()
    return game


def names(game: Game) -> list[str]:
    """What happened, in order."""
    return [event.name for event in game.log]


def hands(game: Game) -> list[list[int]]:
    """Everybody's cards, in canonical order."""
    return [[hand.nth(i) for i in range(len(hand))] for hand in game.table.hands]


# Components and deal ------------------------------------------------------------------------------


def test_decks_are_the_published_ones() -> None:
    beach, shell = Rules().beach_cards(), Rules().shell_cards()
    assert beach.counts == [4] * 8 + [0] * 3 + [10, 2, 2, 4, 1]
    assert len(beach) == 51
    assert shell.counts == [0, 5, 5, 5, 5] + [0] * 9 + [3, 3]
    assert len(shell) == 26


def test_the_young_play_without_mean_mermaids_and_waves() -> None:
    beach = Rules(young=True).beach_cards()
    assert (beach[MEAN], beach[WAVE], len(beach)) == (0, 0, 47)


@pytest.mark.parametrize(("players", "each"), [(2, 7), (3, 5), (4, 5), (5, 5)])
def test_deal_draws_by_weight_seat_by_seat(players: int, each: int) -> None:
    word = partial(chance.word, chance.game_key(5, 9))
    game = Game(Rules(players=players), [Greedy()] * players, word)
    deck = [kind for kind in range(8) for _ in range(4)]
    deck += [MERFOLK] * 10 + [MEAN] * 2 + [WAVE] * 2 + [SEAWEED] * 4 + [MONSTER]
    drawn = [deck.pop(word(BEACH, i) * len(deck) >> 64) for i in range(players * each)]
    dealt = [sorted(drawn[s * each : (s + 1) * each]) for s in range(players)]
    assert hands(game) == dealt
    assert len(game.table.beach_deck) == 51 - players * each
    assert game.table.mover == word(FIRST, 0) * players >> 64


def test_first_player_is_uniform_unless_seat_1_is_to_begin() -> None:
    firsts = [play(Rules(max_turns=0), [Greedy()] * 4, 1, g).first for g in range(800)]
    for seat in range(4):
        assert abs(firsts.count(seat) - 200) < 50  # four standard deviations
    rules = Rules(max_turns=0, first_player="seat1")
    assert {play(rules, [Greedy()] * 4, 1, g).first for g in range(20)} == {0}


# The six actions ----------------------------------------------------------------------------------


def test_merfolk_draws_a_shell_and_gives_another_turn() -> None:
    game = turn(start([{MERFOLK: 1, **DULL}, DULL], shell={3: 1}))
    assert game.table.beach_discard == Pile({MERFOLK: 1})
    assert game.table.shells[0] == Pile({3: 1})
    assert (game.table.mover, game.table.turn, game.counts["extra_turns"]) == (0, 1, 1)


def test_mean_mermaid_takes_the_shell_chosen_and_draws_none() -> None:
    players: list[Player] = [Scripted(shell=(2, 1)), Greedy(), Greedy()]
    game = turn(start([{MEAN: 1, **DULL}, DULL, DULL], [{}, {4: 1}, {1: 2}], players=players))
    assert game.table.shells == [Pile({1: 1}), Pile({4: 1}), Pile({1: 1})]
    assert game.table.beach_discard == Pile({MEAN: 1})
    assert len(game.table.shell_deck) == 5
    assert game.table.mover == 1


def test_pair_draws_a_shell_and_ends_the_turn() -> None:
    game = turn(start([{0: 3, 1: 1}, DULL], shell={4: 1}))
    assert game.table.beach_discard == Pile(PAIR)
    assert game.table.shells[0] == Pile({4: 1})
    assert hands(game)[0] == [0, 1]
    assert game.table.mover == 1


def test_wave_washes_the_shell_chosen_onto_the_shell_discard() -> None:
    players: list[Player] = [Scripted(action=WAVE, shell=(1, 1)), Greedy()]
    game = turn(start([{WAVE: 1, **DULL}, DULL], [{2: 1}, {1: 1, 4: 1}], players=players))
    assert game.table.shells == [Pile({2: 1}), Pile({4: 1})]
    assert game.table.shell_discard == Pile({1: 1})
    assert game.table.mover == 1


def test_seaweed_makes_the_opponent_chosen_draw() -> None:
    players: list[Player] = [Scripted(action=SEAWEED, seaweed=2), Greedy(), Greedy()]
    game = turn(start([{SEAWEED: 1, **DULL}, DULL, DULL], beach={7: 1}, players=players))
    assert hands(game) == [[0, 1, 2], [0, 1, 2], [0, 1, 2, 7]]
    assert game.table.mover == 1


@pytest.mark.parametrize(
    ("hand", "theirs", "able"),
    [
        (DULL, {}, [ASK]),
        ({**DULL, WAVE: 1, MEAN: 1}, {}, [ASK]),
        ({**DULL, WAVE: 1}, {1: 1}, [ASK, WAVE]),
        ({**DULL, MEAN: 1}, {1: 1}, [MEAN]),
        ({**DULL, MERFOLK: 2}, {}, [MERFOLK]),
        ({0: 2, 1: 1, 5: 4}, {}, [0, 5]),
        (
            {0: 2, MERFOLK: 1, MEAN: 1, WAVE: 1, SEAWEED: 1},
            {1: 1},
            [MERFOLK, MEAN, 0, WAVE, SEAWEED],
        ),
        ({SEAWEED: 1, MONSTER: 1, WAVE: 1}, {}, [SEAWEED]),
        ({WAVE: 1, MONSTER: 1}, {1: 1}, [WAVE]),
        ({WAVE: 1, MEAN: 2, MONSTER: 1}, {}, [MEAN, WAVE]),
    ],
)
def test_what_may_be_done(hand: dict[int, int], theirs: dict[int, int], able: list[int]) -> None:
    game = start([hand, DULL], [{4: 1}, theirs], players=[seer := Scripted(), Greedy()])
    turn(game)
    assert allowed(seer.seen["action"]) == able


def test_asking_freely_is_a_setting() -> None:
    seer = Scripted(action=ASK)
    game = start([PAIR | {1: 1}, DULL], players=[seer, Greedy()], rules=Rules(ask_freely=True))
    turn(game)
    assert allowed(seer.seen["action"]) == [0, ASK]
    assert game.counts["asks"] == 1


@pytest.mark.parametrize(
    ("script", "hand"),
    [
        ({"action": ASK}, PAIR),
        ({"action": MERFOLK}, DULL),
        ({"action": 0}, DULL),
        ({"action": WAVE}, {WAVE: 1, **DULL}),
        ({"action": MONSTER}, {MONSTER: 1, WAVE: 1}),
        ({"ask": (3, 1)}, DULL),
        ({"ask": (0, 0)}, DULL),
        ({"ask": (0, 2)}, DULL),
        ({"seaweed": 0}, {SEAWEED: 1, MONSTER: 1}),
        ({"passing": 5}, {MERFOLK: 1, **DULL}),
    ],
)
def test_what_the_rules_forbid_is_refused(script: dict[str, Any], hand: dict[int, int]) -> None:
    game = start([hand, DULL], players=[Scripted(**script), Greedy()], shell={LEFT: 1})
    with pytest.raises(IllegalDecision):
        turn(game)


def test_a_shell_nobody_has_cannot_be_taken() -> None:
    for shell in ((0, 4), (1, 4), (2, 2)):
        players: list[Player] = [Scripted(shell=shell), Greedy(), Greedy()]
        game = start([{MEAN: 1, 0: 1}, DULL, DULL], [{4: 1}, {2: 1}, {}], players=players)
        with pytest.raises(IllegalDecision):
            turn(game)


def test_who_can_do_nothing_else_discards_without_effect() -> None:
    for card in (MEAN, WAVE):
        players: list[Player] = [Scripted(action=card), Greedy()]
        game = start([{MEAN: 1, WAVE: 1, MONSTER: 1}, DULL], [{4: 1}, {}], players=players)
        turn(game)
        assert game.table.beach_discard == Pile({card: 1})
        assert game.table.shells == [Pile({4: 1}), Pile()]
        assert game.counts["no_effect"] == 1
        assert (game.end(), game.table.mover) == ("", 1)


# Asking and going to the beach --------------------------------------------------------------------


def test_an_opponent_who_has_the_item_gives_one_and_the_pair_draws_a_shell() -> None:
    players: list[Player] = [Scripted(ask=(1, 2)), Greedy(), Greedy()]
    game = turn(start([DULL, DULL, {1: 2, 3: 1}], players=players, shell={2: 1}))
    assert hands(game) == [[0, 2], [0, 1, 2], [1, 3]]
    assert game.table.beach_discard == Pile({1: 2})
    assert game.table.shells[0] == Pile({2: 1})
    assert (game.counts["asks"], game.counts["asks_met"], game.table.mover) == (1, 1, 1)
    assert len(game.table.beach_deck) == 4


def go_to_the_beach(
    card: int, theirs: Mapping[int, int], player: Player | None = None, rules: Rules | None = None
) -> Game:
    """Seat 0 asks for kind 0 in vain and draws the card."""
    seats: list[Player] = [player or Scripted(ask=(0, 1)), Greedy()]
    mine = [{0: 1, 1: 1}, {5: 3}]
    return turn(start(mine, [{}, theirs], players=seats, beach={card: 1}, rules=rules))


def test_a_card_of_no_use_is_kept_and_the_turn_ends() -> None:
    for card in (5, MONSTER):
        game = go_to_the_beach(card, {})
        assert hands(game)[0] == [0, 1, card]
        assert (game.counts["beach_plays"], game.table.mover) == (0, 1)


@pytest.mark.parametrize("card", [0, 1])
def test_an_item_that_matches_any_kind_in_hand_is_a_pair(card: int) -> None:
    game = go_to_the_beach(card, {})
    assert hands(game)[0] == [1 - card]
    assert game.table.beach_discard == Pile({card: 2})
    assert game.table.shells[0] == Pile({1: 1})
    assert (game.counts["beach_plays"], game.table.mover) == (1, 1)


def test_merfolk_from_the_beach_give_their_extra_turn() -> None:
    game = go_to_the_beach(MERFOLK, {})
    assert game.table.shells[0] == Pile({1: 1})
    assert (game.counts["beach_plays"], game.table.mover, game.table.turn) == (1, 0, 1)


def test_mean_mermaid_and_wave_from_the_beach_need_a_shell() -> None:
    for card in (MEAN, WAVE):
        game = go_to_the_beach(card, {})
        assert hands(game)[0] == [0, 1, card]
        assert game.counts["beach_plays"] == game.counts["no_effect"] == 0
        game = go_to_the_beach(card, {3: 1})
        assert hands(game)[0] == [0, 1]
        assert game.table.shells == [Pile({3: 1} if card == MEAN else {}), Pile()]
        assert game.table.mover == 1


def test_seaweed_from_the_beach_may_be_the_very_card_the_opponent_draws() -> None:
    game = go_to_the_beach(
        SEAWEED, {}
    )  # the deck is empty: the discard pile, seaweed on it, is next
    assert hands(game) == [[0, 1], [5, 5, 5, SEAWEED]]
    assert game.counts["beach_refills"] == 1


def test_playing_at_the_beach_is_free_and_a_setting() -> None:
    player = Scripted(ask=(0, 1), beach=False)
    game = go_to_the_beach(MERFOLK, {}, player)
    assert hands(game)[0] == [0, 1, MERFOLK]
    assert player.seen["beach"].card == MERFOLK
    assert player.seen["beach"].hand == Pile({0: 1, 1: 1, MERFOLK: 1})
    assert game.table.mover == 1
    player = Scripted(ask=(0, 1))
    game = go_to_the_beach(MERFOLK, {}, player, Rules(play_at_beach=False))
    assert hands(game)[0] == [0, 1, MERFOLK]
    assert "beach" not in player.seen


# Shell deck and beach deck ------------------------------------------------------------------------


@pytest.mark.parametrize(("starfish", "after"), [(LEFT, [2, 0, 1]), (RIGHT, [1, 2, 0])])
def test_starfish_passes_one_card_each_all_at_once(starfish: int, after: list[int]) -> None:
    three: list[Player] = [Scripted(passing=kind) for kind in range(3)]
    cards = [{0: 1, 8: 1, MERFOLK: 1}, {1: 1, 9: 1}, {2: 1, 10: 1}]
    game = turn(start(cards, players=three, shell={1: 1, starfish: 1}))
    # Word 0 draws the shell worth 1; the starfish needs a deck of its own.
    assert game.counts["starfish"] == 0
    three = [Scripted(passing=kind) for kind in range(3)]
    game = turn(start(cards, players=three, shell={starfish: 2}))
    assert hands(game) == [sorted([8 + seat, after[seat]]) for seat in range(3)]
    assert game.table.shell_discard == Pile({starfish: 1})
    assert game.table.shell_deck == Pile({starfish: 1})  # nothing else is drawn for it
    assert game.table.shells == [Pile()] * 3
    for player, mine in zip(three, cards, strict=True):
        assert isinstance(player, Scripted)
        expected = {sort: number for sort, number in mine.items() if sort != MERFOLK}
        assert player.seen["passing"].hand == Pile(expected)
        assert player.seen["passing"].card == starfish
    assert game.table.mover == 0  # the merfolk's extra turn


def test_who_has_one_card_must_pass_it_and_has_not_run_out_if_passed_another() -> None:
    game = turn(start([{MERFOLK: 1, **DULL}, {5: 1}], shell={LEFT: 1}))
    assert hands(game) == [[1, 2, 5], [0]]
    assert game.end() == ""


def test_an_exhausted_shell_deck_gives_nothing_and_is_not_refilled() -> None:
    game = start([{MERFOLK: 1, **DULL}, DULL], shell={})
    game.table.shell_discard.add(4)
    game.census = game.table.census()
    turn(game)
    assert game.table.shells[0] == Pile()
    assert game.table.shell_discard == Pile({4: 1})
    assert (game.counts["no_shell_card"], game.table.mover) == (1, 0)


def test_an_exhausted_beach_deck_is_refilled_when_a_card_must_be_drawn() -> None:
    game = start([{0: 1, 1: 1}, {5: 3}], beach={9: 1}, beach_discard={3: 1, 8: 2})
    turn(game)
    assert hands(game)[0] == [0, 1, 9]
    assert (game.counts["beach_refills"], len(game.table.beach_deck)) == (0, 0)
    game.table.mover = 0
    turn(game)
    assert hands(game)[0] == [0, 1, 3, 9]
    assert game.table.beach_deck == Pile({8: 2})
    assert game.table.beach_discard == Pile()
    assert game.counts["beach_refills"] == 1


def test_nothing_is_drawn_where_no_card_is_left() -> None:
    game = turn(start([{0: 1, 1: 1}, {5: 3}], beach={}))
    assert hands(game)[0] == [0, 1]
    assert (game.counts["no_beach_card"], game.counts["beach_refills"]) == (1, 0)
    assert (game.table.beach_drawn, game.table.mover) == (0, 1)


# The end ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [{MERFOLK: 1}, PAIR])
def test_the_last_card_still_draws_its_shell(last: dict[int, int]) -> None:
    game = turn(start([last, DULL], shell={4: 1}))
    assert game.table.shells[0] == Pile({4: 1})
    assert game.end() == "out of cards"
    assert game.counts["extra_turns"] == 0


@pytest.mark.parametrize("last", [{MERFOLK: 1}, PAIR])
def test_a_starfish_on_the_last_card_lets_the_others_pass_but_ends_the_game(
    last: dict[int, int],
) -> None:
    seer = Scripted()
    game = start([last, {5: 2}, {6: 2}], shell={LEFT: 1}, players=[seer, Greedy(), Greedy()])
    result = game.play()
    assert hands(game) == [[6], [5], [5, 6]]  # the mover is passed a card, and is out all the same
    assert "passing" not in seer.seen
    assert (result.end, result.turns) == ("out of cards", 1)


@pytest.mark.parametrize("last", [MEAN, WAVE, SEAWEED])
def test_any_last_card_ends_the_game(last: int) -> None:
    assert turn(start([{last: 1}, DULL], [{}, {1: 1}])).end() == "out of cards"


def test_an_opponent_who_gives_the_last_card_has_run_out() -> None:
    players: list[Player] = [Scripted(ask=(1, 2)), Greedy(), Greedy()]
    game = turn(start([DULL, DULL, {1: 1}], players=players, shell={RIGHT: 1}))
    assert hands(game) == [[0, 2], [1, 2], [0]]  # passed a card by the starfish drawn for it
    assert game.end() == "out of cards"


def test_a_player_left_with_the_monster_alone_ends_the_game() -> None:
    game = turn(start([{MONSTER: 1, MERFOLK: 1}, DULL], shell={3: 1}))
    assert game.table.shells[0] == Pile({3: 1})
    assert game.end() == "monster alone"
    assert game.counts["extra_turns"] == 0


def test_being_passed_the_monster_alone_ends_the_game() -> None:
    game = turn(start([{MONSTER: 1, MERFOLK: 1, 0: 1}, {5: 1}], shell={LEFT: 1}))
    assert hands(game) == [[0, 5], [MONSTER]]
    assert game.end() == "monster alone"


def test_passing_the_monster_on_in_the_same_action_saves_from_its_end() -> None:
    game = turn(start([{MONSTER: 1, MERFOLK: 1}, {5: 2}], shell={LEFT: 1}))
    assert hands(game) == [[5], [5, MONSTER]]
    assert game.end() == ""


def test_both_ends_at_once_count_as_out_of_cards() -> None:
    players: list[Player] = [Scripted(ask=(1, 1)), Greedy()]
    game = start([{1: 1, MONSTER: 1}, {1: 1}], players=players)
    assert game.play().end == "out of cards"
    assert hands(game) == [[MONSTER], []]


def test_both_ends_hold_from_the_deal_on() -> None:
    rules = Rules(players=3, hand_size=1, monsters=15)
    results = [play(rules, [Random()] * 3, 1, game) for game in range(60)]
    assert {(r.end, r.turns) for r in results if r.monster_held} >= {("monster alone", 0)}


# Scoring ------------------------------------------------------------------------------------------


def scored(shells: Sequence[Mapping[int, int]], monster: int | None = None) -> Result:
    """How a table scores at the end, seat 0 having run out of cards."""
    cards: list[Mapping[int, int]] = [{}] + [{7: 1}] * (len(shells) - 1)
    if monster is not None:
        cards[monster] = {**cards[monster], MONSTER: 1, 6: 1}
    game = start(cards, shells)
    game.ran_out = True
    return game.play()


def test_most_points_win() -> None:
    result = scored([{1: 3}, {4: 1}, {3: 1}])
    assert result.wins == (0, 60, 0)
    assert result.points == (3, 4, 3)
    assert result.shells == (3, 1, 1)
    assert (result.monster_held, result.eaten_cards) == (False, 0)


def test_equal_points_go_to_more_shells_and_then_are_shared() -> None:
    assert scored([{4: 1}, {1: 2, 2: 1}, {2: 2}]).wins == (0, 60, 0)
    assert scored([{4: 1}, {1: 1, 3: 1}, {2: 2}]).wins == (0, 30, 30)
    assert scored([{}, {}, {}]).wins == (20, 20, 20)


def test_monster_eats_every_shell_of_the_own_highest_value_and_no_other() -> None:
    result = scored([{4: 2, 2: 1}, {4: 1, 3: 2}], monster=1)
    assert result.points == (10, 6)
    assert (result.eaten_cards, result.eaten_points, result.monster_held) == (1, 4, True)
    result = scored([{1: 3}, {2: 2}], monster=1)
    assert (result.points, result.eaten_cards, result.eaten_points) == ((3, 0), 2, 4)


def test_shells_are_counted_after_the_meal() -> None:
    result = scored([{2: 2}, {1: 4, 4: 1}], monster=1)  # 4 points each, four shells against two
    assert result.wins == (0, 60)
    result = scored([{2: 2, 1: 1}, {1: 1, 4: 3, 2: 2}], monster=1)  # 5 points each, three shells
    assert result.wins == (30, 30)


def test_a_monster_without_shells_eats_nothing() -> None:
    result = scored([{1: 1}, {}], monster=1)
    assert (result.monster_held, result.eaten_cards) == (True, 0)


def test_a_game_that_runs_on_is_stopped_without_a_winner() -> None:
    rules = Rules(item_copies=1, merfolk=0, mean=0, waves=0, seaweed=0, monsters=0, max_turns=30)
    rules = replace(rules, hand_size=4, players=2)  # no pair can ever be made
    result = play(rules, [Random()] * 2, 3, 0)
    assert (result.end, result.turns, result.wins) == ("unfinished", 30, (0, 0))
    assert (result.cards_left, result.counts["no_beach_card"]) == ((4, 4), 30)


# What a player knows ------------------------------------------------------------------------------


def test_views_turn_the_table_and_hide_the_rest() -> None:
    watcher = Scripted()
    cards = [{0: 1, 5: 1}, DULL, {0: 1, 1: 1, 2: 1, 3: 1}]
    game = start(
        cards, [{1: 1}, {2: 1}, {3: 1}], players=[Greedy(), watcher, Greedy()], beach={9: 4}
    )
    game.table.mover = 1
    turn(game)
    view = watcher.seen["action"]
    assert view.hand_sizes == (3, 4, 2)
    assert view.shells == (Pile({2: 1}), Pile({3: 1}), Pile({1: 1}))
    assert view.hand == Pile(DULL)
    assert (view.beach_deck, view.shell_deck) == (4, 5)
    hidden = {"hands", "table", "word"}
    assert not hidden & set(vars(view))


def test_only_giver_and_receiver_know_a_card_passed_and_only_the_drawer_a_card_drawn() -> None:
    game = turn(start([{MERFOLK: 1, 0: 1, 3: 1}, {5: 2}, {6: 2}, {7: 2}], shell={LEFT: 1}))
    told = [[event.told_to(seat)[2] for event in game.log] for seat in range(4)]
    for seat in range(4):
        passed = [facts for facts in told[seat] if "to" in facts]
        assert [facts["seat"] for facts in passed] == [0, 1, 2, 3]
        known = [facts["seat"] for facts in passed if "card" in facts]
        assert known == sorted([seat, (seat - 1) % 4])
    game = start([DULL, {5: 3}], players=[Scripted(ask=(0, 1)), Greedy()], beach={9: 4})
    turn(game)
    drawn = [event for event in game.log if event.name == "draw"]
    assert [event.told_to(0)[2] for event in drawn] == [{"seat": 0, "card": 9}]
    assert [event.told_to(1)[2] for event in drawn] == [{"seat": 0}]


def test_history_stops_at_the_moment_of_the_decision() -> None:
    seer = Scripted()
    game = start([{MERFOLK: 1, **DULL}, DULL], players=[seer, Greedy()], shell={LEFT: 1})
    turn(game)
    assert [name for _, name, _ in seer.seen["action"].history()] == []
    assert [name for _, name, _ in seer.seen["passing"].history()] == ["discard", "shell"]
    assert names(game) == ["discard", "shell", "pass", "pass"]


# Baseline strategies ------------------------------------------------------------------------------


def asked_view(hand: Mapping[int, int], *others: Mapping[int, int], cards: int = 3) -> View:
    """What seat 0 sees; ``others`` are the opponents' shells."""
    count = 1 + len(others)
    game = start([hand] + [{7: cards}] * len(others), [{}, *others], players=[Greedy()] * count)
    return game._view(0)


def test_greedy_plays_the_first_that_applies() -> None:
    everything = {3: 2, 6: 3, MERFOLK: 1, MEAN: 1, WAVE: 1, SEAWEED: 1, MONSTER: 1}
    order = []
    for gone in ([], [MERFOLK], [3], [6], [MEAN], [WAVE], [SEAWEED]):
        for sort in gone:
            del everything[sort]
        order.append(Greedy().action(asked_view(everything | {9: 1}, {1: 1}), 0))
    assert order == [MERFOLK, 3, 6, MEAN, WAVE, ASK, ASK]
    assert Greedy().action(asked_view({SEAWEED: 1, WAVE: 1, MONSTER: 1}, {}), 0) == SEAWEED
    assert Greedy().action(asked_view({MEAN: 1, WAVE: 1, MONSTER: 1}, {}), 0) == MEAN
    assert Greedy().action(asked_view({WAVE: 1, MONSTER: 1}, {}), 0) == WAVE


def test_greedy_takes_the_highest_shell_first_to_the_left() -> None:
    assert Greedy().shell(asked_view(DULL, {1: 3}, {3: 1}, {3: 2, 2: 1}), 0) == (2, 3)


def test_greedy_asks_for_the_lowest_kind_whoever_holds_most() -> None:
    game = start([{4: 1, 2: 1}, {7: 2}, {7: 3}, {7: 3}])
    assert Greedy().ask(game._view(0), 0) == (2, 2)


def test_greedy_gives_seaweed_to_the_most_points() -> None:
    assert Greedy().seaweed(asked_view(DULL, {1: 3}, {4: 1}, {2: 2}), 0) == 2
    assert Greedy().seaweed(asked_view(DULL, {}, {}), 0) == 1


def test_greedy_passes_what_it_needs_least() -> None:
    cards = {2: 2, 4: 1, 6: 1, MERFOLK: 1, MEAN: 1, WAVE: 1, SEAWEED: 1, MONSTER: 1}
    passed = []
    while cards:
        passed.append(Greedy().passing(asked_view(cards), 0))
        del cards[passed[-1]]
    assert passed == [MONSTER, 4, 6, 2, SEAWEED, WAVE, MEAN, MERFOLK]


def spread(choose: Any, n: int) -> list[Any]:
    """Choices for n words spread evenly over all words."""
    return [choose((2 * i + 1) * 2**64 // (2 * n)) for i in range(n)]


def test_random_action_is_uniform_over_sorts_then_over_pairs() -> None:
    random = Random()
    everything = {0: 2, 3: 1, 5: 3, MERFOLK: 4, MEAN: 1, WAVE: 2, SEAWEED: 1, MONSTER: 1}
    view = asked_view(everything, {1: 1})
    actions = [MERFOLK] * 2 + [MEAN] * 2 + [0, 5] + [WAVE] * 2 + [SEAWEED] * 2
    assert spread(lambda word: random.action(view, word), 10) == actions
    view = asked_view({3: 1, 5: 1, WAVE: 2, SEAWEED: 1}, {1: 1})
    assert spread(lambda word: random.action(view, word), 3) == [ASK, WAVE, SEAWEED]
    view = asked_view({MEAN: 1, WAVE: 2, MONSTER: 1}, {})
    assert spread(lambda word: random.action(view, word), 2) == [MEAN, WAVE]


def test_random_targets_are_uniform_in_the_documented_order() -> None:
    random = Random()
    view = asked_view({1: 2, 4: 1}, {}, {2: 1, 3: 2}, {1: 1})
    assert spread(lambda w: random.ask(view, w), 6) == [(k, d) for k in (1, 4) for d in (1, 2, 3)]
    assert spread(lambda w: random.seaweed(view, w), 3) == [1, 2, 3]
    expected = [(2, 2), (2, 3), (2, 3), (3, 1), (3, 1), (3, 1)]
    assert spread(lambda w: random.shell(view, w), 6) == expected
    assert spread(lambda w: random.passing(view, w), 3) == [1, 1, 4]


def test_a_digit_takes_its_share_of_a_word() -> None:
    assert digit(2**64 - 1, 7) == (6, (2**64 - 1) * 7 % 2**64)
    assert digit(2**63, 2) == (1, 0)
    assert digit(2**62, 2) == (0, 2**63)


# Chance is named by its purpose -------------------------------------------------------------------


def words_of(rules: Rules, players: list[Player], game: int) -> list[tuple[int, int]]:
    """Names of all words that a game used, in order."""
    used: list[tuple[int, int]] = []
    key = chance.game_key(11, game)

    def word(purpose: int, counter: int) -> int:
        used.append((purpose, counter))
        return chance.word(key, purpose, counter)

    Game(rules, players, word).play()
    return used


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_no_word_is_used_twice_and_decks_count_without_gaps(players: int) -> None:
    for game in range(20):
        used = words_of(Rules(players=players), [Random()] * players, game)
        assert len(set(used)) == len(used)
        for purpose in (BEACH, SHELL):
            counters = [counter for p, counter in used if p == purpose]
            assert counters == list(range(len(counters)))
        assert {p for p, _ in used} <= {BEACH, SHELL, FIRST} | {DECIDE + s for s in range(players)}


def test_rivals_who_play_differently_meet_the_same_deal() -> None:
    for game in range(20):
        word = partial(chance.word, chance.game_key(3, game))
        one = Game(Rules(players=3), [Random()] * 3, word)
        two = Game(Rules(players=3), [Greedy()] * 3, word)
        assert hands(one) == hands(two)
        assert one.table.mover == two.table.mover


# Whole games --------------------------------------------------------------------------------------

SETTINGS = [
    Rules(),
    Rules(young=True),
    Rules(ask_freely=True),
    Rules(play_at_beach=False),
    Rules(item_kinds=11, item_copies=3, merfolk=1, mean=5, waves=5, seaweed=9, monsters=2),
    Rules(shells={2: 1, 13: 2}, starfish_left=9, starfish_right=0, hand_size=2),
    Rules(item_kinds=2, item_copies=5, merfolk=0, mean=6, waves=7, monsters=5, max_turns=300),
]


@pytest.mark.parametrize("rules", SETTINGS)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_games_under_odd_settings_keep_their_cards(rules: Rules, players: int) -> None:
    seats: list[Player] = [Random() if seat % 2 else Greedy() for seat in range(players)]
    rules = replace(rules, players=players, hand_size=min(rules.cards_each(), 5))
    for number in range(25):
        game = Game(rules, seats, partial(chance.word, chance.game_key(4, number)))
        result = game.play()  # checks the cards after every action
        assert sum(result.wins) == (0 if result.end == "unfinished" else 60)
        assert game.table.census()[0] == rules.beach_cards().counts
        assert sum(result.cards_left) + result.beach_deck_left <= len(rules.beach_cards())


PUBLISHED = [
    (
        [Greedy(), Random()],
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
        [Greedy(), Random(), Random()],
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
    seats: list[Player], means: dict[str, float]
) -> None:
    """The means were measured over three million games of a program of other authors."""
    games = 400
    results = [play(Rules(players=len(seats)), seats, 20, game) for game in range(games)]
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
