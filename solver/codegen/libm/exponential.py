"""Exponential, logarithm, powers and hyperbolic functions with the same bits on every processor and in every library.

Sums, products, quotients and roots, each rounded by itself; errors stay below one unit in the last place. Exponential:
2^n e^r with |r| <= ln 2 / 2. Logarithm: of 2^n (1 + r) / c, c of 9 bits and |r| < 0.008, first terms in double-double
(Tang 1990). Minimax polynomials.
"""

from __future__ import annotations

import math

import numpy as np

from ..intrinsics import bits_of, from_bits
from ..jit import elementary, helper, inlined
from .double_double import (
    FRACTION,
    ROUND,
    add_pairs,
    divide_pairs,
    high_half,
    multiply_pairs,
    quick_sum,
    sqrt_pair,
    two_product,
    two_sum,
)

LN2_1, LN2_2 = (
    0.6931471805598903,
    5.497923018708371e-14,
)  # of 42 bits, whose products with exponents are exact
PER_LN2, PER_LN2_LOW = 1.4426950408889634, 2.0355273740931033e-17
PER_LN10, PER_LN10_LOW = 0.4342944819032518, 1.098319650216765e-17
FAR = 800.0  # where exponentials are long 0 or infinite
LARGE = 700.0  # where they are numbers yet
TINY = 1e-290  # what is smaller is its own sine, tangent, growth
FIRST_BITS = ~0xFFFFFFFF
MOST = 1e20  # what exponents are below, unless powers are 0, 1 or infinite
WHOLE = 2.0**52  # numbers from here on are whole
L_3, L_4, L_5 = 0.3333333333333333, -0.2500000000000007, 0.19999999999949272
L_6, L_7, L_8 = -0.16666666653627185, 0.14285717966802935, -0.1250065521012465
L_9 = 0.11045602730884585
# table by the first 7 fraction bits of a number from 1 to 2: approximate inverse (from 181 / 128 on twice that), and
# the logarithm of the inverse of that: 42 fraction bits, and the rest
NEAR = np.array((
    1.0, 0.98828125, 0.98046875, 0.97265625, 0.966796875, 0.958984375, 0.951171875, 0.9453125, 0.9375,
    0.931640625, 0.923828125, 0.91796875, 0.91015625, 0.904296875, 0.8984375, 0.892578125, 0.88671875, 0.87890625,
    0.873046875, 0.8671875, 0.861328125, 0.85546875, 0.849609375, 0.845703125, 0.83984375, 0.833984375, 0.828125,
    0.822265625, 0.818359375, 0.8125, 0.806640625, 0.802734375, 0.796875, 0.79296875, 0.787109375, 0.783203125,
    0.77734375, 0.7734375, 0.76953125, 0.763671875, 0.759765625, 0.755859375, 0.75, 0.74609375, 0.7421875,
    0.73828125, 0.734375, 0.728515625, 0.724609375, 0.720703125, 0.716796875, 0.712890625, 0.708984375,
    1.41015625, 1.40234375, 1.39453125, 1.38671875, 1.380859375, 1.373046875, 1.365234375, 1.357421875, 1.3515625,
    1.34375, 1.3359375, 1.330078125, 1.322265625, 1.31640625, 1.30859375, 1.302734375, 1.296875, 1.2890625,
    1.283203125, 1.27734375, 1.26953125, 1.263671875, 1.2578125, 1.251953125, 1.24609375, 1.240234375, 1.234375,
    1.228515625, 1.22265625, 1.216796875, 1.2109375, 1.205078125, 1.19921875, 1.193359375, 1.1875, 1.181640625,
    1.177734375, 1.171875, 1.166015625, 1.16015625, 1.15625, 1.150390625, 1.14453125, 1.140625, 1.134765625,
    1.130859375, 1.125, 1.12109375, 1.115234375, 1.111328125, 1.10546875, 1.1015625, 1.095703125, 1.091796875,
    1.087890625, 1.08203125, 1.078125, 1.07421875, 1.068359375, 1.064453125, 1.060546875, 1.056640625, 1.05078125,
    1.046875, 1.04296875, 1.0390625, 1.03515625, 1.029296875, 1.025390625, 1.021484375, 1.017578125, 1.013671875,
    1.009765625, 1.005859375, 1.0,
))  # fmt: skip
LOGS = np.array((
    0.0, 0.011787955751970003, 0.019724505347767263, 0.027724548014930406, 0.03376686247088401,
    0.041880497245074366, 0.05006050195697753, 0.05623971832278585, 0.0645385211375924, 0.07080813415109333,
    0.07922923654746228, 0.0855919303353403, 0.0941389909139616, 0.10059757095336863, 0.10709813555627079,
    0.1136412341452342, 0.12022742699809896, 0.1290770422751848, 0.1357660304258843, 0.14250006260726877,
    0.14927974959255152, 0.15610571466299916, 0.16297859395081105, 0.16758689703692653, 0.17453941635199044,
    0.18154061181098768, 0.18859116980752333, 0.19569179135714876, 0.20045370511729743, 0.20763936477828793,
    0.21487703207844788, 0.2197314105433179, 0.22705745063535687, 0.2319714654377094, 0.23938806309274696,
    0.24436319773303694, 0.25187261975497677, 0.25691041378513546, 0.26197371574153294, 0.26961706505403527,
    0.27474528142101917, 0.2798999320098119, 0.28768207245184385, 0.29290401643288533, 0.29815337231912054,
    0.3034304294199046, 0.30873548164959175, 0.3167462053957024, 0.3221225624320141, 0.3275279809990934,
    0.33296277698491394, 0.33842727145702156, 0.3439217907746297, -0.34370051385326406, -0.3381449440087181,
    -0.3325583373000427, -0.32694034499581903, -0.32270604085715604, -0.3170322667710934, -0.31132611719431225,
    -0.3055872205252399, -0.3012613305781997, -0.2954642128938758, -0.28963329258294834, -0.2852376811099475,
    -0.2793466478726714, -0.27490548587275043, -0.26895308734560786, -0.26446542087614944, -0.25995752443691345,
    -0.25391520998095984, -0.24935939344504732, -0.24478272641772492, -0.23864773785021498, -0.2340216694612991,
    -0.22937410106487732, -0.22470483188112667, -0.2200136583053336, -0.21530037385309697, -0.21056476910735,
    -0.20580663166083468, -0.20102574606062262, -0.19622189374786103, -0.19139485299956505, -0.1865443988658626,
    -0.18167030310769405, -0.17677233413201066, -0.17185025692674571, -0.16690383299123823, -0.1635925716877864,
    -0.15860503017665906, -0.1535924883530697, -0.1485546943231384, -0.14518200984457508, -0.1401015586120593,
    -0.13499516453748583, -0.13157635778861732, -0.12642613181242268, -0.12297785253349502, -0.11778303565643,
    -0.11430477128010352, -0.10906458461658985, -0.10555580908680895, -0.10026945316371894, -0.09672962645845473,
    -0.09139628048319537, -0.08782484811558788, -0.0842406148876762, -0.07884006170775137, -0.07522342123752424,
    -0.07159365318693744, -0.06612417738256227, -0.06246116962370252, -0.058784694894484346, -0.05509465380691836,
    -0.04953393512232651, -0.0458095360313564, -0.04207121392073532, -0.03831886430202758, -0.034552381506728125,
    -0.02887592350180057, -0.025073637552168293, -0.02125683902545461, -0.017425416713876984,
    -0.013579258126355853, -0.009718249468960494, -0.0058422756242180185, 0.0,
))  # fmt: skip
LOGS_LOW = np.array((
    0.0, 7.223757580209288e-14, 1.1326399700142234e-14, -7.554530328896727e-14, -6.652375062271929e-14,
    -8.71601984429868e-14, -5.953822004049194e-14, 9.023009281142904e-14, -2.1225608044809997e-14,
    7.324072905400027e-14, 1.1253882534313481e-13, 6.322009333691484e-14, -9.969653023079706e-14,
    -9.49206327250953e-14, 9.631011033519217e-14, 6.889214192008475e-14, 6.083738419972574e-14,
    -4.2451216089619995e-14, 5.4642560554597724e-14, 1.4256439478199035e-14, 1.1026677017414112e-13,
    6.249274931606537e-14, 1.2645632984431417e-14, 9.140819889491412e-14, -9.076231556699796e-14,
    -1.0445339530284443e-13, 2.6693431578015818e-14, -2.239166785505485e-14, 7.262215167738776e-14,
    -4.3425422595242564e-14, 2.714636557077735e-14, -4.472851385991314e-14, -1.078736749871691e-14,
    6.573097737831975e-14, 7.784172549574863e-14, -9.834201296269778e-14, 9.331234677945918e-14,
    -1.0822171646799124e-13, 4.102651071698446e-14, 1.0674835088128526e-13, 4.2320076202145394e-14,
    -8.591298393628546e-14, -6.292357389008195e-14, 4.727452940514406e-14, -4.4204083338755686e-14,
    1.548345993498083e-14, 2.1522127491642888e-14, -1.0174753377507561e-14, 5.855316792709415e-14,
    -1.1281735060685524e-13, 2.3569101751290204e-14, -5.280156204729064e-15, 2.730651892134709e-14,
    -5.438888329899065e-14, 1.686950122813039e-15, -3.390686133672229e-14, -3.428840012666946e-14,
    9.106891248498981e-14, -6.370126600283037e-14, 9.774341135269335e-15, -4.444716351560619e-14,
    3.7923164802093147e-14, 3.993416384387844e-14, -9.43339818951269e-14, -5.706541987743993e-14,
    -9.582540180485092e-14, -4.8816703646769986e-14, 1.0389630784002988e-13, 3.350415533207792e-14,
    -1.2621729398885316e-14, -3.600176732637335e-15, -5.541005476110028e-14, 3.399981108361833e-14,
    3.997050909530134e-14, -9.368215243815848e-14, 3.149265065191484e-14, -3.558968449554976e-14,
    5.149667234141408e-14, -8.689160478764541e-14, 3.6507188831790577e-16, -9.805745568358603e-14,
    3.188184937543774e-14, -8.43272251985605e-14, -6.440856150696892e-14, -1.7425244670910416e-14,
    5.937506333384701e-14, -7.688252529068338e-14, 8.649239607212071e-14, -9.544561678653107e-14,
    1.0874563947074237e-13, 2.0472357800461955e-14, -2.4590457297706493e-14, 1.24915489807516e-15,
    7.718001336828099e-14, -1.961413128012016e-14, -1.8996158041578768e-14, -1.0195735223708473e-13,
    1.9238006950193018e-14, 7.566050031015517e-15, 4.654729747598445e-14, 4.488953352238699e-14,
    8.742272933901982e-14, -1.4186867403083108e-14, 4.378637617078398e-14, -9.638067658552277e-14,
    6.838063813455754e-15, -3.491258751364126e-15, -1.0003539556895334e-13, -2.465018906176612e-14,
    -6.329065958724544e-14, -7.137308225343178e-14, 8.884497016608428e-14, -3.3773094437176114e-14,
    5.6692671177423705e-14, -5.537791916885184e-14, 4.9880309107981426e-14, 6.219834199475792e-14,
    4.826314000551128e-14, -1.0902154302203302e-13, 6.839139742328777e-14, -5.3970320960875826e-14,
    5.233209414954029e-14, 3.9494181866332564e-14, 1.7851097601732306e-14, -2.5000409087988807e-14,
    3.914755880381555e-14, -1.0342121588786883e-14, 0.0,
))  # fmt: skip


