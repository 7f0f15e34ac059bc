"""Do a strategy and a game keep their contracts? For plugin authors, and for our own tests.

`check_strategy` plays a few hundred games in several settings and asks each hook the same questions
again in other orders: an answer may depend on nothing but what the column shows. `check_game` plays
a game side by side and alone, and tries what it brings besides.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analyzer.contracts import (
    BLOCKS,
    WHOLE_WIN,
    BoundStrategy,
    Game,
    Hook,
    Narrator,
    Outcome,
    Rules,
    Strategy,
)
from analyzer.engine.runner import replay, run
from analyzer.engine.seat import SeatedStrategy, dense
from analyzer.engine.tally import new_tally
from analyzer.errors import AnalyzerError, PluginError, RulesError, UsageError, told
from analyzer.experiment import Experiment
from analyzer.plugins import (
    STORIES,
    announced,
    brought,
    declared,
    find_game,
    game_names,
    load_file,
    offered,
)
from analyzer.rules import settle
from analyzer.specs import FILE_SPEC, bind
from analyzer.statistics import wording
from analyzer.study import Answer, Command, Stage, WorkerSettings, check, conclude, make_request
from analyzer.study.frames import frames

__all__ = ["Finding", "check_file", "check_game", "check_module", "check_strategy", "game_findings"]

GAMES = 2 * BLOCKS
MOST_PLAYERS = 6
"""Ties of more would not divide a whole win."""
QUESTIONS_KEPT = 40
CLAIM_GAMES = 20_480
CLAIM_GAMES_OF_EXPENSIVE = 512
PARTS = {"study": ("check", "conclude", "enrich", "tell"), "solver": ("settle", "solve")}
"""Optional parts of a game, and what has to be there to be called."""


@dataclass(frozen=True)
class Finding:
    """One promise of the contract, and whether a strategy or a game keeps it.

    Attributes
    ----------
    name
        Of the strategy or game.
    check
        The promise.
    passed
        Whether it is kept.
    text
        What was seen, and what to do about it.
    kind
        What is checked.
    """

    name: str
    check: str
    passed: bool
    text: str = ""
    kind: Literal["strategy", "game"] = "strategy"


@dataclass
class _Question:
    """One call of a hook: what it was shown, and what it answered."""

    decision: str
    view: Any
    words: NDArray[np.uint64] | None
    answer: NDArray[Any]


def _play(game: Game, rules: Rules, strategies: list[BoundStrategy], games: int, seed: int) -> None:
    players = len(strategies)
    experiment = Experiment(
        game.name, tuple(s.spec for s in strategies), rules, games, seed, "simulate"
    )
    numbers = np.arange(games, dtype=np.uint64)
    seats = [SeatedStrategy(s) for s in strategies]
    for seat in seats:
        seat.games = numbers
    lanes = -(-games // BLOCKS) * BLOCKS
    table = game.table(rules, players, lanes)
    game.play(table, seed, numbers, seats, new_tally(game, experiment))


def _recording(strategy: BoundStrategy, kept: list[_Question], every: int) -> BoundStrategy:
    """The strategy, with some of the questions it is asked written down."""
    calls = 0

    def record(decision: str, hook: Hook) -> Hook:
        def ask(view: Any, params: Any, words: Any, out: NDArray[Any]) -> None:
            nonlocal calls
            hook(view, params, words, out)
            asking = np.flatnonzero(view.active)
            calls += 1
            if asking.size and calls % every == 0 and len(kept) < QUESTIONS_KEPT:
                kept.append(
                    _Question(
                        decision,
                        dense(view, asking),
                        None if words is None else words[asking],
                        np.asarray(out)[asking].copy(),
                    )
                )

        return ask

    hooks = {name: record(name, hook) for name, hook in strategy.hooks.items()}
    return dataclasses.replace(strategy, hooks=hooks)


def _answers(
    strategy: BoundStrategy, question: _Question, columns: NDArray[np.int64]
) -> NDArray[Any]:
    """What the strategy answers to some columns of a question, asked in the given order."""
    out = np.zeros(columns.size, question.answer.dtype)
    words = None if question.words is None else question.words[columns]
    if words is not None:
        words.flags.writeable = False  # as in play: the compiler makes code for each kind of array
    hook = strategy.hooks[question.decision]
    try:
        hook(dense(question.view, columns), strategy.params[question.decision], words, out)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(
            f"the hook {question.decision!r}, asked about {columns.size} of {question.answer.size} "
            f"columns again, raised {type(error).__name__}: {told(error)}"
        ) from error
    return out


def check_file(file: Path) -> tuple[Finding, ...]:
    """Check every strategy that a file defines, and its game if it defines one.

    Raises
    ------
    PluginError
        If the file cannot be loaded or defines nothing to be checked.
    """
    path = str(file) if FILE_SPEC.match(str(file)) else f"./{file}"
    module = load_file(path)
    if hasattr(module, "GAME"):
        return check_module(module)
    found = list(declared(module))
    if not found:
        raise PluginError(
            f"{str(file)!r} defines no strategy; make one at its top level: "
            'mine = Strategy(game="GAME", name="mine", ...).'
        )
    return tuple(
        finding
        for strategy in found
        for finding in check_strategy(strategy.game, _whole_spec(strategy, f"{path}::"))
    )


def check_module(module: ModuleType) -> tuple[Finding, ...]:
    """Check a game that a module defines as ``GAME``, if it does, and every strategy in it.

    Raises
    ------
    PluginError
        If there is nothing to be checked.
    """
    found = list(declared(module))
    game = getattr(module, "GAME", None)
    if game is None and not found:
        raise PluginError(f"the module {module.__name__!r} defines no GAME and no strategy.")
    findings: list[Finding] = []
    with offered(module):
        if game is not None:
            findings += game_findings(game.name)
        for strategy in found:
            findings += check_strategy(strategy.game, _whole_spec(strategy))
    return tuple(findings)


def _whole_spec(strategy: Strategy, file: str = "") -> str:
    """Spec of a strategy, a part completed with the game's default parts."""
    spec = f"{file}{strategy.name}"
    if not strategy.family:
        return spec
    game = find_game(strategy.game)
    parts = dict(zip(game.families, game.default_strategy.split("/"), strict=True))
    return "/".join((parts | {strategy.family: spec}).values())


