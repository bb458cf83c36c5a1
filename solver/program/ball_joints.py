"""Ball joints: angles of those whose state is a quaternion; the range of those whose states are angles."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

from ..codegen.source_functions import Function, function
from ..kernels import model_data as f
from ..mechanism.mechanism import Mechanism
from .evaluation_stages import KINEMATICS
from .scalar_places import Output
from .switching_functions import SwitchingFunction
from .work_space import Place, data_place

BALL = "spherical"  # kind of their parts
LOCK = "lock"
# of q = (p, b, c, e) and w_AB = (x, y, z) in B. R = Rz(psi) Ry(theta) Rx(phi): phi follows from psi, so that R is right
# where theta is 90 deg, too
FORMULAS = """
def operation(w, a):
    j = 1
    for _ in range(a[0]):
        p, b, c, e = w[a[j + 1]], w[a[j + 2]], w[a[j + 3]], w[a[j + 4]]
        x, y, z = w[a[j + 5]], w[a[j + 6]], w[a[j + 7]]
        scale = 2.0 / (p * p + b * b + c * c + e * e)
        psi = math.atan2(scale * (b * c + p * e), 1.0 - scale * (c * c + e * e))
        s, k = math.sin(psi), math.cos(psi)
        phi = math.atan2(
            s * scale * (b * e + p * c) - k * scale * (c * e - p * b),
            k * (1.0 - scale * (b * b + e * e)) - s * scale * (b * c - p * e),
        )
        level = k * (1.0 - scale * (c * c + e * e)) + s * scale * (b * c + p * e)
        steep = scale * (p * c - b * e)
        s, k = math.sin(phi), math.cos(phi)
        # its rate is unknown where level = cos(theta) is rounding: of eight products and sums of numbers up to one
        turn = (s * y + k * z) / level if level > 2e-15 else math.nan
        w[a[j]] = RESULT
        j += 8
"""
RESULTS = {
    "psi": "psi",
    "theta": "math.atan2(steep, level)",
    "phi": "phi",
    "psi_rate": "turn",
    "theta_rate": "k * y - s * z",
    "phi_rate": "x + steep * turn",
}


def angle_function(name: str) -> Function:
    """Function of quaternion and angular velocity that gives an angle or its rate."""
    return function(textwrap.dedent(FORMULAS).lstrip().replace("RESULT", RESULTS[name]), (), name)


def ball_outputs(mechanism: Mechanism) -> Iterator[Output]:
    """Angles of ball joints whose state is a quaternion, and their rates."""
    for joint in mechanism.joints:
        if joint.part.kind != BALL or joint.part.quaternion is None:
            continue
        quat = mechanism.rows[joint.last].quat
        turn = [data_place("quat", quat, k) for k in range(4)]
        spin = [data_place("row", i, f.V) for i in range(joint.first, joint.last + 1)]
        for name in RESULTS:
            yield Output((joint.block, name, 0, 0), (*turn, *spin), KINEMATICS, angle_function(name))


def lock_switches(mechanism: Mechanism) -> Iterator[tuple[SwitchingFunction, Place]]:
    """Range of theta of each ball joint with angles, between the two positions next to its start in which they lock."""
    for joint in mechanism.joints:
        if joint.part.kind != BALL or joint.part.held_axes:  # one turn in a plane never locks
            continue
        for i in range(joint.first, joint.last + 1):
            c = mechanism.rows[i].coordinate
            if c is not None and c.name == "theta":
                middle = math.pi * round((c.value or c.guess) / math.pi)
                room = (middle - 0.5 * math.pi, middle + 0.5 * math.pi)
                yield SwitchingFunction(joint.block, LOCK, room=room), data_place("row", i, f.Q)


def lock_message(switch: SwitchingFunction, time: float) -> str:
    """Message about a ball joint that has passed a position in which its angles lock."""
    at = f"at t = {time:.6g} s" if time > 0.0 else "at the start"
    return (
        f"{switch.block}: theta passes 90 deg {at}, where psi and phi turn about one line and no step is short enough: "
        "what follows may be wrong; coordinates: quaternion has no such position"
    )


def lock_fix(mechanism: Mechanism, states: Sequence[str]) -> str:
    """Fix for states or rates that all belong to one ball joint with angles; empty for others."""
    blocks = {name.rpartition(".")[0] for name in states}
    for joint in mechanism.joints:
        if joint.part.kind == BALL and joint.part.quaternion is None and blocks == {joint.block}:
            return f"its angles lock at theta = 90 deg; give {joint.block} coordinates: quaternion"
    return ""
