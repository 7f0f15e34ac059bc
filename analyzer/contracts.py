"""What a plugin provides, and when each of its hooks is called.

A `Strategy` fills in one decision per game for a whole batch; a `Game` plays batches of games and
reports each game's outcome. Neither knows the engine, statistics or files.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BLOCKS",
    "WHOLE_WIN",
    "Baseline",
    "BoundStrategy",
    "Course",
    "Decision",
    "Game",
    "GameNumbers",
    "Hook",
    "Metric",
    "Narrator",
    "Outcome",
    "Parameter",
    "Rules",
    "Seat",
    "Setting",
    "Solution",
    "Solver",
    "Source",
    "Strategy",
    "Table",
    "TableData",
    "Tally",
    "Watcher",
]

BLOCKS = 256
"""Blocks that sums are kept in: a game's is its number modulo this."""

WHOLE_WIN = 60
"""A whole win in the units that shares of it are counted in; ties of up to six divide it evenly."""

Source = Literal["source", "fact", "assumption"]
"""Where a rule comes from: the printed rules, a published fact outside them, or our reading."""

Rules = Mapping[str, Any]
"""Every setting in force, validated: plain ints, bools, strings, tuples and dicts."""

Hook = Callable[..., None]
"""``decide(view, params, words, out)``: see `Strategy`."""

Watcher = Callable[[str, Mapping[str, Any]], None]
"""Called with an event's name and facts when a single game is told step by step."""

Narrator = Callable[[str, Mapping[str, Any]], Sequence[str]]
"""Turns an event and its facts into lines of text; made anew for each game that is told."""


class Baseline(Protocol):
    """A game as one would first write it, in plain Python: what ``bench`` measures against.

    It may also have ``LINE_UPS``, tables of strategies to be measured beside the usual one; without
    them every quick strategy of the game is, in every seat.
    """

    def play(self, players: int, chance: random.Random) -> Sequence[int]:
        """Final scores of one game under the printed rules, played by the usual strategy."""


class Table(NamedTuple):
    """A table of text, as a terminal shows it.

    Attributes
    ----------
    columns
        Their headings.
    rows
        A cell a column.
    numbers
        Headings of columns that are set to the right.
    whole
        Headings of other columns that are never broken.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[str] = ()
    whole: Sequence[str] = ()


TableData = Mapping[str, Sequence[Any]]
"""A table of plain values: columns of one length by their names."""


class Solution(Protocol):
    """What a solver found, as plain data: where it is saved and shown is not its business."""

    @property
    def answer(self) -> str:
        """One plain sentence."""

    @property
    def figures(self) -> Mapping[str, Any]:
        """What the JSON document says of it, in order, between what was asked and the answer."""

    @property
    def table(self) -> Table:
        """What a terminal shows of it."""

    @property
    def sentences(self) -> Sequence[str]:
        """What a terminal says below the table."""

    @property
    def contents(self) -> str:
        """What is saved of it, as a phrase: files and tables."""

    def tables(self) -> Mapping[str, TableData]:
        """Tables to be saved, by name."""

    def chart(self) -> tuple[TableData, Mapping[str, Any]] | None:
        """Rows of the chart ``"solution"`` that the game's story has, and facts about the whole."""

    def write(self, folder: Path) -> None:
        """Write what strategies play it from: ``policy.npz``, ``policy.json``, ``policy.py``."""

    def options(self, folder: str | None) -> Sequence[str]:
        """Options of ``simulate`` that make it play, given the folder where it is saved, if any.

        None at all means that it has to be saved first.
        """


class Solver(Protocol):
    """Works out the best way to play a game, without chance, for ``solve``.

    ``KERNELS`` names the module whose kernels take longest to compile: users are told beforehand.
    """

    KERNELS: str

    def settle(self, players: int | None, against: Sequence[str]) -> tuple[int, tuple[str, ...]]:
        """How many play, and the opponents one by one.

        Parameters
        ----------
        players
            As asked for; None = what suits the opponents.
        against
            Specs of the opponents to find the best response to, once for all of them or once an
            opponent; none = optimal play.

        Raises
        ------
        UsageError
            If that cannot be solved; with the way out.
        """

    def solve(self, rules: Rules, players: int, against: Sequence[str]) -> Solution:
        """Solve what `settle` returned, under these rules.

        Raises
        ------
        UsageError
            If an opponent is unknown, or these rules cannot be solved.
        """


