"""Calls of kernels made thousands of times a second, and programs of them that do without Python.

A call from Python costs a kernel half a microsecond, and several where the rows of a batch have
just pushed Python's own memory out of the cache: a quarter of a run. The arguments of these calls
never change, only what is in the arrays. So they are laid out once, as a kernel's machine code
takes them, and a call stub, a few instructions put together with llvmlite, passes them on.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import count, groupby
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.np.numpy_support import as_dtype
from numpy.typing import NDArray

from analyzer.kernels.compilation import getting_ready, is_compiled

__all__ = ["Call", "Program", "Stop", "prepared"]

# Numba's stubs know too little of these.
_type_of: Any = typeof
_Tuple: Any = types.BaseTuple
_Integer: Any = types.Integer
WORD = ir.IntType(64)
VARIABLE = None
"""In a list of words: one that each call has its own value for, which the call stub loads."""
RAISED = -(2**63)
"""What a call stub returns for a kernel that raised an exception."""
RUN_TEXT = """
define i64 @run(ptr %steps, i64 %first, i64 %length, i1 %again, ptr %result) {
start:
  br label %call
call:
  %i = phi i64 [ %first, %start ], [ %next, %go_on ]
  %step = getelementptr { ptr, ptr }, ptr %steps, i64 %i
  %stub = load ptr, ptr %step
  %second = getelementptr ptr, ptr %step, i64 1
  %arguments = load ptr, ptr %second
  %value = call i64 %stub(ptr %arguments)
  %goes_on = icmp eq i64 %value, 0
  br i1 %goes_on, label %go_on, label %stop
go_on:
  %after = add i64 %i, 1
  %was_last = icmp eq i64 %after, %length
  %ends = xor i1 %again, true
  %is_over = and i1 %was_last, %ends
  %next = select i1 %was_last, i64 0, i64 %after
  br i1 %is_over, label %stop, label %call
stop:
  store i64 %value, ptr %result
  ret i64 %i
}
"""
"""Call one stub after the other until one returns anything but 0; returns the last one's number."""


class _Step(NamedTuple):
    """A kernel's call in machine code: the address of its call stub, and the numbers this loads.

    Among the numbers are addresses of the arguments' memory, so the arguments stay with it.
    """

    stub: int
    numbers: NDArray[np.uint64]
    arguments: tuple[Any, ...]


class Call(partial[Any]):
    """A call that is made again and again, as `prepared` makes it.

    Attributes
    ----------
    steps
        What does the same without Python, the last of them with the same result; empty if nothing
        can.
    heeded
        Whether what it returns may stop a `Program`.
    otherwise
        What a `Program` does if it returns anything but 0, to go on then; None to stop.
    """

    steps: tuple[_Step, ...] = ()
    heeded = True
    otherwise: Callable[[], object] | None = None


class _Code(NamedTuple):
    """Machine code of a kernel for arguments of some types; address of its call stub, or 0."""

    entry: Callable[..., Any]
    kinds: tuple[Any, ...]
    address: int
    stub: int


_codes: WeakKeyDictionary[Any, dict[Any, _Code]] = WeakKeyDictionary()
_stubs: dict[str, int] = {}
_lock = Lock()


def prepared(
    function: Callable[..., Any],
    *arguments: Any,
    heeded: bool = True,
    otherwise: Callable[[], object] | None = None,
) -> Call:
    """A call of a kernel with these arguments, for those made thousands of times a second.

    What code fits the arguments' types is looked up here, once. Arrays may have other contents by
    the time of the call. Functions that are not compiled are welcome, and called as always.

    Parameters
    ----------
    function
        Kernel.
    arguments
        For the kernel. Arrays, whole numbers, truths, float64, None, and tuples of these can be
        handed over without Python; with others, or a kernel that returns anything but None, whole
        numbers or truths, the call goes through Python in a `Program`, too.
    heeded, otherwise
        See `Call`.

    Raises
    ------
    numba.core.errors.NumbaError
        If the kernel does not compile for these arguments.
    """
    with getting_ready():
        code = _code_for(function, arguments, heeded) if is_compiled(function) else None
    call = Call(code.entry if code else function, *arguments)
    call.heeded, call.otherwise = heeded, otherwise
    if code and code.stub:
        numbers = [code.address]
        for kind, argument in zip(code.kinds, arguments, strict=True):
            numbers += _numbers(kind, argument)
        call.steps = (_Step(code.stub, np.array(numbers, np.uint64), arguments),)
    return call


def _code_for(function: Any, arguments: tuple[Any, ...], heeded: bool) -> _Code:
    key = (heeded, *(_key(argument) for argument in arguments))
    with _lock:
        codes = _codes.setdefault(function, {})
        if key not in codes:
            kinds = tuple(_type_of(argument) for argument in arguments)
            entry = function.compile(kinds)
            compiled = function.overloads[kinds]
            address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
            stub = _call_stub(compiled, heeded) if address and _are_numbers(kinds) else 0
            codes[key] = _Code(entry, kinds, address, stub)
        return codes[key]