def check_strategy(game_name: str, spec: str, seed: int = 1) -> Iterator[Finding]:
    """Test every promise of the contract, and yield how each came out.

    Parameters
    ----------
    game_name
        Name of the game.
    spec
        The strategy as on the command line.
    seed
        Of the games played.

    Yields
    ------
    Finding
        In the order of the contract; ends at the first broken promise without which the rest means
        nothing.
    """
    game = find_game(game_name)
    kept: list[_Question] = []
    declared = "its declaration is complete and its parameters are in range"
    try:
        usual = game.default_players
        strategy = bind(game_name, spec, settle(game, usual, {}), usual)
    except AnalyzerError as error:
        yield Finding(spec, declared, False, str(error))
        return
    spec = strategy.spec  # one name for all that was found, however it was spelled
    yield Finding(spec, declared, True)
    legal = "it plays legally with any number of players"
    try:
        for players in range(game.min_players, game.max_players + 1):
            rules = settle(game, players, {})
            strategy = bind(game_name, spec, rules, players)
            recording = _recording(strategy, kept, every=7)
            rival = bind(game_name, game.default_strategy, rules, players)
            _play(game, rules, [recording] + [rival] * (players - 1), GAMES, seed)
    except AnalyzerError as error:
        yield Finding(spec, legal, False, str(error))
        return
    yield Finding(spec, legal, True)
    for promise, examine in (
        ("it keeps nothing between calls: the same question gets the same answer", _same_answers),
        ("a column's answer depends on that column alone", _columns_stand_alone),
    ):
        try:
            broken = examine(strategy, kept)
        except PluginError as error:
            broken = str(error)
        yield Finding(spec, promise, not broken, broken)
    yield from _claims_hold(game, strategy, seed)


def _same_answers(strategy: BoundStrategy, kept: list[_Question]) -> str:
    """What is answered otherwise when it is asked again, or nothing."""
    for question in reversed(kept):
        again = _answers(strategy, question, np.arange(question.answer.size))
        if not np.array_equal(again, question.answer):
            column = int(np.flatnonzero(again != question.answer)[0])
            return (
                f"the hook {question.decision!r} answered {question.answer[column]} and, asked "
                f"the same again, {again[column]}; what may be remembered is in the view, and "
                "chance comes from words."
            )
    return ""


