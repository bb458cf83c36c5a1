"""Jumps at steps: no method loses its order by them, whichever block they come from."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import luff
from luff.tests.process import call

EVERY = 0.1  # all jumps are at multiples of it
STOP = 1.0


def sine(t: float) -> float:
    return math.sin(5.0 * t)


def trapezoid(t: float, during: float) -> float:
    """Acceleration of the way from 0 to 1 in 0.8 s with ramps of 0.2 s: v = 1 / 0.6, a = v / 0.2."""
    a = 1.0 / 0.6 / 0.2
    return a if 0.1 < during < 0.3 else -a if 0.7 < during < 0.9 else 0.0


def swept(tau: float, during: float) -> float:
    """Rate of a sine whose frequency runs from 5 to 12 rad/s within 0.4 s."""
    if during < 0.0:
        return 0.0
    if during < 0.4:
        return math.cos(5.0 * tau + 8.75 * tau**2) * (5.0 + 17.5 * tau)
    return math.cos(3.4 + 12.0 * (tau - 0.4)) * 12.0


def along(t: float, sampled: float) -> float:
    """From a sample on, a line to where its rate and acceleration lead within 0.1 s."""
    return sine(sampled) + (5.0 * math.cos(5.0 * sampled) - 0.05 * 25.0 * sine(sampled)) * (t - sampled)


LAW = "law: trapezoidal, start: 0.1, duration: 0.8"
SPLIT = "s: {type: split_trajectory}"

# the blocks between the sine and the signal u, and u(t) in the interval in which `during` lies, by pencil
CASES: dict[str, tuple[str, str, Callable[[float, float], float]]] = {
    "step": ("u: {type: step, start: 0.3, height: 2}", "u.y", lambda t, during: 2.0 * (during > 0.3)),
    "pulse": (
        "u: {type: pulse, start: 0.1, duration: 0.1, period: 0.3}",
        "u.y",
        lambda t, during: float(0.0 < (during - 0.1) % 0.3 < 0.1 and during > 0.1),
    ),
    "ramp": (
        "r: {type: ramp, start: 0.2, slope: 3, duration: 0.4}\n  u: {type: split_trajectory}",
        "r.trajectory -> u.u, u.rate",
        lambda t, during: 3.0 * (0.2 < during < 0.6),
    ),
    "sine": (
        "u: {type: sine, start: 0.3, phase: 1, frequency: 5}",
        "u.y",
        lambda t, during: math.sin(5.0 * (t - 0.3) + 1.0) if during > 0.3 else 0.0,
    ),
    "table": (
        "u: {type: table, data: [[0, -1], [0.2, 1]], beyond: periodic}",
        "u.y",
        lambda t, during: -1.0 + 10.0 * (t - 0.2 * math.floor(during / 0.2)),
    ),
    "expression": (
        "u: {type: expression, expr: t * (t - floor(t / 0.3))}",
        "u.y",
        lambda t, during: t * (t - math.floor(during / 0.3)),
    ),
    "law": (
        "m: {type: motion_law, law: trapezoidal, start: 0.1, duration: 0.8}\n  u: {type: split_trajectory}",
        "m.y -> u.u, u.acceleration",
        trapezoid,
    ),
    "switch": (
        "r: {type: ramp, slope: 1}\n  u: {type: switch, threshold: 0.3}",
        "r.y -> u.control, sine.y -> u.u1, u.y",
        lambda t, during: sine(t) if during > 0.3 else 0.0,
    ),
    "hold": (
        "u: {type: zero_order_hold, sample_time: 0.1}",
        "sine.y -> u.u, u.y",
        lambda t, during: sine(0.1 * math.floor(during / 0.1)),
    ),
    "delay": (
        "h: {type: zero_order_hold, sample_time: 0.1}\n  u: {type: delay, delay: 0.2, initial: 0.5}",
        "sine.y -> h.u, h.y -> u.u, u.y",
        lambda t, during: sine(0.1 * math.floor((during - 0.2) / 0.1)) if during > 0.2 else 0.5,
    ),
    "chirp": (
        "c: {type: chirp, start: 0.3, first: 5, last: 12, duration: 0.4}\n  u: {type: split_trajectory}",
        "c.trajectory -> u.u, u.rate",
        lambda t, during: swept(t - 0.3, during - 0.3),
    ),
    "path": (
        f"m: {{type: path, shape: line, points: [[0, 0], [2, 1]], {LAW}}}\n  {SPLIT}\n  u: {{type: demux}}",
        "m.y -> s.u, s.acceleration -> u.u, u.y1",
        lambda t, during: 2.0 * trapezoid(t, during),
    ),
    "shaper": (  # zv, half a period is 0.1 s
        f"m: {{type: motion_law, {LAW}}}\n  u: {{type: input_shaper, shaper: zv, frequency: 5 Hz}}\n  {SPLIT}",
        "m.y -> u.u, u.y -> s.u, s.acceleration",
        lambda t, during: 0.5 * trapezoid(t, during) + 0.5 * trapezoid(t - 0.1, during - 0.1),
    ),
    "sampled command": (
        "c: {type: sampled_command, sample_time: 0.1}\n  u: {type: split_trajectory}",
        "sine.trajectory -> c.u, c.y -> u.u, u.value",
        lambda t, during: along(t, 0.1 * math.floor(during / 0.1)),
    ),
    "relay": (
        "r: {type: ramp, slope: 1}\n  u: {type: relay, lower: 0.2, upper: 0.5}",
        "r.y -> u.u, u.y",
        lambda t, during: float(during > 0.5),
    ),
    "sampled switch": (
        "h: {type: zero_order_hold, sample_time: 0.1}\n  u: {type: switch, threshold: 0.7}",
        "sine.y -> h.u, h.y -> u.control, sine.y -> u.u1, u.y",
        lambda t, during: sine(t) if sine(0.1 * math.floor(during / 0.1)) > 0.7 else 0.0,
    ),
}
EXTRA = {"switch": "zero: {type: constant, value: 0}", "sampled switch": "zero: {type: constant, value: 0}"}


def model(name: str) -> luff.Simulation:
    """x' = u - sin(3 x): nothing that a method could get right by chance."""
    blocks, wires, _ = CASES[name]
    *before, last = wires.split(", ")
    if name in EXTRA:
        before.append("zero.y -> u.u2")
    wired = ", ".join([*before, f"{last} -> rate.u", "x.y -> rate.x", "rate.y -> x.u"])
    return luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  sine: {{type: sine, frequency: 5}}
  {EXTRA.get(name, "none: {type: constant}")}
  {blocks}
  rate: {{type: expression, inputs: [u, x], expr: u - sin(3*x)}}
  x: {{type: integrator, initial: 0.2}}
