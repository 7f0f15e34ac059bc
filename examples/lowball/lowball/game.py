"""The game's entry in the registry, and the order of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import (
    Decision,
    Game,
    Metric,
    Outcome,
    Rules,
    Seat,
    Tally,
    Watcher,
)
from analyzer.engine.asking import IllegalAnswer, failure, wants_chance
from analyzer.kernels.outcomes import share_wins
from analyzer.kernels.random import redrawn, words
from analyzer.kernels.rows import read_only
from analyzer.kernels.trail import Trail
from lowball import rules as rulebook
from lowball import sums
from lowball.round import round_kernel
from lowball.state import (
    CHANCE,
    MOST_PLAYERS,
    NOBODY,
    State,
    begin,
    new_state,
    view_of,
)

__all__ = ["GAME", "Lowball", "Table"]


class Table(NamedTuple):
    """Workspace for a batch, used again for the next one; ``purposes`` by seat."""

    rules: Rules
    state: State
    purposes: tuple[int, ...]


class Lowball(Game):
    """What the game is and brings; see `analyzer.contracts.Game`."""

    name = "lowball"
    title = "Lowball"
    question = "Does it pay to name low numbers?"
    min_players = 3
    max_players = MOST_PLAYERS
    default_players = 4
    settings = rulebook.SETTINGS
    decisions = (Decision("number", np.uint8, "once a round: a number from 1 to `numbers`"),)
    families = ()
    sees = ()
    metrics = (
        Metric("shared_wins", "shared", "games", "games whose win is shared", kind="share"),
        Metric("claimed_rounds", "claimed", "rounds", "rounds that somebody wins", kind="share"),
        Metric("winning_number", "winning", "claimed", "the number that wins a round"),
    )
    headline = ("wins", "wins_sq")
    default_strategy = "any-number"
    games_per_lane = 1
    chance = CHANCE
    study = "lowball.study:STUDY"
    narrator = "lowball.narrator:Narrator"
    baseline = "lowball.baseline"

    def check_rules(self, rules: dict[str, Any], players: int) -> None:
        """Refuse settings that contradict each other."""
        rulebook.check_rules(rules)

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Nothing, or a point for every round."""
        return 0, rules["rounds"]

    def length_unit(self, rules: Rules) -> str:
        """A game is so many rounds."""
        return "rounds"

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums."""
        return sums.shapes(rules["numbers"], detail)

    def table(self, rules: Rules, players: int, lanes: int) -> Table:
        """Workspace for batches of up to so many games."""
        return self.replica(rules, players, lanes, {})

    def replica(self, rules: Rules, players: int, lanes: int, replicas: Mapping[str, int]) -> Table:
        """The same, with some sources of chance drawn anew."""
        again = replicas.get("decisions", 0)
        purposes = tuple(redrawn(purpose, again) for purpose in CHANCE["decisions"])
        return Table(rules, new_state(players, lanes), purposes)

    def play(
        self,
        table: Table,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
        watch: Watcher | None = None,
    ) -> Outcome:
        """Play the given games to their end."""
        return self._play(table, seed, games, seats, tally, watch)

    def follow(
        self,
        table: Table,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
    ) -> Outcome:
        """Play the given games and keep who leads after each round."""
        trail = Trail(games.size)
        outcome = self._play(table, seed, games, seats, tally, None, trail)
        outcome.course = trail.course(outcome.wins)
        return outcome

    def _play(
        self,
        table: Table,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
        watch: Watcher | None,
        trail: Trail | None = None,
    ) -> Outcome:
        rules, state, purposes = table
        begin(state, seed, games)
        for number in range(rules["rounds"]):
            if watch is not None:
                watch("round", {"round": number + 1, "stake": int(state.stake[0])})
            for p, seat in enumerate(seats):
                chance = None
                if wants_chance(seat, "number"):
                    words(state.keys, purposes[p], number, state.words)
                    chance = read_only(state.words)
                view = view_of(state, p, rules["numbers"], rules["rounds"], number)
                seat.decide("number", view, chance, state.choice[p])
            if round_kernel(state, rules["numbers"], rules["unclaimed"] == "kept"):
                raise failure(_illegal(state, rules["numbers"], number, seats, games))
            sums.add_round(state, games.size, tally)
            if watch is not None:
                _tell_round(state, watch)
            if trail is not None and number + 1 < rules["rounds"]:
                columns, over = np.arange(games.size), np.full(games.size, number + 1)
                trail.note(columns, over, state.scores[: len(seats), : games.size])
        scores = state.scores[: len(seats)]
        share_wins(scores, state.wins)
        sums.add_games(state, games.size, tally)
        return Outcome(games, state.wins[:, : games.size], scores[:, : games.size])


def _illegal(
    state: State, numbers: int, number: int, seats: Sequence[Seat], games: NDArray[np.uint64]
) -> list[IllegalAnswer]:
    """Every choice of this round that is no number of the game."""
    return [
        IllegalAnswer(
            seat,
            int(games[g]),
            f"round {number + 1}, seat {p + 1}",
            "number",
            f"it named {state.choice[p][g]}; legal are 1 to {numbers}.",
        )
        for p, seat in enumerate(seats)
        for g in range(games.size)
        if not 1 <= state.choice[p][g] <= numbers
    ]


def _tell_round(state: State, watch: Watcher) -> None:
    """What the only game of this batch has come to."""
    winner = int(state.winner[0])
    watch("named", {"numbers": [int(row[0]) for row in state.choice]})
    watch(
        "scored",
        {
            "seat": None if winner == NOBODY else winner + 1,
            "scores": state.scores[: len(state.choice), 0].tolist(),
        },
    )


GAME = Lowball()
