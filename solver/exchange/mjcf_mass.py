"""Masses of MJCF bodies: <inertial>, or the geoms of a body."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, did_you_mean
from ...blocks.geometry import rotations, solid_inertia
from ...blocks.geometry.mass_properties import Inertia, Pose
from ...blocks.geometry.mesh_readers import hull, read_mesh
from .located_xml import Element
from .mjcf_builtin_meshes import MADE, made
from .mjcf_defaults import Classes, Compiler

WEIGHTLESS = ("plane", "hfield")


class Masses:
    """Mass properties by the compiler's settings; meshes are read when a mass follows from them."""

    def __init__(self, compiler: Compiler, classes: Classes, root: Element, folder: Path):
        self.compiler, self.folder = compiler, folder
        self.meshes: dict[str, Element] = {}
        self.read: dict[str, Inertia] = {}
        for asset in root.all("asset"):
            for mesh in asset.all("mesh"):
                full = classes.full(mesh, "")
                self.meshes[full.name or Path(full.get("file")).stem] = full

    def inertial(self, element: Element) -> Inertia:
        mass = element.number("mass")
        if mass < 0.0:
            raise element.fail(f"found a mass of {mass:g}, expected >= 0")
        six = element.numbers("fullinertia", 6)
        if six:
            if any(element.get(name) for name in ("quat", "euler", "axisangle", "xyaxes", "zaxis")):
                raise element.fail("found fullinertia and an orientation", "remove one of the two")
            J = rotations.inertia_matrix(six)
        else:
            J = np.diag(element.vector("diaginertia"))
        return Inertia(mass, np.zeros(3), J).seen_from(self.compiler.pose(element))

    def of_geom(self, frame: Pose, geom: Element) -> Inertia:
        """Inertia of a geom with its defaults, in the frame around it."""
        low, high = self.compiler.groups
        return self._geom(geom).seen_from(frame) if low <= geom.number("group") <= high else Inertia()

    def _geom(self, geom: Element) -> Inertia:
        kind = geom.get("type") or "sphere"
        given = geom.numbers("mass", 1)
        if kind in WEIGHTLESS or (given and given[0] == 0.0):
            return Inertia()
        one, pose = self._shape(geom, kind)
        factor = given[0] / one.mass if given else geom.number("density", 1000.0)
        return one.scaled(factor).seen_from(pose)

    def asset(self, geom: Element) -> Element:
        """The mesh that a geom names."""
        name = geom.needed("mesh")
        if name not in self.meshes:
            raise geom.fail(f'there is no mesh "{name}"', did_you_mean(name, self.meshes))
        return self.meshes[name]

    def path(self, mesh: Element) -> Path | None:
        """File of a mesh; None if its vertices are in the model."""
        name = mesh.get("file")
        if not name:
            return None
        return (
            self.folder / self.compiler.mesh_folder / (Path(name).name if self.compiler.strip_path else name)
        )

    def _shape(self, geom: Element, kind: str) -> tuple[Inertia, Pose]:
        if kind in ("mesh", "sdf"):
            return self._mesh(geom), self.compiler.pose(geom)
        if kind not in solid_inertia.SOLIDS:
            fix = did_you_mean(kind, solid_inertia.SOLIDS)
            raise geom.fail(f'type: found "{kind}", which has no mass that luff knows', fix)
        if geom.get("mesh"):
            message = f"the mass follows from a {kind} fitted to a mesh, which luff does not compute"
            raise geom.fail(message, "give the body an <inertial>")
        size, pose = self.size(geom, kind)
        return solid_inertia.SOLIDS[kind](size, geom.flag("shellinertia", False)), pose

    def size(self, geom: Element, kind: str) -> tuple[solid_inertia.Size, Pose]:
        """Half its extents, and where it stands in the frame around it."""
        size = [*(geom.numbers("size", 1, 3) or []), 0.0, 0.0, 0.0][:3]
        ends = geom.numbers("fromto", 6)
        pose = self.compiler.pose(geom)
        if ends and kind != "sphere":
            a, b = np.array(ends[:3]), np.array(ends[3:])
            length = float(np.linalg.norm(b - a))
            if length < 1e-14:
                raise geom.fail("fromto: found two points at one place")
            pose = Pose((a + b) / 2.0, rotations.rotation_z_to((b - a) / length))
            size = [size[0], length / 2.0, 0.0]
            if kind in ("box", "ellipsoid"):
                size = [size[0], size[0], length / 2.0]
        if any(entry <= 0.0 for entry in size[: solid_inertia.SIZES[kind]]):
            wanted = solid_inertia.SIZES[kind]
            message = f"size: found {geom.get('size') or 'none'}, expected {wanted} numbers above zero"
            raise geom.fail(message)
        return (size[0], size[1], size[2]), pose

    def _mesh(self, geom: Element) -> Inertia:
        mesh, name = self.asset(geom), geom.needed("mesh")
        if name not in self.read:
            self.read[name] = self._of_asset(mesh)
        return self.read[name]

    def _triangles(self, mesh: Element) -> tuple[np.ndarray, np.ndarray]:
        path = self.path(mesh)
        if path is not None:
            try:
                return read_mesh(path)
            except LuffError as error:  # which knows the mesh, but not who names it
                raise mesh.fail(f"{path.name} {error.problems[0].message}", error.problems[0].fix) from None
        if mesh.get("builtin"):
            return self._builtin(mesh)
        words = mesh.needed("vertex").split(), mesh.get("face").split()
        try:
            vertices = np.array(words[0], np.float32).astype(float).reshape(-1, 3)
            faces = np.array(words[1], int).reshape(-1, 3) if words[1] else hull(vertices)
        except ValueError:
            raise mesh.fail("vertex, face: expected numbers in threes") from None
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise mesh.fail(f"face: found a vertex beyond the {len(vertices)} that there are")
        return vertices, faces

    def _builtin(self, mesh: Element) -> tuple[np.ndarray, np.ndarray]:
        kind, fix = mesh.get("builtin"), "save the mesh to a file, or give the body an <inertial>"
        if kind not in MADE:
            raise mesh.fail(
                f'the mass follows from the built-in mesh "{kind}", which luff does not make', fix
            )
        try:
            vertices, faces = made(kind, mesh.numbers("params", 0, 8) or [])
        except ValueError as error:
            raise mesh.fail(f"params: {error}") from None
        return vertices.astype(np.float32).astype(float), faces

    def _of_asset(self, mesh: Element) -> Inertia:
        vertices, faces = self._triangles(mesh)
        vertices = vertices - mesh.vector("refpos")
        if mesh.get("refquat"):
            turned = Element(mesh.tag, {"quat": mesh.get("refquat")}, mesh.mark)
            vertices = vertices @ rotations.rotation_of_turns(self.compiler.turns(turned))
        scale = np.array(mesh.vector("scale", (1.0, 1.0, 1.0)))
        vertices = vertices * scale
        if np.prod(scale) < 0.0:
            faces = faces[:, ::-1]
        way = mesh.get("inertia") or "legacy"
        if way not in solid_inertia.WAYS:
            raise mesh.fail(f'inertia: found "{way}", expected {", ".join(solid_inertia.WAYS)}')
        if way == "convex":
            faces = hull(vertices)
        inertia = solid_inertia.mesh(vertices, faces, way)
        if not inertia.mass > 0.0:
            fix = "mend its triangles, or give the body an <inertial>"
            raise mesh.fail("encloses no volume, or its triangles face inwards", fix)
        return inertia

    def bounded(self, inertia: Inertia) -> Inertia:
        """Inertia within `boundmass`, `boundinertia` and `balanceinertia`."""
        moments, axes = np.linalg.eigh(inertia.about_com)
        moments = np.maximum(moments, self.compiler.least_inertia)
        if self.compiler.balance and moments[2] > moments[0] + moments[1]:
            moments[:] = moments.mean()
        elif self.compiler.least_inertia <= 0.0:
            moments = None
        J = inertia.about_com if moments is None else (axes * moments) @ axes.T
        return Inertia(max(inertia.mass, self.compiler.least_mass), inertia.com, J)
