"""Derivatives along runs: closed forms, and runs with other numbers, extrapolated."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.analysis.metric_derivatives import NOT_KNOWN, sensitivity_rows
from luff.solver.analysis.sensitivity import parameter_number
from luff.tests.conftest import about_compiling

pytestmark = about_compiling
LIBRARY = Path(luff.__file__).parent / "library"
OSCILLATOR = """
luff: 1
blocks:
  rail: {type: prismatic, axis: x, initial: {position: 0.3}, stiffness: 40, damping: 0.8}
  load: {type: rigid_link, mass: 2.5}
connect: [world.frame -- rail.frame_a, rail.frame_b -- load.frame_a]
simulation: {stop: 2, step: 0.001, output_step: 0.1, method: rk4}
"""
# trees, closed loops, programmed constraints, ropes, oil, controllers, quaternions; what is derived, for how long
CASES = (
    ("crane_vessel", "outer.mass", 0.3),
    ("hoist", "load.mass", 0.2),
    ("crane_gpme", "load.mass", 0.1),
    ("crane_overhead", "crane.bridge.position", 0.3),
    ("crane_knuckle_boom", "inner.cylinder.position", 0.2),
    ("luffing_circuit", "cylinder.position", 0.1),
    ("heave_compensator", "load.mass", 0.2),
    ("heave_compensator", "rail.position", 0.2),
    ("crane_knuckle_boom_hydraulic", "outer.boom.mass", 0.1),
)
# what moves little against what balances at its start, so that rounding counts over a small step: the first one's
# share. inner.cylinder.position is at 0.9 m and moves by 8e-11 m a kg: the last bits of the runs that judge are 1e-8
# to 9e-8 of that, with first steps of 0.3 to 0.064; slopes of the start differ by 4e-11 with steps from 0.02 to 0.3
FIRST = {"crane_knuckle_boom_hydraulic": 0.128}


def test_an_oscillator_has_the_slopes_of_its_formula() -> None:
    table = luff.sensitivity(
        luff.compile(luff.loads(OSCILLATOR)),
        ["load.mass", "rail.stiffness", "rail.damping", "rail.position", "rail.velocity"],
        ["rail.position"],
    )
    t = table.time

    def x(m: float, k: float, c: float, x0: float, v0: float) -> np.ndarray:
        d = c / (2.0 * m)
        w = np.sqrt(k / m - d * d)
        return np.exp(-d * t) * (x0 * np.cos(w * t) + (v0 + d * x0) / w * np.sin(w * t))

    here = np.array([2.5, 40.0, 0.8, 0.3, 0.0])
    np.testing.assert_allclose(table["rail.position"], x(*here), atol=1e-9)
    for name, way in zip(table.by, np.eye(5), strict=True):
        h = 1e-3 * way
        rough, fine = ((x(*(here + s * h)) - x(*(here - s * h))) / (2e-3 * s) for s in (1.0, 0.5))
        # the order of rk4 leaves 1e-9, the formula's own differences less
        np.testing.assert_allclose(table.slope("rail.position", name), (4.0 * fine - rough) / 3.0, atol=1e-8)


def run_with(sim: luff.Simulation, name: str, value: float, names: list[str], stop: float) -> np.ndarray:
    own = sim.twin()
    if name in sim.state_names:
        own = own.twin(replace(own.program, x0=own.x0.copy()))
        own.x0[sim.state_names.index(name)] = value
    else:
        own.set(name, value)
    result = own.run(stop=stop, events="locate")
    return np.array([result[each] for each in names]).T


@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
@pytest.mark.parametrize(("model", "name", "stop"), CASES)
def test_slopes_along_a_run_are_those_between_runs(model: str, name: str, stop: float) -> None:
    sim = luff.compile(LIBRARY / f"{model}.yaml")
    own = [each for each in sim.signal_names if each in sim.state_names]
    table = luff.sensitivity(sim, [name], own, stop=stop)
    states = sim.state_names
    here = sim.x0[states.index(name)] if name in states else parameter_number(sim, name)
    np.testing.assert_array_equal(table.values, run_with(sim, name, here, own, stop))  # the bits of a run
    rows = []
    for level in range(4):
        h = FIRST.get(model, 4e-3) * (abs(here) or 1.0) / 2.0**level
        ahead, behind = (run_with(sim, name, here + way, own, stop) for way in (h, -h))
        rows.append((ahead - behind) / (2.0 * h))
    orders = [rows]
    for order in (1, 2):
        orders.append([(4.0**order * b - a) / (4.0**order - 1.0) for a, b in pairwise(orders[-1])])
    expected, doubt = orders[2][-1], abs(orders[2][-1] - orders[2][0])
    scale = abs(expected).max(axis=0)
    heard = scale > 1e-9 * scale.max()  # what is rounding beside the others
    off = abs(table.slopes[0] - expected)[:, heard]
    assert np.all(off <= 1e-8 * scale[heard] + 4.0 * doubt.max(axis=0)[heard])
    assert np.min(doubt.max(axis=0)[heard] / scale[heard]) < 1e-7  # so that the judge has said something


def test_more_than_eight_at_once() -> None:
    """Nine numbers take two passes; each is what it is alone."""
    text = OSCILLATOR.replace(
        "blocks:\n", "blocks:\n  push: {type: constant, value: 0.5}\n  half: {type: gain, k: 0.7}\n"
    ).replace("connect: [", "connect: [push.y -> half.u, half.y -> rail.effort, ")
    sim = luff.compile(luff.loads(text))
    by = {
        "rail.armature": 0.1,
        "load.mass": 2.5,
        "rail.stiffness": 40.0,
        "rail.damping": 0.8,
        "rail.rest": 0.0,
    }
    by |= {"rail.position": 0.3, "rail.velocity": 0.0, "push.value": 0.5, "half.k": 0.7}
    many = luff.sensitivity(sim, by, ["rail.position"])
    alone = luff.sensitivity(sim, {"rail.armature": 0.1, "half.k": 0.7}, ["rail.position"])
    np.testing.assert_array_equal(many.slopes[[0, 8]], alone.slopes)
    # the force is their product
    np.testing.assert_allclose(0.5 * many.slopes[7], 0.7 * many.slopes[8], atol=1e-14)


@pytest.mark.parametrize("events", ["locate", "step"])
def test_a_jump_has_its_slope(events: str) -> None:
    """Once a ramp is above p the sum grows by one a second: its end is 1 - p, however runs are made."""
    text = f"""
