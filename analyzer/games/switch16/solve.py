"""What `analyzer solve` finds: optimal play for two, or the best response to given opponents."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from analyzer.contracts import Rules, Table, TableData
from analyzer.errors import AnalyzerError, UsageError
from analyzer.games.switch16.exact.advice import RiskValues, risk_values
from analyzer.games.switch16.exact.chain import Shares
from analyzer.games.switch16.exact.policies import PolicyTable, baseline, save_policy
from analyzer.games.switch16.exact.solver import best_response, equilibrium
from analyzer.games.switch16.exact.states import TRAY, Setup
from analyzer.plugins import find_game
from analyzer.rules import check_players

KERNELS = "analyzer.games.switch16.exact.chain"
DECISIONS = ("risk", "place", "green", "block", "lay")
STRATEGY_FILE = '''"""A strategy that plays the table beside this file: {name}."""

from pathlib import Path

from analyzer_strategies.switch16 import from_table

solved = from_table(
    Path(__file__).with_name("policy"),
    "{digest}",
)
'''
"""So that a table can be played by its path, like any strategy of one's own."""


class Situation(NamedTuple):
    """Own deck and the opponents', all alike, the disc in the tray: whether to throw again."""

    mine: str
    """Top card as text; a star marks a protected deck that shows the milestone again."""
    theirs: str
    own_top: int
    own_protected: bool
    opponent_top: int
    opponent_protected: bool
    again: bool
    gain: float
    """What throwing again adds to the chance of winning."""


@dataclass(frozen=True)
class Solved:
    """A solution; ``gain`` is what a seat could add by deviating, None for a best response."""

    setup: Setup
    against: tuple[str, ...]
    policy: PolicyTable
    shares: Shares
    gain: float | None
    situations: tuple[Situation, ...]

    contents = "policy.npz, when-to-stop.png and tables"

    @property
    def answer(self) -> str:
        """How often whoever begins wins, or whoever plays the best response; and when to stop."""
        stops = sum(not situation.again for situation in self.situations)
        habit = (
            "never stops of its own accord"
            if stops == 0
            else f"stops in {stops} of {len(self.situations)} situations"
        )
        if not self.against:
            return (
                "Between two perfect players whoever begins wins "
                f"{100 * self.shares.first_player_win_share:.2f}% of games, which last "
                f"{self.shares.turns:.2f} turns on average; perfect play {habit}."
            )
        opponents = " + ".join(dict.fromkeys(self.against))
        return (
            f"The best answer to {opponents} wins {100 * self.shares.win_share[0]:.2f}% of games, "
            f"where an equal share is {100 / self.setup.players:.4g}%; it {habit}."
        )

    @property
    def figures(self) -> dict[str, Any]:
        """Chances of winning, how long games are, how exact all is, and when to stop."""
        shown = Situation._fields[2:]
        return {
            "win_share": [float(share) for share in self.shares.win_share],
            "first_player_win_share": self.shares.first_player_win_share,
            "turns_per_game": self.shares.turns,
            "gain_by_deviating": self.gain,
            "error": self.shares.error,
            "when_to_stop": [dict(zip(shown, s[2:], strict=True)) for s in self.situations],
        }

    @property
    def table(self) -> Table:
        """A row for every deck of one's own."""
        rows = []
        for mine, group in itertools.groupby(self.situations, lambda situation: situation.mine):
            part = list(group)
            stops = [situation.theirs for situation in part if not situation.again]
            if not stops:
                advice = "throw again"
            elif len(stops) == len(part):
                advice = "stop"
            else:
                advice = f"stop if the opponent shows {', '.join(stops)}"
            gains = [100 * situation.gain for situation in part]
            rows.append((mine, advice, f"{min(gains):+.1f} to {max(gains):+.1f}"))
        columns = ("own top card", "what to do", "points of win chance for one more throw")
        return Table(columns, rows, numbers=columns[2:], whole=columns[:1])

    @property
    def sentences(self) -> tuple[str, ...]:
        """The chances, and what has to be said about them."""
        said = [f"seat {i}: {100 * x:.4f}%" for i, x in enumerate(self.shares.win_share, start=1)]
        found = [
            f"Win chances, exact: {', '.join(said)}; who begins: "
            f"{100 * self.shares.first_player_win_share:.4f}%."
        ]
        if self.gain is not None:
            found.append(f"No seat could gain more than {self.gain:.1g} by playing otherwise.")
        if any("*" in situation.mine for situation in self.situations):
            found.append("A star marks a protected deck that shows the milestone again.")
        return tuple(found)

    def tables(self) -> dict[str, TableData]:
        """When to stop, and a row for every situation of each decision."""
        # With three players the tables of throws have a million rows, which nobody reads.
        shown = DECISIONS if self.setup.players == 2 else DECISIONS[:2]
        found: dict[str, TableData] = {"when_to_stop": self._columns(*Situation._fields)}
        for name in shown:
            rows = list(self.policy.rows(name))
            found[name] = {key: [row[key] for row in rows] for key in rows[0]} if rows else {}
        return found

    def chart(self) -> tuple[TableData, dict[str, Any]]:
        """What one more throw is worth, by the decks."""
        two = self.setup.players == 2
        facts = {
            "who": "the best answer" if self.against else "optimal play",
            "opponents": "opponent's top card" if two else "top card of all opponents",
        }
        return self._columns("mine", "theirs", "again", "gain"), facts

    def _columns(self, *names: str) -> TableData:
        return {name: [getattr(s, name) for s in self.situations] for name in names}

    def write(self, folder: Path) -> None:
        """Write the tables for programs, and a strategy that plays by them.

        Raises
        ------
        OutputError
            If the files cannot be written.
        """
        data, _ = save_policy(self.policy, folder / "policy")
        digest = hashlib.sha256(data.read_bytes()).hexdigest()
        text = STRATEGY_FILE.format(name=self.policy.name, digest=digest)
        (folder / "policy.py").write_text(text, encoding="utf-8")

    def options(self, folder: str | None) -> list[str]:
        """Optimal play has a strategy that solves the game; another table is played by its path."""
        if not self.against:
            return ["--players", "2", "--strategy", "optimal"]
        if folder is None:
            return []
        specs = [f"{folder}/policy.py::solved", *self.against]
        return [word for spec in specs for word in ("--strategy", spec)]


