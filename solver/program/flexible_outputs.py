"""Outputs of flexible links and elastic supports: places where the kernels leave them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...blocks.geometry.link_stations import joint_of
from ...blocks.mechanics.flexible_links import MOMENTS
from ...blocks.multibody_parts import Constant, MemberLoads, PointStresses, SectionLoads, split_index
from ..kernels import model_data as f
from ..kernels.newton_euler import stored_energies
from ..mechanism.mechanism import Mechanism
from ..mechanism.model_build import energy_reporters
from .evaluation_stages import KINEMATICS, REACTIONS, stage_key
from .mechanism_operations import MechanismOperations
from .member_strength import member_strength
from .operations import ABOVE, NEGATE, NEGATE_SUM, Operation
from .point_stresses import point_stresses
from .scalar_places import Key, Output
from .work_space import data_place

SECTION_LOADS = ("N", "V_y", "V_z", "T", "M_y", "M_z")
FORCES = ("axial", "shear_y", "shear_z")
STORED_ENERGIES = stage_key("stored_energies")


def flexible_outputs(mechanism: Mechanism) -> Iterator[Output]:
    """Outputs of links, sections, supports and stored energies."""
    for of in (_links, _bodies, _sections, _supports, _energies):
        yield from of(mechanism)


def flexible_operations(mechanics: MechanismOperations) -> Iterator[Operation]:
    """Operations of what elastic blocks report; without rows no kernel runs, and constants alone are known."""
    mechanism, scalars, key = mechanics.mechanism, mechanics.scalars, mechanics.key
    if mechanism.rows:
        yield from mechanics.outputs_of(flexible_outputs(mechanism))
        makes, needs = (key(STORED_ENERGIES),), (key(KINEMATICS),)
        yield Operation(makes, needs, stored_energies, component=mechanics.number)
    for placed in mechanism.others_of(MemberLoads):
        yield from member_strength(mechanics, placed.block, placed.part)
    for placed in mechanism.others_of(PointStresses):
        yield from point_stresses(mechanics, placed.block, placed.part)
    cut = {each.block for each in mechanism.cuts if not each.part.name}  # these report no coordinates
    for placed in mechanism.others_of(Constant):
        name: Key = (placed.block, placed.part.port, placed.part.element, 0)
        if scalars.known(name) and placed.block not in cut:
            scalars.place[name] = scalars.constant(float(placed.part.value))
            yield Operation((name,), (), label=f"{name[0]}.{name[1]}")


def _links(mechanism: Mechanism) -> Iterable[Output]:
    """Deformations and section forces: the outer part's wrench on the inner one, the negative of the joint's."""
    for number, joint in enumerate(mechanism.joints):
        if joint.part.kind != "elastic":
            continue
        # a pure torsion spring in the middle of an element reports no forces
        for axis, port in enumerate(FORCES) if joint.part.name.isdigit() else ():
            key = (joint.block, port, int(joint.part.name) - 1, 0)
            yield Output(key, (data_place("joint_out", number, f.TOTAL_FORCE + axis),), REACTIONS, NEGATE)
        for i in range(joint.first, joint.last + 1):
            coordinate = mechanism.rows[i].coordinate
            assert coordinate is not None  # elastic joints have nothing but coordinates, and one at least
            name, k = split_index(coordinate.name)
            yield Output((joint.block, name, k, 0), (data_place("row", i, f.Q),), KINEMATICS)
            passive = data_place("row", i, f.SPRING_EFFORT), data_place("row", i, f.DAMPER_EFFORT)
            if name in MOMENTS:
                yield Output((joint.block, MOMENTS[name], k, 0), passive, KINEMATICS, NEGATE_SUM)


def _bodies(mechanism: Mechanism) -> Iterable[Output]:
    """Modal coordinates of flexible bodies, and their rates."""
    for body in mechanism.flexible:
        for k in range(body.reduced.modes):
            for port, column in (("mode", f.Q), ("mode_rate", f.V)):
                yield Output(
                    (body.block, port, k, 0), (data_place("row", body.row + 1 + k, column),), KINEMATICS
                )


def _sections(mechanism: Mechanism) -> Iterable[Output]:
    """Section loads at stations: the outer part's wrench on the inner one, the negative of the weld's."""
    welds = {joint.part.name: number for number, joint in enumerate(mechanism.joints) if joint.part.name}
    for placed in mechanism.others_of(SectionLoads):
        number = welds[joint_of(placed.block)]
        for k, port in enumerate(SECTION_LOADS):
            yield Output(
                (placed.block, port, 0, 0),
                (data_place("joint_out", number, f.TOTAL_FORCE + k),),
                REACTIONS,
                NEGATE,
            )


def _supports(mechanism: Mechanism) -> Iterable[Output]:
    """Deflections, forces and lift of supports and bases."""
    for e, placed in enumerate(mechanism.elements):
        if placed.part.kind in ("bushing", "support") and placed.part.name:
            for axis in range(3):
                for port, column in (("deflection", f.DEFLECTION), ("force", f.FORCE_IN_A)):
                    key = (placed.block, f"{port}_{placed.part.name}", axis, 0)
                    yield Output(key, (data_place("element_out", e, column + axis),), KINEMATICS)
        if placed.part.kind == "support":
            yield from _foot(placed.block, f"_{placed.part.name}" if placed.part.name else "", e)
    for s, (joint, part) in enumerate(mechanism.springs):
        for column, port in ((f.STRETCH, "deflection"), (f.SPRING_FORCE, "force")) if part.name else ():
            key = (joint.block, f"{port}_{part.name}", part.element, 0)
            yield Output(key, (data_place("spring_out", s, column),), KINEMATICS)


def _foot(block: str, tail: str, e: int) -> Iterable[Output]:
    """Lift of the foot of support e, and what a pad on soil reports."""
    yield Output(
        (block, f"lifted{tail}", 0, 0), (data_place("element_out", e, f.FOOT_GAP),), KINEMATICS, ABOVE
    )
    for port, column in (
        ("settlement", f.SETTLEMENT),
        ("pressure", f.PAD_PRESSURE),
        ("bearing_ratio", f.PAD_BEARING),
        ("sinkage", f.PAD_SINKAGE),
        ("normal_force", f.FORCE_IN_A + 2),
    ):
        yield Output((block, f"{port}{tail}", 0, 0), (data_place("element_out", e, column),), KINEMATICS)
    for axis in range(3):
        place = data_place("element_out", e, f.FORCE_ON_B + axis)
        yield Output((block, "force", axis, 0), (place,), KINEMATICS)


def _energies(mechanism: Mechanism) -> Iterable[Output]:
    """Stored energies."""
    for number, block in enumerate(energy_reporters(mechanism)):
        yield Output((block, "stored_energy", 0, 0), (data_place("store_out", number),), STORED_ENERGIES)
