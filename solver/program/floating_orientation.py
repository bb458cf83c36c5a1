"""Orientation and angular velocity of bodies that float in the plane of motion, from the one turn that is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...blocks.geometry import rotations
from ..kernels import model_data as f
from ..mechanism.mechanism import Mechanism
from .evaluation_stages import KINEMATICS
from .operations import MULTIPLY, scalar_function
from .scalar_places import Output
from .work_space import Place, data_place

ENTRY = scalar_function(
    "orientation_entry", 3, "u1 * math.cos(0.5 * u0) + u2 * math.sin(0.5 * u0)", "orientation in the plane"
)


def floating_outputs(mechanism: Mechanism, constant: Callable[[float], Place]) -> Iterator[Output]:
    """Ports `orientation` and `angular_velocity` of joints whose last coordinate is the turn in the plane."""
    for joint in mechanism.joints:
        last = joint.part.coordinates[-1] if joint.part.coordinates else None
        if last is None or last.name != "turn" or not joint.part.held_axes:
            continue
        row = joint.first if joint.reversed else joint.last
        q, v = data_place("row", row, f.Q), data_place("row", row, f.V)
        _, turned = mechanism.frames[joint.frame_b]
        _, end = mechanism.frames[mechanism.frame_index[joint.block, "frame_b"]]
        R, axis = turned.R.T @ end.R, np.array(last.axis)
        first = rotations.quaternion(R)  # at no turn; the axis times it at half a turn
        behind = (-float(axis @ first[1:]), *(first[0] * axis + np.cross(axis, first[1:])))
        for k in range(4):
            places = (q, constant(float(first[k])), constant(float(behind[k])))
            yield Output((joint.block, "orientation", k, 0), places, KINEMATICS, ENTRY)
        for k, share in enumerate((R.T @ axis).tolist()):
            places = (v, constant(share))
            yield Output((joint.block, "angular_velocity", k, 0), places, KINEMATICS, MULTIPLY)
