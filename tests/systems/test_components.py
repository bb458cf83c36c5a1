"""Mechanisms that share nothing: each is what it is alone, and one may drive another."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

import luff
from luff.tests.conftest import about_compiling
from luff.tests.shared.random_components import netlists

FEW, MANY = 8, 200

DRIVEN = """
luff: 1
blocks:
  law: {type: motion_law, law: poly7, duration: 1 s, end_value: 1, unit: rad}
  a: {type: revolute, axis: y, driven: true}
  m: {type: rigid_link, mass: 1, com: [0.3, 0, 0], inertia: [0, 0.01, 0.01]}
  b: {type: revolute, axis: y, initial: {position: 0}}
  n: {type: rigid_link, mass: 1, com: [0.3, 0, 0], inertia: [0, 0.01, 0.01]}
connect:
  - world.frame -- a.frame_a
  - a.frame_b -- m.frame_a
  - world.frame -- b.frame_a
  - b.frame_b -- n.frame_a
  - law.y -> a.follow
  - a.required_effort -> b.effort
simulation: {stop: 1 s, step: 0.5 ms}
"""

REFERENCE = """
luff: 1
blocks:
  r1: {type: revolute, axis: y, guess: {position: -40 deg}}
  ra: {type: rigid_link, mass: 2, com: [0.25, 0, 0], inertia: [0.001, 0.04, 0.04], frame_b: {at: [0.5, 0, 0]}}
  r2: {type: revolute, axis: y, guess: {position: 80 deg}}
  rb: {type: rigid_link, mass: 1, com: [0.2, 0, 0], inertia: [0.001, 0.015, 0.015], frame_b: {at: [0.4, 0, 0]}}
  path: {type: path, shape: circle, center: [0.55, 0.1], radius: 0.1, duration: 3 s, law: poly7, start: 0.5 s}
  prog: {type: programmed_constraint, components: [x, z], realised_by: [r1, r2]}
  p1: {type: revolute, axis: y}
  pa: {type: rigid_link, mass: 2, com: [0.25, 0, 0], inertia: [0.001, 0.04, 0.04], frame_b: {at: [0.5, 0, 0]}}
  p2: {type: revolute, axis: y}
  pb: {type: rigid_link, mass: 1, com: [0.2, 0, 0], inertia: [0.001, 0.015, 0.015], frame_b: {at: [0.4, 0, 0]}}
  pd: {type: pd, kp: 400, kd: 40}
connect:
  - world.frame -- r1.frame_a
  - r1.frame_b -- ra.frame_a
  - ra.frame_b -- r2.frame_a
  - r2.frame_b -- rb.frame_a
  - rb.frame_b -- prog.frame
  - path.y -> prog.target
  - world.frame -- p1.frame_a
  - p1.frame_b -- pa.frame_a
  - pa.frame_b -- p2.frame_a
  - p2.frame_b -- pb.frame_a
  - r1.trajectory -> pd.target[0]
  - r2.trajectory -> pd.target[1]
  - p1.trajectory -> pd.measured[0]
  - p2.trajectory -> pd.measured[1]
  - prog.effort -> pd.feedforward
  - pd.effort[0] -> p1.effort
  - pd.effort[1] -> p2.effort
simulation: {stop: 4 s, step: 1 ms}
"""

RING = """
luff: 1
blocks:
  law: {type: motion_law, law: poly7, duration: 1 s, end_value: 1, unit: rad}
  a: {type: revolute, axis: y, driven: true}
  m: {type: rigid_link, mass: 1, com: [0.3, 0, 0], inertia: [0, 0.01, 0.01]}
  b: {type: revolute, axis: y}
  n: {type: rigid_link, mass: 1, com: [0.3, 0, 0], inertia: [0, 0.01, 0.01]}
  c: {type: revolute, axis: y}
  o: {type: rigid_link, mass: 1, com: [0.3, 0, 0], inertia: [0, 0.01, 0.01]}
  k: {type: gain, k: 0.01}
connect:
  - world.frame -- b.frame_a
  - b.frame_b -- n.frame_a
  - n.frame_b -- a.frame_a
  - a.frame_b -- m.frame_a
  - world.frame -- c.frame_a
  - c.frame_b -- o.frame_a
  - law.y -> a.follow
  - a.required_effort -> c.effort
  - c.acceleration -> k.u
  - k.y -> b.effort
simulation: {stop: 1 s, step: 1 ms}
"""


def seen_by(result: luff.Result, other: luff.Result) -> np.ndarray:
    """What another run has recorded under the names of this one."""
    places = {name: k for k, name in enumerate(other.columns)}
    return other.table[:, [places[name] for name in result.columns]]


@about_compiling
@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
def test_random_mechanisms_have_the_bits_that_they_have_alone(seed: int) -> None:
    for number in range(FEW if seed == 1 else MANY):
        rng = np.random.default_rng([seed, number])
        print("netlist", number)
        together, alone = netlists(rng, str(rng.choice(["rk4", "rk4", "euler", "heun"])))
        sim = luff.compile(luff.loads(together))
        assert len(sim.program.components) == len(alone)
        result = sim.run()
        for text in alone:
            expected = luff.compile(luff.loads(text)).run()
            np.testing.assert_array_equal(seen_by(expected, result), expected.table)


def test_what_a_driven_joint_needs_drives_another_arm_alike() -> None:
    """The error is that of the integrator alone: fourth order in the step."""
    sim = luff.compile(luff.loads(DRIVEN))
    off = {
        step: abs((r := sim.run(step=step))["a.position"] - r["b.position"]).max() for step in (1e-3, 5e-4)
    }
    assert off[5e-4] < 1e-12
    assert off[1e-3] / off[5e-4] == pytest.approx(16.0, rel=0.1)


def test_a_plant_that_starts_alike_follows_its_reference() -> None:
    """The feed-forward is what the plant needs: the controller has rounding and the integrator's error to do."""
    sim = luff.compile(luff.loads(REFERENCE))
    start = {name: value for name, value in sim.evaluate().items() if name.endswith(".position")}
    alike = {f"p{k}.initial.position": start[f"r{k}.position"] for k in (1, 2)}
    result = luff.compile(luff.loads(REFERENCE), **alike).run()
    assert not result.remarks
    for k in (1, 2):
        assert np.ptp(result[f"p{k}.position"]) > 0.2
        np.testing.assert_allclose(result[f"p{k}.position"], result[f"r{k}.position"], rtol=0, atol=1e-9)


