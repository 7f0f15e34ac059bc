"""Turn the Tide (Land Unter): bid weather cards, keep the tide low, keep your life preservers.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-turnthetide.md``.
All games of a batch go in step: hand by hand, every game asks every living player for a card. What
they consist of is `analyzer.games.turnthetide.state.State`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Decision, Game, Metric, Outcome, Rules, Seat, Tally, Watcher
from analyzer.errors import StrategyFailed
from analyzer.games.turnthetide import rules as rulebook
from analyzer.games.turnthetide import sums
from analyzer.games.turnthetide.deal import begin, deal_kernel, redeal_kernel, start_kernel
from analyzer.games.turnthetide.events import EventRecorder, cards_of
from analyzer.games.turnthetide.hand import hand_kernel
from analyzer.games.turnthetide.knowledge import (
    forget,
    known_kernel,
    new_memory,
    new_view,
    note_kernel,
    seen_kernel,
)
from analyzer.games.turnthetide.scoring import score_kernel
from analyzer.games.turnthetide.state import (
    CHANCE,
    ILLEGAL,
    ROUND_SHIFT,
    View,
    new_decks,
    new_state,
)
from analyzer.games.turnthetide.tides import open_kernel, tides_kernel
from analyzer.kernels.calls import Program, prepared
from analyzer.kernels.outcomes import share_wins
from analyzer.kernels.random import game_keys, redrawn, words
from analyzer.kernels.rows import read_only, rows
from analyzer.kernels.trail import Trail


class RoundCalls(NamedTuple):
    """What is called in a round: what sets it up; what asks, by hand; all that plays it."""

    start: Callable[[], None]
    asking: list[list[Callable[[], Any]]]
    whole: Program


class Table:
    """Workspace for one batch: its state, what is remembered, each seat's views, and all calls.

    ``replicas`` says which sources of chance are drawn anew, and for which time.
    """

    def __init__(
        self, rules: Rules, players: int, lanes: int, replicas: Mapping[str, int] | None = None
    ) -> None:
        again = replicas or {}
        self.purposes = {
            source: tuple(redrawn(purpose, again.get(source, 0)) for purpose in purposes)
            for source, purposes in CHANCE.items()
        }
        self._replays: list[Table] = []
        self.rules = rules
        self.players = players
        self.lanes = lanes
        self.hands: int = rules["hands"]
        self.rounds: int = rules["rounds"]
        self.state = new_state(rules, players, lanes)
        self.memory = new_memory(players, lanes)
        self.decks = new_decks(rules)
        self.words = rows(lanes, np.uint64)
        self.chance = read_only(self.words)
        self.views: dict[frozenset[str], list[list[list[View]]]] = {}
        self.calls: dict[tuple[tuple[Seat, ...], int], RoundCalls] = {}
        self._asks: dict[tuple[Seat, int, int, int], list[Callable[[], Any]]] = {}
        # Calls of kernels that are given structs cost little only if they are laid out.
        deal, tides, board, scores = self.state
        self._open = [
            prepared(open_kernel, tides.low[hand], tides.high[hand], board.low, board.high)
            for hand in range(self.hands)
        ]
        (purpose,), size = self.purposes["deal"], rules["hand_size"]
        self.deal_cards = Program([prepared(deal_kernel, deal, self.decks, size, purpose)])
        two_highest = rules["drowning"] == "two-highest"
        self.play_hand: Callable[[], int] = prepared(
            hand_kernel, board, two_highest, rules["end_at"]
        )
        scoring = rules["bonus"], rules["eliminated_may_take_bonus"]
        self.score_round = [
            Program([prepared(score_kernel, board, scores, r, *scoring)])
            for r in range(self.rounds)
        ]

    def replays(self) -> list[Table]:
        """A workspace a seat: the same game, but for this seat's hand all chance is drawn anew."""
        if not self._replays:
            size = self.rules["hand_size"]
            for seat in range(self.players):
                twin = Table(self.rules, self.players, self.lanes, dict.fromkeys(CHANCE, seat + 1))
                deal, kept = twin.state.deal, self.state.deal.dealt[seat]
                args = deal, kept, seat, twin.decks, size, *twin.purposes["deal"]
                twin.deal_cards = Program([prepared(redeal_kernel, *args)])
                self._replays.append(twin)
        return self._replays

    def calls_for(self, seats: Sequence[Seat], round_number: int) -> RoundCalls:
        """What is called in a round, by who plays in which place; made once, like the views."""
        key = tuple(seats), round_number
        if key not in self.calls:
            asking = [self._asking(seats, round_number, hand) for hand in range(self.hands)]
            start = prepared(start_kernel, self.state.deal, self.state.board, round_number)
            hands = (call for asks in asking for call in (*asks, self.play_hand))
            self.calls[key] = RoundCalls(start, asking, Program((start, *hands)))
        return self.calls[key]

    def _asking(
        self, seats: Sequence[Seat], round_number: int, hand: int
    ) -> list[Callable[[], Any]]:
        """Turn up the tide cards of a hand, ask everybody, and note what they chose."""
        board = self.state.board
        calls: list[Callable[[], Any]] = [self._open[hand]]
        for p, seat in enumerate(seats):
            calls += self._ask(seat, p, round_number, hand)
        if _remember(seats):
            calls.append(prepared(note_kernel, board, self.memory.played))
        return calls

    def _ask(self, seat: Seat, p: int, round_number: int, hand: int) -> list[Callable[[], Any]]:
        """Ask who has a place; laid out once for all line-ups in which the same one has it."""
        key = seat, p, round_number, hand
        if key not in self._asks:
            deal, _, board, _ = self.state
            calls: list[Callable[[], Any]] = []
            sees, chance = seat.strategy.sees, None
            if seat.strategy.stochastic:
                counter = round_number << ROUND_SHIFT | hand
                purpose = self.purposes["decisions"][p]
                calls.append(prepared(words, deal.keys, purpose, counter, self.words))
                chance = self.chance
            if "known" in sees:
                calls.append(prepared(known_kernel, deal, board, self.memory, p, round_number))
            view = self.views_for(sees)[p][round_number][hand]
            calls.append(seat.question("card", view, chance, board.choice[p]))
            self._asks[key] = calls
        return self._asks[key]

    def views_for(self, sees: frozenset[str]) -> list[list[list[View]]]:
        """Views by seat, round and hand; made once, since they look at living arrays."""
        if sees not in self.views:
            self.views[sees] = [
                [
                    [
                        new_view(self.state, self.memory, self.rules, p, r, hand, sees)
                        for hand in range(self.hands)
                    ]
                    for r in range(self.rounds)
                ]
                for p in range(self.players)
            ]
        return self.views[sees]


