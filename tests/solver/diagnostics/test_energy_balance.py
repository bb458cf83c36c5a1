"""Newton's and Euler's laws of every body: satisfied by what the solver finds, and by nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

import luff
from luff.solver.diagnostics.energy_balance import BodyBalance, body_balances, worst_balance
from luff.solver.kernels.model_data import FREE, MODE, MULTIPLIER, QDD, TAU, TOTAL_FORCE, Data
from luff.tests.shared import loop_cases
from luff.tests.shared.compile_text import plain
from luff.tests.shared.random_components import named
from luff.tests.shared.random_trees import Twin, netlist, trees

SLOW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
LOOPS = loop_cases.FLAT | loop_cases.SPATIAL

# springs between frames, applied loads, a prescribed joint, a programmed constraint and a servo: all that pushes
EVERYTHING = """
luff: 1
name: all that pushes
blocks:
  world: {gravity: [0.3, -9.81, 1]}
  A: {type: revolute, axis: y, initial: {position: 0.3, velocity: 1}, stiffness: 30, rest: 0.2, damping: 2}
  arm: {type: rigid_link, mass: 3, com: [0.4, 0.1, 0], inertia: [0.1, 0.2, 0.25, 0.01, -0.02, 0.03],
    frame_b: {at: [1, 0, 0.1], rotate: [[z, 20 deg]]}, frames: {eye: {at: [0.3, 0.5, 0.2]}}}
  B: {type: revolute, axis: z, driven: true}
  law: {type: sine, amplitude: 0.4, frequency: 2 rad/s, unit: rad}
  leg: {type: rigid_link, mass: 2, com: [0.3, 0, 0.1], inertia: [0.05, 0.1, 0.1], frame_b: {at: [0.7, 0.1, 0]}}
  C: {type: prismatic, axis: x, initial: {position: 0.1, velocity: -0.4},
    limits: {upper: 0.05, stiffness: 1000, damping: 10}, friction: {model: lugre, mu_s: 0.3, mu_k: 0.2, sigma_0: 2000}}
  sled: {type: rigid_link, mass: 1, com: [0, 0.05, 0.1], inertia: [0.01, 0.02, 0.02], frame_b: {at: [0.2, 0, 0]}}
  float: {type: free, initial: {position: [0.5, 0.6, 1.5], rotate: [[x, 0.4]], velocity: [1, 0, 0.5],
    angular_velocity: [0.5, -1, 0.7]}}
  buoy: {type: rigid_link, mass: 4, com: [0.1, 0, 0], inertia: [0.2, 0.3, 0.3], frames: {ring: {at: [0, 0.3, 0]}}}
  rope: {type: line_spring, stiffness: 200, damping: 5, free_length: 0.5}
  mount: {type: bushing, stiffness: [100, 200, 300], damping: [1, 2, 3], rotational_stiffness: [5, 6, 7]}
  push: {type: applied_force, resolve: b}
  twist: {type: applied_torque}
  loads: {type: constant, value: [3, -4, 5, 1, 2, -3]}
connect:
  - world.frame -- A.frame_a
  - A.frame_b -- arm.frame_a
  - arm.frame_b -- B.frame_a
  - law.trajectory -> B.follow
  - B.frame_b -- leg.frame_a
  - leg.frame_b -- C.frame_b
  - C.frame_a -- sled.frame_a
  - world.frame -- float.frame_a
  - float.frame_b -- buoy.frame_a
  - arm.eye -- rope.frame_a
  - buoy.ring -- rope.frame_b
  - sled.frame_b -- mount.frame_a
  - buoy.frame_a -- mount.frame_b
  - sled.frame_b -- push.frame_b
  - arm.eye -- twist.frame_b
  - loads.y[0:3] -> push.force
  - loads.y[3:6] -> twist.torque