@inlined
def scale_by_power(x, n):
    """x 2^n for whole |n| <= 2,000, rounded once."""
    if abs(n) < 1000.0:
        return x * from_bits((int(n) + 1023) << 52)
    half = int(n) >> 1
    return x * from_bits((half + 1023) << 52) * from_bits((int(n) - half + 1023) << 52)


@inlined
def exponential_parts(x, x_low):
    """n and the double-double r of e^(x + x_low) = 2^n e^r."""
    n = (x * PER_LN2 + ROUND) - ROUND
    a, b = x - n * LN2_1, n * LN2_2
    first = a - b
    rest = ((a - first) - b) + x_low
    r, low = quick_sum(first, rest)
    return n, r, low


@inlined
def exponential_tail(r):
    """e^r - 1 - r."""
    z = r * r
    first = 0.1666666666666667 + r * 0.04166666666666667
    second = 0.008333333333326112 + r * 0.001388888888888373
    third = 0.0001984126987490126 + r * 2.4801587325605324e-05
    fourth = 2.7557255297969643e-06 + r * 2.755727357010214e-07
    fifth = 2.5105259538448494e-08 + r * 2.0914717341716378e-09
    fours = z * z
    q = (first + z * second) + fours * ((third + z * fourth) + fours * fifth)
    return 0.5 * z + z * r * q


