"""What happens in a single game, step by step, for whoever watches it."""

from __future__ import annotations

from typing import Any

from analyzer.contracts import Watcher
from analyzer.games.mermaidbeach.lanes import Lanes
from analyzer.games.mermaidbeach.state import (
    ASK,
    KINDS,
    MEAN,
    MERFOLK,
    MONSTER,
    MONSTER_ALONE,
    NONE,
    NOTHING,
    OUT_OF_CARDS,
    STARFISH_LEFT,
    UNFINISHED,
    WAVE,
    cards_of,
    sorts_of,
)

ENDS = {OUT_OF_CARDS: "out of cards", MONSTER_ALONE: "monster alone", UNFINISHED: "unfinished"}


class EventRecorder:
    """Reports the one game in lane 0 as it goes on. Turns and seats are counted from 1.

    Parameters
    ----------
    lanes
        With a single game.
    watch
        Told each event's name and facts.
    """

    def __init__(self, lanes: Lanes, watch: Watcher) -> None:
        self.lanes = lanes
        self.watch = watch
        self.turn = 0
        self.mover = 0
        self.recycled = 0
        self.hands: list[int] = []

    def _report(self, event: str, **facts: Any) -> None:
        self.watch(event, {"turn": self.turn + 1, **facts})

    def _seat(self, row: int) -> int:
        """Number of the seat in a row as the mover sees it."""
        return (self.mover + row) % self.lanes.players + 1

    def _row(self) -> int:
        """Row of the player who has just moved."""
        return (self.mover - int(self.lanes.state.seat[0])) % self.lanes.players

    def _remember(self, above: int) -> None:
        """Keep the hands, in rows as the player sees it who is now in row ``above``."""
        state, players = self.lanes.state, self.lanes.players
        self.hands = [int(state.hands[(above + row) % players, 0]) for row in range(players)]
        self.recycled = int(state.recycled[0])

    def dealt(self) -> None:
        """The deal, and who begins."""
        state, players = self.lanes.state, self.lanes.players
        self.mover = int(state.seat[0])
        rows = [(seat - self.mover) % players for seat in range(players)]
        hands = [cards_of(int(state.hands[row, 0])) for row in rows]
        self.watch("deal", {"first": self.mover + 1, "hands": hands})

    def begun(self) -> None:
        """A turn begins."""
        self.mover, self.turn = int(self.lanes.state.seat[0]), int(self.lanes.state.turn[0])
        self._remember(0)

    def played(self) -> None:
        """The question, and the card played."""
        now = self.lanes.now
        seat, card, met = self._seat(0), int(now.played[0]), bool(now.met[0])
        if now.action[0] == ASK:
            kind, who = int(now.question[0]) & 15, self._seat(int(now.question[0]) >> 4)
            self._report("ask", seat=seat, opponent=who, kind=kind, met=met)
            if met:
                self._report("discard", seat=who, card=kind, number=1)
                self._report("discard", seat=seat, card=kind, number=1)
            else:
                self._drawn(seat, int(now.drawn[0]))
        if card != NOTHING and not met:
            self._report("discard", seat=seat, card=card, number=2 if card < KINDS else 1)
        if card <= MERFOLK:
            shell = int(now.shell_card[0])
            if shell:
                self._report("shell", seat=seat, card=shell)
            else:
                self._report("no shell card", seat=seat)
        elif card in (MEAN, WAVE) and not now.rivals[0]:
            self._report("no effect", seat=seat, card=card)
        self._remember(self._row())

    def _drawn(self, seat: int, card: int) -> None:
        more = int(self.lanes.state.recycled[0]) - self.recycled
        if more:
            self._report("refill", cards=more)
        if card == NONE:
            self._report("no beach card", seat=seat)
        else:
            self._report("draw", seat=seat, card=card)

    def aimed(self) -> None:
        """What a card did that was aimed at an opponent."""
        lanes, seat = self.lanes, self._seat(0)
        for columns in lanes.aims_by_group:
            if columns.number == 0:
                continue
            answer = int(columns.answers[0])
            if columns.decision == "seaweed":
                row = (self._row() + answer) % lanes.players
                cards = sorts_of(int(lanes.state.hands[row, 0]) - self.hands[answer])
                self._report("seaweed", seat=seat, opponent=self._seat(answer))
                self._drawn(self._seat(answer), cards[0] if cards else NONE)
            else:
                opponent, value = self._seat(answer >> 4), answer & 15
                taken = lanes.now.played[0] == MEAN
                event = "shell taken" if taken else "shell washed away"
                self._report(event, seat=seat, opponent=opponent, value=value)

    def passed(self) -> None:
        """What everybody passed on."""
        passes, players = self.lanes.passes, self.lanes.players
        step = 1 if passes.card[0] == STARFISH_LEFT else -1
        for seat in range(players):
            if passes.active[seat, 0]:
                to, card = (seat + step) % players, int(passes.answers[seat][0])
                self._report("pass", seat=seat + 1, to=to + 1, card=card)

    def ended(self) -> None:
        """The monsters' meals, and why the game is over."""
        state, players = self.lanes.state, self.lanes.players
        for seat in range(players):
            row = (seat - int(state.seat[0])) % players
            pile = int(state.shells[row, 0])
            if int(state.hands[row, 0]) >> 4 * MONSTER and pile:
                value = sorts_of(pile)[-1]
                number = pile >> 4 * value & 15
                self._report("monster eats", seat=seat + 1, value=value, number=number)
        self._report("end", end=ENDS[int(self.lanes.now.ended[0])])
