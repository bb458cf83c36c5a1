"""Inequalities of programmed constraints against an event-driven code in minimal coordinates, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.solver.program.dependencies import connected_rows
from luff.tests.shared.compile_text import plain
from luff.tests.shared.event_driven import Edges, G, Vec, arm_force, arm_mass

ARM = """
luff: 1
blocks:
  shoulder: {type: revolute, axis: y, initial: {position: -0.9, velocity: SPEED}}
  upper: {type: rigid_link, mass: 2, com: [0.25, 0, 0], inertia: [0, 0.05, 0.05], frame_b: {at: [0.5, 0, 0]}}
  elbow: {type: revolute, axis: y, initial: {position: 1.4, velocity: 0.5}}
  fore: {type: rigid_link, mass: 1, com: [0.2, 0, 0], inertia: [0, 0.02, 0.02], frame_b: {at: [0.4, 0, 0]}}
  pair: {type: programmed_constraint, joints: [shoulder, elbow], relation: "x + 0.5*y^2 <= 1.1"}
  floor: {type: programmed_constraint, relation: "z >= 0.3*x - 0.35"}
connect:
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- upper.frame_a
  - upper.frame_b -- elbow.frame_a
  - elbow.frame_b -- fore.frame_a
  - fore.frame_b -- floor.frame
simulation: {stop: 1 s, step: 0.5 ms, output_step: 10 ms, events: locate}
"""


def arm() -> Edges:
    """Joints with q_0 + q_1^2/2 <= 1.1, tip with z >= 0.3 x - 0.35."""

    def phi(t: float, q: Vec) -> Vec:
        a, b = q[0], q[0] + q[1]
        x, z = 0.5 * np.cos(a) + 0.4 * np.cos(b), -0.5 * np.sin(a) - 0.4 * np.sin(b)
        return np.array([q[0] + 0.5 * q[1] ** 2 - 1.1, z - 0.3 * x + 0.35])

    def jac(q: Vec) -> Vec:
        a, b = q[0], q[0] + q[1]
        x, z = -0.4 * np.sin(b), -0.4 * np.cos(b)
        tip = np.array([-0.5 * np.cos(a) + z, z]) - 0.3 * np.array([-0.5 * np.sin(a) + x, x])
        return np.array([[1.0, q[1]], tip])

    def bias(t: float, q: Vec, v: Vec) -> Vec:
        a, b, w, u = q[0], q[0] + q[1], v[0], v[0] + v[1]
        x = -0.5 * np.cos(a) * w * w - 0.4 * np.cos(b) * u * u
        z = 0.5 * np.sin(a) * w * w + 0.4 * np.sin(b) * u * u
        return np.array([v[1] ** 2, z - 0.3 * x])

    ends = np.array([-np.inf, 0.0]), np.array([0.0, np.inf])
    return Edges(arm_mass, arm_force, phi, jac, lambda t, q, v: jac(q) @ v, bias, *ends)


@pytest.mark.parametrize(
    "speed", [-3.0, 2.0]
)  # at -3 an edge is located where its force is zero to the last bit
def test_an_arm_meets_inequalities_of_its_joints_and_of_its_tip(speed: float) -> None:
    known, met = arm().run(np.array([-0.9, 1.4]), np.array([speed, 0.5]), np.linspace(0.0, 1.0, 101))
    result = luff.compile(luff.loads(ARM.replace("SPEED", str(speed)))).run()
    assert met >= 2
    assert result["shoulder.position"] == pytest.approx(known[:, 0], abs=1e-9)
    assert result["elbow.position"] == pytest.approx(known[:, 1], abs=1e-9)
    assert result.quality["energy"]["relative_residual"] < 1e-9
    pair, floor = result["pair.violation"], result["floor.violation"]
    assert pair.max() < 1e-9
    assert floor.min() > -1e-9
    # forces of one sign, and none away from the edge
    assert (result["pair.multiplier"] <= 0.0).all()
    assert (result["floor.multiplier"] >= 0.0).all()
    assert (result["pair.multiplier"][pair < -1e-8] == 0.0).all()
    assert result["pair.multiplier"].min() < -0.1 or result["floor.multiplier"].max() > 0.1


BOWL = """
luff: 1
blocks:
  x: {type: prismatic, axis: x, initial: {position: 0.3, velocity: 1}}
  z: {type: prismatic, axis: z, initial: {position: 0.2, velocity: 0}}
  ball: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  bowl: {type: programmed_constraint, relation: "x^2 + z^2 <= 1 + a*sin(3*t)", constants: {a: 0.1}}
  breath: {type: sine, amplitude: 0.05, frequency: 7 rad/s}
connect:
  - world.frame -- x.frame_a
  - x.frame_b -- z.frame_a
  - z.frame_b -- ball.frame_a
  - ball.frame_a -- bowl.frame
  - breath.trajectory -> bowl.target
