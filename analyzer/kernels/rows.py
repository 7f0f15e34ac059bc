"""Rows of games: their memory, and what every game does with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from analyzer.kernels.compilation import row_kernel

__all__ = [
    "CACHE_LINE",
    "copy",
    "fill",
    "gather",
    "merge",
    "read_only",
    "rows",
    "scatter",
    "scatter_value",
]

CACHE_LINE = 64


def rows(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Zeros that begin with a cache line.

    A vector of 512 bits that straddles two lines takes twice as long to load or store. If the
    length of a row is a multiple of 64 games, every row begins with a line.
    """
    length = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(length + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + length].view(dtype).reshape(shape)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same memory as an array that refuses to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


@row_kernel
def fill(row: NDArray[Any], value: Any) -> None:
    """Put one value into a row."""
    for g in range(row.size):
        row[g] = value


@row_kernel
def copy(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy a row, or as much of its beginning as the target holds, to another of the same dtype."""
    for g in range(target.size):
        target[g] = source[g]


@row_kernel
def gather(row: NDArray[Any], listed: NDArray[np.uint32], out: NDArray[Any]) -> None:
    """Copy listed elements of a row together, as many as ``out`` has."""
    for c in range(out.size):
        out[c] = row[listed[c]]


@row_kernel
def scatter(source: NDArray[Any], listed: NDArray[np.uint32], row: NDArray[Any]) -> None:
    """Copy a row to listed elements of another one."""
    for c in range(source.size):
        row[listed[c]] = source[c]


@row_kernel
def scatter_value(value: Any, listed: NDArray[np.uint32], row: NDArray[Any]) -> None:
    """Put a value into listed elements of a row."""
    for c in range(listed.size):
        row[listed[c]] = value


@row_kernel
def merge(asked: NDArray[np.uint8], answers: NDArray[np.uint8], merged: NDArray[np.uint8]) -> int:
    """Put answers where they were asked for; returns the highest of those, 0 if there is none.

    Parameters
    ----------
    asked
        (N,) uint8, 1 where the decision was put to whoever answers.
    answers
        (N,) uint8, meaningless elsewhere.
    merged
        (N,) uint8, keeps what it has elsewhere.
    """
    highest = np.uint8(0)
    for g in range(merged.size):
        new = answers[g]
        was_asked = asked[g]
        before = merged[g]
        merged[g] = new if was_asked else before
        counted = new if was_asked else np.uint8(0)
        highest = max(highest, counted)
    return int(highest)
