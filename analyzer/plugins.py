"""Finding games and strategies by name, and refusing those whose declaration is wrong.

Built-in and foreign plugins are found alike, through the entry point groups ``analyzer.games``,
``analyzer.strategies`` and ``analyzer.stories``; a file or a module is loaded only because the user
named it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from analyzer.contracts import Decision, Game, Metric, Parameter, Setting, Strategy
from analyzer.errors import PluginError, UnknownName, UsageError, told
from analyzer.kernels.compilation import cache_directory, kept_like_kernels
from analyzer.kernels.sources import program_state

__all__ = [
    "STORIES",
    "announced",
    "brought",
    "check_declaration",
    "check_game_declaration",
    "declared",
    "find_game",
    "forget",
    "game_names",
    "load_file",
    "load_module",
    "loadable_games",
    "loaded_content",
    "offered",
    "parse_value",
    "program_hash",
    "receive",
    "sources_hash",
    "strategies",
    "strategy_file",
    "strategy_key",
]

GAMES = "analyzer.games"
STRATEGIES = "analyzer.strategies"
STORIES = "analyzer.stories"
"""A game's name, and a module that defines ``STORY``: how its answers are told on a page."""

NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
PARAMETER = re.compile(r"[A-Za-z_]\w*", re.ASCII)

_offered: list[EntryPoint] = []
"""What a module offers that no installed package has announced; see `offered`."""


def _points(group: str) -> tuple[EntryPoint, ...]:
    return (*entry_points(group=group), *(point for point in _offered if point.group == group))


def game_names() -> tuple[str, ...]:
    """Names of all games, sorted."""
    return tuple(sorted({point.name for point in _points(GAMES)}))


@lru_cache
def find_game(name: str) -> Game:
    """The game of this name.

    Raises
    ------
    UnknownName
        If there is none.
    PluginError
        If its module cannot be loaded, or its declaration is wrong.
    """
    module = announced(GAMES, name)
    if module is None:
        raise UnknownName("game", name, game_names(), "`analyzer games` lists them.")
    game = getattr(module, "GAME", None)
    if game is None:
        raise PluginError(f"the module {module.__name__!r} of game {name!r} defines no GAME.")
    check_game_declaration(game, module.__name__)
    return cast(Game, game)


def loadable_games() -> tuple[list[Game], dict[str, PluginError]]:
    """Every game by its name's order, and why others cannot be loaded."""
    games, broken = [], {}
    for name in game_names():
        try:
            games.append(find_game(name))
        except PluginError as error:
            broken[name] = error
    return games, broken


def announced(group: str, name: str) -> Any:
    """What an installed package announces by a name in a group of entry points, or None.

    Raises
    ------
    PluginError
        If it cannot be loaded.
    """
    return next((_load(point) for point in _points(group) if point.name == name), None)


def brought(game: Game, part: str) -> Any:
    """An optional part of a game, such as its ``"study"``; None if it brings none.

    Raises
    ------
    PluginError
        If it is said to be where it cannot be loaded.
    """
    found = getattr(game, part, None)
    return _load(EntryPoint(part, found, GAMES)) if isinstance(found, str) else found


@lru_cache
def program_hash(game_name: str) -> str:
    """SHA-256 of what makes the games what they are, strategies apart, as this process loaded it.

    That is the program with all kernels that games share, and the game's own module: of a package
    all modules in it.

    Raises
    ------
    UnknownName, PluginError
        As `find_game` does.
    """
    game = find_game(game_name)
    modules = {type(game).__module__}
    modules |= {p.module for p in _points(GAMES) if p.name == game_name}
    files: set[str] = set()
    for name in modules:
        module = sys.modules.get(name)
        own = getattr(module, "__file__", None)
        files |= {own} if own else set()
        for folder in getattr(module, "__path__", ()):
            files |= {str(file) for file in Path(folder).rglob("*.py")}
    return hashlib.sha256(f"{program_state()} {sources_hash(files)}".encode()).hexdigest()


def _load(point: EntryPoint) -> Any:
    try:
        with kept_like_kernels(point.module):
            return point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(
            f"the installed plugin {point.name} = {point.value!r} cannot be loaded: "
            f"{type(error).__name__}: {told(error)}. "
            "Repair or uninstall the package that brings it."
        ) from error


