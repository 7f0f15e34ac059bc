"""What is varied: settings, the number of players, parameters of a strategy; and in which steps.

``KEY=LOW..HIGH``, ``KEY=LOW..HIGH:STEP`` or ``KEY=A,B,C``, where KEY is a setting of the rules or
``players``; or a spec with such a range or list in place of one value: ``reader:worry=0..2``,
``threshold:q=0.1..0.9/leader/hold``. In a spec a text without ``=`` is a further value of the
parameter before it. Of a game whose strategies consist of parts one part alone will do.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from analyzer.contracts import Game, Parameter
from analyzer.errors import PluginError, RulesError, UnknownName, UsageError
from analyzer.plugins import parse_value, strategies, strategy_key
from analyzer.rules import read_value, settle, shown
from analyzer.specs import FILE_SPEC, Part, parts_of, split
from analyzer.statistics.sweep import Axis
from analyzer.study.request import one_a_seat

PLAYERS = "players"
MOST_POINTS = 200
MOST_AXES = 2
USUAL_STEPS = 8
"""Steps of a range of numbers that are not whole, unless a step is given."""

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?"
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})(?::(.*))?", re.ASCII)


@dataclass(frozen=True)
class Varied:
    """A strategy some of whose parameters are varied, at one seat of the table.

    Attributes
    ----------
    parts
        The strategy, with the values of what is not varied.
    holes
        For each axis the number of the part and of its parameter, or None if it is no axis of the
        strategy.
    """

    parts: tuple[Part, ...]
    holes: tuple[tuple[int, int] | None, ...]

    def at(self, values: Sequence[Any]) -> str:
        """The canonical spec with a value for each axis."""
        parts = list(self.parts)
        for hole, value in zip(self.holes, values, strict=True):
            if hole is not None:
                number, place = hole
                own = list(parts[number].values)
                own[place] = value
                parts[number] = replace(parts[number], values=tuple(own))
        return "/".join(part.spelling for part in parts)

    def named(self, spec: str, game: Game) -> bool:
        """Whether a spec names the same strategy, whatever its values."""
        return _named(parts_of(game, spec)) == _named(self.parts)


@dataclass(frozen=True)
class Setup:
    """What is played at one point.

    Attributes
    ----------
    values
        One an axis.
    strategies
        Specs by seat, as given; canonical where they are varied.
    rules
        Every setting in force.
    varied
        The spec of the strategy that is varied there, or None.
    """

    values: tuple[Any, ...]
    strategies: tuple[str, ...]
    rules: Mapping[str, Any]
    varied: str | None


def read_axes(
    game: Game, texts: Sequence[str], table: Sequence[str]
) -> tuple[tuple[Axis, ...], Varied | None]:
    """What is varied, from texts as on the command line.

    Parameters
    ----------
    texts
        One or two.
    table
        Specs that were given for the others, if any: a part of a strategy that stands alone is put
        into one of these, or into the game's own.

    Raises
    ------
    UsageError
        If a text cannot be understood, or two vary the same.
    """
    if not 1 <= len(texts) <= MOST_AXES:
        raise UsageError(f"one or two things are varied at once; given {len(texts)}.")
    axes: list[Axis] = []
    holes: list[tuple[int, int] | None] = []
    parts: list[Part] = []
    for text in texts:
        name, equals, values = text.partition("=")
        name = name.strip()
        if ":" in name or "/" in name or (not equals and ":" in text):
            parts, hole, axis = _of_strategy(game, text, parts, holes, table)
        else:
            if not equals:
                raise UsageError(
                    f"{shown(text)} does not say what is varied: give KEY=LOW..HIGH, KEY=A,B,C, or "
                    "a parameter of a strategy as SPEC:key=LOW..HIGH."
                )
            hole, axis = None, _of_rules(game, name, values.strip())
        if axis.name in {other.name for other in axes}:
            raise UsageError(f"{axis.name} is varied twice; give it once.")
        axes.append(axis)
        holes.append(hole)
    varied = Varied(tuple(parts), tuple(holes)) if parts else None
    return tuple(axes), varied


def _of_rules(game: Game, key: str, text: str) -> Axis:
    """A setting, or the number of players."""
    if key == PLAYERS:
        low, high = game.min_players, game.max_players
        who = f"{game.name} is for {low} to {high} players"
        found = _texts(key, text, whole=True)
        for value in found:
            if not re.fullmatch(r"[+-]?\d{1,9}", value) or not low <= int(value) <= high:
                raise UsageError(f"{who}; given players = {value}.")
        return _axis(PLAYERS, [int(value) for value in found], PLAYERS, low, high)
    setting = next((s for s in game.settings if s.key == key), None)
    if setting is None:
        known = [PLAYERS, *(s.key for s in game.settings)]
        hint = "A parameter of a strategy is SPEC:key=LOW..HIGH, such as {}.".format(
            _example(game) or "mine:value=0..1"
        )
        raise UnknownName(f"setting of {game.name}", key, known, hint)
    whole = setting.kind == "int"
    values = [read_value(game, key, one, "--vary") for one in _texts(key, text, whole=whole)]
    limits = (setting.low, setting.high) if whole else (None, None)
    return _axis(key, values, "rule", *limits)


def _example(game: Game) -> str:
    """A parameter of one of the game's strategies."""
    for strategy in strategies(game.name).values():
        for parameter in strategy.parameters:
            if parameter.kind != "bool":
                low, high = parameter.low, parameter.high
                return f"{strategy.name}:{parameter.name}={low:g}..{high:g}"
    return ""