"""


def reacted(sim: luff.Simulation) -> luff.Simulation:
    """Evaluated at its start, reactions included."""
    sim.evaluate()
    sim.instance.rates(0.0, sim.x0)
    sim.instance.kernel("reactions")
    return sim


@SLOW
@given(trees(largest=6))
def test_every_body_of_a_random_tree_obeys_newton_and_euler(limbs) -> None:
    gravity = np.array([0.5, 1.0, -9.81])
    assume(Twin(limbs, gravity).condition() < 1e4)
    sim = reacted(plain(netlist(limbs, gravity)))
    found = body_balances(sim.instance)
    assert {each.body for each in found} >= {f"b{limb.number}" for limb in limbs}
    # rounding, enlarged where light links carry heavy ones
    assert worst_balance(sim.instance).residual < 1e-10


@pytest.mark.parametrize("method", ["reduced", "baumgarte", "projected"])
@pytest.mark.parametrize("name", LOOPS)
def test_every_body_of_a_loop_obeys_newton_and_euler(name: str, method: str) -> None:
    lines = [line for line in LOOPS[name].splitlines() if not line.startswith("simulation:")]
    sim = reacted(plain("\n".join([*lines, f"simulation: {{constraints: {{method: {method}}}}}"])))
    assert worst_balance(sim.instance).residual < 1e-12


def test_every_kind_of_force_is_in_the_balance() -> None:
    sim = reacted(plain(EVERYTHING))
    found = {each.body: each.residual for each in body_balances(sim.instance)}
    assert set(found) == {"arm", "leg", "sled", "buoy"}
    assert max(found.values()) < 1e-13


def test_a_programmed_constraint_and_its_servo_are_in_the_balance() -> None:
    from luff.tests.systems.test_programmed import ellipse

    text = ellipse(0.5)
    free = plain(text)
    servo = plain(text.replace("constants:", "realised_by: [B], constants:"))
    for sim in (free, servo):
        assert worst_balance(reacted(sim).instance).residual < 1e-13
    # the multiplier is part of it: an ideal constraint that pushes harder than it reports would show
    free.instance.data.con[0, MULTIPLIER] *= 1.01
    wrong = worst_balance(free.instance)
    assert wrong.body == "lower"
    assert wrong.residual > 1e-3


def test_each_of_several_mechanisms_is_in_the_balance() -> None:
    """Numbers of frames, rows, ties and reports of the second are not those of the first."""
    from luff.tests.systems.test_programmed import ellipse

    texts = [loop_cases.CRANE, ellipse(0.5), EVERYTHING, loop_cases.CRANE]
    blocks, connect = {}, []
    for k, text in enumerate(texts):
        raw = luff.loads(text).data
        own = {name: block for name, block in raw["blocks"].items() if name != "world"}
        one = named({"blocks": own, "connect": raw["connect"]}, f"m{k}_")
        blocks |= one["blocks"]
        connect += one["connect"]
    sim = reacted(plain(luff.loads(json.dumps({"luff": 1, "blocks": blocks, "connect": connect}))))
    assert len(sim.instance.mechanisms) == len(texts)
    assert worst_balance(sim.instance).residual < 1e-13
    for k, (_, data) in enumerate(sim.instance.mechanisms):
        cuts = len(sim.program.components[k].mechanism.joints)
        data.joint_out[cuts:, TOTAL_FORCE] += 1e3
        data.con[:, MULTIPLIER] *= 1.5
        data.element_out[:, 3] += 1e3
        wrong = worst_balance(sim.instance)
        assert wrong.body.startswith(f"m{k}_")
        assert wrong.residual > 1e-4  # rounding is at 1e-15
        reacted(sim)


def test_reactions_are_the_same_however_often_they_are_asked_for() -> None:
    """Multipliers are found from the accelerations: the forces that they make must not be counted as loads."""
    sim = reacted(plain(loop_cases.CRANE))
    data = sim.instance.data
    once = data.joint_out.copy()
    sim.instance.kernel("reactions")
    np.testing.assert_allclose(data.joint_out, once, rtol=1e-12, atol=1e-9)


def bent(array: Callable[[Data], np.ndarray], *at: int) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        array(data)[at] += 1e-3 * max(1.0, abs(array(data)[at]))

    return change


# what may be wrong, and the bodies of which one must stand out
FAULTS = {
    "acceleration of a joint": (bent(lambda d: d.row, 0, QDD), {"arm", "leg", "sled"}),
    "effort of a drive or spring": (bent(lambda d: d.row, 0, TAU), {"arm"}),
    "constraint force": (bent(lambda d: d.joint_out, 1, 6), {"arm", "leg"}),
    "constraint torque": (bent(lambda d: d.joint_out, 2, 10), {"leg", "sled"}),
    "force of a spring": (bent(lambda d: d.element_out, 0, 3), {"arm", "buoy"}),
    "torque that is applied": (bent(lambda d: d.element_out, 3, 0), {"arm"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_is_wrong_by_a_thousandth_stands_out(fault: str) -> None:
    sim = reacted(plain(EVERYTHING))
    spoil, bodies = FAULTS[fault]
    spoil(sim.instance.data)
    wrong = worst_balance(sim.instance)
    assert wrong.residual > 1e-7  # the torque is small beside the forces; rounding is at 1e-15
    assert wrong.body in bodies


def test_a_wrong_acceleration_is_told_by_its_share_of_the_weight() -> None:
    text = """