def settle(players: int | None, against: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """How many play, and the opponents one by one; see `analyzer.contracts.Solver`.

    Raises
    ------
    UsageError
        If there is no solution for so many, or it would take too long.
    """
    if players is None:
        players = len(against) + 1 if len(against) > 1 else 2
    check_players(find_game("switch16"), players)
    if not against:
        if players != 2:
            raise UsageError(
                f"optimal play is solved for 2 players; with {players} there is no such thing. "
                "Give --against SPEC to look for the best response to given opponents."
            )
        return players, ()
    if players > 3:
        raise UsageError(
            "best responses are worked out for 2 or 3 players; with 4 that would take an hour. "
            "Give --players 3 or fewer."
        )
    if len(against) not in (1, players - 1):
        raise UsageError(
            f"--against is given {len(against)} times for {players - 1} opponents; give it once "
            "for all of them, or once per opponent."
        )
    return players, tuple(against) * (players - 1 if len(against) == 1 else 1)


def solve(rules: Rules, players: int, against: Sequence[str]) -> Solved:
    """Find optimal play for two, or the best response of the first seat to the others.

    Raises
    ------
    UsageError
        If an opponent is no combination of baseline policies, or the game need not end.
    """
    setup = Setup.from_rules(rules, players)
    gain = None
    others = [baseline(spec, setup) for spec in against]
    try:
        if others:
            response = best_response(setup, [None, *others])
            policy, shares = response.policy, response.shares
            table = [policy, *others]
        else:
            solved = equilibrium(setup)
            policy, shares, gain = solved.policy, solved.shares, solved.gain
            table = [policy, policy]
        worth = risk_values(setup, table)
    except UsageError:
        raise
    except AnalyzerError as reason:
        raise UsageError(f"these rules cannot be solved: {reason}") from None
    return Solved(setup, tuple(against), policy, shares, gain, _situations(policy, worth))


def _situations(policy: PolicyTable, worth: RiskValues) -> tuple[Situation, ...]:
    """Every own deck that has lost a card, against every deck that all opponents may have."""
    setup = policy.setup
    tops, protections = setup.tops().tolist(), setup.protections().tolist()
    names = [
        f"{top}{'*' if protected and top <= setup.milestone else ''}"
        for top, protected in zip(tops, protections, strict=True)
    ]
    found = []
    for mine, theirs in itertools.product(range(1, setup.decks), range(setup.decks)):
        decks = mine
        for _ in range(setup.players - 1):
            decks = decks * setup.decks + theirs
        found.append(
            Situation(
                names[mine],
                names[theirs],
                tops[mine],
                protections[mine],
                tops[theirs],
                protections[theirs],
                bool(policy.risk[TRAY, decks]),
                float(worth.again[TRAY, decks] - worth.stop[TRAY, decks]),
            )
        )
    return tuple(found)