def _of_strategy(
    game: Game,
    text: str,
    before: list[Part],
    taken: Sequence[tuple[int, int] | None],
    table: Sequence[str],
) -> tuple[list[Part], tuple[int, int], Axis]:
    """A parameter of a strategy; ``before`` is the strategy that another axis varies."""
    texts = split(text) if game.families else [text]
    cut = [_without_hole(one) for one in texts]
    holes = [number for number, (_, values) in enumerate(cut) if values[1]]
    if len(holes) != 1:
        raise UsageError(
            f"{shown(text)} varies {len(holes) or 'no'} parameters; give one as key=LOW..HIGH or "
            "key=A,B,C, and a second one with another --vary."
        )
    number = holes[0]
    key, values = cut[number][1]
    spec = "/".join(fixed for fixed, _ in cut)
    parts, offset = _placed(game, spec, before, taken, table, alone=len(texts) == 1)
    number += offset
    parameter, place = _parameter(parts[number], key)
    who = f"strategy {parts[number].prefix!r}"
    name = f"{parts[number].prefix}:{parameter.name}"
    found: list[Any] = []
    for one in _texts(name, values, whole=parameter.kind == "int"):
        found.append(parse_value(who, parameter, one))
    limits = (None, None) if parameter.kind == "bool" else (parameter.low, parameter.high)
    return parts, (number, place), _axis(name, found, "parameter", *limits)


def _placed(
    game: Game,
    spec: str,
    before: list[Part],
    taken: Sequence[tuple[int, int] | None],
    table: Sequence[str],
    *,
    alone: bool,
) -> tuple[list[Part], int]:
    """The whole strategy, and the number of the part that the text begins with."""
    family = _family(game, spec) if alone and game.families else None
    if family is None:
        parts = parts_of(game, spec)
        names = _named(parts)
        if before and _named(before) != names:
            _refuse_two(before, names)
        if before:
            return [_overlaid(one, other) for one, other in zip(before, parts, strict=True)], 0
        fitting = [own for own in (parts_of(game, one) for one in table) if _named(own) == names]
        return (fitting[0] if fitting and ":" not in spec else parts), 0
    offset = game.families.index(family)
    name = spec.partition(":")[0]
    if before:
        base = before
        if len(base) != len(game.families) or (
            base[offset].prefix != name and offset in {hole[0] for hole in taken if hole}
        ):
            _refuse_two(before, [name])
    else:
        known = [parts_of(game, one) for one in (table or [game.default_strategy])]
        whole = [parts for parts in known if len(parts) == len(game.families)]
        if not whole:
            raise UsageError(
                f"{name!r} is a {family} policy, one part of a strategy of {game.name}: give all "
                f"parts, joined by slashes in this order: {', '.join(game.families)}."
            )
        base = next((parts for parts in whole if parts[offset].prefix == name), whole[0])
    own = parts_of(game, "/".join([*(p.spelling for p in base[:offset]), spec,
                                   *(p.spelling for p in base[offset + 1 :])]))  # fmt: skip
    same = base[offset].prefix == name
    part = _overlaid(base[offset], own[offset]) if same else own[offset]
    return [*base[:offset], part, *base[offset + 1 :]], offset


def _named(parts: Sequence[Part]) -> list[str]:
    return [part.prefix for part in parts]