@inlined
def exponential_scaled(x, x_low, more):
    """2^more e^(x + x_low) for |x| <= `FAR`."""
    n, r, low = exponential_parts(x, x_low)
    s, e = quick_sum(1.0, r)
    return scale_by_power(s + (e + (low + exponential_tail(r))), n + more)


@elementary("exp")
def exp(x):
    """e^x."""
    if not abs(x) < FAR:
        return x if x != x else math.inf if x > 0.0 else 0.0
    return exponential_scaled(x, 0.0, 0.0)


@helper
def expm1_pair(x, x_low):
    """e^(x + x_low) - 1 as a double-double, x < 700."""
    if x < -50.0:
        return -1.0, 0.0
    n, r, low = exponential_parts(x, x_low)
    p = low + exponential_tail(r)
    if n == 0.0:
        return quick_sum(r, p)
    s, e = quick_sum(1.0, r)
    size = scale_by_power(1.0, n)
    total, rest = two_sum(s * size, -1.0)
    return quick_sum(total, rest + (e + p) * size)


@elementary("expm1")
def expm1(x):
    """e^x - 1."""
    if not abs(x) < LARGE:
        return exp(x) if x > 0.0 or x != x else -1.0
    if abs(x) < TINY:
        return x
    value, low = expm1_pair(x, 0.0)
    return value + low