def declared(module: object) -> Iterator[Strategy]:
    """Strategies defined at the top level of a module, or the one object an entry names."""
    if isinstance(module, Strategy):
        yield module
        return
    for value in list(vars(module).values()):
        # Not isinstance: a lazy proxy may raise on that.
        if issubclass(type(value), Strategy):
            yield value


@lru_cache
def strategies(game_name: str) -> Mapping[str, Strategy]:
    """All installed strategies of a game, sorted by their keys.

    The key is the strategy's name, or ``family/name`` for a part of combined strategies. An entry
    point that is named like another game is taken to be about that one, and left alone.

    Raises
    ------
    PluginError
        If two of them claim one name.
    """
    found: dict[str, tuple[Strategy, str]] = {}
    others = set(game_names()) - {game_name}
    for point in _points(STRATEGIES):
        if point.name in others:
            continue
        for strategy in declared(_load(point)):
            if strategy.game != game_name:
                continue
            check_declaration(strategy, point.value)
            key = strategy_key(strategy.family, strategy.name)
            known, origin = found.get(key, (strategy, point.value))
            if known is not strategy:
                raise PluginError(
                    f"two installed plugins, {origin!r} and {point.value!r}, both define the "
                    f"{game_name} strategy {key!r}; uninstall one of them."
                )
            found[key] = (strategy, point.value)
    return {key: found[key][0] for key in sorted(found)}


def strategy_key(family: str, name: str) -> str:
    """What a strategy goes by among those of its game."""
    return f"{family}/{name}" if family else name


def load_file(path: str) -> ModuleType:
    """Load a plugin file the user named: as it is now, not as it was when it was last loaded.

    Raises
    ------
    PluginError
        If there is no such file or it cannot be imported.
    """
    try:
        file = strategy_file(path)
        found = file.is_file()
    except (OSError, RuntimeError, ValueError):  # links in a circle, a name too long
        found = False
    if not found:
        raise PluginError(f"there is no strategy file {path!r}; give the path of a Python file.")
    try:
        content = file.read_bytes()
    except OSError as error:
        raise PluginError(
            f"the strategy file {path!r} cannot be read: {error.strerror or error}."
        ) from error
    module = _load_content(path, file, content)
    _loaded[str(file)] = content
    return module


def strategy_file(path: str) -> Path:
    """Where a strategy file of this path is: what was sent under it, or else what lies there."""
    return _sent.get(path) or Path(path).resolve()


def loaded_content(path: str) -> bytes:
    """What the strategy file of this path held when this process loaded it."""
    return _content(str(strategy_file(path)))


def receive(path: str, content: bytes) -> None:
    """Load the strategy file of this path with this content from now on, whatever lies there.

    It is kept where compiled kernels are, so that those made of it are found again.
    """
    folder = cache_directory() / "files" / hashlib.sha256(content).hexdigest()
    file = folder / Path(path).name
    if not file.is_file() or file.read_bytes() != content:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as written:
            written.write(content)
        os.replace(written.name, file)
    _sent[path] = file.resolve()


_sent: dict[str, Path] = {}
"""Where strategy files are that another machine has sent, by the paths that they have there."""

_loaded: dict[str, bytes] = {}
"""What each strategy file held when it was last loaded, and other files when first asked about."""


def _content(file: str) -> bytes:
    """What a file held when this process loaded it, as far as that is known."""
    if file not in _loaded:
        try:
            _loaded[file] = Path(file).read_bytes()
        except OSError:
            _loaded[file] = b""  # defined interactively
    return _loaded[file]


