"""The events of a single game of Switch 16, for whoever watches it step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.contracts import Watcher
from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.rules import FACES
from analyzer.games.switch16.state import BLOCK, GREEN, RED, TURN_SHIFT, Bytes
from analyzer.games.switch16.throw import dice_of
from analyzer.games.switch16.workspace import Workspace
from analyzer.kernels.random import GAMMA, mix64


class EventRecorder:
    """Records what happens in the first lane, from its column before and after each step.

    Seats are numbered from 1, deals, turns and throws too; facts by seat are in the order of seats.
    """

    def __init__(self, workspace: Workspace, watch: Watcher) -> None:
        self.workspace = workspace
        self.watch = watch
        self.before = workspace.state.rows[:, 0].copy()
        self.can = False
        self.tops = self.before[at.TOP : at.TOP + workspace.players]
        self._record_deal()

    def _seat(self, row: int) -> int:
        return (int(self.before[at.MOVER]) + row) % self.workspace.players + 1

    def _by_seat(self, rows: Any) -> list[int]:
        n = self.workspace.players
        mover = int(self.before[at.MOVER])
        return [int(rows[(seat - mover) % n]) for seat in range(n)]

    def _record_deal(self) -> None:
        self.before = self.workspace.state.rows[:, 0].copy()
        deal = int(self.workspace.state.shorts[at.DEAL, 0]) + 1
        self.watch("deal", {"deal": deal, "first": self._seat(0)})

    def placed(self, disc: int) -> None:
        """The disc as it lay before its holder was asked, and as it lies now."""
        self.before = self.workspace.state.rows[:, 0].copy()
        now = int(self.before[at.DISC])
        if now != disc:
            on = self._seat(now - 1 - self.workspace.players)
            self.watch("lay", {"seat": self._seat(disc - 1), "on": on})

    def thrown(self) -> None:
        """What the dice show."""
        t = self.workspace
        self.before = t.state.rows[:, 0].copy()
        turn, thrown = int(t.state.shorts[at.TURN, 0]), int(self.before[at.THROWN])
        chance = int(t.state.keys[0]) + (turn << TURN_SHIFT | thrown) * int(GAMMA)
        word = mix64(np.uint64(chance % 2**64))
        self.watch(
            "throw",
            {
                "turn": turn + 1,
                "throw": thrown + 1,
                "seat": self._seat(0),
                "top": int(self.before[at.TOP]),
                "dice": dice_of(int(word), t.rules, int(self.before[at.DICE])),
                "face": FACES[self.before[at.FACE]],
            },
        )

    def resolved(self) -> None:
        """What came of the throw."""
        t = self.workspace
        before, now = self.before, t.state.rows[:, 0]
        self.can = bool(now[at.AGAIN])
        self.tops = now[at.TOP : at.TOP + t.players].copy()
        seat = self._seat(0)
        if self._record_swap(now):
            return
        own = 1 + t.players
        blocked = before[at.DISC] == own
        if before[at.FACE] == BLOCK:
            blocked = False
            self._record_block(now)
        going, top = int(before[at.GOING]), int(before[at.TOP])
        gone = min(going, int(now[at.LAY]))
        if blocked:
            self.watch("blocked", {"seat": seat})
        elif going == 0 and before[at.THROWN] == 0:
            self.watch("nothing", {"seat": seat})
        elif going == 0:
            self.watch("bust", {"seat": seat, "top": int(now[at.TOP])})
        elif gone:
            cards = list(range(top, top + gone))
            self.watch("discard", {"seat": seat, "cards": cards, "top": int(now[at.TOP])})
        if gone < going and not blocked:
            self.watch("lay", {"seat": self._seat(int(before[at.DISC]) - 1), "on": seat})

    def _record_swap(self, now: Bytes) -> bool:
        """Green and red; returns whether the turn is over with it."""
        before, seat = self.before, self._seat(0)
        n = self.workspace.players
        if before[at.FACE] == GREEN and now[at.SWAP]:
            row = int(now[at.SWAP])
            if before[at.DISC] == 1 + row:
                self.watch("refuse", {"seat": self._seat(row), "asked_by": seat})
                return False
        elif before[at.FACE] == RED:
            tops = before[at.TOP + 1 : at.TOP + n]
            row = int(now[at.PICK]) or 1 + int(tops.argmin())
            if tops.min() >= before[at.TOP]:
                self.watch("keep", {"seat": seat})
                return True
        else:
            return False
        facts = {"seat": seat, "with": self._seat(row), "face": FACES[before[at.FACE]]}
        self.watch("swap", {**facts, "tops": self._by_seat(now[at.TOP : at.TOP + n])})
        return True

    def _record_block(self, now: Bytes) -> None:
        disc, own = int(self.before[at.DISC]), 1 + self.workspace.players
        facts = {"seat": self._seat(0)}
        if disc > own and not now[at.TAKE]:
            self.watch("leave", {**facts, "on": self._seat(disc - own)})
        elif disc == 0:
            self.watch("take", {**facts, "from": "tray"})
        elif disc >= own:
            self.watch("take", {**facts, "from": "deck", "of": self._seat(disc - own)})
        elif disc > 1:
            self.watch("take", {**facts, "from": "holder", "of": self._seat(disc - 1)})

    def ended(self, game_over: bool) -> None:
        """Whether the mover throws again, and what ends with the throw."""
        t = self.workspace
        seat = self._seat(0)
        tops = self._by_seat(self.tops)
        if self.can:
            again = bool(t.state.rows[at.AGAIN, 0])
            self.watch("risk" if again else "stop", {"seat": seat, "top": tops[seat - 1]})
        if not t.state.rows[at.DONE, 0]:
            return
        won = tops[seat - 1] > t.rules["cards"]
        facts = {"seat": seat} if won else {}
        self.watch("win" if won else "limit", {**facts, "points": [top - 1 for top in tops]})
        if not game_over:
            self._record_deal()
