"""Arithmetic on 8, 16 and 32 bits that stays narrow.

Numba widens every integer operation to 64 bits. The compiler narrows most of them again, but not
those below; and a vector instruction does twice the work on numbers of half the size. Each function
takes uint8, uint16 or uint32, both arguments alike, and returns the same, modulo 2^8, 2^16 or
2^32. All are inlined into the functions under ``@kernel`` and ``@row_kernel`` that call them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import types
from numba.extending import intrinsic

from analyzer.kernels.compilation import JIT_DISABLED

__all__ = [
    "add",
    "bit_count",
    "both",
    "either",
    "left",
    "rest_of_product",
    "right",
    "whole_of_product",
    "without",
]

if TYPE_CHECKING or JIT_DISABLED:

    def _like(value: Any, result: int) -> Any:
        bits = 8 * value.itemsize
        return type(value)(result & ((1 << bits) - 1))

    def add(a: Any, b: Any) -> Any:
        """``a + b``."""
        return _like(a, int(a) + int(b))

    def both(a: Any, b: Any) -> Any:
        """``a & b``."""
        return a & b

    def either(a: Any, b: Any) -> Any:
        """``a | b``."""
        return a | b

    def without(a: Any, b: Any) -> Any:
        """``a & ~b``."""
        return a & ~b

    def left(a: Any, b: Any) -> Any:
        """``a << b``, b less than the number of bits."""
        return _like(a, int(a) << int(b))

    def right(a: Any, b: Any) -> Any:
        """``a >> b``, b less than the number of bits."""
        return _like(a, int(a) >> int(b))

    def bit_count(a: Any) -> Any:
        """How many bits are set."""
        return _like(a, int(a).bit_count())

    def rest_of_product(a: Any, n: Any) -> Any:
        """With ``a`` as a fraction of 2^16 or 2^32, what a * n has beyond its whole part."""
        return _like(a, int(a) * int(n))

    def whole_of_product(a: Any, n: Any) -> Any:
        """With ``a`` as a fraction of 2^16 or 2^32, the whole part of a * n."""
        return _like(a, int(a) * int(n) >> 8 * a.itemsize)

else:

    def _binary(build: Any) -> Any:
        def code(typing_context: Any, a: Any, b: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                return build(builder, *arguments)

            if a == b and a in (types.uint8, types.uint16, types.uint32):
                return a(a, a), generate
            return None

        return code

    def _whole(builder: Any, a: Any, n: Any) -> Any:
        number, function = type(a.type), type(builder.function.function_type)
        if a.type.width == 32:
            wide = number(64)
            product = builder.mul(builder.zext(a, wide), builder.zext(n, wide))
            return builder.trunc(builder.lshr(product, wide(32)), a.type)
        # A product of fixed-point numbers is the one way to ask for the upper half of a product
        # that the vectorizer knows and that is nowhere wider than its factors.
        scale = number(32)
        code = builder.module.declare_intrinsic(
            "llvm.umul.fix", [a.type], function(a.type, [a.type, a.type, scale])
        )
        return builder.call(code, [a, n, scale(a.type.width)])

    def _bit_count_code(typing_context: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return a(a), generate

    add: Any = intrinsic(_binary(lambda builder, a, b: builder.add(a, b)))
    both: Any = intrinsic(_binary(lambda builder, a, b: builder.and_(a, b)))
    either: Any = intrinsic(_binary(lambda builder, a, b: builder.or_(a, b)))
    without: Any = intrinsic(_binary(lambda builder, a, b: builder.and_(a, builder.not_(b))))
    left: Any = intrinsic(_binary(lambda builder, a, b: builder.shl(a, b)))
    right: Any = intrinsic(_binary(lambda builder, a, b: builder.lshr(a, b)))
    bit_count: Any = intrinsic(_bit_count_code)
    rest_of_product: Any = intrinsic(_binary(lambda builder, a, n: builder.mul(a, n)))
    whole_of_product: Any = intrinsic(_binary(_whole))
