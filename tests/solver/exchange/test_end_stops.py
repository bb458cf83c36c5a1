"""Inertias that joints of a foreign model feel, by hand, and what follows: slopes of friction, links without mass."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from luff.blocks.geometry.mass_properties import Inertia, Pose
from luff.solver.exchange.end_stop_stiffness import effective_joint_inertias, fastest_rate, stop_law
from luff.solver.exchange.massless_links import remove_massless_links
from luff.solver.exchange.robot_tree import WORLD, Body, Closure, Joint, Robot

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
