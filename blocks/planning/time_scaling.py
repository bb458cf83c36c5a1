"""Laws of motion: how a share s of the way grows from 0 to 1 while a share tau of the time does.

Each gives s, ds/dtau and d2s/dtau2, for 0 <= tau <= 1. What is zero at both ends:

    poly3        velocity
    poly5        velocity, acceleration
    poly7        velocity, acceleration, jerk
    cycloidal    velocity, acceleration
    trapezoidal  velocity; constant acceleration during the share `ramp` of the time at each end
    s_curve      velocity, acceleration; in each ramp the acceleration rises and falls linearly, for the share
                 `rounding` of the ramp each

All are symmetric: s(1 - tau) = 1 - s(tau).
"""

from __future__ import annotations

import math

from ..signals.piecewise_polynomials import inside_step

LAWS = ("poly3", "poly5", "poly7", "cycloidal", "trapezoidal", "s_curve")


def poly3(tau):
    return tau**2 * (3.0 - 2.0 * tau), 6.0 * tau * (1.0 - tau), 6.0 - 12.0 * tau


def poly5(tau):
    rest = 1.0 - tau
    s = tau**3 * (10.0 + tau * (-15.0 + 6.0 * tau))
    return s, 30.0 * tau**2 * rest**2, 60.0 * tau * rest * (1.0 - 2.0 * tau)


def poly7(tau):
    rest = 1.0 - tau
    s = tau**4 * (35.0 + tau * (-84.0 + tau * (70.0 - 20.0 * tau)))
    return s, 140.0 * tau**3 * rest**3, 420.0 * tau**2 * rest**2 * (1.0 - 2.0 * tau)


def cycloidal(tau):
    angle = 2.0 * math.pi * tau
    return tau - math.sin(angle) / (2.0 * math.pi), 1.0 - math.cos(angle), 2.0 * math.pi * math.sin(angle)


def ramp_up(tau, near, ramp, rounding):
    """The first half of the laws with a constant speed v between two ramps; a is the greatest acceleration.

    `near` decides in which part tau lies.
    """
    v = 1.0 / (1.0 - ramp)
    round_time = rounding * ramp
    a = v / (ramp - round_time)
    if near >= ramp:
        return v * (tau - 0.5 * ramp), v, 0.0
    if near < round_time:
        jerk = a / round_time
        return jerk * tau**3 / 6.0, 0.5 * jerk * tau**2, jerk * tau
    if near <= ramp - round_time:
        since = tau - round_time
        s = a * (round_time**2 / 6.0 + 0.5 * round_time * since + 0.5 * since**2)
        return s, a * (0.5 * round_time + since), a
    left = ramp - tau
    jerk = a / round_time
    return v * (0.5 * ramp - left) + jerk * left**3 / 6.0, v - 0.5 * jerk * left**2, jerk * left


def ramped(tau, near, ramp, rounding):
    if near <= 0.5:
        return ramp_up(tau, near, ramp, rounding)
    s, rate, acceleration = ramp_up(1.0 - tau, 1.0 - near, ramp, rounding)
    return 1.0 - s, rate, -acceleration


def law(code, tau, near, ramp, rounding):
    """The law with a number (its place in LAWS); at rest before its start and from its end on.

    `near` is tau, moved a little into the step under way: it decides between the pieces of the law.
    """
    if near < 0.0:
        return 0.0, 0.0, 0.0
    if near >= 1.0:
        return 1.0, 0.0, 0.0
    if code == 0.0:
        return poly3(tau)
    if code == 1.0:
        return poly5(tau)
    if code == 2.0:
        return poly7(tau)
    if code == 3.0:
        return cycloidal(tau)
    if code == 4.0:
        return ramped(tau, near, ramp, 0.0)
    return ramped(tau, near, ramp, rounding)


def leg_at(t, during, timing, cycle):
    """The leg that is under way at t, and how much of it is done: its number, s, rate and acceleration.

    Where two pieces meet at t, that of the step under way holds, in which `during` lies.
    `timing` has five numbers for each leg: its begin, duration, law, ramp and rounding; `cycle` the start of the
    first leg, the time that all take, and how often they run (0: without end).
    """
    legs = len(timing) // 5
    since = t - cycle[0]
    near = inside_step(t, during) - cycle[0]
    if near < 0.0:
        return 0, 0.0, 0.0, 0.0
    if cycle[2] != 1.0:
        # outside of a run a cycle counts as over a little before its end: times are sums of steps
        done = math.floor(near / cycle[1] + 1e-12)
        if done >= cycle[2] > 0.0:
            return legs - 1, 1.0, 0.0, 0.0
        since -= done * cycle[1]
        near = max(near - done * cycle[1], 0.0)
    k = 0
    while k < legs - 1 and near >= timing[5 * (k + 1)]:
        k += 1
    row = 5 * k
    duration = timing[row + 1]
    s, rate, acceleration = law(
        timing[row + 2],
        (since - timing[row]) / duration,
        (near - timing[row]) / duration,
        timing[row + 3],
        timing[row + 4],
    )
    return k, s, rate / duration, acceleration / duration**2


def way_at(leg, stops, width, i):
    """Element i on the straight way between two stops, which stand one after the other."""
    k, s, rate, acceleration = leg
    here = stops[k * width + i]
    way = stops[(k + 1) * width + i] - here
    return here + way * s, way * rate, way * acceleration


def legs_motion(t, during, i, timing, stops, cycle):
    """Element i of a motion along straight legs between stops."""
    width = len(stops) // (len(timing) // 5 + 1)
    return way_at(leg_at(t, during, timing, cycle), stops, width, i % width)


HELPERS = (inside_step, poly3, poly5, poly7, cycloidal, ramp_up, ramped, law, leg_at, way_at)