luff: 1
blocks:
  rail: {type: prismatic, axis: z}
  box: {type: rigid_link, mass: 5, inertia: [1, 1, 1]}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- box.frame_a
"""
    sim = reacted(plain(text))
    assert worst_balance(sim.instance) == BodyBalance(pytest.approx(0.0, abs=1e-15), "box")
    sim.instance.data.row[0, QDD] += 0.981
    # 5 * 0.981 N against the largest force, the weight
    assert worst_balance(sim.instance).residual == pytest.approx(0.1, rel=1e-12)


def test_reactions_that_a_loop_reports_are_checked_where_it_is_cut() -> None:
    sim = reacted(plain(loop_cases.CRANE))
    assert [cut.block for cut in sim.program.mechanism.cuts] == ["eye"]
    sim.instance.data.joint_out[len(sim.program.mechanism.joints), TOTAL_FORCE : TOTAL_FORCE + 3] *= (
        1.0 + 1e-3
    )
    wrong = worst_balance(sim.instance)
    assert wrong.residual > 1e-5
    assert wrong.body in ("boom", "rod")


def test_a_run_reports_the_worst_body_whatever_is_recorded() -> None:
    text = loop_cases.CRANE.replace("simulation:", "record: [luffing.position]\nsimulation:")
    for recorded in (loop_cases.CRANE, text):
        quality = luff.compile(luff.loads(recorded)).run(stop=0.02, step=1e-3).quality
        assert 0.0 < quality["newton_euler_residual"] < 1e-12
        assert quality["newton_euler_body"] in ("king", "boom", "barrel", "rod", "load")


def test_a_solver_that_is_wrong_shows_in_the_report_of_a_run(monkeypatch) -> None:
    """Accelerations that are off by a hundredth of a per cent, at the end alone."""
    sim = luff.compile(luff.loads(loop_cases.CRANE))
    session = sim.start(stop=0.01, step=1e-3)
    while session.advance(steps=5) == "running":
        pass
    run = session.instance
    rates = run.rates

    def faulty(t, x):
        dx = rates(t, x)
        run.data.row[run.model.topo[:, MODE] == FREE, QDD] *= 1.0 + 1e-4
        return dx

    monkeypatch.setattr(run, "rates", faulty)
    assert session.quality()["newton_euler_residual"] > 1e-6


def test_blocks_without_mass_in_the_library_balance_as_well() -> None:
    """Flexible links, elastic bases, cylinders and pendulums: each body by its own name."""
    library = Path(luff.__file__).resolve().parent / "library"
    for name in ("crane_gpme", "crane_knuckle_boom", "mechanism_rpsup", "crane_overhead"):
        sim = reacted(plain(luff.load(library / f"{name}.yaml")))
        assert worst_balance(sim.instance).residual < 1e-12, name
        assert (
            len(body_balances(sim.instance))
            >= len({row for _, _, row, _ in sim.program.mechanism.bodies}) - 1
        )


def test_torques_of_corners_that_cancel_count_against_their_forces_on_their_arms() -> None:
    """A box on four corners: what is left of their torques is rounding, and no other torque is there to compare."""
    text = """
luff: 1
blocks:
  free: {type: free, initial: {position: [0.3, 0.1, 0.3]}}
  crate: {type: rigid_link, mass: 2500, inertia: [283, 1950, 2083], shape: {kind: box, size: [3, 1, 0.6], round: 8 mm}}
  floor: {type: fixture, shape: {kind: box, size: [50, 50, 2], at: [0, 0, -1]}}
  stand: {type: touch, of: [crate], against: [floor], law: {stiffness: 3e6, dissipation: 2}, friction: {mu: 0.3}}
connect: [world.frame -- free.frame_a, free.frame_b -- crate.frame_a]
simulation: {step: 1 ms}
"""
    session = luff.compile(luff.loads(text)).start()
    run = session.instance
    for _ in range(10):
        session.advance(steps=5)
        run.rates(session.time, np.array(session.x))
        run.kernel("reactions")
        assert worst_balance(run).residual < 1e-12
    # a torque as of 0.1 mm of an arm is none of rounding
    run.data.element_out[0, 0] += 1e-4 * 2500.0 * 9.81
    assert worst_balance(run).residual > 1e-5
