"""Signals at the edges of their laws: thresholds met exactly, limits that meet, zero spans and times."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import luff

from .edge import Compared, edge

R = luff.Result
ROUND = 1e-12  # rounding of a few operations
Answers = Iterable[Compared]


@edge(
    "dead_zone saturation",
    """
  u: {type: sine, amplitude: 2, frequency: 3 rad/s}
  none: {type: dead_zone, lower: 0, upper: 0}
  some: {type: dead_zone, lower: -1, upper: 0.5}
  shut: {type: saturation, lower: 0.3, upper: 0.3}
  half: {type: saturation, lower: null, upper: -1}
""",
    "u.y -> none.u, u.y -> some.u, u.y -> shut.u, u.y -> half.u",
    stop=2.0,
)
def zones_and_limits_without_width(r: R) -> Answers:
    u = 2 * np.sin(3 * r.time)
    yield "zone of no width", r["none.y"], u, ROUND
    yield "zone", r["some.y"], np.where(u > 0.5, u - 0.5, np.where(u < -1, u + 1, 0)), ROUND
    yield "limits that meet", r["shut.y"], 0.3, 0.0
    yield "upper limit below the mean", r["half.y"], np.minimum(u, -1), ROUND


@edge(
    "quantizer",
    """
  u: {type: ramp, offset: -1, slope: 1}
  it: {type: quantizer, interval: 0.25}
""",
    "u.y -> it.u",
    stop=2.0,
    step=0.0625,
    coarse=False,
)
def quantizer_at_halves(r: R) -> Answers:
    # multiples of 1/16 are exact in binary: halves of the interval are met exactly
    yield "nearest, of two the upper one", r["it.y"], 0.25 * np.floor((r.time - 1) / 0.25 + 0.5), 0.0


@edge(
    "relay",
    """
  u: {type: ramp, offset: -1, slope: 1}
  down: {type: ramp, offset: 1, slope: -1}
  up: {type: relay, lower: -0.5, upper: 0.5, low: -2, high: 3}
  fall: {type: relay, lower: -0.5, upper: 0.5, low: -2, high: 3}
  thin: {type: relay, lower: 0, upper: 0}
  kept: {type: relay, lower: -5, upper: 5, start: 1, high: 7}
""",
    "u.y -> up.u, down.y -> fall.u, u.y -> thin.u, u.y -> kept.u",
    stop=2.0,
    step=0.0625,
    coarse=False,
)
def relay_at_its_thresholds(r: R) -> Answers:
    u = r.time - 1
    # decided at the start of a step with t in its middle: there u is half a step further
    ahead = u + 0.5 * 0.0625
    yield "rises above", r["up.y"][:-1], np.where(ahead > 0.5, 3.0, -2.0)[:-1], 0.0
    yield "falls at", r["fall.y"][:-1], np.where(-ahead <= -0.5, -2.0, 3.0)[:-1], 0.0
    yield "without hysteresis", r["thin.y"][:-1], (ahead > 0)[:-1], 0.0
    yield "starts high between", r["kept.y"], 7.0, 0.0


@edge(
    "switch",
    """
  level: {type: constant, value: 0.5}
  one: {type: constant, value: 1}
  two: {type: constant, value: 2}
  it: {type: switch, threshold: 0.5}
  less: {type: switch, threshold: 0.4999999999}
""",
    "level.y -> it.control, one.y -> it.u1, two.y -> it.u2, level.y -> less.control,"
    " one.y -> less.u1, two.y -> less.u2",
)
def switch_at_its_threshold(r: R) -> Answers:
    yield "at the threshold", r["it.y"], 2.0, 0.0
    yield "a little above", r["less.y"], 1.0, 0.0


@edge(
    "rate_limit",
    """
  up: {type: step, start: 0.2, height: 1}
  down: {type: step, start: 0.2, height: -1}
  wave: {type: sine, amplitude: 1, frequency: 2 rad/s}
  rise: {type: rate_limit, rising: 2}
  fall: {type: rate_limit, rising: 1e9, falling: 4}
  fixed: {type: rate_limit, rising: 0}
  free: {type: rate_limit, rising: 1000}
""",
    "up.y -> rise.u, down.y -> fall.u, wave.y -> fixed.u, wave.y -> free.u",
)
def rate_limit_of_steps_and_of_nothing(r: R) -> Answers:
    t = r.time
    yield "rise", r["rise.y"], np.clip(2 * (t - 0.2), 0, 1), 0.021  # within the step of the jump
    yield "fall", r["fall.y"], np.clip(-4 * (t - 0.2), -1, 0), 0.041
    yield "no rate", r["fixed.y"], 0.0, 0.0
    # a limit that never holds: what it follows passes, at most a step late
    yield "never reached", r["free.y"], np.sin(2 * t), 0.021


@edge(
    "delay",
    """
  u: {type: ramp, offset: 1, slope: 2}
  s: {type: step, start: 0.3}
  short: {type: delay, delay: 0.01}
  odd: {type: delay, delay: 0.0333, initial: 1}
  long: {type: delay, delay: 5, initial: -7}
  jump: {type: delay, delay: 0.2}
