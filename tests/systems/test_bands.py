"""Tolerance bands of programmed constraints against an event-driven code in minimal coordinates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.shared.compile_text import plain
from luff.tests.shared.event_driven import Edges, G, Vec, arm_force, arm_mass
from luff.tests.shared.flexible_twin import body_and_shapes, l_shaped_boom

PLATE = """
luff: 1
blocks:
  z: {type: prismatic, axis: z, initial: {position: 0}}
  ball: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  it: {type: programmed_constraint, components: [z], band: [-0.1, 0.1]}
  plate: {type: sine, amplitude: 0.05, frequency: 20 rad/s}
connect:
  - world.frame -- z.frame_a
  - z.frame_b -- ball.frame_a
  - ball.frame_a -- it.frame
  - plate.trajectory -> it.target
simulation: {stop: 2 s, step: 1 ms, output_step: 10 ms, events: locate}
"""


def test_a_ball_is_thrown_and_caught_by_a_plate_that_shakes() -> None:
    def plate(t: float, k: int) -> float:
        return 0.05 * 20.0**k * np.sin(20.0 * t + k * np.pi / 2)

    ball = Edges(
        mass=lambda q: np.array([[2.0]]),
        force=lambda q, v: np.array([-2.0 * G]),
        phi=lambda t, q: q - plate(t, 0),
        jac=lambda q: np.eye(1),
        rate=lambda t, q, v: v - plate(t, 1),
        bias=lambda t, q, v: np.array([-plate(t, 2)]),
        lower=np.array([-0.1]),
        upper=np.array([0.1]),
    )
    result = luff.compile(luff.loads(PLATE)).run()
    known, met = ball.run(np.zeros(1), np.zeros(1), result.time)
    assert met > 8
    assert result["z.position"] == pytest.approx(known[:, 0], abs=1e-9)
    assert (result["it.multiplier"] >= 0.0).all()
    # impacts are dissipated, what the plate gives is work of a drive
    assert result.quality["energy"]["dissipated"] > 10.0
    assert result.quality["energy"]["relative_residual"] < 1e-10


def test_a_plastic_impact_takes_the_kinetic_energy_and_the_edge_carries_the_weight() -> None:
    result = luff.compile(luff.loads(PLATE.replace("amplitude: 0.05", "amplitude: 0"))).run()
    fall = np.maximum(-G * result.time**2 / 2, -0.1)
    assert result["z.position"] == pytest.approx(fall, abs=1e-12)
    assert result["it.violation"] == pytest.approx(fall, abs=1e-12)
    assert result["it.multiplier"] == pytest.approx(np.where(fall > -0.1, 0.0, 2 * G), abs=1e-9)
    assert result.quality["energy"]["dissipated"] == pytest.approx(2 * G * 0.1, rel=1e-9)


ARM = """
luff: 1
blocks:
  shoulder: {type: revolute, axis: y, initial: {position: -0.9, velocity: SPEED}}
  upper: {type: rigid_link, mass: 2, com: [0.25, 0, 0], inertia: [0, 0.05, 0.05], frame_b: {at: [0.5, 0, 0]}}
  elbow: {type: revolute, axis: y, initial: {position: 1.4, velocity: 0.5}}
  fore: {type: rigid_link, mass: 1, com: [0.2, 0, 0], inertia: [0, 0.02, 0.02], frame_b: {at: [0.4, 0, 0]}}
  it: {type: programmed_constraint, components: [x, z], band: [-0.06, 0.05], plane: {at: [PLACE]}}
connect:
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- upper.frame_a
  - upper.frame_b -- elbow.frame_a
  - elbow.frame_b -- fore.frame_a
  - fore.frame_b -- it.frame
  - zero.trajectory -> it.target[0]
  - zero.trajectory -> it.target[1]
