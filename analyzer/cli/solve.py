"""``analyzer solve GAME``: the best way to play, worked out without chance."""

from __future__ import annotations

import contextlib
import hashlib
import json as json_module
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer.cli.options import (
    Assignments,
    DebugOptions,
    Force,
    GameName,
    Markdown,
    NoSave,
    Quiet,
    RulesFile,
    out_option,
    players_option,
    spread,
)
from analyzer.errors import DiskFailed, Interrupted, ResultsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analyzer.contracts import Game, Rules, Solution, Solver
    from analyzer.rundir import RunDirectory


@dataclass(frozen=True)
class SolveOptions(DebugOptions):
    """What is to be solved, and where it goes."""

    players: Annotated[int | None, players_option("; default: what suits the opponents.")] = None
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Look for the best response to this opponent; once for all opponents, or once "
            "per opponent. Without it optimal play is looked for.",
        ),
    ] = None
    rules: RulesFile = None
    set: Assignments = None
    out: Annotated[Path | None, out_option("GAME-solve-HASH")] = None
    force: Force = False
    no_save: NoSave = False
    quiet: Quiet = False
    markdown: Markdown = False


@dataclass(frozen=True)
class Solved:
    """What was asked, and what was found."""

    game: Game
    players: int
    against: tuple[str, ...]
    rules: Rules
    solution: Solution

    def asked(self) -> dict[str, Any]:
        """What two solutions have in common exactly if they are the same, as plain data."""
        asked = {"game": self.game.name, "players": self.players, "rules": self.rules}
        return asked | {"against": list(self.against)}


@spread(SolveOptions)
def run(options: SolveOptions, game: GameName) -> None:
    """Work out optimal play, or the best response to given opponents."""
    from analyzer.cli.runs import command_line

    again = command_line("solve", game, options)
    try:
        _carry_out(options, game)
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted. Work it out again with:\n  {again}") from None


def _carry_out(options: SolveOptions, name: str) -> None:
    from analyzer.cli.output import note
    from analyzer.cli.setup import refuse_two_forms
    from analyzer.kernels.compilation import is_cold
    from analyzer.plugins import find_game
    from analyzer.rules import load_rules

    refuse_two_forms(options.json, options.markdown)
    game = find_game(name)
    solver = _solver(game)
    if options.no_save and (options.out is not None or options.force):
        raise UsageError("--no-save writes nothing, so --out and --force have no meaning with it.")
    players, against = solver.settle(options.players, options.against or ())
    rules = load_rules(game, players, options.rules, options.set or ())
    if not options.quiet and is_cold(solver.KERNELS):
        note("compiling the solver for this machine, once: this takes some seconds")
    found = Solved(game, players, against, rules, solver.solve(rules, players, against))
    if options.no_save:
        _tell(found, None, json=options.json, markdown=options.markdown)
    else:
        _save_and_tell(found, options)


def report(claimed: RunDirectory, path: Path, *, json: bool) -> None:
    """Draw a saved solution again; it is worked out anew, which needs no chance and little time.

    Raises
    ------
    ResultsError
        If it is not described as a solution of ours.
    """
    from analyzer.plugins import find_game
    from analyzer.publishing import publish_solution
    from analyzer.rules import settle

    try:
        asked = claimed.saved.identity["solve"]
        game = find_game(asked["game"])
        solver = _solver(game)
        players, against = solver.settle(asked["players"], tuple(asked["against"]))
        rules = settle(game, players, asked["rules"])
        found = Solved(game, players, against, rules, solver.solve(rules, players, against))
    except (AttributeError, KeyError, TypeError, ValueError, UsageError) as reason:
        raise ResultsError(
            f"the description of the saved solution is damaged ({type(reason).__name__}: {reason})."
        ) from None
    with _saving(path, f"analyzer report {shlex.quote(str(path))}"):
        links = publish_solution(found.solution, claimed)
    if not json:
        _tell(found, path)
    _draw(found, claimed, links)
    if json:
        _tell(found, path, json=True)


def _solver(game: Game) -> Solver:
    """The solver that a game brings, or the reason why there is nothing to be worked out."""
    from analyzer.plugins import brought, loadable_games

    solver: Solver | None = brought(game, "solver")
    if solver is None:
        others = [other.name for other in loadable_games()[0] if getattr(other, "solver", None)]
        raise UsageError(
            f"{game.name} cannot be solved: it brings no solver. "
            + (f"{', '.join(others)} can; " if others else "")
            + f"`analyzer simulate {game.name}` plays what strategies there are."
        )
    return solver


def _save_and_tell(found: Solved, options: SolveOptions) -> None:
    """Save a solution, tell it, and draw it last, which may go wrong."""
    from analyzer.cli.runs import about, command_line
    from analyzer.publishing import publish_solution
    from analyzer.rundir import claim, default_path
    from analyzer.version import __version__

    game = found.game.name
    identity = {"version": __version__, "solve": found.asked()}
    text = json_module.dumps(identity, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    path = options.out or default_path(game, "solve", None, digest)
    told = about("solve", game, options)
    with claim(path, identity, told, force=options.force) as directory:
        with _saving(path, command_line("solve", game, options)):
            if directory.state != "finished":
                directory.finish()
            complete = "report.html" in directory.saved.manifest["files"]
            writes = directory.writable and (not complete or bool(directory.saved.damage()))
            if writes:
                links = publish_solution(found.solution, directory)
        if not options.json:
            _tell(found, path, markdown=options.markdown)
        if writes:
            _draw(found, directory, links)
        if options.json:
            _tell(found, path, json=True)


@contextlib.contextmanager
def _saving(path: Path, again: str) -> Iterator[None]:
    """Tell, where the disk fails, what is lost with it.

    Raises
    ------
    DiskFailed
        With the command that works it out and saves it again.
    """
    from analyzer.cli.runs import disk_trouble

    try:
        yield
    except OSError as reason:
        raise DiskFailed(
            f"the solution could not be saved in {str(path)!r}: {disk_trouble(reason)}. "
            f"Once that is mended, work it out again with:\n  {again}"
        ) from reason


def _draw(found: Solved, directory: RunDirectory, links: dict[str, str]) -> None:
    from analyzer.cli.runs import draw
    from analyzer.publishing import draw_solution

    def drawing() -> None:
        draw_solution(
            found.solution, found.game, found.players, found.rules, found.against, directory, links
        )

    draw(drawing, directory.path, "The solution and its tables")


def _how_to_play(found: Solved, path: Path | None) -> str:
    """The command that lets the solution play, as one would type it."""
    folder = None
    if path is not None:
        folder = path.as_posix() if path.is_absolute() else f"./{path.as_posix()}"
    words: Sequence[str] = found.solution.options(folder)
    command = shlex.join(["analyzer", "simulate", found.game.name, *words])
    return command if words else f"{command}, once it is saved"


def _tell(found: Solved, path: Path | None, *, json: bool = False, markdown: bool = False) -> None:
    from analyzer.cli.output import emit_json, emit_tables, table

    solution = found.solution
    if json:
        document = {"schema": "analyzer/solve/1", **found.asked(), **solution.figures}
        emit_json({**document, "answer": solution.answer})
        return
    parts = list(solution.sentences)
    if path is not None:
        parts.append(f"Saved in {str(path)!r}: {solution.contents}.")
    parts.append(f"Play it with: {_how_to_play(found, path)} (and the same rules).")
    columns, rows, numbers, whole = solution.table
    shown = table(columns, rows, whole, numbers)
    emit_tables(shown, *parts, solution.answer, markdown=markdown)
