"""Sources, tables and plans at the edges of their laws."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import luff

from .edge import Compared, edge

R = luff.Result
ROUND = 1e-12
Answers = Iterable[Compared]


@edge(
    "sine chirp constant",
    """
  still: {type: sine, frequency: 1e-12 rad/s, amplitude: 2, phase: 30 deg, offset: 1}
  early: {type: sine, frequency: 4 rad/s, start: -0.5, amplitude: 2}
  late: {type: sine, frequency: 4 rad/s, start: 0.5, amplitude: 2, phase: 0.3}
  same: {type: chirp, first: 5 rad/s, last: 5 rad/s, duration: 0.3}
  down: {type: chirp, first: 8 rad/s, last: 2 rad/s, duration: 0.5}
  stop: {type: chirp, first: 8 rad/s, last: 0 rad/s, duration: 0.5}
""",
    coarse=False,
)
def waves_of_no_frequency_and_downwards(r: R) -> Answers:
    t = r.time
    yield "no frequency", r["still.y"], 2.0, 2 * ROUND
    yield "begun before", r["early.y"], 2 * np.sin(4 * (t + 0.5)), ROUND
    after = t > 0.501
    yield "phase", r["late.y"][after], (2 * np.sin(4 * (t - 0.5) + 0.3))[after], ROUND
    yield "one frequency", r["same.y"], np.sin(5 * t), ROUND
    s = np.minimum(t, 0.5)
    yield "downwards", r["down.y"], np.sin(8 * s - 6 * s * s + 2 * (t - s)), ROUND
    yield "to a stop", r["stop.y"], np.sin(8 * s - 8 * s * s), ROUND


@edge(
    "pulse step ramp",
    """
  always: {type: pulse, duration: 0.2, period: 0.2, height: 3}
  thin: {type: pulse, duration: 0.01, period: 0.1, height: 3, start: 0.1}
  before: {type: pulse, start: -0.05, duration: 0.1, height: -1}
  jump: {type: step, start: -1, height: -2, offset: 1}
  short: {type: ramp, slope: 5, duration: 0}
  ends: {type: ramp, slope: -5, duration: 0.2, start: 0.2, offset: 1}
  area: {type: integrator}
""",
    "thin.y -> area.u",
    coarse=False,
)
def pulses_without_gaps_and_of_one_step(r: R) -> Answers:
    t = r.time
    yield "without gaps", r["always.y"][:-1], 3.0, 0.0
    yield "one step: its area", r["area.y"][-1], 9 * 0.03, ROUND
    n = np.round(t / 0.01)
    yield "begun before", r["before.y"][n != 5], np.where(n < 5, -1.0, 0.0)[n != 5], 0.0
    yield "jumped before", r["jump.y"], -1.0, 0.0
    yield "a ramp without duration", r["short.y"], 0.0, 0.0
    yield "downwards", r["ends.y"], 1 - 5 * np.clip(t - 0.2, 0, 0.2), ROUND


@edge(
    "noise",
    """
  still: {type: noise, deviation: 0, mean: 2}
  it: {type: noise, deviation: 3, mean: -1, sample_time: 0.01}
""",
    stop=100.0,
    coarse=False,
)
def noise_without_deviation(r: R) -> Answers:
    yield "none", r["still.y"], 2.0, 0.0
    # 10,000 samples: the mean within five of its standard deviations 3/100, the deviation of 3/141
    yield "mean", r["it.y"].mean(), -1.0, 0.15
    yield "deviation", r["it.y"].std(), 3.0, 0.11


@edge(
    "table",
    """
  hold: {type: table, data: [[0.2, 1], [0.4, 3], [0.6, -1]]}
  line: {type: table, data: [[0.2, 1], [0.4, 3], [0.6, -1]], beyond: linear}
  round: {type: table, data: [[0, 0], [0.1, 1], [0.2, 0]], beyond: periodic}
  pair: {type: table, data: [[0, 1], [1, 2]], interpolation: cubic}
  u: {type: ramp, offset: -1, slope: 3}
  over: {type: table, over: input, data: [[-0.5, 5], [0, 5], [1, -5]], beyond: hold}
