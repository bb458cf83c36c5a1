"""Fifth pass of the elaboration: motion in a plane, whose bodies move across one axis of the world and turn about it.

Coordinates that would leave the plane are left out of joints and links, which stand there as at the start. The plane's
normal has constant components in each frame, since nothing turns across it: they follow from the world's through
bonds, offsets and the start of joints alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...blocks.geometry import rotations
from ...blocks.mechanics.bodies import World
from ...blocks.mechanics.flexible_links import MOMENTS
from ...blocks.multibody_parts import (
    Constant,
    Coordinate,
    FlexibleBody,
    HeldAxis,
    Joint,
    Offset,
    Part,
    Vec,
    split_index,
)
from .connectivity import WORLD, Node, ground_bonds
from .elaboration import Elaboration

# components of unit vectors below it are rounding: of turns that are given in ten digits
SQUARE = 1e-9
# kinds of which one turn is left: in a loop others tell how they stand
OPEN = {"universal": 1, "spherical": 2}


def restrict_to_plane(made: Elaboration) -> None:
    """Find the plane's normal in the frames of all joints, where the world is planar; tell what leaves the plane."""
    world = made.blocks.get("world")
    if not isinstance(world, World) or world.normal is None or not made.whole:
        return
    if abs(np.dot(world.gravity, world.normal)) > SQUARE * float(np.linalg.norm(world.gravity)):
        fix = "name the axis that is level, or turn gravity"
        made.report_at_block(Problem("gravity leaves the plane", "world.planar", fix), "world")
    bonds = [((bond.a.block, bond.a.port), (bond.b.block, bond.b.port)) for bond in made.bonds]
    made.normals = plane_normals(made.parts, bonds, world.normal)
    for block, parts in made.parts.items():
        try:
            in_plane(block, parts, made.normals)
            if not all(fits(block, part, made.normals) for part in parts):
                fix = "check its axes, or give the world no plane"
                made.report_at_block(
                    Problem("it closes a loop that does not lie in the plane", "", fix), block
                )
        except LuffError as error:
            for problem in error.problems:
                made.report_at_block(replace(problem, path=f"{block}{problem.path}"), block)


def plane_normals(
    parts: Mapping[str, Sequence[Part]], bonds: Sequence[tuple[Node, Node]], normal: Vec
) -> dict[Node, Vec]:
    """Components of the plane's normal in each frame that a chain of joints leads to from the world."""
    links: dict[Node, list[tuple[Node, np.ndarray, int]]] = defaultdict(list)

    def link(a: Node, b: Node, R_AB: np.ndarray, last: int = 0) -> None:
        links[a].append((b, R_AB, last))
        links[b].append((a, R_AB.T, last))

    for a, b in (*bonds, *ground_bonds(parts, bonds)):
        link(a, b, np.eye(3))
    for block, own in parts.items():
        for part in own:
            if isinstance(part, Offset):
                link((part.of or block, part.frame_a), (block, part.frame_b), part.turn)
            elif isinstance(part, Joint):
                link((block, part.frame_a), (block, part.frame_b), start_turn(part), OPEN.get(part.kind, 0))
    found: dict[Node, Vec] = {}
    number = count()
    ahead = [(0, next(number), WORLD, np.array(normal))]
    while ahead:
        *_, here, components = heappop(ahead)
        if here not in found:
            found[here] = tuple(components.tolist())
            for there, R, last in links[here]:
                heappush(ahead, (last, next(number), there, R.T @ components))
    return found


def fits(block: str, part: Part, normals: Mapping[Node, Vec]) -> bool:
    """True unless the normal reaches the ends of a joint by ways that differ: a loop that does not lie in the plane."""
    if not isinstance(part, Joint) or part.kind == "spherical":
        return True
    a, b = (normals.get((block, frame)) for frame in (part.frame_a, part.frame_b))
    return not a or not b or float(abs(start_turn(part).T @ np.array(a) - b).max()) <= SQUARE


def start_turn(part: Joint) -> np.ndarray:
    """R_AB of a joint at its given start; turns that are left open are zero, which no normal depends on."""
    R = np.eye(3)
    for c in part.coordinates:
        if not c.prismatic:
            R = R @ rotations.rotation_about(c.axis, c.value or 0.0)
    return R if part.quaternion is None else R @ attitude(part.quaternion)


def attitude(quaternion: Sequence[float]) -> np.ndarray:
    """R_AB of a unit quaternion."""
    return np.column_stack([rotations.rotated(tuple(quaternion), axis) for axis in np.eye(3)])


def in_plane(block: str, parts: Iterable[Part], normals: Mapping[Node, Vec]) -> list[Part]:
    """The parts of a block without the coordinates that leave the plane; LuffError for those that must not go."""
    kept: list[Part] = []
    for part in parts:
        if isinstance(part, FlexibleBody):
            fix = "give the world no plane, or take an rfem_link"
            raise LuffError(Problem("the modes of a flexible body leave the plane", "", fix))
        normal = normals.get((block, part.frame_a)) if isinstance(part, Joint) else None
        if isinstance(part, Joint) and normal:
            kept += joint_in_plane(replace(part, normal=normal), np.array(normal))
        else:
            kept.append(part)
    return with_twists_held(kept)


def with_twists_held(parts: list[Part]) -> list[Part]:
    """Parts in which springs of a link that twist, and are welds in a plane, are held at the next spring that bends."""
    twist: list[HeldAxis] = []
    last = None
    for k, part in enumerate(parts):
        if isinstance(part, Joint) and part.kind == "elastic":
            if part.coordinates:
                parts[k] = replace(part, held_axes=(*part.held_axes, *twist))
                twist, last = [], k
            else:
                twist += part.held_axes
                parts[k] = Offset(part.frame_a, part.frame_b)
    if last is not None and twist:
        joint = parts[last]
        assert isinstance(joint, Joint)
        behind = [axis._replace(behind=len(joint.coordinates)) for axis in twist]
        parts[last] = replace(joint, held_axes=(*joint.held_axes, *behind))
    return parts