simulation: {stop: 1 s, step: 0.5 ms, output_step: 10 ms, events: locate}
"""


def arm_with_edges(middle: Vec) -> Edges:
    """Angles about y, positive down: x = cos, z = -sin."""

    def jac(q: Vec) -> Vec:
        a, b = q[0], q[0] + q[1]
        x, z = -0.4 * np.sin(b), -0.4 * np.cos(b)
        return np.array([[-0.5 * np.sin(a) + x, x], [-0.5 * np.cos(a) + z, z]])

    def bias(t: float, q: Vec, v: Vec) -> Vec:
        a, b, w, u = q[0], q[0] + q[1], v[0], v[0] + v[1]
        return np.array(
            [
                -0.5 * np.cos(a) * w * w - 0.4 * np.cos(b) * u * u,
                0.5 * np.sin(a) * w * w + 0.4 * np.sin(b) * u * u,
            ]
        )

    def phi(t: float, q: Vec) -> Vec:
        a, b = q[0], q[0] + q[1]
        return np.array([0.5 * np.cos(a) + 0.4 * np.cos(b), -0.5 * np.sin(a) - 0.4 * np.sin(b)]) - middle

    ends = np.full(2, -0.06), np.full(2, 0.05)
    return Edges(arm_mass, arm_force, phi, jac, lambda t, q, v: jac(q) @ v, bias, *ends)


@pytest.mark.parametrize("speed", [-2.0, 0.5, 3.0])
def test_the_tip_of_an_arm_stays_in_its_window_and_rests_in_corners(speed: float) -> None:
    q, v = np.array([-0.9, 1.4]), np.array([speed, 0.5])
    middle = np.array([0.5 * np.cos(-0.9) + 0.4 * np.cos(0.5), -0.5 * np.sin(-0.9) - 0.4 * np.sin(0.5)])
    known, met = arm_with_edges(middle).run(q, v, np.linspace(0.0, 1.0, 101))
    x, z = middle.tolist()
    text = ARM.replace("SPEED", str(speed)).replace("PLACE", f"{x!r}, 0, {z!r}")
    text = text.replace("connect:", "  zero: {type: sine, amplitude: 0}\nconnect:")
    result = luff.compile(luff.loads(text)).run()
    assert met >= 2
    assert result["shoulder.position"] == pytest.approx(known[:, 0], abs=1e-9)
    assert result["elbow.position"] == pytest.approx(known[:, 1], abs=1e-9)
    assert result.quality["energy"]["relative_residual"] < 1e-9
    gap = result["it.violation"]
    assert gap.min() > -0.06 - 1e-9
    assert gap.max() < 0.05 + 1e-9
    at = (abs(gap - 0.05) < 1e-8) | (abs(gap + 0.06) < 1e-8)
    assert at.all(axis=1).any()  # both edges at once
    assert (result["it.multiplier"][~at] == 0.0).all()


WIRE = """
luff: 1
blocks:
  x: {type: prismatic, axis: x, initial: {position: 0.2, velocity: 0}}
  z: {type: prismatic, axis: z, guess: {position: 0.1}}
  bead: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  wire: {type: programmed_constraint, relation: z - 0.5*x}
  it: {type: programmed_constraint, components: [x], band: [0.05, 10]}
  zero: {type: sine, amplitude: 0}
connect:
  - world.frame -- x.frame_a
  - x.frame_b -- z.frame_a
  - z.frame_b -- bead.frame_a
  - bead.frame_a -- wire.frame
  - bead.frame_a -- it.frame
  - zero.trajectory -> it.target
