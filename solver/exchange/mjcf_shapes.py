"""Shapes of MJCF bodies: their geoms -> shapes of a netlist."""

from __future__ import annotations

from collections.abc import Callable

from ...blocks.geometry import solid_inertia
from ...blocks.geometry.body_shapes import SIZES
from ...blocks.geometry.mass_properties import Pose
from .located_xml import Element
from .mesh_files import MeshFiles
from .mjcf_defaults import Classes
from .mjcf_mass import Masses
from .robot_tree import VisualShape
from .urdf_shapes import hex_colour

SHOWN = 2  # the last group of geoms that MuJoCo's own viewer shows


class GeomLooks:
    def __init__(self, masses: Masses, classes: Classes, root: Element, meshes: MeshFiles):
        self.masses, self.meshes = masses, meshes
        self.colours: dict[str, str] = {}
        for asset in root.all("asset"):
            for material in asset.all("material"):
                full = classes.full(material, "")
                self.colours[full.name] = hex_colour(full.numbers("rgba", 4))

    def of(self, frame: Pose, geom: Element, leave: Callable[[str], None]) -> VisualShape | None:
        """Shape of a geom with its defaults; `leave` is called with the reason why a visible one is not drawn."""
        kind, rgba = geom.get("type") or "sphere", geom.numbers("rgba", 4)
        if rgba and rgba[3] <= 0.0:
            return None
        if geom.number("group") > SHOWN:
            leave(f"groups beyond {SHOWN} are those that MuJoCo's viewer hides")
            return None
        colour = hex_colour(rgba) or self.colours.get(geom.get("material"), "")
        if kind == "mesh":
            return self._mesh(frame, geom, colour, leave)
        if kind not in SIZES or geom.get("mesh"):
            leave("a solid fitted to a mesh" if geom.get("mesh") else f"luff draws no {kind}")
            return None
        size, pose = self.masses.size(geom, kind)
        return VisualShape(
            kind, tuple(2.0 * half for half in size[: solid_inertia.SIZES[kind]]), frame @ pose, colour
        )

    def _mesh(
        self, frame: Pose, geom: Element, colour: str, leave: Callable[[str], None]
    ) -> VisualShape | None:
        mesh = self.masses.asset(geom)
        path, scale = self.masses.path(mesh), mesh.vector("scale", (1.0, 1.0, 1.0))
        stands = "luff makes no built-in meshes" if mesh.get("builtin") else "its vertices stand in no file"
        name, why = self.meshes.named(path) if path else ("", stands)
        if not why and mesh.get("refquat"):
            why = "its file is turned by refquat"
        if not why and min(scale) <= 0.0:
            why = "its scale mirrors it"
        if why:
            leave(why)
            return None
        away = tuple(-s * p for s, p in zip(scale, mesh.vector("refpos"), strict=True))
        pose = frame @ self.masses.compiler.pose(geom) @ Pose.of(away, ())
        return VisualShape("mesh", (), pose, colour, name, scale)
