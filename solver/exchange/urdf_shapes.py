"""Visuals of links: solids and meshes of URDF -> `shape` and `shapes` of a netlist."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from ...blocks.errors import LuffError
from ...blocks.geometry.mass_properties import Pose
from ...blocks.text.raw_types import Raw, RawMap
from .located_xml import Element
from .mesh_files import MeshFiles, of_uri
from .robot_tree import VisualShape

# how many entries a size has, by attribute; radii become diameters
ROUND = ("radius", 1, 2.0), ("length", 1, 1.0)
ATTRIBUTES: dict[str, tuple[tuple[str, int, float], ...]] = {
    "box": (("size", 3, 1.0),),
    "sphere": ROUND[:1],
    "cylinder": ROUND,
    "capsule": ROUND,
}


class Visuals:
    """Visuals of the links of one URDF; `origin` reads the pose of an element."""

    def __init__(self, root: Element, source: Path, meshes: MeshFiles, origin: Callable[[Element], Pose]):
        self.source, self.meshes, self.origin = source, meshes, origin
        self.colours = materials(root)

    def of(self, link: Element, leave: Callable[[str], None]) -> Iterator[VisualShape]:
        """Yield the shapes of a link; `leave` is called with the reason why a part is not drawn: no robot is refused
        for it."""
        for visual in link.all("visual"):
            try:
                look = self._visual_shape(visual)
            except LuffError as error:
                problem = error.problems[0]
                look = f"{problem.path}: {problem.message}"
            if isinstance(look, str):
                leave(look)
            else:
                yield look

    def _visual_shape(self, visual: Element) -> VisualShape | str:
        """Shape of a visual, or the reason why there is none."""
        geometry = visual.first("geometry")
        solid = next(geometry.all(*ATTRIBUTES), None) if geometry else None
        mesh = geometry.first("mesh") if geometry else None
        colour = _colour(visual.first("material"), self.colours)
        if solid is not None:
            return VisualShape(solid.tag, _size(solid), self.origin(visual), colour)
        name, why = self._mesh(mesh) if mesh else ("", "luff knows no such shape")
        if not mesh or not name:
            return why
        return VisualShape(
            "mesh", (), self.origin(visual), colour, name, mesh.vector("scale", (1.0, 1.0, 1.0))
        )

    def _mesh(self, mesh: Element) -> tuple[str, str]:
        if min(mesh.vector("scale", (1.0, 1.0, 1.0))) <= 0.0:
            return "", "its scale mirrors it"
        return self.meshes.named(of_uri(mesh.required("filename"), self.source))


def _size(solid: Element) -> tuple[float, ...]:
    size: list[float] = []
    for name, count, factor in ATTRIBUTES[solid.tag]:
        size += [factor * entry for entry in solid.numbers(name, count) or []]
    if len(size) != sum(count for _, count, _ in ATTRIBUTES[solid.tag]) or min(size) <= 0.0:
        given = " and ".join(f'{name} "{solid.get(name)}"' for name, _, _ in ATTRIBUTES[solid.tag])
        raise solid.fail(f"found {given}, expected numbers above zero")
    return tuple(size)


def materials(root: Element) -> dict[str, str]:
    return {one.name: _colour(one, {}) for one in root.all("material") if one.name}


def _colour(material: Element | None, known: dict[str, str]) -> str:
    if material is None:
        return ""
    colour = material.first("color")
    rgba = colour.numbers("rgba", 4) if colour else None
    return hex_colour(rgba) or known.get(material.name, "")


def hex_colour(rgba: list[float] | None) -> str:
    """Colour as #rrggbb; empty without one."""
    if rgba is None:
        return ""
    return "#" + "".join(f"{round(255 * min(max(part, 0.0), 1.0)):02x}" for part in rgba[:3])


def shapes(
    looks: list[VisualShape], number: Callable[[float], float | int], placement: Callable[[Pose], RawMap]
) -> RawMap:
    """The entries of a body: the first as its shape, further ones by number."""
    made: list[RawMap] = []
    for look in looks:
        one: RawMap = {"kind": look.kind, **_shape_size(look, number), **placement(look.pose)}
        made.append(one | ({"color": look.color} if look.color else {}))
    if not made:
        return {}
    further: RawMap = {f"part_{k}": one for k, one in enumerate(made[1:], 2)}
    return {"shape": made[0], **({"shapes": further} if further else {})}


def _shape_size(look: VisualShape, number: Callable[[float], float | int]) -> RawMap:
    if look.kind != "mesh":
        size: list[Raw] = [number(entry) for entry in look.size]
        return {"size": size if len(size) > 1 else size[0]}
    even = len(set(look.scale)) == 1
    scale: Raw = number(look.scale[0]) if even else [number(entry) for entry in look.scale]
    return {"file": look.file} if scale == 1 else {"file": look.file, "scale": scale}


def moved_shape(looks: list[VisualShape], pose: Pose) -> list[VisualShape]:
    """Shapes in the frame in which theirs stands at `pose`."""
    return [replace(look, pose=pose @ look.pose) for look in looks]
