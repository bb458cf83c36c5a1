"""Models written a second time, for other engines: how far luff is from them, and the curves to draw."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]
from scipy.integrate import solve_ivp

import luff
from luff.tests.shared.compile_text import outputs, plain
from luff.tests.shared.loop_cases import FLAT, SPATIAL
from luff.tests.shared.maximal_coordinates import Twin, luff_accelerations
from luff.tests.systems.test_loops import efforts_of

HERE = Path(__file__).resolve()
LIBRARY = HERE.parents[2] / "library"
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Comparison:
    """The same curves, time by row, from luff and from the other engine."""

    time: Floats
    names: list[str]
    unit: str
    luff: Floats
    other: Floats

    @property
    def difference(self) -> float:
        return float(abs(self.luff - self.other).max())

    @property
    def size(self) -> float:
        return float(abs(self.other).max())


# --- crane on a vessel, in Pinocchio ------------------------------------------------------------------------------

K, KP, KD = 8e7, 1e5, 6e3
REST = np.deg2rad([40.0, 70.0, -130.0])
VESSEL = (
    "vessel.psi",
    "vessel.theta",
    "vessel.phi",
    "slew.position",
    "inner_luff.position",
    "outer_luff.position",
)


def vessel_model() -> Any:
    """Three turns of the vessel, then the crane; lengths and masses of table I, l4 = 2 m."""
    model = pin.Model()
    model.gravity.linear[:] = (0.0, 0.0, -9.81)
    turns = {"z": pin.JointModelRZ, "y": pin.JointModelRY, "x": pin.JointModelRX}

    def add(parent: int, axis: str, at: Any, turn: Any = None, body: Any = None) -> int:
        placement = pin.SE3(np.eye(3) if turn is None else turn, np.array(at, float))
        index = model.addJoint(parent, turns[axis](), placement, f"joint{model.njoints}")
        if body is not None:
            model.appendBodyToJoint(index, body, pin.SE3.Identity())
        return index

    def rod(mass: float, length: float, along: int, about: float) -> Any:
        com, across = np.zeros(3), mass * length**2 / 12
        com[along] = length / 2
        inertia = np.full(3, across)
        inertia[along] = about
        return pin.Inertia(mass, com, np.diag(inertia))

    upright = pin.utils.rpyToMatrix(0.0, 0.0, np.pi / 2) @ pin.utils.rpyToMatrix(np.pi / 2, 0.0, 0.0)
    yaw = add(0, "z", (0, 0, 0))
    pitch = add(yaw, "y", (0, 0, 0))
    roll = add(pitch, "x", (0, 0, 0), body=rod(1200.0, 5.0, 2, 1200.0 * 25 / 12))
    slew = add(roll, "z", (0, 0, 5), body=rod(30.0, 2.0, 2, 0.1 * 30.0 * 4 / 12))
    inner = add(slew, "z", (0, 0, 2), upright, rod(30.0, 2.0, 0, 0.0))
    add(inner, "z", (2, 0, 0), body=rod(30.0, 2.0, 0, 0.0))
    return model


@cache
def vessel() -> tuple[Comparison, Comparison]:
    """It falls to the side of the held crane and rocks: angles, and the constraint forces of the slewing joint."""
    angles = ["40 deg", "70 deg", "-130 deg"]  # across the vessel's axes, so that it moves about all three
    hold = {
        "slew.initial.position": angles[0],
        "motion.start_value": angles,
        "motion.legs": [{"to": angles, "duration": 1.0}],
    }
    result = luff.compile(LIBRARY / "crane_vessel.yaml", **hold).run(stop=10.0, step=5e-4, output_step=0.02)
    model = vessel_model()
    data = model.createData()

    def efforts(q: Floats, v: Floats) -> Floats:
        return np.concatenate([-K * q[:3] ** 3, KP * (REST - q[3:]) - KD * v[3:]])

    def rate(_: float, x: Floats) -> Floats:
        q, v = x[:6], x[6:]
        return np.concatenate([v, pin.aba(model, data, q, v, efforts(q, v))])

    start = np.concatenate([np.zeros(3), REST, np.zeros(6)])
    found = solve_ivp(rate, (0.0, 10.0), start, "DOP853", result.time, rtol=1e-10, atol=1e-12).y.T
    wrenches = []
    for x in found:
        q, v = x[:6], x[6:]
        pin.rnea(model, data, q, v, pin.aba(model, data, q, v, efforts(q, v)))
        wrenches.append(data.f[4].vector.copy())
    forces = np.array(wrenches)[:, :5]  # the sixth is the drive's
    own = np.column_stack([result["slew.constraint_force"], result["slew.constraint_torque"][:, :2]])
    names = ["force x", "force y", "force z", "moment x", "moment y"]
    own_angles = np.column_stack([result[name] for name in VESSEL])
    return (
        Comparison(result.time, list(VESSEL), "rad", own_angles, found[:, :6]),
        Comparison(result.time, names, "N, N m", own, forces),
    )


# --- overhead crane, in MuJoCo -------------------------------------------------------------------------------------

PUSHED = """
luff: 1
name: pushed bridge crane
blocks:
  crane: {type: bridge_crane, mass_x: 8 kg, mass_y: 5 kg}
  push_x: {type: sine, amplitude: 20, frequency: 3 rad/s, unit: N}
  push_y: {type: sine, amplitude: 12, frequency: 2 rad/s, unit: N}
  load: {type: frame_sensor}
