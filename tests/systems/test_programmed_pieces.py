"""Relations of several pieces: their changes are located, and each piece has its closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.gui.view3d.row_poses import start_of_all
from luff.solver.kernels import model_data as f
from luff.solver.kernels.constraint_jacobian import constraint_positions
from luff.solver.kernels.kinematics import positions
from luff.tests.shared.compile_text import plain

POINT = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  x: {type: prismatic, axis: x, initial: {position: 0START}}
  y: {type: prismatic, axis: y, guess: {position: 0}}
  point: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  it: {type: programmed_constraint, relation: "RELATION"}
  energy: {type: energy_sensor}
connect:
  - world.frame -- x.frame_a
  - x.frame_b -- y.frame_a
  - y.frame_b -- point.frame_a
  - point.frame_a -- it.frame
simulation: {stop: 2 s, step: STEP, output_step: 40 ms, events: EVENTS, constraints: {method: METHOD}}
"""


def point(
    relation: str, start: str = "", events: str = "locate", method: str = "reduced", step: str = "4 ms"
) -> str:
    text = POINT.replace("RELATION", relation).replace("EVENTS", events).replace("METHOD", method)
    return text.replace("START", start).replace("STEP", step)


@pytest.mark.parametrize("method", ["reduced", "projected"])
@pytest.mark.parametrize("relation", ["vx - max(1, 2 - x)", "vx + min(-1, x - 2)", "vx - max(0.5, 2 - x, 1)"])
def test_a_speed_that_falls_to_a_least_one(relation: str, method: str) -> None:
    """x' = 2 - x until x = 1 at ln 2, then x' = 1."""
    result = luff.compile(luff.loads(point(relation, method=method))).run()
    t = result.time
    known = np.where(t < math.log(2), 2 - 2 * np.exp(-t), 1 + t - math.log(2))
    # what rk4 leaves of an exponential at 4 ms; a change that is not located leaves 1e-6
    assert result["x.position"] == pytest.approx(known, abs=1e-10)


def test_a_block_decides_what_a_relation_on_accelerations_follows() -> None:
    """x'' = 1 up to t = 1.003, within a step, and -1 behind."""
    text = point("ax", ", velocity: 0")
    text = text.replace("connect:", '  law: {type: expression, expr: "1 if t < 1.003 else -1"}\nconnect:')
    result = luff.compile(luff.loads(text.replace("connect:", "connect:\n  - law.y -> it.target"))).run()
    t, late = result.time, np.maximum(result.time - 1.003, 0.0)
    assert result["x.position"] == pytest.approx(t * t / 2 - late**2, abs=1e-9)


@pytest.mark.parametrize("method", ["reduced", "projected"])
def test_a_wire_that_begins_to_bend_keeps_the_speed(method: str) -> None:
    relation = "y - max(x - 0.3, 0)^2"
    result = luff.compile(luff.loads(point(relation, ", velocity: 1.5", method=method))).run()
    speed = np.hypot(result["x.velocity"], result["y.velocity"])
    assert speed == pytest.approx(1.5, abs=1e-9)
    u = np.maximum(result["x.position"] - 0.3, 0.0)
    # length of the parabola u^2
    length = np.minimum(result["x.position"], 0.3) + (2 * u * np.sqrt(1 + 4 * u * u) + np.arcsinh(2 * u)) / 4
    assert length == pytest.approx(1.5 * result.time, abs=1e-9)
    assert result["y.position"] == pytest.approx(u * u, abs=1e-11)


SECOND_POINT = """
  u: {type: prismatic, axis: x, initial: {position: 0}}
  mass: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  least: {type: sine, amplitude: 0, offset: LEAST}
  other: {type: programmed_constraint, relation: "vx - max(r, 3 - x)", inputs: [r]}
connect:
  - world.frame -- u.frame_a
  - u.frame_b -- mass.frame_a
  - mass.frame_a -- other.frame
  - least.trajectory -> other.r
"""


def two_points(least: float) -> str:
    second = SECOND_POINT.replace("LEAST", f"{least}")
    return point("vx - max(1, 2 - x)").replace("\nconnect:\n", second)


def test_pieces_of_two_mechanisms_change_each_at_its_own_time() -> None:
    """x' = 3 - x until x = 2.5 at ln 6, then x' = 1/2, beside another point that changes at ln 2."""
    result = luff.compile(luff.loads(two_points(0.5))).run()
    t = result.time
    for name, least, start in (("x", 1.0, 2.0), ("u", 0.5, 3.0)):
        change = math.log(start / least)
        known = np.where(t < change, start * (1 - np.exp(-t)), start - least + least * (t - change))
        assert result[f"{name}.position"] == pytest.approx(known, abs=1e-10), name


def test_constraints_of_two_mechanisms_behind_each_other_keep_their_inputs_and_pieces() -> None:
    """What is dragged in the window sees all of them as one."""
    program = plain(two_points(3.5)).program
    model, data = start_of_all(program)
    data.target[program.constraints.targets.index(("other", "r", 0)), f.TARGET] = 3.5
    positions(model, data)
    constraint_positions(model, data)
    # at x = 0: -max(1, 2) and -max(3.5, 3); differences of the pieces
    assert data.con[:, f.PHI_T].tolist() == [-2.0, -3.5]
    assert data.choice.tolist() == [-1.0, 0.5]


@pytest.mark.parametrize(
    ("relation", "told"),
    [
        ("y - max(x, 0)", "velocities of a relation on positions would jump"),
        ("y - max(x, 0)*max(x, 0)", "velocities of a relation on positions would jump"),
        ("y - max(max(x, 0.1), 0)^2", "velocities of a relation on positions would jump"),
        ("ax - (1 if x < 0.5 else 2)", "let an `expression` block decide"),
        ("ax - (x < 0.5)", "let an `expression` block decide"),
        ("max(ax, 1) - y", "not linear in the accelerations"),
        ("vx - floor(x)", "no second derivative"),
    ],
)
def test_pieces_that_do_not_join_are_told(relation: str, told: str) -> None:
    with pytest.raises(luff.LuffError, match=told):
        plain(point(relation))
