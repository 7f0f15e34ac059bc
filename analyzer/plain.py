"""Plain data as JSON has it, read strictly: each value of the type that was written."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

MOST_LEVELS = 50
"""Lists and tables within each other that a document of ours never comes near to."""
MOST_DIGITS = 40


def parse(content: bytes) -> Any:
    """Data from JSON as the standard has it: without infinities and what is not a number.

    Whatever walks through the data, calling itself for what is in them, comes to an end.

    Raises
    ------
    ValueError
        If it is no such JSON, has a whole number of more than `MOST_DIGITS`, or is nested more than
        `MOST_LEVELS` deep.
    """
    deep = ValueError(f"lists and tables are nested more than {MOST_LEVELS} deep")
    try:
        data = json.loads(content, parse_constant=_no_number, parse_float=_number, parse_int=_whole)
    except RecursionError:
        raise deep from None
    level = [data] if isinstance(data, (dict, list)) else []
    for _ in range(MOST_LEVELS + 1):
        within = [one.values() if isinstance(one, dict) else one for one in level]
        level = [x for values in within for x in values if isinstance(x, (dict, list))]
        if not level:
            return data
    raise deep


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _number(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def _whole(text: str) -> int:
    """A whole number that fits into a float; a thousand digits would not."""
    if len(text) > MOST_DIGITS:
        raise ValueError(f"{text[:20]}... has {len(text)} digits, more than any number of ours")
    return int(text)


def item(data: Any, key: str, *kinds: type[T]) -> T:
    """The value of a key in a table, exactly of one of some types: True is no int, 1 no float.

    Raises
    ------
    KeyError
        If the table lacks the key.
    TypeError
        If the data are no table, or the value is of another type.
    """
    return typed(_value(data, key), repr(key), *kinds)


def items(data: Any, key: str, kind: type[T]) -> tuple[T, ...]:
    """The values in the list of a key, each exactly of a type; raises as `item`."""
    return tuple(typed(value, f"an entry of {key!r}", kind) for value in item(data, key, list))


def choice(data: Any, key: str, options: Sequence[T]) -> T:
    """The value of a key, which must be one of the options; raises as `item`, or `ValueError`."""
    value = _value(data, key)
    for option in options:
        if value == option:
            return option
    raise ValueError(f"{key!r} is {value!r}, none of {', '.join(map(repr, options))}")


def _value(data: Any, key: str) -> Any:
    if not isinstance(data, Mapping):
        raise TypeError(f"{data!r} is no table with {key!r} in it")
    return data[key]


def typed(value: Any, what: str, *kinds: type[T]) -> T:
    """A value exactly of one of some types; else `TypeError`, which says what it is."""
    for kind in kinds:
        if type(value) is kind:
            return value
    names = " or ".join(kind.__name__ for kind in kinds)
    raise TypeError(f"{what} is {value!r}, not of type {names}")