def _columns_stand_alone(strategy: BoundStrategy, kept: list[_Question]) -> str:
    """Which hook answers otherwise in other company, or nothing."""
    for question in kept:
        size = question.answer.size
        for columns in (np.arange(size)[::-1], np.arange(0, size, 3)):
            answers = _answers(strategy, question, columns)
            if not np.array_equal(answers, question.answer[columns]):
                return (
                    f"the hook {question.decision!r} answers differently when columns are "
                    "reordered or left out; it must treat each column by itself."
                )
    return ""


def _claims_hold(game: Game, strategy: BoundStrategy, seed: int) -> Iterator[Finding]:
    """Each claimed win share against a field of equals, tested with 99.9% certainty."""
    players = game.default_players
    rules = settle(game, players, {})
    games = CLAIM_GAMES_OF_EXPENSIVE if strategy.expensive else CLAIM_GAMES
    for field, bound in strategy.claims.items():
        lineup = (strategy.spec, *(field,) * (players - 1))
        experiment = Experiment(game.name, lineup, rules, games, seed, rotate=True)
        try:
            sums = run(experiment).sums
        except AnalyzerError as error:
            yield Finding(
                strategy.spec, f"its claim against {field!r} can be tested", False, str(error)
            )
            continue
        own = experiment.holders.index(strategy.spec)
        copies = lineup.count(strategy.spec)
        share = float(sums["wins"][own].sum() / (WHOLE_WIN * copies * sums["games"].sum()))
        slack = 3.29 * float(np.sqrt(share * (1 - share) / games))
        yield Finding(
            strategy.spec,
            f"it wins at least {bound:.1%} against {field!r}, as it claims",
            share + slack >= bound,
            f"it won {share:.1%} of {games:,} games (give or take {slack:.1%}).",
        )


def check_game(game_name: str) -> None:
    """Test a game on its default rules, with every number of players, and what it brings besides.

    Raises
    ------
    PluginError
        Saying which promise is broken.
    """
    for finding in game_findings(game_name):
        if not finding.passed:
            raise PluginError(f"{game_name} {finding.text}")


def game_findings(game_name: str) -> Iterator[Finding]:
    """Test every promise of a game, and yield how each came out.

    Wins must add up, scores stay in their range, and a game end alike whatever is played beside it:
    in small batches and large ones, and alone. Its narrator, its baseline and its study are tried;
    of its story and its solver it is only looked whether they are such.

    Yields
    ------
    Finding
        In order; ends at the first broken promise without which the rest means nothing.

    Raises
    ------
    PluginError
        If something of the game raises what it should not.
    """
    game = find_game(game_name)
    examined: dict[str, Callable[[Game], str | None]] = {
        "what it declares goes together": _broken_declaration,
        "wins add up and a game ends alike whatever is played beside it": _broken_play,
        "its sources of chance can be drawn anew": _broken_replicas,
        "any of its games can be told": _broken_telling,
        "its baseline plays the game": _broken_baseline,
        "its study answers what it is asked": _broken_study,
        "its story can be told": _broken_story,
        "its solver has what is asked of it": _broken_solver,
    }
    for promise, examine in examined.items():
        try:
            broken = examine(game)
        except AnalyzerError as error:
            broken = f"fails: {error}"
        except Exception as error:  # the game is somebody's: it may raise whatever it likes
            raise PluginError(
                f"the game {game_name!r} cannot be checked: asked whether {promise}, it raised "
                f"{type(error).__name__}: {told(error)}"
            ) from error
        if broken is None:  # the game brings no such part
            continue
        yield Finding(game_name, promise, not broken, broken, "game")
        if broken:
            return


def _experiment(game: Game, players: int) -> Experiment:
    """A few games by the default rules, everybody playing as usual."""
    rules = settle(game, players, {})
    strategy = bind(game.name, game.default_strategy, rules, players)
    return Experiment(game.name, (strategy.spec,) * players, rules, GAMES, 1)


