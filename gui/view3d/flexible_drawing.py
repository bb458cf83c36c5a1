"""Flexible bodies from finite elements: the surface of a mesh, or the members of a frame, bent by modes. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...blocks.reduction import reduced_body as columns
from ...blocks.reduction.reduced_body import ReducedBody
from ...solver.mechanism.mechanism import TreeFlexible
from .body_faces import EDGES_UP_TO, FAMILY, clustered
from .scene_shapes import Bend, Drawing, Skin
from .solid_faces import prism

THIN = 0.15  # least half width of a member, in units of that of parts without a size
# axial force, bending moments about y and z at the ends of a member, among its end forces
AXIAL, FIRST_END, LAST_END = 6, (4, 5), (10, 11)


@dataclass(frozen=True)
class SurfaceStress:
    """Stress of von Mises at points of a solid."""

    tensor: np.ndarray  # (points, 6, modes): xx, yy, zz, xy, xz, yz; NaN where it is not known

    def __call__(self, eta: np.ndarray) -> np.ndarray:
        xx, yy, zz, xy, xz, yz = (self.tensor @ eta).T
        apart = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
        return np.sqrt(0.5 * apart + 3.0 * (xy**2 + xz**2 + yz**2))


@dataclass(frozen=True)
class MemberStress:
    """Stress |N|/A + |M_y| z/I_y + |M_z| y/I_z of members, the worse of their ends, at both ends of each."""

    forces: np.ndarray  # (members, 12, modes)
    members: np.ndarray  # (members, MEMBER_COLUMNS)

    def __call__(self, eta: np.ndarray) -> np.ndarray:
        forces, of = np.abs(self.forces @ eta), self.members.T
        along = of[columns.FIBRE_Z] / of[columns.SECOND_Y], of[columns.FIBRE_Y] / of[columns.SECOND_Z]
        ends = []
        for end in (FIRST_END, LAST_END):
            y, z = (forces[:, at] * factor for at, factor in zip(end, along, strict=True))
            ends.append(np.where(of[columns.CIRCULAR] > 0, np.hypot(y, z), y + z))
        return np.repeat(forces[:, AXIAL] / of[columns.AREA] + np.maximum(*ends), 2)


def draw_flexible(
    name: str, body: TreeFlexible, row: int, allowable: float | None, thin: float
) -> Drawing | None:
    """Bent drawing of a flexible body; None if its file has nothing to draw."""
    reduced = body.reduced
    made = None
    if len(reduced.triangles):
        made = _surface(reduced)
    elif reduced.members is not None and len(reduced.members):
        made = _members(reduced, THIN * thin)
    if made is None:
        return None
    faces, numbers, shapes, stresses = made
    bend = Bend(body.row + 1, shapes, stresses, allowable)
    return Drawing([Skin(name, FAMILY, faces, row, len(faces) <= EDGES_UP_TO, 0.0, bend, numbers)])


Made = tuple[list[np.ndarray], list[np.ndarray], np.ndarray, "SurfaceStress | MemberStress | None"]


def _surface(reduced: ReducedBody) -> Made:
    """Faces of a mesh's surface, the points of their corners, and these points' displacements and stresses."""
    kept, triangles = clustered(reduced.points, reduced.triangles)
    used, numbers = np.unique(triangles, return_inverse=True)
    kept, numbers = kept[used], numbers.reshape(-1, 3)
    stresses = None
    if reduced.surface is not None and reduced.surface_stress is not None:
        whole = np.full((len(reduced.points), 6, reduced.modes), np.nan)
        whole[reduced.surface] = reduced.surface_stress
        stresses = SurfaceStress(whole[kept])
    return [*reduced.points[kept][numbers]], [*numbers], reduced.shapes[kept], stresses


def _members(reduced: ReducedBody, thin: float) -> Made:
    """Prisms of a frame's members, as wide as their sections."""
    members = reduced.members
    assert members is not None
    ends = members[:, [columns.FIRST, columns.LAST]].astype(int)
    faces, numbers = [], []
    for k, (a, b) in enumerate(reduced.points[ends]):
        half = np.nanmax([thin, *members[k, [columns.FIBRE_Y, columns.FIBRE_Z]]])
        for face in prism(a, b, half):
            faces.append(face)
            numbers.append(2 * k + ((face - a) @ (b - a) > 0.5 * (b - a) @ (b - a)))
    stresses = None if reduced.forces is None else MemberStress(reduced.forces, members)
    return faces, numbers, reduced.shapes[ends.ravel()], stresses