simulation: {stop: 2 s, step: 0.5 ms, output_step: 10 ms, events: locate}
"""


def test_a_ball_in_a_bowl_that_breathes() -> None:
    """The edge moves by time and by its target, whose work is that of drives."""

    def level(t: float, k: int) -> float:
        turn = k * np.pi / 2
        return 0.1 * 3.0**k * np.sin(3 * t + turn) + 0.05 * 7.0**k * np.sin(7 * t + turn)

    bowl = Edges(
        mass=lambda q: 2.0 * np.eye(2),
        force=lambda q, v: np.array([0.0, -2.0 * G]),
        phi=lambda t, q: np.array([q @ q - 1.0 - level(t, 0)]),
        jac=lambda q: 2.0 * q[None, :],
        rate=lambda t, q, v: np.array([2.0 * q @ v - level(t, 1)]),
        bias=lambda t, q, v: np.array([2.0 * v @ v - level(t, 2)]),
        lower=np.array([-np.inf]),
        upper=np.array([0.0]),
    )
    result = luff.compile(luff.loads(BOWL)).run()
    known, met = bowl.run(np.array([0.3, 0.2]), np.array([1.0, 0.0]), result.time)
    assert met >= 1
    assert result["x.position"] == pytest.approx(known[:, 0], abs=1e-9)
    assert result["z.position"] == pytest.approx(known[:, 1], abs=1e-9)
    assert result.quality["energy"]["relative_residual"] < 1e-9
    assert result["bowl.multiplier"].min() < -1.0


WIRE = """
luff: 1
blocks:
  x: {type: prismatic, axis: x, initial: {position: 0.2, velocity: 0}}
  z: {type: prismatic, axis: z, guess: {position: 0.1}}
  bead: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  wire: {type: programmed_constraint, relation: z - 0.5*x}
  it: {type: programmed_constraint, joints: [z], relation: x >= 0.025}
connect:
  - world.frame -- x.frame_a
  - x.frame_b -- z.frame_a
  - z.frame_b -- bead.frame_a
  - bead.frame_a -- wire.frame
simulation: {stop: 0.6 s, step: 1 ms, events: locate, constraints: {method: METHOD, dependent: [DEPENDENT]}}
"""


@pytest.mark.parametrize("dependent", ["x.position", "z.position"])
@pytest.mark.parametrize("method", ["reduced", "projected"])
def test_an_end_stop_of_a_joint_that_follows_from_a_constraint(method: str, dependent: str) -> None:
    """x'' = -g s/(1 + s^2) down the wire; at the stop, N along z, virtual work s N = m g s: N = m g."""
    text = WIRE.replace("METHOD", method).replace("DEPENDENT", dependent)
    result = luff.compile(luff.loads(text)).run()
    known = np.maximum(0.2 - G * 0.4 * result.time**2 / 2, 0.05)
    assert result["x.position"] == pytest.approx(known, abs=1e-9)
    assert result["it.violation"] == pytest.approx(known / 2 - 0.025, abs=1e-9)
    assert result["it.multiplier"][-1] == pytest.approx(2 * G, rel=1e-9)
    assert result.quality["energy"]["relative_residual"] < 1e-9


TWO = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  a: {type: revolute, axis: z, initial: {position: 0, velocity: 2}}
  left: {type: rigid_link, mass: 1, inertia: [1, 1, 2]}
  b: {type: revolute, axis: z, initial: {position: 0.5, velocity: -1}}
  right: {type: rigid_link, mass: 1, inertia: [1, 1, 3]}
  c: {type: revolute, axis: z, initial: {position: 0, velocity: 1}}
  other: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  it: {type: programmed_constraint, joints: [b, a], relation: "x - y >= 0"}
connect:
  - world.frame -- a.frame_a
  - a.frame_b -- left.frame_a
  - world.frame -- b.frame_a
  - b.frame_b -- right.frame_a
  - world.frame -- c.frame_a
  - c.frame_b -- other.frame_a
simulation: {stop: 1 s, step: 10 ms, events: locate}
"""


def test_two_wheels_that_may_not_overtake_each_other_turn_on_together() -> None:
    """They meet at 1/6 s; then both turn at the mean of their momenta, (2 2 - 3)/5."""
    sim = luff.compile(luff.loads(TWO))
    result = sim.run()
    t = result.time
    after = np.maximum(t - 1 / 6, 0.0)
    assert result["a.position"] == pytest.approx(2 * np.minimum(t, 1 / 6) + 0.2 * after, abs=1e-12)
    assert result["b.position"] == pytest.approx(0.5 - np.minimum(t, 1 / 6) + 0.2 * after, abs=1e-12)
    assert result["c.velocity"] == pytest.approx(np.ones(len(t)), abs=0.0)
    # (2 2 3/5) 3^2/2, the energy of a plastic impact of reduced inertia 6/5 at 3 rad/s
    assert result.quality["energy"]["dissipated"] == pytest.approx(0.5 * 6 / 5 * 3**2, rel=1e-12)
    # the inequality makes one mechanism of what it names, and connects their rates
    models = [one.model for one in sim.program.components]
    assert [connected_rows(model) for model in models] == [[0, 0], [0]]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("x - y >= 0", "x - y > 0", "write >= or <="),
        ("x - y >= 0", "0 <= x - y <= 1", "found two comparisons"),
        ("x - y >= 0", "vx >= 0", "on velocities or accelerations"),
        ("x - y >= 0", "max(x, y) <= 1", "have corners"),
        ("x - y >= 0", "x - y >= 1", "the violation is -0.5 at the start, outside of 0 to inf"),
        ("joints: [b, a]", "joints: [b, a], realised_by: [a]", "drives, which can give no impulse"),
        ("x - y >= 0", "x - (y >= 0)", "found a choice"),
        ("events: locate", "events: step", "found an inequality whose edges are not located"),
        ("simulation:", "initial: {solve: static}\nsimulation:", "an inequality has no part in statics"),
        ("[b, a]", "[b, q]", "q"),
    ],
)
def test_an_inequality_that_cannot_be_is_told(old: str, new: str, told: str) -> None:
    with pytest.raises(luff.LuffError, match=told):
        plain(TWO.replace(old, new)).start()
