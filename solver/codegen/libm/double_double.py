"""Double-double arithmetic: a number as the unevaluated sum of two doubles, the second far smaller.

Error-free sums and products (Dekker 1971, Knuth), without fused multiply-add, which some processors lack. Exact for
numbers from 1e-290 to 1e290.
"""

from __future__ import annotations

import math

from ..intrinsics import bits_of, from_bits
from ..jit import inlined

FIRST = ~0x7FFFFFF  # all bits but the last 27
FRACTION = 0x000FFFFFFFFFFFFF  # bits behind the exponent
ROUND = 6755399441055744.0  # 1.5 * 2^52: a sum with it is rounded to a whole number
HALF_PI, HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17


@inlined
def high_half(x):
    """First 26 bits of x: products of two such numbers are exact."""
    return from_bits(bits_of(x) & FIRST)


@inlined
def two_sum(a, b):
    """Sum and rounding error of a + b (Knuth)."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


@inlined
def quick_sum(a, b):
    """Sum and rounding error of a + b for |a| >= |b| or a = 0 (Dekker's Fast2Sum)."""
    total = a + b
    return total, (a - total) + b


@inlined
def two_product(a, b):
    """Product and rounding error of a * b (Dekker)."""
    product = a * b
    a_1, b_1 = high_half(a), high_half(b)
    a_2, b_2 = a - a_1, b - b_1
    return product, ((a_1 * b_1 - product) + a_1 * b_2 + a_2 * b_1) + a_2 * b_2


@inlined
def add_pairs(a, a_low, b, b_low):
    """Sum of two double-doubles."""
    total, low = two_sum(a, b)
    return quick_sum(total, low + (a_low + b_low))


@inlined
def multiply_pairs(a, a_low, b, b_low):
    """Product of two double-doubles."""
    product, low = two_product(a, b)
    return quick_sum(product, low + (a * b_low + a_low * b))


@inlined
def divide_pairs(a, a_low, b, b_low):
    """Quotient of two double-doubles."""
    ratio = a / b
    product, low = two_product(ratio, b)
    return quick_sum(ratio, (((a - product) - low) + (a_low - ratio * b_low)) / b)


@inlined
def sqrt_pair(a, a_low):
    """Square root of a double-double that is not negative."""
    first = math.sqrt(a)
    if first == 0.0:
        return 0.0, 0.0
    square, low = two_product(first, first)
    return quick_sum(first, (((a - square) - low) + a_low) / (first + first))
