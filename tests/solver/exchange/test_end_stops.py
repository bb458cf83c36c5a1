"""Inertias that joints of a foreign model feel, by hand, and what follows: slopes of friction, links without mass."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import luff
from luff.bench.robots import mujoco
from luff.blocks.geometry.mass_properties import Inertia, Pose
from luff.solver.exchange.end_stop_stiffness import (
    effective_joint_inertias,
    fastest_rate,
    fastest_stop,
    stop_law,
    stop_time,
)
from luff.solver.exchange.massless_links import remove_massless_links
from luff.solver.exchange.robot_tree import WORLD, Body, Closure, Joint, Robot, Surface
from luff.tests.solver.exchange.mjcf_models import compiled, written

NOWHERE = cast("Any", None)


def hinge(name: str, **law: float) -> Joint:
    return Joint(name, "revolute", NOWHERE, axis=(0.0, 1.0, 0.0), **law)


def test_a_hinge_feels_its_body_about_its_axis_and_its_rotor() -> None:
    """I + m r^2 + J = 0.3 + 2 0.5^2 + 0.2 = 1 kg m^2: a stop of 20 ms is k = I/T^2, c = 2 I/T."""
    body = Body(
        "rod", WORLD, NOWHERE, inertia=Inertia(2.0, np.array([0.5, 0.0, 0.0]), np.diag([9.0, 0.3, 9.0]))
    )
    body.joints = [hinge("pin", armature=0.2, damping=4.0, dry_friction=10.0)]
    robot = Robot("one", "none", bodies=[body])
    felt = effective_joint_inertias(robot)
    assert felt == {"pin": pytest.approx(1.0)}
    assert stop_law(felt["pin"]) == {"stiffness": 2500.0, "damping": 100.0}
    # tanh(10 v / width) of 10 N m over a width of 0.1 rad/s has a slope of 1000 N m s
    assert fastest_rate(robot, felt, 1e-3) == pytest.approx(4.0 + 10.0 * 10.0 / 0.1)


def test_a_hinge_before_a_link_without_mass_turns_what_has_a_moment_of_inertia() -> None:
    """And a loop that is closed on a frame of it is closed on the body that keeps it."""
    first = Body("wrist", WORLD, NOWHERE, joints=[hinge("pin")])
    wheel = Body("wheel", 0, NOWHERE, pose=Pose(np.array([0.0, 0.0, 1.0])), joints=[hinge("axle")])
    wheel.inertia = Inertia(0.0, np.zeros(3), np.eye(3))
    tool = Body("tool", 1, NOWHERE, pose=Pose(np.array([0.4, 0.0, 0.0])))
    robot = Robot("arm", "none", bodies=[first, wheel, tool])
    eye = Pose(np.array([0.1, 0.0, 0.0]))
    robot.closures = [Closure("ring", "connect", NOWHERE, WORLD, 2, Pose(), eye)]
    frames = remove_massless_links(robot)
    assert [*robot.joints()] == ["pin", "axle"]
    (ring,) = robot.closures
    assert robot.bodies[ring.body_b].name == "wheel"
    assert ring.pose_b.at == pytest.approx([0.5, 0.0, 0.0])
    assert [*frames[1]] == ["tool"]


STOP = """<mujoco><compiler autolimits="true" angle="radian"/>
  <option timestep="0.001" gravity="0 0 {gravity}"/><worldbody><body name="arm" pos="0 0 1">
  <joint name="pin" axis="0 1 0" range="-0.5 0.01" {soft}/>
  <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="0.7"/></body></worldbody></mujoco>"""
HARD = 'solreflimit="0.005 1" solimplimit="0.95 0.99 0.000001"'


def imported(folder: Path, soft: str, gravity: float) -> tuple[luff.Simulation, str]:
    text = STOP.format(soft=soft, gravity=gravity)
    return luff.compile(luff.import_model(written(folder, text))), text


@pytest.mark.parametrize(
    ("soft", "gravity"),
    [
        (HARD, -1500.0),
        ('solreflimit="0.02 1" solimplimit="0 0.8 0.000001"', -9.81),
        ('solreflimit="-2000 -90" solimplimit="0.9 0.9 0.001"', -9.81),
    ],
)
def test_a_stop_of_given_softness_bears_a_weight_as_deep_as_mujoco_s(
    soft: str, gravity: float, tmp_path: Path
) -> None:
    """Under loads that press it in by more than the 1 mrad over which stops of luff fade in."""
    sim, text = imported(tmp_path, soft, gravity)
    found = sim.run(stop=3.0, output_step=0.1)["pin.position"][-1] - 0.01
    model = compiled(text)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=3000)
    depth = float(data.qpos[0]) - 0.01
    assert depth > 0.001
    # stiffness is written with two digits: half a unit of the second is at most 5 %
    assert found == pytest.approx(depth, rel=0.05)


def test_a_stop_at_which_rk4_would_not_be_stable_takes_implicit_steps(tmp_path: Path) -> None:
    """sqrt(1 - d) 5 ms of a stop, beside a step of 1 ms and RK4's limit of 2.785; MuJoCo's default keeps 20 ms."""
    for deepest, method in ((0.99, "rk4"), (0.9965, "implicit")):  # 2.0 and 3.4 a step
        soft = f'solreflimit="0.005 1" solimplimit="0.95 {deepest} 0.000001"'
        sim = imported(tmp_path, soft, -1500.0)[0]
        assert sim.settings.method == method
        fine = luff.compile(sim.diagram, **{"simulation.method": "rk4", "simulation.step": 5e-5})
        # falls into the stop and comes to rest there: unstable steps would throw it out again
        ends = [one.run(stop=0.5, output_step=0.1)["pin.position"][-1] for one in (sim, fine)]
        assert ends[0] == pytest.approx(ends[1], abs=1e-6)
    assert imported(tmp_path, "", -9.81)[0].settings.method == "rk4"


def test_damping_of_a_joint_makes_its_stop_faster() -> None:
    """Roots of s^2 + (2 / T + c / I) s + 1 / T^2 with c / I = 300 / s and T of the stop, near 10 ms."""
    body = Body("rod", WORLD, NOWHERE, inertia=Inertia(0.0, np.zeros(3), np.eye(3)))
    soft = Surface(solref=(-1e4, -200.0), solimp=(0.0, 0.0))
    body.joints = [hinge("pin", damping=300.0)]
    body.joints[0].stop = soft
    own = 1.0 / stop_time(soft)
    assert own == pytest.approx(100.0, rel=1e-3)  # the least impedance that MuJoCo takes is 1e-4
    roots = np.roots([1.0, 2.0 * own + 300.0, own**2])
    assert fastest_stop(Robot("one", "none", bodies=[body]), {"pin": 1.0}) == pytest.approx(-roots.min())