@dataclass(frozen=True)
class Setting:
    """One rule a user may change.

    Attributes
    ----------
    key
        Name in rules files and ``--set``.
    kind
        ``"int"``, ``"bool"``, ``"choice"``, or ``"custom"`` for a value the game parses itself.
    default
        The default, or a function of the number of players.
    meaning
        One sentence.
    source
        Source, fact or assumption.
    low, high
        Inclusive range of an int.
    choices
        Allowed words of a choice.
    parse
        For ``"custom"``: turns the TOML value, or the text of ``--set``, into the canonical value
        (plain ints, strings, tuples, dicts with string keys); raises `ValueError` saying what is
        allowed.
    alternatives
        For assumptions: all readings worth trying, the default among them.
    allowed
        What a ``"custom"`` value may be, in words.
    follows
        Another setting of the same game whose value is the default instead.
    option
        Whether it may also be given as an option of its own: ``--KEY``, with hyphens.
    """

    key: str
    kind: Literal["int", "bool", "choice", "custom"]
    default: Any
    meaning: str
    source: Source
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    parse: Callable[[Any], Any] | None = None
    allowed: str = ""
    alternatives: tuple[Any, ...] = ()
    follows: str = ""
    option: bool = False

    def default_for(self, players: int) -> Any:
        """The default with this number of players."""
        return self.default(players) if callable(self.default) else self.default

    def range_text(self) -> str:
        """What values are allowed, in words."""
        if self.allowed:
            return self.allowed
        if self.kind == "int":
            return f"a whole number from {self.low} to {self.high}"
        if self.kind == "bool":
            return "true or false"
        return "one of " + ", ".join(self.choices)


@dataclass(frozen=True)
class Parameter:
    """A strategy's declared parameter: a number a user may set in the strategy's spec.

    Attributes
    ----------
    name
        As in ``NAME:name=value``.
    kind
        ``"int"``, ``"float"`` or ``"bool"``.
    default
        Of that kind, and in range.
    meaning
        A phrase.
    low, high
        Inclusive range; without meaning for a bool.
    """

    name: str
    kind: Literal["int", "float", "bool"]
    default: int | float | bool
    meaning: str
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True)
class Decision:
    """One kind of decision a game asks for.

    Attributes
    ----------
    name
        The hook's name, such as ``"card"``.
    dtype
        Of the ``out`` row.
    meaning
        When it is asked and what is to be put in ``out``.
    family
        The part of a combined strategy that answers it (``""`` if strategies are whole).
    default
        What the game does where a strategy declares no hook for it; None = every strategy must.
    """

    name: str
    dtype: type
    meaning: str
    family: str = ""
    default: int | None = None


def _empty() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Strategy:
    """One idea of how to play a game; two of them are the same only if they are one object.

    A hook is ``decide(view, params, words, out)``, elementwise over columns: column g is one game
    that may ask now, seen from the deciding seat (row 0 is me, then to the left). It writes its
    decision to ``out[g]`` and keeps nothing between calls. ``view.active[g]`` is 0 where no
    decision is due: such columns hold in-range values and what is written there is ignored.
    Compiled functions and plain NumPy ones are called alike.

    Attributes
    ----------
    game, name
        The game it plays and the name it goes by.
    idea
        One sentence: what it tries to do and why that should work.
    hooks
        Decision name -> function. Decisions not declared are never asked; the game does then what
        the decision gives as its default.
    stochastic
        Names of the decisions that want chance: their ``words`` is (N,) uint64, one fresh word a
        column, otherwise None.
    sees
        Optional parts of the view it wants (each game's documentation lists them); the others
        are None.
    parameters
        Declared parameters, in order; ``params`` is the plain tuple of their values.
    prepare
        ``prepare(rules, params) -> tuple`` computes once per run what ``params`` shall be instead,
        tables included.
    expensive
        Gets a dense copy of the asking columns only.
    origin
        Where the idea comes from.
    claims
        Statements about its strength that the tests verify: field -> lower bound of win share.
    family
        For games with combined strategies: which part this is; ``""`` for a whole strategy.
    plain
        How it plays, for sentences and labels: ``"always throwing again"``, as after "one player"
        or "players". Without it the name stands there.
    """

    game: str
    name: str
    idea: str
    hooks: Mapping[str, Hook]
    stochastic: frozenset[str] = frozenset()
    sees: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    prepare: Callable[[Rules, tuple[Any, ...]], tuple[Any, ...]] | None = None
    expensive: bool = False
    origin: str = ""
    claims: Mapping[str, float] = field(default_factory=_empty)
    family: str = ""
    plain: str = ""