class TurnTheTide(Game):
    """What the game is and brings; see `analyzer.contracts.Game`."""

    name = "turnthetide"
    title = "Turn the Tide"
    question = "Is the life-preserver distribution fair?"
    min_players = 2
    max_players = 6
    default_players = 4
    settings = rulebook.SETTINGS
    decisions = (
        Decision("card", np.uint8, "once a hand: the number (1..60) of the weather card to play"),
    )
    families = ()
    sees = ("played", "known")
    metrics = (Metric("hands_per_round", "hands", "rounds", "hands played until a round ended"),)
    headline = ("games", "wins", "wins_sq", "pairs")
    default_strategy = "random"
    games_per_lane = 1
    seat_sums = ("round_score", sums.REPLAYED)
    chance = CHANCE
    study = "analyzer.games.turnthetide.study:STUDY"
    narrator = "analyzer.games.turnthetide.narrator:Narrator"
    baseline = "analyzer.games.turnthetide.baseline"

    def check_rules(self, rules: dict[str, Any], players: int) -> None:
        """Refuse more cards than there are, more hands than cards, and ends before the start."""
        rulebook.check_rules(rules, players)

    def seats_alike(self, rules: Rules, players: int) -> bool:
        """Hands are dealt at random and played in turn, and all cards are shown at once."""
        return True

    def length_unit(self, rules: Rules) -> str:
        """A game is so many rounds, each with the hands of the first one."""
        return "rounds"

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Lowest and highest final score that the rules allow."""
        return rulebook.score_range(rules)

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums."""
        return sums.shapes(rules, players, detail)

    def table(self, rules: Rules, players: int, lanes: int) -> Table:
        """Workspace for batches of up to ``lanes`` games in step."""
        return Table(rules, players, lanes)

    def play(
        self,
        table: Table,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
        watch: Watcher | None = None,
    ) -> Outcome:
        """Play the given games; lanes beyond them idle along."""
        deal, _, board, scores = table.state
        count = games.size
        lengths, fairness = sums.asked(tally)
        self.deal(table, seed, games)
        for r in range(table.rounds):
            self.shuffle_tides(table, r)
            self.play_round(table, r, games, seats, watch)
            if fairness is not None:
                ends = scores.by_round[r], deal.given, deal.printed, board.lives, board.alive
                sums.add_round_kernel(*ends, r, count, fairness)
        totals = scores.total[: table.players]
        share_wins(totals, scores.wins)
        sums.add_lengths_kernel(board.hands_played[:count], table.rounds, lengths)
        if fairness is not None:
            sums.add_pairs_kernel(fairness)
            sums.add_games_kernel(scores.by_round, deal.dealt, count, fairness)
        if sums.REPLAYED in tally:
            self._replay(table, seed, games, seats, tally[sums.REPLAYED])
        return Outcome(games, scores.wins[:, :count], totals[:, :count])

    def _replay(
        self,
        table: Table,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        replayed: NDArray[np.int64],
    ) -> None:
        """Play the first round again for each seat, with its hand and all other chance anew."""
        points = table.state.scores.by_round[0]
        for p, twin in enumerate(table.replays()):
            self.deal(twin, seed, games)
            self.shuffle_tides(twin, 0)
            self.play_round(twin, 0, games, seats)
            again = twin.state.scores.by_round[0, p]
            sums.add_replay_kernel(points[p], again, p, games.size, replayed)

    def follow(
        self,
        table: Table,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
    ) -> Outcome:
        """Play the given games; whoever has most points after a round leads then."""
        outcome = self.play(table, seed, games, seats, tally)
        points = table.state.scores.by_round[:, :, : games.size]
        trail = Trail(games.size)
        columns, total = np.arange(games.size), np.zeros(points.shape[1:], np.int64)
        for r in range(table.rounds - 1):
            total += points[r]
            trail.note(columns, np.full(games.size, r + 1), total)
        outcome.course = trail.course(outcome.wins)
        return outcome

    def deal(self, table: Table, seed: int, games: NDArray[np.uint64]) -> None:
        """Deal a batch: everything that is settled before the first round."""
        game_keys(seed, np.resize(games, table.lanes), table.state.deal.keys)
        table.deal_cards()
        begin(table.state, games.size, rulebook.equal_preservers(table.rules))

    def shuffle_tides(self, table: Table, round_number: int) -> None:
        """Shuffle the tide cards of a round."""
        keys, decks = table.state.deal.keys, table.decks
        (purpose,) = table.purposes["tides"]
        tides_kernel(keys, purpose, round_number, decks.tides, decks.tide_tile, *table.state.tides)

    def play_round(
        self,
        table: Table,
        round_number: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        watch: Watcher | None = None,
    ) -> None:
        """Play one round with the hands dealt and the tides laid."""
        remembered = _remember(seats)
        if remembered:
            forget(table.memory, round_number)
        calls = table.calls_for(seats, round_number)
        recorder = EventRecorder(table.state, watch) if watch else None
        if recorder is None:
            stop = calls.whole()
            if stop is not None and stop.value == ILLEGAL:
                # One call has set up the round; in each hand some ask, and one plays it.
                hand = (stop.call - 1) // (len(calls.asking[0]) + 1)
                _report_illegal(table, seats, round_number, hand, games)
        else:
            self._show_round(table, calls, round_number, seats, games, recorder)
        if remembered:
            seen_kernel(table.memory, round_number)
        table.score_round[round_number]()
        if recorder is not None:
            recorder.score(round_number)

    def _show_round(
        self,
        table: Table,
        calls: RoundCalls,
        round_number: int,
        seats: Sequence[Seat],
        games: NDArray[np.uint64],
        recorder: EventRecorder,
    ) -> None:
        """Play a round hand by hand, telling each."""
        calls.start()
        recorder.round(round_number)
        for hand, asking in enumerate(calls.asking):
            for ask in asking:
                ask()
            recorder.cards(hand)
            over = table.play_hand()
            if over == ILLEGAL:
                _report_illegal(table, seats, round_number, hand, games)
            recorder.hand(hand)
            if over:
                break


