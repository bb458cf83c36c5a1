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

    loads: np.ndarray  # (members, MEMBER_LOADS, modes)
    members: np.ndarray  # (members, MEMBER_COLUMNS)

    def __call__(self, eta: np.ndarray) -> np.ndarray:
        of = self.members.T
        N, M_y, M_z, M_y_last, M_z_last = np.abs(self.loads @ eta).T

        def bending(M_y: np.ndarray, M_z: np.ndarray) -> np.ndarray:
            y = M_y * of[columns.FIBRE_Z] / of[columns.SECOND_Y]
            z = M_z * of[columns.FIBRE_Y] / of[columns.SECOND_Z]
            return np.where(of[columns.CIRCULAR] > 0, np.hypot(y, z), y + z)

        worse = np.maximum(bending(M_y, M_z), bending(M_y_last, M_z_last))
        return np.repeat(N / of[columns.AREA] + worse, 2)


def draw_flexible(name: str, body: TreeFlexible, allowable: float | None, thin: float) -> Drawing | None:
    """Bent drawing of a flexible body; None if its file has nothing to draw."""
    reduced = body.reduced
    if len(reduced.triangles):
        made = _surface(reduced)
    elif reduced.members is not None and len(reduced.members):
        made = _members(reduced.members, reduced, THIN * thin)
    else:
        return None
    faces, numbers, shapes, stresses = made
    bend = Bend(body.row + 1, shapes, stresses, allowable)
    return Drawing([Skin(name, FAMILY, faces, body.row, len(faces) <= EDGES_UP_TO, 0.0, bend, numbers)])


Made = tuple[list[np.ndarray], list[np.ndarray], np.ndarray, SurfaceStress | MemberStress | None]


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


def _members(members: np.ndarray, reduced: ReducedBody, thin: float) -> Made:
    """Prisms of a frame's members, as wide as their sections."""
    ends = members[:, [columns.FIRST, columns.LAST]].astype(int)
    faces, numbers = [], []
    for k, (a, b) in enumerate(reduced.points[ends]):
        half = np.nanmax([thin, *members[k, [columns.FIBRE_Y, columns.FIBRE_Z]]])
        for face in prism(a, b, half):
            faces.append(face)
            numbers.append(2 * k + ((face - a) @ (b - a) > 0.5 * (b - a) @ (b - a)))
    stresses = (
        None if reduced.forces is None else MemberStress(reduced.forces[:, columns.MEMBER_LOADS], members)
    )
    return faces, numbers, reduced.shapes[ends.ravel()], stresses
