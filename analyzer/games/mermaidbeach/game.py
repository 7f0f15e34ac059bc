"""Mermaid Beach: match beach items, collect shells, do not be caught with the sea monster.

The rules as simulated, with their sources and assumptions, are in ``docs/rules-mermaidbeach.md``.
Games differ in length, so lanes are refilled: in every step each lane plays one whole turn, and a
lane whose game is over takes up the next game number.

What strategies get of the state are copies wherever the original would tell them more than they may
know. What is remembered of questions and passes is kept only if a strategy sees it.

One step asks for these decisions, in this order: ``action``; ``ask`` where that may be the action,
before it is known whether it is, since to look would cost more than to ask in vain; ``beach`` where
the card drawn for a question that was not met can be played; ``seaweed`` and ``shell`` of whoever
played such a card; ``pass`` of everybody where a starfish came up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import (
    WHOLE_WIN,
    Decision,
    Game,
    Metric,
    Outcome,
    Rules,
    Seat,
    Tally,
    Watcher,
)
from analyzer.engine.lanes import fewer_lanes
from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach import sums
from analyzer.games.mermaidbeach.course import Leads
from analyzer.games.mermaidbeach.events import EventRecorder
from analyzer.games.mermaidbeach.lanes import GAMES_PER_LANE, LEAST_LANES, Lanes, Workspace
from analyzer.games.mermaidbeach.rules import SETTINGS, check_rules, score_range
from analyzer.games.mermaidbeach.state import CHANCE, MOST_PLAYERS
from analyzer.games.mermaidbeach.sums import add_fairness, add_outcomes
from analyzer.kernels.calls import Program
from analyzer.kernels.trail import Trail

TURNS_TOGETHER = 64
"""Turns in every lane without a look from outside, a few milliseconds."""


# --- the order of a turn -------------------------------------------------------------------------


def playing(s: Lanes, recorder: EventRecorder | None = None) -> Program:
    """All that is done of a turn until it is known what is aimed at whom."""
    calls: list[Callable[[], object]] = [*s.turn_questions]
    calls += [recorder.begun] if recorder else []
    calls += [s.ask, *s.after_question]
    calls += [*s.beach_questions, s.play, *s.after_play]
    calls += [recorder.played] if recorder else []
    return Program([*calls, s.see_fit])


def finishing(s: Lanes, recorder: EventRecorder | None = None) -> Program:
    """The rest of it: targets, starfish, and the next games where one is over."""
    calls: list[Callable[[], object]] = []
    aims, passes = s.aims_by_group, s.passes_by_seat
    if any(one.asked for one in aims):
        calls += [s.show_aims, *[one.ask for one in aims if one.asked], s.hit, *s.after_aims]
        calls += [recorder.aimed] if recorder else []
    if any(one.asked for one in passes):
        calls += [s.show_hands, *[one.ask for one in passes], s.pass_cards, *s.after_passes]
        calls += [recorder.passed] if recorder else []
    if recorder:  # it reports the games that are over before the next ones are taken up
        return Program(calls)
    return Program([*calls, s.closing, s.getting_ready, s.count_turn])


class Batch:
    """A batch of games in their lanes, from the first deal to the last score."""

    def __init__(
        self,
        workspace: Workspace,
        seats: Sequence[Seat],
        watch: Watcher | None = None,
        leads: Leads | None = None,
    ) -> None:
        self.workspace = workspace
        self.seats = seats
        self.leads = leads
        self.lanes = workspace.lanes(seats)
        self.recorder = None if watch is None else EventRecorder(self.lanes, watch)

    def begin(self) -> None:
        """Deal the first games."""
        self.lanes.begin()
        if self.recorder:
            self.recorder.dealt()
        self.finish()

    def play(self) -> None:
        """Play all games to their end."""
        progress = self.workspace.progress
        watched = self.recorder or self.leads or self.workspace.check
        together = 1 if watched else TURNS_TOGETHER
        while progress[at.FINISHED] < progress[at.GAMES]:
            self.step(together)
            if self.leads is not None:
                self.leads.note(self.lanes)
            if progress[at.STARTED] == progress[at.GAMES]:
                self._move_to_fewer_lanes(int(progress[at.GAMES] - progress[at.FINISHED]))

    def _move_to_fewer_lanes(self, living: int) -> None:
        lanes = fewer_lanes(self.lanes.lanes, living, least=LEAST_LANES)
        if lanes < self.lanes.lanes:
            fewer = self.workspace.lanes(self.seats, lanes)
            self.lanes.move_to(fewer)
            self.lanes = fewer
            fewer.getting_ready()

    def step(self, turns: int = 1) -> None:
        """So many turns in every lane, or fewer."""
        s, recorder = self.lanes, self.recorder
        if recorder:
            if playing(s, recorder)():
                s.fit_columns()
            finishing(s, recorder)()
            self.finish()
            return
        self.workspace.progress[at.TURNS] = turns
        program = self._programs()[1]
        stop = program()
        if stop and program.calls[stop.call] is s.see_fit:
            s.fit_columns()
            program = self._programs()[0]
            stop = program()
        if stop and program.calls[stop.call] is s.take_up:
            self.finish()
        elif self.workspace.check is not None:
            self.workspace.check(s)

    def _programs(self) -> tuple[Program, Program]:
        """The rest of a turn, and whole turns again and again, with the columns that are asked."""
        s = self.lanes
        if s.asking not in s.programs:
            rest = finishing(s)
            s.programs[s.asking] = rest, Program([playing(s), rest], again=True)
        return s.programs[s.asking]

    def finish(self) -> None:
        """Score the games that are over, take up the next ones, and get ready."""
        s = self.lanes
        while s.lists.counts[at.OVER]:
            if self.recorder:
                self.recorder.ended()
            s.closing()
        s.getting_ready()
        if self.workspace.check is not None:
            self.workspace.check(s)


# --- the game ------------------------------------------------------------------------------------


class MermaidBeach(Game):
    """What the game is and brings; see `analyzer.contracts.Game`."""

    name = "mermaidbeach"
    title = "Mermaid Beach"
    question = "Does going first matter, and does the opening hand decide the game?"
    min_players = 2
    max_players = MOST_PLAYERS
    default_players = 4
    settings = SETTINGS
    decisions = (
        Decision(
            "action",
            np.uint8,
            "once a turn: the sort of the card to play, an item's for a pair of it, or 15 to ask; "
            "one of the set `playable`",
        ),
        Decision(
            "ask",
            np.uint8,
            "where the action 15 may be chosen, and counting if it is: the kind of item to ask "
            "for, one in hand, + 16 * the opponent to ask, 1 being the next player",
        ),
        Decision(
            "beach",
            np.uint8,
            "after a question that was not met, where the card drawn can be played: 1 plays it, 0 "
            "keeps it",
            default=1,
        ),
        Decision(
            "shell",
            np.uint8,
            "after a mean mermaid or a wave: the value of the shell card to take or to wash away "
            "+ 16 * the opponent it lies before",
        ),
        Decision("seaweed", np.uint8, "after seaweed: the opponent who shall draw a beach card"),
        Decision(
            "pass",
            np.uint8,
            "of everybody with cards when a starfish comes up: the sort of the card to pass on",
        ),
    )
    families = ()
    sees = ("table", "discards", "asked", "lacks", "passed")
    metrics = (
        Metric("turns_per_game", "turns", "games", "turns, extra turns included"),
        Metric(
            "first_player_win_share",
            "first_wins",
            "sixtieths",
            "wins of who began",
            kind="share",
            unit=WHOLE_WIN,
        ),
        Metric("asks_per_game", "asks_all", "games", "questions asked"),
        Metric(
            "ask_success_rate", "asks_met_all", "asks_all", "questions that were met", kind="share"
        ),
        Metric("starfish_per_game", "starfish", "games", "starfish that came up"),
        Metric(
            "monster_penalty_rate",
            "monster_meals",
            "games",
            "games in which a sea monster ate at least one shell card",
            kind="share",
        ),
        Metric(
            "ended_out_of_cards",
            "out_of_cards",
            "games",
            "games in which a player ran out",
            kind="share",
        ),
        Metric(
            "ended_monster_alone",
            "monster_alone",
            "games",
            "games in which a player was left with the sea monster alone",
            kind="share",
        ),
    )
    headline = ("games", "wins", "wins_sq", "first_wins", "sixtieths")
    default_strategy = "random"
    games_per_lane = GAMES_PER_LANE
    seat_sums = sums.BY_SEAT
    chance = CHANCE
    study = "analyzer.games.mermaidbeach.study:STUDY"
    narrator = "analyzer.games.mermaidbeach.narrator:Narrator"

    def check_rules(self, rules: dict[str, Any], players: int) -> None:
        """Refuse decks that are too large to count, and hands too large to deal."""
        check_rules(rules, players)

    def seats_alike(self, rules: Rules, players: int) -> bool:
        """Whether whoever begins is drawn by lot."""
        return bool(rules["first_player"] == "random")

    def unused_chance(self, rules: Rules, players: int) -> tuple[str, ...]:
        """Nobody is drawn to begin where the rules say who does."""
        return () if rules["first_player"] == "random" else ("first player",)

    def length_unit(self, rules: Rules) -> str:
        """Turns of all players, extra turns included."""
        return "turns"

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Lowest and highest final score that the rules allow."""
        return score_range(rules, players)

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums (see `docs/statistics.md` for what each is for)."""
        return sums.shapes(players, detail)

    def table(self, rules: Rules, players: int, lanes: int) -> Workspace:
        """Workspace for batches of up to 64 times ``lanes`` games."""
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
        """Play the given games."""
        table.open(seed, games, sums.sums_of(tally)[1] is not None)
        batch = Batch(table, seats, watch)
        batch.begin()
        batch.play()
        return self.outcome(table, games, tally)

    def follow(
        self,
        table: Workspace,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
    ) -> Outcome:
        """Play the given games; whoever has the best shells on the table leads."""
        table.open(seed, games, sums.sums_of(tally)[1] is not None)
        trail = Trail(games.size)
        batch = Batch(table, seats, leads=Leads(trail))
        batch.begin()
        batch.play()
        outcome = self.outcome(table, games, tally)
        outcome.course = trail.course(outcome.wins)
        return outcome

    def outcome(self, table: Workspace, games: NDArray[np.uint64], tally: Tally) -> Outcome:
        """How the games of the batch ended, once they are all over; adds their sums."""
        cells = table.players * games.size
        wins = table.wins[:cells].reshape(table.players, -1)
        scores = table.scores[:cells].reshape(table.players, -1)
        unfinished = table.unfinished[: games.size]
        plain, fairness = sums.sums_of(tally)
        scratch = sums.new_scratch(table.players)
        add_outcomes(table.records, wins, scores, unfinished, plain, scratch)
        if fairness is not None:
            add_fairness(table.records, wins, fairness)
        return Outcome(games, wins, scores, unfinished)


GAME = MermaidBeach()
