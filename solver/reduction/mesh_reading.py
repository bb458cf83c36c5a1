"""Meshes by meshio (extra `fem`): vertices, solid cells and named sets of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...blocks.errors import LuffError, did_you_mean
from ...blocks.light_dataclass import record
from ...blocks.text.safe_read import regular_file, shown

TETRAHEDRA, BRICKS = ("tetra", "tetra10"), ("hexahedron", "hexahedron20", "hexahedron27")


@record
class SolidMesh:
    """Mesh of one kind of solid cells, with the sets of nodes that it names."""

    points: np.ndarray  # (n, 3), SI
    cells: np.ndarray  # (c, 4) tetrahedra or (c, 8) bricks: corners
    sets: Mapping[str, np.ndarray]  # nodes by name

    def chosen(self, name: str, where: object) -> tuple[int, ...]:
        """Corners that an interface names: a set, numbers of nodes, a box [low, high] or a ball {near, within}."""
        corners = np.unique(self.cells)
        if isinstance(where, str):
            if where not in self.sets:
                fix = (
                    did_you_mean(where, self.sets)
                    or f"the mesh has {', '.join(sorted(self.sets)) or 'no sets'}"
                )
                raise LuffError(
                    f'the mesh has no set "{shown(where)}", which the interface "{name}" names', fix=fix
                )
            found = np.intersect1d(self.sets[where], corners)
        elif isinstance(where, Mapping) and {"near", "within"} <= set(where):
            off = np.linalg.norm(self.points[corners] - np.asarray(where["near"], float), axis=1)
            found = corners[off <= float(where["within"])]
        elif isinstance(where, Mapping) and "box" in where:
            low, high = np.asarray(where["box"], float)
            inside = np.all((self.points[corners] >= low) & (self.points[corners] <= high), axis=1)
            found = corners[inside]
        elif not isinstance(where, Mapping):
            found = np.intersect1d(np.asarray(where, int), corners)
        else:
            fix = "name a set of nodes, or give {near, within} or {box: [low, high]}"
            raise LuffError(f'the interface "{name}" names no nodes', fix=fix)
        return tuple(found.tolist())


def read_mesh(path: Path, scale: float = 1.0) -> SolidMesh:
    """Solid mesh of a file of any format that meshio reads; `scale` metres for its unit of length."""
    try:
        import meshio
    except ImportError:
        raise LuffError("meshio is not installed", fix="pip install luff[fem]") from None
    if regular_file(path, "a mesh") is None:
        raise LuffError(f"there is no file {shown(path)}")
    try:
        mesh: Any = meshio.read(path)
    except (Exception, SystemExit) as error:  # readers of meshio raise what they meet, or exit
        raise LuffError(f"cannot read {shown(path)} as a mesh: {error}") from None
    kinds = {block.type for block in mesh.cells}
    tetrahedra, bricks = kinds.intersection(TETRAHEDRA), kinds.intersection(BRICKS)
    if bool(tetrahedra) == bool(bricks):
        found = ", ".join(sorted(kinds)) or "no cells"
        raise LuffError(f"found {found} in {shown(path)}, expected tetrahedra or bricks, one of the two")
    count = 4 if tetrahedra else 8
    cells = np.concatenate(
        [block.data[:, :count] for block in mesh.cells if block.type in tetrahedra | bricks]
    )
    points = scale * np.asarray(mesh.points, float)
    if points.shape[1] != 3 or not np.all(np.isfinite(points)):
        raise LuffError(f"the nodes of {shown(path)} are not points in space")
    return SolidMesh(points, cells.astype(int), node_sets(mesh))


def node_sets(mesh: Any) -> dict[str, np.ndarray]:
    """Nodes of each named set of nodes or cells, and of each physical group of Gmsh."""
    sets = {name: np.asarray(nodes, int) for name, nodes in mesh.point_sets.items()}
    for name, per_block in mesh.cell_sets.items():
        if name.startswith("gmsh:"):  # numbers of entities, not of cells
            continue
        nodes = [
            block.data[np.asarray(own, int)].ravel()
            for block, own in zip(mesh.cells, per_block, strict=False)
            if own is not None and len(own)
        ]
        if nodes:
            sets.setdefault(name, np.unique(np.concatenate(nodes)))
    tags = mesh.cell_data.get("gmsh:physical", ())
    for name, (number, _) in mesh.field_data.items() if tags else ():
        nodes = [block.data[own == number].ravel() for block, own in zip(mesh.cells, tags, strict=True)]
        sets.setdefault(name, np.unique(np.concatenate(nodes)))
    return sets
