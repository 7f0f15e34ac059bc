"""The grammar of specs: which strategy a user names, with which values, bound to a game's rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from analyzer.contracts import BoundStrategy, Game, Hook, Rules, Strategy
from analyzer.errors import PluginError, UnknownName, UsageError, told
from analyzer.kernels.compilation import is_compiled
from analyzer.plugins import (
    check_declaration,
    declared,
    find_game,
    game_names,
    load_file,
    loaded_content,
    parse_value,
    sources_hash,
    strategies,
    strategy_file,
    strategy_key,
)

FILE_SPEC = re.compile(r"^(?:/|\./|\.\./|[A-Za-z]:[\\/])")
"""How a spec begins that names a file."""

MOST_PREPARED = 64
"""Strategies kept prepared; some have tables of megabytes."""


@dataclass(frozen=True)
class Part:
    """A strategy named by a spec, or by one part of a combined spec.

    Attributes
    ----------
    strategy
        What is named.
    prefix
        Its name, after the path of its file if it comes from one.
    values
        Of all its parameters, in declared order.
    """

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
    fitting = [s for s in declared(load_file(path)) if s.game == game.name and s.family == family]
    # A strategy may go by several names in its file: it is the same one all the same.
    named = list({id(s): s for s in fitting if s.name == name}.values())
    if not named:
        what = f"{game.name} {family} policy" if family else f"{game.name} strategy"
        raise UnknownName(f"{what} in {path!r}", name, [str(s.name) for s in fitting])
    if len(named) > 1:
        raise PluginError(f"{path!r} defines {len(named)} strategies {name!r}; rename all but one.")
    check_declaration(named[0], path)
    if strategy_key(family, name) in strategies(game.name):
        raise PluginError(
            f"the strategy {name!r} in {path!r} has the name of an installed strategy of "
            f"{game.name}; give it another one."
        )
    return named[0], f"{path}::{name}", parameters


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
        parse_value(who, p, given[p.name]) if p.name in given else p.default
        for p in strategy.parameters
    )


def _resolve(game: Game, family: str, spec: str) -> Part:
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
    return Part(strategy, prefix, values)


def _refuse_part(game: Game, name: str, spec: str) -> None:
    """Say how to name a part of a strategy, if a name that stands alone is one."""
    for family in game.families:
        if strategy_key(family, name) in strategies(game.name):
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


def parts_of(game: Game, spec: str) -> list[Part]:
    """The whole strategy a spec names, or one part a family of the game.

    Raises
    ------
    UnknownName, UsageError, PluginError
        As `bind`.
    """
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


def files_of(specs: Iterable[str]) -> tuple[tuple[str, bytes], ...]:
    """Paths of the strategy files that specs name, in order, and what they held when loaded."""
    parts = [part for spec in specs for part in split(spec)]
    paths = sorted({part.partition("::")[0] for part in parts if FILE_SPEC.match(part)})
    return tuple((path, loaded_content(path)) for path in paths)


def ideas(game_name: str, spec: str) -> dict[str, str]:
    """Installed strategies that a spec names, each with its idea; files are not loaded."""
    game = find_game(game_name)
    texts = split(spec) if game.families else [spec]
    families = game.families if len(texts) > 1 else ("",)
    names = [text.partition(":")[0] for text in texts]
    known = strategies(game_name)
    return {
        name: known[strategy_key(family, name)].idea
        for family, name in zip(families, names, strict=False)
        if strategy_key(family, name) in known
    }


def plain_names(game_name: str, specs: Sequence[str]) -> dict[str, str]:
    """What strategies that are told of together are called, each by what tells it from the others.

    Parts that all of them share are left out, the others said in their own words (`Strategy.plain`)
    where they have some. Files are not loaded.

    Parameters
    ----------
    specs
        Canonical, any number; equal ones count once.
    """
    distinct = list(dict.fromkeys(specs))
    if game_name not in game_names():
        return {spec: spec for spec in distinct}
    families = find_game(game_name).families
    parts = {spec: split(spec) if families else [spec] for spec in distinct}
    differing = set(range(len(families)))
    if len(distinct) > 1 and all(len(own) == len(families) for own in parts.values()):
        columns = list(zip(*parts.values(), strict=True))
        differing = {i for i, column in enumerate(columns) if len(set(column)) > 1}
    names = {}
    for spec, own in parts.items():
        if len(own) != len(families) or not families:
            names[spec] = plain_part(game_name, "", spec)
        else:
            told = [plain_part(game_name, families[i], own[i]) for i in sorted(differing)]
            names[spec] = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
    return names


def plain_part(game_name: str, family: str, text: str) -> str:
    """A strategy or a part of one in its own words; values that were given stand behind them."""
    name, _, values = text.partition(":")
    known = strategies(game_name).get(strategy_key(family, name))
    if known is None or not known.plain:
        return text
    return f"{known.plain} ({values})" if values else known.plain


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
    parts = parts_of(find_game(game_name), spec)
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


_prepared: dict[tuple[Part, str], tuple[Any, ...]] = {}
"""What parts were prepared to, by the rules: a run asks for the same again and again."""


def _prepare(part: Part, rules: Rules) -> tuple[Any, ...]:
    """What the part's hooks get as params; worked out once for the same part and rules."""
    if part.strategy.prepare is None:
        return part.values
    key = part, json.dumps(rules, sort_keys=True)
    if key not in _prepared:
        while len(_prepared) >= MOST_PREPARED:
            _prepared.pop(next(iter(_prepared)), None)
        _prepared[key] = _prepare_anew(part, part.strategy.prepare, rules)
    return _prepared[key]


def _prepare_anew(part: Part, prepare: Callable[..., Any], rules: Rules) -> tuple[Any, ...]:
    try:
        prepared = prepare(rules, part.values)
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


def _source_hash(parts: Iterable[Part]) -> str:
    """SHA-256 of the files that functions of strategies come from, and that declare them."""
    files = set()
    for part in parts:
        if FILE_SPEC.match(part.prefix):
            files.add(str(strategy_file(part.prefix.rpartition("::")[0])))
        for hook in (*part.strategy.hooks.values(), part.strategy.prepare):
            code = getattr(getattr(hook, "py_func", hook), "__code__", None)
            if code is not None:
                files.add(code.co_filename)
    return sources_hash(files)
