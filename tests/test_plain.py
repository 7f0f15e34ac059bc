"""Plain data that is not what was written, and says so."""

from __future__ import annotations

import pytest

from analyzer.plain import choice, item, items, parse


def test_what_is_read_is_what_was_written() -> None:
    data = parse(b'{"a": 1, "b": [1.5], "c": null, "d": true, "e": "x"}')
    assert item(data, "a", int) == 1
    assert items(data, "b", float) == (1.5,)
    assert item(data, "c", int, type(None)) is None
    assert item(data, "d", bool) is True
    assert choice(data, "e", ("x", "y")) == "x"


@pytest.mark.parametrize("text", [b"NaN", b"-Infinity", b"1e999", b"[-1e999]", b"{", b"\xff"])
def test_what_is_no_json(text: bytes) -> None:
    with pytest.raises(ValueError):
        parse(text)


@pytest.mark.parametrize("text", [b"1" * 41, b"-" + b"1" * 40, b"[" + b"9" * 5000 + b"]"])
def test_numbers_without_end(text: bytes) -> None:
    """They fit into no float, and are slow to read and write."""
    with pytest.raises(ValueError, match="more than any number of ours"):
        parse(text)
    assert parse(b"9" * 40) == 10**40 - 1


def test_what_is_nested_without_end() -> None:
    assert parse(b"[" * 51 + b"]" * 51)
    assert parse(b'{"a":' * 51 + b"1" + b"}" * 51)
    for text in (b"[" * 52 + b"]" * 52, b'{"a":' * 52 + b"1" + b"}" * 52, b"[" * 10**6):
        with pytest.raises(ValueError, match="nested more than 50 deep"):
            parse(text)


def test_no_number_stands_for_another() -> None:
    for value, kind in ((True, int), (1, float), (1.0, int), (1, bool), (None, str), ("1", int)):
        with pytest.raises(TypeError, match=f"'a' is {value!r}, not of type {kind.__name__}"):
            item({"a": value}, "a", kind)
        with pytest.raises(TypeError, match="an entry of 'a'"):
            items({"a": [value]}, "a", kind)


def test_what_is_no_table_no_list_and_no_choice() -> None:
    with pytest.raises(TypeError, match="no table with 'a'"):
        item([1], "a", int)
    with pytest.raises(KeyError, match="a"):
        item({}, "a", int)
    with pytest.raises(TypeError, match="not of type list"):
        items({"a": "bc"}, "a", str)
    with pytest.raises(ValueError, match="'a' is 'z', none of 'x', 'y'"):
        choice({"a": "z"}, "a", ("x", "y"))
    with pytest.raises(TypeError, match="not of type int or float"):
        item({"a": "z"}, "a", int, float)
