"""Outputs and switching functions of wheels and rollers on rails: places where `rail_contact.py` leaves them."""

from __future__ import annotations

from collections.abc import Iterator

from ..kernels import model_data as f
from ..mechanism.mechanism import Mechanism
from .evaluation_stages import KINEMATICS
from .operations import ABOVE, NEGATE
from .scalar_places import Output
from .switching_functions import SwitchingFunction
from .work_space import Place, data_place


def rail_outputs(mechanism: Mechanism) -> Iterator[Output]:
    """Load, creep forces, guide and place of each wheel and roller."""
    for e, placed in enumerate(mechanism.elements):
        if placed.part.kind != "rail":
            continue
        for name, column in (
            ("normal_force", f.WHEEL_LOAD),
            ("guide_force", f.GUIDE_FORCE),
            ("grip_ratio", f.GRIP_USED),
            ("place", f.DEFLECTION),
            ("offset", f.DEFLECTION + 1),
        ):
            yield Output((placed.block, name, 0, 0), (data_place("element_out", e, column),), KINEMATICS)
        for name, column, made in (
            ("longitudinal_force", f.CREEP_AHEAD, NEGATE),
            ("lateral_force", f.CREEP_SIDE, NEGATE),
            ("lifted", f.DEFLECTION + 2, ABOVE),
        ):
            yield Output(
                (placed.block, name, 0, 0), (data_place("element_out", e, column),), KINEMATICS, made
            )
        for axis in range(3):
            place = data_place("element_out", e, f.FORCE_ON_B + axis)
            yield Output((placed.block, "force", axis, 0), (place,), KINEMATICS)


def rail_switches(mechanism: Mechanism) -> Iterator[tuple[SwitchingFunction, Place]]:
    """Load and both sides of the guide of each wheel and roller: positive while they push."""
    for e, placed in enumerate(mechanism.elements):
        if placed.part.kind == "rail":
            yield SwitchingFunction(placed.block, "wheel"), data_place("element_out", e, f.MARGIN)
            for side in range(2):
                yield (
                    SwitchingFunction(placed.block, "guide"),
                    data_place("element_out", e, f.GUIDE_MARGIN + side),
                )
