"""`Mechanism`: the tree of rows and all that hangs on it, still in words and poses."""

from __future__ import annotations

from dataclasses import field
from typing import Generic, NamedTuple, TypeGuard, TypeVar

import numpy as np

from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import Body, Coordinate, Element, Joint, LinearSpring, Part, Sensor
from ..flatten.connectivity import Node


class Pose(NamedTuple):
    """R_AB and p_AB of a frame B in a frame A."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:  # type: ignore[override]
        return Pose(self.R @ other.R, self.R @ other.p + self.p)

    def inverse(self) -> Pose:
        return Pose(self.R.T, -self.R.T @ self.p)

    @property
    def is_identity(self) -> bool:
        """To the last bit; a zero that is negative is none."""
        return (self.R.tobytes(), self.p.tobytes()) == NOWHERE


IDENTITY = Pose(np.eye(3), np.zeros(3))
NOWHERE = IDENTITY.R.tobytes(), IDENTITY.p.tobytes()


@mutable
class Row:
    """One coordinate of the tree (or none: a weld)."""

    parent: int
    kind: int
    place: Pose
    joint: int = -1  # index into Mechanism.joints
    coordinate: Coordinate | None = None
    quat: int = -1
    quat_axis: int = 0


@mutable
class TreeJoint:
    """A joint of the tree: its rows, and which way it was walked."""

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
    """A joint that closes a loop: constraints between two frames, no rows.

    One that carries a spring, a drive, a given value or a wire keeps its rows: then a weld behind them closes the loop.
    """

    block: str
    part: Joint
    frame_a: int
    frame_b: int
    resolve: int  # frame in whose axes its wrench is reported
    weld: bool = False


PartT = TypeVar("PartT", bound=Part)


@mutable
class PlacedPart(Generic[PartT]):
    """A part that acts between two frames (-1: the world's axes)."""

    block: str
    part: PartT
    frame_a: int
    frame_b: int


@mutable
class Mechanism:
    """The tree and all that hangs on it, still in words and poses; `model_build.py` packs it into arrays."""

    rows: list[Row] = field(default_factory=list)
    joints: list[TreeJoint] = field(default_factory=list)
    cuts: list[CutJoint] = field(default_factory=list)
    bodies: list[tuple[str, Body, int, Pose]] = field(
        default_factory=list
    )  # block, part, row, pose in the row's body
    frames: list[tuple[int, Pose]] = field(default_factory=list)
    frame_index: dict[Node, int] = field(default_factory=dict)
    elements: list[PlacedPart[Element]] = field(default_factory=list)
    springs: list[tuple[TreeJoint, LinearSpring]] = field(default_factory=list)
    sensors: list[PlacedPart[Sensor]] = field(default_factory=list)
    others: list[PlacedPart[Part]] = field(default_factory=list)
    # what was made of each part of a block: numbers of bodies, elements or springs, or rows of coordinates
    homes: dict[str, list[list[int]]] = field(default_factory=dict)
    quats: int = 0

    def others_of(self, kind: type[PartT]) -> list[PlacedPart[PartT]]:
        def is_one(placed: PlacedPart[Part]) -> TypeGuard[PlacedPart[PartT]]:
            return isinstance(placed.part, kind)

        return [placed for placed in self.others if is_one(placed)]

    def coordinate_names(self) -> list[str]:
        """`slew.position`, one a row; welds are ``."""
        return [self._name(row, rate=False) for row in self.rows]

    def rate_names(self) -> list[str]:
        return [self._name(row, rate=True) for row in self.rows]

    def _name(self, row: Row, rate: bool) -> str:
        block = self.joints[row.joint].block
        if row.quat >= 0:
            return f"{block}.angular_velocity[{row.quat_axis}]" if rate else ""
        if row.coordinate is None:
            return ""
        return f"{block}.{row.coordinate.rate if rate else row.coordinate.name}"