@dataclass(frozen=True)
class BoundStrategy:
    """A strategy with its parameters' values, ready to play under given rules.

    Attributes
    ----------
    spec
        Canonical spelling: what a user types to get exactly this.
    hooks
        Decision name -> function, for the decisions that are asked.
    params
        Decision name -> the tuple handed to that hook.
    stochastic, sees, claims
        Unions over the parts of a combined strategy.
    compiled
        Whether every hook is compiled (then threads may share the work).
    source_hash
        SHA-256 of the source files, hex.
    """

    spec: str
    hooks: Mapping[str, Hook]
    params: Mapping[str, tuple[Any, ...]]
    stochastic: frozenset[str]
    sees: frozenset[str]
    expensive: bool
    compiled: bool
    source_hash: str
    claims: Mapping[str, float] = field(default_factory=_empty)


class GameNumbers(Protocol):
    """Game number of each column: a uint64 array, or what looks numbers up as they are needed.

    What looks them up may also have a method ``moment(column, decision)`` that tells where in its
    game a column is, such as ``"turn 3, seat 2"``, where columns do not go in step.
    """

    @property
    def size(self) -> int:
        """How many columns there are."""

    def __getitem__(self, column: int, /) -> Any:
        """Number of the game in this column."""


class Seat(Protocol):
    """What a game asks for decisions: a seat of the table, whoever sits there."""

    games: GameNumbers
    """Game number of each column, for messages; a game that refills lanes keeps it up to date."""

    @property
    def strategy(self) -> BoundStrategy:
        """Who decides here."""

    def decide(self, decision: str, view: Any, words: Any, out: NDArray[Any]) -> None:
        """Fill ``out`` for this seat; failures are reported with the strategy's name."""

    def question(
        self, decision: str, view: Any, words: Any, out: NDArray[Any]
    ) -> Callable[[], None]:
        """The same as a function to call again and again, which takes less time than `decide`."""


@dataclass(frozen=True)
class Metric:
    """A figure of a game that is a ratio of two sums: ``sum(numerator) / sum(denominator)``.

    Attributes
    ----------
    name
        What it goes by in documents and tables.
    numerator, denominator
        Names of the sums.
    meaning
        A phrase.
    when
        A setting; the figure is told only where that is not 0, and beside the number of games as
        well, together with its numerator: what the games consist of then, such as the deals of a
        match.
    part, whole
        Where ``when`` is given: what all other figures are of then, such as ``"deal"``, and what is
        won, such as ``"match"``.
    kind
        ``"mean"``: how many of something there are in a game, a round or the like. ``"share"``: how
        many of those in the denominator, games most often, have something; it lies in 0..1, is
        told as a percentage, and has an interval even if hardly any or nearly all have it.
    unit
        What one of those counts in both sums of a share: `WHOLE_WIN` where wins may be shared.
    """

    name: str
    numerator: str
    denominator: str
    meaning: str
    when: str = ""
    kind: Literal["share", "mean"] = "mean"
    unit: int = 1
    part: str = "game"
    whole: str = "game"


Tally = dict[str, NDArray[np.int64]]
"""Integer sums by name while they are counted: shape (256, ...), column g in block g mod 256.

The blocks come first here, so that the cells of one game lie together; in saved results they are
last.
"""


class Course(NamedTuple):
    """How the games of a batch went on their way, one column a game; P players as bits of a mask.

    `analyzer.kernels.trail.Trail` makes it from who led after each unit of a game's length.

    Attributes
    ----------
    length
        (N,) uint32, in the game's own units, such as rounds or turns.
    leaders
        (3, N) uint8, the seats that led after a quarter, a half and three quarters of the game,
        several if they were level; 0 where a game has no such moment before its end.
    last
        (N,) uint8, the seats that were last at half-time; 0 likewise.
    lead_changes
        (N,) uint32, how often a seat came to lead alone after another one had.
    """

    length: NDArray[np.uint32]
    leaders: NDArray[np.uint8]
    last: NDArray[np.uint8]
    lead_changes: NDArray[np.uint32]


@dataclass
class Outcome:
    """How a batch of games ended, one column a game.

    Attributes
    ----------
    games
        (N,) uint64 game numbers, in any order; what happens in column g belongs to the block
        g mod 256.
    wins
        (P, N) uint8, each seat's share of the win in 1/60; all 0 in an unfinished game.
    scores
        (P, N) int16 final scores.
    unfinished
        (N,) uint8, 1 where the game was stopped by its turn limit, or None if games always end.
    course
        How the games went on their way, where that was asked for (see `Game.follow`).
    """

    games: NDArray[np.uint64]
    wins: NDArray[np.uint8]
    scores: NDArray[np.int16]
    unfinished: NDArray[np.uint8] | None = None
    course: Course | None = None


