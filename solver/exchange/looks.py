"""What links look like: plain solids of URDF -> `shape` and `shapes` of a netlist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...blocks.errors import did_you_mean
from ...blocks.inertia import Pose
from .robot import Look
from .xml import Element

# how many entries a size has, by attribute; radii become diameters
ROUND = ("radius", 1, 2.0), ("length", 1, 1.0)
SIZES: dict[str, tuple[tuple[str, int, float], ...]] = {
    "box": (("size", 3, 1.0),),
    "sphere": ROUND[:1],
    "cylinder": ROUND,
    "capsule": ROUND,
}


def visuals(link: Element, colours: dict[str, str], origin: Any) -> Iterator[Look]:
    """The visuals of a link that are plain solids; `origin` reads where an element stands."""
    for visual in link.all("visual"):
        geometry = visual.first("geometry")
        solid = next(geometry.all(*SIZES), None) if geometry else None
        if solid is None:
            continue
        size: list[float] = []
        for name, count, factor in SIZES[solid.tag]:
            size += [factor * entry for entry in solid.numbers(name, count) or []]
        if len(size) != sum(count for _, count, _ in SIZES[solid.tag]) or min(size) <= 0.0:
            names = " and ".join(name for name, _, _ in SIZES[solid.tag])
            raise solid.fail(f"expected {names} above zero", did_you_mean(names, solid.attributes))
        yield Look(solid.tag, tuple(size), origin(visual), _colour(visual.first("material"), colours))


def has_others(link: Element) -> bool:
    """Whether some visual is a mesh, or what luff does not know."""
    geometries = [visual.first("geometry") for visual in link.all("visual")]
    return any(one is None or next(one.all(*SIZES), None) is None for one in geometries)


def materials(root: Element) -> dict[str, str]:
    return {one.name: _colour(one, {}) for one in root.all("material") if one.name}


def _colour(material: Element | None, known: dict[str, str]) -> str:
    if material is None:
        return ""
    colour = material.first("color")
    rgba = colour.numbers("rgba", 4) if colour else None
    if rgba is None:
        return known.get(material.name, "")
    return "#" + "".join(f"{round(255 * min(max(part, 0.0), 1.0)):02x}" for part in rgba[:3])


def shapes(looks: list[Look], number: Any, placement: Any) -> dict[str, Any]:
    """The entries of a body: the first as its shape, further ones by number."""
    made: list[dict[str, Any]] = []
    for look in looks:
        size = [number(entry) for entry in look.size]
        one = {"kind": look.kind, "size": size if len(size) > 1 else size[0], **placement(look.pose)}
        made.append(one | ({"color": look.color} if look.color else {}))
    if not made:
        return {}
    further = {f"part_{k}": one for k, one in enumerate(made[1:], 2)}
    return {"shape": made[0], **({"shapes": further} if further else {})}


def moved(looks: list[Look], pose: Pose) -> list[Look]:
    """In the frame in which theirs stands at `pose`."""
    return [Look(look.kind, look.size, pose @ look.pose, look.color) for look in looks]
