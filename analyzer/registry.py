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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from analyzer.compilation import is_compiled, program_state
from analyzer.contracts import BoundStrategy, Game, Hook, Parameter, Rules, Strategy
from analyzer.errors import PluginError, UnknownName, UsageError, told

__all__ = [
    "FILE_SPEC",
    "bind",
    "canonical_spec",
    "find_game",
    "game_names",
    "ideas",
    "load_file",
    "program_hash",
    "split",
    "strategies",
]

GAMES = "analyzer.games"
STRATEGIES = "analyzer.strategies"
FILE_SPEC = re.compile(r"^(?:/|\./|\.\./|[A-Za-z]:[\\/])")
"""How a spec begins that names a file."""

NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
PARAMETER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


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
                raise PluginError(f"the module {point.value!r} of game {name!r} defines no GAME.")
            return cast(Game, game)
    raise UnknownName("game", name, game_names(), "`analyzer games` lists them.")


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
    modules |= {p.module for p in entry_points(group=GAMES) if p.name == game_name}
    files: set[str] = set()
    for name in modules:
        module = sys.modules.get(name)
        own = getattr(module, "__file__", None)
        files |= {own} if own else set()
        for folder in getattr(module, "__path__", ()):
            files |= {str(file) for file in Path(folder).rglob("*.py")}
    return hashlib.sha256(f"{program_state()} {_sha256(files)}".encode()).hexdigest()


def _load(point: EntryPoint) -> Any:
    try:
        return point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(
            f"the installed plugin {point.name} = {point.value!r} cannot be loaded: "
            f"{type(error).__name__}: {told(error)}. "
            "Repair or uninstall the package that brings it."
        ) from error


def _declared(module: object) -> Iterator[Strategy]:
    """Strategies defined at the top level of a module, or the one object an entry names."""
    if isinstance(module, Strategy):
        yield module
        return
    for value in list(vars(module).values()):
        # A stand-in for something else may raise when it is asked for its class.
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
    for point in entry_points(group=STRATEGIES):
        if point.name in others:
            continue
        for strategy in _declared(_load(point)):
            if strategy.game != game_name:
                continue
            _check_declaration(strategy, point.value)
            key = _key(strategy.family, strategy.name)
            known, origin = found.get(key, (strategy, point.value))
            if known is not strategy:
                raise PluginError(
                    f"two installed plugins, {origin!r} and {point.value!r}, both define the "
                    f"{game_name} strategy {key!r}; uninstall one of them."
                )
            found[key] = (strategy, point.value)
    return {key: found[key][0] for key in sorted(found)}


def _key(family: str, name: str) -> str:
    return f"{family}/{name}" if family else name


def load_file(path: str) -> ModuleType:
    """Load a plugin file the user named: as it is now, not as it was when it was last loaded.

    Raises
    ------
    PluginError
        If there is no such file or it cannot be imported.
    """
    try:
        file = Path(path).resolve()
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


@dataclass(frozen=True)
class _Part:
    """A strategy named by a spec, or by one part of a combined spec."""

    strategy: Strategy
    prefix: str
    values: tuple[int | float | bool, ...]

    @property
    def spelling(self) -> str:
        """Canonical: only values that differ from their defaults, in declared order."""
        parameters = self.strategy.parameters
        told = [
            (p.name, str(v).lower() if isinstance(v, bool) else f"{v!r}")
            for p, v in zip(parameters, self.values, strict=True)
            if v != p.default
        ]
        if not told:
            return self.prefix
        if len(told) == 1 and told[0][0] == parameters[0].name:
            return f"{self.prefix}:{told[0][1]}"
        return f"{self.prefix}:" + ",".join(f"{name}={value}" for name, value in told)


def _from_file(game: Game, family: str, spec: str) -> tuple[Strategy, str, str]:
    """Strategy, its canonical prefix ``PATH::NAME`` and the parameter text of a file spec."""
    path, separator, rest = spec.partition("::")
    if not separator:
        raise UsageError(
            f"{spec!r} names a file but no strategy in it; write PATH.py::NAME, "
            "for example ./mine.py::careful."
        )
    try:
        path.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"the name of the strategy file {path!r} is not text, so results could not tell it; "
            "rename the file."
        ) from None
    name, _, parameters = rest.partition(":")
    fitting = [s for s in _declared(load_file(path)) if s.game == game.name and s.family == family]
    # A strategy may go by several names in its file: it is the same one all the same.
    named = list({id(s): s for s in fitting if s.name == name}.values())
    if not named:
        what = f"{game.name} {family} policy" if family else f"{game.name} strategy"
        raise UnknownName(f"{what} in {path!r}", name, [str(s.name) for s in fitting])
    if len(named) > 1:
        raise PluginError(f"{path!r} defines {len(named)} strategies {name!r}; rename all but one.")
    _check_declaration(named[0], path)
    if _key(family, name) in strategies(game.name):
        raise PluginError(
            f"the strategy {name!r} in {path!r} has the name of an installed strategy of "
            f"{game.name}; give it another one."
        )
    return named[0], f"{path}::{name}", parameters


def _check_declaration(strategy: Strategy, origin: str) -> None:
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
        _parse_value(who, parameter, str(parameter.default).lower())


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

    for field in ("game", "idea", "origin", "family"):
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


def _parse_parameters(who: str, strategy: Strategy, text: str) -> tuple[int | float | bool, ...]:
    """Values of all parameters from ``VALUE`` or ``key=value,key=value``."""
    given: dict[str, str] = {}
    names = [parameter.name for parameter in strategy.parameters]
    for i, item in enumerate(text.split(",")) if text else ():
        key, equals, value = item.partition("=")
        if not equals:
            if i > 0 or not names:
                takes = f"takes {', '.join(names)}" if names else "takes no parameters"
                raise UsageError(f"{who} {takes}; given {item!r}. Write key=value,key=value.")
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


