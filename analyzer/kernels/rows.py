"""Memory for rows of games."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["CACHE_LINE", "rows"]

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
