"""Numbers of blocks' parts and their places in the arrays of `Model`.

Building the tree records for each part of a block where it went (`Mechanism.homes`). `model_build.py` packs through
`PartNumbers`, and a parameter that is set goes the same way, with another part in place of the old one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from ...blocks.geometry import rotations
from ...blocks.multibody_parts import (
    AtRest,
    Band,
    Body,
    Coordinate,
    Distance,
    Element,
    Joint,
    LinearSpring,
    Part,
    Touch,
)
from ..flatten.value_form import exactly, without_numbers
from ..kernels import model_data as f
from .friction_parameters import friction_columns
from .mechanism import Mechanism, PlacedPart, Pose

# fields of a part that are written to the arrays as numbers, and decide at most whether something has mass; other
# fields, such as places and axes, decide the tree, the loop closures and the kernels
NUMBERS: dict[type[object], tuple[str, ...]] = {
    Body: ("mass", "com", "inertia"),
    Element: ("values",),
    Band: ("values",),
    Touch: ("values",),
    Distance: ("values",),
    LinearSpring: ("stiffness", "damping"),
    Coordinate: ("stiffness", "damping", "rest", "cubic", "limits", "friction"),
}
STARTS: dict[type[object], tuple[str, ...]] = {
    Joint: ("quaternion", "spin"),
    Coordinate: ("value", "speed", "guess"),
}  # fields that decide only the first state
UNSPRUNG = (0.0, 0.0, 0.0, -np.inf, np.inf, 0.0, 0.0, 1.0, 0.0, 0.0)  # coordinate without spring and stops


class Split(NamedTuple):
    """Part split into its form, which is compared, its numbers, and the start values of its coordinates."""

    form: object
    numbers: list[float]
    starts: list[float]


def split(part: Part) -> Split:
    """Split a part into form and numbers."""
    numbers: list[float] = []
    starts: list[float] = []
    form: list[object] = [_split(part, numbers, starts)]
    if isinstance(part, Joint):
        form.append([(c.loaded, c.friction is not None and c.friction.state) for c in part.coordinates])
    elif isinstance(part, Element) and part.kind == "segment":
        form.append(part.values[f.R_NUMBER])  # number of the segment in its rope: the first one reports
    return Split(form, numbers, starts)


def _split(part: object, numbers: list[float], starts: list[float]) -> object:
    """Form of a part; its numbers and start values are appended to the lists."""
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
        elif name != "law":  # static force law: made anew with its part
            form.append(exactly(value))
    return form


class PackedNumbers(NamedTuple):
    """Numbers and their place: array of the model, row, columns."""

    array: str
    row: int
    columns: slice
    numbers: Sequence[float]


Copied = TypeVar("Copied")


def copy(one: Copied, **changes: object) -> Copied:
    """Shallow copy with some fields replaced, without running the constructor."""
    made = object.__new__(type(one))
    made.__dict__.update(one.__dict__, **changes)
    return made


class PartNumbers:
    """Numbers of a mechanism's parts; in a copy, parts may be replaced by others of equal form."""

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
        """Numbers of the bodies on each row."""
        riders: dict[int, list[int]] = defaultdict(list)
        for k, (_, _, row, _) in enumerate(self.mechanism.bodies):
            riders[row].append(k)
        return riders

    def all(self) -> Iterator[PackedNumbers]:
        """Yield (array, row, columns, values) for every number of the model."""
        for row in self.riders:
            yield from self._of_bodies(row)
        for i in range(len(self.mechanism.rows)):
            yield from self._of_coordinate(i)
        for e in range(len(self.mechanism.elements)):
            yield from self._of_element(e)
        for s in range(len(self.mechanism.springs)):
            yield from self._of_spring(s)

    def replaced(self, block: str, number: int, part: Part) -> Iterator[PackedNumbers]:
        """Yield the numbers that change if part `number` of a block is replaced."""
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
        """Replace the part of a joint, also in its springs."""
        joints, springs = self.mechanism.joints, self.mechanism.springs
        old = joints[number]
        if old.part is not part:
            joints[number] = copy(old, part=part)
            self.mechanism.springs = [
                (joints[number] if one is old else one, spring) for one, spring in springs
            ]

    def replace_laws(self, block: str, parts: Sequence[Part]) -> None:
        """Replace the static force laws of a block by those of new parts, which hold its new numbers."""
        laws = iter([part for part in parts if isinstance(part, AtRest)])
        self.mechanism.others = [
            PlacedPart(block, next(laws), placed.frame_a, placed.frame_b)
            if placed.block == block and isinstance(placed.part, AtRest)
            else placed
            for placed in self.mechanism.others
        ]

    def _of_bodies(self, row: int) -> Iterator[PackedNumbers]:
        """Mass, first moment and inertia about the row's origin, summed over the bodies on it."""
        if row < 0:
            return
        total = [0.0] * (f.COORDINATE - f.BODY_MASS)
        for k in self.riders[row]:
            _, part, _, pose = self.mechanism.bodies[k]
            total = [a + b for a, b in zip(total, body_contribution(part, pose), strict=True)]
        yield PackedNumbers("row", row, slice(f.BODY_MASS, f.COORDINATE), total)

    def _of_coordinate(self, i: int) -> Iterator[PackedNumbers]:
        """Spring, stops and friction of row i."""
        c = self.mechanism.rows[i].coordinate
        if c is not None:
            yield PackedNumbers("row", i, slice(f.COORDINATE, f.FRICTION), coordinate_row(c))
            if c.friction is not None and not c.locked:
                yield PackedNumbers(
                    "row", i, slice(f.FRICTION, f.MODEL_COLUMNS), friction_columns(c.friction)
                )

    def _of_element(self, e: int) -> Iterator[PackedNumbers]:
        """Parameters of element e."""
        placed = self.mechanism.elements[e]
        values = list(placed.part.values)
        ends = (carrier_row(self.mechanism, frame) for frame in (placed.frame_a, placed.frame_b))
        if placed.part.kind == "segment" and len({*ends}) == 1:
            values[f.R_SHORTEST] = 0.0  # sheaves of one body never meet
        yield PackedNumbers("element_value", e, slice(0, len(values)), values)

    def _of_spring(self, s: int) -> Iterator[PackedNumbers]:
        """Parameters of linear spring s."""
        _, part = self.mechanism.springs[s]
        coordinates = (self.mechanism.rows[i].coordinate for i in self.mechanism.spring_rows(s))
        share = [part.coefficients[c.name] for c in coordinates if c is not None]
        last = f.SP_COEFFICIENTS + len(share)
        yield PackedNumbers(
            "spring_value", s, slice(f.SP_STIFFNESS, last), (part.stiffness, part.damping, *share)
        )


def carrier_row(mechanism: Mechanism, frame: int) -> int:
    """Row that moves a frame, welds skipped; -1 for the world."""
    row = mechanism.frames[frame][0]
    while row >= 0 and mechanism.rows[row].kind == f.WELD:
        row = mechanism.rows[row].parent
    return row


def coordinate_row(c: Coordinate) -> tuple[float, ...]:
    """Values of the COORDINATE columns: spring, damper, stops, rotor."""
    stops = UNSPRUNG[3:8]
    if c.limits is not None:
        stops = (c.limits.lower, c.limits.upper, c.limits.stiffness, c.limits.damping, c.limits.width)
    return c.stiffness, c.damping, c.rest, *stops, c.cubic, c.armature


def body_contribution(part: Body, pose: Pose) -> list[float]:
    """Mass, first moment and inertia of one body about its row's origin, in the row's axes."""
    # plain numbers are faster here: setting a parameter during a run waits for this
    m, c = part.mass, np.array(part.com)
    if pose.is_identity:
        c += 0.0  # turns -0.0 into 0.0, as products with zeros do
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