def _resolve(game: Game, family: str, spec: str) -> _Part:
    if FILE_SPEC.match(spec):
        strategy, prefix, text = _from_file(game, family, spec)
    else:
        prefix, _, text = spec.partition(":")
        known = {s.name: s for s in strategies(game.name).values() if s.family == family}
        if prefix not in known:
            if not family:
                _refuse_part(game, prefix, spec)
            raise UnknownName(
                f"{game.name} {family} policy" if family else f"{game.name} strategy",
                prefix,
                known,
                f"`analyzer strategies {game.name}` lists them; one of your own is PATH.py::NAME.",
            )
        strategy = known[prefix]
    values = _parse_parameters(f"strategy {prefix!r}", strategy, text)
    return _Part(strategy, prefix, values)


def _refuse_part(game: Game, name: str, spec: str) -> None:
    """Say how to name a part of a strategy, if a name that stands alone is one."""
    for family in game.families:
        if _key(family, name) in strategies(game.name):
            usual = game.default_strategy.split("/")
            usual[game.families.index(family)] = spec
            raise UsageError(
                f"{name!r} is a {family} policy of {game.name}, one part of a strategy: give "
                f"--{family}-policy {spec}, or all parts, such as {'/'.join(usual)}."
            )


def split(spec: str) -> list[str]:
    """The parts of a combined spec; the slashes of a plugin's path do not separate."""
    parts: list[str] = []
    rest = spec
    while True:
        start = rest.find("::") + 2 if FILE_SPEC.match(rest) and "::" in rest else 0
        end = rest.find("/", start)
        if end < 0:
            return [*parts, rest]
        parts.append(rest[:end])
        rest = rest[end + 1 :]


def _parts(game: Game, spec: str) -> list[_Part]:
    """The whole strategy a spec names, or one part a family of the game."""
    texts = split(spec) if game.families else [spec]
    if len(texts) == 1:
        return [_resolve(game, "", spec)]
    if len(texts) != len(game.families):
        raise UsageError(
            f"{spec!r} has {len(texts)} parts; a strategy of {game.name} is "
            f"{'/'.join(family.upper() for family in game.families)}, such as "
            f"{game.default_strategy}, or one name for a whole strategy."
        )
    return [_resolve(game, f, text) for f, text in zip(game.families, texts, strict=True)]


def canonical_spec(game_name: str, spec: str) -> str:
    """How a spec is spelled in results: two specs that mean the same are spelled alike."""
    return "/".join(part.spelling for part in _parts(find_game(game_name), spec))


def ideas(game_name: str, spec: str) -> dict[str, str]:
    """Installed strategies that a spec names, each with its idea; files are not loaded."""
    game = find_game(game_name)
    texts = split(spec) if game.families else [spec]
    families = game.families if len(texts) > 1 else ("",)
    names = [text.partition(":")[0] for text in texts]
    known = strategies(game_name)
    return {
        name: known[_key(family, name)].idea
        for family, name in zip(families, names, strict=False)
        if _key(family, name) in known
    }


def bind(game_name: str, spec: str, rules: Rules, players: int) -> BoundStrategy:
    """Make a strategy ready to play.

    Parameters
    ----------
    game_name
        Which game.
    spec
        NAME, NAME:VALUE, NAME:key=value,key=value, or the same with PATH.py::NAME; for games with
        families one of these a family, joined by slashes, or the name of a whole strategy.
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
    parts = _parts(find_game(game_name), spec)
    hooks: dict[str, Hook] = {}
    params: dict[str, tuple[Any, ...]] = {}
    for part in parts:
        prepared = _prepare(part, {**rules, "players": players})
        hooks |= part.strategy.hooks
        params |= dict.fromkeys(part.strategy.hooks, prepared)
    return BoundStrategy(
        spec="/".join(part.spelling for part in parts),
        hooks=hooks,
        params=params,
        stochastic=frozenset().union(*(part.strategy.stochastic for part in parts)),
        sees=frozenset().union(*(part.strategy.sees for part in parts)),
        expensive=any(part.strategy.expensive for part in parts),
        compiled=all(is_compiled(hook) for hook in hooks.values()),
        source_hash=_source_hash(parts),
        claims={f: bound for part in parts for f, bound in part.strategy.claims.items()},
    )


def _prepare(part: _Part, rules: Rules) -> tuple[Any, ...]:
    """What the part's hooks get as params."""
    if part.strategy.prepare is None:
        return part.values
    try:
        prepared = part.strategy.prepare(rules, part.values)
    except (UsageError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise PluginError(
            f"strategy {part.prefix!r}: its prepare function raised {type(error).__name__}: "
            f"{told(error)}"
        ) from error
    if not isinstance(prepared, tuple):
        raise PluginError(
            f"strategy {part.prefix!r}: its prepare function must return a tuple, not "
            f"{type(prepared).__name__}."
        )
    return prepared


def _source_hash(parts: Iterable[_Part]) -> str:
    """SHA-256 of the files that functions of strategies come from, and that declare them."""
    files = set()
    for part in parts:
        if FILE_SPEC.match(part.prefix):
            files.add(str(Path(part.prefix.rpartition("::")[0]).resolve()))
        for hook in (*part.strategy.hooks.values(), part.strategy.prepare):
            code = getattr(getattr(hook, "py_func", hook), "__code__", None)
            if code is not None:
                files.add(code.co_filename)
    return _sha256(files)


def _sha256(files: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(_content(file))
    return digest.hexdigest()
