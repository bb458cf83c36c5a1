"""Friction of a pair of solids: one elasto-plastic bristle (`stiction.py`) for sliding and spin, one for rolling.

The bristle belongs to the pair, so that nothing is handed over when corners come and go: three deflections in the axes
of solid a and one of spin, in metres at the radius r_0. It holds at the centre of the features that carry, whatever
each of them carries: at the centre of pressure, which moves with the load, it would drive a motion. Its limit mu N is
taken at the centre of pressure, on (force, torque / r_eff), r_eff the radius of the friction torque.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .small_matrices import add_cross, cross, dot, read_3, scale_3, subtract_3, write_3
from .stiction import FORGETS, SLIDES, slip_fraction

LIGHT = 0.4  # share of N at which a feature holds with half its weight; a smaller one is stiffer at a second impact
LEAST_RADIUS = 1e-9  # [m], of a friction torque


@inlined
def dot_4(a, b):
    """a . b (4)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@inlined
def scale_4(k, a):
    """k a (4)."""
    return k * a[0], k * a[1], k * a[2], k * a[3]


@helper
def held_force(z, v, k, c, most, towards):
    """Force against the motion (4), slip rate (4) and relaxation rate of a bristle of four deflections z.

    k stiffness, c damping, v rate, `most` the limit force; `towards` is the slip rate along the bristle that keeps its
    force constant.
    """
    if not most > 0.0:
        return (0.0, 0.0, 0.0, 0.0), v, FORGETS
    elastic = scale_4(k, z)
    square = dot_4(elastic, elastic)
    pull = math.sqrt(square) if square > 0.0 else 0.0
    n = scale_4(1.0 / pull if pull > 0.0 else 0.0, elastic)
    share = pull / most
    slip, hold, back = slip_fraction(share) * towards, 1.0, 0.0
    if share > 1.0:
        hold = 1.0 / share
        # what is not passed on slips, or the bristle would store more than it takes
        slip = max(slip, (1.0 - hold) * dot_4(n, v))
        if share > SLIDES:
            back = FORGETS * (1.0 - SLIDES * hold)
    elastic, damping = scale_4(hold, elastic), scale_4(c, v)
    # the damper takes what the spring leaves of the limit
    ww, hw, hh = dot_4(damping, damping), dot_4(elastic, damping), dot_4(elastic, elastic)
    part = 1.0
    if hh + 2.0 * hw + ww > most * most:
        part = 0.0
        if ww > 0.0:
            left = max(most * most - hh, 0.0)
            root = math.sqrt(hw * hw + ww * left) if hw * hw + ww * left > 0.0 else 0.0
            part = min(left / (hw + root) if hw > 0.0 else (root - hw) / ww, 1.0)
    force = (
        elastic[0] + part * damping[0],
        elastic[1] + part * damping[1],
        elastic[2] + part * damping[2],
        elastic[3] + part * damping[3],
    )
    return force, scale_4(slip, n), back


@helper
def holding_centre(d, count, N, centre, n):
    """Centre of the features that carry, from the centre of pressure across n (3), and their mean square distance."""
    weights = square = hx = hy = hz = 0.0
    for j in range(count):
        force = d.touch_point[j, f.POINT_FORCE]
        w = force / (force + LIGHT * N)
        r = subtract_3(read_3(d.touch_point, j, f.POINT_AT), centre)
        weights, square = weights + w, square + w * dot(r, r)
        hx, hy, hz = hx + w * r[0], hy + w * r[1], hz + w * r[2]
    h = (hx / weights, hy / weights, hz / weights)
    h = subtract_3(h, scale_3(dot(h, n), n))
    return h, square / weights - dot(h, h)