def joint_in_plane(part: Joint, normal: np.ndarray) -> list[Part]:
    """A joint with the coordinates that stay in the plane, and what stands in for the others.

    The transforms of coordinates left out go behind the last one: shifts along the normal commute with all others, a
    turn F before a turn about e is a turn about F e before F.
    """
    R, shift = np.eye(3), np.zeros(3)  # left out so far
    kept: list[Coordinate] = []
    held: list[HeldAxis] = []
    constants: list[Part] = []
    for c in part.coordinates:
        axis = R @ np.array(c.axis)
        along, across = abs(axis @ normal), float(np.linalg.norm(np.cross(axis, normal)))
        in_it, out_of_it = (along, across) if c.prismatic else (across, along)
        if in_it <= SQUARE:
            kept.append(replace(c, axis=tuple(axis.tolist())))
            continue
        if out_of_it > SQUARE:
            fix = "turn it into the plane, or give the world no plane"
            raise LuffError(Problem(f"its {words(c)} is oblique to the plane", "", fix))
        check_idle(part, c)
        value = c.value or 0.0
        held.append(HeldAxis(c.prismatic, tuple(axis.tolist()), len(kept)))
        constants += [Constant(*split_index(c.name), value), Constant(*split_index(c.rate), 0.0)]
        if part.kind == "elastic" and (port := split_index(c.name))[0] in MOMENTS:
            constants.append(Constant(MOMENTS[port[0]], port[1], 0.0))
        if c.prismatic:
            shift += value * axis
        else:
            R = rotations.rotation_about(axis, value) @ R
    if part.quaternion is not None:
        turn, R = turn_in_plane(part, normal, R)
        held += [HeldAxis(False, tuple(e.tolist()), len(kept)) for e in across_axes(normal)]
        kept.append(turn)
    return [*rebuilt(part, kept, held, R, shift), *constants]


def check_idle(part: Joint, c: Coordinate) -> None:
    """LuffError for a coordinate across the plane that moves, or that is all a joint has."""
    whole = "give the world no plane"
    if len(part.coordinates) == 1 and part.kind in ("revolute", "prismatic"):
        raise LuffError(Problem("it moves out of the plane", "", f"take `fixed` instead, or {whole}"))
    if c.follow:
        raise LuffError(Problem(f"its {words(c)} is prescribed, out of the plane", "", whole))
    if c.speed:
        raise LuffError(
            Problem(f"its {words(c)} starts at a rate out of the plane", "", f"zero it, or {whole}")
        )


def words(c: Coordinate) -> str:
    return f"{'slide' if c.prismatic else 'turn'} {c.name}"


def across_axes(normal: np.ndarray) -> np.ndarray:
    """Two unit vectors that span the plane, row by row."""
    return rotations.rotation_z_to(tuple(normal.tolist())).T[:2]


def turn_in_plane(part: Joint, normal: np.ndarray, R: np.ndarray) -> tuple[Coordinate, np.ndarray]:
    """The turn about the normal that is left of an orientation, and the orientation behind it.

    Raises
    ------
    LuffError
        If it starts to turn across the plane, or if its angles are to be reported.
    """
    if part.kind == "spherical":
        fix = "leave out coordinates: quaternion; in a plane one angle is left, which never locks"
        raise LuffError(Problem("its orientation has one angle in the plane", ".coordinates", fix))
    assert part.quaternion is not None
    w, *v = part.quaternion
    angle = 2.0 * float(np.arctan2(np.dot(v, normal), w))
    whole = R @ attitude(part.quaternion)
    axis = tuple(normal.tolist())
    spin = None if part.spin is None else whole @ np.array(part.spin)
    if spin is not None and np.linalg.norm(np.cross(spin, normal)) > SQUARE * np.linalg.norm(spin):
        fix = "zero it there, or give the world no plane"
        raise LuffError(Problem("it starts to turn out of the plane", ".initial.angular_velocity", fix))
    speed = None if spin is None else float(spin @ normal)
    turn = Coordinate("turn", "turn_rate", False, axis, value=angle, speed=speed)
    return turn, rotations.rotation_about(axis, -angle) @ whole


def rebuilt(
    part: Joint, kept: Sequence[Coordinate], held: Sequence[HeldAxis], R: np.ndarray, shift: np.ndarray
) -> list[Part]:
    """A joint with the coordinates that are kept, between offsets by what is left out."""
    if not held:
        return [replace(part, coordinates=tuple(kept))]
    if not kept and part.kind in OPEN:
        raise LuffError(Problem("it cannot move in the plane", "", "take `fixed` instead, or turn its axes"))
    kind = "revolute" if part.kind == "universal" else part.kind
    name = f"{part.name} {part.frame_b}".strip()
    first, last = part.frame_a, part.frame_b
    ends: list[Part] = []
    if np.any(shift):
        first = f"{name} before the plane"
        ends.append(Offset(part.frame_a, first, tuple(shift.tolist())))
    if np.any(np.eye(3) != R):
        last = f"{name} in the plane"
        ends.append(Offset(last, part.frame_b, turn=R))
    joint = replace(
        part, kind=kind, frame_a=first, frame_b=last, coordinates=tuple(kept), quaternion=None, spin=None,
        resolve=part.resolve or part.frame_b, held_axes=tuple(held),
    )  # fmt: skip
    return [joint, *ends]
