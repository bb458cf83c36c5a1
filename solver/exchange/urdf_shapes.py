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
from .robot_tree import Surface, VisualShape
from .touch_blocks import touch_names

FRICTION = 0.5  # coefficient, of which URDF says nothing
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

    def touched(
        self, link: Element, looks: list[VisualShape], leave: Callable[[str], None]
    ) -> Iterator[VisualShape]:
        """Yield the shapes of a link with its collision geometry; what is drawn just so is not there twice."""
        surface, rest = Surface(mu=FRICTION), [*looks]
        for collision in link.all("collision"):
            try:
                look = self._visual_shape(collision)
            except LuffError as error:
                look = f"{error.problems[0].path}: {error.problems[0].message}"
            if isinstance(look, str):
                leave(look)
                continue
            drawn = next((k for k, one in enumerate(rest) if _alike(one, look)), None)
            shown = replace(look, color="", hidden=True) if drawn is None else rest.pop(drawn)
            yield replace(shown, surface=surface)
        yield from rest

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


def _alike(a: VisualShape, b: VisualShape) -> bool:
    """True if two shapes are the same solid at one place."""
    forms = ((one.kind, one.size, one.file, one.scale) for one in (a, b))
    return next(forms) == next(forms) and bool(
        (a.pose.at == b.pose.at).all() and (a.pose.R == b.pose.R).all()
    )


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
    """The entries of a body: the first as its shape, further ones by number, those that touch by names of their own."""
    names = touch_names(looks)
    made: RawMap = {}
    for k, look in enumerate(looks):
        one: RawMap = {"kind": look.kind, **_shape_size(look, number), **placement(look.pose)}
        one |= ({"color": look.color} if look.color else {}) | ({"hidden": True} if look.hidden else {})
        made[names.get(k, f"part_{k + 1}")] = one
    first: RawMap = {"shape": made.pop("part_1")} if "part_1" in made else {}
    return {**first, **({"shapes": made} if made else {})}


def _shape_size(look: VisualShape, number: Callable[[float], float | int]) -> RawMap:
    if look.kind == "plane":
        return {}
    if look.kind != "mesh":
        size: list[Raw] = [number(entry) for entry in look.size]
        heights: list[Raw] = [[number(entry) for entry in row] for row in look.heights]
        entries: RawMap = {"size": size if len(size) > 1 else size[0]}
        if heights:
            entries["heights"] = heights
        return entries
    even = len(set(look.scale)) == 1
    scale: Raw = number(look.scale[0]) if even else [number(entry) for entry in look.scale]
    return {"file": look.file} if scale == 1 else {"file": look.file, "scale": scale}


def moved_shape(looks: list[VisualShape], pose: Pose) -> list[VisualShape]:
    """Shapes in the frame in which theirs stands at `pose`."""
    return [replace(look, pose=pose @ look.pose) for look in looks]
