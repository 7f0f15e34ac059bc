"""Narrow arithmetic is the arithmetic of Python's integers, modulo the width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.kernels import narrow
from analyzer.kernels.compilation import kernel

TYPES = (np.uint8, np.uint16, np.uint32)


@kernel
def _all(a: Any, b: Any, shift: Any) -> Any:
    return (
        narrow.add(a, b),
        narrow.both(a, b),
        narrow.either(a, b),
        narrow.without(a, b),
        narrow.left(a, shift),
        narrow.right(a, shift),
        narrow.bit_count(a),
        narrow.rest_of_product(a, b),
    )


@kernel
def _whole(a: Any, b: Any) -> Any:
    return narrow.whole_of_product(a, b)


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
@given(numbers=st.tuples(*(st.integers(0, 2**32 - 1),) * 3))
def test_results_are_those_of_whole_numbers_and_stay_narrow(kind, numbers):
    bits = 8 * kind(0).itemsize
    a, b, shift = numbers[0] % 2**bits, numbers[1] % 2**bits, numbers[2] % bits
    found = _all(kind(a), kind(b), kind(shift))
    wanted = (a + b, a & b, a | b, a & ~b, a << shift, a >> shift, a.bit_count(), a * b)
    assert [int(value) for value in found] == [value % 2**bits for value in wanted]


@pytest.mark.parametrize("kind", TYPES[1:], ids=lambda kind: kind.__name__)
@given(numbers=st.tuples(*(st.integers(0, 2**32 - 1),) * 2))
def test_upper_halves_of_products(kind, numbers):
    bits = 8 * kind(0).itemsize
    a, b = (number % 2**bits for number in numbers)
    assert int(_whole(kind(a), kind(b))) == a * b >> bits
