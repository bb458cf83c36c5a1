"""What joints report: constraint wrenches are free of everything that acts along the joint's own freedoms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import luff
from luff.solver.kernels.model_data import R_WB, p_WB
from luff.tests.shared.compile_text import outputs, plain
from luff.tests.shared.loop_cases import RPSUP
from luff.tests.shared.random_trees import netlist, trees

SLOW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
GRAVITY = np.array([0.0, 0.0, -9.81])


@SLOW
@given(trees(largest=5, light=False))
def test_constraint_wrench_does_no_work_on_the_freedoms(limbs) -> None:
    values = plain(netlist(limbs, GRAVITY)).evaluate()
    for limb in limbs:
        force, torque = (outputs(values, f"{limb.name}.constraint_{what}") for what in ("force", "torque"))
        total_force, total_torque = (
            outputs(values, f"{limb.name}.total_{what}") for what in ("force", "torque")
        )
        scale = max(1.0, np.abs(total_force).max(), np.abs(total_torque).max())
        # rounding of sums of this size
        close = {"rtol": 1e-9, "atol": 1e-10 * scale, "err_msg": limb.kind}
        if limb.kind == "revolute":
            np.testing.assert_allclose(force, total_force, **close)
            np.testing.assert_allclose(np.cross(limb.axes[0], torque - total_torque), 0.0, **close)
            np.testing.assert_allclose(torque @ limb.axes[0], 0.0, **close)
        elif limb.kind == "prismatic":
            np.testing.assert_allclose(torque, total_torque, **close)
            np.testing.assert_allclose(force @ limb.axes[0], 0.0, **close)
        elif limb.kind == "universal":
            # axis_b is fixed in frame_b; axis_a stands turned back by beta about it
            np.testing.assert_allclose(torque @ limb.axes[1], 0.0, **close)
            np.testing.assert_allclose(force, total_force, **close)
        elif limb.kind == "spherical":
            np.testing.assert_allclose(torque, 0.0, **close)
            np.testing.assert_allclose(force, total_force, **close)
        elif limb.kind == "free":
            np.testing.assert_allclose([*force, *torque], 0.0, **close)
        else:
            np.testing.assert_allclose([*force, *torque], [*total_force, *total_torque], **close)


@SLOW
@given(trees(("revolute", "prismatic"), largest=5, light=False))
def test_total_effort_along_the_axis_is_drive_and_spring_and_damper(limbs) -> None:
    values = plain(netlist(limbs, GRAVITY)).evaluate()
    for limb in limbs:
        what = "torque" if limb.kind == "revolute" else "force"
        along = outputs(values, f"{limb.name}.total_{what}") @ limb.axes[0]
        effort = limb.effort - limb.stiffness * (limb.q[0] - limb.rest) - limb.damping * limb.v[0]
        scale = np.abs(outputs(values, f"{limb.name}.total_{what}")).max()
        assert along == pytest.approx(effort, rel=1e-9, abs=1e-10 * max(1.0, scale))


def frame(sim: luff.Simulation, joint: str, port: str) -> np.ndarray:
    """R_WF at the last evaluation."""
    row, pose = sim.program.mechanism.frames[sim.program.mechanism.frame_index[(joint, port)]]
    return pose.R if row < 0 else sim.instance.data.row[row, R_WB:p_WB].reshape(3, 3) @ pose.R


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("joint", ["R", "P", "S", "U", "Q"])
def test_wrenches_are_reported_in_the_axes_that_are_asked_for(joint: str, cut: bool) -> None:
    """A loop in space, opened at this joint or elsewhere: the same arrows, seen in the world, in a and in b."""
    line = next(line for line in RPSUP.splitlines() if line.startswith(f"  {joint}:"))
    seen = {}
    for axes in ("world", "a", "b"):
        more = f"{{resolve: {axes}, " + ("cut: true, " if cut else "")
        sim = plain(RPSUP.replace(line, line.replace("{", more, 1)))
        values = sim.evaluate()
        R = {"world": np.eye(3), "a": frame(sim, joint, "frame_a"), "b": frame(sim, joint, "frame_b")}[axes]
        seen[axes] = np.array(
            [
                R @ outputs(values, f"{joint}.{kind}_{what}")
                for kind in ("total", "constraint")
                for what in ("force", "torque")
            ]
        )
    assert abs(seen["b"]).max() > 1.0
    for axes in ("world", "a"):
        # rounding of wrenches that differ by turns alone
        np.testing.assert_allclose(seen[axes], seen["b"], atol=1e-9 * abs(seen["b"]).max())