luff: 1
blocks:
  p: {{type: constant, value: 0.5003}}
  one: {{type: constant, value: 1}}
  ramp: {{type: integrator}}
  over: {{type: expression, inputs: [u, p], expr: "1 if u > p else 0"}}
  sum: {{type: integrator}}
connect: [one.y -> ramp.u, ramp.y -> over.u, p.y -> over.p, over.y -> sum.u]
simulation: {{stop: 1 s, step: 10 ms, events: {events}}}
"""
    table = luff.sensitivity(luff.compile(luff.loads(text)), ["p.value"], ["sum.y"])
    assert table.slopes[0, -1, 0] == pytest.approx(-1.0, abs=1e-12)  # rounding of a hundred steps
    assert table.remarks == []


BALL = """
luff: 1
blocks:
  fall: {{type: prismatic, axis: z, initial: {{position: {height!r}}}}}
  ball: {{type: rigid_link, mass: 2}}
  {floor}
connect: [world.frame -- fall.frame_a, fall.frame_b -- ball.frame_a{wires}]
simulation: {{stop: {stop} s, step: 1 ms, output_step: 10 ms, events: {events}}}
"""
FLOOR = "it: {type: contact, radius: 0.1 m, law: {stiffness: 1e5, dissipation: 0.2}}"
ON_FLOOR = ", world.frame -- it.plane, ball.frame_a -- it.of"


@pytest.mark.parametrize("events", ["locate", "step"])
def test_slopes_go_through_bounces(events: str) -> None:
    """Four bounces with a loss: at whole steps the kinks lie anywhere, and slopes were off by all of their size."""

    def run(height: float, how: str) -> np.ndarray:
        text = BALL.format(height=height, floor=FLOOR, wires=ON_FLOOR, events=how, stop=2)
        return luff.compile(luff.loads(text)).run()["fall.position"]

    sim = luff.compile(
        luff.loads(BALL.format(height=1.0, floor=FLOOR, wires=ON_FLOOR, events=events, stop=2))
    )
    table = luff.sensitivity(sim, ["fall.position"], ["fall.position"])
    nudge = 1e-6
    apart = (run(1.0 + nudge, "locate") - run(1.0 - nudge, "locate")) / (2 * nudge)
    assert np.ptp(apart) > 1.5  # it changes its sign with each
    # curvature of the fourth bounce over 1e-6, and rounding over it
    np.testing.assert_allclose(table.slopes[0, :, 0], apart, atol=1e-4)
    assert table.remarks == []


def test_no_slopes_through_chatter() -> None:
    """A relay without a band that holds its own input at zero switches as often as it can: slopes end there."""
    text = """
