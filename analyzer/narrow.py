"""Arithmetic on 16 and 32 bits that stays narrow.

Numba widens every integer operation to 64 bits. The compiler narrows most of them again, but not
those below; and a vector instruction does twice the work on numbers of half the size. All results
are modulo 2^16 or 2^32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from analyzer.compilation import JIT_DISABLED, kernel

__all__ = ["count_bits", "high_product", "low_product", "shift_left", "shift_right"]

if JIT_DISABLED:

    def low_product(a: np.uint16, b: np.uint16) -> np.uint16:
        """The low 16 bits of a * b."""
        return np.uint16((int(a) * int(b)) & 0xFFFF)

    def high_product(a: np.uint16, b: np.uint16) -> np.uint16:
        """The high 16 bits of a * b."""
        return np.uint16((int(a) * int(b)) >> 16)

    def shift_left(bits: np.uint32, by: np.uint32) -> np.uint32:
        """``bits << by`` on 32 bits, ``by`` below 32."""
        return np.uint32((int(bits) << int(by)) & 0xFFFFFFFF)

    def shift_right(bits: np.uint32, by: np.uint32) -> np.uint32:
        """``bits >> by`` on 32 bits, ``by`` below 32."""
        return np.uint32(int(bits) >> int(by))

    def count_bits(bits: np.uint32) -> np.uint32:
        """How many bits are set."""
        return np.uint32(int(bits).bit_count())

else:

    def _low_product_code(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.mul(*arguments)

        return types.uint16(types.uint16, types.uint16), generate

    def _high_product_code(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            wide = context.get_value_type(types.uint32)
            a, b = (builder.zext(argument, wide) for argument in arguments)
            high = builder.lshr(builder.mul(a, b), wide(16))
            return builder.trunc(high, context.get_value_type(types.uint16))

        return types.uint16(types.uint16, types.uint16), generate

    def _shift_left_code(typing_context: Any, bits: Any, by: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.shl(*arguments)

        return types.uint32(types.uint32, types.uint32), generate

    def _shift_right_code(typing_context: Any, bits: Any, by: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.lshr(*arguments)

        return types.uint32(types.uint32, types.uint32), generate

    def _count_bits_code(typing_context: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.uint32(types.uint32), generate

    _low_product: Any = intrinsic(_low_product_code)
    _high_product: Any = intrinsic(_high_product_code)
    _shift_left: Any = intrinsic(_shift_left_code)
    _shift_right: Any = intrinsic(_shift_right_code)
    _count_bits: Any = intrinsic(_count_bits_code)

    @kernel
    def low_product(a: np.uint16, b: np.uint16) -> np.uint16:
        """The low 16 bits of a * b."""
        return np.uint16(_low_product(np.uint16(a), np.uint16(b)))

    @kernel
    def high_product(a: np.uint16, b: np.uint16) -> np.uint16:
        """The high 16 bits of a * b."""
        return np.uint16(_high_product(np.uint16(a), np.uint16(b)))

    @kernel
    def shift_left(bits: np.uint32, by: np.uint32) -> np.uint32:
        """``bits << by`` on 32 bits, ``by`` below 32."""
        return np.uint32(_shift_left(np.uint32(bits), np.uint32(by)))

    @kernel
    def shift_right(bits: np.uint32, by: np.uint32) -> np.uint32:
        """``bits >> by`` on 32 bits, ``by`` below 32."""
        return np.uint32(_shift_right(np.uint32(bits), np.uint32(by)))

    @kernel
    def count_bits(bits: np.uint32) -> np.uint32:
        """How many bits are set."""
        return np.uint32(_count_bits(np.uint32(bits)))