def test_mechanisms_that_wait_for_each_other_are_a_ring() -> None:
    with pytest.raises(luff.CompileError, match=r"algebraic loop: .*mechanism of b.*mechanism of c"):
        luff.compile(luff.loads(RING))


ALONE_IN_WAYS = 4  # of these netlists, each in all the ways in which a model is run


@about_compiling
@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
def test_they_have_them_in_lanes_in_derivatives_and_after_a_snapshot(seed: int) -> None:
    for number in range(ALONE_IN_WAYS):
        rng = np.random.default_rng([seed, 1000 + number])
        print("netlist", number)
        together, alone = netlists(rng)
        sim = luff.compile(luff.loads(together))
        jacobian, used = sim.jacobian(), np.zeros(len(sim.x0), bool)
        for text in alone:
            part = luff.compile(luff.loads(text))
            places = [sim.state_names.index(name) for name in part.state_names]
            np.testing.assert_array_equal(jacobian[np.ix_(places, places)], part.jacobian())
            np.testing.assert_array_equal(np.delete(jacobian[places], places, axis=1), 0.0)
            used[places] = True
        assert used.all()

        session = sim.start()
        session.advance(steps=30)
        mark, before = session.snapshot(), sim.start()
        session.advance(steps=40)
        before.restore(mark)
        before.advance(steps=40)
        np.testing.assert_array_equal(session.x, before.x)

        masses = 10 ** rng.uniform(-0.1, 0.1, 9)
        name = next(
            name for name, block in sim.program.flat.blocks.items() if block.type_name == "rigid_link"
        )
        lanes, single = (
            luff.batch(sim, {f"{name}.mass": masses}, "*", lanes=lanes) for lanes in (True, False)
        )
        assert lanes.status == single.status == ["finished"] * len(masses)
        np.testing.assert_array_equal(lanes.table, single.table)


@about_compiling
@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
def test_they_have_them_in_an_fmu(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng([seed, 2000])
    together = luff.loads(netlists(rng)[0])
    result = luff.compile(together).run()
    path = luff.export_fmu(together, tmp_path / "several.fmu")
    rows = fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", output_interval=0.01, stop_time=0.1, output=[*result.columns]
    )
    assert len(rows) == len(result.time)
    for k, name in enumerate(result.columns):
        np.testing.assert_array_equal(rows[name], result.table[:, k])


FOLLOWER = """
luff: 1
blocks:
  s: {type: sine, amplitude: 3, frequency: 0.7}
  a: {type: revolute, axis: y, stiffness: 20, damping: 0.3, initial: {position: 0.4}}
  m: {type: rigid_link, mass: 1, com: [0.3, 0, 0], inertia: [0, 0.01, 0.01]}
  b: {type: revolute, axis: y, driven: true}
  n: {type: rigid_link, mass: 2, com: [0.2, 0, 0], inertia: [0, 0.03, 0.03]}
BETWEENconnect:
  - s.y -> a.effort
  - world.frame -- a.frame_a
  - a.frame_b -- m.frame_a
  - world.frame -- b.frame_a
  - b.frame_b -- n.frame_a
  - HOW
simulation: {stop: 1 s, step: 1 ms}
"""


PARTS = ("value", "rate", "acceleration")
WAYS = {
    "wired": ("", "a.trajectory -> b.follow"),
    "in parts": (
        "  split: {type: split_trajectory}\n  made: {type: make_trajectory}\n",
        "\n  - ".join(
            [
                "a.trajectory -> split.u",
                "made.y -> b.follow",
                *(f"split.{part} -> made.{part}" for part in PARTS),
            ]
        ),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_joint_follows_one_of_another_mechanism_with_its_acceleration(way: str) -> None:
    """Its effort is that of the pendulum's equation at the other's acceleration."""
    between, how = WAYS[way]
    result = luff.compile(luff.loads(FOLLOWER.replace("BETWEEN", between).replace("HOW", how))).run()
    q, qdd = result["a.position"], result["a.acceleration"]
    assert np.ptp(qdd) > 10.0
    np.testing.assert_array_equal(result["b.position"], q)
    # about y a link along x hangs down as the angle grows
    effort = (0.03 + 2.0 * 0.2**2) * qdd - 2.0 * 9.81 * 0.2 * np.cos(q)
    np.testing.assert_allclose(result["b.required_effort"], effort, rtol=0, atol=1e-12 * abs(effort).max())