connect:
  - world.frame -- crane.ground
  - crane.load -- load.frame_b
  - push_x.y -> crane.effort_x
  - push_y.y -> crane.effort_y
simulation: {stop: 10 s, step: 1 ms, output_step: 20 ms}
"""
MJCF = """
<mujoco>
  <option gravity="0 0 -9.81" integrator="RK4" timestep="0.001"/>
  <worldbody><body>
    <joint name="bridge" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/>
    <body><joint name="trolley" type="slide" axis="0 1 0"/><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>
      <body><joint name="alpha" axis="0 -1 0" damping="1e-3"/><joint name="beta" axis="1 0 0" damping="1e-3"/>
        <inertial pos="0 0 -0.8" mass="0.5" diaginertia="1e-12 1e-12 1e-12"/></body>
    </body>
  </body></worldbody>
  <actuator><motor joint="bridge"/><motor joint="trolley"/></actuator>
</mujoco>
"""
OVERHEAD = ("crane.bridge.position", "crane.trolley.position", "crane.sway.alpha", "crane.sway.beta")


@cache
def overhead() -> Comparison:
    """Bridge and trolley are pushed to and fro; the load swings by some tens of degrees."""
    result = luff.compile(luff.loads(PUSHED)).run()
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    rows = [data.qpos.copy()]

    def push(_: Any, state: Any) -> None:
        state.ctrl[:] = 20 * np.sin(3 * state.time), 12 * np.sin(2 * state.time)

    mujoco.set_mjcb_control(push)  # called at every stage of a step
    try:
        for step in range(1, 10001):
            mujoco.mj_step(model, data)
            if step % 20 == 0:
                rows.append(data.qpos.copy())
    finally:
        mujoco.set_mjcb_control(None)
    own = np.column_stack([result[name] for name in OVERHEAD])
    return Comparison(result.time, list(OVERHEAD), "m, rad", own, np.array(rows))


# --- a beam that swings, against absolute nodal coordinates in Exudyn ------------------------------------------------

BEAM = """
luff: 1
name: beam that swings
blocks:
  hinge: {{type: revolute, axis: -y, initial: {{position: 0}}}}
  beam:
    type: rfem_link
    length: 1 m
    section: {{shape: rectangle, width: 20 mm, height: 20 mm}}
    E: 2e8
    G: 7e7
    rho: 1000
    divisions: {divisions}
    {more}
  tip: {{type: frame_sensor}}
connect:
  - world.frame -- hinge.frame_a
  - hinge.frame_b -- beam.frame_a
  - beam.frame_b -- tip.frame_b
simulation: {{stop: 1 s, step: 0.05 ms, output_step: 10 ms}}
"""


@cache
def beam(divisions: int, more: str = "") -> Comparison:
    """Place of the tip; the beam is soft enough to bend visibly."""
    known = json.loads((HERE.parents[1] / "data" / "exudyn_beam.json").read_text())
    rows = np.array(known["rows"])
    result = luff.compile(luff.loads(BEAM.format(divisions=divisions, more=more))).run()
    own = result["tip.position"][:, [0, 2]]
    return Comparison(rows[:, 0], ["tip x", "tip z"], "m", own, rows[:, 1:])


# --- closed loops, in maximal coordinates ----------------------------------------------------------------------------


@cache
def loop(name: str) -> float:
    """Largest relative difference of the accelerations of all bodies, and of all reactions where they are unique."""
    sim = plain({**FLAT, **SPATIAL}[name])
    values = sim.evaluate()
    answer = Twin(sim).solve(efforts_of(sim, values))
    spin, point = luff_accelerations(sim)
    off = [relative(found, wanted) for found, wanted in ((spin, answer.spin), (point, answer.point))]
    if not sim.summary["redundant"]:
        parts = ("force", "torque")
        found = {
            joint: np.concatenate([outputs(values, f"{joint}.total_{part}") for part in parts])
            for joint in answer.total
        }
        off.append(relative(found, answer.total))
    return max(off)


def relative(found: dict[str, Floats], wanted: dict[str, Floats]) -> float:
    scale = max(float(abs(value).max()) for value in wanted.values())
    return max(float(abs(value - wanted[name]).max()) for name, value in found.items()) / scale