class Game(Protocol):
    """A game: its rules, its decisions, and how a batch of it is played.

    Attributes
    ----------
    name
        What it goes by on the command line: lower-case letters and digits.
    title, question
        Its name as printed on the box; the question that ``fairness`` answers.
    min_players, max_players, default_players
        How many may play; ``max_players`` at most 6, or ties do not divide `WHOLE_WIN`.
    settings
        Every rule a user may change, in the order in which they are listed.
    decisions
        Everything a strategy may be asked.
    metrics
        Its own figures, besides wins and scores.
    headline
        Names of the sums whose history is kept as games accumulate; ``"wins"`` and ``"wins_sq"``
        among them.
    families
        Parts of a combined strategy, in the order of its spelling; empty if strategies are whole.
    sees
        Optional parts of the view that a strategy may ask for.
    default_strategy
        Spec of whoever plays where none is named.
    games_per_lane
        Games of a batch for each lane: 1 if they go in step, more if finished lanes are refilled.
    seats_alike
        Optional. Whether the rules treat all seats alike, so that equal players win equally often
        in all of them, as where the first player is drawn by lot: then nobody tests whether they
        do. A game without it says no.
    length_unit
        Optional. What the length of a game is counted in under these rules, such as ``"rounds"``.
    follow
        Optional, with ``length_unit``: plays like ``play`` without a watcher, and the outcome has
        the course of the games. It may be slower: only the first games of a run are played so.
    seat_sums
        Optional. Names of its own sums whose first axis, blocks apart, is the seat: where
        strategies change seats these are kept apart by who sits there.
    chance
        Optional. Its sources of chance by name, each with the purposes (see
        `analyzer.kernels.random.word`) of the words that are drawn for it: what can be drawn anew
        in a game while the rest is kept. In the order in which a game meets them; the last are the
        decisions.
    replica
        Optional, with ``chance``: ``replica(rules, players, lanes, replicas)`` makes the workspace
        of ``table`` for games of which some chance is drawn anew. ``replicas`` has a number from 1
        to 255 for each source that is (see `analyzer.kernels.random.redrawn`); the others keep what
        they draw.
    unused_chance
        Optional, with ``chance``: ``unused_chance(rules, players)`` names the sources that nothing
        is drawn for by these rules.
    study
        Optional, like all that follow: each may be left out, be None or, so that it is loaded only
        when it is asked for, say where it is found, such as ``"lowball.study:STUDY"``. What the
        game is asked and how that is told, an `analyzer.study.Study`; without one, that itself.
    narrator
        A function of the players' names that makes a `Narrator`; without one, events are listed.
    baseline
        A `Baseline` for ``bench``; without one the game is left out there.
    solver
        A `Solver` for ``solve``; without one the game cannot be solved.
    """

    name: str
    title: str
    question: str
    min_players: int
    max_players: int
    default_players: int
    settings: tuple[Setting, ...]
    decisions: tuple[Decision, ...]
    metrics: tuple[Metric, ...]
    headline: tuple[str, ...]
    families: tuple[str, ...]
    sees: tuple[str, ...]
    default_strategy: str
    games_per_lane: int
    seats_alike: Callable[[Rules, int], bool] | None = None
    length_unit: Callable[[Rules], str] | None = None
    follow: Callable[..., Outcome] | None = None
    seat_sums: tuple[str, ...] = ()
    chance: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    replica: Callable[[Rules, int, int, Mapping[str, int]], Any] | None = None
    study: Any = None
    narrator: str | Callable[[Sequence[str]], Narrator] | None = None
    baseline: str | Baseline | None = None
    solver: str | Solver | None = None

    def check_rules(self, rules: dict[str, Any], players: int) -> None:
        """Refuse settings that contradict each other; raises `RulesError` with the reason."""

    def score_range(self, rules: Rules, players: int) -> tuple[int, int]:
        """Lowest and highest final score that the rules allow."""

    def sums(self, rules: Rules, players: int, detail: str) -> dict[str, tuple[int, ...]]:
        """Shapes of the game's own sums, block axis excluded.

        ``detail`` is ``"simulate"``, or ``"fairness"``, which may need more sums; a game's own
        study may ask for others.
        """

    def table(self, rules: Rules, players: int, lanes: int) -> Any:
        """Workspace of so many lanes, reused from batch to batch."""

    def play(
        self,
        table: Any,
        seed: int,
        games: NDArray[np.uint64],
        seats: Sequence[Seat],
        tally: Tally,
        watch: Watcher | None = None,
    ) -> Outcome:
        """Play up to ``lanes * games_per_lane`` games to their end; add the game's own sums."""
