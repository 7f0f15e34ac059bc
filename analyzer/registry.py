"""Finding games and strategies by name, and binding a strategy's spec to its parameters.

Built-in and foreign plugins are found alike, through the entry point groups ``analyzer.games`` and
``analyzer.strategies``; a file is loaded only because the user named it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from analyzer.compilation import is_compiled
from analyzer.contracts import BoundStrategy, Game, Parameter, Rules, Strategy
from analyzer.errors import PluginError, UnknownName, UsageError

__all__ = [
    "bind",
    "canonical_spec",
    "find_game",
    "game_names",
    "load_file",
    "strategies",
]

GAMES = "analyzer.games"
STRATEGIES = "analyzer.strategies"
FILE_SPEC = re.compile(r"^(?:/|\./|\.\./|[A-Za-z]:[\\/])")
NAME = re.compile(r"^[a-z0-9][a-z0-9-]*$")


def game_names() -> tuple[str, ...]:
    """Names of all games, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=GAMES)}))


@lru_cache
def find_game(name: str) -> Game:
    """The game of this name.

    Raises
    ------
    UnknownName
        If there is none.
    PluginError
        If its module cannot be loaded.
    """
    for point in entry_points(group=GAMES):
        if point.name == name:
            module = _load(point)
            game = getattr(module, "GAME", None)
            if game is None:
                raise PluginError(
                    f"the module {point.value!r} of game {name!r} defines no GAME."
                )
            return cast(Game, game)
    raise UnknownName("game", name, game_names(), "`analyzer games` lists them.")


