"""The workspace: lanes side by side, the seats that are asked there, and the calls of a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from analyzer.contracts import Rules, Seat
from analyzer.engine.asking import AskedGames, policy_groups, question, wants_chance
from analyzer.engine.lanes import fitting_lanes, move_lanes
from analyzer.games.mermaidbeach import (
    actions,
    aim,
    deal,
    knowledge,
    legality,
    play,
    scoring,
    starfish,
)
from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach import question as asking
from analyzer.games.mermaidbeach.columns import Columns
from analyzer.games.mermaidbeach.knowledge import Memory
from analyzer.games.mermaidbeach.rules import facts_of
from analyzer.games.mermaidbeach.state import (
    LAST_MOVER,
    Aims,
    Asked,
    Lists,
    Passes,
    Piles,
    Queue,
    Records,
    Scratch,
    Shown,
    State,
    Turn,
    view_of,
)
from analyzer.kernels.calls import Call, Program, prepared
from analyzer.kernels.rows import CACHE_LINE, rows

QUEUE = 4096
"""Games dealt ahead."""
PAGE = 4096
STAGGER = 21 * CACHE_LINE
LEAST_LANES = 256
MOST_LANES = 31 * 192
"""More do not fit into the second-level cache."""
MOST_KEPT = 720
"""Line-ups whose lanes are kept, a megabyte each: all seatings of six strategies."""
LANES_SQUARED = 1000
"""Square of the lanes that suit one game, as measured."""
GAMES_PER_LANE = 64


class _Allocator:
    """Makes rows that begin with a cache line, each array with another one of a page.

    Rows are worked on side by side, and lines at the same place of a page compete for the
    first-level cache.
    """

    def __init__(self) -> None:
        self._arrays = 0

    def __call__(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        self._arrays += 1
        length = int(np.prod(shape)) * np.dtype(dtype).itemsize
        memory = np.zeros(length + 2 * PAGE, np.uint8)
        start = -memory.ctypes.data % PAGE + self._arrays * STAGGER % PAGE
        return memory[start : start + length].view(dtype).reshape(shape)

    def several(self, number: int, length: int, dtype: DTypeLike) -> tuple[NDArray[Any], ...]:
        """So many rows of the same kind, none of them part of another array."""
        return tuple(self(length, dtype) for _ in range(number))


class Lanes:
    """So many lanes side by side, the strategies that sit there, and what is done in each step.

    Attributes
    ----------
    state, now, asked, shown, lists, aims, passes, memory, scratch
        What kernels work on; see `analyzer.games.mermaidbeach.state`.
    groups
        Seats with the same strategy, which are asked together where they can be.
    remembers
        Whether anybody sees more than what lies on the table.
    prepare, ask, play, ...
        Everything that is called again and again, with its arguments.
    """

    def __init__(self, workspace: Workspace, seats: Sequence[Seat], lanes: int) -> None:
        self.workspace = workspace
        self.lanes = lanes
        self.players = workspace.players
        self.groups = policy_groups(seats)
        self.remembers = any(group.seat.strategy.sees for group in self.groups)
        new = _Allocator()
        self.state = self._new_state(new)
        kept = lanes if self.remembers else 1
        self.memory = Memory(
            discards=rows((2, kept), np.uint64),
            asked=rows((self.players, kept), np.uint64),
            lacks=rows((self.players, kept), np.uint64),
            received=rows((self.players, kept), np.uint8),
            starfish=rows(kept, np.uint8),
        )
        self.now = Turn(new(lanes, np.uint64), *new((len(Turn._fields) - 1, lanes), np.uint8))
        self.asked, self.shown = self._new_questions(new)
        self.passed = {
            i: rows((self.players, lanes), np.uint64)
            for i, group in enumerate(self.groups)
            if "passed" in group.seat.strategy.sees
        }
        self._make_columns(new, lanes + CACHE_LINE)
        self.scratch = Scratch(
            wide=new((at.WIDE, at.TILE + 8), np.uint64),
            narrow=new((at.NARROW, at.TILE + CACHE_LINE), np.uint8),
            short=new(at.TILE, np.uint16),
            cells=new(at.TILE, np.uint32),
        )
        self._make_calls()
        self._make_memory_calls()
        self.beginning = Program([*self.forgetting, self.take_up])
        self.closing = Program([self.score, *self.forgetting, self.take_up])
        self.getting_ready = Program([self.prepare, *self.recalling])
        self.asking = (0,) * len(self.columns)
        self.programs: dict[tuple[int, ...], tuple[Program, Program]] = {}

    def _new_state(self, new: _Allocator) -> State:
        lanes, players = self.lanes, self.players
        beach_left, shell_left = new((2, lanes), np.uint8)
        return State(
            start=new(lanes, np.uint32),
            live=new(lanes, np.uint8),
            keys=new(lanes, np.uint64),
            seat=new(lanes, np.uint8),
            turn=new(lanes, np.uint16),
            hands=new((players, lanes), np.uint64),
            shells=new((players, lanes), np.uint64),
            sizes=new((players, lanes), np.uint8),
            beach_deck=new(lanes, np.uint64),
            shell_deck=new(lanes, np.uint64),
            beach_left=beach_left,
            shell_left=shell_left,
            recycled=new(lanes, np.uint16),
            asks=new(lanes, np.uint16),
            asks_met=new(lanes, np.uint16),
            asks_by_seat=new((2, lanes if self.workspace.fair else 0), np.uint64),
        )

    def _new_questions(self, new: _Allocator) -> tuple[Asked, Shown]:
        lanes, groups = self.lanes, len(self.groups)
        everywhere = at.DECISIONS[: at.IN_ALL_LANES]
        wants = [any(wants_chance(one.seat, name) for one in self.groups) for name in everywhere]
        asked = Asked(*(new((at.IN_ALL_LANES, groups, lanes), np.uint8) for _ in Asked._fields))
        return asked, Shown(
            members=np.stack([group.marks(self.players) for group in self.groups]),
            wants=np.array(wants, np.uint8),
            words=new((at.IN_ALL_LANES, lanes), np.uint64),
            hand=new.several(groups, lanes, np.uint64),
            playable=new.several(groups, lanes, np.uint64),
            card=new(lanes, np.uint8),
        )

    def _make_columns(self, new: _Allocator, room: int) -> None:
        """Columns for targets, by decision and group, and for starfish, by seat."""
        players, groups = self.players, self.groups
        targets = [(decision, group) for decision in ("seaweed", "shell") for group in groups]
        lists = at.AIMED + len(targets)
        self.lists = Lists(np.zeros((lists, room), np.uint32), *np.zeros((2, lists), np.int64))
        self.fewest, self.most = np.zeros((2, lists), np.int64)
        self.aims = aims = Aims(
            wants=np.array([wants_chance(one.seat, name) for name, one in targets], np.uint8),
            shells=new((len(targets), players * room), np.uint64),
            words=new((len(targets), room), np.uint64),
            card=new((len(targets), room), np.uint8),
            active=new((len(targets), room), np.uint8),
            answers=new((len(targets), room), np.uint8),
            drew=new((len(groups), room), np.uint8),
        )
        sitting = {seat: group for group in groups for seat in group.members}
        self.passes = passes = Passes(
            wants=np.array(
                [wants_chance(sitting[p].seat, "pass") for p in range(players)], np.uint8
            ),
            hands=new.several(players, room, np.uint64),
            words=new((players, room), np.uint64),
            card=new(room, np.uint8),
            active=new((players, room), np.uint8),
            answers=new.several(players, room, np.uint8),
            cells=new((players, room), np.uint32),
            movers=new(room, np.uint8),
        )

        def shown_targets(k: int, width: int) -> dict[str, NDArray[Any]]:
            shells = aims.shells[k, : players * width].reshape(players, width)
            card = {"card": aims.card[k, :width]} if k >= len(groups) else {}
            return {"shells": shells} | card

        def shown_hand(p: int, width: int) -> dict[str, NDArray[Any]]:
            return {"hand": passes.hands[p][:width], "card": passes.card[:width]}

        self.aims_by_group: list[Columns] = [
            Columns(
                self, group, decision, at.AIMED + k, LAST_MOVER, active=aims.active[k],
                words=aims.words[k], answers=aims.answers[k], shown=partial(shown_targets, k),
            )
            for k, (decision, group) in enumerate(targets)
        ]  # fmt: skip
        self.passes_by_seat: list[Columns] = [
            Columns(
                self, sitting[p], "pass", at.STARFISH, p, active=passes.active[p],
                words=passes.words[p], answers=passes.answers[p], shown=partial(shown_hand, p),
            )
            for p in range(players)
        ]  # fmt: skip
        self.columns: list[Columns] = [*self.aims_by_group, *self.passes_by_seat]

    def _make_calls(self) -> None:
        w, facts = self.workspace, self.workspace.facts
        state, now, asked, lists = self.state, self.now, self.asked, self.lists
        aims, passes, scratch = self.aims, self.passes, self.scratch
        shown, ended = self.shown, now.ended
        groups = range(len(self.groups))

        def checked(
            kernel: Callable[..., int], refuse: Callable[[Lanes], None], *rest: Any
        ) -> Call:
            """A call that reports an illegal answer if the kernel finds any."""
            return prepared(kernel, *rest, otherwise=partial(refuse, self))

        self.prepare = prepared(actions.prepare_turn, facts, state, now, asked, shown, scratch)
        self.turn_questions = [
            self._question(which, i) for which in (at.ACTION, at.QUESTION) for i in groups
        ]
        self.ask = checked(
            asking.ask, legality.refuse_turns, facts, state, now, asked, scratch.narrow
        )
        self.beach_questions = [
            Program(
                [
                    prepared(asking.show_drawn, i, state, now, asked, shown),
                    self._question(at.BEACH, i),
                    checked(asking.play_drawn, legality.refuse_offers, i, now.offer, asked),
                ]
            )
            for i in groups
            if "beach" in self.groups[i].seat.strategy.hooks
        ]
        self.play = prepared(play.play_card, facts, state, now, lists, scratch)
        self.see_fit = prepared(play.count_misfits, lists.counts, self.fewest, self.most)
        self.show_aims = prepared(aim.show_aims, state, now.played, lists, aims, scratch)
        self.hit = checked(
            aim.hit_targets, legality.refuse_targets, facts, state, ended, lists, aims, scratch
        )
        self.show_hands = prepared(
            starfish.show_hands, state, now.shell_card, lists, passes, scratch
        )
        self.pass_cards = checked(
            starfish.pass_cards, legality.refuse_passes, state.hands, ended, lists, passes, scratch
        )
        self.score = prepared(
            scoring.score, facts, state, ended, lists, w.records, w.progress, scratch
        )
        self.take_up = prepared(
            deal.take_up, facts, state, ended, lists, w.queue, w.records, w.progress,
            scratch.cells,
        )  # fmt: skip
        self.count_turn = prepared(play.count_turn, w.progress)

    def _make_memory_calls(self) -> None:
        """What is remembered and forgotten at each moment of a turn; nothing if nobody sees it."""
        state, now, lists, memory = self.state, self.now, self.lists, self.memory
        self.after_question: list[Call] = []
        self.after_play: list[Call] = []
        self.after_aims: list[Call] = []
        self.after_passes: list[Call] = []
        self.forgetting: list[Call] = []
        self.recalling: list[Call] = []
        if not self.remembers:
            return
        find_discards = prepared(knowledge.find_discards, self.workspace.facts, state, memory)
        self.after_question = [find_discards, prepared(knowledge.note_question, now, memory)]
        self.after_play = [find_discards, prepared(knowledge.note_play, now, memory)]
        self.after_aims = [prepared(knowledge.note_draws, lists, self.aims, memory)]
        self.after_passes = [prepared(knowledge.note_passes, lists, self.passes, memory)]
        self.forgetting = [prepared(knowledge.forget, lists, memory)]
        acts = self.asked.active[at.ACTION]
        self.recalling = [
            find_discards,
            *(prepared(knowledge.recall, acts[i], memory, one) for i, one in self.passed.items()),
        ]

    def _question(self, which: int, i: int) -> Call:
        """How a group is asked for what every lane may decide."""
        seat, memory = self.groups[i].seat, self.memory
        state, asked, shown = self.state, self.asked, self.shown
        arrays = {
            "active": asked.active[which, i],
            "hand": shown.hand[i],
            "sizes": state.sizes,
            "shells": state.shells,
            "beach_deck": state.beach_left,
            "shell_deck": state.shell_left,
            "turn": state.turn,
        }
        arrays |= {"playable": shown.playable[i]} if which == at.ACTION else {}
        arrays |= {"card": shown.card} if which == at.BEACH else {}
        optional = {
            "discards": {"beach_discard": memory.discards[0], "shell_discard": memory.discards[1]},
            "asked": {"asked": memory.asked},
            "lacks": {"lacks": memory.lacks},
            "passed": {"passed": self.passed.get(i)},
        }
        for part in optional.keys() & seat.strategy.sees:
            arrays |= optional[part]
        games = AskedGames(
            lambda: self.lanes,
            self.game_of,
            lambda lane, decision: self.moment(lane, counted=False),
        )
        words, out = shown.words[which], asked.answers[which, i]
        view = view_of(self.players, arrays)
        return question(seat, at.DECISIONS[which], view, words, out, games)

    def game_of(self, lane: int) -> int:
        """Number of the game in a lane."""
        return int(self.workspace.queue.games[self.state.start[lane] >> np.uint32(3)])

    def moment(self, lane: int, seat: int | None = None, *, counted: bool) -> str:
        """Where the game in a lane is, such as ``"turn 3, seat 2"``.

        Parameters
        ----------
        seat
            Who decides; None = whose turn it is.
        counted
            Whether the turn is counted already, so that the next player is to move.
        """
        if seat is None:
            seat = (int(self.state.seat[lane]) - counted) % self.players
        return f"turn {int(self.state.turn[lane]) + 1 - counted}, seat {seat + 1}"

    def fit_columns(self) -> None:
        """Make columns that fit the lists of this turn; `asking` tells how many each has."""
        counts = self.lists.counts.tolist()
        asking: list[int] = []
        for one in self.columns:
            number = counts[one.listed]
            if number and not one.fewest <= number <= one.most:
                one.fit(number)
            self.fewest[one.listed] = one.fewest if number else 0
            self.most[one.listed] = one.most if number else 0
            asking.append(one.most if number else 0)
        self.asking = tuple(asking)

    def begin(self) -> None:
        """Let all lanes take up the first games of a batch."""
        self.state.live.fill(1)
        self.lists.lanes[at.OVER, : self.lanes] = np.arange(self.lanes)
        self.lists.counts[at.OVER] = self.lanes
        self.beginning()

    def move_to(self, other: Lanes) -> None:
        """Move the live games to fewer lanes; those left over repeat some of them idly."""
        living = np.flatnonzero(self.state.live)
        move_lanes(self.state, other.state, living)
        if self.remembers:
            move_lanes(self.memory, other.memory, living)
        other.state.live[living.size :] = 0


class Workspace:
    """Room for batches: lanes, a queue of dealt games, and the records of finished ones.

    Parameters
    ----------
    lanes
        A batch has up to `GAMES_PER_LANE` times as many games.

    Attributes
    ----------
    check
        Called after every step with the lanes, for tests.
    """

    def __init__(self, rules: Rules, players: int, lanes: int) -> None:
        self.rules = rules
        self.players = players
        self.most_lanes = min(max(CACHE_LINE, lanes // CACHE_LINE * CACHE_LINE), MOST_LANES)
        self.room = lanes * GAMES_PER_LANE
        self.facts: Piles = facts_of(rules)
        self.progress = np.zeros(at.PROGRESS, np.int64)
        self.queue = Queue(
            games=np.zeros(self.room, np.uint64),
            keys=rows(QUEUE, np.uint64),
            deck=rows(QUEUE, np.uint64),
            hands=rows((players, QUEUE), np.uint64),
            first=rows(QUEUE, np.uint8),
        )
        self.results = np.zeros(2 * self.room, np.uint64)
        self.wins = np.zeros(players * self.room, np.uint8)
        self.scores = np.zeros(players * self.room, np.int16)
        self.unfinished = np.zeros(self.room, np.uint8)
        self.check: Callable[[Lanes], None] | None = None
        self._set_fair(False)

    def _set_fair(self, fair: bool) -> None:
        """Make room for what fairness needs to know, or none."""
        room = self.room if fair else 0
        self.fair = fair
        self.records = Records(
            self.results, np.zeros((3, room), np.uint64), np.zeros((self.players, room), np.uint64)
        )
        self.kept: dict[tuple[tuple[Seat, ...], int], Lanes] = {}

    def open(self, seed: int, games: NDArray[np.uint64], fair: bool) -> None:
        """Take a new batch of games."""
        if fair != self.fair:
            self._set_fair(fair)
        self.facts[at.SEED] = seed
        self.queue.games[: games.size] = games
        self.progress[:] = 0
        self.progress[at.GAMES] = games.size

    def lanes(self, seats: Sequence[Seat], lanes: int = 0) -> Lanes:
        """So many lanes for these seats, made once; as many as suit the batch if that is 0."""
        lanes = lanes or fitting_lanes(
            int(self.progress[at.GAMES]), self.most_lanes, least=LEAST_LANES,
            squared_per_game=LANES_SQUARED,
        )  # fmt: skip
        key = (tuple(seats), lanes)
        if key not in self.kept:
            if len(self.kept) >= MOST_KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = Lanes(self, seats, lanes)
        return self.kept[key]