def _remember(seats: Sequence[Seat]) -> bool:
    """Whether any strategy sees what is remembered."""
    return any(seat.strategy.sees for seat in seats)


def _report_illegal(
    table: Table, seats: Sequence[Seat], round_number: int, hand: int, games: NDArray[np.uint64]
) -> None:
    """Say which game saw the first illegal card of this hand, and what was legal."""
    board = table.state.board
    for g in range(games.size):
        for p, seat in enumerate(seats):
            if not board.asks[p, g]:
                continue
            # What was chosen has left the hand in some lanes; in others it was still to be.
            card, held = int(board.choice[p][g]), int(board.cards[p][g])
            dealt = int(table.state.deal.dealt[(p - round_number) % table.players, g])
            if dealt.bit_count() - held.bit_count() > hand:
                held |= 1 << (card - 1 & 63)
            if card not in cards_of(held):
                legal = ", ".join(str(c) for c in cards_of(held))
                raise StrategyFailed(
                    seat.strategy.spec,
                    int(games[g]),
                    f"round {round_number + 1}, hand {hand + 1}, seat {p + 1}",
                    f"it chose card {card}, but its hand was {legal}; a hook must write one of "
                    "the seat's remaining cards to out for every active column.",
                )
    raise RuntimeError("a card was found to be illegal that nobody has chosen")


GAME = TurnTheTide()
