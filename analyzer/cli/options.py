"""Options that several commands share, each declared once.

A command takes an options object: `spread` turns the fields of its class into the parameters that
typer reads, and puts the object together again when the command is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_origin, get_type_hints

import typer

from analyzer.cli import values

GAME_OPTIONS = "analyzer.game_options"
"""Where the context of a command keeps what was given for options that the game declares."""

T = TypeVar("T", bound="DebugOptions")


def complete_game(incomplete: str) -> list[str]:
    """Names of games, for the shell: from the entry points alone, since loading a game is slow."""
    from importlib.metadata import entry_points

    names = sorted({point.name for point in entry_points(group="analyzer.games")})
    return [name for name in names if name.startswith(incomplete)]


GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="Name of the game.", autocompletion=complete_game)
]


def _flag(name: str, text: str) -> Any:
    return typer.Option(name, help=text)


def players_option(default: str) -> Any:
    """``--players``, telling what is taken without it."""
    text = f"Players{default}"
    return typer.Option(parser=values.parse_players, metavar="N", help=text)


def out_option(default: str) -> Any:
    """``--out``, telling where it goes without it."""
    text = f"Where it is saved. Default: results/{default}."
    return typer.Option(parser=values.parse_path, metavar="DIR", help=text)


RulesFile = Annotated[
    Path | None,
    typer.Option(
        parser=values.parse_path, metavar="FILE.toml", help="Rules that differ from the usual."
    ),
]
Assignments = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", help="One rule; may be repeated and wins over the file."),
]
Jobs = Annotated[
    int | None,
    typer.Option(parser=values.parse_jobs, metavar="N", help="Workers; default: all cores."),
]
Force = Annotated[bool, _flag("--force", "Replace a run of ours in that directory.")]
NoSave = Annotated[bool, _flag("--no-save", "Write nothing at all.")]
Markdown = Annotated[bool, _flag("--markdown", "Tables to paste, in Markdown.")]
Quiet = Annotated[bool, _flag("--quiet", "No progress and no notes.")]


@dataclass(frozen=True)
class DebugOptions:
    """What every command understands."""

    json: Annotated[bool, _flag("--json", "One JSON document on standard output.")] = False
    debug: Annotated[bool, _flag("--debug", "Show the traceback of an error.")] = False

    def words(self, left_out: Collection[str] = ()) -> list[str]:
        """What was given, as words of the command line, apart from the fields left out."""
        found = []
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in left_out or value == one.default:
                continue
            given = value if isinstance(value, Mapping) else {rule_option(one.name): value}
            for name, items in given.items():
                for item in items if isinstance(items, list) else [items]:
                    found += [name] if item is True else [name, str(item)]
        return found


def policy_option(family: str) -> str:
    """The option for one part of a game's strategies."""
    return f"--{family}-policy"


def rule_option(key: str) -> str:
    """The option for a setting that has one of its own."""
    return "--" + key.replace("_", "-")


@dataclass(frozen=True)
class TableOptions(DebugOptions):
    """Who plays what, and by which rules."""

    players: Annotated[int | None, players_option("; default: the game's own.")] = None
    games: Annotated[
        int | None,
        typer.Option(
            parser=values.parse_games,
            metavar="N",
            help="Games to play, such as 1_000_000 or 2e6; the most with --precision. "
            "Default: 100000.",
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            parser=values.parse_seed,
            metavar="N",
            help="What chance is drawn from, 0 to 2^63-1. Default: a fresh one, which is told.",
        ),
    ] = None
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="NAME, NAME:VALUE, NAME:key=value,... or PATH.py::NAME; once for all seats, or "
            "once per seat.",
        ),
    ] = None
    game_options: Mapping[str, list[str]] = field(default_factory=dict)
    """What was given for options that the game declares, by their names; see `GameCommand`."""
    rotate: Annotated[
        bool, _flag("--rotate", "Strategies move round the seats; figures are per strategy.")
    ] = False
    rules: RulesFile = None
    set: Assignments = None


@dataclass(frozen=True)
class RunOptions(TableOptions):
    """How a run is played, stopped, saved and told."""

    precision: Annotated[
        float | None,
        typer.Option(
            parser=values.parse_precision,
            metavar="X",
            help="Stop when every seat's win share is known to within X either way.",
        ),
    ] = None
    jobs: Jobs = None
    backend: Annotated[
        str,
        typer.Option(
            parser=values.parse_backend, metavar="NAME", help="auto, threads, processes or dask."
        ),
    ] = "auto"
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of a running Dask scheduler.")
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(
            parser=values.parse_timeout,
            metavar="SECONDS",
            help="How long a strategy that does not come back is waited for. Default: 600.",
        ),
    ] = None
    out: Annotated[Path | None, out_option("GAME-COMMAND-SEED-HASH")] = None
    force: Force = False
    resume: Annotated[
        bool, _flag("--resume", "Insist on continuing a run; needs --out or --seed.")
    ] = False
    no_report: Annotated[bool, _flag("--no-report", "No pictures and no page.")] = False
    no_save: NoSave = False
    quiet: Quiet = False
    markdown: Markdown = False
    dry_run: Annotated[
        bool, _flag("--dry-run", "Say what would run and how long, and do nothing.")
    ] = False


def spread(kind: type[T], name: str = "options") -> Callable[[Callable[..., None]], Any]:
    """Give a command the fields of an options class as parameters instead of one of that class.

    Fields that are declared as options of the command line are read from it; what is given for
    options of the game is found in the context.

    What typer calls then only returns the call to make: typer reads the command line, but what goes
    wrong in a command is none of its business.
    """
    hints = get_type_hints(kind, include_extras=True)
    told = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
            annotation=hints[one.name],
        )
        for one in fields(kind)
        if get_origin(hints[one.name]) is Annotated
    ]
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)

    def decorate(command: Callable[..., None]) -> Any:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name != name
        ]

        def call(context: typer.Context, **given: Any) -> Callable[[], None]:
            read = {parameter.name: given.pop(parameter.name) for parameter in told}
            if "game_options" in hints:
                read["game_options"] = context.meta.get(GAME_OPTIONS, {})
            options = kind(**read)
            return partial(command, **given, **{name: options})

        call.__doc__ = command.__doc__
        call.__name__ = command.__name__
        call.__module__ = command.__module__
        # What inspect and typer read; functions have it, though their type does not say so.
        parameters = [context, *own, *told]
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        return call

    return decorate