def _key(argument: Any) -> Any:
    """What its type depends on, found faster than Numba finds the type."""
    if type(argument) is np.ndarray:
        flags = argument.flags
        layout = flags.c_contiguous, flags.f_contiguous, flags.aligned, flags.writeable
        return argument.dtype, argument.ndim, layout
    if type(argument) is int:
        return int, argument.bit_length() < WORD.width
    if isinstance(argument, tuple):
        return type(argument), *(_key(part) for part in argument)
    return _type_of(argument)


def _are_numbers(kinds: Iterable[Any]) -> bool:
    """Whether `_numbers` knows what to do with arguments of these types."""
    return all(
        _are_numbers(kind)
        if isinstance(kind, _Tuple)
        else isinstance(kind, types.Array | types.Integer | types.Boolean | types.NoneType)
        or kind == types.float64
        for kind in kinds
    )


def _numbers(kind: Any, argument: Any) -> list[int]:
    """What call stubs load of an argument: a number of 64 bits for each word that is `VARIABLE`."""
    if isinstance(kind, _Tuple):
        parts = zip(kind, argument, strict=True)
        return [number for one, part in parts for number in _numbers(one, part)]
    if isinstance(kind, types.Array):
        data = argument.__array_interface__["data"][0]
        strides = argument.strides[: -1 if kind.layout == "C" else None]
        numbers = [argument.size, data, *argument.shape, *strides]
    elif isinstance(kind, types.NoneType):
        numbers = []
    elif isinstance(kind, types.Float):
        numbers = list(struct.unpack("q", struct.pack("d", argument)))
    else:
        numbers = [int(argument)]
    return [number % 2**WORD.width for number in numbers]


def _words(kind: Any) -> list[int | None]:
    """The words that machine code takes for an argument of a type: constants, or `VARIABLE`.

    Kernels of many arrays take hundreds of words, and a constant in the call stub costs a quarter
    of the instructions of one that is loaded.
    """
    if isinstance(kind, _Tuple):
        return [word for one in kind for word in _words(one)]
    if isinstance(kind, types.Array):
        itemsize = as_dtype(kind.dtype).itemsize
        last_stride = itemsize if kind.layout == "C" else VARIABLE
        # The first two say who owns the memory: nobody that a kernel needs to know of.
        return [0, 0, VARIABLE, itemsize, VARIABLE, *[VARIABLE] * (2 * kind.ndim - 1), last_stride]
    return [0] if isinstance(kind, types.NoneType) else [VARIABLE]


def _call_stub(compiled: Any, heeded: bool) -> int:
    """Address of a call stub for a kernel, or 0 where there can be none.

    A call stub is given the address of numbers: that of the kernel, then what `_numbers` makes of
    the arguments. It returns the kernel's result if that is a whole number and to be heeded,
    otherwise 0; or `RAISED`. Kernels with arguments and results of the same types share one.
    """
    returns = compiled.signature.return_type
    convention = compiled.target_context.call_conv
    kind = convention.get_function_type(returns, compiled.signature.args)
    layout = ["p", "p", *(letter for one in compiled.signature.args for letter in _layout(one))]
    if layout != [_letter(one) for one in kind.args]:
        return 0  # another version of Numba passes arguments in another way
    widen = ""
    if isinstance(returns, types.Integer | types.Boolean):
        if heeded:
            widen = "sext" if getattr(returns, "signed", False) else "zext"
    elif not isinstance(returns, types.NoneType):
        return 0
    words = [word for one in compiled.signature.args for word in _words(one)]
    key = f"{kind} {words} {widen}"
    if key not in _stubs:
        name = f"stub_{len(_stubs)}"
        _stubs[key] = _assembled(_stub_text(name, kind, words, widen), name)
    return _stubs[key]