def _load(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:
        raise PluginError(
            f"the installed plugin {point.name} = {point.value!r} cannot be loaded: "
            f"{type(error).__name__}: {error}. Repair or uninstall the package that brings it."
        ) from error


def _declared(module: object) -> Iterator[Strategy]:
    """Strategies defined at the top level of a module, or the one object an entry names."""
    if isinstance(module, Strategy):
        yield module
        return
    for value in vars(module).values():
        if isinstance(value, Strategy):
            yield value


@lru_cache
def strategies(game_name: str) -> Mapping[str, Strategy]:
    """All installed strategies of a game by name, sorted.

    Raises
    ------
    PluginError
        If two of them claim one name.
    """
    found: dict[str, tuple[Strategy, str]] = {}
    for point in entry_points(group=STRATEGIES):
        for strategy in _declared(_load(point)):
            if strategy.game != game_name:
                continue
            _check_declaration(strategy, point.value)
            known, origin = found.get(strategy.name, (strategy, point.value))
            if known is not strategy:
                raise PluginError(
                    f"two installed plugins, {origin!r} and {point.value!r}, both define the "
                    f"{game_name} strategy {strategy.name!r}; uninstall one of them."
                )
            found[strategy.name] = (strategy, point.value)
    return {name: found[name][0] for name in sorted(found)}


@lru_cache
def load_file(path: str) -> ModuleType:
    """Load a plugin file the user named.

    Raises
    ------
    PluginError
        If there is no such file or it cannot be imported.
    """
    file = Path(path).resolve()
    if not file.is_file():
        raise PluginError(
            f"there is no strategy file {path!r}; give the path of a Python file."
        )
    digest = hashlib.sha256(str(file).encode()).hexdigest()[:12]
    name = f"analyzer_plugin_{digest}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise PluginError(
            f"{path!r} is not a Python file; a strategy file ends in .py."
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise PluginError(
            f"the strategy file {path!r} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    return module


def _from_file(game: Game, spec: str) -> tuple[Strategy, str, str]:
    """Strategy, its canonical prefix ``PATH::NAME`` and the parameter text of a file spec."""
    path, separator, rest = spec.rpartition("::")
    if not separator:
        raise UsageError(
            f"{spec!r} names a file but no strategy in it; write PATH.py::NAME, "
            "for example ./mine.py::careful."
        )
    name, _, parameters = rest.partition(":")
    declared = [s for s in _declared(load_file(path)) if s.game == game.name]
    for strategy in declared:
        if strategy.name == name:
            _check_declaration(strategy, path)
            if name in strategies(game.name):
                raise PluginError(
                    f"the strategy {name!r} in {path!r} has the name of an installed strategy of "
                    f"{game.name}; give it another one."
                )
            return strategy, f"{path}::{name}", parameters
    raise UnknownName(
        f"{game.name} strategy in {path!r}", name, [s.name for s in declared]
    )


def _check_declaration(strategy: Strategy, origin: str) -> None:
    """Refuse a strategy whose declaration alone is wrong.

    Raises
    ------
    PluginError
        Saying which claim is wrong and what is allowed.
    """
    who = f"strategy {strategy.name!r} in {origin!r}"
    game = find_game(strategy.game)
    if not isinstance(strategy.name, str) or not NAME.match(strategy.name):
        raise PluginError(
            f"{who}: a name is lower-case letters, digits and hyphens, beginning with a letter "
            "or digit."
        )
    known = {d.name: d for d in game.decisions}
    if not strategy.hooks:
        raise PluginError(
            f"{who} declares no hook; {strategy.game} asks for: {', '.join(known)}."
        )
    for decision, hook in strategy.hooks.items():
        if decision not in known:
            raise PluginError(
                f"{who} declares a hook {decision!r}, which {strategy.game} never asks for; "
                f"it asks for: {', '.join(known)}."
            )
        if not callable(hook):
            raise PluginError(f"{who}: the hook {decision!r} is not a function.")
    for decision in strategy.stochastic:
        if decision not in strategy.hooks:
            raise PluginError(
                f"{who} claims to be stochastic in {decision!r}, for which it has no hook."
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
        _parse_value(who, parameter, str(parameter.default).lower())


def _parse_value(who: str, parameter: Parameter, text: str) -> int | float | bool:
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


def _parse_parameters(
    who: str, strategy: Strategy, text: str
) -> tuple[int | float | bool, ...]:
    """Values of all parameters from ``VALUE`` or ``key=value,key=value``."""
    given: dict[str, str] = {}
    names = [parameter.name for parameter in strategy.parameters]
    for i, item in enumerate(text.split(",")) if text else ():
        key, equals, value = item.partition("=")
        if not equals:
            if i > 0 or not names:
                takes = f"takes {', '.join(names)}" if names else "takes no parameters"
                raise UsageError(
                    f"{who} {takes}; given {item!r}. Write key=value,key=value."
                )
            key, value = names[0], item
        if key not in names:
            raise UnknownName(f"parameter of {who}", key, names)
        if key in given:
            raise UsageError(f"{who}: parameter {key} is given twice.")
        given[key] = value.strip()
    return tuple(
        _parse_value(who, p, given[p.name]) if p.name in given else p.default
        for p in strategy.parameters
    )


def _spell(
    prefix: str, strategy: Strategy, values: tuple[int | float | bool, ...]
) -> str:
    """Canonical spelling: only values that differ from their defaults, in declared order."""
    told = [
        (p.name, str(v).lower() if isinstance(v, bool) else f"{v!r}")
        for p, v in zip(strategy.parameters, values, strict=True)
        if v != p.default
    ]
    if not told:
        return prefix
    first = strategy.parameters[0].name
    if len(told) == 1 and told[0][0] == first:
        return f"{prefix}:{told[0][1]}"
    return prefix + ":" + ",".join(f"{name}={value}" for name, value in told)


def _resolve(
    game: Game, spec: str
) -> tuple[Strategy, str, tuple[int | float | bool, ...]]:
    if FILE_SPEC.match(spec):
        strategy, prefix, text = _from_file(game, spec)
    else:
        name, _, text = spec.partition(":")
        known = strategies(game.name)
        if name not in known:
            raise UnknownName(
                f"{game.name} strategy",
                name,
                known,
                f"`analyzer strategies {game.name}` lists them; one of your own is PATH.py::NAME.",
            )
        strategy, prefix = known[name], name
    values = _parse_parameters(f"strategy {prefix!r}", strategy, text)
    return strategy, prefix, values


def canonical_spec(game_name: str, spec: str) -> str:
    """How a spec is spelled in results: two specs that mean the same are spelled alike."""
    strategy, prefix, values = _resolve(find_game(game_name), spec)
    return _spell(prefix, strategy, values)


def bind(game_name: str, spec: str, rules: Rules, players: int) -> BoundStrategy:
    """Make a strategy ready to play.

    Parameters
    ----------
    game_name
        Which game.
    spec
        NAME, NAME:VALUE, NAME:key=value,key=value, or the same with PATH.py::NAME.
    rules
        Every setting in force.
    players
        Players at the table.

    Raises
    ------
    UnknownName, UsageError
        If the spec names nothing or a parameter is wrong.
    PluginError
        If the strategy breaks its contract.
    """
    game = find_game(game_name)
    strategy, prefix, values = _resolve(game, spec)
    params: tuple[Any, ...] = values
    if strategy.prepare is not None:
        try:
            params = strategy.prepare({**rules, "players": players}, values)
        except UsageError:
            raise
        except Exception as error:
            raise PluginError(
                f"strategy {prefix!r}: its prepare function raised {type(error).__name__}: {error}"
            ) from error
        if not isinstance(params, tuple):
            raise PluginError(
                f"strategy {prefix!r}: its prepare function must return a tuple."
            )
    return BoundStrategy(
        spec=_spell(prefix, strategy, values),
        hooks=strategy.hooks,
        params=dict.fromkeys(strategy.hooks, params),
        stochastic=frozenset(strategy.stochastic),
        sees=frozenset(strategy.sees),
        expensive=strategy.expensive,
        compiled=all(is_compiled(hook) for hook in strategy.hooks.values()),
        source_hash=_source_hash(strategy),
    )


def _source_hash(strategy: Strategy) -> str:
    """SHA-256 of the files the hooks come from."""
    digest = hashlib.sha256()
    hooks = [getattr(hook, "py_func", hook) for hook in strategy.hooks.values()]
    for file in sorted(
        {hook.__code__.co_filename for hook in hooks if hasattr(hook, "__code__")}
    ):
        try:
            digest.update(Path(file).read_bytes())
        except OSError:
            continue  # defined interactively: nothing to hash
    return digest.hexdigest()
