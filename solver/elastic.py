"""Outputs of flexible links and elastic supports: statements that read what the kernels leave behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..blocks.parts import Constant, StoredEnergy
from .mechanics import KINEMATICS, REACTIONS, split_index
from .schedule import Statement
from .signals import Key, Scalars
from .tree import Mechanism

MOMENTS = {"psi": "bending_moment_z", "theta": "bending_moment_y", "phi": "torsion"}
FORCES = ("axial", "shear_y", "shear_z")


def elastic_statements(mechanism: Mechanism, scalars: Scalars) -> Iterator[Statement]:
    """What the parts of elastic blocks report; without rows no kernel runs, and constants alone are known."""
    found = [*_links(mechanism), *_supports(mechanism)] if mechanism.rows else []
    for key, text, need in [*found, *_constants(mechanism)]:
        if key[1] in scalars.ports[key[0]]:
            # who reads it reads the work space itself: a link has many outputs, and variables cost compilation
            direct = scalars.expression.setdefault(key, text) == text
            lines = () if direct else (f"{scalars.name(key)} = {text}",)
            yield Statement((key,), (need,) if need else (), lines, (), f"{key[0]}.{key[1]}")
    for placed in mechanism.others if mechanism.rows else ():
        if isinstance(placed.part, StoredEnergy):
            yield _stored_energy(mechanism, scalars, placed.block)


def _links(mechanism: Mechanism) -> Iterator[tuple[Key, str, Key]]:
    """Deformations and section forces: what the outer part exerts on the inner one, so less the joint's own wrench."""
    for number, joint in enumerate(mechanism.joints):
        if joint.part.kind != "elastic":
            continue
        # a spring that twists alone, in the middle of an element, reports no forces
        for axis, port in enumerate(FORCES) if joint.part.name.isdigit() else ():
            yield (
                (joint.block, port, int(joint.part.name) - 1, 0),
                f"(-d.joint_out[{number}, {axis}])",
                REACTIONS,
            )
        for i in range(joint.first, joint.last + 1):
            coordinate = mechanism.rows[i].coordinate
            assert coordinate is not None  # elastic joints have nothing but coordinates
            name, k = split_index(coordinate.name)
            yield (joint.block, name, k - 1, 0), f"d.row[{i}, Q]", KINEMATICS
            yield (
                (joint.block, MOMENTS[name], k - 1, 0),
                f"(-(d.row[{i}, PASSIVE] + d.row[{i}, PASSIVE + 1]))",
                KINEMATICS,
            )


def _supports(mechanism: Mechanism) -> Iterator[tuple[Key, str, Key]]:
    for e, placed in enumerate(mechanism.elements):
        if placed.part.kind == "bushing" and placed.part.name:
            for axis in range(3):
                yield (
                    (placed.block, f"deflection_{placed.part.name}", axis, 0),
                    f"d.element_out[{e}, {6 + axis}]",
                    KINEMATICS,
                )
                yield (
                    (placed.block, f"force_{placed.part.name}", axis, 0),
                    f"d.element_out[{e}, {12 + axis}]",
                    KINEMATICS,
                )
    for s, (joint, part) in enumerate(mechanism.springs):
        yield (joint.block, f"deflection_{part.name}", part.element, 0), f"d.spring_out[{s}, 0]", KINEMATICS
        yield (joint.block, f"force_{part.name}", part.element, 0), f"d.spring_out[{s}, 1]", KINEMATICS


def _constants(mechanism: Mechanism) -> Iterator[tuple[Key, str, None]]:
    for placed in mechanism.others:
        if isinstance(placed.part, Constant):
            yield (
                (placed.block, placed.part.port, placed.part.element, 0),
                repr(float(placed.part.value)),
                None,
            )


def _stored_energy(mechanism: Mechanism, scalars: Scalars, block: str) -> Statement:
    """Of the coordinates', linear and other springs of one block."""
    key = (block, "stored_energy", 0, 0)
    name = scalars.name(key)
    lines = [f"{name} = 0.0"]
    rows = [
        i for joint in mechanism.joints if joint.block == block for i in range(joint.first, joint.last + 1)
    ]
    for first, last in runs(rows):
        lines += [
            f"for row in range({first}, {last + 1}):",
            "    off = d.row[row, Q] - m.row[row, COORDINATE + REST]",
            "    linear, cubic = m.row[row, COORDINATE + STIFFNESS], m.row[row, COORDINATE + CUBIC]",
            f"    {name} += (0.5*linear + 0.25*cubic*off*off)*off*off",
        ]
    springs = [s for s, (joint, _) in enumerate(mechanism.springs) if joint.block == block]
    for first, last in runs(springs):
        lines += [
            f"for row in range({first}, {last + 1}):",
            f"    {name} += 0.5*m.spring_value[row, 0]*d.spring_out[row, 0]**2",
        ]
    elements = [e for e, placed in enumerate(mechanism.elements) if placed.block == block]
    for first, last in runs(elements):
        lines += [f"for row in range({first}, {last + 1}):", f"    {name} += d.element_out[row, 9]"]
    return Statement((key,), (KINEMATICS,), tuple(lines), (), f"{block}.stored_energy")


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """First and last of each unbroken run: 1, 2, 3, 7 -> (1, 3), (7, 7)."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