connect: [{wired}]
simulation: {{stop: {STOP}, step: 0.0125}}
""")
    )


def exact(name: str) -> np.ndarray:
    """x at the end of each interval, each solved alone."""
    u, x = CASES[name][2], 0.2
    found = []
    for k in range(round(STOP / EVERY)):
        t0, t1 = k * EVERY, (k + 1) * EVERY
        middle = 0.5 * (t0 + t1)
        solved = solve_ivp(
            lambda t, x, at=middle: [u(t, at) - math.sin(3.0 * x[0])],
            (t0, t1),
            [x],
            method="DOP853",
            rtol=1e-13,
            atol=1e-14,
        )
        x = float(solved.y[0, -1])
        found.append(x)
    return np.array(found)


@pytest.mark.parametrize("name", CASES)
def test_order_holds_across_jumps(name: str) -> None:
    sim, wanted = model(name), exact(name)
    for method, order, parts in (
        ("euler", 1, (64, 128, 256)),
        ("heun", 2, (32, 64, 128)),
        ("implicit", 3, (128, 256, 512)),
        ("rk4", 4, (16, 32, 64)),
    ):
        steps = EVERY / np.array(parts)
        errors = []
        for h in steps:
            found = sim.run(step=h, method=method, output_step=EVERY)["x.y"][1:]
            errors.append(np.linalg.norm(found - wanted))
        slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
        assert slope == pytest.approx(order, abs=0.1), (method, errors)


@pytest.mark.parametrize("method", ["euler", "heun", "rk4", "implicit", "dop853"])
@pytest.mark.parametrize("step", [0.005, 0.001, 0.01])
def test_pulse_keeps_its_impulse(method: str, step: float) -> None:
    sim = luff.compile(
        luff.loads("""
luff: 1
blocks: {pulse: {type: pulse, start: 0.3, duration: 0.1, height: 7}, sum: {type: integrator}}
connect: [pulse.y -> sum.u]
simulation: {stop: 1, step: 0.01}
""")
    )
    y = sim.run(step=step, method=method, output_step=0.01)["sum.y"]
    # rounding of a thousand sums; the adaptive method meets the edges at its rows, to its tolerance
    assert y[-1] == pytest.approx(0.7, abs=1e-13 if method != "dop853" else 1e-9)


def test_hold_followed_by_delay_stays_a_staircase() -> None:
    sim = luff.compile(
        luff.loads("""
