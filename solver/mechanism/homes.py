"""Where the numbers of blocks' parts stand in the arrays of the model, and how they are made of the parts.

`build` records for each part of a block what was made of it (`Mechanism.homes`). `model.py` packs by `numbers_at`, and
a live parameter goes the same way: with another part in the place of the old one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...blocks.geometry import rotations
from ...blocks.parts import Body, Coordinate, Element, Joint, LinearSpring, Part
from ..machine import fields as f
from .friction_numbers import friction_row
from .mechanism import Mechanism, Pose

# what of a part is its numbers: all else is structure
NUMBERS: dict[type[Part], tuple[str, ...]] = {
    Body: ("mass", "com", "inertia"),
    Joint: ("coordinates",),
    Element: ("values",),
    LinearSpring: ("stiffness", "damping"),
}
SPRUNG = ("stiffness", "damping", "rest", "cubic", "limits", "friction")  # of a coordinate
STARTS = ("value", "speed", "guess")  # of a coordinate, which only its first state hangs on
UNSPRUNG = (0.0, 0.0, 0.0, -np.inf, np.inf, 0.0, 0.0, 1.0, 0.0, 0.0)  # a coordinate without spring and stops


class Written(NamedTuple):
    """Numbers, and their place: a row of an array of the model, some of its columns."""

    array: str
    row: int
    columns: slice
    numbers: Sequence[float]


class Numbers:
    """The numbers of a mechanism's parts; parts may be replaced by others of the same structure."""

    def __init__(self, mechanism: Mechanism):
        joints = [replace(joint) for joint in mechanism.joints]
        own = {id(joint): copy for joint, copy in zip(mechanism.joints, joints, strict=True)}
        self.mechanism = replace(
            mechanism,
            rows=[replace(row) for row in mechanism.rows],
            joints=joints,
            bodies=list(mechanism.bodies),
            elements=[replace(placed) for placed in mechanism.elements],
            springs=[(own[id(joint)], part) for joint, part in mechanism.springs],
        )
        self.riders: dict[int, list[int]] = defaultdict(list)  # bodies by the row that carries them
        for k, (_, _, row, _) in enumerate(mechanism.bodies):
            self.riders[row].append(k)

    def all(self) -> Iterator[Written]:
        """Of the whole mechanism."""
        for row in self.riders:
            yield from self._of_bodies(row)
        for i in range(len(self.mechanism.rows)):
            yield from self._of_coordinate(i)
        for e in range(len(self.mechanism.elements)):
            yield from self._of_element(e)
        for s in range(len(self.mechanism.springs)):
            yield from self._of_spring(s)

    def replaced(self, block: str, number: int, part: Part) -> Iterator[Written]:
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
                row.coordinate = next(c for c in part.coordinates if c.name == row.coordinate.name)
                mechanism.joints[row.joint].part = part
                yield from self._of_coordinate(home)
            elif isinstance(part, Element):
                mechanism.elements[home].part = part
                yield from self._of_element(home)
            elif isinstance(part, LinearSpring):
                mechanism.springs[home] = mechanism.springs[home][0], part
                yield from self._of_spring(home)

    def _of_bodies(self, row: int) -> Iterator[Written]:
        """Mass, first moment and inertia about the row's origin, summed over the bodies that ride on it."""
        if row < 0:
            return
        total = [0.0] * (f.COORDINATE - f.BODY_MASS)
        for k in self.riders[row]:
            _, part, _, pose = self.mechanism.bodies[k]
            total = [a + b for a, b in zip(total, body_of(part, pose), strict=True)]
        yield Written("row", row, slice(f.BODY_MASS, f.COORDINATE), total)

    def _of_coordinate(self, i: int) -> Iterator[Written]:
        c = self.mechanism.rows[i].coordinate
        if c is not None:
            yield Written("row", i, slice(f.COORDINATE, f.FRICTION), coordinate_row(c))
            if c.friction is not None and not c.locked:
                yield Written("row", i, slice(f.FRICTION, f.MODEL_COLUMNS), friction_row(c.friction))

    def _of_element(self, e: int) -> Iterator[Written]:
        placed = self.mechanism.elements[e]
        values = list(placed.part.values)
        ends = (carrier(self.mechanism, frame) for frame in (placed.frame_a, placed.frame_b))
        if placed.part.kind == "segment" and len({*ends}) == 1:
            values[f.R_SHORTEST] = 0.0  # sheaves of one body never meet
        yield Written("element_value", e, slice(0, len(values)), values)

    def _of_spring(self, s: int) -> Iterator[Written]:
        joint, part = self.mechanism.springs[s]
        names = (self.mechanism.rows[i].coordinate for i in range(joint.first, joint.last + 1))
        share = [part.coefficients.get(c.name, 0.0) for c in names if c is not None]
        last = f.SP_COEFFICIENTS + len(share)
        yield Written("spring_value", s, slice(f.SP_STIFFNESS, last), (part.stiffness, part.damping, *share))


def carrier(mechanism: Mechanism, frame: int) -> int:
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


def body_of(part: Body, pose: Pose) -> list[float]:
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
