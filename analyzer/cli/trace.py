"""``analyzer trace``: one game told step by step."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer.cli import values
from analyzer.cli.options import TableOptions, complete_game, spread

if TYPE_CHECKING:
    from analyzer.contracts import Narrator
    from analyzer.experiment import Experiment
    from analyzer.rundir import SavedRun

OF_A_RUN = {"json", "debug", "strategy"}
"""Options that may also be given with the directory of a run, which settles the others."""


@spread(TableOptions)
def run(
    options: TableOptions,
    what: Annotated[
        str,
        typer.Argument(
            metavar="GAME|DIR",
            help="Name of a game, or the directory of a saved run.",
            autocompletion=complete_game,
        ),
    ],
    game: Annotated[
        int | None,
        typer.Option(
            parser=values.parse_game_number,
            metavar="K",
            help="Which game, counted from 0; with --find the first one to look at.",
        ),
    ] = None,
    find: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help="The first game in which this holds: winner=SEAT (who wins alone), ties (several "
            "share the win), or margin>=N (points between the winner and the next; also >, <=, < "
            "and =). Looks at as many games as --games says.",
        ),
    ] = None,
    part: Annotated[str, typer.Option(metavar="NAME", help="Which part of a saved run.")] = "main",
) -> None:
    """Tell one game step by step: any game of any run."""
    from analyzer.cli.output import emit_json, emit_lines
    from analyzer.contracts import WHOLE_WIN
    from analyzer.engine.runner import replay
    from analyzer.errors import UsageError
    from analyzer.plugins import game_names

    if game is None and find is None:
        raise UsageError(
            "trace tells one game: give --game K, counted from 0, or --find CONDITION."
        )
    if what in game_names():
        experiment = _fresh(what, options, game or 0, looking=find is not None)
    else:
        experiment = _saved(what, options, part)
    game = game or 0
    if find is not None:
        game = _first(experiment, game, find)
    seating = experiment.seating_of(game)
    seats = [f"seat {number} ({spec})" for number, spec in enumerate(seating, start=1)]
    events: list[tuple[str, dict[str, Any]]] = []
    outcome = replay(experiment, game, lambda name, facts: events.append((name, dict(facts))))
    scores = [int(score) for score in outcome.scores[:, 0]]
    shares = [int(share) / WHOLE_WIN for share in outcome.wins[:, 0]]
    if options.json:
        emit_json(
            {
                "schema": "analyzer/trace/1",
                "game": experiment.game,
                "players": experiment.players,
                "seed": experiment.seed,
                "number": game,
                **({} if find is None else {"find": find}),
                "strategies": list(seating),
                "rules": dict(experiment.rules),
                "events": [{"event": name, **facts} for name, facts in events],
                "scores": scores,
                "win_shares": shares,
            }
        )
        return
    tell = _narrator(experiment)
    lines = [f"Game {game} of {experiment.game}, seed {experiment.seed}: {', '.join(seats)}."]
    for name, facts in events:
        lines += tell(name, facts)
    emit_lines([*lines, "", _ending(scores, shares)])


def _first(experiment: Experiment, start: int, text: str) -> int:
    """The first game in which a condition holds."""
    from analyzer.cli.finding import parse_condition
    from analyzer.engine.runner import first_game
    from analyzer.errors import AnalyzerError

    holds = parse_condition(text, experiment.players)
    found = first_game(experiment, start, holds)
    if found is None:
        last = experiment.games - 1
        raise AnalyzerError(
            f"{text!r} holds in none of the games {start:,} to {last:,}; look further with a "
            f"higher --games than {experiment.games}, or at other games with another --seed."
        )
    return found


def _narrator(experiment: Experiment) -> Narrator:
    """Who tells the events of a game: its own narrator, or one that lists them with their facts."""
    from analyzer.plugins import brought, find_game

    make = brought(find_game(experiment.game), "narrator")
    seats = [f"seat {number}" for number in range(1, experiment.players + 1)]
    own: Narrator | None = None if make is None else make(seats)
    return _listed if own is None else own


def _listed(event: str, facts: Mapping[str, Any]) -> Sequence[str]:
    told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in facts.items())
    return (f"{event}: {told}",)


def _ending(scores: list[int], shares: list[float]) -> str:
    winners = [f"seat {seat}" for seat, share in enumerate(shares, start=1) if share > 0]
    told = ", ".join(f"seat {seat} {score}" for seat, score in enumerate(scores, start=1))
    if not winners:
        return f"The game ended without a winner. Scores: {told}."
    verb = "wins" if len(winners) == 1 else "share the win"
    return f"{' and '.join(winners)} {verb}. Scores: {told}."


def _fresh(name: str, options: TableOptions, game: int, *, looking: bool) -> Experiment:
    """The experiment that the options describe; it need not have been played.

    Without ``--games`` it has enough for the game, and many to look at from there on.
    """
    from dataclasses import replace

    from analyzer.cli.setup import request_from
    from analyzer.experiment import MAX_GAMES
    from analyzer.study import fresh_seed

    seed = fresh_seed() if options.seed is None else options.seed
    request = request_from("simulate", name, options, seed=seed)
    if options.games is None:
        many = min(game + request.games, MAX_GAMES) if looking else max(request.games, game + 1)
        request = replace(request, games=many)
    return request.experiment()


def _saved(what: str, options: TableOptions, part: str) -> Experiment:
    """The experiment of a part of a saved run."""
    from dataclasses import replace

    from analyzer.errors import ResultsError, UnknownName, UsageError
    from analyzer.experiment import Contest, Contrast
    from analyzer.plugins import find_game, game_names
    from analyzer.rules import settle
    from analyzer.rundir import look

    path = Path(what)
    if not os.path.isdir(path):  # unlike the method of a path, it takes names of any length
        raise UnknownName(
            "game", what, game_names(), "A saved run is named by its directory; there is none so."
        )
    given = options.words(OF_A_RUN)
    if given:
        raise UsageError(
            f"{given[0]} is settled by the run in {what!r}; leave it out, or name a game."
        )
    found = look(path)
    if found is None:
        raise ResultsError(f"there is no run in {what!r}; give a directory with a manifest.json.")
    played = found.experiment(part)
    # Plain data come back from the disk with lists for tuples, and are checked like anyone's.
    rules = settle(find_game(played.game), played.players, played.rules)
    if isinstance(played, Contrast | Contest):
        lineup = " ".join(f"--strategy {shlex.quote(spec)}" for spec in played.strategies)
        raise UsageError(
            f"each game of {what!r} was played with {len(played.seatings)} line-ups; name one of "
            f"them: analyzer trace {played.game} {lineup} --seed {played.seed} --game K."
        )
    _trust(played.strategies, options.strategy or [])
    _refuse_changed(found, played, rules)
    return replace(played, rules=rules)


def _refuse_changed(found: SavedRun, played: Experiment, rules: Mapping[str, Any]) -> None:
    """Refuse to tell games otherwise than they were played, by what has changed since."""
    from analyzer.errors import ResultsError
    from analyzer.plugins import program_hash
    from analyzer.specs import bind

    if found.identity.get("program") not in (None, program_hash(played.game)):
        raise ResultsError(
            f"the run in {str(found.path)!r} was played by another state of the program or of the "
            f"game {played.game}, so its games can no longer be told as they were played; name "
            f"{played.game} instead of the run to trace games as they are now."
        )
    sources = found.identity.get("sources")
    for spec in dict.fromkeys(played.strategies):
        then = sources.get(spec) if isinstance(sources, dict) else None
        if then not in (None, bind(played.game, spec, rules, played.players).source_hash):
            raise ResultsError(
                f"the source of {spec!r} was changed after the run in {str(found.path)!r}, whose "
                "games can no longer be told as they were played; restore it, or name "
                f"{played.game} instead of the run to trace the strategy as it is now."
            )


def _trust(played: tuple[str, ...], named: list[str]) -> None:
    """Load code out of a file only if the user, and not just the saved run, names it."""
    from analyzer.errors import UsageError

    files = {spec.rpartition("::")[0] for spec in named}
    for spec in played:
        path, separator, _ = spec.rpartition("::")
        if separator and path not in files:
            raise UsageError(
                f"the run plays {spec!r}, whose file is loaded only if you name it yourself: "
                f"add --strategy {spec!r}."
            )