luff: 1
blocks:
  sine: {type: sine, frequency: 5}
  hold: {type: zero_order_hold, sample_time: 0.1}
  delay: {type: delay, delay: 0.025}
connect: [sine.y -> hold.u, hold.y -> delay.u]
simulation: {stop: 1, step: 0.01, output_step: 0.01}
""")
    )
    found = sim.run()
    held = np.array([math.sin(0.5 * k) for k in range(11)])
    # times are rounded, and a sine of them with them; what lies between two samples would be off by per cents
    off = np.abs(found["delay.y"][:, None] - held).min(axis=1)
    assert off.max() < 1e-14
    assert found["delay.y"][33] == pytest.approx(held[3], abs=1e-14)


def test_shorter_step_than_compiled_for_finds_a_delay_long_enough() -> None:
    sim = model("delay")
    coarse = sim.run(step=0.0125, output_step=EVERY)["u.y"]
    session = sim.start(step=0.001, output_step=EVERY)
    sim.set("u.initial", 0.75)  # reaches the run under way
    while session.advance() == "running":
        pass
    fine = session.take()[1][:, [*session.columns].index("u.y")]
    np.testing.assert_allclose(fine[2:], coarse[2:], atol=1e-15)
    assert list(fine[:2]) == [0.5, 0.75]
    assert sim.settings.step == 0.0125


PULSE = """
luff: 1
blocks:
  pulse: {{type: pulse, start: {start}, duration: 0.1, period: {period}}}
  sum: {{type: integrator}}
connect: [pulse.y -> sum.u]
simulation: {{stop: 2, step: {step}}}
"""


def told(folder: Path, **numbers: object) -> list[str]:
    """What `luff run` says of the model."""
    numbers = {"start": 0.3, "period": 0.5, "step": 0.01} | numbers
    (folder / "model.yaml").write_text(PULSE.format(**numbers))
    done = call("run", "model.yaml", "--json", cwd=folder)
    return [note["message"] for note in json.loads(done.stdout)["warnings"]]


def test_jump_between_steps_is_told_once_with_a_step_that_meets_it(tmp_path: Path) -> None:
    assert told(tmp_path) == []
    (note,) = told(tmp_path, start=0.305)
    assert "jumps at t = 0.305 s" in note
    assert "a step of 0.005 s would meet it" in note
    assert told(tmp_path, start=0.305, step=0.005) == []
    # the first edge meets a step, the third does not
    (note,) = told(tmp_path, period=0.5025)
    assert "jumps at t = 0.8025 s" in note
    assert "a step of 0.0025 s" in note
    (note,) = told(tmp_path, start=0.3000012345)
    assert "move it onto a step" in note


@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize(
    "source",
    [
        "pulse: {type: pulse, start: 0.3705, duration: 0.003}",
        "pulse: {type: table, data: [[0, 0], [0.3705, 0], [0.372, 2], [0.3735, 0]]}",
    ],
    ids=["jumps", "bends"],
)
def test_methods_that_choose_their_steps_pass_over_no_short_pulse(method: str, source: str) -> None:
    """One row a run of a second: nothing else than the block says that something happens in between."""
    text = (
        f"luff: 1\nblocks: {{{source}, sum: {{type: integrator}}}}\n"
        "connect: [pulse.y -> sum.u]\nsimulation: {stop: 1, step: 0.01, output_step: 1}\n"
    )
    session = luff.compile(luff.loads(text)).start(method=method)
    while session.advance() == "running":
        pass
    assert session.x[0] == pytest.approx(0.003, rel=1e-9)
    assert session.remarks == []  # it met both edges, though they lie between steps


def test_each_start_of_a_simulation_tells_the_jumps_of_its_own_run() -> None:
    text = PULSE.format(start=0.305, period=0.5, step=0.01)
    sim = luff.compile(luff.loads(text))
    counts = [len(sim.start(stop=stop).notes) for stop in (0.2, 0.2, 0.2, 0.6, 0.6, 0.2)]
    assert counts == [0, 0, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("source", "time"), [("step, start: 0.3", 0.325), ("zero_order_hold, sample_time: 0.1", 0.025)]
)
def test_jump_that_a_delay_hands_on_between_steps_is_told(source: str, time: float) -> None:
    text = f"""
