"""Shapes of bodies: what they look like, and what they weigh where a density is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..direction_params import Rotations
from ..errors import LuffError, Problem
from ..params import Choice, Either, Flag, Param, Scope, Struct, Text, Use, shown_value
from ..signal_params import PerElement
from ..text.data_files import named_file
from ..text.safe_read import CachedReading, read_once
from . import rotations

if TYPE_CHECKING:
    from .mass_properties import Inertia

SIZES = {
    "box": "[x, y, z]",
    "cylinder": "[diameter, length]",
    "capsule": "[diameter, length without the caps]",
    "sphere": "[diameter]",
    "lattice": "[x, y, z]",
    "hook": "[height]",
    "hull": "[x, y, z]",
    "height_field": "[x, y]",
}
DRAWN = ("lattice", "hook", "hull")  # and never weighed
BOUNDLESS = "plane"  # a half-space, which has no size
EDGELESS = ("sphere", "capsule", BOUNDLESS)
FIELD = "height_field"  # below a surface
SURFACE = "surface"  # triangles as they are, from which distances are measured
MESHES = ("mesh", SURFACE)
GROUNDS = (BOUNDLESS, FIELD)  # what is no convex body, against which others stand
COLOURS = {
    "white": "#f2f2f0", "grey": "#8c9196", "black": "#2b2d30", "red": "#b8432f", "orange": "#d9822b",
    "yellow": "#e3b62d", "green": "#4f8f5b", "blue": "#3f74ac", "violet": "#7d5ba6", "brown": "#8a6244",
}  # fmt: skip
HEX = re.compile(r"#([0-9a-fA-F]{3}){1,2}")
CLOSED = 1e-6  # of the area: what the areas of a closed surface may add up to


class HexColour(Text):
    """Parameter: a colour #rgb or #rrggbb."""

    def convert(self, raw: object, scope: Scope, path: str) -> str:
        if not isinstance(raw, str) or not HEX.fullmatch(raw):
            raise self.refused(raw, path)
        return raw

    def expected(self) -> str:
        return '"#rrggbb"'


def kind_uses(kind: str, _: Mapping[str, object]) -> Use:
    """Parameters that a kind of shape needs, and those that it does not take."""
    unused: set[str] = set()
    if kind in MESHES:
        unused |= {"size", "heights"}
    elif kind != FIELD:
        unused |= {"file", "scale", "heights"}
    if kind == BOUNDLESS:
        unused.add("size")
    if kind in (*EDGELESS, FIELD):
        unused.add("round")
    if kind in (*DRAWN, *GROUNDS, SURFACE):
        unused.add("density")
    needed = ["file"] if kind in MESHES else ["size"] if kind in SIZES else []
    return Use(frozenset(needed), frozenset(unused))


class Sizes(PerElement):
    """Parameter: the sizes of a shape; which they are says its kind."""

    def entries_beside(self, raw: Mapping[str, object]) -> tuple[str, ...]:
        named = SIZES.get(str(raw.get("kind", "box")), "")
        return tuple(named.strip("[]").split(", ")) if named else ()


class Shape(Struct):
    """A solid that stands still in the body's frame."""

    kind = Choice(
        "box",
        [*SIZES, *MESHES, BOUNDLESS],
        uses=kind_uses,
        doc="what it is; a plane is all below its z = 0",
    )
    size = Sizes(
        None,
        "m",
        gt=0,
        doc="box, lattice, hull [x, y, z]; cylinder, capsule [diameter, length]; sphere diameter; hook height;"
        " height_field [x, y]",
    )
    file = Text(
        None,
        doc="STL, OBJ, glTF, PLY or IFC file of a mesh or surface, CSV or NPZ file of heights; its name counts from"
        " the netlist's folder",
    )
    heights = Param(
        None,
        "m",
        shape=(None, None),
        doc="of a height_field: rows of heights along x, the first at the lowest y",
    )
    scale = PerElement(
        None,
        "",
        gt=0,
        doc="of a mesh: 0.001 for a file in mm, or three for x, y, z; of a height_field: a factor of its heights",
    )
    at = Param(
        (0.0, 0.0, 0.0),
        "m",
        shape=(3,),
        doc="its middle, a hook's top, or a mesh's origin, in the body's frame",
    )
    rotate = Rotations(doc="turns [[axis, angle], ...]; cylinders and capsules lie along z, lattices along x")
    round = Param(
        None,
        "m",
        gt=0,
        doc="radius of the edges of a box, cylinder or mesh that touches; 1 % of its smallest size if left out;"
        " of a ball that sweeps a surface, or the points of a cloud, 0 if left out",
    )
    color = Either(
        None, Choice(None, list(COLOURS)), HexColour(None), doc="in the 3-D view; that of bodies if left out"
    )
    hidden = Flag(doc="true: it is not drawn, but touches and weighs")
    density = Param(None, "kg/m^3", gt=0, doc="from which mass, com and inertia follow; solid")

    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """R_BS and p_BS of the shape in the body's frame."""
        return rotations.rotation_of_turns(self.rotate), np.array(self.at)

    def sizes(self) -> tuple[float, ...]:
        return as_tuple(self.size)

    def scales(self) -> np.ndarray:
        return np.ones(3) * (as_tuple(self.scale) or (1.0,))


def as_tuple(numbers: float | tuple[float, ...] | None) -> tuple[float, ...]:
    if numbers is None:
        return ()
    return numbers if isinstance(numbers, tuple) else (numbers,)