simulation: {stop: 0.6 s, step: 1 ms, events: locate, constraints: {method: METHOD, dependent: [DEPENDENT]}}
"""


@pytest.mark.parametrize("dependent", ["x.position", "z.position"])
@pytest.mark.parametrize("method", ["reduced", "projected"])
def test_a_bead_slides_down_its_wire_to_an_edge(method: str, dependent: str) -> None:
    """An inequality, 0.05 <= x: x'' = -g s/(1 + s^2), then the edge carries m g s."""
    text = WIRE.replace("METHOD", method).replace("DEPENDENT", dependent)
    result = luff.compile(luff.loads(text)).run()
    known = np.maximum(0.2 - G * 0.4 * result.time**2 / 2, 0.05)
    assert result["x.position"] == pytest.approx(known, abs=1e-9)
    assert result["z.position"] == pytest.approx(known / 2, abs=1e-9)
    assert result["it.multiplier"][-1] == pytest.approx(2 * G * 0.5, rel=1e-9)
    assert result.quality["energy"]["relative_residual"] < 1e-9


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("events: locate", "events: step", "edges are not located"),
        ("step: 1 ms", "step: 1 ms, method: dop853", "adapts its step"),
        ("simulation:", "initial: {solve: static}\nsimulation:", "no part in statics"),
        ("band: [-0.1", "relative: true, band: [-0.1", "found a band and relative"),
        ("band: [-0.1", "realised_by: [z], band: [-0.1", "found a band and drives"),
        ("band: [-0.1, 0.1]", "band: [0.1, -0.1]", "write the lower edge first"),
        ("band: [-0.1, 0.1]", "band: [0.1, 0.2]", "the violation is 0 m at the start"),
        (
            "axis: z, ",
            "axis: z, friction: {model: coulomb, mu_s: 0.1, mu_k: 0.1}, ",
            "joint's reaction",
        ),
    ],
)
def test_a_band_that_cannot_be_is_told(old: str, new: str, told: str) -> None:
    with pytest.raises(luff.LuffError, match=told):
        plain(PLATE.replace(old, new)).start()


def test_a_band_is_refused_beside_what_knows_no_edges(tmp_path: Path) -> None:
    """A release in the same mechanism, drives that realise a constraint, a flexible body."""
    held = PLATE.replace(
        "z.frame_b -- ball.frame_a", "z.frame_b -- hook.frame_a\n  - hook.frame_b -- ball.frame_a"
    )
    held = held.replace("blocks:", "blocks:\n  hook: {type: release, time: 1 s}")
    with pytest.raises(luff.LuffError, match="found a tolerance band beside a release"):
        plain(held)
    servo = PLATE.replace(
        "blocks:",
        "blocks:\n  x: {type: prismatic, axis: x}\n"
        "  servo: {type: programmed_constraint, joints: [x, z], relation: x - y, realised_by: [x]}",
    )
    servo = servo.replace("z.frame_b -- ball", "z.frame_b -- x.frame_a\n  - x.frame_b -- ball")
    with pytest.raises(luff.LuffError, match="found a tolerance band beside a servo constraint"):
        plain(servo)
    body_and_shapes(*l_shaped_boom(), 2, tmp_path / "boom.npz")
    boom = PLATE.replace("rigid_link, mass: 2, inertia: [1, 1, 1]", "flexible_body, file: boom.npz")
    (tmp_path / "boom.yaml").write_text(boom)
    with pytest.raises(luff.LuffError, match="in a mechanism with a flexible body"):
        luff.compile(tmp_path / "boom.yaml")


def test_a_run_cannot_leave_out_what_its_bands_need() -> None:
    sim = plain(PLATE)
    for ways, told in (({"events": "step"}, "not located"), ({"method": "radau"}, "adapts its step")):
        with pytest.raises(luff.RunError, match=told):
            sim.start(**ways)


def test_what_knows_no_edges_refuses_a_band(tmp_path: Path) -> None:
    with pytest.raises(luff.LuffError, match="an importer would not see"):
        luff.export_fmu(luff.loads(PLATE), tmp_path / "band.fmu")
    with pytest.raises(luff.LuffError, match="no part in statics"):
        plain(PLATE).static()


def test_a_run_goes_on_from_a_snapshot_and_begins_anew_as_before() -> None:
    sim = luff.compile(luff.loads(PLATE))
    session = sim.start()
    rows = []
    for _ in range(2):
        while session.time < 0.3:
            session.step(steps=10)
        mark = session.snapshot()  # on the plate
        first = [session.step(steps=10).copy() for _ in range(30)]
        session.restore(mark)
        np.testing.assert_array_equal([session.step(steps=10) for _ in range(30)], first)
        rows.append(first)
        session.reset()
    np.testing.assert_array_equal(*rows)


def test_runs_beside_each_other_meet_their_own_edges() -> None:
    sim = luff.compile(luff.loads(PLATE))
    sizes = [0.02, 0.03, 0.04, 0.05, 0.06]
    found = luff.batch(sim, {"plate.amplitude": sizes}, lanes=True)
    for k, size in enumerate(sizes):
        alone = luff.compile(luff.loads(PLATE), **{"plate.amplitude": size}).run()
        assert found["z.position"][k] == pytest.approx(alone["z.position"], abs=1e-9)


WALL = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  spin: {type: revolute, axis: z, initial: {position: 0, velocity: 2}}
  disc: {type: rigid_link, mass: 1, inertia: [1, 1, 1.5]}
  x: {type: prismatic, axis: x, initial: {position: 0.2, velocity: 0}}
  y: {type: prismatic, axis: y, initial: {position: 0.6, velocity: 0.1}}
  puck: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  it: {type: programmed_constraint, components: [x], band: [-5, 0.3]}
  zero: {type: sine, amplitude: 0}
connect:
  - world.frame -- spin.frame_a
  - spin.frame_b -- disc.frame_a
  - world.frame -- x.frame_a
  - x.frame_b -- y.frame_a
  - y.frame_b -- puck.frame_a
  - puck.frame_a -- it.frame
  - disc.frame_a -- it.base
  - zero.trajectory -> it.target
simulation: {stop: 1 s, step: 1 ms, output_step: 10 ms, events: locate}
"""


def test_a_wall_that_turns_catches_a_puck_and_is_slowed_by_it() -> None:
    """x' <= 0.3 in the axes of a free disc: the edge carries the Coriolis force and pushes the disc back."""

    def phi(t: float, q: Vec) -> Vec:
        return np.array([np.cos(q[0]) * q[1] + np.sin(q[0]) * q[2]])

    def jac(q: Vec) -> Vec:
        return np.array([[np.cos(q[0]) * q[2] - np.sin(q[0]) * q[1], np.cos(q[0]), np.sin(q[0])]])

    def bias(t: float, q: Vec, v: Vec) -> Vec:
        across = np.cos(q[0]) * v[2] - np.sin(q[0]) * v[1]
        return -(v[0] ** 2) * phi(t, q) + 2 * v[0] * across

    wall = Edges(
        mass=lambda q: np.diag([1.5, 2.0, 2.0]),
        force=lambda q, v: np.zeros(3),
        phi=phi,
        jac=jac,
        rate=lambda t, q, v: jac(q) @ v,
        bias=bias,
        lower=np.array([-5.0]),
        upper=np.array([0.3]),
    )
    result = luff.compile(luff.loads(WALL)).run()
    known, met = wall.run(np.array([0.0, 0.2, 0.6]), np.array([2.0, 0.0, 0.1]), result.time)
    assert met >= 1
    for k, name in enumerate(("spin", "x", "y")):
        assert result[f"{name}.position"] == pytest.approx(known[:, k], abs=1e-9), name
    x, y = result["x.position"], result["y.position"]
    momentum = 1.5 * result["spin.velocity"] + 2 * (x * result["y.velocity"] - y * result["x.velocity"])
    assert momentum == pytest.approx(1.5 * 2 + 2 * 0.2 * 0.1, rel=1e-11)
