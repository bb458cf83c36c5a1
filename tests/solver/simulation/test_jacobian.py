"""Exact derivatives of whole models, against differences of eighth order; and where there are none."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import Block, In, Out, registry
from luff.solver.analysis.operating_point import OperatingPoint
from luff.solver.codegen.transforms.entry_point_variants import DIRECTIONS
from luff.solver.program.loop_invariant import state_dependent_calls
from luff.solver.program.operations import ADD, COPY, Call, CallTable, Operation
from luff.solver.simulation.jacobian import jacobian_of
from luff.tests.conftest import about_compiling
from luff.tests.shared.difference_derivatives import judge

pytestmark = about_compiling
LIBRARY, EXAMPLES = (Path(luff.__file__).parent / name for name in ("library", "docs/examples"))
# loops, friction and bristles, oil, ropes and sheaves, feet that slip, flexible links, controllers, quaternions
MODELS = (
    "crane_knuckle_boom",
    "crane_knuckle_boom_hydraulic",
    "crane_gpme",
    "crane_offshore",
    "crane_on_outriggers",
    "crane_overhead",
    "column",
    "drive_train",
    "heave_compensator",
    "hoist",
    "hoist_drive",
    "luffing_circuit",
    "mobile_crane",
)
TRAVELLING = EXAMPLES / "girder_path.yaml"  # whose code holds arrays in registers
# whose laws bend or jump: stops, friction at rest, valves at centre, slack ropes, feet, clips, roots at no flow
KINKED = (
    "base_support",
    "brake",
    "check_valve",
    "clutch",
    "contact",
    "dead_zone",
    "gear",
    "hydraulic_cylinder",
    "orifice",
    "proportional_valve",
    "relief_valve",
    "rope",
    "saturation",
    "stable_inversion",
    "wind_drag",
)
PENDULUM = """
luff: 1
blocks:
  pin: {type: revolute, axis: -y, initial: {position: 0.4}}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
simulation: {stop: 1, step: 0.001}
"""


def aside(sim: luff.Simulation) -> OperatingPoint:
    """A state like no other, so that nothing is at a kink or zero by symmetry."""
    point = OperatingPoint(sim, 0.0)
    rng = np.random.default_rng(3)
    size = np.where(sim.x0 == 0.0, 1e-2, 2e-2 * abs(sim.x0))
    point.go(sim.x0 + size * rng.normal(size=len(sim.x0)))
    return point


@pytest.mark.parametrize(
    "model", [*(LIBRARY / f"{name}.yaml" for name in MODELS), TRAVELLING], ids=lambda path: path.stem
)
def test_derivatives_are_those_of_the_model(model: Path) -> None:
    point = aside(luff.compile(model))
    slopes, x = jacobian_of(point.sim.instance), point.x

    def f(state: np.ndarray) -> np.ndarray:
        return point.many(state[None])[0]

    here = f(x)
    J, values = slopes.jacobians(0.0, x[None])
    np.testing.assert_array_equal(values[0], here)  # the bits of a single run
    expected, doubt = judge(f, x)
    rows = abs(expected).max(axis=1, keepdims=True)
    off = abs(J[0] - expected)
    # rounding of stiff beams: 3.6e6 1/s^2 in a row, found from forces that cancel
    worst = np.unravel_index(np.argmax(off - 8.0 * doubt - 1e-10 * rows), off.shape)
    names = [point.sim.state_names[k] for k in worst]
    assert np.all(off <= 8.0 * doubt + 1e-10 * rows), (names, off[worst], doubt[worst], rows[worst[0]])
    sharp = doubt <= 1e-11 * rows
    assert np.count_nonzero(sharp) >= 0.6 * sharp.size  # so that the judge has said something


def test_first_derivatives_are_those_at_their_time() -> None:
    """x' = t x has the slope t, also in the first answer of a model that nobody has asked before."""
    text = """
luff: 1
blocks:
  grown: {type: expression, inputs: [x], expr: t*x}
  x: {type: integrator, initial: 2}
connect: [grown.y -> x.u, x.y -> grown.x]
simulation: {stop: 1, step: 0.001}
"""
    for t in (1.5, 0.25):
        np.testing.assert_array_equal(luff.compile(luff.loads(text)).jacobian(t, [3.0]), [[t]])
    assert luff.linearise(luff.compile(luff.loads(text)), t=1.5, x=[3.0]).A[0, 0] == 1.5