def _overlaid(one: Part, other: Part) -> Part:
    """A part with the values that another spec of it sets."""
    declared = one.strategy.parameters
    values = zip(one.values, other.values, (p.default for p in declared), strict=True)
    return replace(one, values=tuple(mine if new == usual else new for mine, new, usual in values))


def _refuse_two(before: Sequence[Part], names: Sequence[str]) -> None:
    raise UsageError(
        "parameters of one strategy are varied at once; given are those of "
        f"{'/'.join(_named(before))} and of {'/'.join(names)}."
    )


def _family(game: Game, spec: str) -> str | None:
    """Which part of strategies a name that stands alone is; None for a whole strategy."""
    if FILE_SPEC.match(spec):
        return None
    name = spec.partition(":")[0]
    known = strategies(game.name)
    if strategy_key("", name) in known:
        return None
    families = [family for family in game.families if strategy_key(family, name) in known]
    if len(families) > 1:
        raise UsageError(
            f"{name!r} is a {' and a '.join(families)} policy of {game.name}: give all parts, "
            f"joined by slashes in this order: {', '.join(game.families)}."
        )
    return families[0] if families else None


def _without_hole(text: str) -> tuple[str, tuple[str, str]]:
    """A part without the parameter that is varied, and that one's name and values.

    The name is empty if only values are given, which are the first parameter's; both are empty if
    nothing is varied.
    """
    start = text.find("::") + 2 if FILE_SPEC.match(text) and "::" in text else 0
    prefix, colon, given = text[start:].partition(":")
    prefix = text[:start] + prefix
    items: list[tuple[str, list[str]]] = []
    for item in given.split(",") if colon else ():
        key, equals, value = item.partition("=")
        if equals or not items:
            items.append((key.strip(), [value]) if equals else ("", [item]))
        else:
            items[-1][1].append(item)
    varied = [
        (key, ",".join(values))
        for key, values in items
        if len(values) > 1 or RANGE.fullmatch(values[0].strip())
    ]
    fixed = [
        f"{key}={values[0]}" if key else values[0]
        for key, values in items
        if (key, ",".join(values)) not in varied
    ]
    spec = f"{prefix}:{','.join(fixed)}" if fixed else prefix
    if len(varied) > 1:
        raise UsageError(f"{shown(text)} varies {len(varied)} parameters; give one in each --vary.")
    return spec, varied[0] if varied else ("", "")


def _parameter(part: Part, key: str) -> tuple[Parameter, int]:
    """A declared parameter by its name, or the first one, and its place."""
    declared = part.strategy.parameters
    if not declared:
        raise UsageError(f"strategy {part.prefix!r} takes no parameters, so none can be varied.")
    names = [parameter.name for parameter in declared]
    if key and key not in names:
        raise UnknownName(f"parameter of strategy {part.prefix!r}", key, names)
    place = names.index(key) if key else 0
    return declared[place], place