def _layout(kind: Any) -> str:
    """What an argument consists of in machine code: pointers, numbers of n bytes, a float."""
    if isinstance(kind, _Tuple):
        return "".join(_layout(one) for one in kind)
    if isinstance(kind, types.Array):
        return "pp88p" + 2 * kind.ndim * "8"
    if isinstance(kind, _Integer):
        return str(kind.bitwidth // 8)
    return "1" if isinstance(kind, types.Boolean) else "f" if kind == types.float64 else "p"


def _letter(kind: Any) -> str:
    if isinstance(kind, ir.IntType):
        return str(-(-kind.width // 8))
    return "p" if isinstance(kind, ir.PointerType) else "f"


def _stub_text(name: str, kind: Any, words: list[int | None], widen: str) -> str:
    module = ir.Module(name)
    function = ir.Function(module, ir.FunctionType(WORD, [WORD.as_pointer()]), name)
    build = ir.IRBuilder(function.append_basic_block())

    places = count()

    def taken(wanted: Any, word: int | None = VARIABLE) -> Any:
        if word is not VARIABLE:
            return wanted(word if isinstance(wanted, ir.IntType) else None)
        number = build.load(build.gep(function.args[0], [WORD(next(places))]))
        if isinstance(wanted, ir.PointerType):
            return build.inttoptr(number, wanted)
        if isinstance(wanted, ir.IntType):
            return build.trunc(number, wanted) if wanted.width < WORD.width else number
        return build.bitcast(number, wanted)

    # Numba's convention: room for the result and for an exception, then the arguments.
    result, error = (build.alloca(pointer.pointee) for pointer in kind.args[:2])
    entry = taken(kind.as_pointer())
    arguments = [taken(wanted, word) for wanted, word in zip(kind.args[2:], words, strict=True)]
    status = build.call(entry, [result, error, *arguments])
    value = WORD(0)
    if widen:
        value = build.load(result)
        if value.type.width < WORD.width:
            value = getattr(build, widen)(value, WORD)
    went_well = build.icmp_signed("==", status, status.type(0))
    build.ret(build.select(went_well, value, WORD(RAISED)))
    return str(module)


@cache
def _engine() -> Any:
    # Made quickly rather than well: this code only moves arguments.
    machine = llvm.Target.from_default_triple().create_target_machine(opt=0)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def _assembled(text: str, name: str) -> int:
    """Address of a function in a module in LLVM's assembly language."""
    engine = _engine()
    engine.add_module(llvm.parse_assembly(text))
    engine.finalize_object()
    address: int = engine.get_function_address(name)
    return address


@cache
def _runner() -> Any:
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    kind = ctypes.CFUNCTYPE(number, pointer, number, number, ctypes.c_bool, pointer)
    return kind(_assembled(RUN_TEXT, "run"))


class Stop(NamedTuple):
    """Where a `Program` stopped: number of the call, from 0, and what it returned."""

    call: int
    value: int


class Program:
    """Calls made one after the other, until one returns anything but 0 or None.

    Neighbors that are prepared run without Python in between, as machine code.

    Parameters
    ----------
    calls
        Take nothing, and return whole numbers or None. Of another program, its calls.
    again
        Whether to begin again after the last one, until one stops that.
    """

    def __init__(self, calls: Iterable[Callable[[], Any]], *, again: bool = False) -> None:
        self.calls: tuple[Callable[[], Any], ...] = tuple(
            one for call in calls for one in (call.calls if isinstance(call, Program) else (call,))
        )
        self._again = again
        parts = groupby(enumerate(self.calls), key=lambda one: bool(getattr(one[1], "steps", ())))
        self._parts = [
            _MachineCalls(list(part)) if is_prepared else _PythonCalls(list(part))
            for is_prepared, part in parts
        ]
        if again and not self._parts:
            raise ValueError("a program without calls cannot go on until one of them stops it")

    def __call__(self) -> Stop | None:
        """Run; returns None after the last call, if none has stopped it."""
        parts, again = self._parts, self._again
        while True:
            for part in parts:
                stop = part(again and len(parts) == 1)
                if stop is not None:
                    return stop
            if not again:
                return None


class _PythonCalls:
    """Neighbors that go through Python."""

    def __init__(self, calls: list[tuple[int, Callable[[], Any]]]) -> None:
        self._calls = calls

    def __call__(self, again: bool) -> Stop | None:
        for number, call in self._calls:
            value = call()
            if value and _stops(call):
                return Stop(number, int(value))
        return None


class _MachineCalls:
    """Neighbors that do not."""

    def __init__(self, calls: list[tuple[int, Any]]) -> None:
        self._steps = [(number, call, step) for number, call in calls for step in call.steps]
        self._table = np.array(
            [(step.stub, step.numbers.ctypes.data) for _, _, step in self._steps], np.uint64
        )
        self._result = np.zeros(1, np.int64)
        self._places = self._table.ctypes.data, self._result.ctypes.data
        with _lock:
            self._run = _runner()

    def __call__(self, again: bool) -> Stop | None:
        table, result = self._places
        first, length = 0, len(self._steps)
        while True:
            last = self._run(table, first, length, again, result)
            value = int(self._result[0])
            if value == 0:
                return None
            number, call, _ = self._steps[last]
            if value == RAISED:
                call()  # raises again, but where Python sees what
                raise RuntimeError(f"{call.func} raised an exception only once")
            if _stops(call):
                return Stop(number, value)
            first = last + 1
            if first == length:
                if not again:
                    return None
                first = 0


def _stops(call: Any) -> bool:
    """Whether a call that has not returned 0 stops the program; what is to be done otherwise is."""
    if not getattr(call, "heeded", True):
        return False
    otherwise = getattr(call, "otherwise", None)
    if otherwise is None:
        return True
    otherwise()
    return False