""",
    "u.y -> short.u, u.y -> odd.u, u.y -> long.u, s.y -> jump.u",
    coarse=False,
)
def delays_of_a_step_and_of_more_than_the_run(r: R) -> Answers:
    t = r.time
    late = t > 0.034
    yield "one step", r["short.y"][2:], (1 + 2 * (t - 0.01))[2:], ROUND
    yield "no whole number of steps", r["odd.y"][late], (1 + 2 * (t - 0.0333))[late], ROUND
    yield "longer than the run", r["long.y"], -7.0, 0.0
    away = np.abs(t - 0.5) > 0.006
    yield "jump", r["jump.y"][away], (t > 0.5)[away], 0.0


@edge(
    "unit_delay zero_order_hold",
    """
  u: {type: ramp, slope: 1}
  last: {type: unit_delay, sample_time: 0.1, initial: -1}
  hold: {type: zero_order_hold, sample_time: 0.1}
  each: {type: zero_order_hold, sample_time: 0.01}
  bare: {type: unit_delay, sample_time: 0.01, initial: -1}
""",
    "u.y -> last.u, u.y -> hold.u, u.y -> each.u, u.y -> bare.u",
    coarse=False,
)
def samplers_of_a_step_and_of_ten(r: R) -> Answers:
    n = np.round(r.time / 0.01).astype(int)
    yield "hold", r["hold.y"], (n // 10) * 0.1, ROUND
    yield "one late", r["last.y"], np.where(n < 10, -1.0, (n // 10 - 1) * 0.1), ROUND
    yield "hold of a step", r["each.y"], r.time, ROUND
    yield "one late of a step", r["bare.y"], np.where(n < 1, -1.0, (n - 1) * 0.01), ROUND


@edge(
    "integrator",
    """
  u: {type: sine, frequency: 6.283185307179586 rad/s, amplitude: 6.283185307179586}
  it: {type: integrator, upper: 1, lower: -0.5}
  at: {type: integrator, initial: 1, upper: 1}
  shut: {type: integrator, initial: 0.2, upper: 0.2, lower: 0.2}
  none: {type: constant, value: 0}
  rest: {type: integrator, initial: 3}
""",
    "u.y -> it.u, u.y -> at.u, u.y -> shut.u, none.y -> rest.u",
    stop=2.0,
    step=1e-3,
)
def integrator_that_meets_its_limits(r: R) -> Answers:
    t = r.time
    swing = 1 - np.cos(2 * np.pi * t)  # 0 to 2
    first = t <= 0.5
    # it stops at 1 from a quarter on, leaves at the half with the rate that is there, and meets -0.5 on the way back
    down = 1 + swing - 2
    known = np.where(first, np.minimum(swing, 1), np.maximum(down, -0.5))
    yield "a period", r["it.y"][t <= 1.0], known[t <= 1.0], 0.01  # the step in which it stops: 2 pi h
    yield "from the limit", r["at.y"][t < 0.5], 1.0, 0.01
    yield "limits that meet", r["shut.y"], 0.2, 0.01
    yield "of nothing", r["rest.y"], 3.0, 0.0


@edge(
    "derivative",
    """
  u: {type: ramp, offset: 2, slope: 3}
  it: {type: derivative, T: 0.1, initial: 2}
  jolt: {type: derivative, T: 0.1}
""",
    "u.y -> it.u, u.y -> jolt.u",
    step=2e-3,
)
def derivative_of_a_ramp(r: R) -> Answers:
    t = r.time
    e = np.exp(-t / 0.1)
    yield "from what it was told", r["it.y"], 3 * (1 - e), 1e-6  # rk4: (h/T)^4/120 of 3; implicit of order 3
    yield "unknown before", r["jolt.y"], r["jolt.y"], 0.0


@edge(
    "transfer_function state_space",
    """
  u: {type: step, start: 0}
  twice: {type: transfer_function, num: [1], den: [1, 0, 0]}
  even: {type: transfer_function, num: [1, 0], den: [1, 2]}
  grows: {type: transfer_function, num: [1], den: [1, -3]}
  lag: {type: state_space, A: [[0, 0], [0, 0]], B: [[1], [2]], C: [[1, 1]], initial: [1, 2]}
  through: {type: state_space, A: [[-1]], B: [[0]], C: [[0]], D: [[5]]}
