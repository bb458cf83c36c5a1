"""Sine, cosine and tangent with the same bits in plain Python, in SIMD lanes and on every processor.

Only sums and products, so that lanes compute them side by side; each rounded by itself, so that no fused multiply-add
changes a bit. Argument reduction by multiples of pi/2 to a double-double: Cody and Waite (1980), pi/2 in parts of 33,
33 and 53 bits, whose products with the multiple are exact or negligible; large arguments by Payne and Hanek (1983), in
whole numbers of 24 bits. Minimax polynomials (Remez) on [-pi/4, pi/4]: error 6e-18 of the sine, 2e-19 for the cosine.
Total errors stay below one unit in the last place.
"""

from __future__ import annotations

import math

import numpy as np

from ..intrinsics import bits_of
from ..jit import elementary, helper, in_place_of, inlined
from .double_double import (
    FRACTION,
    HALF_PI,
    HALF_PI_LOW,
    ROUND,
    divide_pairs,
    multiply_pairs,
    quick_sum,
    two_sum,
)

LARGE = 1e6  # [rad] below which multiples have at most 20 bits
TURNS = 0.6366197723675814  # 2 / pi
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
S_1, S_2, S_3 = -0.1666666666666664, 0.008333333333323624, -0.00019841269830108826
S_4, S_5, S_6 = 2.7557313638504495e-06, -2.505073237966195e-08, 1.589457978236438e-10
C_1, C_2, C_3 = 0.04166666666666665, -0.0013888888888882816, 2.480158729460575e-05
C_4, C_5, C_6 = -2.7557315730261363e-07, 2.087589636756931e-09, -1.1367900041939653e-11
CURVE = 0.041666666666666664  # 1 / 4!, of the cosine by which low counts
# 2 / pi in digits of 24 bits, three before the point
DIGITS = np.array((
    0, 0, 0, 10680707, 7228996, 1387004, 2578385, 16069853, 12639074, 9804092, 4427841, 16666979, 11263675,
    12935607, 2387514, 4345298, 14681673, 3074569, 13734428, 16653803, 1880361, 10960616, 8533493, 3062596,
    8710556, 7349940, 6258241, 3772886, 3769171, 3798172, 8675211, 12450088, 3874808, 9961438, 366607, 15675153,
    9132554, 7151469, 3571407, 2607881, 12013382, 4155038, 6285869, 7677882, 13102053, 15825725, 473591, 9065106,
    15363067, 6271263, 9264392, 5636912, 4652155, 7056368, 13614112,
))  # fmt: skip
DIGIT = 16777215


@inlined
def reduce_small(x):
    """n, y, low with x = n pi/2 + y + low, |x| <= `LARGE`; y does not wait for low."""
    n = (x * TURNS + ROUND) - ROUND
    a, b = x - n * HALF_PI_1, n * HALF_PI_2
    y = a - b
    back = y - a
    return n, y, ((a - (y - back)) - (b + back)) - n * HALF_PI_3


@helper
def reduce_large(x):
    """n modulo 4, y, low with x = n pi/2 + y + low, |x| > `LARGE` (Payne and Hanek 1983)."""
    bits = bits_of(abs(x))
    # m 2^(24 q), m of four digits; their products with those of 2 / pi, from the seventh behind the point upwards
    e, m = (bits >> 52) - 1075, (bits & FRACTION) | (1 << 52)
    q, shift = e // 24, e % 24
    m_0, m_1, m_2 = (m & DIGIT) << shift, ((m >> 24) & DIGIT) << shift, (m >> 48) << shift
    m_1, m_0 = m_1 + (m_0 >> 24), m_0 & DIGIT
    m_2, m_1 = m_2 + (m_1 >> 24), m_1 & DIGIT
    m_3, m_2 = m_2 >> 24, m_2 & DIGIT
    first = second = third = total = 0
    for place in range(7, -1, -1):
        at = place + q + 2
        total = (total >> 24) + m_0 * DIGITS[at] + m_1 * DIGITS[at + 1]
        total += m_2 * DIGITS[at + 2] + m_3 * DIGITS[at + 3]
        if 5 <= place <= 6:
            third += (total & DIGIT) << (24 * (6 - place))
        elif 3 <= place <= 4:
            second += (total & DIGIT) << (24 * (4 - place))
        elif 1 <= place <= 2:
            first += (total & DIGIT) << (24 * (2 - place))
    n = int(total & 3)
    if first >= 1 << 47:
        n, first = n + 1, first - (1 << 48)
    y, low = two_sum(float(first) * 2.0**-48, float(second) * 2.0**-96)
    y, low = multiply_pairs(*two_sum(y, low + float(third) * 2.0**-144), HALF_PI, HALF_PI_LOW)
    return (-float(n), -y, -low) if x < 0.0 else (float(n), y, low)


@inlined
def reduce_argument(x):
    """n, y, low with x = n pi/2 + y + low, any finite x."""
    return reduce_small(x) if abs(x) <= LARGE else reduce_large(x)


@inlined
def series_terms(y, low):
    """sin(y + low) - y, and the two terms of cos(y + low)."""
    # sums of pairs, since a processor adds several at once
    z = y * y
    p, fours = z * y, z * z
    s = (S_2 + z * S_3) + fours * ((S_4 + z * S_5) + fours * S_6)
    s = (z * ((0.5 - z * CURVE) * low - p * s) - low) - p * S_1
    q = (C_1 + z * C_2) + fours * ((C_3 + z * C_4) + fours * (C_5 + z * C_6))
    half = 0.5 * z
    one = 1.0 - half
    return -s, one, ((1.0 - one) - half) + (fours * q - (y + p * S_1) * low)


@inlined
def by_quadrant(n, y, low):
    """Sine and cosine of n pi/2 + y + low."""
    s, one, c = series_terms(y, low)
    s, c = y + s, one + c  # largest term last
    # quarter = n modulo 4 in [-2, 2]; choice and signs of sine and cosine are integer functions of it
    quarter = n - 4.0 * ((0.25 * n + ROUND) - ROUND)
    size = abs(quarter)
    even, odd = 1.0 - size, quarter * (2.0 - size)
    other = size == 1.0
    sine, cosine = (c if other else s) * (even + odd), (s if other else c) * (even - odd)
    return sine, cosine


@elementary("sin")
def sin(x):
    return by_quadrant(*reduce_argument(x))[0] if abs(x) < math.inf else math.nan


@elementary("cos")
def cos(x):
    return by_quadrant(*reduce_argument(x))[1] if abs(x) < math.inf else math.nan


@inlined
def sine_cosine(x):
    """(sin x, cos x)."""
    if not abs(x) <= LARGE:
        return sin(x), cos(x)
    n, y, low = reduce_small(x)
    return by_quadrant(n, y, low)


@in_place_of(math.sin)
def sine_small(x):
    """sin x, inlined."""
    return sine_cosine(x)[0]


@in_place_of(math.cos)
def cosine_small(x):
    """cos x, inlined."""
    return sine_cosine(x)[1]


@elementary("tan")
def tan(x):
    """tan x."""
    if not 1e-290 < abs(x) < math.inf:
        return x if abs(x) < 1.0 else math.nan
    n, y, low = reduce_argument(x)
    s, one, c = series_terms(y, low)
    s, s_low = quick_sum(y, s)
    c, c_low = quick_sum(one, c)
    if n - 2.0 * ((0.5 * n + ROUND) - ROUND) == 0.0:
        t, t_low = divide_pairs(s, s_low, c, c_low)
    else:
        t, t_low = divide_pairs(-c, -c_low, s, s_low)
    return t + t_low
