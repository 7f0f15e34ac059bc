"""Prepared calls, and programs of them: the same as calling one after the other from Python."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from analyzer.kernels.calls import Call, Program, Stop, prepared
from analyzer.kernels.compilation import JIT_DISABLED, kernel, row_kernel


class Board(NamedTuple):
    marks: Any
    hidden: Any
    size: int


@kernel
def add(out: Any, number: int) -> None:
    for g in range(out.size):
        out[g] += number


@kernel
def everything(
    board: Board,
    rows: tuple[Any, ...],
    flag: bool,
    byte: np.uint8,
    share: float,
    nothing: None,
    empty: tuple[()],
    far: int,
    table: Any,
    out: Any,
) -> None:
    out[0] = board.marks[1]
    out[1] = board.size
    out[2] = rows[0][0] + 10 * rows[1][2]
    out[3] = 7 if flag else 8
    out[4] = byte
    out[5] = share * 1000
    out[6] = -1 if nothing is None and board.hidden is None and len(empty) == 0 else 1
    out[7] = far
    out[8] = table[1, 2] + 100 * table.shape[0] + 1000 * table.strides[0]


@kernel
def count(seen: Any, limit: int) -> int:
    seen[0] += 1
    return seen[0] // limit


@kernel
def below(value: Any) -> int:
    return np.int64(0) - np.int64(value[0])


@row_kernel
def is_full(value: Any, limit: int) -> bool:
    return bool(value[0] >= limit)


@kernel
def fails(seen: Any) -> None:
    seen[0] += 1
    if seen[0] > 1:
        raise ValueError("more than one")


@kernel
def sometimes(seen: Any) -> int | None:
    seen[0] += 1
    return 5 if seen[0] > 1 else None


def numbers(size: int = 3, dtype: Any = np.int64) -> Any:
    return np.zeros(size, dtype)


def test_a_prepared_call_is_the_call() -> None:
    out = numbers()
    call = prepared(add, out, 2)
    call()
    call()
    assert out.tolist() == [4, 4, 4]


def test_plain_functions_can_be_prepared_too() -> None:
    seen: list[int] = []
    prepared(seen.append, 3)()
    assert seen == [3]
    assert prepared(seen.append, 3).steps == ()


@pytest.mark.skipif(JIT_DISABLED, reason="there is no machine code to hand anything to")
def test_arguments_of_all_types_are_handed_over() -> None:
    marks = np.array([3, 250, 5], np.uint8)
    marks.flags.writeable = False
    table = np.arange(12, dtype=np.float64).reshape(4, 3)[1:]
    arguments = (
        Board(marks, None, 77),
        (np.array([1, 2], np.uint64), np.array([3, 4, 5], np.uint64)),
        True,
        np.uint8(200),
        0.25,
        None,
        (),
        -(2**40),
        table,
    )
    expected, out = numbers(9), numbers(9)
    everything(*arguments, expected)
    call = prepared(everything, *arguments, out)
    assert len(call.steps) == 1
    assert Program([call])() is None
    assert out.tolist() == expected.tolist()
    assert out.tolist() == [250, 77, 51, 7, 200, 250, -1, -(2**40), 8 + 300 + 24000]


@pytest.mark.skipif(JIT_DISABLED, reason="there is no machine code to hand anything to")
def test_what_cannot_be_handed_over_goes_through_python() -> None:
    out = numbers(1, np.float32)
    call = prepared(add, out, np.float32(0.5))
    assert call.steps == ()
    Program([call, call])()
    assert out[0] == 1.0


@pytest.mark.skipif(JIT_DISABLED, reason="there is no machine code to hand anything to")
@pytest.mark.parametrize("heeded", [True, False])
def test_what_returns_anything_else_goes_through_python(heeded: bool) -> None:
    seen = numbers(1)
    call = prepared(sometimes, seen, heeded=heeded)
    assert call.steps == ()
    assert Program([call])() is None
    assert Program([call])() == (Stop(0, 5) if heeded else None)


@pytest.mark.skipif(JIT_DISABLED, reason="there is no machine code to hand anything to")
def test_another_way_of_passing_arguments_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.kernels.calls._layout", lambda kind: "8p")

    @kernel
    def double(out: Any) -> None:
        out[0] *= 2

    out = np.array([4])
    call = prepared(double, out)
    assert call.steps == ()
    Program([call])()
    assert out[0] == 8


def test_calls_are_made_in_order_until_one_stops() -> None:
    out, seen = numbers(1), numbers(1)
    program = Program([prepared(add, out, 1), prepared(count, seen, 2), prepared(add, out, 10)])
    assert program() is None
    assert program() == Stop(1, 1)
    assert (out[0], seen[0]) == (12, 2)


def test_what_a_call_returns_is_not_always_heeded() -> None:
    seen = numbers(1)
    calls = [prepared(count, seen, 1, heeded=False), prepared(count, seen, 1)]
    assert Program(calls)() == Stop(1, 2)


def test_negative_numbers_and_truths_stop() -> None:
    value = np.array([3], np.uint8)
    assert Program([prepared(below, value)])() == Stop(0, -3)
    assert Program([prepared(is_full, value, 4)])() is None
    assert Program([prepared(is_full, value, 3)])() == Stop(0, 1)


def test_a_program_can_begin_again() -> None:
    out, seen = numbers(1), numbers(1)
    calls = [prepared(add, out, 1), prepared(count, seen, 1000)]
    assert Program(calls, again=True)() == Stop(1, 1)
    assert (out[0], seen[0]) == (1000, 1000)


@pytest.mark.parametrize("plain", [False, True])
def test_what_is_to_be_done_otherwise_is_done_and_the_program_goes_on(plain: bool) -> None:
    out, seen, told = numbers(1), numbers(1), numbers(1)

    def otherwise() -> None:
        told[0] += 1
        seen[0] = 0

    counted = prepared(count, seen, 3, otherwise=otherwise)
    if plain:
        counted.steps = ()
    calls = [counted, prepared(add, out, 1), prepared(count, out, 10)]
    assert Program(calls, again=True)() == Stop(2, 1)
    assert (out[0], told[0], seen[0]) == (10, 1, 2)

    last = Program([prepared(add, out, 1), prepared(count, seen, 1, otherwise=otherwise)])
    assert last() is None
    assert (out[0], told[0]) == (11, 2)


def test_plain_functions_may_stand_among_prepared_calls() -> None:
    out, seen = numbers(1), numbers(1)
    told: list[int] = []

    def tell() -> int:
        told.append(int(out[0]))
        return 5 if len(told) == 3 else 0

    calls = [prepared(add, out, 1), tell, prepared(add, out, 1), prepared(count, seen, 1000)]
    assert Program(calls, again=True)() == Stop(1, 5)
    assert told == [1, 3, 5]


def test_contents_of_arrays_may_change_between_calls() -> None:
    out = numbers()
    program = Program([prepared(add, out, 1)])
    program()
    out[:] = 40
    program()
    assert out.tolist() == [41, 41, 41]


def test_what_a_kernel_raises_is_raised() -> None:
    seen, out = numbers(1), numbers(1)
    program = Program([prepared(fails, seen), prepared(add, out, 1)])
    program()
    with pytest.raises(ValueError, match="more than one"):
        program()
    assert out[0] == 1


@pytest.mark.skipif(JIT_DISABLED, reason="steps are machine code")
def test_a_call_that_fails_is_made_again_where_python_sees_why() -> None:
    seen = numbers(1)
    asked: list[str] = []

    def explain() -> None:
        asked.append("explained")
        raise LookupError("explained")

    call = Call(explain)
    call.steps = prepared(fails, seen).steps
    assert Program([call])() is None
    with pytest.raises(LookupError, match="explained"):
        Program([call])()
    assert asked == ["explained"]

    call = Call(lambda: None)
    call.steps = prepared(fails, seen).steps
    with pytest.raises(RuntimeError, match="only once"):
        Program([call])()


def test_a_program_among_calls_is_its_calls() -> None:
    out, seen = numbers(1), numbers(1)
    inner = Program([prepared(add, out, 1), prepared(count, seen, 2)])
    outer = Program([prepared(add, out, 10), inner, prepared(add, out, 100)])
    assert outer() is None and out[0] == 111
    assert outer() == Stop(2, 1) and out[0] == 122


def test_an_empty_program_does_nothing() -> None:
    assert Program([])() is None
    with pytest.raises(ValueError, match="without calls"):
        Program([], again=True)


def test_a_program_keeps_what_its_calls_are_about() -> None:
    out = numbers(1_000_000)
    program = Program([prepared(add, out[:999_999], 7)])
    program()
    assert out[0] == 7 and out[-1] == 0
    del out
    assert [numbers(1_000_000).sum() for _ in range(3)] == [0, 0, 0]
    program()