""",
    "u.y -> twice.u, u.y -> even.u, u.y -> grows.u, u.y -> lag.u, u.y -> through.u",
    step=5e-3,
)
def transfer_functions_without_poles_and_with_unstable_ones(r: R) -> Answers:
    t = r.time
    yield "twice integrated", r["twice.y"], t**2 / 2, 1e-9
    yield "as many zeros as poles", r["even.y"], np.exp(-2 * t), 1e-8
    yield "unstable", r["grows.y"], (np.exp(3 * t) - 1) / 3, 1e-4  # implicit: order 3, grown twentyfold
    yield "integrators", r["lag.y"], 3 + 3 * t, 1e-9
    yield "through alone", r["through.y"], 5.0, 0.0


@edge(
    "pid",
    """
  goal: {type: constant, value: 1}
  still: {type: constant, value: 0}
  only_i: {type: pid, kp: 0, ki: 2, initial: 0.5}
  wind: {type: pid, kp: 1, ki: 10, upper: 0.5, tracking_time: 0.1}
  shut: {type: pid, kp: 5, ki: 3, lower: 0.2, upper: 0.2}
  down: {type: pid, kp: 1, ki: 10, lower: -0.5}
  nothing: {type: pid, kp: 0}
""",
    "goal.trajectory -> only_i.target, still.trajectory -> only_i.measured, goal.trajectory -> wind.target,"
    " still.trajectory -> wind.measured, goal.trajectory -> shut.target, still.trajectory -> shut.measured,"
    " still.trajectory -> down.target, goal.trajectory -> down.measured, goal.trajectory -> nothing.target,"
    " still.trajectory -> nothing.measured",
    step=5e-3,
)
def pid_of_one_part_and_at_limits(r: R) -> Answers:
    yield "integral alone", r["only_i.effort"], 0.5 + 2 * r.time, 1e-9
    yield "upper limit", r["wind.effort"], 0.5, 0.0
    yield "limits that meet", r["shut.effort"], 0.2, 0.0
    yield "lower limit", r["down.effort"], np.where(r.time > 0, -0.5, -0.5), 0.0
    yield "no gains", r["nothing.effort"], 0.0, 0.0


@edge(
    "friction_compensation",
    """
  v: {type: constant, value: 0.3}
  slow: {type: constant, value: -0.05}
  N: {type: constant, value: 400, unit: N}
  one: {type: constant, value: 7}
  pin: {type: friction_compensation, diameter: 0.1, dead_zone: 0.1, initial_load: 400}
  slide: {type: friction_compensation, model: dahl, dead_zone: 0.1, initial_load: 400}
  back: {type: friction_compensation, model: coulomb, load_time: 0.2}
  still: {type: friction_compensation, dead_zone: 0.1}
  off: {type: friction_compensation, model: none}
  behind: {type: friction_compensation, dead_zone: 0.1, initial_load: 400, gain: 0.5, sigma_1: 0}
  e: {type: constant, value: 1e-3}
""",
    "v.y -> pin.velocity, N.y -> pin.normal_force, one.y -> pin.feedforward, v.y -> slide.velocity,"
    " N.y -> slide.normal_force, slow.y -> back.velocity, N.y -> back.normal_force, slow.y -> still.velocity,"
    " N.y -> still.normal_force, v.y -> off.velocity, N.y -> off.normal_force, one.y -> off.feedforward,"
    " slow.y -> behind.velocity, N.y -> behind.normal_force, e.y -> behind.error",
    step=1e-4,
    rows=2e-3,
    stop=0.2,
)
def friction_that_is_compensated(r: R) -> Answers:
    """At a constant speed, of which 0.2 is beyond the dead zone, bristles bend like a lag."""
    t, v = r.time, 0.2
    g = 0.15 + 0.05 * np.exp(-((v / 0.1) ** 2))
    # the lag is of 1/267 s: a step is off by (h rate)^3 of it with `implicit`, 2e-5, for a tenth of the way
    left = np.exp(-200 * v * t / g)
    yield "LuGre on a pin", r["pin.friction"], 400 * 0.05 * (g * (1 - left) + 0.5 * v * left + 0.01 * v), 1e-5
    yield "with what it is added to", r["pin.effort"], r["pin.friction"] + 7, 1e-12
    yield "Dahl on a slide", r["slide.effort"], 400 * 0.2 * (1 - np.exp(-200 * v * t / 0.2)), 1e-5
    coulomb = -(0.15 + 0.05 * np.exp(-0.25)) * np.tanh(5.0)
    yield "Coulomb, with a load that lags", r["back.effort"], 400 * (1 - np.exp(-5 * t)) * coulomb, 1e-9
    yield "nothing within the dead zone", r["still.effort"], 0.0, 0.0
    yield "nothing of no friction", r["off.friction"], 0.0, 0.0
    yield "the feedforward alone", r["off.effort"], 7.0, 0.0
    yield "an error bends the bristle at rest too", r["behind.effort"], 400 * 200 * 0.5e-3 * t, 1e-9


@edge(
    "pd",
    """
  goal: {type: ramp, slope: 4}
  still: {type: constant, value: 0}
  up: {type: pd, kp: 1, kd: 0.1, upper: 2}
  down: {type: pd, kp: 1, kd: 0.1, lower: 1}