def _broken_declaration(game: Game) -> str:
    """What is wrong with names, numbers of players, settings and sums, or nothing."""
    if not 2 <= game.min_players <= game.default_players <= game.max_players <= MOST_PLAYERS:
        return (
            f"is for {game.min_players} to {game.max_players} players, usually "
            f"{game.default_players}; that must be in order and within 2 to {MOST_PLAYERS}."
        )
    if game.name not in game_names() or find_game(game.name) is not game:
        return f"calls itself {game.name!r}; its entry point must have that name."
    experiment = _experiment(game, game.default_players)
    for setting in game.settings:
        for value in (experiment.rules[setting.key], *setting.alternatives):
            try:
                settle(game, experiment.players, {setting.key: value})
            except RulesError as error:
                return f"refuses its own value of {setting.key}: {error}"
    kept = new_tally(game, experiment).keys()
    of_all = new_tally(game, dataclasses.replace(experiment, detail="fairness")).keys()
    told = {name for metric in game.metrics for name in (metric.numerator, metric.denominator)}
    if not told <= kept & of_all:
        return (
            f"has metrics of sums that it does not always keep: {sorted(told - (kept & of_all))}."
        )
    if not {"wins", "wins_sq"} <= set(game.headline) <= kept | of_all:
        return f"has headline {game.headline}; it must name wins, wins_sq and sums that it keeps."
    return ""


def _broken_play(game: Game) -> str:
    for players in range(game.min_players, game.max_players + 1):
        experiment = _experiment(game, players)
        rules = experiment.rules
        tally = new_tally(game, experiment)
        numbers = np.arange(GAMES, dtype=np.uint64)
        strategy = bind(game.name, game.default_strategy, rules, players)
        seats = [SeatedStrategy(strategy) for _ in range(players)]
        outcome = game.play(game.table(rules, players, GAMES), 1, numbers, seats, tally)
        broken = _broken_outcome(outcome, *game.score_range(rules, players))
        broken = broken or _depends_on_company(experiment, outcome)
        if broken:
            return f"with {players} players: {broken}."
    return ""


def _broken_outcome(outcome: Outcome, low: int, high: int) -> str:
    won = outcome.wins.astype(np.int64).sum(axis=0)
    ended = np.ones(won.size, bool) if outcome.unfinished is None else outcome.unfinished == 0
    if not (np.array_equal(won == WHOLE_WIN, ended) and np.isin(won, (0, WHOLE_WIN)).all()):
        return f"the shares of the win must add up to {WHOLE_WIN} in every finished game"
    if outcome.scores.min() < low or outcome.scores.max() > high:
        return f"a score lies outside score_range ({low}, {high})"
    return ""


def _depends_on_company(experiment: Experiment, outcome: Outcome) -> str:
    small, large = (run(experiment, lanes=lanes).sums for lanes in (BLOCKS, GAMES))
    for name, sums in large.items():
        if not np.array_equal(sums, small[name]):
            return f"its sum {name!r} depends on how many games are played side by side"
    for number in (0, BLOCKS - 1, GAMES - 1):
        column = int(np.flatnonzero(outcome.games == number)[0])
        alone = replay(experiment, number, lambda name, facts: None)
        if not np.array_equal(alone.scores[:, 0], outcome.scores[:, column]):
            return f"game {number} ends differently when it is played alone"
    return ""


def _broken_replicas(game: Game) -> str | None:
    """Play games again with nothing and with everything drawn anew."""
    sources, replica = getattr(game, "chance", {}), getattr(game, "replica", None)
    if not sources or replica is None:
        return None
    experiment = _experiment(game, game.default_players)
    rules, players = experiment.rules, experiment.players
    strategy = bind(game.name, game.default_strategy, rules, players)
    seats = [SeatedStrategy(strategy) for _ in range(players)]
    numbers = np.arange(GAMES, dtype=np.uint64)

    def ends(table: Any) -> NDArray[Any]:
        outcome = game.play(table, 1, numbers, seats, new_tally(game, experiment))
        return np.array(outcome.scores[:, np.argsort(outcome.games)])

    usual = ends(game.table(rules, players, GAMES))
    if not np.array_equal(usual, ends(replica(rules, players, GAMES, {}))):
        return "ends games otherwise in a replica in which nothing is drawn anew."
    if np.array_equal(usual, ends(replica(rules, players, GAMES, dict.fromkeys(sources, 1)))):
        return f"ends games as before with {wording.listed(list(sources))} drawn anew."
    return ""


