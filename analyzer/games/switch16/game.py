"""Switch 16: throw dice, discard 1 to 16 in order, and mind who controls whose deck.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-switch16.md``.
Turns differ in length from game to game, so lanes do not go in step: each step is one throw in
every lane, whoever's turn it is there, and a lane whose game has ended takes up the next game at
once. A step is ``throw``, ``resolve``, ``turn`` (its end) and, where a deal is over, ``deal``, each
with its rules in the module of that name; ``state`` has what is going on in the lanes.
Where the hooks of all seats are those of ``policies`` nobody has to be asked: a batch is then
played in one call, in so few lanes that they stay in the first-level cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Game, Outcome, Rules, Seat, Tally, Watcher
from analyzer.engine.asking import IllegalAnswer, failure
from analyzer.errors import StrategyFailed
from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.course import Course, note_leaders, note_leaders_kernel
from analyzer.games.switch16.deal import begin_kernel
from analyzer.games.switch16.decisions import (
    BETWEEN_ASKED,
    DECISIONS,
    LAY_ASKED,
    PICK_ASKED,
    RISK_ASKED,
    TAKE_ASKED,
    mark_on_face,
)
from analyzer.games.switch16.events import EventRecorder
from analyzer.games.switch16.outcome import outcome_of
from analyzer.games.switch16.policies import NEVER
from analyzer.games.switch16.resolve import resolve_tile
from analyzer.games.switch16.rules import SETTINGS, Facts, check_rules, score_range
from analyzer.games.switch16.state import (
    CHANCE,
    MOST_PLAYERS,
    TILE,
    Longs,
    Policies,
    Queue,
    Scratch,
    State,
    Words,
)
from analyzer.games.switch16.sums import COUNT_LIMIT, METRICS, add_counts_kernel, shapes_of, sums_in
from analyzer.games.switch16.throw import throw_tile
from analyzer.games.switch16.turn import end_tile
from analyzer.games.switch16.workspace import GAMES_PER_LANE, LineUpCalls, Question, Workspace
from analyzer.kernels.calls import Program, prepared
from analyzer.kernels.compilation import row_kernel
from analyzer.kernels.random import seed_key
from analyzer.kernels.trail import Trail, TrailRows


@row_kernel
def _advance_kernel(
    state: State, facts: Facts, policies: Policies, queue: Queue, scratch: Scratch
) -> int:
    """End the throw in every lane, and throw again if nobody decides before.

    Returns as `end_tile`.
    """
    over = 0
    for start in range(0, state.keys.size, TILE):
        tile = slice(start, min(start + TILE, state.keys.size))
        ended = end_tile(tile, state, facts, policies, queue, scratch)
        if ended < 0:
            return -1
        over += ended
        if policies.groups[BETWEEN_ASKED, 0] == 0:
            throw_tile(tile, state, facts, policies, scratch)
            mark_on_face(tile, state, policies, facts.players)
    return over


@row_kernel
def _play_kernel(
    lanes: int,
    over: int,
    state: State,
    facts: Facts,
    policies: Policies,
    queue: Queue,
    scratch: Scratch,
    counts: Longs,
    trail: TrailRows,
) -> int:
    """Play all games where nobody has to be asked, in so few lanes that they stay in the cache.

    Who leads is noted unless the trail has no rows. Returns how many games are over: not all of
    them where the trail lacks room.
    """
    tile = slice(0, lanes)
    step = 0
    while over < queue.records.size:
        throw_tile(tile, state, facts, policies, scratch)
        resolve_tile(tile, state, facts, policies, scratch)
        over += end_tile(tile, state, facts, policies, queue, scratch)
        step += 1
        if step % COUNT_LIMIT == 0:
            add_counts_kernel(lanes, state, counts)
        if trail.lengths.size > 0:
            room = trail.leaders.shape[1]
            if note_leaders_kernel(lanes, state, facts, scratch, trail) > room:
                break
    add_counts_kernel(lanes, state, counts)
    return over


class Batch:
    """Games being played, throw by throw: `throw`, `resolve`, `advance`; or all at once.

    Parameters
    ----------
    calls
        Those of the line-up that plays, in its workspace.
    lanes
        In how many of the workspace's lanes; None = in all of them.
    """

    def __init__(
        self, calls: LineUpCalls, seed: int, games: Words, lanes: int | None = None
    ) -> None:
        self.calls = calls
        t = self.workspace = calls.workspace
        t.games = games
        t.counts[:] = 0
        self.lanes = t.lanes if lanes is None else lanes
        self.queue = Queue(
            run_key=np.uint64(seed_key(seed)),
            games=np.ascontiguousarray(games),
            following=t.following,
            records=t.records[: games.size],
            totals=t.totals,
        )
        begin_kernel(self.lanes, t.state, self.calls.facts, self.queue)
        self.steps = 0
        self.ended = 0
        self._thrown = False

    @cached_property
    def _advance(self) -> Callable[[], Any]:
        t, calls = self.workspace, self.calls
        return prepared(
            _advance_kernel, t.state, calls.facts, calls.policies, self.queue, t.scratch
        )

    @property
    def is_over(self) -> bool:
        """Whether all games have ended."""
        return self.ended == self.queue.records.size

    def play_in_one_call(self, trail: Trail) -> None:
        """Play on to the end, where nobody has to be asked."""
        t, calls = self.workspace, self.calls
        while not self.is_over:
            self.ended = _play_kernel(
                self.lanes, self.ended, t.state, calls.facts, calls.policies, self.queue,
                t.scratch, t.counts, trail.rows,
            )  # fmt: skip
            if not self.is_over:
                note_leaders(calls, self.lanes, trail)

    def ask_and_play(self) -> None:
        """Play on to the end, where nobody lays the disc between turns."""
        calls = self.calls
        self.throw()
        step: list[Callable[[], object]] = [*calls.on_face]
        step += [self._check_picks] if calls.questions[PICK_ASKED] else []
        step += [calls.resolve]
        step += [*calls.lay, calls.discard] if calls.lay else []
        program = Program([*step, *calls.risk, self._advance])
        while not self.is_over:
            stop = program()
            if stop is not None and stop.call < len(program.calls) - 1:
                raise self._illegal(stop.value - 1)
            self._count(0 if stop is None else stop.value)

    def throw(self, recorder: EventRecorder | None = None) -> None:
        """Throw in every lane, after holders have been asked where turns begin."""
        if not self._thrown:
            if self.calls.between:
                self._place_disc(recorder)
            self.calls.throw()
        self._thrown = True
        if recorder is not None:
            recorder.thrown()

    def _place_disc(self, recorder: EventRecorder | None) -> None:
        """Let holders lay the disc where a turn is about to begin."""
        calls, state = self.calls, self.workspace.state.rows
        before = int(state[at.DISC, 0])
        calls.hold()
        for ask in calls.between:
            ask()
        if calls.place():
            raise self._illegal(BETWEEN_ASKED)
        state[at.LAY] = NEVER
        if recorder is not None:
            recorder.placed(before)

    def resolve(self, recorder: EventRecorder | None = None) -> None:
        """From the dice on the table to the cards that go."""
        calls = self.calls
        for ask in calls.on_face:
            ask()
        self._check_picks()
        wrong = calls.resolve()
        if not wrong and calls.lay:
            for ask in calls.lay:
                ask()
            wrong = calls.discard()
        if wrong:
            raise self._illegal(wrong - 1)
        if recorder is not None:
            recorder.resolved()

    def advance(self, recorder: EventRecorder | None = None) -> None:
        """Ask who risks another throw, end turns and games, begin others."""
        for ask in self.calls.risk:
            ask()
        ended = self._advance()
        self._count(ended)
        if recorder is not None:
            recorder.ended(ended > 0)

    def _count(self, ended: int) -> None:
        """Count a step and the games that ended with it, -1 if a risk was answered illegally."""
        if ended < 0:
            raise self._illegal(RISK_ASKED)
        self.ended += ended
        self.steps += 1
        self._thrown = not self.calls.between
        if self.steps % COUNT_LIMIT == 0 or self.is_over:
            t = self.workspace
            add_counts_kernel(t.lanes, t.state, t.counts)

    def outcome(self) -> Outcome:
        """How the games ended."""
        t = self.workspace
        return outcome_of(t.games, self.queue, t.results)

    # What to say of illegal answers.

    def _check_picks(self) -> None:
        """Only a row that shows the lowest top card may be picked."""
        t = self.workspace
        illegal: list[IllegalAnswer] = []
        for one in self.calls.questions[PICK_ASKED]:
            lanes = np.flatnonzero(one.view.active * (one.answer != 0))
            tops = t.state.rows[at.TOP + 1 : at.TOP + t.players, lanes]
            picked = np.minimum(one.answer[lanes], t.players - 1).astype(np.intp)
            wrong = t.state.rows[at.TOP + picked, lanes] != tops.min(axis=0, initial=NEVER)
            for lane in lanes[wrong].tolist():
                row = one.answer[lane]
                what = f"it picked row {row}, which does not show the lowest top card."
                illegal.append(self._wrong(one, lane, what))
        if illegal:
            raise failure(illegal)

    def _illegal(self, decision: int) -> StrategyFailed:
        """What to say about the lowest game in which a group chose what the rules forbid."""
        return failure(self._forbidden(decision))

    def _forbidden(self, decision: int) -> Iterator[IllegalAnswer]:
        t = self.workspace
        going = t.state.rows[at.GOING]
        highest = 1 if decision in (RISK_ASKED, TAKE_ASKED) else t.players - 1
        for one in self.calls.questions[decision]:
            if decision == LAY_ASKED:
                # Where the disc was laid by a legal answer, that is how many cards go.
                held = t.state.rows[at.DISC] <= t.players
                wrong = (one.answer >= going) & (one.answer != NEVER) & held
            else:
                wrong = one.answer > highest
            for lane in np.flatnonzero(wrong & (one.view.active != 0)).tolist():
                allowed = f"0 to {highest}"
                if decision == LAY_ASKED:
                    allowed = f"0 to {going[lane] - 1}, or {NEVER}"
                what = f"it chose {one.answer[lane]}; allowed is {allowed}."
                yield self._wrong(one, lane, what)

    def _wrong(self, one: Question, lane: int, what: str) -> IllegalAnswer:
        t, decision = self.workspace, DECISIONS[one.decision].name
        return IllegalAnswer(
            one.group.seat, t.game_of(lane), t.moment(lane, decision), decision, what
        )


class Switch16(Game):
    """What the game is and brings; see `analyzer.contracts.Game`."""

    name = "switch16"
    title = "Switch 16"
    question = "Does greed pay?"
    min_players = 2
    max_players = MOST_PLAYERS
    default_players = 4
    settings = SETTINGS
    families = ("risk", "green", "block")
    sees = ("throw", "time", "points")
    decisions = DECISIONS
    metrics = METRICS
    headline = ("games", "wins", "wins_sq", "first_wins", "deals")
    default_strategy = "greedy/leader/deny:16"
    games_per_lane = GAMES_PER_LANE
    chance = CHANCE
    study = "analyzer.games.switch16.study:STUDY"
    narrator = "analyzer.games.switch16.narrator:Narrator"
    baseline = "analyzer.games.switch16.baseline"
    solver = "analyzer.games.switch16.solve"

    def check_rules(self, rules: dict[str, Any], players: int) -> None:
        """Refuse a resumption that is neither milestone nor the card after, and too rich throws."""
        check_rules(rules)

    def seats_alike(self, rules: Rules, players: int) -> bool:
        """Whether whoever begins is drawn by lot."""
        return bool(rules["first_player"] == "random")

    def unused_chance(self, rules: Rules, players: int) -> tuple[str, ...]:
        """Nobody is drawn to begin where the rules say who does."""
        return () if rules["first_player"] == "random" else ("first player",)

    def length_unit(self, rules: Rules) -> str:
        """Turns of all players, or deals of a match."""
        return "deals" if rules["match_points"] else "turns"

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Lowest and highest final score that the rules allow."""
        return score_range(rules)

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums."""
        return shapes_of(detail)

    def table(self, rules: Rules, players: int, lanes: int) -> Workspace:
        """Workspace of so many lanes."""
        return Workspace(rules, players, lanes)

    def replica(
        self, rules: Rules, players: int, lanes: int, replicas: Mapping[str, int]
    ) -> Workspace:
        """The same, with some sources of chance drawn anew."""
        return Workspace(rules, players, lanes, replicas)

    def play(
        self,
        table: Workspace,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
        watch: Watcher | None = None,
    ) -> Outcome:
        """Play the given games, refilling lanes as games end."""
        return self._play(table, seed, games, seats, tally, watch)

    def follow(
        self,
        table: Workspace,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
    ) -> Outcome:
        """Play the given games; the deck that is furthest leads, or in matches the most points."""
        trail = Trail(games.size)
        outcome = self._play(table, seed, games, seats, tally, None, trail)
        outcome.course = trail.course(outcome.wins)
        return outcome

    def _play(
        self,
        table: Workspace,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
        watch: Watcher | None,
        trail: Trail | None = None,
    ) -> Outcome:
        sums = sums_in(tally)
        calls = table.calls(seats, follow_origins=sums.follow_origins)
        course = Course(table.state, table.players, sums.course) if sums.course else None
        watched = watch is not None or course is not None
        in_one_call = calls.silent and not watched
        batch = Batch(calls, seed, games, min(table.lanes, TILE) if in_one_call else None)
        recorder = None if watch is None else EventRecorder(table, watch)
        if in_one_call:
            batch.play_in_one_call(Trail(0) if trail is None else trail)
        elif not (watched or calls.between or trail is not None):
            batch.ask_and_play()
        while not batch.is_over:
            batch.throw(recorder)
            if course is not None:
                course.before()
            batch.resolve(recorder)
            if course is not None:
                course.after()
            batch.advance(recorder)
            if trail is not None:
                note_leaders(calls, batch.lanes, trail)
        sums.add(table.counts)
        return batch.outcome()


GAME = Switch16()