luff: 1
blocks: {{sine: {{type: sine}}, u: {{type: {source}}}, late: {{type: delay, delay: 0.025}}}}
connect: [{"sine.y -> u.u, " if "hold" in source else ""}u.y -> late.u]
simulation: {{stop: 0.5, step: 0.01}}
"""
    sim = luff.compile(luff.loads(text))
    (note,) = sim.start().remarks
    assert note.path == "late"
    assert f"jumps at t = {time} s" in note.message
    assert "a step of 0.005 s would meet it" in note.message
    assert sim.start(step=0.005).remarks == []
    # what is smooth may arrive at any time
    assert luff.compile(luff.loads(text.replace("u.y -> late.u", "sine.y -> late.u"))).start().remarks == []


# --- bends, and jumps of rates ------------------------------------------------------------------------------------

SWING = """
luff: 1
blocks:
  plan: {{type: {plan}}}
  trolley: {{type: prismatic, axis: x, driven: true}}
  cart: {{type: rigid_link, mass: 100}}
  swing: {{type: revolute, axis: y}}
  bob: {{type: rigid_link, mass: 10, com: [0, 0, -1]}}
connect: [plan.{port} -> trolley.follow, world.frame -- trolley.frame_a, trolley.frame_b -- cart.frame_a,
          cart.frame_a -- swing.frame_a, swing.frame_b -- bob.frame_a]
simulation: {{stop: 2, step: 0.01}}
"""
LAW = "motion_law, start: 0.305, duration: 1, unit: m, law: {law}"


@pytest.mark.parametrize(
    ("plan", "port", "times"),
    [
        (LAW.format(law="poly3"), "y", "0.305"),
        (LAW.format(law="trapezoidal, ramp: 0.123").replace("0.305", "0.3"), "y", "0.423"),
        (LAW.format(law="poly5"), "y", ""),
        (LAW.format(law="s_curve"), "y", ""),
        (LAW.format(law="poly3").replace("0.305", "0.3"), "y", ""),
        ("ramp, start: 0.3, duration: 0.503, unit: m", "trajectory", "0.803"),
        ("sine, start: 0.305, unit: m", "trajectory", "0.305"),
        ("chirp, start: 0.3, duration: 0.505, unit: m", "trajectory", "0.805"),
        ("table, data: [[0, 0], [0.205, 0], [0.4, 1], [0.505, 1]], unit: m", "trajectory", "0.205"),
        # on one line, but for rounding
        ("table, data: [[0, 0], [0.205, 0.205], [0.4, 0.4]], beyond: linear, unit: m", "trajectory", ""),
        ("table, data: [[0, 0], [0.205, 0.3], [0.4, 1]], interpolation: cubic, unit: m", "trajectory", ""),
    ],
)
def test_jump_of_a_rate_that_something_follows_is_told(plan: str, port: str, times: str) -> None:
    """What hangs on the trolley feels its acceleration: late by d, it swings by a d / l too little."""
    notes = luff.compile(luff.loads(SWING.format(plan=plan, port=port))).start().remarks
    wanted = [f"the rate or acceleration of its trajectory jumps at t = {times} s"] if times else []
    assert [note.path for note in notes] == ["plan"] * len(wanted)
    assert [note.message[: len(text)] for note, text in zip(notes, wanted, strict=True)] == wanted


@pytest.mark.parametrize(("method", "share"), [("heun", 1 / 8), ("implicit", 1 / 8), ("rk4", 1 / 24)])
@pytest.mark.parametrize("step", [0.01, 0.005, 0.0025])
def test_bend_between_steps_costs_what_the_theory_says(method: str, share: float, step: float) -> None:
    """A bend by s within a step, at the share u of it, is a kink for the method's rule of integration: second order."""
    text = (
        "luff: 1\nblocks: {u: {type: table, data: [[0, 0], [0.303, 0], [1.303, 4]]}, x: {type: integrator}}\n"
        f"connect: [u.y -> x.u]\nsimulation: {{stop: 1, step: {step}}}\n"
    )
    session = luff.compile(luff.loads(text)).start(method=method)
    while session.advance() == "running":
        pass
    assert session.remarks == []
    error = (session.x[0] - 2.0 * 0.697**2) / (4.0 * step**2)
    assert abs(error) < share + 1e-6
    # Simpson's rule and the trapezoidal rule against the area of a triangle
    u = 0.303 / step % 1.0
    rule = {"rk4": (4.0 * max(0.0, 0.5 - u) + 1.0 - u) / 6.0, "heun": 0.5 * (1.0 - u)}
    if method in rule:
        assert error == pytest.approx(rule[method] - 0.5 * (1.0 - u) ** 2, abs=1e-8)