@pytest.mark.parametrize(
    ("name", "once"),
    [
        ("crane_offshore", "vessel_motion_out"),
        ("tower_crane", "wind_out_hook"),
        ("crane_knuckle_boom_hydraulic", "supply_out_port"),
        ("luffing_circuit", "counterbalance_valve_out_pilot"),
    ],
)
def test_what_no_state_changes_is_computed_once(name: str, once: str) -> None:
    """States side by side, and the numbers of what is computed once, have the slopes that each has by itself."""
    sim = luff.compile(LIBRARY / f"{name}.yaml")
    slopes, tables = jacobian_of(sim.instance, True), sim.instance.program.tables
    (left,) = state_dependent_calls([tables["rates"]])
    still = [call for k, call in enumerate(tables["rates"].calls) if k not in left]
    assert once in [getattr(call.code, "label", "") for call in still]
    entries = [entry for call in still for each in call.operations for entry in each.entries]
    slots = sorted({entry[1] for entry in entries if not isinstance(entry, int) and entry[0] == "p"})[:6]
    rng = np.random.default_rng(4)
    points = np.array([aside(sim).x + 1e-3 * rng.normal(size=len(sim.x0)) for _ in range(3)])
    made, _ = slopes.jacobians(1.3, points, slots)
    n = len(sim.x0) + len(slots)
    for first in range(0, n, DIRECTIONS):
        ways = np.eye(n)[:, first : first + DIRECTIONS]
        for point, whole in zip(points, made, strict=True):
            alone = slopes.along(1.3, point[None], ways, slots)[0]
            np.testing.assert_array_equal(whole[:, first : first + DIRECTIONS], alone)


def test_calls_that_may_move_with_the_state() -> None:
    """Made-up operations: what reads a state, a memory, an unknown signal, or does more than make signals, moves."""
    time, number, state, memory = ("t", 0), ("p", 3), ("x of signals", 1), ("mem", 0)
    a, b, c, d = (("s", k) for k in range(4))
    made = {
        "of time": Operation((), (), ADD, (a, time, number)),
        "of that": Operation((), (), ADD, (b, a, number)),
        "of a state": Operation((), (), ADD, (c, state, number)),
        "of that too": Operation((), (), ADD, (d, a, c)),
        "of a memory": Operation((), (), ADD, (d, memory, a)),
        "to a state's rate": Operation((), (), ADD, (("dx of signals", 0), a, number)),
        "of an array of signals": Operation((), (), ADD, (d, a, 4, number)),
        "of one that does not begin": Operation((), (), ADD, (d, 4, a)),
        "a copy": Operation((), (), COPY, (d, a, b, time)),
        "what makes nothing": Operation((), (), ADD, (time, number), writes=0),
    }
    calls = [Call(operation.code, 0, [operation]) for operation in made.values()]  # type: ignore[arg-type]
    sampled = Call(ADD, 0, [made["of time"]], due=7)
    (left,) = state_dependent_calls([CallTable([*calls, sampled], np.zeros(0, np.int64))])
    assert left == list(range(2, len(calls) + 1))


def test_slopes_at_kinks_are_numbers() -> None:
    """Of rates and all signals, where nothing moves, at the start and to both sides of it: wherever values are."""
    lost, asked = [], 0
    for name in KINKED:
        sim = luff.compile(EXAMPLES / f"{name}.yaml")
        aside = 0.02 * np.where(sim.x0 == 0.0, 1.0, abs(sim.x0))
        points = np.array([0.0 * sim.x0, sim.x0, sim.x0 + aside, sim.x0 - aside])
        J, values = jacobian_of(sim.instance, True).jacobians(0.0, points)
        known = np.isfinite(values)
        asked += np.count_nonzero(known)
        lost += [name] * bool(np.any(~np.isfinite(J).all(axis=2) & known))
    assert not lost
    assert asked > 500


