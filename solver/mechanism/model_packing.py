"""Where the numbers of blocks' parts stand in the arrays of the model, and how they are made of the parts.

`build` records for each part of a block what was made of it (`Mechanism.homes`). `model_build.py` packs by
`numbers_at`, and a live parameter goes the same way: with another part in the place of the old one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from ...blocks.geometry import rotations
from ...blocks.multibody_parts import AtRest, Body, Coordinate, Element, Joint, LinearSpring, Part
from ..flatten.value_form import exactly, without_numbers
from ..kernels import model_data as f
from .friction_parameters import friction_columns
from .mechanism import Mechanism, PlacedPart, Pose

# what of a part is written to its home as it is, and decides of nothing but whether something has mass; all else, such
# as places and axes, decides of the tree, of what closes loops and of the kernels
NUMBERS: dict[type[object], tuple[str, ...]] = {
    Body: ("mass", "com", "inertia"),
    Element: ("values",),
    LinearSpring: ("stiffness", "damping"),
    Coordinate: ("stiffness", "damping", "rest", "cubic", "limits", "friction"),
}
STARTS: dict[type[object], tuple[str, ...]] = {
    Joint: ("quaternion", "spin"),
    Coordinate: ("value", "speed", "guess"),
}  # what decides of a first state alone
UNSPRUNG = (0.0, 0.0, 0.0, -np.inf, np.inf, 0.0, 0.0, 1.0, 0.0, 0.0)  # a coordinate without spring and stops


class Split(NamedTuple):
    """A part without its numbers, which is compared; its numbers; and those that its first state begins with."""

    form: object
    numbers: list[float]
    starts: list[float]


def split(part: Part) -> Split:
    """What of a part is form, and what is numbers."""
    numbers: list[float] = []
    starts: list[float] = []
    form: list[object] = [_split(part, numbers, starts)]
    if isinstance(part, Joint):
        form.append([(c.loaded, c.friction is not None and c.friction.state) for c in part.coordinates])
    elif isinstance(part, Element) and part.kind == "segment":
        form.append(part.values[f.R_NUMBER])  # which of its rope's, that the first of them reports
    return Split(form, numbers, starts)


def _split(part: object, numbers: list[float], starts: list[float]) -> object:
    kind = type(part)
    own, first = NUMBERS.get(kind, ()), STARTS.get(kind, ())
    form: list[object] = [kind]
    for name in kind.__dataclass_fields__:  # type: ignore[attr-defined]
        value = getattr(part, name)
        if name in own:
            form.append(without_numbers(value, numbers))
        elif name in first:
            form.append(without_numbers(value, starts))
        elif name == "coordinates":
            form.append([_split(c, numbers, starts) for c in value])
        elif name != "law":  # of a search for rest, which is made anew with its part
            form.append(exactly(value))
    return form


class PackedNumbers(NamedTuple):
    """Numbers, and their place: a row of an array of the model, some of its columns."""

    array: str
    row: int
    columns: slice
    numbers: Sequence[float]


Copied = TypeVar("Copied")


def copy(one: Copied, **changes: object) -> Copied:
    """The same with other fields, without looking at them."""
    made = object.__new__(type(one))
    made.__dict__.update(one.__dict__, **changes)
    return made


class PartNumbers:
    """The numbers of a mechanism's parts; parts may be replaced by others of the same form, in a copy."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = copy(
            mechanism,
            rows=list(mechanism.rows),
            joints=list(mechanism.joints),
            bodies=list(mechanism.bodies),
            elements=list(mechanism.elements),
            springs=list(mechanism.springs),
        )

    @cached_property
    def riders(self) -> dict[int, list[int]]:
        """Bodies by the row that carries them."""
        riders: dict[int, list[int]] = defaultdict(list)
        for k, (_, _, row, _) in enumerate(self.mechanism.bodies):
            riders[row].append(k)
        return riders

    def all(self) -> Iterator[PackedNumbers]:
        """Of the whole mechanism."""
        for row in self.riders:
            yield from self._of_bodies(row)
        for i in range(len(self.mechanism.rows)):
            yield from self._of_coordinate(i)
        for e in range(len(self.mechanism.elements)):
            yield from self._of_element(e)
        for s in range(len(self.mechanism.springs)):
            yield from self._of_spring(s)

    def replaced(self, block: str, number: int, part: Part) -> Iterator[PackedNumbers]:
        """What changes with another part of a block, by its number among them."""
        mechanism = self.mechanism
        for home in mechanism.homes[block][number]:
            if isinstance(part, Body):
                _, _, row, pose = mechanism.bodies[home]
                mechanism.bodies[home] = block, part, row, pose
                yield from self._of_bodies(row)
            elif isinstance(part, Joint):
                row = mechanism.rows[home]
                assert row.coordinate is not None  # homes of joints are rows of coordinates
                coordinate = next(c for c in part.coordinates if c.name == row.coordinate.name)
                mechanism.rows[home] = copy(row, coordinate=coordinate)
                self._replace_joint(row.joint, part)
                yield from self._of_coordinate(home)
            elif isinstance(part, Element):
                mechanism.elements[home] = copy(mechanism.elements[home], part=part)
                yield from self._of_element(home)
            elif isinstance(part, LinearSpring):
                mechanism.springs[home] = mechanism.springs[home][0], part
                yield from self._of_spring(home)

    def _replace_joint(self, number: int, part: Joint) -> None:
        joints, springs = self.mechanism.joints, self.mechanism.springs
        old = joints[number]
        if old.part is not part:
            joints[number] = copy(old, part=part)
            self.mechanism.springs = [
                (joints[number] if one is old else one, spring) for one, spring in springs
            ]

    def replace_laws(self, block: str, parts: Sequence[Part]) -> None:
        """Forces of a block that a search for rest feels: their laws hold its numbers."""
        laws = iter([part for part in parts if isinstance(part, AtRest)])
        self.mechanism.others = [
            PlacedPart(block, next(laws), placed.frame_a, placed.frame_b)
            if placed.block == block and isinstance(placed.part, AtRest)
            else placed
            for placed in self.mechanism.others
        ]

    def _of_bodies(self, row: int) -> Iterator[PackedNumbers]:
        """Mass, first moment and inertia about the row's origin, summed over the bodies that ride on it."""
        if row < 0:
            return
        total = [0.0] * (f.COORDINATE - f.BODY_MASS)
        for k in self.riders[row]:
            _, part, _, pose = self.mechanism.bodies[k]
            total = [a + b for a, b in zip(total, body_contribution(part, pose), strict=True)]
        yield PackedNumbers("row", row, slice(f.BODY_MASS, f.COORDINATE), total)

    def _of_coordinate(self, i: int) -> Iterator[PackedNumbers]:
        c = self.mechanism.rows[i].coordinate
        if c is not None:
            yield PackedNumbers("row", i, slice(f.COORDINATE, f.FRICTION), coordinate_row(c))
            if c.friction is not None and not c.locked:
                yield PackedNumbers(
                    "row", i, slice(f.FRICTION, f.MODEL_COLUMNS), friction_columns(c.friction)
                )

    def _of_element(self, e: int) -> Iterator[PackedNumbers]:
        placed = self.mechanism.elements[e]
        values = list(placed.part.values)
        ends = (carrier_row(self.mechanism, frame) for frame in (placed.frame_a, placed.frame_b))
        if placed.part.kind == "segment" and len({*ends}) == 1:
            values[f.R_SHORTEST] = 0.0  # sheaves of one body never meet
        yield PackedNumbers("element_value", e, slice(0, len(values)), values)

    def _of_spring(self, s: int) -> Iterator[PackedNumbers]:
        joint, part = self.mechanism.springs[s]
        names = (self.mechanism.rows[i].coordinate for i in range(joint.first, joint.last + 1))
        share = [part.coefficients.get(c.name, 0.0) for c in names if c is not None]
        last = f.SP_COEFFICIENTS + len(share)
        yield PackedNumbers(
            "spring_value", s, slice(f.SP_STIFFNESS, last), (part.stiffness, part.damping, *share)
        )