@helper
def slide_and_spin(m, d, e, p, motion, count, N, n, centre):
    """Friction force on b at the centre of pressure and torque about n; rates of the bristle, its energy and loss."""
    value, out = m.element_value, d.element_out
    k, most = value[e, f.T_ACROSS], value[e, f.T_FRICTION] * N
    r = subtract_3(centre, p)
    spread = d.touch_sum[0, f.SUM_SPREAD] / N - dot(r, r)
    r_eff = value[e, f.T_SPIN] * math.sqrt(max(spread, 0.0) + 1e-12) + LEAST_RADIUS
    # motion at the centre of pressure across n, and about it
    v = add_cross(motion[1], motion[0], centre)
    v = subtract_3(v, scale_3(dot(v, n), n))
    spin = dot(motion[0], n)
    z = read_3(out, e, f.SLIP)
    zn, z_spin = dot(z, n), out[e, f.SLIP + 3]
    z = subtract_3(z, scale_3(zn, n))
    h, gyration = holding_centre(d, count, N, centre, n)
    r_0 = r_eff
    if count > 1:
        r_0 = max(math.sqrt(max(gyration, 0.0) + 1e-6 * r_eff * r_eff), 1e-3 * r_eff)
    # the bristle's force and torque, at the centre of pressure
    torque = r_0 * k * z_spin + k * dot(cross(h, z), n)
    bent = (z[0], z[1], z[2], torque / (k * r_eff))
    rate = (v[0], v[1], v[2], r_eff * spin)
    # slip that keeps the force: e . M v / e . M e, M the bristle's stiffness at the centre of pressure over k
    q = cross(n, h)
    square, towards = dot_4(bent, bent), 0.0
    if square > 0.0:
        unit = scale_4(1.0 / math.sqrt(square), bent)
        turn, wind = spin, unit[3] / r_eff
        a = v[0] + turn * q[0], v[1] + turn * q[1], v[2] + turn * q[2]
        b = unit[0] + wind * q[0], unit[1] + wind * q[1], unit[2] + wind * q[2]
        a_spin = (r_0 * r_0 * turn + dot(q, a)) / r_eff
        b_spin = (r_0 * r_0 * wind + dot(q, b)) / r_eff
        straight = (unit[0], unit[1], unit[2])
        towards = max((dot(straight, a) + unit[3] * a_spin) / (dot(straight, b) + unit[3] * b_spin), 0.0)
    force, slip, back = held_force(bent, rate, k, value[e, f.T_ACROSS_DAMPING], most, towards)
    turned = slip[3] / r_eff
    # rates where it holds; beyond the limit the bristle straightens in its own deflections
    bx = v[0] + spin * q[0] - slip[0] - turned * q[0] - back * z[0]
    by = v[1] + spin * q[1] - slip[1] - turned * q[1] - back * z[1]
    bz = v[2] + spin * q[2] - slip[2] - turned * q[2] - back * z[2]
    b_spin = r_0 * (spin - turned) - back * z_spin
    write_3(out, e, f.SLIP_RATE, subtract_3((bx, by, bz), scale_3(FORGETS * zn, n)))
    out[e, f.SLIP_RATE + 3] = b_spin
    # what has turned along n is stored until it is forgotten
    out[e, f.STORED] += 0.5 * k * (dot(z, z) + zn * zn + z_spin * z_spin)
    out[e, f.POWER_LOST] += (
        dot_4(force, rate) - k * (dot(z, (bx, by, bz)) + z_spin * b_spin) + FORGETS * k * zn * zn
    )
    return (-force[0], -force[1], -force[2]), -r_eff * force[3]


@helper
def resist_rolling(m, d, e, motion, N, n):
    """Torque on b against rolling, up to share radius mu N, by a bristle of its own that bends at that radius.

    Its stiffness and damping are that share of those across, so that both slip at the same deflection.
    """
    value, out = m.element_value, d.element_out
    share, radius = value[e, f.T_ROLLING], value[e, f.T_ROLLING_RADIUS]
    k, c, most = (
        share * value[e, f.T_ACROSS],
        share * value[e, f.T_ACROSS_DAMPING],
        share * value[e, f.T_FRICTION] * N,
    )
    z = read_3(out, e, f.SLIP + 4)
    zn = dot(z, n)
    z = subtract_3(z, scale_3(zn, n))
    w = scale_3(radius, subtract_3(motion[0], scale_3(dot(motion[0], n), n)))
    square = dot(z, z)
    towards = max(dot(z, w), 0.0) / math.sqrt(square) if square > 0.0 else 0.0
    bent, rate = (z[0], z[1], z[2], 0.0), (w[0], w[1], w[2], 0.0)
    force, slip, back = held_force(bent, rate, k, c, most, towards)
    bend = (
        w[0] - slip[0] - back * z[0],
        w[1] - slip[1] - back * z[1],
        w[2] - slip[2] - back * z[2],
    )
    write_3(out, e, f.SLIP_RATE + 4, subtract_3(bend, scale_3(FORGETS * zn, n)))
    out[e, f.STORED] += 0.5 * k * (square + zn * zn)
    out[e, f.POWER_LOST] += dot_4(force, rate) - k * dot(z, bend) + FORGETS * k * zn * zn
    return -radius * force[0], -radius * force[1], -radius * force[2]
