"""Inverse trigonometric functions and hypot, by rational operations as in `exponential.py`.

atan2: angle of (x, y) less the nearest angle of tangent k/16, then a short series. asin: polynomial up to one half,
beyond it that of half the angle (Cody and Waite 1980).
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import elementary, helper, inlined
from .double_double import (
    HALF_PI,
    HALF_PI_LOW,
    divide_pairs,
    high_half,
    quick_sum,
    sqrt_pair,
    two_product,
    two_sum,
)

# arctan(k / 16)
ANGLES = np.array((
    0.0, 0.06241880999595735, 0.12435499454676144, 0.18534794999569476, 0.24497866312686414, 0.3028848683749714,
    0.35877067027057225, 0.4124104415973873, 0.4636476090008061, 0.5123894603107377, 0.5585993153435624,
    0.6022873461349642, 0.6435011087932844, 0.6823165548747481, 0.7188299996216245, 0.7531512809621944,
    0.7853981633974483,
))  # fmt: skip
ANGLES_LOW = np.array((
    0.0, -1.5490756308295046e-18, -3.1253241424539383e-18, 4.180692268843079e-18, 1.0698755618734451e-17,
    -1.1010827903001369e-17, -2.4623815582638635e-17, -1.587652227770689e-17, 2.2698777452961687e-17,
    -2.5462781472855804e-17, -5.4556305485916264e-18, 2.950430737228402e-17, 1.5834785051444286e-17,
    6.943223671560008e-18, -2.1478388444456983e-17, -2.4256934659182068e-17, 3.061616997868383e-17,
))  # fmt: skip
T_3, T_5, T_7 = -0.3333333333333333, 0.19999999999999274, -0.14285714279855288
T_9, T_11 = 0.1111109457448368, -0.09071853993914905
A_3, A_5, A_7 = 0.16666666666666669, 0.07499999999998425, 0.04464285714637338
A_9, A_11, A_13 = 0.030381944137085216, 0.0223721730020056, 0.0173523912659092
A_15, A_17, A_19 = 0.013971235301124917, 0.011478952690254089, 0.010324318288763578
A_21, A_23, A_25 = 0.005450878187643824, 0.017419357965078285, -0.0148814093931001
A_27 = 0.02877844261277394
LARGE, TINY = 1e290, 1e-290
DOWN, UP = 2.0**-700, 2.0**700


@helper
def angle_pair(y, x):
    """Angle of (x, y) in [0, pi/2] as a double-double, x, y >= 0 and not both 0."""
    steep = y > x
    if steep:
        y, x = x, y
    k = int(16.0 * (y / x) + 0.5)
    c = 0.0625 * k
    # the tangent of what is left: (y - c x) / (x + c y)
    x_1, y_1 = high_half(x), high_half(y)
    n, n_low = two_sum(y - c * x_1, c * (x_1 - x))
    d, d_low = quick_sum(x, c * y_1)
    w, w_low = divide_pairs(n, n_low, d, d_low + c * (y - y_1))
    z = w * w
    p = (T_3 + z * T_5) + z * z * ((T_7 + z * T_9) + z * z * T_11)
    a, low = quick_sum(float(ANGLES[k]), w)
    low += float(ANGLES_LOW[k]) + (w_low + w * z * p)
    if steep:
        a, rest = quick_sum(HALF_PI, -a)
        low = rest + (HALF_PI_LOW - low)
    return a, low


@elementary("atan2")
def atan2(y, x):
    if x != x or y != y:
        return x + y
    up, along = abs(y), abs(x)
    if not max(up, along) < LARGE:
        if up == math.inf or along == math.inf:
            up, along = 1.0 if up == math.inf else 0.0, 1.0 if along == math.inf else 0.0
        up, along = up * DOWN, along * DOWN
    if not max(up, along) > TINY:
        up, along = (up * UP, along * UP) if up > 0.0 or along > 0.0 else (0.0, 1.0)
    a, low = angle_pair(up, along)
    if math.copysign(1.0, x) < 0.0:
        a, rest = quick_sum(2.0 * HALF_PI, -a)
        low = rest + (2.0 * HALF_PI_LOW - low)
    return math.copysign(a + low, y)


@elementary("atan")
def atan(x):
    size = abs(x)
    if not TINY < size < LARGE:
        return x if not size >= LARGE else math.copysign(HALF_PI, x)
    a, low = angle_pair(size, 1.0)
    return math.copysign(a + low, x)


@inlined
def arcsine_series(z):
    """asin(x) / x - 1 of z = x^2 <= 1/4."""
    z_2 = z * z
    z_4 = z_2 * z_2
    first = (A_3 + z * A_5) + z_2 * (A_7 + z * A_9)
    second = (A_11 + z * A_13) + z_2 * (A_15 + z * A_17)
    third = (A_19 + z * A_21) + z_2 * (A_23 + z * A_25)
    return z * (first + z_4 * (second + z_4 * (third + z_4 * A_27)))


@inlined
def half_angle(size):
    """s, its low part, and asin(s) - s, for s = sqrt((1 - size) / 2)."""
    z = 0.5 * (1.0 - size)
    s, low = sqrt_pair(z, 0.0)
    return s, low, s * arcsine_series(z)


@elementary("asin")
def asin(x):
    size = abs(x)
    if size <= 0.5:
        return x + x * arcsine_series(x * x)
    if not size <= 1.0:
        return math.nan
    s, low, more = half_angle(size)
    a, rest = quick_sum(HALF_PI, -2.0 * s)
    return math.copysign(a + (rest + (HALF_PI_LOW - 2.0 * (low + more))), x)


@elementary("acos")
def acos(x):
    size = abs(x)
    if size <= 0.5:
        a, rest = quick_sum(HALF_PI, -x)
        return a + (rest + (HALF_PI_LOW - x * arcsine_series(x * x)))
    if not size <= 1.0:
        return math.nan
    s, low, more = half_angle(size)
    if x > 0.0:
        return 2.0 * (s + (low + more))
    a, rest = quick_sum(2.0 * HALF_PI, -2.0 * s)
    return a + (rest + (2.0 * HALF_PI_LOW - 2.0 * (low + more)))


@elementary("hypot")
def hypot(x, y):
    a, b = abs(x), abs(y)
    if a == math.inf or b == math.inf:
        return math.inf
    if b > a:
        a, b = b, a
    if not a + b > a:  # the smaller is not seen beside the larger, or there is no number
        return a + b
    scale = DOWN if a > 1e140 else UP if a < 1e-140 else 1.0
    a, b = a * scale, b * scale
    square, low = two_product(a, a)
    other, rest = two_product(b, b)
    square, more = quick_sum(square, other)
    length, low = sqrt_pair(square, more + (low + rest))
    return (length + low) / scale