""",
    "u.y -> over.u",
    coarse=False,
)
def tables_before_their_first_row_and_after_the_last(r: R) -> Answers:
    t = r.time
    inside = np.interp(t, [0.2, 0.4, 0.6], [1, 3, -1])
    yield "held", r["hold.y"], inside, ROUND
    yield (
        "goes on",
        r["line.y"],
        np.where(t < 0.2, 10 * (t - 0.2) + 1, np.where(t > 0.6, -1 - 20 * (t - 0.6), inside)),
        1e-11,
    )
    yield "periodic", r["round.y"], 1 - np.abs(np.mod(t, 0.2) - 0.1) / 0.1, 1e-11
    yield "two rows", r["pair.y"], 1 + t, ROUND
    yield "over an input", r["over.y"], np.interp(3 * t - 1, [-0.5, 0, 1], [5, 5, -5]), 1e-11


LAWS = {"poly3": 1.5, "poly5": 1.875, "poly7": 2.1875, "cycloidal": 2.0, "trapezoidal": 2.0, "s_curve": 2.0}


@edge(
    "motion_law",
    "\n".join(
        f"  {law}: {{type: motion_law, law: {law}, ramp: 0.5, rounding: 0.5, start_value: 1,"
        f" end_value: -2, duration: 1, start: 0.5}}"
        for law in LAWS
    )
    + """
  none: {type: motion_law, start_value: 2, end_value: 2}
  done: {type: motion_law, start: -5, end_value: 3}
""",
    stop=2.0,
    coarse=False,
)
def motions_without_way_and_without_plateau(r: R) -> Answers:
    for law, peak in LAWS.items():
        yield law, r[f"{law}.y"][[0, 50, 100, 150, 200]], [1, 1, -0.5, -2, -2], 1e-9
        yield f"{law}: greatest rate", r[f"{law}.y.rate"].min(), -3 * peak, 1e-9
        yield f"{law}: it rests behind", r[f"{law}.y.rate"][151:], 0.0, 0.0
    yield "no way", r["none.y.rate"], 0.0, 0.0
    yield "over before", r["done.y"], 3.0, 0.0


@edge(
    "motion_law",
    """
  it: {type: motion_law, legs: [{to: 1, duration: 0.2, dwell: 0.1}, {to: -1, duration: 0.3}, {to: 0,
       duration: 0.4}], repeat: 0}
""",
    stop=3.0,
    coarse=False,
)
def legs_without_end(r: R) -> Answers:
    y = r["it.y"]
    for k in range(3):
        yield (
            f"round {k}",
            y[[100 * k, 100 * k + 20, 100 * k + 25, 100 * k + 30, 100 * k + 60]],
            [0, 1, 1, 1, -1],
            1e-9,
        )


@edge(
    "path",
    """
  back: {type: path, shape: circle, radius: 2 m, direction: cw, duration: 1 s, turns: 0.5}
  oval: {type: path, shape: ellipse, radius: [2 m, 1 m], duration: 1 s, turns: 1}
  wide: {type: path, shape: spiral, radius: 1 m, end_radius: 1 m, duration: 1 s, turns: 1}
  line: {type: path, shape: line, points: [[0, 0], [3, 4]], duration: 1 s, law: trapezoidal, ramp: 0.5}
