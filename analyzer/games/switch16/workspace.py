"""The workspace of a batch of Switch 16, and what is called in it for a line-up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import Rules, Seat
from analyzer.engine.asking import AskedGames, PolicyGroup, policy_groups, question, wants_chance
from analyzer.games.switch16 import layout as at
from analyzer.games.switch16.decisions import (
    AS_HOLDER,
    BETWEEN_ASKED,
    DECISIONS,
    LAY_ASKED,
    decision_purpose,
    decision_words_kernel,
)
from analyzer.games.switch16.disc import holder_kernel, place_kernel
from analyzer.games.switch16.discard import discard_kernel
from analyzer.games.switch16.outcome import Results
from analyzer.games.switch16.policies import (
    KNOWN_HOOKS,
    NEVER,
    lay_from_card,
    risk_by_top,
    swap_with_anybody,
    swap_with_leader,
    take_unless_ahead,
)
from analyzer.games.switch16.resolve import resolve_kernel
from analyzer.games.switch16.rules import Facts, facts_of
from analyzer.games.switch16.state import (
    BLOCKS,
    EVERYBODY,
    MOST_PLAYERS,
    TILE,
    Bytes,
    Policies,
    Scratch,
    State,
    View,
)
from analyzer.games.switch16.sums import COUNTED
from analyzer.games.switch16.throw import throw_kernel
from analyzer.kernels.calls import Call, Program, prepared
from analyzer.kernels.rows import read_only, rows

GAMES_PER_LANE = 128


class Workspace:
    """Workspace for one batch.

    Attributes
    ----------
    state, scratch, facts, results
        As their classes say.
    games
        Numbers of the games of the batch, set when it begins.
    following, records, totals
        What a batch's `Queue` consists of.
    counts
        (counted, 256) int64, what the batch has counted in each block.
    words
        (N,) uint64, for strategies that want chance.

    ``replicas`` says which sources of chance are drawn anew, and for which time.
    """

    def __init__(
        self, rules: Rules, players: int, lanes: int, replicas: Mapping[str, int] | None = None
    ) -> None:
        self.rules = rules
        self.players = players
        self.lanes = lanes = -(-lanes // BLOCKS) * BLOCKS
        self.facts = facts_of(rules, players, replicas)
        self.state = State(
            rows=rows((at.ROWS, lanes), np.uint8),
            shorts=rows((at.SHORTS, lanes), np.uint16),
            keys=rows(lanes, np.uint64),
            columns=rows(lanes, np.uint32),
            sums=rows(lanes, np.uint32),
        )
        dtype = np.uint16 if self.facts.bits == 16 else np.uint32
        self.scratch = Scratch(
            fractions=rows(TILE, dtype),
            made=rows(TILE, dtype),
            rows=rows((2, TILE), np.uint8),
            lanes=rows(TILE + 64, np.uint32),
        )
        games = lanes * GAMES_PER_LANE
        self.games: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self.following = np.zeros(BLOCKS, np.int64)
        self.records = rows(games, np.uint32)
        self.totals = rows((players, games if rules["match_points"] else 0), np.uint16)
        self.counts = np.zeros((len(COUNTED), BLOCKS), np.int64)
        self.results = Results.of(players, games)
        self.words = rows(lanes, np.uint64)
        self.asked_games = AskedGames(lambda: self.lanes, self.game_of, self.moment)
        self._calls: dict[tuple[tuple[Seat, ...], bool], LineUpCalls] = {}

    def calls(self, seats: Sequence[Seat], *, follow_origins: bool) -> LineUpCalls:
        """What is called for a line-up; made once, like all calls that are made again and again."""
        key = tuple(seats), follow_origins
        if key not in self._calls:
            self._calls[key] = LineUpCalls(self, seats, follow_origins=follow_origins)
        return self._calls[key]

    def game_of(self, lane: int) -> int:
        """Number of the game in a lane."""
        return int(self.games[self.state.columns[lane]])

    def moment(self, lane: int, decision: str) -> str:
        """Where in its game a lane is: deal of a match, turn, throw, and the seat that decides."""
        state, shorts = self.state.rows, self.state.shorts
        as_holder = any(DECISIONS[k].name == decision for k in AS_HOLDER)
        seat = state[at.HOLDER_SEAT if as_holder else at.MOVER, lane]
        deal = f"deal {shorts[at.DEAL, lane] + 1}, " if self.rules["match_points"] else ""
        turn, throw = shorts[at.TURN, lane] + 1, state[at.THROWN, lane] + 1
        return f"{deal}turn {turn}, throw {throw}, seat {seat + 1}"

    def view(self, decision: int, group: int, sees: frozenset[str]) -> View:
        """What a policy group sees when it is asked for a decision."""
        n = self.players
        state, shorts = self.state.rows, self.state.shorts
        as_holder = decision in AS_HOLDER
        top = at.HOLDER_TOP if as_holder else at.TOP
        safe = at.HOLDER_SAFE if as_holder else at.SAFE
        points = at.HOLDER_POINTS if as_holder else at.POINTS
        throw = "throw" in sees and decision != BETWEEN_ASKED
        time = "time" in sees
        return View(
            active=read_only(state[at.ASKS + MOST_PLAYERS * decision + group]),
            top=read_only(state[top : top + n]),
            protected=read_only(state[safe : safe + n]),
            disc=read_only(state[at.HELD if as_holder else at.DISC]),
            mover=read_only(state[at.HOLDER_MOVER]) if as_holder else None,
            dice=read_only(state[at.DICE]) if throw else None,
            sums=read_only(self.state.sums) if throw else None,
            going=read_only(state[at.GOING]) if throw or decision == LAY_ASKED else None,
            thrown=read_only(state[at.THROWN]) if time else None,
            turn=read_only(shorts[at.TURN]) if time else None,
            points=read_only(shorts[points : points + n]) if "points" in sees else None,
            players=n,
            cards=self.rules["cards"],
            match_points=self.rules["match_points"],
        )


class Question(NamedTuple):
    """A decision put to a policy group."""

    group: PolicyGroup
    decision: int
    view: View
    answer: Bytes
    ask: Callable[[], object]


def _call(kernel: Callable[[State, Facts, Policies, Scratch], Any]) -> cached_property[Call]:
    """A call of a kernel for all lanes, made when it is first needed: its code has to be loaded."""

    def make(calls: LineUpCalls) -> Call:
        t = calls.workspace
        return prepared(kernel, t.state, calls.facts, calls.policies, t.scratch)

    return cached_property(make)


class LineUpCalls:
    """Who is asked what at a table, and the calls of one step.

    Attributes
    ----------
    workspace
        Where they are made.
    facts, policies
        As kernels take them.
    questions
        For each decision, one a policy group.
    silent
        Whether nobody has to be asked anything.
    on_face, lay, risk, between
        Calls that ask: for what the Switch die brings, as holders, for risks, between turns.
    throw, resolve, discard, hold, place
        Calls of the kernels of these names.
    """

    def __init__(
        self, workspace: Workspace, seats: Sequence[Seat], *, follow_origins: bool
    ) -> None:
        self.workspace = workspace
        self.facts = workspace.facts._replace(follows_origins=follow_origins)
        self.questions = [_questions(workspace, seats, k) for k in range(len(DECISIONS))]
        self.silent = not any(self.questions)
        self.policies = _policies(workspace, seats, self.questions)
        asks = [[one.ask for one in questions] for questions in self.questions]
        self.risk, swap, pick, take, self.lay, self.between = asks
        self.on_face = [*swap, *pick, *take]

    throw = _call(throw_kernel)
    resolve = _call(resolve_kernel)
    discard = _call(discard_kernel)
    hold = _call(holder_kernel)
    place = _call(place_kernel)


def _questions(t: Workspace, seats: Sequence[Seat], decision: int) -> list[Question]:
    """A decision, put to all who answer it other than by hooks that the game knows."""
    name = DECISIONS[decision].name
    groups = policy_groups(seats, name, KNOWN_HOOKS.get(name, ()))
    return [_question(t, group, decision, i) for i, group in enumerate(groups)]


def _question(t: Workspace, group: PolicyGroup, decision: int, number: int) -> Question:
    name = DECISIONS[decision].name
    state = t.state.rows
    view = t.view(decision, number, group.seat.strategy.sees)
    answer = state[at.ANSWERS + MOST_PLAYERS * decision + number]
    ask: Callable[[], object] = question(group.seat, name, view, t.words, answer, t.asked_games)
    if wants_chance(group.seat, name):
        seat = state[at.HOLDER_SEAT if decision in AS_HOLDER else at.MOVER]
        draw = prepared(
            decision_words_kernel, decision_purpose(t.facts, decision), view.active, seat,
            state[at.THROWN], t.state.keys, t.state.shorts[at.TURN], t.scratch.lanes, t.words,
        )  # fmt: skip
        ask = Program([draw, ask])
    return Question(group, decision, view, answer, ask)


def _policies(
    t: Workspace, seats: Sequence[Seat], questions: Sequence[Sequence[Question]]
) -> Policies:
    """Who decides what, for the kernels."""
    groups = np.zeros((len(questions), 1 + MOST_PLAYERS), np.int64)
    for row, asked in zip(groups, questions, strict=True):
        row[0] = len(asked)
        for i, one in enumerate(asked):
            row[1 + i] = EVERYBODY if len(one.group.members) == t.players else one.group.mask

    def decide_by(decision: str, hook: Any) -> list[int]:
        """Seats that answer a decision by a hook."""
        return [n for n, seat in enumerate(seats) if seat.strategy.hooks.get(decision) is hook]

    def mask(decision: str, hook: Any) -> int:
        return sum(1 << number for number in decide_by(decision, hook))

    denied = np.full(MOST_PLAYERS, NEVER, np.int64)
    for number in decide_by("lay", lay_from_card):
        denied[number] = seats[number].strategy.params["lay"][0]
    by_table = decide_by("risk", risk_by_top)
    risk_tables = np.zeros((2, MOST_PLAYERS if by_table else 0), t.scratch.made.dtype)
    for number in by_table:
        risk_tables[:, number] = [mask >> 1 for mask in seats[number].strategy.params["risk"]]
    sees = frozenset().union(*(seat.strategy.sees for seat in seats))
    return Policies(
        groups=groups,
        followers=mask("swap", swap_with_leader),
        guessers=mask("swap", swap_with_anybody),
        sparers=mask("take", take_unless_ahead),
        deniers=mask("lay", lay_from_card),
        denied=denied,
        risk_tables=risk_tables.ravel(),
        see_throw="throw" in sees,
        see_points="points" in sees,
    )
