"""`Mechanism`: the tree of rows with its joints, bodies, frames and elements, still as parts and poses."""

from __future__ import annotations

from dataclasses import field
from typing import Generic, NamedTuple, TypeGuard, TypeVar

import numpy as np

from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import (
    Body,
    Coordinate,
    Element,
    FlexibleBody,
    Joint,
    LinearSpring,
    Part,
    Sensor,
)
from ...blocks.reduction.reduced_body import ReducedBody
from ..flatten.connectivity import Node


class Pose(NamedTuple):
    """Pose of a frame B in a frame A: R_AB, p_AB."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:  # type: ignore[override]
        """X_AC = X_AB @ X_BC."""
        return Pose(self.R @ other.R, self.R @ other.p + self.p)

    def inverse(self) -> Pose:
        """X_BA."""
        return Pose(self.R.T, -self.R.T @ self.p)

    @property
    def is_identity(self) -> bool:
        """True if it is the identity to the last bit; -0.0 is not."""
        return (self.R.tobytes(), self.p.tobytes()) == NOWHERE


IDENTITY = Pose(np.eye(3), np.zeros(3))
NOWHERE = IDENTITY.R.tobytes(), IDENTITY.p.tobytes()


@mutable
class Row:
    """One coordinate of the tree, or none (weld)."""

    parent: int
    kind: int
    place: Pose
    joint: int = -1  # index into Mechanism.joints
    coordinate: Coordinate | None = None
    quat: int = -1
    quat_axis: int = 0
    flexible: int = -1  # flexible body of a mode, interface of a face: number among all


@mutable
class TreeJoint:
    """Joint of the tree: its rows, and the direction in which the tree passes it."""

    block: str
    part: Joint
    first: int
    last: int
    reversed: bool
    frame_a: int
    frame_b: int
    resolve: int = -1  # frame in whose axes its wrenches are reported


@mutable
class CutJoint:
    """Joint that closes a loop: constraints between two frames instead of rows.

    A joint that carries a spring, a drive, a given value or a wire keeps its rows; a weld behind them closes the loop.
    """

    block: str
    part: Joint
    frame_a: int
    frame_b: int
    resolve: int  # frame in whose axes its wrench is reported
    weld: bool = False


@mutable
class TreeFlexible:
    """Flexible body in the tree, clamped at the interface that the tree meets first."""

    block: str
    part: FlexibleBody
    reduced: ReducedBody  # rooted at that interface
    row: int  # that carries it; those of its modes follow
    faces: list[int] = field(default_factory=list)  # rows of its further interfaces
    interfaces: list[int] = field(default_factory=list)  # and their numbers in `reduced`


PartT = TypeVar("PartT", bound=Part)


@mutable
class PlacedPart(Generic[PartT]):
    """Part that acts between two frames (-1: the world's axes)."""

    block: str
    part: PartT
    frame_a: int
    frame_b: int


@mutable
class Mechanism:
    """Tree and its attachments, still as parts and poses; `model_build.py` packs it into arrays."""

    rows: list[Row] = field(default_factory=list)
    joints: list[TreeJoint] = field(default_factory=list)
    cuts: list[CutJoint] = field(default_factory=list)
    bodies: list[tuple[str, Body, int, Pose]] = field(
        default_factory=list
    )  # block, part, row, pose in the row's body
    frames: list[tuple[int, Pose]] = field(default_factory=list)
    frame_index: dict[Node, int] = field(default_factory=dict)
    elements: list[PlacedPart[Element]] = field(default_factory=list)
    springs: list[tuple[TreeJoint, LinearSpring]] = field(default_factory=list)  # joint: first one of several
    sensors: list[PlacedPart[Sensor]] = field(default_factory=list)
    others: list[PlacedPart[Part]] = field(default_factory=list)
    # of each part of a block: numbers of its bodies, elements or springs, or rows of its coordinates
    homes: dict[str, list[list[int]]] = field(default_factory=dict)
    quats: int = 0
    flexible: list[TreeFlexible] = field(default_factory=list)

    def spring_rows(self, s: int) -> list[int]:
        """Rows of the coordinates that linear spring s stretches over."""
        joint, part = self.springs[s]
        joints = [joint] if part.joint is not None else [j for j in self.joints if j.block == joint.block]
        named = ((i, self.rows[i].coordinate) for j in joints for i in range(j.first, j.last + 1))
        return [i for i, coordinate in named if coordinate and coordinate.name in part.coefficients]

    def others_of(self, kind: type[PartT]) -> list[PlacedPart[PartT]]:
        """Placed parts of one class."""

        def is_one(placed: PlacedPart[Part]) -> TypeGuard[PlacedPart[PartT]]:
            return isinstance(placed.part, kind)

        return [placed for placed in self.others if is_one(placed)]

    def coordinate_names(self) -> list[str]:
        """Name of each row's coordinate, such as `slew.position`; empty for welds and quaternions."""
        return [self._name(row, rate=False) for row in self.rows]

    def rate_names(self) -> list[str]:
        """Name of each row's rate; empty for welds."""
        return [self._name(row, rate=True) for row in self.rows]

    def _name(self, row: Row, rate: bool) -> str:
        """Name of a row's coordinate or rate."""
        block = self.joints[row.joint].block
        if row.quat >= 0:
            return f"{block}.angular_velocity[{row.quat_axis}]" if rate else ""
        if row.coordinate is None:
            return ""
        return f"{block}.{row.coordinate.rate if rate else row.coordinate.name}"
