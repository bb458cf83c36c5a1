"""What cylinders report beyond a slide: the barrel's angles and the forces on their pins."""

from __future__ import annotations

from collections.abc import Iterator

from ...blocks.parts import Telescope
from ..machine import fields as f
from ..machine.functions import Function
from ..mechanism.mechanism import Mechanism
from ..table.operations import NEGATE
from ..table.places import cell
from .scalars import Output
from .steps import KINEMATICS, REACTIONS


def cylinder_outputs(mechanism: Mechanism) -> Iterator[Output]:
    """What cylinders report beyond a slide: the barrel's angles and the forces on their pins."""
    parts = {placed.block: placed.part for placed in mechanism.others_of(Telescope)}
    for number, joint in enumerate(mechanism.joints):
        part = parts.get(joint.block)
        if part is None:
            continue
        if joint.part.name == part.turn:
            for row, name in zip((joint.first, joint.last), ("angle", "tilt"), strict=True):
                yield Output((joint.block, name, 0, 0), (cell("row", row, f.Q),), KINEMATICS)
            yield from _force(joint.block, "pin_a_force", number, NEGATE)
        elif joint.part.name == "rod":
            yield from _force(joint.block, "pin_b_force", number)
    for number, cut in enumerate(mechanism.cuts):
        if cut.block in parts:
            yield from _force(cut.block, "pin_b_force", len(mechanism.joints) + number)


def _force(block: str, port: str, number: int, code: Function | None = None) -> Iterator[Output]:
    for k in range(3):
        yield Output((block, port, k, 0), (cell("joint_out", number, f.TOTAL_FORCE + k),), REACTIONS, code)
