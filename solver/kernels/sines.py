"""Sine and cosine of an angle, together: the same bits in plain Python, for one run, in lanes, and on every processor.

Only sums and products, so that lanes take them side by side; each rounded by itself, so that no processor's
multiply-and-add changes a bit. The angle less the nearest multiple of pi/2 is a sum of two numbers: Cody and Waite
(1980), with pi/2 in parts of 33, 33 and 53 bits, whose products with the multiple are exact or far below what is seen.
Polynomials on [-pi/4, pi/4] are of least greatest error (Remez), 6e-18 of the sine and 2e-19 of one for the cosine.
Errors stay below one unit in the last place.
"""

from __future__ import annotations

import math

from ..machine.jit import inlined

LARGE = 1e6  # [rad] beyond which the C library is asked: multiples have at most 20 bits below it
TURNS = 0.6366197723675814  # 2 / pi
ROUND = 6755399441055744.0  # 1.5 * 2^52: a sum with it is rounded to a whole number
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
S_1, S_2, S_3 = -0.1666666666666664, 0.008333333333323624, -0.00019841269830108826
S_4, S_5, S_6 = 2.7557313638504495e-06, -2.505073237966195e-08, 1.589457978236438e-10
C_1, C_2, C_3 = 0.04166666666666665, -0.0013888888888882816, 2.480158729460575e-05
C_4, C_5, C_6 = -2.7557315730261363e-07, 2.087589636756931e-09, -1.1367900041939653e-11


@inlined
def sine_cosine(x):
    if not abs(x) <= LARGE:
        return math.sin(x), math.cos(x)
    # x = n pi/2 + y + low
    n = (x * TURNS + ROUND) - ROUND
    a, b = x - n * HALF_PI_1, n * HALF_PI_2
    first = a - b
    back = first - a
    rest = ((a - (first - back)) - (b + back)) - n * HALF_PI_3
    y = first + rest
    low = (first - y) + rest
    # both of y + low, whose first terms are rounded last
    z = y * y
    p = z * y
    s = S_2 + z * (S_3 + z * (S_4 + z * (S_5 + z * S_6)))
    s = y - ((z * (0.5 * low - p * s) - low) - p * S_1)
    q = z * (C_1 + z * (C_2 + z * (C_3 + z * (C_4 + z * (C_5 + z * C_6)))))
    half = 0.5 * z
    one = 1.0 - half
    c = one + (((1.0 - one) - half) + (z * q - y * low))
    # n modulo 4 lies between -2 and 2
    quarter = n - 4.0 * ((0.25 * n + ROUND) - ROUND)
    odd = quarter * quarter == 1.0
    sine, cosine = c if odd else s, s if odd else c
    if quarter * quarter == 4.0 or quarter == -1.0:
        sine = -sine
    if quarter * quarter == 4.0 or quarter == 1.0:
        cosine = -cosine
    return sine, cosine