def test_closed_loop_of_a_pendulum_has_the_slopes_of_its_formula() -> None:
    """A parallel four-bar of equal cranks turns like one pendulum: q'' = -g/l sin q with its mass in the coupler."""
    text = """
luff: 1
blocks:
  left: {type: revolute, axis: -y, initial: {position: 0.3}}
  crank: {type: rigid_link, mass: 1e-9, frame_b: {at: [0, 0, -2]}}
  pin: {type: revolute, axis: -y, guess: {position: -0.3}}
  coupler: {type: rigid_link, mass: 5, com: [0.5, 0, 0], frame_b: {at: [1, 0, 0]}}
  base: {type: fixed, at: [1, 0, 0]}
  right: {type: revolute, axis: -y, guess: {position: 0.3}}
  twin: {type: rigid_link, mass: 1e-9, frame_b: {at: [0, 0, -2]}}
  last: {type: revolute, axis: -y, cut: true}
connect:
  - world.frame -- left.frame_a
  - left.frame_b -- crank.frame_a
  - crank.frame_b -- pin.frame_a
  - pin.frame_b -- coupler.frame_a
  - world.frame -- base.frame_a
  - base.frame_b -- right.frame_a
  - right.frame_b -- twin.frame_a
  - twin.frame_b -- last.frame_a
  - last.frame_b -- coupler.frame_b
simulation: {stop: 1, step: 0.001, constraints: {redundant: minimum_norm}}
"""
    sim = luff.compile(luff.loads(text))
    assert sim.state_names == ["left.position", "left.velocity"]
    for angle in (0.3, -0.8):
        J = sim.jacobian(0.0, [angle, 0.7])
        np.testing.assert_allclose(
            J, [[0.0, 1.0], [-9.81 / 2.0 * np.cos(angle), 0.0]], atol=1e-9
        )  # light cranks


def test_jacobian_of_the_initial_state_is_the_default() -> None:
    sim = luff.compile(LIBRARY / "drive_train.yaml")
    np.testing.assert_array_equal(sim.jacobian(), sim.jacobian(0.0, sim.x0))


def test_jacobian_sees_what_is_set() -> None:
    sim = luff.compile(luff.loads(PENDULUM))
    assert sim.jacobian()[1, 0] == pytest.approx(-9.81 * np.cos(0.4), rel=1e-14)
    sim.set("rod.com", [0, 0, -2])
    assert sim.jacobian()[1, 0] == pytest.approx(-9.81 / 2.0 * np.cos(0.4), rel=1e-14)


def test_states_of_another_number_are_refused() -> None:
    with pytest.raises(luff.RunError, match="found 3 states, expected 2"):
        luff.compile(luff.loads(PENDULUM)).jacobian(0.0, [1.0, 2.0, 3.0])


class NextAbove(Block):
    """3 times the next number above u: nobody has a rule for its derivative."""

    u = In()
    y = Out()

    def out(u):
        return 3.0 * math.nextafter(u, 1e300)


def test_what_cannot_be_derived_is_made_of_differences_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._loaded_files, NextAbove.type_name, NextAbove)
    text = """
luff: 1
blocks:
  x: {type: integrator, initial: 2.5}
  f: {type: next_above}
connect: [x.y -> f.u, f.y -> x.u]
"""
    sim = luff.compile(luff.loads(text))
    reason = "next_above_out: "
    with pytest.warns(luff.ModelWarning, match=f"differences, not exact: {reason}"):
        J = sim.jacobian()
    np.testing.assert_allclose(J, 3.0, rtol=1e-9)  # ten digits, by the page
    lin = luff.linearise(sim)
    np.testing.assert_allclose(lin.A, J, rtol=1e-9)
    assert lin.derivatives.startswith(f"differences: {reason}")
    assert any("not exact" in note for note in lin.notes)
    assert luff.linearise(luff.compile(luff.loads(PENDULUM))).derivatives == "exact"