@helper
def logarithm(x):
    """log(x) of finite x > 0 as a double-double, relative error below 2^-65."""
    shift = 0
    if x < 1e-300:
        x, shift = x * 2.0**100, -100
    bits = bits_of(x)
    exponent = (bits >> 52) - 1023
    part = bits & FRACTION
    at = part >> 45
    if at >= 53:
        exponent, part = exponent + 1, part - (1 << 52)
    # z between 181/256 and 181/128; z_1 the next number of 20 bits behind the point
    ones = part + (1023 << 52)
    z, z_1 = from_bits(ones), from_bits((ones + (1 << 31)) & FIRST_BITS)
    # z c = 1 + r: these products, and the square, are exact
    c = float(NEAR[at])
    r_1, r_2 = z_1 * c - 1.0, (z - z_1) * c
    r = r_1 + r_2
    half = 0.5 * r_1
    square = r_1 * half
    n = float(exponent + shift)
    base = n * LN2_1 + float(LOGS[at])
    first, low = quick_sum(base, r)
    value = first - square
    low += ((first - value) - square) + ((r_1 - r) + r_2) - r_2 * (half + 0.5 * r)
    z_2 = r * r
    p = (L_3 + r * L_4) + z_2 * ((L_5 + r * L_6) + z_2 * ((L_7 + r * L_8) + z_2 * L_9))
    return value, low + (n * LN2_2 + float(LOGS_LOW[at]) + r * z_2 * p)


@helper
def logarithm_of_more(x, x_low):
    """log(1 + x + x_low) as a double-double, x > -1."""
    z, low = two_sum(1.0, x)
    return add_pairs(*logarithm(z), *divide_pairs(low, x_low, z, 0.0))


@inlined
def has_logarithm(x):
    """True if 0 < x < inf."""
    return 0.0 < x < math.inf


@inlined
def logarithm_special(x, least):
    """Logarithm outside its domain: -inf at `least`, NaN below, x itself for NaN and inf."""
    if x != x or x > least:
        return x
    return -math.inf if x == least else math.nan


@elementary("log")
def log(x):
    """ln x."""
    if not has_logarithm(x):
        return logarithm_special(x, 0.0)
    value, low = logarithm(x)
    return value + low


@elementary("log1p")
def log1p(x):
    """ln(1 + x)."""
    if not has_logarithm(1.0 + x):
        return logarithm_special(x, -1.0)
    if abs(x) < TINY:
        return x
    if x > 1e20:
        return log(x)
    value, low = logarithm_of_more(x, 0.0)
    return value + low


@inlined
def logarithm_to(x, per, per_low):
    """Logarithm to another base, `per` the inverse of the base's logarithm."""
    if not has_logarithm(x):
        return logarithm_special(x, 0.0)
    value, low = multiply_pairs(*logarithm(x), per, per_low)
    return value + low


@elementary("log2")
def log2(x):
    """Logarithm to base 2."""
    return logarithm_to(x, PER_LN2, PER_LN2_LOW)


@elementary("log10")
def log10(x):
    """Logarithm to base 10."""
    return logarithm_to(x, PER_LN10, PER_LN10_LOW)


@inlined
def power(x, y):
    """x^y for finite x > 0 and |y| < `MOST`."""
    a, a_low = logarithm(x)
    # the product of their first 26 bits is exact
    a_1, y_1 = high_half(a), high_half(y)
    product = a_1 * y_1
    if abs(product) > FAR:
        return math.inf if product > 0.0 else 0.0
    return exponential_scaled(product, a_1 * (y - y_1) + ((a - a_1) + a_low) * y, 0.0)