def _texts(name: str, text: str, *, whole: bool) -> list[str]:
    """The values of a range or of a list, each as text."""
    found = RANGE.fullmatch(text)
    if found is None:
        return [one.strip() for one in _listed(text)]
    low, high, step_text = found.groups()
    try:
        ends = Decimal(low), Decimal(high)
        if step_text is not None:
            step = Decimal(step_text)
        else:
            step = Decimal(1) if whole else (ends[1] - ends[0]) / USUAL_STEPS
    except InvalidOperation:
        raise UsageError(
            f"{name}={shown(text)}: the step {shown(step_text)} is no number."
        ) from None
    if not ends[0] < ends[1]:
        raise UsageError(f"{name}={text}: the lower end of a range comes first.")
    if not step > 0:
        raise UsageError(f"{name}={text}: a step is more than 0.")
    many = int((ends[1] - ends[0]) / step) + 1
    if many > MOST_POINTS:
        least = (ends[1] - ends[0]) / (MOST_POINTS // 10)
        wider = f"{-(-least // 1) if whole else least:g}"
        raise UsageError(
            f"{name}={text} has {many:,} values, and at most {MOST_POINTS} points are played; give "
            f"a wider step, such as {low}..{high}:{wider}."
        )
    return [f"{(ends[0] + k * step).normalize():f}" for k in range(many)]


def read_rule(game: Game, text: str) -> Axis:
    """A setting and its values, from ``KEY=LOW..HIGH``, ``KEY=LOW..HIGH:STEP`` or ``KEY=A,B,C``.

    Raises
    ------
    UsageError
        If it cannot be understood, or is no setting.
    """
    name, equals, values = text.partition("=")
    name = name.strip()
    if not equals or name == PLAYERS:
        raise UsageError(
            f"{shown(text)} does not say what is searched: give KEY=LOW..HIGH or KEY=A,B,C, where "
            f"KEY is a setting; 'analyzer rules {game.name}' lists them."
        )
    return _of_rules(game, name, values.strip())


def read_range(name: str, text: str) -> tuple[float, float]:
    """The ends of ``LOW..HIGH``.

    Raises
    ------
    UsageError
        If it is something else.
    """
    found = RANGE.fullmatch(text)
    if found is None or found[3] is not None:
        raise UsageError(f"{name} is searched from LOW..HIGH; given {shown(text)}.")
    return float(found[1]), float(found[2])


def _listed(text: str) -> Iterator[str]:
    """Texts between commas, those within brackets and quotes apart."""
    depth, quoted, start = 0, "", 0
    for place, letter in enumerate(text):
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "\"'":
            quoted = letter
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _axis(name: str, values: list[Any], kind: str, low: Any, high: Any) -> Axis:
    numeric = all(type(value) in (int, float) for value in values)
    for number, value in enumerate(values):
        if value in values[:number]:
            raise UsageError(f"{name} is given the value {shown(value)} twice.")
    if len(values) < 2:
        raise UsageError(
            f"{name} is given one value; a range is LOW..HIGH or LOW..HIGH:STEP, a list A,B,C."
        )
    return Axis(name, tuple(sorted(values) if numeric else values), kind, numeric, low, high)


def setups(
    game: Game,
    axes: Sequence[Axis],
    varied: Varied | None,
    *,
    strategies: Sequence[str],
    players: int | None,
    rules: Mapping[str, Any],
) -> list[Setup]:
    """Every point, checked; the last axis moves first.

    Parameters
    ----------
    strategies
        As given: none, one for all seats, or several. With a varied strategy the others at the
        table, or a table in which it sits.
    players
        As given, or None.
    rules
        The settings given, and no others: what follows from a varied one shall follow it.

    Raises
    ------
    UsageError
        If there are too many points, or one is impossible, which it names.
    """
    many = 1
    for axis in axes:
        many *= len(axis.values)
    if many > MOST_POINTS:
        raise UsageError(
            f"that makes {many:,} points, and at most {MOST_POINTS} are played; give wider steps, "
            "as KEY=LOW..HIGH:STEP, or fewer values."
        )
    keys = {axis.name for axis in axes if axis.kind == "rule"}
    for key in rules:
        if key in keys:
            raise UsageError(f"{key} is varied, and the rules given set it too; leave one out.")
    if players is not None and any(axis.kind == PLAYERS for axis in axes):
        raise UsageError("the number of players is varied and given too; leave one out.")
    if any(axis.kind == PLAYERS for axis in axes) and len(strategies) > 1:
        raise UsageError(
            "where the number of players is varied, one strategy is given for all seats; "
            f"given {len(strategies)}."
        )
    found = []
    for values in itertools.product(*(axis.values for axis in axes)):
        at = dict(zip((axis.name for axis in axes), values, strict=True))
        seats = at.get(PLAYERS, players)
        spec = None if varied is None else varied.at(values)
        table = (
            one_a_seat(game, strategies, seats)
            if varied is None
            else _with(game, varied, str(spec), strategies, seats)
        )
        try:
            settled = settle(game, len(table), {**rules, **{k: at[k] for k in at if k in keys}})
        except (PluginError, UnknownName):
            raise
        except UsageError as reason:
            label = " and ".join(axis.said(v) for axis, v in zip(axes, values, strict=True))
            raise RulesError(f"{label} cannot be played: {reason}") from None
        found.append(Setup(values, table, settled, spec))
    return found


def _with(
    game: Game, varied: Varied, spec: str, others: Sequence[str], players: int | None
) -> tuple[str, ...]:
    """The table: the varied strategy at one seat, the others as given."""
    if len(others) > 1:
        own = [seat for seat, other in enumerate(others) if varied.named(other, game)]
        if own and players in (None, len(others)):
            return (*others[: own[0]], spec, *others[own[0] + 1 :])
        if players not in (None, len(others) + 1):
            raise UsageError(
                f"{len(others)} strategies are given for {players} players, and the one that is "
                f"varied besides; give one for all others, or {players - 1}."
            )
        return (spec, *others)
    seats = one_a_seat(game, others, players)
    return (spec, *seats[1:])