""",
    coarse=False,
)
def paths_backwards_and_degenerate(r: R) -> Answers:
    yield "half a circle: where it ends", [r["back.y[0]"][-1], r["back.y[1]"][-1]], [-2, 0], 1e-9
    yield "half a circle: on the circle", np.hypot(r["back.y[0]"], r["back.y[1]"]), 2.0, 1e-9
    yield "clockwise", r["back.y[1]"].max(), 0.0, 1e-9
    yield "on the ellipse", np.hypot(r["oval.y[0]"] / 2, r["oval.y[1]"]), 1.0, 1e-9
    yield "a spiral of one radius is a circle", np.hypot(r["wide.y[0]"], r["wide.y[1]"]), 1.0, 1e-9
    yield "a line: rate in the middle", np.hypot(r["line.y.rate[0]"], r["line.y.rate[1]"]).max(), 10.0, 1e-9


@edge(
    "input_shaper motion_law",
    """
  plan: {type: motion_law, end_value: 1, duration: 0.4}
  zv: {type: input_shaper, shaper: zv, frequency: 8 rad/s}
  zvd: {type: input_shaper, shaper: zvd, frequency: 8 rad/s, damping: 0.1}
  ei: {type: input_shaper, shaper: ei, frequency: 8 rad/s, tolerance: 0.1}
  a: {type: split_trajectory}
  b: {type: split_trajectory}
  c: {type: split_trajectory}
  p: {type: split_trajectory}
  mode_a: {type: transfer_function, num: [64], den: [1, 0, 64]}
  mode_b: {type: transfer_function, num: [64], den: [1, 1.6, 64]}
  mode_c: {type: transfer_function, num: [64], den: [1, 0, 64]}
  mode_p: {type: transfer_function, num: [64], den: [1, 0, 64]}
""",
    "plan.y -> zv.u, plan.y -> zvd.u, plan.y -> ei.u, plan.y -> p.u, zv.y -> a.u, zvd.y -> b.u, ei.y -> c.u,"
    " a.value -> mode_a.u, b.value -> mode_b.u, c.value -> mode_c.u, p.value -> mode_p.u",
    stop=4.0,
    step=2e-3,
)
def shapers_leave_their_mode_at_rest(r: R) -> Answers:
    end = r.time > 2.0
    size = np.ptp(r["mode_p.y"][end]) / 2
    yield "zv", r["mode_a.y"][end], 1.0, 1e-5
    yield "zvd, damped", r["mode_b.y"][end], 1.0, 1e-5
    yield "ei leaves a tenth", np.ptp(r["mode_c.y"][end]) / 2 / size, 0.1, 1e-3


@edge(
    "sampled_command zero_order_hold make_trajectory split_trajectory",
    """
  u: {type: ramp, slope: 2}
  held: {type: sampled_command, sample_time: 0.1, hold: zero_order}
  line: {type: sampled_command, sample_time: 0.1, hold: linear}
  value: {type: constant, value: 3}
  made: {type: make_trajectory}
  back: {type: split_trajectory}
""",
    "u.trajectory -> held.u, u.trajectory -> line.u, value.y -> made.value, made.y -> back.u",
    coarse=False,
)
def commands_of_samples(r: R) -> Answers:
    n = np.round(r.time / 0.01).astype(int)
    yield "held", r["held.y"], 0.2 * (n // 10), ROUND
    late = n > 20
    yield (
        "joined: a line, at most a sample late",
        (r["line.y"] - 2 * r.time)[late],
        np.mean((r["line.y"] - 2 * r.time)[late]),
        1e-9,
    )
    yield "value alone", r["back.value"], 3.0, 0.0


@edge(
    "stable_inversion",
    """
  x: {type: constant, value: [0.5, -0.25], unit: m}
  it: {type: stable_inversion, length: 1 m, mass: 2 kg, beta: 0.9, damping: 1 N*m*s/rad}
""",
    "x.trajectory -> it.target",
    step=2e-3,
    coarse=False,
)
def inversion_of_rest(r: R) -> Answers:
    yield (
        "the carriage stands over the load",
        np.stack([r["it.command[0]"], r["it.command[1]"]]).T,
        [[0.5, -0.25]],
        1e-12,
    )
    yield "no sway", np.stack([r["it.sway[0]"], r["it.sway[1]"]]), 0.0, 1e-12