luff: 1
blocks:
  side: {type: expression, inputs: [u], expr: "-1 if u > 0 else 1"}
  sum: {type: integrator, initial: 0.1003}
connect: [sum.y -> side.u, side.y -> sum.u]
simulation: {stop: 0.2 s, step: 1 ms}
"""
    table = luff.sensitivity(luff.compile(luff.loads(text)), ["sum.x"], ["sum.y"])
    (remark,) = table.remarks
    assert remark.startswith("side: not differentiable through changes")
    known = table.time < 0.1
    np.testing.assert_allclose(table.slopes[0, known, 0], 1.0)
    assert np.isnan(table.slopes[0, table.time > 0.102, 0]).all()
    _, row = sensitivity_rows(table, {"sum.x": 0.1003}, "final", lambda name: ("", 1.0))
    assert row[4:] == [NOT_KNOWN, NOT_KNOWN]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"by": ["load.mas"]}, "load.mass"),
        ({"by": []}, "one at least to differentiate by"),
        ({"by": ["load.mass"], "method": "dop853"}, "chooses its own steps"),
        ({"by": {"rail.position": 0.7}}, "found 0.7 for a state at which a run begins with"),
    ],
)
def test_what_cannot_be_answered_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(luff.LuffError, match=message):
        luff.sensitivity(luff.compile(luff.loads(OSCILLATOR)), **given)  # type: ignore[arg-type]


def test_derivatives_by_several_numbers_are_those_by_each_alone() -> None:
    """A number that was changed for its differences is again what it was for those of the next."""
    sim = luff.compile("library/templates/pendulum.yaml")
    names = ["rod.mass", "pin.damping", "pin.position"]
    together = luff.sensitivity(sim, names, "pin.velocity", stop=0.1)
    for name in names:
        alone = luff.sensitivity(sim, [name], "pin.velocity", stop=0.1)
        assert alone.slope("pin.velocity", name).tobytes() == together.slope("pin.velocity", name).tobytes()


def test_a_model_without_states_has_slopes() -> None:
    """y = 2 k of a model that has nothing to integrate."""
    text = """luff: 1
blocks:
  two: {type: constant, value: 2}
  it: {type: gain, k: 3}
connect: [two.y -> it.u]
simulation: {stop: 1 s, step: 0.1 s}
"""
    table = luff.sensitivity(luff.compile(luff.loads(text)), ["it.k"], ["it.y"])
    np.testing.assert_allclose(table.slopes, 2.0, rtol=1e-12)