def _broken_telling(game: Game) -> str:
    """Trace a game for every number of players, and let its narrator tell it."""
    make = brought(game, "narrator")
    for players in range(game.min_players, game.max_players + 1):
        tell = None if make is None else make([f"seat {p}" for p in range(1, players + 1)])
        wrong: list[str] = []
        replay(_experiment(game, players), 0, partial(_tell, tell, wrong))
        if wrong:
            return f"with {players} players: {wrong[0]}."
    return ""


def _tell(tell: Narrator | None, wrong: list[str], event: str, facts: Mapping[str, Any]) -> None:
    """Tell an event; ``wrong`` gets what is wrong with it or with the lines."""
    try:
        json.dumps({**facts}, allow_nan=False)
    except (TypeError, ValueError) as error:
        wrong.append(f"the facts of its event {event!r} are not plain data ({error})")
    lines: Any = () if tell is None else tell(event, dict(facts))
    several = isinstance(lines, Sequence) and not isinstance(lines, str)
    if not (several and all(isinstance(line, str) for line in lines)):
        wrong.append(
            f"its narrator tells {lines!r} of the event {event!r}, and not a list of lines"
        )


def _broken_baseline(game: Game) -> str | None:
    """Play a few games with it, and bind the line-ups that it wants to be measured against."""
    baseline = brought(game, "baseline")
    if baseline is None:
        return None
    players = game.default_players
    rules = settle(game, players, {})
    low, high = game.score_range(rules, players)
    chance = random.Random(1)
    for _ in range(20):
        scores = list(baseline.play(players, chance))
        if len(scores) != players or not all(low <= score <= high for score in scores):
            return (
                f"with {players} players: its baseline returned the scores {scores}; wanted are "
                f"{players} from {low} to {high}."
            )
    for specs in getattr(baseline, "LINE_UPS", ()):
        rules = settle(game, len(specs), {})
        for spec in specs:
            bind(game.name, spec, rules, len(specs))
    return ""


def _broken_part(part: str, game: Game) -> str | None:
    """Look whether what will be called is there."""
    found = brought(game, part)
    if found is None:
        return None
    missing = [name for name in PARTS[part] if not callable(getattr(found, name, None))]
    return f"brings a {part} without {', '.join(missing)}, to be called." if missing else ""


def _broken_study(game: Game) -> str | None:
    """Let it answer both questions about a few games, in JSON and in tables."""
    broken = _broken_part("study", game)
    if broken != "":
        return broken
    strategies = (game.default_strategy,) * game.default_players
    commands: tuple[Command, ...] = ("simulate", "fairness")
    for command in commands:
        request = make_request(command, game, strategies=strategies, rules={}, games=GAMES, seed=1)
        check(request)
        stage = Stage(WorkerSettings())
        answer = Answer(request, conclude(request, stage), tuple(stage.parts))
        json.dumps(answer.document(), allow_nan=False)
        frames(answer.result)
        brought(game, "study").tell(request, answer.result)
    return ""


def _broken_story(game: Game) -> str | None:
    """Look whether it can be loaded; what it tells is drawn with the report."""
    module = announced(STORIES, game.name)
    if module is None:
        return None
    found = getattr(module, "STORY", None)
    missing = [part for part in ("title", "banner", "sections") if not hasattr(found, part)]
    return f"brings a story without {', '.join(missing)}." if missing else ""


def _broken_solver(game: Game) -> str | None:
    """Let it settle who plays; solving would take too long."""
    broken = _broken_part("solver", game)
    if broken != "":
        return broken
    solver = brought(game, "solver")
    if getattr(solver, "KERNELS", None) not in sys.modules:
        return "brings a solver whose KERNELS is not the name of a module that it has loaded."
    with contextlib.suppress(UsageError):  # there may be nothing but best responses
        settled = solver.settle(None, ())
        if not (isinstance(settled, tuple) and len(settled) == 2):
            return f"brings a solver that settles {settled!r}; wanted are players and opponents."
    return ""