@inlined
def is_whole(size):
    """True if a number >= 0 is whole."""
    return size >= WHOLE or (size + WHOLE) - WHOLE == size


@elementary("pow")
def pow(x, y):
    """x^y, special cases as in C."""
    if 0.0 < x < math.inf and abs(y) < MOST:
        return power(x, y)
    if y == 0.0 or x == 1.0:
        return 1.0
    if x != x or y != y:
        return x + y
    size, exponent = abs(x), abs(y)
    odd = exponent < 2.0 * WHOLE and is_whole(exponent) and not is_whole(0.5 * exponent)
    if size == 0.0 or size == math.inf:
        value = 0.0 if (size == 0.0) == (y > 0.0) else math.inf
        return math.copysign(value, x) if odd else value
    if exponent >= MOST:  # all but powers of 1 are 0 or infinite
        return 1.0 if size == 1.0 else math.inf if (size > 1.0) == (y > 0.0) else 0.0
    if x < 0.0 and not is_whole(exponent):
        return math.nan
    value = power(size, y)
    return -value if x < 0.0 and odd else value


@elementary("exp2")
def exp2(x):
    """2^x."""
    if not abs(x) < 2.0 * FAR:
        return x if x != x else math.inf if x > 0.0 else 0.0
    return power(2.0, x)


# --- of hyperbolas ----------------------------------------------------------------------------------------------------


@elementary("sinh")
def sinh(x):
    size = abs(x)
    if not TINY < size < LARGE:
        return x if not size >= LARGE else math.copysign(_half_exponential(size), x)
    u, u_low = expm1_pair(size, 0.0)
    v, v_low = divide_pairs(u, u_low, *add_pairs(1.0, 0.0, u, u_low))
    u, u_low = add_pairs(u, u_low, v, v_low)
    return math.copysign(0.5 * (u + u_low), x)


@elementary("cosh")
def cosh(x):
    size = abs(x)
    if not size < LARGE:
        return x if x != x else _half_exponential(size)
    e, e_low = add_pairs(1.0, 0.0, *expm1_pair(size, 0.0))
    e, e_low = add_pairs(e, e_low, *divide_pairs(1.0, 0.0, e, e_low))
    return 0.5 * (e + e_low)


@inlined
def _half_exponential(x):
    """e^x / 2 without overflow of e^x."""
    return exponential_scaled(x, 0.0, -1.0) if x < FAR else math.inf


@elementary("tanh")
def tanh(x):
    size = abs(x)
    if not TINY < size < 22.0:
        return x if not size >= 22.0 else math.copysign(1.0, x)
    u, u_low = expm1_pair(size + size, 0.0)
    u, u_low = divide_pairs(u, u_low, *add_pairs(2.0, 0.0, u, u_low))
    return math.copysign(u + u_low, x)


@elementary("asinh")
def asinh(x):
    size = abs(x)
    if not TINY < size < math.inf:
        return x
    if size > 1e9:
        a, a_low = add_pairs(*logarithm(size), LN2_1, LN2_2)
    else:
        square, low = two_product(size, size)
        b, b_low = sqrt_pair(*add_pairs(1.0, 0.0, square, low))
        b, b_low = divide_pairs(square, low, *add_pairs(1.0, 0.0, b, b_low))
        a, a_low = logarithm_of_more(*add_pairs(size, 0.0, b, b_low))
    return math.copysign(a + a_low, x)


@elementary("acosh")
def acosh(x):
    if not 1.0 <= x < math.inf:
        return x if x != x or x > 1.0 else math.nan
    if x > 1e9:
        a, a_low = add_pairs(*logarithm(x), LN2_1, LN2_2)
    else:
        t, t_low = two_sum(x, -1.0)
        b, b_low = sqrt_pair(*multiply_pairs(t, t_low, *add_pairs(2.0, 0.0, t, t_low)))
        a, a_low = logarithm_of_more(*add_pairs(t, t_low, b, b_low))
    return a + a_low


@elementary("atanh")
def atanh(x):
    size = abs(x)
    if not TINY < size < 1.0:
        return x if not size >= 1.0 else math.copysign(math.inf, x) if size == 1.0 else math.nan
    a, a_low = logarithm_of_more(*divide_pairs(2.0 * size, 0.0, *two_sum(1.0, -size)))
    return math.copysign(0.5 * (a + a_low), x)