""",
    "goal.trajectory -> up.target, still.trajectory -> up.measured, goal.trajectory -> down.target,"
    " still.trajectory -> down.measured",
)
def pd_with_one_limit(r: R) -> Answers:
    free = 4 * r.time + 0.4
    yield "upper", r["up.effort"], np.minimum(free, 2), ROUND
    yield "lower", r["down.effort"], np.maximum(free, 1), ROUND


@edge(
    "expression product sum gain mux demux",
    """
  u: {type: ramp, offset: -1, slope: 2}
  parts: {type: expression, inputs: [a], expr: "abs(a) + max(a, 0) - min(a, 0) + a/abs(a - 5)"}
  over: {type: product, operations: "/*"}
  less: {type: sum, signs: "--"}
  none: {type: gain, k: 0}
  both: {type: mux, sizes: [1, 1]}
  two: {type: demux, sizes: [1, 1]}
  far: {type: constant, value: -4}
""",
    "u.y -> parts.a, far.y -> over.u1, u.y -> over.u2, u.y -> less.u1, far.y -> less.u2, u.y -> none.u,"
    " u.y -> both.u1, far.y -> both.u2, both.y -> two.u",
)
def sums_and_products_through_zero(r: R) -> Answers:
    u = 2 * r.time - 1
    yield "expression", r["parts.y"], 2 * np.abs(u) + u / np.abs(u - 5), ROUND
    yield "quotient", r["over.y"], u / -4, ROUND
    yield "both taken away", r["less.y"], 4 - u, ROUND
    yield "nothing", r["none.y"], 0.0, 0.0
    yield "there and back", r["two.y1"], u, 0.0
    yield "and the other", r["two.y2"], -4.0, 0.0


@edge(
    "rms",
    """
  u: {type: sine, frequency: 6.283185307179586 rad/s, amplitude: 3, offset: 4}
  flat: {type: constant, value: -2}
  it: {type: rms}
  same: {type: rms}
  late: {type: rms, start: 0.5}
  never: {type: rms, start: 10}
""",
    "u.y -> it.u, flat.y -> same.u, u.y -> late.u, u.y -> never.u",
    step=5e-3,
)
def rms_of_a_period_and_of_a_constant(r: R) -> Answers:
    yield "a period", r["it.y"][-1], np.sqrt(16 + 4.5), 1e-6
    yield "its mean", r["it.mean"][-1], 4.0, 1e-7
    yield "its deviation", r["it.deviation"][-1], 3 / np.sqrt(2), 1e-6
    yield "a constant", r["same.y"][1:], 2.0, 1e-9
    yield "without deviation", r["same.deviation"], 0.0, 1e-7  # a root of what rounding leaves
    # half a period from pi on: the sine is -3 sin, its mean -6/pi
    yield "half a period", r["late.mean"][-1], 4 - 6 / np.pi, 1e-6
    yield "not yet begun", np.isfinite(r["never.y"]), 1.0, 0.0


@edge(
    "rainflow",
    """
  u: {type: sine, frequency: 62.83185307179586 rad/s, amplitude: 1}
  up: {type: ramp, slope: 2}
  flat: {type: constant, value: 5}
  it: {type: rainflow, fatigue: {strength: 2, slope: 3, reference: 100}}
  half: {type: rainflow, fatigue: {strength: 2, slope: 3, reference: 100}}
  none: {type: rainflow, fatigue: {strength: 2, slope: 3, reference: 100}}
  below: {type: rainflow, fatigue: {strength: 4, slope: 3, reference: 100, knee: 200}}
  small: {type: rainflow, fatigue: {strength: 2, slope: 3, reference: 100, smallest: 2.1}}
""",
    "u.y -> it.u, up.y -> half.u, flat.y -> none.u, u.y -> below.u, u.y -> small.u",
    step=1e-3,
    coarse=False,  # it says that it looks once a step
)
def rainflow_of_one_amplitude(r: R) -> Answers:
    # ten periods, each of the range that is borne 100 times; it begins and ends in the middle of one: 19 full
    # halves between the peaks, and two of half the range with an eighth of the damage
    yield "ten periods", r["it.damage"][-1], (19 / 2 + 2 / 2 / 8) / 100, 1e-5
    yield "one way", r["half.damage"][-1], 0.5 / 100, 1e-9
    yield "one way is half a cycle", r["half.cycles"][-1], 0.5, 0.0
    yield "nothing", r["none.damage"], 0.0, 0.0
    yield "below the knee", r["below.damage"], 0.0, 0.0
    yield "too small to count", r["small.cycles"], 0.0, 0.0