def carrier_row(mechanism: Mechanism, frame: int) -> int:
    """The row that moves a frame; -1 for the world. Welds move nothing."""
    row = mechanism.frames[frame][0]
    while row >= 0 and mechanism.rows[row].kind == f.WELD:
        row = mechanism.rows[row].parent
    return row


def coordinate_row(c: Coordinate) -> tuple[float, ...]:
    """Spring, damper and stops of one coordinate."""
    stops = UNSPRUNG[3:8]
    if c.limits is not None:
        stops = (c.limits.lower, c.limits.upper, c.limits.stiffness, c.limits.damping, c.limits.width)
    return c.stiffness, c.damping, c.rest, *stops, c.cubic, c.armature


def body_contribution(part: Body, pose: Pose) -> list[float]:
    """What one body adds to its row."""
    # plain numbers: a parameter that is set while a run is under way waits for this
    m, c = part.mass, np.array(part.com)
    if pose.is_identity:
        c += 0.0  # as products with zeros do: no zero is negative
        xx, yy, zz, xy, xz, yz = (entry + 0.0 for entry in part.inertia)
    else:
        c = pose.R @ c + pose.p
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (
            pose.R @ rotations.inertia_matrix(part.inertia) @ pose.R.T
        ).tolist()
    x, y, z = c.tolist()
    far = float(c @ c)
    moments = [xx + m * (far - x * x), yy + m * (far - y * y), zz + m * (far - z * z)]
    return [m, m * x, m * y, m * z, *moments, xy - m * (x * y), xz - m * (x * z), yz - m * (y * z)]