class Files:
    """Folders from which a netlist may read meshes."""

    def __init__(self, folder: Path, files: Iterable[Path]):
        self.folder, self.files = folder, tuple(files)

    def triangles(self, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
        """Vertices in the shape's own axes, scaled, and the triangles between them."""
        vertices, faces = self._mesh_of(shape).value
        return vertices * shape.scales(), faces

    def digests(self, shape: Shape) -> list[str]:
        """Digests of the files that hold the triangles."""
        return self._mesh_of(shape).digests

    def _mesh_of(self, shape: Shape) -> CachedReading[tuple[np.ndarray, np.ndarray]]:
        from .mesh_readers import read_mesh

        path = named_file(self.folder, shape.file, self.files, "a mesh")
        try:
            return read_once(read_mesh, path)
        except LuffError as error:  # which knows the file, but not the netlist
            raise LuffError(
                Problem(f"{shown_value(shape.file)} {problem.message}", fix=problem.fix)
                for problem in error.problems
            ) from None


def colour_of(shape: Shape) -> str:
    """Colour as #rrggbb; empty without one."""
    text = COLOURS.get(shape.color or "", shape.color or "")
    return "#" + "".join(2 * digit for digit in text[1:]) if len(text) == 4 else text


def shape_problems(shapes: Mapping[str, Shape], files: Files) -> Iterator[Problem]:
    """Mistakes in shapes by their places in the block (`.shape`, `.shapes.hook`)."""
    for place, shape in shapes.items():
        if shape.kind in MESHES:
            yield from _of_mesh(shape, place, files)
        else:
            yield from _of_solid(shape, place)


def _of_solid(shape: Shape, place: str) -> Iterator[Problem]:
    for name in ("file", "scale", "heights"):
        if getattr(shape, name) is not None and shape.kind != FIELD:
            fix = f"kind: {FIELD if name == 'heights' else 'mesh'}, or remove {name}"
            yield Problem(f"found {name} with a {shape.kind}", f"{place}.{name}", fix, key=True)
    if shape.kind in EDGELESS and shape.round is not None:
        message = f"found round of a {shape.kind}, which has no edges to round"
        yield Problem(message, f"{place}.round", "remove round", key=True, severity="warning")
    if shape.kind in DRAWN and shape.density is not None:
        message = f"found a density of a {shape.kind}, which is only drawn"
        yield Problem(message, f"{place}.density", "give mass, com and inertia", key=True)
    if shape.kind == BOUNDLESS:
        for name in ("size", "density"):
            if getattr(shape, name) is not None:
                yield Problem(f"found {name} of a plane", f"{place}.{name}", f"remove {name}", key=True)
        return
    expected = f"expected {SIZES[shape.kind]}"
    if shape.size is None:
        yield Problem(f"found no size of a {shape.kind}, {expected}", place, f"size: {SIZES[shape.kind]}")
    elif len(shape.sizes()) != SIZES[shape.kind].count(",") + 1:
        yield Problem(f"found {len(shape.sizes())} numbers, {expected}", f"{place}.size")


def _of_mesh(shape: Shape, place: str, files: Files) -> Iterator[Problem]:
    if shape.size is not None:
        fix = "give `scale`, or another kind"
        yield Problem("found size with a mesh, whose file gives it", f"{place}.size", fix, key=True)
    if shape.heights is not None:
        yield Problem("found heights with a mesh", f"{place}.heights", "kind: height_field", key=True)
    if shape.kind == SURFACE and shape.density is not None:
        yield Problem("found a density of a surface", f"{place}.density", "remove density", key=True)
    if len(as_tuple(shape.scale)) not in (0, 1, 3):
        yield Problem(f"found {len(shape.scale)} numbers, expected one or three", f"{place}.scale")
        return
    if shape.file is None:
        from .mesh_readers import ENDINGS

        yield Problem("found a mesh without a file", place, f"file: NAME with {ENDINGS}")
        return
    try:
        vertices, faces = files.triangles(shape)
    except LuffError as error:
        # what nothing is weighed by is only drawn, and so not drawn; but who may not read a file is told
        drawn = shape.density is None
        for problem in error.problems:
            severity = "warning" if drawn and not problem.wants else "error"
            yield replace(problem.at(path=f"{place}.file"), severity=severity)
        return
    if shape.density is not None and not is_closed_surface(vertices, faces):
        message = "found a density, but the mesh is not closed, or its triangles face inwards"
        yield Problem(message, f"{place}.density", "mend the mesh, or give mass, com and inertia")


def is_closed_surface(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """True if triangles enclose a volume and their normals point outwards."""
    from . import solid_inertia

    a, b, c = (vertices[faces[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    whole = np.linalg.norm(areas.sum(axis=0)) <= CLOSED * np.linalg.norm(areas, axis=1).sum()
    return bool(whole) and solid_inertia.mesh(vertices, faces, "exact").mass > 0.0


def inertia_of(shapes: Iterable[Shape], files: Files) -> Inertia:
    """Inertia of all shapes that have a density, in the body's frame."""
    from .mass_properties import Inertia, Pose
    from .solid_inertia import SOLIDS, mesh

    total = Inertia()
    for shape in shapes:
        if shape.density is None or shape.kind in (*DRAWN, *GROUNDS, SURFACE):  # the check has told it
            continue
        if shape.kind == "mesh":
            one = mesh(*files.triangles(shape), "exact")
        else:
            a, b, c = (*shape.sizes(), 0.0, 0.0)[:3]
            one = SOLIDS[shape.kind]((a / 2.0, b / 2.0, c / 2.0), False)
        R, p = shape.pose()
        total = total + one.scaled(shape.density).seen_from(Pose(p, R))
    return total