@lru_cache
def _load_content(path: str, file: Path, content: bytes) -> ModuleType:
    """Load a file that has this content; once, since others compare what it defines by identity."""
    where, what = (hashlib.sha256(x).hexdigest()[:12] for x in (str(file).encode(), content))
    name = f"analyzer_plugin_{where}_{what}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or not isinstance(spec.loader, SourceFileLoader):
        raise PluginError(f"{path!r} is not a Python file; a strategy file ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with kept_like_kernels(name):
            # What was read, and not what the file, or Python's own cache of it, may hold by now.
            exec(spec.loader.source_to_code(content, str(file)), module.__dict__)
    except BaseException as error:
        sys.modules.pop(name, None)
        if isinstance(error, KeyboardInterrupt):
            raise
        raise PluginError(
            f"the strategy file {path!r} cannot be loaded: {type(error).__name__}: {told(error)}"
        ) from error
    return module


def load_module(name: str) -> ModuleType:
    """Import a module that the user names, as ``python -m`` would: also from the current directory.

    Raises
    ------
    PluginError
        If there is none, or it cannot be loaded.
    """
    here = os.getcwd()
    added = [] if here in sys.path else [here]
    sys.path += added
    try:
        with kept_like_kernels(name):
            return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{name}.".startswith(f"{missing}."):
            raise UnknownName(
                "game or module",
                name,
                game_names(),
                "A file is named with its ending, such as ./mine.py.",
            ) from None
        raise PluginError(
            f"the module {name!r} cannot be loaded: {type(error).__name__}: {told(error)}"
        ) from error
    finally:
        for folder in added:  # for this import alone
            sys.path.remove(folder)


@contextmanager
def offered(module: ModuleType) -> Iterator[None]:
    """Let the game and the strategies of a module be found as if a package had announced them.

    Raises
    ------
    PluginError
        If another game of that name is installed, or the game's declaration is wrong.
    """
    points = [EntryPoint(module.__name__, module.__name__, STRATEGIES)]
    game = getattr(module, "GAME", None)
    if game is not None:
        check_game_declaration(game, module.__name__)
        if hasattr(module, "STORY"):
            points.append(EntryPoint(game.name, module.__name__, STORIES))
        if game.name not in game_names():
            points.append(EntryPoint(game.name, module.__name__, GAMES))
        elif find_game(game.name) is not game:
            raise PluginError(
                f"the module {module.__name__!r} defines a game {game.name!r}, and another game of "
                "that name is installed; give it another name."
            )
    _offered.extend(points)
    try:
        forget()
        yield
    finally:
        for point in points:
            _offered.remove(point)
        forget()


def forget() -> None:
    """Look for games and strategies anew when they are next asked for."""
    for found in (find_game, strategies, program_hash):
        found.cache_clear()


GAME_FIELDS = {
    **dict.fromkeys(("name", "title", "question", "default_strategy"), str),
    **dict.fromkeys(("min_players", "max_players", "default_players", "games_per_lane"), int),
}
GAME_TUPLES = {
    **dict.fromkeys(("headline", "families", "sees"), str),
    "settings": Setting,
    "decisions": Decision,
    "metrics": Metric,
}
GAME_METHODS = ("check_rules", "score_range", "sums", "table", "play")


def check_game_declaration(game: object, origin: str) -> None:
    """Refuse a game that is not made of what it has to be made of.

    Raises
    ------
    PluginError
        Naming the field and what it has to be.
    """

    def need(holds: bool, field: str, wanted: str) -> None:
        if not holds:
            raise PluginError(f"the game in {origin!r}: {field} must be {wanted}.")

    for field, kind in GAME_FIELDS.items():
        need(isinstance(getattr(game, field, None), kind), field, f"of the type {kind.__name__}")
    for field, kind in GAME_TUPLES.items():
        value = getattr(game, field, None)
        several = isinstance(value, (tuple, list)) and all(isinstance(x, kind) for x in value)
        need(several, field, f"a tuple of {kind.__name__}")
    for method in GAME_METHODS:
        need(callable(getattr(game, method, None)), method, "a method")


def check_declaration(strategy: Strategy, origin: str) -> None:
    """Refuse a strategy whose declaration alone is wrong.

    Raises
    ------
    PluginError
        Saying which claim is wrong and what is allowed.
    """
    who = f"strategy {strategy.name!r} in {origin!r}"
    _check_types(strategy, who)
    game = find_game(strategy.game)
    if not isinstance(strategy.name, str) or not NAME.fullmatch(strategy.name):
        raise PluginError(
            f"{who}: a name is lower-case letters, digits and hyphens, beginning with a letter "
            "or digit."
        )
    if strategy.family and strategy.family not in game.families:
        raise PluginError(
            f"{who} is of the family {strategy.family!r}; {strategy.game} has "
            f"{', '.join(game.families) or 'no families: leave it empty'}."
        )
    asker = f"the family {strategy.family}" if strategy.family else strategy.game
    asked = [d for d in game.decisions if not strategy.family or d.family == strategy.family]
    known = sorted(d.name for d in asked)
    for name, hook in strategy.hooks.items():
        if name not in known:
            raise PluginError(
                f"{who} declares a hook {name!r}, which {asker} never asks for; "
                f"it asks for: {', '.join(known)}."
            )
        if not callable(hook):
            raise PluginError(f"{who}: the hook {name!r} is not a function.")
    for decision in asked:
        if decision.default is None and decision.name not in strategy.hooks:
            raise PluginError(
                f"{who} declares no hook {decision.name!r}; {asker} asks for: {', '.join(known)}."
            )
    for name in strategy.stochastic:
        if name not in strategy.hooks:
            raise PluginError(
                f"{who} claims to be stochastic in {name!r}, for which it has no hook."
            )
    for field in strategy.sees:
        if field not in game.sees:
            raise PluginError(
                f"{who} wants to see {field!r}; {strategy.game} can show: "
                f"{', '.join(game.sees) or 'nothing more'}."
            )
    names = [parameter.name for parameter in strategy.parameters]
    if len(set(names)) != len(names):
        raise PluginError(f"{who} declares a parameter twice.")
    for parameter in strategy.parameters:
        parse_value(who, parameter, str(parameter.default).lower())


def _check_types(strategy: Strategy, who: str) -> None:
    """Refuse a declaration that is not made of what it has to be made of.

    Raises
    ------
    PluginError
        Naming the field and what it has to be.
    """

    def need(holds: bool, field: str, wanted: str) -> None:
        if not holds:
            raise PluginError(f"{who}: {field} must be {wanted}.")

    for field in ("game", "idea", "origin", "family", "plain"):
        need(isinstance(getattr(strategy, field), str), field, "a string")
    need(isinstance(strategy.hooks, Mapping), "hooks", 'a dict such as {"card": function}')
    for field in ("stochastic", "sees"):
        value = getattr(strategy, field)
        kinds = (tuple, list, set, frozenset)
        words = isinstance(value, kinds) and all(isinstance(word, str) for word in value)
        need(words, field, 'several strings, such as ("card",)')
    need(strategy.prepare is None or callable(strategy.prepare), "prepare", "a function or None")
    claims = strategy.claims
    need(
        isinstance(claims, Mapping)
        and all(isinstance(k, str) and _is_number(v) for k, v in claims.items()),
        "claims",
        'a dict such as {"random": 0.5}',
    )
    parameters = strategy.parameters
    need(
        isinstance(parameters, (tuple, list))
        and all(isinstance(parameter, Parameter) for parameter in parameters),
        "parameters",
        "a tuple of Parameter(...)",
    )
    for p in parameters:
        named = isinstance(p.name, str) and PARAMETER.fullmatch(p.name) is not None
        need(named, f"the parameter {p.name!r}", "named by letters, digits and underscores")
        need(p.kind in ("int", "float", "bool"), f"the kind of {p.name}", "int, float or bool")
        need(isinstance(p.meaning, str), f"the meaning of {p.name}", "a string")
        fitting = {"int": (int,), "float": (int, float), "bool": (bool,)}[p.kind]
        need(type(p.default) in fitting, f"the default of {p.name}", f"of the kind {p.kind}")
        need(_is_number(p.low) and _is_number(p.high), f"the range of {p.name}", "two numbers")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def parse_value(who: str, parameter: Parameter, text: str) -> int | float | bool:
    """A parameter's value from text, in range.

    Raises
    ------
    UsageError
        Saying what is allowed.
    """
    if parameter.kind == "bool":
        allowed = "true or false"
        value: int | float | bool | None = {"true": True, "false": False}.get(text)
    else:
        noun = "a whole number" if parameter.kind == "int" else "a number"
        allowed = f"{noun} from {parameter.low:g} to {parameter.high:g}"
        try:
            value = int(text) if parameter.kind == "int" else float(text)
        except ValueError:
            value = None
        if value is not None and not (
            math.isfinite(value) and parameter.low <= value <= parameter.high
        ):
            value = None
    if value is None:
        raise UsageError(
            f"{who}: parameter {parameter.name} = {text!r} is not possible; it is {allowed} "
            f"({parameter.meaning})."
        )
    return value


def sources_hash(files: Iterable[str]) -> str:
    """SHA-256 of what files held when this process loaded them, wherever they lie, hex."""
    digests = sorted(hashlib.sha256(_content(file)).digest() for file in files)
    return hashlib.sha256(b"".join(digests)).hexdigest()
